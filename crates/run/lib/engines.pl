:- module(engines, [engine_create/3, engine_create/4, engine_next/2, engine_next_reified/2, engine_post/2, engine_post/3,
                    engine_fetch/1, engine_yield/1, engine_self/1, engine_destroy/1, is_engine/1, current_engine/1]).

% Coroutines with memory of their own: the machine runs them a step at a time (`engines.rs`). Terms that go in and
% come out are copies. An engine without further answers is destroyed.

:- meta_predicate engine_create(?, 0, -).
:- meta_predicate engine_create(?, 0, -, +).

:- dynamic engine_/2.       % handle or alias, number in the machine
:- dynamic posted/2.        % handle, term

engine_create(Template, Goal, E) :- engine_create(Template, Goal, E, []).
engine_create(Template, Goal, E, Options) :-
    ( member(alias(A), Options) -> true ; A = [] ),
    ( A \== [], engine_(A, _) -> throw(error(permission_error(create, engine, A), context(system:engine_create/4, _))) ; true ),
    ( strip_module(Goal, _, G), var(G) -> throw(error(instantiation_error, context(system:engine_create/4, _))) ; true ),
    '$engine_create'(Template-Goal, N),
    ( A == [] -> flag('$engine', K, K + 1), E = '$engine'(K) ; E = A ),
    assertz(engine_(E, N)).

engine_number(E, N) :-
    ( var(E) -> throw(error(instantiation_error, _))
    ; engine_(E, N0), integer(N0) -> N = N0
    ; ( atom(E) ; E = '$engine'(_) ) -> throw(error(existence_error(engine, E), _))
    ; throw(error(type_error(engine, E), _)) ).

engine_next(E, T) :-
    engine_event(E, Event),
    ( Event = the(T0) -> T = T0
    ; Event = throw(Ball) -> throw(Ball) ).

engine_next_reified(E, T) :-
    catch(engine_event(E, Event), Error, Event = throw(Error)),
    ( Event = throw(Ball) -> T = exception(Ball) ; T = Event ).

engine_event(E, Event) :-
    engine_number(E, N),
    Step = '$engine_step'(N, Event0),
    call(Step),
    ( Event0 = suspended(yield(T)) -> Event = the(T)
    ; Event0 = suspended(_) -> forget(E), throw(error(permission_error(wait, engine, E), _))
    ; Event0 = the(_) -> Event = Event0
    ; forget(E), Event = Event0,
      % It is there until it is destroyed, but has nothing to say any more.
      ( Event0 = throw(_) -> assertz(engine_(E, failed)) ; true ) ).

forget(E) :- retractall(engine_(E, _)), retractall(posted(E, _)).

engine_post(E, Term) :-
    engine_number(E, _),
    ( posted(E, _) -> throw(error(permission_error(post_to, engine, E), context(system:engine_post/2, _))) ; true ),
    assertz(posted(E, Term)).
engine_post(E, Term, Reply) :- engine_post(E, Term), engine_next(E, Reply).

engine_fetch(Term) :-
    ( engine_self(E), retract(posted(E, T)) -> Term = T
    ; ( engine_self(E) -> true ; E = main ),
      throw(error(existence_error(term, delivery, E), context(system:engine_fetch/1, _))) ).

engine_yield(Term) :-
    ( engine_self(_) -> Suspend = '$suspend'(yield(Term)), call(Suspend)
    ; throw(error(permission_error(yield, engine, main), context(system:engine_yield/1, _))) ).

engine_self(E) :- '$engine_self'(N), engine_(E0, N), !, E = E0.

engine_destroy(E) :- nonvar(E), engine_(E, failed), !, forget(E).
% An engine without further answers is gone already.
engine_destroy(E) :- nonvar(E), E = '$engine'(K), integer(K), \+ engine_(E, _), flag('$engine', N, N), K >= 0, K < N, !.
engine_destroy(E) :- engine_number(E, N), forget(E), '$engine_destroy'(N).

is_engine(E) :- nonvar(E), engine_(E, _), !.
current_engine(E) :- engine_(E, _).
