//! Parts of the tree of paths, so that several processes can explore one program.
//!
//! A part is everything below a sequence of choices: at the n-th fork of a path, 0 for the state that went on and k
//! for its k-th copy. A process goes to the part by repeating the choices (the execution between forks is a
//! function of them), explores until it is asked to stop, and hands over what is left as parts. What happened on
//! the way was told by whoever explored the part before: every path is told exactly once.

use crate::left_out::LeftOut;
use stet_base::Budget;

/// How a run ends that could not repeat its choices.
pub(crate) const DIVERGED: &str = "the choices before this part of the tree could not be repeated";

/// A part of the tree, and when to stop exploring it.
pub struct Part<'a> {
    /// The choices that lead to it.
    pub prefix: Vec<u32>,
    /// Asked between two turns with the number of states waiting: whether to stop and hand them over.
    pub stop: Option<&'a mut dyn FnMut(usize) -> bool>,
    /// Where states are given away while the exploration goes on.
    pub taker: Option<&'a dyn Taker>,
    /// Afterwards: the choices that lead to what was not explored.
    pub left: Vec<Vec<u32>>,
    /// Told at the end of every part, if parts are accounted for one by one.
    pub ended: Option<&'a dyn Fn(PartEnd)>,
}

/// What one of several parts that an engine explores one after the other added to its counts.
#[derive(Debug)]
pub struct PartEnd {
    /// The choices that lead to what was not explored.
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
}

impl<'a> Part<'a> {
    /// The whole tree, to its end.
    pub fn whole() -> Self {
        Part {
            prefix: Vec::new(),
            stop: None,
            taker: None,
            left: Vec::new(),
            ended: None,
        }
    }

    /// What lies below these choices, to its end, and then what the taker says; states are given away on the way.
    pub fn shared(prefix: Vec<u32>, taker: &'a dyn Taker) -> Self {
        Part {
            prefix,
            stop: None,
            taker: Some(taker),
            left: Vec::new(),
            ended: None,
        }
    }

    /// What lies below these choices, until `stop` says so, and then what the taker says; `ended` is told of each.
    pub fn in_turn(
        prefix: Vec<u32>,
        stop: &'a mut dyn FnMut(usize) -> bool,
        taker: &'a dyn Taker,
        ended: &'a dyn Fn(PartEnd),
    ) -> Self {
        Part {
            prefix,
            stop: Some(stop),
            taker: Some(taker),
            left: Vec::new(),
            ended: Some(ended),
        }
    }

    pub(crate) fn is_to_be_handed_over(&mut self, waiting: usize) -> bool {
        self.stop.as_mut().is_some_and(|stop| stop(waiting))
    }
}
