//! Small programs through the one entry: what is accepted, and the messages about what is not.

use stet_base::SourceMap;
use stet_dafny::{NoIncludes, Phase, check};

/// The messages about a program, as `line:column message`, and how far it got.
fn messages(text: &str) -> (Phase, Vec<String>) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.dfy", text).expect("small");
    let checked = check(&mut sources, &[file], &mut NoIncludes);
    let shown = checked
        .diagnostics
        .iter()
        .map(|d| {
            let place = sources.start_of(d.primary.as_ref().expect("placed").span);
            format!("{}:{} {}", place.line, place.column - 1, d.message)
        })
        .collect();
    (checked.phase, shown)
}

#[track_caller]
fn accepted(text: &str) {
    let (phase, shown) = messages(text);
    assert_eq!(phase, Phase::Done, "{shown:#?}");
}

#[track_caller]
fn rejected(text: &str, expected: &str) {
    let (phase, shown) = messages(text);
    assert_ne!(phase, Phase::Done);
    assert!(shown.iter().any(|m| m == expected), "{shown:#?}");
}

#[test]
fn a_program_with_most_features_resolves() {
    accepted(
        r#"
datatype List<+T> = Nil | Cons(head: T, tail: List<T>) {
  function Length(): nat { if Nil? then 0 else 1 + tail.Length() }
}
class Cell { var data: int  constructor (d: int) ensures data == d { data := d; } }
function Map<A, B>(f: A -> B, xs: List<A>): List<B> {
  match xs case Nil => Nil case Cons(h, t) => Cons(f(h), Map(f, t))
}
method Sum(a: array<int>) returns (s: int)
  ensures forall i :: 0 <= i < a.Length ==> a[i] == old(a[i])
{
  s := 0;
  for i := 0 to a.Length invariant s >= 0 || true { s := s + a[i]; }
  var c := new Cell(3);
  c.data := s;
  var m := map x | x in {1, 2, 3} :: x * 2;
  assert 2 in m && m[2] == 4 by { }
  var xs := Map(x => x + 1, Cons(1, Nil));
  calc { xs.Length(); == { } 1; }
}
"#,
    );
}

#[test]
fn a_local_inferred_from_a_natural_number_stays_one_until_it_is_assigned_an_integer() {
    let mut sources = SourceMap::new();
    let text = "method M(n: nat) { var x := n; var y := n; y := y - 1; }";
    let file = sources.add("test.dfy", text).expect("small");
    let checked = check(&mut sources, &[file], &mut NoIncludes);
    let program = &checked.program;
    let shown = |name: &str| {
        let found = program
            .vars
            .iter()
            .find(|(_, v)| program.text(v.name) == name);
        program.show_type(found.unwrap().1.ty)
    };
    assert_eq!(
        (shown("x"), shown("y")),
        ("nat".to_owned(), "int".to_owned())
    );
}

#[test]
fn errors_have_dafnys_words_and_places() {
    rejected("method M() { x := 3; }", "1:13 unresolved identifier: x");
    rejected(
        "method M() { var b: bool := 3; }",
        "1:28 integer literal used as if it had type bool",
    );
    rejected(
        "function F(x: int): int { F() }",
        "1:27 wrong number of arguments (function 'F' expects 1, got 0)",
    );
    rejected(
        "method M() { var x := 3 + ; }",
        "1:26 invalid UnaryExpression",
    );
}

#[test]
fn deep_nesting_and_long_chains_are_messages_not_crashes() {
    let deep = format!(
        "method M() {{ assert {}true{}; }}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert_eq!(messages(&deep).0, Phase::Parse);
    let long = format!("const c := 0{}", " + 1".repeat(100_000));
    assert_eq!(messages(&long).0, Phase::Parse);
    let fine = format!("const c := 0{}", " + 1".repeat(3_000));
    assert_eq!(messages(&fine).0, Phase::Done);
}
