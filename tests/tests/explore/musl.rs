//! C programs with the C library that `scripts/setup-musl` builds, which `make test` does first.

use stet_tests::{Outcome, Sandbox};

/// Where the library was built.
pub(crate) fn runtime() -> Option<String> {
    let place = stet_tests::c_library().filter(|_| super::llvm().is_some());
    if place.is_none() {
        stet_testkit::skip("clang, or musl as IR (`stet setup`)");
    }
    Some(place?.display().to_string())
}

/// Explores a program, its output shown.
fn explore(program: &str) -> Option<Outcome> {
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime()?);
    Some(sandbox.run(&["explore", "p.c", "--program-output", "--format", "concise"]))
}

#[test]
fn a_failed_assertion_is_one() {
    let program = "#include <assert.h>\n#include <klee/klee.h>\nint main(void) {\n  int x;\n  \
        klee_make_symbolic(&x, sizeof x, \"x\");\n  assert(x != 4711);\n  return 0;\n}\n";
    let Some(outcome) = explore(program) else {
        return;
    };
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome
            .stdout
            .contains("p.c:6:3: error[explore/assertion]: assertion failed: x != 4711"),
        "{outcome:?}"
    );
}

#[test]
fn the_library_works_on_concrete_values() {
    let program = r#"
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf back;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void leave(void) { longjmp(back, 3); }
int main(int argc, char **argv) {
  int numbers[] = { 5, -2, 9, 0 };
  qsort(numbers, 4, sizeof *numbers, compare);
  char text[64], *end;
  snprintf(text, sizeof text, "%d %d %d %d|%5.2f|%-4s|%#x", numbers[0], numbers[1], numbers[2], numbers[3], 3.14159, "ab", 255);
  puts(text);
  long value = strtol("  -0x1fz", &end, 0);
  printf("%ld %s %d %c\n", value, end, argc, toupper('q'));
  char *copy = strdup("one,two,three"), *state = NULL;
  for (char *word = strtok_r(copy, ",", &state); word; word = strtok_r(NULL, ",", &state)) printf("<%s>", word);
  putchar('\n');
  free(copy);
  if (setjmp(back) == 0) leave(); else printf("back %s\n", strchr("abc", 'b'));
  fprintf(stderr, "told\n");
  return 0;
}
"#;
    let Some(outcome) = explore(program) else {
        return;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let expected = "-2 0 5 9| 3.14|ab  |0xff\n-31 z 1 Q\n<one><two><three>\nback bc\ntold\n";
    assert!(outcome.stdout.contains(expected), "{outcome:?}");
}

#[test]
fn the_library_forks_on_symbolic_values() {
    let program = r#"
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  klee_assume(text[3] == 0);
  if (strcmp(text, "abc") == 0) return 1;
  if (strlen(text) == 2 && atoi(text) == 42) abort();
  return 0;
}
"#;
    let Some(outcome) = explore(program) else {
        return;
    };
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome.stdout.contains("p.c:10:46: error[explore/abort]"),
        "{outcome:?}"
    );
    assert!(outcome.stdout.contains("all paths explored"), "{outcome:?}");
}

#[test]
fn a_system_call_without_an_answer_is_named() {
    let program =
        "#include <sys/socket.h>\nint main(void) { return socket(AF_INET, SOCK_STREAM, 0) < 0; }\n";
    let Some(outcome) = explore(program) else {
        return;
    };
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(
        outcome
            .stdout
            .contains("left out (assumed, 1 times): there is no network here"),
        "{outcome:?}"
    );
}

