//! `stet verify` from outside: how verdicts were obtained, provers that misbehave, workers, explanations of misses.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![cfg(unix)]

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use stet_tests::{Outcome, Sandbox};

/// Whether Z3 can be found; says so otherwise.
fn has_z3() -> bool {
    let found = std::process::Command::new("z3").arg("--version").output();
    if found.is_err() {
        stet_testkit::skip("z3");
    }
    found.is_ok()
}

const GCD: &str = "\
procedure gcd(x, y: int) returns (r: int)
  requires 0 < x && 0 < y;
  ensures 0 <= r;
{
  if (x < y) {
    call r := gcd(x, y - x);
    assert 1 <= r;
  } else if (y < x) {
    call r := gcd(x - y, y);
  }
  assert 0 < x + y;
}
procedure other(x: int)
{
  assert x - x == 0;
}
";

fn verify(sandbox: &Sandbox, more: &[&str]) -> Outcome {
    let mut arguments = vec!["verify", "--format", "json", "--store", "verdicts.db"];
    arguments.extend(more);
    arguments.push("a.bpl");
    sandbox.run(&arguments)
}

/// Every obligation as `implementation line kind verdict: obtained`.
fn obligations(outcome: &Outcome) -> Vec<String> {
    let json = outcome.json();
    let mut found = Vec::new();
    for implementation in json["result"]["implementations"].as_array().unwrap() {
        for o in implementation["obligations"].as_array().unwrap() {
            found.push(format!(
                "{} {} {} {}: {}",
                implementation["name"].as_str().unwrap(),
                o["place"]["line"],
                o["kind"].as_str().unwrap(),
                o["verdict"].as_str().unwrap(),
                o["obtained"].as_str().unwrap()
            ));
        }
    }
    found.sort();
    found
}

fn counts(outcome: &Outcome) -> [u64; 4] {
    let checks: &Value = &outcome.json()["statistics"]["checks"];
    ["solved", "cached", "partially cached", "recycled"].map(|name| checks[name].as_u64().unwrap())
}

/// The session of [FGC Fig. 4 and 5] through the command line, a process per snapshot.
#[test]
fn json_says_how_every_verdict_was_obtained() {
    if !has_z3() {
        return;
    }
    let sandbox = Sandbox::new().file("a.bpl", GCD);
    let first = verify(&sandbox, &[]);
    assert_eq!(first.code, Some(1), "{}", first.summary());
    assert_eq!(counts(&first), [6, 0, 0, 0]);
    let again = verify(&sandbox, &[]);
    assert_eq!(again.code, Some(1));
    assert_eq!(counts(&again), [0, 6, 0, 0]);
    let as_cached = |lines: Vec<String>| -> Vec<String> {
        let lines = lines.into_iter();
        lines
            .map(|line| line.replace(": solved", ": cached"))
            .collect()
    };
    assert_eq!(obligations(&again), as_cached(obligations(&first)));
    let v1 = GCD.replace(
        "  }\n  assert 0",
        "  } else {\n    r := x;\n  }\n  assert 0",
    );
    sandbox.write("a.bpl", &v1);
    assert_eq!(
        obligations(&verify(&sandbox, &[])),
        [
            "gcd 13 assertion verified: cached",
            "gcd 3 postcondition verified: solved",
            "gcd 6 precondition verified: cached",
            "gcd 7 assertion failed: recycled",
            "gcd 9 precondition verified: cached",
            "other 17 assertion verified: cached",
        ]
    );
    sandbox.write("a.bpl", v1.replace("ensures 0 <= r", "ensures 1 <= r"));
    let last = verify(&sandbox, &[]);
    assert_eq!(last.code, Some(0), "{}", last.summary());
    assert_eq!(
        obligations(&last),
        [
            "gcd 13 assertion verified: partially cached",
            "gcd 3 postcondition verified: solved",
            "gcd 6 precondition verified: cached",
            "gcd 7 assertion verified: solved",
            "gcd 9 precondition verified: cached",
            "other 17 assertion verified: cached",
        ]
    );
}

