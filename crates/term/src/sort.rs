//! Sorts: four bytes each, with bit-vector widths inside the id, so that the hot questions ("is this a
//! bit-vector, how wide?") need no table.

use crate::chunks::Chunks;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A sort of some [`Terms`](crate::Terms).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sort(u32);

const _: () = assert!(std::mem::size_of::<Sort>() == 4);

const BIT_VECTOR: u32 = 1 << 31;
const TABLE_START: u32 = 3;

impl Sort {
    pub const BOOL: Sort = Sort(0);
    pub const INT: Sort = Sort(1);
    pub const REAL: Sort = Sort(2);

    /// Bit-vectors of a positive width.
    #[inline]
    pub fn bv(width: u32) -> Sort {
        debug_assert!(width > 0 && width < BIT_VECTOR);
        Sort(BIT_VECTOR | width)
    }

    /// The width, if this is a bit-vector sort.
    #[inline]
    pub fn bv_width(self) -> Option<u32> {
        (self.0 & BIT_VECTOR != 0).then_some(self.0 & !BIT_VECTOR)
    }

    pub(crate) fn raw(self) -> u32 {
        self.0
    }
}

impl std::fmt::Debug for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (*self, self.bv_width()) {
            (_, Some(width)) => write!(f, "Bv{width}"),
            (Sort::BOOL, _) => f.write_str("Bool"),
            (Sort::INT, _) => f.write_str("Int"),
            (Sort::REAL, _) => f.write_str("Real"),
            _ => write!(f, "Sort#{}", self.0),
        }
    }
}

/// What a sort is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortKind<'a> {
    Bool,
    Int,
    Real,
    /// Bit-vectors of this width.
    BitVec(u32),
    Array {
        /// What they are indexed by.
        index: Sort,
        /// What they contain.
        element: Sort,
    },
    /// A declared sort applied to sorts.
    Uninterpreted {
        /// The declared name.
        name: &'a str,
        /// The arguments of the sort constructor.
        args: &'a [Sort],
    },
    /// An algebraic datatype, by name.
    Datatype {
        /// The declared name.
        name: &'a str,
    },
    /// A sort of the solver that terms treat as opaque, printed as it is: `String`, `(_ FloatingPoint 8 24)`.
    Builtin(&'a str),
}

/// A constructor of a datatype.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constructor {
    pub name: String,
    /// Selector names and their sorts.
    pub fields: Vec<(String, Sort)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Stored {
    Array(Sort, Sort),
    Uninterpreted(String, Vec<Sort>),
    Datatype(String),
    Builtin(String),
}

struct Entry {
    stored: Stored,
    /// Only for datatypes; set once, later than the sort itself so that constructors can mention it.
    constructors: OnceLock<Vec<Constructor>>,
}

/// The table of compound sorts.
pub(crate) struct Sorts {
    entries: Chunks<Entry>,
    ids: Mutex<HashMap<Stored, Sort>>,
}

impl Sorts {
    pub(crate) fn new() -> Self {
        Sorts {
            entries: Chunks::new(),
            ids: Mutex::new(HashMap::new()),
        }
    }

    fn intern(&self, stored: Stored) -> Sort {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&sort) = ids.get(&stored) {
            return sort;
        }
        let position = self.entries.push(Entry {
            stored: stored.clone(),
            constructors: OnceLock::new(),
        });
        let sort = Sort(u32::try_from(position).expect("few sorts") + TABLE_START);
        ids.insert(stored, sort);
        sort
    }

    pub(crate) fn array(&self, index: Sort, element: Sort) -> Sort {
        self.intern(Stored::Array(index, element))
    }

    pub(crate) fn uninterpreted(&self, name: &str, args: &[Sort]) -> Sort {
        self.intern(Stored::Uninterpreted(name.to_owned(), args.to_vec()))
    }

    pub(crate) fn datatype(&self, name: &str) -> Sort {
        self.intern(Stored::Datatype(name.to_owned()))
    }

    pub(crate) fn builtin(&self, text: &str) -> Sort {
        self.intern(Stored::Builtin(text.to_owned()))
    }

    fn entry(&self, sort: Sort) -> &Entry {
        self.entries.get((sort.0 - TABLE_START) as usize)
    }

    pub(crate) fn define(&self, sort: Sort, constructors: Vec<Constructor>) -> bool {
        let entry = self.entry(sort);
        matches!(entry.stored, Stored::Datatype(_))
            && (entry.constructors.set(constructors.clone()).is_ok()
                || entry.constructors.get() == Some(&constructors))
    }

    pub(crate) fn constructors(&self, sort: Sort) -> &[Constructor] {
        if sort.0 < TABLE_START || sort.bv_width().is_some() {
            return &[];
        }
        self.entry(sort).constructors.get().map_or(&[], |c| c)
    }

    pub(crate) fn kind(&self, sort: Sort) -> SortKind<'_> {
        if let Some(width) = sort.bv_width() {
            return SortKind::BitVec(width);
        }
        match sort {
            Sort::BOOL => SortKind::Bool,
            Sort::INT => SortKind::Int,
            Sort::REAL => SortKind::Real,
            _ => match &self.entry(sort).stored {
                Stored::Array(index, element) => SortKind::Array {
                    index: *index,
                    element: *element,
                },
                Stored::Uninterpreted(name, args) => SortKind::Uninterpreted { name, args },
                Stored::Datatype(name) => SortKind::Datatype { name },
                Stored::Builtin(text) => SortKind::Builtin(text),
            },
        }
    }
}
