//! The constraints of a path, kept in independent groups so that a query needs only those that share a
//! symbol with it, directly or through others (*slicing*, [AAQC §III-B]).
//!
//! A [`PathConstraints`] is a value: cloning it at a fork is one reference count, adding a constraint copies
//! the list of groups and the one group it joins. Base addresses do not connect groups: they stand for
//! constants.
//!
//! Invariants: the symbols of different groups are disjoint; a group's constraints are sorted without
//! repetition; its witness, if any, satisfies all of them.

use super::witness::Witness;
use std::sync::Arc;
use stet_term::{Sym, Term};

/// Constraints connected by shared symbols.
#[derive(Debug)]
pub(crate) struct Group {
    symbols: Box<[Sym]>,
    /// One bit per hashed symbol: most groups are told apart by one operation.
    filter: u64,
    pub(crate) constraints: Box<[Term]>,
    /// Symbols that a constraint equates with a constant, sorted.
    fixed: Box<[Sym]>,
    pub(crate) witness: Option<Arc<Witness>>,
}

/// The constraints of a path.
#[derive(Clone, Debug)]
pub(crate) struct PathConstraints {
    groups: Arc<[Arc<Group>]>,
}

impl Default for PathConstraints {
    fn default() -> Self {
        PathConstraints {
            groups: Arc::from([]),
        }
    }
}

/// What a query needs of a path.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) groups: Vec<Arc<Group>>,
}

impl Slice {
    /// The constraints of all groups, unsorted.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = Term> + '_ {
        self.groups
            .iter()
            .flat_map(|group| group.constraints.iter().copied())
    }

    /// Whether each of these symbols has one value only, known from every witness.
    pub(crate) fn fixes(&self, symbols: &[Sym]) -> bool {
        let fixed = |symbol: &Sym| {
            self.groups
                .iter()
                .any(|group| group.fixed.binary_search(symbol).is_ok())
        };
        !symbols.is_empty() && symbols.iter().all(fixed)
    }

    /// Whether a constraint is among them.
    pub(crate) fn contains(&self, term: Term) -> bool {
        self.groups
            .iter()
            .any(|group| group.constraints.binary_search(&term).is_ok())
    }
}

fn bit(symbol: Sym) -> u64 {
    let hash = symbol_number(symbol).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    1 << (hash >> 58)
}

fn symbol_number(symbol: Sym) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault};
    BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(symbol)
}

fn filter_of(symbols: &[Sym]) -> u64 {
    symbols
        .iter()
        .fold(0, |filter, &symbol| filter | bit(symbol))
}

impl Group {
    /// The symbols of its constraints, sorted.
    pub(crate) fn symbols(&self) -> &[Sym] {
        &self.symbols
    }

    fn touches(&self, symbols: &[Sym], filter: u64) -> bool {
        self.filter & filter != 0
            && symbols
                .iter()
                .any(|symbol| self.symbols.binary_search(symbol).is_ok())
    }
}

impl PathConstraints {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// All constraints, group by group.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Term> + '_ {
        self.groups
            .iter()
            .flat_map(|group| group.constraints.iter().copied())
    }

    /// How many constraints there are.
    pub(crate) fn len(&self) -> usize {
        self.groups
            .iter()
            .map(|group| group.constraints.len())
            .sum()
    }

    /// The groups that share one of the sorted `symbols`.
    pub(crate) fn slice(&self, symbols: &[Sym]) -> Slice {
        debug_assert!(symbols.is_sorted(), "symbols are looked up by halving");
        let filter = filter_of(symbols);
        let touching = self
            .groups
            .iter()
            .filter(|group| group.touches(symbols, filter));
        Slice {
            groups: touching.cloned().collect(),
        }
    }

    /// All groups: what a query needs when slicing is off.
    pub(crate) fn everything(&self) -> Slice {
        Slice {
            groups: self.groups.to_vec(),
        }
    }

    /// Adds a constraint with its sorted symbols; `fixed` is the symbol it equates with a constant, if that is
    /// what it does; `witness` must satisfy it and everything connected to it.
    pub(crate) fn add(
        &mut self,
        constraint: Term,
        symbols: &[Sym],
        fixed: Option<Sym>,
        witness: Option<Arc<Witness>>,
    ) {
        debug_assert!(symbols.is_sorted(), "symbols are looked up by halving");
        let filter = filter_of(symbols);
        let (joined, mut kept): (Vec<_>, Vec<_>) = self
            .groups
            .iter()
            .cloned()
            .partition(|group| group.touches(symbols, filter));
        let mut all_symbols = symbols.to_vec();
        let mut constraints = vec![constraint];
        let mut fixed: Vec<Sym> = fixed.into_iter().collect();
        for group in &joined {
            fixed.extend(&group.fixed);
            all_symbols.extend(&group.symbols);
            constraints.extend(&group.constraints);
        }
        all_symbols.sort_unstable();
        all_symbols.dedup();
        constraints.sort_unstable();
        constraints.dedup();
        fixed.sort_unstable();
        fixed.dedup();
        let joined_filter = filter_of(&all_symbols);
        debug_assert!(
            kept.iter()
                .all(|group| !group.touches(&all_symbols, joined_filter)),
            "the symbols of different groups are disjoint"
        );
        debug_assert!(
            fixed
                .iter()
                .all(|symbol| all_symbols.binary_search(symbol).is_ok()),
            "a symbol that is fixed is one of the group"
        );
        kept.push(Arc::new(Group {
            filter: joined_filter,
            symbols: all_symbols.into(),
            constraints: constraints.into(),
            fixed: fixed.into(),
            witness,
        }));
        self.groups = kept.into();
    }
}
