//! What the user should know about the store: each kind of trouble once per run.

use std::sync::Mutex;

/// One thing to tell the user. The run goes on without the verdicts concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreNote {
    /// Stable, e.g. `store/foreign-file`.
    pub code: &'static str,
    /// One line, no trailing full stop.
    pub message: String,
    /// What can be done about it, if anything.
    pub advice: Option<String>,
}

/// The notes collected so far; a second note with the same code is dropped.
#[derive(Default, Debug)]
pub(crate) struct Notes {
    state: Mutex<NotesState>,
}

#[derive(Default, Debug)]
struct NotesState {
    pending: Vec<StoreNote>,
    seen: Vec<&'static str>,
}

impl Notes {
    /// Adds a note unless one with this code was added before.
    pub(crate) fn add(&self, code: &'static str, message: String, advice: Option<&str>) {
        let mut state = self.lock();
        if state.seen.contains(&code) {
            return;
        }
        state.seen.push(code);
        state.pending.push(StoreNote {
            code,
            message,
            advice: advice.map(str::to_owned),
        });
    }

    /// The notes not yet taken.
    pub(crate) fn take(&self) -> Vec<StoreNote> {
        std::mem::take(&mut self.lock().pending)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, NotesState> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
