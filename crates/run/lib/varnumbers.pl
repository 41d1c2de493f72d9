% Variables written as '$VAR'(N), and back.

:- module(varnumbers, [ numbervars/1, varnumbers/2, varnumbers/3, max_var_number/3, varnumbers_names/3 ]).

:- use_module(library(error)).
:- use_module(library(assoc)).

numbervars(Term) :- numbervars(Term, 0, _).

% Every '$VAR'(N) of Term is a variable of Copy; variables of Term are kept.
varnumbers(Term, Copy) :-
    must_be(acyclic, Term),
    empty_assoc(Known),
    unnumbered(Term, Copy, Known, _).

% varnumbers(Term, Start, Copy): only for numbers from Start on.
varnumbers(Term, Start, Copy) :-
    must_be(acyclic, Term), must_be(integer, Start),
    empty_assoc(Known),
    unnumbered_from(Term, Start, Copy, Known, _).

unnumbered_from(Term, Start, Copy, Known0, Known) :-
    (   \+ compound(Term) -> Copy = Term, Known = Known0
    ;   Term = '$VAR'(N), integer(N), N >= Start
    ->  ( get_assoc(N, Known0, Copy) -> Known = Known0 ; put_assoc(N, Known0, Copy, Known) )
    ;   Term =.. [F|As],
        unnumbered_each(As, Start, Bs, Known0, Known),
        Copy =.. [F|Bs] ).
unnumbered_each([], _, [], Known, Known).
unnumbered_each([A|As], Start, [B|Bs], Known0, Known) :-
    unnumbered_from(A, Start, B, Known0, Known1),
    unnumbered_each(As, Start, Bs, Known1, Known).

unnumbered(Term, Copy, Known0, Known) :-
    (   \+ compound(Term) -> Copy = Term, Known = Known0
    ;   Term = '$VAR'(N), integer(N)
    ->  ( get_assoc(N, Known0, Copy) -> Known = Known0 ; put_assoc(N, Known0, Copy, Known) )
    ;   functor(Term, Name, Arity),
        functor(Copy, Name, Arity),
        unnumbered_args(1, Arity, Term, Copy, Known0, Known)
    ).

unnumbered_args(I, Arity, Term, Copy, Known0, Known) :-
    arg(I, Term, A),
    arg(I, Copy, B),
    (   I =:= Arity
    ->  unnumbered(A, B, Known0, Known)
    ;   unnumbered(A, B, Known0, Known1),
        I1 is I + 1,
        unnumbered_args(I1, Arity, Term, Copy, Known1, Known)
    ).

max_var_number(Term, Start, Max) :-
    (   \+ compound(Term) -> Max = Start
    ;   Term = '$VAR'(N), integer(N) -> Max is max(N, Start)
    ;   Term =.. [_|Args], max_of_args(Args, Start, Max)
    ).

max_of_args([], Max, Max).
max_of_args([A|As], Max0, Max) :- max_var_number(A, Max0, Max1), max_of_args(As, Max1, Max).

% '$VAR'(Name) is a variable of that name; the bindings are as those of read_term/2.
varnumbers_names(Term, Copy, Bindings) :-
    must_be(acyclic, Term),
    empty_assoc(Known0),
    named(Term, Copy, Known0, Known),
    assoc_to_list(Known, Pairs),
    names(Pairs, Bindings).

named(Term, Copy, Known0, Known) :-
    (   \+ compound(Term) -> Copy = Term, Known = Known0
    ;   Term = '$VAR'(Name), atomic(Name)
    ->  ( get_assoc(Name, Known0, Copy) -> Known = Known0 ; put_assoc(Name, Known0, Copy, Known) )
    ;   Term =.. [Functor|Args],
        named_args(Args, Copies, Known0, Known),
        Copy =.. [Functor|Copies]
    ).

named_args([], [], Known, Known).
named_args([A|As], [B|Bs], Known0, Known) :- named(A, B, Known0, Known1), named_args(As, Bs, Known1, Known).

names([], []).
names([Name-V|Pairs], [Name = V|Bindings]) :- names(Pairs, Bindings).
