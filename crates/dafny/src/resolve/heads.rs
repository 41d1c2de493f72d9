//! Parents, bounds and bases of declared types, and cycles among them.

use super::Resolver;
use super::types::Missing;
use crate::ast;
use crate::tree::{DeclId, Ty, TypeDeclKind, TypeParamId};
use stet_base::Span;

impl Resolver<'_> {
    /// Parents, bases and constructor arguments of all types.
    pub(crate) fn resolve_type_heads(&mut self) {
        let decls: Vec<DeclId> = self.program.decls.ids().collect();
        for &decl in &decls {
            self.enter_decl(decl);
            let Some(syntax) = self.type_syntax.get(&decl).cloned() else {
                continue;
            };
            self.resolve_bounds(&syntax.params, &self.program.decls[decl].params.clone());
            for &parent in &syntax.parents {
                self.in_compiled_type = true;
                let ty = self.resolve_type(parent, Missing::Error);
                self.in_compiled_type = false;
                let span = match &self.ast.types[parent].kind {
                    ast::TypeKind::Path(path) => path.last().map(|s| s.name.span),
                    _ => None,
                };
                let span = span.unwrap_or(self.ast.types[parent].span);
                self.add_parent(decl, ty, span, parent);
            }
            self.resolve_type_base(decl, &syntax);
        }
        for &decl in &decls {
            self.check_synonym_cycle(decl);
        }
        // Unless something other than a class extends a trait, every trait extends `object`.
        let general = decls.iter().any(|&decl| {
            let d = &self.program.decls[decl];
            let class = matches!(
                d.kind,
                TypeDeclKind::Class { .. } | TypeDeclKind::Trait { .. }
            );
            !class && !d.parents.is_empty()
        });
        for &decl in &decls {
            if let TypeDeclKind::Trait { is_reference } = &mut self.program.decls[decl].kind {
                *is_reference |= !general;
            }
        }
        for &decl in &decls {
            self.settle_trait(decl, 0);
        }
    }

    pub(crate) fn add_parent(&mut self, decl: DeclId, ty: Ty, span: Span, written: ast::TypeId) {
        use crate::tree::TyKind;
        let is_trait = match &*self.program.types.kind(ty) {
            TyKind::Named {
                decl: parent,
                nullable,
                ..
            } => {
                !nullable
                    && self.sees_definition(*parent)
                    && matches!(self.program.decls[*parent].kind, TypeDeclKind::Trait { .. })
            }
            TyKind::Object { nullable: false } | TyKind::Error => true,
            _ => false,
        };
        if !is_trait {
            let what = self.decl_kind_word(decl);
            let mut shown = self.program.show_type(ty);
            if let ast::TypeKind::Path(path) = &self.ast.types[written].kind
                && path.len() > 1
            {
                let modules: Vec<String> = path[..path.len() - 1]
                    .iter()
                    .map(|s| self.text(s.name.sym))
                    .collect();
                shown = format!("{}.{shown}", modules.join("."));
            }
            self.error(
                span,
                format!("a {what} can only extend traits (found '{shown}')"),
            );
            return;
        }
        if matches!(&*self.program.types.kind(ty), TyKind::Object { .. }) {
            if let TypeDeclKind::Trait { is_reference } = &mut self.program.decls[decl].kind {
                *is_reference = true;
            }
            return;
        }
        if !self.program.decls[decl].parents.contains(&ty) {
            self.program.decls[decl].parents.push(ty);
        }
    }

    /// A trait that extends a reference trait is one itself.
    pub(crate) fn settle_trait(&mut self, decl: DeclId, depth: u32) -> bool {
        use crate::tree::TyKind;
        let TypeDeclKind::Trait { is_reference } = self.program.decls[decl].kind else {
            return false;
        };
        if is_reference || depth > 100 {
            return is_reference;
        }
        let parents = self.program.decls[decl].parents.clone();
        let mut reference = false;
        for parent in parents {
            if let TyKind::Named { decl: p, .. } = &*self.program.types.kind(parent) {
                reference |= self.settle_trait(*p, depth + 1);
            }
        }
        if reference {
            self.program.decls[decl].kind = TypeDeclKind::Trait { is_reference: true };
        }
        reference
    }

    /// Types that are defined by themselves: reported, and cut, so that no later question loops.
    pub(crate) fn check_synonym_cycle(&mut self, decl: DeclId) {
        if let Some(cycle) = self.cycle_through(decl, Self::definition_parts) {
            let shown = self.show_cycle(&cycle);
            self.error_at_decl(
                decl,
                format!(
                    "cycle among redirecting types (newtypes, subset types, type synonyms): {shown}"
                ),
            );
            let error = self.program.types.error;
            match &mut self.program.decls[decl].kind {
                TypeDeclKind::Synonym(ty) => *ty = error,
                TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c) => c.base = error,
                _ => {}
            }
        }
        if let Some(cycle) = self.cycle_through(decl, Self::parent_decls) {
            let shown = self.show_cycle(&cycle);
            self.error_at_decl(decl, format!("trait definitions contain a cycle: {shown}"));
            self.program.decls[decl].parents.clear();
        }
    }

    pub(crate) fn error_at_decl(&mut self, decl: DeclId, message: String) {
        let d = &self.program.decls[decl];
        let (module, span) = (d.module, d.span);
        self.error_in(module, span, message);
    }

    pub(crate) fn show_cycle(&self, cycle: &[DeclId]) -> String {
        let names: Vec<String> = cycle
            .iter()
            .map(|&d| self.text(self.program.decls[d].name))
            .collect();
        names.join(" -> ")
    }

    /// The shortest way from a declaration to itself.
    pub(crate) fn cycle_through(
        &self,
        decl: DeclId,
        next: fn(&Self, DeclId) -> Vec<DeclId>,
    ) -> Option<Vec<DeclId>> {
        let mut queue: Vec<(DeclId, usize)> = next(self, decl)
            .into_iter()
            .map(|d| (d, usize::MAX))
            .collect();
        let mut at = 0;
        while at < queue.len() {
            let (here, _) = queue[at];
            if here == decl {
                let mut path = vec![decl];
                let mut back = at;
                while back != usize::MAX {
                    path.push(queue[back].0);
                    back = queue[back].1;
                }
                path.reverse();
                path.insert(0, decl);
                path.pop();
                return Some(path);
            }
            for found in next(self, here) {
                if !queue.iter().any(|&(d, _)| d == found) {
                    queue.push((found, at));
                }
            }
            at += 1;
        }
        None
    }

    pub(crate) fn parent_decls(&self, decl: DeclId) -> Vec<DeclId> {
        let heads = self.program.decls[decl].parents.iter();
        heads
            .filter_map(|&parent| match &*self.program.types.kind(parent) {
                crate::tree::TyKind::Named { decl, .. } => Some(*decl),
                _ => None,
            })
            .collect()
    }

    /// The declared types in the definition of a synonym, subset type or newtype.
    pub(crate) fn definition_parts(&self, decl: DeclId) -> Vec<DeclId> {
        let mut out = Vec::new();
        match &self.program.decls[decl].kind {
            TypeDeclKind::Synonym(ty) => self.mentioned_decls(*ty, &mut out),
            TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c) => {
                self.mentioned_decls(c.base, &mut out)
            }
            _ => {}
        }
        out
    }

    pub(crate) fn mentioned_decls(&self, ty: Ty, out: &mut Vec<DeclId>) {
        if let crate::tree::TyKind::Named { decl, .. } = &*self.program.types.kind(ty)
            && !out.contains(decl)
        {
            out.push(*decl);
        }
        for child in self.program.types.children(ty) {
            self.mentioned_decls(child, out);
        }
    }

    pub(crate) fn resolve_bounds(&mut self, syntax: &[ast::TypeParam], params: &[TypeParamId]) {
        for (param, &id) in syntax.iter().zip(params) {
            for &bound in &param.bounds {
                let ty = self.resolve_type(bound, Missing::Error);
                self.program.type_params[id].bounds.push(ty);
            }
        }
    }

    pub(crate) fn resolve_type_base(&mut self, decl: DeclId, syntax: &ast::TypeDecl) {
        match &syntax.kind {
            ast::TypeDeclKind::Synonym(ty) => {
                let ty = self.resolve_type(*ty, Missing::Error);
                self.program.decls[decl].kind = TypeDeclKind::Synonym(ty);
            }
            ast::TypeDeclKind::Newtype(c) | ast::TypeDeclKind::Subset(c) => {
                let base = c.base.map(|ty| self.resolve_type(ty, Missing::Error));
                let base = base.unwrap_or(self.program.types.int);
                if let TypeDeclKind::Newtype(own) | TypeDeclKind::Subset(own) =
                    &mut self.program.decls[decl].kind
                {
                    own.base = base;
                }
            }
            _ => {}
        }
    }
}
