//! The end of the program: `exit`, `abort`, failed assertions; and a few functions that need no C library.

use super::klee::string;
use super::{Run, arg};
use crate::code::CallOp;
use crate::exec::{Executor, Step, Stop, error};
use crate::left_out::LeftOutKind;
use crate::report::{ErrorKind, Outcome};
use crate::state::State;
use crate::value::Value;

/// Used even where the C library has them.
pub(super) fn find_always(name: &str) -> Option<Run> {
    Some(match name {
        "abort" => |_, state, _, _| super::rust::aborted(state),
        "sx_crash" => {
            |_, _, _, _| error(ErrorKind::Abort, "the C library found its state corrupted")
        }
        "__assert_fail" => assert_fail,
        _ => return None,
    })
}

/// Used where nothing defines them.
pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "exit" | "_exit" | "_Exit" => exit,
        "__assert_rtn" => |executor, state, _, args| {
            let text = string(executor, state, &arg(args, 3))?;
            error(ErrorKind::Assertion, format!("assertion failed: {text}"))
        },
        "__assert" | "__assert13" => |executor, state, _, args| {
            let text = string(executor, state, &arg(args, 0))?;
            error(ErrorKind::Assertion, format!("assertion failed: {text}"))
        },
        "__cxa_atexit" | "atexit" | "__cxa_thread_atexit" | "__cxa_thread_atexit_impl" => {
            |executor, state, _, _| {
                let what = "functions to run at the end of the program (there is no C library)";
                executor.leave_out(state, LeftOutKind::Refused, what);
                Ok(Some(Value::Int(0)))
            }
        }
        "__stack_chk_fail" => {
            |_, _, _, _| error(ErrorKind::OutOfBounds, "the stack was overwritten")
        }
        "_ZSt9terminatev" | "sx_terminated" | "__cxa_pure_virtual" => {
            |_, _, _, _| error(ErrorKind::Abort, "the program was terminated")
        }
        "putchar" | "puts" => output,
        _ => return None,
    })
}

fn assert_fail(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let text = string(executor, state, &arg(args, 0))?;
    error(ErrorKind::Assertion, format!("assertion failed: {text}"))
}

fn exit(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let status = executor.status(state, &arg(args, 0))?;
    Err(Stop(Box::new(Outcome::Exit(status))))
}

/// `puts` and `putchar` for programs explored without a C library.
fn output(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = executor.callee_name();
    if name == "putchar" {
        let byte = executor
            .ctx
            .number(&arg(args, 0))
            .map_or(b'?', |byte| byte as u8);
        executor.output(state, &[byte]);
        return Ok(Some(arg(args, 0)));
    }
    let mut line = string(executor, state, &arg(args, 0))?;
    line.push('\n');
    executor.output(state, line.as_bytes());
    Ok(Some(Value::Int(1)))
}

impl Executor<'_> {
    /// Keeps what the program writes, with its path.
    pub(crate) fn output(&mut self, state: &mut State, bytes: &[u8]) {
        if self.settings.capture_output {
            state.output.push(bytes.into());
        }
    }
}
