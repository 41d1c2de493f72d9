% A queue with a mistake that run-time checks find.
%
%   stet run examples/run/queue.pl -g main
%
% remove/3 forgets to turn the back list around when it becomes the front, which
% types cannot see, and leaves its tail open, which they do.

:- module(queue, [main/0], [assertions, regtypes, rtchecks]).

:- regtype queue/1.
queue(q(Front, Back)) :- list(int, Front), list(int, Back).

:- pred insert(Q0, E, Q) : (queue(Q0), int(E)) => queue(Q).
insert(q(Front, Back), E, q(Front, [E|Back])).

:- pred remove(Q0, E, Q) : queue(Q0) => (int(E), queue(Q)) + semidet.
remove(q([E|Front], Back), E, q(Front, Back)).
remove(q([], [E|_]), E, q(_, [])).

main :-
    insert(q([], []), 1, Q1),
    insert(Q1, 2, Q2),
    remove(Q2, E, Q3),
    write(E-Q3), nl.
