//! The machine word: a 64-bit cell with its tag in the low three bits.
//!
//! | tag | meaning | rest of the word |
//! |---|---|---|
//! | `REF` | variable (unbound: points to itself) | cell index |
//! | `LST` | list pair: two cells at the index | cell index |
//! | `STR` | structure: functor header at the index, arguments behind it | cell index |
//! | `CON` | atom | atom number |
//! | `ATT` | attributed variable (unbound: points to itself); its attributes are the next cell | cell index |
//! | `BOX` | float, big integer or string: header at the index, raw words behind it | cell index |
//! | `INT` | small integer | 61 bits, signed |
//! | `HDR` | header of a structure or box; only ever found on the heap | kind, size, atom |
//!
//! The two kinds of variable differ in one bit, so that one test finds both. Index and tag are laid out so
//! that `cell - tag` is the byte offset of the cell pointed to.

use stet_prolog::Atom;

/// A tagged word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(pub u64);

pub(crate) const REF: u64 = 0;
pub(crate) const LST: u64 = 1;
pub(crate) const STR: u64 = 2;
pub(crate) const CON: u64 = 3;
pub(crate) const ATT: u64 = 4;
pub(crate) const BOX: u64 = 5;
pub(crate) const INT: u64 = 6;
pub(crate) const HDR: u64 = 7;

/// The kinds of header.
pub(crate) const KIND_FUNCTOR: u64 = 0;
pub(crate) const KIND_FLOAT: u64 = 1;
pub(crate) const KIND_BIG: u64 = 2;
pub(crate) const KIND_STRING: u64 = 3;
pub(crate) const KIND_RATIO: u64 = 4;

/// The largest and smallest integer that fit a cell.
pub(crate) const MAX_SMALL: i64 = (1 << 60) - 1;
pub(crate) const MIN_SMALL: i64 = -(1 << 60);

/// The largest arity of a structure or size of a box, in words.
pub(crate) const MAX_SIZE: usize = (1 << 24) - 1;

impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const NAMES: [&str; 8] = ["REF", "LST", "STR", "CON", "ATT", "BOX", "INT", "HDR"];
        write!(f, "{}:{}", NAMES[self.tag() as usize], (self.0 as i64) >> 3)
    }
}

impl Cell {
    #[inline(always)]
    pub(crate) const fn tag(self) -> u64 {
        self.0 & 7
    }

    /// The index a pointer cell points to.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        (self.0 >> 3) as usize
    }

    #[inline(always)]
    pub(crate) const fn pointer(tag: u64, index: usize) -> Cell {
        Cell((index as u64) << 3 | tag)
    }

    #[inline(always)]
    pub(crate) const fn var(index: usize) -> Cell {
        Cell((index as u64) << 3)
    }

    #[inline(always)]
    pub const fn atom(atom: Atom) -> Cell {
        Cell((atom.0 as u64) << 3 | CON)
    }

    /// A small integer; the caller knows it fits.
    #[inline(always)]
    pub(crate) const fn small(value: i64) -> Cell {
        debug_assert!(fits_small(value), "a small integer fits its cell");
        Cell((value as u64) << 3 | INT)
    }

    /// The value of a small integer.
    #[inline(always)]
    pub(crate) const fn small_value(self) -> i64 {
        (self.0 as i64) >> 3
    }

    /// The functor header of `name/arity`.
    #[inline(always)]
    pub(crate) const fn functor(name: Atom, arity: usize) -> Cell {
        debug_assert!(arity <= MAX_SIZE, "an arity fits its header");
        Cell((name.0 as u64) << 32 | (arity as u64) << 8 | HDR)
    }

    /// The header of a box of `words` raw words; `extra` is kept in the upper half.
    pub(crate) const fn box_header(kind: u64, words: usize, extra: u32) -> Cell {
        debug_assert!(
            words <= MAX_SIZE && kind != KIND_FUNCTOR && kind < 32,
            "a size and a kind fit their header"
        );
        Cell((extra as u64) << 32 | (words as u64) << 8 | kind << 3 | HDR)
    }

    /// The kind of a header.
    #[inline(always)]
    pub(crate) const fn kind(self) -> u64 {
        debug_assert!(self.tag() == HDR, "headers have kinds");
        self.0 >> 3 & 31
    }

    /// The arity of a functor header, or the number of raw words of a box.
    #[inline(always)]
    pub(crate) const fn arity(self) -> usize {
        debug_assert!(self.tag() == HDR, "headers have sizes");
        (self.0 >> 8 & 0xff_ffff) as usize
    }

    /// The name of a functor header.
    #[inline(always)]
    pub(crate) const fn name(self) -> Atom {
        debug_assert!(self.tag() == HDR, "functors have names");
        Atom((self.0 >> 32) as u32)
    }

    /// The upper half of a box header.
    pub(crate) const fn extra(self) -> u32 {
        debug_assert!(
            self.tag() == HDR && self.kind() != KIND_FUNCTOR,
            "headers of boxes have an upper half"
        );
        (self.0 >> 32) as u32
    }

    /// The atom of an atom cell.
    #[inline(always)]
    pub(crate) const fn as_atom(self) -> Option<Atom> {
        if self.tag() == CON {
            Some(Atom((self.0 >> 3) as u32))
        } else {
            None
        }
    }

    #[inline(always)]
    pub(crate) const fn is_atom(self, atom: Atom) -> bool {
        self.0 == Cell::atom(atom).0
    }

    /// Whether the cell is an unbound variable of either kind (after dereferencing).
    #[inline(always)]
    pub(crate) const fn is_var(self) -> bool {
        matches!(self.tag(), REF | ATT)
    }

    /// Whether the cell is small integer.
    #[inline(always)]
    pub(crate) const fn is_small(self) -> bool {
        self.tag() == INT
    }

    /// Whether the cell is an atom, number or string.
    #[inline(always)]
    pub(crate) const fn is_atomic(self) -> bool {
        matches!(self.tag(), CON | INT | BOX)
    }

    /// Whether the cell points into the heap.
    #[inline(always)]
    pub(crate) const fn is_pointer(self) -> bool {
        matches!(self.tag(), REF | LST | STR | BOX | ATT)
    }
}

/// Whether an integer fits a cell.
#[inline(always)]
pub(crate) const fn fits_small(value: i64) -> bool {
    value >= MIN_SMALL && value <= MAX_SMALL
}
