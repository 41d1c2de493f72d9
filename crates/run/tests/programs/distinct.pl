% all_distinct/1 sees that values are needed by others: a sudoku without search. Bounds of quotients; domains of numbers.
:- use_module(library(clpfd)).
sudoku(Rows) :-
    length(Rows, 9), maplist(same_length(Rows), Rows),
    append(Rows, Vs), Vs ins 1..9,
    maplist(all_distinct, Rows),
    transpose(Rows, Columns), maplist(all_distinct, Columns),
    Rows = [A,B,C,D,E,F,G,H,I],
    blocks(A, B, C), blocks(D, E, F), blocks(G, H, I).
blocks([], [], []).
blocks([A,B,C|X], [D,E,F|Y], [G,H,I|Z]) :- all_distinct([A,B,C,D,E,F,G,H,I]), blocks(X, Y, Z).
problem([[_,_,_,_,_,_,_,_,_],
         [_,_,_,_,_,3,_,8,5],
         [_,_,1,_,2,_,_,_,_],
         [_,_,_,5,_,7,_,_,_],
         [_,_,4,_,_,_,1,_,_],
         [_,9,_,_,_,_,_,_,_],
         [5,_,_,_,_,_,_,7,3],
         [_,_,2,_,1,_,_,_,_],
         [_,_,_,_,4,_,_,_,9]]) :- fail.
problem([[5,3,_,_,7,_,_,_,_],
         [6,_,_,1,9,5,_,_,_],
         [_,9,8,_,_,_,_,6,_],
         [8,_,_,_,6,_,_,_,3],
         [4,_,_,8,_,3,_,_,1],
         [7,_,_,_,2,_,_,_,6],
         [_,6,_,_,_,_,2,8,_],
         [_,_,_,4,1,9,_,_,5],
         [_,_,_,_,8,_,_,7,9]]).
doms(Vs) :- maplist([V,D]>>fd_dom(V, D), Vs, Ds), print(Ds), nl.
main :-
    problem(Rows), sudoku(Rows), maplist([R]>>( print(R), nl ), Rows),
    X in 1..2, Y in 1..2, Z in 1..3, all_distinct([X,Y,Z]), doms([X,Y,Z]),
    ( [P,Q,R1] ins 1..2, all_distinct([P,Q,R1]) -> print(yes) ; print(no) ), nl,
    [A,B] ins 1..3, C in 1..2, D in 1..2, all_distinct([A,B,C,D]) -> doms([A,B,C,D])
    ; print(none), nl,
      X9 // 3 #= 2, doms([X9]), Y9 div 4 #= 5, doms([Y9]), Z9 // 3 #= 0, doms([Z9]),
      K #= 3 + 4, doms([K]),
      findall(S, ( S = [S1,S2,S3], S ins 1..3, all_distinct(S), S1 #< S3, S2 #\= 2, label(S) ), Ss), print(Ss), nl,
      findall(T1-T2, ( [T1,T2] ins 0..2, T1 #\= T2 + 1, label([T1,T2]) ), Ts), print(Ts), nl.
