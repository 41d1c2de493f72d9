% Example 2 of the paper: a parametric type, and a search tree that uses it.
%
%   stet run --stats examples/run/bintree.pl -g main

:- module(bintree, [main/0], [assertions, regtypes, rtchecks]).

:- regtype bintree/2.
bintree(empty, T).
bintree(tree(LC,X,RC), T) :- bintree(LC, T), T(X), bintree(RC, T).

:- pred insert(T0, X, T) : (bintree(T0, int), int(X)) => bintree(T, int).
insert(empty, X, tree(empty,X,empty)).
insert(tree(L,Y,R), X, T) :-
    (   X < Y -> T = tree(L1,Y,R), insert(L, X, L1)
    ;   X > Y -> T = tree(L,Y,R1), insert(R, X, R1)
    ;   T = tree(L,Y,R)
    ).

main :-
    fill(1000, 42, empty, T),
    T = tree(_,Root,_),
    write(root(Root)), nl.

fill(0, _, T, T) :- !.
fill(N, X0, T0, T) :-
    X is (X0 * 16807) mod 2147483647,
    insert(T0, X, T1),
    N1 is N - 1,
    fill(N1, X, T1, T).
