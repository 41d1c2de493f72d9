% Tabling: calls with the same variant are evaluated once, and left recursion ends.
%
% Every variant of a call has a table. A call whose table is complete takes its answers. A call met while its own
% evaluation is under way takes the answers found so far; the oldest call that such answers lead back to (the leader)
% is evaluated again until a round finds nothing new. Answers of predicates declared with modes, such as
% `path(_, _, min)`, are combined instead of collected. Negation is that of the well-founded semantics: answers may be
% undefined, and what is derived from them carries the literals it depends on (its delays).

:- module(tabling,
          [ '$tabled_call'/3, '$declare_tabled'/2, abolish_all_tables/0, tnot/1, not_exists/1, tabled_call/1, undefined/0,
            answer_count_restraint/0, radial_restraint/0, call_delays/2, delays_residual_program/2, call_residual_program/2,
            answer_residual/2, current_table/2, untable/1, abolish_module_tables/1, abolish_table_subgoals/1,
            abolish_nonincremental_tables/0, abolish_nonincremental_tables/1, abolish_monotonic_tables/0 ]).

:- use_module(library(lists)).

:- meta_predicate tnot(0), not_exists(0), tabled_call(0), call_delays(0, :), call_residual_program(0, :), answer_residual(0, :),
       delays_residual_program(:, :), untable(:), abolish_table_subgoals(:).

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

'$tabled_call'(Goal, Impl, Modes) :-
    table_of(Modes, Goal, Impl, Id),
    '$tbl_answer'(Id, Goal).

% The table of a call, filled unless it is being filled.
table_of(incremental(Modes), Goal, Impl, Id) :- !,
    '$tbl_refresh'(Goal),
    table_of(Modes, Goal, Impl, Id).
table_of(Modes, Goal, Impl, Id) :-
    '$tbl_enter'(Goal, Id, Evaluate),
    ( Evaluate == true -> evaluate(Goal, Impl, Modes, Id) ; true ).

evaluate(Goal, Impl, Modes, Id) :-
    ( best_of(Modes, 1, K, Op) -> Moded = best(Op, K) ; memberchk_mode(Modes) -> Moded = Modes ; ground(Goal) -> Moded = once ; Moded = [] ),
    ( Moded = [_|_], memberchk(sum, Moded) -> '$tbl_adds_up'(Id) ; true ),
    catch(rounds(Goal, Impl, Moded, Id), E, true),
    ( nonvar(E) -> '$tbl_abandon'(Id), throw(E) ; '$tbl_leave'(Id) ).

rounds(Goal, Impl, Modes, Id) :-
    ( \+ one_round(Modes, Goal, Impl, Id) -> true ; true ),
    ( '$tbl_again'(Id) -> rounds(Goal, Impl, Modes, Id) ; true ).

one_round([], Goal, Impl, Id) :- !, '$tbl_set_delays'([]), call(Impl), '$tbl_add'(Id, Goal), fail.
% A call without variables has one answer: nothing is looked for once it is known to be true.
one_round(once, Goal, Impl, Id) :- !, '$tbl_set_delays'([]), call(Impl), ( '$tbl_add'(Id, Goal) -> true ; true ), '$tbl_delays'([]), !.
one_round(best(Op, K), Goal, Impl, Id) :- !, '$tbl_set_delays'([]), call(Impl), add_best(Op, K, Id, Goal), fail.
one_round(Modes, Goal, Impl, Id) :- '$tbl_set_delays'([]), call(Impl), add_moded(Modes, Id, Goal), fail.

memberchk_mode([M|Ms]) :- ( M \== index -> true ; memberchk_mode(Ms) ).

% best_of(+Modes, +At, -K, -Op): the one argument that is no index is the K-th, and the least or greatest is kept.
best_of([M|Ms], At, K, Op) :-
    (   M == index -> At1 is At + 1, best_of(Ms, At1, K, Op)
    ;   ( M == min -> true ; M == max ), K = At, Op = M, all_index(Ms)
    ).

% The common case of add_moded/3: most answers are no better than the one that is there.
add_best(Op, K, Id, M:Goal) :-
    Goal =.. [_|As],
    without(K, As, Index, New),
    (   '$tbl_find'(Id, Index, M:Old, _)
    ->  arg(K, Old, Value),
        (   better(Op, New, Value) -> '$tbl_put'(Id, Index, M:Goal, true)
        ;   '$tbl_same'(Id, Index, M:Old)
        )
    ;   '$tbl_put'(Id, Index, M:Goal, true)
    ).

without(1, [X|Xs], Xs, X) :- !.
without(K, [Y|Xs], [Y|Ys], X) :- K1 is K - 1, without(K1, Xs, Ys, X).

better(min, A, B) :- less(A, B).
better(max, A, B) :- less(B, A).

