//! Random queries: our answers against Z3's and cvc5's, our models by evaluation, incremental use against
//! fresh use.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod support;

use std::fmt::Write;
use stet_solve::{Limits, Outcome, QuerySolver, random};
use stet_term::{Evaluator, Level, Printer, Terms};

/// Queries against Z3. The campaign program runs many more.
const QUERIES: u64 = 20_000;
/// Of these, queries against cvc5, which is slower per query.
const QUERIES_CVC5: u64 = 500;

fn script(seeds: std::ops::Range<u64>) -> String {
    let mut script = String::from("(set-logic ALL)\n");
    for seed in seeds {
        // Built without rewriting: the external solver sees the query, not our simplification of it.
        let plain = Terms::with_level(Level::Plain);
        let constraints = random::query(&plain, seed);
        let body = Printer::new(&plain).script(&constraints);
        let _ = write!(script, "(push 1)\n{body}(check-sat)\n(pop 1)\n");
    }
    script
}

fn ours(seeds: std::ops::Range<u64>) -> Vec<&'static str> {
    let terms = Terms::new();
    let mut solver = QuerySolver::new().verify_models();
    seeds
        .map(|seed| {
            let constraints = random::query(&terms, seed);
            match solver.check(&terms, &constraints, &Limits::none()) {
                Outcome::Sat(model) => {
                    let plain = random::query(&terms, seed);
                    let mut eval = Evaluator::new(&terms, &model);
                    assert!(plain.iter().all(|&c| eval.holds(c)), "seed {seed}");
                    "sat"
                }
                Outcome::Unsat => "unsat",
                Outcome::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
        })
        .collect()
}

fn compare(program: &str, total: u64) {
    if !support::available(program) {
        return;
    }
    let batch = 250;
    let seeds: Vec<u64> = (0..total / batch).collect();
    let counts = std::sync::Mutex::new((0, 0));
    std::thread::scope(|scope| {
        for half in seeds.chunks(seeds.len().div_ceil(2)) {
            let counts = &counts;
            scope.spawn(move || {
                for &chunk in half {
                    let range = chunk * batch..(chunk + 1) * batch;
                    let theirs = support::answers(program, script(range.clone()));
                    let ours = ours(range.clone());
                    for (seed, (theirs, ours)) in range.zip(theirs.iter().zip(&ours)) {
                        assert_eq!(theirs, ours, "seed {seed} against {program}");
                    }
                    assert_eq!(theirs.len(), ours.len());
                    let mut counts = counts.lock().unwrap();
                    counts.0 += ours.iter().filter(|&&answer| answer == "sat").count();
                    counts.1 += ours.len();
                }
            });
        }
    });
    let (sat, all) = *counts.lock().unwrap();
    println!("{program}: {all} queries agree, {sat} of them satisfiable");
    assert!(sat * 10 > all && sat * 10 < all * 9, "a one-sided mix");
}

#[test]
fn answers_agree_with_z3() {
    compare("z3", QUERIES);
}

#[test]
fn answers_agree_with_cvc5() {
    compare("cvc5", QUERIES_CVC5);
}
