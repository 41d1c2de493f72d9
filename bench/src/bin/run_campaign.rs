//! `bench-run-campaign [MILLIONS] [SEED]`: random programs against the cache of property checks.
//!
//! Each program runs without a cache and then with every policy, a garbage collection forced at every 1st, 7th or
//! 1000th opportunity, each answer recomputed. The run ends after so many million checks; any disagreement is printed
//! with its program and ends it with failure.

use std::io::Write;
use std::process::ExitCode;
use stet_run::checks::random_programs::random_program;
use stet_run::checks::{CacheConfig, CheckSettings, CheckStats, Policy};
use stet_run::{Answer, Config, Machine, MemoryHost};

fn main() -> ExitCode {
    let mut arguments = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse::<u64>().ok());
    let millions = arguments.next().unwrap_or(1);
    let mut seed = arguments.next().unwrap_or(1_000);
    let mut out = std::io::stdout();
    let mut total = CheckStats::default();
    let mut programs = 0_u64;
    while total.checks < millions * 1_000_000 {
        seed += 1;
        let program = random_program(seed, 40);
        let expected = run(&program, Policy::Off, 0, 0);
        for (index, (policy, size)) in CACHES.iter().enumerate() {
            let gc_stress = [1, 7, 1000][(seed as usize + index) % 3];
            let found = run(&program, *policy, *size, gc_stress);
            if found.0 != expected.0 || found.1.mismatches != 0 {
                let _ = writeln!(
                    out,
                    "{program}\nseed {seed} {policy:?} {size} gc {gc_stress}"
                );
                return ExitCode::FAILURE;
            }
            total.checks += found.1.checks;
            total.hits += found.1.hits;
            total.invalidations += found.1.invalidations;
            total.flushes += found.1.flushes;
        }
        programs += 1;
        if programs.is_multiple_of(200) {
            let _ = writeln!(out, "{programs} programs, {} checks", total.checks);
        }
    }
    let _ = writeln!(
        out,
        "{programs} programs, {} checks, {} hits, {} entries undone, {} flushes: no disagreement",
        total.checks, total.hits, total.invalidations, total.flushes
    );
    ExitCode::SUCCESS
}

const CACHES: &[(Policy, usize)] = &[
    (Policy::Adaptive, 0),
    (Policy::DirectMapped, 16),
    (Policy::DirectMapped, 1024),
    (Policy::LeastRecentlyUsed, 16),
    (Policy::LeastRecentlyUsed, 256),
];

/// The violations in order, and the counters.
fn run(program: &str, policy: Policy, size: usize, gc_stress: u32) -> (Vec<String>, CheckStats) {
    let mut host = MemoryHost::default();
    host.files
        .insert("/m.pl".to_string(), program.as_bytes().to_vec());
    let config = Config {
        memory: 1 << 26,
        gc_stress,
        ..Config::standard()
    };
    let mut machine = Machine::new(config, Box::new(host));
    machine.set_checks(&CheckSettings {
        cache: CacheConfig {
            policy,
            size,
            depth: 0,
        },
        verify: policy != Policy::Off,
        quiet: true,
        ..CheckSettings::STANDARD
    });
    let mut outcome = Vec::new();
    for goal in ["consult('/m.pl')", "random:run"] {
        let answer = machine.run_goal(goal);
        if !matches!(answer, Answer::True(_)) {
            outcome.push(format!("{answer:?}"));
        }
    }
    outcome.extend(
        machine
            .violations()
            .iter()
            .map(|v| format!("{} {}", v.kind, v.predicate)),
    );
    (outcome, machine.check_stats())
}
