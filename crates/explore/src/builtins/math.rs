//! Floating-point functions, for programs without a C library and as intrinsics.

use super::{Run, arg};
use crate::code::{CallOp, Fmt, MemTy, Target};
use crate::exec::{Executor, Step, decode, encode, error};
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;

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

/// The C function with a name.
pub(super) fn find(name: &str) -> Option<Run> {
    let plain = name.strip_suffix('f').filter(|plain| NAMES.contains(plain));
    let known = NAMES.contains(&name)
        && !matches!(
            name,
            "powi" | "fmuladd" | "minnum" | "maxnum" | "canonicalize"
        );
    (known || plain.is_some()).then_some(call_math as Run)
}

/// The intrinsic with a name without its `llvm.`.
pub(super) fn find_intrinsic(name: &str) -> Option<Run> {
    let head = name.split('.').next().unwrap_or("");
    NAMES.contains(&head).then_some(call_math as Run)
}

fn call_math(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = match call.target {
        Target::Function(function) => executor.program.functions.borrow()[function as usize]
            .name
            .clone(),
        Target::Pointer(_) => String::new(),
    };
    let short = name
        .trim_start_matches("llvm.")
        .split('.')
        .next()
        .unwrap_or("")
        .to_owned();
    let short = match NAMES.contains(&short.as_str()) {
        true => short.as_str(),
        false => short.strip_suffix('f').unwrap_or(&short),
    };
    let fmt = match call.args.first().map(|arg| &arg.ty) {
        Some(MemTy::Scalar(32)) => Fmt::F32,
        Some(MemTy::Scalar(64)) => Fmt::F64,
        _ => {
            return error(
                ErrorKind::Unsupported,
                format!("`{name}` of this type is not supported"),
            );
        }
    };
    let mut numbers = [0f64; 3];
    for (k, slot) in numbers.iter_mut().enumerate().take(args.len()) {
        if short == "powi" && k == 1 {
            let power = executor.concrete(state, &arg(args, 1), 32, "an exponent")?;
            *slot = f64::from(power as u32 as i32);
            continue;
        }
        *slot = decode(fmt, executor.float_bits(state, &arg(args, k), fmt)?);
    }
    Ok(Some(Value::Int(encode(fmt, evaluate(short, fmt, numbers)))))
}

fn evaluate(name: &str, fmt: Fmt, [x, y, z]: [f64; 3]) -> f64 {
    match name {
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        "trunc" => x.trunc(),
        "rint" | "nearbyint" | "roundeven" => x.round_ties_even(),
        "round" => x.round(),
        "sqrt" => match fmt {
            Fmt::F32 => f64::from((x as f32).sqrt()),
            Fmt::F64 => x.sqrt(),
        },
        "fabs" => x.abs(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "log" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "pow" => x.powf(y),
        "powi" => x.powi(y as i32),
        "fmin" | "minnum" | "minimum" => x.min(y),
        "fmax" | "maxnum" | "maximum" => x.max(y),
        "copysign" => x.copysign(y),
        "fmod" => x % y,
        "fma" => match fmt {
            Fmt::F32 => f64::from((x as f32).mul_add(y as f32, z as f32)),
            Fmt::F64 => x.mul_add(y, z),
        },
        "fmuladd" => match fmt {
            Fmt::F32 => f64::from(x as f32 * y as f32 + z as f32),
            Fmt::F64 => x * y + z,
        },
        _ => x,
    }
}
