//! `stet dafny`: Dafny's commands, messages, trailer and exit codes on Stet's verifier.
//!
//! `verify`, `resolve` and `audit` take files, directories and project files (`project`) and Dafny's option names; options without a
//! meaning here are ignored with a warning, those that would change verdicts are refused. Under the name `dafny` (a symbolic link)
//! `stet` is this command. Exit codes: 0 nothing found, 1 wrong usage, 2 parse or resolution
//! errors, 4 verification errors.

mod audit;
pub(crate) mod load;
mod position;
pub(crate) mod project;
mod server;

use crate::exit::ExitStatus;
use crate::session::Session;
use crate::version;
use position::Position;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use stet_base::FileId;
use stet_dafny::Phase;
use stet_dafny_verify::console;
use stet_diag::{Diagnostic, Severity};
use stet_solve::pipe::{ProverConfig, ProverKind};
use stet_store::Mode;
use stet_verify::{Caching, Engine, Event, Options as Choices, Outcome, Request};

/// Options of `stet dafny`: everything after the command's name, to be read by its own rules.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// A command, options and files as dafny takes them.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

const HELP: &str = "\
Usage: stet dafny COMMAND [OPTIONS] FILE.dfy|DIRECTORY|dfyconfig.toml...

Commands:
  resolve   parse and resolve
  verify    parse, resolve and verify
  audit     list what the program takes for granted
  server    serve an editor, with the messages of the Dafny extension

Options:
  --verification-time-limit SECONDS  for each batch of assertions [default: 20]
  --resource-limit N                 prover resources for each batch
  --error-limit N                    errors reported for each batch [default: 5]
  --cores N                          provers at a time
  --filter-symbol TEXT               only what has this in its name
  --filter-position FILE:LINES       only what is there (`a.dfy:12`, `:3-9`)
  --isolate-assertions               a question for each assertion
  --allow-axioms                     do not warn about postconditions that nothing proves
  --allow-warnings                   warnings do not make the command fail
  --warn-as-errors                   warnings are errors
  --show-proof-obligation-expressions
                                     failing checks say what they assert
  --reads-clauses-on-methods         allow `reads` clauses on methods
  --print-boogie FILE                write the translation to a file (`-` for the standard output)

Exit codes: 0 nothing found, 1 usage, 2 parse or resolution errors, 4 verification errors.";

/// The name of the standard input in messages.
const STDIN: &str = "<stdin>";

/// Usage errors of Dafny.
const USAGE: u8 = 1;
/// Parse and resolution errors of Dafny.
const UNRESOLVED: u8 = 2;
/// Verification errors of Dafny.
const UNVERIFIED: u8 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Command {
    Resolve,
    Verify,
    Audit,
}

/// What the arguments ask for.
#[derive(Debug)]
struct Asked {
    command: Command,
    files: Vec<PathBuf>,
    time_limit: Option<f64>,
    resource_limit: u64,
    error_limit: usize,
    jobs: Option<usize>,
    filter: Option<String>,
    /// `--filter-position`: the end of a file's name, and its first and last line.
    position: Option<Position>,
    isolate: bool,
    allow_warnings: bool,
    allow_deprecation: bool,
    warn_as_errors: bool,
    print_boogie: Option<PathBuf>,
    language: stet_dafny::Options,
    ignored: Vec<String>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let arguments: Vec<String> = options
        .arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if arguments.is_empty() || arguments.iter().any(|a| a == "--help" || a == "-h") {
        session.output.line(HELP);
        return ExitStatus::Clean;
    }
    if arguments
        .iter()
        .any(|a| a == "--version" || a == "/version")
    {
        session.output.line(version::NUMBER);
        return ExitStatus::Clean;
    }
    if arguments.first().is_some_and(|command| command == "server") {
        return server::execute(session, &arguments[1..]);
    }
    let asked = match parse_all(&arguments) {
        Ok(asked) => asked,
        Err(message) => {
            session.report(Diagnostic::error("dafny/usage", message));
            return ExitStatus::Code(USAGE);
        }
    };
    for option in &asked.ignored {
        // The standard output is Dafny's: scripts compare it.
        crate::output::error_line(&format!(
            "stet dafny: option `{option}` has no meaning here and is ignored"
        ));
    }
    session.begin_program(&asked.files);
    let mut files = Vec::new();
    for file in &asked.files {
        let read = match file.as_os_str() == STDIN {
            true => session.read_input(STDIN),
            false => session.read_source(file),
        };
        match read {
            Some(id) => files.push(id),
            None => return ExitStatus::Code(USAGE),
        }
    }
    if files.is_empty() {
        let message = "no Dafny source files were specified";
        session.report(Diagnostic::error("dafny/usage", message));
        return ExitStatus::Code(USAGE);
    }
    carry_out(session, &asked, &files)
}

