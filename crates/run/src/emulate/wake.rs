//! Goals woken by binding attributed variables, in the middle of a clause.
//!
//! They run as soon as the unification that woke them is over: behind the head, or behind the goal of the body. No
//! instruction looks for them on the way there. The binding, which is rare, looks ahead for that place and puts
//! [`Op::Wake`] in it; the instruction that was there is put back when the place is reached or the clause fails.
//!
//! What the clause still needs is put aside in an environment: where to go on, the cut barrier, and the live
//! registers in a term. The goals are then called like any other, with all their answers.
//!
//! | slot | |
//! |---|---|
//! | 0 | the address to go on at |
//! | 1 | the cut barrier of the clause |
//! | 2 | register numbers and values in turn |
//! | 3 | in a condition: the choice point below the goals |
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::cleanup::before_cut;
use super::liveness::{Frame, is_preparation, is_unification, length};
use super::registers::{Code, Regs, op, raise};
use crate::cell::*;
use crate::code::{Op, frame_word, word};
use crate::errors::PErr;
use crate::machine::{ENV_HEAD, Machine, choice, code_at};
use stet_prolog::atom;

const ADDRESS: usize = ENV_HEAD;
const BARRIER: usize = ENV_HEAD + 1;
const REGISTERS: usize = ENV_HEAD + 2;
const CHOICE: usize = ENV_HEAD + 3;
/// Slots of the environment, and those that hold terms.
pub(crate) const SLOTS: usize = 4;
pub(crate) const MASK: u32 = 0b100;

/// In the second byte of an instruction: the unification ends with it.
const ENDS: u64 = 1 << 8;

/// Marks the last instruction of the unification that `code` starts with at `from`.
pub(crate) fn mark_end(code: &mut [u64], from: usize) {
    let mut at = from;
    let mut last = None;
    while let Some(&word) = code.get(at) {
        if is_unification(word) {
            last = Some(at);
        }
        at += length(word);
    }
    if let Some(last) = last {
        code[last] |= ENDS;
    }
}

/// The instruction at `p`, of `n` words, woke goals: sees to it that they run at the end of the unification.
#[cold]
#[inline(never)]
pub(super) unsafe fn awake(m: *mut Machine, p: Code, n: usize) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let next = p.add(n);
        if (*m).control.armed.is_some() {
            return next;
        }
        let mut end = next;
        let mut ended = is_unification(*p) && *p & ENDS != 0;
        while !ended && (is_unification(*end) || is_preparation(*end)) {
            ended = is_unification(*end) && *end & ENDS != 0;
            end = end.add(length(*end));
        }
        if end == next {
            return wake(m, next);
        }
        let at = end.offset_from((*m).program.code.base()) as usize;
        (*m).control.armed = Some((at, *end));
        (*m).program.code.set(at, word(Op::Wake, 0, 0, 0, 0));
        next
    }
}

/// Calls the woken goals and goes on at `p`; the registers were saved.
pub(super) unsafe fn wake(m: *mut Machine, p: Code) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let at = p.offset_from((*m).program.code.base()) as usize;
        match (*m).wake_before(at) {
            Ok(entry) => (*m).program.code.base().add(entry),
            Err(error) => raise(m, error),
        }
    }
}

op!(wake_here, r => {
    r.save();
    (*r.m).disarm();
    wake(r.m, r.p)
});

/// Takes up the registers the environment keeps, and leaves it.
#[inline(always)]
unsafe fn resume(r: &mut Regs) -> usize {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let kept = r.y(REGISTERS - ENV_HEAD);
        let address = r.y(ADDRESS - ENV_HEAD) >> 3;
        (*r.m).control.b0 = (r.y(BARRIER - ENV_HEAD) >> 3) as usize;
        if kept & 7 == STR {
            let count = Cell(r.load(kept)).arity() as u64 / 2;
            for i in 0..count {
                let register = r.load_at(kept, 1 + 2 * i) >> 3;
                r.set_x(register as usize, r.load_at(kept, 2 + 2 * i));
            }
        }
        r.pop_env();
        address as usize
    }
}

op!(wake_exit, r => {
    let address = resume(&mut r);
    r.goto(address)
});

op!(wake_test, r => {
    let at = (r.y(CHOICE - ENV_HEAD) >> 3) as usize;
    let to = r.choice(at + choice::PREV) as usize;
    if to < (*r.m).control.cleanup_b {
        r.save();
        return before_cut(r.m, r.p, to);
    }
    r.cut_to(to);
    let address = resume(&mut r);
    r.goto(address + length(*r.code().add(address)))
});

op!(wake_else, r => {
    r.cut_to(r.choice((*r.m).control.b + choice::PREV) as usize);
    let address = resume(&mut r);
    let label = *r.code().add(address) >> 32;
    if label == 0 {
        return r.fail();
    }
    r.goto(label as usize)
});

op!(wake_alternative, r => {
    let b = (*r.m).control.b;
    let count = r.choice(b + choice::COUNT) as usize - 1;
    for i in 0..count {
        r.set_x(i, r.choice(b + choice::ARGS + i));
    }
    let address = (r.choice(b + choice::ARGS + count) >> 3) as usize;
    r.cut_to(r.choice(b + choice::PREV) as usize);
    (*r.m).control.b0 = (*r.m).control.b;
    r.goto(address)
});

