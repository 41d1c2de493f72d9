//! An output directory as KLEE writes it: tests, errors, messages, statistics, the program as text.

use super::Trace;
use super::collect::Totals;
use super::toolchain::Input;
use super::writer::{Lost, Writer, note};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use stet_explore::{ErrorKind, Halt, KTest, Outcome, PathEnd, Progress, Summary};

/// The directory being written.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    args: Vec<String>,
    messages: File,
    warnings: File,
    info: File,
    instructions: Option<File>,
    /// The exit status that each test's path ends with.
    exits: File,
    /// The tests on whose paths something was assumed.
    assumed: File,
    statistics: Option<rusqlite::Connection>,
    texts: Vec<std::sync::Arc<str>>,
    /// What is recorded of paths.
    pub(crate) recording: stet_explore::Recording,
    /// How many files could not be written, and what was wrong with the first.
    lost: Lost,
    /// Threads that write the files, where there are some.
    writer: Option<Writer>,
}

/// The columns of `run.stats`, as KLEE names them.
const COLUMNS: &[&str] = &[
    "Instructions",
    "NumStates",
    "WallTime",
    "Queries",
    "SolverQueries",
    "CoveredInstructions",
    "UncoveredInstructions",
    "QueryTime",
    "SolverTime",
    "CexCacheTime",
    "QueryCacheHits",
    "QueryCacheMisses",
    "QCexCacheHits",
    "QCexCacheMisses",
    "AddressAwareHits",
    "AddressAwareMisses",
    "ForkCount",
    "Paths",
];

impl Directory {
    /// Creates the directory, which must not exist yet.
    pub(crate) fn create(path: &Path, input: &Input, args: &[String]) -> std::io::Result<Self> {
        fs::create_dir(path)?;
        let texts = input.program.texts().to_vec();
        if let Some(text) = texts.first() {
            fs::write(path.join("assembly.ll"), text.as_bytes())?;
        }
        let mut all = vec![input.name.clone()];
        all.extend(args.iter().cloned());
        Ok(Directory {
            messages: File::create(path.join("messages.txt"))?,
            warnings: File::create(path.join("warnings.txt"))?,
            info: File::create(path.join("info"))?,
            exits: File::create(path.join("exits.txt"))?,
            assumed: File::create(path.join("assumed.txt"))?,
            statistics: open_statistics(&path.join("run.stats")),
            instructions: None,
            path: path.to_owned(),
            args: all,
            texts,
            recording: stet_explore::Recording::default(),
            lost: None,
            writer: None,
        })
    }

    /// Has files written by so many threads.
    pub(crate) fn write_in_parallel(&mut self, threads: usize) {
        self.writer = Writer::start(threads);
    }

