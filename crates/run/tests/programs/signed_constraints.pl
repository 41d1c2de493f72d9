% Minus keeps its meaning in programs with constraint handling rules.
:- use_module(library(chr)).
:- chr_constraint acc(+int), add(+int), total(?int), bal(+any, ?int), deposit(+any,+int), neg(?any,-).
add(X), acc(Y) <=> Z is X+Y, acc(Z).
acc(X) \ total(T) <=> T = X.
deposit(P, A), bal(P, B) <=> C is B+A, bal(P, C).
neg(X, Y) <=> number(X) | Y = -X.
neg(-X, Y) <=> Y = X.
neg(X, Y) <=> var(X) | Y = - X.
main :- acc(0), add(3), add(-4), total(T), print(T), nl, bal(a, 1), deposit(a, 2), findall(B, find_chr_constraint(bal(a,B)), L), print(L), nl,
  neg(3, N), neg(-foo, M), neg(V, K), print([N,M]), ( K = -W, W == V -> print(negated) ; true ), nl, X = -K, ( X = - (- Q), Q == V -> print(twice) ; true ), nl.

