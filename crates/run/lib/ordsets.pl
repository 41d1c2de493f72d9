% Sets as lists that are strictly ascending in the standard order of terms.

:- module(ordsets,
          [ is_ordset/1, ord_empty/1, list_to_ord_set/2, ord_insert/3,
            ord_add_element/3, ord_del_element/3, ord_memberchk/2,
            ord_member/2, ord_subset/2, ord_union/3, ord_union/2,
            ord_union/4, ord_intersection/3, ord_intersection/2, ord_intersection/4, ord_intersect/3,
            ord_subtract/3, ord_symdiff/3, ord_disjoint/2, ord_intersect/2,
            ord_seteq/2, ord_selectchk/3, ord_max/2, ord_min/2
          ]).

is_ordset(Term) :-
    is_list(Term),
    ascending(Term).

ascending([]).
ascending([H|T]) :-
    ascending_(T, H).

ascending_([], _).
ascending_([H2|T], H) :-
    H2 @> H,
    ascending_(T, H2).

ord_empty([]).

list_to_ord_set(List, Set) :-
    sort(List, Set).

ord_insert(Set, Elem, Set2) :-
    ord_add_element(Set, Elem, Set2).

ord_add_element([], El, [El]).
ord_add_element([H|T], El, Add) :-
    compare(Order, H, El),
    ord_add_(Order, H, T, El, Add).

ord_add_(<, H, T, El, [H|Add]) :-
    ord_add_element(T, El, Add).
ord_add_(=, H, T, _, [H|T]).
ord_add_(>, H, T, El, [El,H|T]).

ord_del_element([], _, []).
ord_del_element([H|T], El, Del) :-
    compare(Order, H, El),
    ord_del_(Order, H, T, El, Del).

ord_del_(<, H, T, El, [H|Del]) :-
    ord_del_element(T, El, Del).
ord_del_(=, _, T, _, T).
ord_del_(>, H, T, _, [H|T]).

ord_selectchk(Elem, Set, Rest) :-
    ord_memberchk(Elem, Set),
    ord_del_element(Set, Elem, Rest).

ord_memberchk(Item, [X|Xs]) :-
    compare(Order, Item, X),
    ord_memberchk_(Order, Item, Xs).

ord_memberchk_(=, _, _).
ord_memberchk_(>, Item, Xs) :-
    ord_memberchk(Item, Xs).

ord_member(X, [X|_]).
ord_member(X, [_|T]) :-
    ord_member(X, T).

ord_max([H|T], Max) :- ord_max_(T, H, Max).
ord_max_([], Max, Max).
ord_max_([H|T], _, Max) :- ord_max_(T, H, Max).

ord_min([Min|_], Min).

ord_subset(Sub, Set) :-
    ord_subtract(Sub, Set, []).

ord_union([], B, B).
ord_union([H1|T1], L2, Union) :-
    ord_union_(L2, H1, T1, Union).

ord_union_([], H1, T1, [H1|T1]).
ord_union_([H2|T2], H1, T1, Union) :-
    compare(Order, H1, H2),
    ord_union_(Order, H1, T1, H2, T2, Union).

ord_union_(<, H1, T1, H2, T2, [H1|Union]) :-
    ord_union_(T1, H2, T2, Union).
ord_union_(=, H1, T1, _, T2, [H1|Union]) :-
    ord_union(T1, T2, Union).
ord_union_(>, H1, T1, H2, T2, [H2|Union]) :-
    ord_union_(T2, H1, T1, Union).

% ord_union(+SetOfSets, -Union): merges halves, so n sets cost log n passes.
ord_union(Sets, Union) :-
    length(Sets, N),
    (   N =:= 0
    ->  Union = []
    ;   ord_union_n(N, Sets, Union, [])
    ).

ord_union_n(1, [Set|Sets], Set0, Sets0) :- !,
    Set = Set0, Sets = Sets0.
ord_union_n(N, Sets0, Union, Sets) :-
    A is N//2,
    Z is N-A,
    ord_union_n(A, Sets0, X, Sets1),
    ord_union_n(Z, Sets1, Y, Sets),
    ord_union(X, Y, Union).

% ord_union(+Set1, +Set2, -Union, -New): New is what Set2 adds.
ord_union(Set1, Set2, Union, New) :-
    ord_union(Set1, Set2, Union),
    ord_subtract(Set2, Set1, New).

ord_intersection([], _, []).
ord_intersection([H1|T1], L2, Int) :-
    ord_int_(L2, H1, T1, Int).

ord_int_([], _, _, []).
ord_int_([H2|T2], H1, T1, Int) :-
    compare(Order, H1, H2),
    ord_int_(Order, H1, T1, H2, T2, Int).

ord_int_(<, _, T1, H2, T2, Int) :-
    ord_int_(T1, H2, T2, Int).
ord_int_(=, H, T1, _, T2, [H|Int]) :-
    ord_intersection(T1, T2, Int).
ord_int_(>, H1, T1, _, T2, Int) :-
    ord_int_(T2, H1, T1, Int).

ord_intersect(A, B, Int) :- ord_intersection(A, B, Int).

% ord_intersection(A, B, Int, Rest): Rest is what B has and A has not.
ord_intersection(A, B, Int, Rest) :- ord_intersection(A, B, Int), ord_subtract(B, A, Rest).

ord_intersection([], []).
ord_intersection([S|Ss], Int) :-
    ord_intersection_all(Ss, S, Int).

ord_intersection_all([], Int, Int).
ord_intersection_all([S|Ss], Int0, Int) :-
    ord_intersection(S, Int0, Int1),
    ord_intersection_all(Ss, Int1, Int).

ord_subtract([], _, []).
ord_subtract([H1|T1], L2, Diff) :-
    ord_sub_(L2, H1, T1, Diff).

ord_sub_([], H1, T1, [H1|T1]).
ord_sub_([H2|T2], H1, T1, Diff) :-
    compare(Order, H1, H2),
    ord_sub_(Order, H1, T1, H2, T2, Diff).

ord_sub_(<, H1, T1, H2, T2, [H1|Diff]) :-
    ord_subtract(T1, [H2|T2], Diff).
ord_sub_(=, _, T1, _, T2, Diff) :-
    ord_subtract(T1, T2, Diff).
ord_sub_(>, H1, T1, _, T2, Diff) :-
    ord_sub_(T2, H1, T1, Diff).

ord_symdiff(A, B, Diff) :-
    ord_subtract(A, B, OnlyA),
    ord_subtract(B, A, OnlyB),
    ord_union(OnlyA, OnlyB, Diff).

ord_disjoint(A, B) :-
    ord_intersection(A, B, []).

ord_intersect(A, B) :-
    \+ ord_disjoint(A, B).

ord_seteq(A, B) :-
    A == B.
