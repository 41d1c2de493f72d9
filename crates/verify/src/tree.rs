//! Building and rewriting expressions: substitution of variables and types, conjunctions, free variables.
//!
//! Trees live in the program's arenas; a rewrite returns the id it was given when nothing changes, so that
//! repeated substitution does not copy what it does not touch.

use stet_base::{FastMap, FastSet, Span, Symbol};
use stet_boogie::ast::{
    AttrParam, Attribute, Attributes, BinaryOp, Binder, ExprId, ExprKind, LetExpr, Trigger,
    TypeVarId, VarId,
};
pub(crate) use stet_boogie::walk::pruned as walk;
use stet_boogie::walk::{is_leaf, map_children};
use stet_boogie::{Program, Type, TypeId, VarKind, Variable};

/// What to do with `old(e)` while substituting.
#[derive(Clone, Debug, Default)]
pub(crate) enum OldMode {
    #[default]
    Keep,
    /// Leave it, and leave globals inside alone: they mean their values on entry.
    GlobalsFixed,
    /// Replace it by its argument, with these variables substituted inside.
    Replace(FastMap<VarId, ExprId>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Substitution {
    pub(crate) vars: FastMap<VarId, ExprId>,
    pub(crate) types: FastMap<TypeVarId, TypeId>,
    /// `old`.
    pub(crate) old: OldMode,
}

/// Applies a substitution to an expression.
pub(crate) fn substitute(program: &mut Program, expr: ExprId, by: &Substitution) -> ExprId {
    Substituter {
        program,
        by,
        renamed: FastMap::default(),
        in_old: false,
    }
    .expr(expr)
}

struct Substituter<'a> {
    program: &'a mut Program,
    by: &'a Substitution,
    renamed: FastMap<VarId, VarId>,
    in_old: bool,
}

impl Substituter<'_> {
    fn expr(&mut self, id: ExprId) -> ExprId {
        let kind = self.program.exprs[id].kind.clone();
        let new_kind = match kind {
            ExprKind::Ident { var, .. } => return self.ident(id, var),
            ExprKind::Old(e) => return self.old(id, e),
            ExprKind::Ascribe(e, _) => return self.expr(e),
            ExprKind::Binder(binder) => ExprKind::Binder(Box::new(self.binder(&binder))),
            ExprKind::Let(binding) => ExprKind::Let(Box::new(self.let_expr(&binding))),
            kind if is_leaf(&kind) => return id,
            kind => map_children(kind, &mut |part| self.expr(part)),
        };
        self.rebuilt(id, new_kind)
    }

    fn ident(&mut self, id: ExprId, var: Option<VarId>) -> ExprId {
        let Some(var) = var else { return id };
        if let Some(&new) = self.renamed.get(&var) {
            let span = self.program.exprs[id].span;
            return self.program.add_var_ref(span, new);
        }
        let map = match (&self.by.old, self.in_old) {
            (OldMode::Replace(map), true) => map.get(&var).or_else(|| self.by.vars.get(&var)),
            (OldMode::GlobalsFixed, true) if self.program.vars[var].kind == VarKind::Global => None,
            _ => self.by.vars.get(&var),
        };
        map.copied().unwrap_or(id)
    }

    fn old(&mut self, id: ExprId, inner: ExprId) -> ExprId {
        match self.by.old {
            OldMode::Keep | OldMode::GlobalsFixed => {
                let before = std::mem::replace(&mut self.in_old, true);
                let new = self.expr(inner);
                self.in_old = before;
                self.rebuilt(id, ExprKind::Old(new))
            }
            OldMode::Replace(_) => {
                let before = std::mem::replace(&mut self.in_old, true);
                let new = self.expr(inner);
                self.in_old = before;
                new
            }
        }
    }

    fn binder(&mut self, binder: &Binder) -> Binder {
        let vars = self.bound(&binder.vars);
        Binder {
            kind: binder.kind,
            type_params: binder.type_params.clone(),
            vars,
            attrs: self.attributes(&binder.attrs),
            triggers: binder
                .triggers
                .iter()
                .map(|trigger| Trigger {
                    span: trigger.span,
                    positive: trigger.positive,
                    exprs: trigger.exprs.iter().map(|&e| self.expr(e)).collect(),
                })
                .collect(),
            body: self.expr(binder.body),
        }
    }

    fn let_expr(&mut self, binding: &LetExpr) -> LetExpr {
        let values = binding.values.iter().map(|&e| self.expr(e)).collect();
        let vars = self.bound(&binding.vars);
        LetExpr {
            vars,
            values,
            attrs: binding.attrs.clone(),
            body: self.expr(binding.body),
        }
    }

    fn attributes(&mut self, attrs: &Attributes) -> Attributes {
        let rewrite = |this: &mut Self, attribute: &Attribute| Attribute {
            span: attribute.span,
            key: attribute.key,
            params: attribute
                .params
                .iter()
                .map(|param| match param {
                    AttrParam::Expr(e) => AttrParam::Expr(this.expr(*e)),
                    AttrParam::Str(text) => AttrParam::Str(text.clone()),
                })
                .collect(),
        };
        Attributes(attrs.0.iter().map(|a| rewrite(self, a)).collect())
    }

