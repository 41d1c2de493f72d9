//! Definitions that would be inconsistent are rejected.

use stet_base::SourceMap;
use stet_dafny::{NoIncludes, Phase, check};

#[track_caller]
fn rejected(text: &str, words: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.dfy", text).expect("small");
    let checked = check(&mut sources, &[file], &mut NoIncludes);
    assert_eq!(checked.phase, Phase::Resolve, "{text}");
    let found = checked
        .diagnostics
        .iter()
        .any(|d| d.message.contains(words));
    assert!(found, "{:#?}", checked.diagnostics);
}

#[test]
fn inconsistent_definitions_are_rejected() {
    rejected(
        "const a: int := b + 1 const b: int := a",
        "const definition contains a cycle",
    );
    rejected(
        "function F(x: int): int { var g := F; g(x) + 1 }",
        "every recursive use of the function",
    );
    rejected(
        "least predicate P(x: int) { !P(x) }",
        "only in positive positions",
    );
    rejected(
        "greatest predicate P(x: int) { P(x) ==> x == 0 }",
        "only in positive positions",
    );
    rejected("datatype D = N | C(D -> bool)", "strict positivity");
    rejected(
        "class R { ghost var f: () ~> int } method M(r: R) modifies r { r.f := () reads r => 1; }",
        "read effects",
    );
    rejected(
        "class Y { const f: Y -> nat constructor (f: Y -> nat) { this.f := f; } }",
        "reads the object",
    );
    rejected(
        "trait A extends B {} trait B extends A {}",
        "contain a cycle",
    );
    rejected("type T = map<T, T>", "cycle among redirecting types");
}
