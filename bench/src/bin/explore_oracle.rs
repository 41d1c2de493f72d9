//! `explore-oracle COUNT [SEED]`: random C programs, explored and run natively on all inputs; a claim of completeness must
//! agree with the native run.
#![allow(clippy::print_stdout, reason = "a campaign prints what it finds")]

use stet_bench::explore_oracle::{batch, clang};

/// Functions per compiled file.
const BATCH: usize = 50;

fn main() -> std::process::ExitCode {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse::<u64>().ok());
    let count = numbers.next().unwrap_or(1000) as usize;
    let first = numbers.next().unwrap_or(1);
    let Some(clang) = clang() else {
        println!("skipped: no clang on this machine");
        return std::process::ExitCode::SUCCESS;
    };
    let (mut programs, mut claims, mut tests, mut wrong, mut lost) = (0, 0, 0, 0, 0);
    let mut seed = first;
    while programs < count && lost < 100 {
        let level = ["-O0", "-O1", "-O2"][(seed % 3) as usize];
        match batch(clang, seed, BATCH.min(count - programs), level) {
            Some(verdict) => {
                programs += verdict.programs;
                claims += verdict.claims;
                tests += verdict.tests;
                wrong += verdict.wrong.len();
                for line in &verdict.wrong {
                    println!("wrong: {level} {line}");
                }
            }
            None => lost += 1,
        }
        seed += 1;
    }
    println!(
        "{programs} programs, {claims} claims of completeness, {tests} tests, {wrong} wrong, {lost} files lost"
    );
    match wrong {
        0 => std::process::ExitCode::SUCCESS,
        _ => std::process::ExitCode::FAILURE,
    }
}
