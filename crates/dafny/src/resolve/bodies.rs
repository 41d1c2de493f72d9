//! Specifications and bodies, one declaration at a time.

use super::Resolver;
use super::infer::pre_type;
use crate::ast;
use crate::tree::{
    DeclId, ExprId, MemberId, MemberKind, StmtId, Ty, TypeDeclKind, VarId, VarKind, Witness,
};

/// Where the arenas stood when a declaration began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    pub(crate) exprs: usize,
    pub(crate) stmts: usize,
    pub(crate) vars: usize,
}

impl Resolver<'_> {
    pub(crate) fn begin(&mut self) -> Begin {
        self.infer.clear();
        self.delayed.clear();
        Begin {
            exprs: self.program.exprs.len(),
            stmts: self.program.stmts.len(),
            vars: self.program.vars.len(),
        }
    }

    /// Settles types and writes them back into everything made since `begin`.
    pub(crate) fn end(&mut self, begin: Begin) {
        self.infer.solve_defaults(&self.program);
        self.settle_delayed();
        self.infer.solve_defaults(&self.program);
        if self.zonk(begin) {
            self.retype(begin);
        }
    }

    pub(crate) fn resolve_bodies(&mut self) {
        let members = self.sound_members();
        for decl in self.sound_decls() {
            self.type_body(decl);
            self.iterator_measure(decl);
        }
        // Constants first: functions may need their types.
        for &member in &members {
            if matches!(self.program.members[member].kind, MemberKind::Const { .. }) {
                self.const_body(member);
            }
        }
        for member in members {
            self.member_body(member);
        }
        self.report_undetermined();
    }

    fn type_body(&mut self, decl: DeclId) {
        let Some(syntax) = self.type_syntax.get(&decl).cloned() else {
            return;
        };
        self.enter_decl(decl);
        self.frame.is_static = true;
        let begin = self.begin();
        let attributes = self.attributes(&syntax.attrs);
        self.program.decls[decl].attributes = attributes;
        match &syntax.kind {
            ast::TypeDeclKind::Newtype(c) | ast::TypeDeclKind::Subset(c) => {
                self.constraint(decl, c)
            }
            ast::TypeDeclKind::Datatype { ctors, .. } => self.ctor_defaults(decl, ctors),
            _ => {}
        }
        self.end(begin);
    }

    fn ctor_defaults(&mut self, decl: DeclId, ctors: &[ast::Ctor]) {
        for ctor in self.program.ctors_of(decl).to_vec() {
            let name = self.program.ctors[ctor].name;
            let Some(syntax) = ctors.iter().find(|c| c.name.sym == name) else {
                continue;
            };
            let formals = self.program.ctors[ctor].formals.clone();
            let mark = self.scope.mark();
            self.declare_formals(&formals);
            self.formal_defaults(&formals, &syntax.formals);
            self.scope.reset(mark);
            let attributes = self.attributes(&syntax.attrs);
            self.program.ctors[ctor].attributes = attributes;
        }
    }

    fn constraint(&mut self, decl: DeclId, syntax: &ast::Constrained) {
        let base = match &self.program.decls[decl].kind {
            TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) => c.base,
            _ => return,
        };
        let inferred = syntax.base.is_none() && syntax.var.is_some();
        let mark = self.scope.mark();
        let mut var = None;
        let mut constraint = None;
        if let Some((name, ty)) = syntax.var {
            let var_ty = match ty {
                Some(_) => self.expand(base),
                None => self.fresh(),
            };
            let id = self.new_var(name.sym, name.span, VarKind::Bound, var_ty, false);
            self.scope.declare(name.sym, id);
            var = Some(id);
            if let Some(expr) = syntax.constraint {
                let what = if matches!(self.program.decls[decl].kind, TypeDeclKind::Newtype(_)) {
                    "newtype constraint must be of type bool"
                } else {
                    "subset-type constraint must be of type bool"
                };
                constraint = Some(self.bool_expr(expr, what));
            }
        }
        self.scope.reset(mark);
        let base = if inferred {
            let id = var.map(|v| self.program.vars[v].ty).unwrap_or(base);
            let ty = self.infer.force_default(&self.program, id);
            let ty = self.infer.deep(&self.program, ty);
            self.determined_base(decl, syntax, ty)
        } else {
            base
        };
        let witness_ty = pre_type(&self.program, base);
        let witness = self.witness(&syntax.witness, witness_ty);
        if let TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) =
            &mut self.program.decls[decl].kind
        {
            c.base = base;
            c.var = var;
            c.constraint = constraint;
            c.witness = witness;
        }
    }

    /// The inferred base type; an error if nothing says what it is.
    fn determined_base(&mut self, decl: DeclId, syntax: &ast::Constrained, ty: Ty) -> Ty {
        let unknown = matches!(&*self.program.types.kind(ty), crate::tree::TyKind::Infer(_));
        let Some((name, _)) = syntax.var.filter(|_| unknown) else {
            return ty;
        };
        let what = self.decl_kind_word(decl);
        let own = self.text(self.program.decls[decl].name);
        let var = self.text(name.sym);
        self.error(self.program.decls[decl].span, format!("base type of {what} '{own}' is not fully determined; add an explicit type for bound variable '{var}'"));
        let error = self.program.types.error;
        self.infer.unify(&self.program, ty, error);
        error
    }

    fn witness(&mut self, syntax: &ast::Witness, ty: Ty) -> Witness {
        let value = |r: &mut Self, expr: ast::ExprId| {
            let value = r.expr_hint(expr, Some(ty));
            let found = r.program.exprs[value].ty;
            if !r.fits(ty, value) {
                let message = format!(
                    "witness expression must have type '{}' (got '{}')",
                    r.show(ty),
                    r.show(found)
                );
                let tok = r.ast.exprs[expr].tok;
                r.error(tok, message);
            }
            value
        };
        match syntax {
            ast::Witness::None => Witness::Default,
            ast::Witness::Star => Witness::Unknown,
            ast::Witness::Compiled(expr) => Witness::Compiled(value(self, *expr)),
            ast::Witness::Ghost(expr) => Witness::Ghost(value(self, *expr)),
        }
    }

    /// The type of a constant that does not give one, when it is needed before its turn.
    pub(crate) fn resolve_const_first(&mut self, member: MemberId) {
        match self.const_state.get(&member) {
            Some(false) => {}
            _ => return,
        }
        self.const_state.insert(member, true);
        let saved_frame = std::mem::take(&mut self.frame);
        let saved_scope = std::mem::take(&mut self.scope);
        let saved_infer = std::mem::take(&mut self.infer);
        let saved_delayed = std::mem::take(&mut self.delayed);
        self.const_value(member);
        self.frame = saved_frame;
        self.scope = saved_scope;
        self.infer = saved_infer;
        self.delayed = saved_delayed;
    }

    fn const_body(&mut self, member: MemberId) {
        if self.const_state.get(&member) == Some(&false) {
            self.const_state.insert(member, true);
        } else if self.const_done(member) {
            return;
        }
        self.const_value(member);
    }

    fn const_done(&self, member: MemberId) -> bool {
        matches!(
            &self.program.members[member].kind,
            MemberKind::Const { value: Some(_), .. }
        )
    }

    fn const_value(&mut self, member: MemberId) {
        let Some(syntax) = self.member_syntax.get(&member).cloned() else {
            return;
        };
        let ast::MemberKind::Const(ty, value, _) = &syntax.kind else {
            return;
        };
        self.enter_member(member);
        let begin = self.begin();
        let attributes = self.attributes(&syntax.attrs);
        self.program.members[member].attributes = attributes;
        let mut resolved = None;
        if let Some(value) = value {
            let declared = match (&self.program.members[member].kind, ty) {
                (MemberKind::Const { ty, .. }, Some(_)) => Some(*ty),
                _ => None,
            };
            let want = declared.map(|ty| pre_type(&self.program, ty));
            let expr = self.expr_hint(*value, want);
            let found = self.program.exprs[expr].ty;
            if let Some(want) = want
                && !self.fits(want, expr)
            {
                let message = format!(
                    "type for constant '{}' is '{}', but its initialization value type is '{}'",
                    self.text(syntax.name.sym),
                    self.show(want),
                    self.show(found)
                );
                self.error(syntax.name.span, message);
            }
            resolved = Some(expr);
        }
        self.end(begin);
        let final_ty = match (ty, resolved) {
            (None, Some(expr)) => Some(self.program.exprs[expr].ty),
            _ => None,
        };
        if let MemberKind::Const { ty, value } = &mut self.program.members[member].kind {
            *value = resolved;
            if let Some(final_ty) = final_ty {
                *ty = final_ty;
            }
        }
    }

    pub(crate) fn declare_formals(&mut self, formals: &[VarId]) {
        for &formal in formals {
            let name = self.program.vars[formal].name;
            self.scope.declare(name, formal);
        }
    }

    pub(crate) fn formal_defaults(&mut self, formals: &[VarId], syntax: &[ast::Formal]) {
        for (&formal, syntax) in formals.iter().zip(syntax) {
            let Some(default) = syntax.default else {
                continue;
            };
            let want = self.var_pre_type(formal);
            let value = self.expr_hint(default, Some(want));
            let found = self.program.exprs[value].ty;
            if !self.fits(want, value) {
                let message = format!(
                    "default-value expression (of type '{}') is not assignable to formal (of type '{}')",
                    self.show(found),
                    self.show(want)
                );
                let tok = self.ast.exprs[default].tok;
                self.error(tok, message);
            }
            self.program.vars[formal].default = Some(value);
        }
    }

    fn member_body(&mut self, member: MemberId) {
        let Some(syntax) = self.member_syntax.get(&member).cloned() else {
            return;
        };
        match &syntax.kind {
            ast::MemberKind::Function(f) => {
                self.enter_member(member);
                let begin = self.begin();
                let attributes = self.attributes(&syntax.attrs);
                self.program.members[member].attributes = attributes;
                self.function_body(member, f);
                self.end(begin);
                self.narrow_body(member);
            }
            ast::MemberKind::Method(m) => {
                self.enter_member(member);
                let begin = self.begin();
                self.method_body(member, m, &syntax);
                self.end(begin);
            }
            _ => {}
        }
    }

    /// Lets the body of a function take the type of its result.
    fn narrow_body(&mut self, member: MemberId) {
        if let MemberKind::Function(f) = &self.program.members[member].kind
            && let (Some(body), result, false) = (f.body, f.result, self.failed())
        {
            self.push_down(body, result, 0);
        }
    }

    fn function_body(&mut self, member: MemberId, f: &ast::Function) {
        let MemberKind::Function(function) = &self.program.members[member].kind else {
            return;
        };
        let (ins, result, result_var, extreme) = (
            function.ins.clone(),
            function.result,
            function.result_var,
            function.extreme,
        );
        self.declare_formals(&ins);
        self.frame.two_state = f.twostate;
        self.formal_defaults(&ins, &f.ins);
        let requires = self.clauses(&f.spec.requires, "Precondition must be a boolean");
        let reads = self.frame_of(&f.spec.reads, true);
        let mark = self.scope.mark();
        if let Some(var) = result_var {
            let name = self.program.vars[var].name;
            self.scope.declare(name, var);
        }
        let ensures = self.clauses(&f.spec.ensures, "Postcondition must be a boolean");
        let decreases = self.decreases_of(&f.spec.decreases);
        self.scope.reset(mark);
        let want = pre_type(&self.program, result);
        let body = f
            .body
            .map(|body| self.checked_body(member, body, want, result));
        let _ = extreme;
        let by_method = f
            .by_method
            .map(|block| self.by_method(block, result_var, result, f));
        if let MemberKind::Function(function) = &mut self.program.members[member].kind {
            function.requires = requires;
            function.ensures = ensures;
            function.reads = reads;
            function.decreases = decreases;
            function.body = body;
            function.by_method = by_method;
        }
    }

    fn checked_body(
        &mut self,
        member: MemberId,
        body: ast::ExprId,
        want: Ty,
        result: Ty,
    ) -> ExprId {
        let value = self.expr_hint(body, Some(want));
        let found = self.program.exprs[value].ty;
        if !self.fits(want, value) {
            let message = format!(
                "Function body type mismatch (expected {}, got {})",
                self.program.show_type(result),
                self.show(found)
            );
            let span = self.program.members[member].span;
            if !self.blame_literal(value, want) {
                self.error(span, message);
            }
        }
        value
    }

    fn by_method(
        &mut self,
        block: ast::StmtId,
        result_var: Option<VarId>,
        result: Ty,
        _f: &ast::Function,
    ) -> StmtId {
        let mark = self.scope.mark();
        let out = match result_var {
            Some(var) => var,
            None => {
                let name = self.sym("_result");
                let span = self.ast.stmts[block].span;
                self.new_var(name, span, VarKind::Out, result, false)
            }
        };
        let name = self.program.vars[out].name;
        self.scope.declare(name, out);
        self.frame.outs = vec![out];
        self.frame.in_method = true;
        let body = self.stmt(block);
        self.frame.in_method = false;
        self.frame.outs.clear();
        self.scope.reset(mark);
        body
    }

    fn method_body(&mut self, member: MemberId, m: &ast::Method, syntax: &ast::Member) {
        let MemberKind::Method(method) = &self.program.members[member].kind else {
            return;
        };
        let (ins, outs, extreme) = (method.ins.clone(), method.outs.clone(), method.extreme);
        if let Some(extreme) = extreme {
            let name = self.program.vars[extreme.k_var].name;
            self.scope.declare(name, extreme.k_var);
        }
        self.declare_formals(&ins);
        let attributes = self.attributes(&syntax.attrs);
        self.program.members[member].attributes = attributes;
        let twostate = m.kind == ast::MethodKind::TwostateLemma;
        self.frame.two_state = twostate;
        self.formal_defaults(&ins, &m.ins);
        let constructor = m.kind == ast::MethodKind::Constructor;
        if constructor {
            self.frame.is_static = true;
            if let Some(decl) = self.frame.decl
                && matches!(self.program.decls[decl].kind, TypeDeclKind::Trait { .. })
            {
                self.error(
                    syntax.name.span,
                    "a trait is not allowed to declare a constructor",
                );
            }
        }
        let requires = self.clauses(&m.spec.requires, "Precondition must be a boolean");
        self.frame.is_static = self.program.members[member].is_static;
        self.check_method_reads(member, m);
        let reads = self.frame_of(&m.spec.reads, true);
        let modifies = self.frame_of(&m.spec.modifies, false);
        let decreases = self.decreases_of(&m.spec.decreases);
        self.iterator_clauses(member);
        self.declare_formals(&outs);
        self.frame.two_state = true;
        let ensures = self.clauses(&m.spec.ensures, "Postcondition must be a boolean");
        self.frame.outs = outs;
        self.frame.in_method = true;
        self.frame.ghost_context = self.program.members[member].ghost;
        self.frame.before_new = constructor && m.after_new.is_some();
        self.iterator_yields(member);
        let (body, after) = self.method_blocks(m);
        if let MemberKind::Method(method) = &mut self.program.members[member].kind {
            method.requires = requires;
            method.ensures = ensures;
            method.reads = reads;
            method.modifies = modifies;
            method.decreases = decreases;
            method.body = body;
            method.body_after_new = after;
        }
    }

    /// Lemmas read everything; methods have `reads` clauses only if an option allows them.
    fn check_method_reads(&mut self, member: MemberId, m: &ast::Method) {
        let Some(first) = m.spec.reads.items.first() else {
            return;
        };
        let span = self.ast.exprs[first.expr].tok;
        let word = self.member_word(member);
        if word.ends_with("lemma") {
            self.error(span, format!("{word}s are not allowed to have reads clauses (they are allowed to read all memory locations)"));
        } else if !self.options.reads_clauses_on_methods {
            self.error(span, "reads clauses on methods are forbidden without the command-line flag `--reads-clauses-on-methods`");
        }
    }

    /// The body; with `new;` two blocks, of which the second sees the variables of the first.
    fn method_blocks(&mut self, m: &ast::Method) -> (Option<StmtId>, Option<StmtId>) {
        let Some(body) = m.body else {
            return (None, None);
        };
        let Some(after) = m.after_new else {
            return (Some(self.stmt(body)), None);
        };
        let first = self.open_block(body);
        self.frame.before_new = false;
        let second = self.open_block(after);
        (Some(first), Some(second))
    }

    pub(super) fn open_block(&mut self, block: ast::StmtId) -> StmtId {
        let ast::StmtKind::Block(stmts) = &self.ast.stmts[block].kind else {
            return self.stmt(block);
        };
        let stmts = stmts.iter().map(|&s| self.stmt(s)).collect();
        self.push_stmt(block, crate::tree::StmtKind::Block(stmts))
    }
}
