//! Bounds of bound variables: why a variable has finitely many values, or values that can be enumerated.
//!
//! Bounds come from the conjuncts of ranges (`x in S`, `x == e`, `lo <= x < hi`, `x <= S`), from the constraints of subset
//! types and newtypes, and from types themselves. They are written into the tree. Checked here: set and map comprehensions
//! are finite.

use super::Resolver;
use crate::tree::{
    BinaryOp, ExprId, ExprKind, Guard, StmtId, StmtKind, Ty, TyKind, TypeDeclKind, UnaryOp,
    VarBound, VarId,
};
use stet_base::Index;

/// How many conjuncts are looked at for one list of variables.
const MAX_CONJUNCTS: usize = 1000;

impl Resolver<'_> {
    /// Finds the bounds of all bound variables.
    pub(crate) fn discover_bounds(&mut self) {
        let nowhere = stet_base::Span {
            file: Index::from_index(0),
            start: 0,
            end: 0,
        };
        let int = self.program.types.int;
        self.zero = Some(self.push_expr_at(nowhere, nowhere, ExprKind::Int(0.into()), int));
        for i in 0..self.program.exprs.len() {
            self.bound_expr(ExprId::from_index(i));
        }
        for i in 0..self.program.stmts.len() {
            self.bound_stmt(StmtId::from_index(i));
        }
    }

    fn bound_expr(&mut self, id: ExprId) {
        let found = match &self.program.exprs[id].kind {
            ExprKind::Quantifier(q) => {
                let mut conjuncts = Vec::new();
                if let Some(range) = q.range {
                    self.signed_conjuncts(range, true, &mut conjuncts);
                }
                // `forall x :: A ==> B` has range A.
                self.signed_conjuncts(q.body, !q.forall, &mut conjuncts);
                self.bounds_of(&q.vars, &conjuncts)
            }
            ExprKind::SetComprehension { vars, range, .. }
            | ExprKind::MapComprehension { vars, range, .. } => {
                let mut conjuncts = Vec::new();
                self.signed_conjuncts(*range, true, &mut conjuncts);
                self.bounds_of(vars, &conjuncts)
            }
            ExprKind::LetSuchThat {
                vars, condition, ..
            } => {
                let mut conjuncts = Vec::new();
                self.signed_conjuncts(*condition, true, &mut conjuncts);
                self.bounds_of(vars, &conjuncts)
            }
            _ => return,
        };
        match &mut self.program.exprs[id].kind {
            ExprKind::Quantifier(q) => q.bounds = found,
            ExprKind::SetComprehension { bounds, .. }
            | ExprKind::MapComprehension { bounds, .. }
            | ExprKind::LetSuchThat { bounds, .. } => *bounds = found,
            _ => {}
        }
    }

    fn bound_stmt(&mut self, id: StmtId) {
        let mut kind = std::mem::replace(&mut self.program.stmts[id].kind, StmtKind::Error);
        match &mut kind {
            StmtKind::Forall {
                vars,
                range,
                bounds,
                ..
            } => *bounds = self.bounds_under(vars, *range),
            StmtKind::AssignSuchThat {
                lhss, expr, bounds, ..
            } => {
                let vars: Vec<Option<VarId>> = lhss
                    .iter()
                    .map(|&lhs| match self.program.exprs[lhs].kind {
                        ExprKind::Var(var) => Some(var),
                        _ => None,
                    })
                    .collect();
                if let Some(vars) = vars.into_iter().collect::<Option<Vec<_>>>() {
                    *bounds = self.bounds_under(&vars, *expr);
                }
            }
            StmtKind::If { guard, .. } | StmtKind::While { guard, .. } => self.bound_guard(guard),
            StmtKind::IfCases(cases) | StmtKind::WhileCases { cases, .. } => {
                for case in cases {
                    self.bound_guard(&mut case.guard);
                }
            }
            _ => {}
        }
        self.program.stmts[id].kind = kind;
    }

    fn bound_guard(&self, guard: &mut Guard) {
        if let Guard::Binding {
            vars, expr, bounds, ..
        } = guard
        {
            *bounds = self.bounds_under(vars, *expr);
        }
    }

    fn bounds_under(&self, vars: &[VarId], range: ExprId) -> Vec<Option<VarBound>> {
        let mut conjuncts = Vec::new();
        self.signed_conjuncts(range, true, &mut conjuncts);
        self.bounds_of(vars, &conjuncts)
    }

    /// The conjuncts of an expression, or of its negation.
    fn signed_conjuncts(&self, expr: ExprId, positive: bool, out: &mut Vec<(ExprId, bool)>) {
        if out.len() > MAX_CONJUNCTS {
            return;
        }
        match self.program.exprs[expr].kind {
            ExprKind::Binary(BinaryOp::And, a, b) if positive => {
                self.signed_conjuncts(a, true, out);
                self.signed_conjuncts(b, true, out);
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !positive => {
                self.signed_conjuncts(a, false, out);
                self.signed_conjuncts(b, false, out);
            }
            ExprKind::Binary(BinaryOp::Imp, a, b) if !positive => {
                self.signed_conjuncts(a, true, out);
                self.signed_conjuncts(b, false, out);
            }
            ExprKind::Unary(UnaryOp::Not, a) => self.signed_conjuncts(a, !positive, out),
            _ => out.push((expr, positive)),
        }
    }

    fn bounds_of(&self, vars: &[VarId], conjuncts: &[(ExprId, bool)]) -> Vec<Option<VarBound>> {
        (0..vars.len())
            .map(|i| self.bound_of(vars, i, conjuncts))
            .collect()
    }

    fn bound_of(
        &self,
        vars: &[VarId],
        at: usize,
        conjuncts: &[(ExprId, bool)],
    ) -> Option<VarBound> {
        let var = vars[at];
        let mut best: Option<VarBound> = None;
        for &(conjunct, positive) in conjuncts {
            if let Some(found) = self.conjunct_bound(vars, at, conjunct, positive, conjuncts) {
                let better = match (&best, &found) {
                    (_, VarBound::Exact(_)) | (None, _) => true,
                    (Some(VarBound::Exact(_)), _) => false,
                    (Some(old), new) => self.is_finite(new) && !self.is_finite(old),
                };
                if better {
                    best = Some(found);
                }
            }
        }
        if best.as_ref().is_some_and(|b| self.is_finite(b)) {
            return best;
        }
        let repr = self.program.representation(self.program.vars[var].ty);
        if matches!(&*self.program.types.kind(repr), TyKind::Int) {
            let lo = self.side(vars, at, conjuncts, true, 0);
            let hi = self.side(vars, at, conjuncts, false, 0);
            if lo.is_some() || hi.is_some() {
                return Some(VarBound::Range(lo, hi));
            }
        }
        best.or_else(|| self.type_bound(self.program.vars[var].ty))
    }

    /// What the type alone says.
    fn type_bound(&self, ty: Ty) -> Option<VarBound> {
        if self.finite_type(ty, 0) {
            return Some(VarBound::FiniteType);
        }
        let repr = self.program.representation(ty);
        match &*self.program.types.kind(repr) {
            TyKind::Int => {
                let (lo, hi) = self.constraint_range(ty);
                (lo.is_some() || hi.is_some()).then_some(VarBound::Range(lo, hi))
            }
            TyKind::Bool | TyKind::Char | TyKind::Bv(_) => Some(VarBound::FiniteType),
            _ if self.program.is_reference(ty) => Some(VarBound::Allocated),
            _ => None,
        }
    }

    /// Whether a type has finitely many values.
    pub(crate) fn finite_type(&self, ty: Ty, depth: u32) -> bool {
        if depth > 20 {
            return false;
        }
        let repr = self.program.representation(ty);
        match &*self.program.types.kind(repr) {
            TyKind::Bool | TyKind::Char | TyKind::Bv(_) => true,
            TyKind::Tuple(items, _) => items.iter().all(|&t| self.finite_type(t, depth + 1)),
            TyKind::Set { finite: true, elem } => self.finite_type(*elem, depth + 1),
            TyKind::Named { decl, .. } => match &self.program.decls[*decl].kind {
                TypeDeclKind::Datatype {
                    co: false, ctors, ..
                } => ctors
                    .iter()
                    .all(|&c| self.program.ctors[c].formals.is_empty()),
                _ => false,
            },
            TyKind::Int => {
                let (lo, hi) = self.constraint_range(ty);
                lo.is_some() && hi.is_some()
            }
            _ => false,
        }
    }

    /// A bound on `vars[at]` that one conjunct gives; sides of ranges are found by `side`.
    fn conjunct_bound(
        &self,
        vars: &[VarId],
        at: usize,
        conjunct: ExprId,
        positive: bool,
        conjuncts: &[(ExprId, bool)],
    ) -> Option<VarBound> {
        if !positive {
            // Only `!(x !in S)` bounds a variable.
            let ExprKind::Binary(op, a, b) = self.program.exprs[conjunct].kind else {
                return None;
            };
            if !self.is_var(a, vars[at]) || !self.usable(b, vars, at, conjuncts) {
                return None;
            }
            return match op {
                BinaryOp::NotIn => Some(VarBound::In(b)),
                _ => None,
            };
        }
        if let ExprKind::Allocated(inner) = self.program.exprs[conjunct].kind
            && self.is_var(inner, vars[at])
        {
            return Some(VarBound::Allocated);
        }
        let ExprKind::Binary(op, a, b) = self.program.exprs[conjunct].kind else {
            return self.older_bound(vars, at, conjuncts, conjunct);
        };
        let var = vars[at];
        let usable = |e: ExprId| self.usable(e, vars, at, conjuncts);
        match op {
            BinaryOp::In if self.is_var(a, var) && usable(b) => Some(VarBound::In(b)),
            BinaryOp::Eq if self.is_var(a, var) && usable(b) => Some(VarBound::Exact(b)),
            BinaryOp::Eq if self.is_var(b, var) && usable(a) => Some(VarBound::Exact(a)),
            BinaryOp::Subset | BinaryOp::ProperSubset if self.is_var(a, var) && usable(b) => {
                Some(VarBound::SubsetOf(b))
            }
            BinaryOp::Superset | BinaryOp::ProperSuperset if self.is_var(b, var) && usable(a) => {
                Some(VarBound::SubsetOf(a))
            }
            _ => None,
        }
    }

    /// Whether a bound of `vars[at]` may be this expression: it mentions neither the variable itself nor later variables that
    /// are bounded by it.
    fn usable(&self, e: ExprId, vars: &[VarId], at: usize, conjuncts: &[(ExprId, bool)]) -> bool {
        let own = [vars[at]];
        if self.mentions_any(e, &own) {
            return false;
        }
        vars[at + 1..].iter().all(|&later| {
            !self.mentions_any(e, &[later]) || conjuncts.iter().any(|&(conjunct, positive)| {
                positive
                    && !self.mentions_any(conjunct, &own)
                    && matches!(
                        self.program.exprs[conjunct].kind,
                        ExprKind::Binary(BinaryOp::In | BinaryOp::Eq, a, _) if self.is_var(a, later)
                    )
            })
        })
    }

    /// A call of a predicate whose parameter is `older`: it is bounded by the other arguments, which must not be bounded by it.
    fn older_bound(
        &self,
        vars: &[VarId],
        at: usize,
        conjuncts: &[(ExprId, bool)],
        conjunct: ExprId,
    ) -> Option<VarBound> {
        let ExprKind::Call(call) = &self.program.exprs[conjunct].kind else {
            return None;
        };
        let crate::tree::MemberKind::Function(f) = &self.program.members[call.function].kind else {
            return None;
        };
        let pairs = call.args.iter().copied().zip(&f.ins);
        let is_older = |&(_, &formal): &(ExprId, &VarId)| self.program.vars[formal].is_older;
        let (older, others): (Vec<_>, Vec<_>) = pairs.partition(is_older);
        let mut others = others.into_iter().map(|(arg, _)| arg).chain(call.receiver);
        let is_named = older.iter().any(|&(arg, _)| self.is_var(arg, vars[at]));
        let are_usable = others.all(|e| self.usable(e, vars, at, conjuncts));
        (is_named && are_usable).then_some(VarBound::Enumerable)
    }

    /// The lower or upper side of a range of integers.
    fn side(
        &self,
        vars: &[VarId],
        at: usize,
        conjuncts: &[(ExprId, bool)],
        lower: bool,
        depth: u32,
    ) -> Option<ExprId> {
        let var = vars[at];
        for &(conjunct, positive) in conjuncts {
            let ExprKind::Binary(op, a, b) = self.program.exprs[conjunct].kind else {
                continue;
            };
            let (small, big) = match (op, positive) {
                (BinaryOp::Lt | BinaryOp::Le, true) | (BinaryOp::Gt | BinaryOp::Ge, false) => {
                    (a, b)
                }
                (BinaryOp::Gt | BinaryOp::Ge, true) | (BinaryOp::Lt | BinaryOp::Le, false) => {
                    (b, a)
                }
                _ => continue,
            };
            let (own, other) = if lower { (big, small) } else { (small, big) };
            if !self.is_var(own, var) {
                continue;
            }
            if !self.mentions_any(other, &vars[at..]) {
                return Some(other);
            }
            // A later variable stands for its own side.
            if depth < 10
                && let ExprKind::Var(later) = self.program.exprs[other].kind
                && let Some(next) = vars.iter().position(|&v| v == later)
                && next != at
                && let Some(found) = self.side(vars, next, conjuncts, lower, depth + 1)
                && !self.mentions_any(found, &[var])
            {
                return Some(found);
            }
        }
        let (lo, hi) = self.constraint_range(self.program.vars[var].ty);
        if lower { lo } else { hi }
    }

    /// The sides that `nat`, subset types and newtypes over integers set.
    fn constraint_range(&self, ty: Ty) -> (Option<ExprId>, Option<ExprId>) {
        let mut ty = ty;
        let (mut lo, mut hi) = (None, None);
        for _ in 0..100 {
            match &*self.program.types.kind(ty) {
                TyKind::Nat => return (lo.or(self.zero), hi),
                TyKind::Named { decl, args, .. } => {
                    let d = &self.program.decls[*decl];
                    match &d.kind {
                        TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) => {
                            if let (Some(var), Some(constraint)) = (c.var, c.constraint) {
                                let mut conjuncts = Vec::new();
                                self.signed_conjuncts(constraint, true, &mut conjuncts);
                                lo = lo.or(self.own_side(var, &conjuncts, true));
                                hi = hi.or(self.own_side(var, &conjuncts, false));
                            }
                            ty = self.program.instantiate(c.base, &d.params, args);
                        }
                        TypeDeclKind::Synonym(to) => {
                            ty = self.program.instantiate(*to, &d.params, args);
                        }
                        _ => return (lo, hi),
                    }
                }
                _ => return (lo, hi),
            }
        }
        (lo, hi)
    }

    fn own_side(&self, var: VarId, conjuncts: &[(ExprId, bool)], lower: bool) -> Option<ExprId> {
        for &(conjunct, positive) in conjuncts {
            if !positive {
                continue;
            }
            let ExprKind::Binary(op, a, b) = self.program.exprs[conjunct].kind else {
                continue;
            };
            let (small, big) = match op {
                BinaryOp::Lt | BinaryOp::Le => (a, b),
                BinaryOp::Gt | BinaryOp::Ge => (b, a),
                _ => continue,
            };
            let (own, other) = if lower { (big, small) } else { (small, big) };
            if self.is_var(own, var) && !self.mentions_any(other, &[var]) {
                return Some(other);
            }
        }
        None
    }

    /// Whether an expression is the variable, conversions to integers aside.
    fn is_var(&self, expr: ExprId, var: VarId) -> bool {
        match self.program.exprs[expr].kind {
            ExprKind::Var(v) => v == var,
            ExprKind::Convert(inner, ty) => {
                let from = self.program.representation(self.program.exprs[inner].ty);
                from == self.program.representation(ty) && self.is_var(inner, var)
            }
            _ => false,
        }
    }

    pub(crate) fn mentions_any(&self, root: ExprId, vars: &[VarId]) -> bool {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            let kind = &self.program.exprs[expr].kind;
            if let ExprKind::Var(var) = kind
                && vars.contains(var)
            {
                return true;
            }
            stack.extend(kind.children());
        }
        false
    }

    /// Whether finitely many values have this bound.
    pub(crate) fn is_finite(&self, bound: &VarBound) -> bool {
        match bound {
            VarBound::Range(lo, hi) => lo.is_some() && hi.is_some(),
            VarBound::In(collection) | VarBound::SubsetOf(collection) => {
                let ty = self.program.exprs[*collection].ty;
                !matches!(
                    &*self.program.types.kind(self.program.representation(ty)),
                    TyKind::Set { finite: false, .. } | TyKind::Map { finite: false, .. }
                )
            }
            VarBound::Exact(_) | VarBound::FiniteType | VarBound::Allocated => true,
            VarBound::Enumerable => false,
        }
    }

    /// Comprehensions of finite sets and maps have finite bounds.
    pub(crate) fn check_finite(&mut self) {
        for (owner, roots) in self.sound_roots() {
            self.frame.module = Some(owner);
            for id in self.exprs_below(&roots) {
                self.check_finite_expr(id);
            }
        }
    }

    fn check_finite_expr(&mut self, id: ExprId) {
        let expr = &self.program.exprs[id];
        if !self.is_finite_collection(expr.ty) {
            return;
        }
        let (vars, bounds, what) = match &expr.kind {
            ExprKind::SetComprehension { vars, bounds, .. } => {
                if let TyKind::Set { elem, .. } = &*self
                    .program
                    .types
                    .kind(self.program.representation(expr.ty))
                    && (self.finite_type(*elem, 0) || self.program.is_reference(*elem))
                {
                    return;
                }
                (vars, bounds, "set")
            }
            ExprKind::MapComprehension { vars, bounds, .. } => {
                if let TyKind::Map { key, .. } = &*self
                    .program
                    .types
                    .kind(self.program.representation(expr.ty))
                    && self.finite_type(*key, 0)
                {
                    return;
                }
                (vars, bounds, "map")
            }
            _ => return,
        };
        let tok = expr.tok;
        let names: Vec<String> = vars
            .iter()
            .zip(bounds)
            .filter(|(_, bound)| !bound.as_ref().is_some_and(|b| self.is_finite(b)))
            .map(|(&v, _)| self.text(self.program.vars[v].name))
            .collect();
        for name in names {
            self.error(tok, format!("the result of a {what} comprehension must be finite, but Dafny's heuristics can't figure out how to produce a bounded set of values for '{name}'"));
        }
    }

    /// Whether the constraints that separate the values of a bound from the variable's type can be compiled.
    pub(crate) fn constraints_compile(&self, var: VarId, bound: &VarBound) -> bool {
        let ty = self.program.vars[var].ty;
        let source = match bound {
            VarBound::In(collection) => {
                let repr = self
                    .program
                    .representation(self.program.exprs[*collection].ty);
                self.program.types.children(repr).first().copied()
            }
            VarBound::Exact(value) => Some(self.program.exprs[*value].ty),
            _ => None,
        };
        let mut at = ty;
        for _ in 0..100 {
            if source.is_some_and(|s| self.program.is_subtype(s, at)) {
                return true;
            }
            let TyKind::Named { decl, args, .. } = &*self.program.types.kind(at) else {
                return true;
            };
            let d = &self.program.decls[*decl];
            match &d.kind {
                TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) => {
                    if c.constraint.is_some_and(|e| self.uses_spec(e)) {
                        return false;
                    }
                    at = self.program.instantiate(c.base, &d.params, args);
                }
                TypeDeclKind::Synonym(to) => at = self.program.instantiate(*to, &d.params, args),
                _ => return true,
            }
        }
        true
    }
}
