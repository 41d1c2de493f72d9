% Global variables with and without backtracking.
main :- nb_setval(n, 0), b_setval(b, 0), loop(500000).
loop(0) :- !.
loop(N) :- nb_getval(n, V), V1 is V+1, nb_setval(n, V1), b_getval(b, B), B1 is B+1, b_setval(b, B1), N1 is N-1, loop(N1).
