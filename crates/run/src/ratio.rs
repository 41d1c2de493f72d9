//! Rational numbers: `1r3`, `rdiv/2`, and what arithmetic makes of them.
//!
//! A ratio has no common factor and a denominator of at least two; everything else is an integer. Operations on a float
//! and a ratio are operations on floats. On the heap a ratio is a box: the words of the numerator, then those of the
//! denominator; the header keeps the sign and the number of words of the numerator.

use crate::cell::{BOX, Cell, KIND_RATIO, MAX_SIZE};
use crate::errors::PErr;
use crate::large::big_to_float;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::number::{Fault, Num};
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

/// Numerators and denominators may have at most this many bits.
const MAX_BITS: u64 = 1 << 22;

/// A fraction in lowest terms that is no integer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ratio {
    numerator: BigInt,
    denominator: BigInt,
}

type Value = Result<Num, Fault>;

impl Ratio {
    pub(crate) fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    pub(crate) fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    /// The nearest float: the quotient is taken to 66 significant bits before it is rounded.
    pub(crate) fn to_float(&self) -> f64 {
        let shift = 66 + self.denominator.bits() as i64 - self.numerator.magnitude().bits() as i64;
        let (n, d) = if shift >= 0 {
            (&self.numerator << shift as u64, self.denominator.clone())
        } else {
            (
                self.numerator.clone(),
                &self.denominator << shift.unsigned_abs(),
            )
        };
        let mut quotient = &n / &d;
        if (&quotient * &d) != n {
            // A sticky bit, so that what was cut off decides ties.
            quotient = (quotient << 1u32) + if n.sign() == Sign::Minus { -1 } else { 1 };
            return scale(big_to_float(&quotient), -shift - 1);
        }
        scale(big_to_float(&quotient), -shift)
    }

    /// The largest integer that is not larger.
    pub(crate) fn floor(&self) -> BigInt {
        let quotient = &self.numerator / &self.denominator;
        if self.numerator.sign() == Sign::Minus {
            quotient - 1
        } else {
            quotient
        }
    }

    /// Halves are rounded away from zero.
    fn round(&self) -> BigInt {
        let double = &self.denominator * 2;
        let up = self.numerator.magnitude() * 2u32 + self.denominator.magnitude();
        let rounded: BigInt = BigInt::from(up) / double;
        if self.numerator.sign() == Sign::Minus {
            -rounded
        } else {
            rounded
        }
    }

    /// The decimal form with so many digits behind the point, rounded.
    pub(crate) fn decimal(&self, digits: usize) -> String {
        let scaled = make(
            &self.numerator * BigInt::from(10).pow(digits as u32),
            self.denominator.clone(),
        );
        let whole = match &scaled {
            Num::Ratio(ratio) => ratio.round(),
            other => other.to_big().unwrap_or_default(),
        };
        let sign = if whole.sign() == Sign::Minus { "-" } else { "" };
        let mut text = whole.magnitude().to_string();
        if digits > 0 {
            while text.len() <= digits {
                text.insert(0, '0');
            }
            text.insert(text.len() - digits, '.');
        }
        format!("{sign}{text}")
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}r{}", self.numerator, self.denominator)
    }
}

/// `value * 2^exponent`, in steps that stay in range.
fn scale(mut value: f64, mut exponent: i64) -> f64 {
    while exponent > 0 && value.is_finite() {
        let step = exponent.min(1000);
        value *= 2f64.powi(step as i32);
        exponent -= step;
    }
    while exponent < 0 && value != 0.0 {
        let step = (-exponent).min(1000);
        value /= 2f64.powi(step as i32);
        exponent += step;
    }
    value
}

/// The quotient in lowest terms; the denominator is not zero.
pub(crate) fn make(numerator: BigInt, denominator: BigInt) -> Num {
    let divisor = common(numerator.clone(), denominator.clone());
    let (mut n, mut d) = (numerator / &divisor, denominator / divisor);
    if d.sign() == Sign::Minus {
        (n, d) = (-n, -d);
    }
    if d == BigInt::from(1) {
        return Num::from_big(n);
    }
    Num::Ratio(Box::new(Ratio {
        numerator: n,
        denominator: d,
    }))
}

/// The greatest common divisor, positive.
fn common(mut x: BigInt, mut y: BigInt) -> BigInt {
    while y.sign() != Sign::NoSign {
        let rest = &x % &y;
        x = y;
        y = rest;
    }
    if x.sign() == Sign::Minus { -x } else { x }
}

