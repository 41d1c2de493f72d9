//! IEEE 754 arithmetic as bit-vector terms: the circuits of an FPU, rounding to nearest with ties to even.
//!
//! A floating-point number is a term of its bits, so everything that works on bit-vectors (simplification, evaluation,
//! caching, bit-blasting, printing for other solvers) works on floating point. [`Floats`] builds operations of one
//! [`FloatFormat`]:
//!
//! | file | what |
//! |---|---|
//! | `mod` | formats, unpacking, normalisation, rounding and packing |
//! | `arith` | sums, products, quotients, fused multiply-add, square root, rounding to integers |
//! | `convert` | conversions between formats and from and to integers; the 80-bit format of the x87 |
//!
//! An operation computes an exact (or sticky) significand and hands it to one rounding circuit. NaNs are those of x86: the
//! first NaN operand made quiet, or the negative quiet NaN without payload. Every operation is tested against the machine on
//! random and special numbers, and against Z3 on symbolic ones.

mod arith;
mod convert;

pub use arith::Rounding;
pub use convert::{ieee_to_x87, x87_to_ieee};

use crate::{Bits, Term, Terms};

/// A binary interchange format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatFormat {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the significand, the hidden one included.
    pub precision: u32,
}

impl FloatFormat {
    /// IEEE half precision.
    pub const HALF: Self = Self::new(5, 11);
    /// The upper half of single precision.
    pub const BFLOAT: Self = Self::new(8, 8);
    /// IEEE single precision.
    pub const SINGLE: Self = Self::new(8, 24);
    /// IEEE double precision.
    pub const DOUBLE: Self = Self::new(11, 53);
    /// The numbers of the x87 without their explicit leading bit; see [`x87_to_ieee`].
    pub const EXTENDED: Self = Self::new(15, 64);
    /// IEEE quadruple precision.
    pub const QUAD: Self = Self::new(15, 113);

    const fn new(exponent: u32, precision: u32) -> Self {
        FloatFormat {
            exponent,
            precision,
        }
    }

    /// Bits of a number.
    pub const fn width(self) -> u32 {
        self.exponent + self.precision
    }

    const fn bias(self) -> u64 {
        (1 << (self.exponent - 1)) - 1
    }
}

/// Bits of intermediate exponents: enough for the product of two quadruple-precision numbers.
const EXP: u32 = 24;

/// Builds operations on numbers of one format.
#[derive(Clone, Copy)]
pub struct Floats<'t> {
    terms: &'t Terms,
    format: FloatFormat,
}

/// The parts of a number: its value is `(-1)^sign * sig * 2^(exp - (precision - 1))` if it is finite.
#[derive(Clone, Copy)]
struct Parts {
    sign: Term,
    /// Unbiased, signed, [`EXP`] bits.
    exp: Term,
    /// With the hidden bit, `precision` bits.
    sig: Term,
    nan: Term,
    inf: Term,
    zero: Term,
}

impl<'t> Floats<'t> {
    /// Operations of a format.
    pub fn new(terms: &'t Terms, format: FloatFormat) -> Self {
        Floats { terms, format }
    }

    /// Whether the number is a NaN.
    pub fn is_nan(&self, a: Term) -> Term {
        self.unpack(a).nan
    }

    /// Whether the number is an infinity.
    pub fn is_infinite(&self, a: Term) -> Term {
        self.unpack(a).inf
    }

    /// Whether the number is a zero of either sign.
    pub fn is_zero(&self, a: Term) -> Term {
        self.unpack(a).zero
    }

    /// Whether the sign bit is set.
    pub fn is_negative(&self, a: Term) -> Term {
        let top = self.format.width() - 1;
        self.bit(a, top)
    }

    /// Whether the number is finite and less than the smallest normal one, zero included.
    pub fn is_subnormal_or_zero(&self, a: Term) -> Term {
        let p = self.format.precision;
        let exponent = self.terms.extract(self.format.width() - 2, p - 1, a);
        self.is_null(exponent)
    }

    /// Whether a NaN is quiet; meaningless for other numbers.
    pub fn is_quiet(&self, a: Term) -> Term {
        self.bit(a, self.format.precision - 2)
    }

    /// The number with the other sign; NaNs, too.
    pub fn neg(&self, a: Term) -> Term {
        self.terms.bv_xor(a, self.sign_mask())
    }

