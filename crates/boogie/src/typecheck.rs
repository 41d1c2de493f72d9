//! Type checking and inference, with Boogie's messages in its order.
//!
//! Runs on a resolved program. An expression with an error below it gets an unknown type, which agrees with everything, so
//! that one mistake is reported once. Afterwards every expression and variable has its canonical type and polymorphic
//! uses their type arguments; unknowns that nothing determined are settled with a warning.

mod cmds;
mod exprs;
pub(crate) mod members;
mod settle;

use crate::ast::*;
use crate::infer::{Form, Inference, Ty};
use crate::program::*;
use crate::resolve::Resolved;
use crate::{codes, message};
use stet_base::{FastMap, Span, Symbol};
use stet_diag::Diagnostic;

/// Checks all declarations and annotates the program with types.
pub fn typecheck(program: &mut Program, resolved: Resolved) -> Vec<Diagnostic> {
    let mut tys = Vec::new();
    tys.resize(program.exprs.len(), None);
    let mut checker = Checker {
        infer: resolved.infer,
        var_types: resolved.var_types,
        ascriptions: resolved.ascriptions,
        tys,
        instances: FastMap::default(),
        messages: std::mem::take(&mut program.warnings),
        errors: 0,
        frame: None,
        yields: false,
        program,
    };
    let decls = checker.program.decls.clone();
    for &decl in &decls {
        checker.declaration(decl);
    }
    if checker.errors == 0 {
        checker.settle_all(&decls);
        checker.finish();
        checker.resolve_overloading();
        checker.check_extractions();
    }
    checker.messages
}

/// The type arguments of a polymorphic use.
struct Instance {
    params: Box<[TypeVarId]>,
    /// Where in the inference the arguments are.
    slot: usize,
}

struct Checker<'a> {
    program: &'a mut Program,
    infer: Inference,
    var_types: stet_base::IdVec<VarId, Option<Ty>>,
    ascriptions: FastMap<ExprId, Ty>,
    /// The type of each expression.
    tys: Vec<Option<Ty>>,
    instances: FastMap<InstanceKey, Instance>,
    messages: Vec<Diagnostic>,
    errors: usize,
    /// What the enclosing procedure modifies; `None` outside of implementations.
    frame: Option<Vec<VarId>>,
    /// Whether the enclosing procedure is declared with `:yields`.
    yields: bool,
}

/// A polymorphic use.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum InstanceKey {
    Expr(ExprId),
    /// The call of a procedure.
    Call(CmdId),
    /// An indexing of an assignment target: command, target, indexing.
    Lhs(CmdId, u32, u32),
}

