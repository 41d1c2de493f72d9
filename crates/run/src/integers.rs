//! Functions of integers alone: bits, divisors, powers of a residue class.

use crate::number::{Fault, MAX_BITS, Num, Value, big, integer};
use num_bigint::Sign;
use stet_prolog::atom;

/// Bit `b` of a number that is not negative.
pub(crate) fn get_bit(a: Num, b: Num) -> Value {
    let (a, b) = (integer(a)?, integer(b)?);
    let negative = |value: &Num| big(value).sign() == Sign::Minus;
    if negative(&a) || negative(&b) {
        let culprit = if negative(&a) { a } else { b };
        return Err(Fault::Domain(atom::NOT_LESS_THAN_ZERO, culprit));
    }
    Ok(Num::Int(match b {
        Num::Int(index) => i64::from(big(&a).bit(index as u64)),
        _ => 0,
    }))
}

/// `base ** exponent mod modulus` of integers that are not negative.
pub(crate) fn powm(base: Num, exponent: Num, modulus: Num) -> Value {
    let (base, exponent, modulus) = (integer(base)?, integer(exponent)?, integer(modulus)?);
    if big(&modulus).sign() == Sign::NoSign {
        return Err(Fault::Eval(atom::ZERO_DIVISOR));
    }
    for value in [&exponent, &modulus] {
        if big(value).sign() == Sign::Minus {
            return Err(Fault::Domain(atom::NOT_LESS_THAN_ZERO, value.clone()));
        }
    }
    if big(&exponent).bits().saturating_mul(big(&modulus).bits()) > MAX_BITS {
        return Err(Fault::Resource);
    }
    Ok(Num::from_big(
        big(&base).modpow(&big(&exponent), &big(&modulus)),
    ))
}

pub(crate) fn gcd(a: Num, b: Num) -> Value {
    let (mut x, mut y) = (big(&integer(a)?), big(&integer(b)?));
    while y.sign() != Sign::NoSign {
        let rest = &x % &y;
        x = y;
        y = rest;
    }
    Ok(Num::from_big(if x.sign() == Sign::Minus { -x } else { x }))
}

pub(crate) fn lcm(a: Num, b: Num) -> Value {
    let (x, y) = (big(&integer(a.clone())?), big(&integer(b.clone())?));
    if x.sign() == Sign::NoSign || y.sign() == Sign::NoSign {
        return Ok(Num::Int(0));
    }
    if x.bits() + y.bits() > MAX_BITS {
        return Err(Fault::Resource);
    }
    let multiple = x / big(&gcd(a, b)?) * y;
    let negative = multiple.sign() == Sign::Minus;
    Ok(Num::from_big(if negative { -multiple } else { multiple }))
}

/// The position of the highest bit of a positive number.
pub(crate) fn highest_bit(a: Num) -> Value {
    Ok(Num::Int(big(&positive(a)?).bits() as i64 - 1))
}

/// The position of the lowest bit of a positive number.
pub(crate) fn lowest_bit(a: Num) -> Value {
    let zeros = big(&positive(a)?).trailing_zeros();
    Ok(Num::Int(zeros.unwrap_or(0) as i64))
}

/// The number of bits that are set in a number that is not negative.
pub(crate) fn count_bits(a: Num) -> Value {
    let value = integer(a)?;
    let (sign, digits) = big(&value).to_u64_digits();
    if sign == Sign::Minus {
        return Err(Fault::Domain(atom::NOT_LESS_THAN_ZERO, value));
    }
    Ok(Num::Int(
        digits.iter().map(|d| i64::from(d.count_ones())).sum(),
    ))
}

fn positive(a: Num) -> Value {
    let value = integer(a)?;
    match big(&value).sign() {
        Sign::Plus => Ok(value),
        _ => Err(Fault::Domain(atom::NOT_LESS_THAN_ONE, value)),
    }
}
