//! One line per diagnostic: `file:line:column: severity[code]: message`.

use crate::full::printable;
use crate::{Diagnostic, Provenance, Severity};
use stet_base::{SourceMap, Span};

/// The one-line form, without a line end. Line breaks in the message become blanks.
pub fn concise(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let place = diagnostic
        .primary
        .as_ref()
        .map_or_else(String::new, |label| {
            format!("{}: ", place(sources, label.span))
        });
    let cached = match diagnostic.provenance {
        Provenance::Computed => "",
        Provenance::Cached { .. } => " (cached)",
    };
    let message = printable(&diagnostic.message);
    format!(
        "{place}{}[{}]: {message}{cached}",
        severity_name(diagnostic.severity),
        diagnostic.code
    )
}

/// `file:line:column` of the start of a span.
pub(crate) fn place(sources: &SourceMap, span: Span) -> String {
    let start = sources.start_of(span);
    let name = printable(sources.file(span.file).name());
    format!("{name}:{}:{}", start.line, start.column)
}

/// The word for a severity.
pub(crate) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
