% Predicates of SWI-Prolog that programs use without importing anything: streams, text, terms, clauses.

:- meta_predicate(setup_call_catcher_cleanup(0,0,?,0)).
:- meta_predicate(sig_atomic(0)).
:- meta_predicate(call_with_inference_limit(0,?,?)).
:- meta_predicate(nth_clause(:,?,?)).
:- meta_predicate(copy_predicate_clauses(:,:)).
:- meta_predicate(compile_predicates(:)).

% -- Edinburgh input and output of characters

get0(C) :- get_code(C).
get0(S, C) :- get_code(S, C).
get(C) :- current_input(S), get(S, C).
get(S, C) :- repeat, get_code(S, C0), ( C0 =:= -1 ; code_type(C0, graph) ), !, C = C0.
skip(C) :- current_input(S), skip(S, C).
skip(S, C0) :-
    ( integer(C0) -> C = C0 ; char_code(C0, C) ),
    repeat, get_code(S, X), ( X =:= -1 ; X =:= C ), !.
put(C) :- current_output(S), put(S, C).
put(S, C) :- ( integer(C) -> put_code(S, C) ; put_char(S, C) ).
seeing(S) :- current_input(S).
telling(S) :- current_output(S).
get_single_char(C) :- get_code(user_input, C).
copy_stream_data(In, Out) :- '$read_all'(In, T), write(Out, T).
copy_stream_data(In, Out, N) :- ( N > 0, get_char(In, C), C \== end_of_file -> put_char(Out, C), N1 is N - 1, copy_stream_data(In, Out, N1) ; true ).
peek_string(S, N, T) :- '$must_be_integer'(N), '$peek_chars'(S, N, T).
'$must_be_integer'(N) :- ( var(N) -> throw(error(instantiation_error, _)) ; integer(N) -> true ; throw(error(type_error(integer, N), _)) ).
read_pending_codes(S, Cs, T) :- '$read_all'(S, X), ( string_length(X, 0) -> Cs = [] ; string_codes(X, L), '$append'(L, T, Cs) ).
read_pending_chars(S, Cs, T) :- '$read_all'(S, X), ( string_length(X, 0) -> Cs = [] ; string_chars(X, L), '$append'(L, T, Cs) ).
read_clause(S, T, Options) :- read_term(S, T, Options).
prompt1(_).
character_count(S, N) :- stream_property(S, position('$stream_position'(N, _))).
byte_count(S, N) :- character_count(S, N).
access_file(F, Mode) :-
    ( Mode == none -> true
    ; Mode == exist -> ( exists_file(F) -> true ; exists_directory(F) )
    ; '$memberq'(Mode, [read, execute]) -> exists_file(F)
    ; '$memberq'(Mode, [write, append]) -> true
    ; throw(error(domain_error(io_mode, Mode), _)) ).
prolog_to_os_filename(F, F).

% -- text

get_string_code(I, S, C) :- string_code(I, S, C).
normalize_space(Out, T0) :- normalize_space_text(T0, A), atom_string(A, S), '$normalized'(Out, S).
'$normalized'(Out, S) :- ( nonvar(Out), '$is_sink'(Out) -> '$text_to'(Out, S) ; write(Out, S) ).
atomic_concat(A, B, C) :- atomic_list_concat([A, B], C).
sub_atom_icasechk(Text, Start, Sub) :-
    downcase_atom(Text, T), downcase_atom(Sub, S),
    ( sub_atom(T, Start, _, _, S) -> true ).
write_length(T, N, Options) :- format(string(S), '~@', [write_term(T, Options)]), string_length(S, N).
term_string_options(T, S, Options) :- with_output_to(string(S), write_term(T, Options)).
% `?` is any character, `*` any text, `[a-z]` a set, `{a,b}` a choice.
wildcard_match(Pattern, Text) :- wildcard_match(Pattern, Text, []).
wildcard_match(Pattern0, Text0, Options) :-
    ( '$memberq'(case_sensitive(false), Options) ->
        string_lower(Pattern0, Pattern), string_lower(Text0, Text)
    ; Pattern = Pattern0, Text = Text0 ),
    atom_chars(Pattern, P), atom_chars(Text, T),
    '$wildcard'(P, T), !.
