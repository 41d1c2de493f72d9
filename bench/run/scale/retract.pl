% A counter and a queue in the database.
:- dynamic counter/1, q/1.
main :- assertz(counter(0)), count(300000), queue(300000).
count(0) :- !.
count(N) :- retract(counter(C)), C1 is C+1, assertz(counter(C1)), N1 is N-1, count(N1).
queue(0) :- !.
queue(N) :- assertz(q(N)), ( N mod 3 =:= 1 -> retract(q(_)), retract(q(_)) ; true ), N1 is N-1, queue(N1).
