//! No recursion through the heap: functions that could reach themselves are not stored in memory.
//!
//! * A function with read effects (`~>`) is not assigned to a field or an array element.
//! * A function that takes objects of a class (or of a trait it implements) is not assigned to a field of that class.

use super::Resolver;
use crate::tree::{ArrowKind, DeclId, ExprId, ExprKind, Rhs, StmtId, StmtKind, Ty, TyKind};

impl Resolver<'_> {
    pub(crate) fn check_knots(&mut self) {
        let stmts: Vec<StmtId> = self.program.stmts.ids().collect();
        for stmt in stmts {
            let StmtKind::Assign { lhss, rhss } = self.program.stmts[stmt].kind.clone() else {
                continue;
            };
            let tok = self.program.stmts[stmt].tok;
            for (lhs, rhs) in lhss.into_iter().zip(rhss) {
                let Rhs::Expr(value) = rhs else {
                    continue;
                };
                if let Some(message) = self.knot(lhs, value) {
                    self.error(tok, message);
                }
            }
        }
    }

    fn knot(&self, lhs: ExprId, value: ExprId) -> Option<&'static str> {
        let object = match self.program.exprs[lhs].kind {
            ExprKind::Field { object, .. } => Some(object),
            ExprKind::ArrayIndex(..) => None,
            _ => return None,
        };
        let ty = self.program.exprs[value].ty;
        let reads = |kind: ArrowKind, _: &[Ty]| kind == ArrowKind::General;
        if self.has_arrow(ty, &reads, &mut Vec::new()) {
            return Some(
                "To prevent the creation of non-terminating functions, storing functions with read effects into memory is disallowed",
            );
        }
        let class = self.program.base_type(self.program.exprs[object?].ty);
        let takes = |_: ArrowKind, params: &[Ty]| {
            params
                .iter()
                .any(|&p| self.may_reach(p, class, &mut Vec::new()))
        };
        self.has_arrow(ty, &takes, &mut Vec::new())
            .then_some("To prevent the creation of non-terminating functions, storing functions into an object's fields that reads the object is disallowed")
    }

    /// Whether a value of type `ty` may be, or hold, an object of type `class`.
    fn may_reach(&self, ty: Ty, class: Ty, seen: &mut Vec<DeclId>) -> bool {
        let base = self.program.base_type(ty);
        if self.program.is_reference(base) && super::infer::reaches(&self.program, class, base, 0) {
            return true;
        }
        self.parts(base, seen)
            .into_iter()
            .any(|part| self.may_reach(part, class, seen))
    }

    /// Type arguments, and the arguments of datatype constructors not looked into before.
    fn parts(&self, ty: Ty, seen: &mut Vec<DeclId>) -> Vec<Ty> {
        let mut out = self.program.types.children(ty);
        if let TyKind::Named { decl, .. } = &*self.program.types.kind(ty)
            && !seen.contains(decl)
        {
            seen.push(*decl);
            for &ctor in self.program.ctors_of(*decl) {
                let formals = self.program.ctors[ctor].formals.iter();
                out.extend(formals.map(|&f| self.program.vars[f].ty));
            }
        }
        out
    }

    fn has_arrow(
        &self,
        ty: Ty,
        test: &dyn Fn(ArrowKind, &[Ty]) -> bool,
        seen: &mut Vec<DeclId>,
    ) -> bool {
        let ty = match &*self.program.types.kind(ty) {
            TyKind::Arrow { .. } => ty,
            _ => self.program.base_type(ty),
        };
        if let TyKind::Arrow { kind, params, .. } = &*self.program.types.kind(ty)
            && test(*kind, params)
        {
            return true;
        }
        if self.program.is_reference(ty) {
            return false;
        }
        self.parts(ty, seen)
            .into_iter()
            .any(|part| self.has_arrow(part, test, seen))
    }
}
