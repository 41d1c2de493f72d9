//! Local names: which ones a declaration introduces, and the types their declarations state. From tokens, as everything that
//! must work in the middle of an edit.

use crate::lexical::{Kind, Token};

/// Words after which a new name stands.
const INTRODUCERS: &[&str] = &[
    "var", "forall", "exists", "set", "iset", "map", "imap", "for",
];

/// What introduces a name in a declaration: `x: int`, or the statement if it states no type.
pub(crate) fn introduction(
    text: &str,
    tokens: &[Token],
    scope: (usize, usize),
    word: &str,
) -> Option<String> {
    let from = tokens.partition_point(|t| t.start < scope.0);
    let to = tokens.partition_point(|t| t.start < scope.1);
    let inside: Vec<&Token> = tokens[from..to]
        .iter()
        .filter(|t| t.kind != Kind::Comment)
        .collect();
    let is_name = |t: &Token| t.kind == Kind::Name && t.text(text) == word;
    for (at, token) in inside.iter().enumerate() {
        if !is_name(token) {
            continue;
        }
        let next = inside.get(at + 1);
        let states_type = next.is_some_and(|t| {
            t.start >= token.end
                && t.text(text) == ":"
                && !text[t.start..].starts_with("::")
                && !text[t.start..].starts_with(":=")
                && !text[t.start..].starts_with(":|")
        });
        if states_type && let Some(end) = end_of_type(text, &inside[at + 2..]) {
            return Some(format!("{word}: {}", text[next?.end..end].trim()));
        }
        let before = at.checked_sub(1).map(|before| inside[before].text(text));
        if before.is_some_and(|b| INTRODUCERS.contains(&b)) {
            let rest = &text[inside[at - 1].start..];
            let end = rest.find([';', '\n', '{']).unwrap_or(rest.len());
            return Some(rest[..end].trim().to_owned());
        }
    }
    None
}

/// Where a type ends: at what cannot stand in one.
fn end_of_type(text: &str, tokens: &[&Token]) -> Option<usize> {
    let mut depth = 0;
    let mut end = None;
    for token in tokens {
        let word = token.text(text);
        let rest = &text[token.start..];
        match word {
            "<" | "(" | "[" => depth += 1,
            // the second half of an arrow
            ">" if text[..token.start].ends_with(['-', '~']) => {}
            ">" | ")" | "]" if depth > 0 => depth -= 1,
            ")" | "]" => return end,
            _ if depth > 0 => {}
            "," | ";" | "|" | "{" | "}" | "=" => return end,
            ":" if rest.starts_with(":=") || rest.starts_with("::") || rest.starts_with(":|") => {
                return end;
            }
            _ if token.kind == Kind::Keyword && is_clause(word) => return end,
            _ => {}
        }
        end = Some(token.end);
    }
    None
}

fn is_clause(word: &str) -> bool {
    matches!(
        word,
        "requires"
            | "ensures"
            | "modifies"
            | "reads"
            | "decreases"
            | "returns"
            | "where"
            | "invariant"
            | "to"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::lexical::tokens;

    #[test]
    fn stated_types_are_found() {
        let text = "method M(a: array<int>, m: map<int, seq<bool>>) returns (r: int) requires a.Length > 0\n{ var k := 0; var f: int -> bool := x => true; ghost var s: set<int>; assert forall i :: a[i] > 0; }";
        let found = tokens(Language::Dafny, text);
        let shown = |word| introduction(text, &found, (0, text.len()), word);
        assert_eq!(shown("a").as_deref(), Some("a: array<int>"));
        assert_eq!(shown("m").as_deref(), Some("m: map<int, seq<bool>>"));
        assert_eq!(shown("r").as_deref(), Some("r: int"));
        assert_eq!(shown("k").as_deref(), Some("var k := 0"));
        assert_eq!(shown("f").as_deref(), Some("f: int -> bool"));
        assert_eq!(shown("s").as_deref(), Some("s: set<int>"));
        assert_eq!(shown("i").as_deref(), Some("forall i :: a[i] > 0"));
        assert_eq!(shown("Length"), None);
    }
}
