//! Refinement of method bodies. The body of a refining method is a skeleton of the body it refines: `...;` stands for
//! statements of that body up to one that matches what follows, `assert ...;` and the like for the next one; what is left
//! comes at the end. The result is verified like any other body.

use crate::ast::{
    Ast, Decl, ExprId, ExprKind, Guard, Member, MemberKind, MethodKind, Rhs, Spec, Stmt, StmtId,
    StmtKind, TypeDecl, Update,
};
use std::collections::BTreeMap;
use stet_base::{Span, Symbol};
use stet_diag::Diagnostic;

/// A method by its module, its type if it has one, and its name.
type Key = (Vec<Symbol>, Option<Symbol>, Symbol);

/// The parts of a method's body before and after `new;`.
#[derive(Clone, Copy)]
struct Parts {
    body: Option<StmtId>,
    after_new: Option<StmtId>,
    is_constructor: bool,
}

#[derive(Default)]
struct Modules {
    /// The path of each module with that of the one it refines, as written.
    all: BTreeMap<Vec<Symbol>, Option<Vec<Symbol>>>,
    bodies: BTreeMap<Key, Parts>,
    merged: BTreeMap<Vec<Symbol>, bool>,
}

/// Merges the bodies of refining methods with those they refine.
pub(super) fn merge_bodies(ast: &mut Ast, decls: &mut [Decl], diagnostics: &mut Vec<Diagnostic>) {
    let mut modules = Modules::default();
    collect(decls, &mut Vec::new(), &mut modules);
    if modules.all.values().all(Option::is_none) {
        return;
    }
    let mut merger = Merger { ast, diagnostics };
    let paths: Vec<Vec<Symbol>> = modules.all.keys().cloned().collect();
    for path in paths {
        merger.module(&path, &mut modules);
    }
    replace(decls, &mut Vec::new(), &modules.bodies);
}

/// The module that each refining module refines.
pub(super) fn bases(decls: &[Decl]) -> BTreeMap<Vec<Symbol>, Vec<Symbol>> {
    let mut modules = Modules::default();
    collect(decls, &mut Vec::new(), &mut modules);
    let found = modules.all.keys();
    found
        .filter_map(|path| Some((path.clone(), modules.base(path)?)))
        .collect()
}

fn collect(decls: &[Decl], path: &mut Vec<Symbol>, modules: &mut Modules) {
    for decl in decls {
        match decl {
            Decl::Module(module) => {
                let depth = path.len();
                path.extend(module.path.iter().map(|n| n.sym));
                let refines = module.refines.as_ref();
                let refines = refines.map(|names| names.iter().map(|n| n.sym).collect());
                modules.all.insert(path.clone(), refines);
                collect(&module.decls, path, modules);
                path.truncate(depth);
            }
            Decl::Type(ty) => {
                for member in &ty.members {
                    note(member, Some(ty), path, modules);
                }
            }
            Decl::Member(member) => note(member, None, path, modules),
            _ => {}
        }
    }
}

fn note(member: &Member, ty: Option<&TypeDecl>, path: &[Symbol], modules: &mut Modules) {
    if let MemberKind::Method(m) = &member.kind {
        let key = (path.to_vec(), ty.map(|t| t.name.sym), member.name.sym);
        let parts = Parts {
            body: m.body,
            after_new: m.after_new,
            is_constructor: m.kind == MethodKind::Constructor,
        };
        modules.bodies.insert(key, parts);
    }
}

fn replace(decls: &mut [Decl], path: &mut Vec<Symbol>, bodies: &BTreeMap<Key, Parts>) {
    let put = |member: &mut Member, ty: Option<Symbol>, path: &[Symbol]| {
        if let MemberKind::Method(m) = &mut member.kind
            && let Some(parts) = bodies.get(&(path.to_vec(), ty, member.name.sym))
        {
            m.body = parts.body;
            m.after_new = parts.after_new;
        }
    };
    for decl in decls {
        match decl {
            Decl::Module(module) => {
                let depth = path.len();
                path.extend(module.path.iter().map(|n| n.sym));
                replace(&mut module.decls, path, bodies);
                path.truncate(depth);
            }
            Decl::Type(ty) => {
                let name = ty.name.sym;
                for member in &mut ty.members {
                    put(member, Some(name), path);
                }
            }
            Decl::Member(member) => put(member, None, path),
            _ => {}
        }
    }
}

