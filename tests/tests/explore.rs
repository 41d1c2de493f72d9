//! `stet explore`, `stet klee` and `stet replay` end to end: switches, limits, inputs, output directories, unusable input.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and say why it skips"
)]

#[path = "explore/assumed.rs"]
mod assumed;
#[path = "explore/bad_input.rs"]
mod bad_input;
#[path = "explore/compat.rs"]
mod compat;
#[path = "explore/documents.rs"]
mod documents;
#[path = "explore/environment.rs"]
mod environment;
#[path = "explore/external.rs"]
mod external;
#[path = "explore/inputs.rs"]
mod inputs;
#[path = "explore/klee.rs"]
mod klee;
#[path = "explore/klee_tools.rs"]
mod klee_tools;
#[path = "explore/languages.rs"]
mod languages;
#[path = "explore/limits.rs"]
mod limits;
#[path = "explore/musl.rs"]
mod musl;
#[path = "explore/native.rs"]
mod native;
#[path = "explore/programs.rs"]
mod programs;
#[path = "explore/switches.rs"]
mod switches;
#[path = "explore/threads.rs"]
mod threads;
#[path = "explore/vectors.rs"]
mod vectors;

use serde_json::Value;
use stet_tests::{Outcome, Sandbox};

/// A table of two pointers, read at a symbolic index, under two layouts: four paths.
const TABLE: &str = r#"
@n = private constant [2 x i8] c"x\00"
@m = private constant [2 x i8] c"i\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
declare ptr @malloc(i64)
define i32 @main() {
entry:
  %x = alloca i8
  %i = alloca i8
  call void @klee_make_symbolic(ptr %x, i64 1, ptr @n)
  call void @klee_make_symbolic(ptr %i, i64 1, ptr @m)
  %xv = load i8, ptr %x
  %c = icmp ugt i8 %xv, 10
  br i1 %c, label %more, label %go
more:
  %waste = call ptr @malloc(i64 8)
  br label %go
go:
  %t = call ptr @malloc(i64 16)
  %a = call ptr @malloc(i64 8)
  %b = call ptr @malloc(i64 8)
  store i64 7, ptr %a
  store i64 9, ptr %b
  store ptr %a, ptr %t
  %t1 = getelementptr i8, ptr %t, i64 8
  store ptr %b, ptr %t1
  %iv = load i8, ptr %i
  %low = and i8 %iv, 1
  %wide = zext i8 %low to i64
  %slot = getelementptr ptr, ptr %t, i64 %wide
  %p = load ptr, ptr %slot
  %v = load i64, ptr %p
  %eq = icmp eq i64 %v, 7
  br i1 %eq, label %seven, label %nine
seven:
  ret i32 7
nine:
  ret i32 9
}
"#;

/// Eight forks: 256 paths.
const FORKS: &str = r#"
@n = private constant [2 x i8] c"x\00"
declare i32 @klee_int(ptr)
define i32 @main() {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ 0, %entry ], [ %s1, %next ]
  %x = call i32 @klee_int(ptr @n)
  %c = icmp sgt i32 %x, 5
  br i1 %c, label %add, label %next
add:
  %sa = add i32 %s, 1
  br label %next
next:
  %s1 = phi i32 [ %s, %head ], [ %sa, %add ]
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, 8
  br i1 %more, label %head, label %out
out:
  ret i32 %s1
}
"#;

/// Runs with JSON output and gives the document.
fn json(sandbox: &Sandbox, arguments: &[&str]) -> (Option<i32>, Value) {
    let mut all = vec!["explore", "--format", "json"];
    all.extend(arguments);
    let outcome = sandbox.run(&all);
    let document = serde_json::from_str(&outcome.stdout);
    (
        outcome.code,
        document.unwrap_or_else(|_| panic!("{outcome:?}")),
    )
}

fn number(document: &Value, pointer: &str) -> u64 {
    let value = document.pointer(pointer);
    value
        .and_then(Value::as_u64)
        .unwrap_or_else(|| panic!("no number at {pointer}: {document:#}"))
}

/// The installed clang and its companions by version.
fn llvm() -> Option<String> {
    let suffixes = ["", "-19", "-18", "-17", "-16", "-15", "-14"];
    let found = suffixes.into_iter().find(|suffix| {
        ["clang", "llvm-dis", "llvm-as"].iter().all(|tool| {
            std::process::Command::new(format!("{tool}{suffix}"))
                .arg("--version")
                .output()
                .is_ok_and(|output| output.status.success())
        })
    });
    if found.is_none() {
        stet_testkit::skip("clang with llvm-dis and llvm-as");
    }
    found.map(str::to_owned)
}

/// A program prints under exploration, with its one path complete, what it prints natively: so many lines.
fn prints_as_natively(
    sandbox: &Sandbox,
    file: &str,
    (compiler, flags): (&str, &[&str]),
    lines: usize,
) {
    let binary = sandbox.path("native");
    let built = std::process::Command::new(compiler)
        .args(flags)
        .args([&sandbox.path(file), std::path::Path::new("-o"), &binary])
        .args(["-w", "-lm"])
        .status();
    assert!(built.unwrap().success());
    let native = std::process::Command::new(binary).output().unwrap();
    let native = String::from_utf8(native.stdout).unwrap();
    assert_eq!(native.lines().count(), lines);
    let mut arguments = vec!["explore", file, "--program-output", "--quiet"];
    for flag in flags {
        arguments.extend(["--cflag", flag]);
    }
    let outcome = sandbox.run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for (native, explored) in native.lines().zip(outcome.stdout.lines()) {
        assert_eq!(native, explored);
    }
    assert_eq!(outcome.stdout.lines().count(), lines);
}

fn clean(outcome: &Outcome) {
    assert!(!outcome.stderr.contains("internal error"), "{outcome:?}");
    assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
}
