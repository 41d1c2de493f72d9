//! Function values that read the heap, and statements with proofs and specifications of their own.

mod common;
use common::check;

#[test]
fn a_function_value_reads_the_heap_in_which_it_is_applied() {
    check(
        "class C { var f: int }
         function Ap(g: int ~> int, x: int): int
           requires g.requires(x)
           reads g.reads(x)
         { g(x) }
         method M(c: C, d: C) requires c != d modifies c, d {
           var g := x reads c => x + c.f;
           c.f := 5;
           assert g.requires(3) && g(3) == 8;
           d.f := 9;
           assert Ap(g, 3) == 8 && g.reads(3) == {c};
           c.f := 6;
           assert g(3) == 8; //! assertion could not be proved
         }
         function Plain(x: int): int { x + 1 }
         method K() {
           var p: int ~> int := Plain;
           assert Ap(Plain, 3) == 4 && p(3) == 4;
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn what_a_function_value_does_not_read_does_not_change_it() {
    check(
        "class C { var f: int }
         method N(c: C, d: C, g: int ~> int)
           requires g.requires(1) && g.reads(1) == {c} && c != d
           modifies d
           ensures g.requires(1) && g(1) == old(g(1))
         { d.f := 2; }
         method O(c: C, g: int ~> int)
           requires g.requires(1)
           modifies c
         {
           c.f := 2;
           assert g.requires(1); //! assertion could not be proved
         }
         method P(c: C, g: int ~> int)
           requires forall x :: g.requires(x)
         {
           assert g(1) == g(2); //! assertion could not be proved
         }",
    );
}

#[test]
fn a_function_value_is_checked_for_every_heap_in_which_it_may_be_applied() {
    check(
        "class C { var f: int }
         method O(c: C) {
           var g := (x: int) => c.f; //! insufficient reads clause to read field
         }
         method P(c: C) requires c.f > 0 modifies c {
           var g := x reads c => x / c.f; //! possible division by zero
         }
         method Q(c: C) requires c.f > 0 modifies c {
           var g := x requires c.f != 0 reads c => x / c.f;
           assert g.requires(1);
           c.f := 0;
           assert g.requires(1); //! assertion could not be proved
         }
         function Ap(g: int ~> int, x: int): int
           requires g.requires(x) //! insufficient reads clause to invoke function
         { 3 }
         method R(c: C) {
           var g := x reads c => x + c.f;
           var p: int -> int := g; //! does not satisfy the subset constraints
         }",
    );
}

#[test]
fn frames_given_by_functions_cover_all_their_values() {
    check(
        "class C { var f: int }
         predicate A(c: C) reads (() => {c}) { c.f == 0 }
         predicate B(c: C, d: C) reads ((x: int) => [c]) {
           d.f == 0 //! insufficient reads clause to read field
         }
         predicate E() reads {} { true }
         function S(g: int ~> int): int
           requires forall x :: g.requires(x)
           reads g.reads
         { g(1) + g(2) }
         method M(g: int ~> int) requires forall x :: g.requires(x) {
           assert S(g) == g(1) + g(2);
         }",
    );
}

#[test]
fn a_function_used_as_a_value_is_the_same_value_everywhere() {
    check(
        "lemma {:axiom} Shift(x: int, f: int -> int)
           ensures forall y :: f(y) + x == f(x) + y
         ghost function Identity(z: int): int
         lemma Test(v: int, w: int) {
           Shift(w, Identity);
           assert Identity(v) + w == Identity(w) + v;
         }
         function Sum(n: nat, f: int -> int): int { if n == 0 then 0 else f(n - 1) + Sum(n - 1, f) }
         function Twice(n: nat): int { if n == 0 then 0 else 2 + Twice(n - 1) }
         lemma Same(n: nat) ensures Sum(n, i => if i < 0 then 0 else Twice(i)) == Sum(n, i => if i < 0 then 0 else Twice(i)) { }
         lemma Wrong(n: nat) ensures Sum(n, i => i) == Sum(n, i => i + 1) { } //! a postcondition could not be proved",
    );
}

#[test]
fn a_proof_of_a_call_is_seen_by_its_precondition_only() {
    check(
        "opaque predicate P() { true }
         lemma ProveP() ensures P() { reveal P(); }
         method NeedsP() returns (r: int) requires P() ensures r == 3 { r := 3; }
         method Good() {
           var v := NeedsP() by { ProveP(); }
           assert v == 3;
           assert P(); //! assertion could not be proved
         }
         method Bad() {
           var v := NeedsP() by { assert 1 == 1; } //! a precondition for this call could not be proved
         }
         method Such(x: int) {
           var v :| v > 3 && v == x by { assume x > 5; }
           assert v > 3;
         }
         method Such2(x: int) {
           var v :| v > 3 && v == x by { assert true; } //! cannot establish the existence
         }",
    );
}

#[test]
fn after_an_opaque_block_only_its_specification_is_known() {
    check(
        "class C { var f: int  var g: int }
         method Op(c: C) returns (x: int, y: int) modifies c ensures x == 2 {
           y := 7;
           opaque ensures x == 2 && c.f == 5 {
             x := 1; c.f := 5; x := x + 1;
           }
           assert y == 7 && c.f == 5;
           assert c.g == old(c.g); //! assertion could not be proved
         }
         method Bad() returns (x: int) {
           opaque ensures x == 3 { //! ensures might not hold
             x := 2;
           }
         }
         method Leave(b: bool) returns (x: int) ensures x == 1 {
           opaque ensures !b {
             if b { x := 2; return; } //! a postcondition could not be proved
           }
           x := 1;
         }",
    );
}

#[test]
fn modify_with_a_body_is_that_body_within_the_frame() {
    check(
        "class C { var f: int }
         method Mo(c: C, d: C) requires c != d modifies c, d {
           modify c { c.f := 3; }
           assert c.f == 3 && d.f == old(d.f);
           modify c {
             d.f := 3; //! modified field could not be proved to be in the current modifies clause
           }
         }
         method Mo2(c: C, d: C) requires c != d modifies c {
           modify d { d.f := 3; } //! modified object in modify statement
         }",
    );
}

#[test]
fn a_labelled_precondition_is_known_after_reveal_only() {
    check(
        "method A(x: int) requires L: x > 3 requires x < 10 {
           assert x < 11;
           assert x > 2; //! assertion could not be proved
         }
         method B(x: int) requires L: x > 3 { reveal L; assert x > 2; }
         method C() {
           A(2); //! a precondition for this call could not be proved
         }",
    );
}

#[test]
fn states_after_labels_follow_them() {
    check(
        "class C {
           var f: int
           twostate lemma Same() requires old(f) == f ensures old(f) <= f { }
           twostate predicate Up() reads this { old(f) <= f }
           method M(n: nat) modifies this ensures Up() {
             Same();
             label L:
             Same@L();
             f := f + 1;
             assert Up@L() && Up();
             label K:
             f := f - 1;
             assert Up();
             assert Up@K(); //! assertion could not be proved
           }
         }",
    );
}

#[test]
fn measures_of_different_datatypes_are_compared_by_structure() {
    check(
        "datatype List<A> = Nil | Cons(head: A, tail: List<A>)
         datatype D = A | B(ds: List<D>)
         datatype E = E(es: seq<E>)
         function Size(x: D): int { match x case A => 1 case B(ds) => 1 + Sizes(ds) }
         function Sizes(xs: List<D>): int { match xs case Nil => 1 case Cons(h, t) => Size(h) + Sizes(t) }
         function SizeE(x: E): int { 1 + SizesE(x.es) }
         function SizesE(xs: seq<E>): int { if |xs| == 0 then 1 else SizeE(xs[0]) + SizesE(xs[1..]) }
         function Loop(x: D): int { Loops(Cons(x, Nil)) } //! cannot prove termination
         function Loops(xs: List<D>): int { match xs case Nil => 1 case Cons(h, t) => Loop(h) }",
    );
}

/// Otherwise a function without a `reads` clause would depend on the heap.
#[test]
fn a_sequence_made_by_a_function_reads_what_the_function_reads() {
    check(
        "class C { var x: int
           function G(i: int): int reads this { x }
           function S0(n: nat): seq<int> {
             seq(n, G) //! insufficient reads clause to invoke the function passed as an argument to the sequence constructor
           }
           function S1(n: nat): seq<int> reads this { seq(n, G) }
           method M() modifies this {
             x := 1;
             var s := S1(2);
             x := 2;
             assert s == [1, 1];
             assert S1(2) == s; //! assertion could not be proved
           }
         }
         function F(n: nat, f: int ~> int): seq<int>
           requires forall i :: f.requires(i) //! insufficient reads clause to invoke function
         {
           seq(n, f) //! insufficient reads clause to invoke the function passed as an argument to the sequence constructor
         }",
    );
}

