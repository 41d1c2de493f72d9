//! Unusable input: a message with a place, the right exit code, no panic, finished tests kept.

use super::{FORKS, TABLE, clean, json, number};
use stet_tests::Sandbox;

/// Cut anywhere, IR either still reads or is refused at a place in the text.
#[test]
fn truncated_text_is_refused_at_a_place() {
    let sandbox = Sandbox::new();
    let step = (TABLE.len() / 40).max(1);
    let mut refused = 0;
    for end in (0..TABLE.len()).step_by(step) {
        sandbox.write("cut.ll", &TABLE[..end]);
        let outcome = sandbox.run(&["explore", "cut.ll"]);
        clean(&outcome);
        assert_eq!(outcome.code, Some(2), "{end}: {outcome:?}");
        let placed = outcome.stdout.contains("cut.ll:");
        let no_entry = outcome.stdout.contains("main");
        assert!(placed || no_entry, "{end}: {outcome:?}");
        refused += u32::from(placed);
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn malformed_text_is_refused_at_a_place() {
    let sandbox = Sandbox::new();
    for (from, to) in [
        ("icmp ugt", "icmp huge"),
        ("alloca i8", "alloca q8"),
        ("load i8, ptr %x", "load i8 ptr %x"),
        ("%waste = call", "%waste = cawl"),
        ("label %more", "label %nowhere"),
        ("store i64 7", "store i64 %sevens"),
        ("zext i8 %low to i64", "zext i8 %low to"),
        ("define i32 @main() {", "define i32 @main() {{"),
    ] {
        assert!(TABLE.contains(from), "{from}");
        sandbox.write("bad.ll", TABLE.replacen(from, to, 1));
        let outcome = sandbox.run(&["explore", "bad.ll"]);
        clean(&outcome);
        assert_eq!(outcome.code, Some(2), "{to}: {outcome:?}");
        assert!(outcome.stdout.contains("bad.ll:"), "{to}: {outcome:?}");
    }
}

#[test]
fn a_missing_entry_is_named() {
    let sandbox = Sandbox::new().file("t.ll", TABLE);
    let outcome = sandbox.run(&["explore", "t.ll", "--entry", "begin"]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stdout.contains("begin"), "{outcome:?}");
}

/// The paths before and beside the unsupported instruction are explored, and their tests kept.
#[test]
fn unsupported_code_is_named_and_other_paths_go_on() {
    let program =
        include_str!("programs/bad_input/unsupported_code_is_named_and_other_paths_go_on.ll");
    let sandbox = Sandbox::new().file("u.ll", program);
    let (code, document) = json(&sandbox, &["u.ll", "--output-dir", "out"]);
    assert_eq!(code, Some(3), "{document:#}");
    assert_eq!(number(&document, "/result/paths/unsupported"), 2);
    assert_eq!(number(&document, "/result/paths/normally"), 1);
    let text = document["diagnostics"].to_string();
    assert!(
        text.contains("mystery") && text.contains("assembl"),
        "{text}"
    );
    assert!(sandbox.path("out/test000003.ktest").exists());
}

/// A solver without time decides nothing that needs it: 3, and what was found stays.
#[test]
fn a_solver_without_time_gives_up_and_says_so() {
    let program = include_str!("programs/bad_input/a_solver_without_time_gives_up_and_says_so.ll");
    let sandbox = Sandbox::new().file("h.ll", program);
    let (code, document) = json(
        &sandbox,
        &["h.ll", "--solver-time", "0.05", "--output-dir", "out"],
    );
    assert_eq!(code, Some(3), "{document:#}");
    assert!(
        number(&document, "/result/paths/undecided") >= 1,
        "{document:#}"
    );
    assert!(
        number(&document, "/result/paths/normally") >= 1,
        "{document:#}"
    );
    assert!(sandbox.path("out/test000001.ktest").exists());
}

#[test]
fn without_clang_c_is_refused_and_text_is_not() {
    let sandbox = Sandbox::new()
        .variable("PATH", "")
        .file("p.c", "int main(void) { return 0; }\n")
        .file("p.bc", "BC\u{c0}")
        .file("f.ll", FORKS);
    for (file, tool) in [("p.c", "clang"), ("p.bc", "llvm-dis")] {
        let outcome = sandbox.run(&["explore", file]);
        clean(&outcome);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stdout.contains(tool), "{outcome:?}");
    }
    assert_eq!(sandbox.run(&["explore", "f.ll"]).code, Some(0));
    let outcome = sandbox.run(&["explore", "p.c", "--clang", "/nowhere/clang"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stdout.contains("/nowhere/clang"), "{outcome:?}");
}

#[test]
fn an_output_directory_is_never_overwritten() {
    let sandbox = Sandbox::new().file("f.ll", FORKS).file("out/kept", "x");
    let outcome = sandbox.run(&["explore", "f.ll", "--output-dir", "out"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(sandbox.path("out/kept").exists());
}
