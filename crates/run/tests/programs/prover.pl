% Logic programs about logic: leanTAP-style tableau prover, propositional truth tables, unification with occurs check, lambda calculus.
:- op(500, xfy, &). :- op(510, xfy, v). :- op(520, xfy, =>). :- op(200, fy, ~).
:- use_module(library(gensym)).
prove((A & B), UnExp, Lits, FreeV, VarLim) :- !, prove(A, [B|UnExp], Lits, FreeV, VarLim).
prove((A v B), UnExp, Lits, FreeV, VarLim) :- !, prove(A, UnExp, Lits, FreeV, VarLim), prove(B, UnExp, Lits, FreeV, VarLim).
prove(all(X, Fml), UnExp, Lits, FreeV, VarLim) :- !, \+ length(FreeV, VarLim), copy_term((X, Fml, FreeV), (X1, Fml1, FreeV)),
    append(UnExp, [all(X, Fml)], UnExp1), prove(Fml1, UnExp1, Lits, [X1|FreeV], VarLim).
prove(Lit, _, [L|Lits], _, _) :- ( Lit = -Neg ; -Lit = Neg ), ( unify_with_occurs_check(Neg, L) ; prove(Lit, [], Lits, _, _) ).
prove(Lit, [Next|UnExp], Lits, FreeV, VarLim) :- prove(Next, UnExp, [Lit|Lits], FreeV, VarLim).

vars(F, Vs) :- term_variables(F, Vs).
value(X, X) :- ( X == t ; X == f ), !.
value(~A, V) :- value(A, X), ( X == t -> V = f ; V = t ).
value(A & B, V) :- value(A, X), value(B, Y), ( X == t, Y == t -> V = t ; V = f ).
value(A v B, V) :- value(A, X), value(B, Y), ( X == f, Y == f -> V = f ; V = t ).
value(A => B, V) :- value(~A v B, V).
assign([]).
assign([V|Vs]) :- member(V, [t, f]), assign(Vs).
table(F) :- vars(F, Vs), forall(( assign(Vs), value(F, R) ), ( atomic_list_concat(Vs, ' ', A), format("~w | ~w~n", [A, R]) )).
tautology(F) :- vars(F, Vs), \+ ( assign(Vs), value(F, f) ).

nnf(~(~A), B) :- !, nnf(A, B).
nnf(~(A & B), C v D) :- !, nnf(~A, C), nnf(~B, D).
nnf(~(A v B), C & D) :- !, nnf(~A, C), nnf(~B, D).
nnf(~(A => B), C) :- !, nnf(A & ~B, C).
nnf(A => B, C) :- !, nnf(~A v B, C).
nnf(A & B, C & D) :- !, nnf(A, C), nnf(B, D).
nnf(A v B, C v D) :- !, nnf(A, C), nnf(B, D).
nnf(A, A).

reduce(app(lam(X, B), A), R) :- !, copy_term(X-B, A-R0), reduce(R0, R).
reduce(app(F, A), R) :- reduce(F, F1), F1 \== F, !, reduce(app(F1, A), R).
reduce(X, X).

main :-
    ( prove((all(X, (-p(X) v q(X))) & p(a) & -q(a)), [], [], [], 3) -> writeln(proved) ; writeln(unproved) ),
    ( prove((all(X2, (-p(X2) v q(X2))) & p(a) & -q(b)), [], [], [], 3) -> writeln(proved) ; writeln(unproved) ),
    table(A & (_ v ~A)), ( tautology(((P => Q) => P) => P) -> writeln(peirce) ; writeln(no) ), ( tautology(P v Q) -> true ; writeln(no) ),
    nnf(~(a & (b => ~c)), N), print(N), nl, writeq(a & b v c => ~ ~d), nl, writeq((a & b) & c), nl, writeq(~(a & b)), nl, writeq(~ (-1)), nl, writeq(1 - (2 - 3) - -4), nl,
    reduce(app(app(lam(X3, lam(_, X3)), a), b), R), print(R), nl,
    ( unify_with_occurs_check(Y, f(Y)) -> writeln(yes) ; writeln(no) ),
    ( X4 = f(X4, Z4), Z4 = 1, cyclic_term(X4) -> writeln(cyclic) ; writeln(acyclic) ),
    gensym(g, G1), gensym(g, G2), print(G1-G2), nl,
    subsumes_term(f(_, b), f(a, b)), ( subsumes_term(f(W, W), f(1, 2)) -> true ; writeln(not_subsumed) ),
    ( f(K, b) \= f(a, K) -> writeln(different) ; true ), T = g(_, _), copy_term(T, T2), ( T =@= T2 -> writeln(variant) ; true ),
    tnumber(f(U, V, U)), term_to_atom(h(U1, V1, U1), At), writeln(At), U1 = V1, print(U-V), nl.
tnumber(T) :- \+ \+ ( numbervars(T, 23, End), print(T-End), nl ).
