//! The interpreter: runs one state until it ends, forks into others, or its turn is over.
//!
//! An instruction either completes, or ends the path ([`Stop`]), or forks: then the new states are put aside in
//! [`Executor::spawned`] and execute the *same* instruction again later, each under its own constraint. So nothing may be
//! changed in a state before the last point at which its instruction can fork.

mod access;
mod branch;
mod call;
mod candidates;
mod external;
mod float;
mod lanes;
mod parts;
mod passing;
mod pure;
mod segments;
pub(crate) mod sizes;
mod unwind;

use crate::address::Allocator;
use crate::builtins::Builtin;
use crate::code::{Code, Op, Opd};
use crate::left_out::{LeftOutKind, LeftOutList};
use crate::memory::SharedCursors;
use crate::program::Program;
use crate::query::{PathConstraints, Purpose, QueryChain, Truth};
use crate::report::{ErrorKind, Location, Outcome, PathEnd, Sink, TestObject};
use crate::state::State;
use crate::value::{Ctx, Value};
use std::rc::Rc;
use stet_base::{FastMap, FastSet};
use stet_llvm::BinaryOp;
use stet_term::Term;

pub(crate) use access::Place;

/// Why a path ends.
#[derive(Clone, Debug)]
pub(crate) struct Stop(pub(crate) Box<Outcome>);

pub(crate) type Step<T = ()> = Result<T, Stop>;

/// An error ends the path.
pub(crate) fn error<T>(kind: ErrorKind, message: impl Into<String>) -> Step<T> {
    Err(Stop(Box::new(Outcome::Error(kind, message.into()))))
}

/// Where shifts by the width or more are errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overshift {
    Report,
    /// In code that was not optimised: elsewhere the result may be unused.
    Unoptimized,
    Ignore,
}

/// Settings of the interpreter.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) allocator: Allocator,
    pub(crate) memory: crate::segment::MemoryModel,
    pub(crate) split: Option<crate::object::parts::Split>,
    pub(crate) max_frames: u32,
    pub(crate) max_allocation: u64,
    pub(crate) overshift: Overshift,
    pub(crate) capture_output: bool,
    /// Where concrete files come from.
    pub(crate) root: Option<std::sync::Arc<dyn crate::builtins::Root>>,
    pub(crate) stop_at: crate::engine::StopAt,
    pub(crate) replay: Option<std::sync::Arc<[TestObject]>>,
    pub(crate) replay_path: Option<std::sync::Arc<[bool]>>,
    pub(crate) seeds: Option<std::sync::Arc<crate::seeds::Seeds>>,
    pub(crate) recording: crate::report::Recording,
    pub(crate) klee: crate::engine::KleeRules,
    pub(crate) external: crate::external::ExternalConfig,
    pub(crate) static_limits: crate::engine::StaticLimits,
    pub(crate) trace: bool,
    /// Forks allowed; beyond, one side is dropped.
    pub(crate) max_forks: Option<u64>,
    pub(crate) max_depth: Option<u32>,
}

/// What all states share.
pub(crate) struct Executor<'s> {
    pub(crate) ctx: Ctx,
    pub(crate) program: Rc<Program>,
    pub(crate) chain: QueryChain,
    pub(crate) settings: Settings,
    pub(crate) shared: SharedCursors,
    /// All globals as they are before the program starts.
    pub(crate) first_memory: crate::memory::Memory,
    pub(crate) sink: &'s mut dyn Sink,
    /// States forked by the instruction being executed.
    pub(crate) spawned: Vec<State>,
    /// Whether the choices before a part of the tree are being repeated.
    pub(crate) is_replaying: bool,
    pub(crate) builtins: FastMap<u32, Option<Builtin>>,
    /// The function whose builtin is being run.
    pub(crate) callee: u32,
    pub(crate) warned: FastSet<String>,
    pub(crate) left_out: LeftOutList,
    pub(crate) next_id: u64,
    pub(crate) instructions: u64,
    pub(crate) forks: u64,
    pub(crate) dropped: u64,
    /// Errors that end the exploration.
    pub(crate) stopping_errors: u64,
    /// Forks of single instructions and call paths, where they are limited.
    pub(crate) forks_at: FastMap<u64, u64>,
    pub(crate) paths: u64,
    pub(crate) objects: u64,
    pub(crate) merged: u64,
    /// Bytes allocated since the limits were looked at.
    pub(crate) allocated: u64,
    /// The process in which external functions are called first.
    pub(crate) native_start: Option<Rc<dyn crate::external::NativeProcess>>,
}

