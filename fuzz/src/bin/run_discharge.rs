//! Random programs with assertions: what the static analysis proves never fails, and answers do not depend on it.
//!
//!     fuzz-run-discharge [PROGRAMS] [FIRST SEED]

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a campaign prints what it finds"
)]

use std::process::ExitCode;
use stet_fuzz::run::discharge::{Compared, compare};

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (Ok(programs), Ok(first)) = (
        numbers.next().unwrap_or(Ok(20_000)),
        numbers.next().unwrap_or(Ok(0)),
    ) else {
        eprintln!("usage: fuzz-run-discharge [PROGRAMS] [FIRST SEED]");
        return ExitCode::from(2);
    };
    let mut total = Compared::default();
    let mut wrong = 0;
    for seed in first..first + programs {
        match compare(seed) {
            Ok(found) => {
                total.goals += found.goals;
                total.proved += found.proved;
                total.parts += found.parts;
                total.violated += found.violated;
                total.stopped += found.stopped;
            }
            Err(text) => {
                wrong += 1;
                eprintln!("{text}");
            }
        }
    }
    println!(
        "{programs} programs, {} goals compared ({} with violations, {} stopped), {} of {} parts of assertions proved, \
         {wrong} programs differ",
        total.goals, total.violated, total.stopped, total.proved, total.parts
    );
    ExitCode::from(u8::from(wrong > 0))
}
