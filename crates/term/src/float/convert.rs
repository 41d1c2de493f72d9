//! Conversions between formats, from and to integers, and of the 80-bit format of the x87.

use super::{EXP, FloatFormat, Floats};
use crate::{Bits, Term, Terms};

impl<'t> Floats<'t> {
    /// A number of this format as one of another.
    pub fn convert(&self, a: Term, to: FloatFormat) -> Term {
        if to == self.format {
            return a;
        }
        let t = self.terms;
        let target = Floats::new(t, to);
        let x = self.unpack(a);
        let finite = target.round(x.sign, x.exp, x.sig);
        let infinite = target.signed(x.sign, target.infinity());
        let (from_bits, to_bits) = (self.format.precision - 1, to.precision - 1);
        let payload = t.extract(from_bits - 1, 0, a);
        let payload = match from_bits.cmp(&to_bits) {
            std::cmp::Ordering::Less => self.pad(payload, to_bits - from_bits),
            _ => t.extract(from_bits - 1, from_bits - to_bits, payload),
        };
        let ones = t.bv_not(target.zeros(to.exponent));
        let nan = target.quiet(target.signed(x.sign, t.concat(ones, payload)));
        t.ite(x.nan, nan, t.ite(x.inf, infinite, finite))
    }

    /// The nearest number to an integer.
    pub fn from_int(&self, integer: Term, signed: bool) -> Term {
        let t = self.terms;
        let width = t.width(integer);
        let sign = match signed {
            true => self.bit(integer, width - 1),
            false => Term::FALSE,
        };
        let magnitude = t.ite(sign, t.bv_neg(integer), integer);
        self.round(sign, self.exp(i64::from(width) - 1), magnitude)
    }

    /// The number without its fraction as an integer, and whether it fits.
    pub fn to_int(&self, a: Term, width: u32, signed: bool) -> (Term, Term) {
        let (t, p) = (self.terms, self.format.precision);
        let x = self.unpack(a);
        let below_one = t.bv_slt(x.exp, self.exp(0));
        let limit = self.exp(i64::from(width));
        let amount = t.ite(t.bv_sle(limit, x.exp), limit, x.exp);
        let amount = t.ite(below_one, self.exp(0), amount);
        let total = (width + p).max(EXP);
        let moved = t.bv_shl(t.zero_extend(x.sig, total), t.zero_resize(amount, total));
        let whole = t.extract(width + p - 2, p - 1, moved);
        let magnitude = t.ite(below_one, self.zeros(width), whole);
        let small = t.bv_slt(x.exp, limit);
        let half = self.pad(t.bv(1, 1), width - 1);
        let fits = match signed {
            true => {
                let bound = t.bv_ult(magnitude, half);
                t.or2(bound, t.and2(x.sign, t.eq(magnitude, half)))
            }
            false => t.or2(t.not(x.sign), self.is_null(magnitude)),
        };
        let value = t.ite(x.sign, t.bv_neg(magnitude), magnitude);
        let fits = t.and(&[fits, small, t.not(x.nan), t.not(x.inf)]);
        (value, fits)
    }
}

/// The 80 bits of an x87 number as a number of [`FloatFormat::EXTENDED`]: its leading bit is hidden. Encodings that the
/// x87 refuses (a leading bit of zero with an exponent) become NaNs.
pub fn x87_to_ieee(terms: &Terms, a: Term) -> Term {
    let sign = terms.extract(79, 79, a);
    let exponent = terms.extract(78, 64, a);
    let leading = terms.eq(terms.extract(63, 63, a), terms.bv(1, 1));
    let fraction = terms.extract(62, 0, a);
    let low = terms.eq(exponent, terms.bv(15, 0));
    // a denormal with its leading bit set has the exponent of the smallest normal number
    let pseudo = terms.and2(low, leading);
    let field = terms.ite(pseudo, terms.bv(15, 1), exponent);
    let number = terms.concat(sign, terms.concat(field, fraction));
    let refused = terms.and2(terms.not(low), terms.not(leading));
    let nan = terms.bv_not(terms.bits(&Bits::new(79, 0)));
    terms.ite(refused, nan, number)
}

/// A number of [`FloatFormat::EXTENDED`] with the explicit leading bit of the x87.
pub fn ieee_to_x87(terms: &Terms, a: Term) -> Term {
    let exponent = terms.extract(77, 63, a);
    let normal = terms.not(terms.eq(exponent, terms.bv(15, 0)));
    let high = terms.concat(terms.extract(78, 63, a), terms.bool_to_bv(normal, 1));
    terms.concat(high, terms.extract(62, 0, a))
}
