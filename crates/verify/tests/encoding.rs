//! Types, maps, datatypes, quantifiers and lambdas as the prover sees them, on small programs.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::report::{check, check_each, check_with};
use expect_test::expect;

#[test]
fn equality_of_floats_is_identity() {
    check(
        "\
procedure Same(a: float24e8, b: float24e8)
{
  assert a == a;
  assert a + b == a + b;
}
procedure Different(a: float24e8)
{
  assert a <= a;
}
",
        expect![[r#"
            Same: verified
            Different: errors
              Assert line 8: anon0
        "#]],
    );
}

#[test]
fn never_patterns_are_no_triggers() {
    check(
        "\
function {:never_pattern} f(x: int): int;
function g(x: int): int;
procedure Never() { assume (forall x: int :: f(x) > 0 && g(x) > 0); assert f(3) > 0; }
procedure Always() { assume (forall x: int :: f(x) > 0 && g(x) > 0); assert g(3) > 0; }
",
        expect![[r#"
            Never: errors
              Assert line 3: anon0
            Always: verified
        "#]],
    );
}

/// What stands on an axiom that cannot be translated has no verdict, whichever implementation comes first.
#[test]
fn nothing_is_said_on_the_strength_of_an_unsupported_axiom() {
    check(
        "\
type Field a;
const heap: <a>[int, Field a]a;
function {:builtin \"MapConst\"} constant(x: int): [int]int;
function g(x: int): bool;
function h(x: int): bool;
axiom g(1) && constant(1) != constant(2);
axiom (forall x: int :: {h(x)} h(x) ==> constant(x) != constant(x + 1));
procedure First() { assert g(1); }
procedure Second() { assert g(1); assert false; }
procedure Third() { assume h(1); assert false; }
procedure Fourth() { assert 1 + 1 == 3; }
",
        expect![[r#"
            First: unsupported: `MapConst` on polymorphic maps
            Second: unsupported: `MapConst` on polymorphic maps
            Third: unsupported: `MapConst` on polymorphic maps
            Fourth: unsupported: `MapConst` on polymorphic maps
        "#]],
    );
}

const MAPS: &str = "\
type ref;
function {:builtin \"MapConst\"} Const(int): [ref]int;
function {:builtin \"MapConst\"} All(bool): [ref]bool;
function {:builtin \"MapAdd\"} Add([ref]int, [ref]int): [ref]int;
function {:builtin \"MapNot\"} Not([ref]bool): [ref]bool;
function {:builtin \"MapIte\"} Choose([ref]bool, [ref]int, [ref]int): [ref]int;
function {:builtin \"MapLe\"} Le([ref]int, [ref]int): [ref]bool;
procedure P(r: ref, s: ref, a: [ref]int, c: [ref]bool)
{
  assert Const(3)[r] == 3;
  assert Add(a, Const(1))[r] == a[r] + 1;
  assert Not(All(true))[r] == false;
  assert Choose(c, a, Const(7))[r] == (if c[r] then a[r] else 7);
  assert Le(a, Add(a, Const(1)))[r];
  assert r != s ==> a[s := 3][r] == a[r];
  assert Const(3)[r] == 4;
}
";

#[test]
fn operations_on_maps() {
    for arrays in [false, true] {
        check_with(
            |options| options.arrays = arrays,
            MAPS,
            expect![[r#"
                P: errors
                  Assert line 16: anon0
            "#]],
        );
    }
}

/// The same assertions in a program without and with polymorphism: both encodings agree.
#[test]
fn encodings_agree() {
    let program = "\
type ref;
type Pair a b;
const unique nil: ref;
const unique one: ref;
function next(r: ref): ref;
function at(m: [ref, int]bool, r: ref): bool { (forall i: int :: { m[r, i] } m[r, i]) }
var heap: [ref]ref;
procedure P(p: Pair int ref, q: Pair int ref, m: [ref, int]bool) modifies heap;
{
  assert nil != one;
  heap[nil] := one;
  assert heap[nil] == one && heap == old(heap)[nil := one];
  assert at(m, one) ==> m[one, 17];
  heap := heap[one := nil];
  assert heap[nil] == one;
  assert m[one := m][one, 3];
}
procedure Q(p: Pair int ref, q: Pair int ref) { assert p == q; }
procedure R(r: ref) { assert next(r) != nil; }
procedure S() { assert (lambda r: ref :: r == nil)[nil]; }
"
    .replace("  assert m[one := m][one, 3];\n", "");
    let expected = expect![[r#"
        P: verified
        Q: errors
          Assert line 17: anon0
        R: errors
          Assert line 18: anon0
        S: verified
    "#]];
    let polymorphic = format!("{program}function identity<a>(x: a): a;");
    check_each(&[program, polymorphic], expected);
}

/// `/typeEncoding:n` proves what it should not; nothing else does.
#[test]
fn erased_types_prove_too_much() {
    let program = "\
type C a;
function f<a>(C a): int;
axiom (forall x: C int :: f(x) == 3);
axiom (forall x: C bool :: f(x) == 7);
procedure P(c: C real) { assert f(c) == 7; }
";
    check(
        program,
        expect![[r#"
            P: errors
              Assert line 5: anon0
        "#]],
    );
    check_with(
        |options| options.erase_types = true,
        program,
        expect![[r#"
            P: verified
        "#]],
    );
}

#[test]
fn datatypes_in_both_notations() {
    let uses = "\
procedure P(l: List)
{
  assert is#Nil(l) || is#Cons(l);
  assert is#Cons(l) ==> l == Cons(head#Cons(l), tail#Cons(l));
  assert Cons(1, Nil()) != Nil();
  assert is#Cons(l);
}
";
    let expected = expect![[r#"
        P: errors
          Assert line 9: anon0
    "#]];
    let old = "\
type {:datatype} List;
function {:constructor} Nil(): List;
function {:constructor} Cons(head: int, tail: List): List;
";
    let new = "datatype List {\n  Nil(), Cons(head: int, tail: List)\n}\n";
    let newest = uses
        .replace("is#Nil(l)", "l is Nil")
        .replace("is#Cons(l)", "l is Cons")
        .replace("head#Cons(l)", "l->head")
        .replace("tail#Cons(l)", "l->tail");
    let programs = [
        format!("{old}{uses}"),
        format!("{new}{uses}"),
        format!("{new}{newest}"),
    ];
    check_each(&programs, expected);
}

#[test]
fn datatypes_with_type_parameters_are_refused() {
    check(
        "\
datatype Option<T> { None(), Some(value: T) }
procedure P(o: Option int) { assert o is Some; }
procedure Q(x: int) { assert x == x; }
",
        expect![[r#"
            P: errors
              Assert line 2: anon0
            Q: verified
        "#]],
    );
}

/// Lambdas that differ only in which variables are bound are different functions.
#[test]
fn lambdas_with_and_without_free_parts() {
    check(
        "\
procedure P(a: int)
{
  var f: [int]int; var g: [int, int]int;
  f := (lambda x: int :: x + a);
  assert f[2] == a + 2;
  g := (lambda x, y: int :: x + y);
  assert g[2, 3] == 5;
  assert g[2, 3] == 6;
}
",
        expect![[r#"
            P: errors
              Assert line 8: anon0
        "#]],
    );
}

/// A quantifier to be proved ranges over its own type, an assumed one also over values never cast to it.
#[test]
fn quantifiers_over_native_types_in_polymorphic_functions() {
    check(
        "\
function g<a>(a): int;
axiom g(true) == 17;
axiom g(false) == 21;
procedure P() { assert (forall x: bool :: g(x) >= 0); assert g((forall x: bool :: g(x) >= 0)) >= 17; }
procedure Q() { assert (forall x: bool :: g(x) == 17); }
",
        expect![[r#"
            P: verified
            Q: errors
              Assert line 5: anon0
        "#]],
    );
}

/// A function that is inlined leaves no application behind that a prover could match.
#[test]
fn inlined_functions_in_triggers_do_no_harm() {
    check(
        "\
function u(z: int): int;
function v(z: int): bool;
function {:inline} f(z: int): int { z }
function {:inline} b(z: int): bool { z > 3 && v(z) }
axiom (forall z: int :: {f(z), u(z)} f(z) != u(z));
axiom (forall z: int :: {f(z)} v(z));
axiom (forall y, z: int :: {u(y), f(z)} y < z ==> u(y) < u(z));
axiom (forall z: int :: {b(z)} b(z) ==> u(z) > 9);
procedure P(x: int) { assert u(x) != x; assert u(x) == x; }
procedure Q(x: int) { assert u(4) < u(5); }
",
        expect![[r#"
            P: errors
              Assert line 9: anon0
            Q: verified
        "#]],
    );
}

/// Datatypes with type parameters, in polymorphic code too.
const LISTS: &str = "
datatype List<T> { Nil(), Cons(head: T, tail: List T) }
datatype Pair<A, B> { Pair(fst: A, snd: B) }
datatype Tree { Leaf(), Node(children: List Tree, weight: int) }

function length<T>(l: List T): int;
axiom (forall<T> l: List T :: {length(l)} length(l) == if l is Nil then 0 else 1 + length(l->tail));

procedure Basics(x: int, l: List int) {
  var c: List int;
  c := Cons(x, l);
  assert c is Cons && !(c is Nil);
  assert c->head == x && c->tail == l;
  assert c != l;
  assert Cons(1, Nil()) != Cons(2, Nil());
  assert Cons(true, Nil()) != Cons(false, Nil());
  assert length(c) == 1 + length(l);
  assert l is Nil || l is Cons;
  assert l is Nil ==> l == Nil();
  assert l is Cons ==> l == Cons(l->head, l->tail);
  assert length(Cons(5, Cons(6, Nil()))) == 2;
}

procedure Acyclic(x: int, l: List int) {
  assert l != Cons(x, Cons(x, l));
}

procedure Generic<T>(x: T, y: T, l: List T) returns (m: List T)
  ensures m->head == x;
{
  m := Cons(x, Cons(y, l));
  assert m->tail->head == y;
  if (m == Cons(y, l)) { assert x == y; assert false; }
}

procedure Swap<A, B>(p: Pair A B) returns (q: Pair B A)
  ensures q->fst == p->snd && q->snd == p->fst;
{
  q := Pair(p->snd, p->fst);
}

procedure UseSwap() {
  var q: Pair bool int;
  call q := Swap(Pair(3, true));
  assert q == Pair(true, 3);
}

procedure Wrong(l: List int) {
  assert l is Cons;
}

procedure Wrong2<T>(l: List T, m: List T) {
  assert length(l) == length(m);
}

procedure Wrong3() {
  assert false;
}

procedure Nested(t: Tree) {
  var u: Tree;
  u := Node(Cons(t, Nil()), 3);
  assert u->children->head == t;
  assert u->weight == 3;
  assert u is Node;
}
";

#[test]
fn datatypes_with_type_parameters() {
    check(
        LISTS,
        expect![[r#"
            Basics: verified
            Acyclic: verified
            Generic: verified
            Swap: verified
            UseSwap: verified
            Wrong: errors
              Assert line 49: anon0
            Wrong2: errors
              Assert line 53: anon0
            Wrong3: errors
              Assert line 57: anon0
            Nested: verified
        "#]],
    );
}

#[test]
fn a_constructor_for_some_type_arguments_is_refused() {
    check(
        "type {:datatype} Term _;
         function {:constructor} Number(n: int): Term int;
         procedure P(t: Term int) { assert t == Number(3); }
         procedure Q(t: Term int) { assert is#Number(t); }
         procedure R(x: int) { assert x == x; }",
        expect![[r#"
            P: unsupported: a datatype with a constructor for some type arguments only
            Q: unsupported: a datatype with a constructor for some type arguments only
            R: verified
        "#]],
    );
}

#[test]
fn no_type_is_empty() {
    check(
        "\
type U;
function f<a>(x: a): int;
procedure P() { assert f(1) == f(1); assert (exists x: U :: true); assert !(forall<a> x: a :: false); assert (exists<a> x: a :: false); }
",
        expect![[r#"
            P: errors
              Assert line 3: anon0
        "#]],
    );
}
