//! Calls of methods, lemmas and constructors.

use crate::assign::Target;
use crate::cx::{Cx, Env, Instance, Work};
use crate::frame::in_frame;
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, check};
use stet_base::Span;
use stet_dafny::tree::{
    ExprId, Frame, FunctionCall, MemberId, MemberKind, Method, MethodCall, MethodKind, Ty,
};

impl Cx<'_> {
    pub(crate) fn call_stmt(
        &mut self,
        call: &MethodCall,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut targets: Vec<(Target, Ty)> = call
            .lhss
            .iter()
            .map(|&lhs| self.target(lhs, env, b, out))
            .collect();
        self.freeze(&mut targets, b, out);
        if let Some(aside) = call.aside {
            self.wf(aside, env, b, out);
        }
        let receiver = call.receiver.map(|r| {
            self.wf(r, env, b, out);
            self.not_null(r, env, call.tok, out);
            self.expr(r, env)
        });
        let results = self.invoke(call, receiver, env, b, out);
        let types = self.result_types(call, env);
        let values: Vec<B> = results.iter().map(|r| var(r)).collect();
        self.distinct_targets(&targets, &call.lhss, &values, out);
        let places = call.lhss.iter().map(|&lhs| self.p.exprs[lhs].tok);
        let places: Vec<Span> = places.collect();
        let results = results.into_iter().zip(types).zip(places);
        for ((target, ty), ((result, from), place)) in targets.into_iter().zip(results) {
            let value = var(&result);
            self.value_fits(&value, from, ty, place, out);
            self.shrinks_new(&target, &value, call.tok, env, b, out);
            self.store_value(target, value, env, b, out);
        }
    }

    fn result_types(&mut self, call: &MethodCall, env: &Env) -> Vec<Ty> {
        let instance = self.call_instance(call, env);
        let subst = self.subst_of(&instance);
        let Some(m) = self.method(call.method) else {
            return Vec::new();
        };
        let outs = m.outs.clone();
        outs.iter()
            .map(|&v| self.subst(&subst, self.p.vars[v].ty))
            .collect()
    }

    pub(crate) fn method(&self, member: stet_dafny::tree::MemberId) -> Option<&Method> {
        match &self.p.members[member].kind {
            MemberKind::Method(m) => Some(m),
            _ => None,
        }
    }

    pub(crate) fn call_instance(&mut self, call: &MethodCall, env: &Env) -> Instance {
        self.instance(call.method, &call.owner_args, &call.type_args, env)
    }

    /// The function that a call means, with its type arguments.
    pub(crate) fn function_instance(&mut self, call: &FunctionCall, env: &Env) -> Instance {
        self.instance(call.function, &call.owner_args, &call.type_args, env)
    }

    /// A member with the type arguments of its owner and its own.
    pub(crate) fn instance(
        &mut self,
        member: MemberId,
        owner: &[Ty],
        own: &[Ty],
        env: &Env,
    ) -> Instance {
        let mut args = self.types(owner, env);
        args.extend(self.types(own, env));
        Instance { member, args }
    }

    /// The checks of a call and the call; returns the variables with its results.
    pub(crate) fn invoke(
        &mut self,
        call: &MethodCall,
        receiver: Option<B>,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> Vec<Name> {
        self.wf_all(&call.args, env, b, out);
        let Some(m) = self.method(call.method).cloned() else {
            return Vec::new();
        };
        let instance = self.call_instance(call, env);
        let mut callee = Env {
            subst: self.subst_of(&instance),
            this: receiver.clone(),
            construction: None,
            focus: None,
            given: self.given_of(&m.ins, &call.args, call.receiver, env),
            ..env.clone()
        };
        let mut ins: Vec<B> = Vec::new();
        if m.kind == MethodKind::TwostateLemma {
            let before = self.old_heap(call.at, env);
            ins.push(before.clone());
            callee.old = before.clone();
            let (formals, args) = (m.ins.clone(), call.args.clone());
            let given = call.receiver;
            self.args_existed(&formals, &args, given, &before, "lemma", call.tok, env, out);
        }
        ins.extend(receiver);
        for (&formal, &arg) in m.ins.iter().zip(&call.args) {
            let ty = self.subst(&callee.subst, self.p.vars[formal].ty);
            self.fits(arg, ty, env, out);
            let value = self.expr(arg, env);
            callee.vars.insert(formal, value.clone());
            ins.push(value);
        }
        let message = "argument could not be proved to be allocated in the state in which the method is invoked";
        let given: Vec<ExprId> = call.receiver.iter().chain(&call.args).copied().collect();
        self.args_settled(&given, env, message, out);
        let depth = self.call_depth(call.prefix, &m, call.tok, env, b, out);
        if let (Some(k), Some(extreme)) = (&depth, m.extreme) {
            let (_, new) = self.prefix_specification(&m, extreme, k, &callee);
            if m.scc == env.scc {
                self.measure_decreases(&new, call.tok, b, out);
            }
            ins.insert(0, k.clone());
        } else if m.decreases.star && b.measure.is_some() {
            let message = "a call to a possibly non-terminating method is allowed only if the calling method is also declared (with 'decreases *') to be possibly non-terminating";
            out.push(check(ff(), call.tok, message));
        } else if b.knots.contains(&m.scc) {
            out.push(check(ff(), call.tok, crate::defaults::RECURSIVE));
        } else if m.scc == env.scc {
            self.call_decreases(&m.decreases.exprs, &callee, call.tok, b, out);
        }
        self.call_modifies(&m, &callee, call.tok, env, b, out);
        if self.explains {
            for spec in &m.requires {
                let place = (call.tok.start, self.p.exprs[spec.expr].tok.start);
                let text = self.text(spec.expr, &callee).text;
                self.call_texts.insert(place, text);
            }
        }
        let mut outs = Vec::new();
        if m.kind == MethodKind::Constructor {
            self.need(Chunk::Heap);
            outs.push(self.declare_hidden(b, "new", Sort::named("ref")));
        }
        for &v in &m.outs {
            let text = self.p.text(self.p.vars[v].name).to_owned();
            let ty = self.subst(&callee.subst, self.p.vars[v].ty);
            let sort = self.sort(ty);
            outs.push(self.declare_local(b, &format!("{text}.result"), sort));
        }
        let name = self.instance_name(&instance);
        self.note_heap_change(&instance, &m);
        let head = if depth.is_some() {
            self.request(Work::PrefixCall(instance));
            "$CallPrefix"
        } else if b.is_shown {
            self.request(Work::Shown(instance));
            "$Shown"
        } else {
            self.request_unchecked(&instance);
            self.request(Work::Call(instance));
            "$Call"
        };
        if let (true, Some(k), Some(extreme)) = (b.is_shown, &depth, m.extreme) {
            let at = self.prefix_specification(&m, extreme, k, &callee).0;
            for spec in &m.requires {
                out.push(S::Assume(self.expr(spec.expr, &at)));
            }
        }
        let is_literal = |cx: &Self, e: &B| cx.depth_of_literal(e).is_some_and(|d| d > 0);
        let has_literals = ins.iter().any(|e| is_literal(self, e));
        let allocates = b.iterator.is_some() && self.changes_heap(&m, &callee);
        let before = allocates.then(|| self.save_heap("call", env, b, out));
        out.push(S::Call {
            proc: format!("{head}.{name}").into(),
            ins,
            outs: outs.clone(),
            span: call.tok,
        });
        if let Some(before) = before {
            self.own_allocated(&before, env, b, out);
        }
        if has_literals && depth.is_none() && !self.changes_heap(&m, &callee) {
            // What is ensured is said again, so that functions of literals are computed.
            for (&v, name) in m.outs.iter().zip(&outs) {
                callee.vars.insert(v, var(name));
            }
            callee.old = callee.heap.clone();
            if m.kind != MethodKind::TwostateLemma {
                for spec in &m.ensures {
                    out.push(S::Assume(self.expr(spec.expr, &callee)));
                }
            }
        }
        outs
    }

    /// That what a callee modifies may be modified here.
    fn call_modifies(
        &mut self,
        m: &Method,
        callee: &Env,
        span: Span,
        env: &Env,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let message =
            "modified object in call could not be proved to be in the current modifies clause";
        self.modifies_ok(&m.modifies, callee, span, env, b, out, message);
    }

    /// That everything in a frame may be modified here.
    #[expect(clippy::too_many_arguments, reason = "a frame in one context")]
    pub(crate) fn modifies_ok(
        &mut self,
        frame: &Frame,
        inner: &Env,
        span: Span,
        env: &Env,
        b: &Builder,
        out: &mut Vec<S>,
        message: &str,
    ) {
        let Some(allowed) = b.modifies.clone() else {
            return;
        };
        if frame.items.is_empty() && !frame.star {
            return;
        }
        let Some(parts) = self.frame(frame, inner) else {
            out.push(check(ff(), span, message));
            return;
        };
        let o = var("o~");
        let f = var("f~");
        let base = b.frame_heap.clone().unwrap_or_else(|| env.old.clone());
        let asked = in_frame(&parts, &o, Some(&f));
        let existed = and(neq(o.clone(), var("null")), crate::types::alloc(&base, &o));
        let given = in_frame(&allowed, &o, Some(&f));
        let vars = vec![
            ("o~".into(), Sort::named("ref")),
            ("f~".into(), Sort::named("$Field")),
        ];
        let body = imp(and(existed, asked), given);
        out.push(check(forall(vars, Vec::new(), body), span, message));
        self.explain_subset(&parts, &allowed, out);
    }
}
