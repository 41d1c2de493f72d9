//! A stack deep enough for the nesting that parsers allow.

/// How much address space the stack takes; memory is used only as far as it is touched.
const STACK: usize = 1 << 30;

/// Runs `work` on a thread with a deep stack, or right here if there is none to be had.
pub fn deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let slot = std::sync::Mutex::new(Some(work));
    let run = || {
        let work = slot.lock().ok().and_then(|mut slot| slot.take());
        work.map(|work| work())
    };
    let result = std::thread::scope(|scope| {
        let spawned = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, run);
        match spawned {
            Ok(handle) => match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(_) => None,
        }
    });
    match result.or_else(run) {
        Some(result) => result,
        None => unreachable!("the work was taken exactly once, and then it gave a result"),
    }
}
