% hindley-milner
type(_, N, int) :- integer(N), !.
type(G, v(X), T) :- memberchk(X:S, G), inst(S, T).
type(G, lam(X,E), A -> B) :- type([X:mono(A)|G], E, B).
type(G, app(F,A), B) :- type(G, F, TA -> B), type(G, A, TA).
type(G, let(X,E,B), T) :- type(G, E, TE), type([X:poly(G,TE)|G], B, T).
inst(mono(T), T).
inst(poly(G,T), T2) :- term_variables(G, FV), copy_term(FV-T, FV-T2).
main :- type([], lam(x, v(x)), T), numbervars(T, 0, _), print(T), nl, type([], let(id, lam(x,v(x)), app(app(v(id), v(id)) , 3)), T2), print(T2), nl, ( unify_check(lam(x, app(v(x), v(x)))) -> writeln(typed) ; writeln(untypable) ), type([], lam(f, lam(g, lam(x, app(v(f), app(v(g), v(x)))))), T3), numbervars(T3, 0, _), print(T3), nl, writeq((a->b->c)), nl, writeq(((a->b)->c)), nl.
unify_check(E) :- set_prolog_flag(occurs_check, true), ( type([], E, _) -> R = true ; R = fail ), set_prolog_flag(occurs_check, false), R.
