% AVL trees: t, or t(Key, Value, Balance, Left, Right). Balance is '-' when both
% branches are as deep, '<' when the right one is deeper and '>' when the left is.

:- module(avltree,
          [avl_new/1, avl_insert/4, avl_lookup/3, avl_to_list/2, avl_min/3,
           avl_max/3, bench/1],
          [assertions, regtypes]).

:- regtype avl/1.
avl(t).
avl(t(K, V, B, L, R)) :- int(K), int(V), atm(B), avl(L), avl(R).

:- pred avl_new(T) => avl(T).
avl_new(t).

:- pred avl_insert(K, V, T0, T) : (int(K), int(V), avl(T0)) => avl(T).
avl_insert(K, V, T0, T) :-
    insert(T0, K, V, T, _).

:- pred insert(T0, K, V, T, Deeper)
   : (avl(T0), int(K), int(V)) => (avl(T), atm(Deeper)).
insert(t, K, V, t(K,V,-,t,t), yes).
insert(t(K1,V1,B,L,R), K, V, T, Deeper) :-
    compare(Order, K, K1),
    insert_at(Order, K1, V1, B, L, R, K, V, T, Deeper).

insert_at(=, K, _, B, L, R, K, V, t(K,V,B,L,R), no).
insert_at(<, K1, V1, B, L, R, K, V, T, Deeper) :-
    insert(L, K, V, L1, LeftDeeper),
    rebalance(LeftDeeper, left, t(K1,V1,B,L1,R), T, Deeper).
insert_at(>, K1, V1, B, L, R, K, V, T, Deeper) :-
    insert(R, K, V, R1, RightDeeper),
    rebalance(RightDeeper, right, t(K1,V1,B,L,R1), T, Deeper).

:- pred rebalance(Grown, Side, T0, T, Deeper)
   : (atm(Grown), atm(Side), avl(T0)) => (avl(T), atm(Deeper)).
rebalance(no, _, T, T, no).
rebalance(yes, Side, t(K,V,B,L,R), T, Deeper) :-
    balance(B, Side, B1, Deeper, Turn),
    turn(Turn, K, V, B1, L, R, T).

balance(-, left,  >, yes, none).
balance(-, right, <, yes, none).
balance(<, left,  -, no,  none).
balance(>, right, -, no,  none).
balance(>, left,  >, no,  left).
balance(<, right, <, no,  right).

turn(none, K, V, B, L, R, t(K,V,B,L,R)).
turn(left, K, V, _, t(K1,V1,B1,L1,R1), R, T) :-
    turn_left(B1, K, V, K1, V1, L1, R1, R, T).
turn(right, K, V, _, L, t(K1,V1,B1,L1,R1), T) :-
    turn_right(B1, K, V, L, K1, V1, L1, R1, T).

turn_left(>, K, V, K1, V1, L1, R1, R, t(K1,V1,-,L1,t(K,V,-,R1,R))).
turn_left(<, K, V, K1, V1, L1, t(K2,V2,B2,L2,R2), R,
          t(K2,V2,-,t(K1,V1,BL,L1,L2),t(K,V,BR,R2,R))) :-
    middle(B2, BL, BR).

turn_right(<, K, V, L, K1, V1, L1, R1, t(K1,V1,-,t(K,V,-,L,L1),R1)).
turn_right(>, K, V, L, K1, V1, t(K2,V2,B2,L2,R2), R1,
           t(K2,V2,-,t(K,V,BL,L,L2),t(K1,V1,BR,R2,R1))) :-
    middle(B2, BL, BR).

middle(-, -, -).
middle(>, -, <).
middle(<, >, -).

:- pred avl_lookup(K, T, V) : (int(K), avl(T)) => int(V).
avl_lookup(K, t(K1,V1,_,L,R), V) :-
    compare(Order, K, K1),
    lookup_at(Order, K, V1, L, R, V).

lookup_at(=, _, V, _, _, V).
lookup_at(<, K, _, L, _, V) :- avl_lookup(K, L, V).
lookup_at(>, K, _, _, R, V) :- avl_lookup(K, R, V).

:- pred avl_to_list(T, L) : avl(T) => list(L).
avl_to_list(T, L) :- to_list(T, L, []).

to_list(t, L, L).
to_list(t(K,V,_,L,R), List, Rest) :-
    to_list(L, List, [K-V|More]),
    to_list(R, More, Rest).

:- pred avl_min(T, K, V) : avl(T) => (int(K), int(V)).
avl_min(t(K,V,_,t,_), K, V) :- !.
avl_min(t(_,_,_,L,_), K, V) :- avl_min(L, K, V).

:- pred avl_max(T, K, V) : avl(T) => (int(K), int(V)).
avl_max(t(K,V,_,_,t), K, V) :- !.
avl_max(t(_,_,_,_,R), K, V) :- avl_max(R, K, V).

bench(N) :-
    avl_new(T0),
    fill(N, 42, T0, T),
    T = t(_,_,_,_,_).

fill(0, _, T, T) :- !.
fill(N, X0, T0, T) :-
    X is (X0 * 16807) mod 2147483647,
    avl_insert(X, N, T0, T1),
    N1 is N - 1,
    fill(N1, X, T1, T).
