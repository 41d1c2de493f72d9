show(E) :- catch(X is E, error(Formal, _), X = Formal), print(X), nl.
main :-
    forall(member(E, [1r3 + 1r6, 2 rdiv 6, 1r3 * 3, 1r3 + 0.5, 2 ** -1, 2r3 ** 2, 2r3 ** -2, 1r3 - 1 rdiv 3, 1r3 / 2r3,
                      max(1r3, 1r2), min(1r3, 0.25), abs(-1r3), sign(-1r3), truncate(7r2), round(7r2), round(-7r2),
                      floor(-7r2), ceiling(-7r2), integer(5r2), float(1r3), rationalize(0.25), rational(0.1),
                      rationalize(0.1), rationalize(-1.75), numerator(6r4), denominator(6r4), 1 rdiv 0, 1r3 // 2,
                      1r2 =:= 0.5, -1r3, 123456789012345678901234567890r7]), show(E)),
    ( 1r3 < 1r2 -> writeln(less) ; writeln(not_less) ),
    ( 1r2 =:= 0.5 -> writeln(equal) ; writeln(different) ),
    compare(O1, 1r3, 0.5), compare(O2, 1r3, 1r3), compare(O3, 1, 1r2), print([O1, O2, O3]), nl,
    msort([1r3, 0.2, 1, 1r2, a], Sorted), print(Sorted), nl,
    ( rational(1r3, N, D) -> print(N/D), nl ; true ),
    ( rational(3) -> writeln(rational) ; true ), ( rational(0.5) -> true ; writeln(no_rational) ),
    ( integer(1r3) -> true ; writeln(no_integer) ), ( number(1r3), atomic(1r3) -> writeln(number) ; true ),
    f(1r3) = f(Y), print(Y), nl, ( 2r4 == 1r2 -> writeln(same) ; true ),
    atom_to_term('p(1r7, -2r3)', T, _), print(T), nl, atom_length(1r3, L), print(L), nl,
    atom_number('3r9', A), print(A), nl, format("~w ~q ~4f ~0f~n", [1r3, -1r3, 2r3, 7r2]),
    findall(X, ( between(1, 20, I), X is 1 rdiv I ), Xs), sum_list(Xs, Sum), print(Sum), nl,
    assertz(kept(1r3)), kept(K), print(K), nl, copy_term(g(1r3, _), C), arg(1, C, CA), print(CA), nl,
    Z is 2 rdiv 4 + 1 rdiv 2, ( integer(Z) -> writeln(integer) ; true ),
    findall(R, member(R, [1r3, 2r3]), Rs), print(Rs), nl, ( kept(2r6) -> writeln(found) ; writeln(lost) ).
:- dynamic(kept/1).
