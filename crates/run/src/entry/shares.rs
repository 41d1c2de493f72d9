//! Test assertions, shared between several machines.
//!
//! The first machine is the one that reported what loading had to say; the others load the files again, silently, and
//! take their share of the tests. Results come in the order of the files however many machines there are.

use super::World;
use crate::checks::{CheckSettings, TestFilter, TestResult};
use crate::machine::{Config, Machine};
use crate::query::Answer;

/// Tests to be run.
pub(super) struct Shares<'a> {
    pub(super) files: &'a [String],
    pub(super) pattern: Option<String>,
    pub(super) config: &'a Config,
    pub(super) checks: &'a CheckSettings,
    pub(super) world: World<'a>,
    pub(super) jobs: usize,
}

/// The results, and how many cached answers of property checks were wrong.
type Results = (Vec<(usize, TestResult)>, u64);

impl Shares<'_> {
    /// Runs them; `first` has the files loaded. Also returns how many cached answers the other machines found wrong.
    pub(super) fn run(&self, first: &mut Machine) -> (Vec<TestResult>, u64) {
        let workers = self.jobs.clamp(1, first.test_count().max(1));
        let mut mismatches = 0;
        let mut results = std::thread::scope(|scope| {
            let mut started = Vec::new();
            for offset in 1..workers {
                let worker = std::thread::Builder::new().stack_size(super::STACK);
                let run = move || self.share(offset, workers);
                started.push((offset, worker.spawn_scoped(scope, run)));
            }
            let mut results = first.run_test_assertions(&self.filter(0, workers));
            for (offset, handle) in started {
                let share = handle.ok().and_then(|handle| handle.join().ok().flatten());
                // A worker that could not start leaves its share to the first machine.
                let (share, wrong) = share.unwrap_or_else(|| {
                    (first.run_test_assertions(&self.filter(offset, workers)), 0)
                });
                results.extend(share);
                mismatches += wrong;
            }
            results
        });
        results.sort_by_key(|(index, _)| *index);
        let results = results.into_iter().map(|(_, result)| result).collect();
        (results, mismatches)
    }

    fn filter(&self, offset: usize, workers: usize) -> TestFilter {
        TestFilter {
            pattern: self.pattern.clone(),
            share: Some((offset, workers)),
        }
    }

    /// The share of one more machine; `None` if the files do not load there.
    fn share(&self, offset: usize, workers: usize) -> Option<Results> {
        let mut host = (self.world)();
        host.mute(true);
        let mut machine = super::machine(self.config, self.checks, host);
        for file in self.files {
            let Answer::True(_) = super::consult(&mut machine, file) else {
                return None;
            };
        }
        machine.io.host.mute(false);
        let results = machine.run_test_assertions(&self.filter(offset, workers));
        // A write that fails was noted by the host.
        let _ = machine.io.host.flush_output();
        Some((results, machine.check_stats().mismatches))
    }
}
