//! Assertions as Ciao's manual describes them: who is checked when, and what cannot be checked is said at load.

mod support;

use stet_run::checks::{CheckSettings, TestFilter, TestVerdict};
use stet_run::{Answer, Config, MemoryHost, Request, open};
use support::{QUIET, Run, check};

/// Several `calls` assertions describe all calls together, with the preconditions of `pred`.
#[test]
fn calls_assertions_are_alternatives() {
    let program = "
:- calls c(A,B) : (var(A), var(B)).
:- calls c(A,B) : (nonvar(A), nonvar(B)).
c(_,_).
:- pred d(X) => int(X).
:- calls d(X) : int(X).
d(_).
:- pred e(X) : atm(X).
:- calls e(X) : int(X).
e(_).
:- calls f/1.
:- calls f(X) : int(X).
f(_).
";
    check(
        program,
        &[
            ("c(_,_)", "true"),
            ("c(a,b)", "true"),
            (
                "c(a,_)",
                "calls: (var(A),var(B)) ; (nonvar(A),nonvar(B)) / A = a, var(B)\ntrue",
            ),
            ("d(1)", "true"),
            (
                "d(a)",
                "calls: int(X) / X = a\nsuccess: int(X) / X = a\ntrue",
            ),
            ("e(a)", "true"),
            ("e(1)", "true"),
            ("e(_)", "calls: atm(X) ; int(X) / var(X)\ntrue"),
            ("f(a)", "true"),
        ],
    );
}

/// `entry` and `exit` are about calls from outside the module.
#[test]
fn entry_and_exit_are_about_calls_from_outside() {
    let program = "
:- entry walk(X) : list(X).
walk([]).
walk([_|T]) :- walk_on(T).
walk(end).
walk_on([]) :- walk(end).
walk_on([H|T]) :- walk([H|T]).
:- exit down(_,Y) => int(Y).
down(0,zero).
down(N,N) :- N > 0, M is N-1, down(M,_).
";
    check(
        program,
        &[
            ("walk([a])", "true"),
            ("walk(end)", "calls: list(X) / X = end\ntrue"),
            ("down(1,_)", "true"),
            ("down(0,_)", "success: int(Y) / Y = zero\ntrue"),
        ],
    );
}

const OUTSIDE: &str = "
:- module(m, [walk/1, loop/1], [assertions]).
:- pred walk(X) : list(X).
walk([]).
walk([_|T]) :- T = [] -> walk(end) ; walk(T).
walk(end).
:- pred loop(X) : int(X) + det.
loop(a) :- !.
loop(0) :- !, loop(a).
loop(N) :- M is N-1, loop(M).
";

/// With the level `exports`, calls inside the module are not checked, and calls by import and by name are.
#[test]
fn the_level_exports_is_about_calls_from_outside() {
    let run = |level: &str, goal: &str| {
        let mut run = Run::new(OUTSIDE, &QUIET, 0);
        run.goal(&format!("set_prolog_flag(rtchecks_level, {level})"));
        run.goal(&format!("use_module('/m.pl'), ({goal})"))
            .matches("calls:")
            .count()
    };
    assert_eq!(run("inner", "walk([a])"), 1);
    assert_eq!(run("exports", "walk([a])"), 0);
    assert_eq!(run("exports", "walk(end)"), 1);
    assert_eq!(run("exports", "m:walk(end)"), 1);
    assert_eq!(run("inner", "loop(3)"), 1);
    assert_eq!(run("exports", "loop(3)"), 0);
    assert_eq!(run("exports", "loop(a)"), 1);
}