    /// What could not be written, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        let (count, first) = self.lost.as_ref()?;
        Some(format!(
            "{count} output files could not be written: {first}"
        ))
    }

    fn write(&mut self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path.join(name);
        if let Some(writer) = &self.writer {
            return writer.write(path, content.as_ref().to_vec());
        }
        if let Err(error) = fs::write(&path, content) {
            note(&mut self.lost, &path, &error);
        }
    }

    /// A traced instruction as one line.
    pub(crate) fn instruction(
        &self,
        place: &stet_explore::Location,
        state: u64,
        what: Trace,
    ) -> String {
        let line = self.assembly_line(place.assembly);
        if what == Trace::Compact {
            return format!("{line}:{state}");
        }
        let at = format!("     {}:{}:{line}:{state}", place.file, place.line);
        if what == Trace::Source {
            return at;
        }
        let text = self.texts.get(place.assembly.0);
        let rest = text.and_then(|text| text.get(place.assembly.1 as usize..));
        let text = rest.and_then(|rest| rest.lines().next()).unwrap_or("");
        format!("{at}:{}", text.trim())
    }

    /// A line of `instructions.txt`.
    pub(crate) fn trace(&mut self, line: &str) {
        if self.instructions.is_none() {
            self.instructions = File::create(self.path.join("instructions.txt")).ok();
        }
        if let Some(file) = &mut self.instructions {
            let _ = writeln!(file, "{line}");
        }
    }

    /// Where a test is written.
    pub(crate) fn test_path(&self, number: u64) -> PathBuf {
        self.path.join(format!("test{number:06}.ktest"))
    }

    /// The program's name, as it was given.
    pub(crate) fn program(&self) -> &str {
        self.args.first().map_or("", String::as_str)
    }

    /// A line of `messages.txt`.
    pub(crate) fn message(&mut self, text: &str) {
        let _ = writeln!(self.messages, "{text}");
    }

    /// A line of `warnings.txt`.
    pub(crate) fn warning(&mut self, text: &str) {
        let _ = writeln!(self.warnings, "KLEE: WARNING: {text}");
    }

    /// A line of `warnings.txt` with its own kind.
    pub(crate) fn warning_line(&mut self, text: &str) {
        let _ = writeln!(self.warnings, "KLEE: {text}");
    }

    /// Writes a test, and why the path ended if that is worth saying.
    pub(crate) fn test(&mut self, number: u64, end: &PathEnd, xml: Option<&(String, String)>) {
        let Some(objects) = &end.test else { return };
        let test = KTest {
            args: self.args.clone(),
            symbolic_args: (0, 0),
            objects: objects.clone(),
        };
        let stem = format!("test{number:06}");
        self.write(&format!("{stem}.ktest"), test.encode());
        match &end.outcome {
            Outcome::Error(kind, message) => {
                let text = self.error_text(end, *kind, message);
                let own = end.report.as_ref().map(|report| report.suffix.as_str());
                let name = format!("{stem}.{}.err", own.unwrap_or(kind.klee_suffix()));
                self.write(&name, text);
            }
            Outcome::Dropped(reason) | Outcome::Unknown(reason) => {
                self.write(&format!("{stem}.early"), format!("{reason}\n"));
            }
            Outcome::Exit(status) => {
                let _ = writeln!(self.exits, "{stem} {status}");
                if end.leans {
                    let _ = writeln!(self.assumed, "{stem}");
                }
            }
            Outcome::Silent => {}
        }
        self.recorded(&stem, end);
        if xml.is_some() {
            let text = xml_test(objects, &end.outcome);
            self.write(&format!("{stem}.xml"), text);
        }
    }

    /// What was recorded of a path.
    fn recorded(&mut self, stem: &str, end: &PathEnd) {
        let recorded = &end.recorded;
        if self.recording.branches {
            let bits: String = recorded
                .branches
                .iter()
                .map(|&side| if side { "1\n" } else { "0\n" })
                .collect();
            self.write(&format!("{stem}.path"), bits);
        }
        if self.recording.lines {
            let lines: String = recorded
                .lines
                .iter()
                .map(|(file, line)| format!("{file}:{line}\n"))
                .collect();
            self.write(&format!("{stem}.cov"), lines);
        }
        if let Some(text) = &recorded.kquery {
            self.write(&format!("{stem}.kquery"), text);
        }
        if let Some(text) = &recorded.smt2 {
            self.write(&format!("{stem}.smt2"), text);
        }
    }

    pub(crate) fn error_text(&self, end: &PathEnd, kind: ErrorKind, message: &str) -> String {
        let words = match &end.report {
            Some(_) => message.to_owned(),
            None => kind.klee_message(message),
        };
        let mut text = format!("Error: {words}\n");
        if let Some(report) = &end.report {
            text += &format!("File: {}\nLine: {}\n", report.file, report.line);
        }
        if let Some(place) = end.stack.first() {
            if place.line > 0 && end.report.is_none() {
                text += &format!("File: {}\nLine: {}\n", place.file, place.line);
            }
            text += &format!("assembly.ll line: {}\n", self.assembly_line(place.assembly));
        }
        text += "Stack: \n";
        for (depth, place) in end.stack.iter().enumerate() {
            let line = self.assembly_line(place.assembly);
            let frame = format!("\t#{depth}{line:08} in {}()", place.function);
            let at = match place.line {
                0 => String::new(),
                line => format!(" at {}:{line}", place.file),
            };
            text += &format!("{frame}{at}\n");
        }
        text += &format!("Info: \n\t{message}\n");
        text
    }

    fn assembly_line(&self, (module, position): (usize, u32)) -> usize {
        match self.texts.get(module) {
            Some(text) => {
                let head = text.as_bytes().get(..position as usize).unwrap_or(&[]);
                head.iter().filter(|&&byte| byte == b'\n').count() + 1
            }
            None => 0,
        }
    }

    /// A row of `run.stats`.
    pub(crate) fn row(&mut self, progress: &Progress, seconds: f64) {
        let Some(connection) = &self.statistics else {
            return;
        };
        let queries = &progress.queries;
        let misses = |asked: u64, answered: u64| asked.saturating_sub(answered) as f64;
        let values: Vec<f64> = vec![
            progress.instructions as f64,
            progress.states as f64,
            seconds,
            queries.total as f64,
            queries.solver_queries() as f64,
            progress.covered_instructions.0 as f64,
            (progress.covered_instructions.1 - progress.covered_instructions.0) as f64,
            queries
                .times()
                .iter()
                .map(|(_, time)| time.as_secs_f64())
                .sum(),
            queries.solver.time.as_secs_f64(),
            queries.counterexample.time.as_secs_f64(),
            queries.base.answered as f64,
            misses(queries.base.asked, queries.base.answered),
            queries.counterexample.answered as f64,
            misses(
                queries.counterexample.asked,
                queries.counterexample.answered,
            ),
            queries.aware.answered as f64,
            misses(queries.aware.asked, queries.aware.answered),
            progress.forks as f64,
            progress.paths as f64,
        ];
        let marks = vec!["?"; COLUMNS.len()].join(",");
        let _ = connection.execute(
            &format!("INSERT INTO stats VALUES ({marks})"),
            rusqlite::params_from_iter(values),
        );
    }

    /// The last row and `info`.
    pub(crate) fn finish(&mut self, summary: &Summary, totals: &Totals) {
        if let Some(writer) = self.writer.take() {
            self.lost = writer.finish();
        }
        let progress = &summary.progress;
        let halted = match &summary.halt {
            Halt::Complete => String::new(),
            Halt::Limit(reason) => format!("Halted: {reason}\n"),
            Halt::Interrupted => "Halted: interrupted\n".to_owned(),
        };
        let text = format!(
            "{}\n{halted}Elapsed: {:.2} s\nKLEE: done: explored paths = {}\n\
             KLEE: done: total queries = {}\nKLEE: done: query cex = {}\n\nKLEE: done: total instructions = {}\nKLEE: done: completed paths = {}\n\
             KLEE: done: partially completed paths = {}\nKLEE: done: generated tests = {}\n",
            self.args.join(" "),
            totals.seconds,
            progress.forks + 1,
            progress.queries.solver_queries(),
            progress.queries.model_queries,
            progress.instructions,
            totals.exits,
            super::collect::partial_paths(progress, totals),
            totals.tests
        );
        let _ = self.info.write_all(text.as_bytes());
        if self.recording.profile {
            let profile = &summary.coverage.profile;
            let text = profile.callgrind(&self.args.join(" "));
            let path = self.path.join("run.istats");
            if let Err(error) = fs::write(&path, text) {
                note(&mut self.lost, &path, &error);
            }
        }
    }
}

