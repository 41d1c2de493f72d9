//! Fresh queries: a set of constraints, an answer with a model.
//!
//! A [`QuerySolver`] keeps the translation of terms to gates between queries of one pool, because queries
//! of one path share most of their terms; every query has its own SAT solver. [`check_query`] is the same for
//! a single query.

use crate::procedure::{Found, Procedure};
use crate::{Answer, Limits, Reason, Solver, Statistics};
use stet_base::{Budget, never};
use stet_term::{Evaluator, Model, Term, Terms};

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is a model of all constraints.
    Sat(Model),
    /// There is none.
    Unsat,
    /// It is not known, and why.
    Unknown(Reason),
}

impl Outcome {
    /// The answer without the model.
    pub fn answer(&self) -> Answer {
        match self {
            Outcome::Sat(_) => Answer::Sat,
            Outcome::Unsat => Answer::Unsat,
            Outcome::Unknown(reason) => Answer::Unknown(reason.clone()),
        }
    }

    /// The model, if there is one.
    pub fn model(&self) -> Option<&Model> {
        match self {
            Outcome::Sat(model) => Some(model),
            _ => None,
        }
    }
}

/// Whether all constraints hold together.
pub fn check_query(terms: &Terms, constraints: &[Term], budget: &Budget) -> Outcome {
    QuerySolver::new().check(terms, constraints, &Limits::of_budget(budget))
}

/// The identity of the in-process procedure, for keys.
pub(crate) const IDENTITY: &str = concat!(
    "stet-bits ",
    env!("CARGO_PKG_VERSION"),
    " batsat 0.6.0 rustsat-cadical 0.7.5"
);

/// Answers many queries over terms of one pool.
pub struct QuerySolver {
    procedure: Procedure,
    verify_models: bool,
    statistics: Statistics,
    pool: Option<u64>,
}

impl Default for QuerySolver {
    fn default() -> Self {
        Self::new()
    }
}

impl QuerySolver {
    /// A solver that has translated nothing yet. Debug builds verify every model by evaluation.
    pub fn new() -> Self {
        QuerySolver {
            procedure: Procedure::new(),
            verify_models: cfg!(debug_assertions),
            statistics: Statistics::default(),
            pool: None,
        }
    }

    /// Verifies every model by evaluation; a wrong one becomes [`Reason::Failed`].
    pub fn verify_models(mut self) -> Self {
        self.verify_models = true;
        self
    }

    /// Hands a query to the second SAT solver after this many conflicts.
    pub fn easy_conflicts(mut self, conflicts: u64) -> Self {
        self.procedure.set_easy_conflicts(conflicts);
        self
    }

    fn decide(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        if constraints.contains(&Term::FALSE) {
            return Outcome::Unsat;
        }
        if *self.pool.get_or_insert(terms.pool_id()) != terms.pool_id() {
            // Another pool: nothing translated so far means anything.
            self.procedure.forget_translation();
            self.pool = Some(terms.pool_id());
        }
        self.procedure.start_afresh();
        self.procedure.trim();
        for &constraint in constraints {
            let asserted = self
                .procedure
                .assert(terms, constraint, None, &limits.budget);
            if let Err(reason) = asserted {
                return Outcome::Unknown(reason);
            }
        }
        self.search(terms, constraints, limits)
    }

    /// Goes on with the query that was asked last and stopped for its limit on conflicts.
    pub(crate) fn resume(
        &mut self,
        terms: &Terms,
        constraints: &[Term],
        limits: &Limits,
    ) -> Outcome {
        let outcome = self.search(terms, constraints, limits);
        self.statistics.count(&outcome.answer());
        outcome
    }

    /// Solves what is asserted.
    fn search(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        match self.procedure.solve(terms, &[], constraints, false, limits) {
            Found::Unsat(_) => Outcome::Unsat,
            Found::Unknown(reason) => Outcome::Unknown(reason),
            Found::Sat(model) => match self.verify_models {
                true => verified(terms, constraints, model),
                false => Outcome::Sat(model),
            },
        }
    }
}

impl Solver for QuerySolver {
    fn identity(&self) -> String {
        IDENTITY.to_owned()
    }

    /// Queries over another pool than the last start from nothing.
    fn check(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        let outcome = self.decide(terms, constraints, limits);
        self.statistics.count(&outcome.answer());
        outcome
    }

    /// Time is not measured here.
    fn statistics(&self) -> Statistics {
        let counters = self.procedure.counters;
        Statistics {
            conflicts: counters.conflicts,
            fallbacks: counters.fallbacks,
            lemmas: counters.lemmas,
            ..self.statistics
        }
    }
}

/// The model if every constraint evaluates to true in it.
pub(crate) fn verified(terms: &Terms, constraints: &[Term], model: Model) -> Outcome {
    let mut eval = Evaluator::new(terms, &model);
    let wrong = constraints
        .iter()
        .find(|&&constraint| !eval.holds(constraint));
    match wrong {
        None => Outcome::Sat(model),
        Some(&wrong) => {
            never!("a model does not satisfy {}", terms.text(wrong));
            Outcome::Unknown(Reason::Failed("found a wrong model".to_owned()))
        }
    }
}
