:- table path/2.
edge(a,b). edge(b,c). edge(c,a). edge(c,d).
path(X,Y) :- edge(X,Y).
path(X,Y) :- path(X,Z), edge(Z,Y).
:- table fib/2.
fib(0,0). fib(1,1).
fib(N,F) :- N > 1, N1 is N-1, N2 is N-2, fib(N1,F1), fib(N2,F2), F is F1+F2.
:- table conn(_,_,min).
w(a,b,1). w(b,c,2). w(a,c,5). w(c,a,1).
conn(X,Y,C) :- w(X,Y,C).
conn(X,Y,C) :- conn(X,Z,C1), w(Z,Y,C2), C is C1+C2.
:- table sp(_,_,lattice(shortest/3)).
shortest(P1,P2,P) :- length(P1,L1), length(P2,L2), ( L1 =< L2 -> P = P1 ; P = P2 ).
sp(X,Y,[X,Y]) :- edge(X,Y).
sp(X,Y,P) :- sp(X,Z,P0), edge(Z,Y), append(P0,[Y],P).
main :- findall(Y, path(a,Y), L), msort(L, L1), writeq(L1), nl, fib(100, F), writeq(F), nl, findall(Y-C, conn(a,Y,C), L2), msort(L2, L3), writeq(L3), nl, findall(Y-P, sp(a,Y,P), L4), msort(L4, L5), writeq(L5), nl, abolish_all_tables, fib(10, G), writeq(G), nl.
