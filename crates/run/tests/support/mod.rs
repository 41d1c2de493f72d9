//! Programs with assertions in a machine, and what their goals come to.

#![allow(dead_code, reason = "each test program uses what it needs")]

use std::sync::{Arc, Mutex};
use stet_run::checks::CheckSettings;
use stet_run::{Answer, Config, Machine, MemoryHost, Request, open};

/// A machine with a program loaded.
pub(crate) struct Run {
    pub(crate) machine: Machine,
    output: Arc<Mutex<String>>,
    errors: Arc<Mutex<String>>,
}

impl Run {
    /// Loads the program.
    pub(crate) fn new(program: &str, settings: &CheckSettings, gc_stress: u32) -> Run {
        let mut host = MemoryHost::default();
        let (output, errors) = (host.output.clone(), host.errors.clone());
        host.files
            .insert("/m.pl".to_string(), program.as_bytes().to_vec());
        let request = Request {
            config: Config {
                memory: 1 << 28,
                gc_stress,
                ..Config::standard()
            },
            checks: *settings,
            ..Request::load(&[])
        };
        let mut machine = open(&request, Box::new(host));
        let loaded = machine.run_goal("consult('/m.pl')");
        assert!(matches!(loaded, Answer::True(_)), "{loaded:?}");
        Run {
            machine,
            output,
            errors,
        }
    }

    /// Runs a goal once; violations and the outcome as text.
    pub(crate) fn goal(&mut self, goal: &str) -> String {
        let before = self.machine.violations().len();
        let answer = match self.machine.run_goal(goal) {
            Answer::True(solution) if solution.goals.is_empty() => "true".to_string(),
            Answer::True(solution) => solution.goals.join(", "),
            Answer::False => "false".to_string(),
            Answer::Exception { ball, .. } => ball,
            Answer::Halt(code) => format!("halt {code}"),
        };
        let mut text = String::new();
        for violation in &self.machine.violations()[before..] {
            text.push_str(&format!(
                "{}: {} / {}\n",
                violation.kind, violation.required, violation.actual
            ));
        }
        text.push_str(&answer);
        text
    }

    /// What the program wrote.
    pub(crate) fn written(&self) -> String {
        self.output.lock().expect("no panic while held").clone()
    }

    pub(crate) fn errors(&self) -> String {
        self.errors.lock().expect("no panic while held").clone()
    }
}

/// Violations are collected, not written.
pub(crate) const QUIET: CheckSettings = CheckSettings {
    quiet: true,
    ..CheckSettings::STANDARD
};

/// What makes a file a module with assertions.
pub(crate) const HEADER: &str = ":- module(m, [], [assertions, regtypes, rtchecks]).\n";

/// Each case: goal, then violations and answer.
pub(crate) fn check(program: &str, cases: &[(&str, &str)]) {
    for verify in [false, true] {
        let settings = CheckSettings { verify, ..QUIET };
        let mut run = Run::new(&format!("{HEADER}{program}"), &settings, 0);
        for (goal, expected) in cases {
            assert_eq!(
                run.goal(&format!("m:({goal})")),
                *expected,
                "{goal} in {program}"
            );
        }
        assert_eq!(run.machine.check_stats().mismatches, 0);
    }
}
