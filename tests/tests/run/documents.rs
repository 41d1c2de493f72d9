//! What goes wrong in a run is in the JSON, SARIF and JUnit documents, with its place.

use expect_test::expect;
use stet_tests::{Outcome, Sandbox};

const BROKEN: &str = "\
:- module(broken, [main/0]).
:- dynamic fact/1.
main :- fact(1).
oops(X :- X.
:- fail.
:- atom_length(_, _).
single(X).
";

/// Code, severity, message and line of every diagnostic.
fn found(outcome: &Outcome) -> String {
    let json = outcome.json();
    let lines: Vec<String> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            format!(
                "{} {} {}: {}\n",
                d["severity"].as_str().unwrap(),
                d["code"].as_str().unwrap(),
                d["primary"]["start"]["line"],
                d["message"].as_str().unwrap()
            )
        })
        .collect();
    lines.concat()
}

#[test]
fn loading_and_failed_goals_are_in_the_json_document() {
    let sandbox = Sandbox::new().file("broken.pl", BROKEN);
    let outcome = sandbox.run(&["run", "--format", "json", "broken.pl", "-g", "main"]);
    assert_eq!(outcome.code, Some(2));
    expect![[r#"
        error run/syntax 4: syntax error: unclosed `(` before end of clause
        warning run/goal-failed 5: directive failed: broken:fail
        warning run/exception 6: atom_length/2: arguments are not sufficiently instantiated
        warning run/load 7: singleton variables: X
        error run/goal-failed null: the goal failed: main
    "#]]
    .assert_eq(&found(&outcome));
}

#[test]
fn an_uncaught_exception_is_in_every_document() {
    let sandbox = Sandbox::new().file("p.pl", "p :- X is foo + 1, q(X).\nq(_).\n");
    let run = |format: &str| sandbox.run(&["run", "--format", format, "p.pl", "-g", "p"]);
    let json = run("json");
    assert_eq!(json.code, Some(2));
    let text = found(&json);
    assert!(
        text.starts_with("error run/exception null: ") && text.contains("foo/0"),
        "{text}"
    );
    for format in ["sarif", "junit"] {
        let outcome = run(format);
        assert_eq!(outcome.code, Some(2), "{format}");
        assert!(outcome.stdout.contains("foo/0"), "{}", outcome.stdout);
        assert!(
            outcome.stdout.contains("run/exception"),
            "{}",
            outcome.stdout
        );
    }
}

#[test]
fn a_syntax_error_of_a_goal_has_a_message_of_one_line() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run(&["run", "--format", "json", "-g", "foo("]);
    assert_eq!(outcome.code, Some(2));
    let json = outcome.json();
    let message = json["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("syntax error"), "{message}");
    assert!(!message.contains('\n'), "{message}");
}
