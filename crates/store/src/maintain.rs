//! What `stet cache` does: statistics, eviction, verification, clearing, search.

use crate::entry::{Entry, Outcome};
use crate::file::{connect, evict};
use crate::names::{Latest, Miss, Name};
use crate::store::{Mode, Store};
use rusqlite::{Connection, Error, params};
use std::collections::BTreeMap;
use stet_key::Digest;

/// What the file holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Entries that decode, by kind and outcome.
    pub entries: BTreeMap<(String, &'static str), KindStatistics>,
    /// Rows that do not decode.
    pub damaged: u64,
    /// Subjects with a latest entry.
    pub subjects: u64,
    /// Bytes in use in the file.
    pub used_bytes: u64,
}

/// The entries of one kind and outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KindStatistics {
    /// How many there are.
    pub count: u64,
    /// Bytes of their records.
    pub bytes: u64,
    /// When the oldest was made, in seconds since 1970.
    pub oldest: u64,
    /// When the newest was made, in seconds since 1970.
    pub newest: u64,
}

/// What [`Store::verify`] found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verification {
    pub sound: u64,
    /// Damaged entries; removed if the store may be written.
    pub damaged: u64,
    /// What is wrong with the file as a whole; empty if it is in order.
    pub file_problems: Vec<String>,
}

impl Store {
    /// Counts what the file holds; `None` if there is no usable file.
    pub fn statistics(&self) -> Option<Statistics> {
        self.flush();
        let file = self.file()?;
        file.with_connection(|connection| {
            let mut statistics = Statistics {
                used_bytes: evict::used_bytes(connection)?,
                subjects: connection
                    .query_row("SELECT count(*) FROM latest", (), |row| {
                        row.get::<_, i64>(0)
                    })?
                    .unsigned_abs(),
                ..Statistics::default()
            };
            for_each_record(connection, |_, record| {
                match Entry::from_bytes(record) {
                    Ok(entry) => count_entry(&mut statistics, &entry, record.len()),
                    Err(_) => statistics.damaged += 1,
                }
                true
            })?;
            Ok(statistics)
        })
    }

    /// Evicts least recently used entries until at most `target` bytes are in use; returns how many went.
    pub fn evict_to(&self, target: u64) -> Option<u64> {
        self.flush();
        let file = self.writable_file()?;
        self.forget_memory();
        file.with_connection(|connection| {
            let evicted = evict::evict_to(connection, target)?;
            truncate_log(connection)?;
            Ok(evicted)
        })
    }

    /// Checks every entry and the file itself; a damaged file starts afresh if it may be written.
    pub fn verify(&self) -> Option<Verification> {
        self.flush();
        let file = self.file()?;
        let mut damaged = Vec::new();
        let verification = file.with_connection(|connection| {
            let mut verification = Verification {
                file_problems: quick_check(connection)?,
                ..Verification::default()
            };
            let mut previous = None;
            for_each_record(connection, |row, record| {
                // Look-ups do not find rows that are out of order.
                if Some(row) <= previous && verification.file_problems.is_empty() {
                    let problem = "the entries are not in order";
                    verification.file_problems.push(problem.to_owned());
                }
                previous = Some(row);
                let entry = Entry::from_bytes(record);
                let sound = entry.is_ok_and(|entry| connect::row_of(&entry.key) == row);
                if sound {
                    verification.sound += 1;
                } else {
                    verification.damaged += 1;
                    damaged.push(row);
                }
                true
            })?;
            Ok(verification)
        })?;
        if !file.is_writable() {
            return Some(verification);
        }
        if !verification.file_problems.is_empty() {
            self.forget_memory();
            file.submit(|batch| batch.must_start_afresh = true);
            file.flush();
        } else if !damaged.is_empty() {
            file.with_connection(|connection| {
                let mut delete = connection.prepare("DELETE FROM entry WHERE id = ?1")?;
                damaged
                    .iter()
                    .try_for_each(|row| delete.execute([row]).map(|_| ()))
            });
        }
        Some(verification)
    }

    /// Removes all entries, or those of one kind; returns how many went.
    pub fn clear(&self, kind: Option<&str>) -> Option<u64> {
        self.flush();
        let file = self.writable_file()?;
        self.forget_memory();
        file.with_connection(|connection| {
            let removed = match kind {
                None => {
                    let removed = connection.execute("DELETE FROM entry", ())?;
                    connection.execute_batch("DELETE FROM latest; DELETE FROM miss;")?;
                    removed as u64
                }
                Some(kind) => clear_kind(connection, kind)?,
            };
            evict::shrink(connection)?;
            truncate_log(connection)?;
            Ok(removed)
        })
    }

    /// Calls `visit` with every sound entry of the file until it returns false.
    pub fn for_each_entry(&self, mut visit: impl FnMut(Entry) -> bool) -> Option<()> {
        self.flush();
        self.file()?.with_connection(|connection| {
            for_each_record(connection, |_, record| {
                Entry::from_bytes(record).map_or(true, &mut visit)
            })
        })
    }

