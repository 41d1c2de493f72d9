//! Mutation fuzzing of every reader and decoder: the targets, and the cases made from their seeds.
//!
//! A case is known by its number alone: `case(target, seeds, n)` is the same input in every run. What a target does
//! with an input is nobody's business as long as it comes back: errors are answers, panics, aborts and hangs are
//! not. The program `fuzz-readers` runs cases in child processes, the tests a few of them in process.

mod explored;
mod mutate;
mod targets;

pub use mutate::case;
pub use targets::{TARGETS, Target};

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Cases per target in the tests; `fuzz-readers` runs many more.
    const CASES: u64 = 250;

    #[test]
    fn readers_survive_mutations() {
        for target in TARGETS {
            let seeds = (target.seeds)();
            assert!(!seeds.is_empty(), "{}: no seeds", target.name);
            for seed in &seeds {
                (target.run)(seed);
            }
            for number in 0..CASES {
                let input = case(target, &seeds, number);
                let start = Instant::now();
                let run = std::panic::AssertUnwindSafe(|| (target.run)(&input));
                let outcome = std::panic::catch_unwind(run);
                assert!(outcome.is_ok(), "{} case {number} panics", target.name);
                assert!(
                    start.elapsed() < Duration::from_secs(20),
                    "{} case {number} takes too long",
                    target.name
                );
            }
        }
    }

    #[test]
    fn cases_are_reproducible_and_differ() {
        for target in TARGETS {
            let seeds = (target.seeds)();
            assert_eq!(case(target, &seeds, 7), case(target, &seeds, 7));
            let different = (0..50)
                .filter(|&n| case(target, &seeds, n) != seeds[0])
                .count();
            assert!(different > 30, "{}", target.name);
        }
    }
}
