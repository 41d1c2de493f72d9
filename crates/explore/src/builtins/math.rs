//! Floating-point functions, for programs without a C library and as intrinsics; vector forms lane by lane.
//!
//! Functions with a circuit (rounding, square root, minimum, fused multiply-add, classification) take symbolic numbers;
//! the others (`sin`, `pow`, …) are computed on concrete ones, and a symbolic argument is fixed and recorded as left out.

use super::{Run, arg};
use crate::code::{CallOp, Fmt};
use crate::exec::{Executor, Step, error};
use crate::report::ErrorKind;
use crate::softfloat;
use crate::state::State;
use crate::value::Value;
use stet_llvm::{BinaryOp, CastOp, FloatPredicate};
use stet_term::{Rounding, Term};

const NAMES: &[&str] = &[
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "sqrt",
    "fabs",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "atan2",
    "exp10",
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "pow",
    "fmin",
    "fmax",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "copysign",
    "fma",
    "fmuladd",
    "fmod",
    "powi",
    "canonicalize",
];

/// Intrinsics whose result is no floating-point number.
const TO_INTEGER: &[&str] = &[
    "lrint", "llrint", "lround", "llround", "fptosi", "fptoui", "is",
];

/// The C function with a name.
pub(super) fn find(name: &str) -> Option<Run> {
    let intrinsic_only = ["powi", "fmuladd", "minnum", "maxnum", "canonicalize"];
    let known = |name: &str| NAMES.contains(&name) && !intrinsic_only.contains(&name);
    let plain = name.strip_suffix(['f', 'l']).filter(|plain| known(plain));
    (known(name) || plain.is_some()).then_some(call_math as Run)
}

/// The intrinsic with a name without its `llvm.`.
pub(super) fn find_intrinsic(name: &str) -> Option<Run> {
    let head = name.split('.').next().unwrap_or("");
    if NAMES.contains(&head) {
        return Some(call_math);
    }
    let integer = match head {
        "fptosi" | "fptoui" => name[head.len()..].starts_with(".sat."),
        "is" => name.starts_with("is.fpclass."),
        _ => TO_INTEGER.contains(&head),
    };
    integer.then_some(call_to_integer as Run)
}

/// The format in the suffix of an intrinsic's name (`.f64`, `.v4f32`).
fn format_of(suffix: &str) -> Option<Fmt> {
    let scalar = match suffix.strip_prefix('v') {
        Some(vector) => vector.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => suffix,
    };
    Some(match scalar {
        "f16" => Fmt::F16,
        "bf16" => Fmt::BF16,
        "f32" => Fmt::F32,
        "f64" => Fmt::F64,
        "f80" => Fmt::F80,
        "f128" => Fmt::F128,
        _ => return None,
    })
}

/// The plain name of a function and the format it works on.
fn function_and_format(name: &str) -> Option<(&str, Fmt)> {
    if let Some(intrinsic) = name.strip_prefix("llvm.") {
        let mut parts = intrinsic.split('.');
        let head = parts.next()?;
        return Some((head, parts.find_map(format_of)?));
    }
    if NAMES.contains(&name) {
        return Some((name, Fmt::F64));
    }
    match name.strip_suffix('f') {
        Some(plain) => Some((plain, Fmt::F32)),
        None => Some((name.strip_suffix('l')?, Fmt::F80)),
    }
}

fn unsupported<T>(name: &str) -> Step<T> {
    error(
        ErrorKind::Unsupported,
        format!("`{name}` of this type is not supported"),
    )
}

/// Applies a function to scalars, or to each lane of vectors.
fn by_lane(args: &[Value], f: &mut dyn FnMut(&[Value]) -> Step<Value>) -> Step<Option<Value>> {
    let Some(Value::Agg(first)) = args.first() else {
        return f(args).map(Some);
    };
    let mut lanes = Vec::with_capacity(first.len());
    for k in 0..first.len() {
        let lane = |arg: &Value| match arg {
            Value::Agg(lanes) => lanes.get(k).cloned().unwrap_or(Value::Int(0)),
            scalar => scalar.clone(),
        };
        let args: Vec<Value> = args.iter().map(lane).collect();
        lanes.push(f(&args)?);
    }
    Ok(Some(Value::Agg(lanes.into())))
}

