//! What the machine asks of the outside world: files, terminal, clock, environment.
//!
//! The command line implements it for a real system; tests use [`MemoryHost`]. Nothing else below the
//! command line performs I/O.

use std::collections::BTreeMap;

/// Why the host could not do it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostError {
    /// There is no such file.
    Missing,
    /// It may not be opened that way.
    Denied,
    /// Anything else.
    Other,
}

/// The outside world.
pub trait Host: Send {
    /// Writes to standard output.
    fn write_output(&mut self, text: &str);
    /// Passes on what was written to standard output and to files.
    fn flush_output(&mut self) {}
    /// Writes to standard error.
    fn write_error(&mut self, text: &str);
    /// The next piece of standard input, ending in a line end unless it is the last; `None` at the end.
    fn read_input(&mut self) -> Option<String>;
    /// The bytes of a file.
    fn read_file(&mut self, path: &str) -> Result<Vec<u8>, HostError>;
    /// Creates, empties or (`append`) opens a file for writing.
    fn open_output(&mut self, path: &str, append: bool) -> Result<u32, HostError>;
    /// Writes to an opened file.
    fn write_file(&mut self, file: u32, bytes: &[u8]);
    /// Closes an opened file.
    fn close_file(&mut self, file: u32);
    /// Whether a file exists.
    fn file_exists(&mut self, path: &str) -> bool;
    /// Whether a directory exists.
    fn directory_exists(&mut self, path: &str) -> bool;
    /// Removes a file.
    fn delete_file(&mut self, path: &str) -> Result<(), HostError>;
    /// Seconds since 1970.
    fn wall_time(&mut self) -> f64;
    /// Seconds of processor time used.
    fn cpu_time(&mut self) -> f64;
    /// An environment variable.
    fn variable(&mut self, name: &str) -> Option<String>;
    /// The current directory.
    fn directory(&mut self) -> String;
}

/// A world in memory, for tests.
#[derive(Debug, Default)]
pub struct MemoryHost {
    /// What was written to standard output.
    pub output: std::sync::Arc<std::sync::Mutex<String>>,
    /// What was written to standard error.
    pub errors: std::sync::Arc<std::sync::Mutex<String>>,
    /// Standard input still to be read.
    pub input: String,
    /// Files by path.
    pub files: BTreeMap<String, Vec<u8>>,
    opened: Vec<String>,
    ticks: u64,
}

impl Host for MemoryHost {
    fn write_output(&mut self, text: &str) {
        if let Ok(mut output) = self.output.lock() {
            output.push_str(text);
        }
    }

    fn write_error(&mut self, text: &str) {
        if let Ok(mut errors) = self.errors.lock() {
            errors.push_str(text);
        }
    }

    fn read_input(&mut self) -> Option<String> {
        let input = std::mem::take(&mut self.input);
        (!input.is_empty()).then_some(input)
    }

    fn read_file(&mut self, path: &str) -> Result<Vec<u8>, HostError> {
        self.files.get(path).cloned().ok_or(HostError::Missing)
    }

    fn open_output(&mut self, path: &str, append: bool) -> Result<u32, HostError> {
        let file = self.files.entry(path.to_owned()).or_default();
        if !append {
            file.clear();
        }
        self.opened.push(path.to_owned());
        Ok(self.opened.len() as u32 - 1)
    }

    fn write_file(&mut self, file: u32, bytes: &[u8]) {
        if let Some(path) = self.opened.get(file as usize) {
            self.files.entry(path.clone()).or_default().extend(bytes);
        }
    }

    fn close_file(&mut self, _file: u32) {}

    fn file_exists(&mut self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn directory_exists(&mut self, _path: &str) -> bool {
        false
    }

    fn delete_file(&mut self, path: &str) -> Result<(), HostError> {
        self.files
            .remove(path)
            .map(|_| ())
            .ok_or(HostError::Missing)
    }

    fn wall_time(&mut self) -> f64 {
        self.ticks += 1;
        self.ticks as f64
    }

    fn cpu_time(&mut self) -> f64 {
        self.ticks += 1;
        self.ticks as f64 / 1000.0
    }

    fn variable(&mut self, _name: &str) -> Option<String> {
        None
    }

    fn directory(&mut self) -> String {
        "/".to_owned()
    }
}
