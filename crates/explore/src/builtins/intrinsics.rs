//! LLVM's intrinsics on integers, memory, varargs and the stack. Vector forms work lane by lane.

use super::{Run, arg, memory, width};
use crate::arith::{binary, cast, compare};
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Step, error};
use crate::left_out::LeftOutKind;
use crate::memory::Region;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::{Ctx, Value, mask, mask128, signed128};
use stet_llvm::{BinaryOp, CastOp, IntPredicate};
use stet_term::{Term, Terms};

/// The intrinsic with a name without its `llvm.`.
pub(super) fn find(name: &str) -> Option<Run> {
    let starts = |prefix: &str| name.starts_with(prefix);
    Some(match name {
        _ if starts("memcpy.") || starts("memmove.") => memory::copy,
        _ if starts("memset.") => memory::fill,
        _ if starts("va_start") => va_start,
        _ if starts("va_copy") => va_copy,
        _ if starts("va_end") => |_, _, _, _| Ok(None),
        _ if starts("stacksave") => |_, _, _, _| Ok(Some(Value::Int(0))),
        _ if starts("invariant.start") => |_, _, _, _| Ok(Some(Value::Int(0))),
        _ if starts("invariant.end") => |_, _, _, _| Ok(None),
        _ if starts("stackrestore") => |_, _, _, _| Ok(None),
        "trap" | "debugtrap" | "ubsantrap" => {
            |_, _, _, _| error(ErrorKind::Abort, "the program trapped")
        }
        _ if starts("expect.")
            || starts("expect.with")
            || starts("launder.")
            || starts("strip.")
            || starts("ssa.copy")
            || starts("annotation.")
            || starts("ptr.annotation.")
            // the operand is the running thread's own variable already
            || starts("threadlocal.address")
            || starts("arithmetic.fence") =>
        {
            |_, _, _, args| Ok(Some(arg(args, 0)))
        }
        _ if starts("objectsize.") => |executor, state, call, args| {
            let known = match arg(args, 0) {
                Value::Ptr(object, offset) => state
                    .memory
                    .get(object)
                    .map(|content| content.size().wrapping_sub(offset)),
                _ => None,
            };
            let least = executor.ctx.number(&arg(args, 1)) == Some(1);
            let unknown = if least { 0 } else { u64::MAX };
            Ok(Some(Value::Int(
                known.unwrap_or(unknown) & mask(call.result_width),
            )))
        },
        // what stands in the text as a constant is one; the value of a register is none, whatever it is on this path
        _ if starts("is.constant.") => |_, _, call, _| {
            let is_written = |arg: &crate::code::Arg| arg.value.0 & crate::code::Opd::CONST != 0;
            Ok(Some(Value::bool(call.args.first().is_some_and(is_written))))
        },
        _ if starts("load.relative.") => load_relative,
        _ if starts("ptrmask.") => |executor, _, _, args| {
            Ok(Some(binary(
                &executor.ctx,
                BinaryOp::And,
                64,
                &arg(args, 0),
                &arg(args, 1),
            )))
        },
        "returnaddress" | "frameaddress.p0" | "frameaddress" | "sponentry.p0" => {
            |executor, state, _, _| {
                let what = "an address of the machine's stack was taken to be zero";
                executor.leave_out(state, LeftOutKind::Assumed, what);
                Ok(Some(Value::Int(0)))
            }
        }
        _ if starts("eh.typeid.for") => {
            |executor, _, _, args| Ok(Some(Value::Int(executor.selector(&arg(args, 0)))))
        }
        "flt.rounds" | "get.rounding" => |_, _, _, _| Ok(Some(Value::Int(1))),
        "readcyclecounter" | "readsteadycounter" => |executor, state, _, _| {
            executor.leave_out(
                state,
                LeftOutKind::Assumed,
                "a counter of cycles stands still",
            );
            Ok(Some(Value::Int(0)))
        },
        _ if starts("vector.reduce.") => reduce,
        _ if starts("sadd.")
            || starts("uadd.")
            || starts("ssub.")
            || starts("usub.")
            || starts("smul.")
            || starts("umul.") =>
        {
            overflow
        }
        _ if starts("umin.")
            || starts("umax.")
            || starts("smin.")
            || starts("smax.")
            || starts("abs.")
            || starts("bswap.")
            || starts("bitreverse.")
            || starts("ctpop.")
            || starts("ctlz.")
            || starts("cttz.")
            || starts("fshl.")
            || starts("fshr.")
            || starts("ucmp.")
            || starts("scmp.")
            || starts("ushl.sat")
            || starts("sshl.sat") =>
        {
            integer
        }
        _ => match name.strip_prefix("x86.") {
            Some(name) => return super::x86::find(name),
            None => return super::math::find_intrinsic(name),
        },
    })
}

