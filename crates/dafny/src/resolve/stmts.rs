//! Statements other than assignments.

use super::Resolver;
use super::infer::VarClass;
use super::names::Callee;
use super::scope::Target;
use super::types::Missing;
use crate::ast::{self, CalcOp};
use crate::tree::{
    Calc, CalcStep, Case, ExprId, ForallKind, Guard, GuardedCase, Label, LoopSpec, RevealTarget,
    StmtId, StmtKind, Ty, TyKind, VarKind,
};
use stet_base::Span;

impl Resolver<'_> {
    pub(crate) fn stmt(&mut self, id: ast::StmtId) -> StmtId {
        let syntax = &self.ast.stmts[id];
        let mut labels = Vec::new();
        for name in &syntax.labels {
            let enclosing = self
                .frame
                .targets
                .iter()
                .any(|t| t.labels.contains(&name.sym));
            if enclosing {
                self.error(name.span, "label shadows an enclosing label");
            } else if self.scope.find_label(name.sym).is_some() {
                self.error(name.span, "label shadows a dominating label");
            }
            let label = self.program.labels.push(Label {
                name: name.sym,
                span: name.span,
            });
            labels.push((name.sym, label));
        }
        // A label is in scope inside its statement and in what follows.
        for &(name, label) in &labels {
            self.scope.declare_label(name, label);
        }
        let loops = matches!(
            syntax.kind,
            ast::StmtKind::While { .. }
                | ast::StmtKind::WhileCases { .. }
                | ast::StmtKind::For { .. }
        );
        let made = if loops || !labels.is_empty() {
            // The id comes first, so that `break` can name it.
            let made = self.push_stmt(id, StmtKind::Error);
            self.frame.targets.push(Target {
                labels: labels.iter().map(|&(name, _)| name).collect(),
                stmt: made,
                is_loop: loops,
            });
            let kind = self.stmt_kind(id);
            self.frame.targets.pop();
            self.program.stmts[made].kind = kind;
            made
        } else {
            let kind = self.stmt_kind(id);
            self.push_stmt(id, kind)
        };
        for &(name, label) in &labels {
            self.scope.declare_label(name, label);
        }
        let attributes = self.attributes(&syntax.attrs);
        let stmt = &mut self.program.stmts[made];
        stmt.labels = labels.into_iter().map(|(_, label)| label).collect();
        stmt.attributes = attributes;
        made
    }

    fn stmt_kind(&mut self, id: ast::StmtId) -> StmtKind {
        use ast::StmtKind as K;
        let tok = self.ast.stmts[id].tok;
        match &self.ast.stmts[id].kind {
            K::Assert { .. } | K::Assume(_) | K::Expect(..) | K::Print(_) => self.simple_stmt(id),
            K::Block(stmts) => self.block(stmts),
            K::By(stmt, proof) => {
                let proof = self.proof(*proof);
                let stmt = self.stmt(*stmt);
                StmtKind::ByProof { stmt, proof }
            }
            K::OpaqueBlock(spec, body) => {
                let ensures = self.clauses(&spec.ensures, "Postcondition must be a boolean");
                let modifies = self.frame_of(&spec.modifies, false);
                let body = self.stmt(*body);
                StmtKind::OpaqueBlock {
                    ensures,
                    modifies,
                    body,
                }
            }
            K::Var { .. }
            | K::VarPattern { .. }
            | K::Update { .. }
            | K::Return(_)
            | K::Yield(_) => self.update_stmt(id),
            K::If { guard, then, els } => {
                let mark = self.scope.mark();
                let guard = self.guard(guard, "condition is expected to be of type bool, but is");
                let then = self.stmt(*then);
                self.scope.reset(mark);
                let els = els.map(|e| self.stmt(e));
                self.scope.reset(mark);
                StmtKind::If { guard, then, els }
            }
            K::IfCases(cases, _) => StmtKind::IfCases(self.guarded_cases(cases)),
            K::While {
                guard, spec, body, ..
            } => {
                let mark = self.scope.mark();
                let guard = self.guard(guard, "condition is expected to be of type bool, but is");
                let spec = self.loop_spec(spec);
                let body = body.map(|b| self.stmt(b));
                self.scope.reset(mark);
                StmtKind::While { guard, spec, body }
            }
            K::WhileCases { cases, spec } => {
                let spec = self.loop_spec(spec);
                let cases = self.guarded_cases(cases);
                StmtKind::WhileCases { cases, spec }
            }
            K::For { .. } => self.for_stmt(id),
            K::Match(scrutinee, cases, _) => self.match_stmt(*scrutinee, cases),
            K::Forall { .. } => self.forall_stmt(id),
            K::Modify { frame, body } => {
                let frame = match frame {
                    Some(frame) => self.frame_of(frame, false),
                    None => return self.skeleton(tok),
                };
                // What the block declares is in scope after it, too.
                let body = body.map(|b| self.open_block(b));
                StmtKind::Modify { frame, body }
            }
            K::Calc(calc) => self.calc(id, calc),
            K::Reveal(items) => StmtKind::Reveal(self.reveal_targets(items)),
            K::Hide(items) => StmtKind::Hide(self.reveal_targets(items)),
            K::Break {
                count,
                label,
                is_continue,
            } => self.break_stmt(tok, *count, *label, *is_continue),
            K::Skeleton => self.skeleton(tok),
            K::Error => StmtKind::Error,
        }
    }

    fn skeleton(&mut self, tok: Span) -> StmtKind {
        self.error(
            tok,
            "skeleton statements are allowed only in refining methods",
        );
        StmtKind::Error
    }

    fn block(&mut self, stmts: &[ast::StmtId]) -> StmtKind {
        let mark = self.scope.mark();
        let stmts = stmts.iter().map(|&s| self.stmt(s)).collect();
        self.scope.reset(mark);
        StmtKind::Block(stmts)
    }

    /// Statements of a case as a block.
    fn case_block(&mut self, stmts: &[ast::StmtId], span: Span) -> StmtId {
        let kind = self.block(stmts);
        self.push_stmt_at(span, span, kind)
    }

    fn ghostly<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.frame.ghost_context, true);
        let result = work(self);
        self.frame.ghost_context = saved;
        result
    }

    /// A block that proves something: ghost, and not left by a jump.
    fn proof(&mut self, block: ast::StmtId) -> StmtId {
        self.ghostly(|r| {
            let saved = std::mem::take(&mut r.frame.targets);
            let made = r.stmt(block);
            r.frame.targets = saved;
            made
        })
    }

    fn simple_stmt(&mut self, id: ast::StmtId) -> StmtKind {
        use ast::StmtKind as K;
        let tok = self.ast.stmts[id].tok;
        match &self.ast.stmts[id].kind {
            K::Assert { expr, label, by } => {
                let Some(expr) = expr else {
                    return self.skeleton(tok);
                };
                let expr =
                    self.bool_expr(*expr, "condition is expected to be of type bool, but is");
                let by = by.map(|b| self.proof(b));
                let label = label.map(|name| {
                    if self.scope.find_label(name.sym).is_some() {
                        self.error(name.span, "assert label shadows a dominating label");
                    }
                    let label = self.program.labels.push(Label {
                        name: name.sym,
                        span: name.span,
                    });
                    self.scope.declare_label(name.sym, label);
                    label
                });
                StmtKind::Assert { expr, label, by }
            }
            K::Assume(expr) => match expr {
                Some(expr) => StmtKind::Assume(
                    self.bool_expr(*expr, "condition is expected to be of type bool, but is"),
                ),
                None => self.skeleton(tok),
            },
            K::Expect(expr, message) => {
                let Some(expr) = expr else {
                    return self.skeleton(tok);
                };
                let expr =
                    self.bool_expr(*expr, "condition is expected to be of type bool, but is");
                let message = message.map(|m| self.expr(m));
                StmtKind::Expect { expr, message }
            }
            K::Print(exprs) => StmtKind::Print(exprs.iter().map(|&e| self.expr(e)).collect()),
            _ => StmtKind::Error,
        }
    }

    /// A guard; the variables of a binding guard stay in scope.
    fn guard(&mut self, guard: &ast::Guard, what: &str) -> Guard {
        match guard {
            ast::Guard::Expr(expr) => Guard::Expr(self.bool_expr(*expr, what)),
            ast::Guard::Any => Guard::Any,
            ast::Guard::Binding(vars, expr, tok) => {
                let attrs: Vec<_> = vars.iter().flat_map(|v| v.attrs.clone()).collect();
                let vars = self.bind_vars(vars, false);
                let expr = self.bool_expr(*expr, what);
                let attributes = self.attributes(&attrs);
                Guard::Binding {
                    tok: *tok,
                    attributes,
                    bounds: vec![None; vars.len()],
                    vars,
                    expr,
                }
            }
            ast::Guard::Skeleton => Guard::Any,
        }
    }

    fn guarded_cases(&mut self, cases: &[ast::GuardedCase]) -> Vec<GuardedCase> {
        let mut out = Vec::new();
        for case in cases {
            let mark = self.scope.mark();
            let guard = self.guard(
                &case.guard,
                "condition is expected to be of type bool, but is",
            );
            let attributes = self.attributes(&case.attrs);
            let body = self.case_block(&case.body, case.span);
            self.scope.reset(mark);
            out.push(GuardedCase {
                guard,
                body,
                attributes,
                span: case.span,
            });
        }
        out
    }

    fn loop_spec(&mut self, spec: &ast::Spec) -> LoopSpec {
        LoopSpec {
            invariants: self.clauses(
                &spec.invariants,
                "invariant is expected to be of type bool, but is",
            ),
            decreases: self.decreases_of(&spec.decreases),
            modifies: self.frame_of(&spec.modifies, false),
        }
    }

    /// The index of a loop must be an integer.
    pub(crate) fn settle_index(&mut self, ty: Ty, tok: Span) {
        let known = self.infer.force_default(&self.program, ty);
        let repr = self.program.types.kind(self.program.representation(known));
        if !matches!(&*repr, TyKind::Int | TyKind::Error | TyKind::Infer(_)) {
            let shown = self.show(known);
            self.error(
                tok,
                format!("index variable is expected to be of an integer type (got {shown})"),
            );
        }
    }

    fn for_stmt(&mut self, id: ast::StmtId) -> StmtKind {
        let ast::StmtKind::For {
            var,
            start,
            end,
            up,
            spec,
            body,
        } = &self.ast.stmts[id].kind
        else {
            return StmtKind::Error;
        };
        let mark = self.scope.mark();
        let declared = var.ty.map(|ty| {
            let ty = self.resolve_type(ty, Missing::Infer);
            self.expand(ty)
        });
        let ty = match declared {
            Some(ty) => ty,
            None => self.fresh(),
        };
        let pre = super::infer::pre_type(&self.program, ty);
        let (first, second) = if *up {
            ("lower", "upper")
        } else {
            ("upper", "lower")
        };
        let start = self.loop_bound(*start, pre, first);
        let end = end.map(|e| self.loop_bound(e, pre, second));
        let index = self.new_var(var.name.sym, var.name.span, VarKind::Bound, ty, var.ghost);
        if declared.is_none() {
            self.inferred_vars.insert(index);
        }
        self.scope.declare(var.name.sym, index);
        let head = self.infer.force(&self.program, pre);
        match self.infer.class_of(&self.program, head) {
            // It may become a number of a newtype by what it is assigned to.
            Some(VarClass::Int) => {
                let later = super::ops::Delayed::Index(pre, var.name.span);
                self.delayed.push(later);
            }
            _ => self.settle_index(pre, var.name.span),
        }
        let spec = self.loop_spec(spec);
        let body = body.map(|b| self.stmt(b));
        self.scope.reset(mark);
        StmtKind::For {
            var: index,
            start,
            end,
            up: *up,
            spec,
            body,
        }
    }

    fn loop_bound(&mut self, expr: ast::ExprId, want: crate::tree::Ty, which: &str) -> ExprId {
        let value = self.expr(expr);
        let found = self.program.exprs[value].ty;
        if !self.infer.assignable(&self.program, want, found) {
            let message = format!(
                "{which} bound (of type {}) not assignable to index variable (of type {})",
                self.show(found),
                self.show(want)
            );
            let tok = self.ast.exprs[expr].tok;
            self.error(tok, message);
        }
        value
    }

    fn match_stmt(
        &mut self,
        scrutinee: ast::ExprId,
        cases: &[ast::Case<Vec<ast::StmtId>>],
    ) -> StmtKind {
        let scrutinee = self.expr(scrutinee);
        let ty = self
            .infer
            .force_default(&self.program, self.program.exprs[scrutinee].ty);
        let mut out = Vec::new();
        for case in cases {
            let mark = self.scope.mark();
            self.pattern_mark = Some(mark);
            let pattern = self.pattern(case.pat, ty, true, false);
            self.localize(&pattern);
            self.pattern_mark = None;
            let attributes = self.attributes(&case.attrs);
            let body = self.case_block(&case.body, case.span);
            self.scope.reset(mark);
            out.push(Case {
                pattern,
                body,
                attributes,
                span: case.span,
            });
        }
        StmtKind::Match {
            scrutinee,
            cases: out,
        }
    }

    fn forall_stmt(&mut self, id: ast::StmtId) -> StmtKind {
        let ast::StmtKind::Forall {
            vars,
            attrs,
            range,
            ensures,
            body,
        } = &self.ast.stmts[id].kind
        else {
            return StmtKind::Error;
        };
        let tok = self.ast.stmts[id].tok;
        let mark = self.scope.mark();
        let (vars, range) = self.bind_domain(vars, *range);
        let range = match range {
            Some(range) => range,
            None => self.true_expr(tok),
        };
        let _ = self.attributes(attrs);
        let ensures = self.clauses(ensures, "Postcondition must be a boolean");
        let saved = std::mem::take(&mut self.frame.targets);
        let resolved = body.map(|b| self.stmt(b));
        self.frame.targets = saved;
        self.scope.reset(mark);
        let kind = self.forall_kind(resolved, !ensures.is_empty());
        StmtKind::Forall {
            bounds: vec![None; vars.len()],
            vars,
            range,
            ensures,
            body: resolved,
            kind,
        }
    }

    fn forall_kind(&self, body: Option<StmtId>, has_ensures: bool) -> ForallKind {
        let Some(body) = body else {
            return ForallKind::Proof;
        };
        let StmtKind::Block(stmts) = &self.program.stmts[body].kind else {
            return ForallKind::Proof;
        };
        if has_ensures || stmts.len() != 1 {
            return ForallKind::Proof;
        }
        match &self.program.stmts[stmts[0]].kind {
            StmtKind::Assign { .. } => ForallKind::Assign,
            StmtKind::Call(_) => ForallKind::Call,
            _ => ForallKind::Proof,
        }
    }

    fn reveal_targets(&mut self, items: &[ast::RevealItem]) -> Vec<RevealTarget> {
        let mut out = Vec::new();
        for item in items {
            let expr = match item {
                ast::RevealItem::All => {
                    out.push(RevealTarget::All);
                    continue;
                }
                ast::RevealItem::Expr(expr) => *expr,
            };
            if let Some(target) = self.reveal_target(expr) {
                out.push(target);
            }
        }
        out
    }

    fn reveal_target(&mut self, expr: ast::ExprId) -> Option<RevealTarget> {
        match &self.ast.exprs[expr].kind {
            ast::ExprKind::Name(seg) => {
                if let Some(label) = self.scope.find_any_label(seg.name.sym) {
                    return Some(RevealTarget::Label(label));
                }
            }
            // A label may be a number.
            ast::ExprKind::Int(value) => {
                let name = self.sym(&value.to_string());
                if let Some(label) = self.scope.find_any_label(name) {
                    return Some(RevealTarget::Label(label));
                }
            }
            ast::ExprKind::Apply { callee, .. } => return self.reveal_target(*callee),
            _ => {}
        }
        let tok = self.ast.exprs[expr].tok;
        match self.callee(expr) {
            Callee::Member { member, .. } => Some(RevealTarget::Member(member)),
            Callee::Value(value) => match self.program.exprs[value].kind {
                crate::tree::ExprKind::Field { field, .. } => Some(RevealTarget::Member(field)),
                crate::tree::ExprKind::StaticConst { member, .. } => {
                    Some(RevealTarget::Member(member))
                }
                _ => {
                    self.error(tok, "cannot reveal this expression");
                    None
                }
            },
            Callee::Error => None,
            _ => {
                self.error(tok, "cannot reveal this expression");
                None
            }
        }
    }

    fn break_stmt(
        &mut self,
        tok: Span,
        count: u32,
        label: Option<ast::Name>,
        is_continue: bool,
    ) -> StmtKind {
        let word = if is_continue { "continue" } else { "break" };
        if let Some(name) = label {
            let found = self
                .frame
                .targets
                .iter()
                .rev()
                .find(|t| t.labels.contains(&name.sym));
            let Some(target) = found.cloned() else {
                let text = self.text(name.sym);
                self.error(
                    name.span,
                    format!("{word} label is undefined or not in scope: {text}"),
                );
                return StmtKind::Error;
            };
            if is_continue && !target.is_loop {
                let text = self.text(name.sym);
                self.error(
                    name.span,
                    format!("continue label must designate a loop: {text}"),
                );
            }
            return StmtKind::Break {
                target: target.stmt,
                is_continue,
            };
        }
        let loops: Vec<StmtId> = self
            .frame
            .targets
            .iter()
            .rev()
            .filter(|t| t.is_loop)
            .map(|t| t.stmt)
            .collect();
        match loops.get(count as usize - 1) {
            Some(&target) => StmtKind::Break {
                target,
                is_continue,
            },
            None => {
                let phrase = "break ".repeat(count as usize - 1) + word;
                let message = if loops.is_empty() && count == 1 {
                    format!("a non-labeled '{word}' statement is allowed only in loops")
                } else {
                    format!(
                        "a '{phrase}' statement is allowed only in contexts with {count} enclosing loops, but the current context only has {}",
                        loops.len()
                    )
                };
                self.error(tok, message);
                StmtKind::Error
            }
        }
    }

    fn calc(&mut self, id: ast::StmtId, calc: &ast::Calc) -> StmtKind {
        let tok = self.ast.stmts[id].tok;
        let mut lines = Vec::new();
        let mut common: Option<ExprId> = None;
        for &line in &calc.lines {
            let value = self.expr(line);
            if let Some(first) = common {
                let (x, y) = (self.program.exprs[first].ty, self.program.exprs[value].ty);
                let ok = self.infer.assignable(&self.program, x, y)
                    || self.infer.assignable(&self.program, y, x);
                if !ok {
                    let message = format!(
                        "all lines in a calculation must have the same type (got {} after {})",
                        self.show(y),
                        self.show(x)
                    );
                    let at = self.ast.exprs[line].tok;
                    self.error(at, message);
                }
            } else {
                common = Some(value);
            }
            lines.push(value);
        }
        let default = (CalcOp::Bin(ast::BinOp::Eq), tok);
        let overall = calc.op.unwrap_or(default);
        let mut steps = Vec::new();
        let mut ops = Vec::new();
        for i in 0..lines.len().saturating_sub(1) {
            let (op, span) = calc.step_ops.get(i).copied().flatten().unwrap_or(overall);
            let relation = self.calc_relation(calc.lines[i], op, span, lines[i], lines[i + 1]);
            ops.push(op);
            let hints = calc.hints.get(i).cloned().unwrap_or_default();
            let hints = self.ghostly(|r| hints.iter().map(|&h| r.stmt(h)).collect());
            steps.push(CalcStep {
                relation,
                hints,
                span,
            });
        }
        let result = self.calc_result(calc, &lines, &ops, overall, tok);
        StmtKind::Calc(Box::new(Calc {
            lines,
            steps,
            result,
        }))
    }

    fn calc_relation(
        &mut self,
        at: ast::ExprId,
        op: CalcOp,
        span: Span,
        left: ExprId,
        right: ExprId,
    ) -> ExprId {
        match op {
            CalcOp::Bin(op) => self.binary_values(at, span, op, left, right),
            CalcOp::Prefix(k) => self.prefix_eq(at, span, k, left, right, false),
        }
    }

    /// What the steps add up to, by transitivity.
    fn calc_result(
        &mut self,
        calc: &ast::Calc,
        lines: &[ExprId],
        ops: &[CalcOp],
        overall: (CalcOp, Span),
        tok: Span,
    ) -> Option<ExprId> {
        let (&first, &last) = (lines.first()?, lines.last()?);
        let mut result = *ops.first()?;
        for &op in &ops[1..] {
            match combine(result, op) {
                Some(both) => result = both,
                None => {
                    self.error(tok, "the step operators of this calculation do not combine");
                    return None;
                }
            }
        }
        let _ = overall;
        Some(self.calc_relation(calc.lines[0], result, tok, first, last))
    }
}

/// The relation that two relations in a row imply.
fn combine(a: CalcOp, b: CalcOp) -> Option<CalcOp> {
    use ast::BinOp as B;
    let (CalcOp::Bin(x), CalcOp::Bin(y)) = (a, b) else {
        return match (a, b) {
            (CalcOp::Bin(B::Eq), other) | (other, CalcOp::Bin(B::Eq)) => Some(other),
            (CalcOp::Prefix(_), CalcOp::Prefix(_)) => Some(a),
            _ => None,
        };
    };
    let joined = match (x, y) {
        (B::Eq | B::Iff, other) | (other, B::Eq | B::Iff) => other,
        (B::Lt, B::Lt | B::Le) | (B::Le, B::Lt) => B::Lt,
        (B::Le, B::Le) => B::Le,
        (B::Gt, B::Gt | B::Ge) | (B::Ge, B::Gt) => B::Gt,
        (B::Ge, B::Ge) => B::Ge,
        (B::Imp, B::Imp) => B::Imp,
        (B::Exp, B::Exp) => B::Exp,
        _ => return None,
    };
    Some(CalcOp::Bin(joined))
}
