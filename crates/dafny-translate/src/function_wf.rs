//! The checks of functions: that they are defined for what their preconditions allow, end, and ensure what they say.

use crate::cx::{Cx, Env, Instance};
use crate::decl::{Body, Procedure, Variable};
use crate::functions::fuel;
use crate::methods::{POST, clause, plain};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, Reader};
use std::rc::Rc;
use stet_dafny::tree::{ExprId, ExprKind, Function, MemberId};

impl Cx<'_> {
    /// Makes the procedure that checks a function.
    pub(crate) fn verify_function(&mut self, member: MemberId) {
        let Some(f) = self.function(member).cloned() else {
            return;
        };
        if self.iterator_of(member).is_some() {
            // The validity of an iterator comes with it: there is nothing of the program in it.
            return;
        }
        let instance = self.generic(member);
        let declared = &self.p.members[member];
        let here = std::mem::replace(&mut self.here, declared.span);
        if f.extreme.is_some() && !declared.overrides.is_empty() {
            self.unsupported(declared.span, "overriding an extreme predicate");
        }
        self.function_wf(&instance, &f);
        self.verify_function_overrides(&instance, &f);
        if let Some(by) = f.by_method {
            self.verify_by_method(&instance, &f, by);
        }
        self.here = here;
    }

    pub(crate) fn function_head(
        &mut self,
        instance: &Instance,
        f: &Function,
    ) -> (Vec<Variable>, Env, B) {
        let member = &self.p.members[instance.member];
        let mut env = Env::new(self.subst_of(instance), f.scc);
        let mut ins = Vec::new();
        let mut facts = tt();
        if f.twostate {
            self.need(Chunk::Heap);
            ins.push(plain("$Heap.old", Sort::named("$HeapType")));
            env.old = var("$Heap.old");
            facts = and(facts, app("$HeapOk", vec![env.old.clone()]));
            facts = and(
                facts,
                app("$HeapSucc", vec![env.old.clone(), env.heap.clone()]),
            );
        } else {
            env.old = env.heap.clone();
        }
        if !member.is_static
            && let Some(ty) = self.receiver_type(instance.member, &instance.args)
        {
            let sort = self.sort(ty);
            self.var_sorts.insert("this".into(), sort.clone());
            ins.push(plain("this", sort));
            env.this = Some(var("this"));
            facts = and(facts, self.typed(ty, &var("this"), &env.heap));
        }
        for &v in &f.ins {
            let (name, ty) = self.formal(v, &env);
            let sort = self.sort(ty);
            self.var_sorts.insert(name.clone(), sort.clone());
            ins.push(plain(&name, sort));
            env.vars.insert(v, var(&name));
        }
        let typed = self.formals_typed(&f.ins, &env);
        facts = and(facts, typed);
        if f.twostate {
            let this_type = self.receiver_type(instance.member, &instance.args);
            facts = and(facts, self.existed(&f.ins, this_type, &env));
        }
        if self.chunks.contains(&Chunk::Heap) {
            facts = and(app("$HeapOk", vec![env.heap.clone()]), facts);
        }
        (ins, env, facts)
    }

    fn has_co_calls(&self, f: &Function) -> bool {
        let mut found = false;
        if let Some(body) = f.body {
            crate::walk::walk(self.p, body, &mut |e| {
                found |= matches!(&self.p.exprs[e].kind, ExprKind::Call(call) if call.co_call);
                !found
            });
        }
        found
    }

    fn function_wf(&mut self, instance: &Instance, f: &Function) {
        let span = self.p.members[instance.member].span;
        let (ins, mut env, facts) = self.function_head(instance, f);
        let mut b = Builder {
            measure_inferred: f.decreases.inferred,
            co_notes: self.co_notes(f),
            reader: match f.twostate {
                true => Reader::TwostateFunction,
                // A function with co-recursive calls may not read anything.
                false if self.has_co_calls(f) => Reader::Closed,
                false => Reader::Function,
            },
            ..Builder::default()
        };
        let mut out = Vec::new();
        let reads = self.frame(&f.reads, &env);
        b.reads = reads.map(Rc::new);
        b.measure = Some(self.measure(&f.decreases.exprs, &env));
        b.measure_text.exprs = f.decreases.exprs.clone();
        let before = f.twostate.then(|| env.old.clone());
        let before = before.as_ref().map(|heap| (heap, "function"));
        self.defaults_wf(&f.ins, before, &env, &mut b, &mut out);
        // That preconditions read only what they may is checked when all of them are known.
        let frame = b.reads.take();
        for spec in &f.requires {
            self.wf(spec.expr, &env, &mut b, &mut out);
            match spec.label {
                Some(label) => self.keep_back(label, spec.expr, &env, &mut b, &mut out),
                None => out.push(S::Assume(self.expr(spec.expr, &env))),
            }
        }
        b.reads = frame;
        let mut again = Vec::new();
        for spec in &f.requires {
            self.wf(spec.expr, &env, &mut b, &mut again);
        }
        for item in &f.reads.items {
            self.wf(item.expr, &env, &mut b, &mut again);
        }
        let frame = b.reads.take();
        for item in &f.reads.items {
            self.wf(item.expr, &env, &mut b, &mut out);
            self.frame_field_ok(item, &env, &mut out);
        }
        out.extend(again.into_iter().filter_map(only_reads));
        self.wf_all(&f.decreases.exprs, &env, &mut b, &mut out);
        b.reads = frame;
        let out_ty = self.subst(&env.subst, f.result);
        let sort = self.sort(out_ty);
        let result = self.declare_local(&mut b, "result", sort);
        let actuals: Vec<B> = f.ins.iter().map(|v| env.vars[v].clone()).collect();
        let own = self.apply_function(instance, env.this.clone(), actuals, &env);
        self.request(crate::cx::Work::Function(instance.clone()));
        if let Some(v) = f.result_var {
            env.vars.insert(v, var(&result));
        }
        let mut posts = Vec::new();
        let reads = b.reads.take();
        posts.push(S::Assume(self.typed(out_ty, &var(&result), &env.heap)));
        posts.push(S::Assume(eq(own.clone(), var(&result))));
        // A postcondition may speak of the result by calling the function itself.
        let measure = b.measure.take();
        for spec in &f.ensures {
            self.wf(spec.expr, &env, &mut b, &mut posts);
            posts.push(S::Assume(self.expr(spec.expr, &env)));
        }
        b.measure = measure;
        b.reads = reads;
        crate::wf::aside(posts, &mut out);
        let mut end = span;
        if let Some(body) = f.body {
            end = self.p.exprs[body].tok;
            b.results = Rc::new(self.result_checks(instance, f, own, &result, &env, &mut b));
            self.wf_result(body, &result, out_ty, &env, &mut b, &mut out);
        }
        let name = self.instance_name(instance);
        let procedure = Procedure {
            name: format!("$Wf.{name}").into(),
            span,
            ins,
            outs: Vec::new(),
            requires: vec![clause(facts, span, "", true)],
            ensures: Vec::new(),
            modifies: Vec::new(),
            attributes: self.limits(&self.p.members[instance.member].attributes),
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: Some(end),
            }),
        };
        self.add_verified(procedure, f.scc);
    }

    /// What is checked where a branch of the body ends; the places of the checks are put in there.
    fn result_checks(
        &mut self,
        instance: &Instance,
        f: &Function,
        own: B,
        result: &Name,
        env: &Env,
        b: &mut Builder,
    ) -> Vec<S> {
        let mut checks = vec![S::Assume(eq(own, var(result)))];
        for spec in &f.ensures {
            for part in self.split(spec.expr, env) {
                let place = "this is the postcondition that could not be proved";
                let mut related = vec![(part.at, place.into())];
                related.extend(part.related());
                checks.push(S::Assert(Check {
                    forgotten: false,
                    cond: part.cond,
                    span: part.at,
                    message: POST.into(),
                    related,
                    // The result is written as the program names it.
                    asserted: self.explains.then(|| self.text(spec.expr, env).text.into()),
                }));
            }
        }
        self.older_checks(instance, f, &var(result), env, b, &mut checks);
        checks
    }

    /// The checks of a body, branch by branch; where they end, the result is known.
    fn wf_result(
        &mut self,
        e: ExprId,
        result: &Name,
        ty: stet_dafny::tree::Ty,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        match &self.p.exprs[e].kind {
            ExprKind::Ite(c, x, y) => {
                let (c, x, y) = (*c, *x, *y);
                self.wf(c, env, b, out);
                let test = self.expr(c, env);
                let (mut then, mut els) = (Vec::new(), Vec::new());
                self.wf_result(x, result, ty, env, b, &mut then);
                self.wf_result(y, result, ty, env, b, &mut els);
                out.push(S::If(Some(test), then, els));
            }
            ExprKind::Match { scrutinee, cases } => {
                let cases = cases.clone();
                self.wf_match(
                    *scrutinee,
                    &cases,
                    env,
                    b,
                    out,
                    &mut |cx, body, env, b, out| {
                        cx.wf_result(body, result, ty, env, b, out);
                    },
                );
            }
            ExprKind::Let { .. } => {
                self.wf_let(e, env, b, out, &mut |cx, body, env, b, out| {
                    cx.wf_result(body, result, ty, env, b, out);
                });
            }
            ExprKind::LetSuchThat { .. } => {
                self.wf_such_that(e, env, b, out, &mut |cx, body, env, b, out| {
                    cx.wf_result(body, result, ty, env, b, out);
                });
            }
            ExprKind::StmtExpr(stmt, inner) => {
                let (stmt, inner) = (*stmt, *inner);
                self.stmt(stmt, &mut env.clone(), b, out);
                self.wf_result(inner, result, ty, env, b, out);
            }
            _ => {
                self.wf(e, env, b, out);
                self.fits(e, ty, env, out);
                let value = self.expr(e, &env.with_fuel(fuel(2)));
                out.push(S::Assign(result.clone(), value));
                let known = self.typed(ty, &var(result), &env.heap);
                if !is_true(&known) {
                    out.push(S::Assume(known));
                }
                let place = self.p.exprs[e].tok;
                out.extend(b.results.iter().cloned().map(|stmt| match stmt {
                    S::Assert(check) => S::Assert(Check {
                        span: place,
                        ..check
                    }),
                    other => other,
                }));
            }
        }
    }
}

/// Keeps the checks of what is read; the others were made before.
fn only_reads(stmt: S) -> Option<S> {
    let list = |stmts: Vec<S>| stmts.into_iter().filter_map(only_reads).collect::<Vec<S>>();
    Some(match stmt {
        S::Assert(check) if check.message.starts_with("insufficient reads") => S::Assert(check),
        S::Assert(check) => S::Assume(check.cond),
        S::If(test, then, els) => S::If(test, list(then), list(els)),
        other => other,
    })
}
