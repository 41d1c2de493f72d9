//! Calls of functions that are defined with other types: each side reads the registers and stack words that its own types name, as the
//! processor does; what nobody put there makes a run incomplete only where it decides something.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{clang, compile, explore_text};
use std::process::Command;
use stet_explore::{Config, ErrorKind, LeftOutKind};

/// Declares `NAME` as another name of a function, so that one text holds both of its types.
const HEADER: &str = "#include <stdarg.h>\n#define AS(f) __asm__(#f)\nvoid abort(void);\n";

struct Case {
    name: &'static str,
    /// Definitions and declarations.
    text: &'static str,
    /// What `main` returns.
    returns: &'static str,
    status: i32,
}

/// The status with which the program ends natively.
fn native(clang: &str, source: &str) -> Option<i32> {
    let dir = tempfile::tempdir().unwrap();
    let (input, program) = (dir.path().join("p.c"), dir.path().join("p"));
    std::fs::write(&input, source).unwrap();
    let done = Command::new(clang)
        .args(["-w", "-O0", "-o"])
        .arg(&program)
        .arg(&input)
        .status();
    assert!(done.unwrap().success(), "{source}");
    Command::new(&program).status().unwrap().code()
}

fn source(text: &str, returns: &str) -> String {
    format!("{HEADER}{text}\nint main(void) {{ return {returns}; }}\n")
}

/// What the platform's calling convention answers, whatever C says.
const CERTAIN: &[Case] = &[
    Case {
        name: "fewer arguments than parameters, the rest unused",
        text: "int f(int a, int b, char *c) { return a; } int g(int) AS(f);",
        returns: "g(7)",
        status: 7,
    },
    Case {
        name: "more arguments than parameters",
        text: "int f(int a) { return a; } int g(int, double, char *) AS(f);",
        returns: "g(7, 1.5, \"x\")",
        status: 7,
    },
    Case {
        name: "floats and numbers in another order",
        text: "int f(double a, int b, float c, int d) { return a == 2.5 && c == 1.5f ? b * 10 + d : 0; } int g(int, int, double, float) AS(f);",
        returns: "g(4, 2, 2.5, 1.5f)",
        status: 42,
    },
    Case {
        name: "a wider argument",
        text: "int f(char a, short b) { return a + b; } int g(long, long) AS(f);",
        returns: "g(0x10000000001, 0x700020002)",
        status: 3,
    },
    Case {
        name: "a small number with its sign, read as an int",
        text: "int f(int a, int b) { return a + b; } int g(signed char, unsigned char) AS(f);",
        returns: "g(-3, 200)",
        status: 197,
    },
    Case {
        name: "a wide result, read as an int",
        text: "long f(void) { return 0x500000009; } int g(void) AS(f);",
        returns: "g()",
        status: 9,
    },
    Case {
        name: "no result, and none used",
        text: "int seen; void f(int a) { seen = a; } int g(int) AS(f);",
        returns: "(g(6), seen)",
        status: 6,
    },
    Case {
        name: "a result that is not used",
        text: "double f(void) { return 1.5; } void g(void) AS(f); struct s { long a, b, c; }; int seen;\n\
               struct s f2(int a) { struct s s = {a, a, a}; seen = a; return s; }",
        returns: "(g(), f2(5), seen)",
        status: 5,
    },
    Case {
        name: "the stack after six registers",
        text: "int f(int a, int b, int c, int d, int e, int f, int g, int h) { return g * 10 + h; }\n\
               int g(long, long, long, long, long, long, long, long) AS(f);",
        returns: "g(0, 0, 0, 0, 0, 0, 4, 2)",
        status: 42,
    },
    Case {
        name: "a structure of two registers, read as two numbers",
        text: "struct s { long a; long b; }; int f(long a, long b) { return a * 10 + b; } int g(struct s) AS(f);",
        returns: "({ struct s s = {4, 2}; g(s); })",
        status: 42,
    },
    Case {
        name: "a structure on the stack, after other registers",
        text: "struct s { long a[4]; }; int f(struct s s, int a) { return s.a[3] * 10 + a; } int g(int, struct s) AS(f);",
        returns: "({ struct s s = {{1, 2, 3, 4}}; g(2, s); })",
        status: 42,
    },
    Case {
        name: "the fields of a result in other registers",
        text: "struct s { long a; double b; }; struct t { double b; long a; };\n\
               struct s f(void) { struct s s = {42, 2.5}; return s; } struct t g(void) AS(f);",
        returns: "({ struct t t = g(); t.b == 2.5 ? t.a : 0; })",
        status: 42,
    },
    Case {
        name: "the first field of a result",
        text: "struct s { long a; long b; }; struct s f(void) { struct s s = {42, 7}; return s; } int g(void) AS(f);",
        returns: "g()",
        status: 42,
    },
    Case {
        name: "variable arguments called as fixed ones",
        text: "int f(int n, ...) { va_list l; va_start(l, n); int r = 0; while (n--) r = r * 10 + va_arg(l, int); va_end(l); return r; }\n\
               int g(int, int, int) AS(f);",
        returns: "g(2, 4, 2)",
        status: 42,
    },
    Case {
        name: "fixed arguments called as variable ones",
        text: "int f(char *p, int flags, int mode) { return flags == 1 ? mode : flags; } int g(char *, int, ...) AS(f);",
        returns: "g(\"\", 2) * 10 + g(\"\", 1, 3)",
        status: 23,
    },
    Case {
        name: "without a prototype, through a pointer",
        text: "int f(int a, double b) { return b == 2.0 ? a : 0; } int (*p)() = (int (*)())f;",
        returns: "p(42, 2.0)",
        status: 42,
    },
    Case {
        name: "a double where a float is read",
        text: "int f(float a) { return a == 0.0f; } int g(double) AS(f);",
        returns: "g(2.0)",
        status: 1,
    },
];

