% A heap as a tree whose shape follows from the number of elements: the binary
% digits of a position, lowest first, are the path from the root to it.

:- module(heap,
          [empty_heap/1, add_to_heap/4, get_from_heap/4, heap_size/2,
           min_of_heap/3, list_to_heap/2, bench/1],
          [assertions, regtypes]).

:- regtype heap/1.
heap(heap(Size, Tree)) :- nnegint(Size), heap_tree(Tree).

:- regtype heap_tree/1.
heap_tree(t).
heap_tree(t(K, V, L, R)) :- int(K), int(V), heap_tree(L), heap_tree(R).

:- pred empty_heap(H) => heap(H).
empty_heap(heap(0, t)).

:- pred add_to_heap(H0, K, V, H) : (heap(H0), int(K), int(V)) => heap(H).
add_to_heap(heap(N0, T0), K, V, heap(N, T)) :-
    N is N0 + 1,
    add(N, K, V, T0, T).

:- pred add(N, K, V, T0, T)
   : (int(N), int(K), int(V), heap_tree(T0)) => heap_tree(T).
add(1, K, V, _, T) :- !,
    T = t(K, V, t, t).
add(N, K, V, t(K1,V1,L,R), T) :-
    M is N >> 1,
    Side is N /\ 1,
    (   K < K1
    ->  put(Side, M, K1, V1, K, V, L, R, T)
    ;   put(Side, M, K, V, K1, V1, L, R, T)
    ).

put(0, M, K, V, Top, TopV, L, R, t(Top,TopV,L1,R)) :- add(M, K, V, L, L1).
put(1, M, K, V, Top, TopV, L, R, t(Top,TopV,L,R1)) :- add(M, K, V, R, R1).

:- pred get_from_heap(H0, K, V, H) : heap(H0) => (int(K), int(V), heap(H)).
get_from_heap(heap(N0, T0), K, V, heap(N, T)) :-
    N0 > 0,
    T0 = t(K, V, _, _),
    take_position(N0, T0, LastK, LastV, T1),
    N is N0 - 1,
    sift_root(T1, LastK, LastV, T).

% Removes the element at a position.
take_position(1, t(K,V,_,_), K, V, t) :- !.
take_position(N, t(K1,V1,L,R), K, V, T) :-
    M is N >> 1,
    (   N /\ 1 =:= 0
    ->  T = t(K1,V1,L1,R), take_position(M, L, K, V, L1)
    ;   T = t(K1,V1,L,R1), take_position(M, R, K, V, R1)
    ).

sift_root(t, _, _, t).
sift_root(t(_,_,L,R), K, V, T) :- sift(L, R, K, V, T).

sift(t, t, K, V, T) :- !,
    T = t(K,V,t,t).
sift(L, t, K, V, T) :- !,
    L = t(KL,VL,LL,LR),
    (   KL < K
    ->  T = t(KL,VL,L1,t), sift(LL, LR, K, V, L1)
    ;   T = t(K,V,L,t)
    ).
sift(L, R, K, V, T) :-
    L = t(KL,VL,LL,LR),
    R = t(KR,VR,RL,RR),
    (   KL =< KR, KL < K
    ->  T = t(KL,VL,L1,R), sift(LL, LR, K, V, L1)
    ;   KR < K
    ->  T = t(KR,VR,L,R1), sift(RL, RR, K, V, R1)
    ;   T = t(K,V,L,R)
    ).

:- pred heap_size(H, N) : heap(H) => nnegint(N).
heap_size(heap(N, _), N).

:- pred min_of_heap(H, K, V) : heap(H) => (int(K), int(V)).
min_of_heap(heap(_, t(K,V,_,_)), K, V).

:- pred list_to_heap(L, H) : list(int, L) => heap(H).
list_to_heap(L, H) :-
    empty_heap(H0),
    add_all(L, H0, H).

add_all([], H, H).
add_all([K|Ks], H0, H) :-
    add_to_heap(H0, K, K, H1),
    add_all(Ks, H1, H).

bench(N) :-
    empty_heap(H0),
    fill(N, 42, H0, H),
    min_of_heap(H, K, _),
    integer(K).

fill(0, _, H, H) :- !.
fill(N, X0, H0, H) :-
    X is (X0 * 16807) mod 2147483647,
    add_to_heap(H0, X, N, H1),
    N1 is N - 1,
    fill(N1, X, H1, H).
