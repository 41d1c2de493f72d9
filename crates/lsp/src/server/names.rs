//! Names across the files of a program: where they are declared and used.
//!
//! A document knows the files it includes or shares a project with; documents that are open and include it are asked, too.

use super::Server;
use super::notify::range;
use super::requests::Answer;
use crate::document::{Snapshot, path_of, uri_of};
use crate::language::Language;
use crate::lexical::{self, Token};
use crate::links::Place;
use crate::position::Lines;
use crate::symbols::{self, Symbol};
use crate::{locals, status};
use lsp_types::{Location, TextDocumentPositionParams, Uri, WorkspaceSymbolParams};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many symbols an editor is shown at once.
const MAX_SYMBOLS: usize = 2_000;

/// Another file of the same program.
struct Other {
    uri: Uri,
    text: Arc<str>,
    tokens: Vec<Token>,
    symbols: Vec<Symbol>,
    lines: Lines,
}

impl Other {
    fn location(&self, place: (usize, usize)) -> Location {
        let range = self.lines.range(&self.text, place.0, place.1);
        Location::new(self.uri.clone(), range)
    }

    fn declaration(&self, word: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name == word)
    }
}

impl Server {
    /// The other files of a document's program that mention a word.
    fn others(&self, snapshot: &Snapshot, word: &str) -> Vec<Other> {
        let mut texts: BTreeMap<String, Arc<str>> = BTreeMap::new();
        let own = path_of(&snapshot.uri);
        for (_, file) in snapshot.analysis.sources.iter() {
            texts.insert(file.name().to_owned(), file.text().clone());
        }
        for document in self.documents.values() {
            if document.snapshot.includes(&own) {
                let text = document.snapshot.text.as_str().into();
                texts.insert(path_of(&document.snapshot.uri), text);
            }
        }
        texts.remove(&own);
        let mentions = |text: &Arc<str>| text.contains(word);
        let read = |(path, text): (String, Arc<str>)| {
            let tokens = lexical::tokens(snapshot.language, &text);
            Some(Other {
                uri: uri_of(&path)?,
                symbols: symbols::outline(snapshot.language, &text, &tokens),
                lines: snapshot.lines.like(&text),
                tokens,
                text,
            })
        };
        let found = texts.into_iter().filter(|(_, text)| mentions(text));
        found.filter_map(read).collect()
    }

    pub(super) fn definition(&self, at: &TextDocumentPositionParams) -> Answer {
        let (snapshot, offset) = self.place(at)?;
        let analysis = &snapshot.analysis;
        if let Some(name) = linked(&snapshot, offset) {
            let found = location(&snapshot, analysis.links().of(name));
            return Ok(found.map_or(Value::Null, |found| json!(found)));
        }
        let Some(name) = symbols::name_at(&analysis.tokens, offset) else {
            return Ok(Value::Null);
        };
        let word = name.text(&snapshot.text);
        let own = |place| json!(Location::new(snapshot.uri.clone(), range(&snapshot, place)));
        let is_own = analysis.symbols.iter().any(|symbol| symbol.name == word);
        if !is_own && !is_local(&snapshot, &name) {
            let others = self.others(&snapshot, word);
            let found = others.iter().find_map(|other| {
                let symbol = other.declaration(word)?;
                Some(other.location(symbol.name_place))
            });
            if let Some(found) = found {
                return Ok(json!(found));
            }
        }
        let found = symbols::definition(&snapshot.text, &analysis.tokens, &analysis.symbols, &name);
        Ok(found.map_or(Value::Null, own))
    }

    pub(super) fn references(&self, at: &TextDocumentPositionParams) -> Answer {
        let (snapshot, offset) = self.place(at)?;
        Ok(json!(self.places_of_name(&snapshot, offset)))
    }

    /// The places of a name in its own document only.
    pub(super) fn highlights(&self, at: &TextDocumentPositionParams) -> Answer {
        let (snapshot, offset) = self.place(at)?;
        let all = self.places_of_name(&snapshot, offset).into_iter();
        let own = all.filter(|location| location.uri == snapshot.uri);
        let ranges: Vec<Value> = own.map(|l| json!({ "range": l.range })).collect();
        Ok(json!(ranges))
    }

