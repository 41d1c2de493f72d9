//! What the editor tells, and what it is told.

use super::{Dialect, Server, parameters};
use crate::document::{Document, Snapshot, path_of};
use crate::language::Language;
use crate::status::{self, Check, Moving, Status};
use lsp_server::Notification;
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, Location,
    NumberOrString, Range, Uri,
};
use serde_json::{Value, json};
use stet_base::Span;
use stet_diag::{Diagnostic, Label, Provenance, Severity};
use stet_verify::Statistics;

impl Server {
    pub(super) fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(opened) = parameters::<DidOpenTextDocumentParams>(params) {
                    let item = opened.text_document;
                    if let Some(language) = Language::of(&item.language_id, &item.uri) {
                        self.open(
                            item.uri,
                            language,
                            item.version,
                            item.text,
                            Status::default(),
                        );
                    }
                }
            }
            "textDocument/didChange" => {
                if let Ok(changed) = parameters::<DidChangeTextDocumentParams>(params) {
                    self.change(changed);
                }
            }
            "textDocument/didClose" => {
                if let Ok(closed) = parameters::<DidCloseTextDocumentParams>(params) {
                    self.close(&closed.text_document.uri);
                }
            }
            "textDocument/didSave" => {
                if let Ok(saved) = parameters::<DidSaveTextDocumentParams>(params) {
                    self.hurry(&saved.text_document.uri);
                }
            }
            "initialized" => self.is_initialized = true,
            "exit" => self.has_ended = true,
            // `$/…` may be ignored by the protocol; others are not for a server that did not ask for them.
            _ => {}
        }
    }

    fn change(&mut self, changed: DidChangeTextDocumentParams) {
        let key = changed.text_document.uri.as_str();
        let Some(document) = self.documents.get_mut(key) else {
            return;
        };
        document.cancel();
        let old = document.snapshot.clone();
        let (text, edits) = old.changed(changed.content_changes, self.encoding);
        let status = std::mem::take(&mut document.status).edited(&edits);
        self.open(
            old.uri.clone(),
            old.language,
            changed.text_document.version,
            text,
            status,
        );
    }

    fn close(&mut self, uri: &Uri) {
        if let Some(mut document) = self.documents.remove(uri.as_str()) {
            document.cancel();
        }
        self.notify(
            "textDocument/publishDiagnostics",
            json!({ "uri": uri, "diagnostics": [] }),
        );
    }

    /// A saved document is verified at once.
    fn hurry(&mut self, uri: &Uri) {
        if let Some(document) = self.documents.get_mut(uri.as_str())
            && document.due.is_some()
        {
            self.verify(uri.as_str(), None);
        }
    }

    /// Publishes everything that is known about a document.
    pub(super) fn tell_diagnostics(&mut self, uri: &str) {
        let Some(document) = self.documents.get(uri) else {
            return;
        };
        let list = diagnostics_of(document);
        let version = document.snapshot.version;
        let parameters = json!({ "uri": uri, "version": version, "diagnostics": list });
        self.notify("textDocument/publishDiagnostics", parameters);
    }

    /// Publishes the status of lines, declarations and checks.
    pub(super) fn tell_status(&mut self, uri: &str) {
        let Some(document) = self.documents.get(uri) else {
            return;
        };
        let (snapshot, status) = (&document.snapshot, &document.status);
        let version = snapshot.version;
        let lines = status::lines(snapshot, status);
        let verifiables: Vec<Value> = snapshot
            .analysis
            .symbols
            .iter()
            .filter(|symbol| symbol.is_callable)
            .map(|symbol| {
                json!({
                    "nameRange": range(snapshot, symbol.name_place),
                    "status": status::symbol(status, symbol),
                })
            })
            .collect();
        let checks: Vec<Value> = status
            .known
            .iter()
            .flat_map(|(name, known)| known.checks.iter().map(move |check| (name, check)))
            .map(|(name, check)| check_value(snapshot, name, check))
            .collect();
        let phase = format!("{:?}", status.phase).to_lowercase();
        if self.dialect == Dialect::Dafny {
            let gutter = json!({ "uri": uri, "version": version, "perLineStatus": lines });
            self.notify("dafny/verification/status/gutter", gutter);
            let symbols =
                json!({ "uri": uri, "version": version, "namedVerifiables": verifiables });
            self.notify("dafny/textDocument/symbolStatus", symbols);
        }
        let own = json!({
            "uri": uri, "version": version, "phase": phase, "lines": lines, "checks": checks, "declarations": verifiables,
        });
        self.notify("stet/status", own);
    }

    /// Progress as the protocol has it, where the editor shows it.
    pub(super) fn tell_progress(&mut self, snapshot: &Snapshot, begins: bool, text: &str) {
        if self.dialect == Dialect::Dafny {
            let status = if begins {
                "VerificationStarted"
            } else {
                "VerificationCompleted"
            };
            let parameters = json!({
                "uri": snapshot.uri, "version": snapshot.version, "status": status, "message": text,
            });
            self.notify("dafny/compilation/status", parameters);
        }
        if self.shows_progress {
            let kind = if begins { "begin" } else { "end" };
            let mut value = json!({ "kind": kind, "message": text });
            if begins {
                value["title"] = json!("Stet");
            }
            let token = format!("stet/{}/{}", path_of(&snapshot.uri), snapshot.version);
            self.notify("$/progress", json!({ "token": token, "value": value }));
        }
    }

    /// The counts of a finished verification.
    pub(super) fn tell_summary(
        &mut self,
        snapshot: &Snapshot,
        statistics: &Statistics,
        text: &str,
    ) {
        let parameters = json!({
            "uri": snapshot.uri,
            "version": snapshot.version,
            "text": text,
            "verified": statistics.verified,
            "errors": statistics.errors,
            "undecided": statistics.undecided,
            "solved": statistics.solved,
            "cached": statistics.cached,
            "partial": statistics.partial,
            "recycled": statistics.recycled,
        });
        self.notify("stet/summary", parameters);
    }
}

