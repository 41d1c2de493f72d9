//! Instructions.

use super::{Parse, Parser};
use crate::instruction::{
    AtomicOp, BinaryOp, CastOp, FloatPredicate, Inst, InstKind, IntPredicate, PadClause, Value,
};
use crate::lexer::Tok;
use crate::types::{Type, TypeId};

impl Parser<'_> {
    /// One instruction with its attachments; `None` for what is dropped (debug intrinsics).
    pub(super) fn instruction(&mut self) -> Parse<Option<Inst>> {
        if self.tok != Tok::Word {
            return self.expected("an instruction");
        }
        let position = self.start as u32;
        let word = self.text();
        self.advance();
        let void = self.module.types.void;
        let plain = |ty, kind| Inst {
            result: None,
            ty,
            kind,
            debug: u32::MAX,
            position,
        };
        let mut inst = if let Some(op) = binary_op(word) {
            self.skip_flags();
            let ty = self.ty()?;
            let a = self.operand(ty)?;
            self.punct(b',')?;
            let b = self.operand(ty)?;
            plain(ty, InstKind::Binary(op, a, b))
        } else if let Some(op) = cast_op(word) {
            self.skip_flags();
            let value = self.value()?;
            self.word(b"to")?;
            let ty = self.ty()?;
            plain(ty, InstKind::Cast(op, value))
        } else {
            match word {
                b"load" | b"store" | b"alloca" | b"getelementptr" | b"atomicrmw" | b"cmpxchg"
                | b"fence" => {
                    let (ty, kind) = self.memory(word)?;
                    let mut inst = plain(ty, kind);
                    let (align, debug) = self.memory_suffix()?;
                    inst.debug = debug;
                    if let InstKind::Alloca { align: slot, .. } = &mut inst.kind {
                        *slot = align;
                    }
                    return Ok(Some(inst));
                }
                b"call" | b"tail" | b"musttail" | b"notail" => {
                    if word != b"call" {
                        self.word(b"call")?;
                    }
                    let Some(call) = self.call()? else {
                        return Ok(None);
                    };
                    plain(call.result, InstKind::Call(Box::new(call)))
                }
                b"invoke" => {
                    let call = self.invoke()?;
                    plain(call.result, InstKind::Call(Box::new(call)))
                }
                b"br" | b"switch" | b"indirectbr" | b"ret" | b"unreachable" | b"resume" => {
                    plain(void, self.terminator(word)?)
                }
                _ => {
                    let (ty, kind) = self.other(word)?;
                    plain(ty, kind)
                }
            }
        };
        inst.debug = self.attachments()?;
        Ok(Some(inst))
    }

    fn skip_words(&mut self, words: &[&[u8]]) {
        while self.tok == Tok::Word && words.contains(&self.text()) {
            self.advance();
        }
    }

    /// `syncscope("…") seq_cst …`.
    fn ordering(&mut self) -> Parse<()> {
        const ORDERINGS: &[&[u8]] = &[
            b"unordered",
            b"monotonic",
            b"acquire",
            b"release",
            b"acq_rel",
            b"seq_cst",
        ];
        loop {
            if self.eat_word(b"syncscope") {
                self.skip_group()?;
            } else if self.tok == Tok::Word && ORDERINGS.contains(&self.text()) {
                self.advance();
            } else {
                return Ok(());
            }
        }
    }

    fn memory(&mut self, word: &[u8]) -> Parse<(TypeId, InstKind)> {
        let void = self.module.types.void;
        let pointer = self.module.types.pointer;
        match word {
            b"load" => {
                self.skip_words(&[b"atomic", b"volatile"]);
                let ty = self.ty()?;
                self.punct(b',')?;
                let from = self.value()?;
                self.ordering()?;
                Ok((ty, InstKind::Load(from.operand)))
            }
            b"store" => {
                self.skip_words(&[b"atomic", b"volatile"]);
                let value = self.value()?;
                self.punct(b',')?;
                let to = self.value()?;
                self.ordering()?;
                Ok((void, InstKind::Store(value, to.operand)))
            }
            b"alloca" => self.alloca(),
            b"getelementptr" => self.gep(),
            b"atomicrmw" => {
                self.skip_words(&[b"volatile"]);
                let op = match atomic_op(self.text()) {
                    Some(op) => op,
                    None => return self.expected("an operation Stet knows"),
                };
                self.advance();
                let to = self.value()?;
                self.punct(b',')?;
                let value = self.value()?;
                self.ordering()?;
                Ok((value.ty, InstKind::AtomicRmw(op, to.operand, value)))
            }
            b"cmpxchg" => {
                self.skip_words(&[b"weak", b"volatile"]);
                let to = self.value()?;
                self.punct(b',')?;
                let old = self.value()?;
                self.punct(b',')?;
                let new = self.value()?;
                self.ordering()?;
                let flag = self.module.types.int(1);
                let ty = self.module.types.intern(Type::Struct {
                    fields: Box::new([old.ty, flag]),
                    packed: false,
                });
                Ok((ty, InstKind::CmpXchg(to.operand, old, new.operand)))
            }
            _ => {
                debug_assert!(word == b"fence" && pointer != void);
                self.ordering()?;
                Ok((void, InstKind::Fence))
            }
        }
    }

    fn alloca(&mut self) -> Parse<(TypeId, InstKind)> {
        self.skip_words(&[b"inalloca", b"swifterror"]);
        let ty = self.ty()?;
        let mut count = None;
        if self.is_punct(b',') {
            let before = (self.lexer.pos, self.tok, self.start, self.end);
            self.advance();
            if self.at_type() {
                count = Some(self.value()?);
            } else {
                (self.lexer.pos, self.tok, self.start, self.end) = before;
            }
        }
        let pointer = self.module.types.pointer;
        Ok((
            pointer,
            InstKind::Alloca {
                ty,
                count,
                align: 0,
            },
        ))
    }

    fn gep(&mut self) -> Parse<(TypeId, InstKind)> {
        self.skip_flags();
        if self.eat_word(b"inrange") {
            self.skip_group()?;
        }
        let source = self.ty()?;
        self.punct(b',')?;
        let base = self.value()?;
        let mut indices = Vec::new();
        let mut ty = self.vector_of_pointers(base.ty);
        while self.is_punct(b',') {
            let before = (self.lexer.pos, self.tok, self.start, self.end);
            self.advance();
            if self.tok == Tok::Meta {
                (self.lexer.pos, self.tok, self.start, self.end) = before;
                break;
            }
            let index = self.value()?;
            ty = ty.or_else(|| self.vector_of_pointers(index.ty));
            indices.push(index);
        }
        let ty = ty.unwrap_or(self.module.types.pointer);
        let indices = indices.into_boxed_slice();
        Ok((
            ty,
            InstKind::Gep {
                source,
                base,
                indices,
            },
        ))
    }

    /// For a vector type the type of as many pointers.
    fn vector_of_pointers(&mut self, ty: TypeId) -> Option<TypeId> {
        let Type::Vector { len, .. } = *self.module.types.get(ty) else {
            return None;
        };
        let element = self.module.types.pointer;
        Some(self.module.types.intern(Type::Vector { len, element }))
    }

    fn terminator(&mut self, word: &[u8]) -> Parse<InstKind> {
        match word {
            b"br" => {
                if self.is_word(b"label") {
                    return Ok(InstKind::Br(self.label_ref()?));
                }
                let condition = self.value()?;
                if *self.module.types.get(condition.ty) != Type::Int(1) {
                    return self.fail("a branch needs a condition of type `i1`");
                }
                self.punct(b',')?;
                let yes = self.label_ref()?;
                self.punct(b',')?;
                let no = self.label_ref()?;
                Ok(InstKind::CondBr(condition.operand, yes, no))
            }
            b"switch" => {
                let value = self.value()?;
                self.punct(b',')?;
                let default = self.label_ref()?;
                self.punct(b'[')?;
                let mut cases = Vec::new();
                while !self.eat_punct(b']') {
                    let ty = self.ty()?;
                    if ty != value.ty {
                        return self.fail("a case has another type than the value");
                    }
                    let constant = self.const_value(ty)?;
                    self.punct(b',')?;
                    cases.push((constant, self.label_ref()?));
                }
                Ok(InstKind::Switch(value, default, cases.into_boxed_slice()))
            }
            b"indirectbr" => {
                let address = self.value()?;
                self.punct(b',')?;
                self.punct(b'[')?;
                let mut targets = Vec::new();
                while !self.eat_punct(b']') {
                    targets.push(self.label_ref()?);
                    self.eat_punct(b',');
                }
                Ok(InstKind::IndirectBr(
                    address.operand,
                    targets.into_boxed_slice(),
                ))
            }
            b"ret" => {
                let is_void = self.eat_word(b"void");
                let value = match is_void {
                    true => None,
                    false => Some(self.value()?),
                };
                let ty = value.map_or(self.module.types.void, |value| value.ty);
                if self.scope.result.is_some_and(|result| result != ty) {
                    return self.fail("the function returns another type");
                }
                Ok(InstKind::Ret(value))
            }
            b"resume" => {
                let value = self.value()?;
                Ok(InstKind::Resume(value))
            }
            _ => Ok(InstKind::Unreachable),
        }
    }

    fn other(&mut self, word: &[u8]) -> Parse<(TypeId, InstKind)> {
        match word {
            b"icmp" | b"fcmp" => self.compare(word),
            b"phi" => {
                self.skip_flags();
                let ty = self.ty()?;
                let mut incoming = Vec::new();
                loop {
                    self.punct(b'[')?;
                    let value = self.operand(ty)?;
                    self.punct(b',')?;
                    incoming.push((value, self.local_ref()?));
                    self.punct(b']')?;
                    let more = self.is_punct(b',') && self.followed_by_bracket();
                    if !more {
                        break;
                    }
                    self.advance();
                }
                Ok((ty, InstKind::Phi(incoming.into_boxed_slice())))
            }
            b"select" => {
                self.skip_flags();
                let condition = self.value()?;
                self.punct(b',')?;
                let a = self.value()?;
                self.punct(b',')?;
                let b = self.value()?;
                if a.ty != b.ty {
                    return self.fail("the values to choose from have different types");
                }
                Ok((a.ty, InstKind::Select(condition, a.operand, b.operand)))
            }
            b"fneg" => {
                self.skip_flags();
                let value = self.value()?;
                Ok((value.ty, InstKind::FNeg(value.operand)))
            }
            b"freeze" => {
                let value = self.value()?;
                Ok((value.ty, InstKind::Freeze(value)))
            }
            b"va_arg" => {
                let list = self.value()?;
                self.punct(b',')?;
                let ty = self.ty()?;
                Ok((ty, InstKind::VaArg(list.operand)))
            }
            b"extractvalue" | b"insertvalue" | b"extractelement" | b"insertelement"
            | b"shufflevector" => self.parts(word),
            b"landingpad" => {
                let ty = self.ty()?;
                let mut cleanup = false;
                let mut clauses = Vec::new();
                loop {
                    if self.eat_word(b"cleanup") {
                        cleanup = true;
                    } else if self.eat_word(b"catch") {
                        clauses.push(PadClause::Catch(self.value()?.operand));
                    } else if self.eat_word(b"filter") {
                        clauses.push(PadClause::Filter(self.value()?.operand));
                    } else {
                        let clauses = clauses.into_boxed_slice();
                        return Ok((ty, InstKind::LandingPad { cleanup, clauses }));
                    }
                }
            }
            _ => {
                let word = String::from_utf8_lossy(word).into_owned();
                self.fail(format!("`{word}` is not an instruction Stet reads"))
            }
        }
    }

    fn followed_by_bracket(&self) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.next().0 == Tok::Punct(b'[')
    }

    fn compare(&mut self, word: &[u8]) -> Parse<(TypeId, InstKind)> {
        self.skip_flags();
        let predicate = self.text();
        let int = int_predicate(predicate);
        let float = float_predicate(predicate);
        self.advance();
        let ty = self.ty()?;
        let a = self.operand(ty)?;
        self.punct(b',')?;
        let b = self.operand(ty)?;
        let flag = self.module.types.int(1);
        let result = match *self.module.types.get(ty) {
            Type::Vector { len, .. } => self
                .module
                .types
                .intern(Type::Vector { len, element: flag }),
            _ => flag,
        };
        match (word, int, float) {
            (b"icmp", Some(predicate), _) => Ok((result, InstKind::ICmp(predicate, ty, a, b))),
            (b"fcmp", _, Some(predicate)) => Ok((result, InstKind::FCmp(predicate, ty, a, b))),
            _ => self.fail("unknown comparison"),
        }
    }

    fn parts(&mut self, word: &[u8]) -> Parse<(TypeId, InstKind)> {
        let first = self.value()?;
        match word {
            b"extractvalue" => {
                let path = self.index_path()?;
                let Some(ty) = self.part_type(first.ty, &path) else {
                    return self.fail("there is no such part");
                };
                Ok((ty, InstKind::ExtractValue(first, path)))
            }
            b"insertvalue" => {
                self.punct(b',')?;
                let part = self.value()?;
                let path = self.index_path()?;
                if self.part_type(first.ty, &path).is_none() {
                    return self.fail("there is no such part");
                }
                Ok((first.ty, InstKind::InsertValue(first, part, path)))
            }
            b"extractelement" => {
                self.punct(b',')?;
                let index = self.value()?;
                let Type::Vector { element, .. } = *self.module.types.get(first.ty) else {
                    return self.fail("not a vector");
                };
                Ok((element, InstKind::ExtractElement(first, index)))
            }
            b"insertelement" => {
                self.punct(b',')?;
                let part = self.value()?;
                self.punct(b',')?;
                let index = self.value()?;
                Ok((first.ty, InstKind::InsertElement(first, part, index)))
            }
            _ => self.shuffle(first),
        }
    }

    fn shuffle(&mut self, first: Value) -> Parse<(TypeId, InstKind)> {
        use crate::constant::Const;
        self.punct(b',')?;
        let second = self.value()?;
        self.punct(b',')?;
        let mask_ty = self.ty()?;
        let mask = self.const_value(mask_ty)?;
        let (Type::Vector { len, .. }, Type::Vector { element, .. }) = (
            self.module.types.get(mask_ty),
            self.module.types.get(first.ty),
        ) else {
            return self.fail("not a vector");
        };
        let (len, element) = (*len, *element);
        if len > 1 << 16 {
            return self.fail("a vector this long is not supported");
        }
        let constants = &self.module.constants;
        let lane = |value: &Const| match value {
            Const::Int(value) => *value as i32,
            Const::Zero => 0,
            _ => -1,
        };
        let mask: Box<[i32]> = match &constants[mask].value {
            Const::Aggregate(lanes) => lanes.iter().map(|&id| lane(&constants[id].value)).collect(),
            Const::Splat(id) => vec![lane(&constants[*id].value); len as usize].into(),
            other => vec![lane(other); len as usize].into(),
        };
        let ty = self.module.types.intern(Type::Vector { len, element });
        Ok((ty, InstKind::Shuffle(first, second, mask)))
    }

    /// `, 0, 1 …` up to metadata or the end.
    fn index_path(&mut self) -> Parse<Box<[u32]>> {
        let mut path = Vec::new();
        while self.is_punct(b',') {
            let before = (self.lexer.pos, self.tok, self.start, self.end);
            self.advance();
            if self.tok == Tok::Meta {
                (self.lexer.pos, self.tok, self.start, self.end) = before;
                break;
            }
            let index = self.number()?;
            path.push(u32::try_from(index).unwrap_or(u32::MAX));
        }
        Ok(path.into_boxed_slice())
    }

    fn part_type(&self, mut ty: TypeId, path: &[u32]) -> Option<TypeId> {
        for &index in path {
            ty = match self.module.types.resolved(ty) {
                Type::Struct { fields, .. } => *fields.get(index as usize)?,
                Type::Array { len, element } if u64::from(index) < *len => *element,
                _ => return None,
            };
        }
        Some(ty)
    }
}