/// A pointer from a table of distances from its start, 32 bits each.
fn load_relative(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let ctx = executor.ctx.clone();
    let (table, bits) = (arg(args, 0), width(call, 1));
    let offset = match bits {
        64 => arg(args, 1),
        _ => cast(&ctx, CastOp::SExt, bits, 64, &arg(args, 1)),
    };
    let place = binary(&ctx, BinaryOp::Add, 64, &table, &offset);
    let distance = executor.load(state, &place, &MemTy::Scalar(32))?;
    let distance = cast(&ctx, CastOp::SExt, 32, 64, &distance);
    if let (Value::Ptr(object, at), Value::Int(distance)) = (&table, &distance) {
        // the distance leads to another object, which only the address names
        let base = ctx.addresses.base_of(*object);
        let address = base.wrapping_add(*at).wrapping_add(*distance);
        return Ok(Some(Value::Int(address)));
    }
    Ok(Some(binary(&ctx, BinaryOp::Add, 64, &table, &distance)))
}

/// The name of the intrinsic being called, without its `llvm.`.
fn name_of(executor: &Executor<'_>) -> String {
    let name = executor.callee_name();
    name.trim_start_matches("llvm.").to_owned()
}

/// The element width of the first argument; vectors say it in their type.
fn element_width(call: &CallOp) -> u32 {
    match call.args.first().map(|arg| &arg.ty) {
        Some(MemTy::Scalar(bits)) => *bits,
        Some(MemTy::Packed { bits, .. }) => *bits,
        Some(MemTy::Parts { parts, .. }) => {
            parts.first().map_or(64, |(_, ty)| ty.size() as u32 * 8)
        }
        None => 64,
    }
}

/// Intrinsics compute on at most 128 bits.
fn too_wide(name: &str, width: u32) -> Step {
    if width <= 128 {
        return Ok(());
    }
    error(
        ErrorKind::Unsupported,
        format!("the intrinsic `llvm.{name}` on integers of {width} bits is not supported"),
    )
}

/// Applies a function to scalars or to each lane.
fn by_lane(args: &[Value], f: &dyn Fn(&[Value]) -> Value) -> Value {
    let count = args.iter().find_map(|arg| match arg {
        Value::Agg(lanes) => Some(lanes.len()),
        _ => None,
    });
    let Some(count) = count else {
        return f(args);
    };
    let lane = |arg: &Value, k: usize| match arg {
        Value::Agg(lanes) => lanes.get(k).cloned().unwrap_or(Value::Int(0)),
        scalar => scalar.clone(),
    };
    let values = (0..count).map(|k| f(&args.iter().map(|arg| lane(arg, k)).collect::<Vec<_>>()));
    Value::Agg(values.collect())
}

fn integer(
    executor: &mut Executor<'_>,
    _: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = name_of(executor);
    let kind = name.split('.').next().unwrap_or("").to_owned();
    let width = element_width(call);
    too_wide(&name, width)?;
    let result_width = call.result_width;
    let this = &*executor;
    let value = by_lane(args, &|args| {
        one_integer(this, &kind, width, result_width, args)
    });
    Ok(Some(value))
}

