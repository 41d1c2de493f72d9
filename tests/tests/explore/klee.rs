//! KLEE compatibility: flags, lines, the output directory, and replay.

use super::{TABLE, clean};
use stet_tests::Sandbox;

#[test]
fn an_output_directory_as_klee_writes_it() {
    let sandbox = Sandbox::new().file("t.ll", TABLE);
    let outcome = sandbox.run(&[
        "klee",
        "--search=dfs",
        "--use-incomplete-merge",
        "--max-time=1min",
        "t.ll",
        "an-argument",
    ]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for line in [
        "KLEE: output directory is \"",
        "KLEE: WARNING: ignoring the option --use-incomplete-merge",
        "KLEE: done: completed paths = 4",
        "KLEE: done: generated tests = 4",
    ] {
        assert!(outcome.stderr.contains(line), "{line}: {outcome:?}");
    }
    let out = sandbox.path("klee-out-0");
    for name in [
        "info",
        "messages.txt",
        "warnings.txt",
        "run.stats",
        "assembly.ll",
        "test000001.ktest",
        "test000004.ktest",
    ] {
        assert!(out.join(name).is_file(), "{name}");
    }
    assert!(!out.join("test000005.ktest").exists());
    let statistics = std::fs::read(out.join("run.stats")).unwrap();
    assert!(statistics.starts_with(b"SQLite format 3\0"));
    let test = std::fs::read(out.join("test000001.ktest")).unwrap();
    assert!(test.starts_with(b"KTEST\0\0\0\x03"), "format 3, big endian");
    assert!(test.windows(11).any(|window| window == b"an-argument"));
    assert_eq!(
        std::fs::read(out.join("assembly.ll")).unwrap(),
        TABLE.as_bytes()
    );
    let last = std::fs::read_link(sandbox.path("klee-last")).unwrap();
    assert_eq!(last, std::path::Path::new("klee-out-0"));
    let again = sandbox.run(&["klee", "t.ll"]);
    assert_eq!(again.code, Some(0));
    assert!(sandbox.path("klee-out-1").is_dir());
}

#[test]
fn errors_have_their_files() {
    let program = include_str!("programs/klee/errors_have_their_files.ll");
    let sandbox = Sandbox::new().file("e.ll", program);
    let outcome = sandbox.run(&["klee", "e.ll"]);
    clean(&outcome);
    let line = "KLEE: ERROR: (location information missing) memory error: out of bound pointer\n";
    assert!(outcome.stderr.contains(line), "{outcome:?}");
    let messages = std::fs::read_to_string(sandbox.path("klee-out-0/messages.txt")).unwrap();
    assert!(messages.contains(line), "{messages}");
    let error = std::fs::read_to_string(sandbox.path("klee-out-0/test000001.ptr.err")).unwrap();
    assert!(
        error.starts_with("Error: memory error: out of bound pointer\n")
            && error.contains("in main()"),
        "{error}"
    );
    assert!(error.contains("assembly.ll line: 4"), "{error}");
}

#[test]
fn replay_runs_tests_natively() {
    let Some(clang) = super::llvm().map(|suffix| format!("clang{suffix}")) else {
        return;
    };
    let program = "#include <klee/klee.h>\n#include <stdlib.h>\nint main(void) {\n  int x;\n  \
        klee_make_symbolic(&x, sizeof x, \"x\");\n  if (x == 12) abort();\n  if (x == 7) return 3;\n  return 0;\n}\n";
    let sandbox = Sandbox::new().file("p.c", program);
    let outcome = sandbox.run(&[
        "explore",
        "p.c",
        "--libc",
        "none",
        "--clang",
        &clang,
        "--output-dir",
        "out",
    ]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let replayed = sandbox.run(&[
        "replay",
        "p.c",
        "--clang",
        &clang,
        "out/test000001.ktest",
        "out/test000002.ktest",
        "out/test000003.ktest",
    ]);
    clean(&replayed);
    assert_eq!(replayed.code, Some(1), "{replayed:?}");
    let said = format!("{}{}", replayed.stdout, replayed.stderr);
    for end in ["exit status 0", "exit status 3", "killed by signal 6"] {
        assert!(said.contains(end), "{end}: {replayed:?}");
    }
    let folder = ["replay", "--plain", "p.c", "--clang", &clang, "out"];
    let replayed = sandbox.run(&folder);
    assert_eq!(replayed.code, Some(1), "{replayed:?}"); // one of them aborts
    let counts = "tests ended as predicted, 0 otherwise, 0 errors had no effect, 0 cannot be";
    assert_eq!(
        replayed.stdout.trim_end(),
        format!("3 {counts} compared"),
        "{replayed:?}"
    );
    let sandbox = sandbox.file("p.c", program.replace("return 3", "return 4"));
    let replayed = sandbox.run(&folder);
    let differs = "exit status 4; predicted was exit status 3";
    assert!(replayed.stdout.contains(differs), "{replayed:?}");
    let sandbox = sandbox.file("p.c", program.replace("abort()", "return 0"));
    let replayed = sandbox.run(&folder);
    let unnoticed = "exit status 0; the error that was predicted had no effect: abort";
    assert!(replayed.stdout.contains(unnoticed), "{replayed:?}");
    let wrong = sandbox.run(&["replay", "p.c", "--clang", &clang, "p.c"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

/// Three values of one variable become one state under every order; what was allocated in a region stays apart.
#[test]
fn states_are_merged_where_the_program_asks_for_it() {
    let program = r#"
@n = private constant [2 x i8] c"x\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
declare void @klee_open_merge()
declare void @klee_close_merge()
declare void @klee_abort()
declare ptr @malloc(i64)
define i32 @main() {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 0, ptr %y
  call void @klee_make_symbolic(ptr %x, i64 4, ptr @n)
  call void @klee_open_merge()
  %v = load i32, ptr %x
  switch i32 %v, label %other [ i32 1, label %one
                                i32 2, label %two ]
one:
  store i32 5, ptr %y
  br label %end
two:
  store i32 6, ptr %y
  br label %end
other:
  store i32 7, ptr %y
  br label %end
end:
  call void @klee_close_merge()
  %r = load i32, ptr %y
  %two.again = icmp eq i32 %v, 2
  %six = icmp eq i32 %r, 6
  %same = icmp eq i1 %two.again, %six
  br i1 %same, label %fine, label %wrong
wrong:
  call void @klee_abort()
  unreachable
fine:
  ret i32 0
}
"#;
    let sandbox = Sandbox::new().file("m.ll", program);
    for order in ["dfs", "bfs", "random-path", "nurs:covnew", "random-state"] {
        for (flags, paths) in [(&["--use-merge"][..], 1), (&[], 3)] {
            let search = format!("--search={order}");
            let mut arguments = vec!["klee", &search];
            arguments.extend(flags);
            arguments.push("m.ll");
            let outcome = sandbox.run(&arguments);
            assert_eq!(outcome.code, Some(0), "{outcome:?}");
            for line in [
                format!("KLEE: done: completed paths = {paths}\n"),
                "KLEE: done: partially completed paths = 0\n".to_owned(),
            ] {
                assert!(outcome.stderr.contains(&line), "{order}: {outcome:?}");
            }
        }
    }
}
