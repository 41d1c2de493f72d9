% Conjunctions and disjunctions as lists, after Ciao.

:- module(formulae,
          [ list_to_conj/2, list_to_conj/3, conj_to_list/2, list_to_disj/2, disj_to_list/2,
            conj_to_llist/2, llist_to_conj/2, disj_to_llist/2, llist_to_disj/2 ]).

% list_to_conj(?List, ?Conjunction): true for the empty list.
list_to_conj(A, B) :- list_to_conj(A, B, true).

list_to_conj([], Empty, Empty).
list_to_conj([X|Xs], C, _) :- conjoined(Xs, X, C).

conjoined([], X, X).
conjoined([Y|Ys], X, (X, C)) :- conjoined(Ys, Y, C).

conj_to_list(C, L) :- conj_items(C, L, []).

conj_items(C, [C|T], T) :- var(C), !.
conj_items((A, B), L, T) :- !, conj_items(A, L, L1), conj_items(B, L1, T).
conj_items(true, T, T) :- !.
conj_items(X, [X|T], T).

list_to_disj([], false).
list_to_disj([X|Xs], D) :- disjoined(Xs, X, D).

disjoined([], X, X).
disjoined([Y|Ys], X, (X ; D)) :- disjoined(Ys, Y, D).

disj_to_list(D, L) :- disj_items(D, L, []).

disj_items(D, [D|T], T) :- var(D), !.
disj_items((A ; B), L, T) :- !, disj_items(A, L, L1), disj_items(B, L1, T).
disj_items(false, T, T) :- !.
disj_items(X, [X|T], T).

% A conjunction of disjunctions as a list of lists, and the reverse.
conj_to_llist(C, Ls) :- conj_to_list(C, Ds), each_disj(Ds, Ls).
llist_to_conj(Ls, C) :- disj_each(Ls, Ds), list_to_conj(Ds, C).
disj_to_llist(D, Ls) :- disj_to_list(D, Cs), each_conj(Cs, Ls).
llist_to_disj(Ls, D) :- conj_each(Ls, Cs), list_to_disj(Cs, D).

each_disj([], []).
each_disj([D|Ds], [L|Ls]) :- disj_to_list(D, L), each_disj(Ds, Ls).
each_conj([], []).
each_conj([C|Cs], [L|Ls]) :- conj_to_list(C, L), each_conj(Cs, Ls).
disj_each([], []).
disj_each([L|Ls], [D|Ds]) :- list_to_disj(L, D), disj_each(Ls, Ds).
conj_each([], []).
conj_each([L|Ls], [C|Cs]) :- list_to_conj(L, C), conj_each(Ls, Cs).
