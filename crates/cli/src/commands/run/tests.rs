//! `stet run --test`: the test assertions, by as many machines as `--jobs` asks for (without it by one).
//!
//! The first machine is the one that reported what loading had to say; the others load the files again, silently, and
//! take their share of the tests. Results come in the order of the files however many machines there are.

use super::host::{Console, SystemHost};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use stet_run::checks::{CheckSettings, TestFilter, TestResult};
use stet_run::{Answer, Config, Machine};

/// Tests to be run.
pub(super) struct Tests<'a> {
    pub(super) files: &'a [PathBuf],
    pub(super) pattern: Option<String>,
    pub(super) config: Config,
    pub(super) settings: &'a CheckSettings,
    pub(super) jobs: usize,
    /// Whether output goes to the standard error.
    pub(super) aside: bool,
}

/// The results, and how many cached answers of property checks were wrong.
type Results = (Vec<(usize, TestResult)>, u64);

impl Tests<'_> {
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
        let console = Arc::new(Mutex::new(Console::new(self.aside)));
        let silent = |value| {
            console
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .set_silent(value);
        };
        silent(true);
        let host = SystemHost::new(console.clone());
        let mut machine = Machine::new(self.config.clone(), Box::new(host));
        machine.set_checks(self.settings);
        for file in self.files {
            let path = machine.quote(&file.display().to_string());
            let Answer::True(_) = machine.perform(&format!("consult({path})")) else {
                return None;
            };
        }
        silent(false);
        let results = machine.run_test_assertions(&self.filter(offset, workers));
        super::flush(&console);
        Some((results, machine.check_stats().mismatches))
    }
}
