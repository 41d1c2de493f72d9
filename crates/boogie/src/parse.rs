//! Boogie's grammar, by recursive descent with one token of look-ahead.
//!
//! The functions follow the productions of Boogie's own grammar, because its error messages and what is still reported after the first
//! one depend on their shape: an unexpected token is reported and not skipped, and nothing is reported within two tokens of an error.
//!
//! Nesting is limited ([`MAX_NESTING`]); run deep inputs on [`stet_base::deep_stack`].

mod decls;
mod exprs;
mod lexer;
mod literals;
mod stmts;
mod token;
mod types;

use crate::ast::*;
use crate::program::Program;
use crate::{codes, message};
use stet_base::{FastSet, FileId, SourceMap, Span, Symbol};
use stet_diag::Diagnostic;
use token::{Tok, Token};

/// How deep expressions, types and statements may nest, and how long a chain of operators may be.
pub const MAX_NESTING: u32 = 20_000;

/// Parses a file and adds its declarations to `program`; `defines` decide `#if`. Returns the syntax errors.
pub fn parse(
    program: &mut Program,
    sources: &SourceMap,
    file: FileId,
    defines: &[String],
) -> Vec<Diagnostic> {
    let source = sources.file(file).text().clone();
    let mut messages = Vec::new();
    let preprocessed = lexer::preprocess(&source, defines);
    let text: &str = preprocessed.as_deref().unwrap_or(&source);
    let tokens = lexer::tokens(text, file, &mut program.origins, &mut messages);
    let first_expr = program.exprs.len();
    let mut parser = Parser {
        text,
        file,
        tokens,
        at: 0,
        program,
        messages,
        since_error: 2,
        nesting: 0,
        depths: Vec::new(),
        first_expr,
        too_deep: false,
        constructors: FastSet::default(),
    };
    parser.program();
    parser.messages
}

/// Whether a printed name needs a leading backslash, because it would be read as a keyword.
pub(crate) fn is_keyword(name: &str) -> bool {
    token::keyword(name).is_some()
}

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    tokens: Vec<Token>,
    /// The look-ahead token.
    at: usize,
    program: &'a mut Program,
    messages: Vec<Diagnostic>,
    /// Tokens read since the last error.
    since_error: u32,
    nesting: u32,
    /// The depth of each expression made by this parser.
    depths: Vec<u32>,
    first_expr: usize,
    too_deep: bool,
    /// Names of datatype constructors.
    constructors: FastSet<Symbol>,
}

/// An identifier with its token.
#[derive(Clone, Copy)]
struct Ident {
    name: Symbol,
    span: Span,
}

impl Parser<'_> {
    fn la(&self) -> Tok {
        self.tokens[self.at].kind
    }

    fn la_span(&self) -> Span {
        self.span_of(self.tokens[self.at])
    }

    /// Whether the look-ahead token is this word.
    fn la_is(&self, word: &str) -> bool {
        let token = self.tokens[self.at];
        &self.text[token.start as usize..token.end as usize] == word
    }

    /// Whether `->` and a name come next; the arrow is two tokens, because older programs have no such thing.
    fn at_arrow(&self) -> bool {
        let [minus, greater, name] = match self.tokens.get(self.at..self.at + 3) {
            Some(tokens) => [tokens[0], tokens[1], tokens[2]],
            None => return false,
        };
        minus.kind == Tok::Minus
            && greater.kind == Tok::Gt
            && minus.end == greater.start
            && matches!(name.kind, Tok::Ident | Tok::LParen)
    }

    /// The token read last.
    fn last(&self) -> Token {
        self.tokens[self.at.saturating_sub(1)]
    }

    fn last_span(&self) -> Span {
        self.span_of(self.last())
    }

    fn last_text(&self) -> &str {
        let token = self.last();
        &self.text[token.start as usize..token.end as usize]
    }

    fn span_of(&self, token: Token) -> Span {
        Span {
            file: self.file,
            start: token.start,
            end: token.end,
        }
    }

    fn get(&mut self) {
        self.since_error += 1;
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn eat(&mut self, kind: Tok) -> bool {
        let found = self.la() == kind;
        if found {
            self.get();
        }
        found
    }

    fn expect(&mut self, kind: Tok) {
        if !self.eat(kind) {
            self.syntax_error(format!("{} expected", kind.describe()));
        }
    }

    fn syntax_error(&mut self, text: String) {
        if self.since_error >= 2 {
            let span = self.la_span();
            self.report(span, text);
        }
        self.since_error = 0;
    }

    fn invalid(&mut self, production: &str) {
        self.syntax_error(format!("invalid {production}"));
    }

    /// An error at the token read last.
    fn semantic_error(&mut self, text: &str) {
        if self.since_error >= 2 {
            let span = self.last_span();
            self.report(span, text.to_owned());
        }
        self.since_error = 0;
    }

    fn report(&mut self, span: Span, text: String) {
        if !self.too_deep {
            self.messages
                .push(message::error(codes::SYNTAX, span, text));
        }
    }

    /// Enters a nested construct; `false` (and the end of parsing) if it is too deep.
    fn enter(&mut self) -> bool {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            self.give_up();
            return false;
        }
        true
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    fn give_up(&mut self) {
        let span = self.la_span();
        self.report(
            span,
            format!("nesting is deeper than the limit of {MAX_NESTING}"),
        );
        self.too_deep = true;
        self.at = self.tokens.len() - 1;
    }

    fn ident(&mut self) -> Ident {
        if self.la() == Tok::Ident {
            self.get();
            let token = self.last();
            let text = &self.text[token.start as usize..token.end as usize];
            let name = text.strip_prefix('\\').unwrap_or(text);
            Ident {
                name: self.program.names.intern(name),
                span: self.span_of(token),
            }
        } else {
            // Boogie takes the token before for the missing name.
            self.expect(Tok::Ident);
            let token = self.last();
            let text = &self.text[token.start as usize..token.end as usize];
            Ident {
                name: self.program.names.intern(text),
                span: self.span_of(token),
            }
        }
    }

    fn idents(&mut self) -> Vec<Ident> {
        let mut ids = vec![self.ident()];
        while self.eat(Tok::Comma) {
            ids.push(self.ident());
        }
        ids
    }

    fn depth(&self, expr: ExprId) -> u32 {
        use stet_base::Index;
        let index = expr.index().wrapping_sub(self.first_expr);
        self.depths.get(index).copied().unwrap_or(1)
    }

    /// Adds an expression whose deepest child is `below` deep.
    fn push_expr(&mut self, span: Span, kind: ExprKind, below: u32) -> ExprId {
        let depth = below + 1;
        if depth > MAX_NESTING && !self.too_deep {
            self.give_up();
        }
        self.depths.push(depth);
        self.program.add_expr(span, kind, None)
    }

    fn ident_expr(&mut self, id: Ident) -> ExprId {
        let kind = ExprKind::Ident {
            name: id.name,
            var: None,
        };
        self.push_expr(id.span, kind, 0)
    }
}
