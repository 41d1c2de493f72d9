//! Classes, traits, fields, constants, arrays; the checks of type declarations and constants.

use crate::cx::{Cx, Env, Instance};
use crate::decl::{Body, Clause, Decl, Procedure, Role};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, check};
use stet_dafny::tree::{AutoInit, DeclId, MemberId, MemberKind, Ty, TyKind, TypeDeclKind, Witness};

/// How deep a datatype is looked at inside of other instances of itself: its arguments may grow without end.
const MAX_NESTED: usize = 3;

impl Cx<'_> {
    /// Declares the class constant of a type, or the predicate of a trait, and what a class is.
    pub(crate) fn declare_class(&mut self, ty: Ty) {
        self.need(Chunk::Heap);
        let name = self.mangle(ty);
        let kind = self.p.types.kind(ty);
        let is_trait = matches!(&*kind, TyKind::Named { decl, .. }
            if matches!(self.p.decls[*decl].kind, TypeDeclKind::Trait { .. }));
        if is_trait {
            self.decls.push(Decl::Function {
                name: format!("$isa.{name}").into(),
                ins: vec![("c".into(), Sort::named("$Class"))],
                out: Sort::named("bool"),
                role: Role::Plain,
            });
            // An object of a trait is one of the traits above it.
            for parent in self.p.parent_traits(ty) {
                let above = self.is_trait_class(parent, &var("c"));
                let is = app(&format!("$isa.{name}"), vec![var("c")]);
                let body = imp(is.clone(), above);
                let vars = vec![("c".into(), Sort::named("$Class"))];
                self.decls
                    .push(Decl::Axiom(forall(vars, vec![vec![is]], body)));
            }
            return;
        }
        let constant: Name = format!("$class.{name}").into();
        self.decls.push(Decl::Const {
            name: constant.clone(),
            sort: Sort::named("$Class"),
            unique: true,
        });
        for parent in self.p.parent_traits(ty) {
            let fact = self.is_trait_class(parent, &var(&constant));
            self.decls.push(Decl::Axiom(fact));
        }
    }

    fn is_trait_class(&mut self, parent: Ty, class: &B) -> B {
        let parent = self.non_null(parent);
        if let TyKind::Object { .. } = &*self.p.types.kind(parent) {
            return tt();
        }
        self.request(crate::cx::Work::Class(parent));
        let name = self.mangle(parent);
        app(&format!("$isa.{name}"), vec![class.clone()])
    }

    /// Declares a field, and that what is in it has its type.
    pub(crate) fn declare_field(&mut self, instance: &Instance) {
        self.need(Chunk::Heap);
        let path = self.p.member_path(instance.member);
        let name: Name = format!("$field.{path}").into();
        if self.made.insert(name.clone()) {
            self.decls.push(Decl::Const {
                name: name.clone(),
                sort: Sort::named("$Field"),
                unique: true,
            });
            let kind = app("$field.kind", vec![var(&name)]);
            self.decls.push(Decl::Axiom(eq(kind, int(2))));
        }
        let ty = self.field_type(instance.member, &instance.args);
        let Some(owner) = self.receiver_type(instance.member, &instance.args) else {
            return;
        };
        let is_owner = |cx: &mut Self, o: &B| cx.is_type(owner, o);
        let o = var("o");
        let guard = is_owner(self, &o);
        self.heap_contents(
            ty,
            guard,
            var(&name),
            vec![("o".into(), Sort::named("ref"))],
        );
    }

    /// Elements of arrays have the type of elements.
    pub(crate) fn declare_elements(&mut self, elem: Ty, dims: u32) {
        let ty = self.p.types.intern(TyKind::Array {
            dims,
            elem,
            nullable: false,
        });
        let o = var("o");
        let mut guard = self.is_type(ty, &o);
        let mut vars: Vec<TypedName> = vec![("o".into(), Sort::named("ref"))];
        let mut indices = Vec::new();
        for d in 0..dims {
            let name: Name = format!("i{d}").into();
            let length = self.array_length(dims, d, &o);
            let inside = and(le(int(0), var(&name)), lt(var(&name), length));
            guard = and(guard, inside);
            indices.push(var(&name));
            vars.push((name, Sort::named("int")));
        }
        let field = self.index_field(&indices);
        self.heap_contents(elem, guard, field, vars);
    }

    /// In proper heaps, a place of an object holds a value of a type, allocated if the object is.
    fn heap_contents(&mut self, ty: Ty, guard: B, field: B, mut vars: Vec<TypedName>) {
        let sort = self.sort_name(ty);
        self.need(Chunk::Box(sort.clone()));
        let (h, o) = (var("h"), var("o"));
        let place = select(select(h.clone(), o.clone()), field);
        let value = app(&format!("$Unbox${sort}"), vec![place]);
        vars.insert(0, ("h".into(), Sort::named("$HeapType")));
        let proper = and(app("$HeapOk", vec![h.clone()]), guard);
        // A type that may be empty says nothing: the place may not have been assigned yet.
        let typed = if self.may_be_unsatisfiable(ty) {
            tt()
        } else {
            self.is_type(ty, &value)
        };
        let allocated = self.is_alloc(ty, &value, &h);
        let allocated = imp(crate::types::alloc(&h, &o), allocated);
        let body = imp(proper, and(typed, allocated));
        self.decls
            .push(Decl::Axiom(forall(vars, vec![vec![value]], body)));
    }

    /// Whether a type has a part whose constraint may be false of everything.
    fn may_be_unsatisfiable(&self, ty: Ty) -> bool {
        match &*self.p.types.kind(ty) {
            TyKind::Named { decl, .. } => match &self.p.decls[*decl].kind {
                TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c) => {
                    c.witness == Witness::Unknown || self.may_be_unsatisfiable(c.base)
                }
                _ => false,
            },
            TyKind::Tuple(items, _) => items.iter().any(|&i| self.may_be_unsatisfiable(i)),
            _ => false,
        }
    }

    /// Declares a constant with its value.
    pub(crate) fn declare_const(&mut self, instance: &Instance) {
        let member = &self.p.members[instance.member];
        let MemberKind::Const { value, .. } = member.kind else {
            return;
        };
        let here = std::mem::replace(&mut self.here, member.span);
        let ty = self.field_type(instance.member, &instance.args);
        let sort = self.sort(ty);
        let name: Name = format!("$const.{}", self.instance_name(instance)).into();
        let mut env = Env::new(self.subst_of(instance), u32::MAX);
        if member.is_static {
            self.decls.push(Decl::Const {
                name: name.clone(),
                sort,
                unique: false,
            });
            let mut fact = self.constant_type(ty, &var(&name));
            if let Some(value) = value {
                let defined = eq(var(&name), self.expr(value, &env));
                fact = and(fact, self.when_seen(instance.member, &name, defined));
            }
            self.decls.push(Decl::Axiom(fact));
        } else if let Some(owner) = self.receiver_type(instance.member, &instance.args) {
            let this: TypedName = ("this".into(), self.sort(owner));
            self.decls.push(Decl::Function {
                name: name.clone(),
                ins: vec![this.clone()],
                out: sort,
                role: Role::Plain,
            });
            env.this = Some(var("this"));
            let read = app(&name, vec![var("this")]);
            let guard = self.is_type(owner, &var("this"));
            let mut fact = self.constant_type(ty, &read);
            if let Some(value) = value {
                let defined = eq(read.clone(), self.expr(value, &env));
                fact = and(fact, self.when_seen(instance.member, &name, defined));
            }
            let axiom = forall(
                vec![this.clone()],
                vec![vec![read.clone()]],
                imp(guard.clone(), fact),
            );
            self.decls.push(Decl::Axiom(axiom));
            if self.p.is_reference(owner) && self.p.may_contain_references(ty) {
                let h = var("h");
                let allocated = self.is_alloc(ty, &read, &h);
                let proper = and(app("$HeapOk", vec![h.clone()]), guard);
                let proper = and(proper, crate::types::alloc(&h, &var("this")));
                let vars = vec![("h".into(), Sort::named("$HeapType")), this];
                let trigger = vec![read, app("$HeapOk", vec![h])];
                let axiom = forall(vars, vec![trigger], imp(proper, allocated));
                self.decls.push(Decl::Axiom(axiom));
            }
        }
        self.here = here;
    }

    /// What is known of an opaque constant only after it was revealed, and of one that an export set provides without its
    /// value only where the value is seen.
    fn when_seen(&mut self, member: MemberId, constant: &str, fact: B) -> B {
        let seen = self.shown(member, constant);
        if self.p.members[member].opaque {
            imp(and(self.revealed(member), seen), fact)
        } else {
            imp(seen, fact)
        }
    }

    fn constant_type(&mut self, ty: Ty, value: &B) -> B {
        if self.may_be_unsatisfiable(ty) {
            tt()
        } else {
            self.is_type(ty, value)
        }
    }

    /// Whether a type has a value that can be made without being given.
    pub(crate) fn auto_init(&self, ty: Ty) -> AutoInit {
        self.auto_init_at(ty, &mut Vec::new())
    }

    fn auto_init_at(&self, ty: Ty, seen: &mut Vec<Ty>) -> AutoInit {
        match &*self.p.types.kind(ty) {
            TyKind::Array { nullable, .. } | TyKind::Object { nullable } => {
                if *nullable {
                    AutoInit::Compilable
                } else {
                    AutoInit::MaybeEmpty
                }
            }
            TyKind::Arrow { kind, result, .. } => {
                if *kind == stet_dafny::tree::ArrowKind::Total {
                    self.auto_init_at(*result, seen)
                } else {
                    AutoInit::Compilable
                }
            }
            TyKind::Tuple(items, _) => items
                .iter()
                .map(|&i| self.auto_init_at(i, seen))
                .min()
                .unwrap_or(AutoInit::Compilable),
            TyKind::Param(param) => characteristic(self.p.type_params[*param].characteristics),
            TyKind::Named {
                decl,
                args,
                nullable,
            } => {
                let declared = &self.p.decls[*decl];
                match &declared.kind {
                    TypeDeclKind::Class { .. }
                    | TypeDeclKind::Trait { .. }
                    | TypeDeclKind::Iterator(_) => {
                        if *nullable {
                            AutoInit::Compilable
                        } else {
                            AutoInit::MaybeEmpty
                        }
                    }
                    TypeDeclKind::Abstract(c) => characteristic(*c),
                    TypeDeclKind::Synonym(_) => self.auto_init_at(self.p.expand_synonym(ty), seen),
                    TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c) => match c.witness {
                        Witness::Default => {
                            let base = self.p.instantiate(c.base, &declared.params, args);
                            self.auto_init_at(base, seen)
                        }
                        Witness::Compiled(_) => AutoInit::Compilable,
                        Witness::Ghost(_) => AutoInit::Nonempty,
                        Witness::Unknown => AutoInit::MaybeEmpty,
                    },
                    TypeDeclKind::Datatype {
                        grounding_ctor,
                        ctors,
                        ..
                    } => {
                        let same = seen.iter().filter(|&&t| {
                            matches!(&*self.p.types.kind(t), TyKind::Named { decl: d, .. } if d == decl)
                        });
                        if seen.contains(&ty) || same.count() > MAX_NESTED || seen.len() > 50 {
                            return AutoInit::MaybeEmpty;
                        }
                        seen.push(ty);
                        let candidates: Vec<_> = match grounding_ctor {
                            Some(ctor) => vec![*ctor],
                            None => ctors.clone(),
                        };
                        let types = self.field_types(&candidates, *decl, args);
                        let of_ctor = |fields: Vec<Ty>, seen: &mut Vec<Ty>| {
                            let fields = fields.into_iter();
                            fields
                                .map(|f| self.auto_init_at(f, seen))
                                .min()
                                .unwrap_or(AutoInit::Compilable)
                        };
                        let best = types.into_iter().map(|f| of_ctor(f, seen)).max();
                        seen.pop();
                        best.unwrap_or(AutoInit::MaybeEmpty)
                    }
                }
            }
            _ => AutoInit::Compilable,
        }
    }

    /// Checks that a constraint makes sense and that the type is inhabited as it says.
    pub(crate) fn verify_type(&mut self, decl: DeclId) {
        let declared = &self.p.decls[decl];
        let (TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c)) = &declared.kind else {
            return;
        };
        let constraint = c.var.zip(c.constraint);
        let has_witness = matches!(c.witness, Witness::Compiled(_) | Witness::Ghost(_));
        if constraint.is_none() && !has_witness {
            return;
        }
        let span = declared.span;
        let c = c.clone();
        let here = std::mem::replace(&mut self.here, span);
        let mut env = Env::new(std::rc::Rc::default(), u32::MAX);
        let mut b = Builder {
            reads: Some(std::rc::Rc::default()),
            ..Builder::default()
        };
        let mut out = Vec::new();
        if let Some((v, constraint)) = constraint {
            self.wf_bound(&[v], &[], &[constraint], &env, &mut b, &mut out);
        }
        match c.witness {
            Witness::Compiled(w) | Witness::Ghost(w) => {
                self.wf(w, &env, &mut b, &mut out);
                let (from, place) = (self.type_of(w, &env), self.p.exprs[w].tok);
                let given = self.expr(w, &env);
                self.result_is(&given, from, c.base, place, "", &mut out);
                if let Some((v, constraint)) = constraint {
                    env.vars.insert(v, given);
                    let message =
                        "the given witness expression could not be proved to satisfy constraint";
                    self.witness_satisfies(constraint, &env, place, message, &mut out);
                }
            }
            Witness::Default => {
                let Some((v, constraint)) = constraint else {
                    return;
                };
                if let Some((value, shown)) = self.default_value(c.base) {
                    let from = self.rep(c.base);
                    let prefix = format!("trying witness {shown}: ");
                    self.result_is(&value, from, c.base, span, &prefix, &mut out);
                    env.vars.insert(v, value);
                    let message = format!(
                        "cannot find witness that shows type is inhabited (only tried {shown}); try giving a hint through a 'witness' or 'ghost witness' clause, or use 'witness *' to treat as a possibly empty type"
                    );
                    self.witness_satisfies(constraint, &env, span, &message, &mut out);
                } else {
                    let message = "cannot find witness that shows type is inhabited; try giving a hint through a 'witness' or 'ghost witness' clause, or use 'witness *' to treat as a possibly empty type";
                    out.push(check(ff(), span, message));
                }
            }
            Witness::Unknown => {}
        }
        let path = self.p.decl_path(decl);
        let procedure = Procedure {
            name: format!("$Wf.type.{path}").into(),
            span,
            ins: Vec::new(),
            outs: Vec::new(),
            requires: Vec::new(),
            ensures: Vec::new(),
            modifies: Vec::new(),
            attributes: Vec::new(),
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: None,
            }),
        };
        self.add_verified(procedure, u32::MAX);
        self.here = here;
    }

    /// That a witness satisfies a constraint, each of its parts by itself.
    fn witness_satisfies(
        &mut self,
        constraint: stet_dafny::tree::ExprId,
        env: &Env,
        span: stet_base::Span,
        message: &str,
        out: &mut Vec<S>,
    ) {
        let (parts, is_split) = self.split_or_whole(constraint, env);
        for part in parts {
            out.push(S::Assert(Check {
                forgotten: false,
                asserted: None,
                span,
                message: message.into(),
                related: match is_split {
                    true => part.related_from_outside(),
                    false => Vec::new(),
                },
                cond: part.cond,
            }));
        }
    }

    /// The value Dafny tries as a witness, and how it writes it.
    pub(crate) fn default_value(&mut self, base: Ty) -> Option<(B, String)> {
        let rep = self.rep(base);
        let kind = self.p.types.kind(rep);
        let elem = self.p.types.children(rep).first().copied();
        let elem = elem.map(|t| self.sort_name(t)).unwrap_or_default();
        let sort = self.sort_name(rep);
        Some(match &*kind {
            TyKind::Int | TyKind::Nat => (int(0), "0".into()),
            TyKind::Real => (real(0.into(), 0), "0.0".into()),
            TyKind::Bool => (ff(), "false".into()),
            TyKind::Bv(w) => (bv(0.into(), *w), "0".into()),
            TyKind::Char => (app("$char.of", vec![int(68)]), "'D'".into()),
            TyKind::Seq(_) => (var(&format!("$Seq.empty${elem}")), "[]".into()),
            TyKind::Set { finite: true, .. } => (var(&format!("$Set.empty${elem}")), "{}".into()),
            TyKind::Set { .. } => (var(&format!("$ISet.empty${elem}")), "iset{}".into()),
            TyKind::Multiset(_) => (var(&format!("$MultiSet.empty${elem}")), "multiset{}".into()),
            TyKind::Map { finite: true, .. } => (
                var(&format!("$Map.empty{}", &sort["$Map".len()..])),
                "map[]".into(),
            ),
            _ if self.p.is_reference(rep) => {
                self.need(Chunk::Heap);
                (var("null"), "null".into())
            }
            _ => return None,
        })
    }

    /// Checks the value of a constant.
    pub(crate) fn verify_const(&mut self, member: MemberId) {
        let declared = &self.p.members[member];
        let MemberKind::Const { ty, value } = declared.kind else {
            return;
        };
        let span = declared.span;
        let Some(value) = value else {
            return;
        };
        let instance = self.generic(member);
        let here = std::mem::replace(&mut self.here, span);
        let mut env = Env::new(self.subst_of(&instance), u32::MAX);
        let mut ins = Vec::new();
        let mut facts = tt();
        if !declared.is_static
            && let Some(owner) = self.receiver_type(member, &instance.args)
        {
            env.this = Some(var("this"));
            let sort = self.sort(owner);
            ins.push(crate::decl::Variable {
                name: "this".into(),
                sort,
                constraint: None,
            });
            facts = self.is_type(owner, &var("this"));
        }
        let mut b = Builder {
            reads: Some(std::rc::Rc::default()),
            ..Builder::default()
        };
        let mut out = Vec::new();
        self.wf(value, &env, &mut b, &mut out);
        self.fits(value, ty, &env, &mut out);
        let name = self.instance_name(&instance);
        let procedure = Procedure {
            name: format!("$Wf.{name}").into(),
            span,
            ins,
            outs: Vec::new(),
            requires: vec![Clause {
                check: Check {
                    forgotten: false,
                    asserted: None,
                    cond: facts,
                    span,
                    message: "".into(),
                    related: Vec::new(),
                },
                free: true,
            }],
            ensures: Vec::new(),
            modifies: Vec::new(),
            attributes: Vec::new(),
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: None,
            }),
        };
        self.add_verified(procedure, u32::MAX);
        self.here = here;
    }
}

fn characteristic(c: stet_dafny::tree::Characteristics) -> AutoInit {
    if c.auto_init {
        AutoInit::Compilable
    } else if c.nonempty {
        AutoInit::Nonempty
    } else {
        AutoInit::MaybeEmpty
    }
}
