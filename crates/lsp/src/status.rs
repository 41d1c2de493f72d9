//! The status of every check, declaration and line, from what the engine said about this version.
//!
//! Results of an earlier version are kept, moved with the edits, and marked stale until the engine speaks again.

use crate::document::{Edit, Snapshot};
use crate::symbols::Symbol;
use serde::Serialize;
use std::collections::BTreeMap;
use stet_diag::Diagnostic;
use stet_verify::{Conclusion, ImplementationResult, Origin, Verdict};

/// What is known about one check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    #[serde(skip)]
    pub(crate) place: (usize, usize),
    /// `verified`, `failed` or `unknown`.
    pub(crate) verdict: &'static str,
    /// `solved`, `cached`, `partially cached` or `recycled`.
    pub(crate) origin: &'static str,
    /// When a reused verdict was first computed, in seconds since 1970.
    pub(crate) recorded: Option<u64>,
    /// Whether the text changed since.
    pub(crate) stale: bool,
}

/// What is known about one declaration.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) checks: Vec<Check>,
    pub(crate) outcome: Outcome,
    pub(crate) cached: bool,
    pub(crate) recorded: Option<u64>,
    pub(crate) key: String,
    pub(crate) stale: bool,
    pub(crate) diagnostics: Vec<Moving>,
}

/// How verification of a declaration ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Verified,
    Failed,
    Undecided(String),
}

/// A diagnostic with the place it has in the present text.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    pub(crate) diagnostic: Diagnostic,
    pub(crate) place: (usize, usize),
}

/// The status of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Status {
    /// By the name of the declaration.
    pub(crate) known: BTreeMap<String, Known>,
    /// Whether verification of this version is waiting or under way.
    pub(crate) phase: Phase,
}

/// How far verification of the present version is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Phase {
    /// There is nothing to verify, or the text does not parse.
    #[default]
    Idle,
    /// It will start after a pause.
    Queued,
    /// It is under way.
    Running,
    /// Everything was said about this version.
    Done,
}

impl Status {
    /// The status after edits: everything is stale, and what an edit touches is gone.
    pub(crate) fn edited(mut self, edits: &[Edit]) -> Status {
        let moved = |place: (usize, usize)| {
            edits
                .iter()
                .try_fold(place, |place, edit| edit.moved(place))
        };
        for known in self.known.values_mut() {
            known.stale = true;
            known.checks.retain_mut(|check| {
                check.stale = true;
                moved(check.place)
                    .map(|place| check.place = place)
                    .is_some()
            });
            known.diagnostics.retain_mut(|moving| {
                moved(moving.place)
                    .map(|place| moving.place = place)
                    .is_some()
            });
        }
        self
    }

    /// Takes a result of the present version.
    pub(crate) fn take(&mut self, result: &ImplementationResult, diagnostics: &[Diagnostic]) {
        let checks = result.obligations.iter().map(|obligation| Check {
            place: place(obligation.span),
            verdict: obligation.verdict.name(),
            origin: obligation.origin.name(),
            recorded: result
                .recorded
                .filter(|_| obligation.origin != Origin::Solved),
            stale: false,
        });
        let moving = diagnostics.iter().map(|diagnostic| Moving {
            place: diagnostic
                .primary
                .as_ref()
                .map_or_else(|| place(result.span), |label| place(label.span)),
            diagnostic: diagnostic.clone(),
        });
        let known = Known {
            checks: checks.collect(),
            outcome: outcome(result),
            cached: result.cached,
            recorded: result.recorded,
            key: result.key.clone(),
            stale: false,
            diagnostics: moving.collect(),
        };
        self.known.insert(result.name.clone(), known);
    }

    /// The end of the verification of this version: what was not spoken of does not exist any more.
    pub(crate) fn finish(&mut self) {
        self.phase = Phase::Done;
        self.known.retain(|_, known| !known.stale);
    }

    /// What is known about the declaration a symbol names. Translated programs name an implementation after the whole path
    /// of its declaration and what is checked of it; the worst of these counts.
    pub(crate) fn of(&self, symbol: &Symbol) -> Option<&Known> {
        let is_of = |name: &str| {
            let mut words = name.split(|c: char| !(c.is_alphanumeric() || "_'?".contains(c)));
            words.any(|word| word == symbol.name)
        };
        self.known.get(&symbol.name).or_else(|| {
            let all = self.known.iter().filter(|(name, _)| is_of(name));
            all.map(|(_, known)| known)
                .max_by_key(|known| known.outcome != Outcome::Verified)
        })
    }
}

fn place(span: stet_base::Span) -> (usize, usize) {
    (span.start as usize, span.end as usize)
}

