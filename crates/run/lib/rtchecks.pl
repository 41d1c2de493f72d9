% The part of run-time checking that is written in Prolog: properties that are
% no regular types, computational properties, program points.
%
% Truth values are 3 (holds), 0 (does not hold) and 1 (not known: the property
% raised an exception, which is reported as such). With them /\ and \/ are
% Kleene's conjunction and disjunction; a condition is violated if it is 0.

:- module(rtchecks,
          [ '$rtc_reify'/4, '$rtc_holds'/2, '$rtc_compat'/3, '$rtc_comp'/5, '$rtc_threw'/2,
            check/1, trust/1, true/1, checked/1, false/1,
            save_rtchecks/2, rtchecks_on/1, rtchecks_off/1
          ]).

:- meta_predicate '$rtc_reify'(?,0,?,?), '$rtc_holds'(?,0), '$rtc_compat'(0,?,?),
    '$rtc_comp'(?,?,?,?,0), check(0), trust(0), true(0), checked(0), false(0),
    save_rtchecks(0,?).

% '$rtc_reify'(+Terms, :Goal, +Plan, -R): R is 3 if Goal succeeds without
% binding a variable of Terms, 0 if not, 1 if it raises an exception.
'$rtc_reify'(_, Goal, Plan, R) :-
    state_property(Goal, Property), !,
    state_truth(Property, Plan, R).
'$rtc_reify'(Terms, Goal, Plan, R) :-
    catch(reified(Terms, Goal, R0), Ball, R0 = raised(Ball)),
    (   R0 = raised(B) -> property_raised(Plan, Goal, B), R = 1 ; R = R0 ).

% compat/1,2, inst/1,2 and instance/1 say how a property is to be understood.
state_property(Goal, Property) :-
    strip(Goal, M, G),
    nonvar(G),
    meta_property(G, Kind, P0),
    functor(G, N, A),
    \+ ( current_predicate(M:N/A), \+ predicate_property(M:G, imported_from(basic_props)) ),
    nonvar(P0),
    Property =.. [Kind, M, P0].

meta_property(compat(P), compat, P).
meta_property(compat(X, T), compat, P) :- applied(T, X, P).
meta_property(inst(P), inst, P).
meta_property(inst(X, T), inst, P) :- applied(T, X, P).
meta_property(instance(P), inst, P).

applied(T, X, P) :- callable(T), T =.. L0, append_one(L0, X, L), P =.. L.

append_one([], X, [X]).
append_one([Y|Ys], X, [Y|Zs]) :- append_one(Ys, X, Zs).

state_truth(compat(M, P), Plan, R) :-
    (   '$rtc_compat_literal'(M, P, R0) -> R = R0 ; '$rtc_compat'(M:P, Plan, R) ).
state_truth(inst(M, P), Plan, R) :-
    (   '$rtc_type_literal'(M, P, R0) -> R = R0 ; '$rtc_reify'(P, M:P, Plan, R) ).

reified(Terms, Goal, R) :-
    (   '$rtc_holds'(Terms, Goal) -> R = 3 ; R = 0 ).

% '$rtc_holds'(+Terms, :Goal): variables of Terms refuse to be bound meanwhile,
% so a property that would enumerate their instances fails instead.
'$rtc_holds'(Terms, Goal) :-
    \+ \+ ( term_variables(Terms, Vs),
            hold_all(Vs),
            call(Goal),
            still_distinct(Vs) ).

% Limits, interrupts and violations inside a property end it and what called it.
property_raised(_, _, Ball) :- passes(Ball), !, throw(Ball).
property_raised(Plan, Goal, Ball) :- '$rtc_property_raised'(Plan, Goal, Ball).

passes('$aborted').
passes(time_limit_exceeded).
passes(rtcheck(_, _, _, _, _, _)).
passes(error(resource_error(_), _)).

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

% '$rtc_compat'(:Goal, +Plan, -R): R is 3 if some instance satisfies Goal.
'$rtc_compat'(Goal, Plan, R) :-
    catch(compatible(Goal, R0), Ball, R0 = raised(Ball)),
    (   R0 = raised(B) -> property_raised(Plan, Goal, B), R = 1 ; R = R0 ).

compatible(Goal, R) :- ( \+ \+ call(Goal) -> R = 3 ; R = 0 ).

% '$rtc_comp'(+Status, +Props, +Plan, +Assertion, :Goal): runs Goal; if Status
% is 3 the computation must have the properties.
'$rtc_comp'(3, Props, Plan, Assertion, Goal) :- !,
    comp_layers(Props, Plan, Assertion, Goal, Layered),
    call(Layered).
'$rtc_comp'(_, _, _, _, Goal) :-
    call(Goal).

comp_layers([], _, _, Goal, Goal).
comp_layers([P|Ps], Plan, Assertion, Goal0, Goal) :-
    comp_layers(Ps, Plan, Assertion, rtchecks:comp_layer(P, v(Plan,Assertion,P), Goal0), Goal).