fn one_integer(
    executor: &Executor<'_>,
    kind: &str,
    width: u32,
    result_width: u32,
    args: &[Value],
) -> Value {
    let ctx = &executor.ctx;
    let (a, b) = (arg(args, 0), arg(args, 1));
    let pick = |pred| {
        let first = compare(ctx, pred, width, &a, &b);
        executor.select(&first, &a, &b, width)
    };
    match kind {
        "umin" => pick(IntPredicate::Ult),
        "umax" => pick(IntPredicate::Ugt),
        "smin" => pick(IntPredicate::Slt),
        "smax" => pick(IntPredicate::Sgt),
        "abs" => {
            let zero = Value::wide(0, width);
            let negative = compare(ctx, IntPredicate::Slt, width, &a, &zero);
            let negated = binary(ctx, BinaryOp::Sub, width, &zero, &a);
            executor.select(&negative, &negated, &a, width)
        }
        "ucmp" | "scmp" => {
            let (less, more) = match kind {
                "ucmp" => (IntPredicate::Ult, IntPredicate::Ugt),
                _ => (IntPredicate::Slt, IntPredicate::Sgt),
            };
            let less = compare(ctx, less, width, &a, &b);
            let more = compare(ctx, more, width, &a, &b);
            let result = result_width.max(2);
            let not_less = executor.select(
                &more,
                &Value::wide(1, result),
                &Value::wide(0, result),
                result,
            );
            executor.select(&less, &Value::wide(u128::MAX, result), &not_less, result)
        }
        "ushl" | "sshl" => saturating_shift(executor, kind, width, &a, &b),
        "fshl" | "fshr" => funnel(ctx, kind == "fshl", width, &a, &b, &arg(args, 2)),
        _ => counted(ctx, kind, width, &a),
    }
}

/// How many zeroes stand before the highest set bit; the width for zero.
pub(super) fn leading_zeroes(ctx: &Ctx, width: u32, value: &Value) -> Value {
    counted(ctx, "ctlz", width, value)
}

/// How many zeroes stand after the lowest set bit; the width for zero.
pub(super) fn trailing_zeroes(ctx: &Ctx, width: u32, value: &Value) -> Value {
    counted(ctx, "cttz", width, value)
}

fn counted(ctx: &Ctx, kind: &str, width: u32, value: &Value) -> Value {
    match ctx.number128(value) {
        Some(number) => Value::wide(count_or_swap(kind, width, number), width),
        None => {
            let term = ctx.bits_term(value, width);
            ctx.value(symbolic_count_or_swap(ctx, kind, width, term), width)
        }
    }
}

fn saturating_shift(
    executor: &Executor<'_>,
    kind: &str,
    width: u32,
    a: &Value,
    b: &Value,
) -> Value {
    let ctx = &executor.ctx;
    let (back, limit) = match kind {
        "ushl" => (BinaryOp::LShr, Value::wide(u128::MAX, width)),
        _ => {
            let negative = compare(ctx, IntPredicate::Slt, width, a, &Value::wide(0, width));
            let lowest = Value::wide(1 << (width - 1), width);
            let highest = Value::wide((1 << (width - 1)) - 1, width);
            (
                BinaryOp::AShr,
                executor.select(&negative, &lowest, &highest, width),
            )
        }
    };
    let shifted = binary(ctx, BinaryOp::Shl, width, a, b);
    let again = binary(ctx, back, width, &shifted, b);
    let exact = compare(ctx, IntPredicate::Eq, width, &again, a);
    executor.select(&exact, &shifted, &limit, width)
}

fn count_or_swap(kind: &str, width: u32, number: u128) -> u128 {
    match kind {
        "bswap" => number.swap_bytes() >> (128 - width),
        "bitreverse" => number.reverse_bits() >> (128 - width),
        "ctpop" => u128::from(number.count_ones()),
        "ctlz" => u128::from(number.leading_zeros() - (128 - width)),
        _ => u128::from(number.trailing_zeros().min(width)),
    }
}

