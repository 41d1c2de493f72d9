% The MU puzzle guided by lengths and counts.
main :- bench(12000).
bench(0) :- !.
bench(N) :- \+ \+ theorem([m,u,i,i,u]), N1 is N-1, bench(N1).
theorem(G) :- len(G, 0, GL1), GL is GL1-1, derive([m,i], G, 1, GL, _, 0).
derive(S, S, _, _, D, D).
derive(S, G, SL, GL, D, B) :-
    lower(SL, GL, B, B1),
    rule(S, I, SL, IL, N, B1, B2),
    D = [rule(N,I)|D1],
    derive(I, G, IL, GL, D1, B2).
lower(SL, GL, B, B1) :- B < 8, B1 is B+1, SL < 40, GL < 40.
rule([m|T1], [m|T2], L1, L2, N, B, B) :- rule(T1, T2, L1, L2, N, i, i, _, _).
rule(T1, T2, L1, L2, 1, _, i, _, _) :- app_i(T1, T2), L2 is L1+1.
rule(T1, T2, L1, L2, 2, _, _, _, _) :- L2 is L1+L1, L2 < 12, app(T1, T1, T2).
rule(T1, T2, L1, L2, 3, _, _, _, _) :- iii(T1, T2), L2 is L1-2.
rule(T1, T2, L1, L2, 4, _, _, _, _) :- uu(T1, T2), L2 is L1-2.
app_i([i], [i,u]).
app_i([X|Y], [X|Z]) :- app_i(Y, Z).
iii([i,i,i|T], [u|T]).
iii([H|T], [H|R]) :- iii(T, R).
uu([u,u|T], T).
uu([H|T], [H|R]) :- uu(T, R).
len([], N, N).
len([_|T], N0, N) :- N1 is N0+1, len(T, N1, N).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
