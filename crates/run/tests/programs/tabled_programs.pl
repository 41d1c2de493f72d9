% Tabling: left recursion, mutual recursion, mode-directed (shortest paths, longest common subsequence), undefined results.
:- table path/2, fibt/2.
edge(1, 2). edge(2, 3). edge(3, 1). edge(3, 4).
path(X, Y) :- path(X, Z), edge(Z, Y).
path(X, Y) :- edge(X, Y).
fibt(0, 0). fibt(1, 1).
fibt(N, F) :- N > 1, A is N-1, B is N-2, fibt(A, FA), fibt(B, FB), F is FA + FB.
:- table short(_, _, min).
w(a, b, 4). w(a, c, 1). w(c, b, 2). w(b, d, 5). w(c, d, 8). w(d, a, 1).
short(X, Y, C) :- w(X, Y, C).
short(X, Y, C) :- short(X, Z, C1), w(Z, Y, C2), C is C1 + C2.
:- table lcs(_, _, max).
lcs([], _, 0). lcs(_, [], 0).
lcs([X|Xs], [X|Ys], N) :- lcs(Xs, Ys, M), N is M + 1.
lcs([_|Xs], Ys, N) :- lcs(Xs, Ys, N).
lcs(Xs, [_|Ys], N) :- lcs(Xs, Ys, N).
:- table ev/1, od/1.
ev(0). ev(N) :- N > 0, M is N-1, od(M).
od(N) :- N > 0, M is N-1, ev(M).
:- table expr//1, term//1.
expr(X+Y) --> expr(X), "+", term(Y).
expr(X) --> term(X).
term(X*Y) --> term(X), "*", num(Y).
term(X) --> num(X).
num(N) --> [D], { code_type(D, digit(N)) }.
:- table conn(_, lattice(shorter/3)).
shorter(P1, P2, P) :- length(P1, L1), length(P2, L2), ( L1 =< L2 -> P = P1 ; P = P2 ).
conn(X, [X]).
conn(Y, P) :- conn(X, P0), edge(X, Y), append(P0, [Y], P).
:- table win/1.
win(X) :- move(X, Y), tnot(win(Y)).
move(1, 2). move(2, 3). move(3, 4). move(1, 3).
:- table collatz/2.
collatz(1, 0) :- !.
collatz(N, S) :- ( N mod 2 =:= 0 -> M is N // 2 ; M is 3*N+1 ), collatz(M, S0), S is S0 + 1.
main :-
    findall(Y, path(1, Y), L0), sort(L0, L), print(L), nl, aggregate_all(count, path(_, _), N), print(N), nl,
    fibt(100, F), print(F), nl, findall(Y-C, short(a, Y, C), S0), sort(S0, S), print(S), nl,
    atom_chars(abcbdab, A), atom_chars(bdcaba, B), lcs(A, B, LN), print(LN), nl,
    ( ev(200) -> writeln(even) ; writeln(odd) ),
    atom_codes('1+2*3+4', Cs), phrase(expr(E), Cs), print(E), nl,
    ( member(W, [1, 2, 3, 4]), win(W), print(W), nl, fail ; true ),
    aggregate_all(max(St-Nn), ( between(1, 100, Nn), collatz(Nn, St) ), Mx), print(Mx), nl,
    abolish_all_tables, fibt(10, F10), print(F10), nl.
