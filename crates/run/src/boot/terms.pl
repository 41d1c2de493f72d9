% Terms, sorting with a predicate, flags, streams: the parts that are easier in Prolog.

numbervars(T, S, E) :- '$numbervars'(T, S, E).
numbervars(T) :- '$numbervars'(T, 0, _).
numbervars(T, S, E, Options) :-
    ( '$member'(functor_name(F), Options) -> true ; F = '$VAR' ),
    ( '$member'(attvar(A), Options) -> true ; A = error ),
    ( '$member'(singletons(true), Options) -> term_singletons(T, Ss), '$number_singles'(Ss, A, F) ; true ),
    term_variables(T, Vs),
    '$number_each'(Vs, A, F, S, E).
'$number_singles'([], _, _).
'$number_singles'([V|Vs], A, F) :- ( attvar(V), A \== bind -> true ; '$bind_plain'(V, F, '_') ), '$number_singles'(Vs, A, F).
'$number_each'([], _, _, E, E).
'$number_each'([V|Vs], A, F, S, E) :-
    ( attvar(V), A == skip -> S1 = S
    ; attvar(V), A == error -> throw(error(type_error(free_of_attvar, V), _))
    ; '$bind_plain'(V, F, S), S1 is S + 1 ),
    '$number_each'(Vs, A, F, S1, E).
% Without waking what waits for the variable.
'$bind_plain'(V, F, N) :- ( attvar(V) -> del_attrs(V) ; true ), functor(V, F, 1), arg(1, V, N).

predsort(P, L, Sorted) :-
    length(L, N),
    ( N < 2 -> ( L = [] -> Sorted = [] ; Sorted = L ) ; '$predsort'(P, N, L, _, Sorted) ).
'$predsort'(P, 2, [X1,X2|L], L, R) :- !, call(P, Delta, X1, X2), '$sort2'(Delta, X1, X2, R).
'$predsort'(_, 1, [X|L], L, [X]) :- !.
'$predsort'(_, 0, L, L, []) :- !.
'$predsort'(P, N, L1, L3, R) :-
    N1 is N // 2, plus(N1, N2, N),
    '$predsort'(P, N1, L1, L2, R1),
    '$predsort'(P, N2, L2, L3, R2),
    '$predmerge'(P, R1, R2, R).
'$sort2'(<, X1, X2, [X1,X2]).
'$sort2'(=, X1, _, [X1]).
'$sort2'(>, X1, X2, [X2,X1]).
'$predmerge'(_, [], R, R) :- !.
'$predmerge'(_, R, [], R) :- !.
'$predmerge'(P, [H1|T1], [H2|T2], Result) :-
    call(P, Delta, H1, H2), !,
    '$predmerge_'(Delta, P, H1, H2, T1, T2, Result).
'$predmerge_'(<, P, H1, H2, T1, T2, [H1|R]) :- '$predmerge'(P, T1, [H2|T2], R).
'$predmerge_'(=, P, H1, _, T1, T2, [H1|R]) :- '$predmerge'(P, T1, T2, R).
'$predmerge_'(>, P, H1, H2, T1, T2, [H2|R]) :- '$predmerge'(P, [H1|T1], T2, R).

current_op(P, T, N0) :-
    '$strip_module'(N0, M, N),
    ( var(P) -> true ; integer(P), P >= 0, P =< 1200 -> true
    ; throw(error(domain_error(operator_priority, P), _)) ),
    ( var(T) -> true ; '$memberq'(T, [xfx,xfy,yfx,fy,fx,xf,yf]) -> true
    ; throw(error(domain_error(operator_specifier, T), _)) ),
    ( var(N) -> true ; atom(N) -> true ; throw(error(type_error(atom, N), _)) ),
    '$ops'(M, L),
    '$member'(op(P, T, N), L).

current_prolog_flag(M:F, V) :- atom(M), !, current_prolog_flag(F, V).
current_prolog_flag(F, V) :-
    ( var(F) -> true ; atom(F) -> true ; throw(error(type_error(atom, F), _)) ),
    '$flags'(L),
    ( atom(F) -> ( '$member'(F-V0, L) -> V = V0 ; F == argv, '$arguments'(V) )
    ; '$member'(F-V, L) ).
prolog_flag(F, V) :- current_prolog_flag(F, V).

