//! Obligations under way, so that an edit stops only what it makes obsolete.
//!
//! A run about an earlier text of the same subject is *retired* ([`Engine::retire`](crate::Engine::retire)) instead of
//! cancelled. The next run about the subject says which obligations it has, by their keys:
//!
//! | an obligation of a retired run | |
//! |---|---|
//! | not begun | is not begun |
//! | under way, and the next run has it, too | goes on to its verdict; the next run waits for it and finds it in the store |
//! | under way, and the next run does not have it | is cancelled |
//! | under way, and no run has begun since | goes on: nobody knows yet |
//!
//! Verdicts go from run to run through the store only. A run waits for older ones only, so none waits for itself.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stet_base::{Budget, FastMap};
use stet_key::Digest;

/// The obligations that the runs of an engine have under way.
#[derive(Default)]
pub(crate) struct Takeover {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    runs: u64,
    /// The last run about a subject that is retired, with all before it.
    retired: FastMap<String, u64>,
    under_way: Vec<UnderWay>,
}

struct UnderWay {
    subject: String,
    run: u64,
    key: Digest,
    /// Cancelled alone, or with the run.
    budget: Budget,
}

impl std::fmt::Debug for Takeover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Takeover")
    }
}

impl Takeover {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run about a subject begins.
    pub(crate) fn begin(self: &Arc<Self>, subject: &str) -> Ticket {
        let mut state = self.state();
        state.runs += 1;
        Ticket {
            all: self.clone(),
            subject: subject.to_owned(),
            run: state.runs,
        }
    }

    /// The runs about a subject begin nothing more.
    pub(crate) fn retire(&self, subject: &str) {
        let mut state = self.state();
        let last = state.runs;
        if state.under_way.is_empty() && state.retired.len() > 1000 {
            state.retired.clear(); // runs of so long ago have ended
        }
        debug_assert!(
            state
                .retired
                .get(subject)
                .is_none_or(|&earlier| earlier <= last),
            "runs are numbered upwards"
        );
        state.retired.insert(subject.to_owned(), last);
        drop(state);
        self.changed.notify_all();
    }
}

/// A run among others about the same subject.
#[derive(Debug)]
pub(crate) struct Ticket {
    all: Arc<Takeover>,
    subject: String,
    run: u64,
}

impl Ticket {
    /// The budget for asking about an obligation; `None` if it is not to be asked about (any more).
    pub(crate) fn permit(&self, key: Digest, budget: &Budget) -> Option<Budget> {
        let mut state = self.all.state();
        let own = |u: &&UnderWay| u.run == self.run && u.key == key;
        if let Some(known) = state.under_way.iter().find(own) {
            return (!known.budget.is_cancelled()).then(|| known.budget.clone());
        }
        if self.is_retired_in(&state) || budget.is_cancelled() {
            return None;
        }
        debug_assert!(self.run <= state.runs, "a run is numbered when it begins");
        let own = budget.child();
        state.under_way.push(UnderWay {
            subject: self.subject.clone(),
            run: self.run,
            key,
            budget: own.clone(),
        });
        Some(own)
    }

    /// There is a verdict, or there will be none.
    pub(crate) fn land(&self, key: Digest) {
        let mut state = self.all.state();
        let is_own = |u: &UnderWay| u.run == self.run && u.key == key;
        state.under_way.retain(|u| !is_own(u));
        drop(state);
        self.all.changed.notify_all();
    }

    /// Says which obligations this run has: retired runs stop with all others.
    pub(crate) fn claim(&self, wanted: &[Digest]) {
        let state = self.all.state();
        let retired = state.retired.get(&self.subject).copied().unwrap_or(0);
        let is_retired = |u: &&UnderWay| u.subject == self.subject && u.run <= retired;
        debug_assert!(
            retired <= state.runs,
            "only runs that have begun are retired"
        );
        for other in state.under_way.iter().filter(is_retired) {
            if other.run < self.run && !wanted.contains(&other.key) {
                other.budget.cancel();
            }
        }
    }

    /// Whether an older run has this obligation under way.
    pub(crate) fn is_elsewhere(&self, key: Digest) -> bool {
        let state = self.all.state();
        state.under_way.iter().any(|u| {
            let is_older = u.subject == self.subject && u.run < self.run;
            is_older && u.key == key && !u.budget.is_cancelled()
        })
    }

    /// Waits until something has landed, but not for long.
    pub(crate) fn wait(&self, limit: Duration) {
        let state = self.all.state();
        // Whether it was this or something else is found out by looking again.
        let _ = self.all.changed.wait_timeout(state, limit);
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.is_retired_in(&self.all.state())
    }

    fn is_retired_in(&self, state: &State) -> bool {
        let last = state.retired.get(&self.subject);
        last.is_some_and(|&last| self.run <= last)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.all.state();
        state.under_way.retain(|u| u.run != self.run);
        drop(state);
        self.all.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Digest {
        Digest([n; 32])
    }

    #[test]
    fn a_retired_run_goes_on_with_what_the_next_one_has() {
        let all = Arc::new(Takeover::default());
        let budget = Budget::unlimited();
        let old = all.begin("a");
        let kept = old.permit(key(1), &budget).unwrap();
        let dropped = old.permit(key(2), &budget).unwrap();
        all.retire("a");
        assert!(old.is_retired());
        assert!(old.permit(key(3), &budget).is_none(), "nothing is begun");
        assert!(!dropped.is_cancelled(), "nobody knows yet");
        let new = all.begin("a");
        assert!(!new.is_retired());
        new.claim(&[key(1), key(4)]);
        assert!(!kept.is_cancelled() && dropped.is_cancelled());
        assert!(old.permit(key(1), &budget).is_some(), "its next question");
        assert!(old.permit(key(2), &budget).is_none());
        assert!(new.is_elsewhere(key(1)));
        assert!(!new.is_elsewhere(key(2)) && !new.is_elsewhere(key(4)));
        assert!(!old.is_elsewhere(key(1)), "a run never waits for itself");
        old.land(key(1));
        assert!(!new.is_elsewhere(key(1)));
    }

    #[test]
    fn other_subjects_and_runs_that_go_on_are_left_alone() {
        let all = Arc::new(Takeover::default());
        let budget = Budget::unlimited();
        let (a, b) = (all.begin("a"), all.begin("b"));
        let of_a = a.permit(key(1), &budget).unwrap();
        let of_b = b.permit(key(1), &budget).unwrap();
        let next = all.begin("a");
        next.claim(&[]);
        assert!(!of_a.is_cancelled(), "it is not retired");
        all.retire("a");
        next.claim(&[]);
        assert!(of_a.is_cancelled() && !of_b.is_cancelled());
        budget.cancel();
        assert!(of_b.is_cancelled(), "with the run");
        drop(b);
        assert!(all.state().under_way.iter().all(|u| u.subject == "a"));
    }
}
