//! The decision procedures behind the query chain: enumeration for queries over few bytes (`domains`), Stet's bit-vector
//! procedure for the others.

mod columns;
mod domains;
#[cfg(test)]
mod tests;

use crate::query::{Core, CoreAnswer, Values};
use domains::{Decision, Domains};
use stet_base::Budget;
use stet_solve::{Limits, Outcome, QuerySolver};
use stet_term::{Bits, Model, Sort, Sym, Term, Terms, Value};

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

    fn enumerate(&mut self, terms: &Terms, constraints: &[Term]) -> Option<CoreAnswer> {
        self.start(terms);
        let answer = match self.domains.decide(terms, constraints) {
            Decision::GaveUp => return None,
            Decision::Unsat => CoreAnswer::Unsat,
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
                CoreAnswer::Sat(model)
            }
        };
        self.enumerated += 1;
        Some(answer)
    }
}

impl Core for InProcess {
    fn check(&mut self, terms: &Terms, constraints: &[Term], budget: &Budget) -> CoreAnswer {
        if let Some(answer) = self.enumerate(terms, constraints) {
            return answer;
        }
        match self
            .solver
            .check(terms, constraints, &Limits::of_budget(budget))
        {
            Outcome::Sat(model) => CoreAnswer::Sat(model),
            Outcome::Unsat => CoreAnswer::Unsat,
            Outcome::Unknown(reason) => CoreAnswer::Unknown(reason.to_string()),
        }
    }

    fn identity(&self) -> String {
        format!("domains 1, {}", self.solver.identity())
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

    fn enumerated(&self) -> u64 {
        self.enumerated
    }
}
