//! Functions: their declarations, their axioms, and calls.
//!
//! A function `f` is declared with these parameters: a layer of fuel if it is recursive, the heap if it depends on it, the
//! receiver, its own. Everything said about it is guarded: by `$known.f`, which an implementation assumes for the
//! functions below its own component of the call graph, with types and preconditions; or, for recursive functions,
//! by `$can.f` of the arguments, which is assumed after the checks of a call. So nothing about a function is used to
//! show that its own definition makes sense.

use crate::cx::{Cx, Env, Instance};
use crate::decl::{Decl, Role};
use crate::frame::in_frame;
use crate::prelude::Chunk;
use crate::tree::*;
use crate::walk;
use stet_base::FastSet;
use stet_dafny::tree::{ExprKind, Function, MemberId, MemberKind, Program, UnaryOp, VarId};

/// A layer that lets definitions be used `n` times.
pub(crate) fn fuel(n: u32) -> B {
    let mut layer = var("$LZ");
    for _ in 0..n {
        layer = app("$LS", vec![layer]);
    }
    layer
}

/// A function with its parameters as variables of an axiom.
pub(crate) struct Signature {
    pub(crate) name: String,
    /// Layer, heaps, receiver, parameters.
    pub(crate) vars: Vec<TypedName>,
    pub(crate) env: Env,
    /// What the types of the parameters say, and that the heap is proper.
    pub(crate) typing: B,
    pub(crate) actuals: Vec<B>,
    pub(crate) this: Option<B>,
}

