//! The destination of results: the standard output or the file of `--output`. Colours on terminals only.
//!
//! A reader that goes away (`stet … | head`) ends the work quietly: the budget is cancelled, and what would still be
//! printed is dropped. Any other failure to write is reported once and makes the exit code 2, because the answer the user
//! sees is cut off.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use stet_base::{Budget, SourceMap};
use stet_diag::Diagnostic;

/// The one place that writes results.
#[derive(Debug)]
pub(crate) struct Output {
    file: Option<Mutex<File>>,
    /// Cancelled when nobody reads any more.
    budget: Budget,
    closed: AtomicBool,
    failed: AtomicBool,
    serial: Mutex<()>,
}

impl Output {
    /// To `path`, or to the standard output.
    pub(crate) fn open(path: Option<&Path>, budget: &Budget) -> Result<Self, Box<Diagnostic>> {
        let create = |path: &Path| {
            File::create(path).map_err(|error| {
                let message = format!("cannot write `{}`: {error}", path.display());
                Box::new(Diagnostic::error("output/write-failed", message))
            })
        };
        Ok(Output {
            file: path.map(create).transpose()?.map(Mutex::new),
            budget: budget.clone(),
            closed: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            serial: Mutex::new(()),
        })
    }

    /// Whether results go to the standard output, and so share it with the output of a program that is run.
    pub(crate) fn is_standard(&self) -> bool {
        self.file.is_none()
    }

    /// Whether something could not be written although somebody wants to read it.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Writes `text` and a line end. Styles are removed unless the terminal shows them.
    pub(crate) fn line(&self, text: &str) {
        self.raw(format!("{text}\n").as_bytes());
    }

    /// Writes text bytes; styles are removed unless the terminal shows them.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        match &self.file {
            Some(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                self.write(
                    bytes,
                    &mut anstream::StripStream::new(&mut *file as &mut dyn Write),
                );
            }
            None => self.write(bytes, &mut anstream::stdout()),
        }
    }

    /// Writes bytes that are not text.
    pub(crate) fn binary(&self, bytes: &[u8]) {
        match &self.file {
            Some(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                self.write(bytes, &mut *file);
            }
            None => self.write(bytes, &mut std::io::stdout()),
        }
    }

    fn write(&self, bytes: &[u8], stream: &mut dyn Write) {
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        let _serial = self.serial.lock();
        if let Err(error) = stream.write_all(bytes).and_then(|()| stream.flush()) {
            self.closed.store(true, Ordering::Relaxed);
            self.budget.cancel();
            if error.kind() != ErrorKind::BrokenPipe {
                self.failed.store(true, Ordering::Relaxed);
                let message = format!("cannot write the results: {error}");
                let diagnostic = Diagnostic::error("output/write-failed", message);
                error_diagnostic(&SourceMap::new(), &diagnostic);
            }
        }
    }
}

/// Writes a diagnostic to the standard error, for trouble before a session exists.
pub(crate) fn error_diagnostic(sources: &SourceMap, diagnostic: &Diagnostic) {
    error_line(&stet_diag::full(sources, diagnostic));
}

/// Writes a line to the standard output, where results go to a file.
pub(crate) fn standard_line(text: &str) {
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// Writes a line to the standard error.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// `1 verdict`, `2 verdicts`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
