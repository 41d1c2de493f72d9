//! A queue in a ring of fixed size, and a map in a sorted vector. With `--cfg seeded` the queue forgets to wrap, and the map inserts one
//! place too far.

/// First in, first out, at most `N`.
pub struct Ring<const N: usize> {
    items: [u8; N],
    first: usize,
    len: usize,
}

impl<const N: usize> Ring<N> {
    /// An empty queue.
    pub fn new() -> Self {
        Ring {
            items: [0; N],
            first: 0,
            len: 0,
        }
    }

    /// Adds at the end; gives the item back if the queue is full.
    pub fn push(&mut self, item: u8) -> Result<(), u8> {
        if self.len == N {
            return Err(item);
        }
        let place = match cfg!(seeded) {
            true => self.first + self.len,
            false => (self.first + self.len) % N,
        };
        self.items[place] = item;
        self.len += 1;
        Ok(())
    }

    /// Takes from the front.
    pub fn pop(&mut self) -> Option<u8> {
        if self.len == 0 {
            return None;
        }
        let item = self.items[self.first];
        self.first = (self.first + 1) % N;
        self.len -= 1;
        Some(item)
    }
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Keys and values, sorted by key.
#[derive(Default)]
pub struct SortedMap {
    entries: Vec<(u8, String)>,
}

impl SortedMap {
    /// Puts a value in; the one that was there before.
    pub fn insert(&mut self, key: u8, value: String) -> Option<String> {
        match self.entries.binary_search_by_key(&key, |entry| entry.0) {
            Ok(at) => Some(std::mem::replace(&mut self.entries[at].1, value)),
            Err(at) => {
                self.entries
                    .insert(at + usize::from(cfg!(seeded)), (key, value));
                None
            }
        }
    }

    /// The value of a key.
    pub fn get(&self, key: u8) -> Option<&str> {
        let at = self.entries.binary_search_by_key(&key, |entry| entry.0);
        at.ok().map(|at| self.entries[at].1.as_str())
    }

    /// Whether keys are in order.
    pub fn is_sorted(&self) -> bool {
        self.entries.is_sorted_by(|a, b| a.0 < b.0)
    }
}

#[cfg(stet)]
mod explored {
    use super::*;
    use std::collections::{BTreeMap, VecDeque};

    #[stet::explore]
    fn the_ring_is_a_queue() {
        let mut ring = Ring::<2>::new();
        let mut model = VecDeque::new();
        for _ in 0..4 {
            if stet::symbolic::<bool>() {
                let item: u8 = stet::symbolic();
                match ring.push(item) {
                    Ok(()) => model.push_back(item),
                    Err(_) => assert_eq!(model.len(), 2),
                }
            } else {
                assert_eq!(ring.pop(), model.pop_front());
            }
        }
    }

    #[stet::explore]
    fn the_map_keeps_its_keys_in_order() {
        let mut map = SortedMap::default();
        let mut model = BTreeMap::new();
        let keys: [u8; 3] = stet::symbolic();
        for (number, key) in keys.into_iter().enumerate() {
            let value = format!("value {number}");
            assert_eq!(map.insert(key, value.clone()), model.insert(key, value));
            assert!(map.is_sorted());
        }
        let key = keys[0];
        assert_eq!(map.get(key), model.get(&key).map(String::as_str));
    }
}
