//! What keeping verdicts costs a cold verification.
//!
//! The same program is verified in this process without a cache, with a store file that does not exist yet, and with one that
//! exists and knows another program. The prover is asked the same questions every time, which is counted, and what it takes
//! for them varies by more than what is to be measured; so bookkeeping is the difference of this process's own CPU time, best
//! of several rounds, and is compared with the whole run, prover included.

use crate::verify_edits::read;
use cpu_time::ProcessTime;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stet_base::{Budget, SourceMap};
use stet_solve::pipe::{ProverConfig, ProverIdentity};
use stet_store::{Config, Mode, Store};
use stet_verify::{Caching, Context, Options, ProgramKey, Provers, Texts, verify_here};

/// Programs are verified in every way at least twice, and more often while this has not passed.
const ENOUGH: Duration = Duration::from_secs(4);
const MOST_ROUNDS: usize = 25;

/// What existing stores know.
const OTHER: &str = "procedure P(x: int) { assert x == x; }\n";

/// The costs of one program in CPU milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// Without a cache, prover included.
    pub off: f64,
    /// How much more with a new store, and with one that exists.
    pub more: [f64; 2],
    /// Questions to the prover without a cache and with.
    pub questions: [usize; 2],
}

/// A prover, and where files may be written.
pub struct Bench<'a> {
    /// The prover.
    pub config: ProverConfig,
    /// Which one that is.
    pub identity: ProverIdentity,
    /// For stores and logs.
    pub directory: &'a Path,
}

/// Own CPU milliseconds, the prover's, and the questions it was asked.
type Run = (f64, f64, usize);

impl Bench<'_> {
    /// Measures one program; `None` if it cannot be verified.
    pub fn measure(&self, text: &str) -> Option<Costs> {
        let started = Instant::now();
        let mut own = [f64::MAX; 3];
        let mut prover = f64::MAX;
        let mut questions = [0; 2];
        for round in 0..MOST_ROUNDS {
            if round >= 2 && started.elapsed() >= ENOUGH {
                break;
            }
            let runs = [
                self.run(text, None)?,
                self.run_with(text, "")?,
                self.run_with(text, OTHER)?,
            ];
            for (best, run) in own.iter_mut().zip(&runs) {
                *best = best.min(run.0);
            }
            prover = prover.min(runs[0].1);
            questions = [runs[0].2, runs[1].2];
        }
        Some(Costs {
            off: own[0] + prover,
            more: [own[1] - own[0], own[2] - own[0]],
            questions,
        })
    }

    /// With a new store file, in which a first program was verified before the clock runs.
    fn run_with(&self, text: &str, first: &str) -> Option<Run> {
        let path = self.directory.join("store.db");
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
        if !first.is_empty() {
            self.run(first, Some(&path))?;
        }
        self.run(text, Some(&path))
    }

    fn run(&self, text: &str, store: Option<&Path>) -> Option<Run> {
        let log = self.directory.join("log.smt2");
        let _ = std::fs::remove_file(&log);
        let mut config = self.config.clone();
        config.log = Some(log.clone());
        let mut options = Options::new(config, self.identity.clone());
        options.caching = if store.is_some() {
            Caching::Fine
        } else {
            Caching::Off
        };
        options.provers = Some(Arc::new(Provers::default()));
        // Programs of front ends nest deeply, and a prover belongs to the thread that started it.
        let (own, prover) = stet_boogie::deep_stack(|| {
            let before = ProcessTime::now();
            verify(text, &mut options, store)?;
            let own = before.elapsed().as_secs_f64() * 1000.0;
            let prover = children();
            if let Some(provers) = &options.provers {
                provers.stop();
            }
            Some((own, prover))
        })?;
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        Some((own, prover, log.matches("(check-sat)").count()))
    }
}

/// As `stet verify` does it, from opening the store to closing it.
fn verify(text: &str, options: &mut Options, path: Option<&Path>) -> Option<()> {
    let store = Store::open(match path {
        Some(path) => Config::file(path, Mode::ReadWrite),
        None => Config::memory(Mode::Off),
    });
    let mut key = None;
    if path.is_some() {
        // A program may be known as a whole, so its text is looked at before it is read.
        let file = SourceMap::new().add("cold.bpl", text)?;
        let files = [(file, text)];
        options.texts = Texts::new("bench", &files).map(Arc::new);
        key = ProgramKey::new("bench", &files, options.texts.as_deref(), options);
        if key.as_ref().is_some_and(|key| key.recall(&store).is_some()) {
            return None; // not a cold run
        }
    }
    let (program, ..) = read(text)?;
    let context = Context {
        store: &store,
        subject: "cold.bpl",
        budget: &Budget::unlimited(),
    };
    let run = verify_here(program, options, &context, &mut |_| {});
    if let Some(key) = key {
        key.remember(&store, options, &run.results);
    }
    store.flush();
    Some(())
}

/// CPU milliseconds of this thread's children that run now: its provers.
pub fn children() -> f64 {
    let thread = std::fs::read_link("/proc/thread-self").unwrap_or_default();
    let children = format!("/proc/{}/children", thread.display());
    let children = std::fs::read_to_string(children).unwrap_or_default();
    let nanoseconds = |child: &str| -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{child}/schedstat")).unwrap_or_default();
        let first = text.split(' ').next().and_then(|n| n.parse().ok());
        first.unwrap_or(0.0)
    };
    let all = children.split_whitespace().map(nanoseconds);
    all.sum::<f64>() / 1e6
}
