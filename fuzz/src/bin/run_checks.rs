//! `fuzz-run-checks [MILLIONS] [SEED] [ROUNDS]`: random programs against the cache of property checks.
//!
//! Each program runs without a cache and then with several: every policy, sizes from one entry up, depth limits; with
//! a garbage collection forced at every 1st, 7th or 1000th opportunity; each answer is recomputed. The run ends after
//! so many million checks. A disagreement is printed with its program and ends it with failure.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use stet_fuzz::run::checks::{CACHES, COLLECTIONS, random_program, run_random_program};
use stet_run::checks::{CacheConfig, CheckStats, Policy};

/// Caches tried with each program.
const TRIALS: usize = 4;

/// Random programs against the cache of property checks.
#[derive(Parser)]
#[command(name = "fuzz-run-checks")]
struct Options {
    /// Millions of checks after which the run ends.
    #[arg(default_value_t = 1)]
    millions: u64,
    #[arg(default_value_t = 1_000)]
    seed: u64,
    /// Rounds of each program.
    #[arg(default_value_t = 400)]
    rounds: u32,
}

fn main() -> ExitCode {
    let Options {
        millions,
        mut seed,
        rounds,
    } = Options::parse();
    let mut out = std::io::stdout();
    let mut total = CheckStats::default();
    let mut by_collection = [0_u64; 3];
    let mut programs = 0_u64;
    let mut trial = seed as usize;
    let mut shown = 0;
    while total.checks < millions * 1_000_000 {
        seed += 1;
        let program = random_program(seed, 40);
        let off = CacheConfig {
            policy: Policy::Off,
            size: 0,
            depth: 0,
        };
        let expected = run_random_program(&program, off, 0, rounds);
        for _ in 0..TRIALS {
            trial += 1;
            let cache = CACHES[trial % CACHES.len()];
            let which = trial / CACHES.len() % COLLECTIONS.len();
            let gc = COLLECTIONS[which];
            let found = run_random_program(&program, cache, gc, rounds);
            if found.outcome != expected.outcome || found.stats.mismatches != 0 {
                let _ = writeln!(
                    out,
                    "{program}\nseed {seed}, {rounds} rounds, {cache:?}, collections {gc}: {} mismatches; {}",
                    found.stats.mismatches,
                    first_difference(&expected.outcome, &found.outcome)
                );
                return ExitCode::FAILURE;
            }
            add(&mut total, &found.stats);
            by_collection[which] += found.stats.checks;
        }
        programs += 1;
        if total.checks / 250_000 > shown {
            shown = total.checks / 250_000;
            summary(&mut out, programs, &total, &by_collection);
        }
    }
    summary(&mut out, programs, &total, &by_collection);
    let _ = writeln!(out, "no disagreement");
    ExitCode::SUCCESS
}

fn add(total: &mut CheckStats, found: &CheckStats) {
    total.checks += found.checks;
    total.visits += found.visits;
    total.hits += found.hits;
    total.insertions += found.insertions;
    total.evictions += found.evictions;
    total.invalidations += found.invalidations;
    total.flushes += found.flushes;
    total.violations += found.violations;
}

fn summary(out: &mut dyn Write, programs: u64, total: &CheckStats, by_collection: &[u64; 3]) {
    let _ = writeln!(
        out,
        "{programs} programs, {} checks (collections at every 1st {}, 7th {}, 1000th {}), {} violations, {} hits, \
         {} entries, {} evicted, {} undone, {} flushes",
        total.checks,
        by_collection[0],
        by_collection[1],
        by_collection[2],
        total.violations,
        total.hits,
        total.insertions,
        total.evictions,
        total.invalidations,
        total.flushes
    );
    let _ = out.flush();
}

/// Where two outcomes part.
fn first_difference(expected: &[String], found: &[String]) -> String {
    let at = expected
        .iter()
        .zip(found)
        .position(|(a, b)| a != b)
        .unwrap_or(expected.len().min(found.len()));
    format!(
        "of {} and {} results the first to differ is {at}: {:?} and {:?}",
        expected.len(),
        found.len(),
        expected.get(at),
        found.get(at)
    )
}