#[test]
fn bitcode_is_linked_on_request_and_for_klee() {
    let Some(clang) = super::llvm().map(|suffix| format!("clang{suffix}")) else {
        return;
    };
    let Some(runtime) = runtime() else { return };
    let program = "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 6 * 7); fprintf(stderr, \"apart\\n\"); return 0; }\n";
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime);
    // as users compile it, with the headers of their system
    for (flag, file) in [("-c", "p.bc"), ("-S", "p.ll")] {
        let compiled = std::process::Command::new(&clang)
            .args(["-g", "-emit-llvm", flag, "-o"])
            .arg(sandbox.path(file))
            .arg(sandbox.path("p.c"))
            .output()
            .unwrap();
        if !compiled.status.success() {
            stet_testkit::skip("headers of a C library");
            return;
        }
        let without = sandbox.run(&["explore", file, "--format", "concise"]);
        assert_eq!(without.code, Some(3), "{without:?}");
        assert!(without.stdout.contains("`printf`"), "{without:?}");
        let linked = sandbox.run(&["explore", file, "--libc", "musl", "--program-output"]);
        assert_eq!(linked.code, Some(0), "{linked:?}");
        assert!(linked.stdout.contains("42\n"), "{linked:?}");
        assert!(linked.stdout.contains("apart\n"), "{linked:?}");
    }
    let klee = sandbox.run(&["klee", "p.bc"]);
    assert_eq!(klee.code, Some(0), "{klee:?}");
    assert!(klee.stdout.contains("42\n"), "{klee:?}");
    let native = sandbox.run(&["klee", "--libc=none", "p.bc"]);
    let said = format!("{}{}", native.stdout, native.stderr);
    assert!(said.contains("calling external: printf"), "{said}");
    let refused = sandbox.run(&["klee", "--libc=none", "--external-calls=none", "p.bc"]);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(
        said.contains("Disallowed call to external function: printf"),
        "{said}"
    );
    assert!(
        sandbox.path("klee-last/test000001.user.err").exists(),
        "{said}"
    );
}

