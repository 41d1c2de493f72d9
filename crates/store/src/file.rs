//! The file tier: one SQLite file in write-ahead mode, shared by processes.
//!
//! [`FileTier::open`] decides what the path holds and what may be done with it; look-ups go through a pool
//! of connections, changes through the [`writer`] thread. Every row is checked when read: the record's
//! checksum, and that its key is the one asked for.

pub(crate) mod batch;
pub(crate) mod connect;
pub(crate) mod draft;
pub(crate) mod evict;
pub(crate) mod recognise;
pub(crate) mod writer;

use crate::entry::Entry;
use crate::names::{Latest, Miss, Name};
use crate::note::Notes;
use crate::store::Mode;
use batch::Batch;
use connect::Fault;
use recognise::{FORMAT_VERSION, Recognised, recognise};
use rusqlite::{Connection, Error, OptionalExtension, Row, ToSql};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use stet_key::Digest;
use writer::Writer;

/// The file behind a store.
#[derive(Debug)]
pub(crate) struct FileTier {
    path: PathBuf,
    access: Access,
    size_limit: u64,
    idle: Mutex<Vec<Connection>>,
    writer: OnceLock<Option<Writer>>,
    notes: Arc<Notes>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    ReadWrite,
    ReadOnly,
}

impl FileTier {
    /// Opens the file, or says in a note why there will be none.
    pub(crate) fn open(
        path: &Path,
        mode: Mode,
        size_limit: u64,
        notes: &Arc<Notes>,
    ) -> Option<FileTier> {
        let (connection, access) = match recognise(path) {
            Recognised::Foreign => {
                note_foreign(notes, path);
                return None;
            }
            Recognised::Newer(version) => {
                note_newer(notes, path, version);
                return None;
            }
            Recognised::Unreadable(error) => {
                note_unusable(notes, path, &error);
                return None;
            }
            Recognised::Unmarked if !matches!(connect::is_foreign(path), Ok(false)) => {
                note_foreign(notes, path);
                return None;
            }
            recognised if mode == Mode::ReadWrite => {
                draft::remove_stale(path);
                open_for_writing(path, &recognised, notes)?
            }
            recognised => (
                open_for_reading(path, &recognised, notes)?,
                Access::ReadOnly,
            ),
        };
        Some(FileTier {
            path: path.to_owned(),
            access,
            size_limit,
            idle: Mutex::new(vec![connection]),
            writer: OnceLock::new(),
            notes: notes.clone(),
        })
    }

