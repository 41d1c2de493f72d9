//! The reader: recursive descent over tokens, one pass, first error wins.
//!
//! Types and constants nest; both stop with an error at [`MAX_DEPTH`] instead of exhausting the stack.

mod call;
mod constant;
mod function;
mod instruction;
mod operands;
mod types;

use crate::constant::{Const, ConstId, Constant};
use crate::debug::DebugInfo;
use crate::layout::DataLayout;
use crate::lexer::{Lexer, Tok, unquote};
use crate::module::{Alias, Global, Linkage, Module};
use crate::types::{TypeId, Types};
use function::Scope;
use std::sync::Arc;
use stet_base::{FastMap, FileId, IdVec, Interner, Span, Symbol};
use stet_diag::Diagnostic;

/// How deep types and constants may nest.
const MAX_DEPTH: u32 = 400;

/// Reads a module. The error is the first one found, with its place.
pub fn read(text: &Arc<str>, file: FileId) -> Result<Module, Box<Diagnostic>> {
    if text.len() >= u32::MAX as usize {
        let message = "a module of 4 GiB or more";
        return Err(Box::new(Diagnostic::error("llvm/syntax", message)));
    }
    let mut parser = Parser::new(text, file);
    let outcome = parser.module();
    parser.module.debug.text = text.clone();
    match outcome {
        Ok(()) => Ok(parser.module),
        Err(error) => {
            let end = error.end.max(error.start).min(text.len());
            let span = Span {
                file,
                start: error.start.min(end) as u32,
                end: end as u32,
            };
            Err(Box::new(
                Diagnostic::error("llvm/syntax", error.message).at(span),
            ))
        }
    }
}

/// Why reading stopped.
pub(crate) struct Failure {
    start: usize,
    end: usize,
    message: String,
}

pub(crate) type Parse<T> = Result<T, Failure>;

