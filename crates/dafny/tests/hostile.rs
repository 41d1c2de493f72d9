//! Damaged programs give diagnostics: no panic, whatever is cut, doubled or exchanged.

use stet_base::SourceMap;
use stet_dafny::{NoIncludes, check};
use stet_testkit::Random;

const PROGRAM: &str = r#"
module A { datatype Tree<+T> = Leaf | Node(left: Tree<T>, value: T, right: Tree<T>)
  function Size<T>(t: Tree<T>): nat { match t case Leaf => 0 case Node(l, _, r) => Size(l) + 1 + Size(r) } }
module B refines A { import opened X = A
  trait Shape extends object { var name: string  method Area() returns (r: real) ensures r >= 0.0 }
  class Square extends Shape { const side: real := 2.0  constructor (n: string) ensures name == n { name := n; new; }
    method Area() returns (r: real) ensures r >= 0.0 { r := side * side; } }
  newtype byte = x: int | 0 <= x < 256
  type pos = x: int | x > 0 witness 1
  least predicate P(n: nat) { n == 0 || P(n - 1) }
  lemma L(s: seq<int>, m: map<int, set<int>>) requires |s| > 0 && s[0] in m ensures exists i :: 0 <= i < |s| && s[i] == s[0]
  { assert s[0] == s[0] by { } calc { 1; == 1; } forall x | x in m ensures x in m.Keys { } }
  method M(a: array<int>, n: nat) returns (x: int, ghost y: int) requires n < a.Length modifies a decreases n
  { var i, z := 0, {1, 2}; label Loop: while i < n invariant 0 <= i <= n { a[i] := old(a[i]) + 1; i := i + 1; if * { break Loop; } }
    x, y := i as byte as int, if n == 0 then 0 else var q :| q > 0; q; var f := (k: int) requires k > 0 => k + 1; var t := (1, 'c'); x := t.0; }
}
"#;

fn mutate(text: &str, random: &mut Random) -> String {
    let mut words: Vec<&str> = text
        .split_inclusive([' ', '\n', '(', ')', '{', '}', ';', ',', ':', '.'])
        .collect();
    for _ in 0..=random.below(4) {
        let (a, b) = (random.below(words.len()), random.below(words.len()));
        match random.below(4) {
            0 => drop(words.remove(a)),
            1 => words.insert(a, words[b]),
            2 => words.swap(a, b),
            _ => words.truncate(a + 1),
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

#[test]
fn mutated_programs_give_diagnostics_and_no_panic() {
    let mut random = Random::new(7);
    for _ in 0..400 {
        let text = mutate(PROGRAM, &mut random);
        let mut sources = SourceMap::new();
        let file = sources.add("test.dfy", text).expect("small");
        check(&mut sources, &[file], &mut NoIncludes);
    }
}

#[test]
fn odd_texts_give_diagnostics_and_no_panic() {
    for text in [
        "",
        "\u{feff}",
        "/*",
        "\"",
        "'",
        "'\\",
        "@\"",
        "é",
        "{:",
        "method",
        "0x",
        "1e",
        "a.0.1",
        "const c := 1e99999999999",
        "type A = B type B = A",
        "module M refines M {}",
        "class C extends C {}",
        "datatype D = D(D)",
        "type T = x: T | true",
        "const a := b const b := a",
    ] {
        let mut sources = SourceMap::new();
        let file = sources.add("test.dfy", text).expect("small");
        check(&mut sources, &[file], &mut NoIncludes);
    }
}
