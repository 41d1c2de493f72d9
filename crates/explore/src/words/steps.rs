//! Offsets as multiples of a word's size: which words an access at a symbolic offset can mean.
//!
//! An offset is a sum of numbers and of terms times numbers. If that sum does not wrap around, the words are those whose indices are equal to a
//! number modulo the greatest common divisor of the factors, between the bounds of the sum. If it may, only the power of two in
//! that divisor says anything: 2^64 is a multiple of it and of no other divisor.

use super::upper;
use crate::object::INDEX_BITS;
use crate::value::Ctx;
use stet_term::{Op, Term, Terms};

/// How deep sums are looked into for their bounds.
const DEPTH: u32 = 8;

/// `offset = len * index`, and which indices it can take.
pub(super) struct Steps {
    pub(super) index: Term,
    /// Indices are equal to `first` modulo this; 0: there is one only.
    stride: u64,
    first: i128,
    /// The least and the greatest index, if they are known.
    range: Option<(i128, i128)>,
}

impl Steps {
    /// The indices below `count`, at most `most` of them.
    pub(super) fn places(&self, count: u64, most: usize) -> Option<Vec<u64>> {
        let stride = i128::from(self.stride.max(1));
        let (least, greatest) = self.range.unwrap_or((0, i128::from(count)));
        let least = least.max(0);
        let start = least + (self.first - least).rem_euclid(stride);
        let end = i128::from(count).min(greatest + 1);
        let mut places = Vec::new();
        let mut at = start;
        while at < end {
            if places.len() == most {
                return None;
            }
            places.push(u64::try_from(at).ok()?);
            at += stride;
        }
        (!places.is_empty()).then_some(places)
    }
}

/// A summand of an offset in words: a term times a number.
struct Summand {
    part: Term,
    /// What it is a multiple of; 0 for a number.
    step: u64,
    range: Option<(i128, i128)>,
}

/// Divides a 64-bit offset by a power of two if every summand is a multiple of it.
pub(super) fn divide(ctx: &Ctx, offset: Term, len: u64) -> Option<Steps> {
    let terms = &ctx.terms;
    let mut pending = vec![offset];
    let mut index = terms.bv(64, 0);
    let (mut stride, mut first) = (0u64, 0i128);
    let mut range = Some((0i128, 0i128));
    while let Some(term) = pending.pop() {
        if terms.op(term) == Op::BvAdd {
            pending.extend(terms.args(term));
            continue;
        }
        let summand = summand(terms, term, len)?;
        index = terms.bv_add(index, summand.part);
        stride = gcd(stride, summand.step);
        if summand.step == 0 {
            first += summand.range?.0;
        }
        range = sum(range, summand.range);
    }
    // in bounds and between these it is the sum itself, not what is left of it modulo 2^64
    let most = i128::from(i64::MAX) / i128::from(len);
    let range = range.filter(|(least, greatest)| *least >= -most && *greatest <= most);
    if range.is_none() && stride != 0 {
        stride = 1 << stride.trailing_zeros();
    }
    Some(Steps {
        // equal modulo 2^(64 - shift), and an index in bounds has fewer bits than an array index
        index: terms.extract(INDEX_BITS - 1, 0, index),
        stride,
        first,
        range,
    })
}

/// A summand of an offset that is a multiple of a power of two, in units of that.
fn summand(terms: &Terms, term: Term, len: u64) -> Option<Summand> {
    let shift = len.trailing_zeros();
    let in_words = |number: u64| -> Option<i128> {
        let number = i128::from(number as i64);
        (number % i128::from(len) == 0).then(|| number / i128::from(len))
    };
    let (factor, step) = match (terms.op(term), terms.args(term)) {
        (Op::Bv(number), _) => {
            let words = in_words(number)?;
            return Some(Summand {
                part: terms.bv(64, words as u64),
                step: 0,
                range: Some((words, words)),
            });
        }
        (Op::BvMul, [a, b]) => match (terms.as_u64(*a), terms.as_u64(*b)) {
            (_, Some(number)) => (*a, in_words(number)?),
            (Some(number), _) => (*b, in_words(number)?),
            _ => return None,
        },
        (Op::BvShl, [a, b]) => {
            let amount = terms.as_u64(*b)?;
            if amount < u64::from(shift) || amount > 63 {
                return None;
            }
            (*a, 1 << (amount - u64::from(shift)))
        }
        (Op::Concat, [high, low]) => {
            let zeros = terms.width(*low);
            if terms.as_u64(*low)? != 0 || zeros < shift {
                return None;
            }
            let step = 1i128.checked_shl(zeros - shift)?;
            (terms.zero_resize(*high, 64), step)
        }
        _ => return None,
    };
    if step == 0 {
        return None;
    }
    let times = |(least, greatest): (i128, i128)| {
        let (a, b) = (least.checked_mul(step)?, greatest.checked_mul(step)?);
        Some((a.min(b), a.max(b)))
    };
    Some(Summand {
        part: terms.bv_mul(factor, terms.bv(64, step as u64)),
        step: u64::try_from(step.unsigned_abs()).ok()?,
        range: signed_bounds(terms, factor, DEPTH).and_then(times),
    })
}

