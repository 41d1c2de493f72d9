//! `stet klee-replay`: run an executable on tests with symbolic arguments, files and streams, with KLEE's lines.

use crate::commands::replay::native::{How, NativeRun};
use crate::commands::replay::rights::Rights;
use crate::exit::ExitStatus;
use crate::input;
use crate::output::error_line;
use crate::session::Session;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stet_diag::Diagnostic;

/// Options of `stet klee-replay`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The executable.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The tests.
    #[arg(required = true, value_name = "TEST")]
    tests: Vec<PathBuf>,
    /// The time for one run, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// Do not show what the program prints.
    #[arg(long)]
    silent: bool,
    /// Run the program with root's rights, not as user `nobody`, if root replays.
    #[arg(long)]
    as_root: bool,
}

/// Carries out the command: clean if every run ended with status 0.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let program = std::path::absolute(&options.program).unwrap_or_else(|_| options.program.clone());
    let how = How {
        rights: Rights::of_caller(options.as_root),
        quiet: options.silent,
    };
    if let Some(note) = how.rights.note() {
        error_line(&format!("KLEE-REPLAY: NOTE: {note}"));
    }
    let mut status = ExitStatus::Clean;
    for path in &options.tests {
        let test = match input::read_test(path) {
            Ok(test) => test,
            Err(diagnostic) => {
                session.report(*diagnostic);
                return ExitStatus::Usage;
            }
        };
        let run = NativeRun::of(&test);
        let shown: Vec<String> = run
            .args
            .iter()
            .map(|arg| format!("\"{}\"", arg.escape_ascii()))
            .collect();
        error_line(&format!("KLEE-REPLAY: NOTE: Test file: {}", path.display()));
        error_line(&format!(
            "KLEE-REPLAY: NOTE: Arguments: \"{}\" {}",
            options.program.display(),
            shown.join(" ")
        ));
        if let Some(why) = run.cannot_be_made() {
            error_line(&format!("KLEE-REPLAY: WARNING: {why}"));
        }
        let started = Instant::now();
        let ended = tempfile::tempdir().and_then(|directory| {
            let limit = Duration::from_secs(options.timeout);
            run.execute(&program, directory.path(), &[], limit, how)
        });
        let seconds = started.elapsed().as_secs();
        let line = match ended {
            Err(error) => {
                let message = format!("cannot run `{}`: {error}", program.display());
                session.report(Diagnostic::error("replay/input", message));
                return ExitStatus::Usage;
            }
            Ok(None) => format!("EXIT STATUS: TIMED OUT ({seconds} seconds)"),
            Ok(Some(ended)) => match (ended.code(), ended.signal()) {
                (Some(0), _) => format!("EXIT STATUS: NORMAL ({seconds} seconds)"),
                (Some(code), _) => format!("EXIT STATUS: ABNORMAL {code} ({seconds} seconds)"),
                (None, signal) => {
                    format!(
                        "EXIT STATUS: CRASHED signal {} ({seconds} seconds)",
                        signal.unwrap_or(0)
                    )
                }
            },
        };
        if !line.contains("NORMAL (") || line.contains("ABNORMAL") {
            status = ExitStatus::Findings;
        }
        error_line(&format!("KLEE-REPLAY: NOTE: {line}"));
    }
    status
}
