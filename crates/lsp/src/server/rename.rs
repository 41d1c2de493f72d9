//! Renaming: what a name stands for gets another name everywhere, or nothing changes.
//!
//! The edits are tried before they are handed out: the program is read again with them, and must resolve to the same links between
//! names. So a new name that another declaration captures, a use that was not found, or a name that stands in a file nobody can
//! edit is an error with a reason, not a broken program.

use super::Server;
use super::names::{linked, location};
use super::notify::range;
use super::requests::Answer;
use crate::document::{Snapshot, path_of};
use crate::language::Language;
use crate::lexical::{Kind, Token};
use crate::links::Place;
use crate::overlay::Overlay;
use crate::symbols;
use lsp_server::ErrorCode;
use lsp_types::{RenameParams, TextDocumentPositionParams, TextEdit};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stet_diag::Diagnostic;

/// Edits of a file: places in its text that get the new name.
type Edits = BTreeMap<String, BTreeSet<(usize, usize)>>;

fn refused(why: impl Into<String>) -> (ErrorCode, String) {
    (ErrorCode::RequestFailed, why.into())
}

impl Server {
    /// What would be renamed.
    pub(super) fn prepare_rename(&self, at: &TextDocumentPositionParams) -> Answer {
        let (snapshot, offset) = self.place(at)?;
        let place = match snapshot.language {
            Language::Prolog => symbols::name_at(&snapshot.analysis.tokens, offset)
                .map(|token| (token.start, token.end)),
            _ => linked(&snapshot, offset).map(|name| (name.start, name.end)),
        };
        let Some(place) = place else {
            return Ok(Value::Null);
        };
        let word = &snapshot.text[place.0..place.1];
        Ok(json!({ "range": range(&snapshot, place), "placeholder": word }))
    }

    pub(super) fn rename(&mut self, asked: RenameParams) -> Answer {
        let (snapshot, offset) = self.place(&asked.text_document_position)?;
        let language = snapshot.language;
        let new = asked.new_name;
        let mut letters = new.chars();
        let is_name = letters.next().is_some_and(|c| language.starts_name(c))
            && letters.all(|c| language.continues_name(c))
            && !language.keywords().contains(&new.as_str());
        if !is_name {
            return Err((ErrorCode::InvalidParams, format!("`{new}` is not a name")));
        }
        if language == Language::Prolog {
            return rename_prolog(&snapshot, offset, &new);
        }
        let Some(name) = linked(&snapshot, offset) else {
            let is_broken = !snapshot.analysis.is_program();
            return Err(refused(match is_broken {
                true => "the program has errors: what this name stands for is not known",
                false => "there is no name here that can be changed",
            }));
        };
        let places = self.linked_places(&snapshot, name);
        let mut edits = Edits::new();
        let mut changes: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        for (program, place) in &places {
            let Some(found) = location(program, *place) else {
                let file = program.analysis.sources.file(place.file).name();
                return Err(refused(format!(
                    "it is declared in `{file}`, which cannot be changed"
                )));
            };
            let uri = found.uri.as_str().to_owned();
            let own = edits.entry(path_of(&found.uri)).or_default();
            if own.insert((place.start, place.end)) {
                let edit = TextEdit::new(found.range, new.clone());
                changes.entry(uri).or_default().push(edit);
            }
        }
        self.try_edits(&places, &edits, &new)?;
        let changes: Map<String, Value> = changes
            .into_iter()
            .map(|(uri, all)| (uri, json!(all)))
            .collect();
        Ok(json!({ "changes": changes }))
    }

    /// Reads every program concerned with the edits made: it must mean what it meant.
    fn try_edits(
        &mut self,
        places: &[(Arc<Snapshot>, Place)],
        edits: &Edits,
        new: &str,
    ) -> Result<(), (ErrorCode, String)> {
        let programs: BTreeMap<&str, &Arc<Snapshot>> = places
            .iter()
            .map(|(program, _)| (program.uri.as_str(), program))
            .collect();
        for program in programs.into_values() {
            let sources = &program.analysis.sources;
            let mut texts: BTreeMap<String, Arc<str>> = BTreeMap::new();
            for (_, file) in sources.iter() {
                let places = edits.get(file.name());
                let text = places.map_or_else(
                    || file.text().clone(),
                    |places| edited(file.text(), places, new).into(),
                );
                texts.insert(file.name().to_owned(), text);
            }
            let own = path_of(&program.uri);
            let Some(text) = texts.remove(&own) else {
                continue;
            };
            let mut overlay = Overlay {
                open: texts,
                disk: &mut *self.includes,
            };
            let read = program.language.read(&program.uri, &text, &mut overlay);
            let mut errors = read.diagnostics.iter().filter(|d| d.is_error());
            if let Some(error) = errors.next() {
                return Err(refused(format!(
                    "the program would have an error: {}",
                    shown(error)
                )));
            }
            let before = program.analysis.links().shape(sources);
            if read.links().shape(&read.sources) != before {
                return Err(refused(format!(
                    "`{new}` stands for something else already where this name is used"
                )));
            }
        }
        Ok(())
    }
}

