//! Splitting a verification condition: several smaller questions instead of one.
//!
//! Each part asks about some of the checks and assumes the others where they stand. On every path the first
//! check that fails is asked about in some part, under assumptions that hold up to there; so nothing is lost,
//! whatever the partition.
//!
//! `{:split_here}` on an assertion or assumption starts a new part for what it dominates; `{:focus}` makes a part of the
//! checks that lie on a path through it; [`Options::max_splits`] cuts the checks, in order, into that many parts;
//! `{:vcs_split_on_every_assert}` on an implementation makes a part of each check.

use crate::cfg::loops::{dominator_tree, reverse_postorder};
use crate::cfg::{Body, Cmd, predecessors};
use crate::options::Options;
use std::rc::Rc;
use stet_base::{FastMap, FastSet};
use stet_boogie::ast::ExprId;

/// Commands with attributes that ask for something: where to split, which states to show in models.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// Conditions of commands with `{:split_here}`.
    pub(crate) split_here: FastSet<ExprId>,
    /// Conditions of commands with `{:focus}`.
    pub(crate) focus: FastSet<ExprId>,
    /// Whether each check is a part of its own (`{:vcs_split_on_every_assert}` on the implementation).
    pub(crate) every_assert: bool,
    /// Conditions of commands with `{:start_checking_here}`.
    pub(crate) start_checking: FastSet<ExprId>,
    /// Conditions of commands with `{:PossiblyUnreachable}`, for the smoke test.
    pub(crate) possibly_unreachable: FastSet<ExprId>,
    /// Conditions of commands with `{:captureState "…"}`, with the names of the states.
    pub(crate) states: FastMap<ExprId, Rc<str>>,
}

/// The bodies to ask about instead of `body`, whose condition has these checks; empty if it is to stay whole.
pub(crate) fn split(body: &Body, checks: &[usize], options: &Options) -> Vec<Body> {
    let mut groups = groups(body, checks, options);
    groups.retain(|group| !group.is_empty());
    debug_assert_eq!(
        groups.iter().map(FastSet::len).sum::<usize>(),
        checks.len(),
        "every check is asked about in one part"
    );
    if groups.len() < 2 {
        return Vec::new();
    }
    groups.iter().map(|group| part(body, group)).collect()
}

fn groups(body: &Body, checks: &[usize], options: &Options) -> Vec<FastSet<usize>> {
    if options.split_on_every_assert || body.marks.every_assert {
        let alone = |&check: &usize| FastSet::from_iter([check]);
        return checks.iter().map(alone).collect();
    }
    let mut keys: FastMap<usize, (usize, bool)> = FastMap::default();
    if !body.marks.split_here.is_empty() {
        regions(body, &mut keys);
    }
    if !body.marks.focus.is_empty() {
        focused(body, &mut keys);
    }
    let mut found: Vec<((usize, bool), Vec<usize>)> = Vec::new();
    for &check in checks {
        let key = keys.get(&check).copied().unwrap_or_default();
        match found.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(check),
            None => found.push((key, vec![check])),
        }
    }
    let most = options.max_splits.max(1).div_ceil(found.len().max(1));
    let mut groups = Vec::new();
    for (_, group) in found {
        let size = group.len().div_ceil(most).max(1);
        groups.extend(
            group
                .chunks(size)
                .map(|chunk| chunk.iter().copied().collect()),
        );
    }
    groups
}

/// Numbers the pieces between `{:split_here}` marks. Where paths meet, the piece that dominates goes on.
fn regions(body: &Body, keys: &mut FastMap<usize, (usize, bool)>) {
    let order = reverse_postorder(body);
    let dominators = dominator_tree(body);
    let before = predecessors(body);
    let mut at_end = vec![0; body.blocks.len()];
    let mut count = 0;
    for &block in &order {
        let mut region = match &before[block][..] {
            [] => 0,
            [one] => at_end[*one],
            _ => at_end[dominators[block]],
        };
        for cmd in &body.blocks[block].cmds {
            let (Cmd::Assume(expr) | Cmd::Assert { expr, .. }) = cmd else {
                continue;
            };
            if let Cmd::Assert { check, .. } = cmd {
                keys.entry(*check).or_default().0 = region;
            }
            if body.marks.split_here.contains(expr) {
                count += 1;
                region = count;
            }
        }
        at_end[block] = region;
    }
}

/// Marks the checks on paths through a `{:focus}` mark.
fn focused(body: &Body, keys: &mut FastMap<usize, (usize, bool)>) {
    let is_focus = |cmd: &Cmd| match cmd {
        Cmd::Assume(expr) | Cmd::Assert { expr, .. } => body.marks.focus.contains(expr),
        _ => false,
    };
    let before = predecessors(body);
    let mut on_path = vec![false; body.blocks.len()];
    for start in 0..body.blocks.len() {
        if !body.blocks[start].cmds.iter().any(is_focus) {
            continue;
        }
        let directions: [&dyn Fn(usize) -> Vec<usize>; 2] =
            [&|block| before[block].clone(), &|block| {
                body.blocks[block].successors.clone()
            }];
        for neighbours in directions {
            let mut seen = vec![false; body.blocks.len()];
            let mut pending = vec![start];
            while let Some(block) = pending.pop() {
                if !std::mem::replace(&mut seen[block], true) {
                    on_path[block] = true;
                    pending.extend(neighbours(block));
                }
            }
        }
    }
    for (number, block) in body.blocks.iter().enumerate() {
        for cmd in &block.cmds {
            if let Cmd::Assert { check, .. } = cmd {
                keys.entry(*check).or_default().1 = on_path[number];
            }
        }
    }
}

/// The body that asks about one check only, with nothing but what can come before it.
pub(crate) fn slice(body: &Body, check: usize) -> Option<Body> {
    let is_check = |cmd: &Cmd| matches!(cmd, Cmd::Assert { check: c, .. } if *c == check);
    let mut slice = part(body, &FastSet::from_iter([check]));
    let mut blocks = slice.blocks.iter().enumerate();
    let (last, position) = blocks.find_map(|(number, block)| {
        let position = block.cmds.iter().position(is_check)?;
        Some((number, position))
    })?;
    slice.blocks[last].cmds.truncate(position + 1);
    let before = predecessors(body);
    let mut leads_there = vec![false; body.blocks.len()];
    let mut pending = vec![last];
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut leads_there[block], true) {
            pending.extend(&before[block]);
        }
    }
    for block in &mut slice.blocks {
        block.successors.retain(|&next| leads_there[next]);
    }
    slice.blocks[last].successors.clear();
    debug_assert_eq!(
        slice.broken_invariant(crate::cfg::invariants::Stage::Acyclic),
        None
    );
    Some(slice)
}

/// The body that asks about these checks only.
fn part(body: &Body, wanted: &FastSet<usize>) -> Body {
    debug_assert!(
        wanted.iter().all(|&check| check < body.checks.len()),
        "checks of this body"
    );
    let mut part = body.clone();
    for block in &mut part.blocks {
        let cmds = std::mem::take(&mut block.cmds);
        block.cmds = cmds
            .into_iter()
            .filter_map(|cmd| match cmd {
                Cmd::Assert { check, expr } if !wanted.contains(&check) => body.checks[check]
                    .assumed_after
                    .then_some(Cmd::Assume(expr)),
                other => Some(other),
            })
            .collect();
    }
    part
}
