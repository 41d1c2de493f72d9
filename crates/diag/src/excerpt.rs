//! Source excerpts: the lines of a span with marks under or beside them.
//!
//! Columns are display columns: tabs go to the next multiple of [`TAB`], wide characters take two. Lines
//! longer than [`WIDTH`] columns are clipped around the span; spans of more than [`LINES`] lines lose
//! their middle.

use crate::full::{REPLACEMENT, acts_on_terminal};
use stet_base::{SourceFile, Span};
use unicode_width::UnicodeWidthChar;

const TAB: usize = 4;
const WIDTH: usize = 120;
const LINES: u32 = 6;
/// How many bytes on either side of a span are looked at: more than enough for [`WIDTH`] columns. A line may have millions.
const AROUND: usize = 1_000;

/// One line of an excerpt.
pub(crate) struct ExcerptLine {
    /// The line number, on lines from the source.
    pub(crate) number: Option<u32>,
    /// What to show.
    pub(crate) text: String,
    /// Whether this is a line of marks.
    pub(crate) is_mark: bool,
}

/// The lines that show a span.
pub(crate) fn excerpt(file: &SourceFile, span: Span, message: &str) -> Vec<ExcerptLine> {
    let start = file.line_column(span.start);
    let end = file.line_column(span.end.max(span.start));
    if start.line == end.line || ends_at_line_break(file, span, start.line, end.line) {
        single_line(file, span, start.line, message)
    } else {
        several_lines(file, span, start.line, end.line, message)
    }
}

/// A span that ends with its line's line break is one line to people.
fn ends_at_line_break(file: &SourceFile, span: Span, first: u32, last: u32) -> bool {
    last == first + 1 && file.line_start(last) == Some(span.end)
}

fn single_line(file: &SourceFile, span: Span, line: u32, message: &str) -> Vec<ExcerptLine> {
    let (start, end) = (
        offset_in_line(file, span.start, line),
        offset_in_line(file, span.end, line),
    );
    let (shown, first) = around(file.line(line), start, end);
    let laid_out = LaidOut::new(shown);
    let from = laid_out.column_of(start - first);
    let to = laid_out.column_of(end.max(start) - first);
    let (text, from, to) = laid_out.clipped(from, to.max(from + 1));
    let marks = "^".repeat(to - from);
    let space = if message.is_empty() { "" } else { " " };
    vec![
        source_line(line, text),
        mark_line(format!("{}{marks}{space}{message}", " ".repeat(from))),
    ]
}

fn several_lines(
    file: &SourceFile,
    span: Span,
    first: u32,
    last: u32,
    message: &str,
) -> Vec<ExcerptLine> {
    let mut lines = Vec::new();
    let is_long = last - first + 1 > LINES;
    let mut line = first;
    while line <= last {
        if is_long && line == first + LINES / 2 {
            lines.push(mark_line("| …".to_owned()));
            line = last - 1;
        }
        let margin = if line == first { '/' } else { '|' };
        let (shown, _) = around(file.line(line), 0, 0);
        let (text, _, _) = LaidOut::new(shown).clipped(0, 1);
        lines.push(source_line(line, format!("{margin} {text}")));
        line += 1;
    }
    let laid_out = LaidOut::new(around(file.line(last), 0, 0).0);
    let end = laid_out.column_of(offset_in_line(file, span.end, last));
    let reach = "_".repeat(end.clamp(1, WIDTH));
    let space = if message.is_empty() { "" } else { " " };
    lines.push(mark_line(format!("|{reach}^{space}{message}")));
    lines
}

fn source_line(number: u32, text: String) -> ExcerptLine {
    ExcerptLine {
        number: Some(number),
        text,
        is_mark: false,
    }
}

fn mark_line(text: String) -> ExcerptLine {
    ExcerptLine {
        number: None,
        text,
        is_mark: true,
    }
}

fn offset_in_line(file: &SourceFile, offset: u32, line: u32) -> usize {
    let start = file.line_start(line).unwrap_or(0);
    offset.saturating_sub(start) as usize
}

/// The part of a line around some bytes of it, and where it starts.
fn around(line: &str, from: usize, to: usize) -> (&str, usize) {
    let mut start = from.min(line.len()).saturating_sub(AROUND);
    let mut end = to
        .clamp(from, from + AROUND)
        .saturating_add(AROUND)
        .min(line.len());
    while !line.is_char_boundary(start) {
        start -= 1;
    }
    while !line.is_char_boundary(end) {
        end += 1;
    }
    (&line[start..end], start)
}

/// A line with the display column of every character.
struct LaidOut {
    /// Byte offset in the line, display column, what is shown there.
    cells: Vec<(usize, usize, char)>,
    bytes: usize,
    width: usize,
}

impl LaidOut {
    fn new(line: &str) -> Self {
        let mut cells = Vec::with_capacity(line.len());
        let mut column = 0;
        for (offset, c) in line.char_indices() {
            if c == '\t' {
                let next = (column / TAB + 1) * TAB;
                cells.extend((column..next).map(|column| (offset, column, ' ')));
                column = next;
                continue;
            }
            let shown = if acts_on_terminal(c) { REPLACEMENT } else { c };
            cells.push((offset, column, shown));
            column += shown.width().unwrap_or(1);
        }
        LaidOut {
            cells,
            bytes: line.len(),
            width: column,
        }
    }

    /// The display column of a byte offset; offsets inside a character round down.
    fn column_of(&self, offset: usize) -> usize {
        if offset >= self.bytes {
            return self.width;
        }
        let index = self.cells.partition_point(|&(at, _, _)| at <= offset);
        let Some(&(at, _, _)) = index.checked_sub(1).and_then(|index| self.cells.get(index)) else {
            return 0;
        };
        // A tab has several cells: the first is its place.
        let first = self.cells.partition_point(|&(other, _, _)| other < at);
        self.cells.get(first).map_or(0, |&(_, column, _)| column)
    }

    /// The part of the line around `from..to` that fits, and where the range is in it.
    fn clipped(&self, from: usize, to: usize) -> (String, usize, usize) {
        if self.width <= WIDTH {
            let text = self.cells.iter().map(|&(_, _, c)| c).collect();
            return (text, from, to);
        }
        let length = (to - from).min(WIDTH - 20);
        let left = from
            .saturating_sub((WIDTH - length) / 2)
            .min(self.width.saturating_sub(WIDTH));
        let right = (left + WIDTH).min(self.width);
        let mut text = String::new();
        if left > 0 {
            text.push('…');
        }
        // The ellipsis takes the place of the first cell.
        let first = left + usize::from(left > 0);
        let inside = self
            .cells
            .iter()
            .filter(|cell| (first..right).contains(&cell.1));
        text.extend(inside.map(|&(_, _, c)| c));
        if right < self.width {
            text.push('…');
        }
        let shift = |column: usize| column.clamp(left, right) - left;
        let start = shift(from);
        (text, start, shift(to).max(start + 1))
    }
}
