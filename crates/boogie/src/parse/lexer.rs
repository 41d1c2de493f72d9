//! Text to tokens, in one pass over the bytes.
//!
//! Also here: `#if`/`#else`/`#endif` (inactive lines are skipped as if blank) and `#line` pragmas, which may
//! stand at the start of any line.

use super::token::{Tok, Token, keyword};
use crate::position::Origins;
use crate::{codes, message};
use stet_base::{FastMap, FileId, Span};
use stet_diag::Diagnostic;

/// Blanks out what `#if` excludes, keeping all offsets. `None` if there is nothing to do.
pub(crate) fn preprocess(text: &str, defines: &[String]) -> Option<String> {
    let is_directive = |line: &str| {
        let line = line.trim();
        line.starts_with("#if") || line.starts_with("#else") || line.starts_with("#endif")
    };
    if !text.contains("#if") || !text.lines().any(is_directive) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    // For each open `#if`: whether the branch read now is active, and whether this level was active at all.
    let mut stack: Vec<(bool, bool)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let active = stack.last().is_none_or(|&(now, _)| now);
        let mut keep = active;
        if let Some(condition) = trimmed.strip_prefix("#if") {
            let mut condition = condition.trim();
            let mut wanted = true;
            while let Some(rest) = condition.strip_prefix('!') {
                wanted = !wanted;
                condition = rest.trim();
            }
            let holds = defines.iter().any(|d| d == condition) == wanted;
            stack.push((active && holds, active));
            keep = false;
        } else if trimmed.starts_with("#else") && !stack.is_empty() {
            if let Some((now, outer)) = stack.last_mut() {
                *now = *outer && !*now;
            }
            keep = false;
        } else if trimmed.starts_with("#endif") && stack.pop().is_some() {
            keep = false;
        }
        if keep {
            out.push_str(line);
        } else {
            out.extend(line.bytes().map(|b| match b {
                b'\n' | b'\r' => b as char,
                _ => ' ',
            }));
        }
    }
    Some(out)
}

/// All tokens of a file, an [`Tok::Eof`] last.
pub(crate) fn tokens(
    text: &str,
    file: FileId,
    origins: &mut Origins,
    messages: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        text,
        at: 0,
        file,
        origins,
        messages,
        comments: FastMap::default(),
    };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == Tok::Eof {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    file: FileId,
    origins: &'a mut Origins,
    messages: &'a mut Vec<Diagnostic>,
    /// Where comments inside an unclosed one end, by where they start; nowhere if they are unclosed, too.
    comments: FastMap<usize, Option<usize>>,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
        || matches!(
            byte,
            b'\'' | b'~' | b'#' | b'$' | b'^' | b'_' | b'.' | b'?' | b'`'
        )
}