pub(super) fn binary_op(word: &[u8]) -> Option<BinaryOp> {
    Some(match word {
        b"add" => BinaryOp::Add,
        b"sub" => BinaryOp::Sub,
        b"mul" => BinaryOp::Mul,
        b"udiv" => BinaryOp::UDiv,
        b"sdiv" => BinaryOp::SDiv,
        b"urem" => BinaryOp::URem,
        b"srem" => BinaryOp::SRem,
        b"shl" => BinaryOp::Shl,
        b"lshr" => BinaryOp::LShr,
        b"ashr" => BinaryOp::AShr,
        b"and" => BinaryOp::And,
        b"or" => BinaryOp::Or,
        b"xor" => BinaryOp::Xor,
        b"fadd" => BinaryOp::FAdd,
        b"fsub" => BinaryOp::FSub,
        b"fmul" => BinaryOp::FMul,
        b"fdiv" => BinaryOp::FDiv,
        b"frem" => BinaryOp::FRem,
        _ => return None,
    })
}

pub(super) fn cast_op(word: &[u8]) -> Option<CastOp> {
    Some(match word {
        b"trunc" => CastOp::Trunc,
        b"zext" => CastOp::ZExt,
        b"sext" => CastOp::SExt,
        b"fptrunc" => CastOp::FpTrunc,
        b"fpext" => CastOp::FpExt,
        b"fptoui" => CastOp::FpToUi,
        b"fptosi" => CastOp::FpToSi,
        b"uitofp" => CastOp::UiToFp,
        b"sitofp" => CastOp::SiToFp,
        b"ptrtoint" | b"ptrtoaddr" => CastOp::PtrToInt,
        b"inttoptr" => CastOp::IntToPtr,
        b"bitcast" => CastOp::BitCast,
        b"addrspacecast" => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

pub(super) fn int_predicate(word: &[u8]) -> Option<IntPredicate> {
    Some(match word {
        b"eq" => IntPredicate::Eq,
        b"ne" => IntPredicate::Ne,
        b"ugt" => IntPredicate::Ugt,
        b"uge" => IntPredicate::Uge,
        b"ult" => IntPredicate::Ult,
        b"ule" => IntPredicate::Ule,
        b"sgt" => IntPredicate::Sgt,
        b"sge" => IntPredicate::Sge,
        b"slt" => IntPredicate::Slt,
        b"sle" => IntPredicate::Sle,
        _ => return None,
    })
}

fn float_predicate(word: &[u8]) -> Option<FloatPredicate> {
    Some(match word {
        b"false" => FloatPredicate::False,
        b"oeq" => FloatPredicate::Oeq,
        b"ogt" => FloatPredicate::Ogt,
        b"oge" => FloatPredicate::Oge,
        b"olt" => FloatPredicate::Olt,
        b"ole" => FloatPredicate::Ole,
        b"one" => FloatPredicate::One,
        b"ord" => FloatPredicate::Ord,
        b"uno" => FloatPredicate::Uno,
        b"ueq" => FloatPredicate::Ueq,
        b"ugt" => FloatPredicate::Ugt,
        b"uge" => FloatPredicate::Uge,
        b"ult" => FloatPredicate::Ult,
        b"ule" => FloatPredicate::Ule,
        b"une" => FloatPredicate::Une,
        b"true" => FloatPredicate::True,
        _ => return None,
    })
}

fn atomic_op(word: &[u8]) -> Option<AtomicOp> {
    Some(match word {
        b"xchg" => AtomicOp::Xchg,
        b"add" => AtomicOp::Add,
        b"sub" => AtomicOp::Sub,
        b"and" => AtomicOp::And,
        b"nand" => AtomicOp::Nand,
        b"or" => AtomicOp::Or,
        b"xor" => AtomicOp::Xor,
        b"max" => AtomicOp::Max,
        b"min" => AtomicOp::Min,
        b"umax" => AtomicOp::UMax,
        b"umin" => AtomicOp::UMin,
        b"fadd" => AtomicOp::FAdd,
        b"fsub" => AtomicOp::FSub,
        _ => return None,
    })
}
