//! The new body with what is known put into it [FGC §4.3]: verified checks become assumptions, partially verified ones get one
//! under their assumption variables, recycled errors are not asked about.

use super::relate::Assumptions;
use super::same_past::SamePast;
use crate::cfg::invariants::Stage;
use crate::cfg::{Body, Cmd};
use crate::tree;
use std::collections::BTreeSet;
use stet_base::{FastMap, Span};
use stet_boogie::Program;
use stet_boogie::ast::{BinaryOp, ExprId, VarId};

/// What was found out about the checks of a new body.
pub(crate) struct Reuse {
    /// The body with what is known put into it.
    pub(crate) body: Body,
    /// Checks that hold without asking.
    pub(crate) verified: Vec<usize>,
    /// Checks that hold where their assumption variables are true.
    pub(crate) partial: Vec<usize>,
    /// Checks that fail as before.
    pub(crate) recycled: Vec<Recycled>,
}

/// A check that fails as before.
pub(crate) struct Recycled {
    pub(crate) check: usize,
    /// The blocks of the failing path.
    pub(crate) path: Vec<usize>,
    /// Whether the prover had a model of it.
    pub(crate) is_certain: bool,
}

/// Commands to be put into the new body.
#[derive(Default)]
pub(super) struct Edits {
    /// Before the command at a position (or at the end) of a block.
    pub(super) before: FastMap<(usize, usize), Vec<Cmd>>,
}

/// Puts together what was found out.
#[allow(
    clippy::too_many_arguments,
    reason = "one call; everything that was found out"
)]
pub(super) fn assemble(
    program: &mut Program,
    body: &Body,
    span: Span,
    same_past: SamePast,
    variables: &[VarId],
    mut edits: Edits,
    partial: FastMap<usize, Assumptions>,
    new_locals: Vec<VarId>,
) -> Reuse {
    let mut reuse = Reuse {
        body: body.clone(),
        verified: Vec::new(),
        partial: Vec::new(),
        recycled: Vec::new(),
    };
    for (number, block) in body.blocks.iter().enumerate() {
        let mut cmds = Vec::new();
        if number == 0 && !variables.is_empty() {
            let pairs = variables
                .iter()
                .map(|&var| (var, tree::bool_literal(program, span, true)));
            cmds.push(Cmd::Assign(pairs.collect()));
        }
        for (position, cmd) in block.cmds.iter().enumerate() {
            cmds.extend(
                edits
                    .before
                    .remove(&(number, position))
                    .into_iter()
                    .flatten(),
            );
            let Cmd::Assert { check, expr } = cmd else {
                cmds.push(cmd.clone());
                continue;
            };
            let known = partial.get(check);
            if let Some((path, is_certain)) = same_past.failed.get(check) {
                debug_assert_eq!(
                    path.last(),
                    Some(&number),
                    "a failing path ends where the check is"
                );
                reuse.recycled.push(Recycled {
                    check: *check,
                    path: path.clone(),
                    is_certain: *is_certain,
                });
                assume_if(body.checks[*check].assumed_after, *expr, &mut cmds);
            } else if same_past.verified.contains(check) || known.is_some_and(BTreeSet::is_empty) {
                reuse.verified.push(*check);
                cmds.push(Cmd::Assume(*expr));
            } else if let Some(assumptions) = known {
                reuse.partial.push(*check);
                debug_assert!(
                    assumptions
                        .last()
                        .is_none_or(|&number| number < variables.len()),
                    "a proof relies on assumption variables that exist"
                );
                let known = under(program, variables, span, assumptions, *expr);
                cmds.push(Cmd::Assume(known));
                cmds.push(cmd.clone());
            } else {
                cmds.push(cmd.clone());
            }
        }
        let end = block.cmds.len();
        cmds.extend(edits.before.remove(&(number, end)).into_iter().flatten());
        reuse.body.blocks[number].cmds = cmds;
    }
    debug_assert!(
        edits.before.is_empty(),
        "a command for no place of the body"
    );
    reuse.body.locals.extend(variables);
    reuse.body.locals.extend(new_locals);
    debug_assert_eq!(reuse.body.broken_invariant(Stage::Acyclic), None);
    reuse
}

/// A failing check is relied upon afterwards only if it was before.
fn assume_if(wanted: bool, expr: ExprId, cmds: &mut Vec<Cmd>) {
    if wanted {
        cmds.push(Cmd::Assume(expr));
    }
}

/// `a && b ==> condition`.
pub(super) fn under(
    program: &mut Program,
    variables: &[VarId],
    span: Span,
    assumptions: &Assumptions,
    condition: ExprId,
) -> ExprId {
    let mut premise = None;
    for &number in assumptions {
        let var = program.add_var_ref(span, variables[number]);
        premise = Some(match premise {
            None => var,
            Some(before) => tree::binary(program, BinaryOp::And, before, var),
        });
    }
    match premise {
        None => condition,
        Some(premise) => tree::binary(program, BinaryOp::Imp, premise, condition),
    }
}
