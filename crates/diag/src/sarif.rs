//! SARIF 2.1.0, for code-scanning services.
//!
//! Rules come from the catalogue of codes. A result's fingerprint covers its rule, its file and the text of its line, so
//! that a service recognises it after lines were inserted above it. An execution path is a code flow.

use crate::{Catalog, Diagnostic, Label, Provenance, Report, Severity};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use stet_base::{FileId, SourceMap, Span};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report as a SARIF log with one run.
pub fn sarif(report: &Report<'_>) -> Value {
    let mut rules: Vec<&str> = report.diagnostics.iter().map(|d| d.code).collect();
    rules.sort_unstable();
    rules.dedup();
    let fingerprints = fingerprints(report);
    let files = Files::of(report);
    let results: Vec<Value> = report
        .diagnostics
        .iter()
        .zip(fingerprints)
        .map(|(diagnostic, fingerprint)| result(&files, diagnostic, &rules, &fingerprint))
        .collect();
    let rule_values: Vec<Value> = rules.iter().map(|id| rule(report.catalog, id)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "stet",
                "version": report.version,
                "rules": rule_values,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.exit_code <= 1,
                "exitCode": report.exit_code,
            }],
            "artifacts": files.artifacts(),
            "results": results,
            "properties": { "command": report.command },
        }],
    })
}

/// A rule with its explanation; a code without an entry has its name only.
fn rule(catalog: Catalog, id: &str) -> Value {
    let Some(code) = catalog.find(id) else {
        return json!({ "id": id });
    };
    json!({
        "id": id,
        "shortDescription": { "text": code.title },
        "fullDescription": { "text": code.explanation },
        "help": {
            "text": format!(
                "{}\n\nExample:\n{}\n\nMore: stet explain {id}",
                code.explanation, code.example
            ),
            "markdown": format!(
                "{}\n\n```\n{}\n```\n\nMore: `stet explain {id}`",
                code.explanation, code.example
            ),
        },
        // A name that `stet explain` resolves wherever Stet is installed.
        "helpUri": format!("urn:stet:explain:{id}"),
    })
}

/// One fingerprint per diagnostic; equal ones on equal lines are told apart by their number.
fn fingerprints(report: &Report<'_>) -> Vec<String> {
    let mut seen: Vec<blake3::Hash> = Vec::new();
    let mut found = Vec::new();
    for diagnostic in report.diagnostics {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        part(diagnostic.code);
        if let Some(label) = &diagnostic.primary {
            let file = report.sources.file(label.span.file);
            let line = file.line_column(label.span.start).line;
            part(file.name());
            part(file.line(line).trim());
        } else {
            part(&diagnostic.message);
        }
        let digest = hasher.finalize();
        let number = seen.iter().filter(|other| **other == digest).count();
        seen.push(digest);
        found.push(format!("{}:{number}", &digest.to_hex()[..32]));
    }
    found
}

fn result(files: &Files<'_>, diagnostic: &Diagnostic, rules: &[&str], fingerprint: &str) -> Value {
    let mut text = diagnostic.message.clone();
    for note in &diagnostic.notes {
        text.push('\n');
        text.push_str(note);
    }
    let locations: Vec<Value> = diagnostic
        .primary
        .iter()
        .map(|label| json!({ "physicalLocation": files.place(label.span) }))
        .collect();
    let related: Vec<Value> = diagnostic
        .related
        .iter()
        .enumerate()
        .map(|(id, label)| related_location(files, id, label))
        .collect();
    let properties = match diagnostic.provenance {
        Provenance::Computed => json!({ "cached": false }),
        Provenance::Cached { recorded } => json!({ "cached": true, "recorded": recorded }),
    };
    let mut value = json!({
        "ruleId": diagnostic.code,
        "ruleIndex": rules.binary_search(&diagnostic.code).unwrap_or(0),
        "level": level(diagnostic.severity),
        "message": { "text": text },
        "locations": locations,
        "relatedLocations": related,
        "partialFingerprints": { "stet/v1": fingerprint },
        "properties": properties,
    });
    if !diagnostic.path.is_empty() {
        value["codeFlows"] = json!([code_flow(files, diagnostic)]);
    }
    value
}

/// The execution path, ending at the finding itself.
fn code_flow(files: &Files<'_>, diagnostic: &Diagnostic) -> Value {
    let step = |span: Span, text: &str| {
        json!({ "location": {
            "physicalLocation": files.place(span),
            "message": { "text": text },
        } })
    };
    let mut locations: Vec<Value> = diagnostic
        .path
        .iter()
        .map(|label| step(label.span, &label.message))
        .collect();
    if let Some(label) = &diagnostic.primary {
        locations.push(step(label.span, &diagnostic.message));
    }
    json!({ "threadFlows": [{ "locations": locations }] })
}

fn related_location(files: &Files<'_>, id: usize, label: &Label) -> Value {
    json!({
        "id": id,
        "physicalLocation": files.place(label.span),
        "message": { "text": label.message },
    })
}

/// The files of a log, which places refer to by number: those of the user, and others that a finding is in.
struct Files<'a> {
    sources: &'a SourceMap,
    listed: Vec<FileId>,
}

impl<'a> Files<'a> {
    fn of(report: &Report<'a>) -> Self {
        let labels = report
            .diagnostics
            .iter()
            .flat_map(|d| d.primary.iter().chain(&d.related).chain(&d.path));
        let found: BTreeSet<FileId> = labels.map(|label| label.span.file).collect();
        let files = report.sources.iter();
        let listed = files.filter(|(id, file)| !file.is_made() || found.contains(id));
        Files {
            sources: report.sources,
            listed: listed.map(|(id, _)| id).collect(),
        }
    }

    fn artifacts(&self) -> Vec<Value> {
        let names = self.listed.iter().map(|&id| self.sources.file(id).name());
        names
            .map(|name| json!({ "location": { "uri": uri(name) } }))
            .collect()
    }

    fn place(&self, span: Span) -> Value {
        let file = self.sources.file(span.file);
        let start = file.line_column(span.start);
        let end = file.line_column(span.end.max(span.start));
        let index = self.listed.iter().position(|&other| other == span.file);
        debug_assert!(index.is_some(), "every file with a finding is listed");
        json!({
            "artifactLocation": {
                "uri": uri(file.name()),
                "index": index.unwrap_or(0),
            },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
                "byteOffset": span.start,
                "byteLength": span.end.saturating_sub(span.start),
            },
        })
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// A file name as a URI reference: relative names stay relative.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    if name.starts_with('/') {
        uri.push_str("file://");
    } else if name
        .split('/')
        .next()
        .is_some_and(|first| first.contains(':'))
    {
        uri.push_str("./"); // otherwise the part before the colon would be a scheme
    }
    for byte in name.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
