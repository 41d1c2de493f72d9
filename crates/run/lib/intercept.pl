% Signals to handlers of goals that are running: send_signal/1 calls the handlers around it, innermost first, and goes on.

:- module(intercept, [intercept/3, intercept/4, intercept_all/4, nb_intercept_all/4, send_signal/1, send_silent_signal/1]).

:- use_module(library(error)).
:- use_module(library(lists)).

:- meta_predicate intercept(0, ?, 0), intercept(0, ?, :, ?), intercept_all(?, 0, ?, ?), nb_intercept_all(?, 0, ?, ?).

handlers(Hs) :- ( nb_current('$intercept', Hs0) -> Hs = Hs0 ; Hs = [] ).

with_handler(Handler, G) :-
    handlers(Hs),
    b_setval('$intercept', [Handler|Hs]),
    call(G),
    b_setval('$intercept', Hs).

intercept(G, Ball, Handler) :- with_handler(goal(Ball, Handler), G).
intercept(G, Ball, Handler, Arg) :- with_handler(goal(Ball, Handler, Arg), G).

% intercept_all(Template, Goal, Ball, List): what Template is for the signals of the goal, at each of its answers.
intercept_all(X, G, Ball, List) :-
    State = list([]),
    with_handler(collect(Ball, X, State), G),
    arg(1, State, L0), reverse(L0, List).
nb_intercept_all(X, G, Ball, List) :-
    State = list([]),
    with_handler(nb_collect(Ball, X, State), G),
    arg(1, State, L0), reverse(L0, L),
    nb_setarg(1, State, []),
    List = L.

send_signal(Signal) :-
    must_be(nonvar, Signal),
    handlers(Hs),
    ( send(Hs, Signal, found(false), Found), Found == true -> true ; throw(error(unintercepted_signal(Signal), _)) ).
send_silent_signal(Signal) :- handlers(Hs), send(Hs, Signal, found(false), _).

send([], _, found(F), F).
send([H|Hs], Signal, found(F0), F) :-
    copy_term(H, C),
    (   handles(C, H, Signal, G) -> inner(Hs, G), F1 = true ; F1 = F0 ),
    send(Hs, Signal, found(F1), F).
inner(Hs, G) :-
    handlers(Old),
    b_setval('$intercept', Hs),
    ( call(G) -> true ; true ),
    b_setval('$intercept', Old).

handles(goal(_, _), goal(Ball, Handler), Signal, Copy) :- copy_term(Ball-Handler, Signal-Copy).
handles(goal(_, _, _), goal(Ball, Handler, Arg), Signal, call(Copy, Arg)) :- copy_term(Ball-Handler, Signal-Copy).
handles(collect(_, _, _), collect(Ball, X, State), Signal, intercept:add(State, Y)) :- copy_term(Ball-X, Signal-Y).
handles(nb_collect(_, _, _), nb_collect(Ball, X, State), Signal, intercept:nb_add(State, Y)) :- copy_term(Ball-X, Signal-Y).
add(State, X) :- arg(1, State, L), setarg(1, State, [X|L]).
nb_add(State, X) :- arg(1, State, L), nb_setarg(1, State, [X|L]).
