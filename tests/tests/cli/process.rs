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

#[test]
fn the_time_limit_holds_in_a_phase_that_does_not_look_at_it() {
    let outcome = Sandbox::new().run(&["debug", "spin", "--time-limit", "0.1", "--format", "json"]);
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert_eq!(outcome.json()["diagnostics"][0]["code"], "limit/time");
}

#[test]
fn the_memory_limit_ends_a_run_with_a_resource_error() {
    for blind in [&["--blind"][..], &[]] {
        let mut arguments = vec![
            "--memory-limit",
            "200M",
            "--format",
            "json",
            "debug",
            "hoard",
        ];
        arguments.extend(blind);
        let outcome = Sandbox::new().run(&arguments);
        assert_eq!(outcome.code, Some(3), "{outcome:?}");
        assert_eq!(outcome.json()["diagnostics"][0]["code"], "limit/memory");
    }
}

#[test]
fn a_refused_allocation_is_a_resource_error() {
    let sandbox = Sandbox::new();
    let stet = stet_tests::stet_binary().display();
    let script = format!("ulimit -v 1000000; exec {stet} debug hoard --blind");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    drop(sandbox);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("error[limit/memory]"), "{errors}");
}

/// Deep nesting takes stack, and there is less of it under a limit on address space.
#[test]
fn deep_nesting_under_a_small_address_space_is_a_resource_error() {
    let nested = format!(
        "procedure P() {{ assert {}1{} == 1; }}\n",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let sandbox = Sandbox::new().file("deep.bpl", nested);
    let stet = stet_tests::stet_binary().display();
    let file = sandbox.path("deep.bpl");
    let script = format!(
        "ulimit -v 450000; exec {stet} verify --cache off {}",
        file.display()
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    // the nesting is over the limit of the parser, if the stack lasts until there
    let code = output.status.code();
    let is_resource_error = code == Some(3) && errors.contains("error[limit/memory]");
    assert!(is_resource_error || code == Some(2), "{code:?}: {errors}");
}

#[test]
fn results_that_cannot_be_written_change_the_exit_code() {
    let sandbox = Sandbox::new();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = sandbox
        .command(&["debug", "lines"])
        .stdout(full)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(errors.matches("output/write-failed").count(), 1, "{errors}");
    let missing = sandbox.run(&["debug", "lines", "--output", "no/such/folder/x"]);
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.stderr.contains("error[output/write-failed]"),
        "{missing:?}"
    );
}

#[test]
fn the_report_goes_to_a_file_and_the_program_keeps_the_standard_output() {
    let sandbox = Sandbox::new().file("hello.pl", "main :- write(hello), nl.\n");
    let run = |extra: &[&str]| {
        let mut arguments = vec!["run", "hello.pl", "-g", "main", "--format", "json"];
        arguments.extend(extra);
        sandbox.run(&arguments)
    };
    let apart = run(&["--output", "report.json"]);
    assert_eq!(apart.stdout, "hello\n", "{apart:?}");
    let report = std::fs::read_to_string(sandbox.path("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["exit_code"], 0);
    let together = run(&[]);
    assert_eq!(together.json()["exit_code"], 0);
    assert_eq!(together.stderr, "hello\n");
}

#[test]
fn every_code_of_a_missing_file_is_the_same_one() {
    let commands: &[&[&str]] = &[
        &["run"],
        &["check"],
        &["explore"],
        &["verify"],
        &["replay", "program.c"],
        &["ktest-tool"],
        &["klee-stats"],
        &["cache", "import"],
    ];
    for command in commands {
        let arguments = [command, &["missing.x", "--format", "json"][..]].concat();
        let outcome = Sandbox::new().run(&arguments);
        assert_eq!(outcome.code, Some(2), "{command:?}");
        let report = outcome.json();
        assert_eq!(
            report["diagnostics"][0]["code"], "input/not-found",
            "{command:?}"
        );
    }
}

#[test]
fn codes_are_explained() {
    let sandbox = Sandbox::new();
    let one = sandbox.run(&["explain", "verify/postcondition"]);
    assert_eq!(one.code, Some(0));
    assert!(one.stdout.starts_with("verify/postcondition: "), "{one:?}");
    assert!(one.stdout.contains("Example:"), "{one:?}");
    let all = sandbox.run(&["explain"]);
    assert!(all.stdout.lines().count() > 60, "{all:?}");
    assert_eq!(sandbox.run(&["explain", "verify/nonsense"]).code, Some(2));
}
