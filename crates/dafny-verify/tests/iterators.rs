//! Iterators: what their bodies must show, and what their callers know.

mod common;

use common::{check, verify};

#[test]
fn values_and_histories() {
    check(
        "iterator Gen(start: int) yields (x: int)
           yield ensures |xs| <= 10 && x == start + |xs| - 1
         {
           var i := 0;
           while i < 10 invariant i <= 10 && i == |xs| {
             yield start + i;
             i := i + 1;
           }
         }
         method Main() {
           var i := new Gen(30);
           assert i.start == 30 && i.xs == [];
           while true
             invariant i.Valid() && fresh(i._new)
             decreases 10 - |i.xs|
           {
             var m := i.MoveNext();
             if !m { break; }
             assert i.x >= 30 || i.start != 30;
             assert |i.xs| < 10; //! assertion could not be proved
           }
         }",
    );
}

#[test]
fn generic_and_ghost_yields() {
    check(
        "iterator Rev<T(0)>(s: seq<T>) yields (x: T, ghost n: nat)
           yield ensures n == |xs| && |xs| <= |s| && x == s[|s| - |xs|]
           ensures |xs| == |s|
           decreases |s|, 1
         {
           assert _decreases0 == |s| && _decreases1 == 1;
           var i := |s|;
           while i > 0
             invariant 0 <= i <= |s| && |xs| == |s| - i
           {
             i := i - 1;
             yield s[i], |xs| + 1;
           }
         }
         iterator Short<T(0)>(s: seq<T>) yields (x: T)
           ensures |xs| == |s|
         { //! a postcondition could not be proved
           if |s| > 1 { yield s[0]; }
         }",
    );
}

#[test]
fn others_run_between_yields() {
    check(
        "class Node { var data: int  var next: Node? }
         iterator Open(c: Node) yields (x: int)
           modifies c
         {
           c.data := 1;
           yield 1;
           assert c.data == 1; //! assertion could not be proved
           var d := c.next;
           if d != null { d.data := 3; } //! modified field could not be proved to be in the current modifies clause
         }
         iterator Guarded(c: Node) yields (x: int)
           reads c
           yield requires c.data > 0
           yield ensures x > 0
         {
           assert c.data > 0;
           yield c.data;
           ghost var before := c.data;
           yield 1;
           assert c.data == before;
           yield 0; //! possible violation of yield-ensures condition
         }
         method Client() {
           var n := new Node;
           n.data := 5;
           var it := new Guarded(n);
           var b := it.MoveNext();
           if b {
             assert it.x > 0;
             n.data := 1;
             b := it.MoveNext(); //! a precondition for this call could not be proved
           }
         }",
    );
}

#[test]
fn objects_it_makes() {
    check(
        "class C { var f: int  constructor () { } }
         method Make() returns (c: C) ensures fresh(c) { c := new C(); }
         iterator Own(c: C)
           modifies c
         {
           assert _new == {};
           var d := new C();
           assert d in _new && fresh(d);
           var e := Make();
           assert e in _new && c !in _new;
           c.f := 1;
           yield;
           d.f := 4;
           assert d.f == 4;
           _new := _new - {d};
           yield;
           d.f := 5; //! modified field could not be proved to be in the current modifies clause
         }
         iterator Grow(c: C) {
           _new := _new + {c}; //! an assignment to _new is only allowed to shrink the set
         }
         iterator Loop() {
           var d := new C();
           while * {
             d.f := d.f + 1;
             assert forall z :: z in _new ==> fresh(z);
             yield;
           }
         }
         method Client(c: C) {
           var it := new Own(c);
           var b := it.MoveNext(); //! modified object in call could not be proved to be in the current modifies clause
         }",
    );
}

#[test]
fn old_means_the_last_yield() {
    check(
        "iterator Same(x: int) yields (y: int) ensures y == old(y) {
           y := 1;
           yield;
         }
         iterator Changed(x: int) yields (y: int)
           ensures y == old(y)
         { //! a postcondition could not be proved
           y := 1;
           yield;
           y := 2;
         }
         method Client() {
           var it := new Changed(3);
           var b := it.MoveNext();
           if !b { assert it.y == 1; } //! assertion could not be proved
         }",
    );
}

