//! Every command and option, defined once.

use crate::commands;
use crate::shared::{CheckCache, SharedOptions};
use crate::version;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Check programs once: symbolic execution, verification and run-time checks with verdicts that stand.
#[derive(Parser, Debug)]
#[command(name = "stet", version = version::NUMBER, long_version = version::LONG)]
#[command(after_help = AFTER_HELP, infer_subcommands = false, subcommand_required = true)]
pub(crate) struct Stet {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The options common to all commands.
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
}

const AFTER_HELP: &str = "\
Examples:
  stet verify program.bpl          verify a Boogie program; verdicts that still hold are reused
  stet explore program.c           explore all paths of a C program
  stet run program.pl -g main      run a Prolog goal with its assertions checked
  stet cache stats                 see what is stored

Exit codes: 0 nothing found, 1 findings, 2 usage or unreadable input, 3 inconclusive,
101 internal error, 130 interrupted.
Every option can also be set by a STET_* variable or in stet.toml.";

/// The commands.
#[derive(Subcommand, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one value of it, made once"
)]
pub(crate) enum Command {
    /// Explore C, C++, Rust or LLVM IR by symbolic execution.
    Explore(Box<commands::explore::Options>),
    /// Verify Boogie and Dafny programs.
    Verify(commands::verify::Options),
    /// Run Prolog with assertions checked at run time.
    Run(commands::run::Options),
    /// Print which assertions of Prolog files hold in every run.
    Check(commands::check::Options),
    /// Verify with Boogie's options, messages and trailer.
    Boogie(commands::boogie::Options),
    /// Verify with Dafny's commands, options, messages and exit codes.
    Dafny(commands::dafny::Options),
    /// Explore with KLEE's options, files and messages.
    Klee(commands::klee::Options),
    /// Explore with KLEE's options, beginning with the path that the given arguments, files and standard input take.
    KleeZesti(commands::klee::Options),
    /// Serve an editor: verdicts while you type (Language Server Protocol).
    Lsp(commands::lsp::Options),
    /// Check files whenever they are saved, and show the result in the terminal.
    Watch(commands::watch::Options),
    /// Serve language models: verify, explore, run, explain and why as tools (Model Context Protocol).
    Mcp(commands::mcp::Options),
    /// Run a program natively on a recorded test case.
    Replay(commands::replay::Options),
    /// Run an executable on tests with symbolic arguments, files and streams.
    KleeReplay(commands::klee_replay::Options),
    /// Show the statistics of output directories.
    KleeStats(commands::klee_stats::Options),
    /// Show test files.
    KtestTool(commands::ktest_tool::Options),
    /// Compile C as usual, and keep LLVM IR for `stet explore`.
    Cc(commands::cc::Options),
    /// Compile C++ as usual, and keep LLVM IR for `stet explore`.
    #[command(name = "c++")]
    Cxx(commands::cc::Options),
    /// Explore or verify parts of programs for other machines.
    Worker(commands::worker::Options),
    /// Inspect and maintain the store of verdicts.
    Cache(commands::cache::Options),
    /// Show the tools Stet finds, and how to get those that are missing.
    Doctor(commands::doctor::Options),
    /// Build the C library, and the C++ library, for explored programs.
    Setup(commands::setup::Options),
    /// Explain a diagnostic code.
    Explain(commands::explain::Options),
    /// Run the benchmark programs.
    Bench(commands::bench::Options),
    /// Print a completion script for a shell.
    Completions(commands::completions::Options),
    /// Print the manual page.
    Man(commands::man::Options),
    /// Make Stet misbehave, for its own tests.
    #[command(hide = true)]
    Debug(commands::debug::Options),
}

