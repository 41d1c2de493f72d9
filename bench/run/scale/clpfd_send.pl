% A puzzle with constraints and a sudoku.
:- use_module(library(clpfd)).
main :- forall(between(1, 50, _), ( puzzle(P), label(P) )), forall(between(1, 20, _), ( problem(R), sudoku(R), maplist(label, R) )).
puzzle([S,E,N,D,M,O,R,Y]) :- Vs = [S,E,N,D,M,O,R,Y], Vs ins 0..9, all_different(Vs),
    S*1000+E*100+N*10+D+M*1000+O*100+R*10+E #= M*10000+O*1000+N*100+E*10+Y, M #\= 0, S #\= 0.
sudoku(Rows) :- length(Rows, 9), maplist([R]>>length(R, 9), Rows), append(Rows, Vs), Vs ins 1..9,
    maplist(all_different, Rows), transpose(Rows, Cols), maplist(all_different, Cols),
    Rows = [A,B,C,D,E,F,G,H,I], blocks(A,B,C), blocks(D,E,F), blocks(G,H,I).
blocks([], [], []).
blocks([A,B,C|T1], [D,E,F|T2], [G,H,I|T3]) :- all_different([A,B,C,D,E,F,G,H,I]), blocks(T1, T2, T3).
problem([[_,_,_,_,_,_,_,_,_],[_,_,_,_,_,3,_,8,5],[_,_,1,_,2,_,_,_,_],[_,_,_,5,_,7,_,_,_],[_,_,4,_,_,_,1,_,_],
    [_,9,_,_,_,_,_,_,_],[5,_,_,_,_,_,_,7,3],[_,_,2,_,1,_,_,_,_],[_,_,_,_,4,_,_,_,9]]) :- fail.
problem([[5,3,_,_,7,_,_,_,_],[6,_,_,1,9,5,_,_,_],[_,9,8,_,_,_,_,6,_],[8,_,_,_,6,_,_,_,3],[4,_,_,8,_,3,_,_,1],
    [7,_,_,_,2,_,_,_,6],[_,6,_,_,_,_,2,8,_],[_,_,_,4,1,9,_,_,5],[_,_,_,_,8,_,_,7,9]]).
