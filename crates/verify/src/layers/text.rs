//! Verdicts of implementations by their text: after an edit of one body, the conditions of the others are not even made.
//!
//! A condition is a function of the implementation's body and of everything in the program that is not the body of another
//! implementation. So files are cut into bodies and the text between them ([`crate::text`]), and the key of an implementation
//! is:
//!
//! | part | what |
//! |---|---|
//! | reader, prover, options | as for whole programs ([`super::program`]) |
//! | declarations | the text between bodies, all of it, in order, without its layout ([`crate::layout`]) |
//! | encoding | whether types are sorts: anything polymorphic anywhere decides that for all |
//! | body | which body it is, and its text, without its layout |
//!
//! This does not hold for programs with inlined procedures or code expressions, which are left alone. Positions are kept
//! relative to the pieces of text they are in: an error appears where it is now.

use super::Layer;
use crate::codec;
use crate::result::ImplementationResult;
use crate::setup::Setup;
use crate::text::{Bodies, Texts};
use stet_base::Span;
use stet_boogie::Program;
use stet_boogie::ast::ImplId;
use stet_key::{Digest, KeyBuilder, KeyParts};
use stet_store::{Entry, Store};

/// The kind of these verdicts in the store.
pub const TEXT_KIND: &str = "verify/text";

/// The layer of implementations by text, for one program.
pub(crate) struct TextLayer<'a> {
    reader: Digest,
    texts: &'a Texts,
    bodies: Bodies,
    setup: &'a Setup,
    store: &'a Store,
}

impl<'a> TextLayer<'a> {
    /// The layer for a program; `None` if its text could not be cut, or not into these implementations.
    pub(crate) fn new(
        reader: Digest,
        program: &Program,
        setup: &'a Setup,
        store: &'a Store,
    ) -> Option<Self> {
        let texts = setup.texts.as_deref()?;
        let bodies = texts.bodies_of(program)?;
        debug_assert!(
            bodies
                .places
                .iter()
                .all(|&(_, place)| texts.pieces[place].body.is_some()),
            "implementations are where bodies were cut out"
        );
        Some(TextLayer {
            reader,
            texts,
            bodies,
            setup,
            store,
        })
    }

    /// The digest of the body of an implementation.
    pub(crate) fn body(&self, imp: ImplId) -> Option<Digest> {
        self.texts.pieces[self.place(imp)?].body
    }

    /// Has a shared store send what it knows about these, all at once.
    pub(crate) fn fetch(&self, wanted: &[ImplId]) {
        if !self.store.is_shared() {
            return;
        }
        let keys = wanted.iter().filter_map(|&imp| self.key(self.place(imp)?));
        let keys: Vec<Digest> = keys.map(|(key, _)| key).collect();
        self.store.prefetch(&keys);
    }

    fn place(&self, imp: ImplId) -> Option<usize> {
        let mut places = self.bodies.places.iter();
        places.find(|(i, _)| *i == imp).map(|&(_, place)| place)
    }

    fn key(&self, place: usize) -> Option<(Digest, KeyParts)> {
        let body = self.texts.pieces[place].body?;
        let mut builder = KeyBuilder::new(TEXT_KIND);
        builder.digest_part("reader", self.reader);
        builder.part("prover", |e| self.setup.encode_prover(e));
        builder.part("options", |e| self.setup.encode(e));
        builder.digest_part("declarations", self.texts.declarations);
        builder.part("encoding", |e| e.bool(self.bodies.is_monomorphic));
        builder.part("body", |e| {
            e.u32(place as u32);
            e.digest(&body);
        });
        Some(builder.finish())
    }

    /// A position, relative to the piece it is in: one of declarations, or the body with this number.
    fn relative(&self, own: usize, span: Span) -> Option<(u32, u32, u32)> {
        let number = self.texts.pieces.iter().position(|piece| {
            piece.file == span.file && piece.start <= span.start && span.end <= piece.end
        })?;
        let piece = &self.texts.pieces[number];
        let is_own = piece.body.is_none() || number == own;
        let (start, end) = self.texts.layout(span.file)?.forget(span.start, span.end)?;
        let relative = |place: u32| place.checked_sub(piece.base);
        is_own.then_some((number as u32, relative(start)?, relative(end)?))
    }

    fn absolute(&self, number: u32, start: u32, end: u32) -> Option<Span> {
        let piece = self.texts.pieces.get(number as usize)?;
        let file = piece.file;
        let place = |relative: u32| piece.base.checked_add(relative);
        let layout = self.texts.layout(file)?;
        let (start, end) = layout.recall(place(start)?, place(end)?)?;
        (end <= piece.end).then_some(Span { file, start, end })
    }
}

impl Layer for TextLayer<'_> {
    const NAME: &'static str = "text";
    type Question<'q> = ImplId;
    type Known = ImplementationResult;
    type Found<'f> = &'f ImplementationResult;

    fn ask(&mut self, imp: ImplId) -> Option<ImplementationResult> {
        let (key, _) = self.key(self.place(imp)?)?;
        let entry = self.store.get(TEXT_KIND, &key)?;
        let span = |number, start, end| self.absolute(number, start, end);
        let mut results = codec::read(&entry.evidence, entry.provenance.created, &span).ok()?;
        if !stet_base::always!(results.len() == 1, "the text of one body gives one result") {
            return None;
        }
        Some(ImplementationResult {
            implementation: imp,
            ..results.pop()?
        })
    }

    /// Keeps a result if it is a verdict and all its positions are in declarations or its own body.
    fn tell(&mut self, imp: ImplId, result: &ImplementationResult) {
        debug_assert_eq!(
            result.implementation, imp,
            "a result is told under its own text"
        );
        let Some(place) = self.place(imp).filter(|_| result.is_final(self.setup)) else {
            return;
        };
        let relative = |span| self.relative(place, span);
        let evidence = codec::write(std::slice::from_ref(result), &relative);
        let (Some(evidence), Some((key, parts))) = (evidence, self.key(place)) else {
            return;
        };
        self.store.put(Entry {
            key,
            kind: TEXT_KIND.into(),
            subject: None,
            outcome: if result.errors.is_empty() {
                stet_store::Outcome::Holds
            } else {
                stet_store::Outcome::Fails
            },
            evidence,
            provenance: self.setup.provenance(),
            parts,
        });
    }
}
