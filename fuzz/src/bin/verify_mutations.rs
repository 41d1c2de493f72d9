//! `fuzz-verify-mutations FOLDER [EDITS] [SEED]`: mutation sessions of generated programs, cached against fresh.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use clap::Parser;
use std::path::PathBuf;
use stet_base::Budget;
use stet_fuzz::verify::mutations::{Tally, campaign};

/// Mutation sessions of generated programs: cached verdicts against those of a run with the cache off.
#[derive(Parser)]
#[command(name = "fuzz-verify-mutations")]
struct Options {
    /// A folder with Boogie programs.
    folder: PathBuf,
    #[arg(default_value_t = 200)]
    edits: usize,
    #[arg(default_value_t = 1)]
    seed: u64,
}

fn main() -> std::process::ExitCode {
    let Options {
        folder,
        edits,
        seed,
    } = Options::parse();
    let mut shown = 0;
    let tally = campaign(&folder, seed, edits, &Budget::unlimited(), &mut |tally| {
        for difference in &tally.differences[shown..] {
            println!("=== difference\n{difference}");
        }
        shown = tally.differences.len();
        println!("{}", summary(tally));
    });
    let Some(tally) = tally else {
        println!("no prover found, or no programs in {}", folder.display());
        return std::process::ExitCode::from(2);
    };
    println!("{}", summary(&tally));
    std::process::ExitCode::from(u8::from(!tally.differences.is_empty()))
}

fn summary(tally: &Tally) -> String {
    let [solved, cached, partial, recycled] = tally.origins;
    format!(
        "{} edits ({} more did not type-check), {} implementations compared, {} undecided, {} checks proved with reuse only, \
         {} differences; checks: {solved} solved, {cached} cached, {partial} partially cached, {recycled} recycled",
        tally.edits,
        tally.ill_typed,
        tally.compared,
        tally.undecided,
        tally.only_cached_proves,
        tally.differences.len()
    )
}
