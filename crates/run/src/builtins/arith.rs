//! Arithmetic as predicates; compiled code uses instructions instead.

use crate::cell::{Cell, KIND_BIG};
use crate::database::More;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::number::Num;
use std::cmp::Ordering;
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    m.register("is", 2, |m| {
        let expression = m.arg(1);
        let value = m.eval_cell(expression)?;
        m.unify_result(m.control.x[0], value)
    });
    m.register("=:=", 2, |m| test(m, |o| o == Some(Ordering::Equal)));
    m.register("=\\=", 2, |m| test(m, |o| o != Some(Ordering::Equal)));
    m.register("<", 2, |m| test(m, |o| o == Some(Ordering::Less)));
    m.register(">", 2, |m| test(m, |o| o == Some(Ordering::Greater)));
    m.register("=<", 2, |m| {
        test(m, |o| matches!(o, Some(Ordering::Less | Ordering::Equal)))
    });
    m.register(">=", 2, |m| {
        test(m, |o| {
            matches!(o, Some(Ordering::Greater | Ordering::Equal))
        })
    });
    m.register("succ", 2, succ);
    m.register("plus", 3, plus);
    m.register_nondet("between", 3, between);
    m.program.det_when(|m| !m.arg(2).is_var());
    m.register("set_random", 1, |m| {
        let term = m.arg(0);
        if let Some((_, 1, args)) = m.mem.compound(term) {
            let seed = m.mem.at(args);
            m.io.random = if seed.is_small() {
                seed.small_value() as u64
            } else {
                m.io.host.wall_time().to_bits()
            };
        }
        Ok(true)
    });
}

fn test(m: &mut Machine, accept: fn(Option<Ordering>) -> bool) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    Ok(accept(m.compare_values(a, b)?))
}

fn not_negative(m: &mut Machine, cell: Cell) -> Result<Num, PErr> {
    if !m.mem.is_integer(cell) {
        return Err(m.mem.type_error(atom::INTEGER, cell));
    }
    let value = m.eval(cell)?;
    if value.compare(&Num::Int(0)) == Some(Ordering::Less) {
        return Err(m.mem.type_error(atom::NOT_LESS_THAN_ZERO, cell));
    }
    Ok(value)
}

fn succ(m: &mut Machine) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if !a.is_var() {
        not_negative(m, a)?;
        if !b.is_var() {
            not_negative(m, b)?;
        }
        let next = m.arith2(atom::PLUS, a, Cell::small(1))?;
        return m.unify_result(b, next);
    }
    if b.is_var() {
        return Err(m.mem.instantiation_error());
    }
    if not_negative(m, b)? == Num::Int(0) {
        return Ok(false);
    }
    let before = m.arith2(atom::MINUS, b, Cell::small(1))?;
    m.unify_result(a, before)
}

fn plus(m: &mut Machine) -> Res {
    let (a, b, c) = (m.arg(0), m.arg(1), m.arg(2));
    for cell in [a, b, c] {
        if !cell.is_var() && !m.mem.is_integer(cell) {
            return Err(m.mem.type_error(atom::INTEGER, cell));
        }
    }
    if c.is_var() {
        let sum = m.arith2(atom::PLUS, a, b)?;
        return m.unify_result(c, sum);
    }
    let (known, unknown) = if a.is_var() { (b, a) } else { (a, b) };
    let difference = m.arith2(atom::MINUS, c, known)?;
    m.unify_result(unknown, difference)
}

/// The same where a number does not fit a word.
fn between_large(m: &mut Machine, state: u64) -> Result<More, PErr> {
    let mut numbers = [Num::Int(0), Num::Int(0), Num::Int(0)];
    for (i, number) in numbers.iter_mut().enumerate() {
        let cell = m.arg(i);
        let open = match i {
            1 => cell.as_atom().is_some_and(|name| {
                name == atom::INF || matches!(m.mem.atom_text(name), "inf" | "infinite")
            }),
            2 => cell.is_var(),
            _ => false,
        };
        if open {
            *number = Num::Float(f64::INFINITY);
        } else if m.mem.is_integer(cell) {
            *number = m.eval(cell)?;
        } else {
            return Err(m.mem.type_error(atom::INTEGER, cell));
        }
    }
    let [low, high, value] = &numbers;
    let above =
        |a: &Num, b: &Num| !matches!(b, Num::Float(_)) && a.compare(b) == Some(Ordering::Greater);
    if !m.arg(2).is_var() {
        let inside = !above(low, value) && !above(value, high);
        return Ok(if inside { More::Last } else { More::Fail });
    }
    let offset = state.saturating_sub(1);
    let next = m.arith2(atom::PLUS, m.arg(0), Cell::small(offset as i64))?;
    let found = m.eval(next)?;
    if above(&found, high) {
        return Ok(More::Fail);
    }
    m.unify(m.control.x[2], next);
    Ok(match found.compare(high) {
        Some(Ordering::Equal) => More::Last,
        _ => More::State(offset + 2),
    })
}

/// The state is the offset from the lower bound, plus one.
fn between(m: &mut Machine, state: u64) -> Result<More, PErr> {
    let is_big = |m: &Machine, i: usize| m.mem.box_kind(m.arg(i)) == Some(KIND_BIG);
    if (0..3).any(|i| is_big(m, i)) {
        return between_large(m, state);
    }
    let low = m.int_arg(0)?;
    let high_cell = m.arg(1);
    let high = match high_cell.as_atom() {
        Some(atom::INF) => i64::MAX,
        Some(name) if m.mem.atom_text(name) == "infinite" => i64::MAX,
        _ => m.int_arg(1)?,
    };
    let x = m.arg(2);
    if !x.is_var() {
        let value = m.int_arg(2)?;
        return Ok(if low <= value && value <= high {
            More::Last
        } else {
            More::Fail
        });
    }
    let offset = state.saturating_sub(1);
    let Some(value) = low.checked_add_unsigned(offset).filter(|&v| v <= high) else {
        return Ok(More::Fail);
    };
    let cell = m.mem.new_int(value);
    m.unify(x, cell);
    Ok(if value == high {
        More::Last
    } else {
        More::State(offset + 2)
    })
}
