//! Eviction: the least recently used entries go when the file grows past its limit.
//!
//! Keys are digests, so any range of them is a fair sample of all entries. Eviction goes through the key
//! space in [`SLICES`] ranges, one short transaction each, and removes from every range the same share of
//! its entries, the least recently used first: other processes wait for one range at most.

use rusqlite::{Connection, Error, TransactionBehavior, params};

/// The key space is divided by the first byte.
const SLICES: u32 = 256;

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
        let share = (used - target) as f64 / used as f64;
        let mut this_round = 0;
        for slice in 0..SLICES {
            this_round += evict_slice(connection, slice as u8, share)?;
        }
        evicted += this_round;
        if this_round == 0 {
            // Nothing but names is left.
            connection.execute_batch("DELETE FROM latest; DELETE FROM miss;")?;
            break;
        }
    }
    connection.execute_batch("PRAGMA incremental_vacuum;")?;
    Ok(evicted)
}

fn evict_slice(connection: &mut Connection, slice: u8, share: f64) -> Result<u64, Error> {
    let low = [slice];
    let high: &[u8] = match slice {
        u8::MAX => &[u8::MAX; 33],
        _ => &[slice + 1],
    };
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let count: i64 = transaction
        .prepare_cached("SELECT count(*) FROM entry WHERE key >= ?1 AND key < ?2")?
        .query_row(params![low, high], |row| row.get(0))?;
    let victims = ((count as f64 * share).ceil() as i64).min(count);
    let gone = transaction
        .prepare_cached(
            "DELETE FROM entry WHERE key IN
             (SELECT key FROM entry WHERE key >= ?1 AND key < ?2 ORDER BY used, key LIMIT ?3)",
        )?
        .execute(params![low, high, victims])?;
    transaction.commit()?;
    Ok(gone as u64)
}
