% Ordered sets under the names of library(oset).

:- module(oset, [oset_is/1, oset_union/3, oset_int/3, oset_diff/3, oset_dint/2, oset_dunion/2, oset_addel/3,
                 oset_delel/3, oset_power/2]).

:- use_module(library(lists)).
:- use_module(library(ordsets)).

oset_is(S) :- is_ordset(S).
oset_union(A, B, C) :- ord_union(A, B, C).
oset_int(A, B, C) :- ord_intersection(A, B, C).
oset_diff(A, B, C) :- ord_subtract(A, B, C).
oset_dunion(Ss, U) :- ord_union(Ss, U).
oset_dint([], []).
oset_dint([S|Ss], I) :- foldl([A, B0, B]>>ord_intersection(A, B0, B), Ss, S, I).
oset_addel(S0, E, S) :- ord_add_element(S0, E, S).
oset_delel(S0, E, S) :- ord_del_element(S0, E, S).
oset_power(S, P) :- findall(Sub, subset_of(S, Sub), Ps), sort(Ps, P).
subset_of([], []).
subset_of([X|Xs], [X|Ys]) :- subset_of(Xs, Ys).
subset_of([_|Xs], Ys) :- subset_of(Xs, Ys).
