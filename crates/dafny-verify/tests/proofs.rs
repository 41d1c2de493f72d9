//! What is proved, and where errors are reported: one test for each ability.

mod common;
use common::{check, verify};

#[test]
fn the_measure_of_a_loop_only_falls() {
    check(
        "method M(a: array<int>) {
           var i := a.Length;
           while 0 < i { assert i <= a.Length; i := i - 1; }
         }",
    );
}

#[test]
fn members_of_classes_keep_the_promises_of_traits() {
    check(
        "trait T extends object {
           function F(x: int): int requires x > 0 ensures F(x) >= x
           method M(x: int) returns (r: int) requires x > 0 ensures r > 0
         }
         class C extends T {
           constructor() { }
           function F(x: int): int requires x > 0 { x + 1 }
           method M(x: int) returns (r: int) requires x > 0 ensures r == x { r := x; }
         }
         class D extends T {
           constructor() { }
           function F(x: int): int requires x > 0 { x - 1 } //! more detailed postcondition
           method M(x: int) returns (r: int) requires x > 1 ensures r > 0 { r := 1; } //! more permissive precondition
         }
         method Use() {
           var c := new C();
           var t: T := c;
           assert t.F(3) == 4;
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn by_method_computes_the_function() {
    check(
        "function Sum(n: nat): nat {
           if n == 0 then 0 else n + Sum(n - 1)
         } by method {
           var s := 0;
           var i := 0;
           while i < n invariant i <= n && s == Sum(i) { i := i + 1; s := s + i; }
           return s;
         }
         function Two(): int { 2 }
         by method { return 3; } //! a postcondition could not be proved",
    );
}

#[test]
fn functions_of_literals_are_computed() {
    check(
        "function Fib(n: nat): nat { if n < 2 then n else Fib(n - 1) + Fib(n - 2) }
         method M() { assert Fib(7) == 13; }
         method P(n: nat) returns (r: nat) ensures r == Fib(n)
         method Q() { var r := P(6); assert r == 8; }",
    );
}

#[test]
fn values_with_equal_collections_inside_are_equal() {
    check(
        "datatype D = D(s: seq<int>, m: map<int, bool>)
         lemma L(a: D) requires |a.s| == 2 {
           assert a.(s := [a.s[0], a.s[1]]) == a;
         }",
    );
}

#[test]
fn errors_of_assertions_are_at_the_statement_or_its_part() {
    let Some(lines) =
        verify("method M(x: int) {\n  assert x == 1;\n  assert x == 1 && x == 2;\n}\n")
    else {
        return;
    };
    assert!(lines.iter().any(|l| l.starts_with("(2,2): ")), "{lines:#?}");
    assert!(
        lines.iter().any(|l| l.starts_with("(3,21): ")),
        "{lines:#?}"
    );
}

#[test]
fn bit_vectors_rotate() {
    check(
        "method M(w: bv8) {
           assert (0x81 as bv8).RotateLeft(1) == 3;
           assert w.RotateLeft(8) == w;
           assert w.RotateLeft(3).RotateRight(3) == w;
         }",
    );
}

#[test]
fn what_an_object_owns_stays_fresh_through_calls() {
    check(
        "class Queue {
           ghost var Repr: set<object>
           var n: int
           ghost predicate Valid() reads this, Repr { this in Repr }
           constructor () ensures Valid() && fresh(Repr) { n := 0; new; Repr := {this}; }
           method Enqueue(x: int) requires Valid() modifies Repr ensures Valid() && fresh(Repr - old(Repr)) { n := x; }
           method Share(o: object) requires Valid() modifies Repr ensures Valid() && fresh(Repr - old(Repr) - {o})
           { Repr := Repr + {o}; }
         }
         method Use(o: object) {
           var q := new Queue();
           q.Enqueue(3); q.Enqueue(4);
           q.Share(o);
           q.Enqueue(5); //! modified object in call
         }",
    );
}

