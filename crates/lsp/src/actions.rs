//! Code actions: what can be done about a diagnostic at a place.

use crate::document::Snapshot;
use crate::status::{Moving, Status};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Range, TextEdit, WorkspaceEdit,
};
use std::collections::HashMap;

/// The actions for a range of a document.
pub(crate) fn at(snapshot: &Snapshot, status: &Status, range: Range) -> Vec<CodeActionOrCommand> {
    let start = snapshot.lines.offset(&snapshot.text, range.start);
    let end = snapshot.lines.offset(&snapshot.text, range.end);
    let here =
        |moving: &&Moving| moving.place.0 <= end && start <= moving.place.1.max(moving.place.0 + 1);
    let mut actions = Vec::new();
    for known in status.known.values() {
        for moving in known.diagnostics.iter().filter(here) {
            if !known.stale {
                actions.extend(insert_condition(snapshot, moving).map(CodeActionOrCommand::from));
            }
            actions.push(explain(moving.diagnostic.code).into());
        }
    }
    for diagnostic in &snapshot.analysis.diagnostics {
        if let Some(label) = &diagnostic.primary
            && label.span.start as usize <= end
            && start <= label.span.end as usize
        {
            actions.push(explain(diagnostic.code).into());
        }
    }
    actions
}

/// "Explain": the editor shows what `stet explain` prints.
fn explain(code: &str) -> CodeAction {
    let title = format!("Explain {code}");
    CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::EMPTY),
        command: Some(Command::new(
            title,
            "stet.explain".to_owned(),
            Some(vec![code.into()]),
        )),
        ..CodeAction::default()
    }
}

/// A failing postcondition as an assertion before the place where it fails: the next failure shows which part of it.
fn insert_condition(snapshot: &Snapshot, moving: &Moving) -> Option<CodeAction> {
    if !moving.diagnostic.code.ends_with("/postcondition") {
        return None;
    }
    let related = moving.diagnostic.related.first()?;
    let condition = clause(&snapshot.text, related.span.start as usize)?;
    let line_start = snapshot.text[..moving.place.0]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let line = &snapshot.text[line_start..];
    let mut indent: String = line
        .chars()
        .take_while(|c| c.is_whitespace() && *c != '\n')
        .collect();
    if line.trim_start().starts_with('}') {
        indent += "  ";
    }
    let place = snapshot.lines.position(&snapshot.text, line_start);
    let edit = TextEdit::new(
        Range::new(place, place),
        format!("{indent}assert {condition};\n"),
    );
    #[allow(
        clippy::mutable_key_type,
        reason = "the type of the protocol's own crate"
    )]
    let changes = HashMap::from([(snapshot.uri.clone(), vec![edit])]);
    Some(CodeAction {
        title: "Insert the failing postcondition as an assertion".to_owned(),
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    })
}

/// The condition of the `ensures` clause whose keyword or condition is at an offset.
fn clause(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let rest = rest.strip_prefix("free").map_or(rest, str::trim_start);
    let rest = rest.strip_prefix("ensures").unwrap_or(rest).trim_start();
    let end = rest.find([';', '\n'])?;
    let condition = rest[..end].trim();
    (!condition.is_empty()).then_some(condition)
}
