% Coroutines: freeze, dif, when, attributed variables of one's own module (domains), lazy lists, producers and consumers, residual goals.
:- module(coroutines, [main/0]).
:- use_module(library(lists)).
domain(X, Dom) :- var(Dom), !, get_attr(X, coroutines, Dom).
domain(X, List) :- list_to_ord_set(List, Domain), put_attr(Y, coroutines, Domain), X = Y.
attr_unify_hook(Domain, Y) :- ( get_attr(Y, coroutines, Dom2) -> ord_intersection(Domain, Dom2, NewDomain), ( NewDomain == [] -> fail ; NewDomain = [Value] -> Y = Value ; put_attr(Y, coroutines, NewDomain) ) ; var(Y) -> put_attr(Y, coroutines, Domain) ; ord_memberchk(Y, Domain) ).
attribute_goals(X) --> { get_attr(X, coroutines, List) }, [domain(X, List)].
nats(N, L) :- freeze(L, ( L = [N|T], M is N + 1, nats(M, T) )).
take(0, _, []) :- !.
take(N, [X|Xs], [X|Ys]) :- M is N - 1, take(M, Xs, Ys).
filter(L, P, R) :- freeze(R, filter_(L, P, R)).
filter_([X|Xs], P, R) :- ( call(P, X) -> R = [X|T], filter(Xs, P, T) ; filter_(Xs, P, R) ).
prime(N) :- N > 1, \+ ( between(2, N, D), D * D =< N, N mod D =:= 0 ).
main :-
    nats(0, L), take(5, L, T), print(T), nl, nats(2, L2), filter(L2, prime, Ps), take(10, Ps, P10), print(P10), nl,
    domain(X, [a, b]), domain(X, [a, c]), print(X), nl, domain(Y, [a, b, c]), domain(Y, [a, c]), copy_term(Y, Y, Gs), print(Gs), nl, ( Y = b -> writeln(yes) ; writeln(no) ), Y = c,
    dif(A, B), ( A = 1, B = 1 -> writeln(same) ; writeln(different) ), dif(f(C, D), f(1, 2)), C = 1, ( D = 2 -> writeln(yes) ; writeln(no) ), D = 3,
    freeze(F, ( write(frozen(F)), nl )), frozen(F, G), ( G == true -> writeln(none) ; writeln(goals) ), F = 7,
    when(( nonvar(M) ; ground(N) ), ( write(woken), nl )), N = f(O), O = 1, ( var(M) -> writeln(m_free) ; true ),
    when(?=(Q, R), ( write(decided), nl )), Q = a, R = b, when(ground(S-U), ( Z is S + U, print(Z), nl )), S = 1, U = 2,
    ( catch(when(_, true), error(E, _), ( print(E), nl )) -> true ; true ), freeze(V, fail), ( V = 1 -> writeln(yes) ; writeln(no) ), ( \+ \+ ( freeze(W, true), W = 2 ) -> writeln(ok) ; true ),
    dif(K, a), copy_term(K, K2, Gk), print(Gk), nl, K2 = b, ( member(K, [a, b, c]), print(K), nl, fail ; true ), put_attr(AV, foo, bar), ( get_attr(AV, foo, FV) -> print(FV), nl ; true ), del_attr(AV, foo), ( attvar(AV) -> writeln(att) ; writeln(plain) ),
    freeze(X9, writeln(one)), freeze(X9, writeln(two)), freeze(Y9, writeln(three)), X9 = Y9, X9 = 0, maplist([E9]>>dif(E9, z), [p, q]), ( maplist([E8]>>dif(E8, z), [p, z]) -> true ; writeln(z) ), tuple(TT), print(TT), nl.
tuple(T) :- findall(I-J, ( dif(I, J), member(I, [1, 2, 3]), member(J, [1, 2, 3]), I < J ), T).
