//! Floating-point instructions: computed on concrete numbers, circuits of terms where an operand is symbolic.
//!
//! Only remainders (and functions without a circuit, such as `sin`) fix a symbolic operand to one value, which is recorded
//! as left out.

use super::{Executor, Step, error};
use crate::code::{Fmt, Op, Opd};
use crate::left_out::LeftOutKind;
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::softfloat;
use crate::state::State;
use crate::value::{Ctx, Value, mask128};
use stet_llvm::{BinaryOp, CastOp, FloatPredicate};
use stet_term::{Floats, Term, ieee_to_x87, x87_to_ieee};

impl Ctx {
    /// The circuits of a format.
    pub(crate) fn floats(&self, fmt: Fmt) -> Floats<'_> {
        Floats::new(&self.terms, fmt.format())
    }

    /// A number as a term for circuits.
    pub(crate) fn float_term(&self, value: &Value, fmt: Fmt) -> Term {
        let term = self.bits_term(value, fmt.bits());
        match fmt {
            Fmt::F80 => x87_to_ieee(&self.terms, term),
            _ => term,
        }
    }

    /// The value of a circuit's result.
    pub(crate) fn float_value(&self, term: Term, fmt: Fmt) -> Value {
        let term = match fmt {
            Fmt::F80 => ieee_to_x87(&self.terms, term),
            _ => term,
        };
        self.value(term, fmt.bits())
    }
}

