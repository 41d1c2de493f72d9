% Tabling: calls with the same variant are evaluated once, and left recursion ends.
%
% Every variant of a call has a table. A call whose table is complete takes its answers. A call met while its own
% evaluation is under way takes the answers found so far; the oldest call that such answers lead back to (the leader)
% is evaluated again until a round finds nothing new. Answers of predicates declared with modes, such as
% `path(_, _, min)`, are combined instead of collected.

:- module(tabling,
          [ '$tabled_call'/3, '$declare_tabled'/2, abolish_all_tables/0, tnot/1, undefined/0,
            current_table/2, untable/1, abolish_module_tables/1, abolish_table_subgoals/1,
            abolish_nonincremental_tables/0, abolish_monotonic_tables/0 ]).

:- use_module(library(lists)).

:- meta_predicate tnot(0), untable(:), abolish_table_subgoals(:).

% '$declare_tabled'(+Module, +Specs): Specs are predicate indicators or modes, several with commas.
'$declare_tabled'(M, Specs) :- declare(Specs, M, plain).

declare(S, _, _) :- var(S), !, throw(error(instantiation_error, (table)/1)).
declare((A, B), M, K) :- !, declare(A, M, K), declare(B, M, K).
declare([], _, _) :- !.
declare([A|B], M, K) :- !, declare(A, M, K), declare(B, M, K).
declare(S as Options, M, K0) :- !, kind_of(Options, K0, K), declare(S, M, K).
declare(M:S, _, K) :- !, declare(S, M, K).
declare(N//A, M, K) :- !, A2 is A + 2, declare(N/A2, M, K).
declare(N/A, M, K) :- !, atom(N), integer(A),
    length(Modes, A), all_index(Modes),
    note(M, N, A, Modes, K).
declare(T, M, K) :- callable(T), !,
    T =.. [N|As], length(As, A), modes_of(As, Modes), note(M, N, A, Modes, K).
declare(T, _, _) :- throw(error(type_error(table_declaration, T), (table)/1)).

% Tables that follow changes of dynamic predicates; the other options say how answers are kept.
kind_of(Options, K0, K) :-
    (   var(Options) -> throw(error(instantiation_error, (table)/1))
    ;   Options = (A, B) -> kind_of(A, K0, K1), kind_of(B, K1, K)
    ;   memberchk(Options, [incremental, monotonic, incremental(true), monotonic(true)]) -> K = incremental
    ;   K = K0 ).

all_index([]).
all_index([index|T]) :- all_index(T).

modes_of([], []).
modes_of([A|As], [M|Ms]) :- mode_of(A, M), modes_of(As, Ms).
mode_of(A, index) :- var(A), !.
mode_of(index, index) :- !.
mode_of(+, index) :- !.
mode_of(-, first) :- !.
mode_of(first, first) :- !.
mode_of(last, last) :- !.
mode_of(min, min) :- !.
mode_of(max, max) :- !.
mode_of(sum, sum) :- !.
mode_of(lattice(P), lattice(N)) :- !, name_of(P, N).
mode_of(po(P), po(N)) :- !, name_of(P, N).
mode_of(A, _) :- throw(error(domain_error(tabled_mode, A), (table)/1)).
name_of(N/_, N) :- !.
name_of(T, N) :- functor(T, N, _).

note(M, N, A, Modes0, K) :-
    ( K == incremental -> Modes = incremental(Modes0) ; Modes = Modes0 ),
    ( user:'$tabled'(M, N, A, _, _) -> true
    ; atom_concat(N, ' tabled', Impl),
      user:assertz('$tabled'(M, N, A, Impl, Modes)),
      functor(H, N, A), H =.. [_|As], G =.. [Impl|As],
      dynamic_free(M, Impl, A),
      '$define_tabled'(M, H, G, Modes) ).
dynamic_free(M, Impl, A) :- discontiguous(M:Impl/A), '$declare_defined'(M:Impl/A).

% -- evaluation
%
% The tables, their states and the stack of evaluations are kept by the machine (`tables.rs`). A call whose table is
% being filled takes the answers there are, and on backtracking those found since.

'$tabled_call'(Goal, Impl, incremental(Modes)) :- !,
    '$tbl_refresh'(Goal),
    '$tabled_call'(Goal, Impl, Modes).
'$tabled_call'(Goal, Impl, Modes) :-
    '$tbl_enter'(Goal, Id, Evaluate),
    ( Evaluate == true -> evaluate(Goal, Impl, Modes, Id) ; true ),
    '$tbl_answer'(Id, Goal).

evaluate(Goal, Impl, Modes, Id) :-
    ( memberchk_mode(Modes) -> Moded = Modes ; Moded = [] ),
    catch(rounds(Goal, Impl, Moded, Id), E, true),
    ( nonvar(E) -> '$tbl_abandon'(Id), throw(E) ; '$tbl_leave'(Id) ).

rounds(Goal, Impl, Modes, Id) :-
    '$tbl_changes'(C),
    \+ one_round(Modes, Goal, Impl, Id),
    ( '$tbl_again'(Id, C) -> rounds(Goal, Impl, Modes, Id) ; true ).

one_round([], Goal, Impl, Id) :- !, call(Impl), '$tbl_add'(Id, Goal), fail.
one_round(Modes, Goal, Impl, Id) :- call(Impl), add_moded(Modes, Id, Goal), fail.

memberchk_mode([M|Ms]) :- ( M \== index -> true ; memberchk_mode(Ms) ).

add_moded(Modes, Id, M:Goal) :-
    Goal =.. [_|As],
    index_args(Modes, As, Index),
    (   '$tbl_find'(Id, Index, M:Old)
    ->  Old =.. [F|Bs],
        combine(Modes, M, Bs, As, Cs),
        New =.. [F|Cs],
        ( New =@= Old -> true ; '$tbl_put'(Id, Index, M:New) )
    ;   '$tbl_put'(Id, Index, M:Goal)
    ).
index_args([], [], []).
index_args([M|Ms], [A|As], R) :- ( M == index -> R = [A|R1] ; R = R1 ), index_args(Ms, As, R1).

% The first mode that orders answers decides for all the others that do not.
combine(Modes, M, Old, New, R) :-
    (   decides(Modes, Old, New, M, Better)
    ->  pick_all(Modes, Old, New, M, Better, R)
    ;   pick_all(Modes, Old, New, M, old, R)
    ).
decides([Mode|Ms], [O|Os], [N|Ns], M, Better) :-
    (   Mode == min -> ( less(N, O) -> Better = new ; Better = old )
    ;   Mode == max -> ( less(O, N) -> Better = new ; Better = old )
    ;   Mode = po(P) -> ( call(M:P, O, N) -> Better = new ; Better = old )
    ;   Mode == last -> Better = new
    ;   decides(Ms, Os, Ns, M, Better)
    ).
less(A, B) :- ( number(A), number(B) -> A < B ; A @< B ).
pick_all([], [], [], _, _, []).
pick_all([Mode|Ms], [O|Os], [N|Ns], M, B, [R|Rs]) :-
    (   Mode == index -> R = O
    ;   Mode == sum -> R is O + N
    ;   Mode = lattice(P) -> ( call(M:P, O, N, R0) -> R = R0 ; R = O )
    ;   Mode == min -> ( less(N, O) -> R = N ; R = O )
    ;   Mode == max -> ( less(O, N) -> R = N ; R = O )
    ;   B == new -> R = N
    ;   R = O
    ),
    pick_all(Ms, Os, Ns, M, B, Rs).

% -- negation: the goal's table must be complete, that is, negation is stratified.

tnot(Goal) :-
    '$strip_module'(Goal, M, G),
    functor(G, N, A),
    ( user:'$tabled'(M, N, A, _, _) -> true ; throw(error(permission_error(tnot, non_tabled_procedure, M:N/A), tnot/1)) ),
    (   '$tbl_status'(M:G, incomplete)
    ->  throw(error(not_supported('negation through recursion (undefined results of the well-founded semantics)'), tnot(M:G)))
    ;   \+ Goal
    ).
undefined :- throw(error(not_supported('undefined/0 (well-founded semantics)'), undefined/0)).

% -- administration

abolish_all_tables :-
    ( '$tbl_abolish' -> true ; throw(error(permission_error(modify, table, all), abolish_all_tables/0)) ).

abolish_module_tables(M) :- forall(current_table(M:_, Id), forget(Id)).
abolish_table_subgoals(Goal) :-
    '$strip_module'(Goal, M, G),
    forall(( current_table(M:V, Id), \+ V \= G ), forget(Id)).
abolish_nonincremental_tables :-
    forall(( current_table(M:G, Id), functor(G, N, A), user:'$tabled'(M, N, A, _, Modes), Modes \= incremental(_) ), forget(Id)).
abolish_monotonic_tables.
forget(Id) :- ( '$tbl_forget'(Id) -> true ; throw(error(permission_error(abolish, table, Id), _)) ).

current_table(M:G, Id) :- !, '$tbl_all'(L), member((M:G)-Id, L).
current_table(G, Id) :- '$tbl_all'(L), member((_:G)-Id, L).

untable(Spec) :- throw(error(not_supported('untable/1'), Spec)).
