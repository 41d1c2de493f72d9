//! KLEE's flags: which there are, which take values, and what they ask of Stet.
//!
//! A flag whose value stands in the next argument never takes the program's name for it: whether a flag has a value is
//! known for every flag of KLEE. What is no flag of KLEE's is refused.

use crate::commands::explore::environment;
use crate::commands::explore::external::Calls;
use crate::commands::explore::seeding::tests;
use crate::commands::explore::{self, Order, Trace};
use crate::options::{ByteSize, Seconds, Stet};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use stet_explore::{ErrorKind, ExternalWarnings, Recording, SeedUse, Seeds, StaticLimits};

/// What KLEE's flags ask for.
pub(super) struct Request {
    pub(super) options: explore::Options,
    pub(super) time: Option<Duration>,
    pub(super) output: Option<PathBuf>,
    /// Flags without effect.
    pub(super) ignored: Vec<String>,
    /// The environment is modelled as KLEE's POSIX runtime does, with options among the program's arguments.
    pub(super) posix: bool,
    pub(super) all_errors: bool,
    pub(super) only_covering_new: bool,
    pub(super) no_tests: bool,
    pub(super) dump_states: bool,
    pub(super) silent_assume: bool,
    pub(super) simple_switch: bool,
    pub(super) no_external_calls: bool,
    pub(super) stop_kinds: Vec<ErrorKind>,
    pub(super) max_tests: Option<u64>,
    pub(super) max_frames: u32,
    pub(super) recording: Recording,
    pub(super) static_limits: StaticLimits,
    pub(super) trace: Option<(Trace, bool)>,
    pub(super) xml: Option<(String, String)>,
    /// Tests to run the program on.
    pub(super) replay: Option<Vec<PathBuf>>,
    pub(super) replay_path: Option<Arc<[bool]>>,
    /// Inputs whose paths are explored first.
    pub(super) seeds: Seeds,
    /// Functions and what takes their place.
    pub(super) aliases: Vec<(String, String)>,
    /// States are merged between `klee_open_merge` and `klee_close_merge`.
    pub(super) use_merge: bool,
    pub(super) log_merge: bool,
    /// The functions whose addresses are used as values are named.
    pub(super) print_escaping: bool,
}

/// Flags of KLEE that are on or off.
const SWITCHES: &[&str] = &[
    "all-external-warnings",
    "allocate-determ",
    "allow-external-sym-calls",
    "allow-seed-extension",
    "allow-seed-truncation",
    "always-output-seeds",
    "cex-cache-exp",
    "cex-cache-superset",
    "cex-cache-try-all",
    "check-div-zero",
    "check-overshift",
    "compress-exec-tree",
    "compress-query-log",
    "const-array-opt",
    "debug-assignment-validating-solver",
    "debug-cex-cache-check-binding",
    "debug-compress-instructions",
    "debug-dump-stp-queries",
    "debug-log-incomplete-merge",
    "debug-log-merge",
    "debug-print-escaping-functions",
    "debug-validate-solver",
    "debug-z3-validate-models",
    "disable-inlining",
    "disable-opt",
    "disable-verify",
    "dump-states-on-halt",
    "emit-all-errors",
    "equality-substitution",
    "exit-on-error",
    "kdalloc",
    "kdalloc-mark-as-unneeded",
    "klee-call-optimisation",
    "libcxx",
    "log-partial-queries-early",
    "log-timed-out-queries",
    "max-memory-inhibit",
    "named-seed-matching",
    "only-output-make-symbolic-arrays",
    "only-output-states-covering-new",
    "only-replay-seeds",
    "only-seed",
    "optimize",
    "output-exec-tree",
    "output-istats",
    "output-module",
    "output-source",
    "output-stats",
    "posix-runtime",
    "readable-posix-inputs",
    "return-null-on-zero-malloc",
    "rewrite-equalities",
    "silent-klee-assume",
    "simplify-sym-indices",
    "single-object-resolution",
    "smtlib-human-readable",
    "solver-optimize-divides",
    "strip-all",
    "strip-debug",
    "suppress-external-warnings",
    "track-instruction-time",
    "ubsan-runtime",
    "use-batching-search",
    "use-branch-cache",
    "use-cex-cache",
    "use-construct-hash-metasmt",
    "use-construct-hash-stp",
    "use-construct-hash-z3",
    "use-fast-cex-solver",
    "use-forked-solver",
    "use-gep-opt",
    "use-incomplete-merge",
    "use-independent-solver",
    "use-iterative-deepening-time-search",
    "use-merge",
    "use-query-cache",
    "use-visitor-hash",
    "verify-each",
    "warn-all-external-symbols",
    "warnings-only-to-file",
    "watchdog",
    "write-cov",
    "write-cvcs",
    "write-exec-tree",
    "write-kqueries",
    "write-no-tests",
    "write-paths",
    "write-smt2s",
    "write-sym-paths",
    "write-test-info",
    "write-xml-tests",
    "zero-seed-extension",
];

