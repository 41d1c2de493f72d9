//! Types: how values are represented, and what a value of a type satisfies.
//!
//! * [`Cx::sort`]: the Boogie type of a Dafny type; subset types and newtypes are represented as their base types.
//! * [`Cx::mangle`]: a name for a type, different for different types.
//! * [`Cx::is_type`]: what a value of the sort must satisfy to be in the type (`0 <= x` for `nat`).
//! * [`Cx::is_alloc`]: that everything a value refers to is allocated in a heap.

use crate::cx::{Cx, Env, Subst, Work};
use crate::decl::{Decl, Role};
use crate::prelude::Chunk;
use crate::tree::*;
use std::rc::Rc;
use stet_dafny::tree::{
    ArrowKind, Constrained, DeclId, Owner, Ty, TyKind, TypeDeclKind, TypeParamOwner,
};

impl Cx<'_> {
    pub(crate) fn mangle(&mut self, ty: Ty) -> String {
        let kind = self.p.types.kind(ty);
        let head = match &*kind {
            TyKind::Bool => "bool".into(),
            TyKind::Char => "char".into(),
            TyKind::Int => "int".into(),
            TyKind::Nat => "nat".into(),
            TyKind::Real => "real".into(),
            TyKind::Ordinal => "$ORDINAL".into(),
            TyKind::Bv(width) => format!("bv{width}"),
            TyKind::Set { finite: true, .. } => "$Set".into(),
            TyKind::Set { .. } => "$ISet".into(),
            TyKind::Multiset(_) => "$MultiSet".into(),
            TyKind::Seq(_) => "$Seq".into(),
            TyKind::Map { finite: true, .. } => "$Map".into(),
            TyKind::Map { .. } => "$IMap".into(),
            TyKind::Tuple(items, ghost) => {
                let marks = ghost.iter().map(|&g| if g { 'g' } else { 'c' });
                let marks: String = if ghost.contains(&true) {
                    std::iter::once('.').chain(marks).collect()
                } else {
                    String::new()
                };
                format!("$Tuple{}{marks}", items.len())
            }
            TyKind::Array { dims, nullable, .. } => {
                format!("$Array{dims}{}", if *nullable { "?" } else { "" })
            }
            TyKind::Arrow { kind, params, .. } => {
                let word = match kind {
                    ArrowKind::General => "General",
                    ArrowKind::Partial => "Partial",
                    ArrowKind::Total => "Total",
                };
                format!("${word}{}", params.len())
            }
            TyKind::Object { nullable } => format!("object{}", if *nullable { "?" } else { "" }),
            TyKind::Named { decl, nullable, .. } => {
                let path = self.p.decl_path(*decl);
                format!("{path}{}", if *nullable { "?" } else { "" })
            }
            TyKind::Param(param) => self.param_name(*param),
            TyKind::Infer(_) | TyKind::Error => "$error".into(),
        };
        let mut name = head;
        for child in self.p.types.children(ty) {
            name.push('$');
            name.push_str(&self.mangle(child));
        }
        name
    }

    fn param_name(&self, param: stet_dafny::tree::TypeParamId) -> String {
        let declared = &self.p.type_params[param];
        let owner = match declared.owner {
            TypeParamOwner::Type(decl) => self.p.decl_path(decl),
            TypeParamOwner::Member(member) => self.p.member_path(member),
        };
        format!("^{owner}.{}", self.p.text(declared.name))
    }

    /// The type that represents values, subset types and newtypes unfolded everywhere in it.
    pub(crate) fn rep(&mut self, ty: Ty) -> Ty {
        let ty = self.p.representation(ty);
        let kind = self.p.types.kind(ty);
        match &*kind {
            TyKind::Named { decl, args, .. } => {
                if let TypeDeclKind::Datatype { .. } = self.p.decls[*decl].kind {
                    let args: Vec<Ty> = args.iter().map(|&a| self.rep(a)).collect();
                    self.p.types.with_children(ty, &args)
                } else {
                    ty
                }
            }
            TyKind::Array { .. } => ty,
            _ => {
                let children = self.p.types.children(ty);
                if children.is_empty() {
                    return ty;
                }
                let reps: Vec<Ty> = children.iter().map(|&c| self.rep(c)).collect();
                self.p.types.with_children(ty, &reps)
            }
        }
    }

    /// The Boogie type of values of a type; declares what it needs.
    pub(crate) fn sort(&mut self, ty: Ty) -> Sort {
        let name = self.sort_name(ty);
        Sort::named(&name)
    }

    pub(crate) fn sort_name(&mut self, ty: Ty) -> String {
        let ty = self.rep(ty);
        let kind = self.p.types.kind(ty);
        match &*kind {
            TyKind::Bool => "bool".into(),
            TyKind::Int | TyKind::Nat => "int".into(),
            TyKind::Real => "real".into(),
            TyKind::Bv(0) => {
                self.unsupported(self.here, "type bv0");
                "int".into()
            }
            TyKind::Bv(width) => format!("bv{width}"),
            TyKind::Char => {
                self.need(Chunk::Char);
                "char".into()
            }
            TyKind::Ordinal => {
                self.need(Chunk::Ordinal);
                "$Ordinal".into()
            }
            TyKind::Seq(elem) => self.collection("$Seq", *elem, Chunk::Seq),
            TyKind::Set { finite: true, elem } => self.collection("$Set", *elem, Chunk::Set),
            TyKind::Set { elem, .. } => self.collection("$ISet", *elem, Chunk::ISet),
            TyKind::Multiset(elem) => self.collection("$MultiSet", *elem, Chunk::MultiSet),
            TyKind::Map { finite, key, value } => {
                let (key, value) = (self.sort_name(*key), self.sort_name(*value));
                if *finite {
                    let name = format!("$Map${key}${value}");
                    self.need(Chunk::Map(key, value));
                    name
                } else {
                    let name = format!("$IMap${key}${value}");
                    self.need(Chunk::IMap(key, value));
                    name
                }
            }
            TyKind::Tuple(items, _) => self.tuple_sort(items),
            TyKind::Arrow { params, result, .. } => self.arrow_sort(params, *result),
            TyKind::Array { .. } | TyKind::Object { .. } => self.ref_sort(),
            TyKind::Named { decl, args, .. } => self.named_sort(*decl, args),
            TyKind::Param(param) => {
                let name = self.param_name(*param);
                self.request(Work::Sort(name.as_str().into()));
                name
            }
            TyKind::Infer(_) | TyKind::Error => {
                self.unsupported(self.here, "a type that was not resolved");
                "int".into()
            }
        }
    }

    pub(crate) fn ref_sort(&mut self) -> String {
        self.need(Chunk::Heap);
        "ref".into()
    }

    fn collection(&mut self, head: &str, elem: Ty, chunk: fn(String) -> Chunk) -> String {
        let elem = self.sort_name(elem);
        let name = format!("{head}${elem}");
        self.need(chunk(elem));
        name
    }

    fn named_sort(&mut self, decl: DeclId, args: &[Ty]) -> String {
        let declared = &self.p.decls[decl];
        match &declared.kind {
            TypeDeclKind::Class { .. } | TypeDeclKind::Iterator(_) => self.ref_sort(),
            TypeDeclKind::Trait { is_reference: true } => self.ref_sort(),
            TypeDeclKind::Trait { .. } => {
                self.unsupported(declared.span, "a trait whose values are not objects");
                self.ref_sort()
            }
            TypeDeclKind::Datatype { .. } => {
                let name = self.datatype_name(decl, args);
                self.request(Work::Datatype(decl, args.to_vec()));
                name
            }
            TypeDeclKind::Abstract(_) => {
                let mut name = self.p.decl_path(decl);
                for &arg in args {
                    name.push('$');
                    name.push_str(&self.mangle(arg));
                }
                self.request(Work::Sort(name.as_str().into()));
                name
            }
            // `rep` has unfolded these.
            TypeDeclKind::Newtype(_) | TypeDeclKind::Subset(_) | TypeDeclKind::Synonym(_) => {
                self.unsupported(declared.span, "a cycle of types");
                "int".into()
            }
        }
    }

    /// The name of a datatype at represented arguments.
    pub(crate) fn datatype_name(&mut self, decl: DeclId, args: &[Ty]) -> String {
        let mut name = self.p.decl_path(decl);
        for &arg in args {
            name.push('$');
            let sort = self.sort_name(arg);
            name.push_str(&sort);
        }
        name
    }

    fn tuple_sort(&mut self, items: &[Ty]) -> String {
        let mut name = format!("$Tuple{}", items.len());
        let sorts: Vec<String> = items.iter().map(|&i| self.sort_name(i)).collect();
        for sort in &sorts {
            name.push('$');
            name.push_str(sort);
        }
        let key: Name = name.as_str().into();
        if self.made.insert(key.clone()) {
            self.decls.push(Decl::Type {
                name: key.clone(),
                datatype: true,
            });
            let ins = sorts.iter().enumerate();
            let ins = ins.map(|(i, s)| (format!("{i}").into(), Sort::named(s)));
            self.decls.push(Decl::Function {
                name: format!("$make.{name}").into(),
                ins: ins
                    .map(|(n, s): (Name, Sort)| (format!("item{n}").into(), s))
                    .collect(),
                out: Sort::Named(key),
                role: Role::Constructor,
            });
        }
        name
    }

    fn arrow_sort(&mut self, params: &[Ty], result: Ty) -> String {
        let mut sorts: Vec<Sort> = params.iter().map(|&t| self.sort(t)).collect();
        let result = self.sort(result);
        let mut name = format!("$Fun{}", params.len());
        for sort in sorts.iter().chain([&result]) {
            name.push('$');
            name.push_str(sort.name());
        }
        let key: Name = name.as_str().into();
        if self.made.insert(key.clone()) {
            if sorts.is_empty() {
                // A function without arguments is a map from a fixed index.
                sorts.push(Sort::named("bool"));
            }
            self.arrow_functions(&name, &sorts, &result);
            if self.has_general {
                self.general_arrow(&name, params, &sorts, &result);
            }
        }
        name
    }

    /// `apply`, `requires` and the function made of a Boogie map, for one arrow sort.
    fn arrow_functions(&mut self, name: &str, params: &[Sort], result: &Sort) {
        let sort = Sort::named(name);
        let bool_sort = Sort::named("bool");
        let values = Sort::Map(params.to_vec(), Box::new(result.clone()));
        let domain = Sort::Map(params.to_vec(), Box::new(bool_sort.clone()));
        self.decls.push(Decl::Type {
            name: name.into(),
            datatype: false,
        });
        let mut xs: Vec<TypedName> = vec![("f".into(), sort.clone())];
        let numbered = params.iter().enumerate();
        xs.extend(numbered.map(|(i, s)| (Name::from(format!("x{i}")), s.clone())));
        let function = |cx: &mut Self, head: &str, ins: Vec<TypedName>, out: &Sort| {
            cx.decls.push(Decl::Function {
                name: format!("{head}.{name}").into(),
                ins,
                out: out.clone(),
                role: Role::Plain,
            });
        };
        function(self, "$apply", xs.clone(), result);
        function(self, "$req", xs.clone(), &bool_sort);
        let ms: Vec<TypedName> = vec![("v".into(), values), ("d".into(), domain)];
        function(self, "$lambda", ms.clone(), &sort);
        let value = app(&format!("$lambda.{name}"), vec![var("v"), var("d")]);
        let args: Vec<B> = xs[1..].iter().map(|(x, _)| var(x)).collect();
        for (head, map) in [("$apply", "v"), ("$req", "d")] {
            let mut all = vec![value.clone()];
            all.extend(args.clone());
            let left = app(&format!("{head}.{name}"), all);
            let right = Rc::new(Node::Select(var(map), args.clone()));
            let mut vars = ms.clone();
            vars.extend(xs[1..].iter().cloned());
            let body = eq(left.clone(), right);
            self.decls
                .push(Decl::Axiom(forall(vars, vec![vec![left]], body)));
        }
    }

    /// Whether a value of the sort may be outside the type.
    pub(crate) fn is_constrained(&mut self, ty: Ty) -> bool {
        if let Some(&known) = self.constrained.get(&ty) {
            return known;
        }
        // A recursive type is constrained if something in it besides itself is.
        self.constrained.insert(ty, false);
        let kind = self.p.types.kind(ty);
        let found = match &*kind {
            TyKind::Nat | TyKind::Object { .. } | TyKind::Array { .. } => true,
            TyKind::Arrow { .. } => true,
            TyKind::Param(param) => self.guarded && crate::empty::may_be_empty(self.p, *param),
            TyKind::Named { decl, args, .. } => match &self.p.decls[*decl].kind {
                TypeDeclKind::Subset(_) | TypeDeclKind::Newtype(_) => true,
                TypeDeclKind::Class { .. }
                | TypeDeclKind::Trait { .. }
                | TypeDeclKind::Iterator(_) => true,
                TypeDeclKind::Abstract(_) => false,
                TypeDeclKind::Synonym(_) => {
                    let expanded = self.p.expand_synonym(ty);
                    self.is_constrained(expanded)
                }
                TypeDeclKind::Datatype { .. } if self.is_empty_datatype(*decl) => true,
                TypeDeclKind::Datatype { ctors, .. } => {
                    let fields = self.field_types(&ctors.clone(), *decl, args);
                    fields.into_iter().flatten().any(|t| self.is_constrained(t))
                }
            },
            _ => {
                let children = self.p.types.children(ty);
                children.into_iter().any(|c| self.is_constrained(c))
            }
        };
        self.constrained.insert(ty, found);
        found
    }

    /// The types of the fields of each constructor, at these arguments of the datatype.
    pub(crate) fn field_types(
        &self,
        ctors: &[stet_dafny::tree::CtorId],
        decl: DeclId,
        args: &[Ty],
    ) -> Vec<Vec<Ty>> {
        let params = &self.p.decls[decl].params;
        let one = |ctor: &stet_dafny::tree::CtorId| {
            let formals = self.p.ctors[*ctor].formals.iter();
            let types = formals.map(|&f| self.p.vars[f].ty);
            types.map(|t| self.p.instantiate(t, params, args)).collect()
        };
        ctors.iter().map(one).collect()
    }

    /// That `x`, of the sort of `ty`, is a value of `ty`.
    pub(crate) fn is_type(&mut self, ty: Ty, x: &B) -> B {
        if !self.is_constrained(ty) {
            return tt();
        }
        let kind = self.p.types.kind(ty);
        match &*kind {
            TyKind::Nat => le(int(0), x.clone()),
            TyKind::Object { nullable } => {
                if *nullable {
                    tt()
                } else {
                    neq(x.clone(), var("null"))
                }
            }
            TyKind::Array { nullable, .. } => self.is_class(ty, *nullable, x),
            TyKind::Named { decl, nullable, .. } => match &self.p.decls[*decl].kind {
                TypeDeclKind::Class { .. }
                | TypeDeclKind::Trait { .. }
                | TypeDeclKind::Iterator(_) => self.is_class(ty, *nullable, x),
                TypeDeclKind::Synonym(_) => {
                    let expanded = self.p.expand_synonym(ty);
                    self.is_type(expanded, x)
                }
                TypeDeclKind::Datatype { .. } if self.is_empty_datatype(*decl) => ff(),
                _ => self.is_predicate(ty, x),
            },
            _ => self.is_predicate(ty, x),
        }
    }

    fn is_predicate(&mut self, ty: Ty, x: &B) -> B {
        self.request(Work::IsPredicate(ty));
        let name = self.mangle(ty);
        app(&format!("$Is.{name}"), vec![x.clone()])
    }

    /// The class of objects of a (perhaps nullable) type.
    pub(crate) fn class_constant(&mut self, ty: Ty) -> B {
        let ty = self.non_null(ty);
        self.request(Work::Class(ty));
        let name = self.mangle(ty);
        var(&format!("$class.{name}"))
    }

    pub(crate) fn non_null(&self, ty: Ty) -> Ty {
        let mut kind = (*self.p.types.kind(ty)).clone();
        match &mut kind {
            TyKind::Named { nullable, .. }
            | TyKind::Array { nullable, .. }
            | TyKind::Object { nullable } => *nullable = false,
            _ => return ty,
        }
        self.p.types.intern(kind)
    }

    fn is_class(&mut self, ty: Ty, nullable: bool, x: &B) -> B {
        self.need(Chunk::Heap);
        let kind = self.p.types.kind(ty);
        let is_trait = match &*kind {
            TyKind::Named { decl, .. } => {
                matches!(self.p.decls[*decl].kind, TypeDeclKind::Trait { .. })
            }
            _ => false,
        };
        let dtype = app("$dtype", vec![x.clone()]);
        let matches = if is_trait {
            let plain = self.non_null(ty);
            self.request(Work::Class(plain));
            let name = self.mangle(plain);
            app(&format!("$isa.{name}"), vec![dtype])
        } else {
            eq(dtype, self.class_constant(ty))
        };
        if nullable {
            or(eq(x.clone(), var("null")), matches)
        } else {
            and(neq(x.clone(), var("null")), matches)
        }
    }

    /// That everything `x` refers to is allocated in `heap`.
    pub(crate) fn is_alloc(&mut self, ty: Ty, x: &B, heap: &B) -> B {
        if !self.has_references(ty, &mut Vec::new()) {
            return tt();
        }
        if self.p.is_reference(ty) {
            let kind = self.p.types.kind(ty);
            let nullable = match &*kind {
                TyKind::Named { nullable, .. }
                | TyKind::Array { nullable, .. }
                | TyKind::Object { nullable } => *nullable,
                _ => true,
            };
            let alloc = alloc(heap, x);
            return if nullable {
                or(eq(x.clone(), var("null")), alloc)
            } else {
                alloc
            };
        }
        let rep = self.rep(ty);
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Seq(_)
            | TyKind::Set { .. }
            | TyKind::Multiset(_)
            | TyKind::Map { .. }
            | TyKind::Tuple(..)
            | TyKind::Named { .. } => {
                self.need(Chunk::Heap);
                self.request(Work::AllocPredicate(rep));
                let name = self.mangle(rep);
                app(&format!("$IsAlloc.{name}"), vec![x.clone(), heap.clone()])
            }
            // Of type parameters and functions nothing is known.
            _ => tt(),
        }
    }

    /// Whether values of a type may hold references that its sort shows; those in type parameters it does not.
    pub(crate) fn has_references(&self, ty: Ty, seen: &mut Vec<DeclId>) -> bool {
        let ty = self.p.representation(ty);
        if self.p.is_reference(ty) {
            return true;
        }
        let kind = self.p.types.kind(ty);
        match &*kind {
            TyKind::Param(_) | TyKind::Arrow { .. } => false,
            // Whatever stands for it promises to have none, whatever its arguments are.
            TyKind::Named { decl, .. } if self.promises_no_references(*decl) => false,
            TyKind::Named { decl, args, .. } => {
                if args.iter().any(|&a| self.has_references(a, seen)) {
                    return true;
                }
                if seen.contains(decl) {
                    return false;
                }
                seen.push(*decl);
                let ctors = self.p.ctors_of(*decl).to_vec();
                let fields = self.field_types(&ctors, *decl, args);
                let found = fields
                    .into_iter()
                    .flatten()
                    .any(|t| self.has_references(t, seen));
                seen.pop();
                found
            }
            _ => {
                let children = self.p.types.children(ty);
                children.into_iter().any(|c| self.has_references(c, seen))
            }
        }
    }

    fn promises_no_references(&self, decl: DeclId) -> bool {
        matches!(self.p.decls[decl].kind, TypeDeclKind::Abstract(c) if c.no_references)
    }

    /// Whether values of a type may hold references that its sort does not show: nothing is known of their allocation, and
    /// nothing may be claimed.
    pub(crate) fn hides_references(&self, ty: Ty, seen: &mut Vec<DeclId>) -> bool {
        let ty = self.p.representation(ty);
        if self.p.is_reference(ty) || !self.p.may_hide_references(ty) {
            return false;
        }
        let kind = self.p.types.kind(ty);
        match &*kind {
            TyKind::Param(_) | TyKind::Arrow { .. } => true,
            TyKind::Named { decl, args, .. } => {
                if args.iter().any(|&a| self.hides_references(a, seen)) {
                    return true;
                }
                let ctors = self.p.ctors_of(*decl).to_vec();
                if ctors.is_empty() {
                    return true;
                }
                if seen.contains(decl) {
                    return false;
                }
                seen.push(*decl);
                let fields = self.field_types(&ctors, *decl, args);
                let mut fields = fields.into_iter().flatten();
                let found = fields.any(|t| self.hides_references(t, seen));
                seen.pop();
                found
            }
            _ => {
                let children = self.p.types.children(ty);
                children.into_iter().any(|c| self.hides_references(c, seen))
            }
        }
    }

    /// `allocated` of a value whose type hides references: nothing is known of it, so what is proved holds for all types that it
    /// may stand for.
    pub(crate) fn is_alloc_hidden(&mut self, ty: Ty, x: B, env: &Env) -> B {
        self.need(Chunk::Heap);
        let name: Name = format!("$AllocHidden.{}", self.mangle(ty)).into();
        if self.made.insert(name.clone()) {
            let sort = self.sort(ty);
            self.decls.push(Decl::Function {
                name: name.clone(),
                ins: vec![("x".into(), sort), ("h".into(), Sort::named("$HeapType"))],
                out: Sort::named("bool"),
                role: Role::Plain,
            });
        }
        app(&name, vec![x, env.heap.clone()])
    }

    /// What is known of a value of a type in a heap.
    pub(crate) fn typed(&mut self, ty: Ty, x: &B, heap: &B) -> B {
        let is = self.is_type(ty, x);
        let allocated = self.is_alloc(ty, x, heap);
        and(is, allocated)
    }

    /// The constraint of a subset type or newtype, for a value.
    pub(crate) fn constraint_holds(&mut self, ty: Ty, x: &B) -> B {
        let kind = self.p.types.kind(ty);
        let TyKind::Named { decl, args, .. } = &*kind else {
            return tt();
        };
        let declared = &self.p.decls[*decl];
        let (TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c)) = &declared.kind else {
            return tt();
        };
        let c: Constrained = c.clone();
        let base = self.p.instantiate(c.base, &declared.params, args);
        let base_holds = self.is_type(base, x);
        let (Some(bound), Some(constraint)) = (c.var, c.constraint) else {
            return base_holds;
        };
        let subst: Subst = Rc::new(
            declared
                .params
                .iter()
                .copied()
                .zip(args.iter().copied())
                .collect(),
        );
        let mut env = Env::new(subst, u32::MAX);
        env.vars.insert(bound, x.clone());
        let here = self.here;
        self.here = declared.span;
        let holds = self.expr(constraint, &env);
        self.here = here;
        and(base_holds, holds)
    }

    /// The type an instance member belongs to, at these arguments.
    pub(crate) fn receiver_type(
        &mut self,
        member: stet_dafny::tree::MemberId,
        args: &[Ty],
    ) -> Option<Ty> {
        match self.p.members[member].owner {
            Owner::Module(_) => None,
            Owner::Type(decl) => {
                let count = self.p.decls[decl].params.len();
                Some(self.p.types.intern(TyKind::Named {
                    decl,
                    args: args[..count.min(args.len())].to_vec(),
                    nullable: false,
                }))
            }
        }
    }
}

/// That an object is allocated in a heap.
pub(crate) fn alloc(heap: &B, x: &B) -> B {
    app("$alloc", vec![heap.clone(), x.clone()])
}
