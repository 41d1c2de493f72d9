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

pub(crate) fn map_stmt_types(kind: &mut StmtKind, f: &mut dyn FnMut(Ty) -> Ty) {
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
    /// Replaces inference variables in everything made since `begin`; false if some stay unknown.
    pub(crate) fn zonk(&mut self, begin: Begin) -> bool {
        let mut program = std::mem::take(&mut self.program);
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
            let mut unknown = contains_infer(&program, ty);
            program.exprs[id].ty = ty;
            let mut kind = std::mem::replace(&mut program.exprs[id].kind, ExprKind::Error);
            map_expr_types(&mut kind, &mut |ty| {
                let ty = self.infer.deep(&program, ty);
                unknown |= contains_infer(&program, ty);
                ty
            });
            program.exprs[id].kind = kind;
            if unknown {
                unknown_exprs.push(id);
            }
        }
        let mut unknown_stmts = Vec::new();
        for i in begin.stmts..program.stmts.len() {
            let id = StmtId::from_index(i);
            let mut unknown = false;
            let mut kind = std::mem::replace(&mut program.stmts[id].kind, StmtKind::Error);
            map_stmt_types(&mut kind, &mut |ty| {
                let ty = self.infer.deep(&program, ty);
                unknown |= contains_infer(&program, ty);
                ty
            });
            program.stmts[id].kind = kind;
            if unknown {
                unknown_stmts.push(id);
            }
        }
        self.program = program;
        self.note_unknown(&unknown_vars, &unknown_exprs, &unknown_stmts)
    }

    /// Remembers what has no type, to be reported if the module has no other errors; false if there is any.
    fn note_unknown(&mut self, vars: &[VarId], exprs: &[ExprId], stmts: &[StmtId]) -> bool {
        let before = self.undetermined.len();
        let mut shown: Vec<VarId> = Vec::new();
        for &expr in exprs {
            self.unknown_expr(expr, &mut shown);
        }
        for &stmt in stmts {
            let StmtKind::Call(call) = &self.program.stmts[stmt].kind else {
                continue;
            };
            let (member, args, tok) = (call.method, call.type_args.clone(), call.tok);
            if let Some(message) = self.unknown_type_arg(member, &args, "to the method") {
                self.note(tok, message);
            }
        }
        for &var in vars {
            self.unknown_var(var, &shown);
        }
        self.undetermined.len() == before
    }

    fn note(&mut self, span: stet_base::Span, message: String) {
        let module = self
            .frame
            .module
            .unwrap_or(crate::tree::ModuleId::from_index(0));
        self.undetermined.push((module, span, message));
    }

    fn unknown_var(&mut self, var: VarId, shown: &[VarId]) {
        let v = &self.program.vars[var];
        let (span, name, kind, ty) = (v.span, self.text(v.name), v.kind, v.ty);
        match kind {
            VarKind::Bound => self.note(span, format!("type of bound variable '{name}' could not be determined; please specify the type explicitly")),
            _ if shown.contains(&var) => {}
            _ => {
                let message = self.underspecified(ty, "local variable");
                self.note(span, message);
            }
        }
    }

    fn underspecified(&self, ty: Ty, what: &str) -> String {
        if matches!(&*self.program.types.kind(ty), TyKind::Infer(_)) {
            return format!("the type of this {what} is underspecified");
        }
        let shown = self.program.show_type(ty);
        format!("the type ('{shown}') of this {what} is underspecified")
    }

    fn unknown_expr(&mut self, expr: ExprId, shown: &mut Vec<VarId>) {
        let (tok, ty) = (self.program.exprs[expr].tok, self.program.exprs[expr].ty);
        let unknown = contains_infer(&self.program, ty);
        match &self.program.exprs[expr].kind {
            ExprKind::Var(var) => {
                // Said once for each variable, at its first use.
                let var = *var;
                if unknown && !shown.contains(&var) {
                    shown.push(var);
                    let message = self.underspecified(ty, "variable");
                    self.note(tok, message);
                }
            }
            ExprKind::Call(call) => {
                let (member, args) = (call.function, call.type_args.clone());
                if let Some(message) =
                    self.unknown_type_arg(member, &args, "in the function call to")
                {
                    self.note(tok, message);
                }
                if unknown {
                    let message = self.underspecified(ty, "expression");
                    self.note(tok, message);
                }
            }
            ExprKind::StaticConst { .. } if unknown => {
                let message = self.underspecified(ty, "expression");
                self.note(tok, message);
            }
            _ => {}
        }
        if let ExprKind::StaticConst { owner_args, .. } = &self.program.exprs[expr].kind
            && owner_args.iter().any(|&a| contains_infer(&self.program, a))
        {
            let span = self.program.exprs[expr].span;
            self.note(span, "type of type parameter could not be determined; please specify the type explicitly".to_owned());
        }
    }

    /// Reports what stayed without a type in modules that have no other errors.
    pub(crate) fn report_undetermined(&mut self) {
        let failed = self.failed_modules.clone();
        for (module, span, message) in std::mem::take(&mut self.undetermined) {
            if !failed.contains(&module) {
                self.error_in(module, span, message);
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

pub(crate) fn contains_infer(program: &crate::tree::Program, ty: Ty) -> bool {
    matches!(&*program.types.kind(ty), TyKind::Infer(_))
        || program
            .types
            .children(ty)
            .into_iter()
            .any(|c| contains_infer(program, c))
}
