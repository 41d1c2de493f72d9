//! Comparison of offsets from one base: `x + a < x + b`.
//!
//! Pointers are compared this way all the time, with small `a` and `b`. Instead of two sums and a comparison
//! over all bits, only the carries of `x + a` and `x + b` matter: if both or none overflow, the order is that
//! of `a` and `b`; if one does, its sum is the smaller.

use super::Blaster;
use crate::Reason;
use crate::gates::Lit;
use stet_base::Budget;
use stet_term::{Op, Term, Terms};

/// Summands looked at on each side.
const SUMMANDS: usize = 8;

impl Blaster {
    pub(super) fn unsigned_less(
        &mut self,
        terms: &Terms,
        args: &[Term],
        bits: &[Vec<Lit>],
        budget: &Budget,
    ) -> Result<Lit, Reason> {
        let Some((base, a, b)) = common_base(terms, args[0], args[1]) else {
            return Ok(self.gates.less(&bits[0], &bits[1]));
        };
        let base = self.parts(terms, base, budget)?;
        let a = self.parts(terms, a, budget)?;
        let b = self.parts(terms, b, budget)?;
        debug_assert!(
            base.len() == bits[0].len() && a.len() == b.len(),
            "a base and offsets of the width that is compared"
        );
        let (over_a, over_b) = (self.carry(&base, &a), self.carry(&base, &b));
        let less = self.gates.less(&a, &b);
        let differ = self.gates.xor(over_a, over_b);
        Ok(self.gates.mux(differ, over_a, less))
    }

    /// The bits of a sum of parts that are translated already.
    fn parts(&mut self, terms: &Terms, term: Term, budget: &Budget) -> Result<Vec<Lit>, Reason> {
        if self.bits_of(term).is_none() {
            // A new sum of few summands, all older than the comparison: a shallow call.
            let tasks = std::mem::take(&mut self.tasks);
            let done = self.translate(terms, term, budget);
            self.tasks = tasks;
            done?;
        }
        Ok(self.bits_of(term).map(<[Lit]>::to_vec).unwrap_or_default())
    }

    fn carry(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        debug_assert_eq!(a.len(), b.len(), "words of one width are added");
        let mut carry = Lit::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            carry = self.gates.majority(a, b, carry);
        }
        carry
    }
}

fn summands(terms: &Terms, term: Term) -> Vec<Term> {
    let mut found = vec![term];
    let mut at = 0;
    while at < found.len() && found.len() < SUMMANDS {
        match terms.op(found[at]) {
            Op::BvAdd => {
                let args = terms.args(found[at]);
                found[at] = args[0];
                found.push(args[1]);
            }
            _ => at += 1,
        }
    }
    found
}

/// A summand of both sides that is no constant, and what is left of each.
fn common_base(terms: &Terms, a: Term, b: Term) -> Option<(Term, Term, Term)> {
    if terms.op(a) != Op::BvAdd && terms.op(b) != Op::BvAdd {
        return None;
    }
    let (mut left, mut right) = (summands(terms, a), summands(terms, b));
    let (i, j) = left.iter().enumerate().find_map(|(i, term)| {
        let j = right.iter().position(|other| other == term)?;
        (!terms.is_bv_const(*term)).then_some((i, j))
    })?;
    let base = left.swap_remove(i);
    right.swap_remove(j);
    let zero = terms.bv(terms.width(a), 0);
    let sum = |parts: Vec<Term>| {
        parts
            .into_iter()
            .fold(zero, |sum, part| terms.bv_add(sum, part))
    };
    Some((base, sum(left), sum(right)))
}
