//! Verification on worker threads.
//!
//! A worker checks one version of one document with the engine's one entry and sends results as they come. When there is
//! a newer version it is retired: it finishes what it had begun, unless the newer version has no use for it. It stops
//! when its budget is cancelled. What it decided is in the store and is not lost. A worker that
//! panics still ends: the document says so, and the next edit starts another.

use crate::document::{Snapshot, path_of};
use crate::explore::{Explored, Explorer};
use crate::language::Language;
use crate::prolog::{Assertion, PrologChecker};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use stet_base::{Budget, Span, Stopwatch};
use stet_dafny_verify::paths::Captured;
use stet_diag::Diagnostic;
use stet_store::Store;
use stet_verify::{Caching, Engine, Event, ImplementationResult, Options, Request, Statistics};

/// What a worker says about a version of a document.
pub(crate) struct Word {
    pub(crate) snapshot: Arc<Snapshot>,
    /// Which run says it.
    pub(crate) run: u64,
    pub(crate) kind: Kind,
}

/// The kinds of words.
pub(crate) enum Kind {
    Result {
        result: Box<ImplementationResult>,
        diagnostics: Vec<Diagnostic>,
        /// Seconds since the run started.
        after: f64,
    },
    Done {
        statistics: Box<Statistics>,
        /// What has no place among the results, e.g. that there is no prover.
        diagnostics: Vec<Diagnostic>,
    },
    /// Errors with models, or nothing if they could not be had.
    Models(Vec<ImplementationResult>),
    /// A function of a C file was explored.
    Explored { function: String, found: Explored },
    /// The assertions of a Prolog file; the end.
    Assertions {
        found: Vec<Assertion>,
        problems: Vec<Diagnostic>,
    },
}

/// What workers share.
pub(crate) struct Workshop {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<Store>,
    pub(crate) options: Options,
    pub(crate) prolog: Option<Arc<dyn PrologChecker>>,
    pub(crate) explorer: Option<Arc<dyn Explorer>>,
}

/// What a worker is to do.
pub(crate) struct Job {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) run: u64,
    /// How it is verified.
    pub(crate) options: Options,
    /// The implementations to look at; all if empty.
    pub(crate) only: Vec<String>,
    /// What the editor shows.
    pub(crate) visible: Vec<Span>,
}

impl Workshop {
    /// Whether documents of a language are verified.
    pub(crate) fn verifies(&self, language: Language) -> bool {
        match language {
            Language::Boogie | Language::Dafny => true,
            Language::Prolog => self.prolog.is_some(),
            Language::C => false,
        }
    }

