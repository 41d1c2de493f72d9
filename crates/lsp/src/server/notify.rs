//! Notifications from and to the editor.

use super::{Dialect, Server, VerifyOn, parameters};
use crate::document::{Document, Snapshot, path_of, uri_of};
use crate::language::Language;
use crate::status::{self, Check, Moving, Phase, Status, place};
use lsp_server::{ErrorCode, Notification};
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, FileChangeType, FileEvent, Location,
    NumberOrString, Range, Uri,
};
use serde_json::{Value, json};
use std::io::Write;
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
                        let path = path_of(&item.uri);
                        self.open(
                            item.uri,
                            language,
                            item.version,
                            item.text,
                            Status::default(),
                        );
                        self.read_dependents(&path);
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
            "workspace/didChangeWatchedFiles" => {
                if let Ok(changed) = parameters::<DidChangeWatchedFilesParams>(params) {
                    for change in changed.changes {
                        self.file_changed(&change);
                    }
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                if let Ok(changed) = parameters::<DidChangeWorkspaceFoldersParams>(params) {
                    for closed in changed.event.removed {
                        self.folders.remove(&path_of(&closed.uri));
                    }
                    let opened = changed.event.added.iter();
                    self.folders.extend(opened.map(|f| path_of(&f.uri)));
                }
            }
            "stet/visible" => self.take_visible(&params),
            "workspace/didChangeConfiguration" => self.configure(&params["settings"]),
            "$/cancelRequest" => self.cancel_request(&params),
            "initialized" => self.watch_files(),
            "exit" => self.has_ended = true,
            // Other `$/…` may be ignored by the protocol; others are not for a server that did not ask for them.
            _ => {}
        }
    }

    /// A file changed on disk: a new file, or another project file, may belong to any document's project.
    fn file_changed(&mut self, change: &FileEvent) {
        let path = path_of(&change.uri);
        let is_project = path.ends_with("/dfyconfig.toml");
        if is_project || change.typ == FileChangeType::CREATED && path.ends_with(".dfy") {
            self.read_again(|snapshot| snapshot.language == Language::Dafny);
        } else {
            self.read_dependents(&path);
        }
    }

    fn change(&mut self, changed: DidChangeTextDocumentParams) {
        let key = changed.text_document.uri.as_str();
        let Some(document) = self.documents.get_mut(key) else {
            return;
        };
        // before the text is read: what is begun from now on is most likely not wanted
        document.retire(&self.workshop.engine);
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
        self.read_dependents(&path_of(&old.uri));
    }

    fn close(&mut self, uri: &Uri) {
        if let Some(mut document) = self.documents.remove(uri.as_str()) {
            document.cancel();
            self.refuse_models(&mut document.models, "the document was closed");
        }
        self.notify(
            "textDocument/publishDiagnostics",
            json!({ "uri": uri, "diagnostics": [] }),
        );
        // What includes it sees the file on disk again.
        self.read_dependents(&path_of(uri));
    }

    /// The editor says which lines of a document it shows: `{ "uri": …, "ranges": [range, …] }`.
    fn take_visible(&mut self, params: &Value) {
        let uri = params["uri"].as_str().unwrap_or_default();
        let ranges = parameters::<Vec<Range>>(params["ranges"].clone());
        if let (Some(document), Ok(ranges)) = (self.documents.get_mut(uri), ranges) {
            let lines = ranges
                .iter()
                .map(|range| (range.start.line, range.end.line));
            document.visible = lines.collect();
        }
    }

    /// A saved document is verified at once, unless that was done already.
    fn hurry(&mut self, uri: &Uri) {
        if let Some(document) = self.documents.get_mut(uri.as_str())
            && (document.status.phase == Phase::Queued
                || document.status.phase == Phase::Idle && self.verify_on != VerifyOn::Never)
            && self.workshop.verifies(document.snapshot.language)
        {
            self.verify(uri.as_str(), Vec::new());
        }
    }

    /// A message that cannot be read: the protocol wants an answer without an id, which the crate's types do not have.
    pub(super) fn tell_malformed(&mut self, why: &str) {
        let body = json!({
            "jsonrpc": "2.0", "id": null,
            "error": { "code": ErrorCode::ParseError as i32, "message": why },
        })
        .to_string();
        let _ = write!(self.output, "Content-Length: {}\r\n\r\n{body}", body.len());
        let _ = self.output.flush();
    }

    /// How far reading got, and ghost statements, for the Dafny extension.
    pub(super) fn tell_reading(&mut self, snapshot: &Snapshot) {
        if self.dialect != Dialect::Dafny || snapshot.language != Language::Dafny {
            return;
        }
        let errors = snapshot.analysis.diagnostics.iter();
        let first = errors.into_iter().find(|d| d.is_error());
        let status = match (snapshot.analysis.phase, first) {
            (Some(stet_dafny::Phase::Parse), _) => "ParsingFailed",
            (_, Some(_)) => "ResolutionFailed",
            (_, None) => "ResolutionSucceeded",
        };
        let message = first.map(|d| d.message.clone());
        self.tell_compilation(snapshot, "ResolutionStarted", None);
        self.tell_compilation(snapshot, status, message);
        if self.ghosts {
            let ghosts = snapshot.analysis.ghosts.iter();
            let ghosts: Vec<Value> = ghosts
                .map(|&place| {
                    json!({
                        "range": range(snapshot, place), "severity": 4, "source": "Ghost",
                        "message": "Ghost statement", "tags": [1],
                    })
                })
                .collect();
            let parameters =
                json!({ "uri": snapshot.uri, "version": snapshot.version, "diagnostics": ghosts });
            self.notify("dafny/ghost/diagnostics", parameters);
        }
    }

    fn tell_compilation(&mut self, snapshot: &Snapshot, status: &str, message: Option<String>) {
        let parameters = json!({
            "uri": snapshot.uri, "version": snapshot.version, "status": status, "message": message,
        });
        self.notify("dafny/compilation/status", parameters);
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
        if document.snapshot.language == Language::C {
            return;
        }
        let (snapshot, status) = (&document.snapshot, &document.status);
        let version = snapshot.version;
        let lines = status::lines(snapshot, status);
        let all = &snapshot.analysis.symbols;
        let is_verified = !matches!(snapshot.language, Language::Prolog | Language::C);
        let verifiables: Vec<Value> = all
            .iter()
            .zip(status.summaries(all))
            .filter(|(symbol, known)| is_verified && (symbol.is_callable || known.is_some()))
            .map(|(symbol, known)| {
                json!({
                    "name": symbol.name,
                    "nameRange": range(snapshot, symbol.name_place),
                    "status": status::number(status, known.as_ref()),
                })
            })
            .collect();
        let checks: Vec<Value> = status
            .known
            .iter()
            .flat_map(|known| known.checks.iter().map(move |check| (&known.name, check)))
            .map(|(name, check)| check_value(snapshot, name, check))
            .collect();
        let phase = format!("{:?}", status.phase).to_lowercase();
        if self.dialect == Dialect::Dafny && snapshot.language == Language::Dafny {
            let gutter = json!({ "uri": uri, "version": version, "perLineStatus": lines });
            let symbols =
                json!({ "uri": uri, "version": version, "namedVerifiables": verifiables });
            if self.gutter {
                self.notify("dafny/verification/status/gutter", gutter);
            }
            self.notify("dafny/textDocument/symbolStatus", symbols);
        }
        let own = json!({
            "uri": uri, "version": version, "phase": phase, "lines": lines, "checks": checks, "declarations": verifiables,
        });
        self.notify("stet/status", own);
    }

    /// Progress as the protocol has it, where the editor shows it.
    pub(super) fn tell_progress(&mut self, snapshot: &Snapshot, begins: bool, text: &str) {
        if self.offers.progress {
            let kind = if begins { "begin" } else { "end" };
            let mut value = json!({ "kind": kind, "message": text });
            if begins {
                value["title"] = json!("Stet");
            }
            let token = format!("stet/{}/{}", path_of(&snapshot.uri), snapshot.version);
            if begins {
                self.call("window/workDoneProgress/create", json!({ "token": token }));
            }
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
    let file = snapshot.analysis.file;
    let read = snapshot.analysis.diagnostics.iter();
    let mut list: Vec<lsp_types::Diagnostic> = read
        .chain(&document.status.trouble)
        .map(|diagnostic| {
            let own = diagnostic.primary.as_ref();
            let own = own.filter(|label| Some(label.span.file) == file);
            let at = own.map_or_else(|| snapshot.elsewhere(diagnostic), |l| place(l.span));
            converted(snapshot, diagnostic, at, false)
        })
        .collect();
    for known in &document.status.known {
        for Moving { diagnostic, place } in &known.diagnostics {
            list.push(converted(snapshot, diagnostic, *place, known.stale));
        }
    }
    list.sort_by_key(|d| (d.range.start, d.range.end));
    list
}

/// A place of any file of the program, as the editor counts.
fn location(snapshot: &Snapshot, span: Span) -> Option<Location> {
    if Some(span.file) == snapshot.analysis.file {
        let range = range(snapshot, place(span));
        return Some(Location::new(snapshot.uri.clone(), range));
    }
    let other = snapshot.analysis.sources.file(span.file);
    let lines = snapshot.lines.like(other.text());
    let (start, end) = place(span);
    let range = lines.range(other.text(), start, end);
    Some(Location::new(uri_of(other.name())?, range))
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
    let is_elsewhere = |label: &&Label| Some(label.span.file) != snapshot.analysis.file;
    let elsewhere = diagnostic.primary.as_ref().filter(is_elsewhere);
    if let Some(label) = elsewhere {
        let name = snapshot.analysis.sources.file(label.span.file).name();
        message = format!("in `{name}`: {message}");
    }
    let related = elsewhere
        .into_iter()
        .chain(&diagnostic.related)
        .chain(&diagnostic.path);
    let related: Vec<DiagnosticRelatedInformation> = related
        .filter(|_| !stale)
        .filter_map(|label: &Label| {
            Some(DiagnosticRelatedInformation {
                location: location(snapshot, label.span)?,
                message: label.message.clone(),
            })
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
        data: stale.then(|| json!({ "stale": true })),
        ..lsp_types::Diagnostic::default()
    }
}
