//! What an edit leaves standing: definitions before their use, names of locals, second opinions.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::Series;
use expect_test::{Expect, expect};
use stet_verify::Caching;

fn check(series: &Series, text: &str, expected: Expect) {
    expected.assert_eq(&series.next(text).obligations());
}

const GUARDED: &str = "\
const known: bool;
function F(x: int): bool;
axiom (forall x: int :: {F(x)} known ==> (F(x) <==> x > 0));
procedure P(x: int)
  ensures F(1);
{
  assert x * 0 == 0;
  assume known;
  assert F(2);
}
";

/// What is said about a function under a constant belongs to what assumes the constant: an edit leaves everything before that
/// standing.
#[test]
fn a_definition_under_a_constant_is_asked_for_where_that_is_assumed() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    check(
        &series,
        GUARDED,
        expect![[r#"
        P  5 ensures ok solved
        P  7 assert ok solved
        P  9 assert ok solved
    "#]],
    );
    let edited = GUARDED.replace("x > 0", "x > 1");
    check(
        &series,
        &edited,
        expect![[r#"
        P  5 ensures FAILS solved
        P  7 assert ok cached
        P  9 assert ok solved
    "#]],
    );
}

/// A predicate that is defined cannot be made false: what it guards is not gone where the predicate is not mentioned.
#[test]
fn what_a_defined_predicate_guards_is_never_left_out() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let text = "\
const known: bool;
function Q(x: int): bool;
function H(x: int): bool;
function P(x: int): bool { Q(x) }
axiom (forall x: int :: {H(x)} P(x) || known ==> H(x));
procedure M() { assume Q(1); assert H(1); }
";
    check(
        &series,
        text,
        expect![[r#"
        M  6 assert ok solved
    "#]],
    );
    let edited = text.replace("known ==> H(x)", "known ==> H(x) || x == 1");
    check(
        &series,
        &edited,
        expect![[r#"
        M  6 assert FAILS solved
    "#]],
    );
}

/// The names of locals are in no question.
#[test]
fn a_renamed_local_asks_nothing() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let text = "\
function F(x: int): int;
procedure P(x: int) returns (r: int)
  ensures r > x;
{
  var y: int;
  y := F(x);
  assert y == F(x);
  r := y;
}
";
    check(
        &series,
        text,
        expect![[r#"
        P  3 ensures FAILS solved
        P  7 assert ok solved
    "#]],
    );
    let renamed = text
        .replace("y: int", "other: int")
        .replace("y :=", "other :=");
    let renamed = renamed
        .replace("assert y", "assert other")
        .replace("r := y", "r := other");
    check(
        &series,
        &renamed,
        expect![[r#"
        P  3 ensures FAILS cached
        P  7 assert ok cached
    "#]],
    );
}

/// A failing check is asked about alone once: an edit after it does not have it asked again.
#[test]
fn a_second_opinion_is_kept_for_the_check() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let text = "\
function F(x: int): int;
axiom (forall x: int :: {F(x)} F(x) > 0);
procedure P(x: int)
{
  assert F(x) > 1;
  assert F(x) > 0;
}
";
    let opinions = |checked: &common::Checked| {
        let mut layers = checked.run.statistics.layers.iter();
        let layer = layers.find(|layer| layer.name == "opinions").unwrap();
        (layer.asked, layer.hits)
    };
    assert_eq!(opinions(&series.next(text)), (1, 0));
    let edited = text.replace("F(x) > 0;\n}", "F(x) >= 1;\n}");
    let second = series.next(&edited);
    assert_eq!(opinions(&second), (1, 1));
    expect![[r#"
        P  5 assert FAILS recycled
        P  6 assert ok solved
    "#]]
    .assert_eq(&second.obligations());
}
