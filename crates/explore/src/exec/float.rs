//! Floating point, computed on concrete numbers; a symbolic one is fixed to one value first, and the user is told.

use super::{Executor, Step, error};
use crate::code::{Fmt, Op, Opd};
use crate::left_out::LeftOutKind;
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::{Value, mask128, signed128};
use stet_llvm::{BinaryOp, CastOp, FloatPredicate};

/// The number with these bits.
pub(crate) fn decode(fmt: Fmt, bits: u64) -> f64 {
    match fmt {
        Fmt::F32 => f64::from(f32::from_bits(bits as u32)),
        Fmt::F64 => f64::from_bits(bits),
    }
}

/// The bits of a number, rounded to the format.
pub(crate) fn encode(fmt: Fmt, value: f64) -> u64 {
    match fmt {
        Fmt::F32 => u64::from((value as f32).to_bits()),
        Fmt::F64 => value.to_bits(),
    }
}

impl Executor<'_> {
    /// The bits of a floating-point operand; a symbolic one is fixed.
    pub(crate) fn float_bits(&mut self, state: &mut State, value: &Value, fmt: Fmt) -> Step<u64> {
        let width = match fmt {
            Fmt::F32 => 32,
            Fmt::F64 => 64,
        };
        Ok(self.concrete(state, value, width, "a floating-point number")? as u64)
    }

    pub(super) fn float_op(
        &mut self,
        state: &mut State,
        op: &Op,
        get: impl Fn(&State, Opd) -> Value,
    ) -> Step<Value> {
        match op {
            Op::FBin { op, fmt, a, b, .. } => {
                let (a, b) = (get(state, *a), get(state, *b));
                let (x, y) = (
                    self.float_bits(state, &a, *fmt)?,
                    self.float_bits(state, &b, *fmt)?,
                );
                Ok(Value::Int(float_binary(*op, *fmt, x, y)))
            }
            Op::FNeg { fmt, a, .. } => {
                let a = get(state, *a);
                let bits = self.float_bits(state, &a, *fmt)?;
                let sign = match fmt {
                    Fmt::F32 => 1 << 31,
                    Fmt::F64 => 1 << 63,
                };
                Ok(Value::Int(bits ^ sign))
            }
            Op::FCmp {
                pred, fmt, a, b, ..
            } => {
                let (a, b) = (get(state, *a), get(state, *b));
                let (x, y) = (
                    self.float_bits(state, &a, *fmt)?,
                    self.float_bits(state, &b, *fmt)?,
                );
                Ok(Value::bool(float_compare(
                    *pred,
                    decode(*fmt, x),
                    decode(*fmt, y),
                )))
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
                self.float_cast(state, *op, (*from, *to), u32::from(*width), &value)
            }
            _ => error(
                ErrorKind::Unsupported,
                "an unknown floating-point instruction",
            ),
        }
    }

    fn float_cast(
        &mut self,
        state: &mut State,
        op: CastOp,
        formats: (Option<Fmt>, Option<Fmt>),
        width: u32,
        value: &Value,
    ) -> Step<Value> {
        match formats {
            (Some(from), Some(to)) => {
                let bits = self.float_bits(state, value, from)?;
                if from == to {
                    return Ok(Value::Int(bits));
                }
                Ok(Value::Int(encode(to, decode(from, bits))))
            }
            (Some(from), None) => {
                let number = decode(from, self.float_bits(state, value, from)?);
                let result = match op {
                    CastOp::FpToSi => number as i128 as u128,
                    _ => number as u128,
                };
                Ok(Value::wide(result & mask128(width), width))
            }
            (None, Some(to)) => {
                let number = self.concrete(
                    state,
                    value,
                    width,
                    "an integer converted to floating point",
                )?;
                let bits = match (op, to) {
                    (CastOp::SiToFp, Fmt::F32) => {
                        u64::from((signed128(number, width) as f32).to_bits())
                    }
                    (CastOp::SiToFp, Fmt::F64) => (signed128(number, width) as f64).to_bits(),
                    (_, Fmt::F32) => u64::from((number as f32).to_bits()),
                    (_, Fmt::F64) => (number as f64).to_bits(),
                };
                Ok(Value::Int(bits))
            }
            (None, None) => error(
                ErrorKind::Unsupported,
                "a floating-point conversion between integers",
            ),
        }
    }

    /// A concrete number for a value: a symbolic one is fixed to its smallest possible value, and the user is told.
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
        let term = self.ctx.bits_term(value, width);
        let Some(number) = self.chain.minimum(&state.constraints, term) else {
            return self.undecided();
        };
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

fn float_binary(op: BinaryOp, fmt: Fmt, x: u64, y: u64) -> u64 {
    match fmt {
        Fmt::F32 => {
            let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
            let result = match op {
                BinaryOp::FAdd => x + y,
                BinaryOp::FSub => x - y,
                BinaryOp::FMul => x * y,
                BinaryOp::FDiv => x / y,
                _ => x % y,
            };
            u64::from(result.to_bits())
        }
        Fmt::F64 => {
            let (x, y) = (f64::from_bits(x), f64::from_bits(y));
            let result = match op {
                BinaryOp::FAdd => x + y,
                BinaryOp::FSub => x - y,
                BinaryOp::FMul => x * y,
                BinaryOp::FDiv => x / y,
                _ => x % y,
            };
            result.to_bits()
        }
    }
}

fn float_compare(pred: FloatPredicate, x: f64, y: f64) -> bool {
    let unordered = x.is_nan() || y.is_nan();
    match pred {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => x == y,
        FloatPredicate::Ogt => x > y,
        FloatPredicate::Oge => x >= y,
        FloatPredicate::Olt => x < y,
        FloatPredicate::Ole => x <= y,
        FloatPredicate::One => !unordered && x != y,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::Ueq => unordered || x == y,
        FloatPredicate::Ugt => unordered || x > y,
        FloatPredicate::Uge => unordered || x >= y,
        FloatPredicate::Ult => unordered || x < y,
        FloatPredicate::Ule => unordered || x <= y,
        FloatPredicate::Une => x != y,
        FloatPredicate::True => true,
    }
}
