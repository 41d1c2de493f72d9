//! Answers with cyclic terms, as trees: systems of equations differ, but what they unfold to does not.

use std::collections::BTreeMap;

/// Two trees with few equations that differ do so above this depth.
const DEPTH: usize = 10;
/// Longer trees are not compared.
const LONGEST: usize = 1 << 18;

/// The answer `@(Term,[S_1=Term1,…])` with the equations unfolded to some depth; `None` if it is not of this form.
pub(super) fn unfolded(line: &str) -> Option<String> {
    let line = line.trim_end().trim_end_matches(" ; no");
    let inside = line.strip_prefix("@(")?.strip_suffix("])")?;
    let (term, list) = inside
        .rsplit_once(",[S_1=")
        .map(|(term, list)| (term, format!("S_1={list}")))?;
    let mut equations = BTreeMap::new();
    for equation in split(&list) {
        let (name, value) = equation.split_once('=')?;
        name.strip_prefix("S_")?.parse::<u32>().ok()?;
        equations.insert(name.to_owned(), value.to_owned());
    }
    let mut text = String::new();
    unfold(term, &equations, (0, 0), &mut text)?;
    Some(text)
}

/// The parts between commas that are in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Writes a term up to a depth of brackets; names of equations stand for what they are equal to.
fn unfold(
    term: &str,
    equations: &BTreeMap<String, String>,
    (depth, names): (usize, usize),
    out: &mut String,
) -> Option<()> {
    let mut depth = depth;
    let mut rest = term;
    while let Some(c) = rest.chars().next() {
        if out.len() > LONGEST || names > 8 * DEPTH {
            return None;
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        if end > 0 {
            let (word, after) = rest.split_at(end);
            rest = after;
            match equations.get(word) {
                Some(value) if depth <= DEPTH => unfold(value, equations, (depth, names + 1), out)?,
                Some(_) => {}
                None if depth <= DEPTH => out.push_str(word),
                None => {}
            }
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth <= DEPTH {
            out.push(c);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::unfolded;

    #[test]
    fn systems_of_equations_of_one_tree_are_equal() {
        let peer = "@([S_1,g(S_2,S_1),S_2]-[],[S_1=f(g(S_2,S_1)),S_2=f(g(S_2,S_1))]) ; no";
        let own = "@([f(S_1),S_1,f(S_1)]-[],[S_1=g(f(S_1),f(S_1))]) ; no";
        assert!(unfolded(peer).is_some());
        assert_eq!(unfolded(peer), unfolded(own));
        let other = "@([f(S_1),S_1,f(S_1)]-[],[S_1=g(f(S_1),g(S_1))]) ; no";
        assert_ne!(unfolded(peer), unfolded(other));
        assert_eq!(unfolded("f(x) ; no"), None);
    }
}
