//! Every kind of error is found, on the paths that have it and no others, with an input that causes it.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{Found, explore_main, explore_text, program};
use stet_explore::{Config, ErrorKind, Halt, Outcome};

fn one_error(body: &str, kind: ErrorKind) -> Found {
    let found = explore_main(body);
    assert_eq!(found.errors(), [kind], "{:?}", found.paths);
    assert_eq!(found.summary.halt, Halt::Complete);
    found
}

/// The value of the first symbolic object on the erroneous path.
fn input(found: &Found) -> u64 {
    let end = found
        .paths
        .iter()
        .find(|end| matches!(end.outcome, Outcome::Error(..)))
        .unwrap();
    let bytes = &end.test.as_ref().unwrap()[0].bytes;
    bytes
        .iter()
        .rev()
        .fold(0, |n, &byte| n << 8 | u64::from(byte))
}

#[test]
fn out_of_bounds_with_a_symbolic_index() {
    let found = one_error(
        "%a = alloca [4 x i32]\n%i = call i32 @klee_int(ptr @n)\n%w = zext i32 %i to i64\n\
         %p = getelementptr [4 x i32], ptr %a, i64 0, i64 %w\n%v = load i32, ptr %p\nret i32 0",
        ErrorKind::OutOfBounds,
    );
    assert!(input(&found) >= 4);
    assert_eq!(found.exits().len(), 1);
}

#[test]
fn out_of_bounds_with_a_constant() {
    one_error(
        "%a = alloca [4 x i8]\n%p = getelementptr i8, ptr %a, i64 -1\nstore i8 0, ptr %p\nret i32 0",
        ErrorKind::OutOfBounds,
    );
    one_error(
        "%a = call ptr @malloc(i64 3)\n%v = load i32, ptr %a\nret i32 0",
        ErrorKind::OutOfBounds,
    );
}

#[test]
fn null_and_wild_pointers() {
    one_error("store i8 0, ptr null\nret i32 0", ErrorKind::Null);
    one_error(
        "%p = inttoptr i64 81985529216486895 to ptr\nstore i8 0, ptr %p\nret i32 0",
        ErrorKind::OutOfBounds,
    );
    let found = one_error(
        "%a = alloca i32\n%i = call i32 @klee_int(ptr @n)\n%c = icmp eq i32 %i, 77\n\
         %p = select i1 %c, ptr null, ptr %a\nstore i32 1, ptr %p\nret i32 0",
        ErrorKind::Null,
    );
    assert_eq!(input(&found), 77);
}

#[test]
fn memory_that_is_gone() {
    one_error(
        "%a = call ptr @malloc(i64 8)\ncall void @free(ptr %a)\n%v = load i8, ptr %a\nret i32 0",
        ErrorKind::UseAfterFree,
    );
    one_error(
        "%a = call ptr @malloc(i64 8)\ncall void @free(ptr %a)\ncall void @free(ptr %a)\nret i32 0",
        ErrorKind::Free,
    );
    one_error(
        "%a = alloca i8\ncall void @free(ptr %a)\nret i32 0",
        ErrorKind::Free,
    );
    one_error(
        "%a = call ptr @malloc(i64 8)\n%p = getelementptr i8, ptr %a, i64 1\ncall void @free(ptr %p)\nret i32 0",
        ErrorKind::Free,
    );
    one_error(
        "%p = call ptr @leak()\nstore i8 1, ptr %p\nret i32 0\n}\ndefine ptr @leak() {\n%a = alloca i8\nret ptr %a",
        ErrorKind::UseAfterFree,
    );
    one_error(
        "%a = call ptr @malloc(i64 8)\n%b = call ptr @realloc(ptr %a, i64 80)\nstore i64 1, ptr %a\nret i32 0",
        ErrorKind::UseAfterFree,
    );
    let found = one_error(
        "%a = call ptr @malloc(i64 8)\n%b = call ptr @malloc(i64 8)\ncall void @free(ptr %a)\n\
         %i = call i32 @klee_int(ptr @n)\n%c = icmp eq i32 %i, 77\n%p = select i1 %c, ptr %a, ptr %b\n\
         store i32 1, ptr %p\nret i32 0",
        ErrorKind::UseAfterFree,
    );
    assert_eq!(input(&found), 77);
}

/// One path has a hundred small objects where the other has a large one; its pointer goes through a multiplication,
/// so that only its number is left of it.
#[test]
fn a_large_object_is_found_among_the_small_ones_of_another_path() {
    let found = explore_main(
        "%i = call i32 @klee_int(ptr @n)\n%c = icmp eq i32 %i, 77\nbr i1 %c, label %small, label %large\n\
         small:\n%k = phi i32 [ 0, %0 ], [ %k1, %small ]\n%s = call ptr @malloc(i64 1)\n%k1 = add i32 %k, 1\n\
         %more = icmp ult i32 %k1, 100\nbr i1 %more, label %small, label %done\n\
         large:\n%a = call ptr @malloc(i64 100000)\n%n = ptrtoint ptr %a to i64\n%d = mul i64 %n, 2\n\
         %h = lshr i64 %d, 1\n%e = add i64 %h, 99999\n%p = inttoptr i64 %e to ptr\nstore i8 1, ptr %p\nbr label %done\n\
         done:\nret i32 0",
    );
    assert_eq!(found.errors().len(), 0, "{:?}", found.errors());
    assert_eq!(found.exits().len(), 2);
}