#[test]
fn a_function_value_is_not_taken_for_one_with_a_larger_domain() {
    check(
        "method M(a: int ~> int, b: int ~> nat, c: nat ~> int) returns (r: int ~> int) {
           r := a;
           r := b;
           r := c; //! is not known to be an instance of type 'int ~> int'
         }",
    );
}

#[test]
fn domains_and_reads_as_values() {
    check(
        "ghost function P<A, B>(f: A ~> B, x: A): B
           reads (f.reads)(x)
           requires (f.requires)(x)
         { f(x) }
         ghost function Bad<A, B>(f: A ~> B, x: A): set<object?> reads * {
           f.reads(x) //! function precondition could not be proved
         }
         method Q(f: int ~> int) {
           var g := f.requires;
           var r := f.reads;
           if f.requires(3) {
             assert g(3);
             assert r(3) == f.reads(3) && g.reads(3) == f.reads(3);
             var twice := r(3) + r(4); //! function precondition could not be proved
           }
           assert g(5); //! assertion could not be proved
         }
         ghost function Deep<U, V>(f: U ~> V, x: U): V
           reads ((() => f.reads)())(x)
           requires ((() => f.requires)())(x)
         { f(x) }",
    );
}

#[test]
fn a_domain_may_change_with_the_heap() {
    check(
        "class C { var v: int }
         method M(c: C) modifies c {
           var f := (x: int) requires c.v == x reads c => x;
           var g := f.requires;
           c.v := 3;
           assert g(3);
           c.v := 4;
           assert g(3); //! assertion could not be proved
         }",
    );
}

#[test]
fn what_a_function_reads_was_there_before_an_allocation() {
    check(
        "method Arrays(f: int ~> int, g: int ~> nat)
           requires forall x :: 0 <= x < 100 ==> f.requires(x) && g.requires(x)
         {
           var a := new nat[100](g);
           var b := new int[100](f);
           var c := new nat[100](f); //! value does not satisfy the subset constraints of 'nat'
           assert f.requires(3) && g.requires(4);
           assert f.requires(100); //! assertion could not be proved
         }
         class Cell { var v: int  var next: Cell?
           function Get(): int reads this { v } }
         method Older(c: Cell) modifies c {
           c.next := new Cell;
           var f := c.next.Get;
           assert f.requires();
           assert f.reads() == {c.next};
           assert false; //! assertion could not be proved
         }
         method Labelled(c: Cell) modifies c {
           var d := new Cell;
           c.next := d;
           label L:
           c.next := null;
           var f := () reads old@L({c.next}) => if old@L(c.next) == null then 0 else (old@L(c.next) as Cell).v;
           assert old(f.requires()) ==> d !in old(f.reads());
           assert false; //! assertion could not be proved
         }",
    );
}
