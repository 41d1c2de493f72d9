% An interpreter for a small Lisp: reader, environments, closures, primitives, tail calls, error handling.
parse(S, Es) :- string_codes(S, Cs), phrase(exprs(Es), Cs), !.
exprs([E|Es]) --> sp, expr(E), !, exprs(Es).
exprs([]) --> sp.
expr(L) --> `(`, !, exprs(L), sp, `)`.
expr([quote, E]) --> `'`, !, sp, expr(E).
expr(N) --> digits(Ds), { Ds = [_|_], number_codes(N, Ds) }, !.
expr(str(S)) --> `"`, !, str(Cs), { string_codes(S, Cs) }.
expr(A) --> sym(Cs), { Cs = [_|_], atom_codes(A, Cs) }.
digits([D|Ds]) --> [D], { code_type(D, digit) }, digits(Ds).
digits([]) --> [].
str([]) --> `"`, !.
str([C|Cs]) --> [C], str(Cs).
sym([C|Cs]) --> [C], { \+ code_type(C, space), \+ memberchk(C, `()'"`) }, !, sym(Cs).
sym([]) --> [].
sp --> [C], { code_type(C, space) }, !, sp.
sp --> [].
:- dynamic global/2.
lookup(X, Env, V) :- ( memberchk(X-V0, Env) -> V = V0 ; global(X, V0) -> V = V0 ; prim(X) -> V = prim(X) ; throw(lisp(unbound(X))) ).
prim(X) :- memberchk(X, [+, -, *, <, =, cons, car, cdr, 'null?', list, display, newline]).
eval(X, _, X) :- number(X), !.
eval(str(S), _, str(S)) :- !.
eval(X, Env, V) :- atom(X), X \== [], !, lookup(X, Env, V).
eval([quote, X], _, X) :- !.
eval([if, C, T, E], Env, V) :- !, eval(C, Env, B), ( B \== '#f' -> eval(T, Env, V) ; eval(E, Env, V) ).
eval([define, [F|Ps]|B], Env, F) :- !, retractall(global(F, _)), assertz(global(F, closure(Ps, B, Env))).
eval([define, X, E], Env, X) :- !, eval(E, Env, V), retractall(global(X, _)), assertz(global(X, V)).
eval([lambda, Ps|B], Env, closure(Ps, B, Env)) :- !.
eval([let, Bs|B], Env, V) :- !, findall(X, member([X, _], Bs), Xs), findall(E, member([_, E], Bs), Es), eval([[lambda, Xs|B]|Es], Env, V).
eval([F|As], Env, V) :- eval(F, Env, FV), evlist(As, Env, Vs), apply_fn(FV, Vs, V).
evlist([], _, []).
evlist([X|Xs], Env, [V|Vs]) :- eval(X, Env, V), evlist(Xs, Env, Vs).
apply_fn(closure(Ps, B, Env), Vs, V) :- !, ( bind(Ps, Vs, Env, Env1) -> body(B, Env1, V) ; throw(lisp(arity(Ps))) ).
apply_fn(prim(P), Vs, V) :- !, ( call_prim(P, Vs, V) -> true ; throw(lisp(bad(P, Vs))) ).
apply_fn(X, _, _) :- throw(lisp(not_function(X))).
bind([], [], E, E).
bind([P|Ps], [V|Vs], E0, E) :- bind(Ps, Vs, [P-V|E0], E).
body([E], Env, V) :- !, eval(E, Env, V).
body([E|Es], Env, V) :- eval(E, Env, _), body(Es, Env, V).
call_prim(+, Vs, V) :- foldl([X, A, B]>>(B is A + X), Vs, 0, V).
call_prim(*, Vs, V) :- foldl([X, A, B]>>(B is A * X), Vs, 1, V).
call_prim(-, [A, B], V) :- V is A - B.
call_prim(<, [A, B], V) :- ( A < B -> V = '#t' ; V = '#f' ).
call_prim(=, [A, B], V) :- ( A =:= B -> V = '#t' ; V = '#f' ).
call_prim(cons, [A, B], [A|B]).
call_prim(car, [[A|_]], A).
call_prim(cdr, [[_|B]], B).
call_prim('null?', [X], V) :- ( X == [] -> V = '#t' ; V = '#f' ).
call_prim(list, Vs, Vs).
call_prim(display, [X], ok) :- ( X = str(S) -> write(S) ; write(X) ).
call_prim(newline, [], ok) :- nl.
run(S) :- parse(S, Es), forall(member(E, Es), catch(( eval(E, [], V), ( V = closure(_, _, _) -> writeln('#<procedure>') ; print(V), nl ) ), lisp(Err), ( format("error: ~q~n", [Err]) ))).
main :- run("(define (fact n) (if (= n 0) 1 (* n (fact (- n 1))))) (fact 20) (fact 30) (define (map f l) (if (null? l) '() (cons (f (car l)) (map f (cdr l))))) (map (lambda (x) (* x x)) '(1 2 3)) (let ((x 1) (y 2)) (+ x y)) ((lambda (x) x) 5) (car '()) (undefined 1) ('a 1) (display \"hi\") (define (loop n acc) (if (= n 0) acc (loop (- n 1) (+ acc n)))) (loop 20000 0) (define (compose f g) (lambda (x) (f (g x)))) ((compose car cdr) '(1 2 3)) car (lambda (x) x) ((lambda (x y) x) 1)").
