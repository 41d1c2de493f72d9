//! Constants and constant expressions.

use super::{MAX_DEPTH, Parse, Parser};
use crate::constant::{Const, ConstId};
use crate::lexer::{Tok, unquote};
use crate::parse::instruction::{binary_op, cast_op, int_predicate};
use crate::types::{FloatKind, Type, TypeId};

impl Parser<'_> {
    /// A type and a constant of it.
    fn typed_const(&mut self) -> Parse<ConstId> {
        let ty = self.ty()?;
        self.attributes()?;
        self.const_value(ty)
    }

    /// A constant of a given type.
    pub(super) fn const_value(&mut self, ty: TypeId) -> Parse<ConstId> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("nested too deeply");
        }
        let constant = self.const_inner(ty)?;
        self.depth -= 1;
        Ok(constant)
    }

    fn const_inner(&mut self, ty: TypeId) -> Parse<ConstId> {
        match self.tok {
            Tok::Int => self.int_literal(ty),
            Tok::Float => self.float_literal(ty),
            Tok::Global => {
                let name = self.global_name()?;
                if let Some(&known) = self.global_refs.get(&name) {
                    return Ok(known);
                }
                let id = self.constant(ty, Const::Global(name));
                self.global_refs.insert(name, id);
                Ok(id)
            }
            Tok::CStr => {
                let bytes = unquote(self.text()).into_boxed_slice();
                self.advance();
                Ok(self.constant(ty, Const::Bytes(bytes)))
            }
            Tok::Punct(b'{') => self.aggregate(ty, b'{', b'}'),
            Tok::Punct(b'[') => self.aggregate(ty, b'[', b']'),
            Tok::Punct(b'<') => {
                self.advance();
                if self.is_punct(b'{') {
                    let id = self.aggregate(ty, b'{', b'}')?;
                    self.punct(b'>')?;
                    return Ok(id);
                }
                let elements = self.elements(b'>')?;
                Ok(self.constant(ty, Const::Aggregate(elements)))
            }
            Tok::Word => self.word_const(ty),
            Tok::Meta | Tok::Bang => {
                self.skip_metadata()?;
                Ok(self.constant(ty, Const::Undef))
            }
            _ => self.expected("a constant"),
        }
    }

    fn aggregate(&mut self, ty: TypeId, open: u8, close: u8) -> Parse<ConstId> {
        self.punct(open)?;
        let elements = self.elements(close)?;
        Ok(self.constant(ty, Const::Aggregate(elements)))
    }

    /// Typed constants up to and including the closing bracket.
    fn elements(&mut self, close: u8) -> Parse<Box<[ConstId]>> {
        let mut elements = Vec::new();
        if !self.eat_punct(close) {
            loop {
                elements.push(self.typed_const()?);
                if !self.eat_punct(b',') {
                    break;
                }
            }
            self.punct(close)?;
        }
        Ok(elements.into_boxed_slice())
    }

    fn int_literal(&mut self, ty: TypeId) -> Parse<ConstId> {
        let width = match self.module.types.get(ty) {
            Type::Int(width) => *width,
            Type::Float(_) => return self.float_literal(ty),
            Type::Pointer | Type::Metadata => 64,
            _ => return self.fail("an integer where the type asks for something else"),
        };
        let text = self.text();
        let (negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        if width > 128 && (width > WIDEST || digits.len() > WIDEST as usize) {
            let name = self.module.names.intern("very wide integer constant");
            self.advance();
            return Ok(self.constant(ty, Const::Unsupported(name)));
        }
        if width > 128 {
            let words = wide_integer(negative, digits, width);
            self.advance();
            let fits = words[2..].iter().all(|&word| word == 0);
            let low = u128::from(words[0]) | u128::from(words[1]) << 64;
            return Ok(match fits {
                true => self.int_const(ty, width, low),
                false => self.constant(ty, Const::WideInt(words)),
            });
        }
        // What is beyond the width of the type is dropped below.
        let digit = |value: u128, &digit: &u8| {
            value
                .wrapping_mul(10)
                .wrapping_add(u128::from(digit.wrapping_sub(b'0')))
        };
        let mut value = digits.iter().fold(0, digit);
        if negative {
            value = value.wrapping_neg();
        }
        self.advance();
        Ok(self.int_const(ty, width, value))
    }

    fn int_const(&mut self, ty: TypeId, width: u32, value: u128) -> ConstId {
        let value = match width {
            0..=127 => value & ((1 << width) - 1),
            _ => value,
        };
        if let Some(&id) = self.ints.get(&(ty, value)) {
            return id;
        }
        let id = self.constant(ty, Const::Int(value));
        self.ints.insert((ty, value), id);
        id
    }

    fn float_literal(&mut self, ty: TypeId) -> Parse<ConstId> {
        let kind = match self.module.types.get(ty) {
            Type::Float(kind) => *kind,
            _ => {
                return self.fail("a floating-point number where the type asks for something else");
            }
        };
        let text = self.text();
        let bits = match text {
            [b'0', b'x', digits @ ..] => hexadecimal_float(kind, digits),
            _ => {
                let text = std::str::from_utf8(text).unwrap_or("");
                text.parse::<f64>()
                    .ok()
                    .and_then(|value| from_double(kind, value))
            }
        };
        let Some(bits) = bits else {
            return self.fail("not a floating-point number");
        };
        self.advance();
        Ok(self.constant(ty, Const::Float(bits)))
    }

    /// Constants without content, one per type.
    fn plain_const(&mut self, ty: TypeId, value: Const) -> ConstId {
        let tag = match value {
            Const::Null => 0,
            Const::Undef => 1,
            Const::Poison => 2,
            _ => 3,
        };
        if let Some(&id) = self.plain.get(&(ty, tag)) {
            return id;
        }
        let id = self.constant(ty, value);
        self.plain.insert((ty, tag), id);
        id
    }

    fn word_const(&mut self, ty: TypeId) -> Parse<ConstId> {
        let word = self.text();
        let plain = match word {
            b"null" => Const::Null,
            b"undef" => Const::Undef,
            b"poison" => Const::Poison,
            b"zeroinitializer" | b"none" => Const::Zero,
            b"true" | b"false" => {
                self.advance();
                return Ok(self.int_const(ty, 1, u128::from(word == b"true")));
            }
            _ => return self.const_expression(ty),
        };
        self.advance();
        Ok(self.plain_const(ty, plain))
    }

    fn const_expression(&mut self, ty: TypeId) -> Parse<ConstId> {
        let word = self.text();
        if let Some(hex) = word.strip_prefix(b"u0x").or(word.strip_prefix(b"s0x")) {
            let digits = std::str::from_utf8(hex).unwrap_or("");
            if let Ok(value) = u128::from_str_radix(digits, 16) {
                self.advance();
                return Ok(self.int_const(ty, 128, value));
            }
        }
        self.advance();
        if let Some(op) = cast_op(word) {
            self.skip_flags();
            self.punct(b'(')?;
            let value = self.typed_const()?;
            self.word(b"to")?;
            let _ = self.ty()?;
            self.punct(b')')?;
            return Ok(self.constant(ty, Const::Cast { op, value }));
        }
        if let Some(op) = binary_op(word) {
            self.skip_flags();
            let [a, b] = self.const_operands()?;
            return Ok(self.constant(ty, Const::Binary { op, a, b }));
        }
        match word {
            b"getelementptr" => self.const_gep(ty),
            b"icmp" => {
                let predicate = match int_predicate(self.text()) {
                    Some(predicate) => predicate,
                    None => return self.expected("a comparison"),
                };
                self.advance();
                let [a, b] = self.const_operands()?;
                Ok(self.constant(ty, Const::Compare { predicate, a, b }))
            }
            b"select" => {
                let [condition, a, b] = self.const_operands()?;
                Ok(self.constant(ty, Const::Select { condition, a, b }))
            }
            b"blockaddress" => self.block_address(ty),
            b"dso_local_equivalent" | b"no_cfi" => self.const_value(ty),
            b"splat" => {
                let [element] = self.const_operands()?;
                Ok(self.constant(ty, Const::Splat(element)))
            }
            _ if self.is_punct(b'(') || self.tok == Tok::Word => {
                // a constant expression this reader does not know
                while !self.is_punct(b'(') && self.tok == Tok::Word {
                    self.advance();
                }
                if !self.is_punct(b'(') {
                    return self.expected("a constant");
                }
                self.skip_group()?;
                let name = self.symbol(word);
                Ok(self.constant(ty, Const::Unsupported(name)))
            }
            _ => self.expected("a constant"),
        }
    }

    /// `(T a, T b, …)`, exactly `N` of them.
    fn const_operands<const N: usize>(&mut self) -> Parse<[ConstId; N]> {
        self.punct(b'(')?;
        let mut operands = Vec::with_capacity(N);
        for i in 0..N {
            if i > 0 {
                self.punct(b',')?;
            }
            operands.push(self.typed_const()?);
        }
        self.punct(b')')?;
        match operands.try_into() {
            Ok(operands) => Ok(operands),
            Err(_) => self.fail("wrong number of operands"),
        }
    }

    fn const_gep(&mut self, ty: TypeId) -> Parse<ConstId> {
        self.skip_flags();
        while self.eat_word(b"inrange") {
            self.skip_group()?;
        }
        self.punct(b'(')?;
        let source = self.ty()?;
        self.punct(b',')?;
        let base = self.typed_const()?;
        let mut indices = Vec::new();
        while self.eat_punct(b',') {
            self.eat_word(b"inrange");
            indices.push(self.typed_const()?);
        }
        self.punct(b')')?;
        let indices = indices.into_boxed_slice();
        Ok(self.constant(
            ty,
            Const::Gep {
                source,
                base,
                indices,
            },
        ))
    }

    fn block_address(&mut self, ty: TypeId) -> Parse<ConstId> {
        self.punct(b'(')?;
        let function = self.global_name()?;
        self.punct(b',')?;
        if self.tok != Tok::Local {
            return self.expected("a label");
        }
        let raw = &self.lexer.text[self.start + 1..self.end];
        let block = self.symbol(raw);
        self.advance();
        self.punct(b')')?;
        Ok(self.constant(ty, Const::BlockAddress { function, block }))
    }
}

