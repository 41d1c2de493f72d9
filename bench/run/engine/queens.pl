% All ways to place eight queens, then the first for eighteen.
main :- bench(6).
bench(0) :- !.
bench(N) :- all(8), queens(18, _), N1 is N-1, bench(N1).
all(N) :- queens(N, _), fail.
all(_).
queens(N, Qs) :- range(1, N, Ns), place(Ns, [], Qs).
place([], Qs, Qs).
place(Left, Safe, Qs) :-
    sel(Q, Left, Rest),
    no_attack(Safe, Q, 1),
    place(Rest, [Q|Safe], Qs).
no_attack([], _, _).
no_attack([Y|Ys], X, N) :-
    X =\= Y+N, X =\= Y-N,
    N1 is N+1,
    no_attack(Ys, X, N1).
sel(X, [X|Xs], Xs).
sel(X, [Y|Ys], [Y|Zs]) :- sel(X, Ys, Zs).
range(N, N, [N]) :- !.
range(I, N, [I|L]) :- I1 is I+1, range(I1, N, L).
