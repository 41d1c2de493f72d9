% Predicates of other systems that programs take for granted.

:- dynamic('$recorded'/3).
:- dynamic('$flag_value'/2).
:- dynamic('$tabled'/5).
:- meta_predicate(clause(:,?,?)).
:- meta_predicate(phrase_from_file(//,?)).
:- meta_predicate(phrase_from_file(//,?,?)).
:- meta_predicate(call_residue_vars(0,?)).
:- meta_predicate(call_with_depth_limit(0,?,?)).
:- meta_predicate(findnsols(?,?,0,?,?)).
:- meta_predicate(distinct(0)).
:- meta_predicate(distinct(?,0)).
:- meta_predicate(order_by(?,0)).
:- meta_predicate(offset(?,0)).
:- meta_predicate(reset(0,?,?)).
:- meta_predicate(first_solution(?,:,?)).
:- meta_predicate(concurrent_forall(0,0)).
:- meta_predicate(concurrent_maplist(1,?)).
:- meta_predicate(concurrent_maplist(2,?,?)).
:- meta_predicate(concurrent_maplist(3,?,?,?)).
:- meta_predicate(concurrent_forall(0,0,?)).
:- meta_predicate(concurrent_and(0,0)).
:- meta_predicate(concurrent_and(0,0,?)).
:- meta_predicate(concurrent(?,:,?)).
:- meta_predicate(prolog_cut_to(?)).
:- meta_predicate(retract(:)).
:- meta_predicate(on_signal(?,?,:)).
:- meta_predicate(tabling_user_(0)).
:- meta_predicate(at_halt(0)).
:- meta_predicate(snapshot(0)).
:- meta_predicate(transaction(0)).
:- meta_predicate(not_exists(0)).
:- meta_predicate(setof_or_nil(?,^,-)).
:- meta_predicate(if(0,0,0)).
:- meta_predicate(call_det(0,?)).
:- meta_predicate(undo(0)).
:- meta_predicate($(0)).
:- meta_predicate(assertion(0)).

if(C, T, E) :- ( call(C) *-> call(T) ; call(E) ).
call_det(G, Det) :- call_cleanup(G, Det0 = true), ( Det0 == true -> Det = true ; Det = false ).
$(G) :- ( call_det(G, Det) -> true ; throw(error(determinism_error(G, det, fail, guard), _)) ),
    ( Det == true -> true ; throw(error(determinism_error(G, det, nondet, guard), _)) ).
$ .

% -- the recorded database

recorda(K, V) :- recorda(K, V, _).
recorda(K, V, R) :- '$record_key'(K, N), user:asserta('$recorded'(N, K, V), R).
recordz(K, V) :- recordz(K, V, _).
recordz(K, V, R) :- '$record_key'(K, N), user:assertz('$recorded'(N, K, V), R).
recorded(K, V) :- recorded(K, V, _).
recorded(K, V, R) :-
    ( var(K) -> true ; '$record_key'(K, N) ),
    clause(user:'$recorded'(N, K0, V0), true, R),
    ( var(K) -> functor(K0, F, A), functor(K, F, A) ; true ),
    V = V0.
% What is no reference is a term, which instance/2 of Ciao compares.
instance(R, T) :- \+ '$is_reference'(R), !, subsumes_term(T, R).
instance(R, T) :- clause(user:H, B, R), ( H = '$recorded'(_, _, V) -> T = V ; T = (H :- B) ).
current_key(K) :- findall(F/A, ( user:'$recorded'(_, K0, _), functor(K0, F, A) ), L0), sort(L0, L), '$member'(F/A, L), functor(K, F, A).
'$record_key'(K, _) :- var(K), !, throw(error(instantiation_error, _)).
'$record_key'(K, N) :- compound(K), !, functor(K, F, A), N = F/A.
'$record_key'(K, K).

clause(Spec, Body, Ref) :-
    ( nonvar(Ref) -> '$clause_of'(Ref, M, H0, Body), '$strip_module'(Spec, M0, H),
        ( var(H), M0 \== M -> H = M:H0 ; H = H0, ( M0 == M ; M0 == user ) -> true )
    ; '$clause_ref'(Spec, Body, Ref) ).

flag(K, Old, New) :-
    ( atomic(K) -> true ; var(K) -> throw(error(instantiation_error, _)) ; throw(error(type_error(key, K), _)) ),
    ( user:'$flag_value'(K, V) -> true ; V = 0 ),
    Old = V,
    N is New,
    user:retractall('$flag_value'(K, _)),
    user:assertz('$flag_value'(K, N)).

% -- text and terms

name(X, Codes) :- nonvar(X), !,
    ( compound(X) -> throw(error(type_error(atomic, X), name/2)) ; true ),
    ( number(X) -> number_codes(X, Codes) ; atom_codes(X, Codes) ).
name(X, Codes) :-
    ( ground(Codes), is_list(Codes) -> true ; throw(error(instantiation_error, name/2)) ),
    ( catch(number_codes(X0, Codes), error(syntax_error(_), _), fail) -> X = X0 ; atom_codes(X, Codes) ).
display(T) :- write_term(T, [ignore_ops(true)]).
displayq(T) :- write_term(T, [ignore_ops(true), quoted(true)]).
display(S, T) :- write_term(S, T, [ignore_ops(true)]).
abolish(N, A0) :- '$strip_module'(N, M, Name), abolish(M:Name/A0).

sub_term(X, X).
sub_term(X, T) :- compound(T), arg(_, T, A), sub_term(X, A).
sub_term_shared_variables(Sub, Term, Vars) :-
    term_variables(Sub, SVs), '$outside_variables'(Term, Sub, Out), '$shared'(SVs, Out, Vars).
'$outside_variables'(T, Sub, []) :- T == Sub, !.
'$outside_variables'(T, Sub, Vs) :- compound(T), !, T =.. [_|As], findall(x, fail, _), '$outside_list'(As, Sub, Vs).
'$outside_variables'(T, _, [T]) :- var(T), !.
'$outside_variables'(_, _, []).
'$outside_list'([], _, []).
'$outside_list'([A|As], Sub, Vs) :- '$outside_variables'(A, Sub, V1), '$outside_list'(As, Sub, V2), '$append'(V1, V2, Vs).
'$shared'([], _, []).
'$shared'([V|Vs], Out, R) :- ( '$memberq'(V, Out) -> R = [V|R1] ; R = R1 ), '$shared'(Vs, Out, R1).
occurrences_of_var(V, T, N) :- '$count_var'(T, V, 0, N).
'$count_var'(T, V, N0, N) :- T == V, !, N is N0 + 1.
'$count_var'(T, V, N0, N) :- compound(T), !, T =.. [_|As], '$count_args'(As, V, N0, N).
'$count_var'(_, _, N, N).
'$count_args'([], _, N, N).
'$count_args'([A|As], V, N0, N) :- '$count_var'(A, V, N0, N1), '$count_args'(As, V, N1, N).
occurrences_of_term(S, T, N) :- findall(x, ( sub_term(X, T), subsumes_term(S, X) ), L), length(L, N).
mapargs(G, T1, T2) :- functor(T1, F, A), functor(T2, F, A), '$mapargs'(1, A, G, T1, T2).
'$mapargs'(I, A, G, T1, T2) :- ( I > A -> true ; arg(I, T1, X), arg(I, T2, Y), call(G, X, Y), I1 is I + 1, '$mapargs'(I1, A, G, T1, T2) ).
term_size(T, N) :- term_size_(T, N).
term_subsumer(_, _, _) :- '$refused'('term_subsumer/3').
tab_(N) :- tab(N).
nb_setval_(K, V) :- nb_setval(K, V).
bb_put(K, V) :- nb_setval(K, V).
bb_get(K, V) :- nb_current(K, V).
bb_b_put(K, V) :- b_setval(K, V).
bb_b_get(K, V) :- nb_current(K, V).
bb_update(K, Old, New) :- nb_current(K, Old0), Old = Old0, nb_setval(K, New).
bb_delete(K, Old) :- nb_current(K, Old0), Old = Old0, nb_setval(K, []).
prolog_stack_property(_, _) :- fail.
ground_or_var(X) :- ( ground(X) -> true ; var(X) ).
setof_or_nil(T, G, L) :- ( setof(T, G, L0) -> L = L0 ; L = [] ).
char_type_(C, T) :- char_type(C, T).
writef(F) :- writef(F, []).
writef(F, As) :- atom_chars(F, Cs), '$writef'(Cs, As).
'$writef'([], _).
'$writef'(['%', K|Cs], [A|As]) :- '$writef_argument'(K, A), !, '$writef'(Cs, As).
'$writef'([\, K|Cs], As) :- ( K == n ; K == l ), !, nl, '$writef'(Cs, As).
'$writef'([C|Cs], As) :- put_char(C), '$writef'(Cs, As).
'$writef_argument'(w, A) :- write(A).
'$writef_argument'(d, A) :- write(A).
'$writef_argument'(p, A) :- print(A).
'$writef_argument'(s, A) :- format('~s', [A]).
% In Scryer Prolog a string is a list of characters, which may have a tail that is not known yet.
partial_string(S) :- nonvar(S), S = [C|T], '$is_char'(C), '$partial_string'(T).
'$partial_string'(S) :- ( var(S) -> true ; S == [] -> true ; partial_string(S) ).
'$is_char'(C) :- atom(C), atom_length(C, 1).
partial_string(S, L, L0) :-
    ( S == [] -> L = L0
    ; atom_chars(A, S), atom_chars(A, Cs), '$append'(Cs, L0, L) ).
partial_string_tail(S, T) :-
    ( partial_string(S) -> '$string_tail'(S, T) ; throw(error(type_error(partial_string, S), partial_string_tail/2)) ).
'$string_tail'(S, T) :- ( nonvar(S), S = [_|S1] -> '$string_tail'(S1, T) ; T = S ).
tmp_file(Base, Name) :- '$tmp_file'(Base, '', Name).
tmp_file_stream(Encoding, File, Stream) :- atom(Encoding), !, '$tmp_file'(swipl, '', File), open(File, write, Stream).
tmp_file_stream(File, Stream, Options) :-
    ( '$member'(extension(E), Options), E \== '' -> atom_concat('.', E, Ext) ; Ext = '' ),
    '$tmp_file'(swipl, Ext, File), open(File, write, Stream).
chdir(D) :- '$change_directory'(D).
working_directory(Old, New) :- '$directory'(Old), ( New == Old -> true ; var(New) -> New = Old ; '$change_directory'(New) ).
is_absolute_file_name(F) :- atom_concat(/, _, F), !.
same_file(A, B) :- absolute_file_name(A, P), absolute_file_name(B, P).
directory_file_path(D, F, P) :- atomic_list_concat([D, /, F], P).

% Scryer Prolog's text as lists of characters.
format_(F, As, S0, S) :- format(chars(Cs), F, As), '$append'(Cs, S, S0).
read_from_chars(Cs, T) :- open_string(Cs, S), read(S, T), close(S).
write_term_to_chars(T, Options, Cs) :- with_output_to(chars(Cs), write_term(T, Options)).
:- meta_predicate(countall(0,?)).
countall(G, N) :- findall(x, G, L), length(L, N).

% -- solutions

distinct(G) :- distinct(G, G).
distinct(W, G) :-
    S = seen([]),
    call(G),
    arg(1, S, L), \+ ( '$member'(W0, L), W0 =@= W ),
    copy_term_nat(W, C), nb_setarg(1, S, [C|L]).
order_by(Specs, G) :-
    term_variables(G, Vs), findall(Vs, G, L0),
    '$order_specs'(Specs, Vs, L0, L),
    '$member'(Vs, L).
'$order_specs'([], _, L, L).
'$order_specs'([S|Ss], Vs, L0, L) :-
    '$order_specs'(Ss, Vs, L0, L1),
    ( S = asc(K) -> O = (@=<) ; S = desc(K), O = (@>=) ),
    findall(K-Vs, '$member'(Vs, L1), P0),
    sort(1, O, P0, P1),
    findall(V, '$member'(_-V, P1), L).
:- meta_predicate(group_by(?,?,0,?)).
:- meta_predicate(reduced(0)).
:- meta_predicate(reduced(?,0,?)).
:- meta_predicate(call_time(0,?)).
:- meta_predicate(call_time(0,?,?)).
group_by(By, Template, G, Bag) :-
    term_variables(By, Vs0), term_variables(Template, Ts), '$append'(Vs0, Ts, Kept),
    term_variables(G, All), '$others'(All, Kept, Free),
    '$carets'(Free, G, Goal),
    bagof(Template, Goal, Bag).
'$others'([], _, []).
'$others'([V|Vs], Kept, R) :- ( '$memberq'(V, Kept) -> R = R1 ; R = [V|R1] ), '$others'(Vs, Kept, R1).
'$carets'([], G, G).
'$carets'([V|Vs], G, V^G1) :- '$carets'(Vs, G, G1).
reduced(G) :- distinct(G).
reduced(Template, G, _) :- distinct(Template, G).
% The dicts of SWI-Prolog are refused.
call_time(_, _) :- '$refused'('dicts (call_time/2)').
call_time(_, _, _) :- '$refused'('dicts (call_time/3)').
offset(N, G) :-
    S = count(0),
    call(G),
    arg(1, S, C0),
    ( C0 < N -> C is C0 + 1, nb_setarg(1, S, C), fail ; true ).
% Attributed variables that were made, or got attributes, while the goal ran, and still are.
call_residue_vars(G, Vs) :-
    ( nb_current('$residue', Old) -> true ; Old = [] ),
    '$residue'([]),
    call(G),
    nb_current('$residue', New),
    '$term_attvars'(New, Vs0),
    '$append'(New, Old, All),
    '$residue'(All),
    Vs = Vs0.
phrase_from_file(G, F) :- phrase_from_file(G, F, []).
phrase_from_file(G, F, _) :- read_file_to_codes(F, Cs, []), phrase(G, Cs).
phrase_from_stream(G, S) :- '$read_all'(S, T), string_codes(T, Cs), phrase(G, Cs).

call_with_depth_limit(_, _, _) :- '$refused'('call_with_depth_limit/3').

% -- goals that other systems run in several threads

first_solution(_, Goals, _) :- '$strip_module'(Goals, M, Gs), '$member'(G, Gs), call(M:G), !.
concurrent_forall(C, A) :- forall(C, A).
concurrent_maplist(G, L) :- maplist(G, L).
concurrent_maplist(G, L, L2) :- maplist(G, L, L2).
concurrent_maplist(G, L, L2, L3) :- maplist(G, L, L2, L3).
concurrent_forall(C, A, _) :- forall(C, A).
concurrent_and(G, A) :- call(G), call(A).
concurrent_and(G, A, _) :- call(G), call(A).
% Goals that share no variables may run one after the other.
concurrent(N, Goals, _) :-
    ( integer(N) -> true ; throw(error(type_error(integer, N), _)) ),
    '$strip_module'(Goals, M, Gs), '$all_once'(Gs, M).
'$all_once'([], _).
'$all_once'([G|Gs], M) :- once(M:G), '$all_once'(Gs, M).
snapshot(_) :- '$refused'('snapshot/1').
transaction(_) :- '$refused'('transaction/1').
undo(_) :- '$refused'('undo/1').
at_halt(G) :- user:assertz('$at_halt'(G)).
:- dynamic('$at_halt'/1).
% Each goal runs once, also if one of them halts.
'$run_at_halt' :-
    (   '$has_clauses'(user, '$at_halt'(_)),
        user:retract('$at_halt'(G)),
        ( catch(G, E, ( print_message(warning, E), true )) -> true
        ; print_message(warning, format('at_halt/1: goal failed: ~q', [G])) ),
        fail
    ;   true ).
halt :- halt(0).
halt(Code) :- ( integer(Code) -> '$run_at_halt' ; true ), '$halt'(Code).
on_signal(_, _, _).
prolog_cut_to(_) :- '$refused'('prolog_cut_to/1').
prolog_current_frame(_) :- fail.
prolog_current_choice(_) :- '$refused'('prolog_current_choice/1').
b_set_dict(_, _, _) :- '$refused'('dicts').
dict_pairs(_, _, _) :- '$refused'('dicts').
get_dict(_, _, _) :- '$refused'('dicts').
put_dict(_, _, _, _) :- '$refused'('dicts').
dict_create(_, _, _) :- '$refused'('dicts').

% -- tabling: declarations; the rest is library(tabling)

table(Spec0) :-
    '$strip_module'(Spec0, M, Spec),
    '$in_user'('$use'(library(tabling), [])),
    tabling:'$declare_tabled'(M, Spec).
'$define_tabled'(M, H, G, Modes) :-
    '$source_module'(Old), '$set_source_module'(M),
    '$add_clause'((H :- tabling:'$tabled_call'(M:H, M:G, Modes)), _),
    '$set_source_module'(Old).
'$declare_defined'(Spec) :- multifile(Spec).
% The clauses of a tabled predicate define its implementation.
'$tabled_clause'(C, X) :- '$has_clauses'(user, '$tabled'(_, _, _, _, _)), '$source_module'(M), '$tabled_head'(C, M, X).
'$tabled_head'((H :- B), M, (H2 :- B)) :- nonvar(H), !, '$tabled_head'(H, M, H2).
'$tabled_head'(M:H, _, M:H2) :- atom(M), nonvar(H), !, '$tabled_head'(H, M, H2).
'$tabled_head'(H, M, H2) :-
    callable(H), functor(H, N, A),
    user:'$tabled'(M, N, A, Impl, _),
    H =.. [_|As], H2 =.. [Impl|As].
