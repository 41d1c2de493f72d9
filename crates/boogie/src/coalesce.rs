//! Merging blocks: a block that is the only way to its only successor takes it in.
//!
//! Boogie does this before inlining; execution traces and printed programs show the result. Blocks come out in the order of a
//! depth-first search that takes the last successor first; what is not reachable is gone.

use crate::ast::*;
use crate::blocks;
use crate::position::is_nowhere;
use crate::program::Program;

/// Merges blocks in all implementations.
pub fn coalesce(program: &mut Program) {
    for id in program.impls.ids() {
        let blocks = std::mem::take(&mut program.impls[id].blocks);
        program.impls[id].blocks = coalesce_blocks(blocks);
    }
}

fn targets(block: &Block) -> &[u32] {
    match &block.transfer.kind {
        TransferKind::Goto { targets, .. } => targets,
        _ => &[],
    }
}

fn coalesce_blocks(mut blocks: Vec<Block>) -> Vec<Block> {
    if blocks.is_empty() {
        return blocks;
    }
    let several = entered_from_several(&blocks);
    let mut visited = vec![false; blocks.len()];
    let mut order: Vec<u32> = Vec::new();
    let mut stack = vec![0u32];
    while let Some(at) = stack.pop() {
        let index = at as usize;
        if visited[index] {
            continue;
        }
        visited[index] = true;
        order.push(at);
        while let &[next] = targets(&blocks[index]) {
            let next = next as usize;
            if several[next] || visited[next] {
                break;
            }
            visited[next] = true;
            let taken = std::mem::take(&mut blocks[next].cmds);
            let transfer = blocks[next].transfer.clone();
            let span = blocks[next].span;
            let block = &mut blocks[index];
            block.cmds.extend(taken);
            block.transfer = transfer;
            if is_nowhere(block.span) {
                block.span = span;
            }
        }
        stack.extend(targets(&blocks[index]));
    }
    let mut blocks: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let mut result: Vec<Block> = order
        .into_iter()
        .filter_map(|i| blocks[i as usize].take())
        .collect();
    blocks::link(&mut result);
    result
}

/// Which blocks are entered by more than one edge; the entry counts as entered once.
fn entered_from_several(blocks: &[Block]) -> Vec<bool> {
    let mut seen = vec![false; blocks.len()];
    let mut several = vec![false; blocks.len()];
    let mut stack = vec![0u32];
    seen[0] = true;
    let mut expanded = vec![false; blocks.len()];
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut expanded[at as usize], true) {
            continue;
        }
        for &next in targets(&blocks[at as usize]) {
            if std::mem::replace(&mut seen[next as usize], true) {
                several[next as usize] = true;
            } else {
                stack.push(next);
            }
        }
    }
    several
}
