% Aggregation over all answers of a goal.

:- module(aggregate,
          [ aggregate_all/3, aggregate_all/4, aggregate/3, aggregate/4, foreach/2 ]).

:- use_module(library(lists)).
:- use_module(library(pairs)).

:- meta_predicate aggregate_all(?,0,-), aggregate_all(?,?,0,-),
    aggregate(?,^,-), aggregate(?,?,^,-), foreach(0,0).

aggregate_all(Spec, Goal, Result) :-
    (   var(Spec)
    ->  throw(error(instantiation_error, aggregate_all/3))
    ;   aggregate_all_(Spec, Goal, Result)
    ).

aggregate_all_(count, Goal, Count) :- !,
    findall(x, Goal, Xs),
    length(Xs, Count).
aggregate_all_(count(T), Goal, Count) :- !,
    findall(T, Goal, Xs),
    length(Xs, Count).
aggregate_all_(sum(X), Goal, Sum) :- !,
    findall(X, Goal, Xs),
    sum_expressions(Xs, 0, Sum).
aggregate_all_(max(X, W), Goal, max(Max, Witness)) :- !,
    findall(X-W, Goal, Pairs),
    best_pair(Pairs, >, Max, Witness).
aggregate_all_(min(X, W), Goal, min(Min, Witness)) :- !,
    findall(X-W, Goal, Pairs),
    best_pair(Pairs, <, Min, Witness).
aggregate_all_(max(X), Goal, Max) :- !,
    findall(X-x, Goal, Pairs),
    best_pair(Pairs, >, Max, _).
aggregate_all_(min(X), Goal, Min) :- !,
    findall(X-x, Goal, Pairs),
    best_pair(Pairs, <, Min, _).
aggregate_all_(bag(X), Goal, Bag) :- !,
    findall(X, Goal, Bag).
aggregate_all_(set(X), Goal, Set) :- !,
    findall(X, Goal, Bag),
    sort(Bag, Set).
aggregate_all_(Term, Goal, Result) :-
    compound(Term),
    Term =.. [F|Specs],
    aggregate_templates(Specs, Templates),
    findall(Templates, Goal, Rows),
    aggregate_columns(Specs, 1, Rows, Results),
    Result =.. [F|Results].

aggregate_templates([], []).
aggregate_templates([S|Ss], [T|Ts]) :-
    spec_template(S, T),
    aggregate_templates(Ss, Ts).

spec_template(count, x) :- !.
spec_template(count(_), x) :- !.
spec_template(sum(X), X) :- !.
spec_template(max(X), X) :- !.
spec_template(min(X), X) :- !.
spec_template(max(X,W), X-W) :- !.
spec_template(min(X,W), X-W) :- !.
spec_template(bag(X), X) :- !.
spec_template(set(X), X) :- !.
spec_template(S, _) :-
    throw(error(domain_error(aggregate_spec, S), aggregate_all/3)).

aggregate_columns([], _, _, []).
aggregate_columns([S|Ss], I, Rows, [R|Rs]) :-
    column(Rows, I, Column),
    aggregate_column(S, Column, R),
    I1 is I+1,
    aggregate_columns(Ss, I1, Rows, Rs).

column([], _, []).
column([Row|Rows], I, [X|Xs]) :-
    nth1(I, Row, X),
    column(Rows, I, Xs).

aggregate_column(count, C, N) :- length(C, N).
aggregate_column(count(_), C, N) :- length(C, N).
aggregate_column(sum(_), C, S) :- sum_expressions(C, 0, S).
aggregate_column(max(_), C, M) :- self_pairs(C, P), best_pair(P, >, M, _).
aggregate_column(min(_), C, M) :- self_pairs(C, P), best_pair(P, <, M, _).
aggregate_column(max(_,_), C, max(M,W)) :- best_pair(C, >, M, W).
aggregate_column(min(_,_), C, min(M,W)) :- best_pair(C, <, M, W).
aggregate_column(bag(_), C, C).
aggregate_column(set(_), C, S) :- sort(C, S).

self_pairs([], []).
self_pairs([X|Xs], [X-x|Ps]) :- self_pairs(Xs, Ps).

sum_expressions([], Sum, Sum).
sum_expressions([X|Xs], Sum0, Sum) :-
    Sum1 is Sum0+X,
    sum_expressions(Xs, Sum1, Sum).

