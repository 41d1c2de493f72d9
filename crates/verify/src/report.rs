//! Results as diagnostics.

use crate::cfg::CheckKind;
use crate::codes;
use crate::model::Model;
use crate::result::{Conclusion, ImplementationResult, Origin, VerificationError};
use stet_boogie::Program;
use stet_diag::Diagnostic;

/// The diagnostic of an error in Boogie's terms.
pub fn error(result: &ImplementationResult, error: &VerificationError) -> Diagnostic {
    let (code, message, related) = words(error.kind);
    let message = error.message.as_deref().unwrap_or(message);
    let mut diagnostic = Diagnostic::error(code, message)
        .at(error.span)
        .about(result.name.as_str());
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
        diagnostic = with_model(diagnostic, model);
    }
    if error.origin != Origin::Solved {
        diagnostic = diagnostic.cached(result.recorded);
    }
    diagnostic
}

/// The code, the message, and what the related place is.
fn words(kind: CheckKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        CheckKind::Assert => (codes::ASSERTION, "this assertion might not hold", ""),
        CheckKind::Requires => (
            codes::PRECONDITION,
            "a precondition of this call might not hold",
            "this is the precondition",
        ),
        CheckKind::Ensures => (
            codes::POSTCONDITION,
            "a postcondition might not hold when returning here",
            "this is the postcondition",
        ),
        CheckKind::InvariantEntry => (
            codes::INVARIANT_ENTRY,
            "this loop invariant might not hold when the loop is reached",
            "",
        ),
        CheckKind::InvariantMaintained => (
            codes::INVARIANT_MAINTAINED,
            "this loop invariant might not be maintained by the loop",
            "",
        ),
    }
}

fn with_model(mut diagnostic: Diagnostic, model: &Model) -> Diagnostic {
    for state in &model.states {
        let values = state
            .values
            .iter()
            .map(|(name, value)| format!("{name} = {value}"));
        let values: Vec<String> = values.collect();
        diagnostic = diagnostic.with_note(format!("state {}: {}", state.name, values.join(", ")));
    }
    diagnostic.with_note(model.lines().join("\n"))
}

/// What there is to say about an implementation without a verdict.
pub(crate) fn trouble(result: &ImplementationResult) -> Option<Diagnostic> {
    let name = &result.name;
    let (code, message) = match &result.conclusion {
        Conclusion::Verified | Conclusion::Errors | Conclusion::Cancelled => return None,
        Conclusion::TimedOut => (codes::TIME_OUT, format!("`{name}`: time limit reached")),
        Conclusion::OutOfMemory => (
            codes::OUT_OF_MEMORY,
            format!("`{name}`: the prover ran out of memory"),
        ),
        Conclusion::OutOfResource => (
            codes::OUT_OF_RESOURCE,
            format!("`{name}`: resource limit reached"),
        ),
        Conclusion::Inconclusive(why) => {
            (codes::INCONCLUSIVE, format!("`{name}`: no verdict: {why}"))
        }
        Conclusion::Unsupported { what, span } => {
            let message = format!("{what}: not supported");
            let error = Diagnostic::error(codes::UNSUPPORTED, message).at(*span);
            return Some(error.about(name.as_str()));
        }
    };
    let warning = Diagnostic::warning(code, message).at(result.span);
    Some(match result.cached {
        true => warning
            .with_note(
                "with the same limits it is not asked again; `--cache off` or another limit does",
            )
            .cached(result.recorded),
        false => warning,
    })
}

/// Warnings of code that was found to be unreachable.
pub(crate) fn unreachable(result: &ImplementationResult) -> impl Iterator<Item = Diagnostic> {
    result.unreachable.iter().map(|code| {
        let message = format!("`{}` has code that can never be reached", result.name);
        let path = code.path.join(", ");
        Diagnostic::warning(codes::UNREACHABLE, message)
            .at(code.span.unwrap_or(result.span))
            .with_note(format!("on the way {path}"))
    })
}

/// Warnings of recursive `:inline` functions: the calls left as they are stand for arbitrary values.
pub(crate) fn expansion_loops(program: &Program, loops: &[String]) -> Vec<Diagnostic> {
    let mut names: Vec<&String> = loops.iter().collect();
    names.sort();
    names.dedup();
    let warning = |name: &String| {
        let mut functions = program.funcs.iter();
        let span = functions
            .find(|(_, function)| program.name(function.name) == name)
            .map(|(_, function)| function.span);
        let message =
            format!("`{name}` is recursive and cannot be expanded; its inner calls mean nothing");
        let warning = Diagnostic::warning(codes::EXPANSION_LOOP, message);
        match span {
            Some(span) => warning.at(span),
            None => warning,
        }
    };
    names.into_iter().map(warning).collect()
}

/// The diagnostic of a reused verdict that differs from its recomputation.
pub(crate) fn mismatch(what: &str) -> Diagnostic {
    Diagnostic::error(
        codes::CACHE_MISMATCH,
        format!("a cached verdict differs from its recomputation: {what}"),
    )
}
