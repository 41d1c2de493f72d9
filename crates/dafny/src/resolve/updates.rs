//! Variable declarations, assignments, calls and returns.

use super::Resolver;
use super::calls::Applied;
use super::types::Missing;
use super::zonk::contains_infer;
use crate::ast::{self, Update};
use crate::tree::{
    ExprId, ExprKind, MemberKind, MethodCall, MethodKind, Rhs, StmtId, StmtKind, Ty, VarId, VarKind,
};
use stet_base::Span;

impl Resolver<'_> {
    pub(crate) fn update_stmt(&mut self, id: ast::StmtId) -> StmtKind {
        use ast::StmtKind as K;
        let tok = self.ast.stmts[id].tok;
        match &self.ast.stmts[id].kind {
            K::Var { vars, update } => self.var_decl(id, vars, update.as_ref()),
            K::VarPattern { ghost, pat, rhs } => {
                let hint = self.pattern_type_hint(*pat);
                let rhs = self.expr_hint(*rhs, hint);
                let ty = self
                    .infer
                    .force_default(&self.program, self.program.exprs[rhs].ty);
                let ghost = *ghost || self.frame.ghost_context;
                let pattern = self.pattern(*pat, ty, false, ghost);
                self.localize(&pattern);
                StmtKind::VarPattern { pattern, rhs }
            }
            K::Update { lhss, update } => self.plain_update(id, lhss, update.as_ref()),
            K::Return(rhss) => {
                if !self.frame.in_method {
                    self.error(tok, "return statement is not allowed in this context");
                }
                let init = self.return_init(id, rhss.as_deref());
                StmtKind::Return { init }
            }
            K::Yield(rhss) => self.yield_stmt(id, rhss.as_deref()),
            _ => StmtKind::Error,
        }
    }

    /// Variables of a pattern in a statement are locals, not bound variables.
    pub(crate) fn localize(&mut self, pattern: &crate::tree::Pattern) {
        use crate::tree::PatternKind;
        match &pattern.kind {
            PatternKind::Var(var) => self.program.vars[*var].kind = VarKind::Local,
            PatternKind::Ctor(_, items) | PatternKind::Tuple(items) | PatternKind::Or(items) => {
                for item in items {
                    self.localize(item);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn return_init(
        &mut self,
        id: ast::StmtId,
        rhss: Option<&[ast::Rhs]>,
    ) -> Option<StmtId> {
        let rhss = rhss?;
        let outs = self.frame.outs.clone();
        let tok = self.ast.stmts[id].tok;
        let one_call =
            outs.len() != 1 && matches!(rhss, [ast::Rhs::Expr(e, _)] if self.is_apply(*e));
        if rhss.len() != outs.len() && !one_call {
            self.error(
                tok,
                format!(
                    "number of return parameters does not match declaration (found {}, expected {})",
                    rhss.len(),
                    outs.len()
                ),
            );
            return None;
        }
        let lhss: Vec<ExprId> = outs.iter().map(|&v| self.var_expr(v, tok)).collect();
        let kind = self.assign(id, lhss, rhss, tok, true);
        Some(self.push_stmt(id, kind))
    }

    pub(crate) fn var_expr(&mut self, var: VarId, tok: Span) -> ExprId {
        let ty = self.var_pre_type(var);
        self.push_expr_at(tok, tok, ExprKind::Var(var), ty)
    }

    pub(crate) fn declare_local(&mut self, local: &ast::LocalVar) -> VarId {
        let ty = match local.ty {
            Some(ty) => {
                let ty = self.resolve_type(ty, Missing::Infer);
                self.expand(ty)
            }
            None => self.fresh(),
        };
        let ghost = local.ghost || self.frame.ghost_context;
        let var = self.new_var(local.name.sym, local.name.span, VarKind::Local, ty, ghost);
        if local.ty.is_none() {
            self.inferred_vars.insert(var);
        } else if contains_infer(&self.program, ty) {
            self.inferred_vars.insert(var);
            self.partly_typed.insert(var);
        }
        let attributes = self.attributes(&local.attrs);
        self.program.vars[var].attributes = attributes;
        var
    }

    pub(crate) fn var_decl(
        &mut self,
        id: ast::StmtId,
        locals: &[ast::LocalVar],
        update: Option<&Update>,
    ) -> StmtKind {
        let tok = self.ast.stmts[id].tok;
        let vars: Vec<VarId> = locals
            .iter()
            .map(|local| self.declare_local(local))
            .collect();
        let declare = |r: &mut Self| {
            for (&var, local) in vars.iter().zip(locals) {
                r.scope.declare(local.name.sym, var);
            }
        };
        let lhss: Vec<ExprId> = vars
            .iter()
            .map(|&v| {
                let span = self.program.vars[v].span;
                self.var_expr(v, span)
            })
            .collect();
        let init = match update {
            None => {
                declare(self);
                None
            }
            Some(Update::Assign(rhss, _)) => {
                let kind = self.assign(id, lhss, rhss, tok, false);
                declare(self);
                Some(self.push_stmt(id, kind))
            }
            Some(Update::SuchThat(condition, assume, attrs, _)) => {
                declare(self);
                let kind = self.such_that(lhss, *condition, assume.is_some(), attrs);
                Some(self.push_stmt(id, kind))
            }
            Some(Update::OrFail { .. }) => {
                // Declares its own temporary first.
                let kind = self.or_fail(id, lhss, update);
                declare(self);
                Some(self.push_stmt(id, kind))
            }
        };
        StmtKind::VarDecl { vars, init }
    }

    pub(crate) fn such_that(
        &mut self,
        lhss: Vec<ExprId>,
        condition: ast::ExprId,
        assume: bool,
        attrs: &[ast::Attr],
    ) -> StmtKind {
        let expr = self.bool_expr(
            condition,
            "type of RHS of assign-such-that statement must be boolean",
        );
        let attributes = self.attributes(attrs);
        StmtKind::AssignSuchThat {
            bounds: vec![None; lhss.len()],
            lhss,
            expr,
            assume,
            attributes,
        }
    }

    pub(crate) fn plain_update(
        &mut self,
        id: ast::StmtId,
        lhss: &[ast::ExprId],
        update: Option<&Update>,
    ) -> StmtKind {
        let tok = self.ast.stmts[id].tok;
        match update {
            None => {
                let [call] = lhss else {
                    self.error(tok, "expected method call, found expression");
                    return StmtKind::Error;
                };
                self.call_stmt(*call, Vec::new())
            }
            Some(Update::Assign(rhss, _)) => {
                let lhss = lhss.iter().map(|&l| self.lhs(l)).collect();
                self.assign(id, lhss, rhss, tok, false)
            }
            Some(Update::SuchThat(condition, assume, attrs, _)) => {
                let lhss = lhss.iter().map(|&l| self.lhs(l)).collect();
                self.such_that(lhss, *condition, assume.is_some(), attrs)
            }
            Some(Update::OrFail { .. }) => {
                let lhss = lhss.iter().map(|&l| self.lhs(l)).collect();
                self.or_fail(id, lhss, update)
            }
        }
    }

    /// A left-hand side: a variable, a field or an element that can be assigned.
    pub(crate) fn lhs(&mut self, id: ast::ExprId) -> ExprId {
        let value = self.expr(id);
        let tok = self.ast.exprs[id].tok;
        match &self.program.exprs[value].kind {
            ExprKind::Var(var) => {
                let v = &self.program.vars[*var];
                if matches!(v.kind, VarKind::In | VarKind::Bound) {
                    let message = if v.kind == VarKind::In {
                        format!(
                            "LHS of assignment must denote a mutable variable ({})",
                            self.text(v.name)
                        )
                    } else {
                        "LHS of assignment must denote a mutable variable".to_owned()
                    };
                    let _ = &message;
                    self.error(tok, "LHS of assignment must denote a mutable variable");
                }
            }
            ExprKind::Field { field, .. } => {
                let constant =
                    matches!(self.program.members[*field].kind, MemberKind::Const { .. });
                let field = *field;
                self.note_given_away(field);
                if constant && !self.may_assign_const() || self.is_kept_by_iterator(value, field) {
                    self.error(tok, "LHS of assignment must denote a mutable field");
                }
            }
            ExprKind::ArrayIndex(..) | ExprKind::Error => {}
            ExprKind::Index(..) => {
                let shown = self.show(self.ty_of_base(value));
                let _ = shown;
                self.error(
                    tok,
                    "cannot assign to a range of array elements (try the 'forall' statement)",
                );
            }
            ExprKind::StaticConst { .. } => {
                self.error(tok, "LHS of assignment must denote a mutable field")
            }
            ExprKind::Destructor { .. }
            | ExprKind::Property(..)
            | ExprKind::FunctionValue { .. } => {
                self.error(tok, "LHS of assignment must denote a mutable field");
            }
            _ => self.error(
                tok,
                "LHS of assignment must denote a mutable variable, field, or array element",
            ),
        }
        value
    }

    pub(crate) fn ty_of_base(&self, value: ExprId) -> Ty {
        match self.program.exprs[value].kind {
            ExprKind::Index(base, _) => self.program.exprs[base].ty,
            _ => self.program.exprs[value].ty,
        }
    }

    /// Constants are assigned in the first part of a constructor.
    pub(crate) fn may_assign_const(&self) -> bool {
        let Some(member) = self.frame.member else {
            return false;
        };
        match &self.program.members[member].kind {
            MemberKind::Method(m) => m.kind == MethodKind::Constructor,
            _ => false,
        }
    }

    /// `lhss := rhss`; a single call with several results is a call.
    pub(crate) fn assign(
        &mut self,
        id: ast::StmtId,
        lhss: Vec<ExprId>,
        rhss: &[ast::Rhs],
        tok: Span,
        is_return: bool,
    ) -> StmtKind {
        if let [ast::Rhs::Expr(expr, _)] = rhss
            && self.is_apply(*expr)
        {
            return self.assign_call(lhss, *expr, tok, is_return);
        }
        if lhss.len() != rhss.len() {
            self.error(
                tok,
                format!(
                    "the number of left-hand sides ({}) and right-hand sides ({}) must match for a multi-assignment",
                    lhss.len(),
                    rhss.len()
                ),
            );
            return StmtKind::Error;
        }
        let mut out = Vec::new();
        for (&lhs, rhs) in lhss.iter().zip(rhss) {
            let want = self.program.exprs[lhs].ty;
            out.push(self.rhs(rhs, want, tok, is_return));
        }
        let _ = id;
        StmtKind::Assign { lhss, rhss: out }
    }

    pub(crate) fn is_apply(&self, id: ast::ExprId) -> bool {
        match &self.ast.exprs[id].kind {
            ast::ExprKind::Apply { .. } => true,
            ast::ExprKind::Paren(inner) => {
                let _ = inner;
                false
            }
            _ => false,
        }
    }

    pub(crate) fn assign_call(
        &mut self,
        lhss: Vec<ExprId>,
        expr: ast::ExprId,
        tok: Span,
        is_return: bool,
    ) -> StmtKind {
        match self.apply(expr) {
            Applied::Method(call) => self.finish_call(*call, lhss),
            Applied::Expr(value) => {
                let [lhs] = lhss[..] else {
                    self.error(
                        tok,
                        format!(
                            "the number of left-hand sides ({}) and right-hand sides (1) must match for a multi-assignment",
                            lhss.len()
                        ),
                    );
                    return StmtKind::Error;
                };
                let want = self.program.exprs[lhs].ty;
                self.check_assign(want, value, tok, is_return);
                StmtKind::Assign {
                    lhss: vec![lhs],
                    rhss: vec![Rhs::Expr(value)],
                }
            }
        }
    }

    pub(crate) fn check_assign(&mut self, want: Ty, value: ExprId, tok: Span, is_return: bool) {
        let found = self.program.exprs[value].ty;
        if !self.fits(want, value) && !self.downcast(want, found) {
            if self.blame_literal(value, want) {
                return;
            }
            let by_method = self
                .frame
                .member
                .is_some_and(|m| matches!(self.program.members[m].kind, MemberKind::Function(_)));
            let message = if is_return && !by_method {
                format!(
                    "Method return value mismatch (expected {}, got {})",
                    self.show(want),
                    self.show(found)
                )
            } else {
                format!(
                    "RHS (of type {}) not assignable to LHS (of type {})",
                    self.show(found),
                    self.show(want)
                )
            };
            self.error(tok, message);
        }
    }

    /// A reference may be assigned to a variable of a subtype; the verifier checks that it is one.
    pub(crate) fn downcast(&mut self, want: Ty, found: Ty) -> bool {
        let want = self.infer.shallow(&self.program, want);
        let found = self.infer.shallow(&self.program, found);
        self.program.is_reference(want)
            && self.program.is_reference(found)
            && super::infer::reaches(&self.program, want, found, 0)
            && self.infer.assignable(&self.program, found, want)
    }

    /// Types of out-parameters against left-hand sides.
    pub(crate) fn finish_call(&mut self, mut call: MethodCall, lhss: Vec<ExprId>) -> StmtKind {
        let MemberKind::Method(m) = &self.program.members[call.method].kind else {
            return StmtKind::Error;
        };
        let (outs, params) = (m.outs.clone(), m.params.clone());
        if lhss.len() != outs.len() {
            // Results may be ignored as a whole.
            let text = self.text(self.program.members[call.method].name);
            let _ = text;
            if !(lhss.is_empty()) {
                self.error(
                    call.tok,
                    format!(
                        "wrong number of method result arguments (got {}, expected {})",
                        lhss.len(),
                        outs.len()
                    ),
                );
            } else {
                self.error(
                    call.tok,
                    format!(
                        "wrong number of method result arguments (got 0, expected {})",
                        outs.len()
                    ),
                );
            }
        }
        let owner_params = self.program.owner_params(call.method).to_vec();
        let all_params: Vec<_> = owner_params.iter().chain(&params).copied().collect();
        let all_args: Vec<Ty> = call
            .owner_args
            .iter()
            .chain(&call.type_args)
            .copied()
            .collect();
        for (&lhs, &out) in lhss.iter().zip(&outs) {
            let found = self.instantiate_pre(self.program.vars[out].ty, &all_params, &all_args);
            let want = self.program.exprs[lhs].ty;
            if !self.infer.assignable(&self.program, want, found) {
                let message = format!(
                    "method out-parameter '{}' (of type {}) is not assignable to LHS (of type {})",
                    self.text(self.program.vars[out].name),
                    self.show(found),
                    self.show(want)
                );
                self.error(call.tok, message);
            }
        }
        call.lhss = lhss;
        StmtKind::Call(call)
    }

    pub(crate) fn call_stmt(&mut self, id: ast::ExprId, lhss: Vec<ExprId>) -> StmtKind {
        let tok = self.ast.exprs[id].tok;
        if let Some(revealed) = self.old_reveal(id) {
            return revealed;
        }
        if !self.is_apply(id) {
            self.expr(id);
            self.error(tok, "expected method call, found expression");
            return StmtKind::Error;
        }
        match self.apply(id) {
            Applied::Method(call) => self.finish_call(*call, lhss),
            Applied::Expr(_) => {
                self.error(tok, "expected method call, found expression");
                StmtKind::Error
            }
        }
    }

    /// `reveal_F();`, the older form of `reveal F();`.
    pub(crate) fn old_reveal(&mut self, id: ast::ExprId) -> Option<StmtKind> {
        let ast::ExprKind::Apply { callee, .. } = &self.ast.exprs[id].kind else {
            return None;
        };
        let ast::ExprKind::Name(seg) = &self.ast.exprs[*callee].kind else {
            return None;
        };
        let text = self.text(seg.name.sym);
        let name = text.strip_prefix("reveal_")?.to_owned();
        let module = self.frame.module?;
        if self.find_in_module(module, seg.name.sym).is_some() {
            return None;
        }
        let name = self.sym(&name);
        match self.find_in_module(module, name) {
            Some(super::Entity::Member(member)) => {
                Some(StmtKind::Reveal(vec![crate::tree::RevealTarget::Member(
                    member,
                )]))
            }
            _ => None,
        }
    }

    pub(crate) fn rhs(&mut self, rhs: &ast::Rhs, want: Ty, tok: Span, is_return: bool) -> Rhs {
        match rhs {
            ast::Rhs::Expr(expr, _) => {
                let value = self.expr_hint(*expr, Some(want));
                self.check_assign(want, value, tok, is_return);
                Rhs::Expr(value)
            }
            ast::Rhs::Havoc(_) => Rhs::Havoc,
            ast::Rhs::New { ty, span, kind } => {
                let (rhs, ty) = self.new_rhs(*ty, *span, kind, want);
                if !self.infer.assignable(&self.program, want, ty) {
                    let message = format!(
                        "RHS (of type {}) not assignable to LHS (of type {})",
                        self.show(ty),
                        self.show(want)
                    );
                    self.error(tok, message);
                }
                rhs
            }
        }
    }
}
