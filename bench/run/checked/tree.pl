% An unbalanced binary search tree.

:- module(tree, [new/1, insert/3, bench/1], [assertions, regtypes]).

:- regtype tree/1.
tree(empty).
tree(tree(L, X, R)) :- tree(L), int(X), tree(R).

:- pred new(T) => tree(T).
new(empty).

:- pred insert(T0, X, T) : (tree(T0), int(X)) => tree(T).
insert(empty, X, tree(empty,X,empty)).
insert(tree(L,Y,R), X, T) :-
    compare(O, X, Y),
    insert(O, L, Y, R, X, T).

insert(=, L, Y, R, _, tree(L,Y,R)).
insert(<, L, Y, R, X, tree(L1,Y,R)) :- insert(L, X, L1).
insert(>, L, Y, R, X, tree(L,Y,R1)) :- insert(R, X, R1).

bench(N) :-
    new(T0),
    fill(N, 42, T0, T),
    T \== empty.

fill(0, _, T, T) :- !.
fill(N, X0, T0, T) :-
    X is (X0 * 16807) mod 2147483647,
    insert(T0, X, T1),
    N1 is N - 1,
    fill(N1, X, T1, T).
