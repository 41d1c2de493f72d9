% Example 1 of the paper: three assertions for one predicate.
%
%   stet run --print-checks examples/run/paper.pl
%   stet run examples/run/paper.pl -g "p(2,Y)"

:- module(paper, [p/2], [assertions, regtypes, rtchecks]).

:- pred p(X,Y) : (int(X), var(Y)) => (int(X), int(Y)).
:- pred p(X,Y) : (int(X), var(Y)) => (int(X), atm(Y)).
:- pred p(X,Y) : (atm(X), var(Y)) => (atm(X), atm(Y)).

p(1, 42).
p(2, gamma).
p(a, alpha).