/// What is reused for a whole file is what a new run says, in every format, and depends on options and text.
#[test]
fn unchanged_files_give_the_same_report() {
    if !has_z3() {
        return;
    }
    let sandbox = Sandbox::new().file("a.bpl", GCD);
    let run = |more: &[&str]| {
        let mut arguments = vec!["verify", "--store", "verdicts.db", "a.bpl"];
        arguments.extend(more);
        sandbox.run(&arguments)
    };
    let diagnostics = |outcome: &Outcome| {
        let text = outcome.stdout.lines();
        let own = text.filter(|line| !line.contains("cached") && !line.contains("recorded"));
        own.collect::<Vec<_>>().join("\n")
    };
    let (first, second) = (run(&[]), run(&[]));
    assert_eq!(first.code, second.code);
    assert_eq!(diagnostics(&first), diagnostics(&second));
    assert!(
        second.stdout.contains("0 solved, 6 cached"),
        "{}",
        second.summary()
    );
    let limited = run(&["--procedure", "other"]);
    assert_eq!(limited.code, Some(0), "{}", limited.summary());
    assert!(
        limited.stdout.contains("0 solved, 1 cached"),
        "{}",
        limited.summary()
    );
    sandbox.write("a.bpl", GCD.replace("x - x == 0", "x - x == 1"));
    let changed = run(&["--procedure", "other"]);
    assert_eq!(changed.code, Some(1), "{}", changed.summary());
}

const THREE: &str = "\
procedure first(x: int) { assert x <= x; }
procedure second(x: int) { assert x < 424242 || x >= 424242; }
procedure third(x: int) { assert x < x + 1; }
";

/// A sandbox with an executable script `prover` that knows its version.
fn with_prover(script: &str) -> Sandbox {
    let version = "case \"$*\" in *version*) echo 'Z3 version 4.8.12 - 64 bit'; exit 0;; esac";
    let sandbox = Sandbox::new()
        .file("a.bpl", THREE)
        .file("prover", format!("#!/bin/sh\n{version}\n{script}\n"));
    let path = sandbox.path("prover");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox
}

/// The outcomes by implementation.
fn outcomes(outcome: &Outcome) -> Vec<String> {
    let json = outcome.json();
    let implementations = json["result"]["implementations"].as_array().unwrap();
    implementations
        .iter()
        .map(|i| {
            format!(
                "{} {}",
                i["name"].as_str().unwrap(),
                i["outcome"].as_str().unwrap()
            )
        })
        .collect()
}

