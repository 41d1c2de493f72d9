//! The memory tier: recent entries, bounded by weight, safe to use from several threads.
//!
//! Each shard keeps two generations. New and used entries are in the young one; when it is full it
//! becomes the old one and what the old one still held is forgotten: least-recently-used at the price of
//! two table look-ups and no list.

use crate::entry::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stet_base::FastMap;
use stet_key::Digest;

const SHARDS: usize = 16;

type Generation = FastMap<Digest, Arc<Entry>>;

/// Recent entries by key.
#[derive(Debug)]
pub(crate) struct Memory {
    shards: [Mutex<Shard>; SHARDS],
    generation_weight: usize,
}

#[derive(Default, Debug)]
struct Shard {
    young: Generation,
    old: Generation,
    young_weight: usize,
}

impl Memory {
    /// A tier that holds entries of about `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Memory {
            shards: Default::default(),
            generation_weight: (limit / SHARDS / 2).max(1),
        }
    }

    /// The entry, which counts as used.
    pub(crate) fn get(&self, key: &Digest) -> Option<Arc<Entry>> {
        let mut shard = self.shard(key);
        if let Some(entry) = shard.young.get(key) {
            return Some(entry.clone());
        }
        let entry = shard.old.remove(key)?;
        debug_assert!(entry.key == *key, "an entry is kept under its own key");
        shard.insert(entry.clone(), self.generation_weight);
        Some(entry)
    }

    /// Adds or replaces an entry.
    pub(crate) fn insert(&self, entry: Arc<Entry>) {
        let mut shard = self.shard(&entry.key);
        shard.old.remove(&entry.key);
        shard.insert(entry, self.generation_weight);
    }

    pub(crate) fn clear(&self) {
        for shard in &self.shards {
            *lock(shard) = Shard::default();
        }
    }

    fn shard(&self, key: &Digest) -> MutexGuard<'_, Shard> {
        lock(&self.shards[key.0[0] as usize % SHARDS])
    }
}

impl Shard {
    fn insert(&mut self, entry: Arc<Entry>, generation_weight: usize) {
        debug_assert!(
            !self.old.contains_key(&entry.key),
            "an entry is in one generation"
        );
        self.young_weight += entry.weight();
        if let Some(replaced) = self.young.insert(entry.key, entry) {
            debug_assert!(
                self.young_weight >= replaced.weight(),
                "the weight of a generation is the sum of its entries'"
            );
            self.young_weight -= replaced.weight();
        }
        if self.young_weight > generation_weight {
            debug_assert_eq!(
                self.young_weight,
                self.young
                    .values()
                    .map(|entry| entry.weight())
                    .sum::<usize>(),
                "the weight of a generation is the sum of its entries'"
            );
            self.old = std::mem::take(&mut self.young);
            self.young_weight = 0;
        }
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    // A panic between two statements of a shard leaves at worst a forgotten entry.
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Outcome, Provenance};
    use stet_key::KeyParts;

    fn entry(n: u32) -> Arc<Entry> {
        // The first byte selects the shard: keep all in one.
        let mut key = Digest::of_bytes(&n.to_le_bytes());
        key.0[0] = 0;
        Arc::new(Entry {
            key,
            kind: "k".into(),
            subject: None,
            outcome: Outcome::Holds,
            evidence: Vec::new(),
            provenance: Provenance::now("e", "1", ""),
            parts: KeyParts::default(),
        })
    }

    #[test]
    fn used_entries_survive_and_the_rest_is_forgotten() {
        let one = entry(0).weight();
        let memory = Memory::new(SHARDS * 2 * 4 * one);
        memory.insert(entry(0));
        for n in 1..100 {
            memory.insert(entry(n));
            assert!(memory.get(&entry(0).key).is_some(), "after {n}");
        }
        assert!(memory.get(&entry(1).key).is_none());
        assert!(
            (0..100)
                .filter(|&n| memory.get(&entry(n).key).is_some())
                .count()
                <= 10
        );
        memory.clear();
        assert!(memory.get(&entry(0).key).is_none());
    }
}
