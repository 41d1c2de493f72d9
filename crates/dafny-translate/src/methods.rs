//! Methods, lemmas and constructors, and the checks of functions: the implementations that are verified.
//!
//! A method has up to three procedures: `$Call.m`, what its callers see; `$Impl.m` with its body; `$Wf.m`, which
//! checks that its specification makes sense. A function has `$Wf.f`.

use crate::cx::{Cx, Env, Instance};
use crate::decl::{Body, Clause, Decl, Procedure, Variable};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::Builder;
use std::rc::Rc;
use stet_base::Span;
use stet_dafny::tree::{
    Attribute, ExprId, ExprKind, Frame, Function, MemberId, Method, MethodKind, StmtId, StmtKind,
    VarId, VarKind,
};

pub(crate) const POST: &str = "a postcondition could not be proved on this return path";

/// A procedure under construction: its parameters and what they mean.
pub(crate) struct Head {
    pub(crate) ins: Vec<Variable>,
    pub(crate) outs: Vec<Variable>,
    pub(crate) env: Env,
}

pub(crate) fn clause(cond: B, span: Span, message: &str, free: bool) -> Clause {
    Clause {
        check: Check {
            forgotten: false,
            asserted: None,
            cond,
            span,
            message: message.into(),
            related: Vec::new(),
        },
        free,
    }
}

