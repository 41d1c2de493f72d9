//! Eviction: the least recently used entries go when the file grows past its limit.
//!
//! Keys are digests, so any range of them is a fair sample of all entries. Eviction goes through the key
//! space in ranges of about [`SLICE_BYTES`], one short transaction each, and removes from every range the
//! same share of its entries, the least recently used first: other processes wait for one range at most.

use super::connect::row_of;
use rusqlite::{Connection, Error, TransactionBehavior, params};
use stet_key::Digest;

/// Large enough to be a fair sample, small enough to be quick.
const SLICE_BYTES: u64 = 1 << 20;

/// The bytes in use, free pages not counted.
pub(crate) fn used_bytes(connection: &Connection) -> Result<u64, Error> {
    let pragma = |name: &str| -> Result<u64, Error> {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0).map(|n| n as u64))
    };
    let pages = pragma("page_count")?.saturating_sub(pragma("freelist_count")?);
    Ok(pages.saturating_mul(pragma("page_size")?))
}

/// Evicts until at most `target` bytes are in use; returns how many entries went.
pub(crate) fn evict_to(connection: &mut Connection, target: u64) -> Result<u64, Error> {
    let mut evicted = 0;
    // Pages are freed only when all their entries went: repeat with what is left to do.
    for _ in 0..16 {
        let used = used_bytes(connection)?;
        if used <= target {
            break;
        }
        debug_assert!(used > target, "there is something to evict");
        let share = (used - target) as f64 / used as f64;
        let mut this_round = 0;
        let slices = used / SLICE_BYTES + 1;
        let width = (u64::MAX / slices).saturating_add(1);
        for slice in 0..slices {
            let low = slice.saturating_mul(width);
            let high = low.saturating_add(width - 1);
            debug_assert!(low <= high, "ranges of keys come in order");
            this_round += evict_range(connection, low, high, share)?;
        }
        evicted += this_round;
        // A name without an entry says nothing any more.
        connection.execute_batch(
            "DELETE FROM latest WHERE entry NOT IN (SELECT id FROM entry);
             DELETE FROM miss WHERE name NOT IN (SELECT name FROM latest);",
        )?;
        if this_round == 0 {
            break;
        }
    }
    shrink(connection)?;
    Ok(evicted)
}

/// Gives free pages back to the file system.
pub(crate) fn shrink(connection: &Connection) -> Result<(), Error> {
    // Every step frees one page.
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query(())?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// Evicts a share of the entries whose keys start with numbers between `low` and `high`.
fn evict_range(connection: &mut Connection, low: u64, high: u64, share: f64) -> Result<u64, Error> {
    let bound = |first: u64| {
        let mut key = Digest([0; 32]);
        key.0[..8].copy_from_slice(&first.to_be_bytes());
        row_of(&key)
    };
    let (low, high) = (bound(low), bound(high));
    debug_assert!(low <= high, "rows have the order of keys");
    debug_assert!((0.0..=1.0).contains(&share), "a share of the entries");
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let count: i64 = transaction
        .prepare_cached("SELECT count(*) FROM entry WHERE id BETWEEN ?1 AND ?2")?
        .query_row(params![low, high], |row| row.get(0))?;
    let victims = ((count as f64 * share).ceil() as i64).min(count);
    let gone = transaction
        .prepare_cached(
            "DELETE FROM entry WHERE id IN
             (SELECT id FROM entry WHERE id BETWEEN ?1 AND ?2 ORDER BY used, id LIMIT ?3)",
        )?
        .execute(params![low, high, victims])?;
    debug_assert!(
        i64::try_from(gone).is_ok_and(|gone| gone <= victims),
        "no more goes than was meant to"
    );
    transaction.commit()?;
    Ok(gone as u64)
}
