//! Arrays expanded for solvers that prefer it: reads over writes and of constant tables become
//! if-then-else; reads of array symbols stay.

use stet_base::FastMap;
use stet_term::{Op, Table, Term, Terms};

/// Expands terms of one pool, remembering what was expanded.
pub struct Expand<'a> {
    terms: &'a Terms,
    done: FastMap<Term, Term>,
}

impl<'a> Expand<'a> {
    /// Nothing expanded yet.
    pub fn new(terms: &'a Terms) -> Self {
        Expand {
            terms,
            done: FastMap::default(),
        }
    }

    /// Each term with its reads expanded.
    pub fn all(&mut self, roots: &[Term]) -> Vec<Term> {
        let terms = self.terms;
        let mut order = Vec::new();
        terms.post_order(roots, |term| order.push(term));
        for term in order {
            if self.done.contains_key(&term) {
                continue;
            }
            let node = terms.node(term);
            let expanded = match node.op() {
                Op::Select => self.read(node.args()[0], self.done[&node.args()[1]]),
                // Written arrays are taken apart by the reads of them.
                Op::Store => term,
                op => {
                    let args: Vec<Term> = node.args().iter().map(|arg| self.done[arg]).collect();
                    terms.build(op, &args, node.sort())
                }
            };
            self.done.insert(term, expanded);
        }
        roots.iter().map(|root| self.done[root]).collect()
    }

    fn read(&self, array: Term, index: Term) -> Term {
        let terms = self.terms;
        let mut writes = Vec::new();
        let mut base = array;
        while let (Op::Store, &[below, at, value]) = (terms.op(base), terms.args(base)) {
            writes.push((self.done[&at], self.done[&value]));
            base = below;
        }
        let mut result = match terms.op(base) {
            Op::Table(id) => {
                let width = terms.width(terms.select(base, index));
                self.table(terms.table_content(id), index, width)
            }
            _ => terms.select(base, index),
        };
        for (at, value) in writes.into_iter().rev() {
            result = terms.ite(terms.eq(at, index), value, result);
        }
        result
    }

    /// A balanced tree over the index bits.
    fn table(&self, table: &Table, index: Term, width: u32) -> Term {
        let terms = self.terms;
        let levels = table.len().next_power_of_two().trailing_zeros();
        let levels = levels.min(terms.width(index));
        let size = 1u64 << levels;
        let mut row: Vec<Term> = (0..size).map(|i| terms.bv(width, table.get(i))).collect();
        for bit in 0..levels {
            let set = terms.eq(terms.extract(bit, bit, index), terms.bv(1, 1));
            row = row
                .chunks(2)
                .map(|pair| match pair[0] == pair[1] {
                    true => pair[0],
                    false => terms.ite(set, pair[1], pair[0]),
                })
                .collect();
        }
        if levels == terms.width(index) {
            return row[0];
        }
        let limit = terms.bv(terms.width(index), size);
        terms.ite(terms.bv_ult(index, limit), row[0], terms.bv(width, 0))
    }
}
