//! The in-process solver against Z3, cvc5 and Bitwuzla on the mix of [`stet_bench::solve_mix`].
//!
//! `bench-solve [--queries N] [--seed S] [--peers PYTHON] [--export DIRECTORY] [--family NAME] [--arrays]`
//! `bench-solve --deadlines`
//!
//! Prints CPU time per query and family for ours (nothing kept; translation kept; incremental) and, given a
//! Python with the packages `z3-solver`, `cvc5` and `bitwuzla` (`scripts/setup-solver-peers` makes one), for
//! the peers in process, with ratios. Verdicts are compared.
//!
//! The peers get the queries without our rewriting, but with reads over writes and tables expanded to
//! if-then-else, which suits them better than their own arrays (`--arrays` keeps the arrays). A query that takes a
//! peer longer than its limit counts with the time it took until it was stopped, and is listed as unknown.
//!
//! `--deadlines` measures instead how late time limits and interrupts stop a check.

use clap::Parser;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path as FilePath, PathBuf};
use std::process::Command;
use std::sync::Arc;
use stet_base::Budget;
use stet_bench::solve_expand::Expand;
use stet_bench::solve_mix::{Family, Path, mix};
use stet_solve::{Answer, BitSolver, Limits, QuerySolver, Solver, check_query};
use stet_term::{Level, Printer, Terms};

/// The in-process solver beside Z3, cvc5 and Bitwuzla.
#[derive(Parser)]
#[command(name = "bench-solve")]
struct Options {
    #[arg(long, default_value_t = 2000)]
    queries: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A Python with the peers' packages.
    #[arg(long, value_name = "PYTHON")]
    peers: Option<PathBuf>,
    /// Write the queries there.
    #[arg(long, value_name = "DIRECTORY")]
    export: Option<PathBuf>,
    /// One family of the mix only.
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
    /// Leave arrays to the peers.
    #[arg(long)]
    arrays: bool,
    /// Measure how late limits and interrupts stop a check instead.
    #[arg(long)]
    deadlines: bool,
}

/// Verdicts in order, and CPU seconds by family.
#[derive(Default)]
struct Run {
    verdicts: Vec<&'static str>,
    seconds: BTreeMap<Family, f64>,
}

impl Run {
    fn add(&mut self, family: Family, answer: &Answer, seconds: f64) {
        self.verdicts.push(match answer {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        });
        *self.seconds.entry(family).or_default() += seconds;
    }

    fn total(&self) -> f64 {
        self.seconds.values().sum()
    }
}

fn main() {
    let options = Options::parse();
    if options.deadlines {
        stet_bench::deadlines::measure()
            .iter()
            .for_each(|line| say(line));
        return;
    }
    let terms = Arc::new(Terms::new());
    let started = cpu_seconds();
    let mut paths = mix(&terms, options.seed, options.queries);
    if let Some(family) = &options.family {
        paths.retain(|path| path.family.name() == family);
    }
    let queries: usize = paths.iter().map(|path| path.steps.len()).sum();
    say(&format!(
        "{queries} queries on {} paths, seed {}; terms built in {:.3} s",
        paths.len(),
        options.seed,
        cpu_seconds() - started
    ));
    let mut runs = vec![
        (
            "ours, fresh, nothing kept".to_owned(),
            ours_alone(&terms, &paths),
        ),
        (
            "ours, fresh, translation kept".to_owned(),
            ours_fresh(&terms, &paths),
        ),
        (
            "ours, incremental".to_owned(),
            ours_incremental(&terms, &paths),
        ),
    ];
    let directory = options.export.clone().or_else(|| {
        options.peers.as_ref()?;
        Some(std::env::temp_dir().join(format!("stet-bench-solve-{}", std::process::id())))
    });
    if let Some(directory) = &directory {
        export(&options, directory);
        if let Some(python) = &options.peers {
            for peer in ["z3", "bitwuzla", "cvc5"] {
                for mode in ["fresh", "incremental"] {
                    match run_peer(python, peer, mode, directory, &paths) {
                        Ok(run) => runs.push((format!("{peer}, {mode}"), run)),
                        Err(why) => say(&format!("{peer}, {mode}: {why}")),
                    }
                }
            }
        }
        if options.export.is_none() {
            let _ = std::fs::remove_dir_all(directory);
        }
    }
    print(&runs, queries);
}

fn ours_alone(terms: &Terms, paths: &[Path]) -> Run {
    let mut run = Run::default();
    for path in paths {
        for step in 0..path.steps.len() {
            let query = path.query(step);
            let start = cpu_seconds();
            let outcome = check_query(terms, &query, &Budget::unlimited());
            run.add(path.family, &outcome.answer(), cpu_seconds() - start);
        }
    }
    run
}

