//! Counterexamples: looked for when the editor asks, shown as hints at the lines that change variables.

use super::notify::range;
use super::{Server, parameters};
use crate::document::{Document, Models, Running, Snapshot, path_of};
use crate::lexical::Kind;
use crate::status::{Outcome, Phase};
use crate::work::Job;
use lsp_server::{ErrorCode, RequestId, Response};
use lsp_types::{InlayHintParams, Range, Uri};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use stet_dafny_verify::paths::{self, State};
use stet_verify::ImplementationResult;

impl Server {
    /// Hints of a range: values on failing paths, and the status of Prolog assertions.
    pub(super) fn inlay_hints(
        &mut self,
        asked: &InlayHintParams,
    ) -> Result<Value, (ErrorCode, String)> {
        let uri = asked.text_document.uri.as_str().to_owned();
        let snapshot = self.snapshot(&asked.text_document.uri)?;
        self.shows(&uri, asked.range);
        self.start_models(&uri);
        let document = &self.documents[&uri];
        let start = snapshot.lines.offset(&snapshot.text, asked.range.start);
        let end = snapshot.lines.offset(&snapshot.text, asked.range.end);
        let mut hints = Vec::new();
        for state in document.models.found.iter().flatten() {
            let at = end_of_line(&snapshot.text, state.place);
            if (start..=end).contains(&at) {
                hints.push(json!({
                    "position": range(&snapshot, (at, at)).start,
                    "label": format!("// {}", equations(state)),
                    "paddingLeft": true,
                    "tooltip": "Values on a path on which a check fails",
                }));
            }
        }
        for assertion in &document.status.assertions {
            let at = end_of_line(&snapshot.text, assertion.place.0);
            if (start..=end).contains(&at) {
                let parts = assertion.parts.iter();
                let parts: Vec<String> = parts.map(|(name, s)| format!("{name}: {s}")).collect();
                let label = match assertion.status {
                    "checked" => "% holds in every run",
                    "false" => "% holds in no run",
                    _ => "% checked at run time",
                };
                hints.push(json!({
                    "position": range(&snapshot, (at, at)).start,
                    "label": label,
                    "paddingLeft": true,
                    "tooltip": parts.join(", "),
                }));
            }
        }
        Ok(json!(hints))
    }

