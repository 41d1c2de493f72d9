//! Precedence of settings: flag, `STET_*` variable, `stet.toml`, user configuration,
//! default, in this order (docs/CONFIG.md).
//!
//! Every option of every command takes part, because the values found outside the command line become the
//! defaults of the option definitions before the command line is read. They are checked like flags, and a
//! wrong one is reported where it stands.

mod files;
mod variables;

use crate::options::Stet;
use crate::output;
use clap::builder::OsStr;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use files::{ConfigFile, Setting};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use stet_base::SourceMap;
use stet_diag::Diagnostic;
use stet_remote::Url;

/// Commands that read their arguments by the rules of another tool.
const FOREIGN: &[&str] = &["boogie", "dafny", "klee"];

/// The options of this run, or the exit code if there is nothing more to do.
pub(crate) fn parse() -> Result<Stet, u8> {
    let arguments = by_name(std::env::args_os().collect());
    let path = command_path(&arguments);
    let mut sources = SourceMap::new();
    let command = match configured(&mut sources, &path) {
        Ok(command) => command,
        Err(diagnostic) => {
            output::error_diagnostic(&sources, &diagnostic);
            return Err(2);
        }
    };
    for diagnostic in variables::misspelt(&command) {
        output::error_diagnostic(&sources, &diagnostic);
    }
    let arguments = protect_foreign(arguments, &path);
    command
        .try_get_matches_from(arguments)
        .and_then(|matches| Stet::from_arg_matches(&matches))
        .map_err(|error| {
            // Nobody is left to tell if the stream is gone.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => 0,
                _ => 2,
            }
        })
}

/// A copy of, or link to, the program called `dafny` is `stet dafny`; and `stet server` is `stet dafny server`, which the Dafny
/// extension starts when its `dafny.cliPath` names Stet.
fn by_name(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let own = arguments.first().map(Path::new).and_then(Path::file_stem);
    let is_dafny = own.is_some_and(|name| name.eq_ignore_ascii_case("dafny"));
    let is_server = arguments.get(1).is_some_and(|first| first == "server");
    if is_dafny || is_server {
        arguments.insert(1, "dafny".into());
    }
    arguments
}

/// The names of the command and its sub-commands on the command line, as far as they can be made out.
fn command_path(arguments: &[OsString]) -> Vec<String> {
    let matches = Stet::command()
        .ignore_errors(true)
        .try_get_matches_from(arguments);
    let mut path = Vec::new();
    let mut matches: Option<&ArgMatches> = matches.as_ref().ok();
    while let Some((name, inner)) = matches.and_then(ArgMatches::subcommand) {
        path.push(name.to_owned());
        matches = Some(inner);
    }
    path
}

/// Puts `--` after the name of a foreign command, so that even its first option is left alone.
fn protect_foreign(mut arguments: Vec<OsString>, path: &[String]) -> Vec<OsString> {
    let foreign = path.first().filter(|name| FOREIGN.contains(&name.as_str()));
    let place = foreign.and_then(|name| arguments.iter().position(|argument| argument == &**name));
    if let Some(place) = place {
        arguments.insert(place + 1, "--".into());
    }
    arguments
}

/// The option definitions with the values from environment and files as defaults.
fn configured(sources: &mut SourceMap, path: &[String]) -> Result<Command, Box<Diagnostic>> {
    let mut command = Stet::command();
    if path.is_empty() {
        return Ok(command); // help, version or an error: no setting matters
    }
    let files = files::load(sources)?;
    for file in &files {
        check_names(&command, file)?;
    }
    let mut at: Vec<&str> = Vec::new();
    command = with_defaults(command, &at, path, &files)?;
    // `mut_subcommand` takes a function that cannot fail: go down by hand.
    let mut inner_error = None;
    command = descend(command, &mut at, path, &files, &mut inner_error);
    match inner_error {
        Some(error) => Err(error),
        None => Ok(command),
    }
}

fn descend<'a>(
    command: Command,
    at: &mut Vec<&'a str>,
    path: &'a [String],
    files: &[ConfigFile],
    error: &mut Option<Box<Diagnostic>>,
) -> Command {
    let Some(name) = path.get(at.len()) else {
        return command;
    };
    if FOREIGN.contains(&name.as_str()) || command.find_subcommand(name).is_none() {
        return command;
    }
    at.push(name);
    command.mut_subcommand(name, |inner| {
        let fallback = inner.clone();
        match with_defaults(inner, at, path, files) {
            Ok(inner) => descend(inner, at, path, files, error),
            Err(found) => {
                *error = Some(found);
                fallback
            }
        }
    })
}

/// Gives the options of one command (global ones at the root) the values found for them.
fn with_defaults(
    mut command: Command,
    at: &[&str],
    path: &[String],
    files: &[ConfigFile],
) -> Result<Command, Box<Diagnostic>> {
    let ids: Vec<_> = command
        .get_arguments()
        .filter(|argument| is_configurable(argument))
        .map(|argument| argument.get_id().clone())
        .collect();
    for id in ids {
        let Some(argument) = command
            .get_arguments()
            .find(|argument| argument.get_id() == &id)
        else {
            continue;
        };
        let Some(found) = find_value(argument, at, path, files) else {
            continue;
        };
        let values = checked(argument, &found)?;
        command = command.mut_arg(id, |argument| argument.default_values(values));
    }
    Ok(command)
}

fn is_configurable(argument: &Arg) -> bool {
    argument.get_long().is_some()
        && matches!(
            argument.get_action(),
            ArgAction::Set
                | ArgAction::Append
                | ArgAction::SetTrue
                | ArgAction::SetFalse
                | ArgAction::Count
        )
}

