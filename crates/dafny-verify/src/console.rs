//! Dafny's console output: one line per diagnostic and related place, and the last line with the counts.

use stet_base::{SourceMap, Span};
use stet_diag::{Diagnostic, Severity};
use stet_verify::{Conclusion, Outcome};

/// Diagnostics as Dafny prints them, and how many of them are errors.
pub fn lines(sources: &SourceMap, diagnostics: &[Diagnostic]) -> (Vec<String>, usize) {
    let mut lines = Vec::new();
    let mut errors = 0;
    for diagnostic in diagnostics {
        let word = match diagnostic.severity {
            Severity::Error => {
                errors += 1;
                "Error"
            }
            Severity::Warning => "Warning",
            Severity::Note => "Info",
        };
        let place = match &diagnostic.primary {
            Some(label) if !stet_boogie::is_nowhere(label.span) => {
                place(sources, label.span) + ": "
            }
            _ => String::new(),
        };
        lines.push(format!("{place}{word}: {}", diagnostic.message));
        let asserted = diagnostic
            .notes
            .iter()
            .filter(|note| note.starts_with(crate::ASSERTED));
        lines.extend(
            asserted
                .flat_map(|note| note.lines())
                .map(|line| format!(" {line}")),
        );
        for label in &diagnostic.related {
            let place = self::place(sources, label.span);
            let text = if label.message.is_empty() {
                String::new()
            } else {
                format!(": {}", label.message)
            };
            lines.push(format!("{place}: Related location{text}"));
        }
        if diagnostic.code.starts_with("dafny/invariant-") {
            lines.push(" Related message: loop invariant violation".into());
        }
    }
    (lines, errors)
}

/// A place as Dafny writes it: the name of the file, the line from 1, the column from 0.
fn place(sources: &SourceMap, span: Span) -> String {
    let place = sources.start_of(span);
    let file = sources.file(span.file).name();
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{file}({},{})", place.line, place.column.saturating_sub(1))
}

/// Dafny's last line.
pub fn trailer(outcome: &Outcome) -> String {
    let counts = &outcome.statistics;
    let timed_out = |why: &Conclusion| *why == Conclusion::TimedOut;
    let all = outcome.left_out.len();
    let late = outcome
        .left_out
        .iter()
        .filter(|l| timed_out(&l.why))
        .count();
    let noun = |n: usize, one: &str| {
        if n == 1 {
            format!("{n} {one}")
        } else {
            format!("{n} {one}s")
        }
    };
    let mut line = format!(
        "Dafny program verifier finished with {} verified, {}",
        counts.verified,
        noun(counts.errors, "error")
    );
    if late > 0 {
        line.push_str(&format!(", {}", noun(late, "time out")));
    }
    if all > late {
        line.push_str(&format!(", {} inconclusive", all - late));
    }
    line
}
