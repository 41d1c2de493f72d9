//! Function headers, blocks, and the names inside a function.

use super::{Parse, Parser, linkage_word};
use crate::instruction::InstKind;
use crate::lexer::Tok;
use crate::module::{Block, BlockId, Body, Function, Linkage, LocalId, Param};
use crate::types::TypeId;
use stet_base::{FastMap, IdVec, Index, Symbol};

/// The names of the function being read.
#[derive(Default)]
pub(super) struct Scope<'a> {
    named: FastMap<&'a [u8], LocalId>,
    numbered: Vec<Option<LocalId>>,
    next_number: usize,
    locals: Vec<Local>,
    /// The values that were used, each with the type that was written before it and the place.
    pub(super) uses: Vec<(LocalId, TypeId, u32)>,
    /// What the function returns.
    pub(super) result: Option<TypeId>,
}

/// A name of a function.
struct Local {
    /// Where it was first mentioned.
    position: u32,
    /// The type of its definition, once that was read.
    ty: Option<TypeId>,
}

impl<'a> Scope<'a> {
    fn clear(&mut self) {
        self.named.clear();
        self.numbered.clear();
        self.next_number = 0;
        self.locals.clear();
        self.uses.clear();
        self.result = None;
    }

    fn fresh(&mut self, position: u32) -> LocalId {
        let id = LocalId::from_index(self.locals.len());
        self.locals.push(Local { position, ty: None });
        id
    }

    /// The local of a name without its sigil.
    fn lookup(&mut self, raw: &'a [u8], position: u32) -> LocalId {
        match as_number(raw) {
            Some(number) => self.lookup_number(number, position),
            None => {
                let name = strip_quotes(raw);
                if let Some(&id) = self.named.get(name) {
                    return id;
                }
                let id = self.fresh(position);
                self.named.insert(name, id);
                id
            }
        }
    }

    fn lookup_number(&mut self, number: usize, position: u32) -> LocalId {
        if number >= self.numbered.len() {
            self.numbered.resize(number + 1, None);
        }
        match self.numbered[number] {
            Some(id) => id,
            None => {
                let id = self.fresh(position);
                self.numbered[number] = Some(id);
                id
            }
        }
    }
}

fn as_number(raw: &[u8]) -> Option<usize> {
    if raw.is_empty() || raw.len() > 7 || !raw.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(raw.iter().fold(0, |n, &d| n * 10 + usize::from(d - b'0')))
}

fn strip_quotes(raw: &[u8]) -> &[u8] {
    match raw {
        [b'"', inner @ .., b'"'] => inner,
        _ => raw,
    }
}

/// What precedes a body.
struct Header {
    name: Symbol,
    function: Function,
}

impl<'a> Parser<'a> {
    /// The local a use refers to.
    pub(super) fn local_ref(&mut self) -> Parse<LocalId> {
        let raw = &self.lexer.text[(self.start + 1).min(self.end)..self.end];
        if self.tok != Tok::Local || raw.is_empty() {
            return self.expected("a local value");
        }
        let id = self.scope.lookup(raw, self.start as u32);
        self.advance();
        Ok(id)
    }

    /// `label %x`.
    pub(super) fn label_ref(&mut self) -> Parse<LocalId> {
        self.word(b"label")?;
        self.local_ref()
    }

    fn define_local(&mut self, raw: &'a [u8], ty: TypeId) -> Parse<LocalId> {
        let id = self.scope.lookup(raw, self.start as u32);
        if let Some(number) = as_number(raw) {
            self.scope.next_number = number + 1;
        }
        self.mark_defined(id, ty)
    }

    /// Defines a value or block without a name: it takes the next number.
    pub(super) fn define_unnamed(&mut self, ty: TypeId) -> Parse<LocalId> {
        let number = self.scope.next_number;
        let id = self.scope.lookup_number(number, self.start as u32);
        self.scope.next_number += 1;
        self.mark_defined(id, ty)
    }

    fn mark_defined(&mut self, id: LocalId, ty: TypeId) -> Parse<LocalId> {
        let local = &mut self.scope.locals[id.index()];
        if local.ty.replace(ty).is_some() {
            return self.fail("this name is defined twice");
        }
        Ok(id)
    }

    pub(super) fn declare(&mut self) -> Parse<()> {
        let header = self.header(false)?;
        self.module.functions.push(header.function);
        Ok(())
    }

    pub(super) fn define(&mut self) -> Parse<()> {
        let header = self.header(true)?;
        let mut function = header.function;
        debug_assert_eq!(header.name, function.name);
        function.body = Some(self.body()?);
        self.module.functions.push(function);
        Ok(())
    }

