//! Base addresses become the concrete addresses behind them, before the solver sees a query.
//!
//! Replacing is memoised over the whole run (a base address stands for one number for ever) and skips terms
//! without addresses by one load.

use super::address::{AddressView, mentions_address};
use stet_base::FastMap;
use stet_term::{Op, Term, Terms};

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
