//! What programs of Dafny's users rely on: each test is a class of programs that was rejected or not proved.

mod common;
use common::check;

#[test]
fn a_pure_function_may_be_given_to_one_that_reads_what_its_argument_reads() {
    check(
        "function Fold<A(!new), T>(f: (A, T) ~> A, a: A, ts: seq<T>): A
           reads f.reads
         { if ts == [] then a else Fold(f, f(a, ts[0]), ts[1..]) } //! function precondition could not be proved
         opaque function Max(x: int, y: int): int { if x <= y then y else x }
         function Largest(s: seq<int>): int { Fold(Max, 0, s) }
         lemma Wrong() { assert false; } //! assertion could not be proved",
    );
}

#[test]
fn a_frame_may_name_a_field_of_all_objects_of_a_comprehension() {
    check(
        "class D { var data: int; var other: int }
         ghost function Model(xs: seq<D>): seq<int>
           reads set x | x in xs :: x`data
         { if xs == [] then [] else [xs[0].data] + Model(xs[1..]) }
         ghost function TooMuch(xs: seq<D>): seq<int>
           reads set x | x in xs :: x`data
         { if xs == [] then [] else [xs[0].other] } //! insufficient reads clause to read field
         method M(d: D) modifies d {
           ghost var before := Model([d]);
           d.other := d.other + 1;
           assert Model([d]) == before;
           d.data := d.data + 1;
           assert Model([d]) == before; //! assertion could not be proved
         }",
    );
}

#[test]
fn frames_of_functions_over_collections_are_those_of_the_elements() {
    check(
        "function Map<T, U>(f: T ~> U, s: seq<T>): seq<U>
           requires forall x :: x in s ==> f.requires(x)
           reads set x, o | x in s && o in f.reads(x) :: o
         { if s == [] then [] else [f(s[0])] + Map(f, s[1..]) }
         function Other<T, U>(f: T ~> U, s: seq<T>, t: T): U
           requires forall x :: x in s ==> f.requires(x)
           requires f.requires(t) //! insufficient reads clause to invoke function
           reads set x, o | x in s && o in f.reads(x) :: o
         { f(t) } //! insufficient reads clause to invoke function",
    );
}

#[test]
fn bound_variables_have_the_types_of_the_parameters_they_are_given_to() {
    check(
        "type Assignment = nat -> bool
         predicate Sat(f: seq<nat>, a: Assignment) { forall x :: x in f ==> a(x) }
         lemma Empty() ensures forall a :: Sat([], a) {
           forall a ensures Sat([], a) { }
         }
         predicate Even<T>(n: nat, t: T) { n % 2 == 0 }
         lemma Halves() ensures forall n :: Even(n, true) ==> n == 2 * (n / 2) { }
         function F(n: nat): int { n }
         method M() { var s := seq(10, i => F(i)); assert s[3] == 3; assert s[4] == 3; } //! assertion could not be proved
         lemma Curried(f: nat -> (nat -> int)) requires forall a, b :: f(a)(b) == a + b ensures f(1)(2) == 3 { }",
    );
}

#[test]
fn reals_and_integers_are_converted_there_and_back() {
    check(
        "lemma Still(x: real)
           requires x.Floor as real == x
           ensures (x - 1.0).Floor as real == x - 1.0
         { var m: int := x.Floor; assert (m - 1) as real == x - 1.0; }
         lemma Naturals(s: iset<real>)
           requires forall x :: x in s ==> exists k: nat :: k as real == x
           ensures forall x :: x in s ==> x.Floor as real == x
         { }
         lemma Above(x: real) ensures exists n: int :: n as real > x
         { assert (x.Floor + 1) as real > x; }
         lemma Half() { assert (0.5).Floor == 0 && (-0.5).Floor == -1; }
         lemma NotAll(x: real) { assert x.Floor as real == x; } //! assertion could not be proved
         lemma Wrong(x: real) { assert x.Floor as real < x; } //! assertion could not be proved",
    );
}

#[test]
fn quantifiers_without_terms_to_match_find_each_other() {
    check(
        "ghost predicate Onto<A(!new), B(!new)>(f: A -> B) { forall b: B :: exists a: A :: f(a) == b }
         lemma L<A(!new), B(!new)>(f: A -> B)
           requires !Onto(f)
         {
           var b: B :| forall a: A :: f(a) != b;
           assert !exists a :: f(a) == b;
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn functions_that_choose_by_the_heap_are_translated() {
    check(
        "class D { var data: int }
         class E {
           ghost var spine: seq<D>
           ghost predicate Has(d: D) reads this { d in spine }
           ghost function Index(d: D): nat
             requires Has(d)
             reads this
             ensures Index(d) < |spine| && spine[Index(d)] == d
           { var j :| 0 <= j < |spine| && spine[j] == d; j }
           lemma Wrong(d: D) requires Has(d) ensures Index(d) == 0 { } //! a postcondition could not be proved
         }",
    );
}

#[test]
fn functions_over_objects_are_values_in_functions() {
    check(
        "class C { }
         function F(c: C): int { 1 }
         function G(): C -> int { F }
         function H(): C -> int { c => F(c) }
         method M() {
           var c := new C;
           var g, h := G(), H();
           assert g(c) == 1 && h(c) == 1;
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn functions_may_quantify_over_functions() {
    check(
        "type Stream = nat -> bool
         ghost predicate Always(p: Stream -> bool) { forall s: Stream :: p(s) }
         lemma L(p: Stream -> bool, s: Stream) requires Always(p) ensures p(s) { }
         lemma Wrong(p: Stream -> bool) ensures Always(p) { } //! a postcondition could not be proved",
    );
}

#[test]
fn values_under_a_codatatype_constructor_may_be_given_by_functions() {
    check(
        "codatatype Lang<!A> = Alpha(eps: bool, delta: A -> Lang<A>)
         function Zero<A>(): Lang<A> { Alpha(false, (a: A) => Zero()) }
         function One<A>(): Lang<A> { Alpha(true, (a: A) => Zero()) }
         lemma L<A>(a: A) ensures Zero<A>().delta(a) == Zero<A>() { }
         lemma Wrong<A>(a: A) { assert One<A>() == Zero<A>(); } //! assertion could not be proved
         function Bad<A>(a: A): Lang<A> { Alpha(!Bad(a).eps, (b: A) => Bad(b)) } //! cannot prove termination
         ",
    );
}

#[test]
fn a_summand_is_found() {
    check(
        "method M(k: int, n: nat) {
           var i :| i + 1 == k;
           var j :| k == j - 3;
           if 0 < n { var m: nat :| n == m + 1; assert m < n; }
           var m: nat :| n == m + 1; //! cannot establish the existence of LHS values
         }",
    );
}

#[test]
fn quantifiers_over_generic_datatypes_are_proved_by_induction() {
    check(
        "datatype Exp<A> = Zero | Plus(Exp<A>, Exp<A>)
         function Size<A>(e: Exp<A>): nat { match e case Zero => 1 case Plus(a, b) => Size(a) + Size(b) }
         ghost predicate Positive<A(!new)>(f: Exp<A> -> bool) { forall e :: Size(e) > 0 && f(e) == f(e) }
         lemma L<B(!new)>(f: Exp<B> -> bool) ensures Positive(f) { }
         lemma Wrong<B(!new)>(f: Exp<B> -> bool) ensures Positive(f) { assert false; } //! assertion could not be proved",
    );
}
