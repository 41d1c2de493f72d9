//! Applications: functions, constructors, function values, method calls.

use super::Resolver;
use super::names::Callee;
use crate::ast;
use crate::tree::{
    CtorId, ExprId, ExprKind, FunctionCall, MemberId, MemberKind, MethodCall, Ty, TyKind,
    TypeParamId, VarId,
};
use stet_base::{Span, Symbol};

/// The result of an application.
pub(crate) enum Applied {
    Expr(ExprId),
    Method(Box<MethodCall>),
}

/// Formals, with what their types are to be replaced by.
struct Signature {
    formals: Vec<VarId>,
    params: Vec<TypeParamId>,
    args: Vec<Ty>,
    receiver: Option<ExprId>,
    member: Option<MemberId>,
    what: String,
    name: String,
}

impl Resolver<'_> {
    /// An application in an expression: methods are not allowed.
    pub(crate) fn apply_expr(&mut self, id: ast::ExprId) -> ExprId {
        match self.apply(id) {
            Applied::Expr(expr) => expr,
            Applied::Method(call) => {
                let text = self.text(self.program.members[call.method].name);
                let what = self.member_word(call.method);
                let word = if what == "method" {
                    "method".to_owned()
                } else {
                    what.to_owned()
                };
                self.error(
                    call.tok,
                    format!("expression is not allowed to invoke a {word} ({text})"),
                );
                self.error_expr(id)
            }
        }
    }

    pub(crate) fn apply(&mut self, id: ast::ExprId) -> Applied {
        let ast::ExprKind::Apply {
            callee,
            args,
            at,
            prefix,
        } = &self.ast.exprs[id].kind
        else {
            return Applied::Expr(self.error_expr(id));
        };
        let target = self.callee(*callee);
        let aside = self.aside.take();
        let at = at.and_then(|name| self.label_ref(name));
        let prefix = prefix.map(|k| self.expr(k));
        match target {
            Callee::Error => {
                for arg in args {
                    self.expr(arg.value);
                }
                Applied::Expr(self.error_expr(id))
            }
            Callee::Ctor { ctor, args: targs } => {
                let tok = self.ast.exprs[*callee].tok;
                let value = self.construct(id, ctor, targs, args);
                // Messages about the value point at the name of the constructor.
                self.program.exprs[value].tok = tok;
                Applied::Expr(value)
            }
            Callee::Member {
                member,
                receiver,
                owner_args,
                explicit,
            } => {
                let applied =
                    self.call_member(id, member, receiver, owner_args, explicit, args, prefix, at);
                match applied {
                    Applied::Expr(value) => Applied::Expr(self.beside(aside, value)),
                    Applied::Method(mut call) => {
                        call.aside = aside;
                        Applied::Method(call)
                    }
                }
            }
            Callee::FnProperty(function, requires) => {
                Applied::Expr(self.apply_property(id, function, requires, args))
            }
            Callee::Rotate(value, left) => Applied::Expr(self.apply_rotate(id, value, left, args)),
            Callee::Type(_) | Callee::Module(_) => {
                let tok = self.ast.exprs[*callee].tok;
                self.error(tok, "non-function expression is called with parameters");
                Applied::Expr(self.error_expr(id))
            }
            Callee::Value(function) => {
                let value = match self.program.exprs[function].kind {
                    // `(f.requires)(x)` is `f.requires(x)`.
                    ExprKind::FnProperty(of, requires) => {
                        let made = self.apply_property(id, of, requires, args);
                        self.program.exprs[made].tok = self.ast.exprs[*callee].tok;
                        made
                    }
                    _ => self.apply_value(id, function, args),
                };
                Applied::Expr(value)
            }
        }
    }

    fn label_ref(&mut self, name: ast::Name) -> Option<crate::tree::LabelId> {
        let found = self.scope.find_label(name.sym);
        if let Some(label) = found {
            self.link_label(name, label);
        } else {
            let text = self.text(name.sym);
            self.error(
                name.span,
                format!("no label '{text}' in scope at this time"),
            );
        }
        found
    }

    pub(crate) fn label_use(&mut self, name: Option<ast::Name>) -> Option<crate::tree::LabelId> {
        name.and_then(|name| self.label_ref(name))
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one syntactic form")]
    fn call_member(
        &mut self,
        id: ast::ExprId,
        member: MemberId,
        receiver: Option<ExprId>,
        owner_args: Vec<Ty>,
        explicit: Option<Vec<Ty>>,
        args: &[ast::Arg],
        prefix: Option<ExprId>,
        at: Option<crate::tree::LabelId>,
    ) -> Applied {
        let tok = self.ast.exprs[id].tok;
        let (params, formals, result) = match &self.program.members[member].kind {
            MemberKind::Function(f) => (f.params.clone(), f.ins.clone(), Some(f.result)),
            MemberKind::Method(m) => (m.params.clone(), m.ins.clone(), None),
            _ => {
                let value = self.member_value(id, member, receiver, owner_args, explicit);
                if let ast::ExprKind::Apply { callee, .. } = &self.ast.exprs[id].kind {
                    self.program.exprs[value].tok = self.ast.exprs[*callee].tok;
                }
                return Applied::Expr(self.apply_value(id, value, args));
            }
        };
        let inferred = explicit.is_none();
        let type_args = self.member_type_args(member, &params, explicit, tok);
        let owner_params = self.program.owner_params(member).to_vec();
        let owner_args = self.full_owner_args(owner_args, owner_params.len());
        let signature = Signature {
            formals,
            params: owner_params.iter().chain(&params).copied().collect(),
            args: owner_args.iter().chain(&type_args).copied().collect(),
            receiver,
            member: Some(member),
            what: self.member_word(member).to_owned(),
            name: self.text(self.program.members[member].name),
        };
        let values = self.bind_args(&signature, args, tok);
        if let Some(current) = self.frame.member {
            self.calls.push((current, member));
        }
        let Some(result) = result else {
            return Applied::Method(Box::new(MethodCall {
                method: member,
                receiver,
                aside: None,
                owner_args,
                type_args,
                args: values,
                lhss: Vec::new(),
                prefix,
                at,
                tok,
            }));
        };
        let ty = self.instantiate_pre(result, &signature.params, &signature.args);
        let call = FunctionCall {
            function: member,
            receiver,
            owner_args,
            type_args,
            args: values,
            prefix,
            at,
            co_call: false,
        };
        let expr = self.push_expr(id, ExprKind::Call(Box::new(call)), ty);
        if inferred {
            self.inferred_args.insert(expr);
        }
        Applied::Expr(expr)
    }

    /// Type arguments of the owner; fresh ones where the program gives none (static members).
    fn full_owner_args(&mut self, owner_args: Vec<Ty>, want: usize) -> Vec<Ty> {
        if owner_args.len() == want {
            return owner_args;
        }
        (0..want).map(|_| self.fresh()).collect()
    }

    /// A datatype value.
    pub(crate) fn construct(
        &mut self,
        id: ast::ExprId,
        ctor: CtorId,
        targs: Option<Vec<Ty>>,
        args: &[ast::Arg],
    ) -> ExprId {
        let c = &self.program.ctors[ctor];
        let (decl, formals) = (c.decl, c.formals.clone());
        let params = self.program.decls[decl].params.clone();
        let explicit = targs.filter(|t| t.len() == params.len());
        let inferred = explicit.is_none();
        let type_args = explicit.unwrap_or_else(|| params.iter().map(|_| self.fresh()).collect());
        let signature = Signature {
            formals,
            params,
            args: type_args.clone(),
            receiver: None,
            member: None,
            what: "datatype constructor".to_owned(),
            name: self.text(self.program.ctors[ctor].name),
        };
        let tok = self.ast.exprs[id].tok;
        let values = self.bind_args(&signature, args, tok);
        let pre_args: Vec<Ty> = type_args
            .iter()
            .map(|&a| super::infer::pre_type(&self.program, a))
            .collect();
        let ty = self.program.types.intern(TyKind::Named {
            decl,
            args: pre_args,
            nullable: false,
        });
        let kind = ExprKind::Ctor {
            ctor,
            type_args,
            args: values,
        };
        let expr = self.push_expr(id, kind, ty);
        if inferred {
            self.inferred_args.insert(expr);
        }
        expr
    }

    fn apply_value(&mut self, id: ast::ExprId, function: ExprId, args: &[ast::Arg]) -> ExprId {
        let tok = self.ast.exprs[id].tok;
        let ty = self
            .infer
            .force(&self.program, self.program.exprs[function].ty);
        if ty == self.program.types.error {
            for arg in args {
                self.expr(arg.value);
            }
            return self.error_expr(id);
        }
        if matches!(&*self.program.types.kind(ty), TyKind::Infer(_)) {
            let params: Vec<Ty> = args.iter().map(|_| self.fresh()).collect();
            let result = self.fresh();
            let made = super::infer::arrow(&self.program, params, result);
            self.infer.unify(&self.program, ty, made);
        }
        let ty = self.infer.shallow(&self.program, ty);
        let TyKind::Arrow { params, result, .. } = &*self.program.types.kind(ty) else {
            let shown = self.show(ty);
            self.error(
                tok,
                format!("non-function expression (of type {shown}) is called with parameters"),
            );
            return self.error_expr(id);
        };
        if params.len() != args.len() {
            self.error(
                tok,
                format!(
                    "wrong number of arguments to function application (function type '{}' expects {}, got {})",
                    self.show(ty),
                    params.len(),
                    args.len()
                ),
            );
            return self.error_expr(id);
        }
        let mut values = Vec::new();
        for (i, (arg, &param)) in args.iter().zip(params).enumerate() {
            let value = self.expr_hint(arg.value, Some(param));
            let found = self.program.exprs[value].ty;
            if !self.fits(param, value) {
                let message = format!(
                    "incorrect argument type at index {i} for function application parameter (expected {}, found {})",
                    self.show(param),
                    self.show(found)
                );
                let tok = self.ast.exprs[arg.value].tok;
                self.error(tok, message);
                let message = format!(
                    "type mismatch for argument {i} (function expects {}, got {})",
                    self.show(param),
                    self.show(found)
                );
                self.error(tok, message);
            }
            values.push(value);
        }
        self.push_expr(id, ExprKind::Apply(function, values), *result)
    }

    fn apply_property(
        &mut self,
        id: ast::ExprId,
        function: ExprId,
        requires: bool,
        args: &[ast::Arg],
    ) -> ExprId {
        let ty = self.ty_of(function);
        let TyKind::Arrow { params, .. } = &*self.program.types.kind(ty) else {
            return self.error_expr(id);
        };
        let mut values = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let value = self.expr_hint(arg.value, params.get(i).copied());
            if let Some(&param) = params.get(i) {
                self.infer
                    .assignable(&self.program, param, self.program.exprs[value].ty);
            }
            values.push(value);
        }
        if values.len() != params.len() {
            let tok = self.ast.exprs[id].tok;
            let message = format!(
                "wrong number of arguments (got {}, expected {})",
                values.len(),
                params.len()
            );
            self.error(tok, message);
        }
        if requires {
            let ty = self.program.types.bool_;
            return self.push_expr(id, ExprKind::FnRequires(function, values), ty);
        }
        let ty = self.program.types.intern(TyKind::Set {
            finite: true,
            elem: self.program.types.object_nullable,
        });
        self.push_expr(id, ExprKind::FnReads(function, values), ty)
    }

    fn apply_rotate(
        &mut self,
        id: ast::ExprId,
        value: ExprId,
        left: bool,
        args: &[ast::Arg],
    ) -> ExprId {
        let ty = self.program.exprs[value].ty;
        let [amount] = args else {
            let tok = self.ast.exprs[id].tok;
            self.error(tok, "wrong number of arguments");
            return self.error_expr(id);
        };
        let amount = self.expr(amount.value);
        let int = self.program.types.int;
        self.infer
            .unify(&self.program, self.program.exprs[amount].ty, int);
        self.push_expr(id, ExprKind::Rotate(value, amount, left), ty)
    }

    /// Matches arguments with formals: positional, named, default. Lambdas last, when the other types are known.
    fn bind_args(&mut self, signature: &Signature, args: &[ast::Arg], tok: Span) -> Vec<ExprId> {
        let count = signature.formals.len();
        let mut slots: Vec<Option<ast::ExprId>> = vec![None; count];
        let mut named = false;
        let mut ok = true;
        let positional = args.iter().filter(|a| a.name.is_none()).count();
        let required = signature
            .formals
            .iter()
            .filter(|&&f| !self.has_default(signature, f))
            .count();
        if args.len() > count || (positional == args.len() && args.len() < required) {
            ok = false;
            self.wrong_count(signature, required, args.len(), tok);
        }
        for (i, arg) in args.iter().enumerate() {
            match arg.name {
                None if named => {
                    ok = false;
                    let span = self.ast.exprs[arg.value].tok;
                    self.error(
                        span,
                        "a positional argument is not allowed to follow named arguments",
                    );
                }
                None => {
                    if i < count {
                        let formal = signature.formals[i];
                        if self.nameonly.contains(&formal) {
                            let text = self.text(self.program.vars[formal].name);
                            let span = self.ast.exprs[arg.value].tok;
                            self.error(span, format!("nameonly parameter '{text}' must be passed using a name binding; it cannot be passed positionally"));
                        }
                        slots[i] = Some(arg.value);
                    }
                }
                Some(name) => {
                    named = true;
                    ok &= self.bind_named(signature, &mut slots, name, arg.value, positional);
                }
            }
        }
        let mut values: Vec<Option<ExprId>> = vec![None; count];
        for lambdas in [false, true] {
            for i in 0..count {
                if let Some(arg) = slots[i]
                    && self.is_lambda(arg) == lambdas
                {
                    values[i] = Some(self.bind_one(signature, i, arg));
                }
            }
        }
        for i in 0..count {
            if values[i].is_none() {
                values[i] = self.default_arg(signature, i, &values, tok);
                if values[i].is_none() && ok {
                    ok = false;
                    self.missing_arg_error(signature, i, tok);
                }
            }
        }
        let error = self.program.types.error;
        values
            .into_iter()
            .map(|v| v.unwrap_or_else(|| self.push_expr_at(tok, tok, ExprKind::Error, error)))
            .collect()
    }

    fn wrong_count(&mut self, signature: &Signature, required: usize, got: usize, tok: Span) {
        let count = signature.formals.len();
        let expects = match () {
            () if required == count => format!("{count}"),
            () if got < required => format!("at least {required}"),
            () => format!("at most {count}"),
        };
        self.error(
            tok,
            format!(
                "wrong number of arguments ({} '{}' expects {expects}, got {got})",
                signature.what, signature.name
            ),
        );
    }

    /// A parameter without a default that got no argument.
    fn missing_arg_error(&mut self, signature: &Signature, index: usize, tok: Span) {
        let formal = signature.formals[index];
        let want = self.instantiate_pre(
            self.program.vars[formal].ty,
            &signature.params,
            &signature.args,
        );
        let v = &self.program.vars[formal];
        let name = if v.user_named {
            format!(" '{}'", self.text(v.name))
        } else {
            String::new()
        };
        let kind = parameter_word(&signature.what);
        let shown = if self.infer.shallow(&self.program, want) == want {
            self.program.show_type(v.ty)
        } else {
            self.show(want)
        };
        self.error(
            tok,
            format!("{kind}{name} at index {index} requires an argument of type {shown}"),
        );
    }

    fn bind_named(
        &mut self,
        signature: &Signature,
        slots: &mut [Option<ast::ExprId>],
        name: ast::Name,
        value: ast::ExprId,
        positional: usize,
    ) -> bool {
        let text = self.text(name.sym);
        let found = signature.formals.iter().position(|&f| {
            self.program.vars[f].name == name.sym && self.program.vars[f].user_named
        });
        match found {
            None => {
                self.error(
                    name.span,
                    format!(
                        "the binding named '{text}' does not correspond to any formal parameter"
                    ),
                );
                false
            }
            Some(i) if slots[i].is_some() && i < positional => {
                self.error(
                    name.span,
                    format!("the parameter named '{text}' is already given positionally"),
                );
                false
            }
            Some(i) if slots[i].is_some() => {
                self.error(
                    name.span,
                    format!("duplicate binding for parameter name '{text}'"),
                );
                false
            }
            Some(i) => {
                self.link_var(name, signature.formals[i]);
                slots[i] = Some(value);
                true
            }
        }
    }

    fn is_lambda(&self, id: ast::ExprId) -> bool {
        match &self.ast.exprs[id].kind {
            ast::ExprKind::Lambda { params, .. } => params.iter().any(|p| p.ty.is_none()),
            ast::ExprKind::Paren(inner) => self.is_lambda(*inner),
            _ => false,
        }
    }

    fn bind_one(&mut self, signature: &Signature, index: usize, arg: ast::ExprId) -> ExprId {
        let formal = signature.formals[index];
        let want = self.instantiate_pre(
            self.program.vars[formal].ty,
            &signature.params,
            &signature.args,
        );
        let value = self.expr_hint(arg, Some(want));
        let found = self.program.exprs[value].ty;
        if !self.fits(want, value) {
            let v = &self.program.vars[formal];
            let which = if v.user_named {
                format!("parameter '{}'", self.text(v.name))
            } else {
                "parameter".to_owned()
            };
            let kind = parameter_word(&signature.what);
            let kind = kind.trim_end_matches("parameter");
            let place = if v.user_named {
                String::new()
            } else {
                format!(" at index {index}")
            };
            let message = format!(
                "incorrect argument type{place} for {kind}{which} (expected {}, found {})",
                self.show(want),
                self.show(found)
            );
            if !self.blame_literal(value, want) {
                self.error(self.ast.exprs[arg].tok, message);
            }
        }
        value
    }

    fn has_default(&self, signature: &Signature, formal: VarId) -> bool {
        self.default_syntax(signature, formal).is_some()
    }

    /// The syntax of a formal's default value.
    fn default_syntax(&self, signature: &Signature, formal: VarId) -> Option<ast::ExprId> {
        let position = signature.formals.iter().position(|&f| f == formal)?;
        if let Some(member) = signature.member {
            let syntax = self.member_syntax.get(&member)?;
            return match &syntax.kind {
                ast::MemberKind::Function(f) => f.ins.get(position)?.default,
                ast::MemberKind::Method(m) => m.ins.get(position)?.default,
                _ => None,
            };
        }
        let ctor = self
            .program
            .ctors
            .iter()
            .find(|(_, c)| c.formals.contains(&formal))?;
        let syntax = self.type_syntax.get(&ctor.1.decl)?;
        match &syntax.kind {
            ast::TypeDeclKind::Datatype { ctors, .. } => {
                let found = ctors.iter().find(|c| c.name.sym == ctor.1.name)?;
                found.formals.get(position)?.default
            }
            _ => None,
        }
    }

    /// The default value of a formal, resolved in the callee's scope with the formals standing for the arguments.
    fn default_arg(
        &mut self,
        signature: &Signature,
        index: usize,
        values: &[Option<ExprId>],
        _tok: Span,
    ) -> Option<ExprId> {
        let formal = signature.formals[index];
        let syntax = self.default_syntax(signature, formal)?;
        if self.default_depth > 20 {
            self.error(
                self.ast.exprs[syntax].tok,
                "default-valued expressions are cyclicly dependent; this is not allowed, since it would cause infinite expansion",
            );
            return None;
        }
        let aliases: Vec<(Symbol, ExprId)> = signature
            .formals
            .iter()
            .zip(values)
            .filter_map(|(&f, v)| v.map(|v| (self.program.vars[f].name, v)))
            .collect();
        let (module, decl, is_static) = match signature.member {
            Some(member) => {
                let m = &self.program.members[member];
                (m.module, self.owner_decl(member), m.is_static)
            }
            None => {
                let found = self
                    .program
                    .ctors
                    .iter()
                    .find(|(_, c)| c.formals.contains(&formal));
                let decl = found.map(|(_, c)| c.decl)?;
                (self.program.decls[decl].module, Some(decl), true)
            }
        };
        self.default_depth += 1;
        let saved_frame = std::mem::take(&mut self.frame);
        let saved_scope = std::mem::take(&mut self.scope);
        let saved_aliases = std::mem::replace(&mut self.alias_list, aliases);
        let saved_this = std::mem::replace(&mut self.this_alias, signature.receiver);
        self.frame.module = Some(module);
        self.frame.decl = decl;
        self.frame.is_static = is_static;
        self.frame.this_type = decl.map(|d| self.this_type(d));
        self.frame.member = saved_frame.member;
        let want = self.instantiate_pre(
            self.program.vars[formal].ty,
            &signature.params,
            &signature.args,
        );
        let value = self.expr_hint(syntax, Some(want));
        self.infer
            .assignable(&self.program, want, self.program.exprs[value].ty);
        self.frame = saved_frame;
        self.scope = saved_scope;
        self.alias_list = saved_aliases;
        self.this_alias = saved_this;
        self.default_depth -= 1;
        let value = if values.contains(&Some(value)) || signature.receiver == Some(value) {
            // Another argument stands here: its own checks are made where it is given.
            let given = &self.program.exprs[value];
            let (span, tok, kind, ty) = (given.span, given.tok, given.kind.clone(), given.ty);
            self.push_expr_at(span, tok, kind, ty)
        } else {
            value
        };
        self.program.defaults.insert(value, formal);
        Some(value)
    }

    pub(crate) fn aliases(&self) -> &[(Symbol, ExprId)] {
        &self.alias_list
    }

    pub(crate) fn scope_this_alias(&self) -> Option<ExprId> {
        self.this_alias
    }
}

/// `function parameter`, `method in-parameter`, … for messages.
fn parameter_word(what: &str) -> String {
    let methods = ["method", "constructor"];
    if what.ends_with("lemma") || methods.contains(&what) {
        format!("{what} in-parameter")
    } else {
        format!("{what} parameter")
    }
}

impl Resolver<'_> {
    /// The arguments of a constructor call.
    pub(crate) fn method_args(
        &mut self,
        member: MemberId,
        owner_args: &[Ty],
        args: &[ast::Arg],
        tok: Span,
    ) -> Vec<ExprId> {
        let formals = match &self.program.members[member].kind {
            MemberKind::Method(m) => m.ins.clone(),
            _ => Vec::new(),
        };
        let signature = Signature {
            formals,
            params: self.program.owner_params(member).to_vec(),
            args: owner_args.to_vec(),
            receiver: None,
            member: Some(member),
            what: self.member_word(member).to_owned(),
            name: self.text(self.program.members[member].name),
        };
        self.bind_args(&signature, args, tok)
    }
}
