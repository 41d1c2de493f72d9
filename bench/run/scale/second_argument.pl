% Facts told apart by their second or third argument.
:- dynamic person/3.
main :- fill(0), look(0).
fill(50000) :- !.
fill(N) :- atom_number(A, N), assertz(person(x, A, N)), N1 is N+1, fill(N1).
look(50000) :- !.
look(N) :- person(_, A, N), person(_, A, M), M == N, N1 is N+1, look(N1).
