//! Patterns, and the exhaustiveness of `match`.

use super::Resolver;
use super::infer::pre_type;
use super::types::Missing;
use crate::ast::{self, PatKind};
use crate::tree::{CtorId, Pattern, PatternKind, Ty, TyKind, VarKind};

impl Resolver<'_> {
    /// Whether the pattern is a plain variable, whatever the type.
    pub(crate) fn is_simple_pattern(&self, id: ast::PatId) -> bool {
        match &self.ast.pats[id].kind {
            PatKind::Wild => true,
            PatKind::Id {
                path, args: None, ..
            } => path.len() == 1 && self.find_ctors(path[0].sym).is_empty(),
            _ => false,
        }
    }

    /// The type a pattern declares, if it is a variable with a type.
    pub(crate) fn pattern_type_hint(&mut self, id: ast::PatId) -> Option<Ty> {
        let ty = match &self.ast.pats[id].kind {
            PatKind::Id { ty, .. } => (*ty)?,
            _ => return None,
        };
        let ty = self.resolve_type(ty, Missing::Infer);
        Some(pre_type(&self.program, ty))
    }

    /// A pattern against values of pre-type `ty`; its variables come into scope.
    pub(crate) fn pattern(
        &mut self,
        id: ast::PatId,
        ty: Ty,
        in_match: bool,
        ghost: bool,
    ) -> Pattern {
        let span = self.ast.pats[id].span;
        let kind = match &self.ast.pats[id].kind {
            PatKind::Wild => PatternKind::Wild,
            PatKind::Tuple(items) => match &items[..] {
                [only] if !self.is_single(ty) => return self.pattern(*only, ty, in_match, ghost),
                _ => self.tuple_pattern(items, ty, span, in_match, ghost),
            },
            PatKind::Lit(literal) => {
                let value = self.expr(*literal);
                let found = self.program.exprs[value].ty;
                if !self.infer.unify(&self.program, ty, found) {
                    let message = format!(
                        "pattern doesn't correspond to the type of the match expression ({})",
                        self.show(ty)
                    );
                    self.error(span, message);
                }
                PatternKind::Value(value)
            }
            PatKind::Or(alternatives) => {
                if self.pattern_depth > 0 {
                    self.error(
                        span,
                        "Disjunctive patterns are not allowed inside other patterns",
                    );
                }
                let saved = std::mem::replace(&mut self.in_or_pattern, true);
                let alternatives = alternatives
                    .iter()
                    .map(|&p| self.pattern(p, ty, in_match, ghost))
                    .collect();
                self.in_or_pattern = saved;
                PatternKind::Or(alternatives)
            }
            PatKind::Id {
                path,
                args,
                ty: declared,
                ghost: own_ghost,
            } => self.id_pattern(
                path,
                args.as_deref(),
                *declared,
                ty,
                ghost || *own_ghost,
                in_match,
                span,
            ),
            PatKind::Error => PatternKind::Wild,
        };
        Pattern { kind, ty, span }
    }

    /// Whether values of a type are tuples of one part.
    fn is_single(&mut self, ty: Ty) -> bool {
        let head = self.infer.force(&self.program, ty);
        matches!(&*self.program.types.kind(head), TyKind::Tuple(parts, _) if parts.len() == 1)
    }

    fn tuple_pattern(
        &mut self,
        items: &[ast::PatId],
        ty: Ty,
        span: stet_base::Span,
        in_match: bool,
        ghost: bool,
    ) -> PatternKind {
        let head = self.infer.force_default(&self.program, ty);
        let parts: Vec<Ty> = match &*self.program.types.kind(head) {
            TyKind::Tuple(parts, _) if parts.len() == items.len() => parts.clone(),
            TyKind::Infer(_) => {
                let parts: Vec<Ty> = items.iter().map(|_| self.fresh()).collect();
                let made = TyKind::Tuple(parts.clone(), vec![false; items.len()]);
                let made = self.program.types.intern(made);
                self.infer.unify(&self.program, head, made);
                parts
            }
            TyKind::Error => vec![self.program.types.error; items.len()],
            _ => {
                let shown = self.show(ty);
                self.error(span, format!("tuple type does not match type '{shown}'"));
                vec![self.program.types.error; items.len()]
            }
        };
        PatternKind::Tuple(
            items
                .iter()
                .zip(parts)
                .map(|(&p, part)| {
                    self.pattern_depth += 1;
                    let pattern = self.pattern(p, part, in_match, ghost);
                    self.pattern_depth -= 1;
                    pattern
                })
                .collect(),
        )
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one syntactic form")]
    fn id_pattern(
        &mut self,
        path: &[ast::Name],
        args: Option<&[ast::PatId]>,
        declared: Option<ast::TypeId>,
        ty: Ty,
        ghost: bool,
        in_match: bool,
        span: stet_base::Span,
    ) -> PatternKind {
        let Some(&name) = path.last() else {
            return PatternKind::Wild;
        };
        let head = self.infer.shallow(&self.program, ty);
        let repr = self.program.representation(head);
        let found: Option<(CtorId, Vec<Ty>)> = match &*self.program.types.kind(repr) {
            TyKind::Named { decl, args, .. } if self.sees_definition(*decl) => self
                .ctor_names
                .get(&(*decl, name.sym))
                .map(|&c| (c, args.clone())),
            _ => None,
        };
        // Inside a pattern, the name of a constructor with arguments that has none is a variable.
        let is_variable = |&(ctor, _): &(CtorId, Vec<Ty>)| {
            self.pattern_depth > 0 && args.is_none() && !self.program.ctors[ctor].formals.is_empty()
        };
        if let Some((ctor, type_args)) = found.filter(|f| !is_variable(f)) {
            self.link_ctor(name, ctor);
            return self.ctor_pattern(ctor, &type_args, args, span, in_match, ghost);
        }
        if let Some(args) = args {
            let text = self.text(name.sym);
            if head != self.program.types.error {
                let shown = self.show(head);
                self.error(
                    span,
                    format!("type '{shown}' does not contain a datatype constructor '{text}'"),
                );
            }
            let _ = args;
            return PatternKind::Wild;
        }
        if let Some(value) = self.constant_pattern(path, head, in_match, span) {
            return PatternKind::Value(value);
        }
        let var_ty = match declared {
            Some(declared) => {
                let full = self.resolve_type(declared, Missing::Infer);
                let full = self.expand(full);
                let pre = pre_type(&self.program, full);
                if !self.infer.assignable(&self.program, pre, ty) {
                    let message = format!(
                        "type of corresponding source/RHS ({}) does not match type of bound variable ({})",
                        self.show(ty),
                        self.show(pre)
                    );
                    self.error(name.span, message);
                }
                full
            }
            None => ty,
        };
        if self.in_or_pattern && !self.text(name.sym).starts_with('_') {
            self.error(name.span, "Disjunctive patterns may not bind variables");
        }
        if let Some(mark) = self.pattern_mark
            && self.scope.declared_since(mark, name.sym)
            && !self.text(name.sym).starts_with('_')
        {
            let text = self.text(name.sym);
            self.error(name.span, format!("Duplicate parameter name: {text}"));
        }
        let var = self.new_var(name.sym, name.span, VarKind::Bound, var_ty, ghost);
        if declared.is_none() {
            self.inferred_vars.insert(var);
        }
        self.scope.declare(name.sym, var);
        PatternKind::Var(var)
    }

    /// A name that stands for a constant.
    fn constant_pattern(
        &mut self,
        path: &[ast::Name],
        ty: Ty,
        in_match: bool,
        span: stet_base::Span,
    ) -> Option<crate::tree::ExprId> {
        if !in_match {
            return None;
        }
        let entity = {
            let module = self.frame.module?;
            let first = self.find_in_module(module, path[0].sym);
            match (first, path) {
                (Some(super::Entity::Member(m)), [_]) => m,
                (Some(super::Entity::Module(m)), [_, name]) => {
                    use stet_base::Index;
                    match self.modules[m.index()].own.get(&name.sym) {
                        Some(&super::Entity::Member(m)) => m,
                        _ => return None,
                    }
                }
                _ => {
                    let decl = self.frame.decl?;
                    match self.type_members.get(&(decl, path[0].sym)) {
                        Some(super::TypeMember::Member(m))
                            if path.len() == 1 && self.program.members[*m].is_static =>
                        {
                            *m
                        }
                        _ => return None,
                    }
                }
            }
        };
        if !matches!(
            self.program.members[entity].kind,
            crate::tree::MemberKind::Const { .. }
        ) {
            return None;
        }
        let const_ty = match &self.program.members[entity].kind {
            crate::tree::MemberKind::Const { ty, .. } => *ty,
            _ => return None,
        };
        let const_ty = pre_type(&self.program, const_ty);
        if let Some(&name) = path.last() {
            self.link_member(name, entity);
        }
        if !self.infer.unify(&self.program, ty, const_ty) {
            let message = format!(
                "literal pattern (of type {}) cannot be used with source type {}",
                self.show(const_ty),
                self.show(ty)
            );
            self.error(span, message);
        }
        let kind = crate::tree::ExprKind::StaticConst {
            member: entity,
            owner_args: Vec::new(),
        };
        Some(self.push_expr_at(span, span, kind, const_ty))
    }

    fn ctor_pattern(
        &mut self,
        ctor: CtorId,
        type_args: &[Ty],
        args: Option<&[ast::PatId]>,
        span: stet_base::Span,
        in_match: bool,
        ghost: bool,
    ) -> PatternKind {
        let c = &self.program.ctors[ctor];
        let (decl, formals) = (c.decl, c.formals.clone());
        let params = self.program.decls[decl].params.clone();
        if args.is_none() && !formals.is_empty() {
            let text = self.text(self.program.ctors[ctor].name);
            let count = formals.len();
            self.error(
                span,
                format!("constructor '{text}' of arity {count} is applied without any arguments"),
            );
            return PatternKind::Wild;
        }
        let args = args.unwrap_or(&[]);
        if args.len() != formals.len() {
            let text = self.text(self.program.ctors[ctor].name);
            self.error(
                span,
                format!(
                    "pattern for constructor {text} has wrong number of formals (found {}, expected {})",
                    args.len(),
                    formals.len()
                ),
            );
        }
        let mut items = Vec::new();
        for (&arg, &formal) in args.iter().zip(&formals) {
            let ty = self.instantiate_pre(self.program.vars[formal].ty, &params, type_args);
            let formal_ghost = self.program.vars[formal].ghost;
            self.pattern_depth += 1;
            items.push(self.pattern(arg, ty, in_match, ghost || formal_ghost));
            self.pattern_depth -= 1;
        }
        PatternKind::Ctor(ctor, items)
    }
}
