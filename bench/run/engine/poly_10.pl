% (1+x+y+z)^10 symbolically; a polynomial is poly(Var, Terms) or a number,
% Terms a list of term(Exponent, Coefficient) with rising exponents.
main :- bench(250).
bench(0) :- !.
bench(N) :- \+ \+ (base(P), power(10, P, _)), N1 is N-1, bench(N1).
base(P) :-
    padd(1, poly(x,[term(1,1)]), P1),
    padd(poly(y,[term(1,1)]), poly(z,[term(1,1)]), P2),
    padd(P1, P2, P).
power(0, _, 1) :- !.
power(N, P, R) :- M is N-1, power(M, P, Q), pmul(P, Q, R).
padd(poly(V1,T1), poly(V2,T2), R) :- !,
    compare(O, V1, V2),
    padd_by(O, V1, T1, V2, T2, R).
padd(poly(V,T), C, poly(V,T2)) :- !, add_const(T, C, T2).
padd(C, poly(V,T), poly(V,T2)) :- !, add_const(T, C, T2).
padd(C1, C2, C) :- C is C1+C2.
padd_by(=, V, T1, _, T2, poly(V,T)) :- add_terms(T1, T2, T).
padd_by(<, V1, T1, V2, T2, poly(V1,T)) :- add_const(T1, poly(V2,T2), T).
padd_by(>, V1, T1, V2, T2, poly(V2,T)) :- add_const(T2, poly(V1,T1), T).
add_const([term(0,C1)|T], C2, [term(0,C)|T]) :- !, padd(C1, C2, C).
add_const(T, C, [term(0,C)|T]).
add_terms([], X, X) :- !.
add_terms(X, [], X) :- !.
add_terms([term(E1,C1)|X], [term(E2,C2)|Y], R) :-
    compare(O, E1, E2),
    add_terms(O, E1, C1, X, E2, C2, Y, R).
add_terms(=, E, C1, X, _, C2, Y, [term(E,C)|R]) :- padd(C1, C2, C), add_terms(X, Y, R).
add_terms(<, E1, C1, X, E2, C2, Y, [term(E1,C1)|R]) :- add_terms(X, [term(E2,C2)|Y], R).
add_terms(>, E1, C1, X, E2, C2, Y, [term(E2,C2)|R]) :- add_terms([term(E1,C1)|X], Y, R).
pmul(poly(V1,T1), poly(V2,T2), R) :- !,
    compare(O, V1, V2),
    pmul_by(O, V1, T1, V2, T2, R).
pmul(poly(V,T), C, poly(V,T2)) :- !, scale(T, C, T2).
pmul(C, poly(V,T), poly(V,T2)) :- !, scale(T, C, T2).
pmul(C1, C2, C) :- C is C1*C2.
pmul_by(=, V, T1, _, T2, poly(V,T)) :- mul_terms(T1, T2, T).
pmul_by(<, V1, T1, V2, T2, poly(V1,T)) :- scale(T1, poly(V2,T2), T).
pmul_by(>, V1, T1, V2, T2, poly(V2,T)) :- scale(T2, poly(V1,T1), T).
scale([], _, []).
scale([term(E,C1)|T], C, [term(E,C2)|R]) :- pmul(C1, C, C2), scale(T, C, R).
mul_terms([], _, []) :- !.
mul_terms(_, [], []) :- !.
mul_terms([term(E,C)|X], Y, R) :-
    shift(Y, E, C, P),
    mul_terms(X, Y, Q),
    add_terms(P, Q, R).
shift([], _, _, []).
shift([term(E1,C1)|T], E2, C2, [term(E,C)|R]) :-
    E is E1+E2,
    pmul(C1, C2, C),
    shift(T, E2, C2, R).
