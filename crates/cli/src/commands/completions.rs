//! `stet completions`: a completion script generated from the option definitions.

use crate::exit::ExitStatus;
use crate::options::Stet;
use crate::session::Session;
use clap::CommandFactory;

/// Options of `stet completions`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The shell.
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Stet::command(), "stet", &mut script);
    session.output.raw(&script);
    ExitStatus::Clean
}
