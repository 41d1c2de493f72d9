//! Symbolic base addresses [AAQC §III-A].
//!
//! Every object has a base address β, a marked symbol, and a hidden concrete base. β is determined by the pair (concrete base,
//! size): states that allocate alike share their symbols, and a symbol alone tells size and base. Terms mention β;
//! the hidden base is substituted only where a solver needs numbers ([`AddressTable::base_of`]).
//!
//! Invariant: within one state the live objects, and all objects it ever had that may still be mentioned, do not
//! overlap, and at least [`RED_ZONE`] bytes lie between them.

use crate::query::{AddressView, Object};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use stet_base::{FastMap, IdVec};
use stet_term::{Op, Sort, Sym, Term, Terms};

stet_base::define_id!(
    /// An object of the explored program: a pair of hidden base and size.
    pub struct ObjectId;
);

pub(crate) use crate::query::address::{ADDRESS_MARK, RED_ZONE};
/// Every base is a multiple of this, so low bits of pointers are known without knowing the layout.
pub const BASE_ALIGN: u64 = 16;

/// Where globals and functions are.
pub(crate) const GLOBAL_START: u64 = 0x1_0000;
/// Where `malloc` starts.
pub(crate) const HEAP_START: u64 = 0x1000_0000_0000;
/// Where segments start: no pointer of the program is there.
pub(crate) const SEGMENT_START: u64 = 0x6000_0000_0000;
/// Where stack objects whose address escapes start.
pub(crate) const STACK_START: u64 = 0x7000_0000_0000;
/// Where stack objects whose address stays in its frame start; only these reuse addresses.
pub(crate) const LOCAL_START: u64 = 0x7800_0000_0000;

/// How addresses are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allocator {
    /// One counter for the whole run, as an ordinary `malloc` would behave.
    Bump,
    /// One counter per state: equal paths give equal addresses.
    PerState,
}

#[derive(Debug)]
struct Entry {
    base: u64,
    size: u64,
    symbol: Cell<Option<Term>>,
}

/// All base addresses of a run.
#[derive(Debug, Default)]
pub struct AddressTable {
    entries: RefCell<IdVec<ObjectId, Entry>>,
    by_place: RefCell<FastMap<(u64, u64), ObjectId>>,
    by_symbol: RefCell<FastMap<Sym, ObjectId>>,
    by_base: RefCell<BTreeMap<u64, Vec<ObjectId>>>,
    /// The size of the largest object.
    largest: Cell<u64>,
}

