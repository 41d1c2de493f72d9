//! Smoke test: looks for code that can never be reached, and so was verified for the wrong reason.
//!
//! Every check of a verified body is assumed, and `assert false` is put at the end of a branch; if that can be
//! proved, no execution gets there: specifications, axioms or assumptions contradict each other, or the code is dead.

use crate::cfg::{Body, Check, CheckKind, Cmd};
use stet_base::Span;
use stet_boogie::Program;
use stet_boogie::ast::{ExprId, ExprKind};

/// Code that cannot be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreachable {
    /// The place of its block.
    pub span: Option<Span>,
    /// The labels of the blocks on a way to it, its own last.
    pub path: Vec<String>,
}

/// The end of a branch.
pub(crate) struct Point {
    /// Its block.
    pub(crate) block: usize,
    /// The blocks on a way to it.
    path: Vec<usize>,
}

/// Walks through a body depth first and calls `is_unreachable` at the ends of branches; code behind what cannot be
/// reached is not looked at.
pub(crate) fn walk(
    program: &Program,
    body: &Body,
    is_unreachable: &mut dyn FnMut(&Point) -> bool,
) -> Vec<Unreachable> {
    let mut found = Vec::new();
    let mut visited = vec![false; body.blocks.len()];
    let mut pending = vec![vec![0]];
    while let Some(path) = pending.pop() {
        let Some(&block) = path.last() else { continue };
        if std::mem::replace(&mut visited[block], true)
            || body.blocks[block]
                .cmds
                .iter()
                .any(|cmd| stops(program, cmd))
        {
            continue;
        }
        let point = Point { block, path };
        let successors = &body.blocks[block].successors;
        if successors.len() != 1 && is_unreachable(&point) {
            found.push(describe(body, &point));
            continue;
        }
        for &successor in successors.iter().rev() {
            let mut path = point.path.clone();
            path.push(successor);
            pending.push(path);
        }
    }
    found
}

/// Whether the author says that nothing comes after a command.
fn stops(program: &Program, cmd: &Cmd) -> bool {
    let is_false = |expr: ExprId| matches!(program.exprs[expr].kind, ExprKind::Bool(false));
    match cmd {
        Cmd::Assume(expr) | Cmd::Assert { expr, .. } => is_false(*expr),
        _ => false,
    }
}

fn describe(body: &Body, point: &Point) -> Unreachable {
    let shown = point.path.iter().map(|&block| &body.blocks[block]);
    let labels = shown.clone().filter(|block| block.span.is_some());
    Unreachable {
        span: shown.rev().find_map(|block| block.span),
        path: labels.map(|block| block.label.to_string()).collect(),
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
    end.cmds.push(Cmd::Assert { check, expr: no });
    end.successors.clear();
    asked
}

/// The assignments of a body and nothing else, with a check that always holds at the end; `yes` is `true`.
pub(crate) fn assignments(program: &Program, body: &Body, yes: ExprId) -> Body {
    let mut asked = body.clone();
    asked.checks.push(Check {
        kind: CheckKind::Assert,
        span: program.exprs[yes].span,
        related: None,
        assumed_after: false,
        message: None,
    });
    let check = asked.checks.len() - 1;
    for block in &mut asked.blocks {
        let is_kept = |cmd: &Cmd| matches!(cmd, Cmd::Assign(_) | Cmd::Havoc(_));
        block.cmds.retain(is_kept);
        if block.successors.is_empty() {
            block.cmds.push(Cmd::Assert { check, expr: yes });
        }
    }
    asked
}
