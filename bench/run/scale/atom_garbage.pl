% Many atoms that are soon forgotten.
main :- loop(0).
loop(600000) :- !.
loop(N) :- atom_number(A, N), atom_concat(A, suffix, B), atom_chars(B, [_|_]), N1 is N+1, loop(N1).
