//! Violations, statistics, tests and the transformed program, as text and as JSON.

use super::check;
use expect_test::expect;
use stet_tests::Sandbox;

/// [RTC Example 1].
const EXAMPLE_1: &str = "\
:- module(ex1, [p/2], [assertions, regtypes, rtchecks]).
:- pred p(X,Y) : (int(X), var(Y)) => (int(X), int(Y)).
:- pred p(X,Y) : (int(X), var(Y)) => (int(X), atm(Y)).
:- pred p(X,Y) : (atm(X), var(Y)) => (atm(X), atm(Y)).
p(1,42). p(2,gamma). p(a,alpha).
";

/// [RTC Example 2] and the list of [RTC §3].
const TREES: &str = "\
:- module(trees, [grow/2, len/2], [assertions, regtypes, rtchecks]).

:- regtype bintree/2.
bintree(empty, _).
bintree(tree(L, X, R), T) :- bintree(L, T), T(X), bintree(R, T).

:- pred grow(T0, T) : bintree(T0, int) => bintree(T, int).
grow(T, tree(T, 1, empty)).

:- pred len(L, N) : list(L) => int(N).
len([], 0).
len([_|T], N) :- len(T, M), N is M + 1.

times(0, T, T) :- !.
times(N, T0, T) :- grow(T0, T1), N1 is N - 1, times(N1, T1, T).
";

fn sandbox() -> Sandbox {
    Sandbox::new()
        .file("ex1.pl", EXAMPLE_1)
        .file("trees.pl", TREES)
}

#[test]
fn the_transformed_program_of_example_1() {
    check(
        &sandbox().run(&["run", "--print-checks", "ex1.pl"]),
        &expect![[]],
    );
}

#[test]
fn a_violation_names_place_property_and_bindings() {
    check(
        &sandbox().run(&["run", "ex1.pl", "-g", "p(1,Y), write(Y), nl", "-t", "halt"]),
        &expect![[]],
    );
}

#[test]
fn violations_in_json_have_spans() {
    let outcome = sandbox().run(&[
        "run", "--format", "json", "ex1.pl", "-g", "p(1,_)", "-t", "halt",
    ]);
    assert_eq!(outcome.code, Some(2));
    let found = &outcome.json()["diagnostics"][0];
    expect![[]].assert_eq(&format!("{found:#}\n"));
}

#[test]
fn exit_codes() {
    let sandbox = sandbox();
    let code = |goal: &str| {
        sandbox
            .run(&["run", "ex1.pl", "-g", goal, "-t", "halt"])
            .code
    };
    assert_eq!(code("p(a,_)"), Some(0));
    assert_eq!(code("fail"), Some(1));
    assert_eq!(code("throw(x)"), Some(2));
    assert_eq!(code("p(1,_)"), Some(2), "a violated assertion");
    assert_eq!(code("p(1,_), fail"), Some(2), "also when the goal fails");
    assert_eq!(code("halt(7)"), Some(7));
    assert_eq!(code("save_rtchecks(p(1,_), [_])"), Some(0), "taken care of");
    let caught = "'$rtc_action'(_,throw), catch(p(1,_), rtcheck(success,_,_,_,_,_), true)";
    assert_eq!(code(caught), Some(0));
    assert_eq!(code("'$rtc_action'(_,throw), p(1,_)"), Some(2));
}

#[test]
fn caught_violations_are_terms() {
    check(
        &sandbox().run(&[
            "run",
            "ex1.pl",
            "-g",
            "'$rtc_action'(_,throw), catch(p(b,c), E, (print(E), nl)), catch(p(2,_), F, (print(F), nl))",
            "-t",
            "halt",
        ]),
        &expect![[]],
    );
}

#[test]
fn statistics_as_text() {
    let outcome = sandbox().run(&[
        "run",
        "--stats",
        "trees.pl",
        "-g",
        "trees:times(20,empty,_), len([a,b,c],_)",
        "-t",
        "halt",
    ]);
    assert_eq!(outcome.code, Some(0));
    // What the engine counts besides is not the matter here.
    let text: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| !line.contains("inferences"))
        .collect();
    expect![[]].assert_eq(&format!("{}\n", text.join("\n")));
}

#[test]
fn statistics_as_json() {
    let outcome = sandbox().run(&[
        "run",
        "--format",
        "json",
        "--stats",
        "trees.pl",
        "-g",
        "trees:times(20,empty,_), len([a,b,c],_)",
        "-t",
        "halt",
    ]);
    let json = outcome.json();
    expect![[]].assert_eq(&format!("{:#}\n", json["statistics"]));
}

#[test]
fn test_assertions_are_run() {
    let program = "\
:- module(t, [app/3], [assertions]).
:- test app(A,B,C) : (A = [1,2], B = [3]) => (C == [1,2,3]) # \"joins\".
:- test app(A,B,C) : (A = [1], B = []) => (C == [2]) # \"is wrong\".
:- test half(X,_) : (X = 3) + fails.
:- test half(X,_) : (X = a) + exception(error(type_error(_,_),_)).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
half(X, Y) :- 0 is X mod 2, Y is X // 2.
";
    let sandbox = Sandbox::new().file("t.pl", program);
    check(&sandbox.run(&["run", "--test", "t.pl"]), &expect![[]]);
    let right = program.replace("C == [2]", "C == [1]");
    sandbox.write("t.pl", right);
    let outcome = sandbox.run(&["run", "--test", "t.pl"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.summary());
}