/// The options common to all commands.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Common options")]
pub(crate) struct GlobalOptions {
    /// How to print what was found.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "FORMAT",
        default_value = "full"
    )]
    pub(crate) format: Format,
    /// What to do with stored verdicts.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "MODE",
        default_value = "read-write"
    )]
    pub(crate) cache: CacheMode,
    /// The file of stored verdicts [default: stet/store.db in the user's cache directory], or the URL of a shared store.
    #[arg(long, global = true, value_name = "PATH|URL")]
    pub(crate) store: Option<PathBuf>,
    /// The size the file of stored verdicts is kept below, e.g. `500M`.
    #[arg(long, global = true, value_name = "SIZE", default_value = "2G")]
    pub(crate) store_limit: ByteSize,
    /// Recompute reused verdicts and stop at a difference: all of them, or a random share (`sample:1%`).
    #[arg(
        long,
        global = true,
        value_name = "SHARE",
        num_args = 0..=1,
        require_equals = true,
        default_value = "off",
        default_missing_value = "all"
    )]
    pub(crate) check_cache: CheckCache,
    /// How many workers to use [default: one per processor].
    #[arg(long, global = true, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Stop after this many seconds with what was found so far.
    #[arg(long, global = true, value_name = "SECONDS")]
    pub(crate) time_limit: Option<Seconds>,
    /// Stop when Stet itself takes more memory, e.g. `4G` [default: nine tenths of the machine's].
    #[arg(long, global = true, value_name = "SIZE")]
    pub(crate) memory_limit: Option<ByteSize>,
    /// Write results to this file instead of the standard output.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// When to use colours.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub(crate) color: Color,
    /// Print findings and asked-for answers only.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more about what is done; twice for still more.
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Options about the shared store.
    #[command(flatten)]
    pub(crate) shared: SharedOptions,
}

/// How to print what was found.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// Source excerpts with carets.
    Full,
    /// One line each.
    Concise,
    /// One JSON value (docs/schema/diagnostics.schema.json).
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    Junit,
    /// A summary for pull requests.
    Markdown,
}

impl Format {
    /// The whole report in a structured format; `None` for text, which is printed as results come.
    pub(crate) fn document(self, report: &stet_diag::Report<'_>) -> Option<String> {
        Some(match self {
            Format::Full | Format::Concise => return None,
            Format::Json => format!("{:#}", stet_diag::json(report)),
            Format::Sarif => format!("{:#}", stet_diag::sarif(report)),
            Format::Junit => stet_diag::junit(report),
            Format::Markdown => stet_diag::markdown(report),
        })
    }
}

/// What to do with stored verdicts.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CacheMode {
    /// Reuse them and add new ones.
    ReadWrite,
    /// Reuse them, add none.
    ReadOnly,
    /// Reuse them and fail if one is missing.
    Enforce,
    /// Neither reuse nor add.
    Off,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes this the behaviour of the standard streams.
    pub(crate) fn apply(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// A number of seconds, not negative and finite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Seconds(pub(crate) f64);

impl std::str::FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(Seconds(seconds)),
            _ => Err("a number of seconds between 0 and 1e9 is expected".to_owned()),
        }
    }
}

/// The size of a part of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PartSize(pub(crate) u64);

impl std::str::FromStr for PartSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<ByteSize>() {
            Ok(ByteSize(size)) if size > 0 && size.is_multiple_of(8) => Ok(PartSize(size)),
            _ => Err("a size that is a multiple of eight bytes is expected".to_owned()),
        }
    }
}

/// A number of bytes, given as `1048576`, `1024K`, `1M` or `1G`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ByteSize(pub(crate) u64);

impl std::str::FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => Some(0),
            "K" | "KB" | "KIB" => Some(10),
            "M" | "MB" | "MIB" => Some(20),
            "G" | "GB" | "GIB" => Some(30),
            _ => None,
        };
        let number = digits.parse::<u64>().ok();
        number
            .zip(shift)
            .and_then(|(number, shift)| number.checked_mul(1 << shift))
            .map(ByteSize)
            .ok_or_else(|| "a size such as 500M or 2G is expected".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_seconds() {
        let size = |text: &str| text.parse::<ByteSize>().ok().map(|size| size.0);
        assert_eq!(size("12"), Some(12));
        assert_eq!(size("3k"), Some(3072));
        assert_eq!(size("2GiB"), Some(2 << 30));
        for wrong in ["", "M", "1.5G", "99999999999G", "-1", "1T", "é"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
        let seconds = |text: &str| text.parse::<Seconds>().ok().map(|seconds| seconds.0);
        assert_eq!(seconds("1.5"), Some(1.5));
        for wrong in ["", "-1", "nan", "inf", "1s"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_definitions_are_consistent() {
        <Stet as clap::CommandFactory>::command().debug_assert();
    }
}
