//! `stet klee`: KLEE's command line on Stet's explorer.

use crate::exit::ExitStatus;
use crate::session::Session;
use std::ffi::OsString;
use stet_diag::Diagnostic;

/// Options of `stet klee`: everything after the command's name, to be read by its own rules.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Options and files as klee takes them.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    session.report(Diagnostic::error(
        "cli/not-built",
        format!(
            "`stet klee` is not part of this build yet ({} arguments)",
            options.arguments.len()
        ),
    ));
    ExitStatus::Usage
}
