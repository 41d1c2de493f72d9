//! Quantifiers and lets.
//!
//! A quantifier over a type outside SMT-LIB ranges over `T@U` under the premise that its variable has that
//! type. Type parameters are read off the bound variables' types; only those that cannot be are quantified as
//! terms. A variable of a native type that occurs in the triggers only as an argument of a cast ranges over
//! `T@U` itself where the quantifier is assumed, so that the trigger matches terms that were never cast.

use super::names::quoted;
use super::{Bound, Feature, Smt, Types};
use std::fmt::Write;
use std::rc::Rc;
use stet_base::FastSet;
use stet_boogie::ast::{AttrParam, Binder, BinderKind, ExprId, ExprKind, LetExpr, VarId};
use stet_boogie::{Program, Type, TypeId};

impl Smt {
    pub(super) fn fresh_bound(&mut self, name: &str) -> Rc<str> {
        self.counter += 1;
        quoted(&format!("{name}!{}", self.counter)).into()
    }

    pub(super) fn binder(&mut self, program: &Program, binder: &Binder, out: &mut String) {
        let quantifier = match binder.kind {
            BinderKind::Forall => "forall",
            BinderKind::Exists => "exists",
            BinderKind::Lambda => {
                self.unsupported
                    .get_or_insert_with(|| "a lambda expression in this position".to_owned());
                return out.push_str("false");
            }
        };
        // No type is empty.
        if let ExprKind::Bool(value) = program.exprs[binder.body].kind {
            return out.push_str(if value { "true" } else { "false" });
        }
        // Only where it will be instantiated; one to be proved keeps the values of its own type.
        let cast = match binder.kind {
            BinderKind::Forall if self.assumed == Some(true) => {
                self.variables_only_cast(program, binder)
            }
            _ => FastSet::default(),
        };
        let shadowed_types: Vec<_> = binder
            .type_params
            .iter()
            .map(|&v| (v, self.type_vars.get(&v).cloned()))
            .collect();
        let shadowed_vars: Vec<_> = binder
            .vars
            .iter()
            .map(|&v| (v, self.bound.get(&v).cloned()))
            .collect();
        let mut head = String::new();
        let mut universal_vars: Vec<(Rc<str>, TypeId)> = Vec::new();
        let idle = self.idle_variables(program, binder);
        for &var in binder.vars.iter().filter(|var| !idle.contains(var)) {
            let variable = &program.vars[var];
            let ty = variable.ty.unwrap_or(program.types.bool());
            let text = self.fresh_bound(program.name(variable.name));
            let as_universal = cast.contains(&var);
            let sort = if as_universal {
                "T@U".to_owned()
            } else {
                self.sort(program, ty)
            };
            let _ = write!(head, "({text} {sort}) ");
            if sort == "T@U" {
                universal_vars.push((text.clone(), ty));
            }
            self.bound.insert(var, Bound { text, as_universal });
        }
        self.bind_type_params(program, binder, &universal_vars, &mut head);
        let premises = self.premises(program, binder, &universal_vars);
        let mut body = String::new();
        self.expr(program, binder.body, &mut body);
        let connective = if binder.kind == BinderKind::Forall {
            "=>"
        } else {
            "and"
        };
        let matrix = match &premises[..] {
            [] => body,
            [one] => format!("({connective} {one} {body})"),
            many => format!("({connective} (and {}) {body})", many.join(" ")),
        };
        let annotations = self.annotations(program, binder, &universal_vars);
        let head = head.trim_end();
        if head.is_empty() {
            out.push_str(&matrix);
        } else if annotations.is_empty() {
            let _ = write!(out, "({quantifier} ({head}) {matrix})");
        } else {
            let _ = write!(out, "({quantifier} ({head}) (! {matrix}{annotations}))");
        }
        self.restore(shadowed_vars);
        for (var, before) in shadowed_types {
            match before {
                Some(text) => self.type_vars.insert(var, text),
                None => self.type_vars.remove(&var),
            };
        }
    }