    /// Editors ask about the lines they show: what is checked there comes first in the next run.
    pub(super) fn shows(&mut self, uri: &str, range: Range) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.visible = vec![(range.start.line, range.end.line)];
        }
    }

    /// Starts to look for counterexamples of what fails in a document, if that is known and was not done.
    fn start_models(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        let is_settled = document.status.phase == Phase::Done;
        if !is_settled || document.models.found.is_some() || document.models.running.is_some() {
            return;
        }
        let failed = document.status.known.iter();
        let only: Vec<String> = failed
            .filter(|known| known.outcome == Outcome::Failed && !known.stale)
            .map(|known| known.name.clone())
            .collect();
        if only.is_empty() {
            document.models.found = Some(Vec::new());
            return;
        }
        self.runs += 1;
        let number = self.runs;
        let mut options = self.workshop.options.clone();
        let path = path_of(&document.snapshot.uri);
        self.workspace.adapt(&path, &mut options);
        let job = Job {
            snapshot: document.snapshot.clone(),
            run: number,
            options,
            only,
            visible: Vec::new(),
        };
        let started = self.workshop.start_models(job, self.events.clone());
        document.models.running = started.map(|budget| Running {
            number,
            is_whole: false,
            budget,
        });
    }

    /// Counterexamples were found.
    pub(super) fn take_models(&mut self, snapshot: &Snapshot, results: &[ImplementationResult]) {
        let Some(document) = self.documents.get_mut(snapshot.uri.as_str()) else {
            return;
        };
        let file = snapshot.analysis.file;
        let tokens = snapshot.analysis.tokens.iter();
        let names = tokens.filter(|token| token.kind == Kind::Name);
        let names: HashSet<&str> = names.map(|token| token.text(&snapshot.text)).collect();
        let is_named = |name: &str| names.contains(name);
        let mut states = paths::states(results, &is_named);
        states.retain(|state| Some(state.file) == file);
        document.models.running = None;
        document.models.found = Some(states);
        let waiting = std::mem::take(&mut document.models.asked);
        for id in waiting {
            let items = self.counterexamples(snapshot);
            self.send(Response::new_ok(id, items).into());
        }
        if self.offers.hint_refresh {
            self.call("workspace/inlayHint/refresh", Value::Null);
        }
    }

    /// A verification has ended: who asked for counterexamples meanwhile gets them, or hears that there are none.
    pub(super) fn resume_models(&mut self, snapshot: &Snapshot) {
        let uri = snapshot.uri.as_str();
        let is_asked = |document: &&mut Document| !document.models.asked.is_empty();
        if self.documents.get_mut(uri).filter(is_asked).is_none() {
            return;
        }
        self.start_models(uri);
        if let Some(document) = self.documents.get_mut(uri)
            && document.models.running.is_none()
        {
            for id in std::mem::take(&mut document.models.asked) {
                let items = self.counterexamples(snapshot);
                self.send(Response::new_ok(id, items).into());
            }
        }
    }

    /// `dafny/counterExample`: answered at once if the values are known, else when they are.
    pub(super) fn ask_counterexamples(&mut self, id: RequestId, params: &Value) {
        let found = parameters::<Uri>(params["textDocument"]["uri"].clone())
            .and_then(|uri| self.snapshot(&uri));
        let snapshot = match found {
            Ok(snapshot) => snapshot,
            Err((code, message)) => {
                return self.send(Response::new_err(id, code as i32, message).into());
            }
        };
        self.start_models(snapshot.uri.as_str());
        let document = self.documents.get_mut(snapshot.uri.as_str());
        match document {
            Some(document) if document.models.running.is_some() || document.is_under_way() => {
                document.models.asked.push(id);
            }
            _ => {
                let items = self.counterexamples(&snapshot);
                self.send(Response::new_ok(id, items).into());
            }
        }
    }

    /// The editor no longer wants an answer. Only requests for counterexamples wait; others were answered when this is read.
    pub(super) fn cancel_request(&mut self, params: &Value) {
        let Ok(id) = parameters::<RequestId>(params["id"].clone()) else {
            return;
        };
        let mut waiting = self.documents.values_mut();
        let found = waiting.find_map(|document| {
            let asked = &mut document.models.asked;
            let at = asked.iter().position(|other| *other == id)?;
            Some(asked.remove(at))
        });
        if let Some(id) = found {
            let code = ErrorCode::RequestCanceled as i32;
            self.send(Response::new_err(id, code, "cancelled".to_owned()).into());
        }
    }

    /// Requests that wait for counterexamples of a version that is gone are answered with nothing.
    pub(super) fn refuse_models(&mut self, models: &mut Models, why: &str) {
        for id in std::mem::take(&mut models.asked) {
            let code = ErrorCode::ContentModified as i32;
            self.send(Response::new_err(id, code, why.to_owned()).into());
        }
    }

    /// The items of the Dafny extension: its newer versions show `assumption`, older ones `variables`.
    fn counterexamples(&self, snapshot: &Snapshot) -> Value {
        let document = self.documents.get(snapshot.uri.as_str());
        let states = document.and_then(|document| document.models.found.as_ref());
        let item = |state: &State| {
            let values = state.values.iter();
            let variables: Map<String, Value> =
                values.map(|(n, v)| (n.clone(), json!(v))).collect();
            let at = end_of_line(&snapshot.text, state.place);
            json!({
                "position": range(snapshot, (at, at)).start,
                "assumption": format!("assume {};", joined(state, " == ", " && ")),
                "variables": variables,
            })
        };
        json!(states.into_iter().flatten().map(item).collect::<Vec<_>>())
    }
}

fn equations(state: &State) -> String {
    joined(state, " = ", ", ")
}

fn joined(state: &State, equals: &str, and: &str) -> String {
    let values = state.values.iter();
    let values: Vec<String> = values.map(|(n, v)| format!("{n}{equals}{v}")).collect();
    values.join(and)
}

fn end_of_line(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    offset + rest.find(['\r', '\n']).unwrap_or(rest.len())
}
