% Tabling: numbers and reachability in a graph with cycles.
:- table fib/2, path/2.
main :- fib(600, _), findall(Y, path(1, Y), L), length(L, 300), findall(x, path(_, _), L2), length(L2, 90000).
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, A is N-1, B is N-2, fib(A, X), fib(B, Y), F is X+Y.
path(X, Y) :- edge(X, Y).
path(X, Y) :- path(X, Z), edge(Z, Y).
edge(X, Y) :- between(1, 300, X), ( X < 300 -> Y is X+1 ; Y = 1 ).