fn symbolic_count_or_swap(ctx: &Ctx, kind: &str, width: u32, term: Term) -> Term {
    let terms = &ctx.terms;
    let bit = |k: u32| terms.extract(k, k, term);
    match kind {
        "bswap" => {
            let byte = |k: u32| terms.extract(k * 8 + 7, k * 8, term);
            (1..width / 8).fold(byte(0), |sum, k| terms.concat(sum, byte(k)))
        }
        "bitreverse" => (1..width).fold(bit(0), |sum, k| terms.concat(sum, bit(k))),
        "ctpop" => {
            let wide = |k: u32| terms.zero_resize(bit(k), width);
            (1..width).fold(wide(0), |sum, k| terms.bv_add(sum, wide(k)))
        }
        _ => {
            // the first set bit decides
            let none = ctx.wide_term(u128::from(width), width);
            let set = |k: u32| terms.eq(bit(k), terms.bv(1, 1));
            let leading = kind == "ctlz";
            (0..width).fold(none, |rest, k| {
                let place = if leading { k } else { width - 1 - k };
                let count = if leading { width - 1 - place } else { place };
                terms.ite(set(place), ctx.wide_term(u128::from(count), width), rest)
            })
        }
    }
}

fn funnel(ctx: &Ctx, left: bool, width: u32, a: &Value, b: &Value, amount: &Value) -> Value {
    let numbers = (ctx.number128(a), ctx.number128(b), ctx.number128(amount));
    if let (Some(a), Some(b), Some(amount)) = numbers {
        let amount = (amount % u128::from(width)) as u32;
        let value = match (left, amount) {
            (true, 0) => a,
            (true, _) => a << amount | b >> (width - amount),
            (false, 0) => b,
            (false, _) => b >> amount | a << (width - amount),
        };
        return Value::wide(value, width);
    }
    let terms = &ctx.terms;
    let both = terms.concat(ctx.bits_term(a, width), ctx.bits_term(b, width));
    let amount = terms.bv_urem(
        ctx.bits_term(amount, width),
        ctx.wide_term(u128::from(width), width),
    );
    let amount = terms.zero_resize(amount, width * 2);
    let term = match left {
        true => terms.extract(width * 2 - 1, width, terms.bv_shl(both, amount)),
        false => terms.extract(width - 1, 0, terms.bv_lshr(both, amount)),
    };
    match width {
        1 => ctx.flag(term),
        _ => ctx.value(term, width),
    }
}

/// `sadd.with.overflow`, `uadd.sat` and their kin.
fn overflow(
    executor: &mut Executor<'_>,
    _: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = name_of(executor);
    let width = element_width(call);
    too_wide(&name, width)?;
    let (kind, rest) = name.split_at(4.min(name.len()));
    let this = &*executor;
    if rest.starts_with(".fix") {
        return error(
            ErrorKind::Unsupported,
            format!("the intrinsic `llvm.{name}` is not supported"),
        );
    }
    if rest.starts_with(".sat") {
        let value = by_lane(args, &|args| {
            saturate(this, kind, width, &arg(args, 0), &arg(args, 1))
        });
        return Ok(Some(value));
    }
    if let (Value::Agg(a), Value::Agg(b)) = (arg(args, 0), arg(args, 1)) {
        let pairs: Vec<(Value, Value)> = a
            .iter()
            .zip(b.iter())
            .map(|(a, b)| with_overflow(this, kind, width, a, b))
            .collect();
        let values: Vec<Value> = pairs.iter().map(|(value, _)| value.clone()).collect();
        let flags: Vec<Value> = pairs.into_iter().map(|(_, flag)| flag).collect();
        return Ok(Some(Value::Agg(
            [Value::Agg(values.into()), Value::Agg(flags.into())].into(),
        )));
    }
    let (value, flag) = with_overflow(this, kind, width, &arg(args, 0), &arg(args, 1));
    Ok(Some(Value::Agg([value, flag].into())))
}