impl Cx<'_> {
    pub(crate) fn head(&mut self, instance: &Instance, m: &Method) -> Head {
        let member = &self.p.members[instance.member];
        let subst = self.subst_of(instance);
        let mut env = Env::new(subst, m.scc);
        let mut head = Head {
            ins: Vec::new(),
            outs: Vec::new(),
            env: env.clone(),
        };
        if m.kind == MethodKind::TwostateLemma {
            self.need(Chunk::Heap);
            head.ins.push(plain("$Heap.old", Sort::named("$HeapType")));
            env.old = var("$Heap.old");
        }
        if !member.is_static
            && let Some(ty) = self.receiver_type(instance.member, &instance.args)
        {
            let sort = self.sort(ty);
            self.var_sorts.insert("this".into(), sort.clone());
            let this = plain("this", sort);
            env.this = Some(var("this"));
            if m.kind == MethodKind::Constructor {
                head.outs.push(this);
            } else {
                head.ins.push(this);
            }
        }
        for (list, vars) in [(&mut head.ins, &m.ins), (&mut head.outs, &m.outs)] {
            for &v in vars {
                let (name, ty) = self.formal(v, &env);
                let sort = self.sort(ty);
                self.var_sorts.insert(name.clone(), sort.clone());
                list.push(plain(&name, sort));
                env.vars.insert(v, var(&name));
            }
        }
        head.env = env;
        head
    }

    /// What is known of the parameters at entry.
    pub(crate) fn entry_facts(&mut self, instance: &Instance, m: &Method, env: &Env) -> B {
        let mut facts = tt();
        if m.kind != MethodKind::Constructor
            && let (Some(this), Some(ty)) = (
                env.this.clone(),
                self.receiver_type(instance.member, &instance.args),
            )
        {
            facts = and(facts, self.typed(ty, &this, &env.heap));
        }
        facts = and(facts, self.formals_typed(&m.ins, env));
        if self.chunks.contains(&Chunk::Heap) {
            facts = and(app("$HeapOk", vec![env.heap.clone()]), facts);
        }
        if m.kind == MethodKind::TwostateLemma {
            facts = and(facts, app("$HeapOk", vec![env.old.clone()]));
            let later = app("$HeapSucc", vec![env.old.clone(), env.heap.clone()]);
            facts = and(facts, later);
            let this_type = self.receiver_type(instance.member, &instance.args);
            facts = and(facts, self.existed(&m.ins, this_type, env));
        }
        facts
    }

    /// The parameters of a two-state callable are allocated in its earlier state, unless they are `new`.
    pub(crate) fn existed(
        &mut self,
        ins: &[VarId],
        this_type: Option<stet_dafny::tree::Ty>,
        env: &Env,
    ) -> B {
        let mut facts = tt();
        if let (Some(this), Some(ty)) = (env.this.clone(), this_type) {
            facts = and(facts, self.is_alloc(ty, &this, &env.old));
        }
        for &v in ins {
            if !self.p.vars[v].is_new {
                let (name, ty) = self.formal(v, env);
                facts = and(facts, self.is_alloc(ty, &var(&name), &env.old));
            }
        }
        facts
    }

    /// That the arguments of a two-state callable are allocated in its earlier state.
    #[expect(clippy::too_many_arguments, reason = "a call in one context")]
    pub(crate) fn args_existed(
        &mut self,
        formals: &[VarId],
        args: &[ExprId],
        receiver: Option<ExprId>,
        before: &B,
        what: &str,
        span: Span,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        if let Some(receiver) = receiver {
            let ty = self.type_of(receiver, env);
            let value = self.expr(receiver, env);
            let is = self.is_alloc(ty, &value, before);
            if !is_true(&is) {
                let message = format!(
                    "receiver argument could not be proved to be allocated in the two-state {what}'s previous state"
                );
                out.push(crate::wf::check(is, span, message));
            }
        }
        for (i, (&formal, &arg)) in formals.iter().zip(args).enumerate() {
            if self.p.vars[formal].is_new || self.p.defaults.contains_key(&arg) {
                continue;
            }
            let ty = self.type_of(arg, env);
            let value = self.expr(arg, env);
            let is = self.is_alloc(ty, &value, before);
            if is_true(&is) {
                continue;
            }
            let name = self.p.text(self.p.vars[formal].name).to_owned();
            let shown = self.type_text(self.p.vars[formal].ty);
            let at = if formals.len() > 1 {
                format!("at index {i} ")
            } else {
                String::new()
            };
            let message = format!(
                "argument {at}for parameter '{name}' could not be proved to be allocated in the two-state {what}'s previous state -- if you add 'new' before the parameter declaration, like 'new {name}: {shown}', arguments can refer to expressions possibly unallocated in the previous state"
            );
            out.push(crate::wf::check(is, self.p.exprs[arg].tok, message));
        }
    }

    pub(crate) fn formals_typed(&mut self, vars: &[VarId], env: &Env) -> B {
        let mut facts = tt();
        for &v in vars {
            let (name, ty) = self.formal(v, env);
            facts = and(facts, self.typed(ty, &var(&name), &env.heap));
        }
        facts
    }

    /// Whether callers must expect another heap.
    pub(crate) fn changes_heap(&mut self, m: &Method, env: &Env) -> bool {
        match m.kind {
            MethodKind::Lemma | MethodKind::TwostateLemma => return false,
            MethodKind::Constructor => return true,
            _ => {}
        }
        if m.modifies.star || !m.modifies.items.is_empty() {
            return true;
        }
        // Objects that a method allocates and does not return are not seen by anyone.
        m.outs.iter().any(|&v| {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            self.p.may_hide_references(ty)
        })
    }

    /// Says which callees change the heap, before loops around their calls are made.
    pub(crate) fn note_heap_change(&mut self, instance: &Instance, m: &Method) {
        let env = Env::new(self.subst_of(instance), m.scc);
        if self.changes_heap(m, &env) {
            let name = self.instance_name(instance);
            for head in ["$Call", "$Shown"] {
                self.heap_modifiers.insert(format!("{head}.{name}").into());
            }
        }
    }

    /// Declares a method as its callers see it.
    pub(crate) fn declare_call(&mut self, instance: &Instance) {
        self.declare_callable(instance, "$Call", true);
    }

    /// Declares a method for calls whose preconditions were shown elsewhere.
    pub(crate) fn declare_shown(&mut self, instance: &Instance) {
        self.declare_callable(instance, "$Shown", false);
    }

    fn declare_callable(&mut self, instance: &Instance, head_name: &str, is_checked: bool) {
        let Some(m) = self.method(instance.member).cloned() else {
            return;
        };
        let span = self.p.members[instance.member].span;
        let here = std::mem::replace(&mut self.here, span);
        let head = self.head(instance, &m);
        let mut env = head.env.clone();
        let changes = self.changes_heap(&m, &env);
        if !changes && m.kind != MethodKind::TwostateLemma {
            env.old = env.heap.clone();
        }
        let before = if changes {
            old(var("$Heap"))
        } else {
            env.heap.clone()
        };
        let mut requires = Vec::new();
        let clauses = m.requires.iter().filter(|_| is_checked);
        for spec in clauses {
            let place = self.p.exprs[spec.expr].tok;
            for part in self.split_plainly(spec.expr, &env) {
                let mut required = clause(part.cond, place, "", false);
                if self.copied_from(instance.member).is_some() {
                    let module = self.p.members[instance.member].module;
                    let refining = (self.p.modules[module].span, "refining module".into());
                    required.check.related.push(refining);
                }
                requires.push(required);
            }
        }
        let mut ensures = Vec::new();
        let mut push = |cond: B| {
            if !is_true(&cond) {
                ensures.push(clause(cond, span, "", true));
            }
        };
        if changes {
            self.need(Chunk::Heap);
            push(app("$HeapOk", vec![env.heap.clone()]));
            push(app("$HeapSucc", vec![before.clone(), env.heap.clone()]));
            let at_entry = env.at_heap(before.clone());
            let parts = self.frame(&m.modifies, &at_entry);
            push(self.frame_condition(parts.as_deref(), &before, &env.heap));
        }
        if m.kind == MethodKind::Constructor
            && let Some(ty) = self.receiver_type(instance.member, &instance.args)
        {
            let this = var("this");
            push(self.is_new(ty, &this, &before));
            push(crate::types::alloc(&env.heap, &this));
        }
        push(self.iterator_promises(instance, &env.at_heap(before.clone())));
        push(self.formals_typed(&m.outs, &env));
        // Callers know what was proved, with the fuel it was proved with.
        let proved = deeper(&env);
        for spec in &m.ensures {
            let cond = self.expr(spec.expr, &proved);
            push(self.unfolded(spec.expr, cond));
        }
        let name = self.instance_name(instance);
        self.decls.push(Decl::Procedure(Box::new(Procedure {
            name: format!("{head_name}.{name}").into(),
            span,
            ins: head.ins,
            outs: head.outs,
            requires,
            ensures,
            modifies: if changes {
                vec!["$Heap".into()]
            } else {
                Vec::new()
            },
            attributes: Vec::new(),
            body: None,
        })));
        self.here = here;
    }

    pub(crate) fn limits(&self, attributes: &[Attribute]) -> Vec<(Name, Option<u64>)> {
        let mut limits = Vec::new();
        for attribute in attributes {
            let name = self.p.text(attribute.name);
            let value = attribute
                .args
                .first()
                .and_then(|&e| match &self.p.exprs[e].kind {
                    ExprKind::Int(n) => u64::try_from(n).ok(),
                    _ => None,
                });
            match name {
                "timeLimit" => limits.push(("timeLimit".into(), value)),
                "timeLimitMultiplier" => {
                    limits.push(("timeLimit".into(), value.map(|v| v.saturating_mul(20))));
                }
                "rlimit" => limits.push(("rlimit".into(), value.map(|v| v.saturating_mul(1000)))),
                "resource_limit" => {
                    let value = value.or_else(|| self.limit_text(attribute.args.first().copied()));
                    limits.extend(value.map(|v| ("rlimit".into(), Some(v))));
                }
                "isolate_assertions" | "vcs_split_on_every_assert"
                    if self.is_on(attribute.args.first().copied()) =>
                {
                    limits.push(("vcs_split_on_every_assert".into(), None));
                }
                _ => {}
            }
        }
        limits
    }

    /// A limit written as a text: `"1e6"`.
    fn limit_text(&self, arg: Option<ExprId>) -> Option<u64> {
        let ExprKind::Str(text) = &self.p.exprs[arg?].kind else {
            return None;
        };
        let text: String = text.iter().filter_map(|&c| char::from_u32(c)).collect();
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse().ok()?),
            None => (&text[..], 0_u32),
        };
        let digits: u64 = digits.parse().ok()?;
        digits.checked_mul(10_u64.checked_pow(exponent)?)
    }

    /// Whether a flag with this argument is set.
    fn is_on(&self, arg: Option<ExprId>) -> bool {
        !arg.is_some_and(|e| matches!(self.p.exprs[e].kind, ExprKind::Bool(false)))
    }

    /// `{:verify false}`.
    pub(crate) fn is_skipped(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|a| {
            self.p.text(a.name) == "verify"
                && matches!(a.args[..], [e] if matches!(self.p.exprs[e].kind, ExprKind::Bool(false)))
        })
    }

    /// Makes the procedures that verify a method.
    pub(crate) fn verify_method(&mut self, member: MemberId) {
        let Some(m) = self.method(member).cloned() else {
            return;
        };
        let instance = self.generic(member);
        let declared = &self.p.members[member];
        let here = std::mem::replace(&mut self.here, declared.span);
        if m.extreme.is_some() && !declared.overrides.is_empty() {
            self.unsupported(declared.span, "overriding an extreme lemma");
        }
        if self.is_iterator_body(member) {
            self.iterator_body(&instance, &m);
            self.here = here;
            return;
        }
        self.method_wf(&instance, &m);
        self.verify_method_overrides(&instance, &m);
        if let Some(extreme) = m.extreme {
            self.verify_prefix_lemma(&instance, &m, extreme);
        } else if m.body.is_some() {
            self.with_fuel_of(&declared.attributes, |cx| {
                cx.method_body(&instance, &m, None);
            });
        }
        self.here = here;
    }

    fn method_wf(&mut self, instance: &Instance, m: &Method) {
        let span = self.p.members[instance.member].span;
        let head = self.head(instance, m);
        let mut env = head.env.clone();
        let mut b = Builder::default();
        let mut out = Vec::new();
        if m.kind == MethodKind::Constructor {
            env.this = None;
        }
        if !m.decreases.star {
            b.measure = Some(self.measure(&m.decreases.exprs, &env));
            b.measure_inferred = m.decreases.inferred;
        }
        let before = (m.kind == MethodKind::TwostateLemma).then(|| env.old.clone());
        let before = before.as_ref().map(|heap| (heap, "lemma"));
        self.defaults_wf(&m.ins, before, &env, &mut b, &mut out);
        b.measure = None;
        self.was_constructed(instance, &env, &mut b, &mut out);
        for spec in &m.requires {
            self.wf(spec.expr, &env, &mut b, &mut out);
            out.push(S::Assume(self.expr(spec.expr, &env)));
        }
        self.iterator_wf(instance, &env, &mut b, &mut out);
        env.this = head.env.this.clone();
        for item in m.modifies.items.iter().chain(&m.reads.items) {
            self.wf(item.expr, &env, &mut b, &mut out);
            self.frame_field_ok(item, &env, &mut out);
        }
        self.wf_all(&m.decreases.exprs, &env, &mut b, &mut out);
        let changes = self.changes_heap(m, &env);
        if changes {
            self.havoc_by(&m.modifies, &env, &mut out);
        }
        if m.kind == MethodKind::Constructor
            && let Some(ty) = self.receiver_type(instance.member, &instance.args)
        {
            let this = var("this");
            out.push(S::Assume(self.is_new(ty, &this, &old(var("$Heap")))));
            out.push(S::Assume(crate::types::alloc(&env.heap, &this)));
        }
        out.push(S::Assume(self.formals_typed(&m.outs, &env)));
        for spec in &m.ensures {
            self.wf(spec.expr, &env, &mut b, &mut out);
            out.push(S::Assume(self.expr(spec.expr, &env)));
        }
        let facts = self.entry_facts(instance, m, &head.env);
        let name = self.instance_name(instance);
        let procedure = Procedure {
            name: format!("$Wf.{name}").into(),
            span,
            ins: head.ins,
            outs: head.outs,
            requires: vec![clause(facts, span, "", true)],
            ensures: Vec::new(),
            modifies: self.heap_modified(),
            attributes: self.limits(&self.p.members[instance.member].attributes),
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: None,
            }),
        };
        self.iterator_again(instance, &procedure, &head.env, m.scc);
        self.add_verified(procedure, m.scc);
    }

    /// The heap after a callable that changes what a frame allows.
    pub(crate) fn havoc_by(&mut self, modifies: &Frame, env: &Env, out: &mut Vec<S>) {
        let before = old(var("$Heap"));
        out.push(S::Havoc(vec!["$Heap".into()]));
        out.push(S::Assume(app("$HeapOk", vec![env.heap.clone()])));
        let later = app("$HeapSucc", vec![before.clone(), env.heap.clone()]);
        out.push(S::Assume(later));
        let parts = self.frame(modifies, &env.at_heap(before.clone()));
        let same = self.frame_condition(parts.as_deref(), &before, &env.heap);
        out.push(S::Assume(same));
    }

    /// The body of `by method` computes the value of the function.
    pub(crate) fn verify_by_method(&mut self, instance: &Instance, f: &Function, body: StmtId) {
        let span = self.p.stmts[body].tok;
        let Some(out) = f.result_var.or_else(|| self.returned(body)) else {
            self.unsupported(span, "`by method` that returns nothing");
            return;
        };
        let m = Method {
            kind: MethodKind::Method,
            params: f.params.clone(),
            ins: f.ins.clone(),
            outs: vec![out],
            extreme: None,
            requires: f.requires.clone(),
            ensures: f.ensures.clone(),
            reads: Frame::default(),
            modifies: Frame::default(),
            decreases: f.decreases.clone(),
            body: Some(body),
            body_after_new: None,
            // Nothing in the logic depends on it: it may use everything.
            scc: u32::MAX,
            recursive: false,
        };
        self.method_body(instance, &m, Some(out));
    }

    /// The variable that a `return` in a statement assigns.
    fn returned(&self, body: StmtId) -> Option<VarId> {
        let mut pending = vec![body];
        while let Some(s) = pending.pop() {
            match &self.p.stmts[s].kind {
                StmtKind::Return { init: Some(init) } => pending.push(*init),
                StmtKind::Assign { lhss, .. } => {
                    let out = lhss.iter().find_map(|&e| match self.p.exprs[e].kind {
                        ExprKind::Var(v) if self.p.vars[v].kind == VarKind::Out => Some(v),
                        _ => None,
                    });
                    if out.is_some() {
                        return out;
                    }
                }
                StmtKind::Block(list) | StmtKind::Sequence(list) => pending.extend(list),
                StmtKind::If { then, els, .. } => {
                    pending.push(*then);
                    pending.extend(els);
                }
                StmtKind::While {
                    body: Some(body), ..
                }
                | StmtKind::For {
                    body: Some(body), ..
                } => pending.push(*body),
                StmtKind::IfCases(cases) | StmtKind::WhileCases { cases, .. } => {
                    pending.extend(cases.iter().map(|c| c.body));
                }
                StmtKind::Match { cases, .. } => pending.extend(cases.iter().map(|c| c.body)),
                _ => {}
            }
        }
        None
    }

    pub(crate) fn heap_modified(&self) -> Vec<Name> {
        if self.chunks.contains(&Chunk::Heap) {
            vec!["$Heap".into()]
        } else {
            Vec::new()
        }
    }

    /// The implementation of a body; for `by method`, `defined` must end up as the value of the function.
    fn method_body(&mut self, instance: &Instance, m: &Method, defined: Option<VarId>) {
        let member = &self.p.members[instance.member];
        let span = member.span;
        self.need(Chunk::Heap);
        let head = self.head(instance, m);
        let mut env = head.env.clone();
        let mut b = Builder {
            outs: m.outs.clone(),
            measure_inferred: m.decreases.inferred,
            ..Builder::default()
        };
        let mut out = Vec::new();
        let off = crate::hide::without_fuel(self.p, &member.attributes);
        self.change_visible(&off, true, &mut env, &mut out);
        let mut requires = Vec::new();
        for spec in &m.requires {
            let at = self.p.exprs[spec.expr].tok;
            if let Some(label) = spec.label {
                self.keep_back(label, spec.expr, &env, &mut b, &mut out);
                continue;
            }
            requires.push(clause(self.expr(spec.expr, &env), at, "", true));
            let again = self.expr(spec.expr, &deeper(&env));
            if requires.last().is_some_and(|c| c.check.cond != again) {
                requires.push(clause(again, at, "", true));
            }
        }
        let at_entry = env.at_heap(env.old.clone());
        let entry = if m.kind == MethodKind::TwostateLemma {
            env.at_heap(env.heap.clone())
        } else {
            at_entry
        };
        let is_lemma = matches!(m.kind, MethodKind::Lemma | MethodKind::TwostateLemma);
        if is_lemma && m.kind == MethodKind::Lemma {
            // A lemma changes nothing: its old heap is its heap.
            env.old = env.heap.clone();
        }
        b.modifies = self.frame(&m.modifies, &entry).map(Rc::new);
        if m.kind == MethodKind::TwostateLemma {
            b.frame_heap = Some(env.heap.clone());
        }
        if !m.decreases.star {
            b.measure = Some(self.measure(&m.decreases.exprs, &entry));
            b.measure_text = crate::explain::MeasureText {
                exprs: m.decreases.exprs.clone(),
                is_old: true,
            };
        }
        let mut env = env.clone();
        if m.kind == MethodKind::Lemma {
            self.induction(instance, m, &env, &mut out);
        }
        self.track_outs(m, &env, &mut b, &mut out);
        if m.kind == MethodKind::Constructor {
            self.start_construction(instance, &mut env, &mut b, &mut out);
        }
        let end = m
            .body
            .map(|body| start_of(self.p.stmts[body].span))
            .unwrap_or(span);
        if let Some(body) = m.body {
            self.stmt(body, &mut env, &mut b, &mut out);
        }
        if m.kind == MethodKind::Constructor {
            let place = m.body.map_or(end, |body| end_of(self.p.stmts[body].span));
            self.finish_construction(&mut env, &b, place, &mut out);
            b.fields.clear();
        }
        if let Some(after) = m.body_after_new {
            self.stmt(after, &mut env, &mut b, &mut out);
        }
        let last = m.body_after_new.or(m.body);
        let close = last.map_or(end, |body| end_of(self.p.stmts[body].span));
        self.outs_assigned(close, &b, &mut out);
        out.push(S::Return(end));
        let mut ensures = Vec::new();
        for spec in &m.ensures {
            for part in self.split(spec.expr, &head_env(&head, &env)) {
                let related = part.related();
                let mut checked = clause(part.cond, part.at, POST, false);
                checked.check.related = related;
                if self.explains {
                    checked.check.asserted = Some(self.text(spec.expr, &env).text.into());
                }
                ensures.push(checked);
            }
        }
        if let Some(v) = defined {
            let env = head_env(&head, &env).with_fuel(crate::functions::fuel(2));
            let actuals = m.ins.iter().map(|v| env.vars[v].clone()).collect();
            let value = self.apply_function(instance, env.this.clone(), actuals, &env);
            let rep = self.rep(self.p.vars[v].ty);
            let same = self.equal(rep, env.vars[&v].clone(), value);
            ensures.push(clause(same, span, POST, false));
        }
        let facts = self.entry_facts(instance, m, &head.env);
        requires.insert(0, clause(facts, span, "", true));
        if self.states_follow() {
            self.follow_entry(&mut out);
        }
        let name = self.instance_name(instance);
        let procedure = Procedure {
            name: format!("$Impl.{name}").into(),
            span,
            ins: head.ins,
            outs: head.outs,
            requires,
            ensures,
            modifies: if is_lemma {
                Vec::new()
            } else {
                self.heap_modified()
            },
            attributes: self.limits(&member.attributes),
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: Some(end),
            }),
        };
        self.add_verified(procedure, m.scc);
    }

    /// A precondition with a label is known only after it was revealed.
    pub(crate) fn keep_back(
        &mut self,
        label: stet_dafny::tree::LabelId,
        condition: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let flag = self.declare_hidden(b, "revealed", Sort::named("bool"));
        let known = self.expr(condition, env);
        out.push(S::Assume(imp(var(&flag), known)));
        b.labelled.insert(label, var(&flag));
    }

    fn track_outs(&mut self, m: &Method, env: &Env, b: &mut Builder, out: &mut Vec<S>) {
        for &v in &m.outs {
            let declared = &self.p.vars[v];
            let text = self.p.text(declared.name).to_owned();
            let (name, ty) = self.formal(v, env);
            let ghost = declared.ghost;
            self.track(v, ty, ghost, &text, &name, env, b, out);
        }
    }

    /// Adds a procedure that is to be verified, unless it has nothing to check.
    pub(crate) fn add_verified(&mut self, mut procedure: Procedure, scc: u32) {
        let has_posts = procedure.ensures.iter().any(|c| !c.free);
        let body = procedure.body.as_ref();
        let has_checks = body.is_some_and(|body| body.stmts.iter().any(crate::wf::has_check));
        if !has_checks && !has_posts {
            return;
        }
        for variable in procedure.ins.iter_mut().chain(&mut procedure.outs) {
            variable.constraint = None;
        }
        crate::only::restrict(&mut procedure);
        self.verified.push((procedure, scc, self.module));
    }
}

pub(crate) fn plain(name: &str, sort: Sort) -> Variable {
    Variable {
        name: name.into(),
        sort,
        constraint: None,
    }
}

/// What is assumed with as much fuel as it is proved with.
fn deeper(env: &Env) -> Env {
    Env {
        assumed: true,
        ..env.with_fuel(crate::functions::fuel(2))
    }
}

pub(crate) fn head_env(head: &Head, env: &Env) -> Env {
    Env {
        labels: env.labels.clone(),
        old: env.old.clone(),
        ..head.env.clone()
    }
}

/// The first character of a body: where Dafny reports what fails at its end.
pub(crate) fn start_of(span: Span) -> Span {
    Span {
        end: span.end.min(span.start.saturating_add(1)),
        ..span
    }
}

/// The last character of a body.
fn end_of(span: Span) -> Span {
    Span {
        start: span.start.max(span.end.saturating_sub(1)),
        ..span
    }
}