fn call_math(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = executor.callee_name();
    let Some((function, fmt)) = function_and_format(&name) else {
        return unsupported(&name);
    };
    by_lane(args, &mut |args| one(executor, state, function, fmt, args))
}

fn one(
    executor: &mut Executor<'_>,
    state: &mut State,
    function: &str,
    fmt: Fmt,
    args: &[Value],
) -> Step<Value> {
    let (a, b) = (arg(args, 0), arg(args, 1));
    let bits = fmt.bits();
    match function {
        "fabs" => {
            let mask = Value::wide(fmt.sign() - 1, bits);
            return Ok(crate::arith::binary(
                &executor.ctx,
                BinaryOp::And,
                bits,
                &a,
                &mask,
            ));
        }
        "fmuladd" => {
            let product = executor.float_binary(state, BinaryOp::FMul, fmt, &a, &b)?;
            return executor.float_binary(state, BinaryOp::FAdd, fmt, &product, &arg(args, 2));
        }
        "fmod" => return executor.float_binary(state, BinaryOp::FRem, fmt, &a, &b),
        "fmin" | "minnum" | "fmax" | "maxnum" | "minimum" | "maximum" => {
            return Ok(extreme(executor, function, fmt, &a, &b));
        }
        "powi" => {
            let exponent = executor.concrete(state, &b, 32, "the exponent of `powi`")?;
            return Ok(power(executor, fmt, &a, exponent as u32 as i32));
        }
        _ => {}
    }
    let numbers: Option<Vec<u128>> = args.iter().map(|a| executor.ctx.number128(a)).collect();
    if numbers.is_none()
        && let Some(term) = circuit(executor, function, fmt, args)
    {
        return Ok(executor.ctx.float_value(term, fmt));
    }
    let mut numbers = [0u128; 3];
    for (k, slot) in numbers.iter_mut().enumerate().take(args.len()) {
        let what = format!("an argument of `{function}`");
        *slot = executor.concrete(state, &args[k], bits, &what)?;
    }
    match evaluate(function, fmt, numbers) {
        Some(result) => Ok(Value::wide(result, bits)),
        None => unsupported(function),
    }
}

/// An integral power by squaring, in the order of the compilers' support library; its inverse for a negative exponent.
fn power(executor: &Executor<'_>, fmt: Fmt, base: &Value, exponent: i32) -> Value {
    let one = Value::wide(softfloat::from_int(fmt, 1, 64, false), fmt.bits());
    let times = |a: &Value, b: &Value| executor.float_arithmetic(BinaryOp::FMul, fmt, a, b);
    let (mut square, mut rest) = (base.clone(), exponent.unsigned_abs());
    let mut result = one.clone();
    while rest != 0 {
        if rest & 1 == 1 {
            result = times(&result, &square);
        }
        rest >>= 1;
        if rest != 0 {
            square = times(&square, &square);
        }
    }
    match exponent < 0 {
        true => executor.float_arithmetic(BinaryOp::FDiv, fmt, &one, &result),
        false => result,
    }
}

fn rounding(function: &str) -> Option<Rounding> {
    Some(match function {
        "floor" => Rounding::Down,
        "ceil" => Rounding::Up,
        "trunc" => Rounding::Zero,
        "rint" | "nearbyint" | "roundeven" | "lrint" | "llrint" => Rounding::NearestEven,
        "round" | "lround" | "llround" => Rounding::NearestAway,
        _ => return None,
    })
}

/// The result of a function as a circuit, if it has one.
fn circuit(executor: &Executor<'_>, function: &str, fmt: Fmt, args: &[Value]) -> Option<Term> {
    let floats = executor.ctx.floats(fmt);
    let term = |k: usize| executor.ctx.float_term(&arg(args, k), fmt);
    Some(match function {
        "sqrt" => floats.sqrt(term(0)),
        "fma" => floats.fma(term(0), term(1), term(2)),
        "copysign" => floats.copysign(term(0), term(1)),
        "canonicalize" => term(0),
        _ => floats.round_to_integral(rounding(function)?, term(0)),
    })
}