pub(crate) struct Parser<'a> {
    lexer: Lexer<'a>,
    tok: Tok,
    start: usize,
    end: usize,
    depth: u32,
    module: Module,
    scope: Scope<'a>,
    ints: FastMap<(TypeId, u128), ConstId>,
    plain: FastMap<(TypeId, u8), ConstId>,
    global_refs: FastMap<Symbol, ConstId>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, file: FileId) -> Self {
        let mut lexer = Lexer {
            text: text.as_bytes(),
            pos: 0,
        };
        let (tok, start, end) = lexer.next();
        Parser {
            lexer,
            tok,
            start,
            end,
            depth: 0,
            module: Module {
                file,
                names: Interner::new(),
                types: Types::new(),
                constants: IdVec::new(),
                globals: IdVec::new(),
                functions: IdVec::new(),
                aliases: Vec::new(),
                layout: DataLayout::default(),
                triple: String::new(),
                has_module_asm: false,
                debug: DebugInfo::default(),
            },
            scope: Scope::default(),
            ints: FastMap::default(),
            plain: FastMap::default(),
            global_refs: FastMap::default(),
        }
    }

    #[inline]
    fn advance(&mut self) {
        let (tok, start, end) = self.lexer.next();
        self.tok = tok;
        self.start = start;
        self.end = end;
    }

    #[inline]
    fn text(&self) -> &'a [u8] {
        &self.lexer.text[self.start..self.end]
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parse<T> {
        Err(Failure {
            start: self.start,
            end: self.end,
            message: message.into(),
        })
    }

    fn expected<T>(&self, what: &str) -> Parse<T> {
        let found = match self.tok {
            Tok::Eof => "the end of the text".to_owned(),
            _ => {
                let text = String::from_utf8_lossy(self.text());
                let short: String = text.chars().take(40).collect();
                format!("`{short}`")
            }
        };
        self.fail(format!("expected {what}, found {found}"))
    }

    #[inline]
    fn is_punct(&self, c: u8) -> bool {
        self.tok == Tok::Punct(c)
    }

    #[inline]
    fn eat_punct(&mut self, c: u8) -> bool {
        let found = self.is_punct(c);
        if found {
            self.advance();
        }
        found
    }

    fn punct(&mut self, c: u8) -> Parse<()> {
        if self.eat_punct(c) {
            return Ok(());
        }
        self.expected(&format!("`{}`", c as char))
    }

    #[inline]
    fn is_word(&self, word: &[u8]) -> bool {
        self.tok == Tok::Word && self.text() == word
    }

    #[inline]
    fn eat_word(&mut self, word: &[u8]) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, word: &[u8]) -> Parse<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        self.expected(&format!("`{}`", String::from_utf8_lossy(word)))
    }

    fn number(&mut self) -> Parse<u64> {
        if self.tok == Tok::Int {
            let text = std::str::from_utf8(self.text()).unwrap_or("");
            if let Ok(value) = text.parse() {
                self.advance();
                return Ok(value);
            }
        }
        self.expected("a number")
    }

    /// The symbol of a name as written: bare, quoted, with or without its sigil.
    fn symbol(&mut self, raw: &[u8]) -> Symbol {
        if raw.first() == Some(&b'"') {
            let name = unquote(raw);
            return self.module.names.intern(&String::from_utf8_lossy(&name));
        }
        match std::str::from_utf8(raw) {
            Ok(name) => self.module.names.intern(name),
            Err(_) => {
                let name = String::from_utf8_lossy(raw).into_owned();
                self.module.names.intern(&name)
            }
        }
    }

    fn string(&mut self) -> Parse<String> {
        if self.tok != Tok::Str {
            return self.expected("a string");
        }
        let text = String::from_utf8_lossy(&unquote(self.text())).into_owned();
        self.advance();
        Ok(text)
    }

    fn global_name(&mut self) -> Parse<Symbol> {
        if self.tok != Tok::Global || self.end - self.start < 2 {
            return self.expected("a global name");
        }
        let raw = &self.lexer.text[self.start + 1..self.end];
        let name = self.symbol(raw);
        self.advance();
        Ok(name)
    }

    fn constant(&mut self, ty: TypeId, value: Const) -> ConstId {
        self.module.constants.push(Constant { ty, value })
    }

    /// Skips a balanced group that starts at the current token.
    fn skip_group(&mut self) -> Parse<()> {
        let mut depth = 0u32;
        loop {
            match self.tok {
                Tok::Punct(b'(' | b'{' | b'[' | b'<') => depth += 1,
                Tok::Punct(b')' | b'}' | b']' | b'>') => depth = depth.saturating_sub(1),
                Tok::Eof => return self.expected("a closing bracket"),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Skips the rest of the line the current token is on.
    fn skip_line(&mut self) {
        self.lexer.pos = self.start;
        self.lexer.skip_line();
        self.advance();
    }

    fn module(&mut self) -> Parse<()> {
        loop {
            match self.tok {
                Tok::Eof => return Ok(()),
                Tok::Global => self.global()?,
                Tok::Local => self.type_definition()?,
                Tok::Meta => self.metadata_definition(),
                Tok::Comdat | Tok::Punct(b'^') => self.skip_line(),
                Tok::Word => match self.text() {
                    b"define" => self.define()?,
                    b"declare" => self.declare()?,
                    b"target" => self.target()?,
                    b"source_filename" | b"uselistorder" | b"uselistorder_bb" => self.skip_line(),
                    b"attributes" => self.attribute_group()?,
                    b"module" => {
                        self.module.has_module_asm = true;
                        self.skip_line();
                    }
                    _ => return self.expected("a definition"),
                },
                _ => return self.expected("a definition"),
            }
        }
    }

    fn target(&mut self) -> Parse<()> {
        self.advance();
        let which = self.text().to_vec();
        self.advance();
        self.punct(b'=')?;
        let text = self.string()?;
        match which.as_slice() {
            b"datalayout" => self.module.layout = DataLayout::parse(&text),
            b"triple" => self.module.triple = text,
            _ => {}
        }
        Ok(())
    }

    fn attribute_group(&mut self) -> Parse<()> {
        self.advance();
        if self.tok != Tok::Hash {
            return self.expected("an attribute group");
        }
        self.advance();
        self.punct(b'=')?;
        if !self.is_punct(b'{') {
            return self.expected("`{`");
        }
        self.skip_group()
    }

    /// `!12 = …`: remembered by position, decoded when a location is asked for.
    fn metadata_definition(&mut self) {
        let digits = std::str::from_utf8(&self.text()[1..]).unwrap_or("");
        if let Ok(number) = digits.parse::<u32>() {
            self.module.debug.define(number, self.start as u32);
        }
        self.skip_line();
    }

    fn type_definition(&mut self) -> Parse<()> {
        let raw = &self.lexer.text[self.start + 1..self.end];
        let name = self.symbol(raw);
        self.advance();
        self.punct(b'=')?;
        self.word(b"type")?;
        if self.eat_word(b"opaque") {
            return Ok(());
        }
        let body = self.ty()?;
        self.module.types.set_body(name, body);
        Ok(())
    }

    fn global(&mut self) -> Parse<()> {
        let position = self.start as u32;
        let name = self.global_name()?;
        self.punct(b'=')?;
        let mut linkage = Linkage::External;
        let mut declared = false;
        let mut thread_local = false;
        loop {
            if self.tok != Tok::Word {
                return self.expected("`global`, `constant`, `alias` or `ifunc`");
            }
            match self.text() {
                b"global" | b"constant" => {
                    let constant = self.text() == b"constant";
                    self.advance();
                    let ty = self.ty()?;
                    let init = match declared {
                        true => None,
                        false => Some(self.const_value(ty)?),
                    };
                    let align = self.global_suffix()?;
                    self.module.globals.push(Global {
                        name,
                        ty,
                        init,
                        constant,
                        thread_local,
                        linkage,
                        align,
                        position,
                    });
                    return Ok(());
                }
                b"alias" | b"ifunc" => {
                    let ifunc = self.text() == b"ifunc";
                    self.advance();
                    let value_type = self.ty()?;
                    self.punct(b',')?;
                    let ty = self.ty()?;
                    let aliasee = self.const_value(ty)?;
                    self.global_suffix()?;
                    self.module.aliases.push(Alias {
                        name,
                        value_type,
                        aliasee,
                        linkage,
                        ifunc,
                    });
                    return Ok(());
                }
                other => {
                    declared |= matches!(other, b"external" | b"extern_weak");
                    thread_local |= other == b"thread_local";
                    if let Some(found) = linkage_word(other) {
                        linkage = found;
                    }
                    self.advance();
                    if self.is_punct(b'(') {
                        self.skip_group()?;
                    }
                }
            }
        }
    }

    /// `, section "…", comdat, align 8, !dbg !0 …`; returns the alignment.
    fn global_suffix(&mut self) -> Parse<u64> {
        let mut align = 0;
        while self.eat_punct(b',') {
            if self.eat_word(b"align") {
                align = self.number()?;
                continue;
            }
            match self.tok {
                Tok::Meta => {
                    self.advance();
                    self.skip_metadata()?;
                }
                Tok::Word => {
                    self.advance();
                    match self.tok {
                        Tok::Str => self.advance(),
                        Tok::Punct(b'(') => self.skip_group()?,
                        _ => {}
                    }
                }
                _ => return self.expected("a property of the global"),
            }
        }
        while self.tok == Tok::Hash {
            self.advance();
        }
        Ok(align)
    }

    /// A metadata node as an operand: `!12`, `!{…}`, `!"…"`, `!DIExpression(…)`.
    fn skip_metadata(&mut self) -> Parse<()> {
        match self.tok {
            Tok::Meta => {
                self.advance();
                if self.is_punct(b'(') {
                    self.skip_group()?;
                }
                Ok(())
            }
            Tok::Bang => {
                self.advance();
                if self.tok == Tok::Str {
                    self.advance();
                    return Ok(());
                }
                self.skip_group()
            }
            _ => self.expected("metadata"),
        }
    }
}

/// The linkage a keyword stands for.
fn linkage_word(word: &[u8]) -> Option<Linkage> {
    Some(match word {
        b"private" | b"internal" | b"linker_private" => Linkage::Internal,
        b"available_externally" => Linkage::AvailableExternally,
        b"linkonce" | b"linkonce_odr" | b"weak" | b"weak_odr" => Linkage::Weak,
        b"common" => Linkage::Common,
        b"appending" => Linkage::Appending,
        b"extern_weak" => Linkage::ExternWeak,
        b"external" => Linkage::External,
        _ => return None,
    })
}
