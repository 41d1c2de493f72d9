//! Every command and option, defined once.

use clap::{Parser, Subcommand};

/// Check programs once: symbolic execution, verification and run-time checks with verdicts that stand.
#[derive(Parser, Debug)]
#[command(name = "stet", version, about)]
pub(crate) struct Stet {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Explore C or LLVM IR by symbolic execution.
    Explore(crate::commands::explore::Options),
    /// Verify Boogie programs.
    Verify(crate::commands::verify::Options),
    /// Run Prolog with assertions checked at run time.
    Run(crate::commands::run::Options),
}
