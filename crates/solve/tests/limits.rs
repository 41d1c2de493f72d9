//! Limits, cancellation, hand-over to the second SAT solver, depth, and what is not supported.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::Arc;
use std::time::{Duration, Instant};
use stet_base::Budget;
use stet_solve::*;
use stet_term::{Op, Quantifier, Sort, Term, Terms, Value};

/// The factors of a product of two primes of `width / 2` bits.
fn factoring(terms: &Terms, width: u32, product: u64) -> Vec<Term> {
    let [p, q] = ["p", "q"].map(|name| terms.symbol(name, Sort::bv(width / 2)));
    let wide = |term| terms.zero_extend(term, width);
    vec![
        terms.eq(terms.bv_mul(wide(p), wide(q)), terms.bv(width, product)),
        terms.bv_ugt(p, terms.bv(width / 2, 1)),
        terms.bv_ugt(q, terms.bv(width / 2, 1)),
    ]
}

/// The factors of a product of two 30-bit primes: minutes for any solver.
fn hard(terms: &Terms) -> Vec<Term> {
    factoring(terms, 62, 1_000_000_007 * 998_244_353)
}

/// How late an answer may come; generous, because test machines are busy.
const GRACE: Duration = Duration::from_millis(400);

#[test]
fn a_deadline_is_kept() {
    let terms = Terms::new();
    let query = hard(&terms);
    for easy_conflicts in [u64::MAX, 0] {
        let mut solver = QuerySolver::new().easy_conflicts(easy_conflicts);
        let limit = Duration::from_millis(150);
        let start = Instant::now();
        let limits = Limits::of_budget(&Budget::unlimited().limited_to(limit));
        let outcome = solver.check(&terms, &query, &limits);
        assert_eq!(outcome, Outcome::Unknown(Reason::Deadline));
        assert!(start.elapsed() < limit + GRACE, "{:?}", start.elapsed());
    }
}

#[test]
fn a_deadline_is_kept_while_translating() {
    let terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::bv(6000)));
    let query = [terms.eq(terms.bv_udiv(x, y), terms.bv_mul(x, y))];
    let limit = Duration::from_millis(100);
    let start = Instant::now();
    let limits = Limits::of_budget(&Budget::unlimited().limited_to(limit));
    let outcome = QuerySolver::new().check(&terms, &query, &limits);
    assert_eq!(outcome, Outcome::Unknown(Reason::Deadline));
    assert!(start.elapsed() < limit + GRACE, "{:?}", start.elapsed());
}

#[test]
fn cancellation_stops_a_check() {
    let terms = Terms::new();
    let query = hard(&terms);
    let budget = Budget::unlimited();
    let canceller = budget.clone();
    let (outcome, late) = std::thread::scope(|scope| {
        let cancelled = scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            canceller.cancel();
            Instant::now()
        });
        let outcome = check_query(&terms, &query, &budget);
        let end = Instant::now();
        (
            outcome,
            end.saturating_duration_since(cancelled.join().unwrap()),
        )
    });
    assert_eq!(outcome, Outcome::Unknown(Reason::Cancelled));
    assert!(late < GRACE, "{late:?} late");
}

#[test]
fn resources_are_limited_and_the_limit_is_reproducible() {
    let terms = Terms::new();
    let query = hard(&terms);
    for easy_conflicts in [u64::MAX, 300, 0] {
        let limits = Limits {
            resources: Some(500),
            ..Limits::none()
        };
        let run = || {
            let mut solver = QuerySolver::new().easy_conflicts(easy_conflicts);
            let outcome = solver.check(&terms, &query, &limits);
            (outcome, solver.statistics().conflicts)
        };
        let (outcome, conflicts) = run();
        assert_eq!(outcome, Outcome::Unknown(Reason::Resources));
        assert!((500..=510).contains(&conflicts), "{conflicts}");
        assert_eq!(run(), (outcome, conflicts));
    }
}

#[test]
fn the_second_solver_takes_over() {
    let terms = Terms::new();
    let query = factoring(&terms, 32, 65_521 * 65_519);
    let mut solver = QuerySolver::new().easy_conflicts(5);
    let outcome = solver.check(&terms, &query, &Limits::none());
    assert_eq!(solver.statistics().fallbacks, 1);
    let model = outcome.model().unwrap().clone();
    let value = |name| {
        let Op::Symbol(symbol) = terms.op(terms.symbol(name, Sort::bv(16))) else {
            unreachable!()
        };
        model.get(symbol).and_then(Value::as_u64).unwrap()
    };
    let mut factors = [value("p"), value("q")];
    factors.sort_unstable();
    assert_eq!(factors, [65_519, 65_521]);
}

