:- module(threads, [thread_create/1, thread_create/2, thread_create/3, thread_join/1, thread_join/2, thread_self/1, thread_exit/1, thread_detach/1,
                    thread_property/2, is_thread/1, thread_signal/2, thread_alias/1, thread_at_exit/1, thread_statistics/3,
                    thread_send_message/2, thread_send_message/3, thread_get_message/1, thread_get_message/2,
                    thread_get_message/3, thread_peek_message/1, thread_peek_message/2,
                    message_queue_create/1, message_queue_create/2, message_queue_destroy/1, message_queue_property/2,
                    message_queue_set/2, mutex_create/1, mutex_create/2, mutex_destroy/1, mutex_lock/1, mutex_unlock/1,
                    mutex_trylock/1, mutex_unlock_all/0, mutex_property/2, with_mutex/2, thread_wait/1, thread_wait/2, thread_update/2,
                    thread_idle/2, (thread_initialization)/1, thread_setconcurrency/2, call_in_thread/2]).

% Threads that take turns. A thread runs from its creation until it ends or has to wait: for a message, a mutex, the
% end of another thread or a condition. Whoever waits in the main thread gives the others their turns; if none of them
% gets further, the wait would be for ever and is an error. Each thread is an engine (`engines.rs`) with its own stacks,
% global variables and clauses of thread-local predicates; the rest of the database is common.

:- meta_predicate thread_create(0).
:- meta_predicate thread_create(0, ?).
:- meta_predicate thread_create(0, ?, +).
:- meta_predicate thread_at_exit(0).
:- meta_predicate thread_signal(?, 0).
:- meta_predicate with_mutex(?, 0).
:- meta_predicate thread_wait(0).
:- meta_predicate thread_wait(0, :).
:- meta_predicate thread_update(0, :).
:- meta_predicate thread_idle(0, ?).
:- meta_predicate(thread_initialization(0)).
:- meta_predicate call_in_thread(?, 0).
:- meta_predicate wait_for(0, ?).
:- meta_predicate wait_for(0, ?, ?).
:- meta_predicate until(0).
:- meta_predicate until(0, ?).

:- dynamic thread_/2.           % thread, number of its engine
:- dynamic status_/2.           % thread, running or how it ended
:- dynamic detached_/1.
:- dynamic at_exit_/2.
:- dynamic signal_/2.
:- dynamic local_/2.            % thread that does not run, its clauses of thread-local predicates
:- dynamic queue_/2.            % queue, most messages or 0
:- dynamic message_/2.
:- dynamic mutex_/3.            % mutex, owner, how often it is locked
:- dynamic deadline_/2.         % thread that waits, until when

% -- threads

thread_create(Goal) :- thread_create(Goal, _, [detached(true)]).
thread_create(Goal, Id) :- thread_create(Goal, Id, []).
thread_create(Goal, Id, Options) :-
    strip_module(Goal, _, G),
    ( var(G) -> throw(error(instantiation_error, context(system:thread_create/3, _)))
    ; callable(G) -> true ; throw(error(type_error(callable, G), context(system:thread_create/3, _))) ),
    ( nonvar(Id) -> throw(error(uninstantiation_error(Id), context(system:thread_create/3, 2))) ; true ),
    ( member(alias(A), Options), A \== [] -> Id0 = A ; flag('$thread', K, K + 1), K1 is K + 2, Id0 = '$thread'(K1) ),
    ( exists(Id0) -> throw(error(permission_error(create, thread, Id0), context(system:thread_create/3, 'Alias name already taken'))) ; true ),
    '$engine_create'(x-(threads:run_goal(Goal)), N),
    assertz(thread_(Id0, N)),
    assertz(status_(Id0, running)),
    ( member(detached(true), Options) -> assertz(detached_(Id0)) ; true ),
    ( member(at_exit(E0), Options) -> strip_module(Goal, M, _), assertz(at_exit_(Id0, M:E0)) ; true ),
    Id = Id0,
    turn(Id0).

run_goal(Goal) :-
    thread_self(Me),
    take_signals(Me),
    call(Goal), !.

