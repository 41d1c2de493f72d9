//! Names and member selections in expressions.

use super::infer::pre_type;
use super::types::Missing;
use super::{Entity, Resolver, TypeMember};
use crate::ast;
use crate::tree::{
    CtorId, DeclId, ExprId, ExprKind, MemberId, MemberKind, ModuleId, Pattern, PatternKind,
    Property, Ty, TyKind, TypeDeclKind,
};
use stet_base::{Index, Symbol};

/// What an expression in callee position stands for.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    Value(ExprId),
    Member {
        member: MemberId,
        receiver: Option<ExprId>,
        owner_args: Vec<Ty>,
        explicit: Option<Vec<Ty>>,
    },
    Ctor {
        ctor: CtorId,
        args: Option<Vec<Ty>>,
    },
    Type(Ty),
    Module(ModuleId),
    /// `f.requires` (true) or `f.reads`
    FnProperty(ExprId, bool),
    /// `w.RotateLeft` (true) or `w.RotateRight`
    Rotate(ExprId, bool),
    Error,
}

impl Resolver<'_> {
    /// A name seen from inside a module: its own, then those of opened imports.
    pub(crate) fn find_in_module(&self, module: ModuleId, name: Symbol) -> Option<Entity> {
        let names = &self.modules[module.index()];
        if let Some(&found) = names.own.get(&name) {
            return Some(found);
        }
        self.opened_names(module, name)
            .first()
            .map(|&(found, _)| found)
    }

    /// What a name means in the opened imports of a module, each meaning once, with the module it is from.
    fn opened_names(&self, module: ModuleId, name: Symbol) -> Vec<(Entity, ModuleId)> {
        let mut out: Vec<(Entity, ModuleId)> = Vec::new();
        for &opened in &self.modules[module.index()].opened {
            if let Some(found) = self.visible_in(module, opened, name)
                && !out.iter().any(|&(e, _)| e == found)
            {
                out.push((found, opened));
            }
        }
        out
    }

    /// Whether several opened imports declare a type of that name.
    pub(crate) fn is_ambiguous(&self, module: ModuleId, name: Symbol) -> bool {
        let found = self.opened_names(module, name);
        let types = found.iter().filter(|(e, _)| matches!(e, Entity::Type(_)));
        types.count() > 1
    }

    /// Reports a name that several opened imports declare; false if the name is not ambiguous.
    pub(crate) fn ambiguous(&mut self, module: ModuleId, name: ast::Name, types: bool) -> bool {
        if self.modules[module.index()].own.contains_key(&name.sym) {
            return false;
        }
        let mut found = self.opened_names(module, name.sym);
        if types {
            found.retain(|(entity, _)| matches!(entity, Entity::Type(_)));
        }
        if found.len() < 2 {
            return false;
        }
        let text = self.text(name.sym);
        let modules: Vec<String> = found
            .iter()
            .map(|&(_, m)| self.text(self.program.modules[m].name))
            .collect();
        let (kind, what) = if matches!(found[0].0, Entity::Type(_)) {
            ("type", "type")
        } else {
            ("static member", "member")
        };
        self.error(
            name.span,
            format!(
                "The name {text} ambiguously refers to a {kind} in one of the modules {} (try qualifying the {what} name with the module name)",
                modules.join(", ")
            ),
        );
        true
    }

    /// Datatype constructors that an unqualified name may mean.
    pub(crate) fn find_ctors(&self, name: Symbol) -> Vec<CtorId> {
        let Some(module) = self.frame.module else {
            return Vec::new();
        };
        let names = &self.modules[module.index()];
        if let Some(own) = names.ctors.get(&name) {
            return own.clone();
        }
        let mut found: Vec<CtorId> = Vec::new();
        for &opened in &names.opened {
            for ctor in self.visible_ctors(opened, name) {
                if !found.contains(&ctor) {
                    found.push(ctor);
                }
            }
        }
        found
    }

    /// What the expression stands for when it may be a module, a type or a member.
    pub(crate) fn callee(&mut self, id: ast::ExprId) -> Callee {
        self.aside = None;
        match &self.ast.exprs[id].kind {
            ast::ExprKind::Name(seg) => self.name(id, seg),
            ast::ExprKind::Dot(base, seg) => {
                let target = self.qualifier(*base);
                if let Callee::Ctor { ctor, .. } = target
                    && !self.program.ctors[ctor].formals.is_empty()
                {
                    // A constructor without its arguments has no members.
                    let value = self.construct(*base, ctor, None, &[]);
                    let _ = value;
                    return Callee::Error;
                }
                let target = match target {
                    Callee::Type(_) | Callee::Module(_) | Callee::Error | Callee::Value(_) => {
                        target
                    }
                    other => Callee::Value(self.value_of(other, *base)),
                };
                self.select(id, target, seg)
            }
            _ => Callee::Value(self.expr(id)),
        }
    }

    /// What stands before a dot: there a type goes before a constructor of the same name.
    fn qualifier(&mut self, id: ast::ExprId) -> Callee {
        if let ast::ExprKind::Name(seg) = &self.ast.exprs[id].kind
            && self.scope.find(seg.name.sym).is_none()
            && let Some(module) = self.frame.module
            && let Some(found @ Entity::Type(_)) = self.find_in_module(module, seg.name.sym)
            && !self.find_ctors(seg.name.sym).is_empty()
        {
            return self.entity(id, Some(found), seg);
        }
        self.callee(id)
    }

    fn explicit_args(&mut self, seg: &ast::Seg) -> Option<Vec<Ty>> {
        let args = seg.args.as_ref()?;
        Some(
            args.iter()
                .map(|&ty| {
                    let ty = self.resolve_type(ty, Missing::Infer);
                    self.expand(ty)
                })
                .collect(),
        )
    }

    fn name(&mut self, id: ast::ExprId, seg: &ast::Seg) -> Callee {
        let name = seg.name.sym;
        if let Some(&(_, alias)) = self.aliases().iter().rev().find(|&&(n, _)| n == name) {
            return Callee::Value(alias);
        }
        if let Some(var) = self.scope.find(name) {
            self.link_var(seg.name, var);
            let ty = self.var_pre_type(var);
            return Callee::Value(self.push_expr(id, ExprKind::Var(var), ty));
        }
        if let Some(decl) = self.frame.decl
            && let Some(callee) = self.own_member(id, decl, seg)
        {
            return callee;
        }
        let ctors = self.find_ctors(name);
        if ctors.is_empty()
            && let Some(module) = self.frame.module
            && self.ambiguous(module, seg.name, false)
        {
            return Callee::Error;
        }
        let entity = self.frame.module.and_then(|m| self.find_in_module(m, name));
        if let [ctor] = ctors[..] {
            let own_entity = matches!(entity, Some(Entity::Member(_)));
            if !own_entity {
                self.link_ctor(seg.name, ctor);
                let args = self.explicit_args(seg);
                return Callee::Ctor { ctor, args };
            }
        }
        if ctors.len() > 1 {
            let text = self.text(name);
            let decl = self.program.ctors[ctors[0]].decl;
            let owner = self.text(self.program.decls[decl].name);
            self.error(
                seg.name.span,
                format!("the name '{text}' denotes a datatype constructor, but does not do so uniquely; add an explicit qualification (for example, '{owner}.{text}')"),
            );
            return Callee::Error;
        }
        self.entity(id, entity, seg)
    }

    fn entity(&mut self, _id: ast::ExprId, entity: Option<Entity>, seg: &ast::Seg) -> Callee {
        if let Some(entity) = entity {
            self.link_entity(seg.name, entity);
        }
        match entity {
            Some(Entity::Member(member)) => Callee::Member {
                member,
                receiver: None,
                owner_args: Vec::new(),
                explicit: self.explicit_args(seg),
            },
            Some(Entity::Type(decl)) => Callee::Type(self.type_with_args(decl, seg, false)),
            Some(Entity::Module(module)) => {
                self.check_abstract_use(module, seg.name);
                Callee::Module(module)
            }
            None => {
                if let Some(param) = self.scope.find_type_param(seg.name.sym) {
                    self.link_param(seg.name, param);
                    return Callee::Type(self.program.types.intern(TyKind::Param(param)));
                }
                let text = self.text(seg.name.sym);
                if let Some(base) = text.strip_suffix('?') {
                    let base = self.sym(base);
                    let found = self.frame.module.and_then(|m| self.find_in_module(m, base));
                    if let Some(found @ Entity::Type(decl)) = found {
                        self.link_entity(seg.name, found);
                        return Callee::Type(self.type_with_args(decl, seg, true));
                    }
                }
                self.error(seg.name.span, format!("unresolved identifier: {text}"));
                Callee::Error
            }
        }
    }

    fn type_with_args(&mut self, decl: DeclId, seg: &ast::Seg, nullable: bool) -> Ty {
        let want = self.program.decls[decl].params.len();
        let word = self.text(self.program.decls[decl].name);
        let args = self.type_args(
            seg.args.as_deref(),
            want,
            &word,
            seg.name.span,
            Missing::Infer,
        );
        let args = args.into_iter().map(|ty| self.expand(ty)).collect();
        self.program.types.intern(TyKind::Named {
            decl,
            args,
            nullable,
        })
    }

    /// Compiled modules do not use abstract ones.
    pub(crate) fn check_abstract_use(&mut self, module: ModuleId, name: ast::Name) {
        let Some(own) = self.frame.module else {
            return;
        };
        let nested = self.program.modules[module].parent == Some(own);
        if nested && self.program.modules[module].is_abstract && !self.in_abstract(own) {
            let text = self.text(name.sym);
            self.error(
                name.span,
                format!("a compiled module is not allowed to use an abstract module ({text})"),
            );
        }
    }

    /// Whether a module or one around it is abstract.
    pub(crate) fn in_abstract(&self, module: ModuleId) -> bool {
        let mut at = Some(module);
        while let Some(module) = at {
            if self.program.modules[module].is_abstract {
                return true;
            }
            at = self.program.modules[module].parent;
        }
        false
    }

    /// A member of the enclosing type, with an implicit receiver.
    fn own_member(&mut self, id: ast::ExprId, decl: DeclId, seg: &ast::Seg) -> Option<Callee> {
        let this = self.this_type(decl);
        let pre = pre_type(&self.program, this);
        let Some((found, owner)) = self.find_type_member(pre, seg.name.sym) else {
            // A newtype has the members of its base type.
            let name = self.text(seg.name.sym);
            let is_newtype = matches!(self.program.decls[decl].kind, TypeDeclKind::Newtype(_));
            if !is_newtype || self.frame.is_static || self.frame.this_type.is_none() {
                return None;
            }
            let receiver = self.this_expr(id);
            return self.built_in_member(id, receiver, pre, &name);
        };
        self.link_type_member(seg.name, &found);
        let is_static = match &found {
            TypeMember::Member(member) => self.program.members[*member].is_static,
            _ => false,
        };
        if is_static {
            let TypeMember::Member(member) = found else {
                return None;
            };
            return Some(Callee::Member {
                member,
                receiver: None,
                owner_args: self.program.types.children(owner),
                explicit: self.explicit_args(seg),
            });
        }
        let receiver = self.this_expr(id);
        Some(self.member_of(id, receiver, found, owner, seg))
    }

    /// `this`, explicit or implicit.
    pub(crate) fn this_expr(&mut self, id: ast::ExprId) -> ExprId {
        if let Some(alias) = self.scope_this_alias() {
            return alias;
        }
        let ty = match self.frame.this_type {
            Some(ty) if !self.frame.is_static => pre_type(&self.program, ty),
            _ => {
                let tok = self.ast.exprs[id].tok;
                self.error(tok, "'this' is not allowed in a 'static' context");
                self.program.types.error
            }
        };
        self.push_expr(id, ExprKind::This, ty)
    }

    /// A member of a pre-type by name, with the instance of the type that declares it.
    pub(crate) fn find_type_member(&self, ty: Ty, name: Symbol) -> Option<(TypeMember, Ty)> {
        self.find_type_member_at(ty, name, 0)
    }

    fn find_type_member_at(&self, ty: Ty, name: Symbol, depth: u32) -> Option<(TypeMember, Ty)> {
        if depth > 100 {
            return None;
        }
        let kind = self.program.types.kind(ty);
        if let TyKind::Named { decl, .. } = &*kind
            && let Some(found) = self.type_members.get(&(*decl, name))
        {
            return Some((found.clone(), ty)).filter(|(found, _)| match found {
                TypeMember::Member(member) => self.sees_member(*member),
                _ => self.sees_definition(*decl),
            });
        }
        for parent in self.program.parent_traits(ty) {
            let parent = pre_type(&self.program, parent);
            if let Some(found) = self.find_type_member_at(parent, name, depth + 1) {
                return Some(found);
            }
        }
        if let TyKind::Named { decl, args, .. } = &*kind
            && let TypeDeclKind::Newtype(c) = &self.program.decls[*decl].kind
            && self.sees_definition(*decl)
        {
            let base = self
                .program
                .instantiate(c.base, &self.program.decls[*decl].params, args);
            return self.find_type_member_at(pre_type(&self.program, base), name, depth + 1);
        }
        None
    }

    pub(crate) fn select(&mut self, id: ast::ExprId, base: Callee, seg: &ast::Seg) -> Callee {
        match base {
            Callee::Error => Callee::Error,
            Callee::Module(module) => self.select_in_module(id, module, seg),
            Callee::Type(ty) => self.select_in_type(id, ty, seg),
            other => {
                let value = self.value_of(other, id);
                self.select_in_value(id, value, seg)
            }
        }
    }

    fn select_in_module(&mut self, id: ast::ExprId, module: ModuleId, seg: &ast::Seg) -> Callee {
        let name = seg.name.sym;
        if self.program.text(name) == "_default" {
            return Callee::Module(module);
        }
        let ctors = self.visible_ctors(module, name);
        let entity = self.visible_from_here(module, name);
        if let [ctor] = ctors[..]
            && !matches!(entity, Some(Entity::Member(_)))
        {
            self.link_ctor(seg.name, ctor);
            let args = self.explicit_args(seg);
            return Callee::Ctor { ctor, args };
        }
        if entity.is_none() {
            let text = self.text(name);
            if let Some(base) = text.strip_suffix('?') {
                let base = self.sym(base);
                if let Some(found @ Entity::Type(decl)) = self.visible_from_here(module, base) {
                    self.link_entity(seg.name, found);
                    return Callee::Type(self.type_with_args(decl, seg, true));
                }
            }
            self.error(seg.name.span, format!("unresolved identifier: {text}"));
            return Callee::Error;
        }
        self.entity(id, entity, seg)
    }

    fn select_in_type(&mut self, id: ast::ExprId, ty: Ty, seg: &ast::Seg) -> Callee {
        let ty = self.program.expand_synonym(ty);
        let base = self.program.base_type(ty);
        if let TyKind::Named { decl, args, .. } = &*self.program.types.kind(base)
            && let Some(&ctor) = self.ctor_names.get(&(*decl, seg.name.sym))
            && self.sees_definition(*decl)
        {
            self.link_ctor(seg.name, ctor);
            return Callee::Ctor {
                ctor,
                args: Some(args.clone()),
            };
        }
        // Subset types have the members of their base.
        for owner in [ty, base] {
            let Some((TypeMember::Member(member), instance)) =
                self.find_type_member(owner, seg.name.sym)
            else {
                continue;
            };
            self.link_member(seg.name, member);
            if self.program.members[member].is_static || self.is_method(member) {
                return Callee::Member {
                    member,
                    receiver: None,
                    owner_args: self.program.types.children(instance),
                    explicit: self.explicit_args(seg),
                };
            }
            let text = self.text(seg.name.sym);
            let shown = self.show(ty);
            let _ = shown;
            self.error(
                seg.name.span,
                format!("accessing member '{text}' requires an instance expression"),
            );
            return Callee::Error;
        }
        let _ = id;
        let text = self.text(seg.name.sym);
        let message = self.no_member(base, &text);
        self.error(seg.name.span, message);
        Callee::Error
    }

    /// The message about a member that does not exist.
    fn no_member(&self, ty: Ty, name: &str) -> String {
        match &*self.program.types.kind(ty) {
            TyKind::Named { decl, .. } => {
                let what = self.decl_kind_word(*decl);
                let owner = self.text(self.program.decls[*decl].name);
                let exists = self
                    .type_members
                    .keys()
                    .any(|&(d, n)| d == *decl && self.program.text(n) == name);
                if exists {
                    return format!(
                        "member '{name}' has not been imported in this scope and cannot be accessed here"
                    );
                }
                format!("member '{name}' does not exist in {what} '{owner}'")
            }
            TyKind::Object { .. } => {
                format!("receiver type (object) does not have a member named {name}")
            }
            _ => format!("type {} does not have a member {name}", self.show(ty)),
        }
    }

    pub(crate) fn is_method(&self, member: MemberId) -> bool {
        matches!(self.program.members[member].kind, MemberKind::Method(_))
    }

    fn select_in_value(&mut self, id: ast::ExprId, value: ExprId, seg: &ast::Seg) -> Callee {
        let ty = self.program.exprs[value].ty;
        let ty = self.infer.force_default(&self.program, ty);
        if ty == self.program.types.error {
            return Callee::Error;
        }
        if let Some((found, owner)) = self.find_type_member(ty, seg.name.sym) {
            self.link_type_member(seg.name, &found);
            return self.member_of(id, value, found, owner, seg);
        }
        let text = self.text(seg.name.sym);
        if let Some(callee) = self.built_in_member(id, value, ty, &text) {
            return callee;
        }
        if matches!(&*self.program.types.kind(ty), TyKind::Infer(_)) {
            self.error(
                self.program.exprs[value].tok,
                "type of the receiver is not fully determined at this program point",
            );
            return Callee::Error;
        }
        let message = self.no_member(ty, &text);
        self.error(seg.name.span, message);
        Callee::Error
    }

    /// A member found in `owner`, selected from a value.
    fn member_of(
        &mut self,
        id: ast::ExprId,
        receiver: ExprId,
        found: TypeMember,
        owner: Ty,
        seg: &ast::Seg,
    ) -> Callee {
        let owner_args = self.program.types.children(owner);
        match found {
            TypeMember::Member(member) => {
                let is_static = self.program.members[member].is_static;
                let value = &self.program.exprs[receiver];
                if is_static && !matches!(value.kind, ExprKind::Var(_) | ExprKind::This) {
                    self.aside = Some(receiver);
                }
                Callee::Member {
                    member,
                    receiver: (!is_static).then_some(receiver),
                    owner_args,
                    explicit: self.explicit_args(seg),
                }
            }
            TypeMember::Destructor(ctors) => {
                let (ctor, position) = ctors[0];
                let decl = self.program.ctors[ctor].decl;
                let formal = self.program.ctors[ctor].formals[position as usize];
                let ty = self.var_pre_type(formal);
                let params = self.program.decls[decl].params.clone();
                let ty = self.program.instantiate(ty, &params, &owner_args);
                let kind = ExprKind::Destructor {
                    value: receiver,
                    ctors,
                };
                Callee::Value(self.push_expr(id, kind, ty))
            }
            TypeMember::Discriminator(ctor) => {
                let ty = self.program.types.bool_;
                Callee::Value(self.push_expr(id, ExprKind::Discriminator(receiver, ctor), ty))
            }
        }
    }

    fn built_in_member(
        &mut self,
        id: ast::ExprId,
        value: ExprId,
        ty: Ty,
        name: &str,
    ) -> Option<Callee> {
        let int = self.program.types.int;
        let bool_ = self.program.types.bool_;
        let repr = self.program.representation(ty);
        let kind = self.program.types.kind(repr);
        let (property, result) = match (&*kind, name) {
            (TyKind::Array { dims, .. }, _) => {
                (Property::ArrayLength(array_length(name, *dims)?), int)
            }
            (TyKind::Real, "Floor") => (Property::Floor, int),
            (TyKind::Map { key, finite, .. }, "Keys") => (
                Property::Keys,
                self.program.types.intern(TyKind::Set {
                    finite: *finite,
                    elem: *key,
                }),
            ),
            (TyKind::Map { value, finite, .. }, "Values") => (
                Property::Values,
                self.program.types.intern(TyKind::Set {
                    finite: *finite,
                    elem: *value,
                }),
            ),
            (TyKind::Map { key, value, finite }, "Items") => {
                let pair = TyKind::Tuple(vec![*key, *value], vec![false, false]);
                let elem = self.program.types.intern(pair);
                let items = TyKind::Set {
                    finite: *finite,
                    elem,
                };
                (Property::Items, self.program.types.intern(items))
            }
            (TyKind::Ordinal, "IsLimit") => (Property::IsLimit, bool_),
            (TyKind::Ordinal, "IsSucc") => (Property::IsSucc, bool_),
            (TyKind::Ordinal, "IsNat") => (Property::IsNat, bool_),
            (TyKind::Ordinal, "Offset") => (Property::Offset, int),
            (TyKind::Bv(_), "RotateLeft" | "RotateRight") => {
                return Some(Callee::Rotate(value, name == "RotateLeft"));
            }
            (TyKind::Arrow { .. }, "requires" | "reads") => {
                return Some(Callee::FnProperty(value, name == "requires"));
            }
            (TyKind::Tuple(items, _), _) => {
                let index: usize = name.parse().ok()?;
                let item = *items.get(index)?;
                let kind = ExprKind::TupleSelect(value, index as u32);
                return Some(Callee::Value(self.push_expr(id, kind, item)));
            }
            _ => return None,
        };
        Some(Callee::Value(self.push_expr(
            id,
            ExprKind::Property(property, value),
            result,
        )))
    }

    /// A value, after an expression that is evaluated for nothing else than having a value.
    pub(crate) fn beside(&mut self, aside: Option<ExprId>, body: ExprId) -> ExprId {
        let Some(aside) = aside else {
            return body;
        };
        let (ty, span) = (self.program.exprs[aside].ty, self.program.exprs[aside].span);
        let pattern = Pattern {
            kind: PatternKind::Wild,
            ty,
            span,
        };
        let kind = ExprKind::Let {
            patterns: vec![pattern],
            values: vec![aside],
            body,
            ghost: false,
            attributes: Vec::new(),
        };
        let made = &self.program.exprs[body];
        let (span, tok, ty) = (made.span, made.tok, made.ty);
        self.push_expr_at(span, tok, kind, ty)
    }

    /// The value of something that was not applied to arguments.
    pub(crate) fn value_of(&mut self, callee: Callee, id: ast::ExprId) -> ExprId {
        let tok = self.ast.exprs[id].tok;
        match callee {
            Callee::Value(value) => value,
            Callee::Error => self.error_expr(id),
            Callee::Ctor { ctor, args } => {
                if !self.program.ctors[ctor].formals.is_empty()
                    && !self.all_default(&self.program.ctors[ctor].formals.clone())
                {
                    let text = self.text(self.program.ctors[ctor].name);
                    let count = self.program.ctors[ctor].formals.len();
                    self.error(
                        tok,
                        format!(
                            "constructor '{text}' of arity {count} is applied without any arguments"
                        ),
                    );
                    return self.error_expr(id);
                }
                self.construct(id, ctor, args, &[])
            }
            Callee::Member {
                member,
                receiver,
                owner_args,
                explicit,
            } => {
                let aside = self.aside.take();
                let value = self.member_value(id, member, receiver, owner_args, explicit);
                self.beside(aside, value)
            }
            Callee::Type(ty) => {
                let shown = self.show(ty);
                self.error(tok, format!("name of type ({shown}) is used as a variable"));
                self.error_expr(id)
            }
            Callee::Module(module) => {
                let text = self.text(self.program.modules[module].name);
                self.error(
                    tok,
                    format!("name of module ({text}) is used as a variable"),
                );
                self.error_expr(id)
            }
            Callee::FnProperty(function, requires) => self.fn_property(id, function, requires),
            Callee::Rotate(_, left) => {
                let name = if left { "RotateLeft" } else { "RotateRight" };
                self.error(
                    tok,
                    format!("built-in function '{name}' can only be used if applied to arguments"),
                );
                self.error_expr(id)
            }
        }
    }

    fn all_default(&self, formals: &[crate::tree::VarId]) -> bool {
        let _ = formals;
        false
    }

    fn fn_property(&mut self, id: ast::ExprId, function: ExprId, requires: bool) -> ExprId {
        let ty = self.ty_of(function);
        let TyKind::Arrow { params, .. } = &*self.program.types.kind(ty) else {
            return self.error_expr(id);
        };
        let result = if requires {
            self.program.types.bool_
        } else {
            self.program.types.intern(TyKind::Set {
                finite: true,
                elem: self.program.types.object_nullable,
            })
        };
        let ty = super::infer::arrow(&self.program, params.clone(), result);
        self.push_expr(id, ExprKind::FnProperty(function, requires), ty)
    }
}

/// The dimension that `Length`, `Length0`, `Length1`, … names.
fn array_length(name: &str, dims: u32) -> Option<u32> {
    let rest = name.strip_prefix("Length")?;
    if rest.is_empty() {
        return (dims == 1).then_some(0);
    }
    rest.parse().ok().filter(|&d| d < dims)
}
