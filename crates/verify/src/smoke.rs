//! Smoke test: looks for code that can never be reached, and so was verified for the wrong reason.
//!
//! Every check of a verified body is assumed, and `assert false` is put at the end of a branch; if that can be
//! proved, no execution gets there: specifications, axioms or assumptions contradict each other, or the code is dead.

use crate::cfg::loops::reverse_postorder;
use crate::cfg::{Block, Body, Check, CheckKind, Cmd, predecessors};
use stet_base::Span;
use stet_boogie::Program;
use stet_boogie::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};

/// Code that cannot be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreachable {
    /// The place of its block.
    pub span: Option<Span>,
    /// The labels of the blocks on ways to it, its own last.
    pub path: Vec<String>,
}

/// The end of a branch.
pub(crate) struct Point {
    pub(crate) block: usize,
    /// How many of its commands come before.
    commands: usize,
}

/// How a block goes on.
enum Way {
    /// To its successors.
    On,
    /// Up to a command after which nothing is meant to come.
    UpTo(usize),
    /// The author says that it is not reached.
    Never,
}

/// The ends of the branches of a body, depth first: where nothing comes after, and where a block goes on to others that are
/// reached in several ways each.
pub(crate) fn points(program: &Program, body: &Body) -> Vec<Point> {
    let mut found = Vec::new();
    let before = predecessors(body);
    let mut visited = vec![false; body.blocks.len()];
    let mut pending = vec![0];
    while let Some(number) = pending.pop() {
        if std::mem::replace(&mut visited[number], true) {
            continue;
        }
        let block = &body.blocks[number];
        let way = way(program, block);
        let commands = match way {
            Way::Never => continue,
            Way::UpTo(end) => end,
            Way::On => {
                pending.extend(block.successors.iter().rev());
                let joins = |&next: &usize| before[next].len() > 1 || is_edge(&body.blocks[next]);
                if !block.successors.iter().all(joins) || is_edge(block) {
                    continue;
                }
                block.cmds.len()
            }
        };
        debug_assert!(commands <= block.cmds.len(), "a point is in its block");
        let is_excused = block.cmds[..commands].iter().any(|cmd| match cmd {
            Cmd::Assert { expr, .. } => body.marks.possibly_unreachable.contains(expr),
            _ => false,
        });
        if !is_excused {
            found.push(Point {
                block: number,
                commands,
            });
        }
    }
    found
}

/// Whether a block was put on an edge to a block that is reached in several ways.
fn is_edge(block: &Block) -> bool {
    block.span.is_none() && block.label.is_empty()
}

fn way(program: &Program, block: &Block) -> Way {
    // A precondition is not part of the code.
    if block.span.is_none() {
        return Way::On;
    }
    for (position, cmd) in block.cmds.iter().enumerate() {
        match cmd {
            Cmd::Assume(expr) if smoke_value(program, *expr) == Some(false) => {
                return Way::UpTo(position);
            }
            Cmd::Assert { expr, .. } if smoke_value(program, *expr) == Some(false) => {
                return Way::Never;
            }
            _ => {}
        }
    }
    Way::On
}

/// The value of a condition that is a literal, a negated one, or says that a literal differs from itself.
pub fn smoke_value(program: &Program, expr: ExprId) -> Option<bool> {
    let (mut expr, mut is_negated) = (expr, false);
    loop {
        match &program.exprs[expr].kind {
            ExprKind::Bool(value) => return Some(*value != is_negated),
            ExprKind::Unary(UnaryOp::Not, inside) => {
                (expr, is_negated) = (*inside, !is_negated);
            }
            ExprKind::Binary(BinaryOp::Neq, left, right) => {
                let (left, right) = (&program.exprs[*left].kind, &program.exprs[*right].kind);
                let is_same = match (left, right) {
                    (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
                    (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
                    (ExprKind::Real(a), ExprKind::Real(b)) => a == b,
                    (ExprKind::Bv { value: a, width: v }, ExprKind::Bv { value: b, width: w }) => {
                        (a, v) == (b, w)
                    }
                    _ => false,
                };
                return is_same.then_some(is_negated);
            }
            _ => return None,
        }
    }
}

/// How a point that cannot be reached is told.
pub(crate) fn describe(body: &Body, point: &Point) -> Unreachable {
    let before = predecessors(body);
    let mut is_before = vec![false; body.blocks.len()];
    let mut pending = vec![point.block];
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut is_before[block], true) {
            pending.extend(&before[block]);
        }
    }
    let order = reverse_postorder(body);
    let ways = order.iter().filter(|&&block| is_before[block]);
    let shown = ways
        .map(|&block| &body.blocks[block])
        .filter(|b| b.span.is_some());
    Unreachable {
        span: body.blocks[point.block].span,
        path: shown.map(|block| block.label.to_string()).collect(),
    }
}

/// The body that can be verified only if a point cannot be reached; `no` is `false`.
pub(crate) fn question(program: &Program, body: &Body, point: &Point, no: ExprId) -> Body {
    let mut asked = body.clone();
    for block in &mut asked.blocks {
        for cmd in &mut block.cmds {
            if let Cmd::Assert { expr, .. } = *cmd {
                *cmd = Cmd::Assume(expr);
            }
        }
    }
    asked.checks.push(Check {
        kind: CheckKind::Assert,
        span: program.exprs[no].span,
        related: None,
        assumed_after: true,
        message: None,
    });
    let check = asked.checks.len() - 1;
    let end = &mut asked.blocks[point.block];
    debug_assert!(point.commands <= end.cmds.len(), "a point is in its block");
    end.cmds.truncate(point.commands);
    end.cmds.push(Cmd::Assert { check, expr: no });
    end.successors.clear();
    asked
}

/// The assignments of a body and nothing else, with a check that always holds at the end; `yes` is `true`.
pub(crate) fn assignments(program: &Program, body: &Body, yes: ExprId) -> Body {
    let mut asked = body.clone();
    for block in &mut asked.blocks {
        let is_kept = |cmd: &Cmd| matches!(cmd, Cmd::Assign(_) | Cmd::Havoc(_));
        block.cmds.retain(is_kept);
        if block.successors.is_empty() {
            asked.checks.push(Check {
                kind: CheckKind::Assert,
                span: program.exprs[yes].span,
                related: None,
                assumed_after: false,
                message: None,
            });
            let check = asked.checks.len() - 1;
            block.cmds.push(Cmd::Assert { check, expr: yes });
        }
    }
    asked
}
