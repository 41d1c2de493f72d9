//! Undefined values and broken code: what they decide is not passed off as the only possibility.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{explore_main, explore_text, program};
use stet_explore::{Config, ErrorKind, LeftOutKind};

fn fixed(found: &common::Found) -> usize {
    let fixed = found.summary.left_out.iter();
    fixed
        .filter(|entry| entry.kind == LeftOutKind::Fixed && entry.what.contains("undefined value"))
        .count()
}

#[test]
fn a_branch_on_an_uninitialised_variable_makes_the_run_incomplete() {
    let found = explore_main(
        "%n0 = call i32 @klee_int(ptr @n)\n%c = icmp sgt i32 %n0, 0\nbr i1 %c, label %set, label %join\n\
         set:\nbr label %join\njoin:\n%x = phi i32 [ 1, %set ], [ undef, %0 ]\n%d = icmp eq i32 %x, 5\n\
         br i1 %d, label %bad, label %good\nbad:\ncall void @abort()\nunreachable\ngood:\nret i32 0",
    );
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
    let found = explore_main(
        "%old = and i32 undef, -8\n%new = or i32 %old, 5\n%field = and i32 %new, 7\n%c = icmp eq i32 %field, 5\n\
         br i1 %c, label %yes, label %no\nyes:\nret i32 0\nno:\ncall void @abort()\nunreachable",
    );
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
        "br label %loop\nloop:\n%i = phi i32 [ %j, %0 ], [ %j, %loop ]\n%j = add i32 %i, 1\n%c = icmp eq i32 %j, 9\n\
         br i1 %c, label %done, label %loop\ndone:\nret i32 %j",
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
    let found = explore_main(
        "br label %loop\nloop:\n%i = phi i32 [ 0, %0 ], [ %j, %next ]\n%j = add i32 %i, 1\n%c = icmp eq i32 %j, 9\n\
         br i1 %c, label %done, label %next\nnext:\nbr label %loop\ndead:\n%z = add i32 %z, 1\nbr label %loop2\n\
         loop2:\nret i32 %z\ndone:\nret i32 %j",
    );
    assert_eq!(found.exits(), [9]);
    assert!(found.summary.is_complete());
}
