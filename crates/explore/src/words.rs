//! Reads of whole words at a symbolic offset that is a multiple of the word's size: one element of a table of words, or
//! a choice between the words, instead of a concatenation of bytes of an array. [AAQC §VII] allows either encoding;
//! this one keeps pointers whole.

use crate::object::sparse::constant_array;
use crate::object::{INDEX_BITS, Kind, Object};
use crate::query::address::{HIGHEST_END, mentions_address, offset_from};
use crate::value::{Ctx, Value};
use std::cell::Cell;
use steps::divide;
use stet_base::FastMap;
use stet_term::{Op, Sort, Table, Term, Terms};

mod steps;

/// The most words a choice is made between.
const MAX_CHOICES: usize = 256;

/// The most words a write at a symbolic offset is spread over.
const MAX_WRITES: usize = 32;
/// The most operators that are looked through for constants an offset is chosen from.
const MAX_LEAVES: usize = 512;
/// The most operators that are looked at for the bounds of a term.
const BOUND_STEPS: u32 = 64;

/// A part of an offset that is chosen by conditions: `term - base + added`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Choice {
    term: Term,
    base: Option<Term>,
    added: u64,
}

enum Shape {
    At(u64),
    /// Another object, or a number where a pointer was expected: excluded by the check of bounds.
    Nowhere,
    Choice(Term, Choice, Choice),
}

impl Choice {
    /// An offset that is a choice plus constants, less at most one base address.
    fn start(terms: &Terms, offset: Term) -> Option<Choice> {
        let (mut term, mut base, mut added) = (None, None, 0u64);
        let mut pending = vec![offset];
        while let Some(part) = pending.pop() {
            let args = terms.args(part);
            match terms.op(part) {
                Op::BvAdd => pending.extend(args),
                Op::Bv(number) => added = added.wrapping_add(number),
                Op::BvNeg if base.is_none() && is_address(terms, args[0]) => base = Some(args[0]),
                Op::Ite if term.is_none() => term = Some(part),
                _ => return None,
            }
        }
        Some(Choice {
            term: term?,
            base,
            added,
        })
    }

    /// What the choice is between; with up to `reach` added, other objects are not left for this one.
    fn step(self, ctx: &Ctx, reach: u64) -> Option<Shape> {
        let terms = &ctx.terms;
        let args = terms.args(self.term);
        let (leaf, constant) = match (terms.op(self.term), args) {
            (Op::Ite, &[condition, yes, no]) => {
                let with = |term| Choice { term, ..self };
                return Some(Shape::Choice(condition, with(yes), with(no)));
            }
            (Op::Bv(number), _) => (None, number),
            (Op::Symbol(_), _) if is_address(terms, self.term) => (Some(self.term), 0),
            (Op::BvAdd, &[a, b]) => match (terms.as_u64(a), terms.as_u64(b)) {
                (_, Some(number)) if is_address(terms, a) => (Some(a), number),
                (Some(number), _) if is_address(terms, b) => (Some(b), number),
                _ => return None,
            },
            _ => return None,
        };
        let at = constant.wrapping_add(self.added);
        match (leaf, self.base) {
            (leaf, base) if leaf == base => Some(Shape::At(at)),
            // elsewhere: the addresses it can be do not meet the object's
            (leaf, Some(base)) => {
                let (size, begin) = place_of(ctx, base)?;
                let origin = match leaf {
                    Some(other) => place_of(ctx, other)?.1,
                    None => 0,
                };
                let from = origin.checked_add(at)?;
                let to = from.checked_add(reach)?;
                (to < begin || from >= begin.checked_add(size)?).then_some(Shape::Nowhere)
            }
            _ => None,
        }
    }
}

/// Size and concrete address of an object.
fn place_of(ctx: &Ctx, base: Term) -> Option<(u64, u64)> {
    let Op::Symbol(symbol) = ctx.terms.op(base) else {
        return None;
    };
    let (_, size, address) = ctx.addresses.lookup(symbol)?;
    Some((size, address))
}

/// Whether a term is a base address.
fn is_address(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::Symbol(_)) && mentions_address(terms, term)
}

