//! Reads of whole words at a symbolic offset that is a multiple of the word's size: one element of a table of words, or
//! a choice between the words, instead of a concatenation of bytes of an array. [AAQC §VII] allows either encoding;
//! this one keeps pointers whole.

use crate::object::{INDEX_BITS, Object};
use crate::value::Ctx;
use stet_base::FastMap;
use stet_term::{Op, Sort, Table, Term};

/// The most words a choice is made between.
const MAX_CHOICES: usize = 256;

/// `offset = len * index`, and which indices it can take: those equal to `first` modulo `stride`.
struct Steps {
    index: Term,
    stride: u64,
    first: u64,
}

/// Divides a 64-bit offset by a power of two if every summand is a multiple of it.
fn divide(ctx: &Ctx, offset: Term, len: u64) -> Option<Steps> {
    let terms = &ctx.terms;
    let shift = len.trailing_zeros();
    let mut pending = vec![offset];
    let mut index = terms.bv(64, 0);
    let (mut stride, mut first) = (0u64, 0u64);
    while let Some(term) = pending.pop() {
        let args = terms.args(term);
        let (part, step) = match (terms.op(term), args) {
            (Op::Bv(number), _) if number % len == 0 => {
                first = first.wrapping_add(number / len);
                (terms.bv(64, number / len), None)
            }
            (Op::BvAdd, [a, b]) => {
                pending.extend([*a, *b]);
                continue;
            }
            (Op::BvMul, [a, b]) => {
                let (factor, constant) = match (terms.as_u64(*a), terms.as_u64(*b)) {
                    (_, Some(constant)) => (*a, constant),
                    (Some(constant), _) => (*b, constant),
                    _ => return None,
                };
                if constant % len != 0 || constant == 0 {
                    return None;
                }
                let step = constant / len;
                (terms.bv_mul(factor, terms.bv(64, step)), Some(step))
            }
            (Op::BvShl, [a, b]) => {
                let amount = terms.as_u64(*b)?;
                if amount < u64::from(shift) || amount > 63 {
                    return None;
                }
                let step = 1 << (amount - u64::from(shift));
                (terms.bv_mul(*a, terms.bv(64, step)), Some(step))
            }
            (Op::Concat, [high, low]) => {
                let zeros = terms.width(*low);
                if terms.as_u64(*low)? != 0 || zeros < shift {
                    return None;
                }
                let step = 1u64.checked_shl(zeros - shift)?;
                let factor = terms.zero_resize(*high, 64);
                (terms.bv_mul(factor, terms.bv(64, step)), Some(step))
            }
            _ => return None,
        };
        index = terms.bv_add(index, part);
        if let Some(step) = step {
            stride = gcd(stride, step);
        }
    }
    // equal modulo 2^(64 - shift), and an index in bounds has fewer bits than an array index
    let index = terms.extract(INDEX_BITS - 1, 0, index);
    Some(Steps {
        index,
        stride,
        first,
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Object {
    /// Reads a word at a symbolic offset that is in bounds, if it can be read as a whole.
    pub(crate) fn read_word_at(&mut self, ctx: &Ctx, offset: Term, bits: u32) -> Option<Term> {
        if !matches!(bits, 16 | 32 | 64) || self.has_array() {
            return None;
        }
        let len = u64::from(bits / 8);
        let steps = divide(ctx, offset, len)?;
        let count = self.size() / len;
        if let Some(bytes) = self.plain_bytes(0, self.size() as usize) {
            let table = match self.cached_words(bits) {
                Some(table) => table,
                None => {
                    let word = |chunk: &[u8]| {
                        chunk
                            .iter()
                            .rev()
                            .fold(0, |n, &byte| n << 8 | u64::from(byte))
                    };
                    let words: Box<[u64]> = bytes.chunks_exact(len as usize).map(word).collect();
                    let sort = ctx.terms.array_sort(Sort::bv(INDEX_BITS), Sort::bv(bits));
                    let table = ctx.terms.table(sort, Table::Words(words));
                    self.cache_words(bits, table);
                    table
                }
            };
            return Some(ctx.terms.select(table, steps.index));
        }
        let stride = steps.stride.max(1);
        let start = steps.first % stride;
        let places: Vec<u64> = (start..count)
            .step_by(stride as usize)
            .take(MAX_CHOICES + 1)
            .collect();
        if places.is_empty() || places.len() > MAX_CHOICES {
            return None;
        }
        Some(self.choose_word(ctx, &places, steps.index, bits))
    }

    /// A choice between words by their index; the most frequent word is the last resort.
    fn choose_word(&self, ctx: &Ctx, places: &[u64], index: Term, bits: u32) -> Term {
        let terms = &ctx.terms;
        let mut order: Vec<Term> = Vec::new();
        let mut conditions: FastMap<Term, Vec<Term>> = FastMap::default();
        for &place in places {
            let at = place * u64::from(bits / 8);
            let word = ctx.bits_term(&self.read(ctx, at as usize, bits), bits);
            let here = terms.eq(index, terms.bv(INDEX_BITS, place));
            let entry = conditions.entry(word).or_default();
            if entry.is_empty() {
                order.push(word);
            }
            entry.push(here);
        }
        let frequent = order
            .iter()
            .copied()
            .max_by_key(|word| conditions[word].len());
        let Some(last) = frequent else {
            return terms.bv(bits, 0);
        };
        let others = order.iter().rev().filter(|&&word| word != last);
        others.fold(last, |rest, &word| {
            terms.ite(terms.or(&conditions[&word]), word, rest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressTable;
    use crate::object::Kind;
    use crate::value::Value;
    use std::rc::Rc;
    use stet_term::{Evaluator, Model, Terms};

    fn ctx() -> Ctx {
        Ctx {
            terms: Rc::new(Terms::new()),
            addresses: Rc::new(AddressTable::new()),
        }
    }

    /// Every index gives the word that lies there, in both encodings.
    #[test]
    fn words_are_what_lies_in_memory() {
        let ctx = ctx();
        let target = ctx.addresses.at(0x10_0000, 8);
        for with_pointer in [false, true] {
            for (bits, scale, plus) in [(64, 8, 0), (64, 16, 8), (32, 8, 4), (32, 4, 0), (16, 6, 2)]
            {
                let mut object = Object::zeroed(Kind::Heap, 64);
                for k in 0..64 {
                    object.write(&ctx, k, 8, &Value::Int(k as u64 * 3));
                }
                if with_pointer {
                    object.write(&ctx, 16, 64, &Value::Ptr(target, 5));
                }
                let x = ctx.terms.symbol("x", Sort::bv(8));
                let wide = ctx.terms.zero_extend(x, 64);
                let offset = ctx.terms.bv_mul(wide, ctx.terms.bv(64, scale));
                let offset = ctx.terms.bv_add(offset, ctx.terms.bv(64, plus));
                let Some(word) = object.read_word_at(&ctx, offset, bits) else {
                    panic!("{bits} {scale} {plus} is a word");
                };
                for number in 0..(64 - plus - u64::from(bits / 8)) / scale {
                    let at = (number * scale + plus) as usize;
                    let here = ctx.bits_term(&object.read(&ctx, at, bits), bits);
                    let mut model = Model::new();
                    model.set_term(
                        &ctx.terms,
                        x,
                        stet_term::Value::Bv(stet_term::Bits::new(8, number)),
                    );
                    let base = ctx.addresses.symbol(&ctx.terms, target);
                    model.set_term(
                        &ctx.terms,
                        base,
                        stet_term::Value::Bv(stet_term::Bits::new(64, 0x10_0000)),
                    );
                    let mut evaluator = Evaluator::new(&ctx.terms, &model);
                    let (found, expected) = (evaluator.eval(word).ok(), evaluator.eval(here).ok());
                    assert!(
                        found.is_some() && found == expected,
                        "{bits} {scale} {plus} at {number}"
                    );
                }
            }
        }
    }

    #[test]
    fn unaligned_offsets_are_left_to_the_array() {
        let ctx = ctx();
        let mut object = Object::zeroed(Kind::Heap, 64);
        let x = ctx.terms.symbol("x", Sort::bv(64));
        assert_eq!(object.read_word_at(&ctx, x, 32), None);
        let three = ctx.terms.bv_mul(x, ctx.terms.bv(64, 3));
        assert_eq!(object.read_word_at(&ctx, three, 16), None);
    }
}