% A thread goes on until it waits or ends.
turn(Id) :-
    thread_(Id, N),
    retractall(deadline_(Id, _)),
    local_in(Id, Outer),
    Step = '$engine_step'(N, Event),
    catch(call(Step), Error, true),
    ( nonvar(Error) -> local_out(Outer, Id), throw(Error) ; true ),
    ( Event == no -> ended(Id, false)
    ; Event = the(_) -> '$engine_destroy'(N), ended(Id, true)
    ; Event = throw('$thread_exit'(T)) -> ended(Id, exited(T))
    ; Event = throw(Ball) -> ended(Id, exception(Ball))
    ; true ),
    local_out(Outer, Id).

ended(Id, Status) :-
    changed,
    forall(retract(at_exit_(Id, G)), catch(ignore(G), _, true)),
    forall(retract(mutex_(X, Id, _)), assertz(mutex_(X, none, 0))),
    retractall(thread_(Id, _)), retractall(signal_(Id, _)), retractall(status_(Id, _)),
    warn(Status, Id),
    ( retract(detached_(Id)) -> retractall(message_(Id, _))
    ; assertz(status_(Id, Status)) ).

warn(exception(E), Id) :- E \== unwind(abort), !,
    ( detached_(Id) -> print_message(warning, format('[Thread ~p] goal raised exception: ~p', [Id, E])) ; true ).
warn(false, Id) :- detached_(Id), !, print_message(warning, format('[Thread ~p] goal failed', [Id])).
warn(_, _).

exists(main) :- !.
exists(Id) :- status_(Id, _), !.

must_exist(Id, _) :- var(Id), !, throw(error(instantiation_error, _)).
must_exist(Id, _) :- exists(Id), !.
must_exist(Id, Kind) :- throw(error(existence_error(Kind, Id), _)).

thread_self(Id) :- ( '$engine_self'(N), thread_(Id0, N) -> Id = Id0 ; Id = main ).

thread_join(Id) :-
    thread_join(Id, Status),
    ( Status == true -> true ; throw(error(thread_error(Id, Status), _)) ).
thread_join(Id, Status) :-
    must_exist(Id, thread),
    thread_self(Me),
    ( Me == Id -> throw(error(permission_error(join, thread, Id), context(system:thread_join/2, 'Cannot join self'))) ; true ),
    ( detached_(Id) -> throw(error(permission_error(join, thread, Id), context(system:thread_join/2, 'Detached thread'))) ; true ),
    until(threads:has_ended(Id)),
    retract(status_(Id, S)), !,
    retractall(message_(Id, _)),
    Status = S.

has_ended(Id) :- status_(Id, S), S \== running, !.

thread_exit(Term) :- throw('$thread_exit'(Term)).
thread_detach(Id) :-
    must_exist(Id, thread),
    ( has_ended(Id) -> retractall(status_(Id, _)), retractall(message_(Id, _)) ; detached_(Id) -> true ; assertz(detached_(Id)) ).
thread_at_exit(G) :- thread_self(Me), asserta(at_exit_(Me, G)).
thread_alias(Alias) :-
    thread_self(Me), retract(thread_(Me, N)), assertz(thread_(Alias, N)),
    retract(status_(Me, S)), assertz(status_(Alias, S)),
    ( retract(detached_(Me)) -> assertz(detached_(Alias)) ; true ), !.
thread_statistics(_, Key, Value) :- statistics(Key, Value).

is_thread(Id) :- nonvar(Id), exists(Id).
thread_property(Id, P) :-
    ( var(Id) -> ( Id = main ; status_(Id, _) ) ; must_exist(Id, thread) ),
    property(P, Id).
property(id(Id), Id).
property(alias(Id), Id) :- atom(Id).
property(status(S), Id) :- ( Id == main -> S = running ; status_(Id, S) ).
property(detached(D), Id) :- ( detached_(Id) -> D = true ; D = false ).

thread_signal(Id, Goal) :-
    must_exist(Id, thread),
    thread_self(Me),
    ( Id == Me -> ignore(Goal)
    ; assertz(signal_(Id, Goal)), changed ).
take_signals(Me) :- ( retract(signal_(Me, G)) -> ignore(G), take_signals(Me) ; true ).

thread_initialization(G) :- once(G).
thread_setconcurrency(1, _).
thread_idle(G, _) :- call(G).
call_in_thread(Id, G) :-
    must_exist(Id, thread),
    thread_self(Me),
    message_queue_create(Q),
    strip_module(G, M, P),
    assertz(signal_(Id, threads:answer(M:P, Q))), changed,
    ( Me == main -> true ; true ),
    thread_get_message(Q, Answer),
    message_queue_destroy(Q),
    ( Answer = the(P0) -> P = P0 ; Answer = throw(E) -> throw(E) ).
