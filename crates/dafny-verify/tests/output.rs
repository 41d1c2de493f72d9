//! What is printed about programs: places, related places and counts as Dafny has them.

mod common;
use common::{check, verify};

/// Checks the lines that are printed, without warnings.
fn prints(text: &str, expected: &[&str]) {
    if let Some(lines) = verify(text) {
        assert_eq!(lines, expected, "in\n{text}");
    }
}

#[test]
fn parts_of_predicates_are_related_places() {
    prints(
        "predicate P(x: int) {
  0 <= x &&
  x < 10
}
method M(x: int) {
  assert P(x);
}
method N(x: int) returns (y: int)
  requires 0 <= x
  ensures P(y)
{
  y := x;
}
",
        &[
            "(6,10): Error: assertion could not be proved",
            "(2,4): Related location: this proposition could not be proved",
            "(6,10): Error: assertion could not be proved",
            "(3,4): Related location: this proposition could not be proved",
            "(11,0): Error: a postcondition could not be proved on this return path",
            "(10,11): Related location: this is the postcondition that could not be proved",
            "(3,4): Related location: this proposition could not be proved",
        ],
    );
}

#[test]
fn conditions_with_recursive_functions_are_reported_at_their_operators() {
    prints(
        "function F(n: nat): nat { if n == 0 then 0 else F(n - 1) + 1 }
method M(n: nat, m: nat) {
  if n == 3 {
    assert F(n) == m;
  } else {
    assert n == m;
  }
}
",
        &[
            "(4,16): Error: assertion could not be proved",
            "(6,4): Error: assertion could not be proved",
        ],
    );
}

#[test]
fn negations_and_branches_are_taken_apart() {
    prints(
        "method M(a: bool, b: bool, c: bool) {
  assert !(a || b);
}
method N(a: bool, b: bool, c: bool) {
  assert if a then b else c;
}
",
        &[
            "(2,11): Error: assertion could not be proved",
            "(2,16): Error: assertion could not be proved",
            "(5,19): Error: assertion could not be proved",
            "(5,26): Error: assertion could not be proved",
        ],
    );
}

#[test]
fn failing_invariants_come_with_a_message() {
    prints(
        "method M(n: nat) {
  var i := 1;
  while i < n
    invariant i < n
  {
    i := i + 1;
  }
}
",
        &[
            "(4,16): Error: this loop invariant could not be proved on entry",
            " Related message: loop invariant violation",
            "(4,16): Error: this invariant could not be proved to be maintained by the loop",
            " Related message: loop invariant violation",
        ],
    );
}

#[test]
fn bound_variables_have_the_types_of_the_parameters_they_are_given_to() {
    check(
        "predicate P(n: nat)
         class Node { }
         predicate Q(x: Node)
         method M(f: nat -> bool)
           requires forall n :: P(n)
           requires forall x :: Q(x)
           requires forall n :: f(n)
           requires exists k :: k != 3 && P(k) //! value does not satisfy the subset constraints of 'nat'
         { }",
    );
}

#[test]
fn missing_cases_are_found_in_nested_patterns() {
    check(
        "datatype List = Nil | Cons(head: int, tail: List)
         function Whole(x: List, y: (bool, List)): int {
           match (x, y)
           case (Nil, (_, Nil)) => 0
           case (Cons(_, Cons(_, _)), _) => 1
           case (Nil, (b, Cons(_, _))) => 2
           case (Cons(_, Nil), _) => 3
         }
         method Part(x: List, y: List) {
           match (x, y) { //! missing case in match statement
             case (Nil, _) =>
             case (Cons(_, Cons(_, _)), _) =>
             case (Cons(_, Nil), Cons(_, _)) =>
           }
           match x { //! missing case in match statement
             case Nil =>
             case Cons(0, _) =>
             case Cons(_, Nil) =>
           }
           match x {
             case Nil | Cons(_, Nil) =>
             case Cons(_, Cons(_, _)) =>
           }
         }
         function Broad(x: int): nat {
           match x
           case n: nat => n //! value does not satisfy the subset constraints of 'nat'
         }",
    );
}

