% Clauses a module changes are its own, or those of predicates it imports by name; what it sees in `user` it can read.
:- dynamic foo/1, baz/1, counter/1.
foo(user).
baz(user).
counter(0).
qux(a). qux(b).

show(Label, G, X) :- findall(X, G, L), print(Label-L), nl.
try(G) :- catch(( G -> true ; print(no), nl ), error(E, _), ( print(E), nl )).

:- det((one/1, few/1)).
one(1). one(2). one(2).
few(X) :- some(X).
some(1). some(2).

kind(G) :- catch(( G, print(yes) ), error(determinism_error(_, det, K, _), _), print(K)), nl.

rest, [x] --> [y].
either, ( [l] | [r] ) --> [c].
both, left, [m] --> [c].
left --> [k].

goal_expansion(foo_goal, bar_goal).
:- meta_predicate run(0).
expanded :- run(foo_goal).
bar_goal :- print(expanded), nl.
run(G) :- call(G).

main :-
    try(m:assertz(foo(m))), show(user, foo(X1), X1), show(m, m:foo(X2), X2),
    try(assertz(n:foo(n))), show(n, n:foo(X3), X3), show(user, foo(X4), X4),
    try(k:retract(baz(user))), show(user, baz(X5), X5),
    try(k:retractall(baz(_))), show(user, baz(X6), X6), show(k, k:baz(X7), X7),
    show(clause, o:clause(qux(X8), true), X8), show(clause, o:clause(baz(X9), true), X9),
    try(o:abolish(baz/1)), show(user, baz(Y1), Y1),
    findall(M, predicate_property(M:foo(_), dynamic), Ms), sort(Ms, Sorted), print(Sorted), nl,
    findall(M, ( current_predicate(M:foo/1), memberchk(M, [m, n, user]) ), Cs), sort(Cs, Current), print(Current), nl,
    kind(one(1)), kind(one(2)), kind(one(3)), kind(few(_)),
    ( phrase(rest, [y], R1) -> print(R1) ; print(no) ), nl,
    findall(R2, phrase(either, [c], R2), R2s), print(R2s), nl,
    findall(R3, phrase(both, [c], R3), R3s), print(R3s), nl,
    expanded,
    ( is_most_general_term([_|_]) -> print(yes) ; print(no) ), nl,
    ( is_most_general_term(f(_, _)) -> print(yes) ; print(no) ), nl.
