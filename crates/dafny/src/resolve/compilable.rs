//! Compilability of expressions.
//!
//! `uses_spec` answers, `check_compilable` reports the places. What cannot be compiled: ghost variables, fields, functions
//! and constructors; `old`, `fresh`, `unchanged`, `allocated`; comparisons by rank; `decreases to`; quantifiers and
//! comprehensions over unbounded variables.

use super::Resolver;
use super::ghost::Context;
use crate::tree::{
    BinaryOp, ExprId, ExprKind, MemberId, MemberKind, Pattern, PatternKind, TyKind, VarBound, VarId,
};
use stet_base::Span;

/// The variables a pattern binds.
pub(crate) fn pattern_vars(pattern: &Pattern, out: &mut Vec<VarId>) {
    match &pattern.kind {
        PatternKind::Var(var) => out.push(*var),
        PatternKind::Ctor(_, items) | PatternKind::Tuple(items) | PatternKind::Or(items) => {
            for item in items {
                pattern_vars(item, out);
            }
        }
        _ => {}
    }
}

/// A reason why an expression is for specifications only.
type Reason = (Span, String);

impl Resolver<'_> {
    /// Whether the expression can be used in specifications only.
    pub(crate) fn uses_spec(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.spec_uses(expr, &mut |_| found = true);
        found
    }

    /// Reports what in an expression cannot be compiled, and checks the proofs inside it.
    pub(crate) fn check_compilable(&mut self, expr: ExprId) {
        self.ghost_lets(expr);
        self.mark_choices(expr);
        let mut reasons: Vec<Reason> = Vec::new();
        self.spec_uses(expr, &mut |reason| reasons.push(reason));
        for (span, message) in reasons {
            self.error(span, message);
        }
        self.proofs_inside(expr);
    }

    /// Marks the choices that are made at run time.
    fn mark_choices(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            let vars = match &self.program.exprs[expr].kind {
                ExprKind::LetSuchThat { vars, .. } => vars.clone(),
                _ => Vec::new(),
            };
            let is_compiled = vars.iter().any(|&v| !self.program.vars[v].ghost);
            if let (true, ExprKind::LetSuchThat { compiled, .. }) =
                (is_compiled, &mut self.program.exprs[expr].kind)
            {
                *compiled = true;
            }
            stack.extend(self.spec_use(expr, &mut |_| {}));
        }
    }

    /// Variables of `var x := e; …` are ghost if `e` is.
    fn ghost_lets(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            let kind = &self.program.exprs[expr].kind;
            let mut ghost = Vec::new();
            match kind {
                ExprKind::Let {
                    patterns, values, ..
                } => {
                    for (pattern, &value) in patterns.iter().zip(values) {
                        if self.uses_spec(value) {
                            pattern_vars(pattern, &mut ghost);
                        }
                    }
                }
                ExprKind::Match { scrutinee, cases } if self.uses_spec(*scrutinee) => {
                    for case in cases {
                        pattern_vars(&case.pattern, &mut ghost);
                    }
                }
                _ => {}
            }
            stack.extend(kind.children().into_iter().rev());
            for var in ghost {
                self.program.vars[var].ghost = true;
            }
        }
    }

    /// Statements inside an expression are proofs.
    pub(crate) fn proofs_inside(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            let kind = &self.program.exprs[expr].kind;
            stack.extend(kind.children());
            if let ExprKind::StmtExpr(stmt, _) = *kind {
                let context = Context {
                    erased: true,
                    proof: Some("a statement expression"),
                };
                self.ghost_stmt(stmt, context);
            }
        }
    }

    /// The first variable without a bound that can be enumerated.
    pub(crate) fn first_unbounded(
        &self,
        vars: &[VarId],
        bounds: &[Option<VarBound>],
    ) -> Option<VarId> {
        let pairs = vars.iter().zip(bounds);
        let mut unbounded = pairs.filter(|&(&var, bound)| {
            !bound.as_ref().is_some_and(|b| {
                can_enumerate(b) && self.is_finite(b) && self.constraints_compile(var, b)
            })
        });
        unbounded.next().map(|(&var, _)| var)
    }

    pub(crate) fn not_bounded(&mut self, tok: Span, what: &str, var: VarId) {
        let name = self.text(self.program.vars[var].name);
        self.error(tok, not_compilable(what, &name));
    }

    /// Calls `found` for everything in `root` that cannot be compiled.
    fn spec_uses(&self, root: ExprId, found: &mut dyn FnMut(Reason)) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let next = self.spec_use(id, found);
            stack.extend(next.into_iter().rev());
        }
    }

    /// Reports this expression; returns the subexpressions that must be compilable too.
    pub(crate) fn spec_use(&self, id: ExprId, found: &mut dyn FnMut(Reason)) -> Vec<ExprId> {
        let expr = &self.program.exprs[id];
        let tok = expr.tok;
        let mut only = |what: &str| {
            found((
                tok,
                format!("{what} allowed only in specification and ghost contexts"),
            ))
        };
        match &expr.kind {
            ExprKind::Var(var) if self.program.vars[*var].ghost => {
                let name = self.text(self.program.vars[*var].name);
                found((
                    tok,
                    format!(
                        "ghost variables such as {name} are allowed only in specification contexts. {name} was inferred to be ghost based on its declaration or initialization."
                    ),
                ));
                Vec::new()
            }
            ExprKind::Field { field, .. } if self.program.members[*field].ghost => {
                found((tok, self.ghost_member_message(*field)));
                Vec::new()
            }
            ExprKind::StaticConst { member, .. } if self.program.members[*member].ghost => {
                found((tok, self.ghost_member_message(*member)));
                Vec::new()
            }
            ExprKind::FunctionValue { function, .. } if self.program.members[*function].ghost => {
                found((tok, self.ghost_member_message(*function)));
                Vec::new()
            }
            ExprKind::Destructor { ctors, .. } if self.ghost_destructor(ctors) => {
                found((
                    tok,
                    "a ghost destructor is allowed only in specification contexts".to_owned(),
                ));
                Vec::new()
            }
            ExprKind::Call(call) => {
                if self.program.members[call.function].ghost {
                    found((tok, self.ghost_call_message(call.function)));
                    return Vec::new();
                }
                let MemberKind::Function(f) = &self.program.members[call.function].kind else {
                    return Vec::new();
                };
                let args = call.args.iter().zip(&f.ins);
                let compiled = args.filter(|&(_, &formal)| !self.program.vars[formal].ghost);
                let compiled = compiled.map(|(&arg, _)| arg);
                call.receiver.into_iter().chain(compiled).collect()
            }
            ExprKind::Ctor { ctor, args, .. } => {
                let c = &self.program.ctors[*ctor];
                if c.ghost {
                    found((
                        tok,
                        "ghost constructor is allowed only in specification contexts".to_owned(),
                    ));
                    return Vec::new();
                }
                let pairs = args.iter().zip(&c.formals);
                pairs
                    .filter(|&(_, &formal)| !self.program.vars[formal].ghost)
                    .map(|(&arg, _)| arg)
                    .collect()
            }
            ExprKind::Tuple(items) => match &*self.program.types.kind(expr.ty) {
                TyKind::Tuple(_, ghost) => {
                    let pairs = items.iter().zip(ghost);
                    pairs.filter(|&(_, &g)| !g).map(|(&i, _)| i).collect()
                }
                _ => items.clone(),
            },
            ExprKind::TupleSelect(value, index) => {
                if let TyKind::Tuple(_, ghost) =
                    &*self.program.types.kind(self.program.exprs[*value].ty)
                    && ghost.get(*index as usize) == Some(&true)
                {
                    found((
                        tok,
                        "a ghost destructor is allowed only in specification contexts".to_owned(),
                    ));
                    return Vec::new();
                }
                vec![*value]
            }
            ExprKind::Old(..) => {
                only("old expressions are");
                Vec::new()
            }
            ExprKind::Fresh(..) => {
                only("fresh expressions are");
                Vec::new()
            }
            ExprKind::Unchanged(..) => {
                only("unchanged expressions are");
                Vec::new()
            }
            ExprKind::Allocated(_) => {
                only("allocated expressions are");
                Vec::new()
            }
            ExprKind::PrefixEq { .. } => {
                only("prefix equalities are");
                Vec::new()
            }
            ExprKind::Binary(BinaryOp::RankLt | BinaryOp::RankGt, ..) => {
                only("rank comparisons are");
                Vec::new()
            }
            ExprKind::DecreasesTo { allow_equal, .. } => {
                only(if *allow_equal {
                    "a `nonincreases to` expression is"
                } else {
                    "a `decreases to` expression is"
                });
                Vec::new()
            }
            ExprKind::StmtExpr(_, body) => vec![*body],
            _ => self.spec_use_binder(id, found),
        }
    }

    fn spec_use_binder(&self, id: ExprId, found: &mut dyn FnMut(Reason)) -> Vec<ExprId> {
        let expr = &self.program.exprs[id];
        let tok = expr.tok;
        let mut unbounded = |what: &str, vars: &[VarId], bounds: &[Option<VarBound>]| {
            let var = self.first_unbounded(vars, bounds);
            if let Some(var) = var {
                let name = self.text(self.program.vars[var].name);
                found((tok, not_compilable(what, &name)));
            }
            var.is_some()
        };
        match &expr.kind {
            ExprKind::Quantifier(q) => {
                if unbounded("quantifiers", &q.vars, &q.bounds) {
                    return Vec::new();
                }
                q.range.into_iter().chain([q.body]).collect()
            }
            ExprKind::SetComprehension {
                vars,
                bounds,
                range,
                term,
                ..
            } => {
                let what = if self.is_finite_collection(expr.ty) {
                    "set comprehensions"
                } else {
                    "iset comprehensions"
                };
                if unbounded(what, vars, bounds) {
                    return Vec::new();
                }
                vec![*range, *term]
            }
            ExprKind::MapComprehension {
                vars,
                bounds,
                range,
                key,
                value,
                ..
            } => {
                let what = if self.is_finite_collection(expr.ty) {
                    "map comprehensions"
                } else {
                    "imap comprehensions"
                };
                if unbounded(what, vars, bounds) {
                    return Vec::new();
                }
                [*range].into_iter().chain(*key).chain([*value]).collect()
            }
            ExprKind::Let {
                patterns,
                values,
                body,
                ..
            } => {
                let mut out = Vec::new();
                for (pattern, &value) in patterns.iter().zip(values) {
                    let mut vars = Vec::new();
                    pattern_vars(pattern, &mut vars);
                    let compiled = vars.iter().any(|&v| !self.program.vars[v].ghost);
                    if compiled || vars.is_empty() {
                        out.push(value);
                    }
                }
                out.push(*body);
                out
            }
            ExprKind::LetSuchThat {
                vars,
                condition,
                body,
                bounds,
                ..
            } => {
                let compiled: Vec<VarId> = vars
                    .iter()
                    .copied()
                    .filter(|&v| !self.program.vars[v].ghost)
                    .collect();
                if compiled.is_empty() {
                    return vec![*body];
                }
                let _ = bounds;
                vec![*condition, *body]
            }
            ExprKind::Lambda { body, .. } => vec![*body],
            ExprKind::DatatypeUpdate {
                value,
                updates,
                ctors,
            } => {
                let compiled = updates.iter().filter(|&&(name, _)| {
                    let formals = ctors.iter().flat_map(|&c| &self.program.ctors[c].formals);
                    let mut named = formals.filter(|&&f| self.program.vars[f].name == name);
                    !named.all(|&f| self.program.vars[f].ghost)
                });
                let compiled = compiled.map(|&(_, v)| v);
                [*value].into_iter().chain(compiled).collect()
            }
            other => other.children(),
        }
    }

    fn ghost_destructor(&self, ctors: &[(crate::tree::CtorId, u32)]) -> bool {
        ctors.iter().all(|&(ctor, position)| {
            let c = &self.program.ctors[ctor];
            let formal = c.formals.get(position as usize);
            c.ghost || formal.is_some_and(|&f| self.program.vars[f].ghost)
        })
    }

    fn ghost_member_message(&self, member: MemberId) -> String {
        let word = match self.member_word(member) {
            "const" => "const field",
            other => other,
        };
        if word.starts_with("twostate") || word.starts_with("least") || word.starts_with("greatest")
        {
            return format!("a {word} is allowed only in specification contexts");
        }
        format!("a ghost {word} is allowed only in specification contexts")
    }

    fn ghost_call_message(&self, function: MemberId) -> String {
        let word = self.member_word(function);
        if word.contains(' ') {
            return format!("a call to a {word} is allowed only in specification contexts");
        }
        format!(
            "a call to a ghost {word} is allowed only in specification contexts (consider declaring the {word} without the 'ghost' keyword)"
        )
    }
}

fn not_compilable(what: &str, name: &str) -> String {
    format!(
        "{what} in non-ghost contexts must be compilable, but Dafny's heuristics can't figure out how to produce or compile a bounded set of values for '{name}'"
    )
}

/// Whether code can go through all values of a variable with this bound.
fn can_enumerate(bound: &VarBound) -> bool {
    !matches!(bound, VarBound::Allocated | VarBound::Enumerable)
}
