//! What questions cost the prover, in its own resources: the same number in every run on every machine.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(missing_docs, reason = "tests")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::Series;
use stet_verify::{Caching, Outcome};

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
            checked.run.results[0].outcome,
            Outcome::Verified,
            "{others}"
        );
    }
}
