//! Triggers after inlining: provers match applications of functions only, and what was one may have become a variable,
//! a conditional or a formula.
//!
//! Such a term leaves its trigger if the others still mention its variables; otherwise the trigger goes. Triggers
//! say where to instantiate, not what holds, so no verdict can become wrong by this.

use stet_base::FastSet;
use stet_boogie::ast::{BinaryOp, ExprId, ExprKind, Trigger, UnaryOp, VarId};
use stet_boogie::{Program, walk};

/// What is left of a trigger whose terms were expanded.
pub(crate) fn usable(program: &Program, bound: &[VarId], trigger: Trigger) -> Option<Trigger> {
    if !trigger.positive {
        return Some(trigger);
    }
    let mentioned = |exprs: &[ExprId]| -> FastSet<VarId> {
        let mut found = FastSet::default();
        for &root in exprs {
            walk::exprs(program, root, &mut |_, expr| {
                if let ExprKind::Ident { var: Some(var), .. } = &expr.kind
                    && bound.contains(var)
                {
                    found.insert(*var);
                }
            });
        }
        found
    };
    let (kept, dropped): (Vec<ExprId>, Vec<ExprId>) =
        trigger.exprs.iter().partition(|&&e| can_match(program, e));
    if dropped.is_empty() {
        return Some(trigger);
    }
    let complete = mentioned(&kept).is_superset(&mentioned(&dropped));
    (complete && !kept.is_empty()).then(|| Trigger {
        span: trigger.span,
        positive: true,
        exprs: kept.into_iter().collect(),
    })
}

fn can_match(program: &Program, root: ExprId) -> bool {
    let is_application = !matches!(
        program.exprs[root].kind,
        ExprKind::Ident { .. }
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bv { .. }
            | ExprKind::Float(_)
            | ExprKind::Rounding(_)
            | ExprKind::Str(_)
            | ExprKind::Old(_)
    );
    let mut has_formula = false;
    walk::exprs(program, root, &mut |_, expr| {
        has_formula |= match &expr.kind {
            ExprKind::Ite(..) | ExprKind::Binder(_) | ExprKind::Let(_) => true,
            ExprKind::Unary(UnaryOp::Not, _) => true,
            ExprKind::Binary(op, ..) => matches!(
                op,
                BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Imp
                    | BinaryOp::Iff
                    | BinaryOp::Eq
                    | BinaryOp::Neq
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
            ),
            _ => false,
        };
    });
    is_application && !has_formula
}
