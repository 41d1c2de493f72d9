//! Stet's own decision procedures behind one another, each with a limit on what it may spend:
//!
//! 1. enumeration value by value for queries over few bytes (`domains`);
//! 2. a table of all combinations, if it is small (`grid`);
//! 3. the bit-vector procedure, for some conflicts;
//! 4. a table that may be large: bytes that a parser has looked at have few values left, and what it computes from them
//!    (floating point, hashes) is hard for SAT solvers;
//! 5. the bit-vector procedure, from where it stopped.

mod columns;
mod domains;
mod grid;
mod rows;
#[cfg(test)]
mod tests;

use crate::{Limits, Outcome, QuerySolver, Reason, Solver, Statistics};
use domains::{Decision, Domains, Problem};
use stet_term::{Bits, Evaluator, Model, Sort, Sym, Term, Terms, Value};

/// A set of values of a symbol of at most eight bits, one bit per value.
pub type Values = [u64; 4];

/// Whether a value is in the set.
pub fn is_among(values: &Values, value: u64) -> bool {
    values[value as usize / 64] >> (value % 64) & 1 == 1
}

/// Operators times rows that a table may take before the bit-vector procedure is asked: about a millisecond.
const SMALL_TABLE: u64 = 1 << 18;
/// Conflicts after which a large table is tried.
const FIRST_CONFLICTS: u64 = 500;
/// The most queries in a row for which large tables come first because the bit-vector procedure did not decide the last ones.
const MOST_CREDIT: u32 = 128;
/// Operators times rows of a large table: about a second.
const LARGE_TABLE: u64 = 1 << 28;

/// Stet's own decision procedures.
#[derive(Default)]
pub struct InProcess {
    domains: Domains,
    solver: QuerySolver,
    pool: Option<u64>,
    enumerated: u64,
    /// How often in a row a large table decided what the bit-vector procedure did not.
    streak: u32,
    /// For how many more queries large tables come first.
    credit: u32,
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
        let decision = self.domains.decide(terms, constraints);
        self.outcome(terms, decision)
    }

    fn outcome(&mut self, terms: &Terms, decision: Decision) -> Option<Outcome> {
        let answer = match decision {
            Decision::GaveUp => return None,
            Decision::Unsat => Outcome::Unsat,
            Decision::Sat(values) => Outcome::Sat(model_of(terms, values)?),
        };
        self.enumerated += 1;
        Some(answer)
    }

    /// Asks the bit-vector procedure, with tables before it and after its first conflicts if the query has some.
    fn by_tables(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        let problem = match limits.resources {
            None => self.domains.problem(terms, constraints),
            // counted in conflicts alone
            Some(_) => None,
        };
        let Some(problem) = problem else {
            return self.solver.check(terms, constraints, limits);
        };
        let estimate = grid::estimate(terms, &problem, LARGE_TABLE);
        if estimate <= SMALL_TABLE {
            let decision = grid::decide(terms, &problem, SMALL_TABLE, &limits.budget);
            if let Some(outcome) = self.outcome(terms, decision) {
                return outcome;
            }
        }
        if estimate > LARGE_TABLE {
            return self.solver.check(terms, constraints, limits);
        }
        if self.credit > 0 {
            self.credit -= 1;
            return match self.table(terms, &problem, limits) {
                Some(outcome) => outcome,
                None => self.solver.check(terms, constraints, limits),
            };
        }
        let first = Limits {
            budget: limits.budget.clone(),
            resources: Some(FIRST_CONFLICTS),
        };
        match self.solver.check(terms, constraints, &first) {
            Outcome::Unknown(Reason::Resources) => {}
            outcome => {
                self.streak = 0;
                return outcome;
            }
        }
        match self.table(terms, &problem, limits) {
            Some(outcome) => {
                self.streak += 1;
                self.credit = 1u32.checked_shl(self.streak).unwrap_or(u32::MAX);
                self.credit = self.credit.min(MOST_CREDIT);
                outcome
            }
            None => self.solver.resume(terms, constraints, limits),
        }
    }

    /// Decides a query by a large table.
    fn table(&mut self, terms: &Terms, problem: &Problem, limits: &Limits) -> Option<Outcome> {
        debug_assert_eq!(
            self.pool,
            Some(terms.pool_id()),
            "values are kept for one pool of terms"
        );
        let decision = grid::decide(terms, problem, LARGE_TABLE, &limits.budget);
        self.outcome(terms, decision)
    }
}

fn model_of(terms: &Terms, values: Vec<(Sym, u64)>) -> Option<Model> {
    let mut model = Model::new();
    for (symbol, value) in values {
        let sort = terms.symbol_info(symbol).sort;
        let is_in_sort = sort.bv_width().unwrap_or(1) >= 64 - value.leading_zeros();
        let value = match sort.bv_width() {
            Some(width) => Value::Bv(Bits::new(width, value)),
            None if sort == Sort::BOOL => Value::Bool(value == 1),
            None => return None,
        };
        debug_assert!(is_in_sort, "a symbol has a value of its sort");
        model.set(symbol, value);
    }
    Some(model)
}

impl Solver for InProcess {
    fn identity(&self) -> String {
        format!("domains 2, {}", self.solver.identity())
    }

    fn check(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        let outcome = match self.enumerate(terms, constraints) {
            Some(answer) => answer,
            None => self.by_tables(terms, constraints, limits),
        };
        debug_assert!(
            outcome.model().is_none_or(|model| {
                let mut eval = Evaluator::new(terms, model);
                constraints.iter().all(|&constraint| eval.holds(constraint))
            }),
            "a model satisfies the query, whichever procedure found it"
        );
        outcome
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
