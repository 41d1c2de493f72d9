//! The table of exit codes, command by command, and what an interrupt leaves behind.

use super::process::signal;
use std::process::Child;
use std::time::{Duration, Instant};
use stet_tests::Sandbox;

const HOLDS: &str = "procedure p(x: int) requires x > 0; { assert x + 1 > 1; }\n";
const FAILS: &str = "procedure p(x: int) { assert x > 0; }\n";

/// One procedure that fails at once, and one that takes a prover minutes: factors of a large prime, which has none.
const SLOW: &str = "\
function {:bvbuiltin \"bvmul\"} mul(x: bv62, y: bv62): bv62;
procedure easy(x: int) { assert x > 0; }
procedure slow(x: bv31, y: bv31)
{
  assume x != 1bv31 && y != 1bv31;
  assert mul(0bv31 ++ x, 0bv31 ++ y) != 2305843009213693951bv62;
}
";

const RETURNS: &str = "define i32 @main() {\n  ret i32 0\n}\n";
const ABORTS: &str =
    "declare void @abort()\ndefine i32 @main() {\n  call void @abort()\n  unreachable\n}\n";
const LOOPS: &str = "define i32 @main() {\n  br label %l\nl:\n  br label %l\n}\n";

fn sandbox() -> Sandbox {
    Sandbox::new()
        .file("holds.bpl", HOLDS)
        .file("fails.bpl", FAILS)
        .file("slow.bpl", SLOW)
        .file("wrong.bpl", "procedure p( {")
        .file("returns.ll", RETURNS)
        .file("aborts.ll", ABORTS)
        .file("loops.ll", LOOPS)
        .file("wrong.ll", "define i32 @main( {")
        .file("facts.pl", "p(1).\n")
}

fn has_z3() -> bool {
    std::process::Command::new("z3")
        .arg("--version")
        .output()
        .is_ok()
}

#[test]
fn the_table_of_exit_codes() {
    let sandbox = sandbox();
    let table: &[(&[&str], i32)] = &[
        (&["verify", "holds.bpl"], 0),
        (&["verify", "fails.bpl"], 1),
        (&["verify", "missing.bpl"], 2),
        (&["verify", "wrong.bpl"], 2),
        (
            &[
                "verify",
                "slow.bpl",
                "--procedure",
                "slow",
                "--time-limit",
                "0.3",
            ],
            3,
        ),
        (&["explore", "--libc", "none", "returns.ll"], 0),
        (&["explore", "--libc", "none", "aborts.ll"], 1),
        (&["explore", "--libc", "none", "missing.ll"], 2),
        (&["explore", "--libc", "none", "wrong.ll"], 2),
        (
            &[
                "explore",
                "--libc",
                "none",
                "loops.ll",
                "--max-instructions",
                "1000",
            ],
            3,
        ),
        (
            &[
                "explore",
                "--libc",
                "none",
                "loops.ll",
                "--time-limit",
                "0.1",
            ],
            3,
        ),
        // Prolog's own codes: true, false, exception.
        (&["run", "facts.pl", "-g", "p(1)"], 0),
        (&["run", "facts.pl", "-g", "p(2)"], 1),
        (&["run", "facts.pl", "-g", "throw(ball)"], 2),
        (&["run", "missing.pl", "-g", "true"], 2),
        // Boogie's and KLEE's own: findings are no failure of the tool.
        (&["boogie", "fails.bpl"], 0),
        (&["klee", "--libc=none", "aborts.ll"], 0),
        (&["klee", "missing.ll"], 2),
        (&["replay", "missing.ll", "missing.ktest"], 2),
        (&["cache", "stats"], 0),
        (&["cache", "verify"], 0),
        (&["cache", "why", "nothing"], 2),
        (&["cache", "import", "missing"], 2),
        (&["bench", "nonsense"], 2),
        (&["completions", "bash"], 0),
        (&["man"], 0),
        (&["nonsense"], 2),
        (&["debug", "panic"], 101),
    ];
    for (arguments, code) in table {
        let needs_prover = ["verify", "boogie"].contains(&arguments[0]);
        if needs_prover && !has_z3() {
            continue;
        }
        let outcome = sandbox.run(arguments);
        assert_eq!(outcome.code, Some(*code), "{arguments:?}: {outcome:?}");
    }
}

/// Waits until a process has a child, as `stet verify` has when it asks its prover.
#[cfg(target_os = "linux")]
fn child_of(process: &Child) -> u32 {
    let start = Instant::now();
    loop {
        let tasks = format!("/proc/{}/task", process.id());
        for task in std::fs::read_dir(tasks).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children"));
            let children = children.unwrap_or_default();
            if let Some(first) = children.split_whitespace().next() {
                return first.parse().unwrap();
            }
        }
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no prover was started"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process ends soon; one that was killed may be a zombie for a moment.
#[cfg(target_os = "linux")]
fn ends(process: u32) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Ctrl-C during a proof: 130, what was found so far, no orphan, and a sound store that knows it.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_verification_keeps_what_it_found() {
    if !has_z3() {
        return;
    }
    let sandbox = sandbox();
    let child = sandbox.start(&["verify", "slow.bpl", "--jobs", "1", "--format", "concise"]);
    let prover = child_of(&child);
    // Time for the procedure that fails at once.
    std::thread::sleep(Duration::from_secs(2));
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("this assertion might not hold"), "{text}");
    assert!(ends(prover), "the prover lives on");
    assert_eq!(sandbox.run(&["cache", "verify"]).code, Some(0));
    let again = sandbox.run(&[
        "verify",
        "slow.bpl",
        "--procedure",
        "easy",
        "--format",
        "json",
    ]);
    assert_eq!(again.code, Some(1));
    assert_eq!(again.json()["diagnostics"][0]["provenance"]["cached"], true);
}

/// `kill -9` during a proof leaves no prover behind.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_run_leaves_no_prover() {
    if !has_z3() {
        return;
    }
    let sandbox = sandbox();
    let mut child = sandbox.start(&["verify", "slow.bpl", "--procedure", "slow"]);
    let prover = child_of(&child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ends(prover), "the prover lives on");
    assert_eq!(sandbox.run(&["cache", "verify"]).code, Some(0));
}

#[test]
#[cfg(unix)]
fn interrupted_explorations_and_goals_end_with_130() {
    let sandbox = sandbox();
    let long: [&[&str]; 2] = [
        &["explore", "--libc", "none", "loops.ll"],
        &["run", "-g", "write(ready), nl, flush_output, repeat, fail"],
    ];
    for arguments in long {
        let child = sandbox.start(arguments);
        std::thread::sleep(Duration::from_millis(700));
        signal(&child, "INT");
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            output.status.code(),
            Some(130),
            "{arguments:?}: {text} {errors}"
        );
        assert!((text + &errors).contains("interrupted"), "{arguments:?}");
    }
    assert_eq!(sandbox.run(&["cache", "verify"]).code, Some(0));
}
