% Global variables, destructive assignment, recorded database, flags, gensym, between, succ_or, string builders, assert order.
:- dynamic counter/1, fact/1, stack/1.
counter(0).
inc :- retract(counter(N)), N1 is N + 1, assertz(counter(N1)).
push(X) :- asserta(stack(X)).
pop(X) :- retract(stack(X)), !.
primes(N, Ps) :- numlist(2, N, L), sieve(L, Ps).
sieve([], []).
sieve([P|Xs], [P|Ps]) :- exclude([X]>>(0 is X mod P), Xs, Ys), sieve(Ys, Ps).
main :-
    forall(between(1, 5, _), inc), counter(C), print(C), nl,
    maplist(push, [a, b, c]), pop(X), pop(Y), print(X/Y), nl,
    b_setval(v, 1), ( b_setval(v, 2), b_getval(v, V2), print(V2), nl, fail ; b_getval(v, V1), print(V1), nl ),
    nb_setval(acc, []), forall(member(E, [1, 2, 3]), ( nb_getval(acc, A0), nb_setval(acc, [E|A0]) )), nb_getval(acc, A), print(A), nl,
    T = f(a, b, c), setarg(2, T, x), print(T), nl, ( setarg(1, T, y), fail ; true ), print(T), nl, nb_setarg(3, T, g(z)), print(T), nl,
    arg(N, T, g(_)), print(N), nl,
    recordz(k, one), recordz(k, two), recorda(k, zero), findall(R, recorded(k, R), Rs), print(Rs), nl, once(recorded(k, one, Ref)), erase(Ref), findall(R, recorded(k, R), Rs2), print(Rs2), nl,
    flag(cnt, Old, Old + 5), flag(cnt, New, New), print(Old-New), nl,
    primes(50, Ps), print(Ps), nl,
    assertz(fact(1)), assertz(fact(2)), assertz(fact(3)), forall(fact(Q), ( Q < 3 -> Q2 is Q + 10, assertz(fact(Q2)) ; true )), findall(Q, fact(Q), Qs), print(Qs), nl,
    retractall(fact(11)), aggregate_all(count, fact(_), FC), print(FC), nl, ( retract(fact(99)) -> true ; writeln(none) ),
    findall(P, ( retract(fact(P)), P > 2 ), RPs), print(RPs), nl, ( fact(_) -> writeln(some) ; writeln(empty) ),
    copy_term([A1, B1, A1]-f(B1), CT), print(CT), nl, A1 = B1,
    length(LL, 2), LL = [p|_], print(LL), nl, tab(3), print(x), nl,
    term_variables(f(X1, g(Y1, X1), _), Vs), length(Vs, VN), print(VN), nl, Y1 = X1,
    ( \+ \+ ( X1 = 5, print(X1), nl ) ), ( var(X1) -> writeln(var) ; writeln(bound) ).
