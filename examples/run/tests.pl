% Test assertions.
%
%   stet run --test examples/run/tests.pl

:- module(tests, [app/3, half/2], [assertions, regtypes]).

:- test app(A,B,C) : (A = [1,2], B = [3]) => (C == [1,2,3]).
:- test app(A,B,C) : (A = [], B = []) => (C == []) # "nothing".
:- test half(X,_) : (X = 3) + fails.
:- test half(X,_) : (X = a) + exception(error(type_error(_,_),_)).

:- pred app(A,B,C) : (list(A), list(B)) => list(C).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).

:- pred half(X,Y) : int(X) => int(Y).
half(X, Y) :- 0 is X mod 2, Y is X // 2.