impl Modules {
    /// The module that one refines: found by its first name in the modules around it.
    fn base(&self, path: &[Symbol]) -> Option<Vec<Symbol>> {
        let refines = self.all.get(path)?.as_ref()?;
        let (&first, rest) = refines.split_first()?;
        for depth in (0..path.len()).rev() {
            let mut candidate = path[..depth].to_vec();
            candidate.push(first);
            if candidate != path && self.all.contains_key(&candidate) {
                candidate.extend(rest);
                return self.all.contains_key(&candidate).then_some(candidate);
            }
        }
        None
    }

    /// The body that a method of a module has, its own or that of a module it refines.
    fn body(&self, path: &[Symbol], ty: Option<Symbol>, name: Symbol) -> Option<Parts> {
        let mut at = path.to_vec();
        for _ in 0..=self.all.len() {
            if let Some(parts) = self.bodies.get(&(at.clone(), ty, name))
                && parts.body.is_some()
            {
                return Some(*parts);
            }
            at = self.base(&at)?;
        }
        None
    }
}

struct Merger<'a> {
    ast: &'a mut Ast,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Merger<'_> {
    fn module(&mut self, path: &[Symbol], modules: &mut Modules) {
        // A cycle of refinements is an error of the resolver.
        if modules.merged.insert(path.to_vec(), true).is_some() {
            return;
        }
        let Some(base) = modules.base(path) else {
            return;
        };
        self.module(&base, modules);
        let own: Vec<(Key, Parts)> = modules
            .bodies
            .iter()
            .filter(|((module, ..), parts)| module == path && parts.body.is_some())
            .map(|(key, parts)| (key.clone(), *parts))
            .collect();
        for (key, parts) in own {
            let Some(old) = modules.body(&base, key.1, key.2) else {
                continue;
            };
            let body = self.parts(parts.body, old.body);
            let after_new = match parts.is_constructor {
                true => self.parts(parts.after_new, old.after_new),
                false => parts.after_new,
            };
            let merged = Parts {
                body,
                after_new,
                ..parts
            };
            modules.bodies.insert(key, merged);
        }
    }

    fn parts(&mut self, skeleton: Option<StmtId>, old: Option<StmtId>) -> Option<StmtId> {
        match (skeleton, old) {
            (Some(skeleton), Some(old)) => Some(self.block(skeleton, old)),
            (skeleton, old) => skeleton.or(old),
        }
    }

    fn error(&mut self, span: Span, message: &str) {
        self.diagnostics
            .push(Diagnostic::error("dafny/resolve", message).at(span));
    }

    fn statements(&self, block: StmtId) -> Option<Vec<StmtId>> {
        match &self.ast.stmts[block].kind {
            StmtKind::Block(stmts) => Some(stmts.clone()),
            _ => None,
        }
    }

    fn block(&mut self, skeleton: StmtId, old: StmtId) -> StmtId {
        let (Some(new), Some(stmts)) = (self.statements(skeleton), self.statements(old)) else {
            return skeleton;
        };
        let merged = self.list(&new, &stmts);
        self.like(skeleton, StmtKind::Block(merged))
    }

    /// A statement with the place, labels and attributes of another.
    fn like(&mut self, stmt: StmtId, kind: StmtKind) -> StmtId {
        let Stmt {
            span,
            tok,
            labels,
            attrs,
            ..
        } = self.ast.stmts[stmt].clone();
        self.ast.stmts.push(Stmt {
            kind,
            span,
            tok,
            labels,
            attrs,
        })
    }

    fn list(&mut self, skeleton: &[StmtId], old: &[StmtId]) -> Vec<StmtId> {
        let mut out = Vec::new();
        let mut j = 0;
        for (i, &cur) in skeleton.iter().enumerate() {
            if let StmtKind::Skeleton = self.ast.stmts[cur].kind {
                let next = skeleton.get(i + 1).copied();
                while let Some(&stmt) = old.get(j)
                    && !next.is_some_and(|n| self.may_match(n, stmt))
                {
                    out.push(stmt);
                    j += 1;
                }
                continue;
            }
            match old.get(j) {
                Some(&stmt) => {
                    if self.one(cur, stmt, &mut out) {
                        j += 1;
                    }
                }
                None if self.is_template(cur) => {
                    let tok = self.ast.stmts[cur].tok;
                    self.error(tok, "skeleton statement does not match old statement");
                }
                None => out.push(cur),
            }
        }
        out.extend(&old[j.min(old.len())..]);
        out
    }

    /// `assert ...;`, `if ... {}` and the like.
    fn is_template(&self, stmt: StmtId) -> bool {
        match &self.ast.stmts[stmt].kind {
            StmtKind::Assert { expr, .. } => expr.is_none(),
            StmtKind::Assume(expr) | StmtKind::Expect(expr, _) => expr.is_none(),
            StmtKind::Modify { frame, .. } => frame.is_none(),
            StmtKind::If { guard, .. } => matches!(guard, Guard::Skeleton),
            StmtKind::While {
                guard,
                body_skeleton,
                ..
            } => matches!(guard, Guard::Skeleton) || *body_skeleton,
            _ => false,
        }
    }

    /// Whether `...;` ends before `old` because of `next`.
    fn may_match(&self, next: StmtId, old: StmtId) -> bool {
        let (new, other) = (&self.ast.stmts[next], &self.ast.stmts[old]);
        if !new.labels.is_empty() {
            let mut labels = new.labels.iter();
            return labels.any(|l| other.labels.iter().any(|m| m.sym == l.sym));
        }
        let is_template = self.is_template(next);
        let is_open = |guard: &Guard| matches!(guard, Guard::Any);
        match (&new.kind, &other.kind) {
            (StmtKind::Assert { .. }, old) => {
                let is_predicate = matches!(
                    old,
                    StmtKind::Assert { .. } | StmtKind::Assume(_) | StmtKind::Expect(..)
                );
                is_template && is_predicate
            }
            (StmtKind::Expect(..), StmtKind::Assume(_) | StmtKind::Expect(..))
            | (StmtKind::Assume(_), StmtKind::Assume(_))
            | (StmtKind::Modify { .. }, StmtKind::Modify { .. }) => is_template,
            (StmtKind::If { .. }, StmtKind::If { guard, .. })
            | (StmtKind::While { .. }, StmtKind::While { guard, .. }) => {
                is_template || is_open(guard)
            }
            (StmtKind::Var { vars: a, .. }, StmtKind::Var { vars: b, .. }) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name.sym == b.name.sym)
            }
            (StmtKind::Block(_), StmtKind::Block(_)) => true,
            (StmtKind::Update { lhss: a, .. }, StmtKind::Update { lhss: b, update }) => {
                self.is_choice(update.as_ref()) && self.same_places(a, b)
            }
            _ => false,
        }
    }

    fn is_choice(&self, update: Option<&Update>) -> bool {
        match update {
            Some(Update::SuchThat(..)) => true,
            Some(Update::Assign(rhss, _)) => rhss.iter().all(|r| matches!(r, Rhs::Havoc(_))),
            _ => false,
        }
    }

    fn same_places(&self, a: &[ExprId], b: &[ExprId]) -> bool {
        let name = |e: ExprId| match &self.ast.exprs[e].kind {
            ExprKind::Name(seg) => Some(seg.name.sym),
            ExprKind::Dot(of, seg) if matches!(self.ast.exprs[*of].kind, ExprKind::This) => {
                Some(seg.name.sym)
            }
            _ => None,
        };
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(&a, &b)| name(a).is_some() && name(a) == name(b))
    }

    /// Adds what `cur` becomes where `old` is next; whether `old` is used up.
    fn one(&mut self, cur: StmtId, old: StmtId, out: &mut Vec<StmtId>) -> bool {
        let (new, other) = (
            self.ast.stmts[cur].kind.clone(),
            self.ast.stmts[old].kind.clone(),
        );
        let is_template = self.is_template(cur);
        let merged = match (new, other) {
            (
                StmtKind::Assert {
                    expr: None,
                    label,
                    by,
                },
                StmtKind::Assert { expr, .. } | StmtKind::Assume(expr) | StmtKind::Expect(expr, _),
            ) => StmtKind::Assert { expr, label, by },
            (StmtKind::Assume(None), StmtKind::Assume(expr)) => StmtKind::Assume(expr),
            (
                StmtKind::Expect(None, message),
                StmtKind::Expect(expr, _) | StmtKind::Assume(expr),
            ) => StmtKind::Expect(expr, message),
            (
                StmtKind::Modify { frame: None, body },
                StmtKind::Modify {
                    frame,
                    body: old_body,
                },
            ) => StmtKind::Modify {
                frame,
                body: self.parts(body, old_body),
            },
            (
                StmtKind::If { guard, then, els },
                StmtKind::If {
                    guard: old_guard,
                    then: old_then,
                    els: old_els,
                },
            ) if is_template || matches!(old_guard, Guard::Any) => StmtKind::If {
                guard: match guard {
                    Guard::Skeleton => old_guard,
                    guard => guard,
                },
                then: self.block(then, old_then),
                els: self.otherwise(els, old_els),
            },
            (
                StmtKind::While {
                    guard,
                    spec,
                    body,
                    body_skeleton,
                },
                StmtKind::While {
                    guard: old_guard,
                    spec: old_spec,
                    body: old_body,
                    ..
                },
            ) if is_template || matches!(old_guard, Guard::Any) => {
                let guard = match (guard, old_guard) {
                    (Guard::Skeleton, old) => old,
                    (guard, Guard::Any) => guard,
                    (guard, _) => {
                        let message = "a skeleton while statement with a guard can only replace a while statement with a non-deterministic guard";
                        self.error(self.ast.stmts[cur].tok, message);
                        guard
                    }
                };
                let body = match body_skeleton {
                    true => old_body,
                    false => self.parts(body, old_body),
                };
                StmtKind::While {
                    guard,
                    spec: Box::new(merge_loop(*old_spec, *spec)),
                    body,
                    body_skeleton: false,
                }
            }
            (
                StmtKind::Var { vars, update },
                StmtKind::Var {
                    update: old_update, ..
                },
            ) if self.may_match(cur, old) && is_plain(update.as_ref()) => {
                match &old_update {
                    None => {}
                    Some(Update::SuchThat(..)) => {}
                    Some(_) if self.is_choice(old_update.as_ref()) => {}
                    Some(_) => {
                        out.push(cur);
                        return false;
                    }
                }
                let stmt = self.like(cur, StmtKind::Var { vars, update });
                out.push(stmt);
                self.still_chosen(cur, old_update.as_ref(), out);
                return true;
            }
            (StmtKind::Update { lhss: a, update }, StmtKind::Update { lhss: b, update: u })
                if self.is_choice(u.as_ref())
                    && self.same_places(&a, &b)
                    && matches!(update, Some(Update::Assign(..))) =>
            {
                out.push(cur);
                self.still_chosen(cur, u.as_ref(), out);
                return true;
            }
            (StmtKind::Block(_), StmtKind::Block(_)) => {
                let block = self.block(cur, old);
                out.push(block);
                return true;
            }
            (new, _) => {
                if is_template {
                    let what = match new {
                        StmtKind::Assert { .. } => "assert template",
                        StmtKind::Assume(_) => "assume template",
                        StmtKind::Expect(..) => "expect template",
                        StmtKind::If { .. } => "if-statement template",
                        StmtKind::While { .. } => "while-statement template",
                        _ => "modify template",
                    };
                    let message = format!("{what} does not match inherited statement");
                    self.error(self.ast.stmts[cur].tok, &message);
                } else {
                    out.push(cur);
                }
                return false;
            }
        };
        let stmt = self.like(cur, merged);
        out.push(stmt);
        true
    }

    /// What `:|` promised holds of the value that is assigned instead.
    fn still_chosen(&mut self, cur: StmtId, old: Option<&Update>, out: &mut Vec<StmtId>) {
        if let Some(Update::SuchThat(condition, ..)) = old {
            let Stmt { span, tok, .. } = self.ast.stmts[cur].clone();
            let kind = StmtKind::Assert {
                expr: Some(*condition),
                label: None,
                by: None,
            };
            let checked = Stmt {
                kind,
                span,
                tok,
                labels: Vec::new(),
                attrs: Vec::new(),
            };
            out.push(self.ast.stmts.push(checked));
        }
    }

    fn otherwise(&mut self, skeleton: Option<StmtId>, old: Option<StmtId>) -> Option<StmtId> {
        let (Some(new), Some(other)) = (skeleton, old) else {
            return skeleton.or(old);
        };
        if self.statements(new).is_some() && self.statements(other).is_some() {
            return Some(self.block(new, other));
        }
        let mut out = Vec::new();
        self.one(new, other, &mut out);
        match out[..] {
            [only] => Some(only),
            _ => Some(new),
        }
    }
}

/// Whether an assignment changes nothing that was known before: no calls of methods are seen here, but `new` is.
fn is_plain(update: Option<&Update>) -> bool {
    matches!(update, Some(Update::Assign(..)))
}

fn merge_loop(mut old: Spec, new: Spec) -> Spec {
    old.invariants.extend(new.invariants);
    if new.decreases.given.is_some() {
        old.decreases = new.decreases;
    }
    if new.modifies.given.is_some() && old.modifies.given.is_none() {
        old.modifies = new.modifies;
    }
    old
}