impl AddressTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The object with this base and size.
    pub fn at(&self, base: u64, size: u64) -> ObjectId {
        debug_assert!(
            base.checked_add(size).is_some(),
            "an object ends in the address space"
        );
        let mut places = self.by_place.borrow_mut();
        *places.entry((base, size)).or_insert_with(|| {
            let id = self.entries.borrow_mut().push(Entry {
                base,
                size,
                symbol: Cell::new(None),
            });
            self.by_base.borrow_mut().entry(base).or_default().push(id);
            self.largest.set(self.largest.get().max(size));
            id
        })
    }

    /// The hidden concrete base.
    #[inline]
    pub fn base_of(&self, object: ObjectId) -> u64 {
        self.entries.borrow()[object].base
    }

    /// The size in bytes.
    pub fn size_of(&self, object: ObjectId) -> u64 {
        self.entries.borrow()[object].size
    }

    /// β of an object, 64 bits wide.
    pub fn symbol(&self, terms: &Terms, object: ObjectId) -> Term {
        let entries = self.entries.borrow();
        let entry = &entries[object];
        if let Some(symbol) = entry.symbol.get() {
            return symbol;
        }
        let name = format!("base.{:x}.{:x}", entry.base, entry.size);
        let term = terms.marked_symbol(&name, Sort::bv(64), ADDRESS_MARK);
        if let Op::Symbol(symbol) = terms.op(term) {
            self.by_symbol.borrow_mut().insert(symbol, object);
        }
        debug_assert!(
            terms.marks(term) & ADDRESS_MARK != 0,
            "a base address is a marked symbol"
        );
        entry.symbol.set(Some(term));
        term
    }

    /// The object whose β a symbol is.
    pub fn object_of(&self, symbol: Sym) -> Option<ObjectId> {
        self.by_symbol.borrow().get(&symbol).copied()
    }

    /// The object, size and hidden base behind a symbol.
    pub fn lookup(&self, symbol: Sym) -> Option<(ObjectId, u64, u64)> {
        let object = self.object_of(symbol)?;
        let entries = self.entries.borrow();
        let entry = &entries[object];
        Some((object, entry.size, entry.base))
    }

    /// Objects that could contain a concrete address, nearest base first; the caller checks which of them is alive.
    pub fn around(&self, address: u64) -> Vec<ObjectId> {
        let bases = self.by_base.borrow();
        let entries = self.entries.borrow();
        // every state's objects are here, so many small ones of another state may lie before a large one's base
        let lowest = address.saturating_sub(self.largest.get());
        let near = bases.range(lowest..=address).rev();
        near.flat_map(|(_, ids)| ids.iter().copied())
            .filter(|&id| {
                let entry = &entries[id];
                address - entry.base < entry.size.max(1)
            })
            .collect()
    }

    /// Objects that have bytes in a range of addresses; the caller checks which of them are alive.
    pub fn between(&self, (from, to): (u64, u64)) -> Vec<ObjectId> {
        let bases = self.by_base.borrow();
        let entries = self.entries.borrow();
        let lowest = from.saturating_sub(self.largest.get());
        let near = bases.range(lowest..to);
        near.flat_map(|(_, ids)| ids.iter().copied())
            .filter(|&id| entries[id].base + entries[id].size.max(1) > from)
            .collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Whether there is no object yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl AddressView for AddressTable {
    fn object(&self, symbol: Sym) -> Option<Object> {
        let (_, size, base) = self.lookup(symbol)?;
        Some(Object { base, size })
    }
}

/// The next free addresses of a state (or of the run, see [`Allocator`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursors {
    pub(crate) heap: u64,
    pub(crate) stack: u64,
    pub(crate) local: u64,
    pub(crate) segment: u64,
}

impl Cursors {
    pub(crate) fn new() -> Self {
        Cursors {
            heap: HEAP_START,
            stack: STACK_START,
            local: LOCAL_START,
            segment: SEGMENT_START,
        }
    }

    /// Addresses that are free in both.
    pub(crate) fn beyond(&self, other: &Cursors) -> Cursors {
        Cursors {
            heap: self.heap.max(other.heap),
            stack: self.stack.max(other.stack),
            local: self.local.max(other.local),
            segment: self.segment.max(other.segment),
        }
    }
}

/// Takes an aligned base from a cursor and moves it past the object and its red zone.
pub(crate) fn take(cursor: &mut u64, size: u64, align: u64) -> u64 {
    let align = align.max(BASE_ALIGN);
    let base = cursor.div_ceil(align) * align;
    *cursor = base
        .saturating_add(size)
        .saturating_add(RED_ZONE)
        .div_ceil(BASE_ALIGN)
        * BASE_ALIGN;
    debug_assert!(
        base.is_multiple_of(BASE_ALIGN),
        "low bits of pointers are known"
    );
    debug_assert!(
        base + size < *cursor,
        "at least the red zone lies between objects"
    );
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_tell_size_and_base() {
        let terms = Terms::new();
        let table = AddressTable::new();
        let mut cursor = HEAP_START;
        let a = table.at(take(&mut cursor, 5, 1), 5);
        let b = table.at(take(&mut cursor, 5, 64), 5);
        assert_ne!(a, b);
        assert_eq!(table.at(table.base_of(a), 5), a);
        assert!(table.base_of(b) >= table.base_of(a) + 5 + RED_ZONE);
        assert_eq!(table.base_of(b) % 64, 0);
        let term = table.symbol(&terms, b);
        assert_eq!(terms.marks(term), ADDRESS_MARK);
        let Op::Symbol(symbol) = terms.op(term) else {
            panic!("not a symbol")
        };
        assert_eq!(table.lookup(symbol), Some((b, 5, table.base_of(b))));
        let user = terms.symbol(&terms.symbol_info(symbol).name.clone(), Sort::bv(64));
        assert_ne!(user, term, "a user's name never means an address");
        assert_eq!(table.around(table.base_of(b) + 4), [b]);
        assert!(table.around(table.base_of(b) + 5).is_empty());
    }
}