% As '$strip_module'/3, but the module may be left open.
'$open_module'(Spec, M, H) :- '$open_module'(Spec, 20, user, M, H), !.
'$open_module'(Spec, M, H) :- '$strip_module'(Spec, M, H).
'$open_module'(S, N, M0, M, H) :-
    ( nonvar(S), S = M1:S1 ->
        N > 0, N1 is N - 1,
        ( var(M1) -> M = M1, H = S1 ; atom(M1), '$open_module'(S1, N1, M1, M, H) )
    ; M = M0, H = S ).

% A nonterminal's name is that of its predicate, which has two arguments more.
'$grammar_indicator'(N, A, N/A2) :-
    ( integer(A) -> A2 is A + 2 ; var(A) -> true ; throw(error(type_error(predicate_indicator, N//A), _)) ).

current_predicate(Spec) :-
    '$open_module'(Spec, M, PI0),
    ( nonvar(PI0), PI0 = N0//A0 -> '$grammar_indicator'(N0, A0, PI) ; PI = PI0 ),
    ( var(PI) -> true ; PI = N/A ->
        ( var(N) -> true ; atom(N) -> true ; throw(error(type_error(predicate_indicator, PI), _)) ),
        ( var(A) -> true ; integer(A) -> true ; throw(error(type_error(predicate_indicator, PI), _)) )
    ; throw(error(type_error(predicate_indicator, PI), _)) ),
    ( var(M) ->
        '$predicates'(L0), PI = N0/A0, '$member'(M:N0/A0, L0),
        functor(H, N0, A0), '$pred_info'(M:H, _, Kind, C, _), Kind \== built_in, Kind \== undefined, ( Kind == dynamic -> C > 0 ; true )
    ; nonvar(PI), PI = N1/A1, atom(N1), integer(A1) ->
        functor(H, N1, A1), '$pred_info'(M:H, _, Kind, C, _), Kind \== built_in, Kind \== undefined,
        ( Kind == dynamic -> C > 0 ; true )
    ; '$predicates'(L), PI = N/A, '$member'(M0:N/A, L), ( M0 == M -> true ; M0 == user ),
      functor(H, N, A), '$pred_info'(M0:H, _, Kind, C, _), ( Kind == dynamic -> C > 0 ; true ) ).

current_predicate(N, H0) :-
    '$open_module'(H0, M, H),
    ( nonvar(H) -> functor(H, N, A), current_predicate(M:N/A)
    ; current_predicate(M:N/A), functor(H, N, A) ).

predicate_property(Spec, P) :-
    '$open_module'(Spec, M, H),
    ( var(H) -> '$predicates'(L), '$member'(M:N/A, L), functor(H, N, A)
    ; var(M) -> callable(H), functor(H, N, A), '$predicates'(L), '$member'(M:N/A, L)
    ; true ),
    ( '$pred_info'(M:H, Home, Kind, Count, Flags) ->
        functor(H, N, A),
        ( var(P) -> ( '$pred_property'(P, Home, Kind, Count, Flags) ; '$pred_property'(P, Home:N/A) )
        ; '$pred_property'(P, Home, Kind, Count, Flags) -> true     % each has one value
        ; '$pred_property'(P, Home:N/A) -> true )
    ; '$in_library'(H), ( P = defined ; P = visible ; P = static ) ).
'$pred_property'(P, _, Kind, _, _) :- '$kind_property'(Kind, P).
'$pred_property'(number_of_clauses(C), _, Kind, C, _) :- ( Kind == dynamic -> true ; Kind == static ).
'$pred_property'(imported_from(Home), Home, _, _, Flags) :- '$memberq'(imported, Flags).
'$pred_property'(exported, _, _, _, Flags) :- '$memberq'(exported, Flags).
'$pred_property'(multifile, _, _, _, Flags) :- '$memberq'(multifile, Flags).
'$pred_property'(transparent, _, _, _, Flags) :- '$memberq'(transparent, Flags).
'$pred_property'(discontiguous, _, _, _, Flags) :- '$memberq'(discontiguous, Flags).
'$pred_property'(visible, _, _, _, _).
'$pred_property'(P, Spec) :- '$pred_place'(Spec, File, Lines), ( '$absolute_path'(File, F), P = file(F) ; Lines = [L|_], L > 0, P = line_count(L) ).
'$pred_property'(P, Spec) :- '$meta_arguments'(Spec, Args), Spec = _:N/_, ( Meta =.. [N|Args], P = meta_predicate(Meta) ; P = transparent ).
'$kind_property'(dynamic, dynamic).
'$kind_property'(static, static).
'$kind_property'(built_in, built_in).
'$kind_property'(built_in, static).
'$kind_property'(built_in, system).
'$kind_property'(K, defined) :- K \== undefined.

current_module(M) :- '$modules'(L), '$member'(M, L).
module_property(M, exports(L)) :- '$modules'(Ms), '$member'(M, Ms), findall(N/A, '$exported'(M, N, A), L).
module_property(M, exported_operators(L)) :- '$modules'(Ms), '$member'(M, Ms), '$has_clauses'(user, '$exported_op'(_, _)), findall(Op, user:'$exported_op'(M, Op), L), L \== [].
module_property(M, file(F)) :- '$modules'(Ms), '$member'(M, Ms), M \== user, '$module_file'(M, F), \+ sub_atom(F, 0, _, _, 'library:').
'$exported'(M, N, A) :- '$predicates'(Ps), '$member'(M:N/A, Ps), functor(H, N, A),
    '$pred_info'(M:H, _, _, _, Fs), '$memberq'(exported, Fs).
strip_module(T, M, P) :- '$strip_module'(T, M, P).

stream_property(S0, P) :-
    ( var(S0), S0 = S -> '$streams'(L), '$member'(S, L)
    ; S0 = S, S = '$stream'(_) -> true
    ; atom(S0), '$streams'(L), '$member'(S, L), '$stream_properties'(S, Ps0), '$memberq'(alias(S0), Ps0) -> true
    ; S0 == current_output -> current_output(S)
    ; S0 == current_input -> current_input(S)
    ; throw(error(domain_error(stream, S0), _)) ),
    '$stream_properties'(S, Ps),
    '$member'(P, Ps).
set_stream_position(S, P) :-
    ( var(P) -> throw(error(instantiation_error, _)) ; true ),
    ( P = '$stream_position'(At, Line) -> '$set_position'(S, At, Line)
    ; throw(error(domain_error(stream_position, P), _)) ).
stream_position_data(Field, '$stream_position'(At, Line), Value) :-
    ( Field = char_count, Value = At ; Field = byte_count, Value = At ; Field = line_count, Value = Line
    ; Field == line_position, '$refused'('line_position of stream_position_data/3') ).
seek(S, Offset, bof, Offset) :- '$set_position'(S, Offset, 1).

with_output_to(Spec, G) :-
    '$capture_open'(H),
    ( catch(G, E, true) ->
        '$capture_close'(H, S),
        ( nonvar(E) -> throw(E) ; true ),
        '$text_to'(Spec, S)
    ; '$capture_close'(H, _), fail ).
'$text_to'(Spec, S) :-
    ( Spec = atom(A) -> atom_string(A, S)
    ; Spec = string(X) -> X = S
    ; Spec = codes(Cs) -> string_codes(S, Cs)
    ; Spec = codes(Cs, T) -> string_codes(S, Cs0), '$append'(Cs0, T, Cs)
    ; Spec = chars(Cs) -> string_chars(S, Cs)
    ; throw(error(domain_error(output_sink, Spec), _)) ).

:- meta_predicate(format(?,:)).
:- meta_predicate(format(?,?,:)).
format(F) :- '$format'(F, []).
format(F, As0) :- '$format_arguments'(F, As0, As), '$format'(F, As).
format(S, F, As0) :-
    '$format_arguments'(F, As0, As),
    ( nonvar(S), '$is_sink'(S) -> '$format_text'(F, As, T), '$text_to'(S, T)
    ; '$format'(S, F, As) ).
% The arguments of `~@` and, if there are hooks, `~p` are replaced by what they print.
'$format_arguments'(F, As0, As) :-
    '$strip_module'(As0, M, As1),
    '$format_calls'(F, Calls),
    ( Calls == [] -> As = As1
    ; ( is_list(As1) -> L = As1 ; L = [As1] ), '$format_run'(L, 1, Calls, M, As) ).
'$format_run'([], _, _, _, []).
'$format_run'([A|As], I, Calls, M, [B|Bs]) :-
    ( Calls = [D-I|Rest] -> '$format_printed'(D, A, M, B) ; Rest = Calls, B = A ),
    I1 is I + 1,
    '$format_run'(As, I1, Rest, M, Bs).
'$format_printed'(@, G, M, '$output'(S)) :- with_output_to(string(S), call(M:G)), !.
'$format_printed'(p, A, _, B) :-
    ( '$has_clauses'(user, portray(_)) -> with_output_to(string(S), print(A)), B = '$output'(S) ; B = A ).

% print/1 asks the hook portray/1 about the term, the elements of lists and the arguments of other terms.
:- dynamic(portray/1).
print(T) :- '$with_portrayed'(T, T1), '$print'(T1).
print(S, T) :- '$with_portrayed'(T, T1), '$print'(S, T1).
'$with_portrayed'(T, T1) :- ( '$has_clauses'(user, portray(_)), acyclic_term(T) -> '$portrayed'(T, T1) ; T1 = T ).
'$portrayed'(T, T) :- var(T), !.
'$portrayed'(T, '$output'(S)) :- with_output_to(string(S), ( user:portray(T) -> true )), !.
'$portrayed'([H|T], [H1|T1]) :- !, '$portrayed'(H, H1), '$portrayed_tail'(T, T1).
'$portrayed'(T, T1) :- compound(T), !, T =.. [F|As], '$portrayed_all'(As, Bs), T1 =.. [F|Bs].
'$portrayed'(T, T).
'$portrayed_tail'(T, T) :- var(T), !.
'$portrayed_tail'([H|T], [H1|T1]) :- !, '$portrayed'(H, H1), '$portrayed_tail'(T, T1).
'$portrayed_tail'(T, T1) :- '$portrayed'(T, T1).
'$portrayed_all'([], []).
'$portrayed_all'([A|As], [B|Bs]) :- '$portrayed'(A, B), '$portrayed_all'(As, Bs).
'$is_sink'(atom(_)).
'$is_sink'(string(_)).
'$is_sink'(codes(_)).
'$is_sink'(codes(_, _)).
'$is_sink'(chars(_)).
format_atom(F, As, A) :- format(atom(A), F, As).

read_term_from_stream(S, T) :- read(S, T).
sformat(S, F, As) :- format(string(S), F, As).
term_string(S, T, _) :- term_string(S, T).
with_quoted(T, S) :- '$quoted'(T, S).
read_term_with_text(Text, T, Opts) :- open_string(Text, S), read_term(S, T, Opts), close(S).
term_from_atom(A, T) :- term_to_atom(T, A).
atom_to_term(A, T, Bindings) :-
    ( atom(A) -> true ; string(A) -> true ; throw(error(instantiation_error, _)) ),
    format(string(S), '~w .', [A]),
    open_string(S, St), read_term(St, T, [variable_names(Bindings)]), close(St).

read_line_to_string(S, L) :- '$read_line'(S, L).
read_line_to_codes(S, Cs) :- '$read_line'(S, L), ( L == end_of_file -> Cs = L ; string_codes(L, Cs) ).
read_stream_to_codes(S, Cs) :- '$read_all'(S, T), string_codes(T, Cs).
read_string(S, N, T) :-
    ( var(N) -> '$read_all'(S, T), string_length(T, N)
    ; integer(N) -> '$read_chars'(N, S, Cs), string_chars(T, Cs)
    ; throw(error(type_error(integer, N), _)) ).
'$read_chars'(N, S, Cs) :-
    ( N > 0, get_char(S, C), C \== end_of_file -> Cs = [C|Cs1], N1 is N - 1, '$read_chars'(N1, S, Cs1) ; Cs = [] ).
read_file_to_string(F, S, _) :- open(F, read, St), '$read_all'(St, S), close(St).
read_file_to_codes(F, Cs, _) :- read_file_to_string(F, S, []), string_codes(S, Cs).
read_file_to_terms(F, Ts, _) :- open(F, read, St), '$read_terms'(St, Ts), close(St).
'$read_terms'(St, Ts) :- read(St, T), ( T == end_of_file -> Ts = [] ; Ts = [T|R], '$read_terms'(St, R) ).

text_concat(A, B, C) :- ( ( string(A) ; string(B) ) -> string_concat(A, B, C) ; atom_concat(A, B, C) ).
char_conversion(A, B) :- ( ( var(A) ; var(B) ) -> throw(error(instantiation_error, _)) ; true ).
current_char_conversion(C, C) :- atom(C).

char_type(C, T) :- '$char_type_any'(C, T, 0).
code_type(C, T) :- '$char_type_any'(C, T, 1).
'$char_type_any'(C, T, Code) :- nonvar(C), nonvar(T), !, '$char_type'(C, T, Code).
'$char_type_any'(C, T, Code) :- nonvar(C), !,
    '$member'(T, [alnum,alpha,csym,csymf,ascii,white,cntrl,digit(_),space,end_of_line,lower,upper,lower(_),upper(_),punct,graph,print,to_lower(_),to_upper(_)]),
    '$char_type'(C, T, Code).
'$char_type_any'(C, T, Code) :- T = to_lower(X), nonvar(X), !, '$char_type'(X, to_upper(C), Code).
'$char_type_any'(C, T, Code) :- T = to_upper(X), nonvar(X), !, '$char_type'(X, to_lower(C), Code).
'$char_type_any'(C, T, Code) :- between(0, 255, X), ( Code =:= 1 -> C = X ; char_code(C, X) ), '$char_type'(C, T, Code).

statistics(K, V) :-
    ( '$memberq'(K, [runtime, process_time, system_time, walltime, real_time]) ->
        ( K == process_time -> K1 = runtime ; K1 = K ),
        '$statistics'(K1, T),
        ( nb_current('$last_time', L0), '$get_last'(L0, K, Last) -> true ; Last = 0, L0 = [] ),
        D is T - Last,
        nb_setval('$last_time', [K-T|L0]),
        V = [T, D]
    ; K == garbage_collection -> '$statistics'(collections, N), '$statistics'(collected, B), V = [N, B, 0]
    ; '$statistics'(K, V) ).
'$get_last'([K0-T0|R], K, T) :- ( K0 == K -> T = T0 ; '$get_last'(R, K, T) ).
statistics :-
    '$statistics'(inferences, I), '$statistics'(cputime, T),
    format(user_error, '% ~D inferences, ~3f CPU seconds~n', [I, T]).


portray_clause(C) :- current_output(S), portray_clause(S, C).
portray_clause(S, C, _) :- portray_clause(S, C).
portray_clause(S, C0) :-
    \+ \+ ( copy_term_nat(C0, C), '$name_singletons'(C), '$portray'(S, C) ).
'$name_singletons'(C) :-
    term_singletons(C, Ss), '$bind_singles'(Ss), '$numbervars'(C, 0, _).
'$bind_singles'([]).
'$bind_singles'(['$VAR'('_')|Vs]) :- '$bind_singles'(Vs).
'$pw'(S, T, P) :-
    ( nb_current('$portray_names', Names) -> true ; Names = [] ),
    write_term(S, T, [quoted(true), numbervars(true), spacing(next_argument), portray(true), priority(P), variable_names(Names)]).
'$portray'(S, (H :- true)) :- !, '$pw'(S, H, 1199), '$put'(S, '.\n').
'$portray'(S, (H :- B)) :- !, '$pw'(S, H, 1199), '$portray_rule'(S, ' :-', B).
'$portray'(S, (:- B)) :- !, '$put'(S, ':- '), '$portray_body'(S, B, 3, 1199), '$put'(S, '.\n').
'$portray'(S, (H --> B)) :- !, '$pw'(S, H, 1199), '$portray_rule'(S, ' -->', B).
'$portray'(S, (H => B)) :- !, '$pw'(S, H, 1199), '$portray_rule'(S, ' =>', B).
'$portray'(S, H) :- '$pw'(S, H, 1200), '$put'(S, '.\n').
'$portray_rule'(S, Neck, B) :-
    '$put'(S, Neck), '$put'(S, '\n    '), '$portray_body'(S, B, 4, 1199), '$put'(S, '.\n').
% Writes a body from the column the line is at.
'$portray_body'(S, G, _, P) :- var(G), !, '$pw'(S, G, P).
'$portray_body'(S, (A, B), C, P) :- P >= 1000, !,
    ( nonvar(A), A = (_, _) -> PA = 1000 ; PA = 999 ),
    '$portray_body'(S, A, C, PA), '$put'(S, ','), '$portray_line'(S, C), '$portray_body'(S, B, C, 1000).
'$portray_body'(S, (A, B), C, _) :- !,
    '$put'(S, '( '), C1 is C + 2, '$portray_body'(S, (A, B), C1, 1000), '$portray_line'(S, C), '$put'(S, ')').
'$portray_body'(S, G, C, _) :- '$is_branch'(G), !,
    '$put'(S, '(   '), '$portray_branch'(S, G, C), '$portray_line'(S, C), '$put'(S, ')').
'$portray_body'(S, \+ G, C, _) :- !, '$put'(S, '\\+ '), C1 is C + 3, '$portray_body'(S, G, C1, 900).
'$portray_body'(S, G, C, _) :- '$has_branching_argument'(G, Kinds), !,
    G =.. [N|As],
    format(atom(Name), '~q(', [N]), '$put'(S, Name), atom_length(Name, L), C1 is C + L,
    '$portray_arguments'(Kinds, As, S, C1), '$put'(S, ')').
'$portray_body'(S, G, _, P) :- '$pw'(S, G, P).
'$portray_line'(S, C) :- '$put'(S, '\n'), tab(S, C).
'$portray_arguments'([K|Ks], [A|As], S, C) :-
    ( '$is_goal_kind'(K) -> '$portray_body'(S, A, C, 999) ; '$pw'(S, A, 999) ),
    ( Ks == [] -> true ; '$put'(S, ','), '$portray_line'(S, C), '$portray_arguments'(Ks, As, S, C) ).
% A call that is no operator, with a control construct where a meta-predicate has a goal.
'$has_branching_argument'(G, Kinds) :-
    compound(G), functor(G, N, A), \+ current_op(_, _, N),
    arg(_, G, X), nonvar(X), ( X = (_, _) ; '$is_branch'(X) ),
    '$source_module'(M), '$meta_spec'(M:G, Kinds), G =.. [_|As],
    '$branching_argument'(Kinds, As), !.
'$branching_argument'([K|Ks], [A|As]) :-
    ( '$is_goal_kind'(K), nonvar(A), ( A = (_, _) ; '$is_branch'(A) ) -> true ; '$branching_argument'(Ks, As) ).
'$is_goal_kind'(K) :- ( K == 0 ; K == (^) ; K == // ), !.
'$is_branch'((_;_)).
'$is_branch'((_->_)).
'$is_branch'((_*->_)).
'$portray_branch'(S, G, _) :- var(G), !, '$pw'(S, G, 999).
'$portray_branch'(S, (A;B), C) :- !,
    ( nonvar(A), A = (_;_) -> C1 is C + 4, '$portray_body'(S, A, C1, 999) ; '$portray_branch'(S, A, C) ),
    '$portray_line'(S, C), '$put'(S, ';   '), '$portray_branch'(S, B, C).
'$portray_branch'(S, (A->B), C) :- !, '$portray_branch'(S, A, '->  ', B, C).
'$portray_branch'(S, (A*->B), C) :- !, '$portray_branch'(S, A, '*-> ', B, C).
'$portray_branch'(S, G, C) :- C1 is C + 4, '$portray_body'(S, G, C1, 1000).
'$portray_branch'(S, A, Arrow, B, C) :-
    C1 is C + 4,
    '$portray_body'(S, A, C1, 1000), '$portray_line'(S, C), '$put'(S, Arrow), '$portray_body'(S, B, C1, 1000).
'$put'(S, A) :- write(S, A).

% -- Edinburgh streams

see(F) :- var(F), !, throw(error(instantiation_error, _)).
see(user) :- !, set_input(user_input).
see(F) :- ( '$is_stream'(F) -> set_input(F) ; open(F, read, S), set_input(S) ).
seen :- current_input(S), set_input(user_input), '$close_unless_user'(S, user_input).
tell(F) :- '$tell'(F, write).
append(F) :- '$tell'(F, append).
told :- current_output(S), set_output(user_output), '$close_unless_user'(S, user_output).
'$tell'(F, _) :- var(F), !, throw(error(instantiation_error, _)).
'$tell'(user, _) :- !, set_output(user_output).
'$tell'(F, Mode) :- ( '$is_stream'(F) -> set_output(F) ; open(F, Mode, S), set_output(S) ).
'$is_stream'(F) :- \+ atom(F), !.
'$is_stream'(F) :- stream_property(_, alias(F)), !.
'$close_unless_user'(S, Alias) :- ( stream_property(S, alias(Alias)) -> true ; close(S) ).
