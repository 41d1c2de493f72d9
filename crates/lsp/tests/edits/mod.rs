//! Random edits of several documents at once, compared with fresh runs on the texts they end in.

use crate::client::Client;
use serde_json::json;
use stet_testkit::Random;

/// A document as this side knows it.
struct Open {
    uri: &'static str,
    language: &'static str,
    seed: &'static str,
    text: String,
    version: i64,
}

const DOCUMENTS: &[(&str, &str, &str)] = &[
    ("file:///p/a.bpl", "boogie", BOOGIE),
    ("file:///p/b.bpl", "boogie", LOOP),
    ("file:///p/c.dfy", "dafny", DAFNY),
    ("file:///p/d.dfy", "dafny", INCLUDING),
    ("file:///p/e.pl", "prolog", PROLOG),
];

const BOOGIE: &str = "const n: int;\naxiom n > 0;\nvar g: int;\nfunction f(x: int): int { x + 1 }\n\nprocedure P(x: int) returns (r: int)\n  requires x >= 0;\n  ensures r > 0;\n{\n  r := f(x);\n  assert r == x + 1;\n}\n\nprocedure Q()\n  modifies g;\n{\n  var y: int;\n  call y := P(1);\n  g := y;\n  assert g > 0;\n}\n\nprocedure R() { assert n > 0; }\n";

const LOOP: &str = "procedure Sum(n: int) returns (s: int)\n  requires n >= 0;\n  ensures s >= n;\n{\n  var i: int;\n  i := 0;\n  s := 0;\n  while (i < n)\n    invariant i <= n;\n    invariant s >= i;\n  {\n    i := i + 1;\n    s := s + 1;\n  }\n}\nprocedure Two(b: bool)\n{\n  var x: int;\n  if (b) { x := 1; } else { x := 2; }\n  assert x > 0;\n  assert x < 3; // \u{e9}\u{1F600}\n}\nimplementation Other() { assert true; }\nprocedure Other();\n";

const DAFNY: &str = "function Twice(x: int): int { x + x }\n\nmethod M(x: int) returns (r: int)\n  requires x >= 0\n  ensures r >= x\n{\n  r := Twice(x);\n  assert r == 2 * x;\n}\n\nmethod Count(n: nat) returns (c: nat)\n  ensures c == n\n{\n  c := 0;\n  while c < n\n    invariant c <= n\n  {\n    c := c + 1;\n  }\n}\n";

const INCLUDING: &str = "include \"c.dfy\"\n\nmethod User() {\n  assert Twice(2) == 4;\n  var y := M(3);\n  assert y >= 3;\n}\n";

const PROLOG: &str = ":- op(700, xfx, ===>).\na ===> b.\np(X) :- X > 1, q(X).\nq(1).\n";

/// Words that replace others: many of the results are programs.
const WORDS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "x",
    "y",
    "r",
    "n",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "+",
    "-",
    "*",
    "true",
    "false",
    "&&",
    "||",
    ";",
    "{",
    "}",
    "assert",
    "(",
    ")",
    "\u{1F600}",
    "'",
    "\"",
    "/*",
    "\r\n",
];

/// Makes edits; at every pause the state must be that of a fresh run.
#[allow(clippy::print_stdout, reason = "a campaign says how much it did")]
pub(crate) fn campaign(count: u64, seed: u64) {
    let Some(mut client) = Client::new() else {
        return;
    };
    let mut random = Random::new(seed);
    let mut documents: Vec<Open> = DOCUMENTS
        .iter()
        .map(|&(uri, language, seed)| Open {
            uri,
            language,
            seed,
            text: seed.to_owned(),
            version: 1,
        })
        .collect();
    for document in &documents {
        client.open(document.uri, document.language, &document.text);
    }
    let (mut done, mut compared, mut programs) = (0, 0, 0);
    while done < count {
        let burst = 1 + random.below(60);
        for _ in 0..burst {
            let at = random.below(documents.len() as u64) as usize;
            step(&mut client, &mut documents[at], &mut random);
            done += 1;
        }
        for document in &mut documents {
            // Half of the documents end as programs, most of them with an error or two.
            if random.one_in(2) {
                let text = replaced(document.seed, &mut random);
                whole(&mut client, document, text);
            }
        }
        programs += compare(&mut client, &documents, seed, done);
        compared += documents.len();
    }
    client.end();
    println!("{done} edits, {compared} final states compared, {programs} of them verified");
    assert!(programs > 0, "no text was a program");
}

