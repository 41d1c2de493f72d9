:- set_prolog_flag(double_quotes, codes).
look(C), [C] --> [C].
tokens([T|Ts]) --> ws, token(T), !, tokens(Ts).
tokens([]) --> ws.
ws --> [C], { code_type(C, white) }, !, ws.
ws --> [].
token(num(N)) --> digit(D), digits(Ds), { number_codes(N, [D|Ds]) }.
token(id(A)) --> look(C), { code_type(C, alpha) }, idcs(Cs), { atom_codes(A, Cs) }.
token(op(O)) --> [C], { memberchk(C, "+-*/()=") }, { char_code(O, C) }.
digit(D) --> [D], { code_type(D, digit) }.
digits([D|T]) --> digit(D), !, digits(T).
digits([]) --> [].
idcs([C|T]) --> [C], { code_type(C, csym) }, !, idcs(T).
idcs([]) --> [].
expr(V) --> term(T), expr_(T, V).
expr_(A, V) --> [op(+)], !, term(T), { B = A+T }, expr_(B, V).
expr_(A, V) --> [op(-)], !, term(T), { B = A-T }, expr_(B, V).
expr_(V, V) --> [].
term(V) --> factor(F), term_(F, V).
term_(A, V) --> [op(*)], !, factor(F), { B = A*F }, term_(B, V).
term_(V, V) --> [].
factor(N) --> [num(N)].
factor(v(X)) --> [id(X)].
factor(E) --> [op('(')], expr(E), [op(')')].
main :- phrase(tokens(Ts), "foo = 12*(x1 + 3) - 4"), writeq(Ts), nl, Ts = [_,_|R], phrase(expr(E), R), writeq(E), nl, ( phrase(expr(_), [op(+)]) -> true ; writeln(syntax) ).
