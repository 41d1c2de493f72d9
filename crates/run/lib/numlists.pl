% Lists of numbers, after Ciao.

:- module(numlists, [get_primes/2, numlist/1, sum_list/2, sum_list/3, sum_list_of_lists/2, sum_list_of_lists/3]).

:- use_module(library(lists), [sum_list/2]).
:- reexport(library(lists), [sum_list/2]).

% get_primes(+N, -Primes): the first N.
get_primes(N, Primes) :- primes(N, 2, [], Primes).

primes(0, _, _, []) :- !.
primes(N, K, Known, Ps) :-
    K1 is K + 1,
    (   divides_one(Known, K) -> primes(N, K1, Known, Ps)
    ;   Ps = [K|Ps1], N1 is N - 1,
        append(Known, [K], Known1),
        primes(N1, K1, Known1, Ps1)
    ).

divides_one([P|Ps], K) :- ( K mod P =:= 0 -> true ; divides_one(Ps, K) ).

numlist([]).
numlist([X|Xs]) :- number(X), numlist(Xs).

sum_list(L, S0, S) :- sum_list(L, S1), S is S0 + S1.

sum_list_of_lists(Ls, S) :- sum_list_of_lists(Ls, 0, S).

sum_list_of_lists([], S, S).
sum_list_of_lists([L|Ls], S0, S) :- sum_list(L, S0, S1), sum_list_of_lists(Ls, S1, S).
