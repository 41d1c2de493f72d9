//! The answers of one table: terms in a few large vectors, found by canonical form, with the conditions of those that
//! are neither true nor false.
//!
//! Two sets of answers of one call are compared to see whether another round changed anything.

use crate::cell::*;
use crate::flat::Flat;
use crate::forms::{Forms, Place};
use std::collections::BTreeMap;

/// Answers in the order they were found.
#[derive(Default)]
pub(super) struct Answers {
    /// Where each is in `terms`; an empty place was replaced by a later one.
    places: Vec<(usize, usize)>,
    /// The terms of all answers, each relative to its start.
    terms: Vec<u64>,
    /// The forms of the answers, or of their keys, and the answer of each.
    found: Forms,
    at: Vec<usize>,
    /// How many there are, without those that were replaced.
    count: usize,
    /// The memory it takes, in words, roughly.
    size: usize,
    /// The undefined answers by number: for each way they were derived a term `Answer-Literals`.
    conditions: BTreeMap<usize, Vec<Flat>>,
}

/// What became of an answer that was added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// It was there.
    Known,
    New,
    /// There was another one under its key, or it was undefined until now.
    Changed,
    /// There is no number left for it.
    Full,
}

impl Answers {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.terms
    }

    /// The memory it takes, in words, roughly.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// How many answers there are, and how many of them are undefined.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.count, self.conditions.len())
    }

    pub(super) fn is_undefined(&self, number: usize) -> bool {
        self.conditions.contains_key(&number)
    }

    /// The conditions of all undefined answers, each `Answer-Literals`.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Flat> {
        self.conditions.values().flatten()
    }

    /// The term of an answer; `None` if it was replaced.
    pub(super) fn term(&self, number: usize) -> Option<(usize, usize)> {
        self.places
            .get(number)
            .copied()
            .filter(|&(start, end)| start < end)
    }

    /// The terms are lent out while the heap is written.
    pub(super) fn lend(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.terms)
    }

    pub(super) fn give_back(&mut self, terms: Vec<u64>) {
        self.terms = terms;
    }

    /// The number of the answer kept under a form.
    pub(super) fn find(&self, form: &[u64]) -> Option<usize> {
        match self.found.place(form) {
            Place::Found(found) => self.at.get(found).copied(),
            Place::Free(_) => None,
        }
    }

    /// Adds an answer; `condition` if it is undefined. One that is there gains the condition, or loses all of them.
    pub(super) fn add(&mut self, form: &[u64], term: &[u64], condition: Option<Flat>) -> Added {
        match self.found.place(form) {
            Place::Free(slot) => self.append(form, slot, term, condition),
            Place::Found(found) => {
                let number = self.at[found];
                match (self.conditions.get_mut(&number), condition) {
                    (Some(known), Some(condition)) => {
                        if !known.contains(&condition) {
                            self.size += condition.words.len();
                            known.push(condition);
                        }
                        Added::Known
                    }
                    (Some(_), None) => {
                        self.conditions.remove(&number);
                        Added::Changed
                    }
                    (None, _) => Added::Known,
                }
            }
        }
    }

    /// Adds an answer instead of the one under its key.
    pub(super) fn put(&mut self, key: &[u64], term: &[u64], condition: Option<Flat>) -> Added {
        match self.found.place(key) {
            Place::Free(slot) => self.append(key, slot, term, condition),
            Place::Found(found) => {
                let newest = self.places.len();
                let old = std::mem::replace(&mut self.at[found], newest);
                self.conditions.remove(&old);
                self.replace(old, term);
                self.condition(newest, condition);
                Added::Changed
            }
        }
    }

    fn append(
        &mut self,
        form: &[u64],
        slot: usize,
        term: &[u64],
        condition: Option<Flat>,
    ) -> Added {
        let number = self.places.len();
        self.push(term);
        self.at.push(number);
        self.count += 1;
        self.condition(number, condition);
        self.size += form.len() + 2;
        match self.found.add(form, slot) {
            Some(_) => Added::New,
            None => Added::Full,
        }
    }

    fn condition(&mut self, number: usize, condition: Option<Flat>) {
        if let Some(condition) = condition {
            self.size += condition.words.len();
            self.conditions.insert(number, vec![condition]);
        }
    }

    fn push(&mut self, term: &[u64]) {
        let start = self.terms.len();
        self.size += term.len() + 2;
        self.terms.extend_from_slice(term);
        debug_assert!(
            start < self.terms.len(),
            "an empty place is an answer that was replaced"
        );
        self.places.push((start, self.terms.len()));
    }

    /// Adds an answer and empties an older one, in its memory if it fits: calls under way know answers by number.
    fn replace(&mut self, old: usize, term: &[u64]) {
        let (start, end) = self.places[old];
        debug_assert!(start < end, "an answer is replaced once");
        self.places[old].1 = start;
        if end - start == term.len() {
            self.terms[start..end].copy_from_slice(term);
            self.places.push((start, end));
        } else {
            self.push(term);
        }
    }

    /// Gives back what only the filling of a table needs; how much, in words.
    pub(super) fn close(&mut self) -> usize {
        self.places.shrink_to_fit();
        self.terms.shrink_to_fit();
        self.found = Forms::default();
        self.at = Vec::new();
        let conditions = self.conditions().map(|flat| flat.words.len());
        let size = self.terms.len() + self.places.len() * 2 + conditions.sum::<usize>();
        let given = self.size.saturating_sub(size);
        self.size -= given;
        given
    }

    /// Whether the answers, or what is known about their truth, differ.
    pub(super) fn differs(&self, other: &Answers) -> bool {
        self.counts() != other.counts()
            || (0..self.at.len()).any(|i| {
                let Place::Found(there) = other.found.place(self.found.form(i)) else {
                    return true;
                };
                let (ours, theirs) = (self.at[i], other.at[there]);
                self.is_undefined(ours) != other.is_undefined(theirs)
                    || !same_term(self.slice(ours), other.slice(theirs))
            })
    }

    fn slice(&self, number: usize) -> &[u64] {
        let (start, end) = self.places[number];
        &self.terms[start..end]
    }
}