/// Bounds of a term of at most 64 bits as a signed number, from its operators alone; nothing if it may wrap around.
fn signed_bounds(terms: &Terms, term: Term, depth: u32) -> Option<(i128, i128)> {
    let args = terms.args(term);
    match terms.op(term) {
        Op::Bv(number) if terms.width(term) == 64 => {
            let number = i128::from(number as i64);
            Some((number, number))
        }
        Op::SignExtend => {
            let half = 1i128 << (terms.width(args[0]) - 1);
            Some((-half, half - 1))
        }
        Op::BvAdd if depth > 0 && terms.width(term) == 64 => {
            let of = |arg: &Term| signed_bounds(terms, *arg, depth - 1);
            let (least, greatest) = args.iter().map(of).fold(Some((0, 0)), sum)?;
            let fits = least >= i128::from(i64::MIN) && greatest <= i128::from(i64::MAX);
            fits.then_some((least, greatest))
        }
        _ => {
            let greatest = i128::from(upper(terms, term));
            (greatest <= i128::from(i64::MAX)).then_some((0, greatest))
        }
    }
}

fn sum(a: Option<(i128, i128)>, b: Option<(i128, i128)>) -> Option<(i128, i128)> {
    let ((a, b), (c, d)) = (a?, b?);
    Some((a.checked_add(c)?, b.checked_add(d)?))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressTable;
    use std::rc::Rc;
    use stet_term::{Evaluator, Model, Sort};

    /// The words of every offset in bounds, for numbers of either sign and indices that wrap around, are among the places.
    #[test]
    fn no_word_is_forgotten() {
        let ctx = Ctx {
            terms: Rc::new(Terms::new()),
            addresses: Rc::new(AddressTable::new()),
        };
        let terms = &ctx.terms;
        let x = terms.symbol("x", Sort::bv(64));
        let small = terms.zero_extend(terms.extract(7, 0, x), 64);
        let signed = terms.sign_extend(terms.extract(7, 0, x), 64);
        let mut looked_at = 0;
        for index in [x, small, signed] {
            for factor in [8u64, 24, 40, 24u64.wrapping_neg(), 8u64.wrapping_neg()] {
                for number in [0u64, 8, 24, 48, 8u64.wrapping_neg(), 24u64.wrapping_neg()] {
                    let product = terms.bv_mul(index, terms.bv(64, factor));
                    let offset = terms.bv_add(product, terms.bv(64, number));
                    let Some(steps) = divide(&ctx, offset, 8) else {
                        continue;
                    };
                    let Some(places) = steps.places(64, 256) else {
                        continue;
                    };
                    // small numbers, and such that the product wraps around
                    let near = (0..200u64).flat_map(|n| {
                        let wrapped = (1u128 << 64) + 8 * u128::from(n);
                        [n, n.wrapping_neg(), (wrapped / u128::from(factor)) as u64]
                    });
                    for number in near {
                        let mut model = Model::new();
                        let bits = stet_term::Bits::new(64, number);
                        model.set_term(terms, x, stet_term::Value::Bv(bits));
                        let mut evaluator = Evaluator::new(terms, &model);
                        let mut value = |term| match evaluator.eval(term) {
                            Ok(stet_term::Value::Bv(bits)) => bits.to_u64(),
                            other => panic!("{other:?}"),
                        };
                        let at = value(offset).unwrap_or(u64::MAX);
                        if at < 64 * 8 {
                            looked_at += 1;
                            assert!(places.contains(&(at / 8)), "{at} of {places:?}");
                            assert_eq!(value(steps.index), Some(at / 8));
                        }
                    }
                }
            }
        }
        assert!(looked_at > 1000, "{looked_at}");
    }
}
