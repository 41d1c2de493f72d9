//! The handlers of `-fsanitize=undefined`: each ends the path with an error that says what was undefined, under the words
//! and the file suffix that KLEE's handlers have.

use super::arg;
use crate::code::{CallOp, MemTy, Target};
use crate::exec::{Executor, Step, error};
use crate::report::{ErrorKind, Report};
use crate::state::State;
use crate::value::Value;
use std::rc::Rc;

/// The file that KLEE names for these errors, which scripts look for.
const FILE: &str = "runtime/Sanitizer/ubsan/ubsan_handlers.cpp";

pub(super) fn handle(
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
    let what = name
        .trim_start_matches("__ubsan_handle_")
        .trim_end_matches("_abort")
        .trim_end_matches("_minimal")
        .trim_end_matches("_v1");
    let (line, kind, message, suffix) = match what {
        "type_mismatch" => {
            let null = executor.ctx.number(&arg(args, 1)) == Some(0);
            let symbolic = matches!(arg(args, 1), Value::Sym(_));
            match null || symbolic {
                true => (1, ErrorKind::Null, "null-pointer-use", "ptr"),
                false => (2, ErrorKind::OutOfBounds, "misaligned-pointer-use", "ptr"),
            }
        }
        "alignment_assumption" => (3, ErrorKind::Sanitizer, "alignment-assumption", "ptr"),
        "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow" => (
            4,
            ErrorKind::Sanitizer,
            overflow(executor, state, args)?,
            "overflow",
        ),
        "divrem_overflow" => (
            5,
            ErrorKind::DivisionByZero,
            "integer-divide-by-zero",
            "overflow",
        ),
        "shift_out_of_bounds" => (6, ErrorKind::Overshift, "shift out of bounds", "overflow"),
        "out_of_bounds" => (7, ErrorKind::OutOfBounds, "index out of bounds", "ptr"),
        "local_out_of_bounds" => (7, ErrorKind::OutOfBounds, "local out of bounds", "ptr"),
        "builtin_unreachable" => (
            8,
            ErrorKind::Unreachable,
            "execution reached an unreachable program point",
            "unreachable_call",
        ),
        "missing_return" => (
            9,
            ErrorKind::Sanitizer,
            "execution reached the end of a value-returning function without returning a value",
            "missing_return",
        ),
        "vla_bound_not_positive" => (10, ErrorKind::Sanitizer, "non-positive-vla-index", "ptr"),
        "float_cast_overflow" => (11, ErrorKind::Sanitizer, "float-cast-overflow", "overflow"),
        "load_invalid_value" => (
            12,
            ErrorKind::Sanitizer,
            "load invalid value",
            "invalid_load",
        ),
        "implicit_conversion" => {
            let (message, suffix) = conversion(executor, state, args)?;
            (13, ErrorKind::Sanitizer, message, suffix)
        }
        "invalid_builtin" => (
            14,
            ErrorKind::Sanitizer,
            "invalid-builtin-use",
            "invalid_builtin_use",
        ),
        "nonnull_return" | "nullability_return" => (
            15,
            ErrorKind::Sanitizer,
            "invalid-null-return",
            "nullable_attribute",
        ),
        "nonnull_arg" | "nullability_arg" => (
            16,
            ErrorKind::Sanitizer,
            "invalid-null-argument",
            "nullable_attribute",
        ),
        "pointer_overflow" => (17, ErrorKind::OutOfBounds, "pointer-overflow", "ptr"),
        _ => (
            18,
            ErrorKind::Sanitizer,
            "undefined behaviour",
            "undefined_behavior",
        ),
    };
    state.report = Some(Rc::new(Report {
        file: FILE.to_owned(),
        line,
        suffix: suffix.to_owned(),
    }));
    error(kind, message)
}

/// Signed or unsigned: the type's description says which, in its second half word.
fn overflow(executor: &mut Executor<'_>, state: &mut State, args: &[Value]) -> Step<&'static str> {
    let place = executor.offset(&arg(args, 0), 16);
    let description = executor.load(state, &place, &MemTy::Scalar(64))?;
    let info = executor.offset(&description, 2);
    let info = executor.load(state, &info, &MemTy::Scalar(16))?;
    Ok(match executor.ctx.number(&info) {
        Some(info) if info & 1 == 0 => "unsigned-integer-overflow",
        _ => "signed-integer-overflow",
    })
}

/// Which implicit conversion: the byte after location and two type descriptions.
fn conversion(
    executor: &mut Executor<'_>,
    state: &mut State,
    args: &[Value],
) -> Step<(&'static str, &'static str)> {
    let place = executor.offset(&arg(args, 0), 32);
    let kind = executor.load(state, &place, &MemTy::Scalar(8))?;
    Ok(match executor.ctx.number(&kind) {
        Some(1) => (
            "implicit-unsigned-integer-truncation",
            "implicit_truncation",
        ),
        Some(0 | 2) => ("implicit-signed-integer-truncation", "implicit_truncation"),
        Some(3) => ("implicit-integer-sign-change", "implicit_conversion"),
        _ => (
            "implicit-signed-integer-truncation-or-sign-change",
            "implicit_conversion",
        ),
    })
}
