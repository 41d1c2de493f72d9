//! What the model's scheduler (`runtime/posix/threads.c`) needs from the engine: stacks to start, to give control to and to end.

use super::{Run, arg};
use crate::code::CallOp;
use crate::exec::{Executor, Step, error};
use crate::report::ErrorKind;
use crate::state::State;
use crate::threads;
use crate::value::Value;

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "sx_stack_new" => new,
        "sx_stack_switch" => switch,
        "sx_stack_end" => end,
        _ => return None,
    })
}

/// `sx_stack_new(long slot, void (*entry)(void *), void *argument)`
fn new(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let slot = executor.ctx.number(&arg(args, 0));
    let function = match arg(args, 1) {
        Value::Ptr(object, 0) => executor.program.function_at(object),
        _ => None,
    };
    let first = function.and_then(|function| executor.first_frame(state, function, &args[2..]));
    let added = slot
        .zip(first)
        .and_then(|(slot, first)| threads::add(state, slot, first));
    match added {
        Some(()) => Ok(None),
        None => error(ErrorKind::Unsupported, "a thread that cannot be started"),
    }
}

/// `sx_stack_switch(long slot)`: returns when control is given back.
fn switch(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    // the waiting stack goes on after this call
    let code = state.top.code.clone();
    executor.after_call(state, &code, call.dst, call.normal, None);
    let slot = executor.ctx.number(&arg(args, 0));
    match slot.and_then(|slot| threads::switch(state, slot)) {
        Some(()) => Ok(None),
        None => no_such_thread(),
    }
}

/// `sx_stack_end(long slot)`: the stack of the running thread is gone, and with it its local variables.
fn end(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let slot = executor.ctx.number(&arg(args, 0));
    executor.leave(state);
    while let Some(frame) = state.pop_caller() {
        state.top = frame;
        executor.leave(state);
    }
    let Some(own) = slot.and_then(|slot| threads::end(state, slot)) else {
        return no_such_thread();
    };
    for (_, copy) in own {
        state.memory.remove(copy);
    }
    Ok(None)
}

fn no_such_thread<T>() -> Step<T> {
    error(
        ErrorKind::Unsupported,
        "control is given to a thread that does not exist",
    )
}
