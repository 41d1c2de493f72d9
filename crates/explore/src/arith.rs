//! Integer arithmetic, comparisons and conversions on values.
//!
//! Concrete operands are computed directly. A pointer stays a pointer under addition, subtraction and changes of
//! its low bits (bases are aligned); the difference of pointers into one object is a number; every other concrete operation uses the hidden base,
//! which is exact for this state. Anything symbolic becomes a term.

use crate::address::{BASE_ALIGN, GLOBAL_START, HEAP_START};
use crate::value::{Ctx, Value, mask, mask128, signed, signed128};
use stet_llvm::{BinaryOp, CastOp, IntPredicate};
use stet_term::Term;

/// Integer arithmetic. The caller has excluded division by zero.
#[inline]
pub(crate) fn binary(ctx: &Ctx, op: BinaryOp, width: u32, a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) if width <= 64 => {
            if let Some(result) = small(op, width, *x, *y) {
                return Value::Int(result);
            }
            Value::Int(0)
        }
        _ => binary_slow(ctx, op, width, a, b),
    }
}

/// Arithmetic on numbers of at most 64 bits; `None` where LLVM's result is poison or undefined.
#[inline]
fn small(op: BinaryOp, width: u32, x: u64, y: u64) -> Option<u64> {
    let m = mask(width);
    let result = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl if y < u64::from(width) => x << y,
        BinaryOp::LShr if y < u64::from(width) => x >> y,
        BinaryOp::AShr if y < u64::from(width) => (signed(x, width) >> y) as u64,
        BinaryOp::UDiv => x.checked_div(y)?,
        BinaryOp::URem => x.checked_rem(y)?,
        BinaryOp::SDiv => match y {
            0 => return None,
            _ => signed(x, width).wrapping_div(signed(y, width)) as u64,
        },
        BinaryOp::SRem => match y {
            0 => return None,
            _ => signed(x, width).wrapping_rem(signed(y, width)) as u64,
        },
        _ => return None,
    };
    Some(result & m)
}

fn big(op: BinaryOp, width: u32, x: u128, y: u128) -> Option<u128> {
    let result = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl if y < u128::from(width) => x << y,
        BinaryOp::LShr if y < u128::from(width) => x >> y,
        BinaryOp::AShr if y < u128::from(width) => (signed128(x, width) >> y) as u128,
        BinaryOp::UDiv => x.checked_div(y)?,
        BinaryOp::URem => x.checked_rem(y)?,
        BinaryOp::SDiv => match y {
            0 => return None,
            _ => signed128(x, width).wrapping_div(signed128(y, width)) as u128,
        },
        BinaryOp::SRem => match y {
            0 => return None,
            _ => signed128(x, width).wrapping_rem(signed128(y, width)) as u128,
        },
        _ => return None,
    };
    Some(result & mask128(width))
}

fn binary_slow(ctx: &Ctx, op: BinaryOp, width: u32, a: &Value, b: &Value) -> Value {
    if let Some(value) = ctx.undefined_result(op, a, b) {
        return value;
    }
    if width == 64
        && let Some(value) = pointer_arithmetic(op, a, b)
    {
        return number_if_no_address(ctx, value);
    }
    if width <= 128
        && let (Some(x), Some(y)) = (ctx.number128(a), ctx.number128(b))
    {
        return Value::wide(big(op, width, x, y).unwrap_or(0), width);
    }
    if width == 1 {
        return flag_arithmetic(ctx, op, a, b);
    }
    let (x, y) = (ctx.term(a, width), ctx.term(b, width));
    ctx.value(term_binary(ctx, op, x, y), width)
}

fn term_binary(ctx: &Ctx, op: BinaryOp, x: Term, y: Term) -> Term {
    let terms = &ctx.terms;
    match op {
        BinaryOp::Add => terms.bv_add(x, y),
        BinaryOp::Sub => terms.bv_sub(x, y),
        BinaryOp::Mul => terms.bv_mul(x, y),
        BinaryOp::UDiv => terms.bv_udiv(x, y),
        BinaryOp::SDiv => terms.bv_sdiv(x, y),
        BinaryOp::URem => terms.bv_urem(x, y),
        BinaryOp::SRem => terms.bv_srem(x, y),
        BinaryOp::Shl => terms.bv_shl(x, y),
        BinaryOp::LShr => terms.bv_lshr(x, y),
        BinaryOp::AShr => terms.bv_ashr(x, y),
        BinaryOp::And => terms.bv_and(x, y),
        BinaryOp::Or => terms.bv_or(x, y),
        BinaryOp::Xor => terms.bv_xor(x, y),
        _ => {
            stet_base::never!("floating-point arithmetic on terms");
            x
        }
    }
}

