//! KLEE compatibility: flags, lines, the output directory, and replay.

use super::{TABLE, clean};
use stet_tests::Sandbox;

#[test]
fn an_output_directory_as_klee_writes_it() {
    let sandbox = Sandbox::new().file("t.ll", TABLE);
    let outcome = sandbox.run(&[
        "klee",
        "--search=dfs",
        "--use-merge",
        "--max-time=1min",
        "t.ll",
        "an-argument",
    ]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for line in [
        "KLEE: output directory is \"",
        "KLEE: WARNING: ignoring the option --use-merge",
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
    let program = "define i32 @main() {\n  %p = alloca i32\n  %q = getelementptr i32, ptr %p, i64 3\n  \
        %v = load i32, ptr %q\n  ret i32 %v\n}\n";
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
    let wrong = sandbox.run(&["replay", "p.c", "--clang", &clang, "p.c"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}
