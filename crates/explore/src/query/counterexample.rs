//! The counter-example cache: an unsatisfiable subset makes a set unsatisfiable; a witness of a superset, or
//! of a subset if it happens to satisfy the rest, makes it satisfiable.
//!
//! Every stored set is listed under its newest member (terms are numbered as they are made, and the newest is what
//! distinguishes a query from its path), satisfiable ones under all their members too. A subset is then found in the
//! lists of the query's members, a superset in the shortest list of them. Lists are looked through newest first, up to a
//! limit that does not depend on how terms happen to be numbered.

use super::context::Context;
use super::form::Question;
use super::layer::{By, Found as Answer, Layer, Subject};
use super::verdict::Verdict;
use super::witness::Witness;
use std::sync::Arc;
use stet_base::FastMap;
use stet_term::Term;

/// Sets looked at in one search.
const STEPS: usize = 4_000;
/// Witnesses of subsets offered to the caller.
const CANDIDATES: usize = 6;

/// What is known about a set.
#[derive(Clone, Debug)]
enum Fact {
    Unsatisfiable,
    Satisfiable(Arc<Witness>),
}

#[derive(Debug)]
struct Entry {
    set: Box<[Term]>,
    /// One bit per hashed member: most sets are told apart by one operation.
    filter: u64,
    fact: Fact,
}

/// Facts about sets of constraints.
#[derive(Default, Debug)]
pub(crate) struct CounterexampleCache {
    entries: Vec<Entry>,
    /// Entries by their newest member.
    by_newest: FastMap<Term, Vec<u32>>,
    /// Satisfiable entries by every member.
    by_member: FastMap<Term, Vec<u32>>,
    /// Entries by their sets.
    known: FastMap<Box<[Term]>, u32>,
    /// Nothing is looked for or kept.
    is_off: bool,
}

/// What a look-up found.
#[derive(Debug)]
pub(crate) enum Found {
    /// A subset is unsatisfiable.
    Unsatisfiable,
    /// A superset has this witness.
    Satisfiable(Arc<Witness>),
    /// Subsets have these witnesses: worth trying.
    Candidates(Vec<Arc<Witness>>),
}

fn filter_of(set: &[Term]) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault};
    let hasher = BuildHasherDefault::<rustc_hash::FxHasher>::default();
    set.iter().fold(0, |filter, member| {
        let hash = hasher.hash_one(member).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        filter | 1 << (hash >> 58)
    })
}

/// Whether sorted `small` is a subset of sorted `large`.
fn is_subset(small: &[Term], large: &[Term]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|member| rest.any(|other| other == member))
}

impl CounterexampleCache {
    pub(crate) fn new(is_on: bool) -> Self {
        CounterexampleCache {
            is_off: !is_on,
            ..Self::default()
        }
    }

    pub(crate) fn insert_unsatisfiable(&mut self, set: &[Term]) {
        self.insert(set, Fact::Unsatisfiable);
    }

    pub(crate) fn insert_satisfiable(&mut self, set: &[Term], witness: Arc<Witness>) {
        self.insert(set, Fact::Satisfiable(witness));
    }

    fn insert(&mut self, set: &[Term], fact: Fact) {
        let Some(newest) = set.last() else {
            return;
        };
        if let Some(&at) = self.known.get(set) {
            self.entries[at as usize].fact = fact;
            return;
        }
        debug_assert!(
            set.windows(2).all(|pair| pair[0] < pair[1]),
            "sets are sorted: the newest member is the last"
        );
        let at = self.entries.len() as u32;
        self.known.insert(set.into(), at);
        self.by_newest.entry(*newest).or_default().push(at);
        if matches!(fact, Fact::Satisfiable(_)) {
            for member in set {
                self.by_member.entry(*member).or_default().push(at);
            }
        }
        self.entries.push(Entry {
            set: set.into(),
            filter: filter_of(set),
            fact,
        });
    }

    /// What sorted `set` has in common with what is known.
    pub(crate) fn find(&self, set: &[Term]) -> Found {
        let filter = filter_of(set);
        let mut candidates = Vec::new();
        if self.subset(set, filter, &mut candidates) {
            return Found::Unsatisfiable;
        }
        match self.superset(set, filter) {
            Some(witness) => Found::Satisfiable(witness),
            None => Found::Candidates(candidates),
        }
    }

