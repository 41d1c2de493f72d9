% Hofstadter's MU puzzle by depth-limited search.
main :- bench(4000).
bench(0) :- !.
bench(N) :- \+ \+ theorem([m,u,i,i,u], 5, _), N1 is N-1, bench(N1).
theorem([m,i], _, [[a|[m,i]]]).
theorem(R, Depth, [[N|R]|P]) :-
    Depth > 0,
    D is Depth-1,
    theorem(S, D, P),
    rule(N, S, R).
rule(1, S, R) :- rule1(S, R).
rule(2, S, R) :- rule2(S, R).
rule(3, S, R) :- rule3(S, R).
rule(4, S, R) :- rule4(S, R).
rule1(S, R) :- app(X, [i], S), app(X, [i,u], R).
rule2([m|T], [m|R]) :- app(T, T, R).
rule3([], _) :- fail.
rule3(R, T) :- app([i,i,i], S, R), app([u], S, T).
rule3([H|T], [H|R]) :- rule3(T, R).
rule4([], _) :- fail.
rule4(R, T) :- app([u,u], T, R).
rule4([H|T], [H|R]) :- rule4(T, R).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
