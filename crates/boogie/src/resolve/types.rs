//! Types as written to types during checking; type synonyms along their dependencies.

use super::{Resolver, TypeName};
use crate::ast::*;
use crate::infer::{Form, Ty};
use crate::program::{Decl, Synonym};
use crate::types::Type;
use std::sync::Arc;
use stet_base::{FastMap, FastSet, Span, Symbol};

impl Resolver<'_> {
    pub(super) fn add_type_binders(&mut self, params: &[TypeVarId]) {
        for &param in params {
            let (name, span) = {
                let var = &self.program.type_vars[param];
                (var.name, var.span)
            };
            if self.clashes_with_bv(name) {
                let text = format!(
                    "type name: {} is registered for bitvectors",
                    self.program.name(name)
                );
                self.error(span, text);
            } else if self.types.contains_key(&name) {
                self.name_error(span, "name is already reserved for type constructor", name);
            } else if self.find_binder(name).is_some() {
                self.name_error(span, "more than one declaration of type variable", name);
            } else {
                self.type_binders.push(param);
            }
        }
    }

    fn find_binder(&self, name: Symbol) -> Option<TypeVarId> {
        let mut binders = self.type_binders.iter().rev().copied();
        binders.find(|&b| self.program.type_vars[b].name == name)
    }

    pub(super) fn check_type_occurrences(
        &mut self,
        params: &[TypeVarId],
        types: &[Ty],
        span: Span,
        subject: &str,
    ) {
        if params.is_empty() {
            return;
        }
        let mut free = Vec::new();
        for &ty in types {
            self.infer.free_vars(ty, &mut Vec::new(), &mut free);
        }
        // Two of the same name are one for this purpose; that there are two was reported.
        let names: Vec<_> = free
            .iter()
            .map(|&v| self.program.type_vars[v].name)
            .collect();
        for param in params {
            let name = self.program.type_vars[*param].name;
            if !names.contains(&name) {
                let text = format!(
                    "type variable must occur in {subject}: {}",
                    self.program.name(name)
                );
                self.error(span, text);
            }
        }
    }

    pub(super) fn sort_by_occurrence(&self, params: &[TypeVarId], types: &[Ty]) -> Vec<TypeVarId> {
        let mut free = Vec::new();
        for &ty in types {
            self.infer.free_vars(ty, &mut Vec::new(), &mut free);
        }
        let mut sorted: Vec<TypeVarId> = free.into_iter().filter(|v| params.contains(v)).collect();
        for param in params {
            if !sorted.contains(param) {
                sorted.push(*param);
            }
        }
        sorted
    }

    pub(super) fn type_(&mut self, id: TypeExprId) -> Ty {
        let TypeExpr { span, kind } = self.program.type_exprs[id].clone();
        let basic = match kind {
            TypeExprKind::Int => return self.infer.int,
            TypeExprKind::Real => return self.infer.real,
            TypeExprKind::Bool => return self.infer.bool,
            TypeExprKind::Bv(width) => Type::Bv(width),
            TypeExprKind::Float(significand, exponent) => Type::Float(significand, exponent),
            TypeExprKind::RMode => Type::RMode,
            TypeExprKind::Str => Type::Str,
            TypeExprKind::RegEx => Type::RegEx,
            TypeExprKind::Named { name, args } => return self.named_type(span, name, &args),
            TypeExprKind::Map {
                params,
                args,
                result,
            } => return self.map_type(span, &params, &args, result),
        };
        self.infer.intern(Form::Basic(basic))
    }

    fn map_type(
        &mut self,
        span: Span,
        params: &[TypeVarId],
        args: &[TypeExprId],
        result: TypeExprId,
    ) -> Ty {
        let binders = self.type_binders.len();
        self.add_type_binders(params);
        let args = self.types(args);
        let result = self.type_(result);
        let mut all = args.to_vec();
        all.push(result);
        let bound: Vec<TypeVarId> = self.type_binders[binders..].to_vec();
        self.check_type_occurrences(&bound, &all, span, "map arguments");
        self.type_binders.truncate(binders);
        let params = self.sort_by_occurrence(params, &all);
        self.infer.intern(Form::Map(params.into(), args, result))
    }

    fn types(&mut self, types: &[TypeExprId]) -> Arc<[Ty]> {
        types.iter().map(|&t| self.type_(t)).collect()
    }

    fn named_type(&mut self, span: Span, name: Symbol, args: &[TypeExprId]) -> Ty {
        if let Some(ty) = self.builtin_with_arguments(span, name) {
            return ty;
        }
        if let Some(var) = self.find_binder(name) {
            if !args.is_empty() {
                self.name_error(
                    span,
                    "type variables must not be applied to arguments",
                    name,
                );
            }
            return self.infer.intern(Form::Var(var));
        }
        match self.types.get(&name).copied() {
            Some(TypeName::Ctor(ctor)) => {
                if self.program.type_ctors[ctor].params.len() == args.len() {
                    let args = self.types(args);
                    return self.infer.intern(Form::Ctor(ctor, args));
                }
                self.name_error(
                    span,
                    "type constructor received wrong number of arguments",
                    name,
                );
            }
            Some(TypeName::Synonym(synonym)) => {
                let params = self.program.synonyms[synonym].params.clone();
                if params.len() == args.len() {
                    let args = self.types(args);
                    let body = self.synonym_bodies.get(&synonym).copied();
                    let body = body.unwrap_or(self.infer.bool);
                    let subst: FastMap<TypeVarId, Ty> =
                        params.into_iter().zip(args.iter().copied()).collect();
                    let body = self.infer.substitute(body, &subst);
                    return self.infer.intern(Form::Synonym(synonym, args, body));
                }
                self.name_error(
                    span,
                    "type synonym received wrong number of arguments",
                    name,
                );
            }
            None => match self.program.name(name) {
                // Later versions of Boogie know these; a declaration of the program comes first.
                "string" => return self.infer.intern(Form::Basic(Type::Str)),
                "regex" => return self.infer.intern(Form::Basic(Type::RegEx)),
                _ => self.name_error(span, "undeclared type", name),
            },
        }
        self.infer.intern(Form::Unresolved(name, Arc::default()))
    }

    /// `bv8 T` and its kin: a built-in type with arguments it does not take.
    fn builtin_with_arguments(&mut self, span: Span, name: Symbol) -> Option<Ty> {
        let text = self.program.name(name);
        let number = |s: &str| {
            let digits = !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
            s.parse::<u32>().ok().filter(|_| digits)
        };
        let (ty, what) = if let Some(width) = text.strip_prefix("bv").and_then(number) {
            (Type::Bv(width), "bitvector types")
        } else if let Some((s, e)) = text.strip_prefix("float").and_then(|t| t.split_once('e')) {
            (Type::Float(number(s)?, number(e)?), "float types")
        } else if text == "rmode" {
            (Type::RMode, "rounding mode type")
        } else {
            return None;
        };
        let text = format!("{what} must not be applied to arguments");
        self.name_error(span, &text, name);
        Some(self.infer.intern(Form::Basic(ty)))
    }

    /// Resolves attributes of type declarations, then synonyms as soon as all synonyms they use are resolved.
    pub(super) fn resolve_type_declarations(&mut self, decls: &[Decl]) {
        let mut waiting: Vec<SynonymId> = Vec::new();
        for &decl in decls {
            match decl {
                Decl::TypeCtor(id) => {
                    let attrs = self.program.type_ctors[id].attrs.clone();
                    self.attributes(&attrs);
                }
                Decl::Synonym(id) if !self.ignored.contains(decl) => waiting.push(id),
                _ => {}
            }
        }
        let needs: FastMap<SynonymId, FastSet<SynonymId>> = waiting
            .iter()
            .map(|&id| {
                let mut used = FastSet::default();
                self.used_synonyms(self.program.synonyms[id].body, &mut used);
                (id, used)
            })
            .collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut rest = Vec::new();
            for id in waiting {
                let ready = needs[&id]
                    .iter()
                    .all(|n| self.synonym_bodies.contains_key(n));
                if ready {
                    self.synonym(id);
                } else {
                    rest.push(id);
                }
            }
            if rest.len() == before {
                for &id in &rest {
                    let Synonym { name, span, .. } = self.program.synonyms[id];
                    let text = format!(
                        "type synonym could not be resolved because of cycles: {} (replacing body with \"bool\" to continue resolving)",
                        self.program.name(name)
                    );
                    self.error(span, text);
                    self.synonym_bodies.insert(id, self.infer.bool);
                }
                return;
            }
            waiting = rest;
        }
    }

    fn used_synonyms(&self, ty: TypeExprId, used: &mut FastSet<SynonymId>) {
        match &self.program.type_exprs[ty].kind {
            TypeExprKind::Named { name, args } => {
                if let Some(TypeName::Synonym(id)) = self.types.get(name) {
                    used.insert(*id);
                }
                for &arg in args {
                    self.used_synonyms(arg, used);
                }
            }
            TypeExprKind::Map { args, result, .. } => {
                for &arg in args.iter().chain([result]) {
                    self.used_synonyms(arg, used);
                }
            }
            _ => {}
        }
    }

    fn synonym(&mut self, id: SynonymId) {
        let Synonym {
            params,
            body,
            attrs,
            ..
        } = self.program.synonyms[id].clone();
        self.attributes(&attrs);
        let binders = self.type_binders.len();
        self.add_type_binders(&params);
        let ty = self.type_(body);
        self.type_binders.truncate(binders);
        self.synonym_bodies.insert(id, ty);
        let canonical = self.infer.canonical(self.program, ty);
        self.program.synonyms[id].ty = Some(canonical);
    }
}
