% All solutions.

findall(T, G, L) :- findall(T, G, L, []).

findall(T, G, L, Tail) :-
    '$check_result_list'(L),
    '$bag_open'(D),
    '$findall_collect'(D, T, G),
    '$bag_close'(D, L, Tail).

'$findall_collect'(D, T, G) :- call(G), '$bag_add'(D, T), fail.
'$findall_collect'(_, _, _).

'$check_result_list'(L) :- var(L), !.
'$check_result_list'(L) :-
    '$skip_list'(_, L, T),
    ( var(T) -> true ; T == [] -> true ; throw(error(type_error(list, L), _)) ).

% Up to N answers, the next ones on backtracking. No bag is open while the caller goes on.
findnsols(N, T, G, L) :- findnsols(N, T, G, L, []).
% The goal runs on a copy: its bindings are in the answers only.
findnsols(N, T0, G0, L, Tail) :-
    copy_term(T0-G0, T-G),
    ( var(N) -> throw(error(instantiation_error, _)) ; integer(N) -> true ; throw(error(type_error(integer, N), _)) ),
    ( N >= 0 -> true ; throw(error(type_error(nonneg, N), _)) ),
    '$bag_open'(D0),
    State = state(0, D0),
    (   call_cleanup(G, Last = true),
        arg(2, State, D),
        '$bag_add'(D, T),
        arg(1, State, C0), C is C0 + 1, nb_setarg(1, State, C),
        C =:= N,
        '$bag_close'(D, L1, Tail1),
        ( Last == true -> ! ; true ),
        (   L = L1, Tail = Tail1
        ;   '$bag_open'(D1), nb_setarg(1, State, 0), nb_setarg(2, State, D1), fail )
    ;   arg(2, State, D),
        '$bag_close'(D, L, Tail)
    ).

limit(N, G) :-
    N > 0,
    State = count(0),
    call(G),
    arg(1, State, C0), C is C0 + 1,
    ( C =:= N -> ! ; '$rtc_set'(State, C) ).

call_nth(G, N) :-
    State = count(0),
    call(G),
    arg(1, State, C0), C is C0 + 1, '$rtc_set'(State, C),
    ( nonvar(N) -> C =:= N, ! ; N = C ).

aggregate_all(count, G, C) :- !, findall(x, G, L), length(L, C).
aggregate_all(count(T), G, C) :- !, findall(T, G, L), length(L, C).
aggregate_all(sum(E), G, S) :- !, findall(E, G, L), '$sum'(L, 0, S).
aggregate_all(bag(E), G, L) :- !, findall(E, G, L).
aggregate_all(set(E), G, S) :- !, findall(E, G, L), sort(L, S).
aggregate_all(max(E, W), G, M) :- !, findall(E-W, G, L), '$max_pair'(L, M).
aggregate_all(min(E, W), G, M) :- !, findall(E-W, G, L), '$min_pair'(L, M).
aggregate_all(max(E), G, M) :- !, findall(E, G, L), '$max_of'(L, M).
aggregate_all(min(E), G, M) :- !, findall(E, G, L), '$min_of'(L, M).
aggregate_all(Spec, G, R) :-
    compound(Spec), Spec =.. [F|Specs],
    '$aggregate_templates'(Specs, Templates), !,
    findall(Templates, G, Rows),
    '$aggregate_columns'(Specs, Templates, Rows, Rs),
    R =.. [F|Rs].
aggregate_all(Spec, G, R) :- throw(error(domain_error(aggregate_spec, Spec), aggregate_all(Spec, G, R))).
% A term of specifications: each is asked about its column of the answers.
'$aggregate_templates'([], []).
'$aggregate_templates'([S|Ss], [T|Ts]) :- nonvar(S), '$aggregate_template'(S, T), '$aggregate_templates'(Ss, Ts).
'$aggregate_template'(count, x).
'$aggregate_template'(count(T), T).
'$aggregate_template'(sum(E), E).
'$aggregate_template'(bag(E), E).
'$aggregate_template'(set(E), E).
'$aggregate_template'(max(E), E).
'$aggregate_template'(min(E), E).
'$aggregate_template'(max(E, W), E-W).
'$aggregate_template'(min(E, W), E-W).
'$aggregate_columns'([], [], _, []).
'$aggregate_columns'([S|Ss], [T|Ts], Rows, [R|Rs]) :-
    '$split_columns'(Rows, Column, Rest),
    aggregate_all(S, system:'$member'(T, Column), R),
    '$aggregate_columns'(Ss, Ts, Rest, Rs).
'$split_columns'([], [], []).
'$split_columns'([[X|Row]|Rows], [X|Xs], [Row|Rest]) :- '$split_columns'(Rows, Xs, Rest).
aggregate_all(count, Discriminator, G, C) :- !, findall(Discriminator, G, L0), sort(L0, L), length(L, C).
aggregate_all(Spec, Discriminator, G, R) :-
    nonvar(Spec), '$aggregate_template'(Spec, T), !,
    findall(Discriminator-T, G, L0), sort(L0, L),
    aggregate_all(Spec, system:'$member'(_-T, L), R).
