//! Dafny text to syntax: a recursive-descent parser with bounded nesting.
//!
//! A syntax error inside a statement list skips to the next statement; elsewhere it skips to the next declaration. Only
//! the first error within a few tokens is reported, as Dafny's own parser does.

mod binders;
mod control;
mod decls;
mod exprs;
mod lexer;
mod literals;
mod members;
mod patterns;
mod primary;
mod specs;
mod stmts;
mod token;
mod types;

use crate::ast::{self, Ast, Name};
use stet_base::{FileId, Interner, Span};
use stet_diag::Diagnostic;
use token::{Kw, P, Tok, Token};

/// How deep expressions, statements, types and declarations may nest.
pub const MAX_NESTING: u32 = 1000;

/// How many operators one chain (`a + b + …`) may have: chains nest to the left.
const MAX_CHAIN: u32 = 4000;

/// The answer of a parser that gave up; the message is already recorded.
pub(crate) struct Stop;

pub(crate) type PResult<T> = Result<T, Stop>;

/// A parsed file.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    pub(crate) decls: Vec<ast::Decl>,
    pub(crate) includes: Vec<(String, Span)>,
}

/// Parses one file; messages go to `diagnostics`.
pub(crate) fn parse_file(
    text: &str,
    file: FileId,
    verify: bool,
    ast: &mut Ast,
    names: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) -> ParsedFile {
    let (tokens, errors) = lexer::lex(text);
    let mut parser = Parser {
        text,
        file,
        tokens,
        at: 0,
        ast,
        names,
        diagnostics,
        depth: 0,
        verify,
        old_syntax: false,
        old_on_purpose: false,
        last_error: None,
        in_measure_list: false,
    };
    for error in errors {
        let span = Span {
            file,
            start: error.at,
            end: error.at,
        };
        parser.semantic_error(span, error.message);
    }
    // A file that says which modules use which syntax is in the new one elsewhere.
    parser.old_syntax = parser.uses_old_functions() && !parser.text.contains("unctionSyntax:");
    parser.file_decls()
}

pub(crate) struct Parser<'a> {
    text: &'a str,
    file: FileId,
    tokens: Vec<Token>,
    at: usize,
    ast: &'a mut Ast,
    names: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
    depth: u32,
    verify: bool,
    /// The file uses `function method`: then plain `function` is ghost.
    old_syntax: bool,
    /// The module asks for the old syntax: its use is no reason for a warning.
    old_on_purpose: bool,
    last_error: Option<usize>,
    /// Directly inside `( … )`: `decreases to` separates two lists.
    in_measure_list: bool,
}

/// Restrictions on an expression by what follows it.
#[derive(Clone, Copy)]
pub(crate) struct Ctx {
    /// `L(x); e` may be read as a lemma call before an expression.
    pub(crate) lemma: bool,
    /// `x => e` may be read as a lambda.
    pub(crate) lambda: bool,
    /// `|` is the bitwise operator.
    pub(crate) bar: bool,
}

impl Ctx {
    pub(crate) const FULL: Ctx = Ctx {
        lemma: true,
        lambda: true,
        bar: true,
    };
    pub(crate) const NO_LEMMA: Ctx = Ctx {
        lemma: false,
        lambda: true,
        bar: true,
    };
    pub(crate) const GUARD: Ctx = Ctx {
        lemma: false,
        lambda: false,
        bar: true,
    };
}

impl<'a> Parser<'a> {
    pub(crate) fn kind(&self) -> Tok {
        self.tokens[self.at].kind
    }

