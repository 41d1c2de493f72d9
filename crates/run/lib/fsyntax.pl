% Functional syntax, as Ciao's packages `fsyntax` and `functional` have it: `f(X) := E` defines a predicate with one
% more argument, `~f(X)` in a goal stands for the value of f, `(C ? A | B)` chooses.

:- module(fsyntax, [translate_term/2]).

:- use_module(library(lists)).

:- op(1150, xfx, :=).
:- op(1050, xfy, ?).
:- op(50, fx, ~).

translate_term((:- fun_eval(_)), []) :- !.
translate_term((:- fun_return(_)), []) :- !.
translate_term((:- lazy(_)), []) :- !.
translate_term((H := B), C) :- !, function_clause(H, B, true, C).
translate_term((H := B :- G), C) :- !, function_clause(H, B, G, C).
translate_term((H --> B), (H --> B)) :- !.
translate_term((:- D), (:- D)) :- !.
translate_term((H :- B), (H2 :- Body)) :- !,
    unnest_args(H, H2, Pre, []),
    body(B, B2),
    join(Pre, B2, Body).
translate_term(H, C) :-
    unnest_args(H, H2, Pre, []),
    ( Pre == [] -> C = H2 ; conjunction(Pre, Body), C = (H2 :- Body) ).

% f(X) := (A | B) gives one clause for each alternative.
function_clause(H, B, G, Cs) :- nonvar(B), B = (A | C), \+ choice(A), !,
    function_clause(H, A, G, C1), function_clause(H, C, G, C2),
    flat_clauses(C1, C2, Cs).
function_clause(H, B, G, C) :- nonvar(B), B = (A ; R), \+ choice(A), !,
    function_clause(H, (A | R), G, C).
function_clause(H, B, G, (H3 :- Body)) :-
    unnest_args(H, H2, Pre, []),
    H2 =.. L0, append(L0, [R], L), H3 =.. L,
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
value(E, R, Gs, Tail) :- compound(E), !,
    unnest_args(E, E2, Gs, Tail), R = E2.
value(E, E, Gs, Gs).

branch(C, A, B, R, (C2 -> GA ; GB)) :- body(C, C2), value_goal(A, R, GA), value_goal(B, R, GB).
value_goal(E, R, G) :-
    value(E, V, Gs, []),
    ( var(V), V \== R, Gs \== [] -> V = R, conjunction(Gs, G)
    ; append(Gs, [R = V], Gs2), conjunction(Gs2, G) ).

application(E, R, Gs, Tail) :- var(E), !, Gs = [call(E, R)|Tail].
application(M:E, R, Gs, Tail) :- !, application(E, R, Gs0, []), last_qualified(Gs0, M, Gs, Tail).
application(E, R, Gs, Tail) :-
    ( atom(E) -> G =.. [E, R], Gs = [G|Tail]
    ; unnest_args(E, E2, Gs, [G|Tail]), E2 =.. L0, append(L0, [R], L), G =.. L ).
last_qualified([G], M, [M:G|T], T) :- !.
last_qualified([G|Gs], M, [G|R], T) :- last_qualified(Gs, M, R, T).

% Calls in the arguments of a term become goals before it.
unnest_args(T, T, Gs, Gs) :- \+ compound(T), !.
unnest_args(T, T2, Gs, Tail) :- T =.. [F|As], unnest_list(As, Bs, Gs, Tail), T2 =.. [F|Bs].
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
