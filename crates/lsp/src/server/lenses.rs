//! Code lenses: functions of C files can be explored; what is found is shown in the text until it changes.

use super::notify::range;
use super::requests::Answer;
use super::{Server, parameters};
use crate::document::Snapshot;
use crate::explore::Explored;
use crate::language::Language;
use lsp_server::ErrorCode;
use lsp_types::{CodeLensParams, Uri};
use serde_json::{Value, json};
use stet_base::Span;
use stet_diag::Diagnostic;

/// The command of a lens: the document and the function.
pub(super) const EXPLORE: &str = "stet.exploreFunction";

impl Server {
    pub(super) fn lenses(&self, asked: &CodeLensParams) -> Answer {
        let snapshot = self.snapshot(&asked.text_document.uri)?;
        if snapshot.language != Language::C || self.workshop.explorer.is_none() {
            return Ok(json!([]));
        }
        let functions = snapshot.analysis.symbols.iter().filter(|s| s.is_callable);
        let lens = functions.map(|symbol| {
            json!({
                "range": range(&snapshot, symbol.name_place),
                "command": {
                    "title": "Explore this function",
                    "command": EXPLORE,
                    "arguments": [snapshot.uri, symbol.name],
                },
            })
        });
        Ok(json!(lens.collect::<Vec<_>>()))
    }

    /// Starts to explore a function; what is found comes later.
    pub(super) fn explore(&mut self, arguments: &Value) -> Answer {
        let uri = parameters::<Uri>(arguments[0].clone())?;
        let snapshot = self.snapshot(&uri)?;
        let function = arguments[1].as_str().unwrap_or_default().to_owned();
        let mut functions = snapshot.analysis.symbols.iter().filter(|s| s.is_callable);
        if snapshot.language != Language::C || !functions.any(|s| s.name == function) {
            let why = format!("`{function}` is not a function that can be explored");
            return Err((ErrorCode::InvalidParams, why));
        }
        self.runs += 1;
        let run = self.runs;
        let events = self.events.clone();
        let started = self
            .workshop
            .start_exploring(snapshot.clone(), run, function, events);
        if started.is_some() {
            self.tell_progress(&snapshot, true, "exploring");
        }
        Ok(json!(started.is_some()))
    }

    /// A function was explored: what was found is shown, unless the text changed.
    pub(super) fn take_explored(&mut self, snapshot: &Snapshot, function: &str, found: Explored) {
        let summary = format!("{function}: {}", found.summary);
        self.tell_progress(snapshot, false, &summary);
        let uri = snapshot.uri.as_str();
        let version = self.documents.get(uri).map(|d| d.snapshot.version);
        if version == Some(snapshot.version)
            && let Some(file) = snapshot.analysis.file
            && let Some(document) = self.documents.get_mut(uri)
        {
            let findings = found.findings.into_iter().map(|finding| {
                let diagnostic = Diagnostic::error(finding.code, finding.message);
                match finding.place {
                    Some((start, end)) => diagnostic.at(Span {
                        file,
                        start: start as u32,
                        end: end as u32,
                    }),
                    None => diagnostic,
                }
            });
            let explored = &mut document.status.explored;
            explored.insert(function.to_owned(), findings.collect());
            document.status.trouble = explored.values().flatten().cloned().collect();
            self.tell_diagnostics(uri);
        }
        self.notify(
            "window/showMessage",
            json!({ "type": 3, "message": summary }),
        );
    }
}