#[test]
fn a_solver_goes_on_after_an_interrupted_check() {
    let terms = Arc::new(Terms::new());
    let mut solver = BitSolver::new(terms.clone());
    solver.push();
    for constraint in hard(&terms) {
        solver.assert(constraint);
    }
    let limits = Limits {
        resources: Some(50),
        ..Limits::none()
    };
    assert_eq!(
        solver.check(&[], &limits),
        Answer::Unknown(Reason::Resources)
    );
    solver.pop();
    let x = terms.symbol("x", Sort::bv(8));
    let small = terms.bv_ult(x, terms.bv(8, 3));
    let large = terms.bv_ugt(x, terms.bv(8, 5));
    let other = terms.symbol("other", Sort::BOOL);
    assert_eq!(solver.check(&[small, other], &limits), Answer::Sat);
    assert_eq!(solver.check(&[small, other, large], &limits), Answer::Unsat);
    let mut core = solver.core();
    core.sort_unstable();
    let mut expected = vec![small, large];
    expected.sort_unstable();
    assert_eq!(core, expected);
}

#[test]
fn deep_terms_are_solved() {
    let terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::bv(4)));
    let mut term = x;
    for _ in 0..300_000 {
        term = terms.bv_xor(terms.bv_and(term, y), x);
    }
    let query = [terms.eq(term, terms.bv(4, 9)), terms.eq(y, terms.bv(4, 15))];
    let outcome = check_query(&terms, &query, &Budget::unlimited());
    assert!(outcome.answer().is_unsat() || outcome.model().is_some());
    let mut array = terms.symbol("a", terms.array_sort(Sort::bv(32), Sort::bv(4)));
    for i in 0..100_000 {
        array = terms.store(array, terms.bv(32, i), x);
    }
    let index = terms.symbol("i", Sort::bv(32));
    let read = terms.select(array, index);
    let far = terms.bv_ugt(index, terms.bv(32, 99_990));
    let query = [far, terms.eq(read, terms.bv(4, 1))];
    assert!(
        check_query(&terms, &query, &Budget::unlimited())
            .model()
            .is_some()
    );
}

#[test]
fn what_is_not_supported_is_named() {
    let terms = Terms::new();
    let i = terms.bound("i", Sort::bv(8));
    let bytes = terms.array_sort(Sort::bv(8), Sort::bv(8));
    let [a, b] = ["a", "b"].map(|name| terms.symbol(name, bytes));
    let nested = terms.array_sort(Sort::bv(8), bytes);
    let n = terms.symbol("n", nested);
    let cases = [
        (
            terms.forall(&[i], terms.eq(i, terms.bv(8, 0)), &Quantifier::default()),
            "quantifiers",
        ),
        (terms.eq(a, b), "equality of arrays"),
        (
            terms.le(terms.symbol("k", Sort::INT), terms.int(3)),
            "integers",
        ),
        (
            terms.eq(
                terms.select(terms.select(n, terms.bv(8, 1)), terms.bv(8, 2)),
                terms.bv(8, 0),
            ),
            "arrays of other things than bits",
        ),
    ];
    for (term, what) in &cases {
        let outcome = check_query(&terms, &[*term], &Budget::unlimited());
        assert_eq!(
            outcome,
            Outcome::Unknown(Reason::Unsupported((*what).to_owned()))
        );
    }
}

#[test]
fn a_query_solver_notices_another_pool() {
    let (first, second) = (Terms::new(), Terms::new());
    let mut solver = QuerySolver::new();
    let x = first.symbol("x", Sort::bv(8));
    let query = [first.eq(x, first.bv(8, 3))];
    assert!(
        solver
            .check(&first, &query, &Limits::none())
            .model()
            .is_some()
    );
    let y = second.symbol("y", Sort::bv(16));
    let other = [
        second.bv_ult(y, second.bv(16, 2)),
        second.bv_ugt(y, second.bv(16, 2)),
    ];
    assert_eq!(
        solver.check(&second, &other, &Limits::none()),
        Outcome::Unsat
    );
}
