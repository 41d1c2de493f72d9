//! A set of canonical forms, numbered in the order they were added, in a few large vectors.
//!
//! A table of tabling keeps one for its answers: with a vector for every answer, most of the time of a program with many
//! answers goes into the allocator. `place` finds a form, `add` appends one that is not there.

use std::hash::Hasher as _;
use stet_base::FastHasher;

/// Forms by number; the hash table holds numbers plus one, 0 is a free slot.
#[derive(Default)]
pub(crate) struct Forms {
    words: Vec<u64>,
    /// Where each form ends.
    ends: Vec<usize>,
    slots: Vec<u32>,
}

/// Where a form is, or the slot where it belongs.
pub(crate) enum Place {
    Found(usize),
    Free(usize),
}

fn hash(form: &[u64]) -> usize {
    let mut hasher = FastHasher::default();
    for &word in form {
        hasher.write_u64(word);
    }
    hasher.finish() as usize
}

impl Forms {
    /// A form by its number.
    pub(crate) fn form(&self, number: usize) -> &[u64] {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.words[start..self.ends[number]]
    }

    /// Looks a form up.
    pub(crate) fn place(&self, form: &[u64]) -> Place {
        if self.slots.is_empty() {
            return Place::Free(0);
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(form) & mask;
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.form(number as usize) == form {
                return Place::Found(number as usize);
            }
            slot = (slot + 1) & mask;
        }
        Place::Free(slot)
    }

    /// Adds a form at the free place found for it; its number, or `None` if there are too many.
    pub(crate) fn add(&mut self, form: &[u64], slot: usize) -> Option<usize> {
        let number = self.ends.len();
        let entry = u32::try_from(number + 1).ok()?;
        self.words.extend_from_slice(form);
        self.ends.push(self.words.len());
        if self.slots.len() < (number + 1) * 2 {
            self.grow();
        } else {
            self.slots[slot] = entry;
        }
        Some(number)
    }

    /// Doubles the slots and enters every form again.
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(8);
        let mut slots = vec![0; size];
        for number in 0..self.ends.len() {
            let mut slot = hash(self.form(number)) & (size - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = number as u32 + 1;
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_found_under_the_number_they_were_added_with() {
        let mut forms = Forms::default();
        let form = |i: u64| vec![i % 7, i, i * i];
        for i in 0..1000 {
            let Place::Free(slot) = forms.place(&form(i)) else {
                panic!("{i} is not there yet");
            };
            assert_eq!(forms.add(&form(i), slot), Some(i as usize));
        }
        for i in 0..1000 {
            assert!(matches!(forms.place(&form(i)), Place::Found(at) if at == i as usize));
        }
        assert!(matches!(forms.place(&[]), Place::Free(_)));
        assert!(matches!(forms.place(&form(1000)), Place::Free(_)));
        assert_eq!(forms.ends.len(), 1000);
    }
}
