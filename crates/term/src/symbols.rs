//! Symbols (constants, functions, bound variables) and interned sets of them.
//!
//! Every node knows the set of its free symbols. Sets of up to [`EXACT`] symbols are interned and found in
//! constant time; larger ones are [`SymSet::MANY`] and computed on demand, so that a term over a million
//! symbols does not cost a million sets.

use crate::Sort;
use crate::chunks::Chunks;
use hashbrown::HashTable;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use stet_base::FastMap;

/// A symbol of some [`Terms`](crate::Terms).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sym(pub(crate) u32);

/// What is known about a symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymbolInfo {
    /// Its name, as printed.
    pub name: Arc<str>,
    /// The sorts of its arguments; empty for a constant.
    pub params: Arc<[Sort]>,
    /// The sort of the symbol or of its applications.
    pub sort: Sort,
    /// Whether it is meant to be bound by a quantifier.
    pub bound: bool,
    /// Bits that every term containing the symbol inherits; their meaning is the caller's.
    pub mark: u8,
}

pub(crate) struct Symbols {
    infos: Chunks<SymbolInfo>,
    ids: Mutex<HashMap<SymbolInfo, Sym>>,
}

impl Symbols {
    pub(crate) fn new() -> Self {
        Symbols {
            infos: Chunks::new(),
            ids: Mutex::new(HashMap::new()),
        }
    }

    pub(crate) fn intern(&self, info: SymbolInfo) -> Sym {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&symbol) = ids.get(&info) {
            return symbol;
        }
        let position = self.infos.push(info.clone());
        let symbol = Sym(u32::try_from(position).expect("fewer than 2^32 symbols"));
        ids.insert(info, symbol);
        symbol
    }

    #[inline]
    pub(crate) fn info(&self, symbol: Sym) -> &SymbolInfo {
        self.infos.get(symbol.0 as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.infos.len()
    }
}

/// The largest set kept exactly.
pub(crate) const EXACT: usize = 48;

/// An interned set of symbols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SymSet(u32);

impl SymSet {
    pub(crate) const EMPTY: SymSet = SymSet(0);
    pub(crate) const MANY: SymSet = SymSet(u32::MAX);
}

const UNION_SHARDS: usize = 16;

pub(crate) struct SymSets {
    sets: Chunks<Box<[Sym]>>,
    ids: Mutex<HashTable<SymSet>>,
    unions: Vec<Mutex<FastMap<(SymSet, SymSet), SymSet>>>,
}

fn hash_symbols(symbols: &[Sym]) -> u64 {
    let mut hash = symbols.len() as u64;
    for symbol in symbols {
        hash = crate::pool::mix(hash, u64::from(symbol.0));
    }
    hash
}

impl SymSets {
    pub(crate) fn new() -> Self {
        let sets = Chunks::new();
        sets.push(Box::from([]));
        SymSets {
            sets,
            ids: Mutex::new(HashTable::new()),
            unions: (0..UNION_SHARDS)
                .map(|_| Mutex::new(FastMap::default()))
                .collect(),
        }
    }

    /// The members, unless there are too many.
    #[inline]
    pub(crate) fn members(&self, set: SymSet) -> Option<&[Sym]> {
        (set != SymSet::MANY).then(|| &**self.sets.get(set.0 as usize))
    }

    /// The set of sorted symbols without repetition.
    pub(crate) fn intern(&self, symbols: &[Sym]) -> SymSet {
        if symbols.is_empty() {
            return SymSet::EMPTY;
        }
        if symbols.len() > EXACT {
            return SymSet::MANY;
        }
        let hash = hash_symbols(symbols);
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |set: &SymSet| **self.sets.get(set.0 as usize) == *symbols;
        if let Some(&set) = ids.find(hash, same) {
            return set;
        }
        let position = self.sets.push(symbols.into());
        let set = SymSet(u32::try_from(position).expect("fewer than 2^32 sets"));
        ids.insert_unique(hash, set, |set| hash_symbols(self.sets.get(set.0 as usize)));
        set
    }

    #[inline]
    pub(crate) fn union(&self, a: SymSet, b: SymSet) -> SymSet {
        if a == b || b == SymSet::EMPTY {
            return a;
        }
        if a == SymSet::EMPTY {
            return b;
        }
        if a == SymSet::MANY || b == SymSet::MANY {
            return SymSet::MANY;
        }
        self.union_slow(a, b)
    }

    fn union_slow(&self, a: SymSet, b: SymSet) -> SymSet {
        let key = if a.0 < b.0 { (a, b) } else { (b, a) };
        let shard = &self.unions[(key.0.0 ^ key.1.0) as usize % UNION_SHARDS];
        let mut memo = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&set) = memo.get(&key) {
            return set;
        }
        let (left, right) = (self.sets.get(a.0 as usize), self.sets.get(b.0 as usize));
        let mut all: Vec<Sym> = left.iter().chain(right.iter()).copied().collect();
        all.sort_unstable();
        all.dedup();
        let set = self.intern(&all);
        memo.insert(key, set);
        set
    }

    /// `set` without `removed`; `MANY` stays `MANY`.
    pub(crate) fn without(&self, set: SymSet, removed: &[Sym]) -> SymSet {
        match self.members(set) {
            None => set,
            Some(members) => {
                let kept: Vec<Sym> = members
                    .iter()
                    .copied()
                    .filter(|symbol| !removed.contains(symbol))
                    .collect();
                self.intern(&kept)
            }
        }
    }
}
