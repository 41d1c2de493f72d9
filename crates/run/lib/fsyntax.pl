% Functional syntax, as Ciao's packages `fsyntax` and `functional` have it: `f(X) := E` defines a predicate with one
% more argument, `~f(X)` in a goal stands for the value of f, `(C ? A | B)` chooses. `:- fun_eval` declares what is
% evaluated without `~`: `arith(true)` arithmetic, `defined(true)` the functions of the module, `f/1` one function.
% `:- fun_return f(~,_)` says which argument is the result.

:- module(fsyntax, [translate_term/2, start/2]).

:- use_module(library(lists)).

:- op(1150, xfx, :=).
:- op(1050, xfy, ?).
:- op(50, fx, ~).

:- dynamic evaluated/2.       % evaluated(Module, arith), (Module, defined), (Module, Name/Arguments)
:- dynamic returned/4.        % returned(Module, Name, Arity, Argument)

% start(+Module, +Package): the module uses the package from here on.
start(M, Package) :-
    retractall(evaluated(M, _)),
    retractall(returned(M, _, _, _)),
    (   Package == functional
    ->  assertz(evaluated(M, arith)), assertz(evaluated(M, defined))
    ;   true
    ).

translate_term((:- fun_eval(Spec)), []) :- !, '$source_module'(M), evaluate(Spec, M).
translate_term((:- fun_return(Spec)), []) :- !, '$source_module'(M), result_argument(Spec, M, _).
translate_term((:- lazy(_)), _) :- !, throw(error(not_supported('lazy functions (package lazy)'), _)).
translate_term((H := B), C) :- !, function_clause(H, B, true, C).
translate_term((H := B :- G), C) :- !, function_clause(H, B, G, C).
translate_term((H --> B), (H --> B)) :- !.
translate_term((:- D), (:- D)) :- !.
translate_term((H :- B), (H2 :- Body)) :- !,
    head_args(H, H2, Pre, []),
    body(B, B2),
    join(Pre, B2, Body).
translate_term(H, C) :-
    head_args(H, H2, Pre, []),
    ( Pre == [] -> C = H2 ; conjunction(Pre, Body), C = (H2 :- Body) ).

% evaluate(+Declaration, +Module)
evaluate(Spec, _) :- var(Spec), !, throw(error(instantiation_error, _)).
evaluate((A, B), M) :- !, evaluate(A, M), evaluate(B, M).
evaluate(_:Spec, M) :- !, evaluate(Spec, M).
evaluate(arith(Value), M) :- !, switch(Value, M, arith).
evaluate(defined(Value), M) :- !, switch(Value, M, defined).
evaluate(hiord(_), _) :- !.
evaluate(F/A, M) :- atom(F), integer(A), !, switch(true, M, F/A).
evaluate(Spec, M) :- result_argument(Spec, M, F/A), switch(true, M, F/A).

switch(true, M, What) :- !, ( evaluated(M, What) -> true ; assertz(evaluated(M, What)) ).
switch(false, M, What) :- !, retractall(evaluated(M, What)).
switch(Value, _, _) :- throw(error(domain_error(boolean, Value), _)).

% result_argument(+Template, +Module, -Function): f(~,_) has its result in the first argument.
result_argument(Spec, M, F/A) :-
    (   callable(Spec), Spec =.. [F|Args], nth1(N, Args, Arg), Arg == (~)
    ->  true
    ;   throw(error(domain_error(function_template, Spec), _))
    ),
    length(Args, Arity), A is Arity - 1,
    retractall(returned(M, F, Arity, _)),
    assertz(returned(M, F, Arity, N)).

is_evaluated(E) :-
    '$source_module'(M),
    functor(E, F, A),
    evaluated(M, F/A), !.

is_arithmetic(E) :-
    compound(E), '$source_module'(M), evaluated(M, arith),
    functor(E, F, A), arithmetic_functor(A, Fs), memberchk(F, Fs).

