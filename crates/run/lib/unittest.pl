% Test assertions: one test, run in all its calls, times and answers.

:- module(unittest, ['$rtc_test'/7]).

:- use_module(library(rtchecks)).

:- meta_predicate '$rtc_test'(0,0,0,?,?,?,?).

% '$rtc_test'(:Pre, :Goal, :Post, +Comps, +Kind, +Module, -Result): Result is
% passed or failed(Why). Comps are computational properties and the options of
% the test: setup(G), cleanup(G), times(N), try_sols(N), timeout(Milliseconds),
% generate_from_calls_n(N), user_output(Text), user_error(Text).
'$rtc_test'(Pre, Goal, Post, Comps, Kind, M, Result) :-
    settle(Comps, setup, M, Before),
    (   Before == ok
    ->  catch(calls(Pre, Goal, Post, Comps, Kind, M, Result0), Ball, Result0 = failed(exception(Ball))),
        settle(Comps, cleanup, M, After),
        (   After \== ok, Result0 == passed -> Result = failed(cleanup(After)) ; Result = Result0 )
    ;   Result = failed(setup(Before))
    ).

% The goals of setup(G) or cleanup(G) in order; ok, or what became of the first that did not succeed.
settle(Comps, Kind, M, Outcome) :-
    Option =.. [Kind, G],
    findall(G, member_of(Option, Comps), Gs),
    settle_all(Gs, M, Outcome).

settle_all([], _, ok).
settle_all([G|Gs], M, Outcome) :-
    catch(( once(M:G) -> R = ok ; R = fails ), E, R = exception(E)),
    (   R == ok -> settle_all(Gs, M, Outcome) ; Outcome = R ).

option(Comps, Name, Default, Value) :-
    Option =.. [Name, V],
    (   member_of(Option, Comps) -> Value = V ; Value = Default ).

% Every call the precondition generates, up to a number of them.
calls(Pre, Goal, Post, Comps, Kind, M, Result) :-
    option(Comps, generate_from_calls_n, 1, MaxCalls),
    option(Comps, times, 1, Times),
    State = s(0, passed),
    (   call(Pre),
        arg(1, State, N0), N is N0 + 1, nb_setarg(1, State, N),
        (   between(1, Times, _),
            one_run(Goal, Post, Comps, Kind, M, R),
            R \== passed
        ->  nb_setarg(2, State, R)
        ;   true
        ),
        arg(2, State, Now),
        (   Now \== passed -> true ; N >= MaxCalls )
    ->  true
    ;   true
    ),
    arg(1, State, Count),
    (   Count =:= 0 -> Result = failed(precondition_fails) ; arg(2, State, Result) ).

one_run(Goal, Post, Comps, Kind, M, Result) :-
    tries(Comps, Tries),
    State = s(0, yes, passed),
    captured(Comps, Begin),
    layered(Comps, State, Goal, Layered),
    catch(( \+ \+ timed(Comps, answers(Layered, Post, Tries, M, State)) -> true ; true ), Ball, true),
    written(Comps, Begin, Out),
    arg(1, State, N), arg(2, State, Ended), arg(3, State, Post1),
    (   nonvar(Ball) -> Outcome = exception(Ball) ; Outcome = answers(N, Ended) ),
    verdict(Post1, Outcome, Comps, Kind, Out, Result).

% Properties that the number of answers and the exception do not decide are checked as they are outside of tests; State
% takes the first that does not hold.
layered([], _, Goal, Goal).
layered([C|Cs], State, Goal0, Goal) :-
    (   is_layer(C) -> Goal1 = rtchecks:comp_layer(C, noted(State, C), Goal0) ; Goal1 = Goal0 ),
    layered(Cs, State, Goal1, Goal).

is_layer(solutions(_)).
is_layer(num_solutions(P)) :- \+ integer(P).
is_layer(not_further_inst(_)).
is_layer(not_further_inst(_, _)).
is_layer(no_choicepoints).
is_layer(leave_choicepoints).
is_layer(leaves_choicepoints).

% How many answers must be asked for to decide the properties; 2 without any.
tries(Comps, Tries) :-
    option(Comps, try_sols, 2, T0),
    wanted(Comps, T0, Tries).
wanted([], T, T).
wanted([C|Cs], T0, T) :-
    (   rtchecks:answers(C, Min, Max)
    ->  ( Max < 0 -> T1 is max(T0, Min) ; T1 is max(T0, Max + 1) )
    ;   C = solutions(L), is_list(L) -> length(L, N), T1 is max(T0, N + 1)
    ;   C = num_solutions(_) -> T1 = 1000000000
    ;   T1 = T0
    ),
    wanted(Cs, T1, T).

