//! Verdicts of implementations by their text: after an edit of one body, the conditions of the others are not even made.
//!
//! A condition is a function of the implementation's body and of everything in the program that is not the body of another
//! implementation. So files are cut into bodies and the text between them, and the key of an implementation is:
//!
//! | part | what |
//! |---|---|
//! | build, prover, options | as for whole programs ([`crate::whole`]) |
//! | declarations | the text between bodies, all of it, in order, without its layout ([`crate::layout`]) |
//! | encoding | whether types are sorts: anything polymorphic anywhere decides that for all |
//! | body | which body it is, and its text, without its layout |
//!
//! This does not hold for programs with inlined procedures or code expressions, which are left alone. Positions are kept
//! relative to the pieces of text they are in: an error appears where it is now.

use crate::codec;
use crate::layout::{GAP, Layout};
use crate::options::{Caching, Options};
use crate::result::ImplementationResult;
use crate::smt::is_monomorphic;
use crate::task::ENGINE_VERSION;
use crate::whole::{encode_options, is_final};
use std::sync::Arc;
use stet_base::{FileId, Span};
use stet_boogie::ast::{Attributes, ImplId};
use stet_boogie::{Decl, Program};
use stet_key::{Digest, Encoder, KeyBuilder, KeyParts};
use stet_store::{Entry, Provenance, Store};

/// The kind of these verdicts in the store.
pub const TEXT_KIND: &str = "verify/text";

/// The texts of a program, cut into pieces.
#[derive(Clone, Debug)]
pub struct Texts {
    build: String,
    pieces: Vec<Piece>,
    layouts: Arc<[(FileId, Layout)]>,
    declarations: Digest,
}

/// A program as a text: which pieces are the bodies of its implementations, in order.
pub(crate) struct Bodies {
    pub(crate) places: Vec<(ImplId, usize)>,
    is_monomorphic: bool,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    file: FileId,
    start: u32,
    end: u32,
    /// The place of its start.
    base: u32,
    /// The digest of a body; nothing for text between bodies.
    body: Option<Digest>,
}

/// Where a file is cut: in the text, in its content, and as a place.
#[derive(Clone, Copy, Default)]
struct Cut {
    offset: u32,
    index: usize,
    place: u32,
}

impl Texts {
    /// Cuts files into pieces; `None` if that is not certain to be right. `build` identifies the running build of Stet.
    pub fn new(build: &str, files: &[(FileId, &str)]) -> Option<Texts> {
        let mut pieces = Vec::new();
        let mut layouts = Vec::new();
        let mut builder = KeyBuilder::new("verify/declarations");
        for &(file, text) in files {
            let (layout, content) = Layout::new(text);
            let bodies = bodies(&content)?;
            builder.part("bodies", |e| e.u64(bodies.len() as u64));
            let mut from = Cut::default();
            for (start, end) in bodies {
                let (start, end) = cuts(&layout, start, end)?;
                let (declarations, text) = between(file, &content, from, start);
                builder.part("text", |e| e.raw(text));
                pieces.push(declarations);
                let (body, text) = between(file, &content, start, end);
                pieces.push(Piece {
                    body: Some(Digest::of_bytes(text)),
                    ..body
                });
                from = end;
            }
            let end = Cut {
                offset: text.len() as u32,
                index: content.len(),
                ..from
            };
            let (rest, text) = between(file, &content, from, end);
            builder.part("text", |e| e.raw(text));
            pieces.push(rest);
            layouts.push((file, layout));
        }
        let (declarations, _) = builder.finish();
        Some(Texts {
            build: build.to_owned(),
            pieces,
            layouts: layouts.into(),
            declarations,
        })
    }

    /// The files without their layout: what is between bodies, and the bodies.
    pub(crate) fn digest(&self) -> Digest {
        let mut encoder = Encoder::new();
        encoder.digest(&self.declarations);
        let bodies = self.pieces.iter().filter_map(|piece| piece.body);
        encoder.sequence(bodies.collect::<Vec<_>>(), |e, body| e.digest(&body));
        encoder.digest_of_all()
    }

