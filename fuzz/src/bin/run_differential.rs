//! Random Prolog programs, run by Stet and by SWI-Prolog: what they print must be the same.
//!
//! `fuzz-run-differential [COUNT] [SEED]`: see `stet_fuzz::run::differential`. Each difference without a rule is printed with
//! its seed and makes the exit code 1; the others are counted by rule. `--show SEED` prints a program, `--rules` the
//! rules with their reasons.

use clap::Parser;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;
use stet_fuzz::run::differential::generate::program;
use stet_fuzz::run::differential::peer::Peer;
use stet_fuzz::run::differential::rules::RULES;
use stet_fuzz::run::differential::{differences, own_output};

/// Random Prolog programs, run by Stet and by SWI-Prolog.
#[derive(Parser)]
#[command(name = "fuzz-run-differential")]
struct Options {
    /// How many programs.
    #[arg(default_value_t = 300)]
    count: u64,
    /// The first seed.
    #[arg(default_value_t = 1)]
    seed: u64,
    /// Print the program with this seed, and stop.
    #[arg(long, value_name = "SEED")]
    show: Option<u64>,
    /// Print the accepted kinds of difference and their reasons, and stop.
    #[arg(long)]
    rules: bool,
}

fn main() -> std::io::Result<ExitCode> {
    let options = Options::parse();
    let mut out = std::io::stdout().lock();
    if let Some(seed) = options.show {
        for (name, text) in program(seed).files {
            writeln!(out, "%%% {name}\n{text}")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if options.rules {
        for rule in RULES {
            writeln!(out, "{}: {}", rule.name, rule.reason)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let directory = tempfile::tempdir()?;
    let mut peer = Peer::start(directory.path())?;
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut tests, mut unknown, mut unfinished) = (0, 0, 0);
    for seed in options.seed..options.seed + options.count {
        let program = program(seed);
        let (Some(theirs), Some(ours)) =
            (peer.run(&program, directory.path())?, own_output(&program))
        else {
            unfinished += 1;
            continue;
        };
        tests += program.goals.len();
        for found in differences(&program, &theirs, &ours) {
            if let Some(rule) = found.rule {
                *known.entry(rule).or_default() += 1;
                continue;
            }
            unknown += 1;
            writeln!(
                out,
                "seed {seed} {}: {}\n  swipl: {}\n  stet:  {}",
                found.label, found.goal, found.peer, found.own
            )?;
        }
    }
    for (rule, count) in &known {
        writeln!(out, "{count:6} {rule}")?;
    }
    writeln!(
        out,
        "{} programs, {tests} goals: {} differences accepted by rules, {unknown} others, {unfinished} programs not compared",
        options.count,
        known.values().sum::<usize>()
    )?;
    Ok(match unknown {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The short version of the campaign.
    #[test]
    fn a_few_programs_give_the_answers_of_swi_prolog() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let Ok(mut peer) = Peer::start(directory.path()) else {
            stet_testkit::skip("swipl");
            return;
        };
        let mut compared = 0;
        for seed in 1000..1012 {
            let program = program(seed);
            let theirs = peer.run(&program, directory.path()).expect("swipl runs");
            let (Some(theirs), Some(ours)) = (theirs, own_output(&program)) else {
                continue;
            };
            compared += 1;
            for found in differences(&program, &theirs, &ours) {
                assert!(found.rule.is_some(), "seed {seed}: {found:#?}");
            }
        }
        assert!(compared > 6, "{compared} programs compared");
    }
}
