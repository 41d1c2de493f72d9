//! Receives what an exploration finds: prints findings once, writes tests, counts.

use super::directory::Directory;
use super::{Manner, Voice};
use crate::progress::Progress as Line;
use crate::session::Session;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Instant;
use stet_base::{FastSet, FileId, Span};
use stet_diag::Diagnostic;
use stet_explore::{ErrorKind, Location, Outcome, PathEnd, Progress, Sink, Summary};

/// What was counted on the way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    /// Paths that ended normally.
    pub(crate) exits: u64,
    /// Paths that ended in an error of the program.
    pub(crate) errors: u64,
    /// Different errors: by kind and place.
    pub(crate) findings: u64,
    /// Paths that ended at something unsupported.
    pub(crate) unsupported: u64,
    /// Paths the solver gave up on.
    pub(crate) unknown: u64,
    pub(crate) tests: u64,
    /// Some of them, or what belongs to them, could not be written.
    pub(crate) is_incomplete: bool,
    /// Findings by their code.
    pub(crate) by_kind: BTreeMap<&'static str, u64>,
    pub(crate) seconds: f64,
    /// The text of the error that ended the run, where it was asked for.
    pub(crate) last_error: Option<String>,
}

/// Paths that did not reach the end of the program, those given up for a limit included.
pub(crate) fn partial_paths(progress: &Progress, totals: &Totals) -> u64 {
    (progress.paths + progress.dropped).saturating_sub(totals.exits)
}

pub(crate) struct Collector<'a> {
    session: &'a mut Session,
    directory: Option<Directory>,
    program_output: bool,
    /// No C library was linked: its functions are missing.
    pub(crate) without_library: bool,
    manner: Manner,
    /// The program's arguments, its name first.
    args: Vec<String>,
    line: Line,
    /// Errors told, by where they happened and where in the program's own text that came from.
    seen: FastSet<(ErrorKind, Location, Location)>,
    sources: BTreeMap<PathBuf, Option<FileId>>,
    totals: Totals,
    started: Instant,
    /// The text of the newest error, where the run ends with it.
    last_error: Option<String>,
}

impl<'a> Collector<'a> {
    /// Ready to receive.
    pub(crate) fn new(
        session: &'a mut Session,
        directory: Option<Directory>,
        program_output: bool,
        manner: Manner,
        args: Vec<String>,
    ) -> Self {
        let line = session.spinner();
        Collector {
            session,
            directory,
            program_output,
            without_library: false,
            manner,
            args,
            line,
            seen: FastSet::default(),
            sources: BTreeMap::new(),
            totals: Totals::default(),
            started: Instant::now(),
            last_error: None,
        }
    }

    /// Has tests written by so many threads, for paths that are told all at once.
    pub(crate) fn write_in_parallel(&mut self, threads: usize) {
        if let Some(directory) = &mut self.directory {
            directory.write_in_parallel(threads);
        }
    }

    /// Gives up before anything was explored.
    pub(crate) fn abandon(self) {
        self.line.finish();
    }

    /// Writes what is left to write.
    pub(crate) fn finish(mut self, summary: &Summary) -> Totals {
        self.line.finish();
        self.totals.seconds = self.started.elapsed().as_secs_f64();
        self.totals.last_error = self.last_error.take();
        if let Some(directory) = &mut self.directory {
            directory.finish(summary, &self.totals);
            if let Some(problem) = directory.problem() {
                self.totals.is_incomplete = true;
                self.session
                    .report(Diagnostic::error("explore/output", problem));
            }
        }
        self.totals
    }

    fn tell(&mut self, end: &PathEnd, kind: ErrorKind) {
        let own = self.place_of(end, kind);
        let primary = own.and_then(|place| self.span(&place));
        let test = end.test.as_deref().unwrap_or_default();
        let inputs = super::inputs::described(&self.args, test);
        let Some(mut diagnostic) = end.diagnostic(primary, inputs) else {
            return;
        };
        if let (Some(directory), true) = (
            &self.directory,
            end.test.is_some() && !kind.is_unsupported(),
        ) {
            let test = directory.test_path(self.totals.tests + 1);
            let program = directory.program();
            diagnostic = diagnostic
                .with_note(format!("test {}", test.display()))
                .with_note(format!(
                    "replay with `stet replay {program} {}`",
                    test.display()
                ));
        }
        if kind == ErrorKind::Undefined && self.without_library {
            diagnostic = diagnostic.with_note("`--libc musl` links a C library");
        }
        self.session.report(diagnostic);
    }

