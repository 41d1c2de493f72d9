//! Tokens of IR text: a byte-level scanner without allocation; a token is a kind and a byte range.

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    Eof,
    /// A keyword or bare name.
    Word,
    /// A name followed by a colon; the range excludes the colon.
    Label,
    /// `%name`; the range includes the sigil.
    Local,
    /// `@name`.
    Global,
    /// `!name` or `!12`.
    Meta,
    /// `!` before a brace or string.
    Bang,
    /// `#12` or `#dbg_value`.
    Hash,
    /// `$name`.
    Comdat,
    /// A decimal integer.
    Int,
    /// A floating-point number, or hexadecimal digits of one.
    Float,
    /// `"…"`, quotes included.
    Str,
    /// `c"…"`.
    CStr,
    /// `...`.
    Dots,
    Punct(u8),
}

#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) pos: usize,
}

const WORD: u8 = 1;
const SPACE: u8 = 2;
const DIGIT: u8 = 4;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let c = i as u8;
        if c.is_ascii_alphanumeric() || c == b'-' || c == b'$' || c == b'.' || c == b'_' {
            table[i] |= WORD;
        }
        if c.is_ascii_digit() {
            table[i] |= DIGIT;
        }
        if matches!(c, b' ' | b'\t' | b'\n' | b'\r') {
            table[i] |= SPACE;
        }
        i += 1;
    }
    table
}

impl<'a> Lexer<'a> {
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.pos + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn skip_class(&mut self, class: u8) {
        while self.pos < self.text.len() && CLASS[self.text[self.pos] as usize] & class != 0 {
            self.pos += 1;
        }
    }

    fn skip_blank(&mut self) {
        loop {
            self.skip_class(SPACE);
            if self.peek(0) != b';' {
                return;
            }
            self.skip_line();
        }
    }

    /// Moves to the end of the line.
    pub(crate) fn skip_line(&mut self) {
        while self.pos < self.text.len() && self.text[self.pos] != b'\n' {
            self.pos += 1;
        }
    }

    /// The next token with its range.
    pub(crate) fn next(&mut self) -> (Tok, usize, usize) {
        self.skip_blank();
        let start = self.pos;
        let Some(&c) = self.text.get(start) else {
            return (Tok::Eof, start, start);
        };
        let kind = match c {
            b'%' => self.sigil(Tok::Local),
            b'@' => self.sigil(Tok::Global),
            b'$' => self.sigil(Tok::Comdat),
            b'#' => self.sigil(Tok::Hash),
            b'!' => self.bang(),
            b'"' => self.string_or_label(start),
            b'c' if self.peek(1) == b'"' => {
                self.pos += 1;
                self.string();
                Tok::CStr
            }
            b'0'..=b'9' => return self.number(start),
            b'-' | b'+' if self.peek(1).is_ascii_digit() => return self.number(start),
            b'.' if self.peek(1) == b'.' && self.peek(2) == b'.' => {
                self.pos += 3;
                Tok::Dots
            }
            _ if CLASS[c as usize] & WORD != 0 => {
                self.skip_class(WORD);
                self.word_or_label(Tok::Word)
            }
            _ => {
                self.pos += 1;
                Tok::Punct(c)
            }
        };
        let end = if kind == Tok::Label {
            self.pos - 1
        } else {
            self.pos
        };
        (kind, start, end)
    }

    fn sigil(&mut self, kind: Tok) -> Tok {
        self.pos += 1;
        if self.peek(0) == b'"' {
            self.string();
        } else {
            self.skip_class(WORD);
        }
        kind
    }

    fn bang(&mut self) -> Tok {
        self.pos += 1;
        let c = self.peek(0);
        if CLASS[c as usize] & WORD == 0 && c != b'\\' {
            return Tok::Bang;
        }
        while CLASS[self.peek(0) as usize] & WORD != 0 || self.peek(0) == b'\\' {
            self.pos += 1;
        }
        Tok::Meta
    }

    /// Skips a string; an unterminated one ends at the end of the text.
    fn string(&mut self) {
        self.pos += 1;
        while self.pos < self.text.len() && self.text[self.pos] != b'"' {
            self.pos += 1;
        }
        self.pos = (self.pos + 1).min(self.text.len());
    }

    fn string_or_label(&mut self, start: usize) -> Tok {
        self.string();
        if self.text[start..self.pos].len() < 2 {
            return Tok::Punct(b'"');
        }
        self.word_or_label(Tok::Str)
    }

    fn word_or_label(&mut self, otherwise: Tok) -> Tok {
        if self.peek(0) == b':' {
            self.pos += 1;
            Tok::Label
        } else {
            otherwise
        }
    }

    fn number(&mut self, start: usize) -> (Tok, usize, usize) {
        self.pos += 1;
        let hexadecimal = self.text[start] == b'0' && self.peek(0) == b'x';
        if hexadecimal {
            self.skip_class(WORD);
            return (Tok::Float, start, self.pos);
        }
        self.skip_class(DIGIT);
        if self.peek(0) == b'.' {
            self.pos += 1;
            self.skip_class(DIGIT);
            if matches!(self.peek(0), b'e' | b'E') {
                self.pos += 1;
                if matches!(self.peek(0), b'+' | b'-') {
                    self.pos += 1;
                }
                self.skip_class(DIGIT);
            }
            return (Tok::Float, start, self.pos);
        }
        if CLASS[self.peek(0) as usize] & WORD != 0 {
            // a bare name that starts with digits
            self.skip_class(WORD);
            let kind = self.word_or_label(Tok::Word);
            let end = if kind == Tok::Label {
                self.pos - 1
            } else {
                self.pos
            };
            return (kind, start, end);
        }
        let kind = self.word_or_label(Tok::Int);
        let end = if kind == Tok::Label {
            self.pos - 1
        } else {
            self.pos
        };
        (kind, start, end)
    }
}

/// The text of a name or string without quotes, escapes `\xx` replaced.
pub(crate) fn unquote(raw: &[u8]) -> Vec<u8> {
    let inner = match raw {
        [b'"', inner @ .., b'"'] => inner,
        [b'c', b'"', inner @ .., b'"'] => inner,
        _ => return raw.to_vec(),
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut i = 0;
    while i < inner.len() {
        if inner[i] == b'\\' {
            if inner.get(i + 1) == Some(&b'\\') {
                out.push(b'\\');
                i += 2;
                continue;
            }
            let digits = inner.get(i + 1..i + 3).map(hex_pair);
            if let Some(Some(byte)) = digits {
                out.push(byte);
                i += 3;
                continue;
            }
        }
        out.push(inner[i]);
        i += 1;
    }
    out
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let digit = |c: u8| (c as char).to_digit(16);
    Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)
}