    /// The entry under a key, if its row is sound.
    pub(crate) fn get(&self, key: &Digest) -> Option<Entry> {
        let row = connect::row_of(key);
        let query = "SELECT record, used FROM entry WHERE id = ?1";
        let (record, used) = self.read(query, row, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let record: Vec<u8> = record;
        match Entry::from_bytes(&record) {
            Ok(entry) if entry.key == *key => {
                if batch::is_stale(used, crate::store::now()) {
                    self.submit(|batch| batch.used.push(*key));
                }
                Some(entry)
            }
            // A sound entry of another key with the same row: as good as none.
            Ok(entry) if connect::row_of(&entry.key) == row => None,
            _ => {
                self.report_damaged_row(key);
                None
            }
        }
    }

    /// The key under which a subject was last put.
    pub(crate) fn latest(&self, name: &Name) -> Option<Digest> {
        let row = self.read(
            "SELECT record FROM latest WHERE name = ?1",
            name.digest().0,
            |row| row.get(0),
        )?;
        let row: Vec<u8> = row;
        let latest = Latest::from_bytes(&row).ok()?;
        (latest.name == *name).then_some(latest.key)
    }

    /// The latest miss of a subject.
    pub(crate) fn miss(&self, name: &Name) -> Option<Miss> {
        let row = self.read(
            "SELECT record FROM miss WHERE name = ?1",
            name.digest().0,
            |row| row.get::<_, Vec<u8>>(0),
        )?;
        Miss::from_bytes(&row)
            .ok()
            .filter(|miss| miss.name == *name)
    }

    /// Queues changes for the writing thread; without write access they are dropped.
    pub(crate) fn submit(&self, change: impl FnOnce(&mut Batch)) {
        if let Some(writer) = self.writer() {
            writer.submit(change);
        }
    }

    /// Waits until what was submitted is written or given up.
    pub(crate) fn flush(&self) {
        if let Some(Some(writer)) = self.writer.get() {
            writer.flush();
        }
    }

    /// Whether changes reach the file.
    pub(crate) fn is_writable(&self) -> bool {
        self.access == Access::ReadWrite
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` on a connection of the pool; an error is noted and gives `None`.
    pub(crate) fn with_connection<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Error>,
    ) -> Option<T> {
        let result = self.connection().and_then(|mut connection| {
            let value = work(&mut connection)?;
            debug_assert!(
                connection.is_autocommit(),
                "a connection goes back without an open transaction"
            );
            self.lock_idle().push(connection);
            Ok(value)
        });
        result.map_err(|error| self.report(&error)).ok()
    }

    fn read<T>(
        &self,
        query: &str,
        key: impl ToSql,
        read: impl FnOnce(&Row<'_>) -> Result<T, Error>,
    ) -> Option<T> {
        self.with_connection(|connection| {
            let mut statement = connection.prepare_cached(query)?;
            statement.query_row([key], read).optional()
        })
        .flatten()
    }

    fn connection(&self) -> Result<Connection, Error> {
        let idle = self.lock_idle().pop();
        match idle {
            Some(connection) => Ok(connection),
            None => match self.access {
                Access::ReadWrite => connect::open(&self.path),
                Access::ReadOnly => connect::open_read_only(&self.path),
            },
        }
    }

    fn lock_idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> Option<&Writer> {
        if !self.is_writable() {
            return None;
        }
        // Must not call `report`, which may come back here.
        let start = || {
            let connection = match connect::open(&self.path) {
                Err(error) if connect::fault(&error) == Fault::Damaged => {
                    reset(&self.path, &self.notes)
                }
                other => other,
            };
            let connection = connection
                .map_err(|error| note_unusable(&self.notes, &self.path, &error))
                .ok()?;
            let notes = self.notes.clone();
            Writer::start(self.path.clone(), connection, self.size_limit, notes)
                .map_err(|error| note_unusable(&self.notes, &self.path, &error))
                .ok()
        };
        self.writer.get_or_init(start).as_ref()
    }

    fn report_damaged_row(&self, key: &Digest) {
        self.notes.add(
            "store/damaged-entry",
            format!(
                "an entry in `{}` is damaged and is ignored",
                self.path.display()
            ),
            Some("`stet cache verify` checks all entries"),
        );
        self.submit(|batch| batch.damaged.push(*key));
    }

    fn report(&self, error: &Error) {
        match connect::fault(error) {
            // The writing thread checks, and empties the file if it must.
            Fault::Damaged if self.is_writable() => {
                self.submit(|batch| batch.file_is_damaged = true);
            }
            Fault::Damaged => note_damaged(&self.notes, &self.path),
            Fault::Busy => self.notes.add(
                "store/busy",
                format!("other processes keep `{}` locked", self.path.display()),
                Some("verdicts that could not be read are computed"),
            ),
            _ => note_unusable(&self.notes, &self.path, error),
        }
    }
}

fn open_for_writing(
    path: &Path,
    recognised: &Recognised,
    notes: &Notes,
) -> Option<(Connection, Access)> {
    let opened = match recognised {
        Recognised::Nothing | Recognised::Unmarked => connect::create(path),
        Recognised::Damaged => reset(path, notes),
        Recognised::Older(version) => {
            notes.add(
                "store/older-format",
                format!(
                    "`{}` has format {version}, this Stet uses {FORMAT_VERSION}: it starts afresh",
                    path.display()
                ),
                None,
            );
            connect::create(path)
        }
        _ => connect::open(path)
            .and_then(|connection| connect::check_tables(&connection).map(|()| connection)),
    };
    let error = match opened {
        Ok(connection) => return Some((connection, Access::ReadWrite)),
        Err(error) => error,
    };
    match connect::fault(&error) {
        Fault::Damaged => match reset(path, notes) {
            Ok(connection) => Some((connection, Access::ReadWrite)),
            Err(error) => {
                note_unusable(notes, path, &error);
                None
            }
        },
        Fault::ReadOnly if !matches!(recognised, Recognised::Nothing) => {
            let connection = open_for_reading(path, recognised, notes)?;
            notes.add(
                "store/read-only",
                format!("cannot write `{}`: {error}", path.display()),
                Some("stored verdicts are reused, new ones are kept for this run only"),
            );
            Some((connection, Access::ReadOnly))
        }
        _ => {
            note_unusable(notes, path, &error);
            None
        }
    }
}

fn reset(path: &Path, notes: &Notes) -> Result<Connection, Error> {
    let connection = connect::reset(path)?;
    writer::note_fresh_start(notes, path);
    Ok(connection)
}

fn open_for_reading(path: &Path, recognised: &Recognised, notes: &Notes) -> Option<Connection> {
    match recognised {
        // Nothing to read, nothing to say: every look-up misses.
        Recognised::Nothing | Recognised::Unmarked => return None,
        Recognised::Older(version) => {
            notes.add(
                "store/older-format",
                format!(
                    "`{}` has format {version}, this Stet uses {FORMAT_VERSION}: it is not used",
                    path.display()
                ),
                None,
            );
            return None;
        }
        Recognised::Damaged => {
            note_damaged(notes, path);
            return None;
        }
        _ => {}
    }
    let opened = connect::open_read_only(path)
        .and_then(|connection| connect::check_tables(&connection).map(|()| connection));
    opened
        .map_err(|error| match connect::fault(&error) {
            Fault::Damaged => note_damaged(notes, path),
            _ => note_unusable(notes, path, &error),
        })
        .ok()
}

fn note_foreign(notes: &Notes, path: &Path) {
    notes.add(
        "store/foreign-file",
        format!(
            "`{}` is not a store of Stet and is left alone",
            path.display()
        ),
        Some("verdicts are kept for this run only; choose another file with `--store`"),
    );
}

fn note_newer(notes: &Notes, path: &Path, version: u32) {
    notes.add(
        "store/newer-format",
        format!(
            "`{}` has format {version}, this Stet knows {FORMAT_VERSION}: it is left alone",
            path.display()
        ),
        Some("verdicts are kept for this run only; choose another file with `--store`"),
    );
}

fn note_damaged(notes: &Notes, path: &Path) {
    notes.add(
        "store/damaged",
        format!("`{}` is damaged; its verdicts are not used", path.display()),
        Some("a run with `--cache read-write`, or `stet cache clear`, makes it new"),
    );
}

fn note_unusable(notes: &Notes, path: &Path, error: &dyn std::fmt::Display) {
    notes.add(
        "store/unusable",
        format!("cannot use `{}`: {error}", path.display()),
        Some("verdicts are kept for this run only"),
    );
}