/// Imports are told from calls inside, also if they were linked before.
#[test]
fn entries_are_checked_for_imports() {
    let mut host = MemoryHost::default();
    let module = "
:- module(q, [take/1, inside/0], [assertions]).
:- entry take(X) : int(X).
take(_).
inside :- take(a).
";
    let user = "
:- use_module(q).
by_import :- take(a).
by_name :- q:take(a).
";
    for (name, text) in [("/q.pl", module), ("/u.pl", user)] {
        host.files
            .insert(name.to_string(), text.as_bytes().to_vec());
    }
    let request = Request {
        config: Config {
            memory: 1 << 28,
            ..Config::standard()
        },
        checks: QUIET,
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    for (goal, expected) in [
        ("consult('/u.pl')", 0),
        ("by_import", 1),
        ("by_name", 2),
        ("inside", 2),
        ("q:inside", 2),
        ("take(1)", 2),
        ("call(take, b)", 3),
        ("rtchecks_off(q), by_import", 3),
        ("rtchecks_on(q), by_import", 4),
    ] {
        let answer = machine.run_goal(goal);
        assert!(matches!(answer, Answer::True(_)), "{goal}: {answer:?}");
        assert_eq!(machine.violations().len(), expected, "{goal}");
    }
}

/// What was compatible on entry is so on exit.
#[test]
fn compatibility_is_kept() {
    let program = "
:- pred binds(X) :: int(X).
binds(a).
:- pred partly(X) :: list(X,int).
partly([1|_]).
partly([a|_]).
:- pred mode(?int).
mode(a).
";
    check(
        program,
        &[
            ("binds(_)", "compat: int(X) / X = a\ntrue"),
            ("binds(a)", "compat: int(X) / X = a\ntrue"),
            (
                "findall(X, partly(X), [_,_])",
                "compat: list(X,int) / X = [a|_A]\ntrue",
            ),
            ("mode(_)", "success: int(A1) / A1 = a\ntrue"),
        ],
    );
}

/// A computation that ends in an exception has no answer and does not fail.
#[test]
fn exceptions_are_neither_success_nor_failure() {
    let program = "
:- pred n(X) + not_fails.
n(X) :- _ is X + 1.
:- pred f(X) + fails.
f(X) :- X > 0.
:- pred d(X) : int(X) + det.
d(X) :- throw(X).
:- pred i(X) + is_det.
i(X) :- throw(X).
:- pred e(X) + exception(a).
e(a) :- throw(a).
e(b) :- throw(b).
e(c).
e(c).
";
    let threw = "threw(error(type_error(evaluable,a/0),context(system:(is)/2,_A)))";
    check(
        program,
        &[
            ("n(1)", "true"),
            (
                "catch(n(a), error(_,_), true)",
                &format!("comp: not_fails / {threw}\ntrue"),
            ),
            ("f(-1)", "false"),
            (
                "catch(f(_), error(E,_), true)",
                "comp: fails / threw(error(instantiation_error,_A))\nE = instantiation_error",
            ),
            ("catch(d(1), 1, true)", "comp: det / threw(1)\ntrue"),
            ("catch(d(a), a, true)", "calls: int(X) / X = a\ntrue"),
            ("catch(i(1), 1, true)", "true"),
            ("catch(e(a), _, true)", "true"),
            (
                "catch(e(b), b, true)",
                "comp: exception(a) / threw(b)\ntrue",
            ),
            (
                "findall(x, e(c), L)",
                "comp: exception(a) / succeeded\nL = [x, x]",
            ),
        ],
    );
}

#[test]
fn numbers_and_lists_of_solutions() {
    let program = "
:- pred s(X) + solutions([1,2]).
s(1). s(2).
:- pred t(X) + solutions([1,2]).
t(1). t(3). t(4).
:- pred n(X) + num_solutions(even).
n(1). n(2). n(3).
even(N) :- 0 is N mod 2.
:- pred l(X) + leaves_choicepoints.
l(1). l(2).
";
    check(
        program,
        &[
            ("findall(X, s(X), L)", "L = [1, 2]"),
            ("s(1)", "comp: solutions([1,2]) / solutions([1])\ntrue"),
            ("t(3)", "comp: solutions([1,2]) / solutions([3])\ntrue"),
            (
                "findall(X, t(X), L)",
                "comp: solutions([1,2]) / solutions([1,3])\nL = [1, 3, 4]",
            ),
            ("n(1)", "comp: num_solutions(even) / answers(1)\ntrue"),
            (
                "findall(X, n(X), L)",
                "comp: num_solutions(even) / answers(3)\nL = [1, 2, 3]",
            ),
            (
                "findall(X, (n(X), X < 3), L)",
                "comp: num_solutions(even) / answers(3)\nL = [1, 2]",
            ),
            (
                "l(2)",
                "comp: leaves_choicepoints / no_choicepoints_left\ntrue",
            ),
            ("l(X), X == 1", "X = 1"),
        ],
    );
}

/// Variables that have become one are still different variables of the assertion.
#[test]
fn sharing_is_between_arguments() {
    let program = "
:- pred sh(X,Y,Z) : mshare([[X,Y],[Z]]).
sh(_,_,_).
:- pred one(X,Y) : mshare([[X]]).
one(_,_).
:- pred in(X,Y) : (instance(X,f(_)), indep(X,Y)).
in(_,_).
:- pred co(X) : compat(X,int) => inst(X,int).
co(_).
:- pred li(X) : compat(X,list(int)).
li(_).
";
    check(
        program,
        &[
            ("sh(A,A,_)", "true"),
            ("sh(a,b,c)", "true"),
            (
                "sh(A,A,A)",
                "calls: mshare([[X,Y],[Z]]) / var(X), var(Y), var(Z)\ntrue",
            ),
            ("one(_,a)", "true"),
            ("one(a,_)", "calls: mshare([[X]]) / X = a\ntrue"),
            ("in(f(1),_)", "true"),
            (
                "in(_,_)",
                "calls: (instance(X,f(_2)),indep(X,Y)) / var(X), var(Y)\ntrue",
            ),
            ("co(1)", "true"),
            ("co(_)", "success: inst(X,int) / var(X)\ntrue"),
            ("co(a)", "calls: compat(X,int) / X = a\ntrue"),
            ("li([_|_])", "true"),
            ("li([_|a])", "calls: compat(X,list(int)) / X = [_A|a]\ntrue"),
        ],
    );
}

#[test]
fn several_properties_of_one_argument() {
    check(
        ":- pred p(A,B) : {int, nonvar} * atm.\np(_,_).\n:- pred q(A) : {list, gnd}.\nq(_).\n",
        &[
            ("p(1,a)", "true"),
            (
                "p(_,a)",
                "calls: (int(A),nonvar(A),atm(B)) / var(A), B = a\ntrue",
            ),
            ("q([a])", "true"),
            ("q([_])", "calls: (list(A),gnd(A)) / A = [_A]\ntrue"),
        ],
    );
}

/// The package `basicmodes` reads properties in modes as compatibility.
#[test]
fn modes_of_both_packages() {
    let program = |packages: &str| {
        format!(
            ":- module(m, [], [assertions, {packages}]).\n:- pred p(+list(int), -int).\np(_, a).\n"
        )
    };
    let goal = |packages: &str, goal: &str| Run::new(&program(packages), &QUIET, 0).goal(goal);
    assert_eq!(
        goal("isomodes", "m:p([_],_)"),
        "calls: (list(int,A1),var(A2)) / A1 = [_A], var(A2)\ntrue"
    );
    assert_eq!(
        goal("basicmodes", "m:p([_],_)"),
        "compat: (list(int,A1),int(A2)) / A1 = [_A], A2 = a\ntrue"
    );
    assert_eq!(
        goal("basicmodes", "m:p(_,_)"),
        "calls: (nonvar(A1),var(A2)) / var(A1), var(A2)\n\
         compat: (list(int,A1),int(A2)) / var(A1), A2 = a\ntrue"
    );
    assert_eq!(
        goal("basicmodes, isomodes", "m:p([1],_)"),
        "success: int(A2) / A2 = a\ntrue"
    );
}

/// Arguments a property cannot be checked with are errors at load.
#[test]
fn wrong_arguments_of_computational_properties() {
    let settings = CheckSettings { ..QUIET };
    for (property, wanted) in [
        (
            "num_solutions(-1)",
            "needs a number of answers, or a property of it",
        ),
        (
            "num_solutions(X)",
            "needs a number of answers, or a property of it",
        ),
        ("relations(many)", "needs a number of answers"),
        ("cardinality(1,few)", "needs a number of answers"),
        ("solutions(one)", "needs a list"),
        ("exceptions(e)", "needs a list"),
        ("user_output(f(x))", "needs a text"),
    ] {
        let program =
            format!(":- module(m, [], [assertions]).\n:- pred p(X) + {property}.\np(_).\n");
        let run = Run::new(&program, &settings, 0);
        let problems = run.machine.load_problems();
        assert!(
            problems
                .iter()
                .any(|p| p.error && p.message.contains(wanted)),
            "{property}: {problems:?}"
        );
    }
    for property in [
        "num_solutions(2)",
        "num_solutions(even)",
        "cardinality(1,inf)",
    ] {
        let program = format!(
            ":- module(m, [], [assertions]).\n:- pred p(X) + {property}.\np(_).\neven(_).\n"
        );
        let run = Run::new(&program, &settings, 0);
        assert_eq!(run.machine.load_problems(), [], "{property}");
    }
}

/// The package `nortchecks` turns the checks of a module off.
#[test]
fn modules_without_checks() {
    let program = ":- module(m, [], [assertions, nortchecks]).\n:- pred p(X) : int(X).\np(_).\n";
    assert_eq!(Run::new(program, &QUIET, 0).goal("m:p(a)"), "true");
}

/// Properties of tests that numbers of answers do not decide were taken for true.
#[test]
fn every_property_of_a_test_is_checked() {
    let program = "
:- module(m, [], [assertions]).
:- test n(X) + solutions([1,2]) # \"ok\".
:- test n(X) + solutions([1]) # \"more\".
:- test n(X) + solutions([1,2,3]) # \"fewer\".
:- test n(X) + num_solutions(even) # \"ok\".
:- test n(X) : (X = 1) + num_solutions(even) # \"odd\".
:- test n(X) : (X = 2) + no_choicepoints # \"ok\".
:- test n(X) : (X = 2) + leaves_choicepoints # \"none\".
:- test n(X) + not_further_inst(X) # \"bound\".
:- test n(X) : (X = 1) + exceptions([a]) # \"no exception\".
n(1). n(2).
even(N) :- 0 is N mod 2.
";
    let mut run = Run::new(program, &QUIET, 0);
    for (_, result) in run.machine.run_test_assertions(&TestFilter::default()) {
        let passed = result.verdict == TestVerdict::Passed;
        let expected = result.text.as_deref() == Some("ok");
        assert_eq!(passed, expected, "{:?}: {:?}", result.text, result.verdict);
    }
}

/// What an included file asserts is checked, and so is what several files assert of one predicate.
#[test]
fn assertions_of_several_files() {
    let mut host = MemoryHost::default();
    let main = "
:- module(m, [], [assertions]).
:- include(inc).
:- use_module(library(lists)).
:- pred last(L,_) : list(L,int).
:- pred own(X) : int(X).
own(_).
";
    let included = "
:- pred inc(X) : atm(X).
inc(_).
:- regtype flag/1.
flag(on). flag(off).
:- pred set(X) : flag(X).
set(_).
";
    let part = |kind: &str, value: &str| {
        format!(
            ":- use_package(assertions).\n:- multifile h/1.\n:- pred h(X) : {kind}(X).\nh({value}).\n"
        )
    };
    for (name, text) in [
        ("/m.pl", main.to_string()),
        ("/inc.pl", included.to_string()),
        ("/one.pl", part("int", "1")),
        ("/two.pl", part("atm", "a")),
    ] {
        host.files.insert(name.to_string(), text.into_bytes());
    }
    let request = Request {
        config: Config {
            memory: 1 << 28,
            ..Config::standard()
        },
        checks: QUIET,
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    for (goal, expected) in [
        ("consult('/m.pl')", 0),
        ("m:inc(a), m:set(on), m:own(1)", 0),
        ("m:inc(1)", 1),
        ("m:set(onn)", 2),
        // Told once, also if the call is the first.
        ("m:last([a],_)", 3),
        ("consult('/one.pl'), consult('/two.pl')", 3),
        ("h(1), h(a)", 3),
        ("\\+ h(f(x))", 4),
        ("consult('/one.pl'), h(1), h(a)", 4),
    ] {
        let answer = machine.run_goal(goal);
        assert!(matches!(answer, Answer::True(_)), "{goal}: {answer:?}");
        assert_eq!(machine.violations().len(), expected, "{goal}");
    }
    assert_eq!(machine.violations()[0].file, "/m.pl");
    assert_eq!(machine.violations()[3].file, "/one.pl");
    assert_eq!(machine.load_problems(), []);
}

/// Properties that are predicates are called only if their answer matters.
#[test]
fn properties_that_do_not_matter_are_not_called() {
    let program = "
:- success p(X) : int(X) => (X > 0).
p(_).
:- success w(X) : int(X) => noisy(X).
w(_).
:- prop noisy/1.
noisy(X) :- write(X).
:- calls q(X) : (int(X), X > 0).
:- calls q(X) : atm(X).
q(_).
:- success r(X) : int(X).
:- success r(X) : (X > 1) => int(X).
r(_).
";
    check(
        program,
        &[
            ("p(f(x))", "true"),
            ("p(-1)", "success: X>0 / X = -1\ntrue"),
            ("w(a)", "true"),
            ("w(1)", "true"),
            ("q(a)", "true"),
            ("q(0)", "calls: (int(X),X>0) ; atm(X) / X = 0\ntrue"),
            ("q(f(x))", "calls: (int(X),X>0) ; atm(X) / X = f(x)\ntrue"),
        ],
    );
    let text = format!("{}{program}", support::HEADER);
    let mut run = Run::new(&text, &QUIET, 0);
    assert_eq!(run.goal("m:w(a), m:w(1)"), "true");
    assert_eq!(run.written(), "1");
    run.goal("m:r(x)");
    let place = run
        .machine
        .violations()
        .first()
        .and_then(|found| found.place);
    assert_eq!(place.map(|place| place.lines), Some((13, 13)));
}

/// A property that stands in the postconditions of several assertions is called if one of their preconditions held: every pair of
/// assertions, compared with what they say one by one.
#[test]
fn properties_of_several_postconditions_are_called_for_each() {
    type Holds = fn(&str) -> bool;
    let pres: [(&str, Holds); 3] = [
        ("int(X)", |x| x != "a" && x != "1.5"),
        ("num(X)", |x| x != "a"),
        ("atm(X)", |x| x == "a"),
    ];
    let posts: [(&str, Holds); 3] = [
        ("even(X)", |x| x == "2"),
        ("(int(X), even(X))", |x| x == "2"),
        ("(even(X) ; X == a)", |x| x == "2" || x == "a"),
    ];
    let mut program = "
:- prop even/1.
even(X) :- integer(X), 0 is X mod 2.
"
    .to_owned();
    let each = || {
        pres.iter()
            .flat_map(|pre| posts.iter().map(move |post| (pre, post)))
    };
    let pairs: Vec<_> = each().flat_map(|a| each().map(move |b| [a, b])).collect();
    for (n, pair) in pairs.iter().enumerate() {
        for (pre, post) in pair {
            program += &format!(":- success p{n}(X) : {} => {}.\n", pre.0, post.0);
        }
        program += &format!("p{n}(_).\n");
    }
    let mut run = Run::new(&format!("{}{program}", support::HEADER), &QUIET, 0);
    for (n, pair) in pairs.iter().enumerate() {
        for value in ["2", "3", "1.5", "a"] {
            let said = run.goal(&format!("m:p{n}({value})"));
            assert!(said.ends_with("true"), "p{n}({value}): {said}");
            let is_wrong =
                |(pre, post): &(&(&str, Holds), &(&str, Holds))| pre.1(value) && !post.1(value);
            let expected = pair.iter().filter(|assertion| is_wrong(assertion)).count();
            let found = said.matches("success: ").count();
            assert_eq!(found, expected, "p{n}({value}): {said}");
        }
    }
}
