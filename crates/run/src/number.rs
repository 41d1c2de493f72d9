//! Numbers outside cells, and the evaluation of arithmetic expressions.
//!
//! Integers are 64 bits where they fit and grow to any size; floats are IEEE doubles. Overflow of floats,
//! division by zero and undefined results are ISO evaluation errors, not infinities.

use crate::cell::*;
use crate::errors::PErr;
use crate::integers;
use crate::large::{self, big_to_float};
use crate::machine::Machine;
use crate::memory::Memory;
use crate::ratio::{self, Ratio};
use crate::streams::Io;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Num {
    Int(i64),
    Big(BigInt),
    Float(f64),
    Ratio(Box<Ratio>),
}

/// Integers may have at most this many bits: far beyond use, short of exhausting memory in one step.
pub(crate) const MAX_BITS: u64 = 1 << 26;

/// Why an operation has no value.
pub(crate) enum Fault {
    /// `evaluation_error(what)`.
    Eval(Atom),
    /// `type_error(what, the operand)`.
    Type(Atom, Num),
    /// `domain_error(what, the operand)`.
    Domain(Atom, Num),
    Resource,
}

pub(crate) type Value = Result<Num, Fault>;

impl Num {
    /// An integer in its smallest form.
    pub(crate) fn from_big(value: BigInt) -> Num {
        match i64::try_from(&value) {
            Ok(small) => Num::Int(small),
            Err(_) => Num::Big(value),
        }
    }

    pub(crate) fn to_big(&self) -> Option<BigInt> {
        match self {
            Num::Int(value) => Some(BigInt::from(*value)),
            Num::Big(value) => Some(value.clone()),
            Num::Float(_) | Num::Ratio(_) => None,
        }
    }

    pub(crate) fn to_float(&self) -> f64 {
        match self {
            Num::Int(value) => *value as f64,
            Num::Big(value) => big_to_float(value),
            Num::Float(value) => *value,
            Num::Ratio(value) => value.to_float(),
        }
    }

    /// Compares by value; `None` if one is not a number.
    pub(crate) fn compare(&self, other: &Num) -> Option<Ordering> {
        match (self, other) {
            (Num::Int(a), Num::Int(b)) => Some(a.cmp(b)),
            (Num::Ratio(_), _) | (_, Num::Ratio(_)) => ratio::compare(self, other),
            (Num::Float(a), Num::Float(b)) => a.partial_cmp(b),
            (Num::Float(a), b) => compare_float_int(*a, b),
            (a, Num::Float(b)) => compare_float_int(*b, a).map(Ordering::reverse),
            (a, b) => Some(a.to_big()?.cmp(&b.to_big()?)),
        }
    }
}

/// The integer part of a float.
pub(crate) fn float_to_int(value: f64) -> Option<Num> {
    if !value.is_finite() {
        return None;
    }
    let value = value.trunc();
    if value.abs() < 9.0e18 {
        return Some(Num::Int(value as i64));
    }
    let bits = value.abs().to_bits();
    let exponent = (bits >> 52) as i64 - 1075;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let magnitude = BigInt::from(mantissa) << exponent.max(0) as u64;
    Some(Num::from_big(if value < 0.0 {
        -magnitude
    } else {
        magnitude
    }))
}

fn compare_float_int(float: f64, int: &Num) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 {
            Ordering::Greater
        } else {
            Ordering::Less
        });
    }
    let whole = float_to_int(float)?;
    let order = match (&whole, int) {
        (Num::Int(a), Num::Int(b)) => a.cmp(b),
        (a, b) => a.to_big()?.cmp(&b.to_big()?),
    };
    Some(order.then_with(|| float.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal)))
}

fn check_float(value: f64) -> Value {
    if value.is_nan() {
        return Err(Fault::Eval(atom::UNDEFINED));
    }
    if value.is_infinite() {
        return Err(Fault::Eval(atom::FLOAT_OVERFLOW));
    }
    Ok(Num::Float(value))
}

pub(crate) fn integer(value: Num) -> Result<Num, Fault> {
    match value {
        Num::Float(_) | Num::Ratio(_) => Err(Fault::Type(atom::INTEGER, value)),
        value => Ok(value),
    }
}