'$wildcard'([], []).
'$wildcard'([C|P], T) :- '$wildcard'(C, P, T).
'$wildcard'(*, P, T) :- !, ( '$wildcard'(P, T) ; T = [_|T1], '$wildcard'(*, P, T1) ).
'$wildcard'(?, P, [_|T]) :- !, '$wildcard'(P, T).
'$wildcard'('[', P, [C|T]) :- '$append'(Set, [']'|P1], P), !, '$in_set'(Set, C), '$wildcard'(P1, T).
'$wildcard'('{', P, T) :- '$append'(Choice, ['}'|P1], P), !, '$alternative'(Choice, A), '$append'(A, P1, P2), '$wildcard'(P2, T).
'$wildcard'(\, [C|P], [C|T]) :- !, '$wildcard'(P, T).
'$wildcard'(C, P, [C|T]) :- '$wildcard'(P, T).
'$in_set'([A, -, B|_], C) :- A @=< C, C @=< B, !.
'$in_set'([_, -, _|S], C) :- !, '$in_set'(S, C).
'$in_set'([A|S], C) :- ( A == C -> true ; '$in_set'(S, C) ).
'$alternative'(Chars, A) :- ( '$append'(A0, [','|R], Chars) -> ( A = A0 ; '$alternative'(R, A) ) ; A = Chars ).
% The files a pattern means, or the name itself.
expand_file_name(Spec, Names) :-
    atom_string(A, Spec),
    ( '$has_wildcard'(A) ->
        ( atomic_list_concat(Parts, /, A), '$append'(Ds, [Base], Parts), Ds \== [] ->
            atomic_list_concat(Ds, /, Dir), atom_concat(Dir, /, Prefix)
        ; Dir = '.', Prefix = '', Base = A ),
        ( '$has_wildcard'(Dir) -> '$refused'('wildcards in directories (expand_file_name/2)') ; true ),
        directory_files(Dir, Files0), msort(Files0, Files),
        findall(P, ( '$member'(F, Files), \+ sub_atom(F, 0, _, _, '.'), wildcard_match(Base, F), atom_concat(Prefix, F, P) ), Names)
    ; Names = [A] ).
'$has_wildcard'(A) :- '$member'(C, [*, ?, '[', '{']), sub_atom(A, _, _, _, C), !.

% -- terms

is_most_general_term(T) :- is_list(T), !, term_variables(T, Vs), length(T, N), length(Vs, N), '$all_variables'(T).
is_most_general_term(T) :- compound(T), T \= [_|_], !, T =.. [_|As], is_most_general_term(As).
is_most_general_term(T) :- atom(T).
'$all_variables'([]).
'$all_variables'([V|Vs]) :- var(V), '$all_variables'(Vs).
var_number('$VAR'(N), N).
nb_linkval(K, V) :- nb_setval(K, V).
nb_linkarg(N, T, A) :- nb_setarg(N, T, A).
term_variables_set(T, Vs) :- term_variables(T, Vs).
% The attributes of a variable as SWI-Prolog shows them.
put_attrs(V, Atts) :- '$attribute_list'(Atts, L), ( L == [] -> '$del_attributes'(V) ; '$put_attributes'(V, L) ).
'$attribute_list'([], []).
'$attribute_list'(att(M, V, R), [att(M, V)|L]) :- '$attribute_list'(R, L).
del_attrs(V) :- '$del_attributes'(V).
current_functor(N, A) :-
    ( atom(N), integer(A) -> true ; '$predicates'(L), '$member'(_:N/A, L) ).
current_arithmetic_function(H) :- nonvar(H), functor(H, N, A), '$evaluable'(N, A).
'$evaluable'(N, A) :-
    length(Xs, A), '$ones'(Xs), E =.. [N|Xs],
    catch(( _ is E ; true ), Error, true), !,
    \+ ( nonvar(Error), Error = error(type_error(evaluable, _), _) ).
'$ones'([]).
'$ones'([1|Xs]) :- '$ones'(Xs).
bounded_number(Low, High, N) :- number(N), ( number(Low) -> N > Low ; true ), ( number(High) -> N < High ; true ).
float_class(F, C) :-
    ( F =\= F -> C = nan
    ; ( F =:= inf ; F =:= -inf ) -> C = infinite
    ; F =:= 0.0 -> C = zero
    ; abs(F) < 2.2250738585072014e-308 -> C = subnormal
    ; C = normal ).
