:- use_module(library(nb_set)).
main :- empty_nb_set(S), add_nb_set(a, S), add_nb_set(b, S), add_nb_set(a, S, N), writeq(N), nl, findall(X, gen_nb_set(S, X), L), writeq(L), nl, nb_set_to_list(S, L2), writeq(L2), nl, ( add_nb_set(c, S, true) -> writeln(new) ; true ), size_nb_set(S, Sz), writeq(Sz), nl.