#[test]
fn read_only_memory() {
    one_error("store i8 0, ptr @n\nret i32 0", ErrorKind::ReadOnly);
}

#[test]
fn division_by_zero_and_overshift() {
    for op in ["sdiv", "udiv", "srem", "urem"] {
        let found = one_error(
            &format!("%i = call i32 @klee_int(ptr @n)\n%d = {op} i32 100, %i\nret i32 0"),
            ErrorKind::DivisionByZero,
        );
        assert_eq!(input(&found), 0);
        assert_eq!(found.exits().len(), 1);
    }
    for op in ["shl", "lshr", "ashr"] {
        let found = one_error(
            &format!("%i = call i32 @klee_int(ptr @n)\n%d = {op} i32 100, %i\nret i32 0"),
            ErrorKind::Overshift,
        );
        assert!(input(&found) >= 32);
    }
    one_error("%d = sdiv i32 1, 0\nret i32 %d", ErrorKind::DivisionByZero);
}

#[test]
fn the_program_gives_up() {
    one_error("call void @abort()\nunreachable", ErrorKind::Abort);
    one_error("unreachable", ErrorKind::Unreachable);
    one_error(
        include_str!("programs/errors/the_program_gives_up.ll"),
        ErrorKind::Assertion,
    );
    one_error(
        "call void @klee_report_error(ptr @n, i32 1, ptr @n, ptr @n)\nunreachable\n}\n\
         declare void @klee_report_error(ptr, i32, ptr, ptr)\ndefine void @f() {\nret void",
        ErrorKind::User,
    );
    one_error("call void @klee_assume(i64 0)\nret i32 0", ErrorKind::User);
    one_error(
        "call void @f()\nret i32 0\n}\ndefine void @f() {\ncall void @f()\nret void",
        ErrorKind::StackOverflow,
    );
}

#[test]
fn unsupported_things_are_named() {
    let message_of = |kind: ErrorKind, body: &str| {
        let found = one_error(body, kind);
        match &found.paths[0].outcome {
            Outcome::Error(_, message) => message.clone(),
            other => panic!("{other:?}"),
        }
    };
    let message = |body: &str| message_of(ErrorKind::Unsupported, body);
    let external = message_of(
        ErrorKind::Undefined,
        "call void @launch()\nret i32 0\n}\ndeclare void @launch()\ndefine void @f() {\nret void",
    );
    assert!(external.contains("`launch`"), "{external}");
    let asm = message("call void asm sideeffect \"hlt\", \"\"()\nret i32 0");
    assert!(asm.contains("hlt"), "{asm}");
    // The system is modelled in C (runtime/posix), which this module is not linked with.
    let call = message_of(
        ErrorKind::Undefined,
        "%r = call i64 @sx_syscall(i64 59)\nret i32 0\n}\ndeclare i64 @sx_syscall(i64)\ndefine void @f() {\nret void",
    );
    assert!(call.contains("`sx_syscall`"), "{call}");
    let variable = message(
        "%v = load i32, ptr @elsewhere\nret i32 0\n}\n@elsewhere = external global i32\ndefine void @f() {\nret void",
    );
    assert!(variable.contains("`elsewhere`"), "{variable}");
    let float = message(
        "%v = fadd ppc_fp128 0xM3FF00000000000000000000000000000, 0xM3FF00000000000000000000000000000\nret i32 0",
    );
    assert!(float.contains("ppc_fp128"), "{float}");
}

#[test]
fn errors_stop_their_path_only() {
    let found = explore_main(
        "%i = call i32 @klee_int(ptr @n)\nswitch i32 %i, label %ok [\ni32 1, label %a\ni32 2, label %b\ni32 3, label %b\n]\n\
         a:\ncall void @abort()\nunreachable\nb:\nret i32 5\nok:\nret i32 0",
    );
    assert_eq!(found.errors(), [ErrorKind::Abort]);
    assert_eq!(found.exits(), [0, 5]);
    assert_eq!(input(&found), 1);
}

#[test]
fn limits_report_what_they_drop() {
    // twelve forks on the longest path; depth counts them
    let text = program(include_str!(
        "programs/errors/limits_report_what_they_drop.ll"
    ));
    let mut config = Config::standard();
    config.limits.forks = Some(10);
    let found = explore_text(&text, &config);
    let dropped = found
        .paths
        .iter()
        .filter(|end| matches!(end.outcome, Outcome::Dropped(_)))
        .count() as u64;
    assert_eq!(dropped, 2, "ten of twelve forks are allowed");
    assert_eq!(found.summary.progress.dropped, dropped);
    let mut config = Config::standard();
    config.limits.depth = Some(3);
    let found = explore_text(&text, &config);
    assert_eq!(found.summary.halt, Halt::Complete);
    assert_eq!(found.summary.progress.dropped, 9, "three of twelve");
    let mut config = Config::standard();
    config.limits.instructions = Some(20);
    let found = explore_text(&text, &config);
    assert!(matches!(found.summary.halt, Halt::Limit(_)));
}
