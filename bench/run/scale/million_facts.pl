% A million facts, asserted, then each looked up.
:- dynamic f/3.
main :- fill(0), look(0).
fill(1000000) :- !.
fill(N) :- M is N mod 1000, assertz(f(N, M, abc)), N1 is N+1, fill(N1).
look(1000000) :- !.
look(N) :- f(N, _, _), N1 is N+1, look(N1).
