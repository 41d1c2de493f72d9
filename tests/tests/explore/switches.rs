//! Every switch of the query chain, every order, every limit.

use super::{FORKS, TABLE, clean, json, number};
use stet_tests::Sandbox;

fn sandbox() -> Sandbox {
    Sandbox::new().file("t.ll", TABLE).file("f.ll", FORKS)
}

#[test]
fn switches_change_counters_and_not_paths() {
    let sandbox = sandbox();
    for cache in ["off", "base", "address-aware"] {
        for cex in ["on", "off"] {
            for slicing in ["on", "off"] {
                for allocator in ["bump", "per-state"] {
                    let (code, document) = json(
                        &sandbox,
                        &[
                            "t.ll",
                            "--query-cache",
                            cache,
                            "--cex-cache",
                            cex,
                            "--slicing",
                            slicing,
                            "--allocator",
                            allocator,
                            "--cache",
                            "off",
                            "--validate-cache",
                        ],
                    );
                    let what = format!("{cache} {cex} {slicing} {allocator}");
                    assert_eq!(code, Some(0), "{what}: {document:#}");
                    assert_eq!(number(&document, "/statistics/paths"), 4, "{what}");
                    let queries =
                        |name: &str| number(&document, &format!("/statistics/queries/{name}"));
                    assert_eq!(queries("mismatches"), 0, "{what}");
                    assert!(queries("c1") >= queries("c2") && queries("c2") >= queries("c3"));
                    assert!(queries("c3") > 0, "a pointer is looked up: {what}");
                    if cache == "off" {
                        assert_eq!(queries("base-hits") + queries("aware-hits"), 0, "{what}");
                    }
                    if cache != "address-aware" {
                        assert_eq!(queries("aware-hits"), 0, "{what}");
                    }
                    if cex == "off" {
                        assert_eq!(queries("cex-hits"), 0, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_address_aware_cache_sees_through_layouts() {
    let sandbox = sandbox();
    let solver = |cache: &str| {
        let arguments = [
            "t.ll",
            "--query-cache",
            cache,
            "--allocator",
            "bump",
            "--cache",
            "off",
            "--cex-cache",
            "off",
        ];
        let (_, document) = json(&sandbox, &arguments);
        number(&document, "/statistics/queries/solver-queries")
    };
    let (off, base, aware) = (solver("off"), solver("base"), solver("address-aware"));
    assert!(aware < base && base <= off, "{aware} < {base} <= {off}");
}

/// Two look-ups that differ in the name of their symbol only.
#[test]
fn names_can_matter_or_not() {
    let sandbox = sandbox();
    let solver = |names: &str| {
        let arguments = ["f.ll", "--rename-symbols", names, "--cache", "off"];
        let (_, document) = json(&sandbox, &arguments);
        number(&document, "/statistics/queries/solver-queries")
    };
    let (renamed, exact) = (solver("on"), solver("off"));
    assert!(renamed < exact, "{renamed} < {exact}");
}

#[test]
fn a_second_run_reaches_no_solver() {
    let sandbox = sandbox();
    let (_, first) = json(&sandbox, &["t.ll"]);
    let (_, second) = json(&sandbox, &["t.ll"]);
    assert!(number(&first, "/statistics/queries/solver-queries") > 0);
    assert_eq!(number(&second, "/statistics/queries/solver-queries"), 0);
    assert_eq!(number(&second, "/statistics/paths"), 4);
}

#[test]
fn orders_find_the_same_paths() {
    let sandbox = sandbox();
    for order in [
        "dfs",
        "bfs",
        "random-path",
        "random-state",
        "nurs:covnew",
        "default",
        "dfs,random-state",
    ] {
        let (code, document) = json(&sandbox, &["f.ll", "--search", order, "--seed", "3"]);
        assert_eq!(code, Some(0), "{order}: {document:#}");
        assert_eq!(number(&document, "/statistics/paths"), 256, "{order}");
    }
}

/// A limit ends a run with 3, says so, and keeps the tests that were made.
#[test]
fn limits_are_reported_and_tests_kept() {
    for (flag, value) in [
        ("--max-instructions", "300"),
        ("--max-forks", "20"),
        ("--max-depth", "3"),
        ("--max-states", "2"),
        ("--max-paths", "7"),
        ("--max-memory", "20K"),
        ("--time-limit", "0.000001"),
    ] {
        let sandbox = sandbox();
        let arguments = [
            "f.ll",
            "--search",
            "bfs",
            "--output-dir",
            "out",
            flag,
            value,
        ];
        let (code, document) = json(&sandbox, &arguments);
        assert_eq!(code, Some(3), "{flag}: {document:#}");
        assert_eq!(document["result"]["complete"], false, "{flag}");
        if flag == "--time-limit" {
            continue; // the program may not even have been set up
        }
        let ended = number(&document, "/result/paths/ended");
        let dropped = number(&document, "/result/paths/dropped");
        assert!(ended < 256, "{flag}: {document:#}");
        let tests = std::fs::read_dir(sandbox.path("out")).unwrap();
        let tests = tests
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension().is_some_and(|e| e == "ktest"))
            .count() as u64;
        assert_eq!(tests, number(&document, "/result/tests"), "{flag}");
        assert!(ended + dropped > 0 && tests > 0, "{flag}: {document:#}");
    }
}

#[test]
fn the_first_error_can_end_the_run() {
    let program = include_str!("programs/switches/the_first_error_can_end_the_run.ll");
    let sandbox = Sandbox::new().file("e.ll", program);
    let all = sandbox.run(&["explore", "e.ll"]);
    clean(&all);
    assert_eq!(all.code, Some(1));
    assert!(
        all.stdout.contains("explore/abort") && all.stdout.contains("explore/division-by-zero")
    );
    let first = sandbox.run(&["explore", "e.ll", "--stop-at-error"]);
    assert_eq!(first.code, Some(1));
    let codes = ["explore/abort", "explore/division-by-zero"];
    let found = codes.iter().filter(|code| first.stdout.contains(**code));
    assert_eq!(found.count(), 1, "{first:?}");
}

#[test]
fn shifts_are_reported_where_asked() {
    let program = include_str!("programs/switches/shifts_are_reported_where_asked.ll");
    let sandbox = Sandbox::new().file("s.ll", program);
    for (value, code) in [("report", 1), ("ignore", 0)] {
        let outcome = sandbox.run(&["explore", "s.ll", "--overshift", value]);
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
    }
}

/// Threads explore the same paths with the same tests, and say it in the same order.
#[test]
fn threads_do_not_change_the_report() {
    let sandbox = Sandbox::new().file("t.ll", TABLE);
    let alone = json(&sandbox, &["t.ll", "--cache", "off"]);
    for jobs in ["2", "5"] {
        let (code, document) = json(&sandbox, &["t.ll", "--cache", "off", "--jobs", jobs]);
        assert_eq!(code, alone.0, "{document:#}");
        for part in ["complete", "paths", "findings", "tests"] {
            assert_eq!(document["result"][part], alone.1["result"][part], "{part}");
        }
    }
    let outcome = sandbox.run(&["explore", "t.ll", "--jobs", "2", "--max-forks", "1"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stdout.contains("a limit on forks"), "{outcome:?}");
}
