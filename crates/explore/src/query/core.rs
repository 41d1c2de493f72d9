//! The last layer: base addresses become the concrete addresses behind them, and a solver decides.
//!
//! Replacing is memoised over the whole run (a base address stands for one number for ever) and skips terms
//! without addresses by one load.

use super::address::{AddressView, mentions_address};
use stet_base::{Budget, FastMap};
use stet_term::{Model, Op, Sym, Term, Terms};

/// A solver's answer.
#[derive(Clone, Debug)]
pub enum CoreAnswer {
    /// Satisfiable, with values for the symbols.
    Sat(Model),
    /// Unsatisfiable.
    Unsat,
    /// Not decided within the limits, and why.
    Unknown(String),
}

/// A set of values of a symbol of at most eight bits, one bit per value.
pub type Values = [u64; 4];

/// Whether a value is in the set.
pub(crate) fn is_among(values: &Values, value: u64) -> bool {
    values[value as usize / 64] >> (value % 64) & 1 == 1
}

/// A decision procedure for sets of constraints without base addresses.
pub trait Core {
    /// Decides the conjunction of `constraints`.
    fn check(&mut self, terms: &Terms, constraints: &[Term], budget: &Budget) -> CoreAnswer;

    /// Name and version: part of persistent keys.
    fn identity(&self) -> String;

    /// The values of a symbol of at most eight bits for which a constraint over no other symbol holds; `None` if the
    /// procedure does not know.
    fn allowed(&mut self, _terms: &Terms, _constraint: Term, _symbol: Sym) -> Option<Values> {
        None
    }

    /// The different values a term over no other symbol has for these values of a symbol of at most eight bits; `None` if
    /// there are none or more than `most`, or the procedure does not know.
    fn few_values(
        &mut self,
        _terms: &Terms,
        _term: Term,
        _symbol: Sym,
        _values: &Values,
        _most: usize,
    ) -> Option<Vec<u64>> {
        None
    }

    /// How many queries were decided by enumeration.
    fn enumerated(&self) -> u64 {
        0
    }
}

/// Replaces base addresses by concrete ones.
#[derive(Default)]
pub(crate) struct Concretizer {
    memo: FastMap<Term, Term>,
}

impl Concretizer {
    /// The term with concrete addresses.
    pub(crate) fn concrete(
        &mut self,
        terms: &Terms,
        addresses: &dyn AddressView,
        term: Term,
    ) -> Term {
        let done = |memo: &FastMap<Term, Term>, term: Term| match mentions_address(terms, term) {
            true => memo.get(&term).copied(),
            false => Some(term),
        };
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if done(&self.memo, top).is_some() {
                pending.pop();
                continue;
            }
            let node = terms.node(top);
            if let Op::Symbol(symbol) = node.op() {
                let base = addresses.object(symbol).map(|object| object.base);
                let value = base.map_or(top, |base| terms.bv(64, base));
                self.memo.insert(top, value);
                continue;
            }
            let before = pending.len();
            let mut args = Vec::with_capacity(node.args().len());
            for &arg in node.args() {
                match done(&self.memo, arg) {
                    Some(arg) => args.push(arg),
                    None => pending.push(arg),
                }
            }
            if pending.len() == before {
                let built = terms.build(node.op(), &args, node.sort());
                self.memo.insert(top, built);
            }
        }
        done(&self.memo, term).unwrap_or(term)
    }
}
