//! Verification on worker threads.
//!
//! A worker checks one version of one document with the engine's one entry and sends results as they come. It
//! stops when its budget is cancelled; what it decided until then is in the store and is not lost.

use crate::document::{Snapshot, path_of};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use stet_base::Budget;
use stet_diag::Diagnostic;
use stet_store::Store;
use stet_verify::{Engine, Event, ImplementationResult, Options, Request, Statistics};

/// What a worker says about a version of a document.
pub(crate) enum Word {
    /// A result.
    Result {
        snapshot: Arc<Snapshot>,
        result: Box<ImplementationResult>,
        diagnostics: Vec<Diagnostic>,
    },
    /// The end.
    Done {
        snapshot: Arc<Snapshot>,
        statistics: Statistics,
        /// What has no place among the results, e.g. that there is no prover.
        diagnostics: Vec<Diagnostic>,
    },
}

/// What workers share.
pub(crate) struct Workshop {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<Store>,
    pub(crate) options: Options,
}

impl Workshop {
    /// Starts to verify a version; `tell` is called from the worker's thread. `only` names one declaration to be verified.
    pub(crate) fn start<E: From<Word> + Send + 'static>(
        &self,
        snapshot: Arc<Snapshot>,
        only: Option<String>,
        tell: Sender<E>,
    ) -> Option<Budget> {
        let file = snapshot.analysis.file?;
        let mut front = snapshot.analysis.front(snapshot.language)?;
        let budget = Budget::unlimited();
        let (engine, store) = (self.engine.clone(), self.store.clone());
        let mut options = self.options.clone();
        options.procedures.extend(only);
        let (shared, told) = (budget.clone(), snapshot);
        let work = move || {
            let subject = path_of(&told.uri);
            let request = Request {
                subject: &subject,
                sources: &told.analysis.sources,
                files: &[file],
                front: &mut *front,
                options: &options,
                store: &store,
                budget: &shared,
            };
            let mut on_event = |event: &Event<'_>| {
                if let Event::Result {
                    result,
                    diagnostics,
                } = event
                {
                    // The server may have ended.
                    let _ = tell.send(E::from(Word::Result {
                        snapshot: told.clone(),
                        result: Box::new((*result).clone()),
                        diagnostics: diagnostics.to_vec(),
                    }));
                }
            };
            let outcome = engine.check(request, &mut on_event);
            store.flush();
            let unplaced = match outcome.is_usable {
                true => Vec::new(),
                false => outcome.diagnostics,
            };
            let _ = tell.send(E::from(Word::Done {
                snapshot: told,
                statistics: outcome.statistics,
                diagnostics: unplaced,
            }));
        };
        let thread = std::thread::Builder::new().name("verification".to_owned());
        thread.spawn(work).ok().map(|_| budget)
    }
}
