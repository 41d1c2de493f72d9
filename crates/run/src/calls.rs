//! The slow parts of calling: meta-calls, undefined and dynamic predicates, nondeterministic builtins,
//! exceptions, and what happens when a call stops to collect garbage or look at the clock.

use crate::cell::*;
use crate::database::{More, PredId};
use crate::emulate::{Next, Outcome};
use crate::errors::PErr;
use crate::machine::{MAX_ARITY, Machine, Res, choice, code_at};
use crate::number::Num;
use std::cmp::Ordering;
use stet_base::Exhausted;
use stet_prolog::{Atom, atom};

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
        if self.fuel < 0 {
            self.refuel()?;
            if self.profile.is_some() {
                self.take_sample(pred);
            }
        }
        let arity = self.db.pred(pred).arity;
        self.collect_if_needed(arity)?;
        if self.pending == Cell::atom(atom::NIL) {
            return Ok(pred);
        }
        let goal = self.goal_from_registers(pred);
        Ok(self.wake(goal))
    }

    /// Counts the calls made and checks deadline and interrupt.
    pub(crate) fn refuel(&mut self) -> Result<(), PErr> {
        self.stats.inferences += (self.fuel_given - self.fuel).max(0) as u64;
        let returns = std::mem::take(&mut self.returns);
        let mut fuel = match returns > RETURNS {
            true => (FUEL * RETURNS as i64 / returns as i64).max(1),
            // A program that catches the time limit has had its time.
            false if self.deadline_hits > 0 => LATE_FUEL,
            false => FUEL,
        };
        if let Some(&limit) = self.inference_limits.last() {
            if self.stats.inferences >= limit {
                self.inference_limits.pop();
                self.fuel = fuel;
                self.fuel_given = fuel;
                let ball = self.atoms.intern("$inference_limit_exceeded");
                return Err(PErr::Throw(Cell::atom(ball)));
            }
            fuel = fuel.min((limit - self.stats.inferences) as i64);
        }
        self.fuel = fuel;
        self.fuel_given = fuel;
        self.looks += 1;
        if self.looks < LOOK && returns <= RETURNS && self.deadline_hits == 0 {
            return Ok(());
        }
        self.looks = 0;
        self.look()
    }

    /// A builtin went through so many cells or characters: after many the next call looks at the clock.
    #[inline]
    pub(crate) fn charge(&mut self, amount: usize) {
        self.work += amount;
        if self.work >= WORK {
            self.work = 0;
            self.looks = LOOK;
            self.stats.inferences += (self.fuel_given - self.fuel).max(0) as u64;
            self.fuel = 0;
            self.fuel_given = 0;
        }
    }

    /// Checks deadline, interrupt and memory now.
    pub(crate) fn look(&mut self) -> Result<(), PErr> {
        if self.write_stopped.get() {
            return self.check_written();
        }
        if self.program_bytes() > self.config.memory {
            return Err(self.resource_error(atom::MEMORY));
        }
        match self.config.budget.check() {
            Ok(()) => Ok(()),
            Err(Exhausted::Cancelled) => {
                self.deadline_hits += 1;
                // A program that catches everything stops all the same.
                self.uncatchable = self.deadline_hits > DEADLINE_PATIENCE;
                Err(PErr::Throw(Cell::atom(atom::USER_ABORT)))
            }
            Err(Exhausted::Deadline) if self.inner_limit_reached() => {
                let ball = self.atoms.intern("time_limit_exceeded");
                Err(PErr::Throw(Cell::atom(ball)))
            }
            Err(Exhausted::Deadline) => {
                self.deadline_hits += 1;
                if self.deadline_hits > DEADLINE_PATIENCE {
                    return Err(PErr::Halt(2));
                }
                Err(self.resource_error(atom::TIME_LIMIT))
            }
        }
    }

    /// Whether it is a limit of the program's own that was reached; it is then taken off.
    fn inner_limit_reached(&mut self) -> bool {
        let outer = self.time_limits.iter().rfind(|b| b.check().is_ok());
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
            self.gc_countdown = self.gc_countdown.saturating_sub(1);
            self.gc_countdown == 0
        };
        if stressed {
            self.gc_countdown = self.config.gc_stress;
        }
        let trail_full = self.tr >= self.trail.capacity() - (1 << 15);
        if self.gc_blocked > 0 {
            if self.h + (1 << 17) > self.heap_max {
                return Err(self.resource_error(atom::MEMORY));
            }
            self.soft_limit = self.h + (1 << 16);
            return Ok(());
        }
        if stressed
            || self.h >= self.gc_threshold
            || self.db.dead_words > 1 << 20
            || trail_full
            || (self.atoms.temporary_since_sweep() > 2 * self.atom_limit() && !self.engines.any())
        {
            self.collect(arity);
            let used = self.h + self.env_top() + self.choice_top() + self.tr;
            let full = self.tr >= self.trail.capacity() - (1 << 15);
            if used * 8 + self.program_bytes() > self.config.memory
                || self.h + (1 << 16) > self.heap_max
                || full
            {
                self.gc_threshold = self.h + 4096;
                self.soft_limit = self.gc_threshold;
                return Err(self.resource_error(atom::MEMORY));
            }
        }
        self.soft_limit = if self.config.gc_stress > 0 {
            0
        } else {
            self.gc_threshold
        };
        Ok(())
    }

    /// The goal the argument registers describe, qualified with its module.
    fn goal_from_registers(&mut self, pred: PredId) -> Cell {
        let (module, name, arity) = {
            let pred = self.db.pred(pred);
            (pred.module, pred.name, pred.arity)
        };
        let args: Vec<Cell> = self.x[..arity].to_vec();
        let goal = self.new_term(name, &args);
        self.new_term(atom::COLON, &[Cell::atom(module), goal])
    }

    /// Sets up `'$wakeup'(Goals, Goal)`.
    fn wake(&mut self, goal: Cell) -> PredId {
        self.x[0] = self.pending;
        self.x[1] = goal;
        self.pending = Cell::atom(atom::NIL);
        let name = self.atoms.intern("$wakeup");
        self.pred_id(atom::SYSTEM, name, 2)
    }

    /// A goal that calls the woken goals, if there are any, and then this one.
    fn after_woken(&mut self, goal: Cell) -> Cell {
        if self.pending == Cell::atom(atom::NIL) {
            return goal;
        }
        let goals = std::mem::replace(&mut self.pending, Cell::atom(atom::NIL));
        let name = self.atoms.intern("$wakeup");
        let both = self.new_term(name, &[goals, goal]);
        self.new_term(atom::COLON, &[Cell::atom(atom::SYSTEM), both])
    }

    /// Puts the woken goals into the first register; the code that calls them.
    pub(crate) fn woken_goals(&mut self) -> usize {
        self.x[0] = self.pending;
        self.pending = Cell::atom(atom::NIL);
        let name = self.atoms.intern("$wakeup_all");
        let pred = self.pred_id(atom::SYSTEM, name, 1);
        self.entries.get(pred as usize) as usize
    }

    /// Runs the goals of cleanups, which have one answer, in the middle of a clause.
    ///
    /// The registers of the clause are put aside where the collector does not see them, so it is held off
    /// for the time being.
    pub(crate) fn wake_now(&mut self) -> Res {
        let goals = self.pending;
        self.pending = Cell::atom(atom::NIL);
        self.check_choice_space()?;
        let saved_x: Vec<Cell> = self.x[..512].to_vec();
        let saved = (self.e, self.cp, self.b0, self.p, self.b);
        // Everything the clause may have in its environment stays below the frames of the goals.
        let env_top = self
            .env_top()
            .max(self.e + crate::machine::ENV_HEAD + 0xffff);
        if env_top + (1 << 17) > self.env.capacity() {
            return Err(self.resource_error(atom::MEMORY));
        }
        self.push_choice(code_at::STOP_FAIL, 0);
        self.choice.set(self.b + choice::ENV_TOP, env_top as u64);
        let barrier = self.b;
        let name = self.atoms.intern("$wakeup_all");
        let pred = self.pred_id(atom::SYSTEM, name, 1);
        self.x[0] = goals;
        self.b0 = self.b;
        self.cp = code_at::STOP;
        self.p = self.entries.get(pred as usize) as usize;
        self.gc_blocked += 1;
        let floor = std::mem::replace(&mut self.run_floor, barrier);
        let outcome = self.run(false);
        self.run_floor = floor;
        self.gc_blocked -= 1;
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
        let result = match self.cleanup_b > barrier {
            true => self.run_cleanups(barrier).and(result),
            false => result,
        };
        (self.e, self.cp, self.b0, self.p, self.b) = saved;
        self.hb = self.choice.get(self.b + choice::HEAP) as usize;
        self.x[..512].copy_from_slice(&saved_x);
        result
    }

    /// Goals woken by the very last unification of a query.
    pub(crate) fn wake_at_stop(&mut self) -> Result<usize, PErr> {
        let pred = self.wake(Cell::atom(atom::TRUE));
        self.b0 = self.b;
        self.cp = code_at::STOP;
        Ok(self.entries.get(pred as usize) as usize)
    }

    /// An undefined predicate was called: imports, libraries, or an error.
    pub(crate) fn undefined(&mut self, id: PredId) -> Result<Next, PErr> {
        if self.link_import(id) {
            return Ok(Next::Code(self.entries.get(id as usize) as usize));
        }
        let (module, name, arity) = {
            let pred = self.db.pred(id);
            (pred.module, pred.name, pred.arity)
        };
        if let Some(library) = self.library_with(name, arity) {
            let goal = self.goal_from_registers(id);
            self.x[0] = Cell::atom(library);
            self.x[1] = goal;
            let autoload = self.atoms.intern("$autoload");
            let pred = self.pred_id(atom::SYSTEM, autoload, 2);
            return Ok(Next::Code(self.entries.get(pred as usize) as usize));
        }
        match self.flag_atom(atom::UNKNOWN) {
            Some(atom::FAIL) => Ok(Next::Fail),
            _ => Err(self.unknown_procedure(module, name, arity)),
        }
    }

    /// `call/N`: the goal and the extra arguments are in the first registers.
    pub(crate) fn prepare_call(&mut self, count: usize) -> Result<Next, PErr> {
        let mut module = atom::USER;
        let mut goal = self.deref(self.x[0]);
        while let Some(args) = self.structure(goal, atom::COLON, 2) {
            let qualifier = self.at(args);
            match qualifier.as_atom() {
                Some(name) => module = name,
                None => return Err(self.type_error(atom::MODULE, qualifier)),
            }
            goal = self.at(args + 1);
        }
        let Some((name, arity, args)) = self.callable(goal) else {
            return Err(self.type_error(atom::CALLABLE, goal));
        };
        if count == 1 && is_control(name, arity) {
            return self.call_control(module, goal);
        }
        let extra = count - 1;
        let total = arity + extra;
        if total > MAX_ARITY {
            return Err(self.representation_error(atom::MAX_ARITY));
        }
        self.x.copy_within(1..count, arity);
        for i in 0..arity {
            self.x[i] = self.heap.cell(args + i);
        }
        let id = match self.db.find(module, name, total) {
            Some(id) => id,
            None => match self.resolve(module, name, total) {
                Some(id) => id,
                None => self.pred_id(module, name, total),
            },
        };
        self.qualify_called(module, id)?;
        // Calls through call/N must stop for limits too: a loop may consist of nothing else.
        let id = if self.fuel < 0 || self.h >= self.soft_limit {
            self.trap(id)?
        } else {
            self.fuel -= 1;
            id
        };
        Ok(Next::Code(self.entries.get(id as usize) as usize))
    }

    /// A goal was called in `module`: qualifies the goals among its arguments, unless the predicate's own
    /// entry does. To predicates of the system a goal without a module is one of `user`.
    fn qualify_called(&mut self, module: Atom, id: PredId) -> Result<(), PErr> {
        let pred = self.db.pred(id);
        if pred.meta.is_none() || pred.module == module {
            return Ok(());
        }
        if module == atom::USER && pred.module == atom::SYSTEM {
            return Ok(());
        }
        self.qualify_registers(module, id)
    }

    /// The arguments of a call of this predicate are qualified with its module.
    pub(crate) fn qualify_own(&mut self, id: PredId) -> Result<(), PErr> {
        let module = self.db.pred(id).module;
        self.qualify_registers(module, id)
    }

    /// Qualifies the goals among the argument registers of a meta-predicate called as `module:goal`.
    fn qualify_registers(&mut self, module: Atom, id: PredId) -> Result<(), PErr> {
        let Some(specs) = self.db.pred(id).meta.clone() else {
            return Ok(());
        };
        for (i, spec) in specs.iter().enumerate() {
            let is_goal = is_goal_spec(*spec);
            let argument = self.deref(self.x[i]);
            if is_goal && self.structure(argument, atom::COLON, 2).is_none() {
                self.need(4)?;
                self.x[i] = self.new_term(atom::COLON, &[Cell::atom(module), argument]);
            }
        }
        Ok(())
    }

    /// Compiles a control construct as a clause of its own and runs it.
    fn call_control(&mut self, module: Atom, whole: Cell) -> Result<Next, PErr> {
        let (goal, arguments) = self.without_arguments(whole)?;
        let variables = self.variables_of(goal);
        let name = self.atoms.intern("$call");
        let head = if variables.len() <= 64 {
            self.new_term(name, &variables)
        } else {
            if variables.len() > 1 << 16 {
                return Err(self.resource_error(atom::MEMORY));
            }
            let block = self.new_term(name, &variables);
            self.new_term(name, &[block])
        };
        self.check_body(whole, whole)?;
        let clause = self.compile_clause(module, 0, head, goal)?;
        self.retire_code(clause.code, clause.len);
        for (at, argument) in arguments {
            self.heap.put(at, argument);
        }
        if let Some((_, arity, args)) = self.compound(head) {
            for i in 0..arity {
                self.x[i] = self.heap.cell(args + i);
            }
        }
        Ok(Next::Code(clause.code as usize))
    }

    /// A copy of a body in which fresh variables stand for the compound arguments of its goals; the variables with
    /// what they stand for. Terms compiled into the code would be copies: large ones at a cost, and without effect
    /// for `setarg/3`.
    fn without_arguments(&mut self, goal: Cell) -> Result<(Cell, Vec<(usize, Cell)>), PErr> {
        let mut arguments = Vec::new();
        self.need(2)?;
        let root = self.push(goal);
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            let goal = self.deref(self.heap.cell(at));
            let Some((name, arity, args)) = self.compound(goal) else {
                continue;
            };
            let first_inner = match (name, arity) {
                _ if is_control(name, arity) => 0,
                (atom::ONCE | atom::IGNORE, 1) | (atom::FORALL, 2) => 0,
                (atom::COLON, 2) => 1,
                _ if is_arithmetic(name, arity) => continue,
                _ => arity,
            };
            self.need(arity + 2)?;
            let copied: Vec<Cell> = (args..args + arity).map(|i| self.at(i)).collect();
            let copy = self.new_term(name, &copied);
            self.heap.put(at, copy);
            let Some((_, _, args)) = self.compound(copy) else {
                continue;
            };
            for (i, argument) in copied.into_iter().enumerate() {
                if i >= first_inner {
                    pending.push(args + i);
                } else if matches!(argument.tag(), LST | STR) {
                    self.heap.put(args + i, Cell::var(args + i));
                    arguments.push((args + i, argument));
                }
            }
        }
        Ok((self.heap.cell(root), arguments))
    }

    /// A body must be callable all through before any of it runs.
    fn check_body(&mut self, body: Cell, whole: Cell) -> Result<(), PErr> {
        let mut pending = vec![body];
        while let Some(goal) = pending.pop() {
            let goal = self.deref(goal);
            match self.callable(goal) {
                Some((atom::COMMA | atom::SEMICOLON | atom::ARROW | atom::SOFT_ARROW, 2, args)) => {
                    pending.push(self.heap.cell(args));
                    pending.push(self.heap.cell(args + 1));
                }
                Some((atom::NOT, 1, args)) if !self.at(args).is_var() => {
                    let inner = self.at(args);
                    self.check_body(inner, inner)?;
                }
                Some(_) => {}
                None if goal.is_var() => {}
                None => return Err(self.type_error(atom::CALLABLE, whole)),
            }
        }
        Ok(())
    }

    // -- dynamic predicates

    /// Looks for the first clause of a dynamic predicate.
    pub(crate) fn dynamic_call(&mut self, id: PredId) -> Result<Next, PErr> {
        let arity = self.db.pred(id).arity;
        self.dynamic_next(id, i64::MIN, self.db.generation, arity, false)
    }

    pub(crate) fn dynamic_retry(&mut self) -> Result<Next, PErr> {
        let frame = self.b + choice::ARGS;
        let count = self.choice.get(self.b + choice::COUNT) as usize;
        for i in 0..count {
            self.x[i] = self.choice.cell(frame + i);
        }
        let arity = count - 3;
        let id = self.x[arity].small_value() as PredId;
        let from = self.x[arity + 1].small_value();
        let generation = self.x[arity + 2].small_value() as u64;
        self.dynamic_next(id, from, generation, arity, true)
    }

    fn dynamic_next(
        &mut self,
        id: PredId,
        from: i64,
        generation: u64,
        arity: usize,
        retry: bool,
    ) -> Result<Next, PErr> {
        let pattern = self.pattern_of_call(arity, self.db.pred(id).clauses.len() > 1);
        if !retry {
            self.improve_index(id, &pattern);
        }
        let found = self.matching_clauses(id, &pattern, from, generation);
        let Some((clause, next)) = found else {
            if retry {
                self.pop_choice();
            }
            return Ok(Next::Fail);
        };
        match (next, retry) {
            (Some(seq), true) => {
                let frame = self.b + choice::ARGS;
                self.choice.put(frame + arity + 1, Cell::small(seq));
                self.b0 = self.choice.get(self.b + choice::PREV) as usize;
            }
            (Some(seq), false) => {
                self.x[arity] = Cell::small(i64::from(id));
                self.x[arity + 1] = Cell::small(seq);
                self.x[arity + 2] = Cell::small(generation as i64);
                self.b0 = self.b;
                self.check_choice_space()?;
                self.push_choice(code_at::DYNAMIC_RETRY, arity + 3);
            }
            (None, true) => {
                self.pop_choice();
                self.b0 = self.b;
            }
            (None, false) => {}
        }
        let code = self.db.clause(clause).map_or(0, |clause| clause.code);
        Ok(Next::Code(code as usize))
    }

    pub(crate) fn check_choice_space(&mut self) -> Result<(), PErr> {
        if self.choice_top() + (1 << 13) > self.choice.capacity() {
            return Err(self.resource_error(atom::MEMORY));
        }
        Ok(())
    }

    pub(crate) fn pop_choice(&mut self) {
        self.b = self.choice.get(self.b + choice::PREV) as usize;
        self.hb = self.choice.get(self.b + choice::HEAP) as usize;
    }

    /// Whether a choice point still iterates over the clauses of a dynamic predicate.
    /// Looks at `limit` choice points at most and answers yes if there are more.
    pub(crate) fn has_open_calls(&self, id: PredId, limit: usize) -> bool {
        if self.engines.any() {
            return true;
        }
        let (mut b, mut steps) = (self.b, 0);
        while b != 0 {
            steps += 1;
            if steps > limit {
                return true;
            }
            let alternative = self.choice.get(b + choice::ALT) as usize;
            let count = self.choice.get(b + choice::COUNT) as usize;
            let frame = b + choice::ARGS;
            if alternative == code_at::DYNAMIC_RETRY
                && self.choice.cell(frame + count - 3) == Cell::small(i64::from(id))
            {
                return true;
            }
            // clause/2 and retract/1 iterate too; they keep the predicate in their state.
            if alternative == code_at::NONDET_RETRY
                && self.choice.cell(frame + count - 1).0 >> 40 == u64::from(id) + 1
            {
                return true;
            }
            b = self.choice.get(b + choice::PREV) as usize;
        }
        false
    }

    // -- nondeterministic builtins

    pub(crate) fn nondet_first(&mut self, number: usize, arity: usize) -> Result<More, PErr> {
        if let (function, Some(is_det), raiser) = self.db.nondets[number] {
            if is_det(self) {
                let result = function(self, 0);
                if let Err(error) = &result {
                    self.note_error(error, Some(raiser));
                }
                return result;
            }
        }
        self.check_choice_space()?;
        self.x[arity] = Cell::small(number as i64);
        self.x[arity + 1] = Cell::small(0);
        self.push_choice(code_at::NONDET_RETRY, arity + 2);
        self.nondet_step(number, 0)
    }

    pub(crate) fn nondet_retry(&mut self) -> Result<More, PErr> {
        let frame = self.b + choice::ARGS;
        let count = self.choice.get(self.b + choice::COUNT) as usize;
        for i in 0..count {
            self.x[i] = self.choice.cell(frame + i);
        }
        let number = self.x[count - 2].small_value() as usize & 0xffff;
        let state = self.x[count - 1].0 >> 3;
        // A loop may consist of this and failure only.
        self.fuel -= 1;
        if self.fuel < 0 {
            self.refuel()?;
        }
        self.nondet_step(number, state)
    }

    fn nondet_step(&mut self, number: usize, state: u64) -> Result<More, PErr> {
        let (function, ..) = self.db.nondets[number];
        let result = function(self, state);
        match result {
            Ok(More::State(next)) => {
                let count = self.choice.get(self.b + choice::COUNT) as usize;
                let at = self.b + choice::ARGS + count - 1;
                self.choice.put(at, Cell(next << 3 | INT));
            }
            Ok(_) => self.pop_choice(),
            Err(ref error) => {
                let raiser = self.db.nondets[number].2;
                self.note_error(error, Some(raiser));
            }
        }
        result
    }

    // -- exceptions

    /// Unwinds to the catch frame that takes the ball; the address to go on at.
    pub(crate) fn throw(&mut self, error: PErr) -> Result<usize, Outcome> {
        let floor = self.run_floor;
        let aborted;
        let ball = match error {
            PErr::Halt(code) => {
                self.halted = Some(code);
                return Err(Outcome::Halt(code));
            }
            PErr::Suspend => return Err(Outcome::Suspended),
            PErr::Throw(ball) => {
                aborted = self.deref(ball) == Cell::atom(atom::USER_ABORT);
                if self.structure(self.deref(ball), atom::ERROR, 2).is_none() {
                    self.last_trace.clear();
                }
                self.flatten(ball, false)
            }
        };
        self.pending = Cell::atom(atom::NIL);
        self.disarm();
        while self.b > floor {
            let frame = self.b + choice::ARGS;
            let is_catch = self.choice.get(self.b + choice::ALT) as usize == code_at::CATCH_FAIL
                && !self.uncatchable;
            let cleanup = self.take_cleanup();
            if cleanup.is_none() && (!is_catch || !self.deref(self.choice.cell(frame + 3)).is_var())
            {
                self.b = self.choice.get(self.b + choice::PREV) as usize;
                continue;
            }
            self.undo_to(self.choice.get(self.b + choice::TRAIL) as usize);
            self.h = self.choice.get(self.b + choice::HEAP) as usize;
            self.e = self.choice.get(self.b + choice::ENV) as usize;
            self.cp = self.choice.get(self.b + choice::CP) as usize;
            let log = self.choice.get(self.b + choice::LOG) as usize;
            self.property_cache.undo_to(log);
            let (catcher, recovery) = (self.choice.cell(frame + 1), self.choice.cell(frame + 2));
            self.hb = self.h;
            let mark = self.tr;
            let Ok(term) = self.unflatten(&ball) else {
                break;
            };
            if let Some(cleanup) = cleanup {
                self.pop_choice();
                self.x[0] = cleanup;
                self.x[1] = term;
                let name = self.atoms.intern("$cleanup_throw");
                let pred = self.pred_id(atom::SYSTEM, name, 2);
                return Ok(self.entries.get(pred as usize) as usize);
            }
            if self.unify(catcher, term) {
                self.pop_choice();
                let recovery = match aborted {
                    true => self.then_abort(recovery),
                    false => recovery,
                };
                self.x[0] = self.after_woken(recovery);
                return match self.prepare_call(1) {
                    Ok(Next::Code(address)) => Ok(address),
                    Ok(Next::Fail) => Ok(0),
                    Err(again) => self.throw(again),
                };
            }
            self.undo_to(mark);
            self.pop_choice();
        }
        Err(Outcome::Exception(ball))
    }

    /// An interrupt is caught only to clean up: `(Recovery -> true ; true), throw('$aborted')`.
    fn then_abort(&mut self, recovery: Cell) -> Cell {
        let holds = Cell::atom(atom::TRUE);
        let once = self.new_term(atom::ARROW, &[recovery, holds]);
        let once = self.new_term(atom::SEMICOLON, &[once, holds]);
        let again = self.new_term(atom::THROW, &[Cell::atom(atom::USER_ABORT)]);
        self.new_term(atom::COMMA, &[once, again])
    }

    // -- small things the instructions need

    /// Compares the values of two expressions; `None` if one is not a number.
    pub(crate) fn compare_values(&mut self, a: Cell, b: Cell) -> Result<Option<Ordering>, PErr> {
        let (a, b) = (self.deref(a), self.deref(b));
        if let Some(order) = self.quick_compare(a, b) {
            return Ok(Some(order));
        }
        let a = self.eval(a)?;
        let b = self.eval(b)?;
        Ok(a.compare(&b))
    }

    pub(crate) fn eval_cell(&mut self, expression: Cell) -> Result<Cell, PErr> {
        if self.is_number(expression) {
            return Ok(expression);
        }
        let value: Num = self.eval(expression)?;
        Ok(self.number_cell(&value))
    }

    /// Whether a term is a proper list; cyclic lists are not.
    pub(crate) fn is_proper_list(&self, cell: Cell) -> bool {
        matches!(self.list_end(cell), Some(end) if end.is_atom(atom::NIL))
    }

    /// What a list ends in; `None` for a cyclic list.
    pub(crate) fn list_end(&self, cell: Cell) -> Option<Cell> {
        let mut cell = self.deref(cell);
        let mut slow = cell;
        let mut odd = false;
        while cell.tag() == LST {
            cell = self.at(cell.index() + 1);
            if odd {
                slow = self.at(slow.index() + 1);
                if slow == cell && cell.tag() == LST {
                    return None;
                }
            }
            odd = !odd;
        }
        Some(cell)
    }

    /// The elements of a proper list.
    pub(crate) fn list_items(&mut self, list: Cell) -> Result<Vec<Cell>, PErr> {
        match self.list_end(list) {
            Some(end) if end.is_atom(atom::NIL) => {}
            Some(end) if end.is_var() => return Err(self.instantiation_error()),
            _ => return Err(self.type_error_strict(atom::LIST, list)),
        }
        let mut items = Vec::new();
        let mut cell = self.deref(list);
        while cell.tag() == LST {
            items.push(self.at(cell.index()));
            cell = self.at(cell.index() + 1);
        }
        self.charge(items.len());
        Ok(items)
    }

    /// Succeeds after unifying two terms, for the end of builtins.
    pub(crate) fn unify_result(&mut self, a: Cell, b: Cell) -> Res {
        Ok(self.unify(a, b))
    }
}

/// Whether an argument of a meta-predicate declared like this is a goal, or something else with a module.
pub(crate) fn is_goal_spec(spec: Cell) -> bool {
    spec.is_small()
        || [atom::CARET, atom::COLON, atom::INT_DIV]
            .map(Cell::atom)
            .contains(&spec)
}

/// Whether a goal is control that must be compiled to be called.
fn is_control(name: Atom, arity: usize) -> bool {
    matches!(
        (name, arity),
        (
            atom::COMMA | atom::SEMICOLON | atom::ARROW | atom::SOFT_ARROW | atom::BAR,
            2
        ) | (atom::NOT, 1)
            | (atom::CUT, 0)
    )
}

/// Whether the arguments of a goal are evaluated, so that it does not matter if they are copied.
fn is_arithmetic(name: Atom, arity: usize) -> bool {
    use atom::{ARITH_EQ, ARITH_GE, ARITH_GT, ARITH_LE, ARITH_LT, ARITH_NE, IS};
    arity == 2
        && [
            IS, ARITH_EQ, ARITH_NE, ARITH_LT, ARITH_LE, ARITH_GT, ARITH_GE,
        ]
        .contains(&name)
}
