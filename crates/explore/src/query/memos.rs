//! What terms are under witnesses, kept from query to query: the conditions of a path share most of their terms, and its witness
//! changes at few of its branches.
//!
//! The values of a run's witnesses can be more than memory holds, so there are two generations: when the younger one is full, the
//! older one is forgotten, except for what was used since.

use super::witness::{Memo, Witness};
use std::sync::Arc;
use stet_base::FastMap;

/// The most values of terms in one generation; a value takes about 40 bytes.
const FULL: usize = 1 << 19;

/// Values of terms by witness; equal witnesses share theirs.
#[derive(Default)]
pub(super) struct Memos {
    young: FastMap<Arc<Witness>, Memo>,
    old: FastMap<Arc<Witness>, Memo>,
    /// How many values `young` holds.
    count: usize,
}

impl Memos {
    /// Hands over what is known of a witness, until it is put back.
    pub(super) fn take(&mut self, witness: &Arc<Witness>) -> Memo {
        if let Some(memo) = self.young.get_mut(witness) {
            debug_assert!(self.count >= memo.len(), "values are counted by generation");
            self.count -= memo.len();
            return std::mem::take(memo);
        }
        self.old.remove(witness).unwrap_or_default()
    }

    /// Keeps what is known of a witness now.
    pub(super) fn put_back(&mut self, witness: &Arc<Witness>, memo: Memo) {
        if self.count + memo.len() > FULL {
            self.old = std::mem::take(&mut self.young);
            self.count = 0;
        }
        self.count += memo.len();
        match self.young.get_mut(witness) {
            Some(known) => *known = memo,
            None => {
                self.young.insert(witness.clone(), memo);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::witness::SymbolValue;
    use stet_term::{Op, Sort, Sym, Term, Terms};

    fn symbol(terms: &Terms, name: &str) -> (Sym, Term) {
        let term = terms.symbol(name, Sort::bv(8));
        match terms.op(term) {
            Op::Symbol(symbol) => (symbol, term),
            _ => unreachable!("a symbol"),
        }
    }

    fn witness(symbol: Sym, value: u64) -> Arc<Witness> {
        Arc::new(Witness::new(vec![(symbol, SymbolValue::Word(value))]))
    }

    #[test]
    fn equal_witnesses_share_values_and_others_do_not() {
        let terms = Terms::new();
        let (x, term) = symbol(&terms, "x");
        let mut memos = Memos::default();
        memos.put_back(&witness(x, 1), Memo::from_iter([(term, 1)]));
        assert_eq!(memos.take(&witness(x, 2)).get(&term), None);
        assert_eq!(memos.take(&witness(x, 1)).get(&term), Some(&1));
        assert_eq!(memos.count, 0);
    }

    #[test]
    fn what_is_used_outlives_a_generation() {
        let terms = Terms::new();
        let (x, term) = symbol(&terms, "x");
        let constants: Vec<Term> = (0..FULL as u64 / 2).map(|i| terms.bv(32, i)).collect();
        let large = || Memo::from_iter(constants.iter().map(|&term| (term, 0)));
        let mut memos = Memos::default();
        memos.put_back(&witness(x, 1), Memo::from_iter([(term, 1)]));
        memos.put_back(&witness(x, 2), Memo::from_iter([(term, 2)]));
        for other in 3..9 {
            let used = memos.take(&witness(x, 1));
            assert_eq!(used.get(&term), Some(&1));
            memos.put_back(&witness(x, 1), used);
            memos.put_back(&witness(x, other), large());
            assert!(memos.count <= FULL);
        }
        assert_eq!(memos.take(&witness(x, 2)).get(&term), None);
    }
}
