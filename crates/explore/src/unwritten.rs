//! Tracking of uninitialised bytes: the initial contents of local variables and fresh heap memory are undefined.
//!
//! Copies of such bytes stay unwritten. A read gives one marked symbol per byte, whose name says where the object was made
//! (`undefined`); where such a value decides something the run is not complete.
//!
//! An object of at most 64 bytes has one bit per byte here, so that locals cost no allocation; a larger one has a bitmap of the bytes
//! that *were* written, which starts as zeroes. A write at a symbolic offset makes an array term of what may be unwritten still.

use crate::address::ObjectId;
use crate::object::{INDEX_BITS, Kind};
use crate::value::Ctx;
use stet_base::Index;
use stet_term::{Sort, Term};

/// The mark of symbols that stand for bytes never written.
pub(crate) const UNWRITTEN_MARK: u8 = 4;
/// Objects up to this size need no bitmap.
const SMALL: usize = 64;
/// More ranges than these are a table in conditions.
const MOST_RANGES: usize = 8;

/// Where unwritten bytes come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    pub(crate) object: ObjectId,
    /// Its number among the objects of its path.
    serial: u32,
    pub(crate) is_heap: bool,
    /// The function and instruction that made the object.
    pub(crate) origin: Option<(u32, u32)>,
}

impl Source {
    pub(crate) fn new(
        (object, serial): (ObjectId, u32),
        kind: Kind,
        origin: Option<(u32, u32)>,
    ) -> Self {
        let is_heap = kind == Kind::Heap;
        Source {
            object,
            serial,
            is_heap,
            origin,
        }
    }

    /// Any value of a byte: always the same one for a byte of an object.
    fn byte(&self, ctx: &Ctx, at: u64) -> Term {
        self.symbol(ctx, &at.to_string(), 8)
    }

    fn symbol(&self, ctx: &Ctx, at: &str, width: u32) -> Term {
        let (function, pc) = self.origin.unwrap_or((u32::MAX, 0));
        let kind = if self.is_heap { 'h' } else { 's' };
        let (object, serial) = (self.object.index(), self.serial);
        let name = format!("unwritten.{kind}.{object}.{serial}.{function}.{pc}.{at}.{width}");
        ctx.terms
            .marked_symbol(&name, Sort::bv(width), UNWRITTEN_MARK)
    }

    /// The source in the name of a symbol.
    pub(crate) fn of_name(name: &str) -> Option<Source> {
        let mut parts = name.strip_prefix("unwritten.")?.split('.');
        let is_heap = parts.next()? == "h";
        let object = ObjectId::from_index(parts.next()?.parse().ok()?);
        let serial = parts.next()?.parse().ok()?;
        let (function, pc) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Source {
            object,
            serial,
            is_heap,
            origin: (function != u32::MAX).then_some((function, pc)),
        })
    }
}

/// The unwritten bytes of one object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unwritten {
    /// Zero if every byte was written; else a bit per byte, or the number of unwritten bytes if there is a bitmap.
    left: u64,
    bitmap: Option<Box<Bitmap>>,
    /// After a write at a symbolic offset: an array that is not zero at what may be unwritten. Bytes with a clear bit are zero in it.
    maybe: Option<Term>,
}

const _: () = assert!(size_of::<Unwritten>() <= 24);

#[derive(Clone, Debug)]
struct Bitmap {
    written: Vec<u64>,
    /// Of a segment: the objects it was made of, by their first bytes.
    sources: Vec<(usize, Source)>,
}

fn ones(len: usize) -> u64 {
    crate::value::mask(len as u32)
}

impl Unwritten {
    /// Nothing was written yet.
    pub(crate) fn whole(size: u64) -> Self {
        let size = size as usize;
        match size {
            0..=SMALL => Unwritten {
                left: ones(size),
                ..Unwritten::default()
            },
            _ => Unwritten {
                left: size as u64,
                bitmap: Some(Box::new(Bitmap::new(size))),
                maybe: None,
            },
        }
    }

    /// Everything in a segment is written but what is marked later.
    pub(crate) fn of_segment(size: u64, sources: Vec<(usize, Source)>) -> Self {
        let mut bitmap = Bitmap::new(size as usize);
        bitmap.written.fill(u64::MAX);
        bitmap.sources = sources;
        Unwritten {
            left: 0,
            bitmap: Some(Box::new(bitmap)),
            maybe: None,
        }
    }

