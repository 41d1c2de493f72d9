//! The address-aware cache [AAQC §III-B]: verdicts by canonical key.
//!
//! An entry holds values by *position* in the canonical query, so translating a witness through the
//! bijection is reading them with the positions of the present query.

use super::canon::CanonicalQuery;
use super::witness::{SymbolValue, Witness};
use stet_base::FastMap;
use stet_key::Digest;

/// What is known about all queries with one key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// Satisfiable once, with these values by position; to be certified under the present layout.
    Satisfiable(Vec<(u32, SymbolValue)>),
    /// Unsatisfiable under every layout.
    Unsatisfiable,
    /// Unsatisfiable under some layout; whether under every layout is judged when it is asked under another one.
    Unjudged,
    /// Unsatisfiable under some layout, for reasons that may not hold under another.
    DependsOnLayout,
}

/// Verdicts by canonical key.
#[derive(Default)]
pub(crate) struct AwareCache {
    entries: FastMap<Digest, Known>,
}

impl AwareCache {
    pub(crate) fn get(&self, query: &CanonicalQuery) -> Option<&Known> {
        self.entries.get(&query.key)
    }

    pub(crate) fn insert(&mut self, query: &CanonicalQuery, known: Known) {
        self.entries.insert(query.key, known);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The values of a witness by position.
pub(crate) fn by_position(query: &CanonicalQuery, witness: &Witness) -> Vec<(u32, SymbolValue)> {
    let value = |(position, symbol)| Some((position, witness.get(symbol)?.clone()));
    (0..)
        .zip(query.order.iter().copied())
        .filter_map(value)
        .collect()
}

/// The witness with values at the positions of another query.
pub(crate) fn translated(query: &CanonicalQuery, values: &[(u32, SymbolValue)]) -> Witness {
    let value = |(position, value): &(u32, SymbolValue)| {
        let symbol = query.order.get(*position as usize)?;
        Some((*symbol, value.clone()))
    };
    Witness::new(values.iter().filter_map(value).collect())
}
