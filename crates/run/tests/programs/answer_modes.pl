% Answers that are added up: each derivation counts once, also where answers lead back to their own call.
:- table paths(_, _, sum), right(_, _, sum), ways(_, lattice(plus3/3)), counted(_, sum), named(_, lattice(union3/3)).
% Plain answers that lead to a combined one keep what it was on the way.
:- table collected/2, highest(_, lattice(higher/3)).
collected(X, Y) :- highest(X, Y).
collected(_, 1).
highest(X, Z) :- collected(X, Y), Y < 5, Z is Y + 1.
higher(A, B, C) :- C is max(A, B).

:- table best(_, po(better/2)), nearest(_, _, po('<'/2)).
better(A, B) :- A > B.
best(K, V) :- member(K-V, [k-1, l-2, k-3, k-2]).
nearest(X, Y, W) :- road(X, Y, W).
nearest(X, Y, W) :- nearest(X, Z, A), road(Z, Y, B), W is A + B.

:- table dist(_, _, min), hops(_, _, lattice(shorter/3)), seen(first), newest(_, last).

edge(a, b). edge(a, c). edge(b, d). edge(c, d). edge(d, f). edge(d, g). edge(f, h). edge(g, h).

paths(X, Y, 1) :- edge(X, Y).
paths(X, Y, N) :- paths(X, Z, N), edge(Z, Y).
right(X, Y, 1) :- edge(X, Y).
right(X, Y, N) :- edge(X, Z), right(Z, Y, N).

plus3(A, B, C) :- C is A + B.
ways(X, 1) :- edge(a, X).
ways(Y, N) :- ways(X, N), edge(X, Y).

counted(K, 1) :- member(K, [x, y, x, x]).

union3(A, B, C) :- append(A, B, D), sort(D, C).
named(a, [a]).
named(Y, [Y|Xs]) :- named(X, Xs), link(X, Y).
link(a, b). link(b, c). link(c, a). link(c, d).

dist(X, Y, W) :- road(X, Y, W).
dist(X, Y, W) :- dist(X, Z, A), road(Z, Y, B), W is A + B.
road(a, b, 4). road(a, c, 1). road(c, b, 1). road(b, a, 1). road(b, d, 5).

shorter(A, B, C) :- length(A, N), length(B, M), ( N =< M -> C = A ; C = B ).
hops(X, Y, [X, Y]) :- link(X, Y).
hops(X, Y, [X|P]) :- link(X, Z), hops(Z, Y, P).

seen(X) :- member(X, [q, r, s]).
newest(K, V) :- member(K-V, [k-1, l-2, k-3]).

answers(G) :- findall(G, G, L0), sort(L0, L), print(L), nl.

main :-
    answers(paths(a, _, _)), answers(right(a, _, _)), answers(paths(_, h, _)), answers(ways(_, _)), answers(counted(_, _)),
    answers(named(_, _)), answers(dist(a, _, _)), answers(hops(a, _, _)), answers(seen(_)), answers(newest(_, _)),
    answers(collected(1, _)), answers(best(_, _)), answers(nearest(a, _, _)),
    forall(counted(_, _), abolish_all_tables),
    findall(X-Y, ( ways(X, _), abolish_all_tables, counted(Y, _) ), Pairs), length(Pairs, Length), print(Length), nl.
