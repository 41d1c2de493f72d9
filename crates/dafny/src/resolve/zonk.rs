//! Writes solved types back into the tree and reports those that could not be determined.

use super::Resolver;
use super::bodies::Begin;
use crate::tree::{
    ArrayInit, ExprId, ExprKind, MethodCall, Pattern, PatternKind, Rhs, StmtId, StmtKind, Ty,
    TyKind, VarId, VarKind,
};
use stet_base::Index;

/// Applies `f` to every type inside an expression, its own excepted.
pub(crate) fn map_expr_types(kind: &mut ExprKind, f: &mut dyn FnMut(Ty) -> Ty) {
    let mut all = |list: &mut Vec<Ty>| list.iter_mut().for_each(|ty| *ty = f(*ty));
    match kind {
        ExprKind::Field { owner_args, .. } | ExprKind::StaticConst { owner_args, .. } => {
            all(owner_args)
        }
        ExprKind::Call(call) => {
            all(&mut call.owner_args);
            all(&mut call.type_args);
        }
        ExprKind::FunctionValue {
            owner_args,
            type_args,
            ..
        } => {
            all(owner_args);
            all(type_args);
        }
        ExprKind::Ctor { type_args, .. } => all(type_args),
        ExprKind::Convert(_, ty) | ExprKind::TypeTest(_, ty) => *ty = f(*ty),
        ExprKind::Match { cases, .. } => {
            for case in cases {
                map_pattern_types(&mut case.pattern, f);
            }
        }
        ExprKind::Let { patterns, .. } => {
            for pattern in patterns {
                map_pattern_types(pattern, f);
            }
        }
        _ => {}
    }
}

fn map_pattern_types(pattern: &mut Pattern, f: &mut dyn FnMut(Ty) -> Ty) {
    pattern.ty = f(pattern.ty);
    match &mut pattern.kind {
        PatternKind::Ctor(_, items) | PatternKind::Tuple(items) | PatternKind::Or(items) => {
            for item in items {
                map_pattern_types(item, f);
            }
        }
        _ => {}
    }
}

fn map_call_types(call: &mut MethodCall, f: &mut dyn FnMut(Ty) -> Ty) {
    for ty in call.owner_args.iter_mut().chain(&mut call.type_args) {
        *ty = f(*ty);
    }
}

fn map_stmt_types(kind: &mut StmtKind, f: &mut dyn FnMut(Ty) -> Ty) {
    match kind {
        StmtKind::Call(call) => map_call_types(call, f),
        StmtKind::Assign { rhss, .. } => {
            for rhs in rhss {
                map_rhs_types(rhs, f);
            }
        }
        StmtKind::VarPattern { pattern, .. } => map_pattern_types(pattern, f),
        StmtKind::Match { cases, .. } => {
            for case in cases {
                map_pattern_types(&mut case.pattern, f);
            }
        }
        _ => {}
    }
}

fn map_rhs_types(rhs: &mut Rhs, f: &mut dyn FnMut(Ty) -> Ty) {
    match rhs {
        Rhs::NewObject { ty, init, .. } => {
            *ty = f(*ty);
            if let Some(call) = init {
                map_call_types(call, f);
            }
        }
        Rhs::NewArray { ty, elem, init, .. } => {
            *ty = f(*ty);
            *elem = f(*elem);
            let _: &ArrayInit = init;
        }
        _ => {}
    }
}

impl Resolver<'_> {
    /// Replaces inference variables in everything made since `begin`.
    pub(crate) fn zonk(&mut self, begin: Begin) {
        let program = std::mem::take(&mut self.program);
        let mut program = program;
        let mut unknown_vars = Vec::new();
        for i in begin.vars..program.vars.len() {
            let id = VarId::from_index(i);
            let ty = self.infer.deep(&program, program.vars[id].ty);
            if contains_infer(&program, ty) {
                unknown_vars.push(id);
            }
            program.vars[id].ty = ty;
        }
        let mut unknown_exprs = Vec::new();
        for i in begin.exprs..program.exprs.len() {
            let id = ExprId::from_index(i);
            let ty = self.infer.deep(&program, program.exprs[id].ty);
            if contains_infer(&program, ty) {
                unknown_exprs.push(id);
            }
            program.exprs[id].ty = ty;
            let mut kind = std::mem::replace(&mut program.exprs[id].kind, ExprKind::Error);
            map_expr_types(&mut kind, &mut |ty| self.infer.deep(&program, ty));
            program.exprs[id].kind = kind;
        }
        for i in begin.stmts..program.stmts.len() {
            let id = StmtId::from_index(i);
            let mut kind = std::mem::replace(&mut program.stmts[id].kind, StmtKind::Error);
            map_stmt_types(&mut kind, &mut |ty| self.infer.deep(&program, ty));
            program.stmts[id].kind = kind;
        }
        self.program = program;
        if !self.failed() {
            self.report_unknown(&unknown_vars, &unknown_exprs, begin);
        }
    }

    fn report_unknown(&mut self, vars: &[VarId], exprs: &[ExprId], begin: Begin) {
        for &var in vars {
            let v = &self.program.vars[var];
            let (span, name, kind) = (v.span, self.text(v.name), v.kind);
            let message = if kind == VarKind::Bound {
                format!(
                    "type of bound variable '{name}' could not be determined; please specify the type explicitly"
                )
            } else {
                "the type of this local variable is underspecified".to_owned()
            };
            self.error(span, message);
        }
        if !vars.is_empty() {
            return;
        }
        if let Some(&expr) = exprs.first() {
            let tok = self.program.exprs[expr].tok;
            let message = match &self.program.exprs[expr].kind {
                ExprKind::Call(call) => {
                    let member = call.function;
                    self.unknown_type_arg(
                        member,
                        &call.type_args.clone(),
                        "in the function call to",
                    )
                }
                _ => None,
            };
            let message = message
                .unwrap_or_else(|| "the type of this expression is underspecified".to_owned());
            self.error(tok, message);
            return;
        }
        for i in begin.stmts..self.program.stmts.len() {
            let id = StmtId::from_index(i);
            let StmtKind::Call(call) = &self.program.stmts[id].kind else {
                continue;
            };
            let (member, args, tok) = (call.method, call.type_args.clone(), call.tok);
            if let Some(message) = self.unknown_type_arg(member, &args, "to the method") {
                self.error(tok, message);
            }
        }
    }

    fn unknown_type_arg(
        &self,
        member: crate::tree::MemberId,
        args: &[Ty],
        place: &str,
    ) -> Option<String> {
        let at = args
            .iter()
            .position(|&ty| contains_infer(&self.program, ty))?;
        let param = *self.program.type_params_of(member).get(at)?;
        let name = self.text(self.program.type_params[param].name);
        let member = self.text(self.program.members[member].name);
        let shown = self.show(args[at]);
        Some(format!(
            "type parameter '{name}' (inferred to be '{shown}') {place} '{member}' could not be determined"
        ))
    }
}

fn contains_infer(program: &crate::tree::Program, ty: Ty) -> bool {
    matches!(&*program.types.kind(ty), TyKind::Infer(_))
        || program
            .types
            .children(ty)
            .into_iter()
            .any(|c| contains_infer(program, c))
}