#[test]
fn classes_and_local_statics_work() {
    let Some(runtime) = runtime() else { return };
    let program = r#"
extern "C" int printf(const char *, ...);
struct Shape { virtual int area() const = 0; virtual ~Shape() { printf("gone\n"); } };
struct Square : Shape { int side; Square(int side) : side(side) {} int area() const override { return side * side; } };
static Square global(2);
static int &counter() { static int *count = new int(40); return ++*count; }
int main() {
  Shape *shape = new Square(5);
  printf("%d\n", shape->area());
  delete shape;
  counter();
  printf("%d %d\n", counter(), global.area());
  int *nowhere = nullptr;
  return *nowhere;
}
"#;
    let sandbox = Sandbox::new()
        .file("p.cpp", program)
        .variable("STET_RUNTIME", &runtime);
    let outcome = sandbox.run(&[
        "explore",
        "p.cpp",
        "--program-output",
        "--format",
        "concise",
    ]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    // lines written before an error are not lost
    assert!(outcome.stdout.contains("25\ngone\n42 4\n"), "{outcome:?}");
    assert!(
        outcome
            .stdout
            .contains("p.cpp:14:10: error[explore/null-pointer]"),
        "{outcome:?}"
    );
}

#[test]
fn a_programs_own_functions_come_first() {
    let program = r#"
#include <stdio.h>
void *memalign(unsigned long alignment, unsigned long size) { return 0; }
int main(void) { printf("%d\n", memalign(8, 8) == 0); return 0; }
"#;
    let Some(outcome) = explore(program) else {
        return;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.contains("1\n"), "{outcome:?}");
}

#[test]
fn long_double_is_the_platforms() {
    let program = "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n#include <stdarg.h>\n\
        static long double sum(int n, ...) { va_list l; va_start(l, n); long double s = 0; for (int i = 0; i < n; i++) s += va_arg(l, long double); va_end(l); return s; }\n\
        int main(void) {\n  printf(\"%Lf %f\\n\", 1.5L, 2.25);\n  printf(\"%zu %.20Lg\\n\", sizeof(long double), strtold(\"0.1\", NULL));\n  \
        printf(\"%La %.3Lf %.4Lf\\n\", 1.0L / 3, sqrtl(2.0L), sum(3, 1.0L, 2.5L, 0.25L));\n  \
        printf(\"%.6Lf %.6Lf %.6Lf\\n\", expl(1.0L), sinl(1.0L), powl(2.0L, 0.5L));\n  \
        printf(\"%d %.1f %Lg\\n\", (int)floorl(-2.5L), (double)fabsl(-7.5L), fmodl(7.5L, 2.0L));\n  return 0;\n}\n";
    let Some(outcome) = explore(program) else {
        return;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for line in [
        "1.500000 2.250000",
        "16 0.1",
        "0xa.aaaaaaaaaaaaaabp-5 1.414 3.7500",
        "2.718282 0.841471 1.414214",
        "-3 7.5 1.5",
    ] {
        assert!(outcome.stdout.contains(line), "{line}: {outcome:?}");
    }
}

/// Buffers are copied, chosen by a symbolic index, and set again by a later call of the same function.
const JUMPS: &str = r#"
#include <setjmp.h>
#include <string.h>
void klee_make_symbolic(void *, unsigned long, const char *);
static jmp_buf buffers[2], copy, dead;
static void sets(int jumps) { if (!setjmp(dead) && jumps) longjmp(dead, 1); }
static void again(void) { longjmp(dead, 1); }
int main(int argc, char **argv) {
  unsigned char which;
  klee_make_symbolic(&which, 1, "which");
  if (which == 9) { sets(0); sets(1); return 9; }
  if (which == 8) { sets(0); again(); return 8; }
  if (setjmp(buffers[0])) return 10;
  if (setjmp(buffers[1])) {
    memcpy(copy, buffers[0], sizeof copy);
    longjmp(copy, 1);
  }
  if (which < 2) longjmp(buffers[which], 0);
  return 0;
}
"#;

#[test]
fn jumps_follow_copies_and_symbolic_buffers() {
    let Some(runtime) = runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", JUMPS)
        .variable("STET_RUNTIME", &runtime);
    let outcome = sandbox.run(&["explore", "p.c"]);
    let told = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(told.contains("0 unsupported"), "{told}");
    assert!(
        told.contains("longjmp to a function that has returned") && told.contains("1 errors"),
        "{told}"
    );
}

/// What the C library promises about allocations that fail, and what glibc does where it leaves a choice.
#[test]
fn allocations_fail_as_they_do_natively() {
    let program = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  void *place = 0, *old = malloc(8);
  errno = 0; place = calloc(SIZE_MAX / 2 + 2, 2); printf("%d %d\n", place == NULL, errno == ENOMEM);
  errno = 0; place = reallocarray(old, SIZE_MAX / 2 + 2, 2); printf("%d %d\n", place == NULL, errno == ENOMEM);
  errno = 0; place = malloc(PTRDIFF_MAX); printf("%d %d\n", place == NULL, errno == ENOMEM);
  errno = 0; place = realloc(old, PTRDIFF_MAX); printf("%d %d\n", place == NULL, errno == ENOMEM);
  printf("%d %d %d\n", posix_memalign(&place, 4, 8) == EINVAL, posix_memalign(&place, 24, 8) == EINVAL, posix_memalign(&place, 64, 8));
  free(place);
  printf("%d\n", realloc(old, 0) == NULL);
  return 0;
}
"#;
    let Some(outcome) = explore(program) else {
        return;
    };
    // no machine has room for these, so nothing is left out
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let expected = "1 1\n1 1\n1 1\n1 1\n1 1 0\n1\n";
    assert!(outcome.stdout.contains(expected), "{outcome:?}");
}

/// Nothing is copied to or from a null pointer, and it is an error as soon as something may be.
#[test]
fn a_length_of_zero_needs_no_object() {
    let program = |most: u32| {
        format!(
            r#"
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {{
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 4);
  char buffer[8] = "abc", *part = n < {most} ? NULL : malloc(4);
  memcpy(part, buffer, n);
  memmove(buffer, part, n);
  memset(part, 0, n);
  return 0;
}}
"#
        )
    };
    for (most, code) in [(1, 0), (2, 1)] {
        let Some(outcome) = explore(&program(most)) else {
            return;
        };
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
    }
}
