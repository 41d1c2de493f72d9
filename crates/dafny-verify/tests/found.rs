//! Proofs that take the right terms, hypotheses or searches to be found.

mod common;
use common::{check, verify};

#[test]
fn a_term_of_a_part_that_holds_anyway_is_a_witness() {
    check(
        "ghost predicate Occurs(text: string, part: string) {
           exists at :: 0 <= at <= |text| && part <= text[at..]
         }
         ghost predicate Found(text: string, part: string, found: bool, i: nat) {
           (found <==> Occurs(text, part)) && (found ==> i + |part| <= |text| && part <= text[i..])
         }
         lemma Nothing(text: string, part: string)
           requires |part| == 0
         {
           assert Found(text, part, true, 0);
           assert Found(text, part, false, 0); //! assertion could not be proved
         }",
    );
}

#[test]
fn products_of_equal_factors_are_equal() {
    check(
        "lemma Even(x: int)
           requires x >= 1
           ensures (x * x + x) % 2 == 0
         {
           if x != 1 {
             Even(x - 1);
             assert x * x + x == ((x - 1) * (x - 1) + (x - 1)) + 2 * x;
           }
         }
         method Most(a: array<int>) returns (sum: int, max: int)
           ensures sum <= a.Length * max
         {
           sum, max := 0, 0;
           var i := 0;
           while i < a.Length
             invariant i <= a.Length && sum <= i * max
           {
             if max < a[i] { max := a[i]; }
             sum := sum + a[i];
             i := i + 1;
           }
         }
         lemma Odd(x: int) ensures (x * x + x) % 2 == 1 { } //! a postcondition could not be proved",
    );
}

#[test]
fn a_quantifier_is_matched_by_products() {
    check(
        "method M(s: seq<int>, n: nat)
           requires |s| == 2 * n
           requires forall i | 0 <= i < n :: s[i * 2] == 7
         {
           var k :| 0 <= k < 2 * n + 1;
           if k % 2 == 0 && k < |s| {
             assert k == (k / 2) * 2;
             assert s[k] == 7;
           } else if k < |s| {
             assert s[k] == 7; //! assertion could not be proved
           }
         }",
    );
}

#[test]
fn induction_finds_instances_by_preconditions_and_varies_this() {
    check(
        "predicate Bit(k: nat, n: nat) { if k == 0 then n % 2 == 1 else Bit(k - 1, n / 2) }
         lemma Small(i: nat, n: nat) requires Bit(i, n) ensures i < n { }
         lemma Smaller(i: nat, n: nat) requires Bit(i, n) ensures i + 1 < n { } //! a postcondition could not be proved
         class Node {
           ghost var Repr: set<object>
           ghost var size: nat
           var next: Node?
           ghost predicate Valid() reads this, Repr {
             this in Repr &&
             (next == null ==> size == 1) &&
             (next != null ==> next in Repr && next.Repr < Repr && this !in next.Repr && next.Valid() && size == next.size + 1)
           }
           lemma Positive() requires Valid() ensures size > 0 decreases Repr { }
           lemma Large() requires Valid() ensures size > 1 decreases Repr { } //! a postcondition could not be proved
         }",
    );
}

#[test]
fn callers_know_what_was_proved_with_its_fuel() {
    check(
        "datatype N = Z | S(p: N)
         function Add(x: N, y: N): N decreases y { match y case Z => x case S(q) => S(Add(x, q)) }
         lemma Zero(n: N) ensures Add(Z, n) == n { }
         lemma Commutes(x: N, y: N)
           ensures Add(x, y) == Add(y, x)
           decreases x, y
         {
           match x
           case Z => Zero(y);
           case S(q) => Commutes(q, y);
         }
         lemma Wrong(x: N, y: N) ensures Add(x, y) == x { } //! a postcondition could not be proved",
    );
}