/// Whether two flat terms are equal up to the names of variables, whatever they share inside.
fn same_term(a: &[u64], b: &[u64]) -> bool {
    if a == b {
        return true;
    }
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut rest = vec![(Cell(a[0]), Cell(b[0]))];
    while let Some((left, right)) = rest.pop() {
        let (left, right) = (follow(a, left), follow(b, right));
        if left.tag() != right.tag() {
            return false;
        }
        let mut arguments = |from: usize, count: usize| {
            for i in (from..from + count).rev() {
                rest.push((Cell(a[left.index() + i]), Cell(b[right.index() + i])));
            }
        };
        match left.tag() {
            LST => arguments(0, 2),
            STR => {
                let (header, other) = (Cell(a[left.index()]), Cell(b[right.index()]));
                if header != other {
                    return false;
                }
                arguments(1, header.arity());
            }
            BOX => {
                let words = Cell(a[left.index()]).arity() + 1;
                let end = right.index() + words;
                if b.get(right.index()..end) != a.get(left.index()..left.index() + words) {
                    return false;
                }
            }
            REF | ATT => {
                let known = pairs
                    .iter()
                    .find(|pair| pair.0 == left.index() || pair.1 == right.index());
                match known {
                    Some(&pair) if pair != (left.index(), right.index()) => return false,
                    Some(_) => {}
                    None => pairs.push((left.index(), right.index())),
                }
            }
            _ if left != right => return false,
            _ => {}
        }
    }
    true
}

fn follow(words: &[u64], mut cell: Cell) -> Cell {
    while cell.tag() == REF {
        let next = Cell(words[cell.index()]);
        if next == cell {
            break;
        }
        cell = next;
    }
    cell
}
