//! Dafny programs from files to Boogie programs in memory.

use crate::session::Session;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_base::FileId;
use stet_dafny::Includes;
pub(crate) use stet_dafny_verify::{Loaded, front};

/// Reads included files relative to the file that includes them.
pub(crate) struct Files;

impl Includes for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        let base = Path::new(from).parent().unwrap_or(Path::new(""));
        let file: PathBuf = base.join(path);
        let name = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok((name.display().to_string(), text.into())),
            Err(error) => Err(format!("unable to open included file `{path}`: {error}")),
        }
    }
}

/// Parses and resolves a program.
pub(crate) fn resolve(
    session: &mut Session,
    files: &[FileId],
    options: stet_dafny::Options,
) -> stet_dafny::Checked {
    stet_dafny::check_with(&mut session.sources, files, &mut Files, options)
}

/// Parses, resolves and translates a program.
pub(crate) fn load(session: &mut Session, files: &[FileId]) -> Loaded {
    stet_dafny_verify::load(&mut session.sources, files, &mut Files)
}
