//! A summary in Markdown, for pull requests and job pages: what was solved, what was reused, what is new.
//!
//! Where the engine's result lists `obligations` or `implementations`, they are counted by outcome and by where
//! the verdict came from (`source` or `cached`). Findings are listed with their places; those computed in this run
//! rather than known before are marked as new. Text from the program cannot break out of its cell.

use crate::concise::place;
use crate::{Diagnostic, Provenance, Report, Severity};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// At most this many findings are listed; job pages are limited in size.
const LISTED: usize = 100;

/// The report as a Markdown document.
pub fn markdown(report: &Report<'_>) -> String {
    let verdict = match report.exit_code {
        0 => "nothing found",
        1 => "findings",
        2 => "wrong usage or unreadable input",
        3 => "inconclusive",
        130 => "interrupted",
        _ => "internal error",
    };
    let mut text = format!("## stet {}: {verdict}\n", cell(report.command));
    text += &table(report);
    text += &findings(report);
    if let Some(shared) = report.statistics.get("shared_store") {
        let number = |name: &str| shared.get(name).and_then(Value::as_u64).unwrap_or(0);
        let _ = write!(
            text,
            "\nShared store: {} verdicts reused, {} sent; {} bytes received, {} bytes sent.\n",
            number("verdicts"),
            number("sent"),
            number("bytes_received"),
            number("bytes_sent")
        );
    }
    text.trim_end().to_owned()
}

/// Counts by outcome: solved in this run, and reused.
fn table(report: &Report<'_>) -> String {
    let lists = [("obligations", "status"), ("implementations", "outcome")];
    let found = lists.iter().find_map(|(list, status)| {
        let items = report.result.get(list)?.as_array()?;
        Some((*list, *status, items))
    });
    let Some((list, status, items)) = found else {
        return String::new();
    };
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for item in items {
        let outcome = item
            .get(status)
            .and_then(Value::as_str)
            .unwrap_or("unknown");
        let count = counts.entry(outcome).or_default();
        match is_reused(item) {
            true => count.1 += 1,
            false => count.0 += 1,
        }
    }
    let mut text = format!("\n| {list} | solved in this run | reused |\n|---|---:|---:|\n");
    for (outcome, (solved, reused)) in &counts {
        let _ = writeln!(text, "| {} | {solved} | {reused} |", cell(outcome));
    }
    let total = counts
        .values()
        .fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let _ = writeln!(text, "| **all** | {} | {} |", total.0, total.1);
    text
}

fn is_reused(item: &Value) -> bool {
    match item.get("cached") {
        Some(Value::Bool(cached)) => *cached,
        Some(Value::Null) | None => false,
        Some(_) => true,
    }
}

fn findings(report: &Report<'_>) -> String {
    let is_shown = |d: &&Diagnostic| d.severity != Severity::Note;
    let mut shown: Vec<&Diagnostic> = report.diagnostics.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return String::new();
    }
    let is_new = |d: &Diagnostic| matches!(d.provenance, Provenance::Computed);
    let new = shown.iter().filter(|d| is_new(d)).count();
    let known = shown.len() - new;
    // What is new comes first: it is what a reviewer looks for.
    shown.sort_by_key(|d| !is_new(d));
    let mut text = format!(
        "\n### Findings: {new} new, {known} known\n\n| | place | finding |\n|---|---|---|\n"
    );
    for diagnostic in shown.iter().take(LISTED) {
        let place = diagnostic
            .primary
            .as_ref()
            .map_or_else(String::new, |label| place(report.sources, label.span));
        let mark = if is_new(diagnostic) { "**new**" } else { "" };
        let _ = writeln!(
            text,
            "| {mark} | {} | {} ({}) |",
            cell(&place),
            cell(&diagnostic.message),
            cell(diagnostic.code)
        );
    }
    if shown.len() > LISTED {
        let _ = writeln!(text, "\n{} more are not listed.", shown.len() - LISTED);
    }
    text
}

/// Text as it can stand in a cell: one line, and nothing in it is markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stet_base::SourceMap;

    fn report(diagnostics: &[Diagnostic], result: &Value) -> String {
        markdown(&Report {
            command: "verify",
            version: "1",
            catalog: crate::Catalog(&[]),
            sources: &SourceMap::new(),
            diagnostics,
            result,
            statistics: &Value::Null,
            exit_code: 1,
        })
    }

    #[test]
    fn what_was_solved_and_what_was_reused() {
        let result = json!({ "implementations": [
            { "name": "P", "outcome": "verified", "cached": 17 },
            { "name": "Q", "outcome": "verified", "cached": null },
            { "name": "R", "outcome": "errors", "cached": true },
        ]});
        let text = report(&[], &result);
        assert!(text.contains("| verified | 1 | 1 |"), "{text}");
        assert!(text.contains("| errors | 0 | 1 |"), "{text}");
        assert!(text.contains("| **all** | 1 | 2 |"), "{text}");
    }

    #[test]
    fn new_findings_come_first_and_text_stays_in_its_cell() {
        let known = Diagnostic::error("verify/assertion", "old | one").cached(Some(3));
        let new = Diagnostic::error("verify/assertion", "<img src=x>\n| new |");
        let text = report(&[known, new], &Value::Null);
        assert!(text.contains("### Findings: 1 new, 1 known"), "{text}");
        let lines: Vec<&str> = text
            .lines()
            .filter(|l| l.contains("verify/assertion"))
            .collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].contains("**new**") && !lines[1].contains("**new**"));
        assert!(lines[0].contains("\\<img src=x\\> \\| new \\|"), "{text}");
    }
}
