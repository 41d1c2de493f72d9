//! `stet run`: Prolog programs, run or explored at the top level.
//!
//! With `-g` goals are run in order and the exit code is Prolog's: 0 true, 1 false, 2 exception or violated
//! assertion. Without goals the files are loaded and the top level opens; a program that declares
//! `initialization(main, main)` runs its main goal instead.

pub(crate) mod checks;
pub(crate) mod host;
mod tests;
mod toplevel;

use crate::exit::ExitStatus;
use crate::session::Session;
use crate::{input, interrupt};
use host::{Console, SystemHost};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use stet_base::Budget;
use stet_diag::Diagnostic;
use stet_run::checks::CheckSettings;
use stet_run::{Answer, Config, Machine};
use stet_store::Store;

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
    #[command(flatten)]
    check: checks::CheckOptions,
    /// Collect garbage at every so many opportunities, to find errors in the collector.
    #[arg(long, value_name = "N", default_value_t = 0, hide = true)]
    gc_stress: u32,
    /// Print what was counted at the end.
    #[arg(long)]
    stats: bool,
    /// Arguments of the program.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// The stack of the thread that runs the machine: the compiler recurses over control constructs.
pub(crate) const STACK: usize = 256 << 20;

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let Some(memory) = parse_size(&options.memory) else {
        let message = format!("`{}` is not a size", options.memory);
        session.report(Diagnostic::error("cli/usage", message));
        return ExitStatus::Usage;
    };
    for file in &options.files {
        if !file.is_file() {
            session.report(input::unusable(file));
            return ExitStatus::Usage;
        }
    }
    let budget = session.budget().clone();
    let jobs = session.options.jobs.map_or(1, usize::from);
    let settings = options
        .check
        .settings(session.check_cache(), session.is_text(), options.stats);
    let store = settings.analyse.then(|| session.store().clone());
    let aside = !session.is_text() && session.output.is_standard();
    let result = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("machine".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                run(options, &settings, memory, &budget, (aside, jobs), store)
            });
        worker.map(|handle| handle.join())
    });
    match result {
        Ok(Ok((code, outcome))) => {
            outcome.report(session, options.stats);
            ExitStatus::Code(outcome.code(code))
        }
        Err(error) => {
            let message = format!("no thread for the machine: {error}");
            session.report(Diagnostic::error("limit/memory", message));
            ExitStatus::Inconclusive
        }
        Ok(Err(_)) => ExitStatus::Internal,
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

fn run(
    options: &Options,
    settings: &CheckSettings,
    memory: usize,
    budget: &Budget,
    (aside, jobs): (bool, usize),
    store: Option<Arc<Store>>,
) -> (u8, checks::Outcome) {
    let console = Arc::new(Mutex::new(Console::new(aside)));
    let config = Config {
        memory: memory.max(1 << 20),
        budget: budget.clone(),
        gc_stress: options.gc_stress,
        arguments: options.arguments.clone(),
    };
    let test_config = config.clone();
    let mut machine = Machine::new(config, Box::new(SystemHost::new(console.clone())));
    machine.set_checks(settings);
    if let Some(store) = store {
        machine.set_analysis_store(store);
    }
    let mut tests = None;
    let code = if options.check.print_checks || options.check.test {
        let code = load_files(options, &mut machine, &console);
        if code.is_none() && options.check.test {
            let before = machine.violations().len();
            let run = tests::Tests {
                files: &options.files,
                pattern: options.check.test_filter.clone(),
                config: test_config,
                settings,
                jobs,
                aside,
            };
            tests = Some((before, run.run(&mut machine)));
        }
        code.unwrap_or(0)
    } else {
        carry_out(options, &mut machine, &console, budget)
    };
    flush(&console);
    if options.check.print_checks {
        anstream::print!("{}", machine.transformed_program());
    }
    if options.stats {
        let stats = machine.stats();
        anstream::eprintln!(
            "% {} inferences, {} collections freeing {} bytes, heap {} bytes",
            stats.inferences,
            stats.collections,
            stats.collected_words * 8,
            machine.heap_used() * 8
        );
    }
    let outcome = checks::Outcome::of(&machine, tests);
    let broken = console.lock().unwrap_or_else(PoisonError::into_inner);
    let code = match (code, broken.write_error()) {
        (0 | 1, true) => {
            anstream::eprintln!("ERROR: cannot write to the standard output");
            2
        }
        _ => code,
    };
    (code, outcome)
}

pub(crate) fn flush(console: &Mutex<Console>) {
    console
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .flush()
        .ok();
}

/// Loads the files; an exit code if that ends the run.
fn load_files(
    options: &Options,
    machine: &mut Machine,
    console: &Arc<Mutex<Console>>,
) -> Option<u8> {
    for file in &options.files {
        let path = machine.quote(&file.display().to_string());
        match report(machine.perform(&format!("consult({path})")), console) {
            Ending::True => {}
            Ending::False => return Some(1),
            Ending::Exception => return Some(2),
            Ending::Halt(code) => return Some(code),
        }
    }
    None
}

fn carry_out(
    options: &Options,
    machine: &mut Machine,
    console: &Arc<Mutex<Console>>,
    budget: &Budget,
) -> u8 {
    if let Some(code) = load_files(options, machine, console) {
        return code;
    }
    for goal in &options.goals {
        match report(machine.perform(goal), console) {
            Ending::True => {}
            Ending::False => {
                flush(console);
                anstream::eprintln!("Warning: goal failed: {goal}");
                return 1;
            }
            Ending::Exception => return 2,
            Ending::Halt(code) => return code,
        }
    }
    let interactive = match options.toplevel.as_deref() {
        Some("halt") => false,
        Some("prolog" | "default") => true,
        Some(goal) => {
            return match report(machine.perform(goal), console) {
                Ending::True => 0,
                Ending::False => 1,
                Ending::Exception => 2,
                Ending::Halt(code) => code,
            };
        }
        None => options.goals.is_empty(),
    };
    if interactive {
        if let Some(code) = main_goal(machine, console) {
            return code;
        }
        let code = toplevel::run(machine, console, budget);
        interrupt::divert(None);
        return code;
    }
    main_goal(machine, console).unwrap_or(0)
}

/// The goal of `initialization(main, main)`, if a file declared one.
fn main_goal(machine: &mut Machine, console: &Arc<Mutex<Console>>) -> Option<u8> {
    match machine.perform("nb_current('$main_goal', _)") {
        Answer::True(_) => {}
        _ => return None,
    }
    Some(
        match report(
            machine.perform("nb_getval('$main_goal', G), call(G)"),
            console,
        ) {
            Ending::True => 0,
            Ending::False => 1,
            Ending::Exception => 2,
            Ending::Halt(code) => code,
        },
    )
}

enum Ending {
    True,
    False,
    Exception,
    Halt(u8),
}

/// Prints an exception; says how the goal ended.
fn report(answer: Answer, console: &Mutex<Console>) -> Ending {
    match answer {
        Answer::True(_) => Ending::True,
        Answer::False => Ending::False,
        Answer::Halt(code) => Ending::Halt(code as u8),
        Answer::Exception { message, .. } => {
            flush(console);
            anstream::eprintln!("Warning: goal raised an exception: {message}");
            Ending::Exception
        }
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
