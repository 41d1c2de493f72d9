//! Rules that keep recursive definitions consistent.
//!
//! * A recursive function is always applied to arguments.
//! * Constants do not depend on themselves.
//! * A least or greatest predicate calls its own kind recursively, in positive positions only.

use super::Resolver;
use crate::tree::{BinaryOp, ExprId, ExprKind, Extremum, MemberId, MemberKind, UnaryOp};
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
        for member in self.sound_members() {
            let MemberKind::Function(f) = &self.program.members[member].kind else {
                continue;
            };
            if let (Some(extreme), Some(body)) = (f.extreme, f.body) {
                let scc = f.scc;
                self.frame.module = Some(self.program.members[member].module);
                if let Some(clause) = f.ensures.first() {
                    let tok = self.program.exprs[clause.expr].tok;
                    let word = self.member_word(member);
                    self.error(
                        tok,
                        format!("a {word} is not allowed to declare any ensures clause"),
                    );
                }
                self.extreme_k = Some(extreme.k_type);
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
        let mut reported: FastSet<u32> = FastSet::default();
        for member in self.sound_members() {
            let m = &self.program.members[member];
            let c = component[member.index()];
            let cyclic = loops.contains(&member) || sizes[c as usize] > 1;
            if !matches!(m.kind, MemberKind::Const { .. }) || !cyclic || !reported.insert(c) {
                continue;
            }
            let (span, module) = (m.span, m.module);
            let path = self.call_cycle(member, component);
            let names: Vec<String> = path.iter().map(|&m| self.short_path(m)).collect();
            self.error_in(
                module,
                span,
                format!("const definition contains a cycle: {}", names.join(" -> ")),
            );
        }
    }

    /// The shortest way from a member to itself in the call graph.
    fn call_cycle(&self, member: MemberId, component: &[u32]) -> Vec<MemberId> {
        let own = component[member.index()];
        let next = |m: MemberId| {
            let calls = self.calls.iter();
            calls
                .filter(move |&&(a, b)| a == m && component[b.index()] == own)
                .map(|&(_, b)| b)
        };
        let mut queue: Vec<(MemberId, usize)> = vec![(member, usize::MAX)];
        let mut at = 0;
        while at < queue.len() {
            for to in next(queue[at].0) {
                if to == member {
                    let mut path = vec![member];
                    let mut back = at;
                    while back != usize::MAX {
                        path.push(queue[back].0);
                        back = queue[back].1;
                    }
                    path.reverse();
                    return path;
                }
                if !queue.iter().any(|&(m, _)| m == to) {
                    queue.push((to, at));
                }
            }
            at += 1;
        }
        vec![member, member]
    }

    /// The name of a member, with its type in front.
    fn short_path(&self, member: MemberId) -> String {
        let name = self.text(self.program.members[member].name);
        match self.owner_decl(member) {
            Some(decl) => format!("{}.{name}", self.text(self.program.decls[decl].name)),
            None => name,
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
            ExprKind::StmtExpr(stmt, body) => {
                self.check_extreme_proof(stmt, kind, scc);
                self.check_extreme(body, kind, scc, polarity, next);
            }
            ExprKind::LetSuchThat {
                condition, body, ..
            } => {
                self.check_extreme(condition, kind, scc, Polarity::Neither, next);
                // Like an existential quantifier.
                let inner = match (kind, polarity) {
                    (Extremum::Least, Polarity::Positive)
                    | (Extremum::Greatest, Polarity::Negative) => polarity,
                    _ => Polarity::Neither,
                };
                self.check_extreme(body, kind, scc, inner, next);
            }
            ExprKind::Quantifier(q) => {
                let wrong = match kind {
                    Extremum::Least => q.forall == (polarity == Polarity::Positive),
                    Extremum::Greatest => q.forall != (polarity == Polarity::Positive),
                };
                let nat = self.extreme_k == Some(self.program.types.nat);
                let bounded = q
                    .bounds
                    .iter()
                    .all(|b| b.as_ref().is_some_and(|b| self.is_finite(b)));
                if wrong && nat && !bounded && polarity != Polarity::Neither {
                    let roots: Vec<super::sweep::Root> = q
                        .range
                        .into_iter()
                        .chain([q.body])
                        .map(super::sweep::Root::Expr)
                        .collect();
                    self.unbounded_calls(&roots, kind, scc);
                    return;
                }
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

    /// Recursive calls under a quantifier without finite bounds.
    fn unbounded_calls(&mut self, roots: &[super::sweep::Root], kind: Extremum, scc: u32) {
        let (word, quantifier) = match kind {
            Extremum::Least => ("least", "universal"),
            Extremum::Greatest => ("greatest", "existential"),
        };
        for id in self.exprs_below(roots) {
            if let ExprKind::Call(call) = &self.program.exprs[id].kind
                && let MemberKind::Function(f) = &self.program.members[call.function].kind
                && f.scc == scc
                && call.prefix.is_none()
            {
                let tok = self.program.exprs[id].tok;
                self.error(tok, format!("a {word} predicate can be called recursively only in positive positions and cannot sit inside an unbounded {quantifier} quantifier"));
            }
        }
    }

    /// Proofs inside an extreme predicate do not call lemmas that need it.
    fn check_extreme_proof(&mut self, stmt: crate::tree::StmtId, kind: Extremum, scc: u32) {
        let word = match kind {
            Extremum::Least => "least",
            Extremum::Greatest => "greatest",
        };
        for stmt in self.stmts_below(&[super::sweep::Root::Stmt(stmt)]) {
            if let crate::tree::StmtKind::Call(call) = &self.program.stmts[stmt].kind
                && let MemberKind::Method(m) = &self.program.members[call.method].kind
                && m.scc == scc
            {
                let tok = call.tok;
                self.error(tok, format!("a recursive call from a {word} predicate can go only to other {word} predicates"));
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
        let other_k = f.extreme.map(|e| e.k_type);
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
        } else if let (Some(own), Some(other)) = (self.extreme_k, other_k)
            && own != other
        {
            let message = format!(
                "this call does not type check, because the context uses a _k parameter of type {} whereas the callee uses a _k parameter of type {}",
                self.program.show_type(own),
                self.program.show_type(other)
            );
            self.error(tok, message);
        } else if polarity != Polarity::Positive {
            self.error(
                tok,
                format!("a {word} predicate can be called recursively only in positive positions"),
            );
        }
    }
}