/// Minimum and maximum. `minnum` and `fmin` prefer a number to a NaN; `minimum` does not, and orders zeros.
fn extreme(executor: &Executor<'_>, function: &str, fmt: Fmt, a: &Value, b: &Value) -> Value {
    let bits = fmt.bits();
    let is_nan = |x: &Value| executor.float_compare(FloatPredicate::Uno, fmt, x, x);
    let lower = matches!(function, "fmin" | "minnum" | "minimum");
    let predicate = if lower {
        FloatPredicate::Olt
    } else {
        FloatPredicate::Ogt
    };
    let first = executor.float_compare(predicate, fmt, a, b);
    let chosen = executor.select(&first, a, b, bits);
    let strict = matches!(function, "minimum" | "maximum");
    if !strict {
        let chosen = executor.select(&is_nan(b), a, &chosen, bits);
        return executor.select(&is_nan(a), b, &chosen, bits);
    }
    // equal numbers differ at most in the sign of zero: both signs for the minimum, neither for the maximum
    let equal = executor.float_compare(FloatPredicate::Oeq, fmt, a, b);
    let op = if lower { BinaryOp::Or } else { BinaryOp::And };
    let both = crate::arith::binary(&executor.ctx, op, bits, a, b);
    let chosen = executor.select(&equal, &both, &chosen, bits);
    let chosen = executor.select(&is_nan(b), b, &chosen, bits);
    executor.select(&is_nan(a), a, &chosen, bits)
}

/// `vector.reduce.fadd` and `vector.reduce.fmul`: from the first operand through all lanes in order, which the forms that may
/// reassociate allow, too.
pub(super) fn sum_or_product(
    executor: &Executor<'_>,
    name: &str,
    args: &[Value],
) -> Step<Option<Value>> {
    let (Some(fmt), Value::Agg(lanes)) = (name.split('.').find_map(format_of), arg(args, 1)) else {
        return unsupported(name);
    };
    let op = match name.contains("fadd") {
        true => BinaryOp::FAdd,
        false => BinaryOp::FMul,
    };
    let join = |sum: Value, lane: &Value| executor.float_arithmetic(op, fmt, &sum, lane);
    Ok(Some(lanes.iter().fold(arg(args, 0), join)))
}

/// `vector.reduce.fmin` and its kin.
pub(super) fn extreme_of(
    executor: &Executor<'_>,
    name: &str,
    lanes: &[Value],
) -> Step<Option<Value>> {
    let Some(fmt) = name.split('.').find_map(format_of) else {
        return unsupported(name);
    };
    let function = match name.split('.').nth(2) {
        Some("fmin") => "minnum",
        Some("fmax") => "maxnum",
        Some("fminimum") => "minimum",
        _ => "maximum",
    };
    let join = |a: Value, b: Value| extreme(executor, function, fmt, &a, &b);
    Ok(lanes.iter().cloned().reduce(join))
}

/// A function of concrete numbers; `None` for formats it is not computed in.
fn evaluate(function: &str, fmt: Fmt, [x, y, z]: [u128; 3]) -> Option<u128> {
    if let Some(mode) = rounding(function) {
        return Some(softfloat::round(fmt, mode, x));
    }
    match function {
        "sqrt" => return Some(softfloat::sqrt(fmt, x)),
        "fma" => return Some(softfloat::fma(fmt, [x, y, z])),
        "copysign" => return Some(x & !fmt.sign() | y & fmt.sign()),
        "canonicalize" => return Some(x),
        _ => {}
    }
    if !matches!(fmt, Fmt::F32 | Fmt::F64) {
        return None;
    }
    let number = |bits: u128| f64::from_bits(softfloat::convert(fmt, Fmt::F64, bits) as u64);
    let a = number(x);
    let result = match function {
        "sin" => a.sin(),
        "cos" => a.cos(),
        "tan" => a.tan(),
        "asin" => a.asin(),
        "acos" => a.acos(),
        "atan" => a.atan(),
        "sinh" => a.sinh(),
        "cosh" => a.cosh(),
        "tanh" => a.tanh(),
        "atan2" => a.atan2(number(y)),
        "exp10" => 10f64.powf(a),
        "exp" => a.exp(),
        "exp2" => a.exp2(),
        "log" => a.ln(),
        "log2" => a.log2(),
        "log10" => a.log10(),
        "pow" => a.powf(number(y)),
        _ => return None,
    };
    Some(softfloat::convert(
        Fmt::F64,
        fmt,
        u128::from(result.to_bits()),
    ))
}

