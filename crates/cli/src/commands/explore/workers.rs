//! `stet explore --workers URL`: an exploration that other processes carry out, part by part.
//!
//! This side announces the program, collects what came of each part, and tells it at the end in the order in which one
//! process exploring depth first would: the report does not depend on who explored what. Results count if a trusted key signed
//! them; the exploration is complete when trusted workers have explored every part, not when the server says so.

use super::collect::Collector;
use super::toolchain::Input;
use crate::options::GlobalOptions;
use std::time::{Duration, Instant};
use stet_base::{Budget, Exhausted};
use stet_diag::Diagnostic;
use stet_explore::{
    Config, Coverage, Halt, LeftOut, LeftOutKind, Location, Outcome, PartResult, PathEnd, Progress,
    Sink, Summary, read_result, write_parts, write_run,
};
use stet_remote::jobs::{self, Run};
use stet_remote::keys::Trust;

/// How long one look for results waits.
const WAIT: Duration = Duration::from_millis(100);
/// After so long without a worker the user is told how to start one.
const LONELY: Duration = Duration::from_secs(3);

/// The address of a Redis server, or what is wrong with it.
pub(crate) fn redis_url(url: &str) -> Result<&str, Box<Diagnostic>> {
    match url.starts_with("redis://") || url.starts_with("rediss://") {
        true => Ok(url),
        false => Err(Box::new(Diagnostic::error(
            "explore/workers",
            format!("`{url}` is not a Redis server: workers meet at `redis://host:port`"),
        ))),
    }
}

/// Whose results are believed; an error if nobody's would be.
pub(crate) fn trusted(options: &GlobalOptions) -> Result<Trust, Box<Diagnostic>> {
    let trust = crate::shared::people(options)?.trust;
    let is_any = trust.list().next().is_some();
    match is_any {
        true => Ok(trust),
        false => Err(Box::new(
            Diagnostic::error(
                "explore/workers",
                "workers sign what they find, and no key is trusted here",
            )
            .with_note("on one machine: `stet cache keys new NAME` makes a key for both sides")
            .with_note("for workers elsewhere: `stet cache keys trust NAME KEY`"),
        )),
    }
}

/// Has a program explored by workers.
pub(super) fn explore(
    url: &str,
    trust: Trust,
    input: &Input,
    config: &Config,
    budget: &Budget,
    collector: &mut Collector<'_>,
) -> Result<Summary, Box<Diagnostic>> {
    let fault = |why: String| Box::new(Diagnostic::error("explore/workers", why));
    let url = redis_url(url)?;
    let about = write_run(&input.program, config)
        .map_err(|what| fault(format!("`--workers` cannot be combined with {what}")))?;
    let server =
        |error: stet_remote::LinkError| fault(format!("the server of the workers failed: {error}"));
    let root = write_parts(&[Vec::new()]);
    let mut run = Run::announce(url, &about, &[root], trust).map_err(server)?;
    let (start, mut is_told) = (Instant::now(), false);
    let mut whole = Whole::default();
    let halt = loop {
        match budget.check() {
            Ok(()) => {}
            Err(Exhausted::Deadline) => break Halt::Limit("the time limit was reached".into()),
            Err(Exhausted::Cancelled) => break Halt::Interrupted,
        }
        let look = run.look(WAIT).map_err(server)?;
        if let Some(refusal) = look.refused.first() {
            return Err(fault(jobs::explain(refusal)));
        }
        for found in &look.results {
            let result = read_result(&found.bytes);
            whole
                .add(result.map_err(|_| fault("a worker's result cannot be read".to_owned()))?)
                .map_err(fault)?;
        }
        if !is_told && look.workers == 0 && start.elapsed() > LONELY {
            is_told = true;
            collector.warning(&format!(
                "no worker yet; start some with `stet worker {url}`"
            ));
        }
        if look.open == 0 {
            break Halt::Complete;
        }
        if look.is_stuck {
            return Err(fault(format!(
                "the server of the workers lost {} parts of the exploration",
                look.open
            )));
        }
    };
    drop(run);
    Ok(whole.tell(halt, collector))
}

/// What came of all parts so far.
#[derive(Default)]
pub(super) struct Whole {
    ends: Vec<PathEnd>,
    warnings: Vec<String>,
    messages: Vec<String>,
    left_out: Vec<LeftOut>,
    progress: Progress,
    coverage: Coverage,
}

impl Whole {
    pub(super) fn add(&mut self, result: PartResult) -> Result<(), String> {
        if !result.failure.is_empty() {
            return Err(format!(
                "a worker could not explore a part: {}",
                result.failure
            ));
        }
        self.ends.extend(result.ends);
        self.warnings.extend(result.warnings);
        self.messages.extend(result.messages);
        for entry in result.left_out {
            let is_same = |known: &&mut LeftOut| {
                (known.kind, &known.what, &known.place) == (entry.kind, &entry.what, &entry.place)
            };
            match self.left_out.iter_mut().find(is_same) {
                Some(known) => known.count += entry.count,
                None => self.left_out.push(entry),
            }
        }
        self.progress.instructions += result.instructions;
        self.progress.forks += result.forks;
        Ok(())
    }

    /// Adds what an engine of this process counted.
    pub(super) fn count(&mut self, progress: &Progress, coverage: Coverage) {
        let sum = &mut self.progress;
        sum.instructions += progress.instructions;
        sum.forks += progress.forks;
        sum.objects += progress.objects;
        sum.dropped += progress.dropped;
        // alive at once in all threads, at most
        sum.peak_states += progress.peak_states;
        sum.queries.add(&progress.queries);
        self.coverage.merge(coverage);
    }

    /// Notes states that nobody explored.
    pub(super) fn dropped(&mut self, count: u64, reason: &str) {
        if count > 0 {
            self.progress.dropped += count;
            self.left_out.push(LeftOut {
                kind: LeftOutKind::Dropped,
                what: reason.to_owned(),
                place: Location::default(),
                count,
            });
        }
    }

    /// Tells everything as one process would have.
    pub(super) fn tell(mut self, halt: Halt, sink: &mut dyn Sink) -> Summary {
        self.warnings.sort();
        self.warnings.dedup();
        self.warnings
            .iter()
            .for_each(|warning| sink.warning(warning));
        self.messages
            .iter()
            .for_each(|message| sink.message(message));
        let is_dropped = |end: &&PathEnd| matches!(end.outcome, Outcome::Dropped(_));
        let dropped = self.ends.iter().filter(is_dropped).count() as u64;
        self.progress.dropped = self.progress.dropped.max(dropped);
        self.progress.paths = self.ends.len() as u64 - dropped;
        let (covered, instructions) = self.coverage.counts();
        (self.progress.covered, self.progress.covered_instructions) = (covered, instructions);
        self.ends
            .sort_by_cached_key(|end| (depth_first(&end.choices), end.instructions));
        self.ends.into_iter().for_each(|end| sink.path(end));
        sink.progress(&self.progress);
        Summary {
            halt,
            progress: self.progress,
            mismatches: Vec::new(),
            left_out: self.left_out,
            coverage: self.coverage,
        }
    }
}

/// Sorts as depth first explores: on with the same state, then its copies, newest first.
fn depth_first(choices: &[u32]) -> Vec<u32> {
    let rank = |&choice: &u32| match choice {
        0 => 0,
        copy => u32::MAX - copy,
    };
    choices.iter().map(rank).collect()
}
