//! Connections to the store file: opening, creating, upgrading and, after damage, starting afresh in place.
//!
//! The file is never deleted or replaced, because other processes may have it open: a reset empties it
//! through SQLite's own locking.

use super::draft::Draft;
use super::recognise::{APPLICATION_ID, FORMAT_VERSION, Recognised, recognise};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::time::Duration;
use stet_key::Digest;

/// How long a process waits for the others.
const BUSY_TIMEOUT: Duration = Duration::from_secs(3);

/// The tables, word for word as they must stand in the file: anything else in it is not our work.
const TABLES: [&str; 3] = [
    "CREATE TABLE entry (id INTEGER PRIMARY KEY NOT NULL, used INTEGER NOT NULL, record BLOB NOT NULL)",
    "CREATE TABLE latest (name BLOB PRIMARY KEY NOT NULL, entry INTEGER NOT NULL, record BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE miss (name BLOB PRIMARY KEY NOT NULL, record BLOB NOT NULL) WITHOUT ROWID",
];

/// Opens an existing file for reading and, through the same file handles, for writing.
pub(crate) fn open(path: &Path) -> Result<Connection, Error> {
    configure(Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?)
}

/// Opens an existing file for reading only; falls back to a mode that needs no writable directory.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let usual = Connection::open_with_flags(path, flags).and_then(configure);
    match usual.and_then(|connection| check_tables(&connection).map(|()| connection)) {
        Err(error) if cannot_share(&error) => {
            let uri = immutable_uri(path).ok_or(error)?;
            configure(Connection::open_with_flags(
                uri,
                flags | OpenFlags::SQLITE_OPEN_URI,
            )?)
        }
        other => other,
    }
}

/// WAL needs a shared-memory file beside the database; a read-only directory cannot have one.
fn cannot_share(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}

/// A URI that promises SQLite nobody writes. If somebody does, checksums turn torn reads into misses.
fn immutable_uri(path: &Path) -> Option<String> {
    let mut uri = "file:".to_owned();
    for byte in path.to_str()?.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    Some(uri + "?immutable=1")
}

/// Whether a database without an application id has anything in it, and so belongs to somebody else.
pub(crate) fn is_foreign(path: &Path) -> Result<bool, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    belongs_to_others(&connection)
}

fn belongs_to_others(connection: &Connection) -> Result<bool, Error> {
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let objects: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    Ok(id != i64::from(APPLICATION_ID) && objects > 0)
}

/// The row of a key: its first 64 bits, in the same order. Two keys that share them share a row, in which
/// the later replaces the earlier; the key in the record tells them apart.
pub(crate) fn row_of(key: &Digest) -> i64 {
    let mut first = [0; 8];
    first.copy_from_slice(&key.0[..8]);
    (u64::from_be_bytes(first) ^ (1 << 63)).cast_signed()
}

/// Creates the file. Several processes may do so at once, and each may be killed at any moment: the file
/// is made complete under another name and appears in one step.
pub(crate) fn create(path: &Path) -> Result<Connection, Error> {
    if let Some(parent) = path.parent() {
        // Whatever goes wrong here goes wrong again, with a message, when SQLite opens the file.
        let _ = std::fs::create_dir_all(parent);
    }
    if path.exists() {
        return shape(path); // an empty file, or tables of an older format
    }
    let draft = Draft::new(path);
    make_draft(draft.path())?;
    let appeared = std::fs::hard_link(draft.path(), path);
    drop(draft);
    match appeared {
        // A file system without links: in place, then.
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => shape(path),
        _ => open(path),
    }
}

/// Makes an empty store that nobody else sees yet: without a journal, and waiting for the disk once, at the end.
fn make_draft(draft: &Path) -> Result<(), Error> {
    let mut connection = open_or_create(draft)?;
    connection.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")?;
    make_tables(&mut connection)?;
    drop(connection);
    // If that fails, the file may be damaged after a power failure, which is noticed and mended.
    let _ = std::fs::File::open(draft).and_then(|file| file.sync_all());
    Ok(())
}

