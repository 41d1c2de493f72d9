//! Programs whose paths depend on addresses: the same paths with the cache off, base and address-aware, in every
//! order of exploration and with both allocators.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{Found, explore_text, program, with_cache};
use stet_explore::query::CacheMode;
use stet_explore::{Allocator, Config, ErrorKind, Search};

/// Explores in all modes, checks that they agree and that no validated hit is wrong; returns the uncached run.
fn agree(text: &str) -> Found {
    let plain = explore_text(text, &with_cache(CacheMode::Off));
    for allocator in [Allocator::PerState, Allocator::Bump] {
        for mode in [CacheMode::Off, CacheMode::Base, CacheMode::AddressAware] {
            let mut config = with_cache(mode);
            config.allocator = allocator;
            config.query.validate = true;
            let found = explore_text(text, &config);
            assert_eq!(found.shapes(), plain.shapes(), "{mode:?} {allocator:?}");
            assert!(
                found.summary.mismatches.is_empty(),
                "{:?}",
                found.summary.mismatches
            );
            let covered = (
                found.summary.progress.covered,
                plain.summary.progress.covered,
            );
            assert_eq!(covered.0, covered.1);
        }
    }
    plain
}

/// A fork whose sides allocate different numbers of objects, so that what follows has two layouts.
const FORKED: &str = "%z = call i32 @klee_int(ptr @n)\n%zc = icmp sgt i32 %z, 0\nbr i1 %zc, label %more, label %go\nmore:\n\
    %m1 = call ptr @malloc(i64 2)\n%m2 = call ptr @malloc(i64 8)\n%m3 = call ptr @malloc(i64 100)\nbr label %go\ngo:\n";

#[test]
fn figure_1() {
    let body = format!(
        "{FORKED}%t = call ptr @calloc(i64 2, i64 8)\n%a = call ptr @calloc(i64 2, i64 1)\n%b = call ptr @calloc(i64 2, i64 1)\n\
         store ptr %a, ptr %t\n%t1 = getelementptr ptr, ptr %t, i64 1\nstore ptr %b, ptr %t1\n\
         %a1 = getelementptr i8, ptr %a, i64 1\nstore i8 7, ptr %a1\n\
         %i = call i32 @klee_range(i32 0, i32 2, ptr @n)\n%j = call i32 @klee_range(i32 0, i32 2, ptr @n)\n\
         %iw = zext i32 %i to i64\n%jw = zext i32 %j to i64\n%row = getelementptr ptr, ptr %t, i64 %iw\n%r = load ptr, ptr %row\n\
         %cell = getelementptr i8, ptr %r, i64 %jw\n%v = load i8, ptr %cell\n%c = icmp eq i8 %v, 7\nbr i1 %c, label %yes, label %no\n\
         yes:\nret i32 1\nno:\nret i32 0"
    );
    let text = program(&body);
    let found = agree(&text);
    assert_eq!(
        found.exits(),
        [0, 0, 0, 0, 1, 1],
        "two objects, of which one has the 7, under two layouts"
    );
    // the second layout costs nothing: q7 = q5 and q8 = q6 up to addresses [AAQC Table I]
    let solver = |mode| {
        let mut config = with_cache(mode);
        config.query.counterexample_cache = false;
        explore_text(&text, &config)
            .summary
            .progress
            .queries
            .solver_queries()
    };
    let (base, aware) = (solver(CacheMode::Base), solver(CacheMode::AddressAware));
    assert!(aware < base, "{aware} < {base}");
    let without_fork = text.replace("%zc = icmp sgt i32 %z, 0", "%zc = icmp sgt i32 0, 0");
    let single = {
        let mut config = with_cache(CacheMode::AddressAware);
        config.query.counterexample_cache = false;
        explore_text(&without_fork, &config)
            .summary
            .progress
            .queries
            .solver_queries()
    };
    assert!(aware <= single + 3, "{aware} <= {single} + 3");
}

#[test]
fn a_tagged_pointer_with_its_low_byte_overwritten() {
    // t[0] and t[1] point to like objects; the low byte of one of them is overwritten by a tag
    for tagged in [0, 8] {
        let body = format!(
            "{FORKED}%t = call ptr @calloc(i64 2, i64 8)\n%a = call ptr @calloc(i64 16, i64 1)\n%b = call ptr @calloc(i64 16, i64 1)\n\
             store ptr %a, ptr %t\n%t1 = getelementptr i8, ptr %t, i64 8\nstore ptr %b, ptr %t1\n\
             %low = getelementptr i8, ptr %t, i64 {tagged}\nstore i8 1, ptr %low\n\
             %i = call i32 @klee_range(i32 0, i32 2, ptr @n)\n%iw = zext i32 %i to i64\n%at = getelementptr ptr, ptr %t, i64 %iw\n\
             %p = load ptr, ptr %at\n%n = ptrtoint ptr %p to i64\n%bit = and i64 %n, 1\n%c = icmp eq i64 %bit, 1\n\
             br i1 %c, label %yes, label %no\nyes:\nret i32 1\nno:\nret i32 0"
        );
        let found = agree(&program(&body));
        assert_eq!(found.exits(), [0, 0, 1, 1]);
    }
}

