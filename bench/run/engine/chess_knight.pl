% A knight's tour on a 5x5 board by backtracking.
main :- bench(6).
bench(0) :- !.
bench(N) :- \+ \+ tour(1, 1, [p(1,1)], 1), N1 is N-1, bench(N1).
tour(_, _, _, 25) :- !.
tour(X, Y, Path, N) :-
    move(DX, DY),
    X1 is X+DX, X1 >= 1, X1 =< 5,
    Y1 is Y+DY, Y1 >= 1, Y1 =< 5,
    \+ mem(p(X1,Y1), Path),
    N1 is N+1,
    tour(X1, Y1, [p(X1,Y1)|Path], N1).
move(1, 2). move(2, 1). move(2, -1). move(1, -2).
move(-1, -2). move(-2, -1). move(-2, 1). move(-1, 2).
mem(X, [X|_]) :- !.
mem(X, [_|T]) :- mem(X, T).
