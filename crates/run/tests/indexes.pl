% Facts found through indexes against facts found by looking at all of them.

:- dynamic(f/4).
:- dynamic(all/2).
:- dynamic(seed/1).
seed(1).

% A random number below N.
rnd(N, X) :- retract(seed(S0)), S is (S0 * 1103515245 + 12345) mod 2147483648, assertz(seed(S)), X is (S // 65536) mod N.

term(D, T) :- rnd(12, K), term(K, D, T).
term(0, _, _) :- !.
term(1, _, T) :- !, rnd(4, I), T is I * 0.5.
term(2, _, T) :- !, rnd(3, I), nth0(I, [a, b, c], T).
term(3, D, [H|T]) :- D > 0, !, D1 is D - 1, term(D1, H), term(D1, T).
term(4, D, f(A)) :- D > 0, !, D1 is D - 1, term(D1, A).
term(5, D, g(A, B)) :- D > 0, !, D1 is D - 1, term(D1, A), term(D1, B).
term(6, _, 100000000000000000000000) :- !.
term(_, _, T) :- rnd(6, T).

head(f(A, B, C, E)) :- term(2, A), term(3, B), term(2, C), term(1, E).

change :- rnd(10, K), change(K).
change(0) :- !, head(H), ( retract(H) -> H = f(_, _, _, _), forget(H) ; true ).
change(1) :- !, head(H), asserta(H), asserta(all(x, H)).
change(_) :- head(H), assertz(H), assertz(all(x, H)).
% The first fact that is a variant of what was retracted, with what it was bound to.
forget(H) :- clause(all(x, H0), true, R), \+ H0 \= H, !, erase(R).

same(H) :-
    findall(H, H, L1),
    findall(H, ( all(_, H0), copy_term(H0, H) ), L2),
    ( L1 =@= L2 -> true ; throw(different(H, L1, L2)) ).

run(0) :- !.
run(N) :- change, ( N mod 3 =:= 0 -> head(H), same(H) ; true ), N1 is N - 1, run(N1).

% The same facts as a static predicate.
static(File) :-
    open(File, write, S),
    forall(all(_, f(A, B, C, E)), ( writeq(S, s(A, B, C, E)), write(S, '.\n') )),
    close(S),
    consult(File),
    forall(between(1, 300, _), ( head(f(A, B, C, E)), same_static(A, B, C, E) )).
same_static(A, B, C, E) :-
    findall(x(A, B, C, E), s(A, B, C, E), L1),
    findall(x(A, B, C, E), ( all(_, H0), copy_term(H0, f(A, B, C, E)) ), L2),
    ( L1 =@= L2 -> true ; throw(different(s(A, B, C, E), L1, L2)) ).
