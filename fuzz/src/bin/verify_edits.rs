//! The long version of the random-edit test: `fuzz-verify-edits [EDITS] [SEED]`.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use clap::Parser;
use stet_base::Budget;
use stet_fuzz::verify::edits::campaign;

/// Random edits of small programs: cached verdicts against fresh ones.
#[derive(Parser)]
#[command(name = "fuzz-verify-edits")]
struct Options {
    #[arg(default_value_t = 1000)]
    edits: usize,
    #[arg(default_value_t = 1)]
    seed: u64,
}

fn main() -> std::process::ExitCode {
    let Options { edits, seed } = Options::parse();
    let mut shown = 0;
    let budget = Budget::unlimited();
    let directory = std::env::temp_dir().join(format!("stet-edits-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&directory) {
        println!("{}: {error}", directory.display());
        return std::process::ExitCode::from(2);
    }
    let tally = campaign(seed, edits, &directory, &budget, &mut |tally| {
        while shown < tally.differences.len() {
            println!("=== difference\n{}", tally.differences[shown]);
            shown += 1;
        }
        if tally.edits % 1000 < 10 {
            println!(
                "{} edits, {} differences",
                tally.edits,
                tally.differences.len()
            );
        }
    });
    let _ = std::fs::remove_dir_all(&directory);
    let Some(tally) = tally else {
        println!("no prover found");
        return std::process::ExitCode::from(2);
    };
    let [solved, cached, partial, recycled] = tally.origins;
    println!(
        "{} edits ({} more did not type-check), {} differences; checks: {solved} solved, {cached} cached, \
         {partial} partially cached, {recycled} recycled; {} implementations unsupported",
        tally.edits,
        tally.ill_typed,
        tally.differences.len(),
        tally.unsupported
    );
    std::process::ExitCode::from(u8::from(!tally.differences.is_empty()))
}
