% A set as an ascending list of integers.

:- module(set, [empty/1, insert/3, contains/2, bench/1], [assertions, regtypes]).

:- regtype set/1.
set([]).
set([X|Xs]) :- int(X), set(Xs).

:- pred empty(S) => set(S).
empty([]).

:- pred insert(S0, E, S) : (set(S0), int(E)) => set(S).
insert([], E, [E]).
insert([H|T], E, S) :-
    compare(Order, E, H),
    insert(Order, H, T, E, S).

:- pred insert(Order, H, T, E, S)
   : (atm(Order), int(H), set(T), int(E)) => set(S).
insert(<, H, T, E, [E,H|T]).
insert(=, H, T, _, [H|T]).
insert(>, H, T, E, [H|S]) :- insert(T, E, S).

:- pred contains(S, E) : (set(S), int(E)).
contains([H|T], E) :-
    ( E =:= H -> true ; E > H, contains(T, E) ).

bench(N) :-
    empty(S0),
    fill(N, 42, S0, S),
    S = [_|_].

fill(0, _, S, S) :- !.
fill(N, X0, S0, S) :-
    X is (X0 * 16807) mod 2147483647,
    insert(S0, X, S1),
    N1 is N - 1,
    fill(N1, X, S1, S).
