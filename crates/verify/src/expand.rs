//! Rewriting expressions before translation: calls of `:inline` functions become their bodies, lambdas become
//! functions of their free parts, ascriptions disappear.
//!
//! A lambda `(lambda x :: e)` is named by the template that remains of `e` when its largest parts without bound
//! variables are cut out; equal templates share a function, so equal lambdas are equal terms. The
//! function is given its meaning by an axiom `(forall holes, x :: {f(holes)[x]} f(holes)[x] == e)`.

use crate::canon;
use crate::tree::{self, Substitution};
use crate::trigger;
use stet_base::{FastMap, FastSet};
use stet_boogie::ast::{
    Attributes, BinaryOp, Binder, BinderKind, ExprId, ExprKind, FuncId, Trigger, TypeVarId, VarId,
};
use stet_boogie::walk::{is_leaf, map_children};
use stet_boogie::{DatatypeRole, Function, Program, Type, TypeId, VarKind, Variable};
use stet_key::Digest;

/// The rewriter; it remembers what it did, so shared trees are rewritten once.
#[derive(Default)]
pub(crate) struct Expander {
    done: FastMap<ExprId, ExprId>,
    lambdas: FastMap<Digest, FuncId>,
    /// Axioms made for lambdas, with the function each defines; taken by the caller.
    pub(crate) definitions: Vec<(ExprId, Option<FuncId>)>,
    /// The functions being inlined, outermost first.
    inlining: Vec<FuncId>,
    /// Recursive `:inline` functions whose expansion was cut short, one entry per call left alone.
    pub(crate) loops: Vec<FuncId>,
    /// The first thing that could not be rewritten.
    pub(crate) unsupported: Option<String>,
}

impl Expander {
    /// Rewrites an expression.
    pub(crate) fn expand(&mut self, program: &mut Program, id: ExprId) -> ExprId {
        if let Some(&new) = self.done.get(&id) {
            return new;
        }
        let new = self.rewrite(program, id);
        self.done.insert(id, new);
        self.done.insert(new, new);
        new
    }

    fn rewrite(&mut self, program: &mut Program, id: ExprId) -> ExprId {
        let kind = program.exprs[id].kind.clone();
        let new_kind = match kind {
            ExprKind::Ascribe(inner, _) => return self.expand(program, inner),
            ExprKind::Call { name, func, args } => {
                let args: Box<[ExprId]> = args.iter().map(|&a| self.expand(program, a)).collect();
                if let Some(func) = func
                    && let Some(body) = inline_body(program, func)
                {
                    return self.inlined(program, id, func, body, &args);
                }
                ExprKind::Call { name, func, args }
            }
            ExprKind::Binder(binder) => {
                let binder = self.binder(program, &binder);
                if binder.kind == BinderKind::Lambda {
                    return self.lift(program, id, &binder);
                }
                ExprKind::Binder(Box::new(binder))
            }
            kind if is_leaf(&kind) => return id,
            kind => map_children(kind, &mut |part| self.expand(program, part)),
        };
        rebuilt(program, id, new_kind)
    }

    fn binder(&mut self, program: &mut Program, binder: &Binder) -> Binder {
        Binder {
            kind: binder.kind,
            type_params: binder.type_params.clone(),
            vars: binder.vars.clone(),
            attrs: binder.attrs.clone(),
            triggers: self.triggers(program, binder),
            body: self.expand(program, binder.body),
        }
    }

    fn triggers(&mut self, program: &mut Program, binder: &Binder) -> Vec<Trigger> {
        let mut kept = Vec::new();
        for trigger in &binder.triggers {
            let terms = trigger.exprs.iter().map(|&e| self.expand(program, e));
            let expanded = Trigger {
                span: trigger.span,
                positive: trigger.positive,
                exprs: terms.collect(),
            };
            kept.extend(trigger::usable(program, &binder.vars, expanded));
        }
        kept
    }

    fn inlined(
        &mut self,
        program: &mut Program,
        id: ExprId,
        func: FuncId,
        body: ExprId,
        args: &[ExprId],
    ) -> ExprId {
        if self.inlining.contains(&func) {
            // Without an axiom for it the call stands for an arbitrary value.
            self.loops.push(func);
            let name = program.funcs[func].name;
            let call = ExprKind::Call {
                name,
                func: Some(func),
                args: args.into(),
            };
            return rebuilt(program, id, call);
        }
        let mut by = Substitution::default();
        debug_assert_eq!(
            program.funcs[func].ins.len(),
            args.len(),
            "a call has an argument for every parameter"
        );
        for (&formal, &actual) in program.funcs[func].ins.iter().zip(args) {
            by.vars.insert(formal, actual);
        }
        let type_args = program.type_args.get(&id).cloned().unwrap_or_default();
        for (&param, &ty) in program.funcs[func].type_params.iter().zip(type_args.iter()) {
            by.types.insert(param, ty);
        }
        let body = tree::substitute(program, body, &by);
        self.inlining.push(func);
        let result = self.expand(program, body);
        let done = self.inlining.pop();
        debug_assert_eq!(
            done,
            Some(func),
            "functions are left in the order they were entered"
        );
        result
    }

