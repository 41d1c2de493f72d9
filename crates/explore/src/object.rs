//! The contents of one memory object: concrete bytes, a shadow for what is not concrete, an array term when a
//! write had a symbolic offset.
//!
//! The shadow has one word per eight bytes: 0 for eight concrete bytes; an object id for a whole aligned pointer
//! (its offset is in the concrete bytes); else, with the top bit set, a row of [`Byte`]s.

use crate::address::ObjectId;
use crate::object::parts::{Parts, Reach};
use crate::unwritten::Unwritten;
use crate::value::{Ctx, Value, mask};
use stet_base::Index;
use stet_term::{Sort, Table, Term};

mod joined;
pub(crate) mod parts;
pub(crate) mod sparse;
mod undefined;

/// Bits of an array index; objects are smaller than 4 GiB.
pub(crate) const INDEX_BITS: u32 = 32;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Heap,
    Stack,
    Global,
    Function,
    /// Memory of the process in which external functions are called.
    Native,
    /// What holds the bytes of several objects; no pointer means it.
    Segment,
}

/// Where the bytes of an object are that was merged into a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Home {
    pub(crate) segment: ObjectId,
    pub(crate) at: u64,
    size: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Byte {
    Concrete(u8),
    /// An eight-bit term.
    Sym(Term),
    /// Byte `index` of a pointer.
    Ptr {
        object: ObjectId,
        offset: u64,
        index: u8,
    },
    /// Whatever the object's array has here.
    Array,
    /// Never written, or perhaps not.
    Unwritten,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) writable: bool,
    /// The function and instruction that made it.
    pub(crate) origin: Option<(u32, u32)>,
    /// The id it has in memory, once it has one, and its number among all objects of the path: ids may be used again.
    pub(crate) id: Option<(ObjectId, u32)>,
    /// The segment that holds the bytes, if they are not here.
    home: Option<Home>,
    /// The objects whose bytes a segment holds.
    pub(crate) members: Vec<ObjectId>,
    bytes: Box<[u8]>,
    shadow: Option<Box<[u32]>>,
    rows: Vec<[Byte; 8]>,
    free_rows: Vec<u32>,
    /// The contents of the bytes that are [`Byte::Array`], unless the object is split.
    array: Option<Term>,
    /// The same for parts of the object.
    parts: Parts,
    /// The whole contents as an array term, until the next write.
    whole: Option<Term>,
    /// The whole contents as a table of words of some width, until the next write.
    words: Option<(u32, Term)>,
    unwritten: Unwritten,
}

const ROW: u32 = 1 << 31;

impl Object {
    pub(crate) fn zeroed(kind: Kind, size: u64) -> Self {
        Self::with_bytes(kind, vec![0; size as usize].into_boxed_slice())
    }

    /// Whether there is memory for an object of a size.
    pub(crate) fn has_room(size: u64) -> bool {
        let Ok(size) = usize::try_from(size) else {
            return false;
        };
        size <= 1 << 20 || Vec::<u8>::new().try_reserve_exact(size).is_ok()
    }

    pub(crate) fn with_bytes(kind: Kind, bytes: Box<[u8]>) -> Self {
        Object {
            kind,
            writable: true,
            origin: None,
            id: None,
            home: None,
            members: Vec::new(),
            bytes,
            shadow: None,
            rows: Vec::new(),
            free_rows: Vec::new(),
            array: None,
            parts: Parts::default(),
            whole: None,
            words: None,
            unwritten: Unwritten::default(),
        }
    }

    /// The size the program knows.
    #[inline]
    pub(crate) fn size(&self) -> u64 {
        match self.home {
            None => self.bytes.len() as u64,
            Some(home) => home.size,
        }
    }

