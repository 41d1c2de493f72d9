//! Nothing wrong is proved: one test for each way in which something wrong could be.

mod common;
use common::check;

#[test]
fn a_constant_assigned_twice_in_a_constructor_has_its_last_value() {
    check(
        "class C {
           const c: int
           constructor() ensures c == 2 {
             c := 1;
             c := 2;
             assert false; //! assertion could not be proved
           }
         }",
    );
}

#[test]
fn a_constant_may_hold_an_object_made_after_the_one_it_belongs_to() {
    check(
        "class D { }
         class C {
           const d: D
           constructor() {
             d := new D;
             new;
             assert false; //! assertion could not be proved
           }
         }
         method M() {
           var c := new C();
           var d := c.d;
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn this_does_not_escape_from_the_first_part_of_a_constructor() {
    check(
        "class C {
           var other: C?
           constructor(c: C) modifies c {
             c.other := this; //! 'this' can only be used to assign to its fields
             other := this;
             new;
             assert other == this;
           }
           constructor Two() {
             other := this;
             var i := 0;
             while i < 3 { i := i + 1; other := this; }
             new;
             assert false; //! assertion could not be proved
           }
         }",
    );
}

#[test]
fn fields_of_an_object_under_construction_have_the_values_given() {
    check(
        "class C {
           var n: nat
           const k: int
           ghost var Repr: set<object>
           constructor(x: nat)
             ensures n == x + 1 && k == 5 && fresh(Repr) && this in Repr
           {
             n := x;
             k := 5;
             n := n + 1;
             Repr := {this};
           }
           constructor Early(b: bool) ensures n == 1 {
             n := 1;
             k := 0;
             if b { return; }
             n := 2; new; n := 1;
           }
         }
         class E {
           var c: C
           constructor() { } //! field 'c'
         }",
    );
}

#[test]
fn targets_of_an_assignment_are_chosen_before_it() {
    check(
        "method M(a: array<int>) requires a.Length == 3 modifies a {
           var x := 0;
           a[0], a[1] := 0, 0;
           x, a[x] := 1, 7;
           assert a[0] == 7 && a[1] == 0;
           assert false; //! assertion could not be proved
         }
         class C { var next: C? var v: int }
         method Next(c: C) returns (d: C?, v: int) modifies c { d := c; v := 3; c.next := null; }
         method N(c0: C) modifies c0 {
           var c := c0;
           var d := new C;
           c, c.v := d, 5;
           assert c0.v == 5;
           c0.v := 0;
           var e: C?;
           c := c0;
           c, c.v := d, 9;
           assert c0.v == 0; //! assertion could not be proved
         }",
    );
}

