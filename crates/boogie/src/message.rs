//! Diagnostics of the front end: their codes, and the lines Boogie prints for them.
//!
//! Everything the front end says is a [`Diagnostic`] with one of the codes of [`codes`]; its text is Boogie's wording. How
//! Boogie lays out a line (the word before the text, whether columns count from nought) follows from the code.

use crate::codes;
use crate::position::{Origins, is_nowhere};
use stet_base::{SourceMap, Span};
use stet_diag::{Diagnostic, Severity};

/// An error at a place, which may be [nowhere](crate::nowhere).
pub(crate) fn error(code: &'static str, span: Span, text: String) -> Diagnostic {
    placed(Diagnostic::error(code, text), span)
}

/// A warning at a place, which may be [nowhere](crate::nowhere).
pub(crate) fn warning(code: &'static str, span: Span, text: String) -> Diagnostic {
    placed(Diagnostic::warning(code, text), span)
}

fn placed(diagnostic: Diagnostic, span: Span) -> Diagnostic {
    if is_nowhere(span) {
        return diagnostic;
    }
    diagnostic.at(span)
}

/// The line Boogie prints for a diagnostic of the front end, without line end.
pub fn boogie_line(diagnostic: &Diagnostic, sources: &SourceMap, origins: &Origins) -> String {
    let (file, line, column) = match &diagnostic.primary {
        Some(label) => {
            let place = origins.place(sources, label.span);
            (place.file, place.line, i64::from(place.column))
        }
        None => (String::new(), 0, 0),
    };
    let (column, word) = match (diagnostic.code, diagnostic.severity) {
        (codes::SYNTAX, _) => (column, "error"),
        (codes::PRAGMA, _) => (0, "error"),
        (_, Severity::Error) => (column - 1, "Error"),
        _ => (column - 1, "Warning"),
    };
    format!("{file}({line},{column}): {word}: {}", diagnostic.message)
}
