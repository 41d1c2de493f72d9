//! Places of errors and warnings of single constructs: updates, comprehensions, `unchanged`, `{:only}`, cases, induction.

mod common;
use common::{check, verify};

/// Checks the lines that are printed.
fn prints(text: &str, expected: &[&str]) {
    if let Some(lines) = verify(text) {
        assert_eq!(lines, expected, "in\n{text}");
    }
}

#[test]
fn updates_are_checked_against_what_is_updated() {
    prints(
        "method Seq(q: seq<nat>, i: int) returns (r: seq<nat>)
  requires |q| == 2
{
  if * {
    r := q[i := 1];
  } else {
    r := q[0 := i];
  }
}
method Multi(q: multiset<nat>, i: int) returns (r: multiset<nat>)
{
  if * {
    r := q[i := 1];
  } else {
    r := q[1 := i];
  }
}
method Map(q: map<nat, nat>, i: int) returns (r: map<nat, nat>)
{
  r := q[3 := i];
}
",
        &[
            "(5,11): Error: index out of range",
            "(7,16): Error: value does not satisfy the subset constraints of 'nat'",
            "(13,11): Error: value does not satisfy the subset constraints of 'nat'",
            "(15,16): Error: new number of occurrences could not be proved to be non-negative",
            "(20,14): Error: value does not satisfy the subset constraints of 'nat'",
        ],
    );
}

#[test]
fn the_type_of_an_update_may_come_from_its_use() {
    check(
        "type Small = m: map<int, int> | |m| < 3 witness map[]
method M() returns (r: Small) {
  var m;
  m := map[];
  r := m[2 := 5];
}
method O() returns (r: Small) {
  var m;
  m := *;
  r := m[2 := 5]; //! subset constraints
}
method N() returns (r: map<int, int>) {
  var m := map[];
  r := m[2 := 5];
}
",
    );
}

#[test]
fn keys_of_maps_are_blamed_at_the_keys() {
    prints(
        "function G(x: int): int
method M() {
  var m := map x | 0 <= x < 4 :: G(x) := x;
}
",
        &["(3,34): Error: key expressions could not be proved to refer to different values"],
    );
}

#[test]
fn unchanged_is_about_objects_that_were_there() {
    check(
        "class Node { var next: Node?  var all: set<Node> }
twostate predicate Same(n: Node)
  reads n
{
  unchanged(n)
}
method Null(n: Node)
  modifies n
{
  assert unchanged(n.next); //! object could not be proved to be non-null
}
method New(n: Node)
  modifies n
{
  var m := new Node;
  assert unchanged(m); //! object could not be proved to be allocated in the old-state
}
method Element(n: Node)
  modifies n
{
  var m := new Node;
  n.all := {m};
  if * {
    assert unchanged(n.all) || true; //! set element could not be proved to be allocated in the old-state
  } else {
    assert unchanged(old(n.all) - {n});
  }
}
",
    );
}

