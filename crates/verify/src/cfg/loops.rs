//! Cutting loops [Barnett & Leino, PASTE 2005]: the invariant is checked before the loop and at the end of
//! the body; at the head everything the loop changes is forgotten and the invariant assumed.
//!
//! An irreducible region (a cycle that can be entered at several blocks) is first made reducible by copying:
//! blocks of the cycle are duplicated for the entries other than the head.

use super::invariants::Stage;
use super::{Block, Body, Check, CheckKind, Cmd, predecessors, prune};
use crate::expand::Expander;
use stet_base::FastSet;
use stet_boogie::Program;
use stet_boogie::ast::{ExprId, VarId};

/// A natural loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) head: usize,
    /// Blocks with an edge back to the head.
    pub(crate) back: Vec<usize>,
    /// All blocks, the head included.
    pub(crate) blocks: Vec<usize>,
}

/// The graph of a body is not reducible.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Irreducible;

/// Finds the natural loops, outer ones before inner ones.
pub(crate) fn find(body: &Body) -> Result<Vec<Loop>, Irreducible> {
    let order = reverse_postorder(body);
    let position: Vec<usize> = {
        let mut position = vec![usize::MAX; body.blocks.len()];
        for (i, &block) in order.iter().enumerate() {
            position[block] = i;
        }
        position
    };
    debug_assert_eq!(
        order.len(),
        body.blocks.len(),
        "every block is reached from the entry"
    );
    let before = predecessors(body);
    let dominators = dominators(&order, &position, &before);
    let dominates = |a: usize, mut b: usize| {
        loop {
            if a == b {
                return true;
            }
            if b == 0 {
                return false;
            }
            b = dominators[b];
        }
    };
    let mut heads: Vec<(usize, Vec<usize>)> = Vec::new();
    for &block in &order {
        for &successor in &body.blocks[block].successors {
            if position[successor] <= position[block] {
                if !dominates(successor, block) {
                    return Err(Irreducible);
                }
                match heads.iter_mut().find(|(head, _)| *head == successor) {
                    Some((_, back)) => {
                        if !back.contains(&block) {
                            back.push(block);
                        }
                    }
                    None => heads.push((successor, vec![block])),
                }
            }
        }
    }
    debug_assert!(
        heads
            .iter()
            .all(|(head, back)| back.iter().all(|&b| dominates(*head, b))),
        "a natural loop is entered at its head"
    );
    heads.sort_by_key(|&(head, _)| position[head]);
    Ok(heads
        .into_iter()
        .map(|(head, back)| {
            let blocks = natural_loop(head, &back, &before);
            Loop { head, back, blocks }
        })
        .collect())
}

fn natural_loop(head: usize, back: &[usize], before: &[Vec<usize>]) -> Vec<usize> {
    let mut members: FastSet<usize> = FastSet::default();
    members.insert(head);
    let mut pending = back.to_vec();
    while let Some(block) = pending.pop() {
        if members.insert(block) {
            pending.extend(&before[block]);
        }
    }
    let mut blocks: Vec<usize> = members.into_iter().collect();
    blocks.sort_unstable();
    blocks
}

/// Blocks in reverse postorder of a depth-first search from the entry.
pub(crate) fn reverse_postorder(body: &Body) -> Vec<usize> {
    postorder_reversed(body.blocks.len(), |block| &body.blocks[block].successors)
}

/// The nodes of a graph that node 0 reaches, in reverse postorder of a depth-first search from there.
pub(crate) fn postorder_reversed<'a>(
    count: usize,
    successors: impl Fn(usize) -> &'a [usize],
) -> Vec<usize> {
    debug_assert!(count > 0, "a body has an entry");
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((node, next)) = stack.pop() {
        match successors(node).get(next) {
            Some(&successor) => {
                stack.push((node, next + 1));
                if !std::mem::replace(&mut seen[successor], true) {
                    stack.push((successor, 0));
                }
            }
            None => order.push(node),
        }
    }
    order.reverse();
    debug_assert_eq!(order.first(), Some(&0), "the entry comes first");
    order
}

/// The immediate dominator of every block.
pub(crate) fn dominator_tree(body: &Body) -> Vec<usize> {
    let order = reverse_postorder(body);
    let mut position = vec![usize::MAX; body.blocks.len()];
    for (i, &block) in order.iter().enumerate() {
        position[block] = i;
    }
    dominators(&order, &position, &predecessors(body))
}

/// Immediate dominators [Cooper, Harvey & Kennedy 2001].
fn dominators(order: &[usize], position: &[usize], before: &[Vec<usize>]) -> Vec<usize> {
    let mut found = vec![usize::MAX; before.len()];
    found[0] = 0;
    loop {
        let mut changed = false;
        for &block in order.iter().skip(1) {
            let mut new = usize::MAX;
            for &pred in &before[block] {
                if found[pred] == usize::MAX {
                    continue;
                }
                new = if new == usize::MAX {
                    pred
                } else {
                    intersect(&found, position, pred, new)
                };
            }
            if found[block] != new {
                found[block] = new;
                changed = true;
            }
        }
        if !changed {
            return found;
        }
    }
}

fn intersect(found: &[usize], position: &[usize], mut a: usize, mut b: usize) -> usize {
    debug_assert!(
        found[a] != usize::MAX && found[b] != usize::MAX,
        "dominators of predecessors are known before they are compared"
    );
    while a != b {
        while position[a] > position[b] {
            a = found[a];
        }
        while position[b] > position[a] {
            b = found[b];
        }
    }
    a
}

