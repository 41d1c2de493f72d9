//! Adders, multipliers, dividers.

use super::{Blaster, Slice};
use crate::Reason;
use crate::gates::Lit;
use stet_base::Budget;
use stet_term::{Op, Term, Terms};

impl Blaster {
    fn ripple(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
        debug_assert!(
            !a.is_empty() && a.len() == b.len(),
            "words of one width are added"
        );
        let mut carry = carry;
        let last = a.len() - 1;
        let mut sum = Vec::with_capacity(a.len());
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            if i == last {
                let half = self.gates.xor(a, b);
                sum.push(self.gates.xor(half, carry));
            } else {
                let (bit, next) = self.gates.full_add(a, b, carry);
                sum.push(bit);
                carry = next;
            }
        }
        sum
    }

    /// A sum; `a + -b` is one subtraction instead of a negation and an addition.
    pub(super) fn add_terms(
        &mut self,
        terms: &Terms,
        args: &[Term],
        bits: &[Vec<Lit>],
    ) -> Vec<Lit> {
        for (negative, other) in [(1, 0), (0, 1)] {
            if terms.op(args[negative]) == Op::BvNeg
                && let Some(inner) = self.bits_of(terms.args(args[negative])[0])
            {
                let inverted: Vec<Lit> = inner.iter().map(|&lit| !lit).collect();
                return self.ripple(&bits[other], &inverted, Lit::TRUE);
            }
        }
        self.ripple(&bits[0], &bits[1], Lit::FALSE)
    }

    pub(super) fn negated(&mut self, bits: &[Lit]) -> Vec<Lit> {
        let inverted: Vec<Lit> = bits.iter().map(|&lit| !lit).collect();
        let zeros = vec![Lit::FALSE; bits.len()];
        self.ripple(&inverted, &zeros, Lit::TRUE)
    }

    /// Shift and add, over the rows of the operand with fewer bits that are not zero.
    pub(super) fn multiply(
        &mut self,
        a: &[Lit],
        b: &[Lit],
        budget: &Budget,
    ) -> Result<Vec<Lit>, Reason> {
        debug_assert_eq!(a.len(), b.len(), "words of one width are multiplied");
        let rows = |bits: &[Lit]| bits.iter().filter(|&&lit| lit != Lit::FALSE).count();
        let (rows, base) = if rows(a) < rows(b) { (a, b) } else { (b, a) };
        if let Some(product) = self.multiply_constant(rows, base) {
            return Ok(product);
        }
        let mut product = vec![Lit::FALSE; a.len()];
        for (shift, &row) in rows.iter().enumerate() {
            if row == Lit::FALSE {
                continue;
            }
            if shift.is_multiple_of(8) {
                budget.check()?;
            }
            let partial: Vec<Lit> = base[..base.len() - shift]
                .iter()
                .map(|&lit| self.gates.and(lit, row))
                .collect();
            let upper = self.ripple(&product[shift..], &partial, Lit::FALSE);
            product[shift..].copy_from_slice(&upper);
        }
        Ok(product)
    }

    /// By a constant in non-adjacent form: runs of ones are one addition and one subtraction.
    fn multiply_constant(&mut self, constant: &[Lit], base: &[Lit]) -> Option<Vec<Lit>> {
        if !constant.iter().all(|lit| lit.is_constant()) {
            return None;
        }
        let width = base.len();
        let mut product = vec![Lit::FALSE; width];
        let mut carry = false;
        for shift in 0..width {
            let one = constant[shift] == Lit::TRUE;
            if one == carry {
                continue; // digit zero: nothing, or one and one carried on
            }
            // An odd digit: minus one if the next bit is one too, else plus one.
            let minus = shift + 1 < width && constant[shift + 1] == Lit::TRUE;
            let row: Vec<Lit> = base[..width - shift]
                .iter()
                .map(|&lit| if minus { !lit } else { lit })
                .collect();
            let upper = self.ripple(&product[shift..], &row, Lit::constant(minus));
            product[shift..].copy_from_slice(&upper);
            carry = minus;
        }
        Some(product)
    }

    pub(super) fn divide(
        &mut self,
        term: Term,
        op: Op,
        args: &[Term],
        bits: &[Vec<Lit>],
        budget: &Budget,
    ) -> Result<Vec<Lit>, Reason> {
        let (a, b) = (&bits[0], &bits[1]);
        match op {
            Op::BvUdiv | Op::BvUrem => {
                let (quotient, remainder) = match self.divisions.get(&(args[0], args[1])) {
                    Some(&both) => both,
                    None => {
                        let (q, r) = self.unsigned_division(a, b, budget)?;
                        let both: (Slice, Slice) = (self.keep(&q), self.keep(&r));
                        self.divisions.insert((args[0], args[1]), both);
                        both
                    }
                };
                let wanted = if op == Op::BvUdiv {
                    quotient
                } else {
                    remainder
                };
                Ok(self.slice(wanted).to_vec())
            }
            _ => {
                debug_assert!(matches!(op, Op::BvSdiv | Op::BvSrem), "{term:?}");
                let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
                let (abs_a, abs_b) = (self.magnitude(a), self.magnitude(b));
                let (q, r) = self.unsigned_division(&abs_a, &abs_b, budget)?;
                let (result, negative) = match op {
                    Op::BvSdiv => (q, self.gates.xor(sign_a, sign_b)),
                    _ => (r, sign_a),
                };
                Ok(self.negated_if(&result, negative))
            }
        }
    }

    fn magnitude(&mut self, bits: &[Lit]) -> Vec<Lit> {
        self.negated_if(bits, bits[bits.len() - 1])
    }

    /// Inverts and adds one, both under a condition.
    fn negated_if(&mut self, bits: &[Lit], condition: Lit) -> Vec<Lit> {
        let flipped: Vec<Lit> = bits
            .iter()
            .map(|&lit| self.gates.xor(lit, condition))
            .collect();
        let zeros = vec![Lit::FALSE; bits.len()];
        self.ripple(&flipped, &zeros, condition)
    }

    /// Restoring division. By zero every step succeeds: all ones and the dividend, as SMT-LIB wants.
    fn unsigned_division(
        &mut self,
        a: &[Lit],
        b: &[Lit],
        budget: &Budget,
    ) -> Result<(Vec<Lit>, Vec<Lit>), Reason> {
        debug_assert_eq!(a.len(), b.len(), "words of one width are divided");
        let width = a.len();
        let mut quotient = vec![Lit::FALSE; width];
        let mut remainder: Vec<Lit> = Vec::new();
        for step in (0..width).rev() {
            budget.check()?;
            remainder.insert(0, a[step]);
            // The remainder has grown to at most `width + 1` bits; compare with as many of `b`.
            let size = remainder.len();
            let mut divisor: Vec<Lit> = b.iter().copied().take(size).collect();
            divisor.resize(size, Lit::FALSE);
            let above: Vec<Lit> = b.iter().skip(size).map(|&lit| !lit).collect();
            let fits = self.gates.and_all(&above);
            let less = self.gates.less(&remainder, &divisor);
            let taken = self.gates.and(fits, !less);
            let inverted: Vec<Lit> = divisor.iter().map(|&lit| !lit).collect();
            let difference = self.ripple(&remainder, &inverted, Lit::TRUE);
            remainder = self.choice(taken, &difference, &remainder);
            quotient[step] = taken;
            // After a step the remainder is below the divisor, or the divisor is zero and the
            // remainder is a prefix of the dividend: in both cases `width` bits hold it.
            remainder.truncate(width);
        }
        Ok((quotient, remainder))
    }
}
