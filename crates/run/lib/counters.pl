% Named counters, after Ciao.

:- module(counters, [setcounter/2, getcounter/2, inccounter/2]).

:- dynamic counter/2.

setcounter(Name, Value) :- retractall(counter(Name, _)), assertz(counter(Name, Value)).

getcounter(Name, Value) :- counter(Name, Value), !.

% inccounter(+Name, -Value): the value after adding one.
inccounter(Name, Value) :-
    retract(counter(Name, Old)), !,
    Value is Old + 1,
    assertz(counter(Name, Value)).
