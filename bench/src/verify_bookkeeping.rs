//! What keeping verdicts costs a cold verification.
//!
//! The same program is verified in this process without a cache, with a store file that does not exist yet, and with one that
//! exists and knows another program. The prover is asked the same questions every time, which is counted, and what it takes
//! for them varies by more than what is to be measured; so bookkeeping is the difference of this process's own CPU time, best
//! of several rounds, and is compared with the whole run, prover included.

use cpu_time::ProcessTime;
use std::path::Path;
use std::time::{Duration, Instant};
use stet_base::Budget;
use stet_fuzz::verify::edits::Verifier;
use stet_solve::pipe::ProverConfig;
use stet_store::{Config, Mode, Store};
use stet_verify::{Caching, Options};

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
    pub config: ProverConfig,
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
        let mut options = Options::new(config);
        options.caching = if store.is_some() {
            Caching::Fine
        } else {
            Caching::Off
        };
        let verifier = Verifier::new(&Budget::unlimited());
        let before = ProcessTime::now();
        verify(&verifier, text, &options, store)?;
        let own = before.elapsed().as_secs_f64() * 1000.0;
        let prover = children();
        verifier.stop();
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        Some((own, prover, log.matches("(check-sat)").count()))
    }
}

/// As `stet verify` does it, from opening the store to closing it; `None` if it is not a program, or not a cold run.
fn verify(verifier: &Verifier, text: &str, options: &Options, path: Option<&Path>) -> Option<()> {
    let store = Store::open(match path {
        Some(path) => Config::file(path, Mode::ReadWrite),
        None => Config::memory(Mode::Off),
    });
    let checked = verifier.check(text, options, &store)?;
    checked.outcome.program.as_ref()?;
    store.flush();
    Some(())
}

/// CPU milliseconds of this process's children that run now: its provers.
pub fn children() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task");
    let children = tasks.into_iter().flatten().flatten().map(|task| {
        let children = std::fs::read_to_string(task.path().join("children"));
        children.unwrap_or_default()
    });
    let nanoseconds = |child: &str| -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{child}/schedstat")).unwrap_or_default();
        let first = text.split(' ').next().and_then(|n| n.parse().ok());
        first.unwrap_or(0.0)
    };
    let of_task = |children: String| children.split_whitespace().map(nanoseconds).sum::<f64>();
    children.map(of_task).sum::<f64>() / 1e6
}
