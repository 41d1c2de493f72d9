//! The short version of the soundness campaign: over the features of the prelude, alone and all together.

use std::time::Duration;
use stet_fuzz::dafny::differential::{Relation, Tally, judge as judge_generated};
use stet_fuzz::dafny::features::{FEATURES, Feature, place, program};
use stet_fuzz::dafny::soundness::{Judgement, judge, places};
use stet_fuzz::dafny::subject::{Fate, Verifier};

fn verifier() -> Option<Verifier> {
    let verifier = Verifier::fresh(Duration::from_secs(3));
    if verifier.is_none() {
        stet_testkit::skip("z3 is not installed");
    }
    verifier
}

fn false_is_rejected(verifier: &Verifier, set: &[&Feature]) {
    let text = program(set);
    let finding = verifier.check("features.dfy", &text);
    let expected = place(&text);
    let names: Vec<&str> = set.iter().map(|f| f.0).collect();
    let fine = match finding.fate {
        Fate::Undecided => true,
        Fate::Errors => finding.lines.iter().any(|l| l.contains(&expected)),
        _ => false,
    };
    assert!(fine, "{names:?}: {:?} {:#?}", finding.fate, finding.lines);
}

#[test]
fn false_does_not_follow_from_a_feature() {
    let Some(verifier) = verifier() else {
        return;
    };
    for feature in FEATURES {
        false_is_rejected(&verifier, &[feature]);
    }
}

#[test]
fn false_does_not_follow_from_all_features() {
    let Some(verifier) = verifier() else {
        return;
    };
    let all: Vec<&Feature> = FEATURES.iter().collect();
    false_is_rejected(&verifier, &all);
}

#[test]
fn the_ends_of_bodies_and_loops_are_found_and_reached() {
    let text = "method M(n: nat) returns (r: nat) ensures r == n {
      r := 0;
      while r < n invariant r <= n { r := r + 1; }
    }
    lemma L(n: nat) ensures n >= 0 { if n > 0 { L(n - 1); } }
    method Left(b: bool) returns (r: int) { if b { return 1; } else { return 2; } }";
    let found = places("t.dfy", text);
    let whats: Vec<(&str, &str, bool)> = found
        .iter()
        .map(|p| (p.member.as_str(), p.what, p.is_left))
        .collect();
    assert_eq!(
        whats,
        [
            ("M", "body", false),
            ("M", "loop", false),
            ("L", "body", false),
            ("Left", "body", true),
        ]
    );
    let Some(mut verifier) = verifier() else {
        return;
    };
    for place in &found {
        let judgement = judge(&mut verifier, "t.dfy", text, place, None);
        let expected = if place.is_left {
            Judgement::Left
        } else {
            Judgement::Rejected
        };
        assert_eq!(judgement, expected, "{place:?}");
    }
}

#[test]
fn what_runs_violate_is_not_verified() {
    let Some(verifier) = verifier() else {
        return;
    };
    let mut tally = Tally::default();
    for seed in 0..2 {
        judge_generated(&verifier, None, seed, 40, &mut tally);
    }
    assert!(tally.refused.is_empty(), "{:?}", tally.refused);
    assert_eq!(
        tally.counts.get(&Relation::Wrong),
        None,
        "{:?}",
        tally.differences
    );
    let of = |relation| tally.counts.get(&relation).copied().unwrap_or(0);
    assert!(
        of(Relation::BothVerify) > 20 && of(Relation::BothFail) > 10,
        "{:?}",
        tally.counts
    );
}
