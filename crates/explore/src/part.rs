//! Parts of the tree of paths, so that several processes can explore one program.
//!
//! A part is everything below a sequence of choices: at the n-th fork of a path, 0 for the state that went on and k
//! for its k-th copy. A process goes to the part by repeating the choices (the execution between forks is a
//! function of them), explores what lies below, and gives states away to others who want some. What happened on
//! the way was told by whoever explored the part before: every path is told exactly once.

use crate::left_out::LeftOut;
use crate::state::State;
use stet_base::Budget;

/// How a run ends that could not repeat its choices.
pub(crate) const DIVERGED: &str = "the choices before this part of the tree could not be repeated";

/// A part of the tree, and who else explores the tree.
pub struct Part<'a> {
    /// The choices that lead to it.
    pub prefix: Vec<u32>,
    /// Where states are given away while the exploration goes on, and where further parts come from.
    pub taker: Option<&'a dyn Taker>,
    /// Told at the end of every part, if parts are accounted for one by one.
    pub ended: Option<&'a dyn Fn(PartEnd)>,
}

/// What a part, or a stretch of one, added to the counts of an engine that explores several.
#[derive(Debug)]
pub struct PartEnd {
    /// The choices that lead to what is still to be explored here; nothing at the end of a part.
    pub left: Vec<Vec<u32>>,
    pub instructions: u64,
    pub forks: u64,
    /// Queries that reached the solver.
    pub solved: u64,
    pub left_out: Vec<LeftOut>,
    /// Why the part was not explored to its end, or that an answer of a cache was wrong.
    pub failure: Option<String>,
}

/// Somebody who takes states from an exploration that goes on.
pub trait Taker {
    /// How many of the waiting states are wanted now.
    fn wants(&self, waiting: usize) -> usize;
    /// Takes a state by the choices that lead to it.
    fn take(&self, prefix: Vec<u32>);
    /// What to explore after a part has ended: choices that lead there. Waits for others, if need be, as long as the budget lasts.
    fn next_part(&self, budget: &Budget) -> Option<Vec<u32>>;
    /// Whether what was found so far is to be handed in now.
    fn is_due(&self) -> bool {
        false
    }
    /// Takes what was found so far. False: somebody else explores the part now, and it is to be left.
    fn hand_in(&self, _: PartEnd) -> bool {
        true
    }
}

impl<'a> Part<'a> {
    /// The whole tree, to its end.
    pub fn whole() -> Self {
        Part {
            prefix: Vec::new(),
            taker: None,
            ended: None,
        }
    }

    /// What lies below these choices, to its end, and then what the taker says; states are given away on the way.
    pub fn shared(prefix: Vec<u32>, taker: &'a dyn Taker) -> Self {
        Part {
            prefix,
            taker: Some(taker),
            ended: None,
        }
    }

    /// The same, and `ended` is told of each part.
    pub fn in_turn(prefix: Vec<u32>, taker: &'a dyn Taker, ended: &'a dyn Fn(PartEnd)) -> Self {
        Part {
            prefix,
            taker: Some(taker),
            ended: Some(ended),
        }
    }
}

/// The way to the last part: what it shares with the way to the next one is not gone again.
#[derive(Default)]
pub(crate) struct Trail {
    pub(crate) choices: Vec<u32>,
    /// The state after each of the choices.
    states: Vec<State>,
}

impl Trail {
    /// Keeps the first steps, as far as they are those of `prefix`; the state they lead to.
    pub(crate) fn back_to(&mut self, prefix: &[u32]) -> Option<State> {
        let pairs = self.choices.iter().zip(prefix);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        self.choices.truncate(shared);
        self.states.truncate(shared);
        self.states.last().cloned()
    }

    pub(crate) fn step(&mut self, choice: u32, state: &State) {
        self.choices.push(choice);
        self.states.push(state.clone());
    }
}
