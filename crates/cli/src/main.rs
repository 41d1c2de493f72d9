//! `stet`: the command line, and the only crate that knows files, the clock, the environment and clap.
//!
//! [`options`] defines every command and option once; help, completions and the manual page are generated
//! from it. Each module of [`commands`] carries out one command and returns its exit code.

mod commands;
mod options;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = options::Stet::parse();
    ExitCode::from(commands::dispatch(options))
}
