//! Equality and distinctness.

use crate::{Bits, Level, Op, Rule, Sort, Term, Terms};

impl Terms {
    /// Equality of two terms of one sort; equivalence of truth values.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if !self.at(Level::Cheap) {
            return self.intern(Op::Eq, &[a, b], Sort::BOOL);
        }
        // Rules that peel one operator off both sides go round the loop: deep terms need no stack.
        let (mut left, mut right) = (a, b);
        loop {
            if left == right {
                self.fire(Rule::EqSame);
                return Term::TRUE;
            }
            let (a, b) = self.ordered(left, right);
            if self.is_value(a) && self.is_value(b) {
                self.fire(Rule::EqConstants);
                return Term::FALSE;
            }
            let bits = self.at(Level::Full) && self.sort(a).bv_width().is_some();
            if bits && let Some(peeled) = self.eq_peeled(a, b) {
                (left, right) = peeled;
                continue;
            }
            let simpler = match self.sort(a) {
                Sort::BOOL => self.eq_bool(a, b),
                _ if bits => self.eq_bits(a, b),
                _ => None,
            };
            return simpler.unwrap_or_else(|| self.intern(Op::Eq, &[a, b], Sort::BOOL));
        }
    }

    /// An equality with one operator less on each side.
    fn eq_peeled(&self, a: Term, b: Term) -> Option<(Term, Term)> {
        let Some(value) = self.as_bits(b) else {
            return self.eq_sums(a, b);
        };
        let args = self.args(a);
        let (rule, value) = match self.op(a) {
            Op::BvAdd => {
                let constant = self.as_bits(args[1])?;
                (Rule::EqAddConst, value.sub(&constant))
            }
            Op::BvNot => (Rule::EqNotConst, value.not()),
            Op::BvNeg => (Rule::EqNotConst, value.neg()),
            Op::BvXor => {
                let constant = self.as_bits(args[1])?;
                (Rule::EqNotConst, constant.xor(&value))
            }
            _ => return None,
        };
        self.fire(rule);
        Some((args[0], self.bits(&value)))
    }

    fn eq_bool(&self, a: Term, b: Term) -> Option<Term> {
        if b == Term::TRUE || b == Term::FALSE {
            self.fire(Rule::EqBool);
            return Some(if b == Term::TRUE { a } else { self.not(a) });
        }
        let negated = |term: Term| (self.op(term) == Op::Not).then(|| self.args(term)[0]);
        if self.complementary(a, b) {
            self.fire(Rule::EqBoolNot);
            return Some(Term::FALSE);
        }
        if let (Some(x), Some(y)) = (negated(a), negated(b)) {
            self.fire(Rule::EqBoolNot);
            return Some(self.eq(x, y));
        }
        None
    }

    fn eq_bits(&self, a: Term, b: Term) -> Option<Term> {
        match self.as_bits(b) {
            Some(value) => self.eq_const(a, &value),
            None => self.eq_terms(a, b),
        }
    }

    /// `a = value`, where `a` is not a constant.
    fn eq_const(&self, a: Term, value: &Bits) -> Option<Term> {
        let args = self.args(a);
        match self.op(a) {
            Op::ZeroExtend | Op::SignExtend => {
                self.fire(Rule::EqExtend);
                let width = self.width(args[0]);
                let narrow = match self.op(a) {
                    Op::ZeroExtend => self.narrowed(value, width),
                    _ => self.signed_narrowed(value, width),
                };
                Some(narrow.map_or(Term::FALSE, |value| self.eq(args[0], value)))
            }
            // Marked terms stay in one piece, so that who marks them recognises them.
            Op::Concat if self.marks(a) == 0 => {
                self.fire(Rule::EqConcat);
                let low = self.width(args[1]);
                let high = self.bits(&value.extract(value.width() - 1, low));
                let low = self.bits(&value.extract(low - 1, 0));
                let high = self.eq(args[0], high);
                if high == Term::FALSE {
                    return Some(Term::FALSE);
                }
                Some(self.and2(high, self.eq(args[1], low)))
            }
            Op::Ite => {
                let (x, y) = (self.as_bits(args[1])?, self.as_bits(args[2])?);
                self.fire(Rule::EqIteConst);
                Some(match (x == *value, y == *value) {
                    (true, _) => args[0],
                    (_, true) => self.not(args[0]),
                    _ => Term::FALSE,
                })
            }
            _ => None,
        }
    }

    fn eq_terms(&self, a: Term, b: Term) -> Option<Term> {
        let (left, right) = (self.args(a), self.args(b));
        match (self.op(a), self.op(b)) {
            (Op::ZeroExtend, Op::ZeroExtend) => {
                self.fire(Rule::EqExtend);
                let width = self.width(left[0]).max(self.width(right[0]));
                let (x, y) = (left[0], right[0]);
                Some(self.eq(self.zero_extend(x, width), self.zero_extend(y, width)))
            }
            (Op::SignExtend, Op::SignExtend) => {
                self.fire(Rule::EqExtend);
                let width = self.width(left[0]).max(self.width(right[0]));
                let (x, y) = (left[0], right[0]);
                Some(self.eq(self.sign_extend(x, width), self.sign_extend(y, width)))
            }
            (Op::Concat, Op::Concat)
                if self.marks(a) | self.marks(b) == 0
                    && self.width(left[0]) == self.width(right[0]) =>
            {
                self.fire(Rule::EqConcat);
                let (high, low) = (self.eq(left[0], right[0]), self.eq(left[1], right[1]));
                Some(self.and2(high, low))
            }
            _ => None,
        }
    }

    /// Cancels what both sides add.
    fn eq_sums(&self, a: Term, b: Term) -> Option<(Term, Term)> {
        if self.op(a) != Op::BvAdd && self.op(b) != Op::BvAdd {
            return None;
        }
        let mut left = self.summands(a);
        let mut right = self.summands(b);
        let before = left.len();
        left.retain(|term| match right.iter().position(|other| other == term) {
            Some(same) => {
                right.remove(same);
                false
            }
            None => true,
        });
        if left.len() == before {
            return None;
        }
        self.fire(Rule::EqAddSame);
        let zero = self.bv(self.width(a), 0);
        let sum = |terms: &[Term]| terms.iter().fold(zero, |sum, &term| self.bv_add(sum, term));
        Some((sum(&left), sum(&right)))
    }

    /// What a term adds up, in order; a very long sum is not taken apart to the end.
    fn summands(&self, sum: Term) -> Vec<Term> {
        const MOST: usize = 32;
        let mut found = Vec::new();
        let mut pending = vec![sum];
        while let Some(term) = pending.pop() {
            match (self.op(term), self.args(term)) {
                (Op::BvAdd, &[x, y]) if found.len() + pending.len() < MOST => {
                    pending.extend([y, x])
                }
                _ => found.push(term),
            }
        }
        found
    }

    pub fn distinct(&self, args: &[Term]) -> Term {
        match *args {
            [] | [_] => Term::TRUE,
            [a, b] if self.at(Level::Cheap) => {
                self.fire(Rule::DistinctPair);
                self.not(self.eq(a, b))
            }
            _ => self.intern(Op::Distinct, args, Sort::BOOL),
        }
    }
}
