//! One module per command; each returns the exit code of DESIGN: 0 nothing found, 1 findings, 2 usage or
//! unreadable input, 3 inconclusive, 101 internal error, 130 interrupted.

pub(crate) mod explore;
pub(crate) mod run;
pub(crate) mod verify;

use crate::options::{Command, Stet};

/// Carries out the command and returns the exit code.
pub(crate) fn dispatch(options: Stet) -> u8 {
    match options.command {
        Command::Explore(options) => explore::execute(&options),
        Command::Verify(options) => verify::execute(&options),
        Command::Run(options) => run::execute(&options),
    }
}
