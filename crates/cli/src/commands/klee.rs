//! `stet klee`: KLEE's command line on Stet's explorer.
//!
//! KLEE's flags are understood where Stet has the same thing; others are ignored with a warning. Output goes to a
//! `klee-out-N` directory beside the input, messages to the standard error, as KLEE does.

use crate::commands::explore::directory::Directory;
use crate::commands::explore::environment::{self, HostRoot};
use crate::commands::explore::{self, Order, Voice, toolchain};
use crate::exit::ExitStatus;
use crate::options::{ByteSize, Seconds, Stet};
use crate::output::error_line;
use crate::session::Session;
use clap::Parser;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stet_diag::Diagnostic;
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

/// What KLEE's flags ask for.
struct Request {
    options: explore::Options,
    time: Option<Duration>,
    output: Option<PathBuf>,
    ignored: Vec<String>,
    /// The environment is modelled as KLEE's POSIX runtime does, with options among the program's arguments.
    posix: bool,
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
        Ok(mut request) => {
            toolchain::link_library_to_bitcode(&mut request.options);
            request
        }
        Err(message) => {
            session.report(Diagnostic::error("klee/usage", message));
            return ExitStatus::Usage;
        }
    };
    let file = request.options.files.first().cloned().unwrap_or_default();
    let Some(input) = toolchain::modules(session, &request.options) else {
        return ExitStatus::Usage;
    };
    let path = request
        .output
        .clone()
        .unwrap_or_else(|| next_directory(&file));
    let mut directory = match Directory::create(&path, &input, &request.options.args) {
        Ok(directory) => directory,
        Err(error) => {
            error_line(&format!(
                "KLEE: ERROR: cannot create \"{}\": {error}",
                path.display()
            ));
            return ExitStatus::Usage;
        }
    };
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
        let warning = format!("ignoring the option {flag}, which Stet does not have");
        error_line(&format!("KLEE: WARNING: {warning}"));
        directory.warning(&warning);
    }
    let budget = match request.time {
        Some(time) => session.budget().limited_to(time),
        None => session.budget().clone(),
    };
    let config = configuration(session, &request, input.has_libc);
    let (status, done) = explore::run(
        session,
        input,
        &config,
        Some(directory),
        true,
        Voice::Klee,
        &budget,
    );
    match done {
        Some((summary, totals)) => {
            trailer(&summary, &totals);
            match status {
                ExitStatus::Internal | ExitStatus::Interrupted => status,
                _ => ExitStatus::Clean,
            }
        }
        None => status,
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
    --rng-initial-seed=N          for orders that use chance
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

Other flags of KLEE are named and ignored. `stet explore --help` shows Stet's own options.";

fn trailer(summary: &Summary, totals: &explore::collect::Totals) {
    let progress = &summary.progress;
    error_line("");
    error_line(&format!(
        "KLEE: done: total instructions = {}",
        progress.instructions
    ));
    error_line(&format!("KLEE: done: completed paths = {}", totals.exits));
    let partial = (progress.paths + progress.dropped).saturating_sub(totals.exits);
    error_line(&format!(
        "KLEE: done: partially completed paths = {partial}"
    ));
    error_line(&format!("KLEE: done: generated tests = {}", totals.tests));
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

/// The options of `stet explore` without any flag.
fn plain_options() -> Option<explore::Options> {
    let parsed = Stet::try_parse_from(["stet", "explore", "-"]).ok()?;
    match parsed.command {
        crate::options::Command::Explore(options) => Some(options),
        _ => None,
    }
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut options = plain_options().ok_or("the defaults of `stet explore` are broken")?;
    options.files.clear();
    options.search.clear();
    let mut request = Request {
        options,
        time: None,
        output: None,
        ignored: Vec::new(),
        posix: false,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(flag) = argument
            .strip_prefix("--")
            .or_else(|| argument.strip_prefix('-'))
        else {
            request.options.files.push(PathBuf::from(argument));
            request.options.args.extend(rest.by_ref().cloned());
            break;
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None if takes_value(flag) => (flag, rest.next().cloned().unwrap_or_default()),
            None => (flag, String::new()),
        };
        apply(&mut request, name, &value)
            .map_err(|wrong| format!("the value `{value}` of --{name}: {wrong}"))?;
    }
    if request.options.files.is_empty() {
        return Err("no input file".into());
    }
    if request.posix {
        environment::check(&request.options.args)?;
        request.options.libc = Some(explore::Libc::Musl);
    }
    if request.options.search.is_empty() {
        request.options.search = vec![Order::Default];
    }
    Ok(request)
}

/// Flags whose value may follow as the next argument.
fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "search"
            | "max-time"
            | "max-memory"
            | "max-instructions"
            | "max-forks"
            | "max-depth"
            | "max-solver-time"
            | "max-tests"
            | "output-dir"
            | "libc"
            | "entry-point"
            | "max-stack-frames"
            | "rng-initial-seed"
    )
}

fn truth(value: &str) -> Result<bool, String> {
    match value {
        "" | "1" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("true or false is expected".into()),
    }
}

