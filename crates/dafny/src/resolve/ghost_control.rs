//! Ghost and compiled conditionals and loops; the rules are those of `ghost`.

use super::Resolver;
use super::ghost::Context;
use crate::tree::{ForallKind, Frame, Guard, StmtId, StmtKind};
use stet_base::Span;

impl Resolver<'_> {
    pub(crate) fn guard_uses_spec(&self, guard: &Guard) -> bool {
        match guard {
            Guard::Expr(expr) => self.uses_spec(*expr),
            Guard::Any => false,
            Guard::Binding {
                expr, vars, bounds, ..
            } => self.uses_spec(*expr) || self.first_unbounded(vars, bounds).is_some(),
        }
    }

    pub(crate) fn check_guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Expr(expr) | Guard::Binding { expr, .. } => self.check_compilable(*expr),
            Guard::Any => {}
        }
    }

    pub(crate) fn bind_ghost(&mut self, guard: &Guard) {
        if let Guard::Binding { vars, .. } = guard {
            for &var in vars {
                self.program.vars[var].ghost = true;
            }
        }
    }

    pub(crate) fn ghost_control(&mut self, id: StmtId, kind: StmtKind, context: Context) -> bool {
        let proof = context.proof;
        match kind {
            StmtKind::If { guard, then, els } => {
                let ghost = context.erased || self.guard_uses_spec(&guard);
                self.program.stmts[id].ghost = ghost;
                if ghost {
                    self.bind_ghost(&guard);
                }
                self.ghost_opt(Some(then), ghost, proof);
                self.ghost_opt(els, ghost, proof);
                let bodies = self.program.stmts[then].ghost
                    && els.is_none_or(|e| self.program.stmts[e].ghost);
                if !ghost && !bodies {
                    self.check_guard(&guard);
                }
                ghost || bodies
            }
            StmtKind::IfCases(cases) => {
                let ghost = context.erased || cases.iter().any(|c| self.guard_uses_spec(&c.guard));
                self.program.stmts[id].ghost = ghost;
                for case in &cases {
                    if ghost {
                        self.bind_ghost(&case.guard);
                    }
                    self.ghost_opt(Some(case.body), ghost, proof);
                }
                let bodies = cases.iter().all(|c| self.program.stmts[c.body].ghost);
                if !ghost && !bodies {
                    for case in &cases {
                        self.check_guard(&case.guard);
                    }
                }
                ghost || bodies
            }
            StmtKind::Match { scrutinee, cases } => {
                let ghost = context.erased || self.uses_spec(scrutinee);
                self.program.stmts[id].ghost = ghost;
                for case in &cases {
                    if ghost {
                        let mut vars = Vec::new();
                        super::compilable::pattern_vars(&case.pattern, &mut vars);
                        for var in vars {
                            self.program.vars[var].ghost = true;
                        }
                    }
                    self.ghost_opt(Some(case.body), ghost, proof);
                }
                let bodies = cases.iter().all(|c| self.program.stmts[c.body].ghost);
                if !ghost && !bodies {
                    self.check_compilable(scrutinee);
                }
                ghost || bodies
            }
            StmtKind::Forall {
                vars,
                range,
                body,
                kind,
                bounds,
                ..
            } => {
                let ghost = context.erased || kind != ForallKind::Assign || self.uses_spec(range);
                self.program.stmts[id].ghost = ghost;
                let proof = match kind {
                    ForallKind::Proof => Some("a forall statement"),
                    _ => proof,
                };
                self.ghost_opt(body, ghost, proof);
                let body_ghost = body.is_some_and(|b| self.program.stmts[b].ghost);
                if !ghost && !body_ghost {
                    if let Some(var) = self.first_unbounded(&vars, &bounds) {
                        let tok = self.program.stmts[id].tok;
                        self.not_bounded(tok, "forall statements", var);
                    }
                    self.check_compilable(range);
                }
                ghost || body_ghost
            }
            other => self.ghost_loop(id, other, context),
        }
    }

    pub(crate) fn ghost_loop(&mut self, id: StmtId, kind: StmtKind, context: Context) -> bool {
        let tok = self.program.stmts[id].tok;
        let proof = context.proof;
        let (spec, ghost) = match &kind {
            StmtKind::While { guard, spec, .. } => {
                (spec, context.erased || self.guard_uses_spec(guard))
            }
            StmtKind::WhileCases { cases, spec } => (
                spec,
                context.erased || cases.iter().any(|c| self.guard_uses_spec(&c.guard)),
            ),
            StmtKind::For {
                spec, start, end, ..
            } => (
                spec,
                context.erased || self.uses_spec(*start) || end.is_some_and(|e| self.uses_spec(e)),
            ),
            _ => return context.erased,
        };
        self.program.stmts[id].ghost = ghost;
        if let (Some(proof), Some(item)) = (proof, spec.modifies.items.first()) {
            let at = self.program.exprs[item.expr].tok;
            self.error(
                at,
                format!("a loop in {proof} is not allowed to use 'modifies' clauses"),
            );
        }
        if ghost {
            if spec.decreases.star {
                self.error(tok, "'decreases *' is not allowed on ghost loops");
            } else if let StmtKind::For { end: None, .. } = kind
                && spec.decreases.exprs.is_empty()
            {
                self.error(tok, "a ghost loop must be terminating; make the end-expression specific or add a 'decreases' clause");
            }
            self.ghost_frame(&spec.modifies.clone());
        }
        let star = spec.decreases.star;
        self.loop_bodies(id, kind, ghost, star, proof)
    }

    pub(crate) fn loop_bodies(
        &mut self,
        _id: StmtId,
        kind: StmtKind,
        ghost: bool,
        star: bool,
        proof: Option<&'static str>,
    ) -> bool {
        match kind {
            StmtKind::While { guard, body, .. } => {
                self.ghost_opt(body, ghost, proof);
                let body_ghost = body.is_some_and(|b| self.program.stmts[b].ghost) && !star;
                if !ghost && !body_ghost {
                    self.check_guard(&guard);
                }
                ghost || body_ghost
            }
            StmtKind::WhileCases { cases, .. } => {
                for case in &cases {
                    self.ghost_opt(Some(case.body), ghost, proof);
                }
                let bodies = cases.iter().all(|c| self.program.stmts[c.body].ghost) && !star;
                if !ghost && !bodies {
                    for case in &cases {
                        self.check_guard(&case.guard);
                    }
                }
                ghost || bodies
            }
            StmtKind::For {
                var,
                start,
                end,
                body,
                ..
            } => {
                if ghost {
                    self.program.vars[var].ghost = true;
                }
                self.ghost_opt(body, ghost, proof);
                let body_ghost = body.is_some_and(|b| self.program.stmts[b].ghost);
                if !ghost && !body_ghost {
                    self.check_compilable(start);
                    if let Some(end) = end {
                        self.check_compilable(end);
                    }
                }
                ghost || body_ghost
            }
            _ => ghost,
        }
    }

    /// In ghost code only ghost fields are modified.
    pub(crate) fn ghost_frame(&mut self, frame: &Frame) {
        for item in &frame.items {
            if let Some(field) = item.field
                && !self.program.members[field].ghost
            {
                let name = self.text(self.program.members[field].name);
                let tok = self.program.exprs[item.expr].tok;
                self.error(tok, format!("in a ghost context, only ghost fields can be mentioned as modifies frame targets ({name})"));
            }
        }
    }

    pub(crate) fn ghost_modify(
        &mut self,
        tok: Span,
        frame: &Frame,
        body: Option<StmtId>,
        context: Context,
    ) -> bool {
        if let Some(proof) = context.proof {
            self.error(tok, format!("a modify statement is not allowed in {proof}"));
        }
        if context.erased {
            self.ghost_frame(frame);
        }
        self.ghost_opt(body, context.erased, context.proof);
        context.erased
    }

    pub(crate) fn ghost_break(
        &mut self,
        tok: Span,
        target: StmtId,
        is_continue: bool,
        context: Context,
    ) {
        if !context.erased || self.program.stmts[target].ghost {
            return;
        }
        let word = if is_continue { "continue" } else { "break" };
        let what = match self.program.stmts[target].kind {
            StmtKind::While { .. } | StmtKind::WhileCases { .. } | StmtKind::For { .. } => "loop",
            _ => "structure",
        };
        self.error(
            tok,
            format!(
                "ghost-context {word} statement is not allowed to {word} out of non-ghost {what}"
            ),
        );
    }
}
