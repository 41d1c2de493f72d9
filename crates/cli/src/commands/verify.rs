//! `stet verify`: Verify Boogie and Dafny programs.

mod batch;
mod report;
pub(crate) mod workers;

use crate::exit::ExitStatus;
use crate::session::Session;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use stet_base::{FileId, Stopwatch};
use stet_dafny_verify::paths::{self, Captured, State};
use stet_diag::Diagnostic;
use stet_solve::pipe::{ProverConfig, ProverKind};
use stet_store::Mode;
use stet_verify::{
    Boogie, Caching, Conclusion, Engine, Event, FrontEnd, Options as Choices, Request,
};

const EXAMPLES: &str = "\
Examples:
  stet verify program.bpl                      all procedures; verdicts that still hold are reused
  stet verify --procedure 'List*' a.bpl b.bpl  some procedures of a program in two files
  stet verify --cache off --model program.bpl  everything afresh, errors with values
More: docs/VERIFY.md";

/// Options of `stet verify`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Input files; together they are one program.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Verify only procedures whose names match (`*` matches anything); may be repeated.
    #[arg(
        long = "procedure",
        value_name = "PATTERN",
        help_heading = "Verification"
    )]
    procedures: Vec<String>,
    /// Verify the I-th of N parts of the implementations; which one depends on their names alone.
    #[arg(long, value_name = "I/N", help_heading = "Verification")]
    shard: Option<Shard>,
    /// Let workers verify: a Redis server where they meet (`stet worker URL`).
    #[arg(long, value_name = "URL", help_heading = "Verification")]
    workers: Option<String>,
    /// Errors reported per procedure; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Limits")]
    error_limit: usize,
    /// Seconds per procedure.
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    procedure_time_limit: Option<f64>,
    /// Prover resources per procedure (Z3's rlimit).
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    resource_limit: u64,
    /// Ask about the checks of a procedure in this many questions.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Verification"
    )]
    splits: usize,
    /// Warn about code that can never be reached.
    #[arg(long, help_heading = "Verification")]
    smoke: bool,
    /// Do not infer intervals of integer variables in loops.
    #[arg(long, help_heading = "Verification")]
    no_infer: bool,
    /// Unroll loops this often instead of using invariants.
    #[arg(long, value_name = "N", help_heading = "Verification")]
    loop_unroll: Option<u32>,
    /// Maps as arrays of the prover.
    #[arg(long, help_heading = "Verification")]
    array_theory: bool,
    /// How much is reused from earlier runs.
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        default_value = "fine",
        help_heading = "Verification"
    )]
    reuse: Reuse,
    /// Which prover to use.
    #[arg(
        long,
        value_enum,
        value_name = "PROVER",
        default_value = "z3",
        help_heading = "Prover"
    )]
    prover: ProverName,
    /// The prover's executable [default: STET_Z3 or STET_CVC5, else searched in PATH].
    #[arg(long, value_name = "PATH", help_heading = "Prover")]
    prover_path: Option<PathBuf>,
    /// An option for the prover, as `name=value`; may be repeated.
    #[arg(
        long = "prover-option",
        value_name = "NAME=VALUE",
        help_heading = "Prover"
    )]
    prover_options: Vec<String>,
    /// Memory for each prover, in megabytes.
    #[arg(long, value_name = "MB", help_heading = "Prover")]
    prover_memory: Option<u32>,
    /// Append everything sent to the prover to this file.
    #[arg(long, value_name = "PATH", help_heading = "Prover")]
    prover_log: Option<PathBuf>,
    /// Write the Boogie program that a Dafny program is translated to (`-` for the standard output).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    print_boogie: Option<PathBuf>,
    /// Print the counterexample of each error: the prover's model, or the values of Dafny's variables.
    #[arg(long, help_heading = "Output")]
    model: bool,
    /// Print how long the prover took for each procedure, the slowest first.
    #[arg(long, help_heading = "Output")]
    profile: bool,
    /// Each file is a program of its own; one line of JSON for each. `-` reads names or texts from the standard input.
    #[arg(long, help_heading = "Output", conflicts_with_all = ["workers", "report", "print_boogie"])]
    batch: bool,
    /// Write a report as static pages into this directory.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    report: Option<PathBuf>,
}

/// One of several parts, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shard {
    part: u32,
    parts: u32,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, parts)| {
            Some((part.parse::<u32>().ok()?, parts.parse::<u32>().ok()?))
        });
        match numbers {
            Some((part, parts)) if (1..=parts).contains(&part) => Ok(Shard { part, parts }),
            _ => Err("a part such as 2/4 is expected".to_owned()),
        }
    }
}

