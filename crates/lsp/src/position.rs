//! Positions: editors count characters of a line in UTF-16 units, or in bytes where both sides agree on that. Lines end with
//! `\n`, `\r\n` or a `\r` alone, as the protocol says.

use lsp_types::{Position, PositionEncodingKind, Range};

/// How the characters of a line are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    /// UTF-16 units, which every editor supports.
    Utf16,
}

impl Encoding {
    /// The best of what the editor offers.
    pub(crate) fn choose(offered: Option<&[PositionEncodingKind]>) -> Self {
        let utf8 = offered.is_some_and(|list| list.contains(&PositionEncodingKind::UTF8));
        if utf8 {
            Encoding::Utf8
        } else {
            Encoding::Utf16
        }
    }

    /// Its name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }
}

/// Where the lines of a text start.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    length: usize,
    encoding: Encoding,
}

impl Lines {
    pub(crate) fn new(text: &str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = text.match_indices(['\n', '\r']).map(|(at, _)| at + 1);
        let ends = ends.filter(|&at| bytes[at - 1] == b'\n' || bytes.get(at) != Some(&b'\n'));
        Lines {
            starts: std::iter::once(0).chain(ends).collect(),
            length: text.len(),
            encoding,
        }
    }

    /// The lines of another text, counted in the same way.
    pub(crate) fn like(&self, text: &str) -> Self {
        Lines::new(text, self.encoding)
    }

    /// How many lines there are; at least one.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line of an offset, from zero.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The position of an offset; one inside a character is taken for its start.
    pub(crate) fn position(&self, text: &str, offset: usize) -> Position {
        let mut offset = offset.min(self.length);
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let before = &text[self.starts[line]..offset];
        let character = match self.encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 => before.encode_utf16().count(),
        };
        Position::new(line as u32, character as u32)
    }

    /// The range between two offsets.
    pub(crate) fn range(&self, text: &str, start: usize, end: usize) -> Range {
        Range::new(
            self.position(text, start),
            self.position(text, end.max(start)),
        )
    }

    /// The offset of a position; one beyond the end of a line or of the text is taken for that end.
    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else {
            return self.length;
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.length);
        let content = text[start..end].trim_end_matches(['\n', '\r']);
        let end = start + content.len();
        let wanted = position.character as usize;
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= wanted {
                return start + at;
            }
            units += match self.encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_inverse() {
        let text = "a\u{e9}\u{1F600}b\n\nlast";
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let lines = Lines::new(text, encoding);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = lines.position(text, offset);
                assert_eq!(
                    lines.offset(text, position),
                    offset,
                    "{encoding:?} {position:?}"
                );
            }
        }
        let lines = Lines::new(text, Encoding::Utf16);
        assert_eq!(lines.position(text, 7), Position::new(0, 4));
        assert_eq!(lines.offset(text, Position::new(0, 99)), 8);
        assert_eq!(lines.offset(text, Position::new(99, 0)), text.len());
    }

    #[test]
    fn every_end_of_line_of_the_protocol_counts() {
        let text = "a\r\nb\rc\nd";
        let lines = Lines::new(text, Encoding::Utf16);
        let starts: Vec<usize> = (0..lines.count() as u32)
            .map(|line| lines.offset(text, Position::new(line, 0)))
            .collect();
        assert_eq!(starts, [0, 3, 5, 7]);
        assert_eq!(lines.offset(text, Position::new(0, 9)), 1);
        assert_eq!(lines.offset(text, Position::new(1, 9)), 4);
    }
}
