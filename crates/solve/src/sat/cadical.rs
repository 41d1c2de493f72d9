//! CaDiCaL, for queries that exceed the first solver's conflicts.

use super::{Sat, SatAnswer, SatLit};
use crate::Reason;
use rustsat::solvers::{
    ControlSignal, GetInternalStats, LimitConflicts, Solve, SolveIncremental, SolverResult,
    Terminate,
};
use rustsat::types::{Lit, TernaryVal};
use rustsat_cadical::CaDiCaL;
use stet_base::Budget;

pub(crate) struct Cadical {
    solver: CaDiCaL<'static, 'static>,
    vars: u32,
    /// The first failure of the library; nothing is believed after it.
    broken: Option<String>,
    core: Vec<SatLit>,
}

fn to_rustsat(lit: SatLit) -> Lit {
    Lit::new(lit.var(), lit.is_negated())
}

impl Cadical {
    pub(crate) fn new() -> Self {
        Cadical {
            solver: CaDiCaL::default(),
            vars: 0,
            broken: None,
            core: Vec::new(),
        }
    }

    fn note<T>(&mut self, result: Result<T, impl std::fmt::Display>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.broken.get_or_insert_with(|| error.to_string());
                None
            }
        }
    }
}

impl Sat for Cadical {
    fn new_var(&mut self) -> u32 {
        self.vars += 1;
        self.vars - 1
    }

    fn add(&mut self, clause: &[SatLit]) {
        debug_assert!(
            clause.iter().all(|lit| lit.var() < self.vars),
            "literals of variables that exist"
        );
        let clause: rustsat::types::Clause = clause.iter().map(|&lit| to_rustsat(lit)).collect();
        let result = self.solver.add_clause(clause);
        self.note(result);
    }

    fn solve(&mut self, assumptions: &[SatLit], budget: &Budget, conflicts: u64) -> SatAnswer {
        if let Err(exhausted) = budget.check() {
            return SatAnswer::Stopped(exhausted.into());
        }
        let watched = budget.clone();
        self.solver
            .attach_terminator(move || match watched.check() {
                Ok(()) => ControlSignal::Continue,
                Err(_) => ControlSignal::Terminate,
            });
        let limit = u32::try_from(conflicts)
            .ok()
            .filter(|&n| n < i32::MAX as u32);
        let limited = self.solver.limit_conflicts(limit);
        self.note(limited);
        let assumptions: Vec<Lit> = assumptions.iter().map(|&lit| to_rustsat(lit)).collect();
        let result = self.solver.solve_assumps(&assumptions);
        let result = self.note(result);
        self.solver.detach_terminator();
        if let Some(why) = &self.broken {
            return SatAnswer::Stopped(Reason::Failed(why.clone()));
        }
        match result {
            Some(SolverResult::Sat) => SatAnswer::Sat,
            Some(SolverResult::Unsat) => {
                let core = self.solver.core();
                let core = self.note(core).unwrap_or_default();
                // Reported as clauses over negated assumptions.
                self.core = core
                    .iter()
                    .map(|lit| SatLit::new(lit.vidx32(), lit.is_pos()))
                    .collect();
                SatAnswer::Unsat
            }
            Some(SolverResult::Interrupted) | None => SatAnswer::Stopped(match budget.check() {
                Err(exhausted) => exhausted.into(),
                Ok(()) => Reason::Resources,
            }),
        }
    }

    fn value(&self, var: u32) -> bool {
        debug_assert!(var < self.vars, "a variable that exists");
        let lit = Lit::positive(var);
        matches!(self.solver.lit_val(lit), Ok(TernaryVal::True))
    }

    fn failed(&mut self) -> Vec<SatLit> {
        std::mem::take(&mut self.core)
    }

    fn conflicts(&self) -> u64 {
        self.solver.conflicts() as u64
    }
}
