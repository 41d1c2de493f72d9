:- use_module(library(yall)).
knight(N, Path) :- Max is N*N, tour(Max, N, [1/1], Path).
tour(M, _, P, P) :- length(P, M), !.
tour(M, N, [C|P], R) :- findall(D-X, (jump(N, C, X), \+ memberchk(X, [C|P]), deg(N, [C|P], X, D)), L), keysort(L, S), member(_-X, S), tour(M, N, [X,C|P], R).
deg(N, P, X, D) :- aggregate_all(count, (jump(N, X, Y), \+ memberchk(Y, P)), D).
jump(N, A/B, C/D) :- member(X/Y, [1/2,2/1,2/ -1,1/ -2,-1/ -2,-2/ -1,-2/1,-1/2]), C is A+X, D is B+Y, C >= 1, C =< N, D >= 1, D =< N.
main :- knight(5, P), length(P, N), writeq(N), nl, P = [F|_], writeq(F), nl.
