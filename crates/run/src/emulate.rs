//! The instruction loop.
//!
//! One function, one `match`: the registers of the machine are local variables, written back before anything
//! slow is called. Failing and throwing leave the inner loop by `break`, so that backtracking is in one place.
#![allow(
    unsafe_code,
    reason = "the instruction loop reads code and terms through raw pointers; see the notes"
)]

use crate::cell::*;
use crate::code::Op;
use crate::compile::index::hash_key;
use crate::database::More;
use crate::errors::PErr;
use crate::flat::Flat;
use crate::machine::{ENV_HEAD, Machine, choice, code_at};
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The query has an answer; running again looks for the next.
    True,
    /// There is no (further) answer.
    False,
    /// An exception nobody caught.
    Exception(Flat),
    /// `halt/1` was called.
    Halt(i32),
}

/// What the slow part of a call decided.
pub(crate) enum Next {
    /// Go on at this code address.
    Code(usize),
    /// Backtrack.
    Fail,
}

impl Machine {
    /// Runs from the current registers until the query is answered.
    ///
    /// SAFETY of the whole function: `p`, `cp` and labels are code addresses made by the compiler; every
    /// chain of instructions ends in a jump, so `p` stays inside the code area. Heap, environment, choice
    /// point and trail indices come from registers and cells the machine wrote itself; the areas are
    /// reserved once and never move, and `h`, `e`, `b` are checked against their limits at calls (`trap`),
    /// environment allocation and choice point creation, with a margin larger than any clause can use in
    /// between. X register numbers are below `REGISTERS`, which the compiler checks.
    #[allow(
        unused_assignments,
        reason = "saving and restoring registers covers all of them"
    )]
    pub(crate) fn run(&mut self, resume: bool) -> Outcome {
        let code = self.code.base().cast_const();
        let hp = self.heap.base();
        let ep = self.env.base();
        let ch = self.choice.base();
        let tp = self.trail.base();
        let xp = self.x.as_mut_ptr().cast::<u64>();
        let entries = self.entries.base().cast_const();
        let env_limit = self.env.capacity() - (1 << 16);
        let choice_limit = self.choice.capacity() - (1 << 14);
        let trail_limit = self.trail.capacity() - (1 << 14);

        let mut h: usize = self.h;
        let mut hb: usize = self.hb;
        let mut tr: usize = self.tr;
        let mut e: usize = self.e;
        let mut b: usize = self.b;
        let mut b0: usize = self.b0;
        let mut cp: usize = self.cp;
        let mut p: *const u64 = unsafe { code.add(self.p) };
        let mut s: usize = 0;
        let mut write = false;
        let mut shallow: *const u64 = std::ptr::null();
        let mut shallow_tr: usize = 0;
        let mut fuel: i64 = self.fuel;
        let mut soft: usize = self.soft_limit;
        let mut error: PErr;
        let occurs_check = self.occurs_check;

        macro_rules! save {
            () => {
                self.h = h;
                self.hb = hb;
                self.tr = tr;
                self.e = e;
                self.b = b;
                self.b0 = b0;
                self.cp = cp;
                self.fuel = fuel;
            };
        }
        macro_rules! restore {
            () => {
                h = self.h;
                hb = self.hb;
                tr = self.tr;
                e = self.e;
                b = self.b;
                b0 = self.b0;
                cp = self.cp;
                fuel = self.fuel;
                soft = self.soft_limit;
            };
        }
        macro_rules! slow {
            ($call:expr) => {{
                save!();
                let result = $call;
                restore!();
                result
            }};
        }
        macro_rules! x {
            ($i:expr) => {
                *xp.add($i as usize)
            };
        }
        macro_rules! y {
            ($i:expr) => {
                *ep.add(e + ENV_HEAD + $i as usize)
            };
        }
        macro_rules! heap {
            ($i:expr) => {
                *hp.add($i)
            };
        }
        macro_rules! a {
            ($w:expr) => {
                ($w >> 16) as u16
            };
        }
        macro_rules! bb {
            ($w:expr) => {
                ($w >> 32) as u16
            };
        }
        macro_rules! d {
            ($w:expr) => {
                ($w >> 48) as u16
            };
        }
        macro_rules! imm {
            ($w:expr) => {
                ($w >> 32) as usize
            };
        }
        macro_rules! load {
            ($c:expr) => {
                *hp.byte_add(($c & !7) as usize)
            };
        }
        macro_rules! deref {
            ($c:expr) => {{
                let mut c: u64 = $c;
                loop {
                    let tag = c & 7;
                    if tag != REF && tag != ATT {
                        break;
                    }
                    let next = load!(c);
                    if next == c {
                        break;
                    }
                    c = next;
                }
                c
            }};
        }
        // Binds the unbound plain variable `v` to `value`.
        macro_rules! bind {
            ($v:expr, $value:expr) => {{
                let index = ($v >> 3) as usize;
                heap!(index) = $value;
                if index < hb {
                    *tp.add(tr) = $v;
                    tr += 1;
                }
            }};
        }
        macro_rules! env_top {
            () => {{
                let own = e + ENV_HEAD + (*code.add(cp - 1) & 0xffff) as usize;
                own.max(*ch.add(b + choice::ENV_TOP) as usize)
            }};
        }
        macro_rules! push_choice {
            ($alt:expr, $count:expr, $env_top:expr) => {{
                let top = b + choice::ARGS + *ch.add(b + choice::COUNT) as usize;
                let env_top = $env_top;
                *ch.add(top + choice::PREV) = b as u64;
                *ch.add(top + choice::ALT) = $alt as u64;
                *ch.add(top + choice::ENV) = e as u64;
                *ch.add(top + choice::CP) = cp as u64;
                *ch.add(top + choice::TRAIL) = tr as u64;
                *ch.add(top + choice::HEAP) = h as u64;
                *ch.add(top + choice::ENV_TOP) = env_top as u64;
                *ch.add(top + choice::LOG) = self.checks.log_top() as u64;
                *ch.add(top + choice::COUNT) = $count as u64;
                b = top;
                hb = h;
            }};
        }

        if resume {
            // Look for the next answer: fail into the newest choice point.
            p = code; // code 0 is `Fail`
        }
        'run: loop {
            'throw: {
                'fail: {
                    unsafe {
                        macro_rules! raise {
                            ($e:expr) => {{
                                error = $e;
                                break 'throw;
                            }};
                        }
                        macro_rules! try_slow {
                            ($call:expr) => {
                                match slow!($call) {
                                    Ok(value) => value,
                                    Err(found) => raise!(found),
                                }
                            };
                        }
                        macro_rules! goto {
                            ($label:expr) => {{
                                p = code.add($label);
                                continue;
                            }};
                        }
                        macro_rules! next {
                            ($n:expr) => {{
                                p = p.add($n);
                                continue;
                            }};
                        }
                        // A test failed: go to its label, or backtrack.
                        macro_rules! otherwise {
                            ($w:expr) => {{
                                let label = imm!($w);
                                if label == 0 {
                                    break 'fail;
                                }
                                p = code.add(label);
                                continue;
                            }};
                        }
                        macro_rules! test {
                            ($w:expr, $condition:expr, $n:expr) => {{
                                if $condition {
                                    next!($n);
                                }
                                otherwise!($w)
                            }};
                        }
                        macro_rules! unify {
                            ($left:expr, $right:expr) => {{
                                let (left, right) = (deref!($left), deref!($right));
                                if left != right {
                                    // Plain variables are bound here, unless both sides are variables.
                                    if left & 7 == REF && right & 7 != REF && !occurs_check {
                                        bind!(left, right);
                                    } else if right & 7 == REF && left & 7 != REF && !occurs_check {
                                        bind!(right, left);
                                    } else if matches!(left & 7, CON | INT)
                                        && matches!(right & 7, CON | INT)
                                        || !slow!(self.unify(Cell(left), Cell(right)))
                                    {
                                        break 'fail;
                                    }
                                }
                            }};
                        }
                        // Unifies with an atomic constant.
                        macro_rules! unify_const {
                            ($value:expr, $constant:expr) => {{
                                let value = deref!($value);
                                let constant = $constant;
                                if value != constant {
                                    match value & 7 {
                                        REF => bind!(value, constant),
                                        ATT => slow!(self.bind(Cell(value), Cell(constant))),
                                        _ => break 'fail,
                                    }
                                }
                            }};
                        }
                        // Enters a predicate: counts, and stops for collection, limits and woken goals.
                        macro_rules! enter {
                            ($pred:expr) => {{
                                let mut pred = $pred;
                                b0 = b;
                                fuel -= 1;
                                if fuel < 0 || h >= soft || tr >= trail_limit {
                                    pred = try_slow!(self.trap(pred as u32)) as usize;
                                    b0 = b;
                                }
                                p = code.add(*entries.add(pred) as usize);
                                continue;
                            }};
                        }
                        // Goals woken since the last call run before anything they could prevent.
                        macro_rules! wake {
                            () => {
                                if soft == 0 && self.pending.0 != Cell::atom(atom::NIL).0 {
                                    if !try_slow!(self.wake_now()) {
                                        break 'fail;
                                    }
                                }
                            };
                        }
                        macro_rules! cut_to {
                            ($to:expr) => {{
                                b = $to;
                                hb = *ch.add(b + choice::HEAP) as usize;
                            }};
                        }
                        macro_rules! arith {
                            ($w:expr, $atom:expr, |$m:ident, $n:ident| $fast:expr) => {{
                                let ($m, $n) = (x!(a!($w)), x!(bb!($w)));
                                if $m & 7 == INT && $n & 7 == INT {
                                    if let Some(result) = $fast {
                                        x!(d!($w)) = result;
                                        next!(1);
                                    }
                                }
                                let (left, right) = (deref!($m), deref!($n));
                                if left & 7 == INT && right & 7 == INT {
                                    let ($m, $n) = (left, right);
                                    if let Some(result) = $fast {
                                        x!(d!($w)) = result;
                                        next!(1);
                                    }
                                }
                                let result = try_slow!(self.arith2($atom, Cell(left), Cell(right)));
                                x!(d!($w)) = result.0;
                                next!(1);
                            }};
                        }
                        macro_rules! compare {
                            ($w:expr, $right:expr, $op:tt, $pattern:pat) => {{
                                let (mut left, mut right) = (x!(a!($w)), $right);
                                if left & 7 != INT || right & 7 != INT {
                                    left = deref!(left);
                                    right = deref!(right);
                                    if left & 7 != INT || right & 7 != INT {
                                        let order = try_slow!(
                                            self.compare_values(Cell(left), Cell(right))
                                        );
                                        test!($w, matches!(order, $pattern), 2)
                                    }
                                }
                                test!($w, (left as i64) $op (right as i64), 2)
                            }};
                        }
                        macro_rules! compare_terms {
                            ($w:expr, $pattern:pat) => {{
                                let (left, right) = (x!(a!($w)), x!(*p.add(1)));
                                let order = slow!(self.compare(Cell(left), Cell(right)));
                                test!($w, matches!(order, $pattern), 2)
                            }};
                        }

                        loop {
                            let w = *p;
                            // SAFETY: the low byte of every instruction word was made from an `Op`.
                            let op: Op = std::mem::transmute::<u8, Op>(w as u8);
                            match op {
                                Op::Fail => break 'fail,

                                // -- head unification
                                Op::Move => {
                                    x!(bb!(w)) = x!(a!(w));
                                    next!(1);
                                }
                                Op::StoreY => {
                                    y!(bb!(w)) = x!(a!(w));
                                    next!(1);
                                }
                                Op::LoadY => {
                                    x!(bb!(w)) = y!(a!(w));
                                    next!(1);
                                }
                                Op::Move2 => {
                                    x!(w >> 16 & 0xff) = x!(w >> 8 & 0xff);
                                    x!(w >> 32 & 0xff) = x!(w >> 24 & 0xff);
                                    next!(1);
                                }
                                Op::Move3 => {
                                    x!(w >> 16 & 0xff) = x!(w >> 8 & 0xff);
                                    x!(w >> 32 & 0xff) = x!(w >> 24 & 0xff);
                                    x!(w >> 48 & 0xff) = x!(w >> 40 & 0xff);
                                    next!(1);
                                }
                                Op::StoreY2 => {
                                    y!(w >> 16 & 0xff) = x!(w >> 8 & 0xff);
                                    y!(w >> 32 & 0xff) = x!(w >> 24 & 0xff);
                                    next!(1);
                                }
                                Op::StoreY3 => {
                                    y!(w >> 16 & 0xff) = x!(w >> 8 & 0xff);
                                    y!(w >> 32 & 0xff) = x!(w >> 24 & 0xff);
                                    y!(w >> 48 & 0xff) = x!(w >> 40 & 0xff);
                                    next!(1);
                                }
                                Op::LoadY2 => {
                                    x!(w >> 16 & 0xff) = y!(w >> 8 & 0xff);
                                    x!(w >> 32 & 0xff) = y!(w >> 24 & 0xff);
                                    next!(1);
                                }
                                Op::LoadY3 => {
                                    x!(w >> 16 & 0xff) = y!(w >> 8 & 0xff);
                                    x!(w >> 32 & 0xff) = y!(w >> 24 & 0xff);
                                    x!(w >> 48 & 0xff) = y!(w >> 40 & 0xff);
                                    next!(1);
                                }
                                Op::GetValX => {
                                    unify!(x!(a!(w)), x!(bb!(w)));
                                    next!(1);
                                }
                                Op::GetValY => {
                                    unify!(x!(a!(w)), y!(bb!(w)));
                                    next!(1);
                                }
                                Op::GetConst => {
                                    unify_const!(x!(a!(w)), *p.add(1));
                                    next!(2);
                                }
                                Op::GetListXX => {
                                    let value = deref!(x!(a!(w)));
                                    match value & 7 {
                                        LST => {
                                            let head = load!(value);
                                            let tail = *hp.byte_add((value - LST + 8) as usize);
                                            x!(bb!(w)) = head;
                                            x!(d!(w)) = tail;
                                        }
                                        REF => {
                                            let at = h;
                                            h += 2;
                                            heap!(at) = Cell::var(at).0;
                                            heap!(at + 1) = Cell::var(at + 1).0;
                                            bind!(value, Cell::pointer(LST, at).0);
                                            x!(bb!(w)) = Cell::var(at).0;
                                            x!(d!(w)) = Cell::var(at + 1).0;
                                        }
                                        ATT => {
                                            let at = h;
                                            h += 2;
                                            heap!(at) = Cell::var(at).0;
                                            heap!(at + 1) = Cell::var(at + 1).0;
                                            slow!(self.bind(Cell(value), Cell::pointer(LST, at)));
                                            x!(bb!(w)) = Cell::var(at).0;
                                            x!(d!(w)) = Cell::var(at + 1).0;
                                        }
                                        _ => break 'fail,
                                    }
                                    next!(1);
                                }
                                Op::GetListVX => {
                                    let value = deref!(x!(a!(w)));
                                    match value & 7 {
                                        REF => {
                                            let at = h;
                                            h += 2;
                                            heap!(at) = x!(bb!(w));
                                            heap!(at + 1) = Cell::var(at + 1).0;
                                            bind!(value, Cell::pointer(LST, at).0);
                                            x!(d!(w)) = Cell::var(at + 1).0;
                                        }
                                        LST => {
                                            let tail = *hp.byte_add((value - LST + 8) as usize);
                                            unify!(load!(value), x!(bb!(w)));
                                            x!(d!(w)) = tail;
                                        }
                                        ATT => {
                                            let at = h;
                                            h += 2;
                                            heap!(at) = x!(bb!(w));
                                            heap!(at + 1) = Cell::var(at + 1).0;
                                            slow!(self.bind(Cell(value), Cell::pointer(LST, at)));
                                            x!(d!(w)) = Cell::var(at + 1).0;
                                        }
                                        _ => break 'fail,
                                    }
                                    next!(1);
                                }
                                Op::GetList => {
                                    let value = deref!(x!(a!(w)));
                                    match value & 7 {
                                        LST => {
                                            s = (value >> 3) as usize;
                                            write = false;
                                        }
                                        REF => {
                                            s = h;
                                            h += 2;
                                            bind!(value, Cell::pointer(LST, s).0);
                                            write = true;
                                        }
                                        ATT => {
                                            s = h;
                                            h += 2;
                                            heap!(s) = Cell::var(s).0;
                                            heap!(s + 1) = Cell::var(s + 1).0;
                                            slow!(self.bind(Cell(value), Cell::pointer(LST, s)));
                                            write = false;
                                        }
                                        _ => break 'fail,
                                    }
                                    next!(1);
                                }
                                Op::GetStruct => {
                                    let value = deref!(x!(a!(w)));
                                    let functor = *p.add(1);
                                    match value & 7 {
                                        STR => {
                                            if load!(value) != functor {
                                                break 'fail;
                                            }
                                            s = (value >> 3) as usize + 1;
                                            write = false;
                                        }
                                        REF => {
                                            heap!(h) = functor;
                                            bind!(value, Cell::pointer(STR, h).0);
                                            s = h + 1;
                                            h = s + Cell(functor).arity();
                                            write = true;
                                        }
                                        ATT => {
                                            heap!(h) = functor;
                                            let structure = Cell::pointer(STR, h);
                                            s = h + 1;
                                            h = s + Cell(functor).arity();
                                            for i in s..h {
                                                heap!(i) = Cell::var(i).0;
                                            }
                                            slow!(self.bind(Cell(value), structure));
                                            write = false;
                                        }
                                        _ => break 'fail,
                                    }
                                    next!(2);
                                }
                                Op::GetBox => {
                                    let size = imm!(w);
                                    let value = deref!(x!(a!(w)));
                                    match value & 7 {
                                        BOX => {
                                            let at = (value >> 3) as usize;
                                            for i in 0..size {
                                                if heap!(at + i) != *p.add(1 + i) {
                                                    break 'fail;
                                                }
                                            }
                                        }
                                        REF | ATT => {
                                            for i in 0..size {
                                                heap!(h + i) = *p.add(1 + i);
                                            }
                                            let cell = Cell::pointer(BOX, h);
                                            h += size;
                                            slow!(self.bind(Cell(value), cell));
                                        }
                                        _ => break 'fail,
                                    }
                                    next!(1 + size);
                                }
                                Op::UnifyVarX => {
                                    if write {
                                        heap!(s) = Cell::var(s).0;
                                        x!(a!(w)) = Cell::var(s).0;
                                    } else {
                                        x!(a!(w)) = heap!(s);
                                    }
                                    s += 1;
                                    next!(1);
                                }
                                Op::UnifyVarXX => {
                                    if write {
                                        heap!(s) = Cell::var(s).0;
                                        heap!(s + 1) = Cell::var(s + 1).0;
                                        x!(a!(w)) = Cell::var(s).0;
                                        x!(bb!(w)) = Cell::var(s + 1).0;
                                    } else {
                                        let (first, second) = (heap!(s), heap!(s + 1));
                                        x!(a!(w)) = first;
                                        x!(bb!(w)) = second;
                                    }
                                    s += 2;
                                    next!(1);
                                }
                                Op::UnifyVarY => {
                                    if write {
                                        heap!(s) = Cell::var(s).0;
                                    }
                                    y!(a!(w)) = heap!(s);
                                    s += 1;
                                    next!(1);
                                }
                                Op::UnifyValX => {
                                    if write {
                                        heap!(s) = x!(a!(w));
                                    } else {
                                        unify!(heap!(s), x!(a!(w)));
                                    }
                                    s += 1;
                                    next!(1);
                                }
                                Op::UnifyValY => {
                                    if write {
                                        heap!(s) = y!(a!(w));
                                    } else {
                                        unify!(heap!(s), y!(a!(w)));
                                    }
                                    s += 1;
                                    next!(1);
                                }
                                Op::UnifyConst => {
                                    if write {
                                        heap!(s) = *p.add(1);
                                    } else {
                                        unify_const!(heap!(s), *p.add(1));
                                    }
                                    s += 1;
                                    next!(2);
                                }
                                Op::UnifyVoid => {
                                    let count = imm!(w);
                                    if write {
                                        for i in s..s + count {
                                            heap!(i) = Cell::var(i).0;
                                        }
                                    }
                                    s += count;
                                    next!(1);
                                }
                                Op::UnifyTail => {
                                    if write {
                                        heap!(s) = Cell::pointer(LST, h).0;
                                        s = h;
                                        h += 2;
                                        next!(1);
                                    }
                                    let value = deref!(heap!(s));
                                    match value & 7 {
                                        LST => s = (value >> 3) as usize,
                                        REF => {
                                            s = h;
                                            h += 2;
                                            bind!(value, Cell::pointer(LST, s).0);
                                            write = true;
                                        }
                                        ATT => {
                                            s = h;
                                            h += 2;
                                            heap!(s) = Cell::var(s).0;
                                            heap!(s + 1) = Cell::var(s + 1).0;
                                            slow!(self.bind(Cell(value), Cell::pointer(LST, s)));
                                        }
                                        _ => break 'fail,
                                    }
                                    next!(1);
                                }

                                // -- building
                                Op::PutVarX => {
                                    let var = Cell::var(h).0;
                                    heap!(h) = var;
                                    h += 1;
                                    x!(a!(w)) = var;
                                    x!(bb!(w)) = var;
                                    next!(1);
                                }
                                Op::PutVarY => {
                                    let var = Cell::var(h).0;
                                    heap!(h) = var;
                                    h += 1;
                                    y!(a!(w)) = var;
                                    x!(bb!(w)) = var;
                                    next!(1);
                                }
                                Op::InitY => {
                                    let var = Cell::var(h).0;
                                    heap!(h) = var;
                                    h += 1;
                                    y!(a!(w)) = var;
                                    next!(1);
                                }
                                Op::PutConst => {
                                    x!(a!(w)) = *p.add(1);
                                    next!(2);
                                }
                                Op::PutList => {
                                    x!(a!(w)) = Cell::pointer(LST, h).0;
                                    next!(1);
                                }
                                Op::PutStruct => {
                                    x!(a!(w)) = Cell::pointer(STR, h).0;
                                    heap!(h) = *p.add(1);
                                    h += 1;
                                    next!(2);
                                }
                                Op::PutListXX => {
                                    heap!(h) = x!(bb!(w));
                                    heap!(h + 1) = x!(d!(w));
                                    x!(a!(w)) = Cell::pointer(LST, h).0;
                                    h += 2;
                                    next!(1);
                                }
                                Op::PutBox => {
                                    let size = imm!(w);
                                    for i in 0..size {
                                        heap!(h + i) = *p.add(1 + i);
                                    }
                                    x!(a!(w)) = Cell::pointer(BOX, h).0;
                                    h += size;
                                    next!(1 + size);
                                }
                                Op::PutFlat => {
                                    let size = imm!(w);
                                    let words = std::slice::from_raw_parts(p.add(1), size);
                                    let term = try_slow!(self.unflatten_words(words));
                                    x!(a!(w)) = term.0;
                                    next!(1 + size);
                                }
                                Op::SetVarX => {
                                    let var = Cell::var(h).0;
                                    heap!(h) = var;
                                    h += 1;
                                    x!(a!(w)) = var;
                                    next!(1);
                                }
                                Op::SetVarY => {
                                    let var = Cell::var(h).0;
                                    heap!(h) = var;
                                    h += 1;
                                    y!(a!(w)) = var;
                                    next!(1);
                                }
                                Op::SetValX => {
                                    heap!(h) = x!(a!(w));
                                    h += 1;
                                    next!(1);
                                }
                                Op::SetValXX => {
                                    heap!(h) = x!(a!(w));
                                    heap!(h + 1) = x!(bb!(w));
                                    h += 2;
                                    next!(1);
                                }
                                Op::SetValY => {
                                    heap!(h) = y!(a!(w));
                                    h += 1;
                                    next!(1);
                                }
                                Op::SetConst => {
                                    heap!(h) = *p.add(1);
                                    h += 1;
                                    next!(2);
                                }
                                Op::SetVoid => {
                                    heap!(h) = Cell::var(h).0;
                                    h += 1;
                                    next!(1);
                                }
                                Op::SetTail => {
                                    heap!(h) = Cell::pointer(LST, h + 1).0;
                                    h += 1;
                                    next!(1);
                                }

                                // -- control
                                Op::Allocate | Op::AllocateInit => {
                                    let top = env_top!();
                                    if top > env_limit {
                                        raise!(slow!(self.resource_error(atom::MEMORY)));
                                    }
                                    *ep.add(top) = e as u64;
                                    *ep.add(top + 1) = cp as u64;
                                    e = top;
                                    if op as u8 == Op::AllocateInit as u8 {
                                        for i in 0..imm!(w) {
                                            y!(i) = Cell::small(0).0;
                                        }
                                    }
                                    next!(1);
                                }
                                Op::Deallocate => {
                                    cp = *ep.add(e + 1) as usize;
                                    e = *ep.add(e) as usize;
                                    next!(1);
                                }
                                Op::Call => {
                                    cp = p.add(2).offset_from(code) as usize;
                                    enter!(imm!(w));
                                }
                                Op::Execute => enter!(imm!(w)),
                                Op::DeallocExecute => {
                                    cp = *ep.add(e + 1) as usize;
                                    e = *ep.add(e) as usize;
                                    enter!(imm!(w));
                                }
                                Op::ExecutePlain => {
                                    goto!(self.db.preds[imm!(w)].plain as usize)
                                }
                                Op::Proceed => {
                                    wake!();
                                    goto!(cp)
                                }
                                Op::DeallocProceed => {
                                    wake!();
                                    cp = *ep.add(e + 1) as usize;
                                    e = *ep.add(e) as usize;
                                    goto!(cp)
                                }
                                Op::Jump => goto!(imm!(w)),
                                Op::Builtin => {
                                    wake!();
                                    let (function, _) = self.db.builtins[imm!(w)];
                                    if !try_slow!(function(self)) {
                                        break 'fail;
                                    }
                                    next!(1);
                                }
                                Op::GetLevel => {
                                    y!(a!(w)) = Cell::small(b0 as i64).0;
                                    next!(1);
                                }
                                Op::NeckCut => {
                                    shallow = std::ptr::null();
                                    wake!();
                                    cut_to!(b0);
                                    next!(1);
                                }
                                Op::CutY => {
                                    wake!();
                                    cut_to!((y!(a!(w)) >> 3) as usize);
                                    next!(1);
                                }
                                Op::CutPrevY => {
                                    wake!();
                                    let at = (y!(a!(w)) >> 3) as usize;
                                    cut_to!(*ch.add(at + choice::PREV) as usize);
                                    next!(1);
                                }
                                Op::SaveBY => {
                                    y!(a!(w)) = Cell::small(b as i64).0;
                                    next!(1);
                                }
                                Op::SoftCutY => {
                                    let at = (y!(a!(w)) >> 3) as usize;
                                    if b == at {
                                        cut_to!(*ch.add(at + choice::PREV) as usize);
                                    } else {
                                        *ch.add(at + choice::ALT) = code_at::SOFT_FAIL as u64;
                                    }
                                    next!(1);
                                }
                                Op::TryElse => {
                                    let slots = (*p.add(1) & 0xffff) as usize;
                                    let own = e + ENV_HEAD + slots;
                                    let top = own.max(*ch.add(b + choice::ENV_TOP) as usize);
                                    if b > choice_limit {
                                        raise!(slow!(self.resource_error(atom::MEMORY)));
                                    }
                                    push_choice!(imm!(w), 0, top);
                                    next!(2);
                                }
                                Op::RetryElse => {
                                    *ch.add(b + choice::ALT) = imm!(w) as u64;
                                    next!(2);
                                }
                                Op::TrustElse => {
                                    cut_to!(*ch.add(b + choice::PREV) as usize);
                                    next!(2);
                                }

                                // -- run-time checks
                                Op::CheckEntry => {
                                    let plan = imm!(w);
                                    self.h = h;
                                    let status = match self.check_entry(plan) {
                                        Some(status) => status,
                                        None => try_slow!(self.check_entry_slowly(plan)),
                                    };
                                    let pred = self.rtc.plans[plan].pred as usize;
                                    if (w >> 8) as u8 != 0 {
                                        let top = env_top!();
                                        if top > env_limit {
                                            raise!(slow!(self.resource_error(atom::MEMORY)));
                                        }
                                        *ep.add(top) = e as u64;
                                        *ep.add(top + 1) = cp as u64;
                                        e = top;
                                        let arity = a!(w) as usize;
                                        for i in 0..arity {
                                            y!(i) = x!(i);
                                        }
                                        y!(arity) = Cell::small(status as i64).0;
                                        cp = p.add(2).offset_from(code) as usize;
                                    }
                                    goto!(self.db.preds[pred].plain as usize)
                                }
                                Op::CheckExit => {
                                    let plan = imm!(w);
                                    self.h = h;
                                    let base = e + ENV_HEAD;
                                    let status = y!(a!(w)) >> 3;
                                    if !self.check_exit(plan, base, status) {
                                        try_slow!(self.check_exit_slowly(plan, base, status));
                                    }
                                    next!(1);
                                }

                                // -- tests
                                Op::IsVar => {
                                    let tag = deref!(x!(a!(w))) & 7;
                                    test!(w, tag == REF || tag == ATT, 1)
                                }
                                Op::IsNonvar => {
                                    let tag = deref!(x!(a!(w))) & 7;
                                    test!(w, tag != REF && tag != ATT, 1)
                                }
                                Op::IsAtom => {
                                    let value = deref!(x!(a!(w)));
                                    test!(w, value & 7 == CON, 1)
                                }
                                Op::IsInteger => {
                                    let value = deref!(x!(a!(w)));
                                    test!(w, value & 7 == INT || self.is_integer(Cell(value)), 1)
                                }
                                Op::IsFloat => {
                                    let value = deref!(x!(a!(w)));
                                    test!(w, self.is_float(Cell(value)), 1)
                                }
                                Op::IsNumber => {
                                    let value = deref!(x!(a!(w)));
                                    test!(w, value & 7 == INT || self.is_number(Cell(value)), 1)
                                }
                                Op::IsAtomic => {
                                    let value = deref!(x!(a!(w)));
                                    test!(w, Cell(value).is_atomic(), 1)
                                }
                                Op::IsCompound => {
                                    let tag = deref!(x!(a!(w))) & 7;
                                    test!(w, tag == LST || tag == STR, 1)
                                }
                                Op::IsCallable => {
                                    let value = deref!(x!(a!(w)));
                                    test!(w, self.is_callable(Cell(value)), 1)
                                }
                                Op::IsString => {
                                    let value = deref!(x!(a!(w)));
                                    test!(w, self.is_string(Cell(value)), 1)
                                }
                                Op::IsList => {
                                    let value = x!(a!(w));
                                    test!(w, self.is_proper_list(Cell(value)), 1)
                                }
                                Op::TermEq => {
                                    let (left, right) = (deref!(x!(a!(w))), deref!(x!(*p.add(1))));
                                    let equal = left == right
                                        || !Cell(left).is_var()
                                            && left & 7 == right & 7
                                            && !matches!(left & 7, CON | INT)
                                            && self.compare(Cell(left), Cell(right))
                                                == Ordering::Equal;
                                    test!(w, equal, 2)
                                }
                                Op::TermNe => {
                                    let (left, right) = (deref!(x!(a!(w))), deref!(x!(*p.add(1))));
                                    let equal = left == right
                                        || !Cell(left).is_var()
                                            && left & 7 == right & 7
                                            && !matches!(left & 7, CON | INT)
                                            && self.compare(Cell(left), Cell(right))
                                                == Ordering::Equal;
                                    test!(w, !equal, 2)
                                }
                                Op::TermLt => compare_terms!(w, Ordering::Less),
                                Op::TermLe => compare_terms!(w, Ordering::Less | Ordering::Equal),
                                Op::TermGt => compare_terms!(w, Ordering::Greater),
                                Op::TermGe => {
                                    compare_terms!(w, Ordering::Greater | Ordering::Equal)
                                }
                                Op::TestConst => {
                                    let value = deref!(x!(a!(w)));
                                    let constant = *p.add(1);
                                    if value == constant {
                                        next!(2);
                                    }
                                    match value & 7 {
                                        REF => {
                                            bind!(value, constant);
                                            next!(2);
                                        }
                                        ATT => {
                                            slow!(self.bind(Cell(value), Cell(constant)));
                                            next!(2);
                                        }
                                        _ => otherwise!(w),
                                    }
                                }
                                Op::CmpEq => {
                                    compare!(w, x!(*p.add(1)), ==, Some(Ordering::Equal))
                                }
                                Op::CmpNe => {
                                    compare!(w, x!(*p.add(1)), !=, Some(Ordering::Less | Ordering::Greater) | None)
                                }
                                Op::CmpLt => compare!(w, x!(*p.add(1)), <, Some(Ordering::Less)),
                                Op::CmpLe => {
                                    compare!(w, x!(*p.add(1)), <=, Some(Ordering::Less | Ordering::Equal))
                                }
                                Op::CmpGt => {
                                    compare!(w, x!(*p.add(1)), >, Some(Ordering::Greater))
                                }
                                Op::CmpGe => {
                                    compare!(w, x!(*p.add(1)), >=, Some(Ordering::Greater | Ordering::Equal))
                                }
                                Op::CmpEqI => compare!(w, *p.add(1), ==, Some(Ordering::Equal)),
                                Op::CmpNeI => {
                                    compare!(w, *p.add(1), !=, Some(Ordering::Less | Ordering::Greater) | None)
                                }
                                Op::CmpLtI => compare!(w, *p.add(1), <, Some(Ordering::Less)),
                                Op::CmpLeI => {
                                    compare!(w, *p.add(1), <=, Some(Ordering::Less | Ordering::Equal))
                                }
                                Op::CmpGtI => compare!(w, *p.add(1), >, Some(Ordering::Greater)),
                                Op::CmpGeI => {
                                    compare!(w, *p.add(1), >=, Some(Ordering::Greater | Ordering::Equal))
                                }

                                // -- arithmetic
                                Op::Add => arith!(w, atom::PLUS, |m, n| (m as i64 - INT as i64)
                                    .checked_add(n as i64)
                                    .map(|sum| sum as u64)),
                                Op::Sub => arith!(w, atom::MINUS, |m, n| (m as i64)
                                    .checked_sub(n as i64 - INT as i64)
                                    .map(|difference| difference as u64)),
                                Op::Mul => {
                                    arith!(w, atom::STAR, |m, n| ((m as i64) >> 3)
                                        .checked_mul(n as i64 - INT as i64)
                                        .map(|product| product as u64 | INT))
                                }
                                Op::IntDiv => arith!(w, atom::INT_DIV, |m, n| {
                                    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
                                    if right == 0 || right == -1 {
                                        None
                                    } else {
                                        Some(Cell::small(left / right).0)
                                    }
                                }),
                                Op::Mod => arith!(w, atom::MOD, |m, n| {
                                    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
                                    if right == 0 || right == -1 {
                                        None
                                    } else {
                                        let rest = left % right;
                                        let adjust = rest != 0 && (rest ^ right) < 0;
                                        Some(
                                            Cell::small(if adjust { rest + right } else { rest }).0,
                                        )
                                    }
                                }),
                                Op::Rem => arith!(w, atom::REM, |m, n| {
                                    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
                                    if right == 0 || right == -1 {
                                        None
                                    } else {
                                        Some(Cell::small(left % right).0)
                                    }
                                }),
                                Op::And => arith!(w, atom::AND, |m, n| Some(m & n)),
                                Op::Or => arith!(w, atom::OR, |m, n| Some(m | n)),
                                Op::Shl => arith!(w, atom::SHIFT_LEFT, |m, n| {
                                    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
                                    if (0..40).contains(&right) && left.unsigned_abs() < 1 << 20 {
                                        Some(Cell::small(left << right).0)
                                    } else {
                                        None
                                    }
                                }),
                                Op::Shr => arith!(w, atom::SHIFT_RIGHT, |m, n| {
                                    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
                                    if (0..=60).contains(&right) {
                                        Some(Cell::small(left >> right).0)
                                    } else {
                                        None
                                    }
                                }),
                                Op::AddI => {
                                    let mut value = x!(a!(w));
                                    if value & 7 != INT {
                                        value = deref!(value);
                                    }
                                    let immediate = *p.add(1);
                                    if value & 7 == INT {
                                        let sum = (value as i64)
                                            .checked_add(immediate as i64 - INT as i64);
                                        if let Some(sum) = sum {
                                            x!(bb!(w)) = sum as u64;
                                            next!(2);
                                        }
                                    }
                                    let result = try_slow!(self.arith2(
                                        atom::PLUS,
                                        Cell(value),
                                        Cell(immediate)
                                    ));
                                    x!(bb!(w)) = result.0;
                                    next!(2);
                                }
                                Op::Arith2 => {
                                    let name = Atom(*p.add(1) as u32);
                                    let (left, right) = (x!(a!(w)), x!(bb!(w)));
                                    let result =
                                        try_slow!(self.arith2(name, Cell(left), Cell(right)));
                                    x!(d!(w)) = result.0;
                                    next!(2);
                                }
                                Op::Arith1 => {
                                    let name = Atom(*p.add(1) as u32);
                                    let operand = x!(a!(w));
                                    let result = try_slow!(self.arith1(name, Cell(operand)));
                                    x!(d!(w)) = result.0;
                                    next!(2);
                                }
                                Op::Eval => {
                                    let value = deref!(x!(a!(w)));
                                    if value & 7 == INT {
                                        x!(bb!(w)) = value;
                                        next!(1);
                                    }
                                    let result = try_slow!(self.eval_cell(Cell(value)));
                                    x!(bb!(w)) = result.0;
                                    next!(1);
                                }

                                // -- choosing clauses
                                Op::SwitchTerm => {
                                    let value = deref!(x!(a!(w)));
                                    x!(a!(w)) = value;
                                    let label = match value & 7 {
                                        REF | ATT => *p.add(1) & 0xffff_ffff,
                                        CON | INT => *p.add(1) >> 32,
                                        LST => *p.add(2) & 0xffff_ffff,
                                        STR => *p.add(2) >> 32,
                                        _ => *p.add(3) & 0xffff_ffff,
                                    };
                                    goto!(label as usize)
                                }
                                Op::SwitchHash => {
                                    let value = x!(a!(w));
                                    let key = if value & 7 == STR {
                                        load!(value)
                                    } else {
                                        value
                                    };
                                    let mask = imm!(w) - 1;
                                    let table = p.add(2);
                                    let mut slot = hash_key(key) & mask;
                                    let label = loop {
                                        let found = *table.add(2 * slot);
                                        if found == key {
                                            break *table.add(2 * slot + 1);
                                        }
                                        if found == 0 {
                                            break *p.add(1);
                                        }
                                        slot = (slot + 1) & mask;
                                    };
                                    goto!(label as usize)
                                }
                                Op::Try => {
                                    if b > choice_limit {
                                        raise!(slow!(self.resource_error(atom::MEMORY)));
                                    }
                                    let count = a!(w) as usize;
                                    let alternative = p.add(1).offset_from(code);
                                    push_choice!(alternative, count, env_top!());
                                    for i in 0..count {
                                        *ch.add(b + choice::ARGS + i) = x!(i);
                                    }
                                    goto!(imm!(w))
                                }
                                Op::Retry => {
                                    *ch.add(b + choice::ALT) = p.add(1).offset_from(code) as u64;
                                    for i in 0..a!(w) as usize {
                                        x!(i) = *ch.add(b + choice::ARGS + i);
                                    }
                                    b0 = *ch.add(b + choice::PREV) as usize;
                                    goto!(imm!(w))
                                }
                                Op::Trust => {
                                    for i in 0..a!(w) as usize {
                                        x!(i) = *ch.add(b + choice::ARGS + i);
                                    }
                                    cut_to!(*ch.add(b + choice::PREV) as usize);
                                    b0 = b;
                                    goto!(imm!(w))
                                }
                                Op::TryShallow => {
                                    shallow = p.add(1);
                                    shallow_tr = tr;
                                    hb = h;
                                    goto!(imm!(w))
                                }

                                // -- entries of predicates
                                Op::Undefined => match try_slow!(self.undefined(imm!(w) as u32)) {
                                    Next::Code(address) => goto!(address),
                                    Next::Fail => break 'fail,
                                },
                                Op::Link => {
                                    let entry = try_slow!(self.link(imm!(w) as u32));
                                    goto!(entry as usize)
                                }
                                Op::Dynamic => match try_slow!(self.dynamic_call(imm!(w) as u32)) {
                                    Next::Code(address) => goto!(address),
                                    Next::Fail => break 'fail,
                                },
                                Op::DynamicRetry => match try_slow!(self.dynamic_retry()) {
                                    Next::Code(address) => goto!(address),
                                    Next::Fail => break 'fail,
                                },
                                Op::BuiltinPred => {
                                    let (function, _) = self.db.builtins[imm!(w)];
                                    if !try_slow!(function(self)) {
                                        break 'fail;
                                    }
                                    goto!(cp)
                                }
                                Op::NondetPred => {
                                    let arity = (w >> 8 & 0xff) as usize;
                                    let number = imm!(w);
                                    match try_slow!(self.nondet_first(number, arity)) {
                                        More::Fail => break 'fail,
                                        _ => goto!(cp),
                                    }
                                }
                                Op::NondetRetry => match try_slow!(self.nondet_retry()) {
                                    More::Fail => break 'fail,
                                    _ => goto!(cp),
                                },
                                Op::CallN => {
                                    let count = (w >> 8 & 0xff) as usize;
                                    match try_slow!(self.prepare_call(count)) {
                                        Next::Code(address) => {
                                            b0 = b;
                                            goto!(address)
                                        }
                                        Next::Fail => break 'fail,
                                    }
                                }
                                Op::Catch => {
                                    if b > choice_limit || env_top!() > env_limit {
                                        raise!(slow!(self.resource_error(atom::MEMORY)));
                                    }
                                    let flag = Cell::var(h).0;
                                    heap!(h) = flag;
                                    h += 1;
                                    x!(3) = flag;
                                    push_choice!(code_at::CATCH_FAIL, 4, env_top!());
                                    for i in 0..4 {
                                        *ch.add(b + choice::ARGS + i) = x!(i);
                                    }
                                    let top = env_top!();
                                    *ep.add(top) = e as u64;
                                    *ep.add(top + 1) = cp as u64;
                                    e = top;
                                    y!(0) = Cell::small(b as i64).0;
                                    y!(1) = flag;
                                    y!(2) = Cell::small(0).0;
                                    cp = code_at::CATCH_EXIT;
                                    match try_slow!(self.prepare_call(1)) {
                                        Next::Code(address) => {
                                            b0 = b;
                                            goto!(address)
                                        }
                                        Next::Fail => break 'fail,
                                    }
                                }
                                Op::CatchExit => {
                                    let at = (y!(0) >> 3) as usize;
                                    if b == at {
                                        cut_to!(*ch.add(at + choice::PREV) as usize);
                                    } else {
                                        let flag = y!(1);
                                        bind!(flag, Cell::atom(atom::TRUE).0);
                                    }
                                    cp = *ep.add(e + 1) as usize;
                                    e = *ep.add(e) as usize;
                                    goto!(cp)
                                }
                                Op::CatchFail => {
                                    cut_to!(*ch.add(b + choice::PREV) as usize);
                                    break 'fail;
                                }
                                Op::Stop => {
                                    if self.pending != Cell::atom(atom::NIL) {
                                        let next = try_slow!(self.wake_at_stop());
                                        goto!(next)
                                    }
                                    save!();
                                    return Outcome::True;
                                }
                                Op::StopFail => {
                                    save!();
                                    return Outcome::False;
                                }
                            }
                        }
                    }
                }
                // -- failure
                // SAFETY: see above; `b` is a choice point the machine made.
                unsafe {
                    let target_tr = if shallow.is_null() {
                        *ch.add(b + choice::TRAIL) as usize
                    } else {
                        shallow_tr
                    };
                    if tr != target_tr {
                        self.tr = tr;
                        while self.tr > target_tr {
                            let entry = *tp.add(self.tr - 1);
                            if entry & 7 != 0 {
                                self.undo_to(target_tr);
                                break;
                            }
                            self.tr -= 1;
                            *hp.byte_add(entry as usize) = entry;
                        }
                        tr = target_tr;
                    }
                    if self.pending.0 != Cell::atom(atom::NIL).0 {
                        self.pending = Cell::atom(atom::NIL);
                    }
                    if !shallow.is_null() {
                        h = hb;
                        hb = *ch.add(b + choice::HEAP) as usize;
                        p = shallow;
                        shallow = std::ptr::null();
                        continue 'run;
                    }
                    h = *ch.add(b + choice::HEAP) as usize;
                    e = *ch.add(b + choice::ENV) as usize;
                    cp = *ch.add(b + choice::CP) as usize;
                    hb = h;
                    let log = *ch.add(b + choice::LOG) as usize;
                    if self.checks.log_top() != log {
                        self.checks.undo_to(log);
                    }
                    p = code.add(*ch.add(b + choice::ALT) as usize);
                }
                continue 'run;
            }
            // -- exception
            shallow = std::ptr::null();
            save!();
            match self.throw(error) {
                Ok(address) => {
                    restore!();
                    b0 = b;
                    // SAFETY: an address of the code area.
                    p = unsafe { code.add(address) };
                }
                Err(outcome) => return outcome,
            }
        }
    }
}
