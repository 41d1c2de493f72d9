% Raising and testing for ISO errors.

:- module(error,
          [ must_be/2, is_of_type/2, type_error/2, domain_error/2,
            existence_error/2, existence_error/3, permission_error/3,
            instantiation_error/1, representation_error/1, resource_error/1,
            syntax_error/1, uninstantiation_error/1, is_list_or_partial/1,
            current_type/3,
            can_be/2, type_error/3, domain_error/3
          ]).

type_error(Type, Culprit) :-
    throw(error(type_error(Type, Culprit), _)).
domain_error(Domain, Culprit) :-
    throw(error(domain_error(Domain, Culprit), _)).
% With what it happened in, as in Scryer Prolog.
type_error(Type, Culprit, Context) :-
    throw(error(type_error(Type, Culprit), Context)).
domain_error(Domain, Culprit, Context) :-
    throw(error(domain_error(Domain, Culprit), Context)).
existence_error(Kind, Culprit) :-
    throw(error(existence_error(Kind, Culprit), _)).
existence_error(Kind, Culprit, In) :-
    throw(error(existence_error(Kind, Culprit, In), _)).
permission_error(Action, Kind, Culprit) :-
    throw(error(permission_error(Action, Kind, Culprit), _)).
instantiation_error(_) :-
    throw(error(instantiation_error, _)).
uninstantiation_error(Culprit) :-
    throw(error(uninstantiation_error(Culprit), _)).
representation_error(What) :-
    throw(error(representation_error(What), _)).
resource_error(What) :-
    throw(error(resource_error(What), _)).
syntax_error(What) :-
    throw(error(syntax_error(What), _)).

% can_be(+Type, @X): some instance of X is of the type.
can_be(Type, X) :-
    (   var(Type) -> instantiation_error(Type)
    ;   var(X) -> true
    ;   memberchk_partial(Type) -> must_be(list_or_partial, X)
    ;   must_be(Type, X)
    ).
memberchk_partial(Type) :- ( Type == list -> true ; Type == chars ; Type == codes ).

must_be(Type, X) :-
    (   var(Type)
    ->  instantiation_error(Type)
    ;   is_of_type_(Type, X, Known),
        Known == true
    ->  true
    ;   must_be_fails(Type, X)
    ).

is_of_type(Type, X) :-
    is_of_type_(Type, X, Known),
    !,
    Known == true.

current_type(Type, X, is_of_type(Type, X)) :-
    nonvar(Type).

% The errors of SWI-Prolog: a value of another type and a value outside the range are both type_error(Type, X).
must_be_fails(Type, X) :-
    (   \+ known_type(Type)
    ->  existence_error(type, Type)
    ;   type_of_elements(Type, Of)
    ->  not_list_of(Type, Of, X)
    ;   Type = between(L, U)
    ->  must_be(number, L),
        ( integer(L) -> must_be(integer, U) ; must_be(number, U) ),
        must_be(nonvar, X),
        type_error(Type, X)
    ;   Type = oneof(L)
    ->  must_be(list, L),
        ( ground(X) -> type_error(Type, X) ; instantiation_error(X) )
    ;   Type == list
    ->  ( partial_list(X) -> instantiation_error(X) ; type_error(list, X) )
    ;   Type == var
    ->  uninstantiation_error(X)
    ;   Type == cyclic
    ->  domain_error(cyclic_term, X)
    ;   Type == acyclic
    ->  domain_error(acyclic_term, X)
    ;   Type == order
    ->  must_be(atom, X), domain_error(order, X)
    ;   var(X)
    ->  instantiation_error(X)
    ;   needs_ground(Type), \+ ground(X)
    ->  instantiation_error(X)
    ;   type_error(Type, X)
    ).

needs_ground(ground).
needs_ground(text).
needs_ground(rational).

type_of_elements(list(Of), Of).
type_of_elements(list_of(Of), Of).
type_of_elements(chars, char).
type_of_elements(codes, code).

not_list_of(Type, Of, X) :-
    (   partial_list(X)
    ->  instantiation_error(X)
    ;   \+ is_list(X)
    ->  ( Type = list_of(_) -> Named = Type ; Named = list(Of) ),
        type_error(Named, X)
    ;   must_be(nonvar, Of),
        first_not_of_type(X, Of, Bad),
        must_be(Of, Bad)
    ).

