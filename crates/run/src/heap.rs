//! Memory areas that never move: a reserved address range of 64-bit words.
//!
//! The machine's heap, environments, choice points, trail and code each live in one [`Area`]. The operating
//! system commits pages on first use, so a large reservation costs nothing until it is written.
//!
//! **Invariant:** every index passed to [`Area::get`] and [`Area::set`] comes from the machine itself (a cell
//! it wrote, a register, a label of its compiler) and is below the capacity; user input never becomes an
//! index. Debug builds check it.
#![allow(
    unsafe_code,
    reason = "the one place that turns indices into addresses"
)]

use crate::cell::Cell;
use std::alloc::{Layout, alloc_zeroed, dealloc};

/// A reserved range of words.
pub(crate) struct Area {
    base: *mut u64,
    capacity: usize,
}

// SAFETY: an area owns its memory exclusively, like a `Vec<u64>`.
unsafe impl Send for Area {}

impl Area {
    /// Reserves `words` words, or fewer if the system refuses, but at least a few thousand.
    pub(crate) fn reserve(words: usize) -> Area {
        let mut capacity = words.max(4096);
        loop {
            let layout = Layout::array::<u64>(capacity).expect("capacities are far below 2^60");
            // SAFETY: the layout has a non-zero size.
            let base = unsafe { alloc_zeroed(layout) }.cast::<u64>();
            if !base.is_null() {
                return Area { base, capacity };
            }
            assert!(capacity > 4096, "no memory at all");
            capacity /= 2;
        }
    }

    /// Reserves exactly `words` words, if the system has them.
    pub(crate) fn try_reserve(words: usize) -> Option<Area> {
        let layout = Layout::array::<u64>(words.max(1)).ok()?;
        // SAFETY: the layout has a non-zero size.
        let base = unsafe { alloc_zeroed(layout) }.cast::<u64>();
        let capacity = words.max(1);
        (!base.is_null()).then_some(Area { base, capacity })
    }

    /// How many words the range has.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The address of the first word.
    #[inline(always)]
    pub(crate) fn base(&self) -> *mut u64 {
        self.base
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> u64 {
        debug_assert!(index < self.capacity);
        // SAFETY: the module's invariant; the range was allocated zeroed, so every word is initialised.
        unsafe { *self.base.add(index) }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, index: usize, value: u64) {
        debug_assert!(index < self.capacity);
        // SAFETY: the module's invariant; `&mut self` excludes other references.
        unsafe { *self.base.add(index) = value }
    }

    #[inline(always)]
    pub(crate) fn cell(&self, index: usize) -> Cell {
        Cell(self.get(index))
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, index: usize, cell: Cell) {
        self.set(index, cell.0);
    }

    /// The words `from..to`.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &[u64] {
        assert!(from <= to && to <= self.capacity);
        // SAFETY: checked to lie inside the initialised range.
        unsafe { std::slice::from_raw_parts(self.base.add(from), to - from) }
    }

    /// The words before `from`, and the words `from..to` to be changed.
    pub(crate) fn split(&mut self, from: usize, to: usize) -> (&[u64], &mut [u64]) {
        debug_assert!(from <= to, "words are written behind those that are read");
        let (before, after) = self.slice_mut(0, to).split_at_mut(from);
        (before, after)
    }

    /// The words `from..to`, to be changed.
    pub(crate) fn slice_mut(&mut self, from: usize, to: usize) -> &mut [u64] {
        assert!(from <= to && to <= self.capacity);
        // SAFETY: checked to lie inside the initialised range; `&mut self` excludes other references.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(from), to - from) }
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        let layout = Layout::array::<u64>(self.capacity).expect("was allocated with this layout");
        // SAFETY: allocated in `reserve` with the same layout and not freed before.
        unsafe { dealloc(self.base.cast(), layout) }
    }
}
