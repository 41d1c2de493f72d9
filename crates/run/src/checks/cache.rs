//! The cache of property checks: positive answers by (cell index, type), and how they are forgotten.
//!
//! | in the key | not in the key |
//! |---|---|
//! | index of the compound term's first cell | the term's contents: backtracking, GC and assignment are told to us instead |
//! | state of the tree automaton | the bindings: answers of monotone types survive further binding |
//!
//! An entry is right as long as every binding it was checked under is there. Bindings go away in three ways:
//! backtracking ([`Cache::undo_to`] removes all entries younger than the choice point, wherever their cells are:
//! the cell of `X = [_]` may be older than the choice point although the binding that made it a list of integers
//! is not), garbage collection ([`Cache::on_gc`] forgets everything, as indices change), destructive assignment
//! (forgets everything). Insertions are logged for the first; the log is a ring, and going back further than it
//! reaches forgets everything.
//!
//! Replacement ([RTC §5]): direct-mapped or least recently used with a fixed size, or *adaptive* (the default):
//! direct-mapped, growing with the heap up to a tenth of it. The adaptive cache enters the term that was checked, its
//! arguments, and below them the terms whose own walk (down to known terms) took [`HEAVY`] visits. So a walk into a term
//! that was checked before ends after at most that many visits for each argument, in a tree as in a list, and a term of
//! n cells needs n / `HEAVY` entries.

use super::lru::Lru;
use super::stats::Stats;

/// How entries are replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    Off,
    /// A cell has one place; a later entry overwrites.
    DirectMapped,
    /// The entry unused for longest makes room.
    LeastRecentlyUsed,
    /// Direct-mapped, following the heap's size.
    Adaptive,
}

/// The settings of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheConfig {
    /// How entries are replaced.
    pub policy: Policy,
    /// The number of entries; ignored by [`Policy::Adaptive`].
    pub size: usize,
    /// Terms at this depth of a check and below are not entered; 0 is no limit.
    pub depth: u32,
}

impl CacheConfig {
    /// Needs no tuning.
    pub const STANDARD: CacheConfig = CacheConfig {
        policy: Policy::Adaptive,
        size: 0,
        depth: 0,
    };
}

/// A key: the index of a compound term's first cell and a state, never zero.
pub(crate) type Key = u64;

/// Bits of a key that hold the state.
const STATE_BITS: u32 = 20;

/// States from this one on do not fit a key.
pub(crate) const MAX_STATES: u32 = 1 << STATE_BITS;

/// The adaptive cache enters subterms whose check took this many visits.
pub(crate) const HEAVY: u32 = 4;

/// Terms less deep than this in a check are entered in any case: the next check often starts at one of them.
pub(crate) const SHALLOW: u32 = 2;

/// The adaptive cache starts with this many entries, a tenth of a heap of 1 KB.
const SMALLEST: usize = 8;

/// The adaptive cache takes up to this part of the heap.
const SHARE: usize = 10;

/// Bytes per entry of a direct-mapped cache: key and log.
const ENTRY_BYTES: usize = 12;

#[inline(always)]
pub(crate) fn key(index: usize, state: u32) -> Key {
    debug_assert!(state < MAX_STATES, "a state fits its part of a key");
    (index as u64) << STATE_BITS | u64::from(state)
}

pub struct Cache {
    config: CacheConfig,
    /// Direct-mapped entries; 0 is empty.
    table: Vec<Key>,
    /// `table.len() - 1` if that is a power of two, else 0.
    mask: usize,
    lru: Option<Lru>,
    log: Log,
    /// Entries overwritten since the size was last looked at.
    pressure: usize,
    pub(crate) stats: Stats,
}

/// Where the last insertions went.
struct Log {
    ring: Vec<u32>,
    /// Insertions so far, minus those undone.
    top: usize,
    /// Positions before this one were overwritten.
    from: usize,
    /// There may be entries whose insertion is not logged any more.
    incomplete: bool,
}

