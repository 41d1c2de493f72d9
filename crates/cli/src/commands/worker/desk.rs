//! The work queue of one exploration: workers take parts from it and return their results.
//!
//! A worker explores its part depth first and keeps the states below it. When another worker waits, it gives away the states
//! that wait longest, which have most below them, several at once; with them, and every few seconds, it hands in what it found
//! and which states are left. So a state is gone to again (from the root of the tree) only when it changes hands, and of a
//! worker that dies only the last seconds are repeated.

use std::cell::RefCell;
use std::time::{Duration, Instant};
use stet_base::Budget;
use stet_explore::{
    PartEnd, PartResult, PathEnd, Progress, Sink, Taker, read_parts, write_parts, write_result,
};
use stet_remote::LinkError;
use stet_remote::jobs::{Job, Offer, Worker};

/// How often the server is asked whether somebody waits for work.
const ASK: Duration = Duration::from_millis(20);
/// What was found is handed in at least this often.
const HAND_IN: Duration = Duration::from_secs(2);
/// A worker that waits gets so many states at most.
const SHARE: usize = 8;
/// How long a worker waits before it looks again.
pub(super) const WAIT: Duration = Duration::from_millis(200);

/// A worker's place at one run.
pub(super) struct Desk<'a> {
    worker: RefCell<&'a mut Worker>,
    offer: &'a Offer,
    budget: &'a Budget,
    state: RefCell<DeskState>,
}

struct DeskState {
    job: Option<Job>,
    /// Parts of the job that were not begun.
    parts: Vec<Vec<u32>>,
    /// States for others that were not handed in yet, and how many wait for them.
    given: Vec<Vec<u32>>,
    hungry: usize,
    result: PartResult,
    handed_in: Instant,
    asked: Instant,
    count: u64,
    /// Why there is no more work.
    fault: Option<LinkError>,
}

impl DeskState {
    /// Adds what a part or a stretch of one came to.
    fn add(&mut self, end: PartEnd) {
        let result = &mut self.result;
        result.instructions += end.instructions;
        result.forks += end.forks;
        result.solved += end.solved;
        result.left_out.extend(end.left_out);
        result.failure = end.failure.unwrap_or_default();
    }

    /// The states for others, as a job for each who waits.
    fn jobs(&mut self) -> Vec<Vec<u8>> {
        let given = std::mem::take(&mut self.given);
        let size = given.len().div_ceil(self.hungry.max(1)).max(1);
        given.chunks(size).map(write_parts).collect()
    }

    /// The job is another's, or cannot be handed in.
    fn leave(&mut self) {
        self.job = None;
        self.parts.clear();
        self.given.clear();
        self.result = PartResult::default();
    }
}

impl<'a> Desk<'a> {
    pub(super) fn new(worker: &'a mut Worker, offer: &'a Offer, budget: &'a Budget) -> Self {
        let now = Instant::now();
        Desk {
            worker: RefCell::new(worker),
            offer,
            budget,
            state: RefCell::new(DeskState {
                job: None,
                parts: Vec::new(),
                given: Vec::new(),
                hungry: 0,
                result: PartResult::default(),
                handed_in: now,
                asked: now,
                count: 0,
                fault: None,
            }),
        }
    }

    /// How many jobs were completed here, or why there was no more work.
    pub(super) fn close(self) -> Result<u64, LinkError> {
        let state = self.state.into_inner();
        state.fault.map_or(Ok(state.count), Err)
    }

    /// The next part; `None` when the run is over or this worker is to end.
    pub(super) fn next(&self) -> Option<Vec<u32>> {
        if let Some(part) = self.state.borrow_mut().parts.pop() {
            return Some(part);
        }
        if self.state.borrow().fault.is_some() {
            return None;
        }
        loop {
            match self.look() {
                Ok(Some(None)) => {}
                Ok(Some(Some(prefix))) => return Some(prefix),
                Ok(None) => return None,
                Err(fault) => {
                    self.state.borrow_mut().fault = Some(fault);
                    return None;
                }
            }
        }
    }

