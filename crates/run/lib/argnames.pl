% Named arguments of terms, as Ciao's package `argnames` has them. After `:- argnames person(name, age).`
% `person${age=>3}` is person(_,3), and `person$age` is the number of the argument.

:- module(argnames, [translate_term/2, start/1]).

:- use_module(library(lists)).

:- op(150, xfx, $).
:- op(950, xfx, =>).

:- dynamic names/4.           % names(Module, Name, Arity, Names)

start(M) :- retractall(names(M, _, _, _)).

translate_term((:- argnames(Spec)), []) :- !, '$source_module'(M), declare(Spec, M).
translate_term(T0, T) :- expand(T0, T), T0 \== T.

declare(Spec, _) :- var(Spec), !, throw(error(instantiation_error, _)).
declare((A, B), M) :- !, declare(A, M), declare(B, M).
declare(Spec, M) :-
    (   Spec =.. [F|Names], Names \== [], all_atoms(Names)
    ->  true
    ;   throw(error(domain_error(argument_names, Spec), _))
    ),
    length(Names, A),
    retractall(names(M, F, _, _)),
    assertz(names(M, F, A, Names)).

all_atoms([]).
all_atoms([A|As]) :- atom(A), all_atoms(As).

expand(T, T) :- \+ compound(T), !.
expand(F$Fields0, T) :- atom(F), nonvar(Fields0), names_of(F, A, Names), !,
    (   Fields0 = {} -> functor(T, F, A)
    ;   Fields0 = {Fields} -> functor(T, F, A), fill(Fields, F, Names, T)
    ;   atom(Fields0) -> position(Names, F, Fields0, T)
    ;   throw(error(domain_error(argument_names, F$Fields0), _))
    ).
expand(T0, T) :- T0 =.. [F|As0], expand_all(As0, As), T =.. [F|As].

expand_all([], []).
expand_all([A0|As0], [A|As]) :- expand(A0, A), expand_all(As0, As).

names_of(F, A, Names) :- '$source_module'(M), names(M, F, A, Names), !.

fill((A, B), F, Names, T) :- !, fill(A, F, Names, T), fill(B, F, Names, T).
fill((Name => Value0), F, Names, T) :- atom(Name), !,
    position(Names, F, Name, N),
    expand(Value0, Value),
    arg(N, T, Value).
fill(Field, F, _, _) :- throw(error(domain_error(named_argument(F), Field), _)).

position(Names, F, Name, N) :-
    (   nth1(N0, Names, Name) -> N = N0
    ;   throw(error(existence_error(named_argument(F), Name), _))
    ).
