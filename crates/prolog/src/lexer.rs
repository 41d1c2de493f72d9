//! Text to tokens, one at a time, by position: no state but the place, so that the parser may look ahead.

use crate::ast::{Place, SyntaxError};
use num_bigint::BigInt;
use std::borrow::Cow;

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind<'a> {
    /// An unquoted name, symbol or solo character.
    Name(&'a str),
    /// A quoted atom.
    Quoted(Cow<'a, str>),
    Var(&'a str),
    Int(i64),
    Big(BigInt),
    /// `1r3`.
    Ratio(BigInt, BigInt),
    Float(f64),
    /// `"…"`.
    Double(Cow<'a, str>),
    Back(Cow<'a, str>),
    /// One of `( ) [ ] { } , |`.
    Punct(char),
    /// The full stop.
    End,
    /// The end of the text.
    Eof,
}

/// A token with its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) place: Place,
    /// Whether `(` follows without layout.
    pub(crate) functional: bool,
}

type Lexed<T> = Result<T, SyntaxError>;

pub(crate) fn is_symbol_char(c: char) -> bool {
    matches!(
        c,
        '+' | '-'
            | '*'
            | '/'
            | '\\'
            | '^'
            | '<'
            | '>'
            | '='
            | '~'
            | ':'
            | '.'
            | '?'
            | '@'
            | '#'
            | '&'
            | '$'
    ) || (!c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control())
}

pub(crate) fn is_alnum(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether a name starting like this is an unquoted atom.
pub(crate) fn starts_atom(c: char) -> bool {
    c.is_alphabetic() && !c.is_uppercase()
}

fn error<T>(message: impl Into<String>, start: usize, end: usize) -> Lexed<T> {
    Err(SyntaxError {
        message: message.into(),
        place: place(start, end),
    })
}

fn place(start: usize, end: usize) -> Place {
    Place {
        start: start as u32,
        end: end as u32,
    }
}

/// The lexer over a text.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a str,
    /// Refuses what only the standard refuses.
    pub(crate) iso: bool,
}

impl<'a> Lexer<'a> {
    fn peek(self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at) {
            Some(&byte) if byte < 128 => Some(byte as char),
            Some(_) => self.text[at..].chars().next(),
            None => None,
        }
    }

    fn scan(self, at: usize, accept: impl Fn(char) -> bool) -> usize {
        let rest = &self.text[at..];
        at + rest.find(|c| !accept(c)).unwrap_or(rest.len())
    }

    /// The first position at or after `at` that is neither layout nor comment.
    pub(crate) fn skip_layout(self, mut at: usize) -> Lexed<usize> {
        loop {
            match self.peek(at) {
                Some(c) if c.is_whitespace() || c == '\0' => at += c.len_utf8(),
                Some('%') => at = self.scan(at, |c| c != '\n'),
                Some('/') if self.text[at..].starts_with("/*") => {
                    match self.text[at + 2..].find("*/") {
                        Some(length) => at += length + 4,
                        None => return error("block comment without end", at, at + 2),
                    }
                }
                _ => return Ok(at),
            }
        }
    }

    /// The token at or after `at`.
    pub(crate) fn token(self, at: usize) -> Lexed<Token<'a>> {
        let start = self.skip_layout(at)?;
        let Some(first) = self.peek(start) else {
            return Ok(Token {
                kind: Kind::Eof,
                place: place(start, start),
                functional: false,
            });
        };
        let (kind, end) = self.token_at(first, start)?;
        Ok(Token {
            kind,
            place: place(start, end),
            functional: self.text.as_bytes().get(end) == Some(&b'('),
        })
    }

    fn token_at(self, first: char, start: usize) -> Lexed<(Kind<'a>, usize)> {
        let name = |end: usize| (Kind::Name(&self.text[start..end]), end);
        match first {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' => Ok((Kind::Punct(first), start + 1)),
            '|' if self.text[start..].starts_with("||") => Ok(name(start + 2)),
            '|' => Ok((Kind::Punct(first), start + 1)),
            '!' | ';' => Ok(name(start + 1)),
            '0'..='9' => self.number(start),
            '"' => {
                let (text, end) = self.quoted(start, '"')?;
                Ok((Kind::Double(text), end))
            }
            '\'' => {
                let (text, end) = self.quoted(start, '\'')?;
                Ok((Kind::Quoted(text), end))
            }
            '`' => {
                let (text, end) = self.quoted(start, '`')?;
                Ok((Kind::Back(text), end))
            }
            '.' if self.is_end(start) => Ok((Kind::End, start + 1)),
            c if c == '_' || c.is_uppercase() => {
                let end = self.scan(start, is_alnum);
                Ok((Kind::Var(&self.text[start..end]), end))
            }
            c if c.is_alphanumeric() => Ok(name(self.scan(start, is_alnum))),
            c if is_symbol_char(c) => Ok(name(self.scan(start, is_symbol_char))),
            c => error(
                format!("illegal character {:?}", c),
                start,
                start + c.len_utf8(),
            ),
        }
    }

    fn is_end(self, at: usize) -> bool {
        match self.peek(at + 1) {
            None => true,
            Some(c) => c.is_whitespace() || c == '%' || c == '\0',
        }
    }

    fn number(self, start: usize) -> Lexed<(Kind<'a>, usize)> {
        let bytes = self.text.as_bytes();
        if bytes[start] == b'0' {
            match bytes.get(start + 1) {
                Some(b'\'') => {
                    if let Some(found) = self.char_code(start)? {
                        return Ok(found);
                    }
                }
                Some(b'x') => return self.radix_or_zero(start, 16),
                Some(b'o') => return self.radix_or_zero(start, 8),
                Some(b'b') => return self.radix_or_zero(start, 2),
                _ => {}
            }
        }
        let end = self.digits(start, 10);
        if bytes.get(end) == Some(&b'\'') {
            let radix: u32 = self.text[start..end].parse().unwrap_or(0);
            if (2..=36).contains(&radix) && self.peek(end + 1).is_some_and(|c| c.is_digit(radix)) {
                let stop = self.digits(end + 1, radix);
                return Ok((parse_int(&self.text[end + 1..stop], radix), stop));
            }
        }
        self.decimal(start, end)
    }

    fn decimal(self, start: usize, int_end: usize) -> Lexed<(Kind<'a>, usize)> {
        let bytes = self.text.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let mut end = int_end;
        let fraction = bytes.get(end) == Some(&b'.') && digit(end + 1);
        if fraction {
            end = self.scan(end + 1, |c| c.is_ascii_digit());
            for (word, value) in [("Inf", f64::INFINITY), ("NaN", f64::NAN)] {
                if self.text[end..].starts_with(word) {
                    return Ok((Kind::Float(value), end + 3));
                }
            }
        }
        let mut exponent = false;
        if matches!(bytes.get(end), Some(b'e' | b'E')) && (fraction || !self.iso) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if digit(end + 1 + sign) && (fraction || sign == 0 || digit(end + 2)) {
                exponent = true;
                end = self.scan(end + 1 + sign, |c| c.is_ascii_digit());
            }
        }
        if !fraction && !exponent && !self.iso && bytes.get(end) == Some(&b'r') && digit(end + 1) {
            return self.ratio(start, end);
        }
        if !fraction && !exponent {
            return Ok((parse_int(&self.text[start..int_end], 10), int_end));
        }
        let text = self.text[start..end].replace(['_', ' '], "");
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok((Kind::Float(value), end)),
            _ => error("float out of range", start, end),
        }
    }

    /// `NrD`; a denominator of zero is an error.
    fn ratio(self, start: usize, middle: usize) -> Lexed<(Kind<'a>, usize)> {
        let end = self.digits(middle + 1, 10);
        let part = |from: usize, to: usize| {
            let digits = self.text[from..to].replace(['_', ' '], "");
            BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default()
        };
        let (numerator, denominator) = (part(start, middle), part(middle + 1, end));
        if denominator == BigInt::from(0) {
            return error("rational number with denominator zero", start, end);
        }
        Ok((Kind::Ratio(numerator, denominator), end))
    }

    /// The end of a run of digits, with `_` between digits allowed.
    fn digits(self, start: usize, radix: u32) -> usize {
        let mut end = self.scan(start, |c| c.is_digit(radix));
        while self.text[end..].starts_with('_')
            && self.peek(end + 1).is_some_and(|c| c.is_digit(radix))
        {
            end = self.scan(end + 1, |c| c.is_digit(radix));
        }
        // `1 000 000`, as SWI-Prolog reads it.
        while radix == 10 && !self.iso && self.is_group(end) && end - start <= 3 * 64 {
            end += 4;
        }
        end
    }

    /// Whether a space and three digits follow, and no more.
    fn is_group(self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let digit = |i: usize| bytes.get(at + i).is_some_and(u8::is_ascii_digit);
        // Behind three digits there is a character boundary.
        bytes.get(at) == Some(&b' ')
            && (1..4).all(digit)
            && self.peek(at + 4).is_none_or(|c| !is_alnum(c) && c != '\'')
    }

    fn radix_or_zero(self, start: usize, radix: u32) -> Lexed<(Kind<'a>, usize)> {
        let end = self.digits(start + 2, radix);
        if end == start + 2 {
            return Ok((Kind::Int(0), start + 1));
        }
        Ok((parse_int(&self.text[start + 2..end], radix), end))
    }

    /// `0'c`; `None` where `0'` does not start a character.
    fn char_code(self, start: usize) -> Lexed<Option<(Kind<'a>, usize)>> {
        let at = start + 2;
        match self.peek(at) {
            None => Ok(None),
            Some('\\') => match self.escape(at)? {
                (Some(c), end) => Ok(Some((Kind::Int(i64::from(u32::from(c))), end))),
                (None, end) => error("no character after 0'", start, end),
            },
            Some('\'') => {
                if self.text[at..].starts_with("''") {
                    Ok(Some((Kind::Int(39), at + 2)))
                } else if self.iso {
                    error("a quote after 0' is written twice", start, at + 1)
                } else {
                    Ok(Some((Kind::Int(39), at + 1)))
                }
            }
            Some('\n') => Ok(None),
            Some(c) => Ok(Some((
                Kind::Int(i64::from(u32::from(c))),
                at + c.len_utf8(),
            ))),
        }
    }

    /// Text between quotes; `start` is at the opening quote.
    fn quoted(self, start: usize, quote: char) -> Lexed<(Cow<'a, str>, usize)> {
        let mut at = start + 1;
        let plain = self.scan(at, |c| c != quote && c != '\\' && c != '\n');
        let doubled = |at: usize| self.peek(at + 1) == Some(quote);
        if self.peek(plain) == Some(quote) && !doubled(plain) {
            return Ok((Cow::Borrowed(&self.text[at..plain]), plain + 1));
        }
        let mut text = String::new();
        loop {
            let stop = self.scan(at, |c| c != quote && c != '\\');
            if self.iso && self.text[at..stop].contains('\n') {
                return error("line end in quoted text", start, start + 1);
            }
            text.push_str(&self.text[at..stop]);
            at = stop;
            match self.peek(at) {
                None => return error("quoted text without end", start, start + 1),
                Some('\\') => {
                    let (c, end) = self.escape(at)?;
                    text.extend(c);
                    at = end;
                }
                Some(_) if doubled(at) => {
                    text.push(quote);
                    at += 2;
                }
                Some(_) => return Ok((Cow::Owned(text), at + 1)),
            }
        }
    }

    /// The escape sequence at the backslash `at`; no character for a continued line.
    fn escape(self, at: usize) -> Lexed<(Option<char>, usize)> {
        let Some(c) = self.peek(at + 1) else {
            return error("quoted text without end", at, at + 1);
        };
        let end = at + 1 + c.len_utf8();
        let simple = match c {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'e' if !self.iso => '\u{1b}',
            's' if !self.iso => ' ',
            'z' => return error("undefined escape sequence", at, end),
            '\\' | '\'' | '"' | '`' => c,
            '\n' => return Ok((None, end)),
            'x' => return self.code_escape(at, end, 16),
            '0'..='7' => return self.code_escape(at, at + 1, 8),
            'u' => return self.fixed_escape(at, end, 4),
            'U' => return self.fixed_escape(at, end, 8),
            'c' => {
                return Ok((None, self.scan(end, char::is_whitespace)));
            }
            _ => return error("undefined escape sequence", at, end),
        };
        Ok((Some(simple), end))
    }

    fn code_escape(self, at: usize, digits: usize, radix: u32) -> Lexed<(Option<char>, usize)> {
        let end = self.scan(digits, |c| c.is_digit(radix));
        let code = u32::from_str_radix(&self.text[digits..end], radix).ok();
        match code.and_then(char::from_u32) {
            Some(c) => {
                let close = usize::from(self.peek(end) == Some('\\'));
                Ok((Some(c), end + close))
            }
            None => error("illegal character code", at, end),
        }
    }

    fn fixed_escape(self, at: usize, digits: usize, count: usize) -> Lexed<(Option<char>, usize)> {
        let code = self
            .text
            .get(digits..digits + count)
            .and_then(|text| u32::from_str_radix(text, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => Ok((Some(c), digits + count)),
            None => error("illegal character code", at, digits),
        }
    }
}

fn parse_int(digits: &str, radix: u32) -> Kind<'static> {
    let clean: Cow<'_, str> = if digits.contains(['_', ' ']) {
        Cow::Owned(digits.replace(['_', ' '], ""))
    } else {
        Cow::Borrowed(digits)
    };
    match i64::from_str_radix(&clean, radix) {
        Ok(value) => Kind::Int(value),
        Err(_) => Kind::Big(
            BigInt::parse_bytes(clean.as_bytes(), radix).expect("only digits were scanned"),
        ),
    }
}
