//! Attributes, flags, and operands inside functions.

use super::{Parse, Parser};
use crate::instruction::{Operand, Value};
use crate::lexer::Tok;
use crate::module::Extension;
use crate::types::TypeId;

/// The attributes of a value that matter.
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes {
    pub(super) byval: Option<TypeId>,
    pub(super) align: u64,
    pub(super) extension: Extension,
}

/// What an attribute says of the bits above a small number.
fn extension(word: &[u8]) -> Option<Extension> {
    match word {
        b"signext" => Some(Extension::Sign),
        b"zeroext" => Some(Extension::Zero),
        _ => None,
    }
}

impl Parser<'_> {
    /// Skips attributes up to the value (or whatever else follows) and keeps those that matter.
    pub(super) fn attributes(&mut self) -> Parse<Attributes> {
        let mut found = Attributes::default();
        loop {
            match self.tok {
                Tok::Word if !starts_value(self.text()) => {
                    let word = self.text();
                    self.advance();
                    if word == b"align" && self.tok == Tok::Int {
                        found.align = self.number()?;
                    } else if let Some(extension) = extension(word) {
                        found.extension = extension;
                    } else if self.is_punct(b'(') {
                        if word == b"byval" {
                            self.advance();
                            found.byval = Some(self.ty()?);
                            self.punct(b')')?;
                        } else {
                            self.skip_group()?;
                        }
                    }
                }
                Tok::Hash if self.at_attribute_group() => self.advance(),
                Tok::Str => {
                    self.advance();
                    if self.eat_punct(b'=') {
                        self.advance();
                    }
                }
                _ => return Ok(found),
            }
        }
    }

    /// Whether the current token is `#12`, not a debug record.
    pub(super) fn at_attribute_group(&self) -> bool {
        self.tok == Tok::Hash && self.text().get(1).is_some_and(u8::is_ascii_digit)
    }

    /// Skips `nsw`, `inbounds`, fast-math flags and their kind.
    pub(super) fn skip_flags(&mut self) {
        while self.tok == Tok::Word
            && matches!(
                self.text(),
                b"nsw"
                    | b"nuw"
                    | b"exact"
                    | b"disjoint"
                    | b"nneg"
                    | b"samesign"
                    | b"inbounds"
                    | b"nusw"
                    | b"fast"
                    | b"nnan"
                    | b"ninf"
                    | b"nsz"
                    | b"arcp"
                    | b"contract"
                    | b"afn"
                    | b"reassoc"
            )
        {
            self.advance();
        }
    }

    /// A value of a type that was read before.
    pub(super) fn operand(&mut self, ty: TypeId) -> Parse<Operand> {
        match self.tok {
            Tok::Local => {
                let position = self.start as u32;
                let local = self.local_ref()?;
                self.scope.uses.push((local, ty, position));
                Ok(Operand::Local(local))
            }
            _ if ty == self.module.types.metadata => {
                self.skip_metadata_value()?;
                Ok(Operand::Metadata)
            }
            _ => Ok(Operand::Const(self.const_value(ty)?)),
        }
    }

    /// A type and a value.
    pub(super) fn value(&mut self) -> Parse<Value> {
        let ty = self.ty()?;
        let operand = self.operand(ty)?;
        Ok(Value { ty, operand })
    }

    /// What follows `metadata` in an argument: a node, or a value with its type.
    fn skip_metadata_value(&mut self) -> Parse<()> {
        match self.tok {
            Tok::Meta | Tok::Bang => self.skip_metadata(),
            _ => {
                let ty = self.ty()?;
                self.operand(ty)?;
                Ok(())
            }
        }
    }

    /// `, !dbg !5, !tbaa !7` after an instruction; returns the debug location.
    pub(super) fn attachments(&mut self) -> Parse<u32> {
        let mut debug = u32::MAX;
        while self.is_punct(b',') {
            self.advance();
            if self.tok != Tok::Meta {
                return self.expected("metadata");
            }
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

    /// `, align 8, !dbg …`: the end of a memory instruction; returns the alignment and the debug location.
    pub(super) fn memory_suffix(&mut self) -> Parse<(u64, u32)> {
        let mut align = 0;
        while self.is_punct(b',') {
            let before = (self.lexer.pos, self.tok, self.start, self.end);
            self.advance();
            if self.eat_word(b"align") {
                align = self.number()?;
            } else if self.eat_word(b"addrspace") {
                self.skip_group()?;
            } else {
                (self.lexer.pos, self.tok, self.start, self.end) = before;
                break;
            }
        }
        Ok((align, self.attachments()?))
    }
}

/// Whether a keyword starts a value rather than being an attribute.
fn starts_value(word: &[u8]) -> bool {
    matches!(
        word,
        b"null"
            | b"undef"
            | b"poison"
            | b"zeroinitializer"
            | b"none"
            | b"true"
            | b"false"
            | b"getelementptr"
            | b"bitcast"
            | b"inttoptr"
            | b"ptrtoint"
            | b"ptrtoaddr"
            | b"addrspacecast"
            | b"trunc"
            | b"zext"
            | b"sext"
            | b"fptrunc"
            | b"fpext"
            | b"fptoui"
            | b"fptosi"
            | b"uitofp"
            | b"sitofp"
            | b"add"
            | b"sub"
            | b"mul"
            | b"shl"
            | b"lshr"
            | b"ashr"
            | b"and"
            | b"or"
            | b"xor"
            | b"icmp"
            | b"fcmp"
            | b"select"
            | b"blockaddress"
            | b"dso_local_equivalent"
            | b"no_cfi"
            | b"splat"
            | b"asm"
            | b"ptrauth"
            | b"extractelement"
            | b"insertelement"
            | b"shufflevector"
            | b"extractvalue"
            | b"insertvalue"
            | b"udiv"
            | b"sdiv"
            | b"urem"
            | b"srem"
            | b"to"
            | b"unwind"
            | b"x"
    ) || word.starts_with(b"u0x")
        || word.starts_with(b"s0x")
}
