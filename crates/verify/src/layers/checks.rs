//! Verdicts of single checks, by comparison with the snapshot of the implementation verified last [FGC §4].
//!
//! A hit is not an answer but a smaller question: what the snapshot knows is assumed, and the rest is asked. The snapshots of
//! an implementation are found by the names of program and implementation; whether one may be used is decided by comparing
//! everything its proofs stand on ([`crate::fine`]).

use super::Layer;
use crate::cfg::Body;
use crate::fine::relate::relate;
use crate::fine::snapshot::{self, Dictionary};
use crate::prove::{Answer, End};
use crate::result::{ImplementationResult, Priority};
use crate::setup::Setup;
use crate::task::{Prepared, Task, configuration};
use crate::vc::Condition;
use stet_key::{Digest, KeyBuilder, KeyParts};
use stet_store::{Entry, Mode, Store};

/// The kind of snapshots in the store.
pub const SNAPSHOT_KIND: &str = "verify/snapshot";

/// A body that relies on what the last snapshot knows, its condition, and what that stands on.
pub(crate) struct Injected {
    pub(crate) body: Body,
    pub(crate) condition: Condition,
    pub(crate) foundation: String,
}

/// The layer of single checks.
pub(crate) struct ChecksLayer<'a> {
    setup: &'a Setup,
    store: &'a Store,
    /// What the program is called.
    subject: &'a str,
    dictionary: Dictionary,
}

/// An implementation, with the digest of its body as written if that is known.
pub(crate) type Question<'q> = (&'q mut Prepared, &'q mut Task, Option<Digest>);

impl<'a> ChecksLayer<'a> {
    pub(crate) fn new(setup: &'a Setup, store: &'a Store, subject: &'a str) -> Self {
        ChecksLayer {
            setup,
            store,
            subject,
            dictionary: Dictionary::default(),
        }
    }

    /// Makes the snapshot of a result the one the next edit is compared with; whether it is there.
    pub(crate) fn make_last(&self, result: &ImplementationResult) -> bool {
        if result.obligations.is_empty() {
            return true;
        }
        let subject = format!("{}:{}", self.subject, result.name);
        let Some(verdict) = Digest::from_hex(&result.key) else {
            return false;
        };
        let (key, _) = snapshot_key(verdict, &subject);
        let kept = self.store.latest(SNAPSHOT_KIND, &subject);
        if kept.is_some_and(|entry| entry.key == key) {
            return true;
        }
        // A look-up that finds nothing counts as a miss, which must not make a run fail that may not miss.
        if self.store.mode() != Mode::ReadWrite {
            return false;
        }
        let found = self.store.get(SNAPSHOT_KIND, &key);
        let Some(entry) = found.filter(|entry| entry.subject.as_deref() == Some(&*subject)) else {
            return false;
        };
        self.store.put((*entry).clone());
        true
    }
}

/// The key of the snapshot that goes with a verdict.
fn snapshot_key(verdict: Digest, subject: &str) -> (Digest, KeyParts) {
    let mut builder = KeyBuilder::new(SNAPSHOT_KIND);
    builder.digest_part("verdict", verdict);
    builder.part("subject", |e| e.str(subject));
    builder.finish()
}

impl Layer for ChecksLayer<'_> {
    const NAME: &'static str = "checks";
    type Question<'q> = Question<'q>;
    type Known = Injected;
    type Found<'f> = &'f Answer;

    /// Reuses what the last snapshot knows about single checks; the rest is the condition to ask about.
    fn ask(&mut self, (prepared, task, body): Question<'_>) -> Option<Injected> {
        let subject = task.subject(self.subject);
        let entry = self.store.latest(SNAPSHOT_KIND, &subject)?;
        let old = snapshot::decode(&entry.evidence).ok()?;
        let entity = snapshot::entity(&prepared.program, task.imp, body);
        task.priority = if old.entity == entity {
            Priority::Low
        } else {
            Priority::Medium
        };
        let is_limited = task.is_limited();
        if self.setup.want_models || old.configuration != configuration(self.setup, is_limited) {
            return None;
        }
        let (program, background) = (&prepared.program, &prepared.background);
        let meanings = self
            .dictionary
            .meanings(program, background, &task.foundation);
        let facts = meanings.facts(program);
        let is_known = |fact: &Digest| facts.binary_search(fact).is_ok();
        if !old.facts.iter().all(is_known) {
            return None;
        }
        let blocks = task.body.blocks.iter();
        let digests: Vec<Vec<_>> = blocks
            .map(|block| {
                let digest = |cmd| meanings.command(program, &task.body, cmd);
                block.cmds.iter().map(digest).collect()
            })
            .collect();
        let scope = snapshot::scope(program, task.imp, &task.body);
        // A snapshot keeps one failing path of a check: where all are wanted, it is asked about again.
        let recycles = old.facts == facts && !self.setup.every_path;
        let program = &mut prepared.program;
        let reuse = relate(
            program, &task.body, &digests, &old, &scope, &meanings, recycles,
        );
        if reuse.verified.is_empty() && reuse.partial.is_empty() && reuse.recycled.is_empty() {
            return None;
        }
        let condition = prepared.condition(task.imp, &reuse.body).ok()?;
        let mut needs = task.condition.needs.clone();
        needs.extend(condition.needs.iter().cloned());
        let foundation =
            prepared
                .background
                .foundation(&prepared.program, &mut prepared.smt, &needs);
        if foundation.unsupported.is_some() {
            return None;
        }
        task.take_reuse(&reuse)?;
        Some(Injected {
            body: reuse.body,
            condition,
            foundation: foundation.text,
        })
    }

    /// Keeps the snapshot of a task with its verdicts, unless it is the one kept already.
    fn tell(&mut self, (prepared, task, body): Question<'_>, answer: &Answer) {
        if matches!(answer.end, End::Unknown(_)) || self.store.mode() != Mode::ReadWrite {
            return;
        }
        let subject = task.subject(self.subject);
        let (key, parts) = snapshot_key(task.key, &subject);
        let kept = self.store.latest(SNAPSHOT_KIND, &subject);
        if kept.is_some_and(|entry| entry.key == key) {
            return;
        }
        let entity = snapshot::entity(&prepared.program, task.imp, body);
        let (program, background) = (&prepared.program, &prepared.background);
        let meanings = self
            .dictionary
            .meanings(program, background, &task.foundation);
        let facts = meanings.facts(program);
        let evidence = snapshot::encode(
            program,
            &task.body,
            &meanings,
            &configuration(self.setup, task.is_limited()),
            &entity,
            &facts,
            &|check| task.old_verdict(check, answer),
        );
        self.store.put(Entry {
            key,
            kind: SNAPSHOT_KIND.into(),
            subject: Some(subject.into()),
            outcome: stet_store::Outcome::Data,
            evidence,
            provenance: self.setup.provenance(),
            parts,
        });
    }
}
