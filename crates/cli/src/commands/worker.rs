//! `stet worker`: takes parts of other people's explorations and programs from a Redis server, explores or verifies them,
//! and hands back what came of them and what is left.

use crate::commands::explore::workers;
use crate::commands::verify::workers::SharedProgram;
use crate::exit::ExitStatus;
use crate::session::Session;
use std::cell::RefCell;
use std::time::{Duration, Instant};
use stet_base::Budget;
use stet_diag::Diagnostic;
use stet_explore::{
    Config, Engine, Input, Part, PartEnd, PartResult, PathEnd, Progress, Request, SharedRun, Sink,
    Taker, read_part, read_run, write_part, write_result,
};
use stet_remote::LinkError;
use stet_remote::jobs::{Job, Offer, Worker};

const EXAMPLES: &str = "\
Examples:
  stet worker redis://cache:6379               work for whoever asks, until interrupted
  stet worker redis://cache:6379 --once        for one run
  stet worker redis://cache:6379 --idle 60     until there was no work for a minute
More: docs/SHARED.md";

/// How long a job is explored before what is left is handed over, when others wait for work and when not.
const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(5);
/// How long a worker waits before it looks again.
const WAIT: Duration = Duration::from_millis(200);

/// Options of `stet worker`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The Redis server that was given to `stet explore --workers` or `stet verify --workers`.
    #[arg(value_name = "URL")]
    url: String,
    /// End after one run.
    #[arg(long)]
    once: bool,
    /// End when nobody has asked for work for this many seconds.
    #[arg(long, value_name = "SECONDS")]
    idle: Option<f64>,
    /// A worker that is silent for this many seconds is taken for dead, and its work is given to another.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    lease: f64,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let lease = Duration::try_from_secs_f64(options.lease.max(0.1)).unwrap_or(LONG);
    let url = match workers::redis_url(&options.url) {
        Ok(url) => url,
        Err(diagnostic) => {
            session.report(*diagnostic);
            return ExitStatus::Usage;
        }
    };
    let worked =
        Worker::connect(url, lease).and_then(|mut worker| serve(session, options, &mut worker));
    match worked {
        Ok(()) => ExitStatus::Clean,
        Err(_) if session.budget().is_cancelled() => ExitStatus::Interrupted,
        Err(error) => {
            let message = format!("the server of the workers failed: {error}");
            session.report(Diagnostic::error("explore/workers", message));
            ExitStatus::Usage
        }
    }
}

/// Works for one run after the other.
fn serve(session: &mut Session, options: &Options, worker: &mut Worker) -> Result<(), LinkError> {
    let idle = options.idle.map(|seconds| seconds.max(0.0));
    let mut waiting_since = Instant::now();
    while session.budget().check().is_ok() {
        let Some(offer) = worker.offer()? else {
            let waited = waiting_since.elapsed().as_secs_f64();
            if idle.is_some_and(|limit| waited >= limit) {
                break;
            }
            std::thread::sleep(WAIT);
            continue;
        };
        let explored = read_run(&offer.about).ok();
        let explored = explored.and_then(|run| Some((run.input().ok()?, run)));
        let jobs = if let Some((input, run)) = explored {
            session.begin_program(&[run.config.entry.clone().into()]);
            explore_parts(session, worker, &offer, &run, input)?
        } else if let Ok(program) = SharedProgram::read(&offer.about) {
            verify_parts(session, worker, &offer, &program)?
        } else {
            session.report(Diagnostic::warning(
                "explore/workers",
                "a run of another version of Stet is left to others",
            ));
            std::thread::sleep(WAIT * 10);
            0
        };
        session.say(&format!("{jobs} parts done"));
        if options.once {
            break;
        }
        waiting_since = Instant::now();
    }
    Ok(())
}

/// Takes parts of an exploration until it is over; how many were completed. The engine keeps the program, its terms and its
/// caches from part to part.
fn explore_parts(
    session: &Session,
    worker: &mut Worker,
    offer: &Offer,
    run: &SharedRun,
    input: Input,
) -> Result<u64, LinkError> {
    let desk = Desk {
        worker: RefCell::new(worker),
        offer,
        budget: session.budget(),
        state: RefCell::default(),
    };
    // A part that fails ends an engine; the run is over then, unless somebody else had completed it before.
    let mut first = Some(input);
    while let Some(prefix) = desk.next() {
        match first.take().map_or_else(|| run.input(), Ok) {
            Ok(input) => explore_from(session, &desk, &run.config, input, prefix),
            Err(diagnostic) => desk.fail(diagnostic.message.clone()),
        }
    }
    let state = desk.state.into_inner();
    state.fault.map_or(Ok(state.count), Err)
}

/// Takes parts of a program to verify until it is done; how many were completed.
fn verify_parts(
    session: &Session,
    worker: &mut Worker,
    offer: &Offer,
    program: &SharedProgram,
) -> Result<u64, LinkError> {
    let mut count = 0;
    while session.budget().check().is_ok() && worker.is_wanted(offer)? {
        let Some(job) = worker.next(offer, WAIT)? else {
            continue;
        };
        // What could not be verified here is verified by whoever asked.
        let entries = program.verify(&job.bytes).unwrap_or_default();
        count += u64::from(worker.complete(job, &entries, &[])?);
    }
    Ok(count)
}