    /// Replaces a lambda by a call of its function.
    fn lift(&mut self, program: &mut Program, id: ExprId, binder: &Binder) -> ExprId {
        let span = program.exprs[id].span;
        let lambda_type = program.type_of(id);
        let mut template = Template {
            bound: binder.vars.iter().copied().collect(),
            bound_types: binder.type_params.iter().copied().collect(),
            holes: Vec::new(),
            by_content: FastMap::default(),
        };
        let body = template.cut(program, binder.body, false);
        let formals: Vec<VarId> = template.holes.iter().map(|hole| hole.0).collect();
        let actuals: Box<[ExprId]> = template.holes.iter().map(|hole| hole.1).collect();
        let mut free_types = Vec::new();
        for &formal in &formals {
            collect_type_vars(program, program.vars[formal].ty, &mut free_types);
        }
        collect_type_vars(program, Some(lambda_type), &mut free_types);
        free_types_in(program, body, &template.bound_types, &mut free_types);
        let mut axiom_vars = formals.clone();
        axiom_vars.extend(&binder.vars);
        let mut type_params = free_types.clone();
        type_params.extend(&binder.type_params);
        // The template as a closed expression gives the digest and, with the call in place, the axiom.
        let closed = Binder {
            kind: BinderKind::Forall,
            type_params,
            vars: axiom_vars,
            attrs: binder.attrs.clone(),
            triggers: Vec::new(),
            body,
        };
        let bool_type = program.types.bool();
        let closed_id = program.add_expr(
            span,
            ExprKind::Binder(Box::new(closed.clone())),
            Some(bool_type),
        );
        // Which of the variables are holes is not part of the closed form.
        let closed_digest = canon::digest(program, closed_id).to_hex();
        let digest = Digest::of_bytes(format!("{} {closed_digest}", formals.len()).as_bytes());
        let func = match self.lambdas.get(&digest) {
            Some(&func) => func,
            None => {
                let func = self.define(
                    program,
                    &digest,
                    &formals,
                    &free_types,
                    lambda_type,
                    closed,
                    binder,
                );
                self.lambdas.insert(digest, func);
                func
            }
        };
        debug_assert_eq!(
            program.funcs[func].ins.len(),
            actuals.len(),
            "lambdas with one template have the same holes"
        );
        debug_assert_eq!(
            program.funcs[func].type_params.len(),
            free_types.len(),
            "lambdas with one template speak of the same type parameters"
        );
        let name = program.funcs[func].name;
        let call = ExprKind::Call {
            name,
            func: Some(func),
            args: actuals,
        };
        let call = program.add_expr(span, call, Some(lambda_type));
        type_arguments(program, call, &free_types);
        call
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one call; the parts of a function declaration"
    )]
    fn define(
        &mut self,
        program: &mut Program,
        digest: &Digest,
        formals: &[VarId],
        free_types: &[TypeVarId],
        lambda_type: TypeId,
        mut axiom: Binder,
        binder: &Binder,
    ) -> FuncId {
        let span = program.exprs[axiom.body].span;
        // By what it says, so that it has the same name whatever else the program has: the name is part of keys.
        let name = program
            .names
            .intern(&format!("lambda#{}", &digest.to_hex()[..16]));
        let out = tree::new_local(program, "result", lambda_type, span);
        let func = program.funcs.push(Function {
            name,
            span,
            type_params: free_types.to_vec(),
            ins: formals.to_vec(),
            out,
            body: None,
            attrs: Attributes::default(),
            datatype: DatatypeRole::None,
        });
        let args: Box<[ExprId]> = formals
            .iter()
            .map(|&formal| program.add_var_ref(span, formal))
            .collect();
        let call = ExprKind::Call {
            name,
            func: Some(func),
            args,
        };
        let call = program.add_expr(span, call, Some(lambda_type));
        type_arguments(program, call, free_types);
        let indices: Box<[ExprId]> = binder
            .vars
            .iter()
            .map(|&var| program.add_var_ref(span, var))
            .collect();
        let value_type = program.type_of(axiom.body);
        let select = ExprKind::Select { map: call, indices };
        let select = program.add_expr(span, select, Some(value_type));
        if !binder.type_params.is_empty() {
            type_arguments(program, select, &binder.type_params);
        }
        axiom.triggers = vec![Trigger {
            span,
            positive: true,
            exprs: vec![select],
        }];
        let body = axiom.body;
        axiom.body = tree::binary(program, BinaryOp::Eq, select, body);
        let bool_type = program.types.bool();
        let axiom = program.add_expr(span, ExprKind::Binder(Box::new(axiom)), Some(bool_type));
        self.definitions.push((axiom, Some(func)));
        func
    }
}

