% Red-black trees after Okasaki (insertion) and Kahrs (deletion):
% e, or n(Colour, Left, Key, Value, Right).

:- module(rbtree,
          [rb_new/1, rb_insert/4, rb_lookup/3, rb_update/4, rb_delete/3,
           rb_min/3, rb_max/3, rb_size/2, rb_keys/2, bench/1],
          [assertions, regtypes]).

:- regtype colour/1.
colour(r).
colour(b).

:- regtype rbtree/1.
rbtree(e).
rbtree(n(C, L, K, V, R)) :-
    colour(C), rbtree(L), int(K), int(V), rbtree(R).

:- pred rb_new(T) => rbtree(T).
rb_new(e).

:- pred rb_insert(T0, K, V, T) : (rbtree(T0), int(K), int(V)) => rbtree(T).
rb_insert(T0, K, V, T) :-
    ins(T0, K, V, T1),
    blacken(T1, T).

:- pred ins(T0, K, V, T) : (rbtree(T0), int(K), int(V)) => rbtree(T).
ins(e, K, V, n(r,e,K,V,e)).
ins(n(C,L,K1,V1,R), K, V, T) :-
    compare(O, K, K1),
    ins(O, C, L, K1, V1, R, K, V, T).

ins(=, C, L, K, _, R, _, V, n(C,L,K,V,R)).
ins(<, C, L, K1, V1, R, K, V, T) :-
    ins(L, K, V, L1),
    left(C, L1, K1, V1, R, T).
ins(>, C, L, K1, V1, R, K, V, T) :-
    ins(R, K, V, R1),
    right(C, L, K1, V1, R1, T).

left(r, L, K, V, R, n(r,L,K,V,R)).
left(b, L, K, V, R, T) :- left_balance(L, K, V, R, T).

right(r, L, K, V, R, n(r,L,K,V,R)).
right(b, L, K, V, R, T) :- right_balance(L, K, V, R, T).

% Okasaki's four cases, two for each side.
:- pred left_balance(L, K, V, R, T)
   : (rbtree(L), int(K), int(V), rbtree(R)) => rbtree(T).
left_balance(n(r,n(r,A,K1,V1,B),K2,V2,C), K, V, R, T) :- !,
    T = n(r,n(b,A,K1,V1,B),K2,V2,n(b,C,K,V,R)).
left_balance(n(r,A,K1,V1,n(r,B,K2,V2,C)), K, V, R, T) :- !,
    T = n(r,n(b,A,K1,V1,B),K2,V2,n(b,C,K,V,R)).
left_balance(L, K, V, R, n(b,L,K,V,R)).

:- pred right_balance(L, K, V, R, T)
   : (rbtree(L), int(K), int(V), rbtree(R)) => rbtree(T).
right_balance(A, K, V, n(r,n(r,B,K1,V1,C),K2,V2,D), T) :- !,
    T = n(r,n(b,A,K,V,B),K1,V1,n(b,C,K2,V2,D)).
right_balance(A, K, V, n(r,B,K1,V1,n(r,C,K2,V2,D)), T) :- !,
    T = n(r,n(b,A,K,V,B),K1,V1,n(b,C,K2,V2,D)).
right_balance(L, K, V, R, n(b,L,K,V,R)).

:- pred blacken(T0, T) : rbtree(T0) => rbtree(T).
blacken(n(r,L,K,V,R), T) :- !, T = n(b,L,K,V,R).
blacken(T, T).

:- pred redden(T0, T) : rbtree(T0) => rbtree(T).
redden(n(b,L,K,V,R), n(r,L,K,V,R)).

:- pred rb_lookup(K, V, T) : (int(K), rbtree(T)) => int(V).
rb_lookup(K, V, n(_,L,K1,V1,R)) :-
    compare(O, K, K1),
    lookup(O, K, V, L, V1, R).

lookup(=, _, V, _, V, _).
lookup(<, K, V, L, _, _) :- rb_lookup(K, V, L).
lookup(>, K, V, _, _, R) :- rb_lookup(K, V, R).

:- pred rb_update(T0, K, V, T) : (rbtree(T0), int(K), int(V)) => rbtree(T).
rb_update(n(C,L,K1,V1,R), K, V, T) :-
    compare(O, K, K1),
    update(O, C, L, K1, V1, R, K, V, T).

update(=, C, L, K, _, R, _, V, n(C,L,K,V,R)).
update(<, C, L, K1, V1, R, K, V, n(C,L1,K1,V1,R)) :- rb_update(L, K, V, L1).
update(>, C, L, K1, V1, R, K, V, n(C,L,K1,V1,R1)) :- rb_update(R, K, V, R1).

:- pred rb_delete(T0, K, T) : (rbtree(T0), int(K)) => rbtree(T).
rb_delete(T0, K, T) :-
    del(T0, K, T1),
    blacken(T1, T).

