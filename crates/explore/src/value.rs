//! Values of registers: concrete numbers and pointers into known objects never touch terms.

use crate::address::{AddressTable, ObjectId};
use std::rc::Rc;
use stet_term::{Bits, Op, Sort, Term, Terms};

/// The value of a register.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A number of at most 64 bits, zero-extended; also the bits of a float or double.
    Int(u64),
    /// β of an object plus an offset, 64 bits wide.
    Ptr(ObjectId, u64),
    /// `len` bytes of a pointer from its byte `index` on. They stay part of the pointer while they are moved, and are a
    /// number of this state's layout in every computation.
    Part {
        object: ObjectId,
        offset: u64,
        index: u8,
        len: u8,
    },
    /// A term: of sort Bool for `i1`, else a bit-vector of the register's width.
    Sym(Term),
    /// A number of 65 to 128 bits.
    Wide(Rc<u128>),
    /// The parts of an array, structure or vector.
    Agg(Rc<[Value]>),
}

const _: () = assert!(std::mem::size_of::<Value>() == 24 || std::mem::size_of::<Value>() == 16);

/// The terms of a run and what their address symbols stand for.
#[derive(Clone)]
pub(crate) struct Ctx {
    pub(crate) terms: Rc<Terms>,
    pub(crate) addresses: Rc<AddressTable>,
}

