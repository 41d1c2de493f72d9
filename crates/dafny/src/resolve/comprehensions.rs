//! Quantifiers, comprehensions, lambdas, and the variables they bind.

use super::Resolver;
use super::infer::{arrow, pre_type};
use super::types::Missing;
use crate::ast;
use crate::tree::{
    Attribute, BinaryOp, ExprId, ExprKind, Frame, FrameItem, Quantifier, Ty, TyKind, VarId, VarKind,
};
use stet_base::Span;

impl Resolver<'_> {
    /// Declares bound variables.
    pub(crate) fn bind_vars(&mut self, vars: &[ast::QVar], ghost: bool) -> Vec<VarId> {
        let mark = self.scope.mark();
        vars.iter()
            .map(|var| self.bind_var(var, ghost, mark))
            .collect()
    }

    fn bind_var(&mut self, var: &ast::QVar, ghost: bool, mark: super::scope::Mark) -> VarId {
        let name = var.name;
        if self.scope.declared_since(mark, name.sym) && self.program.text(name.sym) != "_" {
            let text = self.text(name.sym);
            self.error(name.span, format!("Duplicate bound-variable name: {text}"));
        }
        let ty = match var.ty {
            Some(ty) => {
                let ty = self.resolve_type(ty, Missing::Infer);
                self.expand(ty)
            }
            None => self.fresh(),
        };
        let id = self.new_var(name.sym, name.span, VarKind::Bound, ty, ghost);
        if var.ty.is_none() {
            self.inferred_vars.insert(id);
        }
        self.scope.declare(name.sym, id);
        id
    }

    /// Variables with their own domains and ranges: returns them and the conjunction of all these.
    pub(crate) fn bind_domain(
        &mut self,
        vars: &[ast::QVar],
        range: Option<ast::ExprId>,
    ) -> (Vec<VarId>, Option<ExprId>) {
        let mark = self.scope.mark();
        let mut out = Vec::new();
        let mut all: Option<ExprId> = None;
        for var in vars {
            let id = self.bind_var(var, false, mark);
            out.push(id);
            if let Some(domain) = var.domain {
                let member = self.domain_membership(id, domain);
                all = Some(self.conjoin(all, member));
            }
            if let Some(range) = var.range {
                let range =
                    self.bool_expr(range, "range of quantified variable must be of type bool");
                all = Some(self.conjoin(all, range));
            }
        }
        if let Some(range) = range {
            let range = self.bool_expr(range, "range of comprehension must be of type bool");
            all = Some(self.conjoin(all, range));
        }
        (out, all)
    }

    fn domain_membership(&mut self, var: VarId, domain: ast::ExprId) -> ExprId {
        let ty = self.var_pre_type(var);
        let span = self.program.vars[var].span;
        let left = self.push_expr_at(span, span, ExprKind::Var(var), ty);
        let right = self.expr(domain);
        self.binary_values(
            domain,
            self.ast.exprs[domain].tok,
            ast::BinOp::In,
            left,
            right,
        )
    }

    pub(crate) fn conjoin(&mut self, a: Option<ExprId>, b: ExprId) -> ExprId {
        let Some(a) = a else {
            return b;
        };
        let bool_ = self.program.types.bool_;
        let (span, tok) = (self.program.exprs[b].span, self.program.exprs[b].tok);
        self.push_expr_at(span, tok, ExprKind::Binary(BinaryOp::And, a, b), bool_)
    }

    pub(crate) fn true_expr(&mut self, span: Span) -> ExprId {
        let bool_ = self.program.types.bool_;
        self.push_expr_at(span, span, ExprKind::Bool(true), bool_)
    }

    pub(crate) fn comprehension(&mut self, id: ast::ExprId) -> ExprId {
        use ast::ExprKind as K;
        let mark = self.scope.mark();
        let result = match &self.ast.exprs[id].kind {
            K::Quant {
                forall,
                vars,
                attrs,
                range,
                body,
            } => self.quantifier(id, *forall, vars, attrs, *range, *body),
            K::SetComp {
                finite,
                vars,
                attrs,
                range,
                term,
            } => self.set_comp(id, *finite, vars, attrs, *range, *term),
            K::MapComp {
                finite,
                vars,
                attrs,
                range,
                key,
                value,
            } => {
                let (vars, range) = self.bind_domain(vars, *range);
                let key = key.map(|k| self.expr(k));
                let value = self.expr(*value);
                let attributes = self.attributes(attrs);
                let range = match range {
                    Some(range) => range,
                    None => self.true_expr(self.ast.exprs[id].tok),
                };
                let key_ty = match key {
                    Some(key) => self.program.exprs[key].ty,
                    None => self.var_pre_type(vars[0]),
                };
                let ty = self.program.types.intern(TyKind::Map {
                    finite: *finite,
                    key: key_ty,
                    value: self.program.exprs[value].ty,
                });
                let kind = ExprKind::MapComprehension {
                    bounds: vec![None; vars.len()],
                    vars,
                    range,
                    key,
                    value,
                    attributes,
                };
                self.push_expr(id, kind, ty)
            }
            _ => self.error_expr(id),
        };
        self.scope.reset(mark);
        result
    }

    fn quantifier(
        &mut self,
        id: ast::ExprId,
        forall: bool,
        vars: &[ast::QVar],
        attrs: &[ast::Attr],
        range: Option<ast::ExprId>,
        body: ast::ExprId,
    ) -> ExprId {
        let bool_ = self.program.types.bool_;
        let (vars, range) = self.bind_domain(vars, range);
        let body = self.bool_expr(body, "body of quantifier must be of type bool");
        let attributes = self.attributes(attrs);
        let trigger = self.sym("trigger");
        let triggers = attributes
            .iter()
            .filter(|a: &&Attribute| a.name == trigger)
            .map(|a| a.args.clone())
            .collect();
        let quantifier = Quantifier {
            forall,
            bounds: vec![None; vars.len()],
            vars,
            range,
            body,
            triggers,
            attributes,
        };
        self.push_expr(id, ExprKind::Quantifier(Box::new(quantifier)), bool_)
    }

    fn set_comp(
        &mut self,
        id: ast::ExprId,
        finite: bool,
        vars: &[ast::QVar],
        attrs: &[ast::Attr],
        range: Option<ast::ExprId>,
        term: Option<ast::ExprId>,
    ) -> ExprId {
        let tok = self.ast.exprs[id].tok;
        let (vars, range) = self.bind_domain(vars, range);
        let term = match term {
            Some(term) => self.expr(term),
            None => {
                let ty = self.var_pre_type(vars[0]);
                let span = self.program.vars[vars[0]].span;
                self.push_expr_at(span, span, ExprKind::Var(vars[0]), ty)
            }
        };
        let attributes = self.attributes(attrs);
        let range = match range {
            Some(range) => range,
            None => self.true_expr(tok),
        };
        let elem = self.program.exprs[term].ty;
        let ty = self.program.types.intern(TyKind::Set { finite, elem });
        let kind = ExprKind::SetComprehension {
            bounds: vec![None; vars.len()],
            vars,
            range,
            term,
            attributes,
        };
        self.push_expr(id, kind, ty)
    }

    pub(crate) fn lambda(
        &mut self,
        id: ast::ExprId,
        params: &[ast::QVar],
        requires: &[ast::ExprId],
        reads: &ast::Frame,
        body: ast::ExprId,
        want: Option<Ty>,
    ) -> ExprId {
        let mark = self.scope.mark();
        let vars = self.bind_vars(params, false);
        let mut result_hint = None;
        if let Some(want) = want {
            let head = self.infer.force(&self.program, want);
            if let TyKind::Arrow { params, result, .. } = &*self.program.types.kind(head)
                && params.len() == vars.len()
            {
                for (&var, &param) in vars.iter().zip(params) {
                    let ty = self.program.vars[var].ty;
                    let ty = pre_type(&self.program, ty);
                    self.infer.unify(&self.program, ty, param);
                }
                result_hint = Some(*result);
            }
        }
        let mut pre: Option<ExprId> = None;
        for &clause in requires {
            let clause = self.bool_expr(clause, "Precondition must be boolean");
            pre = Some(self.conjoin(pre, clause));
        }
        let reads = self.frame_of(reads, true);
        let saved = std::mem::take(&mut self.frame.two_state);
        self.frame.two_state = saved;
        let body = self.expr_hint(body, result_hint);
        self.scope.reset(mark);
        let domain = vars.iter().map(|&v| self.var_pre_type(v)).collect();
        let ty = arrow(&self.program, domain, self.program.exprs[body].ty);
        let kind = ExprKind::Lambda {
            vars,
            requires: pre,
            reads,
            body,
            attributes: Vec::new(),
        };
        self.push_expr(id, kind, ty)
    }

    /// A frame; in `reads`, functions to sets of objects are allowed.
    pub(crate) fn frame_of(&mut self, frame: &ast::Frame, reads: bool) -> Frame {
        let mut out = Frame {
            items: Vec::new(),
            star: false,
            given: frame.given.is_some(),
            attributes: self.attributes(&frame.attrs),
        };
        for item in &frame.items {
            if matches!(self.ast.exprs[item.expr].kind, ast::ExprKind::Wild) {
                out.star = true;
                continue;
            }
            let expr = self.expr(item.expr);
            self.check_frame_item(expr, reads);
            let field = item.field.and_then(|name| self.frame_field(expr, name));
            out.items.push(FrameItem {
                expr,
                field,
                span: item.span,
            });
        }
        out
    }

    /// Frames are made of objects, collections of objects and, in `reads`, functions to such.
    fn check_frame_item(&mut self, expr: ExprId, reads: bool) {
        let shown = self.program.exprs[expr].ty;
        let mut ty = self.infer.force(&self.program, shown);
        if let TyKind::Arrow { result, .. } = &*self.program.types.kind(ty)
            && reads
        {
            ty = self.infer.force(&self.program, *result);
        }
        let repr = self.program.representation(ty);
        if let TyKind::Set { elem, .. } | TyKind::Seq(elem) | TyKind::Multiset(elem) =
            &*self.program.types.kind(repr)
        {
            ty = self.infer.force(&self.program, *elem);
        }
        if let TyKind::Infer(_) = &*self.program.types.kind(ty) {
            // Nothing else says what an empty collection is made of.
            let object = self.program.types.object_nullable;
            self.infer.unify(&self.program, ty, object);
        }
        let wrong = match &*self.program.types.kind(self.program.representation(ty)) {
            TyKind::Bool | TyKind::Char | TyKind::Int | TyKind::Real | TyKind::Bv(_) => true,
            TyKind::Map { .. } | TyKind::Ordinal => true,
            TyKind::Named { decl, .. } => matches!(
                self.program.decls[*decl].kind,
                crate::tree::TypeDeclKind::Trait {
                    is_reference: false
                } | crate::tree::TypeDeclKind::Datatype { .. }
            ),
            _ => false,
        };
        if wrong {
            let shown = self.show(shown);
            let tok = self.program.exprs[expr].tok;
            let (word, functions) = if reads {
                (
                    "reads",
                    ", or a function to a set/iset/multiset/seq of objects or single field locations (with `--referrers`)",
                )
            } else {
                ("modifies", "")
            };
            let or = if reads { "" } else { "or " };
            self.error(tok, format!("a {word}-clause expression must denote an object, a single field location like o`x or a`[i] of type (object, field)  (with `--referrers`), {or}a set/iset/multiset/seq of objects or single field locations (with `--referrers`){functions} (instead got {shown})"));
        }
    }

    fn frame_field(&mut self, object: ExprId, name: ast::Name) -> Option<crate::tree::MemberId> {
        let mut ty = self
            .infer
            .force(&self.program, self.program.exprs[object].ty);
        if let TyKind::Arrow { result, .. } = &*self.program.types.kind(ty) {
            ty = self.infer.force(&self.program, *result);
        }
        if let TyKind::Set { elem, .. } | TyKind::Seq(elem) | TyKind::Multiset(elem) =
            &*self.program.types.kind(ty)
        {
            ty = self.infer.force(&self.program, *elem);
        }
        match self.find_type_member(ty, name.sym) {
            Some((super::TypeMember::Member(member), _)) => {
                self.link_member(name, member);
                Some(member)
            }
            _ => {
                let text = self.text(name.sym);
                let message = match &*self.program.types.kind(ty) {
                    TyKind::Named { decl, .. } => {
                        let what = self.decl_kind_word(*decl);
                        let owner = self.text(self.program.decls[*decl].name);
                        format!("member '{text}' does not exist in {what} '{owner}'")
                    }
                    _ => format!("member '{text}' does not exist in type '{}'", self.show(ty)),
                };
                self.error(name.span, message);
                None
            }
        }
    }
}
