% Lambda expressions: Parameters>>Body, with Free/[X]>>Body sharing Free.
% Variables of Body that are neither parameters nor in Free are renamed for
% each call, without their attributes, unless the expression has no free variables.

:- module(yall,
          [ (>>)/2, (>>)/3, (>>)/4, (>>)/5, (>>)/6, (>>)/7, (>>)/8,
            (/)/2, (/)/3, (/)/4, (/)/5, (/)/6, is_lambda/1
          ]).

:- op(200, xfy, >>).

% The body is called in the module the expression was written in.
:- meta_predicate
    >>(?, :), >>(?, :, ?), >>(?, :, ?, ?), >>(?, :, ?, ?, ?), >>(?, :, ?, ?, ?, ?),
    >>(?, :, ?, ?, ?, ?, ?), >>(?, :, ?, ?, ?, ?, ?, ?),
    /(?, :), /(?, :, ?), /(?, :, ?, ?), /(?, :, ?, ?, ?), /(?, :, ?, ?, ?, ?).

Params >> Lambda :-
    lambda(Params, Lambda, []).
>>(Params, Lambda, A1) :-
    lambda(Params, Lambda, [A1]).
>>(Params, Lambda, A1, A2) :-
    lambda(Params, Lambda, [A1,A2]).
>>(Params, Lambda, A1, A2, A3) :-
    lambda(Params, Lambda, [A1,A2,A3]).
>>(Params, Lambda, A1, A2, A3, A4) :-
    lambda(Params, Lambda, [A1,A2,A3,A4]).
>>(Params, Lambda, A1, A2, A3, A4, A5) :-
    lambda(Params, Lambda, [A1,A2,A3,A4,A5]).
>>(Params, Lambda, A1, A2, A3, A4, A5, A6) :-
    lambda(Params, Lambda, [A1,A2,A3,A4,A5,A6]).

lambda(Params0, Lambda0, Actuals) :-
    copy_lambda(Params0, Lambda0, Params, Lambda),
    bind_params(Params, Actuals, Rest),
    call_with(Rest, Lambda).

copy_lambda(Free/Params0, Lambda0, Params, Lambda) :- !,
    copy_term_nat(Free/Params0>>Lambda0, Free/Params>>Lambda).
copy_lambda(Params0, Lambda0, Params, Lambda) :-
    copy_term_nat(Params0>>Lambda0, Params>>Lambda).

bind_params([], Rest, Rest) :- !.
bind_params([P|Ps], [A|As], Rest) :- !,
    P = A,
    bind_params(Ps, As, Rest).
bind_params(_, [], []).

call_with([], Goal) :- !,
    call(Goal).
call_with(Extra, Goal) :-
    append_args(Goal, Extra, Goal1),
    call(Goal1).

append_args(M:Goal, Extra, M:Goal1) :- !,
    append_args(Goal, Extra, Goal1).
append_args(Goal, Extra, Goal1) :-
    Goal =.. List0,
    append_list(List0, Extra, List),
    Goal1 =.. List.

append_list([], L, L).
append_list([H|T], L, [H|R]) :- append_list(T, L, R).

/(Free, Lambda) :-
    copy_free(Free, Lambda, Goal),
    call(Goal).
/(Free, Lambda, A1) :-
    copy_free(Free, Lambda, Goal),
    call_with([A1], Goal).
/(Free, Lambda, A1, A2) :-
    copy_free(Free, Lambda, Goal),
    call_with([A1,A2], Goal).
/(Free, Lambda, A1, A2, A3) :-
    copy_free(Free, Lambda, Goal),
    call_with([A1,A2,A3], Goal).
/(Free, Lambda, A1, A2, A3, A4) :-
    copy_free(Free, Lambda, Goal),
    call_with([A1,A2,A3,A4], Goal).

copy_free(Free, Lambda0, Lambda) :-
    copy_term_nat(Free/Lambda0, Free/Lambda).

is_lambda(T) :- compound(T), T =.. [>>, Params, Body|_], lambda_parameters(Params), ( var(Body) -> true ; callable(Body) ).
is_lambda(T) :- compound(T), T =.. [/, Free, Body|_], lambda_free(Free), ( var(Body) -> true ; callable(Body) ).

lambda_parameters(P) :- var(P), !.
lambda_parameters(Free/P) :- !, lambda_free(Free), lambda_parameters(P).
lambda_parameters(P) :- '$skip_list'(_, P, T), ( var(T) -> true ; T == [] ).

lambda_free(F) :- nonvar(F), F = {_}.
lambda_free(F) :- F == {}.
