//! Walking expressions without recursion.

use crate::ast::*;
use crate::program::Program;

/// Calls `visit` on an expression and all below it (triggers included, code expressions and attributes not), parents first.
pub fn exprs(program: &Program, root: ExprId, visit: &mut dyn FnMut(ExprId, &Expr)) {
    pruned(program, root, &mut |id| {
        visit(id, &program.exprs[id]);
        true
    });
}

/// As [`exprs`]; `visit` returns whether to go below.
pub fn pruned(program: &Program, root: ExprId, visit: &mut dyn FnMut(ExprId) -> bool) {
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if visit(id) {
            let start = stack.len();
            children(&program.exprs[id].kind, &mut |child| stack.push(child));
            stack[start..].reverse();
        }
    }
}

/// Calls `visit` on the immediate parts of an expression, in source order.
pub fn children(kind: &ExprKind, visit: &mut dyn FnMut(ExprId)) {
    match kind {
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Bv { .. }
        | ExprKind::Float(_)
        | ExprKind::Rounding(_)
        | ExprKind::Str(_)
        | ExprKind::Ident { .. }
        | ExprKind::Code(_) => {}
        ExprKind::Old(a)
        | ExprKind::Unary(_, a)
        | ExprKind::ToInt(a)
        | ExprKind::ToReal(a)
        | ExprKind::Extract { arg: a, .. }
        | ExprKind::Ascribe(a, _) => visit(*a),
        ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => {
            visit(*a);
            visit(*b);
        }
        ExprKind::Ite(a, b, c) => {
            visit(*a);
            visit(*b);
            visit(*c);
        }
        ExprKind::Call { args, .. } => args.iter().for_each(|&a| visit(a)),
        ExprKind::Select { map, indices } => {
            visit(*map);
            indices.iter().for_each(|&i| visit(i));
        }
        ExprKind::Store {
            map,
            indices,
            value,
        } => {
            visit(*map);
            indices.iter().for_each(|&i| visit(i));
            visit(*value);
        }
        ExprKind::Binder(binder) => {
            for trigger in &binder.triggers {
                trigger.exprs.iter().for_each(|&e| visit(e));
            }
            visit(binder.body);
        }
        ExprKind::Let(let_expr) => {
            let_expr.values.iter().for_each(|&v| visit(v));
            visit(let_expr.body);
        }
    }
}