/// The arguments, with the files and options of directories and project files among them.
fn parse_all(arguments: &[String]) -> Result<Asked, String> {
    let plain = parse(arguments)?;
    let found = project::expand(&plain.files)?;
    let Some((command, rest)) = arguments.split_first() else {
        return Ok(plain);
    };
    // Options of the project come first: a later one wins.
    let mut all = vec![command.clone()];
    all.extend(found.options);
    all.extend(rest.iter().cloned());
    let mut asked = parse(&all)?;
    asked.files = found.files;
    Ok(asked)
}

/// The options of a project file, as `verify` reads them.
fn project_options(project: &project::Project) -> Result<Asked, String> {
    let mut arguments = vec!["verify".to_owned()];
    arguments.extend(project.options.iter().cloned());
    parse(&arguments).map_err(|why| format!("the options of the project: {why}"))
}

/// How the project of a file wants it to be verified, over the options of an editor's server. What is wrong with a project file is said where
/// the file is read.
pub(crate) fn adapt_to_project(file: &str, choices: &mut Choices) {
    let Ok(Some(project)) = load::project_of(file) else {
        return;
    };
    let Ok(asked) = project_options(&project) else {
        return;
    };
    let gives = |name: &str| {
        let given = project.options.iter();
        given
            .clone()
            .any(|option| option.split([':', '=']).next() == Some(name))
    };
    if gives("--verification-time-limit") {
        choices.time_limit = asked
            .time_limit
            .and_then(|s| Duration::try_from_secs_f64(s).ok());
    }
    if gives("--resource-limit") {
        choices.resource_limit = asked.resource_limit;
    }
    if gives("--error-limit") {
        choices.error_limit = asked.error_limit;
    }
    choices.split_on_every_assert |= asked.isolate;
}