aggregate_all(Spec, Discriminator, G, R) :-
    throw(error(domain_error(aggregate_spec, Spec), aggregate_all(Spec, Discriminator, G, R))).
'$sum'([], S, S).
'$sum'([X|T], S0, S) :- S1 is S0 + X, '$sum'(T, S1, S).
'$max_pair'([X-W|T], max(M, MW)) :- '$term_value'(X, V), '$best'(T, >, V, W, M, MW).
'$min_pair'([X-W|T], min(M, MW)) :- '$term_value'(X, V), '$best'(T, <, V, W, M, MW).
'$max_of'([X|T], M) :- '$term_value'(X, V), '$best_alone'(T, >, V, M).
'$min_of'([X|T], M) :- '$term_value'(X, V), '$best_alone'(T, <, V, M).
'$best'([], _, M, W, M, W).
'$best'([X-W1|T], O, M0, W0, M, W) :-
    '$term_value'(X, V),
    ( '$better'(O, V, M0) -> '$best'(T, O, V, W1, M, W) ; '$best'(T, O, M0, W0, M, W) ).
'$best_alone'([], _, M, M).
'$best_alone'([X|T], O, M0, M) :-
    '$term_value'(X, V),
    ( '$better'(O, V, M0) -> '$best_alone'(T, O, V, M) ; '$best_alone'(T, O, M0, M) ).
% Numbers are compared by value, anything else by the standard order.
'$better'(>, X, Y) :- ( number(X), number(Y) -> X > Y ; X @> Y ).
'$better'(<, X, Y) :- ( number(X), number(Y) -> X < Y ; X @< Y ).
'$term_value'(X, V) :- number(X), !, V = X.
'$term_value'(X, V) :- catch(V0 is X, error(type_error(evaluable, _), _), fail), !, V = V0.
'$term_value'(X, X).

% bagof/3 and setof/3: group the solutions by the free variables of the goal.
bagof(T, G, L) :-
    '$check_result_list'(L),
    '$free_variables'(T, G, Goal, Vars),
    ( Vars == [] ->
        findall(T, Goal, L0), L0 \== [], L = L0
    ; W =.. [v|Vars],
      findall(W-T, Goal, Pairs0),
      Pairs0 \== [],
      keysort(Pairs0, Pairs),
      '$bagof_groups'(Pairs, W, L) ).

'$bagof_groups'(Pairs, W, L) :-
    '$next_group'(Pairs, W1, Items, Rest),
    ( Rest == [] -> W = W1, L = Items
    ; ( W = W1, L = Items ; '$bagof_groups'(Rest, W, L) ) ).

'$next_group'([W-T|Pairs], W, [T|Ts], Rest) :- '$same_key'(Pairs, W, Ts, Rest).
'$same_key'([W2-T|Pairs], W, [T|Ts], Rest) :- W2 =@= W, !, W2 = W, '$same_key'(Pairs, W, Ts, Rest).
'$same_key'(Pairs, _, [], Pairs).

setof(T, G, S) :-
    '$check_result_list'(S),
    '$free_variables'(T, G, Goal, Vars),
    ( Vars == [] ->
        findall(T, Goal, L0), L0 \== [], sort(L0, S)
    ; W =.. [v|Vars],
      findall(W-T, Goal, Pairs0),
      Pairs0 \== [],
      sort(Pairs0, Pairs),
      '$setof_groups'(Pairs, W, S) ).

'$setof_groups'(Pairs, W, S) :-
    '$next_group'(Pairs, W1, Items, Rest),
    sort(Items, S1),
    ( Rest == [] -> W = W1, S = S1
    ; ( W = W1, S = S1 ; '$setof_groups'(Rest, W, S) ) ).

'$free_variables'(T, G, Goal, Vars) :-
    '$strip_carets'(G, T, Bound, Goal),
    ( var(Goal) -> throw(error(instantiation_error, _)) ; true ),
    term_variables(Bound, BVs),
    term_variables(Goal, GVs),
    '$vars_not_in'(GVs, BVs, Vars).
'$strip_carets'(G, B, B, G) :- var(G), !.
'$strip_carets'(V^G, B0, B, Goal) :- !, '$strip_carets'(G, V+B0, B, Goal).
% Modules may be several: a predicate that hands its goal on to bagof/3 adds its own.
'$strip_carets'(M:G, B0, B, Goal) :- nonvar(G), ( G = _^_ ; G = _:_ ), !, '$strip_carets'(G, B0, B, G1), Goal = M:G1.
'$strip_carets'(G, B, B, G).
'$vars_not_in'([], _, []).
'$vars_not_in'([V|Vs], Bs, R) :-
    ( '$memberq'(V, Bs) -> R = R1 ; R = [V|R1] ),
    '$vars_not_in'(Vs, Bs, R1).
_ ^ G :- call(G).
