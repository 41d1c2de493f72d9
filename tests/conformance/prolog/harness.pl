% Runs one conformance case: conformance(GoalText, ExpectationText).
%
% The expectation is one of
%   yes, no          the goal succeeds, fails
%   err(E)           it throws error(E1,_) where E1 is an instance of E
%   ball(B)          it throws an instance of B
%   out(Atom)        it succeeds and writes exactly this
%   all(T, List)     the instances of T over all answers, as a variant
%   syntax           the goal's text is no term
%   any other goal   is called after the first answer, sharing its variables
%
% Prints ok, or what happened instead.

conformance(GoalText, ExpectText) :-
    catch(conformance_outcome(GoalText, ExpectText, Outcome), Ball,
          Outcome = harness_threw(Ball)),
    (   Outcome == ok
    ->  write(ok)
    ;   writeq(Outcome)
    ),
    nl.

conformance_outcome(GoalText, 'syntax', Outcome) :- !,
    (   catch(read_case(GoalText, Term), error(syntax_error(_), _), fail)
    ->  Outcome = read(Term)
    ;   Outcome = ok
    ).
conformance_outcome(GoalText, ExpectText, Outcome) :-
    atom_concat('(', GoalText, A1),
    atom_concat(A1, ' ) - (', A2),
    atom_concat(A2, ExpectText, A3),
    atom_concat(A3, ' )', Text),
    read_case(Text, Goal - Expect),
    conformance_run(Expect, Goal, Outcome).

read_case(Text, Term) :-
    term_to_atom(Term, Text).

conformance_run(err(E), Goal, Outcome) :- !,
    conformance_catch(Goal, Result),
    (   Result = threw(error(E1, _)), subsumes_term(E, E1)
    ->  Outcome = ok
    ;   Outcome = Result
    ).
conformance_run(ball(B), Goal, Outcome) :- !,
    conformance_catch(Goal, Result),
    (   Result = threw(B1), subsumes_term(B, B1)
    ->  Outcome = ok
    ;   Outcome = Result
    ).
conformance_run(yes, Goal, Outcome) :- !,
    conformance_catch(Goal, Result),
    (   Result == succeeded -> Outcome = ok ; Outcome = Result ).
conformance_run(no, Goal, Outcome) :- !,
    conformance_catch(Goal, Result),
    (   Result == failed -> Outcome = ok ; Outcome = Result ).
conformance_run(out(Text), Goal, Outcome) :- !,
    with_output_to(atom(Written), conformance_catch(Goal, Result)),
    (   Result \== succeeded -> Outcome = Result
    ;   Written == Text -> Outcome = ok
    ;   Outcome = wrote(Written)
    ).
conformance_run(all(Template, Expected), Goal, Outcome) :- !,
    catch((findall(Template, Goal, Found), Result = found), Ball, Result = threw(Ball)),
    (   Result \== found -> Outcome = Result
    ;   conformance_variant(Found, Expected) -> Outcome = ok
    ;   Outcome = found(Found)
    ).
conformance_run(Check, Goal, Outcome) :-
    conformance_catch(Goal, Result),
    (   Result \== succeeded -> Outcome = Result
    ;   catch(Check, Ball, (Outcome = check_threw(Ball)))
    ->  ( var(Outcome) -> Outcome = ok ; true )
    ;   Outcome = answer(Goal)
    ).

conformance_catch(Goal, Result) :-
    catch((call(Goal) -> Result = succeeded ; Result = failed), Ball, Result = threw(Ball)).

conformance_variant(A, B) :-
    subsumes_term(A, B),
    subsumes_term(B, A).
