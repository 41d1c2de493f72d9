//! Extraction, concatenation and extension.
//!
//! Concatenations nest to the right, so that bytes read from memory and put together again meet their
//! neighbours: adjacent extracts of one term become one extract.

use crate::{Bits, Level, Op, Rule, Sort, Term, Terms};

/// How many operators an extract is pushed through; bounds the stack on deep terms.
const EXTRACT_FUEL: u32 = 8;

impl Terms {
    /// `(_ extract high low)`.
    pub fn extract(&self, high: u32, low: u32, a: Term) -> Term {
        self.extract_within(high, low, a, EXTRACT_FUEL)
    }

    fn extract_within(&self, high: u32, low: u32, a: Term, fuel: u32) -> Term {
        debug_assert!(low <= high && high < self.width(a));
        if !self.at(Level::Cheap) {
            return self.intern_extract(high, low, a);
        }
        // One loop: each round looks one operator deeper, so deep terms need no stack.
        let (mut high, mut low, mut a) = (high, low, a);
        loop {
            let width = high - low + 1;
            if width == self.width(a) {
                self.fire(Rule::ExtractAll);
                return a;
            }
            if let Some(bits) = self.as_bits(a) {
                self.fire(Rule::Fold);
                return self.bits(&bits.extract(high, low));
            }
            let args = self.args(a);
            match self.op(a) {
                Op::Extract { low: inner, .. } => {
                    self.fire(Rule::ExtractExtract);
                    (high, low, a) = (high + inner, low + inner, args[0]);
                }
                Op::Concat if self.at(Level::Full) => {
                    let split = self.width(args[1]);
                    self.fire(Rule::ExtractConcat);
                    if low >= split {
                        (high, low, a) = (high - split, low - split, args[0]);
                    } else if high < split {
                        a = args[1];
                    } else {
                        let upper = self.extract(high - split, 0, args[0]);
                        return self.concat(upper, self.extract(split - 1, low, args[1]));
                    }
                }
                Op::ZeroExtend | Op::SignExtend if self.at(Level::Full) => {
                    let inside = self.width(args[0]);
                    self.fire(Rule::ExtractExtend);
                    if high < inside {
                        a = args[0];
                        continue;
                    }
                    return self.extract_above(width, low, a, args[0]);
                }
                Op::Ite
                    if self.at(Level::Full) && args[1..].iter().all(|&b| self.is_bv_const(b)) =>
                {
                    self.fire(Rule::ExtractIte);
                    let [x, y] = [1, 2].map(|i| self.extract(high, low, args[i]));
                    return self.ite(args[0], x, y);
                }
                _ => return self.extract_low(high, low, a, fuel),
            }
        }
    }

    fn intern_extract(&self, high: u32, low: u32, a: Term) -> Term {
        self.intern(Op::Extract { high, low }, &[a], Sort::bv(high - low + 1))
    }

    /// An extract that reaches above the inside of an extension.
    fn extract_above(&self, width: u32, low: u32, extension: Term, inner: Term) -> Term {
        let inside = self.width(inner);
        let signed = self.op(extension) == Op::SignExtend;
        if low < inside {
            let part = self.extract(inside - 1, low, inner);
            return match signed {
                true => self.sign_extend(part, width),
                false => self.zero_extend(part, width),
            };
        }
        match signed {
            true => self.sign_extend(self.extract(inside - 1, inside - 1, inner), width),
            false => self.bv(width, 0),
        }
    }

