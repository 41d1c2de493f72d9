% Named fields of compound terms: `:- record point(x:integer = 0, y:integer = 0).` defines default_point/1, is_point/1,
% make_point/2,3, point_data/3, point_x/2, set_x_of_point/3, set_point_fields/3,4 and set_point_field/3.

:- module(record, [ (record)/1, current_record/2, op(1150, fx, record) ]).

:- use_module(library(error)).
:- use_module(library(lists)).

:- multifile user:term_expansion/2.
:- dynamic user:term_expansion/2.
:- dynamic known_record/2.

record(Spec) :- throw(error(context_error(nodirective, record(Spec)), _)).

current_record(Name, Term) :- known_record(Name, Term).

user:term_expansion((:- record(Specs)), Clauses) :-
    (record):expand_records(Specs, Clauses).

expand_records(Specs, Clauses) :-
    must_be(nonvar, Specs),
    findall(Cs, ( spec_of(Specs, Spec), record_clauses(Spec, Cs) ), Lists),
    append(Lists, Clauses).

spec_of((A, B), Spec) :- !, ( spec_of(A, Spec) ; spec_of(B, Spec) ).
spec_of(Spec, Spec).

record_clauses(Spec, Clauses) :-
    must_be(callable, Spec),
    Spec =.. [Name|Fields0],
    fields(Fields0, Fields),
    retractall(known_record(Name, _)),
    assertz(known_record(Name, Spec)),
    length(Fields, Arity),
    findall(C, clause_of(Name, Arity, Fields, C), Clauses).

fields([], []).
fields([F|Fs], [f(N, T, D)|Rest]) :- field(F, N, T, D), fields(Fs, Rest).

field(F, _, _, _) :- var(F), !, instantiation_error(F).
field(N:T = D, Name, Type, Default) :- !, must_be(atom, N), must_be(T, D), Name = N, Type = T, Default = value(D).
field(N = D, Name, Type, Default) :- !, must_be(atom, N), Name = N, Type = any, Default = value(D).
field(N:T, Name, Type, Default) :- !, must_be(atom, N), Name = N, Type = T, Default = none.
field(N, N, any, none) :- must_be(atom, N).

clause_of(Name, _, Fields, Head) :-
    defaults(Fields, Values),
    Term =.. [Name|Values],
    atom_concat(default_, Name, Default),
    Head =.. [Default, Term].
clause_of(Name, _, Fields, (Head :- Body)) :-
    checks(Fields, Values, Checks),
    Term =.. [Name|Values],
    length(Values, Arity),
    atom_concat(is_, Name, Is),
    Head =.. [Is, Var],
    Body = ( nonvar(Var), functor(Var, Name, Arity), Var = Term, Checks ).
clause_of(Name, Arity, Fields, Head) :-
    atom_concat(Name, '_data', Data),
    nth1(I, Fields, f(Field, _, _)),
    functor(Term, Name, Arity),
    arg(I, Term, Value),
    Head =.. [Data, Field, Term, Value].
clause_of(Name, Arity, Fields, Head) :-
    nth1(I, Fields, f(Field, _, _)),
    atomic_list_concat([Name, '_', Field], Access),
    functor(Term, Name, Arity),
    arg(I, Term, Value),
    Head =.. [Access, Term, Value].
clause_of(Name, Arity, Fields, (Head :- Body)) :-
    nth1(I, Fields, f(Field, Type, _)),
    atomic_list_concat([set_, Field, '_of_', Name], Set),
    updated(Name, Arity, I, Value, Old, New),
    Head =.. [Set, Value, Old, New],
    check(Type, Value, Body).
clause_of(Name, Arity, Fields, (Head :- Body)) :-
    nth1(I, Fields, f(Field, Type, _)),
    ( Prefix = set_, Setter = setarg(I, Term, Value) ; Prefix = nb_set_, Setter = nb_setarg(I, Term, Value) ),
    atomic_list_concat([Prefix, Field, '_of_', Name], Set),
    functor(Shape, Name, Arity),
    Head =.. [Set, Value, Term],
    check(Type, Value, Check),
    Body = ( Term = Shape, Check, Setter ).
clause_of(Name, Arity, Fields, (Head :- Body)) :-
    atomic_list_concat([set_, Name, '_field'], Set),
    nth1(I, Fields, f(Field, Type, _)),
    updated(Name, Arity, I, Value, Old, New),
    Given =.. [Field, Value],
    Head =.. [Set, Given, Old, New],
    check(Type, Value, Body).
clause_of(Name, _, _, Clause) :-
    atom_concat(make_, Name, Make),
    atom_concat(default_, Name, Default),
    atomic_list_concat([set_, Name, '_fields'], SetAll),
    atomic_list_concat([set_, Name, '_field'], SetOne),
    DefaultGoal =.. [Default, R0],
    (   Head =.. [Make, Fs, R], Set =.. [SetAll, Fs, R0, R], Clause = (Head :- DefaultGoal, Set)
    ;   Head =.. [Make, Fs, R, Rest], Set =.. [SetAll, Fs, R0, R, Rest], Clause = (Head :- DefaultGoal, Set)
    ;   Head =.. [SetAll, Fs, A, B], Set =.. [SetAll, Fs, A, B, []], Clause = (Head :- Set)
    ;   Clause = Fact, Fact =.. [SetAll, [], R, R, []]
    ;   Head =.. [SetAll, [F|Fs], A, C, Rest],
        One =.. [SetOne, F, A, B], More =.. [SetAll, Fs, B, C, Rest], Keep =.. [SetAll, Fs, A, C, Rest1],
        Clause = (Head :- ( One -> More ; Rest = [F|Rest1], Keep ))
    ).

updated(Name, Arity, I, Value, Old, New) :-
    functor(Old, Name, Arity),
    Old =.. [_|Olds],
    nth1(I, Olds, _, Others),
    nth1(I, News, Value, Others),
    New =.. [Name|News].

defaults([], []).
defaults([f(_, _, D)|Fs], [V|Vs]) :- ( D = value(V0) -> V = V0 ; true ), defaults(Fs, Vs).

checks([], [], true).
checks([f(_, Type, _)|Fs], [V|Vs], Body) :-
    checks(Fs, Vs, Rest),
    ( Type == any -> Body = Rest ; record_test(Type, V, Test) -> Body = ( Test, Rest ) ; Body = ( error:is_of_type(Type, V), Rest ) ).

check(Type, Value, Body) :-
    (   Type == any -> Body = true
    ;   record_test(Type, Value, Test) -> Body = ( Test -> true ; error:type_error(Type, Value) )
    ;   Body = error:must_be(Type, Value) ).

% A field may hold another record.
record_test(Type, Value, Test) :-
    nonvar(Type),
    ( Type =.. [record, Name] -> true ; Name = Type ),
    atom(Name), known_record(Name, _),
    \+ ( atom(Type), error:known_type_(Type, 0) ),
    atom_concat(is_, Name, Is),
    Test =.. [Is, Value].