#[test]
fn functions_whose_type_reads_nothing_read_nothing() {
    check(
        "lemma L<S>(f: int -> S, g: int --> S) {
           assert f.reads(3) == {} && g.reads(3) == {};
           assert g.requires(3); //! assertion could not be proved
         }",
    );
}

#[test]
fn a_match_without_cases_is_not_reached() {
    check(
        "function F(x: int): int requires x != x { match () { } }
         function G(x: int): int requires x > 0 {
           match () { } //! missing case in match expression
         }",
    );
}

#[test]
fn values_of_unknown_types_have_unknown_ranks() {
    check(
        "datatype List<X> = Nil | Cons(head: X, tail: List<X>)
         lemma L<X, Y>(xs: List<X>, y: Y) {
           assert y < xs <==> xs > y;
           assert y < xs; //! assertion could not be proved
         }",
    );
}

#[test]
fn states_after_writes_and_calls_follow_the_entry() {
    check(
        "class Acc {
           var n: int
           twostate predicate Grew() reads this { old(n) <= n }
           method Inc() modifies this ensures Grew() && n == old(n) + 1 { n := n + 1; }
           method Twice() modifies this ensures Grew() { Inc(); Inc(); }
           method Back() modifies this ensures Grew() { n := n - 1; } //! a postcondition could not be proved
         }",
    );
}

#[test]
fn a_wildcard_with_a_type_takes_values_of_that_type_only() {
    check(
        "datatype D = A(x: int) | B
         method M(d: D) returns (r: nat) {
           match d
           case A(_: nat) => r := 1; //! subset constraints
           case B => r := 0;
         }
         method V(p: (int, int)) {
           var (_: nat, y) := p; //! subset constraints
         }",
    );
}

#[test]
fn quantifiers_are_proved_by_induction_on_arguments_of_recursive_functions() {
    check(
        "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }
         lemma Good() { assert forall n: nat :: 2 * Sum(n) == n * (n + 1); }
         lemma Off() {
           assert forall n: nat {:induction false} :: Sum(n) >= n || n > 100;
         }
         lemma Bad() {
           assert forall n: nat :: 2 * Sum(n) == n * n; //! assertion could not be proved
         }
         lemma Circular(x: int) {
           assert forall n: int {:induction} :: n < 5; //! assertion could not be proved
         }",
    );
}

#[test]
fn what_a_function_that_may_read_everything_depends_on_existed() {
    check(
        "class C {
           var next: C?
           var n: int
           ghost predicate Ok() reads * { next != null ==> next.n >= 0 }
         }
         method Fresh(c: C) requires c.Ok() {
           var d := new C;
           assert c.Ok();
         }
         method Written(c: C, d: C) requires c.Ok() modifies d {
           d.n := -1;
           assert c.Ok(); //! assertion could not be proved
         }
         method Fresh2(c: C) returns (d: C) requires c.Ok() ensures d.Ok() { //! a postcondition could not be proved
           d := new C;
           d.n := -1;
           d.next := c;
         }",
    );
}

#[test]
fn witnesses_come_out_of_definitions() {
    check(
        "ghost predicate R1(x: int, y: int) { x > 0 ==> R2(x - 1) }
         ghost predicate R2(x: int) { exists y :: R1(x, y) }
         lemma L(x: int) {
           assume R2(x);
           assert exists y :: R1(x, y);
         }
         method Such(xs: seq<int>, b: bool) returns (i: int) requires |xs| > 0 {
           i :| 0 < i <= |xs|;
           var j: int :| b ==> j == 7;
           i :| 0 < i < |xs|; //! cannot establish the existence
         }",
    );
}

