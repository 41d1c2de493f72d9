% A queue as a pair of lists: elements leave at the front list and enter at the
% back list, which is reversed when the front runs empty.

:- module(amqueue, [empty/1, insert/3, remove/3, to_list/2, bench/1],
          [assertions, regtypes]).

:- regtype queue/1.
queue(q(Front, Back)) :- list(int, Front), list(int, Back).

:- pred empty(Q) => queue(Q).
empty(q([], [])).

:- pred insert(Q0, E, Q) : (queue(Q0), int(E)) => queue(Q).
insert(q(Front, Back), E, q(Front, [E|Back])).

:- pred remove(Q0, E, Q) : queue(Q0) => (int(E), queue(Q)).
remove(q([E|Front], Back), E, q(Front, Back)) :- !.
remove(q([], Back), E, q(Front, [])) :-
    turn(Back, [], [E|Front]).

turn([], L, L).
turn([X|Xs], L0, L) :- turn(Xs, [X|L0], L).

:- pred to_list(Q, L) : queue(Q) => list(int, L).
to_list(q(Front, Back), L) :-
    turn(Back, [], Rest),
    join(Front, Rest, L).

join([], L, L).
join([X|Xs], L, [X|R]) :- join(Xs, L, R).

bench(N) :-
    empty(Q0),
    fill(N, 42, Q0, Q),
    Q = q(_, [_|_]).

fill(0, _, Q, Q) :- !.
fill(N, X0, Q0, Q) :-
    X is (X0 * 16807) mod 2147483647,
    insert(Q0, X, Q1),
    N1 is N - 1,
    fill(N1, X, Q1, Q).