    fn header(&mut self, defining: bool) -> Parse<Header> {
        let position = self.start as u32;
        self.advance();
        self.scope.clear();
        let mut debug = self.skip_debug_attachment(u32::MAX)?;
        let mut linkage = Linkage::External;
        while !self.at_type() {
            match self.tok {
                Tok::Word => {
                    let word = self.text();
                    if let Some(found) = linkage_word(word) {
                        linkage = found;
                    }
                    self.advance();
                    if self.is_punct(b'(') {
                        self.skip_group()?;
                    } else if self.tok == Tok::Int {
                        self.advance();
                    }
                }
                Tok::Str => {
                    self.attributes()?;
                }
                Tok::Hash if self.at_attribute_group() => self.advance(),
                _ => return self.expected("a result type"),
            }
        }
        let result = self.ty()?;
        let name = self.global_name()?;
        let (params, varargs) = self.params(defining)?;
        self.scope.result = Some(result);
        debug = self.header_suffix(debug)?;
        Ok(Header {
            name,
            function: Function {
                name,
                result,
                params,
                varargs,
                linkage,
                body: None,
                debug,
                position,
            },
        })
    }

    fn params(&mut self, defining: bool) -> Parse<(Vec<Param>, bool)> {
        self.punct(b'(')?;
        let mut params = Vec::new();
        let mut varargs = false;
        if !self.eat_punct(b')') {
            loop {
                if self.tok == Tok::Dots {
                    self.advance();
                    varargs = true;
                    break;
                }
                let ty = self.ty()?;
                let attributes = self.attributes()?;
                let local = match self.tok {
                    Tok::Local => {
                        let raw = &self.lexer.text[self.start + 1..self.end];
                        let id = self.define_local(raw, ty)?;
                        self.advance();
                        Some(id)
                    }
                    _ if defining => Some(self.define_unnamed(ty)?),
                    _ => None,
                };
                params.push(Param {
                    ty,
                    local,
                    byval: attributes.byval,
                    align: attributes.align,
                });
                if !self.eat_punct(b',') {
                    break;
                }
            }
            self.punct(b')')?;
        }
        Ok((params, varargs))
    }

    /// Everything between the parameters and the body, or the next definition.
    fn header_suffix(&mut self, mut debug: u32) -> Parse<u32> {
        loop {
            match self.tok {
                Tok::Hash => self.advance(),
                Tok::Str => {
                    self.advance();
                    if self.eat_punct(b'=') {
                        self.advance();
                    }
                }
                Tok::Meta if self.text() == b"!dbg" || !self.at_metadata_definition() => {
                    debug = self.skip_debug_attachment(debug)?;
                }
                Tok::Word => match self.text() {
                    b"define" | b"declare" | b"attributes" | b"target" | b"source_filename"
                    | b"module" | b"uselistorder" | b"uselistorder_bb" => return Ok(debug),
                    b"prefix" | b"prologue" | b"personality" => {
                        self.advance();
                        let ty = self.ty()?;
                        self.const_value(ty)?;
                    }
                    b"align" | b"section" | b"gc" | b"partition" => {
                        self.advance();
                        match self.tok {
                            Tok::Punct(b'(') => self.skip_group()?,
                            _ => self.advance(),
                        }
                    }
                    _ => {
                        self.advance();
                        if self.is_punct(b'(') {
                            self.skip_group()?;
                        }
                    }
                },
                _ => return Ok(debug),
            }
        }
    }

