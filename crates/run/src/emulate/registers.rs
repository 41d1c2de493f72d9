//! The machine's registers while instructions run, and the operations every group of instructions uses.
//!
//! An instruction is a function of the machine, the program counter, the instruction word and the three
//! registers that change most (heap top, environment, structure pointer): six values, which travel in
//! processor registers from one instruction to the next. The other registers are fields of the machine.
//!
//! In optimised builds an instruction ends in a call of the next one, which the compiler turns into a jump;
//! each instruction then has an indirect jump of its own. This is for speed only: where the call were a call
//! the stack could not grow far, because failure and every thousandth call return to the loop in `run`.
//!
//! **Invariant** (for all of `emulate/`): `p`, continuations and labels are code addresses made by the
//! compiler; every chain of instructions ends in a jump, so `p` stays inside the code area. Heap,
//! environment, choice point and trail indices come from registers and cells the machine wrote itself; the
//! areas are reserved once and never move, and heap, environment and choice point tops are checked against
//! their limits at calls (`trap`), environment allocation and choice point creation, with a margin larger
//! than any clause can use in between. X register numbers are below `REGISTERS`, which the compiler checks.
//! `m` points to the machine `run` was called on; no reference to it is held while an instruction works on
//! its fields.
#![allow(
    unsafe_code,
    reason = "instructions read code and terms through raw pointers; see the invariant"
)]

use super::wake::{awake, forget_woken};
use super::{Outcome, TABLE};
use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{ENV_HEAD, Machine, choice};
use stet_prolog::atom;

/// An address in the code area, or null when the run is over.
pub(super) type Code = *const u64;

/// An instruction: machine, program counter, instruction word, heap top, environment, structure pointer.
pub(super) type Handler = unsafe fn(*mut Machine, Code, u64, u64, *mut u64, u64) -> Code;

/// The registers an instruction works with.
#[derive(Clone, Copy)]
pub(super) struct Regs {
    pub(super) m: *mut Machine,
    pub(super) p: Code,
    pub(super) w: u64,
    /// Heap top, as a byte offset: the cell of a fresh variable.
    pub(super) h: u64,
    pub(super) e: *mut u64,
    /// Structure pointer as a byte offset; bit 0 says that the structure is being written.
    pub(super) s: u64,
}

/// Defines an instruction.
macro_rules! op {
    ($(#[$meta:meta])* $name:ident, $r:ident => $body:block) => {
        $(#[$meta])*
        pub(super) unsafe fn $name(
            m: *mut crate::machine::Machine,
            p: super::registers::Code,
            w: u64,
            h: u64,
            e: *mut u64,
            s: u64,
        ) -> super::registers::Code {
            #[allow(unused_mut, reason = "not every instruction changes a register")]
            let mut $r = super::registers::Regs { m, p, w, h, e, s };
            // SAFETY: the invariant of `registers`.
            unsafe { $body }
        }
    };
}
/// Leaves the instruction by backtracking unless the condition holds.
macro_rules! need {
    ($r:ident, $condition:expr) => {
        if !$condition {
            return $r.fail();
        }
    };
}
/// The value, or the exception raised.
macro_rules! attempt {
    ($r:ident, $method:ident($($argument:expr),*)) => {{
        $r.save();
        $r.save_p();
        match (*$r.m).$method($($argument),*) {
            Ok(value) => {
                $r.reload();
                value
            }
            Err(error) => return super::registers::raise($r.m, error),
        }
    }};
}
pub(super) use {attempt, need, op};

// The methods below are unsafe for the same reason: they rely on the invariant above.
#[allow(
    clippy::missing_safety_doc,
    reason = "the module's invariant is the contract"
)]
impl Regs {
    // -- fields of the instruction word

    #[inline(always)]
    pub(super) fn a(self) -> usize {
        (self.w >> 16 & 0xffff) as usize
    }

    #[inline(always)]
    pub(super) fn b(self) -> usize {
        (self.w >> 32 & 0xffff) as usize
    }

    #[inline(always)]
    pub(super) fn d(self) -> usize {
        (self.w >> 48) as usize
    }

