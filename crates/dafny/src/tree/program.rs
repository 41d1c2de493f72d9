//! The program: its arenas, and the questions one asks about types and names.

use super::*;
use stet_base::{FastMap, FastSet, IdVec, Interner, Symbol};

/// A resolved program (all files, with everything included).
#[derive(Debug, Default)]
pub struct Program {
    pub names: Interner,
    /// Modules; the first is the outermost one.
    pub modules: IdVec<ModuleId, Module>,
    pub decls: IdVec<DeclId, TypeDecl>,
    pub ctors: IdVec<CtorId, Ctor>,
    /// Members of modules and types.
    pub members: IdVec<MemberId, Member>,
    pub type_params: IdVec<TypeParamId, TypeParam>,
    pub vars: IdVec<VarId, Var>,
    pub exprs: IdVec<ExprId, Expr>,
    pub stmts: IdVec<StmtId, Stmt>,
    pub labels: IdVec<LabelId, Label>,
    pub types: TypeTable,
    /// For modules: functions that export sets provide to them without their bodies.
    pub provided: FastMap<ModuleId, FastSet<MemberId>>,
    /// Default values put in for missing arguments, with the parameters they stand for: they are checked where those are declared.
    pub defaults: FastMap<ExprId, VarId>,
    /// For conversions to a type that is named by a synonym: that name.
    pub written: FastMap<ExprId, Symbol>,
    /// What names stand for, for editors.
    pub links: Vec<Link>,
    /// Types whose definitions the module being resolved does not see; empty after resolution.
    pub(crate) hidden: std::sync::Arc<stet_base::FastSet<DeclId>>,
}

/// A name of the text, and the place of the name in the declaration it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    pub at: stet_base::Span,
    pub of: stet_base::Span,
}

/// Whether a type has a default value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AutoInit {
    /// May be empty.
    MaybeEmpty,
    /// Not empty, but the compiler knows no value.
    Nonempty,
    /// The compiler can make a value.
    Compilable,
}

impl Program {
    /// Whether a module sees the body of a function.
    pub fn sees_body(&self, from: Option<ModuleId>, function: MemberId) -> bool {
        let provided = from.and_then(|from| self.provided.get(&from));
        !provided.is_some_and(|members| members.contains(&function))
    }

    /// The text of a name.
    pub fn text(&self, name: Symbol) -> &str {
        self.names.text(name)
    }

    /// The type of an expression.
    pub fn ty(&self, expr: ExprId) -> Ty {
        self.exprs[expr].ty
    }

    /// The dotted path of a module, without the outermost one; empty for the outermost one.
    pub fn module_path(&self, module: ModuleId) -> String {
        let m = &self.modules[module];
        match m.parent {
            None => String::new(),
            Some(parent) => {
                let mut path = self.module_path(parent);
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(self.text(m.name));
                path
            }
        }
    }

    /// The dotted path of a declared type.
    pub fn decl_path(&self, decl: DeclId) -> String {
        let d = &self.decls[decl];
        let mut path = self.module_path(d.module);
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(self.text(d.name));
        path
    }

    /// The dotted path of a member.
    pub fn member_path(&self, member: MemberId) -> String {
        let m = &self.members[member];
        let mut path = match m.owner {
            Owner::Module(module) => self.module_path(module),
            Owner::Type(decl) => self.decl_path(decl),
        };
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(self.text(m.name));
        path
    }

    /// The constructors of a datatype; empty for other types.
    pub fn ctors_of(&self, decl: DeclId) -> &[CtorId] {
        match &self.decls[decl].kind {
            TypeDeclKind::Datatype { ctors, .. } => ctors,
            _ => &[],
        }
    }

    /// `ty` with the type parameters `params` replaced by `args`.
    pub fn instantiate(&self, ty: Ty, params: &[TypeParamId], args: &[Ty]) -> Ty {
        if params.is_empty() {
            return ty;
        }
        self.types.substitute(ty, &|param| {
            let at = params.iter().position(|&p| p == param)?;
            args.get(at).copied()
        })
    }