    pub(crate) fn layouts(&self) -> &Arc<[(FileId, Layout)]> {
        &self.layouts
    }

    fn layout(&self, file: FileId) -> Option<&Layout> {
        let mut layouts = self.layouts.iter();
        layouts.find(|(f, _)| *f == file).map(|(_, layout)| layout)
    }

    /// The pieces that are the bodies of the implementations of a program, in order; `None` if they do not fit it.
    pub(crate) fn bodies_of(&self, program: &Program) -> Option<Bodies> {
        let inlined = |attrs: &Attributes| program.attribute(attrs, "inline").is_some();
        let any = program.impls.iter().any(|(_, i)| inlined(&i.attrs))
            || program.procs.iter().any(|(_, p)| inlined(&p.attrs));
        let implementations: Vec<ImplId> = program
            .decls
            .iter()
            .filter_map(|decl| match decl {
                Decl::Implementation(imp) => Some(*imp),
                _ => None,
            })
            .collect();
        let places: Vec<usize> = (0..self.pieces.len())
            .filter(|&i| self.pieces[i].body.is_some())
            .collect();
        if any || places.len() != implementations.len() {
            return None;
        }
        let mut found = Vec::with_capacity(places.len());
        for (imp, &place) in implementations.into_iter().zip(&places) {
            // The name stands in the text before the body.
            let before = self.pieces.get(place.checked_sub(1)?)?;
            let span = program.impls[imp].span;
            let inside =
                span.file == before.file && before.start <= span.start && span.end <= before.end;
            if !inside {
                return None;
            }
            found.push((imp, place));
        }
        Some(Bodies {
            places: found,
            is_monomorphic: is_monomorphic(program),
        })
    }

    /// The digest of the body of an implementation.
    pub(crate) fn body(&self, bodies: &Bodies, imp: ImplId) -> Option<Digest> {
        let mut places = bodies.places.iter();
        let &(_, place) = places.find(|(i, _)| *i == imp)?;
        self.pieces[place].body
    }

    fn key(&self, bodies: &Bodies, place: usize, options: &Options) -> Option<(Digest, KeyParts)> {
        let body = self.pieces[place].body?;
        let mut builder = KeyBuilder::new(TEXT_KIND);
        builder.part("build", |e| {
            e.str(ENGINE_VERSION);
            e.str(&self.build);
        });
        builder.part("prover", |e| {
            e.str(options.identity.kind.name());
            e.str(&options.identity.version);
        });
        builder.part("options", |e| encode_options(e, options));
        builder.digest_part("declarations", self.declarations);
        builder.part("encoding", |e| e.bool(bodies.is_monomorphic));
        builder.part("body", |e| {
            e.u32(place as u32);
            e.digest(&body);
        });
        Some(builder.finish())
    }

    /// The result for the implementation whose body is a piece, if it is known.
    pub(crate) fn recall(
        &self,
        bodies: &Bodies,
        (imp, place): (ImplId, usize),
        options: &Options,
        store: &Store,
    ) -> Option<ImplementationResult> {
        let (key, _) = self.key(bodies, place, options)?;
        let entry = store.get(TEXT_KIND, &key)?;
        let span = |number: u32, start: u32, end: u32| {
            let piece = self.pieces.get(number as usize)?;
            let file = piece.file;
            let layout = self.layout(file)?;
            let place = |relative: u32| piece.base.checked_add(relative);
            let (start, end) = layout.recall(place(start)?, place(end)?)?;
            (end <= piece.end).then_some(Span { file, start, end })
        };
        let mut results = codec::read(&entry.evidence, entry.provenance.created, &span).ok()?;
        let result = results.pop()?;
        Some(ImplementationResult {
            implementation: imp,
            ..result
        })
    }

