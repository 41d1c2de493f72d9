//! Names: outline, definition, references, completion, highlighting and folding, all from tokens.

use crate::language::Language;
use crate::lexical::{Kind, Token};
use lsp_types::SymbolKind;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// The place of the name.
    pub(crate) name_place: (usize, usize),
    /// The whole declaration.
    pub(crate) place: (usize, usize),
    /// Its first line, for hovers.
    pub(crate) signature: String,
    /// How deep it is nested in modules and classes, from 0.
    pub(crate) depth: usize,
    /// Whether it has a body of its own to be verified.
    pub(crate) is_callable: bool,
}

/// The declarations of a text, in order.
pub(crate) fn outline(language: Language, text: &str, tokens: &[Token]) -> Vec<Symbol> {
    match language {
        Language::Prolog => predicates(text, tokens),
        Language::C => functions(text, tokens),
        _ => declarations(language, text, tokens),
    }
}

/// The declaration whose text contains an offset; the innermost one.
pub(crate) fn enclosing(symbols: &[Symbol], offset: usize) -> Option<&Symbol> {
    enclosing_number(symbols, offset).map(|number| &symbols[number])
}

/// The position of the innermost declaration around an offset; declarations are in the order of the text.
pub(crate) fn enclosing_number(symbols: &[Symbol], offset: usize) -> Option<usize> {
    let after = symbols.partition_point(|symbol| symbol.place.0 <= offset);
    symbols[..after]
        .iter()
        .rposition(|symbol| offset < symbol.place.1)
}

/// The name token at an offset, or just before it.
pub(crate) fn name_at(tokens: &[Token], offset: usize) -> Option<Token> {
    let is_here = |t: &&Token| t.kind == Kind::Name && t.start <= offset && offset <= t.end;
    tokens.iter().find(is_here).copied()
}

/// All places of a name: in the declaration around it if it is declared only there, else everywhere.
pub(crate) fn references(
    text: &str,
    tokens: &[Token],
    symbols: &[Symbol],
    name: &Token,
) -> Vec<(usize, usize)> {
    let word = name.text(text);
    let global = symbols.iter().any(|s| s.name == word);
    let scope = match enclosing(symbols, name.start) {
        Some(symbol) if !global => symbol.place,
        _ => (0, text.len()),
    };
    let same = |t: &&Token| {
        t.kind == Kind::Name && t.start >= scope.0 && t.end <= scope.1 && t.text(text) == word
    };
    tokens
        .iter()
        .filter(same)
        .map(|t| (t.start, t.end))
        .collect()
}

/// Where a name is declared: a declaration of the outline, or the first mention in the declaration around it.
pub(crate) fn definition(
    text: &str,
    tokens: &[Token],
    symbols: &[Symbol],
    name: &Token,
) -> Option<(usize, usize)> {
    let word = name.text(text);
    let declared = symbols.iter().find(|symbol| symbol.name == word);
    declared
        .map(|symbol| symbol.name_place)
        .or_else(|| references(text, tokens, symbols, name).first().copied())
}

/// Ranges of lines that can be folded: comments and everything in braces that spans lines.
pub(crate) fn folds(text: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut found = Vec::new();
    for token in tokens {
        match (token.kind, token.text(text)) {
            (Kind::Comment, _) => found.push((token.start, token.end)),
            (Kind::Mark, "{") => open.push(token.start),
            (Kind::Mark, "}") => found.extend(open.pop().map(|start| (start, token.end))),
            _ => {}
        }
    }
    found.retain(|&(start, end)| text[start..end].contains('\n'));
    found.sort_unstable();
    found
}

fn declarations(language: Language, text: &str, tokens: &[Token]) -> Vec<Symbol> {
    let tokens: Vec<&Token> = tokens.iter().filter(|t| t.kind != Kind::Comment).collect();
    let mut found: Vec<Symbol> = Vec::new();
    // Open braces; `true` for those of modules and classes, in which declarations stand.
    let mut open: Vec<bool> = Vec::new();
    let mut is_container = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let word = token.text(text);
        let declares = (token.kind == Kind::Keyword && open.iter().all(|&c| c))
            .then(|| language.declares(word))
            .flatten();
        if let Some(kind) = declares {
            is_container = matches!(word, "module" | "class" | "trait");
            let is_callable = matches!(
                kind,
                SymbolKind::FUNCTION | SymbolKind::METHOD | SymbolKind::CONSTRUCTOR
            );
            at = skip_attributes(text, &tokens, at + 1);
            // A constructor may have no name of its own.
            let is_named = |t: &&&Token| t.kind == Kind::Name;
            let anonymous = Some(token).filter(|_| word == "constructor");
            let name = tokens.get(at).filter(is_named);
            if name.is_none() {
                at -= 1;
            }
            if let Some(name) = name.or(anonymous) {
                found.push(Symbol {
                    name: name.text(text).to_owned(),
                    kind,
                    name_place: (name.start, name.end),
                    place: (token.start, text.len()),
                    signature: first_line(text, token.start),
                    depth: open.len(),
                    is_callable,
                });
            }
        } else if word == "{" {
            open.push(std::mem::take(&mut is_container));
        } else if word == "}" {
            open.pop();
        }
        at += 1;
    }
    end_where_next_starts(text, &mut found);
    found
}

/// Past `{:attribute …}` and past modifiers such as the second word of `function method`.
fn skip_attributes(text: &str, tokens: &[&Token], mut at: usize) -> usize {
    loop {
        let word = |at: usize| tokens.get(at).map_or("", |t| t.text(text));
        if word(at) == "{" && word(at + 1) == ":" {
            while at < tokens.len() && word(at) != "}" {
                at += 1;
            }
            at += 1;
        } else if matches!(word(at), "method" | "unique" | "finite") {
            at += 1;
        } else {
            return at;
        }
    }
}

