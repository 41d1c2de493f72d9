//! `stet explore`: explore C, C++, Rust or LLVM IR by symbolic execution.

pub(crate) mod collect;
mod database;
pub(crate) mod directory;
pub(crate) mod environment;
pub(crate) mod external;
pub(crate) mod inputs;
mod jobs;
mod link;
pub(crate) mod package;
mod runtime;
pub(crate) mod rust;
pub(crate) mod seeding;
mod statistics;
mod suite;
pub(crate) mod toolchain;
pub(crate) mod workers;
mod writer;

use crate::exit::ExitStatus;
use crate::options::{ByteSize, CacheMode as StoreMode, PartSize, Seconds};
use crate::report::explore::Gathered;
use crate::session::Session;
use clap::ValueEnum;
use collect::{Collector, Totals};
use directory::Directory;
use environment::{Environment, HostRoot};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use stet_base::Budget;
use stet_diag::Diagnostic;
use stet_explore::query::{CacheMode, Config as QueryConfig, Naming, Narrowing};
use stet_explore::{
    Allocator, Config, Engine, Halt, Limits, MemoryModel, Overshift, ProgramError, Request, Search,
    Split, StopAt, Summary,
};

const EXAMPLES: &str = "\
Examples:
  stet explore program.c                       all paths of main, with the C library linked in
  stet explore --entry check --libc none a.ll  one function of a module
  stet explore program.c -- first second       with arguments of the program
  stet explore cat.c --sym-args 0 2 3 --sym-stdin 8 --sym-file A=16
                                               with symbolic arguments, input and a symbolic file
  stet explore main.rs                         a Rust program, or its functions marked #[stet::explore]
  stet explore build/compile_commands.json     a project, with the flags of its own build
  stet explore --output-dir out program.c      tests and statistics in files
More: docs/EXPLORE.md";

