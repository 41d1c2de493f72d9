//! Variable declarations, assignments, calls and returns.

use super::Resolver;
use super::calls::Applied;
use super::infer::pre_type;
use super::types::Missing;
use crate::ast::{self, NewKind, Update};
use crate::tree::{
    ArrayInit, ExprId, ExprKind, Guard, MemberKind, MethodCall, MethodKind, Rhs, StmtId, StmtKind,
    Ty, TyKind, VarId, VarKind,
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
            K::Yield(_) => {
                self.error(tok, "yield statement is allowed only in iterators");
                StmtKind::Error
            }
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

    fn return_init(&mut self, id: ast::StmtId, rhss: Option<&[ast::Rhs]>) -> Option<StmtId> {
        let rhss = rhss?;
        let outs = self.frame.outs.clone();
        let tok = self.ast.stmts[id].tok;
        let one_call = outs.len() != 1
            && matches!(rhss, [ast::Rhs::Expr(e, _)] if self.is_apply(*e));
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

    fn declare_local(&mut self, local: &ast::LocalVar) -> VarId {
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
        }
        let attributes = self.attributes(&local.attrs);
        self.program.vars[var].attributes = attributes;
        var
    }

    fn var_decl(
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
            Some(Update::SuchThat(condition, assume, _)) => {
                declare(self);
                let kind = self.such_that(lhss, *condition, assume.is_some());
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

    fn such_that(&mut self, lhss: Vec<ExprId>, condition: ast::ExprId, assume: bool) -> StmtKind {
        let expr = self.bool_expr(
            condition,
            "type of RHS of assign-such-that statement must be boolean",
        );
        StmtKind::AssignSuchThat {
            bounds: vec![None; lhss.len()],
            lhss,
            expr,
            assume,
        }
    }

    fn plain_update(
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
            Some(Update::SuchThat(condition, assume, _)) => {
                let lhss = lhss.iter().map(|&l| self.lhs(l)).collect();
                self.such_that(lhss, *condition, assume.is_some())
            }
            Some(Update::OrFail { .. }) => {
                let lhss = lhss.iter().map(|&l| self.lhs(l)).collect();
                self.or_fail(id, lhss, update)
            }
        }
    }

    /// A left-hand side: a variable, a field or an element that can be assigned.
    fn lhs(&mut self, id: ast::ExprId) -> ExprId {
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
                if constant && !self.may_assign_const() {
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

    fn ty_of_base(&self, value: ExprId) -> Ty {
        match self.program.exprs[value].kind {
            ExprKind::Index(base, _) => self.program.exprs[base].ty,
            _ => self.program.exprs[value].ty,
        }
    }

    /// Constants are assigned in the first part of a constructor.
    fn may_assign_const(&self) -> bool {
        let Some(member) = self.frame.member else {
            return false;
        };
        match &self.program.members[member].kind {
            MemberKind::Method(m) => m.kind == MethodKind::Constructor,
            _ => false,
        }
    }

    /// `lhss := rhss`; a single call with several results is a call.
    fn assign(
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

    fn is_apply(&self, id: ast::ExprId) -> bool {
        match &self.ast.exprs[id].kind {
            ast::ExprKind::Apply { .. } => true,
            ast::ExprKind::Paren(inner) => {
                let _ = inner;
                false
            }
            _ => false,
        }
    }

    fn assign_call(
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

    fn check_assign(&mut self, want: Ty, value: ExprId, tok: Span, is_return: bool) {
        let found = self.program.exprs[value].ty;
        if !self.infer.assignable(&self.program, want, found) && !self.downcast(want, found) {
            if self.blame_literal(value, want) {
                return;
            }
            let by_method = self.frame.member.is_some_and(|m| {
                matches!(self.program.members[m].kind, MemberKind::Function(_))
            });
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
    fn downcast(&mut self, want: Ty, found: Ty) -> bool {
        let want = self.infer.shallow(&self.program, want);
        let found = self.infer.shallow(&self.program, found);
        self.program.is_reference(want)
            && self.program.is_reference(found)
            && super::infer::reaches(&self.program, want, found, 0)
            && self.infer.assignable(&self.program, found, want)
    }

    /// Types of out-parameters against left-hand sides.
    fn finish_call(&mut self, mut call: MethodCall, lhss: Vec<ExprId>) -> StmtKind {
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
    fn old_reveal(&mut self, id: ast::ExprId) -> Option<StmtKind> {
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
                Some(StmtKind::Reveal(vec![crate::tree::RevealTarget::Member(member)]))
            }
            _ => None,
        }
    }

    fn rhs(&mut self, rhs: &ast::Rhs, want: Ty, tok: Span, is_return: bool) -> Rhs {
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

    fn new_rhs(&mut self, ty: ast::TypeId, span: Span, kind: &NewKind, want: Ty) -> (Rhs, Ty) {
        match kind {
            NewKind::Array(dims, init, display) => {
                self.new_array(ty, span, dims, *init, display.as_deref(), want)
            }
            NewKind::Object => {
                let full = self.resolve_type(ty, Missing::Infer);
                self.new_object(full, None, span)
            }
            NewKind::Call(args, tok) => self.new_call(ty, span, args, *tok),
        }
    }

    fn new_object(&mut self, full: Ty, init: Option<MethodCall>, span: Span) -> (Rhs, Ty) {
        let is_class = match &*self.program.types.kind(full) {
            TyKind::Named {
                decl,
                nullable: false,
                ..
            } => {
                let kind = self.program.decls[*decl].kind.clone();
                let needs = matches!(
                    kind,
                    crate::tree::TypeDeclKind::Class {
                        has_constructor: true
                    }
                );
                if needs && init.is_none() {
                    let text = self.text(self.program.decls[*decl].name);
                    self.error(
                        span,
                        format!("when allocating an object of type '{text}', one of its constructor methods must be called"),
                    );
                }
                matches!(
                    kind,
                    crate::tree::TypeDeclKind::Class { .. } | crate::tree::TypeDeclKind::Iterator(_)
                )
            }
            TyKind::Object { nullable: false }
            | TyKind::Array {
                nullable: false, ..
            }
            | TyKind::Error => true,
            _ => false,
        };
        if !is_class {
            let shown = self.program.show_type(full);
            self.error(
                span,
                format!("new can be applied only to class types (got {shown})"),
            );
        }
        let pre = pre_type(&self.program, full);
        (
            Rhs::NewObject {
                ty: full,
                init,
                span,
            },
            pre,
        )
    }

    /// `new C(…)` or `new C.Init(…)`: the last name of the path may be the constructor's.
    fn new_call(&mut self, ty: ast::TypeId, span: Span, args: &[ast::Arg], tok: Span) -> (Rhs, Ty) {
        let ast::TypeKind::Path(path) = &self.ast.types[ty].kind else {
            let full = self.resolve_type(ty, Missing::Infer);
            return self.new_object(full, None, span);
        };
        let path = path.clone();
        let errors = self.diagnostics.len();
        let full = self.class_of_path(&path, ty);
        let (full, ctor_name) = match full {
            Some(found) => found,
            None => {
                if self.diagnostics.len() == errors {
                    let full = self.resolve_type(ty, Missing::Infer);
                    (full, None)
                } else {
                    (self.program.types.error, None)
                }
            }
        };
        if !self.is_plain_class(full) {
            for arg in args {
                self.expr(arg.value);
            }
            let (_, ty) = self.new_object(full, None, span);
            return (Rhs::Havoc, ty);
        }
        let name = match ctor_name {
            Some(name) => name,
            None => ast::Name {
                sym: self.sym("_ctor"),
                span: tok,
            },
        };
        let found = self.find_type_member(full, name.sym);
        let (member, owner) = match found {
            Some((super::TypeMember::Member(member), owner)) if self.is_method(member) => {
                (member, owner)
            }
            _ => {
                if full != self.program.types.error {
                    let shown = self.show(full);
                    let text = self.text(name.sym);
                    let message = if text == "_ctor" {
                        format!(
                            "when allocating an object of type '{shown}', one of its constructor methods must be called"
                        )
                    } else {
                        format!("member '{text}' does not exist in class '{shown}'")
                    };
                    self.error(name.span, message);
                }
                for arg in args {
                    self.expr(arg.value);
                }
                let error = self.program.types.error;
                return (Rhs::Havoc, error);
            }
        };
        let owner_args = self.program.types.children(owner);
        let call = self.constructor_call(member, owner_args, args, tok);
        self.new_object(full, Some(call), span)
    }

    /// Whether a type is a class by its own name: what `new` wants.
    fn is_plain_class(&self, ty: Ty) -> bool {
        match &*self.program.types.kind(ty) {
            TyKind::Named {
                decl,
                nullable: false,
                ..
            } => matches!(
                self.program.decls[*decl].kind,
                crate::tree::TypeDeclKind::Class { .. } | crate::tree::TypeDeclKind::Iterator(_)
            ),
            TyKind::Error => true,
            _ => false,
        }
    }

    fn constructor_call(
        &mut self,
        member: crate::tree::MemberId,
        owner_args: Vec<Ty>,
        args: &[ast::Arg],
        tok: Span,
    ) -> MethodCall {
        let values = self.method_args(member, &owner_args, args, tok);
        if let Some(current) = self.frame.member {
            self.calls.push((current, member));
        }
        MethodCall {
            method: member,
            receiver: None,
            owner_args,
            type_args: Vec::new(),
            args: values,
            lhss: Vec::new(),
            prefix: None,
            at: None,
            tok,
        }
    }

    /// The class a path names, and the constructor if its last name is one.
    fn class_of_path(
        &mut self,
        path: &[ast::Seg],
        ty: ast::TypeId,
    ) -> Option<(Ty, Option<ast::Name>)> {
        let (last, init) = path.split_last()?;
        if !init.is_empty() {
            let module = self.frame.module?;
            // Does the path without its last name denote a class?
            let mut entity = self.find_in_module(module, init[0].name.sym);
            for seg in &init[1..] {
                if let Some(super::Entity::Module(inner)) = entity {
                    use stet_base::Index;
                    entity = self.modules[inner.index()].own.get(&seg.name.sym).copied();
                }
            }
            let mut nullable = false;
            if entity.is_none()
                && let [seg] = init
                && let Some(base) = self.text(seg.name.sym).strip_suffix('?')
            {
                let base = self.sym(&base.to_owned());
                entity = self.find_in_module(module, base);
                nullable = true;
            }
            if let Some(super::Entity::Type(decl)) = entity {
                let seg = &init[init.len() - 1];
                let want = self.program.decls[decl].params.len();
                let word = self.text(self.program.decls[decl].name);
                let args = self.type_args(
                    seg.args.as_deref(),
                    want,
                    &word,
                    seg.name.span,
                    Missing::Infer,
                );
                let full = self.program.types.intern(TyKind::Named {
                    decl,
                    args,
                    nullable,
                });
                return Some((full, Some(last.name)));
            }
        }
        let full = self.resolve_type(ty, Missing::Infer);
        Some((full, None))
    }

    fn new_array(
        &mut self,
        ty: ast::TypeId,
        span: Span,
        dims: &[ast::ExprId],
        init: Option<ast::ExprId>,
        display: Option<&[ast::ExprId]>,
        want: Ty,
    ) -> (Rhs, Ty) {
        let int = self.program.types.int;
        let inferred = matches!(self.ast.types[ty].kind, ast::TypeKind::Error);
        let elem = if inferred {
            self.fresh()
        } else {
            let elem = self.resolve_type(ty, Missing::Infer);
            self.expand(elem)
        };
        let elem_pre = pre_type(&self.program, elem);
        let _ = want;
        let mut dim_values = Vec::new();
        for &dim in dims {
            let value = self.expr(dim);
            self.expect_int(
                value,
                "new must use an integer-based expression for the array size",
            );
            dim_values.push(value);
        }
        let count = dims.len().max(1);
        if dims.is_empty() {
            let length = display.map_or(0, <[_]>::len);
            let kind = ExprKind::Int(length.into());
            dim_values.push(self.push_expr_at(span, span, kind, int));
        }
        let init = match (init, display) {
            (Some(function), _) => {
                let want = super::infer::arrow(&self.program, vec![int; count], elem_pre);
                let value = self.expr_hint(function, Some(want));
                let found = self.program.exprs[value].ty;
                if !self.infer.assignable(&self.program, want, found) {
                    let message = format!(
                        "array-allocation initialization expression expected to have type '{}' (instead got '{}')",
                        self.show(want),
                        self.show(found)
                    );
                    let tok = self.ast.exprs[function].tok;
                    self.error(tok, message);
                }
                ArrayInit::Function(value)
            }
            (None, Some(items)) => {
                let mut values = Vec::new();
                for &item in items {
                    let value = self.expr_hint(item, Some(elem_pre));
                    let found = self.program.exprs[value].ty;
                    if !self.infer.assignable(&self.program, elem_pre, found) {
                        let message = format!(
                            "initial value must be assignable to array's elements (expected '{}', got '{}')",
                            self.show(elem_pre),
                            self.show(found)
                        );
                        let tok = self.ast.exprs[item].tok;
                        self.error(tok, message);
                    }
                    values.push(value);
                }
                ArrayInit::Display(values)
            }
            (None, None) => ArrayInit::None,
        };
        let full = self.program.types.intern(TyKind::Array {
            dims: count as u32,
            elem,
            nullable: false,
        });
        let pre = pre_type(&self.program, full);
        let rhs = Rhs::NewArray {
            ty: full,
            elem,
            dims: dim_values,
            init,
            span,
        };
        (rhs, pre)
    }

    /// `lhss :- e, …`: unfolded as the language defines it.
    fn or_fail(
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
        let mut rhss = vec![value.clone()];
        rhss.extend(rest.iter().cloned());
        let Some((kind, known)) = self.fail_value(id, temp_lhs, lhss, count, &rhss, tok) else {
            return StmtKind::Error;
        };
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

    /// The first part of `:-`: evaluates the right-hand side; the type of the value is known afterwards.
    fn fail_value(
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
            if count != expected && !(count == 0 && expected == 1 && outs.is_none()) && !(count == 0 && outs == Some(1)) {
                let message = if outs.is_some() {
                    format!("wrong number of method result arguments (got {count}, expected {expected}) for a rhs type ({shown}) {with} member Extract")
                } else if extract {
                    format!("number of lhs ({count}) must match number of rhs (1) for a rhs type ({shown}) with member Extract")
                } else {
                    format!("number of lhs ({count}) must be one less than number of rhs (1) for a rhs type ({shown}) without member Extract")
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
    fn fail_type(&mut self, ty: Ty, tok: Span) -> Option<Ty> {
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

    fn out_count(&self, call: &MethodCall) -> usize {
        match &self.program.members[call.method].kind {
            MemberKind::Method(m) => m.outs.len(),
            _ => 0,
        }
    }

    fn first_out(&self, call: &MethodCall) -> Ty {
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

    fn has_member(&mut self, ty: Ty, name: &str) -> bool {
        let name = self.sym(name);
        self.find_type_member(ty, name).is_some()
    }

    fn failure_stmt(
        &mut self,
        id: ast::StmtId,
        temp: VarId,
        failed: ExprId,
        keyword: Option<ast::FailKeyword>,
        tok: Span,
        with_value: bool,
    ) -> StmtId {
        let bool_ = self.program.types.bool_;
        let not_failed = |r: &mut Self| {
            let kind = ExprKind::Unary(crate::tree::UnaryOp::Not, failed);
            r.push_expr_at(tok, tok, kind, bool_)
        };
        let kind = match keyword {
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
                let propagate = self.failure_member(tok, receiver, "PropagateFailure", with_value);
                let mut body = Vec::new();
                match self.frame.outs.first().copied() {
                    Some(out) => {
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
        self.push_stmt(id, kind)
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