    /// Bound variables whose type changes become new variables.
    fn bound(&mut self, vars: &[VarId]) -> Vec<VarId> {
        vars.iter()
            .map(|&var| {
                let Some(ty) = self.program.vars[var].ty else {
                    return var;
                };
                let new_ty = self.ty(ty);
                if new_ty == ty {
                    return var;
                }
                let mut variable = self.program.vars[var].clone();
                variable.ty = Some(new_ty);
                let new = self.program.vars.push(variable);
                self.renamed.insert(var, new);
                new
            })
            .collect()
    }

    fn ty(&mut self, ty: TypeId) -> TypeId {
        if self.by.types.is_empty() {
            return ty;
        }
        self.program.types.substitute(ty, &self.by.types)
    }

    fn rebuilt(&mut self, id: ExprId, kind: ExprKind) -> ExprId {
        let old = &self.program.exprs[id];
        debug_assert_eq!(
            std::mem::discriminant(&old.kind),
            std::mem::discriminant(&kind),
            "rewriting keeps the kind of a node"
        );
        let (span, ty) = (old.span, old.ty);
        let new_ty = ty.map(|ty| self.ty(ty));
        let type_args = self.program.type_args.get(&id).cloned();
        let new_args = type_args
            .as_ref()
            .map(|args| args.iter().map(|&t| self.ty(t)).collect::<Box<[_]>>());
        if new_ty == ty && new_args == type_args && same_kind(&self.program.exprs[id].kind, &kind) {
            return id;
        }
        let new = self.program.add_expr(span, kind, new_ty);
        if let Some(args) = new_args {
            self.program.type_args.insert(new, args);
        }
        new
    }
}

/// Whether two nodes have the same children (one level deep).
fn same_kind(a: &ExprKind, b: &ExprKind) -> bool {
    match (a, b) {
        (ExprKind::Old(x), ExprKind::Old(y))
        | (ExprKind::Unary(_, x), ExprKind::Unary(_, y))
        | (ExprKind::ToInt(x), ExprKind::ToInt(y))
        | (ExprKind::ToReal(x), ExprKind::ToReal(y))
        | (ExprKind::Extract { arg: x, .. }, ExprKind::Extract { arg: y, .. }) => x == y,
        (ExprKind::Binary(_, a, b), ExprKind::Binary(_, c, d))
        | (ExprKind::Concat(a, b), ExprKind::Concat(c, d)) => a == c && b == d,
        (ExprKind::Ite(a, b, c), ExprKind::Ite(d, e, f)) => (a, b, c) == (d, e, f),
        (ExprKind::Call { args: a, .. }, ExprKind::Call { args: b, .. }) => a == b,
        (ExprKind::Select { map: a, indices: b }, ExprKind::Select { map: c, indices: d }) => {
            a == c && b == d
        }
        (
            ExprKind::Store {
                map: a,
                indices: b,
                value: c,
            },
            ExprKind::Store {
                map: d,
                indices: e,
                value: f,
            },
        ) => a == d && b == e && c == f,
        (ExprKind::Binder(a), ExprKind::Binder(b)) => {
            a.vars == b.vars
                && a.body == b.body
                && a.triggers.len() == b.triggers.len()
                && a.triggers
                    .iter()
                    .zip(&b.triggers)
                    .all(|(x, y)| x.exprs == y.exprs)
        }
        (ExprKind::Let(a), ExprKind::Let(b)) => {
            a.vars == b.vars && a.values == b.values && a.body == b.body
        }
        _ => false,
    }
}

/// A new local variable.
pub(crate) fn new_local(program: &mut Program, name: &str, ty: TypeId, span: Span) -> VarId {
    let name: Symbol = program.names.intern(name);
    program.vars.push(Variable {
        name,
        span,
        kind: VarKind::Local,
        type_expr: None,
        ty: Some(ty),
        where_clause: None,
        attrs: Attributes::default(),
    })
}

/// A Boolean binary operation.
pub(crate) fn binary(program: &mut Program, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    debug_assert!(
        !matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::RealDiv
                | BinaryOp::Pow
        ),
        "the result is Boolean"
    );
    let span = program.exprs[a].span;
    let ty = program.types.bool();
    program.add_expr(span, ExprKind::Binary(op, a, b), Some(ty))
}

/// A Boolean literal.
pub(crate) fn bool_literal(program: &mut Program, span: Span, value: bool) -> ExprId {
    let ty = program.types.bool();
    program.add_expr(span, ExprKind::Bool(value), Some(ty))
}

/// The variables read by an expression, those bound inside included.
pub(crate) fn variables(program: &Program, root: ExprId, found: &mut FastSet<VarId>) {
    walk(program, root, &mut |id| {
        if let ExprKind::Ident { var: Some(var), .. } = program.exprs[id].kind {
            found.insert(var);
        }
        true
    });
}

/// Whether a type parameter occurs in a type.
pub(crate) fn occurs(program: &Program, var: TypeVarId, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Var(v) => *v == var,
        Type::Ctor(_, args) => args.iter().any(|&a| occurs(program, var, a)),
        Type::Map { args, result, .. } => {
            args.iter().any(|&a| occurs(program, var, a)) || occurs(program, var, *result)
        }
        _ => false,
    }
}
