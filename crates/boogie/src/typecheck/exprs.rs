//! Types of expressions.

use super::{Checker, Instance, InstanceKey};
use crate::ast::*;
use crate::infer::{Form, Ty};
use crate::print;
use crate::types::Type;
use stet_base::{FastMap, Index, Span};

/// What is applied to arguments, for messages.
pub(super) struct Application<'a> {
    pub(super) span: Span,
    pub(super) applied: Applied<'a>,
}

/// What messages call it.
#[derive(Clone, Copy)]
pub(super) enum Applied<'a> {
    Function(FuncId),
    Other(&'a str),
}

/// What is indexed, for messages.
#[derive(Clone, Copy)]
pub(super) enum Indexed {
    Expr(ExprId),
    /// The variable of an assignment's target.
    Target(Span),
    /// An assignment's target up to an earlier indexing, with its place.
    AgainTarget(Span),
}

impl Checker<'_> {
    pub(super) fn expr(&mut self, id: ExprId) -> Ty {
        let errors = self.errors;
        let ty = self.kind(id, errors);
        let ty = ty.unwrap_or_else(|| self.infer.fresh());
        let index = id.index();
        if index >= self.tys.len() {
            self.tys.resize(index + 1, None);
        }
        self.tys[index] = Some(ty);
        ty
    }

    pub(super) fn exprs(&mut self, exprs: &[ExprId]) -> Vec<Ty> {
        exprs.iter().map(|&e| self.expr(e)).collect()
    }

    fn basic(&mut self, ty: Type) -> Option<Ty> {
        Some(self.infer.intern(Form::Basic(ty)))
    }

    /// The type, or `None` after an error.
    fn kind(&mut self, id: ExprId, errors: usize) -> Option<Ty> {
        let span = self.program.exprs[id].span;
        match &self.program.exprs[id].kind {
            ExprKind::Bool(_) => Some(self.infer.bool),
            ExprKind::Int(_) => Some(self.infer.int),
            ExprKind::Real(_) => Some(self.infer.real),
            &ExprKind::Bv { width, .. } => Some(self.infer.bv(width)),
            ExprKind::Float(float) => {
                let ty = Type::Float(float.significand_bits, float.exponent_bits);
                self.basic(ty)
            }
            ExprKind::Rounding(_) => self.basic(Type::RMode),
            ExprKind::Str(_) => self.basic(Type::Str),
            &ExprKind::Ident { var, .. } => var.map(|var| self.var_type(var)),
            &ExprKind::Old(arg) => Some(self.expr(arg)),
            &ExprKind::Unary(op, arg) => {
                let ty = self.expr(arg);
                (self.errors == errors).then(|| self.unary(span, op, ty))?
            }
            &ExprKind::Binary(op, left, right) => {
                let left = self.expr(left);
                let right = self.expr(right);
                (self.errors == errors).then(|| self.binary(span, op, left, right))?
            }
            &ExprKind::Ite(condition, yes, no) => {
                let tys = [self.expr(condition), self.expr(yes), self.expr(no)];
                (self.errors == errors).then(|| self.ite(span, condition, tys))?
            }
            &ExprKind::ToInt(arg) => {
                let (from, to) = (self.infer.real, self.infer.int);
                self.conversion(span, arg, from, to, errors)
            }
            &ExprKind::ToReal(arg) => {
                let (from, to) = (self.infer.int, self.infer.real);
                self.conversion(span, arg, from, to, errors)
            }
            &ExprKind::Ascribe(arg, _) => self.ascription(id, span, arg, errors),
            &ExprKind::Extract { arg, end, start } => {
                let ty = self.expr(arg);
                self.extract(span, ty, end, start)
            }
            &ExprKind::Concat(left, right) => {
                let left = self.expr(left);
                let right = self.expr(right);
                self.concat(span, left, right)
            }
            ExprKind::Call { name, func, args } => {
                let (name, func, args) = (*name, *func, args.clone());
                if func.is_none() {
                    return self.member(id, span, name, &args);
                }
                self.exprs(&args);
                self.call(id, span, func?, &args, errors)
            }
            ExprKind::Select { map, indices } => {
                let (map, indices) = (*map, indices.clone());
                let map_type = self.expr(map);
                self.exprs(&indices);
                if self.errors > errors {
                    return None;
                }
                let application = Application {
                    span,
                    applied: Applied::Other("map select"),
                };
                self.select(
                    InstanceKey::Expr(id),
                    map_type,
                    Indexed::Expr(map),
                    &indices,
                    &application,
                )
            }
            ExprKind::Store {
                map,
                indices,
                value,
            } => {
                let (map, indices, value) = (*map, indices.clone(), *value);
                self.store(id, span, map, &indices, value, errors)
            }
            ExprKind::Binder(binder) => {
                let binder = binder.clone();
                self.binder(span, &binder)
            }
            ExprKind::Let(let_expr) => {
                let let_expr = let_expr.clone();
                let values = self.exprs(&let_expr.values);
                for (&var, ty) in let_expr.vars.iter().zip(values) {
                    self.var_types[var] = Some(ty);
                }
                self.attributes(&let_expr.attrs);
                Some(self.expr(let_expr.body))
            }
            &ExprKind::Code(code) => {
                let CodeExpr { locals, blocks } = self.program.codes[code].clone();
                self.variables(&locals);
                self.blocks(&blocks);
                Some(self.infer.bool)
            }
        }
    }

    fn unary(&mut self, span: Span, op: UnaryOp, ty: Ty) -> Option<Ty> {
        let (bool, int, real) = (self.infer.bool, self.infer.int, self.infer.real);
        match op {
            UnaryOp::Not if self.infer.unify(ty, bool) => return Some(bool),
            UnaryOp::Neg if self.infer.unify(ty, int) => return Some(int),
            UnaryOp::Neg if self.infer.unify(ty, real) => return Some(real),
            _ => {}
        }
        let text = format!(
            "invalid argument type ({}) to unary operator {}",
            self.show(ty),
            print::unary_name(op)
        );
        self.error(span, text);
        None
    }

    fn both(&mut self, left: Ty, right: Ty, ty: Ty) -> bool {
        self.infer.unify(left, ty) && self.infer.unify(right, ty)
    }

    fn binary(&mut self, span: Span, op: BinaryOp, left: Ty, right: Ty) -> Option<Ty> {
        let (bool, int, real) = (self.infer.bool, self.infer.int, self.infer.real);
        let result = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.arithmetic(left, right),
            BinaryOp::Div | BinaryOp::Mod => self.both(left, right, int).then_some(int),
            BinaryOp::RealDiv => {
                let number =
                    |this: &mut Self, ty| this.infer.unify(ty, int) || this.infer.unify(ty, real);
                if number(self, left) && number(self, right) {
                    Some(real)
                } else {
                    (self.infer.is_float(left) && self.infer.unify(left, right)).then_some(left)
                }
            }
            BinaryOp::Pow => self.both(left, right, real).then_some(real),
            BinaryOp::Eq | BinaryOp::Neq => self.infer.comparable(left, right).then_some(bool),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.arithmetic(left, right).map(|_| bool)
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Imp | BinaryOp::Iff => {
                self.both(left, right, bool).then_some(bool)
            }
            BinaryOp::Subtype => self.infer.unify(left, right).then_some(bool),
        };
        if result.is_none() {
            let text = format!(
                "invalid argument types ({} and {}) to binary operator {}",
                self.show(left),
                self.show(right),
                print::binary_name(op)
            );
            self.error(span, text);
        }
        result
    }

    /// `int`, `real` or one float type on both sides.
    fn arithmetic(&mut self, left: Ty, right: Ty) -> Option<Ty> {
        let (int, real) = (self.infer.int, self.infer.real);
        if self.both(left, right, int) {
            Some(int)
        } else if self.both(left, right, real) {
            Some(real)
        } else {
            (self.infer.is_float(left) && self.infer.unify(left, right)).then_some(left)
        }
    }

    fn ite(&mut self, span: Span, condition: ExprId, tys: [Ty; 3]) -> Option<Ty> {
        let [condition_type, yes, no] = tys;
        let bool = self.infer.bool;
        if !self.infer.unify(condition_type, bool) {
            let _ = condition;
            let text = format!(
                "the first argument to if-then-else should be bool, not {}",
                self.show(condition_type)
            );
            self.error(span, text);
            return None;
        }
        if !self.infer.unify(yes, no) {
            let text = format!(
                "branches of if-then-else have incompatible types {} and {}",
                self.show(yes),
                self.show(no)
            );
            self.error(span, text);
            return None;
        }
        Some(yes)
    }

    fn conversion(
        &mut self,
        span: Span,
        arg: ExprId,
        from: Ty,
        to: Ty,
        errors: usize,
    ) -> Option<Ty> {
        let ty = self.expr(arg);
        if self.errors > errors {
            return None;
        }
        if !self.infer.unify(ty, from) {
            let text = format!(
                "argument type {} does not match expected type {}",
                self.show(ty),
                self.show(from)
            );
            self.error(span, text);
        }
        Some(to)
    }

    fn ascription(&mut self, id: ExprId, span: Span, arg: ExprId, errors: usize) -> Option<Ty> {
        let ty = self.expr(arg);
        if self.errors > errors {
            return None;
        }
        let wanted = *self.ascriptions.get(&id)?;
        if !self.infer.unify(ty, wanted) {
            let text = format!(
                "{} cannot be coerced to {}",
                self.show(ty),
                self.show(wanted)
            );
            self.error(span, text);
        }
        Some(wanted)
    }

    fn extract(&mut self, span: Span, ty: Ty, end: u32, start: u32) -> Option<Ty> {
        if end < start {
            let text = "start index in extract must be no bigger than the end index";
            self.error(span, text.to_owned());
            return None;
        }
        // Boogie asks for the width of the result only; that the bits exist is checked at the end.
        let least = self.infer.fresh_bv(end - start);
        if !self.infer.unify(least, ty) {
            let text = format!(
                "extract operand must be a bitvector of at least {} bits (got {})",
                end - start,
                self.show(ty)
            );
            self.error(span, text);
            return None;
        }
        Some(self.infer.bv(end - start))
    }

    fn concat(&mut self, span: Span, left: Ty, right: Ty) -> Option<Ty> {
        let (a, b) = (self.infer.fresh_bv(0), self.infer.fresh_bv(0));
        if !self.infer.unify(left, a) || !self.infer.unify(right, b) {
            let text = format!(
                "++ operands need to be bitvectors (got {}, {})",
                self.show(left),
                self.show(right)
            );
            self.error(span, text);
            return None;
        }
        Some(self.infer.concat(left, right))
    }

    fn call(
        &mut self,
        id: ExprId,
        span: Span,
        func: FuncId,
        args: &[ExprId],
        errors: usize,
    ) -> Option<Ty> {
        let function = &self.program.funcs[func];
        let arity = function.ins.len();
        if arity != args.len() {
            let text = format!(
                "wrong number of arguments to function: {} ({} instead of {arity})",
                self.program.name(function.name),
                args.len(),
            );
            self.error(span, text);
            return None;
        }
        if self.errors > errors {
            return None;
        }
        let (params, out) = (function.type_params.clone(), function.out);
        let formals: Vec<Ty> = (0..arity)
            .map(|i| self.var_type(self.program.funcs[func].ins[i]))
            .collect();
        let result = self.var_type(out);
        let application = Application {
            span,
            applied: Applied::Function(func),
        };
        let subst = self.instance(InstanceKey::Expr(id), &params);
        self.arguments(&subst, &formals, args, &application);
        let result = self.infer.substitute(result, &subst);
        self.result_after(errors, &params, result)
    }

    /// After wrong arguments the result type still counts if it does not depend on type parameters.
    fn result_after(&mut self, errors: usize, params: &[TypeVarId], result: Ty) -> Option<Ty> {
        (self.errors == errors || params.is_empty()).then_some(result)
    }

    pub(super) fn instance(
        &mut self,
        key: InstanceKey,
        params: &[TypeVarId],
    ) -> FastMap<TypeVarId, Ty> {
        if params.is_empty() {
            return FastMap::default();
        }
        let (subst, type_args) = self.infer.instantiate(params);
        self.record(key, params, type_args);
        subst
    }

    fn record(&mut self, key: InstanceKey, params: &[TypeVarId], type_args: Vec<Ty>) {
        let slot = self.infer.slots.len();
        self.infer.slots.push(type_args);
        let params = params.into();
        self.instances.insert(key, Instance { params, slot });
    }

    /// Checks actual against formal types.
    pub(super) fn arguments(
        &mut self,
        subst: &FastMap<TypeVarId, Ty>,
        formals: &[Ty],
        args: &[ExprId],
        application: &Application,
    ) {
        for (i, (&formal, &arg)) in formals.iter().zip(args).enumerate() {
            let Some(actual) = self.tys.get(arg.index()).copied().flatten() else {
                continue;
            };
            let expected = self.infer.substitute(formal, subst);
            if !self.infer.unify(expected, actual) {
                let span = self.program.exprs[arg].span;
                let text = format!(
                    "invalid type for argument {i} in {}: {} (expected: {})",
                    self.name_of(application),
                    self.show(actual),
                    self.show(formal)
                );
                self.error(span, text);
            }
        }
    }

    fn name_of(&self, application: &Application) -> String {
        match application.applied {
            Applied::Function(func) => {
                let name = self.program.funcs[func].name;
                format!("application of {}", self.program.name(name))
            }
            Applied::Other(name) => name.to_owned(),
        }
    }

    /// Whether a type is a map of this arity, or may become one.
    fn is_map(&mut self, ty: Ty, arity: usize) -> bool {
        if matches!(self.infer.form(ty), Form::Map(..)) {
            self.infer.skip();
            return true;
        }
        let unknown = self.infer.fresh_map(arity);
        self.infer.unify(ty, unknown)
    }

    /// The type of a selection; also used for the targets of assignments and updates.
    pub(super) fn select(
        &mut self,
        key: InstanceKey,
        map_type: Ty,
        map: Indexed,
        indices: &[ExprId],
        application: &Application,
    ) -> Option<Ty> {
        let arity = indices.len();
        if let Form::Map(_, args, _) = self.infer.form(map_type)
            && args.len() != arity
        {
            let text = format!(
                "wrong number of arguments in {}: {arity} instead of {}",
                self.name_of(application),
                args.len()
            );
            self.error(application.span, text);
            return None;
        }
        if !self.is_map(map_type, arity) {
            let (span, shown) = match map {
                Indexed::Expr(map) => (
                    self.program.exprs[map].span,
                    print::expr_text(self.program, map),
                ),
                // Boogie shows the names of its classes.
                Indexed::Target(span) => (span, "Microsoft.Boogie.SimpleAssignLhs".to_owned()),
                Indexed::AgainTarget(span) => (span, "Microsoft.Boogie.MapAssignLhs".to_owned()),
            };
            let text = format!(
                "{} applied to a non-map: {shown}",
                self.name_of(application)
            );
            self.error(span, text);
            return None;
        }
        let Form::Map(params, formals, result) = self.infer.form(map_type).clone() else {
            let args = indices
                .iter()
                .filter_map(|i| self.tys.get(i.index()).copied().flatten())
                .collect();
            let slot = self.infer.slots.len();
            self.record(key, &[], Vec::new());
            return Some(self.infer.use_unknown_map(map_type, args, slot));
        };
        let errors = self.errors;
        let subst = self.instance(key, &params);
        self.arguments(&subst, &formals, indices, application);
        let result = self.infer.substitute(result, &subst);
        self.result_after(errors, &params, result)
    }

    fn store(
        &mut self,
        id: ExprId,
        span: Span,
        map: ExprId,
        indices: &[ExprId],
        value: ExprId,
        errors: usize,
    ) -> Option<Ty> {
        let map_type = self.expr(map);
        self.exprs(indices);
        let value_type = self.expr(value);
        if self.errors > errors {
            return None;
        }
        let application = Application {
            span,
            applied: Applied::Other("map store"),
        };
        let map = Indexed::Expr(map);
        let expected = self.select(InstanceKey::Expr(id), map_type, map, indices, &application)?;
        if !self.infer.unify(expected, value_type) {
            let span = self.program.exprs[value].span;
            let text = format!(
                "right-hand side in map store with wrong type: {} (expected: {})",
                self.show(value_type),
                self.show(expected)
            );
            self.error(span, text);
            return None;
        }
        Some(map_type)
    }

    fn binder(&mut self, span: Span, binder: &Binder) -> Option<Ty> {
        for &var in &binder.vars {
            let attrs = self.program.vars[var].attrs.clone();
            self.attributes(&attrs);
        }
        self.attributes(&binder.attrs);
        for trigger in &binder.triggers {
            self.exprs(&trigger.exprs);
        }
        let body = self.expr(binder.body);
        if binder.kind == BinderKind::Lambda {
            self.lambda_parameters(span, binder);
            let args: Vec<Ty> = binder.vars.iter().map(|&v| self.var_type(v)).collect();
            let form = Form::Map(binder.type_params.clone().into(), args.into(), body);
            return Some(self.infer.intern(form));
        }
        self.must_be_bool(body, span, "quantifier body must be of type bool");
        self.triggers_mention_type_params(binder);
        Some(self.infer.bool)
    }

    fn lambda_parameters(&mut self, span: Span, binder: &Binder) {
        let mut free = Vec::new();
        for ty in binder.vars.iter().filter_map(|&v| self.var_types[v]) {
            self.infer.free_vars(ty, &mut Vec::new(), &mut free);
        }
        for param in &binder.type_params {
            if !free.contains(param) {
                let name = self.program.type_vars[*param].name;
                let text = format!(
                    "the type variable {} does not occur in types of the lambda parameters",
                    self.program.name(name)
                );
                self.error(span, text);
            }
        }
    }

    /// Type parameters that do not occur in the types of bound variables must occur in each trigger.
    fn triggers_mention_type_params(&mut self, binder: &Binder) {
        if binder.type_params.is_empty() {
            return;
        }
        let mut free = Vec::new();
        for ty in binder.vars.iter().filter_map(|&v| self.var_types[v]) {
            self.infer.free_vars(ty, &mut Vec::new(), &mut free);
        }
        for trigger in binder.triggers.iter().filter(|t| t.positive) {
            let mut mentioned = free.clone();
            for &expr in &trigger.exprs {
                let mut types = Vec::new();
                crate::walk::exprs(self.program, expr, &mut |id, _| {
                    types.extend(self.tys.get(id.index()).copied().flatten());
                    if let Some(instance) = self.instances.get(&InstanceKey::Expr(id)) {
                        types.extend(&self.infer.slots[instance.slot]);
                    }
                });
                for ty in types {
                    self.infer.free_vars(ty, &mut Vec::new(), &mut mentioned);
                }
            }
            for param in &binder.type_params {
                if !mentioned.contains(param) {
                    let name = self.program.type_vars[*param].name;
                    let text = format!(
                        "trigger does not mention {}, which does not occur in variables types either",
                        self.program.name(name)
                    );
                    self.error(trigger.span, text);
                }
            }
        }
    }
}
