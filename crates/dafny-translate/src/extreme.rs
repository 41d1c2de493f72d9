//! Least and greatest predicates and lemmas.
//!
//! An extreme predicate `P` is a fixpoint of its body. Its prefixes `P#[k]` are the steps of the iteration that reaches it:
//! at zero `false` (least) or `true` (greatest), at a successor the body with `P#[k - 1]` for `P`, at a limit
//! the union or the intersection of what is below. `P` holds where some prefix does (least) or all do (greatest). The
//! resolver has checked that the body is monotone and, where depths are numbers, continuous.
//!
//! An extreme lemma is shown by induction over `k`: its prefix lemma has `P#[k]` for `P` where that is sound, which is
//! everywhere in its precondition (least) or postcondition (greatest) under conjunctions, disjunctions, the right
//! sides of implications, branches, and quantifiers that do not need more depths than there are. In its body, calls of
//! the lemma go to the prefix lemma at `k - 1`, and the predicates mean their prefixes at `k - 1`.

use crate::codata::{below_depth, is_depth, is_successor, one_less};
use crate::cx::{Cx, Env, Instance, Work};
use crate::decl::{Body, Clause, Decl, Procedure};
use crate::functions::{Signature, fuel};
use crate::measure::Measured;
use crate::methods::{POST, clause, plain};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::Builder;
use std::rc::Rc;
use stet_base::{FastSet, Span};
use stet_dafny::tree::{
    BinaryOp as Op, ExprId, ExprKind, Extreme, Extremum, Function, FunctionCall, Method,
    MethodKind, Ty,
};

/// Which predicates and equalities mean their prefixes at a depth.
#[derive(Debug, Default)]
pub(crate) struct Focus {
    k: Option<B>,
    is_ordinal: bool,
    /// Extreme predicates of these components of the call graph.
    sccs: Vec<u32>,
    /// Equality of these represented types.
    equalities: Vec<Ty>,
    /// These calls and equalities.
    exprs: FastSet<ExprId>,
}

impl Focus {
    /// The predicates of a component one depth below `k`.
    pub(crate) fn below(is_ordinal: bool, k: &B, scc: u32) -> Rc<Focus> {
        Rc::new(Focus {
            k: Some(one_less(is_ordinal, k)),
            is_ordinal,
            sccs: vec![scc],
            ..Focus::default()
        })
    }
}

/// The places in a specification that mean prefixes.
#[derive(Default)]
struct Focal {
    exprs: FastSet<ExprId>,
    sccs: Vec<u32>,
    equalities: Vec<Ty>,
}

