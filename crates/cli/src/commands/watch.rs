//! `stet watch`: the feedback of an editor in a terminal, redrawn whenever a file is saved.
//!
//! Every look runs this same binary in a process of its own: `verify` for Boogie and Dafny, `check` for Prolog, `explore` for C
//! and LLVM IR. A save while it works ends it; what was decided until then is in the store. Files are looked at by time and
//! size several times a second, which works on every file system.

use crate::exit::ExitStatus;
use crate::session::Session;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use stet_base::Stopwatch;
use stet_diag::Diagnostic;

const EXAMPLES: &str = "\
Examples:
  stet watch queue.dfy              verify at every save
  stet watch a.bpl b.bpl            two files that are one program
  stet watch list.pl                the status of assertions at every save
  stet watch parser.c -- --max-paths 1000
                                    explore, with options of `stet explore`";

/// Options of `stet watch`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Files of one language; together they are one program.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Milliseconds between two looks at the files.
    #[arg(long, value_name = "MS", default_value_t = 150, value_parser = clap::value_parser!(u64).range(10..=60_000))]
    interval: u64,
    /// End after so many results.
    #[arg(long, value_name = "N")]
    results: Option<u64>,
    /// Options of the command that is run.
    #[arg(last = true, value_name = "OPTION")]
    more: Vec<String>,
}

/// What a file looked like.
type Stamp = Option<(SystemTime, u64)>;

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let Some(command) = command(&options.files) else {
        let message = "the files are not of one language: .bpl or .dfy are verified, .pl checked, .c, .ll and .bc explored";
        session.report(Diagnostic::error("cli/usage", message));
        return ExitStatus::Usage;
    };
    let mut last: Vec<Stamp> = Vec::new();
    let mut shown = 0;
    loop {
        let now: Vec<Stamp> = options.files.iter().map(|file| stamp(file)).collect();
        if now != last {
            last = now;
            match look(session, options, command, &last) {
                Look::Done(status) => {
                    shown += 1;
                    if options.results.is_some_and(|most| shown >= most) {
                        return status;
                    }
                }
                Look::Overtaken => {
                    last.clear();
                    continue;
                }
                Look::Failed(diagnostic) => {
                    session.report(*diagnostic);
                    return ExitStatus::Usage;
                }
            }
        }
        if session.budget().check().is_err() {
            return ExitStatus::Interrupted;
        }
        std::thread::sleep(Duration::from_millis(options.interval));
    }
}

/// The command for files of one language.
fn command(files: &[PathBuf]) -> Option<&'static str> {
    let of = |file: &PathBuf| match file.extension()?.to_str()? {
        "bpl" | "dfy" => Some("verify"),
        "pl" | "pro" | "plt" => Some("check"),
        "c" | "cc" | "cpp" | "ll" | "bc" => Some("explore"),
        _ => None,
    };
    let first = of(files.first()?)?;
    files.iter().all(|f| of(f) == Some(first)).then_some(first)
}

fn stamp(file: &Path) -> Stamp {
    let data = std::fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// How a look ended.
enum Look {
    Done(ExitStatus),
    /// A file was saved in the meantime.
    Overtaken,
    Failed(Box<Diagnostic>),
}

/// Runs the command once and shows what it says.
fn look(session: &Session, options: &Options, command: &str, seen: &[Stamp]) -> Look {
    let clock = Stopwatch::start();
    let mut child = match start(session, options, command) {
        Ok(child) => child,
        Err(error) => {
            let message = format!("cannot start `stet {command}`: {error}");
            return Look::Failed(Box::new(Diagnostic::error("cli/usage", message)));
        }
    };
    // Read beside waiting: a full pipe would stop the child.
    let readers: Vec<_> = [
        child
            .stdout
            .take()
            .map(|s| Box::new(s) as Box<dyn Read + Send>),
        child
            .stderr
            .take()
            .map(|s| Box::new(s) as Box<dyn Read + Send>),
    ]
    .into_iter()
    .flatten()
    .map(|mut stream| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stream.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        })
    })
    .collect();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(_) => return Look::Overtaken,
        }
        let changed = options.files.iter().zip(seen).any(|(f, s)| stamp(f) != *s);
        if changed || session.budget().check().is_err() {
            let _ = child.kill();
            let _ = child.wait();
            return match changed {
                true => Look::Overtaken,
                false => Look::Done(ExitStatus::Interrupted),
            };
        }
        std::thread::sleep(Duration::from_millis(options.interval.min(30)));
    };
    let said: Vec<String> = readers
        .into_iter()
        .map(|reader| reader.join().unwrap_or_default())
        .collect();
    let code = status.code().unwrap_or(i32::from(crate::exit::INTERNAL));
    draw(session, options, command, &said, code, clock.elapsed());
    Look::Done(ExitStatus::Code(u8::try_from(code).unwrap_or(101)))
}

fn start(session: &Session, options: &Options, command: &str) -> std::io::Result<Child> {
    let mut child = Command::new(std::env::current_exe()?);
    child.arg(command).args(&options.files);
    let cache = clap::ValueEnum::to_possible_value(&session.options.cache);
    if let Some(cache) = cache {
        child.args(["--cache", cache.get_name()]);
    }
    if let Some(store) = &session.options.store {
        child.arg("--store").arg(store);
    }
    if let Some(jobs) = session.options.jobs {
        child.args(["--jobs", &jobs.to_string()]);
    }
    let colours = session.output.is_standard() && std::io::stdout().is_terminal();
    child.args(["--color", if colours { "always" } else { "never" }]);
    child.args(&options.more);
    child
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Shows a result: on a terminal in place of the last one.
fn draw(
    session: &Session,
    options: &Options,
    command: &str,
    said: &[String],
    code: i32,
    time: Duration,
) {
    let files: Vec<String> = options
        .files
        .iter()
        .map(|f| f.display().to_string())
        .collect();
    let verdict = match code {
        0 => "nothing found",
        1 => "findings",
        3 => "inconclusive",
        130 => "interrupted",
        _ => "not checked",
    };
    if session.output.is_standard() && std::io::stdout().is_terminal() {
        session.output.binary(b"\x1b[2J\x1b[H");
    }
    session.output.line(&format!(
        "== stet {command} {}: {verdict}, {:.2} s\n",
        files.join(" "),
        time.as_secs_f64()
    ));
    for text in said.iter().filter(|text| !text.trim().is_empty()) {
        session.output.line(text.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_follows_the_language() {
        let of = |names: &[&str]| command(&names.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["a.dfy"]), Some("verify"));
        assert_eq!(of(&["a.pl", "b.pl"]), Some("check"));
        assert_eq!(of(&["a.c"]), Some("explore"));
        assert_eq!(of(&["a.c", "b.pl"]), None);
        assert_eq!(of(&["a.txt"]), None);
    }
}