    /// Whether a stored subset is unsatisfiable; witnesses of satisfiable ones, largest sets first.
    fn subset(&self, set: &[Term], filter: u64, candidates: &mut Vec<Arc<Witness>>) -> bool {
        let mut found: Vec<(usize, &Arc<Witness>)> = Vec::new();
        let lists = set
            .iter()
            .rev()
            .filter_map(|member| self.by_newest.get(member));
        let listed = lists.flat_map(|list| list.iter().rev());
        for &at in listed.take(STEPS) {
            let entry = &self.entries[at as usize];
            if entry.filter & !filter != 0 || !is_subset(&entry.set, set) {
                continue;
            }
            match &entry.fact {
                Fact::Unsatisfiable => return true,
                Fact::Satisfiable(witness) => found.push((entry.set.len(), witness)),
            }
        }
        found.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        // one witness may belong to many sets
        let mut seen: Vec<*const Witness> = Vec::new();
        found.retain(|(_, witness)| {
            let is_new = seen.len() < CANDIDATES && !seen.contains(&Arc::as_ptr(witness));
            if is_new {
                seen.push(Arc::as_ptr(witness));
            }
            is_new
        });
        candidates.extend(found.into_iter().take(CANDIDATES).map(|(_, w)| w.clone()));
        false
    }

    /// The witness of a stored satisfiable superset.
    fn superset(&self, set: &[Term], filter: u64) -> Option<Arc<Witness>> {
        if set.is_empty() {
            return self
                .entries
                .iter()
                .rev()
                .find_map(|entry| match &entry.fact {
                    Fact::Satisfiable(witness) => Some(witness.clone()),
                    Fact::Unsatisfiable => None,
                });
        }
        let mut shortest: Option<&Vec<u32>> = None;
        for member in set {
            let list = self.by_member.get(member)?;
            if shortest.is_none_or(|known| list.len() < known.len()) {
                shortest = Some(list);
            }
        }
        for &at in shortest?.iter().rev().take(STEPS) {
            let entry = &self.entries[at as usize];
            if filter & !entry.filter == 0
                && let Fact::Satisfiable(witness) = &entry.fact
                && is_subset(set, &entry.set)
            {
                return Some(witness.clone());
            }
        }
        None
    }
}

impl Layer for CounterexampleCache {
    fn applies(&self, _: &mut Context, _: &mut Question<'_>) -> bool {
        !self.is_off
    }

    fn ask(&mut self, context: &mut Context, question: &mut Question<'_>) -> Option<Answer> {
        let verdict = match self.find(question.set) {
            Found::Unsatisfiable => Verdict::Unsat,
            Found::Satisfiable(witness) => Verdict::Sat(witness),
            Found::Candidates(candidates) => {
                let mut candidates = candidates.into_iter();
                Verdict::Sat(candidates.find(|witness| context.holds(witness, question.set))?)
            }
        };
        Some(Answer {
            verdict,
            about: Subject::Question,
        })
    }

    fn tell(&mut self, _: &mut Context, question: &mut Question<'_>, verdict: &Verdict, by: By) {
        if self.is_off {
            return;
        }
        for set in question.sets(by) {
            match verdict {
                Verdict::Sat(witness) => self.insert_satisfiable(set, witness.clone()),
                Verdict::Unsat => self.insert_unsatisfiable(set),
                Verdict::Unknown => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stet_term::{Sort, Terms};

    /// Against a list of all stored sets.
    #[test]
    fn subsets_and_supersets_are_found() {
        let terms = Terms::new();
        let members: Vec<Term> = (0..8)
            .map(|i| terms.symbol(&format!("c{i}"), Sort::BOOL))
            .collect();
        let set = |bits: u32| -> Vec<Term> {
            let mut set: Vec<Term> = (0..8)
                .filter(|i| bits >> i & 1 == 1)
                .map(|i| members[i as usize])
                .collect();
            set.sort_unstable();
            set
        };
        let mut cache = CounterexampleCache::new(true);
        let (unsat, sat) = ([0b0000_0111u32, 0b1100_0000], [0b0011_1000u32, 0b0001_0001]);
        for bits in unsat {
            cache.insert_unsatisfiable(&set(bits));
        }
        for bits in sat {
            cache.insert_satisfiable(&set(bits), Arc::new(Witness::default()));
        }
        for bits in 0..256u32 {
            let has_unsat = unsat.iter().any(|u| bits & u == *u);
            let has_superset = sat.iter().any(|s| bits & s == bits);
            let subsets = sat.iter().filter(|s| bits & **s == **s).count();
            match cache.find(&set(bits)) {
                Found::Unsatisfiable => assert!(has_unsat, "{bits:b}"),
                Found::Satisfiable(_) => assert!(!has_unsat && has_superset, "{bits:b}"),
                Found::Candidates(list) => {
                    assert!(!has_unsat && !has_superset, "{bits:b}");
                    assert_eq!(list.len(), subsets, "{bits:b}");
                }
            }
        }
    }
}
