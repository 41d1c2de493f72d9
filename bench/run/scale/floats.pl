% Numerical integration and a Mandelbrot set.
main :- integrate(0.0, 1.0, 1000000, S), S > 0.0, mandel(0, 0, C), C > 0.
integrate(A, B, N, S) :- H is (B-A)/N, sum(0, N, A, H, 0.0, S).
sum(N, N, _, _, S, S) :- !.
sum(I, N, A, H, S0, S) :- X is A+(I+0.5)*H, S1 is S0+H*4.0/(1.0+X*X), I1 is I+1, sum(I1, N, A, H, S1, S).
mandel(60, C, C) :- !.
mandel(Y, C0, C) :- row(0, Y, C0, C1), Y1 is Y+1, mandel(Y1, C1, C).
row(80, _, C, C) :- !.
row(X, Y, C0, C) :- Cr is X/40.0-1.5, Ci is Y/30.0-1.0, iter(0, 0.0, 0.0, Cr, Ci, N), C1 is C0+N, X1 is X+1, row(X1, Y, C1, C).
iter(100, _, _, _, _, 100) :- !.
iter(I, Zr, Zi, Cr, Ci, N) :- R2 is Zr*Zr, I2 is Zi*Zi,
    ( R2+I2 > 4.0 -> N = I
    ; Zr1 is R2-I2+Cr, Zi1 is 2.0*Zr*Zi+Ci, I1 is I+1, iter(I1, Zr1, Zi1, Cr, Ci, N) ).