/// A value from outside the command line.
struct Found {
    values: Vec<String>,
    /// Where it stands, for people.
    origin: String,
    span: Option<stet_base::Span>,
    /// Relative paths are meant relative to this directory.
    directory: Option<PathBuf>,
}

fn find_value(argument: &Arg, at: &[&str], path: &[String], files: &[ConfigFile]) -> Option<Found> {
    let name = argument.get_long()?;
    let variable = variable_name(at, name);
    if let Some(value) = std::env::var_os(&variable).filter(|value| !value.is_empty()) {
        return Some(Found {
            values: vec![value.to_string_lossy().into_owned()],
            origin: format!("the environment variable {variable}"),
            span: None,
            directory: None,
        });
    }
    // A global option may be set for one command: the innermost section wins.
    let sections: Vec<&[String]> = if argument.is_global_set() {
        (0..=path.len()).rev().map(|depth| &path[..depth]).collect()
    } else {
        vec![&path[..at.len()]]
    };
    files.iter().find_map(|file| {
        let setting = sections
            .iter()
            .find_map(|section| file.settings.iter().find(|s| s.is(section, name)))?;
        Some(Found {
            values: setting.values.clone(),
            origin: format!("`{}`", file.path.display()),
            span: Some(setting.span),
            directory: file.path.parent().map(Path::to_owned),
        })
    })
}

/// `STET_TIME_LIMIT` for a common option, `STET_VERIFY_LOOP_UNROLL` for one of a command.
fn variable_name(at: &[&str], option: &str) -> String {
    let mut name = "STET".to_owned();
    for word in at.iter().chain([&option]) {
        name.push('_');
        name.push_str(&word.to_uppercase().replace('-', "_"));
    }
    name
}

/// The values in the form clap takes, or what is wrong with them.
fn checked(argument: &Arg, found: &Found) -> Result<Vec<OsStr>, Box<Diagnostic>> {
    let name = argument.get_long().unwrap_or_default();
    let problem = match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => match found.values.as_slice() {
            [value] if as_truth(value).is_some() => None,
            _ => Some("`true` or `false` is expected".to_owned()),
        },
        ArgAction::Count => match found.values.as_slice() {
            [value] if value.parse::<u8>().is_ok() => None,
            _ => Some("a small number is expected".to_owned()),
        },
        _ => problem_as_flag(argument, &found.values),
    };
    if let Some(problem) = problem {
        let mut diagnostic = Diagnostic::error(
            "config/invalid-value",
            format!("wrong value for `{name}` in {}", found.origin),
        )
        .with_note(problem);
        if let Some(span) = found.span {
            diagnostic = diagnostic.at(span);
        }
        return Err(Box::new(diagnostic));
    }
    let is_path = argument.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
    let is_flag = matches!(
        argument.get_action(),
        ArgAction::SetTrue | ArgAction::SetFalse
    );
    let in_clap_form = |value: &String| match &found.directory {
        Some(directory) if is_path && !Url::is_meant(value) => {
            directory.join(value).to_string_lossy().into_owned()
        }
        _ if is_flag => as_truth(value).unwrap_or(value).to_owned(),
        _ => value.clone(),
    };
    // Definitions live as long as the program; so may the handful of values in them.
    let values = found.values.iter().map(in_clap_form);
    Ok(values.map(|value| OsStr::from(&*value.leak())).collect())
}

/// Truth values as people write them in variables, in the form clap takes.
fn as_truth(value: &str) -> Option<&'static str> {
    match value {
        "true" | "1" | "yes" | "on" => Some("true"),
        "false" | "0" | "no" | "off" => Some("false"),
        _ => None,
    }
}

/// What clap would say if the values were given as flags.
fn problem_as_flag(argument: &Arg, values: &[String]) -> Option<String> {
    let flags = values
        .iter()
        .map(|value| format!("--{}={value}", argument.get_long().unwrap_or_default()));
    let alone = Command::new("check")
        .no_binary_name(true)
        .arg(argument.clone().required(false));
    let error = alone.try_get_matches_from(flags).err()?;
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let choices = text.lines().find(|line| line.contains("possible values"));
    let mut problem = first.trim_start_matches("error: ").to_owned();
    if let Some(choices) = choices {
        problem = format!("{problem}; {}", choices.trim().trim_matches(['[', ']']));
    }
    Some(problem)
}

/// An error at the first setting that names no option: a misspelt one must not go unnoticed.
fn check_names(command: &Command, file: &ConfigFile) -> Result<(), Box<Diagnostic>> {
    for setting in &file.settings {
        let known = section_of(command, &setting.section).map(|inner| {
            let is_meant = |argument: &&Arg| {
                is_configurable(argument) && argument.get_long() == Some(&setting.name)
            };
            inner.get_arguments().any(|argument| is_meant(&argument))
                || command
                    .get_arguments()
                    .any(|argument| argument.is_global_set() && is_meant(&argument))
        });
        match known {
            Some(true) => {}
            Some(false) => return Err(unknown(setting, "option", &setting.name)),
            None => return Err(unknown(setting, "command", &setting.section.join("."))),
        }
    }
    Ok(())
}

fn section_of<'a>(command: &'a Command, section: &[String]) -> Option<&'a Command> {
    section
        .iter()
        .try_fold(command, |command, name| command.find_subcommand(name))
}

fn unknown(setting: &Setting, what: &str, name: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("config/unknown", format!("there is no {what} `{name}`"))
            .at(setting.span)
            .with_note("the options of a command are listed by `stet COMMAND --help`"),
    )
}
