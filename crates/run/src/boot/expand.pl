% Term and goal expansion.

:- dynamic(term_expansion/2).
:- dynamic(term_expansion/4).
:- dynamic(goal_expansion/2).
:- dynamic(goal_expansion/4).
:- dynamic('$package_expansion'/2).

expand_term(T, X) :- '$expand_term'(T, X).
expand_term(T, P, X, P) :- '$expand_term'(T, X).
expand_goal(G, X) :- '$expand_goal'(G, X).
expand_goal(G, P, X, P) :- '$expand_goal'(G, X).

'$expand_term'(T, T) :- var(T), !.
'$expand_term'(T, X) :- '$user_expansion'(T, X0), '$package_expansions'(X0, X1), '$expand_dcgs'(X1, X).

% The module's own expansion; what it gives goes through those of its import modules, the last being `user` and `system`.
'$user_expansion'(T, X) :-
    '$source_module'(M),
    '$expansion_modules'(M, Ms),
    '$expand_through'(Ms, T, X).
'$expansion_modules'(M, Ms) :-
    ( M == user -> Ms = [user, system]
    ; '$parents'(M, Ps), ( Ps == [] -> Ms = [M, user, system] ; '$append'([M|Ps], [user, system], Ms) ) ).
'$expand_through'([], T, T).
'$expand_through'([M|Ms], T, X) :-
    ( '$expansion_in'(M, T, T1) -> true ; T1 = T ),
    ( nonvar(T1), T1 = [_|_], is_list(T1) -> '$expand_each_through'(T1, Ms, X) ; '$expand_through'(Ms, T1, X) ).
'$expand_each_through'([], _, []).
'$expand_each_through'([T|Ts], Ms, Xs) :-
    ( var(T) -> X = T ; '$expand_through'(Ms, T, X) ),
    ( nonvar(X), is_list(X) -> '$append'(X, Xs1, Xs) ; Xs = [X|Xs1] ),
    '$expand_each_through'(Ts, Ms, Xs1).
'$expansion_in'(M, T, X) :- '$has_clauses'(M, term_expansion(_, _)), M:term_expansion(T, X), !.
'$expansion_in'(M, T, X) :- '$has_clauses'(M, term_expansion(_, _, _, _)), M:term_expansion(T, _, X, _), !.
'$has_clauses'(M, H) :- '$pred_info'(M:H, M, _, N, _), N > 0.

% Packages such as `fsyntax` translate the terms of the modules that use them.
'$package_expansions'(T, X) :-
    '$source_module'(M),
    ( '$has_clauses'(user, '$package_expansion'(_, _)), findall(P, user:'$package_expansion'(M, P), Ps), Ps \== [] ->
        '$apply_packages'(Ps, T, X)
    ; X = T ).
'$apply_packages'([], T, T).
'$apply_packages'([P|Ps], T, X) :-
    ( '$is_text_of'(T, Ts) -> '$map_package'(Ts, P, X1) ; call(P, T, X0) -> X1 = X0 ; X1 = T ),
    '$apply_packages'(Ps, X1, X).
'$is_text_of'(T, T) :- T = [_|_], is_list(T).
'$map_package'([], _, []).
'$map_package'([T|Ts], P, [X|Xs]) :- ( call(P, T, X0) -> X = X0 ; X = T ), '$map_package'(Ts, P, Xs).

'$expand_dcgs'(T, T) :- var(T), !.
'$expand_dcgs'([], []) :- !.
'$expand_dcgs'([A|As], [B|Bs]) :- !, '$expand_dcgs'(A, B), '$expand_dcgs'(As, Bs).
'$expand_dcgs'((H --> B), C) :- !, dcg_translate_rule((H --> B), C).
'$expand_dcgs'((H => B), C) :- !, '$single_sided'(H, B, C).
'$expand_dcgs'(T, T).

% -- goals

'$expand_clause_body'((H :- B), (H :- B1)) :- nonvar(B), '$goal_expansion_active', !, '$expand_goal'(B, B1).
'$expand_clause_body'(C, C).

'$goal_expansion_active' :-
    ( '$has_clauses'(user, goal_expansion(_, _))
    ; '$has_clauses'(user, goal_expansion(_, _, _, _))
    ; '$has_clauses'(system, goal_expansion(_, _))
    ; '$source_module'(M0), M0 \== user, ( M = M0 ; '$parents'(M0, Ps), '$member'(M, Ps) ),
      ( '$has_clauses'(M, goal_expansion(_, _)) ; '$has_clauses'(M, goal_expansion(_, _, _, _)) ) ), !.

'$expand_goal'(G, X) :- ( '$goal_expansion_active' -> '$expand_body'(G, X) ; X = G ).

'$expand_body'(G, G) :- var(G), !.
'$expand_body'((A, B), (A1, B1)) :- !, '$expand_body'(A, A1), '$expand_body'(B, B1).
'$expand_body'((A ; B), (A2 ; B1)) :- !,
    '$expand_body'(A, A1), '$expand_body'(B, B1),
    ( '$is_condition_goal'(A1), \+ '$is_condition_goal'(A) -> A2 = (A1 ; fail) ; A2 = A1 ).