/// Makes a graph reducible by copying blocks; gives up when it grows beyond reason.
pub(crate) fn make_reducible(body: &mut Body) -> Result<(), Irreducible> {
    let limit = body.blocks.len() * 16 + 64;
    while find(body).is_err() {
        if body.blocks.len() > limit {
            return Err(Irreducible);
        }
        split_one(body)?;
    }
    Ok(())
}

/// Copies the target of one offending edge for that edge's source.
fn split_one(body: &mut Body) -> Result<(), Irreducible> {
    let order = reverse_postorder(body);
    let mut position = vec![usize::MAX; body.blocks.len()];
    for (i, &block) in order.iter().enumerate() {
        position[block] = i;
    }
    let before = predecessors(body);
    let dominators = dominators(&order, &position, &before);
    let dominates = |a: usize, mut b: usize| {
        while a != b && b != 0 {
            b = dominators[b];
        }
        a == b
    };
    for &block in &order {
        for i in 0..body.blocks[block].successors.len() {
            let target = body.blocks[block].successors[i];
            if position[target] <= position[block] && !dominates(target, block) {
                let mut copy = body.blocks[target].clone();
                renumber_checks(&mut copy, &mut body.checks);
                body.blocks.push(copy);
                let new = body.blocks.len() - 1;
                body.blocks[block].successors[i] = new;
                return Ok(());
            }
        }
    }
    Err(Irreducible)
}

/// Copies of a check are checks of their own.
pub(crate) fn renumber_checks(block: &mut Block, checks: &mut Vec<Check>) {
    for cmd in &mut block.cmds {
        if let Cmd::Assert { check, .. } = cmd {
            checks.push(checks[*check].clone());
            *check = checks.len() - 1;
        }
    }
}

/// Cuts all loops.
pub(crate) fn cut(
    program: &mut Program,
    expander: &mut Expander,
    body: &mut Body,
) -> Result<(), Irreducible> {
    make_reducible(body)?;
    let loops = find(body)?;
    // Inner loops first would lose the outer loop's edges; all facts are computed before any edge is cut.
    let targets: Vec<Vec<VarId>> = loops
        .iter()
        .map(|l| super::assigned(body, &l.blocks))
        .collect();
    for (l, targets) in loops.iter().zip(targets) {
        cut_one(program, expander, body, l, targets);
    }
    prune(body);
    debug_assert_eq!(body.broken_invariant(Stage::Acyclic), None);
    Ok(())
}

fn cut_one(
    program: &mut Program,
    expander: &mut Expander,
    body: &mut Body,
    l: &Loop,
    targets: Vec<VarId>,
) {
    let prefix = body.blocks[l.head]
        .cmds
        .iter()
        .take_while(|cmd| matches!(cmd, Cmd::Assume(_) | Cmd::Assert { .. }))
        .count();
    let invariants: Vec<(usize, ExprId)> = body.blocks[l.head].cmds[..prefix]
        .iter()
        .filter_map(|cmd| match cmd {
            Cmd::Assert { check, expr } => Some((*check, *expr)),
            _ => None,
        })
        .collect();
    debug_assert!(
        l.blocks.binary_search(&l.head).is_ok(),
        "a loop has its head"
    );
    debug_assert!(
        l.back.iter().all(|b| l.blocks.binary_search(b).is_ok()),
        "edges back to the head come from the loop"
    );
    for pred in predecessors(body)[l.head].clone() {
        let is_back = l.back.contains(&pred);
        let kind = if is_back {
            CheckKind::InvariantMaintained
        } else {
            CheckKind::InvariantEntry
        };
        let at = if body.blocks[pred].successors.len() > 1 {
            insert_between(body, pred, l.head)
        } else {
            pred
        };
        for &(check, expr) in &invariants {
            let mut copy = body.checks[check].clone();
            copy.kind = kind;
            body.checks.push(copy);
            let check = body.checks.len() - 1;
            body.blocks[at].cmds.push(Cmd::Assert { check, expr });
        }
        if is_back {
            body.blocks[at].successors.clear();
        }
    }
    let mut cmds = Vec::new();
    let clauses: Vec<ExprId> = targets
        .iter()
        .filter_map(|&var| program.vars[var].where_clause)
        .collect();
    if !targets.is_empty() {
        cmds.push(Cmd::Havoc(targets));
    }
    for clause in clauses {
        cmds.push(Cmd::Assume(expander.expand(program, clause)));
    }
    let rest = body.blocks[l.head].cmds.split_off(prefix);
    for cmd in std::mem::take(&mut body.blocks[l.head].cmds) {
        cmds.push(match cmd {
            Cmd::Assert { expr, .. } => Cmd::Assume(expr),
            other => other,
        });
    }
    cmds.extend(rest);
    body.blocks[l.head].cmds = cmds;
}

fn insert_between(body: &mut Body, from: usize, to: usize) -> usize {
    debug_assert!(
        body.blocks[from].successors.contains(&to),
        "there is an edge to put a block on"
    );
    let label = format!("{}_@2_{}", body.blocks[from].label, body.blocks[to].label);
    body.blocks.push(Block {
        label: label.into(),
        span: None,
        cmds: Vec::new(),
        successors: vec![to],
        returns: None,
        inlined_return: None,
    });
    let new = body.blocks.len() - 1;
    for successor in &mut body.blocks[from].successors {
        if *successor == to {
            *successor = new;
        }
    }
    new
}
