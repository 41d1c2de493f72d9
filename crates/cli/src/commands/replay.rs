//! `stet replay`: run a program natively on a recorded test case.

use crate::exit::ExitStatus;
use crate::session::Session;
use std::path::PathBuf;
use stet_diag::Diagnostic;

/// Options of `stet replay`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The program and the recorded test cases.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    session.report(Diagnostic::error(
        "cli/not-built",
        format!(
            "`stet replay` is not part of this build yet ({} files)",
            options.files.len()
        ),
    ));
    ExitStatus::Usage
}
