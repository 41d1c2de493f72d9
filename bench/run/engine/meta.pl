% A meta-interpreter for pure programs running naive reverse.
main :- range(1, 30, L), bench(3000, L).
bench(0, _) :- !.
bench(N, L) :- \+ \+ solve(nrev(L, _)), N1 is N-1, bench(N1, L).
solve(true) :- !.
solve((A,B)) :- !, solve(A), solve(B).
solve(G) :- rule(G, B), solve(B).
rule(nrev([], []), true).
rule(nrev([H|T], R), (nrev(T, RT), app(RT, [H], R))).
rule(app([], L, L), true).
rule(app([H|T], L, [H|R]), app(T, L, R)).
range(N, N, [N]) :- !.
range(I, N, [I|L]) :- I1 is I+1, range(I1, N, L).