fn number<T: std::str::FromStr>(value: &str) -> Result<T, String> {
    value.parse().map_err(|_| "a number is expected".to_owned())
}

/// `0` is no limit, as everywhere in KLEE.
fn limit<T: std::str::FromStr + PartialEq + Default>(value: &str) -> Result<Option<T>, String> {
    let limit = number(value)?;
    Ok((limit != T::default()).then_some(limit))
}

fn apply(request: &mut Request, name: &str, value: &str) -> Result<(), String> {
    let options = &mut request.options;
    let switch = |on: bool| match on {
        true => explore::Switch::On,
        false => explore::Switch::Off,
    };
    match name {
        "search" => options.search.push(order(value)?),
        "max-time" => request.time = duration(value)?,
        "max-memory" => {
            options.max_memory = limit::<u64>(value)?.map(|megabytes| ByteSize(megabytes << 20))
        }
        "max-instructions" => options.max_instructions = limit(value)?,
        "max-forks" => options.max_forks = limit(value)?,
        "max-depth" => options.max_depth = limit(value)?,
        "max-tests" => options.max_paths = limit(value)?,
        "max-solver-time" => {
            options.solver_time = duration(value)?.map(|time| Seconds(time.as_secs_f64()))
        }
        "output-dir" => request.output = Some(PathBuf::from(value)),
        "entry-point" => options.entry = value.to_owned(),
        "libc" => {
            options.libc = Some(match value {
                "none" => explore::Libc::None,
                _ => explore::Libc::Musl,
            });
        }
        "use-query-cache" | "use-branch-cache" => {
            options.query_cache = match truth(value)? {
                true => explore::QueryCache::AddressAware,
                false => explore::QueryCache::Off,
            }
        }
        "use-cex-cache" => options.cex_cache = switch(truth(value)?),
        "use-independent-solver" => options.slicing = switch(truth(value)?),
        "debug-validate-solver" => options.validate_cache = truth(value)?,
        "check-overshift" => {
            options.overshift = match truth(value)? {
                true => explore::Shifts::Report,
                false => explore::Shifts::Ignore,
            }
        }
        "posix-runtime" => request.posix = truth(value)?,
        "exit-on-error" => options.stop_at_error = truth(value)?,
        "rng-initial-seed" => options.seed = number(value)?,
        "optimize" => options.opt_level = u8::from(truth(value)?),
        // the way Stet works anyway
        "allocate-determ"
        | "emit-all-errors"
        | "only-output-states-covering-new"
        | "write-no-tests"
        | "simplify-sym-indices"
        | "disable-inlining"
        | "check-div-zero" => {}
        _ => request.ignored.push(format!("--{name}")),
    }
    Ok(())
}

fn order(value: &str) -> Result<Order, String> {
    Ok(match value {
        "dfs" => Order::Dfs,
        "bfs" => Order::Bfs,
        "random-path" => Order::RandomPath,
        "random-state" => Order::RandomState,
        _ if value.starts_with("nurs:") => Order::CoveredNew,
        _ => return Err("dfs, bfs, random-path, random-state or nurs:… is expected".into()),
    })
}

/// `10`, `10s`, `5min`, `1h`; zero is no limit.
fn duration(value: &str) -> Result<Option<Duration>, String> {
    let mut total = 0.0f64;
    let mut rest = value.trim();
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let amount: f64 = number(&rest[..digits])?;
        let unit_end = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |end| digits + end);
        total += amount
            * match &rest[digits..unit_end] {
                "" | "s" => 1.0,
                "ms" => 1e-3,
                "us" => 1e-6,
                "ns" => 1e-9,
                "min" => 60.0,
                "h" => 3600.0,
                _ => return Err("a time such as 10s or 5min is expected".into()),
            };
        rest = &rest[unit_end..];
    }
    Ok((total > 0.0).then(|| Duration::from_secs_f64(total.min(1e9))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(arguments: &[&str]) -> Vec<String> {
        arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect()
    }

    #[test]
    fn flags_files_and_arguments() {
        let request = parse(&strings(&[
            "--search=bfs",
            "-max-time=1min30s",
            "--max-forks",
            "7",
            "--posix-runtime",
            "a.bc",
            "-x",
            "y",
        ]))
        .unwrap();
        assert_eq!(request.options.search, [Order::Bfs]);
        assert_eq!(request.time, Some(Duration::from_secs(90)));
        assert_eq!(request.options.max_forks, Some(7));
        assert_eq!(request.options.files, [PathBuf::from("a.bc")]);
        assert_eq!(request.options.args, ["-x", "y"]);
        assert!(request.posix && request.ignored.is_empty());
    }

    #[test]
    fn wrong_values_are_refused() {
        for wrong in [
            &["--search=up", "a.bc"][..],
            &["--max-time=x", "a.bc"],
            &["--use-cex-cache=7", "a.bc"],
            &["--max-forks=1"],
        ] {
            assert!(parse(&strings(wrong)).is_err(), "{wrong:?}");
        }
    }
}
