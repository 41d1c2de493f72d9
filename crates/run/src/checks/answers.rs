//! Counting the answers of a checked goal, and what it writes.
//!
//! `det`, `not_fails` and the like need to know of a second answer and of the end. A goal is run as
//!
//! ```text
//! '$rtc_counter'(C), ( '$rtc_mark'(C), goal, '$rtc_answer'(C,…) ; '$rtc_no_more'(C,…) )
//! ```
//!
//! When the goal exits and the disjunction's choice point is the newest, the goal left none: that answer is the last,
//! and the choice point goes, so that a deterministic computation leaves nothing behind. The counter is a private term
//! `c(Answers, ChoicePoint)` changed in place: no check ever sees it, so cached answers of other terms stay right.

use super::predicates::comp_violation;
use crate::cell::Cell;
use crate::errors::PErr;
use crate::machine::{Machine, Res, choice};
use crate::streams::{USER_ERROR, USER_OUTPUT};
use stet_prolog::atom;

pub(super) fn register(machine: &mut Machine) {
    machine.register("$rtc_counter", 1, counter);
    machine.register("$rtc_mark", 1, mark);
    machine.register("$rtc_answer", 7, answer);
    machine.register("$rtc_no_more", 6, no_more);
    machine.register("$rtc_set", 2, set);
    machine.register("$rtc_choice", 1, |m| {
        let newest = Cell::small(m.control.b as i64);
        m.unify_result(m.control.x[0], newest)
    });
    machine.register("$rtc_capture", 2, capture);
    machine.register("$rtc_captured", 3, captured);
}

/// `'$rtc_counter'(C)`.
fn counter(m: &mut Machine) -> Res {
    m.mem.need(8)?;
    let name = m.mem.atoms.intern("$counter");
    let term = m.mem.new_term(name, &[Cell::small(0), Cell::small(0)]);
    m.unify_result(m.control.x[0], term)
}

/// Where the arguments of the private term are.
fn private(m: &mut Machine) -> Result<usize, PErr> {
    let term = m.arg(0);
    match m.mem.compound(term) {
        Some((_, 1..=2, args)) => Ok(args),
        _ => Err(m.mem.type_error(atom::COMPOUND, term)),
    }
}

/// `'$rtc_mark'(C)`: the newest choice point is that of the disjunction.
fn mark(m: &mut Machine) -> Res {
    let args = private(m)?;
    m.mem.heap.put(args + 1, Cell::small(m.control.b as i64));
    Ok(true)
}

/// `'$rtc_set'(Term, Atomic)`: overwrites the first argument of a private term.
fn set(m: &mut Machine) -> Res {
    let args = private(m)?;
    let value = m.arg(1);
    if value.is_pointer() {
        return Err(m.mem.type_error(atom::ATOMIC, value));
    }
    m.mem.heap.put(args, value);
    Ok(true)
}

fn number(m: &Machine, index: usize) -> i64 {
    m.arg(index).small_value()
}

/// `'$rtc_answer'(C, Status, Min, Max, Plan, Assertion, Property)`: the goal has an answer.
fn answer(m: &mut Machine) -> Res {
    let args = private(m)?;
    let count = m.mem.at(args).small_value() + 1;
    m.mem.heap.put(args, Cell::small(count));
    let last = m.mem.at(args + 1) == Cell::small(m.control.b as i64);
    debug_assert!(count > 0, "answers are counted from one");
    if last {
        m.control.b = m.mem.choice.get(m.control.b + choice::PREV) as usize;
        m.mem.hb = m.mem.choice.get(m.control.b + choice::HEAP) as usize;
    }
    if number(m, 1) != 3 {
        return Ok(true);
    }
    let (min, max) = (number(m, 2), number(m, 3));
    if (max >= 0 && count == max + 1) || (last && count < min) {
        let of = (number(m, 4) as usize, number(m, 5) as usize);
        comp_violation(m, of, m.control.x[6], format!("answers({count})"))?;
    }
    Ok(true)
}

/// `'$rtc_no_more'(C, Status, Min, Plan, Assertion, Property)`: the goal has no more answers.
fn no_more(m: &mut Machine) -> Res {
    let args = private(m)?;
    let count = m.mem.at(args).small_value();
    if number(m, 1) == 3 && count < number(m, 2) {
        let of = (number(m, 3) as usize, number(m, 4) as usize);
        comp_violation(m, of, m.control.x[5], format!("answers({count})"))?;
    }
    Ok(false)
}

/// Which of the standard output streams an argument names.
fn standard_stream(m: &mut Machine) -> Result<usize, PErr> {
    let name = m.atom_arg(0)?;
    Ok(match name {
        atom::USER_ERROR => USER_ERROR,
        _ => USER_OUTPUT,
    })
}

/// `'$rtc_capture'(Stream, Begin)`: what is written from now on is kept as well.
fn capture(m: &mut Machine) -> Res {
    let id = standard_stream(m)?;
    let begin = m.io.streams.begin_copy(id) as i64;
    m.unify_result(m.control.x[1], Cell::small(begin))
}

/// `'$rtc_captured'(Stream, Begin, Text)`: what was written since.
fn captured(m: &mut Machine) -> Res {
    let id = standard_stream(m)?;
    let begin = number(m, 1).max(0) as usize;
    let text = m.io.streams.end_copy(id, begin);
    let text = m.new_string(&text)?;
    m.unify_result(m.control.x[2], text)
}