    /// A subset type, `nat`, a synonym or a non-null reference type one step up; nothing for other types.
    /// (`C` to `C?`, `nat` to `int`, `-->` to `~>`, `->` to `-->`.)
    pub fn parent_of_constrained(&self, ty: Ty) -> Option<Ty> {
        match &*self.types.kind(ty) {
            TyKind::Nat => Some(self.types.int),
            TyKind::Named {
                decl,
                args,
                nullable,
            } => {
                let d = &self.decls[*decl];
                if self.hidden.contains(decl) {
                    return None;
                }
                match &d.kind {
                    TypeDeclKind::Subset(c) => Some(self.instantiate(c.base, &d.params, args)),
                    TypeDeclKind::Synonym(to) => Some(self.instantiate(*to, &d.params, args)),
                    kind if is_reference_kind(kind) && !nullable => {
                        Some(self.types.intern(TyKind::Named {
                            decl: *decl,
                            args: args.clone(),
                            nullable: true,
                        }))
                    }
                    _ => None,
                }
            }
            TyKind::Array {
                dims,
                elem,
                nullable: false,
            } => Some(self.types.intern(TyKind::Array {
                dims: *dims,
                elem: *elem,
                nullable: true,
            })),
            TyKind::Object { nullable: false } => Some(self.types.object_nullable),
            TyKind::Arrow {
                kind,
                params,
                result,
            } => {
                let kind = match kind {
                    ArrowKind::Total => ArrowKind::Partial,
                    ArrowKind::Partial => ArrowKind::General,
                    ArrowKind::General => return None,
                };
                Some(self.types.intern(TyKind::Arrow {
                    kind,
                    params: params.clone(),
                    result: *result,
                }))
            }
            _ => None,
        }
    }

    /// Synonyms expanded at the top.
    pub fn expand_synonym(&self, mut ty: Ty) -> Ty {
        for _ in 0..MAX_CHAIN {
            let TyKind::Named { decl, args, .. } = &*self.types.kind(ty) else {
                return ty;
            };
            let d = &self.decls[*decl];
            let TypeDeclKind::Synonym(to) = d.kind else {
                return ty;
            };
            if self.hidden.contains(decl) {
                return ty;
            }
            ty = self.instantiate(to, &d.params, args);
        }
        self.types.error
    }

    /// The type without subset types, `nat`, synonyms, non-nullness and arrow kinds at the top; newtypes stay.
    pub fn base_type(&self, mut ty: Ty) -> Ty {
        for _ in 0..MAX_CHAIN {
            match self.parent_of_constrained(ty) {
                Some(parent) => ty = parent,
                None => return ty,
            }
        }
        self.types.error
    }

    /// The type that represents values: [`base_type`](Self::base_type), with newtypes unfolded too.
    pub fn representation(&self, ty: Ty) -> Ty {
        let mut ty = self.base_type(ty);
        for _ in 0..MAX_CHAIN {
            let TyKind::Named { decl, args, .. } = &*self.types.kind(ty) else {
                return ty;
            };
            let d = &self.decls[*decl];
            let TypeDeclKind::Newtype(c) = &d.kind else {
                return ty;
            };
            if self.hidden.contains(decl) {
                return ty;
            }
            ty = self.base_type(self.instantiate(c.base, &d.params, args));
        }
        self.types.error
    }

    /// Whether `null` may be a value after removing constraints: classes, reference traits, arrays, `object`.
    pub fn is_reference(&self, ty: Ty) -> bool {
        match &*self.types.kind(self.base_type(ty)) {
            TyKind::Object { .. } | TyKind::Array { .. } => true,
            TyKind::Named { decl, .. } => {
                !self.hidden.contains(decl) && is_reference_kind(&self.decls[*decl].kind)
            }
            _ => false,
        }
    }

    /// The type parameters of a callable member.
    pub fn type_params_of(&self, member: MemberId) -> &[TypeParamId] {
        match &self.members[member].kind {
            MemberKind::Function(f) => &f.params,
            MemberKind::Method(m) => &m.params,
            _ => &[],
        }
    }

    /// The type parameters of the type that declares a member.
    pub fn owner_params(&self, member: MemberId) -> &[TypeParamId] {
        match self.members[member].owner {
            Owner::Module(_) => &[],
            Owner::Type(decl) => &self.decls[decl].params,
        }
    }

    /// The traits a type implements directly, instantiated; `object` is not listed.
    pub fn parent_traits(&self, ty: Ty) -> Vec<Ty> {
        match &*self.types.kind(ty) {
            TyKind::Named { decl, .. } if self.hidden.contains(decl) => Vec::new(),
            TyKind::Named { decl, args, .. } => {
                let d = &self.decls[*decl];
                let parents = d.parents.iter();
                parents
                    .map(|&p| self.instantiate(p, &d.params, args))
                    .collect()
            }
            TyKind::Param(param) => self.type_params[*param].bounds.clone(),
            _ => Vec::new(),
        }
    }
}

/// How many declarations a chain of synonyms, subset types or parents may have; cycles are errors.
const MAX_CHAIN: usize = 1000;

/// Whether declarations of this kind make reference types.
pub fn is_reference_kind(kind: &TypeDeclKind) -> bool {
    match kind {
        TypeDeclKind::Class { .. } | TypeDeclKind::Iterator(_) => true,
        TypeDeclKind::Trait { is_reference } => *is_reference,
        _ => false,
    }
}