/// How much is reused.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Reuse {
    /// Verdicts of unaffected procedures.
    Basic,
    /// Verdicts of unaffected checks too.
    Fine,
}

/// The provers by name.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ProverName {
    /// Z3.
    Z3,
    /// The cvc5 prover.
    Cvc5,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    if options.batch {
        return match choices(session, options) {
            Ok(choices) => batch::execute(session, &options.files, choices),
            Err(diagnostic) => {
                session.report(*diagnostic);
                ExitStatus::Usage
            }
        };
    }
    session.begin_program(&options.files);
    if let Some(url) = &options.workers
        && let Err(status) = workers::gather(session, options, url)
    {
        return status;
    }
    let mut files = Vec::new();
    for file in &options.files {
        match session.read_source(file) {
            Some(id) => files.push(id),
            None => return ExitStatus::Usage,
        }
    }
    let is_dafny = |file: &PathBuf| file.extension().is_some_and(|e| e == "dfy");
    if options.files.iter().all(is_dafny) {
        return verify_dafny(session, options, &files);
    }
    if let Some(file) = options.files.iter().find(|file| is_dafny(file)) {
        let message = format!(
            "`{}` is a Dafny program, and others of the files are not: verify them one by one",
            file.display()
        );
        session.report(Diagnostic::error("cli/usage", message));
        return ExitStatus::Usage;
    }
    let choices = match choices(session, options) {
        Ok(choices) => choices,
        Err(diagnostic) => {
            session.report(*diagnostic);
            return ExitStatus::Usage;
        }
    };
    let progress = session.progress(0);
    let (clock, mut times) = (Stopwatch::start(), BTreeMap::new());
    let outcome = Engine::new().check(
        Request {
            subject: &subject(&options.files),
            sources: &session.sources,
            files: &files,
            front: &mut Boogie,
            options: &choices,
            store: session.store(),
            budget: session.budget(),
        },
        &mut |event| match event {
            Event::Read { implementations } => progress.set_total(*implementations as u64),
            Event::Result { result, .. } => {
                times.insert(result.name.clone(), clock.elapsed().as_secs_f64());
                progress.message(&result.name);
                progress.advance();
            }
        },
    );
    progress.finish();
    let status = report::outcome(session, &outcome);
    let status = report::unmatched(session, &choices, &outcome, status);
    if options.profile {
        report::profile(session, &outcome);
    }
    let front = Box::new(Boogie);
    let states = counterexamples(session, options, &files, front, &choices, &outcome);
    let status = pages(session, options, (&outcome, &times, &states), status);
    if session.budget().is_cancelled() {
        return ExitStatus::Interrupted;
    }
    status
}

/// Verifies a Dafny program: as Boogie programs are, after its translation.
fn verify_dafny(session: &mut Session, options: &Options, files: &[FileId]) -> ExitStatus {
    let loaded = super::dafny::load::load(session, files);
    for diagnostic in loaded.diagnostics {
        session.report(diagnostic);
    }
    let Some(translation) = loaded.translation else {
        return ExitStatus::Usage;
    };
    if let Some(path) = &options.print_boogie
        && let Err(error) = super::dafny::print_boogie(session, &translation.program, path)
    {
        session.report(Diagnostic::error("output/write-failed", error));
        return ExitStatus::Usage;
    }
    let mut choices = match choices(session, options) {
        Ok(choices) => choices,
        Err(diagnostic) => {
            session.report(*diagnostic);
            return ExitStatus::Usage;
        }
    };
    if choices.time_limit.is_none() {
        choices.time_limit = Some(DAFNY_TIME_LIMIT);
    }
    let subject = subject(&options.files);
    // Read again for the values of failing paths.
    let copy = options.report.is_some().then(|| translation.copy());
    let (clock, mut times) = (Stopwatch::start(), BTreeMap::new());
    let outcome = super::dafny::check(
        session,
        files,
        &subject,
        translation,
        &choices,
        &mut |name| {
            times.insert(name.to_owned(), clock.elapsed().as_secs_f64());
        },
    );
    let status = report::outcome(session, &outcome);
    let status = report::unmatched(session, &choices, &outcome, status);
    if options.profile {
        report::profile(session, &outcome);
    }
    let states = match copy {
        Some(copy) => {
            let front = Box::new(stet_dafny_verify::front(copy));
            counterexamples(session, options, files, front, &choices, &outcome)
        }
        None => Vec::new(),
    };
    let status = pages(session, options, (&outcome, &times, &states), status);
    if session.budget().is_cancelled() {
        return ExitStatus::Interrupted;
    }
    status
}

