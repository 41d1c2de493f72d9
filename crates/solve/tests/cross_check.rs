//! Random queries: our answers against Z3's and cvc5's, our models by evaluation, incremental use against
//! fresh use.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod support;

use std::fmt::Write;
use stet_solve::{Limits, Outcome, QuerySolver, Solver};
use stet_term::{Bits, Evaluator, Level, Model, Op, Printer, Sort, Term, Terms, Value};
use stet_testkit::{Random, queries};

/// Queries against Z3, of which one in five is small and one in five like a benchmark. The campaign program runs many
/// more.
const QUERIES: u64 = 20_000;
/// Of these, queries against cvc5, which is slower per query.
const QUERIES_CVC5: u64 = 1000;

/// The constraints with a seed: the kinds take turns in batches.
fn query(terms: &Terms, seed: u64) -> Vec<Term> {
    match seed / BATCH % 5 {
        0 => queries::small_query(terms, seed),
        1 => queries::benchmark(terms, seed),
        _ => queries::query(terms, seed),
    }
}

/// Queries per process.
const BATCH: u64 = 250;

fn script(seeds: std::ops::Range<u64>) -> String {
    let mut script = String::from("(set-logic ALL)\n");
    for seed in seeds {
        // Built without rewriting: the external solver sees the query, not our simplification of it.
        let plain = Terms::with_level(Level::Plain);
        let constraints = query(&plain, seed);
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
            let constraints = query(&terms, seed);
            match solver.check(&terms, &constraints, &Limits::none()) {
                Outcome::Sat(model) => {
                    let plain = query(&terms, seed);
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
    let batch = BATCH;
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

/// Many queries about the same few reads through one solver: what it remembers of them must not get in its way.
#[test]
fn benchmark_queries_are_decided() {
    let terms = Terms::new();
    let mut solver = QuerySolver::new().verify_models();
    for seed in 0..3000 {
        let constraints = queries::benchmark(&terms, seed);
        let kept = solver.check(&terms, &constraints, &Limits::none()).answer();
        let fresh = QuerySolver::new().check(&terms, &constraints, &Limits::none());
        assert_eq!(kept, fresh.answer(), "seed {seed}");
        assert!(kept.is_sat() || kept.is_unsat(), "seed {seed}: {kept:?}");
    }
}

/// The queries of paths: constraints are added, both sides of a condition are asked, paths end and others go on from an earlier
/// place. One solver answers all of them and keeps what the last ones taught it; its answers are those of fresh solvers.
#[test]
fn queries_of_paths_are_answered_as_by_fresh_solvers() {
    let (mut sat, mut unsat) = (0, 0);
    for start in 0..60u64 {
        let terms = Terms::new();
        let mut random = Random::new(start ^ 0xabcd);
        let mut kept = QuerySolver::new().verify_models();
        let mut path: Vec<Term> = Vec::new();
        for step in 0..12 {
            let seed = start * 100 + step;
            let conditions = match start % 2 {
                0 => queries::query(&terms, seed),
                _ => queries::benchmark(&terms, seed),
            };
            let Some(&condition) = conditions.first() else {
                continue;
            };
            let mut side = Term::FALSE;
            for asked in [condition, terms.not(condition)] {
                let mut query = path.clone();
                query.push(asked);
                query.sort_unstable();
                query.dedup();
                let answer = kept.check(&terms, &query, &Limits::none()).answer();
                let fresh = QuerySolver::new().check(&terms, &query, &Limits::none());
                assert_eq!(answer, fresh.answer(), "start {start}, step {step}");
                if answer.is_sat() {
                    sat += 1;
                    side = asked;
                } else {
                    unsat += 1;
                }
            }
            match random.below(5) {
                0 => path.truncate(random.below(path.len() as u64 + 1) as usize),
                _ => path.push(side),
            }
            path.retain(|&constraint| constraint != Term::FALSE);
        }
    }
    assert!(sat > 300 && unsat > 30, "{sat} and {unsat} are too few");
}

/// With every scalar symbol fixed to a random value, solving is evaluating: both must agree, for the
/// constraint and for its negation.
#[test]
fn solving_with_fixed_symbols_is_evaluating() {
    let mut answers = [0u32; 2];
    for seed in 0..4000u64 {
        let terms = Terms::new();
        let mut random = Random::new(seed ^ 0xfeed);
        let constraint = terms.and(&queries::query(&terms, seed));
        let mut model = Model::new();
        let mut fixed: Vec<Term> = Vec::new();
        for &symbol in terms.free_symbols(constraint).iter() {
            let term = terms.symbol_term(symbol);
            let value = match terms.sort(term) {
                Sort::BOOL => Value::Bool(random.one_in(2)),
                sort => match sort.bv_width() {
                    Some(width) => Value::Bv(Bits::new(width, random.bits())),
                    None => continue,
                },
            };
            let constant = match &value {
                Value::Bv(bits) => terms.bits(bits),
                value => terms.bool(value.as_bool() == Some(true)),
            };
            fixed.push(terms.eq(term, constant));
            model.set(symbol, value);
        }
        let arrays = terms.free_symbols(constraint).iter().any(|&symbol| {
            matches!(terms.op(terms.symbol_term(symbol)), Op::Symbol(_))
                && model.get(symbol).is_none()
        });
        if arrays {
            continue; // their contents are not fixed
        }
        let holds = Evaluator::new(&terms, &model).holds(constraint);
        let mut solver = QuerySolver::new();
        for (claim, expected) in [(constraint, holds), (terms.not(constraint), !holds)] {
            let query: Vec<Term> = fixed.iter().copied().chain([claim]).collect();
            let answer = solver.check(&terms, &query, &Limits::none()).answer();
            assert_eq!(answer.is_sat(), expected, "seed {seed}");
            assert_eq!(answer.is_unsat(), !expected, "seed {seed}");
            answers[usize::from(expected)] += 1;
        }
    }
    assert!(answers.iter().all(|&count| count > 1000), "{answers:?}");
}
