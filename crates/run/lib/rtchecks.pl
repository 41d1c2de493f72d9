% The part of run-time checking that is written in Prolog: properties that are
% no regular types, computational properties, tests.

:- module(rtchecks,
          [ '$rtc_reify'/3, '$rtc_compat'/2, '$rtc_comp'/5, '$rtc_test'/5,
            check/1, save_rtchecks/2, rtchecks_on/1, rtchecks_off/1
          ]).

:- meta_predicate '$rtc_reify'(?,0,?), '$rtc_compat'(0,?),
    '$rtc_comp'(?,?,?,?,0), check(0), save_rtchecks(0,?).

% '$rtc_reify'(+Terms, :Goal, -R): R is 1 if Goal succeeds without binding a
% variable of Terms, else 0. Such variables refuse to be bound meanwhile, so a
% property that would enumerate their instances fails instead.
'$rtc_reify'(Terms, Goal, R) :-
    (   \+ \+ ( term_variables(Terms, Vs),
                hold_all(Vs),
                catch(Goal, _, fail),
                still_distinct(Vs) )
    ->  R = 1
    ;   R = 0
    ).

hold_all([]).
hold_all([V|Vs]) :- put_attr(V, rtchecks, held), hold_all(Vs).

attr_unify_hook(held, Other) :-
    var(Other),
    \+ get_attr(Other, rtchecks, held).

attribute_goals(_) --> [].

still_distinct(Vs) :-
    all_unbound(Vs),
    sort(Vs, Sorted),
    length(Vs, N),
    length(Sorted, N).

all_unbound([]).
all_unbound([V|Vs]) :- var(V), all_unbound(Vs).

% '$rtc_compat'(:Goal, -R): R is 1 if some instance satisfies Goal.
'$rtc_compat'(Goal, R) :-
    (   \+ \+ catch(Goal, _, fail) -> R = 1 ; R = 0 ).

% '$rtc_comp'(+Status, +Props, +Plan, +Assertion, :Goal): runs Goal; if Status
% is 1 the computation must have the properties.
'$rtc_comp'(0, _, _, _, Goal) :- !,
    call(Goal).
'$rtc_comp'(_, Props, Plan, Assertion, Goal) :-
    comp_layers(Props, Plan, Assertion, Goal, Layered),
    call(Layered).

comp_layers([], _, _, Goal, Goal).
comp_layers([P|Ps], Plan, Assertion, Goal0, Goal) :-
    comp_layers(Ps, Plan, Assertion, rtchecks:comp_layer(P, v(Plan,Assertion,P), Goal0), Goal).

comp_layer(det, V, G) :- !, count_answers(G, 1, 1, V).
comp_layer(is_det, V, G) :- !, count_answers(G, 0, 1, V).
comp_layer(semidet, V, G) :- !, count_answers(G, 0, 1, V).
comp_layer(multi, V, G) :- !, count_answers(G, 1, inf, V).
comp_layer(not_fails, V, G) :- !, count_answers(G, 1, inf, V).
comp_layer(nondet, _, G) :- !, call(G).
comp_layer(fails, V, G) :- !, count_answers(G, 0, 0, V).
comp_layer(num_solutions(N), V, G) :- integer(N), !, count_answers(G, N, N, V).
comp_layer(exception(E), V, G) :- !, must_throw(G, E, V).
comp_layer(exception, V, G) :- !, must_throw(G, _, V).
comp_layer(no_exception, V, G) :- !, must_not_throw(G, _, V).
comp_layer(no_exception(E), V, G) :- !, must_not_throw(G, E, V).
comp_layer(not_further_inst(X), V, G) :- !, kept_free(X, G, V).
comp_layer(not_further_inst(_, X), V, G) :- !, kept_free(X, G, V).
comp_layer(_, _, G) :- call(G).

% At most Max answers, and at least Min by the time there are no more.
count_answers(Goal, Min, Max, V) :-
    Count = count(0),
    (   call(Goal),
        arg(1, Count, N0),
        N is N0+1,
        nb_setarg(1, Count, N),
        (   Max \== inf, N > Max, N =:= Max+1
        ->  comp_violation(V, answers(N))
        ;   true
        )
    ;   arg(1, Count, N),
        N < Min,
        comp_violation(V, answers(N)),
        fail
    ).