    #[inline(always)]
    pub(super) fn imm(self) -> usize {
        (self.w >> 32) as usize
    }

    /// The eight-bit field number `n`, counted from the opcode.
    #[inline(always)]
    pub(super) fn byte(self, n: u32) -> usize {
        (self.w >> (8 * n) & 0xff) as usize
    }

    /// The word `n` places behind the instruction.
    #[inline(always)]
    pub(super) unsafe fn word(self, n: usize) -> u64 {
        // SAFETY: the words behind an instruction are part of it; the compiler wrote them.
        unsafe { *self.p.add(n) }
    }

    // -- registers and memory

    #[inline(always)]
    pub(super) unsafe fn x(self, i: usize) -> u64 {
        debug_assert!(i < crate::machine::REGISTERS);
        // SAFETY: X register numbers are below `REGISTERS`.
        unsafe { *(&raw const (*self.m).control.x).cast::<u64>().add(i) }
    }

    #[inline(always)]
    pub(super) unsafe fn set_x(self, i: usize, value: u64) {
        debug_assert!(i < crate::machine::REGISTERS);
        // SAFETY: X register numbers are below `REGISTERS`.
        unsafe { *(&raw mut (*self.m).control.x).cast::<u64>().add(i) = value }
    }

    #[inline(always)]
    pub(super) unsafe fn y(self, i: usize) -> u64 {
        // SAFETY: the slots of an environment are counted by its frame word.
        unsafe {
            debug_assert!(self.e_index() + ENV_HEAD + i < (*self.m).mem.env.capacity());
            *self.e.add(ENV_HEAD + i)
        }
    }

    #[inline(always)]
    pub(super) unsafe fn set_y(self, i: usize, value: u64) {
        // SAFETY: the slots of an environment are counted by its frame word.
        unsafe {
            debug_assert!(self.e_index() + ENV_HEAD + i < (*self.m).mem.env.capacity());
            *self.e.add(ENV_HEAD + i) = value
        }
    }

    /// The cell at a byte offset; the tag is ignored.
    #[inline(always)]
    pub(super) unsafe fn load(self, cell: u64) -> u64 {
        // SAFETY: cells that point into the heap were written by the machine.
        unsafe {
            debug_assert!(((cell >> 3) as usize) < (*self.m).mem.heap.capacity());
            *(*self.m).mem.heap.base().byte_add((cell & !7) as usize)
        }
    }

    /// The cell `n` places behind the one a cell points to.
    #[inline(always)]
    pub(super) unsafe fn load_at(self, cell: u64, n: u64) -> u64 {
        // SAFETY: a structure lies on the heap with all its arguments.
        unsafe {
            debug_assert!(((cell >> 3) + n) < (*self.m).mem.heap.capacity() as u64);
            *(*self.m)
                .mem
                .heap
                .base()
                .byte_add(((cell & !7) + 8 * n) as usize)
        }
    }

    #[inline(always)]
    pub(super) unsafe fn store(self, offset: u64, value: u64) {
        // SAFETY: the heap top is checked at calls, with a margin.
        unsafe {
            debug_assert!(((offset >> 3) as usize) < (*self.m).mem.heap.capacity());
            *(*self.m).mem.heap.base().byte_add((offset & !7) as usize) = value
        }
    }

    /// Puts a cell on top of the heap.
    #[inline(always)]
    pub(super) unsafe fn push(&mut self, value: u64) {
        // SAFETY: the heap top is checked at calls, with a margin.
        unsafe { self.store(self.h, value) };
        self.h += 8;
    }

    /// A fresh variable on top of the heap.
    #[inline(always)]
    pub(super) unsafe fn push_var(&mut self) -> u64 {
        let var = self.h;
        // SAFETY: the module's invariant.
        unsafe { self.push(var) };
        var
    }

    #[inline(always)]
    pub(super) unsafe fn deref(self, cell: u64) -> u64 {
        let mut cell = cell;
        loop {
            let tag = cell & 7;
            if tag != REF && tag != ATT {
                return cell;
            }
            // SAFETY: the module's invariant.
            let next = unsafe { self.load(cell) };
            if next == cell {
                return cell;
            }
            cell = next;
        }
    }

