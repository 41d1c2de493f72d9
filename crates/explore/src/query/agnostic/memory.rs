//! Reads of memory: what a byte at an invariant index can be, and when eight of them are a pointer.
//!
//! A byte of memory is a list of alternatives, newest write first: under a condition on the index of a
//! write with a symbolic index, or unconditionally. Eight bytes are a pointer only if their alternatives agree
//! in condition and in the pointer they are the bytes 0 to 7 of; comparing fewer bytes, or stopping at the
//! first byte of a pointer, would take a tagged pointer for an untagged one.

use super::abstraction::{Abstract, Analysis, Place, merged};
use super::range::{Range, largest};
use crate::query::address::mentions_address;
use std::rc::Rc;
use stet_base::FastMap;
use stet_term::{Op, Term};

/// Indices with more possible values than this are not enumerated.
const POSITION_LIMIT: u64 = 1 << 14;
/// A read looks through at most this many writes, all positions together.
const WALK_LIMIT: usize = 4_000_000;

/// What a byte is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Byte {
    /// An invariant number.
    Number(Range),
    /// Byte `number` of a 64-bit term.
    Of { pointer: Term, number: u32 },
}

/// A byte and when it is the one read: the index of its write, without constants, has this value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Alternative {
    condition: Option<(Term, u64)>,
    byte: Byte,
}

/// Writes at constant indices.
pub(super) struct Writes {
    elements: FastMap<u64, Term>,
    below: Term,
}

