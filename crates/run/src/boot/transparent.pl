% Predicates declared module_transparent/1: their clauses run in the module of the caller. Each module that calls one
% gets a copy of the clauses. In a copy, goals are called where the predicate is defined, and what they take as goals,
% clauses or predicate indicators is the caller's.

% '$transparent'(+Home, +Goal): Goal, qualified with the module of the caller, is one of a transparent predicate of Home.
'$transparent'(Home, Context:Goal) :-
    functor(Goal, Name, Arity), functor(Head, Name, Arity),
    atomic_list_concat(['$in ', Home, ':', Name], Copy),
    ( '$transparent_current'(Context:Copy, Home:Head) -> true ; '$transparent_define'(Context, Copy, Home, Head) ),
    Goal =.. [_|Args], Call =.. [Copy|Args],
    call(Context:Call).

'$transparent_define'(Context, Copy, Home, Head) :-
    findall(Head-Body, '$transparent_clause'(Home, Head, Body), Clauses),
    functor(Head, Name, Arity), functor(Old, Copy, Arity),
    dynamic(Context:Copy/Arity),
    retractall(Context:Old),
    '$transparent_add'(Clauses, Context, Copy, Home, Name/Arity).

'$transparent_clause'(Home, Head, Body) :-
    functor(Head, N, A),
    catch(clause(Home:Head, Body), error(permission_error(_, _, _), _),
          throw(error(not_supported(module_transparent(Home:N/A)), _))).

'$transparent_add'([], _, _, _, _).
'$transparent_add'([Head-Body|Clauses], Context, Copy, Home, Self) :-
    Head =.. [_|Args], NewHead =.. [Copy|Args],
    '$transparent_body'(Body, t(Context, Copy, Home, Self), NewBody),
    assertz(Context:(NewHead :- NewBody)),
    '$transparent_add'(Clauses, Context, Copy, Home, Self).

'$transparent_body'(G, T, Context:G) :- var(G), !, arg(1, T, Context).
'$transparent_body'(!, _, !) :- !.
'$transparent_body'(M:G, _, M:G) :- !.
'$transparent_body'(G0, T, G) :- '$transparent_control'(G0), !,
    G0 =.. [Name|Args0], '$transparent_bodies'(Args0, T, Args), G =.. [Name|Args].
'$transparent_body'(G0, t(_, Copy, _, N/A), G) :- functor(G0, N, A), !,
    G0 =.. [_|Args], G =.. [Copy|Args].
'$transparent_body'(G0, t(Context, _, Home, _), G) :- '$at_module'(Home:G0, Context, G).

'$transparent_control'((_,_)).
'$transparent_control'((_;_)).
'$transparent_control'((_->_)).
'$transparent_control'((_*->_)).
'$transparent_control'(\+ _).

'$transparent_bodies'([], _, []).
'$transparent_bodies'([B0|Bs0], T, [B|Bs]) :- '$transparent_body'(B0, T, B), '$transparent_bodies'(Bs0, T, Bs).

% '$at_module'(+Goal0, +Context, -Goal): Goal calls Goal0 as if the call were written in module Context.
'$at_module'(G0, Context, G) :-
    '$strip_module'(G0, M, G1),
    (   '$transparent_home'(M:G1, Home)
    ->  ( Home == Context -> G = Home:G1 ; G = '$transparent'(Home, Context:G1) )
    ;   nonvar(G1), '$meta_spec'(M:G1, Kinds)
    ->  G1 =.. [Name|Args0],
        '$at_arguments'(Kinds, Args0, Context, Args),
        G2 =.. [Name|Args], G = M:G2
    ;   G = M:G1
    ).

'$at_arguments'([], _, _, []).
'$at_arguments'([K|Ks], [A0|As0], Context, [A|As]) :-
    ( '$is_goal_spec'(K), \+ ( nonvar(A0), A0 = _:_ ) -> A = Context:A0 ; A = A0 ),
    '$at_arguments'(Ks, As0, Context, As).

'$is_goal_spec'(K) :- ( integer(K) -> true ; K == (:) -> true ; K == (^) -> true ; K == (//) ).
