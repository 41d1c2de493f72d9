//! `fuzz-explore-claims COUNT [SEED]`: random C programs, explored and run natively on all inputs, until COUNT claims of completeness were
//! compared with the native run. `fuzz-explore-claims show SEED NUMBER` prints one program.
#![allow(clippy::print_stdout, reason = "a campaign prints what it finds")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use stet_fuzz::explore::claims::{Verdict, batch, clang, show};

/// Functions per compiled file.
const BATCH: usize = 60;
/// Files that may fail to compile or run before the campaign stops.
const MOST_LOST: usize = 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let is_show = arguments.next_if(|word| word == "show").is_some();
    let mut numbers = arguments.filter_map(|word| word.parse::<u64>().ok());
    let (first, second) = (numbers.next(), numbers.next());
    if is_show {
        let (seed, number) = (first.unwrap_or(1), second.unwrap_or(0));
        println!("{}", show(seed, number as usize));
        return ExitCode::SUCCESS;
    }
    match clang() {
        Some(clang) => campaign(clang, first.unwrap_or(1000) as usize, second.unwrap_or(1)),
        None => {
            println!("skipped: no clang on this machine");
            ExitCode::SUCCESS
        }
    }
}

fn campaign(clang: &str, wanted: usize, first: u64) -> ExitCode {
    let mut total = Verdict::default();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    let (mut lost, mut seed) = (0, first);
    while total.claims < wanted && lost < MOST_LOST {
        let level = ["-O0", "-O1", "-O2"][(seed % 3) as usize];
        match batch(clang, seed, BATCH, level) {
            Ok(verdict) => {
                for line in &verdict.wrong {
                    println!("wrong: {level} {line}");
                }
                add(&mut total, verdict, &mut reasons);
            }
            Err(why) => {
                println!("lost: {level} seed {seed}: {why}");
                lost += 1;
            }
        }
        if seed % 20 == 0 {
            println!("{}", line(&total, lost));
        }
        seed += 1;
    }
    for (reason, count) in &reasons {
        println!("{count:6} not covered: {reason}");
    }
    println!("{}", line(&total, lost));
    match total.wrong.is_empty() && lost < MOST_LOST {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn add(total: &mut Verdict, verdict: Verdict, reasons: &mut BTreeMap<String, u64>) {
    total.programs += verdict.programs;
    total.claims += verdict.claims;
    total.late += verdict.late;
    total.undefined += verdict.undefined;
    total.tests += verdict.tests;
    total.wrong.extend(verdict.wrong);
    for reason in verdict.left_out {
        *reasons.entry(reason).or_default() += 1;
    }
}

fn line(total: &Verdict, lost: usize) -> String {
    format!(
        "{} programs, {} claims of completeness, {} that unwritten memory decides, {} tests, {} wrong, {} out of time, {lost} files lost",
        total.programs,
        total.claims,
        total.undefined,
        total.tests,
        total.wrong.len(),
        total.late
    )
}
