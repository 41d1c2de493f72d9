//! Literals in SMT-LIB.

use num_bigint::{BigInt, Sign};
use std::fmt::Write;
use stet_boogie::ast::{Decimal, FloatLit, FloatValue, Rounding};

/// An integer, negative ones as `(- n)`.
pub(super) fn integer(value: &BigInt, out: &mut String) {
    if value.sign() == Sign::Minus {
        let _ = write!(out, "(- {})", -value);
    } else {
        let _ = write!(out, "{value}");
    }
}

/// A decimal as a quotient of decimals.
pub(super) fn decimal(value: &Decimal, out: &mut String) {
    let negative = value.mantissa.sign() == Sign::Minus;
    if negative {
        out.push_str("(- ");
    }
    let digits = value.mantissa.magnitude();
    let zeros = "0".repeat(value.exponent.unsigned_abs() as usize);
    if value.exponent >= 0 {
        let _ = write!(out, "{digits}{zeros}.0");
    } else {
        let _ = write!(out, "(/ {digits}.0 1{zeros}.0)");
    }
    if negative {
        out.push(')');
    }
}

pub(super) fn bit_vector(value: &BigInt, width: u32, out: &mut String) {
    let _ = write!(out, "(_ bv{value} {width})");
}

/// A floating-point value by its bits.
pub(super) fn float(literal: &FloatLit, out: &mut String) {
    let (s, e) = (literal.significand_bits, literal.exponent_bits);
    let _ = match &literal.value {
        FloatValue::Nan => write!(out, "(_ NaN {e} {s})"),
        FloatValue::Infinity { negative: true } => write!(out, "(_ -oo {e} {s})"),
        FloatValue::Infinity { negative: false } => write!(out, "(_ +oo {e} {s})"),
        FloatValue::Finite {
            negative,
            exponent,
            significand,
        } => write!(
            out,
            "(fp (_ bv{} 1) (_ bv{exponent} {e}) (_ bv{significand} {}))",
            u8::from(*negative),
            s.saturating_sub(1)
        ),
    };
}

/// A rounding mode.
pub(super) fn rounding(mode: Rounding) -> &'static str {
    match mode {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::Positive => "RTP",
        Rounding::Negative => "RTN",
        Rounding::Zero => "RTZ",
    }
}