/// A turn ends after this many bytes were allocated.
const ALLOCATION_TURN: u64 = 32 << 20;

/// The operand's value.
#[inline(always)]
pub(crate) fn fetch<'v>(code: &'v Code, registers: &'v [Value], opd: Opd) -> &'v Value {
    if opd.0 & Opd::CONST == 0 {
        &registers[opd.0 as usize]
    } else {
        &code.constants[(opd.0 & !Opd::CONST) as usize]
    }
}

impl Executor<'_> {
    /// Runs a state for at most `turn` instructions, or until it forks if `until_fork`.
    pub(crate) fn run(&mut self, state: &mut State, turn: u64, until_fork: bool) -> Step {
        let mut left = turn;
        self.allocated = 0;
        while left > 0 && self.allocated < ALLOCATION_TURN {
            if self.settings.trace {
                let place = self.location(&state.top.code, state.top.pc);
                self.sink.step(&place, state.id);
                left = left.min(1);
            }
            let code = state.top.code.clone();
            let frames = state.frames;
            let before = left;
            let outcome = self.run_frame(state, &code, frames, &mut left, until_fork);
            let done = before - left;
            self.instructions += done;
            state.instructions += done;
            state.since_new += done;
            if outcome? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs until the frame changes or the turn is over; whether to give up the turn.
    fn run_frame(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        frames: u32,
        left: &mut u64,
        until_fork: bool,
    ) -> Step<bool> {
        while *left > 0 {
            *left -= 1;
            let pc = state.top.pc as usize;
            let Some(op) = code.ops.get(pc) else {
                return error(
                    ErrorKind::Unsupported,
                    "control ran past the end of a function",
                );
            };
            match op {
                Op::Bin {
                    op,
                    width,
                    dst,
                    a,
                    b,
                } => {
                    let registers = &state.top.registers;
                    let (x, y) = (fetch(code, registers, *a), fetch(code, registers, *b));
                    let value = match op {
                        BinaryOp::Add
                        | BinaryOp::Sub
                        | BinaryOp::Mul
                        | BinaryOp::And
                        | BinaryOp::Or
                        | BinaryOp::Xor => {
                            crate::arith::binary(&self.ctx, *op, u32::from(*width), x, y)
                        }
                        _ => {
                            let (x, y) = (x.clone(), y.clone());
                            self.checked_binary(state, *op, u32::from(*width), &x, &y)?
                        }
                    };
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                }
                Op::ICmp {
                    pred,
                    width,
                    dst,
                    a,
                    b,
                } => {
                    let registers = &state.top.registers;
                    let (x, y) = (fetch(code, registers, *a), fetch(code, registers, *b));
                    let value = crate::arith::compare(&self.ctx, *pred, u32::from(*width), x, y);
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                }
                Op::Cast {
                    op,
                    from,
                    to,
                    dst,
                    a,
                } => {
                    let x = fetch(code, &state.top.registers, *a);
                    let value =
                        crate::arith::cast(&self.ctx, *op, u32::from(*from), u32::from(*to), x);
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                }
                Op::Move { dst, a } => {
                    let value = fetch(code, &state.top.registers, *a).clone();
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                }
                Op::GepConst { dst, base, offset } => {
                    let base = fetch(code, &state.top.registers, *base);
                    let value = self.offset(base, *offset);
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                }
                Op::Gep {
                    dst,
                    base,
                    offset,
                    first,
                    count,
                } => {
                    let registers = &state.top.registers;
                    let base = fetch(code, registers, *base);
                    let steps = &code.scaled[*first as usize..(*first + *count) as usize];
                    let value = self.gep(base, *offset, steps, |opd| {
                        fetch(code, registers, opd).clone()
                    });
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                }
                Op::Load { dst, ptr, bits } => {
                    let quick = match fetch(code, &state.top.registers, *ptr) {
                        Value::Ptr(object, offset) => match state.memory.get(*object) {
                            Some(content) if in_bounds(content.held(), *offset, *bits) => {
                                Some(content.read(&self.ctx, *offset as usize, *bits))
                            }
                            _ => None,
                        },
                        _ => None,
                    };
                    let is_slow = quick.is_none();
                    let value = match quick {
                        Some(value) => value,
                        None => self.load_slow(state, code, *ptr, *bits)?,
                    };
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                    state.decided.clear();
                    if is_slow && self.chain.is_out_of_time() {
                        return Ok(true);
                    }
                }
                Op::Store { value, ptr, bits } => {
                    let fast = match fetch(code, &state.top.registers, *ptr) {
                        Value::Ptr(object, offset) => match state.memory.get_mut(*object) {
                            Some(content)
                                if content.writable
                                    && in_bounds(content.held(), *offset, *bits) =>
                            {
                                let value = fetch(code, &state.top.registers, *value);
                                content.write(&self.ctx, *offset as usize, *bits, value);
                                true
                            }
                            _ => false,
                        },
                        _ => false,
                    };
                    if !fast {
                        self.store_slow(state, code, *ptr, *value, *bits)?;
                    }
                    state.top.pc += 1;
                    state.decided.clear();
                    if !fast && self.chain.is_out_of_time() {
                        return Ok(true);
                    }
                }
                Op::Br { edge } => self.take_edge(state, code, *edge),
                Op::CondBr { cond, yes, no } => {
                    let edge = match fetch(code, &state.top.registers, *cond) {
                        Value::Int(flag) => {
                            if flag & 1 == 1 {
                                *yes
                            } else {
                                *no
                            }
                        }
                        value => {
                            let term = self.ctx.term(value, 1);
                            self.branch(state, term, code, *yes, *no)?
                        }
                    };
                    self.take_edge(state, code, edge);
                    if until_fork && !self.spawned.is_empty() {
                        return Ok(true);
                    }
                }
                Op::Select {
                    dst,
                    cond,
                    a,
                    b,
                    width,
                } => {
                    let registers = &state.top.registers;
                    let cond = fetch(code, registers, *cond);
                    let (a, b) = (fetch(code, registers, *a), fetch(code, registers, *b));
                    let is_symbolic = *width == 0 && !matches!(cond, Value::Int(_));
                    if is_symbolic && Self::lacks_widths(a, b) {
                        let what = "a symbolic choice between structures of unlike numbers";
                        return error(ErrorKind::Unsupported, what);
                    }
                    let value = self.select(cond, a, b, *width);
                    state.top.registers[*dst as usize] = value;
                    state.top.pc += 1;
                }
                Op::Call(call) => {
                    self.call(state, code, call)?;
                    if self.allocated >= ALLOCATION_TURN || state.closing.is_some() {
                        return Ok(true);
                    }
                    if state.frames != frames || !Rc::ptr_eq(&state.top.code, code) {
                        return Ok(until_fork && !self.spawned.is_empty());
                    }
                }
                Op::Ret { value } => {
                    let value = value.map(|value| fetch(code, &state.top.registers, value).clone());
                    self.ret(state, value)?;
                    return Ok(false);
                }
                Op::Resume { .. } => {
                    self.other(state, code, op)?;
                    return Ok(false);
                }
                _ => self.other(state, code, op)?,
            }
            if until_fork && !self.spawned.is_empty() {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Instructions that are not worth a place in the main loop.
    fn other(&mut self, state: &mut State, code: &Rc<Code>, op: &Op) -> Step {
        match op {
            Op::Switch(switch) => {
                let edge = self.switch(state, code, switch)?;
                self.take_edge(state, code, edge);
                return Ok(());
            }
            Op::IndirectBr { address, edges } => {
                let edge = self.indirect_branch(state, code, *address, edges)?;
                self.take_edge(state, code, edge);
                return Ok(());
            }
            Op::LandingPad { dst, .. } => self.land(state, *dst)?,
            Op::Resume { exception } => {
                let exception = fetch(code, &state.top.registers, *exception).clone();
                return self.resume(state, &exception);
            }
            Op::Unreachable => {
                return error(
                    ErrorKind::Unreachable,
                    "reached an `unreachable` instruction",
                );
            }
            Op::Unsupported(what)
                if self.settings.klee.no_external_calls && what.contains("inline assembly") =>
            {
                let message = "external calls disallowed (in particular inline asm)";
                return error(ErrorKind::User, message);
            }
            Op::Unsupported(what) => {
                return error(ErrorKind::Unsupported, format!("{what} is not supported"));
            }
            Op::Nop => {}
            Op::LoadParts { .. }
            | Op::StoreParts { .. }
            | Op::AtomicRmw { .. }
            | Op::CmpXchg { .. }
            | Op::Alloca { .. }
            | Op::Begin { .. }
            | Op::VaArg { .. } => self.memory_op(state, code, op)?,
            _ => self.pure(state, code, op)?,
        }
        state.top.pc += 1;
        state.decided.clear();
        Ok(())
    }

    /// Division and shifts, with their checks.
    pub(crate) fn checked_binary(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        width: u32,
        a: &Value,
        b: &Value,
    ) -> Step<Value> {
        match op {
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                match self.ctx.number128(b) {
                    Some(0) => return error(ErrorKind::DivisionByZero, "division by zero"),
                    Some(_) => {}
                    None => {
                        let zero = self.ctx.term(&Value::wide(0, width), width);
                        let bad = match width {
                            1 => self.ctx.terms.not(self.ctx.term(b, 1)),
                            _ => self.ctx.terms.eq(self.ctx.term(b, width), zero),
                        };
                        self.forbid(state, bad, ErrorKind::DivisionByZero, "division by zero")?;
                    }
                }
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if self.checks_shifts(state) => {
                match self.ctx.number128(b) {
                    Some(amount) if amount >= u128::from(width) => {
                        return error(
                            ErrorKind::Overshift,
                            format!("shift of {width} bits by {amount}"),
                        );
                    }
                    Some(_) => {}
                    None if width == 1 => {
                        let bad = self.ctx.term(b, 1);
                        self.forbid(
                            state,
                            bad,
                            ErrorKind::Overshift,
                            "shift by the width or more",
                        )?;
                    }
                    None => {
                        let limit = self.ctx.wide_term(u128::from(width), width);
                        let bad = self.ctx.terms.bv_uge(self.ctx.term(b, width), limit);
                        self.forbid(
                            state,
                            bad,
                            ErrorKind::Overshift,
                            "shift by the width or more",
                        )?;
                    }
                }
            }
            _ => {}
        }
        Ok(crate::arith::binary(&self.ctx, op, width, a, b))
    }

    /// Whether a shift by the width or more is an error here. In optimised code it need not be: the compiler may
    /// execute it early and not use the result.
    fn checks_shifts(&self, state: &State) -> bool {
        match self.settings.overshift {
            Overshift::Report => true,
            Overshift::Ignore => false,
            Overshift::Unoptimized => !state.top.code.optimized,
        }
    }

    /// What a condition can be in a state; an undecided one ends the path.
    pub(crate) fn truth(&mut self, state: &State, condition: Term) -> Step<Truth> {
        let condition = self.defined_condition(state, condition);
        match condition {
            Term::TRUE => return Ok(Truth::True),
            Term::FALSE => return Ok(Truth::False),
            _ => {}
        }
        match self
            .chain
            .evaluate(&state.constraints, condition, Purpose::Program)
        {
            Truth::Unknown => {
                let reason = self
                    .chain
                    .unknown_reason()
                    .unwrap_or("no reason given")
                    .to_owned();
                Err(Stop(Box::new(Outcome::Unknown(reason))))
            }
            truth => Ok(truth),
        }
    }

    /// Adds a condition that is possible.
    pub(crate) fn assume(&mut self, state: &mut State, condition: Term) {
        debug_assert!(
            condition != Term::FALSE,
            "the caller knows that the path remains possible"
        );
        let condition = self.defined_again(condition);
        self.chain.assume(&mut state.constraints, condition);
        if !state.seeds.is_empty() {
            crate::seeds::keep(self, state, condition);
        }
    }

    /// Reports an error where a bad condition is possible, and goes on where it is not.
    pub(crate) fn forbid(
        &mut self,
        state: &mut State,
        bad: Term,
        kind: ErrorKind,
        message: &str,
    ) -> Step {
        match self.truth(state, bad)? {
            Truth::False => Ok(()),
            Truth::True => error(kind, message),
            _ => {
                self.report_fork(state, bad, kind, message);
                let good = self.ctx.terms.not(bad);
                self.assume(state, good);
                Ok(())
            }
        }
    }

    /// Ends a copy of the state with an error under a condition.
    pub(crate) fn report_fork(
        &mut self,
        state: &State,
        condition: Term,
        kind: ErrorKind,
        message: &str,
    ) {
        self.forks += 1;
        let mut failing = state.clone();
        self.assume(&mut failing, condition);
        failing.depth += 1;
        self.finish(&failing, Outcome::Error(kind, message.to_owned()));
    }

    /// A copy of the state under a condition, to be continued later; `None` if a limit forbids it.
    pub(crate) fn fork(&mut self, state: &State, condition: Term) -> Option<State> {
        debug_assert!(
            condition != Term::FALSE,
            "a state is forked for what is possible"
        );
        let over = self
            .settings
            .max_forks
            .is_some_and(|limit| self.forks >= limit)
            || self
                .settings
                .max_depth
                .is_some_and(|limit| state.depth >= limit);
        if over {
            self.dropped += 1;
            let mut lost = state.clone();
            self.assume(&mut lost, condition);
            self.finish(
                &lost,
                Outcome::Dropped("the limit on forks or depth was reached".into()),
            );
            return None;
        }
        self.forks += 1;
        let mut other = state.clone();
        other.id = self.next_id;
        self.next_id += 1;
        other.depth += 1;
        other.covered_new = false;
        other.new_blocks = crate::state::Log::new();
        self.assume(&mut other, condition);
        Some(other)
    }

    /// Tells how a path ended.
    pub(crate) fn finish(&mut self, state: &State, outcome: Outcome) {
        // On the way to a part of the tree: these paths are told by whoever explores the other parts.
        if self.is_replaying {
            return;
        }
        self.paths += 1;
        self.record_end(state, &outcome);
        if let Outcome::Error(kind, _) = &outcome {
            let stops = match &self.settings.stop_at {
                crate::engine::StopAt::Nothing => false,
                crate::engine::StopAt::AnyError => {
                    !kind.is_unsupported() || self.settings.klee.klee_words
                }
                crate::engine::StopAt::Kinds(kinds) => kinds.contains(kind),
            };
            self.stopping_errors += u64::from(stops);
        }
        let test = match outcome {
            Outcome::Silent => Some(Vec::new()),
            _ => self.test_case(state),
        };
        let ended = matches!(outcome, Outcome::Exit(_) | Outcome::Silent);
        let output = state
            .output
            .in_order()
            .iter()
            .flat_map(|chunk| chunk.iter().copied())
            .collect();
        let end = PathEnd {
            choices: state.choices.in_order().into_iter().copied().collect(),
            stack: if ended { Vec::new() } else { self.stack(state) },
            outcome,
            test,
            instructions: state.instructions,
            output,
            covered_new: state.covered_new,
            leans: state.leans.get(),
            report: state.report.as_deref().cloned(),
            recorded: self.recorded(state),
        };
        self.sink.path(end);
    }

    /// Notes that states were given up without tests of their paths so far.
    pub(crate) fn drop_untested(&mut self, count: u64, reason: &str) {
        self.dropped += count;
        let kind = LeftOutKind::Dropped;
        self.left_out
            .record_many(kind, reason, Location::default(), count);
    }

    /// An input that makes the program take the state's path.
    fn test_case(&mut self, state: &State) -> Option<Vec<TestObject>> {
        let mut constraints: PathConstraints = state.constraints.clone();
        if let Some(told) = state.told_status {
            self.chain.assume(&mut constraints, told);
        }
        for &preference in state.preferences.in_order() {
            if self
                .chain
                .may_be_true(&constraints, preference, Purpose::Engine)
                == Some(true)
            {
                self.chain.assume(&mut constraints, preference);
            }
        }
        let model = self.chain.model(&constraints)?;
        let byte = |term: &Term| match self.ctx.terms.op(*term) {
            stet_term::Op::Symbol(symbol) => model
                .get(symbol)
                .and_then(|value| value.as_u64())
                .unwrap_or(0) as u8,
            _ => self.ctx.terms.as_u64(*term).unwrap_or(0) as u8,
        };
        let objects = state.symbolics.in_order();
        let object = |symbolic: &&crate::state::Symbolic| TestObject {
            name: symbolic.name.to_string(),
            bytes: symbolic.bytes.iter().map(byte).collect(),
        };
        Some(objects.iter().map(object).collect())
    }

    /// Fixes the path's inputs to those of its test, where the path's outcome no longer depends on them.
    pub(crate) fn fix_to_test(&mut self, state: &mut State) {
        let Some(test) = self.test_case(state) else {
            return;
        };
        let terms = self.ctx.terms.clone();
        let objects: Vec<crate::state::Symbolic> =
            state.symbolics.in_order().into_iter().cloned().collect();
        debug_assert_eq!(
            objects.len(),
            test.len(),
            "a test has every object of the path"
        );
        for (object, values) in objects.iter().zip(&test) {
            for (&byte, &value) in object.bytes.iter().zip(&values.bytes) {
                let equal = terms.eq(byte, terms.bv(8, u64::from(value)));
                if equal != Term::TRUE && equal != Term::FALSE {
                    self.assume(state, equal);
                }
            }
        }
        state.settled = true;
    }

    /// Where a state is, innermost frame first.
    pub(crate) fn stack(&self, state: &State) -> Vec<Location> {
        let frames = state.frames().take(256);
        frames
            .map(|frame| self.location(&frame.code, frame.pc))
            .collect()
    }

    /// Where an instruction is.
    pub(crate) fn location(&self, code: &Code, pc: u32) -> Location {
        let functions = self.program.functions.borrow();
        let entry = &functions[code.function as usize];
        let (debug, position) = code
            .places
            .get(pc as usize)
            .copied()
            .unwrap_or((u32::MAX, 0));
        let Some((module, _)) = entry.definition else {
            return Location::default();
        };
        let owner = &self.program.modules[module as usize];
        let place = owner.debug.place(debug);
        let (file, directory, line, column) = match place {
            Some(place) => (place.file, place.directory, place.line, place.column),
            None => Default::default(),
        };
        Location {
            file,
            directory,
            line,
            column,
            function: entry.name.clone(),
            assembly: (module as usize, position),
        }
    }

    /// Records that the run does not cover something, and says so where it happens first.
    pub(crate) fn leave_out(&mut self, state: &State, kind: LeftOutKind, what: &str) {
        state.leans.set(true);
        let place = self.program_place(state);
        let shown = match (place.line, place.function.is_empty()) {
            (0, true) => String::new(),
            (0, false) => format!(" in {}", place.function),
            (line, _) => format!(" at {}:{line}", place.file),
        };
        if self.left_out.record(kind, what, place.clone()) {
            let message = format!("{what}{shown}");
            if self.warned.insert(message.clone()) {
                self.sink.notice(&message, &place);
            }
        }
    }

    /// The innermost place of a state in the program itself, not in a library linked to it.
    fn program_place(&self, state: &State) -> Location {
        let functions = self.program.functions.borrow();
        let own = state.frames().take(256).find(|frame| {
            let definition = functions[frame.code.function as usize].definition;
            definition.is_some_and(|(module, _)| !self.program.is_library(module))
        });
        let frame = own.unwrap_or(&state.top);
        self.location(&frame.code, frame.pc)
    }

    /// Records a path that ended before the program did.
    fn record_end(&mut self, state: &State, outcome: &Outcome) {
        let (kind, what) = match outcome {
            Outcome::Error(kind, message) if kind.is_unsupported() => {
                (LeftOutKind::Refused, message)
            }
            Outcome::Unknown(reason) => (LeftOutKind::Undecided, reason),
            Outcome::Dropped(reason) => (LeftOutKind::Dropped, reason),
            Outcome::Error(..) | Outcome::Exit(_) | Outcome::Silent => return,
        };
        let place = self.program_place(state);
        self.left_out.record(kind, what, place);
    }

    /// The name of the function whose builtin is being run.
    pub(crate) fn callee_name(&self) -> String {
        let functions = self.program.functions.borrow();
        functions[self.callee as usize].name.clone()
    }

    /// Says something once.
    pub(crate) fn warn_once(&mut self, message: String) {
        if self.warned.insert(message.clone()) {
            self.sink.warning_once(&message);
        }
    }
}

/// Whether a scalar of `bits` bits at `offset` lies in an object.
#[inline]
fn in_bounds(size: u64, offset: u64, bits: u32) -> bool {
    let len = u64::from(bits.div_ceil(8));
    offset <= size && len <= size - offset
}
