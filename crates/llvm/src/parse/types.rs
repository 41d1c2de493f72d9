//! Types.

use super::{MAX_DEPTH, Parse, Parser};
use crate::lexer::Tok;
use crate::types::{FloatKind, Type, TypeId};

impl Parser<'_> {
    /// Whether the current token can start a type.
    pub(super) fn at_type(&self) -> bool {
        match self.tok {
            Tok::Local | Tok::Punct(b'[' | b'{' | b'<') => true,
            Tok::Word => {
                let word = self.text();
                int_width(word).is_some()
                    || float_kind(word).is_some()
                    || matches!(
                        word,
                        b"ptr"
                            | b"void"
                            | b"label"
                            | b"metadata"
                            | b"token"
                            | b"target"
                            | b"opaque"
                            | b"x86_mmx"
                            | b"x86_amx"
                    )
            }
            _ => false,
        }
    }

    pub(super) fn ty(&mut self) -> Parse<TypeId> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("nested too deeply");
        }
        let mut ty = self.base_type()?;
        loop {
            match self.tok {
                Tok::Punct(b'*') => {
                    self.advance();
                    ty = self.module.types.pointer;
                }
                Tok::Punct(b'(') => ty = self.function_type(ty)?,
                Tok::Word if self.text() == b"addrspace" => {
                    self.advance();
                    self.skip_group()?;
                }
                _ => break,
            }
        }
        self.depth -= 1;
        Ok(ty)
    }

    fn base_type(&mut self) -> Parse<TypeId> {
        match self.tok {
            Tok::Word => self.word_type(),
            Tok::Local => {
                let raw = &self.lexer.text[self.start + 1..self.end];
                let name = self.symbol(raw);
                self.advance();
                Ok(self.module.types.intern(Type::Named(name)))
            }
            Tok::Punct(b'[') => {
                self.advance();
                let len = self.number()?;
                self.word(b"x")?;
                let element = self.ty()?;
                self.punct(b']')?;
                Ok(self.module.types.intern(Type::Array { len, element }))
            }
            Tok::Punct(b'{') => self.struct_type(false),
            Tok::Punct(b'<') => {
                self.advance();
                if self.is_punct(b'{') {
                    let ty = self.struct_type(true)?;
                    self.punct(b'>')?;
                    return Ok(ty);
                }
                self.vector_type()
            }
            _ => self.expected("a type"),
        }
    }

    fn vector_type(&mut self) -> Parse<TypeId> {
        let scalable = self.eat_word(b"vscale");
        if scalable {
            self.word(b"x")?;
        }
        let len = self.number()?;
        self.word(b"x")?;
        let element = self.ty()?;
        self.punct(b'>')?;
        if scalable {
            let name = self.module.names.intern("scalable vector");
            return Ok(self.module.types.intern(Type::Unsupported(name)));
        }
        Ok(self.module.types.intern(Type::Vector { len, element }))
    }

    fn word_type(&mut self) -> Parse<TypeId> {
        let word = self.text();
        let ty = if let Some(width) = int_width(word) {
            if width == 0 || width > 1 << 23 {
                return self.fail("an integer type of this width does not exist");
            }
            self.module.types.int(width)
        } else if let Some(kind) = float_kind(word) {
            self.module.types.intern(Type::Float(kind))
        } else {
            match word {
                b"ptr" => self.module.types.pointer,
                b"void" => self.module.types.void,
                b"label" => self.module.types.label,
                b"metadata" => self.module.types.metadata,
                b"token" => self.module.types.intern(Type::Token),
                b"opaque" | b"x86_mmx" | b"x86_amx" => {
                    let name = self.symbol(word);
                    self.module.types.intern(Type::Unsupported(name))
                }
                b"target" => {
                    self.advance();
                    self.skip_group()?;
                    let name = self.module.names.intern("target type");
                    return Ok(self.module.types.intern(Type::Unsupported(name)));
                }
                _ => return self.expected("a type"),
            }
        };
        self.advance();
        Ok(ty)
    }

    fn struct_type(&mut self, packed: bool) -> Parse<TypeId> {
        self.punct(b'{')?;
        let mut fields = Vec::new();
        if !self.eat_punct(b'}') {
            loop {
                fields.push(self.ty()?);
                if !self.eat_punct(b',') {
                    break;
                }
            }
            self.punct(b'}')?;
        }
        let fields = fields.into_boxed_slice();
        Ok(self.module.types.intern(Type::Struct { fields, packed }))
    }

    fn function_type(&mut self, result: TypeId) -> Parse<TypeId> {
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
                params.push(self.ty()?);
                self.attributes()?;
                if !self.eat_punct(b',') {
                    break;
                }
            }
            self.punct(b')')?;
        }
        let params = params.into_boxed_slice();
        Ok(self.module.types.intern(Type::Function {
            result,
            params,
            varargs,
        }))
    }
}

fn int_width(word: &[u8]) -> Option<u32> {
    let [b'i', digits @ ..] = word else {
        return None;
    };
    if digits.is_empty() || digits.len() > 8 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |n, &d| n * 10 + u32::from(d - b'0')))
}

fn float_kind(word: &[u8]) -> Option<FloatKind> {
    Some(match word {
        b"half" => FloatKind::Half,
        b"bfloat" => FloatKind::BFloat,
        b"float" => FloatKind::Float,
        b"double" => FloatKind::Double,
        b"x86_fp80" => FloatKind::X86Fp80,
        b"fp128" => FloatKind::Fp128,
        b"ppc_fp128" => FloatKind::PpcFp128,
        _ => return None,
    })
}
