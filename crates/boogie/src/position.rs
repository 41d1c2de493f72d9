//! Positions as Boogie reports them: `#line` pragmas change the file name and line numbers that follow.

use stet_base::{FileId, SourceMap, Span};

/// The pragmas of all files, in the order they were read.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    pragmas: Vec<LinePragma>,
}

/// From `start` on, lines count from `line`, in `file` if given.
#[derive(Clone, Debug)]
struct LinePragma {
    file: FileId,
    /// The first byte of the line after the pragma.
    start: u32,
    /// The number of that line.
    line: u32,
    name: Option<Box<str>>,
}

/// A place as printed: `file(line,column)`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// The column in characters, from one.
    pub column: u32,
}

/// The span of nodes that no text stands for, such as negated guards; messages show it as `(0,-1)`.
pub fn nowhere(near: Span) -> Span {
    Span {
        start: u32::MAX,
        end: u32::MAX,
        ..near
    }
}

/// Whether a span stands for no text.
pub fn is_nowhere(span: Span) -> bool {
    span.start == u32::MAX
}

impl Origins {
    /// Records that the line starting at `start` is line `line`, of `name` if given.
    pub fn add(&mut self, file: FileId, start: u32, line: u32, name: Option<&str>) {
        self.pragmas.push(LinePragma {
            file,
            start,
            line,
            name: name.map(Into::into),
        });
    }

    /// Where a span starts according to a pragma, if there is one before it.
    pub fn mapped(&self, sources: &SourceMap, span: Span) -> Option<Place> {
        let ours = |p: &&LinePragma| p.file == span.file && p.start <= span.start;
        let is_mapped = !is_nowhere(span) && self.pragmas.iter().any(|p| ours(&p));
        is_mapped.then(|| self.place(sources, span))
    }

    /// Where a span starts.
    pub fn place(&self, sources: &SourceMap, span: Span) -> Place {
        let file = sources.file(span.file);
        let at = file.line_column(span.start);
        let mut place = Place {
            file: file.name().to_owned(),
            line: at.line,
            column: at.column,
        };
        let ours = |p: &&LinePragma| p.file == span.file && p.start <= span.start;
        let before = self.pragmas.iter().rev().find(ours);
        if let Some(pragma) = before {
            let first = file.line_column(pragma.start).line;
            place.line = pragma.line + (at.line - first);
            let named = |p: &&LinePragma| ours(p) && p.name.is_some();
            if let Some(name) = self
                .pragmas
                .iter()
                .rev()
                .find(named)
                .and_then(|p| p.name.as_deref())
            {
                place.file = name.to_owned();
            }
        }
        place
    }
}