/// `pointer - base` on a path that implies that the pointer is in `base`'s object. Where the pointer is a choice between
/// objects, the others are left out: what is read and written then does not mention them. Nothing is left out that could
/// reach into the object from outside.
pub(crate) fn offset_inside(ctx: &Ctx, pointer: Term, base: Term) -> Term {
    let terms = &ctx.terms;
    let (mut choice, mut rest, mut reach) = (None, terms.bv(64, 0), Some(0u64));
    let mut pending = vec![pointer];
    while let Some(part) = pending.pop() {
        match terms.op(part) {
            Op::BvAdd => pending.extend(terms.args(part)),
            Op::Ite if choice.is_none() && mentions_address(terms, part) => choice = Some(part),
            _ => {
                let most = upper(terms, part);
                reach = reach.and_then(|reach| reach.checked_add(most));
                rest = terms.bv_add(rest, part);
            }
        }
    }
    let kept = match (choice, reach) {
        (Some(term), Some(reach)) if reach < HIGHEST_END => {
            let start = Choice {
                term,
                base: Some(base),
                added: 0,
            };
            kept_offsets(ctx, start, reach)
        }
        _ => None,
    };
    match kept {
        Some(offset) => terms.bv_add(offset, rest),
        None => offset_from(terms, pointer, base),
    }
}

/// The choice between the offsets in one object, if all others are certainly elsewhere with up to `reach` added.
fn kept_offsets(ctx: &Ctx, start: Choice, reach: u64) -> Option<Term> {
    let terms = &ctx.terms;
    let mut known: FastMap<Choice, Option<Term>> = FastMap::default();
    let mut pending = vec![start];
    for _ in 0..4 * MAX_LEAVES {
        let Some(&choice) = pending.last() else {
            break;
        };
        if known.contains_key(&choice) {
            pending.pop();
            continue;
        }
        let offset = match choice.step(ctx, reach)? {
            Shape::At(at) => Some(terms.bv(64, at)),
            Shape::Nowhere => None,
            Shape::Choice(condition, yes, no) => match (known.get(&yes), known.get(&no)) {
                (Some(&Some(first)), Some(&Some(second))) => {
                    Some(terms.ite(condition, first, second))
                }
                (Some(&first), Some(&second)) => first.or(second),
                _ => {
                    pending.extend([yes, no]);
                    continue;
                }
            },
        };
        known.insert(choice, offset);
    }
    known.get(&start).copied().flatten()
}

/// The largest value a term can have, from its operators alone.
pub(crate) fn upper(terms: &Terms, term: Term) -> u64 {
    bounded(terms, term, &Cell::new(BOUND_STEPS))
}

/// A lower and an upper bound of a sum, from its operators alone.
pub(crate) fn bounds(terms: &Terms, term: Term) -> (u64, u64) {
    (lower(terms, term), upper(terms, term))
}

/// A lower bound of a sum, from its operators alone.
fn lower(terms: &Terms, term: Term) -> u64 {
    let (mut least, mut most) = (0u64, Some(0u64));
    let mut pending = vec![term];
    while let Some(part) = pending.pop() {
        match terms.op(part) {
            Op::BvAdd if terms.width(part) <= 64 => pending.extend(terms.args(part)),
            Op::Bv(number) => {
                least = least.saturating_add(number);
                most = most.and_then(|most| most.checked_add(number));
            }
            _ => most = most.and_then(|most| most.checked_add(upper(terms, part))),
        }
    }
    // otherwise the sum may have wrapped around
    let width = terms.width(term).clamp(1, 64);
    match most {
        Some(most) if most <= u64::MAX >> (64 - width) => least,
        _ => 0,
    }
}

fn bounded(terms: &Terms, term: Term, steps: &Cell<u32>) -> u64 {
    let width = terms.width(term).clamp(1, 64);
    let most = u64::MAX >> (64 - width);
    if steps.get() == 0 || terms.width(term) > 64 {
        return most;
    }
    steps.set(steps.get() - 1);
    let args = terms.args(term);
    let of = |term: Term| bounded(terms, term, steps);
    let bits = |value: u64| {
        u64::MAX
            .checked_shr(value.leading_zeros())
            .unwrap_or_default()
    };
    let bound = match (terms.op(term), args) {
        (Op::Bv(number), _) => Some(number),
        (Op::ZeroExtend, [a]) => Some(of(*a)),
        (Op::Extract { low, .. }, [a]) if terms.width(*a) <= 64 => Some((of(*a) >> low).min(most)),
        (Op::BvAnd, [a, b]) => Some(of(*a).min(of(*b))),
        (Op::BvOr | Op::BvXor, [a, b]) => Some(bits(of(*a) | of(*b))),
        (Op::BvAdd, [a, b]) => of(*a).checked_add(of(*b)),
        (Op::BvMul, [a, b]) => of(*a).checked_mul(of(*b)),
        (Op::BvUrem, [a, b]) => match terms.as_u64(*b) {
            Some(0) | None => Some(of(*a)),
            Some(number) => Some(of(*a).min(number - 1)),
        },
        (Op::BvLshr, [a, b]) => match terms.as_u64(*b) {
            Some(amount) => Some(of(*a).checked_shr(amount.min(64) as u32).unwrap_or(0)),
            None => Some(of(*a)),
        },
        (Op::BvShl, [a, b]) => terms
            .as_u64(*b)
            .filter(|amount| *amount < 64)
            .and_then(|amount| of(*a).checked_mul(1 << amount)),
        (Op::Concat, [high, low]) => match terms.width(*low) {
            shift if shift < 64 => of(*high)
                .checked_mul(1 << shift)
                .map(|high| high | of(*low)),
            _ => None,
        },
        (Op::Ite, [condition, a, b]) => {
            let smaller = terms.op(*condition) == Op::BvUlt && terms.args(*condition) == [*a, *b];
            Some(match smaller {
                true => of(*a).min(of(*b)),
                false => of(*a).max(of(*b)),
            })
        }
        _ => None,
    };
    bound.filter(|bound| *bound <= most).unwrap_or(most)
}