#[test]
fn they_end_between_yields() {
    check(
        "iterator Forever() yields (n: nat) ensures false {
           while true { yield n; n := n + 1; }
         }
         iterator Silent() yields (n: nat) {
           while true { n := n + 1; } //! cannot prove termination; try supplying a decreases clause for the loop
         }
         iterator Rec(n: nat) {
           if n > 0 {
             var r := new Rec(n - 1);
             var more := r.MoveNext();
             var s := new Rec(n);
             more := s.MoveNext(); //! cannot prove termination; try supplying a decreases clause
           }
         }
         method M(b: bool) {
           var it := new Forever();
           var more := it.MoveNext();
           assert more && it.Valid();
         }",
    );
}

#[test]
fn specifications_are_well_formed() {
    check(
        "class Cell { var data: int }
         iterator B(c: Cell?) requires c != null reads c yield ensures c.data == old(c.data) { yield; }
         iterator D(c: Cell?) yield ensures c.data == 1 { } //! target object could not be proved to be non-null
         iterator Pre(x: int, y: int := 1) requires x > 0 && y != 0 { assert x > 0; }
         method Main() {
           var p := new Pre(1);
           var q := new Pre(1, 0); //! a precondition for this call could not be proved
         }",
    );
}

/// As Dafny: once for the iterator, once for its constructor.
#[test]
fn clauses_of_an_iterator_are_reported_twice() {
    let text = "iterator A(x: int) decreases 10 / x { }";
    if let Some(lines) = verify(text) {
        let error = "(1,32): Error: possible division by zero";
        assert_eq!(lines, [error, error]);
    }
}

#[test]
fn exported_iterators() {
    check(
        "module M {
           export reveals It
           iterator It(n: nat) yields (y: nat) yield ensures y < n { if n > 0 { yield n - 1; } }
         }
         module N {
           import M
           method Use() {
             var it := new M.It(4);
             var b := it.MoveNext();
             if b { assert it.y < 4 && it.ys == [it.y]; assert it.y < 3; } //! assertion could not be proved
           }
         }",
    );
}

#[test]
fn rules() {
    check(
        "class Node { var data: int }
         iterator Rev<T(0)>(s: seq<T>) yields (x: T) { s := []; } //! LHS of assignment must denote a mutable field
         method G(it: Rev<int>) modifies it {
           it.xs := []; //! LHS of assignment must denote a mutable field
           it._new := {}; //! LHS of assignment must denote a mutable field
           it.x := 3;
         }
         method H() {
           var r := new Rev<int>; //! one of its constructor methods must be called
           yield; //! yield statement is allowed only in iterators
         }
         iterator F(c: Node) reads c`data { } //! a reads clause for an iterator is not allowed to designate specific fields
         iterator Q() yields (a: int, b: int) {
           yield 1; //! number of yield parameters does not match declaration (found 1, expected 2)
         }",
    );
    check(
        "iterator K(x: int) yields (x: int) //! Name of yield-parameter is used by another member of the iterator: x",
    );
    check(
        "class C { } iterator Own() yields (c: C) { } //! type of yield-parameter must support auto-initialization (got 'C')",
    );
    check(
        "class C { }
         iterator I(c: C) requires forall d: C :: d == c { } //! involved in a iterator definition",
    );
}

#[test]
fn loops_with_frames_of_their_own() {
    check(
        "class C { var f: int }
         iterator I(c: C) modifies c {
           while * modifies c { c.f := 1; yield; } //! not supported: `yield` in a statement with a `modifies` clause of its own
         }",
    );
}

#[test]
fn receivers_that_are_objects_are_not_measured() {
    check(
        "class C {
           var next: C?
           method M(n: nat) { if n > 0 && next != null { next.M(n - 1); } }
           method Bad(n: nat) { if next != null { next.Bad(n); } } //! cannot prove termination
         }
         datatype T = Leaf | Node(l: T, r: T) {
           function Size(): nat { match this case Leaf => 0 case Node(l, r) => l.Size() + r.Size() }
         }",
    );
}
