//! The frame of a loop without a body: the variables that its guard and specification mention, and the heap if they read it.

use super::{ExprId, ExprKind, Guard, LoopSpec, MemberKind, Program, VarId, VarKind};

impl Program {
    /// The variables in the frame of a loop without a body, in order, and whether the heap is in it.
    pub fn loop_frame(&self, guard: &Guard, spec: &LoopSpec) -> (Vec<VarId>, bool) {
        let guard = match guard {
            Guard::Expr(e) | Guard::Binding { expr: e, .. } => Some(*e),
            Guard::Any => None,
        };
        let clauses = spec.invariants.iter().map(|c| c.expr);
        let measure = spec.decreases.exprs.iter().copied();
        let measure = measure.filter(|_| !spec.decreases.inferred);
        let (mut vars, mut heap) = (Vec::new(), spec.modifies.given);
        for root in guard.into_iter().chain(clauses).chain(measure) {
            let mut pending = vec![root];
            while let Some(e) = pending.pop() {
                heap |= self.looks_at_heap(e);
                if let ExprKind::Var(v) = self.exprs[e].kind
                    && matches!(self.vars[v].kind, VarKind::Local | VarKind::Out)
                    && !vars.contains(&v)
                {
                    vars.push(v);
                }
                pending.extend(self.exprs[e].kind.children().into_iter().rev());
            }
        }
        (vars, heap)
    }

    fn looks_at_heap(&self, e: ExprId) -> bool {
        match &self.exprs[e].kind {
            ExprKind::Field { field, .. } => {
                matches!(self.members[*field].kind, MemberKind::Field { .. })
            }
            ExprKind::ArrayIndex(..)
            | ExprKind::Apply(..)
            | ExprKind::Fresh(..)
            | ExprKind::Unchanged(..)
            | ExprKind::Allocated(_) => true,
            ExprKind::Slice(of, ..) => self.is_reference(self.ty(*of)),
            ExprKind::Call(call) => match &self.members[call.function].kind {
                MemberKind::Function(f) => f.reads.star || !f.reads.items.is_empty() || f.twostate,
                _ => true,
            },
            _ => false,
        }
    }
}
