//! What build servers use: parts of a program, and a summary for people.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use stet_tests::Sandbox;

fn program(count: usize) -> String {
    let procedures = (0..count).map(|n| {
        let claim = if n == 3 { "false" } else { "true" };
        format!("procedure P{n}() {{ assert {claim}; }}\n")
    });
    procedures.collect()
}

fn has_prover() -> bool {
    let z3 = std::process::Command::new("z3").arg("--version").output();
    let found = z3.is_ok_and(|output| output.status.success());
    if !found {
        stet_testkit::skip("z3 is not installed");
    }
    found
}

/// The names verified in a part.
fn names(sandbox: &Sandbox, file: &str, shard: &str) -> Vec<String> {
    let run = sandbox.run(&["verify", file, "--shard", shard, "--format", "json"]);
    let report = run.json();
    let list = report["result"]["implementations"]
        .as_array()
        .unwrap()
        .clone();
    list.iter()
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_parts_of_a_program_are_all_of_it_and_stay_where_they_are() {
    if !has_prover() {
        return;
    }
    let sandbox = Sandbox::new().file("p.bpl", program(40));
    let mut parts: BTreeMap<String, usize> = BTreeMap::new();
    for part in 1..=3 {
        for name in names(&sandbox, "p.bpl", &format!("{part}/3")) {
            assert_eq!(
                parts.insert(name.clone(), part),
                None,
                "{name} is in two parts"
            );
        }
    }
    assert_eq!(parts.len(), 40);
    let sizes = (1..=3).map(|part| parts.values().filter(|&&p| p == part).count());
    assert!(sizes.into_iter().all(|size| size > 4), "{parts:?}");
    // An edit elsewhere moves nothing.
    sandbox.write(
        "q.bpl",
        format!("procedure New() {{ assert true; }}\n{}", program(41)),
    );
    for part in 1..=3 {
        for name in names(&sandbox, "q.bpl", &format!("{part}/3")) {
            let before = parts.get(&name).copied().unwrap_or(part);
            assert_eq!(before, part, "{name} moved");
        }
    }
    for wrong in ["0/3", "4/3", "1", "x/y", "1/0"] {
        let run = sandbox.run(&["verify", "p.bpl", "--shard", wrong]);
        assert_eq!(run.code, Some(2), "{wrong}");
    }
}

#[test]
fn the_summary_says_what_is_new_and_what_was_reused() {
    if !has_prover() {
        return;
    }
    let sandbox = Sandbox::new().file("p.bpl", program(5));
    let first = sandbox.run(&["verify", "p.bpl", "--format", "markdown"]);
    assert_eq!(first.code, Some(1), "{first:?}");
    assert!(
        first.stdout.starts_with("## stet verify: findings"),
        "{first:?}"
    );
    assert!(first.stdout.contains("| verified | 4 | 0 |"), "{first:?}");
    assert!(
        first.stdout.contains("### Findings: 1 new, 0 known"),
        "{first:?}"
    );
    let second = sandbox.run(&["verify", "p.bpl", "--format", "markdown"]);
    assert!(second.stdout.contains("| verified | 0 | 4 |"), "{second:?}");
    assert!(
        second.stdout.contains("### Findings: 0 new, 1 known"),
        "{second:?}"
    );
    assert!(second.stdout.contains("p.bpl:4:"), "{second:?}");
}