#[test]
fn a_table_of_pointers_where_one_entry_differs_in_a_middle_byte() {
    let table = |damage: &str| {
        program(&format!(
            "{FORKED}%t = call ptr @calloc(i64 2, i64 8)\n%a = call ptr @calloc(i64 4, i64 1)\n%b = call ptr @calloc(i64 4, i64 1)\n\
             store ptr %a, ptr %t\n%t1 = getelementptr i8, ptr %t, i64 8\nstore ptr %b, ptr %t1\n{damage}\
             %i = call i32 @klee_range(i32 0, i32 2, ptr @n)\n%iw = zext i32 %i to i64\n%at = getelementptr ptr, ptr %t, i64 %iw\n\
             %p = load ptr, ptr %at\n%v = load i8, ptr %p\nret i32 0"
        ))
    };
    let whole = agree(&table(""));
    assert_eq!(whole.errors(), []);
    let damaged = agree(&table(
        "%mid = getelementptr i8, ptr %t, i64 12\nstore i8 -1, ptr %mid\n",
    ));
    assert_eq!(
        damaged.errors(),
        [ErrorKind::OutOfBounds; 2],
        "under both layouts"
    );
}

#[test]
fn order_of_objects() {
    // q lies between the objects of t, and where depends on the order of allocation
    for order in ["a q b", "q a b", "a b q"] {
        let mut allocations = String::new();
        for name in order.split(' ') {
            allocations += &format!("%{name} = call ptr @malloc(i64 8)\n");
        }
        let body = format!(
            "{FORKED}{allocations}%t = call ptr @calloc(i64 2, i64 8)\nstore ptr %a, ptr %t\n%t1 = getelementptr i8, ptr %t, i64 8\n\
             store ptr %b, ptr %t1\n%i = call i32 @klee_range(i32 0, i32 2, ptr @n)\n%iw = zext i32 %i to i64\n\
             %at = getelementptr ptr, ptr %t, i64 %iw\n%p = load ptr, ptr %at\n%c = icmp ult ptr %p, %q\n\
             br i1 %c, label %yes, label %no\nyes:\nret i32 1\nno:\nret i32 0"
        );
        let found = agree(&program(&body));
        let expected: &[i32] = match order {
            "a q b" => &[0, 0, 1, 1],
            "q a b" => &[0, 0],
            _ => &[1, 1],
        };
        assert_eq!(found.exits(), expected, "{order}");
    }
}

#[test]
fn a_user_variable_named_like_an_internal_symbol() {
    let body = format!(
        "{FORKED}%t = call ptr @calloc(i64 1, i64 8)\n%x = alloca i64\ncall void @klee_make_symbolic(ptr %x, i64 8, ptr @evil)\n\
         %v = load i64, ptr %x\n%ti = ptrtoint ptr %t to i64\n%c = icmp eq i64 %v, %ti\nbr i1 %c, label %yes, label %no\n\
         yes:\n%p = inttoptr i64 %v to ptr\nstore i8 1, ptr %p\nret i32 1\nno:\nret i32 0"
    );
    let names = [
        "base 0x100000000000 size 8\\00",
        "base.100000000000.8\\00\\00\\00\\00\\00\\00\\00",
    ];
    for name in names {
        let text = format!(
            "{}@evil = private constant [{} x i8] c\"{name}\"\n",
            program(&body),
            name.replace("\\00", "0").len()
        );
        let found = agree(&text);
        assert_eq!(found.exits(), [0, 0, 1, 1]);
        assert_eq!(found.errors(), []);
    }
}

#[test]
fn every_searcher_finds_the_same_paths() {
    let body = include_str!("programs/soundness/every_searcher_finds_the_same_paths.ll");
    let text = program(body);
    let all = [
        Search::Dfs,
        Search::Bfs,
        Search::Deepening,
        Search::RandomPath,
        Search::RandomState,
        Search::CoveredNew,
    ];
    let mut orders: Vec<Vec<Search>> = all.iter().map(|&search| vec![search]).collect();
    orders.push(vec![Search::RandomPath, Search::CoveredNew]);
    for search in orders {
        for seed in [1, 7] {
            let mut config = Config::standard();
            config.search = search.clone();
            config.seed = seed;
            let found = explore_text(&text, &config);
            assert_eq!(found.paths.len(), 64, "{search:?}");
            let ones = found.exits().iter().filter(|&&status| status == 1).count();
            assert_eq!(ones, 6);
        }
    }
}

/// Both sides of a branch set a jump, to a buffer of their own: states that do not come back to the same place stay apart.
#[test]
fn states_that_jump_to_different_places_are_not_merged() {
    let text = include_str!("programs/soundness/jumps_set_on_one_side.ll");
    for use_merge in [false, true] {
        let mut config = Config::standard();
        config.klee.use_merge = use_merge;
        let found = explore_text(text, &config);
        assert_eq!(found.errors(), [], "{use_merge}");
        assert_eq!(found.exits(), [1, 2], "{use_merge}");
    }
}
