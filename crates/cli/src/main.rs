//! `stet`: the command line, and the only crate that knows files, the clock, the environment and clap.
//!
//! [`options`] defines every command and option once; help, completions and the manual page are generated
//! from it, and [`settings`] gives every option its environment variable and its place in `stet.toml`.
//! Each module of [`commands`] carries out one command on a [`session::Session`] and returns its
//! [`exit::ExitStatus`].

mod again;
mod catalog;
mod codes;
mod commands;
mod exhaustion;
mod exit;
mod input;
mod interrupt;
mod native;
mod options;
mod output;
mod panics;
mod progress;
mod report;
mod session;
mod settings;
mod shared;
mod version;
mod watchdog;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: exhaustion::Allocator = exhaustion::Allocator;

fn main() -> ExitCode {
    native::run_if_started();
    panics::install();
    exhaustion::install();
    let run = std::panic::catch_unwind(|| match settings::parse() {
        Ok(options) => commands::dispatch(options),
        Err(code) => code,
    });
    // The hook has told the user already.
    ExitCode::from(run.unwrap_or(exit::INTERNAL))
}
