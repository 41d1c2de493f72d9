% Arithmetic on integers of several words, of both signs, and functions of floats.
main :-
    forall(( member(A0, [0, 7, 1<<63, (1<<64)-1, 3**50, 7**90-1]), member(B0, [7, (1<<63)-1, (1<<64)-1, 1<<64, 3**41, (1<<127)+1]),
             member(S, [1, -1]), member(T, [1, -1]), A is A0*S, B is B0*T ),
           ( Q is A // B, R is A rem B, D is A div B, M is A mod B, P is A*B, X is A xor B, Y is A /\ B, Z is A \/ B, U is A >> 5, V is A << 70,
             compare(O, A, B), G is gcd(A, B), writeln([Q, R, D, M, P, X, Y, Z, U, V, O, G]) )),
    forall(member(E, [truncate(float(1<<64)), truncate(float((1<<64)+1)), truncate(float((1<<200)-1)), truncate(float(-(3**80))), 7/2, 8/2, -7/2, 7 xor 12, max(2, 3.0), min(2, 2.0), 2**10, 2**(-1), 2.0**0.5,
                      sin(0.5), cos(0.5), tan(0.5), atan(0.5), atan2(1.0, -2.0), exp(1.0), log(2.0), truncate(-2.5), round(2.5), ceiling(2.1), floor(-2.1), integer(2.5),
                      float_integer_part(-2.5), float_fractional_part(-2.5), abs(-2.5), sign(-2.5), truncate(1.0e20), max(1.5, 2.5), msb(1000), -7 div 2, 7 div -2]),
           ( V2 is E, print(V2), nl )),
    f(200, 1, F), writeln(F), H is F // 7**40, writeln(H).
f(0, F, F) :- !.
f(N, F0, F) :- F1 is F0*N, N1 is N-1, f(N1, F1, F).
