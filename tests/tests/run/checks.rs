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
        &expect![[r#"
            exit 0
            --- stdout
            p(X,Y) :-
                p_c(X,Y,R3,R4),
                'p\''(X,Y),
                p_s(X,Y,R3,R4).

            p_c(X,Y,R3,R4) :-
                reify_check(atm(X),R0),
                reify_check(int(X),R1),
                reify_check(var(Y),R2),
                R3 is R1/\R2,
                R4 is R0/\R2,
                Rc is R3\/R4,
                error_if_false(Rc).

            p_s(X,Y,R3,R4) :-
                reify_check(atm(X),R5),
                reify_check(int(X),R6),
                reify_check(atm(Y),R7),
                reify_check(int(Y),R8),
                Rs is (R3#1\/(R6/\R8)) /\ (R3#1\/(R6/\R7)) /\ (R4#1\/(R5/\R7)),
                error_if_false(Rs).

            'p\''(1,42).
            'p\''(2,gamma).
            'p\''(a,alpha).
        "#]],
    );
}

#[test]
fn a_violation_names_place_property_and_bindings() {
    check(
        &sandbox().run(&["run", "ex1.pl", "-g", "p(1,Y), write(Y), nl", "-t", "halt"]),
        &expect![[r#"
            exit 2
            --- stdout
            42
            --- stderr
            {In ex1.pl
            ERROR: (lns 3-3) ex1:p(X,Y) run-time check failure.
              Requires in *success*:
                (int(X),atm(Y))
              But instead:
                Y = 42
              (clauses: lns 5-5)
            }
        "#]],
    );
}

#[test]
fn violations_in_json_have_spans() {
    let outcome = sandbox().run(&[
        "run", "--format", "json", "ex1.pl", "-g", "p(1,_)", "-t", "halt",
    ]);
    assert_eq!(outcome.code, Some(2));
    let found = &outcome.json()["diagnostics"][0];
    expect![[r#"
        {
          "code": "run/assertion",
          "message": "run-time check failure of ex1:p(X,Y): requires in *success*: (int(X),atm(Y))",
          "notes": [
            "but instead: Y = 42"
          ],
          "path": [],
          "primary": {
            "end": {
              "column": 55,
              "line": 3,
              "offset": 166
            },
            "file": "ex1.pl",
            "message": "this assertion",
            "start": {
              "column": 1,
              "line": 3,
              "offset": 112
            }
          },
          "provenance": {
            "cached": false
          },
          "related": [
            {
              "end": {
                "column": 33,
                "line": 5,
                "offset": 254
              },
              "file": "ex1.pl",
              "message": "the clauses",
              "start": {
                "column": 1,
                "line": 5,
                "offset": 222
              }
            }
          ],
          "severity": "error"
        }
    "#]]
    .assert_eq(&format!("{found:#}\n"));
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
        &expect![[r#"
            exit 0
            --- stdout
            rtcheck(calls,ex1:p(b,c),['X'=b,'Y'=c],[(int(b),var(c);atm(b),var(c))],['X'=b,'Y'=c],[asrloc(loc('ex1.pl',2,2)),pploc(loc('ex1.pl',5,5))])
            rtcheck(success,ex1:p(2,gamma),['X'=2,'Y'=gamma],[int(gamma)],['Y'=gamma],[asrloc(loc('ex1.pl',2,2)),pploc(loc('ex1.pl',5,5))])
        "#]],
    );
}

#[test]
fn statistics_as_text() {
    let outcome = sandbox().run(&[
        "run",
        "--stats",
        "--analysis",
        "off",
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
        .filter(|line| !line.contains("inferences") && !line.contains("heap bytes"))
        .collect();
    expect![[r#"
        % checks          48
        % visits          63
        % hits            39
        % insertions      23
        % evictions       15
        % invalidations   0
        % flushes         1
        % max_depth       3
        % violations      0
        % cache bytes     96
        %   trees:grow/2            20 entries, 20 exits, 0 violations
        %     lns 7-7               40 checks, 58 visits, 38 hits, max_depth 2, 0 violations
        %   trees:len/2             4 entries, 4 exits, 0 violations
        %     lns 10-10             8 checks, 5 visits, 1 hits, max_depth 3, 0 violations
    "#]]
    .assert_eq(&format!("{}\n", text.join("\n")));
}

#[test]
fn statistics_as_json() {
    let outcome = sandbox().run(&[
        "run",
        "--format",
        "json",
        "--stats",
        "--analysis",
        "off",
        "trees.pl",
        "-g",
        "trees:times(20,empty,_), len([a,b,c],_)",
        "-t",
        "halt",
    ]);
    let mut json = outcome.json();
    let statistics = json["statistics"].as_object_mut().unwrap();
    assert!(statistics.remove("heap_bytes").is_some());
    expect![[r#"
        {
          "cache_bytes": 96,
          "checks": {
            "checks": 48,
            "evictions": 15,
            "flushes": 1,
            "hits": 39,
            "insertions": 23,
            "invalidations": 0,
            "max_depth": 3,
            "violations": 0,
            "visits": 63
          },
          "predicates": [
            {
              "assertions": [
                {
                  "checks": 40,
                  "file": "trees.pl",
                  "hits": 38,
                  "lines": [
                    7,
                    7
                  ],
                  "max_depth": 2,
                  "violations": 0,
                  "visits": 58
                }
              ],
              "entries": 20,
              "exits": 20,
              "predicate": "trees:grow/2",
              "violations": 0
            },
            {
              "assertions": [
                {
                  "checks": 8,
                  "file": "trees.pl",
                  "hits": 1,
                  "lines": [
                    10,
                    10
                  ],
                  "max_depth": 3,
                  "violations": 0,
                  "visits": 5
                }
              ],
              "entries": 4,
              "exits": 4,
              "predicate": "trees:len/2",
              "violations": 0
            }
          ]
        }
    "#]]
    .assert_eq(&format!("{:#}\n", json["statistics"]));
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
    check(
        &sandbox.run(&["run", "--test", "t.pl"]),
        &expect![[r#"
        exit 1
        --- stdout
        t.pl: (lns 2-2) t:app/3: joins: passed
        error[run/test]: t.pl: (lns 3-3) t:app/3: is wrong: postcondition
         --> t.pl:3:1
          |
        3 | :- test app(A,B,C) : (A = [1], B = []) => (C == [2]) # "is wrong".
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

        t.pl: (lns 4-4) t:half/2: test: passed
        t.pl: (lns 5-5) t:half/2: test: passed
        4 tests, 1 failed
    "#]],
    );
    let right = program.replace("C == [2]", "C == [1]");
    sandbox.write("t.pl", right);
    let outcome = sandbox.run(&["run", "--test", "t.pl"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.summary());
}

/// What is wrong or not checked is said at load, and an error changes the exit code.
#[test]
fn wrong_assertions_are_errors_at_load() {
    let program = "\
:- module(a, [p/1, q/1, r/1], [assertions, nosuchpackage]).
:- pred p(X) : itn(X).
p(_).
:- pred q(X) : list(itn, X) + steps_ub(3).
q(_).
:- pred r(X) + foo_bar.
r(_).
:- pred nope(X) : int(X).
";
    let sandbox = Sandbox::new().file("a.pl", program);
    check(
        &sandbox.run(&["run", "a.pl", "-g", "p(1), q(1), r(1)", "-t", "halt"]),
        &expect![[r#"
            exit 2
            --- stderr
            ERROR: a.pl:1: package `nosuchpackage` does not exist
            ERROR: a.pl:1: source_sink `library(nosuchpackage)` does not exist
            ERROR: a.pl:2: property itn/1 in the assertion on p/1 is not defined; the assertion is not checked
            ERROR: a.pl:4: property itn/1 in the assertion on q/1 is not defined; the assertion is not checked
            Warning: a.pl:4: computational property steps_ub/1 of q/1 is not checked
            ERROR: a.pl:6: computational property foo_bar/0 of r/1 does not exist; the assertion is not checked
            ERROR: a.pl:8: assertion on nope/1, which is not defined in module a
        "#]],
    );
    sandbox.write(
        "b.pl",
        ":- module(b, [p/1], [assertions]).\n:- pred p(X) : int(X) : atm(X).\np(_).\n",
    );
    let outcome = sandbox.run(&["run", "b.pl", "-g", "true", "-t", "halt"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    sandbox.write(
        "w.pl",
        ":- module(w, [p/1], [assertions]).\n:- pred p(X) + steps_ub(3).\np(_).\n",
    );
    let outcome = sandbox.run(&["run", "w.pl", "-g", "p(1)", "-t", "halt"]);
    assert_eq!(
        outcome.code,
        Some(0),
        "not checked is a warning: {}",
        outcome.summary()
    );
}

const TESTS: &str = "\
:- module(t, [three/1, out/0, own/1, loop/0], [assertions]).
:- pred own(X) : int(X).
own(_).
three(1). three(2). three(3).
out :- write(user_output, hello), nl.
loop :- loop.
:- dynamic ready/0.
need :- ready.
";

fn verdict_of(test: &str) -> (Option<i32>, String) {
    let sandbox = Sandbox::new().file("t.pl", format!("{TESTS}{test}\n"));
    let outcome = sandbox.run(&["run", "--test", "--format", "concise", "t.pl"]);
    let line = outcome
        .stdout
        .lines()
        .find_map(|line| {
            line.split("/test: ")
                .nth(1)
                .or_else(|| line.split(": test: ").nth(1))
        })
        .unwrap_or(&outcome.stdout)
        .to_string();
    (outcome.code, line)
}

/// Tests pass only if they hold.
#[test]
fn a_test_passes_only_if_it_holds() {
    for (test, code, verdict) in [
        (":- test three(X) + num_solutions(3).", 0, "passed"),
        (
            ":- test three(X) + num_solutions(4).",
            1,
            "num_solutions(4)-answers(3)",
        ),
        (
            ":- test three(X) + num_solutions(2).",
            1,
            "num_solutions(2)-answers(3)",
        ),
        (":- test three(X) + det.", 1, "det-answers(2)"),
        (":- test three(X) : (X = 2) + det.", 0, "passed"),
        (":- test out + user_output(\"hello\\n\").", 0, "passed"),
        (
            ":- test out + user_output(\"bye\").",
            1,
            "user_output(\"hello\\n\")",
        ),
        (
            ":- test own(X) : (X = a).",
            1,
            "violates calls of t:own(X): int(X)",
        ),
        (":- test loop + timeout(50).", 1, "timeout(50)"),
        (":- test need + setup(assertz(ready)).", 0, "passed"),
        (":- test need + setup(fail).", 1, "setup(fails)"),
        (
            ":- test need + (setup(assertz(ready)), cleanup(throw(oops))).",
            1,
            "cleanup(exception(oops))",
        ),
        (":- false test three(X) => (X == 9).", 0, "passed"),
        (
            ":- false test three(X) => int(X).",
            1,
            "holds, but its status is `false`",
        ),
        (
            ":- trust test three(X) => (X == 9).",
            0,
            "skipped, its status is `trust`",
        ),
        (":- test three(X) => (X < 3).", 0, "passed"),
        (
            ":- test three(X) => (X < 3) + try_sols(3).",
            1,
            "postcondition",
        ),
        (":- test three(X) : member(X,[1,9]).", 0, "passed"),
        (
            ":- test three(X) : member(X,[1,9]) + generate_from_calls_n(2).",
            1,
            "fails",
        ),
        (":- test three(X) => int(Y).", 1, "postcondition"),
        (":- texec three(X) : (X = 8).", 0, "passed"),
        (
            ":- texec own(X) : (X = a).",
            1,
            "violates calls of t:own(X): int(X)",
        ),
    ] {
        let (found_code, found) = verdict_of(test);
        assert_eq!(found_code, Some(code), "{test}: {found}");
        assert!(found.ends_with(verdict), "{test}: {found}");
    }
}

/// JUnit names passed and skipped tests too, and `--jobs` and filters change neither order nor verdicts.
#[test]
fn test_runs_list_every_test() {
    let tests = "\
:- test three(X) + num_solutions(3) # \"right\".
:- test three(X) + num_solutions(4) # \"wrong\".
:- trust test three(X) # \"skipped\".
:- test own(X) : (X = a) # \"violating\".
";
    let sandbox = Sandbox::new().file("t.pl", format!("{TESTS}{tests}"));
    let junit = sandbox.run(&["run", "--format", "junit", "--test", "t.pl"]);
    assert_eq!(junit.code, Some(1));
    assert!(
        junit
            .stdout
            .contains("tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\""),
        "{}",
        junit.stdout
    );
    let one = sandbox.run(&["run", "--test", "t.pl"]);
    let three = sandbox.run(&["--jobs", "3", "run", "--test", "t.pl"]);
    assert_eq!((one.code, one.stdout), (three.code, three.stdout));
    let filtered = sandbox.run(&["run", "--test", "--test-filter", "right", "t.pl"]);
    assert_eq!(filtered.code, Some(0));
    assert!(
        filtered.stdout.contains("1 tests, 0 failed"),
        "{}",
        filtered.stdout
    );
}