arithmetic_functor(1, [-, +, \, abs, sign, sqrt, exp, log, sin, cos, tan, asin, acos, atan, float, integer, truncate,
                       floor, round, ceiling, float_integer_part, float_fractional_part, ++, --]).
arithmetic_functor(2, [+, -, *, /, //, mod, rem, **, ^, >>, <<, /\, \/, #, gcd, min, max]).

% Goals that evaluate arithmetic themselves.
is_comparison(G) :- functor(G, F, 2), memberchk(F, [is, =:=, =\=, <, >, =<, >=]).

% with_result(+Function, ?Result, -Goal)
with_result(E, R, G) :- E =.. [F|As], memberchk_same(As, ~), !, replaced(As, R, Bs), G =.. [F|Bs].
with_result(E, R, G) :-
    '$source_module'(M),
    E =.. [F|As], length(As, N), Arity is N + 1,
    (   returned(M, F, Arity, K)
    ->  nth1(K, Bs, R, As)
    ;   append(As, [R], Bs)
    ),
    G =.. [F|Bs].

memberchk_same([A|As], X) :- ( A == X -> true ; memberchk_same(As, X) ).
replaced([A|As], R, [B|Bs]) :- ( A == (~) -> B = R, Bs = As ; B = A, replaced(As, R, Bs) ).

% f(X) := (A | B) gives one clause for each alternative.
function_clause(H, B, G, Cs) :- nonvar(B), B = (A | C), \+ choice(A), !,
    function_clause(H, A, G, C1), function_clause(H, C, G, C2),
    flat_clauses(C1, C2, Cs).
function_clause(H, B, G, C) :- nonvar(B), B = (A ; R), \+ choice(A), !,
    function_clause(H, (A | R), G, C).
function_clause(H, B, G, (H3 :- Body)) :-
    functor(H, F, A), '$source_module'(M),
    ( evaluated(M, defined) -> switch(true, M, F/A) ; true ),
    head_args(H, H2, Pre, []),
    with_result(H2, R, H3),
    body(G, G2),
    value(B, R, Post, []),
    conjunction(Post, PostGoal),
    join(Pre, G2, B1),
    simplify((B1, PostGoal), Body0),
    ( Body0 == true -> Body = true ; Body = Body0 ).
choice(A) :- nonvar(A), A = (_ ? _).
flat_clauses(A, B, C) :- as_list(A, LA), as_list(B, LB), append(LA, LB, C).
as_list(L, L) :- is_list(L), !.
as_list(C, [C]).

% value(+Expression, ?Result, -Goals, ?Tail)
value(E, R, Gs, Gs) :- var(E), !, R = E.
value(^(E), E, Gs, Gs) :- !.
value((C ? A | B), R, [G|Gs], Gs) :- !, branch(C, A, B, R, G).
value(((C ? A) ; B), R, [G|Gs], Gs) :- !, branch(C, A, B, R, G).
value((C ? A), R, [(C2 -> GA)|Gs], Gs) :- !, body(C, C2), value_goal(A, R, GA).
value(~E, R, Gs, Tail) :- !, application(E, R, Gs, Tail).
value(E, R, Gs, Tail) :- is_evaluated(E), !, application(E, R, Gs, Tail).
value(E, R, Gs, Tail) :- is_arithmetic(E), !, arithmetic(E, E2, Gs, [R is E2|Tail]).
value(E, R, Gs, Tail) :- compound(E), !,
    unnest_args(E, E2, Gs, Tail), R = E2.
value(E, E, Gs, Gs).

% The calls in an arithmetic expression become goals before it.
arithmetic(E, E2, Gs, Tail) :- nonvar(E), is_arithmetic(E), \+ is_evaluated(E), !,
    E =.. [F|As], arithmetic_list(As, Bs, Gs, Tail), E2 =.. [F|Bs].
arithmetic(E, E2, Gs, Tail) :- value(E, E2, Gs, Tail).
arithmetic_list([], [], Gs, Gs).
arithmetic_list([A|As], [B|Bs], Gs, Tail) :- arithmetic(A, B, Gs, Gs1), arithmetic_list(As, Bs, Gs1, Tail).

branch(C, A, B, R, (C2 -> GA ; GB)) :- body(C, C2), value_goal(A, R, GA), value_goal(B, R, GB).
value_goal(E, R, G) :-
    value(E, V, Gs, []),
    ( var(V), V \== R, Gs \== [] -> V = R, conjunction(Gs, G)
    ; append(Gs, [R = V], Gs2), conjunction(Gs2, G) ).

application(E, R, Gs, Tail) :- var(E), !, Gs = [call(E, R)|Tail].
application(M:E, R, Gs, Tail) :- !, application(E, R, Gs0, []), last_qualified(Gs0, M, Gs, Tail).
application(E, R, Gs, Tail) :-
    unnest_args(E, E2, Gs, [G|Tail]),
    with_result(E2, R, G).
last_qualified([G], M, [M:G|T], T) :- !.
last_qualified([G|Gs], M, [G|R], T) :- last_qualified(Gs, M, R, T).

% Calls in the arguments of a term become goals before it.
unnest_args(T, T, Gs, Gs) :- \+ compound(T), !.
unnest_args(T, T2, Gs, Tail) :- is_comparison(T), !,
    T =.. [F|As], arithmetic_list(As, Bs, Gs, Tail), T2 =.. [F|Bs].
unnest_args(T, T2, Gs, Tail) :- T =.. [F|As], unnest_list(As, Bs, Gs, Tail), T2 =.. [F|Bs].
% Arithmetic in a head is a pattern.
head_args(H, H2, Gs, Tail) :-
    '$source_module'(M),
    (   retract(evaluated(M, arith))
    ->  unnest_args(H, H2, Gs, Tail), assertz(evaluated(M, arith))
    ;   unnest_args(H, H2, Gs, Tail)
    ).
unnest_list([], [], Gs, Gs).
unnest_list([A|As], [B|Bs], Gs, Tail) :- value(A, B, Gs, Gs1), unnest_list(As, Bs, Gs1, Tail).

body(G, G) :- var(G), !.
body((A, B), (A2, B2)) :- !, body(A, A2), body(B, B2).
body((A ; B), (A2 ; B2)) :- !, body(A, A2), body(B, B2).
body((A -> B), (A2 -> B2)) :- !, body(A, A2), body(B, B2).
body(\+ A, \+ A2) :- !, body(A, A2).
body(R = E, G) :- nonvar(E), E = ~_, !, value(E, R, Gs, []), conjunction(Gs, G).
body(G, G2) :- compound(G), '$meta_spec'(user:G, Spec), memberchk(0, Spec), !,
    G =.. [F|As], body_args(As, Spec, Bs, Pre, []), G1 =.. [F|Bs],
    join(Pre, G1, G2).
body(G, G2) :-
    unnest_args(G, G1, Pre, []),
    ( Pre == [] -> G2 = G1 ; conjunction(Pre, P), G2 = (P, G1) ).

% Goals among the arguments evaluate their own calls.
body_args([], _, [], Gs, Gs).
body_args([A|As], [S|Ss], [B|Bs], Gs, Tail) :-
    ( S == 0 -> body(A, B), Gs = Gs1 ; value(A, B, Gs, Gs1) ),
    body_args(As, Ss, Bs, Gs1, Tail).

conjunction([], true).
conjunction([G|Gs], C) :- ( Gs == [] -> C = G ; C = (G, C1), conjunction(Gs, C1) ).
join([], B, B) :- !.
join(Pre, B, Body) :- conjunction(Pre, P), simplify((P, B), Body).
simplify((true, B), B) :- !.
simplify((A, true), A) :- !.
simplify(B, B).
