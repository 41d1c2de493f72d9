//! Interruptions of calls: looking at the clock and at limits, collecting garbage, waking goals.
//!
//! A call stops when its fuel is used up or the heap has reached `soft_limit`. Bindings of attributed variables set that
//! limit to 0, so the goals they wake run at the next call.

use crate::cell::*;
use crate::database::PredId;
use crate::emulate::Outcome;
use crate::errors::PErr;
use crate::machine::{Machine, Res, choice, code_at};
use stet_base::Exhausted;
use stet_prolog::atom;

/// Calls between two returns to the loop that starts instructions.
const FUEL: i64 = 1_000;
/// Such returns between two looks at the clock.
const LOOK: u32 = 20;
/// Returns from clauses between two looks, about.
const RETURNS: u64 = 1 << 18;
/// Calls between two looks once the time limit was reached.
const LATE_FUEL: i64 = 50;
/// Cells and characters builtins may go through between two looks.
const WORK: usize = 1 << 22;
/// How often a program may catch the time limit before it is stopped for good.
const DEADLINE_PATIENCE: u32 = 50;

impl Machine {
    /// A call stopped: looks at limits, collects garbage, wakes goals. Returns the predicate to enter.
    #[cold]
    pub(crate) fn trap(&mut self, pred: PredId) -> Result<PredId, PErr> {
        if self.control.fuel < 0 {
            self.refuel()?;
            if self.watch.profile.is_some() {
                self.take_sample(pred);
            }
        }
        let arity = self.program.db.pred(pred).arity;
        self.collect_if_needed(arity)?;
        if self.control.pending == Cell::atom(atom::NIL) {
            return Ok(pred);
        }
        let goal = self.goal_from_registers(pred);
        Ok(self.wake(goal))
    }

    /// Counts the calls made and checks deadline and interrupt.
    pub(crate) fn refuel(&mut self) -> Result<(), PErr> {
        self.watch.stats.inferences += (self.control.fuel_given - self.control.fuel).max(0) as u64;
        let returns = std::mem::take(&mut self.control.returns);
        let mut fuel = match returns > RETURNS {
            true => (FUEL * RETURNS as i64 / returns as i64).max(1),
            // A program that catches the time limit has had its time.
            false if self.control.deadline_hits > 0 => LATE_FUEL,
            false => FUEL,
        };
        let calls = self.watch.stats.inferences;
        let limits = &self.control.inference_limits;
        // The outermost limit that is reached ends what is inside it.
        if let Some(reached) = limits.iter().position(|&limit| calls >= limit) {
            self.control.inference_limits.truncate(reached);
            self.control.fuel = fuel;
            self.control.fuel_given = fuel;
            let name = self.mem.atoms.intern("$inference_limit_exceeded");
            self.mem.need(2)?;
            let ball = self.mem.new_term(name, &[Cell::small(reached as i64)]);
            return Err(PErr::Throw(ball));
        }
        for limit in limits {
            fuel = fuel.min((limit - calls) as i64);
        }
        self.control.fuel = fuel;
        self.control.fuel_given = fuel;
        self.control.looks += 1;
        if self.control.looks < LOOK && returns <= RETURNS && self.control.deadline_hits == 0 {
            return Ok(());
        }
        self.control.looks = 0;
        self.look()
    }

    /// A builtin went through so many cells or characters: after many the next call looks at the clock.
    #[inline]
    pub(crate) fn charge(&mut self, amount: usize) {
        self.control.work += amount;
        if self.control.work >= WORK {
            self.control.work = 0;
            self.control.looks = LOOK;
            self.watch.stats.inferences +=
                (self.control.fuel_given - self.control.fuel).max(0) as u64;
            self.control.fuel = 0;
            self.control.fuel_given = 0;
        }
    }

