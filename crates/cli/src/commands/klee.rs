//! `stet klee`: KLEE's command line on Stet's explorer.
//!
//! KLEE's flags are understood where Stet has the same thing (`flags`); its other flags are named in a warning, and what is
//! no flag of KLEE's is an error. Output goes to a `klee-out-N` directory beside the input, messages to the standard error.

mod escaping;
mod flags;
mod zesti;

use crate::commands::explore::directory::Directory;
use crate::commands::explore::environment::{self, HostRoot};
use crate::commands::explore::{self, Manner, Voice, toolchain};
use crate::exit::ExitStatus;
use crate::output::error_line;
use crate::session::Session;
use flags::{Request, parse};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_explore::Summary;

/// Options of `stet klee`: everything after the command's name, to be read by its own rules.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Options and files as klee takes them.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let arguments: Vec<String> = options
        .arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if is_help(&arguments) {
        session.output.line(HELP);
        return ExitStatus::Clean;
    }
    let request = match parse(&arguments) {
        Ok(request) => request,
        Err(message) => {
            error_line(&format!("KLEE: ERROR: {message}"));
            return ExitStatus::Usage;
        }
    };
    explore_or_replay(session, request)
}

/// Carries out `klee-zesti`: the program's arguments, the files among them and standard input are the seed.
pub(crate) fn execute_zesti(session: &mut Session, options: &Options) -> ExitStatus {
    let arguments: Vec<String> = options
        .arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let parsed = parse(&arguments).and_then(|mut request| {
        zesti::seed(&mut request)?;
        Ok(request)
    });
    match parsed {
        Ok(request) => explore_or_replay(session, request),
        Err(message) => {
            error_line(&format!("KLEE: ERROR: {message}"));
            ExitStatus::Usage
        }
    }
}

fn explore_or_replay(session: &mut Session, mut request: Request) -> ExitStatus {
    if !request.no_external_calls {
        toolchain::link_library_to_bitcode(&mut request.options);
    }
    match &request.replay {
        Some(tests) => replay(session, &request, tests),
        None => explore_once(session, &request),
    }
}

/// Explores the program, and says how it ended as KLEE does.
fn explore_once(session: &mut Session, request: &Request) -> ExitStatus {
    let Some(input) = toolchain::modules(session, &request.options) else {
        return ExitStatus::Usage;
    };
    let Some(directory) = open_directory(request, &input) else {
        return ExitStatus::Usage;
    };
    if request.print_escaping {
        let names = escaping::functions(input.program.own_texts());
        error_line(&format!("KLEE: escaping functions: [{}]", names.join(", ")));
    }
    let config = configuration(session, request, input.has_libc);
    let budget = budget(session, request);
    let (status, done) = explore::run(
        session,
        input,
        &config,
        Some(directory),
        true,
        manner(request),
        &budget,
    );
    let Some((summary, totals)) = done else {
        return status;
    };
    let is_stopped = summary.halt != stet_explore::Halt::Complete;
    if let Some(text) = &totals.last_error {
        error_line(&format!("KLEE: ERROR: EXITING ON ERROR:\n{text}"));
        return ExitStatus::Findings;
    }
    if is_stopped {
        error_line("KLEE: halting execution, dumping remaining states");
    }
    trailer(&summary, &totals);
    match status {
        ExitStatus::Internal | ExitStatus::Interrupted => status,
        _ => ExitStatus::Clean,
    }
}

fn budget(session: &Session, request: &Request) -> stet_base::Budget {
    match request.time {
        Some(time) => session.budget().limited_to(time),
        None => session.budget().clone(),
    }
}

