//! Code actions: what can be done about a diagnostic at a place.

mod loops;
mod split;

use crate::document::Snapshot;
use crate::lexical::{Kind, Token};
use crate::status::{Moving, Status};
use crate::symbols;
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
    for known in &status.known {
        for moving in known.diagnostics.iter().filter(here) {
            if !known.stale {
                actions.extend(insert_condition(snapshot, moving).map(CodeActionOrCommand::from));
                actions
                    .extend(insert_precondition(snapshot, moving).map(CodeActionOrCommand::from));
            }
            actions.push(explain(moving.diagnostic.code).into());
        }
    }
    let texts = loops::at(snapshot, start, end)
        .into_iter()
        .chain(split::at(snapshot, start, end));
    actions.extend(texts.map(CodeActionOrCommand::from));
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
    if Some(related.span.file) != snapshot.analysis.file {
        return None;
    }
    let condition = clause(
        &snapshot.text,
        &snapshot.analysis.tokens,
        related.span.start as usize,
    )?;
    let title = "Insert the failing postcondition as an assertion";
    // Dafny names a body by its opening brace; the path ends at the closing one.
    let at = closing(&snapshot.text, &snapshot.analysis.tokens, moving.place.0);
    Some(insert_before(
        snapshot,
        at.unwrap_or(moving.place.0),
        title,
        &format!("assert {condition};"),
    ))
}

/// The place of the brace that closes the one at an offset.
fn closing(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0;
    let mut rest = tokens.iter().skip_while(|t| t.start < at);
    if !text[at..].starts_with('{') {
        return None;
    }
    rest.find_map(|token| {
        match token.text(text) {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(token.start)
    })
}

/// A failing precondition as an assertion before the call, with the arguments of the call.
fn insert_precondition(snapshot: &Snapshot, moving: &Moving) -> Option<CodeAction> {
    if !moving.diagnostic.code.ends_with("/precondition") {
        return None;
    }
    let related = moving.diagnostic.related.first()?;
    if Some(related.span.file) != snapshot.analysis.file {
        return None;
    }
    let text = &snapshot.text;
    let at = related.span.start as usize;
    let condition = clause(text, &snapshot.analysis.tokens, at)?;
    let callee = symbols::enclosing(&snapshot.analysis.symbols, at)?;
    let tokens = &snapshot.analysis.tokens;
    let formals: Vec<&str> = arguments(text, tokens, callee.name_place.1)?
        .into_iter()
        .filter_map(|(start, end)| text[start..end].split(':').next())
        .map(|formal| formal.trim().rsplit(' ').next().unwrap_or_default())
        .collect();
    let mut called = tokens
        .iter()
        .filter(|t| t.start >= line_start(text, moving.place.0));
    let call = called.find(|t| t.kind == Kind::Name && t.text(text) == callee.name)?;
    let actuals = arguments(text, tokens, call.end)?;
    if actuals.len() != formals.len() {
        return None;
    }
    let mut stated = String::new();
    let start = condition.as_ptr() as usize - text.as_ptr() as usize;
    let mut last = start;
    let inside = |t: &&Token| t.start >= start && t.end <= start + condition.len();
    for token in tokens.iter().filter(inside) {
        let formal = formals.iter().position(|f| *f == token.text(text));
        if let Some(number) = formal.filter(|_| token.kind == Kind::Name) {
            let actual = text[actuals[number].0..actuals[number].1].trim();
            let is_word = actual.chars().all(|c| c.is_alphanumeric() || c == '_');
            stated += &text[last..token.start];
            stated += &if is_word {
                actual.to_owned()
            } else {
                format!("({actual})")
            };
            last = token.end;
        }
    }
    stated += &text[last..start + condition.len()];
    let title = "Insert the failing precondition as an assertion";
    Some(insert_before(
        snapshot,
        call.start,
        title,
        &format!("assert {stated};"),
    ))
}

/// The places of what stands between commas in the parentheses that open right after an offset.
fn arguments(text: &str, tokens: &[Token], after: usize) -> Option<Vec<(usize, usize)>> {
    let mut rest = tokens.iter().skip_while(|t| t.start < after);
    let open = rest.find(|t| t.kind != Kind::Comment)?;
    if open.text(text) != "(" {
        return None;
    }
    let (mut depth, mut start, mut found) = (0, open.end, Vec::new());
    for token in rest {
        match token.text(text) {
            "(" | "[" | "{" => depth += 1,
            ")" if depth == 0 => {
                if !text[start..token.start].trim().is_empty() {
                    found.push((start, token.start));
                }
                return Some(found);
            }
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => {
                found.push((start, token.start));
                start = token.end;
            }
            _ => {}
        }
    }
    None
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// An action that puts a line before the one of an offset, indented as it is.
fn insert_before(snapshot: &Snapshot, at: usize, title: &str, code: &str) -> CodeAction {
    let line_start = line_start(&snapshot.text, at);
    let line = &snapshot.text[line_start..];
    let mut indent: String = line
        .chars()
        .take_while(|c| c.is_whitespace() && *c != '\n')
        .collect();
    if line.trim_start().starts_with('}') {
        indent += "  ";
    }
    insertion(snapshot, line_start, title, format!("{indent}{code}\n"))
}

/// An action that inserts a text.
fn insertion(snapshot: &Snapshot, at: usize, title: &str, text: String) -> CodeAction {
    replacement(snapshot, (at, at), title, text)
}

/// An action that puts a text in the place of another.
fn replacement(
    snapshot: &Snapshot,
    (start, end): (usize, usize),
    title: &str,
    text: String,
) -> CodeAction {
    let range = snapshot.lines.range(&snapshot.text, start, end);
    let edit = TextEdit::new(range, text);
    #[allow(
        clippy::mutable_key_type,
        reason = "the type of the protocol's own crate"
    )]
    let changes = HashMap::from([(snapshot.uri.clone(), vec![edit])]);
    CodeAction {
        title: title.to_owned(),
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    }
}

/// The condition of the `ensures` or `requires` clause that an offset lies in: messages point at an operator of it.
fn clause<'t>(text: &'t str, tokens: &[Token], at: usize) -> Option<&'t str> {
    let is_head = |t: &Token| {
        t.kind == Kind::Keyword && t.start <= at && matches!(t.text(text), "ensures" | "requires")
    };
    let head = tokens.iter().rposition(is_head)?;
    let (mut depth, mut end) = (0, tokens[head].end);
    // A brace after an operator belongs to a set or map; any other opens a body.
    let mut opens_value = false;
    for token in tokens[head + 1..]
        .iter()
        .filter(|t| t.kind != Kind::Comment)
    {
        let word = token.text(text);
        match word {
            ";" if depth == 0 => break,
            "{" if depth == 0 && !opens_value => break,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            // Cases have bodies in braces; where they end is not seen here.
            "match" => return None,
            "requires" | "ensures" | "modifies" | "reads" | "decreases" | "free" | "method"
            | "function" | "lemma" | "predicate" | "procedure" | "implementation"
                if depth == 0 =>
            {
                break;
            }
            _ => {}
        }
        if depth < 0 {
            break;
        }
        opens_value = word == "in" || token.kind == Kind::Mark && !matches!(word, ")" | "]" | "}");
        end = token.end;
    }
    let condition = text[tokens[head].end..end].trim();
    (at <= end && !condition.is_empty()).then_some(condition)
}
