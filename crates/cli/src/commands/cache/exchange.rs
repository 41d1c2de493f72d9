//! `stet cache export` and `import`: verdicts in a file to carry elsewhere.
//!
//! An exported file appears complete or not at all: it is written beside its place and moved there. It never
//! replaces a store, neither the one that is read nor another one.

use super::{open_to_read, open_to_write};
use crate::exit::ExitStatus;
use crate::input;
use crate::output::counted;
use crate::session::Session;
use serde_json::json;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use stet_diag::Diagnostic;
use stet_store::Store;

/// Writes the verdicts to a file, or to the standard output.
pub(super) fn export(session: &mut Session, file: &Path, kind: Option<&str>) -> ExitStatus {
    let Some(store) = open_to_read(session) else {
        return ExitStatus::Usage;
    };
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let written = store.export(&mut bytes, kind);
        session.output.binary(&bytes);
        return match written {
            Ok(_) => ExitStatus::Clean,
            Err(error) => io_trouble(session, file, &error),
        };
    }
    if is_database(file) {
        session.report(
            Diagnostic::error(
                "cache/export-over-store",
                format!("`{}` is a store or another database", file.display()),
            )
            .with_note("nothing was written; choose another file"),
        );
        return ExitStatus::Usage;
    }
    match write_file(&store, file, kind) {
        Ok(count) => {
            session.say(&format!(
                "{} written to {}",
                counted(count, "verdict"),
                file.display()
            ));
            session.set_result(json!({ "written": count }));
            ExitStatus::Clean
        }
        Err(error) => io_trouble(session, file, &error),
    }
}

/// Takes over the verdicts of an exported file.
pub(super) fn import(session: &mut Session, file: &Path) -> ExitStatus {
    let Some(store) = open_to_write(session) else {
        return ExitStatus::Usage;
    };
    if !file.exists() {
        session.report(input::not_found(file).with_note("nothing was imported"));
        return ExitStatus::Usage;
    }
    match store.import(|| File::open(file).map(BufReader::new)) {
        Ok(count) => {
            session.say(&format!("{} imported", counted(count, "verdict")));
            session.set_result(json!({ "imported": count }));
            ExitStatus::Clean
        }
        Err(error) => {
            session.report(
                Diagnostic::error(
                    "cache/import",
                    format!("cannot import `{}`: {error}", file.display()),
                )
                .with_note("nothing was imported"),
            );
            ExitStatus::Usage
        }
    }
}

/// Whether a file is an SQLite database: every store is one, and an export is none. This covers all ways to name
/// the store that is read: other spellings of its path, and links to it.
fn is_database(file: &Path) -> bool {
    if !is_regular(file) {
        return false;
    }
    let mut start = [0; 16];
    File::open(file)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| start == *b"SQLite format 3\0")
}

fn is_regular(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|data| data.is_file())
}

/// A regular file appears in one step; a pipe or a device is written to as it is.
fn write_file(store: &Store, file: &Path, kind: Option<&str>) -> std::io::Result<u64> {
    let write = |output: &mut dyn Write| {
        let mut output = BufWriter::new(output);
        let count = store.export(&mut output, kind)?;
        output.flush()?;
        Ok(count)
    };
    if file.exists() && !is_regular(file) {
        return write(&mut File::options().write(true).open(file)?);
    }
    // A link keeps pointing where it points: what it names is replaced.
    let place = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let directory = match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut draft = tempfile::Builder::new()
        .prefix(".stet-export-")
        .tempfile_in(directory)?;
    let count = write(draft.as_file_mut())?;
    draft.persist(&place).map_err(|error| error.error)?;
    Ok(count)
}

fn io_trouble(session: &mut Session, file: &Path, error: &std::io::Error) -> ExitStatus {
    session.report(Diagnostic::error(
        "cache/io",
        format!("cannot write `{}`: {error}", file.display()),
    ));
    ExitStatus::Usage
}
