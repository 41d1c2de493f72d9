//! Results of a whole program by the texts of its files: a second run on files that changed at most in layout neither
//! parses them nor makes conditions.
//!
//! | in the key | why |
//! |---|---|
//! | the reader: engine version, build of Stet, front end with its options | another one may read the same text differently |
//! | prover, prover options | as for single implementations |
//! | every option that changes conditions, results or which implementations are selected | likewise |
//! | the texts of the files, in order; those of Boogie without their layout ([`crate::layout`]) | all of it may matter |
//!
//! Time and resource limits are not: only programs all of whose implementations were decided are kept, and more time
//! does not change a verdict. Programs with diagnostics of the front end are not kept, as those would be lost.

use super::Layer;
use crate::codec;
use crate::layout::Layout;
use crate::result::{Conclusion, ImplementationResult};
use crate::setup::Setup;
use std::sync::Arc;
use stet_base::{FileId, Span};
use stet_key::{Digest, KeyBuilder, KeyParts};
use stet_store::{Entry, Store};

/// The kind of whole programs in the store.
pub const PROGRAM_KIND: &str = "verify/program";

/// The layer of whole programs, for one text.
pub(crate) struct ProgramLayer<'a> {
    key: Digest,
    parts: KeyParts,
    files: Arc<[(FileId, Layout)]>,
    setup: &'a Setup,
    store: &'a Store,
}

impl<'a> ProgramLayer<'a> {
    /// The layer for these files, read by `reader`; `whole` if their layout is to be kept.
    pub(crate) fn new(
        reader: Digest,
        files: &[(FileId, &str)],
        whole: bool,
        setup: &'a Setup,
        store: &'a Store,
    ) -> Self {
        let mut builder = KeyBuilder::new(PROGRAM_KIND);
        builder.digest_part("reader", reader);
        builder.part("prover", |e| setup.encode_prover(e));
        builder.part("options", |e| setup.encode(e));
        let layouts = match &setup.texts {
            Some(texts) => {
                builder.part("texts", |e| e.digest(&texts.digest()));
                texts.layouts().clone()
            }
            None => files
                .iter()
                .map(|&(file, text)| {
                    let (layout, content) = if whole {
                        Layout::whole(text)
                    } else {
                        Layout::new(text)
                    };
                    builder.part("file", |e| e.raw(&content));
                    (file, layout)
                })
                .collect(),
        };
        let (key, parts) = builder.finish();
        ProgramLayer {
            key,
            parts,
            files: layouts,
            setup,
            store,
        }
    }
}

impl Layer for ProgramLayer<'_> {
    const NAME: &'static str = "program";
    type Question<'q> = ();
    type Known = Vec<ImplementationResult>;
    type Found<'f> = &'f [ImplementationResult];

    /// The results, if they are known; all of them count as reused.
    fn ask(&mut self, (): ()) -> Option<Vec<ImplementationResult>> {
        let entry = self.store.get(PROGRAM_KIND, &self.key)?;
        let place = |file: u32, start: u32, end: u32| {
            let (file, layout) = self.files.get(file as usize)?;
            let (start, end) = layout.recall(start, end)?;
            Some(Span {
                file: *file,
                start,
                end,
            })
        };
        codec::read(&entry.evidence, entry.provenance.created, &place).ok()
    }

    /// Keeps results if all of them are verdicts.
    fn tell(&mut self, (): (), results: &[ImplementationResult]) {
        if !results.iter().all(|result| result.is_final(self.setup)) {
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
        let failed = results.iter().any(|r| r.conclusion == Conclusion::Errors);
        self.store.put(Entry {
            key: self.key,
            kind: PROGRAM_KIND.into(),
            subject: None,
            outcome: if failed {
                stet_store::Outcome::Fails
            } else {
                stet_store::Outcome::Holds
            },
            evidence,
            provenance: self.setup.provenance(),
            parts: self.parts.clone(),
        });
    }
}
