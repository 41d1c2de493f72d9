% Factorials, and their digits.
main :- forall(between(1, 20, _), once(one)).
one :- f(4000, 1, F), G is F // 7, G > 0, number_codes(F, Cs), length(Cs, _), f(3000, 1, H), I is gcd(F, H), I > 0.
f(0, F, F) :- !.
f(N, F0, F) :- F1 is F0*N, N1 is N-1, f(N1, F1, F).