    /// Where an error is for people: a panic names its place itself, since the standard library's functions are in between.
    fn place_of(&mut self, end: &PathEnd, kind: ErrorKind) -> Option<Location> {
        if let (Some(report), ErrorKind::Panic) = (&end.report, kind) {
            let mut named = Location {
                file: report.file.clone(),
                line: report.line,
                column: panic_column(&end.outcome, report),
                ..Location::default()
            };
            let folders = end.stack.iter().map(|place| place.directory.as_str());
            for folder in std::iter::once("").chain(folders) {
                named.directory = folder.to_owned();
                if self.span(&named).is_some() {
                    return Some(named);
                }
            }
        }
        self.own_place(&end.stack).cloned()
    }

    /// The innermost place whose source is here to be shown: the call, where the C library ends a program.
    fn own_place<'s>(&mut self, stack: &'s [Location]) -> Option<&'s Location> {
        // the headers of the C++ library are on this machine, too
        let is_own = |place: &&Location| !place.file.contains("/cxx/v1/");
        let mut own = stack.iter().filter(is_own);
        own.find(|place| self.span(place).is_some())
    }

    /// The place in a source file, which is read if it is there.
    fn span(&mut self, place: &Location) -> Option<Span> {
        if place.line == 0 {
            return None;
        }
        let file = self.source(place)?;
        let source = self.session.sources.file(file);
        let start = source.line_start(place.line)?;
        let text = source.line(place.line);
        let column = place.column.saturating_sub(1);
        let skip: usize = text.chars().take(column as usize).map(char::len_utf8).sum();
        let start = start + skip as u32;
        Some(Span {
            file,
            start,
            end: start,
        })
    }

    fn source(&mut self, place: &Location) -> Option<FileId> {
        let path = match Path::new(&place.file).is_absolute() || Path::new(&place.file).exists() {
            true => PathBuf::from(&place.file),
            false => Path::new(&place.directory).join(&place.file),
        };
        if let Some(&known) = self.sources.get(&path) {
            return known;
        }
        let file = match std::fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.session.sources.add(place.file.clone(), text)
            }
            Err(_) => None,
        };
        self.sources.insert(path, file);
        file
    }

    fn klee_error(&mut self, end: &PathEnd, kind: ErrorKind, message: &str, place: &Location) {
        let at = match (&end.report, place.line) {
            (Some(report), _) => format!("{}:{}:", report.file, report.line),
            (None, 0) => "(location information missing)".to_owned(),
            (None, line) => format!("{}:{line}:", place.file),
        };
        let words = match &end.report {
            Some(_) => message.to_owned(),
            None => kind.klee_message(message),
        };
        self.message(&format!("KLEE: ERROR: {at} {words}"));
        if !self.manner.all_errors {
            self.message("KLEE: NOTE: now ignoring this error at this location");
        }
    }
}

