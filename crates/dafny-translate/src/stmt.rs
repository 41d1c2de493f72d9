//! Statements.

use crate::cx::{Cx, Env};
use crate::functions::fuel;
use crate::tree::*;
use crate::wf::{Builder, aside, check, check_only};
use stet_base::Span;
use stet_dafny::tree::{
    BinaryOp as Op, Calc, Case, ExprId, ExprKind, Guard, GuardedCase, RevealTarget, StmtId,
    StmtKind, VarId,
};

impl Cx<'_> {
    pub(crate) fn stmts(
        &mut self,
        stmts: &[StmtId],
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        for &s in stmts {
            self.stmt(s, env, b, out);
        }
    }

    /// A statement as a list of its own.
    pub(crate) fn stmt_list(&mut self, s: StmtId, env: &Env, b: &mut Builder) -> Vec<S> {
        let mut out = Vec::new();
        self.stmt(s, &mut env.clone(), b, &mut out);
        out
    }

    /// Translates a statement; `env` then holds what follows sees.
    pub(crate) fn stmt(&mut self, s: StmtId, env: &mut Env, b: &mut Builder, out: &mut Vec<S>) {
        let stmt = &self.p.stmts[s];
        let labels = stmt.labels.clone();
        for &label in &labels {
            self.mark_label(label, env, b, out);
        }
        let is_loop = matches!(
            stmt.kind,
            StmtKind::While { .. } | StmtKind::WhileCases { .. } | StmtKind::For { .. }
        );
        let exit = (is_loop || !labels.is_empty()).then(|| b.fresh_name("exit"));
        if let Some(exit) = &exit {
            b.exits.insert((s, false), exit.clone());
        }
        self.stmt_kind(s, env, b, out);
        if let Some(exit) = exit {
            out.push(S::Label(exit));
        }
    }

    /// Remembers the heap at a label.
    fn mark_label(
        &mut self,
        label: stet_dafny::tree::LabelId,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let heap = self.save_heap("label", env, b, out);
        env.labels.insert(label, heap);
    }

    pub(crate) fn save_heap(
        &mut self,
        name: &str,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> B {
        self.need(crate::prelude::Chunk::Heap);
        let saved = self.declare_local(b, &format!("heap.{name}"), Sort::named("$HeapType"));
        out.push(S::Assign(saved.clone(), env.heap.clone()));
        var(&saved)
    }

    fn stmt_kind(&mut self, s: StmtId, env: &mut Env, b: &mut Builder, out: &mut Vec<S>) {
        let stmt = &self.p.stmts[s];
        let span = stmt.tok;
        match &stmt.kind {
            StmtKind::Assert { expr, label, by } => {
                let only = crate::only::begin_mark(self.p, &stmt.attributes);
                out.extend(only.map(S::Mark));
                let own = only.map(|_| crate::only::own_mark());
                self.with_fuel_of(&stmt.attributes, |cx| {
                    cx.assert(*expr, *label, *by, own, span, env, b, out);
                });
                out.extend(only.map(|_| crate::only::end_mark()));
                for name in ["split_here", "focus"] {
                    let mut attributes = stmt.attributes.iter();
                    if attributes.any(|a| self.p.text(a.name) == name) {
                        out.push(S::Mark(name));
                    }
                }
            }
            StmtKind::Assume(expr) | StmtKind::Expect { expr, .. } => {
                self.wf(*expr, env, b, out);
                let cond = self.expr(*expr, env);
                out.push(S::Assume(self.unfolded(*expr, cond)));
            }
            StmtKind::Print(args) => self.wf_all(&args.clone(), env, b, out),
            StmtKind::Sequence(stmts) => self.stmts(&stmts.clone(), env, b, out),
            StmtKind::Apart { first, rest } => self.apart(*first, &rest.clone(), env, b, out),
            StmtKind::Block(stmts) => {
                let visible = env.hidden.clone();
                self.stmts(&stmts.clone(), env, b, out);
                self.make_visible(visible, env, out);
            }
            StmtKind::VarDecl { vars, init } => self.var_decl(&vars.clone(), *init, env, b, out),
            StmtKind::VarPattern { .. } => self.var_pattern(s, env, b, out),
            StmtKind::Assign { lhss, rhss } => {
                self.assign(&lhss.clone(), &rhss.clone(), span, env, b, out);
            }
            StmtKind::AssignSuchThat {
                lhss,
                expr,
                assume,
                bounds,
                attributes,
            } => {
                let choice = (*expr, *assume, bounds.as_slice(), attributes.as_slice());
                self.assign_such_that(lhss, choice, span, env, b, out);
            }
            StmtKind::Call(call) => self.call_stmt(&call.clone(), env, b, out),
            StmtKind::If { guard, then, els } => {
                self.if_stmt(&guard.clone(), *then, *els, env, b, out)
            }
            StmtKind::IfCases(cases) => self.if_cases(&cases.clone(), span, env, b, out),
            StmtKind::While { .. } | StmtKind::WhileCases { .. } | StmtKind::For { .. } => {
                self.loop_stmt(s, env, b, out);
            }
            StmtKind::Match { scrutinee, cases } => {
                self.match_stmt(*scrutinee, &cases.clone(), env, b, out);
            }
            StmtKind::Forall { .. } => self.forall_stmt(s, env, b, out),
            StmtKind::Modify { frame, body } => {
                let frame = frame.clone();
                match *body {
                    Some(body) => self.modify_block(&frame, body, span, env, b, out),
                    None => self.modify(&frame, span, env, b, out),
                }
            }
            StmtKind::Calc(calc) => self.calc(&calc.clone(), env, b, out),
            StmtKind::Reveal(targets) => {
                self.change_visible(targets, false, env, out);
                self.reveal(&targets.clone(), b, out);
            }
            StmtKind::Hide(targets) => self.change_visible(targets, true, env, out),
            StmtKind::Break {
                target,
                is_continue,
            } => match b.exits.get(&(*target, *is_continue)) {
                Some(label) => out.push(S::Goto(label.clone())),
                None => self.unsupported(span, "leaving this statement"),
            },
            StmtKind::Return { init } => {
                if let Some(init) = init {
                    self.stmt(*init, env, b, out);
                }
                self.outs_assigned(span, b, out);
                self.finish_construction(&mut env.clone(), b, span, out);
                out.push(S::Return(span));
            }
            StmtKind::Yield { init } => self.yield_stmt(*init, span, env, b, out),
            StmtKind::OpaqueBlock {
                ensures,
                modifies,
                body,
            } => {
                let (ensures, modifies) = (ensures.clone(), modifies.clone());
                self.opaque_block(&ensures, &modifies, *body, span, env, b, out);
            }
            StmtKind::ByProof { stmt, proof } => self.by_proof(*stmt, *proof, env, b, out),
            StmtKind::Error => self.unsupported(span, "a statement in error"),
        }
    }

    /// Every out-parameter must have been assigned.
    pub(crate) fn outs_assigned(&mut self, span: Span, b: &Builder, out: &mut Vec<S>) {
        for &v in &b.outs {
            if let Some(flag) = b.assigned.get(&v) {
                let name = self.p.text(self.p.vars[v].name);
                let message = format!(
                    "out-parameter '{name}', which is subject to definite-assignment rules, could not be proved to be initialized at this return point"
                );
                out.push(check_only(var(flag), span, message));
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one statement")]
    fn assert(
        &mut self,
        expr: ExprId,
        label: Option<stet_dafny::tree::LabelId>,
        by: Option<StmtId>,
        mark: Option<S>,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        self.wf(expr, env, b, out);
        let mut proof = Vec::new();
        if let Some(by) = by {
            self.stmt(by, &mut env.clone(), b, &mut proof);
            crate::hide::keep_visible(&mut proof);
        }
        proof.extend(mark);
        // A condition that is taken apart is reported where its part is, others at the statement.
        let (parts, is_split) = self.split_or_whole(expr, env);
        let are_several = parts.len() > 1;
        for part in parts {
            proof.push(S::Assert(Check {
                // Each part is proved by itself; the whole is known afterwards.
                forgotten: are_several,
                asserted: None,
                span: if is_split { part.at } else { span },
                message: "assertion could not be proved".into(),
                related: part.related(),
                cond: self.unfolded(expr, part.cond),
            }));
            self.explain(&mut proof, |cx| Some(cx.text(expr, env)));
        }
        let known = self.expr(expr, env);
        let known = self.unfolded(expr, known);
        match label {
            None if by.is_none() => {
                // The terms of the condition itself are what later quantifiers are matched by.
                let is_said = matches!(&proof[..], [S::Assert(only)] if only.cond == known);
                out.extend(proof);
                if !is_said {
                    out.push(S::Assume(known));
                }
            }
            None => {
                aside(proof, out);
                out.push(S::Assume(known));
            }
            Some(label) => {
                aside(proof, out);
                // What is revealed later is the condition as it was here.
                let flag = self.declare_hidden(b, "revealed", Sort::named("bool"));
                out.push(S::Assume(imp(var(&flag), known)));
                b.labelled.insert(label, var(&flag));
            }
        }
    }

    /// A condition that is false whatever the variables are is not folded: a path must not end there before the loops
    /// around it are recognised.
    pub(crate) fn unfolded(&self, e: ExprId, cond: B) -> B {
        if !is_false(&cond) {
            return cond;
        }
        let mut is_closed = true;
        crate::walk::walk(self.p, e, &mut |e| {
            is_closed &= !matches!(self.p.exprs[e].kind, ExprKind::Var(_) | ExprKind::This);
            is_closed
        });
        if is_closed { lt(int(2), int(2)) } else { cond }
    }

    fn reveal(&mut self, targets: &[RevealTarget], b: &Builder, out: &mut Vec<S>) {
        for target in targets {
            match target {
                RevealTarget::Member(member) => {
                    if !self.p.members[*member].opaque {
                        continue;
                    }
                    out.push(S::Assume(self.revealed(*member)));
                }
                RevealTarget::Label(label) => {
                    if let Some(known) = b.labelled.get(label) {
                        out.push(S::Assume(known.clone()));
                    }
                }
                RevealTarget::All => {}
            }
        }
    }

    /// The condition of a guard, checked; with the variables it binds.
    fn guard(&mut self, guard: &Guard, env: &Env, b: &mut Builder, out: &mut Vec<S>) -> Option<B> {
        match guard {
            Guard::Expr(e) => {
                self.wf(*e, env, b, out);
                Some(self.expr(*e, env))
            }
            Guard::Any => None,
            Guard::Binding { vars, expr, .. } => {
                self.wf_bound(vars, &[], &[*expr], env, b, out);
                let mut inner = env.clone();
                let (names, typing) = self.bound_vars(vars, &mut inner);
                let holds = and(typing, self.expr(*expr, &inner));
                let mut triggers = crate::trigger::choose(&holds, &names);
                crate::trigger::add_bare(&mut triggers);
                Some(exists(names, triggers, holds))
            }
        }
    }

    /// What holds where a guard was true; binds its variables.
    fn enter_guard(&mut self, guard: &Guard, env: &mut Env, b: &mut Builder, out: &mut Vec<S>) {
        if let Guard::Binding { vars, expr, .. } = guard {
            self.havoc_vars(vars, env, b, out);
            out.push(S::Assume(self.expr(*expr, env)));
        }
    }

    fn if_stmt(
        &mut self,
        guard: &Guard,
        then: StmtId,
        els: Option<StmtId>,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let test = self.guard(guard, env, b, out);
        let mut inner = env.clone();
        let mut yes = Vec::new();
        self.enter_guard(guard, &mut inner, b, &mut yes);
        self.stmt(then, &mut inner, b, &mut yes);
        let no = els
            .map(|els| self.stmt_list(els, env, b))
            .unwrap_or_default();
        out.push(S::If(test, yes, no));
    }

    /// The guards of alternatives, checked in order.
    pub(crate) fn case_guards(
        &mut self,
        cases: &[GuardedCase],
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> Vec<B> {
        cases
            .iter()
            .map(|case| self.guard(&case.guard, env, b, out).unwrap_or_else(tt))
            .collect()
    }

    /// One of the alternatives whose guard holds; `otherwise` if there is none.
    pub(crate) fn choose_case(
        &mut self,
        cases: &[GuardedCase],
        tests: &[B],
        otherwise: Vec<S>,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut rest = vec![S::Assume(ff())];
        for (case, test) in cases.iter().zip(tests).rev() {
            let mut inner = env.clone();
            let mut body = vec![S::Assume(test.clone())];
            self.enter_guard(&case.guard, &mut inner, b, &mut body);
            self.stmt(case.body, &mut inner, b, &mut body);
            rest = vec![S::If(None, body, rest)];
        }
        let some = disj(tests.iter().cloned());
        out.push(S::If(Some(some), rest, otherwise));
    }

    fn if_cases(
        &mut self,
        cases: &[GuardedCase],
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let tests = self.case_guards(cases, env, b, out);
        let message = "alternative cases may not cover all possibilities";
        out.push(check(disj(tests.iter().cloned()), span, message));
        let none = vec![S::Assume(ff())];
        self.choose_case(cases, &tests, none, env, b, out);
    }

    fn match_stmt(
        &mut self,
        scrutinee: ExprId,
        cases: &[Case<StmtId>],
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        self.wf(scrutinee, env, b, out);
        let rep = self.rep_of(scrutinee, env);
        let sort = self.sort(rep);
        let value = self.expr(scrutinee, env);
        let from = self.type_of(scrutinee, env);
        let name = self.declare_hidden(b, "match", sort);
        out.push(S::Assign(name.clone(), value));
        let value = var(&name);
        let message = "missing case in match statement: not all possibilities are covered";
        let mut rest = if self.p.is_exhaustive(cases.iter().map(|c| &c.pattern)) {
            vec![S::Assume(ff())]
        } else {
            vec![check(ff(), self.p.exprs[scrutinee].tok, message)]
        };
        for case in cases.iter().rev() {
            let mut inner = env.clone();
            self.bind(&case.pattern, rep, &value, &mut inner);
            let mut body = Vec::new();
            let place = case.pattern.span;
            self.pattern_fits(&case.pattern, from, &value, place, env, &mut body);
            self.own_variables(env, &mut inner, b, &mut body);
            self.stmt(case.body, &mut inner, b, &mut body);
            let test = self.matches(&case.pattern, rep, &value, env);
            rest = vec![S::If(Some(test), body, rest)];
        }
        out.extend(rest);
    }

    /// Variables of a pattern that are assigned are variables of their own.
    fn own_variables(&mut self, outer: &Env, env: &mut Env, b: &mut Builder, out: &mut Vec<S>) {
        let is_assigned = |v: &VarId| self.assigned().contains(v);
        let bound = env.vars.keys().filter(|v| !outer.vars.contains_key(v));
        let mut bound: Vec<VarId> = bound.copied().filter(is_assigned).collect();
        bound.sort();
        for v in bound {
            let text = self.p.text(self.p.vars[v].name).to_owned();
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            let sort = self.sort(ty);
            let name = self.declare_local(b, &text, sort);
            let value = env.vars[&v].clone();
            out.push(S::Assign(name.clone(), value));
            env.vars.insert(v, var(&name));
        }
    }

    /// The variables that some statement assigns.
    fn assigned(&self) -> &stet_base::FastSet<VarId> {
        self.assigned.get_or_init(|| {
            let targets = self.p.stmts.iter().flat_map(|(_, s)| match &s.kind {
                StmtKind::Assign { lhss, .. } | StmtKind::AssignSuchThat { lhss, .. } => &lhss[..],
                StmtKind::Call(call) => &call.lhss[..],
                _ => &[],
            });
            let variable = |&e: &ExprId| match self.p.exprs[e].kind {
                ExprKind::Var(v) => Some(v),
                _ => None,
            };
            targets.filter_map(variable).collect()
        })
    }

    fn calc(&mut self, calc: &Calc, env: &Env, b: &mut Builder, out: &mut Vec<S>) {
        if let [only] = calc.lines[..] {
            let mut checks = Vec::new();
            self.wf(only, env, b, &mut checks);
            aside(checks, out);
        }
        for (i, step) in calc.steps.iter().enumerate() {
            let mut proof = Vec::new();
            let (Some(&first), Some(&second)) = (calc.lines.get(i), calc.lines.get(i + 1)) else {
                continue;
            };
            self.wf(first, env, b, &mut proof);
            // An implication is shown under its left side; a consequence under its right side.
            if let ExprKind::Binary(Op::Imp, left, _) = &self.p.exprs[step.relation].kind {
                if *left != first {
                    self.wf(*left, env, b, &mut proof);
                }
                proof.push(S::Assume(self.expr(*left, env)));
            }
            let mut inner = env.clone();
            self.stmts(&step.hints, &mut inner, b, &mut proof);
            self.wf(second, env, b, &mut proof);
            if let ExprKind::PrefixEq { k, .. } = &self.p.exprs[step.relation].kind {
                self.wf(*k, env, b, &mut proof);
                self.depth_ok(*k, None, env, &mut proof);
            }
            let span = self.p.exprs[second].tok;
            let relation = self.expr(step.relation, &env.with_fuel(fuel(2)));
            let message =
                "the calculation step between the previous line and this line could not be proved";
            proof.push(check(relation, span, message));
            aside(proof, out);
        }
        if let Some(result) = calc.result
            && !calc.steps.is_empty()
        {
            let known = match &self.p.exprs[result].kind {
                ExprKind::PrefixEq { left, right, .. } => {
                    self.prefix_steps(&calc.steps, *left, *right, env)
                }
                _ => self.expr(result, env),
            };
            out.push(S::Assume(known));
        }
    }

    /// Declares local variables, then assigns them.
    fn var_decl(
        &mut self,
        vars: &[VarId],
        init: Option<StmtId>,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut new = Vec::new();
        for &v in vars {
            let declared = &self.p.vars[v];
            let text = self.p.text(declared.name).to_owned();
            let ty = self.subst(&env.subst, declared.ty);
            let ghost = declared.ghost;
            let sort = self.sort(ty);
            let name = self.declare_local(b, &text, sort);
            if init.is_none_or(|init| self.is_without_value(init, v, ty)) {
                out.push(S::Havoc(vec![name.clone()]));
                self.track(v, ty, ghost, &text, &name, env, b, out);
            }
            new.push((v, name));
        }
        // The right-hand side does not see the new variables, but the assignment needs their names.
        for (v, name) in &new {
            env.vars.insert(*v, var(name));
        }
        if let Some(init) = init {
            self.stmt(init, env, b, out);
        }
    }

    /// Whether an initialisation is `*` of a type that may have no value for the variable.
    fn is_without_value(&mut self, init: StmtId, v: VarId, ty: stet_dafny::tree::Ty) -> bool {
        let StmtKind::Assign { lhss, rhss } = &self.p.stmts[init].kind else {
            return false;
        };
        let is_any = lhss.iter().zip(rhss).any(|(&lhs, rhs)| {
            matches!(rhs, stet_dafny::tree::Rhs::Havoc)
                && matches!(self.p.exprs[lhs].kind, ExprKind::Var(w) if w == v)
        });
        is_any && !self.is_some_value(ty, self.p.vars[v].ghost)
    }

    /// Starts to track whether a variable without a value was assigned.
    #[expect(clippy::too_many_arguments, reason = "a variable in one context")]
    pub(crate) fn track(
        &mut self,
        v: VarId,
        ty: stet_dafny::tree::Ty,
        ghost: bool,
        text: &str,
        name: &Name,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        use stet_dafny::tree::AutoInit;
        let init = self.auto_init(ty);
        let is_tracked = if ghost {
            init == AutoInit::MaybeEmpty
        } else {
            init != AutoInit::Compilable || !self.relaxed
        };
        if is_tracked {
            let flag = self.declare_local(b, &format!("assigned.{text}"), Sort::named("bool"));
            out.push(S::Assign(flag.clone(), ff()));
            b.assigned.insert(v, flag);
        } else {
            let typed = self.typed(ty, &var(name), &env.heap);
            if !is_true(&typed) {
                out.push(S::Assume(typed));
            }
        }
    }

    fn var_pattern(&mut self, s: StmtId, env: &mut Env, b: &mut Builder, out: &mut Vec<S>) {
        let StmtKind::VarPattern { pattern, rhs } = &self.p.stmts[s].kind else {
            return;
        };
        self.wf(*rhs, env, b, out);
        let rep = self.rep_of(*rhs, env);
        let sort = self.sort(rep);
        let value = self.expr(*rhs, env);
        let name = self.declare_hidden(b, "pattern", sort);
        out.push(S::Assign(name.clone(), value));
        let value = var(&name);
        let test = self.matches(pattern, rep, &value, env);
        if !is_true(&test) {
            out.push(check(
                test,
                pattern.span,
                "the pattern could not be proved to match the value",
            ));
        }
        let from = self.type_of(*rhs, env);
        let place = self.p.exprs[*rhs].tok;
        self.pattern_fits(pattern, from, &value, place, env, out);
        let mut bound = env.clone();
        self.bind(pattern, rep, &value, &mut bound);
        for v in pattern_vars(pattern) {
            let declared = &self.p.vars[v];
            let text = self.p.text(declared.name).to_owned();
            let ty = self.subst(&env.subst, declared.ty);
            let sort = self.sort(ty);
            let local = self.declare_local(b, &text, sort);
            out.push(S::Assign(local.clone(), bound.vars[&v].clone()));
            env.vars.insert(v, var(&local));
        }
    }
}

/// The variables a pattern binds.
fn pattern_vars(pattern: &stet_dafny::tree::Pattern) -> Vec<VarId> {
    use stet_dafny::tree::PatternKind;
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Value(_) => Vec::new(),
        PatternKind::Var(v) => vec![*v],
        PatternKind::Ctor(_, parts) | PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
            parts.iter().flat_map(pattern_vars).collect()
        }
    }
}
