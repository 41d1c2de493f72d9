% Constraint handling rules: simplification, propagation, simpagation, guards, passive heads, waking, the store.
:- use_module(library(chr)).

:- chr_constraint gcd/1, leq/2, upto(+int), fib(+int, ?int), candidate(+int), prime(+int).
:- chr_constraint seen/1, pair/2, edge/2, path/2, min/1, dom(?any, ?any), count(+int), item/1, color(?any, ?any), neq/2.

gcd(0) <=> true.
gcd(N) \ gcd(M) <=> N =< M | L is M mod N, gcd(L).

reflexivity  @ leq(X, X) <=> true.
antisymmetry @ leq(X, Y), leq(Y, X) <=> X = Y.
idempotence  @ leq(X, Y) \ leq(X, Y) <=> true.
transitivity @ leq(X, Y), leq(Y, Z) ==> leq(X, Z).

upto(Max), fib(N1, M1) # passive, fib(N2, M2) ==> Max > N2, N2 =:= N1 + 1 | N is N2 + 1, M is M1 + M2, fib(N, M).

candidate(1) <=> true.
candidate(N) <=> prime(N), M is N - 1, candidate(M).
absorb @ prime(J) \ prime(I) <=> 0 =:= I mod J | true.

seen(X) ==> write(seen(X)), nl.
pair(X, X) <=> write(same(X)), nl.

edge(X, Y) ==> path(X, Y).
path(X, Y) \ path(X, Y) <=> true.
edge(X, Y), path(Y, Z) ==> path(X, Z).

min(X) \ min(Y) <=> X =< Y | true.

dom(_, []) <=> fail.
dom(X, [V]) <=> X = V.
dom(X, L1), dom(X, L2) <=> findall(V, ( member(V, L1), memberchk(V, L2) ), L), dom(X, L).
dom(X, L) <=> nonvar(X) | memberchk(X, L).

count(N), item(_) # I <=> N1 is N + 1, count(N1) pragma passive(I).

neq(X, Y), color(X, L) <=> nonvar(Y) | ( select(Y, L, L1) -> true ; L1 = L ), color(X, L1).
neq(X, Y) <=> nonvar(X), nonvar(Y) | X \== Y.
color(_, []) <=> fail.
color(X, [V]) <=> X = V.

all(T, Sorted) :- findall(T, find_chr_constraint(T), L), msort(L, Sorted).

label(X) :- member(X, [red, green, blue]).

main :-
    once(( gcd(9), gcd(6), all(gcd(_), G), write(G), nl, fail ; true )),
    once(( leq(A, B), leq(B, C), leq(C, A), ( A == B, B == C -> write(equal) ; write(different) ), nl, fail ; true )),
    once(( leq(1, X1), leq(X1, Y1), leq(Y1, 5), all(leq(_, _), L1), length(L1, N1), write(N1), nl, fail ; true )),
    once(( fib(0, 1), fib(1, 1), upto(20), all(fib(20, _), F), write(F), nl, fail ; true )),
    once(( candidate(50), all(prime(_), P), write(P), nl, fail ; true )),
    once(( seen(S), S = f(T), T = 1, seen(S), fail ; true )),
    once(( pair(V, W), write(waiting), nl, V = W, fail ; true )),
    once(( pair(K1, K2), pair(K2, K3), [K1, K2, K3] = [a, a, a], fail ; true )),
    once(( edge(a, b), edge(b, c), edge(c, a), all(path(_, _), Ps), write(Ps), nl, fail ; true )),
    once(( member(M, [5, 3, 8]), min(M), fail ; min(4), min(7), min(2), all(min(_), Ms), write(Ms), nl, fail ; true )),
    once(( dom(D, [1, 2, 3]), dom(D, [2, 3, 4]), dom(E, [3, 4]), ( D = 4 -> true ; write(no) ), nl, D = E, write(D), nl, fail ; true )),
    once(( item(a), item(b), count(0), item(c), all(count(_), Cs), all(item(_), Is), write(Cs-Is), nl, fail ; true )),
    once(( Vs = [Q, R, O], maplist([Z]>>color(Z, [red, green, blue]), Vs), neq(Q, R), neq(R, Q), neq(R, O), neq(O, R), neq(Q, O), neq(O, Q),
           findall(Vs, maplist(label, Vs), Ls), length(Ls, Len), write(Len), nl, Ls = [First|_], write(First), nl, fail ; true )),
    ( catch(( gcd(x), gcd(y) ), error(Error, _), ( write(Error), nl )) -> true ; write(failed), nl ),
    ( current_chr_constraint(gcd(Left)) -> write(left(Left)) ; write(none) ), nl.