    /// Variables that nothing depends on. No type is empty, so they can be left out; the premises about their types would
    /// hide from the prover that nothing does.
    fn idle_variables(&self, program: &Program, binder: &Binder) -> Vec<VarId> {
        let bool_type = program.types.bool();
        let is_typed = |var: &VarId| {
            let ty = program.vars[*var].ty.unwrap_or(bool_type);
            self.is_universal(program, ty)
        };
        let mut idle: Vec<VarId> = binder.vars.iter().copied().filter(is_typed).collect();
        if idle.is_empty() || !binder.type_params.is_empty() {
            return Vec::new();
        }
        let mut mentioned = FastSet::default();
        let triggers = binder.triggers.iter().flat_map(|t| &t.exprs);
        for &root in triggers.chain([&binder.body]) {
            crate::tree::variables(program, root, &mut mentioned);
        }
        idle.retain(|var| !mentioned.contains(var));
        idle
    }

    /// Finds terms for the type parameters, or quantifies over them.
    fn bind_type_params(
        &mut self,
        program: &Program,
        binder: &Binder,
        vars: &[(Rc<str>, TypeId)],
        head: &mut String,
    ) {
        for &param in &binder.type_params {
            let found = vars.iter().find_map(|(text, ty)| {
                self.extract_type_var(program, param, *ty, &format!("(type {text})"))
            });
            let text = match found {
                Some(text) => text.into(),
                None => {
                    let text = self.fresh_bound(program.name(program.type_vars[param].name));
                    let _ = write!(head, "({text} T@T) ");
                    text
                }
            };
            self.type_vars.insert(param, text);
        }
    }

    fn premises(
        &mut self,
        program: &Program,
        binder: &Binder,
        vars: &[(Rc<str>, TypeId)],
    ) -> Vec<String> {
        let mut premises = Vec::new();
        if self.encoding.types == Types::Erased {
            return premises;
        }
        for (text, ty) in vars {
            let own_term = format!("(type {text})");
            // A variable that defines a type parameter has that type by definition.
            if let Type::Var(var) = program.types.get(*ty)
                && binder.type_params.contains(var)
                && self.type_vars.get(var).is_some_and(|t| **t == *own_term)
            {
                continue;
            }
            let mut premise = format!("(= {own_term} ");
            self.type_term(program, *ty, &mut Vec::new(), &mut premise);
            premise.push(')');
            premises.push(premise);
        }
        premises
    }

    fn annotations(
        &mut self,
        program: &Program,
        binder: &Binder,
        vars: &[(Rc<str>, TypeId)],
    ) -> String {
        let mut out = String::new();
        if let Some(attribute) = program.attribute(&binder.attrs, "qid") {
            let text = match attribute.params.first() {
                Some(AttrParam::Str(text)) => Some(text.to_string()),
                Some(AttrParam::Expr(e)) => match &program.exprs[*e].kind {
                    ExprKind::Ident { name, .. } => Some(program.name(*name).to_owned()),
                    _ => None,
                },
                None => None,
            };
            if let Some(text) = text {
                let _ = write!(out, " :qid {}", quoted(&text));
            }
        }
        if let Some(weight) = program.int_attribute(&binder.attrs, "weight") {
            let _ = write!(out, " :weight {weight}");
        }
        let mut has_pattern = false;
        for trigger in &binder.triggers {
            if trigger.positive {
                has_pattern = true;
                out.push_str(" :pattern (");
                for &e in &trigger.exprs {
                    self.pattern(program, e, &mut out);
                    out.push(' ');
                }
                out.push(')');
            } else {
                for &e in &trigger.exprs {
                    out.push_str(" :no-pattern ");
                    self.expr(program, e, &mut out);
                }
            }
        }
        if !has_pattern {
            for call in never_patterns(program, binder.body) {
                out.push_str(" :no-pattern ");
                self.expr(program, call, &mut out);
            }
            if self.encoding.types != Types::Erased {
                for (text, _) in vars {
                    let _ = write!(out, " :no-pattern (type {text})");
                }
            }
            for (text, _) in vars {
                for native in [super::Native::Int, super::Native::Bool] {
                    self.need(Feature::Native(native));
                }
                let _ = write!(
                    out,
                    " :no-pattern (U_2_int {text}) :no-pattern (U_2_bool {text})"
                );
            }
        }
        out
    }

