//! `stet explore --jobs N`: one exploration in N threads.
//!
//! ```text
//! queue of parts (choices that lead to a state) -> a thread goes there and explores everything below
//! a thread without work -> the others give away the states that wait longest
//! ```
//!
//! Threads share the answers of queries through the store. What they found is told at the end, in the order in which one thread exploring
//! depth first would: paths and findings do not depend on who explored what. Which of the inputs that take a path becomes its test may.

use super::toolchain::Input;
use super::workers::Whole;
use crate::commands::worker::Notes;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stet_base::{Budget, Exhausted};
use stet_diag::Diagnostic;
use stet_explore::{
    Config, Coverage, Engine, Halt, Part, PartResult, Progress, Request, Sink, Summary, Taker,
    check_shared,
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
    results: Vec<Share>,
}

/// What one thread found.
#[derive(Default)]
struct Share {
    result: PartResult,
    progress: Progress,
    coverage: Coverage,
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

    /// A part has ended.
    fn ended(&self) {
        self.lock().active -= 1;
        self.changed.notify_all();
    }
}

/// A thread's place at the queue.
struct Seat<'q> {
    queue: &'q Queue,
    /// Whether it explores a part.
    is_busy: Cell<bool>,
}

impl Seat<'_> {
    fn next(&self, budget: &Budget) -> Option<Vec<u32>> {
        self.leave();
        let prefix = self.queue.next(budget);
        self.is_busy.set(prefix.is_some());
        prefix
    }

    fn leave(&self) {
        if self.is_busy.replace(false) {
            self.queue.ended();
        }
    }
}

impl Taker for Seat<'_> {
    fn wants(&self, waiting: usize) -> usize {
        // a thread keeps something for itself
        self.queue.hungry.load(Ordering::Relaxed).min(waiting / 2)
    }

    fn take(&self, prefix: Vec<u32>) {
        // the thread that takes it is no longer hungry; a second one that found nothing counts itself again
        let less = |count: usize| count.checked_sub(1);
        let _ = self
            .queue
            .hungry
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        self.queue.lock().open.push(prefix);
        self.queue.changed.notify_one();
    }

    fn next_part(&self, budget: &Budget) -> Option<Vec<u32>> {
        self.next(budget)
    }
}

/// Explores a program in threads.
pub(super) fn explore(
    jobs: usize,
    input: Input,
    config: &Config,
    store: Option<&Arc<Store>>,
    budget: &Budget,
    sink: &mut dyn Sink,
) -> Result<Summary, Box<Diagnostic>> {
    let fault = |why: String| Box::new(Diagnostic::error("explore/workers", why));
    // the settings that parts cannot keep are the same as for workers elsewhere
    let (root, external) = (config.root.clone(), config.external.clone());
    let shareable = Config {
        root: None,
        external: stet_explore::ExternalConfig::default(),
        ..config.clone()
    };
    check_shared(&shareable)
        .map_err(|what| fault(format!("`--jobs` cannot be combined with {what}")))?;
    let config = Config {
        root,
        external,
        ..shareable
    };
    let program = input.program;
    let queue = Queue::default();
    queue.lock().open.push(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let builder = std::thread::Builder::new().stack_size(64 << 20);
            let work = || {
                let seat = Seat {
                    queue: &queue,
                    is_busy: Cell::new(false),
                };
                while let Some(prefix) = seat.next(budget) {
                    let share = share(&program, &config, store, budget, prefix, &seat);
                    queue.lock().results.push(share);
                }
            };
            if builder.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
    });
    let mut whole = Whole::default();
    let parts = std::mem::take(&mut *queue.lock());
    for share in parts.results {
        whole.count(&share.progress, share.coverage);
        whole.add(share.result).map_err(fault)?;
    }
    let halt = match budget.check() {
        Err(Exhausted::Deadline) => Halt::Limit("the time limit was reached".into()),
        Err(Exhausted::Cancelled) => Halt::Interrupted,
        Ok(()) if !parts.open.is_empty() => return Err(fault("no thread could be started".into())),
        Ok(()) => Halt::Complete,
    };
    if let Halt::Limit(reason) = &halt {
        // given away by one thread and not begun by another
        whole.dropped(parts.open.len() as u64, reason);
    }
    Ok(whole.tell(halt, sink))
}

/// What one thread finds: the part it begins with, and what the others give it afterwards.
fn share(
    program: &stet_explore::Input,
    config: &Config,
    store: Option<&Arc<Store>>,
    budget: &Budget,
    prefix: Vec<u32>,
    seat: &Seat<'_>,
) -> Share {
    let mut notes = Notes::default();
    let mut part = Part::shared(prefix, seat);
    let request = Request {
        input: program.clone(),
        config,
        store: store.cloned(),
        budget,
        part: Some(&mut part),
    };
    let explored = Engine::new().explore(request, &mut notes);
    let mut share = Share {
        result: notes.0,
        ..Share::default()
    };
    match explored {
        Ok(summary) => {
            if let (Halt::Limit(why), Ok(())) = (summary.halt, budget.check()) {
                share.result.failure = why;
            }
            if let Some(mismatch) = summary.mismatches.first() {
                share.result.failure = format!("the {} cache was wrong", mismatch.layer);
            }
            share.result.left_out = summary.left_out;
            share.progress = summary.progress;
            share.coverage = summary.coverage;
        }
        Err(error) => share.result.failure = error.to_string(),
    }
    share
}
