//! Outcomes of `stet verify` as a summary and JSON.

use crate::exit::ExitStatus;
use crate::session::Session;
use serde_json::{Value, json};
use stet_base::Span;
use stet_diag::Diagnostic;
use stet_verify::{
    CheckKind, Conclusion, ImplementationResult, Options, Origin, Outcome, Statistics, Verdict,
};

/// Reports everything, prints the summary, sets the JSON result, and decides how the command ends.
pub(super) fn outcome(session: &mut Session, outcome: &Outcome) -> ExitStatus {
    for diagnostic in &outcome.diagnostics {
        let mut diagnostic = diagnostic.clone();
        if diagnostic.code == "internal/cache-mismatch" {
            let blame = session.blame(&diagnostic.message);
            diagnostic = diagnostic.with_note(blame);
        }
        session.report(diagnostic);
    }
    if !outcome.is_usable {
        return ExitStatus::Usage;
    }
    for result in &outcome.verdicts {
        say(session, result);
    }
    summarise(session, outcome);
    status(outcome)
}

/// A pattern of `--procedure` that matches nothing is a mistake: the answer would be that nothing is wrong. (With `--shard` what it
/// matches may be in another part.)
pub(super) fn unmatched(
    session: &mut Session,
    options: &Options,
    outcome: &Outcome,
    status: ExitStatus,
) -> ExitStatus {
    if !outcome.is_usable || options.shard.is_some() || session.budget().is_cancelled() {
        return status;
    }
    let names: Vec<&str> = outcome.verdicts.iter().map(|r| r.name.as_str()).collect();
    let Some(pattern) = options.unmatched(&names) else {
        return status;
    };
    let message = format!("`--procedure {pattern}` matches no procedure that is to be verified");
    session.report(Diagnostic::error("cli/usage", message));
    ExitStatus::Usage
}

fn say(session: &Session, result: &ImplementationResult) {
    let total = result.obligations.len();
    let reused = total - result.count(Origin::Solved);
    session.say_verbose(&format!(
        "{}: {} ({reused} of {total} checks reused, priority {})",
        result.name,
        conclusion_name(&result.conclusion),
        result.priority.name(),
    ));
}

/// Where the prover's time went, the slowest first.
pub(super) fn profile(session: &Session, outcome: &Outcome) {
    let mut asked: Vec<&ImplementationResult> = outcome
        .verdicts
        .iter()
        .filter(|r| !r.time.is_zero())
        .collect();
    asked.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    let total: f64 = asked.iter().map(|r| r.time.as_secs_f64()).sum();
    session.say(&format!(
        "the prover took {total:.3} s for {} of {} procedures",
        asked.len(),
        outcome.verdicts.len()
    ));
    if asked.is_empty() {
        return;
    }
    session.say("  seconds  share  checks  procedure");
    for result in asked {
        let seconds = result.time.as_secs_f64();
        let at = session.sources.start_of(result.span);
        session.say(&format!(
            "{seconds:9.3} {:5.1}% {:7}  {} ({}:{}): {}",
            100.0 * seconds / total,
            result.count(Origin::Solved),
            result.name.trim_start_matches("$Impl."),
            session.sources.file(result.span.file).name(),
            at.line,
            conclusion_name(&result.conclusion),
        ));
    }
}

/// Where the verdicts of checks come from, as the JSON documents say it.
pub(super) fn checks(counts: &Statistics) -> Value {
    json!({
        "solved": counts.solved,
        "cached": counts.cached,
        "partially cached": counts.partial,
        "recycled": counts.recycled,
        "undecided": counts.undecided_checks,
    })
}

fn summarise(session: &mut Session, outcome: &Outcome) {
    let counts = &outcome.statistics;
    let noun = if counts.errors == 1 {
        "error"
    } else {
        "errors"
    };
    let mut text = format!("{} verified, {} {noun}", counts.verified, counts.errors);
    if counts.undecided > 0 {
        text.push_str(&format!(", {} undecided", counts.undecided));
    }
    text.push_str(&format!(
        " (checks: {} solved, {} cached, {} partially cached, {} recycled",
        counts.solved, counts.cached, counts.partial, counts.recycled
    ));
    if counts.undecided_checks > 0 {
        text.push_str(&format!(", {} undecided", counts.undecided_checks));
    }
    text.push(')');
    session.say(&text);
    session.set_statistics(json!({
        "implementations": counts.implementations,
        "verified": counts.verified,
        "errors": counts.errors,
        "undecided": counts.undecided,
        "checks": checks(counts),
        "layers": counts.layers.iter().map(|layer| json!({
            "name": layer.name,
            "asked": layer.asked,
            "hits": layer.hits,
            "told": layer.told,
            "milliseconds": layer.time.as_secs_f64() * 1e3,
        })).collect::<Vec<_>>(),
    }));
    if session.wants_result() {
        let verdicts = outcome.verdicts.iter();
        let value: Vec<Value> = verdicts.map(|r| implementation(session, r)).collect();
        session.set_result(json!({
            "complete": outcome.is_complete(),
            "left out": outcome.left_out.iter().map(|left| json!({
                "implementation": left.implementation,
                "why": conclusion_name(&left.why),
                "place": place(session, left.span),
            })).collect::<Vec<_>>(),
            "implementations": value,
        }));
    }
}

fn status(outcome: &Outcome) -> ExitStatus {
    let is_unsupported = |why: &Conclusion| matches!(why, Conclusion::Unsupported { .. });
    if !outcome.mismatches.is_empty() {
        ExitStatus::Internal
    } else if outcome.statistics.errors > 0 {
        ExitStatus::Findings
    } else if outcome.left_out.iter().any(|l| is_unsupported(&l.why)) {
        ExitStatus::Usage
    } else if !outcome.is_complete() {
        ExitStatus::Inconclusive
    } else {
        ExitStatus::Clean
    }
}

pub(super) fn conclusion_name(conclusion: &Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Verified => "verified",
        Conclusion::Errors => "errors",
        Conclusion::TimedOut => "time-out",
        Conclusion::OutOfMemory => "out of memory",
        Conclusion::OutOfResource => "out of resource",
        Conclusion::Inconclusive(_) => "inconclusive",
        Conclusion::Cancelled => "interrupted",
        Conclusion::Unsupported { .. } => "unsupported",
    }
}

fn place(session: &Session, span: Span) -> Value {
    let at = session.sources.start_of(span);
    json!({
        "file": session.sources.file(span.file).name(),
        "line": at.line,
        "column": at.column,
    })
}

fn kind_name(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Assert => "assertion",
        CheckKind::Requires => "precondition",
        CheckKind::Ensures => "postcondition",
        CheckKind::InvariantEntry => "invariant on entry",
        CheckKind::InvariantMaintained => "invariant maintained",
    }
}

fn implementation(session: &Session, result: &ImplementationResult) -> Value {
    let obligations: Vec<Value> = result
        .obligations
        .iter()
        .map(|o| {
            json!({
                "kind": kind_name(o.kind),
                "place": place(session, o.span),
                "related": o.related.map(|span| place(session, span)),
                "verdict": o.verdict.name(),
                "obtained": o.origin.name(),
            })
        })
        .collect();
    let failed = |o: &&stet_verify::Obligation| o.verdict == Verdict::Failed;
    json!({
        "name": result.name,
        "outcome": conclusion_name(&result.conclusion),
        "priority": result.priority.name(),
        "cached": result.cached,
        "recorded": result.recorded,
        "key": result.key,
        "seconds": result.time.as_secs_f64(),
        "failed": result.obligations.iter().filter(failed).count(),
        "obligations": obligations,
    })
}
