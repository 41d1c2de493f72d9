//! Names to declarations: fills the `Option` ids of the syntax tree and resolves types as written.
//!
//! Order and wording of messages are Boogie's: first all top-level names are registered, then type synonyms are
//! resolved along their dependencies, then the other declarations in source order. What is checked:
//!
//! * names are declared once per scope (inner scopes may hide names of outer ones), with `:extern` giving way;
//! * every name used is declared; globals do not occur in axioms and function bodies; `old` only where there are two states;
//! * types have the right number of arguments, their parameters occur; synonyms are not cyclic;
//! * triggers mention every bound variable and contain no Boolean operators, comparisons or quantifiers;
//! * assignments and calls have as many left as right sides, without repetition.

mod cmds;
mod datatypes;
mod exprs;
mod types;

use crate::ast::*;
use crate::infer::{Inference, Ty};
use crate::program::*;
use crate::{codes, message};
use stet_base::{FastMap, FastSet, IdVec, Span, Symbol};
use stet_diag::Diagnostic;

/// What resolution hands to type checking.
#[derive(Debug)]
pub struct Resolved {
    pub(crate) infer: Inference,
    /// The type of every variable, as written.
    pub(crate) var_types: IdVec<VarId, Option<Ty>>,
    /// The type of every `(e: T)`.
    pub(crate) ascriptions: FastMap<ExprId, Ty>,
}

/// Declarations without effect: they gave way to others (`:extern`) or are `:ignore`d.
#[derive(Debug, Default)]
struct Ignored {
    decls: FastSet<(u8, u32)>,
}

impl Ignored {
    fn key(decl: Decl) -> (u8, u32) {
        use stet_base::Index;
        let (kind, index) = match decl {
            Decl::TypeCtor(id) => (0, id.index()),
            Decl::Synonym(id) => (1, id.index()),
            Decl::Function(id) => (2, id.index()),
            Decl::Constant(id) => (3, id.index()),
            Decl::Global(id) => (4, id.index()),
            Decl::Axiom(id) => (5, id.index()),
            Decl::Procedure(id) => (6, id.index()),
            Decl::Implementation(id) => (7, id.index()),
        };
        (kind, index as u32)
    }

    fn add(&mut self, decl: Decl) {
        self.decls.insert(Self::key(decl));
    }

    fn contains(&self, decl: Decl) -> bool {
        self.decls.contains(&Self::key(decl))
    }
}

/// Resolves all names. Type checking may go on only if there is no message of kind `Error`.
pub fn resolve(program: &mut Program) -> (Resolved, Vec<Diagnostic>) {
    let mut resolver = Resolver {
        infer: Inference::new(),
        var_types: IdVec::new(),
        ascriptions: FastMap::default(),
        ignored: Ignored::default(),
        messages: Vec::new(),
        types: FastMap::default(),
        callables: FastMap::default(),
        globals: FastMap::default(),
        locals: FastMap::default(),
        scopes: Vec::new(),
        type_binders: Vec::new(),
        state: State::Single,
        in_trigger: false,
        labels: FastMap::default(),
        synonym_bodies: FastMap::default(),
        assigned_assumptions: FastSet::default(),
        statement_ids: FastSet::default(),
        program,
    };
    resolver.run();
    let resolved = Resolved {
        infer: resolver.infer,
        var_types: resolver.var_types,
        ascriptions: resolver.ascriptions,
    };
    (resolved, resolver.messages)
}

/// How many states an expression may speak of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Stateless,
    Single,
    Two,
}

/// A name of a type.
#[derive(Clone, Copy, PartialEq)]
enum TypeName {
    Ctor(TypeCtorId),
    Synonym(SynonymId),
}

