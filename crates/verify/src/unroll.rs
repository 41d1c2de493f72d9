//! Loop unrolling: follows a number of back edges, then stops; sound unrolling checks that nothing is left.
//!
//! As in Boogie, a level says how many more back edges may be followed. Blocks are copied once per level; an edge back to a block
//! from which a depth-first search is still going on leads one level down, an edge out of a strongly connected component back to the top,
//! so that loops inside of loops share their level. At level zero a loop ends with its invariants.
//! Graphs need not be reducible.

use crate::cfg::invariants::Stage;
use crate::cfg::loops::{renumber_checks, reverse_postorder};
use crate::cfg::{Block, Body, Check, CheckKind, Cmd, predecessors, prune};
use crate::tree;
use stet_base::FastMap;
use stet_boogie::Program;

/// More blocks than this are not made.
const MOST_BLOCKS: usize = 200_000;

/// The unrolled body would have too many blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLarge;

/// Replaces every loop by copies for `times` iterations.
pub(crate) fn unroll(
    program: &mut Program,
    body: &mut Body,
    times: u32,
    sound: bool,
) -> Result<(), TooLarge> {
    let graph = Graph::new(body);
    let originals = std::mem::take(&mut body.blocks);
    let mut copies = Copies {
        numbers: FastMap::default(),
        pending: Vec::new(),
    };
    copies.of(0, times);
    // Checks of the first copy keep their numbers.
    let mut is_copied = vec![false; originals.len()];
    while body.blocks.len() < copies.pending.len() {
        if body.blocks.len() > MOST_BLOCKS {
            return Err(TooLarge);
        }
        let (original, level) = copies.pending[body.blocks.len()];
        debug_assert!(
            level <= times,
            "levels go down from the number of iterations"
        );
        debug_assert_eq!(
            graph.is_back[original].len(),
            originals[original].successors.len(),
            "whether each edge leads back"
        );
        let mut copy = originals[original].clone();
        if std::mem::replace(&mut is_copied[original], true) {
            renumber_checks(&mut copy, &mut body.checks);
        }
        if copy.span.is_some() {
            copy.label = format!("{}#{level}", copy.label).into();
        }
        if level == 0 && graph.is_head[original] {
            end(program, &mut copy, &mut body.checks, sound);
        } else {
            for (i, successor) in copy.successors.iter_mut().enumerate() {
                let below = if graph.is_back[original][i] {
                    level.saturating_sub(1)
                } else if graph.component[original] == graph.component[*successor] {
                    level
                } else {
                    times
                };
                *successor = copies.of(*successor, below);
            }
        }
        body.blocks.push(copy);
    }
    prune(body);
    debug_assert_eq!(body.broken_invariant(Stage::Acyclic), None);
    Ok(())
}

/// The copies of blocks, in the order in which they were first asked for.
struct Copies {
    numbers: FastMap<(usize, u32), usize>,
    pending: Vec<(usize, u32)>,
}

impl Copies {
    /// The number of the copy of a block at a level.
    fn of(&mut self, block: usize, level: u32) -> usize {
        *self.numbers.entry((block, level)).or_insert_with(|| {
            self.pending.push((block, level));
            self.pending.len() - 1
        })
    }
}

/// Ends a loop: of its head the invariants are left.
fn end(program: &mut Program, head: &mut Block, checks: &mut Vec<Check>, sound: bool) {
    let is_predicate = |cmd: &Cmd| matches!(cmd, Cmd::Assume(_) | Cmd::Assert { .. });
    let kept = head.cmds.iter().take_while(|cmd| is_predicate(cmd)).count();
    head.cmds.truncate(kept);
    head.successors.clear();
    head.returns = None;
    let Some(span) = head.span else { return };
    let no = tree::bool_literal(program, span, false);
    if !sound {
        head.cmds.push(Cmd::Assume(no));
        return;
    }
    checks.push(Check {
        kind: CheckKind::Assert,
        span,
        related: None,
        assumed_after: true,
        message: None,
    });
    let check = checks.len() - 1;
    head.cmds.push(Cmd::Assert { check, expr: no });
}

/// What a depth-first search from the entry says about a graph.
struct Graph {
    /// For every block, which of its edges lead to a block the search is still in.
    is_back: Vec<Vec<bool>>,
    /// Which blocks such edges lead to.
    is_head: Vec<bool>,
    /// The strongly connected component of every block.
    component: Vec<usize>,
}

impl Graph {
    fn new(body: &Body) -> Self {
        let count = body.blocks.len();
        let edges = |block: &Block| vec![false; block.successors.len()];
        let mut is_back: Vec<Vec<bool>> = body.blocks.iter().map(edges).collect();
        let mut is_head = vec![false; count];
        let (mut seen, mut is_open) = (vec![false; count], vec![false; count]);
        let mut stack = vec![(0, 0)];
        (seen[0], is_open[0]) = (true, true);
        while let Some((block, next)) = stack.pop() {
            let Some(&successor) = body.blocks[block].successors.get(next) else {
                is_open[block] = false;
                continue;
            };
            stack.push((block, next + 1));
            if is_open[successor] {
                is_back[block][next] = true;
                is_head[successor] = true;
            } else if !std::mem::replace(&mut seen[successor], true) {
                is_open[successor] = true;
                stack.push((successor, 0));
            }
        }
        Graph {
            is_back,
            is_head,
            component: components(body),
        }
    }
}

/// Numbers the strongly connected components [Kosaraju].
fn components(body: &Body) -> Vec<usize> {
    let before = predecessors(body);
    let mut component = vec![usize::MAX; body.blocks.len()];
    for root in reverse_postorder(body) {
        let mut pending = vec![root];
        while let Some(block) = pending.pop() {
            if component[block] == usize::MAX {
                component[block] = root;
                pending.extend(&before[block]);
            }
        }
    }
    debug_assert!(
        !component.contains(&usize::MAX),
        "every block is reached from the entry"
    );
    component
}