fn ours_fresh(terms: &Terms, paths: &[Path]) -> Run {
    let mut run = Run::default();
    let mut solver = QuerySolver::new();
    let limits = Limits::none();
    let mut before = solver.statistics();
    let mut work: BTreeMap<Family, [u64; 3]> = BTreeMap::new();
    for path in paths {
        for step in 0..path.steps.len() {
            let query = path.query(step);
            let start = cpu_seconds();
            let outcome = solver.check(terms, &query, &limits);
            run.add(path.family, &outcome.answer(), cpu_seconds() - start);
        }
        let now = solver.statistics();
        let work = work.entry(path.family).or_default();
        work[0] += now.conflicts - before.conflicts;
        work[1] += now.lemmas - before.lemmas;
        work[2] += now.fallbacks - before.fallbacks;
        before = now;
    }
    for (family, [conflicts, lemmas, fallbacks]) in work {
        say(&format!(
            "{:<10} {conflicts} conflicts, {lemmas} array lemmas, {fallbacks} to the second solver",
            family.name()
        ));
    }
    run
}

fn ours_incremental(terms: &Arc<Terms>, paths: &[Path]) -> Run {
    let mut run = Run::default();
    let limits = Limits::none();
    for path in paths {
        let start = cpu_seconds();
        let mut solver = BitSolver::new(terms.clone());
        let mut extra = cpu_seconds() - start;
        for step in &path.steps {
            let start = cpu_seconds();
            let answer = solver.check(&[step.asked], &limits);
            solver.assert(step.assumed);
            run.add(path.family, &answer, cpu_seconds() - start + extra);
            extra = 0.0;
        }
    }
    run
}

/// Writes each query as a script, built without our rewriting.
fn export(options: &Options, directory: &FilePath) {
    let plain = Terms::with_level(Level::Plain);
    let mut paths = mix(&plain, options.seed, options.queries);
    if let Some(family) = &options.family {
        paths.retain(|path| path.family.name() == family);
    }
    let mut expand = Expand::new(&plain);
    std::fs::create_dir_all(directory).expect("the directory can be made");
    let write = |name: String, query: &[stet_term::Term]| {
        let mut script = String::from("(set-logic QF_ABV)\n");
        script.push_str(&Printer::new(&plain).script(query));
        std::fs::write(directory.join(name), script).expect("the script can be written");
    };
    let mut number = 0;
    for (index, path) in paths.iter().enumerate() {
        // For incremental use: each condition asked, then what is asserted after it.
        let steps = path.steps.iter();
        let mut all: Vec<_> = steps.flat_map(|step| [step.asked, step.assumed]).collect();
        if !options.arrays {
            all = expand.all(&all);
        }
        write(format!("path-{index:05}.smt2"), &all);
        for step in 0..path.steps.len() {
            let mut query = path.query(step);
            if !options.arrays {
                query = expand.all(&query);
            }
            write(format!("{number:05}.smt2"), &query);
            number += 1;
        }
    }
}

fn run_peer(
    python: &FilePath,
    peer: &str,
    mode: &str,
    directory: &FilePath,
    paths: &[Path],
) -> Result<Run, String> {
    let script = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("solve/peers.py");
    let output = Command::new(python)
        .arg(script)
        .arg(peer)
        .arg(mode)
        .arg(directory)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().last().unwrap_or("failed").to_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let mut run = Run::default();
    for path in paths {
        for _ in &path.steps {
            let line = lines.next().ok_or("too few answers")?;
            let (answer, seconds) = line.split_once(' ').ok_or("no time")?;
            let answer = match answer {
                "sat" => Answer::Sat,
                "unsat" => Answer::Unsat,
                other => Answer::Unknown(stet_solve::Reason::Incomplete(other.to_owned())),
            };
            let seconds: f64 = seconds.parse().map_err(|_| "no time")?;
            run.add(path.family, &answer, seconds);
        }
    }
    Ok(run)
}

fn print(runs: &[(String, Run)], queries: usize) {
    let families = Family::ALL
        .iter()
        .filter(|family| runs[0].1.seconds.contains_key(family))
        .count();
    let per_family = queries as f64 / families.max(1) as f64;
    let base = runs[1].1.total();
    let mut head = format!("{:<32}", "CPU ms per query");
    for family in Family::ALL {
        head.push_str(&format!("{:>10}", family.name()));
    }
    say(&format!("{head}{:>10}{:>9}", "average", "ratio"));
    for (name, run) in runs {
        let mut line = format!("{name:<32}");
        for family in Family::ALL {
            let seconds = run.seconds.get(&family).copied().unwrap_or(0.0);
            line.push_str(&format!("{:>10.3}", seconds * 1000.0 / per_family));
        }
        let average = run.total() * 1000.0 / queries as f64;
        say(&format!("{line}{average:>10.3}{:>9.2}", run.total() / base));
    }
    let reference = &runs[0].1.verdicts;
    let sat = reference
        .iter()
        .filter(|&&verdict| verdict == "sat")
        .count();
    say(&format!("{sat} of {queries} satisfiable"));
    say(
        "a peer's query over its limit of 3 s is unknown and counts with the time until it was stopped",
    );
    for (name, run) in &runs[1..] {
        let pairs = reference.iter().zip(&run.verdicts);
        let unknown = run.verdicts.iter().filter(|&&v| v == "unknown").count();
        let differ = pairs
            .filter(|(a, b)| a != b && **b != "unknown" && **a != "unknown")
            .count();
        say(&format!(
            "{name}: {differ} verdicts differ, {unknown} unknown"
        ));
    }
}

/// CPU time of this thread.
fn cpu_seconds() -> f64 {
    cpu_time::ThreadTime::now().as_duration().as_secs_f64()
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
