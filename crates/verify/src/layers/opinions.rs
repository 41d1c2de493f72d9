//! Second opinions about single checks, by the digest of exactly what the prover is told about a check alone
//! ([`crate::open::Slice`]): an edit after a failing check, or beside it, does not have it asked about again.
//!
//! | in the key | why |
//! |---|---|
//! | engine, prover, prover options | as for implementations |
//! | the question: declarations and axioms, variables and formula as sent | all that the answer depends on |
//!
//! Limits are not: what was cut short by them is not kept.

use super::Layer;
use crate::open::Slice;
use crate::prove::{Answer, End};
use crate::record;
use crate::setup::Setup;
use crate::task::ENGINE_VERSION;
use stet_key::{Digest, KeyBuilder, KeyParts};
use stet_store::{Entry, Store};

/// The kind of opinions in the store.
pub const OPINION_KIND: &str = "verify/opinion";

/// The layer of second opinions.
pub(crate) struct OpinionLayer<'a> {
    setup: &'a Setup,
    store: &'a Store,
}

impl<'a> OpinionLayer<'a> {
    pub(crate) fn new(setup: &'a Setup, store: &'a Store) -> Self {
        OpinionLayer { setup, store }
    }

    fn key(&self, slice: &Slice) -> (Digest, KeyParts) {
        let mut builder = KeyBuilder::new(OPINION_KIND);
        builder.part("engine", |e| e.str(ENGINE_VERSION));
        builder.part("prover", |e| self.setup.encode_prover(e));
        builder.part("options", |e| {
            e.sequence(&self.setup.prover_options, |e, (name, value)| {
                e.str(name);
                e.str(value);
            });
        });
        builder.part("declarations", |e| e.str(&slice.foundation));
        builder.part("check", |e| {
            e.str(&slice.condition.declarations);
            e.str(&slice.condition.formula);
        });
        builder.finish()
    }
}

/// Whether an answer says that the check holds.
fn is_proof(answer: &Answer) -> bool {
    answer.failures.is_empty() && answer.end == End::Complete
}

impl Layer for OpinionLayer<'_> {
    const NAME: &'static str = "opinions";
    type Question<'q> = &'q Slice;
    type Known = Answer;
    type Found<'f> = &'f Answer;

    fn ask(&mut self, slice: &Slice) -> Option<Answer> {
        let entry = self.store.get(OPINION_KIND, &self.key(slice).0)?;
        let condition = &slice.condition;
        let (blocks, checks) = (condition.blocks.len(), condition.checks.len());
        let answer = record::decode(&entry.evidence, blocks, checks).ok()?;
        let agrees = (entry.outcome == stet_store::Outcome::Holds) == is_proof(&answer);
        stet_base::always!(agrees, "an opinion is stored as what its evidence says")
            .then_some(answer)
    }

    fn tell(&mut self, slice: &Slice, answer: &Answer) {
        if matches!(answer.end, End::Unknown(_)) {
            return;
        }
        debug_assert!(
            slice.condition.checks.len() <= 1 && answer.failures.len() <= 1,
            "an opinion is about one check"
        );
        let (key, parts) = self.key(slice);
        self.store.put(Entry {
            key,
            kind: OPINION_KIND.into(),
            subject: None,
            outcome: if is_proof(answer) {
                stet_store::Outcome::Holds
            } else {
                stet_store::Outcome::Fails
            },
            evidence: record::encode(answer),
            provenance: self.setup.provenance(),
            parts,
        });
    }
}
