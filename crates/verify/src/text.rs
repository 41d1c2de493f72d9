//! The text of a program, cut into the bodies of its implementations and the declarations between them.
//!
//! Texts are cut at braces outside of all brackets after `procedure` or `implementation`; a text in which that might be wrong
//! is not cut.

use crate::layout::{GAP, Layout};
use crate::smt::is_monomorphic;
use std::sync::Arc;
use stet_base::FileId;
use stet_boogie::ast::{Attributes, ImplId};
use stet_boogie::{Decl, Program};
use stet_key::{Digest, Encoder, KeyBuilder};

/// The texts of a program, cut into pieces.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    pub(crate) pieces: Vec<Piece>,
    layouts: Arc<[(FileId, Layout)]>,
    pub(crate) declarations: Digest,
}

/// A program as a text: which pieces are the bodies of its implementations, in order.
pub(crate) struct Bodies {
    pub(crate) places: Vec<(ImplId, usize)>,
    pub(crate) is_monomorphic: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) file: FileId,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The place of its start.
    pub(crate) base: u32,
    /// The digest of a body; nothing for text between bodies.
    pub(crate) body: Option<Digest>,
}

/// Where a file is cut: in the text, in its content, and as a place.
#[derive(Clone, Copy, Default)]
struct Cut {
    offset: u32,
    index: usize,
    place: u32,
}

impl Texts {
    /// Cuts files into pieces; `None` if that is not certain to be right.
    pub(crate) fn new(files: &[(FileId, &str)]) -> Option<Texts> {
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
        debug_assert!(
            pieces
                .windows(2)
                .all(|pair| pair[0].file != pair[1].file || pair[0].end == pair[1].start),
            "pieces cover a file without gaps"
        );
        debug_assert!(
            pieces
                .windows(2)
                .all(|pair| pair[0].body.is_none() || pair[1].body.is_none()),
            "there are declarations between two bodies, if empty ones"
        );
        let (declarations, _) = builder.finish();
        Some(Texts {
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

    pub(crate) fn layout(&self, file: FileId) -> Option<&Layout> {
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
}

/// The cuts before and after a stretch of the content.
fn cuts(layout: &Layout, start: usize, end: usize) -> Option<(Cut, Cut)> {
    debug_assert!(start < end, "a body has its braces");
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
    debug_assert!(
        from.index <= to.index && from.offset <= to.offset && from.place <= to.place,
        "cuts come in order"
    );
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
    debug_assert!(
        scan.found.windows(2).all(|pair| pair[0].1 <= pair[1].0),
        "bodies come in order and do not overlap"
    );
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