fn with_overflow(
    executor: &Executor<'_>,
    kind: &str,
    width: u32,
    a: &Value,
    b: &Value,
) -> (Value, Value) {
    let ctx = &executor.ctx;
    let (op, signed) = match kind {
        "sadd" => (BinaryOp::Add, true),
        "uadd" => (BinaryOp::Add, false),
        "ssub" => (BinaryOp::Sub, true),
        "usub" => (BinaryOp::Sub, false),
        "smul" => (BinaryOp::Mul, true),
        _ => (BinaryOp::Mul, false),
    };
    let result = binary(ctx, op, width, a, b);
    if let (Some(x), Some(y)) = (ctx.number128(a), ctx.number128(b)) {
        let flag = number_overflows(op, signed, width, x, y);
        return (result, Value::bool(flag));
    }
    // exact in twice the width, up to 128 bits; beyond, as terms, which have any width
    let extend = if signed { CastOp::SExt } else { CastOp::ZExt };
    if width <= 63 {
        let wide = width * 2;
        let (x, y) = (
            cast(ctx, extend, width, wide, a),
            cast(ctx, extend, width, wide, b),
        );
        let exact = binary(ctx, op, wide, &x, &y);
        let shown = cast(ctx, extend, width, wide, &result);
        let flag = compare(ctx, IntPredicate::Ne, wide, &exact, &shown);
        return (result, flag);
    }
    let terms = &ctx.terms;
    if width == 64 && op != BinaryOp::Mul {
        let term = |value: &Value| ctx.bits_term(value, width);
        let flag = sum_overflows(terms, op, signed, [term(a), term(b), term(&result)]);
        return (result, ctx.value(flag, 1));
    }
    let grow = |value: &Value| {
        let term = ctx.bits_term(value, width);
        match signed {
            true => terms.sign_extend(term, width * 2),
            false => terms.zero_extend(term, width * 2),
        }
    };
    let (x, y) = (grow(a), grow(b));
    let exact = match op {
        BinaryOp::Add => terms.bv_add(x, y),
        BinaryOp::Sub => terms.bv_sub(x, y),
        _ => terms.bv_mul(x, y),
    };
    let flag = terms.not(terms.eq(exact, grow(&result)));
    (result, ctx.value(flag, 1))
}

/// Whether a result of numbers is not exact in their width.
fn number_overflows(op: BinaryOp, signed: bool, width: u32, x: u128, y: u128) -> bool {
    if signed {
        let (x, y) = (signed128(x, width), signed128(y, width));
        let exact = match op {
            BinaryOp::Add => x.checked_add(y),
            BinaryOp::Sub => x.checked_sub(y),
            _ => x.checked_mul(y),
        };
        return exact.is_none_or(|exact| signed128(exact as u128, width) != exact);
    }
    let exact = match op {
        BinaryOp::Add => x.checked_add(y),
        BinaryOp::Sub => x.checked_sub(y),
        _ => x.checked_mul(y),
    };
    exact.is_none_or(|exact| exact & mask128(width) != exact)
}

/// Whether a sum or difference of 64-bit words is not exact, without wider words.
fn sum_overflows(terms: &Terms, op: BinaryOp, signed: bool, [a, b, result]: [Term; 3]) -> Term {
    let zero = terms.bv(64, 0);
    match (op, signed) {
        (BinaryOp::Add, false) => terms.bv_ult(result, a),
        (_, false) => terms.bv_ult(a, b),
        // the sign of a sum differs from that of both operands
        (BinaryOp::Add, true) => {
            let (x, y) = (terms.bv_xor(a, result), terms.bv_xor(b, result));
            terms.bv_slt(terms.bv_and(x, y), zero)
        }
        // operands of different signs, and the result has not the first one's
        _ => {
            let (x, y) = (terms.bv_xor(a, b), terms.bv_xor(a, result));
            terms.bv_slt(terms.bv_and(x, y), zero)
        }
    }
}