    /// All places of what a name stands for; where the program does not tell, all places of the same word.
    fn places_of_name(&self, snapshot: &Snapshot, offset: usize) -> Vec<Location> {
        if let Some(name) = linked(snapshot, offset) {
            let found = self.linked_places(snapshot, name);
            let found = found
                .into_iter()
                .map(|(snapshot, place)| location(&snapshot, place));
            let mut found: Vec<Location> = found.flatten().collect();
            let key = |l: &Location| (l.uri.as_str().to_owned(), l.range.start);
            found.sort_by_key(key);
            found.dedup();
            return found;
        }
        let analysis = &snapshot.analysis;
        let Some(name) = symbols::name_at(&analysis.tokens, offset) else {
            return Vec::new();
        };
        let word = name.text(&snapshot.text);
        let is_own = analysis.symbols.iter().any(|symbol| symbol.name == word);
        let others = match is_own || !is_local(snapshot, &name) {
            true => self.others(snapshot, word),
            false => Vec::new(),
        };
        let is_global = is_own || others.iter().any(|other| other.declaration(word).is_some());
        let same = |text: &str, t: &&Token| t.kind == lexical::Kind::Name && t.text(text) == word;
        if !is_global {
            let places =
                symbols::references(&snapshot.text, &analysis.tokens, &analysis.symbols, &name);
            let place = |place| Location::new(snapshot.uri.clone(), range(snapshot, place));
            return places.into_iter().map(place).collect();
        }
        let own = analysis.tokens.iter();
        let own = own.filter(|t| same(&snapshot.text, t));
        let mut found: Vec<Location> = own
            .map(|t| Location::new(snapshot.uri.clone(), range(snapshot, (t.start, t.end))))
            .collect();
        for other in &others {
            let places = other.tokens.iter().filter(|t| same(&other.text, t));
            found.extend(places.map(|t| other.location((t.start, t.end))));
        }
        found
    }

    /// All names of what a name stands for, in its program and in those of open documents that include it, each with the
    /// document whose program says so.
    pub(super) fn linked_places(
        &self,
        snapshot: &Snapshot,
        name: Place,
    ) -> Vec<(Arc<Snapshot>, Place)> {
        let sources = &snapshot.analysis.sources;
        let of = snapshot.analysis.links().of(name);
        let declared_in = sources.file(of.file).name();
        let mut found = Vec::new();
        for document in self.documents.values() {
            let program = &document.snapshot;
            let is_own = program.uri == snapshot.uri;
            if !is_own && (program.language != snapshot.language || !program.includes(declared_in))
            {
                continue;
            }
            let analysis = &program.analysis;
            let mut files = analysis.sources.iter();
            let Some((file, _)) = files.find(|(_, file)| file.name() == declared_in) else {
                continue;
            };
            // The same place, unless the other document was read with another text.
            let here = Place { file, ..of };
            let places = analysis.links().places(here).into_iter();
            found.extend(places.map(|place| (program.clone(), place)));
        }
        found
    }

    /// What a name is: a declaration of this file with its status, one of another file, or a local with its type.
    pub(super) fn described(&self, snapshot: &Snapshot, offset: usize) -> Vec<String> {
        let analysis = &snapshot.analysis;
        let code = |text: &str| format!("```\n{text}\n```");
        let Some(name) = symbols::name_at(&analysis.tokens, offset) else {
            return Vec::new();
        };
        let word = name.text(&snapshot.text);
        let linked = linked(snapshot, offset);
        let declaration = linked.map(|name| analysis.links().of(name));
        let is_meant = |symbol: &&Symbol| match declaration {
            Some(place) => analysis.file == Some(place.file) && symbol.name_place.0 == place.start,
            None => symbol.name == word,
        };
        let symbol = analysis.symbols.iter().find(is_meant);
        let ty = linked.and_then(|name| analysis.links().type_of(name));
        if symbol.is_none()
            && let Some(ty) = ty
        {
            return vec![code(&format!("{word}: {ty}"))];
        }
        if let Some(symbol) = symbol {
            let document = &self.documents[snapshot.uri.as_str()];
            let mut parts = vec![code(&symbol.signature)];
            parts.extend(status::hover(snapshot, &document.status, symbol));
            return parts;
        }
        let here = declaration.filter(|place| analysis.file == Some(place.file));
        if let Some(place) = here {
            // A constructor of a datatype, a type parameter, a module that is imported.
            return vec![code(line_at(&snapshot.text, place.start))];
        }
        if let Some(local) = local(snapshot, &name) {
            return vec![code(&local)];
        }
        let others = self.others(snapshot, word);
        let found = others.iter().find_map(|other| other.declaration(word));
        found
            .map(|symbol| code(&symbol.signature))
            .into_iter()
            .collect()
    }

