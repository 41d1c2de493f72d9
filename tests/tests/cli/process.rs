//! How a run ends: panics, Ctrl-C, time limits, readers that go away.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};
use stet_tests::Sandbox;

#[test]
fn a_panic_says_how_to_report_and_exits_101() {
    let outcome = Sandbox::new().run(&["debug", "panic"]);
    assert_eq!(outcome.code, Some(101));
    let first = outcome.stderr.lines().next().unwrap();
    assert!(
        first.starts_with("stet: internal error: a deliberate panic ("),
        "{first}"
    );
    assert!(outcome.stderr.contains("Please report it"));
    assert!(!outcome.stderr.contains("stack backtrace"));
}

pub(super) fn signal(child: &Child, name: &str) {
    // the shell's own `kill`: a bare system has no such program
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{name} {}", child.id())])
        .status()
        .unwrap();
    assert!(status.success());
}

/// Starts a run that waits and returns once it does.
fn waiting(sandbox: &Sandbox) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = sandbox.start(&["debug", "wait", "--format", "concise"]);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "it ended early");
    }
    (child, output)
}

#[test]
fn ctrl_c_prints_partial_results_and_keeps_the_store() {
    for name in ["INT", "TERM"] {
        let sandbox = Sandbox::new();
        let (mut child, mut output) = waiting(&sandbox);
        signal(&child, name);
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        assert!(rest.contains("partial results"), "{rest}");
        let report = sandbox
            .run(&["debug", "check", "1", "--format", "json"])
            .json();
        assert_eq!(report["diagnostics"][0]["provenance"]["cached"], true);
    }
}

#[test]
fn a_killed_run_leaves_a_store_that_opens() {
    let sandbox = Sandbox::new();
    let (mut child, _output) = waiting(&sandbox);
    child.kill().unwrap();
    child.wait().unwrap();
    let outcome = sandbox.run(&["cache", "verify"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.is_empty(), "{outcome:?}");
}

#[test]
fn the_time_limit_ends_the_run() {
    let outcome = Sandbox::new().run(&["debug", "wait", "--time-limit", "0.05"]);
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stdout.contains("partial results"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.start(&["debug", "lines"]);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    drop(output);
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{errors}");
    assert!(errors.is_empty(), "{errors}");
}

#[test]
fn many_processes_make_and_share_one_store() {
    let sandbox = Sandbox::new();
    let values: Vec<String> = (0..12).map(|n| n.to_string()).collect();
    let running: Vec<Child> = values
        .iter()
        .map(|value| sandbox.start(&["debug", "check", value, "--format", "json"]))
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.is_empty(), "{errors}");
    }
    for value in &values {
        let report = sandbox
            .run(&["debug", "check", value, "--format", "json"])
            .json();
        let provenance = &report["diagnostics"][0]["provenance"];
        assert_eq!(provenance["cached"], true, "{value}");
    }
    let verified = sandbox.run(&["cache", "verify"]);
    assert_eq!(verified.stdout, "sound: 12 verdicts\n");
}
