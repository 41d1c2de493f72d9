//! `stet cache`: inspect and maintain the store of verdicts.

use crate::exit::ExitStatus;
use crate::session::Session;

/// Options of `stet cache`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Print where the store is.
    Path,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    match options.action {
        Action::Path => {
            let path = session.store_path();
            session.say(&path.map_or_else(String::new, |path| path.display().to_string()));
            ExitStatus::Clean
        }
    }
}
