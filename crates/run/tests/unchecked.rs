//! Properties that raise exceptions, types that follow the database, counters that leave the cache alone.

mod support;

use support::{HEADER, QUIET, Run, check};

/// An exception inside a property leaves the condition undecided: it is reported, and is no violation.
#[test]
fn exceptions_in_properties_are_not_violations() {
    let program = "
:- prop bad/1.
bad(X) :- Y is X + 1, Y > 0.
:- pred s(X) : bad(X).
s(_).
:- pred t(X) => bad(X).
t(_).
:- pred u(X) : (bad(X) ; atm(X)).
u(_).
point(X) :- check(bad(X)).
:- prop slow/1.
slow(_) :- slow(_).
:- pred v(X) : slow(X).
v(_).
";
    check(
        program,
        &[
            ("s(1)", "true"),
            ("s(-5)", "calls: bad(X) / X = -5\ntrue"),
            (
                "s(a)",
                "property: bad(a) / error(type_error(evaluable,a/0),context(system:(is)/2,_A))\ntrue",
            ),
            (
                "t(a)",
                "property: bad(a) / error(type_error(evaluable,a/0),context(system:(is)/2,_A))\ntrue",
            ),
            (
                "u(a)",
                "property: bad(a) / error(type_error(evaluable,a/0),context(system:(is)/2,_A))\ntrue",
            ),
            (
                "point(a)",
                "property: bad(a) / error(type_error(evaluable,a/0),context(system:(is)/2,_A))\ntrue",
            ),
            ("call_with_time_limit(0.05, v(1))", "time_limit_exceeded"),
        ],
    );
}

#[test]
fn dynamic_types_follow_the_database() {
    let program = "
:- dynamic colour/1.
:- regtype colour/1.
colour(red).
:- regtype pair/1.
pair(p(X)) :- colour(X).
:- pred paint(X) : colour(X).
paint(_).
:- pred wrap(X) : pair(X).
wrap(_).
add(X) :- assertz(colour(X)).
";
    check(
        program,
        &[
            ("paint(red)", "true"),
            ("paint(blue)", "calls: colour(X) / X = blue\ntrue"),
            ("wrap(p(blue))", "calls: pair(X) / X = p(blue)\ntrue"),
            ("add(blue)", "true"),
            ("paint(blue)", "true"),
            ("wrap(p(blue))", "true"),
        ],
    );
}

/// A deterministic computation under `+ det` keeps cached answers and leaves no choice points.
#[test]
fn determinacy_checks_keep_the_cache() {
    let program = "
:- regtype tree/1.
tree(e).
tree(n(L,X,R)) :- tree(L), int(X), tree(R).
:- pred ins(X, T0, T) : (int(X), tree(T0)) => tree(T) + (det, no_choicepoints).
ins(X, e, n(e,X,e)).
ins(X, n(L,Y,R), T) :- ( X < Y -> ins(X, L, L1), T = n(L1,Y,R) ; ins(X, R, R1), T = n(L,Y,R1) ).
build(N, T) :- build(N, e, T, 1).
build(0, T, T, _) :- !.
build(N, T0, T, S) :-
    S1 is (S * 1103515245 + 12345) /\\ 0x7fffffff,
    ins(S1, T0, T1), N1 is N-1, build(N1, T1, T, S1).
:- pred two(X) + det.
two(1).
two(2).
:- pred none(X) + not_fails.
none(_) :- fail.
";
    let mut run = Run::new(&format!("{HEADER}{program}"), &QUIET, 0);
    assert_eq!(run.goal("m:build(2000,_)"), "true");
    let stats = run.machine.check_stats();
    assert!(stats.visits < 12 * stats.checks, "{stats:?}");
    check(
        program,
        &[
            ("two(_), fail", "comp: det / answers(2)\nfalse"),
            ("none(1)", "comp: not_fails / answers(0)\nfalse"),
        ],
    );
}

#[test]
fn more_computational_properties() {
    let program = "
three(1). three(2). three(3).
:- pred a(X) + cardinality(1,2).
a(X) :- three(X).
:- pred b(X) + non_det.
b(1).
:- pred c + user_output(\"hi\").
c :- write(ho).
:- pred d(X) + throws(oops).
d(_).
:- pred e(X) + possible_exceptions([a,b]).
e(X) :- throw(X).
:- pred f(X) + no_choicepoints.
f(X) :- three(X).
:- pred g(X,Y) => indep(X,Y).
g(_,_).
:- pred h(X) => nonground(X).
h(_).
:- pred i(-,?).
i(1,_).
";
    check(
        program,
        &[
            ("a(_), fail", "comp: cardinality(1,2) / answers(3)\nfalse"),
            ("b(_)", "comp: non_det / answers(1)\ntrue"),
            ("c", "comp: user_output([104,105]) / written(\"ho\")\ntrue"),
            ("d(1)", "comp: throws(oops) / succeeded\ntrue"),
            ("catch(e(a),a,true)", "true"),
            (
                "catch(e(z),z,true)",
                "comp: possible_exceptions([a,b]) / threw(z)\ntrue",
            ),
            ("f(_), !", "comp: no_choicepoints / choicepoints_left\ntrue"),
            (
                "g(f(A),A), var(A)",
                "success: indep(X,Y) / X = f(Y), var(Y)\ntrue",
            ),
            ("h(1)", "success: nonground(X) / X = 1\ntrue"),
            ("i(2,_), !", "calls: var(A1) / A1 = 2\nfalse"),
        ],
    );
}
