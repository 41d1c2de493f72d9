//! `stet worker`: takes parts of other people's explorations and programs from a Redis server, explores or verifies them,
//! and hands back what came of them, signed.

mod desk;

use crate::commands::explore::workers;
use crate::commands::verify::workers::SharedProgram;
use crate::exit::ExitStatus;
use crate::session::Session;
use desk::{Desk, DeskNotes, WAIT};
use std::time::{Duration, Instant};
use stet_diag::Diagnostic;
use stet_explore::{
    Config, Engine, Input, Part, PartEnd, PartResult, PathEnd, Progress, Request, SharedRun, Sink,
    read_run,
};
use stet_remote::LinkError;
use stet_remote::jobs::{Offer, Worker};

const EXAMPLES: &str = "\
Examples:
  stet worker redis://cache:6379               work for whoever asks, until interrupted
  stet worker redis://cache:6379 --once        for one run
  stet worker redis://cache:6379 --idle 60     until there was no work for a minute
More: docs/SHARED.md";

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
    let lease = Duration::try_from_secs_f64(options.lease.max(0.1)).unwrap_or(Duration::MAX / 8);
    let url = match workers::redis_url(&options.url) {
        Ok(url) => url,
        Err(diagnostic) => {
            session.report(*diagnostic);
            return ExitStatus::Usage;
        }
    };
    let signer = match crate::shared::people(&session.options).map(|people| people.signer) {
        Ok(Some(signer)) => signer,
        Ok(None) => {
            session.report(no_key());
            return ExitStatus::Usage;
        }
        Err(diagnostic) => {
            session.report(*diagnostic);
            return ExitStatus::Usage;
        }
    };
    let worked = Worker::connect(url, lease, signer)
        .and_then(|mut worker| serve(session, options, &mut worker));
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

/// Results are believed by their signature.
fn no_key() -> Diagnostic {
    Diagnostic::error(
        "explore/workers",
        "a worker signs what it finds, and there is no signing key",
    )
    .with_note("make one with `stet cache keys new NAME`, or hand it over in `STET_SIGNING_KEY`")
    .with_note("whoever has the work done must have the key, too, or trust it: `stet cache keys trust NAME KEY`")
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
            worker.await_run(WAIT)?;
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
    let desk = Desk::new(worker, offer, session.budget());
    // A part that fails ends an engine; the run is over then, unless somebody else had completed it before.
    let mut first = Some(input);
    while let Some(prefix) = desk.next() {
        match first.take().map_or_else(|| run.input(), Ok) {
            Ok(input) => explore_from(session, &desk, &run.config, input, prefix),
            Err(diagnostic) => desk.fail(diagnostic.message.clone()),
        }
    }
    desk.close()
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
        count += u64::from(worker.complete(job, entries, Vec::new())?);
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
    let ended = |end: PartEnd| desk.part_ended(end);
    let mut part = Part::in_turn(prefix, desk, &ended);
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
