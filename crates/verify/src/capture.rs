//! Names for the states of a program, so that counterexamples tell the values of variables along the failing path.

use crate::cfg::loops::postorder_reversed;
use stet_base::Span;
use stet_boogie::Program;
use stet_boogie::ast::{
    AttrParam, Attribute, Attributes, Block, Cmd, CmdId, CmdKind, ExprKind, TransferKind,
};

/// Puts `assume {:captureState "…"}` where variables have new values and the place has a name: after every command that changes one,
/// and behind the invariants of loops, because what follows a loop's head begins with any values that the invariants allow.
pub fn capture_states(program: &mut Program, name: &dyn Fn(Span) -> Option<String>) {
    for imp in program.impls.ids().collect::<Vec<_>>() {
        let mut blocks = std::mem::take(&mut program.impls[imp].blocks);
        let heads = loop_heads(&blocks);
        for (block, is_head) in blocks.iter_mut().zip(heads) {
            block.cmds = with_marks(program, block, is_head, name);
        }
        program.impls[imp].blocks = blocks;
    }
}

fn with_marks(
    program: &mut Program,
    block: &Block,
    is_head: bool,
    name: &dyn Fn(Span) -> Option<String>,
) -> Vec<CmdId> {
    let behind_invariants = is_head.then(|| invariants(program, block));
    let mut cmds = Vec::with_capacity(block.cmds.len());
    for (position, &id) in block.cmds.iter().enumerate() {
        if behind_invariants == Some(position) {
            cmds.extend(mark(program, block.span, name));
        }
        cmds.push(id);
        let Cmd { span, kind, .. } = &program.cmds[id];
        if let CmdKind::Assign { .. } | CmdKind::Havoc(_) | CmdKind::Call(_) = kind {
            cmds.extend(mark(program, *span, name));
        }
    }
    if behind_invariants == Some(block.cmds.len()) {
        cmds.extend(mark(program, block.span, name));
    }
    cmds
}

/// How many commands of a loop's head are its invariants.
fn invariants(program: &Program, head: &Block) -> usize {
    let is_invariant = |id: &&CmdId| {
        let kind = &program.cmds[**id].kind;
        matches!(kind, CmdKind::Assert(_) | CmdKind::Assume(_))
    };
    head.cmds.iter().take_while(is_invariant).count()
}

fn mark(program: &mut Program, span: Span, name: &dyn Fn(Span) -> Option<String>) -> Option<CmdId> {
    let name = name(span).filter(|_| !stet_boogie::is_nowhere(span))?;
    let bool_type = program.types.bool();
    let yes = program.add_expr(span, ExprKind::Bool(true), Some(bool_type));
    let mark = Attribute {
        span,
        key: program.names.intern("captureState"),
        params: vec![AttrParam::Str(name.into())],
    };
    Some(program.cmds.push(Cmd {
        span,
        kind: CmdKind::Assume(yes),
        attrs: Attributes(vec![mark]),
    }))
}

/// Which blocks an edge leads back to.
fn loop_heads(blocks: &[Block]) -> Vec<bool> {
    let mut heads = vec![false; blocks.len()];
    if blocks.is_empty() {
        return heads;
    }
    let successors: Vec<Vec<usize>> = blocks.iter().map(successors).collect();
    let order = postorder_reversed(blocks.len(), |block| &successors[block]);
    let mut position = vec![usize::MAX; blocks.len()];
    for (number, &block) in order.iter().enumerate() {
        position[block] = number;
    }
    for &block in &order {
        for &successor in &successors[block] {
            heads[successor] |= position[successor] <= position[block];
        }
    }
    heads
}

fn successors(block: &Block) -> Vec<usize> {
    match &block.transfer.kind {
        TransferKind::Goto { targets, .. } => {
            targets.iter().map(|&target| target as usize).collect()
        }
        TransferKind::Return | TransferKind::ReturnExpr(_) => Vec::new(),
    }
}