/// Arithmetic on inferred variables that are natural numbers keeps their type, as in Dafny; differences do not.
#[test]
fn sums_and_remainders_of_naturals_are_natural() {
    check(
        "function Gcd(a: nat, b: nat): nat decreases b { if b == 0 then a else Gcd(b, a % b) }
         method M(a: nat, b: nat) returns (g: nat) ensures g == Gcd(a, b) {
           var x, y := a, b;
           while y != 0 invariant Gcd(x, y) == Gcd(a, b) decreases y { x, y := y, x % y; }
           g := x;
         }
         method Doubled(a: nat, n: nat) {
           var x, i := a, 0;
           while i < n { x := x * 2 + 1; i := i + 1; }
           var g: nat := x;
           x := *;
           assert x >= 0;
           assert x > 0; //! assertion could not be proved
         }
         method Less(a: nat) {
           var x := a;
           x := x - 1;
           var g: nat := x; //! value does not satisfy the subset constraints of 'nat'
         }
         method Other(a: nat, k: int) {
           var x := a;
           x := x + k;
           assert x >= 0; //! assertion could not be proved
         }
         method Declared(a: nat) {
           var x := a + a;
           x := *;
           assert x >= 0; //! assertion could not be proved
         }
         method Negative(a: nat) {
           var x := a;
           x := -1;
           assert x >= 0; //! assertion could not be proved
         }",
    );
}

#[test]
fn a_bound_variable_has_the_type_of_the_parameter_it_is_given_for() {
    check(
        "class C { }
         datatype D = D(c: C, n: int)
         ghost predicate P(c: C)
         ghost method M(d: D) { if x, y :| d == D(x, y) { assert P(x) || !P(x); } }
         lemma L(f: C ~> bool) requires forall t :: f.requires(t) ==> f(t) { }",
    );
}

#[test]
fn a_forall_statement_is_known_of_the_elements_it_assigns() {
    check(
        "function Id(x: int): int { x }
         method Shift(a: array<int>, b: array<int>, n: nat)
           requires a != b && n <= a.Length && b.Length == a.Length - n
           modifies b
           ensures forall k :: 0 <= k < b.Length ==> b[k] == a[k + n]
         {
           forall i | n <= i < a.Length { b[i - n] := a[Id(i)]; }
           assert forall k :: 0 <= k < b.Length ==> b[k] == a[k]; //! assertion could not be proved
         }
         method Back(a: array<int>) modifies a
           ensures forall k :: 0 <= k < a.Length ==> a[k] == old(a[a.Length - 1 - k])
         {
           forall i | 0 <= i < a.Length { a[a.Length - 1 - i] := a[Id(i)]; }
         }",
    );
}

#[test]
fn a_forall_statement_concludes_its_calculation() {
    check(
        "function F(x: int): int
         lemma Same(x: int) ensures F(x) == F(x + 1)
         lemma L() ensures forall x :: F(x) == F(x + 2) {
           forall x { calc { F(x); { Same(x); } F(x + 1); { Same(x + 1); } F(x + 2); } }
         }
         lemma Wrong() {
           forall x | x > 0 { calc { F(x); { Same(x); } F(x + 1); } }
           assert F(-3) == F(-1); //! assertion could not be proved
         }",
    );
}

#[test]
fn a_trait_may_speak_of_other_calls_in_a_postcondition() {
    check(
        "trait A extends object {
           function F(n: nat): int ensures n > 0 ==> F(n) >= F(n - 1)
         }
         class B extends A { function F(n: nat): int { n } }
         class C extends A { function F(n: nat): int { -n } } //! the function must provide an equal or more detailed postcondition
         class D extends A { function F(n: nat): int ensures false { F(n) } } //! decreases",
    );
}

#[test]
fn variables_of_a_case_may_be_assigned() {
    check(
        "datatype C = A | B(n: nat)
         method M(c: C) returns (r: int) ensures r >= 0 {
           match c
           case A => r := 0;
           case B(k) =>
             k := k + 1;
             assert k > 0 && c == B(k - 1);
             r := k;
             assert c.n == k; //! assertion could not be proved
         }
         method N(c: C) {
           match c
           case A =>
           case B(k) => k := -1; //! value does not satisfy the subset constraints of 'nat'
         }
         method L(c: C) {
           match c
           case A =>
           case B(k) =>
             while k > 0 decreases k { k := k - 1; }
             assert k == 0;
             assert c.n == 0; //! assertion could not be proved
         }",
    );
}

