% Grammar rules, as Scryer's library has them.

:- module(dcgs, [seq//1, seqq//1, (...)//0]).

seq(L, S0, S) :- seq_(L, S0, S).
seq_([], S, S).
seq_([X|Xs], [X|S0], S) :- seq_(Xs, S0, S).

seqq([], S, S).
seqq([L|Ls], S0, S) :- seq(L, S0, S1), seqq(Ls, S1, S).

...(S, S).
...([_|S0], S) :- ...(S0, S).
