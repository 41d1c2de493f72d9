//! Text to tokens. Comments (nested) and white space disappear; what cannot be read is a `Bad` token and a message.

use super::token::{PUNCTS, Tok, Token, keyword};

/// A lexical error: where and what.
pub(crate) struct LexError {
    pub(crate) at: u32,
    pub(crate) message: &'static str,
}

/// All tokens of a text, with an `Eof` at the end.
pub(crate) fn lex(text: &str) -> (Vec<Token>, Vec<LexError>) {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(text.len() / 4 + 1),
        errors: Vec::new(),
    };
    lexer.run();
    (lexer.tokens, lexer.errors)
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    errors: Vec<LexError>,
}

fn is_ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'?'
}

fn is_ident_char(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?' | b'\'')
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.at = 3;
        }
        loop {
            self.skip_blank();
            let start = self.at;
            if self.at >= self.bytes.len() {
                self.push(Tok::Eof, start);
                return;
            }
            let kind = self.token();
            if self.at == start {
                // An unknown character: skip it whole.
                let width = self.text[start..].chars().next().map_or(1, char::len_utf8);
                self.at += width;
            }
            self.push(kind, start);
        }
    }

    fn push(&mut self, kind: Tok, start: usize) {
        self.tokens.push(Token {
            kind,
            start: start as u32,
            end: self.at as u32,
        });
    }

    fn error(&mut self, at: usize, message: &'static str) {
        self.errors.push(LexError {
            at: at as u32,
            message,
        });
    }

    fn skip_blank(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                b'/' if self.peek(1) == b'*' => self.skip_comment(),
                // Line directives of other tools.
                b'#' if self.at_line_start() && !matches!(self.peek(1), b'[') => self.skip_line(),
                _ => return,
            }
        }
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || self.bytes[self.at - 1] == b'\n'
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            self.at += 1;
        }
    }

    fn skip_comment(&mut self) {
        let mut depth = 0u32;
        while self.at < self.bytes.len() {
            if self.peek(0) == b'/' && self.peek(1) == b'*' {
                depth += 1;
                self.at += 2;
            } else if self.peek(0) == b'*' && self.peek(1) == b'/' {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return;
                }
            } else {
                self.at += 1;
            }
        }
        // A comment that is not closed ends with the text, as in Dafny.
    }

    fn token(&mut self) -> Tok {
        let byte = self.peek(0);
        if is_ident_start(byte) {
            return self.word();
        }
        if byte.is_ascii_digit() {
            return self.number();
        }
        match byte {
            b'"' => self.string(),
            b'@' if self.peek(1) == b'"' => self.verbatim(),
            b'\'' => self.quote(),
            _ => self.punct(),
        }
    }

    fn word(&mut self) -> Tok {
        let start = self.at;
        self.at += 1;
        while is_ident_char(self.peek(0)) {
            self.at += 1;
        }
        keyword(&self.text[start..self.at]).map_or(Tok::Ident, Tok::Kw)
    }

    fn digits(&mut self, ok: fn(&u8) -> bool) {
        while ok(&self.peek(0)) || (self.peek(0) == b'_' && ok(&self.peek(1))) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Tok {
        if self.peek(0) == b'0' && self.peek(1) == b'x' && self.peek(2).is_ascii_hexdigit() {
            self.at += 2;
            self.digits(u8::is_ascii_hexdigit);
            return Tok::Hex;
        }
        self.digits(u8::is_ascii_digit);
        let mut kind = Tok::Int;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            self.digits(u8::is_ascii_digit);
            kind = Tok::Decimal;
        }
        let sign = usize::from(self.peek(1) == b'-');
        if self.peek(0) == b'e' && self.peek(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
            self.digits(u8::is_ascii_digit);
            kind = Tok::Decimal;
        }
        if kind == Tok::Int && is_ident_char(self.peek(0)) && self.peek(0) != b'\'' {
            // `0foo`: digits then letters are a name only after a dot; read it as one word.
            while is_ident_char(self.peek(0)) {
                self.at += 1;
            }
            return Tok::Ident;
        }
        kind
    }

    fn string(&mut self) -> Tok {
        let start = self.at;
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return Tok::Str;
                }
                b'\\' if self.peek(1) != b'\n' => self.at += 2,
                b'\n' => break,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
        self.error(start, "string literal is not closed");
        Tok::Bad
    }

    fn verbatim(&mut self) -> Tok {
        let start = self.at;
        self.at += 2;
        while self.at < self.bytes.len() {
            if self.peek(0) == b'"' {
                if self.peek(1) != b'"' {
                    self.at += 1;
                    return Tok::VerbatimStr;
                }
                self.at += 1;
            }
            self.at += 1;
        }
        self.error(start, "string literal is not closed");
        Tok::Bad
    }

    /// A character literal, or a name that starts with a prime.
    fn quote(&mut self) -> Tok {
        let rest = &self.text[self.at + 1..];
        let mut chars = rest.char_indices();
        let close = match chars.next() {
            Some((_, '\\')) => rest[1..].find('\'').map(|i| i + 1).filter(|&i| {
                let i = if rest[1..].starts_with('\'') { 2 } else { i };
                i <= 12
            }),
            Some((_, c)) if c != '\'' && c != '\n' => {
                let width = c.len_utf8();
                rest[width..].starts_with('\'').then_some(width)
            }
            _ => None,
        };
        if let Some(mut close) = close {
            if rest.starts_with("\\'") && rest[2..].starts_with('\'') {
                close = 2;
            }
            self.at += 1 + close + 1;
            return Tok::Char;
        }
        self.at += 1;
        while is_ident_char(self.peek(0)) {
            self.at += 1;
        }
        Tok::Ident
    }

    fn punct(&mut self) -> Tok {
        let rest = &self.bytes[self.at..];
        for (text, punct) in PUNCTS {
            if rest.starts_with(text.as_bytes()) {
                // `!in` is two tokens, but `!!` and `!=` win only when they fit.
                self.at += text.len();
                return Tok::P(*punct);
            }
        }
        self.error(self.at, "this character is not part of any token");
        Tok::Bad
    }
}

