% Facts told apart only by an argument inside a later one.
:- dynamic fact/3.
main :- fill(1), look(1).
fill(20001) :- !.
fill(N) :- assertz(fact(same, x, v(N))), N1 is N+1, fill(N1).
look(20001) :- !.
look(N) :- fact(_, _, v(N)), N1 is N+1, look(N1).
