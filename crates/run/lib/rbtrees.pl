% Dictionaries as red-black trees with the interface of SWI-Prolog's and YAP's library. The trees are those of
% library(assoc) in a wrapper: what matters to programs is the order and the logarithmic cost. A tree that is unbound matches
% no rule, which is an error.

:- module(rbtrees,
          [ rb_new/1, rb_empty/1, rb_lookup/3, rb_update/4, rb_update/5, rb_apply/4, rb_insert/4, rb_insert_new/4,
            rb_delete/3, rb_delete/4, rb_visit/2, rb_keys/2, rb_map/2, rb_map/3, rb_fold/4, rb_size/2, rb_min/3,
            rb_max/3, rb_del_min/4, rb_del_max/4, rb_next/4, rb_previous/4, list_to_rbtree/2, ord_list_to_rbtree/2,
            is_rbtree/1, rb_in/3, rb_clone/3, rb_partial_map/4, rb_insert_list/3 ]).

:- use_module(library(assoc)).
:- use_module(library(lists)).
:- use_module(library(pairs)).

:- meta_predicate rb_apply(?,?,2,?), rb_map(?,1), rb_map(?,2,?), rb_fold(3,?,?,?), rb_partial_map(?,?,2,?).

rb_new(t(A)) :- empty_assoc(A).
rb_empty(t(A)) :- empty_assoc(A).
is_rbtree(T) :- nonvar(T), T = t(A), nonvar(A).
rb_lookup(K, V, t(A)) => get_assoc(K, A, V0), V = V0.
rb_in(K, V, t(A)) => ( ground(K) -> get_assoc(K, A, V0), V = V0 ; gen_assoc(K, A, V) ).
rb_insert(t(A0), K, V, T) => put_assoc(K, A0, V, A), T = t(A).
rb_insert_new(t(A0), K, V, T) => \+ get_assoc(K, A0, _), put_assoc(K, A0, V, A), T = t(A).
rb_insert_list(L, T0, T) :- insert_all(L, T0, T).
insert_all([], T, T).
insert_all([K-V|L], T0, T) :- rb_insert(T0, K, V, T1), insert_all(L, T1, T).
rb_update(t(A0), K, V, T) => get_assoc(K, A0, _), put_assoc(K, A0, V, A), T = t(A).
rb_update(t(A0), K, V0, V, T) => get_assoc(K, A0, V0), put_assoc(K, A0, V, A), T = t(A).
rb_apply(t(A0), K, G, T) => get_assoc(K, A0, V0), call(G, V0, V), put_assoc(K, A0, V, A), T = t(A).
rb_delete(T0, K, T) :- rb_delete(T0, K, _, T).
rb_delete(t(A0), K, V, T) => del_assoc(K, A0, V, A), T = t(A).
rb_visit(t(A), L) => assoc_to_list(A, L).
rb_keys(t(A), L) => assoc_to_keys(A, L).
rb_size(t(A), N) => assoc_to_keys(A, L), length(L, N).
rb_min(t(A), K, V) => min_assoc(A, K, V).
rb_max(t(A), K, V) => max_assoc(A, K, V).
rb_del_min(t(A0), K, V, T) => del_min_assoc(A0, K, V, A), T = t(A).
rb_del_max(t(A0), K, V, T) => del_max_assoc(A0, K, V, A), T = t(A).
% The key itself must be there.
rb_next(t(A), K, N, V) => after(A, K, none, N-V).
after(t(K1, V1, _, L, R), K, Best, Next) :-
    compare(O, K, K1),
    (   O = (<) -> after(L, K, K1-V1, Next)
    ;   O = (>) -> after(R, K, Best, Next)
    ;   R == t -> Best = Next
    ;   min_assoc(R, N, V), Next = N-V ).
rb_previous(t(A), K, P, V) => before(A, K, none, P-V).
before(t(K1, V1, _, L, R), K, Best, Previous) :-
    compare(O, K, K1),
    (   O = (<) -> before(L, K, Best, Previous)
    ;   O = (>) -> before(R, K, K1-V1, Previous)
    ;   L == t -> Best = Previous
    ;   max_assoc(L, P, V), Previous = P-V ).
rb_map(t(A), G) => assoc_to_values(A, Vs), all(Vs, G).
all([], _).
all([V|Vs], G) :- call(G, V), all(Vs, G).
rb_map(t(A0), G, T) => map_assoc(G, A0, A), T = t(A).
rb_fold(G, t(A), S0, S) => assoc_to_list(A, L), fold(L, G, S0, S).
fold([], _, S, S).
fold([P|Ps], G, S0, S) :- call(G, P, S0, S1), fold(Ps, G, S1, S).
rb_clone(t(A0), T, Pairs) => assoc_to_keys(A0, Ks), pairs_keys(Pairs, Ks), list_to_assoc(Pairs, A), T = t(A).
rb_partial_map(T, [], _, T).
rb_partial_map(T0, [K|Ks], G, T) :- ( rb_apply(T0, K, G, T1) -> true ; T1 = T0 ), rb_partial_map(T1, Ks, G, T).
list_to_rbtree(L, T) :- rb_new(T0), insert_all(L, T0, T).
ord_list_to_rbtree(L, T) :- list_to_rbtree(L, T).
