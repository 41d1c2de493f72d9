% Roman numerals, Caesar cipher, look-and-say, FizzBuzz, 99 bottles: small programs as on Rosetta Code.
digit(1000, m). digit(900, cm). digit(500, d). digit(400, cd). digit(100, c). digit(90, xc).
digit(50, l). digit(40, xl). digit(10, x). digit(9, ix). digit(5, v). digit(4, iv). digit(1, i).

roman(0, '') :- !.
roman(N, R) :- digit(V, D), V =< N, !, M is N - V, roman(M, R0), atom_concat(D, R0, R).

caesar(K, S0, S) :- string_codes(S0, Cs0), maplist(shift(K), Cs0, Cs), string_codes(S, Cs).
shift(K, C0, C) :- code_type(C0, lower), !, C is (C0 - 0'a + K) mod 26 + 0'a.
shift(K, C0, C) :- code_type(C0, upper), !, C is (C0 - 0'A + K) mod 26 + 0'A.
shift(_, C, C).

say([], []).
say([X|Xs], [N, X|R]) :- run(Xs, X, 1, N, Rest), say(Rest, R).
run([X|Xs], X, N0, N, R) :- !, N1 is N0 + 1, run(Xs, X, N1, N, R).
run(Xs, _, N, N, Xs).

fizz(N) :- X is N mod 15, Y is N mod 5, Z is N mod 3,
    (   X =:= 0 -> writeln('FizzBuzz') ; Y =:= 0 -> writeln('Buzz') ; Z =:= 0 -> writeln('Fizz') ; writeln(N) ).

bottles(0) :- !, format("No more bottles of beer.~n").
bottles(N) :- plural(N, P), format("~d ~w of beer on the wall, ~d ~w of beer.~n", [N, P, N, P]),
    M is N - 1, bottles(M).
plural(1, bottle) :- !.
plural(_, bottles).

hailstone(1, [1]) :- !.
hailstone(N, [N|T]) :- ( N mod 2 =:= 0 -> M is N // 2 ; M is 3*N + 1 ), hailstone(M, T).

gray(N, G) :- G is N xor (N >> 1).
pascal(0, [1]) :- !.
pascal(N, R) :- M is N-1, pascal(M, P), append([0], P, A), append(P, [0], B), maplist([X,Y,Z]>>(Z is X+Y), A, B, R).
palindrome(S) :- string_chars(S, Cs0), include([C]>>char_type(C, alnum), Cs0, Cs1), maplist([C,L]>>(downcase_atom(C, L)), Cs1, Cs), reverse(Cs, Cs).

main :-
    forall(member(N, [1990, 2008, 1666, 49]), ( roman(N, R), upcase_atom(R, U), format("~w = ~w~n", [N, U]) )),
    caesar(3, "The Quick Brown Fox!", S), print(S), nl, caesar(-3, S, S2), print(S2), nl,
    length(L, 6), L = [[1]|_], foldl([X, P, X]>>( var(P) -> true ; say(P, X) ), L, _, _),
    forall(member(X, L), ( atomic_list_concat(X, A), writeln(A) )),
    forall(between(1, 15, N), fizz(N)),
    bottles(2),
    hailstone(27, H), length(H, HL), max_list(H, HM), print(HL/HM), nl,
    forall(between(0, 5, N), ( gray(N, G), format("~|~`0t~2r~3+ ~|~`0t~2r~3+~n", [N, G]) )),
    forall(between(0, 4, N), ( pascal(N, Row), print(Row), nl )),
    ( palindrome("A man, a plan, a canal: Panama!") -> writeln(yes) ; writeln(no) ).