answer(M:P, Q) :-
    ( catch(M:P, E, true) -> ( var(E) -> A = the(P) ; A = throw(E) ) ; A = no ),
    thread_send_message(Q, A).

% -- waiting

% What others may wait for has changed.
changed :- flag('$thread_changes', N, N + 1).

until(Condition) :- wait_for(Condition, infinite), !.
until(Condition, Deadline) :- wait_for(Condition, Deadline).

% Fails when the deadline has passed; the others have had a turn then.
wait_for(Condition, Deadline) :- wait_for(Condition, Deadline, no).
wait_for(Condition, Deadline, Waited) :-
    thread_self(Me),
    take_signals(Me),
    (   call(Condition) -> true
    ;   Waited == yes, Deadline \== infinite, get_time(Now), Now >= Deadline -> fail
    ;   Me == main -> others(Deadline), wait_for(Condition, Deadline, yes)
    ;   ( Deadline == infinite -> true ; assertz(deadline_(Me, Deadline)) ),
        Suspend = '$suspend'(waiting), call(Suspend),
        wait_for(Condition, Deadline, yes) ).

% Turns for all other threads. If nothing changed, time has to pass; without a deadline nothing ever will.
others(Deadline) :-
    flag('$thread_changes', Before, Before),
    findall(Id, thread_(Id, _), Ids),
    turns(Ids),
    flag('$thread_changes', After, After),
    (   After =\= Before -> true
    ;   findall(T, deadline_(_, T), Ts0), ( Deadline == infinite -> Ts = Ts0 ; Ts = [Deadline|Ts0] ),
        Ts = [T1|Tr], least(Tr, T1, Next) ->
        get_time(Now), Pause is max(0, Next - Now), sleep(Pause)
    ;   throw(error(system_error(deadlock), context(threads, 'every thread waits for another one'))) ).
turns([]).
turns([Id|Ids]) :- ( thread_(Id, _) -> turn(Id) ; true ), turns(Ids).
least([], T, T).
least([T1|Ts], T0, T) :- T2 is min(T0, T1), least(Ts, T2, T).

thread_wait(G) :- until(G).
thread_wait(G, M:Options) :-
    ( member(wait_preds(_), Options), fail -> true ; true ),
    timeout(Options, Deadline),
    ( Deadline == infinite -> until(M:G) ; until(M:G, Deadline) ).
thread_update(G, _) :- once(G), changed.
timeout(Options, Deadline) :-
    ( member(timeout(T), Options), T \== infinite -> get_time(Now), Deadline is Now + T
    ; member(deadline(D), Options) -> Deadline = D
    ; Deadline = infinite ).

% -- messages

message_queue_create(Q) :- message_queue_create(Q, []).
message_queue_create(Q, Options) :-
    ( member(alias(A), Options) -> Q0 = A
    ; nonvar(Q) -> ( atom(Q) -> Q0 = Q ; throw(error(uninstantiation_error(Q), context(system:message_queue_create/2, 1))) )
    ; flag('$message_queue', K, K + 1), Q0 = '$message_queue'(K) ),
    ( queue_(Q0, _) -> throw(error(permission_error(create, message_queue, Q0), context(system:message_queue_create/2, _))) ; true ),
    ( member(max_size(Max), Options) -> true ; Max = 0 ),
    assertz(queue_(Q0, Max)),
    Q = Q0.
message_queue_destroy(Q) :-
    ( retract(queue_(Q, _)) -> retractall(message_(Q, _)), changed ; throw(error(existence_error(message_queue, Q), context(system:message_queue_destroy/1, _))) ).
message_queue_set(Q, max_size(N)) :- retract(queue_(Q, _)), !, assertz(queue_(Q, N)), changed.
message_queue_property(Q, P) :-
    queue_(Q, Max),
    ( P = size(N), aggregate_all(count, message_(Q, _), N)
    ; Max > 0, P = max_size(Max)
    ; atom(Q), P = alias(Q) ).

