% Arithmetic functions as predicates whose last argument is the value, after Ciao; for functional notation.

:- module(arithpreds,
          [ (-)/2, (+)/2, (++)/2, (--)/2, (+)/3, (-)/3, (*)/3, (//)/3, (/)/3, (rem)/3, (mod)/3, (#)/3, (/\)/3, (\/)/3,
            (\)/2, (<<)/3, (>>)/3, integer/2, truncate/2, float/2, gcd/3, abs/2, sign/2, float_integer_part/2,
            float_fractional_part/2, floor/2, round/2, ceiling/2, (**)/3, exp/2, log/2, sqrt/2, sin/2, cos/2, atan/2
          ]).

-(X, Z) :- Z is -X.
+(X, Z) :- Z is +X.
++(X, Z) :- Z is X + 1.
--(X, Z) :- Z is X - 1.
+(X, Y, Z) :- Z is X + Y.
-(X, Y, Z) :- Z is X - Y.
*(X, Y, Z) :- Z is X * Y.
//(X, Y, Z) :- Z is X // Y.
/(X, Y, Z) :- Z is X / Y.
rem(X, Y, Z) :- Z is X rem Y.
mod(X, Y, Z) :- Z is X mod Y.
'#'(X, Y, Z) :- Z is xor(X, Y).
/\(X, Y, Z) :- Z is X /\ Y.
\/(X, Y, Z) :- Z is X \/ Y.
\(X, Z) :- Z is \X.
<<(X, Y, Z) :- Z is X << Y.
>>(X, Y, Z) :- Z is X >> Y.
integer(X, Z) :- Z is truncate(X).
truncate(X, Z) :- Z is truncate(X).
float(X, Z) :- Z is float(X).
gcd(X, Y, Z) :- Z is gcd(X, Y).
abs(X, Z) :- Z is abs(X).
sign(X, Z) :- Z is sign(X).
float_integer_part(X, Z) :- Z is float_integer_part(X).
float_fractional_part(X, Z) :- Z is float_fractional_part(X).
floor(X, Z) :- Z is floor(X).
round(X, Z) :- Z is round(X).
ceiling(X, Z) :- Z is ceiling(X).
**(X, Y, Z) :- Z is X ** Y.
exp(X, Z) :- Z is exp(X).
log(X, Z) :- Z is log(X).
sqrt(X, Z) :- Z is sqrt(X).
sin(X, Z) :- Z is sin(X).
cos(X, Z) :- Z is cos(X).
atan(X, Z) :- Z is atan(X).