/// Runs the program on each of the given tests.
fn replay(session: &mut Session, request: &Request, tests: &[PathBuf]) -> ExitStatus {
    let mut paths = (0, 0, 0);
    let mut instructions = 0;
    for (number, path) in tests.iter().enumerate() {
        let decoded = std::fs::read(path)
            .ok()
            .and_then(|bytes| stet_explore::KTest::decode(&bytes));
        let Some(test) = decoded else {
            error_line(&format!("KLEE: ERROR: unable to open: {}", path.display()));
            return ExitStatus::Usage;
        };
        let Some(input) = toolchain::modules(session, &request.options) else {
            return ExitStatus::Usage;
        };
        let directory = match number {
            0 => match open_directory(request, &input) {
                Some(directory) => Some(directory),
                None => return ExitStatus::Usage,
            },
            _ => None,
        };
        let bytes: usize = test.objects.iter().map(|object| object.bytes.len()).sum();
        error_line(&format!(
            "KLEE: replaying: {} ({bytes} bytes) ({}/{})",
            path.display(),
            number + 1,
            tests.len()
        ));
        let mut config = configuration(session, request, input.has_libc);
        config.replay = Some(test.objects.into());
        let budget = budget(session, request);
        let manner = manner(request);
        let (status, done) =
            explore::run(session, input, &config, directory, true, manner, &budget);
        let Some((summary, totals)) = done else {
            return status;
        };
        instructions += summary.progress.instructions;
        paths.0 += totals.exits;
        paths.1 += (summary.progress.paths + summary.progress.dropped).saturating_sub(totals.exits);
        paths.2 += totals.tests;
    }
    closing_lines(instructions, paths);
    ExitStatus::Clean
}

/// The output directory, with KLEE's first lines.
fn open_directory(request: &Request, input: &toolchain::Input) -> Option<Directory> {
    let file = request.options.files.first().cloned().unwrap_or_default();
    let path = request
        .output
        .clone()
        .unwrap_or_else(|| next_directory(&file));
    let mut directory = match Directory::create(&path, input, &request.options.args) {
        Ok(directory) => directory,
        Err(error) => {
            error_line(&format!(
                "KLEE: ERROR: cannot create \"{}\": {error}",
                path.display()
            ));
            return None;
        }
    };
    directory.recording = request.recording;
    let lines = [
        format!("KLEE: output directory is \"{}\"", path.display()),
        "KLEE: Using Stet's bit-vector solver backend".to_owned(),
    ];
    for line in &lines {
        error_line(line);
        directory.message(line);
    }
    if request.output.is_none() {
        link_last(&path);
    }
    for flag in &request.ignored {
        let warning = format!("ignoring the option {flag}, which has no effect in Stet");
        error_line(&format!("KLEE: WARNING: {warning}"));
        directory.warning(&warning);
    }
    Some(directory)
}

fn manner(request: &Request) -> Manner {
    Manner {
        voice: Voice::Klee,
        all_errors: request.all_errors,
        only_covering_new: request.only_covering_new,
        no_tests: request.no_tests,
        dump_states: request.dump_states,
        // only --exit-on-error ends with the error itself; an error of a chosen type ends the run as a limit does
        last_error: request.options.stop_at_error.then(Vec::new),
        max_tests: request.max_tests,
        trace: request.trace,
        report: None,
        xml: request.xml.clone(),
    }
}

/// KLEE's programs see the files and the environment of this machine; here they cannot change them.
fn configuration(session: &Session, request: &Request, has_libc: bool) -> stet_explore::Config {
    let mut config = explore::configuration(session, &request.options);
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        Some(format!("{name}={value}"))
    });
    config.environment = variables.collect();
    config.klee = stet_explore::KleeRules {
        silent_assume: request.silent_assume,
        simple_switch: request.simple_switch,
        no_external_calls: request.no_external_calls,
        klee_words: true,
        use_merge: request.use_merge,
        log_merge: request.log_merge,
    };
    // as much as KLEE's users may ask for; what the machine does not have is refused
    config.max_allocation = 1 << 34;
    config.recording = request.recording;
    config.static_limits = request.static_limits;
    config.trace = request.trace.is_some();
    config.replay_path = request.replay_path.clone();
    config.seeds = (!request.seeds.inputs.is_empty()).then(|| Arc::new(request.seeds.clone()));
    config.max_frames = request.max_frames;
    config.function_aliases = request.aliases.clone();
    if !request.stop_kinds.is_empty() {
        config.stop_at = stet_explore::StopAt::Kinds(request.stop_kinds.clone());
    }
    if !has_libc {
        return config;
    }
    config.root = Some(HostRoot::shared(Path::new("/")));
    config.args.truncate(1);
    let here = std::env::current_dir().ok();
    if let Some(here) = here.and_then(|here| here.to_str().map(str::to_owned)) {
        config.args.extend(["--stet-directory".to_owned(), here]);
    }
    config.args.extend(match request.posix {
        true => request.options.args.clone(),
        false => environment::quoted(&request.options.args),
    });
    config
}

