//! `stet bench`: runs the benchmark programs built beside this executable.

use crate::exit::ExitStatus;
use crate::session::Session;
use std::ffi::OsString;
use std::path::PathBuf;
use stet_diag::Diagnostic;

/// Options of `stet bench`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Which benchmark.
    #[arg(value_enum)]
    what: Benchmark,
    /// Passed on to the benchmark program.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Benchmark {
    /// Queries of symbolic execution, with and without address-aware caching.
    Explore,
    /// Edit sessions, with and without cached verification results.
    Verify,
    /// Prolog programs, with and without cached run-time checks.
    Run,
    /// The in-process solver beside its peers.
    Solve,
    /// The store of verdicts.
    Store,
}

impl Benchmark {
    fn program(self) -> &'static str {
        match self {
            Benchmark::Explore => "bench-explore",
            Benchmark::Verify => "bench-verify",
            Benchmark::Run => "bench-run",
            Benchmark::Solve => "bench-solve",
            Benchmark::Store => "bench-store",
        }
    }
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let name = options.what.program();
    let Some(program) = find_program(name) else {
        session.report(
            Diagnostic::error(
                "bench/not-built",
                format!("the benchmark program `{name}` is not beside this executable"),
            )
            .with_note("build it with `cargo build --release --package stet-bench`"),
        );
        return ExitStatus::Usage;
    };
    match std::process::Command::new(&program)
        .args(&options.arguments)
        .status()
    {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            code.map_or(ExitStatus::Internal, ExitStatus::Code)
        }
        Err(error) => {
            session.report(Diagnostic::error(
                "bench/failed",
                format!("cannot run `{}`: {error}", program.display()),
            ));
            ExitStatus::Usage
        }
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let directory = std::env::current_exe().ok()?.parent()?.to_owned();
    let short = name.trim_start_matches("bench-");
    [name, short]
        .map(|name| directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .into_iter()
        .find(|program| program.is_file())
}
