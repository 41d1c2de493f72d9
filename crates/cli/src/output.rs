//! The standard output: colours on terminals only, and a reader that goes away is no error.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use stet_base::SourceMap;
use stet_diag::Diagnostic;

/// Where results go. `stet … | head` closes it early; what follows is dropped quietly.
#[derive(Default, Debug)]
pub(crate) struct Output {
    closed: AtomicBool,
    serial: Mutex<()>,
}

impl Output {
    /// Writes `text` and a line end. Styles are removed unless the terminal shows them.
    pub(crate) fn line(&self, text: &str) {
        self.raw(format!("{text}\n").as_bytes());
    }

    /// Writes text bytes; styles are removed unless the terminal shows them.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        self.write(bytes, &mut anstream::stdout());
    }

    /// Writes bytes that are not text.
    pub(crate) fn binary(&self, bytes: &[u8]) {
        self.write(bytes, &mut std::io::stdout());
    }

    fn write(&self, bytes: &[u8], stdout: &mut dyn Write) {
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        let _serial = self.serial.lock();
        if stdout
            .write_all(bytes)
            .and_then(|()| stdout.flush())
            .is_err()
        {
            self.closed.store(true, Ordering::Relaxed);
        }
    }
}

/// Writes a diagnostic to the standard error, for trouble before a session exists.
pub(crate) fn error_diagnostic(sources: &SourceMap, diagnostic: &Diagnostic) {
    error_line(&stet_diag::full(sources, diagnostic));
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
