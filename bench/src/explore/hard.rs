//! Programs whose queries take solvers long: paths, instructions, queries by the layer that answered, and the processor's time;
//! on request, the same queries given to Z3 and Bitwuzla.

use super::programs;
use cpu_time::{ProcessTime, ThreadTime};
use std::cell::RefCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use stet_base::{Budget, SourceMap};
use stet_explore::{Config, Engine, Halt, Input, PathEnd, Progress, Request, Sink};
use stet_solve::{Outcome, QueryLog};
use stet_term::{Printer, Term, Terms};

use crate::solve_expand::Expand;

/// A name, the program of `bench/explore/build`, and its arguments.
const PROGRAMS: [(&str, &str, &[&str]); 7] = [
    ("zlib-raw-3", "zlib", &["3", "raw"]),
    ("zlib-raw-6", "zlib", &["6", "raw"]),
    ("zlib-6", "zlib", &["6"]),
    ("cjson-3", "cjson", &["3"]),
    ("strtod-3", "strtod", &["3"]),
    ("lua-3", "lua", &["3"]),
    ("jq-3", "jq", &["3"]),
];

/// Queries of a program that are given to other solvers: a sample of about this size,
const SAMPLE: usize = 200;
/// and all those that took longer than this.
const SLOW: Duration = Duration::from_millis(200);

/// What is asked for.
pub struct Settings<'a> {
    /// Names of the list above; all without.
    pub names: &'a [String],
    /// Seconds for each program.
    pub seconds: u64,
    /// A Python with the packages `z3-solver` and `bitwuzla`.
    pub peers: Option<&'a Path>,
}