/// Flags of KLEE with a value.
const VALUES: &[&str] = &[
    "allocate-determ-size",
    "allocate-determ-start-address",
    "batch-instructions",
    "batch-time",
    "debug-crosscheck-core-solver",
    "debug-print-instructions",
    "debug-z3-dump-queries",
    "debug-z3-log-api-interaction",
    "debug-z3-verbosity",
    "entry-point",
    "env-file",
    "exec-tree-batch-size",
    "exit-on-error-type",
    "external-call-warnings",
    "external-calls",
    "function-alias",
    "istats-write-after-instructions",
    "istats-write-interval",
    "kdalloc-constants-size",
    "kdalloc-constants-start-address",
    "kdalloc-globals-size",
    "kdalloc-globals-start-address",
    "kdalloc-heap-size",
    "kdalloc-heap-start-address",
    "kdalloc-quarantine",
    "kdalloc-stack-size",
    "kdalloc-stack-start-address",
    "libc",
    "link-llvm-lib",
    "load",
    "make-concrete-symbolic",
    "max-depth",
    "max-forks",
    "max-instructions",
    "max-memory",
    "max-solver-time",
    "max-stack-frames",
    "max-static-cpfork-pct",
    "max-static-cpsolve-pct",
    "max-static-fork-pct",
    "max-static-pct-check-delay",
    "max-static-solve-pct",
    "max-sym-array-size",
    "max-tests",
    "max-time",
    "metasmt-backend",
    "min-query-time-to-log",
    "optimize-array",
    "output-dir",
    "redzone-size",
    "replay-ktest-dir",
    "replay-ktest-file",
    "replay-path",
    "rng-initial-seed",
    "run-in-dir",
    "runtime-build",
    "search",
    "seed-dir",
    "seed-file",
    "seed-time",
    "smtlib-abbreviation-mode",
    "smtlib-display-constants",
    "solver-backend",
    "stats-commit-after",
    "stats-write-after-instructions",
    "stats-write-interval",
    "stp-sat-solver",
    "switch-type",
    "timer-interval",
    "uncovered-update-interval",
    "use-iterative-deepening-search",
    "use-query-log",
    "write-test-info-format",
    "xml-metadata-programfile",
    "xml-metadata-programhash",
];

/// The options of `stet explore` without any flag.
fn plain_options() -> Option<explore::Options> {
    let parsed = Stet::try_parse_from(["stet", "explore", "-"]).ok()?;
    match parsed.command {
        crate::options::Command::Explore(options) => Some(*options),
        _ => None,
    }
}

