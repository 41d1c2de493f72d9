//! One number per line, as Dafny's extension counts.

use super::{Outcome, Phase, Status, place};
use crate::document::Snapshot;
use crate::language::Language;

const NOTHING: u16 = 0;
const SCHEDULED: u16 = 1;
const VERIFYING: u16 = 2;
const VERIFIED: u16 = 200;
const ERROR_CONTEXT: u16 = 300;
const VERIFIED_IN_ERROR_CONTEXT: u16 = 350;
const ASSERTION_FAILED: u16 = 400;
const RESOLUTION_ERROR: u16 = 500;
/// Added to a number of an earlier version that is not being looked at.
const OBSOLETE: u16 = 1;
/// Added to a number of an earlier version whose successor is being computed.
const AGAIN: u16 = 2;

/// The status of every line.
pub(crate) fn lines(snapshot: &Snapshot, status: &Status) -> Vec<u16> {
    let mut numbers = vec![NOTHING; snapshot.lines.count()];
    let mut set = |place: (usize, usize), number: u16| {
        let first = snapshot.lines.line_of(place.0);
        let last = snapshot.lines.line_of(place.1.max(place.0));
        for line in numbers.iter_mut().take(last + 1).skip(first) {
            *line = number.max(*line);
        }
    };
    let age = |stale: bool| match (stale, status.phase) {
        (false, _) => 0,
        (true, Phase::Running) => AGAIN,
        (true, _) => OBSOLETE,
    };
    let all = &snapshot.analysis.symbols;
    let is_prolog = snapshot.language == Language::Prolog;
    let is_usable = status.trouble.is_empty();
    let summaries = all.iter().zip(status.summaries(all));
    for (symbol, known) in summaries.filter(|_| !is_prolog) {
        let number = match (known, status.phase) {
            (None, Phase::Queued) if symbol.is_callable => SCHEDULED,
            (None, Phase::Running) if symbol.is_callable => VERIFYING,
            (None, Phase::Done) if symbol.is_callable && is_usable => VERIFIED,
            (None, _) => continue,
            (Some(known), _) => match known.outcome {
                Outcome::Verified => VERIFIED + age(known.stale),
                _ => ERROR_CONTEXT + age(known.stale),
            },
        };
        set(symbol.place, number);
    }
    for known in &status.known {
        for check in &known.checks {
            match check.verdict {
                "failed" => set(check.place, ASSERTION_FAILED + age(check.stale)),
                "verified" if known.outcome != Outcome::Verified => {
                    set(check.place, VERIFIED_IN_ERROR_CONTEXT + age(check.stale));
                }
                _ => {}
            }
        }
        for moving in known.diagnostics.iter().filter(|m| m.diagnostic.is_error()) {
            set(moving.place, ASSERTION_FAILED + age(known.stale));
        }
    }
    for assertion in &status.assertions {
        match assertion.status {
            "checked" => set(assertion.place, VERIFIED),
            "false" => set(assertion.place, ASSERTION_FAILED),
            _ => {}
        }
    }
    let errors = snapshot.analysis.diagnostics.iter();
    for diagnostic in errors.filter(|d| d.is_error()) {
        let own = diagnostic.primary.as_ref();
        let own = own.filter(|label| Some(label.span.file) == snapshot.analysis.file);
        let at = own.map_or_else(|| snapshot.elsewhere(diagnostic), |l| place(l.span));
        set(at, RESOLUTION_ERROR);
    }
    numbers
}
