% Functions of a program in arithmetic: after `:- arithmetic_function(f/2).` a goal such as `X is f(1, Y) + 2` calls f(1, Y, Z) first.
%
% The goals are translated when clauses are loaded, where the function is visible.

:- module(arithmetic, [arithmetic_function/1, arithmetic_expression_value/2]).

:- meta_predicate arithmetic_function(:), arithmetic_expression_value(:, -).
:- dynamic evaluable/3.

arithmetic_function(Spec) :-
    '$strip_module'(Spec, M, PI),
    ( var(PI) -> throw(error(instantiation_error, _)) ; true ),
    ( PI = N/A, atom(N), integer(A), A >= 0 -> true ; throw(error(type_error(predicate_indicator, PI), _)) ),
    ( evaluable(N, A, M) -> true ; assertz(evaluable(N, A, M)) ),
    ( '$translating' -> true ; assertz((system:goal_expansion(G, X) :- arithmetic:translated(G, X))), assertz('$translating') ).
:- dynamic '$translating'/0.

% The value of an expression, with the functions visible in its module.
arithmetic_expression_value(Spec, Value) :-
    '$strip_module'(Spec, M, E0),
    pure(E0, M, E, Goals, true),
    call(M:Goals),
    Value is E.

translated(G, X) :-
    comparison(G, As, Bs, H),
    prolog_load_context(module, M),
    pure_all(As, M, Bs, Goals, H),
    Goals \== H,
    X = Goals.

comparison(V is E, [E], [F], V is F).
comparison(A =:= B, [A, B], [C, D], C =:= D).
comparison(A =\= B, [A, B], [C, D], C =\= D).
comparison(A < B, [A, B], [C, D], C < D).
comparison(A > B, [A, B], [C, D], C > D).
comparison(A =< B, [A, B], [C, D], C =< D).
comparison(A >= B, [A, B], [C, D], C >= D).

% pure(E, M, F, Goals, Rest): F is E with the results of the program's functions, which Goals compute before Rest.
pure(E, _, E, Goals, Goals) :- ( var(E) ; atomic(E), \+ atom(E) ), !.
pure(E, M, F, Goals, Rest) :-
    callable(E), functor(E, N, A), function(M, N, A), !,
    E =.. [_|As],
    values(As, M, Bs, Goals, (Call, Rest)),
    append(Bs, [F], Cs),
    Call =.. [N|Cs].
pure(E, M, F, Goals, Rest) :-
    compound(E), \+ E = [_|_], !,
    E =.. [N|As],
    pure_all(As, M, Bs, Goals, Rest),
    F =.. [N|Bs].
pure(E, _, E, Goals, Goals).

pure_all([], _, [], Goals, Goals).
pure_all([A|As], M, [B|Bs], Goals, Rest) :- pure(A, M, B, Goals, Goals1), pure_all(As, M, Bs, Goals1, Rest).

% Functions get numbers.
values([], _, [], Goals, Goals).
values([A|As], M, [B|Bs], Goals, Rest) :-
    (   number(A) -> B = A, Goals = Goals1
    ;   pure(A, M, C, Goals, (B is C, Goals1)) ),
    values(As, M, Bs, Goals1, Rest).

function(M, N, A) :-
    evaluable(N, A, D),
    (   D == M -> true
    ;   A1 is A + 1, functor(H, N, A1),
        predicate_property(M:H, imported_from(D)) -> true
    ;   D == user ), !.