/// A test as the test-suite validators of program verifiers read it.
fn xml_test(objects: &[stet_explore::TestObject], outcome: &Outcome) -> String {
    let error = match outcome {
        Outcome::Error(..) => " coversError=\"true\"",
        _ => "",
    };
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n",
    );
    text += &format!("<testcase{error}>\n");
    for object in objects {
        let hex: String = object
            .bytes
            .iter()
            .rev()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        text += &format!("  <input>0x{hex}</input>\n");
    }
    text += "</testcase>\n";
    text
}

fn open_statistics(path: &Path) -> Option<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(path).ok()?;
    let columns: Vec<String> = COLUMNS.iter().map(|name| format!("{name} REAL")).collect();
    let create = format!(
        "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; CREATE TABLE stats ({})",
        columns.join(",")
    );
    connection.execute_batch(&create).ok()?;
    Some(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_written_are_counted() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let input = Input {
            program: stet_explore::Input::new(),
            name: "p.c".to_owned(),
            has_libc: false,
            workers: None,
        };
        let path = place.path().join("out");
        let mut directory = Directory::create(&path, &input, &[]).expect("a new directory");
        let end = PathEnd {
            choices: Vec::new(),
            outcome: Outcome::Exit(0),
            test: Some(Vec::new()),
            stack: Vec::new(),
            instructions: 0,
            output: Vec::new(),
            covered_new: false,
            leans: false,
            report: None,
            recorded: stet_explore::Recorded::default(),
        };
        directory.test(1, &end, None);
        assert_eq!(directory.problem(), None);
        fs::remove_dir_all(&path).expect("removed");
        directory.test(2, &end, None);
        directory.test(3, &end, None);
        let problem = directory.problem().expect("two files are lost");
        assert!(problem.starts_with("2 output files"), "{problem}");
        assert!(problem.contains("test000002.ktest"), "{problem}");
    }
}
