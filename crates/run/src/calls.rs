//! The slow parts of calling: meta-calls, undefined and dynamic predicates, nondeterministic builtins, exceptions.

use crate::cell::*;
use crate::database::{More, NO_ROOM, PredId};
use crate::emulate::{Next, Outcome};
use crate::errors::PErr;
use crate::machine::{MAX_ARITY, Machine, Res, choice, code_at};
use crate::memory::Memory;
use crate::number::Num;
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

impl Memory {
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

    /// An interrupt is caught only to clean up: `(Recovery -> true ; true), throw('$aborted')`.
    fn then_abort(&mut self, recovery: Cell) -> Cell {
        let holds = Cell::atom(atom::TRUE);
        let once = self.new_term(atom::ARROW, &[recovery, holds]);
        let once = self.new_term(atom::SEMICOLON, &[once, holds]);
        let again = self.new_term(atom::THROW, &[Cell::atom(atom::USER_ABORT)]);
        self.new_term(atom::COMMA, &[once, again])
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
}

impl Machine {
    /// An undefined predicate was called: imports, libraries, or an error.
    pub(crate) fn undefined(&mut self, id: PredId) -> Result<Next, PErr> {
        if id == NO_ROOM {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        if let Some(next) = self.call_transparent(id) {
            return Ok(next);
        }
        if self.link_import(id) {
            // Checks of the caller's module, if there are any, were made on the way here.
            return Ok(Next::Code(self.program.db.pred(id).plain as usize));
        }
        let (module, name, arity) = {
            let pred = self.program.db.pred(id);
            (pred.module, pred.name, pred.arity)
        };
        if let Some(library) = self.loader.library_with(name, arity) {
            let goal = self.goal_from_registers(id);
            self.control.x[0] = Cell::atom(library);
            self.control.x[1] = goal;
            let autoload = self.mem.atoms.intern("$autoload");
            let pred = self.pred_id(atom::SYSTEM, autoload, 2);
            return Ok(Next::Code(self.program.entries.get(pred as usize) as usize));
        }
        match self.loader.flag_atom(atom::UNKNOWN) {
            Some(atom::FAIL) => Ok(Next::Fail),
            _ => Err(self.unknown_procedure(module, name, arity)),
        }
    }

    /// `call/N`: the goal and the extra arguments are in the first registers.
    pub(crate) fn prepare_call(&mut self, count: usize) -> Result<Next, PErr> {
        let mut module = atom::USER;
        let mut goal = self.mem.deref(self.control.x[0]);
        let mut steps = 0;
        while let Some(args) = self.mem.structure(goal, atom::COLON, 2) {
            self.mem.count_qualifier(&mut steps, goal)?;
            let qualifier = self.mem.at(args);
            match qualifier.as_atom() {
                Some(name) => module = name,
                None => return Err(self.mem.type_error(atom::MODULE, qualifier)),
            }
            goal = self.mem.at(args + 1);
        }
        let Some((name, arity, args)) = self.mem.callable(goal) else {
            return Err(self.mem.type_error(atom::CALLABLE, goal));
        };
        if count == 1 && is_control(name, arity) {
            return self.call_control(module, goal);
        }
        let extra = count - 1;
        let total = arity + extra;
        if total > MAX_ARITY {
            return Err(self.mem.representation_error(atom::MAX_ARITY));
        }
        self.control.x.copy_within(1..count, arity);
        for i in 0..arity {
            self.control.x[i] = self.mem.heap.cell(args + i);
        }
        // A condition in the closure makes this an if-then-else.
        if matches!(name, atom::SEMICOLON | atom::BAR) && total == 2 {
            self.mem.need(4)?;
            let whole = [self.control.x[0], self.control.x[1]];
            let whole = self.mem.new_term(name, &whole);
            return self.call_control(module, whole);
        }
        let id = match self.program.db.find(module, name, total) {
            Some(id) => id,
            None => match self.program.resolve(module, name, total) {
                Some(id) => id,
                None => self.pred_id(module, name, total),
            },
        };
        self.qualify_called(module, id)?;
        let id = self.called_from(module, id);
        // Calls through call/N must stop for limits too: a loop may consist of nothing else.
        let id = if self.control.fuel < 0 || self.mem.h >= self.mem.soft_limit {
            self.trap(id)?
        } else {
            self.control.fuel -= 1;
            id
        };
        Ok(Next::Code(self.program.entries.get(id as usize) as usize))
    }

    /// A goal was called in `module`: qualifies the goals among its arguments, unless the predicate's own
    /// entry does. To predicates of the system a goal without a module is one of `user`.
    fn qualify_called(&mut self, module: Atom, id: PredId) -> Result<(), PErr> {
        let pred = self.program.db.pred(id);
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
        let module = self.program.db.pred(id).module;
        self.qualify_registers(module, id)
    }

    /// Qualifies the goals among the argument registers of a meta-predicate called as `module:goal`.
    fn qualify_registers(&mut self, module: Atom, id: PredId) -> Result<(), PErr> {
        let Some(specs) = self.program.db.pred(id).meta.clone() else {
            return Ok(());
        };
        for (i, spec) in specs.iter().enumerate() {
            let is_goal = is_goal_spec(*spec);
            if !is_goal {
                continue;
            }
            let argument = self.mem.deref(self.control.x[i]);
            if self.mem.structure(argument, atom::COLON, 2).is_some() {
                self.control.x[i] = self.innermost_qualified(argument);
            } else {
                self.mem.need(4)?;
                self.control.x[i] = self
                    .mem
                    .new_term(atom::COLON, &[Cell::atom(module), argument]);
            }
        }
        Ok(())
    }

    /// Of `a:b:goal` only the inner module counts; a term that is qualified for ever stays as it is.
    fn innermost_qualified(&self, argument: Cell) -> Cell {
        let mut inner = argument;
        for _ in 0..1000 {
            let Some(args) = self.mem.structure(inner, atom::COLON, 2) else {
                break;
            };
            let next = self.mem.at(args + 1);
            if self.mem.structure(next, atom::COLON, 2).is_none() {
                return inner;
            }
            inner = next;
        }
        argument
    }

    /// Compiles a control construct as a clause of its own and runs it.
    fn call_control(&mut self, module: Atom, whole: Cell) -> Result<Next, PErr> {
        let (goal, arguments) = self.mem.without_arguments(whole)?;
        let variables = self.mem.variables_of(goal);
        let name = self.mem.atoms.intern("$call");
        let head = if variables.len() <= 64 {
            self.mem.new_term(name, &variables)
        } else {
            if variables.len() > 1 << 16 {
                return Err(self.mem.resource_error(atom::MEMORY));
            }
            let block = self.mem.new_term(name, &variables);
            self.mem.new_term(name, &[block])
        };
        self.mem.check_body(whole, whole)?;
        let clause = self.compile_clause(module, 0, head, goal)?;
        self.retire_code(clause.code, clause.len);
        for (at, argument) in arguments {
            self.mem.heap.put(at, argument);
        }
        if let Some((_, arity, args)) = self.mem.compound(head) {
            for i in 0..arity {
                self.control.x[i] = self.mem.heap.cell(args + i);
            }
        }
        Ok(Next::Code(clause.code as usize))
    }

    // -- dynamic predicates

    /// Looks for the first clause of a dynamic predicate.
    pub(crate) fn dynamic_call(&mut self, id: PredId) -> Result<Next, PErr> {
        let arity = self.program.db.pred(id).arity;
        self.dynamic_next(id, i64::MIN, self.program.db.generation, arity, false)
    }

    pub(crate) fn dynamic_retry(&mut self) -> Result<Next, PErr> {
        let frame = self.control.b + choice::ARGS;
        let count = self.mem.choice.get(self.control.b + choice::COUNT) as usize;
        for i in 0..count {
            self.control.x[i] = self.mem.choice.cell(frame + i);
        }
        debug_assert!(
            count >= 3,
            "the predicate, the next clause and the generation are kept"
        );
        let arity = count - 3;
        let id = self.control.x[arity].small_value() as PredId;
        let from = self.control.x[arity + 1].small_value();
        let generation = self.control.x[arity + 2].small_value() as u64;
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
        debug_assert_eq!(
            self.program.db.pred(id).arity,
            arity,
            "a call of this predicate"
        );
        debug_assert!(
            generation <= self.program.db.generation,
            "a call sees what was there when it started"
        );
        let pattern = self.pattern_of_call(arity, self.program.db.pred(id).clauses.len() > 1);
        if !retry {
            self.program.improve_index(id, &pattern);
        }
        let found = self
            .program
            .matching_clauses(id, &pattern, from, generation);
        let Some((clause, next)) = found else {
            if retry {
                self.pop_choice();
            }
            return Ok(Next::Fail);
        };
        match (next, retry) {
            (Some(seq), true) => {
                let frame = self.control.b + choice::ARGS;
                self.mem.choice.put(frame + arity + 1, Cell::small(seq));
                self.control.b0 = self.mem.choice.get(self.control.b + choice::PREV) as usize;
            }
            (Some(seq), false) => {
                self.control.x[arity] = Cell::small(i64::from(id));
                self.control.x[arity + 1] = Cell::small(seq);
                self.control.x[arity + 2] = Cell::small(generation as i64);
                self.control.b0 = self.control.b;
                self.check_choice_space()?;
                self.push_choice(code_at::DYNAMIC_RETRY, arity + 3);
            }
            (None, true) => {
                self.pop_choice();
                self.control.b0 = self.control.b;
            }
            (None, false) => {}
        }
        debug_assert!(
            self.program
                .db
                .clause(clause)
                .is_some_and(|clause| clause.pred == id),
            "a clause of the predicate"
        );
        let code = self
            .program
            .db
            .clause(clause)
            .map_or(0, |clause| clause.code);
        Ok(Next::Code(code as usize))
    }

    pub(crate) fn check_choice_space(&mut self) -> Result<(), PErr> {
        if self.choice_top() + (1 << 13) > self.mem.choice.capacity() {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        Ok(())
    }

    pub(crate) fn pop_choice(&mut self) {
        debug_assert!(self.control.b != 0, "the bottom choice point stays");
        self.control.b = self.mem.choice.get(self.control.b + choice::PREV) as usize;
        debug_assert!(
            self.mem.choice.get(self.control.b + choice::HEAP) as usize <= self.mem.hb,
            "older choice points are of smaller heaps"
        );
        self.mem.hb = self.mem.choice.get(self.control.b + choice::HEAP) as usize;
    }

    /// Whether a choice point still iterates over the clauses of a dynamic predicate.
    /// Looks at `limit` choice points at most and answers yes if there are more.
    pub(crate) fn has_open_calls(&self, id: PredId, limit: usize) -> bool {
        if self.control.engines.any() {
            return true;
        }
        let (mut b, mut steps) = (self.control.b, 0);
        while b != 0 {
            steps += 1;
            if steps > limit {
                return true;
            }
            let alternative = self.mem.choice.get(b + choice::ALT) as usize;
            let count = self.mem.choice.get(b + choice::COUNT) as usize;
            let frame = b + choice::ARGS;
            if alternative == code_at::DYNAMIC_RETRY
                && self.mem.choice.cell(frame + count - 3) == Cell::small(i64::from(id))
            {
                return true;
            }
            // clause/2 and retract/1 iterate too; they keep the predicate in their state.
            if alternative == code_at::NONDET_RETRY
                && self.mem.choice.cell(frame + count - 1).0 >> 40 == u64::from(id) + 1
            {
                return true;
            }
            b = self.mem.choice.get(b + choice::PREV) as usize;
        }
        false
    }

    // -- nondeterministic builtins

    pub(crate) fn nondet_first(&mut self, number: usize, arity: usize) -> Result<More, PErr> {
        if let (function, Some(is_det), raiser) = self.program.db.nondets[number] {
            if is_det(self) {
                let result = function(self, 0);
                if let Err(error) = &result {
                    self.note_error(error, Some(raiser));
                }
                return result;
            }
        }
        self.check_choice_space()?;
        self.control.x[arity] = Cell::small(number as i64);
        self.control.x[arity + 1] = Cell::small(0);
        self.push_choice(code_at::NONDET_RETRY, arity + 2);
        self.nondet_step(number, 0)
    }

    pub(crate) fn nondet_retry(&mut self) -> Result<More, PErr> {
        let frame = self.control.b + choice::ARGS;
        let count = self.mem.choice.get(self.control.b + choice::COUNT) as usize;
        for i in 0..count {
            self.control.x[i] = self.mem.choice.cell(frame + i);
        }
        debug_assert!(count >= 2, "the builtin and its state are kept");
        let number = self.control.x[count - 2].small_value() as usize & 0xffff;
        let state = self.control.x[count - 1].0 >> 3;
        // A loop may consist of this and failure only.
        self.control.fuel -= 1;
        if self.control.fuel < 0 {
            self.refuel()?;
        }
        self.nondet_step(number, state)
    }

    fn nondet_step(&mut self, number: usize, state: u64) -> Result<More, PErr> {
        debug_assert_eq!(
            self.mem.choice.get(self.control.b + choice::ALT) as usize,
            code_at::NONDET_RETRY,
            "the newest choice point is the builtin's"
        );
        let (function, ..) = self.program.db.nondets[number];
        let result = function(self, state);
        match result {
            Ok(More::State(next)) => {
                let count = self.mem.choice.get(self.control.b + choice::COUNT) as usize;
                let at = self.control.b + choice::ARGS + count - 1;
                self.mem.choice.put(at, Cell(next << 3 | INT));
            }
            Ok(_) => self.pop_choice(),
            Err(ref error) => {
                let raiser = self.program.db.nondets[number].2;
                self.note_error(error, Some(raiser));
            }
        }
        result
    }

    // -- exceptions

    /// Unwinds to the catch frame that takes the ball; the address to go on at.
    pub(crate) fn throw(&mut self, error: PErr) -> Result<usize, Outcome> {
        let floor = self.control.run_floor;
        let aborted;
        let ball = match error {
            PErr::Halt(code) => {
                self.control.halted = Some(code);
                return Err(Outcome::Halt(code));
            }
            PErr::Suspend => return Err(Outcome::Suspended),
            PErr::Throw(ball) => {
                aborted = self.mem.deref(ball) == Cell::atom(atom::USER_ABORT);
                if self
                    .mem
                    .structure(self.mem.deref(ball), atom::ERROR, 2)
                    .is_none()
                {
                    self.control.last_trace.clear();
                }
                self.flatten(ball, false)
            }
        };
        self.control.pending = Cell::atom(atom::NIL);
        self.disarm();
        while self.control.b > floor {
            let frame = self.control.b + choice::ARGS;
            let is_catch = self.mem.choice.get(self.control.b + choice::ALT) as usize
                == code_at::CATCH_FAIL
                && !self.control.uncatchable;
            let cleanup = self.take_cleanup();
            if cleanup.is_none()
                && (!is_catch || !self.mem.deref(self.mem.choice.cell(frame + 3)).is_var())
            {
                self.control.b = self.mem.choice.get(self.control.b + choice::PREV) as usize;
                continue;
            }
            self.mem
                .undo_to(self.mem.choice.get(self.control.b + choice::TRAIL) as usize);
            self.mem.h = self.mem.choice.get(self.control.b + choice::HEAP) as usize;
            self.control.e = self.mem.choice.get(self.control.b + choice::ENV) as usize;
            self.control.cp = self.mem.choice.get(self.control.b + choice::CP) as usize;
            let log = self.mem.choice.get(self.control.b + choice::LOG) as usize;
            self.checks.cache.undo_to(log);
            let (catcher, recovery) = (
                self.mem.choice.cell(frame + 1),
                self.mem.choice.cell(frame + 2),
            );
            self.mem.hb = self.mem.h;
            let mark = self.mem.tr;
            let Ok(term) = self.unflatten(&ball) else {
                break;
            };
            if let Some(cleanup) = cleanup {
                self.pop_choice();
                self.control.x[0] = cleanup;
                self.control.x[1] = term;
                let name = self.mem.atoms.intern("$cleanup_throw");
                let pred = self.pred_id(atom::SYSTEM, name, 2);
                return Ok(self.program.entries.get(pred as usize) as usize);
            }
            if self.unify(catcher, term) {
                self.pop_choice();
                let recovery = match aborted {
                    true => self.mem.then_abort(recovery),
                    false => recovery,
                };
                self.control.x[0] = self.after_woken(recovery);
                return match self.prepare_call(1) {
                    Ok(Next::Code(address)) => Ok(address),
                    Ok(Next::Fail) => Ok(0),
                    Err(again) => self.throw(again),
                };
            }
            self.mem.undo_to(mark);
            self.pop_choice();
        }
        Err(Outcome::Exception(ball))
    }

    // -- small things the instructions need

    /// Compares the values of two expressions; `None` if one is not a number.
    pub(crate) fn compare_values(&mut self, a: Cell, b: Cell) -> Result<Option<Ordering>, PErr> {
        let (a, b) = (self.mem.deref(a), self.mem.deref(b));
        if let Some(order) = self.quick_compare(a, b) {
            return Ok(Some(order));
        }
        let a = self.eval(a)?;
        let b = self.eval(b)?;
        Ok(a.compare(&b))
    }

    pub(crate) fn eval_cell(&mut self, expression: Cell) -> Result<Cell, PErr> {
        if self.mem.is_number(expression) {
            return Ok(expression);
        }
        let value: Num = self.eval(expression)?;
        self.number_cell(&value)
    }

    /// The elements of a proper list.
    pub(crate) fn list_items(&mut self, list: Cell) -> Result<Vec<Cell>, PErr> {
        match self.mem.list_end(list) {
            Some(end) if end.is_atom(atom::NIL) => {}
            Some(end) if end.is_var() => return Err(self.mem.instantiation_error()),
            _ => return Err(self.mem.type_error_strict(atom::LIST, list)),
        }
        let mut items = Vec::new();
        let mut cell = self.mem.deref(list);
        while cell.tag() == LST {
            items.push(self.mem.at(cell.index()));
            cell = self.mem.at(cell.index() + 1);
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
