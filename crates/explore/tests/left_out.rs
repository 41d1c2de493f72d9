//! "Complete" means complete: whatever a run fixes, refuses, assumes or gives up is in its list, with kind, place and count.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{Found, explore_main, explore_text, program};
use stet_explore::{Config, LeftOutKind};

fn kinds(found: &Found) -> Vec<(LeftOutKind, u64)> {
    let entries = found.summary.left_out.iter();
    entries.map(|entry| (entry.kind, entry.count)).collect()
}

#[test]
fn a_program_without_choices_is_complete() {
    let found = explore_main("%p = call ptr @malloc(i64 8)\nstore i64 1, ptr %p\nret i32 0");
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

#[test]
fn a_large_symbolic_allocation_is_fixed_and_counted() {
    let found = explore_main(
        "%x = call i32 @klee_int(ptr @n)\n%w = zext i32 %x to i64\n%p = call ptr @malloc(i64 %w)\nret i32 0",
    );
    assert!(!found.summary.is_complete());
    assert_eq!(kinds(&found), [(LeftOutKind::Fixed, 1)]);
    let entry = &found.summary.left_out[0];
    assert!(entry.what.contains("size of a heap object"), "{entry:?}");
    assert_eq!(entry.place.function, "main");
}

/// A value that the path determines is not "fixed": nothing is lost.
#[test]
fn a_value_with_one_possibility_loses_nothing() {
    let found = explore_main(
        "%x = call i32 @klee_int(ptr @n)\n%w = zext i32 %x to i64\n%c = icmp eq i64 %w, 100000\nbr i1 %c, label %yes, label %no\n\
         yes:\n%p = call ptr @malloc(i64 %w)\nret i32 1\nno:\nret i32 0",
    );
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
    assert_eq!(found.exits(), [0, 1]);
}

#[test]
fn a_refused_allocation_is_left_out() {
    let found = explore_main("%p = call ptr @malloc(i64 99999999999)\nret i32 0");
    assert_eq!(kinds(&found), [(LeftOutKind::Refused, 1)]);
}

#[test]
fn unsupported_code_and_limits_are_left_out() {
    let found = explore_main("%x = call i32 asm \"rdpmc\", \"={eax}\"()\nret i32 %x");
    assert_eq!(kinds(&found), [(LeftOutKind::Refused, 1)]);
    let text = program(
        "%x = call i32 @klee_int(ptr @n)\n%c = icmp eq i32 %x, 1\nbr i1 %c, label %yes, label %no\n\
         yes:\nret i32 1\nno:\nret i32 0",
    );
    let mut config = Config::standard();
    config.limits.forks = Some(0);
    let found = explore_text(&text, &config);
    assert_eq!(kinds(&found), [(LeftOutKind::Dropped, 1)]);
}

/// Models of the environment written in C record their assumptions through the same list.
#[test]
fn models_record_their_assumptions() {
    let text =
        program("call void @stet_left_out(ptr @n)\ncall void @stet_left_out(ptr @n)\nret i32 0")
            + "declare void @stet_left_out(ptr)\ndeclare void @stet_refuse(ptr)\n";
    let found = explore_text(&text, &Config::standard());
    let whats: Vec<&str> = found.summary.left_out.iter().map(|e| &*e.what).collect();
    assert_eq!(whats, ["x", "x"], "two places");
    assert_eq!(found.exits(), [0]);
    let text =
        program("call void @stet_refuse(ptr @n)\nret i32 0") + "declare void @stet_refuse(ptr)\n";
    let found = explore_text(&text, &Config::standard());
    assert_eq!(kinds(&found), [(LeftOutKind::Refused, 1)]);
}

#[test]
fn a_value_given_by_klee_get_value_is_one_of_several() {
    let text = program(
        "%x = call i32 @klee_int(ptr @n)\n%y = call i32 @klee_get_value_i32(i32 %x)\nret i32 0",
    ) + "declare i32 @klee_get_value_i32(i32)\n";
    let found = explore_text(&text, &Config::standard());
    assert_eq!(kinds(&found), [(LeftOutKind::Fixed, 1)]);
}

/// A stack object of a symbolic size is explored at every small size, so an access that is wrong for one of them only is found.
#[test]
fn small_symbolic_stack_objects_are_followed_for_every_size() {
    let text = program(
        "%x = call i32 @klee_range(i32 1, i32 8, ptr @n)\n%a = alloca i32, i32 %x\n%i = sub i32 %x, 1\n%c = icmp eq i32 %x, 5\n\
         %j = select i1 %c, i32 %x, i32 %i\n%p = getelementptr i32, ptr %a, i32 %j\nstore i32 3, ptr %p\nret i32 %x",
    );
    let found = explore_text(&text, &Config::standard());
    assert_eq!(found.exits(), [1, 2, 3, 4, 6, 7]);
    assert_eq!(found.errors(), [stet_explore::ErrorKind::OutOfBounds]);
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

/// KLEE fixes the size and ends the paths with other sizes in an error of its own kind.
#[test]
fn sizes_that_are_not_followed_are_an_error_in_klees_words() {
    let text = program(
        "%x = call i32 @klee_range(i32 1, i32 8, ptr @n)\n%a = alloca i32, i32 %x\nret i32 0",
    );
    let mut config = Config::standard();
    config.klee.klee_words = true;
    let found = explore_text(&text, &config);
    assert_eq!(found.errors(), [stet_explore::ErrorKind::Model]);
    assert_eq!(found.exits(), [0]);
    assert!(!found.summary.is_complete());
}
