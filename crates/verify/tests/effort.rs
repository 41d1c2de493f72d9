//! What questions cost the prover, in its own resources: the same number in every run on every machine.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::Series;
use expect_test::expect;
use stet_verify::{Caching, Conclusion};

/// A family of sets that is closed under intersection, among facts about another family; `Field` makes the program
/// polymorphic, so that what a map holds is cast.
fn closed_family(others: usize) -> String {
    let locals: String = (0..others).map(|i| format!("  var c{i}: Set;\n")).collect();
    let facts: String = (0..others)
        .map(|i| format!("  assume g[c{i}];\n"))
        .collect();
    format!(
        "\
type Set;
type Field a;
const heap: <a>[Set, Field a]a;
function meet(a: Set, b: Set): Set;
procedure Closed(f: [Set]bool, g: [Set]bool, a: Set, b: Set, c: Set, d: Set)
{{
{locals}
  assume (forall x, y, z: Set :: {{f[x], f[y], f[z]}} f[x] && f[y] && z == meet(x, y) ==> f[z]);
{facts}
  assume f[a] && f[b] && f[c] && f[d];
  assert f[meet(a, b)];
  assert f[meet(c, d)];
  assert f[meet(meet(a, b), meet(c, d))];
}}
"
    )
}

#[test]
fn a_trigger_is_looked_for_in_its_own_map_only() {
    let Some(mut series) = Series::new(Caching::Off) else {
        return;
    };
    series.options.resource_limit = 100_000;
    for others in [0, 60] {
        let checked = series.next(&closed_family(others));
        assert_eq!(
            checked.run.verdicts[0].conclusion,
            Conclusion::Verified,
            "{others}"
        );
    }
}

/// With next to no resources for what an edit left open, everything is asked, errors that were known included; with
/// enough, what the edit cannot affect is not.
#[test]
fn an_edit_that_takes_too_much_effort_is_asked_about_as_a_whole() {
    let program = |last: &str| {
        format!(
            "\
procedure P(a: int, b: int)
{{
  assert a < b;
  assume a > 3;
  assert a > 2;
  assert {last};
}}
"
        )
    };
    let little = expect![[r#"
        P  3 assert FAILS solved
        P  5 assert ok solved
        P  6 assert ok solved
    "#]];
    let enough = expect![[r#"
        P  3 assert FAILS recycled
        P  5 assert ok cached
        P  6 assert ok solved
    "#]];
    let back = expect![[r#"
        P  3 assert FAILS recycled
        P  5 assert ok cached
        P  6 assert FAILS solved
    "#]];
    let usual = 3_000_000;
    for (resources, expected) in [(1, little), (usual, enough)] {
        let Some(mut series) = Series::new(Caching::Fine) else {
            return;
        };
        series.next(&program("a > 1"));
        series.options.edit_effort = resources;
        expected.assert_eq(&series.next(&program("a > 0")).obligations());
        // What was found in the whole is known to the next edit.
        series.options.edit_effort = usual;
        back.assert_eq(&series.next(&program("b > 9")).obligations());
    }
}

/// What a limit left undecided is not asked again with that limit; with another one it is, and a verdict goes before it.
#[test]
fn what_limits_left_undecided_is_kept_with_them() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    let program = closed_family(0);
    let mut run = |limit: u64| {
        series.options.resource_limit = limit;
        let run = series.next(&program).run;
        let layers = run.statistics.layers.iter();
        let asked = layers.filter(|layer| layer.name == "undecided");
        let hits: usize = asked.map(|layer| layer.hits).sum();
        let result = &run.verdicts[0];
        (result.conclusion.clone(), result.cached, hits)
    };
    let given_up = Conclusion::OutOfResource;
    assert_eq!(run(300), (given_up.clone(), false, 0));
    assert_eq!(run(300), (given_up.clone(), true, 1));
    assert_eq!(run(301), (given_up, false, 0));
    assert_eq!(run(100_000), (Conclusion::Verified, false, 0));
    let (conclusion, cached, _) = run(300);
    assert_eq!((conclusion, cached), (Conclusion::Verified, true));
}

/// The stages of one question share its limit of time: together they reach it, so what they left undecided is kept. Asking check by check
/// ends at once where the first check fails, so no stage reaches the limit alone.
#[test]
fn what_the_time_left_undecided_in_stages_is_kept() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    // two factors of 32 bits each, which nobody finds in a second
    let program = r#"
        function {:bvbuiltin "bvmul"} Mul(x: bv64, y: bv64): bv64;
        function {:bvbuiltin "bvult"} Less(x: bv64, y: bv64): bool;
        procedure P(x: bv64, y: bv64)
          requires Less(x, 4294967296bv64) && Less(y, 4294967296bv64);
        {
          assert Less(x, 7bv64);
          assert Mul(x, y) != 18446743979220271189bv64;
        }
    "#;
    series.options.time_limit = Some(std::time::Duration::from_millis(900));
    let run = || {
        let run = series.next(program).run;
        let result = &run.verdicts[0];
        (result.conclusion.clone(), result.cached)
    };
    assert_eq!(run(), (Conclusion::TimedOut, false));
    assert_eq!(run(), (Conclusion::TimedOut, true));
}
