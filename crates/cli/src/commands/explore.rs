//! `stet explore`: Explore C or LLVM IR.

use std::path::PathBuf;

/// Options of `stet explore`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Input files.
    files: Vec<PathBuf>,
}

/// Carries out the command.
pub(crate) fn execute(options: &Options) -> u8 {
    anstream::eprintln!(
        "stet explore: this engine is not part of this build yet ({} input files)",
        options.files.len()
    );
    2
}