fn outcome(result: &ImplementationResult) -> Outcome {
    let unknown = result
        .obligations
        .iter()
        .any(|o| o.verdict == Verdict::Unknown);
    match &result.conclusion {
        Conclusion::Verified => Outcome::Verified,
        Conclusion::Errors => Outcome::Failed,
        Conclusion::TimedOut => Outcome::Undecided("timed out".to_owned()),
        Conclusion::OutOfMemory => Outcome::Undecided("the prover ran out of memory".to_owned()),
        Conclusion::OutOfResource => Outcome::Undecided("out of resources".to_owned()),
        Conclusion::Cancelled => Outcome::Undecided("interrupted".to_owned()),
        Conclusion::Inconclusive(why) => Outcome::Undecided(why.clone()),
        Conclusion::Unsupported { what, .. } => {
            Outcome::Undecided(format!("{what}: not supported"))
        }
        #[allow(unreachable_patterns, reason = "conclusions may be added")]
        _ if unknown => Outcome::Undecided("not decided".to_owned()),
    }
}

/// The numbers of Dafny's gutter.
mod gutter {
    pub(super) const NOTHING: u16 = 0;
    pub(super) const SCHEDULED: u16 = 1;
    pub(super) const VERIFYING: u16 = 2;
    pub(super) const VERIFIED: u16 = 200;
    pub(super) const VERIFIED_OBSOLETE: u16 = 201;
    pub(super) const ERROR_CONTEXT: u16 = 300;
    pub(super) const ASSERTION_VERIFIED_IN_ERROR_CONTEXT: u16 = 350;
    pub(super) const ASSERTION_FAILED: u16 = 400;
    pub(super) const RESOLUTION_ERROR: u16 = 500;
}

/// The status of every line, in the numbers of Dafny's extension.
pub(crate) fn lines(snapshot: &Snapshot, status: &Status) -> Vec<u16> {
    let mut numbers = vec![gutter::NOTHING; snapshot.lines.count()];
    let mut set = |place: (usize, usize), number: u16| {
        let (first, last) = (
            snapshot.lines.line_of(place.0),
            snapshot.lines.line_of(place.1),
        );
        for line in &mut numbers[first..=last] {
            *line = number.max(*line);
        }
    };
    for symbol in snapshot.analysis.symbols.iter().filter(|s| s.is_callable) {
        let number = match (status.of(symbol), status.phase) {
            (None, Phase::Queued) => gutter::SCHEDULED,
            (None, Phase::Running) => gutter::VERIFYING,
            (None, _) => continue,
            (Some(known), _) => match (&known.outcome, known.stale) {
                (Outcome::Verified, false) => gutter::VERIFIED,
                (Outcome::Verified, true) => gutter::VERIFIED_OBSOLETE,
                (_, stale) => gutter::ERROR_CONTEXT + u16::from(stale),
            },
        };
        set(symbol.place, number);
        let Some(known) = status.of(symbol) else {
            continue;
        };
        for check in &known.checks {
            let stale = u16::from(check.stale);
            match check.verdict {
                "failed" => set(check.place, gutter::ASSERTION_FAILED + stale),
                "verified" if known.outcome != Outcome::Verified => {
                    set(
                        check.place,
                        gutter::ASSERTION_VERIFIED_IN_ERROR_CONTEXT + stale,
                    );
                }
                _ => {}
            }
        }
    }
    for diagnostic in snapshot
        .analysis
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
    {
        if let Some(label) = &diagnostic.primary {
            set(place(label.span), gutter::RESOLUTION_ERROR);
        }
    }
    numbers
}

/// The status of a named declaration, in the numbers of Dafny's extension.
pub(crate) fn symbol(status: &Status, symbol: &Symbol) -> u8 {
    match (status.of(symbol), status.phase) {
        (Some(known), _) if !known.stale => match known.outcome {
            Outcome::Verified => 5,
            _ => 4,
        },
        (_, Phase::Running) => 2,
        (_, Phase::Queued) => 1,
        _ => 0,
    }
}

/// What a hover says about a declaration.
pub(crate) fn hover(status: &Status, symbol: &Symbol) -> Option<String> {
    let known = status.of(symbol)?;
    let verdict = match &known.outcome {
        Outcome::Verified => "**verified**".to_owned(),
        Outcome::Failed => "**fails**".to_owned(),
        Outcome::Undecided(why) => format!("**undecided**: {why}"),
    };
    let count = |origin: &str| known.checks.iter().filter(|c| c.origin == origin).count();
    let mut text = format!("`{}` {verdict}", symbol.name);
    if known.stale {
        text += " (of an earlier version)";
    }
    if known.cached {
        text += ", from the cache";
        if let Some(at) = known.recorded {
            text += &format!(" since {}", stet_diag::utc(at));
        }
    }
    text += &format!(
        "\n\n{} checks: {} solved, {} cached, {} partially cached, {} recycled",
        known.checks.len(),
        count("solved"),
        count("cached"),
        count("partially cached"),
        count("recycled"),
    );
    text += &format!(
        "\n\nKey `{}`; `stet cache why` explains why it was asked again",
        known.key.get(..16).unwrap_or(&known.key)
    );
    Some(text)
}