/// A declaration reaches to the next one that is not nested in it.
fn end_where_next_starts(text: &str, symbols: &mut [Symbol]) {
    for index in 0..symbols.len() {
        let (before, after) = symbols.split_at_mut(index + 1);
        let this = &mut before[index];
        let next = after.iter().find(|other| other.depth <= this.depth);
        let end = next.map_or(text.len(), |next| next.place.0);
        let body = text[this.place.0..end].trim_end();
        this.place.1 = this.place.0 + body.len();
    }
}

/// The first line of a declaration; more of them while a parenthesis is open.
fn first_line(text: &str, start: usize) -> String {
    const LINES: usize = 20;
    let rest = &text[start..];
    let count = |part: &str, c| part.matches(c).count();
    let ends = rest.match_indices('\n').map(|(at, _)| at);
    let mut ends = ends.chain([rest.len()]).take(LINES);
    let is_closed = |end: &usize| count(&rest[..*end], '(') <= count(&rest[..*end], ')');
    let line = match ends.find(is_closed) {
        Some(end) => &rest[..end],
        None => rest.lines().next().unwrap_or_default(),
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").trim_end_matches('{').trim_end().to_owned()
}

/// Functions with a body, outside of all braces. Those without parameters, and `main`, can be explored as they are.
fn functions(text: &str, tokens: &[Token]) -> Vec<Symbol> {
    let tokens: Vec<&Token> = tokens.iter().filter(|t| t.kind != Kind::Comment).collect();
    let word = |at: usize| tokens.get(at).map_or("", |t| t.text(text));
    let mut found: Vec<Symbol> = Vec::new();
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text(text) {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 || token.kind != Kind::Name || word(at + 1) != "(" {
            continue;
        }
        let mut open = 0_usize;
        let close = (at + 1..tokens.len()).find(|&n| {
            match word(n) {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            open == 0
        });
        let Some(close) = close.filter(|&close| word(close + 1) == "{") else {
            continue;
        };
        let name = token.text(text);
        let takes_nothing = close == at + 2 || close == at + 3 && word(at + 2) == "void";
        let line = text[..token.start].rfind('\n').map_or(0, |end| end + 1);
        found.push(Symbol {
            name: name.to_owned(),
            kind: SymbolKind::FUNCTION,
            name_place: (token.start, token.end),
            place: (line, text.len()),
            signature: first_line(text, line),
            depth: 0,
            is_callable: takes_nothing || name == "main",
        });
    }
    end_where_next_starts(text, &mut found);
    found
}

/// Predicates: the names that start a clause in the first column, once each.
fn predicates(text: &str, tokens: &[Token]) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    for token in tokens {
        let in_first_column = token.start == 0 || text[..token.start].ends_with('\n');
        if token.kind != Kind::Name || !in_first_column {
            continue;
        }
        let name = token.text(text);
        if name.starts_with(|c: char| c.is_uppercase() || c == '_') {
            continue;
        }
        let is_next_clause = found.last().is_some_and(|last| last.name == name);
        if is_next_clause {
            continue;
        }
        found.push(Symbol {
            name: name.to_owned(),
            kind: SymbolKind::FUNCTION,
            name_place: (token.start, token.end),
            place: (token.start, text.len()),
            signature: first_line(text, token.start),
            depth: 0,
            is_callable: true,
        });
    }
    end_where_next_starts(text, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::tokens;

    fn names(language: Language, text: &str) -> Vec<String> {
        let symbols = outline(language, text, &tokens(language, text));
        let one = |s: &Symbol| format!("{}{}", "  ".repeat(s.depth), s.name);
        symbols.iter().map(one).collect()
    }

    #[test]
    fn outlines() {
        let boogie =
            "var {:x 1} g: int;\nprocedure P(a: int) { var l: int; }\nfunction f(): int;\n";
        assert_eq!(names(Language::Boogie, boogie), ["g", "P", "f"]);
        let dafny = "module M {\n  class C {\n    method m() { var x := 1; }\n  }\n}\nfunction method f(): int { 1 }\n";
        assert_eq!(names(Language::Dafny, dafny), ["M", "  C", "    m", "f"]);
        let constructors = "class C {\n  constructor (x: int) { }\n  constructor Named() { }\n}\n";
        let expected = ["C", "  constructor", "  Named"];
        assert_eq!(names(Language::Dafny, constructors), expected);
        let c = "static int f(int x) { return g(x); }\nint h(void);\nint\nmain(void)\n{ return f(1); }\n";
        assert_eq!(names(Language::C, c), ["f", "main"]);
        let prolog = ":- module(m, []).\np(1).\np(2).\nq :- p(_).\n";
        assert_eq!(names(Language::Prolog, prolog), ["p", "q"]);
    }

    #[test]
    fn names_are_found_in_their_scope() {
        let text =
            "procedure P() { var i: int; i := 1; }\nprocedure Q() { var i: int; call P(); }\n";
        let tokens = tokens(Language::Boogie, text);
        let symbols = outline(Language::Boogie, text, &tokens);
        let at = |needle: &str| name_at(&tokens, text.find(needle).unwrap()).unwrap();
        assert_eq!(references(text, &tokens, &symbols, &at("i := 1")).len(), 2);
        assert_eq!(references(text, &tokens, &symbols, &at("P();")).len(), 2);
        let called = definition(text, &tokens, &symbols, &at("P();")).unwrap();
        assert_eq!(called.0, text.find("P()").unwrap());
    }
}