/// The low `width` bits set.
#[inline]
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// The low `width` bits set, up to 128.
#[inline]
pub(crate) fn mask128(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// A number of `width` bits as a signed one.
#[inline]
pub(crate) fn signed(value: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

/// As [`signed`], up to 128 bits.
pub(crate) fn signed128(value: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    ((value << shift) as i128) >> shift
}

impl Value {
    /// A number of any width up to 128.
    pub(crate) fn wide(value: u128, width: u32) -> Value {
        let value = value & mask128(width);
        if width <= 64 {
            Value::Int(value as u64)
        } else {
            Value::Wide(Rc::new(value))
        }
    }

    pub(crate) fn bool(value: bool) -> Value {
        Value::Int(u64::from(value))
    }
}

impl Ctx {
    /// β + offset.
    pub(crate) fn pointer_term(&self, object: ObjectId, offset: u64) -> Term {
        let base = self.addresses.symbol(&self.terms, object);
        self.terms.bv_add(base, self.terms.bv(64, offset))
    }

    /// The value as a term: Bool if `width` is 1.
    pub(crate) fn term(&self, value: &Value, width: u32) -> Term {
        match value {
            Value::Sym(term) => *term,
            Value::Int(value) if width == 1 => self.terms.bool(value & 1 == 1),
            Value::Int(value) if width <= 64 => self.terms.bv(width, *value),
            Value::Int(value) => self.wide_term(u128::from(*value), width),
            Value::Wide(value) => self.wide_term(**value, width),
            Value::Ptr(object, offset) => {
                let term = self.pointer_term(*object, *offset);
                match width {
                    64 => term,
                    1 => self
                        .terms
                        .eq(self.terms.extract(0, 0, term), self.terms.bv(1, 1)),
                    _ => self.terms.zero_resize(term, width),
                }
            }
            Value::Part {
                object,
                offset,
                index,
                len,
            } => {
                let low = u32::from(*index) * 8;
                let high = low + u32::from(*len) * 8 - 1;
                let part = self
                    .terms
                    .extract(high, low, self.pointer_term(*object, *offset));
                match width {
                    1 => self
                        .terms
                        .eq(self.terms.extract(0, 0, part), self.terms.bv(1, 1)),
                    _ => self.terms.zero_resize(part, width),
                }
            }
            Value::Agg(_) => {
                stet_base::never!("an aggregate where a scalar is expected");
                self.zero_term(width)
            }
        }
    }

    fn zero_term(&self, width: u32) -> Term {
        match width {
            1 => Term::FALSE,
            _ => self.wide_term(0, width),
        }
    }

    /// A constant of any width up to 128, not 1.
    pub(crate) fn wide_term(&self, value: u128, width: u32) -> Term {
        if width <= 64 {
            return self.terms.bv(width, value as u64);
        }
        let high = self.terms.bv(width - 64, (value >> 64) as u64);
        self.terms.concat(high, self.terms.bv(64, value as u64))
    }

    /// The term of a number of more than 64 bits that is given as words, the lowest first.
    pub(crate) fn words_term(&self, words: &[u64], width: u32) -> Term {
        let mut term = None;
        let mut done = 0;
        for &word in words.iter().take(width.div_ceil(64) as usize) {
            let piece = self.terms.bv((width - done).min(64), word);
            term = Some(match term {
                None => piece,
                Some(low) => self.terms.concat(piece, low),
            });
            done += 64;
        }
        term.unwrap_or_else(|| self.zero_term(width))
    }

    /// The value as a bit-vector term, also for `i1`.
    pub(crate) fn bits_term(&self, value: &Value, width: u32) -> Term {
        let term = self.term(value, width);
        match width {
            1 => self.terms.bool_to_bv(term, 1),
            _ => term,
        }
    }

    /// The cheapest value equal to a term of the given width.
    pub(crate) fn value(&self, term: Term, width: u32) -> Value {
        debug_assert!(
            width == 1 || self.terms.sort(term).bv_width() == Some(width),
            "a register holds values of its width"
        );
        if width == 1 {
            return match term {
                Term::TRUE => Value::Int(1),
                Term::FALSE => Value::Int(0),
                // registers of one bit hold truth values, circuits compute bits
                _ if self.terms.sort(term) != Sort::BOOL => self.flag(term),
                _ => Value::Sym(term),
            };
        }
        match self.terms.op(term) {
            Op::Bv(value) => return Value::Int(value),
            Op::BigBv(_) => {
                if let Some(value) = self.terms.as_bits(term).as_ref().and_then(to_u128) {
                    return Value::wide(value, width);
                }
            }
            Op::Symbol(_) | Op::BvAdd if width == 64 => {
                if let Some((object, offset)) = self.as_pointer(term) {
                    return Value::Ptr(object, offset);
                }
            }
            _ => {}
        }
        Value::Sym(term)
    }

    /// A bit-vector of one bit as a value of `i1`.
    pub(crate) fn flag(&self, bit: Term) -> Value {
        debug_assert_eq!(self.terms.width(bit), 1, "a bit-vector of one bit");
        self.value(self.terms.eq(bit, self.terms.bv(1, 1)), 1)
    }

    /// Recognises β and β + constant.
    pub(crate) fn as_pointer(&self, term: Term) -> Option<(ObjectId, u64)> {
        match self.terms.op(term) {
            Op::Symbol(symbol) => Some((self.addresses.object_of(symbol)?, 0)),
            Op::BvAdd => {
                let (rest, constant) = self.terms.constant_summand(term)?;
                let Op::Symbol(symbol) = self.terms.op(rest) else {
                    return None;
                };
                Some((self.addresses.object_of(symbol)?, constant.to_u64()?))
            }
            _ => None,
        }
    }

    /// The number a concrete value is in this layout; `None` if it is symbolic.
    #[inline]
    pub(crate) fn number(&self, value: &Value) -> Option<u64> {
        match value {
            Value::Int(value) => Some(*value),
            Value::Ptr(object, offset) => {
                Some(self.addresses.base_of(*object).wrapping_add(*offset))
            }
            Value::Part {
                object,
                offset,
                index,
                len,
            } => {
                let address = self.addresses.base_of(*object).wrapping_add(*offset);
                let part = address >> (u32::from(*index) * 8).min(63);
                Some(part & mask(u32::from(*len) * 8))
            }
            _ => None,
        }
    }

    /// As [`number`](Self::number), up to 128 bits.
    pub(crate) fn number128(&self, value: &Value) -> Option<u128> {
        match value {
            Value::Wide(value) => Some(**value),
            _ => self.number(value).map(u128::from),
        }
    }
}

/// The number a bit-vector of at most 128 bits is.
pub(crate) fn to_u128(bits: &Bits) -> Option<u128> {
    match bits.width() {
        0..=64 => bits.to_u64().map(u128::from),
        width @ 65..=128 => {
            let low = bits.extract(63, 0).to_u64()?;
            let high = bits.extract(width - 1, 64).to_u64()?;
            Some(u128::from(high) << 64 | u128::from(low))
        }
        _ => None,
    }
}
