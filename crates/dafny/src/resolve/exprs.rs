//! Expressions: dispatch, literals, bindings, conditionals.

use super::Resolver;
use super::infer::{VarClass, pre_type};
use super::types::Missing;
use crate::ast;
use crate::tree::{Case, ExprId, ExprKind, Frame, Pattern, Ty, TyKind, VarKind};

impl Resolver<'_> {
    pub(crate) fn expr(&mut self, id: ast::ExprId) -> ExprId {
        self.expr_hint(id, None)
    }

    /// An expression where a value of type `want` is expected; used for lambdas only, the caller still compares types.
    pub(crate) fn expr_hint(&mut self, id: ast::ExprId, want: Option<Ty>) -> ExprId {
        use ast::ExprKind as K;
        let types = &self.program.types;
        match &self.ast.exprs[id].kind {
            K::Bool(value) => {
                let ty = types.bool_;
                self.push_expr(id, ExprKind::Bool(*value), ty)
            }
            K::Int(value) => {
                let ty = self.infer.fresh(&self.program, VarClass::Int);
                self.push_expr(id, ExprKind::Int(value.clone()), ty)
            }
            K::Real(value) => {
                let ty = self.infer.fresh(&self.program, VarClass::Real);
                self.push_expr(id, ExprKind::Real(value.clone()), ty)
            }
            K::Char(value) => {
                let ty = types.char_;
                self.push_expr(id, ExprKind::Char(*value), ty)
            }
            K::Str(value) => {
                let ty = types.string;
                self.push_expr(id, ExprKind::Str(value.clone()), ty)
            }
            K::Null => {
                let ty = self.infer.fresh(&self.program, VarClass::Null);
                self.push_expr(id, ExprKind::Null, ty)
            }
            K::This => self.this_expr(id),
            K::Name(_) | K::Dot(..) => {
                let callee = self.callee(id);
                self.value_of(callee, id)
            }
            K::Apply { .. } => self.apply_expr(id),
            K::Paren(inner) => {
                let value = self.expr_hint(*inner, want);
                if let ExprKind::StmtExpr(..) = self.program.exprs[value].kind {
                    self.program.exprs[value].tok = self.ast.exprs[id].tok;
                }
                value
            }
            K::Lambda {
                params,
                requires,
                reads,
                body,
            } => self.lambda(id, params, requires, reads, *body, want),
            K::Tuple(items) => self.tuple(id, items, want),
            K::Ite(..)
            | K::IteBinding(..)
            | K::Match(..)
            | K::Let { .. }
            | K::LetSuchThat { .. }
            | K::LetOrFail { .. }
            | K::StmtIn(..) => self.control_expr(id, want),
            K::Unary(op, operand) => self.unary(id, *op, *operand),
            K::Binary(op, l, r) => self.binary(id, *op, *l, *r),
            K::Chain(operands, ops) => self.chain(id, operands, ops),
            K::Quant { .. } | K::SetComp { .. } | K::MapComp { .. } => self.comprehension(id),
            K::Old(..) | K::Fresh(..) | K::Allocated(_) | K::Unchanged(..) => self.heap_expr(id),
            K::Convert(value, ty) => self.convert(id, *value, *ty),
            K::Test(value, ty) => {
                let value = self.expr(*value);
                let ty = self.resolve_type(*ty, Missing::Infer);
                let ty = self.expand(ty);
                let bool_ = self.program.types.bool_;
                self.push_expr(id, ExprKind::TypeTest(value, ty), bool_)
            }
            K::DecreasesTo(old, new, allow_equal) => {
                let kind = ExprKind::DecreasesTo {
                    old: old.iter().map(|&e| self.expr(e)).collect(),
                    new: new.iter().map(|&e| self.expr(e)).collect(),
                    allow_equal: *allow_equal,
                };
                let bool_ = self.program.types.bool_;
                self.push_expr(id, kind, bool_)
            }
            K::FieldLocation(..) => {
                let tok = self.ast.exprs[id].tok;
                self.error(tok, "memory locations as values are not supported");
                self.error_expr(id)
            }
            K::Wild => {
                let tok = self.ast.exprs[id].tok;
                self.error(tok, "wildcard * is not allowed here");
                self.error_expr(id)
            }
            K::Error => self.error_expr(id),
            _ => self.collection(id, want),
        }
    }

    /// An expression that must be a boolean; `what` is the start of the message otherwise.
    pub(crate) fn bool_expr(&mut self, id: ast::ExprId, what: &str) -> ExprId {
        let value = self.expr(id);
        let bool_ = self.program.types.bool_;
        let found = self.program.exprs[value].ty;
        if !self.is_bool(found) && !self.infer.unify(&self.program, found, bool_) {
            let shown = self.show(found);
            let tok = self.ast.exprs[id].tok;
            self.error(tok, format!("{what} (got {shown})"));
        }
        value
    }

    /// Whether a type is `bool` or a newtype over it.
    fn is_bool(&self, ty: Ty) -> bool {
        let ty = self.infer.shallow(&self.program, ty);
        !matches!(&*self.program.types.kind(ty), TyKind::Infer(_))
            && self.program.representation(ty) == self.program.types.bool_
    }

    fn tuple(&mut self, id: ast::ExprId, items: &[ast::Arg], want: Option<Ty>) -> ExprId {
        let wanted = want.map(|w| self.infer.shallow(&self.program, w));
        let hints: Vec<Ty> = match wanted.map(|w| self.program.types.kind(w)) {
            Some(kind) => match &*kind {
                TyKind::Tuple(hints, _) if hints.len() == items.len() => hints.clone(),
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        let mut ordered: Vec<Option<ExprId>> = vec![None; items.len()];
        for (i, item) in items.iter().enumerate() {
            let value = self.expr_hint(item.value, hints.get(i).copied());
            let position = item
                .name
                .and_then(|n| self.program.text(n.sym).parse::<usize>().ok())
                .unwrap_or(i);
            if let Some(slot) = ordered.get_mut(position) {
                *slot = Some(value);
            }
        }
        let values: Vec<ExprId> = match ordered.into_iter().collect::<Option<Vec<_>>>() {
            Some(values) => values,
            None => {
                let tok = self.ast.exprs[id].tok;
                self.error(tok, "wrong number of arguments for tuple");
                return self.error_expr(id);
            }
        };
        let types = values.iter().map(|&v| self.program.exprs[v].ty).collect();
        let ghost = items.iter().map(|i| i.ghost).collect();
        let ty = self.program.types.intern(TyKind::Tuple(types, ghost));
        self.push_expr(id, ExprKind::Tuple(values), ty)
    }

    fn control_expr(&mut self, id: ast::ExprId, want: Option<Ty>) -> ExprId {
        use ast::ExprKind as K;
        match &self.ast.exprs[id].kind {
            K::Ite(condition, then, els) => {
                let condition = self.bool_expr(
                    *condition,
                    "guard condition in if-then-else expression must be a boolean",
                );
                let then = self.expr_hint(*then, want);
                let els = self.expr_hint(*els, want);
                let ty = self.common_type(
                    id,
                    then,
                    els,
                    "the two branches of an if-then-else expression must have the same type",
                );
                self.push_expr(id, ExprKind::Ite(condition, then, els), ty)
            }
            K::IteBinding(vars, condition, then, els) => {
                self.ite_binding(id, vars, *condition, *then, *els, want)
            }
            K::Match(scrutinee, cases) => self.match_expr(id, *scrutinee, cases, want),
            K::Let {
                ghost,
                pats,
                values,
                body,
                attrs,
            } => self.let_expr(id, *ghost, pats, values, *body, attrs, want),
            K::LetSuchThat {
                ghost,
                vars,
                condition,
                body,
                attrs,
            } => {
                let mark = self.scope.mark();
                let vars = self.bind_vars(vars, *ghost);
                let condition = self.bool_expr(
                    *condition,
                    "type of RHS of let-such-that expression must be boolean",
                );
                let attributes = self.attributes(attrs);
                let body = self.expr_hint(*body, want);
                self.scope.reset(mark);
                let ty = self.program.exprs[body].ty;
                let kind = ExprKind::LetSuchThat {
                    bounds: vec![None; vars.len()],
                    vars,
                    condition,
                    body,
                    ghost: *ghost,
                    compiled: false,
                    attributes,
                };
                self.push_expr(id, kind, ty)
            }
            K::LetOrFail {
                ghost,
                pat,
                value,
                body,
            } => self.let_or_fail(id, *ghost, *pat, *value, *body),
            K::StmtIn(stmt, body) => {
                let mark = self.scope.mark();
                let saved = std::mem::replace(&mut self.frame.ghost_context, true);
                let stmt = self.stmt(*stmt);
                self.frame.ghost_context = saved;
                let body = self.expr_hint(*body, want);
                self.scope.reset(mark);
                let ty = self.program.exprs[body].ty;
                // Messages about the value point at what gives it.
                let (span, tok) = (self.ast.exprs[id].span, self.program.exprs[body].tok);
                self.push_expr_at(span, tok, ExprKind::StmtExpr(stmt, body), ty)
            }
            _ => self.error_expr(id),
        }
    }

    /// `if x :| P then a else b`: `if exists x :: P then var x :| P; a else b`.
    fn ite_binding(
        &mut self,
        id: ast::ExprId,
        qvars: &[ast::QVar],
        condition: ast::ExprId,
        then: ast::ExprId,
        els: ast::ExprId,
        want: Option<Ty>,
    ) -> ExprId {
        let bool_ = self.program.types.bool_;
        let mark = self.scope.mark();
        let vars = self.bind_vars(qvars, false);
        let body = self.bool_expr(condition, "binding guard must be boolean");
        self.scope.reset(mark);
        let exists = crate::tree::Quantifier {
            forall: false,
            bounds: vec![None; vars.len()],
            vars: vars.clone(),
            range: None,
            body,
            triggers: Vec::new(),
            attributes: Vec::new(),
        };
        let guard = self.push_expr(id, ExprKind::Quantifier(Box::new(exists)), bool_);
        let inner = self.bind_vars(qvars, false);
        let again = self.bool_expr(condition, "binding guard must be boolean");
        let then = self.expr_hint(then, want);
        self.scope.reset(mark);
        for (&a, &b) in vars.iter().zip(&inner) {
            let (a, b) = (self.program.vars[a].ty, self.program.vars[b].ty);
            self.infer.unify(
                &self.program,
                pre_type(&self.program, a),
                pre_type(&self.program, b),
            );
        }
        let then_ty = self.program.exprs[then].ty;
        let kind = ExprKind::LetSuchThat {
            bounds: vec![None; inner.len()],
            vars: inner,
            condition: again,
            body: then,
            ghost: false,
            compiled: false,
            attributes: Vec::new(),
        };
        let then = self.push_expr(id, kind, then_ty);
        let els = self.expr_hint(els, want);
        let ty = self.common_type(
            id,
            then,
            els,
            "the two branches of an if-then-else expression must have the same type",
        );
        self.push_expr(id, ExprKind::Ite(guard, then, els), ty)
    }

    /// A type both values fit into.
    pub(crate) fn common_type(
        &mut self,
        id: ast::ExprId,
        a: ExprId,
        b: ExprId,
        message: &str,
    ) -> Ty {
        self.agree(a, b);
        let result = self.fresh();
        let (x, y) = (self.program.exprs[a].ty, self.program.exprs[b].ty);
        let ok = self.infer.assignable(&self.program, result, x)
            && self.infer.assignable(&self.program, result, y);
        if !ok {
            let message = format!("{message} (got {} and {})", self.show(x), self.show(y));
            let tok = self.ast.exprs[id].tok;
            self.error(tok, message);
        }
        result
    }

    fn match_expr(
        &mut self,
        id: ast::ExprId,
        scrutinee: ast::ExprId,
        cases: &[ast::Case<ast::ExprId>],
        want: Option<Ty>,
    ) -> ExprId {
        let scrutinee = self.expr(scrutinee);
        let ty = self
            .infer
            .force_default(&self.program, self.program.exprs[scrutinee].ty);
        let shaped = |r: &Self, pat: ast::PatId| {
            matches!(
                &r.ast.pats[pat].kind,
                ast::PatKind::Id { args: Some(_), .. }
            )
        };
        if matches!(&*self.program.types.kind(ty), TyKind::Infer(_))
            && cases.iter().any(|c| shaped(self, c.pat))
        {
            let tok = self.program.exprs[scrutinee].tok;
            self.error(tok, "Could not resolve the type of the source of the match expression. Please provide additional typing annotations.");
            return self.error_expr(id);
        }
        let result = self.fresh();
        let mut out = Vec::new();
        for case in cases {
            let mark = self.scope.mark();
            self.pattern_mark = Some(mark);
            let pattern = self.pattern(case.pat, ty, true, false);
            self.pattern_mark = None;
            let attributes = self.attributes(&case.attrs);
            let body = self.expr_hint(case.body, want);
            self.scope.reset(mark);
            let found = self.program.exprs[body].ty;
            if !self.fits(result, body) {
                let message = format!(
                    "type of case bodies do not agree (found {}, previous types {})",
                    self.show(found),
                    self.show(result)
                );
                let tok = self.ast.exprs[case.body].tok;
                self.error(tok, message);
            }
            out.push(Case {
                pattern,
                body,
                attributes,
                span: case.span,
            });
        }
        let kind = ExprKind::Match {
            scrutinee,
            cases: out,
        };
        self.push_expr(id, kind, result)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one syntactic form")]
    fn let_expr(
        &mut self,
        id: ast::ExprId,
        ghost: bool,
        pats: &[ast::PatId],
        values: &[ast::ExprId],
        body: ast::ExprId,
        attrs: &[ast::Attr],
        want: Option<Ty>,
    ) -> ExprId {
        if pats.len() != values.len() {
            let tok = self.ast.exprs[id].tok;
            self.error(
                tok,
                format!(
                    "let expression must have same number of LHSs (found {}) as RHSs (found {})",
                    pats.len(),
                    values.len()
                ),
            );
            return self.error_expr(id);
        }
        let attributes = self.attributes(attrs);
        let mut resolved = Vec::new();
        for (&value, &pat) in values.iter().zip(pats) {
            let hint = self.pattern_type_hint(pat);
            resolved.push(self.expr_hint(value, hint));
        }
        let mark = self.scope.mark();
        let mut patterns: Vec<Pattern> = Vec::new();
        for (&pat, &value) in pats.iter().zip(&resolved) {
            let ty = self.program.exprs[value].ty;
            let ty = if self.is_simple_pattern(pat) {
                ty
            } else {
                self.infer.force_default(&self.program, ty)
            };
            patterns.push(self.pattern(pat, ty, false, ghost));
        }
        let body = self.expr_hint(body, want);
        self.scope.reset(mark);
        let ty = self.program.exprs[body].ty;
        let kind = ExprKind::Let {
            patterns,
            values: resolved,
            body,
            ghost,
            attributes,
        };
        self.push_expr(id, kind, ty)
    }

    /// `var p :- e; body`: `var t := e; if t.IsFailure() then t.PropagateFailure() else var p := t.Extract(); body`.
    fn let_or_fail(
        &mut self,
        id: ast::ExprId,
        ghost: bool,
        pat: Option<ast::PatId>,
        value: ast::ExprId,
        body: ast::ExprId,
    ) -> ExprId {
        let tok = self.ast.exprs[id].tok;
        let span = self.ast.exprs[id].span;
        let value = self.expr(value);
        let ty = self
            .infer
            .force_default(&self.program, self.program.exprs[value].ty);
        let name = self.sym("_valueOrError");
        let temp = self.new_var(name, tok, VarKind::Bound, ty, ghost);
        self.inferred_vars.insert(temp);
        let read = |r: &mut Self| r.push_expr_at(span, tok, ExprKind::Var(temp), ty);
        let receiver = read(self);
        let failed = self.failure_member(tok, receiver, "IsFailure", pat.is_some());
        let receiver = read(self);
        let propagate = self.failure_member(tok, receiver, "PropagateFailure", pat.is_some());
        let mark = self.scope.mark();
        let body = match pat {
            Some(pat) => {
                let receiver = read(self);
                let extracted = self.failure_member(tok, receiver, "Extract", true);
                let extracted_ty = self
                    .infer
                    .force_default(&self.program, self.program.exprs[extracted].ty);
                let pattern = self.pattern(pat, extracted_ty, false, ghost);
                let body = self.expr(body);
                let body_ty = self.program.exprs[body].ty;
                let kind = ExprKind::Let {
                    patterns: vec![pattern],
                    values: vec![extracted],
                    body,
                    ghost,
                    attributes: Vec::new(),
                };
                self.push_expr(id, kind, body_ty)
            }
            None => self.expr(body),
        };
        self.scope.reset(mark);
        let result = self.common_type(
            id,
            propagate,
            body,
            "the two branches of an if-then-else expression must have the same type",
        );
        let ite = self.push_expr(id, ExprKind::Ite(failed, propagate, body), result);
        let pattern = Pattern {
            kind: crate::tree::PatternKind::Var(temp),
            ty,
            span: tok,
        };
        let kind = ExprKind::Let {
            patterns: vec![pattern],
            values: vec![value],
            body: ite,
            ghost,
            attributes: Vec::new(),
        };
        self.push_expr(id, kind, result)
    }

    fn heap_expr(&mut self, id: ast::ExprId) -> ExprId {
        use ast::ExprKind as K;
        let bool_ = self.program.types.bool_;
        let tok = self.ast.exprs[id].tok;
        let needs_two = !matches!(self.ast.exprs[id].kind, K::Allocated(_));
        if needs_two && !self.frame.two_state {
            let word = match self.ast.exprs[id].kind {
                K::Old(..) => "old",
                K::Fresh(..) => "fresh",
                _ => "unchanged",
            };
            self.error(
                tok,
                format!("{word} expressions are not allowed in this context"),
            );
        }
        match &self.ast.exprs[id].kind {
            K::Old(value, label) => {
                let label = self.label_use(*label);
                let value = self.expr(*value);
                let ty = self.program.exprs[value].ty;
                self.push_expr(id, ExprKind::Old(value, label), ty)
            }
            K::Fresh(value, label) => {
                let label = self.label_use(*label);
                let value = self.expr(*value);
                self.push_expr(id, ExprKind::Fresh(value, label), bool_)
            }
            K::Allocated(value) => {
                let value = self.expr(*value);
                self.push_expr(id, ExprKind::Allocated(value), bool_)
            }
            K::Unchanged(frame, label) => {
                let label = self.label_use(*label);
                let frame: Frame = self.frame_of(frame, false);
                self.push_expr(id, ExprKind::Unchanged(frame, label), bool_)
            }
            _ => self.error_expr(id),
        }
    }

    fn convert(&mut self, id: ast::ExprId, value: ast::ExprId, ty: ast::TypeId) -> ExprId {
        let value = self.expr(value);
        let name = match &self.ast.types[ty].kind {
            ast::TypeKind::Path(segs) => segs.last().map(|seg| seg.name.sym),
            _ => None,
        };
        let ty = self.resolve_type(ty, Missing::Infer);
        let ty = self.expand(ty);
        let target = pre_type(&self.program, ty);
        // A literal is a number of its own: whether it fits is asked of the conversion.
        let found = self
            .infer
            .force(&self.program, self.program.exprs[value].ty);
        if self.infer.class_of(&self.program, found).is_some() {
            self.infer.force_default(&self.program, found);
        } else {
            // Type arguments left out of the target come from the source.
            self.infer.assignable(&self.program, target, found);
        }
        let kind = ExprKind::Convert(value, ty);
        self.delayed.push(super::ops::Delayed::Convert(
            value,
            target,
            self.ast.exprs[id].tok,
        ));
        let made = self.push_expr(id, kind, target);
        if let Some(name) = name.filter(|_| self.program.types.children(ty).is_empty())
            && self.show(ty) != self.text(name)
        {
            self.program.written.insert(made, name);
        }
        made
    }
}