fn type_arguments(program: &mut Program, expr: ExprId, vars: &[TypeVarId]) {
    if vars.is_empty() {
        return;
    }
    let types = vars
        .iter()
        .map(|&var| program.types.intern(Type::Var(var)))
        .collect();
    program.type_args.insert(expr, types);
}

/// The body of a function to be expanded in place.
pub(crate) fn inline_body(program: &Program, func: FuncId) -> Option<ExprId> {
    let function = &program.funcs[func];
    program
        .bool_attribute(&function.attrs, "inline")
        .then_some(function.body)
        .flatten()
}

/// The axiom that gives a function with a body its meaning.
pub(crate) fn definition(program: &mut Program, func: FuncId) -> Option<ExprId> {
    let body = program.funcs[func].body?;
    let (span, name) = (program.funcs[func].span, program.funcs[func].name);
    let ins = program.funcs[func].ins.clone();
    let type_params = program.funcs[func].type_params.clone();
    let result = program.vars[program.funcs[func].out].ty?;
    let args: Box<[ExprId]> = ins
        .iter()
        .map(|&var| program.add_var_ref(span, var))
        .collect();
    let call = ExprKind::Call {
        name,
        func: Some(func),
        args,
    };
    let call = program.add_expr(span, call, Some(result));
    type_arguments(program, call, &type_params);
    let equation = tree::binary(program, BinaryOp::Eq, call, body);
    if ins.is_empty() && type_params.is_empty() {
        return Some(equation);
    }
    let binder = Binder {
        kind: BinderKind::Forall,
        type_params,
        vars: ins,
        attrs: program.funcs[func].attrs.clone(),
        triggers: vec![Trigger {
            span,
            positive: true,
            exprs: vec![call],
        }],
        body: equation,
    };
    let bool_type = program.types.bool();
    Some(program.add_expr(span, ExprKind::Binder(Box::new(binder)), Some(bool_type)))
}

fn rebuilt(program: &mut Program, id: ExprId, kind: ExprKind) -> ExprId {
    let node = &program.exprs[id];
    let (span, ty) = (node.span, node.ty);
    let new = program.add_expr(span, kind, ty);
    if let Some(args) = program.type_args.get(&id).cloned() {
        program.type_args.insert(new, args);
    }
    new
}

fn collect_type_vars(program: &Program, ty: Option<TypeId>, found: &mut Vec<TypeVarId>) {
    let Some(ty) = ty else { return };
    match program.types.get(ty) {
        Type::Var(var) if !found.contains(var) => found.push(*var),
        Type::Ctor(_, args) => {
            for &arg in args.iter() {
                collect_type_vars(program, Some(arg), found);
            }
        }
        Type::Map { args, result, .. } => {
            for &arg in args.iter() {
                collect_type_vars(program, Some(arg), found);
            }
            collect_type_vars(program, Some(*result), found);
        }
        _ => {}
    }
}

/// The type parameters an expression speaks of, apart from those bound in it.
fn free_types_in(
    program: &Program,
    root: ExprId,
    bound: &FastSet<TypeVarId>,
    found: &mut Vec<TypeVarId>,
) {
    let mut all = Vec::new();
    tree::walk(program, root, &mut |id| {
        types_of(program, id, &mut all);
        true
    });
    for var in all {
        if !bound.contains(&var) && !found.contains(&var) {
            found.push(var);
        }
    }
}

/// The type parameters in the type and the type arguments of an expression, and in the types of variables it binds.
fn types_of(program: &Program, id: ExprId, found: &mut Vec<TypeVarId>) {
    let node = &program.exprs[id];
    collect_type_vars(program, node.ty, found);
    for &ty in program.type_args.get(&id).into_iter().flatten() {
        collect_type_vars(program, Some(ty), found);
    }
    let vars = match &node.kind {
        ExprKind::Binder(binder) => &binder.vars,
        ExprKind::Let(binding) => &binding.vars,
        _ => return,
    };
    for &var in vars {
        collect_type_vars(program, program.vars[var].ty, found);
    }
}