#[test]
fn elements_of_a_part_are_elements_of_the_whole() {
    check(
        "predicate Ascending(q: seq<int>) { forall i, j :: 0 <= i < j < |q| ==> q[i] < q[j] }
         lemma Front(a: seq<int>, b: seq<int>) requires Ascending(a + b) ensures Ascending(a) { }
         lemma One(s: seq<int>) requires |s| == 1 ensures multiset(s) == multiset{s[0]} { }
         lemma Two(s: seq<int>) requires |s| == 2 ensures multiset(s) == multiset{s[0]} { } //! a postcondition could not be proved",
    );
}

#[test]
fn a_function_that_is_not_recursive_is_computed_of_literals() {
    check(
        "function Same(s: seq<nat>, t: seq<nat>, i: nat): nat requires i <= |s| == |t| decreases |s| - i {
           if i == |s| then 0 else (if s[i] == t[i] then 1 else 0) + Same(s, t, i + 1)
         }
         function All(s: seq<nat>, t: seq<nat>): nat requires |s| == |t| { Same(s, t, 0) }
         method M() {
           var s: seq<nat> := [1, 2, 3, 7, 5];
           var t: seq<nat> := [1, 4, 3, 7, 6];
           assert All(s, t) == 3;
           assert All(s, t) == 4; //! assertion could not be proved
         }",
    );
}

#[test]
fn a_hypothesis_is_not_found_by_its_own_instances() {
    check(
        "function Power(x: real, n: nat): real { if n == 0 then 1.0 else x * Power(x, n - 1) }
         lemma {:induction a} Product(x: real, a: nat, b: nat) ensures Power(x, a) * Power(x, b) == Power(x, a + b) { }",
    );
}

#[test]
fn a_hypothesis_is_not_tried_for_every_sequence() {
    check(
        "function Sum(s: seq<nat>): nat { if s == [] then 0 else s[0] + Sum(s[1..]) }
         lemma Same(s: seq<nat>, x: nat) ensures (forall i :: 0 <= i < |s| ==> s[i] == x) ==> Sum(s) == |s| * x { }
         function Reverse<T>(s: seq<T>): seq<T> { if s == [] then [] else Reverse(s[1..]) + [s[0]] }
         lemma Index<T>(s: seq<T>)
           ensures |Reverse(s)| == |s|
           ensures forall i :: 0 <= i < |s| ==> Reverse(s)[i] == s[|s| - i - 1]
         { }",
    );
}

#[test]
fn any_value_of_an_inferred_type_is_one_of_what_was_assigned() {
    check(
        "type Low = x: nat | x < 10
         type High = x: nat | 20 <= x witness 20
         method M(s: set<nat>, low: Low, high: High, m: multiset<real>, b: bool) {
           var t, n, p := s + s, if b then low else high, (3 as nat, low);
           var c := m[1.5];
           t, n, p, c := *, *, *, *;
           assert forall x :: x in t ==> 0 <= x;
           assert 0 <= n && 0 <= p.1 && 0 <= c;
           var a := new nat[3];
           a := *;
           assert a != null;
           var z := low;
           z := 7 + z;
           assert z < 10; //! assertion could not be proved
         }",
    );
}

#[test]
fn a_lemma_that_overrides_one_of_a_trait_speaks_of_the_same_state() {
    check(
        "trait Thing extends object {
           twostate predicate Grows() reads *
           lemma Reflexive() ensures Grows()
         }
         class Counter extends Thing {
           var n: int
           twostate predicate Grows() reads * { old(n) <= n }
           lemma Reflexive() ensures Grows() { }
         }
         class Other extends Thing {
           var n: int
           twostate predicate Grows() reads * { old(n) < n }
           lemma Reflexive() ensures Grows() { } //! a postcondition could not be proved
         }",
    );
}

