% Applying closures to lists.

:- module(apply,
          [ maplist/2, maplist/3, maplist/4, maplist/5, maplist/6, maplist/7,
            foldl/4, foldl/5, foldl/6, foldl/7, foldr/4,
            include/3, exclude/3, partition/4, partition/5,
            convlist/3, forall_member/2, aggregate_list/4,
            scanl/4, scanl/5, scanl/6
          ]).

:- meta_predicate
    maplist(1,?), maplist(2,?,?), maplist(3,?,?,?), maplist(4,?,?,?,?),
    maplist(5,?,?,?,?,?), maplist(6,?,?,?,?,?,?),
    foldl(3,?,?,?), foldl(4,?,?,?,?), foldl(5,?,?,?,?,?), foldl(6,?,?,?,?,?,?),
    foldr(3,?,?,?), include(1,?,?), exclude(1,?,?), partition(1,?,?,?),
    partition(2,?,?,?,?), convlist(2,?,?), forall_member(1,?),
    aggregate_list(3,?,?,?), scanl(3,?,?,?), scanl(4,?,?,?,?), scanl(5,?,?,?,?,?).

% The list comes first in the workers, so that clauses are told apart by it.

maplist(Goal, L1) :-
    maplist_(L1, Goal).

maplist_([], _).
maplist_([E1|T1], Goal) :-
    call(Goal, E1),
    maplist_(T1, Goal).

maplist(Goal, L1, L2) :-
    maplist_(L1, L2, Goal).

maplist_([], [], _).
maplist_([E1|T1], [E2|T2], Goal) :-
    call(Goal, E1, E2),
    maplist_(T1, T2, Goal).

maplist(Goal, L1, L2, L3) :-
    maplist_(L1, L2, L3, Goal).

maplist_([], [], [], _).
maplist_([E1|T1], [E2|T2], [E3|T3], Goal) :-
    call(Goal, E1, E2, E3),
    maplist_(T1, T2, T3, Goal).

maplist(Goal, L1, L2, L3, L4) :-
    maplist_(L1, L2, L3, L4, Goal).

maplist_([], [], [], [], _).
maplist_([E1|T1], [E2|T2], [E3|T3], [E4|T4], Goal) :-
    call(Goal, E1, E2, E3, E4),
    maplist_(T1, T2, T3, T4, Goal).

maplist(Goal, L1, L2, L3, L4, L5) :-
    maplist_(L1, L2, L3, L4, L5, Goal).

maplist_([], [], [], [], [], _).
maplist_([E1|T1], [E2|T2], [E3|T3], [E4|T4], [E5|T5], Goal) :-
    call(Goal, E1, E2, E3, E4, E5),
    maplist_(T1, T2, T3, T4, T5, Goal).

maplist(Goal, L1, L2, L3, L4, L5, L6) :-
    maplist_(L1, L2, L3, L4, L5, L6, Goal).

maplist_([], [], [], [], [], [], _).
maplist_([E1|T1], [E2|T2], [E3|T3], [E4|T4], [E5|T5], [E6|T6], Goal) :-
    call(Goal, E1, E2, E3, E4, E5, E6),
    maplist_(T1, T2, T3, T4, T5, T6, Goal).

foldl(Goal, L1, V0, V) :-
    foldl_(L1, Goal, V0, V).

foldl_([], _, V, V).
foldl_([E1|T1], Goal, V0, V) :-
    call(Goal, E1, V0, V1),
    foldl_(T1, Goal, V1, V).

foldl(Goal, L1, L2, V0, V) :-
    foldl_(L1, L2, Goal, V0, V).

foldl_([], [], _, V, V).
foldl_([E1|T1], [E2|T2], Goal, V0, V) :-
    call(Goal, E1, E2, V0, V1),
    foldl_(T1, T2, Goal, V1, V).

foldl(Goal, L1, L2, L3, V0, V) :-
    foldl_(L1, L2, L3, Goal, V0, V).

foldl_([], [], [], _, V, V).
foldl_([E1|T1], [E2|T2], [E3|T3], Goal, V0, V) :-
    call(Goal, E1, E2, E3, V0, V1),
    foldl_(T1, T2, T3, Goal, V1, V).

