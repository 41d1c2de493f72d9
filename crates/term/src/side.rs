//! Side tables of a pool: big numbers, names, contents of constant arrays, shapes of quantifiers.
//! Each value is stored once and named by a four-byte id.

use crate::Term;
use crate::chunks::Chunks;
use crate::op::{BigId, NameId, QuantId, TableId};
use num_bigint::BigInt;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Values interned to positions.
pub(crate) struct Side<T> {
    items: Chunks<Arc<T>>,
    ids: Mutex<HashMap<Arc<T>, u32>>,
}

impl<T: Eq + Hash> Side<T> {
    pub(crate) fn new() -> Self {
        Side {
            items: Chunks::new(),
            ids: Mutex::new(HashMap::new()),
        }
    }

    pub(crate) fn intern(&self, value: T) -> u32 {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = ids.get(&value) {
            return id;
        }
        let value = Arc::new(value);
        let position = self.items.push(value.clone());
        let id = u32::try_from(position).expect("fewer than 2^32 side values");
        ids.insert(value, id);
        id
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> &Arc<T> {
        self.items.get(id as usize)
    }
}

/// The contents of a constant array: elements for the first indices; what follows is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Table {
    /// Elements of eight bits.
    Bytes(Box<[u8]>),
    /// Elements of at most 64 bits.
    Words(Box<[u64]>),
}

impl Table {
    /// The element at an index.
    #[inline]
    pub fn get(&self, index: u64) -> u64 {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        match self {
            Table::Bytes(bytes) => bytes.get(index).map_or(0, |&byte| byte.into()),
            Table::Words(words) => words.get(index).copied().unwrap_or(0),
        }
    }

    /// How many elements are given.
    pub fn len(&self) -> usize {
        match self {
            Table::Bytes(bytes) => bytes.len(),
            Table::Words(words) => words.len(),
        }
    }

    /// Whether no element is given.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Equal contents have one form: no zeros at the end.
    pub(crate) fn trimmed(self) -> Table {
        let len = (0..self.len())
            .rev()
            .find(|&i| self.get(i as u64) != 0)
            .map_or(0, |last| last + 1);
        match self {
            table if table.len() == len => table,
            Table::Bytes(bytes) => Table::Bytes(bytes[..len].into()),
            Table::Words(words) => Table::Words(words[..len].into()),
        }
    }
}

/// What a quantifier has besides its bound symbols and its body.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quantifier {
    /// The patterns (triggers); each is a list of terms.
    pub patterns: Vec<Vec<Term>>,
    /// Terms that must not be used as patterns.
    pub no_patterns: Vec<Term>,
    /// The weight, if given.
    pub weight: Option<u32>,
    /// The name for profiling and models, if given.
    pub qid: Option<Arc<str>>,
    /// The name of Skolem symbols, if given.
    pub skolem_id: Option<Arc<str>>,
}

/// A quantifier without its terms, which are arguments of the node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct QuantShape {
    pub(crate) bound: usize,
    pub(crate) patterns: Vec<usize>,
    pub(crate) no_patterns: usize,
    pub(crate) weight: Option<u32>,
    pub(crate) qid: Option<Arc<str>>,
    pub(crate) skolem_id: Option<Arc<str>>,
}

/// All side tables.
pub(crate) struct Sides {
    bigs: Side<BigInt>,
    names: Side<String>,
    tables: Side<Table>,
    quants: Side<QuantShape>,
}

impl Sides {
    pub(crate) fn new() -> Self {
        Sides {
            bigs: Side::new(),
            names: Side::new(),
            tables: Side::new(),
            quants: Side::new(),
        }
    }

    pub(crate) fn big(&self, value: BigInt) -> BigId {
        BigId(self.bigs.intern(value))
    }

    pub(crate) fn big_value(&self, id: BigId) -> &BigInt {
        self.bigs.get(id.0)
    }

    pub(crate) fn name(&self, value: &str) -> NameId {
        NameId(self.names.intern(value.to_owned()))
    }

    pub(crate) fn name_text(&self, id: NameId) -> &str {
        self.names.get(id.0)
    }

    pub(crate) fn table(&self, value: Table) -> TableId {
        TableId(self.tables.intern(value.trimmed()))
    }

    pub(crate) fn table_content(&self, id: TableId) -> &Table {
        self.tables.get(id.0)
    }

    pub(crate) fn quant(&self, value: QuantShape) -> QuantId {
        QuantId(self.quants.intern(value))
    }

    pub(crate) fn quant_shape(&self, id: QuantId) -> &QuantShape {
        self.quants.get(id.0)
    }
}
