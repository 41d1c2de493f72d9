% Meta-interpreters: vanilla, with proof trees, with a depth bound, iterative deepening, tracing and a "why" explanation.
:- dynamic edge/2, path/2, app/3, nat/1, bird/1, flies/1, penguin/1, even/1, odd/1.
edge(a, b). edge(b, c). edge(c, a). edge(c, d).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
nat(0).
nat(s(N)) :- nat(N).
bird(tweety). bird(opus). penguin(opus).
flies(X) :- bird(X), \+ penguin(X).

solve(true) :- !.
solve((A, B)) :- !, solve(A), solve(B).
solve((A ; B)) :- !, ( solve(A) ; solve(B) ).
solve(\+ A) :- !, \+ solve(A).
solve(H) :- predicate_property(H, built_in), !, call(H).
solve(H) :- clause(H, B), solve(B).

prove(true, true) :- !.
prove((A, B), (PA, PB)) :- !, prove(A, PA), prove(B, PB).
prove(\+ A, \+ A) :- !, \+ prove(A, _).
prove(H, (H :- P)) :- clause(H, B), prove(B, P).

bounded(true, _) :- !.
bounded((A, B), D) :- !, bounded(A, D), bounded(B, D).
bounded(H, D) :- D > 0, D1 is D - 1, clause(H, B), bounded(B, D1).
deepening(G, D) :- between(1, 20, D), bounded(G, D).

show((H :- true), I) :- !, tab(I), writeq(H), nl.
show((H :- P), I) :- !, tab(I), writeq(H), write(' because'), nl, J is I + 2, show(P, J).
show((A, B), I) :- !, show(A, I), show(B, I).
show(X, I) :- tab(I), print(X), nl.

trace(true, _) :- !.
trace((A, B), D) :- !, trace(A, D), trace(B, D).
trace(H, D) :- port(call, D, H), ( clause(H, B), D1 is D+1, trace(B, D1), port(exit, D, H) ; port(fail, D, H), fail ).
port(P, D, H) :- I is D * 2, format("~*c~w: ~q~n", [I, 0' , P, H]).

main :-
    findall(X-Y, solve(app(X, Y, [1,2])), L), print(L), nl,
    findall(X, solve(flies(X)), F), print(F), nl,
    prove(flies(tweety), P), show(P, 0),
    prove(app([1,2], [3], _), P2), show(P2, 0),
    once(deepening(path(a, d), D)), print(depth(D)), nl,
    ( deepening(path(d, _), _) -> print(yes) ; print(no) ), nl,
    findall(Y, ( between(1, 6, N), bounded(path(a, Y), N) ), Ys), sort(Ys, S), print(S), nl,
    once(trace(app([a], [b], _), 0)),
    ( trace(nat(foo), 0) -> true ; writeln(failed) ),
    findnsols(3, X, solve(nat(X)), Ns), !, print(Ns), nl,
    assertz((even(0))), assertz((even(s(N0)) :- odd(N0))), assertz((odd(s(N1)) :- even(N1))),
    ( solve(even(s(s(0)))) -> writeln(even) ; writeln(odd) ),
    clause(odd(Z), B), print((odd(Z) :- B)), nl.
