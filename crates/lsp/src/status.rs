//! The status of every check, declaration and line, from what the engine said about this version.
//!
//! Results of an earlier version are kept, moved with the edits, and marked stale until the engine speaks again.

mod gutter;

pub(crate) use gutter::lines;

use crate::document::{Edit, Snapshot};
use crate::prolog::Assertion;
use crate::symbols::{self, Symbol};
use serde::Serialize;
use std::collections::BTreeMap;
use stet_base::{FileId, Span};
use stet_diag::Diagnostic;
use stet_verify::{Conclusion, ImplementationResult, Origin};

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

/// What is known about one implementation; a declaration can have several.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The engine's name of it.
    pub(crate) name: String,
    /// Its place in the document.
    pub(crate) place: (usize, usize),
    pub(crate) checks: Vec<Check>,
    pub(crate) outcome: Outcome,
    pub(crate) cached: bool,
    pub(crate) recorded: Option<u64>,
    pub(crate) key: String,
    /// Why it was looked at: new, changed, or only what it depends on changed.
    pub(crate) priority: &'static str,
    /// Seconds from the start of the run until this was known.
    pub(crate) after: f64,
    /// Seconds of the prover; none for a reused verdict.
    pub(crate) time: f64,
    /// The prover's own measure of its work, if it has one: unlike time it does not depend on the machine.
    pub(crate) resources: u64,
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
    pub(crate) known: Vec<Known>,
    /// Whether verification of this version is waiting or under way.
    pub(crate) phase: Phase,
    /// Whether all of this version was looked at: what nothing was said about has nothing to be said.
    pub(crate) is_complete: bool,
    /// What has no place among the results, e.g. that there is no prover.
    pub(crate) trouble: Vec<Diagnostic>,
    /// What was found in functions of a C file.
    pub(crate) explored: BTreeMap<String, Vec<Diagnostic>>,
    /// What the analysis says about the assertions of a Prolog file.
    pub(crate) assertions: Vec<Assertion>,
}

/// How far verification of the present version is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Phase {
    /// There is nothing to verify, or the text does not parse, or nobody asked for it yet.
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
        self.trouble.clear();
        self.explored.clear();
        self.is_complete = false;
        self.assertions
            .retain_mut(|a| moved(a.place).map(|place| a.place = place).is_some());
        for known in &mut self.known {
            known.stale = true;
            known.place = edits
                .iter()
                .fold(known.place, |place, edit| edit.stretched(place));
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

    /// Takes a result of the present version, whose document is `file`.
    pub(crate) fn take(
        &mut self,
        file: FileId,
        result: &ImplementationResult,
        diagnostics: &[Diagnostic],
        after: f64,
    ) {
        if result.conclusion == Conclusion::Cancelled {
            return;
        }
        let here = |span: Span| (span.file == file).then(|| place(span));
        let checks = result.obligations.iter().filter_map(|obligation| {
            Some(Check {
                place: here(obligation.span)?,
                verdict: obligation.verdict.name(),
                origin: obligation.origin.name(),
                recorded: result
                    .recorded
                    .filter(|_| obligation.origin != Origin::Solved),
                stale: false,
            })
        });
        let own = here(result.span).unwrap_or((0, 0));
        let moving = diagnostics.iter().map(|diagnostic| Moving {
            place: diagnostic
                .primary
                .as_ref()
                .and_then(|label| here(label.span))
                .unwrap_or(own),
            diagnostic: diagnostic.clone(),
        });
        let known = Known {
            name: result.name.clone(),
            place: own,
            checks: checks.collect(),
            outcome: outcome(result),
            cached: result.cached,
            recorded: result.recorded,
            key: result.key.clone(),
            priority: result.priority.name(),
            after,
            time: result.time.as_secs_f64(),
            resources: result.resources,
            stale: false,
            diagnostics: moving.collect(),
        };
        // Boogie allows several implementations of one procedure: they share the name, not the place.
        let replaces = |old: &Known| old.name == known.name && (old.stale || old.place == own);
        match self.known.iter().position(replaces) {
            Some(at) => self.known[at] = known,
            None => self.known.push(known),
        }
    }

    /// The end of the verification of this version: what was not spoken of does not exist any more.
    pub(crate) fn finish(&mut self, trouble: Vec<Diagnostic>) {
        self.phase = Phase::Done;
        self.is_complete = true;
        self.trouble = trouble;
        self.known.retain(|known| !known.stale);
    }

    /// The end of the verification of some of its declarations: of the others is known what was known before.
    pub(crate) fn finish_part(&mut self) {
        self.phase = if self.is_complete {
            Phase::Done
        } else {
            Phase::Idle
        };
    }

    /// Everything known about the declaration a symbol names: the implementations whose innermost declaration it is.
    pub(crate) fn of<'s>(
        &'s self,
        all: &'s [Symbol],
        symbol: &'s Symbol,
    ) -> impl Iterator<Item = &'s Known> {
        self.known.iter().filter(move |known| {
            let around = symbols::enclosing(all, known.place.0);
            around.is_some_and(|s| s.place == symbol.place)
        })
    }

    /// What is known about every declaration, in one pass.
    pub(crate) fn summaries(&self, all: &[Symbol]) -> Vec<Option<Summary>> {
        let mut found: Vec<Option<Summary>> = all.iter().map(|_| None).collect();
        for known in &self.known {
            if let Some(number) = symbols::enclosing_number(all, known.place.0) {
                found[number].get_or_insert_default().add(known);
            }
        }
        found
    }

    /// What is known about a declaration, as one value.
    fn summary(&self, all: &[Symbol], symbol: &Symbol) -> Option<Summary> {
        let mut summary: Option<Summary> = None;
        for known in self.of(all, symbol) {
            summary.get_or_insert_default().add(known);
        }
        summary
    }
}

