% Fresh atoms.

:- module(gensym, [gensym/2, reset_gensym/1, reset_gensym/0]).

:- dynamic(gensym_counter/2).

gensym(Base, Atom) :-
    (   retract(gensym_counter(Base, N0))
    ->  true
    ;   N0 = 0
    ),
    N is N0+1,
    assertz(gensym_counter(Base, N)),
    atom_number(Digits, N),
    atom_concat(Base, Digits, Atom).

reset_gensym(Base) :-
    retractall(gensym_counter(Base, _)).

reset_gensym :-
    retractall(gensym_counter(_, _)).
