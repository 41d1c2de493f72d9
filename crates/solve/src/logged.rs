//! A solver that tells what it was asked: benchmarks hand the queries of an exploration to other solvers.

use crate::{Limits, Outcome, Solver, Statistics, Values};
use std::cell::RefCell;
use std::rc::Rc;
use stet_term::{Sym, Term, Terms};

/// Told of every query twice: before it is asked, and with the answer.
pub type QueryLog = Rc<RefCell<dyn FnMut(&Terms, &[Term], Option<&Outcome>)>>;

/// A solver and the log of its queries.
pub struct Logged<S> {
    solver: S,
    log: QueryLog,
}

impl<S: Solver> Logged<S> {
    pub fn new(solver: S, log: QueryLog) -> Self {
        Logged { solver, log }
    }
}

impl<S: Solver> Solver for Logged<S> {
    fn identity(&self) -> String {
        self.solver.identity()
    }

    fn check(&mut self, terms: &Terms, constraints: &[Term], limits: &Limits) -> Outcome {
        (self.log.borrow_mut())(terms, constraints, None);
        let outcome = self.solver.check(terms, constraints, limits);
        (self.log.borrow_mut())(terms, constraints, Some(&outcome));
        outcome
    }

    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }

    fn allowed(&mut self, terms: &Terms, constraint: Term, symbol: Sym) -> Option<Values> {
        self.solver.allowed(terms, constraint, symbol)
    }

    fn few_values(
        &mut self,
        terms: &Terms,
        term: Term,
        symbol: Sym,
        values: &Values,
        most: usize,
    ) -> Option<Vec<u64>> {
        self.solver.few_values(terms, term, symbol, values, most)
    }
}
