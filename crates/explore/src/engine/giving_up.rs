//! States that are given up for a limit: they are counted and told, with a test of their path as long as there is time for it.

use super::Engine;
use crate::exec::Executor;
use crate::report::{Halt, Outcome};
use crate::search::Search;
use crate::state::State;
use std::time::Duration;
use stet_base::Stopwatch;

/// How long tests of states that are left may be written after the time limit.
const GRACE: Duration = Duration::from_secs(1);

impl Engine<'_, '_> {
    /// Reports every state that is left as dropped.
    pub(super) fn drop_all(&mut self, current: Option<(Box<State>, usize)>, halt: &Halt) {
        let reason = match halt {
            Halt::Limit(reason) => reason.clone(),
            Halt::Interrupted => "interrupted".to_owned(),
            Halt::Complete => return,
        };
        self.executor.sink.stopping();
        let since = Stopwatch::start();
        let mut untested = 0;
        let current = current.map(|(state, _)| state);
        let mut waiting = self.waiting.take().into_iter().map(|(state, _)| state);
        let mut first = current;
        loop {
            let pooled = || self.pool.take(Search::Dfs).map(|(state, _)| state);
            let Some(state) = first.take().or_else(|| waiting.next()).or_else(pooled) else {
                break;
            };
            // tests of the states that are left take time, too: they come as long as there is some left, and a little longer
            if self.budget.check().is_ok() || since.elapsed() < GRACE {
                self.drop_state(&state, &reason);
            } else {
                untested += 1;
            }
        }
        if untested > 0 {
            self.executor.drop_untested(untested, &reason);
            self.executor.sink.warning(&format!(
                "time was up: {untested} of the states that were given up have no test"
            ));
        }
    }

    fn drop_state(&mut self, state: &State, reason: &str) {
        self.executor.dropped += 1;
        self.executor
            .finish(state, Outcome::Dropped(reason.to_owned()));
        self.executor.paths -= 1;
    }

    /// Drops states over the limits on states and memory, and says so.
    pub(super) fn shed(&mut self) {
        let limits = &self.config.limits;
        while limits
            .states
            .is_some_and(|limit| self.pool.len() > limit.max(1))
        {
            self.shed_one("the limit on states was reached");
        }
        if self.turns.is_multiple_of(64) && self.pool.len() > 1 && self.memory_exceeded() {
            let count = self.pool.len() / 10 + 1;
            for _ in 0..count {
                self.shed_one("the limit on memory was reached");
            }
        }
    }

    pub(super) fn memory_exceeded(&self) -> bool {
        let Some(limit) = self.config.limits.memory else {
            return false;
        };
        let used = match self.config.memory_used {
            Some(measure) => measure(),
            None => resident_estimate(self.pool.len(), &self.executor),
        };
        used > limit
    }

    fn shed_one(&mut self, reason: &str) {
        if let Some((state, leaf)) = self.pool.take_victim() {
            self.drop_state(&state, reason);
            self.pool.prune(leaf);
        }
    }
}

/// A rough size of the states and terms.
fn resident_estimate(states: usize, executor: &Executor<'_>) -> u64 {
    const PER_STATE: u64 = 8 << 10;
    const PER_TERM: u64 = 80;
    states as u64 * PER_STATE
        + executor.ctx.terms.len() as u64 * PER_TERM
        + executor.ctx.addresses.len() as u64 * 64
}
