% tiny imperative interpreter
:- use_module(library(dcg/basics)).
:- set_prolog_flag(double_quotes, codes).
run(Text) :- phrase(prog(P), Text), empty_assoc(E), exec(P, E, _).
prog([S|Ss]) --> blanks, stmt(S), blanks, ";", !, prog(Ss).
prog([]) --> blanks.
stmt(print(E)) --> "print", blanks, expr(E).
stmt(while(C, B)) --> "while", blanks, expr(C), blanks, "{", prog(B), "}".
stmt(set(V, E)) --> ident(V), blanks, "=", blanks, expr(E).
ident(A) --> [C], { code_type(C, alpha) }, idrest(Cs), { atom_codes(A, [C|Cs]) }.
idrest([C|Cs]) --> [C], { code_type(C, csym) }, !, idrest(Cs).
idrest([]) --> [].
expr(E) --> term(T), blanks, expr_rest(T, E).
expr_rest(L, E) --> [O], { member(O-Op, [0'+ - (+), 0'- - (-), 0'< - (<)]) }, !, blanks, term(R), { T =.. [Op, L, R] }, blanks, expr_rest(T, E).
expr_rest(E, E) --> [].
term(E) --> factor(F), blanks, term_rest(F, E).
term_rest(L, E) --> "*", !, blanks, factor(R), blanks, term_rest(L*R, E).
term_rest(E, E) --> [].
factor(N) --> integer(N), !.
factor(v(I)) --> ident(I).
factor(E) --> "(", blanks, expr(E), blanks, ")".
exec([], E, E).
exec([S|Ss], E0, E) :- step(S, E0, E1), exec(Ss, E1, E).
step(print(X), E, E) :- ev(X, E, V), format("~w~n", [V]).
step(set(V, X), E0, E) :- ev(X, E0, R), put_assoc(V, E0, R, E).
step(while(C, B), E0, E) :- ev(C, E0, V), ( V =:= 0 -> E = E0 ; exec(B, E0, E1), step(while(C, B), E1, E) ).
ev(N, _, N) :- integer(N).
ev(v(I), E, V) :- ( get_assoc(I, E, V) -> true ; throw(unbound(I)) ).
ev(A+B, E, V) :- ev(A, E, X), ev(B, E, Y), V is X+Y.
ev(A-B, E, V) :- ev(A, E, X), ev(B, E, Y), V is X-Y.
ev(A*B, E, V) :- ev(A, E, X), ev(B, E, Y), V is X*Y.
ev(A<B, E, V) :- ev(A, E, X), ev(B, E, Y), ( X < Y -> V = 1 ; V = 0 ).
main :- run("x = 1; while x < 100 { print x; x = x * (2 + 1); }; print x;"), catch(run("print y;"), unbound(V), (write(unbound(V)), nl)).
