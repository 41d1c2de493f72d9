//! Bitwise operators and shifts.

use crate::{Bits, Level, Op, Rule, Term, Terms};

impl Terms {
    /// `bvnot`.
    pub fn bv_not(&self, a: Term) -> Term {
        if self.at(Level::Cheap) {
            if let Some(bits) = self.as_bits(a) {
                self.fire(Rule::Fold);
                return self.bits(&bits.not());
            }
            if self.op(a) == Op::BvNot {
                self.fire(Rule::BitNotNot);
                return self.args(a)[0];
            }
        }
        self.intern(Op::BvNot, &[a], self.sort(a))
    }

    /// `bvand`.
    pub fn bv_and(&self, a: Term, b: Term) -> Term {
        self.bitwise(Op::BvAnd, Bits::and, a, b)
    }

    /// `bvor`.
    pub fn bv_or(&self, a: Term, b: Term) -> Term {
        self.bitwise(Op::BvOr, Bits::or, a, b)
    }

    /// `bvxor`.
    pub fn bv_xor(&self, a: Term, b: Term) -> Term {
        self.bitwise(Op::BvXor, Bits::xor, a, b)
    }

    fn bitwise(&self, op: Op, compute: fn(&Bits, &Bits) -> Bits, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if !self.at(Level::Cheap) {
            return self.intern(op, &[a, b], self.sort(a));
        }
        if let Some(folded) = self.fold(a, b, compute) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            self.fire(Rule::BitSame);
            return match op {
                Op::BvXor => self.bv(self.width(a), 0),
                _ => a,
            };
        }
        if self.bit_complements(a, b) {
            self.fire(Rule::BitComplement);
            let zero = Bits::new(self.width(a), 0);
            return self.bits(&if op == Op::BvAnd { zero } else { zero.not() });
        }
        if let Some(constant) = self.as_bits(b)
            && let Some(simpler) = self.bitwise_const(op, compute, a, &constant)
        {
            return simpler;
        }
        self.intern(op, &[a, b], self.sort(a))
    }

    fn bit_complements(&self, a: Term, b: Term) -> bool {
        (self.op(a) == Op::BvNot && self.args(a)[0] == b)
            || (self.op(b) == Op::BvNot && self.args(b)[0] == a)
    }

    fn bitwise_const(
        &self,
        op: Op,
        compute: fn(&Bits, &Bits) -> Bits,
        a: Term,
        constant: &Bits,
    ) -> Option<Term> {
        let (rule, simpler) = match (op, constant.is_zero(), constant.is_ones()) {
            (Op::BvAnd, true, _) => (Rule::BitAndUnit, Some(self.bits(constant))),
            (Op::BvAnd, _, true) => (Rule::BitAndUnit, Some(a)),
            (Op::BvOr, true, _) => (Rule::BitOrUnit, Some(a)),
            (Op::BvOr, _, true) => (Rule::BitOrUnit, Some(self.bits(constant))),
            (Op::BvXor, true, _) => (Rule::BitXorUnit, Some(a)),
            (Op::BvXor, _, true) => (Rule::BitXorUnit, Some(self.bv_not(a))),
            _ => (Rule::BitConstants, None),
        };
        if simpler.is_some() {
            self.fire(rule);
            return simpler;
        }
        if self.op(a) == op
            && let Some(inner) = self.as_bits(self.args(a)[1])
        {
            self.fire(Rule::BitConstants);
            let both = self.bits(&compute(&inner, constant));
            return Some(self.bitwise(op, compute, self.args(a)[0], both));
        }
        if op == Op::BvAnd && self.at(Level::Full) {
            let width = constant.width();
            let above = constant.add(&Bits::new(width, 1));
            if let Some(low) = above.power_of_two() {
                self.fire(Rule::BitAndMask);
                return Some(self.zero_extend(self.extract(low - 1, 0, a), width));
            }
        }
        None
    }

    /// `bvshl`.
    pub fn bv_shl(&self, a: Term, b: Term) -> Term {
        self.shift(Op::BvShl, Bits::shl, a, b)
    }

    /// `bvlshr`.
    pub fn bv_lshr(&self, a: Term, b: Term) -> Term {
        self.shift(Op::BvLshr, Bits::lshr, a, b)
    }

    /// `bvashr`.
    pub fn bv_ashr(&self, a: Term, b: Term) -> Term {
        self.shift(Op::BvAshr, Bits::ashr, a, b)
    }

    fn shift(&self, op: Op, compute: fn(&Bits, &Bits) -> Bits, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if !self.at(Level::Cheap) {
            return self.intern(op, &[a, b], self.sort(a));
        }
        if let Some(folded) = self.fold(a, b, compute) {
            return folded;
        }
        if self.as_bits(a).is_some_and(|bits| bits.is_zero()) {
            self.fire(Rule::ShiftZero);
            return a;
        }
        let Some(amount) = self.as_bits(b) else {
            return self.intern(op, &[a, b], self.sort(a));
        };
        if amount.is_zero() {
            self.fire(Rule::ShiftZero);
            return a;
        }
        let width = self.width(a);
        let amount = amount.value_u64().unwrap_or(u64::MAX);
        if amount >= width.into() {
            self.fire(Rule::ShiftOut);
            return match op {
                Op::BvAshr => self.sign_extend(self.extract(width - 1, width - 1, a), width),
                _ => self.bv(width, 0),
            };
        }
        if !self.at(Level::Full) {
            return self.intern(op, &[a, b], self.sort(a));
        }
        self.fire(Rule::ShiftConst);
        let amount = amount as u32;
        match op {
            Op::BvShl => self.concat(self.extract(width - 1 - amount, 0, a), self.bv(amount, 0)),
            Op::BvLshr => self.zero_extend(self.extract(width - 1, amount, a), width),
            _ => self.sign_extend(self.extract(width - 1, amount, a), width),
        }
    }
}