    /// Low bits of operators whose low bits depend on low bits only; taken when one side becomes simpler
    /// at once, so that it does not descend through a whole term.
    fn extract_low(&self, high: u32, low: u32, a: Term, fuel: u32) -> Term {
        let slices = |term: Term| {
            matches!(
                self.op(term),
                Op::Bv(_) | Op::BigBv(_) | Op::ZeroExtend | Op::SignExtend | Op::Concat
            ) || matches!(self.op(term), Op::Extract { .. })
        };
        let op = self.op(a);
        let bitwise = matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor);
        let arithmetic = low == 0 && matches!(op, Op::BvAdd | Op::BvMul);
        let args = self.args(a);
        let pushes = self.at(Level::Full) && fuel > 0 && (bitwise || arithmetic);
        if !pushes || !args.iter().all(|&b| slices(b)) {
            return self.intern_extract(high, low, a);
        }
        self.fire(Rule::ExtractLow);
        let [x, y] = [0, 1].map(|i| self.extract_within(high, low, args[i], fuel - 1));
        self.build_bv(op, x, y, Sort::bv(high - low + 1))
    }

    /// `concat`, `a` above `b`.
    pub fn concat(&self, a: Term, b: Term) -> Term {
        let width = self.width(a) + self.width(b);
        if !self.at(Level::Cheap) {
            return self.intern(Op::Concat, &[a, b], Sort::bv(width));
        }
        if let Some(folded) = self.fold(a, b, Bits::concat) {
            return folded;
        }
        if let (Op::Concat, &[x, y]) = (self.op(a), self.args(a)) {
            self.fire(Rule::ConcatNest);
            return self.concat(x, self.concat(y, b));
        }
        if let Some(merged) = self.merge_extracts(a, b) {
            self.fire(Rule::ConcatExtracts);
            return merged;
        }
        if let (Op::Concat, &[x, y]) = (self.op(b), self.args(b)) {
            if let (Some(high), Some(low)) = (self.as_bits(a), self.as_bits(x)) {
                self.fire(Rule::ConcatConstants);
                return self.concat(self.bits(&high.concat(&low)), y);
            }
            if let Some(merged) = self.merge_extracts(a, x) {
                self.fire(Rule::ConcatExtracts);
                return self.concat(merged, y);
            }
        }
        if self.at(Level::Full) && self.as_bits(a).is_some_and(|bits| bits.is_zero()) {
            self.fire(Rule::ConcatZero);
            return self.zero_extend(b, width);
        }
        self.intern(Op::Concat, &[a, b], Sort::bv(width))
    }

    /// One extract for two adjacent ones of the same term.
    fn merge_extracts(&self, a: Term, b: Term) -> Option<Term> {
        match (self.op(a), self.op(b)) {
            (Op::Extract { high, low: middle }, Op::Extract { high: below, low }) => {
                let whole = self.args(a)[0];
                (whole == self.args(b)[0] && middle == below + 1)
                    .then(|| self.extract(high, low, whole))
            }
            _ => None,
        }
    }

    /// Zero-extension to a width at least that of `a`.
    pub fn zero_extend(&self, a: Term, width: u32) -> Term {
        debug_assert!(width >= self.width(a));
        if self.at(Level::Cheap) {
            if width == self.width(a) {
                self.fire(Rule::ExtendSame);
                return a;
            }
            if let Some(bits) = self.as_bits(a) {
                self.fire(Rule::Fold);
                return self.bits(&bits.zero_extend(width));
            }
            if let Some(inner) = self.zero_extended(a) {
                self.fire(Rule::ExtendExtend);
                return self.zero_extend(inner, width);
            }
        }
        if width == self.width(a) {
            return a;
        }
        self.intern(Op::ZeroExtend, &[a], Sort::bv(width))
    }

    /// Sign-extension to a width at least that of `a`.
    pub fn sign_extend(&self, a: Term, width: u32) -> Term {
        debug_assert!(width >= self.width(a));
        if self.at(Level::Cheap) {
            if width == self.width(a) {
                self.fire(Rule::ExtendSame);
                return a;
            }
            if let Some(bits) = self.as_bits(a) {
                self.fire(Rule::Fold);
                return self.bits(&bits.sign_extend(width));
            }
            if let Some(inner) = self.sign_extended(a) {
                self.fire(Rule::ExtendExtend);
                return self.sign_extend(inner, width);
            }
            if self.zero_extended(a).is_some() {
                self.fire(Rule::ExtendExtend);
                return self.zero_extend(a, width);
            }
        }
        if width == self.width(a) {
            return a;
        }
        self.intern(Op::SignExtend, &[a], Sort::bv(width))
    }

    /// Cut or zero-extend to a width.
    pub fn zero_resize(&self, a: Term, width: u32) -> Term {
        if width < self.width(a) {
            self.extract(width - 1, 0, a)
        } else {
            self.zero_extend(a, width)
        }
    }

    /// Cut or sign-extend to a width.
    pub fn sign_resize(&self, a: Term, width: u32) -> Term {
        if width < self.width(a) {
            self.extract(width - 1, 0, a)
        } else {
            self.sign_extend(a, width)
        }
    }

    /// A truth value as a bit-vector: one or zero.
    pub fn bool_to_bv(&self, a: Term, width: u32) -> Term {
        self.ite(a, self.bv(width, 1), self.bv(width, 0))
    }
}
