//! Implementations that a limit left undecided: with the same limits they are not asked about again.
//!
//! | in the key | why |
//! |---|---|
//! | the key of the implementation's verdict | the question, the prover and its options, as for verdicts |
//! | its limits of time and resources | with others the answer may be another one |
//!
//! Such an entry is never a verdict, and a verdict under the implementation's own key goes before it. A limit of resources is reached or not
//! whatever the machine does. A limit of time is not: it is believed only if the prover had the processor for most of it
//! ([`MOST`]), so that a busy machine leaves nothing behind. Errors that were found before are kept with it, unless a snapshot helped to
//! find them.

use super::Layer;
use crate::prove::{Answer, End};
use crate::record;
use crate::setup::Setup;
use crate::task::Task;
use stet_key::{Decoder, Digest, Encoder, KeyBuilder, KeyParts};
use stet_solve::pipe::UnknownReason;
use stet_store::{Entry, Outcome, Store};

/// The kind of these entries in the store.
pub(crate) const UNDECIDED_KIND: &str = "verify/undecided";

/// The share of a limit of time that the prover must have had the processor for, in percent.
const MOST: u128 = 80;

/// The layer of undecided implementations.
pub(crate) struct UndecidedLayer<'a> {
    setup: &'a Setup,
    store: &'a Store,
    /// What the program is called.
    subject: &'a str,
}

impl<'a> UndecidedLayer<'a> {
    pub(crate) fn new(setup: &'a Setup, store: &'a Store, subject: &'a str) -> Self {
        UndecidedLayer {
            setup,
            store,
            subject,
        }
    }

    /// The key of a task; `None` if it has no limits.
    pub(crate) fn key(task: &Task) -> Option<(Digest, KeyParts)> {
        let (time, resources) = task.limits();
        if time.is_none() && resources == 0 {
            return None;
        }
        let mut builder = KeyBuilder::new(UNDECIDED_KIND);
        builder.digest_part("verdict", task.key);
        builder.part("limits", |e| {
            e.option(time, |e, time| e.u64(time.as_millis() as u64));
            e.u64(resources);
        });
        Some(builder.finish())
    }
}

/// Whether it is the limits of a task that ended the questions, and not the machine.
fn is_reached(task: &Task, reason: &UnknownReason) -> bool {
    let (time, resources) = task.limits();
    match reason {
        UnknownReason::ResourceOut => resources != 0,
        UnknownReason::TimeOut => {
            time.is_some_and(|limit| task.processor.as_millis() * 100 >= limit.as_millis() * MOST)
        }
        _ => false,
    }
}

impl Layer for UndecidedLayer<'_> {
    const NAME: &'static str = "undecided";
    type Question<'q> = &'q Task;
    /// What was found before the limit, and when.
    type Known = (Answer, u64);
    type Found<'f> = &'f Answer;

    fn ask(&mut self, task: &Task) -> Option<(Answer, u64)> {
        let (key, _) = UndecidedLayer::key(task)?;
        let entry = self.store.recall(UNDECIDED_KIND, &key)?;
        if !stet_base::always!(
            entry.outcome == Outcome::Unknown,
            "what was left undecided is never stored as a verdict"
        ) {
            return None;
        }
        let mut decoder = Decoder::new(&entry.evidence);
        let is_time = decoder.bool().ok()?;
        let (blocks, checks) = (task.condition.blocks.len(), task.condition.checks.len());
        let failures = record::decode_failures(&mut decoder, blocks, checks).ok()?;
        decoder.finish().ok()?;
        if !failures.iter().all(|failure| task.is_path_to(failure)) {
            return None;
        }
        let reason = match is_time {
            true => UnknownReason::TimeOut,
            false => UnknownReason::ResourceOut,
        };
        let answer = Answer {
            failures,
            end: End::Unknown(reason),
        };
        Some((answer, entry.provenance.created))
    }

    fn tell(&mut self, task: &Task, answer: &Answer) {
        let End::Unknown(reason) = &answer.end else {
            return;
        };
        let Some((key, parts)) = UndecidedLayer::key(task) else {
            return;
        };
        // Errors that a snapshot helped to find need not be those of the implementation's own question.
        let is_own = task.is_own() || answer.failures.is_empty();
        if !is_own || !task.settled.is_empty() || !is_reached(task, reason) {
            return;
        }
        debug_assert!(
            answer
                .failures
                .iter()
                .all(|failure| task.is_path_to(failure)),
            "what is stored is believed later"
        );
        let mut encoder = Encoder::new();
        encoder.bool(*reason == UnknownReason::TimeOut);
        record::encode_failures(&mut encoder, &answer.failures);
        self.store.put(Entry {
            key,
            kind: UNDECIDED_KIND.into(),
            subject: Some(task.subject(self.subject).into()),
            outcome: Outcome::Unknown,
            evidence: encoder.bytes().to_vec(),
            provenance: self.setup.provenance(),
            parts,
        });
    }
}
