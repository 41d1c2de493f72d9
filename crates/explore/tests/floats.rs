//! Floating point: symbolic numbers are decided, never fixed silently; formats without hardware are computed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may stop, and say why they skip"
)]

mod common;

use common::{clang, compile, explore_text, program};
use stet_explore::{Config, ErrorKind};

#[test]
fn a_symbolic_double_is_decided() {
    let body = "%p = alloca double\ncall void @klee_make_symbolic(ptr %p, i64 8, ptr @n)\n%x = load double, ptr %p\n\
        %s = fmul double %x, %x\n%c = fcmp oeq double %s, 2.25\nbr i1 %c, label %yes, label %no\n\
        yes:\n%g = fcmp ogt double %x, 0.0\nbr i1 %g, label %pos, label %neg\npos:\nret i32 1\nneg:\nret i32 2\nno:\nret i32 0";
    let found = explore_text(&program(body), &Config::standard());
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
    assert_eq!(found.exits(), [0, 1, 2]);
    for end in &found.paths {
        let bytes = &end.test.as_ref().unwrap()[0].bytes;
        let x = f64::from_le_bytes(bytes[..].try_into().unwrap());
        let expected = match () {
            _ if x * x != 2.25 => 0,
            _ if x > 0.0 => 1,
            _ => 2,
        };
        assert_eq!(end.outcome, stet_explore::Outcome::Exit(expected), "{x}");
    }
}

#[test]
fn a_remainder_of_a_symbolic_number_is_left_out() {
    let body = "%p = alloca float\ncall void @klee_make_symbolic(ptr %p, i64 4, ptr @n)\n%x = load float, ptr %p\n\
        %r = frem float %x, 3.0\n%c = fcmp oeq float %r, 1.0\nbr i1 %c, label %yes, label %no\nyes:\nret i32 1\nno:\nret i32 0";
    let found = explore_text(&program(body), &Config::standard());
    assert!(!found.summary.is_complete());
    assert!(found.summary.left_out[0].what.contains("remainder"));
}

/// Tests replayed natively must end as predicted; here by recomputing what the program does.
#[test]
fn conversions_and_comparisons_are_decided() {
    let Some(clang) = clang() else { return };
    let source = "#include <klee/klee.h>\nint main(void) {\n  float f; klee_make_symbolic(&f, sizeof f, \"f\");\n\
        if (f != f) return 1;\n  if (f > 0 && f < 10 && (int)f == 7) return 2;\n  if (f > 0 && f + 1.0f == f) return 3;\n\
        double d = f; if (d / 3 == 0.5) return 4;\n  if (__builtin_sqrtf(f) == 5.0f) return 5;\n  return 0;\n}\n";
    let text = compile(clang, source, &["-O0", "-fno-math-errno"]);
    let found = explore_text(&text, &Config::standard());
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
    let mut exits = found.exits();
    exits.dedup();
    assert_eq!(exits, [0, 1, 2, 3, 4, 5]);
    for end in &found.paths {
        let bytes = &end.test.as_ref().unwrap()[0].bytes;
        let f = f32::from_le_bytes(bytes[..].try_into().unwrap());
        let expected = match () {
            _ if f.is_nan() => 1,
            _ if f > 0.0 && f < 10.0 && f as i32 == 7 => 2,
            _ if f > 0.0 && f + 1.0 == f => 3,
            _ if f64::from(f) / 3.0 == 0.5 => 4,
            _ if f.sqrt() == 5.0 => 5,
            _ => 0,
        };
        assert_eq!(end.outcome, stet_explore::Outcome::Exit(expected), "{f}");
    }
}

#[test]
fn long_double_is_computed_and_passed_to_varargs() {
    let Some(clang) = clang() else { return };
    let source = "#include <stdarg.h>\nstatic long double sum(int n, ...) {\n  va_list l; va_start(l, n); long double s = 0;\n\
        for (int i = 0; i < n; i++) { s += va_arg(l, long double); s += va_arg(l, double); s += va_arg(l, int); }\n  va_end(l); return s;\n}\n\
        int main(void) {\n  long double x = 1.5L; x = x * x / 3.0L; if (x != 0.75L) return 1;\n\
        if (sum(2, 1.5L, 2.25, 3, 4.125L, 5.5, 6) != 22.375L) return 2;\n  if ((int)(x * 1000) != 750) return 3;\n\
        unsigned long long big = 18446744073709551615ull; if ((unsigned long long)(long double)big != big) return 4;\n\
        if ((long double)0.1 == 0.1L) return 5;\n  return sizeof x == 16 ? 0 : 6;\n}\n";
    for flags in [["-O0"], ["-O1"]] {
        let text = compile(clang, source, &flags);
        let found = explore_text(&text, &Config::standard());
        assert_eq!(found.errors(), Vec::<ErrorKind>::new(), "{:?}", found.paths);
        assert_eq!(found.exits(), [0], "{flags:?}");
    }
}

/// Quotients of the widest format are wider than a machine word of 128 bits; their values are those of the tests all the same.
#[test]
fn a_status_that_comes_from_a_long_double_is_that_of_the_test() {
    let Some(clang) = clang() else { return };
    let source = "#include <klee/klee.h>\nint main(void) {\n  unsigned char x; klee_make_symbolic(&x, 1, \"x\"); klee_assume(x > 5 & x < 30);\n\
        long double d = x; d = (d * d + 1) / 3.0L;\n  if (d > 100) return (int)d % 50;\n  int sizes[(int)d + 1];\n  \
        for (int i = 0; i <= (int)d; i++) sizes[i] = i;\n  return sizes[(int)d];\n}\n";
    let text = compile(clang, source, &["-O0"]);
    let found = explore_text(&text, &Config::standard());
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
    assert_eq!(found.paths.len(), 13, "12 sizes and the rest");
    for end in &found.paths {
        let x = u32::from(end.test.as_ref().unwrap()[0].bytes[0]);
        let whole = (x * x + 1) / 3;
        let expected = match (x * x + 1) > 300 {
            true => whole % 50,
            false => whole,
        };
        let expected = stet_explore::Outcome::Exit(expected as i32);
        assert_eq!(end.outcome, expected, "{x}");
    }
}