/// What depends on registers that nobody set.
const UNCERTAIN: &[(&str, &str, &str)] = &[
    (
        "a missing argument",
        "int f(int a, int b) { return b > 5; } int g(int) AS(f);",
        "g(7)",
    ),
    (
        "an argument in another kind of register",
        "int f(double a) { return a > 5; } int g(long) AS(f);",
        "g(7)",
    ),
    (
        "the upper half of an int",
        "int f(long a) { return a > 5; } int g(int) AS(f);",
        "g(7)",
    ),
    (
        // clang leaves the register above a small result alone, gcc does not
        "a small result, read as an int",
        "signed char f(int a) { return a; } int g(int) AS(f);",
        "g(-3) == -3",
    ),
    (
        "the result of a function without one",
        "void f(int a) { } int g(int) AS(f);",
        "g(7) == 7",
    ),
    (
        "a floating-point result of a function that gives a number",
        "int f(int a) { return a; } double g(int) AS(f);",
        "g(7) > 3.5",
    ),
    (
        "a condition on a missing pointer",
        "int f(int a, char *p) { return p ? 1 : 2; } int g(int) AS(f);",
        "g(7)",
    ),
];

#[test]
fn calls_with_other_types_answer_as_the_processor() {
    let Some(clang) = clang() else { return };
    for case in CERTAIN {
        let source = source(case.text, case.returns);
        let found = explore_text(&compile(clang, &source, &["-O0"]), &Config::standard());
        assert_eq!(found.errors(), [], "{}: {:?}", case.name, found.paths);
        assert_eq!(found.exits(), [case.status], "{}", case.name);
        let left_out = &found.summary.left_out;
        assert!(found.summary.is_complete(), "{}: {left_out:?}", case.name);
        assert_eq!(native(clang, &source), Some(case.status), "{}", case.name);
    }
}

#[test]
fn what_nobody_gave_makes_a_run_incomplete_where_it_decides() {
    let Some(clang) = clang() else { return };
    for (name, text, returns) in UNCERTAIN {
        let text = compile(clang, &source(text, returns), &["-O0"]);
        let found = explore_text(&text, &Config::standard());
        assert_eq!(found.errors(), [], "{name}");
        let mut left_out = found.summary.left_out.iter();
        let is_named =
            left_out.any(|entry| entry.kind == LeftOutKind::Assumed && entry.what.contains("`f`"));
        assert!(is_named, "{name}: {:?}", found.summary.left_out);
    }
}

#[test]
fn structures_that_do_not_fit_are_refused_by_name() {
    let Some(clang) = clang() else { return };
    let text = source(
        "struct s { long a[4]; }; struct t { long a[6]; }; int f(struct t s) { return s.a[5]; } int g(struct s) AS(f);",
        "({ struct s s = {{1, 2, 3, 4}}; g(s); })",
    );
    let found = explore_text(&compile(clang, &text, &["-O0"]), &Config::standard());
    assert_eq!(found.errors(), [ErrorKind::Unsupported]);
    assert!(!found.summary.is_complete());
}

#[test]
fn symbolic_values_keep_their_meaning_in_other_types() {
    let Some(clang) = clang() else { return };
    let text = "#define AS(f) __asm__(#f)\nvoid klee_make_symbolic(void *, unsigned long, const char *); void abort(void);\n\
        long f(double d, int a, signed char c) { return d == 1.5 ? a * 2 + c : -1; }\n\
        int g(long, unsigned, double) AS(f);\n\
        int main(void) { int x; signed char c; klee_make_symbolic(&x, 4, \"x\"); klee_make_symbolic(&c, 1, \"c\");\n\
        if (g(x, (unsigned)c, 1.5) != x * 2 + c) abort(); return 0; }\n";
    let found = explore_text(
        &compile(clang, text, &["-O0", "-fwrapv"]),
        &Config::standard(),
    );
    assert_eq!((found.errors(), found.exits()), (vec![], vec![0]));
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

/// Functions that the engine carries out itself.
#[test]
fn functions_of_the_c_library_may_be_declared_by_the_program() {
    let Some(clang) = clang() else { return };
    let text = "void klee_make_symbolic(void *, unsigned long, const char *); void klee_assume(unsigned long); void abort(void);\n\
        char *malloc(); char *memset(); void *memcpy(); char *realloc(); void free();\n\
        int main(void) { int n; klee_make_symbolic(&n, 4, \"n\"); klee_assume((n > 2) & (n < 6));\n\
        char *p = malloc(n); memset(p, 'x', n); p = realloc(p, n + 1); p[n] = 0; char *q = malloc(n + 1);\n\
        if (memcpy(q, p, n + 1) != q || q[n] || q[2] != 'x') abort(); free(p); free(q); return 0; }\n";
    let flags = ["-O0", "-std=gnu89", "-fno-builtin"];
    let found = explore_text(&compile(clang, text, &flags), &Config::standard());
    assert_eq!(found.errors(), [], "{:?}", found.paths);
    assert!(found.exits().iter().all(|status| *status == 0) && !found.exits().is_empty());
}
