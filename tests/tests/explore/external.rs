//! `--external-calls`: functions that are defined nowhere, called natively in processes of their own.

use super::{clean, llvm};
use std::process::Command;
use stet_tests::Sandbox;

const LIBRARY: &str = include_str!("external/library.c");
const CALLS: &str = include_str!("external/calls.c");

/// A sandbox with the library as `lib.so`; `None` without a compiler.
fn sandbox() -> Option<Sandbox> {
    let clang = format!("clang{}", llvm()?);
    let sandbox = Sandbox::new().file("lib.c", LIBRARY);
    let built = Command::new(clang)
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([sandbox.path("lib.so"), sandbox.path("lib.c")])
        .status();
    assert!(built.unwrap().success());
    Some(sandbox)
}

/// The exit code and everything that was said.
fn explore(sandbox: &Sandbox, policy: &str, more: &[&str]) -> (Option<i32>, String) {
    let mut all = vec!["explore", "p.c", "--external-calls", policy];
    all.extend(["--external-library", "./lib.so"]);
    all.extend(more);
    let outcome = sandbox.run(&all);
    clean(&outcome);
    (outcome.code, outcome.stdout + &outcome.stderr)
}

#[test]
fn values_and_memory_go_there_and_back() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("p.c", CALLS);
    let (code, told) = explore(&sandbox, "concrete", &["--program-output"]);
    assert!(told.contains("2 paths (2 normal, 0 errors"), "{told}");
    assert!(told.contains("said natively"), "{told}");
    // every call is named and counted, and the run claims nothing about other results
    assert!(
        told.contains("left out (external, 2 times): the external function `ext_sum`"),
        "{told}"
    );
    assert_eq!(code, Some(3), "{told}");
    let (_, jobs) = explore(&sandbox, "concrete", &["--jobs", "2"]);
    assert!(jobs.contains("2 paths (2 normal, 0 errors"), "{jobs}");
}

#[test]
fn what_a_function_does_to_its_process_ends_the_path_only() {
    let Some(sandbox) = sandbox() else { return };
    let cases = [
        ("ext_crash()", "`ext_crash` was killed by SIGSEGV"),
        ("ext_hang()", "`ext_hang` took longer than its time limit"),
        ("ext_exit()", "`ext_exit` ended its process with status 3"),
        ("ext_nowhere()", "`ext_nowhere` is in no library"),
        ("ext_constant(\"abc\")", "wrote to read-only memory"),
        ("ext_call(own)", "the address of `own`"),
    ];
    for (call, expected) in cases {
        let source = format!(
            "void ext_crash(void); void ext_hang(void); void ext_exit(void); void ext_nowhere(void);
             void ext_constant(const char *); int ext_call(int (*)(int)); int own(int x) {{ return x; }}
             void klee_make_symbolic(void *, unsigned long, const char *);
             int main(void) {{ char c; klee_make_symbolic(&c, 1, \"c\"); if (c == 1) {call}; return 0; }}"
        );
        sandbox.write("p.c", source);
        let (code, outcome) = explore(&sandbox, "concrete", &["--external-time", "2"]);
        assert!(outcome.contains(expected), "{call}: {outcome}");
        let paths = "2 paths (1 normal, 0 errors, 1 unsupported";
        assert!(outcome.contains(paths), "{call}: {outcome}");
        assert_eq!(code, Some(3), "{call}: {outcome}");
    }
}

#[test]
fn memory_of_a_function_is_limited() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write(
        "p.c",
        "int ext_eat(void); int main(void) { return ext_eat() < 64; }",
    );
    let limits = ["--external-memory", "1G", "--external-time", "60"];
    let (_, outcome) = explore(&sandbox, "concrete", &limits);
    assert!(outcome.contains("1 paths (1 normal, 0 errors"), "{outcome}");
}

const SYMBOLIC: &str = r#"
#include <assert.h>
int ext_len(const char *);
void klee_make_symbolic(void *, unsigned long, const char *);
int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  if (text[0] != 'a' || text[3] != 0) return 0;
  int n = ext_len(text);
  assert(n != 2);
  return n;
}
"#;

#[test]
fn symbolic_arguments_are_refused_fixed_or_left_open() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("p.c", SYMBOLIC);
    let (_, refused) = explore(&sandbox, "concrete", &[]);
    assert!(
        refused.contains("a symbolic argument for the external function `ext_len`"),
        "{refused}"
    );
    let (code, fixed) = explore(&sandbox, "all", &[]);
    assert!(
        fixed.contains("left out (fixed,"),
        "what was fixed is told: {fixed}"
    );
    assert!(
        fixed.contains("0 unsupported") && code == Some(3),
        "{fixed}"
    );
    let (_, open) = explore(&sandbox, "over-approximate", &[]);
    assert!(
        open.contains("1 errors") && open.contains("n != 2"),
        "any result is possible: {open}"
    );
    assert!(
        open.contains("left out (assumed,"),
        "the assumption is told: {open}"
    );
}

const POINTER: &str = r#"
char *ext_dup(const char *);
int main(void) { char *p = ext_dup("x"); return p ? p[0] : 7; }
"#;

#[test]
fn a_pointer_that_may_be_anything_is_no_false_error() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("p.c", POINTER);
    let (_, outcome) = explore(&sandbox, "over-approximate", &[]);
    assert!(
        outcome.contains("a pointer that comes from the external function `ext_dup`"),
        "{outcome}"
    );
    assert!(outcome.contains("0 errors"), "{outcome}");
}

#[test]
fn klee_calls_external_functions_with_its_own_words() {
    let Some(sandbox) = sandbox() else { return };
    let clang = format!("clang{}", llvm().unwrap());
    sandbox.write(
        "p.c",
        "int ext_len(const char *); int main(void) { return ext_len(\"abc\") + ext_len(\"de\"); }",
    );
    let built = Command::new(clang)
        .args(["-emit-llvm", "-c", "-g", "-o"])
        .args([sandbox.path("p.bc"), sandbox.path("p.c")])
        .status();
    assert!(built.unwrap().success());
    let count = |warnings: &str| {
        let flag = format!("--external-call-warnings={warnings}");
        let outcome = sandbox.run(&["klee", "--load=./lib.so", &flag, "p.bc"]);
        clean(&outcome);
        assert!(
            outcome.stderr.contains("completed paths = 1"),
            "{outcome:?}"
        );
        outcome.stderr.matches("calling external: ext_len(").count()
    };
    assert_eq!(
        (count("none"), count("once-per-function"), count("all")),
        (0, 1, 2)
    );
    let refused = sandbox.run(&["klee", "--external-calls=none", "p.bc"]);
    assert!(
        refused
            .stderr
            .contains("Disallowed call to external function: ext_len"),
        "{refused:?}"
    );
}
