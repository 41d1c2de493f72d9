% Tools of the top level: the tracer, listings, reloading, help.

:- dynamic('$spied'/1).
:- meta_predicate(spy(:)).
:- meta_predicate(nospy(:)).
:- meta_predicate(trace(:)).
:- meta_predicate(edit(:)).

% -- the four-port tracer: calls of the user's predicates go through '$trace'/2 while it is on

trace :- nb_setval('$trace_mode', creep), b_setval('$trace_depth', 0), '$wrap_all'.
notrace :- nb_setval('$trace_mode', off), '$unwrap_all'.
tracing :- nb_current('$trace_mode', M), M \== off.
nodebug :- notrace.
debug :- ( tracing -> true ; nb_setval('$trace_mode', leap), '$wrap_all' ).
trace(Spec) :- spy(Spec).
spy(Spec) :-
    forall('$spec_predicates'(Spec, PI),
           ( user:'$spied'(PI) -> true
           ; user:assertz('$spied'(PI)), print_message(informational, format('spy point on ~q', [PI])) )),
    debug.
nospy(Spec) :- forall('$spec_predicates'(Spec, PI), user:retractall('$spied'(PI))).
nospyall :- user:retractall('$spied'(_)).
debugging :- forall(user:'$spied'(PI), format('spy point: ~q~n', [PI])).
leash(_).
visible(_).

'$spec_predicates'(Spec, PI) :-
    '$strip_module'(Spec, M, S),
    ( is_list(S) -> '$member'(E, S), '$spec_predicates'(M:E, PI) ; '$spec_predicates'(M, S, PI) ).
