% Lists whose elements are compared by identity, after Ciao.

:- module(idlists,
          [ member_0/2, memberchk/2, list_insert/2, add_after/4, add_before/4, delete/3, subtract/3, union_idlists/3 ]).

member_0(X, Xs) :- memberchk(X, Xs).

memberchk(X, L) :- nonvar(L), L = [Y|Ys], ( X == Y -> true ; memberchk(X, Ys) ).

% list_insert(?List, +Element): at the open end, if it is not there.
list_insert(L, X) :- var(L), !, L = [X|_].
list_insert([Y|Ys], X) :- ( X == Y -> true ; list_insert(Ys, X) ).

add_after([], _, X, [X]).
add_after([Y|Ys], A, X, Zs) :- ( Y == A -> Zs = [Y,X|Ys] ; Zs = [Y|Zs1], add_after(Ys, A, X, Zs1) ).

add_before(L0, A, X, L) :- ( before(L0, A, X, L1) -> L = L1 ; L = [X|L0] ).

before([Y|Ys], A, X, Zs) :- ( Y == A -> Zs = [X,Y|Ys] ; Zs = [Y|Zs1], before(Ys, A, X, Zs1) ).

delete([], _, []).
delete([Y|Ys], X, Zs) :- ( Y == X -> Zs = Zs1 ; Zs = [Y|Zs1] ), delete(Ys, X, Zs1).

subtract([], _, []).
subtract([X|Xs], Ys, Zs) :- ( memberchk(X, Ys) -> Zs = Zs1 ; Zs = [X|Zs1] ), subtract(Xs, Ys, Zs1).

union_idlists([], Ys, Ys).
union_idlists([X|Xs], Ys, Zs) :- ( memberchk(X, Ys) -> Zs = Zs1 ; Zs = [X|Zs1] ), union_idlists(Xs, Ys, Zs1).
