//! How late time limits and interrupts stop a check: in process (both SAT solvers, and while translating) and in a
//! prover's process (one that obeys its own limit, one that does not answer at all, one that is interrupted).

use std::time::{Duration, Instant};
use stet_base::Budget;
use stet_solve::pipe::{Prover, ProverConfig, ProverKind, locate};
use stet_solve::{Limits, Outcome, QuerySolver, Reason, Solver};
use stet_term::{Sort, Term, Terms};

/// Measurements of each kind.
const RUNS: u32 = 10;
const LIMIT: Duration = Duration::from_millis(150);

/// Lines with the median and the largest lateness of every kind.
pub fn measure() -> Vec<String> {
    let mut lines = vec![
        row("in process, first SAT solver", |_| {
            in_process(u64::MAX, LIMIT)
        }),
        row("in process, second SAT solver", |_| in_process(0, LIMIT)),
        row("in process, translating", |_| translating()),
        row("in process, interrupted", |_| interrupted()),
    ];
    let Ok(path) = locate(ProverKind::Z3, None) else {
        lines.push("no Z3 found".to_owned());
        return lines;
    };
    let config = ProverConfig::new(ProverKind::Z3, path);
    lines.push(row("Z3, by its own limit", |_| pipe(&config, false, false)));
    lines.push(row("Z3, stopped: killed", |_| pipe(&config, true, false)));
    lines.push(row("Z3, interrupted: killed", |_| {
        pipe(&config, false, true)
    }));
    lines
}

fn row(name: &str, run: impl Fn(u32) -> Option<Duration>) -> String {
    let mut late: Vec<Duration> = (0..RUNS).filter_map(run).collect();
    late.sort_unstable();
    let (Some(median), Some(most)) = (late.get(late.len() / 2), late.last()) else {
        return format!("{name:<32} was not stopped by its limit");
    };
    format!(
        "{name:<32} median {:>6.1} ms late, at most {:>6.1} ms, {} runs",
        median.as_secs_f64() * 1000.0,
        most.as_secs_f64() * 1000.0,
        late.len()
    )
}

/// The factors of a product of two 30-bit primes: minutes for any solver.
fn hard(terms: &Terms) -> Vec<Term> {
    let [p, q] = ["p", "q"].map(|name| terms.symbol(name, Sort::bv(31)));
    let wide = |term| terms.zero_extend(term, 62);
    let product = terms.bv(62, 1_000_000_007 * 998_244_353);
    let one = terms.bv(31, 1);
    vec![
        terms.eq(terms.bv_mul(wide(p), wide(q)), product),
        terms.bv_ugt(p, one),
        terms.bv_ugt(q, one),
    ]
}

fn limited(limit: Duration, work: impl FnOnce(&Limits) -> Outcome) -> Option<Duration> {
    let start = Instant::now();
    let outcome = work(&Limits::of_budget(&Budget::unlimited().limited_to(limit)));
    let late = start.elapsed().saturating_sub(limit);
    (outcome == Outcome::Unknown(Reason::Deadline)).then_some(late)
}

fn in_process(easy_conflicts: u64, limit: Duration) -> Option<Duration> {
    let terms = Terms::new();
    let query = hard(&terms);
    let mut solver = QuerySolver::new().easy_conflicts(easy_conflicts);
    limited(limit, |limits| solver.check(&terms, &query, limits))
}

fn translating() -> Option<Duration> {
    let terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::bv(6000)));
    let query = [terms.eq(terms.bv_udiv(x, y), terms.bv_mul(x, y))];
    limited(LIMIT, |limits| {
        QuerySolver::new().check(&terms, &query, limits)
    })
}

/// How long after another thread's interrupt `work` ends.
fn after_interrupt(work: impl FnOnce(&Budget)) -> Duration {
    let budget = Budget::unlimited();
    let other = budget.clone();
    std::thread::scope(|scope| {
        let interrupted = scope.spawn(move || {
            std::thread::sleep(LIMIT);
            other.cancel();
            Instant::now()
        });
        work(&budget);
        let end = Instant::now();
        let interrupted = interrupted.join().unwrap_or(end);
        end.saturating_duration_since(interrupted)
    })
}

fn interrupted() -> Option<Duration> {
    let terms = Terms::new();
    let query = hard(&terms);
    Some(after_interrupt(|budget| {
        QuerySolver::new().check(&terms, &query, &Limits::of_budget(budget));
    }))
}

fn pipe(config: &ProverConfig, stopped: bool, interrupted: bool) -> Option<Duration> {
    let mut prover = Prover::start(config).ok()?;
    prover.send("(declare-const x Int)(declare-const y Int)(declare-const z Int)");
    prover.send("(assert (= (+ (* x x x) (* y y y) (* z z z)) 114))(assert (> x 1000))");
    if stopped {
        let stop = format!("kill -STOP {}", prover.process_id());
        let status = std::process::Command::new("sh")
            .args(["-c", &stop])
            .status();
        status.ok().filter(|status| status.success())?;
    }
    if interrupted {
        return Some(after_interrupt(|budget| {
            prover.check_sat(0, budget);
        }));
    }
    let start = Instant::now();
    prover.check_sat(0, &Budget::unlimited().limited_to_work(LIMIT));
    Some(start.elapsed().saturating_sub(LIMIT))
}
