//! The environment of a command: the options common to all, the source files, the budget, the store, and the
//! place where diagnostics go.
//!
//! A command calls [`Session::report`] for each diagnostic as it is found, optionally
//! [`Session::set_result`] and [`Session::set_statistics`], and returns its [`ExitStatus`]; formats, exit
//! codes, notes about the store and interruption are dealt with here, once.

use crate::catalog::CATALOG;
use crate::exit::ExitStatus;
use crate::options::{CacheMode, Format, GlobalOptions};
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::shared::{self, CheckCache};
use crate::watchdog::{self, Watch};
use crate::{input, interrupt, version};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use stet_base::{Budget, FileId, SourceMap};
use stet_diag::{Diagnostic, Report, Severity};
use stet_store::{Config, Mode, RemoteTier, Store};

/// One run of one command.
#[derive(Debug)]
pub(crate) struct Session {
    /// The options common to all commands.
    pub(crate) options: GlobalOptions,
    /// Every source file read.
    pub(crate) sources: SourceMap,
    /// Where results go; commands with output of their own write here.
    pub(crate) output: Output,
    command: &'static str,
    budget: Budget,
    /// Kept until the results are out.
    _watch: Watch,
    store: OnceLock<Arc<Store>>,
    /// The progress line shown last: out of the way while something is printed.
    progress: Mutex<Option<Progress>>,
    diagnostics: Vec<Diagnostic>,
    /// What is being checked now, for commands that do several things.
    subject: Option<String>,
    result: Value,
    statistics: Value,
}

#[allow(dead_code, reason = "the engines' commands use what they need")]
impl Session {
    /// A session for a command; starts the clock of `--time-limit` and the watch for Ctrl-C.
    pub(crate) fn new(
        command: &'static str,
        options: GlobalOptions,
    ) -> Result<Self, Box<Diagnostic>> {
        options.color.apply();
        if let CheckCache::Sample(percent) = options.check_cache {
            stet_store::recheck_share(percent / 100.0);
        }
        let unlimited = Budget::unlimited();
        interrupt::install(&unlimited);
        let output = Output::open(options.output.as_deref(), &unlimited)?;
        let time = options
            .time_limit
            .map(|seconds| Duration::from_secs_f64(seconds.0));
        let budget = match time {
            Some(time) => unlimited.limited_to(time),
            None => unlimited,
        };
        let watch = watchdog::start(watchdog::Limits {
            budget: budget.clone(),
            time,
            memory: memory_limit(&options),
            command,
            format: options.format,
        });
        Ok(Session {
            options,
            sources: SourceMap::new(),
            output,
            command,
            budget,
            _watch: watch,
            store: OnceLock::new(),
            progress: Mutex::new(None),
            diagnostics: Vec::new(),
            subject: None,
            result: Value::Null,
            statistics: Value::Null,
        })
    }

    /// The deadline of `--time-limit` and the cancellation by Ctrl-C.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The store that `--cache` and `--store` select, opened on first use.
    pub(crate) fn store(&self) -> &Arc<Store> {
        self.store
            .get_or_init(|| self.open_layers(self.options.cache.into()))
    }

    /// The store in a mode of the caller's choice, for maintenance: without the shared one.
    pub(crate) fn open_store(&self, mode: Mode) -> Arc<Store> {
        let path = match mode {
            Mode::Off => None,
            _ => self.store_path(),
        };
        Store::open(Config {
            path,
            size_limit: self.options.store_limit.0,
            trusted: self.trusted(),
            ..Config::memory(mode)
        })
    }

    /// The store with the shared one behind it. Mistakes in the options were reported by [`Session::check_shared`].
    fn open_layers(&self, mode: Mode) -> Arc<Store> {
        let path = match mode {
            Mode::Off => None,
            _ => self.store_path(),
        };
        let url = shared::url(&self.options).ok().flatten();
        let remote = shared::people(&self.options)
            .ok()
            .and_then(|people| shared::open(&self.options, url, people, path.as_deref(), mode));
        Store::open(Config {
            path,
            size_limit: self.options.store_limit.0,
            remote: remote.map(|remote| remote as Arc<dyn RemoteTier>),
            trusted: self.trusted(),
            ..Config::memory(mode)
        })
    }

