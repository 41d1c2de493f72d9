//! Members of datatypes and the rest of what newer Boogie programs are written with.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::report::check;
use expect_test::expect;

#[test]
fn fields_are_read_updated_and_assigned() {
    check(
        "\
datatype Pair { Pair(a: int, b: int) }
datatype Box<T> { Full(value: T, count: int), Half(count: int, value: T), Empty() }
procedure Update(p: Pair, boxes: [int]Box Pair) returns (q: Pair, m: [int]Box Pair)
{
  q := p->(a := 3);
  assert q->a == 3 && q->b == p->b;
  q->b := q->a + 1;
  assert q == Pair(3, 4);
  m := boxes;
  m[5]->value->a := 7;
  assert m[5] is Full || m[5] is Half ==> m[5]->value->a == 7;
  assert m[5] is Half ==> m[5]->count == boxes[5]->count;
  assert m[6] == boxes[6];
  assert m[5] is Half ==> m[5]->value->b == 0;
}
procedure Kind(b: Box int)
{
  var c: Box int;
  c := b->(count := 2);
  assert b is Full ==> c is Full && c->value == b->value;
  assert b is Empty || c->count == 2;
  assert c is Full;
}
",
        expect![[r#"
            Update: errors
              Assert line 14: anon0
            Kind: errors
              Assert line 22: anon0
        "#]],
    );
}

#[test]
fn unpacking_needs_the_constructor() {
    check(
        "\
datatype Side { Left(i: int), Right(i: int, j: bool) }
procedure Known(s: Side) returns (k: int)
  requires s is Left;
  ensures s == Left(k);
{
  Left(k) := s;
}
procedure Unknown(s: Side) returns (k: int, b: bool)
{
  Right(k, b) := s;
  assert s == Right(k, b);
}
procedure Swap(s: Side, t: Side) returns (k: int, l: int)
  requires s is Left && t is Left;
{
  Left(k) := s;
  Left(l) := t;
  Left(k) := Left(l);
  assert k == t->i;
  assert k == s->i;
}
",
        expect![[r#"
            Known: verified
            Unknown: errors
              Assert line 10: anon0
            Swap: errors
              Assert line 20: anon0
        "#]],
    );
}

#[test]
fn bound_variables_hide_outer_ones() {
    check(
        "\
function {:inline} next(x: int): int { (var x := x + 1; x) }
function {:inline} all(y: int): bool { (forall x: int :: x > y ==> x >= y + 1) }
procedure P(x: int)
{
  var y: int;
  y := 3;
  assert next(x) == x + 1;
  assert all(x);
  assert (var y := y + 1; (forall x: int :: x == y ==> x == 4));
  assert (forall y: int :: y == x ==> (var x := y; x == y));
  assert (var y := x; y == 3);
}
procedure Captured(x: int)
{
  assert (forall y: int :: (lambda x: int :: x + y)[x] == x + y);
  assert (forall x: int :: next(x) > x && (exists y: int :: y == next(x) && y == x));
}
",
        expect![[r#"
            P: errors
              Assert line 11: anon0
            Captured: errors
              Assert line 16: anon0
        "#]],
    );
}

#[test]
fn axioms_of_declarations_and_sequences_of_the_prover() {
    check(
        "\
const N: int uses { axiom N == 4; }
function f(x: int): int uses { axiom (forall x: int :: {f(x)} f(x) > x); hideable axiom f(0) == 9; }
function g(x: int): int { x + N } uses { axiom g(0) == 4; }
type {:builtin \"Seq\"} Seq _;
function {:builtin \"seq.empty\"} none(): Seq int;
function {:builtin \"seq.len\"} size(s: Seq int): int;
function {:builtin \"seq.unit\"} one(x: int): Seq int;
function {:builtin \"seq.++\"} join(s: Seq int, t: Seq int): Seq int;
function {:builtin \"seq.nth\"} at(s: Seq int, i: int): int;
pure procedure Uses() { assert f(N) > 4 && f(0) == 9 && g(1) == 5; assert N == 5; }
procedure Sequences(x: int)
{
  var s: Seq int;
  s := join(join(none(), one(x)), one(x + 1));
  reveal *;
  assert size(s) == 2;
  assert at(s, 1) == x + 1;
  assert at(s, 0) == x + 1;
}
",
        expect![[r#"
            Uses: errors
              Assert line 10: anon0
            Sequences: errors
              Assert line 18: anon0
        "#]],
    );
}
