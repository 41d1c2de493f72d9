//! Tests, comparisons and arithmetic.
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::registers::{Code, Regs, attempt, backtrack, op, raise};
use super::wake::wake_in_condition;
use crate::cell::*;
use crate::machine::Machine;
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

macro_rules! type_test {
    ($name:ident, $r:ident, $value:ident => $condition:expr) => {
        op!($name, $r => {
            let $value = $r.deref($r.x($r.a()));
            let holds = $condition;
            $r.test(holds, 1)
        });
    };
}

type_test!(is_var, r, value => Cell(value).is_var());
type_test!(is_nonvar, r, value => !Cell(value).is_var());
type_test!(is_atom, r, value => value & 7 == CON);
type_test!(is_integer, r, value => value & 7 == INT || (*r.m).mem.is_integer(Cell(value)));
type_test!(is_float, r, value => (*r.m).mem.is_float(Cell(value)));
type_test!(is_number, r, value => value & 7 == INT || (*r.m).mem.is_number(Cell(value)));
type_test!(is_atomic, r, value => Cell(value).is_atomic());
type_test!(is_compound, r, value => matches!(value & 7, LST | STR));
type_test!(is_callable, r, value => (*r.m).mem.is_callable(Cell(value)));
type_test!(is_string, r, value => (*r.m).mem.is_string(Cell(value)));
type_test!(is_list, r, value => (*r.m).mem.is_proper_list(Cell(value)));

/// Whether X[a] and X[next word] are the same term.
#[inline(always)]
unsafe fn same(r: Regs) -> bool {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let (left, right) = (r.deref(r.x(r.a())), r.deref(r.x(r.word(1) as usize)));
        left == right
            || !Cell(left).is_var()
                && left & 7 == right & 7
                && !matches!(left & 7, CON | INT)
                && (*r.m).mem.compare(Cell(left), Cell(right)) == Ordering::Equal
    }
}

op!(term_eq, r => { r.test(same(r), 2) });
op!(term_ne, r => { r.test(!same(r), 2) });

macro_rules! term_order {
    ($name:ident, $pattern:pat) => {
        op!($name, r => {
            let order = (*r.m).mem.compare(Cell(r.x(r.a())), Cell(r.x(r.word(1) as usize)));
            r.test(matches!(order, $pattern), 2)
        });
    };
}

term_order!(term_lt, Ordering::Less);
term_order!(term_le, Ordering::Less | Ordering::Equal);
term_order!(term_gt, Ordering::Greater);
term_order!(term_ge, Ordering::Greater | Ordering::Equal);

op!(test_const, r => {
    let value = r.deref(r.x(r.a()));
    let constant = r.word(1);
    if value == constant {
        return r.next(2);
    }
    match value & 7 {
        REF => r.bind_next(value, constant, 2),
        ATT => r.slowly(wake_in_condition),
        _ => r.otherwise(),
    }
});

/// Compares values that are not both small integers.
#[cold]
#[inline(never)]
unsafe fn compare_slowly(
    m: *mut Machine,
    p: Code,
    sides: (u64, u64),
    holds: fn(Option<Ordering>) -> bool,
) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let w = *p;
        match (*m).compare_values(Cell(sides.0), Cell(sides.1)) {
            Ok(order) if holds(order) => p.add(2),
            Ok(_) if w >> 32 == 0 => backtrack(m),
            Ok(_) => (*m).program.code.base().add((w >> 32) as usize),
            Err(error) => raise(m, error),
        }
    }
}

macro_rules! compare {
    ($name:ident, $immediate:ident, $op:tt, $pattern:pat) => {
        op!($name, r => {
            let (left, right) = (r.x(r.a()), r.x(r.word(1) as usize));
            compare!(@ r, left, right, $op, $pattern)
        });
        op!($immediate, r => {
            let (left, right) = (r.x(r.a()), r.word(1));
            compare!(@ r, left, right, $op, $pattern)
        });
    };
    (@ $r:ident, $left:ident, $right:ident, $op:tt, $pattern:pat) => {{
        let (mut left, mut right) = ($left, $right);
        if left & 7 != INT || right & 7 != INT {
            left = $r.deref(left);
            right = $r.deref(right);
            if left & 7 != INT || right & 7 != INT {
                $r.save();
                return compare_slowly($r.m, $r.p, (left, right), |order| {
                    matches!(order, $pattern)
                });
            }
        }
        $r.test((left as i64) $op (right as i64), 2)
    }};
}

compare!(cmp_eq, cmp_eq_i, ==, Some(Ordering::Equal));
compare!(cmp_ne, cmp_ne_i, !=, Some(Ordering::Less | Ordering::Greater) | None);
compare!(cmp_lt, cmp_lt_i, <, Some(Ordering::Less));
compare!(cmp_le, cmp_le_i, <=, Some(Ordering::Less | Ordering::Equal));
compare!(cmp_gt, cmp_gt_i, >, Some(Ordering::Greater));
compare!(cmp_ge, cmp_ge_i, >=, Some(Ordering::Greater | Ordering::Equal));