    /// The public keys whose entries are believed.
    fn trusted(&self) -> Arc<[String]> {
        let people = shared::people(&self.options);
        let keys = people.iter().flat_map(|people| people.trust.list());
        keys.map(|(_, key)| key).collect()
    }

    /// Reports what is wrong with the options about the shared store.
    pub(crate) fn check_shared(&mut self) -> Option<ExitStatus> {
        let url = shared::url(&self.options).err();
        let people = shared::people(&self.options).err();
        let diagnostic = url.or(people)?;
        self.report(*diagnostic);
        Some(ExitStatus::Usage)
    }

    /// Names the program that is checked, so that what was used for it last time comes in one piece from the
    /// shared store.
    pub(crate) fn begin_program(&self, files: &[PathBuf]) {
        if self.options.cache == CacheMode::Off || !self.store().is_shared() {
            return;
        }
        let names = files.iter().filter_map(|file| file.file_name());
        let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
        self.store()
            .begin(&format!("{} {}", self.command, names.join(" ")));
    }

    /// The file of the store: `--store`, else `stet/store.db` in the user's cache directory, if there is one.
    pub(crate) fn store_path(&self) -> Option<PathBuf> {
        shared::local_path(&self.options).or_else(default_store_path)
    }

    /// How many workers `--jobs` allows; by default one per processor.
    pub(crate) fn jobs(&self) -> usize {
        self.options.jobs.map_or_else(
            || std::thread::available_parallelism().map_or(1, usize::from),
            usize::from,
        )
    }

    /// Whether every hit must be recomputed and compared (law 6).
    pub(crate) fn check_cache(&self) -> bool {
        self.options.check_cache == CheckCache::All
    }

    /// Reads a source file into [`Session::sources`]; reports what is wrong with it otherwise.
    pub(crate) fn read_source(&mut self, path: &Path) -> Option<FileId> {
        self.read_as(path, path.display().to_string())
    }

    /// Reads the standard input as a source file of this name.
    pub(crate) fn read_input(&mut self, name: &str) -> Option<FileId> {
        self.read_as(Path::new("-"), name.to_owned())
    }

    fn read_as(&mut self, path: &Path, name: String) -> Option<FileId> {
        let added = input::read_text(path).and_then(|text| {
            let added = self.sources.add(name.clone(), text);
            added.ok_or_else(|| Box::new(input::too_large(&name)))
        });
        added.map_err(|diagnostic| self.report(*diagnostic)).ok()
    }

    /// Takes a diagnostic: text formats print it at once, the others at the end.
    pub(crate) fn report(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.subject.is_none() {
            diagnostic.subject.clone_from(&self.subject);
        }
        let quiet = self.options.quiet && diagnostic.severity == Severity::Note;
        match self.options.format {
            _ if quiet => {}
            Format::Full => {
                let text = stet_diag::full(&self.sources, &diagnostic);
                self.print(&format!("{text}\n"));
            }
            Format::Concise => {
                let text = stet_diag::concise(&self.sources, &diagnostic);
                self.print(&text);
            }
            Format::Json | Format::Sarif | Format::Junit | Format::Markdown => {}
        }
        self.diagnostics.push(diagnostic);
    }

    /// A line for people: printed in the text formats only, and not with `--quiet`.
    pub(crate) fn say(&self, text: &str) {
        if self.is_text() && !self.options.quiet {
            self.print(text);
        }
    }

    /// A line of what the command was asked for: printed in the text formats, also with `--quiet`.
    pub(crate) fn answer(&self, text: &str) {
        if self.is_text() {
            self.print(text);
        }
    }

    /// What the explored program printed: with the findings in text formats, and never inside a document.
    pub(crate) fn show(&self, text: &str) {
        match (self.is_text(), self.output.is_standard()) {
            (true, _) => self.output.line(text),
            (false, true) => crate::output::error_line(text),
            (false, false) => crate::output::standard_line(text),
        }
    }

