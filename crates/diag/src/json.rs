//! The JSON report, described by `docs/schema/diagnostics.schema.json`.
//!
//! `schema` is raised when a field changes its meaning or goes away; new fields may come at any time.

use crate::concise::severity_name;
use crate::{Diagnostic, Label, Provenance, Report};
use serde_json::{Value, json};
use stet_base::{SourceMap, Span};

/// The version of the report's schema.
pub const JSON_SCHEMA_VERSION: u32 = 2;

/// The report as one JSON value.
pub fn json(report: &Report<'_>) -> Value {
    let diagnostics: Vec<Value> = report
        .diagnostics
        .iter()
        .map(|diagnostic| json_diagnostic(report.sources, diagnostic))
        .collect();
    json!({
        "schema": JSON_SCHEMA_VERSION,
        "tool": { "name": "stet", "version": report.version },
        "command": report.command,
        "exit_code": report.exit_code,
        "diagnostics": diagnostics,
        "result": report.result,
        "statistics": report.statistics,
    })
}

/// One diagnostic as it stands in the report.
pub fn json_diagnostic(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let labels = |list: &[Label]| -> Vec<Value> {
        list.iter()
            .map(|label| json_label(sources, label))
            .collect()
    };
    let provenance = match &diagnostic.provenance {
        Provenance::Computed => json!({ "cached": false }),
        Provenance::Cached { recorded } => json!({ "cached": true, "recorded": recorded }),
    };
    let mut value = json!({
        "code": diagnostic.code,
        "severity": severity_name(diagnostic.severity),
        "message": diagnostic.message,
        "primary": diagnostic.primary.as_ref().map(|label| json_label(sources, label)),
        "related": labels(&diagnostic.related),
        "path": labels(&diagnostic.path),
        "notes": diagnostic.notes,
        "provenance": provenance,
    });
    if let Some(subject) = &diagnostic.subject {
        value["subject"] = json!(subject);
    }
    value
}

fn json_label(sources: &SourceMap, label: &Label) -> Value {
    let mut value = json_span(sources, label.span);
    value["message"] = json!(label.message);
    value
}

fn json_span(sources: &SourceMap, span: Span) -> Value {
    let file = sources.file(span.file);
    let (start, end) = (file.line_column(span.start), file.line_column(span.end));
    json!({
        "file": file.name(),
        "start": { "line": start.line, "column": start.column, "offset": span.start },
        "end": { "line": end.line, "column": end.column, "offset": span.end },
    })
}
