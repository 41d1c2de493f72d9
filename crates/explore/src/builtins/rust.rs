//! Panics of Rust programs.
//!
//! From where a panic begins, the path's outcome is decided: all its inputs panic there. What follows only prints the message, so the
//! inputs are fixed to those of the path's test first ([`begin`]). Printing then does not fork over the digits of symbolic numbers, and
//! the message has the numbers of the test. At the end `abort` finds message and place in what was printed ([`aborted`]).

use super::Run;
use crate::code::CallOp;
use crate::exec::{Executor, Step, error};
use crate::report::{ErrorKind, Report};
use crate::state::State;
use crate::value::Value;
use std::rc::Rc;

/// Parts of the mangled names of functions at which panics begin; the same in both ways of mangling.
const BEGINNINGS: &[&str] = &[
    "4core9panicking9panic_fmt",
    "4core9panicking18panic_bounds_check",
    "4core9panicking18panic_nounwind_fmt",
    "3std9panicking11begin_panic",
    "3std9panicking20rust_panic_with_hook",
    "17rust_begin_unwind",
];

/// The engine's addition to a function of the program, if panics begin there.
pub(super) fn find(name: &str) -> Option<Run> {
    let is_beginning = BEGINNINGS.iter().any(|part| name.contains(part));
    is_beginning.then_some(begin as Run)
}

fn begin(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    executor.fix_to_test(state);
    let function = executor.callee;
    executor.enter_function(state, function, args, call.normal);
    Ok(None)
}

/// The end of the program by `abort`: a panic says so, with its message and place, in what was written last.
pub(super) fn aborted(state: &mut State) -> Step<Option<Value>> {
    let Some(panic) = panic_message(state) else {
        return error(ErrorKind::Abort, "the program called abort");
    };
    let mut lines = panic.lines();
    let place = lines.next().unwrap_or("").trim_end_matches(':').to_owned();
    let message: Vec<&str> = lines
        .take_while(|line| !line.starts_with("note: "))
        .collect();
    let mut parts = place.rsplitn(3, ':');
    let _column = parts.next();
    let line = parts.next().and_then(|line| line.parse().ok());
    if let (Some(line), Some(file)) = (line, parts.next()) {
        let (file, suffix) = (file.to_owned(), "abort".to_owned());
        state.report = Some(Rc::new(Report { file, line, suffix }));
    }
    let message = message.join(" ");
    error(
        ErrorKind::Panic,
        format!("panicked at {place}: {}", message.trim()),
    )
}

/// What follows the words of the panic printed last.
fn panic_message(state: &State) -> Option<String> {
    const ENOUGH: usize = 4096;
    let mut bytes: Vec<&[u8]> = Vec::new();
    let mut size = 0;
    for chunk in state.output.newest_first() {
        if size > ENOUGH {
            break;
        }
        size += chunk.len();
        bytes.push(chunk);
    }
    bytes.reverse();
    let text = String::from_utf8_lossy(&bytes.concat()).into_owned();
    let (_, panic) = text.rsplit_once(" panicked at ")?;
    Some(panic.to_owned())
}