/// The value of a character or string literal without its quotes, or the message about a bad escape.
pub(crate) fn unescape(text: &str) -> Result<Vec<u32>, &'static str> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c as u32);
            continue;
        }
        out.push(match chars.next() {
            Some('\'') => '\'' as u32,
            Some('"') => '"' as u32,
            Some('\\') => '\\' as u32,
            Some('0') => 0,
            Some('n') => 10,
            Some('r') => 13,
            Some('t') => 9,
            Some('u') => hex4(&mut chars)?,
            Some('U') => hex_braces(&mut chars)?,
            _ => return Err("unrecognized escape sequence"),
        });
    }
    Ok(out)
}

fn hex4(chars: &mut std::str::Chars<'_>) -> Result<u32, &'static str> {
    let mut value = 0;
    for _ in 0..4 {
        let digit = chars.next().and_then(|c| c.to_digit(16));
        value = value * 16 + digit.ok_or("unrecognized escape sequence")?;
    }
    Ok(value)
}

fn hex_braces(chars: &mut std::str::Chars<'_>) -> Result<u32, &'static str> {
    let bad = "unrecognized escape sequence";
    if chars.next() != Some('{') {
        return Err(bad);
    }
    let mut value: u32 = 0;
    for c in chars.by_ref() {
        match c {
            '}' => return Ok(value),
            '_' => {}
            _ => {
                let digit = c.to_digit(16).ok_or(bad)?;
                value = value * 16 + digit;
                if value > 0x10_FFFF {
                    return Err("\\U{X..X} escape sequence must be less than 0x110000");
                }
            }
        }
    }
    Err(bad)
}
