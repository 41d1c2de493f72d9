//! `older` parameters of predicates: where the predicate holds, they are in every heap that the other parameters are in.
//!
//! The definition of a predicate is checked for it ([`Cx::older_checks`]), and calls rely on it ([`Cx::older_fact`]). So a
//! quantifier whose variable is such an argument does not depend on the set of allocated references.

use crate::cx::{Cx, Env, Instance};
use crate::methods::POST;
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::Builder;
use stet_dafny::tree::{Function, Owner, TypeDeclKind, VarId};

impl Cx<'_> {
    fn olders(&self, f: &Function) -> Vec<VarId> {
        let is_older = |v: &VarId| self.p.vars[*v].is_older;
        f.ins.iter().copied().filter(is_older).collect()
    }

    /// That the parameters that are not `older` are in a heap, and that the others are.
    fn in_heap(&mut self, instance: &Instance, f: &Function, env: &Env, heap: &B) -> (B, Vec<B>) {
        let (mut given, mut shown) = (tt(), Vec::new());
        let this_type = self.receiver_type(instance.member, &instance.args);
        if let (Some(this), Some(ty)) = (env.this.clone(), this_type) {
            given = and(given, self.is_alloc(ty, &this, heap));
        }
        for &v in &f.ins {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            let value = env.vars[&v].clone();
            let allocated = self.is_alloc(ty, &value, heap);
            match self.p.vars[v].is_older {
                true => shown.push(allocated),
                false => given = and(given, allocated),
            }
        }
        shown.retain(|fact| !is_true(fact));
        (given, shown)
    }

    /// Refuses `older` where it could not be checked.
    fn older_is_known(&mut self, instance: &Instance, f: &Function, env: &Env) -> bool {
        let member = &self.p.members[instance.member];
        let in_trait = match member.owner {
            Owner::Type(decl) => matches!(self.p.decls[decl].kind, TypeDeclKind::Trait { .. }),
            Owner::Module(_) => false,
        };
        if in_trait || !member.overrides.is_empty() {
            let what = "an `older` parameter of a member of a trait";
            self.unsupported(member.span, what);
            return false;
        }
        for v in self.olders(f) {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            if self.hides_references(ty, &mut Vec::new()) {
                let what = "an `older` parameter whose type hides references (type parameters and abstract types without `(!new)`, functions)";
                self.unsupported(self.p.vars[v].span, what);
                return false;
            }
        }
        true
    }

    /// The checks of a predicate with `older` parameters, where its result is known.
    pub(crate) fn older_checks(
        &mut self,
        instance: &Instance,
        f: &Function,
        result: &B,
        env: &Env,
        b: &mut Builder,
        checks: &mut Vec<S>,
    ) {
        if self.olders(f).is_empty() || !self.older_is_known(instance, f, env) {
            return;
        }
        self.need(Chunk::Heap);
        let heap = self.declare_local(b, "$Heap.older", Sort::named("$HeapType"));
        let (given, shown) = self.in_heap(instance, f, env, &var(&heap));
        let given = and(app("$HeapOk", vec![var(&heap)]), given);
        let related = (
            self.p.members[instance.member].span,
            self.might_be_newer(instance, f).into(),
        );
        // Nothing is assumed of the heap but what is in it: it is any heap.
        checks.push(S::Assert(Check {
            forgotten: false,
            asserted: None,
            cond: imp(and(result.clone(), given), conj(shown)),
            span: related.0,
            message: POST.into(),
            related: vec![related],
        }));
    }

    fn might_be_newer(&self, instance: &Instance, f: &Function) -> String {
        let older = self.olders(f).len();
        let member = &self.p.members[instance.member];
        let is_instance = matches!(member.owner, Owner::Type(_)) && !member.is_static;
        let this = usize::from(is_instance);
        let others = f.ins.len() - older + this;
        let which = match older {
            1 => "the 'older' parameter",
            _ => "an 'older' parameter",
        };
        let than = match (older, others) {
            (1, 1) => "the other parameter",
            (_, 1) => "the non-'older' parameter",
            _ => "all non-'older' parameters",
        };
        format!("{which} might be newer than {than} when the predicate returns 'true'")
    }

    /// What callers know of `older` parameters, for an axiom over the parameters and another heap; with the terms to match.
    pub(crate) fn older_axiom(
        &mut self,
        instance: &Instance,
        f: &Function,
        vars: &[TypedName],
        env: &Env,
        guard: &B,
        call: &B,
    ) {
        if self.olders(f).is_empty() || !self.older_is_known(instance, f, env) {
            return;
        }
        self.need(Chunk::Heap);
        let heap = var("older~h");
        let (given, shown) = self.in_heap(instance, f, env, &heap);
        let given = and(app("$HeapOk", vec![heap]), given);
        let mut vars = vars.to_vec();
        vars.push(("older~h".into(), Sort::named("$HeapType")));
        for fact in shown {
            let terms = matched(&fact);
            let body = imp(and(and(guard.clone(), call.clone()), given.clone()), fact);
            let axiom = forall(vars.clone(), vec![vec![call.clone(), terms]], body);
            self.decls.push(crate::decl::Decl::Axiom(axiom));
        }
    }
}

/// The term of a fact of allocation that the prover can match: without the exception for null.
fn matched(fact: &B) -> B {
    match &**fact {
        Node::Bin(BinaryOp::Or, _, alloc) => alloc.clone(),
        _ => fact.clone(),
    }
}
