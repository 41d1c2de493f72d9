//! Whether a quantifier has terms to be matched by.
//!
//! A term can be one if it is a function, a selection or an operation on collections, mentions a bound variable, and holds
//! nothing that the prover interprets: no sum, comparison, connective or binder. Terms that together mention all bound
//! variables are enough.

use super::{
    Attribute, BinaryOp, ExprId, ExprKind, Method, Pattern, PatternKind, Program, TyKind,
    TypeDeclKind, UnaryOp, VarId,
};

/// What a subexpression is for the terms around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A term by itself.
    Term,
    /// A variable or constant: part of a term, not one.
    Leaf,
    /// Nothing around it is a term.
    Interpreted,
}

impl Program {
    /// The parameters that `{:induction …}` names, all that have a measure if it names none; nothing if it is switched off.
    pub fn induction_variables(&self, m: &Method, induction: &Attribute) -> Option<Vec<VarId>> {
        let has_measure = |v: &VarId| {
            let rep = self.representation(self.vars[*v].ty);
            match &*self.types.kind(rep) {
                TyKind::Param(_) | TyKind::Arrow { .. } => false,
                TyKind::Named { decl, .. } => {
                    !matches!(self.decls[*decl].kind, TypeDeclKind::Abstract(_))
                }
                _ => true,
            }
        };
        let all = || m.ins.iter().copied().filter(has_measure).collect();
        let mut chosen = Vec::new();
        for &arg in &induction.args {
            match &self.exprs[arg].kind {
                ExprKind::Bool(false) => return None,
                ExprKind::Bool(true) => return Some(all()),
                ExprKind::Var(v) => chosen.push(*v),
                _ => {}
            }
        }
        Some(match induction.args.is_empty() {
            true => all(),
            false => chosen,
        })
    }

    /// Whether terms in `roots` mention all of the variables.
    pub fn has_trigger(&self, vars: &[VarId], roots: &[ExprId]) -> bool {
        let mut covered: Vec<VarId> = Vec::new();
        let inner = self.bound_inside(roots);
        let mut pending: Vec<ExprId> = roots.to_vec();
        while let Some(e) = pending.pop() {
            if self.shape(e) == Shape::Term && self.is_matchable(e) {
                let mut mentioned = Vec::new();
                self.mentioned(e, &mut mentioned);
                if !mentioned.iter().any(|v| inner.contains(v)) {
                    covered.extend(mentioned);
                }
            }
            pending.extend(self.exprs[e].kind.children());
        }
        vars.iter().all(|v| covered.contains(v))
    }

    /// The variables of patterns and binders inside: no term outside their scope mentions them.
    fn bound_inside(&self, roots: &[ExprId]) -> Vec<VarId> {
        let mut found = Vec::new();
        let mut pending: Vec<ExprId> = roots.to_vec();
        while let Some(e) = pending.pop() {
            match &self.exprs[e].kind {
                ExprKind::Match { cases, .. } => cases
                    .iter()
                    .for_each(|c| pattern_vars(&c.pattern, &mut found)),
                ExprKind::Quantifier(q) => found.extend(&q.vars),
                ExprKind::SetComprehension { vars, .. }
                | ExprKind::MapComprehension { vars, .. }
                | ExprKind::Lambda { vars, .. }
                | ExprKind::LetSuchThat { vars, .. } => found.extend(vars),
                _ => {}
            }
            pending.extend(self.exprs[e].kind.children());
        }
        found
    }

    /// Whether nothing in a term is interpreted.
    fn is_matchable(&self, root: ExprId) -> bool {
        let mut pending = vec![root];
        while let Some(e) = pending.pop() {
            if self.shape(e) == Shape::Interpreted {
                return false;
            }
            pending.extend(self.exprs[e].kind.children());
        }
        true
    }

    fn mentioned(&self, root: ExprId, found: &mut Vec<VarId>) {
        let mut pending = vec![root];
        while let Some(e) = pending.pop() {
            if let ExprKind::Var(v) = self.exprs[e].kind
                && !found.contains(&v)
            {
                found.push(v);
            }
            pending.extend(self.exprs[e].kind.children());
        }
    }

    fn shape(&self, e: ExprId) -> Shape {
        match &self.exprs[e].kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Null
            | ExprKind::Var(_)
            | ExprKind::This
            | ExprKind::StaticConst { .. }
            | ExprKind::FunctionValue { .. }
            | ExprKind::Convert(..) => Shape::Leaf,
            ExprKind::Field { .. }
            | ExprKind::Destructor { .. }
            | ExprKind::TupleSelect(..)
            | ExprKind::Discriminator(..)
            | ExprKind::Property(..)
            | ExprKind::Call(_)
            | ExprKind::Apply(..)
            | ExprKind::FnRequires(..)
            | ExprKind::FnReads(..)
            | ExprKind::FnProperty(..)
            | ExprKind::Ctor { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Old(..)
            | ExprKind::Fresh(..)
            | ExprKind::Unchanged(..)
            | ExprKind::Allocated(_)
            | ExprKind::Index(..)
            | ExprKind::ArrayIndex(..)
            | ExprKind::Slice(..)
            | ExprKind::Update(..)
            | ExprKind::DatatypeUpdate { .. }
            | ExprKind::SetDisplay(_)
            | ExprKind::MultisetDisplay(_)
            | ExprKind::SeqDisplay(_)
            | ExprKind::MapDisplay(_)
            | ExprKind::MultisetOf(_)
            | ExprKind::SeqConstruct(..)
            | ExprKind::PrefixEq { .. }
            | ExprKind::Unary(UnaryOp::Cardinality, _) => Shape::Term,
            // Membership in what is listed is a disjunction of equalities.
            ExprKind::Binary(BinaryOp::In | BinaryOp::NotIn, _, of) if self.is_listed(*of) => {
                Shape::Interpreted
            }
            ExprKind::Binary(op, ..) => self.operator_shape(*op),
            _ => Shape::Interpreted,
        }
    }

    fn is_listed(&self, e: ExprId) -> bool {
        matches!(
            self.exprs[e].kind,
            ExprKind::SetDisplay(_) | ExprKind::SeqDisplay(_) | ExprKind::MultisetDisplay(_)
        )
    }

    fn operator_shape(&self, op: BinaryOp) -> Shape {
        match op {
            BinaryOp::Concat
            | BinaryOp::In
            | BinaryOp::NotIn
            | BinaryOp::Union
            | BinaryOp::Intersection
            | BinaryOp::Difference
            | BinaryOp::ProperSubset
            | BinaryOp::Subset
            | BinaryOp::Superset
            | BinaryOp::ProperSuperset
            | BinaryOp::MapMerge
            | BinaryOp::MapSubtract
            | BinaryOp::Mul
            | BinaryOp::RankLt
            | BinaryOp::RankGt => Shape::Term,
            _ => Shape::Interpreted,
        }
    }
}

fn pattern_vars(pattern: &Pattern, found: &mut Vec<VarId>) {
    match &pattern.kind {
        PatternKind::Var(v) => found.push(*v),
        PatternKind::Ctor(_, parts) | PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
            parts.iter().for_each(|part| pattern_vars(part, found));
        }
        PatternKind::Wild | PatternKind::Value(_) => {}
    }
}