impl Object {
    /// Reads a word at a symbolic offset that is in bounds, if it can be read as a whole.
    pub(crate) fn read_word_at(&mut self, ctx: &Ctx, offset: Term, bits: u32) -> Option<Term> {
        if !matches!(bits, 8 | 16 | 32 | 64) || self.has_array() {
            return None;
        }
        if let Some(word) = self.read_choice(ctx, offset, bits) {
            return Some(word);
        }
        if self.kind == Kind::Segment
            && let Some(word) = self.read_values(ctx, offset, bits)
        {
            return Some(word);
        }
        if bits == 8 {
            return self.read_window(ctx, offset);
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
                    let table = constant_array(ctx, sort, bits, Table::Words(words));
                    self.cache_words(bits, table);
                    table
                }
            };
            return Some(ctx.terms.select(table, steps.index));
        }
        let places = steps.places(count, MAX_CHOICES)?;
        Some(self.choose_word(ctx, &places, steps.index, bits))
    }

    /// Reads a byte where only concrete bytes can be: the rest of the object, with pointers in it, has no part in the value.
    fn read_window(&mut self, ctx: &Ctx, offset: Term) -> Option<Term> {
        let terms = &ctx.terms;
        let size = self.size() as usize;
        if size == 0 || self.plain_bytes(0, size).is_some() {
            return None;
        }
        let first = lower(terms, offset) as usize;
        let last =
            usize::try_from(upper(terms, offset)).map_or(size - 1, |last| last.min(size - 1));
        if first > last {
            return None;
        }
        let bytes = self.plain_bytes(first, last + 1 - first)?;
        let mut window = vec![0u8; size];
        window[first..=last].copy_from_slice(bytes);
        let table = terms.byte_table(INDEX_BITS, window);
        let index = terms.extract(INDEX_BITS - 1, 0, offset);
        Some(terms.select(table, index))
    }

    /// Writes a word at a symbolic offset that is in bounds, if it can be one of few words: each becomes a choice between
    /// what it was and what is written. Whether it did.
    pub(crate) fn write_word_at(
        &mut self,
        ctx: &Ctx,
        offset: Term,
        bits: u32,
        value: &Value,
    ) -> bool {
        let len = u64::from(bits / 8);
        if self.kind == Kind::Segment && self.write_values(ctx, offset, bits, value) {
            return true;
        }
        if !matches!(bits, 16 | 32 | 64) || self.has_array() {
            return false;
        }
        let count = self.size() / len;
        let places = divide(ctx, offset, len)
            .and_then(|steps| Some((steps.places(count, MAX_WRITES)?, steps.index)));
        let Some((places, index)) = places else {
            return false;
        };
        let new = ctx.bits_term(value, bits);
        for place in places {
            let at = (place * len) as usize;
            let old = ctx.bits_term(&self.read(ctx, at, bits), bits);
            let here = ctx.terms.eq(index, ctx.terms.bv(INDEX_BITS, place));
            let word = ctx.terms.ite(here, new, old);
            self.write(ctx, at, bits, &ctx.value(word, bits));
        }
        true
    }

    /// The offsets of words in a segment that an access can be at, if they are few.
    fn few_places(&self, ctx: &Ctx, offset: Term, len: u64, most: usize) -> Option<Vec<u64>> {
        let mut places = crate::offsets::values(&ctx.terms, offset, most)?;
        places.retain(|&at| at.checked_add(len).is_some_and(|end| end <= self.size()));
        (!places.is_empty()).then_some(places)
    }

    /// Reads a word of a segment at one of few offsets: pointers among them stay whole. Numbers alone are left to a table.
    fn read_values(&self, ctx: &Ctx, offset: Term, bits: u32) -> Option<Term> {
        let terms = &ctx.terms;
        let places = self.few_places(ctx, offset, u64::from(bits / 8), MAX_CHOICES)?;
        let word = |at: u64| ctx.bits_term(&self.read_stored(ctx, at as usize, bits), bits);
        let words: Vec<Term> = places.iter().map(|&at| word(at)).collect();
        if places.len() > MAX_WRITES && words.iter().all(|&word| terms.is_bv_const(word)) {
            return None;
        }
        let (&last, others) = words.split_last()?;
        let choices = others.iter().zip(&places).rev();
        Some(choices.fold(last, |rest, (&word, &at)| match word == rest {
            true => rest,
            false => terms.ite(terms.eq(offset, terms.bv(64, at)), word, rest),
        }))
    }

    /// Writes a word of a segment at one of few offsets: each becomes a choice between what it was and what is written.
    fn write_values(&mut self, ctx: &Ctx, offset: Term, bits: u32, value: &Value) -> bool {
        if !matches!(bits, 8 | 16 | 32 | 64) || self.has_array() {
            return false;
        }
        let Some(places) = self.few_places(ctx, offset, u64::from(bits / 8), MAX_WRITES) else {
            return false;
        };
        let new = ctx.bits_term(value, bits);
        // each condition names one offset, so what overlaps is written once
        for at in places {
            let old = ctx.bits_term(&self.read(ctx, at as usize, bits), bits);
            let here = ctx.terms.eq(offset, ctx.terms.bv(64, at));
            let word = ctx.terms.ite(here, new, old);
            self.write(ctx, at as usize, bits, &ctx.value(word, bits));
        }
        true
    }

    /// A word at an offset that is chosen from few constants: the same choice of words.
    fn read_choice(&self, ctx: &Ctx, offset: Term, bits: u32) -> Option<Term> {
        let terms = &ctx.terms;
        let start = Choice::start(terms, offset)?;
        let mut known: FastMap<Choice, Term> = FastMap::default();
        let mut pending = vec![start];
        for _ in 0..4 * MAX_LEAVES {
            let Some(&choice) = pending.last() else {
                break;
            };
            if known.contains_key(&choice) {
                pending.pop();
                continue;
            }
            let word = match choice.step(ctx, 0)? {
                Shape::At(at) => self.word_or_nothing(ctx, at, bits),
                Shape::Nowhere => terms.bv(bits, 0),
                Shape::Choice(condition, yes, no) => match (known.get(&yes), known.get(&no)) {
                    (Some(&first), Some(&second)) => terms.ite(condition, first, second),
                    _ => {
                        pending.extend([yes, no]);
                        continue;
                    }
                },
            };
            known.insert(choice, word);
        }
        known.get(&start).copied()
    }

    /// The word at a place; anything if it is outside, because nothing outside is ever read.
    fn word_or_nothing(&self, ctx: &Ctx, at: u64, bits: u32) -> Term {
        let end = at.checked_add(u64::from(bits / 8));
        match end.is_some_and(|end| end <= self.size()) {
            true => ctx.bits_term(&self.read_stored(ctx, at as usize, bits), bits),
            false => ctx.terms.bv(bits, 0),
        }
    }

    /// A choice between words by their index; the most frequent word is the last resort.
    fn choose_word(&self, ctx: &Ctx, places: &[u64], index: Term, bits: u32) -> Term {
        let terms = &ctx.terms;
        let mut order: Vec<Term> = Vec::new();
        let mut conditions: FastMap<Term, Vec<Term>> = FastMap::default();
        for &place in places {
            let at = place * u64::from(bits / 8);
            let word = ctx.bits_term(&self.read_stored(ctx, at as usize, bits), bits);
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
    use crate::object::parts::Reach;
    use std::rc::Rc;
    use stet_term::{Evaluator, Model};

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

    /// A choice of offsets gives the same choice of words; a bounded index looks at no more words than it reaches.
    #[test]
    fn choices_and_bounds_avoid_arrays() {
        let ctx = ctx();
        let mut object = Object::zeroed(Kind::Heap, 8192);
        for k in 0..8192 {
            object.write(&ctx, k, 8, &Value::Int(k as u64 % 251));
        }
        let target = ctx.addresses.at(0x10_0000, 8);
        object.write(&ctx, 800, 64, &Value::Ptr(target, 5));
        let terms = &ctx.terms;
        let x = terms.symbol("x", Sort::bv(8));
        let chosen = terms.ite(
            terms.eq(x, terms.bv(8, 3)),
            terms.bv(64, 17),
            terms.ite(
                terms.eq(x, terms.bv(8, 4)),
                terms.bv(64, 21),
                terms.bv(64, 9000),
            ),
        );
        let offset = terms.bv_add(chosen, terms.bv(64, 2));
        let masked = terms.bv_and(terms.zero_extend(x, 64), terms.bv(64, 7));
        let scaled = terms.bv_add(terms.bv_mul(masked, terms.bv(64, 8)), terms.bv(64, 784));
        for (offset, bits, values) in [(offset, 32, 3..5u64), (scaled, 64, 0..8)] {
            let word = object.read_word_at(&ctx, offset, bits);
            let Some(word) = word else {
                panic!("{bits} bits are a word");
            };
            terms.post_order(&[word], |term| assert!(terms.op(term) != Op::Select));
            for number in values {
                let mut model = Model::new();
                let bv = |width, value| stet_term::Value::Bv(stet_term::Bits::new(width, value));
                model.set_term(terms, x, bv(8, number));
                let base = ctx.addresses.symbol(terms, target);
                model.set_term(terms, base, bv(64, 0x10_0000));
                let mut evaluator = Evaluator::new(terms, &model);
                let Ok(stet_term::Value::Bv(at)) = evaluator.eval(offset) else {
                    panic!("an offset is a number");
                };
                let at = at.to_u64().unwrap_or(u64::MAX) as usize;
                let here = ctx.bits_term(&object.read(&ctx, at, bits), bits);
                assert_eq!(
                    evaluator.eval(word).ok(),
                    evaluator.eval(here).ok(),
                    "{number}"
                );
            }
        }
    }

    /// A pointer to one of two objects, known to be in one of them, and a write to one of four words.
    #[test]
    fn what_is_elsewhere_is_left_out() {
        let ctx = ctx();
        let terms = &ctx.terms;
        let [first, second] = [(0x20_0000, 64), (0x10_0000, 4)].map(|(base, size)| {
            let object = ctx.addresses.at(base, size);
            ctx.addresses.symbol(terms, object)
        });
        let x = terms.symbol("x", Sort::bv(8));
        let is = |n| terms.eq(x, terms.bv(8, n));
        let near = terms.bv_add(first, terms.bv(64, 8));
        let far = terms.bv_add(first, terms.bv(64, 24));
        let tree = terms.ite(
            is(1),
            near,
            terms.ite(is(2), second, terms.ite(is(3), far, terms.bv(64, 0))),
        );
        let offset = offset_inside(&ctx, terms.bv_add(tree, terms.bv(64, 4)), first);
        let expected = terms.bv_add(
            terms.ite(is(1), terms.bv(64, 8), terms.bv(64, 24)),
            terms.bv(64, 4),
        );
        assert_eq!(offset, expected);
        // an offset that could lead from the other object into this one
        let pointer = terms.bv_add(tree, terms.zero_extend(terms.symbol("y", Sort::bv(32)), 64));
        assert_eq!(
            offset_inside(&ctx, pointer, first),
            offset_from(terms, pointer, first)
        );

        let mut object = Object::zeroed(Kind::Heap, 32);
        object.write(&ctx, 8, 64, &Value::Int(77));
        let index = terms.bv_and(terms.zero_extend(x, 64), terms.bv(64, 3));
        let offset = terms.bv_mul(index, terms.bv(64, 8));
        object.write_at(&ctx, offset, 64, &Value::Int(5), Reach::Whole);
        assert!(!object.has_array());
        for number in 0..4u64 {
            let mut model = Model::new();
            let value = stet_term::Value::Bv(stet_term::Bits::new(8, number));
            model.set_term(terms, x, value);
            let mut evaluator = Evaluator::new(terms, &model);
            for place in 0..4u64 {
                let word = ctx.bits_term(&object.read(&ctx, place as usize * 8, 64), 64);
                let expected = match (place == number, place) {
                    (true, _) => 5,
                    (_, 1) => 77,
                    _ => 0,
                };
                let expected = stet_term::Value::Bv(stet_term::Bits::new(64, expected));
                assert_eq!(
                    evaluator.eval(word).ok(),
                    Some(expected),
                    "{number} {place}"
                );
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
