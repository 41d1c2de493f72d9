//! Tables that \[AAQC\] does not have: what a second run finds in the store, what two runs at the same time find of each other's, and how
//! many queries of an edited program were answered by the version before.

use super::command::{Job, finished};
use super::programs::{self, Program};
use super::{Mode, Model, Run};
use std::fmt::Write;
use std::path::Path;

/// How all runs of these tables are done.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How pointers to several objects are followed.
    pub model: Model,
    /// Instructions after which runs stop, instead of the program's own limit.
    pub instructions: Option<u64>,
    /// Seconds after which a run stops.
    pub seconds: u64,
}

impl Settings {
    fn job<'a>(&self, program: &'a Program, file: &'a Path, store: &'a Path) -> Job<'a> {
        Job {
            program,
            file,
            mode: Mode::Renamed,
            model: self.model,
            limit: self.instructions.or(program.limit),
            seconds: self.seconds,
            validate: false,
            store: Some(store),
        }
    }
}

/// The share of queries that would have reached the solver and were answered from the store, in percent.
fn share(run: &Run) -> f64 {
    let asked = run.store_hits + run.solver;
    match asked {
        0 => 100.0,
        _ => 100.0 * run.store_hits as f64 / asked as f64,
    }
}

fn same(a: &Run, b: &Run) -> &'static str {
    match (a.paths, a.errors, a.covered) == (b.paths, b.errors, b.covered) {
        true => "yes",
        false => "NO",
    }
}

/// A second run from the store of the first, and two runs at the same time with one empty store.
pub fn again(list: &[Program], settings: Settings) -> Result<String, String> {
    let mut text = format!(
        "A second run from the store, and two runs at once that share one ({})\n  {:10} {:>12} {:>12} {:>10} {:>8} {:>8}  {:>13} {:>13} {:>8}  same paths\n",
        settings.model.name(),
        "program",
        "1st: solver",
        "2nd: solver",
        "from store",
        "1st: s",
        "2nd: s",
        "at once: A",
        "B: solver",
        "store"
    );
    for program in list {
        let file = match program.find() {
            Ok(file) => file,
            Err(missing) => {
                let _ = writeln!(text, "  {:10} skipped: {missing}", program.name);
                continue;
            }
        };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let own = folder.path().join("one.db");
        let job = settings.job(program, &file, &own);
        let (first, second) = (job.run()?, job.run()?);
        let shared = folder.path().join("two.db");
        let job = settings.job(program, &file, &shared);
        let (a, b) = (job.start()?, job.start()?);
        let (a, b) = (finished(a, job.mode), finished(b, job.mode));
        let (a, b) = (a?, b?);
        let agree = [&second, &a, &b].map(|run| same(&first, run));
        let _ = writeln!(
            text,
            "  {:10} {:>12} {:>12} {:>8.1} % {:>8.2} {:>8.2}  {:>13} {:>13} {:>8}  {}",
            program.name,
            first.solver,
            second.solver,
            share(&second),
            first.time.as_secs_f64(),
            second.time.as_secs_f64(),
            a.solver,
            b.solver,
            a.store_hits + b.store_hits,
            if agree.contains(&"NO") { "NO" } else { "yes" }
        );
    }
    Ok(text)
}

/// Small edits of a program: how many queries of version 2 were answered from the store that version 1 left.
pub fn edited(names: &[&str], settings: Settings) -> Result<String, String> {
    let mut text = format!(
        "After a small edit ({}): queries of version 2 answered from the store of version 1\n",
        settings.model.name()
    );
    for name in names {
        let program = Program::named(name);
        let first = match program.find() {
            Ok(file) => file,
            Err(missing) => {
                let _ = writeln!(text, "  {name}: skipped: {missing}");
                continue;
            }
        };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let store = folder.path().join("one.db");
        let before = settings.job(&program, &first, &store).run()?;
        let _ = writeln!(
            text,
            "  {name}, version 1: {} paths, {} solver queries",
            before.paths, before.solver
        );
        let mut shares = Vec::new();
        for (edit, what) in (1..).zip(programs::edits(name)) {
            let file = match programs::edited(name, edit) {
                Ok(file) => file,
                Err(missing) => {
                    let _ = writeln!(text, "    {edit:2} {what}: skipped: {missing}");
                    continue;
                }
            };
            // every edit starts from what version 1 left, not from what other edits added
            let copy = folder.path().join(format!("edit-{edit}.db"));
            std::fs::copy(&store, &copy).map_err(|error| error.to_string())?;
            let after = settings.job(&program, &file, &copy).run()?;
            let fresh = folder.path().join(format!("fresh-{edit}.db"));
            let alone = settings.job(&program, &file, &fresh).run()?;
            if after.store_hits + after.solver > 0 {
                shares.push(share(&after));
            }
            let _ = writeln!(
                text,
                "    {edit:2} {what}: {} paths, {} of {} queries from version 1 ({:.1} %), solver {} instead of {}; same as without: {}",
                after.paths,
                after.store_hits,
                after.store_hits + after.solver,
                share(&after),
                after.solver,
                alone.solver,
                same(&after, &alone)
            );
        }
        if !shares.is_empty() {
            let average = shares.iter().sum::<f64>() / shares.len() as f64;
            let worst = shares.iter().copied().fold(f64::INFINITY, f64::min);
            let _ = writeln!(
                text,
                "    {} edits: {average:.1} % on average, {worst:.1} % at worst",
                shares.len()
            );
        }
    }
    Ok(text)
}

/// What the address-aware cache costs programs that have little use for it, in instructions of the processor: exactly repeatable.
/// What reading the program takes is measured by a run of one instruction, and left out.
pub fn cost(list: &[Program], settings: Settings) -> Result<String, String> {
    let mut text = format!(
        "Overhead of the address-aware cache over the base cache, in instructions of the processor ({})\n",
        settings.model.name()
    );
    let mut all = Vec::new();
    for program in list {
        let file = match program.find() {
            Ok(file) => file,
            Err(missing) => {
                let _ = writeln!(text, "  {:10} skipped: {missing}", program.name);
                continue;
            }
        };
        let count = |mode, limit| {
            let job = Job {
                program,
                file: &file,
                mode,
                model: settings.model,
                limit,
                seconds: settings.seconds,
                validate: false,
                store: None,
            };
            job.processor_instructions()
        };
        let limit = settings.instructions.or(program.limit);
        let reading = count(Mode::Base, Some(1))?;
        let base = count(Mode::Base, limit)?.saturating_sub(reading);
        let aware = count(Mode::Renamed, limit)?.saturating_sub(reading);
        let percent = 100.0 * (aware as f64 / base.max(1) as f64 - 1.0);
        all.push(percent);
        let _ = writeln!(
            text,
            "  {:10} base {base} aware {aware} ({percent:+.2} %)",
            program.name
        );
    }
    if !all.is_empty() {
        let average = all.iter().sum::<f64>() / all.len() as f64;
        let worst = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let holds = average <= 3.0 && worst <= 6.0;
        let _ = writeln!(
            text,
            "  {} programs: {average:+.2} % on average (at most 3), {worst:+.2} % at worst (at most 6): {}",
            all.len(),
            if holds { "ok" } else { "MISSED" }
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_counts_what_would_have_reached_the_solver() {
        let run = |store_hits, solver| Run {
            store_hits,
            solver,
            ..Run::default()
        };
        assert_eq!(share(&run(3, 1)), 75.0);
        assert_eq!(share(&run(0, 0)), 100.0);
        assert_eq!(share(&run(0, 5)), 0.0);
    }
}
