% Multiplication puzzle: digits odd or even as drawn.
%      O E E
%  *     E E
%  ---------
%    E O E E
%    E O E
%  ---------
%    O O E E
main :- bench(12000).
bench(0) :- !.
bench(N) :- \+ \+ solve, N1 is N-1, bench(N1).
solve :-
    odd(A), even(B), even(C), even(E),
    digits_product(E, [C,B,A], [I,H,G,F|X]), even_digit_list([I,H]), is_odd(G), is_even(F), zero(X),
    lefteven(D),
    digits_product(D, [C,B,A], [L,K,J|Y]), is_even(L), is_odd(K), is_even(J), zero(Y),
    sum2([I,H,G,F], [0,L,K,J], [P,O,N,M|Z]),
    is_odd(M), is_odd(N), is_even(O), is_even(P), zero(Z),
    !.
even_digit_list([]).
even_digit_list([D|Ds]) :- is_even(D), even_digit_list(Ds).
digits_product(D, Ds, Ps) :- prod(Ds, D, 0, Ps).
prod([], _, 0, []) :- !.
prod([], _, C, [C]).
prod([D|Ds], E, C, [P|Ps]) :-
    X is D*E+C, P is X mod 10, C1 is X//10,
    prod(Ds, E, C1, Ps).
sum2(As, Bs, Cs) :- sum(As, Bs, 0, Cs).
sum([], [], 0, []) :- !.
sum([], [], C, [C]).
sum([A|As], [B|Bs], C, [S|Ss]) :-
    X is A+B+C, S is X mod 10, C1 is X//10,
    sum(As, Bs, C1, Ss).
zero([]).
zero([0|L]) :- zero(L).
is_odd(N) :- 1 is N mod 2.
is_even(N) :- 0 is N mod 2.
odd(1). odd(3). odd(5). odd(7). odd(9).
even(0). even(2). even(4). even(6). even(8).
lefteven(2). lefteven(4). lefteven(6). lefteven(8).
