% Tabling: calls with the same variant are evaluated once, and left recursion ends.
%
% Every variant of a call has a table. A call whose table is complete takes its answers. A call met while its own
% evaluation is under way takes the answers found so far; the oldest call that such answers lead back to (the leader)
% is evaluated again until a round finds nothing new. Answers of predicates declared with modes, such as
% `path(_, _, min)`, are combined instead of collected.

:- module(tabling,
          [ '$tabled_call'/3, '$declare_tabled'/2, abolish_all_tables/0, tnot/1, undefined/0,
            current_table/2, untable/1, '$tbl_answers'/2 ]).

:- use_module(library(lists)).

:- meta_predicate tnot(0), untable(:).

% Tables by key; answers by table; the tables that are not complete and the stack of evaluations, newest first.
:- dynamic variant_table/3, table_answer/3, seen_answer/2, moded_answer/3, next_table/1, table_goal/2,
    open_table/2, table_stack/3.

% '$declare_tabled'(+Module, +Specs): Specs are predicate indicators or modes, several with commas.
'$declare_tabled'(M, Specs) :- declare(Specs, M).

declare(S, _) :- var(S), !, throw(error(instantiation_error, (table)/1)).
declare((A, B), M) :- !, declare(A, M), declare(B, M).
declare([], _) :- !.
declare([A|B], M) :- !, declare(A, M), declare(B, M).
declare(S as _, M) :- !, declare(S, M).
declare(M:S, _) :- !, declare(S, M).
declare(N//A, M) :- !, A2 is A + 2, declare(N/A2, M).
declare(N/A, M) :- !, atom(N), integer(A),
    length(Modes, A), all_index(Modes),
    note(M, N, A, Modes).
declare(T, M) :- callable(T), !,
    T =.. [N|As], length(As, A), modes_of(As, Modes), note(M, N, A, Modes).
declare(T, _) :- throw(error(type_error(table_declaration, T), (table)/1)).

all_index([]).
all_index([index|T]) :- all_index(T).

modes_of([], []).
modes_of([A|As], [M|Ms]) :- mode_of(A, M), modes_of(As, Ms).
mode_of(A, index) :- var(A), !.
mode_of(index, index) :- !.
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

note(M, N, A, Modes) :-
    ( user:'$tabled'(M, N, A, _, _) -> true
    ; atom_concat(N, ' tabled', Impl),
      user:assertz('$tabled'(M, N, A, Impl, Modes)),
      functor(H, N, A), H =.. [_|As], G =.. [Impl|As],
      dynamic_free(M, Impl, A),
      '$define_tabled'(M, H, G, Modes) ).
dynamic_free(M, Impl, A) :- discontiguous(M:Impl/A), '$declare_defined'(M:Impl/A).

% -- evaluation
%
% A table is `active` while it is on the stack, `incomplete(Leader)` when it waits for an older one, `reopened` when its
% leader starts another round, and `complete`. As in Tarjan's algorithm only the newest entry of the stack learns which
% older table was met; it passes that on when it is done.

'$tabled_call'(Goal, Impl, Modes) :-
    '$variant_key'(Goal, Key),
    (   variant_table(Key, Id, Status)
    ->  (   Status == complete -> true
        ;   Status == active -> depends_on(Id)
        ;   Status = incomplete(Leader) -> depends_on(Leader)
        ;   evaluate(Key, Goal, Impl, Modes, Id)
        )
    ;   new_id(Id),
        assertz(variant_table(Key, Id, active)),
        copy_term(Goal, Generic),
        assertz(table_goal(Id, Generic)),
        asserta(open_table(Id, Key)),
        evaluate(Key, Goal, Impl, Modes, Id)
    ),
    '$tbl_answers'(Id, Answers),
    member(Goal, Answers).

'$tbl_answers'(Id, Answers) :-
    (   moded_answer(Id, _, _)
    ->  findall(A, moded_answer(Id, _, A), Answers)
    ;   findall(A, table_answer(Id, _, A), Answers)
    ).

% The newest table under evaluation now leads back to table L.
depends_on(L) :-
    (   retract(table_stack(Id, L0, Met0))
    ->  L1 is min(L0, L),
        ( Id =:= L -> Met = yes ; Met = Met0 ),
        asserta(table_stack(Id, L1, Met))
    ;   true
    ).

set_status(Key, Id, S) :- retractall(variant_table(Key, Id, _)), assertz(variant_table(Key, Id, S)).

evaluate(Key, Goal, Impl, Modes, Id) :-
    set_status(Key, Id, active),
    asserta(table_stack(Id, Id, no)),
    catch(rounds(Goal, Impl, Modes, Id), E, true),
    (   nonvar(E)
    ->  abandon(Id), throw(E)
    ;   true
    ),
    retract(table_stack(Id, Leader, _)), !,
    (   Leader < Id
    ->  set_status(Key, Id, incomplete(Leader)),
        depends_on(Leader)
    ;   complete_from(Id)
    ).

% Tables that waited for this leader are complete with it.
complete_from(Id) :-
    (   open_table(I, K), I >= Id
    ->  retract(open_table(I, K)), !,
        set_status(K, I, complete),
        complete_from(Id)
    ;   true
    ).

abandon(Id) :-
    retractall(table_stack(Id, _, _)),
    (   open_table(I, K), I >= Id
    ->  retract(open_table(I, K)), !,
        retractall(variant_table(K, I, _)),
        retractall(table_answer(I, _, _)), retractall(moded_answer(I, _, _)),
        retractall(table_goal(I, _)), retractall(table_stack(I, _, _)),
        abandon(Id)
    ;   true
    ).

new_id(Id) :-
    ( retract(next_table(Id)) -> true ; Id = 1 ),
    Next is Id + 1,
    assertz(next_table(Next)).

rounds(Goal, Impl, Modes, Id) :-
    changes(C0),
    \+ \+ one_round(Goal, Impl, Modes, Id),
    changes(C),
    table_stack(Id, Leader, Met), !,
    (   Leader =:= Id, C =\= C0, Met == yes
    ->  findall(I-K, ( open_table(I, K), I > Id ), Inner),
        reopen(Inner),
        rounds(Goal, Impl, Modes, Id)
    ;   true
    ).

reopen([]).
reopen([I-K|T]) :- set_status(K, I, reopened), reopen(T).

one_round(Goal, Impl, Modes, Id) :-
    (   call(Impl),
        add(Modes, Id, Goal),
        fail
    ;   true
    ).

changes(C) :- ( nb_current('$tabling_changes', C0) -> C = C0 ; C = 0 ).
changed :- changes(C0), C is C0 + 1, nb_setval('$tabling_changes', C).

add(Modes, Id, Goal) :-
    (   memberchk_mode(Modes)
    ->  add_moded(Modes, Id, Goal)
    ;   '$variant_key'(Goal, K0), table_key(Id, K0, K),
        (   seen_answer(K, Id) -> true
        ;   assertz(seen_answer(K, Id)),
            assertz(table_answer(Id, K, Goal)),
            changed
        )
    ).
table_key(Id, K0, K) :- atomic_list_concat([Id, ' ', K0], K).
memberchk_mode([M|Ms]) :- ( M \== index -> true ; memberchk_mode(Ms) ).

add_moded(Modes, Id, M:Goal) :-
    Goal =.. [_|As],
    index_args(Modes, As, Index),
    '$variant_key'(Index, K0), table_key(Id, K0, K),
    (   retract_moded(Id, K, M:Old)
    ->  Old =.. [F|Bs],
        combine(Modes, M, Bs, As, Cs),
        New =.. [F|Cs],
        assertz(moded_answer(Id, K, M:New)),
        ( New =@= Old -> true ; changed )
    ;   assertz(moded_answer(Id, K, M:Goal)),
        changed
    ).
retract_moded(Id, K, A) :- retract(moded_answer(Id, K, A)), !.
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
    '$variant_key'(M:G, Key),
    (   variant_table(Key, _, Status), Status \== complete
    ->  throw(error(not_supported('negation through recursion (undefined results of the well-founded semantics)'), tnot(M:G)))
    ;   \+ Goal
    ).
undefined :- throw(error(not_supported('undefined/0 (well-founded semantics)'), undefined/0)).

% -- administration

abolish_all_tables :-
    ( \+ table_stack(_, _, _) -> true ; throw(error(permission_error(modify, table, all), abolish_all_tables/0)) ),
    retractall(variant_table(_, _, _)), retractall(table_answer(_, _, _)),
    retractall(seen_answer(_, _)), retractall(moded_answer(_, _, _)), retractall(table_goal(_, _)).

current_table(M:G, Id) :- table_goal(Id, M:G).
current_table(G, Id) :- G \= _:_, table_goal(Id, _:G).

untable(Spec) :- throw(error(not_supported('untable/1'), Spec)).
