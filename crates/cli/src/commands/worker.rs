//! `stet worker`: takes parts of other people's explorations and programs from a Redis server, explores or verifies them,
//! and hands back what came of them and what is left.

use crate::commands::explore::workers;
use crate::commands::verify::workers::SharedProgram;
use crate::exit::ExitStatus;
use crate::session::Session;
use std::time::{Duration, Instant};
use stet_diag::Diagnostic;
use stet_explore::{
    Engine, Part, PartResult, PathEnd, Progress, Request, SharedRun, Sink, read_part, read_run,
    write_part, write_result,
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
        let jobs = if let Some(run) = explored.filter(|run| run.input().is_ok()) {
            session.begin_program(&[run.config.entry.clone().into()]);
            explore_parts(session, worker, &offer, &run)?
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

/// Takes parts of an exploration until it is over; how many were completed.
fn explore_parts(
    session: &Session,
    worker: &mut Worker,
    offer: &Offer,
    run: &SharedRun,
) -> Result<u64, LinkError> {
    let mut count = 0;
    while session.budget().check().is_ok() && worker.is_wanted(offer)? {
        let Some(job) = worker.next(offer, WAIT)? else {
            continue;
        };
        let (result, left) = explore(session, worker, offer, run, &job);
        if session.budget().check().is_err() {
            break; // what was begun is somebody else's after the lease
        }
        let children: Vec<Vec<u8>> = left.iter().map(|prefix| write_part(prefix)).collect();
        count += u64::from(worker.complete(job, &[write_result(&result)], &children)?);
    }
    Ok(count)
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

fn explore(
    session: &Session,
    worker: &mut Worker,
    offer: &Offer,
    run: &SharedRun,
    job: &Job,
) -> (PartResult, Vec<Vec<u32>>) {
    let mut notes = Notes::default();
    let (Ok(prefix), Ok(input)) = (read_part(&job.bytes), run.input()) else {
        notes.0.failure = "the description of a part is damaged".to_owned();
        return (notes.0, Vec::new());
    };
    let start = Instant::now();
    let mut asked = start;
    let mut stop = |waiting: usize| {
        if start.elapsed() > LONG {
            return true;
        }
        // There must be something to hand over, and somebody to take it.
        if waiting < 2 || start.elapsed() < SHORT || asked.elapsed() < SHORT {
            return false;
        }
        asked = Instant::now();
        !worker.is_work_waiting(offer).unwrap_or(true)
    };
    let mut part = Part::below(prefix, &mut stop);
    let request = Request {
        input,
        config: &run.config,
        store: Some(session.store().clone()),
        budget: session.budget(),
        part: Some(&mut part),
    };
    let explored = Engine::new().explore(request, &mut notes);
    let left = std::mem::take(&mut part.left);
    let mut result = notes.0;
    match explored {
        Ok(summary) => {
            result.instructions = summary.progress.instructions;
            result.forks = summary.progress.forks;
            result.solved = summary.progress.queries.solver_queries();
            if let stet_explore::Halt::Limit(why) = summary.halt {
                result.failure = why;
            }
            if let Some(mismatch) = summary.mismatches.first() {
                result.failure = format!("the {} cache was wrong", mismatch.layer);
            }
            result.left_out = summary.left_out;
        }
        Err(error) => result.failure = error.to_string(),
    }
    (result, left)
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
