//! Functions do not depend on which objects are allocated, and measures do not call what they measure.
//!
//! * Quantifiers and comprehensions in functions, lambda expressions and type constraints range over values that hold no
//!   references, or are bounded by something else than being allocated.
//! * `allocated` is not used in functions.
//! * The `decreases` clause of a function calls neither the function nor one that is mutually recursive with it.

use super::Resolver;
use super::sweep::Root;
use crate::tree::{ExprId, ExprKind, MemberId, MemberKind, TyKind, TypeDeclKind, VarBound, VarId};

impl Resolver<'_> {
    pub(crate) fn check_allocation(&mut self) {
        for decl in self.sound_decls() {
            let what = match self.program.decls[decl].kind {
                TypeDeclKind::Newtype(_) => "newtype definition",
                TypeDeclKind::Subset(_) => "subset type definition",
                _ => continue,
            };
            self.frame.module = Some(self.program.decls[decl].module);
            let roots = self.decl_roots(decl);
            self.allocation_below(&roots, what, None);
        }
        for member in self.sound_members() {
            self.frame.module = Some(self.program.members[member].module);
            let roots = self.member_roots(member);
            let MemberKind::Function(f) = &self.program.members[member].kind else {
                self.allocation_in_lambdas(&roots);
                self.iterator_allocation(member);
                continue;
            };
            if f.reads.star && self.reads_allocation(member) {
                continue;
            }
            let by_method: Vec<Root> = f.by_method.map(Root::Stmt).into_iter().collect();
            let body: Vec<Root> = roots
                .into_iter()
                .filter(|r| !by_method.contains(r))
                .collect();
            let what = format!("{} definition", self.member_word(member));
            self.allocation_below(&body, &what, Some(member));
            self.allocation_in_lambdas(&by_method);
        }
    }

    /// What an iterator requires holds before its object is allocated and must hold afterwards.
    fn iterator_allocation(&mut self, member: MemberId) {
        let Some(decl) = self.owner_decl(member) else {
            return;
        };
        let TypeDeclKind::Iterator(it) = &self.program.decls[decl].kind else {
            return;
        };
        if it.constructor != Some(member) {
            return;
        }
        let frames = it.reads.items.iter().chain(&it.modifies.items);
        let mut roots: Vec<Root> = frames.map(|item| Root::Expr(item.expr)).collect();
        roots.extend(it.decreases.exprs.iter().map(|&e| Root::Expr(e)));
        if let MemberKind::Method(m) = &self.program.members[member].kind {
            roots.extend(m.requires.iter().map(|c| Root::Expr(c.expr)));
        }
        self.allocation_below(&roots, "iterator definition", None);
    }

    /// `reads **`
    fn reads_allocation(&self, member: MemberId) -> bool {
        let syntax = self.member_syntax.get(&member);
        syntax.is_some_and(|s| match &s.kind {
            crate::ast::MemberKind::Function(f) => f.spec.reads.items.iter().any(|item| {
                let expr = &self.ast.exprs[item.expr];
                matches!(expr.kind, crate::ast::ExprKind::Wild)
                    && expr.span.end - expr.span.start >= 2
            }),
            _ => false,
        })
    }

    /// Lambda expressions in code that may depend on allocation otherwise.
    fn allocation_in_lambdas(&mut self, roots: &[Root]) {
        let lambdas: Vec<Root> = self
            .exprs_below(roots)
            .into_iter()
            .filter(|&e| matches!(self.program.exprs[e].kind, ExprKind::Lambda { .. }))
            .map(Root::Expr)
            .collect();
        for lambda in lambdas {
            self.allocation_below(&[lambda], "lambda expression", None);
        }
    }

    fn allocation_below(&mut self, roots: &[Root], what: &str, member: Option<MemberId>) {
        for id in self.exprs_outside_proofs(roots) {
            self.allocation_expr(id, what, member);
        }
    }

    /// Expressions below the roots; statements inside expressions are proofs, where anything goes.
    fn exprs_outside_proofs(&self, roots: &[Root]) -> Vec<ExprId> {
        let mut out = Vec::new();
        let mut stack: Vec<ExprId> = roots
            .iter()
            .rev()
            .filter_map(|r| match r {
                Root::Expr(e) => Some(*e),
                Root::Stmt(_) => None,
            })
            .collect();
        while let Some(expr) = stack.pop() {
            out.push(expr);
            // The state before is fixed.
            if matches!(self.program.exprs[expr].kind, ExprKind::Old(..)) {
                continue;
            }
            stack.extend(self.program.exprs[expr].kind.children().into_iter().rev());
        }
        out
    }

    fn allocation_expr(&mut self, id: ExprId, what: &str, member: Option<MemberId>) {
        let expr = &self.program.exprs[id];
        let tok = expr.tok;
        let (vars, bounds, kind): (&[VarId], &[Option<VarBound>], &str) = match &expr.kind {
            ExprKind::Quantifier(q) if q.forall => (&q.vars, &q.bounds, "forall expression"),
            ExprKind::Quantifier(q) => (&q.vars, &q.bounds, "exists expression"),
            ExprKind::SetComprehension { vars, bounds, .. } => (vars, bounds, "set comprehension"),
            ExprKind::MapComprehension { vars, bounds, .. } => (vars, bounds, "map comprehension"),
            ExprKind::Allocated(_) => {
                if let Some(member) = member {
                    let word = self.member_word(member);
                    let name = self.text(self.program.members[member].name);
                    self.error(tok, format!("a {what} is not allowed to depend on the set of allocated references; perhaps declare {word} '{name}' with 'reads **'"));
                }
                return;
            }
            _ => return,
        };
        let found: Vec<VarId> = vars
            .iter()
            .zip(bounds)
            .filter(|&(&var, bound)| {
                matches!(bound, None | Some(VarBound::Allocated))
                    && !self.says_allocated(id, var)
                    && self
                        .program
                        .may_contain_references(self.program.vars[var].ty)
            })
            .map(|(&var, _)| var)
            .collect();
        for var in found {
            let v = &self.program.vars[var];
            let name = self.text(v.name);
            let shown = self.program.show_type(v.ty);
            let hint = match &*self.program.types.kind(v.ty) {
                TyKind::Param(_) => format!(" (perhaps declare its type as '{shown}(!new)')"),
                TyKind::Named { decl, .. }
                    if matches!(self.program.decls[*decl].kind, TypeDeclKind::Abstract(_)) =>
                {
                    format!(" (perhaps declare its type as '{shown}(!new)')")
                }
                _ => String::new(),
            };
            self.error(tok, format!("a {kind} involved in a {what} is not allowed to depend on the set of allocated references, but values of '{name}' (of type '{shown}') may contain references{hint} (see documentation for 'older' parameters)"));
        }
    }

    /// Whether a quantifier or comprehension asks for `var` to be allocated.
    fn says_allocated(&self, id: ExprId, var: VarId) -> bool {
        let conditions: Vec<ExprId> = match &self.program.exprs[id].kind {
            ExprKind::Quantifier(q) => q.range.into_iter().chain([q.body]).collect(),
            ExprKind::SetComprehension { range, .. } | ExprKind::MapComprehension { range, .. } => {
                vec![*range]
            }
            _ => Vec::new(),
        };
        let roots: Vec<Root> = conditions.into_iter().map(Root::Expr).collect();
        self.exprs_below(&roots).into_iter().any(|e| {
            matches!(self.program.exprs[e].kind, ExprKind::Allocated(inner)
                if matches!(self.program.exprs[inner].kind, ExprKind::Var(v) if v == var))
        })
    }

    /// Measures that call what they measure.
    pub(crate) fn check_measures(&mut self) {
        for member in self.sound_members() {
            let MemberKind::Function(f) = &self.program.members[member].kind else {
                continue;
            };
            if f.decreases.inferred {
                continue;
            }
            let (scc, exprs) = (f.scc, f.decreases.exprs.clone());
            self.frame.module = Some(self.program.members[member].module);
            let roots: Vec<Root> = exprs.into_iter().map(Root::Expr).collect();
            for id in self.exprs_below(&roots) {
                let ExprKind::Call(call) = &self.program.exprs[id].kind else {
                    continue;
                };
                let callee = call.function;
                let MemberKind::Function(g) = &self.program.members[callee].kind else {
                    continue;
                };
                let tok = self.program.exprs[id].tok;
                if callee == member {
                    self.error(
                        tok,
                        "a decreases clause is not allowed to call the enclosing function",
                    );
                } else if g.scc == scc {
                    let own = self.text(self.program.members[member].name);
                    let other = self.text(self.program.members[callee].name);
                    let word = self.member_word(member);
                    self.error(tok, format!("the decreases clause of {word} '{own}' is not allowed to call '{other}', because they are mutually recursive"));
                }
            }
        }
    }

    /// Loops that may not end are in methods that say so.
    pub(crate) fn check_infinite_loops(&mut self) {
        for member in self.sound_members() {
            let MemberKind::Method(m) = &self.program.members[member].kind else {
                continue;
            };
            if m.decreases.star {
                continue;
            }
            self.frame.module = Some(self.program.members[member].module);
            let roots = self.member_roots(member);
            for stmt in self.stmts_below(&roots) {
                self.check_infinite_loop(stmt);
            }
        }
    }

    fn check_infinite_loop(&mut self, stmt: crate::tree::StmtId) {
        use crate::tree::StmtKind;
        let tok = self.program.stmts[stmt].tok;
        const TEXT: &str = "a possibly infinite loop is allowed only if the enclosing method is declared (with 'decreases *') to be possibly non-terminating";
        match &self.program.stmts[stmt].kind {
            StmtKind::While { spec, .. } | StmtKind::WhileCases { spec, .. }
                if spec.decreases.star =>
            {
                let at = spec.decreases.star_span.unwrap_or(tok);
                self.error(at, TEXT);
            }
            StmtKind::For { spec, .. } if spec.decreases.star => {
                let at = spec.decreases.star_span.unwrap_or(tok);
                self.error(at, TEXT);
            }
            StmtKind::For {
                spec, end: None, ..
            } if spec.decreases.exprs.is_empty() => {
                self.error(tok, format!("{TEXT} (or you can add a 'decreases' clause to this 'for' loop if you want to prove that it does indeed terminate)"));
            }
            StmtKind::Call(call) => {
                if let MemberKind::Method(callee) = &self.program.members[call.method].kind
                    && callee.decreases.star
                {
                    let at = call.tok;
                    self.error(at, "a call to a possibly non-terminating method is allowed only if the calling method is also declared (with 'decreases *') to be possibly non-terminating");
                }
            }
            _ => {}
        }
    }

    /// A terminating method is not overridden by one that may not terminate.
    pub(crate) fn check_termination_overrides(&mut self) {
        for member in self.sound_members() {
            let MemberKind::Method(m) = &self.program.members[member].kind else {
                continue;
            };
            if !m.decreases.star {
                continue;
            }
            let overridden = self.program.members[member].overrides.clone();
            let terminating = overridden.iter().any(|&base| {
                matches!(&self.program.members[base].kind, MemberKind::Method(b) if !b.decreases.star)
            });
            if terminating {
                self.frame.module = Some(self.program.members[member].module);
                let name = self.text(self.program.members[member].name);
                self.error(self.program.members[member].span, format!("not allowed to override a terminating method with a possibly non-terminating method ('{name}')"));
            }
        }
    }
}