% Answers made of the one before and the new one.
joins([M|Ms]) :- ( M == sum -> true ; M = lattice(_) -> true ; joins(Ms) ).

add_moded(Modes, Id, M:Goal) :-
    Goal =.. [_|As],
    index_args(Modes, As, Index),
    (   '$tbl_find'(Id, Index, M:Old, Undefined)
    ->  ( \+ ground(Goal), Goal =@= Old -> Cs = As ; true ),
        Old =.. [F|Bs],
        ( nonvar(Cs) -> true ; combine(Modes, M, Bs, As, Cs) ),
        New =.. [F|Cs],
        (   New =@= Old -> '$tbl_same'(Id, Index, M:New)
        ;   ( joins(Modes) -> note_joined(Modes, M, Id, As, Cs), ( Undefined == true -> '$tbl_delay'(M:Old) ; true ) ; true ),
            ( settles(Modes, M, Bs, Cs) -> Counts = true ; Counts = false ),
            '$tbl_put'(Id, Index, M:New, Counts)
        )
    ;   '$tbl_put'(Id, Index, M:Goal, true)
    ).
% Whether the new answer is worth another round: the last one, or one that is not comparable, is another again and again.
settles([Mode|Modes], M, [O|Os], [N|Ns]) :-
    (   Mode == last -> joins(Modes)
    ;   Mode = po(P), O \== N -> call(M:P, N, O)
    ;   settles(Modes, M, Os, Ns) ).
settles([], _, [], []).

% A join that takes the same answer twice without effect may meet it in every round; with others each derivation counts.
note_joined(Modes, M, Id, As, Cs) :-
    combine(Modes, M, Cs, As, Ds),
    ( Ds =@= Cs -> true ; '$tbl_adds_up'(Id) ).

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
    ;   Mode = po(P) -> ( call(M:P, O, N) -> Better = old ; Better = new )
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

% -- negation

tnot(Goal) :-
    '$strip_module'(Goal, M, G),
    ( always_undefined(G) -> '$tbl_delay'(tnot(M:G))
    ; table_of_call(M, G, D, Id) -> negate(Id, D:G)
    ; functor(G, N, A), throw(error(permission_error(tnot, non_tabled_procedure, M:N/A), tnot/1)) ).

negate(Id, Goal) :-
    '$tbl_truth'(Id, Truth),
    ( Truth == false -> true ; Truth == undefined -> '$tbl_delay'(tnot(Goal)) ).

always_undefined(undefined).
always_undefined(answer_count_restraint).
always_undefined(radial_restraint).

% The filled table of a call of a tabled predicate, and the module that defines it.
table_of_call(M, G, D, Id) :-
    callable(G), functor(G, N, A),
    (   user:'$tabled'(M, N, A, Impl, Modes), Modes \== det -> D = M
    ;   predicate_property(M:G, imported_from(D)), user:'$tabled'(D, N, A, Impl, Modes), Modes \== det ),
    !,
    G =.. [_|As], I =.. [Impl|As],
    table_of(Modes, D:G, D:I, Id).

% True if the goal, of any predicates and with any variables, has no answer.
not_exists(Goal) :-
    '$strip_module'(Goal, M, G),
    (   ground(G), ( always_undefined(G) ; functor(G, N, A), tabled_predicate(M, G, N, A) )
    ->  tnot(M:G)
    ;   table_of([], tabling:tabled_call(M:G), M:G, Id),
        negate(Id, tabling:tabled_call(M:G)) ).

tabled_predicate(M, G, N, A) :-
    ( user:'$tabled'(M, N, A, _, Modes) -> true ; predicate_property(M:G, imported_from(D)), user:'$tabled'(D, N, A, _, Modes) ),
    Modes \== det.

tabled_call(Goal) :-
    '$strip_module'(Goal, M, G),
    '$tabled_call'(tabling:tabled_call(M:G), M:G, []).

undefined :- '$tbl_delay'(system:undefined).
answer_count_restraint :- '$tbl_delay'(system:answer_count_restraint).
radial_restraint :- '$tbl_delay'(system:radial_restraint).

% -- what undefined answers depend on

call_delays(Goal, M:Delays) :-
    '$tbl_delays'(Before),
    '$tbl_set_delays'([]),
    call(Goal),
    '$tbl_delays'(Literals),
    append(Literals, Before, All),
    '$tbl_set_delays'(All),
    conjunction(Literals, M, Delays0),
    Delays = Delays0.

% Literals are kept newest first.
conjunction([], _, true).
conjunction([L|Ls], M, C) :- unqualified(L, M, G), conjunction(Ls, M, G, C).
conjunction([], _, C, C).
conjunction([L|Ls], M, C0, C) :- unqualified(L, M, G), conjunction(Ls, M, (G, C0), C).

