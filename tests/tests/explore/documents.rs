//! What build servers read: a run without an answer does not pass, files of the user are named and temporary ones are not.

use super::{clean, llvm};
use stet_tests::Sandbox;

const FIXES: &str = "\
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, \"n\");
  char *p = malloc(n);
  free(p);
  return 0;
}
";

fn sandbox() -> Option<Sandbox> {
    llvm()?;
    Some(Sandbox::new().file("fixes.c", FIXES))
}

#[test]
fn an_incomplete_run_does_not_pass() {
    let Some(sandbox) = sandbox() else { return };
    let run = |format: &str| {
        let outcome = sandbox.run(&["explore", "--libc", "none", "fixes.c", "--format", format]);
        clean(&outcome);
        assert_eq!(outcome.code, Some(3), "{outcome:?}");
        outcome
    };
    let junit = run("junit").stdout;
    assert!(
        junit.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""),
        "{junit}"
    );
    assert!(junit.contains("name=\"fixes.c\""), "{junit}");
    assert!(
        junit.contains("inconclusive: something was left out"),
        "{junit}"
    );
    let log = run("sarif").json();
    let places = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(places["artifactLocation"]["uri"], "fixes.c", "{log}");
    assert_eq!(places["region"]["startLine"], 6, "{log}");
    let artifacts = log["runs"][0]["artifacts"].to_string();
    assert!(
        !artifacts.contains(".ll") && !artifacts.contains("tmp"),
        "{artifacts}"
    );
}

#[test]
fn temporary_files_are_not_named() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write(
        "huge.c",
        "int a[1000000000];\nint main(void) { return a[5]; }\n",
    );
    let outcome = sandbox.run(&["explore", "--libc", "none", "huge.c", "--format", "concise"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    let place = "<huge.c as LLVM IR>:";
    assert!(outcome.stdout.starts_with(place), "{outcome:?}");
    assert!(!outcome.stdout.contains("module0"), "{outcome:?}");
}

#[test]
fn errors_of_the_compiler_are_at_their_place() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("bad.c", "int main(void) {\n  return no;\n}\n");
    let arguments = ["explore", "--libc", "none", "bad.c", "--format", "concise"];
    let outcome = sandbox.run(&arguments);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    let start = "bad.c:2:10: error[explore/clang]: `bad.c` does not compile: use of undeclared";
    assert!(outcome.stdout.starts_with(start), "{outcome:?}");
}

#[test]
fn an_initial_value_that_does_not_fit_has_a_place() {
    let program = "@g = global [1 x i8] c\"mode\\00\"\ndefine i32 @main() {\n  ret i32 0\n}\n";
    let sandbox = Sandbox::new().file("long.ll", program);
    let outcome = sandbox.run(&["explore", "long.ll", "--format", "concise"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stdout.starts_with("long.ll:1:1: error"),
        "{outcome:?}"
    );
}