    /// A line for people who asked for `--verbose`.
    pub(crate) fn say_verbose(&self, text: &str) {
        if self.is_text() && self.options.verbose > 0 {
            self.print(text);
        }
    }

    /// Whether the output is text for people.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.options.format, Format::Full | Format::Concise)
    }

    /// Whether there will be a report with the engine's account: it can be long, and text formats do not show it.
    pub(crate) fn wants_result(&self) -> bool {
        !matches!(self.options.format, Format::Full | Format::Concise)
    }

    /// Names what the diagnostics from now on are about.
    pub(crate) fn set_subject(&mut self, subject: Option<String>) {
        self.subject = subject;
    }

    /// The engine's account of its obligations, for the JSON report.
    pub(crate) fn set_result(&mut self, result: Value) {
        self.result = result;
    }

    /// Counters, for the JSON report.
    pub(crate) fn set_statistics(&mut self, statistics: Value) {
        self.statistics = statistics;
    }

    /// Takes the account and the counters of what was done so far, for commands that do several things.
    pub(crate) fn take_account(&mut self) -> (Value, Value) {
        (self.result.take(), self.statistics.take())
    }

    /// A progress line that counts to `total`.
    pub(crate) fn progress(&self, total: u64) -> Progress {
        self.keep(Progress::counting(self.shows_progress(), total))
    }

    /// A progress line without a known end.
    pub(crate) fn spinner(&self) -> Progress {
        self.keep(Progress::spinning(self.shows_progress()))
    }

    fn keep(&self, progress: Progress) -> Progress {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        progress
    }

    fn print(&self, line: &str) {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        match &*progress {
            Some(progress) => progress.suspend(|| self.output.line(line)),
            None => self.output.line(line),
        }
    }

    fn shows_progress(&self) -> bool {
        self.is_text() && !self.options.quiet
    }

    /// `Findings` if an error was reported, else `Clean`: what most commands return.
    pub(crate) fn status_of_diagnostics(&self) -> ExitStatus {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            ExitStatus::Findings
        } else {
            ExitStatus::Clean
        }
    }

    /// Reports that a reused verdict and its recomputation disagree (law 6).
    pub(crate) fn report_cache_mismatch(
        &mut self,
        stored: &stet_key::Digest,
        recomputed: &stet_key::Digest,
        what: &str,
    ) -> ExitStatus {
        let diagnostic = Diagnostic::error(
            "internal/cache-mismatch",
            format!("a cached verdict differs from its recomputation: {what}"),
        )
        .with_note(format!("key of the cached verdict:  {stored}"))
        .with_note(format!("key of the recomputed one: {recomputed}"))
        .with_note(self.blame(&stored.to_hex()));
        self.report(diagnostic);
        ExitStatus::Internal
    }

    /// Who is to blame for a wrong verdict, by the first key that a text about it names: whoever signed the
    /// verdict, or Stet.
    pub(crate) fn blame(&self, text: &str) -> String {
        let mut words = text.split(|c: char| !c.is_ascii_hexdigit());
        let key = words.find_map(stet_key::Digest::from_hex);
        let Some(signer) = key.and_then(|key| self.store().signer_of(&key)) else {
            return "this is a defect of Stet; please report it with the input".to_owned();
        };
        let people = shared::people(&self.options);
        let name = people
            .as_ref()
            .ok()
            .and_then(|people| people.trust.name_of(&signer))
            .unwrap_or("somebody");
        format!(
            "it was signed by {name} ({signer}); to believe nothing more of that signer: \
             `stet cache keys untrust {name}`"
        )
    }

    /// Ends the session: flushes the store, tells what went wrong with it, prints the structured formats.
    pub(crate) fn finish(mut self, status: ExitStatus) -> u8 {
        let mut status = status;
        if let Some(store) = self.store.get().cloned() {
            store.finish();
            self.tell_store_notes(&store);
            self.tell_traffic(&store);
            status = self.enforce(&store, status);
        }
        if watchdog::memory_exceeded() && status != ExitStatus::Internal {
            self.report(watchdog::memory_diagnostic(memory_limit(&self.options)));
            if status != ExitStatus::Findings {
                status = ExitStatus::Inconclusive;
            }
        }
        if interrupt::was_interrupted() && status != ExitStatus::Internal {
            status = ExitStatus::Interrupted;
        }
        let code = status.code();
        self.print_report(code);
        if self.output.failed() && status != ExitStatus::Internal {
            return ExitStatus::Usage.code();
        }
        code
    }

    /// Prints what the store has to say to the standard error, and puts it into the report.
    pub(crate) fn tell_store_notes(&mut self, store: &Store) {
        for note in store.take_notes() {
            let mut diagnostic = Diagnostic::warning(note.code, note.message);
            diagnostic.notes.extend(note.advice);
            output::error_diagnostic(&self.sources, &diagnostic);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Says what was exchanged with the shared store: to the standard error, and in the statistics.
    fn tell_traffic(&mut self, store: &Store) {
        let Some(traffic) = store.traffic().filter(|traffic| traffic.requests > 0) else {
            return;
        };
        if self.is_text() && !self.options.quiet {
            output::error_line(&format!(
                "shared store: {} reused, {} sent; {} bytes received, {} bytes sent, {} ms waited",
                output::counted(traffic.verdicts, "verdict"),
                traffic.sent,
                traffic.bytes_received,
                traffic.bytes_sent,
                traffic.waited
            ));
        }
        if self.statistics.is_null() {
            self.statistics = json!({});
        }
        if let Some(statistics) = self.statistics.as_object_mut() {
            let value = json!({
                "verdicts": traffic.verdicts, "refused": traffic.refused, "sent": traffic.sent,
                "requests": traffic.requests, "bytes_received": traffic.bytes_received,
                "bytes_sent": traffic.bytes_sent, "waited_ms": traffic.waited,
            });
            statistics.insert("shared_store".to_owned(), value);
        }
    }

    /// `--cache enforce`: a miss makes the run inconclusive, whatever was found: what the store did not answer
    /// was not to be computed. Only wrong usage, defects and interruption count more.
    fn enforce(&mut self, store: &Store, status: ExitStatus) -> ExitStatus {
        let misses = store.counters().misses;
        if store.mode() != Mode::Enforce || misses == 0 {
            return status;
        }
        self.report(
            Diagnostic::error(
                "cache/enforced-miss",
                format!(
                    "`--cache enforce`: {} not answered by the store",
                    output::counted(misses, "look-up")
                ),
            )
            .with_note("run once with `--cache read-write`, or ask `stet cache why SUBJECT`"),
        );
        match status {
            ExitStatus::Usage | ExitStatus::Internal | ExitStatus::Interrupted => status,
            ExitStatus::Clean
            | ExitStatus::Findings
            | ExitStatus::Inconclusive
            | ExitStatus::Code(_) => ExitStatus::Inconclusive,
        }
    }

    fn print_report(&self, exit_code: u8) {
        let report = Report {
            command: self.command,
            version: version::NUMBER,
            catalog: CATALOG,
            sources: &self.sources,
            diagnostics: &self.diagnostics,
            result: &self.result,
            statistics: &self.statistics,
            exit_code,
        };
        if let Some(text) = self.options.format.document(&report) {
            self.output.line(&text);
        }
    }
}

impl From<CacheMode> for Mode {
    fn from(mode: CacheMode) -> Mode {
        match mode {
            CacheMode::ReadWrite => Mode::ReadWrite,
            CacheMode::ReadOnly => Mode::ReadOnly,
            CacheMode::Enforce => Mode::Enforce,
            CacheMode::Off => Mode::Off,
        }
    }
}

fn memory_limit(options: &GlobalOptions) -> u64 {
    options
        .memory_limit
        .map_or_else(watchdog::default_memory, |size| size.0)
}

/// `$XDG_CACHE_HOME/stet/store.db`, or the same under `~/.cache`.
fn default_store_path() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let base = match set("XDG_CACHE_HOME") {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(set("HOME")?).join(".cache"),
    };
    Some(base.join("stet").join("store.db"))
}
