:- table even/1, odd/1.
even(0). even(N) :- N > 0, M is N-1, odd(M).
odd(N) :- N > 0, M is N-1, even(M).
:- table a/1, b/1.
a(X) :- b(X). a(1). b(X) :- a(X). b(2).
:- table lcs/3.
lcs([], _, 0) :- !.
lcs(_, [], 0) :- !.
lcs([H|T1], [H|T2], N) :- !, lcs(T1, T2, M), N is M+1.
lcs([H1|T1], [H2|T2], N) :- lcs(T1, [H2|T2], N1), lcs([H1|T1], T2, N2), N is max(N1,N2).
:- table expr//1, trm//1.
expr(X) --> expr(Y), "+", trm(Z), { X is Y+Z }.
expr(X) --> trm(X).
trm(N) --> [D], { code_type(D, digit(N)) }.
:- table reach(_,max).
reach(a, 1). reach(X, N) :- reach(Y, M), e(Y, X), N is M+1, N < 10.
e(a,b). e(b,c). e(c,a).
main :- ( even(100) -> writeln(even) ; writeln(odd) ), findall(X, a(X), L), sort(L, SL), writeq(SL), nl, atom_chars(abcbdab, C1), atom_chars(bdcaba, C2), lcs(C1, C2, N), writeq(N), nl, atom_codes('1+2+3', Cs), phrase(expr(V), Cs), writeq(V), nl, findall(P-Q, reach(P,Q), R), sort(R, SR), writeq(SR), nl.