'$expand_body'((A -> B), (A1 -> B1)) :- !, '$expand_body'(A, A1), '$expand_body'(B, B1).
'$expand_body'((A *-> B), (A1 *-> B1)) :- !, '$expand_body'(A, A1), '$expand_body'(B, B1).
'$expand_body'(\+ A, \+ A1) :- !, '$expand_body'(A, A1).
'$expand_body'(M:G, M:G1) :- atom(M), !, '$expand_body'(G, G1).
'$expand_body'(M:G, M:G) :- !.
'$expand_body'(G, G2) :-
    '$goal_expansion_of'(G, G1), G1 \== G, !,
    '$expand_body'(G1, G2).
'$expand_body'(G, G1) :-
    compound(G), '$source_module'(M), '$meta_spec'(M:G, Spec), !,
    G =.. [F|As], '$expand_meta'(As, Spec, Bs), G1 =.. [F|Bs].
'$expand_body'(G, G).

% A goal that becomes a condition is no condition of the disjunction it is in.
'$is_condition_goal'(G) :- nonvar(G), ( G = (_ -> _) ; G = (_ *-> _) ), !.

'$goal_expansion_of'(G, X) :-
    '$source_module'(M),
    '$expansion_modules'(M, Ms), '$member'(E, Ms), '$goal_expansion_in'(E, G, X), !.
'$goal_expansion_in'(M, G, X) :- '$has_clauses'(M, goal_expansion(_, _)), M:goal_expansion(G, X), !.
'$goal_expansion_in'(M, G, X) :- '$has_clauses'(M, goal_expansion(_, _, _, _)), M:goal_expansion(G, _, X, _), !.

'$expand_meta'([], _, []).
'$expand_meta'([A|As], [S|Ss], [B|Bs]) :-
    ( S == 0 -> '$expand_body'(A, B)
    ; S == (^) -> '$expand_carets'(A, B)
    ; B = A ),
    '$expand_meta'(As, Ss, Bs).
'$expand_carets'(A, B) :- nonvar(A), A = V^G, !, B = V^G1, '$expand_carets'(G, G1).
'$expand_carets'(A, B) :- '$expand_body'(A, B).

% Rules `Head, Guard => Body` (single-sided unification): the head matches if the call is an instance of it, and the
% rule commits. After the last rule of a predicate a call that none matched is an error.

:- dynamic('$single_sided'/3).
:- dynamic('$closed_single_sided'/3).

'$single_sided'(H0, B, (Head :- Body)) :-
    ( nonvar(H0), H0 = (H, Guard) -> true ; H = H0, Guard = true ),
    '$strip_head'(H, M, H1),
    ( callable(H1) -> true ; throw(error(type_error(callable, H1), _)) ),
    functor(H1, N, A), functor(Plain, N, A),
    '$source_module'(Source),
    ( var(M) -> Module = Source, Head = Plain ; Module = M, Head = M:Plain ),
    '$open_single_sided'(Module, N, A),
    Body = ( subsumes_term(H1, Plain), H1 = Plain, Guard, !, B ).
'$strip_head'(H, M, H1) :- ( nonvar(H), H = M0:H0 -> M = M0, H1 = H0 ; H1 = H ).

'$open_single_sided'(M, N, A) :- user:'$single_sided'(M, N, A), !.
'$open_single_sided'(M, N, A) :-
    ( user:retract('$closed_single_sided'(M, N, A)) -> '$single_sided_code'(M, N, A, I), '$erase_no_match'(M, I, A) ; true ),
    user:assertz('$single_sided'(M, N, A)).
% Behind the last clause of a dynamic predicate others may have been added.
'$erase_no_match'(M, N, A) :-
    functor(H, N, A),
    predicate_property(M:H, dynamic), !,
    ( clause(M:H, throw(error(existence_error(matching_rule, _), _)), Ref) -> erase(Ref) ; true ).
'$erase_no_match'(M, N, A) :- '$erase_last_clause'(M:N/A).
% The rules of a tabled predicate, or of one that is declared `det`, have another name.
'$single_sided_code'(M, N, A, I) :- ( user:'$tabled'(M, N, A, I0, _) -> I = I0 ; I = N ).

% Before anything runs, and at the end of a file. Rules that follow open the predicate again.
'$close_single_sided' :-
    (   '$has_clauses'(user, '$single_sided'(_, _, _)),
        user:retract('$single_sided'(M, N, A)),
        functor(H, N, A),
        '$single_sided_code'(M, N, A, I), H =.. [_|As], Last =.. [I|As],
        ( M == user -> Goal = H, Place = N/A ; Goal = M:H, Place = M:N/A ),
        '$add_clause'((M:Last :- throw(error(existence_error(matching_rule, Goal), context(Place, _)))), _),
        user:assertz('$closed_single_sided'(M, N, A)),
        fail
    ;   true ).
