//! Incompleteness of a run: one list that every place which fixes, refuses, assumes or gives up something records to.
//!
//! "Complete" is not a flag that somebody sets: a run is complete if it ended by itself and this list is empty
//! ([`Summary::is_complete`](crate::Summary::is_complete)). Recorded are:
//!
//! * a symbolic value that was fixed to one of several possible values ([`LeftOutKind::Fixed`]);
//! * something that was not carried out: an unsupported instruction or system call, an allocation over the limit
//!   ([`LeftOutKind::Refused`]);
//! * an answer of the modelled environment that another environment would not give: empty standard input, absent files,
//!   stopped clocks ([`LeftOutKind::Assumed`]);
//! * a question that the solver did not decide ([`LeftOutKind::Undecided`]);
//! * a state given up for a limit ([`LeftOutKind::Dropped`]).
//!
//! Assumptions of the user (`klee_assume`) are part of the question and are not recorded.

use crate::report::Location;
use stet_base::FastMap;

/// Why something was left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LeftOutKind {
    /// A symbolic value was fixed to one of its possible values.
    Fixed,
    /// An operation was not carried out, or ended the path.
    Refused,
    /// The modelled environment gave one answer where others are possible.
    Assumed,
    /// The solver did not decide a question in its limits.
    Undecided,
    /// A state was given up for a limit.
    Dropped,
    /// A function outside of the program ran natively: the run covers what it did this time.
    External,
}

impl LeftOutKind {
    /// The stable name, for JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            LeftOutKind::Fixed => "fixed",
            LeftOutKind::Refused => "refused",
            LeftOutKind::Assumed => "assumed",
            LeftOutKind::Undecided => "undecided",
            LeftOutKind::Dropped => "dropped",
            LeftOutKind::External => "external",
        }
    }
}

/// One thing that was left out, with the number of times it happened at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    pub kind: LeftOutKind,
    /// What, in words.
    pub what: String,
    /// Where in the program; without a function if it has no place.
    pub place: Location,
    pub count: u64,
}

/// The list of a run, in the order of first occurrence.
#[derive(Debug, Default)]
pub(crate) struct LeftOutList {
    entries: Vec<LeftOut>,
    known: FastMap<(LeftOutKind, String, Location), usize>,
}

/// More different entries are counted under one entry without a place.
const MAX_ENTRIES: usize = 1000;

impl LeftOutList {
    /// Adds one occurrence; whether it is the first of its kind at this place.
    pub(crate) fn record(&mut self, kind: LeftOutKind, what: &str, place: Location) -> bool {
        self.record_many(kind, what, place, 1)
    }

    /// As [`record`](Self::record), for so many occurrences.
    pub(crate) fn record_many(
        &mut self,
        kind: LeftOutKind,
        what: &str,
        place: Location,
        count: u64,
    ) -> bool {
        let (what, place) = match self.entries.len() < MAX_ENTRIES {
            true => (what.to_owned(), place),
            false => (
                format!("more than {MAX_ENTRIES} different things"),
                Location::default(),
            ),
        };
        let key = (kind, what, place);
        if let Some(&index) = self.known.get(&key) {
            self.entries[index].count += count;
            return false;
        }
        self.entries.push(LeftOut {
            kind,
            what: key.1.clone(),
            place: key.2.clone(),
            count,
        });
        self.known.insert(key, self.entries.len() - 1);
        true
    }

    pub(crate) fn entries(&self) -> &[LeftOut] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_at_one_place_are_one_entry() {
        let mut list = LeftOutList::default();
        let place = |line| Location {
            line,
            ..Location::default()
        };
        assert!(list.record(LeftOutKind::Fixed, "a size", place(1)));
        assert!(!list.record(LeftOutKind::Fixed, "a size", place(1)));
        assert!(list.record(LeftOutKind::Fixed, "a size", place(2)));
        assert!(list.record(LeftOutKind::Assumed, "a size", place(2)));
        let counts: Vec<u64> = list.entries().iter().map(|entry| entry.count).collect();
        assert_eq!(counts, [2, 1, 1]);
        for line in 0..5000 {
            list.record(LeftOutKind::Fixed, "an index", place(line));
        }
        assert_eq!(list.entries().len(), MAX_ENTRIES + 1);
        let total: u64 = list.entries().iter().map(|entry| entry.count).sum();
        assert_eq!(total, 5004);
    }
}
