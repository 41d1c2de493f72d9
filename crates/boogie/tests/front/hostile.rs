//! Inputs made to break the front end: depth, soup, mutations.

use crate::{corpus, front, parsed, printed};
use stet_boogie::print::Bodies;
use stet_testkit::Random;

#[test]
fn a_hundred_thousand_parentheses_get_a_diagnostic() {
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("-", ""),
        ("f(", ")"),
        ("m[", "]"),
        ("if true then ", " else 1"),
    ] {
        let n = 100_000;
        let text = format!("axiom {}1{};", open.repeat(n), close.repeat(n));
        let front = front(&text);
        assert!(!front.ok, "{open}");
    }
    let front = front(&format!(
        "axiom {}true{};",
        "(".repeat(100_000),
        ")".repeat(100_000)
    ));
    assert_eq!(front.messages.len(), 1, "{:?}", front.messages);
    assert!(front.messages[0].contains("nesting is deeper than the limit"));
}

#[test]
fn nested_statements_and_types_get_a_diagnostic() {
    let n = 50_000;
    let text = format!(
        "procedure P() {{ {} {} }}",
        "if (*) {".repeat(n),
        "}".repeat(n)
    );
    assert!(!front(&text).ok);
    let text = format!("var x: {}int;", "[int]".repeat(n));
    assert!(!front(&text).ok);
    let text = format!("var x: {}int{};", "(".repeat(n), ")".repeat(n));
    assert!(!front(&text).ok);
    let text = format!("procedure P() {{ assert {} }}", "|{ A: return ".repeat(n));
    assert!(!front(&text).ok);
}

#[test]
fn long_chains_work() {
    let n = 10_000;
    let text = format!("const x: int; axiom x > 0{};", " && x > 0".repeat(n));
    let program = front(&text);
    assert!(program.ok, "{:?}", program.messages.first());
    let once = printed(&program.program, Bodies::Structured, false);
    assert_eq!(once, printed(&parsed(&once), Bodies::Structured, false));
    let text = format!("const p: bool; axiom p{};", " ==> p".repeat(n));
    assert!(front(&text).ok);
    // Dropping needs no stack: trees are tables.
    std::thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(move || drop(program))
        .expect("threads can be made")
        .join()
        .expect("dropping is flat");
}

#[test]
fn many_else_ifs_work() {
    let arms = "else if (x > 0) { x := x + 1; } ".repeat(3_000);
    let text = format!("procedure P() {{ var x: int; if (*) {{ }} {arms} }}");
    assert!(front(&text).ok);
}

const TOKENS: &[&str] = &[
    "var",
    "const",
    "unique",
    "extends",
    "complete",
    "function",
    "returns",
    "axiom",
    "type",
    "procedure",
    "implementation",
    "modifies",
    "free",
    "requires",
    "ensures",
    "goto",
    "return",
    "if",
    "else",
    "while",
    "invariant",
    "break",
    "assert",
    "assume",
    "havoc",
    "yield",
    "async",
    "call",
    "par",
    "div",
    "mod",
    "false",
    "true",
    "RNE",
    "old",
    "then",
    "forall",
    "exists",
    "lambda",
    "where",
    "int",
    "real",
    "bool",
    "bv8",
    "x",
    "y",
    "f",
    "P",
    "a",
    "T",
    "L",
    ";",
    "(",
    ")",
    ":",
    ",",
    "[",
    "]",
    "<",
    ">",
    "{",
    "}",
    "=",
    "*",
    ":=",
    "|",
    "<==>",
    "==>",
    "<==",
    "&&",
    "||",
    "==",
    "<=",
    ">=",
    "!=",
    "<:",
    "++",
    "+",
    "-",
    "/",
    "**",
    "!",
    "|{",
    "}|",
    "::",
    "1",
    "2bv8",
    "1.5e3",
    "0x1.0e0f24e8",
    "\"s\"",
    "\\var",
    "#",
    "@",
    "é",
    "{:a",
    "{:nopats",
    "/*",
    "*/",
    "//",
    "\n",
    "\n#line 3\n",
    "\n#if X\n",
    "\n#endif\n",
];

fn rounds(default: usize) -> usize {
    std::env::var("STET_FUZZ_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

#[test]
fn token_soup_does_not_panic() {
    let mut random = Random::new(0x5eed);
    for _ in 0..rounds(3_000) {
        let length = 1 + random.below(60);
        let words: Vec<&str> = (0..length)
            .map(|_| TOKENS[random.below(TOKENS.len())])
            .collect();
        let starts = ["procedure P() {", "axiom ", "function f(", "var x: ", ""];
        let text = format!("{} {}", starts[random.below(starts.len())], words.join(" "));
        let front = front(&text);
        if front.ok {
            let _ = printed(&front.program, Bodies::Both, true);
        }
    }
}

#[test]
fn mutations_do_not_panic() {
    let mut texts: Vec<String> = corpus()
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| text.len() < 4_000)
        .collect();
    texts.push("type T a; procedure P<b>(x: T b) returns (y: int) { L: y := 1; while (y < 3) { goto L; } }".to_owned());
    let mut random = Random::new(0xabcd);
    for _ in 0..rounds(1_500) {
        let base = &texts[random.below(texts.len())];
        let mut text: Vec<char> = base.chars().collect();
        for _ in 0..1 + random.below(4) {
            if text.is_empty() {
                break;
            }
            let at = random.below(text.len());
            match random.below(4) {
                0 => {
                    let end = (at + 1 + random.below(20)).min(text.len());
                    text.drain(at..end);
                }
                1 => {
                    let word = TOKENS[random.below(TOKENS.len())];
                    text.splice(at..at, format!(" {word} ").chars());
                }
                2 => {
                    let to = random.below(text.len());
                    text.swap(at, to);
                }
                _ => text.truncate(at),
            }
        }
        let text: String = text.into_iter().collect();
        let front = front(&text);
        if front.ok {
            let _ = printed(&front.program, Bodies::Both, true);
        }
    }
}

/// A program cut off anywhere gives messages or a program, never a panic.
#[test]
fn cut_off_at_every_byte() {
    let programs = [
        "var {:a \"b\"} g: [int]bool where g[0]; const unique c: bv8 extends;\n\
         function {:inline} f<a>(x: a, y: int) returns (r: bool) { if y > 0 then x == x else false }\n\
         axiom (forall x: int :: {:weight 2} { f(x, 1) } f(x, 1) ==> x >= -0x1.8e1f24e8);",
        "procedure {:inline 1} P<a>(x: a) returns (y: int); requires true; modifies g; ensures y == 1;\n\
         implementation P<a>(x: a) returns (y: int) { var m: [int][int]int; L: m[1][2] := 3; while (*) invariant true; { break; } goto L; }\n\
         procedure Q() { var i: int; call i := P(1); havoc i; if (i == 1) { assert i[2:1] ++ 3bv8 == (lambda z: int :: z)[1]; } else { return; } }",
    ];
    for program in programs {
        for at in 0..program.len() {
            front(&program[..at]);
        }
    }
}

/// Every `/*` of many starts a comment that is not closed: what follows is looked at once, not once for each.
#[test]
fn many_unclosed_comments() {
    let started = std::time::Instant::now();
    let front = front(&"/*".repeat(200_000));
    assert!(!front.ok);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    // A closed comment inside of an unclosed one is a comment.
    assert!(parsed("/* /* */ */ type T;").decls.len() == 1);
    let lines = super::front("type T; /* /* x */").messages;
    assert_eq!(lines.len(), 1, "{lines:?}");
}
