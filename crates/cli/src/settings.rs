//! Where the value of an option comes from: flag, `STET_*` variable, `stet.toml`, user configuration, default.

use crate::options::Stet;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;

/// Commands that read their arguments by the rules of another tool.
const FOREIGN: &[&str] = &["boogie", "klee"];

/// The options of this run, or the exit code if there is nothing more to do.
pub(crate) fn parse() -> Result<Stet, u8> {
    let arguments = protect_foreign(std::env::args_os().collect());
    Stet::try_parse_from(arguments).map_err(|error| {
        let _ = error.print();
        u8::try_from(error.exit_code()).unwrap_or(2)
    })
}

/// Puts `--` after the name of a foreign command, so that even its first option is left alone.
fn protect_foreign(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let matches = Stet::command()
        .ignore_errors(true)
        .try_get_matches_from(&arguments);
    let command = matches.ok().and_then(|matches| {
        let name = matches.subcommand_name()?;
        FOREIGN.iter().copied().find(|foreign| *foreign == name)
    });
    let place = command.and_then(|name| arguments.iter().position(|argument| argument == name));
    if let Some(place) = place {
        arguments.insert(place + 1, "--".into());
    }
    arguments
}
