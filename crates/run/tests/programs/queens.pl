:- use_module(library(clpfd)).
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), labeling([ff], Qs).
safe([]). safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [Q1|Qs], D) :- Q #\= Q1, abs(Q - Q1) #\= D, D1 is D+1, no_attack(Q, Qs, D1).
main :- queens(8, Qs), writeq(Qs), nl, findall(Q, queens(6, Q), L), length(L, N), writeq(N), nl.
