% Unit tests in the form of SWI-Prolog's library(plunit): `test(Name, Options) :- Body` between begin_tests/1 and
% end_tests/1. A unit is a module of its own, `plunit_Unit`, that sees the predicates of the module it stands in. What is not
% supported is an error that names it.

:- module(plunit, [begin_tests/1, begin_tests/2, end_tests/1, run_tests/0, run_tests/1, run_tests/2, load_test_files/1,
                   set_test_options/1, running_tests/0, test_report/1]).

:- use_module(library(error)).
:- use_module(library(lists)).

:- dynamic(unit/3).
:- dynamic(open_unit/3).
:- dynamic(one_test/6).
:- dynamic(count/2).

% unit(Unit, Module, Options); one_test(Unit, Module, Name, Options, Body, Line)

begin_tests(Unit) :- begin_tests(Unit, []).
begin_tests(Unit, Options) :-
    must_be(atom, Unit),
    '$source_module'(Context),
    ( open_unit(_, Other, _) -> permission_error(open, unit, Other) ; true ),
    atom_concat(plunit_, Unit, M),
    forall(( current_predicate(M:N/A), functor(H, N, A), \+ predicate_property(M:H, imported_from(_)) ),
           catch(abolish(M:N/A), error(permission_error(_, _, _), _), true)),
    '$set_source_module'(M),
    ( Context == user -> true ; add_import_module(M, Context, start) ),
    retractall(unit(Unit, _, _)), retractall(one_test(Unit, _, _, _, _, _)),
    assertz(unit(Unit, M, Options)),
    assertz(open_unit(M, Unit, Context)),
    user:asserta('$package_expansion'(M, plunit:translate)).
end_tests(Unit) :-
    (   retract(open_unit(M, Unit, Context)) -> '$set_source_module'(Context)
    ;   context_error(Unit) ),
    user:retract('$package_expansion'(M, plunit:translate)), !.
context_error(Unit) :- throw(error(context_error(plunit_close(Unit, -)), _)).

translate((test(N) :- B), C) :- !, note(N, [], B, C).
translate((test(N, O) :- B), C) :- !, note(N, O, B, C).
translate(test(N), C) :- !, note(N, [], true, C).
translate(test(N, O), C) :- !, note(N, O, true, C).
note(Name, Options0, Body, []) :-
    '$source_module'(M), open_unit(M, Unit, _),
    ( '$load_position'(File, Line) -> true ; File = user, Line = 0 ),
    ( is_list(Options0) -> Options = Options0 ; Options = [Options0] ),
    assertz(one_test(Unit, M, Name, Options, Body, File:Line)).

run_tests :- run_tests(all).
run_tests(Spec, _) :- run_tests(Spec).
run_tests(Spec) :-
    retractall(count(_, _)),
    forall(member(K, [passed, failed, blocked, skipped, fixme]), assertz(count(K, 0))),
    findall(U-N, selected(Spec, U, N), Units),
    forall(member(U-N, Units), run_unit(U, N)),
    report,
    count(failed, 0).
selected(all, U, _) :- !, unit(U, _, _).
selected(Specs, U, N) :- is_list(Specs), !, member(S, Specs), selected(S, U, N).
selected(U:N, U, N) :- !, known(U).
selected(U, U, _) :- known(U).
known(U) :- ( unit(U, _, _) -> true ; existence_error(unit, U) ).

run_unit(U, Which) :-
    unit(U, M, Options),
    (   member(blocked(Why), Options) -> say(warning, 'unit ~w is blocked: ~w', [U, Why])
    ;   conditions(Options, M) -> run_tests_of(U, M, Options, Which)
    ;   true ).
run_tests_of(U, M, Options, Which) :-
    (   guarded(Options, setup, M, U)
    ->  forall(selected_test(U, Which, T), run_test(T)),
        ignore(guarded(Options, cleanup, M, U))
    ;   true ).
selected_test(U, Which, test(U, M, Name, Options, Body, Place)) :-
    one_test(U, M, Name, Options, Body, Place),
    ( var(Which) -> true ; is_list(Which) -> memberchk(Name, Which) ; Name = Which ).

% What a condition finds is for the test.
conditions([], _).
conditions([O|Os], M) :-
    ( nonvar(O), O = condition(G) -> once(catch(M:G, _, fail)) ; true ),
    conditions(Os, M).
guarded(Options, Kind, M, What) :-
    G =.. [Kind, Goal],
    (   member(G, Options), nonvar(Goal)
    ->  (   catch(M:Goal, E, true)
        ->  ( var(E) -> true ; failure(What, '~w raised ~q', [Kind, E]), fail )
        ;   failure(What, '~w failed', [Kind]), fail )
    ;   true ).

run_test(test(U, M, Name, Options, Body, Place)) :-
    (   member(forall(Generator), Options)
    ->  forall(M:Generator, run_one(U, M, Name, Options, Body, Place))
    ;   run_one(U, M, Name, Options, Body, Place) ).
run_one(U, M, Name, Options, Body, Place) :-
    What = at(U, Name, Place),
    (   member(blocked(Why), Options) -> add(blocked), say(warning, '~w:~w is blocked: ~w', [U, Name, Why])
    ;   conditions(Options, M) -> run_prepared(M, What, Options, Body)
    ;   add(skipped) ).
run_prepared(M, What, Options, Body) :-
    (   catch(expectation(Options, Expected), E, ( failure(What, '~q', [E]), fail ))
    ->  (   guarded(Options, setup, M, What)
        ->  limited_outcome(Expected, M, Body, Options, Result),
            ignore(guarded(Options, cleanup, M, What)),
            judge(Result, What, Options)
        ;   true )
    ;   true ).