fn shown(error: &Diagnostic) -> &str {
    error.message.lines().next().unwrap_or_default()
}

fn edited(text: &str, places: &BTreeSet<(usize, usize)>, new: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for &(start, end) in places {
        out.push_str(&text[at..start]);
        out.push_str(new);
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// Variables of Prolog are renamed in their clause, predicates of a file where all terms of that name have one number of
/// arguments.
fn rename_prolog(snapshot: &Snapshot, offset: usize, new: &str) -> Answer {
    let (text, tokens) = (&snapshot.text, &snapshot.analysis.tokens);
    let Some(name) = symbols::name_at(tokens, offset) else {
        return Err(refused("there is no name here that can be changed"));
    };
    let word = name.text(text);
    let is_variable = |word: &str| word.starts_with(|c: char| c.is_uppercase() || c == '_');
    if is_variable(word) != is_variable(new) {
        return Err(refused(match is_variable(word) {
            true => format!("`{new}` is not a variable"),
            false => format!("`{new}` is a variable"),
        }));
    }
    let scope = match is_variable(word) {
        true => clause_around(text, tokens, name.start),
        false => (0, text.len()),
    };
    let is_inside = |t: &&Token| t.kind == Kind::Name && scope.0 <= t.start && t.end <= scope.1;
    let inside: Vec<&Token> = tokens.iter().filter(is_inside).collect();
    if inside.iter().any(|t| t.text(text) == new) {
        return Err(refused(format!("`{new}` is used already")));
    }
    let same: Vec<&Token> = inside
        .into_iter()
        .filter(|t| t.text(text) == word)
        .collect();
    if !is_variable(word) {
        let is_defined = snapshot.analysis.symbols.iter().any(|s| s.name == word);
        let arities: BTreeSet<usize> = same.iter().map(|t| arity(text, tokens, t)).collect();
        if !is_defined {
            return Err(refused(format!("`{word}` is not defined in this file")));
        }
        if arities.len() > 1 {
            return Err(refused(format!(
                "`{word}` has terms with different numbers of arguments"
            )));
        }
    }
    let edit = |t: &&Token| TextEdit::new(range(snapshot, (t.start, t.end)), new.to_owned());
    let edits: Vec<TextEdit> = same.iter().map(edit).collect();
    Ok(json!({ "changes": { (snapshot.uri.as_str()): edits } }))
}

/// The clause around an offset: it ends with a full stop that white space, a comment or nothing follows.
fn clause_around(text: &str, tokens: &[Token], offset: usize) -> (usize, usize) {
    let is_end = |t: &&Token| {
        let next = text[t.end..].chars().next();
        t.kind == Kind::Mark
            && t.text(text) == "."
            && next.is_none_or(|c| c.is_whitespace() || c == '%')
    };
    let ends = || tokens.iter().filter(is_end).map(|t| t.end);
    let start = ends().take_while(|&end| end <= offset).last();
    let end = ends().find(|&end| end > offset);
    (start.unwrap_or(0), end.unwrap_or(text.len()))
}

/// The number of arguments of the term that a name begins; `n` of an indicator `name/n`.
fn arity(text: &str, tokens: &[Token], name: &Token) -> usize {
    let after = tokens.partition_point(|t| t.start < name.end);
    let rest = &tokens[after..];
    let word = |at: usize| rest.get(at).map_or("", |t: &Token| t.text(text));
    if word(0) == "/" {
        return word(1).parse().unwrap_or(0);
    }
    if word(0) != "(" || rest[0].start != name.end {
        return 0;
    }
    let (mut depth, mut count) = (0_usize, 1);
    for token in rest.iter().filter(|t| t.kind == Kind::Mark) {
        match token.text(text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 1 => count += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    count
}