comp_layer(P, V, G) :- answers(P, Min, Max), !, count_answers(G, Min, Max, V).
comp_layer(exception(E), V, G) :- !, must_throw(G, E, V).
comp_layer(throws(E), V, G) :- !, must_throw(G, E, V).
comp_layer(exception, V, G) :- !, must_throw(G, _, V).
comp_layer(no_exception, V, G) :- !, must_not_throw(G, _, V).
comp_layer(no_exception(E), V, G) :- !, must_not_throw(G, E, V).
comp_layer(exceptions(Es), V, G) :- !, must_throw_one_of(G, Es, V).
comp_layer(possible_exceptions(Es), V, G) :- !, may_throw(G, Es, V).
comp_layer(not_further_inst(X), V, G) :- !, kept_free(X, G, V).
comp_layer(not_further_inst(_, X), V, G) :- !, kept_free(X, G, V).
comp_layer(num_solutions(P), V, G) :- !, has_number_of_solutions(P, G, V).
comp_layer(no_choicepoints, V, G) :- !, leaves_no_choice(G, V).
comp_layer(leave_choicepoints, V, G) :- !, leaves_choice(G, V).
comp_layer(leaves_choicepoints, V, G) :- !, leaves_choice(G, V).
comp_layer(user_output(Text), V, G) :- !, writes(user_output, Text, G, V).
comp_layer(user_error(Text), V, G) :- !, writes(user_error, Text, G, V).
comp_layer(solutions(Sols), V, G) :- !, has_solutions(Sols, G, V).
comp_layer(_, _, G) :- call(G).

% answers(+Prop, -Min, -Max): the numbers of answers Prop admits; -1 is no limit.
answers(det, 1, 1).
answers(is_det, 0, 1).
answers(semidet, 0, 1).
answers(multi, 1, -1).
answers(not_fails, 1, -1).
answers(succeeds, 1, -1).
answers(non_det, 2, -1).
answers(fails, 0, 0).
answers(num_solutions(N), N, N) :- integer(N).
answers(num_solutions(Min, Max), Min, Max) :- integer(Min), integer(Max).
answers(relations(N), N, N) :- integer(N).
answers(cardinality(Min, Max0), Min, Max) :- integer(Min), ( integer(Max0) -> Max = Max0 ; Max = -1 ).

% The choice point that notices the end goes with the last answer.
count_answers(Goal, Min, Max, v(Plan, Assertion, Prop)) :-
    '$rtc_counter'(C),
    (   '$rtc_mark'(C),
        call(Goal),
        '$rtc_answer'(C, 3, Min, Max, Plan, Assertion, Prop)
    ;   '$rtc_no_more'(C, 3, Min, Plan, Assertion, Prop)
    ).

must_throw(Goal, Expected, V) :-
    Seen = seen(no),
    (   catch(Goal, Ball, ( '$rtc_set'(Seen, yes), true )),
        (   arg(1, Seen, yes)
        ->  (   passes(Ball) -> true ; \+ Ball \= Expected -> true ; comp_violation(V, threw(Ball)) ),
            throw(Ball)
        ;   succeeded(Seen, V)
        )
    ;   arg(1, Seen, no),
        comp_violation(V, failed),
        fail
    ).

must_throw_one_of(Goal, Es, V) :-
    Seen = seen(no),
    (   catch(Goal, Ball, ( '$rtc_set'(Seen, yes), true )),
        (   arg(1, Seen, yes)
        ->  (   one_of(Es, Ball) -> true ; passes(Ball) -> true ; comp_violation(V, threw(Ball)) ),
            throw(Ball)
        ;   succeeded(Seen, V)
        )
    ;   arg(1, Seen, no),
        comp_violation(V, failed),
        fail
    ).

% The first answer is told; what comes after it is not told again.
succeeded(Seen, V) :-
    (   arg(1, Seen, no)
    ->  '$rtc_set'(Seen, answered), comp_violation(V, succeeded)
    ;   true
    ).

may_throw(Goal, Es, V) :-
    catch(Goal, Ball,
          (   ( one_of(Es, Ball) -> true ; passes(Ball) -> true ; comp_violation(V, threw(Ball)) ),
              throw(Ball) )).

one_of([E|Es], Ball) :- ( \+ Ball \= E -> true ; one_of(Es, Ball) ).

must_not_throw(Goal, Pattern, V) :-
    catch(Goal, Ball,
          (   ( passes(Ball) -> true ; \+ Ball \= Pattern -> comp_violation(V, threw(Ball)) ; true ),
              throw(Ball) )).

kept_free(X, Goal, V) :-
    term_variables(X, Vs),
    call(Goal),
    (   still_distinct(Vs) -> true ; comp_violation(V, bound(X)) ).

leaves_no_choice(Goal, V) :-
    '$rtc_choice'(B0), call(Goal), '$rtc_choice'(B1),
    (   B0 == B1 -> true ; comp_violation(V, choicepoints_left) ).

leaves_choice(Goal, V) :-
    '$rtc_choice'(B0), call(Goal), '$rtc_choice'(B1),
    (   B0 == B1 -> comp_violation(V, no_choicepoints_left) ; true ).