/// Cuts the largest parts without bound variables and type parameters out of a lambda's body.
struct Template {
    bound: FastSet<VarId>,
    bound_types: FastSet<TypeVarId>,
    holes: Vec<(VarId, ExprId)>,
    by_content: FastMap<Content, VarId>,
}

/// What fills a hole. Its digest knows what is bound around the lambda by name only, and names may come twice where
/// functions were inlined: so that is listed.
type Content = (Digest, Vec<VarId>, Vec<TypeVarId>);

impl Template {
    fn cut(&mut self, program: &mut Program, id: ExprId, in_old: bool) -> ExprId {
        if is_literal(program, id) {
            return id;
        }
        if !self.mentions_bound(program, id) {
            return self.hole(program, id, in_old);
        }
        let kind = program.exprs[id].kind.clone();
        let new_kind = match kind {
            ExprKind::Old(a) => return self.cut(program, a, true),
            ExprKind::Ascribe(a, _) => return self.cut(program, a, in_old),
            ExprKind::Binder(binder) => {
                self.bound.extend(&binder.vars);
                self.bound_types.extend(&binder.type_params);
                let kind = ExprKind::Binder(binder);
                map_children(kind, &mut |part| self.cut(program, part, in_old))
            }
            ExprKind::Let(mut binding) => {
                for value in &mut binding.values {
                    *value = self.cut(program, *value, in_old);
                }
                self.bound.extend(&binding.vars);
                binding.body = self.cut(program, binding.body, in_old);
                ExprKind::Let(binding)
            }
            kind if is_leaf(&kind) => return id,
            kind => map_children(kind, &mut |part| self.cut(program, part, in_old)),
        };
        rebuilt(program, id, new_kind)
    }

    fn mentions_bound(&self, program: &Program, id: ExprId) -> bool {
        let mut found = false;
        let mut types = Vec::new();
        tree::walk(program, id, &mut |id| {
            if !self.bound_types.is_empty() {
                types_of(program, id, &mut types);
                found |= types.drain(..).any(|var| self.bound_types.contains(&var));
            }
            match &program.exprs[id].kind {
                ExprKind::Ident { var: Some(var), .. } => found |= self.bound.contains(var),
                // A closed quantifier stays in the template: a Boolean hole would hide its triggers.
                ExprKind::Binder(_) | ExprKind::Let(_) => found = true,
                _ => {}
            }
            !found
        });
        found
    }

    fn hole(&mut self, program: &mut Program, id: ExprId, in_old: bool) -> ExprId {
        let span = program.exprs[id].span;
        let ty = program.type_of(id);
        let actual = if in_old {
            program.add_expr(span, ExprKind::Old(id), Some(ty))
        } else {
            id
        };
        let content = content(program, actual);
        let formal = match self.by_content.get(&content) {
            Some(&formal) => {
                debug_assert_eq!(program.vars[formal].ty, Some(ty), "one hole, one type");
                formal
            }
            None => {
                let name = program.names.intern(&format!("l#{}", self.holes.len()));
                let formal = program.vars.push(Variable {
                    name,
                    span,
                    kind: VarKind::Bound,
                    type_expr: None,
                    ty: Some(ty),
                    where_clause: None,
                    attrs: Attributes::default(),
                });
                self.by_content.insert(content, formal);
                self.holes.push((formal, actual));
                formal
            }
        };
        program.add_var_ref(span, formal)
    }
}

fn content(program: &Program, root: ExprId) -> Content {
    let (mut vars, mut types) = (Vec::new(), Vec::new());
    tree::walk(program, root, &mut |id| {
        types_of(program, id, &mut types);
        if let ExprKind::Ident { var: Some(var), .. } = program.exprs[id].kind
            && program.vars[var].kind == VarKind::Bound
        {
            vars.push(var);
        }
        true
    });
    (canon::digest(program, root), vars, types)
}

fn is_literal(program: &Program, id: ExprId) -> bool {
    match &program.exprs[id].kind {
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Bv { .. }
        | ExprKind::Float(_)
        | ExprKind::Rounding(_)
        | ExprKind::Str(_) => true,
        ExprKind::Ident { var: Some(var), .. } => program.vars[*var].kind == VarKind::Constant,
        _ => false,
    }
}
