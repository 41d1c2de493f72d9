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
    /// How many parts are wanted, for threads that look without the lock; written by [`Queue::recount`] only.
    hungry: AtomicUsize,
}

#[derive(Default)]
struct Parts {
    open: Vec<Vec<u32>>,
    /// Threads that wait for a part.
    waiting: usize,
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

    /// Counts the parts that are wanted afresh after every change: whoever takes a part need not be the thread it was meant for.
    fn recount(&self, parts: &Parts) {
        let wanted = parts.waiting.saturating_sub(parts.open.len());
        self.hungry.store(wanted, Ordering::Relaxed);
    }

    /// The next part; `None` when there will be none.
    fn next(&self, budget: &Budget) -> Option<Vec<u32>> {
        let mut parts = self.lock();
        parts.waiting += 1;
        loop {
            let found = parts.open.pop();
            let is_over = parts.active == 0 || budget.check().is_err();
            if found.is_some() || is_over {
                parts.waiting -= 1;
                parts.active += usize::from(found.is_some());
                self.recount(&parts);
                return found;
            }
            self.recount(&parts);
            let waited = self.changed.wait_timeout(parts, WAIT);
            parts = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Somebody gives a part away.
    fn offer(&self, prefix: Vec<u32>) {
        let mut parts = self.lock();
        parts.open.push(prefix);
        self.recount(&parts);
        self.changed.notify_one();
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
        self.queue.offer(prefix);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The part that was meant for a waiting thread is taken by the one that gave it away: the other still wants one.
    #[test]
    fn a_thread_that_found_nothing_still_wants_a_part() {
        let queue = Queue::default();
        let budget = Budget::unlimited();
        let wants = |count: usize| {
            while queue.hungry.load(Ordering::Relaxed) != count {
                std::thread::yield_now();
            }
        };
        queue.offer(Vec::new());
        let giver = Seat {
            queue: &queue,
            is_busy: Cell::new(false),
        };
        assert_eq!(giver.next(&budget), Some(Vec::new()));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| queue.next(&budget));
            wants(1);
            {
                let mut parts = queue.lock();
                parts.open.push(vec![7]);
                queue.recount(&parts);
                // before the waiting thread gets the lock, the giver has taken the part back
                assert_eq!(parts.open.pop(), Some(vec![7]));
                queue.recount(&parts);
            }
            wants(1);
            assert_eq!(giver.wants(8), 1);
            giver.take(vec![1]);
            assert_eq!(other.join().expect("the thread ends"), Some(vec![1]));
        });
        assert_eq!(giver.wants(8), 0);
    }
}
