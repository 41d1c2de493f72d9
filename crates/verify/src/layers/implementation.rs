//! Answers about whole implementations, by the digest of exactly what the prover would be told ([`crate::task::key`]) [FGC §3].

use super::Layer;
use crate::prove::{Answer, End};
use crate::record;
use crate::setup::Setup;
use crate::task::Task;
use stet_store::{Entry, Request, Store};

/// The kind of verdicts in the store.
pub const VERDICT_KIND: &str = "verify/implementation";

/// The layer of implementations.
pub(crate) struct ImplementationLayer<'a> {
    setup: &'a Setup,
    store: &'a Store,
    /// What the program is called.
    subject: &'a str,
}

impl<'a> ImplementationLayer<'a> {
    pub(crate) fn new(setup: &'a Setup, store: &'a Store, subject: &'a str) -> Self {
        ImplementationLayer {
            setup,
            store,
            subject,
        }
    }
}

impl Layer for ImplementationLayer<'_> {
    const NAME: &'static str = "implementation";
    type Question<'q> = &'q Task;
    /// The answer, and when it was first found.
    type Known = (Answer, u64);
    type Found<'f> = &'f Answer;

    fn ask(&mut self, task: &Task) -> Option<(Answer, u64)> {
        let entry = self.store.lookup(&Request {
            kind: VERDICT_KIND,
            subject: &task.subject(self.subject),
            key: task.key,
            parts: &task.parts,
        })?;
        let (blocks, checks) = (task.condition.blocks.len(), task.condition.checks.len());
        let answer = record::decode(&entry.evidence, blocks, checks).ok()?;
        // Whoever says that a check fails must name a way to it.
        let is_told = answer
            .failures
            .iter()
            .all(|failure| task.is_path_to(failure));
        let holds = entry.outcome == stet_store::Outcome::Holds;
        let agrees = stet_base::always!(
            holds == answer.failures.is_empty(),
            "a verdict is stored as what its evidence says"
        );
        (is_told && agrees).then_some((answer, entry.provenance.created))
    }

    /// Stores a verdict; what was not decided is not stored (law 4).
    fn tell(&mut self, task: &Task, answer: &Answer) {
        if matches!(answer.end, End::Unknown(_)) {
            return;
        }
        // Without an error, what was cut short would be stored as a proof.
        if !stet_base::always!(
            answer.end == End::Complete || !answer.failures.is_empty(),
            "a search that was cut short has found an error"
        ) {
            return;
        }
        debug_assert!(
            answer
                .failures
                .iter()
                .all(|failure| task.is_path_to(failure)),
            "what is stored is believed later"
        );
        self.store.put(Entry {
            key: task.key,
            kind: VERDICT_KIND.into(),
            subject: Some(task.subject(self.subject).into()),
            outcome: if answer.failures.is_empty() {
                stet_store::Outcome::Holds
            } else {
                stet_store::Outcome::Fails
            },
            evidence: record::encode(answer),
            provenance: self.setup.provenance(),
            parts: task.parts.clone(),
        });
    }
}
