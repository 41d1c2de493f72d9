//! Delimited continuations: `reset/3`, `shift/1`, `call_continuation/1`.
//!
//! A continuation is the chain of environments between a `shift/1` and the `reset/3` around it, as a list of terms
//! `'$cont'(Address, Slot, …)`, innermost first. Calling it builds the environments again and returns into the
//! innermost. Barriers of cuts among the slots are recognised by [`LEVEL`] and become the choice point of the new call,
//! so a cut in a continuation is local to it. Code a continuation returns to is never freed.
//!
//! **Invariant:** only addresses that were captured are returned to ([`Machine`]'s `pinned`).

use crate::cell::*;
use crate::code::{Op, op_of};
use crate::errors::PErr;
use crate::machine::{ENV_HEAD, LEVEL, Machine, Res, code_at, level, level_of};
use stet_prolog::atom;

pub(crate) fn register(m: &mut Machine) {
    m.register("$shift", 1, shift);
    m.register("$resume", 1, resume);
}

fn refused(m: &mut Machine, what: &str) -> PErr {
    let what = m.mem.atom_cell(what);
    let name = m.mem.atoms.intern("not_supported");
    let formal = m.mem.new_term(name, &[what]);
    m.mem.iso_error(formal)
}

/// The slots of the environment a return address describes: how many, and whether each holds a term.
fn slots_at(m: &Machine, cp: usize) -> (usize, u32) {
    let word = m.program.code.get(cp - 1);
    let count = (word & 0xffff) as usize;
    let mask = match count {
        33.. => u32::MAX,
        _ => (word >> 32) as u32,
    };
    (count, mask)
}

/// The term `'$reset'(Ball, Continuation)` in an environment, if it is one of `reset/3`.
fn marker_in(m: &mut Machine, e: usize, cp: usize) -> Option<usize> {
    let name = m.mem.atoms.intern("$reset");
    let (count, mask) = slots_at(m, cp);
    (0..count.min(32))
        .filter(|i| mask >> i & 1 == 1)
        .find_map(|i| {
            let cell = m.mem.deref(m.mem.env.cell(e + ENV_HEAD + i));
            m.mem.structure(cell, name, 2)
        })
}

fn capture(m: &mut Machine, e: usize, cp: usize) -> Result<Cell, PErr> {
    let (count, mask) = slots_at(m, cp);
    m.mem.need(count + 4)?;
    let mark = Cell::atom(m.mem.atoms.intern("$level"));
    let mut args = vec![Cell::small(cp as i64)];
    for i in 0..count {
        let cell = m.mem.env.cell(e + ENV_HEAD + i);
        // A barrier is in a slot that holds no term, as far as the mask goes.
        let (masked, live) = (count <= 32, mask >> i.min(31) & 1 == 1);
        let looks_so = cell.tag() == INT && cell.0 & LEVEL != 0;
        let is_barrier = looks_so && level_of(cell.0) < m.mem.choice.capacity();
        args.push(match is_barrier {
            true if !(masked && live) => mark,
            _ if live || !masked => cell,
            _ => Cell::small(0),
        });
    }
    m.program.pinned.insert(cp as u32);
    let name = m.mem.atoms.intern("$cont");
    Ok(m.mem.new_term(name, &args))
}

/// Leaves for the nearest `reset/3` whose ball unifies; its continuation is what was left.
fn shift(m: &mut Machine) -> Res {
    let ball = m.arg(0);
    let (mut e, mut cp) = (m.control.e, m.control.cp);
    let mut frames = Vec::new();
    loop {
        if e == 0 {
            let kind = m.mem.atoms.intern("reset/3");
            return Err(m.mem.existence_error(kind, ball));
        }
        match cp {
            // The exceptions of what comes later are not caught there any more.
            code_at::CATCH_EXIT => {}
            code_at::CLEANUP_EXIT => {
                return Err(refused(m, "shift/1 out of a goal with a cleanup"));
            }
            code_at::WAKE_EXIT | code_at::WAKE_TEST => {
                return Err(refused(m, "shift/1 out of a woken goal"));
            }
            _ if op_of(m.program.code.get(cp)) == Op::CheckExit => {
                return Err(refused(
                    m,
                    "shift/1 out of a predicate whose assertions are checked",
                ));
            }
            _ => {
                if let Some(args) = marker_in(m, e, cp) {
                    let mark = m.mem.tr;
                    let hb = std::mem::replace(&mut m.mem.hb, m.mem.h);
                    let unified = m.unify(m.mem.heap.cell(args), ball);
                    m.mem.hb = hb;
                    if unified {
                        return leave(m, e, args + 1, &frames);
                    }
                    m.mem.undo_to(mark);
                }
                frames.push(capture(m, e, cp)?);
            }
        }
        cp = m.mem.env.get(e + 1) as usize;
        e = m.mem.env.get(e) as usize;
    }
}

/// Goes on after the `reset/3` whose environment is `e`.
fn leave(m: &mut Machine, e: usize, continuation: usize, frames: &[Cell]) -> Res {
    let list = m.new_proper_list(frames)?;
    let name = m.mem.atoms.intern("call_continuation");
    m.mem.need(4)?;
    let goal = m.mem.new_term(name, &[list]);
    if !m.unify(m.mem.heap.cell(continuation), goal) {
        return Ok(false);
    }
    m.control.cp = m.mem.env.get(e + 1) as usize;
    m.control.e = m.mem.env.get(e) as usize;
    Ok(true)
}

/// Builds the environments of a continuation and returns into the innermost.
fn resume(m: &mut Machine) -> Res {
    let list = m.arg(0);
    let frames = m.list_items(list)?;
    let name = m.mem.atoms.intern("$cont");
    let mark = Cell::atom(m.mem.atoms.intern("$level"));
    let barrier = Cell(level(m.control.b));
    for frame in frames.into_iter().rev() {
        let found = m.mem.compound(frame).filter(|(found, ..)| *found == name);
        let Some((_, arity, args)) = found else {
            let kind = m.mem.atoms.intern("continuation");
            return Err(m.mem.type_error(kind, frame));
        };
        let address = m.mem.at(args);
        let cp = address.small_value() as usize;
        let known = address.is_small() && m.program.pinned.contains(&(cp as u32));
        if !known {
            return Err(m.mem.domain_error_named("continuation", frame));
        }
        let (count, mask) = slots_at(m, cp);
        if count + 1 != arity {
            return Err(m.mem.domain_error_named("continuation", frame));
        }
        let top = m.env_top();
        if top + arity + (1 << 10) > m.mem.env_limit {
            return Err(m.mem.resource_error(atom::MEMORY));
        }
        m.mem.env.set(top, m.control.e as u64);
        m.mem.env.set(top + 1, m.control.cp as u64);
        for i in 1..arity {
            let cell = m.mem.heap.cell(args + i);
            // The atom in a slot that holds a term is one of the program.
            let is_term = count <= 32 && mask >> (i - 1).min(31) & 1 == 1;
            let is_barrier = cell == mark && !is_term;
            let cell = if is_barrier { barrier } else { cell };
            m.mem.env.put(top + ENV_HEAD + i - 1, cell);
        }
        m.control.e = top;
        m.control.cp = cp;
    }
    Ok(true)
}
