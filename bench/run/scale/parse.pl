% A grammar over a long list of codes.
:- set_prolog_flag(double_quotes, codes).
main :- number_list(30000, Cs), phrase(expr(V), Cs), V > 0.
number_list(N, Cs) :- findall(C, ( between(1, N, I), format(codes(F), "~d+", [I]), member(C, F) ), Cs0), append(Cs0, [0'0], Cs).
expr(V) --> term(T), rest(T, V).
rest(A, V) --> "+", !, term(T), { B is A+T }, rest(B, V).
rest(V, V) --> [].
term(V) --> digit(D), digits(D, V).
digits(A, V) --> digit(D), !, { B is A*10+D }, digits(B, V).
digits(V, V) --> [].
digit(D) --> [C], { C >= 0'0, C =< 0'9, D is C-0'0 }.
