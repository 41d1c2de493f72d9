% Goals, bodies and predicate indicators as terms.

:- module(prolog_code,
          [ comma_list/2, semicolon_list/2, mkconj/3, mkdisj/3, pi_head/2, head_name_arity/3,
            most_general_goal/2, extend_goal/3, is_control_goal/1, is_predicate_indicator/1, body_term_calls/2 ]).

comma_list(Body, List) :- list_of(Body, ',', List).
semicolon_list(Body, List) :- list_of(Body, ;, List).

% A body is taken apart; a list is made into one, ending in its last element.
list_of(Body, Functor, List) :- nonvar(Body), !, elements(Body, Functor, List, []).
list_of(Body, Functor, [H|T]) :- joined(T, H, Functor, Body).

elements(Body, Functor, List, Rest) :-
    (   compound(Body), Body =.. [Functor, A, B]
    ->  elements(A, Functor, List, List1),
        elements(B, Functor, List1, Rest)
    ;   List = [Body|Rest]
    ).

joined([], Last, _, Last).
joined([H|T], First, Functor, Body) :- Body =.. [Functor, First, Rest], joined(T, H, Functor, Rest).

mkconj(A, B, Goal) :- ( A == true -> Goal = B ; B == true -> Goal = A ; Goal = (A, B) ).
mkdisj(A, B, Goal) :-
    ( A == false -> Goal = B ; B == false -> Goal = A ; A == fail -> Goal = B ; B == fail -> Goal = A ; Goal = (A ; B) ).

pi_head(PI, Head) :- var(PI), var(Head), !, throw(error(instantiation_error, _)).
pi_head(M:PI, M:Head) :- !, pi_head(PI, Head).
pi_head(Name/Arity, Head) :- !, head_name_arity(Head, Name, Arity).
pi_head(Name//Extra, Head) :- nonvar(Extra), Arity is Extra + 2, head_name_arity(Head, Name, Arity).

head_name_arity(Head, Name, Arity) :- functor(Head, Name, Arity).

most_general_goal(Goal, General) :-
    (   var(Goal) -> General = Goal
    ;   Goal = M:G -> General = M:H, most_general_goal(G, H)
    ;   functor(Goal, Name, Arity), functor(General, Name, Arity)
    ).

extend_goal(Goal, Extra, Extended) :-
    (   Extra == [] -> Extended = Goal
    ;   nonvar(Goal), Goal = M:G -> Extended = M:E, extend_goal(G, Extra, E)
    ;   Goal =.. List, added(List, Extra, All), Extended =.. All
    ).

added([], L, L).
added([H|T], L, [H|R]) :- added(T, L, R).

is_control_goal(Goal) :- nonvar(Goal), control(Goal).
control((_, _)).
control((_ ; _)).
control((_ -> _)).
control((_ *-> _)).
control(\+ _).

is_predicate_indicator(PI) :- var(PI), !, throw(error(instantiation_error, _)).
is_predicate_indicator(PI) :- ( PI = M:PI1 -> atom(M) ; PI1 = PI ), ( PI1 = N/A ; PI1 = N//A ), !, atom(N), integer(A), A >= 0.

% On backtracking all goals a body calls.
body_term_calls(Body, Goal) :- nonvar(Body), calls(Body, Goal).
calls((A, B), G) :- !, ( body_term_calls(A, G) ; body_term_calls(B, G) ).
calls((A ; B), G) :- !, ( body_term_calls(A, G) ; body_term_calls(B, G) ).
calls((A -> B), G) :- !, ( body_term_calls(A, G) ; body_term_calls(B, G) ).
calls((A *-> B), G) :- !, ( body_term_calls(A, G) ; body_term_calls(B, G) ).
calls(\+ A, G) :- !, body_term_calls(A, G).
calls(Goal, Goal).
