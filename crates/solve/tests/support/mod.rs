//! External solvers for cross-checks: one process per batch of queries.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test support")]

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether a solver can be started; says so if not.
pub(crate) fn available(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        stet_testkit::skip(program);
    }
    found
}

/// The answers (`sat`, `unsat`, …) of a solver to a script, one per `check-sat`.
pub(crate) fn answers(program: &str, script: String) -> Vec<String> {
    let args: &[&str] = match program {
        "z3" => &["-in", "-smt2"],
        _ => &["--incremental", "--lang=smt2"],
    };
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        // A solver that dies is noticed by its missing answers.
        let _ = stdin.write_all(script.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in &lines {
        assert!(
            ["sat", "unsat", "unknown"].contains(&line.as_str()),
            "{program} says: {line}"
        );
    }
    lines
}
