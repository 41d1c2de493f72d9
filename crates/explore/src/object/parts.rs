//! Parts of a large object (`--split-objects`, [AAQC's reference 45]): an access at a symbolic offset that lies in one part reads or writes an
//! array of the size of the part, so that queries do not have the contents of the whole object in them.
//!
//! The object itself stays one: its address, size, lifetime and its concrete bytes are not divided, and every access is checked against its
//! bounds. Only the array terms that writes at symbolic offsets leave are kept by part. An access that may cross from one part into another
//! is an access to the whole object, whose contents are one array from then on.
//!
//! Invariants: parts do not overlap and begin at multiples of eight bytes; an object has parts with arrays or one array of its whole contents, not
//! both.

use super::{Byte, Object, ROW};
use crate::value::{Ctx, Value};
use std::collections::BTreeMap;
use stet_term::{Term, Terms};

/// Which objects are split, and into what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Objects of more bytes are split.
    pub threshold: u64,
    /// The bytes of a part, a multiple of eight.
    pub part: u64,
}

/// Some bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) begin: u64,
    pub(crate) len: u64,
}

/// What of an object an access at a symbolic offset can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    Whole,
    /// The access certainly lies in a part.
    In(Part),
}

/// The arrays of parts, by their first byte, with their sizes.
#[derive(Clone, Default, Debug)]
pub(super) struct Parts(BTreeMap<usize, (usize, Term)>);

impl Parts {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The array that holds a byte of the object, and where in it.
    pub(super) fn array_at(&self, at: usize) -> Option<(Term, usize)> {
        let (begin, (len, array)) = self.0.range(..=at).next_back()?;
        (at < begin + len).then_some((*array, at - begin))
    }

    fn insert(&mut self, begin: usize, len: usize, array: Term) {
        debug_assert!(begin.is_multiple_of(8), "words are in one part");
        self.0.insert(begin, (len, array));
    }
}

impl Split {
    /// The part of an object that a byte is in; `None` if the object is not split.
    pub(crate) fn part_of(&self, size: u64, at: u64) -> Option<Part> {
        if size <= self.threshold || at >= size {
            return None;
        }
        let begin = at - at % self.part;
        let len = self.part.min(size - begin);
        Some(Part { begin, len })
    }
}

impl Part {
    /// Whether an access of some bytes at an offset of the object is in the part.
    pub(crate) fn holds(&self, at: u64, size: u64) -> bool {
        let inside = at.checked_sub(self.begin);
        inside.is_some_and(|inside| size <= self.len && inside <= self.len - size)
    }

    /// An offset of the object as one of the part.
    pub(crate) fn offset_of(&self, terms: &Terms, offset: Term) -> Term {
        terms.bv_add(offset, terms.bv(64, self.begin.wrapping_neg()))
    }
}

impl Object {
    /// The part an access can reach, unless there is one array for all.
    pub(super) fn part_in(&self, reach: Reach) -> Option<Part> {
        match reach {
            Reach::In(part) if self.can_be_split() => Some(part),
            _ => None,
        }
    }

    /// Whether no access made the contents one array.
    pub(crate) fn can_be_split(&self) -> bool {
        self.array.is_none()
    }

    /// Reads at an offset of the object that is in a part.
    pub(super) fn read_in_part(&mut self, ctx: &Ctx, offset: Term, bits: u32, part: Part) -> Value {
        let inside = part.offset_of(&ctx.terms, offset);
        self.cut_out(part).read_in_whole(ctx, inside, bits)
    }

    /// Writes at an offset of the object that is in a part.
    pub(super) fn write_in_part(
        &mut self,
        ctx: &Ctx,
        offset: Term,
        bits: u32,
        value: &Value,
        part: Part,
    ) {
        let mut content = self.cut_out(part);
        let inside = part.offset_of(&ctx.terms, offset);
        content.write_in_whole(ctx, inside, bits, value);
        self.put_back(part, content);
        let index = ctx.terms.extract(super::INDEX_BITS - 1, 0, offset);
        let size = self.bytes.len();
        self.unwritten.write_at(ctx, index, bits.div_ceil(8), size);
    }

    /// The contents of a part as an object, with zeroes for unwritten bytes: what is unwritten is known to the whole.
    fn cut_out(&self, part: Part) -> Object {
        let (begin, len) = (part.begin as usize, part.len as usize);
        let mut cut = Object::with_bytes(self.kind, self.bytes[begin..begin + len].into());
        if let Some((array, at)) = self.parts.array_at(begin) {
            debug_assert!(at == 0, "parts are those of one division");
            cut.array = Some(array);
        }
        if let Some(shadow) = &self.shadow {
            let words = shadow[begin / 8..].iter().take(len.div_ceil(8));
            let renumbered = words.map(|&word| match word & ROW != 0 {
                true => {
                    cut.rows.push(self.rows[(word & !ROW) as usize]);
                    (cut.rows.len() - 1) as u32 | ROW
                }
                false => word,
            });
            cut.shadow = Some(renumbered.collect());
        }
        cut
    }

    /// Takes over the contents of a part.
    fn put_back(&mut self, part: Part, content: Object) {
        self.forget();
        let (begin, len) = (part.begin as usize, part.len as usize);
        self.bytes[begin..begin + len].copy_from_slice(&content.bytes);
        if let Some(array) = content.array {
            self.parts.insert(begin, len, array);
        }
        for word in 0..len.div_ceil(8) {
            let from = content.shadow.as_ref().map_or(0, |shadow| shadow[word]);
            let row = (from & ROW != 0).then(|| content.rows[(from & !ROW) as usize]);
            self.put_word(begin / 8 + word, from, row);
        }
    }

    /// Replaces the shadow of a word: what it is, or a row of bytes.
    fn put_word(&mut self, word: usize, plain: u32, row: Option<[Byte; 8]>) {
        self.release_row(word);
        if plain == 0 && self.shadow.is_none() {
            return;
        }
        let next = match row {
            None => plain,
            Some(row) => match self.free_rows.pop() {
                Some(free) => {
                    self.rows[free as usize] = row;
                    free | ROW
                }
                None => {
                    self.rows.push(row);
                    (self.rows.len() - 1) as u32 | ROW
                }
            },
        };
        let words = self.bytes.len().div_ceil(8);
        let shadow = self
            .shadow
            .get_or_insert_with(|| vec![0; words].into_boxed_slice());
        shadow[word] = next;
    }
}
