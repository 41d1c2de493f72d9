% Fibonacci numbers of thousands of digits.
main :- fib(100000, 0, 1, F), F > 0, P is 3**20000 mod 1000007, P > 0, Q is 7**30000, R is Q mod 10**9, R >= 0.
fib(0, A, _, A) :- !.
fib(N, A, B, F) :- C is A+B, N1 is N-1, fib(N1, B, C, F).
