//! The first use of a bound variable without a type.
//!
//! A variable that is an argument before anything else is said of it has the type of the parameter: with a wider type the
//! call would not be well-formed for all its values, so no other reading of the program can be accepted.

use super::Resolver;
use super::infer::{pre_type, reaches};
use crate::tree::{BinaryOp, ExprId, ExprKind, MemberKind, Ty, TyKind, VarId};

/// How deep the first use is looked for.
const MAX_DEPTH: u32 = 200;

/// What a variable is used as, in the order of evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FirstUse {
    /// An argument for a parameter of this type.
    Argument(Ty),
    Other,
}

impl Resolver<'_> {
    /// The first use of a variable in a condition; nothing if it does not occur.
    pub(crate) fn first_use(&self, var: VarId, e: ExprId, depth: u32) -> Option<FirstUse> {
        if depth > MAX_DEPTH {
            return Some(FirstUse::Other);
        }
        let next = |e: ExprId| self.first_use(var, e, depth + 1);
        match &self.program.exprs[e].kind {
            ExprKind::Var(v) => (*v == var).then_some(FirstUse::Other),
            ExprKind::Binary(
                BinaryOp::And | BinaryOp::Or | BinaryOp::Imp | BinaryOp::Iff,
                a,
                b,
            ) => next(*a).or_else(|| next(*b)),
            ExprKind::Call(call) => {
                let MemberKind::Function(f) = &self.program.members[call.function].kind else {
                    return Some(FirstUse::Other);
                };
                let formals = f.ins.iter().map(|&v| self.program.vars[v].ty);
                let formals = formals.map(|ty| (!self.is_generic(ty)).then_some(ty));
                let of_prefix = f.extreme.as_ref().map(|extreme| extreme.k_type);
                let prefix: Vec<ExprId> = call.prefix.into_iter().collect();
                let in_receiver = call.receiver.and_then(next);
                in_receiver
                    .or_else(|| self.in_arguments(var, &prefix, [of_prefix].into_iter(), depth))
                    .or_else(|| self.in_arguments(var, &call.args, formals, depth))
            }
            ExprKind::Ctor { ctor, args, .. } => {
                let ctor = &self.program.ctors[*ctor];
                let formals = ctor.formals.iter().map(|&v| self.program.vars[v].ty);
                let formals = formals.map(|ty| (!self.is_generic(ty)).then_some(ty));
                self.in_arguments(var, args, formals, depth)
            }
            ExprKind::Apply(f, args)
            | ExprKind::FnRequires(f, args)
            | ExprKind::FnReads(f, args) => {
                let params = match self.declared_arrow(*f, depth) {
                    Some((params, _)) => params.into_iter().map(Some).collect(),
                    None => vec![None; args.len()],
                };
                next(*f).or_else(|| self.in_arguments(var, args, params.into_iter(), depth))
            }
            // What is under another binder may never be evaluated.
            ExprKind::Quantifier(_)
            | ExprKind::SetComprehension { .. }
            | ExprKind::MapComprehension { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::LetSuchThat { .. } => {
                let mut parts = self.program.exprs[e].kind.children().into_iter();
                parts.find_map(next).map(|_| FirstUse::Other)
            }
            ExprKind::StmtExpr(..) => Some(FirstUse::Other),
            kind => kind.children().into_iter().find_map(next),
        }
    }

    /// Whether the parameter takes values of a trait that the variable's type extends: another use decides which values these are.
    fn is_wider(&self, formal: Ty, var: VarId) -> bool {
        let own = pre_type(&self.program, self.program.vars[var].ty);
        let formal = pre_type(&self.program, formal);
        formal != own && reaches(&self.program, own, formal, 0)
    }

    /// The parameters and the result of a function value, as they are declared.
    fn declared_arrow(&self, f: ExprId, depth: u32) -> Option<(Vec<Ty>, Ty)> {
        if depth > MAX_DEPTH {
            return None;
        }
        let ty = match &self.program.exprs[f].kind {
            ExprKind::Var(f) => self.program.vars[*f].ty,
            ExprKind::Apply(g, _) => self.declared_arrow(*g, depth + 1)?.1,
            ExprKind::Call(call) => match &self.program.members[call.function].kind {
                MemberKind::Function(f) if !self.is_generic(f.result) => f.result,
                _ => return None,
            },
            _ => return None,
        };
        match &*self.program.types.kind(self.program.base_type(ty)) {
            TyKind::Arrow { params, result, .. } => Some((params.clone(), *result)),
            _ => None,
        }
    }

    /// Whether a type depends on type parameters.
    fn is_generic(&self, ty: Ty) -> bool {
        let types = &self.program.types;
        matches!(&*types.kind(ty), TyKind::Param(_))
            || types.children(ty).into_iter().any(|c| self.is_generic(c))
    }

    fn in_arguments(
        &self,
        var: VarId,
        args: &[ExprId],
        formals: impl Iterator<Item = Option<Ty>>,
        depth: u32,
    ) -> Option<FirstUse> {
        for (&arg, formal) in args.iter().zip(formals) {
            let found = match self.program.exprs[arg].kind {
                ExprKind::Var(v) if v == var => match formal {
                    Some(formal) if self.is_wider(formal, var) => None,
                    formal => Some(formal.map_or(FirstUse::Other, FirstUse::Argument)),
                },
                _ => self.first_use(var, arg, depth + 1),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