% What the computation writes up to its first answer.
writes(Stream, Text, Goal, V) :-
    Done = done(no),
    '$rtc_capture'(Stream, Begin),
    (   catch(Goal, Ball, true),
        (   arg(1, Done, no)
        ->  '$rtc_set'(Done, yes),
            '$rtc_captured'(Stream, Begin, Written),
            (   nonvar(Ball) -> throw(Ball) ; true ),
            (   same_text(Text, Written) -> true ; comp_violation(V, written(Written)) )
        ;   nonvar(Ball) -> throw(Ball)
        ;   true
        )
    ;   arg(1, Done, no), '$rtc_captured'(Stream, Begin, _), fail
    ).

same_text(Text, Written) :-
    text_to_string(Text, S), S == Written.

% Answers are compared as they come; the goal's last answer is known if it leaves no choice point.
has_solutions(Sols, Goal, V) :-
    strip(Goal, _, G),
    Expected =.. [s|Sols], functor(Expected, _, N),
    Seen = seen(0),
    (   '$rtc_choice'(B0), call(Goal), '$rtc_choice'(B1),
        arg(1, Seen, K0),
        (   K0 < 0 -> true
        ;   K is K0 + 1,
            '$rtc_first_argument'(G, X),
            (   arg(K, Expected, Y), \+ X \= Y, ( B0 \== B1 ; K =:= N )
            ->  '$rtc_set'(Seen, K)
            ;   '$rtc_set'(Seen, -1),
                first_elements(K0, Sols, Before, [X]),
                comp_violation(V, solutions(Before))
            )
        ),
        ( B0 == B1 -> ! ; true )
    ;   arg(1, Seen, K),
        K >= 0, K < N,
        first_elements(K, Sols, Before, []),
        comp_violation(V, solutions(Before)),
        fail
    ).

first_elements(0, _, L, L) :- !.
first_elements(K, [X|Xs], [X|Ys], L) :- K1 is K - 1, first_elements(K1, Xs, Ys, L).

% num_solutions(P) with a property of the number.
has_number_of_solutions(P, Goal, V) :-
    strip(Goal, M, _),
    Seen = seen(0),
    (   '$rtc_choice'(B0), call(Goal), '$rtc_choice'(B1),
        arg(1, Seen, N0), N is N0 + 1, '$rtc_set'(Seen, N),
        (   B0 == B1 -> !, number_holds(M:P, N, V) ; true )
    ;   arg(1, Seen, N), number_holds(M:P, N, V), fail
    ).

number_holds(P, N, V) :- ( \+ \+ call(P, N) -> true ; comp_violation(V, answers(N)) ).

% '$rtc_threw'(+Ball, +Properties): the computation ended in an exception, which
% these properties exclude; each is c(Status, v(Plan, Assertion, Property)).
'$rtc_threw'(Ball, Properties) :-
    ( passes(Ball) -> true ; all_violated(Properties, threw(Ball)) ),
    throw(Ball).

all_violated([], _).
all_violated([c(Status, V)|Cs], Actual) :-
    ( Status =:= 3 -> comp_violation(V, Actual) ; true ),
    all_violated(Cs, Actual).

'$rtc_first_argument'(G, X) :- ( compound(G) -> arg(1, G, X) ; X = G ).

% The violation is reported, or noted for a test that is being run.
comp_violation(noted(State, Prop), Actual) :-
    ( arg(3, State, passed) -> nb_setarg(3, State, failed(Prop-Actual)) ; true ).
comp_violation(v(Plan, Assertion, Prop), Actual) :-
    '$rtc_comp_violation'(Plan, Assertion, Prop, Actual).

% check(:Formula): a program point assertion. Clauses of files call '$check_at'/2 instead, which
% knows the place of the clause. The other statuses claim something and are not checked.
check(Goal) :- '$check_at'(Goal, none).
trust(Goal) :- ( current_prolog_flag(rtchecks_trust, yes) -> check(Goal) ; true ).
true(_).
checked(_).
false(_).

'$check_at'(Goal, Place) :-
    strip(Goal, Module, Formula),
    holds(Formula, Module, R),
    (   R =\= 0
    ->  true
    ;   '$rtc_point_violation'(Module, Formula, Place)
    ).

strip(M:G, Module, Formula) :- !, strip(G, M, Module, Formula).
strip(G, user, G).

strip(G, M, Module, Formula) :-
    (   nonvar(G), G = M1:G1 -> strip(G1, M1, Module, Formula) ; Module = M, Formula = G ).

holds((A,B), M, R) :- !, holds(A, M, R1), holds(B, M, R2), R is R1 /\ R2.
holds((A;B), M, R) :- !, holds(A, M, R1), holds(B, M, R2), R is R1 \/ R2.
holds(Literal, M, R) :-
    (   '$rtc_type_literal'(M, Literal, R0)
    ->  R = R0
    ;   '$rtc_reify'(Literal, M:Literal, M, R)
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
