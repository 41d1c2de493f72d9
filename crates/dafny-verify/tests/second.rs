//! Programs as people write them: what is proved by sums in triggers, by computing, by inferred bounds, by second looks.

mod common;
use common::check;

#[test]
fn quantifiers_over_slices_are_matched_through_their_sums() {
    check(
        "method Find(needle: string, hay: string) returns (pos: int)
           ensures pos < 0 ==> forall i :: 0 <= i && i + |needle| <= |hay| ==> hay[i..i + |needle|] != needle
           ensures 0 <= pos ==> pos + |needle| <= |hay| && hay[pos..pos + |needle|] == needle
         {
           var i := 0;
           while i + |needle| <= |hay|
             invariant 0 <= i
             invariant forall k :: 0 <= k < i && k + |needle| <= |hay| ==> hay[k..k + |needle|] != needle
             decreases |hay| - i
           {
             if hay[i..i + |needle|] == needle { return i; }
             i := i + 1;
           }
           return -1;
         }
         method Wrong(needle: string, hay: string) returns (pos: int)
           ensures pos < 0 ==> forall i :: 0 <= i && i + |needle| <= |hay| ==> hay[i..i + |needle|] != needle
         { //! a postcondition could not be proved
           pos := -1;
         }",
    );
}

#[test]
fn a_variable_in_sums_only_is_matched() {
    check(
        "function F(x: int): int
         method M(n: int)
           requires forall i :: 0 <= i < n ==> F(i + 3) == i
         {
           if 5 < n {
             assert F(7) == 4;
             assert F(2) == -1; //! assertion could not be proved
           }
         }
         method Some(n: int) requires F(8) == 5 {
           assert exists i :: F(i + 3) == i;
         }",
    );
}

#[test]
fn functions_of_functions_of_literals_are_computed() {
    check(
        "datatype List = Nil | Cons(head: int, tail: List)
         function Length(l: List): nat { match l case Nil => 0 case Cons(_, t) => 1 + Length(t) }
         function Append(a: List, b: List): List { match a case Nil => b case Cons(h, t) => Cons(h, Append(t, b)) }
         function Power(b: int, n: nat): int { if n == 0 then 1 else b * Power(b, n - 1) }
         function Eval(env: map<string, int>, e: Expr): int decreases e {
           match e case Var(x) => (if x in env then env[x] else 0) case Plus(a, b) => Eval(env, a) + Eval(env, b)
         }
         datatype Expr = Var(x: string) | Plus(a: Expr, b: Expr)
         method M(env: map<string, int>) requires env == map[\"x\" := 7] {
           assert Length(Append(Cons(1, Cons(2, Nil)), Cons(3, Cons(4, Nil)))) == 4;
           assert Power(Power(2, 3), 1 + Power(2, 2)) == 32768;
           assert Eval(env, Plus(Plus(Var(\"x\"), Var(\"y\")), Plus(Var(\"x\"), Var(\"x\")))) == 21;
           assert Length(Append(Cons(1, Nil), Nil)) == 2; //! assertion could not be proved
         }",
    );
}

#[test]
fn halving_keeps_a_number_natural() {
    check(
        "function Power(b: int, n: nat): int { if n == 0 then 1 else b * Power(b, n - 1) }
         method M(b: int, e: nat) {
           var n := e;
           while n > 0
             invariant Power(b, n) == Power(b, n)
           {
             if n % 2 == 1 { n := n - 1; } else { n := n / 2; }
           }
           assert n == 0;
           assert e == 0; //! assertion could not be proved
         }",
    );
}

#[test]
fn prefix_lemmas_get_their_hypothesis_for_smaller_measures() {
    check(
        "codatatype Stream = Cons(head: int, tail: Stream)
         greatest predicate All(s: Stream) { s.head >= 0 && All(s.tail) }
         function Skip(s: Stream, n: nat): Stream { if n == 0 then s else Skip(s.tail, n - 1) }
         greatest lemma Skipped(s: Stream, n: nat)
           requires All(s)
           ensures All(Skip(s, n))
           decreases n
         {
           if n > 0 { assert All#[_k](Skip(s.tail, n - 1)); }
         }
         greatest lemma Low(s: Stream, low: int)
           requires From(s, low) && low >= 0
           ensures All(s)
         {
         }
         greatest predicate From(s: Stream, low: int) { low <= s.head && From(s.tail, s.head) }
         greatest lemma Wrong(s: Stream, low: int)
           requires From(s, low)
           ensures All(s)
         { //! a postcondition could not be proved
         }",
    );
}

#[test]
fn a_witness_out_of_a_definition_is_found() {
    check(
        "datatype Com = Skip | Seq(a: Com, b: Com)
         least predicate Runs(c: Com, s: map<int, int>, t: map<int, int>) {
           match c
           case Skip => s == t
           case Seq(a, b) => exists m :: Runs(a, s, m) && Runs(b, m, t)
         }
         lemma L(c: Com, a: Com, b: Com, s: map<int, int>, t: map<int, int>) {
           if c == Seq(a, b) && Runs(c, s, t) {
             var m :| Runs(a, s, m) && Runs(b, m, t);
           }
           if c == Seq(a, b) && Runs(c, s, t) {
             var m :| Runs(b, s, m) && Runs(a, m, t); //! cannot establish the existence
           }
         }",
    );
}

#[test]
fn a_second_look_unfolds_definitions_more_often() {
    check(
        "function Fib(n: nat): nat { if n < 2 then n else Fib(n - 1) + Fib(n - 2) }
         method M(k: nat) {
           assert k == 8 ==> Fib(k) == 21;
           assert k == 8 ==> Fib(k) == 20; //! assertion could not be proved
         }",
    );
}

#[test]
fn a_second_look_counts_the_elements_of_multisets() {
    check(
        "lemma Some<T>(s: seq<T>, x: T) requires |s| > 0 && multiset(s)[x] == 0 ensures exists y :: multiset(s)[y] > 0 { }
         lemma Part<T>(a: multiset<T>, b: multiset<T>) requires a <= b ensures |a| <= |b| { }
         lemma Often<T>(a: multiset<T>, x: T) ensures a[x] <= |a| { }
         lemma Wrong<T>(a: multiset<T>, b: multiset<T>) requires a <= b { assert |a| < |b|; } //! assertion could not be proved
         lemma None<T>(s: seq<T>, x: T) requires multiset(s)[x] == 0 {
           assert exists y :: multiset(s)[y] > 0; //! assertion could not be proved
         }",
    );
}
