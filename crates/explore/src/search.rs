//! Search strategies: they choose the state that runs next.
//!
//! States live in a [`Pool`]; a searcher knows their ids only. Several searchers are interleaved, one turn each, as
//! KLEE does by default with random-path and nurs:covnew. All of them explore the same paths; only the order differs.

use crate::state::State;
use std::collections::{BTreeMap, BTreeSet};

/// An order of exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Depth first: the newest state.
    Dfs,
    /// Breadth first: the oldest state, a turn each.
    Bfs,
    /// A random walk from the root of the tree of forks.
    RandomPath,
    /// Any state, equally likely.
    RandomState,
    /// A random state, likelier the more recently it covered something new.
    CoveredNew,
    /// A random state, likelier the deeper it is in the tree of forks.
    Depth,
    /// A random state, half as likely with every fork.
    Shallow,
    /// A random state, likelier the fewer instructions it executed.
    FewInstructions,
    /// A random state, likelier the fewer constraints its queries have.
    CheapQueries,
    /// Iterative deepening: depth first among states with few forks, then among those with twice as many, and so on.
    Deepening,
}

impl Search {
    pub fn name(self) -> &'static str {
        match self {
            Search::Dfs => "dfs",
            Search::Bfs => "bfs",
            Search::RandomPath => "random-path",
            Search::RandomState => "random-state",
            Search::CoveredNew => "nurs:covnew",
            Search::Depth => "nurs:depth",
            Search::Shallow => "nurs:rp",
            Search::FewInstructions => "nurs:icnt",
            Search::CheapQueries => "nurs:qc",
            Search::Deepening => "deepening",
        }
    }

    /// The order with a name.
    pub fn parse(name: &str) -> Option<Search> {
        let all = [
            Search::Dfs,
            Search::Bfs,
            Search::RandomPath,
            Search::RandomState,
            Search::CoveredNew,
            Search::Depth,
            Search::Shallow,
            Search::FewInstructions,
            Search::CheapQueries,
            Search::Deepening,
        ];
        all.into_iter().find(|search| search.name() == name)
    }
}

/// A small deterministic generator (xorshift*).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// The live states, and the tree of forks that random walks need.
pub(crate) struct Pool {
    states: Vec<Entry>,
    /// Positions by id, in order of creation.
    by_id: BTreeMap<u64, usize>,
    tree: Tree,
    random: Random,
    /// States by how long they wait: the turn after which they were added, and their ids.
    queue: BTreeSet<(u64, u64)>,
    turn: u64,
    /// States by how often the limit on forks was doubled before they are within it, and their ids.
    rounds: BTreeSet<(u32, u64)>,
    /// States on the way of a seed, which come first.
    seeded: BTreeSet<u64>,
}

struct Entry {
    state: Box<State>,
    leaf: usize,
    since: u64,
}

