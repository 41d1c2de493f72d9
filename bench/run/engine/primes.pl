% Sieve with lists up to 20000.
main :- bench(2).
bench(0) :- !.
bench(N) :- \+ \+ primes(20000, _), N1 is N-1, bench(N1).
primes(N, Ps) :- range(2, N, L), sift(L, Ps).
range(I, N, []) :- I > N, !.
range(I, N, [I|L]) :- I1 is I+1, range(I1, N, L).
sift([], []).
sift([P|Xs], [P|Ps]) :- strike(Xs, P, Ys), sift(Ys, Ps).
strike([], _, []).
strike([X|Xs], P, Ys) :- 0 is X mod P, !, strike(Xs, P, Ys).
strike([X|Xs], P, [X|Ys]) :- strike(Xs, P, Ys).
