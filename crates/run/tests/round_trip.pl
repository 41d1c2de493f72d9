% Random terms, written so that they read back: prints those that come back different.
:- dynamic seed/1.
seed(12345).
rnd(N, X) :- retract(seed(S)), S1 is (S*1103515245+12345) mod 2147483648, assertz(seed(S1)), X is (S1 // 65536) mod N.
atoms([a, b, [], {}, '\\', '-', '+', '*', ':-', '-->', '?-', ',', '|', ';', '->', '!', dynamic, is, mod, 'hello world', 'X', '_x', '', '''', 'a\nb', '\\+', '=..', '@', '#', '.', '. ', '/*', '^', '**', '[]', '{}', rem, xfx, e, 'E', 'é', 'É', '$VAR', '%', '"', '`', '0a', (:), (=), (<), '\t', '\e', '\x1\']).
pick(L, X) :- length(L, N), rnd(N, I), nth0(I, L, X).
term(0, T) :- !, leaf(T).
term(D, T) :- rnd(8, K), D1 is D-1, term(K, D1, T).
term(0, _, T) :- leaf(T).
term(1, D, T) :- atoms(L), pick(L, F), term(D, A), T =.. [F, A].
term(2, D, T) :- atoms(L), pick(L, F), term(D, A), term(D, B), T =.. [F, A, B].
term(3, D, T) :- pick([-, +, \+, \, ?-, :-, dynamic, @, $, table], F), term(D, A), T =.. [F, A].
term(4, D, T) :- pick([-, +, *, /, **, ^, =, <, is, ',', ;, ->, :-, -->, :, =.., mod, '|', @<, xor, <<], F), term(D, A), term(D, B), T =.. [F, A, B].
term(5, D, T) :- term(D, A), term(D, B), T = [A|B].
term(6, D, T) :- term(D, A), term(D, B), T = [A,B].
term(7, D, T) :- term(D, A), T = {A}.
leaf(T) :- rnd(10, K), leaf(K, T).
leaf(0, T) :- rnd(100, T).
leaf(1, T) :- rnd(100, X), T is -X.
leaf(2, T) :- rnd(100, X), T is -X/8.0.
leaf(3, T) :- rnd(100, X), T is X*1.0e20.
leaf(4, T) :- rnd(100, X), T is -(X+1)*10**30.
leaf(5, T) :- pick(["str", "", "a\"b", "x\\y\n"], S), T = S.
leaf(_, T) :- atoms(L), pick(L, T).
check(Opts, T) :-
  ( catch((with_output_to(atom(A), write_term(T, Opts)), term_to_atom(T2, A)), E, (T2 = '$error'(E)))
  -> true ; T2 = '$failed' ),
  ( T2 == T -> true ; write_canonical(T), write(' ==> '), write(A), write(' ==> '), write_canonical(T2), nl ).
go(0) :- !.
go(N) :- rnd(4, D0), D is D0+1, term(D, T), check([quoted(true)], T), check([quoted(true), spacing(next_argument)], T), check([quoted(true), ignore_ops(true)], T), N1 is N-1, go(N1).
