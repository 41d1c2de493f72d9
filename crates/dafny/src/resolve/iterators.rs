//! Iterators: the fields of their classes, the clauses that belong to no callable, and `yield`.
//!
//! The callables are syntax, see `rewrite/iterators.rs`. `_reads`, `_modifies`, the parameters and the parts of the measure are
//! constants of the object; the histories change by `yield` only, and `_new` in the body only, so that what the
//! translator knows of them cannot be undone elsewhere.

use super::types::Missing;
use super::{Resolver, TypeMember};
use crate::ast;
use crate::rewrite::iterators::BODY;
use crate::tree::{
    DeclId, ExprId, ExprKind, Frame, IteratorDecl, IteratorFrames, Member, MemberId, MemberKind,
    Owner, StmtKind, Ty, TyKind, TypeDeclKind, Var, VarKind, Visibility,
};
use std::rc::Rc;
use stet_base::{Span, Symbol};

impl Resolver<'_> {
    fn iterator_of(&self, member: MemberId) -> Option<(DeclId, &IteratorDecl)> {
        let decl = self.owner_decl(member)?;
        match &self.program.decls[decl].kind {
            TypeDeclKind::Iterator(iterator) => Some((decl, iterator)),
            _ => None,
        }
    }

    fn iterator_syntax(&self, decl: DeclId) -> Option<Rc<ast::TypeDecl>> {
        let syntax = self.type_syntax.get(&decl)?;
        matches!(syntax.kind, ast::TypeDeclKind::Iterator(_)).then(|| syntax.clone())
    }

    /// The fields of an iterator's class.
    pub(crate) fn iterator_signature(&mut self, decl: DeclId, iterator: &ast::Iterator) {
        let ins = self.resolve_formals(&iterator.ins, VarKind::In, Missing::Error, false);
        let outs = self.resolve_formals(&iterator.outs, VarKind::Out, Missing::Error, false);
        let vars = |r: &Self, list: &[crate::tree::VarId]| -> Vec<Var> {
            list.iter().map(|&v| r.program.vars[v].clone()).collect()
        };
        let (ins, outs) = (vars(self, &ins), vars(self, &outs));
        let mut it = IteratorDecl::default();
        for v in &ins {
            let kind = MemberKind::Const {
                ty: v.ty,
                value: None,
            };
            let what = "in-parameter is used by another member of the iterator: ";
            it.in_fields
                .push(self.iterator_field(decl, v.name, v.span, v.ghost, kind, what));
        }
        for v in &outs {
            let kind = MemberKind::Field { ty: v.ty };
            let what = "yield-parameter is used by another member of the iterator: ";
            it.out_fields
                .push(self.iterator_field(decl, v.name, v.span, v.ghost, kind, what));
        }
        for v in &outs {
            let name = format!("{}s", self.program.text(v.name));
            let name = self.sym(&name);
            let ty = self.program.types.intern(TyKind::Seq(v.ty));
            let kind = MemberKind::Field { ty };
            it.history_fields
                .push(self.iterator_field(decl, name, v.span, true, kind, ""));
        }
        self.hidden_fields(decl, iterator, &mut it);
        self.link_callables(decl, &mut it);
        self.program.decls[decl].kind = TypeDeclKind::Iterator(Box::new(it));
    }

    /// `_reads`, `_modifies`, `_new` and the parts of the measure, whose types are found with the bodies.
    fn hidden_fields(&mut self, decl: DeclId, iterator: &ast::Iterator, it: &mut IteratorDecl) {
        let span = self.program.decls[decl].span;
        let ty = self.program.types.intern(TyKind::Set {
            finite: true,
            elem: self.program.types.object,
        });
        let constant = |ty| MemberKind::Const { ty, value: None };
        let add = |r: &mut Self, name: &str, kind| {
            let name = r.sym(name);
            r.iterator_field(decl, name, span, true, kind, "")
        };
        it.frame_fields = Some(IteratorFrames {
            reads: add(self, "_reads", constant(ty)),
            modifies: add(self, "_modifies", constant(ty)),
            new: add(self, "_new", MemberKind::Field { ty }),
        });
        let error = self.program.types.error;
        for (i, &expr) in iterator.spec.decreases.exprs.iter().enumerate() {
            if !matches!(self.ast.exprs[expr].kind, ast::ExprKind::Wild) {
                let field = add(self, &format!("_decreases{i}"), constant(error));
                it.measure_fields.push(field);
            }
        }
    }

    fn link_callables(&mut self, decl: DeclId, it: &mut IteratorDecl) {
        for &member in &self.program.decls[decl].members {
            match self.program.text(self.program.members[member].name) {
                "_ctor" => it.constructor = Some(member),
                "MoveNext" => it.move_next = Some(member),
                BODY => it.body = Some(member),
                _ => {}
            }
        }
        if let (Some(caller), Some(callee)) = (it.move_next, it.body) {
            self.calls.push((caller, callee));
        }
    }

    fn iterator_field(
        &mut self,
        decl: DeclId,
        name: Symbol,
        span: Span,
        ghost: bool,
        kind: MemberKind,
        what: &str,
    ) -> MemberId {
        if self.type_members.contains_key(&(decl, name)) {
            let text = self.text(name);
            let message = if what.is_empty() {
                format!(
                    "Name of implicit yield-history variable '{text}' is already used by another member of the iterator"
                )
            } else {
                format!("Name of {what}{text}")
            };
            self.error(span, message);
        }
        let id = self.program.members.push(Member {
            name,
            span,
            owner: Owner::Type(decl),
            module: self.program.decls[decl].module,
            is_static: false,
            ghost,
            opaque: false,
            overrides: Vec::new(),
            refines: None,
            visibility: Visibility::Revealed,
            kind,
            attributes: Vec::new(),
            verify: true,
        });
        self.type_members
            .insert((decl, name), TypeMember::Member(id));
        self.program.decls[decl].members.push(id);
        id
    }

    /// The types of the parts of the measure, before any body mentions them.
    pub(crate) fn iterator_measure(&mut self, decl: DeclId) {
        let TypeDeclKind::Iterator(it) = &self.program.decls[decl].kind else {
            return;
        };
        let (fields, constructor) = (it.measure_fields.clone(), it.constructor);
        let (Some(syntax), Some(constructor)) = (self.iterator_syntax(decl), constructor) else {
            return;
        };
        let ast::TypeDeclKind::Iterator(iterator) = &syntax.kind else {
            return;
        };
        if fields.is_empty() {
            return;
        }
        self.enter_member(constructor);
        self.frame.is_static = true;
        let begin = self.begin();
        if let MemberKind::Method(m) = &self.program.members[constructor].kind {
            let ins = m.ins.clone();
            self.declare_formals(&ins);
        }
        let measure = self.decreases_of(&iterator.spec.decreases);
        self.end(begin);
        for (&field, &part) in fields.iter().zip(&measure.exprs) {
            let ty = self.program.exprs[part].ty;
            self.program.members[field].kind = MemberKind::Const { ty, value: None };
        }
    }

    /// The frames and the measure of an iterator, over the parameters of its constructor.
    pub(crate) fn iterator_clauses(&mut self, member: MemberId) {
        let Some((decl, it)) = self.iterator_of(member) else {
            return;
        };
        if it.constructor != Some(member) {
            return;
        }
        let Some(syntax) = self.iterator_syntax(decl) else {
            return;
        };
        let ast::TypeDeclKind::Iterator(iterator) = &syntax.kind else {
            return;
        };
        let is_static = std::mem::replace(&mut self.frame.is_static, true);
        let reads = self.frame_of(&iterator.spec.reads, true);
        self.check_iterator_frame(&reads, "reads");
        let modifies = self.frame_of(&iterator.spec.modifies, false);
        self.check_iterator_frame(&modifies, "modifies");
        let decreases = self.decreases_of(&iterator.spec.decreases);
        self.frame.is_static = is_static;
        if let TypeDeclKind::Iterator(it) = &mut self.program.decls[decl].kind {
            it.reads = reads;
            it.modifies = modifies;
            it.decreases = decreases;
        }
    }

    /// The objects of these frames are kept as finite sets.
    fn check_iterator_frame(&mut self, frame: &Frame, word: &str) {
        for item in &frame.items {
            if item.field.is_some() {
                self.error(
                    item.span,
                    format!("sorry, a {word} clause for an iterator is not allowed to designate specific fields"),
                );
            }
        }
        if frame.star {
            let span = self.frame.member.map(|m| self.program.members[m].span);
            if let Some(span) = span {
                self.error(span, format!("not supported: `{word} *` of an iterator"));
            }
        }
    }

    /// `yield requires` and `yield ensures`, over the fields; from here on `yield` may be used.
    pub(crate) fn iterator_yields(&mut self, member: MemberId) {
        let Some((decl, it)) = self.iterator_of(member) else {
            return;
        };
        if it.body != Some(member) {
            return;
        }
        let Some(syntax) = self.iterator_syntax(decl) else {
            return;
        };
        let ast::TypeDeclKind::Iterator(iterator) = &syntax.kind else {
            return;
        };
        let what = "Yield precondition must be a boolean";
        let requires = self.clauses(&iterator.spec.yield_requires, what);
        let what = "Yield postcondition must be a boolean";
        let ensures = self.clauses(&iterator.spec.yield_ensures, what);
        if let TypeDeclKind::Iterator(it) = &mut self.program.decls[decl].kind {
            it.yield_requires = requires;
            it.yield_ensures = ensures;
        }
        self.frame.iterator = Some(decl);
    }

    /// The parameters that measure an iterator's callables when the program gives no measure.
    pub(crate) fn iterator_parameters(&self, member: MemberId) -> Option<Vec<MemberId>> {
        let (_, it) = self.iterator_of(member)?;
        let is_measured = it.body == Some(member) || it.move_next == Some(member);
        is_measured.then(|| it.in_fields.clone())
    }

    /// Whether a field is one that an iterator keeps: histories, and `_new` outside the body.
    pub(crate) fn is_kept_by_iterator(&self, target: ExprId, field: MemberId) -> bool {
        let Some((decl, it)) = self.iterator_of(field) else {
            return false;
        };
        if it.history_fields.contains(&field) {
            return true;
        }
        let is_own = match &self.program.exprs[target].kind {
            ExprKind::Field { object, .. } => {
                matches!(self.program.exprs[*object].kind, ExprKind::This)
            }
            _ => false,
        };
        let is_new = it.frame_fields.is_some_and(|f| f.new == field);
        is_new && !(is_own && self.frame.iterator == Some(decl))
    }

    /// Remembers that `_new` is assigned.
    pub(crate) fn note_given_away(&mut self, field: MemberId) {
        let Some(decl) = self.frame.iterator else {
            return;
        };
        if let TypeDeclKind::Iterator(it) = &mut self.program.decls[decl].kind
            && it.frame_fields.is_some_and(|f| f.new == field)
        {
            it.gives_away = true;
        }
    }

    pub(crate) fn yield_stmt(&mut self, id: ast::StmtId, rhss: Option<&[ast::Rhs]>) -> StmtKind {
        let tok = self.ast.stmts[id].tok;
        let Some(decl) = self.frame.iterator else {
            self.error(tok, "yield statement is allowed only in iterators");
            return StmtKind::Error;
        };
        let init = rhss.and_then(|rhss| {
            let fields = match &self.program.decls[decl].kind {
                TypeDeclKind::Iterator(it) => it.out_fields.clone(),
                _ => Vec::new(),
            };
            if rhss.len() != fields.len() {
                let is_call = matches!(rhss, [ast::Rhs::Expr(e, _)] if self.is_apply(*e));
                if !is_call {
                    let message = format!(
                        "number of yield parameters does not match declaration (found {}, expected {})",
                        rhss.len(),
                        fields.len()
                    );
                    self.error(tok, message);
                    return None;
                }
            }
            let lhss = fields.iter().map(|&f| self.own_field(decl, f, tok)).collect();
            let kind = self.assign(id, lhss, rhss, tok, true);
            Some(self.push_stmt(id, kind))
        });
        StmtKind::Yield { init }
    }

    /// `this.f`
    fn own_field(&mut self, decl: DeclId, field: MemberId, tok: Span) -> ExprId {
        let this_type = self.this_type(decl);
        let object = self.push_expr_at(tok, tok, ExprKind::This, this_type);
        let owner_args: Vec<Ty> = self.own_args(&self.program.decls[decl].params);
        let ty = match self.program.members[field].kind {
            MemberKind::Field { ty } => super::infer::pre_type(&self.program, ty),
            _ => self.program.types.error,
        };
        let kind = ExprKind::Field {
            object,
            field,
            owner_args,
        };
        self.push_expr_at(tok, tok, kind, ty)
    }
}
