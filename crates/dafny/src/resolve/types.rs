//! Types as written to types of the tree.

use super::infer::VarClass;
use super::{Entity, Resolver};
use crate::ast::{self, Coll, TypeKind};
use crate::tree::{
    MemberId, Ty, TyKind, TypeDeclKind, TypeParam, TypeParamOwner, Variance, is_reference_kind,
};
use stet_base::{Index, Span};

/// What missing type arguments mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    Error,
    /// To be inferred.
    Infer,
    /// A new type parameter of this member.
    Extend(MemberId),
}

impl Resolver<'_> {
    pub(crate) fn resolve_type(&mut self, id: ast::TypeId, missing: Missing) -> Ty {
        let syntax = &self.ast.types[id];
        let span = syntax.span;
        match &syntax.kind {
            TypeKind::Bool => self.program.types.bool_,
            TypeKind::Char => self.program.types.char_,
            TypeKind::Int => self.program.types.int,
            TypeKind::Nat => self.program.types.nat,
            TypeKind::Real => self.program.types.real,
            TypeKind::Ordinal => self.program.types.ordinal,
            TypeKind::Object(nullable) => {
                let nullable = *nullable;
                self.program.types.intern(TyKind::Object { nullable })
            }
            TypeKind::Str => self.program.types.string,
            TypeKind::Bv(width) => self.program.types.intern(TyKind::Bv(*width)),
            TypeKind::Float(name) => {
                let text = self.text(*name);
                self.error(
                    span,
                    format!("the floating-point type '{text}' is not supported"),
                );
                self.program.types.error
            }
            TypeKind::Coll(coll, args) => {
                self.collection_type(*coll, args.as_deref(), span, missing)
            }
            TypeKind::Array {
                dims,
                nullable,
                args,
            } => {
                let args = self.type_args(args.as_deref(), 1, "array", span, missing);
                self.program.types.intern(TyKind::Array {
                    dims: *dims,
                    elem: args[0],
                    nullable: *nullable,
                })
            }
            TypeKind::Path(path) => self.path_type(path, missing),
            TypeKind::Tuple(items) => {
                let types = items
                    .iter()
                    .map(|&(ty, _)| self.resolve_type(ty, missing))
                    .collect();
                let ghost = items.iter().map(|&(_, ghost)| ghost).collect();
                self.program.types.intern(TyKind::Tuple(types, ghost))
            }
            TypeKind::Arrow(kind, params, result) => {
                let params = params
                    .iter()
                    .map(|&ty| self.resolve_type(ty, missing))
                    .collect();
                let result = self.resolve_type(*result, missing);
                self.program.types.intern(TyKind::Arrow {
                    kind: *kind,
                    params,
                    result,
                })
            }
            TypeKind::Error => self.program.types.error,
        }
    }

    fn collection_type(
        &mut self,
        coll: Coll,
        args: Option<&[ast::TypeId]>,
        span: Span,
        missing: Missing,
    ) -> Ty {
        let (want, word) = match coll {
            Coll::Map => (2, "map"),
            Coll::Imap => (2, "imap"),
            Coll::Set => (1, "set"),
            Coll::Iset => (1, "iset"),
            Coll::Multiset => (1, "multiset"),
            Coll::Seq => (1, "seq"),
        };
        let args = self.type_args(args, want, word, span, missing);
        let kind = match coll {
            Coll::Set | Coll::Iset => TyKind::Set {
                finite: coll == Coll::Set,
                elem: args[0],
            },
            Coll::Multiset => TyKind::Multiset(args[0]),
            Coll::Seq => TyKind::Seq(args[0]),
            Coll::Map | Coll::Imap => TyKind::Map {
                finite: coll == Coll::Map,
                key: args[0],
                value: args[1],
            },
        };
        let ty = self.program.types.intern(kind);
        if matches!(coll, Coll::Set | Coll::Multiset | Coll::Map) {
            self.use_type(self.type_place.unwrap_or(span), ty);
        }
        ty
    }

    /// Exactly `want` type arguments.
    pub(crate) fn type_args(
        &mut self,
        args: Option<&[ast::TypeId]>,
        want: usize,
        word: &str,
        span: Span,
        missing: Missing,
    ) -> Vec<Ty> {
        if let Some(args) = args {
            let mut out: Vec<Ty> = args
                .iter()
                .map(|&ty| self.resolve_type(ty, missing))
                .collect();
            if out.len() != want {
                self.error(
                    span,
                    format!(
                        "Wrong number of type arguments ({} instead of {want}) passed to class/datatype: {word}",
                        out.len()
                    ),
                );
                out.resize(want, self.program.types.error);
            }
            return out;
        }
        (0..want)
            .map(|i| self.missing_arg(word, want, i, span, missing))
            .collect()
    }

    /// A missing argument is the type parameter at the same position of the enclosing declaration, if there is one.
    fn missing_arg(
        &mut self,
        word: &str,
        want: usize,
        index: usize,
        span: Span,
        missing: Missing,
    ) -> Ty {
        match missing {
            Missing::Infer => self.infer.fresh(&self.program, VarClass::Any),
            Missing::Extend(member) => match self.program.type_params_of(member).get(index) {
                Some(&param) => self.program.types.intern(TyKind::Param(param)),
                None => self.extend_params(member, span),
            },
            Missing::Error => {
                let params = self
                    .frame
                    .decl
                    .map(|d| self.program.decls[d].params.clone());
                let params = params.unwrap_or_default();
                if params.len() >= want {
                    return self.program.types.intern(TyKind::Param(params[index]));
                }
                self.error(
                    span,
                    format!("Wrong number of type arguments (0 instead of {want}) passed to class/datatype: {word}"),
                );
                self.program.types.error
            }
        }
    }

    /// Adds a type parameter that the program leaves out.
    fn extend_params(&mut self, member: MemberId, span: Span) -> Ty {
        let mut params = self.program.type_params_of(member).to_vec();
        let index = params.len() as u32;
        let name = self.sym(&format!("_T{index}"));
        let id = self.program.type_params.push(TypeParam {
            name,
            span,
            owner: TypeParamOwner::Member(member),
            index,
            variance: Variance::Invariant,
            characteristics: Default::default(),
            bounds: Vec::new(),
        });
        params.push(id);
        self.set_params(member, params);
        self.scope.type_params.push((name, id));
        self.program.types.intern(TyKind::Param(id))
    }

    fn path_type(&mut self, path: &[ast::Seg], missing: Missing) -> Ty {
        let Some((last, modules)) = path.split_last() else {
            return self.program.types.error;
        };
        let Some(module) = self.frame.module else {
            return self.program.types.error;
        };
        if modules.is_empty() {
            if let Some(param) = self.scope.find_type_param(last.name.sym) {
                self.link_param(last.name, param);
                return self.program.types.intern(TyKind::Param(param));
            }
            if self.ambiguous(module, last.name, true) {
                return self.program.types.error;
            }
            let found = self.lookup_type(module, last.name, false);
            return self.type_of_entity(found, last, missing);
        }
        let names: Vec<ast::Name> = modules.iter().map(|s| s.name).collect();
        let Some(Entity::Module(start)) = self.find_in_module(module, names[0].sym) else {
            let text = self.text(names[0].sym);
            self.error(names[0].span, format!("Type or type parameter is not declared in this scope: {text} (did you forget to qualify a name or declare a module import 'opened'?) (note that names in outer modules are not visible in contained modules)"));
            return self.program.types.error;
        };
        self.check_abstract_use(start, names[0]);
        self.link_path(start, &names);
        let mut at = start;
        for name in &names[1..] {
            match self.modules[at.index()].own.get(&name.sym) {
                Some(&Entity::Module(inner)) => at = inner,
                _ => {
                    let text = self.text(name.sym);
                    self.error(name.span, format!("module {text} does not exist"));
                    return self.program.types.error;
                }
            }
        }
        let found = self.lookup_type(at, last.name, true);
        self.type_of_entity(found, last, missing)
    }

    fn type_of_entity(
        &mut self,
        found: Option<(crate::tree::DeclId, bool)>,
        seg: &ast::Seg,
        missing: Missing,
    ) -> Ty {
        let Some((decl, nullable)) = found else {
            return self.program.types.error;
        };
        self.link_entity(seg.name, Entity::Type(decl));
        let d = &self.program.decls[decl];
        let want = d.params.len();
        let word = self.text(d.name);
        let place = self.type_place.replace(seg.name.span);
        let args = self.type_args(seg.args.as_deref(), want, &word, seg.name.span, missing);
        self.type_place = place;
        let ty = self.program.types.intern(TyKind::Named {
            decl,
            args,
            nullable,
        });
        self.use_type(seg.name.span, ty);
        ty
    }

    /// Remembers a type as written, for the checks of `characteristics`.
    fn use_type(&mut self, span: Span, ty: Ty) {
        let ghost = !self.in_compiled_type;
        if let Some(module) = self.frame.module {
            self.type_uses.push(super::characteristics::TypeUse {
                module,
                span,
                ty,
                ghost,
            });
        }
    }

    /// The declaration a type name stands for, and whether the name has a question mark.
    fn lookup_type(
        &mut self,
        module: crate::tree::ModuleId,
        name: ast::Name,
        qualified: bool,
    ) -> Option<(crate::tree::DeclId, bool)> {
        let text = self.text(name.sym);
        let direct = if qualified {
            self.visible_from_here(module, name.sym)
        } else {
            self.find_in_module(module, name.sym)
        };
        if let Some(Entity::Type(decl)) = direct {
            return Some((decl, false));
        }
        if let Some(base) = text.strip_suffix('?') {
            let base = self.sym(base);
            let found = if qualified {
                self.visible_from_here(module, base)
            } else {
                self.find_in_module(module, base)
            };
            if let Some(Entity::Type(decl)) = found
                && self.may_be_nullable(decl)
            {
                return Some((decl, true));
            }
        }
        if qualified {
            let module_name = self.text(self.program.modules[module].name);
            self.error(
                name.span,
                format!("module '{module_name}' does not declare a type '{text}'"),
            );
        } else {
            self.error(name.span, format!("Type or type parameter is not declared in this scope: {text} (did you forget to qualify a name or declare a module import 'opened'?) (note that names in outer modules are not visible in contained modules)"));
        }
        None
    }

    fn may_be_nullable(&self, decl: crate::tree::DeclId) -> bool {
        let kind = &self.program.decls[decl].kind;
        is_reference_kind(kind) || matches!(kind, TypeDeclKind::Trait { .. })
    }

    /// Synonyms expanded everywhere in a type.
    pub(crate) fn expand(&self, ty: Ty) -> Ty {
        self.expand_at(ty, 0)
    }

    fn expand_at(&self, ty: Ty, depth: u32) -> Ty {
        if depth > 100 {
            return self.program.types.error;
        }
        let kept = match &*self.program.types.kind(ty) {
            TyKind::Named { decl, .. } => self.keeps_synonyms && self.hideable.contains(decl),
            _ => false,
        };
        let ty = if kept {
            // Kept until the end: importers must not see through it.
            ty
        } else {
            self.program.expand_synonym(ty)
        };
        let children = self.program.types.children(ty);
        if children.is_empty() {
            return ty;
        }
        let new: Vec<Ty> = children
            .iter()
            .map(|&c| self.expand_at(c, depth + 1))
            .collect();
        if new == children {
            ty
        } else {
            self.program.types.with_children(ty, &new)
        }
    }
}
