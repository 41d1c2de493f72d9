//! Declarations.

use super::token::Tok;
use super::types::IdsContext;
use super::{Ident, Parser};
use crate::ast::*;
use crate::blocks;
use crate::program::*;
use stet_base::Span;

/// A parameter of a function, before it is known whether a lone word is its name or its type.
struct VarOrType {
    span: Span,
    /// The name before a colon.
    name: Option<stet_base::Symbol>,
    ty: TypeExprId,
    attrs: Attributes,
}

/// What procedures and implementations share.
struct Signature {
    id: Ident,
    attrs: Attributes,
    type_params: Vec<TypeVarId>,
    ins: Vec<VarId>,
    outs: Vec<VarId>,
}

impl Parser<'_> {
    pub(super) fn program(&mut self) {
        loop {
            match self.la() {
                Tok::Const => self.consts(),
                Tok::Function => self.function(),
                Tok::Axiom => self.axiom(),
                Tok::Type => self.types(),
                Tok::Var => self.globals(),
                Tok::Procedure => self.procedure(false),
                Tok::Implementation => self.implementation(),
                Tok::Ident if self.la_is("datatype") => self.datatype(),
                Tok::Ident if self.is_modifier("pure", Tok::Procedure) => {
                    self.get();
                    self.procedure(true);
                }
                Tok::Ident if self.is_modifier("hideable", Tok::Axiom) => {
                    self.get();
                    self.axiom();
                }
                Tok::Ident if self.is_modifier("revealed", Tok::Function) => {
                    self.get();
                    self.function();
                }
                _ => break,
            }
        }
        self.expect(Tok::Eof);
    }

    /// Whether a word comes next that is one only before this keyword.
    fn is_modifier(&self, word: &str, keyword: Tok) -> bool {
        let next = self.tokens.get(self.at + 1);
        self.la_is(word) && next.is_some_and(|token| token.kind == keyword)
    }

    /// `uses { axioms }`: axioms that belong to a declaration. They are ordinary ones here, because axioms that cannot matter
    /// are never sent to the prover.
    fn uses(&mut self) -> bool {
        if self.la() != Tok::Ident || !self.la_is("uses") {
            return false;
        }
        self.get();
        self.expect(Tok::LBrace);
        loop {
            if self.is_modifier("hideable", Tok::Axiom) {
                self.get();
            }
            if self.la() != Tok::Axiom {
                break;
            }
            self.axiom();
        }
        self.expect(Tok::RBrace);
        true
    }

    fn globals(&mut self) {
        self.get();
        let attrs = self.attributes();
        let context = IdsContext {
            kind: VarKind::Global,
            name: "global variables",
            attributes: true,
            where_clauses: true,
        };
        let mut vars = Vec::new();
        self.ids_type_wheres(context, &attrs, &mut vars);
        self.expect(Tok::Semi);
        self.program
            .decls
            .extend(vars.into_iter().map(Decl::Global));
    }

    fn consts(&mut self) {
        self.get();
        let span = self.last_span();
        let attrs = self.attributes();
        let unique = self.eat(Tok::Unique);
        let ids = self.idents();
        self.expect(Tok::Colon);
        let ty = self.type_();
        let mut parents = None;
        let mut complete = false;
        if self.eat(Tok::Extends) {
            let mut list = Vec::new();
            if matches!(self.la(), Tok::Unique | Tok::Ident) {
                list.push(self.parent());
                while self.eat(Tok::Comma) {
                    list.push(self.parent());
                }
            }
            parents = Some(list);
            complete = self.eat(Tok::Complete);
        }
        let ends_here = self.eat(Tok::Semi);
        for id in ids {
            let var = self.program.vars.push(Variable {
                name: id.name,
                span,
                kind: VarKind::Constant,
                type_expr: Some(ty),
                ty: None,
                where_clause: None,
                attrs: attrs.clone(),
            });
            let parents = parents.as_ref().map(|list: &Vec<(Ident, bool)>| {
                list.iter()
                    .map(|&(id, unique)| ConstParent {
                        parent: self.ident_expr(id),
                        unique,
                    })
                    .collect()
            });
            let id = self.program.consts.push(Constant {
                var,
                unique,
                parents,
                complete,
            });
            self.program.decls.push(Decl::Constant(id));
        }
        if !ends_here && !self.uses() {
            self.expect(Tok::Semi);
        }
    }

    fn parent(&mut self) -> (Ident, bool) {
        let unique = self.eat(Tok::Unique);
        (self.ident(), unique)
    }

    fn axiom(&mut self) {
        self.get();
        let attrs = self.attributes();
        let span = self.last_span();
        let expr = self.expression();
        self.expect(Tok::Semi);
        self.add_axiom(Axiom {
            span,
            expr,
            attrs,
            defines: None,
        });
    }

    fn add_axiom(&mut self, axiom: Axiom) {
        let id = self.program.axioms.push(axiom);
        self.program.decls.push(Decl::Axiom(id));
    }

    fn types(&mut self) {
        self.get();
        let attrs = self.attributes();
        self.user_type(&attrs);
        while self.eat(Tok::Comma) {
            self.user_type(&attrs);
        }
        self.expect(Tok::Semi);
    }

    fn user_type(&mut self, attrs: &Attributes) {
        let id = self.ident();
        let mut params = Vec::new();
        while self.la() == Tok::Ident {
            params.push(self.ident());
        }
        let attrs = attrs.clone();
        if self.eat(Tok::Eq) {
            let body = self.type_();
            let params = params.into_iter().map(|p| self.type_var(p)).collect();
            let synonym = self.program.synonyms.push(Synonym {
                name: id.name,
                span: id.span,
                params,
                body,
                ty: None,
                attrs,
            });
            self.program.decls.push(Decl::Synonym(synonym));
        } else {
            let ctor = self.program.type_ctors.push(TypeCtor {
                name: id.name,
                span: id.span,
                params: params.into_iter().map(|p| p.name).collect(),
                finite: false,
                attrs,
                constructors: Vec::new(),
            });
            self.program.decls.push(Decl::TypeCtor(ctor));
        }
    }

    /// `datatype D { A(x: int), B() }` of newer Boogie: a `{:datatype}` type and `{:constructor}` functions.
    fn datatype(&mut self) {
        self.get();
        let mut attrs = self.attributes();
        let id = self.ident();
        let params: Vec<Ident> = if self.eat(Tok::Lt) {
            let params = self.idents();
            self.expect(Tok::Gt);
            params
        } else {
            Vec::new()
        };
        self.flag(&mut attrs, "datatype", id.span);
        let ctor = self.program.type_ctors.push(TypeCtor {
            name: id.name,
            span: id.span,
            params: params.iter().map(|p| p.name).collect(),
            finite: false,
            attrs,
            constructors: Vec::new(),
        });
        self.program.decls.push(Decl::TypeCtor(ctor));
        self.program.datatypes.insert(ctor);
        self.expect(Tok::LBrace);
        self.datatype_constructor(id, &params);
        while self.eat(Tok::Comma) {
            self.datatype_constructor(id, &params);
        }
        self.expect(Tok::RBrace);
        self.eat(Tok::Semi);
    }

    fn datatype_constructor(&mut self, datatype: Ident, params: &[Ident]) {
        let mut attrs = self.attributes();
        let id = self.ident();
        let mut fields = self.parameters_or_types();
        self.name_parameters(&mut fields);
        let ins = fields
            .into_iter()
            .map(|field| self.formal(field, VarKind::In))
            .collect();
        let args = params
            .iter()
            .map(|param| self.named_type(*param, Vec::new()))
            .collect();
        let out = VarOrType {
            span: id.span,
            name: None,
            ty: self.named_type(
                Ident {
                    name: datatype.name,
                    span: id.span,
                },
                args,
            ),
            attrs: Attributes::default(),
        };
        let out = self.formal(out, VarKind::Out);
        self.new_constructor(id);
        self.flag(&mut attrs, "constructor", id.span);
        let type_params = params.iter().map(|&param| self.type_var(param)).collect();
        let func = self.program.funcs.push(Function {
            name: id.name,
            span: id.span,
            type_params,
            ins,
            out,
            body: None,
            attrs,
            datatype: DatatypeRole::None,
        });
        self.program.decls.push(Decl::Function(func));
    }

    /// Parameters of a function or constructor, whose names may be left out.
    fn parameters_or_types(&mut self) -> Vec<VarOrType> {
        self.expect(Tok::LParen);
        let mut found = Vec::new();
        if self.starts_type() || self.la() == Tok::LBrace {
            found.push(self.var_or_type());
            while self.eat(Tok::Comma) {
                found.push(self.var_or_type());
            }
        }
        self.expect(Tok::RParen);
        found
    }

    fn new_constructor(&mut self, id: Ident) {
        if !self.constructors.insert(id.name) {
            let name = self.program.name(id.name);
            let text = format!("more than one declaration of datatype constructor name: {name}");
            self.report(id.span, text);
        }
    }

    fn named_type(&mut self, id: Ident, args: Vec<TypeExprId>) -> TypeExprId {
        self.program.type_exprs.push(TypeExpr {
            span: id.span,
            kind: TypeExprKind::Named {
                name: id.name,
                args: args.into(),
            },
        })
    }

    /// Adds an attribute without parameters.
    fn flag(&mut self, attrs: &mut Attributes, key: &str, span: Span) {
        attrs.0.push(Attribute {
            span,
            key: self.program.names.intern(key),
            params: Vec::new(),
        });
    }

    fn function(&mut self) {
        self.get();
        let attrs = self.attributes();
        let id = self.ident();
        let type_params = self.optional_type_params();
        let mut params = self.parameters_or_types();
        let out = self.function_result();
        let mut body = None;
        let uses = |parser: &Self| parser.la() == Tok::Ident && parser.la_is("uses");
        if self.eat(Tok::LBrace) {
            body = Some(self.expression());
            self.expect(Tok::RBrace);
        } else if !uses(self) && !self.eat(Tok::Semi) {
            self.invalid("Function");
        }
        self.name_parameters(&mut params);
        let ins: Vec<VarId> = params
            .into_iter()
            .map(|p| self.formal(p, VarKind::In))
            .collect();
        let out = self.formal(out, VarKind::Out);
        if self.program.bool_attribute(&attrs, "constructor") {
            self.new_constructor(id);
        }
        let keeps_body = self.program.bool_attribute(&attrs, "inline")
            || self.program.bool_attribute(&attrs, "define");
        let func = self.program.funcs.push(Function {
            name: id.name,
            span: id.span,
            type_params,
            ins,
            out,
            body: body.filter(|_| keeps_body),
            attrs,
            datatype: DatatypeRole::None,
        });
        self.program.decls.push(Decl::Function(func));
        if let Some(body) = body.filter(|_| !keeps_body) {
            self.definition_axiom(func, id, body);
        }
        self.uses();
    }

    fn function_result(&mut self) -> VarOrType {
        if self.eat(Tok::Returns) {
            self.expect(Tok::LParen);
            let out = self.var_or_type();
            self.expect(Tok::RParen);
            return out;
        }
        if !self.eat(Tok::Colon) {
            self.invalid("Function");
        }
        let ty = if self.since_error == 0 {
            let span = self.la_span();
            self.program.type_exprs.push(TypeExpr {
                span,
                kind: TypeExprKind::Int,
            })
        } else {
            self.type_()
        };
        VarOrType {
            span: self.program.type_exprs[ty].span,
            name: None,
            ty,
            attrs: Attributes::default(),
        }
    }

    fn var_or_type(&mut self) -> VarOrType {
        let attrs = self.attributes();
        let mut ty = self.type_();
        let span = self.program.type_exprs[ty].span;
        let mut name = None;
        if self.eat(Tok::Colon) {
            match self.lone_word(ty) {
                Some(word) => name = Some(word),
                None => self.semantic_error("expected identifier before ':'"),
            }
            ty = self.type_();
        }
        VarOrType {
            span,
            name,
            ty,
            attrs,
        }
    }

    /// The word a type consists of, if it is one.
    fn lone_word(&mut self, ty: TypeExprId) -> Option<stet_base::Symbol> {
        let TypeExpr { span, kind } = &self.program.type_exprs[ty];
        match kind {
            TypeExprKind::Named { name, args } if args.is_empty() => Some(*name),
            TypeExprKind::Bv(_) | TypeExprKind::Float(..) | TypeExprKind::RMode => {
                let word = &self.text[span.start as usize..span.end as usize];
                Some(self.program.names.intern(word))
            }
            _ => None,
        }
    }

    /// In `f(x, y: int)` the lone `x` is a name that takes the type of what follows.
    fn name_parameters(&mut self, params: &mut [VarOrType]) {
        if params.iter().all(|p| p.name.is_none()) {
            return;
        }
        let mut following = None;
        for i in (0..params.len()).rev() {
            if params[i].name.is_some() {
                following = Some(params[i].ty);
                continue;
            }
            let Some(ty) = following else {
                let text = "the type of the last parameter is unspecified";
                self.report(params[i].span, text.to_owned());
                return;
            };
            match self.lone_word(params[i].ty) {
                Some(word) => {
                    params[i].name = Some(word);
                    params[i].ty = ty;
                }
                None => {
                    let text = "expecting an identifier as parameter name";
                    self.report(params[i].span, text.to_owned());
                }
            }
        }
    }

    fn formal(&mut self, param: VarOrType, kind: VarKind) -> VarId {
        let name = param.name.unwrap_or_else(|| self.program.names.intern(""));
        self.program.vars.push(Variable {
            name,
            span: param.span,
            kind,
            type_expr: Some(param.ty),
            ty: None,
            where_clause: None,
            attrs: param.attrs,
        })
    }

    /// `axiom (forall params :: {f(params): T} f(params): T == body)`.
    fn definition_axiom(&mut self, func: FuncId, id: Ident, body: ExprId) {
        let Function {
            type_params,
            ins,
            out,
            attrs,
            ..
        } = self.program.funcs[func].clone();
        let mut vars = Vec::new();
        let mut args = Vec::new();
        for (i, &param) in ins.iter().enumerate() {
            let mut var = self.program.vars[param].clone();
            if self.program.name(var.name).is_empty() {
                var.name = self.program.names.intern(&format!("_{i}"));
            }
            var.kind = VarKind::Bound;
            var.attrs = Attributes::default();
            args.push(self.ident_expr(Ident {
                name: var.name,
                span: var.span,
            }));
            vars.push(self.program.vars.push(var));
        }
        let type_params: Vec<TypeVarId> = type_params
            .into_iter()
            .map(|p| {
                let name = self.program.type_vars[p].name;
                self.type_var(Ident {
                    name,
                    span: id.span,
                })
            })
            .collect();
        let kind = ExprKind::Call {
            name: id.name,
            func: None,
            args: args.into(),
        };
        let call = self.push_expr(id.span, kind, 1);
        let mut expr = match self.program.vars[out].type_expr {
            Some(ty) => self.push_expr(id.span, ExprKind::Ascribe(call, ty), 2),
            None => call,
        };
        let pattern = expr;
        let below = self.depth(body).max(3);
        expr = self.push_expr(id.span, ExprKind::Binary(BinaryOp::Eq, expr, body), below);
        if !vars.is_empty() || !type_params.is_empty() {
            let binder = Binder {
                kind: BinderKind::Forall,
                type_params,
                vars,
                attrs,
                triggers: vec![Trigger {
                    span: id.span,
                    positive: true,
                    exprs: vec![pattern],
                }],
                body: expr,
            };
            expr = self.push_expr(id.span, ExprKind::Binder(Box::new(binder)), below + 1);
        }
        self.add_axiom(Axiom {
            span: id.span,
            expr,
            attrs: Attributes::default(),
            defines: Some(func),
        });
    }

    fn signature(&mut self, is_procedure: bool) -> Signature {
        self.get();
        let attrs = self.attributes();
        let id = self.ident();
        let type_params = self.optional_type_params();
        let ins = self.proc_formals(VarKind::In, is_procedure);
        let outs = if self.eat(Tok::Returns) {
            self.proc_formals(VarKind::Out, is_procedure)
        } else {
            Vec::new()
        };
        Signature {
            id,
            attrs,
            type_params,
            ins,
            outs,
        }
    }

    fn proc_formals(&mut self, kind: VarKind, is_procedure: bool) -> Vec<VarId> {
        let context = IdsContext {
            kind,
            name: if is_procedure {
                "procedure formals"
            } else {
                "the 'implementation' copies of formals"
            },
            attributes: is_procedure,
            where_clauses: is_procedure,
        };
        let mut vars = Vec::new();
        self.expect(Tok::LParen);
        if matches!(self.la(), Tok::Ident | Tok::LBrace) {
            self.attrs_ids_type_wheres(context, &mut vars);
        }
        self.expect(Tok::RParen);
        vars
    }

    fn procedure(&mut self, is_pure: bool) {
        let signature = self.signature(true);
        let mut proc = Procedure {
            name: signature.id.name,
            span: signature.id.span,
            type_params: signature.type_params.clone(),
            ins: signature.ins.clone(),
            outs: signature.outs.clone(),
            requires: Vec::new(),
            modifies: Vec::new(),
            ensures: Vec::new(),
            is_pure,
            attrs: signature.attrs.clone(),
        };
        let has_body = if self.eat(Tok::Semi) {
            self.specs(&mut proc);
            false
        } else if matches!(
            self.la(),
            Tok::Modifies | Tok::Free | Tok::Requires | Tok::Ensures | Tok::LBrace
        ) {
            self.specs(&mut proc);
            true
        } else {
            self.invalid("Procedure");
            false
        };
        let body = has_body.then(|| self.impl_body());
        let proc = self.program.procs.push(proc);
        self.program.decls.push(Decl::Procedure(proc));
        if let Some((locals, body)) = body {
            let strip = |parser: &mut Self, vars: &[VarId]| -> Vec<VarId> {
                vars.iter()
                    .map(|&v| {
                        let mut var = parser.program.vars[v].clone();
                        var.where_clause = None;
                        var.attrs = Attributes::default();
                        parser.program.vars.push(var)
                    })
                    .collect()
            };
            let ins = strip(self, &signature.ins);
            let outs = strip(self, &signature.outs);
            self.add_implementation(
                Signature {
                    ins,
                    outs,
                    ..signature
                },
                locals,
                body,
                true,
            );
        }
    }

    fn implementation(&mut self) {
        let signature = self.signature(false);
        let (locals, body) = self.impl_body();
        self.add_implementation(signature, locals, body, false);
    }

    fn add_implementation(
        &mut self,
        signature: Signature,
        locals: Vec<VarId>,
        body: StmtListId,
        is_procedure_body: bool,
    ) {
        let blocks = if self.too_deep {
            Vec::new()
        } else {
            blocks::desugar(self.program, body, &mut self.messages)
        };
        let implementation = self.program.impls.push(Implementation {
            name: signature.id.name,
            span: signature.id.span,
            proc: None,
            is_procedure_body,
            type_params: signature.type_params,
            ins: signature.ins,
            outs: signature.outs,
            locals,
            body,
            blocks,
            attrs: signature.attrs,
        });
        self.program
            .decls
            .push(Decl::Implementation(implementation));
    }

    fn specs(&mut self, proc: &mut Procedure) {
        loop {
            match self.la() {
                Tok::Modifies => {
                    self.get();
                    if self.la() == Tok::Ident {
                        for id in self.idents() {
                            let expr = self.ident_expr(id);
                            proc.modifies.push(expr);
                        }
                    }
                    self.expect(Tok::Semi);
                }
                Tok::Free => {
                    self.get();
                    self.pre_post(true, proc);
                }
                Tok::Requires | Tok::Ensures => self.pre_post(false, proc),
                _ => return,
            }
        }
    }

    fn pre_post(&mut self, free: bool, proc: &mut Procedure) {
        let requires = self.la() == Tok::Requires;
        if !requires && self.la() != Tok::Ensures {
            self.invalid("SpecPrePost");
            return;
        }
        self.get();
        let span = self.last_span();
        let attrs = self.attributes();
        let expr = self.expression();
        self.expect(Tok::Semi);
        let spec = Spec {
            span,
            free,
            expr,
            attrs,
        };
        if requires {
            proc.requires.push(spec);
        } else {
            proc.ensures.push(spec);
        }
    }
}
