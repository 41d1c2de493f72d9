//! `fuzz-explore-library COUNT [SEED]`: COUNT random C programs that use the C library and the system, explored by the `stet` beside this program
//! (or `STET_BIN`) and run natively. `fuzz-explore-library show SEED` prints one program.
#![allow(clippy::print_stdout, reason = "a campaign prints what it finds")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use stet_fuzz::explore::claims::{Verdict, clang};
use stet_fuzz::explore::library::{Tools, one, show};

/// Programs that may fail to compile or run before the campaign stops.
const MOST_LOST: usize = 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let is_show = arguments.next_if(|word| word == "show").is_some();
    let mut numbers = arguments.filter_map(|word| word.parse::<u64>().ok());
    let (first, second) = (numbers.next(), numbers.next());
    if is_show {
        println!("{}", show(first.unwrap_or(1)));
        return ExitCode::SUCCESS;
    }
    let beside = std::env::current_exe()
        .ok()
        .map(|path| path.with_file_name("stet"));
    let stet = std::env::var_os("STET_BIN").map(Into::into).or(beside);
    match (clang(), stet) {
        (Some(clang), Some(stet)) => {
            let clang = clang.to_owned();
            let tools = Tools {
                stet,
                clang,
                runtime: None,
            };
            campaign(&tools, first.unwrap_or(300), second.unwrap_or(1))
        }
        _ => {
            println!("skipped: no clang on this machine");
            ExitCode::SUCCESS
        }
    }
}

fn campaign(tools: &Tools, count: u64, first: u64) -> ExitCode {
    let mut total = Verdict::default();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    let mut lost = 0;
    for seed in first..first + count {
        match one(tools, seed) {
            Ok(verdict) => {
                if let Some(line) = verdict.wrong.first() {
                    println!("wrong: {line} ({} in all)", verdict.wrong.len());
                }
                add(&mut total, verdict, &mut reasons);
            }
            Err(why) => {
                println!("lost: seed {seed}: {why}");
                lost += 1;
                if lost == MOST_LOST {
                    break;
                }
            }
        }
        if (seed - first) % 100 == 99 {
            println!("{}", line(&total, lost));
        }
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
    total.tests += verdict.tests;
    total.wrong.extend(verdict.wrong);
    for reason in verdict.left_out {
        *reasons.entry(reason).or_default() += 1;
    }
}

fn line(total: &Verdict, lost: usize) -> String {
    format!(
        "{} programs, {} claims of completeness, {} tests, {} wrong, {} out of time, {lost} lost",
        total.programs,
        total.claims,
        total.tests,
        total.wrong.len(),
        total.late
    )
}
