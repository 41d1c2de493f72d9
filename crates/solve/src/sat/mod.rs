//! The two SAT solvers behind one interface: `batsat` for the many easy queries, CaDiCaL for the hard ones.

mod batsat;
mod cadical;

pub(crate) use batsat::Batsat;
pub(crate) use cadical::Cadical;

use crate::Reason;
use stet_base::Budget;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SatLit(u32);

impl SatLit {
    #[inline]
    pub(crate) fn new(var: u32, negated: bool) -> SatLit {
        debug_assert!(var <= u32::MAX >> 1, "a variable leaves room for the sign");
        SatLit(var << 1 | u32::from(negated))
    }

    #[inline]
    pub(crate) fn var(self) -> u32 {
        self.0 >> 1
    }

    #[inline]
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for SatLit {
    type Output = SatLit;
    #[inline]
    fn not(self) -> SatLit {
        SatLit(self.0 ^ 1)
    }
}

/// What a SAT solver found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SatAnswer {
    Sat,
    Unsat,
    Stopped(Reason),
}

/// A SAT solver used incrementally.
pub(crate) trait Sat {
    /// A fresh variable; they are numbered from zero.
    fn new_var(&mut self) -> u32;
    /// Adds a clause; the empty one makes everything unsatisfiable.
    fn add(&mut self, clause: &[SatLit]);
    /// Solves under assumptions with at most so many conflicts.
    fn solve(&mut self, assumptions: &[SatLit], budget: &Budget, conflicts: u64) -> SatAnswer;
    /// The value of a variable, right after `Sat`.
    fn value(&self, var: u32) -> bool;
    /// Assumptions that cannot hold together, right after `Unsat`.
    fn failed(&mut self) -> Vec<SatLit>;
    /// Conflicts so far.
    fn conflicts(&self) -> u64;
}
