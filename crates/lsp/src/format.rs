//! Formatting: lines are indented by the braces around them; nothing but white space at the ends of lines changes.
//!
//! A line that begins a statement, a declaration or a clause gets the place its depth asks for; a line that continues one moves
//! with the line it continues, so that what was aligned stays aligned. Comments over several lines move as one.

use crate::language::Language;
use crate::lexical::{Kind, Token};

/// What one step of indentation is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) width: usize,
    pub(crate) tabs: bool,
}

/// A line whose white space changes: what is replaced, and by what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) place: (usize, usize),
    pub(crate) text: String,
}

/// The changes that format a text; none for a language whose layout has no rule here.
pub(crate) fn changes(language: Language, text: &str, tokens: &[Token], step: Step) -> Vec<Change> {
    if matches!(language, Language::Prolog | Language::C) {
        return Vec::new();
    }
    let mut layout = Layout {
        step,
        levels: vec![Level::default()],
        follows: Follows::Nothing,
        shift: 0,
        line: 0,
    };
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let end = start + body.len();
        let trimmed = body.trim();
        let inside = at > 0 && tokens[at - 1].end > start;
        let is_fixed = inside && tokens[at - 1].kind != Kind::Comment;
        let after = at + tokens[at..].partition_point(|token| token.start < end);
        let here = &tokens[at..after];
        let blank = body.len() - body.trim_start().len();
        if !trimmed.is_empty() && !is_fixed {
            let old = width(&body[..blank], step);
            let new = match here.first() {
                Some(first) if !inside => layout.place(text, first, old),
                _ => old.saturating_add_signed(layout.shift),
            };
            let wanted = step.blank(new);
            if wanted != body[..blank] {
                let place = (start, start + blank);
                found.push(Change {
                    place,
                    text: wanted,
                });
            }
        }
        let rest = start + body.trim_end().len();
        let in_text = tokens[..after].last().is_some_and(|t| t.end > rest);
        if rest < end && !in_text {
            let place = (rest, end);
            let text = String::new();
            found.push(Change { place, text });
        }
        here.iter().for_each(|token| layout.pass(text, token));
        at = after;
        start += line.len();
    }
    found
}

fn width(blank: &str, step: Step) -> usize {
    let columns = blank.chars();
    columns.fold(0, |at, c| if c == '\t' { at + step.width } else { at + 1 })
}

impl Step {
    fn blank(self, columns: usize) -> String {
        match self.tabs && self.width > 0 {
            true => {
                let (tabs, spaces) = (columns / self.width, columns % self.width);
                "\t".repeat(tabs) + &" ".repeat(spaces)
            }
            false => " ".repeat(columns),
        }
    }
}

/// What stands before a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    Nothing,
    /// The end of a statement, or a brace.
    End,
    /// How the text before a line ends.
    Middle,
}

/// An open brace, or the file itself.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Steps of what stands inside.
    inner: usize,
    /// Whether there are cases directly inside: statements stand one step to the right of them.
    has_cases: bool,
}

struct Layout {
    step: Step,
    levels: Vec<Level>,
    follows: Follows,
    /// How far the last line with a place of its own was moved.
    shift: isize,
    /// Its steps, without that of a clause.
    line: usize,
}

impl Layout {
    /// The column of a line that begins with a token and stood at another column.
    fn place(&mut self, text: &str, first: &Token, old: usize) -> usize {
        let word = first.text(text);
        let level = self.levels.last().copied().unwrap_or_default();
        let inside = level.inner + usize::from(level.has_cases);
        let (steps, clause) = match word {
            "}" => (level.inner.saturating_sub(1), 0),
            "case" => (level.inner, 0),
            "{" if self.follows == Follows::Middle => (inside, 0),
            _ if is_clause(first, word) => (inside, 1),
            _ if self.follows != Follows::Middle || is_declaration(first, word) => (inside, 0),
            _ => return old.saturating_add_signed(self.shift),
        };
        let new = (steps + clause) * self.step.width;
        self.shift = new as isize - old as isize;
        self.line = steps;
        new
    }