/// Options of `stet explore`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// C, C++, LLVM IR text (.ll) or bitcode (.bc), several of which are linked; or one Rust program (.rs) or package (Cargo.toml). With a compile_commands.json, C and C++
    /// are compiled with its flags: the files named beside it, or all it lists.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Let workers explore: a Redis server where they meet (`stet worker URL`).
    #[arg(long, value_name = "URL", help_heading = "Input")]
    pub(crate) workers: Option<String>,
    /// Arguments of the explored program.
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) args: Vec<String>,
    /// The function to start at.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "main",
        help_heading = "Input"
    )]
    pub(crate) entry: String,
    /// The C library that is linked [default: musl to C, none to LLVM IR].
    #[arg(long, value_enum, help_heading = "Input")]
    pub(crate) libc: Option<Libc>,
    /// The compiler for C input [default: clang, clang-19, … on the path].
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub(crate) clang: Option<PathBuf>,
    /// A further flag for the compiler; may be repeated.
    #[arg(
        long,
        value_name = "FLAG",
        allow_hyphen_values = true,
        help_heading = "Input"
    )]
    pub(crate) cflag: Vec<String>,
    /// How much the compiler optimises; 0 keeps every error the source has.
    #[arg(long, value_name = "LEVEL", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Input")]
    pub(crate) opt_level: u8,
    /// Search strategy; several are interleaved.
    #[arg(
        long,
        value_enum,
        value_name = "ORDER",
        value_delimiter = ',',
        default_value = "dfs",
        help_heading = "Exploration"
    )]
    pub(crate) search: Vec<Order>,
    /// Seed for randomised searches.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        help_heading = "Exploration"
    )]
    pub(crate) seed: u64,
    /// Which queries are answered from earlier ones.
    #[arg(
        long,
        value_enum,
        value_name = "MODE",
        default_value = "address-aware",
        help_heading = "Queries"
    )]
    pub(crate) query_cache: QueryCache,
    /// Whether the address-aware cache also ignores the names of symbolic objects.
    #[arg(
        long,
        value_enum,
        value_name = "SWITCH",
        default_value = "on",
        help_heading = "Queries"
    )]
    pub(crate) rename_symbols: Switch,
    /// Counterexample cache: answer queries from stored answers to their subsets and supersets.
    #[arg(
        long,
        value_enum,
        value_name = "SWITCH",
        default_value = "on",
        help_heading = "Queries"
    )]
    pub(crate) cex_cache: Switch,
    /// Constraint independence: leave constraints out that share no symbols with the query.
    #[arg(
        long,
        value_enum,
        value_name = "SWITCH",
        default_value = "on",
        help_heading = "Queries"
    )]
    pub(crate) slicing: Switch,
    /// When queries are simplified under the possible values of single bytes.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "aware",
        help_heading = "Queries"
    )]
    pub(crate) narrowing: NarrowingChoice,
    /// How addresses are chosen.
    #[arg(
        long,
        value_enum,
        value_name = "POLICY",
        default_value = "per-state",
        help_heading = "Exploration"
    )]
    pub(crate) allocator: Policy,
    /// Whether a pointer that may mean several objects forks the path or merges the objects.
    #[arg(
        long,
        value_enum,
        value_name = "MODEL",
        default_value = "forking",
        help_heading = "Exploration"
    )]
    pub(crate) memory_model: Model,
    /// Lay merged objects out by where they were allocated, so that segments of other paths look alike.
    #[arg(long, help_heading = "Exploration")]
    pub(crate) segment_reuse: bool,
    /// Split large objects where they are accessed at a symbolic offset: more paths, smaller queries.
    #[arg(long, help_heading = "Exploration")]
    pub(crate) split_objects: bool,
    /// With `--split-objects`: objects larger than this are split.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "256",
        help_heading = "Exploration"
    )]
    pub(crate) split_threshold: ByteSize,
    /// With `--split-objects`: the size of a part, a multiple of eight bytes.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "128",
        help_heading = "Exploration"
    )]
    pub(crate) partition_size: PartSize,
    /// Solve every query that was answered from a cache again, and compare.
    #[arg(long, help_heading = "Queries")]
    pub(crate) validate_cache: bool,
    /// Stop after this many instructions.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_instructions: Option<u64>,
    /// Fork at most this often.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_forks: Option<u64>,
    /// Fork at most this often on one path.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_depth: Option<u32>,
    /// Keep at most this many states.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_states: Option<usize>,
    /// Give up states, then stop, when the process takes more memory than this.
    #[arg(long, value_name = "SIZE", help_heading = "Limits")]
    pub(crate) max_memory: Option<ByteSize>,
    /// Stop after this many paths.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_paths: Option<u64>,
    /// The time for one query of the solver, in seconds.
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub(crate) solver_time: Option<Seconds>,
    /// Where shifts by the width or more are reported.
    #[arg(
        long,
        value_enum,
        value_name = "WHERE",
        default_value = "unoptimized",
        help_heading = "Exploration"
    )]
    pub(crate) overshift: Shifts,
    /// Stop at the first error.
    #[arg(long, help_heading = "Exploration")]
    pub(crate) stop_at_error: bool,
    /// Write tests and statistics as KLEE does, into this new directory.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Write a report as static pages into this directory, with coverage for lcov.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// Inputs to begin with.
    #[command(flatten)]
    pub(crate) seeding: seeding::Seeding,
    /// The program's environment.
    #[command(flatten)]
    pub(crate) environment: Environment,
    /// Functions that are defined nowhere.
    #[command(flatten)]
    pub(crate) external: external::External,
    /// Functions that are kept although nothing calls them.
    #[arg(skip)]
    pub(crate) keep: Vec<String>,
    /// Show what the program prints.
    #[arg(long, help_heading = "Output")]
    pub(crate) program_output: bool,
}

/// The C library.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Libc {
    /// musl as LLVM IR, built by `stet setup`.
    Musl,
    /// None.
    None,
}

/// Orders of exploration.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Depth first.
    Dfs,
    /// Breadth first.
    Bfs,
    /// Random walks from the root of the tree of forks.
    RandomPath,
    /// A random state.
    RandomState,
    /// States that covered something new.
    #[value(name = "nurs:covnew", alias = "nurs:md2u")]
    CoveredNew,
    /// Random, likelier the deeper.
    #[value(name = "nurs:depth")]
    Depth,
    /// Random, half as likely with every fork.
    #[value(name = "nurs:rp")]
    Shallow,
    /// Random, likelier the fewer instructions a state executed.
    #[value(name = "nurs:icnt", alias = "nurs:cpicnt")]
    FewInstructions,
    /// Random, likelier the fewer constraints a state has.
    #[value(name = "nurs:qc")]
    CheapQueries,
    /// Iterative deepening: depth first up to a number of forks, which is doubled when all such states have ended.
    Deepening,
    /// random-path and nurs:covnew in turn, as KLEE.
    Default,
}

