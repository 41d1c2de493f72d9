//! Rust programs and packages: each function marked `#[stet::explore]` is explored on its own, like a test; without any, `main`.
//!
//! What each exploration came to is summed up for the report: numbers are added, and the whole is complete if each part is.

use super::environment;
use super::rust::{self, Compiled, Entry};
use super::toolchain::{self, Input, Prepared};
use super::{Directory, Manner, Options, configuration, package, run};
use crate::exit::ExitStatus;
use crate::session::Session;
use serde_json::{Value, json};
use std::path::Path;
use stet_diag::Diagnostic;

/// Whether the input is a Rust program or package.
pub(super) fn is_rust(options: &Options) -> bool {
    let is_source = |file: &Path| file.extension().is_some_and(|extension| extension == "rs");
    let mut files = options.files.iter();
    files.any(|file| is_source(file) || package::manifest(file).is_some())
}

/// Explores what is marked, or `main`.
pub(super) fn execute(session: &mut Session, options: &Options, symbolic: &[String]) -> ExitStatus {
    match explore(session, options, symbolic) {
        Ok(status) => status,
        Err(diagnostic) => {
            session.report(*diagnostic);
            ExitStatus::Usage
        }
    }
}

fn explore(session: &mut Session, options: &Options, symbolic: &[String]) -> Prepared<ExitStatus> {
    let [file] = options.files.as_slice() else {
        return toolchain::problem(
            "explore/input",
            "a Rust program is explored alone: name one source file, one Cargo.toml or one folder with a package",
        );
    };
    if !file.exists() {
        return Err(Box::new(crate::input::not_found(file)));
    }
    session.begin_program(&options.files);
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => {
            let message = format!("cannot create a temporary directory: {error}");
            return toolchain::problem("explore/scratch", message);
        }
    };
    let programs = match package::manifest(file) {
        Some(manifest) => package::compile(options, &manifest, scratch.path())?,
        None => vec![rust::compile(options, file, scratch.path())?],
    };
    let chosen = chosen(&programs, &options.entry);
    if chosen.is_empty() {
        let message = format!("there is no function `{}` to start at", options.entry);
        let mut diagnostic = Diagnostic::error("explore/program", message);
        for entry in programs.iter().flat_map(|program| &program.entries) {
            diagnostic = diagnostic.with_note(format!("`{}` is marked", entry.name));
        }
        return Err(Box::new(diagnostic));
    }
    let mut suite = Suite::default();
    for (program, entry) in &chosen {
        let is_alone = chosen.len() == 1 && entry.symbol == "main";
        if !is_alone {
            session.say(&format!("exploring `{}`", entry.name));
        }
        session.set_subject((!is_alone).then(|| entry.name.clone()));
        let status = explore_one(session, options, program, entry, symbolic, is_alone);
        session.set_subject(None);
        let status = status?;
        if is_alone {
            return Ok(status);
        }
        suite.add(session, &entry.name, status);
        if matches!(status, ExitStatus::Interrupted | ExitStatus::Internal) {
            break;
        }
    }
    Ok(suite.conclude(session, chosen.len()))
}

/// The functions that are meant: all, or those with a name.
fn chosen<'p>(programs: &'p [Compiled], wanted: &str) -> Vec<(&'p Compiled, &'p Entry)> {
    let is_meant = |entry: &Entry| {
        let name = entry.name.as_str();
        wanted == "main" || name == wanted || name.ends_with(&format!("::{wanted}"))
    };
    let entries = programs.iter().flat_map(|program| {
        let entries = program.entries.iter().filter(|entry| is_meant(entry));
        entries.map(move |entry| (program, entry))
    });
    entries.collect()
}

fn explore_one(
    session: &mut Session,
    options: &Options,
    program: &Compiled,
    entry: &Entry,
    symbolic: &[String],
    is_alone: bool,
) -> Prepared<ExitStatus> {
    let input = toolchain::rust_modules(session, options, program, &entry.symbol)?;
    if !symbolic.is_empty() && (!input.has_libc || entry.symbol != "main") {
        return toolchain::problem(
            "explore/no-libc",
            "symbolic arguments, files and streams need a program with `main` and the C library",
        );
    }
    let mut recorded = options.args.clone();
    recorded.extend(symbolic.iter().cloned());
    if entry.symbol != "main" {
        recorded.extend(["--stet-entry".to_owned(), entry.name.clone()]);
    }
    let directory = output_directory(options, &input, entry, is_alone, &recorded)?;
    let mut config = configuration(session, options);
    config.seeds = match options.seeding.read(&options.environment) {
        Ok(seeds) => seeds,
        Err(message) => return toolchain::problem("explore/seed", message),
    };
    config.entry = entry.symbol.clone();
    if entry.symbol == "main" && input.has_libc {
        config.args.truncate(1);
        config.args.extend(environment::quoted(&options.args));
        config.args.extend(symbolic.iter().cloned());
    } else if entry.symbol == "main" {
        // nothing is there that the start-up code of the standard library could call
        config.entry = "stet.main".to_owned();
    }
    let budget = session.budget().clone();
    let output = options.program_output;
    let (status, _) = run(
        session,
        input,
        &config,
        directory,
        output,
        Manner::stet(),
        &budget,
    );
    Ok(status)
}

