//! `stet run`: Prolog programs, run or explored at the top level.
//!
//! With `-g` goals are run in order and the exit code is Prolog's: 0 true, 1 false, 2 exception or violated
//! assertion. Without goals the files are loaded and the top level opens; a program that declares
//! `initialization(main, main)` runs its main goal instead.

pub(crate) mod checks;
pub(crate) mod host;
mod toplevel;

use crate::exit::ExitStatus;
use crate::session::Session;
use crate::{input, interrupt};
use host::{Console, Hosts};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stet_diag::Diagnostic;
use stet_run::{
    After, Answer, Config, Event, Interaction, Machine, Outcome, Quotes, Request, RunError, Tools,
};

const EXAMPLES: &str = "\
Examples:
  stet run program.pl                          the top level, with the program loaded
  stet run program.pl -g main                  one goal; exit code 0 true, 1 false, 2 exception or violation
  stet run --checks off program.pl -g main     without run-time checks
  stet run --test program.pl                   the test assertions of a file
  stet run --test --test-filter queue *.pl     those whose predicate, comment or file contains a text
More: docs/RUN.md";

/// Options of `stet run`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Prolog files to load.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Run this goal after loading; may be repeated.
    #[arg(short = 'g', long = "goal", value_name = "GOAL")]
    goals: Vec<String>,
    /// What follows the goals: `halt`, or `prolog` for the top level.
    #[arg(short = 't', long = "toplevel", value_name = "WHAT")]
    toplevel: Option<String>,
    /// The most memory terms and stacks may take, e.g. `512M`.
    #[arg(long, value_name = "SIZE", default_value = "8G")]
    memory: String,
    /// What `"…"` is in goals, and in files that neither set the flag `double_quotes` nor name Ciao packages, which read codes.
    #[arg(long, value_name = "KIND", value_enum, default_value_t = DoubleQuotes::String)]
    double_quotes: DoubleQuotes,
    #[command(flatten)]
    check: checks::CheckOptions,
    /// Collect garbage at every so many opportunities, to find errors in the collector.
    #[arg(long, value_name = "N", default_value_t = 0, hide = true)]
    gc_stress: u32,
    /// Print where the calls were made; with a file, also write it there in the format of Callgrind.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    profile: Option<Option<PathBuf>>,
    /// Write which clauses ran, and how often, to a file in the format of `lcov`.
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    /// Print what was counted at the end.
    #[arg(long)]
    stats: bool,
    /// Write a report of the checks as static pages into this directory.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Arguments of the program.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// Values of `--double-quotes`.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum DoubleQuotes {
    /// A list of character codes.
    Codes,
    /// A list of one-character atoms.
    Chars,
    /// An atom.
    Atom,
    /// A string object.
    String,
}

impl DoubleQuotes {
    fn quotes(self) -> Quotes {
        match self {
            DoubleQuotes::Codes => Quotes::Codes,
            DoubleQuotes::Chars => Quotes::Chars,
            DoubleQuotes::Atom => Quotes::Atom,
            DoubleQuotes::String => Quotes::String,
        }
    }
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let Some(memory) = parse_size(&options.memory) else {
        let message = format!("`{}` is not a size", options.memory);
        session.report(Diagnostic::error("cli/usage", message));
        return ExitStatus::Usage;
    };
    for file in &options.files {
        if !input::is_readable(file) {
            session.report(input::unusable(file));
            return ExitStatus::Usage;
        }
    }
    let budget = session.budget().clone();
    let settings = options.check.settings(
        session.check_cache(),
        session.is_text(),
        options.stats || options.report.is_some(),
    );
    let console = Arc::new(Mutex::new(Console::new(
        !session.is_text() && session.output.is_standard(),
    )));
    let hosts = Hosts::new(&console);
    let files: Vec<String> = options
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let mut top_level = |machine: &mut Machine| {
        let code = toplevel::run(machine, &console, &budget);
        interrupt::divert(None);
        code
    };
    let request = Request {
        files: &files,
        goals: if options.is_load_only() {
            &[]
        } else {
            &options.goals
        },
        answers: 0,
        after: options.after(session.options.jobs.map_or(1, usize::from), &mut top_level),
        config: Config {
            memory: memory.max(1 << 20),
            budget: budget.clone(),
            gc_stress: options.gc_stress,
            arguments: options.arguments.clone(),
            double_quotes: options.double_quotes.quotes(),
        },
        checks: settings,
        store: settings.analyse.then(|| session.store().clone()),
        tools: Tools {
            profile: options.profile.is_some(),
            coverage: options.coverage.is_some(),
        },
    };
    let result = stet_run::run(request, &|| hosts.next(), &mut |event| {
        tell(event, &console)
    });
    flush(&console);
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(RunError::NoThread(error)) => {
            let message = format!("no thread for the machine: {error}");
            session.report(Diagnostic::error("limit/memory", message));
            return ExitStatus::Inconclusive;
        }
        Err(_) => return ExitStatus::Internal,
    };
    if options.check.print_checks {
        anstream::print!("{}", outcome.transformed);
    }
    if options.stats {
        anstream::eprintln!(
            "% {} inferences, {} collections freeing {} bytes, heap {} bytes",
            outcome.stats.inferences,
            outcome.stats.collections,
            outcome.stats.collected_words * 8,
            outcome.heap_bytes
        );
    }
    let broken = lock(&console).write_error();
    let code = options
        .write_tools(&outcome)
        .unwrap_or_else(|| outcome.ending.code());
    let code = match code {
        0 | 1 if broken => {
            anstream::eprintln!("ERROR: cannot write to the standard output");
            2
        }
        code => code,
    };
    let mut code = checks::exit_code(&outcome, code);
    if let Some(directory) = &options.report
        && let Err(diagnostic) =
            crate::report::run::write(session, directory, &checks::counted(&outcome))
    {
        session.report(*diagnostic);
        code = 2;
    }
    checks::report(outcome, session, options.stats);
    ExitStatus::Code(code)
}