#[test]
fn opaque_constants_are_known_where_they_are_revealed() {
    check(
        "opaque const c: int := 5
         method M() {
           if * {
             assert c == 5; //! assertion could not be proved
           } else {
             reveal c;
             assert c == 5;
           }
         }",
    );
}

#[test]
fn functions_that_make_sequences_are_checked_for_all_arguments() {
    check(
        "function F(a: seq<int>): seq<int> {
           seq(|a|, i => a[i]) //! index out of range
         }
         function G(a: seq<int>): seq<int> {
           seq(|a|, i requires 0 <= i < |a| => a[i])
         }",
    );
}

#[test]
fn a_variable_is_not_given_two_values() {
    check(
        "method Two() returns (a: int, b: int)
         method M() {
           var i: int;
           i, i := Two(); //! left-hand sides i and i could not be proved to refer to different locations
         }",
    );
}

#[test]
fn places_are_found_before_a_call_that_may_fail() {
    check(
        "datatype Result = Failure | Success(value: int) {
           predicate IsFailure() { Failure? }
           function PropagateFailure(): Result requires IsFailure() { this }
           function Extract(): int requires !IsFailure() { value }
         }
         class Cell { var data: int }
         method M(c: Cell) returns (r: Result) modifies c ensures c.data == 7
         method P(a: array<int>, c: Cell) returns (r: Result)
           requires a.Length == 10 && c.data == 2
           modifies a, c
         {
           var before := a[7];
           a[c.data] :- M(c);
           assert c.data == 7 && a[7] == before;
           assert a[c.data] == a[2]; //! assertion could not be proved
           r := Success(0);
         }
         method Q(a: array<int>, b: array<int>, c: Cell) returns (r: Result)
           requires a.Length == 10
           modifies a, b, c
         {
           a[c.data] :- M(c); //! index out of range
           r := Success(0);
         }",
    );
}

#[test]
fn errors_come_module_by_module_in_the_order_of_the_text() {
    prints(
        "module N {
  method A() { assert false; }
  type T = x: int | x == 1
}
method M(y: int) {
  assert y == 0;
}
class C {
  method P() { assert false; }
}
type S = x: int | x == 2
method Q(x: int) returns (n: nat) {
  n := x as bv8 as int;
}
",
        &[
            "(6,2): Error: assertion could not be proved",
            "(9,15): Error: assertion could not be proved",
            "(11,5): Error: cannot find witness that shows type is inhabited (only tried 0); try giving a hint through a 'witness' or 'ghost witness' clause, or use 'witness *' to treat as a possibly empty type",
            "(13,9): Error: value to be converted could not be proved to fit in bv8",
            "(2,15): Error: assertion could not be proved",
            "(3,7): Error: cannot find witness that shows type is inhabited (only tried 0); try giving a hint through a 'witness' or 'ghost witness' clause, or use 'witness *' to treat as a possibly empty type",
        ],
    );
}

#[test]
fn parts_of_arguments_and_of_generic_functions_are_related_places() {
    prints(
        "ghost function Cool(b: bool): bool { b }
ghost function Id<G>(g: G): G {
  var h := g;
  h
}
method M(n: int) {
  if * {
    assert Cool(2 < 3 && n < n);
  } else {
    assert Id(false);
  }
}
",
        &[
            "(8,15): Error: assertion could not be proved",
            "(8,27): Related location: this proposition could not be proved",
            "(10,13): Error: assertion could not be proved",
            "(4,2): Related location: this proposition could not be proved",
        ],
    );
}

#[test]
fn the_index_of_a_loop_becomes_what_it_is_assigned_to() {
    prints(
        "newtype Small = x | 0 <= x < 100
method M() {
  for i := 0 to 10 {
    var u: Small := i;
  }
}
method N() {
  for i := 0 to 10 {
    var b: bv8 := i;
  }
}
",
        &["(8,6): Error: index variable is expected to be of an integer type (got bv8)"],
    );
}
