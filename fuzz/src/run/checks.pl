% What every random program starts with: types, predicates whose checks look at
% their arguments, and operations that build, bind and overwrite terms. All
% choices come from rnd/2, so a run depends on its seed alone.

:- module(random, [run/3], [assertions, regtypes, rtchecks]).

:- regtype tree/1.
tree(e).
tree(n(L, X, R)) :- tree(L), int(X), tree(R).

:- regtype pairs/1.
pairs([]).
pairs([p(A, B)|T]) :- atm(A), tree(B), pairs(T).

:- regtype evens/1.
evens([]).
evens([X|T]) :- int(X), odds(T).

:- regtype odds/1.
odds([X|T]) :- int(X), evens(T).

:- regtype bt/2.
bt(e, _).
bt(n(L, X, R), T) :- bt(L, T), T(X), bt(R, T).

:- pred ints(X) : list(int, X).
ints(_).
:- pred anys(X) : list(X) => list(X).
anys(_).
:- pred trees(X) : tree(X) => tree(X).
trees(_).
:- pred many(X) : (list(tree, X) ; pairs(X) ; gnd(X)).
many(_).
:- pred several(X) : list(int, X) => evens(X).
:- pred several(X) : tree(X) => gnd(X).
:- pred several(X) : evens(X) => list(int, X).
several(_).
:- pred grow(X, Y) : term(X) => (list(int, X), tree(Y)).
grow(X, Y) :- ( X = [] ; X = [1|_] ; true ), ( Y = e ; Y = n(e, 1, _) ; true ).
:- pred ground_tree(X) : (gnd(X), tree(X)).
ground_tree(_).
:- pred nested(X) : list(list(int), X) => list(list, X).
nested(_).
:- pred param(X) : bt(X, int) => bt(X, gnd).
param(_).
:- pred free(X) : list(var, X).
free(_).
:- pred counted(X) : tree(X) => tree(X) + det.
counted(_).
:- pred compatible(X) :: list(int, X).
compatible(_).
% Many properties at once, and never a violation.
:- pred probe(X)
   : ( list(int, X) ; tree(X) ; pairs(X) ; evens(X) ; odds(X) ; gnd(X) ; list(list(int), X)
     ; bt(X, int) ; bt(X, gnd) ; list(X) ; list(tree, X) ; list(gnd, X) ; term(X) )
   => ( list(tree, X) ; pairs(X) ; tree(X) ; gnd(X) ; term(X) ).
probe(_).
point(X) :- check((tree(X) ; list(int, X))).

% Every call and every exit is checked.
:- pred walk(L, N) : list(L) => int(N).
walk([], 0).
walk([_|T], N) :- tick, walk(T, M), N is M + 1.

% The last call is kept.
:- pred skip(L) : list(int, L).
skip([]).
skip([_|T]) :- tick, skip(T).

:- pred insert(T0, X, T) : (tree(T0), int(X)) => tree(T).
insert(e, X, n(e, X, e)).
insert(n(L, Y, R), X, T) :-
    tick,
    (   X < Y
    ->  insert(L, X, L1), T = n(L1, Y, R)
    ;   insert(R, X, R1), T = n(L, Y, R1)
    ).

insert_many(0, T, T) :- !.
insert_many(N, T0, T) :-
    rnd(50, X), insert(T0, X, T1), N1 is N - 1, insert_many(N1, T1, T).

% cutter(X): checks, then a cut with choice points behind it; may fail or throw.
cutter(X) :- hole(X), trees(X), rnd(3, K), !, cutter(K, X).
cutter(X) :- ints(X).
cutter(0, _) :- fail.
cutter(1, X) :- throw(ball(X)).
cutter(2, _).

check_any(0, X) :- ints(X).
check_any(1, X) :- trees(X).
check_any(2, X) :- anys(X).
check_any(3, X) :- many(X).
check_any(4, X) :- several(X).
check_any(5, X) :- ground_tree(X).
check_any(6, X) :- nested(X).
check_any(7, X) :- param(X).
check_any(8, X) :- skip(X).
check_any(9, X) :- free(X).
check_any(10, X) :- point(X).
check_any(11, X) :- counted(X).
check_any(12, X) :- compatible(X).
check_any(13, X) :- walk(X, _).

check_any(X) :- probe(X), rnd(14, K), check_any(K, X).

% hole(X): X, or a variable in it, gets one of several values.
hole(X) :- var(X), !, rnd(6, K), value(K, X).
hole(X) :- compound(X), rnd(3, K), K > 0, !, arg_of(X, A), tick, hole(A).
hole(_).

value(0, e).
value(0, []).
value(1, n(_, 1, _)).
value(1, [1|_]).
value(2, 7).
value(2, _).
value(3, [1, 2|_]).
value(3, n(e, _, e)).
value(4, n(n(e, 1, e), 2, _)).
value(4, bad).
value(5, X) :- make(X).

arg_of(X, A) :- functor(X, _, N), rnd(N, I0), I is I0 + 1, arg(I, X, A).