fn parse(arguments: &[String]) -> Result<Asked, String> {
    let (command, rest) = arguments.split_first().ok_or("no command was given")?;
    let command = match command.as_str() {
        "verify" => Command::Verify,
        "resolve" => Command::Resolve,
        "audit" => Command::Audit,
        other => {
            if ELSEWHERE.contains(&other) {
                return Err(format!("command `{other}` is not supported"));
            }
            return Err(format!("Unrecognized command or argument '{other}'."));
        }
    };
    let mut asked = Asked {
        command,
        files: Vec::new(),
        time_limit: Some(20.0),
        resource_limit: 0,
        error_limit: 5,
        jobs: None,
        filter: None,
        position: None,
        isolate: false,
        allow_warnings: false,
        allow_deprecation: false,
        warn_as_errors: false,
        print_boogie: None,
        language: stet_dafny::Options {
            // `audit` lists them.
            allow_axioms: command == Command::Audit,
            ..stet_dafny::Options::DEFAULT
        },
        ignored: Vec::new(),
    };
    let mut rest = rest.iter();
    while let Some(argument) = rest.next() {
        if !argument.starts_with('-') {
            asked.files.push(argument.into());
            continue;
        }
        let (name, given) = match argument.split_once(['=', ':']) {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let mut value = |what: &str| {
            given
                .clone()
                .or_else(|| rest.next().cloned())
                .ok_or(format!("`{name}` needs {what}"))
        };
        match name {
            "--verification-time-limit" => {
                let seconds: f64 = number(name, &value("a number of seconds")?)?;
                asked.time_limit = (seconds > 0.0).then_some(seconds);
            }
            "--resource-limit" => asked.resource_limit = resources(name, &value("a number")?)?,
            "--error-limit" => asked.error_limit = number(name, &value("a number")?)?,
            "--cores" => asked.jobs = Some(cores(name, &value("a number")?)?),
            "--reads-clauses-on-methods" => {
                asked.language.reads_clauses_on_methods = is_on(name, given.as_deref(), &mut rest)?;
            }
            "--relax-definite-assignment" => {
                asked.language.relax_definite_assignment =
                    is_on(name, given.as_deref(), &mut rest)?;
            }
            // There is one resolver, which knows newtypes over every type.
            "--type-system-refresh" | "--general-newtypes" => {
                is_on(name, given.as_deref(), &mut rest)?;
            }
            // Traits are references unless something else than a class extends one.
            "--general-traits" => match value("legacy, datatype or full")?.as_str() {
                "legacy" | "datatype" | "full" => {}
                other => return Err(format!("`{name} {other}`: not legacy, datatype or full")),
            },
            // More is known of functions than asked for, which proves nothing wrong.
            "--default-function-opacity" => match value("transparent or autoRevealDependencies")?
                .as_str()
            {
                "transparent" | "autoRevealDependencies" => asked.ignored.push(argument.clone()),
                other => return Err(format!("`{name} {other}` is not supported")),
            },
            "--function-syntax" | "--quantifier-syntax" => match value("a version")?.as_str() {
                "4" => {}
                other => return Err(format!("`{name} {other}` is not supported")),
            },
            "--unicode-char" => {
                if !is_on(name, given.as_deref(), &mut rest)? {
                    return Err(format!("`{name}:false` is not supported"));
                }
            }
            "--stdin" => asked.files.push(STDIN.into()),
            "--solver-option" | "--performance-stats" => {
                value("a value")?;
                asked.ignored.push(argument.clone());
            }
            "--allow-axioms" => {
                asked.language.allow_axioms = is_on(name, given.as_deref(), &mut rest)?
            }
            "--allow-deprecation" => {
                asked.allow_deprecation = is_on(name, given.as_deref(), &mut rest)?
            }
            "--show-hints" => asked.language.show_hints = is_on(name, given.as_deref(), &mut rest)?,
            "--show-proof-obligation-expressions" => {
                asked.language.show_proof_obligation_expressions =
                    is_on(name, given.as_deref(), &mut rest)?;
            }
            "--filter-position" => asked.position = Some(value("a place")?.parse()?),
            "--isolate-assertions" => asked.isolate = is_on(name, given.as_deref(), &mut rest)?,
            // What Stet has of them is there for every program that imports it.
            "--standard-libraries" => {
                is_on(name, given.as_deref(), &mut rest)?;
            }
            "--allow-warnings" => asked.allow_warnings = is_on(name, given.as_deref(), &mut rest)?,
            "--warn-as-errors" => asked.warn_as_errors = is_on(name, given.as_deref(), &mut rest)?,
            "--filter-symbol" => asked.filter = Some(value("a text")?),
            "--print-boogie" | "--bprint" => asked.print_boogie = Some(value("a file")?.into()),
            _ if is_harmless(name) => {
                if given.is_none() {
                    next_of(&HARMLESS_VALUES, &mut rest);
                }
                asked.ignored.push(argument.clone());
            }
            _ if REFUSED.contains(&name) => {
                return Err(format!("option `{name}` is not supported"));
            }
            _ => return Err(format!("Unrecognized command or argument '{argument}'.")),
        }
    }
    Ok(asked)
}

/// Commands of Dafny that Stet does not have.
const ELSEWHERE: &[&str] = &[
    "measure-complexity",
    "build",
    "run",
    "translate",
    "test",
    "format",
    "doc",
    "generate-tests",
    "find-dead-code",
    "merge-coverage-reports",
];

/// Options of Dafny that would change what is verified or written, and that Stet does not have.
const REFUSED: &[&str] = &[
    "--log-format",
    "--boogie",
    "--boogie-filter",
    "--library",
    "--enforce-determinism",
    "--track-print-effects",
    "--extract-counterexample",
    "--solver-path",
    "--solver-plugin",
    "--dont-verify-dependencies",
    "--verify-included-files",
    "--no-verify",
    "--rprint",
    "--print",
    "--input",
    "--json-output",
    "--log-level",
    "--plugin",
    "--solver-log",
    "--suggest-proof-refactoring",
    "--test-assumptions",
];

/// Values of options that are ignored, where they are arguments of their own.
const HARMLESS_VALUES: [&str; 6] = [
    "true",
    "false",
    "none",
    "symbol",
    "batch",
    "verificationjobs",
];

/// Whether a switch is on: alone, or with a truth value, which may be the next argument.
fn is_on(
    name: &str,
    given: Option<&str>,
    rest: &mut std::slice::Iter<'_, String>,
) -> Result<bool, String> {
    let given = given.map(str::to_owned);
    match given
        .or_else(|| next_of(&["true", "false"], rest))
        .as_deref()
    {
        None => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Some(text) => Err(format!("`{name}:{text}`: not a truth value")),
    }
}

/// The next argument, if it is one of these words.
fn next_of(words: &[&str], rest: &mut std::slice::Iter<'_, String>) -> Option<String> {
    let next = rest.as_slice().first()?;
    let is_one = words.iter().any(|word| next.eq_ignore_ascii_case(word));
    is_one.then(|| rest.next().cloned()).flatten()
}

/// A number of provers, or a share of the processors: `50%`.
fn cores(name: &str, text: &str) -> Result<usize, String> {
    let Some(share) = text.strip_suffix('%') else {
        return number(name, text);
    };
    let share: usize = number(name, share)?;
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    Ok((all.saturating_mul(share) / 100).max(1))
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("`{name} {text}`: not a number"))
}

