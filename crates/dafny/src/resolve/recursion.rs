//! Rules that keep recursive definitions consistent.
//!
//! * A recursive function is always applied to arguments.
//! * Constants do not depend on themselves.
//! * A least or greatest predicate calls its own kind recursively, in positive positions only.
//! * Every datatype has a value, and does not occur left of an arrow in its own constructors.

use super::Resolver;
use crate::tree::{
    BinaryOp, CtorId, DeclId, ExprId, ExprKind, Extremum, MemberId, MemberKind, Ty, TyKind,
    TypeDeclKind, UnaryOp,
};
use stet_base::{FastSet, Index};

/// Whether a position is positive, negative or neither.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Polarity {
    Positive,
    Negative,
    Neither,
}

impl Polarity {
    fn flip(self) -> Self {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
            Polarity::Neither => Polarity::Neither,
        }
    }
}

impl Resolver<'_> {
    pub(crate) fn check_recursion(&mut self, component: &[u32]) {
        self.check_naked(component);
        self.check_const_cycles(component);
        let members: Vec<MemberId> = self.program.members.ids().collect();
        for member in members {
            let MemberKind::Function(f) = &self.program.members[member].kind else {
                continue;
            };
            if let (Some(extreme), Some(body)) = (f.extreme, f.body) {
                let scc = f.scc;
                self.check_extreme(body, extreme.kind, scc, Polarity::Positive, 0);
            }
        }
        self.check_datatypes();
    }

    fn check_naked(&mut self, component: &[u32]) {
        for (from, to, span) in std::mem::take(&mut self.naked) {
            let in_function = matches!(self.program.members[from].kind, MemberKind::Function(_));
            if in_function && component[from.index()] == component[to.index()] {
                self.error(span, "in the definition of a function, every recursive use of the function must apply it to arguments. Possible solution: eta expansion.");
            }
        }
    }

    fn check_const_cycles(&mut self, component: &[u32]) {
        let mut sizes = vec![0u32; component.len() + 1];
        for &c in component {
            sizes[c as usize] += 1;
        }
        let loops: FastSet<MemberId> = self
            .calls
            .iter()
            .filter(|(a, b)| a == b)
            .map(|&(a, _)| a)
            .collect();
        let members: Vec<MemberId> = self.program.members.ids().collect();
        for member in members {
            let m = &self.program.members[member];
            let cyclic = loops.contains(&member) || sizes[component[member.index()] as usize] > 1;
            if matches!(m.kind, MemberKind::Const { .. }) && cyclic {
                let (span, name) = (m.span, self.text(m.name));
                self.error(
                    span,
                    format!("const definition contains a cycle: {name} -> {name}"),
                );
            }
        }
    }

    fn check_extreme(
        &mut self,
        id: ExprId,
        kind: Extremum,
        scc: u32,
        polarity: Polarity,
        depth: u32,
    ) {
        if depth > 20_000 {
            return;
        }
        let next = depth + 1;
        let expr = self.program.exprs[id].kind.clone();
        match expr {
            ExprKind::Call(ref call) => {
                self.check_extreme_call(id, call.function, kind, scc, polarity);
                for child in expr.children() {
                    self.check_extreme(child, kind, scc, Polarity::Neither, next);
                }
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.check_extreme(a, kind, scc, polarity, next);
                self.check_extreme(b, kind, scc, polarity, next);
            }
            ExprKind::Binary(BinaryOp::Imp, a, b) => {
                self.check_extreme(a, kind, scc, polarity.flip(), next);
                self.check_extreme(b, kind, scc, polarity, next);
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                self.check_extreme(a, kind, scc, polarity.flip(), next)
            }
            ExprKind::Ite(c, a, b) => {
                self.check_extreme(c, kind, scc, Polarity::Neither, next);
                self.check_extreme(a, kind, scc, polarity, next);
                self.check_extreme(b, kind, scc, polarity, next);
            }
            ExprKind::Match { scrutinee, cases } => {
                self.check_extreme(scrutinee, kind, scc, Polarity::Neither, next);
                for case in cases {
                    self.check_extreme(case.body, kind, scc, polarity, next);
                }
            }
            ExprKind::Let { values, body, .. } => {
                for value in values {
                    self.check_extreme(value, kind, scc, Polarity::Neither, next);
                }
                self.check_extreme(body, kind, scc, polarity, next);
            }
            ExprKind::StmtExpr(_, body) => self.check_extreme(body, kind, scc, polarity, next),
            ExprKind::Quantifier(q) => {
                if let Some(range) = q.range {
                    let range_polarity = if q.forall { polarity.flip() } else { polarity };
                    self.check_extreme(range, kind, scc, range_polarity, next);
                }
                self.check_extreme(q.body, kind, scc, polarity, next);
            }
            other => {
                for child in other.children() {
                    self.check_extreme(child, kind, scc, Polarity::Neither, next);
                }
            }
        }
    }

    fn check_extreme_call(
        &mut self,
        id: ExprId,
        callee: MemberId,
        kind: Extremum,
        scc: u32,
        polarity: Polarity,
    ) {
        let MemberKind::Function(f) = &self.program.members[callee].kind else {
            return;
        };
        if f.scc != scc {
            return;
        }
        let same = f.extreme.is_some_and(|e| e.kind == kind);
        let word = match kind {
            Extremum::Least => "least",
            Extremum::Greatest => "greatest",
        };
        let tok = self.program.exprs[id].tok;
        if !same {
            self.error(
                tok,
                format!("a recursive call from a {word} predicate can go only to other {word} predicates"),
            );
        } else if polarity != Polarity::Positive {
            self.error(
                tok,
                format!("a {word} predicate can be called recursively only in positive positions"),
            );
        }
    }

    /// Every inductive datatype needs a constructor whose arguments exist already.
    fn check_datatypes(&mut self) {
        let decls: Vec<DeclId> = self.program.decls.ids().collect();
        let mut ground: FastSet<DeclId> = FastSet::default();
        loop {
            let before = ground.len();
            for &decl in &decls {
                if ground.contains(&decl) {
                    continue;
                }
                let ctors = self.program.ctors_of(decl).to_vec();
                let co = matches!(
                    self.program.decls[decl].kind,
                    TypeDeclKind::Datatype { co: true, .. }
                );
                let found = ctors.iter().copied().find(|&c| self.is_ground(c, &ground));
                if found.is_some() || co || ctors.is_empty() {
                    ground.insert(decl);
                    if let TypeDeclKind::Datatype { grounding_ctor, .. } =
                        &mut self.program.decls[decl].kind
                    {
                        *grounding_ctor = found.or(ctors.first().copied());
                    }
                }
            }
            if ground.len() == before {
                break;
            }
        }
        for decl in decls {
            let (span, name) = (
                self.program.decls[decl].span,
                self.text(self.program.decls[decl].name),
            );
            if !ground.contains(&decl) {
                self.error(span, format!("because of cyclic dependencies among constructor argument types, no instances of datatype '{name}' can be constructed"));
            }
            for ctor in self.program.ctors_of(decl).to_vec() {
                for formal in self.program.ctors[ctor].formals.clone() {
                    if self.left_of_arrow(self.program.vars[formal].ty, decl, false, 0) {
                        let at = self.program.vars[formal].span;
                        self.error(at, format!("datatype '{name}' is used in its own definition to the left of an arrow, which violates strict positivity"));
                    }
                }
            }
        }
    }

    fn is_ground(&self, ctor: CtorId, ground: &FastSet<DeclId>) -> bool {
        self.program.ctors[ctor]
            .formals
            .iter()
            .all(|&formal| self.has_ground_value(self.program.vars[formal].ty, ground, 0))
    }

    /// Whether a value exists, given that the datatypes in `ground` have values.
    fn has_ground_value(&self, ty: Ty, ground: &FastSet<DeclId>, depth: u32) -> bool {
        if depth > 50 {
            return true;
        }
        match &*self.program.types.kind(self.program.base_type(ty)) {
            TyKind::Named { decl, .. } if !self.program.ctors_of(*decl).is_empty() => {
                ground.contains(decl)
            }
            TyKind::Tuple(items, _) => items
                .iter()
                .all(|&t| self.has_ground_value(t, ground, depth + 1)),
            _ => true,
        }
    }

    fn left_of_arrow(&self, ty: Ty, decl: DeclId, left: bool, depth: u32) -> bool {
        if depth > 50 {
            return false;
        }
        match &*self.program.types.kind(ty) {
            TyKind::Arrow { params, result, .. } => {
                params
                    .iter()
                    .any(|&p| self.left_of_arrow(p, decl, true, depth + 1))
                    || self.left_of_arrow(*result, decl, left, depth + 1)
            }
            TyKind::Named { decl: d, args, .. } => {
                (left && *d == decl)
                    || args
                        .iter()
                        .any(|&a| self.left_of_arrow(a, decl, left, depth + 1))
            }
            _ => {
                let children = self.program.types.children(ty);
                children
                    .into_iter()
                    .any(|c| self.left_of_arrow(c, decl, left, depth + 1))
            }
        }
    }
}