    /// Takes over what is known of the first bytes of a segment.
    pub(crate) fn take(&mut self, first: &Unwritten, size: usize) {
        if first.is_empty() {
            return;
        }
        self.maybe = first.maybe;
        for (from, to) in first.ranges(0, size) {
            for at in from..to {
                self.mark(at);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// What holds members' bytes knows where they came from.
    pub(crate) fn sources(&self) -> &[(usize, Source)] {
        self.bitmap.as_ref().map_or(&[], |bitmap| &bitmap.sources)
    }

    /// Whether a byte of a range is unwritten.
    #[inline(always)]
    pub(crate) fn meets(&self, at: usize, len: usize) -> bool {
        self.left != 0 && self.meets_some(at, len)
    }

    fn meets_some(&self, at: usize, len: usize) -> bool {
        match &self.bitmap {
            None => self.left >> at.min(63) & ones(len) != 0,
            Some(bitmap) => bitmap
                .words(at, len)
                .any(|(word, mask)| !bitmap.written[word] & mask != 0),
        }
    }

    /// Notes that a range was written.
    #[inline(always)]
    pub(crate) fn write(&mut self, ctx: &Ctx, at: usize, len: usize) {
        if self.left != 0 {
            self.write_some(ctx, at, len);
        }
    }

    #[inline]
    fn write_some(&mut self, ctx: &Ctx, at: usize, len: usize) {
        if self.bitmap.is_none() && self.maybe.is_none() {
            self.left &= !(ones(len) << at.min(63));
            return;
        }
        self.write_large(ctx, at, len);
    }

    fn write_large(&mut self, ctx: &Ctx, at: usize, len: usize) {
        if let Some(maybe) = self.maybe {
            let bytes = (at..at + len).filter(|&at| self.meets(at, 1));
            self.maybe = Some(bytes.fold(maybe, |array, at| set(ctx, array, at, 0)));
        }
        match &mut self.bitmap {
            None => self.left &= !(ones(len) << at.min(63)),
            Some(bitmap) => self.left -= bitmap.write(at, len),
        }
        if self.left == 0 {
            self.maybe = None;
        }
    }

    /// Notes that a byte is a copy of an unwritten one.
    pub(crate) fn forget(&mut self, ctx: &Ctx, at: usize, size: usize) {
        if self.bitmap.is_none() && size > SMALL {
            let mut bitmap = Bitmap::new(size);
            bitmap.written.fill(u64::MAX);
            self.bitmap = Some(Box::new(bitmap));
        }
        self.mark(at);
        self.maybe = self.maybe.map(|array| set(ctx, array, at, 1));
    }

    fn mark(&mut self, at: usize) {
        match &mut self.bitmap {
            None => {
                debug_assert!(at < SMALL, "larger objects have a bitmap");
                self.left |= 1 << at;
            }
            Some(bitmap) => {
                let bit = 1 << (at % 64);
                self.left += u64::from(bitmap.written[at / 64] & bit != 0);
                bitmap.written[at / 64] &= !bit;
            }
        }
    }

    /// Whether it is sure that a byte whose bit is set was not written.
    pub(crate) fn is_sure(&self) -> bool {
        self.maybe.is_none()
    }

    /// The value of a byte whose bit is set: `stored` if a write at a symbolic offset was there.
    pub(crate) fn byte(&self, ctx: &Ctx, own: Source, at: usize, stored: Term) -> Term {
        let (start, source) = self.source(own, at);
        let any = source.byte(ctx, (at - start) as u64);
        match self.maybe {
            None => any,
            Some(array) => {
                let index = ctx.terms.bv(INDEX_BITS, at as u64);
                let flag = ctx.terms.select(array, index);
                let written = ctx.terms.eq(flag, ctx.terms.bv(8, 0));
                ctx.terms.ite(written, stored, any)
            }
        }
    }

    /// Any value of a word at a symbolic offset: always the same one for the same offset.
    pub(crate) fn word_at(&self, ctx: &Ctx, own: Source, offset: Term, bits: u32) -> Term {
        let first = self.ranges(0, usize::MAX).next().map_or(0, |range| range.0);
        let (_, source) = self.source(own, first);
        source.symbol(ctx, &format!("t{}", offset.index()), bits)
    }

    fn source(&self, own: Source, at: usize) -> (usize, Source) {
        let sources = self.sources();
        let found = sources.iter().rev().find(|(start, _)| *start <= at);
        found.copied().unwrap_or((0, own))
    }

    /// Notes a write at a symbolic offset that is in bounds.
    pub(crate) fn write_at(&mut self, ctx: &Ctx, index: Term, len: u32, size: usize) {
        if self.left == 0 {
            return;
        }
        let mut array = match self.maybe {
            Some(array) => array,
            None => self.table(ctx, size, 1),
        };
        for k in 0..len {
            let index = ctx.terms.bv_add(index, ctx.terms.bv(INDEX_BITS, k.into()));
            array = ctx.terms.store(array, index, ctx.terms.bv(8, 0));
        }
        self.maybe = Some(array);
    }

    /// The starts of accesses of `len` bytes that meet an unwritten byte, as a constant array.
    fn table(&self, ctx: &Ctx, size: usize, len: usize) -> Term {
        let start = |at: usize| u8::from(self.meets(at, len.min(size - at)));
        let bytes: Box<[u8]> = (0..size).map(start).collect();
        ctx.terms.byte_table(INDEX_BITS, bytes)
    }

    /// The condition that an access at a symbolic offset between `first` and `last` meets an unwritten byte.
    pub(crate) fn meets_at(
        &self,
        ctx: &Ctx,
        offset: Term,
        len: usize,
        (first, last): (u64, u64),
        size: usize,
    ) -> Term {
        let terms = &ctx.terms;
        let end = usize::try_from(last).map_or(size, |last| last.saturating_add(len).min(size));
        let first = usize::try_from(first).map_or(size, |first| first.min(end));
        if first == end || !self.meets(first, end - first) {
            return Term::FALSE;
        }
        let index = terms.extract(INDEX_BITS - 1, 0, offset);
        if let Some(array) = self.maybe {
            let unwritten = |k: usize| {
                let index = terms.bv_add(index, terms.bv(INDEX_BITS, k as u64));
                terms.not(terms.eq(terms.select(array, index), terms.bv(8, 0)))
            };
            return terms.or(&(0..len).map(unwritten).collect::<Vec<Term>>());
        }
        let ranges: Vec<(usize, usize)> = self.ranges(first, end).take(MOST_RANGES + 1).collect();
        if ranges.len() > MOST_RANGES {
            let flag = terms.select(self.table(ctx, size, len), index);
            return terms.not(terms.eq(flag, terms.bv(8, 0)));
        }
        let inside = |&(from, to): &(usize, usize)| {
            let from = (from + 1).saturating_sub(len);
            let from = terms.bv(64, from as u64);
            let below = terms.bv_ult(offset, terms.bv(64, to as u64));
            terms.and2(terms.bv_uge(offset, from), below)
        };
        terms.or(&ranges.iter().map(inside).collect::<Vec<Term>>())
    }

    /// Ranges of unwritten bytes between two places, as first and one behind the last.
    pub(crate) fn ranges(
        &self,
        from: usize,
        to: usize,
    ) -> impl Iterator<Item = (usize, usize)> + '_ {
        let end = match &self.bitmap {
            None => SMALL,
            Some(bitmap) => bitmap.written.len() * 64,
        };
        let (mut at, end) = (from, end.min(to));
        std::iter::from_fn(move || {
            let start = self.next(at, end, true)?;
            at = self.next(start, end, false).unwrap_or(end);
            Some((start, at))
        })
    }

    /// The first byte from a place on that is unwritten, or not.
    fn next(&self, mut at: usize, end: usize, unwritten: bool) -> Option<usize> {
        while at < end {
            let word = match &self.bitmap {
                None => self.left,
                Some(bitmap) => !bitmap.written[at / 64],
            };
            let word = if unwritten { word } else { !word } >> (at % 64);
            if word != 0 {
                return Some(at + word.trailing_zeros() as usize).filter(|&at| at < end);
            }
            at = (at / 64 + 1) * 64;
        }
        None
    }
}

impl Bitmap {
    fn new(size: usize) -> Self {
        let mut written = vec![0; size.div_ceil(64)];
        if let Some(last) = written.last_mut().filter(|_| !size.is_multiple_of(64)) {
            *last = !ones(size % 64);
        }
        Bitmap {
            written,
            sources: Vec::new(),
        }
    }

    /// The words of a range with the bits that are in it.
    fn words(&self, at: usize, len: usize) -> impl Iterator<Item = (usize, u64)> + use<> {
        let end = at + len;
        let last = if len == 0 {
            at / 64
        } else {
            (end - 1) / 64 + 1
        };
        (at / 64..last).map(move |word| {
            let from = at.max(word * 64) - word * 64;
            let to = end.min(word * 64 + 64) - word * 64;
            (word, ones(to) & !ones(from))
        })
    }

    /// How many bytes of a range are written now that were not before.
    fn write(&mut self, at: usize, len: usize) -> u64 {
        let mut count = 0;
        for (word, mask) in self.words(at, len) {
            let bits = &mut self.written[word];
            count += u64::from((mask & !*bits).count_ones());
            *bits |= mask;
        }
        count
    }
}

fn set(ctx: &Ctx, array: Term, at: usize, flag: u64) -> Term {
    let index = ctx.terms.bv(INDEX_BITS, at as u64);
    ctx.terms.store(array, index, ctx.terms.bv(8, flag))
}