pub(crate) fn big(value: &Num) -> BigInt {
    value.to_big().unwrap_or_default()
}

/// Applies a two-argument function.
pub(crate) fn apply2(name: Atom, a: Num, b: Num) -> Option<Value> {
    use Num::{Float, Int};
    let exact = matches!(a, Num::Ratio(_)) || matches!(b, Num::Ratio(_));
    if exact && let Some(value) = ratio::apply2(name, &a, &b) {
        return Some(value);
    }
    Some(match name {
        atom::PLUS => match (&a, &b) {
            (Int(x), Int(y)) => match x.checked_add(*y) {
                Some(sum) => Ok(Int(sum)),
                None => Ok(Num::from_big(big(&a) + big(&b))),
            },
            (Float(_), _) | (_, Float(_)) => check_float(a.to_float() + b.to_float()),
            _ => Ok(Num::from_big(big(&a) + big(&b))),
        },
        atom::MINUS => match (&a, &b) {
            (Int(x), Int(y)) => match x.checked_sub(*y) {
                Some(difference) => Ok(Int(difference)),
                None => Ok(Num::from_big(big(&a) - big(&b))),
            },
            (Float(_), _) | (_, Float(_)) => check_float(a.to_float() - b.to_float()),
            _ => Ok(Num::from_big(big(&a) - big(&b))),
        },
        atom::STAR => match (&a, &b) {
            (Int(x), Int(y)) => match x.checked_mul(*y) {
                Some(product) => Ok(Int(product)),
                None => Ok(Num::from_big(big(&a) * big(&b))),
            },
            (Float(_), _) | (_, Float(_)) => check_float(a.to_float() * b.to_float()),
            _ => multiply_big(&a, &b),
        },
        atom::SLASH => divide(a, b),
        atom::INT_DIV => int_divide(a, b, Rounding::Truncate),
        atom::DIV => int_divide(a, b, Rounding::Floor),
        atom::MOD => int_remainder(a, b, Rounding::Floor),
        atom::REM => int_remainder(a, b, Rounding::Truncate),
        // Of equal numbers the float is taken, as if it were the less exact bound; a number rather than none.
        atom::MIN | atom::MAX => Ok(match a.compare(&b) {
            Some(Ordering::Greater) if name == atom::MIN => b,
            Some(Ordering::Less) if name == atom::MAX => b,
            Some(Ordering::Equal) if matches!(b, Float(_)) => b,
            None if matches!(a, Float(value) if value.is_nan()) => b,
            _ => a,
        }),
        atom::RDIV => ratio::divide(&a, &b),
        atom::GETBIT => integers::get_bit(a, b),
        atom::NEXTTOWARD => Ok(Float(next_toward(a.to_float(), b.to_float()))),
        atom::AND => bits(a, b, |x, y| x & y, |x, y| x & y),
        atom::OR => bits(a, b, |x, y| x | y, |x, y| x | y),
        atom::XOR => bits(a, b, |x, y| x ^ y, |x, y| x ^ y),
        atom::SHIFT_LEFT => shift(a, b, false),
        atom::SHIFT_RIGHT => shift(a, b, true),
        atom::POWER => power(a, b, false),
        atom::CARET => power(a, b, true),
        atom::GCD => integers::gcd(a, b),
        atom::LCM => integers::lcm(a, b),
        atom::ATAN2 | atom::ATAN => {
            let (y, x) = (a.to_float(), b.to_float());
            if y == 0.0 && x == 0.0 {
                return Some(Err(Fault::Eval(atom::UNDEFINED)));
            }
            check_float(y.atan2(x))
        }
        atom::COPYSIGN => check_float(a.to_float().copysign(b.to_float())),
        atom::LOG => {
            if b.to_float() <= 0.0 || a.to_float() <= 0.0 {
                Err(Fault::Eval(atom::UNDEFINED))
            } else {
                check_float(b.to_float().ln() / a.to_float().ln())
            }
        }
        atom::TRUNCATE => check_float(a.to_float()),
        _ => return None,
    })
}

fn next_toward(from: f64, to: f64) -> f64 {
    match from.partial_cmp(&to) {
        Some(Ordering::Less) => from.next_up(),
        Some(Ordering::Greater) => from.next_down(),
        _ => to,
    }
}