    /// Starts to verify a version; `tell` is used from the worker's thread.
    pub(crate) fn start<E: From<Word> + Send + 'static>(
        &self,
        job: Job,
        tell: Sender<E>,
    ) -> Option<Budget> {
        let file = job.snapshot.analysis.file?;
        if job.snapshot.language == Language::Prolog {
            return self.start_prolog(job, tell);
        }
        let mut front = job.snapshot.analysis.front(job.snapshot.language)?;
        let budget = Budget::unlimited();
        let (engine, store) = (self.engine.clone(), self.store.clone());
        let mut options = job.options;
        options.procedures = job.only;
        options.visible = job.visible;
        options.count_resources = true;
        let shared = budget.clone();
        let (snapshot, run) = (job.snapshot, job.run);
        let work = move || {
            let subject = path_of(&snapshot.uri);
            let clock = Stopwatch::start();
            let say = |kind: Kind| {
                let snapshot = snapshot.clone();
                // The server may have ended.
                let _ = tell.send(E::from(Word {
                    snapshot,
                    run,
                    kind,
                }));
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let request = Request {
                    subject: &subject,
                    sources: &snapshot.analysis.sources,
                    files: &[file],
                    front: &mut *front,
                    options: &options,
                    store: &store,
                    budget: &shared,
                };
                engine.check(request, &mut |event: &Event<'_>| {
                    if let Event::Result {
                        result,
                        diagnostics,
                    } = event
                    {
                        say(Kind::Result {
                            result: Box::new((*result).clone()),
                            diagnostics: diagnostics.to_vec(),
                            after: clock.elapsed().as_secs_f64(),
                        });
                    }
                })
            }));
            store.flush();
            let (statistics, diagnostics) = match outcome {
                Ok(outcome) if outcome.is_usable => {
                    let unplaced = mismatches(&outcome);
                    (outcome.statistics, unplaced)
                }
                Ok(outcome) => (outcome.statistics, outcome.diagnostics),
                Err(_) => (Statistics::default(), vec![broken()]),
            };
            say(Kind::Done {
                statistics: Box::new(statistics),
                diagnostics,
            });
        };
        let thread = std::thread::Builder::new().name("verification".to_owned());
        thread.spawn(work).ok().map(|_| budget)
    }

    /// Starts to analyse a Prolog file.
    fn start_prolog<E: From<Word> + Send + 'static>(
        &self,
        job: Job,
        tell: Sender<E>,
    ) -> Option<Budget> {
        let checker = self.prolog.clone()?;
        let budget = Budget::unlimited();
        let (shared, snapshot, run) = (budget.clone(), job.snapshot, job.run);
        let work = move || {
            let path = path_of(&snapshot.uri);
            let checked = catch_unwind(AssertUnwindSafe(|| {
                checker.check(&path, &snapshot.text, &shared)
            }));
            let (found, problems) = checked.unwrap_or_else(|_| (Vec::new(), vec![broken()]));
            let kind = Kind::Assertions { found, problems };
            let _ = tell.send(E::from(Word {
                snapshot,
                run,
                kind,
            }));
        };
        let thread = std::thread::Builder::new().name("analysis".to_owned());
        thread.spawn(work).ok().map(|_| budget)
    }

    /// Starts to explore a function of a C file.
    pub(crate) fn start_exploring<E: From<Word> + Send + 'static>(
        &self,
        snapshot: Arc<Snapshot>,
        run: u64,
        function: String,
        tell: Sender<E>,
    ) -> Option<Budget> {
        let explorer = self.explorer.clone()?;
        let budget = Budget::unlimited();
        let shared = budget.clone();
        let work = move || {
            let path = path_of(&snapshot.uri);
            let explored = catch_unwind(AssertUnwindSafe(|| {
                explorer.explore(&path, &snapshot.text, &function, &shared)
            }));
            let found = explored.unwrap_or_else(|_| Explored {
                findings: Vec::new(),
                summary: "exploring was aborted by a defect of Stet".to_owned(),
            });
            let _ = tell.send(E::from(Word {
                snapshot,
                run,
                kind: Kind::Explored { function, found },
            }));
        };
        let thread = std::thread::Builder::new().name("exploration".to_owned());
        thread.spawn(work).ok().map(|_| budget)
    }

    /// Starts to look for the values of variables on failing paths. Errors with models are never reused, so this runs beside
    /// verification, for the implementations that failed only.
    pub(crate) fn start_models<E: From<Word> + Send + 'static>(
        &self,
        job: Job,
        tell: Sender<E>,
    ) -> Option<Budget> {
        let file = job.snapshot.analysis.file?;
        let front = job.snapshot.analysis.front(job.snapshot.language)?;
        let budget = Budget::unlimited();
        let (engine, store) = (self.engine.clone(), self.store.clone());
        let mut options = job.options;
        options.procedures = job.only;
        options.want_models = true;
        options.caching = Caching::Off;
        options.check_cache = false;
        let shared = budget.clone();
        let (snapshot, run) = (job.snapshot, job.run);
        let work = move || {
            let subject = path_of(&snapshot.uri);
            let mut front = Captured(front);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let request = Request {
                    subject: &subject,
                    sources: &snapshot.analysis.sources,
                    files: &[file],
                    front: &mut front,
                    options: &options,
                    store: &store,
                    budget: &shared,
                };
                engine.check(request, &mut |_| {}).verdicts
            }));
            let kind = Kind::Models(outcome.unwrap_or_default());
            let _ = tell.send(E::from(Word {
                snapshot,
                run,
                kind,
            }));
        };
        let thread = std::thread::Builder::new().name("counterexamples".to_owned());
        thread.spawn(work).ok().map(|_| budget)
    }
}

/// Reused verdicts that differ from their recomputation must be seen.
fn mismatches(outcome: &stet_verify::Outcome) -> Vec<Diagnostic> {
    let all = outcome.diagnostics.iter();
    all.filter(|d| d.code.starts_with("internal/"))
        .cloned()
        .collect()
}

fn broken() -> Diagnostic {
    Diagnostic::error(
        "internal/panic",
        "verification of this document was aborted by a defect of Stet",
    )
    .with_note("the next edit starts it again; please report this with the document")
}