    /// Entries whose key starts with these hexadecimal digits; at most `limit`.
    pub fn find_by_prefix(&self, prefix: &str, limit: usize) -> Vec<Entry> {
        let Some((low, high)) = prefix_range(prefix) else {
            return Vec::new();
        };
        self.flush();
        let found = self.file().and_then(|file| {
            file.with_connection(|connection| {
                let mut statement = connection.prepare(
                    "SELECT record FROM entry WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3",
                )?;
                let rows = statement.query_map(
                    params![connect::row_of(&low), connect::row_of(&high), limit as i64],
                    |row| row.get::<_, Vec<u8>>(0),
                )?;
                rows.collect::<Result<Vec<_>, _>>()
            })
        });
        let records = found.unwrap_or_default();
        records
            .iter()
            .filter_map(|record| Entry::from_bytes(record).ok())
            .filter(|entry| (low..=high).contains(&entry.key))
            .collect()
    }

    /// All subjects that have a latest entry or a recorded miss, sorted.
    pub fn subjects(&self) -> Vec<Name> {
        self.flush();
        let mut names: Vec<Name> = self
            .names_in("SELECT record FROM latest", |record| {
                Latest::from_bytes(record).ok().map(|latest| latest.name)
            })
            .into_iter()
            .chain(self.names_in("SELECT record FROM miss", |record| {
                Miss::from_bytes(record).ok().map(|miss| miss.name)
            }))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn names_in(&self, query: &str, read: impl Fn(&[u8]) -> Option<Name>) -> Vec<Name> {
        let found = self.file().and_then(|file| {
            file.with_connection(|connection| {
                let mut statement = connection.prepare(query)?;
                let rows = statement.query_map((), |row| row.get::<_, Vec<u8>>(0))?;
                rows.collect::<Result<Vec<_>, _>>()
            })
        });
        let records = found.unwrap_or_default();
        records.iter().filter_map(|record| read(record)).collect()
    }

    fn writable_file(&self) -> Option<&crate::file::FileTier> {
        self.file()
            .filter(|file| file.is_writable() && self.mode() == Mode::ReadWrite)
    }
}

impl Statistics {
    /// All sound entries.
    pub fn total(&self) -> u64 {
        self.entries.values().map(|kind| kind.count).sum()
    }
}

fn count_entry(statistics: &mut Statistics, entry: &Entry, bytes: usize) {
    debug_assert!(
        bytes > entry.evidence.len(),
        "a record has its evidence and more"
    );
    let outcome: Outcome = entry.outcome;
    let kind = statistics
        .entries
        .entry((entry.kind.to_string(), outcome.name()))
        .or_insert(KindStatistics {
            oldest: u64::MAX,
            ..KindStatistics::default()
        });
    kind.count += 1;
    kind.bytes += bytes as u64;
    kind.oldest = kind.oldest.min(entry.provenance.created);
    kind.newest = kind.newest.max(entry.provenance.created);
}

fn for_each_record(
    connection: &Connection,
    mut visit: impl FnMut(i64, &[u8]) -> bool,
) -> Result<(), Error> {
    let mut statement = connection.prepare("SELECT id, record FROM entry ORDER BY id")?;
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let record = row.get_ref(1)?.as_bytes_or_null()?.unwrap_or_default();
        if !visit(id, record) {
            break;
        }
    }
    Ok(())
}

fn clear_kind(connection: &mut Connection, kind: &str) -> Result<u64, Error> {
    let mut rows = Vec::new();
    for_each_record(connection, |row, record| {
        if Entry::from_bytes(record).is_ok_and(|entry| &*entry.kind == kind) {
            rows.push(row);
        }
        true
    })?;
    let transaction = connection.transaction()?;
    {
        let mut delete = transaction.prepare("DELETE FROM entry WHERE id = ?1")?;
        for row in &rows {
            delete.execute([row])?;
        }
    }
    transaction.commit()?;
    Ok(rows.len() as u64)
}

fn quick_check(connection: &Connection) -> Result<Vec<String>, Error> {
    connect::check_tables(connection)?;
    let mut statement = connection.prepare("PRAGMA quick_check")?;
    let rows = statement.query_map((), |row| row.get::<_, String>(0))?;
    let mut problems = rows.collect::<Result<Vec<_>, _>>()?;
    problems.retain(|line| line != "ok");
    Ok(problems)
}

/// Moves the write-ahead log into the file, so that the directory shows the true size.
fn truncate_log(connection: &Connection) -> Result<(), Error> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))
}

/// The first and the last key with a prefix of hexadecimal digits.
fn prefix_range(prefix: &str) -> Option<(Digest, Digest)> {
    if prefix.len() > 64 || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let padded =
        |digit: &str| Digest::from_hex(&format!("{prefix}{}", digit.repeat(64 - prefix.len())));
    debug_assert!(padded("0") <= padded("f"), "a range of keys");
    Some((padded("0")?, padded("f")?))
}
