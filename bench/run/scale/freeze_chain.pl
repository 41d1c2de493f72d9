% A long chain of goals, each of which wakes the next.
main :- forall(between(1, 10, _), chain).
chain :- length(L, 20000), link(L), L = [1|_].
link([_]) :- !.
link([X, Y|L]) :- freeze(X, Y is X+1), link([Y|L]).