/// Brings an empty or older file into shape. Safe when several processes do it at once.
fn shape(path: &Path) -> Result<Connection, Error> {
    let mut connection = open_or_create(path)?;
    make_tables(&mut connection)?;
    Ok(connection)
}

fn open_or_create(path: &Path) -> Result<Connection, Error> {
    create_private(path);
    configure(Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?)
}

/// Makes an empty file that only its owner can read; SQLite gives its side files the same permissions.
fn create_private(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// Makes the tables unless they are there, and drops those of an older format.
pub(crate) fn make_tables(connection: &mut Connection) -> Result<(), Error> {
    // Takes effect only before the first table is made.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    if belongs_to_others(&transaction)? {
        return Err(refusal("the file belongs to another program"));
    }
    let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != FORMAT_VERSION {
        for name in table_names(&transaction)? {
            transaction.execute_batch(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")))?;
        }
        for table in TABLES {
            transaction.execute_batch(table)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT_VERSION)?;
    }
    transaction.commit()?;
    // A file system without shared memory keeps the rollback journal: slower, as safe.
    let _: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    check_tables(connection)
}

fn table_names(connection: &Connection) -> Result<Vec<String>, Error> {
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let names = statement.query_map((), |row| row.get(0))?;
    names.collect()
}

/// An error unless the file holds exactly our tables: no trigger, no view, no other column.
pub(crate) fn check_tables(connection: &Connection) -> Result<(), Error> {
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name")?;
    let found: Vec<Option<String>> = statement
        .query_map((), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if found.iter().map(Option::as_deref).eq(TABLES.map(Some)) {
        Ok(())
    } else {
        Err(damaged("the tables are not those of a store"))
    }
}

/// Whether the marks of the file are wrong, in which case its version means nothing.
fn is_header_damaged(path: &Path) -> bool {
    matches!(recognise(path), Recognised::Damaged)
}

/// The file must not be written.
fn refusal(message: &str) -> Error {
    Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_PERM),
        Some(message.to_owned()),
    )
}

fn damaged(message: &str) -> Error {
    Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
        Some(message.to_owned()),
    )
}

/// Empties a damaged file in place and makes new tables.
pub(crate) fn reset(path: &Path) -> Result<Connection, Error> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Reading the schema first, errors ignored, keeps the journal mode across the reset.
    let _ = connection.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(()));
    // A newer Stet may have taken the file over while this one had it open.
    let version = connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0));
    if version.is_ok_and(|version| version > FORMAT_VERSION) && !is_header_damaged(path) {
        return Err(refusal("the file was taken over by a newer version"));
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
    let emptied = connection.execute_batch("VACUUM");
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
    emptied?;
    let mut connection = configure(connection)?;
    make_tables(&mut connection)?;
    Ok(connection)
}

fn configure(connection: Connection) -> Result<Connection, Error> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // The file may be hostile: nothing in it may run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
         PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 16777216;
         PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 2000;",
    )?;
    connection.set_prepared_statement_cache_capacity(16);
    Ok(connection)
}

/// What an error means for the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// Other processes hold the file; try again.
    Busy,
    /// The file is damaged; start afresh.
    Damaged,
    /// There is no room.
    Full,
    /// The file or its directory cannot be written.
    ReadOnly,
    /// Anything else; do without the file.
    Other,
}

/// Judges an error of SQLite.
pub(crate) fn fault(error: &Error) -> Fault {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Fault::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Damaged,
        // No such table or column: another process reset the file, or the schema is damaged.
        Some(ErrorCode::Unknown | ErrorCode::SchemaChanged | ErrorCode::ConstraintViolation) => {
            Fault::Damaged
        }
        Some(ErrorCode::DiskFull) => Fault::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            Fault::ReadOnly
        }
        // A column of the wrong type can only come from a damaged page.
        None => Fault::Damaged,
        Some(_) => Fault::Other,
    }
}
