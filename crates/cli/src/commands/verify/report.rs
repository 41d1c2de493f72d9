//! Results of `stet verify` as diagnostics, a summary and JSON.

use crate::exit::ExitStatus;
use crate::session::Session;
use serde_json::{Value, json};
use stet_base::Span;
use stet_diag::Diagnostic;
use stet_verify::{
    CheckKind, ImplementationResult, Origin, Outcome, Run, Verdict, VerificationError,
};

/// Reports the result of one implementation.
pub(super) fn result(session: &mut Session, result: &ImplementationResult) {
    for error in &result.errors {
        session.report(diagnostic(result, error));
    }
    let name = &result.name;
    let trouble = match &result.outcome {
        Outcome::Verified | Outcome::Errors | Outcome::Cancelled => None,
        Outcome::TimedOut => Some(("verify/time-out", format!("`{name}`: time limit reached"))),
        Outcome::OutOfMemory => Some((
            "verify/out-of-memory",
            format!("`{name}`: the prover ran out of memory"),
        )),
        Outcome::OutOfResource => Some((
            "verify/out-of-resource",
            format!("`{name}`: resource limit reached"),
        )),
        Outcome::Inconclusive(why) => Some((
            "verify/inconclusive",
            format!("`{name}`: no verdict: {why}"),
        )),
        Outcome::Unsupported { what, span } => {
            session.report(
                Diagnostic::error("verify/unsupported", format!("{what}: not supported")).at(*span),
            );
            None
        }
    };
    if let Some((code, message)) = trouble {
        session.report(Diagnostic::warning(code, message).at(result.span));
    }
    let reused = result.obligations.len() - result.count(Origin::Solved);
    let total = result.obligations.len();
    session.say_verbose(&format!(
        "{name}: {} ({reused} of {total} checks reused, priority {})",
        outcome_name(&result.outcome),
        result.priority.name(),
    ));
}

/// Warns of code that was found to be unreachable.
pub(super) fn unreachable(session: &mut Session, result: &ImplementationResult) {
    for code in &result.unreachable {
        let message = format!("`{}` has code that can never be reached", result.name);
        let path = code.path.join(", ");
        let warning = Diagnostic::warning("verify/unreachable", message)
            .at(code.span.unwrap_or(result.span))
            .with_note(format!("on the way {path}"));
        session.report(warning);
    }
}

/// Warns of recursive `:inline` functions: the calls left as they are stand for arbitrary values.
pub(super) fn expansion_loops(session: &mut Session, run: &Run) {
    let mut names = run.expansion_loops.clone();
    names.sort();
    names.dedup();
    for name in names {
        let span = run
            .program
            .funcs
            .iter()
            .find(|(_, function)| run.program.name(function.name) == name)
            .map(|(_, function)| function.span);
        let message =
            format!("`{name}` is recursive and cannot be expanded; its inner calls mean nothing");
        let mut warning = Diagnostic::warning("verify/expansion-loop", message);
        if let Some(span) = span {
            warning = warning.at(span);
        }
        session.report(warning);
    }
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Verified => "verified",
        Outcome::Errors => "errors",
        Outcome::TimedOut => "time-out",
        Outcome::OutOfMemory => "out of memory",
        Outcome::OutOfResource => "out of resource",
        Outcome::Inconclusive(_) => "inconclusive",
        Outcome::Cancelled => "interrupted",
        Outcome::Unsupported { .. } => "unsupported",
    }
}

