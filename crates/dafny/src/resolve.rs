//! Syntax to the resolved tree.
//!
//! 1. `modules`: the module tree, imports, refinement (merging syntax).
//! 2. `declare`: ids for types, constructors and members, and their signatures.
//! 3. `bodies`, `exprs`, `stmts`, …: names and pre-types of every expression (`infer`), one member at a time.
//! 4. `zonk` and `retype`: solved types are written back and narrowed.
//! 5. `finish`: call graph, default measures, and the checks that need the whole program.

mod adopt;
mod allocate;
mod allocation;
mod attributes;
mod bodies;
mod bounds;
mod calls;
mod characteristics;
mod co_calls;
mod collections;
mod compilable;
mod comprehensions;
mod declare;
mod exports;
mod exprs;
mod failure;
mod finish;
mod first_use;
mod ghost;
mod ghost_control;
mod graph;
mod ground;
mod heads;
mod infer;
mod inherit;
mod iterators;
mod knots;
mod links;
mod literals;
mod measures;
mod members;
mod merge;
mod modules;
mod names;
mod naturals;
mod ops;
mod patterns;
mod recursion;
mod refined_types;
mod retype;
mod retype_collections;
mod retype_members;
mod retype_new;
mod scope;
mod show;
mod stmts;
mod sweep;
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
use stet_base::{FastMap, FastSet, Index, Span, Symbol};
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
    /// Element types that the program gives to `seq<T>(n, f)`.
    pub(crate) given_elements: FastMap<ExprId, Ty>,
    /// Variables whose type inference chose.
    pub(crate) inferred_vars: FastSet<VarId>,
    /// Those of them that were declared with a type whose arguments are left out.
    pub(crate) partly_typed: FastSet<VarId>,
    /// Allocations whose type arguments are left out.
    pub(crate) partly_new: FastSet<stet_base::Span>,
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
    /// The module each diagnostic since `reported_before` is about.
    pub(crate) blamed: Vec<ModuleId>,
    pub(crate) reported_before: usize,
    /// Modules with errors: later passes leave them out.
    pub(crate) failed_modules: FastSet<ModuleId>,
    /// What the imports of each module stand for.
    pub(crate) import_targets: FastMap<(ModuleId, Symbol), ModuleId>,
    reported: FastSet<(Span, String)>,
    /// What has no type, to be reported in modules without other errors.
    pub(crate) undetermined: Vec<(ModuleId, Span, String)>,
    /// The literal `0`.
    pub(crate) zero: Option<ExprId>,
    /// Types as written, to be checked when all characteristics are known.
    pub(crate) type_uses: Vec<characteristics::TypeUse>,
    /// The type whose arguments are being resolved, or the declaration it belongs to.
    pub(crate) type_place: Option<Span>,
    /// Type parameters that need equality because of how their declaration uses them.
    pub(crate) inferred_equality: FastSet<TypeParamId>,
    /// Where the lines of each file begin.
    pub(crate) lines: Vec<Vec<u32>>,
    /// How many patterns enclose the one being resolved, and whether one of them is disjunctive.
    pub(crate) pattern_depth: u32,
    pub(crate) in_or_pattern: bool,
    /// Where the variables of the pattern of a case begin.
    pub(crate) pattern_mark: Option<scope::Mark>,
    /// Options of the language.
    pub(crate) options: crate::Options,
    pub(crate) export_sets: FastMap<(ModuleId, Symbol), exports::ExportSet>,
    /// Types that some importer may see without their definitions.
    pub(crate) hideable: FastSet<DeclId>,
    pub(crate) hidden_from: FastMap<ModuleId, std::sync::Arc<FastSet<DeclId>>>,
    /// Modules with names for foreign code.
    pub(crate) extern_names: Vec<(String, ModuleId)>,
    /// The type of `_k` in the extreme predicate being checked.
    pub(crate) extreme_k: Option<Ty>,
    /// The expression from which the static member just found was selected: its value is not used, but it must have one.
    pub(crate) aside: Option<ExprId>,
    /// Synonyms that importers must not see through are not expanded yet.
    pub(crate) keeps_synonyms: bool,
    /// In the type of a compiled field or a parent.
    pub(crate) in_compiled_type: bool,
    /// The module whose declarations are being merged into a refining one.
    pub(crate) merging: Option<ModuleId>,
}

