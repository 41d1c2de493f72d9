//! `fuzz-dafny-differential`: Stet and Dafny 2.3.0 on generated methods and on the programs of a folder.
#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use clap::Parser;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stet_fuzz::dafny::differential::{BATCH, Relation, Tally, judge};
use stet_fuzz::dafny::hints::{Comparison, compare};
use stet_fuzz::dafny::subject::{Verifier, chosen};

/// Compares verdicts with those of Dafny 2.3.0, method by method. Without a folder the methods are generated; they are also run.
#[derive(Parser)]
#[command(name = "fuzz-dafny-differential")]
struct Options {
    /// A folder with Dafny programs whose members are compared.
    programs: Option<PathBuf>,
    /// How many methods to generate.
    #[arg(long, default_value_t = 3000)]
    methods: usize,
    /// Where generated methods start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only programs with this in their names.
    #[arg(long)]
    filter: Option<String>,
    /// Every n-th program only.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Seconds for each batch of assertions.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Dafny 2.3.0; without it generated methods are only run.
    #[arg(long, default_value = "/usr/bin/dafny")]
    peer: PathBuf,
    /// Show every difference, not only those that are wrong verdicts.
    #[arg(long)]
    all: bool,
}

fn main() -> std::process::ExitCode {
    let options = Options::parse();
    let Some(verifier) = Verifier::fresh(Duration::from_secs(options.seconds)) else {
        println!("no prover found");
        return std::process::ExitCode::from(2);
    };
    let peer = options.peer.exists().then_some(options.peer.as_path());
    let bad = match (&options.programs, peer) {
        (Some(folder), Some(peer)) => programs(&options, folder, &verifier, peer),
        (Some(_), None) => {
            println!("{} is not there", options.peer.display());
            return std::process::ExitCode::from(2);
        }
        (None, peer) => generated(&options, &verifier, peer),
    };
    std::process::ExitCode::from(u8::from(bad > 0))
}

fn generated(options: &Options, verifier: &Verifier, peer: Option<&Path>) -> usize {
    let mut tally = Tally::default();
    let (mut left, mut seed) = (options.methods, options.seed);
    while left > 0 {
        let count = left.min(BATCH);
        let before = tally.differences.len();
        judge(verifier, peer, seed, count, &mut tally);
        for difference in &tally.differences[before..] {
            if options.all || matches!(difference.relation, Relation::Wrong | Relation::PeerWrong) {
                let said = difference.said.join("; ");
                println!(
                    "seed {seed}: {:?}: {said}\n{}",
                    difference.relation, difference.text
                );
            }
        }
        left -= count;
        seed += 1;
    }
    let judged: usize = tally.counts.values().sum();
    println!(
        "{judged} generated methods, {} files refused",
        tally.refused.len()
    );
    for why in &tally.refused {
        println!("refused: {why}");
    }
    for (relation, count) in &tally.counts {
        println!("{count:6} {relation:?}");
    }
    println!("{:6} fail with both, in the same lines", tally.same_lines);
    tally.counts.get(&Relation::Wrong).copied().unwrap_or(0)
}

fn programs(options: &Options, folder: &Path, verifier: &Verifier, peer: &Path) -> usize {
    let mut counts: BTreeMap<Comparison, usize> = BTreeMap::new();
    let (mut files, mut accepted) = (0, 0);
    for (name, text) in chosen(folder, options.filter.as_deref(), options.every) {
        files += 1;
        let Some(found) = compare(verifier, peer, &name, &text) else {
            continue;
        };
        accepted += 1;
        for (member, comparison) in found {
            if options.all || comparison != Comparison::Same {
                println!("{comparison:?}: {name}: {member}");
            }
            *counts.entry(comparison).or_default() += 1;
        }
    }
    println!("{files} programs, {accepted} accepted by Dafny 2.3.0; members:");
    for (comparison, count) in &counts {
        println!("{count:6} {comparison:?}");
    }
    0
}
