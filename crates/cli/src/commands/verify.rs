//! `stet verify`: Verify Boogie programs.

use std::path::PathBuf;

/// Options of `stet verify`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Input files.
    files: Vec<PathBuf>,
}

/// Carries out the command.
pub(crate) fn execute(options: &Options) -> u8 {
    anstream::eprintln!(
        "stet verify: this engine is not part of this build yet ({} input files)",
        options.files.len()
    );
    2
}