/// A number of resources, which may be written with an exponent.
fn resources(name: &str, text: &str) -> Result<u64, String> {
    let (digits, zeros) = match text.split_once(['e', 'E']) {
        Some((digits, zeros)) => (digits, number::<u32>(name, zeros)?),
        None => (text, 0),
    };
    let power = 10u64.checked_pow(zeros);
    let all = power.and_then(|power| number::<u64>(name, digits).ok()?.checked_mul(power));
    all.ok_or(format!("`{name} {text}`: not a number"))
}

/// Options of Dafny that change no verdict, or only what is printed.
fn is_harmless(name: &str) -> bool {
    [
        "--use-basename-for-filename",
        "--show-snippets",
        "--warn-shadowing",
        "--warn-missing-constructor-parentheses",
        "--warn-redundant-assumptions",
        "--warn-contradictory-assumptions",
        "--show-tooltips",
        "--progress",
        "--verbose",
        // How a proof is looked for, not what is proved.
        "--disable-nonlinear-arithmetic",
        "--manual-triggers",
        "--manual-lemma-induction",
    ]
    .contains(&name)
}

fn carry_out(session: &mut Session, asked: &Asked, files: &[FileId]) -> ExitStatus {
    let name = asked
        .files
        .first()
        .and_then(|f| f.file_name())
        .map(|f| f.to_string_lossy().into_owned())
        .unwrap_or_default();
    if asked.command != Command::Verify {
        let checked = load::resolve(session, files, asked.language);
        let said = as_asked(asked, &checked.diagnostics);
        let errors = tell(session, &said);
        if asked.command == Command::Audit && errors == 0 {
            return audit(session, &checked.program);
        }
        let status = front_status(session, checked.phase, errors, &name, true);
        return with_warnings(session, asked, &said, status);
    }
    if asked.language.reads_clauses_on_methods {
        let checked = load::resolve(session, files, asked.language);
        if checked.phase == Phase::Done {
            let message = "`--reads-clauses-on-methods` is not supported by `verify` yet";
            session.report(Diagnostic::error("dafny/usage", message));
            return ExitStatus::Code(USAGE);
        }
    }
    let loaded = load::load_with(session, files, asked.language);
    let said = as_asked(asked, &loaded.diagnostics);
    let errors = tell(session, &said);
    let Some(translation) = loaded.translation.filter(|_| errors == 0) else {
        return front_status(session, loaded.phase, errors, &name, false);
    };
    if let Some(path) = &asked.print_boogie
        && let Err(error) = print_boogie(session, &translation.program, path)
    {
        session.report(Diagnostic::error("output/write-failed", error));
        return ExitStatus::Code(USAGE);
    }
    let mut choices = choices(session, asked.time_limit, asked.error_limit);
    choices.resource_limit = asked.resource_limit;
    if let Some(jobs) = asked.jobs {
        choices.jobs = jobs.max(1);
    }
    if let Some(filter) = &asked.filter {
        choices.procedures = vec![format!("*{filter}*")];
    }
    choices.split_on_every_assert = asked.isolate;
    if let Some(position) = &asked.position {
        let found = position.implementations(&session.sources, &translation.program);
        let filter = choices.procedures.pop();
        let kept = found.into_iter().filter(|name| {
            filter
                .as_ref()
                .is_none_or(|f| name.contains(f.trim_matches('*')))
        });
        choices.procedures = kept.collect();
        if choices.procedures.is_empty() {
            // No name at all is every name.
            choices.procedures.push("\n".to_owned());
        }
    }
    let outcome = check(session, files, &name, translation, &choices, &mut |_| {});
    let found = tell(session, &outcome.diagnostics);
    session
        .output
        .line(&format!("\n{}", console::trailer(&outcome)));
    if outcome.mismatches.is_empty() {
        match found {
            0 if outcome.is_complete() => with_warnings(session, asked, &said, ExitStatus::Clean),
            _ => ExitStatus::Code(UNVERIFIED),
        }
    } else {
        ExitStatus::Internal
    }
}

