% Predicates of hProlog, which programs with constraint handling rules use.

:- module(hprolog, [substitute_eq/4, memberchk_eq/2, intersect_eq/3, list_difference_eq/3, take/3, drop/3, split_at/4,
                    max_go_list/2, or_list/2, bounded_sublist/3, chr_delete/3, init_store/2, get_store/2,
                    update_store/2, make_get_store_goal/3, make_update_store_goal/3, make_init_store_goal/3,
                    empty_ds/1, ds_to_list/2, get_ds/3, put_ds/4]).

:- use_module(library(assoc)).
:- use_module(library(lists)).

empty_ds(D) :- empty_assoc(D).
ds_to_list(D, L) :- assoc_to_list(D, L).
get_ds(K, D, V) :- get_assoc(K, D, V).
put_ds(K, D0, V, D) :- put_assoc(K, D0, V, D).

init_store(Name, Value) :- nb_setval(Name, Value).
get_store(Name, Value) :- nb_getval(Name, Value).
update_store(Name, Value) :- b_setval(Name, Value).
make_init_store_goal(Name, Value, nb_setval(Name, Value)).
make_get_store_goal(Name, Value, nb_getval(Name, Value)).
make_update_store_goal(Name, Value, b_setval(Name, Value)).

substitute_eq(_, [], _, []) :- !.
substitute_eq(X, [U|Us], Y, [V|Vs]) :- ( X == U -> V = Y ; V = U ), substitute_eq(X, Us, Y, Vs).
memberchk_eq(X, [Y|Ys]) :- ( X == Y -> true ; memberchk_eq(X, Ys) ).
intersect_eq([], _, []).
intersect_eq([X|Xs], Ys, L) :- ( memberchk_eq(X, Ys) -> L = [X|T] ; L = T ), intersect_eq(Xs, Ys, T).
list_difference_eq([], _, []).
list_difference_eq([X|Xs], Ys, L) :- ( memberchk_eq(X, Ys) -> L = T ; L = [X|T] ), list_difference_eq(Xs, Ys, T).
take(0, _, []) :- !.
take(N, [X|Xs], [X|Ys]) :- N > 0, N1 is N - 1, take(N1, Xs, Ys).
drop(0, L, L) :- !.
drop(N, [_|Xs], L) :- N > 0, N1 is N - 1, drop(N1, Xs, L).
split_at(0, L, [], L) :- !.
split_at(N, [X|Xs], [X|Ys], Rest) :- N > 0, !, N1 is N - 1, split_at(N1, Xs, Ys, Rest).
split_at(_, [], [], []).
max_go_list([X|Xs], Max) :- foldl([A, B0, B]>>( A @> B0 -> B = A ; B = B0 ), Xs, X, Max).
or_list(L, Or) :- foldl([A, B0, B]>>( B is A \/ B0 ), L, 0, Or).
bounded_sublist(Sub, List, Bound) :- prefix_within(Sub, List, Bound).
bounded_sublist(Sub, [_|List], Bound) :- Bound > 0, Bound1 is Bound - 1, bounded_sublist(Sub, List, Bound1).
prefix_within([], _, _).
prefix_within([X|Xs], [X|Ys], Bound) :- Bound > 0, Bound1 is Bound - 1, prefix_within(Xs, Ys, Bound1).
chr_delete([], _, []).
chr_delete([X|Xs], Y, L) :- ( X == Y -> L = T ; L = [X|T] ), chr_delete(Xs, Y, T).
