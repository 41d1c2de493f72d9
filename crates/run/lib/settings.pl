% Settings of a program: `:- setting(Name, Type, Default, Comment).`, kept per module.

:- module(settings,
          [ setting/4, setting/2, set_setting/2, set_setting_default/2, current_setting/2, setting_property/2,
            restore_setting/1, list_settings/0, load_settings/1, save_settings/1 ]).

:- use_module(library(error)).
:- use_module(library(apply)).

:- meta_predicate setting(:, +, +, +), setting(:, ?), set_setting(:, +), set_setting_default(:, +), restore_setting(:),
    current_setting(?, ?), setting_property(:, ?).

% declared(Module, Name, Type, Default, Comment); value(Module, Name, Value).
:- dynamic declared/5, value/3.

setting(M:Name, Type, Default, Comment) :-
    must_be(atom, Name),
    evaluated(Default, Type, Value),
    must_be(Type, Value),
    retractall(declared(M, Name, _, _, _)),
    assertz(declared(M, Name, Type, Value, Comment)).

evaluated(Default, Type, Value) :-
    (   memberchk_type(Type), compound(Default)
    ->  from_environment(Default, Expression),
        Value is Expression
    ;   Type == atom, compound(Default), Default = A + B
    ->  atom_part(A, X), atom_part(B, Y), atom_concat(X, Y, Value)
    ;   environment(Default, Text)
    ->  ( Type == atom -> atom_string(Value, Text) ; Value = Text )
    ;   Value = Default
    ).

% env(Name) and env(Name, Default) are what the environment says.
environment(E, Text) :- nonvar(E), E = env(Name), ( getenv(Name, Text) -> true ; existence_error(environment_variable, Name) ).
environment(E, Text) :- nonvar(E), E = env(Name, Default), ( getenv(Name, Text) -> true ; Text = Default ).

from_environment(E, N) :-
    (   environment(E, Text)
    ->  ( number(Text) -> N = Text ; atom_number(Text, N) -> true ; type_error(number, Text) )
    ;   compound(E)
    ->  E =.. [F|As0], maplist(from_environment, As0, As), N =.. [F|As]
    ;   N = E
    ).

atom_part(E, A) :- ( environment(E, A) -> true ; compound(E), E = X + Y -> atom_part(X, P), atom_part(Y, Q), atom_concat(P, Q, A) ; A = E ).

memberchk_type(Type) :- nonvar(Type), ( Type = between(_, _) ; known(Type) ), !.
known(integer).
known(nonneg).
known(positive_integer).
known(float).
known(number).

setting(M:Name, Value) :-
    (   nonvar(Name)
    ->  ( found(M, Name, Found) -> Value = Found ; existence_error(setting, M:Name) )
    ;   declared(M, Name, _, _, _),
        found(M, Name, Value)
    ).

found(M, Name, Value) :- ( value(M, Name, Set) -> Value = Set ; declared(M, Name, _, Value, _) ).

set_setting(M:Name, Value) :-
    checked(M, Name, Value),
    retractall(value(M, Name, _)),
    assertz(value(M, Name, Value)).

set_setting_default(M:Name, Value) :-
    checked(M, Name, Value),
    retract(declared(M, Name, Type, _, Comment)),
    assertz(declared(M, Name, Type, Value, Comment)).

checked(M, Name, Value) :-
    must_be(atom, Name),
    ( declared(M, Name, Type, _, _) -> must_be(Type, Value) ; existence_error(setting, M:Name) ).

restore_setting(M:Name) :- retractall(value(M, Name, _)).

current_setting(Name, M) :- declared(M, Name, _, _, _).

setting_property(M:Name, Property) :-
    declared(M, Name, Type, Default, Comment),
    ( Property = type(Type) ; Property = default(Default) ; Property = comment(Comment) ).

list_settings :-
    forall(declared(M, Name, _, _, Comment),
           ( found(M, Name, Value), format('~w:~w~t~30| ~q~t~50| ~w~n', [M, Name, Value, Comment]) )).

load_settings(File) :-
    setup_call_cleanup(open(File, read, Stream), load_terms(Stream), close(Stream)).

load_terms(Stream) :-
    read(Stream, Term),
    (   Term == end_of_file -> true
    ;   ( Term = setting(M:Name, Value) -> set_setting(M:Name, Value) ; domain_error(setting, Term) ),
        load_terms(Stream)
    ).

save_settings(File) :-
    setup_call_cleanup(open(File, write, Stream),
        forall(value(M, Name, Value), format(Stream, 'setting(~q:~q, ~q).~n', [M, Name, Value])),
        close(Stream)).
