//! Copies of expressions and commands with variables and type parameters replaced.
//!
//! Variables are ids, so nothing can be captured. Inside `old`, a second map comes first, and the `old` itself
//! disappears if there is one: this is how a body moves to where it is called.

use crate::ast::*;
use crate::program::Program;
use crate::types::TypeId;
use crate::walk;
use stet_base::FastMap;

/// What to replace by what.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    pub vars: FastMap<VarId, VarId>,
    /// Variables inside `old`; if given, `old(e)` becomes `e` with these replaced.
    pub old_vars: Option<FastMap<VarId, VarId>>,
    pub types: FastMap<TypeVarId, TypeId>,
}

/// A copier of trees within one program.
pub struct Copier<'a> {
    program: &'a mut Program,
    subst: &'a Substitution,
    /// Bound variables that got copies, because their types changed.
    bound: FastMap<VarId, VarId>,
}

impl<'a> Copier<'a> {
    /// A copier for this substitution.
    pub fn new(program: &'a mut Program, subst: &'a Substitution) -> Self {
        Copier {
            program,
            subst,
            bound: FastMap::default(),
        }
    }

    /// A type with type parameters replaced.
    pub fn ty(&mut self, ty: TypeId) -> TypeId {
        if self.subst.types.is_empty() {
            return ty;
        }
        self.program.types.substitute(ty, &self.subst.types)
    }

    fn tys(&mut self, tys: &[TypeId]) -> Box<[TypeId]> {
        tys.iter().map(|&t| self.ty(t)).collect()
    }

    /// A copy of an expression; what does not change is shared.
    pub fn expr(&mut self, id: ExprId) -> ExprId {
        self.walk(id, false)
    }

    fn walk(&mut self, id: ExprId, in_old: bool) -> ExprId {
        let Expr { kind, span, ty } = self.program.exprs[id].clone();
        let new = match kind {
            ExprKind::Ident { var: Some(var), .. } => {
                let to = self.variable(var, in_old);
                if to == var {
                    return id;
                }
                return self.program.add_var_ref(span, to);
            }
            ExprKind::Old(arg) if self.subst.old_vars.is_some() => return self.walk(arg, true),
            ExprKind::Old(arg) => ExprKind::Old(self.walk(arg, true)),
            ExprKind::Binder(binder) => self.binder(*binder, in_old),
            ExprKind::Let(let_expr) => self.let_expr(*let_expr, in_old),
            ExprKind::Code(code) => self.code(code),
            kind if walk::is_leaf(&kind) => return id,
            kind => walk::map_children(kind, &mut |part| self.walk(part, in_old)),
        };
        let ty = ty.map(|t| self.ty(t));
        let copy = self.program.add_expr(span, new, ty);
        if let Some(type_args) = self.program.type_args.get(&id).cloned() {
            let type_args = self.tys(&type_args);
            self.program.type_args.insert(copy, type_args);
        }
        copy
    }

    fn variable(&self, var: VarId, in_old: bool) -> VarId {
        let old = self.subst.old_vars.as_ref().filter(|_| in_old);
        old.and_then(|o| o.get(&var))
            .or_else(|| self.subst.vars.get(&var))
            .or_else(|| self.bound.get(&var))
            .copied()
            .unwrap_or(var)
    }

    /// Bound variables keep their identity unless their types change.
    fn bind(&mut self, vars: &[VarId]) -> Vec<VarId> {
        if self.subst.types.is_empty() {
            return vars.to_vec();
        }
        vars.iter()
            .map(|&var| {
                let mut variable = self.program.vars[var].clone();
                variable.ty = variable.ty.map(|t| self.ty(t));
                let copy = self.program.vars.push(variable);
                self.bound.insert(var, copy);
                copy
            })
            .collect()
    }

    fn binder(&mut self, mut binder: Binder, in_old: bool) -> ExprKind {
        binder.vars = self.bind(&binder.vars);
        binder.attrs = self.attributes(&binder.attrs);
        for trigger in &mut binder.triggers {
            for expr in &mut trigger.exprs {
                *expr = self.walk(*expr, in_old);
            }
        }
        binder.body = self.walk(binder.body, in_old);
        ExprKind::Binder(Box::new(binder))
    }

    fn let_expr(&mut self, mut let_expr: LetExpr, in_old: bool) -> ExprKind {
        for value in &mut let_expr.values {
            *value = self.walk(*value, in_old);
        }
        let_expr.vars = self.bind(&let_expr.vars);
        let_expr.body = self.walk(let_expr.body, in_old);
        ExprKind::Let(Box::new(let_expr))
    }

    fn code(&mut self, code: CodeId) -> ExprKind {
        let CodeExpr { locals, mut blocks } = self.program.codes[code].clone();
        let locals = self.bind(&locals);
        for block in &mut blocks {
            for cmd in &mut block.cmds {
                *cmd = self.cmd(*cmd);
            }
            if let TransferKind::ReturnExpr(expr) = &mut block.transfer.kind {
                *expr = self.expr(*expr);
            }
        }
        ExprKind::Code(self.program.codes.push(CodeExpr { locals, blocks }))
    }

    /// A copy of attributes.
    pub fn attributes(&mut self, attrs: &Attributes) -> Attributes {
        let mut attrs = attrs.clone();
        for attribute in &mut attrs.0 {
            for param in &mut attribute.params {
                if let AttrParam::Expr(expr) = param {
                    *expr = self.expr(*expr);
                }
            }
        }
        attrs
    }

    /// A copy of a command.
    pub fn cmd(&mut self, id: CmdId) -> CmdId {
        let Cmd { span, kind, attrs } = self.program.cmds[id].clone();
        let kind = match kind {
            CmdKind::Assert(expr) => CmdKind::Assert(self.expr(expr)),
            CmdKind::Assume(expr) => CmdKind::Assume(self.expr(expr)),
            CmdKind::Assign { lhss, rhss } => CmdKind::Assign {
                lhss: lhss.iter().map(|l| self.lhs(l)).collect(),
                rhss: rhss.iter().map(|&e| self.expr(e)).collect(),
            },
            CmdKind::Havoc(vars) => CmdKind::Havoc(vars.iter().map(|&e| self.expr(e)).collect()),
            CmdKind::Call(mut call) => {
                for arg in call.ins.iter_mut().chain(&mut call.outs).flatten() {
                    *arg = self.expr(*arg);
                }
                call.type_args = self.tys(&call.type_args);
                CmdKind::Call(call)
            }
            CmdKind::ParCall(calls) => {
                CmdKind::ParCall(calls.iter().map(|&c| self.cmd(c)).collect())
            }
            CmdKind::Yield => CmdKind::Yield,
        };
        let attrs = self.attributes(&attrs);
        let copy = self.program.cmds.push(Cmd { span, kind, attrs });
        if let Some(&check) = self.program.inlined_checks.get(&id) {
            self.program.inlined_checks.insert(copy, check);
        }
        copy
    }

    fn lhs(&mut self, lhs: &AssignLhs) -> AssignLhs {
        AssignLhs {
            target: self.expr(lhs.target),
            indexings: lhs
                .indexings
                .iter()
                .map(|i| Indexing {
                    span: i.span,
                    indices: i.indices.iter().map(|&e| self.expr(e)).collect(),
                    type_args: self.tys(&i.type_args),
                })
                .collect(),
            // type checking has made fields part of the value
            path: Vec::new(),
        }
    }
}
