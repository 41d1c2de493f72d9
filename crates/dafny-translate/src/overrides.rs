//! Members that override those of traits: what the trait promises must follow from what the class says.
//!
//! A call through the trait relies on the trait's specification. The check `$Override.m` shows that the class requires no
//! more, ensures no less, reads and modifies nothing else, and has no larger measure. A function of the trait has, for
//! objects of the class, the value of the function that overrides it; this is known where the trait's function is, which
//! is above the overriding one in the call graph.

use crate::cx::{Cx, Env, Instance};
use crate::decl::{Body, Decl, Procedure};
use crate::frame::{FramePart, in_frame};
use crate::methods::clause;
use crate::tree::*;
use crate::wf::{Builder, check};
use std::collections::BTreeSet;
use stet_base::Span;
use stet_dafny::tree::{Clause, ExprKind, Function, MemberId, Method, Owner};

impl Cx<'_> {
    /// The member of the trait, at the arguments at which the class of `instance` implements it.
    fn overridden(&mut self, instance: &Instance, over: MemberId) -> Option<Instance> {
        let class = self.receiver_type(instance.member, &instance.args)?;
        let Owner::Type(decl) = self.p.members[over].owner else {
            return None;
        };
        let mut args = self.args_at(class, decl)?;
        let own = self.p.owner_params(instance.member).len();
        args.extend(instance.args.iter().skip(own).copied());
        Some(Instance { member: over, args })
    }

    /// Conditions that must hold, each with the place in the trait that asks for it.
    fn must_hold(
        &mut self,
        clauses: &[Clause],
        env: &Env,
        span: Span,
        message: &str,
        out: &mut Vec<S>,
    ) {
        for clause in clauses {
            for part in self.split(clause.expr, env) {
                out.push(S::Assert(Check {
                    forgotten: false,
                    asserted: None,
                    span,
                    message: message.into(),
                    related: part.related_from_outside(),
                    cond: part.cond,
                }));
            }
        }
    }

    fn within(
        &mut self,
        own: Option<Vec<FramePart>>,
        allowed: Option<Vec<FramePart>>,
        span: Span,
        message: &str,
        out: &mut Vec<S>,
    ) {
        let Some(allowed) = allowed else {
            return;
        };
        let cond = match own {
            None => ff(),
            Some(own) if own.is_empty() => return,
            Some(own) => {
                let (o, f) = (var("o~"), var("f~"));
                let asked = and(neq(o.clone(), var("null")), in_frame(&own, &o, Some(&f)));
                let given = in_frame(&allowed, &o, Some(&f));
                let vars = vec![
                    ("o~".into(), Sort::named("ref")),
                    ("f~".into(), Sort::named("$Field")),
                ];
                forall(vars, Vec::new(), imp(asked, given))
            }
        };
        out.push(check(cond, span, message));
    }

    /// Checks that a method keeps the promises of the methods it overrides.
    pub(crate) fn verify_method_overrides(&mut self, instance: &Instance, m: &Method) {
        for over in self.p.members[instance.member].overrides.clone() {
            let (Some(t), Some(above)) =
                (self.method(over).cloned(), self.overridden(instance, over))
            else {
                let span = self.p.members[instance.member].span;
                self.unsupported(span, "overriding this member");
                continue;
            };
            self.method_override(instance, m, &above, &t);
        }
    }

    fn method_override(&mut self, instance: &Instance, m: &Method, above: &Instance, t: &Method) {
        let span = self.p.members[instance.member].span;
        self.need(crate::prelude::Chunk::Heap);
        let head = self.head(instance, m);
        let env = head.env.clone();
        let mut up = Env {
            subst: self.subst_of(above),
            ..env.clone()
        };
        let formals = t.ins.iter().zip(&m.ins).chain(t.outs.iter().zip(&m.outs));
        for (&theirs, own) in formals {
            up.vars.insert(theirs, env.vars[own].clone());
        }
        let mut out = Vec::new();
        for spec in &t.requires {
            out.push(S::Assume(self.expr(spec.expr, &up)));
        }
        let message = "the method must provide an equal or more permissive precondition than in its parent trait";
        self.must_hold(&m.requires, &env, span, message, &mut out);
        let allowed = self.frame(&t.modifies, &up);
        let own = self.frame(&m.modifies, &env);
        let message =
            "expression might modify an object not in the parent trait context's modifies clause";
        self.within(own, allowed, span, message, &mut out);
        if !t.decreases.star {
            let (new, old) = (
                self.measure(&m.decreases.exprs, &env),
                self.measure(&t.decreases.exprs, &up),
            );
            let cond = if m.decreases.star {
                ff()
            } else {
                self.decreases_or_equal(&new, &old, span)
            };
            let message = "method's decreases clause must be below or equal to that in the trait";
            out.push(check(cond, span, message));
        }
        if self.changes_heap(m, &env) {
            self.havoc_by(&m.modifies, &env, &mut out);
        }
        out.push(S::Assume(self.formals_typed(&m.outs, &env)));
        for spec in &m.ensures {
            out.push(S::Assume(self.expr(spec.expr, &env)));
        }
        let message = "the method must provide an equal or more detailed postcondition than in its parent trait";
        self.must_hold(&t.ensures, &up, span, message, &mut out);
        if self.has_two_states {
            self.follow_entry(&mut out);
        }
        let facts = self.entry_facts(instance, m, &env);
        let name = self.instance_name(instance);
        let procedure = Procedure {
            name: format!("$Override.{name}.{}", self.p.member_path(above.member)).into(),
            span,
            ins: head.ins,
            outs: head.outs,
            requires: vec![clause(facts, span, "", true)],
            ensures: Vec::new(),
            modifies: vec!["$Heap".into()],
            attributes: Vec::new(),
            body: Some(Body {
                locals: Vec::new(),
                stmts: out,
                end: None,
            }),
        };
        self.add_verified(procedure, t.scc);
    }

    /// Checks that a function keeps the promises of the functions it overrides.
    pub(crate) fn verify_function_overrides(&mut self, instance: &Instance, f: &Function) {
        for over in self.p.members[instance.member].overrides.clone() {
            let (Some(t), Some(above)) = (
                self.function(over).cloned(),
                self.overridden(instance, over),
            ) else {
                let span = self.p.members[instance.member].span;
                self.unsupported(span, "overriding this member");
                continue;
            };
            self.function_override(instance, f, &above, &t);
        }
    }

    fn function_override(
        &mut self,
        instance: &Instance,
        f: &Function,
        above: &Instance,
        t: &Function,
    ) {
        let span = self.p.members[instance.member].span;
        let (ins, mut env, facts) = self.function_head(instance, f);
        let mut up = Env {
            subst: self.subst_of(above),
            ..env.clone()
        };
        for (&theirs, own) in t.ins.iter().zip(&f.ins) {
            up.vars.insert(theirs, env.vars[own].clone());
        }
        let mut out = Vec::new();
        for spec in &t.requires {
            out.push(S::Assume(self.expr(spec.expr, &up)));
        }
        let message = "the function must provide an equal or more permissive precondition than in its parent trait";
        self.must_hold(&f.requires, &env, span, message, &mut out);
        let allowed = self.frame(&t.reads, &up);
        let own = self.frame(&f.reads, &env);
        let message =
            "expression might read an object not in the parent trait context's reads clause";
        self.within(own, allowed, span, message, &mut out);
        let (new, old) = (
            self.measure(&f.decreases.exprs, &env),
            self.measure(&t.decreases.exprs, &up),
        );
        let cond = self.decreases_or_equal(&new, &old, span);
        let message = "function's decreases clause must be below or equal to that in the trait";
        out.push(check(cond, span, message));
        let actuals: Vec<B> = f.ins.iter().map(|v| env.vars[v].clone()).collect();
        let value = self.apply_function(instance, env.this.clone(), actuals.clone(), &env);
        let can = self.can_call(instance, env.this.clone(), actuals, &env);
        out.push(S::Assume(can));
        for (result, env) in [(f.result_var, &mut env), (t.result_var, &mut up)] {
            if let Some(v) = result {
                env.vars.insert(v, value.clone());
            }
        }
        let out_ty = self.subst(&env.subst, f.result);
        out.push(S::Assume(self.is_type(out_ty, &value)));
        for spec in &f.ensures {
            out.push(S::Assume(self.expr(spec.expr, &env)));
        }
        if t.result_var.is_none() && !t.ensures.is_empty() {
            // The trait speaks of the result by calling the function.
            let theirs: Vec<B> = t.ins.iter().map(|v| up.vars[v].clone()).collect();
            let call = self.apply_function(above, up.this.clone(), theirs, &up);
            out.push(S::Assume(eq(call, value)));
        }
        if !t.ensures.is_empty()
            && let Some(link) = self.link(instance, f, above, t)
        {
            // The trait may speak of other calls: for objects of the class they mean the overriding function.
            out.push(S::Assume(link.for_all()));
            self.link_siblings(instance, above, t, &mut out);
        }
        let message = "the function must provide an equal or more detailed postcondition than in its parent trait";
        self.must_hold(&t.ensures, &up, span, message, &mut out);
        for stmt in &mut out {
            // As in Dafny, an error does not say which postcondition of the trait it is about.
            if let S::Assert(check) = stmt
                && check.message == message.into()
            {
                check.related.clear();
            }
        }
        let name = self.instance_name(instance);
        let procedure = Procedure {
            name: format!("$Override.{name}.{}", self.p.member_path(above.member)).into(),
            span,
            ins,
            outs: Vec::new(),
            requires: vec![clause(facts, span, "", true)],
            ensures: Vec::new(),
            modifies: Vec::new(),
            attributes: Vec::new(),
            body: Some(Body {
                locals: Builder::default().locals,
                stmts: out,
                end: None,
            }),
        };
        self.add_verified(procedure, t.scc);
    }

    /// The postconditions of a trait's function may call other functions of the trait: for objects of the class these mean the
    /// functions that override them, too.
    fn link_siblings(
        &mut self,
        instance: &Instance,
        above: &Instance,
        t: &Function,
        out: &mut Vec<S>,
    ) {
        let mut called = BTreeSet::new();
        for clause in &t.ensures {
            crate::walk::walk(self.p, clause.expr, &mut |e| {
                if let ExprKind::Call(call) = &self.p.exprs[e].kind {
                    called.insert(call.function);
                }
                true
            });
        }
        called.remove(&above.member);
        let owner = self.p.members[instance.member].owner;
        let own_params = self.p.owner_params(instance.member).len();
        let members = self.p.members.iter();
        let siblings: Vec<(MemberId, MemberId)> = members
            .filter(|(_, m)| m.owner == owner)
            .flat_map(|(id, m)| m.overrides.iter().map(move |&over| (id, over)))
            .filter(|(id, over)| called.contains(over) && self.p.type_params_of(*id).is_empty())
            .collect();
        for (id, over) in siblings {
            let sibling = Instance {
                member: id,
                args: instance.args[..own_params].to_vec(),
            };
            let (Some(f), Some(t)) = (self.function(id).cloned(), self.function(over).cloned())
            else {
                continue;
            };
            if let Some(above) = self.overridden(&sibling, over)
                && let Some(link) = self.link(&sibling, &f, &above, &t)
            {
                out.push(S::Assume(link.for_all()));
            }
        }
    }

    /// For objects of the class, the function of the trait has the value of the one that overrides it.
    pub(crate) fn link_axioms(&mut self, instance: &Instance, f: &Function) {
        for over in self.p.members[instance.member].overrides.clone() {
            let (Some(t), Some(above)) = (
                self.function(over).cloned(),
                self.overridden(instance, over),
            ) else {
                continue;
            };
            let Some(link) = self.link(instance, f, &above, &t) else {
                continue;
            };
            let name = self.instance_name(&above);
            let mut guard = and(var(&format!("$known.{name}")), link.pre);
            if t.recursive {
                guard = or(link.can_theirs, guard);
            }
            let same = and(link.can_own, eq(link.theirs.clone(), link.own.clone()));
            let triggers = vec![vec![link.theirs], vec![link.own]];
            self.decls
                .push(Decl::Axiom(forall(link.vars, triggers, imp(guard, same))));
        }
    }

    /// The function of a trait and the one that overrides it, of the same arguments.
    fn link(
        &mut self,
        instance: &Instance,
        f: &Function,
        above: &Instance,
        t: &Function,
    ) -> Option<Link> {
        let signature = self.signature(instance, f);
        let mut env = signature.env.with_fuel(crate::functions::fuel(1));
        if self.reads_heap(above.member) && !self.reads_heap(instance.member) {
            return None;
        }
        let mut up = Env {
            subst: self.subst_of(above),
            ..env.clone()
        };
        for (&theirs, own) in t.ins.iter().zip(&signature.actuals) {
            up.vars.insert(theirs, own.clone());
        }
        let mut pre = signature.typing.clone();
        for spec in &t.requires {
            pre = and(pre, self.expr(spec.expr, &up));
        }
        if f.recursive && t.recursive {
            env.fuel = var("ly");
            up.fuel = var("ly");
        }
        let (this, actuals) = (signature.this.clone(), signature.actuals.clone());
        let mut vars = signature.vars.clone();
        if f.recursive && !t.recursive {
            // The layer is fixed.
            vars.remove(0);
        }
        Some(Link {
            vars,
            pre,
            own: self.apply_function(instance, this.clone(), actuals.clone(), &env),
            theirs: self.apply_function(above, this.clone(), actuals.clone(), &up),
            can_own: self.can_call(instance, this.clone(), actuals.clone(), &env),
            can_theirs: self.can_call(above, this, actuals, &up),
        })
    }
}

/// A function of a trait beside the one that overrides it.
struct Link {
    vars: Vec<TypedName>,
    /// The types of the arguments and the preconditions of the trait.
    pre: B,
    own: B,
    theirs: B,
    /// That the calls were checked.
    can_own: B,
    can_theirs: B,
}

impl Link {
    /// That both have the same value, under names that differ from those of parameters.
    fn for_all(self) -> B {
        let rename = |(n, s): &TypedName| -> TypedName { (format!("{n}~any").into(), s.clone()) };
        let names: Vec<TypedName> = self.vars.iter().map(rename).collect();
        let values: Vec<B> = names.iter().map(|(n, _)| var(n)).collect();
        let again = |e: &B| crate::collections::replace(e, &self.vars, &values);
        let theirs = again(&self.theirs);
        let same = imp(again(&self.pre), eq(theirs.clone(), again(&self.own)));
        forall(names, vec![vec![theirs]], same)
    }
}