del(e, _, e).
del(n(_,L,K1,V1,R), K, T) :-
    compare(O, K, K1),
    del(O, L, K1, V1, R, K, T).

del(=, L, _, _, R, _, T) :- fuse(L, R, T).
del(<, L, K1, V1, R, K, T) :-
    del(L, K, L1),
    ( L = n(b,_,_,_,_) -> left_heal(L1, K1, V1, R, T) ; T = n(r,L1,K1,V1,R) ).
del(>, L, K1, V1, R, K, T) :-
    del(R, K, R1),
    ( R = n(b,_,_,_,_) -> right_heal(L, K1, V1, R1, T) ; T = n(r,L,K1,V1,R1) ).

% Kahrs: the left subtree has lost one black node.
left_heal(n(r,A,K1,V1,B), K, V, R, T) :- !,
    T = n(r,n(b,A,K1,V1,B),K,V,R).
left_heal(L, K, V, n(b,A,K1,V1,B), T) :- !,
    both_balance(L, K, V, n(r,A,K1,V1,B), T).
left_heal(L, K, V, n(r,n(b,A,K1,V1,B),K2,V2,C), n(r,n(b,L,K,V,A),K1,V1,T)) :-
    redden(C, C1),
    both_balance(B, K2, V2, C1, T).

right_heal(A, K, V, n(r,B,K1,V1,C), T) :- !,
    T = n(r,A,K,V,n(b,B,K1,V1,C)).
right_heal(n(b,A,K1,V1,B), K, V, R, T) :- !,
    both_balance(n(r,A,K1,V1,B), K, V, R, T).
right_heal(n(r,A,K1,V1,n(b,B,K2,V2,C)), K, V, R, n(r,T,K2,V2,n(b,C,K,V,R))) :-
    redden(A, A1),
    both_balance(A1, K1, V1, B, T).

both_balance(n(r,A,K1,V1,B), K, V, n(r,C,K2,V2,D), T) :- !,
    T = n(r,n(b,A,K1,V1,B),K,V,n(b,C,K2,V2,D)).
both_balance(L, K, V, R, T) :-
    left_balance(L, K, V, R, T0),
    (   T0 = n(b,_,_,_,_)
    ->  right_balance(L, K, V, R, T)
    ;   T = T0
    ).

:- pred fuse(L, R, T) : (rbtree(L), rbtree(R)) => rbtree(T).
fuse(e, R, T) :- !, T = R.
fuse(L, e, T) :- !, T = L.
fuse(n(r,A,K1,V1,B), n(r,C,K2,V2,D), T) :- !,
    fuse(B, C, BC),
    (   BC = n(r,B1,K3,V3,C1)
    ->  T = n(r,n(r,A,K1,V1,B1),K3,V3,n(r,C1,K2,V2,D))
    ;   T = n(r,A,K1,V1,n(r,BC,K2,V2,D))
    ).
fuse(n(b,A,K1,V1,B), n(b,C,K2,V2,D), T) :- !,
    fuse(B, C, BC),
    (   BC = n(r,B1,K3,V3,C1)
    ->  T = n(r,n(b,A,K1,V1,B1),K3,V3,n(b,C1,K2,V2,D))
    ;   left_heal(A, K1, V1, n(b,BC,K2,V2,D), T)
    ).
fuse(L, n(r,C,K2,V2,D), T) :- !,
    T = n(r,LC,K2,V2,D),
    fuse(L, C, LC).
fuse(n(r,A,K1,V1,B), R, n(r,A,K1,V1,BR)) :-
    fuse(B, R, BR).

:- pred rb_min(T, K, V) : rbtree(T) => (int(K), int(V)).
rb_min(n(_,e,K,V,_), K, V) :- !.
rb_min(n(_,L,_,_,_), K, V) :- rb_min(L, K, V).

:- pred rb_max(T, K, V) : rbtree(T) => (int(K), int(V)).
rb_max(n(_,_,K,V,e), K, V) :- !.
rb_max(n(_,_,_,_,R), K, V) :- rb_max(R, K, V).

:- pred rb_size(T, N) : rbtree(T) => nnegint(N).
rb_size(T, N) :- size(T, 0, N).

size(e, N, N).
size(n(_,L,_,_,R), N0, N) :-
    N1 is N0 + 1,
    size(L, N1, N2),
    size(R, N2, N).

:- pred rb_keys(T, L) : rbtree(T) => list(int, L).
rb_keys(T, L) :- keys(T, L, []).

keys(e, L, L).
keys(n(_,L,K,_,R), Ks, Rest) :-
    keys(L, Ks, [K|More]),
    keys(R, More, Rest).

bench(N) :-
    rb_new(T0),
    fill(N, 42, T0, T),
    T \== e.

fill(0, _, T, T) :- !.
fill(N, X0, T0, T) :-
    X is (X0 * 16807) mod 2147483647,
    rb_insert(T0, X, N, T1),
    N1 is N - 1,
    fill(N1, X, T1, T).
