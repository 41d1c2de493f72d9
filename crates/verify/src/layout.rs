//! Texts without their layout: blanks and comments between the words of a program are not part of keys, and positions
//! are kept as places among the words.
//!
//! A word here is a longest piece of text without blanks and comments outside of strings, so `a+b` and `a + b` differ; what is
//! the same in this sense is the same sequence of tokens. A text in which that is not certain (comments of several lines,
//! escapes, directives) is one word as a whole.

use std::ops::Range;

/// A word: where it stands, and where it would stand without anything between words.
#[derive(Clone, Copy, Debug)]
struct Word {
    start: u32,
    end: u32,
    compact: u32,
}

impl Word {
    fn compact_end(&self) -> u32 {
        self.compact + (self.end - self.start)
    }
}

/// The words of a text.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    words: Vec<Word>,
}

impl Layout {
    /// Finds the words of a text.
    pub(crate) fn new(text: &str) -> Layout {
        let ranges = words(text.as_bytes()).unwrap_or_else(|| vec![(0, text.len())]);
        let mut compact = 0;
        let mut words = Vec::with_capacity(ranges.len());
        for (start, end) in ranges {
            words.push(Word {
                start: start as u32,
                end: end as u32,
                compact,
            });
            compact += (end - start) as u32;
        }
        Layout { words }
    }

    /// What a part of the text says: its words, and where they end.
    pub(crate) fn content(&self, text: &str, part: Range<usize>) -> Vec<u8> {
        let mut content = Vec::with_capacity(part.len());
        let first = self.words.partition_point(|w| w.end as usize <= part.start);
        for word in &self.words[first..] {
            if word.start as usize >= part.end {
                break;
            }
            let from = part.start.max(word.start as usize);
            let to = part.end.min(word.end as usize);
            content.extend_from_slice(&text.as_bytes()[from..to]);
            // No text has this byte.
            content.push(0xff);
        }
        content
    }

    /// How many bytes of words there are before a place.
    pub(crate) fn compact(&self, offset: u32) -> u32 {
        let next = self.words.partition_point(|w| w.end <= offset);
        match self.words.get(next) {
            Some(word) => word.compact + offset.saturating_sub(word.start),
            None => self.words.last().map_or(0, Word::compact_end),
        }
    }

    /// A stretch of text as places among the words; `None` if it does not begin and end in words.
    pub(crate) fn forget(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let places = (self.compact(start), self.compact(end));
        (self.recall(places.0, places.1) == Some((start, end))).then_some(places)
    }

    /// The stretch of text with these places among the words.
    pub(crate) fn recall(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        if start >= end {
            return None;
        }
        let at = self.words.partition_point(|w| w.compact_end() <= start);
        let first = self.words.get(at)?;
        let at = self.words.partition_point(|w| w.compact_end() < end);
        let last = self.words.get(at)?;
        Some((
            first.start + (start - first.compact),
            last.start + (end - last.compact),
        ))
    }
}

/// The words of a text; `None` if they are not certain.
fn words(text: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut at = 0;
    let mut line_begins = true;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => {
                line_begins = true;
                at += 1;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'/' if text.get(at + 1) == Some(&b'/') => {
                let rest = text[at..].iter();
                at += rest.take_while(|&&byte| byte != b'\n').count();
            }
            b'#' if line_begins && is_directive(text, at) => return None,
            // It may count as blank before a directive.
            0x80.. if line_begins => return None,
            _ => {
                line_begins = false;
                let end = word(text, at)?;
                words.push((at, end));
                at = end;
            }
        }
    }
    Some(words)
}

/// Whether a line whose first word begins here may be a directive: `#line` must stand at its very beginning.
fn is_directive(text: &[u8], at: usize) -> bool {
    let rest = &text[at..];
    let is_conditional = |name: &[u8]| rest.starts_with(name);
    at == 0
        || text[at - 1] == b'\n'
        || [&b"#if"[..], b"#else", b"#endif"]
            .into_iter()
            .any(is_conditional)
}

/// Bytes that mean something to [`word`]; all others just belong to it.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    // Vertical tabs and form feeds are blank to some.
    let bytes = b" \t\r\n/\\\"\x0b\x0c";
    let mut i = 0;
    while i < bytes.len() {
        special[bytes[i] as usize] = true;
        i += 1;
    }
    special
};

/// The end of the word that begins here.
fn word(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let rest = text[at..].iter();
        at += rest.take_while(|&&byte| !SPECIAL[byte as usize]).count();
        match text.get(at) {
            None | Some(b' ' | b'\t' | b'\r' | b'\n') => return Some(at),
            Some(b'/') => match text.get(at + 1) {
                Some(b'/') => return Some(at),
                Some(b'*') => return None,
                _ => {}
            },
            Some(b'"') => {
                at += 1;
                loop {
                    match text.get(at)? {
                        b'"' => break,
                        b'\\' | b'\n' | b'\r' => return None,
                        _ => at += 1,
                    }
                }
            }
            Some(_) => return None,
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    fn content(text: &str) -> String {
        let content = Layout::new(text).content(text, 0..text.len());
        let words: Vec<&str> = content
            .split(|&b| b == 0xff)
            .map(|word| std::str::from_utf8(word).expect("words end where characters do"))
            .collect();
        words.join("|")
    }

    #[test]
    fn layout_is_left_out_and_strings_are_not() {
        assert_eq!(content("a  :=\tb+1; // c \"\n\n  d //"), "a|:=|b+1;|d|");
        assert_eq!(
            content("{:msg \"two  // words\"}x"),
            "{:msg|\"two  // words\"}x|"
        );
        assert_ne!(content("a = = b"), content("a == b"));
        assert_ne!(content("{:m \"a b\"}"), content("{:m \"a  b\"}"));
    }

    #[test]
    fn doubtful_texts_are_one_word() {
        for text in [
            "a /* b */ c",
            "a\n  #if X\nb",
            "a \"x\\\" y\"",
            "a \"x\ny\"",
            "a\n\u{a0}#if b",
        ] {
            assert_eq!(content(text), format!("{text}|"));
        }
    }

    #[test]
    fn places_are_found_again_in_another_layout() {
        let (old, new) = ("if (x)  y; // z\n", "// w\n  if // v\n (x) y;");
        let (from, to) = (Layout::new(old), Layout::new(new));
        for (start, word) in [(0, "if"), (4, "x"), (8, "y;"), (8, "y"), (3, "(x)")] {
            let (a, b) = from
                .forget(start, start + word.len() as u32)
                .expect("in words");
            let (a, b) = to.recall(a, b).expect("the same words");
            assert_eq!(&new[a as usize..b as usize], word);
        }
        let (a, b) = from.forget(3, 9).expect("in words");
        let (a, b) = to.recall(a, b).expect("the same words");
        assert_eq!(&new[a as usize..b as usize], "(x) y");
        assert_eq!(from.forget(2, 4), None);
        assert_eq!(from.forget(3, 3), None);
        assert_eq!(from.forget(7, 9), None);
        assert_eq!(from.forget(8, 12), None);
    }
}
