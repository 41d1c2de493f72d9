//! Automatic induction: the hypothesis that a lemma gets without being called.
//!
//! What the lemma ensures is assumed for all arguments that satisfy its preconditions and have a smaller measure. Which
//! parameters vary is the user's choice (`{:induction x, y}`) or Dafny's: those in arguments of recursive functions, `this` too.

use crate::cx::{Cx, Env, Instance};
use crate::tree::*;
use stet_dafny::tree::{ExprId, ExprKind, MemberKind, Method, Program, TyKind, VarId};

/// What varies in the hypothesis.
#[derive(Default)]
struct Varied {
    this: bool,
    vars: Vec<VarId>,
}

impl Cx<'_> {
    /// Assumes the induction hypothesis of a lemma.
    pub(crate) fn induction(
        &mut self,
        instance: &Instance,
        m: &Method,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let chosen = self.induction_variables(instance, m, env);
        if (chosen.vars.is_empty() && !chosen.this) || m.decreases.star {
            return;
        }
        let mut inner = env.clone();
        let (mut names, mut condition) = (Vec::new(), tt());
        if chosen.this
            && let Some(ty) = self.receiver_type(instance.member, &instance.args)
        {
            let name = inner.fresh_bound("this");
            let sort = self.sort(ty);
            condition = self.typed(ty, &var(&name), &env.heap);
            self.var_sorts.insert(name.clone(), sort.clone());
            inner.this = Some(var(&name));
            names.push((name, sort));
        }
        let (bound, typing) = self.bound_vars(&chosen.vars, &mut inner);
        names.extend(bound);
        condition = and(condition, typing);
        let mut required = tt();
        for spec in &m.requires {
            required = and(required, self.expr(spec.expr, &inner));
        }
        let old = self.measure(&m.decreases.exprs, env);
        let new = self.measure(&m.decreases.exprs, &inner);
        let smaller = self.decreases(&new, &old, self.here);
        let mut facts = tt();
        for spec in &m.ensures {
            facts = and(facts, self.expr(spec.expr, &inner));
        }
        // What is ensured may mention too little; then terms of the preconditions find instances.
        let mut triggers = crate::trigger::choose_for_hypothesis(&facts, &names);
        if triggers.is_empty() {
            let all = and(required.clone(), facts.clone());
            triggers = crate::trigger::choose_for_hypothesis(&all, &names);
        }
        // A hypothesis that the program asks for is given without terms, too: then the prover chooses.
        let attributes = &self.p.members[instance.member].attributes;
        let given = |name: &str| attributes.iter().find(|a| self.p.text(a.name) == name);
        let without_terms = given("inductionTrigger").is_some_and(|a| a.args.is_empty());
        let is_asked = given("induction").is_some() || without_terms;
        if without_terms {
            triggers.clear();
        }
        if triggers.is_empty() && !is_asked {
            return;
        }
        // Sizes are everywhere.
        if triggers.iter().any(|t| !t.iter().any(is_size)) {
            triggers.retain(|t| !t.iter().any(is_size));
        }
        // An instance must not be found by the terms of another: then the prover chooses, which knows such loops.
        let terms = and(required.clone(), facts.clone());
        if triggers.iter().flatten().any(|t| loops(t, &terms, &names)) {
            triggers.clear();
        }
        condition = and(and(condition, required), smaller);
        out.push(S::Assume(forall(names, triggers, imp(condition, facts))));
    }

    fn induction_variables(&mut self, instance: &Instance, m: &Method, env: &Env) -> Varied {
        let attributes = &self.p.members[instance.member].attributes;
        let given = attributes
            .iter()
            .find(|a| self.p.text(a.name) == "induction");
        if let Some(attribute) = given {
            let is_this = |&arg: &ExprId| matches!(self.p.exprs[arg].kind, ExprKind::This);
            return match self.p.induction_variables(m, attribute) {
                Some(vars) => Varied {
                    this: attribute.args.iter().any(is_this),
                    vars,
                },
                None => Varied::default(),
            };
        }
        let p = self.p;
        let occurs = |wanted: Option<VarId>| {
            let specs = m.ensures.iter().chain(&m.requires);
            specs
                .into_iter()
                .any(|spec| in_recursive_call(p, spec.expr, wanted))
        };
        let is_ordered = |v: &VarId| {
            let rep = p.representation(p.vars[*v].ty);
            !matches!(&*p.types.kind(rep), TyKind::Param(_) | TyKind::Arrow { .. })
        };
        let ordered = m.ins.iter().copied().filter(is_ordered);
        Varied {
            this: env.this.is_some() && occurs(None),
            vars: ordered.filter(|&v| occurs(Some(v))).collect(),
        }
    }
}

/// Whether a variable, or `this`, occurs in an argument of a recursive function.
pub(crate) fn in_recursive_call(p: &Program, root: ExprId, wanted: Option<VarId>) -> bool {
    let mut found = false;
    crate::walk::walk(p, root, &mut |e| {
        if let ExprKind::Call(call) = &p.exprs[e].kind
            && let MemberKind::Function(f) = &p.members[call.function].kind
            && f.recursive
        {
            for &arg in call.args.iter().chain(&call.receiver).chain(&call.prefix) {
                found |= occurs(p, arg, wanted);
            }
        }
        !found
    });
    found
}

/// Whether a variable, or `this`, is part of a value; what a branch depends on is not.
fn occurs(p: &Program, root: ExprId, wanted: Option<VarId>) -> bool {
    let mut found = false;
    crate::walk::walk(p, root, &mut |e| {
        match p.exprs[e].kind {
            ExprKind::Var(w) => found |= wanted == Some(w),
            ExprKind::This => found |= wanted.is_none(),
            ExprKind::Ite(_, then, els) => {
                found |= occurs(p, then, wanted) || occurs(p, els, wanted);
                return false;
            }
            _ => {}
        }
        !found
    });
    found
}

/// The length or cardinality of a variable.
fn is_size(term: &B) -> bool {
    match &**term {
        Node::App(name, args) => {
            (name.starts_with("$Seq.len$") || name.contains(".card$"))
                && matches!(&args[..], [arg] if matches!(**arg, Node::Var(_)))
        }
        _ => false,
    }
}

/// Whether an instance that a trigger finds has a term that the trigger matches at other, larger arguments.
fn loops(trigger: &B, body: &B, names: &[TypedName]) -> bool {
    let Node::App(head, args) = &**trigger else {
        return false;
    };
    let is_bound = |e: &B| matches!(&**e, Node::Var(v) if names.iter().any(|(n, _)| n == v));
    let grows = |arg: &B, other: &B| {
        is_bound(arg)
            && !matches!(**other, Node::Var(_))
            && names.iter().any(|(n, _)| mentions(other, n))
    };
    let mut pending = vec![body];
    while let Some(e) = pending.pop() {
        if let Node::App(name, others) = &**e
            && name == head
            && args.iter().zip(others).all(|(a, o)| is_bound(a) || a == o)
            && args.iter().zip(others).any(|(a, o)| grows(a, o))
        {
            return true;
        }
        pending.extend(children(e));
    }
    false
}