    /// Bound variables of native types whose occurrences in the triggers are all arguments of casts.
    fn variables_only_cast(&mut self, program: &Program, binder: &Binder) -> FastSet<VarId> {
        let mut natives: FastSet<VarId> = FastSet::default();
        for &var in &binder.vars {
            let ty = program.vars[var].ty;
            if ty.is_some_and(|ty| !self.is_universal(program, ty)) {
                natives.insert(var);
            }
        }
        if natives.is_empty() {
            return natives;
        }
        let mut cast = FastSet::default();
        let mut plain = FastSet::default();
        let positive = binder.triggers.iter().filter(|trigger| trigger.positive);
        let mut roots: Vec<ExprId> = positive.flat_map(|t| t.exprs.iter().copied()).collect();
        if roots.is_empty() {
            roots.push(binder.body);
        }
        for root in roots {
            self.classify(program, root, false, &natives, &mut cast, &mut plain);
        }
        cast.retain(|var| !plain.contains(var));
        cast
    }

    fn classify(
        &mut self,
        program: &Program,
        id: ExprId,
        in_cast: bool,
        vars: &FastSet<VarId>,
        cast: &mut FastSet<VarId>,
        plain: &mut FastSet<VarId>,
    ) {
        let mut stack = vec![(id, in_cast)];
        while let Some((id, in_cast)) = stack.pop() {
            match &program.exprs[id].kind {
                ExprKind::Ident { var: Some(var), .. } if vars.contains(var) => {
                    if in_cast {
                        cast.insert(*var);
                    } else {
                        plain.insert(*var);
                    }
                }
                ExprKind::Ascribe(inner, _) => stack.push((*inner, in_cast)),
                ExprKind::Call {
                    func: Some(func),
                    args,
                    ..
                } if super::builtin(program, *func).is_none() => {
                    let ins = &program.funcs[*func].ins;
                    for (&arg, &formal) in args.iter().zip(ins.iter()) {
                        let ty = program.vars[formal].ty;
                        let casts = ty.is_some_and(|ty| self.is_universal(program, ty));
                        stack.push((arg, casts));
                    }
                }
                ExprKind::Select { map, indices } => {
                    let casts = self.is_universal(program, program.type_of(*map));
                    stack.push((*map, false));
                    stack.extend(indices.iter().map(|&i| (i, casts)));
                }
                ExprKind::Store {
                    map,
                    indices,
                    value,
                } => {
                    let casts = self.is_universal(program, program.type_of(*map));
                    stack.push((*map, false));
                    stack.extend(indices.iter().chain([value]).map(|&i| (i, casts)));
                }
                kind => {
                    stet_boogie::walk::children(kind, &mut |child| stack.push((child, false)));
                }
            }
        }
    }

    pub(super) fn let_expr(&mut self, program: &Program, binding: &LetExpr, out: &mut String) {
        let mut values = Vec::new();
        for &value in &binding.values {
            values.push(self.in_position(None, |smt| smt.text(program, value)));
        }
        debug_assert_eq!(
            binding.vars.len(),
            values.len(),
            "a value for every variable"
        );
        let shadowed: Vec<_> = binding
            .vars
            .iter()
            .map(|&v| (v, self.bound.get(&v).cloned()))
            .collect();
        out.push_str("(let (");
        for (&var, value) in binding.vars.iter().zip(&values) {
            let text = self.fresh_bound(program.name(program.vars[var].name));
            let _ = write!(out, "({text} {value})");
            self.bound.insert(
                var,
                Bound {
                    text,
                    as_universal: false,
                },
            );
        }
        out.push_str(") ");
        self.expr(program, binding.body, out);
        out.push(')');
        self.restore(shadowed);
    }

    /// Ends a scope. Copies of one expression bind the same variables, so scopes of one variable may nest.
    fn restore(&mut self, shadowed: Vec<(VarId, Option<Bound>)>) {
        for (var, before) in shadowed {
            match before {
                Some(bound) => self.bound.insert(var, bound),
                None => self.bound.remove(&var),
            };
        }
    }
}

/// Calls of functions with `{:never_pattern}` in a body, those under further binders excepted.
fn never_patterns(program: &Program, body: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    crate::tree::walk(program, body, &mut |id| {
        match &program.exprs[id].kind {
            ExprKind::Binder(_) | ExprKind::Let(_) => return false,
            ExprKind::Call {
                func: Some(func), ..
            } if program.bool_attribute(&program.funcs[*func].attrs, "never_pattern") => {
                found.push(id);
            }
            _ => {}
        }
        true
    });
    found
}
