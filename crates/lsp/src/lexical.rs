//! Tokens of a text in the middle of an edit: whatever is typed, every byte belongs to a token or to white space.
//!
//! Outline, references, folding, completion and highlighting work on tokens, so that they do not vanish while a
//! program does not parse.

use crate::language::Language;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Name,
    Keyword,
    Number,
    Text,
    Comment,
    /// One punctuation character.
    Mark,
}

/// A token and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }
}

/// All tokens of a text.
pub(crate) fn tokens(language: Language, text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let kind = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if let Some(end) = comment(language, text, at) {
            at = end;
            Kind::Comment
        } else if c == '"' || c == '\'' && language.quotes_with_apostrophe(text, at) {
            at = quoted(text, at, c);
            Kind::Text
        } else if c.is_ascii_digit() {
            at = run(text, at, |c| c.is_ascii_alphanumeric() || c == '_');
            Kind::Number
        } else if language.starts_name(c) {
            at = run(text, at, |c| language.continues_name(c));
            match language.keywords().contains(&&text[start..at]) {
                true => Kind::Keyword,
                false => Kind::Name,
            }
        } else {
            at += c.len_utf8();
            Kind::Mark
        };
        found.push(Token {
            kind,
            start,
            end: at,
        });
    }
    found
}

fn run(text: &str, at: usize, belongs: impl Fn(char) -> bool) -> usize {
    text[at..]
        .find(|c| !belongs(c))
        .map_or(text.len(), |length| at + length)
}

/// The end of the comment that starts here.
fn comment(language: Language, text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with(language.line_comment()) {
        return Some(rest.find('\n').map_or(text.len(), |length| at + length));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut depth, mut from) = (1, 2);
    while depth > 0 {
        let close = rest[from..].find("*/").map(|p| p + from);
        let open = rest[from..].find("/*").map(|p| p + from);
        match (open, close) {
            (Some(open), Some(close)) if open < close && language.nests_comments() => {
                depth += 1;
                from = open + 2;
            }
            (_, Some(close)) => {
                depth -= 1;
                from = close + 2;
            }
            (_, None) => return Some(text.len()),
        }
    }
    Some(at + from)
}

/// The end of a quoted piece: the closing quote, or the end of the line if it is missing.
fn quoted(text: &str, at: usize, quote: char) -> usize {
    let mut escaped = false;
    for (offset, c) in text[at + 1..].char_indices() {
        let end = at + 1 + offset;
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return end,
            _ if c == quote => return end + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: Language, text: &str) -> String {
        let tokens = tokens(language, text);
        let one = |token: &Token| format!("{:?}:{}", token.kind, token.text(text));
        tokens.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_language_has_its_tokens() {
        let boogie = shown(
            Language::Boogie,
            "var x#1: int; // c\n/* a /* b */ */ \"s\\\"\"",
        );
        assert_eq!(
            boogie,
            "Keyword:var Name:x#1 Mark:: Keyword:int Mark:; Comment:// c Comment:/* a /* b */ */ Text:\"s\\\"\""
        );
        let prolog = shown(Language::Prolog, "p('a b') :- X > 0'. % c");
        assert!(prolog.starts_with("Name:p Mark:( Text:'a b'"), "{prolog}");
        assert!(prolog.ends_with("Comment:% c"), "{prolog}");
        let dafny = shown(Language::Dafny, "x' == 'c'");
        assert_eq!(dafny, "Name:x' Mark:= Mark:= Text:'c'");
    }

    #[test]
    fn unfinished_text_ends() {
        for text in ["/* open", "\"open\nnext", "'", "\u{1F600}", "0x"] {
            for language in [Language::Boogie, Language::Dafny, Language::Prolog] {
                let last = tokens(language, text).last().map(|token| token.end);
                assert_eq!(last, Some(text.len()), "{text}");
            }
        }
    }
}
