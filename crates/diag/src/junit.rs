//! JUnit XML, for build servers.
//!
//! One test suite per run. Where the engine's result lists `obligations` (objects with `name`, `status`
//! and optionally `time` in seconds) or `implementations` (with `outcome` and `seconds` instead), each is a test case:
//! `holds` and `verified` pass, `fails` and `errors` fail, anything else is skipped; likewise `functions` that are `clean` or
//! have `findings`. The errors about it are its failure, so
//! a case has one name whether it passes or fails. Without such a list the `program` of the result, or every file of the
//! user, is a test case: it passes without errors, and is skipped if the run could not tell. Every other error is a
//! failed test case named after its code and place; warnings and notes go to `system-out`. A run that ended without an
//! answer has at least one case that did not pass.

use crate::concise::{concise, place};
use crate::{Diagnostic, Report, Severity};
use serde_json::Value;

/// The report as an XML document.
pub fn junit(report: &Report<'_>) -> String {
    let mut errors: Vec<&Diagnostic> = report.diagnostics.iter().collect();
    errors.retain(|d| d.is_error());
    let mut cases = match obligations(report) {
        Some(mut cases) => {
            // Findings of engines that do not name obligations stand for those that fail.
            let unnamed = errors.iter().any(|d| d.subject.is_none());
            for case in &mut cases {
                fail_by(report, case, &mut errors);
            }
            cases.retain(|case| !(unnamed && is_bare_failure(case)));
            cases
        }
        None => programs(report),
    };
    cases.extend(
        errors
            .iter()
            .map(|diagnostic| error_case(report, diagnostic)),
    );
    if report.exit_code > 1
        && cases
            .iter()
            .all(|case| matches!(case.verdict, Verdict::Passed))
    {
        cases.push(Case {
            name: "the run".to_owned(),
            time: 0.0,
            verdict: no_answer(report),
        });
    }
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
    let lists = [
        ("obligations", "status"),
        ("implementations", "outcome"),
        ("functions", "status"),
    ];
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
        "holds" | "verified" | "clean" => Verdict::Passed,
        "fails" | "errors" | "findings" => Verdict::Failed {
            message: format!("{name} fails"),
            detail: String::new(),
        },
        other => Verdict::Skipped {
            why: other.to_owned(),
        },
    };
    let time = ["time", "seconds"]
        .iter()
        .find_map(|key| obligation.get(key)?.as_f64());
    Some(Case {
        name,
        time: time.unwrap_or(0.0),
        verdict,
    })
}

/// Moves the errors about an obligation into its case.
fn fail_by(report: &Report<'_>, case: &mut Case, errors: &mut Vec<&Diagnostic>) {
    let is_about = |d: &&&Diagnostic| d.subject.as_ref() == Some(&case.name);
    let about: Vec<&Diagnostic> = errors.iter().filter(is_about).copied().collect();
    let Some(first) = about.first() else {
        return;
    };
    let details: Vec<String> = about.iter().map(|d| detail(report, d)).collect();
    let message = match about.len() {
        1 => first.message.clone(),
        count => format!("{} (and {} more)", first.message, count - 1),
    };
    case.verdict = Verdict::Failed {
        message,
        detail: details.join("\n"),
    };
    errors.retain(|d| d.subject.as_ref() != Some(&case.name));
}

/// Whether a case fails and no error says why.
fn is_bare_failure(case: &Case) -> bool {
    matches!(&case.verdict, Verdict::Failed { detail, .. } if detail.is_empty())
}

/// The program, or the files of the user: those without an error in them.
fn programs(report: &Report<'_>) -> Vec<Case> {
    let errors = || report.diagnostics.iter().filter(|d| d.is_error());
    let passes = |name: String| Case {
        name,
        time: 0.0,
        verdict: match report.exit_code {
            0 | 1 => Verdict::Passed,
            _ => no_answer(report),
        },
    };
    if let Some(program) = report.result.get("program").and_then(Value::as_str) {
        let holds = errors().next().is_none();
        return holds
            .then(|| passes(program.to_owned()))
            .into_iter()
            .collect();
    }
    let has_errors = |id| {
        let mut places = errors().filter_map(|d| d.primary.as_ref());
        places.any(|label| label.span.file == id)
    };
    let own = report.sources.iter().filter(|(_, file)| !file.is_made());
    own.filter(|(id, _)| !has_errors(*id))
        .map(|(_, file)| passes(file.name().to_owned()))
        .collect()
}

/// What a case is in a run that ended without an answer.
fn no_answer(report: &Report<'_>) -> Verdict {
    let ended = report.result.get("ended").and_then(Value::as_str);
    let how = match report.exit_code {
        3 => "inconclusive",
        130 => "interrupted",
        code => {
            return Verdict::Skipped {
                why: format!("the run ended with exit code {code}"),
            };
        }
    };
    Verdict::Skipped {
        why: ended.map_or_else(|| how.to_owned(), |ended| format!("{how}: {ended}")),
    }
}

fn error_case(report: &Report<'_>, diagnostic: &Diagnostic) -> Case {
    let at = diagnostic
        .primary
        .as_ref()
        .map_or_else(String::new, |label| {
            format!(" at {}", place(report.sources, label.span))
        });
    Case {
        name: format!("{}{at}", diagnostic.code),
        time: 0.0,
        verdict: Verdict::Failed {
            message: diagnostic.message.clone(),
            detail: detail(report, diagnostic),
        },
    }
}

/// Everything about an error, as lines.
fn detail(report: &Report<'_>, diagnostic: &Diagnostic) -> String {
    let mut detail = concise(report.sources, diagnostic);
    for label in diagnostic.related.iter().chain(&diagnostic.path) {
        let place = place(report.sources, label.span);
        detail += &format!("\n{place}: {}", label.message);
    }
    for note in &diagnostic.notes {
        detail += &format!("\n{note}");
    }
    detail
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
