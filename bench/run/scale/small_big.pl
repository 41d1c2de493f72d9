% Integers of two to four words.
main :- loop(300000, 12345678901234567890123, 1).
loop(0, _, _) :- !.
loop(N, A, B) :- C is (A*B+N) mod 340282366920938463463374607431768211507, D is C>>3, N1 is N-1, E is (D xor A) /\ 1208925819614629174706175, loop(N1, A, E).