pub(super) fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut options = plain_options().ok_or("the defaults of `stet explore` are broken")?;
    options.files.clear();
    options.search.clear();
    options.external.external_calls = Calls::Concrete;
    options.external.warnings = ExternalWarnings::Once;
    let mut request = Request {
        options,
        time: None,
        output: None,
        ignored: Vec::new(),
        posix: false,
        all_errors: false,
        only_covering_new: false,
        no_tests: false,
        dump_states: true,
        silent_assume: false,
        simple_switch: false,
        no_external_calls: false,
        stop_kinds: Vec::new(),
        max_tests: None,
        max_frames: 8192,
        recording: Recording {
            profile: true,
            ..Recording::default()
        },
        static_limits: StaticLimits::none(),
        trace: None,
        xml: None,
        replay: None,
        replay_path: None,
        seeds: Seeds {
            inputs: Vec::new(),
            by_name: false,
            extend: false,
            truncate: false,
            usage: SeedUse::First,
        },
        aliases: Vec::new(),
        use_merge: false,
        log_merge: false,
        print_escaping: false,
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
        let (name, given) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        let has_value = VALUES.binary_search(&name).is_ok();
        if !has_value && SWITCHES.binary_search(&name).is_err() {
            return Err(format!("Unknown command line argument '{argument}'"));
        }
        let value = match (given, has_value) {
            (Some(value), _) => value,
            (None, false) => String::new(),
            (None, true) => match rest.next() {
                Some(value) => value.clone(),
                None => return Err(format!("for the --{name} option: requires a value!")),
            },
        };
        apply(&mut request, name, &value).map_err(|wrong| match wrong.starts_with(name) {
            true => wrong,
            false => format!("the value `{value}` of --{name}: {wrong}"),
        })?;
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
        "max-tests" => {
            request.max_tests = limit(value)?;
            request.options.max_paths = request.max_tests;
        }
        "max-solver-time" => {
            options.solver_time = duration(value)?.map(|time| Seconds(time.as_secs_f64()))
        }
        "output-dir" => request.output = Some(PathBuf::from(value)),
        "entry-point" if value.is_empty() => return Err("entry-point cannot be empty".into()),
        "entry-point" => options.entry = value.to_owned(),
        "libc" => {
            options.libc = Some(match value {
                "none" => explore::Libc::None,
                "klee" | "uclibc" => explore::Libc::Musl,
                _ => return Err("none, klee or uclibc is expected".into()),
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
        _ => return apply_to_run(request, name, value),
    }
    Ok(())
}

/// Flags about errors, tests and files.
fn apply_to_run(request: &mut Request, name: &str, value: &str) -> Result<(), String> {
    match name {
        "emit-all-errors" => request.all_errors = truth(value)?,
        "only-output-states-covering-new" => request.only_covering_new = truth(value)?,
        "write-no-tests" => request.no_tests = truth(value)?,
        "dump-states-on-halt" => request.dump_states = truth(value)?,
        "silent-klee-assume" => request.silent_assume = truth(value)?,
        "write-paths" => request.recording.branches = truth(value)?,
        "output-istats" => request.recording.profile = truth(value)?,
        "write-cov" => request.recording.lines = truth(value)?,
        "write-kqueries" => request.recording.kquery = truth(value)?,
        "write-smt2s" => request.recording.smt2 = truth(value)?,
        "write-xml-tests" => {
            let on = truth(value)?;
            request.xml = on.then(|| request.xml.take().unwrap_or_default());
        }
        "xml-metadata-programfile" => request.xml.get_or_insert_default().0 = value.to_owned(),
        "xml-metadata-programhash" => request.xml.get_or_insert_default().1 = value.to_owned(),
        "max-stack-frames" => request.max_frames = limit(value)?.unwrap_or(u32::MAX),
        "exit-on-error-type" => request.stop_kinds.extend(error_kinds(value)?),
        "switch-type" => {
            request.simple_switch = match value {
                "simple" => true,
                "llvm" | "internal" => false,
                _ => return Err("simple, llvm or internal is expected".into()),
            }
        }
        "external-calls" => match value {
            "none" => {
                request.no_external_calls = true;
                request.options.external.external_calls = Calls::None;
            }
            "concrete" => request.options.external.external_calls = Calls::Concrete,
            "all" => request.options.external.external_calls = Calls::All,
            "over-approx" => request.options.external.external_calls = Calls::OverApproximate,
            _ => return Err("none, concrete, all or over-approx is expected".into()),
        },
        "external-call-warnings" => {
            request.options.external.warnings = match value {
                "none" => ExternalWarnings::Never,
                "once-per-function" => ExternalWarnings::Once,
                "all" => ExternalWarnings::Always,
                _ => return Err("none, once-per-function or all is expected".into()),
            }
        }
        "load" => request.options.external.external_library.push(value.into()),
        "use-merge" => request.use_merge = truth(value)?,
        "debug-print-escaping-functions" => request.print_escaping = truth(value)?,
        "debug-log-merge" => request.log_merge = truth(value)?,
        "max-static-fork-pct" => request.static_limits.forks = number(value)?,
        "max-static-cpfork-pct" => request.static_limits.call_path_forks = number(value)?,
        "max-static-pct-check-delay" => request.static_limits.delay = number(value)?,
        "debug-print-instructions" => request.trace = Some(trace(value)?),
        "function-alias" => {
            let (name, replacement) = alias(value)?;
            request.options.keep.push(replacement.clone());
            request.aliases.push((name, replacement));
        }
        "link-llvm-lib" => request.options.files.push(PathBuf::from(value)),
        "replay-ktest-file" => {
            let tests = request.replay.get_or_insert_default();
            tests.push(PathBuf::from(value));
        }
        "replay-ktest-dir" => {
            let tests = request.replay.get_or_insert_default();
            tests.extend(tests_in(Path::new(value))?);
        }
        "seed-file" => request.seeds.inputs.extend(tests(&[value.into()])?),
        "seed-dir" => {
            let files = tests_in(Path::new(value))?;
            request.seeds.inputs.extend(tests(&files)?);
        }
        "named-seed-matching" => request.seeds.by_name = truth(value)?,
        "allow-seed-extension" | "zero-seed-extension" => request.seeds.extend |= truth(value)?,
        "allow-seed-truncation" => request.seeds.truncate = truth(value)?,
        "only-seed" if truth(value)? => request.seeds.usage = SeedUse::UntilDone,
        "only-replay-seeds" if truth(value)? => request.seeds.usage = SeedUse::Only,
        "only-seed" | "only-replay-seeds" => {}
        "replay-path" => request.replay_path = Some(path_bits(Path::new(value))?),
        "solver-backend" => match value {
            "stp" | "z3" | "bitwuzla" | "metasmt" | "dummy" => {
                request.ignored.push(format!("--{name}={value}"))
            }
            _ => return Err("stp, z3, bitwuzla, metasmt or dummy is expected".into()),
        },
        "use-iterative-deepening-search" => request.options.search = vec![Order::Deepening],
        "use-iterative-deepening-time-search" => {
            if truth(value)? {
                request.options.search = vec![Order::Deepening];
            }
        }
        // the way Stet works anyway
        "allocate-determ"
        | "kdalloc"
        | "check-div-zero"
        | "simplify-sym-indices"
        | "disable-inlining"
        | "ubsan-runtime"
        | "output-module"
        | "output-source"
        | "output-stats"
        | "disable-verify"
        | "klee-call-optimisation"
        | "warnings-only-to-file"
        | "use-forked-solver"
        | "equality-substitution"
        | "libcxx"
        | "use-batching-search"
        | "disable-opt"
        | "batch-instructions"
        | "batch-time" => {}
        _ => request.ignored.push(format!("--{name}")),
    }
    Ok(())
}

/// `all:stderr`, `src:file` and the like.
fn trace(value: &str) -> Result<(Trace, bool), String> {
    let (what, to) = value.split_once(':').unwrap_or((value, ""));
    let what = match what {
        "all" => Trace::All,
        "src" => Trace::Source,
        "compact" => Trace::Compact,
        _ => return Err("all, src or compact is expected, with :stderr or :file".into()),
    };
    match to {
        "stderr" => Ok((what, false)),
        "file" => Ok((what, true)),
        _ => Err("stderr or file is expected after the colon".into()),
    }
}

/// `NAME:REPLACEMENT`, where the name may be a pattern.
fn alias(value: &str) -> Result<(String, String), String> {
    let empty = |part| format!("function-alias: {part} cannot be empty");
    let Some((name, replacement)) = value.rsplit_once(':') else {
        return Err("function-alias: NAME:REPLACEMENT is expected".into());
    };
    match (name, replacement) {
        ("", _) => Err(empty("name or pattern")),
        (_, "") => Err(empty("replacement")),
        _ => Ok((name.to_owned(), replacement.to_owned())),
    }
}

/// The kinds of errors that one of KLEE's stands for.
fn error_kinds(value: &str) -> Result<Vec<ErrorKind>, String> {
    Ok(match value {
        "Abort" => vec![ErrorKind::Abort],
        "Assert" => vec![ErrorKind::Assertion],
        "Exec" => vec![ErrorKind::Unsupported],
        "External" => vec![ErrorKind::Undefined],
        "Free" => vec![ErrorKind::Free],
        "Overflow" => vec![ErrorKind::Overshift, ErrorKind::Sanitizer],
        "Ptr" => vec![ErrorKind::OutOfBounds, ErrorKind::Null, ErrorKind::UseAfterFree],
        "ReadOnly" => vec![ErrorKind::ReadOnly],
        "ReportError" | "User" => vec![ErrorKind::User],
        "UncaughtException" | "UnexpectedException" => vec![ErrorKind::Abort],
        "BadVectorAccess" | "InvalidBuiltin" | "ImplicitTruncation" | "ImplicitConversion"
        | "UnreachableCall" | "MissingReturn" | "InvalidLoad" | "NullableAttribute" => {
            vec![ErrorKind::Sanitizer]
        }
        "Model" => vec![ErrorKind::Model],
        _ => return Err("Abort, Assert, Exec, External, Free, Overflow, Ptr, ReadOnly, ReportError or User is expected".into()),
    })
}

/// The tests in a folder, in the order of their names.
fn tests_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("cannot read `{}`: {error}", folder.display()))?;
    let mut tests: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "ktest")
        })
        .collect();
    tests.sort();
    match tests.is_empty() {
        true => Err(format!("`{}` has no .ktest files", folder.display())),
        false => Ok(tests),
    }
}

