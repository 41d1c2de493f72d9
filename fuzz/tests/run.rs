//! Short versions of `fuzz-run-checks` and `fuzz-run-discharge`.

use stet_fuzz::run::checks::{CACHES, COLLECTIONS, random_program, run_random_program};
use stet_fuzz::run::discharge::{Compared, compare};
use stet_run::checks::{CacheConfig, Policy};

/// With forced collections, against recomputation and a machine that has no cache and collects only when it must.
#[test]
fn cached_checks_agree_with_recomputation() {
    let programs: u64 = std::env::var("STET_RANDOM_PROGRAMS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(18);
    let off = CacheConfig {
        policy: Policy::Off,
        size: 0,
        depth: 0,
    };
    let (mut checks, mut hits, mut undone) = (0, 0, 0);
    for seed in 0..programs {
        let program = random_program(seed, 30);
        let expected = run_random_program(&program, off, 0, 60);
        for trial in [2 * seed as usize, 2 * seed as usize + 1] {
            let cache = CACHES[trial % CACHES.len()];
            let gc = COLLECTIONS[trial / CACHES.len() % COLLECTIONS.len()];
            let found = run_random_program(&program, cache, gc, 60);
            assert_eq!(found.stats.mismatches, 0, "seed {seed} {cache:?} gc {gc}");
            assert_eq!(
                found.outcome, expected.outcome,
                "seed {seed} {cache:?} gc {gc}"
            );
            checks += found.stats.checks;
            hits += found.stats.hits;
            undone += found.stats.invalidations;
        }
    }
    // The programs do what they are for.
    assert!(checks > 1_000 * programs, "{checks} checks");
    assert!(
        hits * 50 > checks && undone > 0,
        "{hits} hits of {checks}, {undone} undone"
    );
}

#[test]
fn what_is_proved_never_fails() {
    let mut total = Compared::default();
    for seed in 0..25 {
        match compare(seed) {
            Ok(found) => {
                total.goals += found.goals;
                total.proved += found.proved;
                total.parts += found.parts;
                total.violated += found.violated;
                total.stopped += found.stopped;
            }
            Err(text) => panic!("{text}"),
        }
    }
    assert!(total.proved > 20, "{total:?}");
}
