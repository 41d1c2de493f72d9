//! A fully associative table of keys with least-recently-used replacement: a hash table of chains over nodes that
//! are also a doubly linked list, most recent first ([RTC §5]).

use super::cache::Key;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    key: Key,
    newer: u32,
    older: u32,
    chain: u32,
}

pub(crate) struct Lru {
    nodes: Vec<Node>,
    buckets: Vec<u32>,
    newest: u32,
    oldest: u32,
    free: Vec<u32>,
    capacity: usize,
}

impl Lru {
    pub(crate) fn new(capacity: usize) -> Lru {
        Lru {
            nodes: Vec::new(),
            buckets: vec![NONE; (capacity * 2).next_power_of_two()],
            newest: NONE,
            oldest: NONE,
            free: Vec::new(),
            capacity,
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.buckets.len() * 4
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.free.clear();
        self.buckets.fill(NONE);
        self.newest = NONE;
        self.oldest = NONE;
    }

    /// Looks a key up and makes it the most recent.
    pub(crate) fn touch(&mut self, key: Key) -> bool {
        let found = self.find(key);
        if found == NONE {
            return false;
        }
        if self.newest != found {
            self.unlink(found);
            self.link_newest(found);
        }
        true
    }

    /// Enters a key as the most recent; returns its node and whether another had to go.
    pub(crate) fn insert(&mut self, key: Key) -> (u32, bool) {
        let found = self.find(key);
        if found != NONE {
            self.unlink(found);
            self.link_newest(found);
            return (found, false);
        }
        let mut evicted = false;
        let node = match self.free.pop() {
            Some(node) => node,
            None if self.nodes.len() < self.capacity => {
                self.nodes.push(Node {
                    key: 0,
                    newer: NONE,
                    older: NONE,
                    chain: NONE,
                });
                self.nodes.len() as u32 - 1
            }
            None => {
                evicted = true;
                let oldest = self.oldest;
                self.unchain(oldest);
                self.unlink(oldest);
                oldest
            }
        };
        let bucket = self.bucket(key);
        debug_assert!(key != 0, "no key is that of an empty node");
        debug_assert!(
            self.nodes.len() <= self.capacity,
            "there are no more nodes than places"
        );
        self.nodes[node as usize].key = key;
        self.nodes[node as usize].chain = self.buckets[bucket];
        self.buckets[bucket] = node;
        self.link_newest(node);
        (node, evicted)
    }

    /// Removes what is in a node, if anything.
    pub(crate) fn remove(&mut self, node: u32) {
        if self.nodes.get(node as usize).is_none_or(|n| n.key == 0) {
            return;
        }
        self.unchain(node);
        self.unlink(node);
        self.nodes[node as usize].key = 0;
        self.free.push(node);
    }

    fn bucket(&self, key: Key) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.buckets.len() - 1)
    }

    fn find(&self, key: Key) -> u32 {
        let mut at = self.buckets[self.bucket(key)];
        while at != NONE && self.nodes[at as usize].key != key {
            at = self.nodes[at as usize].chain;
        }
        at
    }

    fn unchain(&mut self, node: u32) {
        let bucket = self.bucket(self.nodes[node as usize].key);
        let next = self.nodes[node as usize].chain;
        if self.buckets[bucket] == node {
            self.buckets[bucket] = next;
            return;
        }
        let mut at = self.buckets[bucket];
        while self.nodes[at as usize].chain != node {
            at = self.nodes[at as usize].chain;
        }
        self.nodes[at as usize].chain = next;
    }

    fn unlink(&mut self, node: u32) {
        let Node { newer, older, .. } = self.nodes[node as usize];
        debug_assert!(
            newer != NONE || self.newest == node,
            "a node with nothing newer is the newest"
        );
        debug_assert!(
            older != NONE || self.oldest == node,
            "a node with nothing older is the oldest"
        );
        match newer {
            NONE => self.newest = older,
            _ => self.nodes[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.nodes[older as usize].newer = newer,
        }
    }

    fn link_newest(&mut self, node: u32) {
        let old = self.newest;
        self.nodes[node as usize].newer = NONE;
        self.nodes[node as usize].older = old;
        match old {
            NONE => self.oldest = node,
            _ => self.nodes[old as usize].newer = node,
        }
        self.newest = node;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Random operations against the obvious list.
    #[test]
    fn behaves_like_a_list_of_recent_keys() {
        for capacity in [1, 2, 7, 32] {
            let mut lru = Lru::new(capacity);
            let mut model: VecDeque<(Key, u32)> = VecDeque::new();
            let mut random = stet_testkit::Random::new(7);
            for _ in 0..20_000 {
                let key = random.below(50_u64) + 1;
                let at = model.iter().position(|&(k, _)| k == key);
                match random.below(4) {
                    0 | 1 => {
                        assert_eq!(lru.touch(key), at.is_some());
                        if let Some(entry) = at.and_then(|at| model.remove(at)) {
                            model.push_front(entry);
                        }
                    }
                    2 => {
                        let (node, evicted) = lru.insert(key);
                        if let Some(at) = at {
                            model.remove(at);
                        }
                        assert_eq!(evicted, model.len() == capacity);
                        model.truncate(capacity - 1);
                        model.push_front((key, node));
                    }
                    _ => {
                        if let Some((_, node)) = at.and_then(|at| model.remove(at)) {
                            lru.remove(node);
                        }
                    }
                }
            }
        }
    }
}
