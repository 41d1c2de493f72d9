//! The machine's control: registers, frames, choice points, exceptions, limits on running, goals waiting to be woken.
//!
//! **Invariant:** outside `emulate/`, `calls.rs`, `gc.rs` and what suspends or resumes a run (`engines.rs`, `continuations.rs`,
//! `query.rs`) nothing changes `p`, `e`, `b` or `cp`; builtins read their arguments and answer.

use crate::cell::Cell;
use crate::emulate::Outcome;
use crate::emulate::liveness::Live;
use crate::engines::Engines;
use crate::errors::PErr;
use std::sync::Arc;
use stet_base::{Budget, FastMap};
use stet_prolog::atom;

/// The number of X registers; arguments beyond [`MAX_ARITY`] are refused.
pub(crate) const REGISTERS: usize = 8192;
/// The largest arity of a predicate.
pub(crate) const MAX_ARITY: usize = 1024;

/// Words of an environment before its slots: previous environment, continuation.
pub(crate) const ENV_HEAD: usize = 2;

/// The fields of a choice point.
pub(crate) mod choice {
    pub(crate) const PREV: usize = 0;
    pub(crate) const ALT: usize = 1;
    pub(crate) const ENV: usize = 2;
    pub(crate) const CP: usize = 3;
    pub(crate) const TRAIL: usize = 4;
    pub(crate) const HEAP: usize = 5;
    pub(crate) const ENV_TOP: usize = 6;
    pub(crate) const LOG: usize = 7;
    pub(crate) const COUNT: usize = 8;
    pub(crate) const ARGS: usize = 9;
}

/// Marks the barrier of a cut in an environment: an integer no program is likely to hold there.
pub(crate) const LEVEL: u64 = 1 << 62;

/// The cell that keeps a choice point as the barrier of a cut.
#[inline(always)]
pub(crate) const fn level(b: usize) -> u64 {
    (b as u64) << 3 | LEVEL | crate::cell::INT
}

/// The choice point of such a cell.
#[inline(always)]
pub(crate) const fn level_of(cell: u64) -> usize {
    ((cell & !LEVEL) >> 3) as usize
}

// The X registers come last: see `Machine`.
#[repr(C)]
pub(crate) struct Control {
    /// The current environment.
    pub(crate) e: usize,
    /// The newest choice point.
    pub(crate) b: usize,
    /// The newest choice point when the predicate was called: where a cut goes.
    pub(crate) b0: usize,
    /// The continuation: where the clause returns to.
    pub(crate) cp: usize,
    /// The program counter, between runs of instructions.
    pub(crate) p: usize,
    /// The structure pointer, between instructions.
    pub(crate) s: u64,
    /// Where failure goes before the neck cut of a clause entered without a choice point; 0 for none.
    pub(crate) shallow: usize,
    /// The trail when that clause was entered.
    pub(crate) shallow_tr: usize,
    /// The newest choice point that has a cleanup goal; 0 for none.
    pub(crate) cleanup_b: usize,
    /// The choice point below which an exception leaves the innermost run.
    pub(crate) run_floor: usize,
    /// How the run ended, for the loop that started it.
    pub(crate) outcome: Option<Outcome>,
    /// An exception on its way to being raised.
    pub(crate) error: Option<PErr>,
    /// Where the calls under way came from when the newest error was raised: code addresses, innermost first.
    pub(crate) last_trace: Vec<u32>,
    /// The status that `halt/1` asked for.
    pub(crate) halted: Option<i32>,
    /// Calls until the next look at the clock.
    pub(crate) fuel: i64,
    pub(crate) fuel_given: i64,
    pub(crate) looks: u32,
    /// Returns from clauses since fuel was given: a deep recursion that is backtracked into returns many times a call.
    pub(crate) returns: u64,
    /// Cells and characters builtins went through since the last look.
    pub(crate) work: usize,
    /// Budgets that running time limits put aside.
    pub(crate) time_limits: Vec<Budget>,
    /// Numbers of calls at which goals with a limit are stopped, innermost last.
    pub(crate) inference_limits: Vec<u64>,
    pub(crate) deadline_hits: u32,
    /// An interrupt was caught too often: it leaves the query now.
    pub(crate) uncatchable: bool,
    /// Goals woken by bindings of attributed variables, a list.
    pub(crate) pending: Cell,
    /// Where `Wake` stands in for an instruction, and which.
    pub(crate) armed: Option<(usize, u64)>,
    /// Continuations that describe an environment, by the word that does.
    pub(crate) descriptions: FastMap<u64, usize>,
    /// What clauses need from an address on, where goals were woken; forgotten when code is used again.
    pub(crate) liveness: FastMap<usize, Arc<Live>>,
    pub(crate) engines: Engines,
    /// Arguments of calls, and temporary values of clauses.
    pub(crate) x: [Cell; REGISTERS],
}

impl Control {
    pub(crate) fn new() -> Control {
        Control {
            x: [Cell::small(0); REGISTERS],
            e: 0,
            b: 0,
            b0: 0,
            cp: 0,
            p: 0,
            s: 0,
            shallow: 0,
            shallow_tr: 0,
            cleanup_b: 0,
            run_floor: 0,
            outcome: None,
            error: None,
            last_trace: Vec::new(),
            halted: None,
            fuel: 0,
            fuel_given: 0,
            looks: 0,
            returns: 0,
            work: 0,
            time_limits: Vec::new(),
            inference_limits: Vec::new(),
            deadline_hits: 0,
            uncatchable: false,
            pending: Cell::atom(atom::NIL),
            armed: None,
            descriptions: FastMap::default(),
            liveness: FastMap::default(),
            engines: Engines::default(),
        }
    }
}