nth_integer_root_and_remainder(N, I, Root, Remainder) :-
    ( N < 1 -> throw(error(domain_error(not_less_than_one, N), _)) ; true ),
    ( I < 0, N mod 2 =:= 0 -> throw(error(evaluation_error(undefined), _)) ; true ),
    A is abs(I), H0 is 1 << ((msb(A + 1) // N) + 1),
    '$integer_root'(0, H0, N, A, R0),
    ( I < 0 -> Root is -R0 ; Root = R0 ),
    Remainder is I - Root ** N.
'$integer_root'(L, H, N, A, R) :-
    ( H - L =< 1 -> R = L
    ; M is (L + H) // 2, ( M ** N =< A -> '$integer_root'(M, H, N, A, R) ; '$integer_root'(L, M, N, A, R) ) ).

% -- clauses and flags

nth_clause(Spec, N, Ref) :-
    ( nonvar(Ref) -> '$clause_of'(Ref, M0, H, _), Spec = M0:H, findall(R, '$clause_ref'(M0:H, _, R), Rs0), '$nth_of'(Rs0, 1, Ref, N)
    ; '$strip_module'(Spec, M, H0), functor(H0, F, A), functor(H, F, A),
      findall(R, '$clause_ref'(M:H, _, R), Rs), '$nth_of'(Rs, 1, Ref, N) ).
'$nth_of'([R|Rs], I, Ref, N) :- ( R = Ref, N = I ; I1 is I + 1, '$nth_of'(Rs, I1, Ref, N) ).
copy_predicate_clauses(From, To) :-
    '$strip_module'(From, M, H0), '$strip_module'(To, M2, T0),
    ( H0 = F/A -> true ; functor(H0, F, A) ), ( T0 = F2/A -> true ; functor(T0, F2, A) ),
    functor(H, F, A), H =.. [_|As], T =.. [F2|As],
    forall(clause(M:H, B), assertz(M2:(T :- B))).
compile_predicates(_).
compile_aux_clauses(Cs) :- '$load_expanded'(Cs, [], []).
get_flag(K, V) :- flag(K, V, V).
set_flag(K, V) :- flag(K, _, V).
current_flag(K) :- user:'$flag_value'(K, _).
non_terminal(_).
trim_stacks.
trim_heap.
context_module(Spec) :- '$strip_module'(Spec, M, V), V = M.
concat_atom(L, A) :- atomic_list_concat(L, A).
concat_atom(L, S, A) :- atomic_list_concat(L, S, A).
sig_atomic(G) :- once(G).
abort :- throw('$aborted').
cancel_halt(_) :- fail.
compiling :- '$loading'.
expand_file_search_path(Spec, Path) :- '$resolve_file'(Spec, Path).
open_null_stream(S) :- '$capture_open'(S).
profiler(_, _) :- '$refused'('profiler/2 (use --profile)').
trie_new(_) :- '$refused'('tries (trie_new/1)').
trie_insert(_, _) :- '$refused'('tries (trie_insert/2)').
trie_gen(_, _) :- '$refused'('tries (trie_gen/2)').
string_bytes(S, Bs, Encoding) :-
    ( var(S) -> '$bytes_text'(Bs, Encoding, S) ; '$text_bytes'(S, Encoding, Bs) ).
format_predicate(_, _) :- '$refused'('format_predicate/2').
is_trie(_) :- fail.
get_dict(_, _, _, _, _) :- '$refused'('dicts').
del_dict(_, _, _, _) :- '$refused'('dicts').
select_dict(_, _, _) :- '$refused'('dicts').
put_dict(_, _, _) :- '$refused'('dicts').

exists_source(Spec) :- exists_source(Spec, _).
exists_source(Spec, Path) :- catch('$resolve_file'(Spec, Path), _, fail).
prolog_unlisten(_, _).
residual_goals(_).
'$clausable'(_).
abolish_module_tables(_).
term_hash(T, _, Range, H) :- ( term_hash(T, H0), integer(H0) -> H is H0 mod Range ; true ).
quasi_quotation_syntax(_) :- '$refused'('quasi quotations (quasi_quotation_syntax/1)').

% -- global variables: a program may supply a value when one is missing

:- dynamic(exception/3).
nb_getval(K, V) :- ( '$getval'(K, V0) -> V = V0 ; '$missing_global'(K), '$getval'(K, V) ).
b_getval(K, V) :- ( '$getval'(K, V0) -> V = V0 ; '$missing_global'(K), '$getval'(K, V) ).
'$missing_global'(K) :-
    ( '$has_clauses'(user, exception(_, _, _)), user:exception(undefined_global_variable, K, Action), Action == retry -> true
    ; throw(error(existence_error(variable, K), context(system:nb_getval/2, _))) ).

% -- what libraries of SWI-Prolog ask of its core

variant_hash(T, H) :- copy_term_nat(T, C), '$numbervars'(C, 0, _), term_hash(C, H).
variant_sha1(T, H) :- variant_hash(T, H0), ( var(H0) -> H = H0 ; format(atom(H), '~16r', [H0]) ).
nonground(T, V) :- term_variables(T, [V|_]).
'$filled_array'(A, Name, Arity, Value) :- length(As, Arity), '$fill'(As, Value), A =.. [Name|As].
'$fill'([], _).
'$fill'([V|Vs], V) :- '$fill'(Vs, V).
'$pi_head'(PI, H) :- '$pi_head_'(PI, H).
'$pi_head_'(PI, H) :- var(PI), var(H), !, throw(error(instantiation_error, _)).
'$pi_head_'(M:PI, M:H) :- !, '$pi_head_'(PI, H).
'$pi_head_'(N/A, H) :- !, ( nonvar(H) -> functor(H, N, A) ; functor(H, N, A) ).
'$pi_head_'(N//A, H) :- ( nonvar(A) -> A2 is A + 2, functor(H, N, A2) ; functor(H, N, A2), A is A2 - 2 ).
collation_key(A, A).
% Cells of a term: a compound has one more than its arguments.
'$term_size'(T, Max, Size) :- '$cells'(T, 0, Size), ( var(Max) -> true ; Size =< Max ).
'$cells'(T, N0, N) :- ( compound(T) -> T =.. [_|As], length(As, A), N1 is N0 + A + 1, '$cells_all'(As, N1, N) ; N = N0 ).
'$cells_all'([], N, N).
'$cells_all'([A|As], N0, N) :- '$cells'(A, N0, N1), '$cells_all'(As, N1, N).
% A condition of when/2 with the parts left out that hold.
'$eval_when_condition'(C, _) :- var(C), !, throw(error(instantiation_error, _)).
'$eval_when_condition'(nonvar(X), S) :- !, ( nonvar(X) -> S = true ; S = nonvar(X) ).
'$eval_when_condition'(ground(X), S) :- !, ( ground(X) -> S = true ; S = ground(X) ).
'$eval_when_condition'(?=(X, Y), S) :- !, ( ?=(X, Y) -> S = true ; S = ?=(X, Y) ).
'$eval_when_condition'((A, B), S) :- !,
    '$eval_when_condition'(A, SA), '$eval_when_condition'(B, SB),
    ( SA == true -> S = SB ; SB == true -> S = SA ; S = (SA, SB) ).
'$eval_when_condition'((A ; B), S) :- !,
    '$eval_when_condition'(A, SA), '$eval_when_condition'(B, SB),
    ( ( SA == true ; SB == true ) -> S = true ; S = (SA ; SB) ).
'$eval_when_condition'(C, _) :- throw(error(domain_error(when_condition, C), _)).
% Topics of debug/3: the ones that are on are kept in a global variable.
debugging(Topic) :- '$debug_topics'(L), '$member'(Topic, L), !.
debugging(Topic, On) :- '$debug_topics'(L), '$member'(Topic, L), On = true.
'$debug_topics'(L) :- ( nb_current('$debug_topics', L0) -> L = L0 ; L = [] ).
debug(Topic) :- '$debug_topics'(L), ( '$memberq'(Topic, L) -> true ; nb_setval('$debug_topics', [Topic|L]) ).
nodebug(Topic) :- '$debug_topics'(L), findall(T, ( '$member'(T, L), T \= Topic ), Kept), nb_setval('$debug_topics', Kept).
debug(Topic, Format, Args) :-
    ( debugging(Topic) ->
        ( catch(user:message_hook(debug(Topic, Format, Args), debug(Topic), []), _, fail) -> true
        ; format(string(Text), Format, Args), format(string(S), '% ~w~n', [Text]), '$error_text'(S) )
    ; true ).
list_debug_topics :- '$debug_topics'(L), forall('$member'(T, L), ( format(string(S), '~q~n', [T]), '$error_text'(S) )).
list_debug_topics(_) :- list_debug_topics.
debug_message_context(_).

% -- cleanup that is told how the goal ended

setup_call_catcher_cleanup(Setup, Goal, Catcher, Cleanup) :-
    once(Setup),
    State = state(exit),
    '$call_cleanup'(Goal, '$caught_cleanup'(State, Catcher, Cleanup)),
    % A cleanup that comes later comes from a cut, unless failure or an exception says otherwise.
    nb_setarg(1, State, !).
'$caught_cleanup'(State, Catcher, Cleanup) :-
    arg(1, State, Reason),
    ( Catcher = Reason -> call(Cleanup) ; true ).

% Constants that are no numbers or strings: atoms are blobs of the type `text`.
blob(X, Type) :- ( atom(X) -> Type = text ; compound(X), is_stream(X) -> Type = stream ).
