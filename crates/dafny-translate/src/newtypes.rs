//! Newtypes: whatever makes a value of one satisfies its constraint.

use crate::cx::{Cx, Env};
use crate::tree::S;
use crate::wf::check;
use stet_dafny::tree::{ExprId, ExprKind, TyKind, TypeDeclKind};

/// Whether an expression makes a value of its own from a literal, an operator or a comprehension, so that nothing has checked the
/// constraint of a newtype that it has. Other expressions hand on values of their type, or check it themselves.
pub(crate) fn makes_value(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Discriminator(..)
        | ExprKind::Property(..)
        | ExprKind::FnRequires(..)
        | ExprKind::FnReads(..)
        | ExprKind::Binary(..)
        | ExprKind::PrefixEq { .. }
        | ExprKind::Unary(..)
        | ExprKind::Unchanged(..)
        | ExprKind::Fresh(..)
        | ExprKind::Allocated(_)
        | ExprKind::Slice(..)
        | ExprKind::Update(..)
        | ExprKind::DatatypeUpdate { .. }
        | ExprKind::SetDisplay(_)
        | ExprKind::MultisetDisplay(_)
        | ExprKind::SeqDisplay(_)
        | ExprKind::MapDisplay(_)
        | ExprKind::Rotate(..)
        | ExprKind::SeqConstruct(..)
        | ExprKind::MultisetOf(_)
        | ExprKind::Quantifier(_)
        | ExprKind::SetComprehension { .. }
        | ExprKind::MapComprehension { .. }
        | ExprKind::Lambda { .. }
        | ExprKind::TypeTest(..)
        | ExprKind::DecreasesTo { .. } => true,
        ExprKind::Null
        | ExprKind::Var(_)
        | ExprKind::This
        | ExprKind::Field { .. }
        | ExprKind::StaticConst { .. }
        | ExprKind::Destructor { .. }
        | ExprKind::TupleSelect(..)
        | ExprKind::Call(_)
        | ExprKind::FunctionValue { .. }
        | ExprKind::Apply(..)
        | ExprKind::FnProperty(..)
        | ExprKind::Ctor { .. }
        | ExprKind::Tuple(_)
        | ExprKind::Old(..)
        | ExprKind::Index(..)
        | ExprKind::ArrayIndex(..)
        | ExprKind::Ite(..)
        | ExprKind::Match { .. }
        | ExprKind::Let { .. }
        | ExprKind::LetSuchThat { .. }
        | ExprKind::StmtExpr(..)
        | ExprKind::Convert(..)
        | ExprKind::Error => false,
    }
}

impl Cx<'_> {
    /// The result of an operation on a newtype must satisfy its constraint.
    pub(crate) fn result_fits(&mut self, e: ExprId, env: &Env, out: &mut Vec<S>) {
        let ty = self.type_of(e, env);
        let kind = self.p.types.kind(ty);
        let TyKind::Named { decl, .. } = &*kind else {
            return;
        };
        let declared = &self.p.decls[*decl];
        let TypeDeclKind::Newtype(_) = &declared.kind else {
            return;
        };
        let name = self.p.text(declared.name).to_owned();
        let value = self.expr(e, env);
        let fits = self.is_type(ty, &value);
        let span = self.p.exprs[e].tok;
        let message = format!(
            "result of operation could not be proved to satisfy newtype constraint for '{name}'"
        );
        out.push(check(fits, span, message));
    }
}