#[test]
fn a_labelled_assertion_is_revealed_as_it_was() {
    check(
        "method M() {
           var x := 0;
           assert L: x == 0;
           x := 1;
           reveal L;
           assert x == 1;
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn the_index_of_a_for_loop_stays_in_its_type() {
    check(
        "method M(n: int) {
           for i: nat := -1 to 3 //! entire range must be assignable
           { }
         }
         newtype Small = x: int | 0 <= x < 10
         method N() {
           for i: Small := 0 to 9 { assert i <= 8; }
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn arguments_of_functions_are_allocated_in_the_state_of_the_call() {
    check(
        "class C { }
         ghost predicate F(c: C) { false }
         ghost predicate Q(s: set<C>) { forall c: C | c in s :: F(c) }
         method M() {
           var c := new C;
           assert !Q({c});
           assert old(Q({c})); //! argument could not be proved to be allocated
         }",
    );
}

#[test]
fn branches_and_elements_fit_the_type_of_the_whole() {
    check(
        "method M(b: bool, i: int, j: int) {
           var x: nat := if b then i else 0; //! subset constraints of 'nat'
           var t: (nat, nat) := (i, 0); //! subset constraints of
           var m: map<int, nat> := map[0 := j]; //! subset constraints of
         }
         method S(j: int) {
           var s: set<nat> := set k | 0 <= k < 3 :: k + j; //! is not known to be an instance of type 'set<nat>'
         }
         method N(j: int) returns (q: seq<nat>) {
           q := seq(3, i => j); //! subset constraints of
         }
         method P(p: (int, int)) {
           var (a: nat, b) := p; //! subset constraints of 'nat'
         }
         method Q(j: int) {
           var a := new nat[3](i => j); //! subset constraints of
         }",
    );
}

#[test]
fn a_bit_vector_is_not_cut_silently() {
    check(
        "method M(x: bv8) {
           var y := x as bv4; //! could not be proved to fit
         }",
    );
}

#[test]
fn a_reads_clause_is_inside_itself() {
    check(
        "class C { var next: C? var v: int }
         ghost function F(c: C): int
           reads c.next //! insufficient reads clause to read field
         { 0 }
         ghost function G(c: C): int reads c, c.next { if c.next == null then 0 else c.next.v }",
    );
}

#[test]
fn a_type_is_not_defined_by_itself() {
    check(
        "type S = x: int | P(x) witness * //! not supported: a type whose constraint depends on the type itself
         ghost predicate P(x: int) { !(exists y: S :: y == x) }",
    );
}

#[test]
fn a_datatype_has_no_infinite_set_of_itself() {
    check(
        "datatype D = D(s: iset<D>) //! cardinality exceeds itself
         datatype E = Leaf | E(s: set<E>, m: imap<int, E>)",
    );
}

#[test]
fn a_function_does_not_depend_on_what_is_allocated() {
    check(
        "class C { var x: int }
         ghost function F(): bool { exists c: C :: true } //! allocated references
         ghost predicate P(s: set<C>) reads s { forall c: C :: c in s ==> c.x == 0 }
         ghost predicate Q(s: set<C>) reads s { forall c <- s :: c.x == 0 }",
    );
}

#[test]
fn an_updated_value_satisfies_its_subset_type_again_or_is_rejected() {
    check(
        "datatype D = D(t: int)
         type Small = d: D | d.t < 10 witness D(0)
         method M(d: Small) returns (r: Small) {
           r := d.(t := 20); //! value does not satisfy the subset constraints of 'Small'
         }
         method Fine(d: Small) returns (r: Small) {
           r := d.(t := 5);
         }",
    );
}

#[test]
fn what_is_said_to_be_unchanged_is_read() {
    check(
        "class C {
           var x: int
           twostate predicate Hidden() { unchanged(this) } //! insufficient reads clause to read state of 'unchanged' object
           twostate predicate Open() reads this { unchanged(this) }
         }",
    );
}

#[test]
fn arrays_keep_the_type_of_their_elements() {
    check(
        "method M(init: int -> int) {
           var c: array<nat> := new int[3](init); //! is not known to be an instance of type 'array<nat>'
         }
         method Fine(n: nat) returns (a: array<nat>) {
           a := new nat[n](i => i);
         }",
    );
}

#[test]
fn the_frame_of_a_loop_is_what_its_variables_hold_at_the_start() {
    check(
        "class C { var i: int }
         method Grows(a: C, b: C) requires a != b modifies a, b {
           var s := {a};
           var n := 0;
           while n < 3
             invariant s == {a} || s == {}
             modifies s
           {
             s := {b};
             b.i := b.i + 1; //! modified field could not be proved to be in the current modifies clause
             s := {};
             n := n + 1;
           }
           assert b.i == old(b.i);
         }
         method Shrinks(a: C, b: C) requires a != b modifies a, b {
           var s := {a, b};
           while s != {}
             modifies s
             decreases s
           {
             var c :| c in s;
             a.i := 1;
             b.i := 2;
             s := s - {c};
           }
         }",
    );
}

#[test]
fn an_argument_of_a_precondition_fits_the_function() {
    check(
        "method M(f: nat ~> int, x: int)
           requires f.requires(x) //! value does not satisfy the subset constraints of 'nat'
         { }",
    );
}

#[test]
fn a_function_that_makes_a_sequence_reads_what_it_says() {
    check(
        "class C {
           var x: int
           method M() {
             var s := seq(3, i => x); //! insufficient reads clause to read field
           }
           function F(): seq<int> {
             seq(3, i reads this => x) //! insufficient reads clause to invoke the function passed as an argument
           }
           function G(n: nat): seq<int> requires n < 3 {
             seq(n, i reads if i < 3 then {} else {this} => if i < 3 then 1 else x)
           }
         }",
    );
}

#[test]
fn a_witness_without_a_constraint_is_a_value_of_the_base_type() {
    check(
        "newtype Six = x | 6 <= x witness 6
         newtype Good = Six witness 80
         newtype Bad = Six
           witness 4 //! result of operation could not be proved to satisfy newtype constraint for 'Six'
         ",
    );
}

