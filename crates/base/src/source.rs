//! Source files and the places in them.
//!
//! A [`SourceMap`] owns the text of every file read in a run; a [`Span`] is a file and a byte range in
//! it. Lines and columns are computed on demand and counted from one; columns count characters.

use crate::IdVec;
use std::sync::{Arc, OnceLock};

crate::define_id!(
    /// A file of a [`SourceMap`].
    pub struct FileId;
);

/// A byte range in a file; `start == end` is a point between two characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from the start of `self` to the end of `other`, which must be in the same file.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.file, other.file);
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The empty range at the start of this one.
    pub fn start_point(self) -> Span {
        Span {
            end: self.start,
            ..self
        }
    }
}

/// A place as people read it: line and column from one, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LineColumn {
    /// The line, from one.
    pub line: u32,
    /// The column in characters, from one.
    pub column: u32,
}

/// One file: its name as the user gave it, its text, and where its lines start.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: Arc<str>,
    line_starts: Vec<u32>,
    is_made: bool,
    /// How many characters are before each [`BLOCK`] bytes, once somebody asked for a column in a long line. A program that was
    /// generated may have one line of megabytes and a diagnostic for each word of it.
    characters_before_blocks: OnceLock<Vec<usize>>,
}

const BLOCK: usize = 1024;

impl SourceFile {
    fn new(name: String, text: Arc<str>) -> Self {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(ends.map(|(i, _)| i as u32 + 1))
            .collect();
        SourceFile {
            name,
            text,
            line_starts,
            is_made: false,
            characters_before_blocks: OnceLock::new(),
        }
    }

    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether Stet made this text or brought it along: it is no file of the user's program.
    pub fn is_made(&self) -> bool {
        self.is_made
    }

    /// The whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The number of lines; an empty file has one.
    pub fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// The text of a line (from one) without its line end; empty past the last line.
    pub fn line(&self, line: u32) -> &str {
        let Some(&start) = self.line_starts.get(line.saturating_sub(1) as usize) else {
            return "";
        };
        let end = self
            .line_starts
            .get(line as usize)
            .map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// The byte offset at which a line (from one) starts, if there is such a line.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.line_starts.get(line.checked_sub(1)? as usize).copied()
    }

    /// Where a byte offset is; offsets past the end or inside a character round down.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self
            .line_starts
            .partition_point(|&start| start as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let column = match offset - start > BLOCK {
            true => self.characters_before(offset) - self.characters_before(start),
            false => characters(&self.text.as_bytes()[start..offset]),
        };
        LineColumn {
            line: line as u32,
            column: column as u32 + 1,
        }
    }

    /// How many characters are before a byte offset.
    fn characters_before(&self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        let before = self.characters_before_blocks.get_or_init(|| {
            let mut before = vec![0];
            let mut count = 0;
            for block in bytes.chunks_exact(BLOCK) {
                count += characters(block);
                before.push(count);
            }
            before
        });
        let block = offset / BLOCK;
        before[block] + characters(&bytes[block * BLOCK..offset])
    }
}

/// The characters that begin in these bytes of a text.
fn characters(bytes: &[u8]) -> usize {
    let is_start = |byte: &&u8| **byte & 0xc0 != 0x80;
    bytes.iter().filter(is_start).count()
}

/// All files of a run.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: IdVec<FileId, SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Texts of 4 GiB and more do not fit a [`Span`] and are refused.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Option<FileId> {
        let text = text.into();
        u32::try_from(text.len()).ok()?;
        Some(self.files.push(SourceFile::new(name.into(), text)))
    }

    /// As [`add`](Self::add), for a text that no user wrote: a compiled module, a library that Stet brings along.
    pub fn add_made(
        &mut self,
        name: impl Into<String>,
        text: impl Into<Arc<str>>,
    ) -> Option<FileId> {
        let id = self.add(name, text)?;
        self.files[id].is_made = true;
        Some(id)
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// All files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter()
    }

    /// The text a span covers; empty if the span does not fit its file.
    pub fn snippet(&self, span: Span) -> &str {
        self.files[span.file]
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// Where a span starts.
    pub fn start_of(&self, span: Span) -> LineColumn {
        self.files[span.file].line_column(span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_long_lines_count_characters() {
        let line = "aé€".repeat(2 * BLOCK);
        let mut map = SourceMap::new();
        let id = map.add("f", format!("x\n{line}")).unwrap();
        let file = map.file(id);
        for (count, (offset, _)) in line.char_indices().enumerate() {
            let place = file.line_column(offset as u32 + 2);
            assert_eq!((place.line, place.column), (2, count as u32 + 1));
        }
        let end = file.line_column(u32::MAX);
        assert_eq!(end.column as usize, line.chars().count() + 1);
    }

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let mut map = SourceMap::new();
        let id = map.add("f", "aé\r\nb\n").unwrap();
        let file = map.file(id);
        assert_eq!(file.line(1), "aé");
        assert_eq!(file.line_count(), 3);
        let at = |offset| {
            let place = file.line_column(offset);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 2), "inside é rounds down");
        assert_eq!(at(3), (1, 3));
        assert_eq!(at(5), (2, 1));
        assert_eq!(at(99), (3, 1));
        assert_eq!(
            map.snippet(Span {
                file: id,
                start: 5,
                end: 6
            }),
            "b"
        );
    }
}