unqualified(tnot(G0), M, tnot(G)) :- !, unqualified(G0, M, G).
unqualified(tabling:tabled_call(M:G), M, tabled_call(G)) :- !.
unqualified(tabling:tabled_call(G), _, tabled_call(G)) :- !.
unqualified(D:G, M, R) :- ( D == M -> R = G ; D == system, \+ always_undefined(G) -> R = G ; R = D:G ).

call_residual_program(Goal, M:Program) :-
    '$strip_module'(Goal, GM, G),
    '$tbl_delays'(Before),
    '$tbl_set_delays'([]),
    call(GM:G),
    '$tbl_delays'(Literals),
    append(Literals, Before, All),
    '$tbl_set_delays'(All),
    reverse(Literals, Ls),
    residual_clauses(Ls, [], M, Clauses),
    Program = Clauses.

delays_residual_program(_:Delays, M:Program) :-
    literals(Delays, M, Ls, []),
    residual_clauses(Ls, [], M, Program0),
    Program = Program0.

literals((A, B), M, L0, L) :- !, literals(A, M, L0, L1), literals(B, M, L1, L).
literals(true, _, L, L) :- !.
literals(G, M, [Q|L], L) :- qualified(G, M, Q).
qualified(tnot(G), M, tnot(Q)) :- !, qualified(G, M, Q).
qualified(D:G, _, D:G) :- !.
qualified(tabled_call(G), M, tabling:tabled_call(Q)) :- !, qualified(G, M, Q).
qualified(G, M, M:G).

answer_residual(Goal, M:Residual) :- call_delays(Goal, M:Residual).

% The conditions of every undefined answer that the literals lead to, each once.
residual_clauses([], _, _, []).
residual_clauses([L|Ls], Seen, M, Clauses) :-
    ( L = tnot(G) -> true ; G = L ),
    (   member(S, Seen), S =@= G -> residual_clauses(Ls, Seen, M, Clauses)
    ;   findall(G-Body, condition_of(G, Body), Found0),
        distinct_variants(Found0, Found),
        written_clauses(Found, M, Clauses, Rest),
        findall(B, ( member(_-Body, Found), member(B, Body) ), More),
        append(Ls, More, All),
        residual_clauses(All, [G|Seen], M, Rest)
    ).

condition_of(D:G, Body) :-
    '$tbl_all'(Tables),
    member((D:Call)-Id, Tables), subsumes_term(Call, G),
    '$tbl_conditions'(Id, Conditions),
    member((D:G)-Literals, Conditions),
    still_open(Literals, [], Body).

% Answers that turned out to be true are no conditions any more. The literals come newest first.
still_open([], Body, Body).
still_open([L|Ls], Body0, Body) :- ( is_true(L) -> Body1 = Body0 ; Body1 = [L|Body0] ), still_open(Ls, Body1, Body).
is_true(D:G) :-
    \+ ( D == system, always_undefined(G) ),
    '$tbl_all'(Tables),
    member((D:Call)-Id, Tables), subsumes_term(Call, G), !,
    '$tbl_conditions'(Id, Conditions),
    \+ ( member((D:A)-_, Conditions), A =@= G ).

distinct_variants([], []).
distinct_variants([C|Cs], Rest) :- member(D, Cs), C =@= D, !, distinct_variants(Cs, Rest).
distinct_variants([C|Cs], [C|Rest]) :- distinct_variants(Cs, Rest).

written_clauses([], _, Rest, Rest).
written_clauses([H0-Body|Cs], M, [(H :- B)|L], Rest) :-
    unqualified(H0, M, H),
    reverse(Body, Newest),
    conjunction(Newest, M, B),
    written_clauses(Cs, M, L, Rest).

% -- administration: tables that are being filled are forgotten when they are complete.

abolish_all_tables :- '$tbl_abolish'.

abolish_module_tables(M) :- forall(current_table(M:_, Id), '$tbl_forget'(Id)).
abolish_table_subgoals(Goal) :-
    '$strip_module'(Goal, M, G),
    forall(( current_table(M:V, Id), \+ V \= G ), '$tbl_forget'(Id)).
abolish_nonincremental_tables :-
    forall(( current_table(M:G, Id), functor(G, N, A), user:'$tabled'(M, N, A, _, Modes), Modes \= incremental(_) ), '$tbl_forget'(Id)).
abolish_nonincremental_tables(_) :- abolish_nonincremental_tables.
abolish_monotonic_tables.

current_table(M:G, Id) :- !, '$tbl_all'(L), member((M:G)-Id, L).
current_table(G, Id) :- '$tbl_all'(L), member((_:G)-Id, L).

untable(Spec) :- throw(error(not_supported('untable/1'), Spec)).
