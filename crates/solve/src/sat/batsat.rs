//! `batsat`, a MiniSat in Rust: cheap to start, and stopped through its callback.
//!
//! The callback `stop` is asked at every decision, so it only counts, and reads the clock now and then;
//! conflicts are counted where learnt clauses are reported.

use super::{Sat, SatAnswer, SatLit};
use crate::Reason;
use batsat::intmap::AsIndex;
use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, SolverOpts, Var, lbool};
use std::cell::{Cell, RefCell};
use stet_base::Budget;

/// How many decisions pass between looks at the clock.
const CLOCK_EVERY: u32 = 128;

#[derive(Default)]
struct Watch {
    budget: Budget,
    limit: u64,
    conflicts: u64,
    asked: Cell<u32>,
    stopped: RefCell<Option<Reason>>,
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        if self.stopped.borrow().is_some() {
            return true;
        }
        if self.conflicts >= self.limit {
            self.stopped.replace(Some(Reason::Resources));
            return true;
        }
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        if asked.is_multiple_of(CLOCK_EVERY)
            && let Err(exhausted) = self.budget.check()
        {
            self.stopped.replace(Some(exhausted.into()));
            return true;
        }
        false
    }
}

pub(crate) struct Batsat {
    solver: batsat::Solver<Watch>,
    clause: Vec<Lit>,
    consistent: bool,
}

impl Batsat {
    pub(crate) fn new() -> Self {
        Batsat {
            solver: batsat::Solver::new(SolverOpts::default(), Watch::default()),
            clause: Vec::new(),
            consistent: true,
        }
    }
}

fn to_batsat(lit: SatLit) -> Lit {
    Lit::new(Var::from_index(lit.var() as usize), !lit.is_negated())
}

impl Sat for Batsat {
    fn new_var(&mut self) -> u32 {
        self.solver.new_var_default().idx()
    }

    fn add(&mut self, clause: &[SatLit]) {
        debug_assert!(
            clause.iter().all(|lit| lit.var() < self.solver.num_vars()),
            "literals of variables that exist"
        );
        self.clause.clear();
        self.clause.extend(clause.iter().map(|&lit| to_batsat(lit)));
        self.consistent &= self.solver.add_clause_reuse(&mut self.clause);
    }

    fn solve(&mut self, assumptions: &[SatLit], budget: &Budget, conflicts: u64) -> SatAnswer {
        if !self.consistent {
            return SatAnswer::Unsat;
        }
        if let Err(exhausted) = budget.check() {
            return SatAnswer::Stopped(exhausted.into());
        }
        let watch = self.solver.cb_mut();
        watch.budget = budget.clone();
        watch.limit = watch.conflicts.saturating_add(conflicts);
        watch.stopped.replace(None);
        let assumptions: Vec<Lit> = assumptions.iter().map(|&lit| to_batsat(lit)).collect();
        match self.solver.solve_limited(&assumptions) {
            answer if answer == lbool::TRUE => SatAnswer::Sat,
            answer if answer == lbool::FALSE => SatAnswer::Unsat,
            _ => {
                let why = self.solver.cb().stopped.borrow().clone();
                SatAnswer::Stopped(why.unwrap_or(Reason::Resources))
            }
        }
    }

    fn value(&self, var: u32) -> bool {
        self.solver.value_var(Var::from_index(var as usize)) == lbool::TRUE
    }

    fn failed(&mut self) -> Vec<SatLit> {
        // The core holds negations of assumptions.
        let core = self.solver.unsat_core().iter();
        core.map(|lit| SatLit::new(lit.var().idx(), lit.sign()))
            .collect()
    }

    fn conflicts(&self) -> u64 {
        self.solver.cb().conflicts
    }
}