fn diagnostic(result: &ImplementationResult, error: &VerificationError) -> Diagnostic {
    let (code, message, related) = match error.kind {
        CheckKind::Assert => ("verify/assertion", "this assertion might not hold", ""),
        CheckKind::Requires => (
            "verify/precondition",
            "a precondition of this call might not hold",
            "this is the precondition",
        ),
        CheckKind::Ensures => (
            "verify/postcondition",
            "a postcondition might not hold when returning here",
            "this is the postcondition",
        ),
        CheckKind::InvariantEntry => (
            "verify/invariant-entry",
            "this loop invariant might not hold when the loop is reached",
            "",
        ),
        CheckKind::InvariantMaintained => (
            "verify/invariant-maintained",
            "this loop invariant might not be maintained by the loop",
            "",
        ),
    };
    let message = error.message.as_deref().unwrap_or(message);
    let mut diagnostic = Diagnostic::error(code, message).at(error.span);
    if let Some(span) = error.related
        && !related.is_empty()
    {
        diagnostic = diagnostic.related(span, related);
    }
    for step in &error.trace {
        if let Some(span) = step.span {
            diagnostic = diagnostic.on_path(span, step.label.as_str());
        }
    }
    if let Some(model) = &error.model {
        for state in &model.states {
            let values = state
                .values
                .iter()
                .map(|(name, value)| format!("{name} = {value}"));
            let values: Vec<String> = values.collect();
            diagnostic =
                diagnostic.with_note(format!("state {}: {}", state.name, values.join(", ")));
        }
        diagnostic = diagnostic.with_note(model.lines().join("\n"));
    }
    if error.origin != Origin::Solved {
        diagnostic = diagnostic.cached(result.recorded);
    }
    diagnostic
}

/// Prints the summary, sets the JSON result, and decides how the command ends.
pub(super) fn summarise(
    session: &mut Session,
    results: &[ImplementationResult],
    mismatches: &[String],
) -> ExitStatus {
    let verified = results
        .iter()
        .filter(|r| r.outcome == Outcome::Verified)
        .count();
    let errors: usize = results.iter().map(|r| r.errors.len()).sum();
    let undecided = results
        .iter()
        .filter(|r| !matches!(r.outcome, Outcome::Verified | Outcome::Errors))
        .count();
    let count = |origin| results.iter().map(|r| r.count(origin)).sum::<usize>();
    let (solved, cached) = (count(Origin::Solved), count(Origin::Cached));
    let (partial, recycled) = (count(Origin::Partial), count(Origin::Recycled));
    let noun = if errors == 1 { "error" } else { "errors" };
    let mut text = format!("{verified} verified, {errors} {noun}");
    if undecided > 0 {
        text.push_str(&format!(", {undecided} undecided"));
    }
    text.push_str(&format!(
        " (checks: {solved} solved, {cached} cached, {partial} partially cached, {recycled} recycled)"
    ));
    session.say(&text);
    session.set_statistics(json!({
        "implementations": results.len(),
        "verified": verified,
        "errors": errors,
        "undecided": undecided,
        "checks": {
            "solved": solved,
            "cached": cached,
            "partially cached": partial,
            "recycled": recycled,
        },
    }));
    if session.wants_result() {
        let value: Vec<Value> = results.iter().map(|r| implementation(session, r)).collect();
        session.set_result(json!({ "implementations": value }));
    }
    for mismatch in mismatches {
        let blame = session.blame(mismatch);
        session.report(
            Diagnostic::error(
                "internal/cache-mismatch",
                format!("a cached verdict differs from its recomputation: {mismatch}"),
            )
            .with_note(blame),
        );
    }
    if !mismatches.is_empty() {
        return ExitStatus::Internal;
    }
    let is_unsupported =
        |r: &ImplementationResult| matches!(r.outcome, Outcome::Unsupported { .. });
    if errors > 0 {
        ExitStatus::Findings
    } else if results.iter().any(is_unsupported) {
        ExitStatus::Usage
    } else if undecided > 0 {
        ExitStatus::Inconclusive
    } else {
        ExitStatus::Clean
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
        "outcome": outcome_name(&result.outcome),
        "priority": result.priority.name(),
        "cached": result.cached,
        "recorded": result.recorded,
        "key": result.key,
        "failed": result.obligations.iter().filter(failed).count(),
        "obligations": obligations,
    })
}