struct Resolver<'a> {
    program: &'a mut Program,
    infer: Inference,
    var_types: IdVec<VarId, Option<Ty>>,
    ascriptions: FastMap<ExprId, Ty>,
    ignored: Ignored,
    messages: Vec<Diagnostic>,
    types: FastMap<Symbol, TypeName>,
    /// Functions and procedures, which share a name space.
    callables: FastMap<Symbol, Decl>,
    globals: FastMap<Symbol, (VarId, Decl)>,
    /// Formals, locals and bound variables in scope; a name has one meaning at a time.
    locals: FastMap<Symbol, VarId>,
    /// What to remove from `locals` at the end of each scope, and what it hid.
    scopes: Vec<Vec<(Symbol, Option<VarId>)>>,
    type_binders: Vec<TypeVarId>,
    state: State,
    in_trigger: bool,
    labels: FastMap<Symbol, u32>,
    synonym_bodies: FastMap<SynonymId, Ty>,
    assigned_assumptions: FastSet<VarId>,
    statement_ids: FastSet<Box<str>>,
}

impl Resolver<'_> {
    fn error(&mut self, span: Span, text: String) {
        self.messages
            .push(message::error(codes::RESOLUTION, span, text));
    }

    /// An error about a name: `text` with the name appended.
    fn name_error(&mut self, span: Span, text: &str, name: Symbol) {
        let text = format!("{text}: {}", self.program.name(name));
        self.error(span, text);
    }

    fn run(&mut self) {
        self.add_datatype_functions();
        let decls = self.program.decls.clone();
        for &decl in &decls {
            self.register(decl);
        }
        self.resolve_type_declarations(&decls);
        for &decl in &decls {
            if self
                .program
                .bool_attribute(decl_attrs(self.program, decl), "ignore")
            {
                self.ignored.add(decl);
            }
            if !self.ignored.contains(decl) {
                self.declaration(decl);
            }
        }
        // Boogie resolves the attributes of variables last.
        for &decl in &decls {
            if matches!(decl, Decl::Constant(_) | Decl::Global(_)) && !self.ignored.contains(decl) {
                let attrs = decl_attrs(self.program, decl).clone();
                self.attributes(&attrs);
            }
        }
        self.program.decls.retain(|&d| !self.ignored.contains(d));
    }

    fn is_extern(&self, decl: Decl) -> bool {
        let attrs = decl_attrs(self.program, decl);
        self.program.bool_attribute(attrs, "extern")
    }

    /// Of two declarations of a name, the one that gives way, if one may.
    fn loser(&self, new: Decl, old: Decl) -> Option<Decl> {
        if self.is_extern(old) {
            Some(old)
        } else {
            self.is_extern(new).then_some(new)
        }
    }

    fn register(&mut self, decl: Decl) {
        match decl {
            Decl::TypeCtor(id) => {
                let TypeCtor { name, span, .. } = self.program.type_ctors[id];
                self.register_type(name, span, TypeName::Ctor(id), decl);
            }
            Decl::Synonym(id) => {
                let Synonym { name, span, .. } = self.program.synonyms[id];
                self.register_type(name, span, TypeName::Synonym(id), decl);
            }
            Decl::Function(id) => {
                let Function { name, span, .. } = self.program.funcs[id];
                self.register_callable(name, span, decl);
            }
            Decl::Procedure(id) => {
                let Procedure { name, span, .. } = self.program.procs[id];
                self.register_callable(name, span, decl);
            }
            Decl::Constant(id) => self.register_global(self.program.consts[id].var, decl),
            Decl::Global(var) => self.register_global(var, decl),
            Decl::Axiom(_) | Decl::Implementation(_) => {}
        }
    }

    fn register_type(&mut self, name: Symbol, span: Span, meaning: TypeName, decl: Decl) {
        if self.clashes_with_bv(name) {
            let text = format!(
                "type name: {} is registered for bitvectors",
                self.program.name(name)
            );
            self.error(span, text);
            return;
        }
        let Some(&old) = self.types.get(&name) else {
            self.types.insert(name, meaning);
            return;
        };
        let old_decl = match old {
            TypeName::Ctor(id) => Decl::TypeCtor(id),
            TypeName::Synonym(id) => Decl::Synonym(id),
        };
        match self.loser(decl, old_decl) {
            Some(loser) => {
                self.ignored.add(loser);
                if loser == old_decl {
                    self.types.insert(name, meaning);
                }
            }
            None => self.name_error(span, "more than one declaration of type name", name),
        }
    }

    fn clashes_with_bv(&self, name: Symbol) -> bool {
        let digits = self.program.name(name).strip_prefix("bv");
        digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    }

    fn register_callable(&mut self, name: Symbol, span: Span, decl: Decl) {
        let Some(&old) = self.callables.get(&name) else {
            self.callables.insert(name, decl);
            return;
        };
        match self.loser(decl, old) {
            Some(loser) => {
                self.ignored.add(loser);
                if loser == old {
                    self.callables.insert(name, decl);
                }
            }
            None => self.name_error(
                span,
                "more than one declaration of function/procedure name",
                name,
            ),
        }
    }

    fn register_global(&mut self, var: VarId, decl: Decl) {
        let Variable { name, span, .. } = self.program.vars[var];
        let Some(&(_, old)) = self.globals.get(&name) else {
            self.globals.insert(name, (var, decl));
            return;
        };
        match self.loser(decl, old) {
            Some(loser) => {
                self.ignored.add(loser);
                if loser == old {
                    self.globals.insert(name, (var, decl));
                }
            }
            None => self.name_error(span, "more than one declaration of variable name", name),
        }
    }

    fn push_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn pop_scope(&mut self) {
        for (name, hidden) in self.scopes.pop().unwrap_or_default() {
            match hidden {
                Some(var) => self.locals.insert(name, var),
                None => self.locals.remove(&name),
            };
        }
    }

    fn add_local(&mut self, var: VarId) {
        let Variable { name, span, .. } = self.program.vars[var];
        let in_scope = |scope: &Vec<(Symbol, Option<VarId>)>| scope.iter().any(|s| s.0 == name);
        let is_repeated = match self.scopes.last() {
            Some(scope) => in_scope(scope),
            None => self.locals.contains_key(&name),
        };
        if is_repeated {
            self.name_error(span, "more than one declaration of variable name", name);
            return;
        }
        let hidden = self.locals.insert(name, var);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name, hidden));
        }
    }

    fn add_named(&mut self, vars: &[VarId]) {
        for &var in vars {
            if !self.program.name(self.program.vars[var].name).is_empty() {
                self.add_local(var);
            }
        }
    }

    fn var_type(&mut self, var: VarId) {
        let ty = self.program.vars[var].type_expr.map(|t| self.type_(t));
        while self.var_types.len() < self.program.vars.len() {
            self.var_types.push(None);
        }
        self.var_types[var] = ty;
    }

    fn var_types(&mut self, vars: &[VarId]) {
        for &var in vars {
            self.var_type(var);
        }
    }

    fn where_clause(&mut self, var: VarId) {
        let Variable {
            span,
            where_clause,
            ref attrs,
            ..
        } = self.program.vars[var];
        let is_assumption = self.program.bool_attribute(attrs, "assumption");
        if let Some(expr) = where_clause {
            if is_assumption {
                self.error(
                    span,
                    "assumption variable may not be declared with a where clause".to_owned(),
                );
            }
            self.expr(expr);
        }
    }

    fn where_clauses(&mut self, vars: &[VarId]) {
        for &var in vars {
            self.where_clause(var);
        }
    }

    fn attributes(&mut self, attrs: &Attributes) {
        for attribute in &attrs.0 {
            let key = self.program.name(attribute.key);
            let single = attribute.params.len() == 1;
            if matches!(key, "minimize" | "maximize") && !single {
                self.error(
                    attribute.span,
                    "attributes :minimize and :maximize accept only one argument".to_owned(),
                );
            } else if key == "verified_under" && !single {
                self.error(
                    attribute.span,
                    "attribute :verified_under accepts only one argument".to_owned(),
                );
            }
            for param in &attribute.params {
                if let AttrParam::Expr(expr) = *param {
                    let state = self.state;
                    if state == State::Single {
                        self.state = State::Two;
                    }
                    self.expr(expr);
                    self.state = state;
                }
            }
        }
    }

    fn declaration(&mut self, decl: Decl) {
        let binders = self.type_binders.len();
        match decl {
            Decl::TypeCtor(_) | Decl::Synonym(_) => {}
            Decl::Function(id) => self.function(id),
            Decl::Constant(id) => self.constant(id),
            Decl::Global(var) => {
                self.var_type(var);
                self.where_clause(var);
            }
            Decl::Axiom(id) => {
                let Axiom { expr, attrs, .. } = self.program.axioms[id].clone();
                self.attributes(&attrs);
                self.state = State::Stateless;
                self.expr(expr);
                self.state = State::Single;
            }
            Decl::Procedure(id) => self.procedure(id),
            Decl::Implementation(id) => self.implementation(id),
        }
        self.type_binders.truncate(binders);
    }

    fn function(&mut self, id: FuncId) {
        let Function {
            span,
            type_params,
            ins,
            out,
            body,
            attrs,
            ..
        } = self.program.funcs[id].clone();
        self.add_type_binders(&type_params);
        self.push_scope();
        self.add_named(&ins);
        self.add_named(&[out]);
        self.var_types(&ins);
        self.var_type(out);
        self.attributes(&attrs);
        if let Some(body) = body {
            self.state = State::Stateless;
            self.expr(body);
            self.state = State::Single;
        }
        self.pop_scope();
        let mut types = ins;
        types.push(out);
        self.check_occurrences(&type_params, &types, span, "function arguments");
        let sorted = self.sorted_type_params(&type_params, &types);
        self.program.funcs[id].type_params = sorted;
    }

    fn check_occurrences(
        &mut self,
        params: &[TypeVarId],
        vars: &[VarId],
        span: Span,
        subject: &str,
    ) {
        let types: Vec<Ty> = vars.iter().filter_map(|&v| self.var_types[v]).collect();
        self.check_type_occurrences(params, &types, span, subject);
    }

    /// Type parameters in the order in which they occur in the types of `vars`.
    fn sorted_type_params(&self, params: &[TypeVarId], vars: &[VarId]) -> Vec<TypeVarId> {
        if params.len() < 2 {
            return params.to_vec();
        }
        let types: Vec<Ty> = vars.iter().filter_map(|&v| self.var_types[v]).collect();
        self.sort_by_occurrence(params, &types)
    }

    fn constant(&mut self, id: ConstId) {
        let Constant { var, parents, .. } = self.program.consts[id].clone();
        self.var_type(var);
        let name = self.program.vars[var].name;
        let mut seen: Vec<Symbol> = Vec::new();
        for ConstParent { parent, .. } in parents.into_iter().flatten() {
            self.expr(parent);
            let span = self.program.exprs[parent].span;
            let ExprKind::Ident {
                name: parent_name,
                var: Some(parent_var),
            } = self.program.exprs[parent].kind
            else {
                continue;
            };
            if self.program.vars[parent_var].kind != VarKind::Constant {
                self.error(
                    span,
                    "the parent of a constant has to be a constant".to_owned(),
                );
            }
            if parent_name == name {
                self.error(span, "constant cannot be its own parent".to_owned());
            }
            if seen.contains(&parent_name) {
                let text = format!(
                    "{} occurs more than once as parent",
                    self.program.name(parent_name)
                );
                self.error(span, text);
            }
            seen.push(parent_name);
        }
    }

    fn procedure(&mut self, id: ProcId) {
        let proc = self.program.procs[id].clone();
        self.add_type_binders(&proc.type_params);
        self.push_scope();
        for &modified in &proc.modifies {
            self.expr(modified);
        }
        if proc.is_pure {
            self.pure_procedure(&proc);
        }
        self.add_named(&proc.ins);
        self.formals(&proc.ins);
        if proc.is_pure {
            self.state = State::Stateless;
        }
        for spec in &proc.requires {
            self.spec(spec);
        }
        self.add_named(&proc.outs);
        self.formals(&proc.outs);
        self.state = if proc.is_pure {
            State::Stateless
        } else {
            State::Two
        };
        for spec in &proc.ensures {
            self.spec(spec);
        }
        self.state = State::Single;
        self.attributes(&proc.attrs);
        self.pop_scope();
        let vars = [proc.ins, proc.outs].concat();
        self.check_occurrences(&proc.type_params, &vars, proc.span, "procedure arguments");
        let sorted = self.sorted_type_params(&proc.type_params, &vars);
        self.program.procs[id].type_params = sorted;
    }

    /// A pure procedure has no state to change.
    fn pure_procedure(&mut self, proc: &Procedure) {
        if !proc.modifies.is_empty() {
            let text = "unnecessary modifies clause for pure procedure";
            self.error(proc.span, text.to_owned());
        }
    }

    fn spec(&mut self, spec: &Spec) {
        self.expr(spec.expr);
        self.attributes(&spec.attrs);
    }

    fn formals(&mut self, vars: &[VarId]) {
        for &var in vars {
            self.var_type(var);
            let attrs = self.program.vars[var].attrs.clone();
            self.attributes(&attrs);
        }
        self.where_clauses(vars);
    }

    fn implementation(&mut self, id: ImplId) {
        let implementation = self.program.impls[id].clone();
        let Implementation {
            name,
            span,
            type_params,
            ins,
            outs,
            locals,
            attrs,
            ..
        } = implementation;
        match self.callables.get(&name) {
            Some(&Decl::Procedure(proc)) => self.program.impls[id].proc = Some(proc),
            Some(_) => self.name_error(
                span,
                "implementations given for function, not procedure",
                name,
            ),
            None => self.name_error(span, "implementation given for undeclared procedure", name),
        }
        self.add_type_binders(&type_params);
        self.push_scope();
        self.add_named(&ins);
        self.add_named(&outs);
        self.var_types(&ins);
        self.var_types(&outs);
        for &local in &locals {
            self.add_local(local);
            self.var_type(local);
            let attrs = self.program.vars[local].attrs.clone();
            self.attributes(&attrs);
        }
        self.where_clauses(&locals);
        self.register_labels(&implementation.blocks);
        self.attributes(&attrs);
        let proc = self.program.impls[id].proc;
        let is_pure = proc.is_some_and(|proc| self.program.procs[proc].is_pure);
        self.state = if is_pure {
            State::Stateless
        } else {
            State::Two
        };
        let mut blocks = implementation.blocks;
        self.blocks(&mut blocks);
        self.program.impls[id].blocks = blocks;
        self.state = State::Single;
        self.pop_scope();
        let vars = [ins, outs].concat();
        self.check_occurrences(&type_params, &vars, span, "implementation arguments");
        let sorted = self.sorted_type_params(&type_params, &vars);
        self.program.impls[id].type_params = sorted;
    }
}

/// The attributes of a declaration.
pub(crate) fn decl_attrs(program: &Program, decl: Decl) -> &Attributes {
    match decl {
        Decl::TypeCtor(id) => &program.type_ctors[id].attrs,
        Decl::Synonym(id) => &program.synonyms[id].attrs,
        Decl::Function(id) => &program.funcs[id].attrs,
        Decl::Constant(id) => &program.vars[program.consts[id].var].attrs,
        Decl::Global(var) => &program.vars[var].attrs,
        Decl::Axiom(id) => &program.axioms[id].attrs,
        Decl::Procedure(id) => &program.procs[id].attrs,
        Decl::Implementation(id) => &program.impls[id].attrs,
    }
}
