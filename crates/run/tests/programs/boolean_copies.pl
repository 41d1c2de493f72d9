% Copies of truth values that constraints join have copies of the constraints, and values that come together are all checked.
:- use_module(library(clpb)).
p(X) :- ( var(X) -> write(v) ; write(X) ), write(' ').
copy0 :- sat(X=:=Y), findall(X-Z, Z=X, [A-_]), A=1, p(Y), X=0, p(Y), nl.
copy1 :- sat(X=:=Y), copy_term(X-Y, A-B), A=1, p(B), p(X), p(Y), nl.
copy2 :- findall(X-Y, sat(X=\=Y), [A-B]), A=1, p(B), nl.
copy3 :- sat(X=:=Y), sat(Y=:=Z), copy_term([X,Y,Z],[A,B,C]), A-B=0-0, p(C), p(Z), nl.
copy4 :- sat(X=\=Y), copy_term([X,Y],[A,B]), ( A-B = 0-0 -> write(wrong) ; write(fails) ), nl.
copy5 :- sat(X+Y), copy_term([X,Y],[A,B]), A=X, p(A), B=0, p(A), p(X), p(Y), nl.
copy6 :- findall(L, (L=[X,Y,Z], sat(X+Y), sat(Y=\=Z)), [M]), findall(M, labeling(M), Ms), write(Ms), nl, sat_count(+[1|M], N), write(N), nl.
copy7 :- sat(X*Y=:=Z), bagof(X-Y-Z, labeling([X,Y]), L), write(L), nl.
copy8 :- sat(X=:=Y), findall(X-Y,(X=1;true),[_,A-B]), A=0, p(B), p(X), nl.
copy9 :- sat(X =:= a), copy_term(X, Y), ( Y = 0 -> write(wrong) ; write(fails) ), nl.
both0 :- sat(X=\=Y), ( X-Y = 0-0 -> write(wrong) ; write(fails) ), nl.
both1 :- sat(X=\=Y), ( X-Y = 0-1 -> write(ok) ; write(fails) ), nl.
both2 :- sat(X=:=Y), sat(Y=:=Z), ( f(X,Y,Z) = f(1,1,0) -> write(wrong) ; write(fails) ), nl.
both3 :- sat(X=:=Y*Z), ( f(X,Y,Z) = f(1,1,1) -> write(ok) ; write(fails) ), nl.
both4 :- sat(X=\=Y), ( f(X,Y) = f(A,A) -> write(wrong) ; write(fails) ), nl.
both5 :- sat(X=\=Y), sat(Z+W), ( f(X,Z) = f(Z,1) -> p(Y),p(W) ; write(fails) ), nl.
both6 :- sat(X=\=Y), ( f(X,Y) = f(0,Z) -> p(Z) ; write(fails) ), nl.
both7 :- sat(X+Y), sat(~X+ ~Y), ( f(X,Y)=f(0,Z), p(Z), Z=W, p(W) -> true ; write(fails) ), nl.
both8 :- length(L,6), sat(card([3],L)), findall(L, labeling(L), Ls), length(Ls,N), write(N), ( L=[1,1,1,1|_] -> write(wrong) ; true ), ( L=[0,0,0|T] -> write(T) ; write(no) ), nl.
both9 :- sat(X=\=Y), copy_term([X,Y],[A,B]), ( f(A,B,X)=f(0,1,1) -> p(Y) ; write(fails) ), nl.
both10 :- sat(X=\=Y), copy_term([X,Y],[A,B]), ( f(A,B)=f(X,Y) -> A=1, p(B), p(Y) ; write(fails) ), nl.
both11 :- sat(X=\=Y), copy_term([X,Y],[A,B]), ( f(A,B)=f(X,X) -> write(wrong) ; write(fails) ), nl.
main :- forall(member(G, [copy0, copy1, copy2, copy3, copy4, copy5, copy6, copy7, copy8, copy9, both0, both1, both2, both3, both4, both5, both6, both7, both8, both9, both10, both11]), ( write(G), write(': '), ( call(G) -> true ; write(failed), nl ) )).
