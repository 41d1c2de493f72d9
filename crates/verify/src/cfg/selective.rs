//! `{:selective_checking}` on a procedure or implementation: only checks after a command with `{:start_checking_here}` are
//! checked; all others are assumed.

use super::{Block, Body, Cmd};
use stet_boogie::Program;
use stet_boogie::ast::ImplId;

/// Whether an implementation is to be checked selectively.
pub(crate) fn is_wanted(program: &Program, imp: ImplId) -> bool {
    let implementation = &program.impls[imp];
    let procedure = implementation.proc.map(|proc| &program.procs[proc].attrs);
    let mut attributes = procedure.into_iter().chain([&implementation.attrs]);
    attributes.any(|attrs| program.bool_attribute(attrs, "selective_checking"))
}

/// Makes assumptions of the checks that no marked command comes before. The body has no loops.
pub(crate) fn apply(body: &mut Body) {
    debug_assert_eq!(
        body.broken_invariant(super::invariants::Stage::Acyclic),
        None
    );
    let marks = &body.marks.start_checking;
    let is_mark = |cmd: &Cmd| match cmd {
        Cmd::Assume(expr) | Cmd::Assert { expr, .. } => marks.contains(expr),
        _ => false,
    };
    let first_mark = |block: &Block| block.cmds.iter().position(is_mark);
    let starts: Vec<Option<usize>> = body.blocks.iter().map(first_mark).collect();
    let mut is_after = vec![false; body.blocks.len()];
    let marked = (0..starts.len()).filter(|&block| starts[block].is_some());
    let mut pending: Vec<usize> = marked
        .flat_map(|block| body.blocks[block].successors.iter().copied())
        .collect();
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut is_after[block], true) {
            pending.extend(&body.blocks[block].successors);
        }
    }
    for (number, block) in body.blocks.iter_mut().enumerate() {
        let end = match starts[number] {
            _ if is_after[number] => 0,
            Some(start) => start,
            None => block.cmds.len(),
        };
        for cmd in &mut block.cmds[..end] {
            if let Cmd::Assert { expr, .. } = *cmd {
                *cmd = Cmd::Assume(expr);
            }
        }
    }
}