% make(X): a term, often of one of the types, often with variables left in it.
make(X) :- rnd(11, K), make(K, X).
make(0, X) :- rnd(6, N), make_ints(N, X).
make(1, X) :- rnd(4, D), make_tree(D, X).
make(2, X) :- rnd(5, N), make_pairs(N, X).
make(3, X) :- rnd(6, N), length(X, N).
make(4, [X]) :- make(X).
make(5, X) :- rnd(200, N), make_ints(N, X).
make(6, X) :- X = [1|X].
make(7, X) :- make_tree(2, T), X = n(T, 1, T).
make(8, X) :- insert_many(6, e, X).
make(9, X) :- copy_term([_|Y], [1|Y]), X = Y.
make(10, X) :- rnd(4, N), length(X, N), hole(X).

make_ints(0, T) :- !, ( rnd(6, 0) -> true ; T = [] ).
make_ints(N, [X|T]) :-
    rnd(50, K), ( K =:= 0 -> true ; X = K ),
    N1 is N - 1, make_ints(N1, T).

make_tree(0, T) :- !, ( rnd(12, 0) -> true ; T = e ).
make_tree(D, n(L, X, R)) :-
    rnd(25, K), ( K =:= 0 -> true ; X = K ),
    D1 is D - 1, make_tree(D1, L), make_tree(D1, R).

make_pairs(0, []) :- !.
make_pairs(N, [p(k, B)|T]) :-
    rnd(2, D), make_tree(D, B), N1 is N - 1, make_pairs(N1, T).

% overwrite(T, V): destructive assignment somewhere in T.
overwrite(T, V) :- place(T, S), functor(S, _, N), rnd(N, I0), I is I0 + 1, setarg(I, S, V).
nb_overwrite(T, V) :- place(T, S), functor(S, _, N), rnd(N, I0), I is I0 + 1, nb_setarg(I, S, V).

place(T, S) :- compound(T), rnd(3, K), ( K =:= 0 -> S = T ; arg_of(T, A), compound(A), tick -> place(A, S) ; S = T ).

% A variable whose binding runs checks.
attr_unify_hook(T, Other) :- trees(T), ints(Other).

garbage(0) :- !.
garbage(N) :- _ = f(N, [N]), N1 is N - 1, garbage(N1).

:- dynamic(fact/1).

remember(X) :-
    make(X), acyclic_term(X), assertz(fact(X)),
    (   fact(Y), check_any(Y), fail ; true ),
    retractall(fact(_)).

rnd(N, X) :-
    nb_getval(seed, S0),
    S is (S0 * 1103515245 + 12345) /\ 0x7fffffff,
    nb_setval(seed, S),
    X is (S >> 8) mod N.

% Bounds the work of a round, whatever it does.
tick :-
    nb_getval(ticks, N0), N is N0 - 1, nb_setval(ticks, N),
    (   N < 0 -> throw(stop) ; true ).

% run(Seed, Rounds, Digest): half of the rounds are undone by failure, the
% others leave their terms to the next.
run(Seed, Rounds, Digest) :-
    nb_setval(seed, Seed), nb_setval(digest, 0), nb_setval(k, 0),
    (   between(1, Rounds, _), length(Pool, 6), round(Pool), fail ; true ),
    length(Pool, 6),
    rounds(Rounds, Pool),
    '$rtc_action'(_, report),
    nb_getval(digest, Digest).

rounds(0, _) :- !.
rounds(N, Pool0) :-
    (   round(Pool0) -> true ; true ),
    refresh(Pool0, Pool),
    N1 is N - 1,
    rounds(N1, Pool).

refresh([], []).
refresh([X|Xs], [Y|Ys]) :- ( rnd(3, 0) -> Y = X ; true ), refresh(Xs, Ys).

round(Pool) :-
    nb_setval(ticks, 150),
    goals(N), rnd(N, G),
    catch(goal(G, Pool), _, true),
    probes(Pool),
    digest(Pool).

probes([]).
probes([X|Xs]) :- probe(X), ( compound(X) -> arg_of(X, A), probe(A) ; true ), probes(Xs).

% What the terms look like in the end, down to some depth, for comparison
% between runs.
digest([]).
digest([X|Xs]) :-
    skeleton(X, 7, H),
    nb_getval(digest, D0), D is (D0 * 31 + H) /\ 0xffffffff, nb_setval(digest, D),
    digest(Xs).

skeleton(X, _, 3) :- var(X), !.
skeleton(X, _, 5) :- atom(X), !.
skeleton(X, _, X) :- integer(X), !.
skeleton(_, 0, 7) :- !.
skeleton(X, D, H) :- D1 is D - 1, functor(X, _, A), skeleton(A, X, D1, A, H).

skeleton(0, _, _, H, H) :- !.
skeleton(I, X, D, H0, H) :-
    arg(I, X, A), skeleton(A, D, H1), H2 is (H0 * 13 + H1) /\ 0xffffffff,
    I1 is I - 1, skeleton(I1, X, D, H2, H).