must_throw(Goal, Expected, V) :-
    Seen = seen(no),
    (   catch(Goal, Ball, ( nb_setarg(1, Seen, yes), true )),
        (   arg(1, Seen, yes)
        ->  (   \+ Ball \= Expected -> true ; comp_violation(V, threw(Ball)) ),
            throw(Ball)
        ;   comp_violation(V, succeeded)
        )
    ;   arg(1, Seen, no),
        comp_violation(V, failed),
        fail
    ).

must_not_throw(Goal, Pattern, V) :-
    catch(Goal, Ball,
          (   ( \+ Ball \= Pattern -> comp_violation(V, threw(Ball)) ; true ),
              throw(Ball) )).

kept_free(X, Goal, V) :-
    term_variables(X, Vs),
    call(Goal),
    (   still_distinct(Vs) -> true ; comp_violation(V, bound(X)) ).

comp_violation(v(Plan, Assertion, Prop), Actual) :-
    '$rtc_comp_violation'(Plan, Assertion, Prop, Actual).

% check(:Formula): a program point assertion. Clauses of files call '$check_at'/2 instead, which
% knows the place of the clause.
check(Goal) :- '$check_at'(Goal, none).

'$check_at'(Goal, Place) :-
    strip(Goal, Module, Formula),
    (   holds(Formula, Module)
    ->  true
    ;   '$rtc_point_violation'(Module, Formula, Place)
    ).

strip(M:G, Module, Formula) :- !, strip(G, M, Module, Formula).
strip(G, user, G).

strip(G, M, Module, Formula) :-
    (   nonvar(G), G = M1:G1 -> strip(G1, M1, Module, Formula) ; Module = M, Formula = G ).

holds((A,B), M) :- !, holds(A, M), holds(B, M).
holds((A;B), M) :- !, ( holds(A, M) -> true ; holds(B, M) ).
holds(Literal, M) :-
    (   '$rtc_type_literal'(M, Literal, R)
    ->  R == 1
    ;   '$rtc_reify'(Literal, M:Literal, 1)
    ).

% save_rtchecks(:Goal, -Errors): the violations during Goal, as rtcheck/6 terms,
% instead of messages.
save_rtchecks(Goal, Errors) :-
    '$rtc_action'(Old, record),
    '$rtc_take_errors'(Before),
    (   catch(Goal, Ball, true) -> Done = true ; Done = false ),
    '$rtc_take_errors'(Errors0),
    '$rtc_action'(_, Old),
    '$rtc_keep_errors'(Before),
    Errors = Errors0,
    (   nonvar(Ball) -> throw(Ball) ; Done == true ).

% rtchecks_on(+Spec), rtchecks_off(+Spec): Spec is all, exports, a module M, or
% M:P/N.
rtchecks_on(Spec) :- '$rtc_switch'(Spec, on).
rtchecks_off(Spec) :- '$rtc_switch'(Spec, off).

% '$rtc_test'(:Pre, :Goal, :Post, +Comps, -Result)
'$rtc_test'(Pre, Goal, Post, Comps, Result) :-
    (   \+ catch(Pre, _, fail)
    ->  Result = precondition_fails
    ;   test_run(Pre, Goal, Post, Comps, Result)
    ).

test_run(Pre, Goal, Post, Comps, Result) :-
    call(Pre), !,
    catch(( call(Goal) -> Outcome = true ; Outcome = fails ), Ball, Outcome = exception(Ball)),
    test_result(Outcome, Post, Comps, Result).

test_result(true, Post, Comps, Result) :-
    (   member_of(fails, Comps) -> Result = failed(succeeds)
    ;   member_of(exception(_), Comps) -> Result = failed(succeeds)
    ;   catch(Post, _, fail) -> Result = passed
    ;   Result = failed(postcondition)
    ).
test_result(fails, _, Comps, Result) :-
    (   ( member_of(fails, Comps) ; member_of(possibly_fails, Comps) ) -> Result = passed
    ;   Result = failed(fails)
    ).
test_result(exception(Ball), _, Comps, Result) :-
    (   member_of(exception(Expected), Comps), \+ Ball \= Expected -> Result = passed
    ;   member_of(exception, Comps) -> Result = passed
    ;   Result = failed(exception(Ball))
    ).

member_of(X, [X|_]).
member_of(X, [_|T]) :- member_of(X, T).
