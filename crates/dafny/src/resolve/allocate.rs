//! `new`: objects and arrays.

use super::Resolver;
use super::infer::pre_type;
use super::types::Missing;
use crate::ast::{self, NewKind};
use crate::tree::{ArrayInit, ExprKind, MethodCall, Rhs, Ty, TyKind};
use stet_base::Span;

impl Resolver<'_> {
    pub(crate) fn new_rhs(
        &mut self,
        ty: ast::TypeId,
        span: Span,
        kind: &NewKind,
        want: Ty,
    ) -> (Rhs, Ty) {
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

    pub(crate) fn new_object(
        &mut self,
        full: Ty,
        init: Option<MethodCall>,
        span: Span,
    ) -> (Rhs, Ty) {
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
                    } | crate::tree::TypeDeclKind::Iterator(_)
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
                    crate::tree::TypeDeclKind::Class { .. }
                        | crate::tree::TypeDeclKind::Iterator(_)
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
    pub(crate) fn new_call(
        &mut self,
        ty: ast::TypeId,
        span: Span,
        args: &[ast::Arg],
        tok: Span,
    ) -> (Rhs, Ty) {
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
        if let ([seg], Some(module)) = (&path[..], self.frame.module)
            && full == self.program.types.error
            && self.is_ambiguous(module, seg.name.sym)
        {
            let text = self.text(seg.name.sym);
            self.error(
                span,
                format!("new can be applied only to class types (got {text})"),
            );
        }
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
                if ctor_name.is_some() {
                    self.link_member(name, member);
                }
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
        if self.is_partly_new(full) {
            self.partly_new.insert(span);
        }
        let owner_args = self.program.types.children(owner);
        let call = self.constructor_call(member, owner_args, args, tok);
        self.new_object(full, Some(call), span)
    }

    /// Whether a type is a class by its own name: what `new` wants.
    pub(crate) fn is_plain_class(&self, ty: Ty) -> bool {
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

    pub(crate) fn constructor_call(
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
            aside: None,
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
    pub(crate) fn class_of_path(
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
                let base = self.sym(base);
                entity = self.find_in_module(module, base);
                nullable = true;
            }
            if let Some(found @ super::Entity::Type(decl)) = entity {
                let seg = &init[init.len() - 1];
                self.link_entity(seg.name, found);
                let names: Vec<ast::Name> = init.iter().map(|seg| seg.name).collect();
                self.link_modules(module, &names[..names.len() - 1]);
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

    pub(crate) fn new_array(
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
        if self.is_partly_new(elem) {
            self.partly_new.insert(span);
        }
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
}
