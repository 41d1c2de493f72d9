//! Random traces of the solver's interface, compared with fresh solvers: answers, models, cores.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::sync::Arc;
use stet_solve::{Answer, BitSolver, Limits, QuerySolver, Solver as _};
use stet_term::{Evaluator, Term, Terms};
use stet_testkit::{Random, queries};

/// One trace of legal calls. The seed is all that is needed to replay it.
fn trace(seed: u64, easy_conflicts: u64) -> (usize, usize) {
    let terms = Arc::new(Terms::new());
    let mut random = Random::new(seed);
    let mut solver = BitSolver::new(terms.clone())
        .verify_models()
        .easy_conflicts(easy_conflicts);
    let mut scopes: Vec<Vec<Term>> = vec![Vec::new()];
    // Constraints of a few related queries, so that they share symbols and contradict each other.
    let family = random.bits() >> 8;
    let constraint = |random: &mut Random| {
        let query = queries::query(&terms, family + random.below(8));
        random.pick(&query)
    };
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..25 {
        match random.below(8) {
            0 | 1 => {
                solver.push();
                scopes.push(Vec::new());
            }
            2 => {
                solver.pop();
                if scopes.len() > 1 {
                    scopes.pop();
                }
            }
            3 | 4 => {
                let term = constraint(&mut random);
                let term = if random.one_in(3) {
                    terms.not(term)
                } else {
                    term
                };
                solver.assert(term);
                scopes.last_mut().unwrap().push(term);
            }
            _ => {
                let assumptions: Vec<Term> = (0..random.below(4))
                    .map(|_| constraint(&mut random))
                    .collect();
                let asserted: Vec<Term> = scopes.iter().flatten().copied().collect();
                match check(&terms, &mut solver, &asserted, &assumptions, seed) {
                    true => sat += 1,
                    false => unsat += 1,
                }
            }
        }
    }
    (sat, unsat)
}

fn check(
    terms: &Terms,
    solver: &mut BitSolver,
    asserted: &[Term],
    assumptions: &[Term],
    seed: u64,
) -> bool {
    let fresh = |all: &[Term]| {
        let outcome = QuerySolver::new().check(terms, all, &Limits::none());
        outcome.answer()
    };
    let all = [asserted, assumptions].concat();
    let answer = solver.check(assumptions, &Limits::none());
    assert_eq!(answer, fresh(&all), "seed {seed}");
    match answer {
        Answer::Sat => {
            let model = solver.model().unwrap();
            let mut eval = Evaluator::new(terms, &model);
            assert!(all.iter().all(|&term| eval.holds(term)), "seed {seed}");
            assert!(solver.core().is_empty());
            true
        }
        Answer::Unsat => {
            let core = solver.core();
            assert!(
                core.iter().all(|term| assumptions.contains(term)),
                "seed {seed}"
            );
            let needed = [asserted, &core].concat();
            assert_eq!(fresh(&needed), Answer::Unsat, "seed {seed}: not a core");
            assert!(solver.model().is_none());
            false
        }
        Answer::Unknown(reason) => panic!("seed {seed}: {reason}"),
    }
}

fn traces(count: u64, easy_conflicts: u64) {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..count {
        let (s, u) = trace(seed, easy_conflicts);
        sat += s;
        unsat += u;
    }
    println!("{count} traces: {sat} sat, {unsat} unsat");
    assert!(sat > 0 && unsat > 0);
}

#[test]
fn random_traces_agree_with_fresh_solvers() {
    traces(400, 8_000);
}

#[test]
fn random_traces_agree_when_the_first_solver_gives_up_at_once() {
    traces(120, 0);
}

#[test]
fn random_traces_agree_when_the_first_solver_gives_up_in_the_middle() {
    traces(200, 2);
}
