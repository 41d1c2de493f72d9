//! Checks before which nothing changed [FGC §4.1]: equal digests of a check and of everything that can come before it.
//!
//! This alone lets errors be recycled: their failing path, too, is the same.

use super::snapshot::{OldCmdKind, OldVerdict, Snapshot};
use crate::cfg::loops::{postorder_reversed, reverse_postorder};
use crate::cfg::{self, Body, Cmd};
use stet_base::{FastMap, FastSet};
use stet_key::{Digest, Encoder};

/// Verdicts by the digest of a check and everything before it.
pub(super) struct SamePast {
    pub(super) verified: FastSet<usize>,
    /// With the failing path, and whether the prover had a model of it.
    pub(super) failed: FastMap<usize, (Vec<usize>, bool)>,
}

/// Digests of all points: a command with everything that can come before it.
fn chains(
    count: usize,
    order: &[usize],
    before: &[Vec<usize>],
    digests: &dyn Fn(usize) -> Vec<Digest>,
) -> (Vec<Vec<Digest>>, Vec<Digest>) {
    let mut points = vec![Vec::new(); count];
    let mut ends = vec![Digest::of_bytes(b"unreached"); count];
    for &block in order {
        debug_assert!(points[block].is_empty(), "a block is visited once");
        let mut encoder = Encoder::new();
        encoder.digest_set(before[block].iter().map(|&p| ends[p]));
        let mut now = encoder.digest_of_all();
        for digest in digests(block) {
            let mut encoder = Encoder::new();
            encoder.digest(&now);
            encoder.digest(&digest);
            now = encoder.digest_of_all();
            points[block].push(now);
        }
        ends[block] = now;
    }
    (points, ends)
}

/// The verdicts of checks whose whole past is the same.
pub(super) fn same_past(body: &Body, digests: &[Vec<Digest>], old: &Snapshot) -> SamePast {
    let order = reverse_postorder(body);
    let before = cfg::predecessors(body);
    let (points, ends) = chains(body.blocks.len(), &order, &before, &|b| digests[b].clone());
    let (old_order, old_before) = old_graph(old);
    let (old_points, old_ends) = chains(old.blocks.len(), &old_order, &old_before, &|b| {
        old.blocks[b].cmds.iter().map(|cmd| cmd.digest).collect()
    });
    let mut known: FastMap<Digest, &OldVerdict> = FastMap::default();
    for (block, points) in old.blocks.iter().zip(&old_points) {
        for (cmd, point) in block.cmds.iter().zip(points) {
            if let OldCmdKind::Assert { verdict, .. } = &cmd.kind {
                known.insert(*point, verdict);
            }
        }
    }
    let mut found = SamePast {
        verified: FastSet::default(),
        failed: FastMap::default(),
    };
    for &block in &order {
        for (cmd, point) in body.blocks[block].cmds.iter().zip(&points[block]) {
            let Cmd::Assert { check, .. } = cmd else {
                continue;
            };
            match known.get(point) {
                Some(OldVerdict::Verified) => {
                    found.verified.insert(*check);
                }
                Some(OldVerdict::Failed(path, is_certain)) => {
                    if let Some(path) = retrace(block, path, &before, &ends, &old_ends) {
                        found.failed.insert(*check, (path, *is_certain));
                    }
                }
                Some(OldVerdict::Unknown) | None => {}
            }
        }
    }
    found
}

fn old_graph(old: &Snapshot) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut before = vec![Vec::new(); old.blocks.len()];
    for (number, block) in old.blocks.iter().enumerate() {
        for &successor in &block.successors {
            if !before[successor].contains(&number) {
                before[successor].push(number);
            }
        }
    }
    let order = postorder_reversed(old.blocks.len(), |block| &old.blocks[block].successors);
    (order, before)
}

/// The new blocks of an old failing path: equal pasts have equal digests, so there is one.
fn retrace(
    end: usize,
    old_path: &[u32],
    before: &[Vec<usize>],
    ends: &[Digest],
    old_ends: &[Digest],
) -> Option<Vec<usize>> {
    debug_assert!(
        end < ends.len() && ends.len() == before.len(),
        "a block of the new body"
    );
    let mut path = vec![end];
    let mut block = end;
    for &old in old_path.iter().rev().skip(1) {
        let wanted = old_ends.get(old as usize)?;
        block = *before[block].iter().find(|&&p| ends[p] == *wanted)?;
        path.push(block);
    }
    path.reverse();
    debug_assert!(
        path.windows(2)
            .all(|pair| before[pair[1]].contains(&pair[0])),
        "a failing path follows edges"
    );
    (path.first() == Some(&0)).then_some(path)
}
