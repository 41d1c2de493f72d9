% Facts that outlive a run: `:- persistent fact(name:atom, age:integer).` declares a dynamic predicate whose changes by
% assert_fact/2, asserta_fact/2, retract_fact/2 and retractall_fact/2 are appended to the file of db_attach/2. A file is a sequence of
% `assert(T)`, `asserta(T)`, `retract(T)` and `retractall(T, Count)`, as SWI-Prolog writes them.

:- module(persistency, [(persistent)/1, current_persistent_predicate/1, db_attach/2, db_attached/1, db_detach/0, db_sync/1, db_sync_all/1,
    op(1150, fx, persistent)]).

:- use_module(library(error)).
:- use_module(library(lists)).

:- multifile user:term_expansion/2, user:goal_expansion/2.
:- dynamic user:term_expansion/2, user:goal_expansion/2.
:- dynamic declared/4, attached/3, changes/2.
:- meta_predicate db_attach(:, +), db_attached(:), db_sync(:), current_persistent_predicate(:).

persistent(Spec) :- throw(error(context_error(nodirective, persistent(Spec)), _)).

user:term_expansion((:- persistent(Specs)), Clauses) :-
    prolog_load_context(module, M),
    persistency:declarations(Specs, M, Clauses).

declarations(Specs, M, Clauses) :-
    must_be(nonvar, Specs),
    findall(Cs, ( spec_of(Specs, Spec), declaration(Spec, M, Cs) ), Lists),
    append(Lists, Clauses).
spec_of(X, _) :- var(X), !, instantiation_error(X).
spec_of((A, B), Spec) :- !, ( spec_of(A, Spec) ; spec_of(B, Spec) ).
spec_of(N/A, Spec) :- !, functor(Spec0, N, A), Spec0 =.. [N|Vs], any_type(Vs), Spec = Spec0.
spec_of(Spec, Spec).
any_type([]).
any_type([any|Vs]) :- any_type(Vs).

declaration(Spec, M, [(:- dynamic(Name/Arity))|Clauses]) :-
    must_be(callable, Spec),
    Spec =.. [Name|Fields], types(Fields, Types), length(Types, Arity),
    retractall(declared(M, Name, Arity, _)),
    assertz(declared(M, Name, Arity, Types)),
    findall(C, change(M, Name, Arity, C), Clauses).
types([], []).
types([F|Fs], [T|Ts]) :- ( nonvar(F), F = _:T0 -> T = T0 ; nonvar(F), F == any -> T = any ; T = any ), types(Fs, Ts).
change(M, Name, Arity, (Head :- persistency:Goal)) :-
    member(Do, [assert, asserta, retract, retractall]),
    functor(Term, Name, Arity), Term =.. [_|Args],
    atomic_list_concat([Do, '_', Name], Changer),
    Head =.. [Changer|Args],
    Goal = change_fact(Do, M, Term).

change_fact(assert, M, Term) :- checked(M, Term), assertz(M:Term), note(M, assert(Term), 0).
change_fact(asserta, M, Term) :- checked(M, Term), asserta(M:Term), note(M, asserta(Term), 0).
change_fact(retract, M, Term) :- retract(M:Term), note(M, retract(Term), 1).
change_fact(retractall, M, Term) :-
    findall(x, M:Term, Found), length(Found, Count),
    ( Count > 0 -> retractall(M:Term), note(M, retractall(Term, Count), Count) ; true ).

checked(M, Term) :- functor(Term, N, A), declared(M, N, A, Types), Term =.. [_|Args], checked_each(Types, Args).
checked_each([], []).
checked_each([T|Ts], [A|As]) :- ( T == any -> true ; must_be(T, A) ), checked_each(Ts, As).

current_persistent_predicate(Spec) :- strip_module(Spec, M, N/A), declared(M, N, A, _).

% -- files

