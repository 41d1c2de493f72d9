//! Co-recursive calls: recursive calls directly under constructors of codatatypes, which need not end.

use super::Resolver;
use crate::tree::{ExprId, ExprKind, Function, MemberId, MemberKind, TyKind, TypeDeclKind};
use stet_base::FastSet;

impl Resolver<'_> {
    /// Marks recursive calls directly under codatatype constructors.
    pub(crate) fn co_calls(&mut self) {
        let members: Vec<MemberId> = self.program.members.ids().collect();
        for member in members {
            let MemberKind::Function(f) = &self.program.members[member].kind else {
                continue;
            };
            if let (true, Some(body)) = (f.recursive, f.body) {
                let scc = f.scc;
                self.mark_co_calls(body, scc, false, 0);
            }
        }
        self.unmark_co_calls();
    }

    /// A component in which a value is looked at while it is being defined has no co-recursive calls: nothing would show
    /// that its definitions have a solution. Recursive calls may be results or arguments of constructors only.
    fn unmark_co_calls(&mut self) {
        let mut examined: FastSet<u32> = FastSet::default();
        let mut calls = Vec::new();
        for member in self.program.members.ids() {
            match &self.program.members[member].kind {
                MemberKind::Method(m) => {
                    examined.insert(m.scc);
                }
                MemberKind::Function(f) if f.recursive => {
                    let (inner, looks) = self.inner_calls(f);
                    if looks {
                        examined.insert(f.scc);
                    }
                    calls.extend(inner.into_iter().map(|id| (id, f.scc)));
                }
                _ => {}
            }
        }
        for (id, scc) in calls {
            if examined.contains(&scc)
                && let ExprKind::Call(call) = &mut self.program.exprs[id].kind
            {
                call.co_call = false;
            }
        }
    }

    /// The co-recursive calls of a function, and whether it looks at a value of its own component.
    fn inner_calls(&self, f: &Function) -> (Vec<ExprId>, bool) {
        let p = &self.program;
        let mut harmless: FastSet<ExprId> = FastSet::default();
        if let Some(body) = f.body {
            self.results(body, &mut harmless);
        }
        let clauses = f.requires.iter().chain(&f.ensures).map(|c| c.expr);
        let frame = f.reads.items.iter().map(|i| i.expr);
        let measure = f.decreases.exprs.iter().copied();
        let roots: Vec<_> = clauses
            .chain(frame)
            .chain(measure)
            .chain(f.body)
            .map(super::sweep::Root::Expr)
            .collect();
        let (mut calls, mut looks) = (Vec::new(), false);
        for id in self.exprs_below(&roots) {
            let callee = match &p.exprs[id].kind {
                ExprKind::Call(call) => call.function,
                ExprKind::FunctionValue { function, .. } => *function,
                _ => continue,
            };
            let MemberKind::Function(g) = &p.members[callee].kind else {
                continue;
            };
            if g.scc == f.scc {
                looks |= !harmless.contains(&id);
                calls.push(id);
            }
        }
        (calls, looks)
    }

    /// The expressions below one whose values end up in its result unexamined.
    fn results(&self, root: ExprId, found: &mut FastSet<ExprId>) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            found.insert(id);
            match &self.program.exprs[id].kind {
                ExprKind::Ite(_, a, b) => pending.extend([*a, *b]),
                ExprKind::Match { cases, .. } => pending.extend(cases.iter().map(|c| c.body)),
                ExprKind::Let { body, .. }
                | ExprKind::LetSuchThat { body, .. }
                | ExprKind::StmtExpr(_, body) => pending.push(*body),
                ExprKind::Ctor { args, .. } => pending.extend(args),
                // What a function in the result gives is looked at by those who apply it.
                ExprKind::Lambda { body, .. } => pending.push(*body),
                _ => {}
            }
        }
    }

    fn mark_co_calls(&mut self, id: ExprId, scc: u32, guarded: bool, depth: u32) {
        if depth > 10_000 {
            return;
        }
        match self.program.exprs[id].kind.clone() {
            ExprKind::Ite(_, a, b) => {
                self.mark_co_calls(a, scc, guarded, depth + 1);
                self.mark_co_calls(b, scc, guarded, depth + 1);
            }
            ExprKind::Match { cases, .. } => {
                for case in cases {
                    self.mark_co_calls(case.body, scc, guarded, depth + 1);
                }
            }
            ExprKind::Let { body, .. }
            | ExprKind::LetSuchThat { body, .. }
            | ExprKind::StmtExpr(_, body) => {
                self.mark_co_calls(body, scc, guarded, depth + 1);
            }
            ExprKind::Ctor { ctor, args, .. } => {
                let decl = self.program.ctors[ctor].decl;
                let co = matches!(
                    self.program.decls[decl].kind,
                    TypeDeclKind::Datatype { co: true, .. }
                );
                for arg in args {
                    self.mark_co_calls(arg, scc, guarded || co, depth + 1);
                }
            }
            ExprKind::Lambda { body, .. } if guarded => {
                self.mark_co_calls(body, scc, guarded, depth + 1);
            }
            ExprKind::Call(_) if guarded => {
                if let ExprKind::Call(call) = &mut self.program.exprs[id].kind
                    && let MemberKind::Function(f) = &self.program.members[call.function].kind
                {
                    let result_co = match &*self.program.types.kind(f.result) {
                        TyKind::Named { decl, .. } => {
                            matches!(
                                self.program.decls[*decl].kind,
                                TypeDeclKind::Datatype { co: true, .. }
                            )
                        }
                        _ => false,
                    };
                    call.co_call = f.scc == scc
                        && result_co
                        && f.ensures.is_empty()
                        && f.reads.items.is_empty()
                        && !f.reads.star;
                }
            }
            _ => {}
        }
    }
}
