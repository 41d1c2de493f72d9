//! Order of bit-vectors: `bvult` and `bvslt`; the others are these with arguments swapped or negated.

use crate::{Bits, Level, Op, Rule, Sort, Term, Terms};

impl Terms {
    /// `bvult`.
    pub fn bv_ult(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if self.at(Level::Cheap) {
            let (left, right) = (self.as_bits(a), self.as_bits(b));
            if let (Some(left), Some(right)) = (&left, &right) {
                self.fire(Rule::Fold);
                return self.bool(left.ult(right));
            }
            if let Some(simpler) = self.ult_cheap(a, b, left.as_ref(), right.as_ref()) {
                return simpler;
            }
            if self.at(Level::Full)
                && let Some(simpler) = self.ult_full(a, b, left.as_ref(), right.as_ref())
            {
                return simpler;
            }
        }
        self.intern(Op::BvUlt, &[a, b], Sort::BOOL)
    }

    fn ult_cheap(
        &self,
        a: Term,
        b: Term,
        left: Option<&Bits>,
        right: Option<&Bits>,
    ) -> Option<Term> {
        if a == b || right.is_some_and(Bits::is_zero) || left.is_some_and(Bits::is_ones) {
            self.fire(Rule::UltTrivial);
            return Some(Term::FALSE);
        }
        if left.is_some_and(Bits::is_zero) {
            self.fire(Rule::UltZero);
            return Some(self.not(self.eq(b, a)));
        }
        if right.is_some_and(Bits::is_one) {
            self.fire(Rule::UltOne);
            return Some(self.eq(a, self.bv(self.width(a), 0)));
        }
        if right.is_some_and(Bits::is_ones) {
            self.fire(Rule::UltMax);
            return Some(self.not(self.eq(a, b)));
        }
        let left = left?;
        let above = left.add(&Bits::new(left.width(), 1));
        if above.is_ones() {
            self.fire(Rule::UltMax);
            return Some(self.eq(b, self.bits(&above)));
        }
        None
    }

    fn ult_full(
        &self,
        a: Term,
        b: Term,
        left: Option<&Bits>,
        right: Option<&Bits>,
    ) -> Option<Term> {
        let (inner_a, inner_b) = (self.zero_extended(a), self.zero_extended(b));
        match (inner_a, inner_b, left, right) {
            (Some(x), Some(y), ..) => {
                self.fire(Rule::UltExtend);
                let width = self.width(x).max(self.width(y));
                return Some(self.bv_ult(self.zero_extend(x, width), self.zero_extend(y, width)));
            }
            (Some(x), _, _, Some(limit)) => {
                self.fire(Rule::UltExtend);
                return Some(match self.narrowed(limit, self.width(x)) {
                    Some(limit) => self.bv_ult(x, limit),
                    None => Term::TRUE,
                });
            }
            (_, Some(y), Some(limit), _) => {
                self.fire(Rule::UltExtend);
                return Some(match self.narrowed(limit, self.width(y)) {
                    Some(limit) => self.bv_ult(limit, y),
                    None => Term::FALSE,
                });
            }
            _ => {}
        }
        if let (Op::Concat, &[high_a, low_a]) = (self.op(a), self.args(a))
            && let (Op::Concat, &[high_b, low_b]) = (self.op(b), self.args(b))
            && high_a == high_b
        {
            self.fire(Rule::UltConcat);
            return Some(self.bv_ult(low_a, low_b));
        }
        None
    }

    /// What a zero-extension extends.
    pub(crate) fn zero_extended(&self, a: Term) -> Option<Term> {
        (self.op(a) == Op::ZeroExtend).then(|| self.args(a)[0])
    }

    pub(crate) fn sign_extended(&self, a: Term) -> Option<Term> {
        (self.op(a) == Op::SignExtend).then(|| self.args(a)[0])
    }

    /// The constant at a smaller width, if its value fits.
    pub(crate) fn narrowed(&self, value: &Bits, width: u32) -> Option<Term> {
        let low = value.extract(width - 1, 0);
        (low.zero_extend(value.width()) == *value).then(|| self.bits(&low))
    }

    /// `bvule`.
    pub fn bv_ule(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_ult(b, a))
    }

    /// `bvugt`.
    pub fn bv_ugt(&self, a: Term, b: Term) -> Term {
        self.bv_ult(b, a)
    }

    /// `bvuge`.
    pub fn bv_uge(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_ult(a, b))
    }

    /// `bvslt`.
    pub fn bv_slt(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if self.at(Level::Cheap) {
            let (left, right) = (self.as_bits(a), self.as_bits(b));
            if let (Some(left), Some(right)) = (&left, &right) {
                self.fire(Rule::Fold);
                return self.bool(left.slt(right));
            }
            let minimum = |bits: &Bits| bits.is_negative() && bits.power_of_two().is_some();
            let maximum = |bits: &Bits| minimum(&bits.not());
            if a == b || right.as_ref().is_some_and(minimum) || left.as_ref().is_some_and(maximum) {
                self.fire(Rule::SltTrivial);
                return Term::FALSE;
            }
            if self.at(Level::Full)
                && let Some(simpler) = self.slt_full(a, b, left.as_ref(), right.as_ref())
            {
                self.fire(Rule::SltExtend);
                return simpler;
            }
        }
        self.intern(Op::BvSlt, &[a, b], Sort::BOOL)
    }

    fn slt_full(
        &self,
        a: Term,
        b: Term,
        left: Option<&Bits>,
        right: Option<&Bits>,
    ) -> Option<Term> {
        // Zero-extensions are not negative, and every extension here is strict.
        let natural = |inner: Option<Term>, value: Option<&Bits>| {
            inner.is_some() || value.is_some_and(|bits| !bits.is_negative())
        };
        let (zero_a, zero_b) = (self.zero_extended(a), self.zero_extended(b));
        if natural(zero_a, left) && natural(zero_b, right) {
            return Some(self.bv_ult(a, b));
        }
        match (zero_a, zero_b, left, right) {
            (Some(_), _, _, Some(_)) => return Some(Term::FALSE),
            (_, Some(_), Some(_), _) => return Some(Term::TRUE),
            _ => {}
        }
        match (self.sign_extended(a), self.sign_extended(b), left, right) {
            (Some(x), Some(y), ..) => {
                let width = self.width(x).max(self.width(y));
                Some(self.bv_slt(self.sign_extend(x, width), self.sign_extend(y, width)))
            }
            (Some(x), _, _, Some(limit)) => {
                Some(match self.signed_narrowed(limit, self.width(x)) {
                    Some(limit) => self.bv_slt(x, limit),
                    None => self.bool(!limit.is_negative()),
                })
            }
            (_, Some(y), Some(limit), _) => {
                Some(match self.signed_narrowed(limit, self.width(y)) {
                    Some(limit) => self.bv_slt(limit, y),
                    None => self.bool(limit.is_negative()),
                })
            }
            _ => None,
        }
    }

    /// The constant at a smaller width, if its signed value fits.
    pub(crate) fn signed_narrowed(&self, value: &Bits, width: u32) -> Option<Term> {
        let low = value.extract(width - 1, 0);
        (low.sign_extend(value.width()) == *value).then(|| self.bits(&low))
    }

    /// `bvsle`.
    pub fn bv_sle(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_slt(b, a))
    }

    /// `bvsgt`.
    pub fn bv_sgt(&self, a: Term, b: Term) -> Term {
        self.bv_slt(b, a)
    }

    /// `bvsge`.
    pub fn bv_sge(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_slt(a, b))
    }
}
