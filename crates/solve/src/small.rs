//! Stet's own decision procedures behind one another: enumeration for queries over few bytes (`domains`), the bit-vector
//! procedure for the others.

mod columns;
mod domains;
#[cfg(test)]
mod tests;

use crate::{Limits, Outcome, QuerySolver, Solver, Statistics};
use domains::{Decision, Domains};
use stet_term::{Bits, Model, Sort, Sym, Term, Terms, Value};

/// A set of values of a symbol of at most eight bits, one bit per value.
pub type Values = [u64; 4];

/// Whether a value is in the set.
pub fn is_among(values: &Values, value: u64) -> bool {
    values[value as usize / 64] >> (value % 64) & 1 == 1
}

/// Stet's own decision procedures.
#[derive(Default)]
pub struct InProcess {
    domains: Domains,
    solver: QuerySolver,
    pool: Option<u64>,
    enumerated: u64,
}

impl InProcess {
    /// A solver that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets what is about terms of another pool.
    fn start(&mut self, terms: &Terms) {
        if *self.pool.get_or_insert(terms.pool_id()) != terms.pool_id() {
            self.domains = Domains::default();
            self.pool = Some(terms.pool_id());
        }
    }

    fn enumerate(&mut self, terms: &Terms, constraints: &[Term]) -> Option<Outcome> {
        self.start(terms);
        let answer = match self.domains.decide(terms, constraints) {
            Decision::GaveUp => return None,
            Decision::Unsat => Outcome::Unsat,
            Decision::Sat(values) => {
                let mut model = Model::new();
                for (symbol, value) in values {
                    let sort = terms.symbol_info(symbol).sort;
                    let value = match sort.bv_width() {
                        Some(width) => Value::Bv(Bits::new(width, value)),
                        None if sort == Sort::BOOL => Value::Bool(value == 1),
                        None => return None,
                    };
                    model.set(symbol, value);
                }
                Outcome::Sat(model)
            }
        };
        self.enumerated += 1;
        Some(answer)
    }
}

impl Solver for InProcess {
    fn identity(&self) -> String {
        format!("domains 1, {}", self.solver.identity())
    }

    fn check(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        match self.enumerate(terms, constraints) {
            Some(answer) => answer,
            None => self.solver.check(terms, constraints, limits),
        }
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            enumerated: self.enumerated,
            ..self.solver.statistics()
        }
    }

    fn allowed(&mut self, terms: &Terms, constraint: Term, symbol: Sym) -> Option<Values> {
        self.start(terms);
        self.domains.allowed(terms, constraint, symbol)
    }

    fn few_values(
        &mut self,
        terms: &Terms,
        term: Term,
        symbol: Sym,
        values: &Values,
        most: usize,
    ) -> Option<Vec<u64>> {
        self.start(terms);
        self.domains.few_values(terms, term, symbol, values, most)
    }
}
