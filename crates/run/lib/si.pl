% Type tests that are safe for declarative reading: they raise an instantiation error where they cannot decide.

:- module(si, [atom_si/1, integer_si/1, atomic_si/1, list_si/1, character_si/1, term_si/1, chars_si/1, dif_si/2,
               boolean_si/1, when_si/2, in_character_si/1]).

:- meta_predicate when_si(?, 0).

known(T) :- ( var(T) -> throw(error(instantiation_error, _)) ; true ).
atom_si(T) :- known(T), atom(T).
integer_si(T) :- known(T), integer(T).
atomic_si(T) :- known(T), atomic(T).
boolean_si(T) :- known(T), ( T == true -> true ; T == false ).
character_si(T) :- known(T), atom(T), atom_length(T, 1).
in_character_si(T) :- known(T), ( T == end_of_file -> true ; character_si(T) ).
term_si(T) :- ( ground(T) -> acyclic_term(T) ; throw(error(instantiation_error, _)) ).
list_si(L) :- '$skip_list'(_, L, T), ( var(T) -> throw(error(instantiation_error, _)) ; T == [] ).
chars_si(Cs) :- list_si(Cs), all_chars(Cs).
all_chars([]).
all_chars([C|Cs]) :- character_si(C), all_chars(Cs).
dif_si(X, Y) :- X \== Y, ( X \= Y -> true ; throw(error(instantiation_error, dif_si/2)) ).
when_si(C, G) :- when(C, G).
