//! Going over a program: the declarations of modules without errors, and where walks through them start.

use super::Resolver;
use crate::tree::{
    Clause, DeclId, Decreases, ExprId, Frame, MemberId, MemberKind, ModuleId, StmtId, TypeDeclKind,
    VarId, Witness,
};

/// Where a walk starts.
pub(crate) use crate::tree::Part as Root;

fn clauses(list: &[Clause], out: &mut Vec<Root>) {
    out.extend(list.iter().map(|c| Root::Expr(c.expr)));
}

fn frame(frame: &Frame, out: &mut Vec<Root>) {
    out.extend(frame.items.iter().map(|item| Root::Expr(item.expr)));
}

fn decreases(list: &Decreases, out: &mut Vec<Root>) {
    if !list.inferred {
        out.extend(list.exprs.iter().map(|&e| Root::Expr(e)));
    }
}

impl Resolver<'_> {
    /// The members of modules without errors.
    pub(crate) fn sound_members(&self) -> Vec<MemberId> {
        let members = self.program.members.iter();
        members
            .filter(|(_, m)| !self.module_failed(m.module))
            .map(|(id, _)| id)
            .collect()
    }

    /// The types of modules without errors.
    pub(crate) fn sound_decls(&self) -> Vec<DeclId> {
        let decls = self.program.decls.iter();
        decls
            .filter(|(_, d)| !self.module_failed(d.module))
            .map(|(id, _)| id)
            .collect()
    }

    /// Everything written in modules without errors, by declaration.
    pub(crate) fn sound_roots(&self) -> Vec<(ModuleId, Vec<Root>)> {
        let mut out = Vec::new();
        for decl in self.sound_decls() {
            out.push((self.program.decls[decl].module, self.decl_roots(decl)));
        }
        for member in self.sound_members() {
            out.push((
                self.program.members[member].module,
                self.member_roots(member),
            ));
        }
        out
    }

    fn defaults(&self, vars: &[VarId], out: &mut Vec<Root>) {
        out.extend(
            vars.iter()
                .filter_map(|&v| self.program.vars[v].default)
                .map(Root::Expr),
        );
    }

    pub(crate) fn decl_roots(&self, decl: DeclId) -> Vec<Root> {
        let mut out = Vec::new();
        match &self.program.decls[decl].kind {
            TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) => {
                out.extend(c.constraint.map(Root::Expr));
                if let Witness::Compiled(e) | Witness::Ghost(e) = c.witness {
                    out.push(Root::Expr(e));
                }
            }
            TypeDeclKind::Datatype { ctors, .. } => {
                for &ctor in ctors {
                    self.defaults(&self.program.ctors[ctor].formals, &mut out);
                }
            }
            TypeDeclKind::Iterator(iterator) => {
                clauses(&iterator.yield_requires, &mut out);
                clauses(&iterator.yield_ensures, &mut out);
                frame(&iterator.reads, &mut out);
                frame(&iterator.modifies, &mut out);
                decreases(&iterator.decreases, &mut out);
            }
            _ => {}
        }
        out
    }

    pub(crate) fn member_roots(&self, member: MemberId) -> Vec<Root> {
        let mut out = self.spec_roots(member);
        match &self.program.members[member].kind {
            MemberKind::Function(f) => {
                out.extend(f.body.map(Root::Expr));
                out.extend(f.by_method.map(Root::Stmt));
            }
            MemberKind::Method(m) => {
                out.extend(m.body.map(Root::Stmt));
                out.extend(m.body_after_new.map(Root::Stmt));
            }
            _ => {}
        }
        out
    }

    /// Specification and default values; the value of a constant.
    pub(crate) fn spec_roots(&self, member: MemberId) -> Vec<Root> {
        let mut out = Vec::new();
        match &self.program.members[member].kind {
            MemberKind::Field { .. } => {}
            MemberKind::Const { value, .. } => out.extend(value.map(Root::Expr)),
            MemberKind::Function(f) => {
                self.defaults(&f.ins, &mut out);
                clauses(&f.requires, &mut out);
                frame(&f.reads, &mut out);
                clauses(&f.ensures, &mut out);
                decreases(&f.decreases, &mut out);
            }
            MemberKind::Method(m) => {
                self.defaults(&m.ins, &mut out);
                clauses(&m.requires, &mut out);
                frame(&m.reads, &mut out);
                frame(&m.modifies, &mut out);
                clauses(&m.ensures, &mut out);
                decreases(&m.decreases, &mut out);
            }
        }
        out
    }

    /// All expressions at and below the roots, parents before children.
    pub(crate) fn exprs_below(&self, roots: &[Root]) -> Vec<ExprId> {
        let mut out = Vec::new();
        self.program.visit_below(roots, &mut |root| {
            if let Root::Expr(expr) = root {
                out.push(expr);
            }
        });
        out
    }

    /// All statements at and below the roots, those inside expressions included.
    pub(crate) fn stmts_below(&self, roots: &[Root]) -> Vec<StmtId> {
        self.program.stmts_below(roots)
    }
}