impl Cx<'_> {
    fn is_ordinal(&self, extreme: Extreme) -> bool {
        extreme.k_type == self.p.types.ordinal
    }

    /// The value of an expression that means a prefix here.
    pub(crate) fn focused(&mut self, e: ExprId, env: &Env) -> Option<B> {
        let focus = env.focus.clone()?;
        let k = focus.k.clone()?;
        match &self.p.exprs[e].kind {
            ExprKind::Call(call) if call.prefix.is_none() => {
                self.is_focal(e, call, &focus).then_some(())?;
                let instance = self.function_instance(call, env);
                let receiver = call.receiver.map(|r| self.expr(r, env));
                let actuals = self.args(&call.args, env);
                Some(self.apply_prefix(&instance, k, receiver, actuals, env))
            }
            ExprKind::Binary(op @ (Op::Eq | Op::Neq), a, b) => {
                let rep = self.rep_of(*a, env);
                let applies = focus.exprs.contains(&e) || focus.equalities.contains(&rep);
                if !applies || !self.is_codata(rep) {
                    return None;
                }
                let (x, y) = (self.expr(*a, env), self.expr(*b, env));
                let layer = env.fuel.clone();
                let same = self.prefix_equal(rep, focus.is_ordinal, layer, k, x, y);
                Some(if *op == Op::Neq { not(same) } else { same })
            }
            _ => None,
        }
    }

    /// Whether a call of an extreme predicate means its prefix.
    fn is_focal(&self, e: ExprId, call: &FunctionCall, focus: &Focus) -> bool {
        self.function(call.function).is_some_and(|f| {
            let applies = focus.sccs.contains(&f.scc) || focus.exprs.contains(&e);
            let is_same = |extreme| self.is_ordinal(extreme) == focus.is_ordinal;
            applies && f.extreme.is_some_and(is_same)
        })
    }

    /// The depth of the prefix that a call means, and whether it is an ordinal.
    pub(crate) fn prefix_depth(&mut self, e: ExprId, env: &Env) -> Option<(B, bool)> {
        let ExprKind::Call(call) = &self.p.exprs[e].kind else {
            return None;
        };
        let extreme = self.function(call.function)?.extreme?;
        if let Some(k) = call.prefix {
            return Some((self.expr(k, env), self.is_ordinal(extreme)));
        }
        let focus = env.focus.clone()?;
        let k = focus.k.clone()?;
        let is_focal = self.is_focal(e, call, &focus);
        is_focal.then_some((k, focus.is_ordinal))
    }

    /// `P#[k](…)`.
    pub(crate) fn apply_prefix(
        &mut self,
        instance: &Instance,
        k: B,
        receiver: Option<B>,
        actuals: Vec<B>,
        env: &Env,
    ) -> B {
        self.need(Chunk::Fuel);
        // Small depths are computed.
        let number = match &*k {
            Node::App(name, args) if &**name == "$Ord.nat" => args.first().cloned(),
            _ => Some(k.clone()),
        };
        let steps = number.and_then(|n| self.depth_of_literal(&n));
        let layer = match steps {
            Some(steps) if steps > 0 && env.fuel != var("ly") => fuel(steps + 2),
            _ => env.fuel.clone(),
        };
        let mut all = vec![layer, k];
        all.extend(self.function_args(instance.member, receiver, actuals, env));
        self.request(Work::Function(instance.clone()));
        let name = self.instance_name(instance);
        app(&format!("$prefix.{name}"), all)
    }

    /// Declares the prefixes of a predicate and what they say about it.
    pub(crate) fn prefix_axioms(
        &mut self,
        instance: &Instance,
        f: &Function,
        extreme: Extreme,
        signature: &Signature,
        known: &Name,
    ) {
        self.need(Chunk::Fuel);
        let is_ordinal = self.is_ordinal(extreme);
        let k_sort = self.depth_sort(is_ordinal);
        let rest = &signature.vars[usize::from(f.recursive)..];
        let name = format!("$prefix.{}", signature.name);
        let mut vars: Vec<TypedName> = vec![
            ("ly".into(), Sort::named("$Layer")),
            ("k!".into(), k_sort.clone()),
        ];
        self.var_sorts.insert("k!".into(), k_sort.clone());
        vars.extend(rest.iter().cloned());
        self.decls.push(Decl::Function {
            name: name.as_str().into(),
            ins: vars.clone(),
            out: Sort::named("bool"),
            role: crate::decl::Role::Plain,
        });
        let args: Vec<B> = rest.iter().map(|(n, _)| var(n)).collect();
        let at = |layer: &B, k: &B| {
            let mut all = vec![layer.clone(), k.clone()];
            all.extend(args.clone());
            app(&name, all)
        };
        let (low, high) = (var("ly"), app("$LS", vec![var("ly")]));
        let k = var("k!");
        let (now, below) = (at(&high, &k), at(&low, &k));
        let axiom = |cx: &mut Self, vars: Vec<TypedName>, trigger: Vec<B>, body: B| {
            cx.decls
                .push(Decl::Axiom(forall(vars, vec![trigger], body)));
        };
        let layers = iff(now.clone(), below.clone());
        axiom(self, vars.clone(), vec![now.clone()], layers);
        let env = signature.env.with_fuel(fuel(1));
        let shown = self.shown(instance.member, &signature.name);
        let mut pre = and(var(known), signature.typing.clone());
        for clause in &f.requires {
            pre = and(pre, self.expr(clause.expr, &env));
        }
        let guard = and(pre.clone(), is_depth(is_ordinal, &k));
        let least = extreme.kind == Extremum::Least;
        if let Some(body) = f.body {
            let opaque = self.p.members[instance.member].opaque;
            let inside = self.prefix_body(f, body, signature, is_ordinal, &k);
            let j = var("j!");
            let (smaller, earlier) = (below_depth(is_ordinal, &j, &k), at(&low, &j));
            let bound = vec![("j!".into(), k_sort.clone())];
            let pattern = vec![vec![earlier.clone()]];
            let limit = if least {
                exists(bound, pattern, and(smaller, earlier))
            } else {
                forall(bound, pattern, imp(smaller, earlier))
            };
            let meaning = ite(is_successor(is_ordinal, &k), inside, limit);
            if !opaque {
                let body = imp(and(shown, guard.clone()), iff(now.clone(), meaning));
                axiom(self, vars.clone(), vec![now.clone()], body);
            }
        }
        // The predicate and its prefixes.
        let whole = self.own_call(signature, f.recursive, low.clone());
        let relation = if least {
            imp(below.clone(), whole.clone())
        } else {
            imp(whole, below.clone())
        };
        axiom(
            self,
            vars.clone(),
            vec![below.clone()],
            imp(guard.clone(), relation),
        );
        let whole = self.own_call(signature, f.recursive, high.clone());
        let bound = vec![("k!".into(), k_sort.clone())];
        let depth = is_depth(is_ordinal, &k);
        let relation = if least {
            let some = exists(bound, vec![vec![now.clone()]], and(depth, now.clone()));
            imp(whole.clone(), some)
        } else {
            let all = forall(bound, vec![vec![now.clone()]], imp(depth, now));
            imp(all, whole.clone())
        };
        let mut without_k = vars.clone();
        without_k.remove(1);
        if !f.recursive {
            // Without a layer of its own the predicate does not bind one.
            without_k.remove(0);
            let by = [("ly".into(), Sort::named("$Layer"))];
            let relation = crate::collections::replace(&relation, &by, &[var("$LZ")]);
            axiom(self, without_k, vec![whole], imp(pre, relation));
        } else {
            axiom(self, without_k, vec![whole], imp(pre, relation));
        }
        self.monotone(&vars, &k_sort, is_ordinal, least, &guard, &at);
    }

    /// A deeper prefix of a least predicate holds where a shallower one does; of a greatest one the other way round.
    fn monotone(
        &mut self,
        vars: &[TypedName],
        k_sort: &Sort,
        is_ordinal: bool,
        least: bool,
        guard: &B,
        at: &dyn Fn(&B, &B) -> B,
    ) {
        let (k, m) = (var("k!"), var("m!"));
        let (shallow, deep) = (at(&var("ly"), &k), at(&var("ly"), &m));
        let mut two = vars.to_vec();
        two.push(("m!".into(), k_sort.clone()));
        let relation = if least {
            imp(shallow.clone(), deep.clone())
        } else {
            imp(deep.clone(), shallow.clone())
        };
        let proper = and(guard.clone(), below_depth(is_ordinal, &k, &m));
        let body = imp(proper, relation);
        let axiom = forall(two, vec![vec![shallow, deep]], body);
        self.decls.push(Decl::Axiom(axiom));
    }

    /// The body of a predicate with its prefixes one depth less.
    fn prefix_body(
        &mut self,
        f: &Function,
        body: ExprId,
        signature: &Signature,
        is_ordinal: bool,
        k: &B,
    ) -> B {
        let mut env = signature.env.with_fuel(var("ly"));
        env.focus = Some(Focus::below(is_ordinal, k, f.scc));
        self.expr(body, &env)
    }

    /// The places of a specification that may mean prefixes.
    fn focal(&mut self, e: ExprId, extreme: Extreme, depth: u32, found: &mut Focal) {
        if depth > 10_000 {
            return;
        }
        let next = depth + 1;
        match self.p.exprs[e].kind.clone() {
            ExprKind::Binary(Op::And | Op::Or, a, b) => {
                self.focal(a, extreme, next, found);
                self.focal(b, extreme, next, found);
            }
            ExprKind::Binary(Op::Imp, _, b) => self.focal(b, extreme, next, found),
            ExprKind::Binary(Op::Eq, a, _) if extreme.kind == Extremum::Greatest => {
                let rep = self.rep(self.p.exprs[a].ty);
                if self.is_codata(rep) {
                    found.exprs.insert(e);
                    if !found.equalities.contains(&rep) {
                        found.equalities.push(rep);
                    }
                }
            }
            ExprKind::Ite(_, a, b) => {
                self.focal(a, extreme, next, found);
                self.focal(b, extreme, next, found);
            }
            ExprKind::Match { cases, .. } => {
                for case in cases {
                    self.focal(case.body, extreme, next, found);
                }
            }
            ExprKind::Let { body, .. } | ExprKind::StmtExpr(_, body) => {
                self.focal(body, extreme, next, found);
            }
            ExprKind::Quantifier(q) => {
                // The other quantifier needs a depth for all values at once; among ordinals there is one.
                let harmless = q.forall == (extreme.kind == Extremum::Greatest);
                if harmless || self.is_ordinal(extreme) {
                    self.focal(q.body, extreme, next, found);
                }
            }
            ExprKind::Call(call) if call.prefix.is_none() => {
                let Some(f) = self.function(call.function) else {
                    return;
                };
                let same = |c: Extreme| c.kind == extreme.kind && c.k_type == extreme.k_type;
                if f.extreme.is_some_and(same) {
                    found.exprs.insert(e);
                    found.sccs.push(f.scc);
                }
            }
            _ => {}
        }
    }

    /// What an extreme lemma looks at: the predicates of its preconditions (least) or postconditions (greatest).
    fn focal_of(&mut self, m: &Method, extreme: Extreme) -> Focal {
        let mut found = Focal::default();
        let clauses = match extreme.kind {
            Extremum::Least => &m.requires,
            Extremum::Greatest => &m.ensures,
        };
        for clause in clauses {
            self.focal(clause.expr, extreme, 0, &mut found);
        }
        found
    }

    /// An environment in which a specification means that of the prefix lemma.
    fn at_depth(&mut self, env: &Env, m: &Method, extreme: Extreme, k: &B) -> Env {
        let focal = self.focal_of(m, extreme);
        let mut env = env.clone();
        env.vars.insert(extreme.k_var, k.clone());
        env.focus = Some(Rc::new(Focus {
            k: Some(k.clone()),
            is_ordinal: self.is_ordinal(extreme),
            exprs: focal.exprs,
            ..Focus::default()
        }));
        env
    }

    /// The depth of a call: of the prefix lemma that is named, or one less in the body of an extreme lemma.
    pub(crate) fn call_depth(
        &mut self,
        prefix: Option<ExprId>,
        m: &Method,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> Option<B> {
        let extreme = m.extreme?;
        if let Some(k) = prefix {
            self.wf(k, env, b, out);
            self.depth_ok(k, m.extreme, env, out);
            return Some(self.depth_value(k, extreme.k_type, env));
        }
        if m.scc != env.scc {
            return None;
        }
        let focus = env.focus.clone();
        let is_ordinal = self.is_ordinal(extreme);
        match focus
            .filter(|f| f.is_ordinal == is_ordinal)
            .map(|f| f.k.clone())
        {
            Some(Some(k)) => Some(k),
            _ => {
                self.unsupported(
                    span,
                    "a recursive call of an extreme lemma from outside one",
                );
                None
            }
        }
    }

    /// What the prefix lemma ensures, for the arguments of `callee`.
    pub(crate) fn prefix_specification(
        &mut self,
        m: &Method,
        extreme: Extreme,
        k: &B,
        callee: &Env,
    ) -> (Env, Vec<Measured>) {
        let env = self.at_depth(callee, m, extreme, k);
        let mut measure = vec![(self.rep(extreme.k_type), k.clone())];
        measure.extend(self.measure(&m.decreases.exprs, &env));
        (env, measure)
    }

    /// Declares a prefix lemma as its callers see it.
    pub(crate) fn declare_prefix_call(&mut self, instance: &Instance) {
        let Some(m) = self.method(instance.member).cloned() else {
            return;
        };
        let Some(extreme) = m.extreme else {
            return;
        };
        let span = self.p.members[instance.member].span;
        let here = std::mem::replace(&mut self.here, span);
        let (head, env, k_var) = self.prefix_head(instance, &m, extreme);
        let mut requires = Vec::new();
        for spec in &m.requires {
            let place = self.p.exprs[spec.expr].tok;
            for part in self.split_plainly(spec.expr, &env) {
                requires.push(clause(part.cond, place, "", false));
            }
        }
        let mut ensures = Vec::new();
        for spec in &m.ensures {
            ensures.push(clause(self.expr(spec.expr, &env), span, "", true));
        }
        let mut ins = vec![k_var];
        ins.extend(head.ins);
        let name = self.instance_name(instance);
        self.decls.push(Decl::Procedure(Box::new(Procedure {
            name: format!("$CallPrefix.{name}").into(),
            span,
            ins,
            outs: head.outs,
            requires,
            ensures,
            modifies: Vec::new(),
            attributes: Vec::new(),
            body: None,
        })));
        self.here = here;
    }

    fn prefix_head(
        &mut self,
        instance: &Instance,
        m: &Method,
        extreme: Extreme,
    ) -> (crate::methods::Head, Env, crate::decl::Variable) {
        let is_ordinal = self.is_ordinal(extreme);
        let sort = self.depth_sort(is_ordinal);
        self.var_sorts.insert("_k#".into(), sort.clone());
        let mut head = self.head(instance, m);
        head.env.old = head.env.heap.clone();
        let env = self.at_depth(&head.env, m, extreme, &var("_k#"));
        (head, env, plain("_k#", sort))
    }

    /// Verifies the prefix lemma of an extreme lemma.
    pub(crate) fn verify_prefix_lemma(
        &mut self,
        instance: &Instance,
        m: &Method,
        extreme: Extreme,
    ) {
        let member = &self.p.members[instance.member];
        let (span, attributes) = (member.span, self.limits(&member.attributes));
        if !m.outs.is_empty() || m.kind == MethodKind::TwostateLemma {
            self.unsupported(span, "an extreme lemma with results or two states");
            return;
        }
        let Some(body) = m.body else {
            return;
        };
        self.need(Chunk::Heap);
        let is_ordinal = self.is_ordinal(extreme);
        let k = var("_k#");
        let (head, env, k_var) = self.prefix_head(instance, m, extreme);
        let mut requires: Vec<Clause> = Vec::new();
        let mut b = Builder {
            measure_inferred: m.decreases.inferred,
            ..Builder::default()
        };
        let mut out = Vec::new();
        for spec in &m.requires {
            let at = self.p.exprs[spec.expr].tok;
            if let Some(label) = spec.label {
                self.keep_back(label, spec.expr, &env, &mut b, &mut out);
                continue;
            }
            requires.push(clause(self.expr(spec.expr, &env), at, "", true));
            let again = self.expr(spec.expr, &env.with_fuel(fuel(2)));
            requires.push(clause(again, at, "", true));
        }
        b.modifies = Some(Rc::new(Vec::new()));
        let (_, measure) = self.prefix_specification(m, extreme, &k, &head.env);
        b.measure = Some(measure);
        let mut limit = Vec::new();
        if self.without_induction(instance.member) {
            self.smaller_depths(m, extreme, &head.env, &mut limit);
        } else {
            self.smaller_depths(m, extreme, &head.env, &mut out);
        }
        let mut inner = head.env.clone();
        inner.vars.insert(extreme.k_var, k.clone());
        let focal = self.focal_of(m, extreme);
        inner.focus = Some(Rc::new(Focus {
            k: Some(one_less(is_ordinal, &k)),
            is_ordinal,
            sccs: focal.sccs,
            equalities: focal.equalities,
            ..Focus::default()
        }));
        let mut stmts = Vec::new();
        self.stmt(body, &mut inner, &mut b, &mut stmts);
        out.push(S::If(Some(is_successor(is_ordinal, &k)), stmts, limit));
        let end = crate::methods::start_of(self.p.stmts[body].span);
        out.push(S::Return(end));
        let mut ensures = Vec::new();
        for spec in &m.ensures {
            for part in self.split(spec.expr, &env) {
                let related = part.related();
                let mut checked = clause(part.cond, part.at, POST, false);
                checked.check.related = related;
                ensures.push(checked);
            }
        }
        let facts = self.entry_facts(instance, m, &head.env);
        let facts = and(facts, is_depth(is_ordinal, &k));
        requires.insert(0, clause(facts, span, "", true));
        let mut ins = vec![k_var];
        ins.extend(head.ins);
        let name = self.instance_name(instance);
        let procedure = Procedure {
            name: format!("$Impl.{name}").into(),
            span,
            ins,
            outs: Vec::new(),
            requires,
            ensures,
            modifies: Vec::new(),
            attributes,
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: Some(end),
            }),
        };
        self.add_verified(procedure, m.scc);
    }

    /// `{:induction false}`: the hypothesis is used at limits only, where nothing else is known.
    fn without_induction(&self, member: stet_dafny::tree::MemberId) -> bool {
        let attributes = &self.p.members[member].attributes;
        attributes.iter().any(|a| {
            self.p.text(a.name) == "induction"
                && matches!(a.args[..], [e] if matches!(self.p.exprs[e].kind, ExprKind::Bool(false)))
        })
    }

    /// The induction hypothesis: the prefix lemma at all smaller depths, for all arguments, and for its own where no terms
    /// would find others.
    fn smaller_depths(&mut self, m: &Method, extreme: Extreme, outer: &Env, out: &mut Vec<S>) {
        for vars in [&m.ins[..], &[]] {
            let mut general = outer.clone();
            let j = general.fresh_bound("_k");
            let is_ordinal = self.is_ordinal(extreme);
            let sort = self.depth_sort(is_ordinal);
            self.var_sorts.insert(j.clone(), sort.clone());
            let (mut names, typing) = self.bound_vars(vars, &mut general);
            names.insert(0, (j.clone(), sort));
            let env = self.at_depth(&general, m, extreme, &var(&j));
            let mut before = tt();
            for spec in &m.requires {
                before = and(before, self.expr(spec.expr, &env));
            }
            let mut facts = tt();
            for spec in &m.ensures {
                facts = and(facts, self.expr(spec.expr, &env));
            }
            let mut smaller = below_depth(is_ordinal, &var(&j), &var("_k#"));
            if !m.decreases.inferred && !m.decreases.star && !vars.is_empty() {
                // The measure of the prefix lemma is the depth, then what the program says.
                let old = self.measure(&m.decreases.exprs, outer);
                let new = self.measure(&m.decreases.exprs, &general);
                let below = self.decreases(&new, &old, self.here);
                smaller = or(smaller, and(eq(var(&j), var("_k#")), below));
            }
            let condition = and(and(typing, smaller), before.clone());
            let looked_at = match extreme.kind {
                Extremum::Least => and(before.clone(), facts.clone()),
                Extremum::Greatest => facts.clone(),
            };
            let mut triggers = crate::trigger::choose_for_hypothesis(&looked_at, &names);
            if triggers.is_empty() {
                let all = and(before, facts.clone());
                triggers = crate::trigger::choose_for_hypothesis(&all, &names);
            }
            // Of its own arguments everything is fixed but the depth: the prover finds the term itself.
            if !triggers.is_empty() || vars.is_empty() {
                out.push(S::Assume(forall(names, triggers, imp(condition, facts))));
            }
            if m.ins.is_empty() {
                return;
            }
        }
    }
}
