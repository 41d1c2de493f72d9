//! `setjmp` and `longjmp`: a jump drops the frames above the one that called `setjmp`.

use super::{Run, arg};
use crate::address::ObjectId;
use crate::code::CallOp;
use crate::exec::{Executor, Place, Step, error};
use crate::report::ErrorKind;
use crate::state::{JumpTarget, State};
use crate::value::Value;
use stet_llvm::IntPredicate;

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => set,
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => jump,
        _ => return None,
    })
}

fn buffer(
    executor: &mut Executor<'_>,
    state: &mut State,
    pointer: &Value,
) -> Step<(ObjectId, u64)> {
    match executor.resolve_object(state, pointer, 1)? {
        Place::At(object, offset) => Ok((object, offset)),
        Place::Within(..) => error(
            ErrorKind::Unsupported,
            "a jump buffer at a symbolic address is not supported",
        ),
    }
}

fn set(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let key = buffer(executor, state, &arg(args, 0))?;
    let target = JumpTarget {
        depth: state.frames,
        pc: state.top.pc,
        function: state.top.code.function,
        result: call.dst,
        normal: call.normal,
    };
    state.jumps.push((key, target));
    Ok(Some(Value::Int(0)))
}

fn jump(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let key = buffer(executor, state, &arg(args, 0))?;
    let found = state.jumps.newest_first().find(|(known, _)| *known == key);
    let Some((_, target)) = found.cloned() else {
        return error(
            ErrorKind::Unsupported,
            "longjmp to a buffer that was never set",
        );
    };
    if target.depth > state.frames {
        return error(
            ErrorKind::Unsupported,
            "longjmp to a function that has returned",
        );
    }
    let value = arg(args, 1);
    let zero = crate::arith::compare(&executor.ctx, IntPredicate::Eq, 32, &value, &Value::Int(0));
    let value = executor.select(&zero, &Value::Int(1), &value, 32);
    while state.frames > target.depth {
        executor.leave(state);
        match state.pop_caller() {
            Some(frame) => state.top = frame,
            None => return error(ErrorKind::Unsupported, "longjmp below the first function"),
        }
    }
    if state.top.code.function != target.function {
        return error(
            ErrorKind::Unsupported,
            "longjmp to a function that has returned",
        );
    }
    state.top.pc = target.pc;
    let code = state.top.code.clone();
    executor.after_call(state, &code, target.result, target.normal, Some(value));
    Ok(None)
}
