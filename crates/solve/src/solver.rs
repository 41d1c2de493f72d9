//! The interface of every solver.
//!
//! A query is a set of constraints; the answer has a model if there is one. [`Outcome::Unknown`] is an answer,
//! not an error: a solver that fails in any way says so in the [`Reason`].

use crate::{Outcome, Values};
use std::time::Duration;
use stet_base::{Budget, Exhausted};
use stet_term::{Sym, Term, Terms};

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// It is not known, and why.
    Unknown(Reason),
}

impl Answer {
    /// Whether the answer is [`Answer::Sat`].
    pub fn is_sat(&self) -> bool {
        *self == Answer::Sat
    }

    /// Whether the answer is [`Answer::Unsat`].
    pub fn is_unsat(&self) -> bool {
        *self == Answer::Unsat
    }
}

/// Why an answer is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The time is up.
    Deadline,
    /// Somebody cancelled the work.
    Cancelled,
    /// The resource limit (conflicts, `rlimit`) is used up.
    Resources,
    /// The solver does not handle something in the query.
    Unsupported(String),
    /// The solver gave up by itself, with its words.
    Incomplete(String),
    /// The solver broke: crashed, could not be started, spoke nonsense, or found a wrong model.
    Failed(String),
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Self {
        match exhausted {
            Exhausted::Deadline => Reason::Deadline,
            Exhausted::Cancelled => Reason::Cancelled,
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Deadline => f.write_str("out of time"),
            Reason::Cancelled => f.write_str("cancelled"),
            Reason::Resources => f.write_str("out of resources"),
            Reason::Unsupported(what) => write!(f, "unsupported: {what}"),
            Reason::Incomplete(why) => write!(f, "gave up: {why}"),
            Reason::Failed(why) => write!(f, "solver failed: {why}"),
        }
    }
}

/// How much a check may use.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Deadline and cancellation.
    pub budget: Budget,
    /// The most conflicts (in process) or resource units (`rlimit`), if limited. The same limit gives the
    /// same answer on every machine.
    pub resources: Option<u64>,
}

impl Limits {
    /// Neither time nor resources are limited.
    pub fn none() -> Self {
        Self::default()
    }

    /// Only the budget limits.
    pub fn of_budget(budget: &Budget) -> Self {
        Limits {
            budget: budget.clone(),
            resources: None,
        }
    }
}

/// What a solver did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub checks: u64,
    /// Answers that were `Sat`.
    pub sat: u64,
    /// Answers that were `Unsat`.
    pub unsat: u64,
    /// Answers that were `Unknown`.
    pub unknown: u64,
    /// Conflicts of SAT solvers, if known.
    pub conflicts: u64,
    /// Checks that went to the second, stronger engine or to a restarted process.
    pub fallbacks: u64,
    /// Array lemmas added on demand.
    pub lemmas: u64,
    /// Queries over few bytes that were decided by enumeration; not among the checks.
    pub enumerated: u64,
    /// Time spent in checks.
    pub time: Duration,
}

impl Statistics {
    /// Counts an answer.
    pub fn count(&mut self, answer: &Answer) {
        self.checks += 1;
        match answer {
            Answer::Sat => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}

/// A decision procedure for sets of constraints.
pub trait Solver {
    /// Name, version and options that influence answers: part of keys.
    fn identity(&self) -> String;

    /// Whether all constraints (Boolean terms) hold together.
    fn check(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome;

    /// What was done so far.
    fn statistics(&self) -> Statistics {
        Statistics::default()
    }

    /// The values of a symbol of at most eight bits for which a constraint over no other symbol holds; `None` if the
    /// procedure does not know.
    fn allowed(&mut self, _terms: &Terms, _constraint: Term, _symbol: Sym) -> Option<Values> {
        None
    }

    /// The different values a term over no other symbol has for these values of a symbol of at most eight bits; `None` if
    /// there are none or more than `most`, or the procedure does not know.
    fn few_values(
        &mut self,
        _terms: &Terms,
        _term: Term,
        _symbol: Sym,
        _values: &Values,
        _most: usize,
    ) -> Option<Vec<u64>> {
        None
    }
}