/// Diagnostics with the severities that were asked for.
fn as_asked(asked: &Asked, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut diagnostics = diagnostics.to_vec();
    let is_wanted = |d: &Diagnostic| !(asked.allow_deprecation && d.code == "dafny/deprecated");
    diagnostics.retain(is_wanted);
    for diagnostic in &mut diagnostics {
        if asked.warn_as_errors && diagnostic.severity == Severity::Warning {
            diagnostic.severity = Severity::Error;
        }
    }
    diagnostics
}

/// Warnings make a command fail that found nothing else, unless they are allowed.
fn with_warnings(
    session: &Session,
    asked: &Asked,
    said: &[Diagnostic],
    status: ExitStatus,
) -> ExitStatus {
    let is_warning = |d: &Diagnostic| d.severity == Severity::Warning;
    if status != ExitStatus::Clean || asked.allow_warnings || !said.iter().any(is_warning) {
        return status;
    }
    let message = "Compilation failed because warnings were found and --allow-warnings is false";
    session.output.line(message);
    ExitStatus::Code(UNRESOLVED)
}

/// Lists what a program takes for granted.
fn audit(session: &mut Session, program: &stet_dafny::tree::Program) -> ExitStatus {
    let found = audit::findings(program);
    let warnings: Vec<Diagnostic> = found
        .iter()
        .map(|f| Diagnostic::warning("dafny/audit", &*f.message).at(f.span))
        .collect();
    tell(session, &warnings);
    let noun = if found.len() == 1 {
        "finding"
    } else {
        "findings"
    };
    session.output.line(&format!(
        "Dafny auditor completed with {} {noun}",
        found.len()
    ));
    ExitStatus::Clean
}

/// What is said when a program does not get to verification, or need not.
fn front_status(
    session: &mut Session,
    phase: Phase,
    errors: usize,
    name: &str,
    only: bool,
) -> ExitStatus {
    let what = match phase {
        Phase::Parse => "parse",
        Phase::Resolve | Phase::Done => "resolution/type",
    };
    if errors > 0 {
        session
            .output
            .line(&format!("{errors} {what} errors detected in {name}"));
        return ExitStatus::Code(UNRESOLVED);
    }
    if only {
        session
            .output
            .line("\nDafny program verifier did not attempt verification");
    }
    ExitStatus::Clean
}

/// Prints diagnostics as Dafny does; returns how many are errors.
fn tell(session: &mut Session, diagnostics: &[Diagnostic]) -> usize {
    let (lines, errors) = console::lines(&session.sources, diagnostics);
    for line in lines {
        session.output.line(&line);
    }
    errors
}

/// Writes a program as Boogie text.
pub(crate) fn print_boogie(
    session: &mut Session,
    program: &stet_boogie::Program,
    path: &std::path::Path,
) -> Result<(), String> {
    let text = stet_dafny_translate::boogie_text(program);
    if path.as_os_str() == "-" {
        session.output.line(&text);
        return Ok(());
    }
    std::fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))
}

/// The choices that Dafny programs are verified with.
pub(crate) fn choices(session: &Session, time_limit: Option<f64>, error_limit: usize) -> Choices {
    let mut choices = Choices::new(ProverConfig::located(ProverKind::Z3, None));
    choices.error_limit = error_limit;
    choices.time_limit = time_limit.and_then(|s| Duration::try_from_secs_f64(s).ok());
    choices.jobs = session.jobs();
    choices.caching = match session.store().mode() {
        Mode::Off => Caching::Off,
        _ => Caching::Fine,
    };
    choices.check_cache = session.check_cache();
    choices
}

/// Verifies a translated program.
pub(crate) fn check(
    session: &Session,
    files: &[FileId],
    subject: &str,
    translation: stet_dafny_translate::Translation,
    choices: &Choices,
    on_result: &mut (dyn FnMut(&str) + Send),
) -> Outcome {
    let progress = session.progress(0);
    let outcome = Engine::new().check(
        Request {
            subject,
            sources: &session.sources,
            files,
            front: &mut match choices.want_models {
                true => stet_dafny_verify::front_with_values(translation),
                false => load::front(translation),
            },
            options: choices,
            store: session.store(),
            budget: session.budget(),
        },
        &mut |event| match event {
            Event::Read { implementations } => progress.set_total(*implementations as u64),
            Event::Result { result, .. } => {
                on_result(&result.name);
                progress.message(&result.name);
                progress.advance();
            }
        },
    );
    progress.finish();
    outcome
}