#[test]
fn the_program_chooses_the_terms_by_which_a_value_is_found() {
    check(
        "ghost predicate Q(x: int)
         ghost function F(x: int): int
         ghost method M(x: int)
           requires Q(11) && F(10) == x
         {
           var y {:trigger F(y)} :| Q(y + 1);
           var z := var w {:trigger F(w)} :| Q(w + 1); F(w);
         }
         ghost method N(x: int)
           requires Q(11) && F(11) == x
         {
           var y {:trigger F(y)} :| Q(y + 1); //! satisfy the such-that predicate
         }",
    );
}

#[test]
fn a_hypothesis_that_is_asked_for_needs_no_term() {
    check(
        "type T
         ghost predicate P(n: nat) { if n == 0 then true else P(n - 1) }
         ghost function Sum(n: nat, f: int -> int): int { if n == 0 then 0 else f(n - 1) + Sum(n - 1, f) }
         lemma {:induction n} Same(n: nat, f: int -> int, g: int -> int)
           requires forall i :: 0 <= i < n ==> f(i) == g(i)
           ensures Sum(n, x => f(x)) == Sum(n, x => g(x))
         { }
         lemma {:induction} All(n: nat, t: T) ensures P(n) { }
         lemma {:induction n} No(n: nat, t: T) ensures n < 7 { } //! a postcondition could not be proved
         lemma {:induction false} None(n: nat) ensures P(n) { } //! a postcondition could not be proved",
    );
}

#[test]
fn a_collection_that_grows_has_the_type_of_what_is_added() {
    check(
        "function N(s: string): nat
         method Seqs(s: string) returns (r: seq<nat>) {
           var out := [];
           for i := 0 to 3 { out := out + [N(s)]; }
           r := out;
         }
         method Sets(s: string) returns (r: set<nat>) {
           var out := {};
           for i := 0 to 3 { out := out + {N(s)}; }
           r := out;
         }
         method Maps(s: string) returns (r: map<string, nat>) {
           var out := map[];
           for i := 0 to 3 { out := out[s := N(s)]; }
           r := out;
         }
         method Replaced(s: string) returns (r: set<nat>) {
           var out := {N(s)};
           for i := 0 to 3 { out := {N(s)}; }
           r := out;
         }
         method Mixed(s: string, x: int) returns (r: seq<nat>) {
           var out := [];
           for i := 0 to 3 { out := out + [N(s)]; out := [x] + out; }
           r := out; //! value
         }",
    );
}

#[test]
fn postconditions_of_functions_are_reported_where_branches_end() {
    let text = "datatype D = A | B(n: int)
function F(d: D): int
  ensures F(d) > 0
{
  match d
  case A => 1
  case B(n) =>
    if n > 0 then n
    else n + 1
}
";
    if let Some(lines) = verify(text) {
        assert_eq!(
            lines,
            [
                "(9,11): Error: a postcondition could not be proved on this return path",
                "(3,15): Related location: this is the postcondition that could not be proved",
            ]
        );
    }
}

#[test]
fn literals_that_initialize_a_sequence_must_be_elements() {
    check(
        "function F(n: nat): seq<nat> {
           seq(n, i => if i < n then 10
             else -7) //! subset constraints of 'nat'
         }
         function G(n: nat): seq<nat> {
           seq(n, i => var u: int := if i < n then 10 else -7; u)
         }",
    );
}

#[test]
fn a_result_that_does_not_fit_is_reported_at_the_variable() {
    let text = "method P<T>(x: T) returns (y: T) { y := x; }
method M(k: int) returns (x: int, n: nat) {
  n := 1;
  x, n := k, 2;
  n := P<int>(x);
}
";
    if let Some(lines) = verify(text) {
        let expected = "(5,2): Error: value does not satisfy the subset constraints of 'nat'";
        assert_eq!(lines, [expected]);
    }
}

