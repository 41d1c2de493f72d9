//! Choosing clauses, and the entries of predicates that are not plain code.
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::Next;
use super::registers::{Code, backtrack, op, out_of_memory, raise, wake_then_return};
use crate::cell::*;
use crate::compile::index::hash_key;
use crate::database::More;
use crate::errors::PErr;
use crate::machine::{Machine, choice};
use stet_prolog::atom;

op!(switch_term, r => {
    let value = r.deref(r.x(r.a()));
    r.set_x(r.a(), value);
    let pair = r.word(1 + (value as usize >> 1 & 3));
    r.goto((pair >> (32 * (value & 1)) & 0xffff_ffff) as usize)
});

op!(load_argument, r => {
    let value = r.x(0);
    let first = match value & 7 {
        LST => 0,
        _ => 1,
    };
    r.set_x(r.a(), r.load_at(value, first + r.imm() as u64));
    r.next(1)
});

op!(switch_hash, r => {
    let value = r.x(r.a());
    let key = if value & 7 == STR { r.load(value) } else { value };
    let mask = r.imm() - 1;
    let table = r.p.add(2);
    let mut slot = hash_key(key) & mask;
    let label = loop {
        let found = *table.add(2 * slot);
        if found == key {
            break *table.add(2 * slot + 1);
        }
        if found == 0 {
            break r.word(1);
        }
        slot = (slot + 1) & mask;
    };
    r.goto(label as usize)
});

op!(try_clause, r => {
    if !r.choice_fits() {
        return r.slowly(out_of_memory);
    }
    let alternative = r.p.add(1).offset_from(r.code()) as usize;
    r.push_choice(alternative, r.a(), r.env_top());
    r.goto(r.imm())
});

op!(retry, r => {
    let b = (*r.m).control.b;
    let frame = (*r.m).mem.choice.base().add(b);
    *frame.add(choice::ALT) = r.p.add(1).offset_from(r.code()) as u64;
    for i in 0..r.a() {
        r.set_x(i, *frame.add(choice::ARGS + i));
    }
    (*r.m).control.b0 = *frame.add(choice::PREV) as usize;
    r.goto(r.imm())
});

op!(trust, r => {
    let frame = (*r.m).mem.choice.base().add((*r.m).control.b);
    for i in 0..r.a() {
        r.set_x(i, *frame.add(choice::ARGS + i));
    }
    r.cut_to(*frame.add(choice::PREV) as usize);
    (*r.m).control.b0 = (*r.m).control.b;
    r.goto(r.imm())
});

op!(try_shallow, r => {
    (*r.m).control.shallow = r.p.add(1).offset_from(r.code()) as usize;
    (*r.m).control.shallow_tr = (*r.m).mem.tr;
    (*r.m).mem.hb = (r.h >> 3) as usize;
    r.goto(r.imm())
});

op!(count, r => {
    (*r.m).count_entry(r.imm());
    r.next(1)
});

op!(chain, r => {
    r.save();
    let next = r.p.add(1).offset_from(r.code()) as usize;
    let chosen = (*r.m).choose_in_chain(r.imm() as u32);
    r.goto(chosen.unwrap_or(next))
});

/// Goes on where the slow part of a call says.
#[inline(always)]
unsafe fn follow(m: *mut Machine, next: Result<Next, PErr>) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        match next {
            Ok(Next::Code(address)) => (*m).program.code.base().add(address),
            Ok(Next::Fail) => backtrack(m),
            Err(error) => raise(m, error),
        }
    }
}

op!(undefined, r => {
    r.save();
    follow(r.m, (*r.m).undefined(r.imm() as u32))
});

op!(link, r => {
    r.save();
    follow(r.m, (*r.m).link(r.imm() as u32).map(|entry| Next::Code(entry as usize)))
});

op!(dynamic, r => {
    r.save();
    follow(r.m, (*r.m).dynamic_call(r.imm() as u32))
});

op!(dynamic_retry, r => {
    r.save();
    follow(r.m, (*r.m).dynamic_retry())
});

op!(nondet_pred, r => {
    r.save();
    continue_after(r.m, (*r.m).nondet_first(r.imm(), r.byte(1)))
});

op!(nondet_retry, r => {
    r.save();
    continue_after(r.m, (*r.m).nondet_retry())
});

#[inline(always)]
unsafe fn continue_after(m: *mut Machine, more: Result<More, PErr>) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        match more {
            Ok(More::Fail) => backtrack(m),
            Ok(_) if (*m).control.pending.0 != Cell::atom(atom::NIL).0 => wake_then_return(m),
            Ok(_) => (*m).program.code.base().add((*m).control.cp),
            Err(error) => raise(m, error),
        }
    }
}

op!(qualify_meta, r => {
    r.save();
    let next = r.p.add(1).offset_from(r.code()) as usize;
    let done = (*r.m).qualify_own(r.imm() as u32);
    follow(r.m, done.map(|()| Next::Code(next)))
});

op!(call_n, r => {
    r.save();
    let next = (*r.m).prepare_call(r.byte(1));
    (*r.m).control.b0 = (*r.m).control.b;
    follow(r.m, next)
});

/// Calls the goal in the first register; the machine's registers were saved.
pub(super) unsafe fn call_first(m: *mut Machine, _p: Code, _w: u64) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let next = (*m).prepare_call(1);
        (*m).control.b0 = (*m).control.b;
        follow(m, next)
    }
}
