//! `stet man`: the manual page generated from the option definitions.

use crate::exit::ExitStatus;
use crate::options::Stet;
use crate::output;
use crate::session::Session;
use clap::CommandFactory;

/// Options of `stet man`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The page of one command, e.g. `verify`; by default the page of `stet` itself.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let mut stet = Stet::command();
    stet.build();
    let page = match &options.command {
        None => stet,
        Some(name) => match stet.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                output::error_line(&format!("stet man: there is no command `{name}`"));
                return ExitStatus::Usage;
            }
        },
    };
    let mut text = Vec::new();
    match clap_mangen::Man::new(page).render(&mut text) {
        Ok(()) => session.output.raw(&text),
        Err(error) => output::error_line(&format!("stet man: {error}")),
    }
    ExitStatus::Clean
}
