//! Texts without their layout: blanks and comments between the words of a program are not part of keys, and positions
//! are kept as places in what is left.
//!
//! A word here is a longest piece of text without blanks and comments outside of strings, so `a+b` and `a + b` differ; what is
//! the same in this sense is the same sequence of tokens. A text in which that is not certain (comments of several lines or in
//! comments, escapes, directives) is one word as a whole.

/// Stands after every word of a content; no text has this byte.
pub(crate) const GAP: u8 = 0xff;

/// Where the words of a text stand, and where they would stand with nothing in between.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    starts: Vec<u32>,
    /// Without anything in between; at last, where all ends.
    places: Vec<u32>,
}

impl Layout {
    /// Finds the words of a text; with its content: the words, each with a [`GAP`] behind it.
    pub(crate) fn new(text: &str) -> (Layout, Vec<u8>) {
        words(text.as_bytes()).unwrap_or_else(|| Layout::whole(text))
    }

    /// A text as one word.
    pub(crate) fn whole(text: &str) -> (Layout, Vec<u8>) {
        let mut whole = Words::new(text.as_bytes());
        whole.push(0, text.len());
        whole.finish()
    }

    /// The place of a byte of a word.
    fn place(&self, offset: u32) -> Option<u32> {
        let next = self.starts.partition_point(|&start| start <= offset);
        let word = next.checked_sub(1)?;
        let place = self.places[word] + (offset - self.starts[word]);
        (place < self.places[next]).then_some(place)
    }

    /// Where the byte of a place stands in the text.
    fn offset(&self, place: u32) -> Option<u32> {
        let next = self.places.partition_point(|&p| p <= place);
        let word = next.checked_sub(1)?;
        Some(self.starts.get(word)? + (place - self.places[word]))
    }

    /// The place of a byte of the content, given that it is no gap.
    pub(crate) fn place_in_content(&self, index: usize) -> u32 {
        // There are as many gaps before a word as words.
        let (mut low, mut high) = (0, self.starts.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.places[middle] as usize + middle <= index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        debug_assert!(low > 0, "a byte of the content is in a word or behind it");
        (index + 1 - low) as u32
    }

    /// A stretch of text as places; `None` if it does not begin and end in words.
    pub(crate) fn forget(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let last = end.checked_sub(1).filter(|&last| start <= last)?;
        Some((self.place(start)?, self.place(last)? + 1))
    }

    /// The stretch of text with these places.
    pub(crate) fn recall(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let last = end.checked_sub(1).filter(|&last| start <= last)?;
        Some((self.offset(start)?, self.offset(last)? + 1))
    }
}

/// Words as they are found.
struct Words<'a> {
    text: &'a [u8],
    layout: Layout,
    content: Vec<u8>,
}

impl<'a> Words<'a> {
    fn new(text: &'a [u8]) -> Self {
        let expected = text.len() / 6;
        Words {
            text,
            layout: Layout {
                starts: Vec::with_capacity(expected),
                places: Vec::with_capacity(expected),
            },
            content: Vec::with_capacity(text.len() + 1),
        }
    }

    fn push(&mut self, start: usize, end: usize) {
        debug_assert!(
            start <= end && end <= self.text.len(),
            "a word is in the text"
        );
        debug_assert!(
            self.layout
                .starts
                .last()
                .is_none_or(|&last| (last as usize) < start),
            "words are found in order"
        );
        self.layout.starts.push(start as u32);
        self.layout.places.push(self.place());
        self.content.extend_from_slice(&self.text[start..end]);
        self.content.push(GAP);
    }

    /// The place of what comes next.
    fn place(&self) -> u32 {
        (self.content.len() - self.layout.places.len()) as u32
    }

    fn finish(mut self) -> (Layout, Vec<u8>) {
        self.layout.places.push(self.place());
        debug_assert!(
            self.layout.places.len() == self.layout.starts.len() + 1
                && self.layout.places.is_sorted(),
            "places of all words, and of the end"
        );
        (self.layout, self.content)
    }
}

/// The words of a text; `None` if they are not certain.
fn words(text: &[u8]) -> Option<(Layout, Vec<u8>)> {
    let mut words = Words::new(text);
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
            b'/' if text.get(at + 1) == Some(&b'*') => at = end_of_comment(text, at)?,
            b'#' if line_begins && is_directive(text, at) => return None,
            // It may count as blank before a directive.
            0x80.. if line_begins => return None,
            _ => {
                line_begins = false;
                let end = word(text, at)?;
                words.push(at, end);
                at = end;
            }
        }
    }
    Some(words.finish())
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

/// The end of a comment `/* … */` that begins here, if it is on one line and has no other in it.
fn end_of_comment(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 2;
    loop {
        match (text.get(at)?, text.get(at + 1)?) {
            (b'*', b'/') => return Some(at + 2),
            (b'/', b'*') | (b'\n' | b'\r', _) => return None,
            _ => at += 1,
        }
    }
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
            Some(b'/') => {
                if let Some(b'/' | b'*') = text.get(at + 1) {
                    return Some(at);
                }
            }
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
    use super::{GAP, Layout};

    fn content(text: &str) -> String {
        let (_, content) = Layout::new(text);
        let words: Vec<&str> = content
            .split(|&b| b == GAP)
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
        assert_eq!(content("a /* b // */ c/**/d/e"), "a|c|d/e|");
        assert_eq!(content("/* a */"), "");
        assert_ne!(content("a = = b"), content("a == b"));
        assert_ne!(content("{:m \"a b\"}"), content("{:m \"a  b\"}"));
    }

    #[test]
    fn doubtful_texts_are_one_word() {
        for text in [
            "a /* b\n */ c",
            "a /* b /* c */ */ d",
            "a /* b",
            "a /*/ b",
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
        let (from, to) = (Layout::new(old).0, Layout::new(new).0);
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