/// Whether help is asked for, before the program whose own arguments follow.
fn is_help(arguments: &[String]) -> bool {
    let mut flags = arguments
        .iter()
        .take_while(|argument| argument.starts_with('-'));
    flags.any(|flag| matches!(flag.as_str(), "-h" | "-help" | "--help"))
}

const HELP: &str = "\
stet klee [OPTION]... PROGRAM [ARGUMENT]...
Options start with - or --; values follow `=` or stand in the next argument. 0 is no limit.

  Input
    --entry-point=NAME            the function to start at (default main)
    --libc=none|uclibc|klee       none, or the C library Stet links
    --optimize                    optimise C input

  Exploration
    --search=ORDER                dfs, bfs, random-path, random-state, nurs:covnew; several take turns
    --rng-initial-seed=N          seed for randomised searches
    --check-overshift=BOOL        whether shifts by the width or more are errors
    --exit-on-error               stop at the first error

  Queries
    --use-query-cache=BOOL        reuse answers of earlier queries, whatever the addresses
    --use-cex-cache=BOOL          reuse answers of smaller and larger queries
    --use-independent-solver=BOOL cut queries down to the constraints that matter
    --debug-validate-solver       solve reused answers again, and compare

  Limits
    --max-time=TIME               such as 90, 10min, 1h
    --max-memory=MB  --max-instructions=N  --max-forks=N  --max-depth=N  --max-tests=N
    --max-solver-time=TIME        for one query

  Output
    --output-dir=DIR              instead of the next klee-out-N

    --write-paths --write-cov --write-kqueries --write-smt2s --write-xml-tests
    --write-no-tests --only-output-states-covering-new --emit-all-errors

  Replay
    --replay-ktest-file=FILE  --replay-ktest-dir=DIR  --replay-path=FILE
    --seed-file=FILE  --seed-dir=DIR  inputs whose paths are explored first

Flags of KLEE that have no effect here are named in a warning. `stet explore --help` shows Stet's own options.";

fn trailer(summary: &Summary, totals: &explore::collect::Totals) {
    let progress = &summary.progress;
    let partial = explore::collect::partial_paths(progress, totals);
    closing_lines(progress.instructions, (totals.exits, partial, totals.tests));
}

fn closing_lines(instructions: u64, (complete, partial, tests): (u64, u64, u64)) {
    error_line("");
    error_line(&format!("KLEE: done: total instructions = {instructions}"));
    error_line(&format!("KLEE: done: completed paths = {complete}"));
    error_line(&format!(
        "KLEE: done: partially completed paths = {partial}"
    ));
    error_line(&format!("KLEE: done: generated tests = {tests}"));
}

/// `klee-out-N` beside the input, with the first free number.
fn next_directory(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let named = (0u32..).map(|number| folder.join(format!("klee-out-{number}")));
    let mut free = named.filter(|path| !path.exists());
    free.next().unwrap_or(folder)
}

/// `klee-last` points to the newest directory.
fn link_last(path: &Path) {
    #[cfg(unix)]
    {
        let last = path.with_file_name("klee-last");
        let is_link =
            std::fs::symlink_metadata(&last).is_ok_and(|data| data.file_type().is_symlink());
        if is_link {
            let _ = std::fs::remove_file(&last);
        }
        if let Some(name) = path.file_name() {
            let _ = std::os::unix::fs::symlink(name, &last);
        }
    }
}
