//! The in-process bit-vector procedure as the core of the query chain.

use crate::query::{Core, CoreAnswer};
use stet_base::Budget;
use stet_solve::{Limits, Outcome, QuerySolver};
use stet_term::{Term, Terms};

/// Stet's own decision procedure.
#[derive(Default)]
pub struct InProcess {
    solver: QuerySolver,
}

impl InProcess {
    /// A solver that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Core for InProcess {
    fn check(&mut self, terms: &Terms, constraints: &[Term], budget: &Budget) -> CoreAnswer {
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
        self.solver.identity()
    }
}
