//! The common exit in Boogie's messages.
//!
//! With a single `return` there is none: the postconditions are checked in the block that returns. Otherwise blocks of which nothing
//! is left once variables have single names are merged into the exit; it takes the name and place of the first of
//! them, and what fails after them is reported at the closing brace.

use crate::cfg::Body;
use std::rc::Rc;
use stet_base::{FastMap, FastSet};
use stet_boogie::ast::VarId;

/// The common exit of a body.
pub(super) struct Exit {
    /// The blocks that return.
    returning: Vec<usize>,
    /// Whether Boogie has one, too: cut loops count as returns for it.
    is_unified: bool,
    /// Whether variables are called otherwise at the end of some of them.
    differs: bool,
}

/// Finds the exit.
pub(super) fn find(
    body: &Body,
    before: &[Vec<usize>],
    live: &[FastSet<VarId>],
    at_end: &[FastMap<VarId, Rc<str>>],
) -> Option<Exit> {
    let is_exit = |b: &crate::cfg::Block| b.span.is_none() && &*b.label == crate::cfg::EXIT;
    let number = body.blocks.iter().position(is_exit)?;
    debug_assert!(
        body.blocks[number].successors.is_empty(),
        "nothing comes after the exit"
    );
    debug_assert_eq!(
        before.len(),
        body.blocks.len(),
        "predecessors of every block"
    );
    let returning = before[number].clone();
    let blocks = body.blocks.iter().enumerate();
    let ending: Vec<usize> = blocks
        .filter(|(b, block)| *b != number && block.successors.is_empty())
        .map(|(b, _)| b)
        .collect();
    let ends = || returning.iter().chain(&ending);
    let differs = live[number].iter().any(|var| {
        let mut names = ends().filter_map(|&block| at_end[block].get(var));
        let first = names.next();
        names.any(|name| Some(name) != first)
    });
    Some(Exit {
        is_unified: ends().count() > 1,
        differs,
        returning,
    })
}

impl Exit {
    /// Whether something is left of a block that returns: the postconditions, or the names that are joined after it.
    pub(super) fn is_kept(&self, block: usize) -> bool {
        self.returning.contains(&block) && (!self.is_unified || self.differs)
    }

    /// Which blocks are merged into the exit, and the one it is called after.
    pub(super) fn merged(&self, body: &Body, silent: &[bool]) -> (Vec<bool>, Option<usize>) {
        debug_assert_eq!(
            silent.len(),
            body.blocks.len(),
            "whether each block says nothing"
        );
        let mut merged = vec![false; body.blocks.len()];
        for &block in &self.returning {
            merged[block] = self.is_unified && silent[block];
        }
        let name = postorder(body).into_iter().find(|&block| merged[block]);
        (merged, name)
    }
}

/// A depth-first search that takes the last successor first and marks blocks when it first sees them, as Boogie's does.
fn postorder(body: &Body) -> Vec<usize> {
    let mut seen = vec![false; body.blocks.len()];
    let mut is_open = vec![false; body.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![0];
    seen[0] = true;
    while let Some(block) = stack.pop() {
        if std::mem::replace(&mut is_open[block], true) {
            order.push(block);
            continue;
        }
        stack.push(block);
        for &successor in &body.blocks[block].successors {
            if !std::mem::replace(&mut seen[successor], true) {
                stack.push(successor);
            }
        }
    }
    order
}