judge(passed, _, Options) :- !, ( member(fixme(_), Options) -> add(fixme) ; add(passed) ).
judge(_, _, Options) :- member(fixme(_), Options), !, add(fixme).
judge(failed(Format, Args), What, _) :- failure(What, Format, Args).

% The outcome under the options that change how goals run.
limited_outcome(Expected, M, Body, Options, Result) :-
    (   member(occurs_check(Mode), Options)
    ->  current_prolog_flag(occurs_check, Old),
        setup_call_cleanup(set_prolog_flag(occurs_check, Mode), timed_outcome(Expected, M, Body, Options, Result), set_prolog_flag(occurs_check, Old))
    ;   timed_outcome(Expected, M, Body, Options, Result) ), !.
timed_outcome(Expected, M, Body, Options, Result) :-
    (   member(timeout(Seconds), Options), number(Seconds), Seconds > 0
    ->  catch(call_with_time_limit(Seconds, outcome(Expected, M, Body, Options, Result)), time_limit_exceeded, Result = failed('took more than ~w seconds', [Seconds]))
    ;   outcome(Expected, M, Body, Options, Result) ).

% What a test must do: the last option that says so.
expectation(Options, Expected) :-
    findall(I-E, ( nth1(I, Options, O), expects(O, E) ), Found),
    ( Found == [] -> Expected = true(true) ; last(Found, I-_), nth1(I, Options, O), expects(O, Expected) ),
    forall(member(O2, Options), ( known_option(O2) -> true ; domain_error(plunit_option, O2) )).
expects(true, true(true)).
expects(true(G), true(G)).
expects(A == B, true(A == B)).
expects(A = B, true(A = B)).
expects(A =@= B, true(A =@= B)).
expects(A =:= B, true(A =:= B)).
expects(A \== B, true(A \== B)).
expects(fail, fail).
expects(false, fail).
expects(throws(E), throws(E)).
expects(error(F), throws(error(F, _))).
expects(error(F, C), throws(error(F, C))).
expects(exception(E), throws(E)).
expects(all(C), all(C)).
expects(set(C), set(C)).
expects(bag(C), bag(C)).
known_option(O) :- var(O), !, instantiation_error(O).
known_option(O) :- expects(O, _), !.
known_option(nondet).
known_option(O) :- functor(O, N, 1), memberchk(N, [setup, cleanup, condition, forall, blocked, fixme, sto, occurs_check, timeout]).

outcome(true(Check), M, Body, Options, Result) :-
    (   catch(call_cleanup(M:Body, Det = true), E, true)
    ->  (   nonvar(E) -> Result = failed('raised ~q', [E])
        ;   \+ catch(M:Check, _, fail) -> Result = failed('the condition does not hold: ~q', [Check])
        ;   Det \== true, \+ memberchk(nondet, Options) -> add(choicepoint), Result = passed
        ;   Result = passed )
    ;   Result = failed('failed', []) ).
outcome(fail, M, Body, _, Result) :-
    (   catch(M:Body, E, true)
    ->  ( nonvar(E) -> Result = failed('raised ~q', [E]) ; Result = failed('succeeded, must fail', []) )
    ;   Result = passed ).
outcome(throws(Expected), M, Body, _, Result) :-
    (   catch(M:Body, E, true)
    ->  (   var(E) -> Result = failed('succeeded, must raise ~q', [Expected])
        ;   subsumes_term(Expected, E) -> Result = passed
        ;   Result = failed('raised ~q instead of ~q', [E, Expected]) )
    ;   Result = failed('failed, must raise ~q', [Expected]) ).
outcome(all(C), M, Body, _, Result) :- solutions(C, M, Body, keep, Result).
outcome(bag(C), M, Body, _, Result) :- solutions(C, M, Body, msort, Result).
outcome(set(C), M, Body, _, Result) :- solutions(C, M, Body, sort, Result).
solutions(C, M, Body, How, Result) :-
    C =.. [Op, T, Expected0],
    catch(findall(T, M:Body, Given0), E, true),
    (   nonvar(E) -> Result = failed('raised ~q', [E])
    ;   arranged(How, Given0, Given), arranged(How, Expected0, Expected),
        Test =.. [Op, Given, Expected],
        ( call(Test) -> Result = passed ; Result = failed('the answers are ~q, expected ~q', [Given, Expected]) ) ).
arranged(keep, L, L).
arranged(msort, L0, L) :- msort(L0, L).
arranged(sort, L0, L) :- sort(L0, L).

add(K) :- ( retract(count(K, N)) -> true ; N = 0 ), N1 is N + 1, assertz(count(K, N1)).
failure(What, Format, Args) :-
    add(failed),
    format(string(T), Format, Args),
    (   What = at(U, Name, F:L) -> say(error, '~w:~w: test ~w:~w: ~w', [F, L, U, Name, T])
    ;   say(error, 'unit ~w: ~w', [What, T]) ).
say(error, F, As) :- format(user_error, 'ERROR: ', []), format(user_error, F, As), nl(user_error).
say(warning, F, As) :- format(user_error, 'Warning: ', []), format(user_error, F, As), nl(user_error).
report :-
    count(passed, P), count(failed, F), count(blocked, B), count(fixme, X), count(skipped, S),
    (   F =:= 0, B =:= 0, X =:= 0, S =:= 0 -> format(user_error, '% All ~D tests passed~n', [P])
    ;   format(user_error, '% ~D tests passed, ~D failed, ~D blocked, ~D to be fixed, ~D skipped~n', [P, F, B, X, S]) ),
    ( count(choicepoint, C) -> format(user_error, '% ~D tests left choice points~n', [C]) ; true ).

load_test_files(_).
set_test_options(_).
running_tests.
test_report(_) :- throw(error(not_supported('test_report/1'), _)).
