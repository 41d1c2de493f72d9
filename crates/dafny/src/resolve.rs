//! Syntax to the resolved tree.
//!
//! 1. `modules`: the module tree, imports, refinement (merging syntax).
//! 2. `declare`: ids for types, constructors and members, and their signatures.
//! 3. `bodies`, `exprs`, `stmts`, …: names and pre-types of every expression (`infer`), one member at a time.
//! 4. `zonk` and `retype`: solved types are written back and narrowed.
//! 5. `finish`: call graph, default measures, and the checks that need the whole program.

mod attributes;
mod bodies;
mod calls;
mod collections;
mod comprehensions;
mod declare;
mod exprs;
mod finish;
mod infer;
mod knots;
mod measures;
mod members;
mod merge;
mod modules;
mod names;
mod ops;
mod patterns;
mod recursion;
mod retype;
mod scope;
mod show;
mod stmts;
mod types;
mod updates;
mod zonk;

use crate::ast::{self, Ast};
use crate::tree::{
    CtorId, DeclId, Expr, ExprId, ExprKind, MemberId, ModuleId, Owner, Program, Stmt, StmtId,
    StmtKind, Ty, TypeParamId, Var, VarId, VarKind,
};
use infer::{Infer, VarClass};
use scope::{Frame, Scope};
use std::rc::Rc;
use stet_base::{FastMap, FastSet, Span, Symbol};
use stet_diag::Diagnostic;

/// What a name of a module stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entity {
    Module(ModuleId),
    Type(DeclId),
    Member(MemberId),
}

/// The names of a module.
#[derive(Default, Debug)]
pub(crate) struct ModuleNames {
    pub(crate) own: FastMap<Symbol, Entity>,
    pub(crate) opened: Vec<ModuleId>,
    pub(crate) ctors: FastMap<Symbol, Vec<CtorId>>,
}

/// What a name stands for after a value of a declared type.
#[derive(Clone, Debug)]
pub(crate) enum TypeMember {
    Member(MemberId),
    Destructor(Vec<(CtorId, u32)>),
    Discriminator(CtorId),
}

pub(crate) struct Resolver<'a> {
    pub(crate) ast: &'a Ast,
    pub(crate) program: Program,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
    pub(crate) modules: Vec<ModuleNames>,
    /// Members of declared types by name.
    pub(crate) type_members: FastMap<(DeclId, Symbol), TypeMember>,
    pub(crate) ctor_names: FastMap<(DeclId, Symbol), CtorId>,
    pub(crate) member_syntax: FastMap<MemberId, Rc<ast::Member>>,
    pub(crate) type_syntax: FastMap<DeclId, Rc<ast::TypeDecl>>,
    /// Formals that must be named.
    pub(crate) nameonly: FastSet<VarId>,
    pub(crate) infer: Infer,
    pub(crate) frame: Frame,
    pub(crate) scope: Scope,
    pub(crate) work: Vec<modules::ModuleWork>,
    /// Calls whose type arguments inference chose, by expression.
    pub(crate) inferred_args: FastSet<ExprId>,
    /// Variables whose type inference chose.
    pub(crate) inferred_vars: FastSet<VarId>,
    /// Checks to make when all types of a declaration are known.
    pub(crate) delayed: Vec<ops::Delayed>,
    pub(crate) const_state: FastMap<MemberId, bool>,
    /// Calls of a member, for the call graph.
    pub(crate) calls: Vec<(MemberId, MemberId)>,
    /// Functions used without arguments: where, which, and the place.
    pub(crate) naked: Vec<(MemberId, MemberId, Span)>,
    /// Formals that stand for arguments while a default value is resolved.
    pub(crate) alias_list: Vec<(Symbol, ExprId)>,
    pub(crate) this_alias: Option<ExprId>,
    pub(crate) default_depth: u32,
}

