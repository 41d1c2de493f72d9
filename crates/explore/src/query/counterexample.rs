//! The counter-example cache: an unsatisfiable subset makes a set unsatisfiable; a witness of a superset, or
//! of a subset if it happens to satisfy the rest, makes it satisfiable.
//!
//! Sets are stored in a trie over their sorted members. Terms are numbered as they are made, so the sets of
//! paths with a common beginning share a prefix. A search visits at most [`STEPS`] nodes and then gives up.

use super::witness::Witness;
use std::sync::Arc;
use stet_term::Term;

const STEPS: usize = 400;
/// Witnesses of subsets offered to the caller.
const CANDIDATES: usize = 6;

/// What is known about a set.
#[derive(Clone, Debug)]
enum Fact {
    Unsatisfiable,
    Satisfiable(Arc<Witness>),
}

#[derive(Default, Debug)]
struct Node {
    /// Sorted by member.
    children: Vec<(Term, u32)>,
    fact: Option<Fact>,
}

/// Facts about sets of constraints.
#[derive(Debug)]
pub(crate) struct CounterexampleCache {
    nodes: Vec<Node>,
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

impl CounterexampleCache {
    pub(crate) fn new() -> Self {
        CounterexampleCache {
            nodes: vec![Node::default()],
        }
    }

    pub(crate) fn insert_unsatisfiable(&mut self, set: &[Term]) {
        self.insert(set, Fact::Unsatisfiable);
    }

    pub(crate) fn insert_satisfiable(&mut self, set: &[Term], witness: Arc<Witness>) {
        self.insert(set, Fact::Satisfiable(witness));
    }

    fn insert(&mut self, set: &[Term], fact: Fact) {
        let mut at = 0usize;
        for &member in set {
            at = match self.nodes[at]
                .children
                .binary_search_by_key(&member, |c| c.0)
            {
                Ok(i) => self.nodes[at].children[i].1 as usize,
                Err(i) => {
                    let new = self.nodes.len();
                    self.nodes.push(Node::default());
                    self.nodes[at].children.insert(i, (member, new as u32));
                    new
                }
            };
        }
        self.nodes[at].fact = Some(fact);
    }

    /// What sorted `set` has in common with what is known.
    pub(crate) fn find(&self, set: &[Term]) -> Found {
        let mut candidates = Vec::new();
        if self.subset(set, &mut candidates) {
            return Found::Unsatisfiable;
        }
        match self.superset(set) {
            Some(witness) => Found::Satisfiable(witness),
            None => Found::Candidates(candidates),
        }
    }

    /// Whether a stored subset is unsatisfiable; witnesses of satisfiable ones, largest sets first.
    fn subset(&self, set: &[Term], candidates: &mut Vec<Arc<Witness>>) -> bool {
        let mut found: Vec<(usize, Arc<Witness>)> = Vec::new();
        let mut pending = vec![(0usize, 0usize, 0usize)];
        for _ in 0..STEPS {
            let Some((at, from, depth)) = pending.pop() else {
                break;
            };
            let node = &self.nodes[at];
            match &node.fact {
                Some(Fact::Unsatisfiable) => return true,
                Some(Fact::Satisfiable(witness)) => found.push((depth, witness.clone())),
                None => {}
            }
            let mut i = from;
            for &(member, child) in children_in(node, set.get(from), set.last()) {
                while set.get(i).is_some_and(|&own| own < member) {
                    i += 1;
                }
                if set.get(i) == Some(&member) {
                    pending.push((child as usize, i + 1, depth + 1));
                }
            }
        }
        found.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
        candidates.extend(found.into_iter().take(CANDIDATES).map(|(_, w)| w));
        false
    }

    /// The witness of a stored satisfiable superset.
    fn superset(&self, set: &[Term]) -> Option<Arc<Witness>> {
        let mut pending = vec![(0usize, 0usize)];
        for _ in 0..STEPS {
            let (at, from) = pending.pop()?;
            let node = &self.nodes[at];
            let Some(&wanted) = set.get(from) else {
                if let Some(witness) = self.any_satisfiable(at) {
                    return Some(witness);
                }
                continue;
            };
            for &(member, child) in children_in(node, None, Some(&wanted)) {
                pending.push((child as usize, from + usize::from(member == wanted)));
            }
        }
        None
    }

    /// A witness somewhere below a node.
    fn any_satisfiable(&self, start: usize) -> Option<Arc<Witness>> {
        let mut pending = vec![start];
        for _ in 0..STEPS {
            let node = &self.nodes[pending.pop()?];
            if let Some(Fact::Satisfiable(witness)) = &node.fact {
                return Some(witness.clone());
            }
            pending.extend(node.children.iter().map(|child| child.1 as usize));
        }
        None
    }
}

/// The children whose members are in a range of members.
fn children_in<'a>(node: &'a Node, lo: Option<&Term>, hi: Option<&Term>) -> &'a [(Term, u32)] {
    let children = &node.children;
    let start = lo.map_or(0, |lo| children.partition_point(|child| child.0 < *lo));
    let end = hi.map_or(0, |hi| children.partition_point(|child| child.0 <= *hi));
    children.get(start..end).unwrap_or(&[])
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
        let mut cache = CounterexampleCache::new();
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
