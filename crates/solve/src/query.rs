//! Fresh queries: a set of constraints, an answer with a model.
//!
//! A [`QuerySolver`] keeps the translation of terms to gates between queries of one pool, because queries
//! of one path share most of their terms. It keeps the SAT solver too as long as queries share most of their
//! constraints: these are assumptions, what was learnt is about the gates and stays true, and when too
//! much in it is about other queries, the next one begins with an empty solver. [`check_query`] is the same
//! for a single query.

use crate::gates::Lit;
use crate::procedure::{Found, Keeping, Procedure};
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
    /// The constraints of the last query.
    last: Vec<Term>,
    /// How the last query was put to the SAT solver: asserted, or as these assumptions.
    keeping: Keeping,
    assumed: Vec<Lit>,
    /// Variables of the SAT solver after the first query it got as assumptions.
    first_variables: usize,
}

/// Variables that other queries may leave in a SAT solver, beside as many as its first query had.
const LEFT_BEHIND: usize = 1_000;

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
            last: Vec::new(),
            keeping: Keeping::Nothing,
            assumed: Vec::new(),
            first_variables: 0,
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
            self.last.clear();
            self.pool = Some(terms.pool_id());
        }
        let is_kept = self.prepare(constraints);
        for &constraint in constraints {
            let blaster = &mut self.procedure.blaster;
            match blaster.literal(terms, constraint, &limits.budget) {
                Ok(literal) if self.keeping == Keeping::Nothing => {
                    self.procedure.log.push(&[literal]);
                }
                Ok(literal) => self.assumed.push(literal),
                Err(reason) => return Outcome::Unknown(reason),
            }
        }
        self.last.extend_from_slice(constraints);
        let outcome = self.search(terms, constraints, limits);
        if !is_kept {
            self.first_variables = self.procedure.variables();
        }
        outcome
    }

    /// Decides how a query is put to the SAT solver, and empties the solver unless it is kept.
    fn prepare(&mut self, constraints: &[Term]) -> bool {
        let shared = constraints.iter().filter(|term| self.last.contains(term));
        let is_close = shared.count() * 2 > constraints.len();
        let is_small = self.procedure.variables() <= 2 * self.first_variables + LEFT_BEHIND;
        let is_kept = is_close && is_small && self.keeping == Keeping::Queries;
        self.keeping = match is_close {
            true => Keeping::Queries,
            // constraints that are asserted are simplified, those of a single query are best
            false => Keeping::Nothing,
        };
        self.last.clear();
        self.assumed.clear();
        match is_kept {
            true => self.procedure.forget_hard(),
            false => {
                self.procedure.start_afresh();
                self.procedure.trim();
            }
        }
        debug_assert!(
            is_kept || self.procedure.is_fresh(),
            "a solver that is not kept has nothing of earlier queries"
        );
        is_kept
    }

    /// Goes on with the query that was asked last and stopped for its limit on conflicts.
    pub(crate) fn resume(
        &mut self,
        terms: &Terms,
        constraints: &[Term],
        limits: &Limits,
    ) -> Outcome {
        debug_assert_eq!(
            self.last, constraints,
            "only the last query is gone on with"
        );
        debug_assert_eq!(
            self.pool,
            Some(terms.pool_id()),
            "literals are those of one pool of terms"
        );
        let outcome = self.search(terms, constraints, limits);
        self.statistics.count(&outcome.answer());
        outcome
    }

    /// Solves what is asserted.
    fn search(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        debug_assert_eq!(
            self.assumed.len(),
            match self.keeping {
                Keeping::Queries => constraints.len(),
                _ => 0,
            },
            "a query is assumed or asserted, not both"
        );
        let assumed = std::mem::take(&mut self.assumed);
        let found = self
            .procedure
            .solve(terms, &assumed, constraints, self.keeping, limits);
        self.assumed = assumed;
        match found {
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
