% Naive reverse of a list of thirty elements.
main :- range(1, 30, L), bench(60000, L).
bench(0, _) :- !.
bench(N, L) :- \+ \+ nrev(L, _), N1 is N-1, bench(N1, L).
nrev([], []).
nrev([H|T], R) :- nrev(T, RT), app(RT, [H], R).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
range(N, N, [N]) :- !.
range(I, N, [I|L]) :- I1 is I+1, range(I1, N, L).