fn saturate(executor: &Executor<'_>, kind: &str, width: u32, a: &Value, b: &Value) -> Value {
    let ctx = &executor.ctx;
    let (result, flag) = with_overflow(executor, kind, width, a, b);
    let limit = match kind {
        "uadd" | "umul" => Value::wide(u128::MAX, width),
        "usub" => Value::wide(0, width),
        _ => {
            let negative = compare(ctx, IntPredicate::Slt, width, a, &Value::wide(0, width));
            let lowest = Value::wide(1 << (width - 1), width);
            let highest = Value::wide((1 << (width - 1)) - 1, width);
            executor.select(&negative, &lowest, &highest, width)
        }
    };
    executor.select(&flag, &limit, &result, width)
}

fn reduce(
    executor: &mut Executor<'_>,
    _: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = name_of(executor);
    let kind = name.split('.').nth(2).unwrap_or("");
    if let "fadd" | "fmul" = kind {
        return super::math::sum_or_product(executor, &name, args);
    }
    let Value::Agg(lanes) = arg(args, 0) else {
        return error(
            ErrorKind::Unsupported,
            format!("the intrinsic `llvm.{name}` is not supported"),
        );
    };
    if let "fmin" | "fmax" | "fminimum" | "fmaximum" = kind {
        return super::math::extreme_of(executor, &name, &lanes);
    }
    let width = element_width(call);
    too_wide(&name, width)?;
    let op = match kind {
        "add" => BinaryOp::Add,
        "mul" => BinaryOp::Mul,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "umin" | "umax" | "smin" | "smax" => {
            let this = &*executor;
            let least = lanes
                .iter()
                .cloned()
                .reduce(|a, b| one_integer(this, kind, width, width, &[a, b]));
            return Ok(least);
        }
        _ => {
            return error(
                ErrorKind::Unsupported,
                format!("the intrinsic `llvm.{name}` is not supported"),
            );
        }
    };
    Ok(lanes
        .iter()
        .cloned()
        .reduce(|a, b| binary(&executor.ctx, op, width, &a, &b)))
}

/// Fills a System V argument list: all variable arguments are in memory.
fn va_start(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let list = arg(args, 0);
    executor.resolve(state, &list, 24, true)?;
    let varargs = state.top.varargs.clone();
    let mut size = 0u64;
    let mut offsets = Vec::new();
    for (_, ty, align) in &varargs {
        // `va_arg` looks for nothing beyond multiples of 16
        if *align > 8 || matches!(ty, MemTy::Scalar(bits) if *bits > 64) {
            size = size.div_ceil(16) * 16;
        }
        offsets.push(size);
        size += ty.size().div_ceil(8) * 8;
    }
    let area = executor.allocate(state, size, 16, Region::Stack);
    state.top.allocas.push(area);
    for ((value, ty, _), offset) in varargs.iter().zip(offsets) {
        match (ty, value) {
            (MemTy::Parts { parts, size }, Value::Ptr(..)) if parts.is_empty() => {
                let source = executor.resolve(state, value, *size, false)?;
                executor.copy_place(state, source, area, offset, *size)?;
            }
            _ => {
                // smaller arguments were promoted by the caller
                executor.store(state, &Value::Ptr(area, offset), ty, value)?;
            }
        }
    }
    let word = MemTy::Scalar(32);
    executor.store(state, &list, &word, &Value::Int(48))?;
    let second = executor.offset(&list, 4);
    executor.store(state, &second, &word, &Value::Int(304))?;
    let third = executor.offset(&list, 8);
    executor.store(state, &third, &MemTy::Scalar(64), &Value::Ptr(area, 0))?;
    let fourth = executor.offset(&list, 16);
    executor.store(state, &fourth, &MemTy::Scalar(64), &Value::Int(0))?;
    Ok(None)
}

fn va_copy(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let len = Value::Int(24);
    debug_assert!(width(call, 0) == 64);
    memory::copy(executor, state, call, &[arg(args, 0), arg(args, 1), len])?;
    Ok(None)
}
