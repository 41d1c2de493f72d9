% The compiler of constraint handling rules: declarations and rules of a module to clauses, by the refined operational
% semantics. A constraint that is called becomes active and tries its occurrences in the order of the rules, removed
% heads before kept ones; `chr/runtime` keeps the store.
%
% For occurrence K of c/N there is a predicate over the arguments and the suspension. If the active constraint is
% removed by the rule, partners are found by backtracking up to the guard. If it is kept, one predicate for each partner
% walks through its candidates, so that the rule fires for every combination and the body runs as a plain goal.

:- module('chr/translate', [translate/4]).

:- use_module(library(lists)).

:- op(1180, xfx, ==>).
:- op(1180, xfx, <=>).
:- op(1100, xfx, \).
:- op(1200, xfx, @).
:- op(500, yfx, #).

:- dynamic index_request/3.

% translate(Module, Constraints, Rules, Clauses): Constraints are Name/Arity, Rules as they were read.
translate(M, Constraints, Rules0, Clauses) :-
    retractall(index_request(_, _, _)),
    parse_rules(Rules0, 1, Constraints, Rules),
    findall(C-Cs, ( member(C, Constraints), constraint_clauses(C, M, Constraints, Rules, Cs) ), Parts),
    findall(Clause, ( member(_-Cs, Parts), member(Clause, Cs) ), Code),
    findall(Clause, ( nth1(I, Constraints, C), entry_clause(C, I, M, Rules, Clause) ), Entries),
    findall(Indexes, ( member(C, Constraints), indexes_of(C, Indexes) ), Specs),
    store_key(M, Key),
    append([(:- 'chr/runtime':reset_stores(Key, Specs))|Entries], Code, Clauses).

store_key(M, Key) :- atom_concat('$chr ', M, Key).

indexes_of(C, Indexes) :- findall(As, index_request(C, _, As), Indexes).

% -- rules: rule(Number, Kept, Removed, Guard, Body) with heads head(Constraint, active | passive)

parse_rules([], _, _, []).
parse_rules([R0|Rs0], N, Cs, [R|Rs]) :-
    parse_rule(R0, N, Cs, R),
    N1 is N + 1,
    parse_rules(Rs0, N1, Cs, Rs).

parse_rule(R0, N, Cs, rule(N, Kept, Removed, Guard, Body)) :-
    without_name(R0, R1),
    with_pragmas(R1, R2, Pragmas),
    (   R2 = (Heads ==> Rest) -> Kept0 = Heads, Removed0 = none
    ;   R2 = (Heads <=> Rest),
        ( nonvar(Heads), Heads = (Kept0 \ Removed0) -> true ; Kept0 = none, Removed0 = Heads ) ),
    ( nonvar(Rest), Rest = '|'(Guard, Body) -> true ; Guard = true, Body = Rest ),
    heads(Kept0, Pragmas, Cs, Kept),
    heads(Removed0, Pragmas, Cs, Removed).

without_name(R0, R) :- ( R0 = (_ @ R1) -> R = R1 ; R = R0 ).
% A pragma binds weaker than the arrow, or stands at the end of the body.
with_pragmas(R0, R, Pragmas) :-
    (   R0 = pragma(R, P) -> conjuncts(P, Pragmas)
    ;   R0 = (H <=> B), nonvar(B), B = pragma(B1, P) -> R = (H <=> B1), conjuncts(P, Pragmas)
    ;   R0 = (H ==> B), nonvar(B), B = pragma(B1, P) -> R = (H ==> B1), conjuncts(P, Pragmas)
    ;   R = R0, Pragmas = [] ).

conjuncts(V, [V]) :- var(V), !.
conjuncts((A, B), Cs) :- !, conjuncts(A, As), conjuncts(B, Bs), append(As, Bs, Cs).
conjuncts(A, [A]).

heads(none, _, _, []) :- !.
heads(Hs0, Pragmas, Cs, Hs) :- conjuncts(Hs0, L), each_head(L, Pragmas, Cs, Hs).
each_head([], _, _, []).
each_head([H0|Hs0], Pragmas, Cs, [head(H, Mode)|Hs]) :-
    ( var(H0) -> throw(error(instantiation_error, _)) ; true ),
    (   H0 = H # Id
    ->  ( ( Id == passive ; member(passive(P), Pragmas), P == Id ) -> Mode = passive ; Mode = active )
    ;   H = H0, Mode = active ),
    ( callable(H) -> true ; throw(error(type_error(callable, H), _)) ),
    functor(H, N, A),
    ( memberchk(N/A, Cs) -> true ; throw(error(existence_error(chr_constraint, N/A), _)) ),
    each_head(Hs0, Pragmas, Cs, Hs).

% -- predicates of a constraint

% The index of a constraint in the store; argument 1 of the store is the next identifier.
number_of(C, Constraints, K) :- nth1(I, Constraints, C), !, K is I + 1.

entry_clause(N/A, I, M, Rules, (Head :- Body)) :-
    functor(Head, N, A), Head =.. [_|As],
    K is I + 1, store_key(M, Key),
    indexes_of(N/A, Indexes), length(Indexes, X), L is 2 * (X + 1),
    lists_term(L, Lists),
    occurrences(N/A, Rules, Occurrences),
    ( Occurrences == [] -> Run = (-), Goal = 'chr/runtime':store(S) ; occurrence_name(N/A, 1, Run), call_with(Run, As, S, Goal) ),
    Body = ( 'chr/runtime':new_suspension(place(Key, K, Run), Lists, Head, M, S), Goal ).
lists_term(N, Lists) :- functor(Lists, lists, N), Lists =.. [_|As], empty_lists(As).
empty_lists([]).
empty_lists([[]|Ls]) :- empty_lists(Ls).

occurrence_name(N/A, K, Name) :- atomic_list_concat([N, '___', A, '__', K], Name).
call_with(Name, As, S, Goal) :- append(As, [S], Bs), Goal =.. [Name|Bs].

% occurrences(C, Rules, [occurrence(Rule, Which, Nth)])
occurrences(N/A, Rules, Os) :-
    findall(occurrence(Number, Which, I),
            ( member(rule(Number, Kept, Removed, _, _), Rules),
              ( Which = removed, Hs = Removed ; Which = kept, Hs = Kept ),
              nth1(I, Hs, head(H, active)), functor(H, N, A) ),
            Os).

constraint_clauses(C, M, Constraints, Rules, Clauses) :-
    occurrences(C, Rules, Os),
    occurrence_clauses(Os, 1, C, env(M, Constraints), Rules, Clauses).
occurrence_clauses([], 1, _, _, _, []) :- !.
occurrence_clauses([], K, N/A, _, _, [(Head :- 'chr/runtime':store(S))]) :-
    occurrence_name(N/A, K, Name), functor(F, N, A), F =.. [_|As], call_with(Name, As, S, Head).
occurrence_clauses([occurrence(Number, Which, I)|Os], K, C, Env, Rules, Clauses) :-
    member(Rule0, Rules), Rule0 = rule(Number, _, _, _, _), !,
    copy_term(Rule0, Rule),
    occurrence_name(C, K, Name),
    K1 is K + 1,
    occurrence_name(C, K1, Next),
    occurrence(Which, I, Rule, C, Name, Next, Env, Cs),
    occurrence_clauses(Os, K1, C, Env, Rules, Rest),
    append(Cs, Rest, Clauses).

% -- an occurrence whose constraint is removed: the first combination that passes the guard fires

occurrence(removed, I, rule(_, Kept, Removed, Guard, Body), C, Name, Next, Env, [First|Others]) :-
    nth1(I, Removed, head(H, _), Rest),
    active(C, H, Name, Next, Guard, active(S, Head, _, Tests, Bound, Guards0)),
    partners(Kept, kept, 1, Ps, Ps1), partners(Rest, removed, 1, Ps1, []),
    search(Ps, Bound, Guards0, [S-C], Env, Bound1, Guards, Search, Removals),
    guard_goals(Guards, Bound1, Env, GuardGoals),
    append([Tests, Search, GuardGoals, [!, 'chr/runtime':remove(S)], Removals, [Body]], Goals),
    conjunction(Goals, Conj),
    First = (Head :- Conj),
    ( Tests == [], Ps == [], GuardGoals == [] -> Others = [] ; otherwise(C, Name, Next, Others) ).

% -- an occurrence whose constraint is kept: every combination that passes the guard fires

occurrence(kept, I, rule(Number, Kept, Removed, Guard, Body), C, Name, Next, Env, Clauses) :-
    partners(Kept, kept, 1, All, Ps1), partners(Removed, removed, 1, Ps1, []),
    nth1(I, All, partner(H, _, _), Ps), !,
    active(C, H, Name, Next, Guard, active(S, Head, NextGoal, Tests, Bound, Guards)),
    ( Removed == [] -> History = history(Number, I) ; History = none ),
    Fire = fire(History, S, Body, NextGoal),
    (   Ps == []
    ->  firing(Fire, [], Guards, Bound, Env, Condition, Actions, NextGoal),
        append(Tests, Condition, Conditions),
        guarded(Conditions, Head, Actions, C, Name, Next, Clauses)
    ;   best(Ps, Bound, P, Others),
        lookup(P, Bound, Env, L, Lookup),
        Head =.. [_|HeadArgs], term_variables(Bound+HeadArgs, State),
        step(Name, 1, L, State, Step),
        guarded(Tests, Head, ( Lookup, Step ), C, Name, Next, Firsts),
        level(P, Others, 1, Name, State, Guards, Bound, Fire, [S-C], [], Env, Levels),
        append(Firsts, Levels, Clauses) ).

guarded([], Head, Goal, _, _, _, [(Head :- Goal)]) :- !.
guarded(Tests, Head, Goal, C, Name, Next, [(Head :- If, !, Goal)|Others]) :-
    conjunction(Tests, If),
    otherwise(C, Name, Next, Others).

otherwise(N/A, Name, Next, [(Head :- Goal)]) :-
    functor(F, N, A), F =.. [_|Fs],
    call_with(Name, Fs, S, Head), call_with(Next, Fs, S, Goal).

% active(...): the head of the occurrence's predicate, the goal of the next occurrence, the tests of the arguments, the
% variables they bind, and the part of the guard that has to wait.
active(N/A, H, Name, Next, Guard, active(S, Head, NextGoal, Tests, Bound, Guards)) :-
    functor(F, N, A), F =.. [_|Fs],
    call_with(Name, Fs, S, Head),
    call_with(Next, Fs, S, NextGoal),
    H =.. [_|Hs],
    match_all(Hs, Fs, [], Bound, Match, []),
    conjuncts(Guard, Gs),
    ready(Gs, Bound, Guards, Early, []),
    append(Match, Early, Tests).

% level(Partner, Others, J, ...): the predicate that walks through the candidates of the J-th partner. Done has the
% partners before, outermost first, with the goal that goes on with the next candidate for each.
level(partner(H, Kind, Pos), Ps, J, Name, State, Guards0, Bound0, Fire, Seen, Done, Env, [Empty, Walk|Clauses]) :-
    Fire = fire(_, _, _, NextGoal),
    step(Name, J, [], State, EmptyHead),
    ( append(_, [done(_, _, _, Back)], Done) -> Empty = (EmptyHead :- Back) ; Empty = (EmptyHead :- NextGoal) ),
    step(Name, J, [P|R], State, Head),
    step(Name, J, R, State, Continue),
    functor(H, N, A),
    matched(H, P, Seen, Env, Bound0, Bound, Match, Guards0, Guards),
    append(Done, [done(P, Kind, Pos, Continue)], Done1),
    (   Ps == []
    ->  firing(Fire, Done1, Guards, Bound, Env, Condition, Then, Continue),
        append(Match, Condition, Tests),
        Clauses = []
    ;   Tests = Match,
        best(Ps, Bound, P2, Others),
        lookup(P2, Bound, Env, L, Lookup),
        term_variables(State+Bound+P+R, State1),
        J1 is J + 1,
        step(Name, J1, L, State1, Deeper),
        Then = ( Lookup, Deeper ),
        level(P2, Others, J1, Name, State1, Guards, Bound, Fire, [P-N/A|Seen], Done1, Env, Clauses) ),
    conjunction(Tests, If),
    Walk = (Head :- ( If -> Then ; Continue )).

step(Name0, J, L, State, Goal) :- atomic_list_concat([Name0, '__', J], Name), Goal =.. [Name, L|State].

% firing(Fire, Done, Guards, Bound, Env, Conditions, Actions, Continue): what is left to test, then removal, body and
% the way on: with the deepest walk all of whose partners are still there.
firing(fire(History, S, Body, _), Done, Guards, Bound, Env, Conditions, Actions, Continue) :-
    guard_goals(Guards, Bound, Env, GuardGoals),
    (   History = history(Number, I)
    ->  findall_done(Done, Known), sort([I-S|Known], Sorted), values(Sorted, Ss),
        append(GuardGoals, ['chr/runtime':novel(Number, Ss)], Conditions)
    ;   Conditions = GuardGoals ),
    removals(Done, Removals),
    ways_on(Done, Continue, Ways),
    append([Removals, ['chr/runtime':store(S), Body, ( 'chr/runtime':alive(S) -> Ways ; true )]], Goals),
    conjunction(Goals, Actions).
findall_done([], []).
findall_done([done(P, _, Pos, _)|Ds], [Pos-P|Ps]) :- findall_done(Ds, Ps).
values([], []).
values([_-V|Ps], [V|Vs]) :- values(Ps, Vs).
removals([], []).
removals([done(P, Kind, _, _)|Ds], Rs) :-
    ( Kind == removed -> Rs = ['chr/runtime':remove(P)|Rs1] ; Rs = Rs1 ),
    removals(Ds, Rs1).
ways_on([], Continue, Continue).
ways_on([done(P, Kind, _, Goal)|Ds], Continue, Ways) :-
    (   Ds == [] -> Ways = Goal
    ;   Kind == removed -> Ways = Goal
    ;   Ways = ( 'chr/runtime':alive(P) -> Inner ; Goal ), ways_on(Ds, Continue, Inner) ).

% search(Partners, ...): goals that find one combination.
search([], Bound, Guards, _, _, Bound, Guards, [], []).
search([P0|Ps0], Bound0, Guards0, Seen, Env, Bound, Guards, Goals, Removals) :-
    best([P0|Ps0], Bound0, partner(H, Kind, Pos), Ps),
    lookup(partner(H, Kind, Pos), Bound0, Env, L, Lookup),
    matched(H, S, Seen, Env, Bound0, Bound1, Match, Guards0, Guards1),
    functor(H, N, A),
    ( Kind == removed -> Removals = ['chr/runtime':remove(S)|Removals1] ; Removals = Removals1 ),
    search(Ps, Bound1, Guards1, [S-N/A|Seen], Env, Bound, Guards, Goals1, Removals1),
    append([Lookup, 'chr/runtime':candidate(S, L)|Match], Goals1, Goals).

% matched(Head, Suspension, ...): the suspension is a living constraint of this form, and none of those seen.
matched(H, S, Seen, env(M, _), Bound0, Bound, Goals, Guards0, Guards) :-
    functor(H, N, A), functor(F, N, A),
    F =.. [_|Fs], H =.. [_|Hs],
    others(Seen, N/A, S, Different),
    match_all(Hs, Fs, Bound0, Bound, Match, []),
    ready(Guards0, Bound, Guards, Early, []),
    append([[S = s(1, _, _, F, M-_, _)|Different], Match, Early], Goals).
others([], _, _, []).
others([S0-C0|Seen], C, S, Goals) :-
    ( C0 == C -> Goals = [S \== S0|Goals1] ; Goals = Goals1 ),
    others(Seen, C, S, Goals1).

partners([], _, _, Ps, Ps).
partners([head(H, _)|Hs], Kind, I, [partner(H, Kind, I)|Ps], Rest) :- I1 is I + 1, partners(Hs, Kind, I1, Ps, Rest).

% The partner with the most arguments known; the first of them.
best(Ps, Bound, P, Rest) :-
    best_of(Ps, Bound, -1, none, P),
    once(select_same(P, Ps, Rest)).
best_of([], _, _, P, P).
best_of([P0|Ps], Bound, N0, Best, P) :-
    P0 = partner(H, _, _), known_arguments(H, Bound, As), length(As, N),
    ( N > N0 -> best_of(Ps, Bound, N, P0, P) ; best_of(Ps, Bound, N0, Best, P) ).
select_same(P, [P0|Ps], Rest) :- ( P0 == P -> Rest = Ps ; Rest = [P0|Rest1], select_same(P, Ps, Rest1) ).

known_arguments(H, Bound, As) :-
    functor(H, _, A),
    findall(I, ( between(1, A, I), arg(I, H, X), known(X, Bound) ), As).
known(X, Bound) :- term_variables(X, Vs), all_bound(Vs, Bound).
all_bound([], _).
all_bound([V|Vs], Bound) :- same_member(V, Bound), all_bound(Vs, Bound).
same_member(V, [W|Ws]) :- ( V == W -> true ; same_member(V, Ws) ).

% lookup(Partner, Bound, Env, List, Goal): the goal that gets the candidates, by the index over the known arguments.
lookup(partner(H, _, _), Bound, env(M, Constraints), L, 'chr/runtime':candidates(Store, K, I, Key, L)) :-
    functor(H, N, A), number_of(N/A, Constraints, K), store_key(M, Store),
    known_arguments(H, Bound, As),
    (   As == [] -> I = 0, Key = none
    ;   index_number(N/A, As, I),
        ( As = [X] -> arg(X, H, Key) ; args(As, H, Keys), Key = k(Keys) ) ).
args([], _, []).
args([I|Is], H, [X|Xs]) :- arg(I, H, X), args(Is, H, Xs).
index_number(C, As, I) :- index_request(C, I, As), !.
index_number(C, As, I) :-
    findall(x, index_request(C, _, _), Others), length(Others, N), I is N + 1,
    assertz(index_request(C, I, As)).

% -- matching: the arguments are instances of the head's

match_all([], [], Bound, Bound, Goals, Goals).
match_all([H|Hs], [F|Fs], Bound0, Bound, Goals0, Goals) :-
    match(H, F, Bound0, Bound1, Goals0, Goals1),
    match_all(Hs, Fs, Bound1, Bound, Goals1, Goals).
match(H, F, Bound0, Bound, Goals0, Goals) :-
    (   var(H) ->
        (   same_member(H, Bound0) -> Goals0 = [F == H|Goals], Bound = Bound0
        ;   H = F, Goals0 = Goals, Bound = [F|Bound0] )
    ;   known(H, Bound0) -> Goals0 = [F == H|Goals], Bound = Bound0
    ;   functor(H, N, A), functor(T, N, A),
        H =.. [_|Hs], T =.. [_|Ts],
        Goals0 = [nonvar(F), F = T|Goals1],
        match_all(Hs, Ts, Bound0, Bound, Goals1, Goals) ).

% -- guards

% ready(Guards, Bound, Later, Goals, Rest): the tests at the beginning that need no other variables.
ready([G|Gs], Bound, Later, [G|Goals], Rest) :- simple_test(G), known(G, Bound), !, ready(Gs, Bound, Later, Goals, Rest).
ready(Gs, _, Gs, Rest, Rest).

guard_goals(Gs0, Bound, env(M, _), Goals) :-
    no_true(Gs0, Gs),
    (   Gs == [] -> Goals = []
    ;   cannot_bind(Gs, Bound) -> Goals = Gs
    ;   conjunction(Gs, G), Goals = ['chr/runtime':guard_holds(Bound, M:G)] ).
no_true([], []).
no_true([G|Gs], Rs) :- ( G == true -> Rs = Rs1 ; Rs = [G|Rs1] ), no_true(Gs, Rs1).
cannot_bind([], _).
cannot_bind([G|Gs], Bound) :-
    nonvar(G),
    (   simple_test(G) -> Bound1 = Bound
    ;   G = (X is _), var(X), \+ same_member(X, Bound), Bound1 = [X|Bound] ),
    cannot_bind(Gs, Bound1).

simple_test(G) :- nonvar(G), functor(G, N, A), test_predicate(A, N), !.
test_predicate(0, true).
test_predicate(1, N) :-
    memberchk(N, [var, nonvar, atom, atomic, integer, float, number, compound, callable, ground, is_list, string, is_assoc, (\+)]).
test_predicate(2, N) :-
    memberchk(N, [==, \==, <, >, =<, >=, =:=, =\=, @<, @>, @=<, @>=, \=, =@=, \=@=]).

conjunction([], true).
conjunction([G|Gs], C) :- ( Gs == [] -> C = G ; C = (G, C1), conjunction(Gs, C1) ).