fn continues_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit()
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.at;
        if start >= self.bytes.len() {
            return self.token(Tok::Eof, start);
        }
        let byte = self.bytes[start];
        let kind = if starts_word(byte) || (byte == b'\\' && starts_word(self.peek(1))) {
            self.word()
        } else if byte.is_ascii_digit() {
            self.number()
        } else if byte == b'-' && self.peek(1) == b'0' && self.peek(2) == b'x' {
            let length = self.hex_float_length(start + 1);
            self.at += 1 + length;
            if length > 0 { Tok::Float } else { Tok::Minus }
        } else if byte == b'"' {
            self.string()
        } else if byte < 128 {
            self.punctuation(byte)
        } else {
            self.symbol()
        };
        self.token(kind, start)
    }

    fn token(&self, kind: Tok, start: usize) -> Token {
        Token {
            kind,
            start: start as u32,
            end: self.at as u32,
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                b'#' if self.at == 0 || self.bytes[self.at - 1] == b'\n' => self.pragma(),
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' if self.peek(1) == b'/' => {
                    while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                b'/' if self.peek(1) == b'*' => {
                    if !self.comment() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips a comment, which may contain others; an unclosed one is no comment. What is inside of an unclosed one is looked
    /// at once, not once for every comment that starts there.
    fn comment(&mut self) -> bool {
        let start = self.at;
        if let Some(end) = self.comments.get(&start) {
            self.at = end.unwrap_or(start);
            return end.is_some();
        }
        let mut open = Vec::new();
        let mut closed = Vec::new();
        while self.at < self.bytes.len() {
            if self.peek(0) == b'/' && self.peek(1) == b'*' {
                open.push(self.at);
                self.at += 2;
            } else if self.peek(0) == b'*' && self.peek(1) == b'/' {
                self.at += 2;
                closed.extend(open.pop().map(|start| (start, Some(self.at))));
                if open.is_empty() {
                    return true;
                }
            } else if self.peek(0) == b'#' && self.bytes[self.at - 1] == b'\n' {
                self.pragma();
            } else {
                self.at += 1;
            }
        }
        self.comments.extend(closed);
        self.comments
            .extend(open.into_iter().map(|start| (start, None)));
        self.at = start;
        false
    }

    fn pragma(&mut self) {
        let start = self.at;
        let end = self.text[start..]
            .find('\n')
            .map_or(self.text.len(), |n| start + n);
        let line = self.text[start..end].trim_end();
        self.at = (end + 1).min(self.text.len());
        if let Some(rest) = line
            .strip_prefix("#line")
            .filter(|r| r.is_empty() || r.starts_with(' '))
        {
            let rest = rest.trim();
            let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
            match number.parse::<i64>() {
                Ok(number) => {
                    let number = u32::try_from(number).unwrap_or(0);
                    let name = name.trim();
                    let name = (!name.is_empty()).then_some(name);
                    self.origins.add(self.file, self.at as u32, number, name);
                }
                Err(_) => self.pragma_error(
                    start,
                    format!("Malformed (#line num [filename]) pragma: {line}"),
                ),
            }
        } else {
            self.pragma_error(start, format!("Unrecognized pragma: {line}"));
        }
    }

    fn pragma_error(&mut self, at: usize, text: String) {
        let span = Span {
            file: self.file,
            start: at as u32,
            end: at as u32,
        };
        self.messages
            .push(message::error(codes::PRAGMA, span, text));
    }

    fn word(&mut self) -> Tok {
        let start = self.at;
        self.at += 1;
        while continues_word(self.peek(0)) {
            self.at += 1;
        }
        keyword(&self.text[start..self.at]).unwrap_or(Tok::Ident)
    }

    fn digits_at(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    }

    /// The length of `24e8` at `from`, zero if it is not there.
    fn float_size_length(&self, from: usize) -> usize {
        let significand = self.digits_at(from);
        if significand == 0 || self.bytes.get(from + significand) != Some(&b'e') {
            return 0;
        }
        let exponent = self.digits_at(from + significand + 1);
        if exponent == 0 {
            0
        } else {
            significand + 1 + exponent
        }
    }

    /// The length of `0x1.8e3f24e8` at `from`, zero if it is not there.
    fn hex_float_length(&self, from: usize) -> usize {
        let hex = |at: usize| {
            let rest = self.bytes.get(at..).unwrap_or(&[]);
            rest.iter().take_while(|b| b.is_ascii_hexdigit()).count()
        };
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        if byte(from) != b'0' || byte(from + 1) != b'x' {
            return 0;
        }
        let whole = hex(from + 2);
        let dot = from + 2 + whole;
        if whole == 0 || byte(dot) != b'.' {
            return 0;
        }
        // The fraction is hexadecimal and so is `e`: the exponent's is the last before the `f` and the sizes.
        let fraction = hex(dot + 1);
        for e in (dot + 2..=dot + 1 + fraction).rev() {
            if byte(e) != b'e' {
                continue;
            }
            let sign = usize::from(byte(e + 1) == b'-');
            let exponent = self.digits_at(e + 1 + sign);
            let f = e + 1 + sign + exponent;
            if exponent > 0 && byte(f) == b'f' {
                let size = self.float_size_length(f + 1);
                if size > 0 {
                    return f + 1 + size - from;
                }
            }
        }
        0
    }

    fn number(&mut self) -> Tok {
        let start = self.at;
        let special = ["0NaN", "0nan", "0+oo", "0-oo"];
        if special
            .iter()
            .any(|s| self.bytes[start..].starts_with(s.as_bytes()))
        {
            let size = self.float_size_length(start + 4);
            if size > 0 {
                self.at = start + 4 + size;
                return Tok::Float;
            }
        }
        let length = self.hex_float_length(start);
        if length > 0 {
            self.at = start + length;
            return Tok::Float;
        }
        self.at += self.digits_at(start);
        if self.peek(0) == b'b' && self.peek(1) == b'v' {
            let width = self.digits_at(self.at + 2);
            if width > 0 {
                self.at += 2 + width;
                return Tok::BvLit;
            }
        }
        let mut kind = Tok::Digits;
        if self.peek(0) == b'.' {
            let fraction = self.digits_at(self.at + 1);
            if fraction > 0 {
                self.at += 1 + fraction;
                kind = Tok::DecFloat;
            }
        }
        if self.peek(0) == b'e' {
            let sign = usize::from(self.peek(1) == b'-');
            let exponent = self.digits_at(self.at + 1 + sign);
            if exponent > 0 {
                self.at += 1 + sign + exponent;
                if kind == Tok::Digits {
                    kind = Tok::Decimal;
                }
            }
        }
        kind
    }

    fn string(&mut self) -> Tok {
        let start = self.at;
        self.at += 1;
        // `\"` continues a string unless no later quote on the line could end it.
        let mut last_quote = None;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'"' => {
                    if self.bytes[self.at - 1] == b'\\' && self.at > start + 1 {
                        last_quote = Some(self.at);
                        self.at += 1;
                        continue;
                    }
                    self.at += 1;
                    return Tok::Str;
                }
                b'\n' | b'\r' => break,
                _ => self.at += 1,
            }
        }
        match last_quote {
            Some(quote) => {
                self.at = quote + 1;
                Tok::Str
            }
            None => {
                self.at = start + 1;
                Tok::Unknown
            }
        }
    }

    fn punctuation(&mut self, byte: u8) -> Tok {
        let (kind, length) = match (byte, self.peek(1), self.peek(2), self.peek(3)) {
            (b'<', b'=', b'=', b'>') => (Tok::Iff, 4),
            (b'=', b'=', b'>', _) => (Tok::Implies, 3),
            (b'<', b'=', b'=', _) => (Tok::Explies, 3),
            (b'&', b'&', ..) => (Tok::And, 2),
            (b'|', b'|', ..) => (Tok::Or, 2),
            (b'|', b'{', ..) => (Tok::CodeOpen, 2),
            (b'}', b'|', ..) => (Tok::CodeClose, 2),
            (b'=', b'=', ..) => (Tok::EqEq, 2),
            (b'<', b'=', ..) => (Tok::Le, 2),
            (b'>', b'=', ..) => (Tok::Ge, 2),
            (b'!', b'=', ..) => (Tok::Neq, 2),
            (b'<', b':', ..) => (Tok::Subtype, 2),
            (b'+', b'+', ..) => (Tok::Concat, 2),
            (b'*', b'*', ..) => (Tok::Power, 2),
            (b':', b'=', ..) => (Tok::Assign, 2),
            (b':', b':', ..) => (Tok::ColonColon, 2),
            (b';', ..) => (Tok::Semi, 1),
            (b'(', ..) => (Tok::LParen, 1),
            (b')', ..) => (Tok::RParen, 1),
            (b':', ..) => (Tok::Colon, 1),
            (b',', ..) => (Tok::Comma, 1),
            (b'[', ..) => (Tok::LBracket, 1),
            (b']', ..) => (Tok::RBracket, 1),
            (b'<', ..) => (Tok::Lt, 1),
            (b'>', ..) => (Tok::Gt, 1),
            (b'{', ..) => (Tok::LBrace, 1),
            (b'}', ..) => (Tok::RBrace, 1),
            (b'=', ..) => (Tok::Eq, 1),
            (b'*', ..) => (Tok::Star, 1),
            (b'|', ..) => (Tok::Bar, 1),
            (b'+', ..) => (Tok::Plus, 1),
            (b'-', ..) => (Tok::Minus, 1),
            (b'/', ..) => (Tok::Slash, 1),
            (b'!', ..) => (Tok::Not, 1),
            _ => (Tok::Unknown, 1),
        };
        self.at += length;
        kind
    }

    fn symbol(&mut self) -> Tok {
        let Some(character) = self.text[self.at..].chars().next() else {
            self.at += 1;
            return Tok::Unknown;
        };
        self.at += character.len_utf8();
        match character {
            '\u{21d4}' => Tok::Iff,
            '\u{21d2}' => Tok::Implies,
            '\u{21d0}' => Tok::Explies,
            '\u{2227}' => Tok::And,
            '\u{2228}' => Tok::Or,
            '\u{2260}' => Tok::Neq,
            '\u{2264}' => Tok::Le,
            '\u{2265}' => Tok::Ge,
            '\u{ac}' => Tok::Not,
            '\u{2200}' => Tok::Forall,
            '\u{2203}' => Tok::Exists,
            '\u{3bb}' => Tok::Lambda,
            '\u{2022}' => Tok::ColonColon,
            _ => Tok::Unknown,
        }
    }
}
