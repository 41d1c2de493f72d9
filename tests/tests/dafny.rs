//! `stet dafny`: Dafny's commands, messages, trailer and exit codes.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use expect_test::{Expect, expect};
use stet_tests::{Outcome, Sandbox};

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
