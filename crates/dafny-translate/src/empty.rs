//! Types that may be empty, where sorts are not.
//!
//! A generic declaration is verified with a sort for each type parameter, and sorts are never empty. What is proved with
//! a quantifier over all values of a type parameter may therefore be false for an empty type. Such quantifiers are
//! found here; in a program that has one and uses a type that may be empty as a type argument, type parameters are guarded: their
//! values satisfy a predicate that nothing is known of. Quantifiers over the members of a collection do no harm:
//! collections over an empty type are empty.

use crate::cx::Cx;
use stet_base::Span;
use stet_dafny::tree::{
    AutoInit, ExprKind, Program, StmtKind, Ty, TyKind, TypeParamId, VarBound, VarId,
};

/// A place with a quantifier over all values of a type parameter.
pub(crate) fn unbounded_generic(p: &Program) -> Option<Span> {
    let found = p.exprs.iter().find(|(_, e)| match &e.kind {
        ExprKind::Quantifier(q) => is_unbounded(p, &q.vars, &q.bounds),
        ExprKind::LetSuchThat { vars, bounds, .. }
        | ExprKind::SetComprehension { vars, bounds, .. }
        | ExprKind::MapComprehension { vars, bounds, .. } => is_unbounded(p, vars, bounds),
        _ => false,
    });
    let in_stmt = || {
        let found = p.stmts.iter().find(|(_, s)| match &s.kind {
            StmtKind::Forall { vars, bounds, .. } => is_unbounded(p, vars, bounds),
            StmtKind::AssignSuchThat { lhss, .. } => lhss
                .iter()
                .any(|&e| mentions_parameter(p, p.exprs[e].ty, 0)),
            _ => false,
        });
        found.map(|(_, s)| s.tok)
    };
    found.map(|(_, e)| e.tok).or_else(in_stmt)
}

fn is_unbounded(p: &Program, vars: &[VarId], bounds: &[Option<VarBound>]) -> bool {
    vars.iter().enumerate().any(|(i, &v)| {
        let bounded = matches!(
            bounds.get(i),
            Some(Some(
                VarBound::In(_) | VarBound::SubsetOf(_) | VarBound::Exact(_)
            ))
        );
        !bounded && mentions_parameter(p, p.vars[v].ty, 0)
    })
}

fn mentions_parameter(p: &Program, ty: Ty, depth: u32) -> bool {
    if let TyKind::Param(param) = &*p.types.kind(ty) {
        return may_be_empty(p, *param);
    }
    depth < 50
        && p.types
            .children(ty)
            .into_iter()
            .any(|c| mentions_parameter(p, c, depth + 1))
}

/// Whether a type parameter may stand for an empty type.
pub(crate) fn may_be_empty(p: &Program, param: TypeParamId) -> bool {
    let c = p.type_params[param].characteristics;
    !c.nonempty && !c.auto_init
}

impl Cx<'_> {
    /// Notes a type argument that may be empty if that could make a proof wrong.
    pub(crate) fn may_instantiate(&mut self, ty: Ty) {
        if self.unbounded_generic.is_none() || matches!(&*self.p.types.kind(ty), TyKind::Param(_)) {
            return;
        }
        // What a type parameter inside stands for is looked at where it is given.
        let int = self.p.types.int;
        let known = self.p.types.substitute(ty, &|_| Some(int));
        self.wants_guard |= self.auto_init(known) == AutoInit::MaybeEmpty;
    }
}