/// Explores a part and those that come after it.
fn explore_from(
    session: &Session,
    desk: &Desk<'_>,
    config: &Config,
    input: Input,
    prefix: Vec<u32>,
) {
    let mut stop = |waiting: usize| desk.is_enough(waiting);
    let ended = |end: PartEnd| desk.complete(end);
    let mut part = Part::in_turn(prefix, &mut stop, desk, &ended);
    let request = Request {
        input,
        config,
        store: Some(session.store().clone()),
        budget: session.budget(),
        part: Some(&mut part),
    };
    let mut notes = DeskNotes(desk);
    if let Err(error) = Engine::new().explore(request, &mut notes) {
        desk.fail(error.to_string());
    }
}

/// Where a worker takes parts of one run from and puts what came of them.
struct Desk<'a> {
    worker: RefCell<&'a mut Worker>,
    offer: &'a Offer,
    budget: &'a Budget,
    state: RefCell<DeskState>,
}

#[derive(Default)]
struct DeskState {
    /// The part being explored, since when, and when the server was last asked whether others wait.
    job: Option<(Job, Instant, Instant)>,
    result: PartResult,
    count: u64,
    /// Why there is no more work.
    fault: Option<LinkError>,
}

impl Desk<'_> {
    /// The next part; `None` when the run is over or this worker is to end.
    fn next(&self) -> Option<Vec<u32>> {
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

    /// One look for a part; the outer `None` says that there will be none.
    fn look(&self) -> Result<Option<Option<Vec<u32>>>, LinkError> {
        let mut worker = self.worker.borrow_mut();
        if self.budget.check().is_err() || !worker.is_wanted(self.offer)? {
            return Ok(None);
        }
        let Some(job) = worker.next(self.offer, WAIT)? else {
            return Ok(Some(None));
        };
        drop(worker);
        let prefix = read_part(&job.bytes);
        let now = Instant::now();
        self.state.borrow_mut().job = Some((job, now, now));
        match prefix {
            Ok(prefix) => Ok(Some(Some(prefix))),
            Err(_) => {
                self.fail("the description of a part is damaged".to_owned());
                Ok(Some(None))
            }
        }
    }

    /// Whether what is left of the present part is to be handed over.
    fn is_enough(&self, waiting: usize) -> bool {
        let mut state = self.state.borrow_mut();
        let Some((_, start, asked)) = &mut state.job else {
            return true;
        };
        if start.elapsed() > LONG {
            return true;
        }
        // There must be something to hand over, and somebody to take it.
        if waiting < 2 || start.elapsed() < SHORT || asked.elapsed() < SHORT {
            return false;
        }
        *asked = Instant::now();
        let mut worker = self.worker.borrow_mut();
        !worker.is_work_waiting(self.offer).unwrap_or(true)
    }

    /// Hands in what came of the present part.
    fn complete(&self, end: PartEnd) {
        let mut state = self.state.borrow_mut();
        let mut result = std::mem::take(&mut state.result);
        let Some((job, ..)) = state.job.take() else {
            return;
        };
        if self.budget.check().is_err() {
            return; // what was begun is somebody else's after the lease
        }
        (result.instructions, result.forks) = (end.instructions, end.forks);
        result.solved = end.solved;
        result.left_out = end.left_out;
        result.failure = end.failure.unwrap_or_default();
        let children: Vec<Vec<u8>> = end.left.iter().map(|prefix| write_part(prefix)).collect();
        let mut worker = self.worker.borrow_mut();
        match worker.complete(job, &[write_result(&result)], &children) {
            Ok(is_first) => state.count += u64::from(is_first),
            Err(fault) => state.fault = Some(fault),
        }
    }

    fn fail(&self, failure: String) {
        self.complete(PartEnd {
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
    /// States are handed over when a part ends, with what came of it, so that a part whose worker dies is repeated as a whole.
    fn wants(&self, _: usize) -> usize {
        0
    }

    fn take(&self, _: Vec<u32>) {}

    fn next_part(&self, _: &Budget) -> Option<Vec<u32>> {
        self.next()
    }
}

/// Keeps what the present part tells.
struct DeskNotes<'d, 'a>(&'d Desk<'a>);

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

/// Keeps what a part tells.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) PartResult);

impl Sink for Notes {
    fn stopping(&mut self) {
        crate::watchdog::engine_is_stopping();
    }

    fn path(&mut self, end: PathEnd) {
        self.0.ends.push(end);
    }

    fn warning(&mut self, message: &str) {
        self.0.warnings.push(message.to_owned());
    }

    fn message(&mut self, message: &str) {
        self.0.messages.push(message.to_owned());
    }

    fn progress(&mut self, _: &Progress) {}
}