/// What is known about a declaration.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) outcome: Outcome,
    pub(crate) stale: bool,
    pub(crate) cached: bool,
    pub(crate) recorded: Option<u64>,
}

impl Default for Summary {
    /// Nothing wrong is known yet.
    fn default() -> Summary {
        Summary {
            outcome: Outcome::Verified,
            stale: false,
            cached: true,
            recorded: None,
        }
    }
}

impl Summary {
    /// The worst of its implementations is what counts.
    fn add(&mut self, known: &Known) {
        if self.outcome == Outcome::Verified || known.outcome == Outcome::Failed {
            self.outcome = known.outcome.clone();
        }
        self.stale |= known.stale;
        self.cached &= known.cached;
        self.recorded = self.recorded.max(known.recorded);
    }
}

pub(crate) fn place(span: Span) -> (usize, usize) {
    (span.start as usize, span.end.max(span.start) as usize)
}

fn outcome(result: &ImplementationResult) -> Outcome {
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
    }
}

/// The status of a named declaration, in the numbers of Dafny's extension.
pub(crate) fn number(status: &Status, known: Option<&Summary>) -> u8 {
    match (known, status.phase) {
        (Some(known), _) if !known.stale => match known.outcome {
            Outcome::Verified => 5,
            _ => 4,
        },
        (_, Phase::Running) => 2,
        (_, Phase::Queued) => 1,
        // A declaration without a check has nothing that could be wrong.
        (None, Phase::Done) if status.trouble.is_empty() => 5,
        _ => 0,
    }
}

/// What a hover says about a declaration.
pub(crate) fn hover(snapshot: &Snapshot, status: &Status, symbol: &Symbol) -> Option<String> {
    let all = &snapshot.analysis.symbols;
    let known = status.summary(all, symbol)?;
    let verdict = match &known.outcome {
        Outcome::Verified => "**verified**".to_owned(),
        Outcome::Failed => "**fails**".to_owned(),
        Outcome::Undecided(why) => format!("**undecided**: {why}"),
    };
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
    for part in status.of(all, symbol) {
        let count = |origin: &str| part.checks.iter().filter(|c| c.origin == origin).count();
        text += &format!(
            "\n\n{}: {}: {} solved, {} cached, {} partially cached, {} recycled; the prover took {:.2} s ({} units of resources), known after {:.2} s",
            readable(&part.name),
            checks(part.checks.len()),
            count("solved"),
            count("cached"),
            count("partially cached"),
            count("recycled"),
            part.time,
            part.resources,
            part.after,
        );
        if !part.cached {
            text += &format!(
                "\n\n{}; `stet cache why {}` tells more",
                why_asked(part.priority),
                part.key.get(..16).unwrap_or(&part.key)
            );
        }
    }
    Some(text)
}

