//! Ghost and compiled statements.
//!
//! Follows the language's rules, statement by statement:
//!
//! * A statement is ghost when it must be (a lemma, a ghost method, under a ghost condition) or does ghost things only.
//! * Local variables initialised from ghost values become ghost.
//! * What is compiled depends on compiled things only (`compilable`); what is ghost changes ghost things only.
//! * Proofs (lemmas, hints, `assert by`, `forall` proofs) call lemmas only, and change and allocate nothing.

use super::Resolver;
use crate::tree::{
    ArrayInit, ExprId, ExprKind, MemberId, MemberKind, MethodCall, MethodKind, Rhs, StmtId,
    StmtKind, TyKind, TypeDeclKind, VarId, Witness,
};
use stet_base::Span;

/// What encloses a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// The statement must not be compiled.
    pub(crate) erased: bool,
    /// The proof it is part of, as messages name it.
    pub(crate) proof: Option<&'static str>,
}

/// Why a left-hand side is not ghost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Ghost,
    Variable,
    Field,
    Element,
}

impl Target {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Target::Ghost => "ghost location",
            Target::Variable => "non-ghost variable",
            Target::Field => "non-ghost field",
            Target::Element => "array element",
        }
    }
}

impl Resolver<'_> {
    /// Ghost rules of everything in modules without errors.
    pub(crate) fn check_ghost(&mut self) {
        for decl in self.sound_decls() {
            self.frame.module = Some(self.program.decls[decl].module);
            if let TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) =
                &self.program.decls[decl].kind
                && let Witness::Compiled(witness) = c.witness
            {
                self.check_compilable(witness);
            }
        }
        for member in self.sound_members() {
            self.frame.module = Some(self.program.members[member].module);
            self.frame.member = Some(member);
            self.ghost_member(member);
        }
    }

    pub(crate) fn ghost_member(&mut self, member: MemberId) {
        let ghost = self.program.members[member].ghost;
        let open = Context {
            erased: false,
            proof: None,
        };
        match &self.program.members[member].kind {
            MemberKind::Field { .. } => {}
            MemberKind::Const { value, .. } => {
                if let (Some(value), false) = (*value, ghost) {
                    self.check_compilable(value);
                }
            }
            MemberKind::Function(f) => {
                let (body, by_method, ins) = (f.body, f.by_method, f.ins.clone());
                if !ghost {
                    self.ghost_defaults(&ins);
                }
                if let Some(body) = body {
                    if ghost || by_method.is_some() {
                        self.proofs_inside(body);
                    } else {
                        self.check_compilable(body);
                    }
                }
                if let Some(block) = by_method {
                    self.ghost_stmt(block, open);
                }
            }
            MemberKind::Method(m) => {
                let ins = m.ins.clone();
                let lemma = m.extreme.is_some()
                    || matches!(m.kind, MethodKind::Lemma | MethodKind::TwostateLemma);
                let blocks = [m.body, m.body_after_new];
                if !ghost {
                    self.ghost_defaults(&ins);
                }
                let context = Context {
                    erased: ghost,
                    proof: lemma.then(|| self.lemma_phrase(member)),
                };
                for block in blocks.into_iter().flatten() {
                    self.ghost_stmt(block, context);
                }
            }
        }
    }

    pub(crate) fn lemma_phrase(&self, member: MemberId) -> &'static str {
        match self.member_word(member) {
            "twostate lemma" => "a twostate lemma",
            "least lemma" => "a least lemma",
            "greatest lemma" => "a greatest lemma",
            _ => "a lemma",
        }
    }

    pub(crate) fn ghost_defaults(&mut self, ins: &[VarId]) {
        for &formal in ins {
            let v = &self.program.vars[formal];
            if let (Some(value), false) = (v.default, v.ghost) {
                self.check_compilable(value);
            }
        }
    }

    /// A statement in its context; sets `ghost`.
    pub(crate) fn ghost_stmt(&mut self, id: StmtId, context: Context) {
        let kind = self.program.stmts[id].kind.clone();
        let tok = self.program.stmts[id].tok;
        self.program.stmts[id].ghost = context.erased;
        let ghost = match kind {
            StmtKind::Assert { expr, by, .. } => {
                self.proofs_inside(expr);
                self.ghost_opt(by, true, Some("an assert-by body"));
                true
            }
            StmtKind::Assume(expr) => {
                self.proofs_inside(expr);
                true
            }
            StmtKind::ByProof { stmt, proof } => {
                self.ghost_opt(Some(proof), true, Some("a call-by body"));
                self.ghost_stmt(stmt, context);
                self.program.stmts[stmt].ghost
            }
            StmtKind::Reveal(_) | StmtKind::Hide(_) | StmtKind::Apart { .. } => true,
            StmtKind::Expect { expr, message } => {
                self.effect(tok, "expect", context, [expr].into_iter().chain(message))
            }
            StmtKind::Print(exprs) => self.effect(tok, "print", context, exprs.into_iter()),
            StmtKind::Block(stmts) | StmtKind::Sequence(stmts) => {
                for &stmt in &stmts {
                    self.ghost_stmt(stmt, context);
                }
                context.erased || stmts.iter().all(|&s| self.program.stmts[s].ghost)
            }
            StmtKind::OpaqueBlock { body, .. } => {
                self.ghost_stmt(body, context);
                self.program.stmts[body].ghost
            }
            StmtKind::VarDecl { vars, init } => self.ghost_var_decl(&vars, init, context),
            StmtKind::VarPattern { pattern, rhs } => self.ghost_pattern(&pattern, rhs, context),
            StmtKind::Assign { lhss, rhss } => {
                let mut all = true;
                for (lhs, rhs) in lhss.into_iter().zip(rhss) {
                    all &= self.ghost_assign(id, lhs, &rhs, context);
                }
                all
            }
            StmtKind::AssignSuchThat {
                lhss, expr, assume, ..
            } => self.ghost_such_that(&lhss, expr, assume, context),
            StmtKind::Call(call) => self.ghost_call(&call, context),
            StmtKind::Break {
                target,
                is_continue,
            } => {
                self.ghost_break(tok, target, is_continue, context);
                context.erased
            }
            StmtKind::Return { init } => {
                if context.erased && !self.in_ghost_code() {
                    self.error(tok, "return statement is not allowed in this context (because it is guarded by a specification-only expression)");
                }
                if let Some(init) = init {
                    self.ghost_stmt(init, context);
                }
                context.erased
            }
            StmtKind::Yield { init } => {
                if context.erased {
                    self.error(tok, "yield statement is not allowed in this context (because it is guarded by a specification-only expression)");
                }
                if let Some(init) = init {
                    self.ghost_stmt(init, context);
                }
                context.erased
            }
            StmtKind::Calc(calc) => {
                for step in &calc.steps {
                    for &hint in &step.hints {
                        self.ghost_opt(Some(hint), true, Some("a hint"));
                    }
                }
                true
            }
            StmtKind::Modify { frame, body } => self.ghost_modify(tok, &frame, body, context),
            StmtKind::Error => true,
            other => self.ghost_control(id, other, context),
        };
        self.program.stmts[id].ghost = ghost;
    }

    pub(crate) fn ghost_opt(
        &mut self,
        stmt: Option<StmtId>,
        erased: bool,
        proof: Option<&'static str>,
    ) {
        if let Some(stmt) = stmt {
            self.ghost_stmt(stmt, Context { erased, proof });
        }
    }

    /// Whether the declaration being checked is ghost as a whole.
    pub(crate) fn in_ghost_code(&self) -> bool {
        let member = self.frame.member.map(|m| &self.program.members[m]);
        member.is_some_and(|m| match &m.kind {
            MemberKind::Function(f) => m.ghost || f.by_method.is_none(),
            _ => m.ghost,
        })
    }

    pub(crate) fn effect(
        &mut self,
        tok: Span,
        word: &str,
        context: Context,
        exprs: impl Iterator<Item = ExprId>,
    ) -> bool {
        if context.erased {
            self.error(tok, format!("{word} statement is not allowed in this context (because this is a ghost method or because the statement is guarded by a specification-only expression)"));
        } else {
            for expr in exprs {
                self.check_compilable(expr);
            }
        }
        false
    }

    pub(crate) fn ghost_var_decl(
        &mut self,
        vars: &[VarId],
        init: Option<StmtId>,
        context: Context,
    ) -> bool {
        if context.erased {
            for &var in vars {
                self.program.vars[var].ghost = true;
            }
        }
        if let Some(init) = init {
            self.make_auto_ghost(vars, init);
            self.ghost_stmt(init, context);
        }
        let init_ghost = init.is_none_or(|init| self.program.stmts[init].ghost);
        init_ghost && vars.iter().all(|&v| self.program.vars[v].ghost)
    }

    /// Variables initialised from ghost values are ghost.
    pub(crate) fn make_auto_ghost(&mut self, vars: &[VarId], init: StmtId) {
        let found: Vec<VarId> = match &self.program.stmts[init].kind {
            StmtKind::Assign { lhss, rhss } => {
                let pairs = lhss.iter().zip(rhss);
                pairs
                    .filter(|(_, rhs)| self.ghost_rhs(rhs))
                    .filter_map(|(&lhs, _)| self.as_var(lhs))
                    .collect()
            }
            StmtKind::AssignSuchThat {
                lhss, expr, assume, ..
            } if !assume && self.uses_spec(*expr) => {
                lhss.iter().filter_map(|&lhs| self.as_var(lhs)).collect()
            }
            StmtKind::Call(call) => {
                let MemberKind::Method(m) = &self.program.members[call.method].kind else {
                    return;
                };
                let ghost = self.program.members[call.method].ghost;
                let pairs = call.lhss.iter().zip(&m.outs);
                pairs
                    .filter(|&(_, &out)| ghost || self.program.vars[out].ghost)
                    .filter_map(|(&lhs, _)| self.as_var(lhs))
                    .collect()
            }
            StmtKind::Sequence(stmts) => {
                // The unfolding of `:-`: the last statement extracts the value.
                for stmt in stmts.clone() {
                    self.make_auto_ghost(vars, stmt);
                }
                return;
            }
            _ => return,
        };
        for var in found {
            if vars.contains(&var) {
                self.program.vars[var].ghost = true;
            }
        }
    }

    pub(crate) fn as_var(&self, lhs: ExprId) -> Option<VarId> {
        match self.program.exprs[lhs].kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        }
    }

    pub(crate) fn ghost_rhs(&self, rhs: &Rhs) -> bool {
        match rhs {
            Rhs::Expr(value) => self.uses_spec(*value),
            Rhs::Havoc => false,
            Rhs::NewObject { init, .. } => init
                .as_ref()
                .is_some_and(|call| self.program.members[call.method].ghost),
            Rhs::NewArray { dims, init, .. } => {
                dims.iter().any(|&d| self.uses_spec(d))
                    || match init {
                        ArrayInit::None => false,
                        ArrayInit::Function(f) => self.uses_spec(*f),
                        ArrayInit::Display(items) => items.iter().any(|&i| self.uses_spec(i)),
                    }
            }
        }
    }

    pub(crate) fn ghost_pattern(
        &mut self,
        pattern: &crate::tree::Pattern,
        rhs: ExprId,
        context: Context,
    ) -> bool {
        let mut vars = Vec::new();
        super::compilable::pattern_vars(pattern, &mut vars);
        let all_ghost = |r: &Self| vars.iter().all(|&v| r.program.vars[v].ghost);
        if context.erased || self.uses_spec(rhs) {
            for &var in &vars {
                self.program.vars[var].ghost = true;
            }
            self.proofs_inside(rhs);
            return true;
        }
        if all_ghost(self) && !vars.is_empty() {
            self.proofs_inside(rhs);
            return true;
        }
        self.check_compilable(rhs);
        false
    }

    pub(crate) fn target(&self, lhs: ExprId) -> Target {
        match &self.program.exprs[lhs].kind {
            ExprKind::Var(var) if self.program.vars[*var].ghost => Target::Ghost,
            ExprKind::Var(_) => Target::Variable,
            ExprKind::Field { field, .. } if self.program.members[*field].ghost => Target::Ghost,
            ExprKind::Field { .. } => Target::Field,
            ExprKind::Error => Target::Ghost,
            _ => Target::Element,
        }
    }

    pub(crate) fn ghost_assign(
        &mut self,
        id: StmtId,
        lhs: ExprId,
        rhs: &Rhs,
        context: Context,
    ) -> bool {
        let tok = self.program.stmts[id].tok;
        let target = self.target(lhs);
        let is_var = matches!(self.program.exprs[lhs].kind, ExprKind::Var(_));
        if let (Some(proof), false) = (context.proof, is_var) {
            self.error(tok, format!("{proof} is not allowed to make heap updates"));
        }
        self.ghost_new(tok, rhs, context, target);
        if target == Target::Ghost {
            if let Rhs::Expr(value) = rhs {
                self.proofs_inside(*value);
            }
            return true;
        }
        if context.erased && self.is_own_field_in_ghost_constructor(lhs) {
            return true;
        }
        if context.erased {
            let reason = self.ghost_reason();
            let what = target.text();
            self.error(
                tok,
                format!("assignment to {what} is not allowed in this context, because {reason}"),
            );
            return false;
        }
        self.check_lhs_compilable(lhs);
        if let Rhs::Expr(value) = rhs
            && self.is_ghost_extract(*value)
        {
            let at = self.program.exprs[lhs].tok;
            self.error(
                at,
                "The Extract member may not be ghost unless the initial LHS is ghost",
            );
            return false;
        }
        match rhs {
            Rhs::Expr(value) => self.check_compilable(*value),
            Rhs::Havoc => {}
            Rhs::NewObject { .. } => {}
            Rhs::NewArray { dims, init, .. } => {
                for &dim in dims {
                    self.check_compilable(dim);
                }
                match init {
                    ArrayInit::None => {}
                    ArrayInit::Function(f) => self.check_compilable(*f),
                    ArrayInit::Display(items) => {
                        for &item in items {
                            self.check_compilable(item);
                        }
                    }
                }
            }
        }
        false
    }

    /// Whether an expression is the ghost `Extract` behind `:-`.
    pub(crate) fn is_ghost_extract(&self, value: ExprId) -> bool {
        let ExprKind::Call(call) = &self.program.exprs[value].kind else {
            return false;
        };
        let m = &self.program.members[call.function];
        m.ghost
            && self.program.text(m.name) == "Extract"
            && call
                .receiver
                .is_some_and(|r| match self.program.exprs[r].kind {
                    ExprKind::Var(v) => {
                        self.program.text(self.program.vars[v].name) == "_valueOrError"
                    }
                    _ => false,
                })
    }

    /// The object and indices of a compiled left-hand side.
    pub(crate) fn check_lhs_compilable(&mut self, lhs: ExprId) {
        match self.program.exprs[lhs].kind.clone() {
            ExprKind::Field { object, .. } => self.check_compilable(object),
            ExprKind::ArrayIndex(array, indices) => {
                self.check_compilable(array);
                for index in indices {
                    self.check_compilable(index);
                }
            }
            _ => {}
        }
    }

    /// A ghost constructor assigns all fields of its object, which is never made.
    fn is_own_field_in_ghost_constructor(&self, lhs: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let of_this = match exprs[lhs].kind {
            ExprKind::Field { object, .. } => matches!(exprs[object].kind, ExprKind::This),
            _ => false,
        };
        let member = self.frame.member.map(|m| &self.program.members[m]);
        let is_constructor = member.is_some_and(|m| match &m.kind {
            MemberKind::Method(method) => m.ghost && method.kind == MethodKind::Constructor,
            _ => false,
        });
        of_this && is_constructor
    }

    pub(crate) fn ghost_reason(&self) -> &'static str {
        let member = self.frame.member.map(|m| &self.program.members[m]);
        match member {
            Some(m) if m.ghost => match m.kind {
                MemberKind::Function(_) => "this is a ghost function",
                _ => "this is a ghost method",
            },
            _ => {
                "the statement is in a ghost context; e.g., it may be guarded by a specification-only expression"
            }
        }
    }

    pub(crate) fn ghost_new(&mut self, tok: Span, rhs: &Rhs, context: Context, target: Target) {
        let (span, init) = match rhs {
            Rhs::NewObject { span, init, .. } => (*span, init.as_ref()),
            Rhs::NewArray { span, .. } => (*span, None),
            _ => return,
        };
        if let Some(proof) = context.proof {
            self.error(span, format!("{proof} is not allowed to use 'new'"));
        }
        let Some(call) = init else {
            return;
        };
        let ghost = self.program.members[call.method].ghost;
        if context.erased && !ghost {
            self.error(span, "only ghost methods can be called from this context");
        } else if ghost && target != Target::Ghost {
            self.error(
                tok,
                "the result of a ghost constructor can only be assigned to a ghost variable",
            );
        } else if !ghost && target == Target::Ghost && !context.erased {
            self.error(
                tok,
                "a compiled constructor cannot be called to initialise a ghost variable",
            );
        }
        if !ghost && !context.erased {
            self.check_args(call);
        }
    }

    pub(crate) fn check_args(&mut self, call: &MethodCall) {
        let MemberKind::Method(m) = &self.program.members[call.method].kind else {
            return;
        };
        let ins = m.ins.clone();
        for (&arg, &formal) in call.args.iter().zip(&ins) {
            if self.program.vars[formal].ghost {
                self.proofs_inside(arg);
            } else {
                self.check_compilable(arg);
            }
        }
    }

    pub(crate) fn ghost_such_that(
        &mut self,
        lhss: &[ExprId],
        expr: ExprId,
        assume: bool,
        context: Context,
    ) -> bool {
        let targets: Vec<Target> = lhss.iter().map(|&l| self.target(l)).collect();
        let ghost = context.erased || assume || targets.contains(&Target::Ghost);
        if context.erased && !self.in_ghost_code() {
            for (&lhs, &target) in lhss.iter().zip(&targets) {
                if target != Target::Ghost {
                    let tok = self.program.exprs[lhs].tok;
                    let what = target.text();
                    self.error(tok, format!("cannot assign to {what} in a ghost context"));
                }
            }
        } else if !context.erased && !assume && self.uses_spec(expr) {
            for (&lhs, &target) in lhss.iter().zip(&targets) {
                if target != Target::Ghost {
                    let tok = self.program.exprs[lhs].tok;
                    let what = target.text();
                    self.error(
                        tok,
                        format!("{what} cannot be assigned a value that depends on a ghost"),
                    );
                }
            }
        }
        ghost
    }

    pub(crate) fn ghost_call(&mut self, call: &MethodCall, context: Context) -> bool {
        let MemberKind::Method(m) = &self.program.members[call.method].kind else {
            return true;
        };
        let lemma =
            m.extreme.is_some() || matches!(m.kind, MethodKind::Lemma | MethodKind::TwostateLemma);
        let outs = m.outs.clone();
        let ghost = self.program.members[call.method].ghost;
        match context.proof {
            Some(proof) if !lemma => {
                self.error(
                    call.tok,
                    format!("in {proof}, calls are allowed only to lemmas"),
                );
            }
            _ if context.erased && !ghost => {
                self.error(
                    call.tok,
                    "only ghost methods can be called from this context",
                );
            }
            _ => {}
        }
        if !ghost && !context.erased {
            if let Some(receiver) = call.receiver {
                self.check_compilable(receiver);
            }
            self.check_args(call);
        }
        let count = outs.len();
        for (i, (&lhs, &out)) in call.lhss.iter().zip(&outs).enumerate() {
            let target = self.target(lhs);
            let needs_ghost = ghost || self.program.vars[out].ghost;
            let place = if count == 1 {
                String::new()
            } else {
                format!(" {i}")
            };
            if needs_ghost && target != Target::Ghost {
                let what = if target == Target::Field {
                    "field"
                } else {
                    "variable"
                };
                let tok = self.program.exprs[lhs].tok;
                let at = if target == Target::Variable {
                    call.tok
                } else {
                    tok
                };
                self.error(
                    at,
                    format!("actual out-parameter{place} is required to be a ghost {what}"),
                );
            } else if !needs_ghost && target != Target::Ghost && !context.erased {
                self.check_lhs_compilable(lhs);
            }
        }
        ghost
    }

    /// Whether a type is a finite collection (messages about comprehensions need it).
    pub(crate) fn is_finite_collection(&self, ty: crate::tree::Ty) -> bool {
        matches!(
            &*self.program.types.kind(self.program.representation(ty)),
            TyKind::Set { finite: true, .. } | TyKind::Map { finite: true, .. }
        )
    }
}