first_not_of_type([H|T], Of, Bad) :-
    (   is_of_type(Of, H)
    ->  first_not_of_type(T, Of, Bad)
    ;   Bad = H
    ).

% A cyclic list is neither a list nor partial.
partial_list(X) :- '$skip_list'(_, X, Tail), var(Tail).

is_list_or_partial(X) :-
    (   partial_list(X) -> true ; is_list(X) ).

known_type(Type) :-
    functor(Type, Name, Arity),
    known_type_(Name, Arity).

known_type_(any, 0).      known_type_(atom, 0).     known_type_(atomic, 0).
known_type_(between, 2).  known_type_(boolean, 0).  known_type_(bool, 0).
known_type_(callable, 0). known_type_(char, 0).     known_type_(chars, 0).
known_type_(code, 0).     known_type_(codes, 0).    known_type_(text, 0).
known_type_(compound, 0). known_type_(constant, 0). known_type_(float, 0).
known_type_(integer, 0).  known_type_(nonneg, 0).   known_type_(positive_integer, 0).
known_type_(negative_integer, 0). known_type_(nonvar, 0). known_type_(number, 0).
known_type_(oneof, 1).    known_type_(list, 0).     known_type_(proper_list, 0).
known_type_(list, 1).     known_type_(list_of, 1).  known_type_(list_or_partial, 0).
known_type_(symbol, 0).   known_type_(var, 0).      known_type_(rational, 0).
known_type_(string, 0).   known_type_(ground, 0).   known_type_(cyclic, 0).
known_type_(acyclic, 0).  known_type_(order, 0).    known_type_(encoding, 0).
known_type_(pair, 0).     known_type_(type, 0).     known_type_(dict, 0).
known_type_(stream, 0).

is_of_type_(Type, X, true) :-
    has_type(Type, X), !.
is_of_type_(_, _, false).

has_type(any, _).
has_type(atom, X) :- atom(X).
has_type(symbol, X) :- atom(X).
has_type(atomic, X) :- atomic(X).
has_type(constant, X) :- atomic(X).
has_type(between(L,U), X) :-
    (   integer(L), integer(U) -> integer(X) ; number(X) ),
    X >= L, X =< U.
has_type(boolean, X) :- ( X == true ; X == false ), !.
has_type(bool, X) :- ( X == true ; X == false ), !.
has_type(callable, X) :- callable(X).
has_type(char, X) :- atom(X), atom_length(X, 1).
has_type(chars, X) :- is_list(X), all_of_type(X, char).
has_type(code, X) :- integer(X), X >= 0, X =< 0x10ffff.
has_type(codes, X) :- is_list(X), all_of_type(X, code).
has_type(text, X) :-
    (   atom(X) ; string(X) ; has_type(chars, X) ; has_type(codes, X) ), !.
has_type(compound, X) :- compound(X).
has_type(float, X) :- float(X).
has_type(ground, X) :- ground(X).
has_type(integer, X) :- integer(X).
has_type(nonneg, X) :- integer(X), X >= 0.
has_type(positive_integer, X) :- integer(X), X >= 1.
has_type(negative_integer, X) :- integer(X), X < 0.
has_type(nonvar, X) :- nonvar(X).
has_type(number, X) :- number(X).
has_type(rational, X) :- rational(X).
has_type(oneof(L), X) :- nonvar(X), is_list(L), same_member(L, X).
has_type(proper_list, X) :- is_list(X).
has_type(list, X) :- is_list(X).
has_type(list_or_partial, X) :- is_list_or_partial(X).
has_type(list(Type), X) :- nonvar(Type), is_list(X), all_of_type(X, Type).
has_type(list_of(Type), X) :- nonvar(Type), is_list(X), all_of_type(X, Type).
has_type(string, X) :- string(X).
has_type(var, X) :- var(X).
has_type(pair, X) :- nonvar(X), X = _-_.
has_type(acyclic, X) :- acyclic_term(X).
has_type(cyclic, X) :- \+ acyclic_term(X).
has_type(order, X) :- atom(X), same_member([<,=,>], X).
has_type(encoding, X) :- atom(X), same_member([utf8,octet,ascii,iso_latin_1,text], X).
has_type(stream, X) :- is_stream(X).
has_type(type, X) :- nonvar(X), known_type(X).

all_of_type([], _).
all_of_type([H|T], Type) :-
    has_type(Type, H), !,
    all_of_type(T, Type).

same_member([H|T], X) :-
    (   H == X -> true ; same_member(T, X) ).
