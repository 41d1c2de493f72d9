//! The reader on damaged programs: it never panics, always gets on, and what it accepts can be written and read again.

use stet_prolog::assertions::{Modes, add_assertion_operators, parse_assertion};
use stet_prolog::{
    AstView, AtomTable, Clause, Ops, ReadContext, ReadFlags, WriteOptions, read_clause, write_term,
};
use stet_testkit::Random;

const PROGRAMS: &[&str] = &[
    include_str!("../../../bench/run/checked/btree.pl"),
    include_str!("../../../bench/run/checked/rbtree.pl"),
    include_str!("../../../bench/run/engine/browse.pl"),
    include_str!("../../../bench/run/engine/deriv.pl"),
    include_str!("../../../bench/run/engine/meta.pl"),
    "p :- X = \"s\\x41\\t\", Y = 0'a, Z = 0x1F, W = 1.5e-3, V = 'q''a\\n', U = `c`, [a|T] = {b, c}.\n\
     :- op(700, xfx, ===>). a ===> b. - 1. -(1). \\+a. [](x). 'hello world'(X) :- !, \\+ X, (a -> b ; c).\n\
     /* comment */ x --> \"abc\", {y}, !, [z]. 12345678901234567890. 0b101. 0o17. f(,). X is 2 ** 3 mod 4.",
];

/// Pieces that upset readers.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    ",",
    ".",
    ". ",
    "'",
    "\"",
    "`",
    "0'",
    "\\",
    "\\x",
    "/*",
    "*/",
    "%",
    ":-",
    "-->",
    "- ",
    "-",
    "_",
    "\u{0}",
    "é",
    "\u{10ffff}",
    "1e",
    "1.0e400",
    "0x",
    "9999999999999999999999",
    "((((((((",
    "]]]]",
    "\n",
    "a(",
    "dynamic",
    ":- op(1200,xfx,a).",
    "\u{feff}",
    "''",
    "''''",
];

fn place(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(random: &mut Random, text: &mut String) {
    match random.below(5) {
        0 => {
            let at = place(random, text);
            text.insert_str(at, PIECES[random.below(PIECES.len())]);
        }
        1 => {
            let (a, b) = (place(random, text), place(random, text));
            let (from, to) = (a.min(b), a.max(b));
            if to - from < 40 {
                text.replace_range(from..to, "");
            }
        }
        2 => {
            let at = place(random, text);
            text.truncate(at.max(text.len() / 2));
            while !text.is_char_boundary(text.len()) {
                text.pop();
            }
        }
        3 => {
            let (from, at) = (place(random, text), place(random, text));
            let mut to = (from + random.below(30)).min(text.len());
            while !text.is_char_boundary(to) {
                to -= 1;
            }
            let piece = text[from.min(to)..to].to_string();
            text.insert_str(at, &piece);
        }
        _ => {
            let at = place(random, text);
            if let Some(c) = text[at..].chars().next() {
                let new = char::from_u32(c as u32 ^ (1 << random.below(7))).unwrap_or('a');
                text.replace_range(at..at + c.len_utf8(), &new.to_string());
            }
        }
    }
}

struct Reader {
    atoms: AtomTable,
    ops: Ops,
    modes: Modes,
}

impl Reader {
    fn new() -> Reader {
        let mut atoms = AtomTable::new();
        let mut ops = Ops::standard(&mut atoms);
        add_assertion_operators(&mut ops, &mut atoms);
        Reader {
            atoms,
            ops,
            modes: Modes::default(),
        }
    }

    fn read(&mut self, text: &str, at: usize) -> (Option<Clause>, bool, usize) {
        let mut context = ReadContext {
            atoms: &mut self.atoms,
            ops: &self.ops,
            flags: ReadFlags::STANDARD,
        };
        let (result, next) = read_clause(&mut context, text, at);
        match result {
            Ok(Some(clause)) => (Some(clause), true, next),
            Ok(None) => (None, false, next),
            Err(error) => {
                assert!(error.place.start as usize <= text.len(), "{text:?}");
                assert!(!error.message.is_empty());
                (None, true, next)
            }
        }
    }

    fn written(&self, clause: &Clause) -> String {
        let view = AstView {
            terms: &clause.terms,
            variables: &clause.variables,
        };
        write_term(
            &view,
            clause.root,
            &self.atoms,
            &self.ops,
            &WriteOptions::CANONICAL,
        )
    }

    fn whole(&mut self, text: &str) {
        let mut at = 0;
        loop {
            let (clause, more, next) = self.read(text, at);
            if !more {
                return;
            }
            assert!(
                next > at || next >= text.len(),
                "no progress at {at} of {text:?}"
            );
            if let Some(clause) = clause {
                let _ = parse_assertion(&clause, &mut self.atoms, &mut self.modes);
                let written = self.written(&clause);
                let (again, _, _) = self.read(&format!("{written} ."), 0);
                let again = again.unwrap_or_else(|| panic!("{written:?} of {text:?} is not read"));
                assert_eq!(self.written(&again), written);
            }
            at = next;
            if at >= text.len() {
                return;
            }
        }
    }
}

#[test]
fn damaged_programs_are_read_without_panic() {
    let count: u64 = std::env::var("STET_MUTATIONS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(400);
    let mut reader = Reader::new();
    for seed in 0..count {
        let mut random = Random::new(seed * 2 + 1);
        let mut text = PROGRAMS[random.below(PROGRAMS.len())].to_string();
        for _ in 0..1 + random.below(8) {
            mutate(&mut random, &mut text);
        }
        reader.whole(&text);
    }
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let mut reader = Reader::new();
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("f(", ")"),
        ("- ", ""),
        ("\\+ ", ""),
    ] {
        let text = format!("{}a{} .", open.repeat(100_000), close.repeat(100_000));
        let (_, _, next) = reader.read(&text, 0);
        assert!(next > 0);
    }
}