/// A `.path` file: a line `0` or `1` for each branch.
fn path_bits(file: &Path) -> Result<Arc<[bool]>, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
    let bits = text.lines().map(|line| match line.trim() {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(format!(
            "`{other}` in `{}` is neither 0 nor 1",
            file.display()
        )),
    });
    bits.collect::<Result<Vec<bool>, String>>().map(Arc::from)
}

fn order(value: &str) -> Result<Order, String> {
    Ok(match value {
        "dfs" => Order::Dfs,
        "bfs" => Order::Bfs,
        "random-path" => Order::RandomPath,
        "random-state" => Order::RandomState,
        "nurs:covnew" | "nurs:md2u" => Order::CoveredNew,
        "nurs:depth" => Order::Depth,
        "nurs:rp" => Order::Shallow,
        "nurs:icnt" | "nurs:cpicnt" => Order::FewInstructions,
        "nurs:qc" => Order::CheapQueries,
        _ => {
            return Err(
                "dfs, bfs, random-path, random-state or nurs:covnew|md2u|depth|rp|icnt|cpicnt|qc is expected".into(),
            );
        }
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
    fn an_ignored_flag_does_not_swallow_the_program() {
        for (flag, count) in [
            ("--use-merge", 1),
            ("-kdalloc-quarantine=1", 1),
            ("--watchdog", 1),
        ] {
            let request = parse(&strings(&[flag, "a.bc", "x"])).unwrap();
            assert_eq!(request.options.files, [PathBuf::from("a.bc")], "{flag}");
            assert_eq!(request.options.args.len(), count);
        }
        let request = parse(&strings(&["--seed-time", "5", "a.bc"])).unwrap();
        assert_eq!(request.options.files, [PathBuf::from("a.bc")]);
        assert_eq!(request.ignored, ["--seed-time"]);
    }

    #[test]
    fn the_tables_of_flags_are_sorted_for_the_search() {
        assert!(SWITCHES.is_sorted() && VALUES.is_sorted());
    }

    #[test]
    fn wrong_values_are_refused() {
        for wrong in [
            &["--search=up", "a.bc"][..],
            &["--max-time=x", "a.bc"],
            &["--use-cex-cache=7", "a.bc"],
            &["--max-forks=1"],
            &["--no-such-flag", "a.bc"],
            &["--search=nurs:nothing", "a.bc"],
            &["--external-calls=some", "a.bc"],
            &["--entry-point=", "a.bc"],
            &["--max-forks"],
        ] {
            assert!(parse(&strings(wrong)).is_err(), "{wrong:?}");
        }
    }
}
