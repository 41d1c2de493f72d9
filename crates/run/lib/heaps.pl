% Priority queues as pairing heaps.

:- module(heaps,
          [ add_to_heap/4, delete_from_heap/4, empty_heap/1, get_from_heap/4, heap_size/2, heap_to_list/2,
            list_to_heap/2, merge_heaps/3, min_of_heap/3, min_of_heap/5, peek_at_heap/3, singleton_heap/3, is_heap/1 ]).

% heap(Tree, Size); Tree is `nil` or `t(Key, Priority, Subtrees)`.

empty_heap(heap(nil, 0)).
singleton_heap(heap(t(K, P, []), 1), P, K).
is_heap(H) :- nonvar(H), H = heap(_, N), integer(N).
heap_size(heap(_, N), N).

add_to_heap(heap(T0, N0), P, K, heap(T, N)) :- N is N0 + 1, meld(T0, t(K, P, []), T).

get_from_heap(heap(t(K, P, Sub), N0), P, K, heap(T, N)) :- N is N0 - 1, pairs(Sub, T).
min_of_heap(heap(t(K, P, _), _), P, K).
peek_at_heap(H, P, K) :- min_of_heap(H, P, K).
min_of_heap(H0, P1, K1, P2, K2) :- get_from_heap(H0, P1, K1, H), min_of_heap(H, P2, K2).
merge_heaps(heap(A, N), heap(B, M), heap(T, S)) :- S is N + M, meld(A, B, T).

delete_from_heap(H0, P, K, H) :-
    heap_to_list(H0, L0),
    remove(L0, P, K, L),
    list_to_heap(L, H).
remove([P-K|T], P, K, T) :- !.
remove([X|T], P, K, [X|R]) :- remove(T, P, K, R).

heap_to_list(H, L) :-
    ( get_from_heap(H, P, K, H1) -> L = [P-K|T], heap_to_list(H1, T) ; L = [] ).
list_to_heap(L, H) :- empty_heap(H0), add_all(L, H0, H).
add_all([], H, H).
add_all([P-K|T], H0, H) :- add_to_heap(H0, P, K, H1), add_all(T, H1, H).

meld(nil, T, T) :- !.
meld(T, nil, T) :- !.
meld(L, R, T) :-
    L = t(K1, P1, S1), R = t(K2, P2, S2),
    ( P1 @=< P2 -> T = t(K1, P1, [R|S1]) ; T = t(K2, P2, [L|S2]) ).
pairs([], nil).
pairs([T], T) :- !.
pairs([A, B|Ts], T) :- meld(A, B, AB), pairs(Ts, Rest), meld(AB, Rest, T).