'$spec_predicates'(M0, S, M:N/A) :-
    ( S = N/A -> true ; S = N//A0 -> ( integer(A0) -> A is A0 + 2 ; true ) ; S = N ),
    '$predicates'(L), '$member'(M:N/A, L), ( M == M0 -> true ; M0 == user ),
    functor(H, N, A), '$pred_info'(M:H, M, K, _, _), ( K == static ; K == dynamic ).
'$wrap_all' :- '$predicates'(L), ( '$member'(M:N/A, L), '$is_traced'(M, N), '$wrap'(M:N/A), fail ; true ).
'$unwrap_all' :- '$predicates'(L), ( '$member'(M:N/A, L), '$unwrap'(M:N/A), fail ; true ).
'$is_traced'(M, N) :-
    M \== system, \+ sub_atom(N, 0, _, _, $),
    ( M == user -> true ; '$module_file'(M, F), \+ sub_atom(F, 0, _, _, 'library:') ).

'$trace'(G, Impl) :-
    nb_getval('$trace_mode', Mode),
    ( Mode == off -> call(Impl)
    ; ( nb_current('$trace_depth', D0) -> true ; D0 = 0 ),
      D is D0 + 1,
      b_setval('$trace_depth', D),
      '$port'(call, D, G, Action),
      ( Action == fail -> '$port'(fail, D, G, _), fail ; true ),
      '$trace_run'(D, G, Impl),
      b_setval('$trace_depth', D0) ).
'$trace_run'(D, G, Impl) :-
    catch(call_det(Impl, Det), E, ( '$port'(exception(E), D, G, _), throw(E) )),
    ( Det == true -> !, '$port'(exit, D, G, _)
    ; '$port'(exit, D, G, _)
    ; b_setval('$trace_depth', D), '$port'(redo, D, G, _), fail ).
'$trace_run'(D, G, _) :- '$port'(fail, D, G, _), fail.

% Ports are shown while creeping, at spy points, and where a skipped call ends.
'$port'(Port, D, G, Action) :-
    nb_getval('$trace_mode', Mode),
    ( '$shows'(Mode, Port, D, G) ->
        '$port_line'(Port, D, G),
        '$port_action'(Action, D)
    ; true ).
'$shows'(creep, _, _, _).
'$shows'(skip(D0), Port, D, _) :- D =< D0, Port \== call, nb_setval('$trace_mode', creep).
'$shows'(leap, _, _, G) :- '$is_spied'(G), nb_setval('$trace_mode', creep).
'$is_spied'(M:G) :- functor(G, N, A), user:'$spied'(M:N/A), !.
'$port_line'(Port, D, M:G) :-
    '$port_name'(Port, Name),
    ( M == user -> T = G ; T = M:G ),
    functor(G, N, A),
    ( '$pred_place'(M:N/A, F, [L|_]) -> format(string(Place), '  % ~w:~w', [F, L]) ; Place = '' ),
    ( Port = exception(E) -> format(string(Why), ': ~q', [E]) ; Why = '' ),
    format(string(S), '   ~w: (~d) ~p~w~w', [Name, D, T, Why, Place]),
    '$error_text'(S).
'$port_name'(call, 'Call').
'$port_name'(exit, 'Exit').
'$port_name'(redo, 'Redo').
'$port_name'(fail, 'Fail').
'$port_name'(exception(_), 'Exception').

% With a person at the terminal every port waits for a command; otherwise all are printed.
'$port_action'(Action, D) :-
    ( nb_current('$interactive', true) ->
        '$error_text'(' ? '),
        read_line_to_string(user_input, Line),
        ( Line == end_of_file -> C = l ; atom_string(C, Line) ),
        '$port_command'(C, D, Action)
    ; '$error_text'('\n') ).
'$port_command'('', _, _) :- !.
'$port_command'(c, _, _) :- !.
'$port_command'(s, D, _) :- !, nb_setval('$trace_mode', skip(D)).
'$port_command'(l, _, _) :- !, nb_setval('$trace_mode', leap).
'$port_command'(n, _, _) :- !, nb_setval('$trace_mode', off).
'$port_command'(f, _, fail) :- !.
'$port_command'(a, _, _) :- !, throw('$aborted').
'$port_command'(_, D, Action) :-
    '$error_text'('  Enter c creep   s skip   l leap to the next spy point   n no tracing   f fail   a abort\n'),
    '$port_action'(Action, D).

% -- listings: dynamic clauses as they are, static ones as their file has them

listing(Spec, _) :- listing(Spec).
listing(Spec) :-
    findall(PI, '$spec_predicates'(Spec, PI), PIs),
    '$list_each'(PIs).
listing :- '$source_module'(M), '$predicates'(L), findall(M:N/A, ( '$member'(M:N/A, L), \+ sub_atom(N, 0, _, _, $) ), PIs0), msort(PIs0, PIs), '$list_each'(PIs).
'$list_each'([]).
'$list_each'([PI|PIs]) :- '$list_predicate'(PI), '$list_each'(PIs).
'$list_predicate'(M:N/A) :-
    functor(H, N, A),
    ( '$pred_info'(M:H, M, dynamic, _, _) ->
        ( M == user -> format(':- dynamic ~q/~w.~n~n', [N, A]) ; format(':- dynamic ~q:~q/~w.~n~n', [M, N, A]) ),
        '$list_clauses'(M, H)
    ; \+ \+ catch(clause(M:H, _), _, fail) -> '$list_clauses'(M, H)
    ; '$pred_place'(M:N/A, File, Lines) ->
        '$source_module'(Old), '$set_source_module'(M),
        ( '$member'(Line, Lines), '$source_clause'(File, Line, C, Names), '$portray_named'(C, Names), fail ; true ),
        '$set_source_module'(Old), nl
    ; true ).
% With the names of variables the file has, if the clause is the one there.
'$list_clauses'(M, H) :-
    functor(H, N, A),
    findall(H - B, clause(M:H, B), Cs),
    ( '$pred_place'(M:N/A, File, Lines) -> true ; File = none, Lines = [] ),
    '$source_module'(Old), '$set_source_module'(M),
    '$list_clauses'(Cs, Lines, File),
    '$set_source_module'(Old), nl.
'$list_clauses'([], _, _).
'$list_clauses'([H - B|Cs], Lines0, File) :-
    ( Lines0 = [Line|Lines] -> true ; Line = 0, Lines = [] ),
    ( B == true -> C = H ; C = (H :- B) ),
    ( Line > 0, '$source_clause'(File, Line, C0, Names), '$written_clause'(C0, C1), C1 =@= C -> C1 = C, '$portray_named'(C, Names) ; portray_clause(C) ),
    '$list_clauses'(Cs, Lines, File).
% What the loader makes of a clause of the file, if that is not the clause itself.
'$written_clause'((H --> B), C) :- !, catch(dcg_translate_rule((H --> B), C), _, fail).
'$written_clause'(C, C).
'$portray_named'(C, Names) :- current_output(S), '$portray_names'(S, C, Names).
'$portray_names'(S, C, Names) :-
    term_singletons(C, Singles),
    '$names_without'(Names, Singles, Ns), '$name_underscores'(Singles, Us), '$append'(Us, Ns, Known),
    % Variables the loader added get the letters that are free.
    term_variables(C, Vs), '$unnamed'(Vs, Known, 0, More), '$append'(Known, More, All),
    nb_setval('$portray_names', []),
    b_setval('$portray_names', All),
    ( C = (_ --> _) -> write_term(S, C, [quoted(true), variable_names(All), spacing(next_argument), numbervars(true)]), '$put'(S, '.\n')
    ; C = (H :- B) -> '$portray'(S, (H :- B))
    ; '$portray'(S, C) ),
    b_setval('$portray_names', []).
'$unnamed'([], _, _, []).
'$unnamed'([V|Vs], Known, N, More) :-
    (   '$member'(_ = W, Known), W == V -> More = More1, N1 = N
    ;   '$free_letter'(N, Known, Letter, N1), More = [Letter = V|More1] ),
    '$unnamed'(Vs, Known, N1, More1).
'$free_letter'(N, Known, Letter, N2) :-
    N1 is N + 1, format(atom(L), '~p', ['$VAR'(N)]),
    ( '$names_have'(Known, L) -> '$free_letter'(N1, Known, Letter, N2) ; Letter = L, N2 = N1 ).
'$names_have'([L1 = _|Ns], L) :- ( L1 == L -> true ; '$names_have'(Ns, L) ).
'$names_without'([], _, []).
'$names_without'([N = V|Ns], Ss, R) :- ( '$memberq'(V, Ss) -> R = R1 ; R = [N = V|R1] ), '$names_without'(Ns, Ss, R1).
'$name_underscores'([], []).
'$name_underscores'([V|Vs], ['_' = V|Us]) :- '$name_underscores'(Vs, Us).

% -- where predicates come from

source_file(F) :- '$loaded_files'(Fs), '$member'(F, Fs).
source_file(Spec, File) :-
    '$strip_module'(Spec, M, H),
    (   nonvar(H) -> functor(H, N, A), '$source_of'(M:N/A, File)
    ;   '$predicates'(L), '$member'(M:N/A, L), \+ sub_atom(N, 0, _, _, $), '$source_of'(M:N/A, File0), File = File0, functor(H, N, A) ).
'$source_of'(PI, File) :- '$pred_place'(PI, F, _), \+ atom_concat('library:', _, F), '$absolute_path'(F, File).

% -- reloading and editing

make :- '$changed_files'(Fs), '$reload_each'(Fs).
'$reload_each'([]).
'$reload_each'([F|Fs]) :- format(user_error, '% reloading ~w~n', [F]), consult(user:F), '$reload_each'(Fs).
edit(Spec) :-
    ( '$spec_predicates'(Spec, PI), '$pred_place'(PI, File, [Line|_]) -> true
    ; '$strip_module'(Spec, _, S), catch('$find_file'(S, File), _, fail) -> Line = 1
    ; throw(error(existence_error(source, Spec), _)) ),
    '$edit'(File, Line),
    make.

% -- help

apropos(Word) :-
    '$in_user'('$use'(library(help), [])),
    '$predicates'(L0), sort(L0, L),
    atom_string(A, Word),
    findall(N/Ar, ( '$member'(user:N/Ar, L), sub_atom_icasechk(N, _, A), \+ sub_atom(N, 0, _, _, $) ), Ps0),
    findall(N/Ar, ( '$library_export'(_, N, Ar), sub_atom_icasechk(N, _, A) ), Ps1),
    findall(PI, ( help:described(PI, T), sub_atom_icasechk(T, _, A) ), Ps2),
    '$append'(Ps0, Ps1, P3), '$append'(P3, Ps2, P4), sort(P4, Ps),
    ( Ps == [] -> format('nothing about ~w~n', [Word]) ; '$show_help_lines'(Ps) ).
'$show_help_lines'([]).
'$show_help_lines'([N/A|Ps]) :-
    ( help:described(N/A, T) -> format('~q~t~30|~w~n', [N/A, T])
    ; '$library_export'(L, N, A) -> ( L == system -> format('~q~t~30|builtin~n', [N/A]) ; format('~q~t~30|library(~w)~n', [N/A, L]) )
    ; format('~q~n', [N/A]) ),
    '$show_help_lines'(Ps).
help(Spec) :-
    '$in_user'('$use'(library(help), [])),
    ( Spec = N/A -> true ; N = Spec ),
    findall(N/A, ( help:described(N/A, _) ; '$library_export'(_, N, A) ; '$predicates'(L), '$member'(user:N/A, L) ), Ps0),
    sort(Ps0, Ps),
    ( Ps == [] -> format('no predicate ~q; try apropos(~q)~n', [Spec, N]) ; '$show_help_lines'(Ps) ).
help :- format('help(Name), help(Name/Arity): what a predicate does; apropos(Word): predicates about something.~nlisting(Name), trace, spy(Name), make, edit(Name), halt.~n').

'$library_export'(L, N, A) :- '$library_exports'(Es), '$member'(L-N/A, Es).

% -- limits on calls

% The limit is one for each answer.
call_with_inference_limit(G, L, R) :-
    '$inference_depth'(N),
    % What the control around the goal takes is not the goal's.
    ( integer(L), L > 0 -> Limit is L + 11 ; Limit = L ),
    catch('$limited'(G, Limit, N, R0), E, '$limit_caught'(E, N, R0)),
    R = R0.
'$limited'(G, L, N, R) :-
    '$inference_limit'(L, N),
    ( true ; '$inference_limit_over'(N), fail ),
    call_det(G, Det),
    '$inference_limit_over'(N),
    ( Det == true -> !, R = (!)
    ; R = true, ( true ; '$inference_limit'(L, N), fail ) ).
'$limit_caught'(E, N, R) :-
    '$inference_limit_over'(N),
    ( E = '$inference_limit_exceeded'(N0), N0 == N -> R = inference_limit_exceeded ; throw(E) ).

% -- delimited continuations

reset(G, Ball, Cont) :- '$reset_marker'(Ball, Cont, M), call(G), '$reset_exit'(M).
'$reset_marker'(Ball, Cont, '$reset'(Ball, Cont)).
'$reset_exit'('$reset'(_, 0)).
shift(Ball) :- '$shift_goal'(Ball, G), call(G).
'$shift_goal'(Ball, '$shift'(Ball)).
shift_for_copy(Ball) :- shift(Ball).
call_continuation(Frames) :- '$resume_goal'(Frames, G), call(G).
'$resume_goal'(Frames, '$resume'(Frames)).