    /// One look for a job; the outer `None` says that there will be none.
    fn look(&self) -> Result<Option<Option<Vec<u32>>>, LinkError> {
        let mut worker = self.worker.borrow_mut();
        if self.budget.check().is_err() || !worker.is_wanted(self.offer)? {
            return Ok(None);
        }
        let Some(job) = worker.next(self.offer, WAIT)? else {
            return Ok(Some(None));
        };
        drop(worker);
        let parts = read_parts(&job.bytes);
        let mut state = self.state.borrow_mut();
        state.job = Some(job);
        state.handed_in = Instant::now();
        match parts {
            Ok(parts) => {
                state.parts = parts;
                Ok(Some(state.parts.pop()))
            }
            Err(_) => {
                drop(state);
                self.fail("the description of a part is damaged".to_owned());
                Ok(Some(None))
            }
        }
    }

    /// A part has ended: goes on with the next one of the job, or hands in what came of all of them.
    pub(super) fn part_ended(&self, end: PartEnd) {
        let mut state = self.state.borrow_mut();
        let is_failed = end.failure.is_some();
        state.add(end);
        if state.job.is_none() || (!state.parts.is_empty() && !is_failed) {
            return;
        }
        let jobs = state.jobs();
        let result = std::mem::take(&mut state.result);
        state.parts.clear();
        let Some(job) = state.job.take() else {
            return;
        };
        if self.budget.check().is_err() {
            return; // what was begun is somebody else's after the lease
        }
        let mut worker = self.worker.borrow_mut();
        match worker.complete(job, vec![write_result(&result)], jobs) {
            Ok(is_first) => state.count += u64::from(is_first),
            Err(fault) => state.fault = Some(fault),
        }
    }

    pub(super) fn fail(&self, failure: String) {
        self.part_ended(PartEnd {
            left: Vec::new(),
            instructions: 0,
            forks: 0,
            solved: 0,
            left_out: Vec::new(),
            failure: Some(failure),
        });
    }
}

impl Taker for Desk<'_> {
    fn wants(&self, waiting: usize) -> usize {
        let mut state = self.state.borrow_mut();
        if !state.given.is_empty() || state.asked.elapsed() < ASK {
            return 0;
        }
        state.asked = Instant::now();
        let total = waiting + state.parts.len();
        if total < 2 {
            return 0;
        }
        let hungry = self.worker.borrow_mut().hungry(self.offer).unwrap_or(0);
        state.hungry = hungry;
        let wanted = (hungry * SHARE).min(total / 2);
        // what was not begun here costs nothing to give
        let unbegun = wanted.min(state.parts.len());
        state
            .parts
            .sort_by_key(|part| std::cmp::Reverse(part.len()));
        let from = state.parts.len() - unbegun;
        let given = state.parts.split_off(from);
        state.given = given;
        state.parts.sort();
        wanted - unbegun
    }

    fn take(&self, prefix: Vec<u32>) {
        self.state.borrow_mut().given.push(prefix);
    }

    fn next_part(&self, _: &Budget) -> Option<Vec<u32>> {
        self.next()
    }

    fn is_due(&self) -> bool {
        let state = self.state.borrow();
        !state.given.is_empty() || state.handed_in.elapsed() > HAND_IN
    }

    fn hand_in(&self, mut end: PartEnd) -> bool {
        let mut state = self.state.borrow_mut();
        let mut left = std::mem::take(&mut end.left);
        state.add(end);
        left.extend(state.parts.iter().cloned());
        if left.is_empty() || state.job.is_none() {
            return state.job.is_some();
        }
        let jobs = state.jobs();
        let result = std::mem::take(&mut state.result);
        state.handed_in = Instant::now();
        let mut worker = self.worker.borrow_mut();
        let handed_in = match &mut state.job {
            Some(job) => worker.hand_in(job, vec![write_result(&result)], jobs, write_parts(&left)),
            None => Ok(false),
        };
        match handed_in {
            Ok(true) => true,
            Ok(false) => {
                state.leave();
                false
            }
            Err(fault) => {
                state.leave();
                state.fault = Some(fault);
                false
            }
        }
    }
}

/// Keeps what the present part tells.
pub(super) struct DeskNotes<'d, 'a>(pub(super) &'d Desk<'a>);

impl Sink for DeskNotes<'_, '_> {
    fn stopping(&mut self) {
        crate::watchdog::engine_is_stopping();
    }

    fn path(&mut self, end: PathEnd) {
        self.0.state.borrow_mut().result.ends.push(end);
    }

    fn warning(&mut self, message: &str) {
        let mut state = self.0.state.borrow_mut();
        state.result.warnings.push(message.to_owned());
    }

    fn message(&mut self, message: &str) {
        let mut state = self.0.state.borrow_mut();
        state.result.messages.push(message.to_owned());
    }

    fn progress(&mut self, _: &Progress) {}
}
