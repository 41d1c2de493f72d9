//! JUnit XML, for build servers.
//!
//! One test suite per run. Where the engine's result lists `obligations` (objects with `name`, `status`
//! and optionally `time` in seconds) or `implementations` (with `outcome` instead), each is a test case:
//! `holds` and `verified` pass, `fails` and `errors` fail, anything else is skipped. Without such a list
//! every source file without an error is a passed test case. Every error is a failed test case named after
//! its code and place, and stands for the obligation it belongs to; warnings and notes go to `system-out`.

use crate::concise::{concise, place};
use crate::{Diagnostic, Report, Severity};
use serde_json::Value;

/// The report as an XML document.
pub fn junit(report: &Report<'_>) -> String {
    let mut cases = obligations(report).unwrap_or_else(|| passed_files(report));
    if report.diagnostics.iter().any(Diagnostic::is_error) {
        cases.retain(|case| !matches!(case.verdict, Verdict::Failed { .. }));
    }
    let errors = report.diagnostics.iter().filter(|d| d.is_error());
    cases.extend(errors.map(|diagnostic| error_case(report, diagnostic)));
    let failures = count(&cases, |verdict| matches!(verdict, Verdict::Failed { .. }));
    let skipped = count(&cases, |verdict| matches!(verdict, Verdict::Skipped { .. }));
    let time: f64 = cases.iter().map(|case| case.time).sum();
    let name = attribute(&format!("stet {}", report.command));
    let totals = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{time:.3}\"",
        cases.len()
    );
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    xml += &format!("<testsuites {totals}>\n  <testsuite name=\"{name}\" {totals}>\n");
    for case in &cases {
        xml += &case_xml(report, case);
    }
    xml += &other_output(report);
    xml + "  </testsuite>\n</testsuites>"
}

struct Case {
    name: String,
    time: f64,
    verdict: Verdict,
}

enum Verdict {
    Passed,
    Skipped { why: String },
    Failed { message: String, detail: String },
}

fn count(cases: &[Case], is: impl Fn(&Verdict) -> bool) -> usize {
    cases.iter().filter(|case| is(&case.verdict)).count()
}

fn obligations(report: &Report<'_>) -> Option<Vec<Case>> {
    let lists = [("obligations", "status"), ("implementations", "outcome")];
    lists.iter().find_map(|(list, status)| {
        let items = report.result.get(list)?.as_array()?;
        Some(
            items
                .iter()
                .filter_map(|item| obligation_case(item, status))
                .collect(),
        )
    })
}

fn obligation_case(obligation: &Value, status: &str) -> Option<Case> {
    let name = obligation.get("name")?.as_str()?.to_owned();
    let verdict = match obligation.get(status)?.as_str()? {
        "holds" | "verified" => Verdict::Passed,
        "fails" | "errors" => Verdict::Failed {
            message: format!("{name} fails"),
            detail: String::new(),
        },
        other => Verdict::Skipped {
            why: other.to_owned(),
        },
    };
    let time = obligation.get("time").and_then(Value::as_f64);
    Some(Case {
        name,
        time: time.unwrap_or(0.0),
        verdict,
    })
}

fn passed_files(report: &Report<'_>) -> Vec<Case> {
    let errors = || report.diagnostics.iter().filter(|d| d.is_error());
    report
        .sources
        .iter()
        .filter(|(id, _)| {
            !errors().any(|d| {
                d.primary
                    .as_ref()
                    .is_some_and(|label| label.span.file == *id)
            })
        })
        .map(|(_, file)| Case {
            name: file.name().to_owned(),
            time: 0.0,
            verdict: Verdict::Passed,
        })
        .collect()
}

fn error_case(report: &Report<'_>, diagnostic: &Diagnostic) -> Case {
    let at = diagnostic
        .primary
        .as_ref()
        .map_or_else(String::new, |label| {
            format!(" at {}", place(report.sources, label.span))
        });
    let mut detail = concise(report.sources, diagnostic);
    for label in diagnostic.related.iter().chain(&diagnostic.path) {
        let place = place(report.sources, label.span);
        detail += &format!("\n{place}: {}", label.message);
    }
    for note in &diagnostic.notes {
        detail += &format!("\n{note}");
    }
    Case {
        name: format!("{}{at}", diagnostic.code),
        time: 0.0,
        verdict: Verdict::Failed {
            message: diagnostic.message.clone(),
            detail,
        },
    }
}

fn case_xml(report: &Report<'_>, case: &Case) -> String {
    let head = format!(
        "    <testcase classname=\"stet.{}\" name=\"{}\" time=\"{:.3}\"",
        attribute(report.command),
        attribute(&case.name),
        case.time
    );
    match &case.verdict {
        Verdict::Passed => format!("{head}/>\n"),
        Verdict::Skipped { why } => format!(
            "{head}>\n      <skipped message=\"{}\"/>\n    </testcase>\n",
            attribute(why)
        ),
        Verdict::Failed { message, detail } => format!(
            "{head}>\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
            attribute(message),
            text(detail)
        ),
    }
}

fn other_output(report: &Report<'_>) -> String {
    let others: Vec<String> = report
        .diagnostics
        .iter()
        .filter(|d| d.severity != Severity::Error)
        .map(|d| text(&concise(report.sources, d)))
        .collect();
    if others.is_empty() {
        return String::new();
    }
    format!("    <system-out>{}</system-out>\n", others.join("\n"))
}

fn attribute(value: &str) -> String {
    text(value)
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
        .replace('\t', "&#9;")
}

/// Escaped, and without the characters XML 1.0 cannot contain.
fn text(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\n' | '\t' => escaped.push(c),
            _ if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}
