//! Functions as values that may read the heap (`A ~> B`, lambda expressions with `reads`).
//!
//! A function value is of one sort whatever its arrow. One that reads nothing is applied without a heap (`$apply`, `$req`);
//! a general one with it: `$applyh(h, f, x)`, `$reqh(h, f, x)` and `$reads(h, f, x)`, the objects it depends on.
//! `$pure(f, x)` says that `f` reads nothing at `x` in any heap: then both forms agree. The types `-->` and `->` imply it.
//!
//! What is checked where a lambda expression is made is checked for every heap in which its arguments and what it refers
//! to are allocated; that they are is part of its domain. So two heaps that agree on what it reads in one of them give
//! the same domain, value and objects, provided the arguments are allocated in both. This is known of values that were
//! checked (`$checked(f)`) only: the value of a lambda expression also has a name where its checks need not hold, as in a
//! branch that is not taken.

use crate::cx::{Cx, Env};
use crate::decl::Decl;
use crate::frame::{FramePart, Objects, in_frame};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, aside, check_only};
use std::rc::Rc;
use stet_base::Span;
use stet_dafny::tree::{
    ArrowKind, ExprId, ExprKind, Frame, MemberKind, Program, Ty, TyKind, VarId,
};

/// Whether a program has function values that may read the heap.
pub(crate) fn has_general(p: &Program) -> bool {
    let is_general = |ty: Ty| mentions_general(p, ty);
    p.exprs.iter().any(|(_, e)| is_general(e.ty))
        || p.vars.iter().any(|(_, v)| is_general(v.ty))
        || p.members.iter().any(|(_, m)| match &m.kind {
            MemberKind::Field { ty } | MemberKind::Const { ty, .. } => is_general(*ty),
            MemberKind::Function(f) => is_general(f.result),
            MemberKind::Method(_) => false,
        })
}

fn mentions_general(p: &Program, ty: Ty) -> bool {
    if let TyKind::Arrow {
        kind: ArrowKind::General,
        ..
    } = &*p.types.kind(ty)
    {
        return true;
    }
    let children = p.types.children(ty);
    children.into_iter().any(|c| mentions_general(p, c))
}

/// The kind of the arrow that a type is, or is a subset of.
pub(crate) fn arrow_kind(p: &Program, mut ty: Ty) -> Option<ArrowKind> {
    loop {
        if let TyKind::Arrow { kind, .. } = &*p.types.kind(ty) {
            return Some(*kind);
        }
        ty = p.parent_of_constrained(ty)?;
    }
}

/// Where the body of a function value is translated: with one layer, however much fuel its surroundings have, so that the
/// same function is the same value everywhere.
pub(crate) fn settled(env: &Env) -> Env {
    if env.fuel == var("ly") {
        env.clone()
    } else {
        env.with_fuel(crate::functions::fuel(1))
    }
}

fn checked(sort: &str, f: &B) -> B {
    app(&format!("$checked.{sort}"), vec![f.clone()])
}