    fn pass(&mut self, text: &str, token: &Token) {
        if token.kind == Kind::Comment {
            return;
        }
        let word = token.text(text);
        match word {
            "{" => self.levels.push(Level {
                inner: self.line + 1,
                has_cases: false,
            }),
            "}" if self.levels.len() > 1 => {
                self.levels.pop();
            }
            "case" => {
                if let Some(level) = self.levels.last_mut() {
                    level.has_cases = true;
                }
            }
            _ => {}
        }
        let before = &text[..token.start];
        let is_arrow = word == ">" && before.ends_with('=') && !before.ends_with("==");
        self.follows = match word {
            ";" | "{" | "}" => Follows::End,
            _ if is_arrow && self.levels.last().is_some_and(|l| l.has_cases) => Follows::End,
            _ => Follows::Middle,
        };
    }
}

fn is_clause(token: &Token, word: &str) -> bool {
    token.kind == Kind::Keyword
        && matches!(
            word,
            "requires"
                | "ensures"
                | "modifies"
                | "reads"
                | "decreases"
                | "invariant"
                | "returns"
                | "yields"
                | "free"
        )
}

/// Declarations of Dafny follow others without a semicolon.
fn is_declaration(token: &Token, word: &str) -> bool {
    token.kind == Kind::Keyword
        && matches!(
            word,
            "method"
                | "function"
                | "lemma"
                | "predicate"
                | "class"
                | "trait"
                | "module"
                | "datatype"
                | "codatatype"
                | "constructor"
                | "include"
                | "const"
                | "newtype"
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::tokens;

    const TWO: Step = Step {
        width: 2,
        tabs: false,
    };

    fn formatted(language: Language, text: &str) -> String {
        let mut new = text.to_owned();
        let all = changes(language, text, &tokens(language, text), TWO);
        for change in all.iter().rev() {
            new.replace_range(change.place.0..change.place.1, &change.text);
        }
        new
    }

    #[test]
    fn lines_are_indented_by_braces() {
        let text = "method M(x: T,\n         y: int) returns (r: int)\nrequires y > 0   \n  ensures r\n      > 0\n{\nif y > 1 {\n/* a\n   b */\nr := y;\n} else {\n        r := F(1,\n               2);\n}\nmatch x {\ncase A =>\nr := 1;\nr := 2;\ncase B(s) => {\nr := 3;\n}\n}\n}\nfunction F(a: int,\n  b: int): int { a }\n";
        let new = formatted(Language::Dafny, text);
        let wanted = "method M(x: T,\n         y: int) returns (r: int)\n  requires y > 0\n  ensures r\n      > 0\n{\n  if y > 1 {\n    /* a\n       b */\n    r := y;\n  } else {\n    r := F(1,\n           2);\n  }\n  match x {\n    case A =>\n      r := 1;\n      r := 2;\n    case B(s) => {\n      r := 3;\n    }\n  }\n}\nfunction F(a: int,\n  b: int): int { a }\n";
        assert_eq!(new, wanted);
        assert_eq!(formatted(Language::Dafny, &new), new);
    }

    /// Nothing but white space changes, whatever the text is.
    #[test]
    fn tokens_stay() {
        let texts = [
            "module M {\n\tclass C {\n\t\tvar x: int\n  method m() { x := \"a  \n\";\n }\n}",
            "}}}\n{{{\ncase\n  /* open\n  x  ",
            "procedure P()\r\n{ L:\r\n  assert true;   \r\n goto L; }\r\n",
        ];
        for text in texts {
            for language in [Language::Dafny, Language::Boogie, Language::Prolog] {
                let words = |text: &str| -> Vec<String> {
                    let all = tokens(language, text).into_iter();
                    let squeezed = |t: Token| {
                        let words: Vec<&str> = t.text(text).split_whitespace().collect();
                        words.join(" ")
                    };
                    all.map(squeezed).collect()
                };
                let new = formatted(language, text);
                assert_eq!(words(&new), words(text), "{text}");
                assert_eq!(new.lines().count(), text.lines().count());
            }
        }
    }
}
