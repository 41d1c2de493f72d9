//! `setjmp` and `longjmp`: a jump drops the frames above the one that called `setjmp`.
//!
//! `setjmp` writes a token to the buffer, by which `longjmp` finds the call again: buffers may be copied, and lie at symbolic addresses.

use super::{Run, arg};
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Step, error};
use crate::report::ErrorKind;
use crate::state::{JumpTarget, State};
use crate::value::Value;
use stet_llvm::IntPredicate;

/// The upper half of a token.
const MARK: u64 = 0x5e7_1a5d << 32;

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => set,
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => jump,
        _ => return None,
    })
}

fn set(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let last = state.jumps.newest_first().next();
    let token = last.map_or(MARK, |last| last.token + 1);
    let content = Value::Int(token);
    executor.store(state, &arg(args, 0), &MemTy::Scalar(64), &content)?;
    state.jumps.push(JumpTarget {
        token,
        depth: state.frames,
        entered: state.top.entered,
        pc: state.top.pc,
        function: state.top.code.function,
        result: call.dst,
        normal: call.normal,
    });
    Ok(Some(Value::Int(0)))
}

/// The call of `setjmp` that a buffer remembers; others that it may remember are followed in new states.
fn target(executor: &mut Executor<'_>, state: &mut State, buffer: &Value) -> Step<JumpTarget> {
    let content = executor.load(state, buffer, &MemTy::Scalar(64))?;
    let token = match executor.ctx.number(&content) {
        Some(token) => token,
        None => executor.enumerate(state, &content, 64)?,
    };
    let found = state.jumps.newest_first().find(|set| set.token == token);
    let Some(target) = found.cloned() else {
        let what = "longjmp to a buffer that was never set";
        return error(ErrorKind::Unsupported, what);
    };
    let above = state.frames.checked_sub(target.depth);
    let frame = above.and_then(|above| state.frames().nth(above as usize));
    let is_alive = frame.is_some_and(|frame| {
        frame.code.function == target.function && frame.entered == target.entered
    });
    match is_alive {
        true => Ok(target),
        false => error(
            ErrorKind::UseAfterFree,
            "longjmp to a function that has returned",
        ),
    }
}

fn jump(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let target = target(executor, state, &arg(args, 0))?;
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
    state.top.pc = target.pc;
    let code = state.top.code.clone();
    executor.after_call(state, &code, target.result, target.normal, Some(value));
    Ok(None)
}
