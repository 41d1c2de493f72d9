//! Ctrl-C: the first press cancels the budget so that partial results are printed and the store is
//! flushed, the second exits at once.
//!
//! An interactive command may [`divert`] the first press, for instance to stop a goal and keep the prompt.

use crate::exit::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use stet_base::Budget;

/// Called on Ctrl-C; returns whether it dealt with it.
pub(crate) type Diversion = Box<dyn Fn() -> bool + Send>;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static BUDGET: OnceLock<Budget> = OnceLock::new();
static DIVERSION: Mutex<Option<Diversion>> = Mutex::new(None);

/// Starts to watch for Ctrl-C and termination signals, which will cancel `budget`.
pub(crate) fn install(budget: &Budget) {
    if BUDGET.set(budget.clone()).is_ok() {
        // Without a handler Ctrl-C kills the process, which the store survives: nothing to report.
        let _ = ctrlc::set_handler(on_interrupt);
    }
}

/// Whether Ctrl-C was pressed.
pub(crate) fn was_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Gives Ctrl-C to `handler` from now on, or back to the usual behaviour.
#[allow(dead_code, reason = "for interactive commands")]
pub(crate) fn divert(handler: Option<Diversion>) {
    *DIVERSION.lock().unwrap_or_else(PoisonError::into_inner) = handler;
}

fn on_interrupt() {
    let diversion = DIVERSION.lock().unwrap_or_else(PoisonError::into_inner);
    if diversion.as_ref().is_some_and(|handler| handler()) {
        return;
    }
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        exit_at_once();
    }
    if let Some(budget) = BUDGET.get() {
        budget.cancel();
    }
}

#[allow(clippy::exit, reason = "the user pressed Ctrl-C twice")]
fn exit_at_once() {
    std::process::exit(ExitStatus::Interrupted.code().into());
}
