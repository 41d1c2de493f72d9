//! What is called alike is not taken for the same, and what one implementation asked for first is there for all.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::Series;
use common::report::check;
use expect_test::expect;
use stet_verify::{Caching, Conclusion};

#[test]
fn blocks_hide_nothing_of_the_same_name() {
    check(
        "\
const B2: bool;
function B3(): bool;
procedure P(x: int) { assert B2; assert B3(); if (x > 0) { assert x > -1; } assert x == x; }
procedure Q(B3: bool, x: int) { assert B3; if (x > 0) { assert x > -1; } assert x == x; }
",
        expect![[r#"
            P: errors
              Assert line 3: anon0
              Assert line 3: anon0
            Q: errors
              Assert line 4: anon0
        "#]],
    );
}

#[test]
fn names_of_the_encoding_are_free_for_programs() {
    check(
        "\
type a0 a;
type x;
function id<a>(x: a): a;
function x0<a>(x: a): a;
function U_2_int<a>(x: a): int;
function int_2_U(x: int): x;
function a0TypeInv0(x: x): x;
const MapType1Select: int;
procedure P(intType: int, m: [int]int) { assert m[3] == intType; }
procedure Q(m: [int]int) { assert U_2_int(m[3]) == m[3]; }
procedure R(q: a0 x, b: bool) { assert x0(q) == q; assert int_2_U(4) == int_2_U(5); assert x0(b) == b; }
procedure S(m: [int]int, y: x) { assert m[id(MapType1Select)] == MapType1Select; assert a0TypeInv0(y) == y; }
",
        expect![[r#"
            P: errors
              Assert line 9: anon0
            Q: errors
              Assert line 10: anon0
            R: errors
              Assert line 11: anon0
              Assert line 11: anon0
              Assert line 11: anon0
            S: errors
              Assert line 12: anon0
              Assert line 12: anon0
        "#]],
    );
}

/// A function that only has the name of one of the prover's is not that.
#[test]
fn functions_called_like_those_of_the_prover() {
    check(
        "\
function bvadd(x: bv8, y: bv8): bv8;
function {:bvbuiltin \"bvadd\"} add(x: bv8, y: bv8): bv8;
function sign_extend(x: bv8): bv16;
function {:builtin \"(_ sign_extend 8)\"} extended(x: bv8): bv16;
function fp.lt(x: float24e8, y: float24e8): bool;
procedure P(u: bv8, v: bv8) { assert add(u, v) == add(v, u); assert add(u, v) == bvadd(u, v); }
procedure Q(u: bv8) { assert extended(u) == sign_extend(u); }
procedure R(x: float24e8, y: float24e8) { assert fp.lt(x, y) == (x < y); }
",
        expect![[r#"
            P: errors
              Assert line 6: anon0
            Q: errors
              Assert line 7: anon0
            R: errors
              Assert line 8: anon0
        "#]],
    );
}

/// Type parameters of lambdas that their types do not show.
#[test]
fn lambdas_have_the_type_parameters_around_them() {
    check(
        "\
function f<a>(x: int): a;
function g<b>(x: b): int;
procedure P<a>(p: a) { assert (lambda x: int :: g(f(x): a))[1] == g(f(1): int); }
procedure Q<a>(p: a) { assert (lambda x: int :: g(f(x): a))[1] == g(f(1): a); }
procedure R<a,b>(p: a, q: b) { assert (lambda x: int :: g(f(x): a)) == (lambda x: int :: g(f(x): b)); }
procedure S() { assert (forall<t> y: t :: (lambda x: int :: g(f(x): t))[1] == g(f(1): int)); }
procedure T() { assert (forall<t> y: t :: (lambda x: int :: g(f(x): t))[1] == g(f(1): t)); }
procedure U() { assert (lambda x: int :: (forall<t> y: t :: g(f(3): t) == x))[1] ==> g(f(3): bool) == 1; }
procedure V() { assert (lambda x: int :: (forall<t> y: t :: g(f(3): t) == x))[1] ==> g(f(4): bool) == 1; }
procedure W() { assert (lambda<t> y: t :: g(f(3): t))[true] == g(f(3): int); }
procedure X() { assert (lambda<t> y: t :: g(f(3): t))[true] == g(f(3): bool); }
",
        expect![[r#"
            P: errors
              Assert line 3: anon0
            Q: verified
            R: errors
              Assert line 5: anon0
            S: errors
              Assert line 6: anon0
            T: verified
            U: verified
            V: errors
              Assert line 9: anon0
            W: errors
              Assert line 10: anon0
            X: verified
        "#]],
    );
}

/// Inlining puts variables and type parameters of one name into each other's scopes.
#[test]
fn parts_of_lambdas_are_told_apart_where_names_come_twice() {
    check(
        "\
function f<a>(x: int): a;
function g<b>(x: b): int;
function {:inline} h(y: int): bool { (forall x: int :: (lambda z: int :: (if z == 0 then x else y))[1] == x) }
function {:inline} k(y: int): bool { (forall<t> v: t :: (lambda z: int :: (if z == 0 then y else g(f(3): t)))[0] == g(f(3): t)) }
procedure P() { assert (forall x: int :: h(x)); }
procedure Q() { assert (forall<t> w: t :: k(g(f(3): t))); }
",
        expect![[r#"
            P: errors
              Assert line 5: anon0
            Q: errors
              Assert line 6: anon0
        "#]],
    );
}

/// The first use of a map type finds out what it needs; every other use needs the same.
#[test]
fn declarations_do_not_depend_on_who_asks_first() {
    check(
        "\
type Field a;
type Box b;
procedure P(m: <a>[Field a][Box a]a, n: <a>[Field a][Box a]a) { assert m == n; }
procedure Q(m: <a>[Field a][Box a]a, n: <a>[Field a][Box a]a) { assert m == n; }
procedure R(m: <a>[<b>[a]b]a, n: <a>[<b>[a]b]a) { assert m == n; }
procedure S(m: <a>[<b>[a]b]a, n: <a>[<b>[a]b]a) { assert m == m; }
",
        expect![[r#"
            P: errors
              Assert line 3: anon0
            Q: errors
              Assert line 4: anon0
            R: errors
              Assert line 5: anon0
            S: verified
        "#]],
    );
}

#[test]
fn texts_with_quotation_marks_are_refused() {
    check(
        "procedure P() { assert \"\\\"\" == \"\"; }\nprocedure Q() { assert \"a\" == \"b\"; }\n",
        expect![[r#"
            P: unsupported: a text with a quotation mark in it
            Q: errors
              Assert line 2: anon0
        "#]],
    );
}

/// What is said to be the prover's cannot say more than that.
#[test]
fn texts_of_builtins_stay_where_they_are_put() {
    check(
        "\
function {:builtin \"= 1 1)) (assert false) (assert (= 1\"} f(x: int): bool;
function {:builtin \"; nothing\"} g(x: int): int;
function {:builtin \"true false\"} h(): bool;
function {:builtin \"(_ int2bv 8)\"} eight(x: int): bv8;
type {:builtin \"Int)) (assert false) (declare-fun hh () (Array Int Int\"} S;
procedure P(x: int) { assume f(x); assert x == 1; }
procedure Q(x: int) { assert g(x) == x; }
procedure R(x: int) { assert h(); }
procedure U(x: int) { assert eight(3) == 3bv8; assert eight(x) == 3bv8; }
procedure V(x: int) { assert x == 1; }
procedure W(s: S, t: S) { assert s == t; }
",
        expect![[r#"
            P: unsupported: `= 1 1)) (assert false) (assert (= 1` as a function of the prover
            Q: unsupported: `; nothing` as a function of the prover
            R: unsupported: `true false` as a function of the prover
            U: errors
              Assert line 9: anon0
            V: errors
              Assert line 10: anon0
            W: unsupported: `Int)) (assert false) (declare-fun hh () (Array Int Int` as a type of the prover
        "#]],
    );
}

/// `{:builtin}` without a name is no function of the prover: its definition is part of what it means.
#[test]
fn definitions_of_functions_that_are_built_in_by_attribute_only() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let outcome = |body: &str| {
        let text = format!(
            "function {{:builtin}} f(x: int): int {{ {body} }}\nprocedure P() {{ assert f(1) == 2; }}\n"
        );
        series.next(&text).result("P").conclusion.clone()
    };
    assert_eq!(outcome("x + 1"), Conclusion::Verified);
    assert_eq!(outcome("x + 2"), Conclusion::Errors);
    assert_eq!(outcome("1 + x"), Conclusion::Verified);
}

/// What holds where values do not carry their types need not hold where they do.
#[test]
fn verdicts_without_types_are_not_taken_over() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    let program = "\
type Unit;
type Other;
function tag<a>(x: a): bool;
procedure P(p: Other, q: Other)
{
  assume (forall x: Unit, y: Unit :: {tag(x), tag(y)} x == y);
  assert tag(p) && tag(q) ==> p == q;
}
";
    series.options.erase_types = true;
    let erased = series.next(program).result("P").conclusion.clone();
    series.options.erase_types = false;
    let typed = series.next(program).result("P").conclusion.clone();
    assert_eq!([erased, typed], [Conclusion::Verified, Conclusion::Errors]);
}

/// Names that begin with a full stop are the prover's own in SMT-LIB.
#[test]
fn names_that_begin_with_a_full_stop() {
    let Some(mut series) = Series::new(Caching::Off) else {
        return;
    };
    let program = "\
type .T;
const .c: int;
function .f(.x: int): int;
axiom (forall .x: int :: {.f(.x)} .f(.x) > .x);
procedure .P(.a: .T, .b: .T)
{
  var .y: int;
  .y := .c;
  assert .f(.y) > .c;
  assert .a == .a;
}
";
    assert_eq!(
        series.next(program).result(".P").conclusion,
        Conclusion::Verified
    );
    let Ok(path) = stet_solve::pipe::locate(stet_solve::pipe::ProverKind::Cvc5, None) else {
        return eprintln!("skipped: no cvc5 found");
    };
    series.options.prover =
        stet_solve::pipe::ProverConfig::new(stet_solve::pipe::ProverKind::Cvc5, path);
    assert_eq!(
        series.next(program).result(".P").conclusion,
        Conclusion::Verified
    );
}

#[test]
fn types_called_like_the_sorts_of_the_encoding() {
    check(
        "\
type U;
type T;
function f(u: U): T;
axiom (forall u: U :: { f(u) } f(u) == f(u));
procedure P(u: U, v: U) { assume (forall a: U, b: U :: { f(a), f(b) } f(a) == f(b)); assert f(u) == f(v); }
procedure Q(s: T, t: T) { assert s == t; }
",
        expect![[r#"
            P: verified
            Q: errors
              Assert line 6: anon0
        "#]],
    );
}

/// Datatypes called like the sorts of the encoding, beside values that have those sorts.
#[test]
fn datatypes_called_like_sorts_of_the_encoding() {
    check(
        "\
type {:datatype} U;
function {:constructor} MakeU(of: int): U;
type {:datatype} T;
function {:constructor} MakeT(of: U): T;
function id<a>(x: a): a;
axiom (forall<a> x: a :: {id(x)} id(x) == x);
procedure P(u: U, t: T) { assert id(u) == u; assert of#MakeU(of#MakeT(id(MakeT(MakeU(3))))) == 3; }
procedure Q(u: U, t: T) { assert id(t) == MakeT(u); }
",
        expect![[r#"
            P: verified
            Q: errors
              Assert line 8: anon0
        "#]],
    );
}

/// Sorts stand in names as digests. These two share the first 32 bits of theirs.
#[test]
fn types_with_similar_digests_are_kept_apart() {
    let [first, second] = datatypes_with_similar_digests();
    check(
        &format!(
            "\
type {{:datatype}} {first};
function {{:constructor}} F(f: int): {first};
type {{:datatype}} {second};
function {{:constructor}} S(s: bool): {second};
function id<a>(x: a): a;
axiom (forall<a> x: a :: {{id(x)}} id(x) == x);
procedure P(x: {first}, y: {second}) {{ assert id(x) == x; assert id(y) == y; assert f#F(id(F(3))) == 3; }}
procedure Q(x: {first}, y: {second}) {{ assert id(x) == F(1) || id(y) == S(true); }}
"
        ),
        expect![[r#"
            P: verified
            Q: errors
              Assert line 8: anon0
        "#]],
    );
}

/// Names of two datatypes whose names in the encoding have digests that begin with the same eight hexadecimal digits.
fn datatypes_with_similar_digests() -> [String; 2] {
    let mut seen = std::collections::HashMap::new();
    for number in 0_u32.. {
        let name = format!("D{number}");
        let digest = stet_key::Digest::of_bytes(format!("{name}Type").as_bytes());
        if let Some(earlier) = seen.insert(digest.to_hex()[..8].to_owned(), name.clone()) {
            return [earlier, name];
        }
    }
    unreachable!("there are more numbers than digests of 32 bits")
}
