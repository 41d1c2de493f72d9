//! Programs whose queries take solvers long: paths, instructions, queries by the layer that answered, and the processor's time;
//! on request, the same queries given to Z3 and Bitwuzla.

use super::programs;
use crate::query_log::Timed;
use cpu_time::ProcessTime;
use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use stet_base::{Budget, SourceMap};
use stet_explore::{Config, Engine, Halt, Input, PathEnd, Progress, Request, Sink};

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
    let engine = Engine::new().with_query_log(Timed::log(&times));
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
