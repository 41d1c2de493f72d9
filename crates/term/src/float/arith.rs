//! Sums, products, quotients, fused multiply-add, square root, rounding to integers.

use super::{Floats, Parts};
use crate::Term;

/// How a number is rounded to an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest; ties to even.
    NearestEven,
    /// To the nearest; ties away from zero.
    NearestAway,
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

impl Floats<'_> {
    /// `a + b`.
    pub fn add(&self, a: Term, b: Term) -> Term {
        self.sum(a, b, b)
    }

    /// `a - b`.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.sum(a, self.neg(b), b)
    }

    /// `a + b`, where a NaN in place of `b` is `shown`.
    fn sum(&self, a: Term, b: Term, shown: Term) -> Term {
        let t = self.terms;
        let swap = t.bv_ult(self.abs(a), self.abs(b));
        let (x, y) = (t.ite(swap, b, a), t.ite(swap, a, b));
        let (x, y) = (self.unpack(x), self.unpack(y));
        let finite = self.add_aligned(
            (x.sign, x.exp, self.pad(x.sig, 3)),
            (y.sign, y.exp, self.pad(y.sig, 3)),
        );
        let clash = t.and(&[x.inf, y.inf, t.xor(x.sign, y.sign)]);
        let nan = t.or(&[x.nan, y.nan, clash]);
        let infinite = self.signed(x.sign, self.infinity());
        let value = t.ite(x.inf, infinite, finite);
        t.ite(nan, self.nan_of(&[a, shown]), value)
    }

    /// The sum of two numbers of (sign, exponent, significand), the first of which has the larger exponent. Significands end
    /// in three zero bits at least, and the first one's top bit or the next is set if bits of the second are lost.
    fn add_aligned(&self, x: (Term, Term, Term), y: (Term, Term, Term)) -> Term {
        let t = self.terms;
        let width = t.width(x.2) + 1;
        let moved = self.shift_sticky(y.2, t.bv_sub(x.1, y.1));
        let (large, small) = (t.zero_extend(x.2, width), t.zero_extend(moved, width));
        let differ = t.xor(x.0, y.0);
        let (sum, less) = (t.bv_add(large, small), t.bv_sub(large, small));
        // with unequal exponents and signs the difference can be negative only if `x` is the smaller one
        let negative = t.and2(differ, t.bv_ult(large, small));
        let magnitude = t.ite(negative, t.bv_neg(less), t.ite(differ, less, sum));
        let sign = t.xor(x.0, negative);
        let sign = t.ite(self.is_null(magnitude), t.and2(x.0, y.0), sign);
        self.round(sign, t.bv_add(x.1, self.exp(1)), magnitude)
    }

    /// `a * b`.
    pub fn mul(&self, a: Term, b: Term) -> Term {
        let t = self.terms;
        let (x, y) = (self.unpack(a), self.unpack(b));
        let sign = t.xor(x.sign, y.sign);
        let (exp, product) = self.product(&x, &y);
        let finite = self.round(sign, exp, product);
        let clash = t.or2(t.and2(x.inf, y.zero), t.and2(x.zero, y.inf));
        let nan = t.or(&[x.nan, y.nan, clash]);
        let infinite = self.signed(sign, self.infinity());
        let value = t.ite(t.or2(x.inf, y.inf), infinite, finite);
        t.ite(nan, self.nan_of(&[a, b]), value)
    }

    /// The exact product: exponent of its top bit, and twice as many bits.
    fn product(&self, x: &Parts, y: &Parts) -> (Term, Term) {
        let t = self.terms;
        let width = self.format.precision * 2;
        let product = t.bv_mul(t.zero_extend(x.sig, width), t.zero_extend(y.sig, width));
        (t.bv_add(t.bv_add(x.exp, y.exp), self.exp(1)), product)
    }

    /// `a / b`.
    pub fn div(&self, a: Term, b: Term) -> Term {
        let (t, p) = (self.terms, self.format.precision);
        let (x, y) = (self.unpack(a), self.unpack(b));
        let sign = t.xor(x.sign, y.sign);
        let (x_exp, x_sig) = self.normalize(x.exp, x.sig);
        let (y_exp, y_sig) = self.normalize(y.exp, y.sig);
        let width = 2 * p + 2;
        let dividend = self.pad(x_sig, p + 2);
        let divisor = t.zero_extend(y_sig, width);
        let quotient = t.extract(p + 2, 0, t.bv_udiv(dividend, divisor));
        let inexact = t.not(self.is_null(t.bv_urem(dividend, divisor)));
        let sig = t.concat(quotient, t.bool_to_bv(inexact, 1));
        let finite = self.round(sign, t.bv_sub(x_exp, y_exp), sig);
        let clash = t.or2(t.and2(x.inf, y.inf), t.and2(x.zero, y.zero));
        let nan = t.or(&[x.nan, y.nan, clash]);
        let infinite = self.signed(sign, self.infinity());
        let nothing = self.signed(sign, self.zeros(self.format.width() - 1));
        let value = t.ite(t.or2(x.zero, y.inf), nothing, finite);
        let value = t.ite(t.or2(x.inf, y.zero), infinite, value);
        t.ite(nan, self.nan_of(&[a, b]), value)
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&self, a: Term, b: Term, c: Term) -> Term {
        let (t, p) = (self.terms, self.format.precision);
        let normal = |a: Term| {
            let parts = self.unpack(a);
            let (exp, sig) = self.normalize(parts.exp, parts.sig);
            Parts { exp, sig, ..parts }
        };
        let (x, y, z) = (normal(a), normal(b), normal(c));
        let sign = t.xor(x.sign, y.sign);
        let (exp, product) = self.product(&x, &y);
        // a zero must not decide the alignment
        let nothing = t.or2(x.zero, y.zero);
        let least = self.exp(-(1 << (super::EXP - 2)));
        let exp = t.ite(nothing, least, exp);
        let z_exp = t.ite(z.zero, least, z.exp);
        let (product, addend) = (self.pad(product, 4), self.pad(z.sig, p + 4));
        let swap = t.bv_slt(exp, z_exp);
        let pick = |yes: Term, no: Term| t.ite(swap, yes, no);
        let finite = self.add_aligned(
            (pick(z.sign, sign), pick(z_exp, exp), pick(addend, product)),
            (pick(sign, z.sign), pick(exp, z_exp), pick(product, addend)),
        );
        let infinite = t.or2(x.inf, y.inf);
        let clash = t.or(&[
            t.and2(x.inf, y.zero),
            t.and2(x.zero, y.inf),
            t.and(&[infinite, z.inf, t.xor(sign, z.sign)]),
        ]);
        let nan = t.or(&[x.nan, y.nan, z.nan, clash]);
        let value = t.ite(z.inf, c, finite);
        let value = t.ite(infinite, self.signed(sign, self.infinity()), value);
        t.ite(nan, self.nan_of(&[a, b, c]), value)
    }

    /// The square root.
    pub fn sqrt(&self, a: Term) -> Term {
        let (t, p) = (self.terms, self.format.precision);
        let x = self.unpack(a);
        let (exp, sig) = self.normalize(x.exp, x.sig);
        let odd = self.bit(exp, 0);
        // two bits before the point, then pairs of bits: p + 2 digits of the root
        let digits = p + 2;
        let wide = t.zero_extend(sig, p + 1);
        let radicand = t.ite(odd, t.bv_shl(wide, self.one(p + 1)), wide);
        let radicand = self.pad(radicand, 2 * digits - (p + 1));
        let width = digits + 2;
        let (mut root, mut rest) = (self.zeros(width), self.zeros(width));
        for k in (0..digits).rev() {
            let pair = t.extract(2 * k + 1, 2 * k, radicand);
            rest = t.concat(t.extract(width - 3, 0, rest), pair);
            let trial = t.concat(t.extract(width - 3, 0, root), t.bv(2, 1));
            let fits = t.bv_ule(trial, rest);
            rest = t.ite(fits, t.bv_sub(rest, trial), rest);
            root = t.concat(t.extract(width - 2, 0, root), t.bool_to_bv(fits, 1));
        }
        let inexact = t.not(self.is_null(rest));
        let sig = t.concat(t.extract(digits - 1, 0, root), t.bool_to_bv(inexact, 1));
        let half = t.bv_ashr(exp, self.exp(1));
        let finite = self.round(Term::FALSE, half, sig);
        let nan = t.or2(x.nan, t.and2(x.sign, t.not(x.zero)));
        let value = t.ite(t.or2(x.zero, x.inf), a, finite);
        t.ite(nan, self.nan_of(&[a]), value)
    }

    fn one(&self, width: u32) -> Term {
        self.terms.bool_to_bv(Term::TRUE, width)
    }

    /// The number rounded to an integer of the same format.
    pub fn round_to_integral(&self, mode: Rounding, a: Term) -> Term {
        let (t, p) = (self.terms, self.format.precision);
        let x = self.unpack(a);
        let last = self.exp(i64::from(p) - 1);
        let large = t.bv_sle(last, x.exp);
        // the point moves to between the integral and the fractional part
        let limit = self.exp(i64::from(p) + 1);
        let amount = t.bv_sub(last, x.exp);
        let amount = t.ite(t.bv_ult(limit, amount), limit, amount);
        let wide = self.pad(x.sig, p + 1);
        let moved = t.bv_lshr(wide, t.zero_resize(amount, 2 * p + 1));
        let whole = t.extract(2 * p, p + 1, moved);
        let fraction = t.extract(p, 0, moved);
        // a small number shifted out altogether still has a fraction, of less than a half
        let some = t.not(t.and2(
            self.is_null(fraction),
            self.is_null(self.lost(wide, moved, amount)),
        ));
        let half = self.bit(fraction, p);
        let beyond = t.not(self.is_null(t.extract(p - 1, 0, fraction)));
        let up = match mode {
            Rounding::NearestEven => t.and2(half, t.or2(beyond, self.bit(whole, 0))),
            Rounding::NearestAway => half,
            Rounding::Zero => Term::FALSE,
            Rounding::Down => t.and2(x.sign, some),
            Rounding::Up => t.and2(t.not(x.sign), some),
        };
        let sum = t.bv_add(t.zero_extend(whole, p + 1), t.bool_to_bv(up, p + 1));
        let rounded = self.round(x.sign, self.exp(i64::from(p)), sum);
        let same = t.or(&[large, x.inf, x.zero]);
        let value = t.ite(same, a, rounded);
        t.ite(x.nan, self.quiet(a), value)
    }

    /// The bits that a shift to the right lost.
    fn lost(&self, wide: Term, moved: Term, amount: Term) -> Term {
        let t = self.terms;
        let amount = t.zero_resize(amount, t.width(wide));
        t.bv_xor(t.bv_shl(moved, amount), wide)
    }
}