#[test]
fn fields_without_names_may_have_other_types_in_other_constructors() {
    check(
        "datatype D = A(int) | B(bool, int) | C(seq<D>)
         codatatype E = F(int, E) | G(bool)
         function Size(d: D): int {
           match d case A(n) => n case B(b, n) => if b then n else 0 case C(s) => |s|
         }
         lemma L(d: D, e: E) {
           assert Size(B(true, 3)) == 3;
           assert d == A(2) ==> Size(d) == 2;
           assert d == C([]) ==> Size(d) == 1; //! assertion could not be proved
           assert e == G(true) ==> !e.F?;
         }",
    );
}

#[test]
fn pairs_of_infinite_maps() {
    check(
        "method M(m: imap<int, int>)
           requires m.Items != iset{} && forall k :: k in m ==> m[k] == k
         {
           assert exists k, v :: (k, v) in m.Items;
           assert forall p :: p in m.Items ==> p.0 == p.1;
           assert (1, 1) in m.Items; //! assertion could not be proved
         }
         method N(m: imap<int, int>) requires 3 in m { assert (3, m[3]) in m.Items; }",
    );
}

#[test]
fn measures_with_objects_fall_by_what_follows_them() {
    check(
        "class Node { var next: Node? }
         lemma Down(a: Node?, k: nat) {
           if k > 0 {
             var b: Node? := if a == null then null else a.next;
             if b == null <==> a == null { Down(b, k - 1); }
           }
         }
         lemma Null(a: Node?, k: nat) {
           if a != null { Null(null, k + 1); }
         }
         lemma Other(a: Node, b: Node) {
           Other(b, a); //! cannot prove termination
         }",
    );
}

#[test]
fn equality_of_collections_is_no_trigger_where_its_operands_are() {
    check(
        "datatype Entry = Entry(key: string, val: int)
         ghost predicate Distinct(s: seq<Entry>) {
           forall i, j :: 0 <= i < j < |s| ==> s[i].key != s[j].key
         }
         ghost function Model(s: seq<Entry>): map<string, int> requires Distinct(s) {
           map i | 0 <= i < |s| :: s[i].key := s[i].val
         }
         lemma Last(s: seq<Entry>)
           requires |s| > 1 && Distinct(s)
           ensures s[0].key != s[|s| - 1].key
         { }",
    );
}

#[test]
fn what_is_said_of_elements_is_found_by_their_constructors() {
    check(
        "datatype Cmd = Push(n: int) | Pop
         lemma First(p: seq<Cmd>)
           requires p != [] && forall c :: c in p ==> c.Push?
           ensures p[0].Push?
         { var x := p[0].n; }
         lemma Rest(p: seq<Cmd>)
           requires p != [] && forall c :: c in p ==> c.Push?
           ensures forall c :: c in p[1..] ==> c.Push?
         { }
         lemma None(p: seq<Cmd>)
           requires p != [] && forall c :: c in p ==> c.Push?
           ensures p[0].Pop?
         { } //! a postcondition could not be proved",
    );
}

#[test]
fn a_trait_may_speak_of_its_other_functions_in_a_postcondition() {
    check(
        "trait T extends object {
           predicate Even(i: nat) ensures i == 0 || (i % 2 == 0) == Odd(i - 1)
           predicate Odd(i: nat) ensures i == 0 || (i % 2 == 1) == Even(i - 1)
         }
         class C extends T {
           predicate Even(i: nat) ensures i == 0 || (i % 2 == 0) == Odd(i - 1) { i == 0 || Odd(i - 1) }
           predicate Odd(i: nat) ensures i == 0 || (i % 2 == 1) == Even(i - 1) { i != 0 && Even(i - 1) }
         }
         class D extends T {
           predicate Even(i: nat) { true } //! more detailed postcondition
           predicate Odd(i: nat) { true } //! more detailed postcondition
         }",
    );
}
