% Digits of pi by a spigot: products and quotients of growing integers.
main :- pi(3000, 1, 180, 60, 2, _).
pi(0, _, _, _, _, _) :- !.
pi(N, Q, R, T, I, L) :- U is 3*(3*I+1)*(3*I+2), Y is (Q*(27*I-12)+5*R) // (5*T), _ = Y,
    Q2 is 10*Q*I*(2*I-1), R2 is 10*U*(Q*(5*I-2)+R-Y*T), T2 is T*U, I1 is I+1, N1 is N-1, pi(N1, Q2, R2, T2, I1, L).
