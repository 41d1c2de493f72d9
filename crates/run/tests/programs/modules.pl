:- module(stackm, [main/0]).
:- use_module(library(lists), [append/3 as app, reverse/2]).
main :- app([1],[2],L), reverse(L, R), writeq(R), nl, m1:assertz(foo(1)), m1:foo(X), writeq(X), nl, stackm:hidden(Y), writeq(Y), nl, @(ctx(M), other), writeq(M), nl, call(m1:foo, Z), writeq(Z), nl, strip_module(a:b:c, Mo, T), writeq(Mo-T), nl, ( catch(nomod:nopred, error(E, _), (writeq(E), nl)) -> true ; true ), context_module(C), writeq(C), nl, current_op(P, xfx, is), writeq(P), nl, op(700, xfx, ===>), X9 = (a ===> b), writeq(X9), nl, ( module_property(stackm, exports(Ex)) -> writeq(Ex), nl ; true ), predicate_property(stackm:main, exported) -> writeln(exported) ; true.
hidden(h).
:- meta_predicate ctx(:).
:- module_transparent ctx/1.
ctx(M) :- context_module(M).