/// Runs the programs one after the other, each in a process of its own. Tells `row` every line as it is known.
pub fn all(settings: &Settings<'_>, mut row: impl FnMut(&str)) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    row(&format!(
        "{:<11} {:>6} {:>9} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8}  end",
        "program",
        "paths",
        "instr.",
        "queries",
        "values",
        "witness",
        "base",
        "narrow",
        "aware",
        "cex",
        "solver",
        "solver s",
        "CPU s",
    ));
    for (name, program, _) in PROGRAMS {
        if !settings.names.is_empty() && !settings.names.iter().any(|wanted| wanted == name) {
            continue;
        }
        if let Err(missing) = programs::Program::named(program).find() {
            row(&format!("skipped: {name}: {missing}"));
            continue;
        }
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = Command::new(&own);
        command.args(["hard", name, "--here", "--time-limit"]);
        command.arg(settings.seconds.to_string());
        if settings.peers.is_some() {
            command.arg("--out").arg(scratch.path());
        }
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        row(String::from_utf8_lossy(&output.stdout).trim_end());
        if let Some(python) = settings.peers {
            row(&compared(python, scratch.path())?);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Silent;

impl Sink for Silent {
    fn path(&mut self, _: PathEnd) {}
    fn warning(&mut self, _: &str) {}
    fn message(&mut self, _: &str) {}
    fn progress(&mut self, _: &Progress) {}
}

/// Explores one program in this process; its row of the table. Queries are written to `queries`.
pub fn here(name: &str, seconds: u64, queries: Option<&Path>) -> Result<String, String> {
    let known = PROGRAMS.iter().find(|(known, ..)| *known == name);
    let (_, program, arguments) = known.ok_or(format!("no program `{name}`"))?;
    let file = programs::Program::named(program).find()?;
    let text =
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let input = Input::of_text(&mut SourceMap::new(), "program.ll", &text);
    let mut config = Config::standard();
    let words = std::iter::once(program).chain(arguments.iter());
    config.args = words.map(|&word| word.to_owned()).collect();
    config.capture_output = false;
    let budget = Budget::unlimited().limited_to(Duration::from_secs(seconds));
    let request = Request {
        input: input.map_err(|error| error.message.clone())?,
        config: &config,
        store: None,
        budget: &budget,
        part: None,
    };
    let times = Rc::new(RefCell::new(Timed::new(queries)));
    let engine = Engine::new().with_query_log(times.borrow().log(&times));
    let start = ProcessTime::now();
    let summary = engine
        .explore(request, &mut Silent)
        .map_err(|error| error.to_string())?;
    let spent = start.elapsed().saturating_sub(times.borrow().writing);
    let queries = &summary.progress.queries;
    let counters = queries.counters();
    let count = |name: &str| {
        let found = counters.iter().find(|(known, _)| *known == name);
        found.map_or(0, |(_, count)| *count)
    };
    let times = times.borrow();
    times.finish()?;
    Ok(format!(
        "{name:<11} {:>6} {:>9} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8.2} {:>8.2}  {}",
        summary.progress.paths,
        summary.progress.instructions,
        queries.total,
        count("by-values"),
        count("by-witness"),
        count("base-hits"),
        count("narrowed"),
        count("aware-hits"),
        count("cex-hits"),
        queries.solver_queries(),
        times.solving.as_secs_f64(),
        spent.as_secs_f64(),
        match summary.halt {
            Halt::Complete => "all paths",
            _ => "stopped",
        }
    ))
}

/// Times queries, and writes some of them.
struct Timed {
    asked: Option<ThreadTime>,
    solving: Duration,
    /// Time that printing took.
    writing: Duration,
    directory: Option<PathBuf>,
    number: usize,
    stride: usize,
    /// Numbers of the sample, and of the slow ones, with times and verdicts.
    written: Vec<(usize, f64, &'static str)>,
}

impl Timed {
    fn new(directory: Option<&Path>) -> Self {
        Timed {
            asked: None,
            solving: Duration::ZERO,
            writing: Duration::ZERO,
            directory: directory.map(Path::to_path_buf),
            number: 0,
            stride: 1,
            written: Vec::new(),
        }
    }

    fn log(&self, times: &Rc<RefCell<Timed>>) -> QueryLog {
        let times = times.clone();
        Rc::new(RefCell::new(
            move |terms: &Terms, constraints: &[Term], outcome: Option<&Outcome>| {
                let mut times = times.borrow_mut();
                match outcome {
                    None => times.asked = Some(ThreadTime::now()),
                    Some(outcome) => times.answered(terms, constraints, outcome),
                }
            },
        ))
    }

    fn answered(&mut self, terms: &Terms, constraints: &[Term], outcome: &Outcome) {
        let time = self.asked.take().map_or(Duration::ZERO, |at| at.elapsed());
        self.solving += time;
        self.number += 1;
        let Some(directory) = &self.directory else {
            return;
        };
        if !self.number.is_multiple_of(self.stride) && time < SLOW {
            return;
        }
        let start = ThreadTime::now();
        let expanded = Expand::new(terms).all(constraints);
        let script = format!(
            "(set-logic QF_ABV)\n{}(check-sat)\n",
            Printer::new(terms).script(&expanded)
        );
        // what cannot be written is missing when the peers are asked
        let _ = std::fs::write(directory.join(format!("{:08}.smt2", self.number)), script);
        let verdict = match outcome {
            Outcome::Sat(_) => "sat",
            Outcome::Unsat => "unsat",
            Outcome::Unknown(_) => "unknown",
        };
        self.written
            .push((self.number, time.as_secs_f64(), verdict));
        if self.written.len() > 2 * SAMPLE {
            self.thin_out();
        }
        self.writing += start.elapsed();
    }

    /// Drops every second of the sample, and keeps the slow ones.
    fn thin_out(&mut self) {
        self.stride *= 2;
        let (stride, directory) = (self.stride, self.directory.clone());
        self.written.retain(|&(number, time, _)| {
            let keeps = number.is_multiple_of(stride) || time >= SLOW.as_secs_f64();
            if let (false, Some(directory)) = (keeps, &directory) {
                let _ = std::fs::remove_file(directory.join(format!("{number:08}.smt2")));
            }
            keeps
        });
    }

    /// Writes times and verdicts beside the queries.
    fn finish(&self) -> Result<(), String> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let mut text = String::new();
        for (_, time, verdict) in &self.written {
            let _ = writeln!(text, "{verdict} {time:.9}");
        }
        std::fs::write(directory.join("own"), text).map_err(|error| error.to_string())
    }
}

fn read_answers(text: &str) -> Vec<(String, f64)> {
    let line = |line: &str| {
        let (verdict, time) = line.split_once(' ')?;
        Some((verdict.to_owned(), time.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

/// Z3 and Bitwuzla on the written queries, beside ours.
fn compared(python: &Path, directory: &Path) -> Result<String, String> {
    let own = std::fs::read_to_string(directory.join("own")).map_err(|error| error.to_string())?;
    let own = read_answers(&own);
    let total = |answers: &[(String, f64)]| answers.iter().map(|(_, time)| time).sum::<f64>();
    let mut line = format!("  {} queries: Stet {:.3} s", own.len(), total(&own));
    for peer in ["z3", "bitwuzla"] {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("solve/peers.py");
        let output = Command::new(python)
            .arg(script)
            .args([peer, "fresh"])
            .arg(directory)
            .output()
            .map_err(|error| error.to_string())?;
        let answers = read_answers(&String::from_utf8_lossy(&output.stdout));
        if answers.len() != own.len() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.trim().lines().last().unwrap_or_default().to_owned();
            return Err(format!("{peer} answered {} queries: {last}", answers.len()));
        }
        let unknown = answers.iter().filter(|(verdict, _)| verdict == "unknown");
        let differ = own
            .iter()
            .zip(&answers)
            .filter(|((a, _), (b, _))| a != b && a != "unknown" && b != "unknown");
        let _ = write!(
            line,
            ", {peer} {:.3} s ({} stopped, {} differ)",
            total(&answers),
            unknown.count(),
            differ.count()
        );
    }
    Ok(line)
}
