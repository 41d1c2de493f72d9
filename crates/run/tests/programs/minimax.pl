% tic-tac-toe minimax with memo in dynamic db
:- dynamic memo/3.
win(B, P) :- member([X,Y,Z], [[1,2,3],[4,5,6],[7,8,9],[1,4,7],[2,5,8],[3,6,9],[1,5,9],[3,5,7]]), arg(X,B,P), arg(Y,B,P), arg(Z,B,P), P \== e, !.
val(B, P, V) :- memo(B, P, V0), !, V = V0.
val(B, P, V) :- compute(B, P, V), assertz(memo(B, P, V)).
compute(B, _, -1) :- win(B, _), !.
compute(B, _, 0) :- \+ arg(_, B, e), !.
compute(B, P, V) :- other(P, Q), findall(W, (place(B, P, B2), val(B2, Q, W0), W is -W0), Ws), max_list(Ws, V).
other(x,o). other(o,x).
place(B, P, B2) :- arg(I, B, e), B =.. [F|As], nth1(I, As, _, Rest), nth1(I, As2, P, Rest), B2 =.. [F|As2].
main :- B = b(x,o,x,e,o,e,e,e,e), val(B, x, V), writeq(V), nl, aggregate_all(count, memo(_,_,_), C), writeq(C), nl, retractall(memo(_,_,_)), val(b(x,e,e,e,o,e,e,e,e), x, V2), writeq(V2), nl.