/// The widest type whose constants are read.
const WIDEST: u32 = 4096;

/// The words of a number in a type of more than 128 bits, in two's complement, the lowest first.
fn wide_integer(negative: bool, digits: &[u8], width: u32) -> Box<[u64]> {
    let mut words = vec![0u64; width.div_ceil(64).max(3) as usize];
    for digit in digits {
        let mut carry = u128::from(digit.wrapping_sub(b'0'));
        for word in &mut words {
            let next = u128::from(*word) * 10 + carry;
            *word = next as u64;
            carry = next >> 64;
        }
    }
    if negative {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u64::from(carry));
        }
    }
    if let (Some(last), 1..) = (words.last_mut(), width % 64) {
        *last &= (1 << (width % 64)) - 1;
    }
    words.into_boxed_slice()
}

/// The bits of a literal in hexadecimal: doubles as themselves, singles written as doubles.
fn hexadecimal_float(kind: FloatKind, digits: &[u8]) -> Option<u128> {
    let digits = match digits.first()? {
        b'K' | b'L' | b'M' | b'H' | b'R' => &digits[1..],
        _ => digits,
    };
    let text = std::str::from_utf8(digits).ok()?;
    let bits = u128::from_str_radix(text, 16).ok()?;
    Some(match kind {
        FloatKind::Float => {
            let wide = f64::from_bits(u64::try_from(bits).ok()?);
            u128::from(narrow(wide))
        }
        FloatKind::Fp128 | FloatKind::PpcFp128 if text.len() == 32 => bits.rotate_left(64),
        _ => bits,
    })
}

/// Keeps the payload of a NaN, which a plain conversion may not.
fn narrow(wide: f64) -> u32 {
    if wide.is_nan() {
        let bits = wide.to_bits();
        let sign = (bits >> 63) as u32;
        return sign << 31 | 0x7f80_0000 | ((bits >> 29) as u32 & 0x007f_ffff);
    }
    (wide as f32).to_bits()
}

/// The bits of a decimal literal; other formats than these are written in hexadecimal.
fn from_double(kind: FloatKind, value: f64) -> Option<u128> {
    match kind {
        FloatKind::Float => Some(u128::from((value as f32).to_bits())),
        FloatKind::Double => Some(u128::from(value.to_bits())),
        _ => None,
    }
}