impl Cache {
    /// An empty cache with the standard settings.
    pub fn new() -> Self {
        Self::with_config(CacheConfig::STANDARD)
    }

    /// An empty cache.
    pub fn with_config(config: CacheConfig) -> Self {
        let size = match config.policy {
            Policy::Off => 0,
            Policy::Adaptive => SMALLEST,
            _ => config.size.clamp(1, 1 << 28),
        };
        let direct = matches!(config.policy, Policy::DirectMapped | Policy::Adaptive);
        Cache {
            config,
            table: if direct { vec![0; size] } else { Vec::new() },
            mask: if size.is_power_of_two() { size - 1 } else { 0 },
            lru: (config.policy == Policy::LeastRecentlyUsed).then(|| Lru::new(size)),
            log: Log::new(size),
            pressure: 0,
            stats: Stats::default(),
        }
    }

    pub fn config(&self) -> CacheConfig {
        self.config
    }

    /// Replaces the settings and forgets everything; saved log positions stay valid.
    pub fn configure(&mut self, config: CacheConfig) {
        let top = self.log.top;
        let stats = std::mem::take(&mut self.stats);
        *self = Self::with_config(config);
        self.log.top = top;
        self.log.from = top;
        self.stats = stats;
    }

    /// How many insertions are logged; saved in every choice point.
    #[inline(always)]
    pub fn log_top(&self) -> usize {
        self.log.top
    }

    /// Whether the answer for this key is known to be positive.
    #[inline(always)]
    pub(crate) fn lookup(&mut self, key: Key) -> bool {
        if self.lru.is_none() {
            return !self.table.is_empty() && self.table[self.slot(key)] == key;
        }
        self.lru.as_mut().is_some_and(|lru| lru.touch(key))
    }

    /// Whether a term at this depth may be entered.
    #[inline(always)]
    pub(crate) fn wants(&self, depth: u32) -> bool {
        self.config.depth == 0 || depth < self.config.depth
    }

    /// The number of visits from which on the check of a subterm is worth an entry.
    pub(crate) fn heavy(&self) -> u32 {
        match self.config.policy {
            Policy::Adaptive => HEAVY,
            _ => 1,
        }
    }

    /// Enters a positive answer; `heap_bytes` is the size the heap has had so far.
    pub(crate) fn insert(&mut self, key: Key, heap_bytes: usize) {
        debug_assert!(key != 0, "no key is that of an empty place");
        self.stats.insertions += 1;
        if let Some(lru) = &mut self.lru {
            let (node, evicted) = lru.insert(key);
            self.stats.evictions += u64::from(evicted);
            self.log.push(node);
            return;
        }
        if self.table.is_empty() {
            return;
        }
        let slot = self.slot(key);
        let old = std::mem::replace(&mut self.table[slot], key);
        self.log.push(slot as u32);
        if old != 0 && old != key {
            self.stats.evictions += 1;
            self.pressure += 1;
            if self.config.policy == Policy::Adaptive && self.pressure * 4 > self.table.len() {
                self.adapt(heap_bytes);
            }
        }
    }

    /// Forgets every insertion made since the log was at `mark`; backtracking calls it.
    #[cold]
    pub fn undo_to(&mut self, mark: usize) {
        if mark >= self.log.top {
            return;
        }
        if mark < self.log.from {
            self.clear();
            self.log.top = mark;
            self.log.from = mark;
            self.stats.flushes += 1;
            return;
        }
        debug_assert!(self.log.from <= mark, "what is undone one by one is logged");
        self.stats.invalidations += (self.log.top - mark) as u64;
        self.remove_logged(mark);
        self.log.top = mark;
    }

