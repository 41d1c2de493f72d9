//! A stack deep enough for the nesting that parsers allow.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, ScopedJoinHandle};

/// How much address space the stack takes; memory is used only as far as it is touched.
const STACK: usize = 1 << 30;
/// Under a limit on address space less is asked for, down to this.
const LEAST: usize = 1 << 24;

/// Whether a thread got less than [`STACK`].
static IS_SHALLOW: AtomicBool = AtomicBool::new(false);

/// Whether the system refused a deep stack: an overflow after that is a lack of memory, and no defect.
pub fn is_stack_shallow() -> bool {
    IS_SHALLOW.load(Ordering::SeqCst)
}

/// Runs `work` on a thread with a deep stack, or with the deepest there is to be had.
pub fn deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let slot = std::sync::Mutex::new(Some(work));
    let run = || {
        let work = slot.lock().ok().and_then(|mut slot| slot.take());
        work.map(|work| work())
    };
    let result = std::thread::scope(|scope| {
        let start = |size| -> Option<ScopedJoinHandle<'_, Option<R>>> {
            let builder = Builder::new().stack_size(size);
            builder.spawn_scoped(scope, run).ok()
        };
        let mut size = STACK;
        let mut started = start(size);
        while started.is_none() && size > LEAST {
            IS_SHALLOW.store(true, Ordering::SeqCst);
            size /= 2;
            started = start(size);
        }
        match started.map(ScopedJoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => None,
        }
    });
    match result.or_else(run) {
        Some(result) => result,
        None => unreachable!("the work was taken exactly once, and then it gave a result"),
    }
}
