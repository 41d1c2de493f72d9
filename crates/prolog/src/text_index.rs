//! From texts to numbers: open addressing over numbers and part of their hashes, eight bytes a place.
//!
//! The texts themselves belong to the caller, who says whether a number has the text that is looked for.
//!
//! **Invariant:** from the place its hash leads to, an entry is reached without crossing an empty place.

use std::hash::{BuildHasher, BuildHasherDefault};

/// Hash in the upper half, number plus one in the lower; 0 is empty.
#[derive(Clone, Debug)]
pub(crate) struct TextIndex {
    places: Vec<u64>,
    len: usize,
}

const SMALLEST: usize = 64;

/// The hash of a text.
pub(crate) fn hash(text: &str) -> u32 {
    let hasher = BuildHasherDefault::<stet_base::FastHasher>::default();
    let hash = hasher.hash_one(text);
    (hash >> 32) as u32 ^ hash as u32
}

fn entry(hash: u32, number: u32) -> u64 {
    u64::from(hash) << 32 | (u64::from(number) + 1)
}

fn number_of(entry: u64) -> u32 {
    (entry as u32).wrapping_sub(1)
}

impl TextIndex {
    pub(crate) fn new() -> Self {
        TextIndex {
            places: vec![0; SMALLEST],
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn home(&self, entry: u64) -> usize {
        (entry >> 32) as usize & (self.places.len() - 1)
    }

    /// The number with this hash that `is_it`.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let found = self.places[at];
            if found == 0 {
                return None;
            }
            if (found >> 32) as u32 == hash && is_it(number_of(found)) {
                return Some(number_of(found));
            }
            at = (at + 1) & mask;
        }
    }

    /// Enters a number that is not there.
    pub(crate) fn insert(&mut self, hash: u32, number: u32) {
        if (self.len + 1) * 8 > self.places.len() * 5 {
            let old = std::mem::take(&mut self.places);
            self.places = vec![0; old.len() * 2];
            old.into_iter()
                .filter(|&e| e != 0)
                .for_each(|e| self.place(e));
        }
        self.place(entry(hash, number));
        self.len += 1;
    }

    fn place(&mut self, entry: u64) {
        let mask = self.places.len() - 1;
        let mut at = self.home(entry);
        while self.places[at] != 0 {
            at = (at + 1) & mask;
        }
        self.places[at] = entry;
    }

    /// Removes a number; what follows moves up, so that no gap hides it.
    pub(crate) fn remove(&mut self, hash: u32, number: u32) {
        let mask = self.places.len() - 1;
        let wanted = entry(hash, number);
        let mut at = hash as usize & mask;
        while self.places[at] != wanted {
            if self.places[at] == 0 {
                return;
            }
            at = (at + 1) & mask;
        }
        self.len -= 1;
        let mut gap = at;
        loop {
            at = (at + 1) & mask;
            let next = self.places[at];
            if next == 0 {
                break;
            }
            // It may fill the gap if the gap is not before its home.
            if (at.wrapping_sub(self.home(next)) & mask) >= (at.wrapping_sub(gap) & mask) {
                self.places[gap] = next;
                gap = at;
            }
        }
        self.places[gap] = 0;
    }

    /// Keeps the numbers that `stays`.
    pub(crate) fn retain(&mut self, stays: impl Fn(u32) -> bool) {
        let size = self.places.len();
        let old = std::mem::replace(&mut self.places, vec![0; size]);
        self.len = 0;
        for entry in old {
            if entry != 0 && stays(number_of(entry)) {
                self.place(entry);
                self.len += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Random operations against a map; few different hashes make long runs.
    #[test]
    fn behaves_like_a_map() {
        let mut random = 12345_u64;
        let mut next = |below: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % below
        };
        let mut index = TextIndex::new();
        let mut model: BTreeMap<u32, u32> = BTreeMap::new();
        for step in 0..20_000 {
            let number = next(300) as u32;
            let hash = number % 37 * 0x0100_0003;
            match next(4) {
                0 | 1 if !model.contains_key(&number) => {
                    index.insert(hash, number);
                    model.insert(number, hash);
                }
                2 if model.remove(&number).is_some() => index.remove(hash, number),
                _ => {}
            }
            if step % 5_000 == 4_999 {
                index.retain(|n| n % 2 == 0);
                model.retain(|n, _| n % 2 == 0);
            }
            assert_eq!(index.len(), model.len());
            let found = index.find(hash, |n| n == number);
            assert_eq!(found.is_some(), model.contains_key(&number));
        }
    }
}
