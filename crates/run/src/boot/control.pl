% Control, as predicates: compiled clauses have most of these inline.

:- meta_predicate(','(0,0)).
:- meta_predicate(;(0,0)).
:- meta_predicate(->(0,0)).
:- meta_predicate(*->(0,0)).
:- meta_predicate(\+(0)).
:- meta_predicate(once(0)).
:- meta_predicate(ignore(0)).
:- meta_predicate(forall(0,0)).
:- meta_predicate(catch(0,?,0)).
:- meta_predicate(catch_with_backtrace(0,?,0)).
:- meta_predicate(findall(?,0,-)).
:- meta_predicate(findall(?,0,-,?)).
:- meta_predicate(aggregate_all(?,0,-)).
:- meta_predicate(aggregate_all(?,?,0,-)).
:- meta_predicate(bagof(?,^,-)).
:- meta_predicate(setof(?,^,-)).
:- meta_predicate(assert(:)).
:- meta_predicate(asserta(:)).
:- meta_predicate(assertz(:)).
:- meta_predicate(retract(:)).
:- meta_predicate(retractall(:)).
:- meta_predicate(abolish(:)).
:- meta_predicate(clause(:,?)).
:- meta_predicate(dynamic(:)).
:- meta_predicate(discontiguous(:)).
:- meta_predicate(multifile(:)).
:- meta_predicate(current_predicate(:)).
:- meta_predicate(predicate_property(:,?)).
:- meta_predicate(with_output_to(?,0)).
:- meta_predicate(freeze(?,0)).
:- meta_predicate(when(?,0)).
:- meta_predicate('$suspend'(?,?,0)).
:- meta_predicate(phrase(//,?)).
:- meta_predicate(phrase(//,?,?)).
:- meta_predicate(call_cleanup(0,0)).
:- meta_predicate(setup_call_cleanup(0,0,0)).
:- meta_predicate(predsort(3,+,-)).
:- meta_predicate(call_with_time_limit(?,0)).
:- meta_predicate(time(0)).
:- meta_predicate(not(0)).
:- meta_predicate(apply(:,?)).
:- meta_predicate(between_(?,?)).
:- meta_predicate(initialization(0)).
:- meta_predicate(initialization(0,?)).
:- meta_predicate(consult(:)).
:- meta_predicate(load_files(:,?)).
:- meta_predicate(op(?,?,:)).
:- meta_predicate(current_op(?,?,:)).
:- meta_predicate(meta_predicate(:)).
:- meta_predicate(table(:)).
:- meta_predicate(det(:)).
:- meta_predicate(data(:)).
:- meta_predicate(concurrent(:)).
:- meta_predicate(thread_local(:)).
:- meta_predicate(dynamic(:,?)).
:- meta_predicate(export(:)).
:- meta_predicate(import(:)).
:- meta_predicate(listing(:)).
:- meta_predicate(context_module(:)).
:- meta_predicate(strip_module(:,?,?)).
:- meta_predicate(module_transparent(:)).
:- meta_predicate(current_predicate(?,:)).
:- meta_predicate(apply(:,?)).
:- meta_predicate(@(0,?)).
:- meta_predicate(findnsols(?,?,0,?)).
:- meta_predicate(limit(?,0)).
:- meta_predicate(call_nth(0,?)).

','(A, B) :- call((A, B)).
;(A, B) :- call((A ; B)).
->(A, B) :- call((A -> B)).
*->(A, B) :- call((A *-> B)).
'|'(A, B) :- call((A ; B)).
\+(G) :- \+ call(G).
not(G) :- \+ call(G).
once(G) :- call(G), !.
ignore(G) :- ( call(G) -> true ; true ).
forall(C, A) :- \+ ( call(C), \+ call(A) ).
! .
:(M, G) :- call(M:G).
apply(G0, Args) :- ( is_list(Args) -> true ; throw(error(type_error(list, Args), _)) ), '$strip_module'(G0, M, G), G =.. L0, '$append'(L0, Args, L), G2 =.. L, call(M:G2).

repeat.
repeat :- repeat.

catch_with_backtrace(G, E, R) :- catch(G, E, R).

call_cleanup(G, Cleanup) :- setup_call_cleanup(true, G, Cleanup).

setup_call_cleanup(Setup, Goal, Cleanup) :-
    once(Setup),
    '$strip_module'(Cleanup, _, C),
    ( var(C) -> throw(error(instantiation_error, _)) ; callable(C) -> true ; throw(error(type_error(callable, C), _)) ),
    '$call_cleanup'(Goal, Cleanup).

% An exception of the cleanup is lost only if another one is on its way.
'$cleanup'(G) :- ( call(G) -> true ; true ).
'$cleanup_fail'(G) :- '$cleanup_reason'(G, fail), '$cleanup'(G), fail.
'$cleanup_throw'(G, E) :- '$cleanup_reason'(G, exception(E)), catch('$cleanup'(G), _, true), throw(E).
'$cleanup_reason'(G, Reason) :- ( nonvar(G), G = '$caught_cleanup'(State, _, _) -> nb_setarg(1, State, Reason) ; true ).

% The limit holds for the first answer, as that is all there is.
call_with_time_limit(T, G) :-
    ( var(T) -> throw(error(instantiation_error, _)) ; true ),
    ( number(T) -> true ; throw(error(type_error(number, T), _)) ),
    ( T > 0 -> true ; throw(time_limit_exceeded) ),
    Seconds is float(T),
    setup_call_cleanup('$time_limit'(Seconds, N), once(G), '$time_limit_over'(N)).

time(G) :-
    statistics(cputime, T0), statistics(inferences, I0),
    ( call(G) -> R = true ; R = false ),
    statistics(cputime, T1), statistics(inferences, I1),
    T is T1 - T0, I is I1 - I0,
    format(user_error, '% ~D inferences, ~3f CPU seconds~n', [I, T]),
    R == true.

divmod(Dividend, Divisor, Q, R) :- Q is Dividend div Divisor, R is Dividend mod Divisor.

phrase(G, L) :- phrase(G, L, []).
phrase(G, L, R) :-
    '$strip_module'(G, M, G1),
    ( var(G1) -> throw(error(instantiation_error, _)) ; true ),
    ( ( callable(G1) ; string(G1) ) -> true ; throw(error(type_error(callable, G1), _)) ),
    '$check_list_or_partial'(L), '$check_list_or_partial'(R),
    dcg_translate_rule((p --> G1), (p(S0, S) :- B)),
    S0 = L, S = R,
    call(M:B).

'$check_list_or_partial'(L) :- '$skip_list'(_, L, T), ( var(T) ; T == [] ), !.
'$check_list_or_partial'(L) :- throw(error(type_error(list, L), _)).

% Woken goals: attributes of a variable that was bound, and the value.
'$wakeup'(Goals, Goal) :- '$wakeup_all'(Goals), call(Goal).

'$wakeup_all'([]).
'$wakeup_all'([G|T]) :- '$wakeup_one'(G), '$wakeup_all'(T).

'$wakeup_one'('$wake'(Atts, Value)) :- '$wake_attributes'(Atts, Value).
'$wakeup_one'('$cleanup'(G)) :- '$cleanup'(G).
'$wakeup_one'('$memberchk'(X, L)) :- '$memberchk'(L, X).
'$wakeup_one'('$not_unifiable'(X, Y)) :- \+ X = Y.

% memberchk/2 from an element on whose unification wakes goals.
'$memberchk'(L, X) :- L = [Y|T], ( X = Y -> true ; '$memberchk'(T, X) ).

'$wake_attributes'([], _).
'$wake_attributes'([att(M, V)|T], Value) :- '$wake_one'(M, V, Value), '$wake_attributes'(T, Value).

'$wake_one'(freeze, G, Y) :- !,
    ( attvar(Y) ->
        ( get_attr(Y, freeze, G2) -> put_attr(Y, freeze, '$and'(G2, G)) ; put_attr(Y, freeze, G) )
    ; var(Y) -> put_attr(Y, freeze, G)
    ; '$run_frozen'(G) ).
'$wake_one'(dif, Node, Y) :- !, '$dif_wake'(Node, Y).
% A condition that is still open waits again, at the variables that are left.
'$wake_one'(when, G, _) :- !, '$run_frozen'(G).
'$wake_one'(M, V, Y) :- call(M:attr_unify_hook(V, Y)).

'$run_frozen'('$and'(A, B)) :- !, '$run_frozen'(A), '$run_frozen'(B).
'$run_frozen'(G) :- call(G).

freeze(X, Goal) :-
    ( nonvar(X) -> call(Goal)
    ; '$qualified'(Goal, G),
      ( get_attr(X, freeze, G0) -> put_attr(X, freeze, '$and'(G0, G)) ; put_attr(X, freeze, G) ) ).

% A goal that waits in an attribute of any module, as libraries written for SWI-Prolog store it.
'$suspend'(X, M, G) :-
    ( get_attr(X, M, call(G0)) -> put_attr(X, M, call((G0, G))) ; put_attr(X, M, call(G)) ).

% The goals suspended on the variables of a term, of whatever kind, as a conjunction.
frozen(T, Goal) :-
    '$term_attvars'(T, Vs),
    ( Vs == [] -> Goal = true
    ; '$residuals'(Vs, Gs0, []), sort(Gs0, Gs), '$conjoin'(Gs, Goal) ).
'$conjoin'([], true).
'$conjoin'([G], G) :- !.
'$conjoin'([G|Gs], (G, C)) :- '$conjoin'(Gs, C).
'$qualified'(G, Q) :- ( nonvar(G), G = _:_ -> Q = G ; Q = user:G ).

del_attr(X, M) :-
    ( '$get_attributes'(X, As) ->
        '$del_att'(As, M, As1),
        ( As1 == [] -> '$del_attributes'(X) ; '$put_attributes'(X, As1) )
    ; true ).
'$del_att'([], _, []).
'$del_att'([att(M0, V0)|T], M, R) :-
    ( M0 == M -> R = T ; R = [att(M0, V0)|R1], '$del_att'(T, M, R1) ).
get_attrs(X, As) :- '$get_attributes'(X, L), '$attribute_list'(As, L).

% dif/2: suspended on the variables whose binding could make the terms equal.
dif(X, Y) :- X \== Y, ( '$different'(X, Y) -> true ; '$dif_suspend'(X, Y) ).
'$dif_suspend'(X, Y) :-
    term_variables(X-Y, Vs),
    % A variable is shown on the left.
    ( nonvar(X), var(Y) -> G = dif(Y, X) ; G = dif(X, Y) ),
    '$dif_attach'(Vs, G).
'$dif_attach'([], _).
'$dif_attach'([V|Vs], G) :-
    ( get_attr(V, dif, L) -> put_attr(V, dif, [G|L]) ; put_attr(V, dif, [G]) ),
    '$dif_attach'(Vs, G).
% All variables of both terms carry the constraint: after a binding only those of the value are new.
'$dif_wake'(L, Y) :-
    ( attvar(Y), get_attr(Y, dif, L2) -> '$append'(L, L2, L3), put_attr(Y, dif, L3), Vs = []
    ; var(Y) -> put_attr(Y, dif, L), Vs = []
    ; atomic(Y) -> Vs = []
    ; term_variables(Y, Vs) ),
    '$dif_recheck'(L, Vs).
'$dif_recheck'([], _).
'$dif_recheck'([G|T], Vs) :-
    G = dif(X, Y),
    X \== Y,
    ( '$different'(X, Y) -> '$dif_detach'(X, Y, G) ; '$dif_reattach'(Vs, G) ),
    '$dif_recheck'(T, Vs).
% What holds for ever is taken from the variables that are left.
'$dif_detach'(X, Y, G) :-
    term_variables(X-Y, Vs),
    '$dif_forget'(Vs, G).
'$dif_forget'([], _).
'$dif_forget'([V|Vs], G) :-
    ( get_attr(V, dif, L0) ->
        '$dif_without'(L0, G, L),
        ( L == [] -> del_attr(V, dif) ; put_attr(V, dif, L) )
    ; true ),
    '$dif_forget'(Vs, G).
'$dif_without'([], _, []).
'$dif_without'([D|Ds], G, R) :- ( D == G -> R = R1 ; R = [D|R1] ), '$dif_without'(Ds, G, R1).
'$dif_reattach'([], _).
'$dif_reattach'([V|Vs], G) :-
    ( get_attr(V, dif, L) ->
        ( '$memberq'(G, L) -> true ; put_attr(V, dif, [G|L]) )
    ; put_attr(V, dif, [G]) ),
    '$dif_reattach'(Vs, G).
'$memberq'(X, [Y|_]) :- X == Y, !.
'$memberq'(X, [_|T]) :- '$memberq'(X, T).

when(Cond, G) :- var(Cond), !, throw(error(instantiation_error, when(Cond, G))).
when(Cond, Goal) :- '$when_condition'(Cond, Cond, 100000), '$qualified'(Goal, G), '$when'(Cond, G).
% Terms may be cyclic, what is made of them must not be: no condition is so deep.
'$when_condition'(C, _, _) :- var(C), !, throw(error(instantiation_error, _)).
'$when_condition'((A, B), C, N) :- !, '$when_parts'(A, B, C, N).
'$when_condition'((A ; B), C, N) :- !, '$when_parts'(A, B, C, N).
'$when_condition'(_, _, _).
'$when_parts'(A, B, C, N) :-
    ( N > 0 -> N1 is N - 1 ; throw(error(type_error(acyclic_term, C), when(C, _))) ),
    '$when_condition'(A, C, N1),
    '$when_condition'(B, C, N1).
'$when'(nonvar(X), G) :- !, ( nonvar(X) -> call(G) ; '$when_suspend'(X, when(nonvar(X), G)) ).
'$when'(ground(X), G) :- !,
    ( term_variables(X, [V|_]) -> '$when_suspend'(V, when(ground(X), G)) ; call(G) ).
'$when'(?=(X, Y), G) :- !,
    ( ( X == Y ; '$different'(X, Y) ) -> call(G)
    % Any variable may decide it: one that becomes another wakes only if both wait.
    ; term_variables(X-Y, Vs), '$when_suspend_all'(Vs, '$when_decided'(_, X, Y, G)) ).
'$when'((A, B), G) :- !, '$when'(A, system:when(B, G)).
'$when'((A ; B), G) :- !,
    '$when'(A, system:'$when_once'(Done, (A ; B), G)),
    ( Done == true -> true ; '$when'(B, system:'$when_once'(Done, (A ; B), G)) ).
'$when'(Cond, _) :- throw(error(domain_error(when_condition, Cond), _)).
'$when_once'(Done, _, G) :- ( Done == true -> true ; Done = true, call(G) ).
'$when_decided'(Done, X, Y, G) :- ( Done == true -> true ; Done = true, '$when'(?=(X, Y), G) ).
'$when_suspend_all'([], _).
'$when_suspend_all'([V|Vs], G) :- '$when_suspend'(V, G), '$when_suspend_all'(Vs, G).
'$when_suspend'(V, G) :-
    ( get_attr(V, when, G0) -> put_attr(V, when, '$and'(G0, G)) ; put_attr(V, when, G) ).

% Goals that wait on the variables are not asked.
?=(A, B) :- ( A == B -> true ; '$different'(A, B) ).

% Only these variables are new in the copy.
copy_term(VarsIn, T, VarsOut, Copy) :- '$copy_only'(VarsIn, T, VarsOut, Copy).
copy_term_nat(VarsIn, T, VarsOut, Copy) :-
    '$kept_variables'(VarsIn, T, Kept),
    copy_term_nat(VarsIn-Kept-T, VarsOut-Kept-Copy).
'$copy_only'(VarsIn, T, VarsOut, Copy) :-
    '$kept_variables'(VarsIn, T, Kept),
    ( '$term_attvars'(Kept, []) -> copy_term(VarsIn-Kept-T, VarsOut-Kept-Copy)
    ; duplicate_term(VarsIn-Kept-T, VarsOut-Kept0-Copy), '$same_variables'(Kept0, Kept) ).
'$same_variables'([], []).
'$same_variables'([V|Vs], [W|Ws]) :- '$without_attributes'(V), V = W, '$same_variables'(Vs, Ws).
'$without_attributes'(V) :- ( attvar(V) -> del_attrs(V) ; true ).
'$kept_variables'(VarsIn, T, Kept) :-
    term_variables(VarsIn, Vs), term_variables(T, All), '$others'(All, Vs, Kept).

copy_term(T, Copy, Goals) :-
    '$term_attvars'(T, Vs),
    ( Vs == [] -> copy_term(T, Copy), Goals = []
    ; '$residuals'(Vs, Gs0, []), '$residuals_once'(Gs0, [], Gs), copy_term_nat(T-Gs, Copy-Goals) ).

% A condition that waits at several variables is one goal.
'$residuals_once'([], _, []).
'$residuals_once'([G|Gs], Seen, R) :-
    ( ( G = when(C, _), '$waits_at_several'(C) ; G = clpb:_ ) ->
        ( '$memberq'(G, Seen) -> R = R1 ; R = [G|R1] ),
        '$residuals_once'(Gs, [G|Seen], R1)
    ; R = [G|R1], '$residuals_once'(Gs, Seen, R1) ).

'$waits_at_several'((_ ; _)).
'$waits_at_several'(?=(_, _)).
'$waits_at_several'((C, _)) :- '$waits_at_several'(C).

'$residuals'([], L, L).
'$residuals'([V|Vs], L, R) :- '$get_attributes'(V, As), '$residual_atts'(As, V, L, L1), '$residuals'(Vs, L1, R).
'$residual_atts'([], _, L, L).
'$residual_atts'([att(M, Val)|T], V, L, R) :- '$residual_att'(M, Val, V, L, L1), '$residual_atts'(T, V, L1, R).
'$residual_att'(freeze, G, V, L, R) :- !, '$residual_frozen'(G, V, L, R).
'$residual_att'(dif, Ds, V, L, R) :- !, '$residual_dif'(Ds, V, L, R).
'$residual_att'(when, G, _, L, R) :- !, '$residual_when'(G, L, R).
'$residual_att'(M, _, V, L, R) :-
    '$is_defined'(M:attribute_goals(_, _, _)),
    phrase(M:attribute_goals(V), Gs), !,
    '$append'(Gs, R, L).
'$residual_att'(M, Val, V, [put_attr(V, M, Val)|R], R).
% The goals of an answer at the top level.
'$query'(G0, Bindings, Residue) :-
    ( nb_current('$answers', Old) -> '$with_answers'(G0, Bindings, Old, G) ; G = G0 ),
    call(G),
    ( nb_current('$answers', _) -> '$keep_answers'(Bindings) ; true ),
    term_variables(Bindings, Vars),
    ( '$has_clauses'(chr, compiled(_, _, _)) -> chr:stored_goals(Stored) ; Stored = [] ),
    ( '$term_attvars'(Vars, []) -> Residue = Stored
    ; '$term_attvars'(Vars, Vs), '$residuals'(Vs, Gs, []), '$without_modules'(Gs, Goals), '$append'(Goals, Stored, Residue) ).
% `$X` in a query is what X was in the last answer that bound it.
'$with_answers'(T, _, _, T) :- \+ compound(T), !.
'$with_answers'($(V), Bindings, Old, T) :- var(V), '$member'(N = W, Bindings), W == V, !,
    ( '$member'(N = T0, Old) -> T = T0 ; throw(error(existence_error(answer, $(N)), _)) ).
'$with_answers'(T0, Bindings, Old, T) :- T0 =.. [F|As0], '$with_answers_each'(As0, Bindings, Old, As), T =.. [F|As].
'$with_answers_each'([], _, _, []).
'$with_answers_each'([A0|As0], Bindings, Old, [A|As]) :- '$with_answers'(A0, Bindings, Old, A), '$with_answers_each'(As0, Bindings, Old, As).
'$keep_answers'(Bindings) :- nb_getval('$answers', Old), '$newer_answers'(Bindings, Old, New), nb_setval('$answers', New).
'$newer_answers'([], Old, Old).
'$newer_answers'([N = V|Bs], Old, New) :-
    ( nonvar(V), acyclic_term(V), term_size(V, Size), Size =< 1000 -> '$without_answer'(Old, N, Old1), New = [N = V|New1] ; Old1 = Old, New = New1 ),
    '$newer_answers'(Bs, Old1, New1).
'$without_answer'([], _, []).
'$without_answer'([N1 = V|As], N, R) :- ( N1 == N -> R = As ; R = [N1 = V|R1], '$without_answer'(As, N, R1) ).
'$without_modules'([], []).
'$without_modules'([G|Gs], R) :-
    '$plain_goal'(G, G1),
    ( '$memberq'(G, Gs) -> R = R1 ; R = [G1|R1] ),
    '$without_modules'(Gs, R1).
'$residual_frozen'('$and'(A, B), V, L, R) :- !, '$residual_frozen'(A, V, L, L1), '$residual_frozen'(B, V, L1, R).
'$residual_frozen'(G, V, [freeze(V, G)|R], R).
'$residual_when'('$and'(A, B), L, R) :- !, '$residual_when'(A, L, L1), '$residual_when'(B, L1, R).
'$residual_when'(when(C, G), L, R) :- !, '$residual_condition'(G, C, L, R).
'$residual_when'('$when_decided'(Done, X, Y, G), L, R) :- !,
    ( Done == true -> L = R ; L = [when(?=(X, Y), G)|R] ).
'$residual_when'(G, [G|R], R).
% A conjunction waits for one part after the other, a disjunction for all of its parts.
'$residual_condition'(G, C, [when(C, G)|R], R) :- ( var(G) ; G \= system:_ ), !.
'$residual_condition'(system:when(C2, G), C, L, R) :- !, '$residual_condition'(G, (C, C2), L, R).
'$residual_condition'(system:'$when_once'(Done, C, G), _, L, R) :- !,
    ( Done == true -> L = R ; '$residual_condition'(G, C, L, R) ).
'$residual_condition'(G, C, [when(C, G)|R], R).
'$residual_dif'([], _, L, L).
'$residual_dif'([dif(X, Y)|T], V, L, R) :-
    term_variables(X-Y, Vs),
    % Two variables that became one may both have brought it.
    ( Vs = [V1|_], V1 == V, \+ '$memberq'(dif(X, Y), T), X \== Y, \+ '$different'(X, Y) -> L = [dif(X, Y)|L1] ; L = L1 ),
    '$residual_dif'(T, V, L1, R).

'$plain_goal'(G, G) :- var(G), !.
'$plain_goal'(M:G, P) :- '$memberq'(M, [user, clpfd, clpb]), !, '$plain_goal'(G, P).
'$plain_goal'(freeze(X, G), freeze(X, P)) :- !, '$plain_goal'(G, P).
'$plain_goal'(when(C, G), when(C, P)) :- !, '$plain_goal'(G, P).
'$plain_goal'(G, G).

'$append'([], L, L).
'$append'([H|T], L, [H|R]) :- '$append'(T, L, R).
'$member'(X, [X|_]).
'$member'(X, [_|T]) :- '$member'(X, T).
