% Trees: AVL-free library users: assoc, rbtrees, pairs, ordsets, ugraphs; Huffman coding, tries, binary search.
:- use_module(library(assoc)).
:- use_module(library(rbtrees)).
:- use_module(library(ordsets)).
:- use_module(library(ugraphs)).
:- use_module(library(pairs)).
huffman(Text, Codes) :- string_chars(Text, Cs), msort(Cs, S), runs(S, R), keysort(R, Q), build(Q, T), codes(T, [], Ps, []), keysort(Ps, Codes).
runs([], []).
runs([C|Cs], [N-leaf(C)|R]) :- take(Cs, C, 1, N, Rest), runs(Rest, R).
take([C|Cs], C, N0, N, R) :- !, N1 is N0 + 1, take(Cs, C, N1, N, R).
take(Cs, _, N, N, Cs).
build([_-T], T) :- !.
build([A-L, B-R|Q], T) :- N is A + B, insert(Q, N-node(L, R), Q1), build(Q1, T).
insert([], X, [X]).
insert([K-V|Q], N-T, [N-T, K-V|Q]) :- N =< K, !.
insert([X|Q], Y, [X|R]) :- insert(Q, Y, R).
codes(leaf(C), Rev, [C-A|Ps], Ps) :- reverse(Rev, Bs), atomic_list_concat(Bs, A).
codes(node(L, R), Rev, Ps0, Ps) :- codes(L, [0|Rev], Ps0, Ps1), codes(R, [1|Rev], Ps1, Ps).
trie_insert([], t(_, Cs), t(end, Cs)).
trie_insert([C|W], t(E, Cs0), t(E, Cs)) :- ( select(C-T0, Cs0, Cs1) -> true ; T0 = t(no, []), Cs1 = Cs0 ), trie_insert(W, T0, T), Cs = [C-T|Cs1].
trie_words(t(E, Cs), Rev, W) :- ( E == end, reverse(Rev, L), atom_chars(W, L) ; member(C-T, Cs), trie_words(T, [C|Rev], W) ).
main :-
    huffman("this is an example for huffman encoding", H), forall(member(C-A, H), format("~q ~w~n", [C, A])),
    foldl([W, T0, T]>>( atom_chars(W, L), trie_insert(L, T0, T) ), [tea, ten, to, inn, in], t(no, []), Trie),
    findall(W, trie_words(Trie, [], W), Ws), sort(Ws, SW), print(SW), nl,
    list_to_assoc([k1-a, k2-b, k3-c], As), forall(gen_assoc(K, As, V), ( print(K-V), nl )), put_assoc(k0, As, z, As2), min_assoc(As2, MK, MV), print(MK-MV), nl,
    assoc_to_values(As2, Vs), print(Vs), nl, ( get_assoc(kx, As2, _) -> true ; writeln(none) ), del_assoc(k2, As2, DV, As3), assoc_to_keys(As3, Ks), print(DV-Ks), nl,
    del_min_assoc(As3, K9, V9, As4), print(K9-V9), nl, transpose_pairs([a-1, b-0], TP), print(TP), nl, map_assoc([X, Y]>>atom_length(X, Y), As4, As5), assoc_to_list(As5, AL), print(AL), nl,
    rb_new(R0), foldl([K1-V1, A1, B1]>>rb_insert(A1, K1, V1, B1), [c-3, a-1, b-2], R0, R1), rb_visit(R1, RL), print(RL), nl, rb_update(R1, a, 10, R2), rb_lookup(a, RV, R2), print(RV), nl,
    rb_delete(R2, b, R3), rb_keys(R3, RK), print(RK), nl, rb_min(R3, MinK, MinV), rb_max(R3, MaxK, _), print(MinK/MinV/MaxK), nl, ( rb_insert_new(R3, a, 0, _) -> writeln(new) ; writeln(old) ),
    findall(KK, rb_in(KK, _, R3), KKs), print(KKs), nl, rb_fold([_-VV, S0, S]>>( S is S0 + VV ), R3, 0, Sum), print(Sum), nl,
    list_to_ord_set([c, a, b, a], OS), ord_add_element(OS, d, OS2), ord_del_element(OS2, a, OS3), ord_intersection(OS, OS3, OI), ord_subset([b], OS), print(OS2-OS3-OI), nl,
    ord_union([[a], [b, c], [a, d]], OU), print(OU), nl, ( ord_disjoint([a], [b]) -> writeln(disjoint) ; true ), ord_seteq([a], [a]),
    vertices_edges_to_ugraph([z], [a-b, b-c, c-a, c-d], G), print(G), nl, neighbours(c, G, Nb), print(Nb), nl, edges(G, Es), vertices(G, Vx), print(Es-Vx), nl,
    ( top_sort(G, _) -> true ; writeln(cycle) ), del_edges(G, [c-a], G2), top_sort(G2, TS), print(TS), nl, transitive_closure(G2, TC), print(TC), nl, del_vertices(G2, [b], G3), print(G3), nl,
    compose([a-[b]], [b-[c]], Co), print(Co), nl, add_vertices(G3, [q], G4), add_edges(G4, [q-z], G5), reachable(q, G5, Re), print(Re), nl.