/// Resolves the declarations of all files.
pub(crate) fn resolve(
    ast: &Ast,
    program: Program,
    decls: Vec<ast::Decl>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Program {
    let mut resolver = Resolver {
        ast,
        program,
        diagnostics,
        modules: Vec::new(),
        type_members: FastMap::default(),
        ctor_names: FastMap::default(),
        member_syntax: FastMap::default(),
        type_syntax: FastMap::default(),
        nameonly: FastSet::default(),
        infer: Infer::default(),
        frame: Frame::default(),
        scope: Scope::default(),
        work: Vec::new(),
        inferred_args: FastSet::default(),
        inferred_vars: FastSet::default(),
        delayed: Vec::new(),
        const_state: FastMap::default(),
        calls: Vec::new(),
        naked: Vec::new(),
        alias_list: Vec::new(),
        this_alias: None,
        default_depth: 0,
    };
    resolver.build_modules(decls);
    resolver.declare_all();
    if !resolver.failed() {
        resolver.resolve_bodies();
    }
    if !resolver.failed() {
        resolver.finish();
    }
    resolver.program
}

impl Resolver<'_> {
    pub(crate) fn failed(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        let diagnostic = Diagnostic::error("dafny/resolve", message).at(span);
        if self.diagnostics.last() != Some(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn text(&self, symbol: Symbol) -> String {
        self.program.text(symbol).to_owned()
    }

    pub(crate) fn sym(&mut self, text: &str) -> Symbol {
        self.program.names.intern(text)
    }

    pub(crate) fn fresh(&mut self) -> Ty {
        self.infer.fresh(&self.program, VarClass::Any)
    }

    pub(crate) fn push_expr(&mut self, like: ast::ExprId, kind: ExprKind, ty: Ty) -> ExprId {
        let (span, tok) = {
            let expr = &self.ast.exprs[like];
            (expr.span, expr.tok)
        };
        self.program.exprs.push(Expr {
            kind,
            ty,
            span,
            tok,
        })
    }

    pub(crate) fn push_expr_at(&mut self, span: Span, tok: Span, kind: ExprKind, ty: Ty) -> ExprId {
        self.program.exprs.push(Expr {
            kind,
            ty,
            span,
            tok,
        })
    }

    pub(crate) fn error_expr(&mut self, like: ast::ExprId) -> ExprId {
        let ty = self.program.types.error;
        self.push_expr(like, ExprKind::Error, ty)
    }

    pub(crate) fn push_stmt(&mut self, like: ast::StmtId, kind: StmtKind) -> StmtId {
        let (span, tok) = {
            let stmt = &self.ast.stmts[like];
            (stmt.span, stmt.tok)
        };
        self.push_stmt_at(span, tok, kind)
    }

    pub(crate) fn push_stmt_at(&mut self, span: Span, tok: Span, kind: StmtKind) -> StmtId {
        let ghost = self.frame.ghost_context;
        self.program.stmts.push(Stmt {
            kind,
            span,
            tok,
            ghost,
            labels: Vec::new(),
            attributes: Vec::new(),
        })
    }

    pub(crate) fn new_var(
        &mut self,
        name: Symbol,
        span: Span,
        kind: VarKind,
        ty: Ty,
        ghost: bool,
    ) -> VarId {
        let user_named = !self.program.text(name).starts_with('_');
        self.program.vars.push(Var {
            name,
            span,
            kind,
            ty,
            ghost,
            is_new: false,
            is_older: false,
            user_named,
            default: None,
            attributes: Vec::new(),
        })
    }

    pub(crate) fn ty_of(&self, expr: ExprId) -> Ty {
        self.infer
            .shallow(&self.program, self.program.exprs[expr].ty)
    }

    /// The pre-type of a variable.
    pub(crate) fn var_pre_type(&self, var: VarId) -> Ty {
        infer::pre_type(&self.program, self.program.vars[var].ty)
    }

    /// The type arguments of a declaration's own parameters, as seen inside it.
    pub(crate) fn own_args(&self, params: &[TypeParamId]) -> Vec<Ty> {
        let types = &self.program.types;
        params
            .iter()
            .map(|&p| types.intern(crate::tree::TyKind::Param(p)))
            .collect()
    }

    pub(crate) fn owner_decl(&self, member: MemberId) -> Option<DeclId> {
        match self.program.members[member].owner {
            Owner::Type(decl) => Some(decl),
            Owner::Module(_) => None,
        }
    }
}
