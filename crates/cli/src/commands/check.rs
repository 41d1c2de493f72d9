//! `stet check`: the status of every assertion before the program runs.
//!
//! The files are loaded (their directives run, their initialization goals do not), and what the static analysis proves
//! or refutes is printed: `checked` holds in every run, `false` in none, `check` is left to `stet run`.

use crate::commands::run::host::{Console, Hosts};
use crate::exit::ExitStatus;
use crate::input;
use crate::session::Session;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use stet_base::Budget;
use stet_diag::Diagnostic;
use stet_run::checks::{AssertionStatus, CheckSettings, LoadProblem, PartStatus};
use stet_run::{Config, Ending, Outcome, Request};
use stet_store::Store;

/// Options of `stet check`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Prolog files with assertions.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    for file in &options.files {
        if !input::is_readable(file) {
            session.report(input::unusable(file));
            return ExitStatus::Usage;
        }
    }
    let files: Vec<String> = options
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let console = Arc::new(Mutex::new(Console::new(!session.is_text())));
    let hosts = Hosts::new(&console);
    let request = Request {
        config: Config {
            budget: session.budget().clone(),
            ..Config::standard()
        },
        checks: CheckSettings {
            analyse: true,
            load_only: true,
            verify: session.check_cache(),
            quiet: true,
            ..CheckSettings::STANDARD
        },
        store: Some(session.store().clone()),
        ..Request::load(&files)
    };
    let result = stet_run::run(request, &|| hosts.next(), &mut |_| {});
    super::run::flush(&console);
    match result {
        Ok(outcome) => report(outcome, session),
        Err(_) => ExitStatus::Internal,
    }
}

fn report(mut outcome: Outcome, session: &mut Session) -> ExitStatus {
    session.sources = std::mem::take(&mut outcome.sources);
    let is_text = session.is_text();
    for diagnostic in std::mem::take(&mut outcome.diagnostics) {
        // What the loader says was written as it came.
        let about_assertions = outcome.problems.iter().any(|p| p.code == diagnostic.code);
        if !is_text || about_assertions {
            session.report(diagnostic);
        }
    }
    let statuses = &outcome.statuses;
    let count = |status| statuses.iter().filter(|s| s.status() == status).count();
    for status in statuses {
        session.answer(&line(status));
    }
    session.say(&format!(
        "{} assertions: {} checked, {} false, {} to be checked while the program runs",
        statuses.len(),
        count(PartStatus::Checked),
        count(PartStatus::False),
        count(PartStatus::Check),
    ));
    session.say(&format!(
        "{} abstract calls analysed, {} from the store",
        outcome.analysed.len(),
        outcome.reused.len()
    ));
    session.set_result(json!({
        "assertions": statuses.iter().map(status_json).collect::<Vec<_>>(),
        "analysed": outcome.analysed,
        "reused": outcome.reused,
    }));
    let mismatches = outcome.check_stats.mismatches;
    if mismatches > 0 {
        let message =
            format!("{mismatches} stored results of the analysis differ from their recomputation");
        session.report(Diagnostic::error("run/cache-mismatch", message));
        return ExitStatus::Internal;
    }
    let refuted = |p: &&LoadProblem| p.code == "run/refuted-assertion";
    let others = outcome.load_errors as usize > outcome.problems.iter().filter(refuted).count();
    if outcome.ending != Ending::True || others {
        ExitStatus::Usage
    } else if outcome.problems.iter().any(|p| p.error) || count(PartStatus::False) > 0 {
        ExitStatus::Findings
    } else {
        ExitStatus::Clean
    }
}

/// The statuses of the assertions of some files and what was wrong with them; nothing if the machine could not be run. What
/// the files print is dropped.
pub(crate) fn analyse(
    files: &[PathBuf],
    budget: &Budget,
    store: &Arc<Store>,
) -> Option<(Vec<AssertionStatus>, Vec<LoadProblem>)> {
    let files: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let console = Arc::new(Mutex::new(Console::new(true)));
    let hosts = Hosts::new(&console);
    let request = Request {
        config: Config {
            budget: budget.clone(),
            ..Config::standard()
        },
        checks: CheckSettings {
            analyse: true,
            load_only: true,
            quiet: true,
            ..CheckSettings::STANDARD
        },
        store: Some(store.clone()),
        ..Request::load(&files)
    };
    let outcome = stet_run::run(request, &|| hosts.next(), &mut |_| {}).ok()?;
    Some((outcome.statuses, outcome.problems))
}

pub(crate) fn word(status: PartStatus) -> &'static str {
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