/// Which queries are answered from earlier ones.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QueryCache {
    /// None.
    Off,
    /// Equal ones.
    Base,
    /// Those equal up to the addresses of objects.
    AddressAware,
}

/// When queries are simplified under possible values.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NarrowingChoice {
    /// Never.
    Off,
    /// With the address-aware cache.
    Aware,
    /// With every cache.
    All,
}

/// On or off.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// Where shifts by the width or more are reported.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shifts {
    /// Everywhere.
    Report,
    /// In code that was not optimised.
    Unoptimized,
    /// Nowhere.
    Ignore,
}

/// How addresses are chosen.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Policy {
    /// One counter for all states.
    Bump,
    /// One counter per state.
    PerState,
}

/// What happens where a pointer may mean several objects.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Model {
    /// Each object is followed on a path of its own.
    Forking,
    /// The objects are merged into a segment, and one path goes on.
    Segmented,
}

/// The orders an option stands for.
pub(crate) fn searches(orders: &[Order]) -> Vec<Search> {
    let each = |order: &Order| match order {
        Order::Dfs => vec![Search::Dfs],
        Order::Bfs => vec![Search::Bfs],
        Order::RandomPath => vec![Search::RandomPath],
        Order::RandomState => vec![Search::RandomState],
        Order::CoveredNew => vec![Search::CoveredNew],
        Order::Depth => vec![Search::Depth],
        Order::Shallow => vec![Search::Shallow],
        Order::FewInstructions => vec![Search::FewInstructions],
        Order::CheapQueries => vec![Search::CheapQueries],
        Order::Deepening => vec![Search::Deepening],
        Order::Default => vec![Search::RandomPath, Search::CoveredNew],
    };
    orders.iter().flat_map(each).collect()
}

