//! The machine's view of this system: terminal, files, clock, environment.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use stet_run::{Host, HostError, OutputMode};

/// Standard input and output, shared between the program and the top level.
pub(crate) struct Console {
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
    /// The first error of writing to standard output.
    broken: Option<HostError>,
}

impl Console {
    /// `aside`: the standard output is kept for a report, and the program writes to the standard error.
    pub(crate) fn new(aside: bool) -> Self {
        use std::io::IsTerminal;
        Console {
            out: String::new(),
            lines: VecDeque::new(),
            ended: false,
            terminal: std::io::stdin().is_terminal(),
            shared: false,
            aside,
            silent: false,
            broken: None,
        }
    }

    pub(crate) fn share_input(&mut self) {
        self.shared = true;
    }

    pub(crate) fn set_silent(&mut self, silent: bool) {
        self.silent = silent;
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub(crate) fn write(&mut self, text: &str) -> Result<(), HostError> {
        if self.silent {
            return Ok(());
        }
        self.out.push_str(text);
        if self.out.len() > 1 << 16 || self.terminal && text.contains('\n') {
            return self.flush();
        }
        Ok(())
    }

    /// Passes on what was written. An error is kept: what follows would not be complete.
    pub(crate) fn flush(&mut self) -> Result<(), HostError> {
        let text = std::mem::take(&mut self.out);
        if let Some(error) = self.broken {
            return Err(error);
        }
        let mut stream: Box<dyn Write> = if self.aside {
            Box::new(std::io::stderr().lock())
        } else {
            Box::new(std::io::stdout().lock())
        };
        let result = stream
            .write_all(text.as_bytes())
            .and_then(|()| stream.flush());
        if let Err(error) = result {
            self.broken = Some(host_error(&error));
        }
        self.broken.map_or(Ok(()), Err)
    }

    /// The first error of writing to standard output, other than a reader that went away.
    pub(crate) fn write_error(&self) -> bool {
        self.broken.is_some_and(|error| error != HostError::Closed)
    }

    /// The next line with its line end; `None` at the end of input.
    pub(crate) fn read_line(&mut self) -> Option<String> {
        // The next write reports what went wrong.
        let _ = self.flush();
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
    pub(crate) fn unread_line(&mut self, line: String) {
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

/// The hosts of a run: the first machine's writes to the console given, others to consoles of their own.
pub(crate) struct Hosts {
    console: Mutex<Option<Arc<Mutex<Console>>>>,
    aside: bool,
}

impl Hosts {
    pub(crate) fn new(console: &Arc<Mutex<Console>>) -> Self {
        let aside = console.lock().unwrap_or_else(PoisonError::into_inner).aside;
        Hosts {
            console: Mutex::new(Some(console.clone())),
            aside,
        }
    }

    /// The host of one more machine.
    pub(crate) fn next(&self) -> Box<dyn Host> {
        let mut first = self.console.lock().unwrap_or_else(PoisonError::into_inner);
        let console = first
            .take()
            .unwrap_or_else(|| Arc::new(Mutex::new(Console::new(self.aside))));
        Box::new(SystemHost::new(console))
    }
}

pub(crate) struct SystemHost {
    console: Arc<Mutex<Console>>,
    files: Vec<Option<std::io::BufWriter<File>>>,
    start: Instant,
    variables: BTreeMap<String, Option<String>>,
    temporary: u32,
}

impl SystemHost {
    pub(crate) fn new(console: Arc<Mutex<Console>>) -> Self {
        SystemHost {
            console,
            files: Vec::new(),
            start: Instant::now(),
            variables: BTreeMap::new(),
            temporary: 0,
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
        std::io::ErrorKind::BrokenPipe => HostError::Closed,
        _ => HostError::Other,
    }
}

impl Host for SystemHost {
    fn write_output(&mut self, text: &str) -> Result<(), HostError> {
        self.console().write(text)
    }

    fn flush_output(&mut self) -> Result<(), HostError> {
        self.console().flush()?;
        for file in self.files.iter_mut().flatten() {
            file.flush().map_err(|error| host_error(&error))?;
        }
        Ok(())
    }

    fn write_error(&mut self, text: &str) {
        let mut console = self.console();
        if console.silent {
            return;
        }
        // What was written before comes before; its error shows at the next write.
        let _ = console.flush();
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    fn read_input(&mut self) -> Option<String> {
        let mut console = self.console();
        if console.terminal {
            let _ = console.write("|: ");
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

    fn open_output(&mut self, path: &str, mode: OutputMode) -> Result<u32, HostError> {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .append(mode == OutputMode::Append)
            .truncate(mode == OutputMode::Write)
            .open(path)
            .map_err(|error| host_error(&error))?;
        self.files.push(Some(std::io::BufWriter::new(file)));
        Ok(self.files.len() as u32 - 1)
    }

    fn write_file(&mut self, file: u32, bytes: &[u8]) -> Result<(), HostError> {
        match self.files.get_mut(file as usize) {
            Some(Some(file)) => file.write_all(bytes).map_err(|error| host_error(&error)),
            _ => Ok(()),
        }
    }

    fn close_file(&mut self, file: u32) -> Result<(), HostError> {
        let slot = self.files.get_mut(file as usize);
        match slot.and_then(Option::take) {
            Some(mut file) => file.flush().map_err(|error| host_error(&error)),
            None => Ok(()),
        }
    }

    fn file_exists(&mut self, path: &str) -> bool {
        crate::input::is_readable(std::path::Path::new(path))
    }

    fn real_path(&mut self, path: &str) -> Option<String> {
        let real = std::fs::canonicalize(path).ok()?;
        Some(real.to_string_lossy().into_owned())
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

    fn edit(&mut self, path: &str, line: u32) -> Result<(), HostError> {
        let editor = ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| self.variable(name))
            .ok_or(HostError::Missing)?;
        let mut words = editor.split_whitespace();
        let program = words.next().ok_or(HostError::Missing)?;
        let status = std::process::Command::new(program)
            .args(words)
            .arg(format!("+{line}"))
            .arg(path)
            .status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(HostError::Other),
            Err(error) => Err(host_error(&error)),
        }
    }

    /// The processor time of this thread, to the nanosecond where the system tells it.
    fn cpu_time(&mut self) -> f64 {
        match cpu_time::ThreadTime::try_now() {
            Ok(time) => time.as_duration().as_secs_f64(),
            Err(_) => self.start.elapsed().as_secs_f64(),
        }
    }

    fn variable(&mut self, name: &str) -> Option<String> {
        match self.variables.get(name) {
            Some(value) => value.clone(),
            None => std::env::var(name).ok(),
        }
    }

    fn set_variable(&mut self, name: &str, value: Option<&str>) {
        let value = value.map(str::to_owned);
        self.variables.insert(name.to_owned(), value);
    }

    fn list_directory(&mut self, path: &str) -> Result<Vec<String>, HostError> {
        let mut names = vec![".".to_owned(), "..".to_owned()];
        for entry in std::fs::read_dir(path).map_err(|error| host_error(&error))? {
            let entry = entry.map_err(|error| host_error(&error))?;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    fn make_directory(&mut self, path: &str) -> Result<(), HostError> {
        std::fs::create_dir(path).map_err(|error| host_error(&error))
    }

    fn delete_directory(&mut self, path: &str) -> Result<(), HostError> {
        std::fs::remove_dir(path).map_err(|error| host_error(&error))
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), HostError> {
        std::fs::rename(from, to).map_err(|error| host_error(&error))
    }

    fn change_directory(&mut self, path: &str) -> Result<(), HostError> {
        std::env::set_current_dir(path).map_err(|error| host_error(&error))
    }

    fn file_status(&mut self, path: &str) -> Result<(u64, f64), HostError> {
        let found = std::fs::metadata(path).map_err(|error| host_error(&error))?;
        let modified = found.modified().ok();
        let time = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok((found.len(), time.map_or(0.0, |time| time.as_secs_f64())))
    }

    fn temporary_name(&mut self, stem: &str, extension: &str) -> String {
        self.temporary += 1;
        let name = format!(
            "stet_{stem}_{}_{}{extension}",
            std::process::id(),
            self.temporary
        );
        std::env::temp_dir().join(name).display().to_string()
    }

    fn mute(&mut self, muted: bool) {
        self.console().set_silent(muted);
    }

    fn sleep(&mut self, seconds: f64) {
        if let Ok(time) = std::time::Duration::try_from_secs_f64(seconds) {
            std::thread::sleep(time);
        }
    }

    fn directory(&mut self) -> String {
        std::env::current_dir()
            .map_or_else(|_| ".".to_owned(), |path| format!("{}/", path.display()))
    }
}
