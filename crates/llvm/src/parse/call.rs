//! Calls and invocations; calls of debug intrinsics are dropped.

use super::{Parse, Parser};
use crate::instruction::{Call, CallArg, Callee};
use crate::lexer::{Tok, unquote};
use crate::types::{Type, TypeId};

impl Parser<'_> {
    /// What follows `call`; `None` for a debug intrinsic.
    pub(super) fn call(&mut self) -> Parse<Option<Call>> {
        let result = self.call_result()?;
        if self.tok == Tok::Global && self.text().starts_with(b"@llvm.dbg.") {
            self.skip_line();
            return Ok(None);
        }
        let callee = self.callee()?;
        let args = self.args()?;
        self.call_suffix()?;
        Ok(Some(Call {
            callee,
            result,
            args,
            invoke: None,
        }))
    }

    pub(super) fn invoke(&mut self) -> Parse<Call> {
        let result = self.call_result()?;
        let callee = self.callee()?;
        let args = self.args()?;
        self.call_suffix()?;
        self.word(b"to")?;
        let normal = self.label_ref()?;
        self.word(b"unwind")?;
        let unwind = self.label_ref()?;
        Ok(Call {
            callee,
            result,
            args,
            invoke: Some((normal, unwind)),
        })
    }

    /// Flags, calling convention, attributes and the result type; a full function type gives its result.
    fn call_result(&mut self) -> Parse<TypeId> {
        while !self.at_type() {
            match self.tok {
                Tok::Word => {
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
        let ty = self.ty()?;
        Ok(match self.module.types.get(ty) {
            Type::Function { result, .. } => *result,
            _ => ty,
        })
    }

    fn callee(&mut self) -> Parse<Callee> {
        if !self.eat_word(b"asm") {
            let pointer = self.module.types.pointer;
            return Ok(Callee::Value(self.operand(pointer)?));
        }
        while self.tok == Tok::Word {
            self.advance();
        }
        let code = String::from_utf8_lossy(&unquote(self.text())).into_owned();
        self.advance();
        self.punct(b',')?;
        let constraints = String::from_utf8_lossy(&unquote(self.text())).into_owned();
        self.advance();
        Ok(Callee::Asm {
            code: self.module.names.intern(&code),
            constraints: self.module.names.intern(&constraints),
        })
    }

    fn args(&mut self) -> Parse<Box<[CallArg]>> {
        self.punct(b'(')?;
        let mut args = Vec::new();
        if !self.eat_punct(b')') {
            loop {
                if self.tok == Tok::Dots {
                    self.advance();
                    break;
                }
                let ty = self.ty()?;
                let attributes = if ty == self.module.types.metadata {
                    Default::default()
                } else {
                    self.attributes()?
                };
                let operand = self.operand(ty)?;
                args.push(CallArg {
                    value: crate::instruction::Value { ty, operand },
                    byval: attributes.byval,
                    align: attributes.align,
                    extension: attributes.extension,
                });
                if !self.eat_punct(b',') {
                    break;
                }
            }
            self.punct(b')')?;
        }
        Ok(args.into_boxed_slice())
    }

    /// Function attributes and operand bundles.
    fn call_suffix(&mut self) -> Parse<()> {
        loop {
            match self.tok {
                Tok::Hash if self.at_attribute_group() => self.advance(),
                Tok::Str => {
                    self.advance();
                    if self.eat_punct(b'=') {
                        self.advance();
                    }
                }
                Tok::Word if is_call_attribute(self.text()) => {
                    self.advance();
                    if self.is_punct(b'(') {
                        self.skip_group()?;
                    }
                }
                Tok::Punct(b'[') => self.skip_group()?,
                _ => return Ok(()),
            }
        }
    }
}

/// Words that may follow the arguments of a call on the same line.
fn is_call_attribute(word: &[u8]) -> bool {
    matches!(
        word,
        b"nounwind"
            | b"noreturn"
            | b"readnone"
            | b"readonly"
            | b"memory"
            | b"builtin"
            | b"nobuiltin"
            | b"cold"
            | b"willreturn"
            | b"convergent"
            | b"noinline"
            | b"alwaysinline"
            | b"nomerge"
            | b"returns_twice"
            | b"argmemonly"
            | b"writeonly"
            | b"inaccessiblememonly"
            | b"strictfp"
            | b"allocsize"
            | b"mustprogress"
            | b"nosync"
            | b"nofree"
            | b"nocallback"
            | b"speculatable"
            | b"uwtable"
            | b"hot"
            | b"minsize"
            | b"optsize"
            | b"noduplicate"
            | b"inaccessiblemem_or_argmemonly"
            | b"norecurse"
            | b"nocf_check"
            | b"nobuiltins"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_a_call_do_not_swallow_the_next_instruction() {
        assert!(is_call_attribute(b"nounwind"));
        assert!(!is_call_attribute(b"store") && !is_call_attribute(b"ret"));
    }
}
