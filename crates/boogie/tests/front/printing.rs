//! Printing, and that what is printed reads back as the same program.

use crate::{corpus, front, parsed, printed};
use expect_test::expect;
use stet_boogie::print::Bodies;

const EVERYTHING: &str = r#"
type {:a 1} T _; type S a = <b>[a, b]T a; type \procedure;
const unique c: int extends d, unique e complete; const d, e: int extends;
var {:x "s\"t"} g: int where g > 0, h: <a>[T a]a;
function {:inline} f<a>(x: a, y: int): bool { y > 0 && x == x }
function k(x: int, y: real) returns (r: real) { if x > 0 then y else real(x) ** 2.50 }
axiom {:q} (forall<a> x: a, y: int :: {:w 3} {f(x, y)} {:nopats f(x, 1)} f(x, y) ==> !(y < 0) || -y - (1 - y) == 2 * (y + 3) div 4 mod 5);
axiom (P ==> Q) ==> R <==> P ==> Q ==> R; const P, Q, R: bool;
procedure {:p} M<a>(x: a, n: int where n > 0) returns (y: a); requires {:r} n > 3; free ensures y == x; modifies g;
implementation M<a>(x: a, n: int) returns (y: a) {
  var {:z} i, j: int where i > 0; var m: [int][int]int; var v: bv8;
  i, m[i][2] := j, 5; havoc i, j; call y := M(x, 4);
  if (*) { assert {:s} i > 0; } else if (i == 1) { return; } else { goto L; }
  while (i < n) invariant i > 0; free invariant {:q} true; { break; }
  L: assume m[1 := m[2]][3][4] == (lambda z: int :: z + 1)[3]; assert v[4:2] ++ 1bv6 == v; assert old(g) == (var q := 1; q + g);
  assert (x: a) == y && 0x1.8e1f24e8 == 0+oo24e8;
}
procedure N() modifies g; { var z: int; call {:attr} z := M(1, 2); assert |{ var b: bool; A: b := true; goto B; B: return b; }|; }
"#;

#[test]
fn layout() {
    let program = parsed(
        "var g: int; procedure P(x: int) returns (y: int); requires x > 0; modifies g; implementation P(x: int) returns (y: int) { var z: int; z := x; while (z > 0) invariant z >= 0; { z := z - 1; if (z == 3) { break; } } }",
    );
    expect![[r#"
        var g: int;

        procedure P(x: int) returns (y: int);
          requires x > 0;
          modifies g;



        implementation P(x: int) returns (y: int)
        {
          var z: int;

            z := x;
            while (z > 0)
              invariant z >= 0;
            {
                z := z - 1;
                if (z == 3)
                {
                    break;
                }
            }
        }


    "#]]
    .assert_eq(&printed(&program, Bodies::Structured, true));
}

#[test]
fn long_expressions_are_broken_at_operators() {
    let program = parsed(
        "function f(int): bool; axiom (forall x: int :: { f(x) } f(x) && f(x + 1) && f(x + 22222222222) && f(x + 33333333333) ==> f(x + 4));",
    );
    expect![[r#"
        function f(int) : bool;

        axiom (forall x: int :: 
          { f(x) } 
          f(x) && f(x + 1) && f(x + 22222222222) && f(x + 33333333333) ==> f(x + 4));
    "#]]
    .assert_eq(&printed(&program, Bodies::Structured, true));
}

#[test]
fn bodies_become_axioms() {
    let program = parsed("function f<a>(x: a, y: int): a { x } function g(): int { 3 }");
    expect![[r#"
        function f<a>(x: a, y: int) : a;

        axiom (forall<a> x: a, y: int :: { f(x, y): a } f(x, y): a == x);

        function g() : int;

        axiom g(): int == 3;
    "#]]
    .assert_eq(&printed(&program, Bodies::Structured, true));
}

/// Printing, reading and printing again gives the same text, in every layout.
fn round_trip(name: &str, text: &str) {
    let program = parsed(text);
    for (bodies, pretty) in [
        (Bodies::Structured, true),
        (Bodies::Structured, false),
        (Bodies::Both, false),
    ] {
        let once = printed(&program, bodies, pretty);
        let again = printed(&parsed(&once), Bodies::Structured, pretty);
        let plain = printed(&program, Bodies::Structured, pretty);
        if bodies == Bodies::Structured {
            assert_eq!(plain, again, "{name}");
        }
    }
    let blocks = printed(&program, Bodies::Blocks, false);
    let again = printed(&parsed(&blocks), Bodies::Blocks, false);
    assert_eq!(blocks, again, "{name}: as blocks");
}

#[test]
fn everything_reads_back() {
    round_trip("everything", EVERYTHING);
    let front = front(EVERYTHING);
    assert!(front.ok, "{:#?}", front.messages);
}

#[test]
fn the_corpus_reads_back() {
    for (name, text) in corpus() {
        let mut sources = stet_base::SourceMap::new();
        let file = sources.add(name.clone(), text.as_str()).expect("small");
        let mut program = stet_boogie::Program::default();
        let well_formed = stet_boogie::parse(&mut program, &sources, file, &[]).is_empty();
        if well_formed && !text.contains("#line") && !text.contains("#if") {
            round_trip(&name, &text);
        }
    }
}
