//! Seeds: their paths come first; they change the order of exploration and nothing else, unless only they are asked for.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{Found, explore_text, program};
use std::sync::Arc;
use stet_explore::{Config, LeftOutKind, Outcome, SeedUse, Seeds, TestObject};

/// A tree of 27 paths over three bytes, each with its own exit status.
fn tree() -> String {
    let mut body = String::from(
        "%p = alloca [3 x i8]\ncall void @klee_make_symbolic(ptr %p, i64 3, ptr @n)\n%s = alloca i32\nstore i32 0, ptr %s\nbr label %l0\n",
    );
    for k in 0..3 {
        body += &format!(
            "l{k}:\n%a{k} = getelementptr i8, ptr %p, i64 {k}\n%v{k} = load i8, ptr %a{k}\nswitch i8 %v{k}, label %d{k} [i8 65, label %e{k} i8 66, label %f{k}]\n\
             d{k}:\nbr label %n{k}\ne{k}:\nbr label %n{k}\nf{k}:\nbr label %n{k}\n\
             n{k}:\n%c{k} = phi i32 [0, %d{k}], [1, %e{k}], [2, %f{k}]\n%o{k} = load i32, ptr %s\n%t{k} = mul i32 %o{k}, 3\n%u{k} = add i32 %t{k}, %c{k}\n\
             store i32 %u{k}, ptr %s\nbr label %l{}\n",
            k + 1
        );
    }
    program(&(body + "l3:\n%r = load i32, ptr %s\nret i32 %r"))
}

fn seeds(inputs: &[&[u8]], usage: SeedUse) -> Config {
    let object = |bytes: &&[u8]| TestObject {
        name: "x".to_owned(),
        bytes: bytes.to_vec(),
    };
    let mut config = Config::standard();
    config.seeds = Some(Arc::new(Seeds {
        inputs: inputs.iter().map(|bytes| vec![object(bytes)]).collect(),
        by_name: false,
        extend: false,
        truncate: false,
        usage,
    }));
    config
}

/// The exit statuses in the order in which paths ended.
fn in_order(found: &Found) -> Vec<i32> {
    let status = |end: &stet_explore::PathEnd| match end.outcome {
        Outcome::Exit(status) => Some(status),
        _ => None,
    };
    found.paths.iter().filter_map(status).collect()
}

#[test]
fn the_paths_of_seeds_end_first_and_no_path_is_lost() {
    let config = seeds(&[b"BAB", b"?BA"], SeedUse::First);
    let found = explore_text(&tree(), &config);
    let order = in_order(&found);
    let mut first = order[..2].to_vec();
    first.sort_unstable();
    assert_eq!(first, [7, 2 * 9 + 3 + 2]);
    assert_eq!(found.exits(), (0..27).collect::<Vec<i32>>());
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

#[test]
fn other_paths_are_left_out_where_only_seeds_are_asked_for() {
    for usage in [SeedUse::Only, SeedUse::UntilDone] {
        let found = explore_text(&tree(), &seeds(&[b"BAB"], usage));
        assert_eq!(found.exits(), [2 * 9 + 3 + 2], "{usage:?}");
        let dropped = |entry: &&stet_explore::LeftOut| entry.kind == LeftOutKind::Dropped;
        let left = found.summary.left_out.iter().filter(dropped);
        assert_eq!(left.map(|entry| entry.count).sum::<u64>(), 6, "{usage:?}");
        assert!(!found.summary.is_complete());
    }
}

#[test]
fn a_seed_of_another_size_is_not_used_and_that_is_said() {
    let found = explore_text(&tree(), &seeds(&[b"BA"], SeedUse::First));
    assert!(
        found
            .warnings
            .iter()
            .any(|text| text.contains("2 bytes for the object `x` of 3")),
        "{:?}",
        found.warnings
    );
    assert_eq!(found.paths.len(), 27);
    let mut config = seeds(&[b"BA"], SeedUse::Only);
    let mut longer = (**config.seeds.as_ref().unwrap()).clone();
    longer.extend = true;
    config.seeds = Some(Arc::new(longer));
    assert_eq!(explore_text(&tree(), &config).exits(), [2 * 9 + 3]);
}

/// What a seed says nothing about takes whatever value the path's assumptions ask for.
#[test]
fn an_object_without_bytes_is_free() {
    let text = program(
        "%y = call i32 @klee_int(ptr @m)\n%c = icmp eq i32 %y, 77\n%w = zext i1 %c to i64\ncall void @klee_assume(i64 %w)\n\
         %x = call i32 @klee_int(ptr @n)\n%d = icmp eq i32 %x, 16909060\nbr i1 %d, label %yes, label %no\nyes:\nret i32 1\nno:\nret i32 0",
    ) + "@m = private constant [2 x i8] c\"y\\00\"\n";
    let mut config = seeds(&[&[4, 3, 2, 1]], SeedUse::Only);
    let mut named = (**config.seeds.as_ref().unwrap()).clone();
    named.by_name = true;
    config.seeds = Some(Arc::new(named));
    assert_eq!(explore_text(&text, &config).exits(), [1]);
}

/// A symbolic value that has to be fixed is fixed as the seed has it.
#[test]
fn a_value_is_fixed_as_the_seed_says() {
    let text = program(include_str!(
        "programs/seeds/a_value_is_fixed_as_the_seed_says.ll"
    ));
    let found = explore_text(&text, &seeds(&[&5000u32.to_le_bytes()], SeedUse::Only));
    assert_eq!(found.exits(), [1]);
}
