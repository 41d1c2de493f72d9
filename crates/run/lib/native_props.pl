% Properties of states that no regular type describes, after Ciao's native
% properties: each holds or not of its arguments as they are.

:- module(native_props,
          [ nonground/1, linear/1, mshare/1, mshare/2, '$rtc_mshare'/2, indep/1, indep/2,
            covered/2, instance/2
          ]).

nonground(X) :- \+ ground(X).

% linear(X): no variable occurs twice in X.
linear(X) :- occurrences(X, Vs, []), sort(Vs, Sorted), same_length_as(Vs, Sorted).

occurrences(X, [X|R], R) :- var(X), !.
occurrences(X, Vs, R) :- compound(X), !, X =.. [_|As], occurrences_all(As, Vs, R).
occurrences(_, R, R).

occurrences_all([], R, R).
occurrences_all([A|As], Vs, R) :- occurrences(A, Vs, R0), occurrences_all(As, R0, R).

same_length_as([], []).
same_length_as([_|Xs], [_|Ys]) :- same_length_as(Xs, Ys).

% mshare(Sets), mshare(Terms, Sets): every variable occurs in exactly the terms
% of one of the sets.
mshare(Sets) :- concatenated(Sets, Terms), mshare(Terms, Sets).

mshare(Terms, Sets) :-
    term_variables(Terms, Vs),
    all_shared(Vs, Terms, Sets).

all_shared([], _, _).
all_shared([V|Vs], Terms, Sets) :-
    containing(Terms, V, Group),
    set_of(Sets, Group),
    all_shared(Vs, Terms, Sets).

% '$rtc_mshare'(Terms, Sets): the same with the numbers of terms in Sets, since two variables of an
% assertion may have become one.
'$rtc_mshare'(Terms, Sets) :-
    term_variables(Terms, Vs),
    all_numbered(Vs, Terms, Sets).

all_numbered([], _, _).
all_numbered([V|Vs], Terms, Sets) :-
    numbers_of(Terms, 1, V, Group),
    set_of(Sets, Group),
    all_numbered(Vs, Terms, Sets).

numbers_of([], _, _, []).
numbers_of([T|Ts], N, V, Group) :-
    term_variables(T, Vs),
    (   is_in(Vs, V) -> Group = [N|Rest] ; Group = Rest ),
    N1 is N + 1,
    numbers_of(Ts, N1, V, Rest).

containing([], _, []).
containing([T|Ts], V, Group) :-
    term_variables(T, Vs),
    (   is_in(Vs, V) -> Group = [T|Rest] ; Group = Rest ),
    containing(Ts, V, Rest).

set_of([Set|Sets], Group) :-
    (   sort(Set, S), sort(Group, G), S == G -> true ; set_of(Sets, Group) ).

concatenated([], []).
concatenated([L|Ls], Terms) :- concatenated(Ls, Rest), put_before(L, Rest, Terms).

put_before([], Ts, Ts).
put_before([X|Xs], Ts, [X|Rs]) :- put_before(Xs, Ts, Rs).

% indep(X, Y): no variable in common. indep(Pairs): each pair [X,Y].
indep(X, Y) :-
    term_variables(X, Vs), term_variables(Y, Ws),
    disjoint(Vs, Ws).

disjoint([], _).
disjoint([V|Vs], Ws) :- \+ is_in(Ws, V), disjoint(Vs, Ws).

indep([]).
indep([[X, Y]|Pairs]) :- indep(X, Y), indep(Pairs).

is_in([X|Xs], Y) :- ( X == Y -> true ; is_in(Xs, Y) ).

% covered(X, Y): the variables of X occur in Y. instance(X, Y): X is one of Y.
covered(X, Y) :-
    term_variables(X, Vs), term_variables(Y, Ws),
    all_in(Vs, Ws).

all_in([], _).
all_in([V|Vs], Ws) :- is_in(Ws, V), all_in(Vs, Ws).

instance(X, Y) :- subsumes_term(Y, X).
