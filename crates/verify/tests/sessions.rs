//! The sessions of [FGC]: after each edit, exactly which obligations were solved, reused and recycled.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::Series;
use expect_test::{Expect, expect};
use stet_verify::{Caching, Origin, Priority};

const GCD: &str = "\
procedure gcd(x, y: int) returns (r: int)
  requires 0 < x && 0 < y;
  ensures 0 <= r;
{
  if (x < y) {
    call r := gcd(x, y - x);
    assert 1 <= r;
  } else if (y < x) {
    call r := gcd(x - y, y);
  }
  assert 0 < x + y;
}
";

fn check(series: &Series, text: &str, expected: Expect) {
    expected.assert_eq(&series.next(text).obligations());
}

/// [FGC Fig. 4 and 5]. The last assertion does not depend on `r`, so it is not asked again in snapshot 1,
/// where the paper's statement checksum would.
#[test]
fn gcd() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    check(
        &series,
        GCD,
        expect![[r#"
        gcd  3 ensures FAILS solved
        gcd  6 requires ok solved
        gcd  7 assert FAILS solved
        gcd  9 requires ok solved
        gcd 11 assert ok solved
    "#]],
    );
    let v1 = GCD.replace("  }\n  assert", "  } else {\n    r := x;\n  }\n  assert");
    check(
        &series,
        &v1,
        expect![[r#"
        gcd  3 ensures ok solved
        gcd  6 requires ok cached
        gcd  7 assert FAILS recycled
        gcd  9 requires ok cached
        gcd 13 assert ok cached
    "#]],
    );
    let v2 = v1.replace("ensures 0 <= r", "ensures 1 <= r");
    check(
        &series,
        &v2,
        expect![[r#"
        gcd  3 ensures ok solved
        gcd  6 requires ok cached
        gcd  7 assert ok solved
        gcd  9 requires ok cached
        gcd 13 assert ok partially cached
    "#]],
    );
}

/// Two edits that matter to nobody: white space and an unused declaration.
#[test]
fn cosmetic_edits_are_hits() {
    let Some(series) = Series::new(Caching::Basic) else {
        return;
    };
    let first = series.next(GCD);
    let second = series.next(&format!("// moved\nfunction unused(i: int): int;\n\n{GCD}"));
    assert_eq!(second.counts(), [0, 5, 0, 0]);
    assert_eq!(second.result("gcd").priority, Priority::Highest);
    let lines = |c: &common::Checked| -> Vec<u32> {
        let errors = c.result("gcd").errors.iter();
        errors.map(|e| c.sources.start_of(e.span).line).collect()
    };
    let moved: Vec<u32> = lines(&first).iter().map(|line| line + 3).collect();
    assert_eq!(
        lines(&second),
        moved,
        "errors are reported at their new positions"
    );
}

const FLAG: &str = "\
type Color;
const unique Red: Color;
const unique White: Color;
const unique Blue: Color;
axiom (forall m: [int]Color, i: int :: {m[i]} m[i] == Red || m[i] == White || m[i] == Blue);
function Ordered(c: Color, d: Color): bool { c == Red || d == Blue }
var a: [int]Color;
procedure Sort(n: int)
  requires 0 <= n;
  modifies a;
  ensures (forall i, j: int :: 0 <= i && i < j && j < n ==> Ordered(a[i], a[j]));
{
  var r, w, b, d: int;
  var t: Color;
  r, w, b := 0, 0, n;
  while (w != b)
    invariant 0 <= r && r <= w && w <= b && b <= n;
    invariant (forall i: int :: 0 <= i && i < r ==> a[i] == Red);
    invariant (forall i: int :: r <= i && i < w ==> a[i] == White);
    invariant (forall i: int :: b <= i && i < n ==> a[i] == Blue);
  {
    d := b - w;
    if (a[w] == Red) {
      t := a[r];
      a[r] := a[w];
      a[w] := t;
      r := r + 1;
    } else if (a[w] == White) {
      w := w + 1;
    } else {
      b := b - 1;
    }
    assert b - w < d;
  }
}
procedure Client()
  modifies a;
{
  call Sort(10);
  assert Ordered(a[0], a[9]) || a[0] == a[9];
  call Sort(20);
  assert true;
}
";

/// The Dutch-flag session of [FGC §2]: the predicate, the two branches, and a stronger postcondition.
#[test]
fn dutch_flag() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    check(
        &series,
        FLAG,
        expect![[r#"
        Client 39 requires ok solved
        Client 40 assert ok solved
        Client 41 requires ok solved
        Client 42 assert ok solved
        Sort 11 ensures FAILS solved
        Sort 17 entry ok solved
        Sort 17 maintained ok solved
        Sort 18 entry ok solved
        Sort 18 maintained ok solved
        Sort 19 entry ok solved
        Sort 19 maintained ok solved
        Sort 20 entry ok solved
        Sort 20 maintained FAILS solved
        Sort 33 assert FAILS solved
    "#]],
    );
    let v1 = FLAG.replace(
        "c == Red || d == Blue }",
        "c == Red || d == Blue || c == d }",
    );
    check(
        &series,
        &v1,
        expect![[r#"
            Client 39 requires ok cached
            Client 40 assert ok solved
            Client 41 requires ok solved
            Client 42 assert ok solved
            Sort 11 ensures ok solved
            Sort 17 entry ok cached
            Sort 17 maintained ok cached
            Sort 18 entry ok cached
            Sort 18 maintained ok cached
            Sort 19 entry ok cached
            Sort 19 maintained ok cached
            Sort 20 entry ok cached
            Sort 20 maintained FAILS recycled
            Sort 33 assert FAILS recycled
        "#]],
    );
    let v2 = v1.replace(
        "      r := r + 1;\n",
        "      r := r + 1;\n      w := w + 1;\n",
    );
    check(
        &series,
        &v2,
        expect![[r#"
        Client 40 requires ok cached
        Client 41 assert ok cached
        Client 42 requires ok cached
        Client 43 assert ok cached
        Sort 11 ensures ok cached
        Sort 17 entry ok cached
        Sort 17 maintained ok partially cached
        Sort 18 entry ok cached
        Sort 18 maintained ok partially cached
        Sort 19 entry ok cached
        Sort 19 maintained ok partially cached
        Sort 20 entry ok cached
        Sort 20 maintained FAILS solved
        Sort 34 assert ok solved
    "#]],
    );
    let v3 = v2.replace(
        "      b := b - 1;\n",
        "      b := b - 1;\n      t := a[b];\n      a[b] := a[w];\n      a[w] := t;\n",
    );
    check(
        &series,
        &v3,
        expect![[r#"
        Client 43 requires ok cached
        Client 44 assert ok cached
        Client 45 requires ok cached
        Client 46 assert ok cached
        Sort 11 ensures ok cached
        Sort 17 entry ok cached
        Sort 17 maintained ok cached
        Sort 18 entry ok cached
        Sort 18 maintained ok partially cached
        Sort 19 entry ok cached
        Sort 19 maintained ok partially cached
        Sort 20 entry ok cached
        Sort 20 maintained ok solved
        Sort 37 assert ok cached
    "#]],
    );
    let v4 = v3.replace(
        "Ordered(a[i], a[j]));\n{",
        "Ordered(a[i], a[j]));\n  ensures (forall i: int :: i < 0 || n <= i ==> a[i] == old(a)[i]);\n{",
    );
    check(
        &series,
        &v4,
        expect![[r#"
        Client 44 requires ok cached
        Client 45 assert ok cached
        Client 46 requires ok cached
        Client 47 assert ok cached
        Sort 11 ensures ok cached
        Sort 12 ensures FAILS solved
        Sort 18 entry ok cached
        Sort 18 maintained ok cached
        Sort 19 entry ok cached
        Sort 19 maintained ok cached
        Sort 20 entry ok cached
        Sort 20 maintained ok cached
        Sort 21 entry ok cached
        Sort 21 maintained ok cached
        Sort 38 assert ok cached
    "#]],
    );
}

/// Law 6: nobody asks for `--check-cache`, yet a debug build finds that a store is wrong. Every verdict stored
/// is exchanged for "nothing fails"; those in the sample are caught.
#[test]
#[cfg(debug_assertions)]
fn the_sample_of_a_debug_build_catches_wrong_verdicts() {
    use stet_store::{Config, Mode, Store};
    let Some(mut series) = Series::new(Caching::Basic) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    series.store = Store::open(Config::file(
        directory.path().join("store.db"),
        Mode::ReadWrite,
    ));
    let text: String = (0..400)
        .map(|n| format!("procedure p{n}(x: int) {{ assert x != {n}; }}\n"))
        .collect();
    series.next(&text);
    let mut planted = 0;
    let (mut sampled, store) = (0, Store::in_memory());
    series
        .store
        .for_each_entry(|mut entry| {
            if entry.outcome == stet_store::Outcome::Fails {
                planted += 1;
                sampled += usize::from(stet_store::is_rechecked(&entry.key));
                entry.outcome = stet_store::Outcome::Holds;
                entry.evidence = vec![0; 5];
            }
            store.put(entry);
            true
        })
        .unwrap();
    assert_eq!(planted, 400);
    series.store = store;
    let again = series.next_unchecked(&text);
    assert_eq!(again.run.mismatches.len(), sampled);
    assert!(sampled > 0, "no key of 400 is in the sample");
}

const STEPS: &str = "\
procedure P(x: int, y: int) returns (r: int)
  requires 0 < x;
{
  var k: int;
  k := y;
  assume y < 100;
  r := x + 1;
  assert 1 < r;
  while (k < 10)
    invariant 0 < x;
    invariant 1 < r;
  {
    k := k + 1;
    r := r + x;
  }
  assert 0 < r;
}
";

/// Further than the paper: a precondition that became weaker is an explicit assumption; one that became stronger
/// leaves everything alone.
#[test]
fn changed_preconditions() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    assert_eq!(series.next(STEPS).counts(), [6, 0, 0, 0]);
    let stronger = STEPS.replace("requires 0 < x;", "requires 0 < x;\n  requires x < 50;");
    assert_eq!(series.next(&stronger).counts(), [0, 6, 0, 0]);
    let weaker = STEPS.replace("requires 0 < x;", "requires 0 <= x;");
    check(
        &series,
        &weaker,
        expect![[r#"
        P  8 assert FAILS solved
        P 10 entry ok solved
        P 10 maintained ok partially cached
        P 11 entry ok solved
        P 11 maintained ok partially cached
        P 16 assert ok solved
    "#]],
    );
}

/// Further than the paper: `assume` statements, likewise.
#[test]
fn changed_assumptions() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let text = STEPS.replace("assert 1 < r;", "assert 1 < r;\n  assert y < 200;");
    series.next(&text);
    let more = text.replace("assume y < 100;", "assume y < 100;\n  assume y < 90;");
    assert_eq!(series.next(&more).counts(), [0, 7, 0, 0]);
    let less = text.replace("assume y < 100;", "assume y < 300;");
    check(
        &series,
        &less,
        expect![[r#"
        P  8 assert ok partially cached
        P  9 assert FAILS solved
        P 11 entry ok partially cached
        P 11 maintained ok partially cached
        P 12 entry ok partially cached
        P 12 maintained ok partially cached
        P 17 assert ok partially cached
    "#]],
    );
}

/// Further than the paper: a changed invariant is an assumption in the loop and after it, and two checks of its own.
#[test]
fn changed_invariants() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    series.next(STEPS);
    let weaker = STEPS.replace("invariant 1 < r;", "invariant 0 < r;");
    check(
        &series,
        &weaker,
        expect![[r#"
        P  8 assert ok cached
        P 10 entry ok cached
        P 10 maintained ok partially cached
        P 11 entry ok solved
        P 11 maintained ok solved
        P 16 assert ok partially cached
    "#]],
    );
}

/// Further than the paper: a check depends on what can affect it, not on everything before it.
#[test]
fn independent_edits_upstream() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    series.next(STEPS);
    let other = STEPS.replace("k := y;", "k := y + 3;");
    assert_eq!(series.next(&other).counts(), [0, 6, 0, 0]);
}

/// What an edit does affect is asked again, and the new verdict is the true one.
#[test]
fn dependent_edits_upstream() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    series.next(STEPS);
    let wrong = STEPS.replace("r := x + 1;", "r := x - 1;");
    check(
        &series,
        &wrong,
        expect![[r#"
        P  8 assert FAILS solved
        P 10 entry ok partially cached
        P 10 maintained ok partially cached
        P 11 entry ok partially cached
        P 11 maintained ok partially cached
        P 16 assert ok partially cached
    "#]],
    );
    let axiom = "function f(i: int): int;\naxiom (forall i: int :: {f(i)} f(i) > i);\n\
                 procedure P(x: int) { assert f(x) > x; }\n";
    assert_eq!(series.next(axiom).counts(), [1, 0, 0, 0]);
    let weaker = series.next(&axiom.replace("f(i) > i)", "f(i) >= i)"));
    assert_eq!(
        weaker.counts(),
        [1, 0, 0, 0],
        "the proof stood on the axiom"
    );
    assert_eq!(weaker.result("P").errors.len(), 1);
}

/// Verdicts by text: the other implementation is reported without its condition, at its new place.
#[test]
fn verdicts_by_text() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    series.by_text = true;
    let program = "procedure P(x: int)\n  ensures x == 0;\n{ assert x == x; }\n\
                   procedure Q(x: int)\n{\n  assert x > 0;\n}\n";
    assert_eq!(series.next(program).counts(), [3, 0, 0, 0]);
    let longer = program.replace(
        "{ assert x == x; }",
        "{\n  assert x == x;\n  assert x <= x;\n}",
    );
    let second = series.next(&longer);
    let error = &second.result("Q").errors[0];
    assert_eq!(second.sources.start_of(error.span).line, 9);
    assert_eq!(second.result("Q").count(Origin::Cached), 1);
    assert_eq!(second.result("P").errors.len(), 1);
    // The postcondition of P is in the text between bodies: everything is looked at again.
    let other = series.next(&longer.replace("ensures x == 0", "ensures x == x"));
    assert_eq!(other.result("P").errors.len(), 0);
    // Back to a text whose snapshot is not the last one: the verdict is known, and the next edit is compared with it.
    let back = series.next(&longer);
    assert_eq!(back.result("P").errors.len(), 1);
    assert_eq!(back.counts()[0], 0);
    let next = series.next(&longer.replace("assert x <= x;", "assert x <= x + 1;"));
    assert_eq!(next.counts(), [2, 2, 0, 0], "{}", next.obligations());
}

/// After a program known as a whole the next edit is compared with it, not with what was verified last.
#[test]
fn edits_after_a_program_known_as_a_whole() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    series.by_text = true;
    let first =
        "procedure P(x: int)\n{\n  var y: int;\n  y := x;\n  assert y == x;\n  assert y >= x;\n}\n";
    let edited = first.replace("y := x;", "y := x + x - x;");
    assert_eq!(series.next(first).counts(), [2, 0, 0, 0]);
    assert_eq!(series.next(&edited).counts()[0], 0, "under assumptions");
    assert!(series.next(first).run.program.is_none(), "known as a whole");
    let longer = first.replace("}\n", "  assert y <= x;\n}\n");
    assert_eq!(series.next(&longer).counts(), [1, 2, 0, 0]);
}

/// Comments and blanks are no part of a text; positions are those of the new layout.
#[test]
fn verdicts_by_text_in_another_layout() {
    for caching in [Caching::Basic, Caching::Fine] {
        let Some(mut series) = Series::new(caching) else {
            return;
        };
        series.by_text = true;
        let program = "procedure P(x: int)\n  ensures x == 0;\n{ assert x == x; }\n\
                       procedure Q(x: int)\n{\n  assert x > 0;\n}\n";
        assert_eq!(series.next(program).counts(), [3, 0, 0, 0]);
        let laid_out = "// A note.\nprocedure P(x: int)\n\n  ensures x == 0; // why\n{\tassert x == x;\n}\n\
                        procedure Q(x: int)\n{\n  // more\n      assert x > 0; }";
        let second = series.next(laid_out);
        assert_eq!(second.counts(), [0, 3, 0, 0]);
        let place = |name: &str| {
            let error = &second.result(name).errors[0];
            let related = error.related.map(|r| second.sources.start_of(r).line);
            let at = second.sources.start_of(error.span);
            (at.line, at.column, related)
        };
        assert_eq!(place("P"), (6, 1, Some(4)));
        assert_eq!(place("Q"), (10, 7, None));
        // The same characters in other words are another text.
        assert_eq!(
            series.next(&laid_out.replace("x > 0", "x >= 0")).counts(),
            [1, 2, 0, 0]
        );
    }
}

/// Whole programs are known again in another layout, and only then.
#[test]
fn programs_in_another_layout() {
    let Some(mut series) = Series::new(Caching::Basic) else {
        return;
    };
    series.by_text = true;
    let text = "procedure Q(x: int)\n{\n  assert {:msg \"a  b\"} x > 0;\n}\n";
    assert_eq!(series.next(text).counts(), [1, 0, 0, 0]);
    let again = series.next(&text.replace("\n{", " // a comment\n\n{"));
    assert!(again.run.program.is_none(), "it was not read");
    let error = &again.run.verdicts[0].errors[0];
    assert_eq!(again.sources.start_of(error.span).line, 4);
    assert_eq!(again.counts(), [0, 1, 0, 0]);
    for other in [
        text.replace("a  b", "a b"),
        text.replace("> 0", ">0"),
        text.replace("> 0", "> 1"),
        text.replace("  assert", "//  assert"),
    ] {
        assert!(series.next(&other).run.program.is_some(), "{other}");
    }
}

/// One polymorphic quantifier changes the encoding of types for all implementations, so other bodies are asked about
/// again, although their texts and all declarations are the same.
#[test]
fn verdicts_by_text_with_another_encoding() {
    let Some(mut series) = Series::new(Caching::Basic) else {
        return;
    };
    series.by_text = true;
    let program = "type T;\nprocedure P(x: T, y: T)\n{ assert x == y ==> y == x; }\n\
                   procedure Q(x: int)\n{ assert x == x; }\n";
    assert_eq!(series.next(program).counts(), [2, 0, 0, 0]);
    let other = program.replace("assert x == x", "assert x <= x");
    assert_eq!(series.next(&other).counts(), [1, 1, 0, 0]);
    let other = program.replace("assert x == x", "assert (forall<a> z: a :: z == z)");
    assert_eq!(series.next(&other).counts(), [2, 0, 0, 0]);
    assert_eq!(series.next(program).counts(), [0, 2, 0, 0]);
}

/// With limited resources the prover is asked in one way only and may report an error where another way finds a proof, so
/// verdicts do not pass between limited and unlimited runs.
#[test]
fn verdicts_under_a_resource_limit_are_kept_apart() {
    for by_text in [false, true] {
        let Some(mut series) = Series::new(Caching::Fine) else {
            return;
        };
        series.by_text = by_text;
        let reuses = |series: &Series, text: &str| {
            let obligations = series.next(text).obligations();
            let solved = obligations
                .lines()
                .filter(|l| l.ends_with("solved"))
                .count();
            assert!(solved == 0 || solved == 5, "{obligations}");
            solved == 0
        };
        let limited = GCD.replace("procedure gcd", "procedure {:rlimit 90000000} gcd");
        assert!(!reuses(&series, GCD));
        assert!(!reuses(&series, &limited));
        series.options.resource_limit = 80_000_000;
        assert!(reuses(&series, GCD), "another limit is a limit, too");
        assert!(reuses(&series, &limited));
        series.options.resource_limit = 0;
        assert!(reuses(&series, GCD));
    }
}

/// The axioms of a datatype with type parameters are dependencies like any other.
#[test]
fn changed_datatypes() {
    const BOXES: &str = "\
datatype Box<T> { Empty(), Full(content: T) }
datatype Pair<A> { Pair(first: A, second: A) }
procedure Cases<T>(b: Box T) { assert b is Empty || b is Full; }
procedure Content(x: int) { assert Full(x)->content == x; }
procedure First<T>(x: T) { assert Pair(x, x)->first == x; }
";
    for by_text in [false, true] {
        let Some(mut series) = Series::new(Caching::Fine) else {
            return;
        };
        series.by_text = by_text;
        check(
            &series,
            BOXES,
            expect![[r#"
            Cases  3 assert ok solved
            Content  4 assert ok solved
            First  5 assert ok solved
        "#]],
        );
        // A third kind of box: not every box is empty or full.
        let more = BOXES.replace("Empty(), ", "Empty(), Broken(), ");
        check(
            &series,
            &more,
            expect![[r#"
            Cases  3 assert FAILS solved
            Content  4 assert ok solved
            First  5 assert ok cached
        "#]],
        );
        check(
            &series,
            BOXES,
            expect![[r#"
            Cases  3 assert ok cached
            Content  4 assert ok cached
            First  5 assert ok cached
        "#]],
        );
        let renamed = BOXES.replace("second", "other");
        check(
            &series,
            &renamed,
            expect![[r#"
            Cases  3 assert ok cached
            Content  4 assert ok cached
            First  5 assert ok solved
        "#]],
        );
    }
}

/// What the prover itself knows is a dependency, too: in each program one declaration changes and no command does, and
/// what was verified fails.
#[test]
fn changed_meanings_of_what_is_built_in() {
    const PROGRAMS: [(&str, &str, &str); 6] = [
        (
            "function {:bvbuiltin \"bvadd\"} f(a: bv8, b: bv8): bv8;\n\
             procedure P(x: bv8) { assert f(x, 1bv8) != x; }\n",
            "bvadd",
            "bvmul",
        ),
        // Behind a definition, and behind an axiom.
        (
            "function {:builtin \"abs\"} b(a: int): int;\nfunction g(a: int): int { b(a) }\n\
             procedure P(x: int) { assert g(x) >= 0; }\n",
            "abs",
            "-",
        ),
        (
            "function {:builtin \"abs\"} b(a: int): int;\nconst c: int;\naxiom c >= b(0 - 3);\n\
             procedure P() { assert c >= 3; }\n",
            "abs",
            "*",
        ),
        (
            "type {:builtin \"(_ BitVec 1)\"} T;\n\
             procedure P(x: T, y: T, z: T) { assert x == y || y == z || z == x; }\n",
            "BitVec 1",
            "BitVec 2",
        ),
        (
            "type {:datatype} D;\nfunction {:constructor} C(a: int, b: int): D;\n\
             procedure P(x: D) requires x == C(1, 2); { assert a#C(x) == 1; }\n",
            "C(a: int, b: int)",
            "C(b: int, a: int)",
        ),
        (
            "datatype D { C(a: int, b: int) }\n\
             procedure P(x: D) requires x == C(1, 2); { assert x->a == 1; }\n",
            "C(a: int, b: int)",
            "C(b: int, a: int)",
        ),
    ];
    for (program, old, new) in PROGRAMS {
        for by_text in [false, true] {
            let Some(mut series) = Series::new(Caching::Fine) else {
                return;
            };
            series.by_text = by_text;
            let verdicts = |text: &str| {
                let obligations = series.next(text).obligations();
                let words = obligations.trim_end().rsplit(' ').take(2);
                words.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(verdicts(program), ["solved", "ok"], "{program}");
            let other = program.replace(old, new);
            assert_eq!(verdicts(&other), ["solved", "FAILS"], "{other}");
            // What is new and not spoken of changes nothing.
            let more =
                format!("function {{:builtin \"mod\"}} unused(a: int, b: int): int;\n{program}");
            assert_eq!(verdicts(program), ["cached", "ok"], "{program}");
            assert_eq!(verdicts(&more), ["cached", "ok"], "{more}");
        }
    }
}

/// Z3 keeps what a datatype was when it is declared anew in another scope, so a prover that goes on from one program to the
/// next must start afresh then.
#[test]
fn a_prover_that_goes_on_forgets_datatypes() {
    const PAIR: &str = "\
type {:datatype} D;
function {:constructor} C(a: int, b: int): D;
procedure P(x: int, y: int) { assert a#C(C(x, y)) == x; }
";
    let Some(series) = Series::new(Caching::Off) else {
        return;
    };
    let errors = |text: &str| series.next(text).run.verdicts[0].errors.len();
    let swapped = PAIR.replace("a: int, b: int", "b: int, a: int");
    for _ in 0..2 {
        assert_eq!(errors(PAIR), 0);
        assert_eq!(errors(&swapped), 1);
    }
}

/// More variables and functions in one expression than its form can refer to by number.
#[test]
fn expressions_about_very_many_things() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let mut program = String::new();
    let mut sum = "0".to_owned();
    for i in 0..260 {
        program += &format!("function f{i}(x: int): int;\nvar g{i}: int;\n");
        sum += &format!(" + f{i}(g{i})");
    }
    // Each twice, so that what has no number is written again.
    program += &format!(
        "procedure P()\n  requires g0 > 0;\n{{\n  assume {sum} + {sum} > 4;\n  assert {sum} > 2;\n}}\n"
    );
    assert_eq!(series.next(&program).counts(), [1, 0, 0, 0]);
    let more = program.replace("{\n  assume", "{\n  assert g0 >= 0;\n  assume");
    assert_eq!(series.next(&more).counts(), [1, 1, 0, 0]);
    let weaker = more.replace("requires g0 > 0", "requires g0 > 1");
    assert_eq!(series.next(&weaker).counts()[0], 0);
    let wrong = weaker.replace("> 4", "> 3");
    let last = series.next(&wrong);
    assert_eq!(last.result("P").errors.len(), 1);
}
