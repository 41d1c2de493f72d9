//! `fuzz-dafny-soundness CORPUS`: is `assert false` rejected everywhere in programs that verify? do the axioms contradict each
//! other?
#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use clap::Parser;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stet_fuzz::dafny::features::{FEATURES, Feature, place, program};
use stet_fuzz::dafny::soundness::{Judgement, judge, places};
use stet_fuzz::dafny::subject::{Fate, Verifier, chosen};

/// Puts `assert false` at the end of each method, lemma and loop body, one at a time, and under all pairs of features.
#[derive(Parser)]
#[command(name = "fuzz-dafny-soundness")]
struct Options {
    /// A folder with Dafny programs, or one program.
    corpus: Option<PathBuf>,
    /// Only programs with this in their names.
    #[arg(long)]
    filter: Option<String>,
    /// Every n-th program only.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Seconds for each question.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Dafny 2.3.0, to confirm that a program contradicts itself.
    #[arg(long, default_value = "/usr/bin/dafny")]
    peer: PathBuf,
    /// Leave the pairs of features out.
    #[arg(long)]
    no_features: bool,
}

fn main() -> std::process::ExitCode {
    let options = Options::parse();
    let Some(mut verifier) = Verifier::fresh(Duration::from_secs(options.seconds)) else {
        println!("no prover found");
        return std::process::ExitCode::from(2);
    };
    let mut bad = 0;
    if !options.no_features {
        bad += features(&verifier);
    }
    if let Some(corpus) = &options.corpus {
        bad += programs(&options, corpus, &mut verifier);
    }
    std::process::ExitCode::from(u8::from(bad > 0))
}

/// Features alone, in pairs and all together.
fn features(verifier: &Verifier) -> usize {
    let mut sets: Vec<Vec<&Feature>> = Vec::new();
    for (i, a) in FEATURES.iter().enumerate() {
        sets.push(vec![a]);
        sets.extend(FEATURES[..i].iter().map(|b| vec![b, a]));
    }
    sets.push(FEATURES.iter().collect());
    let (mut bad, total) = (0, sets.len());
    for set in sets {
        let text = program(&set);
        let names: Vec<&str> = set.iter().map(|f| f.0).collect();
        let finding = verifier.check("features.dfy", &text);
        let expected = place(&text);
        let fine = match finding.fate {
            Fate::Undecided => true,
            Fate::Errors => finding.lines.iter().any(|l| l.contains(&expected)),
            _ => false,
        };
        if !fine {
            bad += 1;
            println!(
                "features {}: {:?} {:?}",
                names.join(", "),
                finding.fate,
                finding.lines
            );
        }
    }
    println!("features: {total} combinations, {bad} not as expected");
    bad
}

fn programs(options: &Options, corpus: &Path, verifier: &mut Verifier) -> usize {
    let mut counts: BTreeMap<Judgement, usize> = BTreeMap::new();
    let (mut verified, mut tried) = (0, 0);
    let peer = options.peer.exists().then_some(options.peer.as_path());
    for (name, text) in chosen(corpus, options.filter.as_deref(), options.every) {
        tried += 1;
        if verifier.check(&name, &text).fate != Fate::Verified {
            continue;
        }
        verified += 1;
        for place in places(&name, &text) {
            let found = judge(verifier, &name, &text, &place, peer);
            *counts.entry(found).or_default() += 1;
            if found != Judgement::Rejected && found != Judgement::Left {
                println!(
                    "{found:?}: {name}({}) end of {} in {}",
                    place.line, place.what, place.member
                );
            }
        }
    }
    let all: usize = counts.values().sum();
    println!("{tried} programs, {verified} verify, {all} places of `assert false`:");
    for (judgement, count) in &counts {
        println!("{count:6} {judgement:?}");
    }
    counts.get(&Judgement::Suspect).copied().unwrap_or(0)
}