    #[inline(always)]
    pub(super) unsafe fn choice(self, at: usize) -> u64 {
        // SAFETY: the module's invariant.
        unsafe { *(*self.m).mem.choice.base().add(at) }
    }

    #[inline(always)]
    pub(super) unsafe fn set_choice(self, at: usize, value: u64) {
        // SAFETY: the module's invariant.
        unsafe { *(*self.m).mem.choice.base().add(at) = value }
    }

    #[inline(always)]
    pub(super) unsafe fn code(self) -> Code {
        // SAFETY: the module's invariant.
        unsafe { (*self.m).program.code.base().cast_const() }
    }

    /// The environment as an index.
    #[inline(always)]
    pub(super) unsafe fn e_index(self) -> usize {
        // SAFETY: the module's invariant.
        unsafe { self.e.offset_from((*self.m).mem.env.base()) as usize }
    }

    // -- between instructions and the rest of the machine

    /// Writes the registers back, before anything else works on the machine.
    #[inline(always)]
    pub(super) unsafe fn save(self) {
        // SAFETY: the module's invariant.
        unsafe {
            debug_assert!(
                self.h & 7 == 0 && (self.h >> 3) as usize <= (*self.m).mem.heap.capacity()
            );
            debug_assert!(self.e_index() < (*self.m).mem.env.capacity());
            (*self.m).mem.h = (self.h >> 3) as usize;
            (*self.m).control.e = self.e_index();
            (*self.m).control.s = self.s;
        }
    }

    /// Notes the place of the instruction, for what errors say.
    #[inline(always)]
    pub(super) unsafe fn save_p(self) {
        // SAFETY: the module's invariant.
        unsafe { (*self.m).control.p = self.p.offset_from(self.code()) as usize };
    }

    /// Takes the registers up again.
    #[inline(always)]
    pub(super) unsafe fn reload(&mut self) {
        // SAFETY: the module's invariant.
        unsafe {
            self.h = ((*self.m).mem.h as u64) << 3;
            self.e = (*self.m).mem.env.base().add((*self.m).control.e);
        }
    }