fn multiply_big(a: &Num, b: &Num) -> Value {
    let (x, y) = (big(a), big(b));
    if x.bits() + y.bits() > MAX_BITS {
        return Err(Fault::Resource);
    }
    Ok(Num::from_big(x * y))
}

fn divide(a: Num, b: Num) -> Value {
    match (&a, &b) {
        (_, Num::Int(0)) => match a {
            Num::Float(_) if a.to_float() == 0.0 => Err(Fault::Eval(atom::UNDEFINED)),
            _ => Err(Fault::Eval(atom::ZERO_DIVISOR)),
        },
        (Num::Int(x), Num::Int(y)) => match (x.checked_rem(*y), x.checked_div(*y)) {
            (Some(0), Some(quotient)) => Ok(Num::Int(quotient)),
            _ => check_float(*x as f64 / *y as f64),
        },
        (Num::Float(_), _) | (_, Num::Float(_)) => {
            if b.to_float() == 0.0 {
                return Err(Fault::Eval(if a.to_float() == 0.0 {
                    atom::UNDEFINED
                } else {
                    atom::ZERO_DIVISOR
                }));
            }
            check_float(a.to_float() / b.to_float())
        }
        _ => {
            let (x, y) = (big(&a), big(&b));
            if (&x % &y).sign() == Sign::NoSign {
                return Ok(Num::from_big(x / y));
            }
            check_float(big_to_float(&x) / big_to_float(&y))
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Truncate,
    Floor,
}

fn int_divide(a: Num, b: Num, rounding: Rounding) -> Value {
    let (a, b) = (integer(a)?, integer(b)?);
    if b == Num::Int(0) {
        return Err(Fault::Eval(atom::ZERO_DIVISOR));
    }
    if let (Num::Int(x), Num::Int(y)) = (&a, &b) {
        if let Some(quotient) = x.checked_div(*y) {
            let inexact = x % y != 0 && (x % y < 0) != (*y < 0);
            let down = rounding == Rounding::Floor && inexact;
            return Ok(Num::Int(quotient - i64::from(down)));
        }
    }
    let (x, y) = (big(&a), big(&b));
    let quotient = &x / &y;
    let rest = &x % &y;
    let inexact =
        rest.sign() != Sign::NoSign && (rest.sign() == Sign::Minus) != (y.sign() == Sign::Minus);
    Ok(Num::from_big(if rounding == Rounding::Floor && inexact {
        quotient - 1
    } else {
        quotient
    }))
}

fn int_remainder(a: Num, b: Num, rounding: Rounding) -> Value {
    let (a, b) = (integer(a)?, integer(b)?);
    if b == Num::Int(0) {
        return Err(Fault::Eval(atom::ZERO_DIVISOR));
    }
    if let (Num::Int(x), Num::Int(y)) = (&a, &b) {
        let rest = x.checked_rem(*y).unwrap_or(0);
        let adjust = rounding == Rounding::Floor && rest != 0 && (rest < 0) != (*y < 0);
        return Ok(Num::Int(if adjust { rest + y } else { rest }));
    }
    let (x, y) = (big(&a), big(&b));
    let rest = &x % &y;
    let adjust = rounding == Rounding::Floor
        && rest.sign() != Sign::NoSign
        && (rest.sign() == Sign::Minus) != (y.sign() == Sign::Minus);
    Ok(Num::from_big(if adjust { rest + y } else { rest }))
}

fn bits(a: Num, b: Num, small: fn(i64, i64) -> i64, large: fn(BigInt, BigInt) -> BigInt) -> Value {
    let (a, b) = (integer(a)?, integer(b)?);
    Ok(match (&a, &b) {
        (Num::Int(x), Num::Int(y)) => Num::Int(small(*x, *y)),
        _ => Num::from_big(large(big(&a), big(&b))),
    })
}

fn shift(a: Num, b: Num, right: bool) -> Value {
    let (a, b) = (integer(a)?, integer(b)?);
    let count = match b {
        Num::Int(count) => count,
        // No number has so many bits.
        large => match big(&large).sign() {
            Sign::Minus => -i64::MAX,
            _ => i64::MAX,
        },
    };
    let left = if right { count.saturating_neg() } else { count };
    if left <= 0 {
        let count = left.unsigned_abs();
        return Ok(match a {
            Num::Int(value) => Num::Int(value >> count.min(63)),
            other => Num::from_big(big(&other) >> count.min(MAX_BITS)),
        });
    }
    if let Num::Int(value) = a {
        if value == 0 {
            return Ok(a);
        }
        if left < 62 && value.unsigned_abs().leading_zeros() as i64 > left + 1 {
            return Ok(Num::Int(value << left));
        }
    }
    if left as u64 > MAX_BITS {
        return Err(Fault::Resource);
    }
    Ok(Num::from_big(big(&a) << left as u64))
}

/// `a ** b`, and `a ^ b` (`integers_only_exact`): integers stay integers.
fn power(a: Num, b: Num, caret: bool) -> Value {
    if matches!(a, Num::Float(_)) || matches!(b, Num::Float(_)) {
        let (x, y) = (a.to_float(), b.to_float());
        if x == 0.0 && y < 0.0 {
            return Err(Fault::Eval(atom::ZERO_DIVISOR));
        }
        return check_float(x.powf(y));
    }
    if matches!(b, Num::Ratio(..)) {
        return check_float(a.to_float().powf(b.to_float()));
    }
    let base = big(&a);
    let one = BigInt::from(1);
    let Num::Int(exponent) = b else {
        return if base == one || base.sign() == Sign::NoSign {
            Ok(a)
        } else {
            Err(Fault::Resource)
        };
    };
    if exponent < 0 {
        if base == one {
            return Ok(Num::Int(1));
        }
        if base == -one {
            return Ok(Num::Int(if exponent % 2 == 0 { 1 } else { -1 }));
        }
        if base.sign() == Sign::NoSign {
            return Err(Fault::Eval(atom::ZERO_DIVISOR));
        }
        return if caret {
            Err(Fault::Type(atom::FLOAT, a))
        } else {
            check_float(a.to_float().powf(exponent as f64))
        };
    }
    if base.bits().saturating_mul(exponent as u64) > MAX_BITS && base.bits() > 1 {
        return Err(Fault::Resource);
    }
    let exponent = match base.bits() {
        0 | 1 => exponent.min(2 + exponent % 2), // 0, 1 and -1 repeat
        _ => exponent,
    };
    Ok(Num::from_big(base.pow(exponent as u32)))
}

/// Applies a one-argument function.
pub(crate) fn apply1(name: Atom, a: Num) -> Option<Value> {
    use Num::{Big, Float, Int};
    if let Num::Ratio(value) = &a
        && let Some(value) = ratio::apply1(name, value)
    {
        return Some(Ok(value));
    }
    let float = |f: fn(f64) -> f64| check_float(f(a.to_float()));
    Some(match name {
        atom::MINUS => Ok(match a {
            Int(value) => match value.checked_neg() {
                Some(negated) => Int(negated),
                None => Num::from_big(-BigInt::from(value)),
            },
            Big(value) => Num::from_big(-value),
            Float(value) => Float(-value),
            other @ Num::Ratio(_) => other,
        }),
        atom::PLUS => Ok(a),
        atom::ABS => Ok(match a {
            Int(i64::MIN) => Num::from_big(-BigInt::from(i64::MIN)),
            Int(value) => Int(value.abs()),
            Big(value) => Num::from_big(if value.sign() == Sign::Minus {
                -value
            } else {
                value
            }),
            Float(value) => Float(value.abs()),
            other @ Num::Ratio(_) => other,
        }),
        atom::SIGN => Ok(match a {
            Int(value) => Int(value.signum()),
            Big(value) => Int(if value.sign() == Sign::Minus { -1 } else { 1 }),
            Float(value) if value == 0.0 => Float(value),
            Float(value) => Float(value.signum()),
            other @ Num::Ratio(_) => other,
        }),
        atom::COMPLEMENT => integer(a).map(|value| match value {
            Int(value) => Int(!value),
            other => Num::from_big(-big(&other) - 1),
        }),
        atom::SQRT if a.to_float() < 0.0 => Err(Fault::Eval(atom::UNDEFINED)),
        atom::SQRT => float(f64::sqrt),
        atom::SIN => float(f64::sin),
        atom::COS => float(f64::cos),
        atom::TAN => float(f64::tan),
        atom::ASIN => float(f64::asin),
        atom::ACOS => float(f64::acos),
        atom::ATAN => float(f64::atan),
        atom::SINH => float(f64::sinh),
        atom::COSH => float(f64::cosh),
        atom::TANH => float(f64::tanh),
        atom::ASINH => float(f64::asinh),
        atom::ACOSH => float(f64::acosh),
        atom::ATANH => float(f64::atanh),
        atom::EXP => float(f64::exp),
        atom::LOG | atom::LOG2 => {
            let value = a.to_float();
            if value <= 0.0 {
                return Some(Err(match a {
                    Float(x) if x < 0.0 => Fault::Eval(atom::UNDEFINED),
                    _ => Fault::Eval(atom::UNDEFINED),
                }));
            }
            match name {
                atom::LOG => float(f64::ln),
                _ => float(f64::log2),
            }
        }
        atom::FLOAT => check_float(a.to_float()),
        atom::INTEGER => match a {
            Float(value) => rounded(value.round()),
            other => Ok(other),
        },
        atom::TRUNCATE | atom::TRUNC => to_integer(a, f64::trunc),
        atom::ROUND => to_integer(a, f64::round),
        atom::CEILING | atom::CEIL => to_integer(a, f64::ceil),
        atom::FLOOR => to_integer(a, f64::floor),
        atom::FLOAT_INTEGER_PART => float(f64::trunc),
        atom::FLOAT_FRACTIONAL_PART => match a {
            Float(value) => Ok(Float(value.fract())),
            _ => Ok(Int(0)),
        },
        atom::MSB => integers::highest_bit(a),
        atom::POPCOUNT => integers::count_bits(a),
        atom::LSB | atom::TZCNT => integers::lowest_bit(a),
        atom::COT | atom::ACOT if a.to_float() == 0.0 => Err(Fault::Eval(atom::UNDEFINED)),
        atom::COT => float(|x| 1.0 / x.tan()),
        atom::ACOT => float(|x| (1.0 / x).atan()),
        atom::SUCC => apply2(atom::PLUS, a, Int(1))?,
        atom::RATIONAL | atom::RATIONALIZE | atom::NUMERATOR | atom::DENOMINATOR => {
            ratio::of_other(name, &a)?
        }
        _ => return None,
    })
}

fn to_integer(a: Num, round: fn(f64) -> f64) -> Value {
    match a {
        Num::Float(value) => rounded(round(value)),
        other => Ok(other),
    }
}

fn rounded(value: f64) -> Value {
    float_to_int(value).ok_or(Fault::Eval(atom::UNDEFINED))
}

impl Memory {
    /// The number in a cell.
    pub(crate) fn number(&self, cell: Cell) -> Option<Num> {
        match cell.tag() {
            INT => Some(Num::Int(cell.small_value())),
            BOX => match self.heap.cell(cell.index()).kind() {
                KIND_FLOAT => Some(Num::Float(self.float_value(cell))),
                KIND_BIG => Some(Num::from_big(self.big_value(cell))),
                KIND_RATIO => Some(Num::Ratio(Box::new(self.ratio_value(cell)))),
                _ => None,
            },
            _ => None,
        }
    }

    fn not_evaluable(&mut self, name: Atom, arity: usize) -> PErr {
        let args = [Cell::atom(name), Cell::small(arity as i64)];
        let culprit = self.new_term(atom::SLASH, &args);
        self.type_error(atom::EVALUABLE, culprit)
    }
}

impl Io {
    fn apply1_all(&mut self, name: Atom, value: Num) -> Option<Value> {
        match (name, &value) {
            (atom::RANDOM, Num::Int(limit)) if *limit > 0 => {
                Some(Ok(Num::Int((self.next_random() % *limit as u64) as i64)))
            }
            (atom::RANDOM_FLOAT, _) => Some(Ok(Num::Float(self.random_unit()))),
            _ => apply1(name, value),
        }
    }

    /// The next pseudo-random word.
    pub(crate) fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn random_unit(&mut self) -> f64 {
        ((self.next_random() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn constant(&mut self, name: Atom) -> Option<Num> {
        Some(match name {
            atom::PI => Num::Float(std::f64::consts::PI),
            atom::E => Num::Float(std::f64::consts::E),
            atom::INF => Num::Float(f64::INFINITY),
            atom::NAN => Num::Float(f64::NAN),
            atom::EPSILON => Num::Float(f64::EPSILON),
            atom::MAX_TAGGED_INTEGER => Num::Int(MAX_SMALL),
            atom::MIN_TAGGED_INTEGER => Num::Int(MIN_SMALL),
            atom::MAX_INTEGER => Num::Int(i64::MAX),
            atom::MIN_INTEGER => Num::Int(i64::MIN),
            atom::RANDOM | atom::RANDOM_FLOAT => Num::Float(self.random_unit()),
            atom::CPUTIME => Num::Float(self.host.cpu_time()),
            atom::REALTIME => Num::Int(self.host.wall_time() as i64),
            _ => return None,
        })
    }
}

impl Machine {
    /// A number as a cell; an error if there is no room for it.
    pub(crate) fn number_cell(&mut self, value: &Num) -> Result<Cell, PErr> {
        match value {
            Num::Int(value) => Ok(self.mem.new_int(*value)),
            Num::Big(value) => self.mem.new_big(value),
            Num::Float(value) => Ok(self.mem.new_float(*value)),
            Num::Ratio(value) => self.new_ratio(value),
        }
    }

    fn fault(&mut self, fault: Fault) -> PErr {
        match fault {
            Fault::Eval(what) => self.mem.evaluation_error(what),
            Fault::Type(what, culprit) => match self.number_cell(&culprit) {
                Ok(culprit) => self.mem.type_error(what, culprit),
                Err(error) => error,
            },
            Fault::Domain(what, culprit) => match self.number_cell(&culprit) {
                Ok(culprit) => self.mem.domain_error(what, culprit),
                Err(error) => error,
            },
            Fault::Resource => self.mem.resource_error(atom::MEMORY),
        }
    }

    /// The value of a two-argument function, for instructions.
    pub(crate) fn arith2(&mut self, name: Atom, a: Cell, b: Cell) -> Result<Cell, PErr> {
        let (a, b) = (self.mem.deref(a), self.mem.deref(b));
        if let Some(value) = self.quick2(name, a, b) {
            return Ok(value);
        }
        let a = self.eval(a)?;
        let b = self.eval(b)?;
        match self.apply2_all(name, a, b)? {
            Some(Ok(value)) => self.number_cell(&value),
            Some(Err(fault)) => Err(self.fault(fault)),
            None => Err(self.mem.not_evaluable(name, 2)),
        }
    }

    /// The value of a one-argument function, for instructions.
    pub(crate) fn arith1(&mut self, name: Atom, a: Cell) -> Result<Cell, PErr> {
        let a = self.mem.deref(a);
        if let Some(value) = self.mem.quick1(name, a) {
            return Ok(value);
        }
        let value = self.eval(a)?;
        match self.io.apply1_all(name, value) {
            Some(Ok(value)) => self.number_cell(&value),
            Some(Err(fault)) => Err(self.fault(fault)),
            None => Err(self.mem.not_evaluable(name, 1)),
        }
    }

    /// Applies a function of two numbers; products and powers of large ones can be interrupted.
    fn apply2_all(&mut self, name: Atom, a: Num, b: Num) -> Result<Option<Value>, PErr> {
        let size = |n: &Num| match n {
            Num::Big(value) => value.bits(),
            Num::Int(value) => u64::from(64 - value.unsigned_abs().leading_zeros()),
            Num::Float(_) | Num::Ratio(_) => 0,
        };
        let budget = &self.config.budget;
        let mut go_on = || budget.check().is_ok();
        let result = match (name, &a, &b) {
            (atom::STAR, Num::Big(x), Num::Big(y)) if size(&a).min(size(&b)) >= large::LARGE => {
                if x.bits() + y.bits() > MAX_BITS {
                    return Ok(Some(Err(Fault::Resource)));
                }
                large::multiply(x, y, &mut go_on)
            }
            (atom::POWER | atom::CARET, Num::Big(_) | Num::Int(_), Num::Int(exponent @ 2..))
                if size(&a) > 1 =>
            {
                let bits = size(&a).saturating_mul(*exponent as u64);
                if !(large::LARGE..=MAX_BITS).contains(&bits) {
                    return Ok(apply2(name, a, b));
                }
                large::power(&big(&a), *exponent as u32, &mut go_on)
            }
            _ => return Ok(apply2(name, a, b)),
        };
        match result {
            Some(value) => Ok(Some(Ok(Num::from_big(value)))),
            None => {
                self.look()?;
                Ok(Some(Err(Fault::Resource)))
            }
        }
    }

    /// The digits of a large integer.
    pub(crate) fn decimal(&mut self, cell: Cell) -> Result<String, PErr> {
        let budget = self.config.budget.clone();
        match large::decimal(&self.mem.big_value(cell), &mut || budget.check().is_ok()) {
            Some(text) => Ok(text),
            None => {
                self.look()?;
                Err(self.mem.resource_error(atom::MEMORY))
            }
        }
    }

    /// Evaluates an expression; iterative, so depth is limited by memory alone.
    pub(crate) fn eval(&mut self, expression: Cell) -> Result<Num, PErr> {
        let cell = self.mem.deref(expression);
        if let Some(number) = self.mem.number(cell) {
            return Ok(number);
        }
        enum Step {
            Value(Cell),
            Apply(Atom, usize),
        }
        let mut steps = vec![Step::Value(cell)];
        let mut values: Vec<Num> = Vec::new();
        let mut count = 0u64;
        while let Some(step) = steps.pop() {
            count += 1;
            if count == 10_000 && !self.mem.is_acyclic(expression) {
                return Err(self.mem.type_error(atom::EVALUABLE, expression));
            }
            match step {
                Step::Value(cell) => {
                    let cell = self.mem.deref(cell);
                    if let Some(number) = self.mem.number(cell) {
                        values.push(number);
                    } else if let Some(name) = cell.as_atom() {
                        let Some(number) = self.io.constant(name) else {
                            return Err(self.mem.not_evaluable(name, 0));
                        };
                        values.push(number);
                    } else if let Some((name, arity, args)) = self.mem.compound(cell) {
                        if name == atom::DOT && self.mem.at(args + 1).is_atom(atom::NIL) {
                            steps.push(Step::Value(self.mem.heap.cell(args)));
                            continue;
                        }
                        if arity > 2 && (name, arity) != (atom::POWM, 3) {
                            return Err(self.mem.not_evaluable(name, arity));
                        }
                        steps.push(Step::Apply(name, arity));
                        for i in (0..arity).rev() {
                            steps.push(Step::Value(self.mem.heap.cell(args + i)));
                        }
                    } else if cell.is_var() {
                        return Err(self.mem.instantiation_error());
                    } else {
                        let text = self.mem.string_value(cell);
                        let mut chars = text.chars();
                        match (chars.next(), chars.next()) {
                            (Some(c), None) => values.push(Num::Int(i64::from(u32::from(c)))),
                            _ => return Err(self.mem.type_error(atom::EVALUABLE, cell)),
                        }
                    }
                }
                Step::Apply(name, arity) => {
                    let c = if arity == 3 { values.pop() } else { None };
                    let b = if arity >= 2 { values.pop() } else { None };
                    let result = match (values.pop(), b) {
                        (Some(a), Some(b)) if arity == 3 => {
                            Some(integers::powm(a, b, c.unwrap_or(Num::Int(1))))
                        }
                        (Some(a), Some(b)) => self.apply2_all(name, a, b)?,
                        (Some(a), None) => self.io.apply1_all(name, a),
                        _ => None,
                    };
                    match result {
                        Some(Ok(value)) => values.push(value),
                        Some(Err(fault)) => return Err(self.fault(fault)),
                        None => return Err(self.mem.not_evaluable(name, arity)),
                    }
                }
            }
        }
        Ok(values.pop().unwrap_or(Num::Int(0)))
    }
}