    pub(crate) fn peek(&self, ahead: usize) -> Tok {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)].kind
    }

    pub(crate) fn token_at(&self, index: usize) -> Token {
        self.tokens[index.min(self.tokens.len() - 1)]
    }

    pub(crate) fn span_of(&self, token: Token) -> Span {
        Span {
            file: self.file,
            start: token.start,
            end: token.end,
        }
    }

    pub(crate) fn span(&self) -> Span {
        self.span_of(self.tokens[self.at])
    }

    /// The token before the current one.
    pub(crate) fn previous(&self) -> Span {
        self.span_of(self.tokens[self.at.saturating_sub(1)])
    }

    pub(crate) fn since(&self, start: Span) -> Span {
        let end = self.previous();
        if end.end < start.start {
            start
        } else {
            start.to(end)
        }
    }

    pub(crate) fn text_of(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub(crate) fn bump(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    pub(crate) fn is(&self, p: P) -> bool {
        self.kind() == Tok::P(p)
    }

    pub(crate) fn is_kw(&self, kw: Kw) -> bool {
        self.kind() == Tok::Kw(kw)
    }

    pub(crate) fn eat(&mut self, p: P) -> bool {
        let found = self.is(p);
        if found {
            self.bump();
        }
        found
    }

    pub(crate) fn eat_kw(&mut self, kw: Kw) -> bool {
        let found = self.is_kw(kw);
        if found {
            self.bump();
        }
        found
    }

    /// Whether the current token is the identifier `word` (a word the grammar does not reserve).
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind() == Tok::Ident && self.text_of(self.span()) == word
    }

    pub(crate) fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        let token = self.token_at(self.at + ahead);
        token.kind == Tok::Ident && self.text_of(self.span_of(token)) == word
    }

    pub(crate) fn expect(&mut self, p: P) -> PResult<Span> {
        if self.is(p) {
            return Ok(self.bump());
        }
        let name = match p {
            P::LParen => "openparen",
            P::RParen => "closeparen",
            P::LBrace => "lbrace",
            P::RBrace => "rbrace",
            P::LBracket => "lbracket",
            P::RBracket => "rbracket",
            P::Semi => "semicolon",
            P::Colon => "colon",
            P::Comma => "comma",
            P::ColonEq => "gets",
            P::ColonColon => "doublecolon",
            P::Bar => "verticalbar",
            P::FatArrow => "darrow",
            P::Assign1 => "singleeq",
            P::Gt => "closeAngleBracket",
            _ => "symbol",
        };
        self.error(&format!("{name} expected"))
    }

    pub(crate) fn expect_kw(&mut self, kw: Kw, text: &str) -> PResult<Span> {
        if self.is_kw(kw) {
            Ok(self.bump())
        } else {
            self.error(&format!("{text} expected"))
        }
    }

    /// Records a syntax error at the current token.
    pub(crate) fn error<T>(&mut self, message: &str) -> PResult<T> {
        // Errors within two tokens of the last one are its consequences.
        let quiet = self
            .last_error
            .is_some_and(|last| self.at < last + 2 && self.at >= last);
        if !quiet {
            let span = self.span();
            self.semantic_error(span, message);
        }
        self.last_error = Some(self.at);
        Err(Stop)
    }

    /// Records an error without giving up.
    pub(crate) fn semantic_error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics
            .push(Diagnostic::error("dafny/syntax", message).at(span));
    }

    pub(crate) fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics
            .push(Diagnostic::warning("dafny/deprecated", message).at(span));
    }

    /// Runs `parse` one level deeper.
    pub(crate) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        if self.depth >= MAX_NESTING {
            return self.error("the program is nested too deeply");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn name_of(&mut self, span: Span) -> Name {
        let text = self.text_of(span);
        Name {
            sym: self.names.intern(text),
            span,
        }
    }

    pub(crate) fn ident(&mut self) -> PResult<Name> {
        if self.kind() == Tok::Ident {
            let span = self.bump();
            return Ok(self.name_of(span));
        }
        self.error("ident expected")
    }

    /// An identifier that declares something: may not start with an underscore.
    pub(crate) fn declared_ident(&mut self) -> PResult<Name> {
        let name = self.ident()?;
        if self.text_of(name.span).starts_with('_') {
            self.semantic_error(
                name.span,
                "cannot declare identifier beginning with underscore",
            );
        }
        Ok(name)
    }

    /// An identifier or `_`, which gets an invented name.
    pub(crate) fn wild_ident(&mut self) -> PResult<Name> {
        let name = self.ident()?;
        let text = self.text_of(name.span);
        if text.len() > 1 && text.starts_with('_') {
            self.semantic_error(
                name.span,
                "cannot declare identifier beginning with underscore",
            );
        }
        Ok(name)
    }

    fn uses_old_functions(&self) -> bool {
        self.tokens.windows(2).any(|pair| {
            matches!(pair[0].kind, Tok::Kw(Kw::Function) | Tok::Kw(Kw::Predicate))
                && pair[1].kind == Tok::Kw(Kw::Method)
        })
    }
}