    /// Goes on at `p`.
    #[inline(always)]
    pub(super) unsafe fn go(self, p: Code) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            if cfg!(debug_assertions) {
                return self.leave(p);
            }
            let w = *p;
            TABLE[w as u8 as usize](self.m, p, w, self.h, self.e, self.s)
        }
    }

    /// Goes on at `p` by way of the loop in `run`.
    #[inline(always)]
    pub(super) unsafe fn leave(self, p: Code) -> Code {
        // SAFETY: the module's invariant.
        unsafe { self.save() };
        p
    }

    /// Goes on `n` words further.
    #[inline(always)]
    pub(super) unsafe fn next(self, n: usize) -> Code {
        // SAFETY: the module's invariant.
        unsafe { self.go(self.p.add(n)) }
    }

    /// Goes on at a label.
    #[inline(always)]
    pub(super) unsafe fn goto(self, label: usize) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            debug_assert!(
                label < (*self.m).program.db.code_top,
                "labels are code addresses"
            );
            self.go(self.code().add(label))
        }
    }

    /// Returns to the continuation.
    #[inline(always)]
    pub(super) unsafe fn proceed(self) -> Code {
        // SAFETY: the module's invariant.
        unsafe { self.goto((*self.m).control.cp) }
    }

    /// Returns to the continuation, by way of the goals woken since the last call.
    #[inline(always)]
    pub(super) unsafe fn return_awake(self) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            if self.must_wake() {
                self.save();
                return wake_then_return(self.m);
            }
            self.proceed()
        }
    }

    #[inline(always)]
    pub(super) unsafe fn fail(self) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            (*self.m).control.e = self.e_index();
            backtrack(self.m)
        }
    }

    /// Goes on behind a test, to its label, or backtracks if there is none.
    #[inline(always)]
    pub(super) unsafe fn test(self, condition: bool, n: usize) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            if condition {
                return self.next(n);
            }
            self.otherwise()
        }
    }

    /// A test failed: its label, or backtracking.
    #[inline(always)]
    pub(super) unsafe fn otherwise(self) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            let label = self.imm();
            if label == 0 {
                return self.fail();
            }
            self.goto(label)
        }
    }

    /// Hands the instruction over to a rarely needed variant.
    #[inline(always)]
    pub(super) unsafe fn slowly(self, variant: unsafe fn(*mut Machine, Code, u64) -> Code) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            self.save();
            self.save_p();
            variant(self.m, self.p, self.w)
        }
    }

    // -- binding and unification

    /// Binds the unbound plain variable `var`.
    #[inline(always)]
    pub(super) unsafe fn bind(self, var: u64, value: u64) {
        // SAFETY: the module's invariant.
        unsafe {
            debug_assert!(
                var & 7 == REF && self.load(var) == var,
                "only unbound variables are bound"
            );
            self.store(var, value);
            let m = self.m;
            if ((var >> 3) as usize) < (*m).mem.hb {
                *(*m).mem.trail.base().add((*m).mem.tr) = var;
                (*m).mem.tr += 1;
            }
        }
    }

    /// Binds a variable of either kind and goes on `n` words further.
    #[inline(always)]
    pub(super) unsafe fn bind_next(self, var: u64, value: u64, n: usize) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            if var & 7 == REF {
                self.bind(var, value);
                return self.next(n);
            }
            self.save();
            bind_slowly(self.m, self.p, n, var, value)
        }
    }

    /// Unifies two cells and goes on `n` words further, or backtracks.
    #[inline(always)]
    pub(super) unsafe fn unify_next(self, left: u64, right: u64, n: usize) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            let (left, right) = (self.deref(left), self.deref(right));
            if left == right {
                return self.next(n);
            }
            // Plain variables are bound here, unless both sides are variables.
            if left & 7 == REF && right & 7 != REF && !(*self.m).loader.occurs_check {
                self.bind(left, right);
                return self.next(n);
            }
            if right & 7 == REF && left & 7 != REF && !(*self.m).loader.occurs_check {
                self.bind(right, left);
                return self.next(n);
            }
            if matches!(left & 7, CON | INT) && matches!(right & 7, CON | INT) {
                return self.fail();
            }
            self.save();
            unify_slowly(self.m, self.p, n, left, right)
        }
    }

    /// Unifies with an atomic constant and goes on `n` words further, or backtracks.
    #[inline(always)]
    pub(super) unsafe fn const_next(self, value: u64, constant: u64, n: usize) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            let value = self.deref(value);
            if value == constant {
                return self.next(n);
            }
            if Cell(value).is_var() {
                return self.bind_next(value, constant, n);
            }
            self.fail()
        }
    }

    // -- control

    /// The first free word of the environment stack.
    #[inline(always)]
    pub(super) unsafe fn env_top(self) -> usize {
        // SAFETY: the module's invariant.
        unsafe {
            let m = self.m;
            let slots = (*self.code().add((*m).control.cp - 1) & 0xffff) as usize;
            let own = self.e_index() + ENV_HEAD + slots;
            own.max(self.choice((*m).control.b + choice::ENV_TOP) as usize)
        }
    }

    /// Whether another choice point fits.
    #[inline(always)]
    pub(super) unsafe fn choice_fits(self) -> bool {
        // SAFETY: the module's invariant.
        unsafe { (*self.m).control.b <= (*self.m).mem.choice.capacity() - (1 << 14) }
    }

    #[inline(always)]
    pub(super) unsafe fn push_choice(self, alternative: usize, count: usize, env_top: usize) {
        // SAFETY: the module's invariant.
        unsafe {
            let m = self.m;
            let b = (*m).control.b;
            let top = b + choice::ARGS + self.choice(b + choice::COUNT) as usize;
            debug_assert!(top + choice::ARGS + count <= (*m).mem.choice.capacity());
            debug_assert!(
                (*m).mem.hb <= (self.h >> 3) as usize,
                "choice points see growing heaps"
            );
            debug_assert!(
                self.choice(b + choice::TRAIL) as usize <= (*m).mem.tr,
                "choice points see growing trails"
            );
            let frame = (*m).mem.choice.base().add(top);
            *frame.add(choice::PREV) = b as u64;
            *frame.add(choice::ALT) = alternative as u64;
            *frame.add(choice::ENV) = self.e_index() as u64;
            *frame.add(choice::CP) = (*m).control.cp as u64;
            *frame.add(choice::TRAIL) = (*m).mem.tr as u64;
            *frame.add(choice::HEAP) = self.h >> 3;
            *frame.add(choice::ENV_TOP) = env_top as u64;
            *frame.add(choice::LOG) = (*m).checks.cache.log_top() as u64;
            *frame.add(choice::COUNT) = count as u64;
            for i in 0..count {
                *frame.add(choice::ARGS + i) = self.x(i);
            }
            (*m).control.b = top;
            (*m).mem.hb = (self.h >> 3) as usize;
        }
    }

    /// Removes all choice points above `b`.
    #[inline(always)]
    pub(super) unsafe fn cut_to(self, b: usize) {
        // SAFETY: the module's invariant.
        unsafe {
            debug_assert!(b <= (*self.m).control.b, "a cut removes choice points");
            (*self.m).control.b = b;
            (*self.m).mem.hb = self.choice(b + choice::HEAP) as usize;
        }
    }

    /// Makes `top` the environment, with the present one and the continuation in its head.
    #[inline(always)]
    pub(super) unsafe fn push_env(&mut self, top: usize) {
        // SAFETY: the module's invariant.
        unsafe {
            debug_assert!(
                top > self.e_index(),
                "environments are linked to older ones"
            );
            let frame = (*self.m).mem.env.base().add(top);
            *frame = self.e_index() as u64;
            *frame.add(1) = (*self.m).control.cp as u64;
            self.e = frame;
        }
    }

    #[inline(always)]
    pub(super) unsafe fn pop_env(&mut self) {
        // SAFETY: the module's invariant.
        unsafe {
            debug_assert!(self.e_index() > 0, "the bottom environment stays");
            (*self.m).control.cp = *self.e.add(1) as usize;
            self.e = (*self.m).mem.env.base().add(*self.e as usize);
        }
    }

    /// Enters a predicate: counts, and stops for collection, limits and woken goals.
    #[inline(always)]
    pub(super) unsafe fn enter(self, pred: usize) -> Code {
        // SAFETY: the module's invariant.
        unsafe {
            let m = self.m;
            (*m).control.b0 = (*m).control.b;
            (*m).control.fuel -= 1;
            if (*m).control.fuel < 0
                || (self.h >> 3) as usize >= (*m).mem.soft_limit
                || (*m).mem.tr >= (*m).mem.trail_limit
            {
                self.save();
                return trap(m, pred);
            }
            let entry = *(*m).program.entries.base().add(pred);
            self.goto(entry as usize)
        }
    }

    /// Whether goals wait that were woken since the last call; they run before anything they could prevent.
    #[inline(always)]
    pub(super) unsafe fn must_wake(self) -> bool {
        // SAFETY: the module's invariant.
        unsafe {
            (*self.m).mem.soft_limit == 0 && (*self.m).control.pending.0 != Cell::atom(atom::NIL).0
        }
    }
}