    /// How many bytes are here: none if a segment holds them.
    #[inline]
    pub(crate) fn held(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The segment that holds the bytes, if they are not here.
    pub(crate) fn home(&self) -> Option<Home> {
        self.home
    }

    /// Whether `[offset, offset + len)` is concrete.
    #[inline]
    fn is_plain(&self, offset: usize, len: usize) -> bool {
        debug_assert!(
            len > 0 && offset + len <= self.bytes.len(),
            "a range in bounds that is not empty"
        );
        match &self.shadow {
            None => true,
            Some(shadow) => {
                let last = (offset + len - 1) / 8;
                shadow[offset / 8..=last].iter().all(|&word| word == 0)
            }
        }
    }

    /// The concrete bytes of a range, with zeroes for unwritten ones; `None` if one of them is not concrete.
    pub(crate) fn plain_bytes(&self, offset: usize, len: usize) -> Option<&[u8]> {
        if len == 0 {
            return Some(&[]);
        }
        self.is_plain(offset, len)
            .then(|| &self.bytes[offset..offset + len])
    }

    /// Reads a scalar of `bits` bits at a range that is in bounds.
    #[inline]
    pub(crate) fn read(&self, ctx: &Ctx, offset: usize, bits: u32) -> Value {
        let len = bits.div_ceil(8) as usize;
        if self.unwritten.meets(offset, len) {
            return self.read_slow(ctx, offset, bits, |at| self.byte(at));
        }
        self.read_stored(ctx, offset, bits)
    }

    /// As [`read`](Self::read), with zeroes for unwritten bytes.
    #[inline]
    pub(crate) fn read_stored(&self, ctx: &Ctx, offset: usize, bits: u32) -> Value {
        let len = bits.div_ceil(8) as usize;
        if len <= 8 {
            if self.is_plain(offset, len) {
                return Value::Int(little(&self.bytes[offset..offset + len]) & mask(bits));
            }
            if len == 8 && offset.is_multiple_of(8) && bits == 64 {
                let word = self.shadow.as_ref().map_or(0, |shadow| shadow[offset / 8]);
                if word & ROW == 0 {
                    debug_assert!(word != 0, "concrete words were read before");
                    let object = ObjectId::from_index(word as usize - 1);
                    return Value::Ptr(object, little(&self.bytes[offset..offset + 8]));
                }
            }
        }
        self.read_slow(ctx, offset, bits, |at| self.stored(at))
    }

    fn read_slow(
        &self,
        ctx: &Ctx,
        offset: usize,
        bits: u32,
        byte: impl Fn(usize) -> Byte,
    ) -> Value {
        let len = bits.div_ceil(8) as usize;
        debug_assert!(
            bits > 0 && offset + len <= self.bytes.len(),
            "a scalar is read in bounds"
        );
        let bytes: Vec<Byte> = (offset..offset + len).map(byte).collect();
        if let Some(value) = known(ctx, &bytes, bits) {
            return value;
        }
        let mut term = self.byte_term(ctx, offset, bytes[0]);
        for (k, byte) in bytes.iter().enumerate().skip(1) {
            term = ctx
                .terms
                .concat(self.byte_term(ctx, offset + k, *byte), term);
        }
        if bits == 1 {
            return ctx.flag(ctx.terms.extract(0, 0, term));
        }
        let term = match bits as usize == len * 8 {
            true => term,
            false => ctx.terms.extract(bits - 1, 0, term),
        };
        ctx.value(term, bits)
    }

    /// One byte, in bounds.
    pub(crate) fn byte(&self, at: usize) -> Byte {
        match self.unwritten.meets(at, 1) {
            true => Byte::Unwritten,
            false => self.stored(at),
        }
    }

    /// As [`byte`](Self::byte), with zero for an unwritten one.
    fn stored(&self, at: usize) -> Byte {
        debug_assert!(
            self.home.is_none(),
            "the bytes of a member are read in its segment"
        );
        match &self.shadow {
            None => Byte::Concrete(self.bytes[at]),
            Some(shadow) => match shadow[at / 8] {
                0 => Byte::Concrete(self.bytes[at]),
                word if word & ROW != 0 => self.rows[(word & !ROW) as usize][at % 8],
                word => Byte::Ptr {
                    object: ObjectId::from_index(word as usize - 1),
                    offset: little(&self.bytes[at / 8 * 8..at / 8 * 8 + 8]),
                    index: (at % 8) as u8,
                },
            },
        }
    }

    /// A byte as an eight-bit term.
    fn byte_term(&self, ctx: &Ctx, at: usize, byte: Byte) -> Term {
        match byte {
            Byte::Concrete(byte) => ctx.terms.bv(8, byte.into()),
            Byte::Sym(term) => term,
            Byte::Ptr {
                object,
                offset,
                index,
            } => {
                let low = u32::from(index) * 8;
                ctx.terms
                    .extract(low + 7, low, ctx.pointer_term(object, offset))
            }
            Byte::Unwritten => {
                let stored = self.byte_term(ctx, at, self.stored(at));
                self.unwritten.byte(ctx, self.source(), at, stored)
            }
            Byte::Array => match self.array_at(at) {
                Some((array, at)) => {
                    let index = ctx.terms.bv(INDEX_BITS, at as u64);
                    ctx.terms.select(array, index)
                }
                None => {
                    stet_base::never!("an array byte without an array");
                    ctx.terms.bv(8, 0)
                }
            },
        }
    }

    /// Writes a scalar of `bits` bits at a range that is in bounds.
    #[inline]
    pub(crate) fn write(&mut self, ctx: &Ctx, offset: usize, bits: u32, value: &Value) {
        self.forget();
        let len = bits.div_ceil(8) as usize;
        debug_assert!(
            len > 0 && offset + len <= self.bytes.len(),
            "a scalar is written in bounds"
        );
        self.unwritten.write(ctx, offset, len);
        match value {
            Value::Int(number) if len <= 8 => {
                let bytes = &number.to_le_bytes()[..len];
                if self.is_plain(offset, len) {
                    self.bytes[offset..offset + len].copy_from_slice(bytes);
                } else {
                    self.put_bytes(offset, bytes);
                }
            }
            Value::Ptr(object, at) if bits == 64 && offset.is_multiple_of(8) => {
                self.release_row(offset / 8);
                let words = self.bytes.len().div_ceil(8);
                let shadow = self
                    .shadow
                    .get_or_insert_with(|| vec![0; words].into_boxed_slice());
                shadow[offset / 8] = object.index() as u32 + 1;
                self.bytes[offset..offset + 8].copy_from_slice(&at.to_le_bytes());
            }
            _ => self.write_slow(ctx, offset, bits, len, value),
        }
    }

    fn write_slow(&mut self, ctx: &Ctx, offset: usize, bits: u32, len: usize, value: &Value) {
        match value {
            Value::Ptr(object, at) if bits == 64 => {
                for index in 0..8u8 {
                    let byte = Byte::Ptr {
                        object: *object,
                        offset: *at,
                        index,
                    };
                    self.put_byte(offset + usize::from(index), byte);
                }
            }
            Value::Part {
                object,
                offset: at,
                index,
                len: part,
            } if usize::from(*part) == len => {
                debug_assert!(
                    usize::from(*index) + usize::from(*part) <= 8,
                    "a part of a pointer has no more bytes than the pointer"
                );
                for k in 0..*part {
                    let byte = Byte::Ptr {
                        object: *object,
                        offset: *at,
                        index: index + k,
                    };
                    self.put_byte(offset + usize::from(k), byte);
                }
            }
            Value::Wide(number) => {
                let bytes = number.to_le_bytes();
                for k in 0..len {
                    let byte = bytes.get(k).copied().unwrap_or(0);
                    self.put_byte(offset + k, Byte::Concrete(byte));
                }
            }
            Value::Int(number) => {
                for k in 0..len {
                    let byte = if k < 8 { (number >> (8 * k)) as u8 } else { 0 };
                    self.put_byte(offset + k, Byte::Concrete(byte));
                }
            }
            _ => {
                let term = ctx.bits_term(value, bits);
                let term = ctx.terms.zero_resize(term, len as u32 * 8);
                for k in 0..len {
                    let low = k as u32 * 8;
                    let byte = ctx.terms.extract(low + 7, low, term);
                    self.put_byte(offset + k, as_byte(ctx, byte));
                }
            }
        }
    }

    /// Writes concrete bytes over anything; bytes of the touched words outside the range keep what they are.
    fn put_bytes(&mut self, offset: usize, bytes: &[u8]) {
        let end = offset + bytes.len();
        let mut at = offset;
        while at < end {
            let word = at / 8;
            let word_end = (word * 8 + 8).min(self.bytes.len());
            let stop = word_end.min(end);
            let covered = at == word * 8 && stop == word_end;
            let current = self.shadow.as_ref().map_or(0, |shadow| shadow[word]);
            if covered && current != 0 {
                self.release_row(word);
                if let Some(shadow) = &mut self.shadow {
                    shadow[word] = 0;
                }
            }
            if covered || current == 0 {
                self.bytes[at..stop].copy_from_slice(&bytes[at - offset..stop - offset]);
            } else {
                for k in at..stop {
                    self.put_byte(k, Byte::Concrete(bytes[k - offset]));
                }
            }
            at = stop;
        }
    }

    /// Lets the row of a word, if it has one, be used again.
    fn release_row(&mut self, word: usize) {
        let current = self.shadow.as_ref().map_or(0, |shadow| shadow[word]);
        if current & ROW != 0 {
            debug_assert!(
                self.free_rows.last() != Some(&(current & !ROW)),
                "a row is freed once"
            );
            self.free_rows.push(current & !ROW);
        }
    }

    /// Replaces one byte.
    pub(crate) fn set_byte(&mut self, ctx: &Ctx, at: usize, byte: Byte) {
        self.unwritten.write(ctx, at, 1);
        self.put_byte(at, byte);
    }

    /// Stores one byte, which is written already.
    fn put_byte(&mut self, at: usize, byte: Byte) {
        self.forget();
        let word = at / 8;
        let current = self.shadow.as_ref().map_or(0, |shadow| shadow[word]);
        if current == 0
            && let Byte::Concrete(byte) = byte
        {
            self.bytes[at] = byte;
            return;
        }
        if current & ROW == 0 {
            let start = word * 8;
            let end = (start + 8).min(self.bytes.len());
            let mut row = [Byte::Concrete(0); 8];
            for at in start..end {
                row[at - start] = self.stored(at);
            }
            row[at % 8] = byte;
            let words = self.bytes.len().div_ceil(8);
            let shadow = self
                .shadow
                .get_or_insert_with(|| vec![0; words].into_boxed_slice());
            match self.free_rows.pop() {
                Some(free) => {
                    shadow[word] = free | ROW;
                    self.rows[free as usize] = row;
                }
                None => {
                    shadow[word] = self.rows.len() as u32 | ROW;
                    self.rows.push(row);
                }
            }
            return;
        }
        let row = &mut self.rows[(current & !ROW) as usize];
        row[at % 8] = byte;
        if !row.iter().all(|byte| matches!(byte, Byte::Concrete(_))) {
            return;
        }
        let row = *row;
        let start = word * 8;
        for (k, byte) in row.iter().enumerate() {
            if let (Byte::Concrete(byte), Some(slot)) = (byte, self.bytes.get_mut(start + k)) {
                *slot = *byte;
            }
        }
        self.release_row(word);
        if let Some(shadow) = &mut self.shadow {
            shadow[word] = 0;
        }
    }

    /// The terms of the contents are out of date.
    #[inline]
    fn forget(&mut self) {
        self.whole = None;
        self.words = None;
    }

    /// Whether a write had a symbolic offset.
    pub(crate) fn has_array(&self) -> bool {
        self.array.is_some() || !self.parts.is_empty()
    }

    /// The array that holds a byte, and where in it.
    fn array_at(&self, at: usize) -> Option<(Term, usize)> {
        match self.array {
            Some(array) => Some((array, at)),
            None => self.parts.array_at(at),
        }
    }

    pub(crate) fn cached_words(&self, bits: u32) -> Option<Term> {
        self.words
            .filter(|(width, _)| *width == bits)
            .map(|(_, table)| table)
    }

    pub(crate) fn cache_words(&mut self, bits: u32, table: Term) {
        self.words = Some((bits, table));
    }

    /// The whole contents as an array of bytes, with zeroes for unwritten ones.
    pub(crate) fn as_array(&mut self, ctx: &Ctx) -> Term {
        if let Some(whole) = self.whole {
            return whole;
        }
        let mut array = match self.array {
            Some(array) => array,
            None => self.concrete_table(ctx),
        };
        debug_assert!(
            self.bytes.len() as u64 <= 1 << INDEX_BITS,
            "an index tells the bytes of an object apart"
        );
        let over_array = self.array.is_some();
        for at in 0..self.bytes.len() {
            let byte = self.stored(at);
            let skip = match byte {
                Byte::Array => over_array,
                Byte::Concrete(_) => !over_array,
                _ => false,
            };
            if !skip {
                let index = ctx.terms.bv(INDEX_BITS, at as u64);
                array = ctx.terms.store(array, index, self.byte_term(ctx, at, byte));
            }
        }
        self.whole = Some(array);
        array
    }

    /// The concrete bytes as a constant array, zero where a byte is not concrete.
    fn concrete_table(&self, ctx: &Ctx) -> Term {
        let bytes: Box<[u8]> = match &self.shadow {
            None => self.bytes.clone(),
            Some(_) => (0..self.bytes.len())
                .map(|at| match self.stored(at) {
                    Byte::Concrete(byte) => byte,
                    _ => 0,
                })
                .collect(),
        };
        let sort = ctx.terms.array_sort(Sort::bv(INDEX_BITS), Sort::bv(8));
        sparse::constant_array(ctx, sort, 8, Table::Bytes(bytes))
    }

    /// Reads at a symbolic offset that is in bounds and in what the access can reach; `offset` has 64 bits. Unwritten bytes are zero.
    pub(crate) fn read_at(&mut self, ctx: &Ctx, offset: Term, bits: u32, reach: Reach) -> Value {
        match self.part_in(reach) {
            Some(part) => self.read_in_part(ctx, offset, bits, part),
            None => self.read_in_whole(ctx, offset, bits),
        }
    }

    fn read_in_whole(&mut self, ctx: &Ctx, offset: Term, bits: u32) -> Value {
        if let Some(word) = self.read_word_at(ctx, offset, bits) {
            return ctx.value(word, bits);
        }
        let array = self.as_array(ctx);
        let len = bits.div_ceil(8);
        let index = ctx.terms.extract(INDEX_BITS - 1, 0, offset);
        let select = |k: u32| {
            let index = ctx.terms.bv_add(index, ctx.terms.bv(INDEX_BITS, k.into()));
            ctx.terms.select(array, index)
        };
        let mut term = select(0);
        for k in 1..len {
            term = ctx.terms.concat(select(k), term);
        }
        if bits == 1 {
            return ctx.flag(ctx.terms.extract(0, 0, term));
        }
        if bits != len * 8 {
            term = ctx.terms.extract(bits - 1, 0, term);
        }
        ctx.value(term, bits)
    }

    /// Writes at a symbolic offset that is in bounds and in what the access can reach: unless it is one of few words, the contents
    /// of that are an array term from now on.
    pub(crate) fn write_at(
        &mut self,
        ctx: &Ctx,
        offset: Term,
        bits: u32,
        value: &Value,
        reach: Reach,
    ) {
        match self.part_in(reach) {
            Some(part) => self.write_in_part(ctx, offset, bits, value, part),
            None => self.write_in_whole(ctx, offset, bits, value),
        }
    }

    fn write_in_whole(&mut self, ctx: &Ctx, offset: Term, bits: u32, value: &Value) {
        if self.write_word_at(ctx, offset, bits, value) {
            return;
        }
        let mut array = self.as_array(ctx);
        let len = bits.div_ceil(8);
        let index = ctx.terms.extract(INDEX_BITS - 1, 0, offset);
        let size = self.bytes.len();
        self.unwritten.write_at(ctx, index, len, size);
        let term = ctx.terms.zero_resize(ctx.bits_term(value, bits), len * 8);
        for k in 0..len {
            let index = ctx.terms.bv_add(index, ctx.terms.bv(INDEX_BITS, k.into()));
            let byte = ctx.terms.extract(k * 8 + 7, k * 8, term);
            array = ctx.terms.store(array, index, byte);
        }
        // Rows are changed in place, so each word has its own.
        let words = self.bytes.len().div_ceil(8) as u32;
        self.rows = vec![[Byte::Array; 8]; words as usize];
        self.free_rows.clear();
        self.shadow = Some((0..words).map(|word| word | ROW).collect());
        self.array = Some(array);
        self.parts = Parts::default();
        self.words = None;
        self.whole = Some(array);
    }

    /// Copies bytes from another object, or a snapshot of this one.
    pub(crate) fn copy_from(&mut self, ctx: &Ctx, to: usize, from: &Object, at: usize, len: usize) {
        if len == 0 {
            return;
        }
        self.forget();
        if from.unwritten.meets(at, len) {
            return self.copy_around(ctx, to, from, at, len);
        }
        self.unwritten.write(ctx, to, len);
        if from.is_plain(at, len) {
            match self.is_plain(to, len) {
                true => self.bytes[to..to + len].copy_from_slice(&from.bytes[at..at + len]),
                false => self.put_bytes(to, &from.bytes[at..at + len]),
            }
            return;
        }
        debug_assert!(
            to + len <= self.bytes.len() && at + len <= from.bytes.len(),
            "bytes are copied in bounds"
        );
        let mut k = 0;
        while k < len {
            let aligned = (to + k).is_multiple_of(8) && (at + k).is_multiple_of(8) && len - k >= 8;
            if aligned {
                let value = from.read(ctx, at + k, 64);
                if matches!(value, Value::Int(_) | Value::Ptr(..)) {
                    self.write(ctx, to + k, 64, &value);
                    k += 8;
                    continue;
                }
            }
            let byte = match from.byte(at + k) {
                Byte::Array => as_byte(ctx, from.byte_term(ctx, at + k, Byte::Array)),
                byte => byte,
            };
            self.put_byte(to + k, byte);
            k += 1;
        }
    }

    /// Fills a range with one byte.
    pub(crate) fn fill(&mut self, ctx: &Ctx, offset: usize, len: usize, value: &Value) {
        if len == 0 {
            return;
        }
        self.forget();
        debug_assert!(
            offset + len <= self.bytes.len(),
            "bytes are filled in bounds"
        );
        self.unwritten.write(ctx, offset, len);
        match ctx.number(value) {
            Some(number) => match self.is_plain(offset, len) {
                true => self.bytes[offset..offset + len].fill(number as u8),
                false => self.put_bytes(offset, &vec![number as u8; len]),
            },
            None => {
                let byte = as_byte(ctx, ctx.term(value, 8));
                for at in offset..offset + len {
                    self.put_byte(at, byte);
                }
            }
        }
    }
}

/// The value of bytes that are all known: numbers, or bytes of pointers, which are numbers in this layout.
fn known(ctx: &Ctx, bytes: &[Byte], bits: u32) -> Option<Value> {
    if let Byte::Ptr {
        object,
        offset,
        index,
    } = bytes[0]
        && bytes.len() <= 8
        && bits as usize == bytes.len() * 8
    {
        let follows = |(k, byte): (usize, &Byte)| {
            let index = index + k as u8;
            *byte
                == Byte::Ptr {
                    object,
                    offset,
                    index,
                }
        };
        if bytes.iter().enumerate().all(follows) {
            return Some(match bytes.len() {
                8 => Value::Ptr(object, offset),
                len => Value::Part {
                    object,
                    offset,
                    index,
                    len: len as u8,
                },
            });
        }
    }
    debug_assert_eq!(
        bytes.len(),
        bits.div_ceil(8) as usize,
        "a byte for every eight bits"
    );
    let mut number = 0u128;
    for (k, byte) in bytes.iter().enumerate() {
        let byte = match *byte {
            Byte::Concrete(byte) => byte,
            Byte::Ptr {
                object,
                offset,
                index,
            } => {
                let address = ctx.addresses.base_of(object).wrapping_add(offset);
                (address >> (u32::from(index) * 8)) as u8
            }
            Byte::Sym(_) | Byte::Array | Byte::Unwritten => return None,
        };
        match k {
            0..16 => number |= u128::from(byte) << (8 * k),
            _ if byte != 0 => return None,
            _ => {}
        }
    }
    Some(Value::wide(number, bits))
}

/// The cheapest byte equal to an eight-bit term.
fn as_byte(ctx: &Ctx, term: Term) -> Byte {
    match ctx.terms.as_u64(term) {
        Some(byte) => Byte::Concrete(byte as u8),
        None => Byte::Sym(term),
    }
}

#[inline]
fn little(bytes: &[u8]) -> u64 {
    match <[u8; 8]>::try_from(bytes) {
        Ok(bytes) => u64::from_le_bytes(bytes),
        Err(_) => bytes
            .iter()
            .rev()
            .fold(0, |n, &byte| n << 8 | u64::from(byte)),
    }
}