/// Numerator and denominator of an exact number.
fn parts(value: &Num) -> Option<(BigInt, BigInt)> {
    match value {
        Num::Ratio(ratio) => Some((ratio.numerator.clone(), ratio.denominator.clone())),
        Num::Float(_) => None,
        whole => Some((whole.to_big()?, BigInt::from(1))),
    }
}

fn bounded(value: Num) -> Value {
    match &value {
        Num::Ratio(r) if r.numerator.bits().max(r.denominator.bits()) > MAX_BITS => {
            Err(Fault::Resource)
        }
        _ => Ok(value),
    }
}

/// Compares exactly; a float is taken for the fraction it is.
pub(crate) fn compare(a: &Num, b: &Num) -> Option<Ordering> {
    let exact = |value: &Num| match value {
        Num::Float(float) => match from_float(*float) {
            Some(value) => parts(&value),
            None => None,
        },
        other => parts(other),
    };
    match (a, b) {
        (Num::Float(x), _) | (_, Num::Float(x)) if x.is_nan() => None,
        (Num::Float(x), _) if x.is_infinite() => x.partial_cmp(&0.0),
        (_, Num::Float(x)) if x.is_infinite() => 0.0.partial_cmp(x),
        _ => {
            let ((n1, d1), (n2, d2)) = (exact(a)?, exact(b)?);
            Some((n1 * d2).cmp(&(n2 * d1)))
        }
    }
}

/// The fraction a finite float is.
pub(crate) fn from_float(value: f64) -> Option<Num> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let (mantissa, power) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    };
    let mantissa = BigInt::from(mantissa) * if value < 0.0 { -1 } else { 1 };
    let one = BigInt::from(1);
    Some(if power >= 0 {
        make(mantissa << power as u64, one)
    } else {
        make(mantissa, one << power.unsigned_abs())
    })
}

/// The simplest fraction that is the same float: the first convergent of the continued fraction that rounds to it.
fn rationalize(value: f64) -> Option<Num> {
    let (mut n, mut d) = parts(&from_float(value)?)?;
    let (mut p0, mut q0) = (BigInt::from(0), BigInt::from(1));
    let (mut p1, mut q1) = (BigInt::from(1), BigInt::from(0));
    while d.sign() != Sign::NoSign {
        let mut whole = &n / &d;
        if n.sign() == Sign::Minus && &whole * &d != n {
            whole -= 1;
        }
        let (p2, q2) = (&whole * &p1 + &p0, &whole * &q1 + &q0);
        let found = make(p2.clone(), q2.clone());
        if found.to_float() == value {
            return Some(found);
        }
        (p0, q0, p1, q1) = (p1, q1, p2, q2);
        let rest = n - &whole * &d;
        (n, d) = (d, rest);
    }
    from_float(value)
}

/// `A rdiv B`.
pub(crate) fn divide(a: &Num, b: &Num) -> Value {
    let operand = |value: &Num| parts(value).ok_or(Fault::Type(atom::RATIONAL, value.clone()));
    let ((n1, d1), (n2, d2)) = (operand(a)?, operand(b)?);
    if n2.sign() == Sign::NoSign {
        return Err(Fault::Eval(atom::ZERO_DIVISOR));
    }
    bounded(make(n1 * d2, d1 * n2))
}

/// A function of two numbers one of which is a ratio; `None` where integers are required or floats computed.
pub(crate) fn apply2(name: Atom, a: &Num, b: &Num) -> Option<Value> {
    if name == atom::MIN || name == atom::MAX {
        let first = match compare(a, b) {
            Some(Ordering::Greater) => name == atom::MAX,
            _ => name == atom::MIN,
        };
        return Some(Ok(if first { a.clone() } else { b.clone() }));
    }
    let ((n1, d1), (n2, d2)) = (parts(a)?, parts(b)?);
    Some(match name {
        atom::PLUS => bounded(make(n1 * &d2 + n2 * &d1, d1 * d2)),
        atom::MINUS => bounded(make(n1 * &d2 - n2 * &d1, d1 * d2)),
        atom::STAR => bounded(make(n1 * n2, d1 * d2)),
        atom::SLASH => divide(a, b),
        atom::POWER | atom::CARET => {
            let Num::Int(exponent) = b else { return None };
            let power = exponent.unsigned_abs();
            if n1.bits().max(d1.bits()).saturating_mul(power) > MAX_BITS {
                return Some(Err(Fault::Resource));
            }
            let (n, d) = (n1.pow(power as u32), d1.pow(power as u32));
            Ok(if *exponent < 0 {
                make(d, n)
            } else {
                make(n, d)
            })
        }
        _ => return None,
    })
}

