% Ordered sets under Ciao's names.

:- module(sets,
          [ insert/3, ord_delete/3, ord_member/2, ord_test_member/3, ord_subtract/3, ord_intersection/3, ord_intersect/2,
            ord_subset/2, ord_union/3, ord_union_diff/4, ord_union_change/3, ord_disjoint/2, merge/3, setproduct/3 ]).

:- use_module(library(ordsets)).
:- reexport(library(ordsets),
            [ord_subtract/3, ord_intersection/3, ord_intersect/2, ord_subset/2, ord_union/3, ord_disjoint/2]).

insert(Set0, X, Set) :- ord_union(Set0, [X], Set).

ord_delete(Set0, X, Set) :- ord_subtract(Set0, [X], Set).

ord_member(X, [Y|Ys]) :- compare(O, X, Y), ( O = (=) -> true ; O = (>), ord_member(X, Ys) ).

ord_test_member(Set, X, Answer) :- ( ord_member(X, Set) -> Answer = yes ; Answer = no ).

% ord_union_diff(+A, +B, -Union, -New): New is what B adds to A.
ord_union_diff(A, B, Union, New) :- ord_subtract(B, A, New), ord_union(A, B, Union).

% The union, if it is more than the first set.
ord_union_change(A, B, Union) :- ord_union(A, B, Union), Union \== A.

merge(A, B, C) :- ord_union(A, B, C).

setproduct([], _, []).
setproduct([X|Xs], Ys, Ps) :- paired(Ys, X, Ps, Rest), setproduct(Xs, Ys, Rest).

paired([], _, T, T).
paired([Y|Ys], X, [[X|Y]|Ps], T) :- paired(Ys, X, Ps, T).