best_pair([X-W|T], Order, Best, Witness) :-
    (   aggregate_number(X)
    ->  V is X
    ;   V = X
    ),
    best_pair_(T, Order, V, W, Best, Witness).

best_pair_([], _, Best, Witness, Best, Witness).
best_pair_([X-W|T], Order, B0, W0, Best, Witness) :-
    (   aggregate_number(X)
    ->  V is X
    ;   V = X
    ),
    (   better(Order, V, B0)
    ->  best_pair_(T, Order, V, W, Best, Witness)
    ;   best_pair_(T, Order, B0, W0, Best, Witness)
    ).

aggregate_number(X) :-
    (   number(X)
    ->  true
    ;   compound(X),
        catch(_ is X, _, fail)
    ).

better(>, A, B) :- ( number(A), number(B) -> A > B ; A @> B ).
better(<, A, B) :- ( number(A), number(B) -> A < B ; A @< B ).

% aggregate_all(Spec, Discriminator, Goal, Result): distinct Discriminators.
aggregate_all(Spec, Discriminator, Goal, Result) :-
    spec_or_count(Spec, Template),
    findall(Discriminator-Template, Goal, Pairs0),
    sort(Pairs0, Pairs),
    pairs_values(Pairs, Values),
    aggregate_column(Spec, Values, Result).

spec_or_count(Spec, Template) :- spec_template(Spec, Template).

% aggregate(Spec, Goal, Result): as bagof, backtracking over free variables.
aggregate(Spec, _, _) :- var(Spec), !,
    throw(error(instantiation_error, aggregate/3)).
aggregate(Spec, Goal, Result) :-
    (   is_spec(Spec)
    ->  spec_template(Spec, Template),
        bagof(Template, Goal, Column),
        aggregate_column(Spec, Column, Result)
    ;   compound(Spec)
    ->  Spec =.. [F|Specs],
        aggregate_templates(Specs, Templates),
        bagof(Templates, Goal, Rows),
        aggregate_columns(Specs, 1, Rows, Results),
        Result =.. [F|Results]
    ;   throw(error(domain_error(aggregate_spec, Spec), aggregate/3))
    ).

% Of answers with the same discriminator and values one counts.
aggregate(Spec, Discriminator, Goal, Result) :-
    spec_template(Spec, Template),
    setof(Discriminator-Template, Goal, Pairs),
    pairs_values(Pairs, Column),
    aggregate_column(Spec, Column, Result).

is_spec(count).
is_spec(count(_)).
is_spec(sum(_)).
is_spec(max(_)).
is_spec(min(_)).
is_spec(max(_,_)).
is_spec(min(_,_)).
is_spec(bag(_)).
is_spec(set(_)).

foreach(Generator, Goal) :-
    term_variables(Generator, GenVars),
    term_variables(Goal, GoalVars),
    shared(GenVars, GoalVars, Shared),
    Template =.. [v|Shared],
    findall(Template, Generator, Instances),
    foreach_instances(Instances, Template, Goal).

shared([], _, []).
shared([V|Vs], Ws, R) :-
    (   same_var(Ws, V) -> R = [V|R1] ; R = R1 ),
    shared(Vs, Ws, R1).

same_var([W|Ws], V) :- ( W == V -> true ; same_var(Ws, V) ).

% Only the variables of the generator are renamed: what else the goal holds is shared, also for changes in place.
foreach_instances([], _, _).
foreach_instances([I|Is], Template, Goal) :-
    (   acyclic_term(Goal)
    ->  Template =.. [_|Vs], I =.. [_|Ws], instance(Goal, Vs, Ws, Goal0)
    ;   copy_term(Template, Goal, I, Goal0) ),
    call(Goal0),
    foreach_instances(Is, Template, Goal).

% Parts without any of the variables are not copied.
instance(T, Vs, Ws, C) :- var(T), !, ( value_of(Vs, Ws, T, W) -> C = W ; C = T ).
instance(T, Vs, Ws, C) :-
    compound(T), term_variables(T, Us), \+ \+ ( member(U, Us), same_var(Vs, U) ), !,
    T =.. [F|As], instances(As, Vs, Ws, Bs), C =.. [F|Bs].
instance(T, _, _, T).
instances([], _, _, []).
instances([A|As], Vs, Ws, [B|Bs]) :- instance(A, Vs, Ws, B), instances(As, Vs, Ws, Bs).
value_of([V|Vs], [W|Ws], T, R) :- ( V == T -> R = W ; value_of(Vs, Ws, T, R) ).