impl Analysis<'_> {
    /// One byte (or wider element) read from memory.
    pub(super) fn read(&mut self, term: Term) -> Abstract {
        let (array, index) = (self.terms.args(term)[0], self.terms.args(term)[1]);
        let width = self.terms.width(term);
        if !mentions_address(self.terms, array) && !matches!(self.terms.op(array), Op::Table(_)) {
            return match self.number(index) {
                Some(_) => Abstract::number(Range::full(width.clamp(1, 64))),
                None => Abstract::Unknown,
            };
        }
        match self.elements(&[term]) {
            Some(places) if places.iter().all(|place| place.base.is_none()) => merged(places),
            _ => Abstract::Unknown,
        }
    }

    /// A concatenation: bytes read together, or a shift by a constant, or parts of which nothing is known.
    pub(super) fn concat(&mut self, term: Term, width: u32) -> Abstract {
        let parts = self.parts(term);
        let is_byte =
            |&part: &Term| self.terms.op(part) == Op::Select && self.terms.width(part) == 8;
        if parts.iter().all(is_byte)
            && let Some(places) = self.elements(&parts)
        {
            return merged(places);
        }
        let (high, low) = (self.terms.args(term)[0], self.terms.args(term)[1]);
        let (Some(upper), Some(lower)) = (self.number(high), self.number(low)) else {
            return Abstract::Unknown;
        };
        let shift = self.terms.width(low);
        if shift >= 64 {
            return Abstract::number(Range::full(width));
        }
        Abstract::number(upper.times(1 << shift, width).add(lower, width))
    }

    /// The parts of nested concatenations, least significant first.
    fn parts(&self, term: Term) -> Vec<Term> {
        let (mut pending, mut parts) = (vec![term], Vec::new());
        while let Some(term) = pending.pop() {
            if self.terms.op(term) == Op::Concat && parts.len() < 16 {
                pending.extend(self.terms.args(term));
            } else {
                parts.push(term);
            }
        }
        parts
    }

    /// What consecutive bytes, least significant first, are together.
    fn elements(&mut self, reads: &[Term]) -> Option<Vec<Place>> {
        let first = self.terms.args(*reads.first()?)[1];
        let limit = largest(self.terms.width(first));
        let (core, shift) = self.split_index(first);
        for (i, &read) in reads.iter().enumerate() {
            let at = self.terms.args(read)[1];
            let (other, constant) = self.split_index(at);
            let follows = other == core && constant == shift.wrapping_add(i as u64);
            if !follows || self.terms.width(read) != 8 {
                return None;
            }
        }
        let positions = self.number(first)?;
        if positions.count() > POSITION_LIMIT {
            return None;
        }
        let mut budget = WALK_LIMIT;
        let mut places = Vec::new();
        for position in positions.iter() {
            let mut bytes = Vec::with_capacity(reads.len());
            for (i, &read) in reads.iter().enumerate() {
                let array = self.terms.args(read)[0];
                let at = position.wrapping_add(i as u64) & limit;
                bytes.push(self.alternatives(array, at, &mut budget)?);
            }
            self.combine(&bytes, &mut places)?;
            if places.len() > 4 * POSITION_LIMIT as usize {
                return None;
            }
        }
        Some(places)
    }

    /// An index as core and constant; a cut to fewer bits is looked through if it cuts nothing off. A constant
    /// index has no core.
    fn split_index(&mut self, index: Term) -> (Option<Term>, u64) {
        if let Some(constant) = self.terms.as_u64(index) {
            return (None, constant);
        }
        let (base, added) = self.split(index);
        let Op::Extract { low: 0, .. } = self.terms.op(base) else {
            return (Some(base), added);
        };
        let inner = self.terms.args(base)[0];
        let limit = largest(self.terms.width(index));
        let reaches = |hi: u64| hi.checked_add(added).is_some_and(|end| end <= limit);
        if !self.number(inner).is_some_and(|range| reaches(range.hi)) {
            return (Some(base), added);
        }
        let (core, shift) = self.split(inner);
        (Some(core), shift.wrapping_add(added))
    }

    /// Puts bytes together, alternative by alternative.
    fn combine(&mut self, bytes: &[Vec<Alternative>], places: &mut Vec<Place>) -> Option<()> {
        let first = bytes.first()?;
        for (choice, alternative) in first.iter().enumerate() {
            let same = bytes.iter().all(|byte| {
                byte.len() == first.len() && byte[choice].condition == alternative.condition
            });
            if !same {
                return self.unordered(bytes, places);
            }
            let together: Vec<Byte> = bytes.iter().map(|byte| byte[choice].byte).collect();
            places.extend(self.together(&together)?);
        }
        Some(())
    }

    /// Bytes whose alternatives do not go together: a number if all of them are numbers.
    fn unordered(&mut self, bytes: &[Vec<Alternative>], places: &mut Vec<Place>) -> Option<()> {
        let mut joined = Vec::new();
        for byte in bytes {
            let mut ranges = byte.iter().map(|alternative| match alternative.byte {
                Byte::Number(range) => Some(range),
                Byte::Of { .. } => None,
            });
            let first = ranges.next()??;
            let all = ranges.try_fold(first, |all, range| Some(all.join(range?)))?;
            joined.push(Byte::Number(all));
        }
        places.extend(self.together(&joined)?);
        Some(())
    }

    /// The places of bytes that belong together, least significant first.
    fn together(&mut self, bytes: &[Byte]) -> Option<Vec<Place>> {
        if let Byte::Of { pointer, .. } = bytes[0] {
            let whole = bytes.len() == 8
                && bytes
                    .iter()
                    .zip(0..)
                    .all(|(&byte, number)| byte == Byte::Of { pointer, number });
            return match (whole, self.value(pointer)) {
                (true, Abstract::Places(places)) => Some(places),
                _ => None,
            };
        }
        let mut total = Range::only(0);
        for (byte, number) in bytes.iter().zip(0u32..) {
            let Byte::Number(range) = byte else {
                return None;
            };
            if number >= 8 {
                return None;
            }
            total = total.add(range.times(1 << (8 * number), 64), 64);
        }
        Some(vec![Place {
            base: None,
            offset: total,
        }])
    }

    /// What the element at a position can be.
    fn alternatives(
        &mut self,
        array: Term,
        position: u64,
        budget: &mut usize,
    ) -> Option<Vec<Alternative>> {
        let terms = self.terms;
        let mut found = Vec::new();
        let mut current = array;
        loop {
            *budget = budget.checked_sub(1)?;
            current = match self.constant_writes(current) {
                Some(writes) => match writes.elements.get(&position) {
                    Some(&element) => {
                        found.push(Alternative {
                            condition: None,
                            byte: self.byte(element)?,
                        });
                        return Some(found);
                    }
                    None => writes.below,
                },
                None => current,
            };
            let always = |byte| Alternative {
                condition: None,
                byte,
            };
            let args = terms.args(current);
            match terms.op(current) {
                Op::Store => {
                    let (below, at, value) = (args[0], args[1], args[2]);
                    match terms.as_u64(at) {
                        Some(at) if at == position => {
                            found.push(always(self.byte(value)?));
                            return Some(found);
                        }
                        Some(_) => {}
                        None if self.number(at)?.contains(position) => {
                            let (core, shift) = self.split_index(at);
                            found.push(Alternative {
                                condition: core.map(|core| (core, position.wrapping_sub(shift))),
                                byte: self.byte(value)?,
                            });
                        }
                        None => {}
                    }
                    current = below;
                }
                Op::Table(id) => {
                    let element = terms.table_content(id).get(position);
                    found.push(always(Byte::Number(Range::only(element))));
                    return Some(found);
                }
                Op::Fill => {
                    found.push(always(self.byte(args[0])?));
                    return Some(found);
                }
                _ if !mentions_address(terms, current) => {
                    found.push(always(Byte::Number(Range::full(8))));
                    return Some(found);
                }
                _ => return None,
            }
        }
    }

    /// The writes at constant indices that an array ends with, newest ones only, and what is below them.
    fn constant_writes(&mut self, array: Term) -> Option<Rc<Writes>> {
        let terms = self.terms;
        let is_constant = |array: Term| {
            terms.op(array) == Op::Store && terms.as_u64(terms.args(array)[1]).is_some()
        };
        if !is_constant(array) {
            return None;
        }
        if let Some(known) = self.writes.get(&array) {
            return Some(known.clone());
        }
        let mut elements = FastMap::default();
        let mut below = array;
        while is_constant(below) {
            let args = terms.args(below);
            if let Some(at) = terms.as_u64(args[1]) {
                elements.entry(at).or_insert(args[2]);
            }
            below = args[0];
        }
        let writes = Rc::new(Writes { elements, below });
        self.writes.insert(array, writes.clone());
        Some(writes)
    }

    /// What a stored byte is.
    fn byte(&mut self, value: Term) -> Option<Byte> {
        let terms = self.terms;
        if let (Op::Extract { high, low }, true) = (terms.op(value), mentions_address(terms, value))
        {
            let pointer = terms.args(value)[0];
            if terms.width(pointer) == 64 && low.is_multiple_of(8) && high == low + 7 {
                return Some(Byte::Of {
                    pointer,
                    number: low / 8,
                });
            }
        }
        self.number(value).map(Byte::Number)
    }
}
