//! Values without a type of their own get the newtype that is expected of them.
//!
//! Literals, displays, comprehensions and operators make values. Where a newtype over a boolean, a character or a collection is
//! expected, such a value is one of the newtype; that it satisfies the constraint is for the verifier to check. Numbers need
//! none of this: the types of their literals are inferred.

use super::Resolver;
use super::infer::pre_type;
use crate::tree::{BinaryOp, ExprId, ExprKind, Ty, TyKind, TypeDeclKind};

/// How deeply a value is taken apart.
const MAX_DEPTH: u32 = 200;

impl Resolver<'_> {
    /// Makes a value fit where a type is expected; false if it cannot.
    pub(crate) fn fits(&mut self, want: Ty, value: ExprId) -> bool {
        let found = self.program.exprs[value].ty;
        self.infer.assignable(&self.program, want, found) || self.adopt(want, value)
    }

    /// Gives one of two values the newtype of the other, if it has no type of its own.
    pub(crate) fn agree(&mut self, a: ExprId, b: ExprId) {
        let (x, y) = (self.program.exprs[a].ty, self.program.exprs[b].ty);
        let x = self.infer.shallow(&self.program, x);
        let y = self.infer.shallow(&self.program, y);
        match (self.is_newtype(x), self.is_newtype(y)) {
            (true, false) => _ = self.adopt(x, b),
            (false, true) => _ = self.adopt(y, a),
            _ => {}
        }
    }

    /// Gives a value a newtype that is wanted of it, if it has no type of its own.
    pub(crate) fn adopt(&mut self, want: Ty, value: ExprId) -> bool {
        let want = self.infer.shallow(&self.program, want);
        if !self.is_newtype(want) {
            return false;
        }
        let base = pre_type(&self.program, self.program.representation(want));
        let is_adoptable = matches!(
            &*self.program.types.kind(base),
            TyKind::Bool
                | TyKind::Char
                | TyKind::Seq(_)
                | TyKind::Set { .. }
                | TyKind::Multiset(_)
                | TyKind::Map { .. }
        );
        is_adoptable && self.adopt_at(want, base, value, 0)
    }

    fn adopt_at(&mut self, want: Ty, base: Ty, value: ExprId, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let found = self.program.exprs[value].ty;
        if self.infer.shallow(&self.program, found) == want {
            return true;
        }
        let is_bool = base == self.program.types.bool_;
        let parts = match &self.program.exprs[value].kind {
            ExprKind::Binary(op, left, right) if !is_bool => match op {
                BinaryOp::MapSubtract => vec![*left],
                _ => vec![*left, *right],
            },
            ExprKind::Ite(_, then, els) => vec![*then, *els],
            ExprKind::Match { cases, .. } => cases.iter().map(|case| case.body).collect(),
            ExprKind::Let { body, .. }
            | ExprKind::LetSuchThat { body, .. }
            | ExprKind::StmtExpr(_, body) => vec![*body],
            kind if is_own(kind) => Vec::new(),
            _ => return false,
        };
        let fits = match parts.is_empty() {
            true => self.infer.assignable(&self.program, base, found),
            false => parts
                .iter()
                .all(|&part| self.adopt_at(want, base, part, depth + 1)),
        };
        if fits {
            self.program.exprs[value].ty = want;
        }
        fits
    }

    /// Whether an expression has a newtype because that was wanted of it; then its parts say nothing about its type.
    pub(crate) fn is_adopted(&self, id: ExprId, pre: Ty) -> bool {
        let kind = &self.program.exprs[id].kind;
        is_own(kind) && self.is_newtype(pre)
    }

    fn is_newtype(&self, ty: Ty) -> bool {
        matches!(&*self.program.types.kind(ty), TyKind::Named { decl, .. }
            if matches!(self.program.decls[*decl].kind, TypeDeclKind::Newtype(_)))
    }
}

/// Whether a value of this kind has the type that its parts give it only for want of another.
fn is_own(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::SetDisplay(_)
            | ExprKind::SeqDisplay(_)
            | ExprKind::MultisetDisplay(_)
            | ExprKind::MapDisplay(_)
            | ExprKind::SeqConstruct(..)
            | ExprKind::MultisetOf(_)
            | ExprKind::SetComprehension { .. }
            | ExprKind::MapComprehension { .. }
            | ExprKind::Slice(..)
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Discriminator(..)
            | ExprKind::Quantifier(_)
            | ExprKind::TypeTest(..)
            | ExprKind::Fresh(..)
            | ExprKind::Allocated(_)
            | ExprKind::Unchanged(..)
            | ExprKind::PrefixEq { .. }
            | ExprKind::DecreasesTo { .. }
    )
}
