//! `stet explore`: Explore C or LLVM IR.

use crate::exit::ExitStatus;
use crate::session::Session;
use std::path::PathBuf;
use stet_diag::Diagnostic;

/// Options of `stet explore`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Input files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    for file in &options.files {
        if session.read_source(file).is_none() {
            return ExitStatus::Usage;
        }
    }
    session.report(Diagnostic::error(
        "cli/not-built",
        "the engine of `stet explore` is not part of this build yet",
    ));
    ExitStatus::Usage
}
