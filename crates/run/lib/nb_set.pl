% Sets that change in place and survive backtracking.

:- module(nb_set, [empty_nb_set/1, add_nb_set/2, add_nb_set/3, gen_nb_set/2, nb_set_to_list/2, size_nb_set/2]).

:- use_module(library(assoc)).

empty_nb_set(nb_set(t, 0)).
add_nb_set(K, S) :- add_nb_set(K, S, _).
add_nb_set(K, S, New) :-
    arg(1, S, A0), arg(2, S, N0),
    (   get_assoc(K, A0, _) -> New = false
    ;   New = true, put_assoc(K, A0, x, A), N is N0 + 1, nb_setarg(1, S, A), nb_setarg(2, S, N) ).
gen_nb_set(S, K) :- nb_set_to_list(S, L), '$member'(K, L).
nb_set_to_list(nb_set(A, _), L) :- assoc_to_keys(A, L).
size_nb_set(nb_set(_, N), N).