/// The engine's configuration.
pub(crate) fn configuration(session: &Session, options: &Options) -> Config {
    let name = options
        .files
        .first()
        .map_or_else(String::new, |file| file.display().to_string());
    let mut args = vec![name];
    args.extend(options.args.iter().cloned());
    let root = options.environment.root.as_deref();
    Config {
        entry: options.entry.clone(),
        args,
        environment: options.environment.env.clone(),
        root: root.map(HostRoot::shared),
        search: searches(&options.search),
        seed: options.seed,
        allocator: match options.allocator {
            Policy::Bump => Allocator::Bump,
            Policy::PerState => Allocator::PerState,
        },
        memory: match options.memory_model {
            Model::Forking => MemoryModel::Forking,
            Model::Segmented => MemoryModel::Segmented {
                reuse: options.segment_reuse,
            },
        },
        split: options.split_objects.then_some(Split {
            threshold: options.split_threshold.0,
            part: options.partition_size.0,
        }),
        limits: Limits {
            instructions: options.max_instructions,
            forks: options.max_forks,
            depth: options.max_depth,
            states: options.max_states,
            memory: options.max_memory.map(|size| size.0),
            paths: options.max_paths,
        },
        query: QueryConfig {
            query_cache: match options.query_cache {
                QueryCache::Off => CacheMode::Off,
                QueryCache::Base => CacheMode::Base,
                QueryCache::AddressAware => CacheMode::AddressAware,
            },
            counterexample_cache: options.cex_cache == Switch::On,
            slicing: options.slicing == Switch::On,
            narrowing: match options.narrowing {
                NarrowingChoice::Off => Narrowing::Off,
                NarrowingChoice::Aware => Narrowing::Aware,
                NarrowingChoice::All => Narrowing::All,
            },
            naming: match options.rename_symbols {
                Switch::On => Naming::Renamed,
                Switch::Off => Naming::Exact,
            },
            validate: options.validate_cache || session.check_cache(),
            solver_time: options
                .solver_time
                .map(|time| Duration::from_secs_f64(time.0)),
        },
        overshift: match options.overshift {
            Shifts::Report => Overshift::Report,
            Shifts::Unoptimized => Overshift::Unoptimized,
            Shifts::Ignore => Overshift::Ignore,
        },
        stop_at: match options.stop_at_error {
            true => StopAt::AnyError,
            false => StopAt::Nothing,
        },
        external: options.external.config(),
        memory_used: Some(crate::watchdog::resident),
        ..Config::standard()
    }
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let symbolic = match options.environment.arguments() {
        Ok(symbolic) => symbolic,
        Err(message) => {
            session.report(Diagnostic::error("cli/usage", message));
            return ExitStatus::Usage;
        }
    };
    if suite::is_rust(options) {
        return suite::execute(session, options, &symbolic);
    }
    let seeds = match options.seeding.read(&options.environment) {
        Ok(seeds) => seeds,
        Err(message) => {
            session.report(Diagnostic::error("explore/seed", message));
            return ExitStatus::Usage;
        }
    };
    let Some(input) = toolchain::modules(session, options) else {
        return ExitStatus::Usage;
    };
    if !symbolic.is_empty() && !input.has_libc {
        let message = "symbolic arguments, files and streams need the C library";
        let diagnostic = Diagnostic::error("explore/no-libc", message);
        session.report(diagnostic.with_note("say --libc musl, or leave out the --sym options"));
        return ExitStatus::Usage;
    }
    let recorded: Vec<String> = options.args.iter().chain(&symbolic).cloned().collect();
    let directory = match &options.output_dir {
        None => None,
        Some(path) => match Directory::create(path, &input, &recorded) {
            Ok(directory) => Some(directory),
            Err(error) => {
                let message = format!("cannot create `{}`: {error}", path.display());
                session.report(Diagnostic::error("explore/output", message));
                return ExitStatus::Usage;
            }
        },
    };
    let mut config = configuration(session, options);
    config.seeds = seeds;
    if input.has_libc {
        config.args.truncate(1);
        config.args.extend(environment::quoted(&options.args));
        config.args.extend(symbolic);
    }
    let budget = session.budget().clone();
    let mut manner = Manner::stet();
    if let Some(path) = &options.report {
        config.recording.lines = true;
        config.recording.profile = true;
        let own = input.program.own_texts();
        manner.report = Some(Arc::new(Mutex::new(Gathered::new(path, own))));
    }
    let report = manner.report.clone();
    let (status, found) = run(
        session,
        input,
        &config,
        directory,
        options.program_output,
        manner,
        &budget,
    );
    let (Some(report), Some((summary, totals))) = (report, found) else {
        return status;
    };
    let gathered = std::mem::take(&mut *report.lock().unwrap_or_else(PoisonError::into_inner));
    match gathered.write(session, &summary, &totals) {
        Ok(()) => status,
        Err(diagnostic) => {
            session.report(*diagnostic);
            ExitStatus::Usage
        }
    }
}

/// How what is found is told and written.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) voice: Voice,
    /// Every error gets a test, also a second one at the same place.
    pub(crate) all_errors: bool,
    /// Paths that cover nothing new get no test.
    pub(crate) only_covering_new: bool,
    /// No tests are written.
    pub(crate) no_tests: bool,
    /// States that are left when a limit is reached get tests.
    pub(crate) dump_states: bool,
    /// The newest error of these kinds, or of any if there are none, is kept as text.
    pub(crate) last_error: Option<Vec<stet_explore::ErrorKind>>,
    /// At most this many tests are written.
    pub(crate) max_tests: Option<u64>,
    /// How instructions are traced, and whether into a file.
    pub(crate) trace: Option<(Trace, bool)>,
    /// Tests as XML, with the program's name and digest.
    pub(crate) xml: Option<(String, String)>,
    /// What is gathered for a report.
    pub(crate) report: Option<Arc<Mutex<Gathered>>>,
}

impl Manner {
    /// Stet's own.
    pub(crate) fn stet() -> Self {
        Manner {
            voice: Voice::Stet,
            all_errors: false,
            only_covering_new: false,
            no_tests: false,
            dump_states: true,
            last_error: None,
            max_tests: None,
            trace: None,
            xml: None,
            report: None,
        }
    }
}

/// How much of each instruction is traced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trace {
    /// Place and text.
    All,
    /// Its place in the source.
    Source,
    /// Its number.
    Compact,
}

/// Whose words are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Voice {
    /// Stet's diagnostics.
    Stet,
    /// KLEE's lines.
    Klee,
}