#[test]
fn elements_assigned_at_computed_indices_are_found() {
    check(
        "function Id(x: int): int { x }
         method Gap(a: array<int>, p: nat, n: nat, b: array<int>)
           requires p <= b.Length && a.Length == b.Length + n && a != b
           modifies a
           ensures forall k :: 0 <= k < p ==> a[k] == b[k]
           ensures forall k :: p <= k < b.Length ==> a[k + n] == b[k]
         {
           forall i | 0 <= i < b.Length { a[if i < p then i else i + n] := b[Id(i)]; }
         }
         method Rotate(a: array<int>, b: array<int>)
           requires a.Length == b.Length && a != b
           modifies a
           ensures forall k :: 0 <= k < b.Length ==> a[(k + 1) % b.Length] == b[k]
         {
           forall i | 0 <= i < b.Length { a[if i == b.Length - 1 then 0 else i + 1] := b[Id(i)]; }
         }
         method Wrong(a: array<int>, p: nat)
           requires p + 1 < a.Length
           modifies a
         {
           forall i | 0 <= i < a.Length - 1 { a[if i < p then i else i + 1] := 3; }
           assert a[0] == 3 || p == 0;
           assert a[p] == 3; //! assertion could not be proved
         }",
    );
}

#[test]
fn a_hypothesis_about_a_function_value_is_used() {
    check(
        "datatype List<T> = Nil | Cons(head: T, tail: List<T>)
         function Map<A, B>(f: A -> B, l: List<A>): List<B> {
           match l case Nil => Nil case Cons(h, t) => Cons(f(h), Map(f, t))
         }
         lemma Same<A>(l: List<A>) ensures Map(x => x, l) == l { }
         lemma Composed<A, B, C>(f: A -> B, g: B -> C, l: List<A>)
           ensures Map(g, Map(f, l)) == Map(x => g(f(x)), l) { }
         lemma Wrong(l: List<int>) ensures Map(x => x + 1, l) == l { } //! a postcondition could not be proved
         codatatype Stream<T> = SCons(hd: T, tl: Stream<T>)
         function MapS<A, B>(f: A -> B, s: Stream<A>): Stream<B> { SCons(f(s.hd), MapS(f, s.tl)) }
         greatest lemma SameS<A>(s: Stream<A>) ensures MapS(x => x, s) == s { }",
    );
}

#[test]
fn elements_of_a_slice_up_to_a_sum_find_hypotheses() {
    check(
        "ghost predicate R<T>(x: T, y: T)
         lemma Element<T>(s: seq<T>, r: seq<T>, i: nat, a: T)
           requires i < |s| && a in s[..i + 1]
           requires forall x :: x in s[..i + 1] ==> exists y :: y in r && R(x, y)
         {
           assert exists y :: y in r && R(a, y);
           assert exists y :: y in r && R(y, a); //! assertion could not be proved
         }
         lemma Renamed<T>(s: seq<T>, r: seq<T>, i: nat)
           requires i < |s|
           requires forall x <- s[..i + 1] :: exists y <- r :: R(x, y)
         {
           var j := i + 1;
           assert forall x <- s[..j] :: exists y <- r :: R(x, y);
         }",
    );
}

#[test]
fn bit_vectors_of_other_widths_have_the_same_low_bits() {
    check(
        "lemma There(x: bv8) ensures x as bv16 as bv8 == x { }
         lemma Low(x: bv32, y: bv32) requires x & 0xff == y & 0xff
           ensures (x & 0xff) as bv8 == (y & 0xff) as bv8 { }
         lemma Shift(x: bv32, n: bv8) requires n <= 32 ensures n == 1 ==> x << n == x + x { }
         method Wide(x: bv16) { var y := x as bv8; } //! could not be proved to fit in bv8",
    );
}

#[test]
fn products_among_other_products_are_compared() {
    check(
        "lemma Cubes(x: int, y: int) requires 0 <= x <= y
         {
           calc {
             x * x * x;
             <= { assert x * x <= y * y by { assert x * x <= x * y; assert x * y <= y * y; } }
             x * (y * y);
             <= y * y * y;
           }
         }
         lemma Wrong(x: int, y: int) requires x <= y ensures x * x <= x * y { } //! a postcondition could not be proved",
    );
}