impl Executor<'_> {
    pub(super) fn float_op(
        &mut self,
        state: &mut State,
        op: &Op,
        get: impl Fn(&State, Opd) -> Value,
    ) -> Step<Value> {
        match op {
            Op::FBin { op, fmt, a, b, .. } => {
                let (a, b) = (get(state, *a), get(state, *b));
                self.float_binary(state, *op, *fmt, &a, &b)
            }
            Op::FNeg { fmt, a, .. } => {
                let sign = Value::wide(fmt.sign(), fmt.bits());
                let a = get(state, *a);
                let flipped = crate::arith::binary(&self.ctx, BinaryOp::Xor, fmt.bits(), &a, &sign);
                Ok(flipped)
            }
            Op::FCmp {
                pred, fmt, a, b, ..
            } => {
                let (a, b) = (get(state, *a), get(state, *b));
                Ok(self.float_compare(*pred, *fmt, &a, &b))
            }
            Op::FCast {
                op,
                from,
                to,
                width,
                a,
                ..
            } => {
                let value = get(state, *a);
                self.float_cast(*op, (*from, *to), u32::from(*width), &value)
            }
            _ => error(
                ErrorKind::Unsupported,
                "an unknown floating-point instruction",
            ),
        }
    }

    /// `a op b`.
    pub(crate) fn float_binary(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        fmt: Fmt,
        a: &Value,
        b: &Value,
    ) -> Step<Value> {
        if op != BinaryOp::FRem {
            return Ok(self.float_arithmetic(op, fmt, a, b));
        }
        let what = "an operand of a floating-point remainder";
        let x = self.concrete(state, a, fmt.bits(), what)?;
        let y = self.concrete(state, b, fmt.bits(), what)?;
        Ok(Value::wide(softfloat::binary(op, fmt, x, y), fmt.bits()))
    }

    /// A sum, difference, product or quotient.
    pub(crate) fn float_arithmetic(&self, op: BinaryOp, fmt: Fmt, a: &Value, b: &Value) -> Value {
        debug_assert!(op != BinaryOp::FRem, "remainders have no circuit");
        if let (Some(x), Some(y)) = (self.ctx.number128(a), self.ctx.number128(b)) {
            return Value::wide(softfloat::binary(op, fmt, x, y), fmt.bits());
        }
        let floats = self.ctx.floats(fmt);
        let (x, y) = (self.ctx.float_term(a, fmt), self.ctx.float_term(b, fmt));
        let result = match op {
            BinaryOp::FAdd => floats.add(x, y),
            BinaryOp::FSub => floats.sub(x, y),
            BinaryOp::FMul => floats.mul(x, y),
            _ => floats.div(x, y),
        };
        self.ctx.float_value(result, fmt)
    }

    pub(crate) fn float_compare(
        &self,
        predicate: FloatPredicate,
        fmt: Fmt,
        a: &Value,
        b: &Value,
    ) -> Value {
        if let (Some(x), Some(y)) = (self.ctx.number128(a), self.ctx.number128(b)) {
            return Value::bool(softfloat::compare(predicate, fmt, x, y));
        }
        let (floats, t) = (self.ctx.floats(fmt), &self.ctx.terms);
        let (x, y) = (self.ctx.float_term(a, fmt), self.ctx.float_term(b, fmt));
        let unordered = || t.not(floats.ordered(x, y));
        let differ = || t.or2(floats.lt(x, y), floats.lt(y, x));
        let term = match predicate {
            FloatPredicate::False => Term::FALSE,
            FloatPredicate::Oeq => floats.eq(x, y),
            FloatPredicate::Ogt => floats.lt(y, x),
            FloatPredicate::Oge => floats.le(y, x),
            FloatPredicate::Olt => floats.lt(x, y),
            FloatPredicate::Ole => floats.le(x, y),
            FloatPredicate::One => differ(),
            FloatPredicate::Ord => floats.ordered(x, y),
            FloatPredicate::Uno => unordered(),
            FloatPredicate::Ueq => t.not(differ()),
            FloatPredicate::Ugt => t.not(floats.le(x, y)),
            FloatPredicate::Uge => t.not(floats.lt(x, y)),
            FloatPredicate::Ult => t.not(floats.le(y, x)),
            FloatPredicate::Ule => t.not(floats.lt(y, x)),
            FloatPredicate::Une => t.not(floats.eq(x, y)),
            FloatPredicate::True => Term::TRUE,
        };
        self.ctx.value(term, 1)
    }

    fn float_cast(
        &mut self,
        op: CastOp,
        formats: (Option<Fmt>, Option<Fmt>),
        width: u32,
        value: &Value,
    ) -> Step<Value> {
        match formats {
            (Some(from), Some(to)) => {
                if let Some(x) = self.ctx.number128(value) {
                    let converted = softfloat::convert(from, to, x);
                    return Ok(Value::wide(converted, to.bits()));
                }
                let term = self.ctx.float_term(value, from);
                let converted = self.ctx.floats(from).convert(term, to.format());
                Ok(self.ctx.float_value(converted, to))
            }
            (Some(from), None) => Ok(self.float_to_int(from, value, width, op == CastOp::FpToSi)),
            (None, Some(to)) => Ok(self.int_to_float(to, value, width, op == CastOp::SiToFp)),
            (None, None) => error(
                ErrorKind::Unsupported,
                "a floating-point conversion between integers",
            ),
        }
    }

    fn int_to_float(&self, to: Fmt, value: &Value, width: u32, signed: bool) -> Value {
        if let Some(number) = self.ctx.number128(value) {
            let bits = softfloat::from_int(to, number, width, signed);
            return Value::wide(bits, to.bits());
        }
        let term = self.ctx.bits_term(value, width);
        self.ctx
            .float_value(self.ctx.floats(to).from_int(term, signed), to)
    }

    /// A conversion as x86 does it: through 32 or 64 bits, and to the "integer indefinite" where it does not fit, which C
    /// leaves undefined.
    pub(crate) fn float_to_int(&self, from: Fmt, value: &Value, width: u32, signed: bool) -> Value {
        let (through, signed) = match (width, signed) {
            (0..=31, _) => (32, true),
            (32, false) => (64, true),
            _ => (width, signed),
        };
        let indefinite = Value::wide(1 << (through - 1), through);
        let (whole, fits) = self.whole(from, value, through, signed);
        let chosen = self.select(&fits, &whole, &indefinite, through);
        crate::arith::cast(&self.ctx, CastOp::Trunc, through, width, &chosen)
    }

    /// The integral part as an integer, and whether it fits.
    pub(crate) fn whole(
        &self,
        from: Fmt,
        value: &Value,
        width: u32,
        signed: bool,
    ) -> (Value, Value) {
        if let Some(number) = self.ctx.number128(value) {
            let (whole, fits) = softfloat::to_int(from, number, width, signed);
            return (Value::wide(whole, width), Value::bool(fits));
        }
        let term = self.ctx.float_term(value, from);
        let (whole, fits) = self.ctx.floats(from).to_int(term, width, signed);
        (self.ctx.value(whole, width), self.ctx.value(fits, 1))
    }

    /// A concrete number for a value: a symbolic one with several possibilities is fixed to the smallest, which is recorded.
    pub(crate) fn concrete(
        &mut self,
        state: &mut State,
        value: &Value,
        width: u32,
        what: &str,
    ) -> Step<u128> {
        if let Some(number) = self.ctx.number128(value) {
            return Ok(number);
        }
        if matches!(value, Value::Agg(_)) {
            return error(
                ErrorKind::Unsupported,
                format!("{what} that is an aggregate"),
            );
        }
        let value = self.defined_value(state, value, width);
        if let Some(number) = self.ctx.number128(&value) {
            return Ok(number);
        }
        let term = self.ctx.bits_term(&value, width);
        let number = match crate::seeds::value(self, state, term) {
            Some(number) => number,
            None => match self.chain.minimum(&state.constraints, term) {
                Some(number) => number,
                None => return self.undecided(),
            },
        };
        let number = number & mask128(width);
        let constant = self.ctx.wide_term(number, self.ctx.terms.width(term));
        let fixed = self.ctx.terms.eq(term, constant);
        if self.truth(state, fixed)? != Truth::True {
            let what = format!("{what} is symbolic and was fixed to one value");
            self.leave_out(state, LeftOutKind::Fixed, &what);
            self.assume(state, fixed);
        }
        Ok(number)
    }
}
