//! Inline assembly that computes with words: double-word sums and differences, products and quotients, positions of bits; and what
//! it asks of the processor. `lower/asm.rs` recognises it and orders the operands; several results are parts of one value.

use super::{Run, arg, width};
use crate::arith::{binary, cast, compare};
use crate::code::CallOp;
use crate::exec::{Executor, Step, error};
use crate::left_out::LeftOutKind;
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;
use stet_llvm::{BinaryOp, CastOp, IntPredicate};

/// The operation with a name without its `llvm.stet.` and the width at its end.
pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "add2.low_first" => {
            |executor, _, call, args| Ok(double(executor, call, args, BinaryOp::Add, true))
        }
        "add2.high_first" => {
            |executor, _, call, args| Ok(double(executor, call, args, BinaryOp::Add, false))
        }
        "sub2.low_first" => {
            |executor, _, call, args| Ok(double(executor, call, args, BinaryOp::Sub, true))
        }
        "sub2.high_first" => {
            |executor, _, call, args| Ok(double(executor, call, args, BinaryOp::Sub, false))
        }
        "mul2" => |executor, _, call, args| {
            let bits = width(call, 0);
            let (a, b) = (
                wide(executor, bits, &arg(args, 0)),
                wide(executor, bits, &arg(args, 1)),
            );
            let product = binary(&executor.ctx, BinaryOp::Mul, 2 * bits, &a, &b);
            Ok(Some(halves(executor, bits, &product, true)))
        },
        "div2" => divide,
        "bsf" => |executor, _, call, args| {
            let bits = width(call, 0);
            let place = super::intrinsics::trailing_zeroes(&executor.ctx, bits, &arg(args, 0));
            Ok(Some(resized(executor, call, &place)))
        },
        "bsr" => |executor, _, call, args| {
            let bits = width(call, 0);
            let zeroes = super::intrinsics::leading_zeroes(&executor.ctx, bits, &arg(args, 0));
            let last = Value::wide(u128::from(bits) - 1, bits);
            let place = binary(&executor.ctx, BinaryOp::Sub, bits, &last, &zeroes);
            Ok(Some(resized(executor, call, &place)))
        },
        "cpuid" => |executor, state, _, _| {
            let what = "the processor is taken for one without any extension";
            executor.leave_out(state, LeftOutKind::Assumed, what);
            Ok(Some(Value::Agg(vec![Value::Int(0); 4].into())))
        },
        "rdtsc" => |executor, state, _, _| {
            let what = "the processor's counter of cycles stands still";
            executor.leave_out(state, LeftOutKind::Assumed, what);
            Ok(Some(Value::Agg(vec![Value::Int(0); 2].into())))
        },
        _ => return None,
    })
}

/// The place of a bit in a result that may be narrower than the operand. (The processor leaves it open for zero.)
fn resized(executor: &Executor<'_>, call: &CallOp, place: &Value) -> Value {
    match (width(call, 0), call.result_width) {
        (from, to) if to < from => cast(&executor.ctx, CastOp::Trunc, from, to, place),
        _ => place.clone(),
    }
}

/// A word in twice its width.
fn wide(executor: &Executor<'_>, bits: u32, value: &Value) -> Value {
    cast(&executor.ctx, CastOp::ZExt, bits, 2 * bits, value)
}

/// Two words as one value.
fn joined(executor: &Executor<'_>, bits: u32, high: &Value, low: &Value) -> Value {
    let ctx = &executor.ctx;
    let amount = Value::wide(u128::from(bits), 2 * bits);
    let high = binary(
        ctx,
        BinaryOp::Shl,
        2 * bits,
        &wide(executor, bits, high),
        &amount,
    );
    binary(
        ctx,
        BinaryOp::Or,
        2 * bits,
        &high,
        &wide(executor, bits, low),
    )
}

/// The words of a value, the low one first or last.
fn halves(executor: &Executor<'_>, bits: u32, value: &Value, is_low_first: bool) -> Value {
    let ctx = &executor.ctx;
    let amount = Value::wide(u128::from(bits), 2 * bits);
    let shifted = binary(ctx, BinaryOp::LShr, 2 * bits, value, &amount);
    let low = cast(ctx, CastOp::Trunc, 2 * bits, bits, value);
    let high = cast(ctx, CastOp::Trunc, 2 * bits, bits, &shifted);
    Value::Agg(match is_low_first {
        true => [low, high].into(),
        false => [high, low].into(),
    })
}

/// A sum or difference of (low, other low, high, other high).
fn double(
    executor: &Executor<'_>,
    call: &CallOp,
    args: &[Value],
    op: BinaryOp,
    is_low_first: bool,
) -> Option<Value> {
    let bits = width(call, 0);
    let a = joined(executor, bits, &arg(args, 2), &arg(args, 0));
    let b = joined(executor, bits, &arg(args, 3), &arg(args, 1));
    let result = binary(&executor.ctx, op, 2 * bits, &a, &b);
    Some(halves(executor, bits, &result, is_low_first))
}

/// Quotient and remainder of (low, high) by a word. The processor traps where the quotient has no room, as for zero.
fn divide(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let bits = width(call, 0);
    let (high, divisor) = (arg(args, 1), arg(args, 2));
    let ctx = executor.ctx.clone();
    let fits = compare(&ctx, IntPredicate::Ult, bits, &high, &divisor);
    let is_one = ctx.terms.eq(ctx.bits_term(&fits, 1), ctx.terms.bv(1, 1));
    match executor.truth(state, is_one)? {
        Truth::True => {}
        Truth::False => {
            let message = "a division by zero, or with a quotient that is too large, in assembly";
            return error(ErrorKind::DivisionByZero, message);
        }
        _ => {
            let message = "a division in assembly whose quotient may be too large";
            executor.leave_out(state, LeftOutKind::Refused, message);
            return error(ErrorKind::Unsupported, message);
        }
    }
    let whole = joined(executor, bits, &high, &arg(args, 0));
    let by = wide(executor, bits, &divisor);
    let part = |op| {
        let result = binary(&ctx, op, 2 * bits, &whole, &by);
        cast(&ctx, CastOp::Trunc, 2 * bits, bits, &result)
    };
    let parts = [part(BinaryOp::UDiv), part(BinaryOp::URem)];
    Ok(Some(Value::Agg(parts.into())))
}
