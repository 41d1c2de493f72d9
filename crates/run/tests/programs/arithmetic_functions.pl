% Functions of the program in arithmetic, in goals and in expressions made at run time.
:- use_module(library(arithmetic)).
:- arithmetic_function(double/1).
:- arithmetic_function(mean/2).
:- arithmetic_function(answer/0).
double(X, Y) :- Y is X * 2.
mean(A, B, C) :- C is (A + B) / 2.
answer(42).
main :- X is double(3) + 1, print(X), nl, Y = 5, Z is mean(double(Y), Y + 1) * 2, print(Z), nl,
    ( double(2) > 3 -> print(yes) ; print(no) ), nl, W is answer + 1, print(W), nl,
    ( double(Y) =:= mean(10, 10) -> print(same) ; print(other) ), nl,
    findall(V, ( member(U, [1, 2]), V is double(double(U)) ), L), print(L), nl,
    E = double(7), arithmetic_expression_value(E, EV), print(EV), nl.