fn flag_arithmetic(ctx: &Ctx, op: BinaryOp, a: &Value, b: &Value) -> Value {
    let (x, y) = (ctx.term(a, 1), ctx.term(b, 1));
    let terms = &ctx.terms;
    let result = match op {
        BinaryOp::And | BinaryOp::Mul => terms.and2(x, y),
        BinaryOp::Or => terms.or2(x, y),
        BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => terms.xor(x, y),
        // a shift by one is excluded, a division by zero too
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => x,
        _ => Term::FALSE,
    };
    ctx.value(result, 1)
}

/// What keeps its meaning under every layout.
fn pointer_arithmetic(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    let low = |bits: u64| bits < BASE_ALIGN;
    Some(match (op, a, b) {
        (BinaryOp::Add, Value::Ptr(o, x), Value::Int(y))
        | (BinaryOp::Add, Value::Int(y), Value::Ptr(o, x)) => Value::Ptr(*o, x.wrapping_add(*y)),
        (BinaryOp::Sub, Value::Ptr(o, x), Value::Int(y)) => Value::Ptr(*o, x.wrapping_sub(*y)),
        (BinaryOp::Sub, Value::Ptr(o, x), Value::Ptr(p, y)) if o == p => {
            Value::Int(x.wrapping_sub(*y))
        }
        (BinaryOp::And, Value::Ptr(o, x), Value::Int(y))
        | (BinaryOp::And, Value::Int(y), Value::Ptr(o, x)) => {
            if low(!y) {
                Value::Ptr(*o, x & y)
            } else if low(*y) {
                Value::Int(x & y)
            } else {
                return None;
            }
        }
        (BinaryOp::Or, Value::Ptr(o, x), Value::Int(y))
        | (BinaryOp::Or, Value::Int(y), Value::Ptr(o, x))
            if low(*y) =>
        {
            Value::Ptr(*o, x | y)
        }
        (BinaryOp::Xor, Value::Ptr(o, x), Value::Int(y))
        | (BinaryOp::Xor, Value::Int(y), Value::Ptr(o, x))
            if low(*y) =>
        {
            Value::Ptr(*o, x ^ y)
        }
        (BinaryOp::URem, Value::Ptr(_, x), Value::Int(y)) if y.is_power_of_two() && low(y - 1) => {
            Value::Int(x % y)
        }
        _ => return None,
    })
}

/// A sum like `(n - p) + q`, with pointers p and q into one object, is a number; optimisers write differences so. It arrives here as q's
/// object with the offset that undoes its address. No pointer into the object can be where none of its kind is, so the sum is taken as
/// the number it is: otherwise a program without symbolic input would ask the solver.
fn number_if_no_address(ctx: &Ctx, value: Value) -> Value {
    let Value::Ptr(object, offset) = value else {
        return value;
    };
    let base = ctx.addresses.base_of(object);
    let address = base.wrapping_add(offset);
    let start = if base < HEAP_START {
        GLOBAL_START
    } else {
        HEAP_START
    };
    if address < start || address >> 63 == 1 {
        Value::Int(address)
    } else {
        value
    }
}

/// A comparison of integers or pointers.
#[inline]
pub(crate) fn compare(ctx: &Ctx, pred: IntPredicate, width: u32, a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) if width <= 64 => {
            Value::bool(compare_small(pred, width, *x, *y))
        }
        (Value::Ptr(o, x), Value::Ptr(p, y)) if o == p && width == 64 => {
            // offsets may be negative; within one object their order is the order of addresses
            let base = ctx.addresses.base_of(*o);
            Value::bool(compare_small(
                pred,
                64,
                base.wrapping_add(*x),
                base.wrapping_add(*y),
            ))
        }
        _ => compare_slow(ctx, pred, width, a, b),
    }
}