/// Calls the woken goals; they return to the continuation. No X register is live.
#[cold]
#[inline(never)]
pub(super) unsafe fn wake_then_return(m: *mut Machine) -> Code {
    // SAFETY: the module's invariant.
    unsafe {
        let entry = (*m).woken_goals();
        (*m).control.b0 = (*m).control.b;
        (*m).program.code.base().add(entry)
    }
}

#[cold]
#[inline(never)]
unsafe fn trap(m: *mut Machine, pred: usize) -> Code {
    // SAFETY: the module's invariant.
    unsafe {
        match (*m).trap(pred as u32) {
            Ok(pred) => {
                (*m).control.b0 = (*m).control.b;
                let entry = *(*m).program.entries.base().add(pred as usize);
                (*m).program.code.base().add(entry as usize)
            }
            Err(error) => raise(m, error),
        }
    }
}

/// Binds an attributed variable in the instruction of `n` words at `p`; the registers were saved.
#[cold]
#[inline(never)]
unsafe fn bind_slowly(m: *mut Machine, p: Code, n: usize, var: u64, value: u64) -> Code {
    // SAFETY: the module's invariant.
    unsafe {
        (*m).bind(Cell(var), Cell(value));
        awake(m, p, n)
    }
}

/// Unifies two terms in the instruction of `n` words at `p`; the registers were saved.
#[inline(never)]
unsafe fn unify_slowly(m: *mut Machine, p: Code, n: usize, left: u64, right: u64) -> Code {
    // SAFETY: the module's invariant.
    unsafe {
        if !(*m).unify(Cell(left), Cell(right)) {
            return backtrack(m);
        }
        if (*m).control.pending.0 != Cell::atom(atom::NIL).0 {
            return awake(m, p, n);
        }
        p.add(n)
    }
}

