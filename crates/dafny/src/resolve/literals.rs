//! Literals in places of other types: the literal is named, not the assignment around it.

use super::Resolver;
use crate::tree::{ExprId, ExprKind, Ty, TyKind};

impl Resolver<'_> {
    /// Reports the literal because of which `value` does not have type `want`; false if there is none.
    pub(crate) fn blame_literal(&mut self, value: ExprId, want: Ty) -> bool {
        self.blame_literal_at(value, want, 0)
    }

    fn blame_literal_at(&mut self, value: ExprId, want: Ty, depth: u32) -> bool {
        if depth > 100 {
            return false;
        }
        let want = self.infer.shallow(&self.program, want);
        if matches!(
            &*self.program.types.kind(want),
            TyKind::Infer(_) | TyKind::Error
        ) {
            return false;
        }
        let word = match self.program.exprs[value].kind.clone() {
            ExprKind::Int(_) => "integer",
            ExprKind::Real(_) => "decimal",
            ExprKind::Bool(_) => "boolean",
            ExprKind::Char(_) => "character",
            ExprKind::SeqDisplay(items) | ExprKind::SetDisplay(items) => {
                let Some(&elem) = self.program.types.children(want).first() else {
                    return false;
                };
                let mut any = false;
                for item in items {
                    any |= self.blame_literal_at(item, elem, depth + 1);
                }
                return any;
            }
            ExprKind::Ctor { ctor, args, .. } => {
                let decl = self.program.ctors[ctor].decl;
                let TyKind::Named {
                    decl: head,
                    args: targs,
                    ..
                } = (*self.program.types.kind(want)).clone()
                else {
                    return false;
                };
                if head != decl {
                    return false;
                }
                let params = self.program.decls[decl].params.clone();
                let formals = self.program.ctors[ctor].formals.clone();
                let mut any = false;
                for (arg, formal) in args.into_iter().zip(formals) {
                    let ty = self.program.vars[formal].ty;
                    let ty = self.instantiate_pre(ty, &params, &targs);
                    any |= self.blame_literal_at(arg, ty, depth + 1);
                }
                return any;
            }
            _ => return false,
        };
        let fits = match &*self.program.types.kind(self.program.representation(want)) {
            TyKind::Int | TyKind::Ordinal | TyKind::Bv(_) => word == "integer",
            TyKind::Real => word == "decimal",
            TyKind::Bool => word == "boolean",
            TyKind::Char => word == "character",
            _ => false,
        };
        if fits {
            return false;
        }
        let shown = self.show(want);
        let tok = self.program.exprs[value].tok;
        self.error(
            tok,
            format!("{word} literal used as if it had type {shown}"),
        );
        true
    }
}