    /// Declarations of the open documents, of the other files of their programs, and of files in the folders of the editor.
    pub(super) fn workspace_symbols(&self, asked: &WorkspaceSymbolParams) -> Answer {
        let wanted = asked.query.to_lowercase();
        let is_wanted = |symbol: &&Symbol| symbol.name.to_lowercase().contains(&wanted);
        let shown = |symbol: &Symbol, place: Location| json!({ "name": symbol.name, "kind": symbol.kind, "location": place });
        let mut found = Vec::new();
        let mut elsewhere: BTreeMap<String, Other> = BTreeMap::new();
        for document in self.documents.values() {
            let snapshot = &document.snapshot;
            for symbol in snapshot.analysis.symbols.iter().filter(is_wanted) {
                let place = range(snapshot, symbol.name_place);
                found.push(shown(symbol, Location::new(snapshot.uri.clone(), place)));
            }
            // An empty question asks for everything: the open documents are enough.
            if !wanted.is_empty() {
                let others = self.others(snapshot, "");
                elsewhere.extend(
                    others
                        .into_iter()
                        .map(|other| (other.uri.as_str().to_owned(), other)),
                );
            }
        }
        if !wanted.is_empty() {
            self.unopened(&wanted, &mut elsewhere);
        }
        for (uri, other) in &elsewhere {
            if !self.documents.contains_key(uri) {
                let all = other.symbols.iter().filter(is_wanted);
                found.extend(all.map(|symbol| shown(symbol, other.location(symbol.name_place))));
            }
        }
        found.truncate(MAX_SYMBOLS);
        Ok(json!(found))
    }

    /// Adds files of the editor's folders that have a text in lower case in them and are not known already.
    fn unopened(&self, wanted: &str, known: &mut BTreeMap<String, Other>) {
        let files = self.folders.iter().flat_map(|f| self.workspace.files(f));
        for path in files {
            let Some(uri) = uri_of(&path) else { continue };
            let key = uri.as_str().to_owned();
            if self.documents.contains_key(&key) || known.contains_key(&key) {
                continue;
            }
            let Some(language) = Language::of("", &uri) else {
                continue;
            };
            let text = self.workspace.text(&path);
            let Some(text) = text.filter(|text| text.to_lowercase().contains(wanted)) else {
                continue;
            };
            let tokens = lexical::tokens(language, &text);
            let other = Other {
                symbols: symbols::outline(language, &text, &tokens),
                lines: Lines::new(&text, self.encoding),
                uri,
                tokens,
                text: text.into(),
            };
            known.insert(key, other);
        }
    }

    /// The first line of the declaration of a name, in this file or another.
    pub(super) fn signature_of(&self, snapshot: &Snapshot, word: &str) -> Option<String> {
        let mut own = snapshot.analysis.symbols.iter();
        if let Some(symbol) = own.find(|symbol| symbol.name == word) {
            return Some(symbol.signature.clone());
        }
        let others = self.others(snapshot, word);
        let found = others.iter().find_map(|other| other.declaration(word));
        found.map(|symbol| symbol.signature.clone())
    }
}

fn line_at(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default().trim()
}

/// The name at an offset, if the program says what it stands for.
pub(super) fn linked(snapshot: &Snapshot, offset: usize) -> Option<Place> {
    let analysis = &snapshot.analysis;
    analysis.links().at(analysis.file?, offset)
}

/// A place of a program, as editors know it; `None` in files that no editor can show.
pub(super) fn location(snapshot: &Snapshot, place: Place) -> Option<Location> {
    if snapshot.analysis.file == Some(place.file) {
        let range = range(snapshot, (place.start, place.end));
        return Some(Location::new(snapshot.uri.clone(), range));
    }
    let file = snapshot.analysis.sources.file(place.file);
    let text = file.text();
    let lines = snapshot.lines.like(text);
    let uri = file
        .name()
        .starts_with('/')
        .then(|| uri_of(file.name()))??;
    Some(Location::new(
        uri,
        lines.range(text, place.start, place.end),
    ))
}

fn local(snapshot: &Snapshot, name: &Token) -> Option<String> {
    let analysis = &snapshot.analysis;
    let around = symbols::enclosing(&analysis.symbols, name.start)?;
    let word = name.text(&snapshot.text);
    locals::introduction(&snapshot.text, &analysis.tokens, around.place, word)
}

fn is_local(snapshot: &Snapshot, name: &Token) -> bool {
    local(snapshot, name).is_some()
}
