//! "Split into assertions": a conjunction in an `assert` becomes one assertion for each part, so that what fails has a place
//! of its own.

use crate::document::Snapshot;
use crate::language::Language;
use crate::lexical::{Kind, Token};
use lsp_types::CodeAction;

/// Words after which `&&` may belong to something inside: binders reach as far to the right as they can.
const BINDERS: &[&str] = &[
    "by", "exists", "forall", "if", "imap", "iset", "lambda", "map", "match", "set", "var",
];

/// Signs that bind weaker than `&&` or are not known here.
const WEAKER: &[&str] = &["||", "==>", "<==", "=>", "::", ":=", ":|", ":"];

/// An action for every `assert` on the lines of a range that can be split.
pub(super) fn at(snapshot: &Snapshot, start: usize, end: usize) -> Vec<CodeAction> {
    if matches!(snapshot.language, Language::Prolog | Language::C) {
        return Vec::new();
    }
    let text = &snapshot.text;
    let from = super::line_start(text, start);
    let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let tokens = &snapshot.analysis.tokens;
    let mut actions = Vec::new();
    for (number, head) in tokens.iter().enumerate() {
        let is_head = head.kind == Kind::Keyword && head.text(text) == "assert";
        if !is_head || head.start < from || head.end > to {
            continue;
        }
        if let Some((parts, semicolon)) = conjuncts(text, &tokens[number + 1..]) {
            let line = &text[super::line_start(text, head.start)..head.start];
            let blank = line.chars().take_while(|c| c.is_whitespace());
            let indent: String = blank.collect();
            let all = parts.iter().map(|part| format!("assert {part};"));
            let lines = all.collect::<Vec<_>>().join(&format!("\n{indent}"));
            let place = (head.start, semicolon);
            actions.push(super::replacement(
                snapshot,
                place,
                "Split into assertions",
                lines,
            ));
        }
    }
    actions
}

/// The parts of a conjunction up to its semicolon, and where that ends; `None` if it is no conjunction that can be taken apart.
fn conjuncts<'t>(text: &'t str, tokens: &[Token]) -> Option<(Vec<&'t str>, usize)> {
    let mut parts = Vec::new();
    let mut depth = 0;
    let mut start = tokens.first()?.start;
    let mut skipped = start;
    for token in tokens {
        let word = token.text(text);
        let rest = &text[token.start..];
        match word {
            _ if token.start < skipped => {}
            _ if token.kind == Kind::Comment => return None,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ if depth > 0 => {}
            ";" => {
                parts.push(text[start..token.start].trim());
                let is_whole = parts.len() > 1 && parts.iter().all(|part| !part.is_empty());
                return is_whole.then_some((parts, token.end));
            }
            _ if rest.starts_with("&&") => {
                let part = text[start..token.start].trim();
                // Dafny allows a sign before the first part.
                if !(part.is_empty() && parts.is_empty()) {
                    parts.push(part);
                }
                skipped = token.start + 2;
                start = skipped;
            }
            _ if BINDERS.contains(&word) || !word.is_ascii() => return None,
            _ if token.kind == Kind::Mark && WEAKER.iter().any(|sign| rest.starts_with(sign)) => {
                return None;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::tokens;

    #[test]
    fn only_conjunctions_are_split() {
        let split = |text: &str| {
            let found = tokens(Language::Dafny, text);
            conjuncts(text, &found[1..]).map(|(parts, _)| parts.join(" | "))
        };
        assert_eq!(
            split("assert a < b && f(c && d) && !e;").as_deref(),
            Some("a < b | f(c && d) | !e")
        );
        assert_eq!(split("assert && a && b;").as_deref(), Some("a | b"));
        for whole in [
            "assert a;",
            "assert a && b ==> c;",
            "assert a <== b && c;",
            "assert a || b && c;",
            "assert forall x :: p(x) && q(x);",
            "assert p && exists x :: q(x) && r;",
            "assert L: a && b;",
            "assert a && b by { }",
            "assert {:split_here} a && b",
            "assert (a && b);",
            "assert a &&;",
        ] {
            assert_eq!(split(whole), None, "{whole}");
        }
    }
}