/// `lrint` and its kin, saturating conversions, classification.
fn call_to_integer(
    executor: &mut Executor<'_>,
    _: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = executor.callee_name();
    let Some((function, fmt)) = function_and_format(&name) else {
        return unsupported(&name);
    };
    let width = match call.result_width {
        // a vector says the width of its lanes in the name: `.v4i32`
        0 => {
            let lane = |part: &str| part.rsplit_once('i')?.1.parse::<u32>().ok();
            name.split('.')
                .filter(|part| part.starts_with('v'))
                .find_map(lane)
                .unwrap_or(1)
        }
        width => width,
    };
    let this = &*executor;
    by_lane(args, &mut |args| {
        let a = arg(args, 0);
        Ok(match function {
            "is" => {
                let mask = this.ctx.number(&arg(args, 1)).unwrap_or(0);
                class(this, fmt, &a, mask)
            }
            "fptosi" | "fptoui" => saturated(this, fmt, &a, width, function == "fptosi"),
            _ => {
                let rounded = match (this.ctx.number128(&a), rounding(function)) {
                    (Some(x), Some(mode)) => {
                        Value::wide(softfloat::round(fmt, mode, x), fmt.bits())
                    }
                    (_, Some(mode)) => {
                        let term = this.ctx.float_term(&a, fmt);
                        let rounded = this.ctx.floats(fmt).round_to_integral(mode, term);
                        this.ctx.float_value(rounded, fmt)
                    }
                    (_, None) => a,
                };
                this.float_to_int(fmt, &rounded, width, true)
            }
        })
    })
}

/// A conversion that gives the nearest integer there is, and zero for a NaN.
fn saturated(executor: &Executor<'_>, fmt: Fmt, a: &Value, width: u32, signed: bool) -> Value {
    let (whole, fits) = executor.whole(fmt, a, width.max(2), signed);
    let whole = crate::arith::cast(&executor.ctx, CastOp::Trunc, width.max(2), width, &whole);
    let zero = Value::wide(0, fmt.bits());
    let negative = executor.float_compare(FloatPredicate::Olt, fmt, a, &zero);
    let nan = executor.float_compare(FloatPredicate::Uno, fmt, a, a);
    let (low, high) = match signed {
        true => (1 << (width - 1), (1 << (width - 1)) - 1),
        false => (0, u128::MAX),
    };
    let limit = executor.select(
        &negative,
        &Value::wide(low, width),
        &Value::wide(high, width),
        width,
    );
    let limit = executor.select(&nan, &Value::wide(0, width), &limit, width);
    executor.select(&fits, &whole, &limit, width)
}

/// Whether a number is of one of the classes of `llvm.is.fpclass`.
fn class(executor: &Executor<'_>, fmt: Fmt, a: &Value, mask: u64) -> Value {
    let (floats, t) = (executor.ctx.floats(fmt), &executor.ctx.terms);
    let x = executor.ctx.float_term(a, fmt);
    let (nan, inf, zero) = (floats.is_nan(x), floats.is_infinite(x), floats.is_zero(x));
    let (quiet, negative) = (floats.is_quiet(x), floats.is_negative(x));
    let small = t.and2(floats.is_subnormal_or_zero(x), t.not(zero));
    let normal = t.not(t.or(&[nan, inf, zero, small]));
    let classes = [
        (nan, t.not(quiet)),
        (nan, quiet),
        (inf, negative),
        (normal, negative),
        (small, negative),
        (zero, negative),
        (zero, t.not(negative)),
        (small, t.not(negative)),
        (normal, t.not(negative)),
        (inf, t.not(negative)),
    ];
    let chosen: Vec<Term> = classes
        .iter()
        .enumerate()
        .filter(|(k, _)| mask >> k & 1 == 1)
        .map(|(_, &(kind, also))| t.and2(kind, also))
        .collect();
    executor.ctx.value(t.or(&chosen), 1)
}