impl Checker<'_> {
    fn error(&mut self, span: Span, text: String) {
        self.errors += 1;
        self.messages.push(message::error(codes::TYPE, span, text));
    }

    fn name_error(&mut self, span: Span, text: &str, name: Symbol) {
        let text = format!("{text}: {}", self.program.name(name));
        self.error(span, text);
    }

    fn show(&self, ty: Ty) -> String {
        self.infer.show(self.program, ty)
    }

    fn must_be_bool(&mut self, ty: Ty, span: Span, text: &str) {
        let bool = self.infer.bool;
        if !self.infer.unify(ty, bool) {
            self.error(span, text.to_owned());
        }
    }

    fn var_type(&mut self, var: VarId) -> Ty {
        match self.var_types.get(var) {
            Some(Some(ty)) => *ty,
            _ => self.infer.fresh(),
        }
    }

    fn declaration(&mut self, decl: Decl) {
        match decl {
            Decl::TypeCtor(id) => {
                let attrs = self.program.type_ctors[id].attrs.clone();
                self.attributes(&attrs);
                self.equal_fields(id);
            }
            Decl::Synonym(id) => {
                let attrs = self.program.synonyms[id].attrs.clone();
                self.attributes(&attrs);
            }
            Decl::Function(id) => self.function(id),
            Decl::Constant(id) => self.constant(id),
            Decl::Global(var) => self.variable(var),
            Decl::Axiom(id) => {
                let Axiom {
                    span, expr, attrs, ..
                } = self.program.axioms[id].clone();
                self.attributes(&attrs);
                let ty = self.expr(expr);
                self.must_be_bool(ty, span, "axioms must be of type bool");
            }
            Decl::Procedure(id) => self.procedure(id),
            Decl::Implementation(id) => self.implementation(id),
        }
    }

    fn attributes(&mut self, attrs: &Attributes) {
        for attribute in &attrs.0 {
            for param in &attribute.params {
                let AttrParam::Expr(expr) = *param else {
                    continue;
                };
                let ty = self.expr(expr);
                let key = self.program.name(attribute.key);
                if matches!(key, "minimize" | "maximize") {
                    let numeric = matches!(
                        self.infer.form(ty),
                        Form::Basic(crate::Type::Int | crate::Type::Real | crate::Type::Bv(_))
                    );
                    if !numeric {
                        self.error(
                            attribute.span,
                            "attributes :minimize and :maximize accept only one argument of type int, real or bv".to_owned(),
                        );
                    }
                } else if key == "verified_under" {
                    self.must_be_bool(
                        ty,
                        attribute.span,
                        "attribute :verified_under accepts only one argument of type bool",
                    );
                }
            }
        }
    }

    fn variable(&mut self, var: VarId) {
        let Variable {
            span,
            where_clause,
            attrs,
            ..
        } = self.program.vars[var].clone();
        self.attributes(&attrs);
        if let Some(expr) = where_clause {
            let ty = self.expr(expr);
            self.must_be_bool(ty, span, "where clauses must be of type bool");
        }
        if self.program.bool_attribute(&attrs, "assumption") {
            let ty = self.var_type(var);
            self.must_be_bool(ty, span, "assumption variable must be of type 'bool'");
        }
    }

    fn variables(&mut self, vars: &[VarId]) {
        for &var in vars {
            self.variable(var);
        }
    }

    fn constant(&mut self, id: ConstId) {
        let Constant { var, parents, .. } = self.program.consts[id].clone();
        self.variable(var);
        let expected = self.var_type(var);
        for ConstParent { parent, .. } in parents.into_iter().flatten() {
            let ty = self.expr(parent);
            if !self.infer.unify(ty, expected) {
                let span = self.program.exprs[parent].span;
                let text = format!(
                    "parent of constant has incompatible type ({} instead of {})",
                    self.show(ty),
                    self.show(expected)
                );
                self.error(span, text);
            }
        }
    }

    fn function(&mut self, id: FuncId) {
        let Function {
            ins,
            out,
            body,
            attrs,
            ..
        } = self.program.funcs[id].clone();
        self.attributes(&attrs);
        self.variables(&ins);
        self.variable(out);
        if let Some(body) = body {
            let ty = self.expr(body);
            let expected = self.var_type(out);
            if !self.infer.unify(ty, expected) {
                let span = self.program.exprs[body].span;
                let text = format!(
                    "function body with invalid type: {} (expected: {})",
                    self.show(ty),
                    self.show(expected)
                );
                self.error(span, text);
            }
        }
    }

    fn procedure(&mut self, id: ProcId) {
        let proc = self.program.procs[id].clone();
        self.attributes(&proc.attrs);
        self.variables(&proc.ins);
        self.variables(&proc.outs);
        for &modified in &proc.modifies {
            self.expr(modified);
            if let ExprKind::Ident {
                name,
                var: Some(var),
            } = self.program.exprs[modified].kind
                && self.program.vars[var].kind == VarKind::Constant
            {
                self.name_error(proc.span, "modifies list contains constant", name);
            }
        }
        for spec in &proc.requires {
            self.spec(spec, "preconditions must be of type bool");
        }
        for spec in &proc.ensures {
            self.spec(spec, "postconditions must be of type bool");
        }
    }

    fn spec(&mut self, spec: &Spec, text: &str) {
        self.attributes(&spec.attrs);
        let ty = self.expr(spec.expr);
        self.must_be_bool(ty, spec.span, text);
    }

    fn implementation(&mut self, id: ImplId) {
        let Implementation {
            proc,
            ins,
            outs,
            locals,
            attrs,
            blocks,
            ..
        } = self.program.impls[id].clone();
        self.attributes(&attrs);
        self.variables(&ins);
        self.variables(&outs);
        let Some(proc) = proc else { return };
        self.match_signature(id, proc);
        self.variables(&locals);
        let modifies = &self.program.procs[proc].modifies;
        let frame = modifies
            .iter()
            .filter_map(|&m| match self.program.exprs[m].kind {
                ExprKind::Ident { var, .. } => var,
                _ => None,
            })
            .collect();
        self.frame = Some(frame);
        let attrs = &self.program.procs[proc].attrs;
        self.yields = self.program.attribute(attrs, "yields").is_some();
        self.blocks(&blocks);
        self.frame = None;
        self.yields = false;
    }

    /// Formals of implementation and procedure must have the same types, up to the names of type parameters.
    fn match_signature(&mut self, id: ImplId, proc: ProcId) {
        let implementation = self.program.impls[id].clone();
        let procedure = self.program.procs[proc].clone();
        let (name, span) = (implementation.name, implementation.span);
        if procedure.type_params.len() != implementation.type_params.len() {
            let text = "mismatched number of type parameters in procedure implementation";
            self.name_error(span, text, name);
            return;
        }
        let mut subst = FastMap::default();
        for (&from, &to) in implementation
            .type_params
            .iter()
            .zip(&procedure.type_params)
        {
            let to = self.infer.intern(Form::Var(to));
            subst.insert(from, to);
        }
        let pairs = [
            (implementation.ins, procedure.ins, "in"),
            (implementation.outs, procedure.outs, "out"),
        ];
        for (ours, theirs, direction) in pairs {
            if ours.len() != theirs.len() {
                let text = format!(
                    "mismatched number of {direction}-parameters in procedure implementation"
                );
                self.name_error(span, &text, name);
                continue;
            }
            for (&our, &their) in ours.iter().zip(&theirs) {
                let ty = self.var_type(our);
                let ty = self.infer.substitute(ty, &subst);
                let expected = self.var_type(their);
                if self.infer.unify(ty, expected) {
                    continue;
                }
                let our_name = self.program.name(self.program.vars[our].name);
                let their_name = self.program.name(self.program.vars[their].name);
                let formal = if our_name == their_name {
                    our_name.to_owned()
                } else {
                    format!("{their_name} (named {our_name} in implementation)")
                };
                let text = format!(
                    "mismatched type of {direction}-parameter in implementation {}: {formal}",
                    self.program.name(name)
                );
                self.error(span, text);
            }
        }
    }

    /// Bits that do not exist cannot be extracted (Boogie leaves this to the prover).
    fn check_extractions(&mut self) {
        for id in self.program.exprs.ids() {
            let Expr { kind, span, ty } = &self.program.exprs[id];
            let (&ExprKind::Extract { arg, end, .. }, Some(_)) = (kind, ty) else {
                continue;
            };
            let span = *span;
            if let crate::Type::Bv(width) = *self.program.types.get(self.program.type_of(arg))
                && width < end
            {
                let text = format!(
                    "extract operand must be a bitvector of at least {end} bits (got bv{width})"
                );
                self.error(span, text);
            }
        }
    }

    /// `==` and `!=` on Booleans are equivalences.
    fn resolve_overloading(&mut self) {
        let bool_type = Some(self.program.types.bool());
        for id in self.program.exprs.ids() {
            let ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Neq), left, right) =
                self.program.exprs[id].kind
            else {
                continue;
            };
            let is_bool = |e: ExprId| self.program.exprs[e].ty == bool_type;
            if self.program.exprs[id].ty.is_none() || !is_bool(left) || !is_bool(right) {
                continue;
            }
            let mut right = right;
            if op == BinaryOp::Neq {
                let span = self.program.exprs[id].span;
                let kind = ExprKind::Unary(UnaryOp::Not, right);
                right = self.program.add_expr(span, kind, bool_type);
            }
            self.program.exprs[id].kind = ExprKind::Binary(BinaryOp::Iff, left, right);
        }
    }

    /// Writes canonical types and type arguments into the program.
    fn finish(&mut self) {
        for var in self.program.vars.ids() {
            if let Some(Some(ty)) = self.var_types.get(var).copied() {
                let ty = self.infer.canonical(self.program, ty);
                self.program.vars[var].ty = Some(ty);
            }
        }
        let tys = std::mem::take(&mut self.tys);
        for (expr, ty) in self.program.exprs.ids().zip(tys) {
            if let Some(ty) = ty {
                let ty = self.infer.canonical(self.program, ty);
                self.program.exprs[expr].ty = Some(ty);
            }
        }
        let instances = std::mem::take(&mut self.instances);
        #[allow(
            clippy::iter_over_hash_type,
            reason = "each entry is written to its own place; type ids are compared for equality only"
        )]
        for (key, instance) in instances {
            let types: Box<[crate::TypeId]> = self.infer.slots[instance.slot]
                .clone()
                .into_iter()
                .map(|ty| self.infer.canonical(self.program, ty))
                .collect();
            if types.is_empty() {
                continue;
            }
            match key {
                InstanceKey::Expr(expr) => {
                    self.program.type_args.insert(expr, types);
                }
                InstanceKey::Call(cmd) => {
                    if let CmdKind::Call(call) = &mut self.program.cmds[cmd].kind {
                        call.type_args = types;
                    }
                }
                InstanceKey::Lhs(cmd, target, indexing) => {
                    if let CmdKind::Assign { lhss, .. } = &mut self.program.cmds[cmd].kind {
                        lhss[target as usize].indexings[indexing as usize].type_args = types;
                    }
                }
            }
        }
    }
}
