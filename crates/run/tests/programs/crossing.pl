:- initialization(main).
state(w,w,w,w). 
opp(w,e). opp(e,w).
move(s(X,X,G,C), wolf, s(Y,Y,G,C)) :- opp(X,Y).
move(s(X,W,X,C), goat, s(Y,W,Y,C)) :- opp(X,Y).
move(s(X,W,G,X), cabbage, s(Y,W,G,Y)) :- opp(X,Y).
move(s(X,W,G,C), nothing, s(Y,W,G,C)) :- opp(X,Y).
one_eq(X,X,_). one_eq(X,_,X).
safe(s(M,W,G,C)) :- one_eq(M,G,W), one_eq(M,G,C), !.
bfs([[S|P]|_], _, [S|P]) :- S = s(e,e,e,e)-_, !.
bfs([[S-M|P]|Q], Seen, R) :- findall([S2-M2,S-M|P], (move(S,M2,S2), safe(S2), \+ memberchk(S2,Seen)), Next), findall(X, member([X-_|_], Next), New), append(Seen, New, Seen2), append(Q, Next, Q2), bfs(Q2, Seen2, R).
main :- bfs([[s(w,w,w,w)-start]], [s(w,w,w,w)], P), reverse(P, R), forall(member(S-M, R), (write(M), write(': '), print(S), nl)).