db_attach(Spec, Options) :-
    strip_module(Spec, M, File0),
    must_be(ground, File0), must_be(list, Options),
    absolute_file_name(File0, File),
    (   attached(M, File, _) -> true
    ;   attached(M, Other, _) -> permission_error(attach, db, Other)
    ;   forall(declared(M, N, A, _), ( functor(H, N, A), retractall(M:H) )),
        retractall(changes(M, _)), assertz(changes(M, 0)),
        ( exists_file(File) -> load(M, File) ; true ),
        ( member(sync(Sync), Options) -> true ; Sync = update ),
        assertz(attached(M, File, Sync)) ).
db_attached(Spec) :- strip_module(Spec, M, File), attached(M, File, _).
% The compiler knows which module asks; a goal that is made at run time means the only one with a file.
user:goal_expansion(db_detach, persistency:detach(M)) :- prolog_load_context(module, M), persistency:declared(M, _, _, _).
db_detach :- findall(M, attached(M, _, _), Ms), ( Ms = [M] -> detach(M) ; Ms == [] -> existence_error(db, detach) ; permission_error(detach, db, Ms) ).
detach(M) :-
    ( retract(attached(M, _, _)) -> true ; existence_error(db, M) ),
    forall(declared(M, N, A, _), ( functor(H, N, A), retractall(M:H) )).

load(M, File) :- setup_call_cleanup(open(File, read, S, [encoding(utf8)]), load_terms(S, M), close(S)).
load_terms(S, M) :- read_term(S, T, [module(M)]), ( T == end_of_file -> true ; load_term(T, M), load_terms(S, M) ).
load_term(created(_), _) :- !.
load_term(assert(T), M) :- !, ( known(M, T) -> assertz(M:T) ; true ).
load_term(asserta(T), M) :- !, ( known(M, T) -> asserta(M:T) ; true ).
load_term(retract(T), M) :- !, ( known(M, T) -> ( retract(M:T) -> true ; true ), count(M, 1) ; true ).
load_term(retractall(T, N), M) :- !, ( known(M, T) -> retractall(M:T), count(M, N) ; true ).
load_term(T, _) :- type_error(db_action, T).
known(M, T) :- callable(T), functor(T, N, A), declared(M, N, A, _).

count(_, 0) :- !.
count(M, N) :- ( retract(changes(M, N0)) -> true ; N0 = 0 ), N1 is N0 + N, assertz(changes(M, N1)).
note(M, Action, Count) :-
    (   attached(M, File, _)
    ->  ( exists_file(File) -> true ; get_time(Now), append_terms(File, [created(Now)]) ),
        append_terms(File, [Action]), count(M, Count)
    ;   true ).
append_terms(File, Terms) :-
    setup_call_cleanup(open(File, append, S, [encoding(utf8)]), forall(member(T, Terms), write_action(S, T)), close(S)).
write_action(S, T) :- write_term(S, T, [quoted(true), ignore_ops(true)]), write(S, '.\n').

% `gc` writes the file anew if there are more dead entries than facts; `gc(always)`, `gc(Percent)`; others have nothing to do: every
% change is in the file when it was made.
db_sync(Spec) :- strip_module(Spec, M, What), sync(What, M).
db_sync_all(What) :- forall(attached(M, _, _), sync(What, M)).
sync(gc, M) :- !, sync(gc(50), M).
sync(gc(When), M) :- !,
    findall(T, ( declared(M, N, A, _), functor(T, N, A), M:T ), Facts), length(Facts, Live),
    ( changes(M, Dead) -> true ; Dead = 0 ),
    (   attached(M, File, _), ( When == always ; number(When), 100 * Dead > When * ( Live + Dead ) )
    ->  get_time(Now), atom_concat(File, '.new', New),
        ( exists_file(New) -> delete_file(New) ; true ),
        findall(assert(T), member(T, Facts), Actions),
        append_terms(New, [created(Now)|Actions]),
        rename_file(New, File),
        retractall(changes(M, _)), assertz(changes(M, 0))
    ;   true ).
sync(reload, M) :- !, ( attached(M, File, Sync) -> detach(M), db_attach(M:File, [sync(Sync)]) ; true ).
sync(update, _) :- !.
sync(close, _) :- !.
sync(nop, _) :- !.
sync(What, _) :- domain_error(db_sync, What).