    /// The number without its sign; NaNs, too.
    pub fn abs(&self, a: Term) -> Term {
        let top = self.format.width() - 1;
        self.terms
            .concat(self.terms.bv(1, 0), self.terms.extract(top - 1, 0, a))
    }

    /// The first number with the second one's sign.
    pub fn copysign(&self, a: Term, b: Term) -> Term {
        let top = self.format.width() - 1;
        self.terms.concat(
            self.terms.extract(top, top, b),
            self.terms.extract(top - 1, 0, a),
        )
    }

    /// `a == b`; zeros are equal, NaNs are not.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        let t = self.terms;
        let ordered = self.ordered(a, b);
        let zeros = t.and2(self.is_zero(a), self.is_zero(b));
        t.and2(ordered, t.or2(zeros, t.eq(a, b)))
    }

    /// `a < b`.
    pub fn lt(&self, a: Term, b: Term) -> Term {
        let t = self.terms;
        let zeros = t.and2(self.is_zero(a), self.is_zero(b));
        let (x, y) = (self.abs(a), self.abs(b));
        let (less, greater) = (t.bv_ult(x, y), t.bv_ult(y, x));
        let (negative, other) = (self.is_negative(a), self.is_negative(b));
        let same_sign = t.ite(negative, greater, less);
        let by_sign = t.ite(t.xor(negative, other), negative, same_sign);
        t.and(&[self.ordered(a, b), t.not(zeros), by_sign])
    }

    /// `a <= b`.
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.terms.or2(self.lt(a, b), self.eq(a, b))
    }

    /// Whether neither number is a NaN.
    pub fn ordered(&self, a: Term, b: Term) -> Term {
        let t = self.terms;
        t.and2(t.not(self.is_nan(a)), t.not(self.is_nan(b)))
    }

    fn bit(&self, a: Term, at: u32) -> Term {
        self.terms
            .eq(self.terms.extract(at, at, a), self.terms.bv(1, 1))
    }

    fn is_null(&self, a: Term) -> Term {
        self.terms.eq(a, self.zeros(self.terms.width(a)))
    }

    fn zeros(&self, width: u32) -> Term {
        self.terms.bits(&Bits::new(width, 0))
    }

    fn exp(&self, value: i64) -> Term {
        self.terms.bv(EXP, value as u64 & ((1 << EXP) - 1))
    }

    /// `value` followed by `count` zero bits.
    fn pad(&self, value: Term, count: u32) -> Term {
        match count {
            0 => value,
            _ => self.terms.concat(value, self.zeros(count)),
        }
    }

    fn sign_mask(&self) -> Term {
        self.pad(self.terms.bv(1, 1), self.format.width() - 1)
    }

    fn signed(&self, sign: Term, magnitude: Term) -> Term {
        self.terms.concat(self.terms.bool_to_bv(sign, 1), magnitude)
    }

    /// The bits of infinity without a sign.
    fn infinity(&self) -> Term {
        let ones = self.terms.bv_not(self.zeros(self.format.exponent));
        self.pad(ones, self.format.precision - 1)
    }

    /// The NaN of invalid operations.
    fn invalid(&self) -> Term {
        let ones = self.terms.bv_not(self.zeros(self.format.exponent + 2));
        self.pad(ones, self.format.precision - 2)
    }

    /// A NaN made quiet.
    fn quiet(&self, a: Term) -> Term {
        let p = self.format.precision;
        let bit = self.pad(self.terms.bv(1, 1), p - 2);
        self.terms
            .bv_or(a, self.terms.zero_extend(bit, self.format.width()))
    }

    /// The NaN an operation gives: the first operand that is one, else that of invalid operations.
    fn nan_of(&self, operands: &[Term]) -> Term {
        let rest = self.invalid();
        operands.iter().rev().fold(rest, |rest, &a| {
            self.terms.ite(self.is_nan(a), self.quiet(a), rest)
        })
    }

    fn unpack(&self, a: Term) -> Parts {
        let (t, p) = (self.terms, self.format.precision);
        let exponent = t.extract(self.format.width() - 2, p - 1, a);
        let fraction = t.extract(p - 2, 0, a);
        let low = self.is_null(exponent);
        let high = t.eq(exponent, t.bv_not(self.zeros(self.format.exponent)));
        let whole = self.is_null(fraction);
        let hidden = t.bool_to_bv(t.not(low), 1);
        let biased = t.ite(low, self.exp(1), t.zero_extend(exponent, EXP));
        Parts {
            sign: self.is_negative(a),
            exp: t.bv_sub(biased, self.exp(self.format.bias() as i64)),
            sig: t.concat(hidden, fraction),
            nan: t.and2(high, t.not(whole)),
            inf: t.and2(high, whole),
            zero: t.and2(low, whole),
        }
    }

    /// Shifts a significand left until its top bit is set (if it is not zero), and lowers the exponent as much.
    fn normalize(&self, exp: Term, sig: Term) -> (Term, Term) {
        let t = self.terms;
        let width = t.width(sig);
        let (mut sig, mut exp) = (sig, exp);
        for k in (0..32 - (width - 1).leading_zeros()).rev() {
            let step = 1u32 << k;
            if step >= width {
                continue;
            }
            let empty = self.is_null(t.extract(width - 1, width - step, sig));
            let moved = self.pad(t.extract(width - step - 1, 0, sig), step);
            sig = t.ite(empty, moved, sig);
            exp = t.ite(empty, t.bv_sub(exp, self.exp(i64::from(step))), exp);
        }
        (exp, sig)
    }

    /// Shifts right by at most the width; what is lost sets the last bit.
    fn shift_sticky(&self, sig: Term, amount: Term) -> Term {
        let (shifted, lost) = self.shift_lost(sig, amount);
        let width = self.terms.width(sig);
        self.terms
            .bv_or(shifted, self.terms.bool_to_bv(lost, width))
    }

    /// Shifts right, and whether a bit was lost. The amount has [`EXP`] bits and is not negative.
    fn shift_lost(&self, sig: Term, amount: Term) -> (Term, Term) {
        let t = self.terms;
        let width = t.width(sig);
        let limit = self.exp(i64::from(width));
        let amount = t.ite(t.bv_ult(limit, amount), limit, amount);
        let amount = t.zero_resize(amount, width);
        let shifted = t.bv_lshr(sig, amount);
        let lost = t.not(t.eq(t.bv_shl(shifted, amount), sig));
        (shifted, lost)
    }

    /// The number nearest to `sig * 2^(exp - (width - 1))`. The last bit of `sig` may be sticky if the top one, or the one
    /// below, is set. A `sig` of zero gives a zero with the sign.
    fn round(&self, sign: Term, exp: Term, sig: Term) -> Term {
        let (t, p) = (self.terms, self.format.precision);
        let zero = self.is_null(sig);
        let missing = (p + 2).saturating_sub(t.width(sig));
        let (exp, sig) = self.normalize(exp, self.pad(sig, missing));
        let width = t.width(sig);
        let lowest = self.exp(1 - self.format.bias() as i64);
        let subnormal = t.bv_slt(exp, lowest);
        let amount = t.ite(subnormal, t.bv_sub(lowest, exp), self.exp(0));
        let (shifted, lost) = self.shift_lost(sig, amount);
        let kept = t.extract(width - 1, width - p, shifted);
        let half = self.bit(shifted, width - p - 1);
        let below = t.extract(width - p - 2, 0, shifted);
        let sticky = t.or2(lost, t.not(self.is_null(below)));
        let up = t.and2(half, t.or2(sticky, self.bit(kept, 0)));
        // the hidden bit of a normal number adds one to the exponent, as does a carry out of the significand
        let field = t.bv_add(exp, self.exp(self.format.bias() as i64 - 1));
        let field = t.ite(subnormal, self.exp(0), field);
        let total = EXP + p - 1;
        let sum = t.bv_add(
            t.bv_add(self.pad(field, p - 1), t.zero_extend(kept, total)),
            t.bool_to_bv(up, total),
        );
        let infinity = self.infinity();
        let over = t.bv_uge(sum, t.zero_extend(infinity, total));
        let magnitude = t.extract(self.format.width() - 2, 0, sum);
        let magnitude = t.ite(over, infinity, magnitude);
        let nothing = self.zeros(self.format.width() - 1);
        self.signed(sign, t.ite(zero, nothing, magnitude))
    }
}
