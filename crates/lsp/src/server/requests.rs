//! Requests of the editor.

use super::lenses::EXPLORE;
use super::notify::range;
use super::{Server, parameters};
use crate::document::{Snapshot, path_of};
use crate::format::{Change, Step};
use crate::language::Language;
use crate::lexical::{Kind, Token};
use crate::position::Encoding;
use crate::status::Phase;
use crate::{actions, format, status, symbols};
use lsp_server::{ErrorCode, Request};
use lsp_types::{
    CodeActionParams, CompletionItem, CompletionItemKind, CompletionParams,
    DocumentFormattingParams, DocumentSymbol, DocumentSymbolParams, FoldingRange,
    FoldingRangeParams, HoverParams, InitializeParams, Position, Range, SemanticTokensParams,
    SemanticTokensRangeParams, SignatureHelpParams, SymbolKind, TextDocumentPositionParams,
    TextEdit, Uri, WorkspaceSymbolParams,
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The kinds of semantic tokens, in the order of their numbers.
const TOKEN_TYPES: &[&str] = &[
    "keyword", "comment", "string", "number", "function", "type", "variable",
];

pub(super) type Answer = Result<Value, (ErrorCode, String)>;

impl Server {
    /// Answers a request.
    pub(super) fn answer(&mut self, request: Request) -> Answer {
        let Request { method, params, .. } = request;
        if self.is_shut_down {
            return Err((
                ErrorCode::InvalidRequest,
                "the server was shut down".to_owned(),
            ));
        }
        match method.as_str() {
            "initialize" => self.initialize(parameters(params)?),
            "shutdown" => {
                self.is_shut_down = true;
                Ok(Value::Null)
            }
            "textDocument/hover" => self.hover(&parameters::<HoverParams>(params)?),
            "textDocument/definition" => self.definition(&parameters(params)?),
            "textDocument/references" => self.references(&parameters(params)?),
            "textDocument/documentHighlight" => self.highlights(&parameters(params)?),
            "textDocument/rename" => self.rename(parameters(params)?),
            "textDocument/prepareRename" => self.prepare_rename(&parameters(params)?),
            "textDocument/documentSymbol" => {
                self.document_symbols(&parameters::<DocumentSymbolParams>(params)?)
            }
            "workspace/symbol" => {
                self.workspace_symbols(&parameters::<WorkspaceSymbolParams>(params)?)
            }
            "textDocument/completion" => self.completion(&parameters::<CompletionParams>(params)?),
            "textDocument/signatureHelp" => {
                self.signature(&parameters::<SignatureHelpParams>(params)?)
            }
            "textDocument/foldingRange" => self.folding(&parameters::<FoldingRangeParams>(params)?),
            "textDocument/semanticTokens/full" => {
                let asked = parameters::<SemanticTokensParams>(params)?;
                self.semantic_tokens(&asked.text_document.uri, None)
            }
            "textDocument/semanticTokens/range" => {
                let asked = parameters::<SemanticTokensRangeParams>(params)?;
                let uri = asked.text_document.uri;
                self.shows(uri.as_str(), asked.range);
                self.semantic_tokens(&uri, Some(asked.range))
            }
            "textDocument/codeAction" => {
                self.code_actions(&parameters::<CodeActionParams>(params)?)
            }
            "textDocument/formatting" => self.format(&parameters(params)?),
            "textDocument/codeLens" => self.lenses(&parameters(params)?),
            "workspace/executeCommand" => self.execute(&params),
            "textDocument/inlayHint" => self.inlay_hints(&parameters(params)?),
            "dafny/textDocument/verifySymbol" => self.verify_symbol(parameters(params)?),
            "dafny/textDocument/cancelVerifySymbol" => self.cancel_symbol(&parameters(params)?),
            _ => Err((
                ErrorCode::MethodNotFound,
                format!("there is no request `{method}`"),
            )),
        }
    }

    fn initialize(&mut self, offered: InitializeParams) -> Answer {
        self.folders = opened_folders(&offered);
        let general = offered.capabilities.general;
        let encodings = general.and_then(|general| general.position_encodings);
        self.encoding = Encoding::choose(encodings.as_deref());
        let window = offered.capabilities.window;
        self.offers.progress = window.and_then(|w| w.work_done_progress).unwrap_or(false);
        if let Some(workspace) = offered.capabilities.workspace {
            let watching = workspace.did_change_watched_files;
            self.offers.watching = watching.and_then(|w| w.dynamic_registration) == Some(true);
            let hints = workspace.inlay_hint;
            self.offers.hint_refresh = hints.and_then(|h| h.refresh_support) == Some(true);
        }
        if let Some(settings) = &offered.initialization_options {
            self.configure(settings);
        }
        Ok(json!({
            "serverInfo": { "name": "stet", "version": self.version },
            "capabilities": {
                "positionEncoding": self.encoding.kind(),
                "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "renameProvider": { "prepareProvider": true },
                "documentSymbolProvider": true,
                "workspaceSymbolProvider": true,
                "foldingRangeProvider": true,
                "documentFormattingProvider": true,
                "inlayHintProvider": true,
                "completionProvider": { "triggerCharacters": ["."] },
                "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
                "codeActionProvider": true,
                "executeCommandProvider": { "commands": ["stet.explain", EXPLORE] },
                "codeLensProvider": {},
                "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
                "semanticTokensProvider": {
                    "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": [] },
                    "full": true,
                    "range": true,
                },
            },
        }))
    }

    pub(super) fn snapshot(&self, uri: &Uri) -> Result<Arc<Snapshot>, (ErrorCode, String)> {
        let document = self.documents.get(uri.as_str());
        document
            .map(|document| document.snapshot.clone())
            .ok_or_else(|| {
                (
                    ErrorCode::InvalidParams,
                    format!("`{}` is not open", uri.as_str()),
                )
            })
    }

    /// The document of a position and the offset in it.
    pub(super) fn place(
        &self,
        at: &TextDocumentPositionParams,
    ) -> Result<(Arc<Snapshot>, usize), (ErrorCode, String)> {
        let snapshot = self.snapshot(&at.text_document.uri)?;
        let offset = snapshot.lines.offset(&snapshot.text, at.position);
        Ok((snapshot, offset))
    }

    fn hover(&self, asked: &HoverParams) -> Answer {
        let (snapshot, offset) = self.place(&asked.text_document_position_params)?;
        let document = &self.documents[snapshot.uri.as_str()];
        let mut parts = self.described(&snapshot, offset);
        let place = match parts.is_empty() {
            // Beside the names of a line, its checks: `assert`, `ensures`, a brace where a method ends.
            true => line_around(&snapshot.text, offset),
            false => (offset, offset + 1),
        };
        parts.extend(status::hover_checks(&snapshot, &document.status, place));
        if parts.is_empty() {
            return Ok(Value::Null);
        }
        Ok(json!({ "contents": { "kind": "markdown", "value": parts.join("\n\n") } }))
    }

    fn document_symbols(&self, asked: &DocumentSymbolParams) -> Answer {
        let snapshot = self.snapshot(&asked.text_document.uri)?;
        Ok(json!(nested(&snapshot, &snapshot.analysis.symbols)))
    }

    fn completion(&self, asked: &CompletionParams) -> Answer {
        let (snapshot, offset) = self.place(&asked.text_document_position)?;
        let analysis = &snapshot.analysis;
        let symbols = &analysis.symbols;
        if let Some(members) = members_before(&snapshot, offset) {
            return Ok(json!(members));
        }
        let scope = symbols::enclosing(symbols, offset).map_or((0, 0), |symbol| symbol.place);
        let item = |label: &str, kind, detail: Option<&str>| CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: detail.map(str::to_owned),
            ..CompletionItem::default()
        };
        let mut items: Vec<CompletionItem> = symbols
            .iter()
            .map(|s| item(&s.name, completion_kind(s.kind), Some(&s.signature)))
            .collect();
        let mut locals: Vec<&str> = analysis
            .tokens
            .iter()
            .filter(|t| t.kind == Kind::Name && scope.0 <= t.start && t.end <= scope.1)
            .filter(|t| !(t.start <= offset && offset <= t.end))
            .map(|t| t.text(&snapshot.text))
            .filter(|name| !symbols.iter().any(|s| s.name == *name))
            .collect();
        locals.sort_unstable();
        locals.dedup();
        items.extend(
            locals
                .iter()
                .map(|name| item(name, CompletionItemKind::VARIABLE, None)),
        );
        let keywords = snapshot.language.keywords().iter();
        items.extend(keywords.map(|word| item(word, CompletionItemKind::KEYWORD, None)));
        Ok(json!(items))
    }

    fn signature(&self, asked: &SignatureHelpParams) -> Answer {
        let (snapshot, offset) = self.place(&asked.text_document_position_params)?;
        let Some((name, argument)) = call_around(&snapshot, offset) else {
            return Ok(Value::Null);
        };
        let Some(signature) = self.signature_of(&snapshot, name.text(&snapshot.text)) else {
            return Ok(Value::Null);
        };
        let parameters: Vec<Value> = parameter_places(&signature)
            .into_iter()
            .map(|(start, end)| json!({ "label": [start, end] }))
            .collect();
        Ok(json!({
            "signatures": [{ "label": signature, "parameters": parameters }],
            "activeSignature": 0,
            "activeParameter": argument,
        }))
    }

    fn folding(&self, asked: &FoldingRangeParams) -> Answer {
        let snapshot = self.snapshot(&asked.text_document.uri)?;
        let folds = symbols::folds(&snapshot.text, &snapshot.analysis.tokens);
        let ranges: Vec<FoldingRange> = folds
            .into_iter()
            .map(|place| {
                let range = range(&snapshot, place);
                FoldingRange {
                    start_line: range.start.line,
                    end_line: range.end.line,
                    ..FoldingRange::default()
                }
            })
            .collect();
        Ok(json!(ranges))
    }

    fn semantic_tokens(&self, uri: &Uri, within: Option<Range>) -> Answer {
        let snapshot = self.snapshot(uri)?;
        let mut data: Vec<u32> = Vec::new();
        let mut last = Position::default();
        let symbols = snapshot.analysis.symbols.iter();
        let kinds: HashMap<&str, SymbolKind> =
            symbols.rev().map(|s| (s.name.as_str(), s.kind)).collect();
        for token in &snapshot.analysis.tokens {
            let Some(kind) = token_type(&snapshot, &kinds, token) else {
                continue;
            };
            let place = range(&snapshot, (token.start, token.end));
            let is_asked = within.is_none_or(|w| w.start < place.end && place.start < w.end);
            // The protocol has no tokens over several lines.
            if place.start.line != place.end.line || !is_asked {
                continue;
            }
            let same_line = place.start.line == last.line;
            let before = if same_line { last.character } else { 0 };
            let length = place.end.character - place.start.character;
            data.extend([
                place.start.line - last.line,
                place.start.character - before,
                length,
                kind,
                0,
            ]);
            last = place.start;
        }
        Ok(json!({ "data": data }))
    }

    fn code_actions(&self, asked: &CodeActionParams) -> Answer {
        let snapshot = self.snapshot(&asked.text_document.uri)?;
        let document = &self.documents[snapshot.uri.as_str()];
        Ok(json!(actions::at(&snapshot, &document.status, asked.range)))
    }

    fn format(&self, asked: &DocumentFormattingParams) -> Answer {
        let snapshot = self.snapshot(&asked.text_document.uri)?;
        let step = Step {
            width: (asked.options.tab_size as usize).clamp(1, 16),
            tabs: !asked.options.insert_spaces,
        };
        let tokens = &snapshot.analysis.tokens;
        let changes = format::changes(snapshot.language, &snapshot.text, tokens, step);
        let edit = |change: Change| TextEdit::new(range(&snapshot, change.place), change.text);
        Ok(json!(changes.into_iter().map(edit).collect::<Vec<_>>()))
    }

    fn execute(&mut self, params: &Value) -> Answer {
        match params["command"].as_str() {
            Some("stet.explain") => {
                let wanted = params["arguments"][0].as_str().unwrap_or_default();
                let Some(code) = self.catalog.find(wanted) else {
                    return Err((
                        ErrorCode::InvalidParams,
                        format!("there is no code `{wanted}`"),
                    ));
                };
                let text = format!(
                    "{}: {}\n\n{}\n\n{}",
                    code.id, code.title, code.explanation, code.example
                );
                self.notify("window/showMessage", json!({ "type": 3, "message": text }));
                Ok(json!(text))
            }
            Some(EXPLORE) => self.explore(&params["arguments"]),
            other => Err((
                ErrorCode::InvalidParams,
                format!("there is no command {other:?}"),
            )),
        }
    }

    fn verify_symbol(&mut self, at: TextDocumentPositionParams) -> Answer {
        self.finish_reading(at.text_document.uri.as_str());
        let (snapshot, offset) = self.place(&at)?;
        let all = &snapshot.analysis.symbols;
        let Some(symbol) = symbols::enclosing(all, offset) else {
            return Ok(json!(false));
        };
        let only = snapshot.analysis.implementations(&snapshot, symbol);
        if only.is_empty() {
            return Ok(json!(false));
        }
        self.verify(snapshot.uri.as_str(), only);
        Ok(json!(true))
    }

    fn cancel_symbol(&mut self, at: &TextDocumentPositionParams) -> Answer {
        let uri = at.text_document.uri.as_str();
        let Some(document) = self.documents.get_mut(uri) else {
            return Ok(json!(false));
        };
        let was_running = document.running.is_some() || document.status.phase == Phase::Queued;
        document.cancel();
        document.due = None;
        if was_running {
            document.status.finish_part();
            let snapshot = document.snapshot.clone();
            self.tell_status(uri);
            self.resume_models(&snapshot);
        }
        Ok(json!(was_running))
    }
}

