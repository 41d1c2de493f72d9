//! Files of the folders that an editor has open, and the options of Dafny projects.

use std::path::{Path, PathBuf};
use stet_lsp::Workspace;
use stet_verify::Options;

/// How many files are looked at while the user waits.
const MAX_FILES: usize = 5_000;
/// How many entries of directories are looked at.
const MAX_ENTRIES: usize = 100_000;
/// Larger files were hardly written by hand.
const MAX_SIZE: u64 = 4 << 20;

/// Directories with what tools made, not users.
const MADE: [&str; 3] = ["target", "node_modules", "build"];

/// The files of this machine.
pub(crate) struct Disk;

impl Workspace for Disk {
    fn files(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut pending = vec![PathBuf::from(folder)];
        let mut seen = 0;
        while let Some(directory) = pending.pop() {
            // A directory that cannot be read has nothing to show.
            let entries = std::fs::read_dir(&directory).into_iter().flatten();
            for entry in entries.flatten() {
                seen += 1;
                if seen > MAX_ENTRIES || found.len() >= MAX_FILES {
                    return found;
                }
                let path = entry.path();
                let kind = entry.file_type();
                if kind.as_ref().is_ok_and(|kind| kind.is_dir()) {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if !name.starts_with('.') && !MADE.contains(&name.as_str()) {
                        pending.push(path);
                    }
                } else if kind.is_ok_and(|kind| kind.is_file()) && is_source(&path) {
                    found.push(path.display().to_string());
                }
            }
        }
        found
    }

    fn text(&self, path: &str) -> Option<String> {
        let size = std::fs::metadata(path).ok()?.len();
        (size <= MAX_SIZE).then(|| std::fs::read_to_string(path).ok())?
    }

    fn adapt(&self, path: &str, options: &mut Options) {
        if path.ends_with(".dfy") {
            crate::commands::dafny::adapt_to_project(path, options);
        }
    }
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("dfy" | "bpl" | "pl"))
}