impl Cx<'_> {
    /// A call of a function that is used as a value is an application of that value: what is known of all applications
    /// is found by calls.
    pub(crate) fn handle(&mut self, instance: &crate::cx::Instance, sort: &str) {
        let name = self.instance_name(instance);
        if !self.made.insert(format!("$handle.{name}").as_str().into()) {
            return;
        }
        let Some(f) = self.function(instance.member) else {
            return;
        };
        if f.ins.is_empty() || f.twostate {
            return;
        }
        let (recursive, result) = (f.recursive, f.result);
        let env = Env::new(self.subst_of(instance), f.scc);
        let mut inner = env.clone();
        let (names, value, domain) = self.eta(instance, None, &mut inner);
        let maps = [value.clone(), domain].map(|part| lambda(names.clone(), part));
        let made = app(&format!("$lambda.{sort}"), maps.to_vec());
        let outer = |(n, s): &TypedName| -> TypedName { (format!("{n}of").into(), s.clone()) };
        let mut vars: Vec<TypedName> = names.iter().map(outer).collect();
        let actuals: Vec<B> = vars.iter().map(|(n, _)| var(n)).collect();
        let value = crate::collections::replace(&value, &names, &actuals);
        if recursive {
            vars.insert(0, ("ly".into(), Sort::named("$Layer")));
        }
        let mut args = vec![made];
        args.extend(actuals.clone());
        let applied = app(&format!("$apply.{sort}"), args);
        let call = if recursive {
            self.apply_function(instance, None, actuals, &env.with_fuel(var("ly")))
        } else {
            value.clone()
        };
        let result = self.subst(&env.subst, result);
        let same = if self.sort_name(result) == "bool" {
            iff(applied, value)
        } else {
            eq(applied, value)
        };
        self.decls
            .push(Decl::Axiom(forall(vars, vec![vec![call]], same)));
    }

    /// Whether a function value may read the heap, by its type.
    pub(crate) fn is_general(&mut self, f: ExprId, env: &Env) -> bool {
        let ty = self.type_of(f, env);
        arrow_kind(self.p, ty) == Some(ArrowKind::General)
    }

    /// `apply`, `requires` or `reads` (`head`) of a function value in the heap of `env`.
    pub(crate) fn general_app(&mut self, head: &str, f: ExprId, args: Vec<B>, env: &Env) -> B {
        self.need(Chunk::Heap);
        let rep = self.rep_of(f, env);
        let sort = self.sort_name(rep);
        let mut all = vec![env.heap.clone(), self.expr(f, env)];
        if args.is_empty() {
            all.push(tt());
        }
        all.extend(args);
        app(&format!("{head}.{sort}"), all)
    }

    /// The functions and axioms of a sort of function values, besides those for values that read nothing.
    pub(crate) fn general_arrow(
        &mut self,
        name: &str,
        types: &[Ty],
        params: &[Sort],
        result: &Sort,
    ) {
        self.need(Chunk::Heap);
        self.need(Chunk::Set("ref".into()));
        let heap = || Sort::named("$HeapType");
        let (bool_sort, set) = (Sort::named("bool"), Sort::named("$Set$ref"));
        let numbered = params.iter().enumerate();
        let xs: Vec<TypedName> = numbered
            .map(|(i, s)| (Name::from(format!("x{i}")), s.clone()))
            .collect();
        let f: TypedName = ("f".into(), Sort::named(name));
        let h: TypedName = ("h".into(), heap());
        let of = |vars: &[&[TypedName]]| -> Vec<TypedName> { vars.concat() };
        let general = of(&[&[h.clone(), f.clone()], &xs]);
        let heads = [
            ("$applyh", general.clone(), result.clone()),
            ("$reqh", general.clone(), bool_sort.clone()),
            ("$reads", general.clone(), set.clone()),
            (
                "$pure",
                of(&[std::slice::from_ref(&f), &xs]),
                bool_sort.clone(),
            ),
        ];
        self.plain_function(
            &format!("$checked.{name}"),
            vec![f.clone()],
            bool_sort.clone(),
        );
        for (head, ins, out) in heads {
            self.plain_function(&format!("{head}.{name}"), ins, out);
        }
        let args: Vec<B> = xs.iter().map(|(x, _)| var(x)).collect();
        let call = |head: &str, heap: &str, f: B| {
            let mut all = vec![var(heap), f];
            all.extend(args.clone());
            app(&format!("{head}.{name}"), all)
        };
        let free = |head: &str, f: B| {
            let mut all = vec![f];
            all.extend(args.clone());
            app(&format!("{head}.{name}"), all)
        };
        // What reads nothing.
        let made = app(&format!("$lambda.{name}"), vec![var("v"), var("d")]);
        let values = Sort::Map(params.to_vec(), Box::new(result.clone()));
        let domain = Sort::Map(params.to_vec(), Box::new(bool_sort.clone()));
        let fine = checked(name, &made);
        let maps = vec![("v".into(), values), ("d".into(), domain)];
        let axiom = forall(maps.clone(), vec![vec![fine.clone()]], fine);
        self.decls.push(Decl::Axiom(axiom));
        let pure = free("$pure", made);
        let vars = of(&[&maps, &xs]);
        let axiom = forall(vars, vec![vec![pure.clone()]], pure);
        self.decls.push(Decl::Axiom(axiom));
        let value = call("$applyh", "h", var("f"));
        let required = call("$reqh", "h", var("f"));
        let reads = call("$reads", "h", var("f"));
        let empty = var("$Set.empty$ref");
        let agree = and(
            and(
                eq(value.clone(), free("$apply", var("f"))),
                iff(required.clone(), free("$req", var("f"))),
            ),
            eq(reads.clone(), empty),
        );
        let triggers = [&value, &required, &reads].map(|t| vec![t.clone()]);
        let body = imp(free("$pure", var("f")), agree);
        self.decls.push(Decl::Axiom(forall(
            general.clone(),
            triggers.to_vec(),
            body,
        )));
        self.general_lambda(name, params, result, &xs);
        // Heaps that agree on what is read.
        let o = var("o~");
        let inside = app("$Set.in$ref", vec![reads.clone(), o.clone()]);
        let (then, now) = (select(var("h"), o.clone()), select(var("k"), o.clone()));
        let same = imp(and(neq(o, var("null")), inside), eq(then.clone(), now));
        let object = vec![("o~".into(), Sort::named("ref"))];
        let mut given = forall(object, vec![vec![then]], same);
        for (&ty, arg) in types.iter().zip(&args) {
            for heap in ["h", "k"] {
                given = and(self.is_alloc(ty, arg, &var(heap)), given);
            }
        }
        for heap in ["h", "k"] {
            given = and(app("$HeapOk", vec![var(heap)]), given);
        }
        self.reads_allocated(name, types, &general, &reads, &required);
        given = and(required.clone(), given);
        given = and(checked(name, &var("f")), given);
        let later = |head: &str| call(head, "k", var("f"));
        let equal = and(
            later("$reqh"),
            and(
                eq(later("$reads"), reads.clone()),
                eq(later("$applyh"), value.clone()),
            ),
        );
        let vars = of(&[&[h, ("k".into(), heap()), f], &xs]);
        // What is known in the state at the entry is looked for from later ones.
        let follows = app("$HeapSucc", vec![var("h"), var("k")]);
        let mut triggers = Vec::new();
        for (head, now) in [("$applyh", value), ("$reqh", required), ("$reads", reads)] {
            triggers.push(vec![now, later(head)]);
            triggers.push(vec![follows.clone(), later(head)]);
        }
        self.decls
            .push(Decl::Axiom(forall(vars, triggers, imp(given, equal))));
    }

    /// What a function value reads is allocated where it may be applied: it is reached from the arguments and from what the
    /// value refers to, which are allocated there.
    fn reads_allocated(
        &mut self,
        name: &str,
        types: &[Ty],
        general: &[TypedName],
        reads: &B,
        required: &B,
    ) {
        let o = var("o~");
        let inside = app("$Set.in$ref", vec![reads.clone(), o.clone()]);
        let mut given = and(inside.clone(), neq(o.clone(), var("null")));
        for (&ty, (x, _)) in types.iter().zip(&general[2..]) {
            given = and(self.is_alloc(ty, &var(x), &var("h")), given);
        }
        given = and(required.clone(), given);
        given = and(checked(name, &var("f")), given);
        given = and(app("$HeapOk", vec![var("h")]), given);
        let mut vars = general.to_vec();
        vars.push(("o~".into(), Sort::named("ref")));
        let body = imp(given, crate::types::alloc(&var("h"), &o));
        self.decls
            .push(Decl::Axiom(forall(vars, vec![vec![inside]], body)));
    }

    /// The function value made of maps from heaps and arguments.
    fn general_lambda(&mut self, name: &str, params: &[Sort], result: &Sort, xs: &[TypedName]) {
        let mut index = vec![Sort::named("$HeapType")];
        index.extend(params.iter().cloned());
        let map = |to: &str| Sort::Map(index.clone(), Box::new(Sort::named(to)));
        let values = Sort::Map(index.clone(), Box::new(result.clone()));
        let maps: Vec<TypedName> = vec![
            ("v".into(), values),
            ("d".into(), map("bool")),
            ("r".into(), map("$Set$ref")),
        ];
        let lambda = format!("$lambdah.{name}");
        self.plain_function(&lambda, maps.clone(), Sort::named(name));
        let made = app(&lambda, vec![var("v"), var("d"), var("r")]);
        let mut at = vec![var("h")];
        at.extend(xs.iter().map(|(x, _)| var(x)));
        for (head, map) in [("$applyh", "v"), ("$reqh", "d"), ("$reads", "r")] {
            let mut all = vec![at[0].clone(), made.clone()];
            all.extend(at[1..].iter().cloned());
            let left = app(&format!("{head}.{name}"), all);
            let right = Rc::new(Node::Select(var(map), at.clone()));
            let mut vars = maps.clone();
            vars.push(("h".into(), Sort::named("$HeapType")));
            vars.extend(xs.iter().cloned());
            let body = if head == "$reqh" {
                iff(left.clone(), right)
            } else {
                eq(left.clone(), right)
            };
            self.decls
                .push(Decl::Axiom(forall(vars, vec![vec![left]], body)));
        }
    }

    /// What a function value of a general arrow type satisfies.
    pub(crate) fn is_general_arrow(&mut self, sort: &str, params: &[Ty], result: Ty, f: &B) -> B {
        let mut vars: Vec<TypedName> = vec![("h~".into(), Sort::named("$HeapType"))];
        let mut typing = tt();
        for (i, &param) in params.iter().enumerate() {
            let name: Name = format!("y{i}").into();
            typing = and(typing, self.is_type(param, &var(&name)));
            vars.push((name, self.sort(param)));
        }
        if params.is_empty() {
            vars.push(("y0".into(), Sort::named("bool")));
        }
        let mut args = vec![var("h~"), f.clone()];
        args.extend(vars[1..].iter().map(|(n, _)| var(n)));
        let applied = app(&format!("$applyh.{sort}"), args.clone());
        let required = app(&format!("$reqh.{sort}"), args);
        let fits = self.is_type(result, &applied);
        let body = imp(and(typing, required), fits);
        and(checked(sort, f), forall(vars, vec![vec![applied]], body))
    }

    /// That a function value reads nothing, for the types that say so.
    pub(crate) fn is_pure(&mut self, sort: &str, vars: &[TypedName], typing: &B, f: &B) -> B {
        if !self.has_general {
            return tt();
        }
        let mut args = vec![f.clone()];
        args.extend(vars.iter().map(|(n, _)| var(n)));
        let pure = app(&format!("$pure.{sort}"), args);
        let body = imp(typing.clone(), pure.clone());
        and(
            checked(sort, f),
            forall(vars.to_vec(), vec![vec![pure]], body),
        )
    }

    /// A lambda expression, or a function of the program, that reads the heap.
    pub(crate) fn general_value(&mut self, e: ExprId, env: &Env) -> B {
        self.need(Chunk::Heap);
        let rep = self.rep_of(e, env);
        let sort = self.sort_name(rep);
        let span = self.p.exprs[e].tok;
        let env = &settled(env);
        let mut inner = env.clone();
        let heap = inner.fresh_bound("heap");
        self.var_sorts
            .insert(heap.clone(), Sort::named("$HeapType"));
        inner.heap = var(&heap);
        inner.is_current = false;
        let allocated = self.captured_allocated(e, &inner);
        let (mut names, value, domain, reads) = match &self.p.exprs[e].kind {
            ExprKind::Lambda {
                vars,
                requires,
                reads,
                body,
                ..
            } => {
                let (names, typing) = self.bound_vars(vars, &mut inner);
                let requires = requires.map_or(tt(), |r| self.expr(r, &inner));
                let value = self.expr(*body, &inner);
                let is_earlier = self.reads_earlier(reads);
                let reads = self.reads_set(reads, span, &inner);
                let mut domain = and(typing, requires);
                if is_earlier {
                    // An earlier state may name objects that the heap does not have.
                    let o = var("o~");
                    let inside = app("$Set.in$ref", vec![reads.clone(), o.clone()]);
                    let there = or(
                        eq(o.clone(), var("null")),
                        crate::types::alloc(&inner.heap, &o),
                    );
                    let vars = vec![("o~".into(), Sort::named("ref"))];
                    let all = forall(vars, vec![vec![inside.clone()]], imp(inside, there));
                    domain = and(domain, all);
                }
                (names, value, domain, reads)
            }
            ExprKind::FunctionValue {
                function,
                receiver,
                owner_args,
                type_args,
            } => {
                let mut of_receiver = tt();
                let receiver = receiver.map(|r| {
                    let (value, ty) = (self.expr(r, env), self.type_of(r, env));
                    of_receiver = self.is_alloc(ty, &value, &inner.heap);
                    if self.function(*function).is_some_and(|f| f.twostate) {
                        let before = self.is_alloc(ty, &value, &inner.old);
                        of_receiver = and(before, of_receiver.clone());
                    }
                    value
                });
                let instance = self.instance(*function, owner_args, type_args, env);
                let (names, value, domain) = self.eta(&instance, receiver.clone(), &mut inner);
                let domain = and(of_receiver, domain);
                let frame = self.function(*function).map(|f| f.reads.clone());
                let twostate = self.function(*function).filter(|f| f.twostate).cloned();
                if let Some(f) = &twostate
                    && (f.reads.star || self.asks_what_is_allocated(f))
                {
                    let what = "this two-state function as a value: which objects there are is not in its `reads` clause";
                    self.unsupported(span, what);
                }
                if frame.as_ref().is_none_or(|f| !f.star && f.items.is_empty()) {
                    self.unsupported(span, "a function that reads the heap as a value");
                }
                let mut callee = Env {
                    subst: self.subst_of(&instance),
                    this: receiver,
                    construction: None,
                    focus: None,
                    ..inner.clone()
                };
                let ins = self.function(*function).map(|f| f.ins.clone());
                let mut domain = domain;
                for (v, (name, _)) in ins.unwrap_or_default().iter().zip(&names) {
                    callee.vars.insert(*v, var(name));
                    let ty = self.subst(&callee.subst, self.p.vars[*v].ty);
                    domain = and(self.is_alloc(ty, &var(name), &inner.heap), domain);
                    if twostate.is_some() && !self.p.vars[*v].is_new {
                        domain = and(self.is_alloc(ty, &var(name), &inner.old), domain);
                    }
                }
                let reads = self.reads_set(&frame.unwrap_or_default(), span, &callee);
                (names, value, domain, reads)
            }
            _ => return int(0),
        };
        if names.is_empty() {
            names.push(("unit~".into(), Sort::named("bool")));
        }
        names.insert(0, (heap, Sort::named("$HeapType")));
        let domain = and(allocated, domain);
        let parts = [value, domain, reads].map(|part| lambda(names.clone(), part));
        app(&format!("$lambdah.{sort}"), parts.to_vec())
    }

    /// Whether a frame speaks of an earlier state.
    fn reads_earlier(&self, reads: &Frame) -> bool {
        let mut found = false;
        for item in &reads.items {
            crate::walk::walk(self.p, item.expr, &mut |e| {
                found |= matches!(self.p.exprs[e].kind, ExprKind::Old(..));
                !found
            });
        }
        found
    }

    /// The objects of a frame as a set.
    fn reads_set(&mut self, reads: &Frame, span: Span, env: &Env) -> B {
        self.need(Chunk::Set("ref".into()));
        let infinite = |p: &FramePart| {
            matches!(&p.objects, Objects::In(function, _) if function.starts_with("$ISet"))
                || matches!(&p.objects, Objects::Image(..))
        };
        let parts = self.frame(reads, env).map(|mut parts| {
            for part in &mut parts {
                part.field = None;
            }
            parts
        });
        match parts {
            Some(parts) if !parts.iter().any(infinite) => {
                let o: Name = "o~".into();
                let inside = in_frame(&parts, &var(&o), None);
                let map = lambda(vec![(o, Sort::named("ref"))], inside);
                app("$Set.of$ref", vec![map])
            }
            _ => {
                let what = "a function value that may read any number of objects";
                self.unsupported(span, what);
                var("$Set.empty$ref")
            }
        }
    }

    /// That what a function value refers to is allocated in the heap of `env`.
    fn captured_allocated(&mut self, e: ExprId, env: &Env) -> B {
        let mut vars: Vec<VarId> = Vec::new();
        let mut uses_this = None;
        let p = self.p;
        crate::walk::walk(p, e, &mut |e| {
            match &p.exprs[e].kind {
                ExprKind::Var(v) if !vars.contains(v) => vars.push(*v),
                ExprKind::This => uses_this = Some(p.exprs[e].ty),
                _ => {}
            }
            true
        });
        let mut facts = tt();
        for v in vars {
            // Those that are bound inside have no value outside.
            if let Some(value) = env.vars.get(&v).cloned() {
                let ty = self.subst(&env.subst, p.vars[v].ty);
                facts = and(facts, self.is_alloc(ty, &value, &env.heap));
            }
        }
        if let (Some(ty), Some(this)) = (uses_this, env.this.clone()) {
            let this_type = self.subst(&env.subst, ty);
            facts = and(facts, self.is_alloc(this_type, &this, &env.heap));
        }
        facts
    }

    /// The checks of a lambda expression that reads the heap: they hold in any heap in which it may be applied.
    pub(crate) fn wf_general_lambda(
        &mut self,
        e: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let ExprKind::Lambda {
            vars,
            requires,
            reads,
            body,
            ..
        } = &self.p.exprs[e].kind
        else {
            return;
        };
        self.need(Chunk::Heap);
        self.depends_on_allocation(e);
        let mut stmts = Vec::new();
        let heap = self.declare_local(b, "heap.any", Sort::named("$HeapType"));
        stmts.push(S::Havoc(vec![heap.clone()]));
        let mut inner = Env {
            heap: var(&heap),
            ..env.clone()
        };
        stmts.push(S::Assume(app("$HeapOk", vec![var(&heap)])));
        stmts.push(S::Assume(self.captured_allocated(e, &inner)));
        self.havoc_vars(vars, &mut inner, b, &mut stmts);
        let allowed = self.frame(reads, &inner).map(Rc::new);
        let outer = std::mem::replace(&mut b.reads, allowed);
        if let Some(requires) = requires {
            self.wf(*requires, &inner, b, &mut stmts);
            stmts.push(S::Assume(self.expr(*requires, &inner)));
        }
        for item in &reads.items {
            self.wf(item.expr, &inner, b, &mut stmts);
        }
        self.wf(*body, &inner, b, &mut stmts);
        b.reads = outer;
        let ty = self.type_of(e, env);
        if let TyKind::Arrow { result, .. } = &*self.p.types.kind(ty) {
            self.fits(*body, *result, &inner, &mut stmts);
        }
        aside(stmts, out);
        self.assume_checked(e, env, out);
    }

    /// After the checks of a function value that reads the heap: what all such values satisfy is known of it.
    pub(crate) fn assume_checked(&mut self, e: ExprId, env: &Env, out: &mut Vec<S>) {
        if self.is_general(e, env) {
            let rep = self.rep_of(e, env);
            let sort = self.sort_name(rep);
            let value = self.expr(e, env);
            out.push(S::Assume(checked(&sort, &value)));
        }
    }

    /// Refuses what depends on which objects there are: no `reads` clause covers it.
    fn depends_on_allocation(&mut self, e: ExprId) {
        if let Some(found) = crate::consistency::allocation_dependent(self, e) {
            let what = "a function value that depends on the set of allocated references";
            self.unsupported(self.p.exprs[found].tok, what);
        }
        let p = self.p;
        let mut asked = None;
        crate::walk::walk(p, e, &mut |e| {
            if let ExprKind::Allocated(_) = p.exprs[e].kind {
                asked = Some(p.exprs[e].tok);
            }
            true
        });
        if let Some(span) = asked {
            self.unsupported(span, "`allocated` in a function value");
        }
    }

    /// That what a function value reads may be read here.
    #[expect(clippy::too_many_arguments, reason = "an application in one context")]
    pub(crate) fn general_reads_ok(
        &mut self,
        f: ExprId,
        args: Vec<B>,
        env: &Env,
        message: &str,
        span: Span,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let Some(allowed) = b.reads.clone().filter(|_| env.is_current) else {
            return;
        };
        let reads = self.general_app("$reads", f, args, env);
        let o = var("read~");
        let asked = and(
            neq(o.clone(), var("null")),
            app("$Set.in$ref", vec![reads, o.clone()]),
        );
        let given = in_frame(&allowed, &o, None);
        let vars = vec![("read~".into(), Sort::named("ref"))];
        let all = forall(vars, Vec::new(), imp(asked, given));
        out.push(check_only(all, span, message));
    }

    /// `f.requires` or `f.reads` of a function that may read the heap: a value that may, too, and reads what the
    /// function reads. Nothing is known of it in other heaps, as what `f.requires` depends on is
    /// `f.reads` only where it holds.
    fn general_property(&mut self, e: ExprId, f: ExprId, requires: bool, env: &Env) -> B {
        let ty = self.type_of(f, env);
        let base = self.p.base_type(ty);
        let kind = self.p.types.kind(base);
        let TyKind::Arrow { params, .. } = &*kind else {
            return int(0);
        };
        let own = self.rep_of(e, env);
        let sort = self.sort_name(own);
        let env = &settled(env);
        let mut inner = env.clone();
        let heap = inner.fresh_bound("heap");
        self.var_sorts
            .insert(heap.clone(), Sort::named("$HeapType"));
        inner.heap = var(&heap);
        inner.is_current = false;
        let mut names: Vec<TypedName> = Vec::new();
        let mut typing = tt();
        for &param in params {
            let name = inner.fresh_bound("x");
            typing = and(typing, self.is_type(param, &var(&name)));
            names.push((name, self.sort(param)));
        }
        let from = self.sort_name(base);
        let function = self.expr(f, env);
        if names.is_empty() {
            names.push(("unit~".into(), Sort::named("bool")));
        }
        let args: Vec<B> = names.iter().map(|(n, _)| var(n)).collect();
        let of = |head: &str| {
            let mut all = vec![var(&heap), function.clone()];
            all.extend(args.clone());
            app(&format!("{head}.{from}"), all)
        };
        let (required, reads) = (of("$reqh"), of("$reads"));
        let (value, domain) = if requires {
            (required, typing)
        } else {
            (reads.clone(), and(typing, required))
        };
        names.insert(0, (heap.clone(), Sort::named("$HeapType")));
        let parts = [value, domain, reads].map(|part| lambda(names.clone(), part));
        app(&format!("$lambdah.{sort}"), parts.to_vec())
    }

    /// `f.requires` or `f.reads` as a value, of a function that reads nothing.
    pub(crate) fn property_value(&mut self, e: ExprId, f: ExprId, requires: bool, env: &Env) -> B {
        if self.is_general(f, env) {
            return self.general_property(e, f, requires, env);
        }
        let ty = self.type_of(f, env);
        let base = self.p.base_type(ty);
        let kind = self.p.types.kind(base);
        let TyKind::Arrow { params, .. } = &*kind else {
            return int(0);
        };
        let from = self.sort_name(base);
        let own = self.rep_of(e, env);
        let sort = self.sort_name(own);
        let mut inner = env.clone();
        let mut names: Vec<TypedName> = Vec::new();
        let mut typing = tt();
        for &param in params {
            let name = inner.fresh_bound("x");
            typing = and(typing, self.is_type(param, &var(&name)));
            names.push((name, self.sort(param)));
        }
        if names.is_empty() {
            names.push(("unit~".into(), Sort::named("bool")));
        }
        let mut args = vec![self.expr(f, env)];
        args.extend(names.iter().map(|(n, _)| var(n)));
        let value = if requires {
            app(&format!("$req.{from}"), args)
        } else {
            self.need(Chunk::Set("ref".into()));
            var("$Set.empty$ref")
        };
        let maps = [value, typing].map(|part| lambda(names.clone(), part));
        app(&format!("$lambda.{sort}"), maps.to_vec())
    }

    /// The objects of a frame given by a function: those of all its values.
    pub(crate) fn image(&mut self, e: ExprId, env: &Env) -> Option<Objects> {
        let ty = self.type_of(e, env);
        arrow_kind(self.p, ty)?;
        let (is_reads, f) = match &self.p.exprs[e].kind {
            ExprKind::FnProperty(f, false) => (true, *f),
            _ => (false, e),
        };
        let ty = self.type_of(f, env);
        let base = self.p.base_type(ty);
        let kind = self.p.types.kind(base);
        let TyKind::Arrow { params, result, .. } = &*kind else {
            return None;
        };
        let mut inner = env.clone();
        let mut names: Vec<TypedName> = Vec::new();
        for &param in params {
            let name = inner.fresh_bound("x");
            let sort = self.sort(param);
            self.var_sorts.insert(name.clone(), sort.clone());
            names.push((name, sort));
        }
        let args: Vec<B> = names.iter().map(|(n, _)| var(n)).collect();
        if is_reads {
            self.need(Chunk::Set("ref".into()));
            let reads_nothing = !self.is_general(f, env)
                || matches!(&*self.expr(f, env), Node::App(made, _) if made.starts_with("$lambda."));
            let set = if reads_nothing {
                var("$Set.empty$ref")
            } else {
                self.general_app("$reads", f, args, env)
            };
            return Some(Objects::Image(names, "$Set.in$ref".into(), set));
        }
        let own = self.rep(*result);
        self.sort(own);
        let function = crate::frame::membership(&self.p.types.kind(own))?;
        let mut args = args;
        if args.is_empty() && !matches!(self.p.exprs[f].kind, ExprKind::Lambda { .. }) {
            args.push(tt());
        }
        let value = self.apply_value(f, args, &inner);
        Some(Objects::Image(names, function, value))
    }
}
