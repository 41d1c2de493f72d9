//! Loops.
//!
//! A loop becomes `while (true)` that is left by jumps. Its invariants are checked and assumed by the engine. A variable
//! `w` of any value decides whether an iteration is a real one: where it is false, invariants are not assumed and only
//! checked to be well-formed, each under the ones before it.

use crate::cx::{Cx, Env};
use crate::frame::FramePart;
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, check};
use std::collections::BTreeSet;
use std::rc::Rc;
use stet_base::Span;
use stet_dafny::tree::{ExprId, Guard, LoopSpec, StmtId, StmtKind, VarId};

/// What a loop does in each iteration.
enum Shape {
    While(Guard, StmtId),
    /// A `while` without a body changes these.
    Bodiless(Guard, Vec<Name>),
    Cases(Vec<stet_dafny::tree::GuardedCase>),
    For {
        index: Name,
        start: B,
        end: Option<B>,
        up: bool,
        body: StmtId,
    },
}

impl Cx<'_> {
    pub(crate) fn loop_stmt(
        &mut self,
        s: StmtId,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let stmt = &self.p.stmts[s];
        let span = stmt.tok;
        let (shape, spec) = match &stmt.kind {
            StmtKind::While {
                guard,
                spec,
                body: Some(body),
            } => (Shape::While(guard.clone(), *body), spec.clone()),
            StmtKind::While {
                guard: guard @ (Guard::Expr(_) | Guard::Any),
                spec,
                body: None,
            } => {
                let (vars, heap) = self.p.loop_frame(guard, spec);
                let changed = vars.iter().filter_map(|v| match &**env.vars.get(v)? {
                    Node::Var(name) => Some(name.clone()),
                    _ => None,
                });
                let mut changed: Vec<Name> = changed.collect();
                changed.extend(heap.then(|| Name::from("$Heap")));
                (Shape::Bodiless(guard.clone(), changed), spec.clone())
            }
            StmtKind::WhileCases { cases, spec } => (Shape::Cases(cases.clone()), spec.clone()),
            StmtKind::For {
                var,
                start,
                end,
                up,
                spec,
                body: Some(body),
            } => {
                let (var, start, end, up) = (*var, *start, *end, *up);
                let (spec, body) = (spec.clone(), *body);
                (self.for_start(var, start, end, up, body, env, b, out), spec)
            }
            _ => {
                self.unsupported(span, "a loop without a body");
                return;
            }
        };
        if spec.decreases.star && b.measure.is_some() {
            let message = "a possibly infinite loop is allowed only if the enclosing method is declared (with 'decreases *') to be possibly non-terminating";
            out.push(check(ff(), span, message));
        }
        let before = self.save_heap("loop", env, b, out);
        let w = self.declare_hidden(b, "w", Sort::named("bool"));
        out.push(S::Havoc(vec![w.clone()]));
        let outer = self.loop_frame(&spec, &before, span, env, b, out);
        let mut body = Vec::new();
        let mut head = Vec::new();
        self.invariants_wf(&spec, &w, env, b, &mut body);
        let mut invariants = Vec::new();
        self.measure_falls(&shape, &spec, span, env, b, out, &mut invariants);
        let flags = self.save_flags(b, out);
        self.for_bounds(&shape, span, &mut head);
        let next = b.fresh_name("next");
        b.exits.insert((s, true), next.clone());
        self.iteration(s, &shape, &spec, &next, env, b, &mut body);
        let mut own = None;
        if let Some((modifies, heap)) = outer {
            own = Some(std::mem::replace(&mut b.modifies, modifies));
            b.frame_heap = heap;
        }
        self.free_invariants(own, &body, &before, span, env, b, &mut invariants);
        invariants.extend(head);
        // What was assigned before the loop stays assigned.
        for (saved, flag) in flags {
            invariants.push(free(imp(var(&saved), var(&flag)), span));
        }
        self.checked_invariants(&spec, &w, env, &mut invariants);
        out.push(S::Loop {
            invariants,
            body,
            span,
        });
    }

    /// Completed iterations have only made the measure smaller.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn measure_falls(
        &mut self,
        shape: &Shape,
        spec: &LoopSpec,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
        invariants: &mut Vec<Invariant>,
    ) {
        let is_measured = !matches!(shape, Shape::For { end: Some(_), .. });
        if spec.decreases.star || !is_measured {
            return;
        }
        if b.iterator.is_some() {
            // An iteration that yields may do what it likes to the measure.
            return;
        }
        let now = self.measure(&spec.decreases.exprs, env);
        let mut before = Vec::new();
        for (rep, value) in &now {
            let sort = self.sort(*rep);
            let saved = self.declare_local(b, "measure.start", sort);
            out.push(S::Assign(saved.clone(), value.clone()));
            before.push((*rep, var(&saved)));
        }
        let fallen = self.has_fallen(&now, &before, span);
        invariants.push(free(fallen, span));
    }

    /// Copies of the variables that say what is assigned.
    fn save_flags(&mut self, b: &mut Builder, out: &mut Vec<S>) -> Vec<(Name, Name)> {
        let flags = b.assigned.values().chain(b.fields.values()).cloned();
        let mut flags: Vec<Name> = flags.collect();
        flags.sort();
        flags
            .into_iter()
            .map(|flag| {
                let saved = self.declare_local(b, "assigned.before", Sort::named("bool"));
                out.push(S::Assign(saved.clone(), var(&flag)));
                (saved, flag)
            })
            .collect()
    }

    /// Checks the bounds of a `for` loop and sets its index.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn for_start(
        &mut self,
        v: VarId,
        start: ExprId,
        end: Option<ExprId>,
        up: bool,
        body: StmtId,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> Shape {
        self.wf(start, env, b, out);
        let first = self.expr(start, env);
        let text = self.p.text(self.p.vars[v].name).to_owned();
        let ty = self.subst(&env.subst, self.p.vars[v].ty);
        let sort = self.sort(ty);
        let last = end.map(|end| {
            self.wf(end, env, b, out);
            let value = self.expr(end, env);
            let limit = self.declare_local(b, &format!("{text}.end"), Sort::named("int"));
            out.push(S::Assign(limit.clone(), value));
            var(&limit)
        });
        let index = self.declare_local(b, &text, sort);
        let start_value = self.declare_local(b, &format!("{text}.start"), Sort::named("int"));
        out.push(S::Assign(start_value.clone(), first.clone()));
        out.push(S::Assign(index.clone(), first.clone()));
        if let Some(last) = &last {
            let ordered = if up {
                le(first, last.clone())
            } else {
                le(last.clone(), first)
            };
            let message = "lower bound must not exceed upper bound";
            out.push(check(ordered, self.p.exprs[start].tok, message));
        }
        self.index_fits(
            ty,
            &text,
            start_value.clone(),
            last.as_ref(),
            up,
            start,
            out,
        );
        env.vars.insert(v, var(&index));
        Shape::For {
            index,
            start: var(&start_value),
            end: last,
            up,
            body,
        }
    }

    /// Every value the index of a `for` loop takes is of its type.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn index_fits(
        &mut self,
        ty: stet_dafny::tree::Ty,
        text: &str,
        start: Name,
        end: Option<&B>,
        up: bool,
        place: ExprId,
        out: &mut Vec<S>,
    ) {
        let value = var("index~");
        let is = self.is_type(ty, &value);
        if is_true(&is) {
            return;
        }
        let (low, high) = if up {
            (Some(var(&start)), end.cloned())
        } else {
            (end.cloned(), Some(var(&start)))
        };
        let cond =
            if let (stet_dafny::tree::TyKind::Nat, Some(low)) = (&*self.p.types.kind(ty), &low) {
                le(int(0), low.clone())
            } else {
                let above = low.map_or(tt(), |low| le(low, value.clone()));
                let below = high.map_or(tt(), |high| le(value, high));
                let vars = vec![("index~".into(), Sort::named("int"))];
                forall(vars, Vec::new(), imp(and(above, below), is))
            };
        let message =
            format!("entire range must be assignable to index variable, but some '{text}' is not");
        out.push(check(cond, self.p.exprs[place].tok, message));
    }

    /// The index stays between the bounds.
    fn for_bounds(&mut self, shape: &Shape, span: Span, head: &mut Vec<Invariant>) {
        let Shape::For {
            index,
            start,
            end,
            up,
            ..
        } = shape
        else {
            return;
        };
        let from = if *up {
            le(start.clone(), var(index))
        } else {
            le(var(index), start.clone())
        };
        head.push(free(from, span));
        if let Some(end) = end {
            let bound = if *up {
                le(var(index), end.clone())
            } else {
                le(end.clone(), var(index))
            };
            head.push(free(bound, span));
        }
    }

    /// The frame of the loop's body; returns what it replaces.
    #[expect(clippy::type_complexity, reason = "two fields of the builder")]
    fn loop_frame(
        &mut self,
        spec: &LoopSpec,
        before: &B,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> Option<(Option<Rc<Vec<FramePart>>>, Option<B>)> {
        if !spec.modifies.given {
            return None;
        }
        for item in &spec.modifies.items {
            self.wf(item.expr, env, b, out);
        }
        let message = "modified object in loop modifies clause could not be proved to be in the current modifies clause";
        self.modifies_ok(&spec.modifies, env, span, env, b, out, message);
        let parts = self.frame(&spec.modifies, &env.at_heap(before.clone()));
        // What a variable of the frame holds when the loop begins, whatever the body assigns to it.
        let parts = parts.map(|parts| Rc::new(self.frozen(parts, env, b, out)));
        let modifies = std::mem::replace(&mut b.modifies, parts);
        let heap = b.frame_heap.replace(before.clone());
        Some((modifies, heap))
    }

    fn invariants_wf(
        &mut self,
        spec: &LoopSpec,
        w: &Name,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut checks = Vec::new();
        for clause in &spec.invariants {
            self.wf(clause.expr, env, b, &mut checks);
            checks.push(S::Assume(self.expr(clause.expr, env)));
        }
        self.wf_all(&spec.decreases.exprs, env, b, &mut checks);
        checks.push(S::Assume(ff()));
        out.push(S::If(Some(not(var(w))), checks, Vec::new()));
    }

    fn checked_invariants(
        &mut self,
        spec: &LoopSpec,
        w: &Name,
        env: &Env,
        invariants: &mut Vec<Invariant>,
    ) {
        for clause in &spec.invariants {
            for part in self.split(clause.expr, env) {
                invariants.push(Invariant {
                    check: Check {
                        forgotten: false,
                        span: part.at,
                        // Said of a loop that is left before it comes back to its head.
                        message: "loop invariant violation".into(),
                        related: part.related(),
                        asserted: self
                            .explains
                            .then(|| self.text(clause.expr, env).text.into()),
                        cond: imp(var(w), part.cond),
                    },
                    free: clause.free,
                });
            }
            // What was checked with more fuel is known with less.
            let known = self.expr(clause.expr, env);
            invariants.push(free(imp(var(w), known), self.p.exprs[clause.expr].tok));
        }
    }

    /// One iteration: leave or run the body, then check that the measure decreased.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn iteration(
        &mut self,
        s: StmtId,
        shape: &Shape,
        spec: &LoopSpec,
        next: &Name,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let exit = b
            .exits
            .get(&(s, false))
            .cloned()
            .unwrap_or_else(|| "$exit".into());
        let leave = vec![S::Goto(exit)];
        let mut env = env.clone();
        let measured = matches!(shape, Shape::While(..) | Shape::Cases(_))
            || matches!(shape, Shape::For { end: None, .. });
        let mut old = Vec::new();
        let mut yields = None;
        let mut run = |cx: &mut Self, b: &mut Builder, out: &mut Vec<S>, env: &mut Env| {
            if measured && !spec.decreases.star {
                yields = cx.save_count(b, out);
                for (rep, value) in cx.measure(&spec.decreases.exprs, env) {
                    let sort = cx.sort(rep);
                    let saved = cx.declare_hidden(b, "measure", sort);
                    out.push(S::Assign(saved.clone(), value));
                    old.push((rep, var(&saved)));
                }
            }
        };
        match shape {
            Shape::While(guard, body) => {
                match guard {
                    Guard::Expr(e) => {
                        self.wf(*e, &env, b, out);
                        let test = self.expr(*e, &env);
                        out.push(S::If(Some(not(test)), leave, Vec::new()));
                    }
                    Guard::Any => out.push(S::If(None, leave, Vec::new())),
                    Guard::Binding { vars, expr, .. } => {
                        self.wf_bound(vars, &[], &[*expr], &env, b, out);
                        let mut inner = env.clone();
                        let (names, typing) = self.bound_vars(vars, &mut inner);
                        let holds = and(typing, self.expr(*expr, &inner));
                        let mut triggers = crate::trigger::choose(&holds, &names);
                        crate::trigger::add_bare(&mut triggers);
                        let some = exists(names, triggers, holds);
                        out.push(S::If(Some(not(some)), leave, Vec::new()));
                        self.havoc_vars(vars, &mut env, b, out);
                        out.push(S::Assume(self.expr(*expr, &env)));
                    }
                }
                run(self, b, out, &mut env);
                self.stmt(*body, &mut env, b, out);
            }
            Shape::Bodiless(guard, changed) => {
                if let Guard::Expr(e) = guard {
                    self.wf(*e, &env, b, out);
                    let test = self.expr(*e, &env);
                    out.push(S::If(Some(not(test)), leave, Vec::new()));
                } else {
                    out.push(S::If(None, leave, Vec::new()));
                }
                // What an iteration does is not known; the head of the loop says what holds after any number of them.
                out.push(S::Havoc(changed.clone()));
                out.push(S::Assume(lt(int(2), int(2))));
                return;
            }
            Shape::Cases(cases) => {
                run(self, b, out, &mut env);
                let tests = self.case_guards(cases, &env, b, out);
                self.choose_case(cases, &tests, leave, &env, b, out);
            }
            Shape::For {
                index,
                end,
                up,
                body,
                ..
            } => {
                if let Some(end) = end {
                    let done = eq(var(index), end.clone());
                    out.push(S::If(Some(done), leave, Vec::new()));
                }
                run(self, b, out, &mut env);
                if !*up {
                    out.push(S::Assign(index.clone(), sub(var(index), int(1))));
                }
                self.stmt(*body, &mut env, b, out);
            }
        }
        out.push(S::Label(next.clone()));
        if let Shape::For {
            index, up: true, ..
        } = shape
        {
            out.push(S::Assign(index.clone(), add(var(index), int(1))));
        }
        if measured && !spec.decreases.star {
            let yielded = self.has_yielded(yields.as_ref(), b);
            let mut checks = Vec::new();
            self.loop_decreases(s, spec, &old, &env, &mut checks);
            if *yielded == *ff() {
                out.append(&mut checks);
            } else {
                // A piece of an iterator ends at each `yield`: then nothing need decrease.
                out.push(S::If(Some(yielded), Vec::new(), checks));
            }
        }
    }

    fn loop_decreases(
        &mut self,
        s: StmtId,
        spec: &LoopSpec,
        old: &[crate::measure::Measured],
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let new = self.measure(&spec.decreases.exprs, env);
        let span = self.p.stmts[s].tok;
        let message = if spec.decreases.inferred {
            "cannot prove termination; try supplying a decreases clause for the loop"
        } else {
            "decreases expression could not be proved to decrease"
        };
        if !spec.decreases.inferred {
            let end = " at end of loop iteration";
            let places = spec.decreases.exprs.iter();
            let places: Vec<Span> = places.map(|&e| self.p.exprs[e].tok).collect();
            self.check_bounds(&new, old, &spec.decreases.exprs, &places, end, env, out);
            self.explain_loop_bounds(s, &spec.decreases.exprs, env, out);
        }
        let cond = self.decreases(&new, old, span);
        out.push(check(cond, span, message));
        self.explain_loop_measure(s, spec, env, out);
    }

    /// What holds of every iteration without a check: types of variables, the state of the heap.
    #[expect(clippy::too_many_arguments, reason = "a loop in one context")]
    fn free_invariants(
        &mut self,
        own: Option<Option<Rc<Vec<FramePart>>>>,
        body: &[S],
        before: &B,
        span: Span,
        env: &Env,
        b: &Builder,
        invariants: &mut Vec<Invariant>,
    ) {
        let mut changed = BTreeSet::new();
        assigned(body, self, &mut changed);
        if changed.contains("$Heap") {
            self.need(Chunk::Heap);
            let heap = env.heap.clone();
            invariants.push(free(app("$HeapOk", vec![heap.clone()]), span));
            for earlier in [before, &env.old] {
                let later = app("$HeapSucc", vec![earlier.clone(), heap.clone()]);
                invariants.push(free(later, span));
            }
            self.iterator_invariants(before, span, env, b, invariants);
            let base = b.frame_heap.clone().unwrap_or_else(|| env.old.clone());
            let frame =
                self.frame_condition(b.modifies.clone().as_deref().map(|v| &v[..]), &base, &heap);
            invariants.push(free(frame, span));
            if let Some(parts) = own {
                let parts = parts.as_deref().map(|v| &v[..]);
                let own = self.frame_condition(parts, before, &heap);
                invariants.push(free(own, span));
            }
        }
        let mut vars: Vec<(VarId, Name)> = env
            .vars
            .iter()
            .filter_map(|(v, value)| match &**value {
                Node::Var(name) if changed.contains(name) => Some((*v, name.clone())),
                _ => None,
            })
            .collect();
        vars.sort_by(|a, c| a.1.cmp(&c.1));
        for (v, name) in vars {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            let mut typed = if env.construction.is_some() {
                // The variable may hold the object under construction.
                self.is_type(ty, &var(&name))
            } else {
                self.typed(ty, &var(&name), &env.heap)
            };
            if let Some(flag) = b.assigned.get(&v) {
                typed = imp(var(flag), typed);
            }
            if !is_true(&typed) {
                invariants.push(free(typed, span));
            }
        }
        self.constructed_typed(&changed, span, env, b, invariants);
    }

    /// The types of the fields of the object under construction.
    fn constructed_typed(
        &mut self,
        changed: &BTreeSet<Name>,
        span: Span,
        env: &Env,
        b: &Builder,
        invariants: &mut Vec<Invariant>,
    ) {
        let Some(locals) = env.construction.clone() else {
            return;
        };
        for (field, ty) in self.constructed_fields(b) {
            let Some(name) = locals.get(&field).filter(|n| changed.contains(*n)) else {
                continue;
            };
            let mut is = self.is_type(ty, &var(name));
            if let Some(flag) = b.fields.get(&field) {
                is = imp(var(flag), is);
            }
            if !is_true(&is) {
                invariants.push(free(is, span));
            }
        }
    }
}

pub(crate) fn free(cond: B, span: Span) -> Invariant {
    Invariant {
        check: Check {
            forgotten: false,
            asserted: None,
            cond,
            span,
            message: "".into(),
            related: Vec::new(),
        },
        free: true,
    }
}

/// The variables that statements may change.
pub(crate) fn assigned(stmts: &[S], cx: &Cx<'_>, found: &mut BTreeSet<Name>) {
    for stmt in stmts {
        match stmt {
            S::Assign(name, _) => {
                found.insert(name.clone());
            }
            S::Havoc(names) => found.extend(names.iter().cloned()),
            S::If(_, a, b) => {
                assigned(a, cx, found);
                assigned(b, cx, found);
            }
            S::Loop { body, .. } => assigned(body, cx, found),
            S::Call { proc, outs, .. } => {
                found.extend(outs.iter().cloned());
                if cx.heap_modifiers.contains(proc) {
                    found.insert("$Heap".into());
                }
            }
            _ => {}
        }
    }
}