/// `DIR` for a program, `DIR/FUNCTION` for each of several functions.
fn output_directory(
    options: &Options,
    input: &Input,
    entry: &Entry,
    is_alone: bool,
    recorded: &[String],
) -> Prepared<Option<Directory>> {
    let Some(path) = &options.output_dir else {
        return Ok(None);
    };
    let path = match is_alone {
        true => path.clone(),
        false => path.join(entry.name.replace("::", ".")),
    };
    let parent = path.parent().filter(|_| !is_alone);
    let made = parent.map_or(Ok(()), std::fs::create_dir_all);
    match made.and_then(|()| Directory::create(&path, input, recorded)) {
        Ok(directory) => Ok(Some(directory)),
        Err(error) => {
            let message = format!("cannot create `{}`: {error}", path.display());
            toolchain::problem("explore/output", message)
        }
    }
}

/// What the explorations so far came to.
#[derive(Default)]
struct Suite {
    result: Option<Value>,
    statistics: Option<Value>,
    functions: Vec<Value>,
    failed: usize,
    inconclusive: usize,
    worst: Option<ExitStatus>,
}

impl Suite {
    fn add(&mut self, session: &mut Session, name: &str, status: ExitStatus) {
        let (result, statistics) = session.take_account();
        let mut function = json!({ "name": name, "status": verdict(status) });
        if let (Some(known), Some(more)) = (function.as_object_mut(), result.as_object()) {
            known.extend(more.clone());
        }
        self.functions.push(function);
        self.failed += usize::from(status == ExitStatus::Findings);
        self.inconclusive +=
            usize::from(!matches!(status, ExitStatus::Findings | ExitStatus::Clean));
        join(&mut self.result, result);
        join(&mut self.statistics, statistics);
        self.worst = Some(match self.worst {
            Some(worst) if rank(worst) >= rank(status) => worst,
            _ => status,
        });
    }

    fn conclude(self, session: &mut Session, wanted: usize) -> ExitStatus {
        let done = self.functions.len();
        let clean = done - self.failed - self.inconclusive;
        session.say(&format!(
            "{done} of {wanted} functions: {clean} clean, {} with findings, {} inconclusive",
            self.failed, self.inconclusive
        ));
        let mut result = self.result.unwrap_or(Value::Null);
        if let Some(fields) = result.as_object_mut() {
            if done < wanted {
                fields.insert("complete".to_owned(), json!(false));
            }
            fields.insert("functions".to_owned(), Value::Array(self.functions));
        }
        session.set_result(result);
        session.set_statistics(self.statistics.unwrap_or(Value::Null));
        self.worst.unwrap_or(ExitStatus::Clean)
    }
}

fn verdict(status: ExitStatus) -> &'static str {
    match status {
        ExitStatus::Clean => "clean",
        ExitStatus::Findings => "findings",
        _ => "inconclusive",
    }
}

/// A defect of Stet outranks an interrupt, that a finding, and that a question without an answer.
fn rank(status: ExitStatus) -> u8 {
    match status {
        ExitStatus::Clean => 0,
        ExitStatus::Inconclusive => 1,
        ExitStatus::Findings => 2,
        ExitStatus::Usage | ExitStatus::Code(_) => 3,
        ExitStatus::Interrupted => 4,
        ExitStatus::Internal => 5,
    }
}

/// Adds up numbers, joins lists, and keeps true only what is true of both.
fn join(sum: &mut Option<Value>, more: Value) {
    let Some(sum) = sum else {
        *sum = Some(more);
        return;
    };
    join_values(sum, more);
}

fn join_values(sum: &mut Value, more: Value) {
    match (sum, more) {
        (Value::Object(sum), Value::Object(more)) => {
            for (key, value) in more {
                match sum.get_mut(&key) {
                    Some(known) => join_values(known, value),
                    None => {
                        sum.insert(key, value);
                    }
                }
            }
        }
        (Value::Array(sum), Value::Array(more)) => sum.extend(more),
        (Value::Bool(sum), Value::Bool(more)) => *sum &= more,
        (sum @ Value::Number(_), Value::Number(more)) => {
            let whole = sum.as_u64().zip(more.as_u64()).map(|(a, b)| json!(a + b));
            let parts = || sum.as_f64().zip(more.as_f64()).map(|(a, b)| json!(a + b));
            *sum = whole.or_else(parts).unwrap_or(Value::Null);
        }
        (Value::String(sum), Value::String(more)) if *sum != more => {
            *sum = "not every function was explored completely".to_owned();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_added_up() {
        let mut sum = Some(
            json!({ "complete": true, "paths": { "ended": 2 }, "left_out": [1], "seconds": 0.5 }),
        );
        let more = json!({ "complete": false, "paths": { "ended": 3, "new": 1 }, "left_out": [2], "seconds": 1 });
        join(&mut sum, more);
        let expected = json!({ "complete": false, "paths": { "ended": 5, "new": 1 }, "left_out": [1, 2], "seconds": 1.5 });
        assert_eq!(sum, Some(expected));
    }
}
