//! Features of verification on small programs: what fails, where, and along which path.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::Series;
use common::report::{check, check_each, check_with, report};
use expect_test::expect;
use stet_verify::Caching;

#[test]
fn checks_of_inlined_procedures_keep_their_kind() {
    check(
        "\
var g: int;
procedure {:inline 1} Inc(x: int) returns (y: int)
  requires x > 0;
  modifies g;
  ensures y > 10;
  ensures g == old(g) + 1;
{
  if (x == 3) {
    g := g + 2; y := 11;
    return;
  }
  g := g + 1;
  y := x + 11;
}
procedure Main(a: int) modifies g;
{
  var b: int;
  call b := Inc(a);
  assert b == a + 11;
}
",
        expect![[r#"
            Main: errors
              Ensures line 10, clause line 6: anon0 inline$Inc$0$Entry inline$Inc$0$anon0 inline$Inc$0$anon3_Then inline$Inc$0$Return
              Requires line 18, clause line 3: anon0 inline$Inc$0$Entry
        "#]],
    );
}

#[test]
fn recursive_inline_functions_are_left_alone() {
    let Some(series) = Series::new(Caching::Off) else {
        return;
    };
    let checked = series.next(
        "\
function {:inline} loop(x: int): int { loop(x + 1) + 1 }
procedure P() { assert loop(1) == loop(1); }
procedure Q() { assert loop(1) == 3; }
",
    );
    expect![[r#"
        P: verified
        Q: errors
          Assert line 3: anon0
    "#]]
    .assert_eq(&report(&checked));
    assert!(
        checked
            .run
            .expansion_loops
            .iter()
            .all(|name| name == "loop")
    );
    assert!(!checked.run.expansion_loops.is_empty());
}

/// A postcondition speaks of globals before results are assigned to them.
#[test]
fn what_is_inferred_after_calls_holds() {
    check(
        "\
var n: int;
procedure S() returns (r: int); modifies n; ensures n >= 5;
procedure P() modifies n; { call n := S(); while (*) { assert n >= 5; } }
procedure Q() modifies n; { var k: int; call k := S(); while (*) { assert n >= 5; } }
procedure R(i: int) returns (r: int) ensures i >= 5; ensures r >= 1;
{
  r := 7;
  call r := R(3);
  while (*) { assert r >= 1; assert i >= 5; }
}
",
        expect![[r#"
            P: errors
              Assert line 3: anon0 anon2_LoopHead anon2_LoopBody
            Q: verified
            R: verified
        "#]],
    );
}

/// A function that an axiom defines to be an operator is bounded as the operator is; one that is not, is not.
#[test]
fn functions_that_are_operators_have_bounds() {
    check(
        "\
function Half(x: int, y: int): int;
axiom (forall x: int, y: int :: {Half(x, y)} Half(x, y) == x div y);
function Other(x: int, y: int): int;
axiom (forall x: int, y: int :: {Other(x, y)} Other(x, y) == y div x);
procedure P(n: int) requires 0 <= n; { var i: int; i := n; while (*) { i := Half(i, 2); } assert 0 <= i; }
procedure Q(n: int) requires 0 <= n; { var i: int; i := n; while (*) { i := Other(i, 2); } assert 0 <= i; }
",
        expect![[r#"
            P: verified
            Q: errors
              Assert line 6: anon0 anon3_LoopHead anon3_LoopDone
        "#]],
    );
}

/// A program with an axiom that says what `F` is.
fn with_axiom(attribute: &str, value: &str) -> String {
    format!(
        "\
function F(x: int): int;
function G(x: int): int;
axiom {attribute} (forall x: int :: {{F(x)}} F(x) == {value});
axiom (forall x: int :: {{G(x)}} 0 <= G(x));
procedure P(x: int) {{ assert 1 <= F(x); }}
procedure Q(x: int) {{ assert 2 <= F(x); }}
"
    )
}

/// An axiom for a second look proves what fails otherwise, and nothing that does not follow from it.
#[test]
fn axioms_for_a_second_look_are_told_for_failing_checks() {
    check_each(
        &["{:second}", ""].map(|attribute| with_axiom(attribute, "G(x) + 1")),
        expect![[r#"
            P: verified
            Q: errors
              Assert line 6: anon0
        "#]],
    );
}

#[test]
fn verdicts_depend_on_axioms_for_a_second_look() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let verified = |value: &str| {
        let text = report(&series.next(&with_axiom("{:second}", value)));
        (text.contains("P: verified"), text.contains("Q: verified"))
    };
    assert_eq!(verified("G(x) + 1"), (true, false));
    assert_eq!(verified("G(x) + 2"), (true, true));
    assert_eq!(verified("G(x)"), (false, false));
}

/// The premise about the type of a variable that nothing depends on hides nothing.
#[test]
fn quantifiers_over_types_that_are_no_sorts_and_bodies_without_their_variables() {
    check(
        "\
type T;
function same<a>(x: a): a;
procedure P(b: bool) requires (forall t: T :: b && b); { assert b; }
procedure Q(b: bool) requires b; { assert (exists t: T :: b); }
procedure R(b: bool) requires (exists t: T :: b); { assert b; assert !b; }
procedure S() { assert (exists t: T :: (exists i: int :: true)); }
",
        expect![[r#"
            P: verified
            Q: verified
            R: errors
              Assert line 5: anon0
            S: verified
        "#]],
    );
}

const IRREDUCIBLE: &str = "\
procedure P(x: int)
{
  var i: int;
  i := 0;
  goto A, B;
  A: assert i >= 0; i := i + 1; goto B;
  B: assert i >= 0; goto A, C;
  C: return;
}
";

#[test]
fn irreducible_graphs_are_verified_or_refused() {
    check(
        IRREDUCIBLE,
        expect![[r#"
            P: verified
        "#]],
    );
    check_with(
        |options| options.refuse_irreducible = true,
        IRREDUCIBLE,
        expect![[r#"
            P: unsupported: Irreducible flow graphs are unsupported.
        "#]],
    );
}

const BRANCHES: &str = "\
procedure P(x: int)
{
  var ok: bool;
  ok := true;
  if (x == 1) {
    ok := false;
  } else if (x == 2) {
    ok := false;
  } else if (x == 3) {
    ok := false;
  }
  assert ok;
}
";

#[test]
fn every_failing_path_can_be_reported() {
    let Some(mut series) = Series::new(Caching::Off) else {
        return;
    };
    assert_eq!(series.next(BRANCHES).result("P").errors.len(), 1);
    series.options.every_path = true;
    let checked = series.next(BRANCHES);
    let mut traces: Vec<_> = checked
        .result("P")
        .errors
        .iter()
        .map(|e| e.trace.clone())
        .collect();
    assert_eq!(traces.len(), 3);
    traces.sort_by_key(|trace| format!("{trace:?}"));
    traces.dedup();
    assert_eq!(traces.len(), 3, "three different paths");
    series.options.error_limit = 2;
    assert_eq!(series.next(BRANCHES).result("P").errors.len(), 2);
}

#[test]
fn every_failing_path_is_reported_again_after_an_edit() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    series.options.every_path = true;
    assert_eq!(series.next(BRANCHES).result("P").errors.len(), 3);
    let edited = BRANCHES.replace("assert ok;", "assert ok;\n  assert x == x;");
    let checked = series.next(&edited);
    assert_eq!(
        checked.result("P").errors.len(),
        3,
        "a snapshot keeps one path"
    );
}

#[test]
fn maps_without_indices_can_be_arrays() {
    let Some(mut series) = Series::new(Caching::Off) else {
        return;
    };
    series.options.arrays = true;
    let text = "procedure P()\n{\n  var m: []int;\n  m[] := 3;\n  assert m[] == 3;\n}\n";
    let checked = series.next(text);
    assert_eq!(
        checked.result("P").conclusion,
        stet_verify::Conclusion::Verified
    );
    let checked = series.next(&text.replace("m[] == 3", "m[] == 4"));
    assert_eq!(checked.result("P").errors.len(), 1);
}

#[test]
fn smoke_test_finds_dead_code() {
    check_with(
        |options| options.smoke = true,
        "\
procedure Fine(x: int)
{
  var y: int;
  if (x < 0) { y := 1; } else { y := 2; }
}
procedure Dead(x: int) requires x > 0;
{
  var y: int;
  if (x < 0) { y := 1; } else { y := 2; }
}
procedure Meant(x: int) requires x > 0;
{
  var y: int;
  if (x < 0) { y := 1; assert false; } else { y := 2; }
}
procedure Contradiction(x: int) requires x > 0; requires x < 0;
{
  assert x == 17;
}
procedure Loop(n: int) requires n > 0;
{
  var i: int;
  i := 0;
  while (i < n) invariant i <= n; { i := i + 1; }
  if (i > n) { i := 0; }
}
",
        expect![[r#"
            Fine: verified
            Dead: verified
              unreachable: anon0 anon3_Then
            Meant: verified
            Contradiction: verified
              unreachable: anon0
            Loop: verified
              unreachable: anon0 anon4_LoopHead anon4_LoopDone anon5_Then
        "#]],
    );
}

const MANY: &str = "\
procedure P(x: int, y: int) returns (z: int)
  requires x > 0;
  ensures z > 1;
{
  z := x;
  assert z > 0;
  assert {:split_here} z >= 1;
  if (*) {
    z := z + 1;
    assert {:focus} z > 1;
    assert y > 0;
  } else {
    z := z + 2;
    assert z > 2;
  }
  assert y == 3;
}
";

#[test]
fn splitting_changes_no_verdict() {
    let Some(mut series) = Series::new(Caching::Off) else {
        return;
    };
    let whole = MANY.replace("{:split_here} ", "").replace("{:focus} ", "");
    let expected = series.next(&whole).verdicts();
    assert!(expected.len() == 7, "{expected:?}");
    assert_eq!(series.next(MANY).verdicts(), expected);
    for splits in [2, 3, 100] {
        series.options.max_splits = splits;
        assert_eq!(series.next(&whole).verdicts(), expected, "{splits} splits");
        assert_eq!(
            series.next(MANY).verdicts(),
            expected,
            "{splits} splits and marks"
        );
    }
    series.options.split_on_every_assert = true;
    assert_eq!(series.next(&whole).verdicts(), expected);
    series.options.caching = Caching::Fine;
    for _ in 0..2 {
        assert_eq!(series.next(&whole).verdicts(), expected);
    }
    let edited = whole.replace("y == 3", "y == 4");
    let fresh = Series::new(Caching::Off).map(|s| s.next(&edited).verdicts());
    assert_eq!(Some(series.next(&edited).verdicts()), fresh);
}

#[test]
fn models_show_captured_states() {
    let Some(mut series) = Series::new(Caching::Off) else {
        return;
    };
    series.options.want_models = true;
    let checked = series.next(
        "\
var g: int;
procedure P(x: int) modifies g;
{
  assume x == 5 && g == 1;
  g := g + x;
  assume {:captureState \"added\"} true;
  if (x > 3) {
    g := g + 1;
    assume {:captureState \"then\"} true;
  }
  assert g == 6;
  assume {:captureState \"later\"} true;
}
",
    );
    let model = checked.result("P").errors[0]
        .model
        .clone()
        .expect("a model");
    let states: String = model
        .states
        .iter()
        .map(|state| format!("{}: {:?}\n", state.name, state.values))
        .collect();
    expect![[r#"
        <initial>: [("g", "1"), ("x", "5")]
        added: [("g", "6"), ("x", "5")]
        then: [("g", "7"), ("x", "5")]
    "#]]
    .assert_eq(&states);
}

#[test]
fn limits_can_be_set_by_attributes() {
    let hard = "\
function f(int): int;
axiom (forall x: int :: { f(x) } f(x) == f(x + 1) + f(x + 2) + f(x + 3));
procedure {:rlimit 1000} P(a: int) { assert f(a) * f(a) * f(a) > a * a - 7; }
";
    check(
        hard,
        expect![[r#"
            P: OutOfResource
        "#]],
    );
}

/// `assume false` ends a path; a loop whose body starts with it is no loop.
#[test]
fn nothing_comes_after_false() {
    check(
        "\
procedure P(x: int) ensures x > 0;
{
  while (false) invariant x == 1; { assert x == 2; }
  if (x < 0) { assume false; assert x == 3; }
  assert x == 0 ==> false;
}
",
        expect![[r#"
            P: errors
              Assert line 3: anon0 anon5_LoopHead
        "#]],
    );
}

#[test]
fn where_clauses_of_unused_locals_are_not_assumed() {
    check(
        "\
procedure Unused() { var u: int where false; assert false; }
procedure Attribute() { var u: int where false; assert {:a u} false; }
procedure InAClause() { var u: int where u > 3; var w: int where w > u && u < 0; assert w == 4; }
procedure Unreachable() { var u: int where false; assert false; return; L: u := 1; }
procedure Used() { var u: int where false; assert false; havoc u; }
procedure {:inline 1} Callee() { var u: int where false; }
procedure {:inline 1} Callee2() { var u: int where false; u := 1; }
procedure Inlined() { call Callee(); assert false; }
procedure Inlined2() { call Callee2(); assert false; }
procedure After() { var u: int where false; assert 1 == 2; if (*) { assert false; } else { assume false; } u := 1; }
procedure AfterLoop() { var u: int where false; assert 1 == 2; while (*) invariant false; {} u := 1; }
procedure SameBlock() { var u: int where false; assert 1 == 2; assert false; u := 1; }
procedure NotLiteral() { var u: int where false; assert 1 == 2; assume !true; goto L; L: u := 1; }
",
        expect![[r#"
            Unused: errors
              Assert line 1: anon0
            Attribute: errors
              Assert line 2: anon0
            InAClause: errors
              Assert line 3: anon0
            Unreachable: errors
              Assert line 4: anon0
            Used: verified
            Inlined: errors
              Assert line 8: anon0 inline$Callee$0$Entry inline$Callee$0$anon0 inline$Callee$0$Return anon0$1
            Inlined2: verified
            After: errors
              Assert line 10: anon0
            AfterLoop: errors
              Assert line 11: anon0
            SameBlock: verified
            NotLiteral: verified
        "#]],
    );
}

#[test]
fn results_of_calls_are_assigned_whatever_the_where_clauses_of_their_targets_say() {
    check(
        "\
var g: int where g >= 5;
procedure S() returns (r: int);
procedure W() returns (r: int where r >= 5);
procedure P() modifies g; { call g := S(); assert g >= 5; }
procedure Q() { var l: int where l >= 5; call l := S(); assert l >= 5; }
procedure R() { var l: int where l >= 5; call l := S(); havoc l; assert l >= 5; }
procedure T() { var l: int; call l := W(); assert l >= 5; }
",
        expect![[r#"
            P: errors
              Assert line 4: anon0
            Q: errors
              Assert line 5: anon0
            R: verified
            T: verified
        "#]],
    );
}

#[test]
fn a_call_that_cannot_return_does_not_unmake_a_loop() {
    check(
        "\
procedure Never(); ensures false;
procedure P(x: int) {
  while (*)
    invariant x > 0;
  { call Never(); }
}
procedure Q(x: int) {
  while (*)
    invariant x > 0;
  { assume false; }
}
",
        expect![[r#"
            P: errors
              InvariantEntry line 4: anon0
            Q: errors
              Assert line 9: anon0 anon2_LoopHead
        "#]],
    );
}

const NESTED: &str = "\
procedure Exit(n: int)
{
  var i: int;
  i := 0;
  while (i < n) { i := i + 1; }
  assert i != 2;
}
procedure Nest(n: int)
{
  var i, j: int;
  i := 0;
  while (i < n)
    invariant i < 2;
  {
    j := 0;
    while (j < i) { j := j + 1; }
    i := i + 1;
  }
}
procedure Irreducible(x: int)
{
  goto A, B;
  A: assert x != 1; goto B;
  B: assert x != 2; goto A, C;
  C: assert x != 3;
}
";

/// Loops inside of loops share the number of edges to follow; a loop is not left after the last.
#[test]
fn loops_are_unrolled_as_boogie_does() {
    check_with(
        |options| options.loop_unroll = Some(2),
        NESTED,
        expect![[r#"
            Exit: verified
            Nest: verified
            Irreducible: errors
              Assert line 23: anon0#2 A#2
              Assert line 23: anon0#2 B#2 A#1
              Assert line 24: anon0#2 B#2
              Assert line 25: anon0#2 B#2 A#1 B#1 C#2
        "#]],
    );
    check_with(
        |options| options.loop_unroll = Some(3),
        NESTED,
        expect![[r#"
            Exit: errors
              Assert line 6: anon0#3 anon3_LoopHead#3 anon3_LoopBody#3 anon3_LoopHead#2 anon3_LoopBody#2 anon3_LoopHead#1 anon3_LoopDone#3
            Nest: errors
              Assert line 13: anon0#3 anon4_LoopHead#3 anon4_LoopBody#3 anon5_LoopHead#3 anon5_LoopDone#3 anon4_LoopHead#2 anon4_LoopBody#2 anon5_LoopHead#2 anon5_LoopBody#2 anon5_LoopHead#1 anon5_LoopDone#1 anon4_LoopHead#0
            Irreducible: errors
              Assert line 23: anon0#3 A#3
              Assert line 23: anon0#3 B#3 A#2
              Assert line 24: anon0#3 B#3
              Assert line 25: anon0#3 B#3 A#2 B#2 A#1 B#1 C#3
        "#]],
    );
    check_with(
        |options| {
            options.loop_unroll = Some(1);
            options.sound_unrolling = true;
        },
        NESTED,
        expect![[r#"
            Exit: errors
              Assert line 5: anon0#1 anon3_LoopHead#1 anon3_LoopBody#1 anon3_LoopHead#0
            Nest: errors
              Assert line 12: anon0#1 anon4_LoopHead#1 anon4_LoopBody#1 anon5_LoopHead#1 anon5_LoopDone#1 anon4_LoopHead#0
            Irreducible: errors
              Assert line 23: anon0#1 B#1 A#0
              Assert line 23: anon0#1 A#1
              Assert line 23: anon0#1 B#1 A#0
              Assert line 24: anon0#1 B#1
              Assert line 25: anon0#1 B#1 C#1
        "#]],
    );
}

#[test]
fn smoke_test_looks_at_all_ends_of_branches() {
    check_with(
        |options| options.smoke = true,
        "\
procedure Join(x: int) { assume x > 0; if (x < 0) { assert true; } assert x > 0; }
procedure Stop(x: int) { assume x > 0; if (x < 0) { assert x < 5; assume false; } assert x > 0; }
procedure Meant(x: int) { assume x > 0; if (x < 0) { assert !true; } assert x > 0; }
procedure Meant2(x: int) { assume x > 0; if (x < 0) { assert 1 != 1; } assert x > 0; }
procedure Excused(x: int) { assume x > 0; if (x < 0) { assert {:PossiblyUnreachable} true; return; } assert x > 0; }
procedure Forever(x: int) { while (true) { assert true; } }
procedure Never(); ensures false;
procedure Calls(x: int) { assume x < 4; if (x == 5) { call Never(); } call Never(); }
procedure Ways(x: int) { assume x > 0; goto a, b; a: goto c; b: goto c; c: assume x < 0; }
",
        expect![[r#"
            Join: verified
              unreachable: anon0 anon3_Then
            Stop: verified
              unreachable: anon0 anon3_Then
            Meant: verified
            Meant2: verified
            Excused: verified
            Forever: verified
            Calls: verified
              unreachable: anon0 anon3_Then
            Ways: verified
              unreachable: anon0 b a c
        "#]],
    );
}

#[test]
fn the_error_limit_holds_for_each_part() {
    check_with(
        |options| options.error_limit = 1,
        "\
procedure P(x: int) {
  assert x > 1;
  assert x > 2;
  assert {:split_here} x > 3;
  assert x > 4;
  assert x > 5;
}
",
        expect![[r#"
            P: errors
              Assert line 3: anon0
              Assert line 6: anon0
        "#]],
    );
}

#[test]
fn code_expressions_are_read_as_formulas() {
    check(
        "\
procedure P(x: int)
{
  assert |{ var q: int; A: q := x; goto B, C; B: assume q > 0; return q >= 1; C: assume q <= 0; return q < 1; }|;
  assert |{ var q: int; A: q := 1; goto B, C; B: return q > 3; C: return q == 1; }|;
}
procedure Smoke(x: int) requires false; { assert x > 3; }
",
        expect![[r#"
            P: errors
              Assert line 4: anon0
            Smoke: verified
        "#]],
    );
}

/// Only what comes after a mark is checked.
#[test]
fn selective_checking() {
    check(
        "\
procedure {:selective_checking} P(x: int)
{
  assert x > 0;
  if (x > 5) {
    assert x > 6;
    assume {:start_checking_here} true;
    assert x > 7;
  } else {
    assert x > 8;
  }
  assert x > 9;
}
procedure {:selective_checking} Nothing(x: int) { assert x > 0; }
procedure All(x: int) { assert x > 0; assume {:start_checking_here} true; }
",
        expect![[r#"
            P: errors
              Assert line 7: anon0 anon4_Then
              Assert line 11: anon0 anon4_Then anon3
            Nothing: verified
            All: errors
              Assert line 14: anon0
        "#]],
    );
}

/// What inlining would make too large is refused at once.
#[test]
fn inlining_has_a_limit() {
    check(
        "\
procedure {:inline 100000} Deep(x: int) { call Deep(x + 1); }
procedure {:inline 40} Wide(x: int) { call Wide(x); call Wide(x + 1); }
procedure P() { call Deep(0); assert false; }
procedure Q() { call Wide(0); assert false; }
procedure R(x: int) { assert x == x; }
",
        expect![[r#"
            P: unsupported: inlining calls into more than 20000 blocks
            Q: unsupported: inlining calls into more than 20000 blocks
            R: verified
        "#]],
    );
}

#[test]
fn checks_that_are_verified_under_a_condition_are_trusted_there() {
    check(
        "\
procedure P(p: bool, a: bool) { assert {:verified_under a} p; }
procedure Q(p: bool, a: bool) requires !a ==> p; { assert {:verified_under a} {:verified_under true} p; assert p; }
procedure R(p: bool, a: bool) { assert {:verified_under a} {:verified_under true} p; }
",
        expect![[r#"
            P: errors
              Assert line 1: anon0
            Q: verified
            R: errors
              Assert line 3: anon0
        "#]],
    );
}

#[test]
fn assumption_variables_can_only_become_false() {
    check(
        "\
procedure P(b: bool)
{
  var {:assumption} a: bool;
  var before: bool;
  a := a && b;
  before := a;
  havoc a;
  assert a ==> before;
  assert before ==> a;
}
",
        expect![[r#"
            P: errors
              Assert line 9: anon0
        "#]],
    );
}
