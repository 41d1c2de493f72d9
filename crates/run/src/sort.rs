//! Sorting terms: a stable merge sort that looks at the clock now and then.

use crate::cell::Cell;
use crate::errors::PErr;
use crate::machine::Machine;
use std::cmp::Ordering;

/// Comparisons between two looks at the clock.
const COMPARISONS: usize = 1 << 14;
/// Runs of this length are sorted by insertion.
const RUN: usize = 16;

impl Machine {
    /// Sorts by the standard order of the first components, or the reverse of it.
    pub(crate) fn sort_terms(
        &mut self,
        items: &mut Vec<(Cell, Cell)>,
        descending: bool,
    ) -> Result<(), PErr> {
        if items.iter().all(|(key, _)| key.is_small()) {
            // Keys that are small integers need no look into the heap.
            match descending {
                true => items.sort_by_key(|(key, _)| std::cmp::Reverse(key.small_value())),
                false => items.sort_by_key(|(key, _)| key.small_value()),
            }
            return self.look();
        }
        let goes_before = |m: &Machine, a: Cell, b: Cell| {
            let order = m.mem.compare(a, b);
            // Strictly: equal terms keep their order.
            order
                == if descending {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
        };
        for run in items.chunks_mut(RUN) {
            for i in 1..run.len() {
                let mut at = i;
                while at > 0 && goes_before(self, run[at].0, run[at - 1].0) {
                    run.swap(at, at - 1);
                    at -= 1;
                }
            }
        }
        self.look()?;
        let mut from = std::mem::take(items);
        let mut to = Vec::with_capacity(from.len());
        let mut width = RUN;
        let mut left_to_do = COMPARISONS;
        while width < from.len() {
            to.clear();
            for pair in from.chunks(2 * width) {
                let (mut left, mut right) = pair.split_at(width.min(pair.len()));
                while let (Some(&a), Some(&b)) = (left.first(), right.first()) {
                    if goes_before(self, b.0, a.0) {
                        to.push(b);
                        right = &right[1..];
                    } else {
                        to.push(a);
                        left = &left[1..];
                    }
                    left_to_do -= 1;
                    if left_to_do == 0 {
                        left_to_do = COMPARISONS;
                        self.look()?;
                    }
                }
                to.extend_from_slice(left);
                to.extend_from_slice(right);
            }
            debug_assert_eq!(from.len(), to.len(), "no item is lost");
            std::mem::swap(&mut from, &mut to);
            width *= 2;
        }
        *items = from;
        Ok(())
    }
}