impl Sink for Collector<'_> {
    fn stopping(&mut self) {
        crate::watchdog::engine_is_stopping();
    }

    fn path(&mut self, end: PathEnd) {
        if self.program_output && !end.output.is_empty() {
            let text = String::from_utf8_lossy(&end.output).into_owned();
            self.session.show(text.trim_end_matches('\n'));
        }
        let mut wants_test = true;
        match &end.outcome {
            Outcome::Exit(_) => {
                self.totals.exits += 1;
                wants_test = end.covered_new || !self.manner.only_covering_new;
            }
            Outcome::Silent => {
                match self.manner.voice {
                    Voice::Stet => self.totals.exits += 1,
                    Voice::Klee => {}
                }
                wants_test = false;
            }
            Outcome::Unknown(_) => self.totals.unknown += 1,
            Outcome::Dropped(_) => wants_test = self.manner.dump_states,
            Outcome::Error(kind, message) => {
                match kind.is_unsupported() {
                    true => self.totals.unsupported += 1,
                    false => self.totals.errors += 1,
                }
                let place = end.stack.first().cloned().unwrap_or_default();
                let own = self.place_of(&end, *kind);
                let own = own.unwrap_or_else(|| place.clone());
                wants_test =
                    self.seen.insert((*kind, place, own.clone())) || self.manner.all_errors;
                if wants_test {
                    self.totals.findings += 1;
                    *self.totals.by_kind.entry(kind.code()).or_default() += 1;
                    match self.manner.voice {
                        Voice::Stet => self.tell(&end, *kind),
                        Voice::Klee => self.klee_error(&end, *kind, message, &own),
                    }
                }
            }
        }
        if let Some(report) = &self.manner.report {
            let replay = self
                .directory
                .as_ref()
                .filter(|_| wants_test)
                .map(|directory| {
                    let test = directory.test_path(self.totals.tests + 1);
                    format!("stet replay {} {}", directory.program(), test.display())
                });
            let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
            report.path(&end, &self.args, replay);
        }
        let over = self
            .manner
            .max_tests
            .is_some_and(|most| self.totals.tests >= most);
        if wants_test && !self.manner.no_tests && !over && end.test.is_some() {
            self.totals.tests += 1;
            if let Some(directory) = &mut self.directory {
                directory.test(self.totals.tests, &end, self.manner.xml.as_ref());
            }
        }
        if let (Outcome::Error(kind, message), Some(kinds)) =
            (&end.outcome, &self.manner.last_error)
            && (kinds.is_empty() || kinds.contains(kind))
        {
            self.last_error = self
                .directory
                .as_ref()
                .map(|directory| directory.error_text(&end, *kind, message));
        }
    }

    fn warning(&mut self, message: &str) {
        if let Some(directory) = &mut self.directory {
            directory.warning(message);
        }
        match self.manner.voice {
            Voice::Stet => self
                .session
                .report(Diagnostic::warning("explore/notice", message.to_owned())),
            Voice::Klee => crate::output::error_line(&format!("KLEE: WARNING: {message}")),
        }
    }

    fn step(&mut self, place: &Location, state: u64) {
        let Some((what, to_file)) = self.manner.trace else {
            return;
        };
        let line = match &self.directory {
            Some(directory) => directory.instruction(place, state, what),
            None => return,
        };
        match (&mut self.directory, to_file) {
            (Some(directory), true) => directory.trace(&line),
            _ => crate::output::error_line(&line),
        }
    }

    fn warning_once(&mut self, message: &str) {
        match self.manner.voice {
            Voice::Stet => self.warning(message),
            Voice::Klee => {
                if let Some(directory) = &mut self.directory {
                    directory.warning_line(&format!("WARNING ONCE: {message}"));
                }
                crate::output::error_line(&format!("KLEE: WARNING ONCE: {message}"));
            }
        }
    }

    fn notice(&mut self, message: &str, place: &Location) {
        if self.manner.voice == Voice::Klee {
            return self.warning_once(message);
        }
        if let Some(directory) = &mut self.directory {
            directory.warning(message);
        }
        let warning = Diagnostic::warning("explore/notice", message.to_owned());
        let span = self.span(place);
        self.session.report(match span {
            Some(span) => warning.at(span),
            None => warning,
        });
    }

    fn message(&mut self, message: &str) {
        if let Some(directory) = &mut self.directory {
            directory.message(message);
        }
        let line = self.line.clone();
        line.suspend(|| crate::output::error_line(message));
    }

    fn progress(&mut self, progress: &Progress) {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let queries = &progress.queries;
        let asked = queries.total.max(1);
        let hits = 100.0 * (1.0 - queries.solver_queries() as f64 / asked as f64);
        let rate = progress.instructions as f64 / seconds / 1e6;
        self.line.message(format!(
            "{} states, {} paths, {:.1} M instr/s, {} queries ({hits:.0} % without solver), {}/{} blocks",
            progress.states, progress.paths, rate, queries.total, progress.covered.0, progress.covered.1
        ));
        if let Some(directory) = &mut self.directory {
            directory.row(progress, seconds);
        }
    }
}

/// The column in `panicked at FILE:LINE:COLUMN: MESSAGE`.
fn panic_column(outcome: &Outcome, report: &stet_explore::Report) -> u32 {
    let Outcome::Error(_, message) = outcome else {
        return 0;
    };
    let place = format!("{}:{}:", report.file, report.line);
    let column = message
        .split_once(&place)
        .and_then(|(_, rest)| rest.split(':').next());
    column.and_then(|column| column.parse().ok()).unwrap_or(0)
}
