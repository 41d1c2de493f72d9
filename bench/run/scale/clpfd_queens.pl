% Queens with constraints.
:- use_module(library(clpfd)).
main :- forall(between(8, 20, N), ( queens(N, Qs), once(labeling([ff], Qs)) )).
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs).
safe([]).
safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [P|Ps], D) :- Q #\= P, Q #\= P+D, Q #\= P-D, D1 is D+1, no_attack(Q, Ps, D1).
