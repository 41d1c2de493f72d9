% The clause database: assert, look up and retract numbered facts.
:- dynamic(fact/2).
main :- bench(6).
bench(0) :- !.
bench(N) :- fill(30000), look(30000), clear, N1 is N-1, bench(N1).
fill(0) :- !.
fill(N) :- V is N*7 mod 1000, assertz(fact(N, V)), N1 is N-1, fill(N1).
look(0) :- !.
look(N) :- fact(N, V), V is N*7 mod 1000, !, N1 is N-1, look(N1).
clear :- retract(fact(_, _)), fail.
clear.
