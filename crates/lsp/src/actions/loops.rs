//! Skeletons for loops: an invariant from the guard, and a measure that the guard suggests.

use super::insertion;
use crate::document::Snapshot;
use crate::language::Language;
use crate::lexical::{Kind, Token};
use lsp_types::CodeAction;

/// The loop whose head is at a range, as its text has it.
struct Loop<'t> {
    guard: &'t str,
    /// Where a clause can be put: behind the guard and the clauses that are there.
    end: usize,
    indent: String,
    has_invariant: bool,
    has_measure: bool,
}

/// Actions for the `while` on the lines of a range.
pub(super) fn at(snapshot: &Snapshot, start: usize, end: usize) -> Vec<CodeAction> {
    if matches!(snapshot.language, Language::Prolog | Language::C) {
        return Vec::new();
    }
    let text = &snapshot.text;
    let from = super::line_start(text, start);
    let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let tokens = &snapshot.analysis.tokens;
    let is_head = |t: &&Token| {
        t.kind == Kind::Keyword && t.text(text) == "while" && from <= t.start && t.end <= to
    };
    let mut actions = Vec::new();
    for head in tokens.iter().filter(is_head) {
        let Some(found) = read(snapshot, head) else {
            continue;
        };
        let (closing, indent) = match snapshot.language {
            Language::Boogie => (";", &found.indent),
            _ => ("", &found.indent),
        };
        let mut offer = |title: &str, clause: String| {
            let line = format!("\n{indent}  {clause}{closing}");
            actions.push(insertion(snapshot, found.end, title, line));
        };
        let sides = sides(found.guard);
        if !found.has_invariant {
            let clause = match &sides {
                Some((low, _, high)) => format!("invariant {low} <= {high}"),
                None => "invariant true".to_owned(),
            };
            offer("Add a loop invariant", clause);
        }
        if let Some((low, strict, high)) = &sides
            && !found.has_measure
            && snapshot.language == Language::Dafny
        {
            let one = if *strict { "" } else { " + 1" };
            offer(
                "Add a decreases clause",
                format!("decreases {high} - {low}{one}"),
            );
        }
    }
    actions
}

fn read<'t>(snapshot: &'t Snapshot, head: &Token) -> Option<Loop<'t>> {
    let text = &snapshot.text;
    let after = snapshot.analysis.tokens.iter();
    let mut depth = 0;
    let (mut guard_end, mut end) = (None, head.end);
    let (mut has_invariant, mut has_measure) = (false, false);
    for token in after.filter(|t| t.start >= head.end && t.kind != Kind::Comment) {
        match token.text(text) {
            "{" if depth == 0 => {
                guard_end.get_or_insert(end);
                let line = &text[super::line_start(text, head.start)..];
                let indent = line.chars().take_while(|c| *c == ' ' || *c == '\t');
                return Some(Loop {
                    guard: text[head.end..guard_end?].trim(),
                    end,
                    indent: indent.collect(),
                    has_invariant,
                    has_measure,
                });
            }
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            word @ ("invariant" | "decreases" | "modifies" | "free") if depth == 0 => {
                guard_end.get_or_insert(end);
                has_invariant |= word == "invariant";
                has_measure |= word == "decreases";
            }
            _ => {}
        }
        end = token.end;
    }
    None
}

/// The two sides of a comparison that holds while the loop runs: the lower, whether strictly, and the upper one.
fn sides(guard: &str) -> Option<(String, bool, String)> {
    let guard = guard
        .strip_prefix('(')
        .and_then(|g| g.strip_suffix(')'))
        .unwrap_or(guard);
    if guard.contains(['&', '|', '(', '!', '=']) && !guard.contains("<=") && !guard.contains(">=")
        || guard.contains(['&', '|', '!'])
    {
        return None;
    }
    for (sign, strict, swapped) in [
        ("<=", false, false),
        (">=", false, true),
        ("<", true, false),
        (">", true, true),
    ] {
        if let Some((left, right)) = guard.split_once(sign) {
            let (left, right) = (left.trim().to_owned(), right.trim().to_owned());
            if left.is_empty() || right.is_empty() || right.contains(['<', '>', '=']) {
                return None;
            }
            return Some(if swapped {
                (right, strict, left)
            } else {
                (left, strict, right)
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::sides;

    #[test]
    fn guards_suggest_measures() {
        let shown = |g: &str| sides(g).map(|(a, s, b)| format!("{a} {s} {b}"));
        assert_eq!(shown("i < a.Length").as_deref(), Some("i true a.Length"));
        assert_eq!(shown("(n >= 1)").as_deref(), Some("1 false n"));
        assert_eq!(shown("a && b"), None);
        assert_eq!(shown("x != y"), None);
        assert_eq!(shown("0 <= i < n"), None);
    }
}