    /// Whether the current metadata name is followed by `=`.
    fn at_metadata_definition(&self) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.next().0 == Tok::Punct(b'=')
    }

    /// `!dbg !5` and other attachments of a function.
    fn skip_debug_attachment(&mut self, mut debug: u32) -> Parse<u32> {
        while self.tok == Tok::Meta && !self.at_metadata_definition() {
            let is_debug = self.text() == b"!dbg";
            self.advance();
            if is_debug && self.tok == Tok::Meta {
                let digits = std::str::from_utf8(&self.text()[1..]).unwrap_or("");
                debug = digits.parse().unwrap_or(u32::MAX);
            }
            self.skip_metadata()?;
        }
        Ok(debug)
    }

    fn body(&mut self) -> Parse<Body> {
        self.punct(b'{')?;
        let mut blocks: IdVec<BlockId, Block> = IdVec::new();
        let mut block_names = Vec::new();
        let mut open = false;
        loop {
            match self.tok {
                Tok::Punct(b'}') => break,
                Tok::Eof => return self.expected("`}`"),
                Tok::Hash => self.skip_line(),
                Tok::Word if self.text().starts_with(b"uselistorder") => self.skip_line(),
                Tok::Label => {
                    if open {
                        return self.fail("the block before this label has no terminator");
                    }
                    let raw = self.text();
                    let label = self.define_local(raw, self.module.types.label)?;
                    let name = self.symbol(raw);
                    block_names.push((name, blocks.next_id()));
                    blocks.push(Block {
                        label,
                        insts: Vec::new(),
                    });
                    open = true;
                    self.advance();
                }
                _ => {
                    if !open {
                        let number = self.scope.next_number.to_string();
                        let label = self.define_unnamed(self.module.types.label)?;
                        let name = self.module.names.intern(&number);
                        block_names.push((name, blocks.next_id()));
                        blocks.push(Block {
                            label,
                            insts: Vec::new(),
                        });
                    }
                    open = !self.statement(&mut blocks)?;
                }
            }
        }
        if open || blocks.is_empty() {
            return self.fail("the last block has no terminator");
        }
        let body = self.finish_body(blocks, block_names)?;
        self.advance();
        Ok(body)
    }

    /// One instruction; whether it ends its block.
    fn statement(&mut self, blocks: &mut IdVec<BlockId, Block>) -> Parse<bool> {
        let last = BlockId::from_index(blocks.len() - 1);
        let named = match self.tok {
            Tok::Local => {
                let raw = &self.lexer.text[self.start + 1..self.end];
                let (start, end) = (self.start, self.end);
                self.advance();
                self.punct(b'=')?;
                Some((raw, start, end))
            }
            _ => None,
        };
        let Some(mut inst) = self.instruction()? else {
            return Ok(false);
        };
        if inst.ty != self.module.types.void {
            let id = match named {
                Some((raw, ..)) => self.define_local(raw, inst.ty)?,
                None => self.define_unnamed(inst.ty)?,
            };
            inst.result = Some(id);
        } else if let Some((_, start, end)) = named {
            (self.start, self.end) = (start, end);
            return self.fail("an instruction without a result cannot be named");
        }
        let ends = match &inst.kind {
            InstKind::Call(call) => call.invoke.is_some(),
            kind => is_terminator(kind),
        };
        blocks[last].insts.push(inst);
        Ok(ends)
    }

    /// Makes the token at a place the current one; its text.
    fn return_to(&mut self, position: u32) -> String {
        let mut lexer = self.lexer.clone();
        lexer.pos = position as usize;
        let (_, start, end) = lexer.next();
        (self.start, self.end) = (start, end);
        String::from_utf8_lossy(self.text()).into_owned()
    }

    fn finish_body(
        &mut self,
        blocks: IdVec<BlockId, Block>,
        block_names: Vec<(Symbol, BlockId)>,
    ) -> Parse<Body> {
        let undefined = self.scope.locals.iter().find(|local| local.ty.is_none());
        if let Some(local) = undefined {
            let name = self.return_to(local.position);
            return self.fail(format!("`{name}` is used but not defined"));
        }
        let locals = &self.scope.locals;
        let differs =
            |&&(local, ty, _): &&(LocalId, TypeId, u32)| locals[local.index()].ty != Some(ty);
        if let Some(&(_, _, position)) = self.scope.uses.iter().find(differs) {
            let name = self.return_to(position);
            return self.fail(format!("`{name}` is defined with another type"));
        }
        let mut block_of = vec![None; self.scope.locals.len()];
        for (id, block) in blocks.iter() {
            block_of[block.label.index()] = Some(id);
        }
        let body = Body {
            locals: self.scope.locals.len() as u32,
            blocks,
            block_of,
            block_names,
        };
        match misused_label(&body) {
            true => {
                self.fail("a value is used as a label, or a label as a value, in this function")
            }
            false => Ok(body),
        }
    }
}

fn is_terminator(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Br(_)
            | InstKind::CondBr(..)
            | InstKind::Switch(..)
            | InstKind::IndirectBr(..)
            | InstKind::Ret(_)
            | InstKind::Unreachable
            | InstKind::Resume(_)
    )
}

/// Whether some branch goes to a local that is not a block.
fn misused_label(body: &Body) -> bool {
    let bad = |local: &LocalId| body.block_of[local.index()].is_none();
    body.blocks.iter().any(|(_, block)| {
        block.insts.iter().any(|inst| match &inst.kind {
            InstKind::Br(target) => bad(target),
            InstKind::CondBr(_, a, b) => bad(a) || bad(b),
            InstKind::Switch(_, default, cases) => {
                bad(default) || cases.iter().any(|(_, to)| bad(to))
            }
            InstKind::IndirectBr(_, targets) => targets.iter().any(bad),
            InstKind::Phi(incoming) => incoming.iter().any(|(_, from)| bad(from)),
            InstKind::Call(call) => call.invoke.is_some_and(|(a, b)| bad(&a) || bad(&b)),
            _ => false,
        })
    })
}
