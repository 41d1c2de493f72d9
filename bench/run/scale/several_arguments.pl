% Facts told apart by two arguments together: each alone has 200 values.
:- dynamic edge/3.
main :- fill(0), look(0), look(0), look(0).
fill(40000) :- !.
fill(N) :- A is N // 200, B is N mod 200, assertz(edge(A, B, N)), N1 is N+1, fill(N1).
look(40000) :- !.
look(N) :- A is N // 200, B is N mod 200, edge(A, B, M), M =:= N, N1 is N+1, look(N1).
