% Atoms built from numbers and parts, codes and chars.
main :- loop(0).
loop(150000) :- !.
loop(N) :- atom_concat(item_, N, A), atom_codes(A, Cs), atom_codes(B, Cs), A == B, atom_length(A, L), L > 5,
    atomic_list_concat([x, N, y], '-', C), atomic_list_concat(P, '-', C), P = [_, _, _], upcase_atom(C, _), N1 is N+1, loop(N1).
