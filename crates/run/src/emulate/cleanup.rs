//! Goals with a cleanup: `setup_call_cleanup/3`.
//!
//! The goal runs above a choice point that holds the cleanup. Whatever removes that choice point runs the
//! cleanup, once: failure reaches its alternative, an exception is caught there, exit without choice points
//! pops it, and a cut below it looks for it: `cleanup_b` is the newest such choice point, and each knows the
//! one before it, so a cut compares two numbers when there is nothing to do.
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::registers::{Code, op, out_of_memory, raise, wake_then_return};
use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, choice, code_at};
use stet_prolog::atom;

/// Where the choice point keeps the cleanup goal, and the one before it.
const GOAL: usize = choice::ARGS + 1;
const BEFORE: usize = choice::ARGS + 2;

op!(call_cleanup, r => {
    if !r.choice_fits() || r.env_top() > (*r.m).mem.env_limit {
        return r.slowly(out_of_memory);
    }
    r.set_x(2, Cell::small((*r.m).control.cleanup_b as i64).0);
    r.push_choice(code_at::CLEANUP_FAIL, 3, r.env_top());
    (*r.m).control.cleanup_b = (*r.m).control.b;
    r.push_env(r.env_top());
    r.set_y(0, Cell::small((*r.m).control.b as i64).0);
    r.set_y(1, r.x(1));
    r.set_y(2, Cell::small(0).0);
    (*r.m).control.cp = code_at::CLEANUP_EXIT;
    r.slowly(super::entries::call_first)
});

op!(cleanup_exit, r => {
    if r.must_wake() {
        (*r.m).control.cp = code_at::CLEANUP_EXIT;
        r.save();
        return wake_then_return(r.m);
    }
    let at = (r.y(0) >> 3) as usize;
    let goal = r.y(1);
    r.pop_env();
    if (*r.m).control.b != at {
        return r.proceed();
    }
    (*r.m).control.cleanup_b = (r.choice(at + BEFORE) >> 3) as usize;
    r.cut_to(r.choice(at + choice::PREV) as usize);
    r.set_x(0, goal);
    r.enter((*r.m).cleanup_pred("$cleanup", 1))
});

op!(cleanup_fail, r => {
    let at = (*r.m).control.b;
    r.set_x(0, r.choice(at + GOAL));
    (*r.m).control.cleanup_b = (r.choice(at + BEFORE) >> 3) as usize;
    r.cut_to(r.choice(at + choice::PREV) as usize);
    r.enter((*r.m).cleanup_pred("$cleanup_fail", 1))
});

/// A cut is about to remove choice points with cleanups: runs them, then the cut again.
#[cold]
#[inline(never)]
pub(super) unsafe fn before_cut(m: *mut Machine, p: Code, to: usize) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        match (*m).run_cleanups(to) {
            Ok(()) => p,
            Err(error) => raise(m, error),
        }
    }
}

impl Machine {
    fn cleanup_pred(&mut self, name: &str, arity: usize) -> usize {
        let name = self.mem.atoms.intern(name);
        self.pred_id(atom::SYSTEM, name, arity) as usize
    }

    /// Runs the cleanups of choice points above `floor`, which are about to go.
    pub(crate) fn run_cleanups(&mut self, floor: usize) -> Result<(), PErr> {
        let name = self.mem.atoms.intern("$cleanup");
        while self.control.cleanup_b > floor {
            let at = self.control.cleanup_b;
            self.control.cleanup_b = self.mem.choice.cell(at + BEFORE).small_value() as usize;
            self.mem.need(8)?;
            let goal = self.mem.choice.cell(at + GOAL);
            let goal = self.mem.new_term(name, &[goal]);
            let before = std::mem::replace(&mut self.control.pending, Cell::atom(atom::NIL));
            self.control.pending = self.mem.new_list(goal, before);
            self.wake_now()?;
        }
        Ok(())
    }

    /// The cleanup of the newest choice point, if it has one; it is then taken off.
    pub(crate) fn take_cleanup(&mut self) -> Option<Cell> {
        let alternative = self.mem.choice.get(self.control.b + choice::ALT) as usize;
        if alternative != code_at::CLEANUP_FAIL {
            return None;
        }
        self.control.cleanup_b =
            self.mem.choice.cell(self.control.b + BEFORE).small_value() as usize;
        Some(self.mem.choice.cell(self.control.b + GOAL))
    }
}
