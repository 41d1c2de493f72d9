//! What waits to be written, and how one batch is written: in a single transaction.

use super::connect::row_of;
use crate::entry::Entry;
use crate::names::{Latest, Miss, Name};
use rusqlite::{Connection, Error, TransactionBehavior, params};
use std::sync::Arc;
use stet_key::Digest;

/// An entry's last use is recorded again only after this many seconds, to spare the file.
const TOUCH_AFTER: u64 = 3600;

/// Whether a last use is so long ago that a new one must be recorded.
pub(crate) fn is_stale(used: i64, now: u64) -> bool {
    used.saturating_add_unsigned(TOUCH_AFTER) < now.cast_signed()
}

/// Changes not yet in the file.
#[derive(Default, Debug)]
pub(crate) struct Batch {
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) misses: Vec<Miss>,
    /// Entries used now and not for a while before, for eviction.
    pub(crate) used: Vec<Digest>,
    /// Rows that did not decode.
    pub(crate) damaged: Vec<Digest>,
    /// A reader met a damaged page.
    pub(crate) file_is_damaged: bool,
    /// A check of the whole file found damage.
    pub(crate) must_start_afresh: bool,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
            && self.misses.is_empty()
            && self.used.is_empty()
            && self.damaged.is_empty()
            && !self.file_is_damaged
            && !self.must_start_afresh
    }

    /// Whether waiting longer would gain nothing.
    pub(crate) fn is_large(&self) -> bool {
        self.entries.len() + self.misses.len() >= 512
    }
}

/// Writes a batch; all of it or nothing.
pub(crate) fn write(connection: &mut Connection, batch: &Batch, now: u64) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut delete = transaction.prepare_cached("DELETE FROM entry WHERE id = ?1")?;
        for key in &batch.damaged {
            delete.execute([row_of(key)])?;
        }
        let mut put_entry =
            transaction.prepare_cached("INSERT OR REPLACE INTO entry VALUES (?1, ?2, ?3)")?;
        let mut put_latest =
            transaction.prepare_cached("INSERT OR REPLACE INTO latest VALUES (?1, ?2, ?3)")?;
        // In the order of the rows, so that neighbours share a page while it is at hand.
        let mut entries: Vec<_> = batch.entries.iter().collect();
        entries.sort_by_key(|entry| entry.key);
        debug_assert!(
            entries
                .windows(2)
                .all(|pair| row_of(&pair[0].key) <= row_of(&pair[1].key)),
            "rows have the order of keys"
        );
        for entry in entries {
            put_entry.execute(params![row_of(&entry.key), now as i64, entry.to_bytes()])?;
        }
        // In the order of putting, because the last one is the latest.
        for entry in &batch.entries {
            let Some(subject) = &entry.subject else {
                continue;
            };
            let latest = Latest {
                name: Name::new(&entry.kind, subject),
                key: entry.key,
            };
            let (name, row) = (latest.name.digest(), row_of(&entry.key));
            put_latest.execute(params![name.0, row, latest.to_bytes()])?;
        }
        let mut put_miss =
            transaction.prepare_cached("INSERT OR REPLACE INTO miss VALUES (?1, ?2)")?;
        for miss in &batch.misses {
            put_miss.execute(params![miss.name.digest().0, miss.to_bytes()])?;
        }
        let mut touch =
            transaction.prepare_cached("UPDATE entry SET used = ?2 WHERE id = ?1 AND used < ?3")?;
        for key in &batch.used {
            let stale = now.saturating_sub(TOUCH_AFTER);
            touch.execute(params![row_of(key), now as i64, stale as i64])?;
        }
    }
    transaction.commit()
}
