//! Results of a whole program by the texts of its files: a second run on files that changed at most in layout neither
//! parses them nor makes conditions.
//!
//! | in the key | why |
//! |---|---|
//! | the build of Stet | another build may read the same text differently |
//! | prover, prover options | as for single implementations |
//! | every option that changes conditions, results or which implementations are selected | likewise |
//! | the texts of the files, in order, without their layout ([`crate::layout`]) | all of it may matter |
//!
//! Time and resource limits are not: only programs all of whose implementations were decided are kept, and more time
//! does not change a verdict. Programs with messages of the front end are not kept, as those would be lost.

use crate::codec;
use crate::layout::Layout;
use crate::options::{Caching, Options};
use crate::result::{ImplementationResult, Obligation, Outcome, Verdict};
use crate::task::ENGINE_VERSION;
use crate::text::Texts;
use std::sync::Arc;
use stet_base::{FileId, Span};
use stet_key::{Digest, Encoder, KeyBuilder, KeyParts};
use stet_store::{Entry, Provenance, Store};

/// The kind of whole programs in the store.
pub const PROGRAM_KIND: &str = "verify/program";

/// The key of a program's results.
pub struct ProgramKey {
    key: Digest,
    parts: KeyParts,
    files: Arc<[(FileId, Layout)]>,
}

impl ProgramKey {
    /// The key of these files; `None` if such results are not to be reused with these options. `build` identifies the
    /// running build of Stet. `texts` are the same files cut into pieces, if they could be cut.
    pub fn new(
        build: &str,
        files: &[(FileId, &str)],
        texts: Option<&Texts>,
        options: &Options,
    ) -> Option<ProgramKey> {
        let reused = options.caching != Caching::Off && !options.check_cache;
        // What a smoke test says is not kept with the results.
        if !reused || options.want_models || options.smoke {
            return None;
        }
        let mut builder = KeyBuilder::new(PROGRAM_KIND);
        builder.part("build", |e| {
            e.str(ENGINE_VERSION);
            e.str(build);
        });
        builder.part("prover", |e| {
            e.str(options.identity.kind.name());
            e.str(&options.identity.version);
        });
        builder.part("options", |e| encode_options(e, options));
        let layouts = match texts {
            Some(texts) => {
                builder.part("texts", |e| e.digest(&texts.digest()));
                texts.layouts().clone()
            }
            None => files
                .iter()
                .map(|&(file, text)| {
                    let (layout, content) = Layout::new(text);
                    builder.part("file", |e| e.raw(&content));
                    (file, layout)
                })
                .collect(),
        };
        let (key, parts) = builder.finish();
        Some(ProgramKey {
            key,
            parts,
            files: layouts,
        })
    }

    /// The results, if they are known; all of them count as reused.
    pub fn recall(&self, store: &Store) -> Option<Vec<ImplementationResult>> {
        let entry = store.get(PROGRAM_KIND, &self.key)?;
        let place = |file: u32, start: u32, end: u32| {
            let (file, layout) = self.files.get(file as usize)?;
            let (start, end) = layout.recall(start, end)?;
            Some(Span {
                file: *file,
                start,
                end,
            })
        };
        let results = codec::read(&entry.evidence, entry.provenance.created, &place).ok()?;
        (!results.iter().any(is_rechecked)).then_some(results)
    }

    /// Keeps results if all of them are verdicts.
    pub fn remember(&self, store: &Store, options: &Options, results: &[ImplementationResult]) {
        if !results.iter().all(|result| is_final(result, options)) {
            return;
        }
        let place = |span: Span| {
            let number = self.files.iter().position(|(file, _)| *file == span.file)?;
            let (start, end) = self.files[number].1.forget(span.start, span.end)?;
            Some((number as u32, start, end))
        };
        let Some(evidence) = codec::write(results, &place) else {
            return;
        };
        let failed = results.iter().any(|r| r.outcome == Outcome::Errors);
        store.put(Entry {
            key: self.key,
            kind: PROGRAM_KIND.into(),
            subject: None,
            outcome: if failed {
                stet_store::Outcome::Fails
            } else {
                stet_store::Outcome::Holds
            },
            evidence,
            provenance: Provenance::now("verify", ENGINE_VERSION, &options.identity.version),
            parts: self.parts.clone(),
        });
    }
}

/// Every option that may change a verdict or how it is told. The pattern has no `..`: a new option must be put on one
/// side or the other.
pub(crate) fn encode_options(e: &mut Encoder, options: &Options) {
    let Options {
        error_limit,
        subsumption,
        max_splits,
        split_on_every_assert,
        infer_intervals,
        loop_unroll,
        sound_unrolling,
        refuse_irreducible,
        coalesce_blocks,
        inline_calls,
        branches_in_order,
        arrays,
        erase_types,
        procedures,
        every_path,
        prover_options,
        // a part of its own
        identity: _,
        // such runs keep nothing
        smoke: _,
        want_models: _,
        caching: _,
        check_cache: _,
        resource_limit,
        // only verdicts that more time cannot change are kept
        time_limit: _,
        // how the work is done
        edit_effort: _,
        jobs: _,
        prover: _,
        provers: _,
        texts: _,
    } = options;
    // with a limit the prover is asked differently
    e.bool(*resource_limit != 0);
    e.u64(*error_limit as u64);
    e.u8(*subsumption);
    e.u64(*max_splits as u64);
    e.bool(*split_on_every_assert);
    e.bool(*infer_intervals);
    e.option(*loop_unroll, Encoder::u32);
    e.bool(*sound_unrolling);
    e.bool(*refuse_irreducible);
    e.bool(*coalesce_blocks);
    e.bool(*inline_calls);
    e.bool(*branches_in_order);
    e.bool(*arrays);
    e.bool(*erase_types);
    e.bool(*every_path);
    e.sequence(procedures, |e, pattern| e.str(pattern));
    e.sequence(prover_options, |e, (name, value)| {
        e.str(name);
        e.str(value);
    });
}

/// Whether a result is a verdict that more time cannot change.
pub(crate) fn is_final(result: &ImplementationResult, options: &Options) -> bool {
    let unknown = |o: &Obligation| o.verdict == Verdict::Unknown;
    let decided = matches!(result.outcome, Outcome::Verified | Outcome::Errors);
    let stopped = options.error_limit != 0 && result.errors.len() == options.error_limit;
    decided && (stopped || !result.obligations.iter().any(unknown))
}

/// Whether the verdict of a result is to be computed again by way of sample (law 6).
pub(crate) fn is_rechecked(result: &ImplementationResult) -> bool {
    Digest::from_hex(&result.key).is_some_and(|key| stet_store::is_rechecked(&key))
}
