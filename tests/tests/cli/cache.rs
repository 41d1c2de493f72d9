//! The store as the command line shows it.

use super::check;
use expect_test::expect;
use stet_tests::{Outcome, Sandbox};

fn cached(outcome: &Outcome) -> bool {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report = outcome.json();
    report["diagnostics"][0]["provenance"]["cached"]
        .as_bool()
        .unwrap()
}

fn debug_check(sandbox: &Sandbox, value: &str, mode: &str) -> bool {
    cached(&sandbox.run(&["debug", "check", value, "--cache", mode, "--format", "json"]))
}

#[test]
fn modes() {
    let sandbox = Sandbox::new();
    assert!(!debug_check(&sandbox, "1", "read-only"));
    assert!(!sandbox.path(".cache").exists());
    assert!(!debug_check(&sandbox, "1", "read-write"));
    assert!(debug_check(&sandbox, "1", "read-write"));
    assert!(debug_check(&sandbox, "1", "read-only"));
    assert!(debug_check(&sandbox, "1", "enforce"));
    assert!(!debug_check(&sandbox, "1", "off"));
    check(
        &sandbox.run(&["debug", "check", "2", "--cache", "enforce"]),
        &expect![[r#"
            exit 3
            --- stdout
            note[debug/check]: it holds

            error[cache/enforced-miss]: `--cache enforce`: 1 look-up not answered by the store
              = note: run once with `--cache read-write`, or ask `stet cache why SUBJECT`

        "#]],
    );
    assert!(
        !debug_check(&sandbox, "2", "read-only"),
        "enforce adds nothing"
    );
}

#[test]
fn why_names_the_first_part_that_differed() {
    let sandbox = Sandbox::new();
    debug_check(&sandbox, "1", "read-write");
    debug_check(&sandbox, "2", "read-write");
    let outcome = sandbox.run(&["cache", "why", "debug:check"]);
    assert_eq!(outcome.code, Some(0));
    let text = &outcome.stdout;
    assert!(
        text.contains("the first part of the key that differed: value"),
        "{text}"
    );
    assert!(
        text.contains("latest verdict: holds, computed 20"),
        "{text}"
    );

    let report = sandbox
        .run(&["cache", "why", "debug:check", "--format", "json"])
        .json();
    let subject = &report["result"]["subjects"][0];
    assert_eq!(subject["miss"]["first_difference"], "value");
    assert_eq!(subject["miss"]["key"], subject["latest"]["key"]);
    assert_eq!(
        subject["miss"]["parts"][0]["now"],
        subject["miss"]["parts"][0]["before"]
    );
    let key = subject["latest"]["key"].as_str().unwrap();
    let by_key = sandbox.run(&["cache", "why", &key[..10]]);
    assert!(
        by_key.stdout.contains("debug:check (debug/check)"),
        "{by_key:?}"
    );

    check(
        &sandbox.run(&["cache", "why", "debug"]),
        &expect![[r#"
        exit 2
        --- stdout
        error[cache/unknown-subject]: the store knows nothing about `debug`
          = note: there is `debug:check` (debug/check)

    "#]],
    );
    check(
        &Sandbox::new().run(&["cache", "why", "x"]),
        &expect![[r#"
        exit 2
        --- stdout
        there is no store yet at [DIR]/.cache/stet/store.db
    "#]],
    );
}

#[test]
fn maintenance() {
    let sandbox = Sandbox::new();
    check(
        &sandbox.run(&["cache", "stats"]),
        &expect![[r#"
        exit 0
        --- stdout
        there is no store yet at [DIR]/.cache/stet/store.db
    "#]],
    );
    for value in ["1", "2", "3"] {
        debug_check(&sandbox, value, "read-write");
    }
    let stats = sandbox.run(&["cache", "stats", "--format", "json"]).json();
    assert_eq!(stats["result"]["verdicts"], 3);
    assert_eq!(stats["result"]["kinds"][0]["kind"], "debug/check");
    assert!(
        sandbox
            .run(&["cache", "stats"])
            .stdout
            .contains("verdicts 3")
    );
    check(
        &sandbox.run(&["cache", "verify"]),
        &expect![[r#"
            exit 0
            --- stdout
            sound: 3 verdicts
        "#]],
    );
    check(
        &sandbox.run(&["cache", "export", "verdicts"]),
        &expect![[r#"
        exit 0
        --- stdout
        3 verdicts written to verdicts
    "#]],
    );
    check(
        &sandbox.run(&["cache", "clear", "--kind", "other"]),
        &expect![[r#"
            exit 0
            --- stdout
            0 verdicts removed
        "#]],
    );
    check(
        &sandbox.run(&["cache", "clear"]),
        &expect![[r#"
        exit 0
        --- stdout
        3 verdicts removed
    "#]],
    );
    assert!(!debug_check(&sandbox, "2", "read-only"));
    check(
        &sandbox.run(&["cache", "import", "verdicts"]),
        &expect![[r#"
        exit 0
        --- stdout
        3 verdicts imported
    "#]],
    );
    assert!(debug_check(&sandbox, "2", "read-only"));
    check(
        &sandbox.run(&["cache", "gc", "--max-size", "0"]),
        &expect![[r#"
            exit 0
            --- stdout
            3 verdicts removed
        "#]],
    );
    assert!(!debug_check(&sandbox, "2", "read-only"));
    check(
        &sandbox.run(&["cache", "clear", "--cache", "read-only"]),
        &expect![[r#"
            exit 2
            --- stdout
            error[cache/read-only]: this changes the store, which `--cache` forbids

        "#]],
    );
}

#[test]
fn damaged_exports_are_refused() {
    let sandbox = Sandbox::new();
    debug_check(&sandbox, "1", "read-write");
    assert_eq!(sandbox.run(&["cache", "export", "v"]).code, Some(0));
    let mut bytes = std::fs::read(sandbox.path("v")).unwrap();
    bytes[40] ^= 1;
    sandbox.write("v", &bytes);
    check(
        &sandbox.run(&["cache", "import", "v"]),
        &expect![[r#"
        exit 2
        --- stdout
        error[cache/import]: cannot import `v`: it is truncated or was changed
          = note: nothing was imported

    "#]],
    );
    sandbox.write("v", "nonsense");
    check(
        &sandbox.run(&["cache", "import", "v"]),
        &expect![[r#"
        exit 2
        --- stdout
        error[cache/import]: cannot import `v`: it was not made by `stet cache export`
          = note: nothing was imported

    "#]],
    );
    assert_eq!(sandbox.run(&["cache", "import", "missing"]).code, Some(2));
}

#[test]
fn a_foreign_file_is_left_alone_and_said_so() {
    let sandbox = Sandbox::new().file("thesis.txt", "my only copy of a long text");
    check(
        &sandbox.run(&["debug", "check", "1", "--store", "thesis.txt"]),
        &expect![[r#"
            exit 0
            --- stdout
            note[debug/check]: it holds

            --- stderr
            warning[store/foreign-file]: `thesis.txt` is not a store of Stet and is left alone
              = note: verdicts are kept for this run only; choose another file with `--store`
        "#]],
    );
    check(
        &sandbox.run(&["cache", "clear", "--store", "thesis.txt"]),
        &expect![[r#"
            exit 2
            --- stdout
            error[cache/unusable]: there is no usable store

            --- stderr
            warning[store/foreign-file]: `thesis.txt` is not a store of Stet and is left alone
              = note: verdicts are kept for this run only; choose another file with `--store`
        "#]],
    );
    let left = std::fs::read_to_string(sandbox.path("thesis.txt")).unwrap();
    assert_eq!(left, "my only copy of a long text");
}

#[test]
fn a_damaged_verdict_is_recomputed_and_found_by_verify() {
    let sandbox = Sandbox::new();
    debug_check(&sandbox, "1", "read-write");
    let path = sandbox.path(".cache/stet/store.db");
    let bytes = std::fs::read(&path).unwrap();
    let needle = b"debug:check";
    let at = bytes
        .windows(needle.len())
        .rposition(|window| window == needle)
        .unwrap();
    let mut damaged = bytes.clone();
    damaged[at] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let outcome = sandbox.run(&["cache", "verify", "--cache", "read-only"]);
    assert!(
        outcome.code == Some(1) || outcome.stdout.contains("sound: 1 verdict"),
        "{outcome:?}"
    );
    let first = sandbox.run(&["debug", "check", "1", "--format", "json"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(debug_check(&sandbox, "1", "read-write"));
    assert_eq!(sandbox.run(&["cache", "verify"]).code, Some(0));
}

/// The file that is read must not be the file that is written, whatever it is called.
#[test]
fn an_export_never_replaces_a_store() {
    let sandbox = Sandbox::new();
    let value =
        |n: &str| cached(&sandbox.run(&["--store", "X", "debug", "check", n, "--format", "json"]));
    assert!(!value("1"));
    std::fs::hard_link(sandbox.path("X"), sandbox.path("linked")).unwrap();
    let other = sandbox.run(&["--store", "Y", "debug", "check", "1"]);
    assert_eq!(other.code, Some(0));
    for target in ["X", "./X", "linked", "Y"] {
        let before = std::fs::read(sandbox.path(target)).unwrap();
        let outcome = sandbox.run(&["--store", "X", "cache", "export", target]);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stdout.contains("cache/export-over-store"));
        assert_eq!(std::fs::read(sandbox.path(target)).unwrap(), before);
    }
    assert!(value("1"), "the store still answers");
    let outcome = sandbox.run(&["--store", "X", "cache", "export", "out.stet"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let names = std::fs::read_dir(sandbox.path(".")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    let is_draft = |name: &std::ffi::OsString| name.to_string_lossy().starts_with(".stet-export");
    assert!(!names.iter().any(is_draft), "{names:?}");
}

/// `--cache enforce` with misses ends with 3, also when the computed verdict is a finding.
#[test]
fn an_enforced_miss_has_one_exit_code() {
    let program = "procedure P() { assert false; }";
    let sandbox = Sandbox::new().file("p.bpl", program);
    let found = sandbox.run(&["verify", "p.bpl"]);
    if found.code == Some(2) {
        return; // no prover here; other tests say so
    }
    assert_eq!(found.code, Some(1), "{found:?}");
    let kept = sandbox.run(&["verify", "p.bpl", "--cache", "enforce"]);
    assert_eq!(kept.code, Some(1), "no miss: {kept:?}");
    sandbox.write("p.bpl", "procedure P() { assert 1 == 2; }");
    let missed = sandbox.run(&["verify", "p.bpl", "--cache", "enforce"]);
    assert_eq!(missed.code, Some(3), "{missed:?}");
    assert!(missed.stdout.contains("cache/enforced-miss"), "{missed:?}");
}
