//! Ids and signatures of types, constructors and members.

use super::types::Missing;
use super::{Entity, Resolver, TypeMember};
use crate::ast;
use crate::tree::{
    Characteristics, Constrained, Ctor, CtorId, DeclId, Decreases, Extreme, Frame, Function,
    Member, MemberId, MemberKind, Method, MethodKind, ModuleId, Owner, Ty, TypeDecl, TypeDeclKind,
    TypeParam, TypeParamId, TypeParamOwner, VarId, VarKind, Variance, Visibility, Witness,
};
use std::rc::Rc;
use stet_base::{Index, Span};

impl Resolver<'_> {
    /// Declares everything in all modules.
    pub(crate) fn declare_all(&mut self) {
        for at in 0..self.work.len() {
            let module = self.work[at].id;
            let decls = std::mem::take(&mut self.work[at].decls);
            self.frame.module = Some(module);
            // Members have their names first: a type or module of the same name is the duplicate.
            let mut types = Vec::new();
            for decl in decls {
                match decl {
                    ast::Decl::Type(decl) => types.push(*decl),
                    ast::Decl::Member(member) => {
                        let owner = Owner::Module(module);
                        self.declare_member(module, owner, *member);
                    }
                    _ => {}
                }
            }
            for decl in types {
                self.declare_type(module, decl);
            }
        }
        self.build_exports();
        self.find_hideable();
        self.check_imports();
        self.resolve_type_heads();
        self.resolve_signatures();
        self.check_inheritance();
    }

    pub(crate) fn declare_type(&mut self, module: ModuleId, syntax: ast::TypeDecl) {
        let name = syntax.name;
        if self.modules[module.index()].own.contains_key(&name.sym) {
            let text = self.text(name.sym);
            self.error(
                name.span,
                format!("duplicate name of top-level declaration: {text}"),
            );
            if matches!(
                syntax.kind,
                ast::TypeDeclKind::Class | ast::TypeDeclKind::Trait
            ) {
                self.error(name.span, format!("Type or type parameter is not declared in this scope: {text}? (did you forget to qualify a name or declare a module import 'opened'?) (note that names in outer modules are not visible in contained modules)"));
            }
            return;
        }
        let decl = self.program.decls.push(TypeDecl {
            name: name.sym,
            span: name.span,
            module,
            params: Vec::new(),
            parents: Vec::new(),
            kind: TypeDeclKind::Abstract(Characteristics::default()),
            members: Vec::new(),
            attributes: Vec::new(),
            refines: None,
        });
        self.modules[module.index()]
            .own
            .insert(name.sym, Entity::Type(decl));
        self.program.modules[module].types.push(decl);
        let params = self.declare_type_params(&syntax.params, TypeParamOwner::Type(decl));
        self.program.decls[decl].params = params;
        self.program.decls[decl].kind = self.type_shell(decl, module, &syntax);
        for member in &syntax.members {
            self.declare_member(module, Owner::Type(decl), member.clone());
        }
        self.type_syntax.insert(decl, Rc::new(syntax));
    }

    /// The kind of a type before its parts are resolved.
    pub(crate) fn type_shell(
        &mut self,
        decl: DeclId,
        module: ModuleId,
        syntax: &ast::TypeDecl,
    ) -> TypeDeclKind {
        let error = self.program.types.error;
        let unresolved = Constrained {
            base: error,
            var: None,
            constraint: None,
            witness: Witness::Default,
        };
        match &syntax.kind {
            ast::TypeDeclKind::Class => TypeDeclKind::Class {
                has_constructor: syntax.members.iter().any(is_constructor),
            },
            ast::TypeDeclKind::Trait => TypeDeclKind::Trait {
                is_reference: false,
            },
            ast::TypeDeclKind::Datatype { co, ctors } => {
                let co = *co;
                let ctors = self.declare_ctors(decl, module, ctors);
                TypeDeclKind::Datatype {
                    co,
                    ctors,
                    grounding_ctor: None,
                }
            }
            ast::TypeDeclKind::Newtype(_) => TypeDeclKind::Newtype(unresolved),
            ast::TypeDeclKind::Subset(_) => TypeDeclKind::Subset(unresolved),
            ast::TypeDeclKind::Synonym(_) => TypeDeclKind::Synonym(error),
            ast::TypeDeclKind::Abstract(own) => TypeDeclKind::Abstract(characteristics(own)),
            ast::TypeDeclKind::Iterator(_) => TypeDeclKind::Iterator(Box::default()),
        }
    }

    pub(crate) fn declare_ctors(
        &mut self,
        decl: DeclId,
        module: ModuleId,
        ctors: &[ast::Ctor],
    ) -> Vec<CtorId> {
        let mut out = Vec::new();
        for (index, ctor) in ctors.iter().enumerate() {
            let name = ctor.name;
            if self.ctor_names.contains_key(&(decl, name.sym)) {
                let text = self.text(name.sym);
                self.error(
                    name.span,
                    format!("Duplicate datatype constructor name: {text}"),
                );
                continue;
            }
            let id = self.program.ctors.push(Ctor {
                name: name.sym,
                span: name.span,
                decl,
                index: index as u32,
                ghost: ctor.ghost,
                formals: Vec::new(),
                attributes: Vec::new(),
            });
            self.ctor_names.insert((decl, name.sym), id);
            let query = format!("{}?", self.program.text(name.sym));
            let query = self.sym(&query);
            self.type_members
                .insert((decl, query), TypeMember::Discriminator(id));
            self.modules[module.index()]
                .ctors
                .entry(name.sym)
                .or_default()
                .push(id);
            out.push(id);
        }
        out
    }

    pub(crate) fn declare_type_params(
        &mut self,
        params: &[ast::TypeParam],
        owner: TypeParamOwner,
    ) -> Vec<TypeParamId> {
        let mut out: Vec<TypeParamId> = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let name = param.name;
            if out
                .iter()
                .any(|&p| self.program.type_params[p].name == name.sym)
            {
                let text = self.text(name.sym);
                self.error(name.span, format!("Duplicate type-parameter name: {text}"));
            }
            out.push(self.program.type_params.push(TypeParam {
                name: name.sym,
                span: name.span,
                owner,
                index: index as u32,
                variance: param.variance.unwrap_or(Variance::Invariant),
                characteristics: characteristics(param),
                bounds: Vec::new(),
            }));
        }
        out
    }

    pub(crate) fn declare_member(
        &mut self,
        module: ModuleId,
        owner: Owner,
        syntax: ast::Member,
    ) -> Option<MemberId> {
        let name = syntax.name;
        if let Owner::Module(m) = owner
            && let Some(&Entity::Module(inner)) = self.modules[m.index()].own.get(&name.sym)
        {
            let text = self.text(name.sym);
            let span = self.program.modules[inner].span;
            self.error(
                span,
                format!("duplicate name of top-level declaration: {text}"),
            );
            return None;
        }
        let duplicate = match owner {
            Owner::Module(m) => self.modules[m.index()].own.contains_key(&name.sym),
            Owner::Type(d) => {
                self.type_members.contains_key(&(d, name.sym))
                    || self.ctor_names.contains_key(&(d, name.sym))
            }
        };
        if duplicate {
            let text = self.text(name.sym);
            let text = if text == "_ctor" {
                self.error(name.span, "More than one anonymous constructor");
                return None;
            } else {
                text
            };
            self.error(name.span, format!("Duplicate member name: {text}"));
            return None;
        }
        self.check_member_place(owner, &syntax);
        let (kind, ghost, opaque) = self.member_shell(&syntax);
        let id = self.program.members.push(Member {
            name: name.sym,
            span: name.span,
            owner,
            module,
            is_static: syntax.mods.is_static.is_some() || matches!(owner, Owner::Module(_)),
            ghost,
            opaque,
            overrides: Vec::new(),
            refines: None,
            visibility: Visibility::Revealed,
            kind,
            attributes: Vec::new(),
            verify: syntax.verify,
        });
        match owner {
            Owner::Module(m) => {
                self.modules[m.index()]
                    .own
                    .insert(name.sym, Entity::Member(id));
                self.program.modules[m].members.push(id);
            }
            Owner::Type(d) => {
                self.type_members
                    .insert((d, name.sym), TypeMember::Member(id));
                self.program.decls[d].members.push(id);
            }
        }
        self.member_syntax.insert(id, Rc::new(syntax));
        Some(id)
    }

    /// Rules about where members stand and which attributes they carry.
    pub(crate) fn check_member_place(&mut self, owner: Owner, syntax: &ast::Member) {
        let _ = owner;
        let find = |r: &Self, name: &str| {
            let mut attrs = syntax.attrs.iter();
            attrs
                .find(|a| r.program.text(a.name.sym) == name)
                .map(|a| a.name.span)
        };
        if let (Some(a), Some(b)) = (find(self, "rlimit"), find(self, "resource_limit")) {
            self.error(
                a.min(b),
                "the rlimit and resource_limit attributes cannot be used together",
            );
        }
    }

    pub(crate) fn member_shell(&mut self, syntax: &ast::Member) -> (MemberKind, bool, bool) {
        let error = self.program.types.error;
        let opaque_attr = self.program.names.intern("opaque");
        let opaque =
            syntax.mods.opaque.is_some() || syntax.attrs.iter().any(|a| a.name.sym == opaque_attr);
        let ghost = syntax.mods.ghost.is_some();
        match &syntax.kind {
            ast::MemberKind::Field(_) => (MemberKind::Field { ty: error }, ghost, false),
            ast::MemberKind::Const(..) => (
                MemberKind::Const {
                    ty: error,
                    value: None,
                },
                ghost,
                opaque,
            ),
            ast::MemberKind::Function(f) => {
                let function = self.function_shell(f);
                (MemberKind::Function(Box::new(function)), ghost, opaque)
            }
            ast::MemberKind::Method(m) => {
                let lemma = matches!(
                    m.kind,
                    ast::MethodKind::Lemma | ast::MethodKind::TwostateLemma
                );
                let method = self.method_shell(m);
                (MemberKind::Method(Box::new(method)), ghost || lemma, opaque)
            }
        }
    }

    pub(crate) fn extreme(
        &mut self,
        mark: Option<ast::ExtremeMark>,
        span: Span,
    ) -> Option<Extreme> {
        let mark = mark?;
        let k_type = if mark.nat {
            self.program.types.nat
        } else {
            self.program.types.ordinal
        };
        let name = self.sym("_k");
        let k_var = self.new_var(name, span, VarKind::In, k_type, true);
        Some(Extreme {
            kind: mark.kind,
            k_type,
            k_var,
        })
    }

    pub(crate) fn function_shell(&mut self, f: &ast::Function) -> Function {
        let span = Span {
            file: Index::from_index(0),
            start: 0,
            end: 0,
        };
        Function {
            params: Vec::new(),
            ins: Vec::new(),
            result_var: None,
            result: self.program.types.bool_,
            is_predicate: f.is_predicate,
            twostate: f.twostate,
            extreme: self.extreme(f.extreme, span),
            requires: Vec::new(),
            ensures: Vec::new(),
            reads: Frame::default(),
            decreases: Decreases::default(),
            body: None,
            by_method: None,
            scc: 0,
            recursive: false,
        }
    }

    pub(crate) fn method_shell(&mut self, m: &ast::Method) -> Method {
        let span = Span {
            file: Index::from_index(0),
            start: 0,
            end: 0,
        };
        Method {
            kind: match m.kind {
                ast::MethodKind::Method => MethodKind::Method,
                ast::MethodKind::Lemma => MethodKind::Lemma,
                ast::MethodKind::TwostateLemma => MethodKind::TwostateLemma,
                ast::MethodKind::Constructor => MethodKind::Constructor,
            },
            params: Vec::new(),
            ins: Vec::new(),
            outs: Vec::new(),
            extreme: self.extreme(m.extreme, span),
            requires: Vec::new(),
            ensures: Vec::new(),
            reads: Frame::default(),
            modifies: Frame::default(),
            decreases: Decreases::default(),
            body: None,
            body_after_new: None,
            scc: 0,
            recursive: false,
        }
    }

    /// Enters the module and type a declaration is in.
    pub(crate) fn enter_decl(&mut self, decl: DeclId) {
        let d = &self.program.decls[decl];
        let (module, params) = (d.module, d.params.clone());
        self.look_from(module);
        self.scope.clear();
        self.frame = super::scope::Frame {
            module: Some(module),
            decl: Some(decl),
            ..Default::default()
        };
        self.bring_params(&params);
        self.frame.this_type = Some(self.this_type(decl));
    }

    /// The type of `this` in a declaration.
    pub(crate) fn this_type(&self, decl: DeclId) -> Ty {
        let args = self.own_args(&self.program.decls[decl].params);
        self.program.types.intern(crate::tree::TyKind::Named {
            decl,
            args,
            nullable: false,
        })
    }

    pub(crate) fn bring_params(&mut self, params: &[TypeParamId]) {
        for &param in params {
            let name = self.program.type_params[param].name;
            self.scope.type_params.push((name, param));
        }
    }

    pub(crate) fn enter_member(&mut self, member: MemberId) {
        let m = &self.program.members[member];
        let (owner, module, is_static) = (m.owner, m.module, m.is_static);
        match owner {
            Owner::Type(decl) => self.enter_decl(decl),
            Owner::Module(_) => {
                self.look_from(module);
                self.scope.clear();
                self.frame = super::scope::Frame {
                    module: Some(module),
                    ..Default::default()
                };
            }
        }
        self.frame.member = Some(member);
        self.frame.is_static = is_static;
        let params = self.program.type_params_of(member).to_vec();
        self.bring_params(&params);
    }

    /// Types of constructor arguments, fields, parameters and results.
    pub(crate) fn resolve_signatures(&mut self) {
        let decls: Vec<DeclId> = self.program.decls.ids().collect();
        for &decl in &decls {
            self.enter_decl(decl);
            let Some(syntax) = self.type_syntax.get(&decl).cloned() else {
                continue;
            };
            match &syntax.kind {
                ast::TypeDeclKind::Datatype { ctors, .. } => self.resolve_ctors(decl, ctors),
                ast::TypeDeclKind::Iterator(iterator) => self.iterator_signature(decl, iterator),
                _ => {}
            }
        }
        let members: Vec<MemberId> = self.program.members.ids().collect();
        for member in members {
            let Some(syntax) = self.member_syntax.get(&member).cloned() else {
                continue;
            };
            self.enter_member(member);
            self.resolve_signature(member, &syntax);
        }
    }

    pub(crate) fn resolve_ctors(&mut self, decl: DeclId, syntax: &[ast::Ctor]) {
        let ctors = self.program.ctors_of(decl).to_vec();
        for id in ctors {
            let Some(ctor) = syntax
                .iter()
                .find(|c| c.name.sym == self.program.ctors[id].name)
            else {
                continue;
            };
            let formals =
                self.resolve_formals(&ctor.formals, VarKind::In, Missing::Error, ctor.ghost);
            for (position, &formal) in formals.iter().enumerate() {
                if self.program.vars[formal].user_named {
                    self.add_destructor(decl, id, formal, position as u32);
                }
            }
            self.program.ctors[id].formals = formals;
        }
    }

    pub(crate) fn add_destructor(
        &mut self,
        decl: DeclId,
        ctor: CtorId,
        formal: VarId,
        position: u32,
    ) {
        let name = self.program.vars[formal].name;
        match self.type_members.get_mut(&(decl, name)) {
            Some(TypeMember::Destructor(list)) => {
                let (first, first_position) = list[0];
                list.push((ctor, position));
                self.check_shared_destructor(first, first_position, ctor, formal);
            }
            Some(_) => {
                let text = self.text(name);
                let span = self.program.vars[formal].span;
                self.error(
                    span,
                    format!("a datatype deconstructor can not have the same name as a datatype member: {text}"),
                );
            }
            None => {
                self.type_members
                    .insert((decl, name), TypeMember::Destructor(vec![(ctor, position)]));
            }
        }
    }

    /// Constructor parameters of one name have one type.
    pub(crate) fn check_shared_destructor(
        &mut self,
        first: CtorId,
        position: u32,
        ctor: CtorId,
        own: VarId,
    ) {
        let Some(&formal) = self.program.ctors[first].formals.get(position as usize) else {
            return;
        };
        let (a, b) = (self.program.vars[formal].ty, self.program.vars[own].ty);
        if a != b {
            let message = format!(
                "shared destructors must have the same type, but '{}' has type '{}' in constructor '{}' and type '{}' in constructor '{}'",
                self.text(self.program.vars[own].name),
                self.program.show_type(a),
                self.text(self.program.ctors[first].name),
                self.program.show_type(b),
                self.text(self.program.ctors[ctor].name)
            );
            self.error(self.program.vars[own].span, message);
        }
    }

    pub(crate) fn resolve_formals(
        &mut self,
        formals: &[ast::Formal],
        kind: VarKind,
        missing: Missing,
        ghost: bool,
    ) -> Vec<VarId> {
        let mut out: Vec<VarId> = Vec::new();
        for (i, formal) in formals.iter().enumerate() {
            let ty = self.resolve_type(formal.ty, missing);
            let ty = self.expand(ty);
            let name = match formal.name {
                Some(name) => name.sym,
                None => self.sym(&format!("#{i}")),
            };
            if formal.name.is_some() && out.iter().any(|&v| self.program.vars[v].name == name) {
                let text = self.text(name);
                self.error(formal.span, format!("Duplicate parameter name: {text}"));
            }
            let var = self.new_var(name, formal.span, kind, ty, formal.ghost || ghost);
            let v = &mut self.program.vars[var];
            v.is_new = formal.is_new;
            v.is_older = formal.is_older;
            v.user_named = formal.name.is_some();
            if formal.nameonly {
                self.nameonly.insert(var);
            }
            out.push(var);
        }
        out
    }

    pub(crate) fn resolve_signature(&mut self, member: MemberId, syntax: &ast::Member) {
        match &syntax.kind {
            ast::MemberKind::Field(ty) => {
                self.in_compiled_type = !self.program.members[member].ghost;
                self.type_place = Some(syntax.name.span);
                let ty = self.resolve_type(*ty, Missing::Error);
                self.type_place = None;
                self.in_compiled_type = false;
                let ty = self.expand(ty);
                self.program.members[member].kind = MemberKind::Field { ty };
            }
            ast::MemberKind::Const(ty, _, _) => {
                if let Some(ty) = ty {
                    let ty = self.resolve_type(*ty, Missing::Error);
                    let ty = self.expand(ty);
                    self.program.members[member].kind = MemberKind::Const { ty, value: None };
                } else {
                    self.const_state.insert(member, false);
                }
            }
            ast::MemberKind::Function(f) => self.function_signature(member, f, syntax),
            ast::MemberKind::Method(m) => self.method_signature(member, m, syntax),
        }
    }

    pub(crate) fn function_signature(
        &mut self,
        member: MemberId,
        f: &ast::Function,
        syntax: &ast::Member,
    ) {
        if f.refining {
            self.not_refining(syntax);
        }
        let params = self.declare_type_params(&f.params, TypeParamOwner::Member(member));
        self.bring_params(&params);
        self.set_params(member, params.clone());
        self.resolve_bounds(&f.params, &params);
        let ghost = self.program.members[member].ghost;
        let ins = self.resolve_formals(&f.ins, VarKind::In, Missing::Extend(member), false);
        let result = match f.result {
            Some(ty) => self.resolve_type(ty, Missing::Extend(member)),
            None => self.program.types.bool_,
        };
        let result = self.expand(result);
        let truth = result == self.program.types.bool_;
        for formal in f.ins.iter().filter(|i| i.is_older && !truth) {
            let span = formal.name.map_or(formal.span, |n| n.span);
            self.error(
                span,
                "only predicates and two-state predicates are allowed 'older' parameters",
            );
        }
        let result_var = f
            .result_name
            .map(|name| self.new_var(name.sym, name.span, VarKind::Out, result, ghost));
        if let MemberKind::Function(function) = &mut self.program.members[member].kind {
            function.ins = ins;
            function.result = result;
            function.result_var = result_var;
        }
    }

    pub(crate) fn not_refining(&mut self, syntax: &ast::Member) {
        let text = self.text(syntax.name.sym);
        self.error(
            syntax.name.span,
            format!("declaration '{text}' indicates refining (notation `...`), but does not refine anything"),
        );
    }

    pub(crate) fn set_params(&mut self, member: MemberId, params: Vec<TypeParamId>) {
        match &mut self.program.members[member].kind {
            MemberKind::Function(f) => f.params = params,
            MemberKind::Method(m) => m.params = params,
            _ => {}
        }
    }

    pub(crate) fn method_signature(
        &mut self,
        member: MemberId,
        m: &ast::Method,
        syntax: &ast::Member,
    ) {
        if m.refining {
            self.not_refining(syntax);
        }
        let params = self.declare_type_params(&m.params, TypeParamOwner::Member(member));
        self.bring_params(&params);
        self.set_params(member, params.clone());
        self.resolve_bounds(&m.params, &params);
        let ghost = self.program.members[member].ghost;
        let ins = self.resolve_formals(&m.ins, VarKind::In, Missing::Extend(member), ghost);
        let outs = self.resolve_formals(&m.outs, VarKind::Out, Missing::Extend(member), ghost);
        for &out in &outs {
            let name = self.program.vars[out].name;
            if ins.iter().any(|&i| self.program.vars[i].name == name) {
                let text = self.text(name);
                let span = self.program.vars[out].span;
                self.error(span, format!("Duplicate parameter name: {text}"));
            }
        }
        if let MemberKind::Method(method) = &mut self.program.members[member].kind {
            method.ins = ins;
            method.outs = outs;
        }
    }
}

fn is_constructor(member: &ast::Member) -> bool {
    matches!(&member.kind, ast::MemberKind::Method(m) if m.kind == ast::MethodKind::Constructor)
}

fn characteristics(param: &ast::TypeParam) -> Characteristics {
    Characteristics {
        equality: param.equality,
        auto_init: param.auto_init,
        nonempty: param.nonempty,
        no_references: param.no_references,
    }
}