/// A function of a ratio; `None` where floats are computed or integers required.
pub(crate) fn apply1(name: Atom, a: &Ratio) -> Option<Num> {
    let negated = || {
        Num::Ratio(Box::new(Ratio {
            numerator: -a.numerator.clone(),
            denominator: a.denominator.clone(),
        }))
    };
    let negative = a.numerator.sign() == Sign::Minus;
    Some(match name {
        atom::PLUS | atom::RATIONAL | atom::RATIONALIZE => Num::Ratio(Box::new(a.clone())),
        atom::MINUS => negated(),
        atom::ABS if negative => negated(),
        atom::ABS => Num::Ratio(Box::new(a.clone())),
        atom::SIGN => Num::Int(if negative { -1 } else { 1 }),
        atom::TRUNCATE | atom::TRUNC => Num::from_big(&a.numerator / &a.denominator),
        atom::INTEGER | atom::ROUND => Num::from_big(a.round()),
        atom::FLOOR => Num::from_big(a.floor()),
        atom::CEILING | atom::CEIL => Num::from_big(a.floor() + 1),
        atom::FLOAT_INTEGER_PART => Num::from_big(&a.numerator / &a.denominator),
        atom::FLOAT_FRACTIONAL_PART => make(&a.numerator % &a.denominator, a.denominator.clone()),
        atom::NUMERATOR => Num::from_big(a.numerator.clone()),
        atom::DENOMINATOR => Num::from_big(a.denominator.clone()),
        _ => return None,
    })
}

/// `rational/1`, `rationalize/1`, `numerator/1` and `denominator/1` of other numbers.
pub(crate) fn of_other(name: Atom, a: &Num) -> Option<Value> {
    Some(match (name, a) {
        (atom::RATIONAL, Num::Float(value)) => {
            from_float(*value).ok_or(Fault::Eval(atom::UNDEFINED))
        }
        (atom::RATIONALIZE, Num::Float(value)) => {
            rationalize(*value).ok_or(Fault::Eval(atom::UNDEFINED))
        }
        (atom::NUMERATOR | atom::DENOMINATOR, Num::Float(_)) => {
            Err(Fault::Type(atom::RATIONAL, a.clone()))
        }
        (atom::RATIONAL | atom::RATIONALIZE | atom::NUMERATOR, _) => Ok(a.clone()),
        (atom::DENOMINATOR, _) => Ok(Num::Int(1)),
        _ => return None,
    })
}

impl Memory {
    /// The ratio in a box.
    pub(crate) fn ratio_value(&self, cell: Cell) -> Ratio {
        let header = self.heap.cell(cell.index());
        let start = cell.index() + 1;
        let middle = start + (header.extra() >> 1) as usize;
        let sign = match header.extra() & 1 {
            0 => Sign::Plus,
            _ => Sign::Minus,
        };
        let number = |from: usize, to: usize, sign: Sign| {
            let halves = self.heap.slice(from, to).iter();
            let digits: Vec<u32> = halves
                .flat_map(|&word| [word as u32, (word >> 32) as u32])
                .collect();
            BigInt::from_slice(sign, &digits)
        };
        Ratio {
            numerator: number(start, middle, sign),
            denominator: number(middle, start + header.arity(), Sign::Plus),
        }
    }
}

impl Machine {
    /// A ratio as a cell. Types of the analysis know no such numbers: what is proved may not hold for them.
    pub(crate) fn new_ratio(&mut self, value: &Ratio) -> Result<Cell, PErr> {
        self.withdraw_proofs("a rational number was made");
        let (sign, numerator) = value.numerator.to_u64_digits();
        let (_, denominator) = value.denominator.to_u64_digits();
        let words = numerator.len() + denominator.len();
        if words > MAX_SIZE {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        self.mem.need(words + 1)?;
        let extra = (numerator.len() as u32) << 1 | u32::from(sign == Sign::Minus);
        let index = self.mem.push(Cell::box_header(KIND_RATIO, words, extra));
        for word in numerator.into_iter().chain(denominator) {
            self.mem.push(Cell(word));
        }
        Ok(Cell::pointer(BOX, index))
    }
}