/// `TestConst` with an attributed variable: the condition holds if the variable's goals do.
#[cold]
#[inline(never)]
pub(super) unsafe fn wake_in_condition(m: *mut Machine, p: Code, w: u64) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let var = (&(*m).control.x)[(w >> 16 & 0xffff) as usize];
        let var = (*m).mem.deref(var);
        let at = p.offset_from((*m).program.code.base()) as usize;
        match (*m).wake_to_decide(at, var, Cell(*p.add(1))) {
            Ok(entry) => (*m).program.code.base().add(entry),
            Err(error) => raise(m, error),
        }
    }
}

/// A builtin in the middle of a clause succeeded at `p`: runs the goals it woke.
#[cold]
#[inline(never)]
pub(super) unsafe fn wake_after_builtin(m: *mut Machine, p: Code, _w: u64) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe { wake(m, p.add(1)) }
}

/// The goals cannot be called: as after failure, nothing waits any more.
#[cold]
#[inline(never)]
pub(super) unsafe fn forget_woken(m: *mut Machine) {
    // SAFETY: the invariant of `registers`.
    unsafe {
        (*m).control.pending = Cell::atom(atom::NIL);
        (*m).disarm();
    }
}

impl Machine {
    /// Puts back the instruction that [`Op::Wake`] stands for.
    pub(crate) fn disarm(&mut self) {
        if let Some((at, original)) = self.control.armed.take() {
            self.program.code.set(at, original);
        }
    }

    /// Calls the woken goals, with the instruction at `at` behind them; the address to go on at.
    fn wake_before(&mut self, at: usize) -> Result<usize, PErr> {
        self.keep_alternative()?;
        self.put_aside(at)?;
        self.control.cp = code_at::WAKE_EXIT;
        let entry = self.woken_goals();
        self.control.b0 = self.control.b;
        Ok(entry)
    }

    /// Binds a variable in the condition at `at` and calls the goals this wakes.
    fn wake_to_decide(&mut self, at: usize, var: Cell, value: Cell) -> Result<usize, PErr> {
        self.keep_alternative()?;
        self.check_choice_space()?;
        self.put_aside(at)?;
        self.control.cp = code_at::WAKE_TEST;
        self.push_choice(code_at::WAKE_ELSE, 0);
        self.mem
            .env
            .put(self.control.e + CHOICE, Cell::small(self.control.b as i64));
        self.bind(var, value);
        let entry = self.woken_goals();
        self.control.b0 = self.control.b;
        Ok(entry)
    }

    /// Makes a choice point of the clause to try next, if the present one was entered without.
    fn keep_alternative(&mut self) -> Result<(), PErr> {
        let address = std::mem::take(&mut self.control.shallow);
        if address == 0 {
            return Ok(());
        }
        let arity = (self.program.code.get(address) >> 16 & 0xffff) as usize;
        // The choice point is as old as the entry of the clause.
        let (tr, heap) = (self.control.shallow_tr, self.mem.hb);
        self.mem.hb = self.mem.choice.get(self.control.b + choice::HEAP) as usize;
        self.check_choice_space()?;
        let kept = std::mem::replace(&mut self.control.x[arity], Cell::small(address as i64));
        self.push_choice(code_at::WAKE_ALTERNATIVE, arity + 1);
        self.control.x[arity] = kept;
        self.mem
            .choice
            .set(self.control.b + choice::TRAIL, tr as u64);
        self.mem
            .choice
            .set(self.control.b + choice::HEAP, heap as u64);
        self.mem.hb = heap;
        Ok(())
    }

    /// Makes an environment of what the clause needs from `at` on.
    fn put_aside(&mut self, at: usize) -> Result<(), PErr> {
        let live = self.needed_at(at);
        match live.frame {
            Frame::Unused => {
                // Nobody returns: what the newest choice point needs is all there must be.
                self.control.e = self.mem.choice.get(self.control.b + choice::ENV) as usize;
                self.control.cp = code_at::WAKE_FAIL;
            }
            Frame::Callers => {}
            Frame::Own { slots, mask } => self.control.cp = self.description(slots, mask)?,
        }
        let top = self.env_top();
        if top > self.mem.env_limit {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        self.mem.need(2 * live.registers.len() + 2)?;
        let mut kept = Vec::with_capacity(2 * live.registers.len());
        for &register in &live.registers {
            kept.push(Cell::small(i64::from(register)));
            kept.push(self.control.x[register as usize]);
        }
        let kept = self.mem.new_term(atom::NECK, &kept);
        self.mem.env.set(top, self.control.e as u64);
        self.mem.env.set(top + 1, self.control.cp as u64);
        self.control.e = top;
        self.mem.env.put(top + ADDRESS, Cell::small(at as i64));
        self.mem
            .env
            .put(top + BARRIER, Cell::small(self.control.b0 as i64));
        self.mem.env.put(top + REGISTERS, kept);
        self.mem.env.put(top + CHOICE, Cell::small(0));
        Ok(())
    }

    /// What is needed at an address; known from the time before unless code was put there since.
    fn needed_at(&mut self, at: usize) -> std::sync::Arc<super::liveness::Live> {
        if let Some(known) = self.control.liveness.get(&at) {
            return known.clone();
        }
        let live = std::sync::Arc::new(self.program.live_at(at));
        self.control.liveness.insert(at, live.clone());
        live
    }

    /// A continuation that describes an environment with these slots; never gone to.
    fn description(&mut self, slots: usize, mask: u32) -> Result<usize, PErr> {
        let frame = frame_word(slots, mask);
        if let Some(&at) = self.control.descriptions.get(&frame) {
            return Ok(at);
        }
        let at = self.alloc_code(&[frame, word(Op::Fail, 0, 0, 0, 0)])? as usize + 1;
        self.control.descriptions.insert(frame, at);
        Ok(at)
    }
}