target(Q, _) :- var(Q), !, throw(error(instantiation_error, _)).
target(Q, Max) :- queue_(Q, Max0), !, Max = Max0.
target(Id, 0) :- exists(Id), !.
target(Q, _) :- throw(error(existence_error(message_queue, Q), _)).

thread_send_message(Q, M) :- thread_send_message(Q, M, []).
thread_send_message(Q, M, Options) :-
    target(Q, Max),
    ( Max =:= 0 -> true
    ; timeout(Options, D), D \== infinite -> until(threads:has_room(Q), D)
    ; until(threads:has_room(Q)) ),
    assertz(message_(Q, M)),
    changed.
has_room(Q) :- target(Q, Max), ( Max =:= 0 -> true ; aggregate_all(count, message_(Q, _), N), N < Max ).

thread_get_message(M) :- thread_self(Me), thread_get_message(Me, M).
thread_get_message(Q, M) :-
    target(Q, _),
    until(threads:take(Q, M)).
thread_get_message(Q, M, Options) :-
    target(Q, _),
    timeout(Options, D),
    ( D == infinite -> until(threads:take(Q, M)) ; until(threads:take(Q, M), D) ), !.
take(Q, M) :- target(Q, _), retract(message_(Q, M)), !, changed.
thread_peek_message(M) :- thread_self(Me), thread_peek_message(Me, M).
thread_peek_message(Q, M) :- target(Q, _), message_(Q, M), !.

% -- mutexes

mutex_create(X) :- mutex_create(X, []).
mutex_create(X, Options) :-
    ( member(alias(A), Options) -> X0 = A ; nonvar(X) -> X0 = X ; flag('$mutex', K, K + 1), X0 = '$mutex'(K) ),
    ( mutex_(X0, _, _) -> throw(error(permission_error(create, mutex, X0), context(system:mutex_create/2, _))) ; true ),
    assertz(mutex_(X0, none, 0)),
    X = X0.
mutex_destroy(X) :- retractall(mutex_(X, _, _)), changed.
known_mutex(X) :-
    ( var(X) -> throw(error(instantiation_error, _)) ; mutex_(X, _, _) -> true
    ; atom(X) -> assertz(mutex_(X, none, 0))
    ; throw(error(existence_error(mutex, X), _)) ).
mutex_lock(X) :- known_mutex(X), thread_self(Me), until(threads:lock(X, Me)).
mutex_trylock(X) :- known_mutex(X), thread_self(Me), lock(X, Me).
lock(X, Me) :-
    mutex_(X, Owner, N),
    ( Owner == none -> true ; Owner == Me ), !,
    retract(mutex_(X, Owner, N)), !, N1 is N + 1, assertz(mutex_(X, Me, N1)).
mutex_unlock(X) :-
    thread_self(Me),
    ( retract(mutex_(X, Me, N)) -> N1 is N - 1, ( N1 =:= 0 -> assertz(mutex_(X, none, 0)), changed ; assertz(mutex_(X, Me, N1)) )
    ; throw(error(permission_error(unlock, mutex, X), context(system:mutex_unlock/1, 'not locked'))) ).
mutex_unlock_all :- thread_self(Me), forall(retract(mutex_(X, Me, _)), assertz(mutex_(X, none, 0))), changed.
mutex_property(X, status(S)) :- mutex_(X, Owner, N), ( Owner == none -> S = unlocked ; S = locked(Owner, N) ).
with_mutex(X, G) :- setup_call_cleanup(mutex_lock(X), once(G), mutex_unlock(X)).

% -- thread-local predicates: their clauses go aside with the thread

local_in(Id, Outer) :-
    ( '$has_clauses'(user, '$thread_local'(_, _)) -> clauses_out(Outer), ( retract(local_(Id, Cs)) -> clauses_in(Cs) ; true )
    ; Outer = [] ).
local_out(Outer, Id) :-
    ( '$has_clauses'(user, '$thread_local'(_, _)) ->
        clauses_out(Own),
        ( thread_(Id, _) -> assertz(local_(Id, Own)) ; true ),
        clauses_in(Outer)
    ; true ).
clauses_out(Cs) :- findall(M:(H :- B), ( user:'$thread_local'(M, H), catch(clause(M:H, B), _, fail) ), Cs),
    forall(user:'$thread_local'(M, H), retractall(M:H)).
clauses_in([]).
clauses_in([M:C|Cs]) :- assertz(M:C), clauses_in(Cs).
