% Sequences in grammar rules.

:- module(dcg_high_order, [sequence//2, sequence//3, sequence//5, optional//2, foreach//2, foreach//3]).

:- meta_predicate sequence(3,?,?,?), sequence(3,//,?,?,?), sequence(//,3,//,//,?,?,?), optional(//,//,?,?),
    foreach(0,//,?,?), foreach(0,//,//,?,?).

sequence(E, L, S0, S) :- sequence_(L, E, S0, S).
sequence_([H|T], E, S0, S) :- call(E, H, S0, S1), sequence_(T, E, S1, S).
sequence_([], _, S, S).

sequence(E, Sep, L, S0, S) :- ( L = [H|T], call(E, H, S0, S1), separated(T, E, Sep, S1, S) ; L = [], S0 = S ).
separated([H|T], E, Sep, S0, S) :- phrase(Sep, S0, S1), !, call(E, H, S1, S2), separated(T, E, Sep, S2, S).
separated([], _, _, S, S).

sequence(Start, E, Sep, End, L, S0, S) :-
    phrase(Start, S0, S1), sequence(E, Sep, L, S1, S2), phrase(End, S2, S), !.

optional(M, Default, S0, S) :- ( phrase(M, S0, S) *-> true ; phrase(Default, S0, S) ).

foreach(G, E, S0, S) :- findall(E, G, Es), each(Es, S0, S).
each([], S, S).
each([E|Es], S0, S) :- phrase(E, S0, S1), each(Es, S1, S).
foreach(G, E, Sep, S0, S) :- findall(E, G, Es), each_sep(Es, Sep, S0, S).
each_sep([], _, S, S).
each_sep([E], _, S0, S) :- !, phrase(E, S0, S).
each_sep([E|Es], Sep, S0, S) :- phrase(E, S0, S1), phrase(Sep, S1, S2), each_sep(Es, Sep, S2, S).