#[inline]
fn compare_small(pred: IntPredicate, width: u32, x: u64, y: u64) -> bool {
    match pred {
        IntPredicate::Eq => x == y,
        IntPredicate::Ne => x != y,
        IntPredicate::Ugt => x > y,
        IntPredicate::Uge => x >= y,
        IntPredicate::Ult => x < y,
        IntPredicate::Ule => x <= y,
        IntPredicate::Sgt => signed(x, width) > signed(y, width),
        IntPredicate::Sge => signed(x, width) >= signed(y, width),
        IntPredicate::Slt => signed(x, width) < signed(y, width),
        IntPredicate::Sle => signed(x, width) <= signed(y, width),
    }
}

fn compare_slow(ctx: &Ctx, pred: IntPredicate, width: u32, a: &Value, b: &Value) -> Value {
    if width <= 128
        && let (Some(x), Some(y)) = (ctx.number128(a), ctx.number128(b))
    {
        let (s, t) = (signed128(x, width), signed128(y, width));
        return Value::bool(match pred {
            IntPredicate::Eq => x == y,
            IntPredicate::Ne => x != y,
            IntPredicate::Ugt => x > y,
            IntPredicate::Uge => x >= y,
            IntPredicate::Ult => x < y,
            IntPredicate::Ule => x <= y,
            IntPredicate::Sgt => s > t,
            IntPredicate::Sge => s >= t,
            IntPredicate::Slt => s < t,
            IntPredicate::Sle => s <= t,
        });
    }
    if let Some(other) = ctx.used_again(a, b) {
        return compare_slow(ctx, pred, width, a, &other);
    }
    let terms = &ctx.terms;
    if width == 1 && matches!(pred, IntPredicate::Eq | IntPredicate::Ne) {
        let differ = terms.xor(ctx.term(a, 1), ctx.term(b, 1));
        let term = if pred == IntPredicate::Eq {
            terms.not(differ)
        } else {
            differ
        };
        return ctx.value(term, 1);
    }
    let (x, y) = (ctx.bits_term(a, width), ctx.bits_term(b, width));
    let term = match pred {
        IntPredicate::Eq => terms.eq(x, y),
        IntPredicate::Ne => terms.not(terms.eq(x, y)),
        IntPredicate::Ugt => terms.bv_ugt(x, y),
        IntPredicate::Uge => terms.bv_uge(x, y),
        IntPredicate::Ult => terms.bv_ult(x, y),
        IntPredicate::Ule => terms.bv_ule(x, y),
        IntPredicate::Sgt => terms.bv_sgt(x, y),
        IntPredicate::Sge => terms.bv_sge(x, y),
        IntPredicate::Slt => terms.bv_slt(x, y),
        IntPredicate::Sle => terms.bv_sle(x, y),
    };
    ctx.value(term, 1)
}

/// Conversions between integers and pointers.
#[inline]
pub(crate) fn cast(ctx: &Ctx, op: CastOp, from: u32, to: u32, a: &Value) -> Value {
    match (op, a) {
        (CastOp::SExt, Value::Int(x)) if to <= 64 => Value::Int(signed(*x, from) as u64 & mask(to)),
        (CastOp::SExt, _) => cast_slow(ctx, op, from, to, a),
        (_, Value::Int(x)) if to <= 64 => Value::Int(x & mask(to)),
        (_, Value::Ptr(..)) if to == 64 => a.clone(),
        _ => cast_slow(ctx, op, from, to, a),
    }
}

fn cast_slow(ctx: &Ctx, op: CastOp, from: u32, to: u32, a: &Value) -> Value {
    // a number is zero-extended, so only sign extension beyond 128 bits needs a term
    if (op != CastOp::SExt || to <= 128)
        && let Some(x) = ctx.number128(a)
    {
        let x = match op {
            CastOp::SExt => signed128(x, from) as u128,
            _ => x,
        };
        return Value::wide(x, to);
    }
    if from == to {
        return a.clone();
    }
    let terms = &ctx.terms;
    let x = ctx.term(a, from);
    if from == 1 {
        return match op {
            CastOp::SExt => ctx.value(terms.sign_extend(terms.bool_to_bv(x, 1), to), to),
            _ => ctx.value(terms.bool_to_bv(x, to), to),
        };
    }
    if to == 1 {
        return ctx.flag(terms.extract(0, 0, x));
    }
    let term = match op {
        CastOp::SExt => terms.sign_resize(x, to),
        _ => terms.zero_resize(x, to),
    };
    ctx.value(term, to)
}