/// What a hover says about the checks in a piece of text, each in a paragraph; failing ones with what is said about them, and the path.
pub(crate) fn hover_checks(
    snapshot: &Snapshot,
    status: &Status,
    (start, end): (usize, usize),
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let is_inside = |place: (usize, usize)| place.0 < end && start < place.1.max(place.0 + 1);
    for known in &status.known {
        for check in known.checks.iter().filter(|check| is_inside(check.place)) {
            found.push(describe(known, check));
        }
        let failures = known.diagnostics.iter().filter(|d| is_inside(d.place));
        for moving in failures {
            found.push(path_of_failure(snapshot, known.stale, &moving.diagnostic));
        }
    }
    found.dedup();
    found
}

/// A failure in words, with the lines on its path.
fn path_of_failure(snapshot: &Snapshot, stale: bool, diagnostic: &Diagnostic) -> String {
    let mut text = format!("**{}**", diagnostic.message);
    let line = |label: &stet_diag::Label| {
        let is_here = Some(label.span.file) == snapshot.analysis.file;
        is_here.then(|| {
            snapshot
                .lines
                .range(&snapshot.text, label.span.start as usize, 0)
                .start
                .line
                + 1
        })
    };
    let mut lines: Vec<u32> = diagnostic.path.iter().filter_map(line).collect();
    lines.dedup();
    if !stale && !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        text += &format!(" on the path through lines {}", lines.join(", "));
    }
    for note in &diagnostic.notes {
        text += &format!("\n\n{note}");
    }
    text
}

/// The engine's name of an implementation, for people: what the translation of Dafny calls `$Impl.M` is the body of `M`.
fn readable(name: &str) -> String {
    for (prefix, what) in [("$Impl.", "body of"), ("$Wf.", "specification of")] {
        if let Some(rest) = name.strip_prefix(prefix) {
            return format!("{what} `{rest}`");
        }
    }
    let plain = name.strip_prefix('$').and_then(|rest| rest.split_once('.'));
    format!("`{}`", plain.map_or(name, |(_, rest)| rest))
}

fn checks(count: usize) -> String {
    match count {
        1 => "1 check".to_owned(),
        _ => format!("{count} checks"),
    }
}

/// A check: its verdict, since when, what it cost, and why it was asked.
fn describe(known: &Known, check: &Check) -> String {
    let mut text = format!(
        "check in the {}: **{}**",
        readable(&known.name),
        check.verdict
    );
    if check.stale {
        text += " (of an earlier version)";
    }
    let since = |at: u64| format!(" since {}", stet_diag::utc(at));
    match check.origin {
        "solved" => {
            text += &format!(", asked in this run; {}", known.cost());
            text += &format!("; {}", why_asked(known.priority));
        }
        origin => {
            text += &format!(", {origin}");
            text += &check.recorded.map_or_else(String::new, since);
            if !known.cached {
                text += &format!("; what the edit left open was asked: {}", known.cost());
            }
        }
    }
    text
}

impl Known {
    /// What the prover took in this run: it answers about all checks of an implementation at once.
    fn cost(&self) -> String {
        let asked = self.checks.iter().filter(|c| c.origin == "solved").count();
        let resources = match self.resources {
            0 => String::new(),
            units => format!(" and {units} units of resources"),
        };
        format!(
            "the prover took {:.2} s{resources} for {asked} of the {} of the {}",
            self.time,
            checks(self.checks.len()),
            readable(&self.name)
        )
    }
}

/// Why an implementation was not answered from the cache, by its distance from the edit.
fn why_asked(priority: &str) -> &'static str {
    match priority {
        "high" => "asked because it is new to the store",
        "medium" => "asked because its own text or specification changed",
        "low" => "asked because something it depends on changed",
        _ => "asked again",
    }
}