#[test]
fn a_missing_prover_is_named() {
    let sandbox = Sandbox::new().file("a.bpl", THREE);
    let outcome = sandbox.run(&["verify", "--prover-path", "./nowhere", "a.bpl"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    let text = outcome.summary();
    assert!(
        text.contains("verify/no-prover") && text.contains("nowhere"),
        "{text}"
    );
}

#[test]
fn a_prover_that_ends_at_once_gives_no_verdict() {
    let sandbox = with_prover("exit 7");
    let outcome = verify(&sandbox, &["--prover-path", "./prover"]);
    assert_eq!(outcome.code, Some(3), "{}", outcome.summary());
    assert_eq!(
        outcomes(&outcome),
        [
            "first inconclusive",
            "second inconclusive",
            "third inconclusive"
        ]
    );
    assert!(
        outcome.stdout.contains("the prover died"),
        "{}",
        outcome.summary()
    );
}

#[test]
fn garbage_is_no_verdict() {
    let sandbox =
        with_prover("while read line; do case \"$line\" in *check-sat*) echo banana;; esac; done");
    let outcome = verify(&sandbox, &["--prover-path", "./prover"]);
    assert_eq!(outcome.code, Some(3), "{}", outcome.summary());
    assert!(outcome.stdout.contains("banana"), "{}", outcome.summary());
    // Nothing of it was kept.
    if has_z3() {
        let good = verify(&sandbox, &[]);
        assert_eq!(good.code, Some(0), "{}", good.summary());
        assert_eq!(counts(&good), [3, 0, 0, 0]);
    }
}

#[test]
fn a_prover_that_hangs_is_stopped() {
    let sandbox = with_prover("while :; do sleep 1; done");
    let limits = [
        "--prover-path",
        "./prover",
        "--procedure-time-limit",
        "0.3",
        "--procedure",
        "first",
    ];
    let start = std::time::Instant::now();
    let outcome = verify(&sandbox, &limits);
    assert_eq!(outcome.code, Some(3), "{}", outcome.summary());
    assert_eq!(outcomes(&outcome), ["first time-out"]);
    assert!(start.elapsed().as_secs() < 60);
}

/// The prover's input ends in the middle of one question: that one has no verdict, the others do, and the store has
/// exactly those.
#[test]
fn other_procedures_are_still_verified() {
    if !has_z3() {
        return;
    }
    let sandbox = with_prover("sed -u /424242/q | exec z3 \"$@\"");
    let outcome = verify(&sandbox, &["--prover-path", "./prover"]);
    assert_eq!(outcome.code, Some(3), "{}", outcome.summary());
    assert_eq!(
        outcomes(&outcome),
        ["first verified", "second inconclusive", "third verified"]
    );
    let stored = sandbox.run(&["cache", "verify", "--store", "verdicts.db"]);
    assert_eq!(stored.code, Some(0), "{}", stored.summary());
    // The same version, but another executable: nothing of the other one's answers counts.
    sandbox.write(
        "prover",
        "#!/bin/sh\ncase \"$*\" in *version*) echo 'Z3 version 4.8.12 - 64 bit'; exit 0;; esac\nexec z3 \"$@\"\n",
    );
    let good = verify(&sandbox, &["--prover-path", "./prover"]);
    assert_eq!(good.code, Some(0), "{}", good.summary());
    assert_eq!(counts(&good), [3, 0, 0, 0]);
    let again = verify(&sandbox, &["--prover-path", "./prover"]);
    assert_eq!(counts(&again), [0, 3, 0, 0]);
}

#[test]
fn workers_do_not_change_the_output() {
    if !has_z3() {
        return;
    }
    let mut text = String::new();
    for i in 0..12 {
        let bound = if i % 3 == 0 { 5 } else { 500 };
        text += &format!(
            "procedure p{i}(x: int) requires x < {i} + 10; {{\n  var k: int;\n  k := x;\n  assert k < {bound};\n  assert k != {i};\n}}\n"
        );
    }
    let sandbox = Sandbox::new().file("a.bpl", text);
    let run = |jobs| sandbox.run(&["verify", "--cache", "off", "--jobs", jobs, "a.bpl"]);
    let (one, many) = (run("1"), run("5"));
    assert_eq!(one.code, Some(1));
    assert_eq!(one.stdout, many.stdout);
}

/// `stet cache why` names the first part of the key that differed.
#[test]
fn a_miss_is_explained() {
    if !has_z3() {
        return;
    }
    let program = "function f(i: int): int;\naxiom (forall i: int :: {f(i)} f(i) > i);\n\
                   procedure p(x: int) { assert f(x) > x; }\n";
    let sandbox = Sandbox::new().file("a.bpl", program);
    let why = || {
        let outcome = sandbox.run(&["cache", "why", "a.bpl:p", "--store", "verdicts.db"]);
        let text = outcome.summary();
        let line = text
            .lines()
            .find(|line| line.contains("first part of the key"));
        line.map(|line| line.rsplit(' ').next().unwrap_or("").to_owned())
    };
    verify(&sandbox, &[]);
    assert_eq!(why(), None, "nothing was stored before");
    sandbox.write("a.bpl", program.replace("> i)", ">= i + 1)"));
    verify(&sandbox, &[]);
    assert_eq!(why().as_deref(), Some("declarations"));
    let changed = program
        .replace("> i)", ">= i + 1)")
        .replace("assert f(x) > x", "assert f(x) >= x");
    sandbox.write("a.bpl", changed);
    verify(&sandbox, &[]);
    assert_eq!(why().as_deref(), Some("implementation"));
}
