//! The one way through expressions: visiting them without recursion, and rebuilding them part by part.

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

/// Whether an expression is of a kind without parts; a call of a function without arguments is not.
pub fn is_leaf(kind: &ExprKind) -> bool {
    let mut parts = 0;
    children(kind, &mut |_| parts += 1);
    parts == 0 && !matches!(kind, ExprKind::Call { .. })
}

/// The same expression with every immediate part replaced by its image, in source order. Triggers are parts, as for
/// [`children`]; attributes, bound variables and code stay as they are.
pub fn map_children(kind: ExprKind, map: &mut dyn FnMut(ExprId) -> ExprId) -> ExprKind {
    fn all(ids: &[ExprId], map: &mut dyn FnMut(ExprId) -> ExprId) -> Box<[ExprId]> {
        ids.iter().map(|&id| map(id)).collect()
    }
    match kind {
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Bv { .. }
        | ExprKind::Float(_)
        | ExprKind::Rounding(_)
        | ExprKind::Str(_)
        | ExprKind::Ident { .. }
        | ExprKind::Code(_) => kind,
        ExprKind::Old(a) => ExprKind::Old(map(a)),
        ExprKind::Unary(op, a) => ExprKind::Unary(op, map(a)),
        ExprKind::ToInt(a) => ExprKind::ToInt(map(a)),
        ExprKind::ToReal(a) => ExprKind::ToReal(map(a)),
        ExprKind::Ascribe(a, ty) => ExprKind::Ascribe(map(a), ty),
        ExprKind::Extract { arg, end, start } => ExprKind::Extract {
            arg: map(arg),
            end,
            start,
        },
        ExprKind::Binary(op, a, b) => ExprKind::Binary(op, map(a), map(b)),
        ExprKind::Concat(a, b) => ExprKind::Concat(map(a), map(b)),
        ExprKind::Ite(a, b, c) => ExprKind::Ite(map(a), map(b), map(c)),
        ExprKind::Call { name, func, args } => ExprKind::Call {
            name,
            func,
            args: all(&args, map),
        },
        ExprKind::Select { map: from, indices } => ExprKind::Select {
            map: map(from),
            indices: all(&indices, map),
        },
        ExprKind::Store {
            map: into,
            indices,
            value,
        } => ExprKind::Store {
            map: map(into),
            indices: all(&indices, map),
            value: map(value),
        },
        ExprKind::Binder(mut binder) => {
            let triggers = binder.triggers.iter_mut();
            for expr in triggers.flat_map(|trigger| &mut trigger.exprs) {
                *expr = map(*expr);
            }
            binder.body = map(binder.body);
            ExprKind::Binder(binder)
        }
        ExprKind::Let(mut let_expr) => {
            for value in &mut let_expr.values {
                *value = map(*value);
            }
            let_expr.body = map(let_expr.body);
            ExprKind::Let(let_expr)
        }
    }
}
