% Goals woken in the middle of clauses: tN(A) for each way a clause may go on.
m(Y) :- member(Y, [1,2,3]).
fz(X, Y) :- freeze(X, m(Y)).
t1(Y) :- fz(X,Y), X = a, Y > 1.
t2(Y) :- fz(X,Y), X = a, integer(Y).
t3(Y) :- fz(X,Y), X = a, Y == 2.
t4(Y-N) :- fz(X,Y), X = a, functor(Y, N, _).
t5(Y-Z) :- fz(X,Y), X = a, Z is Y*2.
t6(Y) :- fz(X,Y), h6(X, Y).
h6(a, Y) :- Y >= 2.
h6(b, _).
t7(Y) :- fz(X,Y), h7(X, Y).
h7(a, Y) :- Y >= 2, !.
h7(_, z).
t8(Y) :- fz(X,Y), h8(X, Y).
h8(a, _) :- !.
h8(_, z).
t9(Y-R) :- fz(X,Y), ( X = a -> R = yes ; R = no ).
t10(Y-R) :- fz(X,Y), ( X = a, Y > 1 -> R = yes ; R = no ).
t11(Y-R) :- fz(X,Y), ( X = a, Y > 5 -> R = yes ; R = no ).
t12(Y-R) :- fz(X,Y), X = a, ( Y > 1 -> R = yes ; R = no ).
t13(Y-R) :- fz(X,Y), ( X = a *-> R = yes ; R = no ).
t14(Y-R) :- fz(X,Y), X = a, ( R = 1 ; R = 2 ).
t15(Y) :- fz(X,Y), X = a, !, true.
t16(Y) :- fz(X,Y), X = a, m(Z), Z == Y, !.
t17(R) :- freeze(X, fail), h8(X, R).
t18(R) :- freeze(X, fail), ( X = 1 ; true ), R = ok.
t19(R) :- freeze(X, fail), X = 1, ( fail ; true ), R = bad.
t20(Y-Z) :- fz(X,Y), fz(W,Z), f(X,W) = f(a,b), Y < Z.
t21(Y-Z) :- fz(X,Y), fz(W,Z), X = W, X = q, Y \== Z.
t22(Y-L) :- fz(X,Y), X = a, L = [Y|T], T = [], L = [_|_], Y =\= 2.
t23(A) :- fz(X,Y), p23(X, Y, A, f(g(h), [1,2|_])).
p23(k(_), Y, A, f(g(Q), [B,C|D])) :- atom(Q), B < C, var(D), Y > 1, A = r(Y, Q, B, C).
t24(Y) :- fz(X,Y), arg(1, f(a), X), Y > 1.
t25(Y) :- fz(X,Y), X is 1 + 2, Y > 1.
t26(Y) :- fz(X,Y), atom_length(abc, X), Y > 1, integer(X).
t27(Y) :- fz(X,Y), \+ X = b(1) -> true ; Y = none.
t28(Y) :- fz(X,Y), \+ \+ ( X = b, Y == 3 ).
t29(Y-Z) :- fz(X,Y), freeze(Y, m(Z)), X = a, Z > Y.
t30(Y) :- dif(A,B), fz(X,Y), A = f(Q), B = f(W), X = a, Q = 1, W = 1.
t31(Y) :- dif(A,B), fz(X,Y), A = f(Q), B = f(W), X = a, Q = 1, W = Y, Y > 0.
t32(Y) :- when(ground(f(A,B)), m(Y)), A = 1, B = 2, Y > 1.
t33(Y) :- when((nonvar(A);nonvar(B)), m(Y)), A = 1, Y > 1, B = 2, integer(B).
t34(Y) :- fz(X,Y), catch(throw(ball(a)), ball(X), true), Y > 1.
t35(Y) :- fz(X,Y), catch(throw(ball(a)), ball(X), (Y > 1, integer(Y))).
t36(Y) :- fz(X,Y), findall(X-Y, (X = a, Y > 1), L), Y = L.
t37(Y) :- fz(X,Y), d37(X, Y).
:- dynamic d37/2.
d37(a, Y) :- Y > 1.
d37(b, Y) :- Y == 1.
t38(Y) :- fz(X,Y), call((X = a, Y > 1, integer(Y))).
t39(Y) :- fz(X,Y), once((X = a, Y > 1)).
t40(Y) :- fz(X,Y), forall(X = a, Y > 0), var(Y).
t41(Y-R) :- fz(X,Y), G = (X = a), ( call(G) -> R = Y ; R = none ).
t42(R) :- freeze(X, (R = 1 ; R = 2)), X = a, nonvar(R).
t43(R) :- freeze(X, throw(oops)), catch((X = 1, integer(R)), E, R = E).
t44(R) :- fz(X, Y), X = a, Y =.. L, R = L.
t45(R) :- fz(X, Y), X = a, copy_term(Y, R), R @> 1.
t46(R) :- fz(X, Y), (X == a -> R = 1 ; X = a -> R = Y ; R = 3).
t47(R) :- fz(X, Y), (X = b, X == a -> R = 1 ; X = a, Y >= 2 -> R = Y ; R = 3).
t48(R) :- fz(X, Y), p48(X, Y, R).
p48(X, Y, R) :- X = s(Z), Z = 1, Y > 1, !, R = Y-Z.
p48(_, _, other).
t49(R) :- freeze(X, Y > 1), p49(X, Y, R).
p49(a, 1, one) :- !.
p49(a, 2, two) :- !.
p49(_, _, other).
t50(R) :- freeze(X, (Y > 1)), member(Y, [1,2,3]), p50(X, Y, R).
p50(a, Y, one) :- Y < 3, !.
p50(_, _, other).
t51(N) :- fz(X,Y), p51(1,2,3,4,5,6,7,8,9,10,11,12,X,N), Y > 1.
p51(A,B,C,D,E,F,G,H,I,J,K,L,a,N) :- N is A+B+C+D+E+F+G+H+I+J+K+L.
t52(L) :- length(Xs, 30), last(Xs, X), fz(X, Y), Xs = [A,B,C,D,E|_], X = a, Y > 1, A = 1, B = 2, C = A, D = B, E = Y, L = [A,B,C,D,E].
t53(R) :- fz(X,Y), (true ; true), X = a, Y >= 2, (Y == 2 -> R = two ; R = Y).
t54(X-Y) :- freeze(X, member(X,[a,b])), X = b, Y = 1, atom(X).
t55(S) :- freeze(X, true), S = f(X), X = g(Z), Z = 1, compound(S), ground(S).
t56(R) :- freeze(X, (Y = 1 ; Y = 2)), freeze(X, (Z = 3 ; Z = 4)), X = go, R is Y * Z.
t57(R) :- freeze(X, fail), ( p57(X) -> R = 1 ; R = 2 ).
p57(X) :- X = 1, integer(X), !.
p57(_) :- fail.
t58(R) :- freeze(X, R = 1), q58(X, R, _).
q58(X, R, Q) :- X = f(Q), Q = z, var(Q) -> R = 5 ; R = 6.
t59(R) :- freeze(X, fail), findall(Z, (X = 1, fail ; Z = 2), R).
t60(R) :- freeze(X, (nb_setval(k, 1), fail)), nb_setval(k, 0), ( X = 1 -> fail ; nb_getval(k, R) ).
deep(0, _) :- !.
deep(N, Y) :- freeze(X, mm(Y)), X = 1, integer(Y), N1 is N-1, deep(N1, _).
mm(1).
mm(2).
t61(R) :- deep(300, _), R = ok, !.
gcq(0, _) :- !.
gcq(N, L) :- length(L0, 20), freeze(X, work(Y)), L0 = [Q|_], X = a, Y > 0, Q = L, N1 is N-1, gcq(N1, [Y]).
work(Y) :- numlist(1, 200, L), sum_list(L, S), S > 0, Y = 1.
work(Y) :- Y = 2.
t62(R) :- gcq(200, []), R = ok, !.

answers(N, L) :-
    atom_concat(t, N, T), G =.. [T, A],
    findall(A, G, L0), copy_term(L0, L, _), numbervars(L, 0, _).
