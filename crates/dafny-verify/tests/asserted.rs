//! `--show-proof-obligation-expressions`: what failing checks assert, as program text.

mod common;
use common::verify_with;

/// Checks the lines that say what is asserted.
fn asserts(text: &str, expected: &[&str]) {
    let language = stet_dafny::Options {
        show_proof_obligation_expressions: true,
        ..stet_dafny::Options::DEFAULT
    };
    let Some(lines) = verify_with(text, language) else {
        return;
    };
    let found = lines
        .iter()
        .filter_map(|l| l.strip_prefix(" Asserted expression: "));
    let mut found: Vec<&str> = found.collect();
    // Each part of a condition that fails says the whole.
    found.dedup();
    assert_eq!(found, expected, "{lines:#?} in\n{text}");
}

#[test]
fn nothing_is_said_unless_it_is_asked_for() {
    let text = "method M(x: int) { assert x == 3; }";
    if let Some(lines) = verify_with(text, stet_dafny::Options::DEFAULT) {
        assert_eq!(lines, ["(1,19): Error: assertion could not be proved"]);
    }
}

/// Checks that conditions which do not hold are written as they are here.
fn are_written_so(head: &str, params: &str, conditions: &[&str]) {
    let mut text = String::from(head);
    for (i, condition) in conditions.iter().enumerate() {
        text.push_str(&format!(
            "method M{i}({params}) {{ assert {condition}; }}\n"
        ));
    }
    asserts(&text, conditions);
}

#[test]
fn conditions_are_written_with_the_parentheses_they_need() {
    are_written_so(
        "",
        "a: int, b: int, c: int, p: bool, q: bool, r: bool",
        &[
            "a - (b - c) == a - b - c + 1",
            "a * (b + c) == -(a * b) % 7",
            "(p && q) || r",
            "p || (q && r)",
            "(p ==> q) ==> r",
            "0 <= a < b <= c",
            "!(a == b) && (forall x: int :: x + a == b) && p",
            "(if p then a else b) == c",
        ],
    );
}

#[test]
fn expressions_of_all_kinds_are_written_as_the_program_would() {
    are_written_so(
        "datatype D = A(x: int, s: seq<int>) | B { function Get(k: int): int { k } }
class C { var f: int }
predicate P(s: string)
",
        "d: D, c: C, m: map<int, bool>, g: int -> int, n: array<real>",
        &[
            "d.A? && d.x + d.Get(2) == c.f",
            "d == A(1, []) || d == B",
            "m[1 := true] == map[2 := false] && 3 !in m.Keys",
            "|multiset{1, g(2)}| == n.Length && 2.5 == n.Length as real",
            "old(c.f) == c.f && fresh({c}) && P(\"a\\n\")",
            "(set i: int | 0 <= i < 3 && g(i) == 1 :: i + 1) == {'x' as int}",
        ],
    );
}

#[test]
fn preconditions_are_written_with_the_arguments_of_the_call() {
    asserts(
        "class C {
  var v: int
  method N(x: int) requires v < x + 1 {}
}
function F(n: int): int requires 0 <= n < 10 { n }
method M(c: C, k: int) {
  if * { c.N(k * 2); }
  if * { var y := F(k - 1); }
}
",
        &["c.v < k * 2 + 1", "0 <= k - 1 < 10"],
    );
}

#[test]
fn what_values_must_be_is_written() {
    let needs = [
        ("c.f", "c != null"),
        ("s[k + 1]", "0 <= k + 1 < |s|"),
        ("m[k]", "k in m"),
        ("a[k]", "0 <= k < a.Length"),
        ("d.x", "d.A?"),
        ("10 / k", "k != 0"),
        ("(1.0 / r).Floor", "r != 0.0"),
    ];
    let mut text = String::from("datatype D = A(x: int) | B(y: int) | E\nclass C { var f: int }\n");
    for (i, (value, _)) in needs.iter().enumerate() {
        text.push_str(&format!(
            "method M{i}(c: C?, s: seq<int>, m: map<int, int>, a: array<int>, d: D, k: int, r: real) {{ var z := {value}; }}\n"
        ));
    }
    asserts(&text, &needs.map(|(_, condition)| condition));
}

#[test]
fn measures_are_compared() {
    asserts(
        "function F(n: nat, m: nat): nat decreases n, m { if n == 0 then 0 else F(n, m + 1) }
method M(n: nat) decreases n { M(n + 1); }
method L(n: int) {
  var i := n;
  while i > 0
    decreases i
  {
    i := i + 1;
  }
}
",
        &[
            "(n, m decreases to n, m + 1)",
            "old(n) decreases to n + 1",
            "old@LoopEntry(prev_i) decreases to i",
        ],
    );
}

#[test]
fn frames_are_written_as_the_objects_they_hold() {
    asserts(
        "class C { var x: int var y: int }
method Write(c: C, d: C, s: set<C>)
  modifies d, s, c`y
{
  c.x := 1;
}
method None(c: C) { c.x := 1; }
method Callee(c: C, s: set<C>) modifies c, s
method Caller(c: C, d: C, s: set<C>)
  modifies d
{
  Callee(c, s);
}
function Read(c: C, d: C): int reads d { c.x }
",
        &[
            "c == d || c in s",
            "c in {}",
            "c == d && forall obj: C | obj in s :: obj == d",
            "c == d",
        ],
    );
}
