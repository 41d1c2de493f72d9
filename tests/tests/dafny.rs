//! `stet dafny`: Dafny's commands, messages, trailer and exit codes.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use expect_test::{Expect, expect};
use stet_tests::{Outcome, Sandbox};

fn has_z3() -> bool {
    let found = std::process::Command::new("z3").arg("--version").output();
    if found.is_err() {
        stet_testkit::skip("z3");
    }
    found.is_ok()
}

fn check(outcome: &Outcome, expected: &Expect) {
    expected.assert_eq(&outcome.summary());
}

#[test]
fn resolve_accepts_a_program_and_says_that_nothing_was_verified() {
    let sandbox = Sandbox::new().file("a.dfy", "method M() { assert false; }\n");
    check(
        &sandbox.run(&["dafny", "resolve", "a.dfy"]),
        &expect![[r#"
            exit 0
            --- stdout

            Dafny program verifier did not attempt verification
        "#]],
    );
}

#[test]
fn resolve_reports_errors_module_by_module_with_dafnys_trailer() {
    let program = "\
module A {
  method M(ghost g: int) { print g; }
}
module B {
  function F(): int { true }
}
";
    let sandbox = Sandbox::new().file("a.dfy", program);
    check(
        &sandbox.run(&["dafny", "resolve", "a.dfy"]),
        &expect![[r#"
            exit 2
            --- stdout
            a.dfy(2,33): Error: ghost variables such as g are allowed only in specification contexts. g was inferred to be ghost based on its declaration or initialization.
            a.dfy(5,22): Error: boolean literal used as if it had type int
            2 resolution/type errors detected in a.dfy
        "#]],
    );
}

#[test]
fn parse_errors_have_their_own_trailer() {
    let sandbox = Sandbox::new().file("a.dfy", "method M( { }\n");
    let outcome = sandbox.run(&["dafny", "resolve", "a.dfy"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    assert!(outcome.stdout.contains("parse errors detected in a.dfy"));
}

#[test]
fn a_directory_stands_for_the_files_below_it() {
    let sandbox = Sandbox::new()
        .file("src/a.dfy", "const a := 1\n")
        .file("src/inner/b.dfy", "const b: bool := a\n");
    let outcome = sandbox.run(&["dafny", "resolve", "src"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    assert!(
        outcome.stdout.contains("b.dfy(1,6): Error"),
        "{}",
        outcome.summary()
    );
}

#[test]
fn a_project_file_names_files_and_options() {
    let sandbox = Sandbox::new()
        .file(
            "dfyconfig.toml",
            "includes = [\"src/**/*.dfy\"]\nexcludes = [\"**/bad.dfy\"]\n[options]\nreads-clauses-on-methods = true\n",
        )
        .file("src/a.dfy", "class C { }\nmethod M(c: C) reads c { }\n")
        .file("src/bad.dfy", "const x: int := true\n");
    let outcome = sandbox.run(&["dafny", "resolve", "dfyconfig.toml"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.summary());
    let outcome = sandbox.run(&["dafny", "resolve", "src/a.dfy"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
}

#[test]
fn a_wrong_project_file_is_named() {
    let sandbox = Sandbox::new().file("dfyconfig.toml", "includes = 3\n");
    let outcome = sandbox.run(&["dafny", "resolve", "dfyconfig.toml"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
    assert!(
        outcome.stdout.contains("list of file patterns"),
        "{}",
        outcome.summary()
    );
}

#[test]
fn files_that_include_each_other_are_read_once() {
    let sandbox = Sandbox::new()
        .file("a.dfy", "include \"b.dfy\"\nconst a := b\n")
        .file("b.dfy", "include \"a.dfy\"\nconst b := 1\n");
    let outcome = sandbox.run(&["dafny", "resolve", "a.dfy"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.summary());
}

#[test]
fn audit_lists_what_is_taken_for_granted() {
    let program = "\
lemma L() ensures 1 < 2
lemma {:axiom} K() ensures 2 < 3
method M(x: int) {
  assume x > 0;
}
";
    let sandbox = Sandbox::new().file("a.dfy", program);
    check(
        &sandbox.run(&["dafny", "audit", "a.dfy"]),
        &expect![[r#"
            exit 0
            --- stdout
            a.dfy(1,6): Warning: L: Ghost declaration has no body and has an ensures clause. Possible mitigation: Provide a body or add `{:axiom}`.
            a.dfy(2,15): Warning: K: Declaration has explicit `{:axiom}` attribute. Possible mitigation: Provide a proof or test.
            a.dfy(4,2): Warning: M: Definition has `assume` statement in body. Possible mitigation: Replace with `assert` and prove or add `{:axiom}`.
            Dafny auditor completed with 3 findings
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn under_the_name_dafny_stet_is_dafny() {
    let sandbox = Sandbox::new().file("a.dfy", "const a: int := true\n");
    let link = sandbox.path("dafny");
    std::os::unix::fs::symlink(stet_tests::stet_binary(), &link).unwrap();
    let output = std::process::Command::new(&link)
        .args(["resolve", "a.dfy"])
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("1 resolution/type errors detected in a.dfy"),
        "{text}"
    );
}

const FAILING: &str = "\
method Good(x: int) requires x > 0 { assert x >= 1; }

method Bad(x: int, s: seq<int>) {
  var y := x + 1;
  assert y == 7 && |s| == 2 && s[0] == 3 ==> s[1] == 4;
}
";

#[test]
fn an_unknown_option_or_command_is_dafnys_error() {
    let sandbox = Sandbox::new().file("a.dfy", FAILING);
    for arguments in [
        ["dafny", "verify", "--nope", "a.dfy"],
        ["dafny", "verfy", "a.dfy", "--nope"],
    ] {
        let outcome = sandbox.run(&arguments);
        assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
        assert!(
            outcome
                .summary()
                .contains("Unrecognized command or argument '"),
            "{}",
            outcome.summary()
        );
    }
    for arguments in [
        ["dafny", "measure-complexity", "a.dfy"],
        ["dafny", "verify", "--log-format:text"],
    ] {
        let outcome = sandbox.run(&arguments);
        assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
        assert!(
            outcome.summary().contains("is not supported"),
            "{}",
            outcome.summary()
        );
    }
}

#[test]
fn warnings_fail_unless_they_are_allowed() {
    let sandbox = Sandbox::new().file("a.dfy", "class C { var f: int; }\n");
    let outcome = sandbox.run(&["dafny", "resolve", "a.dfy"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    assert!(
        outcome
            .stdout
            .contains("warnings were found and --allow-warnings is false")
    );
    let outcome = sandbox.run(&["dafny", "resolve", "--allow-warnings", "a.dfy"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.summary());
    let outcome = sandbox.run(&["dafny", "resolve", "--warn-as-errors", "a.dfy"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    assert!(outcome.stdout.contains("a.dfy(1,20): Error: deprecated"));
}

#[test]
fn a_position_selects_what_is_verified() {
    if !has_z3() {
        return;
    }
    let sandbox = Sandbox::new().file("a.dfy", FAILING);
    for (place, code) in [("a.dfy:1", 0), (":4", 4), ("a.dfy:1-3", 4), ("b.dfy:4", 0)] {
        let outcome = sandbox.run(&[
            "dafny",
            "verify",
            "--isolate-assertions",
            "--filter-position",
            place,
            "a.dfy",
        ]);
        assert_eq!(outcome.code, Some(code), "{place}: {}", outcome.summary());
    }
}

#[test]
fn counterexamples_are_in_the_terms_of_the_program() {
    if !has_z3() {
        return;
    }
    let sandbox = Sandbox::new().file("a.dfy", FAILING);
    let outcome = sandbox.run(&["verify", "--model", "--cache", "off", "a.dfy"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
    for part in ["at the entry: x = 6, s = [3, ", "at the error: y = 7"] {
        assert!(outcome.stdout.contains(part), "{}", outcome.summary());
    }
    assert!(
        !outcome.stdout.contains("*** MODEL"),
        "{}",
        outcome.summary()
    );
}

/// What follows a loop begins with any values that the invariants allow, not with those before the loop.
#[test]
fn counterexamples_know_what_loops_change() {
    if !has_z3() {
        return;
    }
    let sandbox = Sandbox::new().file(
        "a.dfy",
        "method M(n: nat) returns (s: int)\n  requires n == 39\n  ensures s == 2 * n\n{\n  s := 0;\n  var i := 0;\n  \
         while i < n\n    invariant i <= n && 0 <= s <= 8\n  {\n    s := 7;\n    i := i + 1;\n  }\n}\n",
    );
    let outcome = sandbox.run(&["verify", "--model", "--cache", "off", "a.dfy"]);
    let notes: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|l| l.contains("at the"))
        .collect();
    let at_end = notes.iter().find(|note| note.contains("i = 39"));
    let values: Vec<&str> = at_end
        .and_then(|note| note.split_once("error: "))
        .map_or(vec![], |(_, v)| v.split(", ").collect());
    assert_eq!(
        values.len(),
        2,
        "s and i, no variables of the translation: {}",
        outcome.summary()
    );
    assert_eq!(values[1], "i = 39", "{}", outcome.summary());
}

#[test]
fn a_batch_is_a_line_of_json_for_each_program_and_shares_verdicts() {
    if !has_z3() {
        return;
    }
    let sandbox = Sandbox::new()
        .file("a.dfy", FAILING)
        .file("b.dfy", "method M() { assert 1 < 2; }\n")
        .file("c.dfy", "method M( {\n");
    let outcome = sandbox.run(&[
        "verify", "--batch", "a.dfy", "b.dfy", "c.dfy", "none.dfy", "a.dfy",
    ]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    let lines: Vec<serde_json::Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let words: Vec<&str> = lines.iter().filter_map(|l| l["outcome"].as_str()).collect();
    assert_eq!(
        words,
        ["errors", "verified", "rejected", "unreadable", "errors"]
    );
    assert_eq!(lines[0]["diagnostics"][0]["line"], 5);
    assert_eq!(lines[4]["checks"]["solved"], 0, "{}", lines[4]);
}

#[test]
fn a_profile_tells_where_the_time_went() {
    if !has_z3() {
        return;
    }
    let sandbox = Sandbox::new().file("a.dfy", FAILING);
    let first = sandbox.run(&["verify", "--profile", "a.dfy"]);
    assert!(
        first.summary().contains("for 2 of 2 procedures"),
        "{}",
        first.summary()
    );
    assert!(
        first.summary().contains("Bad (a.dfy:3): errors"),
        "{}",
        first.summary()
    );
    let second = sandbox.run(&["verify", "--profile", "a.dfy"]);
    assert!(
        second.summary().contains("for 0 of 2 procedures"),
        "{}",
        second.summary()
    );
}

#[test]
fn options_of_dafnys_users_are_taken() {
    let old = "method M() ensures true; { }\n";
    let sandbox = Sandbox::new().file("a.dfy", old);
    let outcome = sandbox.run(&["dafny", "resolve", "--allow-deprecation", "a.dfy"]);
    check(
        &outcome,
        &expect![[r#"
            exit 0
            --- stdout

            Dafny program verifier did not attempt verification
        "#]],
    );
    let options = [
        "dafny",
        "resolve",
        "--allow-deprecation:true",
        "--type-system-refresh=false",
        "--general-newtypes:false",
        "--general-traits=legacy",
        "--allow-axioms",
        "--resource-limit",
        "10e6",
        "--solver-option:O:smt.arith.solver=6",
        "--progress",
        "Symbol",
        "--cores",
        "50%",
        "--standard-libraries",
        "true",
        "--manual-lemma-induction",
        "a.dfy",
    ];
    check(
        &sandbox.run(&options),
        &expect![[r#"
            exit 0
            --- stdout

            Dafny program verifier did not attempt verification
            --- stderr
            stet dafny: option `--solver-option:O:smt.arith.solver=6` has no meaning here and is ignored
            stet dafny: option `--progress` has no meaning here and is ignored
            stet dafny: option `--manual-lemma-induction` has no meaning here and is ignored
        "#]],
    );
    let outcome = sandbox.run(&["dafny", "verify", "--solver-log", "x", "a.dfy"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
    let outcome = sandbox.run(&["dafny", "resolve", "--general-traits", "some", "a.dfy"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
    let outcome = sandbox.run(&["dafny", "verify", "--unicode-char:false", "a.dfy"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
}