#[test]
fn only_some_assertions() {
    const WARNING: &str =
        "Warning: Assertion with {:only} temporarily transforms other assertions into assumptions";
    prints(
        "method Callee(x: int) requires 5 < x {}
method Alone(x: int)
  ensures x == 7
{
  assert 2 < x;
  Callee(x);
  assert {:only} 2 < x;
  assert {:only} 20 < x;
  assert 3 < x;
}
method After(x: int)
{
  assert 1 < x;
  assert {:only \"after\"} 2 < x;
  Callee(x);
}
method Before(x: int)
{
  assert 1 < x;
  assert {:only \"before\"} 2 < x;
  Callee(x);
}
method Proof(x: int)
{
  assert {:only} 2 < x by {
    assert 3 < x;
  }
  assert 4 < x;
}
method Words(x: int)
{
  assert {:only \"Before\"} x == x;
}
",
        &[
            &format!("(7,11): {WARNING}"),
            &format!("(8,11): {WARNING}"),
            &format!("(14,11): {WARNING}"),
            &format!("(20,11): {WARNING}"),
            &format!("(25,11): {WARNING}"),
            &format!("(32,11): {WARNING}"),
            "(32,16): Warning: {:only} only accepts \"before\" or \"after\" as an optional argument",
            "(8,2): Error: assertion could not be proved",
            "(14,2): Error: assertion could not be proved",
            "(15,8): Error: a precondition for this call could not be proved",
            "(1,33): Related location: this is the precondition that could not be proved",
            "(19,2): Error: assertion could not be proved",
            "(20,2): Error: assertion could not be proved",
            "(26,4): Error: assertion could not be proved",
        ],
    );
}

#[test]
fn cases_that_nothing_is_left_for() {
    prints(
        "datatype D = A | B(D)
function F(d: D): int {
  match d
  case A => 0
  case B(A) => 1
  case B(B(_)) => 2
  case B(_) => 3
}
function G(d: D, i: int): int {
  match (d, i)
  case (A, 0) => 0
  case (A, 1) => 1
  case (_, 0) => 2
  case _ => 3
  case (B(_), _) => 4
}
",
        &[
            "(7,2): Warning: this branch is redundant",
            "(15,2): Warning: this branch is redundant",
        ],
    );
}

#[test]
fn terms_for_guards_and_induction() {
    const NONE: &str = "Warning: Could not find a trigger for this quantifier. Without a trigger, the quantifier may cause brittle verification. To silence this warning, add an explicit trigger using the {:trigger} attribute. For more information, see the section on quantifier instantiation rules in the reference manual.";
    const INDUCTION: &str = "Warning: Could not find a trigger for the induction hypothesis. Without a trigger, this may cause brittle verification. Change or remove the {:induction} attribute to generate a different induction hypothesis, or add {:nowarn} to silence this warning. For more information, see the section on quantifier instantiation rules in the reference manual.";
    prints(
        "predicate P(x: int)
function Half(n: nat): nat { if n < 2 then 0 else Half(n - 2) + 1 }
datatype Box = Box(i: int)
predicate Q(x: int, y: int)
ghost method M() {
  if x :| P(x) {
  }
  if x :| P(x + 1) {
  }
  if y {:nowarn} :| P(y + 1) {
  }
}
ghost predicate R(b: Box) { exists s :: match b case Box(i) => Q(s, i) }
lemma {:induction n, b} L(n: nat, b: bool)
  ensures Half(n) <= n
{
}
lemma {:induction n} K(n: nat, b: bool)
  ensures Half(n) <= n
{
}
",
        &[
            &format!("(8,7): {NONE}"),
            &format!("(13,28): {NONE}"),
            &format!("(14,24): {INDUCTION}"),
            "(16,0): Error: a postcondition could not be proved on this return path",
            "(15,18): Related location: this is the postcondition that could not be proved",
        ],
    );
}

#[test]
fn default_values_in_refinements_and_ghosts() {
    check(
        "abstract module A {
  function F(x: int := 5): (r: int)
    ensures r == x
  method M(x: int := 5) returns (r: int)
    ensures r == x
}
module B refines A {
  function F(x: int): int { x }
  method M(x: int) returns (r: int) { r := x; }
  method Client() {
    assert F() == 5;
    var r := M();
    assert r == 5;
    assert r == 6; //! assertion
  }
}
module C {
  ghost function G(): int { 3 }
  ghost function H(x: int := G()): int { x }
  lemma L(x: int := G()) ensures H() == 3 {}
}
",
    );
}

#[test]
fn failures_of_classes_and_members_that_are_methods() {
    prints(
        "datatype Outcome = Good(x: int) | Bad
class Cell {
  var a: int
  function IsFailure(): bool reads this { a < 0 }
  method PropagateFailure() returns (r: Outcome) requires IsFailure() { return Bad; }
  method Extract() returns (x: int) requires !IsFailure() ensures x == a { return a; }
}
method Get(c: Cell) returns (r: Cell) ensures r == c { return c; }
method Use(c: Cell) returns (r: Outcome)
  ensures c.a == 7 ==> r == Good(7)
{
  var x :- Get(c);
  assert x == c.a;
  assert x == 8;
  return Good(x);
}
",
        &[
            "(12,8): Warning: Support for member 'PropagateFailure' in type 'Cell' (used indirectly via a :- statement) being a method is deprecated; declare it to be a function instead",
            "(12,8): Warning: Support for member 'Extract' in type 'Cell' (used indirectly via a :- statement) being a method is deprecated; declare it to be a function instead",
            "(14,2): Error: assertion could not be proved",
        ],
    );
}

#[test]
fn sets_of_objects_of_different_classes() {
    check(
        "class Part { }
class Whole {
  ghost function F(parts: set<Part>): bool
    reads this, parts
    decreases (set p | p in parts) + {this}
  {
    true
  }
}
",
    );
}

#[test]
fn types_may_have_short_names() {
    check(
        "type U(==)
type T(==)
ghost function F(u: U): T
method M(u: U, m: map<U, T>)
  requires forall v: U :: v in m ==> m[v] == F(v)
  requires u in m
{
  assert m[u] == F(u);
  assert forall v: U :: v in m; //! assertion
}
",
    );
}

#[test]
fn default_values_read_what_the_function_may() {
    check(
        "class Cell { var data: int }
ghost function F(c: Cell, x: int := c.data): int //! insufficient reads clause
ghost function G(c: Cell, x: int := c.data): int
  reads c
ghost function H(c: Cell, d: Cell, x: int := c.data): int //! insufficient reads clause
  requires c == d
  reads d
method M(c: Cell, x: int := c.data)
ghost function R(n: nat := R(0)): nat { n } //! not allowed to involve recursive
",
    );
}

#[test]
fn values_of_maps_are_found_by_their_keys() {
    check(
        "class Thing { }
method Infinite(m: imap<Thing, int>)
  requires m != imap[]
{
  assert m.Values != iset{};
}
predicate Small(x: int) { x == 3 }
predicate Even(y: int) { y % 2 == 0 }
method Pairs() {
  var m := map x, y | 2 <= x < y < 6 && Small(x) && Even(y) :: x := y;
  assert Small(3) && Even(4);
  assert m[3] == 4;
}
type Zeros = m: map<int, int> | forall k <- m :: m[k] == 0
method Put(z: Zeros) returns (r: Zeros)
  ensures false
{
  r := z[3 := 1]; //! subset constraints
}
",
    );
}

#[test]
fn hypotheses_without_terms() {
    check(
        "predicate Down(n: nat) { if n == 0 then true else Down(n - 1) }
lemma {:inductionTrigger} Asked(n: nat, b: bool)
  ensures Down(if b then n else n)
{
}
",
    );
}
