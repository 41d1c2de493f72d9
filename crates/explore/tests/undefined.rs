//! Undefined values and broken code: what they decide is not passed off as the only possibility.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{explore_main, explore_text, program};
use stet_explore::{Config, ErrorKind, LeftOutKind, MemoryModel};

fn fixed(found: &common::Found) -> usize {
    let fixed = found.summary.left_out.iter();
    fixed
        .filter(|entry| entry.kind == LeftOutKind::Fixed && entry.what.contains("undefined value"))
        .count()
}

#[test]
fn a_branch_on_an_uninitialised_variable_makes_the_run_incomplete() {
    let found = explore_main(include_str!(
        "programs/undefined/a_branch_on_an_uninitialised_variable_makes_the_run_incomplete.ll"
    ));
    assert_eq!(found.exits(), [0, 0]);
    assert_eq!(fixed(&found), 1, "{:?}", found.summary.left_out);
    assert!(!found.summary.is_complete());
}

#[test]
fn undefined_values_that_decide_nothing_are_no_news() {
    let found = explore_main(
        "%p = alloca i32\nstore i32 poison, ptr %p\n%v = load i32, ptr %p\n%low = and i32 %v, 0\n%sum = add i32 undef, %v\n\
         store i32 %sum, ptr %p\n%m = or i32 %low, 3\n%c = icmp eq i32 %m, 3\nbr i1 %c, label %yes, label %no\n\
         yes:\nret i32 3\nno:\ncall void @abort()\nunreachable",
    );
    assert_eq!(found.exits(), [3]);
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

#[test]
fn bits_of_an_undefined_word_that_were_written_are_known() {
    let found = explore_main(include_str!(
        "programs/undefined/bits_of_an_undefined_word_that_were_written_are_known.ll"
    ));
    assert_eq!(found.exits(), [0]);
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

#[test]
fn an_undefined_address_a_size_and_a_status_are_fixed_and_named() {
    let found = explore_main("%v = load i32, ptr undef\nret i32 %v");
    assert_eq!(found.errors(), [ErrorKind::Null]);
    assert_eq!(fixed(&found), 1);
    let found = explore_main("%v = alloca i8, i32 undef\nret i32 0");
    assert_eq!((found.exits(), fixed(&found)), (vec![0], 1));
    let found = explore_main("ret i32 undef");
    assert_eq!((found.exits(), fixed(&found)), (vec![0], 1));
}

#[test]
fn vectors_filled_from_nothing_are_known() {
    let found = explore_main(
        "%a = insertelement <2 x i32> poison, i32 4, i32 0\n%b = insertelement <2 x i32> %a, i32 5, i32 1\n\
         %s = add <2 x i32> %b, %b\n%x = extractelement <2 x i32> %s, i32 1\nret i32 %x",
    );
    assert_eq!(found.exits(), [10]);
    assert!(found.summary.is_complete());
}

#[test]
fn a_register_used_before_its_definition_ends_the_path() {
    for body in [
        // on one way only
        "%c = icmp eq i32 %argc, 1\nbr i1 %c, label %set, label %join\nset:\n%x = add i32 %argc, 5\nbr label %join\n\
         join:\nret i32 %x",
        // in the block itself
        "%y = add i32 %x, 1\n%x = add i32 %argc, 1\nret i32 %y",
        // on an edge to a phi
        include_str!("programs/undefined/a_register_used_before_its_definition_ends_the_path.ll"),
    ] {
        let mut config = Config::standard();
        config.args = vec!["program".into(), "argument".into()];
        let found = explore_text(&program(body), &config);
        assert_eq!(found.errors(), [ErrorKind::Unsupported], "{body}");
        assert!(!found.summary.is_complete());
    }
}

#[test]
fn loops_and_unreachable_code_use_registers_rightly() {
    let found = explore_main(include_str!(
        "programs/undefined/loops_and_unreachable_code_use_registers_rightly.ll"
    ));
    assert_eq!(found.exits(), [9]);
    assert!(found.summary.is_complete());
}

/// Both memory models, which must agree on what is undefined.
fn explore_both(body: &str) -> Vec<common::Found> {
    let models = [
        MemoryModel::Forking,
        MemoryModel::Segmented { reuse: false },
    ];
    let explore = |memory| {
        let config = Config {
            memory,
            ..Config::standard()
        };
        explore_text(&program(body), &config)
    };
    models.into_iter().map(explore).collect()
}

/// A branch to `abort` where a condition `%c` holds.
const ABORT_IF_C: &str =
    "br i1 %c, label %bad, label %good\nbad:\ncall void @abort()\nunreachable\ngood:\nret i32 0";

#[test]
fn bytes_of_memory_that_were_never_written_decide_nothing_silently() {
    for (made, what) in [
        ("%p = alloca i32", "stack object of 4 bytes"),
        ("%p = call ptr @malloc(i64 100)", "heap object of 100 bytes"),
    ] {
        for found in explore_both(&format!(
            "{made}\n%v = load i32, ptr %p\n%c = icmp eq i32 %v, 5\n{ABORT_IF_C}"
        )) {
            assert_eq!((found.exits(), fixed(&found)), (vec![0], 1));
            let said = &found.summary.left_out[0].what;
            assert!(
                said.contains(what) && said.contains("made in main"),
                "{said}"
            );
        }
    }
    for (body, count) in [
        (
            "%p = alloca ptr\n%q = load ptr, ptr %p\n%v = load i32, ptr %q\nret i32 0",
            1,
        ),
        (
            "%p = alloca i32\n%n = load i32, ptr %p\n%v = alloca i8, i32 %n\nret i32 0",
            1,
        ),
        ("%p = alloca i32\n%n = load i32, ptr %p\nret i32 %n", 1),
        (
            "%p = alloca i32\n%n = load i32, ptr %p\n%v = udiv i32 5, %n\nret i32 0",
            1,
        ),
        // a value that differs from itself in another place
        (
            &format!(
                "%p = alloca i32\n%q = alloca i32\n%a = load i32, ptr %p\n%b = load i32, ptr %q\n%c = icmp ne i32 %a, %b\n{ABORT_IF_C}"
            ),
            1,
        ),
        (
            &format!(
                "%p = alloca i32\n%a = load i32, ptr %p\n%b = load i32, ptr %p\n%c = icmp ne i32 %a, %b\n{ABORT_IF_C}"
            ),
            0,
        ),
    ] {
        for found in explore_both(body) {
            assert_eq!(fixed(&found), count, "{body}: {:?}", found.summary.left_out);
            assert_eq!(found.summary.is_complete(), count == 0);
        }
    }
}

#[test]
fn copies_of_unwritten_bytes_are_unwritten_and_no_news() {
    let copy = "call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 128, i1 false)";
    let made = "%p = alloca [16 x i64]\n%q = alloca [16 x i64]\n%f = getelementptr i8, ptr %p, i64 64\nstore i32 7, ptr %f";
    for (at, bits, count) in [
        (64, 32, 0),
        (64, 64, 1),
        (68, 32, 1),
        (0, 8, 1),
        (120, 64, 1),
    ] {
        for found in explore_both(&format!(
            "{made}\n{copy}\n%g = getelementptr i8, ptr %q, i64 {at}\n%v = load i{bits}, ptr %g\n%c = icmp ugt i{bits} %v, 7\n{ABORT_IF_C}"
        )) {
            assert_eq!(
                (found.exits(), fixed(&found)),
                (vec![0], count),
                "{at} {bits}"
            );
        }
    }
    // through a register, as small structures are passed
    let through =
        "%v = load i64, ptr %f\n%r = getelementptr i8, ptr %q, i64 8\nstore i64 %v, ptr %r";
    for (at, count) in [(8, 0), (12, 1)] {
        for found in explore_both(&format!(
            "{made}\n{through}\n%g = getelementptr i8, ptr %q, i64 {at}\n%w = load i32, ptr %g\n%c = icmp ugt i32 %w, 7\n{ABORT_IF_C}"
        )) {
            assert_eq!((found.exits(), fixed(&found)), (vec![0], count), "{at}");
        }
    }
}

#[test]
fn bit_fields_written_into_unwritten_words_are_known() {
    for found in explore_both(&format!(
        "%p = alloca i32\n%old = load i32, ptr %p\n%kept = and i32 %old, -8\n%new = or i32 %kept, 5\nstore i32 %new, ptr %p\n\
         %word = load i32, ptr %p\n%up = shl i32 %word, 29\n%field = lshr i32 %up, 29\n%c = icmp ne i32 %field, 5\n{ABORT_IF_C}"
    )) {
        assert_eq!(found.exits(), [0]);
        assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
    }
}

#[test]
fn zeroed_and_filled_memory_is_written_and_grown_memory_is_not() {
    let grown = "%a = call ptr @calloc(i64 4, i64 4)\n%p = call ptr @realloc(ptr %a, i64 32)\n";
    for (body, at, count) in [
        ("%p = call ptr @calloc(i64 4, i64 8)\n", 20, 0),
        (
            "%p = alloca [32 x i8]\ncall void @llvm.memset.p0.i64(ptr %p, i8 0, i64 32, i1 false)\n",
            20,
            0,
        ),
        (grown, 12, 0),
        (grown, 13, 1),
        (grown, 16, 1),
    ] {
        for found in explore_both(&format!(
            "{body}%g = getelementptr i8, ptr %p, i64 {at}\n%v = load i32, ptr %g\n%c = icmp ne i32 %v, 0\n{ABORT_IF_C}"
        )) {
            assert_eq!(
                (found.exits(), fixed(&found)),
                (vec![0], count),
                "{body} {at}"
            );
        }
    }
}

#[test]
fn symbolic_offsets_meet_unwritten_bytes_only_where_they_can() {
    let made = "%p = alloca [100 x i8]\ncall void @llvm.memset.p0.i64(ptr %p, i8 3, i64 10, i1 false)\n\
                %n = call i32 @klee_int(ptr @n)\n%i = zext i32 %n to i64\n";
    let below = |limit: u32| {
        format!(
            "{made}%low = icmp ult i32 %n, {limit}\nbr i1 %low, label %in, label %good\nin:\n%g = getelementptr i8, ptr %p, i64 %i\n"
        )
    };
    let read = "%v = load i8, ptr %g\n%c = icmp ne i8 %v, 3\n";
    for (limit, count) in [(10, 0), (11, 1)] {
        for found in explore_both(&format!("{}{read}{ABORT_IF_C}", below(limit))) {
            assert_eq!(
                fixed(&found),
                count,
                "{limit}: {:?}",
                found.summary.left_out
            );
        }
    }
    // written at a symbolic place: one byte is known, the others are not
    let write = "store i8 3, ptr %g\n";
    for found in explore_both(&format!("{}{write}{read}{ABORT_IF_C}", below(90))) {
        assert_eq!(
            (found.exits(), fixed(&found)),
            (vec![0, 0], 0),
            "{:?}",
            found.summary.left_out
        );
    }
    let other =
        "%h = getelementptr i8, ptr %p, i64 50\n%v = load i8, ptr %h\n%c = icmp ne i8 %v, 3\n";
    for found in explore_both(&format!("{}{write}{other}{ABORT_IF_C}", below(90))) {
        assert_eq!(fixed(&found), 1, "{:?}", found.summary.left_out);
    }
}

#[test]
fn a_local_of_a_loop_begins_anew() {
    let found = explore_main(include_str!(
        "programs/undefined/a_local_of_a_loop_begins_anew.ll"
    ));
    assert_eq!((found.exits(), fixed(&found)), (vec![0], 1));
}

#[test]
fn an_undefined_value_may_differ_from_itself() {
    let found = explore_main(&format!("%c = icmp ne i32 undef, undef\n{ABORT_IF_C}"));
    assert_eq!((found.exits(), fixed(&found)), (vec![0], 1));
}

#[test]
fn two_calls_leave_unlike_values_in_their_variables() {
    let body = format!(
        "%a = call i32 @garbage()\n%b = call i32 @garbage()\n%c = icmp ne i32 %a, %b\n{ABORT_IF_C}\n}}\n\
         define i32 @garbage() {{\n%p = alloca i32\n%v = load i32, ptr %p\nret i32 %v"
    );
    for found in explore_both(&body) {
        assert_eq!((found.exits(), fixed(&found)), (vec![0], 1));
    }
}

#[test]
fn a_value_differs_from_itself_only_where_it_is_undefined() {
    for (edges, count) in [
        ("label %use, label %good", 0),
        ("label %good, label %use", 1),
    ] {
        let found = explore_main(&format!(
            "%n0 = call i32 @klee_int(ptr @n)\n%some = icmp sgt i32 %n0, 0\n%v = select i1 %some, i32 %n0, i32 undef\n\
             br i1 %some, {edges}\nuse:\n%c = icmp ne i32 %v, %v\n{ABORT_IF_C}"
        ));
        assert_eq!((found.exits(), fixed(&found)), (vec![0, 0], count));
    }
}

/// A hash of memory that was never written: one guess shows that it decides, where a solver would have to invert the hash.
#[test]
fn mixed_undefined_values_need_no_solver() {
    let found = explore_main(include_str!(
        "programs/undefined/mixed_undefined_values_need_no_solver.ll"
    ));
    assert_eq!(found.exits().len(), 1);
    assert_eq!(fixed(&found), 1, "{:?}", found.summary.left_out);
    assert_eq!(found.summary.progress.queries.solver_queries(), 0);
}
