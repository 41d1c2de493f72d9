//! Names in expressions.

use super::{Resolver, State};
use crate::ast::*;
use crate::program::{Decl, VarKind};
use crate::typecheck::members::Member;
use stet_base::{FastSet, Span, Symbol};

impl Resolver<'_> {
    pub(super) fn exprs(&mut self, exprs: &[ExprId]) {
        for &expr in exprs {
            self.expr(expr);
        }
    }

    pub(super) fn expr(&mut self, id: ExprId) {
        let span = self.program.exprs[id].span;
        match &self.program.exprs[id].kind {
            ExprKind::Bool(_) => {
                if self.program.misplaced_bounds.contains(&id) {
                    self.error(span, "bitvector bounds in illegal position".to_owned());
                }
            }
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bv { .. }
            | ExprKind::Float(_)
            | ExprKind::Rounding(_)
            | ExprKind::Str(_) => {}
            &ExprKind::Ident { name, .. } => self.ident(id, span, name),
            &ExprKind::Old(arg) => {
                if self.state != State::Two {
                    let text = "old expressions allowed only in two-state contexts";
                    self.error(span, text.to_owned());
                }
                self.expr(arg);
            }
            &ExprKind::Unary(op, arg) => {
                if self.in_trigger && op == UnaryOp::Not {
                    self.not_in_triggers(span, "boolean operators are");
                }
                self.expr(arg);
            }
            &ExprKind::Binary(op, left, right) => {
                if self.in_trigger {
                    self.binary_in_trigger(span, op);
                }
                self.expr(left);
                self.expr(right);
            }
            &ExprKind::Ite(a, b, c) => self.exprs(&[a, b, c]),
            &ExprKind::ToInt(arg) | &ExprKind::ToReal(arg) => self.expr(arg),
            &ExprKind::Ascribe(arg, ty) => {
                let ty = self.type_(ty);
                self.ascriptions.insert(id, ty);
                self.expr(arg);
            }
            &ExprKind::Extract { arg, .. } => self.expr(arg),
            &ExprKind::Concat(a, b) => self.exprs(&[a, b]),
            ExprKind::Call { name, args, .. } => {
                let (name, args) = (*name, args.clone());
                self.call(id, span, name);
                self.exprs(&args);
            }
            ExprKind::Select { map, indices } => {
                let (map, indices) = (*map, indices.clone());
                self.expr(map);
                self.exprs(&indices);
            }
            ExprKind::Store {
                map,
                indices,
                value,
            } => {
                let (map, indices, value) = (*map, indices.clone(), *value);
                self.expr(map);
                self.exprs(&indices);
                self.expr(value);
            }
            ExprKind::Binder(binder) => {
                let binder = binder.clone();
                self.binder(id, span, &binder);
            }
            ExprKind::Let(let_expr) => {
                let let_expr = let_expr.clone();
                self.let_expr(span, &let_expr);
            }
            &ExprKind::Code(code) => self.code(code),
        }
    }

    fn ident(&mut self, id: ExprId, span: Span, name: Symbol) {
        let local = self.locals.get(&name).copied();
        let var = local.or_else(|| self.globals.get(&name).map(|&(var, _)| var));
        let Some(found) = var else {
            self.name_error(span, "undeclared identifier", name);
            return;
        };
        if self.state == State::Stateless && self.program.vars[found].kind == VarKind::Global {
            self.name_error(
                span,
                "cannot refer to a global variable in this context",
                name,
            );
        }
        self.program.exprs[id].kind = ExprKind::Ident { name, var };
    }

    fn call(&mut self, id: ExprId, span: Span, name: Symbol) {
        if Member::of(self.program.name(name)).is_some() {
            return;
        }
        let found = match self.callables.get(&name) {
            Some(&Decl::Function(func)) => Some(func),
            _ => None,
        };
        if found.is_none() {
            self.name_error(span, "use of undeclared function", name);
        }
        if let ExprKind::Call { func, .. } = &mut self.program.exprs[id].kind {
            *func = found;
        }
    }

    fn not_in_triggers(&mut self, span: Span, what: &str) {
        self.error(span, format!("{what} not allowed in triggers"));
    }

    fn binary_in_trigger(&mut self, span: Span, op: BinaryOp) {
        match op {
            BinaryOp::Eq => self.not_in_triggers(span, "equality is"),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.not_in_triggers(span, "arithmetic comparisons are");
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Imp | BinaryOp::Iff => {
                self.not_in_triggers(span, "boolean operators are");
            }
            _ => {}
        }
    }

    fn binder(&mut self, id: ExprId, span: Span, binder: &Binder) {
        if self.in_trigger {
            self.not_in_triggers(span, "quantifiers are");
        }
        let binders = self.type_binders.len();
        self.add_type_binders(&binder.type_params);
        self.push_scope();
        for &var in &binder.vars {
            self.add_local(var);
            self.var_type(var);
            let attrs = self.program.vars[var].attrs.clone();
            self.attributes(&attrs);
        }
        self.attributes(&binder.attrs);
        for trigger in &binder.triggers {
            self.trigger(trigger, &binder.vars);
        }
        self.expr(binder.body);
        self.pop_scope();
        if binder.type_params.len() > 1 {
            let sorted = self.sorted_type_params(&binder.type_params, &binder.vars);
            if let ExprKind::Binder(binder) = &mut self.program.exprs[id].kind {
                binder.type_params = sorted;
            }
        }
        self.type_binders.truncate(binders);
    }

    fn trigger(&mut self, trigger: &Trigger, vars: &[VarId]) {
        let errors = self.messages.len();
        self.in_trigger = true;
        for &expr in &trigger.exprs {
            self.expr(expr);
            if let ExprKind::Ident { name, .. } = self.program.exprs[expr].kind {
                let span = self.program.exprs[expr].span;
                self.name_error(
                    span,
                    "a matching pattern must be more than just a variable by itself",
                    name,
                );
            }
        }
        self.in_trigger = false;
        if self.messages.len() > errors || !trigger.positive {
            return;
        }
        let mut mentioned = FastSet::default();
        for &expr in &trigger.exprs {
            collect_vars(self.program, expr, &mut mentioned);
        }
        for &var in vars {
            if !mentioned.contains(&var) {
                let name = self.program.vars[var].name;
                self.name_error(
                    trigger.span,
                    "trigger must mention all quantified variables, but does not mention",
                    name,
                );
            }
        }
    }

    fn let_expr(&mut self, span: Span, let_expr: &LetExpr) {
        if let_expr.vars.len() != let_expr.values.len() {
            let text = "number of left-hand sides does not match number of right-hand sides";
            self.error(span, text.to_owned());
        }
        self.exprs(&let_expr.values);
        self.push_scope();
        for &var in &let_expr.vars {
            self.add_local(var);
            self.var_type(var);
        }
        self.attributes(&let_expr.attrs);
        self.expr(let_expr.body);
        self.pop_scope();
    }

    fn code(&mut self, code: CodeId) {
        let CodeExpr { locals, mut blocks } = self.program.codes[code].clone();
        self.push_scope();
        for &local in &locals {
            self.add_local(local);
            self.var_type(local);
        }
        self.where_clauses(&locals);
        let outer = std::mem::take(&mut self.labels);
        self.register_labels(&blocks);
        self.blocks(&mut blocks);
        self.labels = outer;
        self.program.codes[code].blocks = blocks;
        self.pop_scope();
    }
}

/// All variables mentioned in an expression.
fn collect_vars(program: &crate::Program, root: ExprId, vars: &mut FastSet<VarId>) {
    crate::walk::exprs(program, root, &mut |_, expr| {
        if let ExprKind::Ident { var: Some(var), .. } = expr.kind {
            vars.insert(var);
        }
    });
}
