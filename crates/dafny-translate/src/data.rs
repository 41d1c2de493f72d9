//! Datatypes and tuples: constructors, their fields, ranks, and the predicates of types.

use crate::cx::{Cx, Env};
use crate::decl::{Decl, Role};
use crate::prelude::Chunk;
use crate::tree::*;
use stet_base::Symbol;
use stet_dafny::tree::{CtorId, DeclId, ExprId, Ty, TyKind, TypeDeclKind, VarId};

impl Cx<'_> {
    /// The Boogie name of a constructor of a represented datatype.
    pub(crate) fn ctor_name(&mut self, rep: Ty, ctor: CtorId) -> String {
        let sort = self.sort_name(rep);
        let mark = crate::literals::CTOR_MARK;
        format!("{sort}{mark}{}", self.p.text(self.p.ctors[ctor].name))
    }

    /// The types of the fields of a constructor.
    pub(crate) fn ctor_fields(&mut self, ty: Ty, ctor: CtorId) -> Vec<Ty> {
        let kind = self.p.types.kind(ty);
        let TyKind::Named { decl, args, .. } = &*kind else {
            return Vec::new();
        };
        self.field_types(&[ctor], *decl, args).remove(0)
    }

    pub(crate) fn make_ctor(&mut self, rep: Ty, ctor: CtorId, args: Vec<B>) -> B {
        let name = self.ctor_name(rep, ctor);
        app(&name, args)
    }

    pub(crate) fn is_ctor(&mut self, rep: Ty, value: &B, ctor: CtorId) -> B {
        let name = self.ctor_name(rep, ctor);
        app(&format!("is#{name}"), vec![value.clone()])
    }

    /// A field of a value made by this constructor.
    pub(crate) fn ctor_field(&mut self, rep: Ty, value: &B, ctor: CtorId, index: usize) -> B {
        let name = self.ctor_name(rep, ctor);
        let formal = self.p.ctors[ctor].formals[index];
        let field = self.field_label(ctor, formal);
        app(&format!("{field}#{name}"), vec![value.clone()])
    }

    /// The Boogie name of a field. Fields of one name have one type in all constructors: those without a name get one of
    /// their own in each.
    pub(crate) fn field_label(&self, ctor: CtorId, formal: VarId) -> String {
        let text = self.p.text(self.p.vars[formal].name);
        match text.starts_with('#') {
            true => format!("{}{text}", self.p.text(self.p.ctors[ctor].name)),
            false => text.to_owned(),
        }
    }

    pub(crate) fn destructor(&mut self, rep: Ty, value: &B, ctors: &[(CtorId, u32)]) -> B {
        let mut result: Option<B> = None;
        for &(ctor, index) in ctors.iter().rev() {
            let field = self.ctor_field(rep, value, ctor, index as usize);
            result = Some(match result {
                None => field,
                Some(rest) => ite(self.is_ctor(rep, value, ctor), field, rest),
            });
        }
        result.unwrap_or_else(|| int(0))
    }

    pub(crate) fn tuple_item(&mut self, rep: Ty, value: &B, index: u32) -> B {
        let sort = self.sort_name(rep);
        app(&format!("item{index}#$make.{sort}"), vec![value.clone()])
    }

    pub(crate) fn datatype_update(
        &mut self,
        value: ExprId,
        ctors: &[CtorId],
        updates: &[(Symbol, ExprId)],
        env: &Env,
    ) -> B {
        let rep = self.rep_of(value, env);
        let value = self.expr(value, env);
        let updates: Vec<(Symbol, B)> = updates
            .iter()
            .map(|(name, e)| (*name, self.expr(*e, env)))
            .collect();
        let mut result: Option<B> = None;
        for &ctor in ctors.iter().rev() {
            let formals = self.p.ctors[ctor].formals.clone();
            let mut args = Vec::new();
            for (i, &formal) in formals.iter().enumerate() {
                let name = self.p.vars[formal].name;
                let new = updates.iter().find(|(n, _)| *n == name);
                args.push(match new {
                    Some((_, new)) => new.clone(),
                    None => self.ctor_field(rep, &value, ctor, i),
                });
            }
            let made = self.make_ctor(rep, ctor, args);
            result = Some(match result {
                None => made,
                Some(rest) => ite(self.is_ctor(rep, &value, ctor), made, rest),
            });
        }
        result.unwrap_or(value)
    }

    /// Whether no value of a datatype can be constructed.
    pub(crate) fn is_empty_datatype(&self, decl: DeclId) -> bool {
        matches!(
            self.p.decls[decl].kind,
            TypeDeclKind::Datatype {
                co: false,
                grounding_ctor: None,
                ..
            }
        )
    }

    /// Declares a datatype at represented arguments.
    pub(crate) fn declare_datatype(&mut self, decl: DeclId, args: &[Ty]) {
        let name: Name = self.datatype_name(decl, args).into();
        if let TypeDeclKind::Datatype { co: true, .. } = self.p.decls[decl].kind {
            self.declare_codatatype(&name, decl, args);
            return;
        }
        self.decls.push(Decl::Type {
            name: name.clone(),
            datatype: true,
        });
        let TypeDeclKind::Datatype { ctors, .. } = &self.p.decls[decl].kind else {
            return;
        };
        if self.is_empty_datatype(decl) {
            // Sorts have values: this one stands for none of the type's.
            self.decls.push(Decl::Function {
                name: format!("{name}{}$none", crate::literals::CTOR_MARK).into(),
                ins: Vec::new(),
                out: Sort::Named(name.clone()),
                role: Role::Constructor,
            });
        }
        let types = self.field_types(ctors, decl, args);
        for (&ctor, types) in ctors.iter().zip(types) {
            let mut ins: Vec<TypedName> = Vec::new();
            for (&formal, ty) in self.p.ctors[ctor].formals.iter().zip(types) {
                let sort = self.sort(ty);
                ins.push((self.field_label(ctor, formal).into(), sort));
            }
            let ctor_name = self.p.text(self.p.ctors[ctor].name);
            self.decls.push(Decl::Function {
                name: format!("{name}{}{ctor_name}", crate::literals::CTOR_MARK).into(),
                ins,
                out: Sort::Named(name.clone()),
                role: Role::Constructor,
            });
        }
    }

    /// Declares the rank of a represented type: fields, elements and members have smaller ranks.
    pub(crate) fn declare_rank(&mut self, rep: Ty) {
        let kind = self.p.types.kind(rep);
        let sort = self.sort(rep);
        match &*kind {
            TyKind::Seq(elem) => {
                let rep = self.rep(*elem);
                self.element_rank(rep);
                let elem = self.sort_name(*elem);
                self.need(Chunk::SeqRank(elem));
            }
            TyKind::Set { finite: true, elem } => {
                let rep = self.rep(*elem);
                self.element_rank(rep);
                let elem = self.sort_name(*elem);
                self.need(Chunk::SetRank(elem));
            }
            TyKind::Named { decl, args, .. } => {
                let ctors = self.p.ctors_of(*decl).to_vec();
                let types = self.field_types(&ctors, *decl, args);
                self.rank_function(&sort);
                for (ctor, types) in ctors.into_iter().zip(types) {
                    let name = self.ctor_name(rep, ctor);
                    self.field_ranks(&sort, &name, &types);
                }
            }
            TyKind::Tuple(items, _) => {
                self.rank_function(&sort);
                let name = format!("$make.{}", sort.name());
                self.field_ranks(&sort, &name, &items.clone());
            }
            TyKind::Map { key, value, .. } => {
                self.rank_function(&sort);
                let (key, value) = (self.rep(*key), self.rep(*value));
                let key_sort = self.sort(key);
                let m = var("m");
                let domain = self.map_app("dom", rep, vec![m.clone()]);
                let inside = app(
                    &format!("$Set.in${}", key_sort.name()),
                    vec![domain, var("k")],
                );
                let at = self.map_app("get", rep, vec![m.clone(), var("k")]);
                let below = app(&format!("$rank${}", sort.name()), vec![m]);
                let vars: Vec<TypedName> = vec![("m".into(), sort), ("k".into(), key_sort.clone())];
                for (ty, part) in [(key, var("k")), (value, at)] {
                    if self.is_ranked(ty) {
                        let rank = self.rank(ty, &part, self.here);
                        let body = imp(inside.clone(), lt(rank.clone(), below.clone()));
                        let axiom = forall(vars.clone(), vec![vec![inside.clone(), rank]], body);
                        self.decls.push(Decl::Axiom(axiom));
                    }
                }
            }
            _ => {
                let name: Name = format!("$rank${}", sort.name()).into();
                if self.made.insert(name) {
                    self.rank_function(&sort);
                }
            }
        }
    }

    /// Elements without a structure of their own have rank 0.
    fn element_rank(&mut self, elem: Ty) {
        if self.is_ranked(elem) {
            self.request(crate::cx::Work::Rank(elem));
            return;
        }
        let sort = self.sort(elem);
        let name: Name = format!("$rank${}", sort.name()).into();
        if self.made.insert(name) {
            self.rank_function(&sort);
        }
    }

    pub(crate) fn is_ranked(&self, rep: Ty) -> bool {
        match &*self.p.types.kind(rep) {
            TyKind::Named { decl, .. } => {
                matches!(
                    self.p.decls[*decl].kind,
                    TypeDeclKind::Datatype { co: false, .. }
                )
            }
            TyKind::Seq(_) | TyKind::Tuple(..) | TyKind::Multiset(_) => true,
            TyKind::Set { finite, .. } | TyKind::Map { finite, .. } => *finite,
            _ => false,
        }
    }

    fn rank_function(&mut self, sort: &Sort) {
        let name: Name = format!("$rank${}", sort.name()).into();
        self.decls.push(Decl::Function {
            name: name.clone(),
            ins: vec![("x".into(), sort.clone())],
            out: Sort::named("int"),
            role: Role::Plain,
        });
        let rank = app(&name, vec![var("x")]);
        let body = le(int(0), rank.clone());
        let axiom = forall(vec![("x".into(), sort.clone())], vec![vec![rank]], body);
        self.decls.push(Decl::Axiom(axiom));
    }

    /// The arguments of a constructor have smaller ranks than what it makes.
    fn field_ranks(&mut self, sort: &Sort, ctor: &str, types: &[Ty]) {
        let function = format!("$rank${}", sort.name());
        let fields: Vec<TypedName> = types
            .iter()
            .enumerate()
            .map(|(i, &t)| (Name::from(format!("x{i}")), self.sort(t)))
            .collect();
        let args: Vec<B> = fields.iter().map(|(n, _)| var(n)).collect();
        let made = app(ctor, args.clone());
        let whole = app(&function, vec![made.clone()]);
        let mut all = tt();
        for (&ty, arg) in types.iter().zip(&args) {
            let rep = self.rep(ty);
            if self.is_ranked(rep) {
                all = and(all, lt(self.rank(rep, arg, self.here), whole.clone()));
            }
        }
        self.decls
            .push(Decl::Axiom(forall(fields, vec![vec![made]], all)));
    }

    /// Declares what it means to be of a constrained type.
    pub(crate) fn declare_is(&mut self, ty: Ty) {
        let name = format!("$Is.{}", self.mangle(ty));
        let sort = self.sort(ty);
        self.decls.push(Decl::Function {
            name: name.as_str().into(),
            ins: vec![("x".into(), sort.clone())],
            out: Sort::named("bool"),
            role: Role::Plain,
        });
        let x = var("x");
        let is = app(&name, vec![x.clone()]);
        let kind = self.p.types.kind(ty);
        let meaning = match &*kind {
            TyKind::Named { decl, args, .. } => match &self.p.decls[*decl].kind {
                TypeDeclKind::Datatype { .. } => {
                    let fact = |cx: &mut Self, t: Ty, v: &B| cx.is_type(t, v);
                    self.structural(ty, &name, &[], &fact);
                    return;
                }
                _ => {
                    let _ = args;
                    self.constraint_holds(ty, &x)
                }
            },
            TyKind::Tuple(..) => {
                let fact = |cx: &mut Self, t: Ty, v: &B| cx.is_type(t, v);
                self.structural(ty, &name, &[], &fact);
                return;
            }
            TyKind::Arrow { .. } => self.is_arrow(ty, &x),
            // It stands for any type, also an empty one.
            TyKind::Param(_) => return,
            _ => {
                let fact = |cx: &mut Self, t: Ty, v: &B| cx.is_type(t, v);
                self.elementwise(ty, &x, &fact)
            }
        };
        let body = iff(is.clone(), meaning);
        let axiom = forall(vec![("x".into(), sort)], vec![vec![is]], body);
        self.decls.push(Decl::Axiom(axiom));
    }

    /// Declares that everything a value refers to is allocated.
    pub(crate) fn declare_is_alloc(&mut self, rep: Ty) {
        let name = format!("$IsAlloc.{}", self.mangle(rep));
        let sort = self.sort(rep);
        let heap_sort = Sort::named("$HeapType");
        let vars: Vec<TypedName> = vec![("x".into(), sort), ("h".into(), heap_sort)];
        self.decls.push(Decl::Function {
            name: name.as_str().into(),
            ins: vars.clone(),
            out: Sort::named("bool"),
            role: Role::Plain,
        });
        let (x, h) = (var("x"), var("h"));
        let fact = |cx: &mut Self, t: Ty, v: &B| cx.is_alloc(t, v, &var("h"));
        let kind = self.p.types.kind(rep);
        if let TyKind::Named { .. } | TyKind::Tuple(..) = &*kind {
            self.structural(rep, &name, &[vars[1].clone()], &fact);
            return;
        }
        let is = app(&name, vec![x.clone(), h]);
        let meaning = self.elementwise(rep, &x, &fact);
        let body = iff(is.clone(), meaning);
        self.decls
            .push(Decl::Axiom(forall(vars, vec![vec![is]], body)));
    }

    /// A fact about all elements of a collection.
    fn elementwise(&mut self, ty: Ty, x: &B, fact: &dyn Fn(&mut Self, Ty, &B) -> B) -> B {
        let kind = self.p.types.kind(ty);
        let e = var("e");
        let quantified = |cx: &mut Self, elem: Ty, member: B| {
            let sort = cx.sort(elem);
            let holds = fact(cx, elem, &e);
            let trigger = crate::expr::trigger_of(&member);
            forall(
                vec![("e".into(), sort)],
                vec![vec![trigger]],
                imp(member, holds),
            )
        };
        match &*kind {
            TyKind::Seq(elem) => {
                let sort = self.sort_name(*elem);
                let nth = app(&format!("$Seq.nth${sort}"), vec![x.clone(), var("i")]);
                let len = app(&format!("$Seq.len${sort}"), vec![x.clone()]);
                let inside = and(le(int(0), var("i")), lt(var("i"), len));
                let holds = fact(self, *elem, &nth);
                let vars = vec![("i".into(), Sort::named("int"))];
                forall(vars, vec![vec![nth]], imp(inside, holds))
            }
            TyKind::Set { elem, finite } => {
                let sort = self.sort_name(*elem);
                let head = if *finite { "$Set" } else { "$ISet" };
                let member = app(&format!("{head}.in${sort}"), vec![x.clone(), e.clone()]);
                quantified(self, *elem, member)
            }
            TyKind::Multiset(elem) => {
                let sort = self.sort_name(*elem);
                let count = app(
                    &format!("$MultiSet.count${sort}"),
                    vec![x.clone(), e.clone()],
                );
                quantified(self, *elem, lt(int(0), count))
            }
            TyKind::Map { finite, key, value } => {
                let rep = self.rep(ty);
                let sort = self.sort_name(*key);
                let domain = self.map_app("dom", rep, vec![x.clone()]);
                let head = if *finite { "$Set" } else { "$ISet" };
                let member = app(&format!("{head}.in${sort}"), vec![domain, e.clone()]);
                let keys = quantified(self, *key, member.clone());
                let at = self.map_app("get", rep, vec![x.clone(), e.clone()]);
                let holds = fact(self, *value, &at);
                let vars = vec![("e".into(), self.sort(*key))];
                let values = forall(vars, vec![vec![at]], imp(member, holds));
                and(keys, values)
            }
            _ => tt(),
        }
    }

    /// A fact about all fields, stated where fields are looked at and where values are made, so that it is not unfolded
    /// for ever.
    fn structural(
        &mut self,
        ty: Ty,
        predicate: &str,
        extra: &[TypedName],
        fact: &dyn Fn(&mut Self, Ty, &B) -> B,
    ) {
        let rep = self.rep(ty);
        let sort = self.sort(rep);
        let kind = self.p.types.kind(ty);
        let rep_sort = sort.name().to_owned();
        let ctors: Vec<(String, Vec<(String, Ty)>)> = match &*kind {
            TyKind::Named { decl, args, .. } => {
                let ctors = self.p.ctors_of(*decl).to_vec();
                let types = self.field_types(&ctors, *decl, args);
                let mut all = Vec::new();
                for (ctor, types) in ctors.into_iter().zip(types) {
                    let formals = self.p.ctors[ctor].formals.iter();
                    let names = formals.map(|&f| self.field_label(ctor, f));
                    let fields = names.zip(types).collect();
                    all.push((self.ctor_name(rep, ctor), fields));
                }
                all
            }
            _ => {
                let items = self.p.types.children(ty);
                let fields = items.into_iter().enumerate();
                let fields = fields.map(|(i, t)| (format!("item{i}"), t)).collect();
                vec![(format!("$make.{rep_sort}"), fields)]
            }
        };
        let more: Vec<B> = extra.iter().map(|(n, _)| var(n)).collect();
        let holds_of = |x: B| {
            let args = std::iter::once(x).chain(more.iter().cloned()).collect();
            app(predicate, args)
        };
        for (ctor, fields) in ctors {
            let mut vars: Vec<TypedName> = Vec::new();
            let mut args = Vec::new();
            let mut all = tt();
            for (i, (field, ty)) in fields.iter().enumerate() {
                let name: Name = format!("x{i}").into();
                all = and(all, fact(self, *ty, &var(&name)));
                vars.push((name.clone(), self.sort(*ty)));
                args.push(var(&name));
                let x = var("x");
                let selected = app(&format!("{field}#{ctor}"), vec![x.clone()]);
                let holds = fact(self, *ty, &selected);
                let is = app(&format!("is#{ctor}"), vec![x.clone()]);
                let of = holds_of(x);
                let body = imp(and(of.clone(), is), holds);
                let mut bound: Vec<TypedName> = vec![("x".into(), sort.clone())];
                bound.extend(extra.iter().cloned());
                self.decls
                    .push(Decl::Axiom(forall(bound, vec![vec![of, selected]], body)));
            }
            let made = holds_of(app(&ctor, args));
            vars.extend(extra.iter().cloned());
            let body = iff(made.clone(), all);
            let axiom = if vars.is_empty() {
                body
            } else {
                forall(vars, vec![vec![made]], body)
            };
            self.decls.push(Decl::Axiom(axiom));
        }
    }

    /// What a function value of this type satisfies.
    fn is_arrow(&mut self, ty: Ty, f: &B) -> B {
        use stet_dafny::tree::ArrowKind;
        let kind = self.p.types.kind(ty);
        let TyKind::Arrow {
            kind: arrow,
            params,
            result,
        } = &*kind
        else {
            return tt();
        };
        let sort = self.sort_name(ty);
        if *arrow == ArrowKind::General {
            return self.is_general_arrow(&sort, params, *result, f);
        }
        let mut vars: Vec<TypedName> = Vec::new();
        let mut typing = tt();
        for (i, &param) in params.iter().enumerate() {
            let name: Name = format!("y{i}").into();
            typing = and(typing, self.is_type(param, &var(&name)));
            vars.push((name, self.sort(param)));
        }
        if vars.is_empty() {
            vars.push(("y0".into(), Sort::named("bool")));
        }
        let mut args = vec![f.clone()];
        args.extend(vars.iter().map(|(n, _)| var(n)));
        let applied = app(&format!("$apply.{sort}"), args.clone());
        let required = app(&format!("$req.{sort}"), args);
        let result = self.is_type(*result, &applied);
        let in_domain = and(typing.clone(), required.clone());
        let values = forall(vars.clone(), vec![vec![applied]], imp(in_domain, result));
        let pure = self.is_pure(&sort, &vars, &typing, f);
        let values = and(pure, values);
        if *arrow == ArrowKind::Total {
            let total = forall(vars, vec![vec![required.clone()]], imp(typing, required));
            return and(total, values);
        }
        values
    }
}
