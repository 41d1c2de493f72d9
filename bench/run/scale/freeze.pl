% Goals that wait for variables.
main :- loop(200000).
loop(0) :- !.
loop(N) :- freeze(X, Y = X), freeze(X, integer(X)), X = N, Y == N, N1 is N-1, loop(N1).