#[test]
fn a_datatype_has_values_if_some_constructor_can_be_applied() {
    check(
        "datatype Chain = Link(next: Chain)
         datatype Pair<T> = Pair(T, Chain)
         datatype Maybe<T> = Some(v: T) | None
         datatype Box = Box(m: Maybe<Box>)
         datatype Both<A, B> = Left(A) | Right(B)
         datatype Tree = Tree(Both<Tree, int>)
         lemma Never(c: Chain) ensures false { }
         lemma NeverPair(p: Pair<int>) ensures false { }
         method Some() {
           assert exists c: Chain :: true; //! assertion could not be proved
         }
         lemma NotAllChains() ensures exists s: seq<Chain> :: |s| == 1 { } //! a postcondition could not be proved
         lemma HasBox(b: Box) ensures false { } //! a postcondition could not be proved
         lemma HasTree(t: Tree) ensures false { } //! a postcondition could not be proved
         method M() {
           var b, t := Box(None), Tree(Right(3));
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn elements_have_the_type_that_the_program_gives() {
    check(
        "function F(n: nat): seq<int> {
           seq<nat>(n, _ => -7) //! value does not satisfy the subset constraints of 'nat'
         }
         function G(n: nat): seq<int> {
           seq<nat>(n, i => i)
         }
         method M() {
           var s := seq<nat>(1, _ => -7); //! value does not satisfy the subset constraints of 'nat'
           var t := seq(1, _ => -7);
           assert t[0] == -7;
         }",
    );
}

/// A lemma about any `Y` is used with an object that did not exist before.
#[test]
fn nothing_is_claimed_about_the_allocation_of_what_a_type_hides() {
    check(
        "twostate lemma Of<Y>(new y: Y)
           ensures old(allocated(y)) 
         { } //! a postcondition could not be proved",
    );
    check(
        "datatype Box<Y> = Box(y: Y)
         twostate lemma Of<Y>(new y: Box<Y>)
           ensures old(allocated(y)) 
         { } //! a postcondition could not be proved
         lemma Kept<Z>(b: Box<Z>) requires allocated(b) ensures allocated(b) { }",
    );
    check(
        "class C { }
         type T(!new)
         type U(!new)<A>
         twostate lemma Values<X(!new)>(new c: C, new x: X, new t: T, new i: seq<int>, new u: U<C>) {
           assert old(allocated(u));
           assert allocated(c) && old(allocated(x)) && old(allocated(t)) && old(allocated(i));
           assert old(allocated(c)); //! assertion could not be proved
         }",
    );
}

#[test]
fn types_that_replace_abstract_types_keep_their_promises() {
    // The proofs of the refined module are not repeated.
    check(
        "abstract module A {
  type W(00)
  lemma Some() returns (w: W) { }
}
module B refines A {
  type W = x: int | false witness * //! must be nonempty
}
module C {
  import B //! not resolving module 'C'
  lemma Wrong() ensures false { var w := B.Some(); }
}
",
    );
    check(
        "abstract module A {
  type T(!new)
  type U(==)
  type V(0)
}
module Good refines A {
  type T = int
  class U { }
  datatype V = V(x: nat)
}
module Bad refines A {
  class T { } //! declared with (!new), class 'Bad.T' must contain no references
  type U = int -> int //! declared with (==), type synonym 'Bad.U' must support equality
  type V = object //! declared with (0), type synonym 'Bad.V' must support auto-initialization
}
",
    );
}

/// A type parameter may stand for a type without values.
#[test]
fn type_parameters_may_be_empty() {
    check(
        "type Never = x: int | false witness *
class C { }
lemma Some<T>(s: set<T>)
  requires forall x: T :: x in s
  ensures s != {}
{ } //! a postcondition could not be proved
lemma Same<T>(s: set<T>, x: T)
  requires forall y: T :: y in s
  ensures s != {}
{ assert x in s; }
lemma Known<T(00)>(s: set<T>)
  requires forall x: T :: x in s
  ensures s != {}
{ }
lemma Use() ensures false {
  Some<Never>({});
}
method M(c: C, s: set<C>)
  requires forall x: C :: x in s
{
  Same(s, c);
  assert s != {};
}",
    );
}

/// What a static member is selected from must have a value.
#[test]
fn receivers_of_static_members_are_checked() {
    check(
        "class C {
  static const X: int := 3
  static function F(): int { 5 }
  static method M() { }
}
method Test(c: C) {
  var x := c.X;
  if
  case true => var y := (if 5 / 0 == 1 then c else c).X; //! possible division by zero
  case true => var y := (if 5 / 0 == 1 then c else c).F(); //! possible division by zero
  case true => var y := (if 5 / 0 == 1 then c else c).F; //! possible division by zero
  case true => (if 5 / 0 == 1 then c else c).M(); //! possible division by zero
}",
    );
}

#[test]
fn a_constant_provided_without_its_value_is_not_known() {
    check(
        "module M {
           export provides K, C reveals L, D
           const K: int := 5
           const L: int := 6
           class C { const f: int := 7 }
           datatype D = D
         }
         module N {
           import opened M
           lemma Hidden() { assert K == 5; } //! assertion could not be proved
           lemma Shown() { assert L == 6; }
         }
         module O {
           const K: int := 5
           lemma Own() { assert K == 5; }
         }",
    );
}