/// Explores and reports.
pub(crate) fn run(
    session: &mut Session,
    input: toolchain::Input,
    config: &Config,
    directory: Option<Directory>,
    program_output: bool,
    manner: Manner,
    budget: &Budget,
) -> (ExitStatus, Option<(Summary, Totals)>) {
    let store = match session.options.cache {
        StoreMode::Off => None,
        _ => Some(session.store().clone()),
    };
    let voice = manner.voice;
    let program = input.name.clone();
    // one thread unless more are asked for: their report is the same, but comes at the end
    let jobs = session.options.jobs.map_or(1, usize::from);
    let trust = input
        .workers
        .as_ref()
        .map(|_| workers::trusted(&session.options));
    let mut collector = Collector::new(
        session,
        directory,
        program_output,
        manner,
        config.args.clone(),
    );
    collector.without_library = !input.has_libc;
    if let (Some(url), Some(trust)) = (input.workers.clone(), trust) {
        let explored =
            trust.and_then(|t| workers::explore(&url, t, &input, config, budget, &mut collector));
        return match explored {
            Ok(summary) => {
                let outcome = collector.finish(&summary);
                conclude(session, &program, summary, outcome, voice)
            }
            Err(diagnostic) => {
                collector.abandon();
                session.report(*diagnostic);
                (ExitStatus::Usage, None)
            }
        };
    }
    if jobs > 1 && voice == Voice::Stet {
        collector.write_in_parallel(jobs);
        let explored = jobs::explore(jobs, input, config, store.as_ref(), budget, &mut collector);
        return match explored {
            Ok(summary) => {
                let outcome = collector.finish(&summary);
                conclude(session, &program, summary, outcome, voice)
            }
            Err(diagnostic) => {
                collector.abandon();
                session.report(*diagnostic);
                (ExitStatus::Usage, None)
            }
        };
    }
    let request = Request {
        input: input.program,
        config,
        store,
        budget,
        part: None,
    };
    let explored = Engine::new().explore(request, &mut collector);
    let summary = match explored {
        Ok(summary) => summary,
        Err(error) => {
            collector.abandon();
            if let (Voice::Klee, ProgramError::NoEntry(entry)) = (voice, &error) {
                let message = format!("KLEE: ERROR: Entry function '{entry}' not found in module.");
                crate::output::error_line(&message);
                return (ExitStatus::Usage, None);
            }
            if let (Voice::Klee, ProgramError::Alias(why)) = (voice, &error) {
                crate::output::error_line(&format!("KLEE: ERROR: {why}"));
                return (ExitStatus::Usage, None);
            }
            session.report(error.diagnostic());
            let status = match error {
                ProgramError::Interrupted => {
                    session.set_result(serde_json::json!({ "complete": false }));
                    ExitStatus::Inconclusive
                }
                _ => ExitStatus::Usage,
            };
            return (status, None);
        }
    };
    let outcome = collector.finish(&summary);
    conclude(session, &program, summary, outcome, voice)
}

/// Publishes what came of an exploration.
fn conclude(
    session: &mut Session,
    program: &str,
    summary: Summary,
    outcome: Totals,
    voice: Voice,
) -> (ExitStatus, Option<(Summary, Totals)>) {
    statistics::publish(session, program, &summary, &outcome, voice);
    let status = status(session, &summary, &outcome);
    (status, Some((summary, outcome)))
}

fn status(session: &mut Session, summary: &Summary, outcome: &Totals) -> ExitStatus {
    if let Some(mismatch) = summary.mismatches.first() {
        let message = format!(
            "the {} cache said {} where the solver says {}",
            mismatch.layer, mismatch.cached, mismatch.solved
        );
        let key = mismatch.key.map(|key| key.to_hex()).unwrap_or_default();
        let blame = session.blame(&key);
        session.report(Diagnostic::error("explore/cache-mismatch", message).with_note(blame));
        return ExitStatus::Internal;
    }
    if summary.halt == Halt::Interrupted {
        return ExitStatus::Interrupted;
    }
    if outcome.errors > 0 {
        return ExitStatus::Findings;
    }
    match statistics::is_complete(summary, outcome) {
        true => ExitStatus::Clean,
        false => ExitStatus::Inconclusive,
    }
}