/// Compares the state of all documents with that of a fresh server; returns how many were verified.
fn compare(client: &mut Client, documents: &[Open], seed: u64, done: u64) -> usize {
    let mut fresh = Client::new().unwrap();
    for document in documents {
        fresh.open(document.uri, document.language, &document.text);
    }
    let mut programs = 0;
    for document in documents {
        let last = client.settled(document.uri, document.version);
        let expected = fresh.settled(document.uri, 1);
        let (uri, text) = (document.uri, &document.text);
        assert_eq!(
            last, expected,
            "seed {seed}, after {done} edits, {uri}:\n{text}"
        );
        programs += usize::from(expected.iter().any(|line| line.contains("done")));
    }
    fresh.end();
    programs
}

fn step(client: &mut Client, document: &mut Open, random: &mut Random) {
    match random.below(12) {
        0 => {
            let text = document.seed.to_owned();
            whole(client, document, text);
        }
        1 => {
            let text = json!({ "textDocument": { "uri": document.uri } });
            client.notify("textDocument/didSave", text);
        }
        2 => {
            let close = json!({ "textDocument": { "uri": document.uri } });
            client.notify("textDocument/didClose", close);
            client.forget(document.uri);
            document.version = 1;
            client.open(document.uri, document.language, &document.text);
        }
        3 => {
            // Two changes in one message, the second counted after the first.
            let first = change(&mut document.text, random);
            let second = change(&mut document.text, random);
            send(client, document, json!([first, second]));
        }
        _ => {
            let change = change(&mut document.text, random);
            send(client, document, json!([change]));
        }
    }
}

fn send(client: &mut Client, document: &mut Open, changes: serde_json::Value) {
    document.version += 1;
    let identifier = json!({ "uri": document.uri, "version": document.version });
    let parameters = json!({ "textDocument": identifier, "contentChanges": changes });
    client.notify("textDocument/didChange", parameters);
}

fn whole(client: &mut Client, document: &mut Open, text: String) {
    document.text = text;
    let change = json!([{ "text": document.text }]);
    send(client, document, change);
}

/// A text with one word replaced.
fn replaced(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    let (start, end) = word(&text, random);
    let new = WORDS[random.below(15) as usize];
    text.replace_range(start..end, new);
    text
}

/// Changes a text and tells how, as an editor does.
fn change(text: &mut String, random: &mut Random) -> serde_json::Value {
    let (start, end) = match random.below(6) {
        0 => {
            let at = boundary(text, random);
            (at, at)
        }
        1 => {
            let (a, b) = (boundary(text, random), boundary(text, random));
            let (start, end) = (a.min(b), a.max(b));
            (start, floor(text, end.min(start + 30)))
        }
        _ => word(text, random),
    };
    let new = match random.below(5) {
        0 => "",
        1 => "\n  assert 1 < 2;\n",
        _ => random.pick(WORDS),
    };
    let range = json!({ "start": position(text, start), "end": position(text, end) });
    text.replace_range(start..end, new);
    json!({ "range": range, "text": new })
}

fn boundary(text: &str, random: &mut Random) -> usize {
    let at = floor(text, random.below(text.len() as u64 + 1) as usize);
    // Editors do not put the cursor between the two halves of an end of line.
    match text[..at].ends_with('\r') && text[at..].starts_with('\n') {
        true => at - 1,
        false => at,
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) || text[..at].ends_with('\r') && text[at..].starts_with('\n') {
        at -= 1;
    }
    at
}

/// The place of a random word or mark.
fn word(text: &str, random: &mut Random) -> (usize, usize) {
    let at = boundary(text, random);
    let rest = text[at..].trim_start();
    let start = text.len() - rest.len();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = match rest.chars().next() {
        None => 0,
        Some(c) if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
        Some(c) => c.len_utf8(),
    };
    (start, start + length)
}

/// The position of an offset in UTF-16 units, counted apart from the server's way.
fn position(text: &str, offset: usize) -> serde_json::Value {
    let (mut line, mut character) = (0, 0);
    let mut before = text[..offset].chars().peekable();
    while let Some(c) = before.next() {
        match c {
            '\r' if before.peek() == Some(&'\n') => {}
            '\r' | '\n' => (line, character) = (line + 1, 0),
            _ => character += c.len_utf16(),
        }
    }
    json!({ "line": line, "character": character })
}
