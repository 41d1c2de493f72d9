% All parts of a long atom, and the places of a part in it.
main :- length(L, 1000), maplist(=(a), L), atom_chars(A, L),
    ( sub_atom(A, _, _, _, S), S == zzz -> true ; true ),
    length(L2, 200000), maplist(=(b), L2), atom_chars(B, L2), atom_concat(B, xyz, C),
    forall(between(1, 20, _), sub_atom(C, _, _, 0, xyz)),
    forall(between(1, 20, _), once(sub_atom(C, _, _, _, xyz))),
    findall(P, sub_atom(B, P, 1, _, _), Ps), length(Ps, 200000).