impl Cx<'_> {
    pub(crate) fn function(&self, member: MemberId) -> Option<&Function> {
        match &self.p.members[member].kind {
            MemberKind::Function(f) => Some(f),
            _ => None,
        }
    }

    /// Whether the value of a function depends on the heap.
    pub(crate) fn reads_heap(&mut self, member: MemberId) -> bool {
        if let Some(&known) = self.heap_readers.get(&member) {
            return known;
        }
        let mut seen = FastSet::default();
        let mut pending = vec![member];
        let mut found = false;
        while let Some(next) = pending.pop() {
            if !seen.insert(next) {
                continue;
            }
            let Some(f) = self.function(next) else {
                continue;
            };
            if f.reads.star || !f.reads.items.is_empty() || f.twostate {
                found = true;
            }
            for root in walk::of_function(f) {
                found |= uses_heap(self.p, root, &mut pending);
            }
        }
        self.heap_readers.insert(member, found);
        found
    }

    fn is_recursive(&self, member: MemberId) -> bool {
        self.function(member).is_some_and(|f| f.recursive)
    }

    /// The application of a function to values.
    pub(crate) fn apply_function(
        &mut self,
        instance: &Instance,
        receiver: Option<B>,
        actuals: Vec<B>,
        env: &Env,
    ) -> B {
        let mut all = Vec::new();
        let depth = self.computed_depth(instance.member, receiver.as_ref(), &actuals);
        let args = self.function_args(instance.member, receiver, actuals, env);
        if self.is_recursive(instance.member) {
            self.need(Chunk::Fuel);
            let is_opaque = self.p.members[instance.member].opaque;
            all.push(match depth {
                _ if env.fuel == var("ly") => env.fuel.clone(),
                Some(depth) if depth > 0 => fuel(depth + 2),
                // A definition that was revealed is used once more.
                _ if is_opaque => self.fuelled(instance.member, app("$LS", vec![env.fuel.clone()])),
                _ => self.fuelled(instance.member, env.fuel.clone()),
            });
        }
        all.extend(args);
        let name = self.instance_name(instance);
        self.request(crate::cx::Work::Function(instance.clone()));
        app(&name, all)
    }

    /// The arguments of a function, without fuel.
    pub(crate) fn function_args(
        &mut self,
        member: MemberId,
        receiver: Option<B>,
        actuals: Vec<B>,
        env: &Env,
    ) -> Vec<B> {
        let mut args = Vec::new();
        if self.reads_heap(member) {
            self.need(Chunk::Heap);
            if self.function(member).is_some_and(|f| f.twostate) {
                args.push(env.old.clone());
            }
            args.push(env.heap.clone());
        }
        args.extend(receiver);
        args.extend(actuals);
        args
    }

    /// That a call was checked, so that what is known of the function may be used.
    pub(crate) fn can_call(
        &mut self,
        instance: &Instance,
        receiver: Option<B>,
        actuals: Vec<B>,
        env: &Env,
    ) -> B {
        if !self.is_recursive(instance.member) {
            return tt();
        }
        let args = self.function_args(instance.member, receiver, actuals, env);
        let name = self.instance_name(instance);
        app(&format!("$can.{name}"), args)
    }

    /// A function as a value: its parameters, the call, its domain.
    pub(crate) fn eta(
        &mut self,
        instance: &Instance,
        receiver: Option<B>,
        env: &mut Env,
    ) -> (Vec<TypedName>, B, B) {
        let Some(f) = self.function(instance.member) else {
            return (Vec::new(), int(0), tt());
        };
        let (ins, requires) = (f.ins.clone(), f.requires.clone());
        let mut inner = Env {
            subst: self.subst_of(instance),
            this: receiver.clone(),
            construction: None,
            focus: None,
            ..env.clone()
        };
        let (names, _) = self.bound_vars(&ins, &mut inner);
        env.bound = inner.bound.clone();
        let actuals: Vec<B> = names.iter().map(|(n, _)| var(n)).collect();
        // A value that reads nothing is the same in every heap: its arguments are allocated where it is applied.
        let mut domain = tt();
        for (&v, value) in ins.iter().zip(&actuals) {
            let ty = self.subst(&inner.subst, self.p.vars[v].ty);
            domain = and(domain, self.is_type(ty, value));
        }
        for clause in &requires {
            domain = and(domain, self.expr(clause.expr, &inner));
        }
        let value = self.apply_function(instance, receiver, actuals, env);
        (names, value, domain)
    }

    pub(crate) fn signature(&mut self, instance: &Instance, f: &Function) -> Signature {
        let subst = self.subst_of(instance);
        let member = &self.p.members[instance.member];
        let mut env = Env::new(subst, f.scc);
        let mut vars: Vec<TypedName> = Vec::new();
        let mut typing = tt();
        if f.recursive {
            self.need(Chunk::Fuel);
            vars.push(("ly".into(), Sort::named("$Layer")));
        }
        if self.reads_heap(instance.member) {
            self.need(Chunk::Heap);
            if f.twostate {
                vars.push(("h0".into(), Sort::named("$HeapType")));
                env.old = var("h0");
                typing = and(typing, app("$HeapOk", vec![var("h0")]));
                typing = and(typing, app("$HeapSucc", vec![var("h0"), var("h")]));
            }
            vars.push(("h".into(), Sort::named("$HeapType")));
            env.heap = var("h");
            typing = and(typing, app("$HeapOk", vec![var("h")]));
        }
        let mut this = None;
        if !member.is_static
            && let Some(ty) = self.receiver_type(instance.member, &instance.args)
        {
            let sort = self.sort(ty);
            self.var_sorts.insert("this".into(), sort.clone());
            vars.push(("this".into(), sort));
            typing = and(typing, self.is_type(ty, &var("this")));
            this = Some(var("this"));
            env.this = this.clone();
        }
        let mut actuals = Vec::new();
        for &v in &f.ins {
            let (name, ty) = self.formal(v, &env);
            let sort = self.sort(ty);
            self.var_sorts.insert(name.clone(), sort.clone());
            vars.push((name.clone(), sort));
            typing = and(typing, self.is_type(ty, &var(&name)));
            env.vars.insert(v, var(&name));
            actuals.push(var(&name));
        }
        env.bound = std::rc::Rc::new(std::collections::BTreeMap::new());
        Signature {
            name: self.instance_name(instance),
            vars,
            env,
            typing,
            actuals,
            this,
        }
    }

    /// The Boogie name and the type of a parameter.
    pub(crate) fn formal(&mut self, v: VarId, env: &Env) -> (Name, stet_dafny::tree::Ty) {
        let declared = &self.p.vars[v];
        let name = format!("{}#", self.p.text(declared.name));
        let ty = declared.ty;
        (name.into(), self.subst(&env.subst, ty))
    }

    /// Declares a function at these type arguments, with everything known of it.
    pub(crate) fn declare_function(&mut self, instance: &Instance) {
        let Some(f) = self.function(instance.member).cloned() else {
            return;
        };
        let here = std::mem::replace(&mut self.here, self.p.members[instance.member].span);
        let signature = self.signature(instance, &f);
        let out_ty = self.subst(&signature.env.subst, f.result);
        let out = self.sort(out_ty);
        self.decls.push(Decl::Function {
            name: signature.name.as_str().into(),
            ins: signature.vars.clone(),
            out,
            role: Role::Plain,
        });
        let known: Name = format!("$known.{}", signature.name).into();
        self.known.insert(signature.name.as_str().into(), f.scc);
        self.decls.push(Decl::Const {
            name: known.clone(),
            sort: Sort::named("bool"),
            unique: false,
        });
        let first = usize::from(f.recursive);
        if f.recursive {
            self.decls.push(Decl::Function {
                name: format!("$can.{}", signature.name).into(),
                ins: signature.vars[first..].to_vec(),
                out: Sort::named("bool"),
                role: Role::Plain,
            });
            self.layer_axiom(&signature);
        }
        self.function_axioms(instance, &f, &signature, out_ty, &known);
        if self.reads_heap(instance.member) {
            self.frame_axiom(instance, &f, &signature);
        }
        if let Some(extreme) = f.extreme {
            self.prefix_axioms(instance, &f, extreme, &signature, &known);
        }
        self.link_axioms(instance, &f);
        self.here = here;
    }

    /// The call of the function itself, with a layer.
    pub(crate) fn own_call(&self, signature: &Signature, recursive: bool, layer: B) -> B {
        let mut args = Vec::new();
        let mut rest = signature.vars.iter();
        if recursive {
            rest.next();
            args.push(layer);
        }
        args.extend(rest.map(|(n, _)| var(n)));
        app(&signature.name, args)
    }

    /// A layer more or less does not change the value.
    fn layer_axiom(&mut self, signature: &Signature) {
        let more = self.own_call(signature, true, app("$LS", vec![var("ly")]));
        let less = self.own_call(signature, true, var("ly"));
        let body = eq(more.clone(), less);
        let axiom = forall(signature.vars.clone(), vec![vec![more]], body);
        self.decls.push(Decl::Axiom(axiom));
    }

    fn function_axioms(
        &mut self,
        instance: &Instance,
        f: &Function,
        signature: &Signature,
        out_ty: stet_dafny::tree::Ty,
        known: &Name,
    ) {
        let env = signature.env.with_fuel(fuel(1));
        let mut pre = signature.typing.clone();
        for clause in &f.requires {
            pre = and(pre, self.expr(clause.expr, &env));
        }
        let guard = |cx: &mut Self, pre: B| {
            let usable = and(var(known), pre);
            if f.recursive {
                let first = &signature.vars[1..];
                let args = first.iter().map(|(n, _)| var(n)).collect();
                let _ = &cx;
                or(app(&format!("$can.{}", signature.name), args), usable)
            } else {
                usable
            }
        };
        let guard = guard(self, pre);
        // The type of the result and the postconditions.
        let call = self.own_call(signature, f.recursive, var("ly"));
        let mut env = signature.env.with_fuel(fuel(1));
        if let Some(result) = f.result_var {
            env.vars.insert(result, call.clone());
        }
        let mut facts = self.is_type(out_ty, &call);
        for clause in &f.ensures {
            facts = and(facts, self.expr(clause.expr, &env));
        }
        if !is_true(&facts) {
            let body = imp(guard.clone(), facts);
            let axiom = forall(signature.vars.clone(), vec![vec![call.clone()]], body);
            self.decls.push(Decl::Axiom(axiom));
        }
        self.older_axiom(instance, f, &signature.vars, &env, &guard, &call);
        let Some(body) = f.body else {
            return;
        };
        let env = signature.env.with_fuel(var("ly"));
        let env = if f.recursive {
            env
        } else {
            env.with_fuel(fuel(1))
        };
        let value = self.expr(body, &env);
        let calls = self.can_calls(body, &env);
        let member = &self.p.members[instance.member];
        let guard = if member.opaque {
            and(self.revealed(instance.member), guard)
        } else {
            guard
        };
        let guard = and(self.shown(instance.member, &signature.name), guard);
        let layer = app("$LS", vec![var("ly")]);
        let left = self.own_call(signature, f.recursive, layer);
        let rep = self.rep(out_ty);
        let equal = self.plain_equal(rep, left.clone(), value);
        let body = imp(guard, and(calls, equal));
        let axiom = forall(signature.vars.clone(), vec![vec![left]], body);
        self.decls.push(Decl::Axiom(axiom));
    }

    /// That the module or proof being verified sees the body of a function.
    pub(crate) fn shown(&mut self, member: MemberId, function: &str) -> B {
        let is_provided = self.p.provided.values().any(|p| p.contains(&member));
        if !is_provided && !self.hidden_somewhere.hides(member) {
            return tt();
        }
        let name: Name = format!("$shown.{function}").into();
        if self.provided.insert(function.into(), member).is_none() {
            self.decls.push(Decl::Const {
                name: name.clone(),
                sort: Sort::named("bool"),
                unique: false,
            });
        }
        var(&name)
    }

    /// That the definition of an opaque member was revealed.
    pub(crate) fn revealed(&mut self, member: MemberId) -> B {
        let name: Name = format!("$revealed.{}", self.p.member_path(member)).into();
        if self.made.insert(name.clone()) {
            self.decls.push(Decl::Const {
                name: name.clone(),
                sort: Sort::named("bool"),
                unique: false,
            });
        }
        var(&name)
    }

    /// Equality of the logic, which is that of the values.
    pub(crate) fn plain_equal(&mut self, rep: stet_dafny::tree::Ty, a: B, b: B) -> B {
        if self.sort_name(rep) == "bool" {
            iff(a, b)
        } else {
            eq(a, b)
        }
    }

    /// The value depends on the objects of the `reads` clause only.
    fn frame_axiom(&mut self, instance: &Instance, f: &Function, signature: &Signature) {
        if f.twostate && (f.reads.star || self.asks_what_is_allocated(f)) {
            return;
        }
        let Some(parts) = self.frame(&f.reads, &signature.env) else {
            self.open_frame_axiom(instance, f, signature);
            return;
        };
        let call = self.own_call(signature, f.recursive, var("ly"));
        let other = crate::collections::replace(
            &call,
            &[("h".into(), Sort::named("$HeapType"))],
            &[var("k")],
        );
        let o = var("o~");
        let (now, then) = (select(var("k"), o.clone()), select(var("h"), o.clone()));
        let has_fields = parts.iter().any(|p| p.field.is_some());
        let same = if has_fields {
            let field = var("f~");
            let value = select(then, field.clone());
            let inside = in_frame(&parts, &o, Some(&field));
            let inside = and(neq(o, var("null")), inside);
            let body = imp(inside, eq(value.clone(), select(now, field)));
            let vars = vec![
                ("o~".into(), Sort::named("ref")),
                ("f~".into(), Sort::named("$Field")),
            ];
            forall(vars, vec![vec![value]], body)
        } else {
            let inside = and(neq(o.clone(), var("null")), in_frame(&parts, &o, None));
            let body = imp(inside, eq(then.clone(), now));
            forall(
                vec![("o~".into(), Sort::named("ref"))],
                vec![vec![then]],
                body,
            )
        };
        let mut vars = signature.vars.clone();
        vars.push(("k".into(), Sort::named("$HeapType")));
        let proper = and(
            app("$HeapOk", vec![var("h")]),
            app("$HeapOk", vec![var("k")]),
        );
        // An object that a heap does not have yet is not among what quantifiers range over there.
        let mut exist = tt();
        let this_type = self.receiver_type(instance.member, &instance.args);
        for heap in [var("h"), var("k")] {
            if let (Some(this), Some(ty)) = (&signature.this, this_type) {
                exist = and(exist, self.is_alloc(ty, this, &heap));
            }
            for &v in &f.ins {
                let (name, ty) = self.formal(v, &signature.env);
                exist = and(exist, self.is_alloc(ty, &var(&name), &heap));
            }
        }
        let guard = and(and(proper, exist), same);
        let body = imp(guard, eq(call.clone(), other.clone()));
        let axiom = forall(vars, vec![vec![call, other]], body);
        self.decls.push(Decl::Axiom(axiom));
    }

    /// Whether the value of a two-state function could depend on what is allocated in the later state.
    pub(crate) fn asks_what_is_allocated(&self, f: &Function) -> bool {
        let mut found = false;
        for root in walk::of_function(f) {
            walk::walk(self.p, root, &mut |e| {
                found |= match &self.p.exprs[e].kind {
                    ExprKind::Fresh(..) | ExprKind::Allocated(_) => true,
                    ExprKind::Quantifier(q) => over_references(self.p, &q.vars),
                    ExprKind::SetComprehension { vars, .. }
                    | ExprKind::MapComprehension { vars, .. }
                    | ExprKind::LetSuchThat { vars, .. }
                    | ExprKind::Lambda { vars, .. } => over_references(self.p, vars),
                    ExprKind::Call(call) => self.function(call.function).is_none_or(|g| g.twostate),
                    ExprKind::StmtExpr(..) => true,
                    _ => false,
                };
                !found
            });
        }
        found
    }

    /// A function that may read everything depends on what existed in the first of two heaps only: what it gets to from its
    /// arguments is allocated.
    fn open_frame_axiom(&mut self, instance: &Instance, f: &Function, signature: &Signature) {
        let call = self.own_call(signature, f.recursive, var("ly"));
        let heap = [("h".into(), Sort::named("$HeapType"))];
        let other = crate::collections::replace(&call, &heap, &[var("k")]);
        let o = var("o~");
        let then = select(var("h"), o.clone());
        let existed = and(
            neq(o.clone(), var("null")),
            crate::types::alloc(&var("h"), &o),
        );
        let same = imp(existed, eq(then.clone(), select(var("k"), o)));
        let object = vec![("o~".into(), Sort::named("ref"))];
        let mut given = forall(object, vec![vec![then]], same);
        let this_type = self.receiver_type(instance.member, &instance.args);
        if let (Some(this), Some(ty)) = (&signature.this, this_type) {
            given = and(self.is_alloc(ty, this, &var("h")), given);
        }
        for &v in &f.ins {
            let (name, ty) = self.formal(v, &signature.env);
            given = and(self.is_alloc(ty, &var(&name), &var("h")), given);
        }
        for heap in ["h", "k"] {
            given = and(app("$HeapOk", vec![var(heap)]), given);
        }
        given = and(signature.typing.clone(), given);
        let mut vars = signature.vars.clone();
        vars.push(("k".into(), Sort::named("$HeapType")));
        let body = imp(given, eq(call.clone(), other.clone()));
        self.decls
            .push(Decl::Axiom(forall(vars, vec![vec![call, other]], body)));
    }

    /// That the recursive calls in an expression were checked; for the definitions of recursive functions.
    fn can_calls(&mut self, root: stet_dafny::tree::ExprId, env: &Env) -> B {
        use stet_dafny::tree::BinaryOp as Op;
        let expr = &self.p.exprs[root];
        match &expr.kind {
            ExprKind::Ite(c, a, b) => {
                let condition = self.can_calls(*c, env);
                let (yes, no) = (self.can_calls(*a, env), self.can_calls(*b, env));
                if is_true(&yes) && is_true(&no) {
                    return condition;
                }
                let test = self.expr(*c, env);
                let both = and(imp(test.clone(), yes), imp(not(test), no));
                and(condition, both)
            }
            ExprKind::Binary(op @ (Op::And | Op::Imp | Op::Or), a, b) => {
                let first = self.can_calls(*a, env);
                let second = self.can_calls(*b, env);
                if is_true(&second) {
                    return first;
                }
                let test = self.expr(*a, env);
                let test = if *op == Op::Or { not(test) } else { test };
                and(first, imp(test, second))
            }
            ExprKind::Binary(_, a, b) => and(self.can_calls(*a, env), self.can_calls(*b, env)),
            ExprKind::Unary(UnaryOp::Not | UnaryOp::Neg | UnaryOp::Cardinality, a)
            | ExprKind::StmtExpr(_, a) => self.can_calls(*a, env),
            ExprKind::Call(call) => {
                let mut all = tt();
                for &arg in call.args.iter().chain(&call.receiver) {
                    all = and(all, self.can_calls(arg, env));
                }
                let callee = self.function(call.function);
                if callee.is_some_and(|f| f.scc == env.scc && f.recursive && f.extreme.is_none())
                    && !call.co_call
                {
                    let instance = self.function_instance(call, env);
                    let receiver = call.receiver.map(|r| self.expr(r, env));
                    let actuals = self.args(&call.args, env);
                    all = and(all, self.can_call(&instance, receiver, actuals, env));
                }
                all
            }
            ExprKind::Ctor { args, .. } | ExprKind::SeqDisplay(args) | ExprKind::Tuple(args) => {
                let mut all = tt();
                for &arg in args {
                    all = and(all, self.can_calls(arg, env));
                }
                all
            }
            ExprKind::Match { scrutinee, cases } => {
                let rep = self.rep_of(*scrutinee, env);
                let value = self.expr(*scrutinee, env);
                let mut all = self.can_calls(*scrutinee, env);
                let mut earlier = tt();
                for case in cases {
                    let mut inner = env.clone();
                    self.bind(&case.pattern, rep, &value, &mut inner);
                    let test = self.matches(&case.pattern, rep, &value, env);
                    let inside = self.can_calls(case.body, &inner);
                    all = and(all, imp(and(earlier.clone(), test.clone()), inside));
                    earlier = and(earlier, not(test));
                }
                all
            }
            ExprKind::Let {
                patterns,
                values,
                body,
                ..
            } => {
                let mut all = tt();
                let mut inner = env.clone();
                for (pattern, &value) in patterns.iter().zip(values) {
                    all = and(all, self.can_calls(value, env));
                    let rep = self.rep_of(value, env);
                    let bound = self.expr(value, env);
                    self.bind(pattern, rep, &bound, &mut inner);
                }
                and(all, self.can_calls(*body, &inner))
            }
            ExprKind::LetSuchThat {
                vars,
                condition,
                body,
                ..
            } => {
                // That there are such values was shown when the function was checked.
                let mut inner = env.clone();
                let values = self.such_that_values(vars, *condition, &mut env.clone());
                let mut known = tt();
                for (v, value) in vars.iter().zip(values) {
                    let ty = self.subst(&env.subst, self.p.vars[*v].ty);
                    known = and(known, self.is_type(ty, &value));
                    inner.vars.insert(*v, value);
                }
                known = and(known, self.expr(*condition, &inner));
                and(known, self.can_calls(*body, &inner))
            }
            ExprKind::DatatypeUpdate { value, updates, .. } => {
                let mut all = self.can_calls(*value, env);
                for (_, update) in updates {
                    all = and(all, self.can_calls(*update, env));
                }
                all
            }
            // Elsewhere nothing is said: a call there is not unfolded in checks of the same component.
            _ => tt(),
        }
    }
}

