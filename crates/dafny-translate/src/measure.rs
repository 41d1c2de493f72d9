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

    /// That `new` is below `old`, in an order in which nothing falls for ever. Tuples end with a value above all others.
    pub(crate) fn decreases(&mut self, new: &[Measured], old: &[Measured], span: Span) -> B {
        self.compare(new, old, false, true, span)
    }

    /// That `new` is below `old` or the same.
    pub(crate) fn decreases_or_equal(
        &mut self,
        new: &[Measured],
        old: &[Measured],
        span: Span,
    ) -> B {
        self.compare(new, old, true, true, span)
    }

    /// The comparison of two tuples: with `allow_equal`, they may be the same; with `bounded`, numbers fall only from
    /// zero upwards.
    fn compare(
        &mut self,
        new: &[Measured],
        old: &[Measured],
        allow_equal: bool,
        bounded: bool,
        span: Span,
    ) -> B {
        let mut common = 0;
        while common < new.len()
            && common < old.len()
            && (self.comparable(new[common].0, old[common].0)
                || self.is_structural(new[common].0) && self.is_structural(old[common].0))
        {
            common += 1;
        }
        let ends_below = common == old.len() && common < new.len();
        let mut result = boolean(allow_equal || ends_below);
        for i in (0..common).rev() {
            let (ty, a) = &new[i];
            let (of, b) = &old[i];
            if self.sort_name(*ty) != self.sort_name(*of) {
                result = lt(self.rank(*ty, a, span), self.rank(*of, b, span));
                continue;
            }
            let below = match &*self.p.types.kind(*ty) {
                TyKind::Int | TyKind::Nat if !bounded => lt(a.clone(), b.clone()),
                TyKind::Real if !bounded => le(a.clone(), sub(b.clone(), real(1.into(), 0))),
                _ => self.below(*ty, a, b, span),
            };
            let same = self.as_high(*ty, a, b, span);
            result = or(below, and(same, result));
        }
        result
    }

    /// For each number of a measure: that it was not negative before, unless an earlier part changes or it does not.
    pub(crate) fn bounded_below(&mut self, new: &[Measured], old: &[Measured]) -> Vec<(usize, B)> {
        let mut found = Vec::new();
        let mut same_before = tt();
        for (i, ((ty, a), (of, b))) in new.iter().zip(old).enumerate() {
            if self.sort_name(*ty) != self.sort_name(*of) {
                break;
            }
            let zero = match &*self.p.types.kind(*ty) {
                TyKind::Int => Some(int(0)),
                TyKind::Real => Some(real(0.into(), 0)),
                _ => None,
            };
            let same = self.equal(*ty, a.clone(), b.clone());
            if let Some(zero) = zero {
                let bounded = or(le(zero, b.clone()), same.clone());
                found.push((i, imp(same_before.clone(), bounded)));
            }
            same_before = and(same_before, same);
        }
        found
    }

    /// The checks of [`bounded_below`](Self::bounded_below); values of type `nat` need none.
    #[expect(clippy::too_many_arguments, reason = "a measure in one context")]
    pub(crate) fn check_bounds(
        &mut self,
        new: &[Measured],
        old: &[Measured],
        exprs: &[ExprId],
        places: &[Span],
        when: &str,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let count = new.len();
        for (i, bounded) in self.bounded_below(new, old) {
            let Some((&e, &place)) = exprs.get(i).zip(places.get(i)) else {
                continue;
            };
            if self.type_of(e, env) == self.p.types.nat {
                continue;
            }
            let which = if count == 1 {
                String::new()
            } else {
                format!(" at index {i}")
            };
            let message = format!("decreases expression{which} must be bounded below by 0{when}");
            out.push(crate::wf::check(bounded, place, message));
        }
    }

    /// That two values are equal as far as [`Cx::below`] distinguishes values.
    fn as_high(&mut self, rep: Ty, a: &B, b: &B, span: Span) -> B {
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Seq(elem) => {
                let elem = self.rep(*elem);
                let high = |cx: &mut Self, s: &B| match cx.is_ranked(elem) {
                    true => cx.rank(rep, s, span),
                    false => cx.cardinality(rep, s.clone(), span),
                };
                eq(high(self, a), high(self, b))
            }
            TyKind::Named { .. } | TyKind::Tuple(..) if self.is_ranked(rep) => {
                eq(self.rank(rep, a, span), self.rank(rep, b, span))
            }
            // Only null is below objects, so all of these are equally high.
            _ if self.p.is_reference(rep) => {
                iff(eq(a.clone(), var("null")), eq(b.clone(), var("null")))
            }
            _ => self.equal(rep, a.clone(), b.clone()),
        }
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

    /// Whether values of a type are compared by their ranks, or so that a smaller one has no larger rank: then they can be
    /// compared with those of other such types.
    fn is_structural(&mut self, rep: Ty) -> bool {
        match &*self.p.types.kind(rep) {
            TyKind::Seq(elem) | TyKind::Set { finite: true, elem } => {
                let elem = self.rep(*elem);
                self.is_ranked(elem)
            }
            TyKind::Named { .. } => self.is_ranked(rep),
            _ => false,
        }
    }

    /// Whether values of two types are in one order; parts of a datatype value or tuple are below it.
    fn comparable(&mut self, a: Ty, b: Ty) -> bool {
        let has_parts = |cx: &Self, ty: Ty| match &*cx.p.types.kind(ty) {
            TyKind::Named { .. } => cx.is_ranked(ty),
            TyKind::Tuple(..) => true,
            _ => false,
        };
        a == b
            || (self.p.is_reference(a) && self.p.is_reference(b))
            || self.sort_name(a) == self.sort_name(b)
            || (self.is_ranked(a) && has_parts(self, b))
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
        self.compare(&after, &before, allow_equal, false, span)
    }
}
