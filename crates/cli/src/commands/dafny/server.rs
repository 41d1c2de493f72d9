//! `stet dafny server`: the language server with the messages of the public Dafny extension for VS Code.
//!
//! The extension starts `CLIPATH server OPTIONS`. Options are written `--name value`, `--name:value` or
//! `--name=value`; those of its older versions (`--documents:verify=onchange`, `--verifier:timelimit=20`) are understood, too.
//! What has no meaning here is named on the standard error, which the extension shows in its output panel: the standard
//! output belongs to the protocol.

use super::load::ProjectFiles;
use crate::catalog::CATALOG;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::{output, version};
use std::time::Duration;
use stet_lsp::{Config, Dialect, VerifyOn};
use stet_solve::pipe::{ProverConfig, ProverKind};
use stet_verify::Options as Choices;

/// How long after an edit verification starts.
const PAUSE: Duration = Duration::from_millis(150);

/// What the extension asks for.
#[derive(Clone, PartialEq, Debug)]
struct Asked {
    verify_on: VerifyOn,
    time_limit: f64,
    jobs: Option<usize>,
    ghosts: bool,
    gutter: bool,
    ignored: Vec<String>,
}

/// Carries out the command.
pub(super) fn execute(session: &mut Session, arguments: &[String]) -> ExitStatus {
    let asked = parse(arguments);
    for option in &asked.ignored {
        output::error_line(&format!(
            "stet dafny server: `{option}` has no meaning here and is ignored"
        ));
    }
    let mut choices = Choices::new(ProverConfig::located(ProverKind::Z3, None));
    choices.jobs = asked.jobs.unwrap_or_else(|| session.jobs());
    choices.time_limit = Duration::try_from_secs_f64(asked.time_limit).ok();
    choices.time_limit = choices.time_limit.filter(|limit| !limit.is_zero());
    choices.check_cache = session.check_cache();
    crate::commands::lsp::serve(Config {
        store: session.store().clone(),
        options: choices,
        pause: PAUSE,
        verify_on: asked.verify_on,
        ghosts: asked.ghosts,
        gutter: asked.gutter,
        catalog: CATALOG,
        version: version::NUMBER,
        includes: Box::new(ProjectFiles),
        workspace: Box::new(crate::commands::lsp::workspace::Disk),
        prolog: None,
        explorer: None,
        dialect: Dialect::Dafny,
    })
}

fn parse(arguments: &[String]) -> Asked {
    let mut asked = Asked {
        verify_on: VerifyOn::Change,
        time_limit: 20.0,
        jobs: None,
        ghosts: false,
        gutter: false,
        ignored: Vec::new(),
    };
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        let (name, value) = split(argument);
        let mut value = || match value {
            Some(value) => value.to_owned(),
            // A switch may stand alone; its value is no option.
            None => match rest.next_if(|next| !next.starts_with('-')) {
                Some(next) => next.clone(),
                None => "true".to_owned(),
            },
        };
        match name {
            "--verify-on" | "--documents:verify" => match VerifyOn::named(&value()) {
                Some(when) => asked.verify_on = when,
                None => asked.ignored.push(argument.clone()),
            },
            "--verification-time-limit" | "--verifier:timelimit" => match value().parse() {
                Ok(seconds) => asked.time_limit = seconds,
                Err(_) => asked.ignored.push(argument.clone()),
            },
            "--cores" | "--verifier:vcscores" => match value().parse::<usize>() {
                Ok(0) | Err(_) => {}
                Ok(jobs) => asked.jobs = Some(jobs.min(256)),
            },
            "--notify-ghostness" | "--ghost:markStatements" => {
                asked.ghosts = value().eq_ignore_ascii_case("true");
            }
            "--notify-line-verification-status" | "--verifier:gutterStatus" => {
                asked.gutter = value().eq_ignore_ascii_case("true");
            }
            // Verdicts are reused whatever is said here; how assertions are shown is the editor's choice.
            "--cache-verification" | "--verifier:verifySnapshots" | "--show-assertions" => {
                value();
            }
            _ => asked.ignored.push(argument.clone()),
        }
    }
    asked
}

/// The name of an option and its value, if that is in the same argument. Older names have a colon inside.
fn split(argument: &str) -> (&str, Option<&str>) {
    let older = ["--documents:", "--verifier:", "--ghost:", "--dafny:"];
    let from = older
        .iter()
        .find(|prefix| argument.starts_with(**prefix))
        .map_or(0, |prefix| prefix.len());
    match argument[from..].find(['=', ':']) {
        Some(at) => (&argument[..from + at], Some(&argument[from + at + 1..])),
        None => (argument, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Asked {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&arguments)
    }

    #[test]
    fn options_of_all_versions_of_the_extension() {
        let new = asked(
            "--verify-on:Save --verification-time-limit:5 --cache-verification=0 --cores:3 --notify-ghostness:true --notify-line-verification-status:true",
        );
        let old = asked(
            "--documents:verify=onsave --verifier:timelimit=5 --verifier:verifySnapshots=3 --verifier:vcscores=3 --ghost:markStatements=true --verifier:gutterStatus=true",
        );
        assert_eq!(new, old);
        assert_eq!(new.verify_on, VerifyOn::Save);
        assert_eq!(
            (new.time_limit, new.jobs, new.ghosts, new.gutter),
            (5.0, Some(3), true, true)
        );
        let apart = asked("--verify-on Save --notify-line-verification-status --no-such");
        assert_eq!((apart.verify_on, apart.gutter), (VerifyOn::Save, true));
        assert_eq!(apart.ignored, ["--no-such"]);
    }
}