impl Options {
    /// Writes what the profiler and the coverage counted; an exit code if a file cannot be written.
    fn write_tools(&self, outcome: &Outcome) -> Option<u8> {
        let mut files = Vec::new();
        if let Some((table, callgrind)) = &outcome.profile {
            anstream::eprint!("{table}");
            let file = self.profile.as_ref().and_then(Option::as_ref);
            files.extend(file.map(|file| (file, callgrind)));
        }
        files.extend(self.coverage.as_ref().zip(outcome.coverage.as_ref()));
        let mut code = None;
        for (file, text) in files {
            if let Err(error) = std::fs::write(file, text) {
                anstream::eprintln!("ERROR: cannot write {}: {error}", file.display());
                code = Some(2);
            }
        }
        code
    }

    /// Whether goals are not run: the files are transformed, or their tests are run.
    fn is_load_only(&self) -> bool {
        self.check.print_checks || self.check.test
    }

    fn after<'a>(&'a self, jobs: usize, top_level: Interaction<'a>) -> After<'a> {
        if self.check.test {
            return After::Tests {
                pattern: self.check.test_filter.clone(),
                jobs,
            };
        }
        if self.check.print_checks {
            return After::Stop;
        }
        match self.toplevel.as_deref() {
            Some("halt") => After::Main,
            Some("prolog" | "default") => After::TopLevel(top_level),
            Some(goal) => After::Goal(goal),
            None if self.goals.is_empty() => After::TopLevel(top_level),
            None => After::Main,
        }
    }
}

/// `512M`, `4G`, `1000000`.
fn parse_size(text: &str) -> Option<usize> {
    let text = text.trim();
    let (digits, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let factor = match unit
        .to_ascii_uppercase()
        .trim_end_matches("IB")
        .trim_end_matches('B')
    {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(factor)
}

pub(crate) fn flush(console: &Mutex<Console>) {
    // The console keeps the error.
    lock(console).flush().ok();
}

fn lock(console: &Mutex<Console>) -> MutexGuard<'_, Console> {
    console.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints what became of a goal that is not true.
fn tell(event: Event<'_>, console: &Mutex<Console>) {
    let Event::Answer { goal, answer } = event else {
        return;
    };
    match answer {
        Answer::False => {
            flush(console);
            anstream::eprintln!("Warning: goal failed: {goal}");
        }
        Answer::Exception { message, .. } => {
            flush(console);
            anstream::eprintln!("Warning: goal raised an exception: {message}");
        }
        Answer::True(_) | Answer::Halt(_) => {}
    }
}

#[cfg(test)]
mod size_tests {
    use super::parse_size;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("512M"), Some(512 << 20));
        assert_eq!(parse_size("4GiB"), Some(4 << 30));
        assert_eq!(parse_size("100"), Some(100));
        assert_eq!(parse_size("x"), None);
        assert_eq!(parse_size("1X"), None);
    }
}
