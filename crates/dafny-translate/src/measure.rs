//! Termination measures: lexicographic tuples of values of well-founded orders.

use crate::cx::{Cx, Env};
use crate::tree::*;
use stet_base::Span;
use stet_dafny::tree::{ExprId, Ty, TyKind};

/// A value of a measure, with its represented type.
pub(crate) type Measured = (Ty, B);

impl Cx<'_> {
    pub(crate) fn measure(&mut self, exprs: &[ExprId], env: &Env) -> Vec<Measured> {
        exprs
            .iter()
            .map(|&e| (self.rep_of(e, env), self.expr(e, env)))
            .collect()
    }

    /// That `new` is below `old`; with `allow_equal`, or the same. Tuples end with a value above all others.
    pub(crate) fn decreases(
        &mut self,
        new: &[Measured],
        old: &[Measured],
        allow_equal: bool,
        span: Span,
    ) -> B {
        let mut common = 0;
        while common < new.len()
            && common < old.len()
            && self.comparable(new[common].0, old[common].0)
        {
            common += 1;
        }
        let ends_below = common == old.len() && common < new.len();
        let mut result = boolean(allow_equal || ends_below);
        for i in (0..common).rev() {
            let (ty, a) = &new[i];
            let b = &old[i].1;
            let below = self.below(*ty, a, b, span);
            let same = self.equal(*ty, a.clone(), b.clone());
            result = or(below, and(same, result));
        }
        result
    }

    /// That a measure is what it was or has become smaller; integers may have fallen below zero in the last step.
    pub(crate) fn has_fallen(&mut self, now: &[Measured], before: &[Measured], span: Span) -> B {
        let mut result = tt();
        for ((ty, a), (_, b)) in now.iter().zip(before).rev() {
            let below = match &*self.p.types.kind(*ty) {
                TyKind::Int | TyKind::Nat => lt(a.clone(), b.clone()),
                TyKind::Real => le(a.clone(), sub(b.clone(), real(1.into(), 0))),
                _ => self.below(*ty, a, b, span),
            };
            let same = self.equal(*ty, a.clone(), b.clone());
            result = or(below, and(same, result));
        }
        result
    }

    fn comparable(&mut self, a: Ty, b: Ty) -> bool {
        a == b
            || (self.p.is_reference(a) && self.p.is_reference(b))
            || self.sort_name(a) == self.sort_name(b)
    }

    fn below(&mut self, rep: Ty, new: &B, old: &B, span: Span) -> B {
        let kind = self.p.types.kind(rep);
        let (a, b) = (new.clone(), old.clone());
        match &*kind {
            TyKind::Int | TyKind::Nat => and(le(int(0), b.clone()), lt(a, b)),
            TyKind::Bool => and(not(a), b),
            TyKind::Real => {
                let zero = real(0.into(), 0);
                let one = real(1.into(), 0);
                and(le(zero, b.clone()), le(a, sub(b, one)))
            }
            TyKind::Char => {
                let code = |c: B| app("$char.code", vec![c]);
                lt(code(a), code(b))
            }
            TyKind::Ordinal => app("$Ord.lt", vec![a, b]),
            TyKind::Bv(width) => self.bv_app("bvult", *width, vec![a, b]),
            TyKind::Seq(elem) => {
                let elem = self.rep(*elem);
                if self.is_ranked(elem) {
                    return lt(self.rank(rep, new, span), self.rank(rep, old, span));
                }
                let len = |cx: &mut Self, s: B| cx.cardinality(rep, s, span);
                lt(len(self, a), len(self, b))
            }
            TyKind::Set { finite: true, elem } => {
                let sort = self.sort_name(*elem);
                let subset = |x: B, y: B| app(&format!("$Set.subset${sort}"), vec![x, y]);
                and(subset(a.clone(), b.clone()), not(subset(b, a)))
            }
            TyKind::Multiset(elem) => {
                let sort = self.sort_name(*elem);
                let subset = |x: B, y: B| app(&format!("$MultiSet.subset${sort}"), vec![x, y]);
                and(subset(a.clone(), b.clone()), not(subset(b, a)))
            }
            TyKind::Map {
                finite: true, key, ..
            } => {
                let sort = self.sort_name(*key);
                let (x, y) = (
                    self.map_app("dom", rep, vec![a]),
                    self.map_app("dom", rep, vec![b]),
                );
                let subset = |x: B, y: B| app(&format!("$Set.subset${sort}"), vec![x, y]);
                and(subset(x.clone(), y.clone()), not(subset(y, x)))
            }
            _ if self.is_ranked(rep) => lt(self.rank(rep, new, span), self.rank(rep, old, span)),
            _ if self.p.is_reference(rep) => and(eq(a, var("null")), neq(b, var("null"))),
            // Values of other types are not ordered.
            _ => ff(),
        }
    }

    /// `decreases old to new`.
    pub(crate) fn decreases_to(
        &mut self,
        old: &[ExprId],
        new: &[ExprId],
        allow_equal: bool,
        env: &Env,
    ) -> B {
        let before = self.measure(old, env);
        let after = self.measure(new, env);
        let span = self.here;
        self.decreases(&after, &before, allow_equal, span)
    }
}
