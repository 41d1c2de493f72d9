% Lists of lists.

:- module(llists, [append/2, flatten/2, collect_singletons/2]).

:- use_module(library(lists), [append/2, flatten/2]).

:- reexport(library(lists), [append/2, flatten/2]).

% collect_singletons(+Lists, -Elements): the elements of the lists that have just one.
collect_singletons([], []).
collect_singletons([L|Ls], Xs) :-
    ( L = [X], nonvar(L) -> Xs = [X|Xs1] ; Xs = Xs1 ),
    collect_singletons(Ls, Xs1).
