//! `stet check`: the status of every assertion before the program runs.
//!
//! The files are loaded (their directives run, their initialization goals do not), and what the static analysis proves
//! or refutes is printed: `checked` holds in every run, `false` in none, `check` is left to `stet run`.

use crate::commands::run::host::{Console, SystemHost};
use crate::exit::ExitStatus;
use crate::input;
use crate::session::Session;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use stet_diag::Diagnostic;
use stet_run::checks::{AssertionStatus, CheckSettings, LoadProblem, PartStatus};
use stet_run::{Answer, Config, Machine};

/// Options of `stet check`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Prolog files with assertions.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// What a machine found, as plain data.
struct Outcome {
    statuses: Vec<AssertionStatus>,
    problems: Vec<LoadProblem>,
    load_errors: u32,
    mismatches: u64,
    computed: Vec<String>,
    reused: Vec<String>,
    loaded: bool,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    for file in &options.files {
        if !file.is_file() {
            session.report(input::unusable(file));
            return ExitStatus::Usage;
        }
    }
    let budget = session.budget().clone();
    let store = session.store().clone();
    let settings = CheckSettings {
        analyse: true,
        load_only: true,
        verify: session.check_cache(),
        quiet: true,
        ..CheckSettings::STANDARD
    };
    let aside = !session.is_text();
    let result = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(super::run::STACK);
        let run = || {
            let console = Arc::new(Mutex::new(Console::new(aside)));
            let config = Config {
                budget,
                ..Config::standard()
            };
            let mut machine = Machine::new(config, Box::new(SystemHost::new(console.clone())));
            machine.set_checks(&settings);
            machine.set_analysis_store(store);
            let loaded = options.files.iter().all(|file| {
                let path = machine.quote(&file.display().to_string());
                matches!(
                    machine.perform(&format!("consult({path})")),
                    Answer::True(_)
                )
            });
            super::run::flush(&console);
            let (computed, reused) = machine.analysed_units();
            Outcome {
                computed: computed.to_vec(),
                reused: reused.to_vec(),
                statuses: machine.assertion_statuses().to_vec(),
                problems: machine.load_problems().to_vec(),
                load_errors: machine.load_errors(),
                mismatches: machine.check_stats().mismatches,
                loaded,
            }
        };
        worker.spawn_scoped(scope, run).map(|handle| handle.join())
    });
    match result {
        Ok(Ok(outcome)) => outcome.report(session),
        _ => ExitStatus::Internal,
    }
}

impl Outcome {
    fn report(&self, session: &mut Session) -> ExitStatus {
        for problem in &self.problems {
            let found = super::run::checks::problem_diagnostic(session, problem);
            session.report(found);
        }
        let count = |status| {
            self.statuses
                .iter()
                .filter(|s| s.status() == status)
                .count()
        };
        for status in &self.statuses {
            session.answer(&line(status));
        }
        session.say(&format!(
            "{} assertions: {} checked, {} false, {} to be checked while the program runs",
            self.statuses.len(),
            count(PartStatus::Checked),
            count(PartStatus::False),
            count(PartStatus::Check),
        ));
        session.say(&format!(
            "{} abstract calls analysed, {} from the store",
            self.computed.len(),
            self.reused.len()
        ));
        session.set_result(json!({
            "assertions": self.statuses.iter().map(status_json).collect::<Vec<_>>(),
            "analysed": self.computed,
            "reused": self.reused,
        }));
        if self.mismatches > 0 {
            let message = format!(
                "{} stored results of the analysis differ from their recomputation",
                self.mismatches
            );
            session.report(Diagnostic::error("run/cache-mismatch", message));
            return ExitStatus::Internal;
        }
        let refuted = |p: &&LoadProblem| p.code == "run/refuted-assertion";
        let others = self.load_errors as usize > self.problems.iter().filter(refuted).count();
        if !self.loaded || others {
            ExitStatus::Usage
        } else if self.problems.iter().any(|p| p.error) || count(PartStatus::False) > 0 {
            ExitStatus::Findings
        } else {
            ExitStatus::Clean
        }
    }
}

fn word(status: PartStatus) -> &'static str {
    match status {
        PartStatus::Checked => "checked",
        PartStatus::False => "false",
        PartStatus::Check => "check",
    }
}

fn line(status: &AssertionStatus) -> String {
    let parts: Vec<String> = status
        .parts
        .iter()
        .map(|(name, part)| {
            let outside = *name == "calls" && status.external;
            let note = if outside {
                " (from outside: check)"
            } else {
                ""
            };
            format!("{name} {}{note}", word(*part))
        })
        .collect();
    format!(
        "{}:{}: {} {}: {}",
        status.file,
        status.place.lines.0,
        word(status.status()),
        status.predicate,
        parts.join(", ")
    )
}

fn status_json(status: &AssertionStatus) -> Value {
    let parts: Vec<Value> = status
        .parts
        .iter()
        .map(|(name, part)| json!({"part": name, "status": word(*part)}))
        .collect();
    json!({
        "file": status.file,
        "lines": [status.place.lines.0, status.place.lines.1],
        "predicate": status.predicate,
        "status": word(status.status()),
        "called_from_outside": status.external,
        "parts": parts,
    })
}
