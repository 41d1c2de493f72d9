//! Termination measures where the program gives none.

use super::Resolver;
use crate::tree::{
    BinaryOp, Decreases, ExprId, ExprKind, Frame, Guard, MemberId, MemberKind, MethodKind, StmtId,
    StmtKind, Ty, TyKind, TypeDeclKind, VarId,
};
use stet_base::Span;

impl Resolver<'_> {
    pub(crate) fn default_measures(&mut self) {
        let members: Vec<MemberId> = self.program.members.ids().collect();
        for member in members {
            let span = self.program.members[member].span;
            let (ins, reads, decreases, this) = match &self.program.members[member].kind {
                MemberKind::Function(f) => (
                    f.ins.clone(),
                    Some(f.reads.clone()),
                    f.decreases.clone(),
                    true,
                ),
                MemberKind::Method(m) => (
                    m.ins.clone(),
                    None,
                    m.decreases.clone(),
                    m.kind != MethodKind::Constructor,
                ),
                _ => continue,
            };
            if !decreases.inferred || decreases.star || !decreases.exprs.is_empty() {
                continue;
            }
            let this = this && !self.program.members[member].is_static;
            let exprs = if let Some(fields) = self.iterator_parameters(member) {
                self.field_measure(member, &fields, span)
            } else {
                self.parameter_measure(member, &ins, reads.as_ref(), this, span)
            };
            if let MemberKind::Function(f) = &mut self.program.members[member].kind {
                f.decreases.exprs = exprs;
            } else if let MemberKind::Method(m) = &mut self.program.members[member].kind {
                m.decreases.exprs = exprs;
            }
        }
        let stmts: Vec<StmtId> = self.program.stmts.ids().collect();
        for stmt in stmts {
            self.loop_measure(stmt);
        }
    }

    /// The objects read, the receiver if it is a value, and the parameters, as far as their types are ordered.
    fn parameter_measure(
        &mut self,
        member: MemberId,
        ins: &[VarId],
        reads: Option<&Frame>,
        this: bool,
        span: Span,
    ) -> Vec<ExprId> {
        let mut exprs = Vec::new();
        if let Some(reads) = reads
            && let Some(set) = self.frame_set(reads, span)
        {
            exprs.push(set);
        }
        if this && let Some(decl) = self.owner_decl(member) {
            let ty = self.this_type(decl);
            // No object is smaller than another.
            if self.is_ordered(ty) && !self.program.is_reference(ty) {
                exprs.push(self.push_expr_at(span, span, ExprKind::This, ty));
            }
        }
        for &var in ins {
            let ty = self.program.vars[var].ty;
            if self.is_ordered(ty) {
                exprs.push(self.push_expr_at(span, span, ExprKind::Var(var), ty));
            }
        }
        exprs
    }

    /// The parameters of an iterator, which its object keeps.
    fn field_measure(&mut self, member: MemberId, fields: &[MemberId], span: Span) -> Vec<ExprId> {
        let Some(decl) = self.owner_decl(member) else {
            return Vec::new();
        };
        let this_type = self.this_type(decl);
        let owner_args = self.own_args(&self.program.decls[decl].params);
        let mut exprs = Vec::new();
        for &field in fields {
            let MemberKind::Const { ty, .. } = self.program.members[field].kind else {
                continue;
            };
            if self.is_ordered(ty) {
                let object = self.push_expr_at(span, span, ExprKind::This, this_type);
                let owner_args = owner_args.clone();
                let kind = ExprKind::Field {
                    object,
                    field,
                    owner_args,
                };
                exprs.push(self.push_expr_at(span, span, kind, ty));
            }
        }
        exprs
    }

    /// Whether a type has the order measures need.
    fn is_ordered(&self, ty: Ty) -> bool {
        match &*self.program.types.kind(self.program.representation(ty)) {
            TyKind::Param(_)
            | TyKind::Arrow { .. }
            | TyKind::Set { finite: false, .. }
            | TyKind::Map { finite: false, .. } => false,
            TyKind::Named { decl, .. } => !matches!(
                self.program.decls[*decl].kind,
                TypeDeclKind::Abstract(_) | TypeDeclKind::Datatype { co: true, .. }
            ),
            _ => true,
        }
    }

    /// The objects of a frame as one set; nothing if the frame is empty, everything, or has parts that are not sets or objects.
    fn frame_set(&mut self, frame: &Frame, span: Span) -> Option<ExprId> {
        if frame.star || frame.items.is_empty() {
            return None;
        }
        let set_ty = self.program.types.intern(TyKind::Set {
            finite: true,
            elem: self.program.types.object_nullable,
        });
        let mut union: Option<ExprId> = None;
        for item in &frame.items {
            let ty = self.program.base_type(self.program.exprs[item.expr].ty);
            let part = if self.program.is_reference(ty) {
                self.push_expr_at(span, span, ExprKind::SetDisplay(vec![item.expr]), set_ty)
            } else if matches!(
                &*self.program.types.kind(ty),
                TyKind::Set { finite: true, .. }
            ) {
                item.expr
            } else {
                return None;
            };
            union = Some(match union {
                None => part,
                Some(old) => {
                    let kind = ExprKind::Binary(BinaryOp::Union, old, part);
                    self.push_expr_at(span, span, kind, set_ty)
                }
            });
        }
        union
    }

    fn loop_measure(&mut self, id: StmtId) {
        let (guard, decreases) = match &self.program.stmts[id].kind {
            StmtKind::While {
                guard: Guard::Expr(guard),
                spec,
                ..
            } => (*guard, &spec.decreases),
            _ => return,
        };
        if !decreases.inferred || decreases.star || !decreases.exprs.is_empty() {
            return;
        }
        if let Some(measure) = self.guard_measure(guard)
            && let StmtKind::While { spec, .. } = &mut self.program.stmts[id].kind
        {
            spec.decreases = Decreases {
                exprs: vec![measure],
                inferred: true,
                ..Decreases::default()
            };
        }
    }

    /// The distance in the first conjunct that compares; guarded by the conjuncts before it.
    fn guard_measure(&mut self, guard: ExprId) -> Option<ExprId> {
        let mut conjuncts = Vec::new();
        self.conjuncts(guard, &mut conjuncts);
        let mut prefix: Option<ExprId> = None;
        for conjunct in conjuncts {
            let tok = self.program.exprs[conjunct].tok;
            if let Some(guess) = self.distance(conjunct) {
                let Some(prefix) = prefix else {
                    return Some(guess);
                };
                let ty = self.program.exprs[guess].ty;
                if !matches!(&*self.program.types.kind(ty), TyKind::Int) {
                    return Some(guess);
                }
                let minus_one = self.push_expr_at(tok, tok, ExprKind::Int((-1).into()), ty);
                return Some(self.push_expr_at(
                    tok,
                    tok,
                    ExprKind::Ite(prefix, guess, minus_one),
                    ty,
                ));
            }
            prefix = Some(self.conjoin(prefix, conjunct));
        }
        None
    }

    fn conjuncts(&self, guard: ExprId, out: &mut Vec<ExprId>) {
        // Conjunctions nest to the left: walk down, then reverse.
        let mut at = guard;
        let mut rights = Vec::new();
        while let ExprKind::Binary(BinaryOp::And, left, right) = self.program.exprs[at].kind {
            rights.push(right);
            at = left;
        }
        out.push(at);
        for right in rights.into_iter().rev() {
            if matches!(
                self.program.exprs[right].kind,
                ExprKind::Binary(BinaryOp::And, ..)
            ) {
                self.conjuncts(right, out);
            } else {
                out.push(right);
            }
        }
    }

    fn distance(&mut self, conjunct: ExprId) -> Option<ExprId> {
        let ExprKind::Binary(op, left, right) = self.program.exprs[conjunct].kind else {
            return None;
        };
        let tok = self.program.exprs[conjunct].tok;
        let ty = self.program.representation(self.program.exprs[left].ty);
        let number = matches!(&*self.program.types.kind(ty), TyKind::Int | TyKind::Real);
        let int = self.program.types.int;
        let subtract = |r: &mut Self, a: ExprId, b: ExprId| {
            let (a, b) = (r.as_plain(a, ty), r.as_plain(b, ty));
            r.push_expr_at(tok, tok, ExprKind::Binary(BinaryOp::Sub, a, b), ty)
        };
        match op {
            BinaryOp::Lt | BinaryOp::Le if number => Some(subtract(self, right, left)),
            BinaryOp::Gt | BinaryOp::Ge if number => Some(subtract(self, left, right)),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                if !matches!(&*self.program.types.kind(ty), TyKind::Bv(_) | TyKind::Char) {
                    return None;
                }
                let (hi, lo) = if matches!(op, BinaryOp::Lt | BinaryOp::Le) {
                    (right, left)
                } else {
                    (left, right)
                };
                let hi = self.push_expr_at(tok, tok, ExprKind::Convert(hi, int), int);
                let lo = self.push_expr_at(tok, tok, ExprKind::Convert(lo, int), int);
                Some(self.push_expr_at(tok, tok, ExprKind::Binary(BinaryOp::Sub, hi, lo), int))
            }
            BinaryOp::Neq if number => {
                let bool_ = self.program.types.bool_;
                let up = subtract(self, right, left);
                let down = subtract(self, left, right);
                let le =
                    self.push_expr_at(tok, tok, ExprKind::Binary(BinaryOp::Le, left, right), bool_);
                Some(self.push_expr_at(tok, tok, ExprKind::Ite(le, up, down), ty))
            }
            BinaryOp::Neq
                if matches!(
                    &*self.program.types.kind(ty),
                    TyKind::Set { finite: true, .. } | TyKind::Multiset(_)
                ) =>
            {
                let a = self.push_expr_at(
                    tok,
                    tok,
                    ExprKind::Binary(BinaryOp::Difference, left, right),
                    ty,
                );
                let b = self.push_expr_at(
                    tok,
                    tok,
                    ExprKind::Binary(BinaryOp::Difference, right, left),
                    ty,
                );
                Some(self.push_expr_at(tok, tok, ExprKind::Binary(BinaryOp::Union, a, b), ty))
            }
            BinaryOp::ProperSubset | BinaryOp::Subset => Some(self.push_expr_at(
                tok,
                tok,
                ExprKind::Binary(BinaryOp::Difference, right, left),
                ty,
            )),
            BinaryOp::ProperSuperset | BinaryOp::Superset => Some(self.push_expr_at(
                tok,
                tok,
                ExprKind::Binary(BinaryOp::Difference, left, right),
                ty,
            )),
            _ => None,
        }
    }

    /// A value of a newtype as its base type, so that differences do not overflow.
    fn as_plain(&mut self, value: ExprId, ty: Ty) -> ExprId {
        let base = self.program.base_type(self.program.exprs[value].ty);
        if base == ty {
            return value;
        }
        let tok = self.program.exprs[value].tok;
        self.push_expr_at(tok, tok, ExprKind::Convert(value, ty), ty)
    }
}
