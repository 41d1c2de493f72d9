//! `:-`, unfolded as the language defines it: evaluate, test for failure, propagate it, extract the value.

use super::Resolver;
use super::calls::Applied;
use crate::ast::{self, Update};
use crate::tree::{
    ExprId, ExprKind, Guard, MemberKind, MethodCall, Rhs, StmtId, StmtKind, Ty, TyKind, VarId,
    VarKind,
};
use stet_base::Span;

impl Resolver<'_> {
    /// `lhss :- e, …`: unfolded as the language defines it.
    pub(crate) fn or_fail(
        &mut self,
        id: ast::StmtId,
        mut lhss: Vec<ExprId>,
        update: Option<&Update>,
    ) -> StmtKind {
        let Some(Update::OrFail {
            value,
            rest,
            keyword,
            tok,
        }) = update
        else {
            return StmtKind::Error;
        };
        let tok = *tok;
        let name = self.sym("_valueOrError");
        let ty = self.fresh();
        let temp = self.new_var(name, tok, VarKind::Local, ty, self.frame.ghost_context);
        self.inferred_vars.insert(temp);
        let temp_lhs = self.var_expr(temp, tok);
        let mut stmts = Vec::new();
        let count = lhss.len();
        // The value goes to the temporary, further results to the further left-hand sides.
        let first_lhs = if lhss.is_empty() {
            None
        } else {
            Some(lhss.remove(0))
        };
        if let Some(first) = first_lhs {
            // The first left-hand side is assigned last, to the place that it was at first.
            self.fix_target(id, first, &lhss, &mut stmts);
            if !lhss.is_empty() {
                let rest = lhss.clone();
                stmts.push(self.push_stmt(id, StmtKind::Apart { first, rest }));
            }
        }
        let mut rhss = vec![value.clone()];
        rhss.extend(rest.iter().cloned());
        let Some((kind, known)) = self.fail_value(id, temp_lhs, lhss, count, &rhss, tok) else {
            return StmtKind::Error;
        };
        // A value of a class: the members are those of its type.
        self.infer.unify(&self.program, ty, known);
        let init = self.push_stmt(id, kind);
        stmts.push(self.push_stmt(
            id,
            StmtKind::VarDecl {
                vars: vec![temp],
                init: Some(init),
            },
        ));
        let with_value = first_lhs.is_some() && self.has_member(known, "Extract");
        let receiver = self.var_expr(temp, tok);
        let failed = self.failure_member(tok, receiver, "IsFailure", with_value);
        let symbol = self.sym("IsFailure");
        if self.find_type_member(known, symbol).is_none() {
            return StmtKind::Error;
        }
        stmts.push(self.failure_stmt(id, temp, failed, *keyword, tok, with_value));
        if let Some(lhs) = first_lhs {
            let receiver = self.var_expr(temp, tok);
            if let Some(call) = self.failure_call(tok, receiver, "Extract", lhs) {
                stmts.push(self.push_stmt(id, call));
                return StmtKind::Sequence(stmts);
            }
            let extracted = self.failure_member(tok, receiver, "Extract", true);
            let want = self.program.exprs[lhs].ty;
            self.check_assign(want, extracted, tok, false);
            stmts.push(self.push_stmt(
                id,
                StmtKind::Assign {
                    lhss: vec![lhs],
                    rhss: vec![Rhs::Expr(extracted)],
                },
            ));
        }
        StmtKind::Sequence(stmts)
    }

    /// Gives names to the object and the indices of a left-hand side that the right-hand side could change.
    fn fix_target(
        &mut self,
        id: ast::StmtId,
        target: ExprId,
        assigned: &[ExprId],
        stmts: &mut Vec<StmtId>,
    ) {
        let mut kind = self.program.exprs[target].kind.clone();
        match &mut kind {
            ExprKind::Field { object, .. } => *object = self.fixed(id, *object, assigned, stmts),
            ExprKind::ArrayIndex(array, indices) => {
                *array = self.fixed(id, *array, assigned, stmts);
                for index in indices {
                    *index = self.fixed(id, *index, assigned, stmts);
                }
            }
            _ => return,
        }
        self.program.exprs[target].kind = kind;
    }

    /// A variable that holds the value of an expression, unless nothing can change that value.
    fn fixed(
        &mut self,
        id: ast::StmtId,
        value: ExprId,
        assigned: &[ExprId],
        stmts: &mut Vec<StmtId>,
    ) -> ExprId {
        let exprs = &self.program.exprs;
        let (ty, tok) = (exprs[value].ty, exprs[value].tok);
        let is_fixed = match exprs[value].kind {
            ExprKind::Var(v) => !assigned
                .iter()
                .any(|&e| matches!(exprs[e].kind, ExprKind::Var(w) if w == v)),
            ExprKind::This | ExprKind::Int(_) => true,
            _ => false,
        };
        if is_fixed {
            return value;
        }
        let name = self.sym("_target");
        let ghost = self.frame.ghost_context;
        let var = self.new_var(name, tok, VarKind::Local, ty, ghost);
        self.inferred_vars.insert(var);
        let lhss = vec![self.var_expr(var, tok)];
        let rhss = vec![Rhs::Expr(value)];
        let init = self.push_stmt(id, StmtKind::Assign { lhss, rhss });
        let kind = StmtKind::VarDecl {
            vars: vec![var],
            init: Some(init),
        };
        stmts.push(self.push_stmt(id, kind));
        self.var_expr(var, tok)
    }

    /// The first part of `:-`: evaluates the right-hand side; the type of the value is known afterwards.
    pub(crate) fn fail_value(
        &mut self,
        id: ast::StmtId,
        temp: ExprId,
        rest: Vec<ExprId>,
        count: usize,
        rhss: &[ast::Rhs],
        tok: Span,
    ) -> Option<(StmtKind, Ty)> {
        let mut lhss = vec![temp];
        lhss.extend(rest);
        if let [ast::Rhs::Expr(expr, _)] = rhss
            && self.is_apply(*expr)
        {
            let applied = self.apply(*expr);
            let (ty, outs) = match &applied {
                Applied::Expr(value) => (self.program.exprs[*value].ty, None),
                Applied::Method(call) => (self.first_out(call), Some(self.out_count(call))),
            };
            let ty = self.fail_type(ty, tok)?;
            let extract = self.has_member(ty, "Extract");
            let shown = self.show(ty);
            let with = if extract { "with" } else { "without" };
            let expected = match outs {
                Some(outs) if extract => outs,
                Some(outs) => outs.saturating_sub(1),
                None => usize::from(extract),
            };
            if count != expected
                && !(count == 0 && expected == 1 && outs.is_none())
                && !(count == 0 && outs == Some(1))
            {
                let message = if outs.is_some() {
                    format!(
                        "wrong number of method result arguments (got {count}, expected {expected}) for a rhs type ({shown}) {with} member Extract"
                    )
                } else if extract {
                    format!(
                        "number of lhs ({count}) must match number of rhs (1) for a rhs type ({shown}) with member Extract"
                    )
                } else {
                    format!(
                        "number of lhs ({count}) must be one less than number of rhs (1) for a rhs type ({shown}) without member Extract"
                    )
                };
                self.error(tok, message);
                return None;
            }
            let kind = match applied {
                Applied::Method(call) => self.finish_call(*call, lhss),
                Applied::Expr(value) => {
                    let want = self.program.exprs[temp].ty;
                    self.check_assign(want, value, tok, false);
                    StmtKind::Assign {
                        lhss: vec![temp],
                        rhss: vec![Rhs::Expr(value)],
                    }
                }
            };
            return Some((kind, ty));
        }
        let kind = self.assign(id, lhss, rhss, tok, false);
        let ty = self.program.exprs[temp].ty;
        let ty = self.fail_type(ty, tok)?;
        Some((kind, ty))
    }

    /// The type of the value that decides whether there is a failure.
    pub(crate) fn fail_type(&mut self, ty: Ty, tok: Span) -> Option<Ty> {
        let known = self.infer.force_default(&self.program, ty);
        let unknown = matches!(
            &*self.program.types.kind(known),
            TyKind::Infer(_) | TyKind::Error
        );
        if unknown {
            self.error(tok, "The type of the first expression to the right of ':-' could not be determined to be a failure type (got '?')");
            return None;
        }
        Some(known)
    }

    pub(crate) fn out_count(&self, call: &MethodCall) -> usize {
        match &self.program.members[call.method].kind {
            MemberKind::Method(m) => m.outs.len(),
            _ => 0,
        }
    }

    pub(crate) fn first_out(&self, call: &MethodCall) -> Ty {
        let MemberKind::Method(m) = &self.program.members[call.method].kind else {
            return self.program.types.error;
        };
        let Some(&out) = m.outs.first() else {
            return self.program.types.error;
        };
        let params: Vec<_> = self
            .program
            .owner_params(call.method)
            .iter()
            .chain(&m.params)
            .copied()
            .collect();
        let args: Vec<Ty> = call
            .owner_args
            .iter()
            .chain(&call.type_args)
            .copied()
            .collect();
        self.instantiate_pre(self.program.vars[out].ty, &params, &args)
    }

    pub(crate) fn has_member(&mut self, ty: Ty, name: &str) -> bool {
        let name = self.sym(name);
        self.find_type_member(ty, name).is_some()
    }

    pub(crate) fn failure_stmt(
        &mut self,
        id: ast::StmtId,
        temp: VarId,
        failed: ExprId,
        keyword: Option<(ast::FailKeyword, Span)>,
        tok: Span,
        with_value: bool,
    ) -> StmtId {
        let bool_ = self.program.types.bool_;
        let not_failed = |r: &mut Self| {
            let kind = ExprKind::Unary(crate::tree::UnaryOp::Not, failed);
            r.push_expr_at(tok, tok, kind, bool_)
        };
        let kind = match keyword.map(|(keyword, _)| keyword) {
            Some(ast::FailKeyword::Expect) => {
                let expr = not_failed(self);
                StmtKind::Expect {
                    expr,
                    message: None,
                }
            }
            Some(ast::FailKeyword::Assert) => {
                let expr = not_failed(self);
                StmtKind::Assert {
                    expr,
                    label: None,
                    by: None,
                }
            }
            Some(ast::FailKeyword::Assume) => StmtKind::Assume(not_failed(self)),
            None => {
                let receiver = self.var_expr(temp, tok);
                let out = self.frame.outs.first().copied();
                let called = out.and_then(|out| {
                    let lhs = self.var_expr(out, tok);
                    self.failure_call(tok, receiver, "PropagateFailure", lhs)
                });
                let mut body = Vec::new();
                match out {
                    Some(_) if called.is_some() => {
                        body.extend(called.map(|call| self.push_stmt(id, call)));
                    }
                    Some(out) => {
                        let propagate =
                            self.failure_member(tok, receiver, "PropagateFailure", with_value);
                        let lhs = self.var_expr(out, tok);
                        let want = self.program.exprs[lhs].ty;
                        let found = self.program.exprs[propagate].ty;
                        if !self.infer.assignable(&self.program, want, found) {
                            let message = format!(
                                "Method return value mismatch (expected {}, got {})",
                                self.show(want),
                                self.show(found)
                            );
                            self.error(tok, message);
                        }
                        body.push(self.push_stmt(
                            id,
                            StmtKind::Assign {
                                lhss: vec![lhs],
                                rhss: vec![Rhs::Expr(propagate)],
                            },
                        ));
                    }
                    None => {
                        self.failure_member(tok, receiver, "PropagateFailure", with_value);
                        let name = self.frame.member.map(|m| self.program.members[m].name);
                        let name = name.map(|n| self.text(n)).unwrap_or_default();
                        self.error(
                            tok,
                            format!("A method containing a :- statement must have an out-parameter ({name})"),
                        );
                    }
                }
                body.push(self.push_stmt(id, StmtKind::Return { init: None }));
                let then = self.push_stmt(id, StmtKind::Block(body));
                StmtKind::If {
                    guard: Guard::Expr(failed),
                    then,
                    els: None,
                }
            }
        };
        let stmt = self.push_stmt(id, kind);
        if let Some((_, place)) = keyword {
            self.program.stmts[stmt].tok = place;
        }
        stmt
    }

    /// `lhs := receiver.name()` if the member behind `:-` is a method, as it was once.
    fn failure_call(
        &mut self,
        tok: Span,
        receiver: ExprId,
        name: &str,
        lhs: ExprId,
    ) -> Option<StmtKind> {
        let ty = self.ty_of(receiver);
        let symbol = self.sym(name);
        let (super::TypeMember::Member(method), owner) = self.find_type_member(ty, symbol)? else {
            return None;
        };
        let MemberKind::Method(m) = &self.program.members[method].kind else {
            return None;
        };
        let params = m.params.clone();
        let shown = self.show(ty);
        let message = format!(
            "Support for member '{name}' in type '{shown}' (used indirectly via a :- statement) being a method is deprecated; declare it to be a function instead"
        );
        self.deprecated(tok, message);
        if let Some(current) = self.frame.member {
            self.calls.push((current, method));
        }
        let call = MethodCall {
            method,
            receiver: Some(receiver),
            aside: None,
            owner_args: self.program.types.children(owner),
            type_args: params.iter().map(|_| self.fresh()).collect(),
            args: Vec::new(),
            lhss: Vec::new(),
            prefix: None,
            at: None,
            tok,
        };
        Some(self.finish_call(call, vec![lhs]))
    }

    /// `receiver.name()` for the members behind `:-`.
    pub(crate) fn failure_member(
        &mut self,
        tok: Span,
        receiver: ExprId,
        name: &str,
        with_value: bool,
    ) -> ExprId {
        let ty = self.ty_of(receiver);
        let symbol = self.sym(name);
        let error = self.program.types.error;
        let found = self.find_type_member(ty, symbol);
        if matches!(&found, Some((other, _)) if !matches!(other, super::TypeMember::Member(_))) {
            let shown = self.show(ty);
            self.error(
                tok,
                format!("Member '{name}' in type '{shown}' (used indirectly via a :- statement) is expected to be a function"),
            );
            return self.push_expr_at(tok, tok, ExprKind::Error, error);
        }
        let Some((super::TypeMember::Member(member), owner)) = found else {
            if ty != error {
                let shown = self.show(ty);
                let _ = with_value;
                self.error(
                    tok,
                    format!("member {name} does not exist in {shown}, in :- statement"),
                );
            }
            return self.push_expr_at(tok, tok, ExprKind::Error, error);
        };
        let MemberKind::Function(f) = &self.program.members[member].kind else {
            let shown = self.show(ty);
            self.error(
                tok,
                format!("Member '{name}' in type '{shown}' (used indirectly via a :- statement) is expected to be a function"),
            );
            return self.push_expr_at(tok, tok, ExprKind::Error, error);
        };
        let (result, params) = (f.result, f.params.clone());
        let owner_args = self.program.types.children(owner);
        let type_args: Vec<Ty> = params.iter().map(|_| self.fresh()).collect();
        let owner_params = self.program.owner_params(member).to_vec();
        let all_params: Vec<_> = owner_params.iter().chain(&params).copied().collect();
        let all_args: Vec<Ty> = owner_args.iter().chain(&type_args).copied().collect();
        let result = self.instantiate_pre(result, &all_params, &all_args);
        if let Some(current) = self.frame.member {
            self.calls.push((current, member));
        }
        let call = crate::tree::FunctionCall {
            function: member,
            receiver: Some(receiver),
            owner_args,
            type_args,
            args: Vec::new(),
            prefix: None,
            at: None,
            co_call: false,
        };
        let expr = self.push_expr_at(tok, tok, ExprKind::Call(Box::new(call)), result);
        self.inferred_args.insert(expr);
        expr
    }
}
