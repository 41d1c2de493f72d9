% A calculator: tokens, a grammar with left-associative operators through accumulators, variables in an assoc, errors.
:- use_module(library(assoc)).
:- use_module(library(dcg/basics)).
tokens([T|Ts]) --> blanks, token(T), !, tokens(Ts).
tokens([]) --> blanks.
token(num(N)) --> number(N).
token(id(A)) --> [C], { code_type(C, csymf) }, ids(Cs), { atom_codes(A, [C|Cs]) }.
token(P) --> [C], { memberchk(C, `+-*/^()=`), atom_codes(P, [C]) }.
ids([C|Cs]) --> [C], { code_type(C, csym) }, !, ids(Cs).
ids([]) --> [].

statement(assign(V, E)) --> [id(V), =], !, expr(E).
statement(eval(E)) --> expr(E).
expr(E) --> term(T), expr_rest(T, E).
expr_rest(L, E) --> [Op], { memberchk(Op, [+, -]) }, !, term(R), { L1 =.. [Op, L, R] }, expr_rest(L1, E).
expr_rest(E, E) --> [].
term(T) --> power(F), term_rest(F, T).
term_rest(L, T) --> [Op], { memberchk(Op, [*, /]) }, !, power(R), { L1 =.. [Op, L, R] }, term_rest(L1, T).
term_rest(T, T) --> [].
power(P) --> factor(B), ( [^] -> power(E), { P = B^E } ; { P = B } ).
factor(-(F)) --> [-], !, factor(F).
factor(num(N)) --> [num(N)].
factor(var(V)) --> [id(V)].
factor(E) --> ['('], expr(E), [')'].

eval(num(N), _, N).
eval(var(V), Env, X) :- ( get_assoc(V, Env, X) -> true ; throw(unbound(V)) ).
eval(-(A), Env, X) :- eval(A, Env, Y), X is -Y.
eval(A+B, Env, X) :- eval(A, Env, Y), eval(B, Env, Z), X is Y+Z.
eval(A-B, Env, X) :- eval(A, Env, Y), eval(B, Env, Z), X is Y-Z.
eval(A*B, Env, X) :- eval(A, Env, Y), eval(B, Env, Z), X is Y*Z.
eval(A/B, Env, X) :- eval(A, Env, Y), eval(B, Env, Z), X is Y/Z.
eval(A^B, Env, X) :- eval(A, Env, Y), eval(B, Env, Z), X is Y^Z.

run([], _).
run([Line|Lines], Env0) :-
    string_codes(Line, Cs),
    (   catch(step(Cs, Env0, Env, Out), Error, ( Env = Env0, ( Error = error(Formal, _) -> true ; Formal = Error ), Out = error(Formal) )) -> true
    ;   Env = Env0, Out = syntax
    ),
    format("~s => ~q~n", [Cs, Out]),
    run(Lines, Env).
step(Cs, Env0, Env, Out) :-
    phrase(tokens(Ts), Cs), phrase(statement(S), Ts),
    (   S = assign(V, E) -> eval(E, Env0, X), put_assoc(V, Env0, X, Env), Out = (V = X)
    ;   S = eval(E), eval(E, Env0, Out), Env = Env0
    ).
main :- empty_assoc(E),
    run(["1 + 2 * 3", "x = 2 ^ 3 ^ 2", "x - 1 - 1", "(x + 1) / 3", "y + 1", "1 / 0", "2 +", "-x * -2", "1.5e2 / 4", "z = 7 / 2", "2 ^ 100"], E).