/// Goes back to the newest alternative.
#[inline(never)]
pub(super) unsafe fn backtrack(m: *mut Machine) -> Code {
    // SAFETY: the module's invariant.
    unsafe {
        let b = (*m).control.b;
        let frame = (*m).mem.choice.base().add(b);
        let shallow = (*m).control.shallow;
        let target = if shallow == 0 {
            *frame.add(choice::TRAIL) as usize
        } else {
            (*m).control.shallow_tr
        };
        debug_assert!(target <= (*m).mem.tr, "the trail only shrinks by undoing");
        if (*m).mem.tr != target {
            undo(m, target);
        }
        if (*m).control.pending.0 != Cell::atom(atom::NIL).0 {
            forget_woken(m);
        }
        if shallow != 0 {
            (*m).mem.h = (*m).mem.hb;
            (*m).mem.hb = *frame.add(choice::HEAP) as usize;
            (*m).control.shallow = 0;
            return (*m).program.code.base().add(shallow);
        }
        let h = *frame.add(choice::HEAP) as usize;
        debug_assert!(h <= (*m).mem.h, "choice points see growing heaps");
        (*m).mem.h = h;
        (*m).mem.hb = h;
        (*m).control.e = *frame.add(choice::ENV) as usize;
        (*m).control.cp = *frame.add(choice::CP) as usize;
        let log = *frame.add(choice::LOG) as usize;
        if (*m).checks.cache.log_top() != log {
            (*m).checks.cache.undo_to(log);
        }
        (*m).program
            .code
            .base()
            .add(*frame.add(choice::ALT) as usize)
    }
}

/// Undoes bindings; the usual ones here, the others in the machine.
#[inline(always)]
unsafe fn undo(m: *mut Machine, target: usize) {
    // SAFETY: the module's invariant.
    unsafe {
        let (trail, heap) = ((*m).mem.trail.base(), (*m).mem.heap.base());
        let mut tr = (*m).mem.tr;
        while tr > target {
            let entry = *trail.add(tr - 1);
            if entry & 7 != 0 {
                (*m).mem.tr = tr;
                (*m).mem.undo_to(target);
                return;
            }
            tr -= 1;
            *heap.byte_add(entry as usize) = entry;
        }
        (*m).mem.tr = target;
    }
}

/// Throws; the registers were saved.
#[cold]
#[inline(never)]
pub(super) unsafe fn raise(m: *mut Machine, error: PErr) -> Code {
    // SAFETY: the module's invariant.
    unsafe {
        (*m).control.shallow = 0;
        (*m).note_error(&error, None);
        match (*m).throw(error) {
            Ok(address) => {
                (*m).control.b0 = (*m).control.b;
                (*m).program.code.base().add(address)
            }
            Err(outcome) => stop(m, outcome),
        }
    }
}

/// Raises a resource error; the registers were saved.
#[cold]
#[inline(never)]
pub(super) unsafe fn out_of_memory(m: *mut Machine, _p: Code, _w: u64) -> Code {
    // SAFETY: the module's invariant.
    unsafe {
        let error = (*m).mem.resource_error(atom::MEMORY);
        raise(m, error)
    }
}

/// Ends the run.
pub(super) unsafe fn stop(m: *mut Machine, outcome: Outcome) -> Code {
    // SAFETY: the module's invariant.
    unsafe { (*m).control.outcome = Some(outcome) };
    std::ptr::null()
}
