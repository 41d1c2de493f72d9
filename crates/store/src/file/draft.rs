//! Drafts: a new store is made complete under another name beside its place, and then appears in one step.
//!
//! A [`Draft`] removes its file and the side files of SQLite when dropped, whatever happened. What a killed
//! process left behind is removed by [`remove_stale`], which every process that opens the store for writing
//! calls. Removing the draft of a living process would be harmless: its link fails and it makes the file in place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Between the name of a store and the number of the process that is making it.
const MARK: &str = ".new-";

/// A draft older than this is stale even if a process with its number lives: numbers are used again.
const AGE: Duration = Duration::from_secs(600);

/// The endings of SQLite's side files.
const SIDE_FILES: [&str; 4] = ["", "-journal", "-wal", "-shm"];

/// A file in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
}

impl Draft {
    /// The place for a draft of `path`, under a name nobody else uses.
    pub(crate) fn new(path: &Path) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut name = path.as_os_str().to_owned();
        name.push(format!("{MARK}{}-{count}", std::process::id()));
        let draft = Draft { path: name.into() };
        // A process with the same number may have been killed here.
        draft.remove();
        draft
    }

    /// Where it is made.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn remove(&self) {
        for ending in SIDE_FILES {
            let mut name: OsString = self.path.clone().into();
            name.push(ending);
            let _ = std::fs::remove_file(name);
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Removes the drafts of `path` that belong to no living process.
pub(crate) fn remove_stale(path: &Path) {
    let Some(name) = path.file_name() else {
        return;
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let prefix = format!("{}{MARK}", name.to_string_lossy());
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Some(rest) = name.strip_prefix(&prefix) else {
            continue;
        };
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_of_dead_process(rest) || age().is_some_and(|age| age > AGE) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether `rest`, such as `123-0-wal`, names a process that has ended; false where that cannot be told.
fn is_of_dead_process(rest: &str) -> bool {
    let digits = rest.split('-').next().unwrap_or_default();
    let Ok(process) = digits.parse::<u32>() else {
        return false;
    };
    let table = Path::new("/proc");
    table.join("self").exists() && !table.join(process.to_string()).exists()
}