    /// Keeps a result if it is a verdict and all its positions are in declarations or its own body.
    pub(crate) fn remember(
        &self,
        bodies: &Bodies,
        place: usize,
        options: &Options,
        store: &Store,
        result: &ImplementationResult,
    ) {
        if !is_final(result, options) {
            return;
        }
        let relative = |span: Span| {
            let number = self.pieces.iter().position(|piece| {
                piece.file == span.file && piece.start <= span.start && span.end <= piece.end
            })?;
            let piece = &self.pieces[number];
            let own = piece.body.is_none() || number == place;
            let layout = self.layout(span.file)?;
            let (start, end) = layout.forget(span.start, span.end)?;
            let relative = |place: u32| place.checked_sub(piece.base);
            own.then_some((number as u32, relative(start)?, relative(end)?))
        };
        let evidence = codec::write(std::slice::from_ref(result), &relative);
        let (Some(evidence), Some((key, parts))) = (evidence, self.key(bodies, place, options))
        else {
            return;
        };
        let failed = !result.errors.is_empty();
        store.put(Entry {
            key,
            kind: TEXT_KIND.into(),
            subject: None,
            outcome: if failed {
                stet_store::Outcome::Fails
            } else {
                stet_store::Outcome::Holds
            },
            evidence,
            provenance: Provenance::now("verify", ENGINE_VERSION, &options.identity.version),
            parts,
        });
    }
}

/// Whether verdicts by text are used with these options.
pub(crate) fn is_used(options: &Options) -> bool {
    options.caching != Caching::Off
        && !options.check_cache
        && !options.want_models
        && !options.smoke
}

/// The cuts before and after a stretch of the content.
fn cuts(layout: &Layout, start: usize, end: usize) -> Option<(Cut, Cut)> {
    let places = [
        layout.place_in_content(start),
        layout.place_in_content(end - 1) + 1,
    ];
    let offsets = layout.recall(places[0], places[1])?;
    let before = Cut {
        offset: offsets.0,
        index: start,
        place: places[0],
    };
    let after = Cut {
        offset: offsets.1,
        index: end,
        place: places[1],
    };
    Some((before, after))
}

/// The piece between two cuts, and what it says. Gaps next to cuts are there or not, as the layout will have it.
fn between(file: FileId, content: &[u8], from: Cut, to: Cut) -> (Piece, &[u8]) {
    let text = &content[from.index..to.index];
    let text = text.strip_prefix(&[GAP]).unwrap_or(text);
    let piece = Piece {
        file,
        start: from.offset,
        end: to.offset,
        base: from.place,
        body: None,
    };
    (piece, text.strip_suffix(&[GAP]).unwrap_or(text))
}

/// The bodies of procedures and implementations, braces included; `None` for a text in which something might be taken for
/// one that is not.
fn bodies(content: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut scan = Scan {
        bytes: content,
        at: 0,
        depth: 0,
        has_body: false,
        open: None,
        found: Vec::new(),
    };
    while scan.at < scan.bytes.len() {
        scan.step()?;
    }
    (scan.depth == 0 && scan.open.is_none()).then_some(scan.found)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Open brackets of all kinds.
    depth: u32,
    /// Whether the current declaration can have a body of commands.
    has_body: bool,
    /// The body that is open.
    open: Option<usize>,
    found: Vec<(usize, usize)>,
}

/// Bytes that mean something to [`Scan::step`] inside of brackets.
const IN_BRACKETS: [bool; 256] = {
    let mut noticed = [false; 256];
    let bytes = b"/\\\"|()[]{}";
    let mut i = 0;
    while i < bytes.len() {
        noticed[bytes[i] as usize] = true;
        i += 1;
    }
    noticed
};

