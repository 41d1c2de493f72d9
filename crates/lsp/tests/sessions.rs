//! Recorded sessions: edits, and after each of them what is shown, which checks the prover was asked about, and which were
//! answered from earlier verdicts.
//!
//! A session is a text of pieces: `//- FILE` opens a document with the text that follows, `//- FILE edit OLD => NEW`
//! replaces a piece of it, `//- FILE save` saves it.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod client;

use client::Client;
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Plays a session and compares what was seen after every step.
fn session(text: &str, expected: &Expect) {
    let Some(mut client) = Client::new() else {
        return;
    };
    let mut seen = String::new();
    let mut documents: BTreeMap<String, (i64, String)> = BTreeMap::new();
    for piece in text.split("//- ").skip(1) {
        let (head, body) = piece.split_once('\n').unwrap();
        let (file, command) = head.split_once(' ').unwrap_or((head, ""));
        let uri = format!("file:///{file}");
        match command.split_once(' ') {
            None => {
                documents.insert(file.to_owned(), (1, body.to_owned()));
                let language = if file.ends_with(".dfy") {
                    "dafny"
                } else {
                    "boogie"
                };
                client.open(&uri, language, body);
            }
            Some((_, edit)) => {
                let (version, text) = documents.get_mut(file).unwrap();
                let (old, new) = edit.split_once(" => ").unwrap();
                let at = text.find(old).unwrap();
                let end = at + old.len();
                *version += 1;
                let place = |text: &str, at: usize| {
                    let line = text[..at].matches('\n').count() as u32;
                    let start = text[..at].rfind('\n').map_or(0, |p| p + 1);
                    (line, (at - start) as u32)
                };
                client.edit(&uri, *version, place(text, at), place(text, end), new);
                text.replace_range(at..end, new);
            }
        }
        let version = documents[file].0;
        let status = client.quiet(&uri, version);
        seen += &format!("{head}\n");
        for d in client.diagnostics(&uri).as_array().unwrap() {
            let start = &d["range"]["start"];
            let at = format!("{}:{}", start["line"], start["character"]);
            seen += &format!("  {at} {}\n", d["code"].as_str().unwrap());
        }
        let mut by_origin: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for check in status["checks"].as_array().unwrap() {
            let name = check["declaration"].as_str().unwrap();
            let line = &check["range"]["start"]["line"];
            let one = format!("{name}:{line}");
            let origin = check["origin"].as_str().unwrap();
            by_origin.entry(origin).or_default().push(one);
        }
        for (origin, mut checks) in by_origin {
            checks.sort();
            seen += &format!("  {origin}: {}\n", checks.join(" "));
        }
        seen += &format!("  {}\n", numbers(&status));
    }
    client.end();
    expected.assert_eq(&seen);
}