/// Resolves the declarations of all files.
pub(crate) fn resolve(
    ast: &Ast,
    program: Program,
    decls: Vec<ast::Decl>,
    lines: Vec<Vec<u32>>,
    options: crate::Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Program {
    let reported_before = diagnostics.len();
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
        given_elements: FastMap::default(),
        inferred_vars: FastSet::default(),
        partly_typed: FastSet::default(),
        partly_new: FastSet::default(),
        delayed: Vec::new(),
        const_state: FastMap::default(),
        calls: Vec::new(),
        naked: Vec::new(),
        alias_list: Vec::new(),
        this_alias: None,
        default_depth: 0,
        blamed: Vec::new(),
        reported_before,
        failed_modules: FastSet::default(),
        import_targets: FastMap::default(),
        reported: FastSet::default(),
        undetermined: Vec::new(),
        zero: None,
        type_uses: Vec::new(),
        type_place: None,
        inferred_equality: FastSet::default(),
        lines,
        pattern_depth: 0,
        in_or_pattern: false,
        pattern_mark: None,
        options,
        export_sets: FastMap::default(),
        hideable: FastSet::default(),
        hidden_from: FastMap::default(),
        extern_names: Vec::new(),
        merging: None,
        in_compiled_type: false,
        keeps_synonyms: true,
        extreme_k: None,
        aside: None,
    };
    resolver.build_modules(decls);
    if !resolver.root_failed() {
        resolver.declare_all();
        resolver.resolve_bodies();
        resolver.expand_kept();
        resolver.find_provided();
        resolver.finish();
        resolver.link_related();
        resolver.drop_dependents();
    }
    resolver.program.hidden = Default::default();
    resolver.order_diagnostics();
    resolver.program
}

impl Resolver<'_> {
    /// Whether the module being resolved has errors.
    pub(crate) fn failed(&self) -> bool {
        self.module_failed(self.current_module())
    }

    pub(crate) fn module_failed(&self, module: ModuleId) -> bool {
        self.failed_modules.contains(&module)
    }

    fn current_module(&self) -> ModuleId {
        self.frame.module.unwrap_or(ModuleId::from_index(0))
    }

    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        let module = self.current_module();
        self.error_in(module, span, message);
    }

    /// A warning about an old way to write something.
    pub(crate) fn deprecated(&mut self, span: Span, message: impl Into<String>) {
        let module = self.current_module();
        let diagnostic = Diagnostic::warning("dafny/deprecated", message).at(span);
        if self.reported.insert((span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
            self.blamed.push(module);
        }
    }

    /// An error that keeps `module` out of later passes.
    pub(crate) fn error_in(&mut self, module: ModuleId, span: Span, message: impl Into<String>) {
        let diagnostic = Diagnostic::error("dafny/resolve", message).at(span);
        self.failed_modules.insert(module);
        if self.reported.insert((span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
            self.blamed.push(module);
        }
    }

    /// Whether the outermost module has errors, those of the module graph among them.
    pub(crate) fn root_failed(&self) -> bool {
        self.module_failed(ModuleId::from_index(0))
    }

    /// Diagnostics by module, imported modules before their importers, as Dafny resolves one module after the other.
    fn order_diagnostics(&mut self) {
        let ranks = self.module_ranks();
        let mut found: Vec<(u32, Diagnostic)> = self
            .diagnostics
            .drain(self.reported_before..)
            .zip(&self.blamed)
            .map(|(diagnostic, &module)| (ranks[module.index()], diagnostic))
            .collect();
        found.sort_by_key(|&(rank, _)| rank);
        self.diagnostics
            .extend(found.into_iter().map(|(_, diagnostic)| diagnostic));
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