foldl(Goal, L1, L2, L3, L4, V0, V) :-
    foldl_(L1, L2, L3, L4, Goal, V0, V).

foldl_([], [], [], [], _, V, V).
foldl_([E1|T1], [E2|T2], [E3|T3], [E4|T4], Goal, V0, V) :-
    call(Goal, E1, E2, E3, E4, V0, V1),
    foldl_(T1, T2, T3, T4, Goal, V1, V).

foldr(Goal, List, V0, V) :-
    foldr_(List, Goal, V0, V).

foldr_([], _, V, V).
foldr_([E|T], Goal, V0, V) :-
    foldr_(T, Goal, V0, V1),
    call(Goal, E, V1, V).

include(Goal, List, Included) :-
    include_(List, Goal, Included).

include_([], _, []).
include_([X|Xs], Goal, Included) :-
    (   call(Goal, X)
    ->  Included = [X|Rest]
    ;   Included = Rest
    ),
    include_(Xs, Goal, Rest).

exclude(Goal, List, Included) :-
    exclude_(List, Goal, Included).

exclude_([], _, []).
exclude_([X|Xs], Goal, Included) :-
    (   call(Goal, X)
    ->  Included = Rest
    ;   Included = [X|Rest]
    ),
    exclude_(Xs, Goal, Rest).

partition(Pred, List, Included, Excluded) :-
    partition_(List, Pred, Included, Excluded).

partition_([], _, [], []).
partition_([H|T], Pred, I, E) :-
    (   call(Pred, H)
    ->  I = [H|I1],
        E = E1
    ;   I = I1,
        E = [H|E1]
    ),
    partition_(T, Pred, I1, E1).

% partition(:Compare, +List, -Less, -Equal, -Greater)
partition(Pred, List, Less, Equal, Greater) :-
    partition_(List, Pred, Less, Equal, Greater).

partition_([], _, [], [], []).
partition_([H|T], Pred, L, E, G) :-
    call(Pred, H, Order),
    partition_into(Order, H, L, E, G, L1, E1, G1),
    partition_(T, Pred, L1, E1, G1).

partition_into(<, H, [H|L], E, G, L, E, G) :- !.
partition_into(=, H, L, [H|E], G, L, E, G) :- !.
partition_into(>, H, L, E, [H|G], L, E, G) :- !.
partition_into(Order, _, _, _, _, _, _, _) :-
    throw(error(type_error(order, Order), partition/5)).

convlist(Goal, List, Results) :-
    convlist_(List, Goal, Results).

convlist_([], _, []).
convlist_([X|Xs], Goal, Results) :-
    (   call(Goal, X, Y)
    ->  Results = [Y|Rest]
    ;   Results = Rest
    ),
    convlist_(Xs, Goal, Rest).

forall_member(Goal, List) :-
    \+ ( member_of(X, List), \+ call(Goal, X) ).

member_of(X, [X|_]).
member_of(X, [_|T]) :-
    member_of(X, T).

aggregate_list(Goal, List, V0, V) :-
    foldl(Goal, List, V0, V).

% As foldl/4, with all intermediate values.
scanl(Goal, L, V0, [V0|Vs]) :-
    scanl_(L, Goal, V0, Vs).

scanl_([], _, _, []).
scanl_([X|Xs], Goal, V0, [V|Vs]) :-
    call(Goal, X, V0, V),
    scanl_(Xs, Goal, V, Vs).

scanl(Goal, L1, L2, V0, [V0|Vs]) :-
    scanl_(L1, L2, Goal, V0, Vs).

scanl_([], [], _, _, []).
scanl_([X|Xs], [Y|Ys], Goal, V0, [V|Vs]) :-
    call(Goal, X, Y, V0, V),
    scanl_(Xs, Ys, Goal, V, Vs).

scanl(Goal, L1, L2, L3, V0, [V0|Vs]) :-
    scanl_(L1, L2, L3, Goal, V0, Vs).

scanl_([], [], [], _, _, []).
scanl_([X|Xs], [Y|Ys], [Z|Zs], Goal, V0, [V|Vs]) :-
    call(Goal, X, Y, Z, V0, V),
    scanl_(Xs, Ys, Zs, Goal, V, Vs).
