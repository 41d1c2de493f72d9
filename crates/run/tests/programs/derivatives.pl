d(X, X, 1) :- !.
d(C, _, 0) :- atomic(C), !.
d(A+B, X, DA+DB) :- d(A,X,DA), d(B,X,DB).
d(A-B, X, DA-DB) :- d(A,X,DA), d(B,X,DB).
d(A*B, X, A*DB+B*DA) :- d(A,X,DA), d(B,X,DB).
d(A^N, X, N*A^N1*DA) :- integer(N), N1 is N-1, d(A,X,DA).
d(sin(A), X, cos(A)*DA) :- d(A,X,DA).
s(E, E) :- atomic(E), !.
s(E, R) :- E =.. [Op,A,B], !, s(A,SA), s(B,SB), r(Op,SA,SB,R).
s(E, R) :- E =.. [F,A], s(A,SA), R =.. [F,SA].
r(+,0,X,X) :- !. r(+,X,0,X) :- !. r(*,0,_,0) :- !. r(*,_,0,0) :- !. r(*,1,X,X) :- !. r(*,X,1,X) :- !. r(-,X,0,X) :- !. r(^,X,1,X) :- !.
r(Op,A,B,R) :- number(A), number(B), E =.. [Op,A,B], !, R is E.
r(Op,A,B,R) :- R =.. [Op,A,B].
main :- forall(member(E, [x^3+2*x, sin(x^2)*x, (x+1)*(x-1), 3*x^2-5]), (d(E,x,D), s(D,S), writeq(E), write(' => '), writeq(S), nl)), writeq(-(x)^2), nl, writeq((-x)^2), nl, writeq(-(1)^2), nl, writeq(1-(2-3)), nl, writeq((1-2)-3), nl, writeq((2^3)^4), nl, writeq(- (- x)), nl, writeq(1 - (-1)), nl, writeq(a*(b,c)), nl, writeq([a|b]), nl, writeq(-(-(1))), nl, writeq(- a), nl, writeq(f((a:-b))), nl, writeq((a,b;c->d)), nl, writeq([(a,b)]), nl, writeq((p:-q)), nl.
