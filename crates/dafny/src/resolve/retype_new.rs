//! Narrow types of new objects and arrays whose type arguments are left out.
//!
//! What is assigned to a variable of a declared type has the arguments of that type; otherwise the arguments of the constructor
//! decide.

use super::Resolver;
use super::infer::pre_type;
use super::retype::Retype;
use crate::tree::{ExprId, ExprKind, MemberKind, MethodCall, Rhs, StmtId, StmtKind, Ty, TyKind};
use stet_base::FastMap;

impl Resolver<'_> {
    /// The type of an allocation, now known.
    pub(crate) fn allocated_type(&self, stmt: StmtId, index: usize) -> Option<Ty> {
        let StmtKind::Assign { rhss, .. } = &self.program.stmts[stmt].kind else {
            return None;
        };
        match rhss.get(index)? {
            Rhs::NewObject { ty, .. } | Rhs::NewArray { ty, .. } => Some(*ty),
            Rhs::Expr(_) | Rhs::Havoc => None,
        }
    }

    /// Narrows an allocation that is assigned to `lhs`.
    pub(crate) fn retype_new(&mut self, state: &mut Retype, lhs: ExprId, rhs: &mut Rhs) {
        let (Rhs::NewObject { span, ty, .. } | Rhs::NewArray { span, ty, .. }) = rhs else {
            return;
        };
        if !self.partly_new.contains(span) {
            return;
        }
        let old = *ty;
        let wanted = self.settled_type(state, lhs).and_then(|want| {
            let want = self.program.base_type(want);
            let args = self.program.types.children(want);
            let fits = pre_type(&self.program, want) == pre_type(&self.program, old)
                && args.len() == self.program.types.children(old).len();
            fits.then_some(args)
        });
        let args = match (wanted, &*rhs) {
            (Some(args), _) => args,
            (
                None,
                Rhs::NewObject {
                    init: Some(call), ..
                },
            ) => self.constructed_args(call),
            _ => return,
        };
        let new = self.program.types.with_children(old, &args);
        if pre_type(&self.program, new) != pre_type(&self.program, old) {
            return;
        }
        state.changed |= new != old;
        match rhs {
            Rhs::NewObject { ty, init, .. } => {
                *ty = new;
                if let Some(call) = init {
                    call.owner_args = args;
                }
            }
            Rhs::NewArray { ty, elem, .. } => {
                *ty = new;
                if let [arg] = args[..] {
                    *elem = arg;
                }
            }
            Rhs::Expr(_) | Rhs::Havoc => {}
        }
    }

    /// The type of a place to which something is assigned, if it was declared there, or if several values decide it together.
    fn settled_type(&self, state: &Retype, lhs: ExprId) -> Option<Ty> {
        match self.program.exprs[lhs].kind {
            ExprKind::Var(var) if self.inferred_vars.contains(&var) => {
                let is_joined = state.sources.get(&var).is_some_and(|all| all.len() > 1);
                (state.settled && is_joined).then(|| self.program.vars[var].ty)
            }
            _ => Some(self.ty_at(lhs)),
        }
    }

    /// The arguments of a class, as the arguments of its constructor say.
    fn constructed_args(&self, call: &MethodCall) -> Vec<Ty> {
        let mut found = FastMap::default();
        if let MemberKind::Method(m) = &self.program.members[call.method].kind {
            for (&formal, &arg) in m.ins.iter().zip(&call.args) {
                let formal = self.program.vars[formal].ty;
                if self.assigned_type(arg).is_some() {
                    self.match_type(formal, self.ty_at(arg), &mut found, 0);
                }
            }
        }
        let params = self.program.owner_params(call.method).iter();
        params
            .zip(&call.owner_args)
            .map(|(param, &old)| {
                let old = pre_type(&self.program, old);
                self.narrower(found.get(param).copied(), old)
            })
            .collect()
    }

    /// Whether types of an allocation were left out: `new C(…)` of a generic class, `new [n]`.
    pub(crate) fn is_partly_new(&self, ty: Ty) -> bool {
        let ty = self.infer.shallow(&self.program, ty);
        matches!(&*self.program.types.kind(ty), TyKind::Infer(_))
            || super::zonk::contains_infer(&self.program, ty)
    }
}
