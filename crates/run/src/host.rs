//! The machine's interface to the outside world: files, terminal, clock, environment.
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
    /// Nobody reads the output any more.
    Closed,
    Other,
}

/// What becomes of the content a file has when it is opened for output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMode {
    /// The old content is removed first.
    Write,
    /// What is written goes to the end.
    Append,
    /// What is written replaces the content from the start on.
    Update,
}

/// The outside world.
pub trait Host: Send {
    /// Writes to standard output.
    fn write_output(&mut self, text: &str) -> Result<(), HostError>;
    /// Passes on what was written to standard output and to files.
    fn flush_output(&mut self) -> Result<(), HostError> {
        Ok(())
    }
    /// Writes to standard error.
    fn write_error(&mut self, text: &str);
    /// The next piece of standard input, ending in a line end unless it is the last; `None` at the end.
    fn read_input(&mut self) -> Option<String>;
    /// The bytes of a file.
    fn read_file(&mut self, path: &str) -> Result<Vec<u8>, HostError>;
    /// Creates, empties or (`append`) opens a file for writing.
    fn open_output(&mut self, path: &str, mode: OutputMode) -> Result<u32, HostError>;
    /// Writes to an opened file.
    fn write_file(&mut self, file: u32, bytes: &[u8]) -> Result<(), HostError>;
    /// Closes an opened file.
    fn close_file(&mut self, file: u32) -> Result<(), HostError>;
    /// Whether a file exists.
    fn file_exists(&mut self, path: &str) -> bool;
    /// One name for all that lead to an existing file.
    fn real_path(&mut self, _path: &str) -> Option<String> {
        None
    }
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
    /// Changes an environment variable for this program (`None` removes it).
    fn set_variable(&mut self, _name: &str, _value: Option<&str>) {}
    /// The names in a directory.
    fn list_directory(&mut self, _path: &str) -> Result<Vec<String>, HostError> {
        Err(HostError::Other)
    }
    /// Makes a directory.
    fn make_directory(&mut self, _path: &str) -> Result<(), HostError> {
        Err(HostError::Other)
    }
    /// Removes an empty directory.
    fn delete_directory(&mut self, _path: &str) -> Result<(), HostError> {
        Err(HostError::Other)
    }
    /// Renames a file or directory.
    fn rename(&mut self, _from: &str, _to: &str) -> Result<(), HostError> {
        Err(HostError::Other)
    }
    /// Makes another directory the current one.
    fn change_directory(&mut self, _path: &str) -> Result<(), HostError> {
        Err(HostError::Other)
    }
    /// Lets a person edit a file, starting at a line; comes back when that is done.
    fn edit(&mut self, _path: &str, _line: u32) -> Result<(), HostError> {
        Err(HostError::Other)
    }
    /// The size of a file in bytes, and the time it was written.
    fn file_status(&mut self, _path: &str) -> Result<(u64, f64), HostError> {
        Err(HostError::Other)
    }
    /// A name for a new temporary file or directory.
    fn temporary_name(&mut self, stem: &str, extension: &str) -> String {
        format!("/tmp/{stem}{extension}")
    }
    /// What is written from now on is dropped, or is not any more.
    fn mute(&mut self, _muted: bool) {}
    fn sleep(&mut self, _seconds: f64) {}
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
    /// Files open for output, and where the next byte goes.
    opened: Vec<(String, usize)>,
    ticks: u64,
}

/// A path without `.` and without folders it leaves again.
fn folded(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts
                .last()
                .is_some_and(|&last| last != ".." && !last.is_empty()) =>
            {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

impl Host for MemoryHost {
    fn write_output(&mut self, text: &str) -> Result<(), HostError> {
        if let Ok(mut output) = self.output.lock() {
            output.push_str(text);
        }
        Ok(())
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
        let file = self.files.get(&folded(path));
        file.cloned().ok_or(HostError::Missing)
    }

    fn open_output(&mut self, path: &str, mode: OutputMode) -> Result<u32, HostError> {
        let file = self.files.entry(path.to_owned()).or_default();
        if mode == OutputMode::Write {
            file.clear();
        }
        let at = match mode {
            OutputMode::Append => file.len(),
            OutputMode::Write | OutputMode::Update => 0,
        };
        self.opened.push((path.to_owned(), at));
        Ok(self.opened.len() as u32 - 1)
    }

    fn write_file(&mut self, file: u32, bytes: &[u8]) -> Result<(), HostError> {
        if let Some((path, at)) = self.opened.get_mut(file as usize) {
            let content = self.files.entry(path.clone()).or_default();
            let start = (*at).min(content.len());
            let end = (start + bytes.len()).min(content.len());
            content.splice(start..end, bytes.iter().copied());
            *at = start + bytes.len();
        }
        Ok(())
    }

    fn close_file(&mut self, _file: u32) -> Result<(), HostError> {
        Ok(())
    }

    fn file_exists(&mut self, path: &str) -> bool {
        self.files.contains_key(&folded(path))
    }

    fn real_path(&mut self, path: &str) -> Option<String> {
        Some(folded(path))
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

    fn rename(&mut self, from: &str, to: &str) -> Result<(), HostError> {
        let file = self.files.remove(from).ok_or(HostError::Missing)?;
        self.files.insert(to.to_owned(), file);
        Ok(())
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
