//! `fuzz-explore-memory COUNT [SEED]`: random C programs over pointers into several objects, explored in both memory models, with objects
//! split too, and run natively on all inputs; see `stet_fuzz::explore::memory` for what must agree.
#![allow(clippy::print_stdout, reason = "a campaign prints what it finds")]

use stet_fuzz::explore::claims::clang;
use stet_fuzz::explore::memory::batch;

/// Functions per compiled file.
const BATCH: usize = 20;

fn main() -> std::process::ExitCode {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse::<u64>().ok());
    let count = numbers.next().unwrap_or(200) as usize;
    let mut seed = numbers.next().unwrap_or(1);
    let Some(clang) = clang() else {
        println!("skipped: no clang on this machine");
        return std::process::ExitCode::SUCCESS;
    };
    let (mut programs, mut complete, mut wrong, mut lost) = (0, 0, 0, 0);
    let (mut paths, mut solver, mut split) = ((0, 0), (0, 0), (0, 0));
    while programs < count && lost < 100 {
        match batch(clang, seed, BATCH.min(count - programs)) {
            Some(verdict) => {
                programs += verdict.programs;
                complete += verdict.complete;
                paths = (paths.0 + verdict.paths.0, paths.1 + verdict.paths.1);
                solver = (solver.0 + verdict.solver.0, solver.1 + verdict.solver.1);
                split = (split.0 + verdict.split.0, split.1 + verdict.split.1);
                wrong += verdict.wrong.len();
                for line in &verdict.wrong {
                    println!("wrong: {line}");
                }
            }
            None => {
                println!("lost: seed {seed}");
                lost += 1;
            }
        }
        seed += 1;
    }
    println!(
        "{programs} programs, {complete} complete, {wrong} wrong, {lost} files lost; paths {} forking, {} segmented; solver queries {} forking without a cache, {} segmented; {} complete explorations with objects split, {} paths",
        paths.0, paths.1, solver.0, solver.1, split.0, split.1
    );
    match wrong {
        0 => std::process::ExitCode::SUCCESS,
        _ => std::process::ExitCode::FAILURE,
    }
}
