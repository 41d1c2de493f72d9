% 2-3-4 trees of key/value items. A node with three items is split on the way
% down, so that an insertion never has to come back up.

:- module(btree, [new/1, put/4, get/3, to_list/2, bench/1],
          [assertions, regtypes]).

:- regtype btree/1.
btree(nil).
btree(X) :- node2(X).
btree(X) :- node3(X).
btree(X) :- node4(X).

:- regtype item/1.
item(i(K, V)) :- int(K), int(V).

:- regtype node2/1.
node2(n2(I, A, B)) :- item(I), btree(A), btree(B).

:- regtype node3/1.
node3(n3(I, J, A, B, C)) :- item(I), item(J), btree(A), btree(B), btree(C).

:- regtype node4/1.
node4(n4(I, J, K, A, B, C, D)) :-
    item(I), item(J), item(K), btree(A), btree(B), btree(C), btree(D).

:- pred new(T) => btree(T).
new(nil).

:- pred put(K, V, T0, T) : (int(K), int(V), btree(T0)) => btree(T).
put(K, V, T0, T) :-
    open_root(T0, T1),
    insert(T1, K, V, T).

:- pred open_root(T0, T) : btree(T0) => btree(T).
open_root(n4(I,J,L,A,B,C,D), T) :- !,
    T = n2(J, n2(I,A,B), n2(L,C,D)).
open_root(T, T).

% The root is never a node4 here.
:- pred insert(T0, K, V, T) : (btree(T0), int(K), int(V)) => btree(T).
insert(nil, K, V, n2(i(K,V), nil, nil)).
insert(n2(I,A,B), K, V, T) :-
    ( A == nil -> leaf2(I, K, V, T) ; inner2(I, A, B, K, V, T) ).
insert(n3(I,J,A,B,C), K, V, T) :-
    ( A == nil -> leaf3(I, J, K, V, T) ; inner3(I, J, A, B, C, K, V, T) ).

:- pred leaf2(I, K, V, T) : (item(I), int(K), int(V)) => btree(T).
leaf2(I, K, V, T) :-
    I = i(KI,_),
    compare(O, K, KI),
    leaf2_at(O, I, i(K,V), T).

leaf2_at(<, I, J, n3(J,I,nil,nil,nil)).
leaf2_at(=, _, J, n2(J,nil,nil)).
leaf2_at(>, I, J, n3(I,J,nil,nil,nil)).

:- pred leaf3(I, J, K, V, T) : (item(I), item(J), int(K), int(V)) => btree(T).
leaf3(I, J, K, V, T) :-
    I = i(KI,_), J = i(KJ,_), N = i(K,V),
    (   K < KI  -> T = n4(N,I,J,nil,nil,nil,nil)
    ;   K =:= KI -> T = n3(N,J,nil,nil,nil)
    ;   K < KJ  -> T = n4(I,N,J,nil,nil,nil,nil)
    ;   K =:= KJ -> T = n3(I,N,nil,nil,nil)
    ;   T = n4(I,J,N,nil,nil,nil,nil)
    ).

:- pred inner2(I, A, B, K, V, T)
   : (item(I), btree(A), btree(B), int(K), int(V)) => btree(T).
inner2(I, A, B, K, V, T) :-
    I = i(KI,_),
    (   K < KI
    ->  (   A = n4(I1,J1,L1,A1,B1,C1,D1)
        ->  inner3(J1, I, n2(I1,A1,B1), n2(L1,C1,D1), B, K, V, T)
        ;   T = n2(I, A2, B), insert(A, K, V, A2)
        )
    ;   K =:= KI
    ->  T = n2(i(K,V), A, B)
    ;   (   B = n4(I1,J1,L1,A1,B1,C1,D1)
        ->  inner3(I, J1, A, n2(I1,A1,B1), n2(L1,C1,D1), K, V, T)
        ;   T = n2(I, A, B2), insert(B, K, V, B2)
        )
    ).

inner3(I, J, A, B, C, K, V, T) :-
    I = i(KI,_), J = i(KJ,_),
    (   K < KI
    ->  (   A = n4(I1,J1,L1,A1,B1,C1,D1)
        ->  split4(K, V, J1, n2(I1,A1,B1), n2(L1,C1,D1), X, Y, Item),
            T = n4(Item, I, J, X, Y, B, C)
        ;   T = n3(I, J, A2, B, C), insert(A, K, V, A2)
        )
    ;   K =:= KI
    ->  T = n3(i(K,V), J, A, B, C)
    ;   K < KJ
    ->  (   B = n4(I1,J1,L1,A1,B1,C1,D1)
        ->  split4(K, V, J1, n2(I1,A1,B1), n2(L1,C1,D1), X, Y, Item),
            T = n4(I, Item, J, A, X, Y, C)
        ;   T = n3(I, J, A, B2, C), insert(B, K, V, B2)
        )
    ;   K =:= KJ
    ->  T = n3(I, i(K,V), A, B, C)
    ;   (   C = n4(I1,J1,L1,A1,B1,C1,D1)
        ->  split4(K, V, J1, n2(I1,A1,B1), n2(L1,C1,D1), X, Y, Item),
            T = n4(I, J, Item, A, B, X, Y)
        ;   T = n3(I, J, A, B, C2), insert(C, K, V, C2)
        )
    ).

% Goes on into one half of a node that was just split.
split4(K, V, I, A, B, X, Y, Item) :-
    I = i(KI,_),
    (   K < KI -> insert(A, K, V, X), Y = B, Item = I
    ;   K =:= KI -> X = A, Y = B, Item = i(K,V)
    ;   X = A, Item = I, insert(B, K, V, Y)
    ).

:- pred get(K, T, V) : (int(K), btree(T)) => int(V).
get(K, n2(I,A,B), V) :- in2(K, I, A, B, V).
get(K, n3(I,J,A,B,C), V) :-
    J = i(KJ,VJ),
    (   K =:= KJ -> V = VJ
    ;   K > KJ -> get(K, C, V)
    ;   in2(K, I, A, B, V)
    ).
get(K, n4(I,J,L,A,B,C,D), V) :-
    J = i(KJ,VJ),
    (   K =:= KJ -> V = VJ
    ;   K > KJ -> in2(K, L, C, D, V)
    ;   in2(K, I, A, B, V)
    ).

in2(K, i(KI,VI), A, B, V) :-
    (   K =:= KI -> V = VI
    ;   K < KI -> get(K, A, V)
    ;   get(K, B, V)
    ).

:- pred to_list(T, L) : btree(T) => list(L).
to_list(T, L) :- to_list(T, L, []).

to_list(nil, L, L).
to_list(n2(I,A,B), L0, L) :-
    to_list(A, L0, [I|L1]), to_list(B, L1, L).
to_list(n3(I,J,A,B,C), L0, L) :-
    to_list(A, L0, [I|L1]), to_list(B, L1, [J|L2]), to_list(C, L2, L).
to_list(n4(I,J,K,A,B,C,D), L0, L) :-
    to_list(A, L0, [I|L1]), to_list(B, L1, [J|L2]),
    to_list(C, L2, [K|L3]), to_list(D, L3, L).

bench(N) :-
    new(T0),
    fill(N, 42, T0, T),
    T \== nil.

fill(0, _, T, T) :- !.
fill(N, X0, T0, T) :-
    X is (X0 * 16807) mod 2147483647,
    put(X, N, T0, T1),
    N1 is N - 1,
    fill(N1, X, T1, T).