/// How long values of one failing implementation are looked for.
const VALUES_TIME_LIMIT: Duration = Duration::from_secs(5);

/// For `--report`: the values of variables on the failing paths. Errors with models are not kept, so the prover is asked about what
/// failed once more.
fn counterexamples(
    session: &Session,
    options: &Options,
    files: &[FileId],
    front: Box<dyn FrontEnd>,
    choices: &Choices,
    outcome: &stet_verify::Outcome,
) -> Vec<State> {
    let failed = outcome.verdicts.iter();
    let failed = failed.filter(|r| r.conclusion == Conclusion::Errors);
    let only: Vec<String> = failed.map(|r| r.name.clone()).collect();
    if options.report.is_none() || only.is_empty() || options.model {
        return Vec::new();
    }
    let limit = choices.time_limit.unwrap_or(VALUES_TIME_LIMIT);
    let choices = Choices {
        procedures: only,
        want_models: true,
        caching: Caching::Off,
        check_cache: false,
        smoke: false,
        time_limit: Some(limit.min(VALUES_TIME_LIMIT)),
        ..choices.clone()
    };
    let request = Request {
        subject: "",
        sources: &session.sources,
        files,
        front: &mut Captured(front),
        options: &choices,
        store: session.store(),
        budget: session.budget(),
    };
    let found = Engine::new().check(request, &mut |_| {});
    let texts = || files.iter().map(|&file| session.sources.file(file).text());
    paths::states(&found.verdicts, &|name| {
        texts().any(|text| text.contains(name))
    })
}

/// Writes the pages of `--report`; a report that cannot be written is wrong usage.
fn pages(
    session: &mut Session,
    options: &Options,
    found: (&stet_verify::Outcome, &BTreeMap<String, f64>, &[State]),
    status: ExitStatus,
) -> ExitStatus {
    let (outcome, times, states) = found;
    let Some(directory) = options.report.as_ref().filter(|_| outcome.is_usable) else {
        return status;
    };
    match crate::report::verify::write(session, directory, outcome, times, states) {
        Ok(()) => status,
        Err(diagnostic) => {
            session.report(*diagnostic);
            ExitStatus::Usage
        }
    }
}

/// How long Dafny gives a batch of assertions.
const DAFNY_TIME_LIMIT: Duration = Duration::from_secs(20);

fn choices(session: &Session, options: &Options) -> Result<Choices, Box<Diagnostic>> {
    let kind = match options.prover {
        ProverName::Z3 => ProverKind::Z3,
        ProverName::Cvc5 => ProverKind::Cvc5,
    };
    let config = ProverConfig {
        memory_megabytes: options.prover_memory,
        log: options.prover_log.clone(),
        ..ProverConfig::located(kind, options.prover_path.as_deref())
    };
    let mut choices = Choices::new(config);
    choices.error_limit = options.error_limit;
    choices.time_limit = match options.procedure_time_limit {
        Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(|error| {
            Box::new(Diagnostic::error(
                "cli/usage",
                format!("`--procedure-time-limit {seconds}`: {error}"),
            ))
        })?),
        None => None,
    };
    choices.resource_limit = options.resource_limit;
    choices.max_splits = options.splits;
    choices.smoke = options.smoke;
    choices.infer_intervals = !options.no_infer;
    choices.loop_unroll = options.loop_unroll;
    choices.arrays = options.array_theory;
    choices.procedures.clone_from(&options.procedures);
    choices.shard = options.shard.map(|shard| (shard.part, shard.parts));
    choices.jobs = session.jobs();
    choices.caching = match options.reuse {
        // Nothing is prepared for a cache that is off.
        _ if session.store().mode() == Mode::Off => Caching::Off,
        Reuse::Basic => Caching::Basic,
        Reuse::Fine => Caching::Fine,
    };
    choices.check_cache = session.check_cache();
    choices.want_models = options.model;
    for option in &options.prover_options {
        let Some((name, value)) = option.split_once('=') else {
            return Err(Box::new(Diagnostic::error(
                "cli/usage",
                format!("`--prover-option {option}` has no `=`"),
            )));
        };
        choices
            .prover_options
            .push((name.to_owned(), value.to_owned()));
    }
    Ok(choices)
}

/// What a program is called from one run to the next.
fn subject(files: &[PathBuf]) -> String {
    let names: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    names.join("+")
}
