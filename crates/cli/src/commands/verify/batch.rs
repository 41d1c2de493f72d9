//! `stet verify --batch`: many programs in one process, with its provers and its store; a line of JSON for each.
//!
//! A program is a file, every file below a directory, or a line of the standard input (`-`): the name of a file, or
//! `{"name": "a.dfy", "text": "…"}`, a text that is in no file. Answers come in the order of the programs, each as soon as
//! it is known. Programs with the same name are versions of one: what an edit leaves standing is reused.

use super::DAFNY_TIME_LIMIT;
use super::report::conclusion_name;
use crate::commands::dafny::{load::Files, project};
use crate::exit::ExitStatus;
use crate::session::Session;
use serde_json::{Value, json};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use stet_base::{SourceMap, Stopwatch};
use stet_diag::{Diagnostic, Severity};
use stet_verify::{Boogie, Engine, FrontEnd, Options as Choices, Outcome, Request};

/// Verifies programs one after the other.
struct Batch<'s> {
    session: &'s Session,
    engine: Engine,
    choices: Choices,
    worst: ExitStatus,
}

pub(super) fn execute(session: &mut Session, files: &[PathBuf], choices: Choices) -> ExitStatus {
    let mut batch = Batch {
        session,
        engine: Engine::new(),
        choices,
        worst: ExitStatus::Clean,
    };
    for file in files {
        if file.as_os_str() == "-" {
            batch.standard_input();
        } else {
            batch.path(file);
        }
        if batch.session.budget().is_cancelled() {
            return ExitStatus::Interrupted;
        }
    }
    batch.worst
}

impl Batch<'_> {
    fn standard_input(&mut self) {
        for line in std::io::stdin().lock().lines() {
            if self.session.budget().is_cancelled() {
                return;
            }
            let Ok(line) = line else {
                return self.refuse("-", "the standard input cannot be read");
            };
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if !line.starts_with('{') {
                self.path(Path::new(line));
                continue;
            }
            let given: Option<Value> = serde_json::from_str(line).ok();
            let text = |key: &str| given.as_ref()?.get(key)?.as_str().map(str::to_owned);
            match (text("name"), text("text")) {
                (Some(name), Some(text)) => self.program(&name, text),
                _ => self.refuse(
                    "-",
                    "a line must be a file name, or have a `name` and a `text`",
                ),
            }
        }
    }

    fn path(&mut self, path: &Path) {
        let name = path.display().to_string();
        match project::expand(&[path.to_owned()]) {
            Ok(found) => {
                for file in found.files {
                    let name = file.display().to_string();
                    match std::fs::read_to_string(&file) {
                        Ok(text) => self.program(&name, text),
                        Err(error) => self.refuse(&name, &error.to_string()),
                    }
                }
            }
            Err(error) => self.refuse(&name, &error),
        }
    }

    fn refuse(&mut self, name: &str, why: &str) {
        self.end(ExitStatus::Usage);
        let line = json!({ "file": name, "outcome": "unreadable", "why": why });
        self.session.output.line(&line.to_string());
    }

    /// Wrong usage outweighs findings, findings outweigh what has no verdict.
    fn end(&mut self, status: ExitStatus) {
        let weight = |status: &ExitStatus| match status {
            ExitStatus::Clean => 0,
            ExitStatus::Inconclusive => 1,
            ExitStatus::Findings => 2,
            ExitStatus::Usage => 3,
            _ => 4,
        };
        if weight(&status) > weight(&self.worst) {
            self.worst = status;
        }
    }

    fn program(&mut self, name: &str, text: String) {
        let clock = Stopwatch::start();
        let mut sources = SourceMap::new();
        let Some(file) = sources.add(name, text) else {
            return self.refuse(name, "the text is too long");
        };
        let mut choices = self.choices.clone();
        let mut said: Vec<Diagnostic> = Vec::new();
        let mut front: Box<dyn FrontEnd> = Box::new(Boogie);
        if name.ends_with(".dfy") {
            choices.time_limit = choices.time_limit.or(Some(DAFNY_TIME_LIMIT));
            let mut includes = Files::default();
            let loaded = stet_dafny_verify::load(&mut sources, &[file], &mut includes);
            said = loaded.diagnostics;
            let Some(translation) = loaded.translation else {
                self.end(ExitStatus::Usage);
                let diagnostics = diagnostics(&sources, &said);
                let line =
                    json!({ "file": name, "outcome": "rejected", "diagnostics": diagnostics });
                return self.session.output.line(&line.to_string());
            };
            front = Box::new(match choices.want_models {
                true => stet_dafny_verify::front_with_values(translation),
                false => stet_dafny_verify::front(translation),
            });
        }
        let outcome = self.engine.check(
            Request {
                subject: name,
                sources: &sources,
                files: &[file],
                front: &mut *front,
                options: &choices,
                store: self.session.store(),
                budget: self.session.budget(),
            },
            &mut |_| {},
        );
        said.extend(outcome.diagnostics.iter().cloned());
        let (word, status) = conclusion(&outcome);
        self.end(status);
        let counts = &outcome.statistics;
        let line = json!({
            "file": name,
            "outcome": word,
            "verified": counts.verified,
            "errors": counts.errors,
            "undecided": counts.undecided,
            "checks": super::report::checks(counts),
            "left out": outcome.left_out.iter().map(|left| json!({
                "implementation": left.implementation,
                "why": conclusion_name(&left.why),
            })).collect::<Vec<_>>(),
            "milliseconds": clock.elapsed().as_secs_f64() * 1e3,
            "diagnostics": diagnostics(&sources, &said),
        });
        self.session.output.line(&line.to_string());
    }
}

fn conclusion(outcome: &Outcome) -> (&'static str, ExitStatus) {
    if !outcome.mismatches.is_empty() {
        ("internal error", ExitStatus::Internal)
    } else if !outcome.is_usable {
        ("rejected", ExitStatus::Usage)
    } else if outcome.statistics.errors > 0 {
        ("errors", ExitStatus::Findings)
    } else if !outcome.is_complete() {
        ("undecided", ExitStatus::Inconclusive)
    } else {
        ("verified", ExitStatus::Clean)
    }
}

fn diagnostics(sources: &SourceMap, said: &[Diagnostic]) -> Vec<Value> {
    let one = |diagnostic: &Diagnostic| {
        let span = diagnostic.primary.as_ref().map(|label| label.span);
        let span = span.filter(|span| !stet_boogie::is_nowhere(*span));
        let place = span.map(|span| sources.start_of(span));
        json!({
            "code": diagnostic.code,
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            "message": diagnostic.message,
            "line": place.map(|p| p.line),
            "column": place.map(|p| p.column),
            "notes": diagnostic.notes,
        })
    };
    said.iter().map(one).collect()
}
