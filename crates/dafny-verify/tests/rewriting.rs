//! Skeletons of refining methods and `{:autocontracts}`: what is written for the user is checked like what users write.

mod common;
use common::check;

#[test]
fn contracts_are_written_and_checked() {
    check(
        "class {:autocontracts} Counter {
           var n: int
           ghost predicate Valid() { n >= 0 }
           constructor () { n := 0; }
           method Inc() ensures n == old(n) + 1 { n := n + 1; }
           method Get() returns (r: int) ensures r == n { r := n; }
           function Twice(): int { 2 * n }
         }
         method Main() {
           var c := new Counter();
           c.Inc();
           var x := c.Get();
           assert x == c.n && x >= 0;
           assert c.Twice() >= 0;
         }",
    );
}

#[test]
fn a_broken_invariant_is_found() {
    check(
        "class {:autocontracts} Counter {
           var n: int
           ghost predicate Valid() { n > 0 }
           constructor () { n := 0; } //! a postcondition could not be proved
           method Dec() { n := n - 1; } //! a postcondition could not be proved
           method Free() { n := 1; assert false; } //! assertion could not be proved
         }",
    );
}

#[test]
fn contracts_are_required_of_callers_and_frames_are_kept() {
    check(
        "class {:autocontracts} Counter {
           var n: int
           ghost predicate Valid() { n > 0 }
           constructor () { n := 1; }
           method Inc() { n := n + 1; }
         }
         method Break(c: Counter) modifies c, c.Repr {
           c.n := 0;
           c.Inc(); //! a precondition for this call could not be proved
         }
         method Frame(c: Counter) requires c.Valid() {
           c.Inc(); //! modified object in call could not be proved to be in the current modifies clause
         }",
    );
}

#[test]
fn parts_belong_to_their_object() {
    check(
        "class {:autocontracts} Cell {
           var n: int
           constructor () { n := 0; }
           method Set(k: int) ensures n == k { n := k; }
         }
         class {:autocontracts} Pair {
           var a: array<int>
           var c: Cell
           ghost predicate Valid() { a.Length == 3 }
           constructor () { a := new int[3]; c := new Cell(); }
           method Write() ensures c.n == 7 { a[0] := 5; c.Set(7); }
           method Share(other: Cell) requires other.Valid() && this !in other.Repr { //! a postcondition could not be proved
             c := other;
           }
         }",
    );
}

#[test]
fn members_may_be_left_alone() {
    check(
        "class {:autocontracts} C {
           var n: int
           ghost predicate Valid() { n > 0 }
           constructor {:autocontracts false} () { n := 0; }
           method {:autocontracts false} M() modifies this { n := -1; }
         }
         method Main() { var c := new C(); assert c.n > 0; } //! assertion could not be proved",
    );
}

#[test]
fn a_refining_class_has_the_contracts_of_the_one_it_refines() {
    check(
        "abstract module A {
           class {:autocontracts} C {
             var n: int
             ghost predicate Valid() { n > 0 }
             constructor ()
             method Inc() ensures n > old(n)
           }
         }
         module B refines A {
           class C ... {
             constructor... { n := 1; Repr := {this}; }
             method Inc... { n := n + 1; }
             method Get() returns (r: int) ensures r > 0 { r := n; }
             method Spoil() { n := 0; } //! a postcondition could not be proved
           }
           method Use(c: C) {
             var r := c.Get(); //! a precondition for this call could not be proved
           }
         }",
    );
}

#[test]
fn a_refining_class_adds_no_parts() {
    check(
        "abstract module A { class {:autocontracts} C { constructor () } }
         module D refines A {
           class C ... {
             var a: array<int> //! not supported: {:autocontracts} on a class whose refinement adds arrays or objects
           }
         }",
    );
}

#[test]
fn a_query_may_change_new_objects_only() {
    check(
        "class {:autocontracts} C {
           var n: int
           constructor () { n := 0; }
           method Inc() { n := n + 1; }
           method Fresh() returns (r: C) { r := new C(); r.Inc(); }
           method Old() returns (r: int) { Inc(); r := 1; } //! modified object in call
         }",
    );
}

#[test]
fn what_syntax_does_not_decide_is_refused() {
    check(
        "trait T extends object { }
         class {:autocontracts} C extends T { //! not supported: {:autocontracts} on a class that extends traits
         }",
    );
}

#[test]
fn datatypes_that_grow_without_end_are_refused() {
    check(
        "datatype T<A> = Node(T<(A, A)>) | Leaf(A) //! not supported: a datatype that contains itself at ever larger types
         function F(t: T<int>): int { 0 }",
    );
    check(
        "datatype Even<A> = Even(Odd<seq<A>>) | None //! not supported: a datatype that contains itself at ever larger types
         datatype Odd<A> = Odd(Even<A>) //! not supported: a datatype that contains itself at ever larger types
         method M(e: Even<int>) { }",
    );
    check(
        "datatype Rose<A> = Rose(A, seq<Rose<A>>)
         datatype Pair<A, B> = Pair(A, B) | Swap(Pair<B, A>)
         method M(r: Rose<Pair<int, Rose<bool>>>) { assert r.Rose?; }",
    );
}