    /// Checks deadline, interrupt and memory now.
    pub(crate) fn look(&mut self) -> Result<(), PErr> {
        if self.io.write_stopped.get() {
            return self.check_written();
        }
        if self.program_bytes() > self.config.memory {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        match self.config.budget.check() {
            Ok(()) => Ok(()),
            Err(Exhausted::Cancelled) => {
                self.control.deadline_hits += 1;
                // A program that catches everything stops all the same.
                self.control.uncatchable = self.control.deadline_hits > DEADLINE_PATIENCE;
                Err(PErr::Throw(Cell::atom(atom::USER_ABORT)))
            }
            Err(Exhausted::Deadline) if self.inner_limit_reached() => {
                let ball = self.mem.atoms.intern("time_limit_exceeded");
                Err(PErr::Throw(Cell::atom(ball)))
            }
            Err(Exhausted::Deadline) => {
                self.control.deadline_hits += 1;
                if self.control.deadline_hits > DEADLINE_PATIENCE {
                    return Err(PErr::Halt(2));
                }
                Err(self.mem.resource_error(atom::TIME_LIMIT))
            }
        }
    }

    /// Whether it is a limit of the program's own that was reached; it is then taken off.
    fn inner_limit_reached(&mut self) -> bool {
        let outer = self.control.time_limits.iter().rfind(|b| b.check().is_ok());
        match outer.cloned() {
            Some(outer) => {
                self.config.budget = outer;
                true
            }
            None => false,
        }
    }

    fn collect_if_needed(&mut self, arity: usize) -> Result<(), PErr> {
        let stressed = self.config.gc_stress > 0 && {
            self.mem.gc_countdown = self.mem.gc_countdown.saturating_sub(1);
            self.mem.gc_countdown == 0
        };
        if stressed {
            self.mem.gc_countdown = self.config.gc_stress;
        }
        let trail_full = self.mem.tr >= self.mem.trail.capacity() - (1 << 15);
        if self.mem.gc_blocked > 0 {
            if self.mem.h + (1 << 17) > self.mem.heap_max {
                return Err(self.mem.resource_error(atom::MEMORY));
            }
            self.mem.soft_limit = self.mem.h + (1 << 16);
            return Ok(());
        }
        if stressed
            || self.mem.h >= self.mem.gc_threshold
            || self.program.db.dead_words > 1 << 20
            || trail_full
            || (self.mem.atoms.temporary_since_sweep() > 2 * self.atom_limit()
                && !self.control.engines.any())
        {
            self.collect(arity);
            let used = self.mem.h + self.env_top() + self.choice_top() + self.mem.tr;
            let full = self.mem.tr >= self.mem.trail.capacity() - (1 << 15);
            if used * 8 + self.program_bytes() > self.config.memory
                || self.mem.h + (1 << 16) > self.mem.heap_max
                || full
            {
                self.mem.gc_threshold = self.mem.h + 4096;
                self.mem.soft_limit = self.mem.gc_threshold;
                return Err(self.mem.resource_error(atom::MEMORY));
            }
        }
        self.mem.soft_limit = if self.config.gc_stress > 0 {
            0
        } else {
            self.mem.gc_threshold
        };
        Ok(())
    }

    /// The goal the argument registers describe, qualified with its module.
    pub(crate) fn goal_from_registers(&mut self, pred: PredId) -> Cell {
        let (module, name, arity) = {
            let pred = self.program.db.pred(pred);
            (pred.module, pred.name, pred.arity)
        };
        let args: Vec<Cell> = self.control.x[..arity].to_vec();
        let goal = self.mem.new_term(name, &args);
        self.mem.new_term(atom::COLON, &[Cell::atom(module), goal])
    }

    /// Sets up `'$wakeup'(Goals, Goal)`.
    fn wake(&mut self, goal: Cell) -> PredId {
        self.control.x[0] = self.control.pending;
        self.control.x[1] = goal;
        self.control.pending = Cell::atom(atom::NIL);
        let name = self.mem.atoms.intern("$wakeup");
        self.pred_id(atom::SYSTEM, name, 2)
    }

    /// A goal that calls the woken goals, if there are any, and then this one.
    pub(crate) fn after_woken(&mut self, goal: Cell) -> Cell {
        if self.control.pending == Cell::atom(atom::NIL) {
            return goal;
        }
        let goals = std::mem::replace(&mut self.control.pending, Cell::atom(atom::NIL));
        let name = self.mem.atoms.intern("$wakeup");
        let both = self.mem.new_term(name, &[goals, goal]);
        self.mem
            .new_term(atom::COLON, &[Cell::atom(atom::SYSTEM), both])
    }

    /// Puts the woken goals into the first register; the code that calls them.
    pub(crate) fn woken_goals(&mut self) -> usize {
        self.control.x[0] = self.control.pending;
        self.control.pending = Cell::atom(atom::NIL);
        let name = self.mem.atoms.intern("$wakeup_all");
        let pred = self.pred_id(atom::SYSTEM, name, 1);
        self.program.entries.get(pred as usize) as usize
    }

    /// Runs the goals of cleanups, which have one answer, in the middle of a clause.
    ///
    /// The registers of the clause are put aside where the collector does not see them, so it is held off
    /// for the time being.
    pub(crate) fn wake_now(&mut self) -> Res {
        let goals = self.control.pending;
        self.control.pending = Cell::atom(atom::NIL);
        self.check_choice_space()?;
        let saved_x: Vec<Cell> = self.control.x[..512].to_vec();
        let saved = (
            self.control.e,
            self.control.cp,
            self.control.b0,
            self.control.p,
            self.control.b,
        );
        // Everything the clause may have in its environment stays below the frames of the goals.
        let env_top = self
            .env_top()
            .max(self.control.e + crate::machine::ENV_HEAD + 0xffff);
        if env_top + (1 << 17) > self.mem.env.capacity() {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        self.push_choice(code_at::STOP_FAIL, 0);
        self.mem
            .choice
            .set(self.control.b + choice::ENV_TOP, env_top as u64);
        let barrier = self.control.b;
        let name = self.mem.atoms.intern("$wakeup_all");
        let pred = self.pred_id(atom::SYSTEM, name, 1);
        self.control.x[0] = goals;
        self.control.b0 = self.control.b;
        self.control.cp = code_at::STOP;
        self.control.p = self.program.entries.get(pred as usize) as usize;
        self.mem.gc_blocked += 1;
        let floor = std::mem::replace(&mut self.control.run_floor, barrier);
        let outcome = self.run(false);
        self.control.run_floor = floor;
        self.mem.gc_blocked -= 1;
        let result = match outcome {
            Outcome::True => Ok(true),
            Outcome::False | Outcome::Suspended => Ok(false),
            Outcome::Halt(code) => Err(PErr::Halt(code)),
            Outcome::Exception(ball) => match self.unflatten(&ball) {
                Ok(term) => Err(PErr::Throw(term)),
                Err(error) => Err(error),
            },
        };
        // Choice points the goals left go, with what they have to clean up.
        let result = match self.control.cleanup_b > barrier {
            true => self.run_cleanups(barrier).and(result),
            false => result,
        };
        (
            self.control.e,
            self.control.cp,
            self.control.b0,
            self.control.p,
            self.control.b,
        ) = saved;
        self.mem.hb = self.mem.choice.get(self.control.b + choice::HEAP) as usize;
        self.control.x[..512].copy_from_slice(&saved_x);
        result
    }

    /// Goals woken by the very last unification of a query.
    pub(crate) fn wake_at_stop(&mut self) -> Result<usize, PErr> {
        let pred = self.wake(Cell::atom(atom::TRUE));
        self.control.b0 = self.control.b;
        self.control.cp = code_at::STOP;
        Ok(self.program.entries.get(pred as usize) as usize)
    }
}
