//! Questions asked in stages and pieces, and what counts as a product.

use super::{Answer, End, Failure, Inquiry, Manner, Question, Stage, Worker};
use std::time::Duration;
use stet_base::Budget;
use stet_key::Digest;
use stet_solve::pipe::{ProverConfig, ProverKind, UnknownReason, locate};

fn answer(checks: &[usize], end: End) -> Answer {
    let failure = |&check: &usize| Failure {
        check,
        path: vec![0],
        model: None,
        is_certain: false,
    };
    Answer {
        failures: checks.iter().map(failure).collect(),
        end,
    }
}

/// A question without failing paths: whether these formulas contradict each other.
fn question(formulas: &str) -> Question {
    Question {
        foundation: "(declare-fun ControlFlow (Int Int) Int)\n".to_owned(),
        declarations: String::new(),
        formula: formulas.to_owned(),
        blocks: 1,
        checks: 1,
        error_limit: 1,
        time_limit: Some(Duration::from_secs(2)),
        resource_limit: 0,
        every_path: false,
        want_model: false,
    }
}

/// That more pigeons than there are holes find a place: false, and hard to refute.
fn pigeons(holes: usize) -> Question {
    let name = |pigeon, hole| format!("p{pigeon}_{hole}");
    let mut text = String::new();
    for pigeon in 0..=holes {
        let places: Vec<String> = (0..holes).map(|hole| name(pigeon, hole)).collect();
        for place in &places {
            text.push_str(&format!("(declare-const {place} Bool)\n"));
        }
        text.push_str(&format!("(assert (or {}))\n", places.join(" ")));
        for (other, hole) in (0..pigeon).flat_map(|p| (0..holes).map(move |h| (p, h))) {
            let (a, b) = (name(pigeon, hole), name(other, hole));
            text.push_str(&format!("(assert (not (and {a} {b})))\n"));
        }
    }
    question(&text)
}

#[test]
fn what_takes_much_effort_is_left_for_another_question() {
    let Ok(path) = locate(ProverKind::Z3, None) else {
        return stet_testkit::skip("Z3");
    };
    let config = ProverConfig::new(ProverKind::Z3, path);
    let mut worker = Worker::new(
        config,
        Manner {
            extra: Vec::new(),
            version: vec![4, 8, 5],
        },
    );
    let mut ask = |question, instead| {
        let inquiry = Inquiry {
            obligation: Digest::of_bytes(b""),
            question,
            instead: Some((200_000, instead)),
            stage: Stage::Whole,
        };
        let reply = worker.inquire(&inquiry, &Budget::unlimited());
        (reply.answer, reply.is_instead)
    };
    let (easy, hard) = (|| question("(assert false)"), || pigeons(14));
    let proved = || answer(&[], End::Complete);
    assert_eq!(ask(easy(), hard()), (proved(), false));
    assert_eq!(ask(hard(), easy()), (proved(), true));
    let given_up = answer(&[], End::Unknown(UnknownReason::TimeOut));
    assert_eq!(ask(hard(), hard()), (given_up, false));
}

#[test]
fn what_is_proved_piece_by_piece_is_proved() {
    let Ok(path) = locate(ProverKind::Z3, None) else {
        return stet_testkit::skip("Z3");
    };
    let manner = Manner {
        extra: Vec::new(),
        version: vec![4, 8, 5],
    };
    let mut worker = Worker::new(ProverConfig::new(ProverKind::Z3, path), manner);
    let mut ask = |question, stage| {
        let inquiry = Inquiry {
            obligation: Digest::of_bytes(b""),
            question,
            instead: None,
            stage,
        };
        worker.inquire(&inquiry, &Budget::unlimited()).answer
    };
    let (easy, hard) = (|| question("(assert false)"), || pigeons(14));
    let proved = answer(&[], End::Complete);
    let given_up = answer(&[], End::Unknown(UnknownReason::TimeOut));
    assert_eq!(ask(hard(), Stage::Pieces(vec![easy(), easy()])), proved);
    assert_eq!(ask(hard(), Stage::Pieces(vec![easy(), hard()])), given_up);
    assert_eq!(ask(hard(), Stage::Pieces(Vec::new())), given_up);
    assert_eq!(ask(easy(), Stage::Pieces(vec![hard()])), proved);
    assert_eq!(ask(easy(), Stage::First), proved);
}

#[test]
fn products_with_a_numeral_are_no_products() {
    let multiplies = |text: &str| question(text).multiplies();
    assert!(multiplies("(assert (= (* x 2) (* x y)))"));
    assert!(!multiplies("(assert (= (* 2 x) (* (- 3) x)))"));
    assert!(!multiplies("(assert (= x y))"));
}

#[test]
fn functions_defined_as_products_make_products() {
    let axiom =
        "(assert (forall ((x Int) (y Int)) (! (= ($Mul x y) (* x y)) :pattern (($Mul x y)))))\n";
    let multiplies = |text: &str| {
        let mut question = question(text);
        question.foundation.push_str(axiom);
        question.multiplies()
    };
    assert!(multiplies("(assert (= a ($Mul b c)))"));
    assert!(!multiplies("(assert (= a ($Mul 2 c)))"));
    assert!(!multiplies("(assert (= a b))"));
}
