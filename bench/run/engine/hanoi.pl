% Towers of Hanoi, twenty discs.
main :- hanoi(22, a, b, c).
hanoi(0, _, _, _) :- !.
hanoi(N, A, B, C) :- M is N-1, hanoi(M, A, C, B), hanoi(M, C, B, A).