fn check_value(snapshot: &Snapshot, name: &str, check: &Check) -> Value {
    let mut value = serde_json::to_value(check).unwrap_or_default();
    value["range"] = json!(range(snapshot, check.place));
    value["declaration"] = json!(name);
    value
}

/// A place as the editor counts.
pub(super) fn range(snapshot: &Snapshot, place: (usize, usize)) -> Range {
    snapshot.lines.range(&snapshot.text, place.0, place.1)
}

fn diagnostics_of(document: &Document) -> Vec<lsp_types::Diagnostic> {
    let snapshot = &document.snapshot;
    let mut list: Vec<lsp_types::Diagnostic> = snapshot
        .analysis
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic
                .primary
                .as_ref()
                .map_or((0, 0), |label| place(label.span));
            converted(snapshot, diagnostic, place, false)
        })
        .collect();
    for known in document.status.known.values() {
        for Moving { diagnostic, place } in &known.diagnostics {
            list.push(converted(snapshot, diagnostic, *place, known.stale));
        }
    }
    list
}

fn place(span: Span) -> (usize, usize) {
    (span.start as usize, span.end as usize)
}

/// A diagnostic as the editor takes it. A stale one loses its related places: they may have moved.
fn converted(
    snapshot: &Snapshot,
    diagnostic: &Diagnostic,
    at: (usize, usize),
    stale: bool,
) -> lsp_types::Diagnostic {
    let mut message = diagnostic.message.clone();
    for note in &diagnostic.notes {
        message += &format!("\n{note}");
    }
    if let Provenance::Cached { .. } = diagnostic.provenance {
        message += " (cached)";
    }
    let related = diagnostic.related.iter().chain(&diagnostic.path);
    let related: Vec<DiagnosticRelatedInformation> = related
        .filter(|_| !stale)
        .map(|label: &Label| DiagnosticRelatedInformation {
            location: Location::new(snapshot.uri.clone(), range(snapshot, place(label.span))),
            message: label.message.clone(),
        })
        .collect();
    lsp_types::Diagnostic {
        range: range(snapshot, at),
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        source: Some("stet".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp_types::Diagnostic::default()
    }
}
