% 600 variables all different from each other, then bound.
main :- length(L, 600), pairs(L), numbers(L, 1).
pairs([]).
pairs([X|Xs]) :- all(Xs, X), pairs(Xs).
all([], _).
all([Y|Ys], X) :- dif(X, Y), all(Ys, X).
numbers([], _).
numbers([N|Ns], N) :- N1 is N+1, numbers(Ns, N1).