#[test]
fn skeletons_take_over_statements() {
    check(
        "abstract module A {
           method M(x: int) returns (r: int) ensures r > x {
             var y :| y > x;
             r := y;
             assume r < 100 || r >= 100;
             if * { r := r + 1; }
           }
           method Loop(n: nat) returns (s: nat) {
             s := 0;
             var i := 0;
             while i < n invariant i <= n { i := i + 1; }
           }
         }
         module B refines A {
           method M... {
             var y := x + 1;
             ...;
             assert ...;
             if y > 3 { assert r > 3; }
           }
           method Loop... ensures s == n {
             ...;
             while ... invariant s == i { s := s + 1; ...; }
           }
         }",
    );
}

#[test]
fn a_skeleton_must_keep_promises() {
    check(
        "abstract module A {
           method M(x: int) returns (r: int) ensures r > x {
             var y :| y > x;
             r := y;
           }
           method N(x: int) { assume x > 0; }
         }
         module B refines A {
           method M... {
             var y := x; //! assertion could not be proved
           }
           method N... { assert ...; } //! assertion could not be proved
         }
         module C refines A {
           method M... { ...; r := x; } //! a postcondition could not be proved
           method N... { ...; assert false; } //! assertion could not be proved
         }",
    );
}

#[test]
fn a_template_needs_a_statement() {
    check(
        "abstract module A { method N(x: int) { var y := x; } }
         module B refines A {
           method N... { assert ...; } //! assert template does not match inherited statement
         }
         method Main() {
           ...; //! skeleton statements are allowed only in refining methods
         }",
    );
}

#[test]
fn constructors_are_merged_in_their_parts() {
    check(
        "abstract module A {
           class C { var a: int constructor () ensures a == 1 { a := 1; new; assert a == 1; } }
         }
         module B refines A {
           class C ... {
             var b: int
             constructor... ensures b == 2 { b := 2; new; ...; assert b == 3; } //! assertion could not be proved
           }
         }",
    );
}

#[test]
fn a_name_in_a_pattern_is_a_variable_when_the_constructor_has_arguments() {
    check(
        "datatype C = C1 | C2(x: int)
         datatype R = Good(c: C) | Bad
         function F(r: R): int { match r case Good(C2) => if C2.C1? then 1 else 2 case Bad => 3 }
         lemma L() { assert F(Good(C2(4))) == 2; assert F(Good(C1)) == 2; } //! assertion could not be proved",
    );
}

#[test]
fn revealing_a_label_of_another_branch_adds_nothing() {
    check(
        "lemma L(b: bool, x: int) {
           if b { assume x > 3; assert 3: x > 2 by { } }
           else { assert x > 2 by { reveal 3; } } //! assertion could not be proved
         }",
    );
}

/// The text of the library, as a program of its own.
const LIBRARY: &str = include_str!("../../dafny/src/library/std.dfy");

#[test]
fn the_library_verifies() {
    check(LIBRARY);
}

#[test]
fn wrappers_are_those_of_the_library() {
    check(
        "import opened Std.Wrappers
         function Half(n: int): Option<int> { if n % 2 == 0 then Some(n / 2) else None }
         method Quarter(n: int) returns (r: Option<int>) ensures r.Some? ==> 4 * r.value == n {
           var h :- Half(n);
           var q :- Half(h);
           return Some(q);
         }
         function Checked(n: int): Result<nat, string> {
           :- Need(n >= 0, \"negative\");
           Success(n)
         }
         lemma L(n: int) {
           assert Checked(-1).Failure? && Checked(3) == Success(3);
           assert Half(7).Extract() == 3; //! precondition
         }
         lemma M(o: Option<int>) { assert false; } //! assertion could not be proved",
    );
}

#[test]
fn other_modules_of_the_library_are_refused() {
    check("import Std.JSON.API //! not supported: this module of Dafny's standard library");
}

#[test]
fn collections_of_the_library() {
    check(
        "import Std.Collections.Seq
         import opened Std.Collections.Set
         import Std.Collections.Map
         import opened Std.Wrappers
         method M(s: seq<int>, t: set<int>) requires |s| > 0 && forall x :: x in t ==> 0 <= x < 10 {
           assert Seq.Last(s) == s[|s| - 1];
           assert Seq.Reverse(s)[0] == Seq.Last(s);
           var m := Seq.Max(s);
           assert s[0] in s && m >= s[0] && m in s;
           Seq.LemmaCardinalityOfSet(s);
           assert |Seq.ToSet(s)| <= |s|;
           LemmaBoundedSetSize(t, 0, 10);
           assert |t| <= 10;
           assert Map.Get(map[1 := 2], 1) == Some(2);
           assert Seq.Map(x => x + 1, s)[0] == s[0] + 1;
           assert m > s[0]; //! assertion could not be proved
         }
         method N(s: seq<int>) { var f := Seq.First(s); } //! function precondition could not be proved",
    );
}

#[test]
fn numbers_and_relations_of_the_library() {
    check(
        "import opened Std.BoundedInts
         import opened Std.Arithmetic.Power
         import Std.Relations
         import Std.Math
         method M(x: uint32, y: uint32) requires x < 10 && y < 10 {
           var z: uint32 := x + y;
           assert z as int == x as int + y as int && UINT8_MAX as int == TWO_TO_THE_8 - 1;
           LemmaPowAdds(2, 3, 4);
           assert Pow(2, 7) == Pow(2, 3) * Pow(2, 4);
           assert Math.Max(3, 4) == 4 && Math.Abs(-3) == 3;
           assert Relations.TotalOrdering((a: int, b: int) => a <= b);
           assert Relations.Irreflexive((a: int, b: int) => a <= b); //! assertion could not be proved
         }
         method Over(x: uint8) { var y := x + 1; } //! result of operation could not be proved to satisfy newtype constraint",
    );
}