/// Whether bound variables range over what is allocated.
fn over_references(p: &Program, vars: &[VarId]) -> bool {
    vars.iter().any(|&v| p.may_contain_references(p.vars[v].ty))
}

/// Whether an expression looks at the heap itself; functions it calls are added to `calls`.
fn uses_heap(p: &Program, root: stet_dafny::tree::ExprId, calls: &mut Vec<MemberId>) -> bool {
    let mut found = false;
    walk::walk(p, root, &mut |e| {
        match &p.exprs[e].kind {
            ExprKind::Field { field, .. } => {
                found |= matches!(p.members[*field].kind, MemberKind::Field { .. });
            }
            ExprKind::ArrayIndex(..)
            | ExprKind::Old(..)
            | ExprKind::Unchanged(..)
            | ExprKind::Fresh(..)
            | ExprKind::Allocated(_) => found = true,
            ExprKind::Slice(of, ..) => found |= p.is_reference(p.exprs[*of].ty),
            ExprKind::Quantifier(q) => found |= over_references(p, &q.vars),
            ExprKind::SetComprehension { vars, .. }
            | ExprKind::MapComprehension { vars, .. }
            | ExprKind::LetSuchThat { vars, .. } => found |= over_references(p, vars),
            ExprKind::Lambda { vars, reads, .. } if reads.star || !reads.items.is_empty() => {
                found |= over_references(p, vars);
            }
            ExprKind::Apply(f, _) | ExprKind::FnRequires(f, _) | ExprKind::FnReads(f, _) => {
                let kind = crate::arrows::arrow_kind(p, p.exprs[*f].ty);
                found |= kind == Some(stet_dafny::tree::ArrowKind::General);
            }
            ExprKind::Call(call) => calls.push(call.function),
            ExprKind::FunctionValue { function, .. } => calls.push(*function),
            _ => {}
        }
        true
    });
    found
}