% Counts answers in State, checks the postcondition for each, notes the end.
answers(Goal, Post, Tries, M, State) :-
    (   call(Goal),
        arg(1, State, N0), N is N0 + 1, nb_setarg(1, State, N),
        postcondition(Post, M, R),
        (   R \== passed, arg(3, State, passed) -> nb_setarg(3, State, R) ; true ),
        N >= Tries
    ->  nb_setarg(2, State, no)
    ;   true
    ).

postcondition(Post, M, Result) :-
    rtchecks:strip(Post, _, Formula),
    catch(rtchecks:holds(Formula, M, R), Ball, R = raised(Ball)),
    (   R == 0 -> Result = failed(postcondition)
    ;   R = raised(B) -> ( rtchecks:passes(B) -> throw(B) ; Result = failed(postcondition_raised(B)) )
    ;   R =:= 1 -> Result = failed(postcondition_raised)
    ;   Result = passed
    ).

timed(Comps, Goal) :-
    option(Comps, timeout, none, Ms),
    (   number(Ms) -> S is Ms / 1000.0, call_with_time_limit(S, unittest:Goal) ; call(unittest:Goal) ).

captured(Comps, begin(O, E)) :-
    (   wants(user_output, Comps) -> '$rtc_capture'(user_output, O) ; O = none ),
    (   wants(user_error, Comps) -> '$rtc_capture'(user_error, E) ; E = none ).
written(Comps, begin(O, E), out(OT, ET)) :-
    (   wants(user_output, Comps) -> '$rtc_captured'(user_output, O, OT) ; true ),
    (   wants(user_error, Comps) -> '$rtc_captured'(user_error, E, ET) ; true ).
wants(Name, Comps) :- C =.. [Name, _], \+ \+ member_of(C, Comps).

verdict(failed(Why), _, _, _, _, failed(Why)) :- !.
verdict(_, exception(time_limit_exceeded), Comps, _, _, failed(timeout(Ms))) :-
    option(Comps, timeout, none, Ms), Ms \== none, !.
verdict(_, exception(Ball), Comps, _, Out, Result) :- !,
    (   expects_exception(Comps, Ball) -> output_verdict(Comps, Out, Result)
    ;   Result = failed(exception(Ball))
    ).
verdict(_, answers(N, Ended), Comps, Kind, Out, Result) :-
    (   ( member_of(exception(_), Comps) ; member_of(exception, Comps) ; member_of(throws(_), Comps)
        ; member_of(exceptions(_), Comps) )
    ->  ( N =:= 0 -> Result = failed(fails) ; Result = failed(succeeds) )
    ;   member_of(C, Comps), rtchecks:answers(C, Min, Max), \+ admitted(N, Ended, Min, Max)
    ->  ( N =:= 0 -> Result = failed(fails) ; Result = failed(C - answers(N)) )
    ;   N =:= 0, Kind == test,
        \+ ( member_of(C, Comps), rtchecks:answers(C, 0, _) ),
        \+ member_of(possibly_fails, Comps)
    ->  Result = failed(fails)
    ;   output_verdict(Comps, Out, Result)
    ).

% N answers were found; Ended is yes if there are no more.
admitted(N, yes, Min, Max) :- N >= Min, ( Max < 0 -> true ; N =< Max ).
admitted(N, no, _, Max) :- ( Max < 0 -> true ; N =< Max ).

expects_exception(Comps, Ball) :- member_of(exception(E), Comps), \+ Ball \= E, !.
expects_exception(Comps, Ball) :- member_of(throws(E), Comps), \+ Ball \= E, !.
expects_exception(Comps, Ball) :- member_of(exceptions(Es), Comps), rtchecks:one_of(Es, Ball), !.
expects_exception(Comps, Ball) :- member_of(possible_exceptions(Es), Comps), rtchecks:one_of(Es, Ball), !.
expects_exception(Comps, _) :- member_of(exception, Comps), !.

output_verdict(Comps, out(OT, ET), Result) :-
    (   member_of(user_output(T), Comps), \+ rtchecks:same_text(T, OT) -> Result = failed(user_output(OT))
    ;   member_of(user_error(T), Comps), \+ rtchecks:same_text(T, ET) -> Result = failed(user_error(ET))
    ;   Result = passed
    ).

member_of(X, [X|_]).
member_of(X, [_|T]) :- member_of(X, T).