/// Declarations as a tree, from a list in order with depths.
fn nested(snapshot: &Snapshot, list: &[symbols::Symbol]) -> Vec<DocumentSymbol> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(symbol) = list.get(at) {
        let inner = list[at + 1..]
            .iter()
            .take_while(|s| s.depth > symbol.depth)
            .count();
        let children = nested(snapshot, &list[at + 1..at + 1 + inner]);
        #[allow(deprecated, reason = "the field must be filled")]
        found.push(DocumentSymbol {
            name: symbol.name.clone(),
            detail: Some(symbol.signature.clone()),
            kind: symbol.kind,
            tags: None,
            deprecated: None,
            range: range(snapshot, symbol.place),
            selection_range: range(snapshot, symbol.name_place),
            children: (!children.is_empty()).then_some(children),
        });
        at += 1 + inner;
    }
    found
}

/// What may follow a dot: the declarations in what stands before it, if that is a module or a type, else all members.
fn members_before(snapshot: &Snapshot, offset: usize) -> Option<Vec<CompletionItem>> {
    let analysis = &snapshot.analysis;
    let before = analysis.tokens.partition_point(|t| t.end <= offset);
    let mut before = analysis.tokens[..before].iter().rev().peekable();
    let typed = |t: &&&Token| t.kind == Kind::Name && t.end == offset;
    before.next_if(|t| typed(&t));
    let is_dot = before.next()?.text(&snapshot.text) == ".";
    if snapshot.language != Language::Dafny || !is_dot {
        return None;
    }
    let owner = before.next().map(|t| t.text(&snapshot.text));
    let symbols = &analysis.symbols;
    let named = symbols.iter().find(|s| Some(s.name.as_str()) == owner);
    let container = named.filter(|s| !s.is_callable);
    let is_member = |s: &&symbols::Symbol| match container {
        Some(outer) => {
            s.depth == outer.depth + 1 && outer.place.0 < s.place.0 && s.place.1 <= outer.place.1
        }
        None => s.depth > 0,
    };
    let item = |name: &str, kind, detail: Option<&str>| CompletionItem {
        label: name.to_owned(),
        kind: Some(kind),
        detail: detail.map(str::to_owned),
        ..CompletionItem::default()
    };
    let members = symbols.iter().filter(is_member);
    let mut items: Vec<CompletionItem> = members
        .map(|s| item(&s.name, completion_kind(s.kind), Some(&s.signature)))
        .collect();
    if container.is_none() {
        let built_in = ["Length", "Keys", "Values", "Items", "Floor"].iter();
        items.extend(built_in.map(|name| item(name, CompletionItemKind::PROPERTY, None)));
    }
    Some(items)
}

