//! Arrays: fill, select, store.

use crate::{Level, Op, Rule, Sort, Term, Terms};

/// A read looks through at most this many writes when it is built; the solver does the rest lazily.
const STORE_WALK: usize = 512;

impl Terms {
    /// The array of an array sort with one element everywhere.
    pub fn fill(&self, sort: Sort, element: Term) -> Term {
        self.intern(Op::Fill, &[element], sort)
    }

    /// The element at an index.
    pub fn select(&self, array: Term, index: Term) -> Term {
        let element = self.array_parts(array).map_or(Sort::BOOL, |(_, e)| e);
        debug_assert_eq!(
            self.array_parts(array).map(|(i, _)| i),
            Some(self.sort(index))
        );
        let mut array = array;
        if self.at(Level::Full) {
            match self.skip_stores(array, index) {
                Ok(base) => array = base,
                Err(value) => return value,
            }
        }
        if self.at(Level::Cheap) {
            match self.op(array) {
                Op::Fill => {
                    self.fire(Rule::SelectFill);
                    return self.args(array)[0];
                }
                Op::Table(id) => {
                    if let Some(at) = self.as_bits(index) {
                        self.fire(Rule::SelectTable);
                        let value = at
                            .value_u64()
                            .map_or(0, |at| self.table_content(id).get(at));
                        return self.bv(element.bv_width().unwrap_or(0), value);
                    }
                }
                _ => {}
            }
        }
        self.intern(Op::Select, &[array, index], element)
    }

    /// The array without leading stores to other indices, or the value stored at this one.
    fn skip_stores(&self, array: Term, index: Term) -> Result<Term, Term> {
        let mut current = array;
        for _ in 0..STORE_WALK {
            let (Op::Store, &[below, at, value]) = (self.op(current), self.args(current)) else {
                break;
            };
            if at == index {
                self.fire(Rule::SelectStore);
                return Err(value);
            }
            if !self.surely_differ(at, index) {
                break;
            }
            self.fire(Rule::SelectStore);
            current = below;
        }
        Ok(current)
    }

    /// The array with one element replaced.
    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        debug_assert_eq!(
            self.array_parts(array),
            Some((self.sort(index), self.sort(value)))
        );
        if self.at(Level::Full) {
            if let (Op::Store, &[below, at, _]) = (self.op(array), self.args(array))
                && at == index
            {
                self.fire(Rule::StoreStore);
                return self.store(below, index, value);
            }
            if let (Op::Select, &[from, at]) = (self.op(value), self.args(value))
                && from == array
                && at == index
            {
                self.fire(Rule::StoreSelect);
                return array;
            }
        }
        self.intern(Op::Store, &[array, index, value], self.sort(array))
    }
}