    /// Empties the places logged from `mark` on.
    fn remove_logged(&mut self, mark: usize) {
        debug_assert!(
            mark <= self.log.top && self.log.top - mark <= self.log.ring.len(),
            "the log reaches back as far"
        );
        let size = self.log.ring.len();
        for position in mark..self.log.top {
            let slot = self.log.ring[position % size];
            match &mut self.lru {
                Some(lru) => lru.remove(slot),
                None => self.table[slot as usize] = 0,
            }
        }
    }

    /// The heap was compacted: indices mean other cells now.
    pub fn on_gc(&mut self, _relocate: &dyn Fn(usize) -> Option<usize>) {
        self.flush();
    }

    /// A cell that may be part of a checked term was overwritten.
    pub fn on_destructive_assignment(&mut self) {
        self.flush();
    }

    /// An attributed variable was bound. Answers are kept: they only ever said that a term is in a type whatever
    /// its variables become.
    pub fn on_attributed_binding(&mut self) {}

    pub fn bytes(&self) -> usize {
        let table = self.table.len() * size_of::<Key>() + self.log.ring.len() * size_of::<u32>();
        table + self.lru.as_ref().map_or(0, Lru::bytes)
    }

    /// The number of places for entries.
    pub fn capacity(&self) -> usize {
        self.lru.as_ref().map_or(self.table.len(), Lru::capacity)
    }

    /// Forgets everything; takes no longer than the insertions since the last time did.
    pub fn flush(&mut self) {
        self.stats.flushes += 1;
        if self.log.incomplete {
            self.clear();
        } else {
            self.remove_logged(self.log.from);
        }
        self.log.from = self.log.top;
    }

    fn clear(&mut self) {
        self.log.incomplete = false;
        self.table.fill(0);
        if let Some(lru) = &mut self.lru {
            lru.clear();
        }
    }

    #[inline(always)]
    fn slot(&self, key: Key) -> usize {
        // Neighbouring cells go to neighbouring places; the state is mixed in.
        let spread = (key >> STATE_BITS).wrapping_add((key & ((1 << STATE_BITS) - 1)) * 0x9E37);
        debug_assert!(
            self.mask == 0 || self.mask + 1 == self.table.len(),
            "a mask is that of the table"
        );
        if self.mask != 0 {
            spread as usize & self.mask
        } else {
            (spread % self.table.len() as u64) as usize
        }
    }

    /// Too many entries were overwritten: grow if the heap allows.
    #[cold]
    fn adapt(&mut self, heap_bytes: usize) {
        debug_assert!(
            self.config.policy == Policy::Adaptive && self.table.len().is_power_of_two(),
            "only the adaptive cache grows, by doubling"
        );
        self.pressure = 0;
        let doubled = self.table.len() * 2;
        if doubled * ENTRY_BYTES * SHARE <= heap_bytes {
            let old = std::mem::replace(&mut self.table, vec![0; doubled]);
            self.mask = doubled - 1;
            // Places change, so what was logged cannot be undone one by one: older choice points forget all.
            self.log.restart(doubled);
            for key in old.into_iter().filter(|&key| key != 0) {
                let slot = self.slot(key);
                self.table[slot] = key;
            }
        }
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache")
            .field("config", &self.config)
            .field("log_top", &self.log.top)
            .finish_non_exhaustive()
    }
}

impl Log {
    fn new(size: usize) -> Log {
        Log {
            ring: vec![0; size.max(8)],
            top: 0,
            from: 0,
            incomplete: false,
        }
    }

    #[inline(always)]
    fn push(&mut self, slot: u32) {
        let size = self.ring.len();
        self.ring[self.top % size] = slot;
        self.top += 1;
        debug_assert!(self.from < self.top, "the log begins before it ends");
        if self.top - self.from > size {
            self.from = self.top - size;
            self.incomplete = true;
        }
    }

    /// A new ring: what was logged before cannot be undone one by one any more.
    fn restart(&mut self, size: usize) {
        self.ring = vec![0; size];
        self.from = self.top;
        self.incomplete = true;
    }
}
