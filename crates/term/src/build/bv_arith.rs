//! Addition, multiplication and division of bit-vectors.
//!
//! Subtraction is addition of the negation; a constant summand is the second argument, outermost.

use crate::{Bits, Level, Op, Rule, Term, Terms};

impl Terms {
    /// `bvadd`.
    pub fn bv_add(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if !self.at(Level::Cheap) {
            return self.intern(Op::BvAdd, &[a, b], self.sort(a));
        }
        if let Some(folded) = self.fold(a, b, Bits::add) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if let Some(constant) = self.as_bits(b) {
            if constant.is_zero() {
                self.fire(Rule::AddZero);
                return a;
            }
            if let Some((base, inner)) = self.constant_summand(a) {
                self.fire(Rule::AddConstants);
                return self.bv_add(base, self.bits(&inner.add(&constant)));
            }
        } else {
            if self.negatives(a, b) {
                self.fire(Rule::AddNegation);
                return self.bv(self.width(a), 0);
            }
            if let Some(floated) = self.float_constants(a, b) {
                return floated;
            }
        }
        self.intern(Op::BvAdd, &[a, b], self.sort(a))
    }

    /// `a = base + constant`.
    pub fn constant_summand(&self, a: Term) -> Option<(Term, Bits)> {
        match (self.op(a), self.args(a)) {
            (Op::BvAdd, &[base, constant]) => Some((base, self.as_bits(constant)?)),
            _ => None,
        }
    }

    fn negatives(&self, a: Term, b: Term) -> bool {
        (self.op(a) == Op::BvNeg && self.args(a)[0] == b)
            || (self.op(b) == Op::BvNeg && self.args(b)[0] == a)
    }

    /// Moves constants of summands to the outside, and cancels `base + x + -base`.
    fn float_constants(&self, a: Term, b: Term) -> Option<Term> {
        if !self.at(Level::Full) {
            return None;
        }
        let (left, right) = (self.constant_summand(a), self.constant_summand(b));
        let zero = || Bits::new(self.width(a), 0);
        let (x, c, y, d) = match (left, right) {
            (None, None) => return None,
            (Some((x, c)), None) => (x, c, b, zero()),
            (None, Some((y, d))) => (a, zero(), y, d),
            (Some((x, c)), Some((y, d))) => (x, c, y, d),
        };
        self.fire(Rule::AddFloat);
        Some(self.bv_add(self.bv_add(x, y), self.bits(&c.add(&d))))
    }

    /// `bvneg`.
    pub fn bv_neg(&self, a: Term) -> Term {
        if self.at(Level::Cheap) {
            if let Some(bits) = self.as_bits(a) {
                self.fire(Rule::Fold);
                return self.bits(&bits.neg());
            }
            if self.op(a) == Op::BvNeg {
                self.fire(Rule::NegNeg);
                return self.args(a)[0];
            }
            if self.at(Level::Full)
                && let Some((base, constant)) = self.constant_summand(a)
            {
                self.fire(Rule::NegAdd);
                return self.bv_add(self.bv_neg(base), self.bits(&constant.neg()));
            }
        }
        self.intern(Op::BvNeg, &[a], self.sort(a))
    }

    /// `bvsub`.
    pub fn bv_sub(&self, a: Term, b: Term) -> Term {
        self.bv_add(a, self.bv_neg(b))
    }

    /// `bvmul`.
    pub fn bv_mul(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if !self.at(Level::Cheap) {
            return self.intern(Op::BvMul, &[a, b], self.sort(a));
        }
        if let Some(folded) = self.fold(a, b, Bits::mul) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if let Some(constant) = self.as_bits(b)
            && let Some(simpler) = self.mul_const(a, b, &constant)
        {
            return simpler;
        }
        self.intern(Op::BvMul, &[a, b], self.sort(a))
    }

    fn mul_const(&self, a: Term, b: Term, constant: &Bits) -> Option<Term> {
        if constant.is_zero() {
            self.fire(Rule::MulZero);
            return Some(b);
        }
        if constant.is_one() || constant.is_ones() {
            self.fire(Rule::MulOne);
            return Some(if constant.is_one() { a } else { self.bv_neg(a) });
        }
        if let (Op::BvMul, &[base, inner]) = (self.op(a), self.args(a))
            && let Some(inner) = self.as_bits(inner)
        {
            self.fire(Rule::MulConstants);
            return Some(self.bv_mul(base, self.bits(&inner.mul(constant))));
        }
        if self.at(Level::Full)
            && let Some(exponent) = constant.power_of_two()
        {
            self.fire(Rule::MulPower);
            return Some(self.bv_shl(a, self.bv(constant.width(), exponent.into())));
        }
        None
    }

    /// `bvudiv`.
    pub fn bv_udiv(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(folded) = self.fold(a, b, Bits::udiv) {
            return folded;
        }
        if let Some(divisor) = self.divisor(b) {
            if divisor.is_zero() {
                self.fire(Rule::DivZero);
                return self.bits(&divisor.not());
            }
            if divisor.is_one() {
                self.fire(Rule::DivOne);
                return a;
            }
            if self.at(Level::Full)
                && let Some(exponent) = divisor.power_of_two()
            {
                self.fire(Rule::DivPower);
                return self.bv_lshr(a, self.bv(divisor.width(), exponent.into()));
            }
        }
        self.intern(Op::BvUdiv, &[a, b], self.sort(a))
    }

    fn divisor(&self, b: Term) -> Option<Bits> {
        if self.at(Level::Cheap) {
            self.as_bits(b)
        } else {
            None
        }
    }

    /// `bvurem`.
    pub fn bv_urem(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(folded) = self.fold(a, b, Bits::urem) {
            return folded;
        }
        if let Some(divisor) = self.divisor(b) {
            if divisor.is_zero() {
                self.fire(Rule::DivZero);
                return a;
            }
            if divisor.is_one() {
                self.fire(Rule::DivOne);
                return self.bv(self.width(a), 0);
            }
            if self.at(Level::Full)
                && let Some(exponent) = divisor.power_of_two()
            {
                self.fire(Rule::DivPower);
                let low = self.extract(exponent - 1, 0, a);
                return self.zero_extend(low, divisor.width());
            }
        }
        self.intern(Op::BvUrem, &[a, b], self.sort(a))
    }

    /// `bvsdiv`.
    pub fn bv_sdiv(&self, a: Term, b: Term) -> Term {
        self.signed_division(a, b, Op::BvSdiv)
    }

    /// `bvsrem`.
    pub fn bv_srem(&self, a: Term, b: Term) -> Term {
        self.signed_division(a, b, Op::BvSrem)
    }

    fn signed_division(&self, a: Term, b: Term, op: Op) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        let compute = if op == Op::BvSdiv {
            Bits::sdiv
        } else {
            Bits::srem
        };
        if let Some(folded) = self.fold(a, b, compute) {
            return folded;
        }
        // At width 1 the constant one is minus one, whose quotient is the negation: still `a`.
        if let Some(divisor) = self.divisor(b)
            && divisor.is_one()
        {
            self.fire(Rule::DivOne);
            return match op {
                Op::BvSdiv => a,
                _ => self.bv(self.width(a), 0),
            };
        }
        self.intern(op, &[a, b], self.sort(a))
    }
}