/// Bytes of names.
const NAME: [bool; 256] = {
    let mut names = [false; 256];
    let mut i = 0;
    while i < 256 {
        names[i] = is_name(i as u8);
        i += 1;
    }
    names
};

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) -> Option<()> {
        // Inside of brackets, words mean nothing: on to the next byte that may.
        if self.depth > 0 {
            let rest = self.bytes[self.at..].iter();
            let skipped = rest.take_while(|&&b| !IN_BRACKETS[b as usize]).count();
            if skipped > 0 {
                self.at += skipped;
                return Some(());
            }
        }
        let byte = self.peek(0);
        match byte {
            b'/' if self.peek(1) == b'/' => {
                while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                    self.at += 1;
                }
                return Some(());
            }
            // Comments of several lines nest in Boogie; and a backslash escapes: both are rare.
            b'/' if self.peek(1) == b'*' => return None,
            b'\\' => return None,
            b'"' => {
                self.at += 1;
                while self.peek(0) != b'"' {
                    if matches!(self.peek(0), b'\\' | b'\n' | 0) {
                        return None;
                    }
                    self.at += 1;
                }
            }
            b'|' if self.peek(1) == b'{' => return None,
            b'(' | b'[' => self.depth += 1,
            b'{' => {
                let attribute = self.after_blanks() == b':';
                if self.depth == 0 && self.has_body && !attribute {
                    self.open = Some(self.at);
                }
                self.depth += 1;
            }
            b')' | b']' => self.depth = self.depth.checked_sub(1)?,
            b'}' => {
                self.depth = self.depth.checked_sub(1)?;
                if self.depth == 0
                    && let Some(start) = self.open.take()
                {
                    self.found.push((start, self.at + 1));
                    self.has_body = false;
                }
            }
            _ if NAME[byte as usize] => {
                self.word();
                return Some(());
            }
            _ => {}
        }
        self.at += 1;
        Some(())
    }

    /// The next byte after a bracket that is no blank.
    fn after_blanks(&self) -> u8 {
        let rest = self.bytes[self.at + 1..].iter();
        rest.copied()
            .find(|&b| b != GAP && !b.is_ascii_whitespace())
            .unwrap_or(0)
    }

    fn word(&mut self) {
        let start = self.at;
        let rest = self.bytes[start..].iter();
        self.at += rest.take_while(|&&b| NAME[b as usize]).count();
        if self.depth > 0 {
            return;
        }
        match &self.bytes[start..self.at] {
            b"procedure" | b"implementation" => self.has_body = true,
            b"function" | b"axiom" | b"const" | b"var" | b"type" | b"datatype" => {
                self.has_body = false
            }
            _ => {}
        }
    }
}

const fn is_name(byte: u8) -> bool {
    matches!(
        byte,
        b'_' | b'.' | b'$' | b'#' | b'\'' | b'`' | b'~' | b'^' | b'?'
    ) || byte.is_ascii_alphanumeric()
        || (byte >= 0x80 && byte != GAP)
}

#[cfg(test)]
mod tests {
    use super::bodies;

    #[track_caller]
    fn check(text: &str, expected: Option<&[&str]>) {
        let found = bodies(text.as_bytes());
        let found: Option<Vec<&str>> =
            found.map(|found| found.into_iter().map(|(a, b)| &text[a..b]).collect());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn bodies_are_told_from_other_braces() {
        check(
            "function f(x: int): int { x }\nprocedure {:a 1} P(x: int)\n  requires {:msg \"}{\"} (forall i: int :: {f(i)} f(i) > 0);\n\
             { if (*) { x := 1; } } // }\nimplementation Q() { assert true; }\naxiom f(1) == 1;",
            Some(&["{ if (*) { x := 1; } }", "{ assert true; }"]),
        );
        check("procedure P(); function g(): int { 1 }", Some(&[]));
        check(
            "type {:datatype} D; function {:constructor} c(): D; procedure P() {}",
            Some(&["{}"]),
        );
        check("procedure procedure.x() { }", Some(&["{ }"]));
    }

    #[test]
    fn doubtful_texts_are_left_alone() {
        check("procedure P() requires |{ A: return true; }|; { }", None);
        check("/* { */ procedure P() { }", None);
        check("procedure P() { assert {:msg \"a\\\"\"} true; }", None);
        check("procedure P() { ", None);
    }
}