/// The status of declarations by name.
fn numbers(status: &Value) -> String {
    let all = status["declarations"].as_array().unwrap().iter();
    let all = all.map(|d| format!("{} {}", d["name"].as_str().unwrap(), d["status"]));
    all.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_body_is_edited_and_only_it_is_asked_again() {
    session(
        "//- a.bpl
procedure P(x: int) returns (r: int)
  requires x > 0;
  ensures r > 0;
{
  r := x;
  assert r == x;
}
procedure Q()
{
  var y: int;
  call y := P(1);
  assert y > 0;
}
//- a.bpl edit r := x; => r := x - 1;
//- a.bpl edit r := x - 1; => r := x;
",
        &expect![[r#"
            a.bpl
              solved: P:2 P:5 Q:10 Q:11
              P 5, Q 5
            a.bpl edit r := x; => r := x - 1;
              5:2 verify/assertion
              cached: Q:10 Q:11
              partially cached: P:2
              solved: P:5
              P 4, Q 5
            a.bpl edit r := x - 1; => r := x;
              cached: P:2 P:5 Q:10 Q:11
              P 5, Q 5
        "#]],
    );
}

#[test]
fn a_specification_is_edited_and_its_callers_are_asked_again() {
    session(
        "//- a.bpl
procedure P(x: int) returns (r: int)
  ensures r > x;
{
  r := x + 2;
}
procedure Q()
{
  var y: int;
  call y := P(1);
  assert y > 1;
}
procedure R() { assert 1 < 2; }
//- a.bpl edit ensures r > x; => ensures r >= x;
//- a.bpl edit procedure R => /* moved */ procedure R
",
        &expect![[r#"
            a.bpl
              solved: P:1 Q:9 R:11
              P 5, Q 5, R 5
            a.bpl edit ensures r > x; => ensures r >= x;
              9:2 verify/assertion
              cached: R:11
              solved: P:1 Q:9
              P 5, Q 4, R 5
            a.bpl edit procedure R => /* moved */ procedure R
              9:2 verify/assertion
              cached: P:1 Q:9 R:11
              P 5, Q 4, R 5
        "#]],
    );
}

#[test]
fn a_dafny_method_is_edited_and_only_it_is_asked_again() {
    session(
        "//- a.dfy
method M(x: int) returns (r: int)
  ensures r > x
{
  r := x + 1;
}

method N() {
  var y := M(3);
  assert y > 3;
}

lemma L(n: nat) ensures n * n >= 0 { }
//- a.dfy edit x + 1 => x - 1
//- a.dfy edit x - 1 => x + 2
//- a.dfy edit y > 3 => y >= 3
",
        &expect![[r#"
            a.dfy
              solved: $Impl.L:11 $Impl.M:1 $Impl.M:4 $Impl.N:8
              M 5, N 5, L 5
            a.dfy edit x + 1 => x - 1
              2:0 dafny/postcondition
              cached: $Impl.L:11 $Impl.M:4 $Impl.N:8
              solved: $Impl.M:1
              M 4, N 5, L 5
            a.dfy edit x - 1 => x + 2
              cached: $Impl.L:11 $Impl.M:4 $Impl.N:8
              solved: $Impl.M:1
              M 5, N 5, L 5
            a.dfy edit y > 3 => y >= 3
              cached: $Impl.L:11 $Impl.M:1 $Impl.M:4
              solved: $Impl.N:8
              M 5, N 5, L 5
        "#]],
    );
}

#[test]
fn an_unfinished_edit_keeps_what_was_known() {
    session(
        "//- a.bpl
procedure P() { assert 1 < 2; }
procedure Q() { assert 2 < 1; }
//- a.bpl edit 1 < 2 => 1 <
//- a.bpl edit 1 <; => 1 < 3;
",
        &expect![[r#"
            a.bpl
              1:16 verify/assertion
              solved: P:0 Q:1
              P 5, Q 4
            a.bpl edit 1 < 2 => 1 <
              0:26 boogie/syntax
              1:16 verify/assertion
              solved: P:0 Q:1
              P 0, Q 0
            a.bpl edit 1 <; => 1 < 3;
              1:16 verify/assertion
              cached: Q:1
              solved: P:0
              P 5, Q 4
        "#]],
    );
}

/// A project that was verified is reopened: all verdicts come from the store, and the prover is not even started.
#[test]
fn a_project_is_reopened_without_a_prover() {
    // A debug build would recompute one verdict in 64, and with the path of the prover its key is another one in every run.
    stet_store::recheck_share(0.0);
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        stet_store::Store::open(stet_store::Config {
            path: Some(directory.path().join("store.db")),
            ..stet_store::Config::memory(stet_store::Mode::ReadWrite)
        })
    };
    let documents = [
        (
            "file:///a.bpl",
            "boogie",
            "procedure P(x: int) { assert x > 0; assert x < 0 || x > 0; }\n",
        ),
        (
            "file:///b.dfy",
            "dafny",
            "method M(x: int) returns (r: int) ensures r > x { r := x; }\nlemma L(n: nat) ensures n + n >= n { }\n",
        ),
    ];
    let Some(prover) = client::watched_prover(directory.path()) else {
        return;
    };
    let starts = || {
        let log = std::fs::read_to_string(directory.path().join("started"));
        log.unwrap_or_default().lines().count()
    };
    let files = client::Files::default();
    let mut client = Client::start(open(), prover.clone(), files.clone(), json!({}));
    let mut first = Vec::new();
    for (uri, language, text) in documents {
        client.open(uri, language, text);
        first.push(client.settled(uri, 1));
    }
    drop(client.end());
    let before = starts();
    assert!(before > 0, "the first session asks the prover");
    let mut again = Client::start(open(), prover, files, json!({}));
    for ((uri, language, text), expected) in documents.iter().zip(&first) {
        again.open(uri, language, text);
        assert_eq!(&again.settled(uri, 1), expected, "{uri}");
        let summary = again.last(&format!("stet/summary {uri}")).unwrap();
        assert_eq!(summary["solved"], 0, "{summary}");
    }
    again.end();
    assert_eq!(starts(), before, "the prover was started");
}
