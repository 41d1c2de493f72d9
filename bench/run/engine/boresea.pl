% Determinate calls with many arguments and no work.
main :- bench(4000000).
bench(0) :- !.
bench(N) :- a(1, b, [c], N), N1 is N-1, bench(N1).
a(X, Y, Z, W) :- b(Y, X, W, Z).
b(X, Y, Z, W) :- c(W, Z, Y, X).
c(X, Y, Z, W) :- e(Z, W, X, Y).
e(_, _, _, _).