impl Pool {
    pub(crate) fn new(seed: u64) -> Self {
        Pool {
            states: Vec::new(),
            by_id: BTreeMap::new(),
            tree: Tree::default(),
            random: Random::new(seed),
            queue: BTreeSet::new(),
            turn: 0,
            rounds: BTreeSet::new(),
            seeded: BTreeSet::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// All states, in no order that means anything.
    pub(crate) fn states(&self) -> impl Iterator<Item = &State> {
        self.states.iter().map(|entry| &*entry.state)
    }

    /// Whether a state waits that a seed takes.
    pub(crate) fn has_seeded(&self) -> bool {
        !self.seeded.is_empty()
    }

    /// Adds a state as a child of a place in the tree; returns its own place.
    pub(crate) fn add(&mut self, state: Box<State>, leaf: usize) {
        self.by_id.insert(state.id, self.states.len());
        debug_assert!(
            self.tree.nodes[leaf].children.is_empty(),
            "states are at the leaves of the tree of forks"
        );
        self.tree.set_state(leaf, state.id);
        self.queue.insert((self.turn, state.id));
        self.rounds.insert((round(&state), state.id));
        if !state.seeds.is_empty() {
            self.seeded.insert(state.id);
        }
        let since = self.turn;
        self.states.push(Entry { state, leaf, since });
    }

    /// A root for the first state.
    pub(crate) fn root(&mut self) -> usize {
        self.tree.leaf(None)
    }

    /// Splits a place into as many as there are states after a fork.
    pub(crate) fn split(&mut self, leaf: usize, children: usize) -> Vec<usize> {
        self.tree.split(leaf, children)
    }

    /// The place of a state that ended is removed.
    pub(crate) fn prune(&mut self, leaf: usize) {
        self.tree.prune(leaf);
    }

    /// Takes the next state out.
    pub(crate) fn take(&mut self, search: Search) -> Option<(Box<State>, usize)> {
        if self.states.is_empty() {
            return None;
        }
        let seeded = self.seeded.last().and_then(|id| self.by_id.get(id));
        if let Some(&position) = seeded {
            return Some(self.take_at(position));
        }
        let position = match search {
            Search::Dfs => *self.by_id.values().next_back()?,
            // the state that waits longest; after a fork the one that went on comes before its copies
            Search::Bfs => {
                let (_, id) = self.queue.first()?;
                *self.by_id.get(id)?
            }
            Search::Deepening => {
                let (round, _) = self.rounds.first()?;
                let newest = self
                    .rounds
                    .range((*round, 0)..=(*round, u64::MAX))
                    .next_back();
                *self.by_id.get(&newest?.1)?
            }
            Search::RandomState => self.random.below(self.states.len()),
            Search::RandomPath => {
                // the walk may end at a state that waits to be merged, which is not here
                let walked = self.tree.walk(&mut self.random);
                let found = walked.and_then(|id| self.by_id.get(&id).copied());
                match found {
                    Some(position) => position,
                    None => self.random.below(self.states.len()),
                }
            }
            _ => self.weighted(search),
        };
        Some(self.take_at(position))
    }

    fn take_at(&mut self, position: usize) -> (Box<State>, usize) {
        let entry = self.states.swap_remove(position);
        self.by_id.remove(&entry.state.id);
        self.seeded.remove(&entry.state.id);
        if let Some(moved) = self.states.get(position) {
            self.by_id.insert(moved.state.id, position);
        }
        debug_assert_eq!(
            self.by_id.len(),
            self.states.len(),
            "every state is found by its id"
        );
        debug_assert!(
            self.queue.contains(&(entry.since, entry.state.id)),
            "a state keeps its place in the queue while it waits"
        );
        debug_assert!(
            self.rounds.contains(&(round(&entry.state), entry.state.id)),
            "a state is not forked while it waits"
        );
        self.queue.remove(&(entry.since, entry.state.id));
        self.rounds.remove(&(round(&entry.state), entry.state.id));
        self.turn += 1;
        (entry.state, entry.leaf)
    }

    /// A random state by weight; a sample keeps the choice cheap.
    fn weighted(&mut self, search: Search) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for _ in 0..self.states.len().min(24) {
            let position = self.random.below(self.states.len());
            let weight = weight(search, &self.states[position].state);
            let unit = (self.random.next() >> 11) as f64 / (1u64 << 53) as f64;
            let key = unit.max(1e-12).ln() / weight;
            if key > best.1 {
                best = (position, key);
            }
        }
        best.0
    }

    /// Takes any state, to be dropped when memory runs out: deep ones first.
    pub(crate) fn take_victim(&mut self) -> Option<(Box<State>, usize)> {
        if self.states.is_empty() {
            return None;
        }
        let position = self.random.below(self.states.len());
        Some(self.take_at(position))
    }
}

/// How often the limit of iterative deepening is doubled before a state is within it.
fn round(state: &State) -> u32 {
    /// Forks allowed at first.
    const FIRST: u32 = 8;
    u32::BITS - (state.depth / FIRST).leading_zeros()
}

/// How much a randomised search favours a state.
fn weight(search: Search, state: &State) -> f64 {
    match search {
        Search::Depth => f64::from(state.depth) + 1.0,
        Search::Shallow => 0.5f64.powi(state.depth.min(1000) as i32),
        Search::FewInstructions => 1.0 / (state.instructions as f64 + 1.0),
        Search::CheapQueries => 1.0 / (state.constraints.len() as f64 + 1.0),
        _ => 1000.0 / state.since_new.max(1) as f64,
    }
}

/// A node of the tree of forks.
struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
    state: Option<u64>,
}

#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    free: Vec<usize>,
    root: Option<usize>,
}

impl Tree {
    fn leaf(&mut self, parent: Option<usize>) -> usize {
        let node = Node {
            parent,
            children: Vec::new(),
            state: None,
        };
        let index = match self.free.pop() {
            Some(index) => {
                self.nodes[index] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        match parent {
            Some(parent) => self.nodes[parent].children.push(index),
            None => self.root = Some(index),
        }
        index
    }

    fn set_state(&mut self, leaf: usize, id: u64) {
        self.nodes[leaf].state = Some(id);
    }

    fn split(&mut self, leaf: usize, children: usize) -> Vec<usize> {
        debug_assert!(self.nodes[leaf].children.is_empty(), "a leaf is split");
        self.nodes[leaf].state = None;
        (0..children).map(|_| self.leaf(Some(leaf))).collect()
    }

    fn prune(&mut self, leaf: usize) {
        let mut current = Some(leaf);
        while let Some(index) = current {
            if !self.nodes[index].children.is_empty() {
                return;
            }
            let parent = self.nodes[index].parent;
            self.nodes[index].state = None;
            debug_assert!(
                parent.is_none_or(|parent| self.nodes[parent].children.contains(&index)),
                "a parent knows its children"
            );
            self.free.push(index);
            match parent {
                Some(parent) => self.nodes[parent].children.retain(|&child| child != index),
                None => self.root = None,
            }
            current = parent;
        }
    }

    fn walk(&self, random: &mut Random) -> Option<u64> {
        let mut index = self.root?;
        loop {
            let node = &self.nodes[index];
            if node.children.is_empty() {
                return node.state;
            }
            index = node.children[random.below(node.children.len())];
        }
    }
}
