//! The machine's view of this system: terminal, files, clock, environment.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use stet_run::{Host, HostError};

/// Standard input and output, shared between the program and the top level.
pub(super) struct Console {
    out: String,
    lines: VecDeque<String>,
    ended: bool,
    /// Whether input comes from a terminal: then it is taken line by line.
    terminal: bool,
    /// The top level reads queries from the same input: a program takes no more than a line at a time.
    shared: bool,
    /// Whether the program writes to the standard error, because a report takes the standard output.
    aside: bool,
    /// What is written is dropped.
    silent: bool,
}

impl Console {
    /// `aside`: the standard output is kept for a report, and the program writes to the standard error.
    pub(super) fn new(aside: bool) -> Self {
        use std::io::IsTerminal;
        Console {
            out: String::new(),
            lines: VecDeque::new(),
            ended: false,
            terminal: std::io::stdin().is_terminal(),
            shared: false,
            aside,
            silent: false,
        }
    }

    pub(super) fn share_input(&mut self) {
        self.shared = true;
    }

    pub(super) fn set_silent(&mut self, silent: bool) {
        self.silent = silent;
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub(super) fn write(&mut self, text: &str) {
        if self.silent {
            return;
        }
        self.out.push_str(text);
        if self.out.len() > 1 << 16 || self.terminal && text.contains('\n') {
            self.flush();
        }
    }

    pub(super) fn flush(&mut self) {
        let mut stream: Box<dyn Write> = if self.aside {
            Box::new(std::io::stderr().lock())
        } else {
            Box::new(std::io::stdout().lock())
        };
        // A closed pipe is the reader's business.
        let _ = stream.write_all(self.out.as_bytes());
        let _ = stream.flush();
        self.out.clear();
    }

    /// The next line with its line end; `None` at the end of input.
    pub(super) fn read_line(&mut self) -> Option<String> {
        self.flush();
        if let Some(line) = self.lines.pop_front() {
            return Some(line);
        }
        if self.ended {
            return None;
        }
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(count) if count > 0 => Some(line),
            _ => {
                self.ended = !self.terminal;
                None
            }
        }
    }

    /// Puts a line back to be read next.
    pub(super) fn unread_line(&mut self, line: String) {
        self.lines.push_front(line);
    }

    /// Everything there is to read now: a line from a terminal, a large piece otherwise.
    fn read_piece(&mut self) -> Option<String> {
        let mut piece = self.read_line()?;
        if !self.terminal && !self.shared {
            while piece.len() < 1 << 16 {
                match self.read_line() {
                    Some(line) => piece.push_str(&line),
                    None => break,
                }
            }
        }
        Some(piece)
    }
}

/// The system.
pub(super) struct SystemHost {
    console: Arc<Mutex<Console>>,
    files: Vec<Option<std::io::BufWriter<File>>>,
    start: Instant,
}

impl SystemHost {
    pub(super) fn new(console: Arc<Mutex<Console>>) -> Self {
        SystemHost {
            console,
            files: Vec::new(),
            start: Instant::now(),
        }
    }

    fn console(&self) -> std::sync::MutexGuard<'_, Console> {
        self.console.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn host_error(error: &std::io::Error) -> HostError {
    match error.kind() {
        std::io::ErrorKind::NotFound => HostError::Missing,
        std::io::ErrorKind::PermissionDenied => HostError::Denied,
        _ => HostError::Other,
    }
}

impl Host for SystemHost {
    fn write_output(&mut self, text: &str) {
        self.console().write(text);
    }

    fn flush_output(&mut self) {
        self.console().flush();
        for file in self.files.iter_mut().flatten() {
            let _ = file.flush();
        }
    }

    fn write_error(&mut self, text: &str) {
        let mut console = self.console();
        if console.silent {
            return;
        }
        console.flush();
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    fn read_input(&mut self) -> Option<String> {
        let mut console = self.console();
        if console.terminal {
            console.write("|: ");
        }
        console.read_piece()
    }

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>, HostError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| host_error(&error))?;
        Ok(bytes)
    }

    fn open_output(&mut self, path: &str, append: bool) -> Result<u32, HostError> {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .append(append)
            .truncate(!append)
            .open(path)
            .map_err(|error| host_error(&error))?;
        self.files.push(Some(std::io::BufWriter::new(file)));
        Ok(self.files.len() as u32 - 1)
    }

    fn write_file(&mut self, file: u32, bytes: &[u8]) {
        if let Some(Some(file)) = self.files.get_mut(file as usize) {
            let _ = file.write_all(bytes);
        }
    }

    fn close_file(&mut self, file: u32) {
        let slot = self.files.get_mut(file as usize);
        if let Some(mut file) = slot.and_then(Option::take) {
            let _ = file.flush();
        }
    }

    fn file_exists(&mut self, path: &str) -> bool {
        std::path::Path::new(path).is_file()
    }

    fn directory_exists(&mut self, path: &str) -> bool {
        std::path::Path::new(path).is_dir()
    }

    fn delete_file(&mut self, path: &str) -> Result<(), HostError> {
        std::fs::remove_file(path).map_err(|error| host_error(&error))
    }

    fn wall_time(&mut self) -> f64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |time| time.as_secs_f64())
    }

    /// The processor time of this thread, to the nanosecond where the system tells it.
    fn cpu_time(&mut self) -> f64 {
        match cpu_time::ThreadTime::try_now() {
            Ok(time) => time.as_duration().as_secs_f64(),
            Err(_) => self.start.elapsed().as_secs_f64(),
        }
    }

    fn variable(&mut self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn directory(&mut self) -> String {
        std::env::current_dir()
            .map_or_else(|_| ".".to_owned(), |path| format!("{}/", path.display()))
    }
}
