//! `stet explore --jobs N`: one exploration in N threads.
//!
//! ```text
//! queue of parts (choices that lead to a state) -> a thread goes there and explores everything below
//! a thread without work -> the others give away the states that wait longest
//! ```
//!
//! Threads share the answers of queries through the store. What they found is told at the end, in the order in which one thread exploring
//! depth first would: the report does not depend on who explored what.

use super::toolchain::Input;
use super::workers::Whole;
use crate::commands::worker::Notes;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stet_base::{Budget, Exhausted};
use stet_diag::Diagnostic;
use stet_explore::{
    Config, Engine, Halt, Part, PartResult, Request, SharedRun, Sink, Summary, Taker, read_run,
    write_run,
};
use stet_store::Store;

/// How long a thread without work waits before it looks again.
const WAIT: Duration = Duration::from_millis(20);

/// What the threads share.
#[derive(Default)]
struct Queue {
    state: Mutex<Parts>,
    changed: Condvar,
    /// Threads that wait for work, less the parts on their way to them.
    hungry: AtomicUsize,
}

#[derive(Default)]
struct Parts {
    open: Vec<Vec<u32>>,
    /// Parts being explored.
    active: usize,
    results: Vec<PartResult>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Parts> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next part; `None` when there will be none.
    fn next(&self, budget: &Budget) -> Option<Vec<u32>> {
        let mut parts = self.lock();
        let mut is_counted = false;
        loop {
            let found = parts.open.pop();
            let is_over = parts.active == 0 || budget.check().is_err();
            if found.is_some() || is_over {
                // whoever gave the part away has counted this thread off already
                if is_counted && found.is_none() {
                    self.hungry.fetch_sub(1, Ordering::Relaxed);
                }
                parts.active += usize::from(found.is_some());
                return found;
            }
            if !is_counted {
                self.hungry.fetch_add(1, Ordering::Relaxed);
                is_counted = true;
            }
            let waited = self.changed.wait_timeout(parts, WAIT);
            parts = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn done(&self, result: PartResult) {
        let mut parts = self.lock();
        parts.active -= 1;
        parts.results.push(result);
        drop(parts);
        self.changed.notify_all();
    }
}

impl Taker for Queue {
    fn wants(&self, waiting: usize) -> usize {
        // a thread keeps something for itself
        self.hungry.load(Ordering::Relaxed).min(waiting / 2)
    }

    fn take(&self, prefix: Vec<u32>) {
        // the thread that takes it is no longer hungry; a second one that found nothing counts itself again
        let less = |count: usize| count.checked_sub(1);
        let _ = self
            .hungry
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        self.lock().open.push(prefix);
        self.changed.notify_one();
    }
}

/// Explores a program in threads.
pub(super) fn explore(
    jobs: usize,
    input: &Input,
    config: &Config,
    store: Option<&Arc<Store>>,
    budget: &Budget,
    sink: &mut dyn Sink,
) -> Result<Summary, Box<Diagnostic>> {
    let fault = |why: String| Box::new(Diagnostic::error("explore/workers", why));
    // the settings that parts cannot keep are the same as for workers elsewhere
    let root = config.root.clone();
    let shareable = Config {
        root: None,
        ..config.clone()
    };
    let about = write_run(&input.program, &shareable)
        .map_err(|what| fault(format!("`--jobs` cannot be combined with {what}")))?;
    // every part reads the texts again: modules are not shared between threads
    let run = read_run(&about).map_err(|_| fault("the program cannot be shared".to_owned()))?;
    let config = Config { root, ..shareable };
    let queue = Queue::default();
    queue.lock().open.push(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let builder = std::thread::Builder::new().stack_size(64 << 20);
            let work = || {
                while let Some(prefix) = queue.next(budget) {
                    let result = one_part(&run, &config, store, budget, prefix, &queue);
                    queue.done(result);
                }
            };
            if builder.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
    });
    let mut whole = Whole::default();
    let parts = std::mem::take(&mut *queue.lock());
    for result in parts.results {
        whole.add(result).map_err(fault)?;
    }
    let halt = match budget.check() {
        Err(Exhausted::Deadline) => Halt::Limit("the time limit was reached".into()),
        Err(Exhausted::Cancelled) => Halt::Interrupted,
        Ok(()) if !parts.open.is_empty() => return Err(fault("no thread could be started".into())),
        Ok(()) => Halt::Complete,
    };
    Ok(whole.tell(halt, sink))
}

fn one_part(
    run: &SharedRun,
    config: &Config,
    store: Option<&Arc<Store>>,
    budget: &Budget,
    prefix: Vec<u32>,
    queue: &Queue,
) -> PartResult {
    let mut notes = Notes::default();
    let Ok(input) = run.input() else {
        notes.0.failure = "a module could not be read again".to_owned();
        return notes.0;
    };
    let mut part = Part::shared(prefix, queue);
    let request = Request {
        input,
        config,
        store: store.cloned(),
        budget,
        part: Some(&mut part),
    };
    let explored = Engine::new().explore(request, &mut notes);
    let mut result = notes.0;
    match explored {
        Ok(summary) => {
            result.instructions = summary.progress.instructions;
            result.forks = summary.progress.forks;
            result.solved = summary.progress.queries.solver_queries();
            if let (Halt::Limit(why), Ok(())) = (summary.halt, budget.check()) {
                result.failure = why;
            }
            if let Some(mismatch) = summary.mismatches.first() {
                result.failure = format!("the {} cache was wrong", mismatch.layer);
            }
            result.left_out = summary.left_out;
        }
        Err(error) => result.failure = error.to_string(),
    }
    result
}
