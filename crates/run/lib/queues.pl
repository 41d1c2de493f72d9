% First-in first-out queues.

:- module(queues, [empty_queue/1, list_queue/2, queue_cons/3, queue_head/3, queue_last/3, queue_length/2, queue/1]).

empty_queue(q([], [], 0)).
queue(q(_, _, N)) :- integer(N).
list_queue(L, q(L, [], N)) :- length(L, N).
queue_cons(X, q(F, B, N0), q([X|F], B, N)) :- N is N0 + 1.
queue_last(q(F, B, N0), X, q(F, [X|B], N)) :- N is N0 + 1.
queue_head(q(F, B, N0), X, q(F1, B1, N)) :- N0 > 0, N is N0 - 1,
    ( F = [X|F1] -> B1 = B ; rev(B, [], [X|F1]), B1 = [] ).
queue_length(q(_, _, N), N).
rev([], L, L).
rev([X|Xs], A, L) :- rev(Xs, [X|A], L).