/// The line around an offset, without the end of line.
/// The folders that the editor has open; older editors name one root.
#[allow(deprecated, reason = "editors still send it")]
fn opened_folders(offered: &InitializeParams) -> BTreeSet<String> {
    match &offered.workspace_folders {
        Some(folders) => folders.iter().map(|f| path_of(&f.uri)).collect(),
        None => offered.root_uri.iter().map(path_of).collect(),
    }
}

fn line_around(text: &str, offset: usize) -> (usize, usize) {
    let offset = offset.min(text.len());
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |end| offset + end);
    (start, end)
}

/// The places of the parameters in a signature, counted as editors do without other agreement.
fn parameter_places(signature: &str) -> Vec<(usize, usize)> {
    let Some(open) = signature.find('(') else {
        return Vec::new();
    };
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, open + 1);
    let units = |at: usize| signature[..at].encode_utf16().count();
    for (at, c) in signature[open..].char_indices() {
        let at = open + at;
        let is_end = depth == 1 && matches!(c, ',' | ')');
        if is_end {
            let piece = &signature[start..at];
            let from = start + (piece.len() - piece.trim_start().len());
            if !piece.trim().is_empty() {
                found.push((units(from), units(start + piece.trim_end().len())));
            }
            start = at + 1;
        }
        match c {
            '(' | '<' | '[' => depth += 1,
            '>' if signature[..at].ends_with(['-', '~']) => {}
            ')' | '>' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

fn completion_kind(kind: SymbolKind) -> CompletionItemKind {
    match kind {
        SymbolKind::FUNCTION | SymbolKind::METHOD => CompletionItemKind::FUNCTION,
        SymbolKind::CLASS => CompletionItemKind::CLASS,
        SymbolKind::ENUM => CompletionItemKind::ENUM,
        SymbolKind::MODULE => CompletionItemKind::MODULE,
        SymbolKind::CONSTANT => CompletionItemKind::CONSTANT,
        _ => CompletionItemKind::VARIABLE,
    }
}

fn token_type(
    snapshot: &Snapshot,
    kinds: &HashMap<&str, SymbolKind>,
    token: &Token,
) -> Option<u32> {
    let name = match token.kind {
        Kind::Keyword => "keyword",
        Kind::Comment => "comment",
        Kind::Text => "string",
        Kind::Number => "number",
        Kind::Mark => return None,
        Kind::Name => {
            let word = token.text(&snapshot.text);
            match kinds.get(word).copied() {
                Some(SymbolKind::FUNCTION | SymbolKind::METHOD | SymbolKind::CONSTRUCTOR) => {
                    "function"
                }
                Some(SymbolKind::CLASS | SymbolKind::ENUM | SymbolKind::MODULE) => "type",
                _ => "variable",
            }
        }
    };
    TOKEN_TYPES
        .iter()
        .position(|t| *t == name)
        .map(|at| at as u32)
}

/// The name before the innermost open parenthesis, and the number of the argument at an offset.
fn call_around(snapshot: &Snapshot, offset: usize) -> Option<(Token, u32)> {
    let before: Vec<&Token> = snapshot
        .analysis
        .tokens
        .iter()
        .take_while(|t| t.end <= offset)
        .collect();
    let (mut depth, mut argument) = (0, 0);
    for (index, token) in before.iter().enumerate().rev() {
        match token.text(&snapshot.text) {
            ")" => depth += 1,
            "(" if depth == 0 => {
                let name = before.get(index.checked_sub(1)?)?;
                return (name.kind == Kind::Name).then_some((**name, argument));
            }
            "(" => depth -= 1,
            "," if depth == 0 => argument += 1,
            "{" | "}" | ";" => return None,
            _ => {}
        }
    }
    None
}
