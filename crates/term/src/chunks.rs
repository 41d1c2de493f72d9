//! Append-only storage that many threads read without a lock.
//!
//! Elements live in chunks of doubling size that never move, so a `&T` stays good while others push. A
//! position is handed out by an atomic counter and written once; reading is two acquire loads.
//!
//! Invariant: a position is passed to another thread only after its element was written.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const FIRST_BITS: u32 = 9;
const FIRST: usize = 1 << FIRST_BITS;
/// 512 · (2²³ − 1) elements: every `u32` but the last few.
const CHUNKS: usize = 23;

type Chunk<T> = OnceLock<Box<[OnceLock<T>]>>;

/// An append-only vector shared between threads.
pub(crate) struct Chunks<T> {
    chunks: [Chunk<T>; CHUNKS],
    len: AtomicUsize,
}

impl<T> Chunks<T> {
    pub(crate) fn new() -> Self {
        Chunks {
            chunks: [const { OnceLock::new() }; CHUNKS],
            len: AtomicUsize::new(0),
        }
    }

    /// How many positions were handed out.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Appends and returns the position.
    pub(crate) fn push(&self, value: T) -> usize {
        let position = self.len.fetch_add(1, Ordering::AcqRel);
        let (chunk, offset) = locate(position);
        let slots = self.chunks[chunk]
            .get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect());
        let fresh = slots[offset].set(value).is_ok();
        debug_assert!(fresh, "positions are handed out once");
        position
    }

    /// The element at a position that [`push`](Self::push) returned.
    #[inline]
    pub(crate) fn get(&self, position: usize) -> &T {
        let (chunk, offset) = locate(position);
        self.chunks[chunk]
            .get()
            .and_then(|slots| slots[offset].get())
            .expect("the position comes from push")
    }
}

#[inline]
fn locate(position: usize) -> (usize, usize) {
    let shifted = position + FIRST;
    let chunk = (usize::BITS - 1 - shifted.leading_zeros() - FIRST_BITS) as usize;
    (chunk, shifted - (FIRST << chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let chunks = Chunks::new();
        let first = chunks.push(7usize);
        let kept: &usize = chunks.get(first);
        for i in 1..5000 {
            assert_eq!(chunks.push(i), i);
        }
        assert_eq!((*kept, *chunks.get(4999), chunks.len()), (7, 4999, 5000));
    }

    #[test]
    fn threads_share() {
        let chunks = Chunks::new();
        std::thread::scope(|scope| {
            for thread in 0..4usize {
                let chunks = &chunks;
                scope.spawn(move || {
                    for i in 0..2000 {
                        let value = thread * 10_000 + i;
                        let at = chunks.push(value);
                        assert_eq!(*chunks.get(at), value);
                    }
                });
            }
        });
        assert_eq!(chunks.len(), 8000);
    }
}
