//! Checks of calls of functions: preconditions, what they may read, termination.

use crate::cx::{Cx, Env};
use crate::frame::in_frame;
use crate::tree::*;
use crate::wf::{Builder, check, check_only};
use stet_base::Span;
use stet_dafny::tree::{ExprId, Frame, FunctionCall};

impl Cx<'_> {
    pub(crate) fn wf_call(
        &mut self,
        call: &FunctionCall,
        env: &Env,
        span: Span,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        if let Some(receiver) = call.receiver {
            self.wf(receiver, env, b, out);
            self.not_null(receiver, env, span, out);
        }
        self.wf_all(&call.args, env, b, out);
        let Some(f) = self.function(call.function).cloned() else {
            return;
        };
        let instance = self.function_instance(call, env);
        let subst = self.subst_of(&instance);
        let receiver = call.receiver.map(|r| self.expr(r, env));
        let actuals = self.args(&call.args, env);
        let mut callee = Env {
            subst,
            this: receiver.clone(),
            construction: None,
            focus: None,
            given: self.given_of(&f.ins, &call.args, call.receiver, env),
            ..env.clone()
        };
        if call.at.is_some() {
            callee.old = self.old_heap(call.at, env);
        }
        for ((&formal, actual), &arg) in f.ins.iter().zip(&actuals).zip(&call.args) {
            let ty = self.subst(&callee.subst, self.p.vars[formal].ty);
            self.fits(arg, ty, env, out);
            callee.vars.insert(formal, actual.clone());
        }
        for clause in &f.requires {
            let parts = self.split(clause.expr, &callee);
            let are_several = parts.len() > 1;
            for part in parts {
                out.push(S::Assert(Check {
                    forgotten: are_several,
                    asserted: None,
                    span,
                    message: "function precondition could not be proved".into(),
                    related: part.related_from_outside(),
                    cond: part.cond,
                }));
                self.explain(out, |cx| Some(cx.text(clause.expr, &callee)));
            }
            let known = self.expr(clause.expr, &callee);
            let is_said =
                !are_several && matches!(out.last(), Some(S::Assert(last)) if last.cond == known);
            if !is_said {
                out.push(S::Assume(known));
            }
        }
        if f.twostate {
            let before = callee.old.clone();
            let (ins, args) = (f.ins.clone(), call.args.clone());
            self.args_existed(
                &ins,
                &args,
                call.receiver,
                &before,
                "function",
                span,
                env,
                out,
            );
        }
        if self.reads_heap(call.function) {
            let message = "argument could not be proved to be allocated in the state in which the function is invoked";
            let given: Vec<ExprId> = call.receiver.iter().chain(&call.args).copied().collect();
            self.args_settled(&given, env, message, out);
        }
        let message = "insufficient reads clause to invoke function";
        self.reads_ok(&f.reads, &callee, span, message, b, out);
        // The recursion of an extreme predicate needs no measure: it is a fixpoint of what its body says.
        let is_fixpoint = f.scc == env.scc && f.extreme.is_some();
        if let Some(k) = call.prefix {
            self.wf(k, env, b, out);
            self.depth_ok(k, f.extreme, env, out);
            if is_fixpoint {
                self.unsupported(span, "a prefix predicate in its own definition");
            }
        }
        if b.in_default && (f.scc == env.scc || b.knots.contains(&f.scc)) {
            out.push(check(ff(), span, crate::defaults::RECURSIVE));
        } else if f.scc == env.scc && !call.co_call && !is_fixpoint {
            self.call_decreases(&f.decreases.exprs.clone(), &callee, span, b, out);
        }
        if call.co_call {
            // By coinduction; nothing else in the definition looks at the value.
            let ty = self.subst(&callee.subst, f.result);
            let value = self.apply_function(&instance, receiver.clone(), actuals.clone(), &callee);
            out.push(S::Assume(self.is_type(ty, &value)));
        }
        self.compute_literals(&instance, &f, receiver.is_some(), &actuals, &callee, out);
        // What is not shown to end is not used before the whole definition is known to make sense.
        if f.scc == env.scc && f.recursive && !call.co_call && !is_fixpoint {
            let can = self.can_call(&instance, receiver, actuals, &callee);
            if !is_true(&can) {
                out.push(S::Assume(can));
            }
        }
    }

    /// That what a frame covers may be read here.
    pub(crate) fn reads_ok(
        &mut self,
        reads: &Frame,
        callee: &Env,
        span: Span,
        message: &str,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let Some(allowed) = b.reads.clone().filter(|_| callee.is_current) else {
            return;
        };
        if reads.items.is_empty() && !reads.star {
            return;
        }
        let Some(parts) = self.frame(reads, callee) else {
            out.push(check_only(ff(), span, message));
            return;
        };
        let o = var("o~");
        let f = var("f~");
        let asked = in_frame(&parts, &o, Some(&f));
        let given = in_frame(&allowed, &o, Some(&f));
        let vars = vec![
            ("o~".into(), Sort::named("ref")),
            ("f~".into(), Sort::named("$Field")),
        ];
        let body = imp(and(neq(o, var("null")), asked), given);
        out.push(check_only(forall(vars, Vec::new(), body), span, message));
        self.explain_subset(&parts, &allowed, out);
    }

    /// That the measure of a call is below that of the caller.
    pub(crate) fn call_decreases(
        &mut self,
        exprs: &[ExprId],
        callee: &Env,
        span: Span,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let new = self.measure(exprs, callee);
        if let (Some(old), false) = (b.measure.clone(), b.measure_inferred) {
            let places = vec![span; exprs.len()];
            self.check_bounds(&new, &old, exprs, &places, "", callee, out);
        }
        self.measure_decreases(&new, span, b, out);
        self.explain_call_measure(exprs, callee, b, out);
    }

    /// That a measure is below that of the callable being checked.
    pub(crate) fn measure_decreases(
        &mut self,
        new: &[crate::measure::Measured],
        span: Span,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let Some(old) = b.measure.clone() else {
            return;
        };
        let cond = self.decreases(new, &old, span);
        let message = if b.measure_inferred {
            "cannot prove termination; try supplying a decreases clause"
        } else {
            "decreases clause could not be proved to decrease"
        };
        let note = b.co_notes.get(&span).map_or("", String::as_str);
        out.push(check(cond, span, format!("{message}{note}")));
    }
}