/// An operation on values that are not both small, or whose result is not.
#[cold]
#[inline(never)]
unsafe fn arith_slowly(m: *mut Machine, p: Code, name: Atom) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let w = *p;
        let left = (&(*m).control.x)[(w >> 16 & 0xffff) as usize];
        let right = (&(*m).control.x)[(w >> 32 & 0xffff) as usize];
        match (*m).arith2(name, left, right) {
            Ok(result) => {
                (&mut (*m).control.x)[(w >> 48) as usize] = result;
                p.add(1)
            }
            Err(error) => raise(m, error),
        }
    }
}

macro_rules! arith {
    ($name:ident, $atom:expr, |$m:ident, $n:ident| $fast:expr) => {
        op!($name, r => {
            let ($m, $n) = (r.deref(r.x(r.a())), r.deref(r.x(r.b())));
            if $m & 7 == INT && $n & 7 == INT {
                if let Some(result) = $fast {
                    r.set_x(r.d(), result);
                    return r.next(1);
                }
            }
            r.save();
            arith_slowly(r.m, r.p, $atom)
        });
    };
}

/// Two small integers, unless the divisor is one of those that need care.
#[inline(always)]
fn dividends(m: u64, n: u64) -> Option<(i64, i64)> {
    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
    (right != 0 && right != -1).then_some((left, right))
}

arith!(add, atom::PLUS, |m, n| (m as i64 - INT as i64)
    .checked_add(n as i64)
    .map(|sum| sum as u64));
arith!(sub, atom::MINUS, |m, n| (m as i64)
    .checked_sub(n as i64 - INT as i64)
    .map(|difference| difference as u64));
arith!(mul, atom::STAR, |m, n| ((m as i64) >> 3)
    .checked_mul(n as i64 - INT as i64)
    .map(|product| product as u64 | INT));
arith!(int_div, atom::INT_DIV, |m, n| dividends(m, n)
    .map(|(left, right)| Cell::small(left / right).0));
arith!(modulo, atom::MOD, |m, n| dividends(m, n).map(
    |(left, right)| {
        let rest = left % right;
        let adjust = rest != 0 && (rest ^ right) < 0;
        Cell::small(if adjust { rest + right } else { rest }).0
    }
));
arith!(rem, atom::REM, |m, n| dividends(m, n)
    .map(|(left, right)| Cell::small(left % right).0));
arith!(and, atom::AND, |m, n| Some(m & n));
arith!(or, atom::OR, |m, n| Some(m | n));
arith!(shl, atom::SHIFT_LEFT, |m, n| {
    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
    ((0..40).contains(&right) && left.unsigned_abs() < 1 << 20)
        .then(|| Cell::small(left << right).0)
});
arith!(shr, atom::SHIFT_RIGHT, |m, n| {
    let (left, right) = (m as i64 >> 3, n as i64 >> 3);
    (0..=60)
        .contains(&right)
        .then(|| Cell::small(left >> right).0)
});

/// `AddI` with a value that is not small, or a result that is not.
#[cold]
#[inline(never)]
unsafe fn add_i_slowly(m: *mut Machine, p: Code, w: u64) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let left = (&(*m).control.x)[(w >> 16 & 0xffff) as usize];
        match (*m).arith2(atom::PLUS, left, Cell(*p.add(1))) {
            Ok(result) => {
                (&mut (*m).control.x)[(w >> 32 & 0xffff) as usize] = result;
                p.add(2)
            }
            Err(error) => raise(m, error),
        }
    }
}

op!(add_i, r => {
    let value = r.deref(r.x(r.a()));
    if value & 7 == INT {
        if let Some(sum) = (value as i64).checked_add(r.word(1) as i64 - INT as i64) {
            r.set_x(r.b(), sum as u64);
            return r.next(2);
        }
    }
    r.slowly(add_i_slowly)
});

op!(arith2, r => {
    let name = Atom(r.word(1) as u32);
    let result = attempt!(r, arith2(name, Cell(r.x(r.a())), Cell(r.x(r.b()))));
    r.set_x(r.d(), result.0);
    r.leave(r.p.add(2))
});

op!(arith1, r => {
    let name = Atom(r.word(1) as u32);
    let result = attempt!(r, arith1(name, Cell(r.x(r.a()))));
    r.set_x(r.d(), result.0);
    r.leave(r.p.add(2))
});

#[cold]
#[inline(never)]
unsafe fn eval_slowly(m: *mut Machine, p: Code, w: u64) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let expression = (&(*m).control.x)[(w >> 16 & 0xffff) as usize];
        let expression = (*m).mem.deref(expression);
        match (*m).eval_cell(expression) {
            Ok(result) => {
                (&mut (*m).control.x)[(w >> 32 & 0xffff) as usize] = result;
                p.add(1)
            }
            Err(error) => raise(m, error),
        }
    }
}

op!(eval, r => {
    let value = r.deref(r.x(r.a()));
    if value & 7 == INT {
        r.set_x(r.b(), value);
        return r.next(1);
    }
    r.slowly(eval_slowly)
});
