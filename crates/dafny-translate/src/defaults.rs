//! Default values of parameters: checked where they are declared, known to make sense where they are put in.
//!
//! The check knows nothing of the callable's preconditions, so it covers every call. A default value that leads back to
//! what it belongs to is an error there: no call has to show that putting it in ends.

use crate::cx::{Cx, Env};
use crate::decl::{Body, Procedure};
use crate::methods::{clause, plain};
use crate::tree::*;
use crate::wf::{Builder, check};
use stet_base::FastSet;
use stet_dafny::tree::{CtorId, DeclId, ExprId, ExprKind, MemberKind, Part, TypeDeclKind, VarId};

/// What a default value may not do.
pub(crate) const RECURSIVE: &str =
    "default-value expression is not allowed to involve recursive or mutually recursive calls";

impl Cx<'_> {
    /// Default values of parameters, which may read what a function may, whatever it requires. Of a callable of two states:
    /// its earlier state and what it is.
    pub(crate) fn defaults_wf(
        &mut self,
        ins: &[VarId],
        before: Option<(&B, &str)>,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let reader = std::mem::take(&mut b.reader);
        b.in_default = true;
        for &v in ins {
            if let Some(value) = self.p.vars[v].default {
                let ty = self.subst(&env.subst, self.p.vars[v].ty);
                self.wf(value, env, b, out);
                self.fits(value, ty, env, out);
                if let Some((before, what)) = before.filter(|_| !self.p.vars[v].is_new) {
                    let value_here = self.expr(value, env);
                    let existed = self.is_alloc(ty, &value_here, before);
                    let message = format!(
                        "default value could not be proved to be allocated in the two-state {what}'s previous state"
                    );
                    if !is_true(&existed) {
                        out.push(check(existed, self.p.exprs[value].tok, message));
                    }
                }
            }
        }
        b.in_default = false;
        b.reader = reader;
    }

    /// What was checked where the default value of a parameter is declared.
    pub(crate) fn default_fits(
        &mut self,
        e: ExprId,
        to: stet_dafny::tree::Ty,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let value = self.expr(e, env);
        let fits = self.is_type(to, &value);
        if !is_true(&fits) {
            out.push(S::Assume(fits));
        }
    }

    /// The default values of a datatype's constructors.
    pub(crate) fn verify_ctor_defaults(&mut self, decl: DeclId) {
        let TypeDeclKind::Datatype { ctors, .. } = &self.p.decls[decl].kind else {
            return;
        };
        for &ctor in ctors {
            let formals = &self.p.ctors[ctor].formals;
            if formals.iter().any(|&v| self.p.vars[v].default.is_some()) {
                self.verify_ctor(ctor);
            }
        }
    }

    fn verify_ctor(&mut self, ctor: CtorId) {
        let declared = &self.p.ctors[ctor];
        let (span, formals) = (declared.span, declared.formals.clone());
        let here = std::mem::replace(&mut self.here, span);
        let mut env = Env::new(std::rc::Rc::default(), u32::MAX);
        let mut ins = Vec::new();
        for &v in &formals {
            let (name, ty) = self.formal(v, &env);
            let sort = self.sort(ty);
            self.var_sorts.insert(name.clone(), sort.clone());
            ins.push(plain(&name, sort));
            env.vars.insert(v, var(&name));
        }
        let facts = self.formals_typed(&formals, &env);
        let mut b = Builder {
            reads: Some(std::rc::Rc::default()),
            ..Builder::default()
        };
        let mut out = Vec::new();
        for &v in &formals {
            b.knots = self.components_using(declared.decl, v);
            self.defaults_wf(&[v], None, &env, &mut b, &mut out);
        }
        let path = self.p.decl_path(declared.decl);
        let name = self.p.text(declared.name);
        let procedure = Procedure {
            name: format!("$Wf.ctor.{path}.{name}").into(),
            span,
            ins,
            outs: Vec::new(),
            requires: vec![clause(facts, span, "", true)],
            ensures: Vec::new(),
            modifies: self.heap_modified(),
            attributes: Vec::new(),
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: None,
            }),
        };
        self.add_verified(procedure, u32::MAX);
        self.here = here;
    }

    /// The components of the call graph in which a parameter's default value is put in, or its datatype is constructed.
    fn components_using(&self, decl: DeclId, formal: VarId) -> FastSet<u32> {
        let p = self.p;
        let mut found = FastSet::default();
        for (_, member) in p.members.iter() {
            let (scc, roots) = match &member.kind {
                MemberKind::Function(f) => {
                    let exprs = crate::walk::of_function(f).into_iter();
                    let mut roots: Vec<Part> = exprs.map(Part::Expr).collect();
                    roots.extend(f.by_method.map(Part::Stmt));
                    (f.scc, roots)
                }
                MemberKind::Method(m) => {
                    let clauses = m.requires.iter().chain(&m.ensures).map(|c| c.expr);
                    let frames = m.modifies.items.iter().chain(&m.reads.items);
                    let exprs = clauses
                        .chain(frames.map(|item| item.expr))
                        .chain(m.decreases.exprs.iter().copied());
                    let mut roots: Vec<Part> = exprs.map(Part::Expr).collect();
                    let bodies = m.body.into_iter().chain(m.body_after_new);
                    roots.extend(bodies.map(Part::Stmt));
                    (m.scc, roots)
                }
                MemberKind::Field { .. } | MemberKind::Const { .. } => continue,
            };
            p.visit_below(&roots, &mut |part| {
                let Part::Expr(e) = part else {
                    return;
                };
                let is_made =
                    matches!(p.exprs[e].kind, ExprKind::Ctor { ctor, .. } if p.ctors[ctor].decl == decl);
                if is_made || p.defaults.get(&e) == Some(&formal) {
                    found.insert(scc);
                }
            });
        }
        found
    }
}
